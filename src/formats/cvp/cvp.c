/* SPDX-License-Identifier: MIT */
/*
 * cvp.c: reads the traces of two championships, value prediction (CVP-1) and branch prediction
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
 */
#include "formats/cvp/cvp.h"

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

static bool decode_bytes(struct cursor *cursor, void *to, size_t size)
{
    if ((size_t)(cursor->end - cursor->at) < size) return false;
    memcpy(to, cursor->at, size);
    cursor->at += size;
    return true;
}

static bool is_size(unsigned bytes)
{
    return bytes && bytes <= 64 && (bytes & (bytes - 1)) == 0;
}

static enum fit read_access(struct cursor *cursor, struct cvp *insn, bool newer)
{
    if (!decode_bytes(cursor, &insn->address, 8) || !decode_bytes(cursor, &insn->access, 1))
        return TOO_SHORT;
    if (!is_size(insn->access)) return IMPOSSIBLE;
    if (newer && !decode_bytes(cursor, &insn->updates_base, 1)) return TOO_SHORT;
    if (insn->updates_base > 1) return IMPOSSIBLE;
    if (newer && insn->type == CVP_STORE && !decode_bytes(cursor, &insn->register_offset, 1))
        return TOO_SHORT;
    return insn->register_offset > 1 ? IMPOSSIBLE : FIT;
}

static enum fit read_branch(struct cursor *cursor, struct cvp *insn)
{
    if (!decode_bytes(cursor, &insn->taken, 1)) return TOO_SHORT;
    if (insn->taken > 1) return IMPOSSIBLE;
    if (insn->taken && !decode_bytes(cursor, &insn->target, 8)) return TOO_SHORT;
    return FIT;
}

static enum fit read_names(struct cursor *cursor, uint8_t *count, uint8_t *names, bool newer)
{
    if (!decode_bytes(cursor, count, 1)) return TOO_SHORT;
    if (*count > CVP_OPERANDS) return IMPOSSIBLE;
    if (!decode_bytes(cursor, names, *count)) return TOO_SHORT;
    for (unsigned i = 0; i < *count; i++)
        if (names[i] > (newer ? CVP_ZERO : CVP_FLAGS)) return IMPOSSIBLE;
    return FIT;
}

static enum fit read_record(struct cursor *cursor, struct cvp *insn, bool newer)
{
    enum fit fit = FIT;
    *insn = (struct cvp){0};
    if (!decode_bytes(cursor, &insn->pc, 8) || !decode_bytes(cursor, &insn->type, 1))
        return TOO_SHORT;
    if (insn->pc % 4 || insn->type > (newer ? CVP_RETURN : CVP_LAST_OF_CVP1)) return IMPOSSIBLE;
    if (cvp_is_access(insn->type)) fit = read_access(cursor, insn, newer);
    if (cvp_is_branch(insn->type)) fit = read_branch(cursor, insn);
    if (fit == FIT) fit = read_names(cursor, &insn->inputs, insn->input, newer);
    if (fit == FIT) fit = read_names(cursor, &insn->outputs, insn->output, newer);
    for (unsigned i = 0; fit == FIT && i < insn->outputs; i++)
        if (!decode_bytes(cursor, insn->values[i], cvp_is_vector(insn->output[i]) ? 16 : 8))
            return TOO_SHORT;
    return fit;
}

/* ---- the end of a record ---- */

/* True if a run of records begins here, or records up to the end. */
static bool begins_run(struct cursor cursor, bool newer)
{
    enum { RUN = 16, FEWEST = 2 };
    struct cvp insn;
    for (unsigned i = 0; i < RUN; i++) {
        const enum fit fit = read_record(&cursor, &insn, newer);
        if (fit != FIT) return fit == TOO_SHORT && i >= FEWEST;
    }
    return true;
}

/* Returns the size of the record at `at`, or of the invalid bytes up to the next run of records; 0
 * if the record is longer than these bytes.  *damaged: the bytes are invalid. */
static size_t length_of(const char *at, size_t size, bool newer, bool *damaged)
{
    const struct cursor begin = {(const uint8_t *)at, (const uint8_t *)at + size};
    struct cursor cursor = begin;
    struct cvp insn;
    const enum fit fit = read_record(&cursor, &insn, newer);
    *damaged = fit == IMPOSSIBLE;
    if (fit == TOO_SHORT) return 0;
    if (fit == FIT) return (size_t)(cursor.at - begin.at);
    for (cursor.at = begin.at + 1; cursor.at < begin.end; cursor.at++)
        if (begins_run(cursor, newer)) break;
    return (size_t)(cursor.at - begin.at);
}

