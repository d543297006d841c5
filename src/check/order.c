/* SPDX-License-Identifier: MIT */
/* order.c: rules about time and instruction index, which increase on each cpu, and about gaps. */
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "check/rule.h"
#include "views/gap.h"

struct clock {
    bool running;
    spoor_name spelling; /* of the last stamp; it includes the unit */
    uint64_t time;
};

static bool order_same_unit(const struct context *context, spoor_name spelling)
{
    if (context->record->spelling == spelling) return true;
    struct spoor_record other = {.spelling = spelling};
    return strcmp(spoor_record_unit(context->batch, context->record),
                  spoor_record_unit(context->batch, &other)) == 0;
}

/* True for signals and simulator messages, which are stamped by another clock: published Fast
 * Models traces end with a CADI line one tick back.  Also true for stages of a pipeline, which are
 * logged by instruction: the rules of stages.c examine their times and numbers. */
static bool order_is_message(const struct context *context)
{
    const struct spoor_record *record = context->record;
    if (record->kind == SPOOR_INSN) return ends_stages(context);
    return record->kind == SPOOR_EVENT &&
           (record->op == SPOOR_EVENT_SIGNAL || record->op == SPOOR_EVENT_CADI ||
            (record->op >= SPOOR_EVENT_STAGE && record->op <= SPOOR_EVENT_DEPENDENCE));
}

static void order_feed_time_order(struct context *context)
{
    const struct spoor_record *record = context->record;
    struct clock *clock = context->state;
    /* An effect may come before its instruction in the file: views/effect_order.h. */
    const bool moved = context->batch->stream->effects_first &&
                       spoor_batch_place(context->batch, context->index) < context->index;
    if (moved || order_is_message(context)) return;
    if (clock->running && record->time < clock->time && order_same_unit(context, clock->spelling)) {
        context_found(context, "time %" PRIu64, record->time);
        context_expected(context, "at least %" PRIu64 ", the time before", clock->time);
    }
    *clock = (struct clock){true, record->spelling, record->time};
}

/* The first record of the block that the rule examines. */
static const struct spoor_record *order_first_examined(const struct context *context)
{
    size_t word = 0;
    while (!context->examined[word]) word++;
    const size_t at = word * 64 + (size_t)__builtin_ctzll(context->examined[word]);
    return context->batch->records + context->first + at;
}

/* Compares the words at `offset` of the block's records with `before` and with each other: most
 * blocks are of one cpu, in order and without messages.  Returns the last record; NULL: the rule
 * has to examine each. */
static FORCE_INLINE const struct spoor_record *
order_last(const struct context *context, size_t offset, spoor_name cpu, uint64_t before)
{
    const uint64_t messages = EVENT(SIGNAL) | EVENT(CADI) | EVENT(STAGE) | EVENT(STAGE_END) |
                              EVENT(INSTRUCTION) | EVENT(LABEL) | EVENT(DEPENDENCE);
    const struct spoor_record *records = context->batch->records + context->first, *last = NULL;
    bool ordered = !(context->events & messages);
    for (size_t word = 0; ordered && word < BLOCK_WORDS; word++)
        for (uint64_t bits = context->examined[word]; bits; bits &= bits - 1) {
            uint64_t value;
            last = records + word * 64 + (size_t)__builtin_ctzll(bits);
            memcpy(&value, (const char *)last + offset, sizeof value);
            ordered &= (value >= before) & (last->cpu == cpu);
            before = value;
        }
    return ordered ? last : NULL;
}

static void order_feed_time_order_block(struct context *context)
{
    const spoor_name cpu = order_first_examined(context)->cpu;
    struct clock *clock = (struct clock *)context->state + cpu;
    const struct spoor_record *last =
        order_last(context, offsetof(struct spoor_record, time), cpu, clock->time);
    if (last)
        *clock = (struct clock){true, last->spelling, last->time};
    else
        examine_block(context, true, order_feed_time_order);
}
const struct rule rule_time_order = {
    .info = {"time-order", "time does not go back on a cpu", "tarmac: <time>; matcher: <time>",
             SPOOR_SEVERITY_WARNING, true},
    .kinds = KINDS_ALL,
    .has = SPOOR_HAS_TIME,
    .feed = order_feed_time_order_block,
    .state_size = sizeof(struct clock),
    .per_cpu = true,
};

/* True if the spellings of all records of the block that the rule examines are cached. */
static bool order_spellings_are_cached(const struct context *context,
                                       const struct name_cache *cache)
{
    const struct spoor_record *records = context->batch->records + context->first;
    for (size_t word = 0; word < BLOCK_WORDS; word++) {
        uint64_t bits = context->examined[word] & context->spelled[word];
        for (; bits; bits &= bits - 1) {
            const size_t at = word * 64 + (size_t)__builtin_ctzll(bits);
            if (!name_is_cached(cache, records[at].spelling)) return false;
        }
    }
    return true;
}

struct unit_clock {
    struct clock clock;
    struct name_cache alike; /* spellings with the unit of the last one */
};

static void order_feed_time_unit(struct context *context)
{
    struct unit_clock *unit = context->state;
    struct clock *clock = &unit->clock;
    const spoor_name spelling = context->record->spelling;
    if (name_is_cached(&unit->alike, spelling)) return;
    if (clock->running && !order_same_unit(context, clock->spelling)) {
        struct spoor_record before = {.spelling = clock->spelling};
        const char *found = spoor_record_unit(context->batch, context->record);
        const char *expected = spoor_record_unit(context->batch, &before);
        context_found(context, *found ? "unit %s" : "a time without a unit", found);
        context_expected(context, *expected ? "%s as before" : "none as before", expected);
        unit->alike = (struct name_cache){0};
    }
    clock->running = true;
    clock->spelling = spelling;
    name_put(&unit->alike, spelling);
}

