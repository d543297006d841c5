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

static uint8_t number_of(unsigned reg)
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

static enum spoor_operation_class class_of(const struct isa_operands *operands)
{
    static const uint8_t classes[] = {
        [ISA_ALU] = SPOOR_CLASS_ALU,
        [ISA_MULTIPLY] = SPOOR_CLASS_MULTIPLY,
        [ISA_DIVIDE] = SPOOR_CLASS_DIVIDE,
        [ISA_FLOAT] = SPOOR_CLASS_FLOAT,
    };
    return operands->branch ? SPOOR_CLASS_BRANCH
                            : (enum spoor_operation_class)classes[operands->class];
}

/* Fills in what the opcode of an INSN record implies; false if the opcode is unknown. */
static bool stated_by_opcode(struct instruction *instruction, enum isa isa, bool is_thumb,
                             const struct spoor_record *record)
{
    const struct spoor_insn *insn = &record->insn;
    const uint8_t size = isa_opcode_size(isa, insn);
    const bool thumb =
        insn->iset == 'T' || insn->iset == 'X' || (insn->iset == 0 && (is_thumb || size == 2));
    struct isa_operands operands;
    if (!(record->has & SPOOR_HAS_DATA)) return false;
    if (!isa_operands_of(&operands, isa_of_instruction(isa, insn->iset), thumb, insn->opcode, size))
        return false;
    for (unsigned i = 0; i < operands.read_count; i++)
        instruction_read(instruction, number_of(operands.reads[i]));
    for (unsigned i = 0; i < operands.write_count; i++)
        instruction_write(instruction, number_of(operands.writes[i]));
    instruction->is_known = true;
    instruction->kind = (uint8_t)class_of(&operands);
    instruction->data_count = operands.data_count;
    instruction->states_load = operands.load;
    instruction->states_store = operands.store;
    if (operands.updates_base) instruction->base = number_of((unsigned)operands.base);
    return true;
}

/* Marks an instruction whose condition failed: it reads the flags and has no effect. */
static void stated_skipped(struct instruction *instruction)
{
    instruction->reads.count = instruction->writes.count = 0;
    instruction->writes_flags = false;
    instruction->states_load = instruction->states_store = false;
    instruction->base = SPOOR_NO_REGISTER;
    instruction->data_count = 0;
}

/* ---- registers by name ---- */

/* Assigns the numbers after the instruction sets' registers to names in order of appearance. */
static uint8_t assign_number(struct stated_registers *registers)
{
    const unsigned below = SPOOR_FLAGS_REGISTER;
    const unsigned above = SPOOR_TEMPORARY_REGISTER - SPOOR_VECTOR_REGISTER;
    if (registers->given == below + above) {
        registers->foreign++;
        return SPOOR_NO_REGISTER;
    }
    const unsigned number = registers->given++;
    return (uint8_t)(number < below ? number : SPOOR_VECTOR_REGISTER + number - below);
}

static bool is_name(const char *text, const char *name)
{
    return name && strcmp(text, name) == 0;
}

static uint8_t look_up(struct stated_registers *registers, const struct spoor_stream *stream,
                       enum isa isa, spoor_name name)
{
    struct register_name one;
    size_t size;
    const char *text = spoor_names_text(stream->names, name, &size);
    const struct spoor_special_registers *special = stream->special;
    register_canonical(text, size, isa, &one);
    if (special && is_name(one.text, special->instruction_pointer)) return SPOOR_NO_REGISTER;
    if (special && is_name(one.text, special->flags)) return SPOOR_FLAGS_REGISTER;
    if (isa != ISA_UNKNOWN) {
        const int known = isa_register_number(isa, &one);
        return known < 0 ? (uint8_t)SPOOR_NO_REGISTER : number_of((unsigned)known);
    }
    const uint8_t number = assign_number(registers);
    if (special && is_name(one.text, special->stack_pointer)) registers->stack_pointer = number;
    return number;
}

