/* SPDX-License-Identifier: MIT */
/* regex_size.h: the size of a regular expression once it is compiled. */
#ifndef SPOOR_BASE_REGEX_SIZE_H
#define SPOOR_BASE_REGEX_SIZE_H

#include <stdbool.h>

/* The maximum of an expression. */
enum { REGEX_STATES = 4096, REGEX_LOOPED = 128, REGEX_DEPTH = 64 };
/* What is expected of one that exceeds it; regex_size.c compares its numbers with the maximum. */
#define REGEX_MODERATE                                                                          \
    "a regular expression of at most 4096 characters with its repetitions written out, 128 of " \
    "them optional in what is repeated without limit, and 64 groups deep"

/* True if a POSIX extended regular expression has at most REGEX_STATES characters and groups when
 * its repetitions are written out, at most REGEX_LOOPED of them optional within a '*', a '+' or a
 * "{2,}", and groups at most REGEX_DEPTH deep.  regcomp() of glibc writes repetitions out ("a+" is
 * "aa*", "a{2,3}" is "aaa?") and calls itself for each group: 50 times '+' would take all memory of
 * a machine, and a million '(' its stack.  Its time grows with about the third power of the
 * optional states within a loop, which can be passed without a character: "a??++++++++++" takes 16
 * seconds, and the maximum 0.1 seconds. */
bool regex_is_moderate(const char *expression);

#endif
