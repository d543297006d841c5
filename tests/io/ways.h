/* SPDX-License-Identifier: MIT */
/* ways.h: every way of reading a compressed trace gives the same trace. */
#ifndef TESTS_INPUT_WAYS_H
#define TESTS_INPUT_WAYS_H

#include "toy.h"

/* Reads the packed bytes from a file and from a pipe, with one thread and with several, and fails
 * the test unless all give the same bytes and messages.  The thread sanitizer reads the file with
 * one thread, and both with four.  *reading holds the result of one thread on the file. */
void ways_read(struct reader_output *reading, const struct text *packed);

/* As ways_read(), and the result must be `plain`, by that compression. */
void ways_assert_whole(const struct text *packed, const struct text *plain,
                       const char *compression);
/* As ways_read(), and the result must be a beginning of `plain`, then a message with these words.
 */
void ways_assert_damaged(const struct text *packed, const struct text *plain, const char *says);

#endif
