/* SPDX-License-Identifier: MIT */
/* champsim_translate.c: instructions of other traces as ChampSim's; see champsim_translate.h. */
#include "formats/branch/champsim_translate.h"

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
struct champsim_held {
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

static uint8_t number_of(enum isa isa, unsigned reg)
{
    static const uint8_t links[] = {[ISA_RISCV] = 1, [ISA_AARCH64] = 30, [ISA_AARCH32] = 14};
    enum { PC_AARCH32 = 15 };
    if (reg == ISA_FLAGS) return CHAMPSIM_FLAGS;
    if (reg >= ISA_RISCV_CSR) return NO_REGISTER;
    if (isa == ISA_RISCV && reg == 0) return NO_REGISTER;
    if (isa != ISA_UNKNOWN && reg == links[isa]) return CHAMPSIM_STACK_POINTER;
    if (isa == ISA_AARCH32 && reg == PC_AARCH32) return CHAMPSIM_INSTRUCTION_POINTER;
    return (uint8_t)(FIRST_OF_ISA + reg);
}

static uint8_t look_up(struct champsim_translation *translation, const struct spoor_batch *batch,
                       spoor_name id)
{
    struct register_name name;
    size_t size;
    const enum isa isa = branches_isa(&translation->view.branches);
    const char *text = spoor_names_text(batch->stream->names, id, &size);
    register_canonical(text, size, isa, &name);
    const int known = isa_register_number(isa, &name);
    if (known >= 0) return number_of(isa, (unsigned)known);
    if (name.zero || isa != ISA_UNKNOWN || translation->given > UINT8_MAX - FIRST_GIVEN)
        return NO_REGISTER;
    return (uint8_t)(FIRST_GIVEN + translation->given++);
}

static uint8_t number_of_name(struct champsim_translation *translation,
                              const struct spoor_batch *batch, spoor_name id, struct text *out)
{
    enum { NAMES = 1 << 16 };
    if (!translation->numbers) translation->numbers = calloc(NAMES, sizeof *translation->numbers);
    if (!translation->numbers) {
        out->failed = true;
        return NO_REGISTER;
    }
    uint16_t *known = &translation->numbers[id];
    if (!*known) *known = (uint16_t)(1 + look_up(translation, batch, id));
    return (uint8_t)(*known - 1);
}

/* Uses the first free slot; false: there is none.  A register that has a slot needs no other. */
static bool put_register(uint8_t *slots, int count, uint8_t number)
{
    for (int i = 0; i < count && number != NO_REGISTER; i++) {
        if (slots[i] == number) return true;
        if (slots[i]) continue;
        slots[i] = number;
        return true;
    }
    return false;
}

static bool reads(struct champsim *insn, uint8_t number)
{
    return put_register(insn->read, CHAMPSIM_READS, number);
}

static bool writes(struct champsim *insn, uint8_t number)
{
    return put_register(insn->written, insn->write_slots, number);
}

static bool put_address(uint64_t *slots, int count, uint64_t address)
{
    for (int i = 0; i < count && address; i++) {
        if (slots[i]) continue;
        slots[i] = address;
        return true;
    }
    return false;
}

static struct champsim blank(const struct champsim_translation *translation, uint64_t pc)
{
    return (struct champsim){.pc = pc, .write_slots = (uint8_t)translation->shape->writes};
}

/* ---- branches ---- */

static bool is_special(uint8_t number)
{
    return number == NO_REGISTER || number == CHAMPSIM_STACK_POINTER || number == CHAMPSIM_FLAGS ||
           number == CHAMPSIM_INSTRUCTION_POINTER;
}

/* Adds the sources that have no meaning for the type of a branch; false if there are none. */
static bool read_others(struct champsim *insn, const struct champsim *whole)
{
    bool any = false;
    for (int i = 0; i < CHAMPSIM_READS; i++)
        if (!is_special(whole->read[i])) any |= reads(insn, whole->read[i]);
    return any;
}

static void read_any_other(struct champsim *insn, const struct champsim *whole)
{
    if (!read_others(insn, whole)) reads(insn, UNSTATED_SOURCE);
}

static void write_others(struct champsim *insn, const struct champsim *whole)
{
    for (int i = 0; i < CHAMPSIM_WRITES; i++)
        if (!is_special(whole->written[i])) writes(insn, whole->written[i]);
}

/* Registers by which ChampSim identifies the type: see champsim_branch().  It has no
 * conditional branch that is indirect, a call or a return. */
static void put_type(struct champsim *insn, uint8_t type)
{
    const struct champsim whole = *insn;
    const bool conditional = type & SPOOR_BRANCH_CONDITIONAL;
    const bool links = !conditional && type & (SPOOR_BRANCH_CALL | SPOOR_BRANCH_RETURN);
    const bool returns = links && !(type & SPOOR_BRANCH_CALL);
    const bool indirect = !conditional && !returns && type & SPOOR_BRANCH_INDIRECT;
    memset(insn->read, 0, sizeof insn->read);
    memset(insn->written, 0, sizeof insn->written);
    writes(insn, CHAMPSIM_INSTRUCTION_POINTER);
    if (!returns && (links || !indirect)) reads(insn, CHAMPSIM_INSTRUCTION_POINTER);
    if (links) reads(insn, CHAMPSIM_STACK_POINTER);
    if (links) writes(insn, CHAMPSIM_STACK_POINTER);
    if (conditional && memchr(whole.read, CHAMPSIM_FLAGS, CHAMPSIM_READS))
        reads(insn, CHAMPSIM_FLAGS);
    if (indirect || (conditional && !insn->read[1]))
        read_any_other(insn, &whole);
    else if (returns || conditional)
        read_others(insn, &whole);
    write_others(insn, &whole);
}

/* A branch of a type that ChampSim cannot express. */
static void put_no_type(struct champsim *insn)
{
    const struct champsim whole = *insn;
    memset(insn->read, 0, sizeof insn->read);
    memset(insn->written, 0, sizeof insn->written);
    writes(insn, CHAMPSIM_INSTRUCTION_POINTER);
    reads(insn, CHAMPSIM_STACK_POINTER);
    reads(insn, CHAMPSIM_FLAGS);
    read_others(insn, &whole);
    write_others(insn, &whole);
}

static void put_branch(struct champsim *insn, const struct spoor_branch *branch)
{
    insn->is_branch = 1;
    insn->taken = (branch->has & SPOOR_BRANCH_TAKEN) != 0;
    const bool possible = insn->taken || branch->type & SPOOR_BRANCH_CONDITIONAL;
    if (branch->has & SPOOR_BRANCH_HAS_TYPE && possible)
        put_type(insn, branch->type);
    else
        put_no_type(insn);
}

static void put_insn(struct champsim_translation *translation, const struct champsim *insn,
                     struct text *out)
{
    const struct champsim target = {.pc = translation->target};
    if (translation->owes && insn->pc != target.pc) champsim_pack(translation->shape, &target, out);
    translation->owes = false;
    champsim_pack(translation->shape, insn, out);
}

/* Writes the held instruction, which is complete. */
static void release(struct champsim_translation *translation, struct champsim_held *held,
                    struct text *out)
{
    if (!held->holds) return;
    held->holds = false;
    if (held->has_branch) put_branch(&held->insn, &held->branch);
    put_insn(translation, &held->insn, out);
}

/* A branch that no instruction of the trace is.  If the trace has no instructions, the one at its
 * target is known all the same, and ChampSim's readers need it to know the target. */
static void put_pending(struct champsim_translation *translation, struct champsim_held *held,
                        struct text *out)
{
    struct champsim insn = blank(translation, held->pending.pc);
    const unsigned has = held->pending.has;
    if (!held->has_pending) return;
    held->has_pending = false;
    put_branch(&insn, &held->pending);
    put_insn(translation, &insn, out);
    translation->owes =
        !held->has_insns && has & SPOOR_BRANCH_TAKEN && has & SPOOR_BRANCH_HAS_TARGET;
    translation->target = held->pending.target;
}

/* Returns the state of the processor with this name; NULL if memory runs out. */
static struct champsim_held *held_of(struct champsim_translation *translation, spoor_name cpu,
                                     struct text *out)
{
    if (array_reserve_zeroed(&translation->held, &translation->held_capacity, (size_t)cpu + 1))
        return &translation->held[cpu];
    out->failed = true;
    return NULL;
}

/* Assigns the branches found to their instructions; branches of later instructions wait. */
static void give_branches(struct champsim_translation *translation, struct text *out)
{
    const struct spoor_branches *found = &translation->view.branches;
    for (size_t i = 0; i < found->count; i++) {
        const struct spoor_branch *branch = &found->items[i];
        struct champsim_held *held = held_of(
            translation, branch->has & SPOOR_BRANCH_HAS_CPU ? branch->cpu : SPOOR_NO_NAME, out);
        if (!held) return;
        if (held->holds && held->insn.pc == branch->pc && !held->has_branch) {
            held->has_branch = true;
            held->branch = *branch;
            continue;
        }
        put_pending(translation, held, out);
        held->pending = *branch;
        held->has_pending = true;
    }
}

/* ---- records ---- */

/* Begins an instruction at `pc`; the previous one on its processor is complete. */
static struct champsim_held *hold(struct champsim_translation *translation, spoor_name cpu,
                                  uint64_t pc, struct text *out)
{
    struct champsim_held *held = held_of(translation, cpu, out);
    if (!held) return NULL;
    release(translation, held, out);
    const bool is_pending = held->has_pending && held->pending.pc == pc;
    if (!is_pending) put_pending(translation, held, out);
    held->insn = blank(translation, pc);
    held->holds = held->has_insns = true;
    held->has_branch = is_pending;
    held->branch = held->pending;
    held->has_pending = held->skipped = held->by_opcode = false;
    translation->last_cpu = cpu;
    return held;
}

/* A skipped instruction reads the flags and has no effect. */
static void add_operands(const struct champsim_translation *translation, struct champsim_held *held,
                         const struct spoor_batch *batch, const struct spoor_record *record)
{
    const struct spoor_insn *insn = &record->insn;
    uint64_t opcode = insn->opcode;
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
    if (held->skipped && isa == ISA_AARCH32) reads(&held->insn, CHAMPSIM_FLAGS);
    if (held->skipped || !held->by_opcode) return;
    for (unsigned i = 0; i < operands.read_count; i++)
        reads(&held->insn, number_of(isa, operands.reads[i]));
    for (unsigned i = 0; i < operands.write_count; i++)
        writes(&held->insn, number_of(isa, operands.writes[i]));
}

static bool add_instruction(struct champsim_translation *translation,
                            const struct spoor_batch *batch, const struct spoor_record *record,
                            struct text *out)
{
    const struct spoor_insn *insn = &record->insn;
    if (record->op >= SPOOR_INSN_AGAIN) return true;
    if (!(record->has & (SPOOR_HAS_VA | SPOOR_HAS_PA))) return false;
    struct champsim_held *held =
        hold(translation, record->cpu, record->has & SPOOR_HAS_VA ? insn->va : insn->pa, out);
    if (!held) return false;
    held->is_thumb |= insn->iset == 0 && insn->opcode_size == 2;
    held->skipped = record->op == SPOOR_INSN_SKIPPED;
    add_operands(translation, held, batch, record);
    return true;
}

/* The instruction that a record belongs to: the last one of its processor; NULL: there is none. */
static struct champsim_held *owner_of(const struct champsim_translation *translation,
                                      const struct spoor_record *record)
{
    const spoor_name cpu = record->has & SPOOR_HAS_CPU ? record->cpu : translation->last_cpu;
    struct champsim_held *held = cpu < translation->held_capacity ? &translation->held[cpu] : NULL;
    return held && held->holds ? held : NULL;
}

/* A register that the trace states is added where the opcode does not state it. */
static bool add_register(struct champsim_translation *translation, const struct spoor_batch *batch,
                         const struct spoor_record *record, struct text *out)
{
    struct champsim_held *held = owner_of(translation, record);
    if (!held || held->skipped) return false;
    const uint8_t number = number_of_name(translation, batch, record->reg.name, out);
    const bool is_read = record->op == SPOOR_REG_READ;
    if (number == NO_REGISTER || (!is_read && record->op != SPOOR_REG_WRITE)) return false;
    if (held->by_opcode)
        return memchr(is_read ? held->insn.read : held->insn.written, number,
                      is_read ? CHAMPSIM_READS : CHAMPSIM_WRITES) != NULL;
    return is_read ? reads(&held->insn, number) : writes(&held->insn, number);
}

static bool add_access(struct champsim_translation *translation, const struct spoor_record *record,
                       struct text *out)
{
    const uint8_t reference =
        record->op < SPOOR_MEM_OPS ? access_references[record->op] : (uint8_t)NO_REFERENCE;
    const uint64_t address = record->has & SPOOR_HAS_VA ? record->mem.va : record->mem.pa;
    const bool is_read = reference == SPOOR_REFERENCE_READ || reference == READ_AND_WRITE;
    const bool is_write = reference == SPOOR_REFERENCE_WRITE || reference == READ_AND_WRITE;
    if (reference == SPOOR_REFERENCE_FETCH)
        return hold(translation, record->cpu, address, out) != NULL;
    struct champsim_held *held = owner_of(translation, record);
    if (!held || record->mem.attr & SPOOR_MEM_ABORTED || !(is_read || is_write)) return false;
    bool fits = true;
    if (is_read) fits = put_address(held->insn.loads, CHAMPSIM_READS, address);
    if (is_write) fits &= put_address(held->insn.stores, held->insn.write_slots, address);
    return fits;
}

bool champsim_translate(struct champsim_translation *translation, const struct spoor_batch *batch,
                        size_t index, struct text *out)
{
    const struct spoor_record *record = &batch->records[index];
    if (!branch_finder_add(&translation->view, batch, index)) out->failed = true;
    give_branches(translation, out);
    switch ((enum spoor_kind)record->kind) {
    case SPOOR_INSN: return add_instruction(translation, batch, record, out);
    case SPOOR_MEM: return add_access(translation, record, out);
    case SPOOR_REG: return add_register(translation, batch, record, out);
    case SPOOR_FLOW: return record->has & (SPOOR_HAS_VA | SPOOR_HAS_PA);
    default: return false;
    }
}

void champsim_translate_end(struct champsim_translation *translation, struct text *out)
{
    if (!branch_finder_end(&translation->view)) out->failed = true;
    give_branches(translation, out);
    for (size_t i = 0; i < translation->held_capacity; i++) {
        release(translation, &translation->held[i], out);
        put_pending(translation, &translation->held[i], out);
    }
    const struct champsim target = {.pc = translation->target};
    if (translation->owes) champsim_pack(translation->shape, &target, out);
    spoor_branches_free(&translation->view.branches);
    free(translation->held);
    free(translation->numbers);
    *translation = (struct champsim_translation){0};
}
