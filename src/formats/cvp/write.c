/* SPDX-License-Identifier: MIT */
/*
 * write.c: writes the traces of CVP-1 and CBP-2025.
 *
 * An instruction is assembled from its records and written when the next one begins.  If the
 * records come from either format, the spelling holds the type and flags that no field stores.
 * Otherwise the effects determine the type, and of a branch that no FLOW record states, its A64
 * opcode, and where the next instruction is.
 */
#include <stdlib.h>

#include "base/ascii.h"
#include "formats/cvp/cvp.h"
#include "isa/opcode.h"

#define EIGHT(letter, tens)                                                              \
    letter tens "0", letter tens "1", letter tens "2", letter tens "3", letter tens "4", \
        letter tens "5", letter tens "6", letter tens "7", letter tens "8", letter tens "9"
const char *const cvp_registers[CVP_REGISTERS] = {
    EIGHT("X", ""),  EIGHT("X", "1"), EIGHT("X", "2"), "X30", "SP",   EIGHT("V", ""),
    EIGHT("V", "1"), EIGHT("V", "2"), "V30",           "V31", "NZCV", "XZR",
};

struct writing {
    struct cvp insn;
    unsigned bytes; /* of its access, all registers */
    struct cvp_spelling spelling;
    uint8_t flow; /* operation of its branch */
    bool open, flows;
    struct opcode opcode; /* of A64; flow UNKNOWN: the record states none */
    bool skipped;         /* the record says so: of a branch, that it was not taken */
    bool has_index;
    uint64_t index;                    /* has_index */
    spoor_name cpu;                    /* or SPOOR_NO_NAME */
    bool newer;                        /* CBP-2025 is written */
    const struct spoor_format *source; /* the format of the batch */
};

/* ---- types ---- */

static unsigned type_of_flow(unsigned op, bool newer)
{
    const bool indirect = op & SPOOR_FLOW_IS_INDIRECT;
    if (op & SPOOR_FLOW_IS_CONDITIONAL) return CVP_CONDITIONAL;
    if (newer && (op & SPOOR_FLOW_IS_RETURN)) return CVP_RETURN;
    if (newer && (op & SPOOR_FLOW_IS_CALL)) return indirect ? CVP_INDIRECT_CALL : CVP_DIRECT_CALL;
    return indirect || (op & SPOOR_FLOW_IS_RETURN) ? CVP_INDIRECT : CVP_DIRECT;
}

static unsigned type_of(const struct writing *writing)
{
    const unsigned known = writing->spelling.type;
    const bool fits = writing->newer || known <= CVP_LAST_OF_CVP1;
    if (writing->spelling.whole == 2 && fits) return known; /* from this very format */
    if (writing->flows) return type_of_flow(writing->flow, writing->newer);
    if (writing->spelling.whole && !cvp_is_branch(known)) return known;
    return writing->insn.type;
}

/* The operation of a FLOW record for a branch of that type. */
static uint8_t flow_of_branch(unsigned type)
{
    return (uint8_t)(SPOOR_FLOW_TYPED |
                     (type & SPOOR_BRANCH_CONDITIONAL ? SPOOR_FLOW_IS_CONDITIONAL : 0) |
                     (type & SPOOR_BRANCH_INDIRECT ? SPOOR_FLOW_IS_INDIRECT : 0) |
                     (type & SPOOR_BRANCH_CALL ? SPOOR_FLOW_IS_CALL : 0) |
                     (type & SPOOR_BRANCH_RETURN ? SPOOR_FLOW_IS_RETURN : 0));
}

/* Finds by the opcode whether an instruction is a branch, and by the next instruction, NULL if the
 * trace does not show it, whether it was taken, and where to.  False: this is not known, and the
 * branch cannot be written as one. */
static bool find_branch(struct writing *writing, const struct spoor_record *next)
{
    struct cvp *insn = &writing->insn;
    const struct opcode *opcode = &writing->opcode;
    if (writing->flows || opcode->flow != OPCODE_BRANCH) return true;
    const bool conditional = opcode->type & SPOOR_BRANCH_CONDITIONAL;
    const bool direct = !(opcode->type & SPOOR_BRANCH_INDIRECT);
    const bool falls = writing->skipped || (next && next->insn.va == insn->pc + 4);
    const bool arrives = direct ? next && next->insn.va == opcode->target : next != NULL;
    /* an exception may come after a branch: the target of an unconditional one is in its opcode */
    if (conditional ? !falls && !arrives : !direct && !arrives) return false;
    writing->flows = true;
    writing->flow = flow_of_branch(opcode->type);
    insn->taken = !conditional || (arrives && !writing->skipped);
    if (insn->taken) insn->target = direct ? opcode->target : next->insn.va;
    return true;
}

