/* SPDX-License-Identifier: MIT */
/*
 * cvp.c: the traces of two championships, value prediction (CVP-1) and branch prediction
 * (CBP-2025): AArch64 instructions with the values that they write.
 *
 *     pc (8)   type (1)
 *     loads and stores: address (8)   size (1)   [base update (1)]   [stores: register offset (1)]
 *     branches: taken (1)   if taken: target (8)
 *     count (1) and names (1 each) of inputs   count and names of outputs   values of outputs
 *
 * The parts in brackets exist only in CBP-2025, as do the types for calls and returns.  A value has
 * 8 bytes; a value of registers 32 to 63 has 16.  There is no header, no mark and no count.  After
 * bytes that cannot be a record, reading resumes where a run of possible records begins.
 *
 * A written instruction is assembled from its records, and complete when the next one begins.  If
 * the records come from either format, the spelling holds the type and flags that no field stores.
 * Otherwise the effects determine the type, and of a branch that no FLOW record states, its A64
 * opcode, and where the next instruction is.
 */
#include <stdlib.h>

#include "base/ascii.h"
#include "formats/cvp/cvp.h"
#include "isa/opcode.h"
#include "model/batch_own.h"
#include "views/flow_type.h"

#define EIGHT(letter, tens)                                                              \
    letter tens "0", letter tens "1", letter tens "2", letter tens "3", letter tens "4", \
        letter tens "5", letter tens "6", letter tens "7", letter tens "8", letter tens "9"
const char *const cvp_registers[CVP_REGISTERS] = {
    EIGHT("X", ""),  EIGHT("X", "1"), EIGHT("X", "2"), "X30", "SP",   EIGHT("V", ""),
    EIGHT("V", "1"), EIGHT("V", "2"), "V30",           "V31", "NZCV", "XZR",
};

static const char *const cvp_types[CVP_TYPES] = {
    [CVP_ALU] = "alu",
    [CVP_LOAD] = "load",
    [CVP_STORE] = "store",
    [CVP_CONDITIONAL] = "conditional",
    [CVP_DIRECT] = "direct",
    [CVP_INDIRECT] = "indirect",
    [CVP_FLOAT] = "float",
    [CVP_SLOW_ALU] = "slow-alu",
    [CVP_UNDEFINED] = "undefined",
    [CVP_DIRECT_CALL] = "direct-call",
    [CVP_INDIRECT_CALL] = "indirect-call",
    [CVP_RETURN] = "return",
};

/* ---- one record ---- */

enum fit { FIT, TOO_SHORT, IMPOSSIBLE };
struct cursor {
    const uint8_t *at, *end;
};

static bool cvp_decode_bytes(struct cursor *cursor, void *to, size_t size)
{
    if ((size_t)(cursor->end - cursor->at) < size) return false;
    memcpy(to, cursor->at, size);
    cursor->at += size;
    return true;
}

static enum fit cvp_read_names(struct cursor *cursor, uint8_t *count, uint8_t *names, bool newer)
{
    if (!cvp_decode_bytes(cursor, count, 1)) return TOO_SHORT;
    if (*count > CVP_OPERANDS) return IMPOSSIBLE;
    if (!cvp_decode_bytes(cursor, names, *count)) return TOO_SHORT;
    for (unsigned i = 0; i < *count; i++)
        if (names[i] > (newer ? CVP_ZERO : CVP_FLAGS)) return IMPOSSIBLE;
    return FIT;
}

