/* SPDX-License-Identifier: MIT */
/* privilege.h: the privilege that the mode of a processor names, as RISC-V's logs number it. */
#ifndef SPOOR_ISA_PRIVILEGE_H
#define SPOOR_ISA_PRIVILEGE_H

#include "base/ascii.h"

/* '0' for usr, user, U and EL0, '1' for svc, S and EL1, '2' for hyp and EL2, '3' for M, mach and
 * EL3, the digit for a digit; '\0' if the mode names no privilege.  Letters of either case; what
 * follows a name of several letters (usr_ns, EL1h_n) does not matter. */
static inline char privilege_of_mode(const char *name, size_t size)
{
    static const struct {
        const char *begin;
        size_t size;
        char digit;
    } modes[] = {{"usr", 3, '0'}, {"user", 4, '0'}, {"u", 1, '0'},    {"el0", 3, '0'},
                 {"svc", 3, '1'}, {"s", 1, '1'},    {"el1", 3, '1'},  {"hyp", 3, '2'},
                 {"el2", 3, '2'}, {"m", 1, '3'},    {"mach", 4, '3'}, {"el3", 3, '3'}};
    if (size == 1 && *name >= '0' && *name <= '9') return *name;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if ((modes[i].size > 1 ? size >= modes[i].size : size == 1) &&
            ascii_compare_some(name, modes[i].begin, modes[i].size) == 0)
            return modes[i].digit;
    return '\0';
}

#endif
