/* SPDX-License-Identifier: MIT */
/*
 * overview.h: what the first screen of a page says of a trace, as members of a JSON object
 * (`Overview` of web/src/api.ts): from an index, or from the batches of the trace.
 */
#ifndef SPOOR_SERVE_OVERVIEW_H
#define SPOOR_SERVE_OVERVIEW_H

#include "base/text.h"
#include "html/stated.h"
#include "spoor/annotate.h"
#include "spoor/exceptions.h"
#include "spoor/profile.h"

struct overview {
    struct spoor_images *images;     /* NULL: none */
    struct spoor_profile *profile;   /* NULL: nothing is known of instructions */
    struct spoor_annotate *annotate; /* NULL: lines are not counted */
    struct spoor_exceptions *exceptions;
};

/* What the options point at must outlive it.  Where it fails, too, it is to be closed. */
enum spoor_status overview_open(struct overview *overview, struct spoor_images *images,
                                const struct spoor_profile_options *profiling,
                                struct spoor_error *error);
/* The next batch of the trace; then its end. */
enum spoor_status overview_feed(struct overview *overview, const struct spoor_batch *batch,
                                struct spoor_error *error);
enum spoor_status overview_end(struct overview *overview, struct spoor_error *error);
void overview_put(struct text *out, const struct overview *overview, const struct stated *stated,
                  const struct spoor_format *format);
void overview_close(struct overview *overview);

#endif
