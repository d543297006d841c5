/* SPDX-License-Identifier: MIT */
/* mode_role.c: which registers may have a role. */
#include "isa/mode_role.h"

#include <stddef.h>
#include <string.h>

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static bool is_one_of(const char *name, const char *const names[])
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
        if (strcmp(word, words[role]) == 0) return (enum mode_role)role;
    return NO_ROLE;
}

bool mode_role_fits(const char *name, enum mode_role role)
{
    static const char *const stacks[] = {"sp", "wsp", "rsp", NULL};
    static const char *const links[] = {"x30", "c30", NULL};
    static const char *const frames[] = {"x29", "r11", "fp", NULL};
    static const char *const flags[] = {"cpsr", "nzcv", "xpsr", "psr", "flags", "apsr", NULL};
    switch (role) {
    case ROLE_SP: /* the limits of stacks are no stack pointers */
        return is_one_of(name, stacks) || begins(name, "sp_el") || begins(name, "r13") ||
               ((begins(name, "msp") || begins(name, "psp")) && !begins(name + 3, "lim")) ||
               begins(name, "csp");
    case ROLE_LR: return is_one_of(name, links) || begins(name, "r14") || begins(name, "lr");
    case ROLE_FP: return is_one_of(name, frames);
    case ROLE_FLAG: return is_one_of(name, flags);
    case NO_ROLE: break;
    }
    return false;
}