/* ---- records ---- */

struct reading {
    struct spoor_batch *batch;
    const struct decoder *decoder;
    bool newer;
    spoor_name names[CVP_REGISTERS];
    struct spoor_ref types[CVP_TYPES];
};

static struct spoor_record *push(struct reading *reading, enum spoor_kind kind, unsigned op,
                                 unsigned has)
{
    struct spoor_record *record = spoor_batch_push(reading->batch);
    record->kind = (uint8_t)kind;
    record->op = (uint8_t)op;
    record->has = (uint16_t)(has | SPOOR_CONTINUES);
    return record;
}

static spoor_name name_of(struct reading *reading, uint8_t reg)
{
    if (reading->names[reg] == SPOOR_NO_NAME) {
        const char *text = cvp_registers[reg];
        const spoor_name name = spoor_names_intern(reading->decoder->names, text, strlen(text));
        reading->names[reg] = name == SPOOR_NAMES_FULL ? SPOOR_NO_NAME : name;
    }
    return reading->names[reg];
}

static bool has_output(const struct cvp *insn, uint8_t reg)
{
    return memchr(insn->output, reg, insn->outputs) != NULL;
}

/* Returns the type of a branch.  CVP-1 has no types for calls and returns: a branch that writes the
 * link register is a call, and an indirect branch that reads only the link register and writes none
 * is a return. */
