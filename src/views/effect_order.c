/* SPDX-License-Identifier: MIT */
/* effect_order.c: puts the effects of an instruction after it, and finds whether a trace needs it.
 */
#include "views/effect_order.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/ascii.h"
#include "isa/operands.h"
#include "model/batch_own.h"

#define NOWHERE UINT32_MAX
enum { WAITING_MAXIMUM = 4096 /* records: effects without an instruction for so long have none */ };

/* An effect that waits for its instruction, or an event. */
struct waiting_record {
    uint32_t index; /* in the batch */
    spoor_name cpu;
    bool is_event;
};

struct effect_order {
    struct spoor_batch held;        /* records at the end of the last batch */
    bool begun;                     /* an executed instruction has been read */
    struct spoor_record last;       /* instruction; a NOTE: there is none */
    struct waiting_record *waiting; /* of the batch, in order */
    size_t waiting_count, waiting_capacity;
    uint32_t *next;  /* by record of the batch: the next effect of the same instruction */
    uint32_t *first; /* by instruction: its first effect; NOWHERE: it has none */
    uint32_t *place; /* by record: where it goes */
    struct spoor_record *records;
    size_t next_capacity, first_capacity, place_capacity, record_capacity;
};

struct effect_order *effect_order_new(void)
{
    return calloc(1, sizeof(struct effect_order));
}

void effect_order_free(struct effect_order *order)
{
    if (!order) return;
    spoor_batch_free(&order->held);
    free(order->waiting);
    free(order->next);
    free(order->first);
    free(order->place);
    free(order->records);
    free(order);
}

bool effect_order_is_clean(const struct effect_order *order)
{
    return order->held.count == 0 && order->begun;
}

void effect_order_enter(struct effect_order *order, bool at_start)
{
    spoor_batch_clear(&order->held);
    order->begun = !at_start;
    order->last = (struct spoor_record){.kind = SPOOR_NOTE};
}

/* ---- what records are ---- */

static bool effect_order_is_effect(const struct spoor_record *record)
{
    if (record->kind == SPOOR_REG) return true;
    return record->kind == SPOOR_MEM && record->op != SPOOR_MEM_FETCH &&
           record->op != SPOOR_MEM_PREFETCH && record->op != SPOOR_MEM_PREFETCH_CODE;
}

/* True for an event that may be an exception. */
static bool effect_order_is_exception(const struct spoor_record *record)
{
    return record->kind == SPOOR_EVENT &&
           (record->op == SPOOR_EVENT_E || record->op == SPOOR_EVENT_EXCEPTION ||
            record->op == SPOOR_EVENT_REASON || record->op == SPOOR_EVENT_DEBUG);
}

static bool effect_order_is_executed(const struct spoor_record *record)
{
    return record->kind == SPOOR_INSN && record->op == SPOOR_INSN_TAKEN;
}

/* What an opcode does. */
struct opcode_effects {
    uint64_t writes; /* bit r: enum isa_register, below ISA_FLAGS */
    bool flags, loads, stores;
    bool branches;
    bool special; /* MSR: a register without a number, such as PSP or ELR_EL1 */
};

/* False: no table knows the opcode.  Without a letter and in a trace of an unknown instruction set,
 * it is Thumb: Cortex-M0 RTL prints none. */
static bool effect_order_find_effects(struct opcode_effects *effects, enum isa isa,
                                      const struct spoor_record *record)
{
    const struct spoor_insn *insn = &record->insn;
    struct isa_operands operands;
    *effects = (struct opcode_effects){0};
    if (!(record->has & SPOOR_HAS_DATA)) return false;
    const bool unknown = isa == ISA_UNKNOWN && !insn->iset;
    const enum isa own = unknown ? ISA_AARCH32 : isa_of_instruction(isa, insn->iset);
    const bool thumb = insn->iset == 'T' || insn->iset == 'X' ||
                       (!insn->iset && insn->opcode_size == 2) ||
                       (unknown && insn->opcode >> 27 >= 0x1D);
    effects->special = isa_writes_special(own, thumb, insn->opcode);
    if (effects->special && own == ISA_AARCH32 && (insn->opcode & 0xFE) == 8)
        effects->writes |= UINT64_C(1) << 13; /* MSP, PSP */
    if (!isa_operands_of(&operands, own, thumb, insn->opcode, isa_opcode_size(own, insn)))
        return effects->special;
    for (unsigned i = 0; i < operands.write_count; i++) {
        if (operands.writes[i] < ISA_FLAGS)
            effects->writes |= UINT64_C(1) << operands.writes[i];
        else
            effects->flags |= operands.writes[i] == ISA_FLAGS;
    }
    if (own == ISA_AARCH32) effects->writes &= ~(UINT64_C(1) << 15); /* the pc */
    effects->loads = operands.load;
    effects->stores = operands.store;
    effects->branches = operands.branch;
    return true;
}

