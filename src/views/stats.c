/* SPDX-License-Identifier: MIT */
/* stats.c: count records, and merge counts. */
#include "views/stats.h"
#include "model/batch_own.h"
#include "model/bus.h"

#include <stdlib.h>
#include <string.h>

#include "views/gap.h"

const uint8_t bus_uses[SPOOR_BUS_OPS] = {
    [SPOOR_BUS_FETCH] = USE_CODE,           [SPOOR_BUS_READ] = USE_DATA,
    [SPOOR_BUS_READ_INVALIDATE] = USE_DATA, [SPOOR_BUS_WRITE] = USE_DATA,
    [SPOOR_BUS_WRITEBACK] = USE_DATA,       [SPOOR_BUS_IO_READ] = USE_IO,
    [SPOOR_BUS_IO_WRITE] = USE_IO,
};

/* ---- beginning ---- */

static void stats_empty_spans(struct stats *stats)
{
    for (int space = 0; space < SPACES; space++)
        for (int use = 0; use < USES; use++)
            stats->addresses[space][use] = (struct span){UINT64_MAX, 0};
}

struct stats *stats_new(void)
{
    /* calloc(): most of the large arrays is never touched */
    struct stats *stats = calloc(1, sizeof *stats);
    if (stats) stats_empty_spans(stats);
    return stats;
}

struct stats *stats_reserve(struct spoor_batch *batch)
{
    struct batch_own *own = batch_own(batch);
    if (own->view && own->view_capacity == sizeof(struct stats)) {
        /* it is reset at a cost proportional to its content */
        struct stats *stats = own->view;
        const size_t words = ((size_t)stats->names + 63) / 64;
        for (int kind = 0; kind < SPOOR_KINDS; kind++)
            if (stats->kinds >> kind & 1) memset(stats->ops[kind], 0, sizeof stats->ops[kind]);
        memset(stats->cpus, 0, words * sizeof *stats->cpus);
        memset(stats->timed, 0, words * sizeof *stats->timed);
        memset(stats->spelled, 0, stats->names * sizeof *stats->spelled);
        memset(stats->agents, 0, sizeof stats->agents);
        memset(stats->cacheabilities, 0, sizeof stats->cacheabilities);
        stats_empty_spans(stats);
        stats->time = (struct stats_time){0};
        stats->macro_ops = stats->verbatim = stats->trailing_bytes = 0;
        stats->kinds = stats->names = stats->numbered = 0;
        stats_forget_arrivals(stats);
        stats->flows = false;
        stats->last_cpu = SPOOR_NO_NAME;
        stats->cpu_ids = stats->spelling_ids = NULL;
        return own->view;
    }
    free(own->view);
    own->view = stats_new();
    own->view_capacity = own->view ? sizeof(struct stats) : 0;
    if (!own->view) batch->out_of_memory = true;
    return own->view;
}

/* ---- adding records ---- */

/* An address that may have both parts. */
static void stats_reach_both(struct stats *stats, uint16_t has, enum address_use use, uint64_t va,
                             uint64_t pa)
{
    if (has & SPOOR_HAS_VA) span_reach(&stats->addresses[SPACE_VIRTUAL][use], va);
    if (has & SPOOR_HAS_PA) span_reach(&stats->addresses[SPACE_PHYSICAL][use], pa);
}