/* Returns the number of a register; SPOOR_NO_REGISTER if it is not modelled. */
static uint8_t stated_register(struct stated_registers *registers,
                               const struct spoor_stream *stream, enum isa isa, spoor_name name)
{
    if (!registers->numbers) {
        registers->numbers = calloc(NAMES, 1);
        registers->stack_pointer = SPOOR_NO_REGISTER;
    }
    registers->failed = !registers->numbers;
    if (registers->failed) return SPOOR_NO_REGISTER;
    uint8_t *known = &registers->numbers[name];
    if (!*known) *known = (uint8_t)(1 + look_up(registers, stream, isa, name));
    return (uint8_t)(*known - 1);
}

/* ---- classes ---- */

static bool begins(const char *word, size_t size, const char *with)
{
    const size_t length = strlen(with);
    return size >= length && ascii_compare_some(word, with, length) == 0;
}

/* Finds the class of a slow operation from the beginning of its name.  The micro-opcodes of the
 * course, those of `spoor record`, and the mnemonics of Arm, RISC-V and x86 use the same
 * beginnings. */
static enum spoor_operation_class operation_class_of(const char *word, size_t size)
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
        if (begins(word, size, words[i].with)) return words[i].kind;
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

static uint8_t learn_opcode(struct operations *operations, const struct spoor_stream *stream,
                            spoor_name name)
{
    size_t size;
    const char *word = spoor_names_text(stream->names, name, &size);
    unsigned says = OPCODE_KNOWN | operation_class_of(word, size);
    if (begins(word, size, "CALL")) says |= OPCODE_CALL;
    if (begins(word, size, "RET")) says |= OPCODE_RETURN;
    if (begins(word, size, "JMP_REG")) says |= OPCODE_INDIRECT;
    return operations->opcodes[name] = (uint8_t)says;
}

static inline uint8_t opcode_of(struct operations *operations, const struct spoor_stream *stream,
                                spoor_name name)
{
    const uint8_t known = operations->opcodes[name];
    return known ? known : learn_opcode(operations, stream, name);
}

/* ---- micro-ops ---- */

_Static_assert((-1 & SPOOR_NO_REGISTER) == SPOOR_NO_REGISTER, "-1 masked is no register");

static inline uint8_t register_of(struct operations *operations, int number)
{
    if (__builtin_expect((unsigned)number + 1 <= SPOOR_ARCHITECTURAL, true))
        return number & SPOOR_NO_REGISTER;
    operations->missing.foreign_registers++;
    return SPOOR_NO_REGISTER;
}

/* Returns the type of a micro-op's branch.  A branch that reads no flags is always taken; the name
 * of the macro-op identifies calls and returns. */
static uint8_t branch_of_uop(struct operations *operations, const struct spoor_stream *stream,
                             const struct spoor_record *record, uint8_t micro)
{
    const uint8_t macro = opcode_of(operations, stream, record->uop.macro);
    return (uint8_t)((record->op & SPOOR_UOP_READS_FLAGS ? SPOOR_BRANCH_CONDITIONAL : 0) |
                     (macro & OPCODE_CALL ? SPOOR_BRANCH_CALL : 0) |
                     (macro & OPCODE_RETURN ? SPOOR_BRANCH_RETURN : 0) |
                     (micro & OPCODE_INDIRECT ? SPOOR_BRANCH_INDIRECT : 0));
}

static inline uint8_t kind_of_uop(uint8_t op, uint8_t micro)
{
    const uint8_t other = op & BRANCH ? SPOOR_CLASS_BRANCH : micro & OPCODE_CLASS;
    const uint8_t moves = op & SPOOR_UOP_LOAD ? SPOOR_CLASS_LOAD : SPOOR_CLASS_STORE;
    return op & (SPOOR_UOP_LOAD | SPOOR_UOP_STORE) ? moves : other;
}

/* Returns the bytes from a micro-op's instruction to the one after it; 0 if that is not ahead, or
 * too far. */
static inline uint32_t length_of(const struct spoor_uop_full *uop)
{
    const uint64_t length = uop->fall - uop->pc;
    return length <= UOP_LONGEST_INSTRUCTION ? (uint32_t)length : 0;
}

