/* SPDX-License-Identifier: MIT */
/*
 * write_other.c: writes records of other formats as entries of drmemtrace.
 *
 * An instruction is written when the next one shows whether it branched, and its accesses after it.
 * What an entry cannot state is left out: an instruction without a size, and what is neither an
 * instruction nor an access.
 */
#include <stdlib.h>

#include "base/array.h"
#include "formats/drmemtrace/drmemtrace.h"
#include "isa/opcode.h"
#include "isa/register.h"
#include "views/bus.h"
#include "views/flow_type.h"
#include "views/uop.h"

void drm_put_entry(struct text *out, unsigned type, unsigned size, uint64_t value)
{
    char *at = text_reserve(out, DRM_ENTRY);
    if (at) text_commit(out, drm_store(at, type, size, value));
}

enum { LINE_SIZE = 64, PAGE_SIZE = 4096, THREADS_FROM = 1024 };

/* An instruction, of which the next one shows whether it branched. */
struct open_insn {
    uint64_t pc, opcode, target;
    uint8_t size, iset;
    uint8_t type;          /* enum drm_type, if stated: */
    bool typed, undecided; /* undecided: not whether it was taken */
    bool has_code, has_target;
};

struct drm_other {
    bool begun, waits;
    bool counts; /* threads are numbers of processors, to which 1 is added: 0 is no thread */
    enum isa isa;
    spoor_name cpu;    /* of the last entry */
    uint64_t time;     /* of the last timestamp */
    uint64_t *threads; /* in the order of their first entries */
    size_t thread_count, thread_capacity;
    struct hash_map codes; /* of struct written_code */
    struct uop_opcodes opcodes;
    struct open_insn insn;
    struct text accesses; /* of the waiting instruction: entries */
};

struct written_code {
    uint64_t pc, opcode;
};

/* ---- types of instructions ---- */

static uint8_t drm_type_of_branch(unsigned type, bool taken)
{
    if (type & SPOOR_BRANCH_CONDITIONAL) return taken ? DRM_TAKEN : DRM_NOT_TAKEN;
    if (type & SPOOR_BRANCH_RETURN) return DRM_RETURN;
    const bool indirect = type & SPOOR_BRANCH_INDIRECT;
    if (type & SPOOR_BRANCH_CALL) return indirect ? DRM_INDIRECT_CALL : DRM_CALL;
    return indirect ? DRM_INDIRECT_JUMP : DRM_JUMP;
}

/* The type of the waiting instruction.  `next`: where execution continued; NULL: not known. */
static uint8_t drm_type_of(const struct drm_other *other, const uint64_t *next)
{
    const struct open_insn *insn = &other->insn;
    const bool leaves = next && *next != insn->pc + insn->size;
    const uint8_t outcome = !next ? DRM_CONDITIONAL : leaves ? DRM_TAKEN : DRM_NOT_TAKEN;
    if (insn->typed) return insn->undecided ? outcome : insn->type;
    if (!insn->has_code) return DRM_INSN;
    const uint32_t bits = (uint32_t)insn->opcode;
    struct opcode opcode = {.flow = OPCODE_UNKNOWN};
    if (insn->iset == DRM_ISET_X86) {
        opcode_x86_number(insn->pc, insn->opcode, insn->size, &opcode);
    } else {
        switch (isa_of_instruction(other->isa, insn->iset)) {
        case ISA_RISCV: opcode = opcode_riscv(insn->pc, bits, insn->size); break;
        case ISA_AARCH64: opcode = opcode_a64(insn->pc, bits); break;
        case ISA_AARCH32:
            opcode = insn->iset == DRM_ISET_A32 || (!insn->iset && insn->size == 4)
                         ? opcode_a32(insn->pc, bits)
                         : opcode_t32(insn->pc, bits, insn->size);
            break;
        default: break;
        }
    }
    if (opcode.flow != OPCODE_BRANCH) return DRM_INSN;
    return opcode.type & SPOOR_BRANCH_CONDITIONAL ? outcome : drm_type_of_branch(opcode.type, true);
}

/* ---- the waiting instruction ---- */

static void drm_other_end_insn(struct drm_other *other, const uint64_t *next, struct text *out)
{
    const struct open_insn *insn = &other->insn;
    if (!other->waits) return;
    const uint8_t type = drm_type_of(other, next);
    const bool indirect =
        type == DRM_INDIRECT_JUMP || type == DRM_INDIRECT_CALL || type == DRM_RETURN;
    if (insn->has_code) {
        /* the bytes of its code, if they were not written for its address before */
        uint64_t value = insn->opcode;
        bool added;
        struct written_code *code = hash_map_add(&other->codes, insn->pc, sizeof *code, &added);
        out->failed |= !code;
        if (code && (added || code->opcode != insn->opcode)) {
            code->opcode = insn->opcode;
            if (insn->iset == DRM_ISET_X86)
                value = __builtin_bswap64(value) >> 8 * (DRM_CODE - insn->size);
            if ((insn->iset == 'T' || insn->iset == 'X') && insn->size == 4)
                value = (value >> 16 & UINT16_MAX) | (value & UINT16_MAX) << 16;
            drm_put_entry(out, DRM_ENCODING, insn->size, value);
        }
    }
    if (indirect && (insn->has_target || next))
        drm_put_entry(out, DRM_MARKER, DRM_BRANCH_TARGET, insn->has_target ? insn->target : *next);
    drm_put_entry(out, type, insn->size, insn->pc);
    text_append(out, &other->accesses);
    other->accesses.size = 0;
    other->waits = false;
}

