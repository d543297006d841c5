/* SPDX-License-Identifier: MIT */
/* program.c: rules about the instructions of a program: their order, and their addresses. */
#include <inttypes.h>
#include <string.h>

#include "check/rule.h"
#include "check/site.h"
#include "isa/opcode.h"
#include "isa/register.h"
#include "spoor/view.h"

/* ---- a pc that breaks the order ---- */

enum place_flags {
    PLACE_KNOWN = 1 << 0,
    PLACE_STATED = 1 << 1, /* FLOW records state where it continues */
    PLACE_SKIPPED = 1 << 2,
    PLACE_BREAKS = 1 << 3, /* the next instruction in memory does not follow */
};

struct place {
    uint64_t pc;         /* as the record has it, or as it should be */
    uint64_t va, opcode; /* of the record */
    uint8_t size;        /* bytes; 0: unknown */
    uint8_t iset;
    uint8_t flags; /* enum place_flags */
};

/* The meaning of a place's opcode, which most places are not asked for. */
struct place_flow {
    uint64_t target;
    bool continues;  /* the next instruction in memory follows */
    bool has_target; /* a direct branch */
    bool falls;      /* a conditional branch, which may fall through */
};

struct line_of_places {
    enum isa isa;
    bool asked;
    bool flows;             /* FLOW records state the branches */
    uint8_t second;         /* index of the second place, which the rule examines; the other one is
                             * the first */
    struct place places[2]; /* of consecutive instructions */
};

static struct place_flow program_decode(const struct place *place, enum isa isa)
{
    const uint32_t bits = (uint32_t)place->opcode;
    struct opcode opcode = {0};
    if (place->size && isa == ISA_RISCV)
        opcode = opcode_riscv(place->va, bits, place->size);
    else if (place->size && isa != ISA_UNKNOWN)
        switch (place->iset) {
        case 'O': opcode = opcode_a64(place->va, bits); break;
        case 'C': opcode = opcode_c64(place->va, bits); break;
        case 'A': opcode = opcode_a32(place->va, bits); break;
        case 'T': opcode = opcode_t32(place->va, bits, place->size); break;
        default: break;
        }
    const bool branch = opcode.flow == OPCODE_BRANCH;
    return (struct place_flow){
        .continues = !(place->flags & PLACE_BREAKS) &&
                     (opcode.flow == OPCODE_NEXT || place->flags & (PLACE_STATED | PLACE_SKIPPED)),
        .has_target = branch && !(opcode.type & SPOOR_BRANCH_INDIRECT),
        .falls = branch && (opcode.type & SPOOR_BRANCH_CONDITIONAL),
        .target = opcode.target,
    };
}

/* True if an instruction at `pc` may follow the first. */
static bool program_follows(const struct place *first, const struct place_flow *flow, uint64_t pc)
{
    if (flow->has_target && pc == flow->target) return true;
    return (flow->continues || flow->falls) && pc == first->pc + first->size;
}

/* Returns the pc where the second should be, so that the third can follow it; 0 if there is none.
 */
static uint64_t program_expected_pc(const struct line_of_places *line, uint64_t third)
{
    enum { LONGEST_INSN = 15 };
    const struct place *first = &line->places[!line->second];
    const struct place *second = &line->places[line->second];
    const uint64_t pc = third - second->size;
    const bool sized = first->size && second->size; /* else the trace does not state sizes */
    if ((sized && second->pc == pc) || !(first->flags & second->flags & PLACE_KNOWN)) return 0;
    if (!program_decode(second, line->isa).continues) return 0;
    const struct place_flow flow = program_decode(first, line->isa);
    if (!sized) {
        const uint64_t both = third - first->pc, one = second->pc - first->pc;
        const bool apart = one > LONGEST_INSN && third - second->pc > LONGEST_INSN;
        return flow.continues && both >= 2 && both <= 2 * LONGEST_INSN && apart ? first->pc + 1 : 0;
    }
    return program_follows(first, &flow, pc) && !program_follows(first, &flow, second->pc) ? pc : 0;
}

static void program_feed_pc(struct context *context)
{
    struct line_of_places *line = context->state;
    struct place *second = &line->places[line->second];
    const struct spoor_record *record = context->record;
    if (record->kind == SPOOR_REG) {
        /* a branch that the tracer did not recognise: r26 is Pin's instruction pointer */
        if (record->op == SPOOR_REG_WRITE &&
            strcmp(context_name(context, record->reg.name), "r26") == 0)
            second->flags |= PLACE_BREAKS;
        return;
    }
    if (record->kind == SPOOR_FLOW) { /* the instruction is a branch */
        if (record->has & SPOOR_CONTINUES) second->flags |= PLACE_BREAKS;
        line->flows |= (record->has & SPOOR_CONTINUES) != 0;
        return;
    }
    if (record->op == SPOOR_INSN_AGAIN || ends_stages(context)) return;
    if (!line->asked) line->isa = isa_of(context->batch);
    line->asked = true;
    const uint64_t third = record->insn.va, wanted = program_expected_pc(line, third);
    if (wanted) {
        context_found(context,
                      "pc %" PRIx64 " of the instruction before, between %" PRIx64 " and %" PRIx64,
                      second->pc, line->places[!line->second].pc, third);
        if (second->size)
            context_expected(context, "%" PRIx64, wanted);
        else
            context_expected(context, "a pc between them");
        second->pc = wanted;
    }
    line->second = !line->second;
    struct place *place = &line->places[line->second];
    const bool has_opcode = record->has & SPOOR_HAS_DATA;
    const unsigned flags = PLACE_KNOWN | (line->flows && !has_opcode ? PLACE_STATED : 0u) |
                           (record->op == SPOOR_INSN_SKIPPED ? PLACE_SKIPPED : 0u);
    place->pc = place->va = record->insn.va;
    place->opcode = record->insn.opcode;
    place->size = has_opcode ? record->insn.opcode_size : 0;
    place->iset = record->insn.iset;
    place->flags = (uint8_t)flags;
}

