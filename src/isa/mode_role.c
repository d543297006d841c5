/* SPDX-License-Identifier: MIT */
/* mode_role.c: which registers may have a role. */
#include "isa/mode_role.h"

#include <stddef.h>
#include <string.h>

#include "base/ascii.h"

static bool mode_role_lists(const char *name, const char *const names[])
{
    for (size_t i = 0; names[i]; i++)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}

enum mode_role mode_role_named(const char *word)
{
    static const char *const words[] = {
        [ROLE_SP] = "sp", [ROLE_LR] = "lr", [ROLE_FP] = "fp", [ROLE_FLAG] = "flags"};
    for (unsigned role = ROLE_SP; role <= ROLE_FLAG; role++)
        if (ascii_compare(word, words[role]) == 0) return (enum mode_role)role;
    return NO_ROLE;
}

/* The procedure call standards name the frame pointer; that of T32 is what compilers use there. */
static bool mode_role_frame(const char *name, enum isa isa, bool thumb)
{
    static const char *const a64[] = {"x29", "c29", "fp", NULL};
    static const char *const a32[] = {"r11", "r11_usr", "r11_fiq", "fp", NULL};
    static const char *const t32[] = {"r7", NULL};
    static const char *const any[] = {"x29", "r11", "rbp", "fp", NULL};
    switch (isa) {
    case ISA_AARCH64: return mode_role_lists(name, a64);
    case ISA_AARCH32: return mode_role_lists(name, thumb ? t32 : a32);
    default: return mode_role_lists(name, any);
    }
}

bool mode_role_fits(const char *name, enum mode_role role, enum isa isa, bool thumb)
{
    static const char *const stacks[] = {"sp", "wsp", "rsp", NULL};
    static const char *const links[] = {"x30", "c30", NULL};
    static const char *const flags[] = {"cpsr",  "nzcv", "xpsr",   "psr",
                                        "flags", "apsr", "rflags", NULL};
    if (isa == ISA_RISCV) {
        static const char *const names[][4] = {
            [ROLE_SP] = {"x2", "sp"}, [ROLE_LR] = {"x1", "ra"}, [ROLE_FP] = {"x8", "s0", "fp"}};
        return role != NO_ROLE && role <= ROLE_FP && mode_role_lists(name, names[role]);
    }
    switch (role) {
    case ROLE_SP: /* the limits of stacks are no stack pointers */
        return mode_role_lists(name, stacks) || ascii_begins(name, "sp_el") ||
               ascii_begins(name, "r13") ||
               ((ascii_begins(name, "msp") || ascii_begins(name, "psp")) &&
                !ascii_begins(name + 3, "lim")) ||
               ascii_begins(name, "csp");
    case ROLE_LR:
        return mode_role_lists(name, links) || ascii_begins(name, "r14") ||
               ascii_begins(name, "lr");
    case ROLE_FP: return mode_role_frame(name, isa, thumb);
    case ROLE_FLAG: return mode_role_lists(name, flags);
    case NO_ROLE: break;
    }
    return false;
}