static void stats_add_addresses(struct stats *stats, const struct spoor_batch *batch, size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    const uint16_t has = record->has;
    switch ((enum spoor_kind)record->kind) {
    case SPOOR_NOTE:
        if (record->op == SPOOR_NOTE_TRAILING) stats->trailing_bytes += record->note.text.size;
        break;
    case SPOOR_UOP:
        stats->macro_ops +=
            (has & SPOOR_IS_SPILLED ? spoor_uop_of(batch, index).step : record->uop.step) == 1;
        span_reach(&stats->addresses[SPACE_VIRTUAL][USE_CODE], record->uop.pc);
        if (record->op & (SPOOR_UOP_LOAD | SPOOR_UOP_STORE))
            span_reach(&stats->addresses[SPACE_VIRTUAL][USE_DATA], record->uop.address);
        break;
    case SPOOR_INSN:
        stats_reach_both(stats, has, USE_CODE, record->insn.va, record->insn.pa);
        break;
    case SPOOR_FLOW:
        stats_reach_both(stats, has, USE_CODE, record->flow.va, record->flow.pa);
        break;
    case SPOOR_MEM:
        stats_reach_both(stats, has, record->op == SPOOR_MEM_FETCH ? USE_CODE : USE_DATA,
                         record->mem.va, record->mem.pa);
        break;
    case SPOOR_BUS:
        span_reach(&stats->addresses[SPACE_PHYSICAL][bus_uses[record->op]],
                   bus_first_byte(&record->bus));
        if (record->bus.given & SPOOR_BUS_GIVEN_AGENT)
            stats_include(stats->agents, record->bus.agent);
        stats->cacheabilities[bus_cacheability(&record->bus)]++;
        break;
    case SPOOR_CACHE:
        stats_reach_both(stats, has & SPOOR_HAS_PA, USE_OTHER, 0, record->cache.pa);
        break;
    case SPOOR_WALK:
        span_reach(&stats->addresses[SPACE_PHYSICAL][USE_OTHER], record->walk.pa);
        break;
    default: break;
    }
}

struct stats_numbers *stats_numbers_of(struct stats *stats, spoor_name cpu)
{
    for (uint32_t i = stats->numbered; i-- > 0;)
        if (stats->numbers[i].cpu == cpu) return &stats->numbers[i];
    if (stats->numbered == STATS_NUMBERED) return NULL;
    struct stats_numbers *numbers = &stats->numbers[stats->numbered++];
    *numbers = (struct stats_numbers){.cpu = cpu};
    return numbers;
}

/* Compares the number of an instruction with the last one of its processor. */
static void stats_step_number(struct stats_numbers *numbers, const struct stats_number *number)
{
    if (!numbers->known || numbers->otherwise) return;
    const uint64_t step = number->index - numbers->last.index;
    if (gap_rises_by_one(numbers->last.index, number->index)) {
        numbers->ones++;
    } else if (number->index <= numbers->last.index) {
        numbers->otherwise = step == 0 || !gap_begins(number->index);
        numbers->uncounted += step != 0 && number->pc != numbers->last.pc;
    } else if (!numbers->waits) {
        numbers->ticks += number->pc == numbers->last.pc;
        numbers->gaps++;
        numbers->missing += step - 1;
    }
}

static void stats_add_number(struct stats *stats, const struct spoor_record *record)
{
    const struct spoor_insn *insn = &record->insn;
    const spoor_name cpu = record->has & SPOOR_HAS_CPU ? record->cpu : SPOOR_NO_NAME;
    struct stats_numbers *numbers =
        record->op < SPOOR_INSN_AGAIN ? stats_numbers_of(stats, cpu) : NULL;
    if (!numbers) return;
    struct stats_number number = {.index = insn->index,
                                  .pc = record->has & SPOOR_HAS_VA ? insn->va : insn->pa};
    if (!numbers->begins) {
        numbers->begins = BEGINS_WITH_FIRST;
        numbers->first = number;
    }
    stats_step_number(numbers, &number);
    number.pc += insn->opcode_size;
    numbers->last = number;
    numbers->known = true;
    numbers->waits = insn_waits(insn);
}

/* Tracing begins: where it does not go on where it ended, there is a gap. */
static void stats_begin_tracing(struct stats_numbers *numbers, uint64_t pc)
{
    numbers->uncounted +=
        numbers->known && (numbers->last.ran_on || gap_of_tracing(numbers->last.pc, pc));
    numbers->known = false;
}

