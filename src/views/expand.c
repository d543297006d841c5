/* SPDX-License-Identifier: MIT */
/*
 * expand.c: instructions from the code of a program, for records that state only addresses.
 *
 * Between two branches, the way is followed from the target of the first: instruction by
 * instruction, past conditional branches that were not taken in a trace that states only taken
 * ones, along direct jumps.  What does not lead to the second branch is a gap: nothing is added but
 * a note that states why.
 *
 * A block of an emulator ends at its first branch or trap, or before it: at the end of a page,
 * after a system instruction, where it has become too long.  Where the next block begins decides;
 * if it begins inside the block, and the branch leads there, too, only a reason to end before the
 * branch leaves both possible, and that is a gap.
 */
#include "views/expand.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/hash_map.h"
#include "isa/system.h"
#include "model/batch_own.h"
#include "views/flow_type.h"

enum {
    PART = 1 << 16,      /* records after which a part ends */
    MAX_RANGE = 4096,    /* instructions between two branches */
    MAX_JUMPS = 64,      /* direct jumps between them that the trace does not state */
    MAX_NOTE = 200,      /* characters */
    MAX_KNOWN = 1 << 18, /* addresses that are kept: 45 MB */
    MAX_BLOCK = 512,     /* instructions that QEMU translates as one block */
    SURE_BLOCK = 64,     /* instructions that never are too many for one block */
    PAGE = 1024,         /* bytes: the pages of all processors are multiples of it */
};

/* Reasons why nothing is added. */
#define NO_CODE "no image has code there"
#define NO_WAY "the program does not lead there"
#define NO_SET "the way through code of MIPS and LoongArch is not followed"
#define TWO_WAYS "the block may end before a loop that begins there, or after its first round"

/* What is known of an address. */
struct code_address {
    uint64_t pc;
    bool found;
    struct spoor_program_insn insn;
    struct spoor_ref text; /* of the batch of `stamp` */
    uint32_t stamp;
};

struct expand_processor {
    bool known; /* where execution continues after the last branch, or the last block began: */
    uint64_t next;
    unsigned limit; /* of that block */
    bool numbered;  /* that branch has a number: */
    uint64_t index;
    bool has_insn; /* the last record of the flow was an instruction: */
    uint64_t insn;
};

/* Records of a part, with the arrays that refer to them. */
struct part {
    struct spoor_batch batch;
    size_t records, spills, faults, places; /* capacities */
};

struct expander {
    struct spoor_program program;
    expander_block_limit *block_limit;    /* NULL: instructions are not those of blocks */
    const struct packet_decoder *packets; /* NULL: records are no packets; */
    void *way;                            /* the decoder's own */
    bool continues;                       /* a record was added for this packet */
    bool has_not_taken;
    struct hash_map known;
    struct expand_processor *processors; /* by cpu */
    size_t processor_count;
    struct spoor_expansion counts;
    uint64_t given; /* records so far */
    struct spoor_batch *source;
    size_t at, spill, fault; /* the next ones of the source */
    uint32_t stamp;          /* of the source */
    struct part part;
    bool made_last;
};

struct expander *expander_new(const struct spoor_program *program,
                              expander_block_limit *block_limit,
                              const struct packet_decoder *packets)
{
    struct expander *expander = calloc(1, sizeof *expander);
    if (!expander) return NULL;
    expander->program = *program;
    expander->block_limit = block_limit;
    expander->packets = packets;
    if (!packets || (expander->way = packets->open()) != NULL) return expander;
    free(expander);
    return NULL;
}

void expander_free(struct expander *expander)
{
    if (!expander) return;
    if (expander->packets) expander->packets->close(expander->way);
    hash_map_free(&expander->known);
    free(expander->processors);
    free(expander->part.batch.records);
    free(expander->part.batch.spills);
    free(expander->part.batch.faults);
    free(expander->part.batch.places);
    free(expander);
}

const struct spoor_expansion *expander_counts(const struct expander *expander)
{
    return &expander->counts;
}

bool expander_made_last(const struct expander *expander)
{
    return expander->made_last;
}

/* ---- what the program has ---- */

