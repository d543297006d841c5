/* SPDX-License-Identifier: MIT */
/* uop.h: what the rules about micro-ops share. */
#ifndef SPOOR_CHECK_UOP_H
#define SPOOR_CHECK_UOP_H

#include "check/rule.h"

enum {
    UOP_LONGEST = 15,       /* bytes of an instruction, x86 */
    UOP_LAST_REGISTER = 49, /* the course numbers the flags 49 */
};

/* What the micro-op before left behind.  A line that could not be read is a seam: forget. */
struct uop_before {
    bool known;
    int32_t step;
    uint64_t pc, fall;
    uint64_t next; /* where the macro-op goes on: a taken target, else the fall-through */
    spoor_name macro;
};

/* The pass of all these rules; `state` is a struct uop_before. */
rule_pass uop_pass;

#endif