static void stats_note_arrival(struct stats *stats, uint64_t pc, uint64_t target, uint32_t times)
{
    uint32_t *recent = &stats->recent[pc * UINT64_C(0x9E3779B97F4A7C15) >> 56];
    struct stats_arrival *arrival = *recent ? &stats->arrivals[*recent - 1] : NULL;
    if (arrival && arrival->pc == pc && arrival->target == target && !arrival->times == !times) {
        arrival->times += times;
        return;
    }
    if (stats->arrived == STATS_ARRIVALS) return; /* a batch has fewer */
    stats->arrivals[stats->arrived++] = (struct stats_arrival){pc, target, times};
    *recent = stats->arrived;
}

void stats_forget_arrivals(struct stats *stats)
{
    if (stats->arrived) memset(stats->recent, 0, sizeof stats->recent);
    stats->arrived = 0;
}

void stats_arrive(struct stats *stats, struct stats_numbers *numbers, uint64_t pc)
{
    const struct flow_finder *flow = &numbers->flow;
    if (!numbers->begins) {
        numbers->begins = BEGINS_WITH_FLOW;
        numbers->first.pc = pc;
        return;
    }
    numbers->uncounted += flow_breaks(flow, pc);
    /* its code decides whether the instruction before goes on there */
    if (flow->where == FLOW_DIRECT || (flow->where == FLOW_DIRECT_OR_NEXT && pc != flow->next))
        stats_note_arrival(stats, flow->pc, pc, 1);
}

void stats_interrupt(struct stats_numbers *numbers)
{
    if (!numbers->begins) numbers->begins = BEGINS_WITH_LOSS;
    numbers->flow.where = FLOW_ANYWHERE;
}

void stats_code(struct stats *stats, const struct stats_numbers *numbers, uint8_t iset,
                uint64_t opcode)
{
    const struct flow_finder *flow = &numbers->flow;
    uint64_t target;
    if (flow_target(iset, flow->pc, opcode, (unsigned)(flow->next - flow->pc), &target))
        stats_note_arrival(stats, flow->pc, target, 0);
}

static void stats_add_flow(struct stats *stats, const struct spoor_record *record)
{
    const struct spoor_insn *insn = &record->insn;
    const spoor_name cpu = record->has & SPOOR_HAS_CPU ? record->cpu : SPOOR_NO_NAME;
    struct stats_numbers *numbers = stats_numbers_of(stats, cpu);
    stats->last_cpu = cpu;
    if (!numbers) return;
    if (record->kind == SPOOR_EVENT && record->op == SPOOR_EVENT_EXCEPTION) {
        stats_interrupt(numbers);
    } else if (record->kind == SPOOR_INSN && record->op < SPOOR_INSN_AGAIN) {
        stats_execute(stats, numbers, insn->va, insn->opcode_size, FLOW_NEXT);
        numbers->flow.iset = insn->iset;
        numbers->flow.has_code = record->has & SPOOR_HAS_DATA;
        numbers->flow.opcode = insn->opcode;
    } else if (record->kind == SPOOR_FLOW) {
        flow_state(&numbers->flow, record);
        if (numbers->flow.has_code)
            stats_code(stats, numbers, numbers->flow.iset, numbers->flow.opcode);
    }
}

void stats_gaps(const struct stats *stats, uint64_t *gaps, uint64_t *uncounted, uint64_t *missing)
{
    enum { TICKS = 4 };
    *gaps = *uncounted = *missing = 0;
    for (uint32_t i = 0; i < stats->numbered; i++) {
        const struct stats_numbers *numbers = &stats->numbers[i];
        if (numbers->ticks >= TICKS && numbers->ticks > numbers->ones / TICKS) continue;
        *gaps += numbers->gaps + numbers->uncounted;
        *uncounted += numbers->uncounted;
        *missing += numbers->missing;
    }
}

/* The number of ordinary micro-ops of one spelling, without a time, from `at` to `to`.  Most
 * micro-op traces have no others. */