/* The instruction at an address, valid until the next call; NULL: no code is known there. */
static struct code_address *expand_look_up(struct expander *expander, uint64_t pc)
{
    bool added;
    if (expander->known.count >= MAX_KNOWN)
        hash_map_clear(&expander->known, sizeof(struct code_address));
    struct code_address *known = hash_map_add(&expander->known, pc, sizeof *known, &added);
    if (!known) {
        expander->source->out_of_memory = true;
        return NULL;
    }
    if (added)
        known->found =
            expander->program.find(expander->program.context, pc, &known->insn) && known->insn.size;
    return known->found ? known : NULL;
}

static void expand_put_code(struct expander *expander, struct spoor_record *record,
                            struct code_address *known)
{
    struct spoor_insn *insn = &record->insn;
    insn->opcode_size = known->insn.size;
    insn->iset = known->insn.iset;
    if (known->insn.size <= sizeof insn->opcode) {
        insn->opcode = known->insn.opcode;
        record->has |= SPOOR_HAS_DATA;
    }
    if (!insn->disasm.size) {
        /* in the source's arena, once for each batch */
        if (known->stamp != expander->stamp && known->insn.text_size)
            known->text =
                spoor_batch_keep(expander->source, known->insn.text, known->insn.text_size);
        known->stamp = expander->stamp;
        insn->disasm = known->text;
    }
}

/* ---- records that state an address ---- */

/* An instruction without its code; and a fetch of what the program has there, which is one. */
static void expand_fill(struct expander *expander, struct spoor_record *record)
{
    if (!(record->has & SPOOR_HAS_VA)) return;
    if (record->kind == SPOOR_INSN) {
        const struct spoor_insn *insn = &record->insn;
        if (record->op == SPOOR_INSN_AGAIN || (record->has & SPOOR_HAS_DATA)) return;
        struct code_address *known = expand_look_up(expander, insn->va);
        if (known && (!insn->opcode_size || insn->opcode_size == known->insn.size) &&
            (!insn->iset || insn->iset == known->insn.iset))
            expand_put_code(expander, record, known);
    } else if (record->kind == SPOOR_MEM && record->op == SPOOR_MEM_FETCH) {
        const struct spoor_mem fetch = record->mem;
        struct code_address *known = expand_look_up(expander, fetch.va);
        if (!known || (fetch.size && fetch.size != known->insn.size)) return;
        record->kind = SPOOR_INSN;
        record->op = SPOOR_INSN_TAKEN;
        record->has &= (uint16_t) ~(SPOOR_HAS_DATA | SPOOR_HAS_INDEX | SPOOR_HAS_EXTRA);
        record->insn =
            (struct spoor_insn){.va = fetch.va, .pa = fetch.pa, .security = fetch.security};
        expand_put_code(expander, record, known);
    }
}

/* ---- a part ---- */

static struct spoor_record *expand_push(struct expander *expander,
                                        const struct spoor_record *record)
{
    struct part *part = &expander->part;
    struct spoor_batch *batch = &part->batch;
    if (!array_reserve(&batch->records, &part->records, batch->count + 1) ||
        !array_reserve(&batch->places, &part->places, batch->count + 1)) {
        expander->source->out_of_memory = true;
        return NULL;
    }
    batch->places[batch->count] = (uint32_t)spoor_batch_place(expander->source, expander->at);
    batch->records[batch->count] = *record;
    return &batch->records[batch->count++];
}

static void expand_copy_references(struct expander *expander, size_t index)
{
    const struct spoor_batch *source = expander->source;
    struct part *part = &expander->part;
    struct spoor_batch *batch = &part->batch;
    const uint32_t record = (uint32_t)(batch->count - 1);
    for (; expander->spill < source->spill_count && source->spills[expander->spill].record == index;
         expander->spill++) {
        if (!array_reserve(&batch->spills, &part->spills, batch->spill_count + 1)) {
            expander->source->out_of_memory = true;
            return;
        }
        struct spoor_spill *copy = &batch->spills[batch->spill_count++];
        *copy = source->spills[expander->spill];
        copy->record = record;
    }
    for (; expander->fault < source->fault_count && source->faults[expander->fault].record == index;
         expander->fault++) {
        if (!array_reserve(&batch->faults, &part->faults, batch->fault_count + 1)) {
            expander->source->out_of_memory = true;
            return;
        }
        struct spoor_fault *copy = &batch->faults[batch->fault_count++];
        *copy = source->faults[expander->fault];
        copy->record = record;
    }
}

/* ---- the way to a branch or a block ---- */

