/* SPDX-License-Identifier: MIT */
/*
 * engine.c: shows each record of a batch to the rules that are about its kind.
 *
 * The rules of a kind are in one short list, so a record costs only the rules enabled for it.  A
 * rule that follows each cpu separately has one state for each name of the trace, indexed by the
 * cpu's name id.
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

enum { RULES = sizeof rules / sizeof *rules };

struct selected {
    const struct rule *rule;
    uint64_t *count;
    char *state;
    size_t cpu_size; /* bytes of a cpu's state; 0: the rule has one state */
};

/* The rules that examine the records of a kind with these presence bits. */
struct selection {
    bool known;
    uint8_t count;
    uint16_t has;
    struct selected rules[RULES];
};

struct memory {
    char *bytes;
    size_t cpus; /* number of cpus with state */
};

struct spoor_check {
    struct findings findings;
    bool on[RULES], finished[RULES];
    uint64_t counts[RULES];
    struct memory memory[RULES];
    uint8_t by_kind[SPOOR_KINDS][RULES]; /* indices of the enabled rules of a kind */
    uint8_t by_kind_count[SPOOR_KINDS];
    struct selection last[SPOOR_KINDS]; /* for the last record of the kind */
    bool begun, passes;
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

/* Returns the pass that all enabled rules about every record of the kind share; NULL if there is
 * none or more than one.  (Rules about a presence bit do not count: a pass stops at such records.)
 */
static rule_pass *common_pass(const struct spoor_check *check, unsigned kind)
{
    rule_pass *pass = NULL;
    for (uint8_t i = 0; i < check->by_kind_count[kind]; i++) {
        const struct rule *rule = rules[check->by_kind[kind][i]];
        if (rule->has) continue;
        if (!rule->pass || (pass && pass != rule->pass)) return NULL;
        pass = rule->pass;
    }
    return pass;
}

static void list_by_kind(struct spoor_check *check)
{
    for (unsigned kind = 0; kind < SPOOR_KINDS; kind++) {
        uint8_t count = 0;
        for (unsigned i = 0; i < RULES; i++)
            if (check->on[i] && (rules[i]->kinds >> kind & 1))
                check->by_kind[kind][count++] = (uint8_t)i;
        check->by_kind_count[kind] = count;
        check->last[kind].known = false;
        check->pass[kind] = common_pass(check, kind);
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
    list_by_kind(made);
    *check = made;
    return SPOOR_OK;
}

void spoor_check_free(struct spoor_check *check)
{
    if (!check) return;
    for (size_t i = 0; i < RULES; i++) free(check->memory[i].bytes);
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
    list_by_kind(check);
    if (check->begun) check_without_passes(check); /* the rules of a pass no longer share a state */
}

uint64_t spoor_check_count(const struct spoor_check *check, int rule)
{
    return rule >= 0 && rule < RULES ? check->counts[rule] : 0;
}

/* ---- records ---- */

/* Grows the state of the rules to `cpus` cpus; new state is zero. */
static bool remember_all(struct spoor_check *check, size_t cpus)
{
    for (size_t i = 0; i < RULES; i++)
        if (check->on[i] && rules[i]->state_size &&
            !array_grow_zeroed(&check->memory[i].bytes, &check->memory[i].cpus,
                               rules[i]->per_cpu ? cpus : 1, rules[i]->state_size))
            return false;
    return true;
}

static void select_rule(struct spoor_check *check, struct context *context, size_t number)
{
    context->rule = rules[number];
    context->count = &check->counts[number];
    context->state = check->memory[number].bytes;
}

static void select_rules(struct spoor_check *check, const struct spoor_record *record,
                         struct selection *selection)
{
    const uint8_t *list = check->by_kind[record->kind];
    selection->known = true;
    selection->count = 0;
    selection->has = record->has;
    for (uint8_t i = 0; i < check->by_kind_count[record->kind]; i++) {
        const uint8_t number = list[i];
        const struct rule *rule = rules[number];
        if (check->finished[number] || (record->has & rule->has) != rule->has) continue;
        selection->rules[selection->count++] =
            (struct selected){.rule = rule,
                              .count = &check->counts[number],
                              .state = check->memory[number].bytes,
                              .cpu_size = rule->per_cpu ? rule->state_size : 0};
    }
}

/* Selections are made anew: a rule is finished, or states have moved. */
static void forget_selections(struct spoor_check *check)
{
    for (unsigned kind = 0; kind < SPOOR_KINDS; kind++) check->last[kind].known = false;
}

/* Leaves a rule out from now on. */
static void finish(struct spoor_check *check, struct context *context)
{
    check->finished[context->count - check->counts] = true;
    context->finished = false;
    forget_selections(check);
}

static void show(struct spoor_check *check, struct context *context)
{
    const struct spoor_record *record = context->record;
    struct selection *selection = &check->last[record->kind];
    if (!selection->known || selection->has != record->has) select_rules(check, record, selection);
    const struct selected *end = selection->rules + selection->count;
    for (const struct selected *selected = selection->rules; selected < end; selected++) {
        context->rule = selected->rule;
        context->count = selected->count;
        context->state = selected->state;
        if (selected->cpu_size) context->state = selected->state + record->cpu * selected->cpu_size;
        selected->rule->feed(context);
        if (context->finished) finish(check, context);
    }
}

/* Calls the rules at the end of the trace; the context holds the last record. */
static void show_end(struct spoor_check *check, struct context *context)
{
    for (size_t i = 0; i < RULES; i++) {
        if (!check->on[i] || !rules[i]->end) continue;
        select_rule(check, context, i);
        rules[i]->end(context);
    }
}

/* Returns the state of the pass's rule that does not share it; NULL if that rule is off. */
static char *own_state_of(const struct spoor_check *check, uint8_t kind)
{
    for (uint8_t i = 0; i < check->by_kind_count[kind]; i++) {
        const uint8_t number = check->by_kind[kind][i];
        if (rules[number]->pass && rules[number]->own_state) return check->memory[number].bytes;
    }
    return NULL;
}

/* Skips clean records from `index` on; returns the index of the first that is not.  The rules of a
 * pass have seen the same records, so the state of one is copied to all. */
static size_t pass_over(struct spoor_check *check, const struct spoor_batch *batch, size_t index)
{
    const uint8_t kind = batch->records[index].kind;
    rule_pass *pass = check->pass[kind];
    char *first = NULL, *own = own_state_of(check, kind);
    size_t end = index;
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
    if (!remember_all(check, spoor_names_count(batch->stream->names)))
        return spoor_error_set(error, SPOOR_ENOMEM, "out of memory while checking %s",
                               batch->stream->path);
    struct context context = {.findings = &check->findings, .batch = batch};
    check->begun = true;
    forget_selections(check);
    while (context.index < batch->count) {
        const bool passes = check->passes && check->pass[batch->records[context.index].kind];
        const size_t next = passes ? pass_over(check, batch, context.index) : context.index;
        if (next == context.index) {
            context.record = &batch->records[context.index];
            show(check, &context);
        }
        context.index = next + (next == context.index);
    }
    if (batch->count) context.record = &batch->records[context.index = batch->count - 1];
    if (batch->last) show_end(check, &context);
    return SPOOR_OK;
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
