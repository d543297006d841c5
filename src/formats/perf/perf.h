/* SPDX-License-Identifier: MIT */
/*
 * perf.h: the text that `perf script` prints.
 *
 * The columns of a line are chosen by the user (perf script -F), so a line is first taken apart by
 * its marks: a time ends with a colon, an event's name too, "=>" stands before a target, "insn:"
 * before the bytes of an instruction.  What a part holds is then decided from these.
 *
 *     [comm] [pid/][tid] [[cpu]] [time:] [period] [event:] [flags] [addr] ip [symbol] [(file)]
 *         [=> target [symbol] [(file)]] [insn: bytes] [branch stack]
 */
#ifndef SPOOR_FORMATS_PERF_PERF_H
#define SPOOR_FORMATS_PERF_PERF_H

#include "formats/commit/commit.h"

/* Words of the column of flags. */
enum perf_flag {
    PERF_CALL = 1 << 0,
    PERF_RETURN = 1 << 1,
    PERF_JUMP = 1 << 2,
    PERF_CONDITIONAL = 1 << 3,
    PERF_INTERRUPT = 1 << 4, /* into another level: int, hw int, syscall, vmentry */
    PERF_BACK = 1 << 5,      /* out of it: iret, sysret, vmexit */
    PERF_BEGIN = 1 << 6,     /* tr strt */
    PERF_END = 1 << 7,       /* tr end */
    PERF_ASYNC = 1 << 8,     /* async, tx abrt: left without an instruction */
};

/* A branch of a branch stack. */
struct perf_branch {
    uint64_t from, to;
    uint8_t op; /* enum spoor_flow_op */
};

/* A line that was taken apart.  The parts are in this order; an absent one has size 0. */
struct perf_line {
    struct spoor_slice tid, time, period, event, flags, ip, symbol;
    struct spoor_slice target, target_symbol, bytes, branches;
    struct spoor_slice rest;   /* after the event, where no address was found */
    struct perf_branch newest; /* the first one of `branches` */
    const char *older;         /* where the others begin */
    uint32_t flag;             /* enum perf_flag */
    bool arrow;                /* there is a target */
};

/* Makes all parts absent: one by one, because compilers clear a struct of this size by `rep stos`,
 * with which `info` of short lines takes 3 % longer. */
static inline void perf_clear(struct perf_line *line)
{
    const struct spoor_slice none = {NULL, 0};
    line->tid = line->time = line->period = line->event = line->flags = none;
    line->ip = line->symbol = line->target = line->target_symbol = none;
    line->bytes = line->branches = line->rest = none;
    line->flag = 0;
    line->arrow = false;
}

/* Takes a line apart.  False: neither a time nor an address was found, or the address and what
 * follows it is wrong; *at is where. */
bool perf_split(const char *begin, const char *end, struct perf_line *line, const char **at);

/* Reads the next branch of a stack and advances *at; false at the end, or at something else. */
bool perf_branch_next(const char **at, const char *end, struct perf_branch *branch);

#endif