/* The number of a register that a record writes: enum isa_register; -1: it has none. */
static int effect_order_number(enum isa isa, const struct spoor_batch *batch,
                               const struct spoor_record *record)
{
    struct register_name name;
    size_t size;
    const char *text = spoor_names_text(batch->stream->names, record->reg.name, &size);
    const enum isa known = isa == ISA_UNKNOWN ? ISA_AARCH32 : isa;
    if (record->op != SPOOR_REG_WRITE) return -1;
    register_canonical(text, size, known, &name);
    return isa_register_number(known, &name);
}

/* ---- finding the order of a trace ---- */

/* The last executed instruction of a processor. */
struct voter {
    uint64_t writes;         /* of its opcode */
    uint64_t before, after;  /* registers that were stated before it and after it */
    bool known, interrupted; /* an event came in between */
};

static void effect_order_vote(const struct voter *voter, struct effect_votes *votes)
{
    if (!voter->known || voter->interrupted || !voter->writes) return;
    const bool before = voter->writes & voter->before, after = voter->writes & voter->after;
    votes->before += before && !after;
    votes->after += after && !before;
}

bool effect_order_count(const struct spoor_batch *batch, struct effect_votes *votes)
{
    struct voter *voters = NULL, *voter;
    size_t capacity = 0;
    const enum isa isa = isa_of(batch);
    spoor_name cpu = SPOOR_NO_NAME;
    for (size_t i = 0; i < batch->count; i++) {
        const struct spoor_record *record = &batch->records[i];
        if (record->has & SPOOR_HAS_CPU) cpu = record->cpu;
        if (!array_reserve_zeroed(&voters, &capacity, (size_t)cpu + 1)) {
            free(voters);
            return false;
        }
        voter = &voters[cpu];
        if (effect_order_is_executed(record)) {
            effect_order_vote(voter, votes);
            /* What lies before the first instruction of a processor is its initial state, and shows
             * nothing. */
            struct opcode_effects effects;
            const bool shows = effect_order_find_effects(&effects, isa, record) && voter->known;
            *voter = (struct voter){
                .known = true, .writes = shows ? effects.writes : 0, .before = voter->after};
        } else if (record->kind == SPOOR_REG) {
            const int number = effect_order_number(isa, batch, record);
            if (number >= 0 && number < ISA_FLAGS) voter->after |= UINT64_C(1) << number;
        } else if (effect_order_is_exception(record)) {
            voter->interrupted = true;
        }
    }
    for (size_t i = 0; i < capacity; i++) effect_order_vote(&voters[i], votes);
    free(voters);
    return true;
}

/* ---- moving records ---- */

static int effect_order_by_record(const void *a, const void *b)
{
    const struct spoor_spill *one = a, *other = b;
    if (one->record != other->record) return one->record < other->record ? -1 : 1;
    return one->what < other->what ? -1 : one->what > other->what;
}

static int effect_order_by_fault(const void *a, const void *b)
{
    const struct spoor_fault *one = a, *other = b;
    return one->record < other->record ? -1 : one->record > other->record;
}

/* Puts record i, with its spills, faults and line, where order->place[i] says. */
static bool effect_order_arrange(struct effect_order *order, struct spoor_batch *batch)
{
    const size_t count = batch->count;
    if (!array_reserve(&order->records, &order->record_capacity, count) ||
        !array_reserve(&order->next, &order->next_capacity, count))
        return false;
    for (size_t i = 0; i < count; i++) {
        order->records[order->place[i]] = batch->records[i];
        order->next[order->place[i]] = batch->places[i];
    }
    memcpy(batch->records, order->records, count * sizeof *batch->records);
    memcpy(batch->places, order->next, count * sizeof *batch->places);
    for (size_t i = 0; i < batch->spill_count; i++)
        batch->spills[i].record = order->place[batch->spills[i].record];
    for (size_t i = 0; i < batch->fault_count; i++)
        batch->faults[i].record = order->place[batch->faults[i].record];
    if (batch->spill_count)
        qsort(batch->spills, batch->spill_count, sizeof *batch->spills, effect_order_by_record);
    if (batch->fault_count)
        qsort(batch->faults, batch->fault_count, sizeof *batch->faults, effect_order_by_fault);
    return true;
}

