/* SPDX-License-Identifier: MIT */
/* stats.c: count records, and merge counts. */
#include "views/stats.h"

#include <stdlib.h>
#include <string.h>

const uint8_t bus_uses[SPOOR_BUS_OPS] = {
    [SPOOR_BUS_FETCH] = USE_CODE,           [SPOOR_BUS_READ] = USE_DATA,
    [SPOOR_BUS_READ_INVALIDATE] = USE_DATA, [SPOOR_BUS_WRITE] = USE_DATA,
    [SPOOR_BUS_WRITEBACK] = USE_DATA,       [SPOOR_BUS_IO_READ] = USE_IO,
    [SPOOR_BUS_IO_WRITE] = USE_IO,
};

/* ---- beginning ---- */

static void empty_spans(struct account *account)
{
    for (int space = 0; space < SPACES; space++)
        for (int use = 0; use < USES; use++)
            account->addresses[space][use] = (struct span){UINT64_MAX, 0};
}

struct account *account_new(void)
{
    /* calloc(): most of the large arrays is never touched */
    struct account *account = calloc(1, sizeof *account);
    if (account) empty_spans(account);
    return account;
}

static size_t words_of(uint32_t names)
{
    return ((size_t)names + 63) / 64;
}

/* Reset, at a cost proportional to the content. */
static void clear(struct account *account)
{
    for (int kind = 0; kind < SPOOR_KINDS; kind++)
        if (account->kinds >> kind & 1) memset(account->ops[kind], 0, sizeof account->ops[kind]);
    memset(account->cpus, 0, words_of(account->names) * sizeof *account->cpus);
    memset(account->timed, 0, words_of(account->names) * sizeof *account->timed);
    memset(account->spelled, 0, account->names * sizeof *account->spelled);
    memset(account->agents, 0, sizeof account->agents);
    empty_spans(account);
    account->time = (struct account_time){0};
    account->macro_ops = account->odd = account->trailing_bytes = 0;
    account->kinds = account->names = 0;
    account->carries = false;
    account->cpu_ids = account->spelling_ids = NULL;
}

struct account *account_reserve(struct spoor_batch *batch)
{
    if (batch->view && batch->view_room == sizeof(struct account)) {
        clear(batch->view);
        return batch->view;
    }
    free(batch->view);
    batch->view = account_new();
    batch->view_room = batch->view ? sizeof(struct account) : 0;
    if (!batch->view) batch->out_of_memory = true;
    return batch->view;
}

/* ---- adding records ---- */

/* An address that may have both parts. */
static void reach_both(struct account *account, uint16_t has, enum address_use use, uint64_t va,
                       uint64_t pa)
{
    if (has & SPOOR_HAS_VA) span_reach(&account->addresses[SPACE_VIRTUAL][use], va);
    if (has & SPOOR_HAS_PA) span_reach(&account->addresses[SPACE_PHYSICAL][use], pa);
}

static void take_uop(struct account *account, const struct spoor_batch *batch, size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    bool spilled = record->has & SPOOR_IS_SPILLED;
    account->macro_ops += spilled ? spoor_uop_of(batch, index).step == 1 : record->uop.step == 1;
    span_reach(&account->addresses[SPACE_VIRTUAL][USE_CODE], record->uop.pc);
    if (record->op & (SPOOR_UOP_LOAD | SPOOR_UOP_STORE))
        span_reach(&account->addresses[SPACE_VIRTUAL][USE_DATA], record->uop.address);
}

static void take_bus(struct account *account, const struct spoor_record *record)
{
    span_reach(&account->addresses[SPACE_PHYSICAL][bus_uses[record->op]], record->bus.address);
    if (record->bus.given & SPOOR_BUS_GIVEN_AGENT)
        account_include(account->agents, record->bus.agent);
}

static void take_addresses(struct account *account, const struct spoor_batch *batch, size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    const uint16_t has = record->has;
    switch ((enum spoor_kind)record->kind) {
    case SPOOR_NOTE:
        if (record->op == SPOOR_NOTE_TRAILING) account->trailing_bytes += record->note.text.size;
        break;
    case SPOOR_UOP: take_uop(account, batch, index); break;
    case SPOOR_INSN: reach_both(account, has, USE_CODE, record->insn.va, record->insn.pa); break;
    case SPOOR_FLOW: reach_both(account, has, USE_CODE, record->flow.va, record->flow.pa); break;
    case SPOOR_MEM:
        reach_both(account, has, record->op == SPOOR_MEM_FETCH ? USE_CODE : USE_DATA,
                   record->mem.va, record->mem.pa);
        break;
    case SPOOR_BUS: take_bus(account, record); break;
    case SPOOR_CACHE:
        reach_both(account, has & SPOOR_HAS_PA, USE_OTHER, 0, record->cache.pa);
        break;
    case SPOOR_WALK:
        span_reach(&account->addresses[SPACE_PHYSICAL][USE_OTHER], record->walk.pa);
        break;
    default: break;
    }
}

static void take_time(struct account *account, const struct spoor_record *record)
{
    struct account_time *time = &account->time;
    account_include(account->timed, record->spelling);
    if (!time->any)
        *time = (struct account_time){
            .any = true, .first = record->time, .last = record->time, .spelling = record->spelling};
    time->backwards += record->time < time->last;
    time->last = record->time;
}

