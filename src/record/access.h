/* SPDX-License-Identifier: MIT */
/*
 * record/access.h: convert the accesses that QEMU makes to those that the instruction makes.
 *
 * QEMU loads 16 bytes as two halves, emulates a store-conditional by comparing and exchanging, and
 * reports an atomic update as a single store if several threads run.
 */
#ifndef SPOOR_RECORD_ACCESS_H
#define SPOOR_RECORD_ACCESS_H

#include "record/executed.h"
#include "record/guest.h"

enum { MAX_ACCESSES_ADDED = 1 }; /* capacity that the caller provides after them */
/* Correct an instruction's accesses in place; returns their new number.  An update of memory is a
 * load followed by a store of the same bytes. */
size_t accesses_tidy(enum machine_id machine, const struct instruction *instruction,
                     struct access *accesses, size_t count);

/* Merges adjacent accesses of the same direction in place, because an x86 instruction makes one
 * access of them.  Data is not kept.  Returns their new number. */
size_t accesses_join(struct access *accesses, size_t count);

#endif