/* States the line of each record, which so far are one after another; the text of the batch is no
 * longer that of its records. */
static bool effect_order_number_lines(struct spoor_batch *batch)
{
    free(batch_own(batch)->lines);
    batch_own(batch)->lines = NULL;
    if (batch->place_count) return true;
    if (!array_reserve(&batch->places, &batch_own(batch)->place_capacity, batch->count))
        return false;
    for (size_t i = 0; i < batch->count; i++) batch->places[i] = (uint32_t)i;
    batch->place_count = batch->count;
    return true;
}

/* Appends record `index` of another batch of the stream, with its fault. */
static bool effect_order_copy_record(struct spoor_batch *to, const struct spoor_batch *from,
                                     size_t index)
{
    if (batch_append(to, from, index, NULL, NULL) != SPOOR_OK) return false;
    for (size_t i = 0; i < from->fault_count; i++) {
        const struct spoor_fault *fault = &from->faults[i];
        if (fault->record != index) continue;
        const struct spoor_ref found =
            spoor_batch_keep(to, spoor_batch_bytes(from, fault->found), fault->found.size);
        batch_fault(to, fault->rule, fault->column, fault->expected, found);
    }
    return !to->out_of_memory;
}

/* Puts the records that wait before those of the batch. */
static bool effect_order_join(struct effect_order *order, struct spoor_batch *batch)
{
    const size_t own = batch->count, count = order->held.count;
    if (!effect_order_number_lines(batch) ||
        !array_reserve(&batch->places, &batch_own(batch)->place_capacity, own + count) ||
        !array_reserve(&order->place, &order->place_capacity, own + count))
        return false;
    for (size_t i = 0; i < own; i++) {
        batch->places[i] += (uint32_t)count;
        order->place[i] = (uint32_t)(i + count);
    }
    for (size_t i = 0; i < count; i++) {
        if (!effect_order_copy_record(batch, &order->held, i)) return false;
        batch->places[own + i] = (uint32_t)i;
        order->place[own + i] = (uint32_t)i;
    }
    batch->place_count = batch->count;
    batch->first -= count;
    if (batch->line) batch->line -= count;
    spoor_batch_clear(&order->held);
    return effect_order_arrange(order, batch);
}

/* ---- finding the instruction of an effect ---- */

/* What an instruction may have of the effects that wait, which are tried from the last one on. */
struct effect_claim {
    const struct spoor_batch *batch;
    const struct effect_order *order;
    size_t insn;
    enum isa isa;
    bool limited; /* only effects that the opcode has are its own, and only the last ones: */
    bool over;    /* one was refused, and with it all before */
    struct opcode_effects effects;
    uint32_t since; /* accesses before this record belong to an exception */
    uint64_t pc;
};

static bool effect_order_wants(const struct effect_claim *claim, size_t index)
{
    const struct spoor_record *record = &claim->batch->records[index];
    struct spoor_ref ref;
    if ((record->has & SPOOR_IS_SPILLED) &&
        spoor_batch_find_spill(claim->batch, index, SPOOR_SPILL_ORIGIN, &ref)) {
        struct spoor_origin origin;
        memcpy(&origin, spoor_batch_bytes(claim->batch, ref), sizeof origin);
        return origin.pc == claim->pc;
    }
    if (!claim->limited) return true;
    if (claim->over) return false;
    if (record->kind == SPOOR_REG) {
        const int number = effect_order_number(claim->isa, claim->batch, record);
        /* an instruction that already has a write of it: the one before is another's */
        const uint32_t *next = claim->order->next;
        for (uint32_t own = claim->order->first[claim->insn]; own != NOWHERE; own = next[own]) {
            const struct spoor_record *other = &claim->batch->records[own];
            if (other->kind == SPOOR_REG && other->reg.name == record->reg.name && !other->reg.high)
                return false;
        }
        if (number < 0) return claim->effects.special && record->op == SPOOR_REG_WRITE;
        if (number > ISA_FLAGS) return false;
        return number == ISA_FLAGS ? claim->effects.flags : claim->effects.writes >> number & 1;
    }
    if (index < claim->since) return false;
    return record->op == SPOOR_MEM_READ ? claim->effects.loads : claim->effects.stores;
}

static spoor_name effect_order_cpu(const struct spoor_record *record)
{
    return record->has & SPOOR_HAS_CPU ? record->cpu : SPOOR_NO_NAME;
}

/* True if it waits for an instruction of this processor; what names none waits for any. */
static bool effect_order_is_for(const struct waiting_record *waiting, spoor_name cpu)
{
    return waiting->cpu == cpu || waiting->cpu == SPOOR_NO_NAME;
}

