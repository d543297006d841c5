/* SPDX-License-Identifier: MIT */
/*
 * branch.h: one executed branch, as predictors see it: an element of the view of branches (view.h).
 */
#ifndef SPOOR_BRANCH_H
#define SPOOR_BRANCH_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum spoor_branch_type {
    SPOOR_BRANCH_CONDITIONAL = 1 << 0, /* else always taken */
    SPOOR_BRANCH_INDIRECT = 1 << 1,    /* the target comes from a register or memory */
    SPOOR_BRANCH_CALL = 1 << 2,        /* saves a return address */
    SPOOR_BRANCH_RETURN = 1 << 3,      /* jumps to the return address that a call saved */
};
enum spoor_branch_has {
    SPOOR_BRANCH_TAKEN = 1 << 0,
    SPOOR_BRANCH_HAS_TARGET = 1 << 1,
    SPOOR_BRANCH_HAS_FALL = 1 << 2,
    SPOOR_BRANCH_HAS_TYPE = 1 << 3, /* `type` is complete; else bits may be missing */
    SPOOR_BRANCH_HAS_CPU = 1 << 4,
    SPOOR_BRANCH_HAS_CONDITION = 1 << 5, /* without HAS_TYPE: CONDITIONAL is known all the same */
};
/* One executed branch. */
struct spoor_branch {
    uint64_t pc;
    uint64_t target; /* where it goes when taken, HAS_TARGET */
    uint64_t fall;   /* the instruction after it, HAS_FALL */
    uint32_t gap;    /* instructions of its cpu since the previous branch, this one not counted */
    uint16_t cpu;    /* HAS_CPU: a name of the stream (spoor_name) */
    uint8_t type;    /* enum spoor_branch_type */
    uint8_t has;     /* enum spoor_branch_has */
};

#ifdef __cplusplus
}
#endif

#endif
