/* SPDX-License-Identifier: MIT */
/*
 * record/vector_place.h: where this QEMU keeps the guest's vector registers.
 *
 * They lie in the structure whose beginning has the general registers (plugin.c), but how far from
 * it depends on the version of QEMU.  So a program of some forty instructions that fills them with
 * a pattern runs first, and the plugin searches for the pattern.  The plugin API can read registers
 * from QEMU 9.0 on alone.
 */
#ifndef SPOOR_RECORD_VECTOR_PLACE_H
#define SPOOR_RECORD_VECTOR_PLACE_H

#include "record/events.h"
#include "record/guest.h"

/* Runs the program in the QEMU of `guest`, AArch64 or Arm; `mask` is its signal mask.  offset 0:
 * the place was not found, as with a processor model that has no vectors. */
struct vector_place vector_place_find(const struct guest *guest,
                                      const struct guest_options *options, const sigset_t *mask);

#endif
