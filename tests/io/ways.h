/* SPDX-License-Identifier: MIT */
/* ways.h: every way of reading a compressed trace gives the same trace. */
#ifndef TESTS_INPUT_WAYS_H
#define TESTS_INPUT_WAYS_H

#include "toy.h"

/* Read the packed bytes from a file and from a pipe, with one thread and with several, and fail the
 * test unless all give the same and say the same; what one thread reads of a file stays in
 * *reading. */
void ways_read(struct reading *reading, const struct text *packed);

/* Read so, it is `plain`, by that compression. */
void ways_assert_whole(const struct text *packed, const struct text *plain,
                       const char *compression);
/* Read so, it is a beginning of `plain`, then a sentence with these words. */
void ways_assert_damaged(const struct text *packed, const struct text *plain, const char *says);

#endif
