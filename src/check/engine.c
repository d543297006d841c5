/* SPDX-License-Identifier: MIT */
/*
 * engine.c: shows the records of a batch to the rules, a block of records to each rule.
 *
 * Each class of records (kind and presence bits) has one short list of rules, so a record costs
 * only the rules enabled for it.  A rule that follows each cpu separately has one state for each
 * name of the trace, indexed by the cpu's name id.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "check/rule.h"
#include "model/options.h"
#include "spoor/format.h"

#define RULE(name) extern const struct rule rule_##name;
#include "check/rules.def"
#undef RULE

static const struct rule *const rules[] = {
#define RULE(name) &rule_##name,
#include "check/rules.def"
#undef RULE
};

enum { RULES = sizeof rules / sizeof *rules, RULE_WORDS = (RULES + 63) / 64 };

/* ---- classes of records ---- */

enum { CLASSES = 64, CLASS_SLOTS = 256, SPELLING_SLOTS = 64 };

/* The records of the block with this kind and these presence bits. */
struct class
{
    uint32_t key; /* of both: */
    uint8_t kind;
    uint16_t has;
    uint64_t records[BLOCK_WORDS]; /* bit i: record i of the block */
};

struct classes {
    size_t count;
    struct class items[CLASSES];
    uint8_t slots[CLASS_SLOTS];    /* by hash: the index of a class that was found there */
    uint32_t seen[SPELLING_SLOTS]; /* by hash: a class and a spelling of the block */
    uint64_t spelled[BLOCK_WORDS]; /* bit i: record i may be the first one of its class with its
                                    * spelling; those of other records are not new */
    bool one_cpu;   /* INSN, REG and MEM records of the block are all of this processor: */
    spoor_name cpu; /* expected: that of the block before */
};

enum { OF_PROGRAM = 1 << SPOOR_INSN | 1 << SPOOR_REG | 1 << SPOOR_MEM };

/* Adds a block's records to their classes, at most BLOCK_RECORDS.  Returns how many were added:
 * fewer if there are more classes than the table has, at least one if it was empty. */
static size_t classes_sort(struct classes *classes, const struct spoor_record *records,
                           size_t count)
{
    const spoor_name cpu = classes->cpu;
    unsigned others = 0;
    memset(classes->seen, 0, sizeof classes->seen);
    memset(classes->spelled, 0, sizeof classes->spelled);
    for (size_t i = 0; i < count; i++) {
        const struct spoor_record *record = &records[i];
        others |= OF_PROGRAM >> record->kind & (record->cpu != cpu);
        const uint32_t key = (uint32_t)record->kind << 16 | record->has;
        uint8_t *slot = &classes->slots[key * UINT32_C(0x9E3779B1) >> 24];
        if (*slot >= classes->count || classes->items[*slot].key != key) {
            /* The index of the record's class, which is made if it is new; CLASSES: there are too
             * many. */
            size_t j = 0;
            while (j < classes->count && classes->items[j].key != key) j++;
            if (j == classes->count && j < CLASSES)
                classes->items[classes->count++] =
                    (struct class){.key = key, .kind = record->kind, .has = record->has};
            const size_t found = j;
            if (found == CLASSES) {
                count = i;
                break;
            }
            *slot = (uint8_t)found;
        }
        const uint64_t bit = UINT64_C(1) << i % 64;
        classes->items[*slot].records[i / 64] |= bit;
        const uint32_t spelled = ((uint32_t)*slot + 1) << 16 | record->spelling;
        uint32_t *seen = &classes->seen[spelled * UINT32_C(0x9E3779B1) >> 26];
        classes->spelled[i / 64] |= *seen == spelled ? 0 : bit;
        *seen = spelled;
    }
    classes->one_cpu = !others;
    if (others && count) classes->cpu = records[count - 1].cpu;
    return count;
}

/* ---- rules ---- */

/* The rules that examine the records of a class. */
struct class_rules {
    bool known;
    uint8_t count;
    uint8_t rules[RULES];
};

struct memory {
    char *bytes;
    size_t cpus; /* number of cpus with state */
};

