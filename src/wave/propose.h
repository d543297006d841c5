/* SPDX-License-Identifier: MIT */
/*
 * wave/propose.h: a mapping of a waveform that no mapping is known for.
 *
 * What the program did tells which signals are which: a pc and an opcode of RISC-V belong together
 * where each instruction leads to the next one, and a signal says that one retires if that is so
 * whenever it is 1.  The value that an instruction writes is known from some opcodes alone (lui,
 * auipc, jal, jalr, addi from x0): the port of the register file is where these values are.
 */
#ifndef SPOOR_WAVE_PROPOSE_H
#define SPOOR_WAVE_PROPOSE_H

#include "base/text.h"
#include "wave/wave.h"

/* Appends the lines of a mapping, after comments that say what it rests on.  *share: of the steps
 * from one instruction to the next one, those that the opcodes allow, 0 to 1.  Reads the beginning,
 * some thousand edges of the clock.  SPOOR_EINPUT: no such signals were found, or, with the
 * lines, what was read is damaged in places. */
enum spoor_status wave_propose(enum wave_kind kind, const struct wave_input *input,
                               struct text *out, double *share, struct spoor_error *error);

#endif
