/* SPDX-License-Identifier: MIT */
/* champsim_translate.c: instructions of other traces as ChampSim's; see champsim.h. */
#include "formats/branch/champsim.h"

#include <stdlib.h>

#include "base/array.h"
#include "isa/operands.h"
#include "isa/riscv_zc.h"
#include "views/branches.h"
#include "views/bus.h"

enum {
    NO_REGISTER = 0,
    UNSTATED_SOURCE = 32,
    FIRST_OF_ISA = 64,
    FIRST_GIVEN = 128,
};

/* The state of a processor: the instruction that waits for its successor. */
struct champsim_processor {
    struct champsim insn;
    bool holds, skipped;
    bool by_opcode; /* its registers are known by its opcode */
    bool has_branch;
    bool has_insns;   /* the processor has had an instruction */
    bool is_thumb;    /* it has had T32 opcodes of two bytes */
    bool has_pending; /* a branch whose instruction may follow: */
    struct spoor_branch branch, pending;
};

/* ---- registers ---- */

static uint8_t champsim_number(enum isa isa, unsigned reg)
{
    static const uint8_t links[] = {[ISA_RISCV] = 1,
                                    [ISA_AARCH64] = 30,
                                    [ISA_AARCH32] = 14,
                                    [ISA_MIPS] = 31,
                                    [ISA_LOONGARCH] = 1};
    enum { PC_AARCH32 = 15 };
    if (reg == ISA_FLAGS) return CHAMPSIM_FLAGS;
    if (reg >= ISA_RISCV_CSR) return NO_REGISTER;
    if (isa == ISA_RISCV && reg == 0) return NO_REGISTER;
    if (isa != ISA_UNKNOWN && reg == links[isa]) return CHAMPSIM_STACK_POINTER;
    if (isa == ISA_AARCH32 && reg == PC_AARCH32) return CHAMPSIM_INSTRUCTION_POINTER;
    return (uint8_t)(FIRST_OF_ISA + reg);
}

/* Uses the first free slot; false: there is none.  A register that has a slot needs no other. */
static bool champsim_use_register(uint8_t *slots, int count, uint8_t number)
{
    for (int i = 0; i < count && number != NO_REGISTER; i++) {
        if (slots[i] == number) return true;
        if (slots[i]) continue;
        slots[i] = number;
        return true;
    }
    return false;
}

static bool champsim_reads(struct champsim *insn, uint8_t number)
{
    return champsim_use_register(insn->read, CHAMPSIM_READS, number);
}

static bool champsim_writes(struct champsim *insn, uint8_t number)
{
    return champsim_use_register(insn->written, insn->write_slots, number);
}

static bool champsim_use_address(uint64_t *slots, int count, uint64_t address)
{
    for (int i = 0; i < count && address; i++) {
        if (slots[i]) continue;
        slots[i] = address;
        return true;
    }
    return false;
}

static struct champsim champsim_blank(const struct champsim_translation *translation, uint64_t pc)
{
    return (struct champsim){.pc = pc, .write_slots = (uint8_t)translation->shape->writes};
}

/* ---- branches ---- */

static bool champsim_is_special(uint8_t number)
{
    return number == NO_REGISTER || number == CHAMPSIM_STACK_POINTER || number == CHAMPSIM_FLAGS ||
           number == CHAMPSIM_INSTRUCTION_POINTER;
}

/* Adds the sources that have no meaning for the type of a branch; false if there are none. */
static bool champsim_read_others(struct champsim *insn, const struct champsim *whole)
{
    bool any = false;
    for (int i = 0; i < CHAMPSIM_READS; i++)
        if (!champsim_is_special(whole->read[i])) any |= champsim_reads(insn, whole->read[i]);
    return any;
}

static void champsim_write_others(struct champsim *insn, const struct champsim *whole)
{
    for (int i = 0; i < CHAMPSIM_WRITES; i++)
        if (!champsim_is_special(whole->written[i])) champsim_writes(insn, whole->written[i]);
}

/* Gives the instruction the registers by which ChampSim identifies the type of a branch: see
 * champsim_branch().  It has no conditional branch that is indirect, a call or a return. */
