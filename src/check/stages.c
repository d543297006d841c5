/* SPDX-License-Identifier: MIT */
/* stages.c: rules about the stages of instructions in a pipeline, as its log states them. */
#include <inttypes.h>

#include "check/rule.h"

/* ---- within an instruction ---- */

struct stage_clock {
    bool running;
    uint64_t number, time;
    spoor_name name;
};

/* Stages of one instruction that follow each other in the log. */
static void stages_feed_order(struct context *context)
{
    const struct spoor_record *record = context->record;
    struct stage_clock *clock = context->state;
    if (record->op != SPOOR_EVENT_STAGE) return;
    const bool same = clock->running && clock->number == record->event.value1;
    if (same && record->time < clock->time) {
        context_found(context, "%s at %" PRIu64, context_name(context, record->event.name),
                      record->time);
        context_expected(context, "at least %" PRIu64 ", the time of %s before it", clock->time,
                         context_name(context, clock->name));
    }
    *clock = (struct stage_clock){true, record->event.value1, record->time, record->event.name};
}
EXAMINE_BLOCK(stages_feed_order)
const struct rule rule_stage_order = {
    .info = {"stage-order", "an instruction enters its stages in the order of the pipeline",
             "gem5: src/cpu/o3/dyn_inst.cc, the lines of a block", SPOOR_SEVERITY_ERROR, true},
    .kinds = KIND(EVENT),
    .has = SPOOR_HAS_TIME | SPOOR_HAS_EXTRA,
    .feed = stages_feed_order_block,
    .state_size = sizeof(struct stage_clock),
};

static void stages_feed_squashed(struct context *context)
{
    const struct spoor_record *record = context->record;
    bool *squashed = context->state;
    if (record->kind == SPOOR_INSN) {
        *squashed = record->op == SPOOR_INSN_SQUASHED && ends_stages(context);
        return;
    }
    if (!(record->has & SPOOR_CONTINUES)) *squashed = false;
    if (!*squashed || record->op != SPOOR_EVENT_STAGE || (record->has & SPOOR_HAS_VA) ||
        !(record->has & SPOOR_HAS_TIME))
        return;
    context_found(context, "%s at %" PRIu64 " of a squashed instruction",
                  context_name(context, record->event.name), record->time);
    context_expected(context, "no stage after it was squashed");
}
EXAMINE_BLOCK(stages_feed_squashed)
const struct rule rule_stage_squashed = {
    .info = {"stage-squashed", "a squashed instruction neither retires nor stores",
             "gem5: util/o3-pipeview.py, retire 0", SPOOR_SEVERITY_ERROR, true},
    .kinds = KIND(INSN) | KIND(EVENT),
    .after = EVENT(STAGE),
    .feed = stages_feed_squashed_block,
    .state_size = sizeof(bool),
};

/* ---- instructions in flight ---- */

/* The last instruction of each slot: those in flight at a time have numbers that are close. */
enum { SLOTS = 1 << 14 };
struct numbers {
    bool any;
    uint64_t last; /* the greatest number that has begun */
    struct {
        uint64_t number;
        bool begun, ended;
    } slots[SLOTS];
};

/* True if the record begins an instruction: line I of Kanata, fetch of gem5. */
static bool stages_begins(const struct spoor_record *record)
{
    if (record->kind != SPOOR_EVENT) return false;
    return (record->op == SPOOR_EVENT_INSTRUCTION || record->op == SPOOR_EVENT_STAGE) &&
           (record->has & SPOOR_HAS_VA) && !(record->has & SPOOR_CONTINUES);
}

static void stages_begin_number(struct numbers *numbers, uint64_t number)
{
    if (!numbers->any || number > numbers->last) numbers->last = number;
    numbers->any = true;
    numbers->slots[number % SLOTS].number = number;
    numbers->slots[number % SLOTS].begun = true;
    numbers->slots[number % SLOTS].ended = false;
}

static bool stages_has_begun(const struct numbers *numbers, uint64_t number)
{
    return numbers->any && number <= numbers->last;
}

