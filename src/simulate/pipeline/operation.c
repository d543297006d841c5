/* SPDX-License-Identifier: MIT */
/* operation.c: converts records to operations; see operation.h. */
#include "simulate/pipeline/operation.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/ascii.h"
#include "views/uop.h"

enum { NAMES = 1 << 16, BRANCH = SPOOR_UOP_TAKEN | SPOOR_UOP_NOT_TAKEN };

/* ---- registers and class of an instruction, by its opcode ---- */

static uint8_t operation_register(unsigned reg)
{
    enum { ABOVE = 16, V16 = ISA_RISCV_VECTOR + ABOVE };
    if (reg == ISA_FLAGS) return SPOOR_FLAGS_REGISTER;
    /* vectors of RISC-V have the numbers that no other register has; the rare dependences through
     * its control registers are not modelled */
    if (reg >= ISA_RISCV_CSR) return SPOOR_NO_REGISTER;
    if (reg >= V16) return (uint8_t)(ISA_VECTOR + reg - V16);
    if (reg >= ISA_RISCV_VECTOR)
        return (uint8_t)(SPOOR_TEMPORARY_REGISTER - ABOVE + reg - ISA_RISCV_VECTOR);
    return (uint8_t)(reg < ISA_VECTOR ? reg : SPOOR_VECTOR_REGISTER + reg - ISA_VECTOR);
}

/* Fills in what the opcode of an INSN record implies; false if the opcode is unknown. */
static bool instruction_read_opcode(struct instruction *instruction, enum isa isa, bool is_thumb,
                                    const struct spoor_record *record)
{
    static const uint8_t classes[] = {
        [ISA_ALU] = SPOOR_CLASS_ALU,
        [ISA_MULTIPLY] = SPOOR_CLASS_MULTIPLY,
        [ISA_DIVIDE] = SPOOR_CLASS_DIVIDE,
        [ISA_FLOAT] = SPOOR_CLASS_FLOAT,
    };
    const struct spoor_insn *insn = &record->insn;
    const uint8_t size = isa_opcode_size(isa, insn);
    const bool thumb =
        insn->iset == 'T' || insn->iset == 'X' || (insn->iset == 0 && (is_thumb || size == 2));
    struct isa_operands operands;
    if (!(record->has & SPOOR_HAS_DATA)) return false;
    if (!isa_operands_of(&operands, isa_of_instruction(isa, insn->iset), thumb, insn->opcode, size))
        return false;
    for (unsigned i = 0; i < operands.read_count; i++)
        instruction_read(instruction, operation_register(operands.reads[i]));
    for (unsigned i = 0; i < operands.write_count; i++)
        instruction_write(instruction, operation_register(operands.writes[i]));
    instruction->is_known = true;
    instruction->kind = operands.branch ? SPOOR_CLASS_BRANCH : classes[operands.class];
    instruction->data_count = operands.data_count;
    instruction->states_load = operands.load;
    instruction->states_store = operands.store;
    if (operands.updates_base) instruction->base = operation_register((unsigned)operands.base);
    return true;
}

/* ---- registers by name ---- */

static bool special_is(const char *text, const char *name)
{
    return name && strcmp(text, name) == 0;
}

static uint8_t stated_registers_look_up(struct stated_registers *registers,
                                        const struct spoor_stream *stream, enum isa isa,
                                        spoor_name name)
{
    struct register_name one;
    size_t size;
    const char *text = spoor_names_text(stream->names, name, &size);
    const struct spoor_special_registers *special = stream->special;
    register_canonical(text, size, isa, &one);
    if (special && special_is(one.text, special->instruction_pointer)) return SPOOR_NO_REGISTER;
    if (special && special_is(one.text, special->flags)) return SPOOR_FLAGS_REGISTER;
    if (isa != ISA_UNKNOWN) {
        const int known = isa_register_number(isa, &one);
        return known < 0 ? (uint8_t)SPOOR_NO_REGISTER : operation_register((unsigned)known);
    }
    /* Names get the numbers after those of the instruction sets, in order of appearance. */
    const unsigned below = SPOOR_FLAGS_REGISTER;
    const unsigned above = SPOOR_TEMPORARY_REGISTER - SPOOR_VECTOR_REGISTER;
    uint8_t number = SPOOR_NO_REGISTER;
    if (registers->given == below + above) {
        registers->foreign++;
    } else {
        const unsigned given = registers->given++;
        number = (uint8_t)(given < below ? given : SPOOR_VECTOR_REGISTER + given - below);
    }
    if (special && special_is(one.text, special->stack_pointer)) registers->stack_pointer = number;
    return number;
}

