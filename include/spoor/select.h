/* SPDX-License-Identifier: MIT */
/*
 * select.h: expressions over named fields (`--where`).
 *
 *   expression := or-term { ("or" | "||") or-term }
 *   or-term    := and-term { ("and" | "&&") and-term }
 *   and-term   := ("not" | "!") and-term | "(" expression ")" | test
 *   test       := FIELD                          present, and not zero, empty, "-"
 *                                                (a letter) or -1 (a register)
 *               | FIELD ("=="|"="|"!="|"<"|"<="|">"|">=") VALUE
 *               | FIELD "in" VALUE ".." VALUE     both ends included; either may be omitted
 *               | FIELD "in" "{" VALUE {"," VALUE} "}"
 *               | FIELD "~" PATTERN               shell pattern: * ? [abc]
 *               | FIELD "=~" PATTERN              regular expression of PCRE2 (Perl's syntax),
 *                                                found anywhere in the field
 *               | FIELD "contains" PATTERN        the text is a part of the field
 *   VALUE      := number | word | "string" | 'string'
 *
 * A number is decimal or, after 0x, hexadecimal, and may have a sign.
 *
 * A word ends at a space, at one of ( ) ! = < > ~ { } , " ' & | or at "..".  A value that contains
 * one of these needs quotes.  A pattern without quotes ends at the next space or ")".
 *
 * A field that prints in hexadecimal accepts hexadecimal digits with and without 0x; a flag accepts
 * true and false.  A test on an absent field is false, and so is its "!=": absence is not a value.
 * The same holds for a number with unknown digits.
 *
 * Regular expressions are those of pcre2pattern(3).  '$' matches at the end of the field alone. '.'
 * matches any byte; where the expression is not ASCII, it is UTF-8, and '.' matches a character.
 * Without PCRE2 (spoor_features()), "=~" is refused.
 */
#ifndef SPOOR_SELECT_H
#define SPOOR_SELECT_H

#include "batch.h"

#ifdef __cplusplus
extern "C" {
#endif

struct spoor_select;

/* Compiles an expression.  On failure the error states the column and what was expected (with the
 * nearest field name if one was misspelt).  On SPOOR_OK the caller owns *select. */
enum spoor_status spoor_select_compile(struct spoor_select **select, const char *expression,
                                       struct spoor_error *error);
/* True if record `index` of the batch matches. */
bool spoor_select_match(const struct spoor_select *select, const struct spoor_batch *batch,
                        size_t index);
/* The first of the records `from` .. `to` - 1 that matches, or with `matches` false, that does not;
 * `to`: there is none.  Faster than a match of each record. */
size_t spoor_select_next(const struct spoor_select *select, const struct spoor_batch *batch,
                         size_t from, size_t to, bool matches);
/*
 * SPOOR_OK, or why there is no answer.  A regular expression may take more steps or memory to
 * search a text than spoor allows ("(a+)+$" in many letters a), or memory runs out: that record and
 * all later ones that depend on the expression count as not matching, and this function states it
 * (SPOOR_EUSAGE, SPOOR_ENOMEM).  A tool of the library that is given the expression asks for it
 * after each batch, and fails with its error.  NULL is allowed.
 */
enum spoor_status spoor_select_status(const struct spoor_select *select, struct spoor_error *error);
/* True if the expression uses a field that only images define (SPOOR_FIRST_LOCATED and after). */
bool spoor_select_is_located(const struct spoor_select *select);
/* NULL is allowed. */
void spoor_select_free(struct spoor_select *select);

#ifdef __cplusplus
}
#endif

#endif
