/* SPDX-License-Identifier: MIT */
/* account.h: for tests: what `spoor info` says, as text that can be compared. */
#ifndef TESTS_SUPPORT_STATS_H
#define TESTS_SUPPORT_STATS_H

#include "spoor/info.h"

/* The report of what was fed, as JSON; releases the info.  Aborts without memory; the caller frees
 * the text. */
char *stats_text(struct spoor_info *info, const struct spoor_stream *stream);

#endif
