/* SPDX-License-Identifier: MIT */
/* mode_role.h: which registers may be the stack pointer, the link register, the frame pointer
 * or the flags, in one mode or another. */
#ifndef SPOOR_ISA_MODE_ROLE_H
#define SPOOR_ISA_MODE_ROLE_H

#include <stdbool.h>

#include "isa/register.h"

enum mode_role { NO_ROLE, ROLE_SP, ROLE_LR, ROLE_FP, ROLE_FLAG };

/* The role of "sp", "lr", "fp" and "flags" in any letter case, or NO_ROLE. */
enum mode_role mode_role_named(const char *word);
/* True if a register of this name, in lower case, may have the role in an instruction set: UNKNOWN
 * is that of x86, or any; `thumb`: T32 of AArch32, whose frame pointer is r7. */
bool mode_role_fits(const char *name, enum mode_role role, enum isa isa, bool thumb);

#endif
