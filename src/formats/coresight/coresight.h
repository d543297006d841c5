/* SPDX-License-Identifier: MIT */
/*
 * formats/coresight/coresight.h: what the formats of elements (silicon/element.h) share.
 */
#ifndef SPOOR_FORMATS_CORESIGHT_H
#define SPOOR_FORMATS_CORESIGHT_H

#include "formats/format.h"

struct coresight_variant {
    const char *magic;    /* of its header */
    const char *rule;     /* of its faults, */
    const char *expected; /* and what they expected */
    bool other_time;      /* timestamps of the trace are not in the unit of its records' times */
};

size_t coresight_length(const struct spoor_stream *stream, const char *at, size_t size);
size_t coresight_last_known(const char *at, size_t size);
int coresight_probe(const struct spoor_format *self, const struct spoor_head *head);
void *coresight_share(const struct spoor_format *self, const struct spoor_head *head);
void coresight_decode(const struct decoder *decoder, struct spoor_batch *batch);
void coresight_resolve_times(struct carry *carry, struct spoor_batch *batch);
void coresight_print(struct encoder *encoder, const struct spoor_batch *batch, size_t from,
                     size_t to, struct text *out);

#endif
