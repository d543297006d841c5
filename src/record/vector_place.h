/* SPDX-License-Identifier: MIT */
/*
 * record/vector_place.h: where this QEMU keeps the guest's vector registers.
 *
 * They lie in the structure whose beginning has the general registers (plugin.c), but how far from
 * it depends on the version of QEMU.  So a program of some 300 instructions that fills them with
 * a pattern runs first, and the plugin searches for the pattern.  The plugin API can read registers
 * from QEMU 9.0 on alone.
 *
 * FPSR and FPCR are in several parts of that structure: the flags of an operation are where QEMU's
 * own arithmetic has them.  The program goes on to set one bit after another (enum float_step), and
 * the plugin takes the places that change as they do.  At FLOAT_CHECK and FLOAT_HALF the program
 * reads FPSR, which must be what these places say.
 */
#ifndef SPOOR_RECORD_VECTOR_PLACE_H
#define SPOOR_RECORD_VECTOR_PLACE_H

#include "record/events.h"
#include "record/guest.h"

/* Runs the program in the QEMU of `guest`, AArch64 or Arm; `mask` is its signal mask.  Writes
 * `place` and `float_place` of `events`; an offset of 0: the place was not found, as with a
 * processor model that has no vectors. */
void vector_place_find(struct events *events, const struct guest *guest,
                       const struct guest_options *options, const sigset_t *mask);

#endif