/* A record that is added before the record of the branch or block, on its line: the first one
 * begins the line. */
static struct spoor_record expand_added(const struct spoor_record *before, enum spoor_kind kind)
{
    struct spoor_record record = {.kind = (uint8_t)kind, .time = before->time, .cpu = before->cpu};
    record.has = before->has & (SPOOR_HAS_CPU | SPOOR_CONTINUES);
    return record;
}

static void expand_push_insn(struct expander *expander, struct spoor_record *before,
                             struct code_address *known)
{
    struct spoor_record record = expand_added(before, SPOOR_INSN);
    record.op = SPOOR_INSN_TAKEN;
    record.has |= SPOOR_HAS_VA;
    record.insn.va = known->pc;
    expand_put_code(expander, &record, known);
    expand_push(expander, &record);
    before->has |= SPOOR_CONTINUES;
}

static void expand_note_gap(struct expander *expander, struct spoor_record *before, uint64_t from,
                            uint64_t to, const char *reason)
{
    char text[MAX_NOTE];
    struct spoor_record record = expand_added(before, SPOOR_NOTE);
    const int size =
        snprintf(text, sizeof text, "# %" PRIx64 " to %" PRIx64 ": %s", from, to, reason);
    record.op = SPOOR_NOTE_COMMENT;
    record.note.text = spoor_batch_keep(expander->source, text, (size_t)size);
    expand_push(expander, &record);
    before->has |= SPOOR_CONTINUES;
    if (expander->counts.gaps++) return;
    expander->counts.first_from = from;
    expander->counts.first_to = to;
    expander->counts.first_reason = reason;
}

/* The way from one branch to the next. */
struct way {
    uint64_t at, to;
    unsigned instructions, jumps, guards;
    bool repeats;        /* one of the instructions may have run several times */
    const char *blocked; /* NULL: it is open */
};

/* Delay slots, and what ends a block, are not known here. */
static bool expand_follows(const struct expander *expander)
{
    return expander->program.isa != SPOOR_ISA_MIPS && expander->program.isa != SPOOR_ISA_LOONGARCH;
}

/* Past the instruction, to the next one. */
static void expand_go_on(const struct expander *expander, struct way *way,
                         const struct spoor_program_insn *insn)
{
    const uint64_t from = way->at;
    way->repeats |= insn->repeats;
    const bool conditional = (insn->branch_type & SPOOR_BRANCH_CONDITIONAL) || way->guards;
    way->guards = insn->guards ? insn->guards : way->guards ? way->guards - 1 : 0;
    way->at = from + insn->size;
    if (!insn->branches) {
        if (from < way->to && way->at > way->to)
            way->blocked = "no instruction of the program begins at the branch";
    } else if (conditional) {
        if (expander->has_not_taken)
            way->blocked =
                "the program has a conditional branch there that the trace does not have";
    } else if (insn->branch_type & SPOOR_BRANCH_INDIRECT) {
        way->blocked = "the program has an indirect branch there that the trace does not have";
    } else {
        way->at = insn->target;
        if (++way->jumps > MAX_JUMPS) way->blocked = NO_WAY;
    }
}

/* Adds the instructions from where execution continued to the branch. */
static void expand_put_way(struct expander *expander, const struct expand_processor *processor,
                           struct spoor_record *branch)
{
    struct spoor_batch *part = &expander->part.batch;
    const size_t before = part->count;
    const uint16_t has = branch->has;
    struct way way = {.at = processor->next,
                      .to = branch->flow.va,
                      .blocked = expand_follows(expander) ? NULL : NO_SET};
    while (way.at != way.to && !way.blocked) {
        struct code_address *known = expand_look_up(expander, way.at);
        if (!known)
            way.blocked = NO_CODE;
        else if (way.instructions++ == MAX_RANGE)
            way.blocked = NO_WAY;
        if (way.blocked) break;
        expand_push_insn(expander, branch, known);
        expand_go_on(expander, &way, &known->insn);
    }
    if (!way.blocked && processor->numbered && (has & SPOOR_HAS_INDEX)) {
        const uint64_t passed = branch->flow.index - processor->index;
        if (way.repeats ? passed <= way.instructions : passed != way.instructions + UINT64_C(1))
            way.blocked = "the trace counts other instructions than the program has";
    }
    expander->counts.ranges++;
    if (!way.blocked) {
        expander->counts.instructions += way.instructions;
        return;
    }
    part->count = before;
    branch->has = has;
    expand_note_gap(expander, branch, processor->next, branch->flow.va, way.blocked);
}