static enum fit cvp_read_record(struct cursor *cursor, struct cvp *insn, bool newer)
{
    *insn = (struct cvp){0};
    if (!cvp_decode_bytes(cursor, &insn->pc, 8) || !cvp_decode_bytes(cursor, &insn->type, 1))
        return TOO_SHORT;
    if (insn->pc % 4 || insn->type > (newer ? CVP_RETURN : CVP_LAST_OF_CVP1)) return IMPOSSIBLE;
    if (cvp_is_access(insn->type)) {
        if (!cvp_decode_bytes(cursor, &insn->address, 8) ||
            !cvp_decode_bytes(cursor, &insn->access, 1))
            return TOO_SHORT;
        if (!insn->access || insn->access > 64 || insn->access & (insn->access - 1))
            return IMPOSSIBLE;
        if (newer && !cvp_decode_bytes(cursor, &insn->updates_base, 1)) return TOO_SHORT;
        if (insn->updates_base > 1) return IMPOSSIBLE;
        if (newer && insn->type == CVP_STORE &&
            !cvp_decode_bytes(cursor, &insn->register_offset, 1))
            return TOO_SHORT;
        if (insn->register_offset > 1) return IMPOSSIBLE;
    }
    if (cvp_is_branch(insn->type)) {
        if (!cvp_decode_bytes(cursor, &insn->taken, 1)) return TOO_SHORT;
        if (insn->taken > 1) return IMPOSSIBLE;
        if (insn->taken && !cvp_decode_bytes(cursor, &insn->target, 8)) return TOO_SHORT;
    }
    enum fit fit = cvp_read_names(cursor, &insn->inputs, insn->input, newer);
    if (fit == FIT) fit = cvp_read_names(cursor, &insn->outputs, insn->output, newer);
    for (unsigned i = 0; fit == FIT && i < insn->outputs; i++)
        if (!cvp_decode_bytes(cursor, insn->values[i], cvp_is_vector(insn->output[i]) ? 16 : 8))
            return TOO_SHORT;
    return fit;
}

/* ---- the end of a record ---- */

/* Returns the size of the record at `at`, or of the invalid bytes up to the next run of records; 0
 * if the record is longer than these bytes.  *damaged: the bytes are invalid. */
static size_t cvp_length_of(const char *at, size_t size, bool newer, bool *damaged)
{
    enum { RUN = 16, FEWEST = 2 /* records, up to the end */ };
    const struct cursor begin = {(const uint8_t *)at, (const uint8_t *)at + size};
    struct cursor cursor = begin;
    struct cvp insn;
    const enum fit fit = cvp_read_record(&cursor, &insn, newer);
    *damaged = fit == IMPOSSIBLE;
    if (fit == TOO_SHORT) return 0;
    if (fit == FIT) return (size_t)(cursor.at - begin.at);
    for (cursor.at = begin.at + 1; cursor.at < begin.end; cursor.at++) {
        struct cursor run = cursor;
        enum fit next = FIT;
        unsigned count = 0; /* records that follow one another from here */
        while (count < RUN && (next = cvp_read_record(&run, &insn, newer)) == FIT) count++;
        if (count == RUN || (next == TOO_SHORT && count >= FEWEST)) break;
    }
    return (size_t)(cursor.at - begin.at);
}

static size_t cvp_length(const struct spoor_stream *stream, const char *at, size_t size)
{
    bool damaged;
    return cvp_length_of(at, size, cvp_is_newer(stream->format), &damaged);
}

struct cvp_reader {
    struct spoor_batch *batch;
    const struct decoder *decoder;
    spoor_name names[CVP_REGISTERS];
    struct spoor_ref types[CVP_TYPES];
};

static struct spoor_record *cvp_push(struct cvp_reader *reader, enum spoor_kind kind, unsigned op,
                                     unsigned has)
{
    struct spoor_record *record = spoor_batch_push(reader->batch);
    record->kind = (uint8_t)kind;
    record->op = (uint8_t)op;
    record->has = (uint16_t)(has | SPOOR_CONTINUES);
    return record;
}

static spoor_name cvp_register_name(struct cvp_reader *reader, uint8_t reg)
{
    if (reader->names[reg] == SPOOR_NO_NAME) {
        const char *text = cvp_registers[reg];
        const spoor_name name = spoor_names_intern(reader->decoder->names, text, strlen(text));
        reader->names[reg] = name == SPOOR_NAMES_FULL ? SPOOR_NO_NAME : name;
    }
    return reader->names[reg];
}

/* The type of a branch.  CVP-1 has no types for calls and returns: a branch that writes the
 * link register is a call, and an indirect branch that reads only the link register and writes none
 * is a return. */
