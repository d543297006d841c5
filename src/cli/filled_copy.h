/* SPDX-License-Identifier: MIT */
/*
 * filled_copy.h: --code in the verbs that go back in a trace by its index: numbers of records,
 * moments and the index are those of the instructions, so the trace is read once with the code of
 * the image, and what it becomes lies in a temporary .spoor file until the program ends.
 */
#ifndef SPOOR_CLI_FILLED_COPY_H
#define SPOOR_CLI_FILLED_COPY_H

#include "cli/option.h"

/* With --code, puts the path of such a file in the place of each operand.  False: an error has been
 * printed, and *code is set; else *code says whether the traces are damaged. */
bool filled_copy_open(struct settings *settings, int *code);

#endif
