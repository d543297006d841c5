/* SPDX-License-Identifier: MIT */
/*
 * check.h: check a trace against its format's rules and against its own invariants.
 *
 * A rule has a name, states what it demands and examines the records of certain kinds, in order.
 * Each finding is passed to a callback at once, so memory stays bounded.
 *
 *     const struct spoor_check_options options = {.struct_size = sizeof options, .sink = print};
 *     spoor_check_new(&check, &options, &error);
 *     for each batch, in order: spoor_check_feed(check, batch, &error);
 *     spoor_check_end(check, &error);
 *     spoor_check_report(check, result);
 *     spoor_check_free(check);
 */
#ifndef SPOOR_CHECK_H
#define SPOOR_CHECK_H

#include "batch.h"
#include "result.h"

#ifdef __cplusplus
extern "C" {
#endif

enum spoor_severity {
    SPOOR_SEVERITY_NOTE,    /* unusual, harmless */
    SPOOR_SEVERITY_WARNING, /* suspicious: occurs in valid traces where they were cut or
                             * concatenated */
    SPOOR_SEVERITY_ERROR,   /* violates the format's document or the machine's own logic */
};

struct spoor_rule_info {
    const char *name;   /* "uop-next-pc" */
    const char *demand; /* one line: what must hold */
    const char *source; /* the document or fact that it follows from */
    enum spoor_severity severity;
    bool on; /* enabled by default */
};

/* The number of rules, and one of them by index, from 0. */
size_t spoor_rule_count(void);
const struct spoor_rule_info *spoor_rule_at(size_t index);
/* Index of the rule of that name, or -1. */
int spoor_rule_find(const char *name);

struct spoor_finding {
    const struct spoor_rule_info *rule;
    uint64_t record;                /* ordinal in the trace, from 0 */
    uint64_t line;                  /* text: from 1; 0 for binary */
    uint64_t offset;                /* binary: byte offset */
    uint32_t column;                /* 1-based; 0: the whole record */
    char found[200], expected[200]; /* NUL-terminated, cut with "..." */
};
typedef void spoor_finding_sink(void *context, const struct spoor_finding *finding);

struct spoor_check;
struct spoor_check_options {
    size_t struct_size;       /* sizeof this struct */
    spoor_finding_sink *sink; /* NULL: findings are only counted */
    void *context;            /* of the sink */
    uint64_t maximum;         /* pass only this many findings of each rule to the sink; 0: all.
                               * The others are counted, but their text is not formatted */
};

/* On SPOOR_OK the caller owns *check: a check of one trace, with the default rules enabled. */
enum spoor_status spoor_check_new(struct spoor_check **check,
                                  const struct spoor_check_options *options,
                                  struct spoor_error *error);
/* Enables or disables a rule, by index. */
void spoor_check_enable(struct spoor_check *check, int rule, bool on);
enum spoor_status spoor_check_feed(struct spoor_check *check, const struct spoor_batch *batch,
                                   struct spoor_error *error);
/* The trace ends.  (Rules about the end apply to the batch that is marked as the last.) */
enum spoor_status spoor_check_end(struct spoor_check *check, struct spoor_error *error);
/* Adds to an object: `rules`, an array of `rule` and `findings`, of the rules that found any. */
enum spoor_status spoor_check_report(const struct spoor_check *check, struct spoor_result *result);

/* The number of records so far, without notes, as `spoor info` counts them. */
uint64_t spoor_check_records(const struct spoor_check *check);
/* Findings of a rule so far. */
uint64_t spoor_check_count(const struct spoor_check *check, int rule);
void spoor_check_free(struct spoor_check *check);

#ifdef __cplusplus
}
#endif

#endif
