/* SPDX-License-Identifier: MIT */
/*
 * check.h: check a trace against its format's rules and against its own invariants.
 *
 * A rule has a name, states what it demands and examines the records of certain kinds, in order.
 * Each finding is passed to a callback at once, so memory stays bounded.
 */
#ifndef SPOOR_CHECK_H
#define SPOOR_CHECK_H

#include "batch.h"

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
/* A check of one trace, with the default rules enabled; NULL if memory runs out.  The caller frees
 * it. */
struct spoor_check *spoor_check_new(spoor_finding_sink *sink, void *context);
void spoor_check_enable(struct spoor_check *check, int rule, bool on);
/* Passes only the first `maximum` findings of each rule to the sink (0: all, the default); the
 * others are counted, but their text is not formatted. */
void spoor_check_limit(struct spoor_check *check, uint64_t maximum);
enum spoor_status spoor_check_feed(struct spoor_check *check, const struct spoor_batch *batch,
                                   struct spoor_error *error);
/* Findings of a rule so far. */
uint64_t spoor_check_count(const struct spoor_check *check, int rule);
void spoor_check_free(struct spoor_check *check);

#ifdef __cplusplus
}
#endif

#endif