/* The records of a block that each rule examines; those of other rules are not set. */
struct rule_records {
    uint64_t rules[RULE_WORDS]; /* bit i: rule i examines some */
    uint64_t records[RULES][BLOCK_WORDS];
    uint64_t of_kind[SPOOR_KINDS][BLOCK_WORDS];
};

struct spoor_check {
    struct findings findings;
    bool on[RULES], finished[RULES];
    uint64_t counts[RULES];
    struct memory memory[RULES];
    uint8_t by_kind[SPOOR_KINDS][RULES]; /* indices of the enabled rules of a kind */
    uint8_t by_kind_count[SPOOR_KINDS];
    struct classes classes;
    struct class_rules of_class[CLASSES];
    struct rule_records examined; /* of the block */
    struct texts texts;
    uint64_t records; /* examined, without notes */
    uint64_t events;  /* as in struct context */
    bool begun, passes;
    bool listed;                  /* the lists by kind are those of the enabled rules */
    rule_pass *pass[SPOOR_KINDS]; /* the pass that covers all rules of the kind; or NULL */
};
_Static_assert(RULES <= UINT8_MAX, "lists by kind store a rule in a byte");

size_t spoor_rule_count(void)
{
    return RULES;
}

const struct spoor_rule_info *spoor_rule_at(size_t index)
{
    return index < RULES ? &rules[index]->info : NULL;
}

int spoor_rule_find(const char *name)
{
    for (size_t i = 0; i < RULES; i++)
        if (strcmp(rules[i]->info.name, name) == 0) return (int)i;
    return -1;
}

/* The lists by class are made anew: a rule is finished, or the classes are others. */
static void check_forget_lists(struct spoor_check *check)
{
    for (size_t i = 0; i < CLASSES; i++) check->of_class[i].known = false;
}

static void check_list_rules(struct spoor_check *check)
{
    if (check->listed) return;
    check->listed = true;
    check_forget_lists(check);
    for (unsigned kind = 0; kind < SPOOR_KINDS; kind++) {
        uint8_t count = 0;
        for (unsigned i = 0; i < RULES; i++)
            if (check->on[i] && (rules[i]->kinds >> kind & 1))
                check->by_kind[kind][count++] = (uint8_t)i;
        check->by_kind_count[kind] = count;
        /* The pass that all rules about every record of the kind share.  (Rules about a presence
         * bit do not count: a pass stops at such records.) */
        rule_pass *pass = NULL;
        bool common = true;
        for (uint8_t i = 0; i < count; i++) {
            const struct rule *rule = rules[check->by_kind[kind][i]];
            if (rule->has) continue;
            common &= rule->pass && (!pass || pass == rule->pass);
            pass = rule->pass;
        }
        check->pass[kind] = common ? pass : NULL;
    }
}

enum spoor_status spoor_check_new(struct spoor_check **check,
                                  const struct spoor_check_options *options,
                                  struct spoor_error *error)
{
    struct spoor_check_options own;
    const enum spoor_status status = options_read(&own, sizeof own, options, error);
    if (status != SPOOR_OK) return status;
    struct spoor_check *made = calloc(1, sizeof *made);
    if (!made) return memory_status(false, error);
    made->passes = true;
    made->findings.sink = own.sink;
    made->findings.context = own.context;
    made->findings.maximum = own.maximum;
    for (size_t i = 0; i < RULES; i++) made->on[i] = rules[i]->info.on;
    *check = made;
    return SPOOR_OK;
}

void spoor_check_free(struct spoor_check *check)
{
    if (!check) return;
    for (size_t i = 0; i < RULES; i++) free(check->memory[i].bytes);
    free(check->findings.pending);
    free(check);
}

void check_without_passes(struct spoor_check *check)
{
    check->passes = false;
}

void spoor_check_enable(struct spoor_check *check, int rule, bool on)
{
    if (rule < 0 || rule >= RULES) return;
    check->on[rule] = on;
    check->listed = false;
    if (check->begun) check_without_passes(check); /* the rules of a pass no longer share a state */
}

uint64_t spoor_check_count(const struct spoor_check *check, int rule)
{
    return rule >= 0 && rule < RULES ? check->counts[rule] : 0;
}

uint64_t spoor_check_records(const struct spoor_check *check)
{
    return check->records;
}

/* ---- records ---- */

