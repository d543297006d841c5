/* SPDX-License-Identifier: MIT */
/* order.c: rules about time and instruction index, which go forward on each cpu. */
#include <inttypes.h>
#include <string.h>

#include "check/rule.h"

struct clock {
    bool running;
    spoor_name spelling; /* of the last stamp: names its unit */
    uint64_t time;
};

static bool same_unit(const struct look *look, spoor_name spelling)
{
    if (look->record->spelling == spelling) return true;
    struct spoor_record other = {.spelling = spelling};
    return strcmp(spoor_record_unit(look->batch, look->record),
                  spoor_record_unit(look->batch, &other)) == 0;
}

/* Signals and simulator messages are stamped by another clock: published Fast Models traces end
 * with a CADI line one tick back. */
static bool is_message(const struct spoor_record *record)
{
    return record->kind == SPOOR_EVENT &&
           (record->op == SPOOR_EVENT_SIGNAL || record->op == SPOOR_EVENT_CADI);
}

static void feed_time_order(struct look *look)
{
    const struct spoor_record *record = look->record;
    struct clock *clock = look->state;
    if (is_message(record)) return;
    if (clock->running && record->time < clock->time && same_unit(look, clock->spelling)) {
        look_found(look, "time %" PRIu64, record->time);
        look_expected(look, "at least %" PRIu64 ", the time before", clock->time);
    }
    *clock = (struct clock){true, record->spelling, record->time};
}
const struct rule rule_time_order = {
    .info = {"time-order", "time does not go back on a cpu", "tarmac: <time>; matcher: <time>",
             SPOOR_SEVERITY_WARNING, true},
    .kinds = KINDS_ALL,
    .has = SPOOR_HAS_TIME,
    .feed = feed_time_order,
    .state_size = sizeof(struct clock),
    .per_cpu = true,
};

static void feed_time_unit(struct look *look)
{
    struct clock *clock = look->state;
    if (clock->running && !same_unit(look, clock->spelling)) {
        struct spoor_record before = {.spelling = clock->spelling};
        look_found(look, "unit %s", spoor_record_unit(look->batch, look->record));
        look_expected(look, "%s as before", spoor_record_unit(look->batch, &before));
    }
    clock->running = true;
    clock->spelling = look->record->spelling;
}
const struct rule rule_time_unit = {
    .info = {"time-unit", "all stamps have the same unit", "tarmac: <scale>; matcher: <scale>",
             SPOOR_SEVERITY_WARNING, true},
    .kinds = KINDS_ALL,
    .has = SPOOR_HAS_TIME,
    .feed = feed_time_unit,
    .state_size = sizeof(struct clock),
};

/* The documents demand a unit after each time; a trace without one lacks it everywhere, which is
 * one finding. */
static void feed_time_scale(struct look *look)
{
    bool *found = look->state;
    if (*found || *spoor_record_unit(look->batch, look->record)) return;
    *found = true;
    look_found(look, "time %" PRIu64 " without a unit", look->record->time);
    look_expected(look, "the unit of the time, such as clk");
}
const struct rule rule_time_scale = {
    .info = {"time-scale", "a time has a unit", "tarmac: <scale>; matcher: <scale>",
             SPOOR_SEVERITY_WARNING, true},
    .kinds = KIND(INSN) | KIND(REG) | KIND(MEM) | KIND(FLOW),
    .has = SPOOR_HAS_TIME,
    .feed = feed_time_scale,
    .state_size = sizeof(bool),
};

struct counter {
    bool running;
    uint64_t index;
};

static void feed_index_order(struct look *look)
{
    struct counter *counter = look->state;
    uint64_t index = look->record->insn.index;
    if (counter->running && index < counter->index) {
        look_found(look, "instruction index %" PRIu64, index);
        look_expected(look, "at least %" PRIu64 ", the index before", counter->index);
    }
    *counter = (struct counter){true, index};
}
const struct rule rule_index_order = {
    .info = {"index-order", "the instruction index does not go back on a cpu",
             "tarmac: <inst_id>, tick count of this processor", SPOOR_SEVERITY_WARNING, true},
    .kinds = KIND(INSN),
    .has = SPOOR_HAS_INDEX,
    .feed = feed_index_order,
    .state_size = sizeof(struct counter),
    .per_cpu = true,
};

static void feed_index_gap(struct look *look)
{
    struct counter *counter = look->state;
    uint64_t index = look->record->insn.index;
    if (counter->running && index > counter->index && index - counter->index > 1) {
        look_found(look, "instruction index %" PRIu64, index);
        look_expected(look, "%" PRIu64 ", one more than before", counter->index + 1);
    }
    *counter = (struct counter){true, index};
}
const struct rule rule_index_gap = {
    .info = {"index-gap", "no instruction index is left out on a cpu (WFI and WFE may)",
             "tarmac: <inst_id>, number of instructions executed", SPOOR_SEVERITY_NOTE, false},
    .kinds = KIND(INSN),
    .has = SPOOR_HAS_INDEX,
    .feed = feed_index_gap,
    .state_size = sizeof(struct counter),
    .per_cpu = true,
};