static unsigned cvp_flow(const struct cvp *insn)
{
    const bool call = memchr(insn->output, CVP_LINK, insn->outputs) != NULL;
    const bool back = insn->inputs == 1 && insn->input[0] == CVP_LINK && !insn->outputs;
    switch (insn->type) {
    case CVP_CONDITIONAL: return SPOOR_FLOW_IS_CONDITIONAL;
    case CVP_DIRECT: return call ? SPOOR_FLOW_IS_CALL : 0;
    case CVP_DIRECT_CALL: return SPOOR_FLOW_IS_CALL;
    case CVP_INDIRECT_CALL: return SPOOR_FLOW_IS_CALL | SPOOR_FLOW_IS_INDIRECT;
    case CVP_RETURN: return SPOOR_FLOW_IS_RETURN | SPOOR_FLOW_IS_INDIRECT;
    default:
        return (unsigned)SPOOR_FLOW_IS_INDIRECT | (call   ? SPOOR_FLOW_IS_CALL
                                                   : back ? SPOOR_FLOW_IS_RETURN
                                                          : 0);
    }
}

static void cvp_push_insn(struct cvp_reader *reader, const struct cvp *insn)
{
    const char *type = cvp_types[insn->type];
    const struct cvp_spelling spelling = {.type = insn->type,
                                          .updates_base = insn->updates_base,
                                          .register_offset = insn->register_offset,
                                          .whole = 1};
    struct spoor_ref *disasm = &reader->types[insn->type];
    if (!disasm->size) *disasm = spoor_batch_keep(reader->batch, type, strlen(type));
    struct spoor_record *record = cvp_push(reader, SPOOR_INSN, SPOOR_INSN_TAKEN, SPOOR_HAS_VA);
    record->has = SPOOR_HAS_VA;
    record->insn.va = insn->pc;
    record->insn.opcode_size = 4;
    record->insn.iset = 'O';
    record->insn.disasm = *disasm;
    const spoor_name name =
        spoor_names_intern(reader->decoder->spellings, &spelling, sizeof spelling);
    record->spelling = name == SPOOR_NAMES_FULL ? SPOOR_NO_NAME : name;
    if (cvp_is_branch(insn->type)) {
        record =
            cvp_push(reader, SPOOR_FLOW,
                     SPOOR_FLOW_TYPED | cvp_flow(insn) | (insn->taken ? 0 : SPOOR_FLOW_NOT_TAKEN),
                     SPOOR_HAS_VA | (insn->taken ? SPOOR_HAS_DATA : 0));
        record->flow.va = insn->pc;
        record->flow.target = insn->target;
    }
    for (unsigned i = 0; i < insn->inputs; i++)
        cvp_push(reader, SPOOR_REG, SPOOR_REG_READ, 0)->reg.name =
            cvp_register_name(reader, insn->input[i]);
    if (cvp_is_access(insn->type)) {
        const bool load = insn->type == CVP_LOAD;
        record = cvp_push(reader, SPOOR_MEM, load ? SPOOR_MEM_READ : SPOOR_MEM_WRITE, SPOOR_HAS_VA);
        record->mem.va = insn->address;
        const bool older = !cvp_is_newer(reader->decoder->format);
        record->mem.size = (uint16_t)(insn->access * (older && load ? cvp_loaded(insn) : 1));
    }
    for (unsigned i = 0; i < insn->outputs; i++) {
        record = cvp_push(reader, SPOOR_REG, SPOOR_REG_WRITE, SPOOR_HAS_DATA);
        record->reg.name = cvp_register_name(reader, insn->output[i]);
        record->reg.value[0] = insn->values[i][0];
        record->reg.value[1] = insn->values[i][1];
        record->reg.bits = cvp_is_vector(insn->output[i]) ? 128 : 64;
    }
}

static void cvp_decode(const struct decoder *decoder, struct spoor_batch *batch)
{
    enum { MAX_RECORDS = 3 + 2 * CVP_OPERANDS };
    const bool newer = cvp_is_newer(decoder->format);
    struct cvp_reader reader = {.batch = batch, .decoder = decoder};
    const char *at = batch->text, *end = at + batch->text_size;
    while (at < end && spoor_batch_reserve(batch, MAX_RECORDS)) {
        bool damaged;
        size_t size = cvp_length_of(at, (size_t)(end - at), newer, &damaged);
        if (size && !damaged) {
            struct cursor cursor = {(const uint8_t *)at, (const uint8_t *)end};
            struct cvp insn;
            cvp_read_record(&cursor, &insn, newer);
            cvp_push_insn(&reader, &insn);
            at += size;
            continue;
        }
        if (!size) size = (size_t)(end - at); /* a part of a record */
        const struct spoor_ref ref = spoor_batch_refer(batch, at, size);
        struct spoor_record *record = spoor_batch_push(batch);
        record->kind = SPOOR_NOTE;
        record->op = damaged ? SPOOR_NOTE_UNKNOWN : SPOOR_NOTE_TRAILING;
        record->note.text = ref;
        batch_fault(batch, damaged ? "cvp-record" : "trailing-bytes", 0,
                    damaged ? "an instruction with a type, registers and flags that there are"
                            : "a whole record or the end",
                    ref);
        at += size;
    }
}