static void check_select_rule(struct spoor_check *check, struct context *context, size_t number)
{
    context->rule = rules[number];
    context->count = &check->counts[number];
    context->state = check->memory[number].bytes;
}

static void check_add_class(struct spoor_check *check, size_t index)
{
    struct rule_records *examined = &check->examined;
    const struct class *class = &check->classes.items[index];
    struct class_rules *list = &check->of_class[index];
    uint64_t any = 0;
    for (size_t word = 0; word < BLOCK_WORDS; word++) any |= class->records[word];
    if (!any) return;
    for (size_t word = 0; word < BLOCK_WORDS; word++)
        examined->of_kind[class->kind][word] |= class->records[word];
    if (!list->known) {
        list->known = true;
        list->count = 0;
        for (uint8_t i = 0; i < check->by_kind_count[class->kind]; i++) {
            const uint8_t number = check->by_kind[class->kind][i];
            const struct rule *rule = rules[number];
            if (check->finished[number] || (class->has & rule->has) != rule->has) continue;
            if (rule->after && !(rule->after & check->events)) continue;
            if (!rule->examines || rule->examines(class->kind, class->has))
                list->rules[list->count++] = number;
        }
    }
    for (uint8_t i = 0; i < list->count; i++) {
        const uint8_t rule = list->rules[i];
        const uint64_t bit = UINT64_C(1) << rule % 64;
        const uint64_t others = examined->rules[rule / 64] & bit ? UINT64_MAX : 0;
        examined->rules[rule / 64] |= bit;
        for (size_t word = 0; word < BLOCK_WORDS; word++)
            examined->records[rule][word] =
                (examined->records[rule][word] & others) | class->records[word];
    }
}

/* Shows at most `count` records to the rules; returns how many. */
static size_t check_show(struct spoor_check *check, struct context *context, size_t count)
{
    struct rule_records *examined = &check->examined;
    memset(check->texts.known, 0, sizeof check->texts.known);
    memset(examined->rules, 0, sizeof examined->rules);
    memset(examined->of_kind, 0, sizeof examined->of_kind);
    const struct spoor_record *records = context->batch->records + context->first;
    count = classes_sort(&check->classes, records, count);
    /* Notes the operations of events among records [0, count], of which the last may be missing. */
    bool has_next = context->first + count < context->batch->count;
    uint64_t events = check->events;
    for (size_t i = 0; i < check->classes.count; i++) {
        const struct class *class = &check->classes.items[i];
        if (class->kind != SPOOR_EVENT) continue;
        for (size_t word = 0; word < BLOCK_WORDS; word++)
            for (uint64_t bits = class->records[word]; bits; bits &= bits - 1)
                events |= UINT64_C(1) << records[word * 64 + (size_t)__builtin_ctzll(bits)].op;
    }
    if (has_next && records[count].kind == SPOOR_EVENT) events |= UINT64_C(1) << records[count].op;
    if (events != check->events) check_forget_lists(check);
    check->events = events;
    for (size_t i = 0; i < check->classes.count; i++) check_add_class(check, i);
    context->of_kind = examined->of_kind;
    context->events = check->events;
    check->records += count;
    for (size_t word = 0; word < BLOCK_WORDS; word++)
        check->records -= (unsigned)__builtin_popcountll(examined->of_kind[SPOOR_NOTE][word]);
    context->spelled = check->classes.spelled;
    context->one_cpu = check->classes.one_cpu;
    context->cpu = check->classes.cpu;
    /* A full table of classes begins anew. */
    struct classes *classes = &check->classes;
    bool changed = classes->count == CLASSES;
    for (size_t i = 0; i < classes->count; i++)
        memset(classes->items[i].records, 0, sizeof classes->items[i].records);
    if (changed) memset(classes, 0, sizeof *classes);
    for (size_t word = 0; word < RULE_WORDS; word++)
        for (uint64_t bits = examined->rules[word]; bits; bits &= bits - 1) {
            const size_t number = word * 64 + (size_t)__builtin_ctzll(bits);
            check_select_rule(check, context, number);
            context->examined = examined->records[number];
            context->rule->feed(context);
            changed |= check->finished[number] = context->finished;
            context->finished = false;
        }
    if (changed) check_forget_lists(check);
    findings_deliver(&check->findings);
    return count;
}