static size_t stats_add_plain_uops(struct stats *stats, const struct spoor_batch *batch, size_t at,
                                   size_t to)
{
    const uint16_t other = SPOOR_HAS_TIME | SPOOR_HAS_CPU | SPOOR_IS_VERBATIM | SPOOR_IS_SPILLED;
    const struct spoor_record *record = &batch->records[at], *end = batch->records + to;
    const spoor_name spelling = record->spelling;
    const struct span none = {UINT64_MAX, 0};
    struct uop_tally tally = {.ops = stats->ops[SPOOR_UOP], .code = none, .data = {none, none}};
    for (; record < end && record->kind == SPOOR_UOP && !(record->has & other) &&
           record->spelling == spelling;
         record++)
        uop_tally_add(&tally, record->op, record->uop.step == 1, record->uop.pc,
                      record->uop.address);
    if (tally.count == 0) return 0;
    stats->kinds |= 1u << SPOOR_UOP;
    stats->spelled[spelling] += tally.count;
    stats->macro_ops += tally.macro_ops;
    span_join(&stats->addresses[SPACE_VIRTUAL][USE_CODE], &tally.code);
    span_join(&stats->addresses[SPACE_VIRTUAL][USE_DATA], &tally.data[true]);
    return (size_t)tally.count;
}

/* The kinds of records that flow_gap_before() reads. */
enum { FLOW_KINDS = 1 << SPOOR_INSN | 1 << SPOOR_FLOW | 1 << SPOOR_EVENT };

static void stats_know_names(struct stats *stats, uint32_t count)
{
    if (count > stats->names) stats->names = count;
}

void stats_add(struct stats *stats, const struct spoor_batch *batch, size_t from, size_t to,
               const struct spoor_names *names, const struct spoor_names *spellings)
{
    stats_know_names(stats, (uint32_t)spoor_names_count(names));
    stats_know_names(stats, (uint32_t)spoor_names_count(spellings));
    for (size_t i = from, plain; i < to; i += plain) {
        plain = batch->records[i].kind == SPOOR_UOP ? stats_add_plain_uops(stats, batch, i, to) : 0;
        if (plain) continue;
        const struct spoor_record *record = &batch->records[i];
        stats->kinds |= 1u << record->kind;
        stats->ops[record->kind][record->op]++;
        stats->verbatim += (record->has & SPOOR_IS_VERBATIM) != 0;
        stats->spelled[record->spelling]++;
        if (record->has & SPOOR_HAS_CPU) stats_include(stats->cpus, record->cpu);
        if (record->kind == SPOOR_INSN && insn_is_numbered(record)) stats_add_number(stats, record);
        if (record->kind == SPOOR_EVENT &&
            (record->op == SPOOR_EVENT_LOST || record->op == SPOOR_EVENT_BEGIN ||
             record->op == SPOOR_EVENT_END)) {
            const spoor_name cpu = record->has & SPOOR_HAS_CPU ? record->cpu : SPOOR_NO_NAME;
            const struct stats_number number = {.pc = record->event.value,
                                                .ran_on = record->has & SPOOR_HAS_EXTRA};
            const bool begins = record->op == SPOOR_EVENT_BEGIN;
            struct stats_numbers *numbers = stats_numbers_of(stats, cpu);
            if (numbers && record->op == SPOOR_EVENT_LOST) { /* the record states the gap */
                numbers->known = false;
                stats_interrupt(numbers);
            } else if (numbers) {
                if (!numbers->begins) {
                    numbers->begins = begins ? BEGINS_WITH_TRACING : BEGINS_WITH_LOSS;
                    numbers->first = number;
                }
                if (begins) stats_begin_tracing(numbers, number.pc);
                if (!begins) numbers->last = number;
                numbers->known = !begins && record->has & (SPOOR_HAS_VA | SPOOR_HAS_EXTRA);
            }
        }
        if (stats->flows && (1U << record->kind & FLOW_KINDS)) stats_add_flow(stats, record);
        stats_add_addresses(stats, batch, i);
        if (record->has & SPOOR_HAS_TIME) {
            struct stats_time *time = &stats->time;
            stats_include(stats->timed, record->spelling);
            if (!time->any)
                *time = (struct stats_time){.any = true,
                                            .first = record->time,
                                            .last = record->time,
                                            .spelling = record->spelling};
            time->backwards += record->time < time->last;
            time->last = record->time;
        }
        plain = 1;
    }
}