/* True if what waits has the entry of an exception of Cortex-M that no event states: EXC_RETURN in
 * the link register. */
static bool effect_order_has_entry(const struct effect_claim *claim, spoor_name cpu)
{
    const struct effect_order *order = claim->order;
    bool entered = false;
    for (size_t i = 0; i < order->waiting_count; i++) {
        const struct waiting_record *waiting = &order->waiting[i];
        const struct spoor_record *record = &claim->batch->records[waiting->index];
        if (!effect_order_is_for(waiting, cpu)) continue;
        if (waiting->is_event) return false;
        entered |= record->kind == SPOOR_REG && record->reg.value[0] >> 8 == 0xFFFFFF &&
                   record->reg.value[0] != 0xFFFFFFFF &&
                   effect_order_number(claim->isa, claim->batch, record) == 14;
    }
    return entered;
}

/* The last record that waits and that only the entry of an exception of the A profile writes, but
 * for MSR: a saved status or return address; NOWHERE: there is none. */
static uint32_t effect_order_saved_status(const struct effect_claim *claim, spoor_name cpu)
{
    const struct effect_order *order = claim->order;
    for (size_t i = order->waiting_count; i-- > 0;) {
        const struct waiting_record *waiting = &order->waiting[i];
        const struct spoor_record *record = &claim->batch->records[waiting->index];
        if (record->kind != SPOOR_REG || record->op != SPOOR_REG_WRITE ||
            !effect_order_is_for(waiting, cpu))
            continue;
        const char *name = spoor_names_text(claim->batch->stream->names, record->reg.name, NULL);
        if (ascii_compare_some(name, "spsr_", 5) == 0 || ascii_compare_some(name, "elr_", 4) == 0)
            return waiting->index;
    }
    return NOWHERE;
}

/* True if the instruction does not follow the last one, which does not branch: then an exception
 * came between them.  Otherwise it may be the one that is interrupted. */
static bool effect_order_is_reached_by_exception(const struct effect_claim *claim,
                                                 const struct spoor_record *record)
{
    const struct spoor_record *last = &claim->order->last;
    struct opcode_effects effects;
    if (last->kind != SPOOR_INSN || effect_order_cpu(last) != effect_order_cpu(record) ||
        !effect_order_find_effects(&effects, claim->isa, last) || effects.branches)
        return false;
    const uint64_t pc = (last->has & SPOOR_HAS_VA) ? last->insn.va : last->insn.pa;
    return pc + isa_opcode_size(claim->isa, &last->insn) != claim->pc;
}

/* Finds what limits the effects of an instruction. */
static void effect_order_limit(struct effect_claim *claim, const struct spoor_record *record)
{
    const struct effect_order *order = claim->order;
    bool interrupted = false;
    if (record->op == SPOOR_INSN_SKIPPED) { /* at most the state of an IT block */
        claim->limited = !effect_order_has_entry(claim, effect_order_cpu(record));
        claim->effects.flags = true;
        return;
    }
    for (size_t i = order->waiting_count; i-- > 0 && !interrupted;) {
        const struct waiting_record *waiting = &order->waiting[i];
        if (!waiting->is_event || !effect_order_is_for(waiting, effect_order_cpu(record))) continue;
        interrupted = true;
        claim->since = waiting->index;
    }
    const uint32_t saved =
        interrupted ? NOWHERE : effect_order_saved_status(claim, effect_order_cpu(record));
    const bool entered = saved != NOWHERE && effect_order_is_reached_by_exception(claim, record);
    if (!interrupted && !entered && order->begun) return;
    const bool known = effect_order_find_effects(&claim->effects, claim->isa, record);
    claim->limited = interrupted || known; /* else no more is known than that effects come first */
    if (entered && claim->effects.special)
        claim->limited = false;
    else if (entered)
        claim->since = saved;
}

/* Lists the effects of an instruction.  Nothing else waits longer on its processor, unless it was
 * skipped: then what waits is the next one's. */