static void order_feed_time_unit_block(struct context *context)
{
    const struct unit_clock *unit = context->state;
    if (!order_spellings_are_cached(context, &unit->alike))
        examine_block(context, false, order_feed_time_unit);
}
const struct rule rule_time_unit = {
    .info = {"time-unit", "all stamps have the same unit", "tarmac: <scale>; matcher: <scale>",
             SPOOR_SEVERITY_WARNING, true},
    .kinds = KINDS_ALL,
    .has = SPOOR_HAS_TIME,
    .feed = order_feed_time_unit_block,
    .state_size = sizeof(struct unit_clock),
};

/* The documents require a unit after each time.  A trace without units is reported once. */
static void order_feed_time_scale(struct context *context)
{
    struct name_cache *with_unit = context->state;
    const spoor_name spelling = context->record->spelling;
    if (name_is_cached(with_unit, spelling)) return;
    if (*spoor_record_unit(context->batch, context->record)) {
        name_put(with_unit, spelling);
        return;
    }
    context->finished = true;
    context_found(context, "time %" PRIu64 " without a unit", context->record->time);
    context_expected(context, "the unit of the time, such as clk");
}

static void order_feed_time_scale_block(struct context *context)
{
    if (!order_spellings_are_cached(context, context->state))
        examine_block(context, false, order_feed_time_scale);
}
const struct rule rule_time_scale = {
    .info = {"time-scale", "a time has a unit", "tarmac: <scale>; matcher: <scale>",
             SPOOR_SEVERITY_WARNING, true},
    .kinds = KIND(INSN) | KIND(REG) | KIND(MEM) | KIND(FLOW),
    .has = SPOOR_HAS_TIME,
    .feed = order_feed_time_scale_block,
    .state_size = sizeof(struct name_cache),
};

struct counter {
    bool running;
    uint64_t index;
};

static void order_feed_index_order(struct context *context)
{
    struct counter *counter = context->state;
    uint64_t index = context->record->insn.index;
    if (order_is_message(context)) return;
    if (counter->running && index < counter->index) {
        context_found(context, "instruction index %" PRIu64, index);
        context_expected(context, "at least %" PRIu64 ", the index before", counter->index);
    }
    *counter = (struct counter){true, index};
}

static void order_feed_index_order_block(struct context *context)
{
    const spoor_name cpu = order_first_examined(context)->cpu;
    struct counter *counter = (struct counter *)context->state + cpu;
    const struct spoor_record *last =
        order_last(context, offsetof(struct spoor_record, insn.index), cpu, counter->index);
    if (last)
        *counter = (struct counter){true, last->insn.index};
    else
        examine_block(context, true, order_feed_index_order);
}
const struct rule rule_index_order = {
    .info = {"index-order", "the instruction index does not go back on a cpu",
             "tarmac: <inst_id>, tick count of this processor", SPOOR_SEVERITY_WARNING, true},
    .kinds = KIND(INSN),
    .has = SPOOR_HAS_INDEX,
    .feed = order_feed_index_order_block,
    .state_size = sizeof(struct counter),
    .per_cpu = true,
};

/* The numbers of one processor.  Tarmac's are those of views/gap.h; others rise by one. */
struct index_gap {
    struct gap_finder finder;
    struct counter counter;
};

static void order_feed_index_gap(struct context *context)
{
    struct index_gap *state = context->state;
    const struct spoor_record *record = context->record;
    const uint64_t index = record->insn.index;
    uint64_t missing = 0;
    if (order_is_message(context)) return;
    if (insn_is_numbered(record))
        gap_before(&state->finder, record, &missing);
    else if (state->counter.running && index > state->counter.index)
        missing = index - state->counter.index - 1;
    if (missing) {
        context_found(context, "instruction index %" PRIu64, index);
        context_expected(context, "%" PRIu64 ", one more than before", index - missing);
    }
    state->counter = (struct counter){true, index};
}
EXAMINE_BLOCK_PER_CPU(order_feed_index_gap)
const struct rule rule_index_gap = {
    .info = {"index-gap", "the instruction index of a cpu has no gaps (except at WFI and WFE)",
             "tarmac: <inst_id>, number of instructions executed", SPOOR_SEVERITY_WARNING, true},
    .kinds = KIND(INSN),
    .has = SPOOR_HAS_INDEX,
    .feed = order_feed_index_gap_block,
    .state_size = sizeof(struct index_gap),
    .per_cpu = true,
};

static void order_feed_trace_lost(struct context *context)
{
    const struct spoor_record *record = context->record;
    if (record->op != SPOOR_EVENT_LOST) return;
    const struct spoor_ref text = record->event.text;
    context_found(context, "%.*s", (int)(text.size < 60 ? text.size : 60),
                  spoor_batch_bytes(context->batch, text));
    context_expected(context, "no gap in the trace");
}
EXAMINE_BLOCK(order_feed_trace_lost)
const struct rule rule_trace_lost = {
    .info = {"trace-lost", "no part of the trace is lost",
             "perf: instruction trace error; PERF_RECORD_LOST", SPOOR_SEVERITY_WARNING, true},
    .kinds = KIND(EVENT),
    .feed = order_feed_trace_lost_block,
};
