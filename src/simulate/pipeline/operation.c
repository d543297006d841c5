/* SPDX-License-Identifier: MIT */
/* operation.c: operations out of records; see operation.h. */
#include "simulate/pipeline/operation.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { NAMES = 1 << 16, BRANCH = SPOOR_UOP_TAKEN | SPOOR_UOP_NOT_TAKEN };

/* ---- classes ---- */

static bool begins(const char *word, size_t size, const char *with)
{
    const size_t length = strlen(with);
    return size >= length && strncasecmp(word, with, length) == 0;
}

/* The micro-opcodes of the course, of `spoor record` and the mnemonics of Arm, RISC-V and x86 agree
 * in how the words for slow operations begin. */
enum spoor_operation_class operation_class_of(const char *word, size_t size)
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

/* What the name of an opcode says. */
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

/* A branch that reads no flags is always taken; calls and returns are named by the macro-op. */
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

/* Bytes from a micro-op's instruction to the one behind it; 0: that is not ahead, or too far. */
static inline uint32_t length_of(const struct spoor_uop_full *uop)
{
    const uint64_t length = uop->fall - uop->pc;
    return length <= INT32_MAX ? (uint32_t)length : 0;
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

/* Append the micro-ops from record `first` on; gives the index of the first that is none, or
 * `last`. */
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

/* The held instruction's successor is at `pc`, or nothing follows. */
static void release(struct operations *operations, bool follows, uint64_t pc)
{
    struct spoor_operation *held = &operations->held;
    if (!operations->holds) return;
    operations->holds = false;
    if (follows && held->length && pc != held->pc + held->length) {
        held->is |= SPOOR_UOP_TAKEN;
        held->target = pc;
        if (held->kind == SPOOR_CLASS_ALU) held->kind = SPOOR_CLASS_BRANCH;
    }
    operations->items[operations->count++] = *held;
}

static struct spoor_operation without_registers(uint64_t pc)
{
    return (struct spoor_operation){
        .pc = pc,
        .source = {SPOOR_NO_REGISTER, SPOOR_NO_REGISTER, SPOOR_NO_REGISTER},
        .dest = {SPOOR_NO_REGISTER, SPOOR_NO_REGISTER},
    };
}

/* An instruction at `pc` is fetched, carried out or not; the one before it is complete. */
static struct spoor_operation *hold(struct operations *operations,
                                    const struct spoor_record *record, uint64_t pc)
{
    release(operations, record->cpu == operations->held_cpu, pc);
    operations->held = without_registers(pc);
    operations->held.is = SPOOR_OPERATION_FIRST;
    operations->holds = true;
    operations->held_accessed = false;
    operations->held_cpu = record->cpu;
    operations->missing.instructions++;
    return &operations->held;
}

static void add_instruction(struct operations *operations, const struct spoor_batch *batch,
                            const struct spoor_record *record)
{
    const struct spoor_insn *insn = &record->insn;
    const uint64_t pc = record->has & SPOOR_HAS_VA ? insn->va : insn->pa;
    const char *words = spoor_batch_bytes(batch, insn->disasm);
    struct spoor_operation *held = hold(operations, record, pc);
    held->length = insn->opcode_size;
    if (record->op == SPOOR_INSN_SKIPPED) return;
    held->kind = (uint8_t)operation_class_of(words, insn->disasm.size);
}

/* A fetch in a trace of references is an instruction. */
static void add_fetch(struct operations *operations, const struct spoor_record *record)
{
    const uint64_t pc = record->has & SPOOR_HAS_VA ? record->mem.va : record->mem.pa;
    hold(operations, record, pc)->length = record->mem.size;
}

static void access_with(struct spoor_operation *operation, uint64_t address, bool writes)
{
    operation->address = address;
    operation->is |= writes ? SPOOR_UOP_STORE : SPOOR_UOP_LOAD;
    operation->kind = writes ? SPOOR_CLASS_STORE : SPOOR_CLASS_LOAD;
}

static bool is_write(uint8_t op)
{
    return op == SPOOR_MEM_WRITE || (op >= SPOOR_MEM_ADD && op <= SPOOR_MEM_UMIN);
}

/* An access belongs to the instruction before it; a further one becomes an operation in front of
 * it, since the instruction itself still waits for its successor. */
static void add_access(struct operations *operations, const struct spoor_record *record)
{
    const bool writes = is_write(record->op);
    const uint64_t address = record->has & SPOOR_HAS_VA ? record->mem.va : record->mem.pa;
    const bool moves = writes || record->op == SPOOR_MEM_READ || record->op == SPOOR_MEM_MODIFY;
    struct spoor_operation *held = &operations->held;
    const bool elsewhere = record->has & SPOOR_HAS_CPU && record->cpu != operations->held_cpu;
    if (!moves) return;
    if (!operations->holds || elsewhere) {
        operations->missing.accesses++;
        return;
    }
    if (operations->held_accessed) {
        operations->items[operations->count++] = *held;
        const uint32_t length = held->length;
        *held = without_registers(held->pc);
        held->length = length;
    }
    access_with(held, address, writes);
    operations->held_accessed = true;
}

/* ---- batches ---- */

static bool make_room(struct operations *operations, size_t more)
{
    if (!operations->opcodes) operations->opcodes = calloc(NAMES, 1);
    if (!operations->opcodes) return false;
    if (operations->room - operations->count >= more) return true;
    const size_t room = operations->count + more;
    struct spoor_operation *items = realloc(operations->items, room * sizeof *items);
    if (!items) return false;
    operations->items = items;
    operations->room = room;
    return true;
}

void operations_add(struct operations *operations, const struct spoor_batch *batch, size_t first,
                    size_t last)
{
    if (!make_room(operations, last - first + 1)) {
        operations->failed = true;
        return;
    }
    for (size_t i = first; (i = add_uops(operations, batch, i, last)) < last; i++) {
        const struct spoor_record *record = &batch->records[i];
        if (record->kind == SPOOR_INSN && record->op != SPOOR_INSN_AGAIN)
            add_instruction(operations, batch, record);
        else if (record->kind == SPOOR_MEM && record->op == SPOOR_MEM_FETCH)
            add_fetch(operations, record);
        else if (record->kind == SPOOR_MEM)
            add_access(operations, record);
    }
}

void operations_end(struct operations *operations)
{
    if (operations->holds && !make_room(operations, 1)) operations->failed = true;
    if (!operations->failed) release(operations, false, 0);
}

void operations_free(struct operations *operations)
{
    free(operations->items);
    free(operations->opcodes);
    *operations = (struct operations){0};
}