/* Skips clean records from `index` on; returns the index of the first that is not.  The rules of a
 * pass have seen the same records, so the state of one is copied to all. */
static size_t check_pass_over(struct spoor_check *check, const struct spoor_batch *batch,
                              size_t index)
{
    const uint8_t kind = batch->records[index].kind;
    rule_pass *pass = check->pass[kind];
    char *first = NULL, *own = NULL; /* own: of the rule that does not share it, if it is on */
    size_t end = index;
    for (uint8_t i = 0; i < check->by_kind_count[kind]; i++) {
        const uint8_t number = check->by_kind[kind][i];
        if (rules[number]->pass && rules[number]->own_state) own = check->memory[number].bytes;
    }
    for (uint8_t i = 0; pass && i < check->by_kind_count[kind]; i++) {
        const uint8_t number = check->by_kind[kind][i];
        const struct rule *rule = rules[number];
        char *state = check->memory[number].bytes;
        if (rule->pass != pass || rule->state_size == 0 || rule->own_state) continue;
        if (!first) end = pass(batch, index, first = state, own);
        if (end == index) break;
        if (state != first) memcpy(state, first, rule->state_size);
    }
    return end;
}

enum spoor_status spoor_check_feed(struct spoor_check *check, const struct spoor_batch *batch,
                                   struct spoor_error *error)
{
    enum { AFTER_PASS = 8 }; /* records that are examined where the pass of their kind stopped */
    struct context context = {.findings = &check->findings, .batch = batch, .texts = &check->texts};
    bool good = true;
    check->begun = true;
    /* Grows the state of the rules to the cpus that are named; new state is zero.  The first state
     * is allocated as zeros and for no more cpus than there are: states are large, a small trace
     * touches few pages. */
    const size_t cpus = spoor_names_count(batch->stream->names);
    for (size_t i = 0; i < RULES && good; i++) {
        const size_t size = rules[i]->state_size, wanted = rules[i]->per_cpu ? cpus : 1;
        struct memory *memory = &check->memory[i];
        if (!check->on[i] || !size) continue;
        if (!memory->bytes) {
            memory->bytes = calloc(wanted, size);
            memory->cpus = memory->bytes ? wanted : 0;
        }
        good = array_grow_zeroed(&memory->bytes, &memory->cpus, wanted, size);
    }
    check_list_rules(check);
    for (size_t i = 0; good && i < batch->count;) {
        const bool passes = check->passes && check->pass[batch->records[i].kind];
        const size_t next = passes ? check_pass_over(check, batch, i) : i;
        const size_t left = batch->count - i, maximum = passes ? AFTER_PASS : BLOCK_RECORDS;
        check->records += next - i; /* no pass skips a note */
        context.first = i;
        i = next > i ? next : i + check_show(check, &context, left < maximum ? left : maximum);
    }
    if (batch->count) {
        context.first = context.index = batch->count - 1;
        context.record = &batch->records[context.index];
    }
    if (good && batch->last) {
        /* Calls the rules at the end of the trace; the context holds the last record. */
        for (size_t i = 0; i < RULES; i++) {
            if (!check->on[i] || !rules[i]->end) continue;
            check_select_rule(check, &context, i);
            rules[i]->end(&context);
        }
        findings_deliver(&check->findings);
    }
    good &= !check->findings.out_of_memory;
    if (good) return SPOOR_OK;
    return spoor_error_set(error, SPOOR_ENOMEM, "out of memory while checking %s",
                           batch->stream->path);
}

enum spoor_status spoor_check_end(struct spoor_check *check, struct spoor_error *error)
{
    (void)check;
    return memory_status(true, error);
}

enum spoor_status spoor_check_report(const struct spoor_check *check, struct spoor_result *result)
{
    struct spoor_result *list = spoor_result_array(result, "rules");
    for (size_t i = 0; i < RULES; i++) {
        if (!check->counts[i]) continue;
        struct spoor_result *row = spoor_result_object(list, NULL);
        spoor_result_text(row, "rule", rules[i]->info.name);
        spoor_result_unsigned(row, "findings", check->counts[i]);
    }
    return result_status(result);
}
