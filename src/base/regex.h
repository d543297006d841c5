/* SPDX-License-Identifier: MIT */
/* regex.h: regular expressions, in the syntax of Perl, by PCRE2 (pcre2pattern(3)). */
#ifndef SPOOR_BASE_REGEX_H
#define SPOOR_BASE_REGEX_H

#include <stdbool.h>
#include <stddef.h>

struct regex;

enum { REGEX_REASON = 256 };

/* A text is one line: '.' matches each of its bytes, and '$' its end alone.  An expression with
 * other characters than those of ASCII is UTF-8: '.' then matches a character, and no byte that is
 * part of none.  NULL: `reason` says what was expected instead; "": memory ran out. */
struct regex *regex_new(const char *expression, size_t size, char reason[REGEX_REASON]);
/*
 * True if a part of the text that begins at byte `from` or after it matches: *begin and *end are
 * those of the first such part.  Both pointers may be NULL.  Any thread may call it.
 *
 * A search that takes more steps or memory than allowed has no answer.  It returns false, and so
 * does every later search, at once; regex_failed() tells.
 */
bool regex_find(struct regex *regex, const char *text, size_t size, size_t from, size_t *begin,
                size_t *end);
/* True if a search had no answer; `reason` says what was expected; "": memory ran out. */
bool regex_failed(const struct regex *regex, char reason[REGEX_REASON]);
/* It is one of so many that are searched for: each takes that part of the steps. */
void regex_share(struct regex *regex, size_t count);
void regex_free(struct regex *regex); /* NULL is allowed */

#endif