static void champsim_set_branch(struct champsim *insn, const struct spoor_branch *branch)
{
    const struct champsim whole = *insn;
    const uint8_t type = branch->type;
    insn->is_branch = 1;
    insn->taken = (branch->has & SPOOR_BRANCH_TAKEN) != 0;
    memset(insn->read, 0, sizeof insn->read);
    memset(insn->written, 0, sizeof insn->written);
    champsim_writes(insn, CHAMPSIM_INSTRUCTION_POINTER);
    if (!(branch->has & SPOOR_BRANCH_HAS_TYPE) ||
        (!insn->taken && !(type & SPOOR_BRANCH_CONDITIONAL))) { /* it cannot express the type */
        champsim_reads(insn, CHAMPSIM_STACK_POINTER);
        champsim_reads(insn, CHAMPSIM_FLAGS);
        champsim_read_others(insn, &whole);
        champsim_write_others(insn, &whole);
        return;
    }
    const bool conditional = type & SPOOR_BRANCH_CONDITIONAL;
    const bool links = !conditional && type & (SPOOR_BRANCH_CALL | SPOOR_BRANCH_RETURN);
    const bool returns = links && !(type & SPOOR_BRANCH_CALL);
    const bool indirect = !conditional && !returns && type & SPOOR_BRANCH_INDIRECT;
    if (!returns && (links || !indirect)) champsim_reads(insn, CHAMPSIM_INSTRUCTION_POINTER);
    if (links) champsim_reads(insn, CHAMPSIM_STACK_POINTER);
    if (links) champsim_writes(insn, CHAMPSIM_STACK_POINTER);
    if (conditional && memchr(whole.read, CHAMPSIM_FLAGS, CHAMPSIM_READS))
        champsim_reads(insn, CHAMPSIM_FLAGS);
    if (indirect || (conditional && !insn->read[1])) {
        if (!champsim_read_others(insn, &whole)) champsim_reads(insn, UNSTATED_SOURCE);
    } else if (returns || conditional) {
        champsim_read_others(insn, &whole);
    }
    champsim_write_others(insn, &whole);
}

static void champsim_put_insn(struct champsim_translation *translation, const struct champsim *insn,
                              struct text *out)
{
    const struct champsim target = {.pc = translation->target};
    if (translation->owes && insn->pc != target.pc) champsim_pack(translation->shape, &target, out);
    translation->owes = false;
    champsim_pack(translation->shape, insn, out);
}

/* Writes the held instruction, which is complete. */
static void champsim_release(struct champsim_translation *translation,
                             struct champsim_processor *held, struct text *out)
{
    if (!held->holds) return;
    held->holds = false;
    if (held->has_branch) champsim_set_branch(&held->insn, &held->branch);
    champsim_put_insn(translation, &held->insn, out);
}

/* A branch that no instruction of the trace is.  If the trace has no instructions, the one at its
 * target is known all the same, and ChampSim's readers need it to know the target. */
static void champsim_put_pending(struct champsim_translation *translation,
                                 struct champsim_processor *held, struct text *out)
{
    struct champsim insn = champsim_blank(translation, held->pending.pc);
    const unsigned has = held->pending.has;
    if (!held->has_pending) return;
    held->has_pending = false;
    champsim_set_branch(&insn, &held->pending);
    champsim_put_insn(translation, &insn, out);
    translation->owes =
        !held->has_insns && has & SPOOR_BRANCH_TAKEN && has & SPOOR_BRANCH_HAS_TARGET;
    translation->target = held->pending.target;
}

/* Returns the state of the processor with this name; NULL if memory runs out. */
static struct champsim_processor *champsim_held_of(struct champsim_translation *translation,
                                                   spoor_name cpu, struct text *out)
{
    if (array_reserve_zeroed(&translation->held, &translation->held_capacity, (size_t)cpu + 1))
        return &translation->held[cpu];
    out->failed = true;
    return NULL;
}