void uop_tally_end(const struct uop_tally *tally, struct account *account, spoor_name spelling)
{
    if (tally->count == 0) return;
    account->kinds |= 1u << SPOOR_UOP;
    account->spelled[spelling] += tally->count;
    account->macro_ops += tally->macro_ops;
    span_join(&account->addresses[SPACE_VIRTUAL][USE_CODE], &tally->code);
    span_join(&account->addresses[SPACE_VIRTUAL][USE_DATA], &tally->data[true]);
}

/* The number of ordinary micro-ops of one spelling, without a time, from `at` to `to`.  Most
 * micro-op traces have no others. */
static size_t take_plain_uops(struct account *account, const struct spoor_batch *batch, size_t at,
                              size_t to)
{
    const uint16_t other = SPOOR_HAS_TIME | SPOOR_HAS_CPU | SPOOR_IS_ODD | SPOOR_IS_SPILLED;
    const struct spoor_record *record = &batch->records[at], *end = batch->records + to;
    const spoor_name spelling = record->spelling;
    struct uop_tally tally = uop_tally_begin(account);
    for (; record < end && record->kind == SPOOR_UOP && !(record->has & other) &&
           record->spelling == spelling;
         record++)
        uop_tally_add(&tally, record->op, record->uop.step == 1, record->uop.pc,
                      record->uop.address);
    uop_tally_end(&tally, account, spelling);
    return (size_t)tally.count;
}

/* Count all of a record but its time, `times` times. */
static void count_record(struct account *account, const struct spoor_batch *batch, size_t index,
                         uint64_t times)
{
    const struct spoor_record *record = &batch->records[index];
    account->kinds |= 1u << record->kind;
    account->ops[record->kind][record->op] += times;
    account->odd += (record->has & SPOOR_IS_ODD) ? times : 0;
    account->spelled[record->spelling] += times;
    if (record->has & SPOOR_HAS_CPU) account_include(account->cpus, record->cpu);
    take_addresses(account, batch, index);
}

static void take_record(struct account *account, const struct spoor_batch *batch, size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    count_record(account, batch, index, 1);
    if (record->has & SPOOR_HAS_TIME) take_time(account, record);
}

static void know_names(struct account *account, uint32_t count)
{
    if (count > account->names) account->names = count;
}

void account_add(struct account *account, const struct spoor_batch *batch, size_t from, size_t to,
                 const struct spoor_names *names, const struct spoor_names *spellings)
{
    know_names(account, (uint32_t)spoor_names_count(names));
    know_names(account, (uint32_t)spoor_names_count(spellings));
    for (size_t i = from, plain; i < to; i += plain) {
        plain = batch->records[i].kind == SPOOR_UOP ? take_plain_uops(account, batch, i, to) : 0;
        if (plain) continue;
        take_record(account, batch, i);
        plain = 1;
    }
}

void account_add_alike(struct account *account, const struct spoor_record *record, uint64_t times)
{
    struct spoor_record alike = *record;
    const struct spoor_batch batch = {.records = &alike, .count = 1};
    know_names(account, record->spelling + 1u);
    if (record->has & SPOOR_HAS_CPU) know_names(account, record->cpu + 1u);
    if (record->has & SPOOR_HAS_TIME) account_include(account->timed, record->spelling);
    count_record(account, &batch, 0, times);
}

/* ---- merging ---- */

static spoor_name renamed(const spoor_name *ids, unsigned id)
{
    return ids ? ids[id] : (spoor_name)id;
}

/* Include a renamed member. */
static void join_member(struct account *account, uint64_t *set, spoor_name member)
{
    account_include(set, member);
    know_names(account, member + 1u);
}

static void join_names(struct account *account, const struct account *next)
{
    for (unsigned id = 0; id < next->names; id++) {
        if (account_includes(next->cpus, id))
            join_member(account, account->cpus, renamed(next->cpu_ids, id));
        if (!next->spelled[id]) continue;
        const spoor_name spelling = renamed(next->spelling_ids, id);
        account->spelled[spelling] += next->spelled[id];
        know_names(account, spelling + 1u);
        if (account_includes(next->timed, id)) account_include(account->timed, spelling);
    }
}

static void join_time(struct account *account, const struct account *next)
{
    struct account_time *time = &account->time;
    if (!next->time.any) return;
    if (!time->any)
        *time = (struct account_time){.any = true,
                                      .first = next->time.first,
                                      .last = next->time.relative ? 0 : next->time.first,
                                      .spelling = renamed(next->spelling_ids, next->time.spelling)};
    if (next->time.relative) {
        time->last += next->time.last;
        return;
    }
    time->backwards += next->time.backwards + (next->time.first < time->last);
    time->last = next->time.last;
}

void account_join(struct account *account, const struct account *next)
{
    account->kinds |= next->kinds;
    for (int kind = 0; kind < SPOOR_KINDS; kind++)
        for (int op = 0; next->kinds >> kind & 1 && op < ACCOUNT_OPS; op++)
            account->ops[kind][op] += next->ops[kind][op];
    for (int space = 0; space < SPACES; space++)
        for (int use = 0; use < USES; use++)
            span_join(&account->addresses[space][use], &next->addresses[space][use]);
    for (int i = 0; i < ACCOUNT_AGENTS / 64; i++) account->agents[i] |= next->agents[i];
    account->macro_ops += next->macro_ops;
    account->odd += next->odd;
    account->trailing_bytes += next->trailing_bytes;
    join_names(account, next);
    join_time(account, next);
}