/* Returns the number of a register; SPOOR_NO_REGISTER if it is not modelled. */
static uint8_t stated_registers_number(struct stated_registers *registers,
                                       const struct spoor_stream *stream, enum isa isa,
                                       spoor_name name)
{
    if (!registers->numbers) {
        registers->numbers = calloc(NAMES, 1);
        registers->stack_pointer = SPOOR_NO_REGISTER;
    }
    registers->failed = !registers->numbers;
    if (registers->failed) return SPOOR_NO_REGISTER;
    uint8_t *known = &registers->numbers[name];
    if (!*known) *known = (uint8_t)(1 + stated_registers_look_up(registers, stream, isa, name));
    return (uint8_t)(*known - 1);
}

/* ---- classes ---- */

static bool mnemonic_begins(const char *word, size_t size, const char *with)
{
    const size_t length = strlen(with);
    return size >= length && ascii_compare_some(word, with, length) == 0;
}

/* Finds the class of a slow operation from the beginning of its name.  The micro-opcodes of the
 * course, those of `spoor record`, and the mnemonics of Arm, RISC-V and x86 use the same
 * beginnings. */
static enum spoor_operation_class mnemonic_class(const char *word, size_t size)
{
    static const struct {
        const char *with;
        enum spoor_operation_class kind;
    } words[] = {
        {"MUL", SPOOR_CLASS_MULTIPLY},  {"IMUL", SPOOR_CLASS_MULTIPLY},
        {"MADD", SPOOR_CLASS_MULTIPLY}, {"MSUB", SPOOR_CLASS_MULTIPLY},
        {"SMUL", SPOOR_CLASS_MULTIPLY}, {"UMUL", SPOOR_CLASS_MULTIPLY},
        {"DIV", SPOOR_CLASS_DIVIDE},    {"IDIV", SPOOR_CLASS_DIVIDE},
        {"SDIV", SPOOR_CLASS_DIVIDE},   {"UDIV", SPOOR_CLASS_DIVIDE},
        {"REM", SPOOR_CLASS_DIVIDE},    {"FENCE", SPOOR_CLASS_ALU},
        {"FXCH", SPOOR_CLASS_ALU},      {"FADD", SPOOR_CLASS_FLOAT},
        {"FSUB", SPOOR_CLASS_FLOAT},    {"FMUL", SPOOR_CLASS_FLOAT},
        {"FDIV", SPOOR_CLASS_FLOAT},    {"FSQRT", SPOOR_CLASS_FLOAT},
        {"FMADD", SPOOR_CLASS_FLOAT},   {"FMSUB", SPOOR_CLASS_FLOAT},
        {"FCVT", SPOOR_CLASS_FLOAT},    {"FP", SPOOR_CLASS_FLOAT},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (mnemonic_begins(word, size, words[i].with)) return words[i].kind;
    return SPOOR_CLASS_ALU;
}

/* The properties that the name of an opcode implies, as bits. */
enum opcode {
    OPCODE_CLASS = 7, /* enum spoor_operation_class */
    OPCODE_KNOWN = 1 << 3,
    OPCODE_CALL = 1 << 4,
    OPCODE_RETURN = 1 << 5,
    OPCODE_INDIRECT = 1 << 6,
};

static uint8_t operations_learn_opcode(struct operations *operations,
                                       const struct spoor_stream *stream, spoor_name name)
{
    size_t size;
    const char *word = spoor_names_text(stream->names, name, &size);
    unsigned says = OPCODE_KNOWN | mnemonic_class(word, size);
    if (mnemonic_begins(word, size, "CALL")) says |= OPCODE_CALL;
    if (mnemonic_begins(word, size, "RET")) says |= OPCODE_RETURN;
    if (mnemonic_begins(word, size, "JMP_REG")) says |= OPCODE_INDIRECT;
    return operations->opcodes[name] = (uint8_t)says;
}

static inline uint8_t operations_opcode(struct operations *operations,
                                        const struct spoor_stream *stream, spoor_name name)
{
    const uint8_t known = operations->opcodes[name];
    return known ? known : operations_learn_opcode(operations, stream, name);
}

/* ---- micro-ops ---- */

_Static_assert((-1 & SPOOR_NO_REGISTER) == SPOOR_NO_REGISTER, "-1 masked is no register");

static inline uint8_t operations_uop_register(struct operations *operations, int number)
{
    if (__builtin_expect((unsigned)number + 1 <= SPOOR_ARCHITECTURAL, true))
        return number & SPOOR_NO_REGISTER;
    operations->missing.foreign_registers++;
    return SPOOR_NO_REGISTER;
}

/* Appends the micro-ops from record `first` on; returns the index of the first record of another
 * kind, or `last`. */
static size_t operations_add_uops(struct operations *operations, const struct spoor_batch *batch,
                                  size_t first, size_t last)
{
    const struct spoor_stream *stream = batch->stream;
    struct spoor_operation *to = operations->items + operations->count;
    size_t at = first;
    for (; at < last && batch->records[at].kind == SPOOR_UOP; at++, to++) {
        const struct spoor_record *record = &batch->records[at];
        const struct spoor_uop_full uop = spoor_uop_of(batch, at);
        const uint8_t op = record->op;
        const uint8_t micro = operations_opcode(operations, stream, record->uop.micro);
        to->pc = record->uop.pc;
        to->address = record->uop.address;
        to->target = record->uop.target;
        /* The bytes from a micro-op's instruction to the one after it; 0 if that is not ahead, or
         * too far. */
        const uint64_t length = uop.fall - uop.pc;
        to->length = length <= UOP_LONGEST_INSTRUCTION ? (uint32_t)length : 0;
        to->macro = record->uop.macro;
        to->micro = record->uop.micro;
        to->source[0] = operations_uop_register(operations, uop.src1);
        to->source[1] = operations_uop_register(operations, uop.src2);
        to->source[2] = op & SPOOR_UOP_READS_FLAGS ? SPOOR_FLAGS_REGISTER : SPOOR_NO_REGISTER;
        to->dest[0] = operations_uop_register(operations, uop.dest);
        to->dest[1] = op & SPOOR_UOP_WRITES_FLAGS ? SPOOR_FLAGS_REGISTER : SPOOR_NO_REGISTER;
        const uint8_t other = op & BRANCH ? SPOOR_CLASS_BRANCH : micro & OPCODE_CLASS;
        const uint8_t moves = op & SPOOR_UOP_LOAD ? SPOOR_CLASS_LOAD : SPOOR_CLASS_STORE;
        to->kind = op & (SPOOR_UOP_LOAD | SPOOR_UOP_STORE) ? moves : other;
        to->branch = 0;
        if (op & BRANCH) {
            /* A branch that reads no flags is always taken; the name of the macro-op identifies
             * calls and returns. */
            const uint8_t macro = operations_opcode(operations, stream, record->uop.macro);
            to->branch = (uint8_t)((op & SPOOR_UOP_READS_FLAGS ? SPOOR_BRANCH_CONDITIONAL : 0) |
                                   (macro & OPCODE_CALL ? SPOOR_BRANCH_CALL : 0) |
                                   (macro & OPCODE_RETURN ? SPOOR_BRANCH_RETURN : 0) |
                                   (micro & OPCODE_INDIRECT ? SPOOR_BRANCH_INDIRECT : 0));
        }
        to->is = (uint8_t)(op | (uop.step == 1 ? SPOOR_OPERATION_FIRST : 0));
    }
    operations->count += at - first;
    return at;
}

/* ---- instructions ---- */

static bool operations_reserve(struct operations *operations, size_t more)
{
    if (array_reserve(&operations->items, &operations->capacity, operations->count + more))
        return true;
    operations->failed = true;
    return false;
}

/* The state of the processor with this name; NULL if it has none, unless it `adds` one, or if
 * memory runs out. */
static struct held_instruction *operations_held(struct operations *operations, spoor_name cpu,
                                                bool adds)
{
    if (cpu >= operations->held_count &&
        !array_reserve_zeroed(&operations->held, &operations->held_count, cpu + (size_t)1)) {
        operations->failed = true;
        return NULL;
    }
    struct held_instruction **held = &operations->held[cpu];
    if (!*held && adds) {
        *held = calloc(1, sizeof **held);
        operations->failed |= !*held;
    }
    return *held;
}

/* Cracks the held instruction, which is complete. */
static void operations_release(struct operations *operations, struct held_instruction *held)
{
    struct instruction *instruction = &held->instruction;
    if (!held->holds) return;
    held->holds = false;
    if (!instruction->access_count && (instruction->states_load || instruction->states_store)) {
        /* The accesses that the opcode implies and the trace does not state take time, but have no
         * address. */
        operations->missing.addressless++;
        if (instruction->states_load)
            instruction_access(instruction, (struct instruction_access){.store = false});
        if (instruction->states_store)
            instruction_access(instruction, (struct instruction_access){.store = true});
    }
    if (!operations_reserve(operations, INSTRUCTION_OPERATIONS)) return;
    const size_t made =
        instruction_crack(instruction, operations->whole, operations->items + operations->count);
    operations->count += made;
    if (held->warms) operations->warmed += made;
}

static void instruction_set_branch(struct instruction *instruction,
                                   const struct spoor_branch *branch)
{
    const uint64_t length = branch->fall - instruction->pc;
    instruction->has_branch = true;
    instruction->branch = *branch;
    if (!instruction->length && branch->has & SPOOR_BRANCH_HAS_FALL &&
        length <= UOP_LONGEST_INSTRUCTION)
        instruction->length = (uint32_t)length;
}

/* Adds a branch that belongs to no instruction of the trace, after the instructions between it and
 * the branch before, of which such a trace states nothing but the number. */
static void operations_put_pending(struct operations *operations, struct held_instruction *held)
{
    enum { MAXIMUM = 1 << 16 };
    struct instruction instruction;
    const size_t before = operations->count;
    if (!held->has_pending) return;
    held->has_pending = false;
    const uint32_t gap = held->has_instructions ? 0 : held->pending.gap;
    const uint32_t fillers = gap < MAXIMUM ? gap : MAXIMUM;
    operations->missing.unplaced += fillers + UINT64_C(1);
    operations->missing.skipped += gap - fillers;
    if (operations_reserve(operations, fillers + 2 * (size_t)INSTRUCTION_OPERATIONS)) {
        instruction_begin(&instruction, 0, 0);
        instruction.is_unplaced = true;
        for (uint32_t i = 0; i < fillers; i++)
            operations->count += instruction_crack(&instruction, operations->whole,
                                                   operations->items + operations->count);
        instruction_begin(&instruction, held->pending.pc, 0);
        instruction.is_unplaced = true;
        instruction_set_branch(&instruction, &held->pending);
        operations->count += instruction_crack(&instruction, operations->whole,
                                               operations->items + operations->count);
    }
    if (held->warms) operations->warmed += operations->count - before;
    held->warms = false;
}

/* Assigns the branches that were found to their instructions; branches of later instructions wait.
 */
static void operations_assign_branches(struct operations *operations)
{
    for (size_t i = 0; i < operations->branches.count; i++) {
        const struct spoor_branch *branch = &operations->branches.items[i];
        struct held_instruction *held = operations_held(
            operations, branch->has & SPOOR_BRANCH_HAS_CPU ? branch->cpu : SPOOR_NO_NAME, true);
        if (!held) break;
        if (branch->has & SPOOR_BRANCH_HAS_TYPE || branch->type & SPOOR_BRANCH_CONDITIONAL)
            operations->missing.typed++;
        if (held->holds && held->instruction.pc == branch->pc && !held->instruction.has_branch) {
            instruction_set_branch(&held->instruction, branch);
            continue;
        }
        operations_put_pending(operations, held);
        held->pending = *branch;
        held->has_pending = true;
    }
    operations->branches.count = 0;
}

/* Returns the owner of a record without a processor: the last instruction that began. */
static struct held_instruction *operations_owner(struct operations *operations,
                                                 const struct spoor_record *record)
{
    return operations_held(operations,
                           record->has & SPOOR_HAS_CPU ? record->cpu : operations->last_cpu, false);
}

/* Begins an instruction at `pc`; the previous one on its processor is complete. */
static struct held_instruction *operations_hold(struct operations *operations, spoor_name cpu,
                                                uint64_t pc, uint32_t length)
{
    struct held_instruction *held = operations_held(operations, cpu, true);
    if (!held) return NULL;
    operations_release(operations, held);
    const bool is_pending = held->has_pending && held->pending.pc == pc;
    if (!is_pending) operations_put_pending(operations, held);
    instruction_begin(&held->instruction, pc, length);
    held->holds = held->has_instructions = true;
    held->warms = false;
    held->has_pending = false;
    if (is_pending) instruction_set_branch(&held->instruction, &held->pending);
    operations->missing.instructions++;
    operations->last_cpu = cpu;
    return held;
}

static void operations_add_instruction(struct operations *operations,
                                       const struct spoor_batch *batch,
                                       const struct spoor_record *record)
{
    const struct spoor_insn *insn = &record->insn;
    const enum isa isa = branches_isa(&operations->branches);
    const uint64_t pc = record->has & SPOOR_HAS_VA ? insn->va : insn->pa;
    struct held_instruction *held =
        operations_hold(operations, record->cpu, pc, isa_opcode_size(isa, insn));
    if (!held) return;
    held->is_thumb |= insn->iset == 0 && insn->opcode_size == 2;
    held->skipped = record->op == SPOOR_INSN_SKIPPED;
    if (instruction_read_opcode(&held->instruction, isa, held->is_thumb, record)) {
        if (held->skipped) {
            /* Its condition failed: it reads the flags and has no effect. */
            held->instruction.reads.count = held->instruction.writes.count = 0;
            held->instruction.writes_flags = false;
            held->instruction.states_load = held->instruction.states_store = false;
            held->instruction.base = SPOOR_NO_REGISTER;
            held->instruction.data_count = 0;
        }
        return;
    }
    operations->missing.unknown++;
    if (held->skipped) return;
    const char *words = spoor_batch_bytes(batch, insn->disasm);
    held->instruction.kind = (uint8_t)mnemonic_class(words, insn->disasm.size);
}

/* Adds a register that the trace states; it counts if the opcode is unknown. */
static void operations_add_register(struct operations *operations, const struct spoor_batch *batch,
                                    const struct spoor_record *record)
{
    struct held_instruction *held = operations_owner(operations, record);
    if (!held || !held->holds || held->instruction.is_known || held->skipped) return;
    const uint8_t reg = stated_registers_number(
        &operations->stated, batch->stream, branches_isa(&operations->branches), record->reg.name);
    operations->failed |= operations->stated.failed;
    if (record->op == SPOOR_REG_READ)
        instruction_read(&held->instruction, reg);
    else if (record->op == SPOOR_REG_WRITE)
        instruction_write(&held->instruction, reg);
    if (record->op == SPOOR_REG_READ) operations->missing.registers_read++;
    if (batch->stream->special && reg == operations->stated.stack_pointer)
        held->instruction.base = reg;
}

static void operations_add_access(struct operations *operations, const struct spoor_record *record)
{
    const uint8_t op = record->op;
    const bool updates = op == SPOOR_MEM_MODIFY || (op >= SPOOR_MEM_ADD && op <= SPOOR_MEM_UMIN);
    const bool reads = op == SPOOR_MEM_READ || updates, writes = op == SPOOR_MEM_WRITE || updates;
    if (!(reads || writes) || record->mem.attr & SPOOR_MEM_ABORTED) return;
    struct held_instruction *held = operations_owner(operations, record);
    struct instruction_access access = {
        .address = record->has & SPOOR_HAS_VA ? record->mem.va : record->mem.pa, .placed = true};
    if (!held || !held->holds) {
        operations->missing.accesses++;
        return;
    }
    operations->missing.placed++;
    bool fits = !reads || instruction_access(&held->instruction, access);
    access.store = true;
    if (writes) fits &= instruction_access(&held->instruction, access);
    operations->missing.accesses += !fits;
}

/* ---- batches ---- */

/* After a gap in the trace, no instruction that waits will get its successor. */
static void operations_begin_batch(struct operations *operations, const struct spoor_batch *batch)
{
    const uint32_t others = 1u << SPOOR_UOP | 1u << SPOOR_NOTE; /* no branches are found by them */
    if (!(batch->stream->kinds & ~others)) return;
    operations->states_branches |= batch->stream->special != NULL;
    if (!branches_begin(&operations->branches, batch)) operations->failed = true;
    if (operations->failed || !batch->gap) return;
    operations_assign_branches(operations);
    for (size_t i = 0; i < operations->held_count; i++)
        if (operations->held[i]) operations_release(operations, operations->held[i]);
}

void operations_add(struct operations *operations, const struct spoor_batch *batch, size_t first,
                    size_t last, const uint32_t *owners, uint32_t own)
{
    if (!operations->opcodes) operations->opcodes = calloc(NAMES, 1);
    if (!operations->opcodes) operations->failed = true;
    if (!operations->failed && first == 0) operations_begin_batch(operations, batch);
    for (size_t i = first, end; i < last && !operations->failed; i++) {
        if (owners && owners[i] != own) continue;
        const struct spoor_record *record = &batch->records[i];
        if (record->kind == SPOOR_UOP) {
            for (end = owners ? i + 1 : last; end < last && owners[end] == own;) end++;
            if (operations_reserve(operations, end - i))
                i = operations_add_uops(operations, batch, i, end) - 1;
            continue;
        }
        const bool after_gap = record->has & SPOOR_AFTER_GAP;
        const bool fetches = record->kind == SPOOR_MEM && record->op == SPOOR_MEM_FETCH;
        if (record->kind == SPOOR_INSN || record->kind == SPOOR_FLOW ||
            record->kind == SPOOR_EVENT || fetches || after_gap) {
            if (!branches_add_record(&operations->branches, batch, i)) operations->failed = true;
            operations_assign_branches(operations);
        }
        struct held_instruction *held =
            after_gap ? operations_held(operations, record->cpu, false) : NULL;
        if (held) operations_release(operations, held);
        operations->missing.flows += record->kind == SPOOR_FLOW;
        if (record->kind == SPOOR_INSN && record->op < SPOOR_INSN_AGAIN) {
            operations_add_instruction(operations, batch, record);
        } else if (fetches) {
            /* A fetch of a reference trace counts as an instruction. */
            const uint64_t pc = record->has & SPOOR_HAS_VA ? record->mem.va : record->mem.pa;
            operations_hold(operations, record->cpu, pc, record->mem.size);
            operations->missing.unknown++;
        } else if (record->kind == SPOOR_MEM) {
            operations_add_access(operations, record);
        } else if (record->kind == SPOOR_REG) {
            operations_add_register(operations, batch, record);
        }
    }
}

void operations_end_warmup(struct operations *operations)
{
    for (size_t i = 0; i < operations->held_count; i++)
        if (operations->held[i])
            operations->held[i]->warms =
                operations->held[i]->holds || operations->held[i]->has_pending;
}

void operations_end(struct operations *operations)
{
    if (operations->failed) return;
    operations->failed = spoor_branches_end(&operations->branches, NULL) != SPOOR_OK;
    operations_assign_branches(operations);
    for (size_t i = 0; i < operations->held_count && !operations->failed; i++) {
        if (!operations->held[i]) continue;
        operations_release(operations, operations->held[i]);
        operations_put_pending(operations, operations->held[i]);
    }
}

void operations_free(struct operations *operations)
{
    for (size_t i = 0; i < operations->held_count; i++) free(operations->held[i]);
    free(operations->held);
    spoor_branches_free(&operations->branches);
    free(operations->stated.numbers);
    free(operations->items);
    free(operations->opcodes);
    *operations = (struct operations){0};
}
