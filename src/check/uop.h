/* SPDX-License-Identifier: MIT */
/* uop.h: the state that the rules about micro-ops share. */
#ifndef SPOOR_CHECK_UOP_H
#define SPOOR_CHECK_UOP_H

#include "check/rule.h"

enum {
    UOP_LONGEST = 15,       /* maximum size of an x86 instruction in bytes */
    UOP_LAST_REGISTER = 49, /* the course numbers the flags 49 */
};

/* The previous micro-op.  A line that could not be decoded clears `known`. */
struct uop_before {
    bool known;
    int32_t step;
    uint64_t pc, fall;
    uint64_t next; /* the pc after the macro-op: a taken target, else the fall-through */
    spoor_name macro;
};

/* The pass of all these rules; `state` is a struct uop_before. */
rule_pass uop_pass;

#endif