/* ---- detection ---- */

/* Returns the percentage of instructions that are followed by the next one or by their branch
 * target; -1 if the bytes cannot be records. */
static int cvp_continuity(const struct spoor_head *head, bool newer)
{
    enum { FEWEST = 8 };
    struct cursor cursor = {head->bytes, head->bytes + head->size};
    struct cvp insn, last = {0};
    unsigned count = 0, joined = 0;
    while (cursor.at < cursor.end) {
        const enum fit fit = cvp_read_record(&cursor, &insn, newer);
        if (fit == IMPOSSIBLE) return -1;
        if (fit == TOO_SHORT) break;
        const uint64_t next = last.taken ? last.target : last.pc + 4;
        joined += count && insn.pc == next;
        count++;
        last = insn;
    }
    return count < FEWEST ? -1 : (int)(100 * joined / (count - 1));
}

static int cvp_probe(const struct spoor_format *self, const struct spoor_head *head)
{
    const bool newer = cvp_is_newer(self);
    enum { MAXIMUM = 90, HALF = 50, SURE = 96, LIKELY = 60, EITHER = 95 };
    const int share = cvp_continuity(head, newer);
    if (share < HALF) return 0;
    if (share < MAXIMUM) return LIKELY;
    return !newer && cvp_continuity(head, true) >= MAXIMUM ? EITHER : SURE;
}

/* ---- writing ---- */

static void cvp_write(struct encoder *encoder, const struct spoor_batch *batch, size_t from,
                      size_t to, struct text *out);