/* ---- merging ---- */

static spoor_name stats_renamed(const spoor_name *ids, unsigned id)
{
    return ids ? ids[id] : (spoor_name)id;
}

static void stats_join_numbers(struct stats *stats, const struct stats *next)
{
    for (uint32_t i = 0; i < next->numbered; i++) {
        const struct stats_numbers *part = &next->numbers[i];
        const spoor_name cpu = part->cpu == SPOOR_NO_NAME && next->flows
                                   ? stats->last_cpu
                                   : stats_renamed(next->cpu_ids, part->cpu);
        struct stats_numbers *numbers = stats_numbers_of(stats, cpu);
        if (!numbers || numbers->otherwise || !part->begins) continue;
        if (!numbers->begins) {
            numbers->begins = part->begins;
            numbers->first = part->first;
        }
        if (part->begins == BEGINS_WITH_FIRST) stats_step_number(numbers, &part->first);
        if (part->begins == BEGINS_WITH_TRACING) stats_begin_tracing(numbers, part->first.pc);
        if (part->begins == BEGINS_WITH_FLOW) stats_arrive(stats, numbers, part->first.pc);
        if (numbers->otherwise) continue;
        numbers->known = part->known;
        numbers->otherwise = part->otherwise;
        numbers->waits = part->waits;
        numbers->last = part->last;
        numbers->flow = part->flow;
        numbers->ones += part->ones;
        numbers->ticks += part->ticks;
        numbers->gaps += part->gaps;
        numbers->uncounted += part->uncounted;
        numbers->missing += part->missing;
    }
}

void stats_join(struct stats *stats, const struct stats *next)
{
    stats->kinds |= next->kinds;
    for (int kind = 0; kind < SPOOR_KINDS; kind++)
        for (int op = 0; next->kinds >> kind & 1 && op < STATS_OPS; op++)
            stats->ops[kind][op] += next->ops[kind][op];
    for (int space = 0; space < SPACES; space++)
        for (int use = 0; use < USES; use++)
            span_join(&stats->addresses[space][use], &next->addresses[space][use]);
    for (int i = 0; i < STATS_AGENTS / 64; i++) stats->agents[i] |= next->agents[i];
    for (int i = 0; i < BUS_CACHEABILITIES; i++)
        stats->cacheabilities[i] += next->cacheabilities[i];
    stats->macro_ops += next->macro_ops;
    stats->verbatim += next->verbatim;
    stats->trailing_bytes += next->trailing_bytes;
    for (unsigned id = 0; id < next->names; id++) {
        if (stats_includes(next->cpus, id)) {
            const spoor_name cpu = stats_renamed(next->cpu_ids, id);
            stats_include(stats->cpus, cpu);
            stats_know_names(stats, cpu + 1u);
        }
        if (!next->spelled[id]) continue;
        const spoor_name spelling = stats_renamed(next->spelling_ids, id);
        stats->spelled[spelling] += next->spelled[id];
        stats_know_names(stats, spelling + 1u);
        if (stats_includes(next->timed, id)) stats_include(stats->timed, spelling);
    }
    stats_join_numbers(stats, next);
    if (next->flows) { /* after the numbers, which may add arrivals */
        for (uint32_t i = 0; i < next->arrived && stats->arrived < STATS_ARRIVALS; i++)
            stats->arrivals[stats->arrived++] = next->arrivals[i];
        if (next->last_cpu) stats->last_cpu = stats_renamed(next->cpu_ids, next->last_cpu);
    }
    struct stats_time *time = &stats->time;
    if (!next->time.any) return;
    if (!time->any)
        *time =
            (struct stats_time){.any = true,
                                .first = next->time.first,
                                .last = next->time.relative ? 0 : next->time.first,
                                .spelling = stats_renamed(next->spelling_ids, next->time.spelling)};
    if (next->time.relative) {
        time->last += next->time.last;
        return;
    }
    time->backwards += next->time.backwards + (next->time.first < time->last);
    time->last = next->time.last;
}
