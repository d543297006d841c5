/* SPDX-License-Identifier: MIT */
/* select_pattern.c: shell patterns over bytes, in time proportional to pattern times text. */
#include "query/select_test.h"

/* The end of a "[...]" that begins at `at`, or NULL if it is not closed (then '[' is a literal). */
static const char *select_set_end(const char *at, const char *end)
{
    const char *from = at + 1;
    if (from < end && (*from == '!' || *from == '^')) from++;
    for (const char *c = from; c < end; c++)
        if (*c == ']' && c > from) return c;
    return NULL;
}

/* True if the set from `at` ("[") to `close` ("]") holds a character. */
static bool select_set_holds(const char *at, const char *close, char c)
{
    bool negated = at[1] == '!' || at[1] == '^', found = false;
    for (const char *member = at + 1 + negated; member < close; member++) {
        if (member + 2 < close && member[1] == '-') {
            found |= (unsigned char)member[0] <= (unsigned char)c &&
                     (unsigned char)c <= (unsigned char)member[2];
            member += 2;
        } else {
            found |= *member == c;
        }
    }
    return found != negated;
}

bool select_pattern_fits(struct spoor_slice pattern, struct spoor_slice text)
{
    const char *at = pattern.bytes, *end = pattern.bytes + pattern.size;
    const char *c = text.bytes, *last = text.bytes + text.size;
    const char *star = NULL, *retry = NULL; /* after the last '*', and the end of its text */
    while (c < last) {
        if (at < end && *at == '*') {
            star = ++at;
            retry = c;
            continue;
        }
        const char *close = at < end && *at == '[' ? select_set_end(at, end) : NULL;
        if (close ? select_set_holds(at, close, *c) : at < end && (*at == '?' || *at == *c)) {
            at = close ? close + 1 : at + 1;
            c++;
        } else if (star) {
            at = star;
            c = ++retry;
        } else {
            return false;
        }
    }
    while (at < end && *at == '*') at++;
    return at == end;
}