/* ---- the instructions of a block ---- */

struct block {
    uint64_t from, to;   /* where it, and the next one, begins */
    unsigned limit;      /* instructions at most; 0: one, or as many as it has */
    uint64_t end;        /* after its branch, or the last instruction that it can have */
    bool leads;          /* from there to the next block */
    bool passes;         /* the next one begins before `end`, */
    bool may_end_before; /* and there is a reason for the block to end there */
    const char *blocked; /* NULL: its code is known */
};

/* Follows the block to its branch or trap. */
static void expand_measure_block(struct expander *expander, struct block *block)
{
    uint64_t at = block->from;
    unsigned guards = 0;
    if (!expand_follows(expander)) {
        block->blocked = NO_SET;
        return;
    }
    for (unsigned count = 1;; count++) {
        const struct code_address *known = expand_look_up(expander, at);
        if (!known) {
            block->blocked = NO_CODE;
            return;
        }
        const struct spoor_program_insn *insn = &known->insn;
        const enum system_class system = system_class_of(insn->iset, insn->opcode, insn->size);
        block->end = at + insn->size;
        if (insn->branches || insn->repeats || system == SYSTEM_TRAP || count == block->limit ||
            count == MAX_BLOCK) {
            const bool falls = !insn->branches || guards || insn->repeats ||
                               (insn->branch_type & SPOOR_BRANCH_CONDITIONAL);
            const bool jumps = insn->branches && ((insn->branch_type & SPOOR_BRANCH_INDIRECT) ||
                                                  insn->target == block->to);
            block->leads = system == SYSTEM_TRAP || (falls && block->to == block->end) ||
                           (insn->repeats && block->to == at) || jumps;
            return;
        }
        if (block->end == block->to) {
            block->passes = true;
            block->may_end_before = !block->limit || count >= SURE_BLOCK || block->to % PAGE == 0 ||
                                    system == SYSTEM_STATE;
        }
        guards = insn->guards ? insn->guards : guards ? guards - 1 : 0;
        at = block->end;
    }
}

/* ---- state ---- */

static struct expand_processor *expand_cpu(struct expander *expander, spoor_name cpu)
{
    if (array_reserve_zeroed(&expander->processors, &expander->processor_count, cpu + (size_t)1))
        return &expander->processors[cpu];
    expander->source->out_of_memory = true;
    return NULL;
}

static void expand_lose_all(struct expander *expander)
{
    for (size_t i = 0; i < expander->processor_count; i++)
        expander->processors[i] = (struct expand_processor){.known = false};
}

static void expand_add_flow(struct expander *expander, struct spoor_record *record)
{
    struct expand_processor *processor = expand_cpu(expander, record->cpu);
    if (!processor || !(record->has & SPOOR_HAS_VA)) return;
    const bool own = processor->has_insn && processor->insn == record->flow.va;
    processor->has_insn = false;
    if (own) {
        processor->known = false;
        return;
    }
    /* The type and the target of a branch of which the trace states neither. */
    struct code_address *known = expand_look_up(expander, record->flow.va);
    if (known && known->insn.branches) {
        const unsigned type = known->insn.branch_type;
        if (!(record->op & SPOOR_FLOW_TYPED))
            record->op = (uint8_t)(SPOOR_FLOW_TYPED | (record->op & SPOOR_FLOW_NOT_TAKEN) |
                                   flow_of_type(type));
        if (!(record->has & SPOOR_HAS_DATA) && !(type & SPOOR_BRANCH_INDIRECT)) {
            record->flow.target = known->insn.target;
            record->has |= SPOOR_HAS_DATA;
        }
    }
    if (processor->known) expand_put_way(expander, processor, record);
    known = expand_look_up(expander, record->flow.va);
    if (known) {
        expand_push_insn(expander, record, known);
        expander->counts.instructions++;
    }
    /* Where execution continues after the branch. */
    known = expand_look_up(expander, record->flow.va);
    const uint64_t target = record->flow.target;
    processor->known = false;
    processor->numbered = record->has & SPOOR_HAS_INDEX;
    processor->index = record->flow.index;
    if (record->has & SPOOR_HAS_EXTRA) return;
    if (record->op & SPOOR_FLOW_NOT_TAKEN) {
        expander->has_not_taken = true;
        processor->known = known != NULL;
        processor->next = record->flow.va + (known ? known->insn.size : 0);
    } else if (record->has & SPOOR_HAS_DATA) {
        processor->known = target || expand_look_up(expander, target);
        processor->next = target;
    }
}

