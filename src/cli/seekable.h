/* SPDX-License-Identifier: MIT */
/*
 * seekable.h: a pipe among the operands is copied to a temporary file, for the verbs that go back
 * in a trace (struct verb, `seeks`).
 *
 * The copy lies in $TMPDIR, or in /tmp, has no name there where the system can open it without, and
 * is gone when the program ends.
 */
#ifndef SPOOR_CLI_SEEKABLE_H
#define SPOOR_CLI_SEEKABLE_H

#include "cli/option.h"

/* Puts the path of a copy in the place of each operand that is a pipe or standard input.  False: an
 * error has been printed. */
bool seekable_open(struct settings *settings);
#endif
