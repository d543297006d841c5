/* SPDX-License-Identifier: MIT */
/*
 * target.h: the registers that GDB expects for each architecture, and the trace's registers for
 * them.
 *
 * GDB numbers registers in the order of the target description.  (Debugging with GDB, appendix
 * "Target Descriptions", "Standard Target Features".)
 */
#ifndef SPOOR_DEBUG_TARGET_H
#define SPOOR_DEBUG_TARGET_H

#include "base/text.h"
#include "spoor/explore.h"

enum target_architecture { TARGET_AARCH64, TARGET_ARM, TARGET_ARM_M, TARGET_RISCV, TARGET_X86_64 };

struct target_register {
    char name[12];       /* GDB's name */
    uint16_t bits;       /* a multiple of 8 */
    bool is_pc;          /* the address of the next instruction, not a register of the trace */
    const char *type;    /* in the description; NULL: an integer of its width */
    const char *feature; /* name of the feature that begins with this register; else NULL */
};

enum { TARGET_REGISTERS = 96 /* maximum */ };
struct target {
    enum target_architecture architecture;
    unsigned count;
    struct target_register registers[TARGET_REGISTERS];
    unsigned status;          /* AArch32: number of CPSR or xPSR; else TARGET_REGISTERS */
    uint8_t address_bytes;    /* 4 or 8 */
    bool stops_before_access; /* GDB expects a watchpoint to stop before the access */
};

/* Chooses the target of a trace.  `wide`: its addresses need more than 32 bits.  False: its
 * instruction set is unknown. */
bool target_choose(struct target *target, struct spoor_explorer *explorer, bool is_micro_ops,
                   bool wide);
/* Appends the description as XML. */
void target_describe(const struct target *target, struct text *out);
/* Finds the value of a register in a state; false: the trace does not have it.  A banked register is
 * the copy of the mode at a moment: that of the state, or after the instruction that comes next. */
bool target_value(const struct target *target, unsigned number, struct spoor_explorer *explorer,
                  const struct spoor_state *state, uint64_t moment, unsigned cpu,
                  struct spoor_register_value *value);

#endif