/* The first instruction of a block. */
static void expand_add_block(struct expander *expander, struct spoor_record *record)
{
    struct expand_processor *processor = expand_cpu(expander, record->cpu);
    if (!processor || !(record->has & SPOOR_HAS_VA)) return;
    if (processor->known && processor->limit != 1) {
        /* Adds the instructions of the last block, but for its first one, before this one. */
        struct block block = {
            .from = processor->next, .to = record->insn.va, .limit = processor->limit};
        expand_measure_block(expander, &block);
        if (!block.blocked && !block.leads && !block.passes) block.blocked = NO_WAY;
        if (block.leads && block.passes && block.may_end_before) block.blocked = TWO_WAYS;
        expander->counts.ranges++;
        if (block.blocked) expand_note_gap(expander, record, block.from, block.to, block.blocked);
        const uint64_t end = block.blocked ? block.from : block.leads ? block.end : block.to;
        for (uint64_t at = block.from; at != end;) {
            struct code_address *known = expand_look_up(expander, at);
            if (!known) break; /* memory ran out */
            if (at != block.from) {
                expand_push_insn(expander, record, known);
                expander->counts.instructions++;
            }
            at += known->insn.size;
        }
    }
    processor->known = true;
    processor->next = record->insn.va;
    processor->limit = expander->block_limit(expander->source, expander->at);
}

/* Records of other kinds: after them, it is not known where execution continues. */
static void expand_add_other(struct expander *expander, const struct spoor_record *record)
{
    const bool interrupts = record->kind == SPOOR_EVENT &&
                            (record->op == SPOOR_EVENT_E || record->op == SPOOR_EVENT_EXCEPTION ||
                             record->op == SPOOR_EVENT_SAMPLE || record->op == SPOOR_EVENT_LOST);
    const bool executed = record->kind == SPOOR_INSN || record->kind == SPOOR_UOP ||
                          (record->kind == SPOOR_MEM && record->op == SPOOR_MEM_FETCH);
    if (expander->block_limit && record->kind == SPOOR_EVENT) expand_lose_all(expander);
    if (!interrupts && !executed) return;
    if (interrupts && !(record->has & SPOOR_HAS_CPU)) expand_lose_all(expander);
    struct expand_processor *processor = expand_cpu(expander, record->cpu);
    if (!processor) return;
    *processor = (struct expand_processor){.known = false};
    processor->has_insn = record->kind == SPOOR_INSN && (record->has & SPOOR_HAS_VA);
    processor->insn = processor->has_insn ? record->insn.va : 0;
}

/* ---- packets ---- */

static const struct spoor_program_insn *expand_packet_code(void *context, uint64_t pc)
{
    const struct code_address *known = expand_look_up(context, pc);
    return known ? &known->insn : NULL;
}

/* A record of the packet, on its line. */
static struct spoor_record *expand_push_of_packet(struct expander *expander,
                                                  struct spoor_record record)
{
    const struct spoor_record *packet = &expander->source->records[expander->at];
    record.time = packet->time;
    if (!(record.has & SPOOR_HAS_CPU)) {
        record.cpu = packet->cpu;
        record.has |= packet->has & SPOOR_HAS_CPU;
    }
    if (expander->continues) record.has |= SPOOR_CONTINUES;
    expander->continues = true;
    return expand_push(expander, &record);
}

static void expand_packet_insn(void *context, uint64_t pc)
{
    struct expander *expander = context;
    struct code_address *known = expand_look_up(expander, pc);
    struct spoor_record record = {
        .kind = SPOOR_INSN, .op = SPOOR_INSN_TAKEN, .has = SPOOR_HAS_VA, .insn = {.va = pc}};
    if (!known) return;
    expand_put_code(expander, &record, known);
    expand_push_of_packet(expander, record);
    expander->counts.instructions++;
}