/* Assigns the branches found to their instructions; branches of later instructions wait. */
static void champsim_give_branches(struct champsim_translation *translation, struct text *out)
{
    const struct spoor_branches *found = &translation->view.branches;
    for (size_t i = 0; i < found->count; i++) {
        const struct spoor_branch *branch = &found->items[i];
        struct champsim_processor *held = champsim_held_of(
            translation, branch->has & SPOOR_BRANCH_HAS_CPU ? branch->cpu : SPOOR_NO_NAME, out);
        if (!held) return;
        if (held->holds && held->insn.pc == branch->pc && !held->has_branch) {
            held->has_branch = true;
            held->branch = *branch;
            continue;
        }
        champsim_put_pending(translation, held, out);
        held->pending = *branch;
        held->has_pending = true;
    }
}

/* ---- records ---- */

/* Begins an instruction at `pc`; the previous one on its processor is complete. */
static struct champsim_processor *champsim_hold(struct champsim_translation *translation,
                                                spoor_name cpu, uint64_t pc, struct text *out)
{
    struct champsim_processor *held = champsim_held_of(translation, cpu, out);
    if (!held) return NULL;
    champsim_release(translation, held, out);
    const bool is_pending = held->has_pending && held->pending.pc == pc;
    if (!is_pending) champsim_put_pending(translation, held, out);
    held->insn = champsim_blank(translation, pc);
    held->holds = held->has_insns = true;
    held->has_branch = is_pending;
    held->branch = held->pending;
    held->has_pending = held->skipped = held->by_opcode = false;
    translation->last_cpu = cpu;
    return held;
}

/* A skipped instruction reads the flags and has no effect. */
static bool champsim_add_instruction(struct champsim_translation *translation,
                                     const struct spoor_batch *batch,
                                     const struct spoor_record *record, struct text *out)
{
    const struct spoor_insn *insn = &record->insn;
    uint64_t opcode = insn->opcode;
    if (record->op >= SPOOR_INSN_AGAIN) return true;
    if (!(record->has & (SPOOR_HAS_VA | SPOOR_HAS_PA))) return false;
    struct champsim_processor *held = champsim_hold(
        translation, record->cpu, record->has & SPOOR_HAS_VA ? insn->va : insn->pa, out);
    if (!held) return false;
    held->is_thumb |= insn->iset == 0 && insn->opcode_size == 2;
    held->skipped = record->op == SPOOR_INSN_SKIPPED;
    const enum isa trace = branches_isa(&translation->view.branches);
    const enum isa isa = isa_of_instruction(trace, insn->iset);
    const uint8_t size = isa_opcode_size(trace, insn);
    const bool thumb = insn->iset == 'T' || insn->iset == 'X' ||
                       (insn->iset == 0 && (held->is_thumb || size == 2));
    struct isa_operands operands = {0};
    if (isa == ISA_RISCV && riscv_zc_shares(opcode, size))
        opcode = riscv_zc_decide(opcode, riscv_zc_of(batch, (size_t)(record - batch->records)));
    held->by_opcode =
        record->has & SPOOR_HAS_DATA && isa_operands_of(&operands, isa, thumb, opcode, size);
    if (held->skipped && isa == ISA_AARCH32) champsim_reads(&held->insn, CHAMPSIM_FLAGS);
    if (held->skipped || !held->by_opcode) return true;
    for (unsigned i = 0; i < operands.read_count; i++)
        champsim_reads(&held->insn, champsim_number(isa, operands.reads[i]));
    for (unsigned i = 0; i < operands.write_count; i++)
        champsim_writes(&held->insn, champsim_number(isa, operands.writes[i]));
    return true;
}

/* The instruction that a record belongs to: the last one of its processor; NULL: there is none. */
static struct champsim_processor *champsim_owner_of(const struct champsim_translation *translation,
                                                    const struct spoor_record *record)
{
    const spoor_name cpu = record->has & SPOOR_HAS_CPU ? record->cpu : translation->last_cpu;
    struct champsim_processor *held =
        cpu < translation->held_capacity ? &translation->held[cpu] : NULL;
    return held && held->holds ? held : NULL;
}

