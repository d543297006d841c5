/* SPDX-License-Identifier: MIT */
/*
 * record/access.h: from the accesses that QEMU makes to those that the instruction makes.
 *
 * QEMU loads 16 bytes as two halves, emulates a store-conditional by comparing and exchanging, and
 * reports an atomic update as a single store where several threads run.
 */
#ifndef SPOOR_RECORD_ACCESS_H
#define SPOOR_RECORD_ACCESS_H

#include "record/guest.h"
#include "record/step.h"

enum { ACCESSES_ADDED_MOST = 1 }; /* room that the caller leaves behind them */
/* Put an instruction's accesses right in place; returns how many there are then.  An update of
 * memory is a load followed by a store of the same bytes. */
size_t accesses_tidy(enum machine_id machine, const struct instruction *instruction,
                     struct access *accesses, size_t count);

/* Join in place what lies side by side and goes the same way: an x86 instruction makes one access
 * of it.  Data is not kept.  Returns how many there are then. */
size_t accesses_join(struct access *accesses, size_t count);

#endif