static void effect_order_give(struct effect_order *order, const struct spoor_batch *batch,
                              size_t index, enum isa isa)
{
    const struct spoor_record *record = &batch->records[index];
    const bool skipped = record->op == SPOOR_INSN_SKIPPED;
    struct effect_claim claim = {.batch = batch,
                                 .order = order,
                                 .insn = index,
                                 .isa = isa,
                                 .pc = (record->has & SPOOR_HAS_VA) ? record->insn.va
                                                                    : record->insn.pa};
    size_t kept = order->waiting_count;
    effect_order_limit(&claim, record);
    for (size_t i = order->waiting_count; i-- > 0;) { /* those that stay move to the end */
        const struct waiting_record waiting = order->waiting[i];
        const bool own = effect_order_is_for(&waiting, effect_order_cpu(record));
        const bool given = own && !waiting.is_event && effect_order_wants(&claim, waiting.index);
        claim.over |= own && !given;
        if (!own || (skipped && !given)) order->waiting[--kept] = waiting;
        if (!given) continue;
        order->next[waiting.index] = order->first[index];
        order->first[index] = waiting.index;
    }
    order->last = *record;
    order->waiting_count -= kept;
    if (kept == 0) return; /* all stay, or there are none */
    memmove(order->waiting, order->waiting + kept, order->waiting_count * sizeof *order->waiting);
}

/* Where each record goes, up to `end`. */
static bool effect_order_place_records(struct effect_order *order, size_t end)
{
    uint32_t at = 0;
    bool moved = false;
    for (size_t i = 0; i < end; i++) order->place[i] = 0;
    for (size_t i = 0; i < end; i++)
        for (uint32_t own = order->first[i]; own != NOWHERE; own = order->next[own])
            order->place[own] = NOWHERE;
    for (size_t i = 0; i < end; i++) {
        if (order->place[i] == NOWHERE) continue;
        order->place[i] = at++;
        for (uint32_t own = order->first[i]; own != NOWHERE; own = order->next[own]) {
            order->place[own] = at++;
            moved = true;
        }
    }
    return moved;
}

static bool effect_order_put_in_order(struct effect_order *order, struct spoor_batch *batch,
                                      size_t from)
{
    const enum isa isa = isa_of(batch);
    const bool begun = order->begun;
    size_t insn = batch->count; /* the first */
    if (!array_reserve(&order->next, &order->next_capacity, batch->count) ||
        !array_reserve(&order->first, &order->first_capacity, batch->count) ||
        !array_reserve(&order->place, &order->place_capacity, batch->count))
        return false;
    order->waiting_count = 0;
    for (size_t i = 0; i < batch->count; i++) {
        const struct spoor_record *record = &batch->records[i];
        order->first[i] = NOWHERE;
        if (i < from) continue;
        const bool skipped = record->kind == SPOOR_INSN && record->op == SPOOR_INSN_SKIPPED;
        if (skipped || effect_order_is_executed(record)) {
            effect_order_give(order, batch, i, isa);
            if (skipped) continue; /* what waits may still be the initial state */
            order->begun = true;
            if (insn > i) insn = i;
        } else if (effect_order_is_effect(record) || effect_order_is_exception(record)) {
            if (!array_reserve(&order->waiting, &order->waiting_capacity, order->waiting_count + 1))
                return false;
            order->waiting[order->waiting_count++] = (struct waiting_record){
                (uint32_t)i, effect_order_cpu(record), !effect_order_is_effect(record)};
        }
    }
    /* The records before `end` stay in the batch: those of an instruction after it wait, too. */
    size_t end = batch->count;
    if (!batch->last) {
        if (order->waiting_count && end - order->waiting[0].index <= WAITING_MAXIMUM)
            end = order->waiting[0].index;
        for (size_t i = batch->count; i-- > end;)
            if (order->first[i] < end) end = order->first[i];
    }
    order->begun = begun || insn < end;
    order->held.stream = batch->stream;
    for (size_t i = end; i < batch->count; i++)
        if (!effect_order_copy_record(&order->held, batch, i)) return false;
    batch->count = end;
    if (batch->place_count > end) batch->place_count = end;
    while (batch->spill_count && batch->spills[batch->spill_count - 1].record >= end)
        batch->spill_count--;
    while (batch->fault_count && batch->faults[batch->fault_count - 1].record >= end)
        batch->fault_count--;
    return !effect_order_place_records(order, end) ||
           (effect_order_number_lines(batch) && effect_order_arrange(order, batch));
}

void effect_order_feed(struct effect_order *order, struct spoor_batch *batch)
{
    size_t from = 0;
    bool good = true;
    if (order->held.count) {
        if (batch->gap) from = order->held.count;
        good = effect_order_join(order, batch);
    }
    if (good) good = effect_order_put_in_order(order, batch, from);
    batch->out_of_memory |= !good;
}

bool effect_order_end(struct effect_order *order, struct spoor_batch *batch)
{
    const size_t count = order->held.count;
    if (count == 0) return false;
    if (!effect_order_join(order, batch)) batch->out_of_memory = true;
    return true;
}