/* A register that the trace states is added where the opcode does not state it. */
static bool champsim_add_register(struct champsim_translation *translation,
                                  const struct spoor_batch *batch,
                                  const struct spoor_record *record, struct text *out)
{
    enum { NAMES = 1 << 16 };
    struct champsim_processor *held = champsim_owner_of(translation, record);
    if (!held || held->skipped) return false;
    if (!translation->numbers) translation->numbers = calloc(NAMES, sizeof *translation->numbers);
    if (!translation->numbers) {
        out->failed = true;
        return false;
    }
    uint16_t *assigned = &translation->numbers[record->reg.name];
    if (!*assigned) { /* a name that no known instruction set has gets the next number */
        struct register_name name;
        size_t size;
        const enum isa isa = branches_isa(&translation->view.branches);
        const char *text = spoor_names_text(batch->stream->names, record->reg.name, &size);
        register_canonical(text, size, isa, &name);
        const int known = isa_register_number(isa, &name);
        *assigned = 1 + NO_REGISTER;
        if (known >= 0)
            *assigned = (uint16_t)(1 + champsim_number(isa, (unsigned)known));
        else if (!name.zero && isa == ISA_UNKNOWN && translation->given <= UINT8_MAX - FIRST_GIVEN)
            *assigned = (uint16_t)(1 + FIRST_GIVEN + translation->given++);
    }
    const uint8_t number = (uint8_t)(*assigned - 1);
    const bool is_read = record->op == SPOOR_REG_READ;
    if (number == NO_REGISTER || (!is_read && record->op != SPOOR_REG_WRITE)) return false;
    if (held->by_opcode)
        return memchr(is_read ? held->insn.read : held->insn.written, number,
                      is_read ? CHAMPSIM_READS : CHAMPSIM_WRITES) != NULL;
    return is_read ? champsim_reads(&held->insn, number) : champsim_writes(&held->insn, number);
}

bool champsim_translate(struct champsim_translation *translation, const struct spoor_batch *batch,
                        size_t index, struct text *out)
{
    const struct spoor_record *record = &batch->records[index];
    if (!branch_finder_add(&translation->view, batch, index)) out->failed = true;
    champsim_give_branches(translation, out);
    switch ((enum spoor_kind)record->kind) {
    case SPOOR_INSN: return champsim_add_instruction(translation, batch, record, out);
    case SPOOR_MEM: {
        const uint8_t reference =
            record->op < SPOOR_MEM_OPS ? access_references[record->op] : (uint8_t)NO_REFERENCE;
        const uint64_t address = record->has & SPOOR_HAS_VA ? record->mem.va : record->mem.pa;
        const bool is_read = reference == SPOOR_REFERENCE_READ || reference == READ_AND_WRITE;
        const bool is_write = reference == SPOOR_REFERENCE_WRITE || reference == READ_AND_WRITE;
        if (reference == SPOOR_REFERENCE_FETCH)
            return champsim_hold(translation, record->cpu, address, out) != NULL;
        struct champsim_processor *held = champsim_owner_of(translation, record);
        if (!held || record->mem.attr & SPOOR_MEM_ABORTED || !(is_read || is_write)) return false;
        bool fits = true;
        if (is_read) fits = champsim_use_address(held->insn.loads, CHAMPSIM_READS, address);
        if (is_write)
            fits &= champsim_use_address(held->insn.stores, held->insn.write_slots, address);
        return fits;
    }
    case SPOOR_REG: return champsim_add_register(translation, batch, record, out);
    case SPOOR_FLOW: return record->has & (SPOOR_HAS_VA | SPOOR_HAS_PA);
    default: return false;
    }
}

void champsim_translate_end(struct champsim_translation *translation, struct text *out)
{
    if (!branch_finder_end(&translation->view)) out->failed = true;
    champsim_give_branches(translation, out);
    for (size_t i = 0; i < translation->held_capacity; i++) {
        champsim_release(translation, &translation->held[i], out);
        champsim_put_pending(translation, &translation->held[i], out);
    }
    const struct champsim target = {.pc = translation->target};
    if (translation->owes) champsim_pack(translation->shape, &target, out);
    spoor_branches_free(&translation->view.branches);
    free(translation->held);
    free(translation->numbers);
    *translation = (struct champsim_translation){0};
}