static inline void put_uop(struct operations *operations, struct spoor_operation *to,
                           const struct spoor_batch *batch, size_t index)
{
    const struct spoor_stream *stream = batch->stream;
    const struct spoor_record *record = &batch->records[index];
    const struct spoor_uop_full uop = spoor_uop_of(batch, index);
    const uint8_t op = record->op, micro = opcode_of(operations, stream, record->uop.micro);
    to->pc = record->uop.pc;
    to->address = record->uop.address;
    to->target = record->uop.target;
    to->length = length_of(&uop);
    to->macro = record->uop.macro;
    to->micro = record->uop.micro;
    to->source[0] = register_of(operations, uop.src1);
    to->source[1] = register_of(operations, uop.src2);
    to->source[2] = op & SPOOR_UOP_READS_FLAGS ? SPOOR_FLAGS_REGISTER : SPOOR_NO_REGISTER;
    to->dest[0] = register_of(operations, uop.dest);
    to->dest[1] = op & SPOOR_UOP_WRITES_FLAGS ? SPOOR_FLAGS_REGISTER : SPOOR_NO_REGISTER;
    to->kind = kind_of_uop(op, micro);
    to->branch = op & BRANCH ? branch_of_uop(operations, stream, record, micro) : 0;
    to->is = (uint8_t)(op | (uop.step == 1 ? SPOOR_OPERATION_FIRST : 0));
}

/* Appends the micro-ops from record `first` on; returns the index of the first record of another
 * kind, or `last`. */
static size_t add_uops(struct operations *operations, const struct spoor_batch *batch, size_t first,
                       size_t last)
{
    struct spoor_operation *to = operations->items + operations->count;
    size_t at = first;
    for (; at < last && batch->records[at].kind == SPOOR_UOP; at++)
        put_uop(operations, to++, batch, at);
    operations->count += at - first;
    return at;
}

/* ---- instructions ---- */

static bool make_capacity(struct operations *operations, size_t more)
{
    if (array_reserve(&operations->items, &operations->capacity, operations->count + more))
        return true;
    operations->failed = true;
    return false;
}

/* Returns the state of the processor with this name; NULL if memory runs out. */
static struct held *held_of(struct operations *operations, spoor_name cpu)
{
    if (cpu < operations->held_count) return operations->held[cpu];
    operations->failed |=
        !array_reserve_zeroed(&operations->held, &operations->held_count, cpu + (size_t)1);
    return NULL;
}

static struct held *hold_for(struct operations *operations, spoor_name cpu)
{
    struct held *held = held_of(operations, cpu);
    if (held || operations->failed) return held;
    held = operations->held[cpu] = calloc(1, sizeof *held);
    operations->failed = !held;
    return held;
}

/* Adds the accesses that the opcode implies and the trace does not state; they take time, but have
 * no address. */
static void add_unstated(struct operations *operations, struct instruction *instruction)
{
    if (instruction->access_count || !(instruction->states_load || instruction->states_store))
        return;
    operations->missing.addressless++;
    if (instruction->states_load)
        instruction_access(instruction, (struct instruction_access){.store = false});
    if (instruction->states_store)
        instruction_access(instruction, (struct instruction_access){.store = true});
}

/* Cracks the held instruction, which is complete. */
static void release(struct operations *operations, struct held *held)
{
    if (!held->holds) return;
    held->holds = false;
    add_unstated(operations, &held->instruction);
    if (!make_capacity(operations, INSTRUCTION_OPERATIONS)) return;
    const size_t made =
        instruction_crack(&held->instruction, operations->items + operations->count);
    operations->count += made;
    if (held->warms) operations->warmed += made;
}

static void give_branch(struct instruction *instruction, const struct spoor_branch *branch)
{
    const uint64_t length = branch->fall - instruction->pc;
    instruction->has_branch = true;
    instruction->branch = *branch;
    if (!instruction->length && branch->has & SPOOR_BRANCH_HAS_FALL &&
        length <= UOP_LONGEST_INSTRUCTION)
        instruction->length = (uint32_t)length;
}

/* Adds the instructions between branches, in a trace that states nothing but their number. */
static void put_gap(struct operations *operations, uint32_t gap)
{
    enum { MAXIMUM = 1 << 16 };
    const uint32_t count = gap < MAXIMUM ? gap : MAXIMUM;
    struct instruction filler;
    instruction_begin(&filler, 0, 0);
    filler.is_unplaced = true;
    operations->missing.unplaced += count;
    operations->missing.skipped += gap - count;
    if (!make_capacity(operations, count + INSTRUCTION_OPERATIONS)) return;
    for (uint32_t i = 0; i < count; i++)
        operations->count += instruction_crack(&filler, operations->items + operations->count);
}