static void drm_other_thread(const struct drm_other *other, uint64_t thread, struct text *out)
{
    drm_put_entry(out, DRM_THREAD, sizeof(uint32_t), thread);
    drm_put_entry(out, DRM_PID, sizeof(uint32_t), other->threads[0]);
}

/* The thread and the time of a record, before its entry. */
static void drm_other_enter(struct drm_other *other, const struct spoor_batch *batch, size_t index,
                            size_t to, struct text *out)
{
    const struct spoor_record *record = &batch->records[index];
    const bool first = !other->begun, switches = first || other->cpu != record->cpu;
    const bool times = (record->has & SPOOR_HAS_TIME) && record->time != other->time;
    if (!switches && !times) return;
    /* the thread is the number at the end of the processor's name */
    size_t size, at, known = 0;
    uint64_t number = 0;
    const char *text = spoor_names_text(batch->stream->names, record->cpu, &size);
    for (at = size; at > 0 && text[at - 1] >= '0' && text[at - 1] <= '9';) at--;
    for (; at < size; at++) number = number * 10 + (uint64_t)(text[at] - '0');
    if (first) other->counts = number < THREADS_FROM;
    const uint64_t thread = number + other->counts;
    while (known < other->thread_count && other->threads[known] != thread) known++;
    if (known == other->thread_count) {
        if (!array_reserve(&other->threads, &other->thread_capacity, known + 1)) {
            out->failed = true;
            return;
        }
        other->threads[other->thread_count++] = thread;
    }
    if (first) {
        /* What a file begins with, in the order in which the tracer writes it.  The first
         * instruction from `index` on shows whether the trace has code. */
        const bool uops = batch->stream->kinds >> SPOOR_UOP & 1;
        size_t next = index;
        while (next < to && batch->records[next].kind != SPOOR_INSN) next++;
        const struct spoor_record *insn = next < to ? &batch->records[next] : NULL;
        uint64_t type = insn && (insn->has & SPOOR_HAS_DATA) ? DRM_FILE_ENCODINGS : 0;
        other->isa = isa_of(batch);
        if ((insn && insn->insn.iset == DRM_ISET_X86) || (uops && other->isa == ISA_UNKNOWN))
            type |= DRM_FILE_X86_64;
        if (other->isa == ISA_AARCH64) type |= DRM_FILE_AARCH64;
        if (other->isa == ISA_AARCH32) type |= DRM_FILE_ARM;
        drm_put_entry(out, DRM_HEADER, 0, DRM_VERSION_NEWEST);
        drm_put_entry(out, DRM_MARKER, DRM_VERSION, DRM_VERSION_NEWEST);
        drm_put_entry(out, DRM_MARKER, DRM_FILE_TYPE, type);
        drm_other_thread(other, thread, out);
        drm_put_entry(out, DRM_MARKER, DRM_LINE_SIZE, LINE_SIZE);
        drm_put_entry(out, DRM_MARKER, DRM_PAGE_SIZE, PAGE_SIZE);
    } else if (switches) {
        drm_other_thread(other, thread, out);
    }
    if (times) other->time = record->time;
    other->begun = true;
    other->cpu = record->cpu;
    drm_put_entry(out, DRM_MARKER, DRM_TIMESTAMP, other->time);
    drm_put_entry(out, DRM_MARKER, DRM_CPU, thread - other->counts);
}

/* ---- records ---- */

/* An instruction begins to wait; false: no entry can state it. */
static bool drm_other_begin_insn(struct drm_other *other, const struct spoor_batch *batch,
                                 size_t index, size_t to, const struct open_insn *insn,
                                 struct text *out)
{
    const bool follows = other->waits && other->cpu == batch->records[index].cpu;
    drm_other_end_insn(other, follows ? &insn->pc : NULL, out);
    if (insn->size == 0) return false;
    drm_other_enter(other, batch, index, to, out);
    other->insn = *insn;
    return other->waits = true;
}

static void drm_other_set_branch(struct open_insn *insn, unsigned type, bool taken)
{
    insn->typed = true;
    insn->type = drm_type_of_branch(type, taken);
}