static void expand_packet_flow(void *context, uint64_t pc, unsigned type, bool taken,
                               const uint64_t *target)
{
    struct spoor_record record = {
        .kind = SPOOR_FLOW,
        .op = (uint8_t)(SPOOR_FLOW_TYPED | flow_of_type(type) | (taken ? 0 : SPOOR_FLOW_NOT_TAKEN)),
        .has = SPOOR_HAS_VA,
        .flow = {.va = pc}};
    if (target) {
        record.flow.target = *target;
        record.has |= SPOOR_HAS_DATA;
    }
    expand_push_of_packet(context, record);
}

static void expand_packet_event(void *context, const struct spoor_record *event, const char *name,
                                const char *text)
{
    struct expander *expander = context;
    struct spoor_record record = *event;
    const struct spoor_record *packet = &expander->source->records[expander->at];
    if (packet->has & SPOOR_HAS_TIME) record.has |= SPOOR_HAS_TIME;
    record.event.text = spoor_batch_keep(expander->source, text, strlen(text));
    record.event.name = spoor_names_intern(expander->source->stream->names, name, strlen(name));
    if (record.event.name == SPOOR_NAMES_FULL) record.event.name = SPOOR_NO_NAME;
    expand_push_of_packet(expander, record);
    if (record.op != SPOOR_EVENT_LOST || expander->counts.gaps++) return;
    expander->counts.first_from = expander->counts.first_to = event->event.value;
    expander->counts.first_reason = "the trace and the program do not agree";
}

/* Adds the instructions that the packet leads along; true: there are more. */
static bool expand_add_packet(struct expander *expander)
{
    const struct packet_sink sink = {.context = expander,
                                     .code = expand_packet_code,
                                     .insn = expand_packet_insn,
                                     .flow = expand_packet_flow,
                                     .event = expand_packet_event,
                                     .out_of_memory = &expander->source->out_of_memory};
    const bool more =
        expander->packets->follow(expander->way, expander->source, expander->at, &sink);
    if (!more) {
        expander->counts.ranges += expander->continues;
        expander->continues = false;
    }
    return more;
}

/* ---- batches ---- */

void expander_feed(struct expander *expander, struct spoor_batch *batch)
{
    expander->source = batch;
    expander->at = expander->spill = expander->fault = 0;
    expander->stamp++;
    if (batch->gap) expand_lose_all(expander);
}

struct spoor_batch *expander_next(struct expander *expander)
{
    struct spoor_batch *source = expander->source;
    if (!source || (expander->at > 0 && expander->at >= source->count)) return NULL;
    expander->made_last = expander->block_limit || expander->packets;
    for (size_t i = 0; i < source->count && !expander->made_last; i++)
        expander->made_last = source->records[i].kind == SPOOR_FLOW;
    struct spoor_batch *next = source;
    if (expander->made_last) {
        struct spoor_batch *part = &expander->part.batch;
        const struct spoor_batch old = *part;
        *part = *source;
        part->records = old.records;
        part->spills = old.spills;
        part->faults = old.faults;
        part->places = old.places;
        part->count = part->spill_count = part->fault_count = part->place_count = 0;
        part->gap = part->gap && expander->at == 0;
        batch_own(part)->lines = NULL;
        for (; expander->at < source->count && part->count < PART && !source->out_of_memory;
             expander->at++) {
            struct spoor_record record = source->records[expander->at];
            if (expander->packets && expand_add_packet(expander)) break;
            if (expander->packets && record.kind != SPOOR_NOTE) continue;
            if (record.kind == SPOOR_FLOW)
                expand_add_flow(expander, &record);
            else if (expander->block_limit && record.kind == SPOOR_INSN)
                expand_add_block(expander, &record);
            else
                expand_add_other(expander, &record);
            expand_fill(expander, &record);
            if (expand_push(expander, &record)) expand_copy_references(expander, expander->at);
        }
        part->place_count = part->count;
        part->arena = source->arena;
        part->arena_size = source->arena_size;
        part->last = source->last && expander->at == source->count;
        part->out_of_memory = source->out_of_memory;
        next = part;
    } else { /* records change but none is added */
        for (size_t i = 0; i < source->count; i++) {
            expand_add_other(expander, &source->records[i]);
            expand_fill(expander, &source->records[i]);
        }
        free(batch_own(source)->lines);
        batch_own(source)->lines = NULL;
        expander->at = source->count;
    }
    if (source->count == 0) expander->source = NULL;
    next->first = expander->given;
    expander->given += next->count;
    return next;
}