/* Adds a branch that belongs to no instruction of the trace. */
static void put_pending(struct operations *operations, struct held *held)
{
    struct instruction instruction;
    const size_t before = operations->count;
    if (!held->has_pending) return;
    held->has_pending = false;
    if (!held->has_instructions) put_gap(operations, held->pending.gap);
    instruction_begin(&instruction, held->pending.pc, 0);
    instruction.is_unplaced = true;
    give_branch(&instruction, &held->pending);
    operations->missing.unplaced++;
    if (make_capacity(operations, INSTRUCTION_OPERATIONS))
        operations->count += instruction_crack(&instruction, operations->items + operations->count);
    if (held->warms) operations->warmed += operations->count - before;
    held->warms = false;
}

/* Assigns the branches that were found to their instructions; branches of later instructions wait.
 */
static void assign_branches(struct operations *operations)
{
    for (size_t i = 0; i < operations->branches.count; i++) {
        const struct spoor_branch *branch = &operations->branches.items[i];
        struct held *held =
            hold_for(operations, branch->has & SPOOR_BRANCH_HAS_CPU ? branch->cpu : SPOOR_NO_NAME);
        if (!held) break;
        if (branch->has & SPOOR_BRANCH_HAS_TYPE || branch->type & SPOOR_BRANCH_CONDITIONAL)
            operations->missing.typed++;
        if (held->holds && held->instruction.pc == branch->pc && !held->instruction.has_branch) {
            give_branch(&held->instruction, branch);
            continue;
        }
        put_pending(operations, held);
        held->pending = *branch;
        held->has_pending = true;
    }
    operations->branches.count = 0;
}

/* Returns the owner of a record without a processor: the last instruction that began. */
static struct held *owner_of(struct operations *operations, const struct spoor_record *record)
{
    return held_of(operations, record->has & SPOOR_HAS_CPU ? record->cpu : operations->last_cpu);
}

/* Begins an instruction at `pc`; the previous one on its processor is complete. */
static struct held *hold(struct operations *operations, spoor_name cpu, uint64_t pc,
                         uint32_t length)
{
    struct held *held = hold_for(operations, cpu);
    if (!held) return NULL;
    release(operations, held);
    const bool is_pending = held->has_pending && held->pending.pc == pc;
    if (!is_pending) put_pending(operations, held);
    instruction_begin(&held->instruction, pc, length);
    held->holds = held->has_instructions = true;
    held->warms = false;
    held->has_pending = false;
    if (is_pending) give_branch(&held->instruction, &held->pending);
    operations->missing.instructions++;
    operations->last_cpu = cpu;
    return held;
}

static void add_instruction(struct operations *operations, const struct spoor_batch *batch,
                            const struct spoor_record *record)
{
    const struct spoor_insn *insn = &record->insn;
    const enum isa isa = branches_isa(&operations->branches);
    const uint64_t pc = record->has & SPOOR_HAS_VA ? insn->va : insn->pa;
    struct held *held = hold(operations, record->cpu, pc, isa_opcode_size(isa, insn));
    if (!held) return;
    held->is_thumb |= insn->iset == 0 && insn->opcode_size == 2;
    held->skipped = record->op == SPOOR_INSN_SKIPPED;
    if (stated_by_opcode(&held->instruction, isa, held->is_thumb, record)) {
        if (held->skipped) stated_skipped(&held->instruction);
        return;
    }
    operations->missing.unknown++;
    if (held->skipped) return;
    const char *words = spoor_batch_bytes(batch, insn->disasm);
    held->instruction.kind = (uint8_t)operation_class_of(words, insn->disasm.size);
}

/* Adds a fetch of a reference trace, which counts as an instruction. */
static void add_fetch(struct operations *operations, const struct spoor_record *record)
{
    const uint64_t pc = record->has & SPOOR_HAS_VA ? record->mem.va : record->mem.pa;
    hold(operations, record->cpu, pc, record->mem.size);
    operations->missing.unknown++;
}