/* An access, after its instruction; a read and a write, if it is both. */
static bool drm_other_put_mem(struct drm_other *other, const struct spoor_batch *batch,
                              size_t index, size_t to, struct text *out)
{
    const struct spoor_record *record = &batch->records[index];
    const struct spoor_mem *mem = &record->mem;
    const uint64_t address = record->has & SPOOR_HAS_VA ? mem->va : mem->pa;
    const struct open_insn insn = {.pc = address,
                                   .size = mem->size <= UINT8_MAX ? (uint8_t)mem->size : 0};
    if (record->op == SPOOR_MEM_FETCH)
        return drm_other_begin_insn(other, batch, index, to, &insn, out);
    const unsigned reference =
        record->op < SPOOR_MEM_OPS ? access_references[record->op] : (unsigned)NO_REFERENCE;
    const bool both = reference == READ_AND_WRITE;
    if (!both && reference != SPOOR_REFERENCE_READ && reference != SPOOR_REFERENCE_WRITE)
        return false;
    const bool follows = other->waits && other->cpu == record->cpu;
    if (!follows) drm_other_end_insn(other, NULL, out);
    if (!follows) drm_other_enter(other, batch, index, to, out);
    struct text *where = follows ? &other->accesses : out;
    if (both || reference == SPOOR_REFERENCE_READ)
        drm_put_entry(where, DRM_READ, mem->size, address);
    if (both || reference == SPOOR_REFERENCE_WRITE)
        drm_put_entry(where, DRM_WRITE, mem->size, address);
    return true;
}

bool drm_other_put(struct drm_other **made, const struct spoor_batch *batch, size_t index,
                   size_t to, struct text *out)
{
    if (!*made) *made = calloc(1, sizeof **made);
    struct drm_other *other = *made;
    const struct spoor_record *record = &batch->records[index];
    if (!other) {
        out->failed = true;
        return false;
    }
    const unsigned op = record->op;
    switch ((enum spoor_kind)record->kind) {
    case SPOOR_INSN: {
        const unsigned size = isa_opcode_size(other->isa, &record->insn);
        const struct open_insn insn = {
            .pc = record->has & SPOOR_HAS_VA ? record->insn.va : record->insn.pa,
            .opcode = record->insn.opcode,
            .size = (uint8_t)size,
            .iset = record->insn.iset,
            .has_code = (record->has & SPOOR_HAS_DATA) && size <= DRM_CODE,
        };
        if (op == SPOOR_INSN_SQUASHED) return false;
        if (op != SPOOR_INSN_AGAIN)
            return drm_other_begin_insn(other, batch, index, to, &insn, out);
        drm_other_end_insn(other, NULL, out);
        if (size) drm_put_entry(out, DRM_NOT_FETCHED, size, insn.pc);
        return size;
    }
    case SPOOR_UOP: {
        const struct spoor_uop_full uop = spoor_uop_of(batch, index);
        const uint64_t size = uop.fall - uop.pc;
        struct open_insn insn = {.pc = uop.pc,
                                 .size = size <= UOP_LONGEST_INSTRUCTION ? (uint8_t)size : 0};
        bool good = true;
        if (uop.step == 1) good = drm_other_begin_insn(other, batch, index, to, &insn, out);
        if (!other->waits) return false;
        if (uop_is_branch(record)) {
            struct spoor_branch branch;
            if (!uop_tell_branch(&branch, &other->opcodes, batch->stream->names, batch, index))
                out->failed = true;
            drm_other_set_branch(&other->insn, branch.type, branch.has & SPOOR_BRANCH_TAKEN);
            other->insn.has_target = branch.has & SPOOR_BRANCH_HAS_TARGET;
            other->insn.target = branch.target;
        }
        if (record->op & SPOOR_UOP_LOAD) drm_put_entry(&other->accesses, DRM_READ, 0, uop.address);
        if (record->op & SPOOR_UOP_STORE)
            drm_put_entry(&other->accesses, DRM_WRITE, 0, uop.address);
        return good;
    }
    case SPOOR_FLOW: {
        struct open_insn *insn = &other->insn;
        if (!other->waits || insn->pc != record->flow.va || other->cpu != record->cpu) return false;
        if (!(op & SPOOR_FLOW_TYPED)) return true; /* the opcode decides */
        drm_other_set_branch(insn, type_of_flow(op), !(op & SPOOR_FLOW_NOT_TAKEN));
        insn->undecided = record->has & SPOOR_HAS_EXTRA;
        insn->has_target = (record->has & SPOOR_HAS_DATA) && !(op & SPOOR_FLOW_NOT_TAKEN);
        insn->target = record->flow.target;
        return true;
    }
    case SPOOR_MEM: return drm_other_put_mem(other, batch, index, to, out);
    default: return false;
    }
}

void drm_other_end(struct drm_other *other, struct text *out)
{
    if (!other) return;
    drm_other_end_insn(other, NULL, out);
    for (size_t i = 0; i < other->thread_count; i++) {
        if (i > 0 || other->thread_count > 1) drm_other_thread(other, other->threads[i], out);
        drm_put_entry(out, DRM_THREAD_EXIT, sizeof(uint32_t), other->threads[i]);
    }
    if (other->begun) drm_put_entry(out, DRM_FOOTER, 0, 0);
    out->failed |= other->accesses.failed;
    hash_map_free(&other->codes);
    text_free(&other->accesses);
    free(other->opcodes.says);
    free(other->threads);
    free(other);
}
