/* SPDX-License-Identifier: MIT */
/*
 * rule.h: the interface of a rule of `check`.
 *
 * A rule is one constant struct in the file of its family, and its name in rules.def.  It states
 * which records it examines (by kind and presence bits; by format only where two documents give one
 * letter two meanings), gets them in order, and has a state of its own.  It is called once for each
 * block of records: EXAMINE_BLOCK() makes the loop over the records of a block from the function
 * that examines one.
 */
#ifndef SPOOR_CHECK_RULE_H
#define SPOOR_CHECK_RULE_H

#include "base/inline.h"
#include "spoor/check.h"

/*
 * ---- findings of a block of records ----
 *
 * The rules examine a block one after another, so their findings come by rule.  They are passed to
 * the sink by record, and those of a record in the order of the rules.
 */

/* Records are examined in blocks, so that they stay in the cache from rule to rule. */
enum { BLOCK_RECORDS = 256, BLOCK_WORDS = BLOCK_RECORDS / 64 };

struct pending_finding {
    struct spoor_finding finding;
    uint32_t next; /* 1 + the index of the next finding of the record; 0: none */
};

struct findings {
    spoor_finding_sink *sink;
    void *context;
    uint64_t maximum;             /* findings of a rule that are reported; 0: all */
    struct spoor_finding finding; /* being made */
    bool placed;                  /* its place is stated: that of an earlier record */
    bool out_of_memory;
    struct pending_finding *pending; /* those of the block */
    size_t count, capacity;
    uint32_t first[BLOCK_RECORDS],
        last[BLOCK_RECORDS]; /* 1 + the indices of a record's findings; 0: none */
};

/* Passes the findings of the block to the sink, and forgets them. */
void findings_deliver(struct findings *findings);

/* ---- rules ---- */

/* Hashes of the disassemblies of a block, which several rules compare. */
struct texts {
    uint64_t known[BLOCK_WORDS]; /* bit i: that of record i is there */
    uint64_t hashes[BLOCK_RECORDS];
};

/* One record, as one rule sees it. */
struct context {
    struct findings *findings;
    const struct rule *rule;
    uint64_t *count; /* findings of the rule so far */
    const struct spoor_batch *batch;
    const struct spoor_record *record; /* &batch->records[index] */
    size_t index;
    void *state;              /* the rule's state, zero at the start of the trace; at the start of a
                               * block that of the first cpu */
    bool finished;            /* set by the rule: it examines no more records */
    size_t first;             /* index of the block's first record */
    const uint64_t *examined; /* bit i: the rule examines record first + i */
    uint64_t (*of_kind)[BLOCK_WORDS]; /* by kind, bit i: record first + i is of it */
    const uint64_t *spelled;          /* as in struct classes */
    uint64_t events; /* bit i: an event of operation i occurred, up to the record after the block */
    bool one_cpu;    /* INSN, REG and MEM records of the block are all of this processor: */
    spoor_name cpu;
    struct texts *texts;
};

/* Skips records from `from` on that have no finding under any of the pass's rules.  Returns the
 * index of the first record that may have one or that is of another kind, and updates `state` and
 * `own` as the rules would have done for the skipped records.  It never skips a record with a
 * presence bit that some rule requires.  `own` is the state of the rule with an own state; NULL: it
 * is off. */
typedef size_t rule_pass(const struct spoor_batch *batch, size_t from, void *state, void *own);

struct rule {
    struct spoor_rule_info info;
    uint32_t kinds; /* KIND(...) bits of the records it examines */
    uint16_t has;   /* enum spoor_has: it examines only records with all of
                     * these */
    uint64_t after; /* EVENT(...) bits: it examines no block before one with such an event, or with
                     * one right after it; 0: it examines all */
    bool (*examines)(uint8_t kind, uint16_t has); /* and of these it examines those for which it is
                                                   * true; NULL: all */
    void (*feed)(struct context *context);        /* examines the records of a block */
    void (*end)(struct context *context); /* called at the end of the trace, with the last record;
                                           * or NULL */
    rule_pass *pass;   /* for a family of rules that share the layout of their state: skips runs of
                        * records without findings.  May be NULL */
    size_t state_size; /* bytes of state */
    bool per_cpu;      /* one state for each cpu instead of one for the trace */
    bool own_state;    /* of the rules of a pass: the state is not that of the others */
};

#define KIND(name) (UINT32_C(1) << SPOOR_##name)
#define EVENT(name) (UINT64_C(1) << SPOOR_EVENT_##name)
#define KINDS_ALL ((UINT32_C(1) << SPOOR_KINDS) - 1)

/* Calls the function for each record of the block that the rule examines; `per_cpu` as in the rule,
 * a constant. */
static FORCE_INLINE void examine_block(struct context *context, bool per_cpu,
                                       void (*examine)(struct context *context))
{
    const struct spoor_record *records = context->batch->records + context->first;
    char *const states = context->state;
    const size_t first = context->first, state_size = context->rule->state_size;
    const uint64_t *const examined = context->examined;
    for (size_t word = 0; word < BLOCK_WORDS; word++)
        for (uint64_t bits = examined[word]; bits; bits &= bits - 1) {
            const size_t at = word * 64 + (size_t)__builtin_ctzll(bits);
            context->record = records + at;
            context->index = first + at;
            if (per_cpu) context->state = states + records[at].cpu * state_size;
            examine(context);
            if (context->finished) return;
        }
}
/* Defines NAME_block(), a rule's `feed`, from NAME(), which examines one record. */
#define EXAMINE_BLOCK(name)                           \
    static void name##_block(struct context *context) \
    {                                                 \
        examine_block(context, false, name);          \
    }
/* The same of a rule that follows each cpu. */
#define EXAMINE_BLOCK_PER_CPU(name)                   \
    static void name##_block(struct context *context) \
    {                                                 \
        examine_block(context, true, name);           \
    }

/* A finding takes two calls: the first states what was found, the second what was expected.  The
 * second counts the finding and adds it to those of the block.  A column in the record stands in
 * findings->finding before them. */
void context_found(struct context *context, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void context_expected(struct context *context, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The place of a record, for a finding that a later one shows. */
struct record_place {
    uint64_t record, line, offset;
};
struct record_place context_place(const struct context *context);
/* The finding that is made next is about an earlier record.  Before the two calls. */
void context_at(struct context *context, const struct record_place *place);

/* A cache of names, or of spellings, that need no examination again. */
enum { CACHED_NAMES = 256 };
struct name_cache {
    spoor_name names[CACHED_NAMES];
};
static inline bool name_is_cached(const struct name_cache *cache, spoor_name name)
{
    return name != SPOOR_NO_NAME && cache->names[name % CACHED_NAMES] == name;
}
static inline void name_put(struct name_cache *cache, spoor_name name)
{
    cache->names[name % CACHED_NAMES] = name;
}

static inline bool ends_stages(const struct context *context)
{
    return (context->events >> SPOOR_EVENT_STAGE & 1) &&
           spoor_record_ends_stages(context->batch, context->index);
}

/* For tests: from now on, pass every record to every rule about it. */
void check_without_passes(struct spoor_check *check);

/* Returns hashes of the disassemblies of the INSN records that the rule examines, by record of the
 * block; 0: there is none. */
const uint64_t *context_disasm_hashes(const struct context *context);
/* True of Trace Matcher's text: its letters name no instruction set, its opcodes have 16, 32 or 64
 * bits with each, and its registers are those of any machine. */
bool context_is_of_matcher(const struct context *context);
/* Returns the text of a name in the trace's table. */
const char *context_name(const struct context *context, spoor_name name);

#endif