struct cvp_writer {
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

static unsigned cvp_written_type(const struct cvp_writer *writer)
{
    const unsigned known = writer->spelling.type, op = writer->flow;
    const bool newer = writer->newer, fits = newer || known <= CVP_LAST_OF_CVP1;
    if (writer->spelling.whole == 2 && fits) return known; /* from this very format */
    if (!writer->flows)
        return writer->spelling.whole && !cvp_is_branch(known) ? known : writer->insn.type;
    const bool indirect = op & SPOOR_FLOW_IS_INDIRECT;
    if (op & SPOOR_FLOW_IS_CONDITIONAL) return CVP_CONDITIONAL;
    if (newer && (op & SPOOR_FLOW_IS_RETURN)) return CVP_RETURN;
    if (newer && (op & SPOOR_FLOW_IS_CALL)) return indirect ? CVP_INDIRECT_CALL : CVP_DIRECT_CALL;
    return indirect || (op & SPOOR_FLOW_IS_RETURN) ? CVP_INDIRECT : CVP_DIRECT;
}

static char *cvp_put_names(char *at, const uint8_t *names, uint8_t count)
{
    return put_bytes(put_char(at, (char)count), (const char *)names, count);
}

/* Writes the instruction that `next` ends, NULL if nothing shows what is executed after it.  False:
 * it was a branch, and is not written as one. */
static bool cvp_flush(struct cvp_writer *writer, const struct spoor_record *next, struct text *out)
{
    enum { LONGEST = 64 + 2 * CVP_OPERANDS + 16 * CVP_OPERANDS };
    struct cvp *insn = &writer->insn;
    char *at = writer->open ? text_reserve(out, LONGEST) : NULL;
    if (!writer->open) return true;
    writer->open = false;
    if (!at) return true;
    /* The opcode says whether the instruction is a branch, and the next instruction whether it was
     * taken, and where to.  Where this is not known, it cannot be written as one. */
    const struct opcode *opcode = &writer->opcode;
    bool found = true;
    if (!writer->flows && opcode->flow == OPCODE_BRANCH) {
        const bool conditional = opcode->type & SPOOR_BRANCH_CONDITIONAL;
        const bool direct = !(opcode->type & SPOOR_BRANCH_INDIRECT);
        const bool falls = writer->skipped || (next && next->insn.va == insn->pc + 4);
        const bool arrives = direct ? next && next->insn.va == opcode->target : next != NULL;
        /* an exception may come after a branch: the target of an unconditional one is in its
         * opcode */
        found = arrives || (conditional ? falls : direct);
        writer->flows = found;
        writer->flow = (uint8_t)(SPOOR_FLOW_TYPED | flow_of_type(opcode->type));
        insn->taken = found && (!conditional || (arrives && !writer->skipped));
        if (insn->taken) insn->target = direct || !next ? opcode->target : next->insn.va;
    }
    insn->type = (uint8_t)cvp_written_type(writer);
    at = put_char(put_bytes(at, &insn->pc, 8), (char)insn->type);
    if (cvp_is_access(insn->type)) {
        /* of CVP-1, the bytes of one register */
        const unsigned loaded = insn->type == CVP_LOAD && !writer->newer ? cvp_loaded(insn) : 1;
        const unsigned bytes = writer->bytes % loaded ? writer->bytes : writer->bytes / loaded;
        at = put_char(put_bytes(at, &insn->address, 8), (char)bytes);
        if (writer->newer) at = put_char(at, (char)writer->spelling.updates_base);
        if (writer->newer && insn->type == CVP_STORE)
            at = put_char(at, (char)writer->spelling.register_offset);
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

static bool cvp_is_of_family(const struct spoor_format *format)
{
    return format->write == cvp_write;
}

static bool cvp_put_insn(struct cvp_writer *writer, const struct spoor_batch *batch,
                         const struct spoor_record *record, struct encoder *encoder,
                         struct text *out)
{
    size_t size;
    if (record->op >= SPOOR_INSN_AGAIN) return true;
    const spoor_name cpu = record->has & SPOOR_HAS_CPU ? record->cpu : SPOOR_NO_NAME;
    /* it is executed after the one that is open */
    const bool follows = (record->has & SPOOR_HAS_VA) && cpu == writer->cpu &&
                         (!writer->has_index || !(record->has & SPOOR_HAS_INDEX) ||
                          record->insn.index == writer->index + 1);
    encoder->skipped += !cvp_flush(writer, follows ? record : NULL, out);
    if (!(record->has & SPOOR_HAS_VA) || record->insn.va % 4) return false;
    struct opcode opcode = {.flow = OPCODE_UNKNOWN}; /* a trace of either format states none */
    if ((record->has & SPOOR_HAS_DATA) &&
        isa_of_instruction(isa_of(batch), record->insn.iset) == ISA_AARCH64)
        opcode = opcode_a64(record->insn.va, (uint32_t)record->insn.opcode);
    const bool skipped = record->op == SPOOR_INSN_SKIPPED;
    if (skipped && !(opcode.flow == OPCODE_BRANCH && opcode.type & SPOOR_BRANCH_CONDITIONAL))
        return false;
    *writer = (struct cvp_writer){.insn.pc = record->insn.va,
                                  .open = true,
                                  .newer = writer->newer,
                                  .source = writer->source,
                                  .opcode = opcode,
                                  .skipped = skipped,
                                  .has_index = record->has & SPOOR_HAS_INDEX,
                                  .index = record->insn.index,
                                  .cpu = cpu};
    const char *bytes = spoor_names_text(batch->stream->spellings, record->spelling, &size);
    if (!cvp_is_of_family(writer->source) || size != sizeof writer->spelling) return true;
    memcpy(&writer->spelling, bytes, sizeof writer->spelling);
    if (cvp_is_newer(writer->source) == writer->newer) writer->spelling.whole = 2;
    return true;
}

/* Adds a register, an access or a branch to the open instruction. */
static bool cvp_put_effect(struct cvp_writer *writer, const struct spoor_batch *batch,
                           const struct spoor_record *record)
{
    struct cvp *insn = &writer->insn;
    if (record->kind == SPOOR_REG) {
        size_t size;
        const char *name = spoor_names_text(batch->stream->names, record->reg.name, &size);
        unsigned number = 0;
        while (number < CVP_REGISTERS &&
               !(strlen(cvp_registers[number]) == size &&
                 ascii_compare_some(name, cvp_registers[number], size) == 0))
            number++;
        if (number > (writer->newer ? CVP_ZERO : CVP_FLAGS)) return false;
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
    if (record->kind == SPOOR_MEM) {
        const unsigned size = record->mem.size;
        if (!(record->has & SPOOR_HAS_VA) || cvp_is_access(insn->type)) return false;
        if (record->op != SPOOR_MEM_READ && record->op != SPOOR_MEM_WRITE) return false;
        /* of CVP-1, a load of several registers is as often what one has */
        const bool own =
            cvp_is_of_family(writer->source) && !cvp_is_newer(writer->source) && !writer->newer;
        if (!size || (!own && (size > 64 || size & (size - 1)))) return false;
        insn->type = record->op == SPOOR_MEM_READ ? CVP_LOAD : CVP_STORE;
        insn->address = record->mem.va;
        writer->bytes = size;
        return true;
    }
    const bool taken = !(record->op & SPOOR_FLOW_NOT_TAKEN);
    if (record->kind != SPOOR_FLOW || (taken && !(record->has & SPOOR_HAS_DATA))) return false;
    writer->flows = true;
    writer->flow = record->op & SPOOR_FLOW_TYPED ? record->op : 0;
    insn->taken = taken;
    insn->target = record->flow.target;
    return true;
}

static void cvp_write(struct encoder *encoder, const struct spoor_batch *batch, size_t from,
                      size_t to, struct text *out)
{
    if (!encoder->tables) encoder->tables = calloc(1, sizeof(struct cvp_writer));
    struct cvp_writer *writer = encoder->tables;
    if (!writer) {
        out->failed = true;
        return;
    }
    writer->newer = cvp_is_newer(encoder->format);
    writer->source = batch->stream->format;
    for (size_t i = from; i < to; i++) {
        const struct spoor_record *record = &batch->records[i];
        bool done = false;
        if (record->kind == SPOOR_INSN) {
            done = cvp_put_insn(writer, batch, record, encoder, out);
        } else if (record->kind == SPOOR_NOTE) {
            done = cvp_is_of_family(writer->source);
            if (done) {
                cvp_flush(writer, NULL, out);
                text_put(out, spoor_batch_bytes(batch, record->note.text), record->note.text.size);
            }
        } else if (writer->open) {
            done = cvp_put_effect(writer, batch, record);
        }
        encoder->written += done;
        encoder->skipped += !done;
    }
}

static void cvp_end(struct encoder *encoder, struct text *out)
{
    struct cvp_writer *writer = encoder->tables;
    if (!writer) return;
    encoder->skipped += !cvp_flush(writer, NULL, out);
    free(writer);
    encoder->tables = NULL;
}

/* ---- two formats ---- */

#define BIT SPOOR_FIELD_BIT
#define CVP_FORMAT(id, words, newer)                                                              \
    {                                                                                             \
        .name = id, .title = words, .suffixes = id,                                               \
        .document = "the reader of the championship's simulator: lib/trace_reader.h",             \
        .time_unit = "", .record_size = 1, .length = cvp_length, .multi_record = true,            \
        .effects_need_insn = true, .one_access = true, .no_flags = true,                          \
        .variant = &(const bool){newer},                                                          \
        .fields = {[SPOOR_INSN] = BIT(OP) | BIT(PC) | BIT(OPCODE_SIZE) | BIT(ISET) | BIT(DISASM), \
                   [SPOOR_FLOW] = BIT(OP) | BIT(BRANCH) | BIT(PC) | BIT(TARGET),                  \
                   [SPOOR_REG] = BIT(OP) | BIT(REG) | BIT(VALUE) | BIT(BITS),                     \
                   [SPOOR_MEM] = BIT(OP) | BIT(ADDRESS) | BIT(SIZE)},                             \
        .probe = cvp_probe, .decode = cvp_decode, .write = cvp_write, .end = cvp_end,             \
    }
const struct spoor_format format_cvp1 =
    CVP_FORMAT("cvp1", "trace of the value prediction championship CVP-1", false);
const struct spoor_format format_cbp2025 =
    CVP_FORMAT("cbp2025", "trace of the branch prediction championship CBP-2025", true);
