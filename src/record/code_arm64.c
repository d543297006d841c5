/* SPDX-License-Identifier: MIT */
/*
 * record/code_arm64.c: the text of A64's atomic instructions, which capstone 4 does not know (Arm
 * Architecture Reference Manual for A-profile, "Compare and swap", "Atomic memory operations").
 */
#include <stdio.h>

#include "record/code.h"

/* "w3", "x3", "wzr"; a base is x0 to x30 or sp. */
static const char *put_name(char name[8], unsigned number, bool wide, bool is_base)
{
    if (number == 31)
        snprintf(name, 8, "%s", is_base ? "sp" : wide ? "xzr" : "wzr");
    else
        snprintf(name, 8, "%c%u", wide ? 'x' : 'w', number);
    return name;
}

bool code_put_atomic(uint32_t opcode, char *text, size_t capacity)
{
    static const char *const operations[] = {"add",  "clr",  "eor",  "set",
                                             "smax", "smin", "umax", "umin"};
    static const char *const sizes[] = {"b", "h", "", ""};
    const unsigned source = opcode >> 16 & 31, base = opcode >> 5 & 31, target = opcode & 31;
    const bool first = opcode >> 22 & 1, second = opcode >> 15 & 1;
    const char *size = sizes[opcode >> 30];
    bool wide = opcode >> 30 == 3;
    char s[8], t[8], n[8], s2[8], t2[8];
    if ((opcode & 0xBFA07C00) == 0x08207C00) { /* pairs of even registers */
        if ((source | target) & 1) return false;
        wide = opcode >> 30 & 1;
        snprintf(text, capacity, "casp%s%s %s, %s, %s, %s, [%s]", first ? "a" : "",
                 second ? "l" : "", put_name(s, source, wide, false),
                 put_name(s2, source + 1, wide, false), put_name(t, target, wide, false),
                 put_name(t2, target + 1, wide, false), put_name(n, base, true, true));
        return true;
    }
    put_name(s, source, wide, false);
    put_name(t, target, wide, false);
    put_name(n, base, true, true);
    if ((opcode & 0x3FA07C00) == 0x08A07C00) {
        snprintf(text, capacity, "cas%s%s%s %s, %s, [%s]", first ? "a" : "", second ? "l" : "",
                 size, s, t, n);
        return true;
    }
    if ((opcode & 0x3F200C00) != 0x38200000) return false;
    const bool acquires = opcode >> 23 & 1, is_swap = (opcode & 0xF000) == 0x8000;
    const char *operation = operations[opcode >> 12 & 7];
    if ((opcode & 0x3FFFFC00) == 0x38BFC000) {
        snprintf(text, capacity, "ldapr%s %s, [%s]", size, t, n);
        return true;
    }
    if (second && !is_swap) return false;
    if (!is_swap && target == 31 && !acquires) { /* the old value is not wanted */
        snprintf(text, capacity, "st%s%s%s %s, [%s]", operation, first ? "l" : "", size, s, n);
        return true;
    }
    snprintf(text, capacity, "%s%s%s%s%s %s, %s, [%s]", is_swap ? "swp" : "ld",
             is_swap ? "" : operation, acquires ? "a" : "", first ? "l" : "", size, s, t, n);
    return true;
}
