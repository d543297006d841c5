/* SPDX-License-Identifier: MIT */
/*
 * select.h: expressions over named fields (`--where`).
 *
 *   expression := or-term { ("or" | "||") or-term }
 *   or-term    := and-term { ("and" | "&&") and-term }
 *   and-term   := ("not" | "!") and-term | "(" expression ")" | test
 *   test       := FIELD                          the record has it, and it is not zero, empty, "-"
 *                                                (a letter) or -1 (a register)
 *               | FIELD ("=="|"="|"!="|"<"|"<="|">"|">=") VALUE
 *               | FIELD "in" VALUE ".." VALUE     both ends included; either may be left out
 *               | FIELD "in" "{" VALUE {"," VALUE} "}"
 *               | FIELD "~" PATTERN               shell pattern: * ? [abc]
 *   VALUE      := number (decimal, or 0x hexadecimal, signed) | word | "string" | 'string'
 *
 * A word ends at a space, at one of ( ) ! = < > ~ { } , " ' & | or at "..": anything else needs
 * quotes.  A pattern without quotes runs to the next space or ")".
 *
 * A field that prints in hexadecimal takes bare hexadecimal digits as well as 0x; a flag takes true
 * and false.  A test on an absent field is false, and so is its "!=": absence is not a value, and
 * neither is a number with unknown digits.
 */
#ifndef SPOOR_SELECT_H
#define SPOOR_SELECT_H

#include "batch.h"

struct spoor_select;

/* Compile; on failure the error says at which column and what was expected (with the nearest field
 * name where one was misspelt).  The caller frees *select. */
enum spoor_status spoor_select_compile(struct spoor_select **select, const char *expression,
                                       struct spoor_error *error);
bool spoor_select_match(const struct spoor_select *select, const struct spoor_batch *batch,
                        size_t index);
void spoor_select_free(struct spoor_select *select);

#endif
