/* SPDX-License-Identifier: MIT */
/*
 * rule.h: what a rule of `check` is.
 *
 * A rule is one constant struct in the file of its family, plus its name in rules.def.  It says
 * which records it is about (by kind and presence bits, never by format) and looks at them one by
 * one, in order, with a memory of its own.
 */
#ifndef SPOOR_CHECK_RULE_H
#define SPOOR_CHECK_RULE_H

#include "spoor/check.h"

/* Where findings go. */
struct findings {
    spoor_finding_sink *sink;
    void *context;
    uint64_t maximum;             /* findings of a rule that are reported; 0: all */
    struct spoor_finding finding; /* being made */
};

/* One record, as one rule sees it. */
struct context {
    struct findings *findings;
    const struct rule *rule;
    uint64_t *count; /* findings of the rule so far */
    const struct spoor_batch *batch;
    const struct spoor_record *record; /* &batch->records[index] */
    size_t index;
    void *state; /* the rule's memory, zero at the start of the trace */
};

/* How far records from `from` on are surely without a finding: returns the index of the first that
 * is not, or that is of no kind of the rules', and leaves in `state` what looking at all those
 * before it would have left.  It passes no record with a presence bit that some rule looks for. */
typedef size_t rule_pass(const struct spoor_batch *batch, size_t from, void *state);

struct rule {
    struct spoor_rule_info info;
    uint32_t kinds;                        /* KIND(...) bits: what it looks at */
    uint16_t has;                          /* enum spoor_has: and only where all of these are set */
    void (*feed)(struct context *context); /* look at one record */
    void (*end)(struct context *context);  /* or NULL: the trace has ended with this record */
    rule_pass *pass;   /* of a family of rules, whose memories are alike: passes over
                        * runs of records that none of them finds anything in.  May
                        * be NULL */
    size_t state_size; /* bytes of memory */
    bool per_cpu;      /* a memory for each cpu instead of one */
};

#define KIND(name) (UINT32_C(1) << SPOOR_##name)
#define KINDS_ALL ((UINT32_C(1) << SPOOR_KINDS) - 1)

/* A finding is two statements: what is there, then what should be there, which counts it and hands
 * it on. */
void context_found(struct context *context, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void context_expected(struct context *context, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Where in the record, before the two: see struct spoor_finding. */
void context_column(struct context *context, uint32_t column);

/* For tests: from here on show every record to every rule about it. */
void check_without_passes(struct spoor_check *check);

/* Text of a name in the trace's table. */
const char *context_name(const struct context *context, spoor_name name);

#endif