/* Of registers, writes without a value; of instructions, those with an address. */
static bool program_examines_pc(uint8_t kind, uint16_t has)
{
    return kind == SPOOR_REG ? !(has & SPOOR_HAS_DATA) : kind == SPOOR_FLOW || has & SPOOR_HAS_VA;
}
EXAMINE_BLOCK_PER_CPU(program_feed_pc)
const struct rule rule_insn_pc = {
    .info = {"insn-pc", "the address of an instruction fits the one before and the one after it",
             "the next instruction follows one that does not branch; opcodes state the targets of "
             "branches",
             SPOOR_SEVERITY_ERROR, true},
    .kinds = KIND(INSN) | KIND(FLOW) | KIND(REG),
    .examines = program_examines_pc,
    .feed = program_feed_pc_block,
    .state_size = sizeof(struct line_of_places),
    .per_cpu = true,
};

/* ---- one pc, one instruction ---- */

/* What each pc holds, and where it held another instruction. */
struct changes {
    struct sites sites;
    struct record_place strange[SITES];
};

static void program_feed_change(struct context *context)
{
    struct changes *changes = context->state;
    const struct spoor_record *record = context->record;
    const struct spoor_insn *insn = &record->insn;
    if (record->op >= SPOOR_INSN_AGAIN) return;
    const bool coded = record->has & SPOOR_HAS_DATA;
    if (!coded && (!insn->disasm.size || ends_stages(context))) return;
    const struct site_value value = {insn->opcode,
                                     context->texts->hashes[context->index - context->first]};
    const struct site_value *other = site_meet(&changes->sites, insn->va, record->cpu, &value);
    const size_t index = site_index(insn->va, record->cpu);
    if (!other) {
        if (changes->sites.site[index].strange) changes->strange[index] = context_place(context);
        return;
    }
    context_at(context, &changes->strange[index]);
    if (!coded) {
        const char *text = spoor_batch_bytes(context->batch, insn->disasm);
        context_found(context, "another disassembly once at pc %" PRIx64, insn->va);
        context_expected(context, "'%.*s', as before and after",
                         (int)(insn->disasm.size < 60 ? insn->disasm.size : 60), text);
        return;
    }
    if (other->number != value.number)
        context_found(context, "opcode %" PRIx64 " once at pc %" PRIx64, other->number, insn->va);
    else
        context_found(context, "another disassembly of opcode %" PRIx64 " once at pc %" PRIx64,
                      value.number, insn->va);
    context_expected(context, "opcode %" PRIx64 " with one disassembly, as before and after",
                     value.number);
}

/* The sites of a block are fetched before the first is compared. */
static void program_feed_change_block(struct context *context)
{
    const struct sites *sites = &((const struct changes *)context->state)->sites;
    const struct spoor_record *records = context->batch->records + context->first;
    context_disasm_hashes(context);
    for (size_t word = 0; word < BLOCK_WORDS; word++)
        for (uint64_t bits = context->examined[word]; bits; bits &= bits - 1) {
            const struct spoor_record *record = records + word * 64 + (size_t)__builtin_ctzll(bits);
            __builtin_prefetch(&sites->site[site_index(record->insn.va, record->cpu)], 1);
        }
    examine_block(context, false, program_feed_change);
}
const struct rule rule_insn_change = {
    .info =
        {"insn-change",
         "a pc has the same opcode and disassembly, unless the code changes permanently",
         "code lies in memory: an instruction that appears once and never again was not executed",
         SPOOR_SEVERITY_WARNING, true},
    .kinds = KIND(INSN),
    .has = SPOOR_HAS_VA,
    .feed = program_feed_change_block,
    .state_size = sizeof(struct changes),
};

/* ---- lines that print an instruction twice ---- */

struct twice {
    uint64_t pc, opcode, seen; /* seen: number of instructions that were printed twice */
    spoor_name cpu;
    bool disassembled; /* the last line was the first of two */
};

static void program_feed_again(struct context *context)
{
    enum { HABIT = 4 };
    struct twice *twice = context->state;
    const struct spoor_record *record = context->record;
    const bool first = !(record->has & SPOOR_HAS_EXTRA);
    if (!first && !twice->disassembled) { /* the state is that of the last line with one */
        twice->seen += record->op == SPOOR_INSN_AGAIN;
        return;
    }
    const bool other = !first && record->op != SPOOR_INSN_AGAIN && twice->disassembled;
    if (other && twice->seen >= HABIT && (record->cpu == twice->cpu || !record->cpu)) {
        context_found(context, "pc %" PRIx64 ", opcode %" PRIx64, record->insn.va,
                      record->insn.opcode);
        context_expected(context,
                         "pc %" PRIx64 ", opcode %" PRIx64 ", as the line before disassembled",
                         twice->pc, twice->opcode);
    }
    twice->seen += record->op == SPOOR_INSN_AGAIN;
    *twice = (struct twice){record->insn.va, record->insn.opcode, twice->seen, record->cpu, first};
}
EXAMINE_BLOCK(program_feed_again)
const struct rule rule_insn_again = {
    .info = {"insn-again",
             "the line with the effects of an instruction follows the line that disassembles it",
             "riscv-isa-sim (Spike): -l and --log-commits", SPOOR_SEVERITY_ERROR, true},
    .kinds = KIND(INSN),
    .has = SPOOR_HAS_VA | SPOOR_HAS_DATA,
    .feed = program_feed_again_block,
    .state_size = sizeof(struct twice),
};
