/* SPDX-License-Identifier: MIT */
/* regex_size.h: the size of a regular expression once it is compiled. */
#ifndef SPOOR_BASE_REGEX_SIZE_H
#define SPOOR_BASE_REGEX_SIZE_H

#include <stdbool.h>

/* The maximum of an expression. */
enum { REGEX_STATES = 4096, REGEX_DEPTH = 64 };
/* What is expected of one that exceeds it; regex_size.c compares its numbers with the maximum. */
#define REGEX_MODERATE                                                                      \
    "a regular expression of at most 4096 characters with its repetitions written out, 64 " \
    "groups deep, with few optional parts in what is repeated"

/* True if regcomp() of glibc can compile a POSIX extended regular expression in moderate time and
 * memory.  It has at most REGEX_STATES characters and groups when its repetitions are written out,
 * as regcomp() does ("a+" is "aa*", "a{2,3}" is "aaa?"): 50 times '+' would take all memory of a
 * machine.  Groups are at most REGEX_DEPTH deep, because regcomp() calls itself for each: a million
 * '(' would take its stack.  And loops that can be passed without a character have few states: its
 * time grows with about their third power ("a??++++++++++" takes 16 seconds), and with the number
 * of ways to reach them without a character. */
bool regex_is_moderate(const char *expression);

#endif