/* ---- bytes ---- */

static char *cvp_put_names(char *at, const uint8_t *names, uint8_t count)
{
    return put_bytes(put_char(at, (char)count), (const char *)names, count);
}

/* Writes the instruction that `next` ends, NULL if nothing shows what is executed after it.  False:
 * it was a branch, and is not written as one. */
static bool cvp_flush(struct writing *writing, const struct spoor_record *next, struct text *out)
{
    enum { LONGEST = 64 + 2 * CVP_OPERANDS + 16 * CVP_OPERANDS };
    struct cvp *insn = &writing->insn;
    char *at = writing->open ? text_reserve(out, LONGEST) : NULL;
    if (!writing->open) return true;
    writing->open = false;
    if (!at) return true;
    const bool found = find_branch(writing, next);
    insn->type = (uint8_t)type_of(writing);
    at = put_char(put_bytes(at, &insn->pc, 8), (char)insn->type);
    if (cvp_is_access(insn->type)) {
        /* of CVP-1, the bytes of one register */
        const unsigned loaded = insn->type == CVP_LOAD && !writing->newer ? cvp_loaded(insn) : 1;
        const unsigned bytes = writing->bytes % loaded ? writing->bytes : writing->bytes / loaded;
        at = put_char(put_bytes(at, &insn->address, 8), (char)bytes);
        if (writing->newer) at = put_char(at, (char)writing->spelling.updates_base);
        if (writing->newer && insn->type == CVP_STORE)
            at = put_char(at, (char)writing->spelling.register_offset);
    }
    if (cvp_is_branch(insn->type)) {
        at = put_char(at, (char)insn->taken);
        if (insn->taken) at = put_bytes(at, &insn->target, 8);
    }
    at = cvp_put_names(at, insn->input, insn->inputs);
    at = cvp_put_names(at, insn->output, insn->outputs);
    for (unsigned i = 0; i < insn->outputs; i++)
        at = put_bytes(at, insn->values[i], cvp_is_vector(insn->output[i]) ? 16 : 8);
    text_commit(out, at);
    return found;
}

/* ---- from records ---- */

static bool is_of_family(const struct spoor_format *format)
{
    return format->write == cvp_write;
}

/* The opcode of an A64 instruction whose record states it; a trace of either format states none. */
static struct opcode a64_opcode(const struct spoor_batch *batch, const struct spoor_record *record)
{
    const struct opcode unknown = {.flow = OPCODE_UNKNOWN};
    if (!(record->has & SPOOR_HAS_DATA)) return unknown;
    if (isa_of_instruction(isa_of(batch), record->insn.iset) != ISA_AARCH64) return unknown;
    return opcode_a64(record->insn.va, (uint32_t)record->insn.opcode);
}

/* True if the instruction of a record is executed after the one that is open. */
static bool cvp_follows(const struct writing *writing, const struct spoor_record *record)
{
    const spoor_name cpu = record->has & SPOOR_HAS_CPU ? record->cpu : SPOOR_NO_NAME;
    if (!(record->has & SPOOR_HAS_VA) || cpu != writing->cpu) return false;
    return !writing->has_index || !(record->has & SPOOR_HAS_INDEX) ||
           record->insn.index == writing->index + 1;
}

static bool put_insn(struct writing *writing, const struct spoor_batch *batch,
                     const struct spoor_record *record, struct encoder *encoder, struct text *out)
{
    size_t size;
    if (record->op >= SPOOR_INSN_AGAIN) return true;
    encoder->skipped += !cvp_flush(writing, cvp_follows(writing, record) ? record : NULL, out);
    if (!(record->has & SPOOR_HAS_VA) || record->insn.va % 4) return false;
    const struct opcode opcode = a64_opcode(batch, record);
    const bool skipped = record->op == SPOOR_INSN_SKIPPED;
    if (skipped && !(opcode.flow == OPCODE_BRANCH && opcode.type & SPOOR_BRANCH_CONDITIONAL))
        return false;
    *writing = (struct writing){.insn.pc = record->insn.va,
                                .open = true,
                                .newer = writing->newer,
                                .source = writing->source,
                                .opcode = opcode,
                                .skipped = skipped,
                                .has_index = record->has & SPOOR_HAS_INDEX,
                                .index = record->insn.index,
                                .cpu = record->has & SPOOR_HAS_CPU ? record->cpu : SPOOR_NO_NAME};
    const char *bytes = spoor_names_text(batch->stream->spellings, record->spelling, &size);
    if (!is_of_family(writing->source) || size != sizeof writing->spelling) return true;
    memcpy(&writing->spelling, bytes, sizeof writing->spelling);
    if (cvp_is_newer(writing->source) == writing->newer) writing->spelling.whole = 2;
    return true;
}

