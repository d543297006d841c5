/* SPDX-License-Identifier: MIT */
/* account.h: for tests: the output of `spoor info`, as text for comparison. */
#ifndef TESTS_SUPPORT_STATS_H
#define TESTS_SUPPORT_STATS_H

#include "spoor/info.h"

/* Returns the report as JSON and releases the info.  Aborts if memory runs out; the caller frees
 * the text. */
char *stats_text(struct spoor_info *info, const struct spoor_stream *stream);

#endif