static void stages_feed_begin(struct context *context)
{
    const struct spoor_record *record = context->record;
    struct numbers *numbers = context->state;
    if (record->kind == SPOOR_EVENT &&
        (record->op < SPOOR_EVENT_STAGE || record->op > SPOOR_EVENT_DEPENDENCE))
        return;
    if (record->kind == SPOOR_INSN && !ends_stages(context)) return;
    const bool insn = record->kind == SPOOR_INSN;
    const bool numbered = record->has & (insn ? SPOOR_HAS_INDEX : SPOOR_HAS_EXTRA);
    const uint64_t number = insn ? record->insn.index : record->event.value1;
    if (stages_begins(record)) {
        stages_begin_number(numbers, number);
        return;
    }
    if (!insn && (record->has & SPOOR_CONTINUES)) return;
    if (!numbered) {
        context_found(context, "a stage of no instruction");
        context_expected(context, "the fetch of its instruction before it");
    } else if (!stages_has_begun(numbers, number)) {
        context_found(context, "instruction %" PRIu64, number);
        context_expected(context, "one that has begun");
    } else if (!insn && record->op == SPOOR_EVENT_DEPENDENCE &&
               !stages_has_begun(numbers, record->event.value)) {
        context_found(context, "a dependence on instruction %" PRIu64, record->event.value);
        context_expected(context, "one that has begun");
    }
}
EXAMINE_BLOCK(stages_feed_begin)
const struct rule rule_stage_begin = {
    .info = {"stage-begin", "an instruction begins before anything else is said of it",
             "Konata: docs/kanata-log-format.md, I", SPOOR_SEVERITY_ERROR, true},
    .kinds = KIND(INSN) | KIND(EVENT),
    .after =
        EVENT(STAGE) | EVENT(STAGE_END) | EVENT(INSTRUCTION) | EVENT(LABEL) | EVENT(DEPENDENCE),
    .feed = stages_feed_begin_block,
    .state_size = sizeof(struct numbers),
};

static void stages_feed_once(struct context *context)
{
    const struct spoor_record *record = context->record;
    struct numbers *numbers = context->state;
    const bool insn = record->kind == SPOOR_INSN;
    if (insn ? !ends_stages(context) || !(record->has & SPOOR_HAS_INDEX) : !stages_begins(record))
        return;
    const uint64_t number = insn ? record->insn.index : record->event.value1;
    const bool seen =
        numbers->slots[number % SLOTS].begun && numbers->slots[number % SLOTS].number == number;
    if (!insn) {
        if (seen) {
            context_found(context, "instruction %" PRIu64 " begins again", number);
            context_expected(context, "a number that is new");
        }
        stages_begin_number(numbers, number);
        return;
    }
    if (!seen) return;
    if (numbers->slots[number % SLOTS].ended) {
        context_found(context, "instruction %" PRIu64 " ends again", number);
        context_expected(context, "one that is in flight");
    }
    numbers->slots[number % SLOTS].ended = true;
}
EXAMINE_BLOCK(stages_feed_once)
const struct rule rule_stage_once = {
    .info = {"stage-once", "an instruction begins and ends once",
             "Konata: docs/kanata-log-format.md, I: the id is unique in the file",
             SPOOR_SEVERITY_ERROR, true},
    .kinds = KIND(INSN) | KIND(EVENT),
    .after = EVENT(STAGE) | EVENT(INSTRUCTION),
    .feed = stages_feed_once_block,
    .state_size = sizeof(struct numbers),
};

/* ---- retirement ---- */

/* The last instructions that retired, by number: blocks of gem5 are not in order. */
enum { RETIRED = 64 };
struct retirement {
    size_t count;
    uint64_t number[RETIRED], time[RETIRED];
};

static void stages_feed_retire(struct context *context)
{
    const struct spoor_record *record = context->record;
    struct retirement *retired = context->state;
    if (record->op == SPOOR_INSN_SQUASHED || !ends_stages(context)) return;
    const uint64_t number = record->insn.index, time = record->time;
    const size_t count = retired->count < RETIRED ? retired->count : RETIRED;
    size_t worst = count;
    for (size_t i = 0; i < count; i++)
        if ((retired->number[i] > number && retired->time[i] < time) ||
            (retired->number[i] < number && retired->time[i] > time))
            worst = i;
    if (worst < count) {
        const bool early = retired->number[worst] > number;
        context_found(context, "instruction %" PRIu64 " retired at %" PRIu64, number, time);
        context_expected(context, "at %s %" PRIu64 ", when %" PRIu64 " retired",
                         early ? "most" : "least", retired->time[worst], retired->number[worst]);
    }
    retired->number[retired->count % RETIRED] = number;
    retired->time[retired->count++ % RETIRED] = time;
}
EXAMINE_BLOCK_PER_CPU(stages_feed_retire)
const struct rule rule_retire_order = {
    .info = {"retire-order", "instructions of a thread retire in their order",
             "gem5: src/cpu/o3/commit.cc", SPOOR_SEVERITY_WARNING, true},
    .kinds = KIND(INSN),
    .has = SPOOR_HAS_INDEX | SPOOR_HAS_TIME,
    .after = EVENT(STAGE),
    .feed = stages_feed_retire_block,
    .state_size = sizeof(struct retirement),
    .per_cpu = true,
};
