/* SPDX-License-Identifier: MIT */
/* record/code.h: the text of an instruction of any processor, by its bytes. */
#ifndef SPOOR_RECORD_CODE_H
#define SPOOR_RECORD_CODE_H

#include "spoor/annotate.h"

struct code_reader;
/* NULL if memory runs out.  Capstone is loaded for the first instruction; where it is not
 * installed, only those of RISC-V have a text. */
struct code_reader *code_reader_open(void);
void code_reader_close(struct code_reader *reader);
/* A spoor_disassemble, whose context is the reader. */
spoor_disassemble code_reader_put;

#endif