/* Adds a register that the trace states; it counts if the opcode is unknown. */
static void add_register(struct operations *operations, const struct spoor_batch *batch,
                         const struct spoor_record *record)
{
    struct held *held = owner_of(operations, record);
    if (!held || !held->holds || held->instruction.is_known || held->skipped) return;
    const uint8_t reg = stated_register(&operations->stated, batch->stream,
                                        branches_isa(&operations->branches), record->reg.name);
    operations->failed |= operations->stated.failed;
    if (record->op == SPOOR_REG_READ)
        instruction_read(&held->instruction, reg);
    else if (record->op == SPOOR_REG_WRITE)
        instruction_write(&held->instruction, reg);
    if (record->op == SPOOR_REG_READ) operations->missing.registers_read++;
    if (batch->stream->special && reg == operations->stated.stack_pointer)
        held->instruction.base = reg;
}

static void add_access(struct operations *operations, const struct spoor_record *record)
{
    const uint8_t op = record->op;
    const bool updates = op == SPOOR_MEM_MODIFY || (op >= SPOOR_MEM_ADD && op <= SPOOR_MEM_UMIN);
    const bool reads = op == SPOOR_MEM_READ || updates, writes = op == SPOOR_MEM_WRITE || updates;
    if (!(reads || writes) || record->mem.attr & SPOOR_MEM_ABORTED) return;
    struct held *held = owner_of(operations, record);
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

static bool is_of_flow(const struct spoor_record *record)
{
    return record->kind == SPOOR_INSN || record->kind == SPOOR_FLOW ||
           record->kind == SPOOR_EVENT ||
           (record->kind == SPOOR_MEM && record->op == SPOOR_MEM_FETCH);
}

static void add_record(struct operations *operations, const struct spoor_batch *batch, size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    const bool after_gap = record->has & SPOOR_AFTER_GAP;
    if (is_of_flow(record) || after_gap) {
        if (!branches_add_record(&operations->branches, batch, index)) operations->failed = true;
        assign_branches(operations);
    }
    struct held *held = after_gap ? held_of(operations, record->cpu) : NULL;
    if (held) release(operations, held);
    operations->missing.flows += record->kind == SPOOR_FLOW;
    if (record->kind == SPOOR_INSN && record->op < SPOOR_INSN_AGAIN)
        add_instruction(operations, batch, record);
    else if (record->kind == SPOOR_MEM && record->op == SPOOR_MEM_FETCH)
        add_fetch(operations, record);
    else if (record->kind == SPOOR_MEM)
        add_access(operations, record);
    else if (record->kind == SPOOR_REG)
        add_register(operations, batch, record);
}

/* After a gap in the trace, no instruction that waits will get its successor. */
static void begin_batch(struct operations *operations, const struct spoor_batch *batch)
{
    const uint32_t kinds = 1u << SPOOR_INSN | 1u << SPOOR_FLOW | 1u << SPOOR_MEM;
    if (!(batch->stream->kinds & kinds)) return;
    operations->states_branches |= batch->stream->special != NULL;
    if (!branches_begin(&operations->branches, batch)) operations->failed = true;
    if (operations->failed || !batch->gap) return;
    assign_branches(operations);
    for (size_t i = 0; i < operations->held_count; i++)
        if (operations->held[i]) release(operations, operations->held[i]);
}

void operations_add(struct operations *operations, const struct spoor_batch *batch, size_t first,
                    size_t last, const uint32_t *owners, uint32_t own)
{
    if (!operations->opcodes) operations->opcodes = calloc(NAMES, 1);
    if (!operations->opcodes) operations->failed = true;
    if (!operations->failed && first == 0) begin_batch(operations, batch);
    for (size_t i = first, end; i < last && !operations->failed; i++) {
        if (owners && owners[i] != own) continue;
        if (batch->records[i].kind != SPOOR_UOP) {
            add_record(operations, batch, i);
            continue;
        }
        for (end = owners ? i + 1 : last; end < last && owners[end] == own;) end++;
        if (make_capacity(operations, end - i)) i = add_uops(operations, batch, i, end) - 1;
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
    assign_branches(operations);
    for (size_t i = 0; i < operations->held_count && !operations->failed; i++) {
        if (!operations->held[i]) continue;
        release(operations, operations->held[i]);
        put_pending(operations, operations->held[i]);
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