static bool is_register(const char *name, size_t size, const char *known)
{
    return strlen(known) == size && ascii_compare_some(name, known, size) == 0;
}

/* Returns the number of a register from its name; CVP_REGISTERS if it has none. */
static unsigned register_of(const struct spoor_batch *batch, spoor_name id)
{
    size_t size;
    const char *name = spoor_names_text(batch->stream->names, id, &size);
    unsigned number = 0;
    while (number < CVP_REGISTERS && !is_register(name, size, cvp_registers[number])) number++;
    return number;
}

static bool put_reg(struct writing *writing, const struct spoor_batch *batch,
                    const struct spoor_record *record)
{
    struct cvp *insn = &writing->insn;
    const unsigned number = register_of(batch, record->reg.name);
    if (number > (writing->newer ? CVP_ZERO : CVP_FLAGS)) return false;
    if (record->op == SPOOR_REG_READ && insn->inputs < CVP_OPERANDS) {
        insn->input[insn->inputs++] = (uint8_t)number;
        return true;
    }
    if (record->op != SPOOR_REG_WRITE || !(record->has & SPOOR_HAS_DATA) ||
        insn->outputs == CVP_OPERANDS || record->reg.wide.size || record->reg.unknown)
        return false;
    memcpy(insn->values[insn->outputs], record->reg.value, sizeof record->reg.value);
    insn->output[insn->outputs++] = (uint8_t)number;
    return true;
}

static bool put_mem(struct writing *writing, const struct spoor_record *record)
{
    struct cvp *insn = &writing->insn;
    const unsigned size = record->mem.size;
    if (!(record->has & SPOOR_HAS_VA) || cvp_is_access(insn->type)) return false;
    if (record->op != SPOOR_MEM_READ && record->op != SPOOR_MEM_WRITE) return false;
    /* of CVP-1, a load of several registers is as often what one has */
    const bool own =
        is_of_family(writing->source) && !cvp_is_newer(writing->source) && !writing->newer;
    if (!size || (!own && (size > 64 || size & (size - 1)))) return false;
    insn->type = record->op == SPOOR_MEM_READ ? CVP_LOAD : CVP_STORE;
    insn->address = record->mem.va;
    writing->bytes = size;
    return true;
}

static bool put_flow(struct writing *writing, const struct spoor_record *record)
{
    const bool taken = !(record->op & SPOOR_FLOW_NOT_TAKEN);
    if (taken && !(record->has & SPOOR_HAS_DATA)) return false;
    writing->flows = true;
    writing->flow = record->op & SPOOR_FLOW_TYPED ? record->op : 0;
    writing->insn.taken = taken;
    writing->insn.target = record->flow.target;
    return true;
}

static bool put_note(struct writing *writing, const struct spoor_batch *batch,
                     const struct spoor_record *record, struct text *out)
{
    if (!is_of_family(writing->source)) return false;
    cvp_flush(writing, NULL, out);
    text_put(out, spoor_batch_bytes(batch, record->note.text), record->note.text.size);
    return true;
}

static bool put_record(struct writing *writing, const struct spoor_batch *batch, size_t index,
                       struct encoder *encoder, struct text *out)
{
    const struct spoor_record *record = &batch->records[index];
    if (record->kind == SPOOR_INSN) return put_insn(writing, batch, record, encoder, out);
    if (record->kind == SPOOR_NOTE) return put_note(writing, batch, record, out);
    if (!writing->open) return false;
    switch (record->kind) {
    case SPOOR_REG: return put_reg(writing, batch, record);
    case SPOOR_MEM: return put_mem(writing, record);
    case SPOOR_FLOW: return put_flow(writing, record);
    default: return false;
    }
}

void cvp_write(struct encoder *encoder, const struct spoor_batch *batch, size_t from, size_t to,
               struct text *out)
{
    if (!encoder->tables) encoder->tables = calloc(1, sizeof(struct writing));
    struct writing *writing = encoder->tables;
    if (!writing) out->failed = true;
    if (writing) writing->newer = cvp_is_newer(encoder->format);
    if (writing) writing->source = batch->stream->format;
    for (size_t i = from; writing && i < to; i++) {
        const bool done = put_record(writing, batch, i, encoder, out);
        encoder->written += done;
        encoder->skipped += !done;
    }
}

void cvp_end(struct encoder *encoder, struct text *out)
{
    struct writing *writing = encoder->tables;
    if (!writing) return;
    encoder->skipped += !cvp_flush(writing, NULL, out);
    free(writing);
    encoder->tables = NULL;
}