static unsigned flow_of(const struct cvp *insn)
{
    const bool call = has_output(insn, CVP_LINK);
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

static void push_insn(struct reading *reading, const struct cvp *insn)
{
    const char *type = cvp_types[insn->type];
    const struct cvp_spelling spelling = {.type = insn->type,
                                          .updates_base = insn->updates_base,
                                          .register_offset = insn->register_offset,
                                          .whole = 1};
    struct spoor_ref *disasm = &reading->types[insn->type];
    if (!disasm->size) *disasm = spoor_batch_keep(reading->batch, type, strlen(type));
    struct spoor_record *record = push(reading, SPOOR_INSN, SPOOR_INSN_TAKEN, SPOOR_HAS_VA);
    record->has = SPOOR_HAS_VA;
    record->insn.va = insn->pc;
    record->insn.opcode_size = 4;
    record->insn.iset = 'O';
    record->insn.disasm = *disasm;
    const spoor_name name =
        spoor_names_intern(reading->decoder->spellings, &spelling, sizeof spelling);
    record->spelling = name == SPOOR_NAMES_FULL ? SPOOR_NO_NAME : name;
}

static void push_effects(struct reading *reading, const struct cvp *insn)
{
    if (cvp_is_branch(insn->type)) {
        struct spoor_record *record =
            push(reading, SPOOR_FLOW,
                 SPOOR_FLOW_TYPED | flow_of(insn) | (insn->taken ? 0 : SPOOR_FLOW_NOT_TAKEN),
                 SPOOR_HAS_VA | (insn->taken ? SPOOR_HAS_DATA : 0));
        record->flow.va = insn->pc;
        record->flow.target = insn->target;
    }
    for (unsigned i = 0; i < insn->inputs; i++) {
        const spoor_name name = name_of(reading, insn->input[i]);
        push(reading, SPOOR_REG, SPOOR_REG_READ, 0)->reg.name = name;
    }
    if (cvp_is_access(insn->type)) {
        struct spoor_record *record =
            push(reading, SPOOR_MEM, insn->type == CVP_LOAD ? SPOOR_MEM_READ : SPOOR_MEM_WRITE,
                 SPOOR_HAS_VA);
        record->mem.va = insn->address;
        const bool older = !cvp_is_newer(reading->decoder->format);
        record->mem.size =
            (uint16_t)(insn->access * (older && insn->type == CVP_LOAD ? cvp_loaded(insn) : 1));
    }
    for (unsigned i = 0; i < insn->outputs; i++) {
        const bool wide = cvp_is_vector(insn->output[i]);
        struct spoor_record *record = push(reading, SPOOR_REG, SPOOR_REG_WRITE, SPOOR_HAS_DATA);
        record->reg.name = name_of(reading, insn->output[i]);
        record->reg.value[0] = insn->values[i][0];
        record->reg.value[1] = insn->values[i][1];
        record->reg.bits = wide ? 128 : 64;
    }
}

/* Adds a note for bytes that are not a record, or only a part of one. */
static void push_note(struct spoor_batch *batch, const char *at, size_t size, bool damaged)
{
    struct spoor_record *record = spoor_batch_push(batch);
    const struct spoor_ref ref = spoor_batch_refer(batch, at, size);
    record->kind = SPOOR_NOTE;
    record->op = damaged ? SPOOR_NOTE_UNKNOWN : SPOOR_NOTE_TRAILING;
    record->note.text = ref;
    spoor_batch_fault(batch, damaged ? "cvp-record" : "trailing-bytes", 0,
                      damaged ? "an instruction with a type, registers and flags that there are"
                              : "a whole record or the end",
                      ref);
}

static void decode(const struct decoder *decoder, struct spoor_batch *batch)
{
    const bool newer = cvp_is_newer(decoder->format);
    enum { MAX_RECORDS = 3 + 2 * CVP_OPERANDS };
    struct reading reading = {.batch = batch, .decoder = decoder, .newer = newer};
    const char *at = batch->text, *end = at + batch->text_size;
    while (at < end && spoor_batch_reserve(batch, MAX_RECORDS)) {
        bool damaged;
        const size_t size = length_of(at, (size_t)(end - at), newer, &damaged);
        if (size == 0 || damaged) {
            push_note(batch, at, size ? size : (size_t)(end - at), damaged);
        } else {
            struct cursor cursor = {(const uint8_t *)at, (const uint8_t *)end};
            struct cvp insn;
            read_record(&cursor, &insn, newer);
            push_insn(&reading, &insn);
            push_effects(&reading, &insn);
        }
        at += size ? size : (size_t)(end - at);
    }
}

/* ---- detection ---- */

/* Returns the percentage of instructions that are followed by the next one or by their branch
 * target; -1 if the bytes cannot be records. */
static int continuity(const struct spoor_head *head, bool newer)
{
    enum { FEWEST = 8 };
    struct cursor cursor = {head->bytes, head->bytes + head->size};
    struct cvp insn, last = {0};
    unsigned count = 0, joined = 0;
    while (cursor.at < cursor.end) {
        const enum fit fit = read_record(&cursor, &insn, newer);
        if (fit == IMPOSSIBLE) return -1;
        if (fit == TOO_SHORT) break;
        const uint64_t next = last.taken ? last.target : last.pc + 4;
        joined += count && insn.pc == next;
        count++;
        last = insn;
    }
    return count < FEWEST ? -1 : (int)(100 * joined / (count - 1));
}

static int probe(const struct spoor_format *self, const struct spoor_head *head)
{
    const bool newer = cvp_is_newer(self);
    enum { MAXIMUM = 90, HALF = 50, SURE = 96, LIKELY = 60, EITHER = 95 };
    const int share = continuity(head, newer);
    if (share < HALF) return 0;
    if (share < MAXIMUM) return LIKELY;
    return !newer && continuity(head, true) >= MAXIMUM ? EITHER : SURE;
}

/* ---- two formats ---- */

#define BIT SPOOR_FIELD_BIT
static size_t length_cvp1(const char *at, size_t size)
{
    bool damaged;
    return length_of(at, size, false, &damaged);
}

static size_t length_cbp2025(const char *at, size_t size)
{
    bool damaged;
    return length_of(at, size, true, &damaged);
}

#define CVP_FORMAT(id, words, newer, length_function)                                             \
    {                                                                                             \
        .name = id, .title = words, .suffixes = id,                                               \
        .document = "the reader of the championship's simulator: lib/trace_reader.h",             \
        .time_unit = "", .record_size = 1, .length = (length_function), .multi_record = true,     \
        .effects_need_insn = true, .one_access = true, .no_flags = true,                          \
        .variant = &(const bool){newer},                                                          \
        .fields = {[SPOOR_INSN] = BIT(OP) | BIT(PC) | BIT(OPCODE_SIZE) | BIT(ISET) | BIT(DISASM), \
                   [SPOOR_FLOW] = BIT(OP) | BIT(BRANCH) | BIT(PC) | BIT(TARGET),                  \
                   [SPOOR_REG] = BIT(OP) | BIT(REG) | BIT(VALUE) | BIT(BITS),                     \
                   [SPOOR_MEM] = BIT(OP) | BIT(ADDRESS) | BIT(SIZE)},                             \
        .probe = probe, .decode = decode, .write = cvp_write, .end = cvp_end,                     \
    }
const struct spoor_format format_cvp1 =
    CVP_FORMAT("cvp1", "trace of the value prediction championship CVP-1", false, length_cvp1);
const struct spoor_format format_cbp2025 = CVP_FORMAT(
    "cbp2025", "trace of the branch prediction championship CBP-2025", true, length_cbp2025);
