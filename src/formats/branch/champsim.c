/* SPDX-License-Identifier: MIT */
/*
 * champsim.c: read ChampSim's instruction traces.
 *
 *     pc (8)   is a branch (1)   taken (1)   registers written (2) and read (4)
 *     addresses stored to (2 x 8) and loaded from (4 x 8)
 *
 * A record has 64 bytes; 72 with the type of a load after it, as ChampSim's development version
 * has; 96 in CloudSuite's traces, which have four registers and addresses written and the address
 * space after them.  What no field has is part of the spelling.
 *
 * A record becomes the instruction and one record for each effect: the branch, registers read,
 * loads, registers written, stores.  Its registers decide whether an instruction is a branch, and
 * of which type, by the rules of ChampSim's own reader: the Pin tracer leaves calls and returns
 * unmarked.
 */
#include <stdio.h>

#include "formats/branch/champsim.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "records of the format are loaded and stored as they lie"
#endif

struct reading {
    const struct champsim_shape *shape;
    const struct decoder *decoder;
    struct spoor_batch *batch;
    spoor_name names[256]; /* of registers, as they occur */
    size_t number;         /* of instructions read */
    bool lost;             /* the alignment is lost: the bytes are not instructions */
};

static void push(struct reading *reading, enum spoor_kind kind, uint8_t op, uint16_t has,
                 uint64_t address)
{
    struct spoor_record *record = spoor_batch_push(reading->batch);
    record->kind = (uint8_t)kind;
    record->op = op;
    record->has = has | SPOOR_CONTINUES;
    if (kind == SPOOR_FLOW)
        record->flow.va = address;
    else
        record->mem.va = address;
}

static spoor_name name_of(struct reading *reading, uint8_t number)
{
    if (reading->names[number] == SPOOR_NO_NAME) {
        char text[8], *end = put_decimal(put_char(text, 'r'), number);
        reading->names[number] =
            spoor_names_intern(reading->decoder->names, text, (size_t)(end - text));
    }
    return reading->names[number];
}

static void push_registers(struct reading *reading, const uint8_t *numbers, size_t count,
                           enum spoor_reg_op op)
{
    for (size_t i = 0; i < count; i++) {
        if (!numbers[i]) continue;
        push(reading, SPOOR_REG, (uint8_t)op, 0, 0);
        struct spoor_record *record = &reading->batch->records[reading->batch->count - 1];
        record->reg = (struct spoor_reg){.name = name_of(reading, numbers[i])};
    }
}

static void push_accesses(struct reading *reading, const uint64_t *addresses, size_t count,
                          enum spoor_mem_op op)
{
    for (size_t i = 0; i < count; i++)
        if (addresses[i]) push(reading, SPOOR_MEM, (uint8_t)op, SPOOR_HAS_VA, addresses[i]);
}

/* ---- branches ---- */

static void push_branch(struct reading *reading, const struct champsim *insn)
{
    uint8_t op;
    if (champsim_branch(insn, &op)) push(reading, SPOOR_FLOW, op, SPOOR_HAS_VA, insn->pc);
}

/* ---- records ---- */

static uint8_t registers_used(const uint8_t *numbers, size_t count)
{
    uint8_t used = 0;
    for (size_t i = 0; i < count; i++) used |= (uint8_t)((numbers[i] != 0) << i);
    return used;
}

static uint8_t addresses_used(const uint64_t *addresses, size_t count)
{
    uint8_t used = 0;
    for (size_t i = 0; i < count; i++) used |= (uint8_t)((addresses[i] != 0) << i);
    return used;
}

/* True if the used slots are the first ones. */
static bool in_front(uint8_t used)
{
    return (used & (used + 1)) == 0;
}

static bool is_zero(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i]) return false;
    return true;
}

static spoor_name spelling_of(const struct decoder *decoder, const struct champsim *insn)
{
    struct champsim_layout layout = {
        .written = registers_used(insn->written, CHAMPSIM_WRITES),
        .read = registers_used(insn->read, CHAMPSIM_READS),
        .stores = addresses_used(insn->stores, CHAMPSIM_WRITES),
        .loads = addresses_used(insn->loads, CHAMPSIM_READS),
        .is_branch = insn->is_branch,
        .taken = insn->taken,
    };
    uint8_t op;
    const bool branches = champsim_branch(insn, &op);
    const bool takes = branches && !(op & SPOOR_FLOW_NOT_TAKEN);
    const bool plain =
        in_front(layout.written) && in_front(layout.read) && in_front(layout.stores) &&
        in_front(layout.loads) && insn->is_branch == branches && insn->taken == takes &&
        is_zero(insn->padding, CHAMPSIM_PADDING) && is_zero(insn->tail, CHAMPSIM_TAIL);
    memcpy(layout.padding, insn->padding, sizeof layout.padding);
    memcpy(layout.tail, insn->tail, sizeof layout.tail);
    return plain ? SPOOR_NO_NAME : spoor_names_intern(decoder->spellings, &layout, sizeof layout);
}

/* Adds a fault for the instruction pushed last; returns the number of records, of `left`, that it
 * covers.  After a lost alignment, one fault covers all following records. */
static void find_flaw(struct reading *reading, const char *at, size_t left,
                      const struct champsim *insn)
{
    static const char in_step[] = "records some of which continue the previous one";
    static const char flags[] = "0 or 1 in bytes 9 and 10, and taken only with a branch";
    enum { CHECKED = 16, FLAGS = 8 };
    struct spoor_batch *batch = reading->batch;
    const bool was = reading->lost;
    if (reading->number++ % CHECKED == 0 && left >= CHAMPSIM_RUN)
        reading->lost = champsim_alignment_lost(reading->shape, at, left);
    if (reading->lost && !was)
        spoor_batch_fault(batch, "champsim-alignment", 0, in_step,
                          spoor_batch_refer(batch, at, FLAGS + 2));
    if (!reading->lost && !champsim_flags_possible(insn))
        spoor_batch_fault(batch, "champsim-flags", FLAGS + 1, flags,
                          spoor_batch_refer(batch, at + FLAGS, 2));
}

static void read_insn(struct reading *reading, const char *at, size_t left)
{
    const struct champsim insn = champsim_unpack(reading->shape, at);
    struct spoor_record *record = spoor_batch_push(reading->batch);
    record->kind = SPOOR_INSN;
    record->op = SPOOR_INSN_TAKEN;
    record->has = SPOOR_HAS_VA;
    record->insn.va = insn.pc;
    record->spelling = spelling_of(reading->decoder, &insn);
    find_flaw(reading, at, left, &insn);
    push_branch(reading, &insn);
    push_registers(reading, insn.read, CHAMPSIM_READS, SPOOR_REG_READ);
    push_accesses(reading, insn.loads, CHAMPSIM_READS, SPOOR_MEM_READ);
    push_registers(reading, insn.written, CHAMPSIM_WRITES, SPOOR_REG_WRITE);
    push_accesses(reading, insn.stores, CHAMPSIM_WRITES, SPOOR_MEM_WRITE);
}

static void decode(const struct decoder *decoder, struct spoor_batch *batch)
{
    const struct champsim_shape *shape = decoder->format->variant;
    enum { MAX_RECORDS = 2 + 2 * CHAMPSIM_WRITES + 2 * CHAMPSIM_READS }; /* of one instruction */
    struct reading reading = {.shape = shape, .decoder = decoder, .batch = batch};
    const size_t count = batch->text_size / shape->size;
    for (size_t i = 0; i < count && spoor_batch_reserve(batch, MAX_RECORDS); i++)
        read_insn(&reading, batch->text + i * shape->size, count - i);
    trailing_bytes(batch, shape->size);
}

/* ---- detection ---- */

/* The last three bytes, or more, are always padding in the longer layouts. */
static bool is_plausible(const struct champsim_shape *shape, const uint8_t *at)
{
    enum { MAX_TAIL = 3 };
    const struct champsim insn = champsim_unpack(shape, (const char *)at);
    return champsim_is_plausible(&insn) && is_zero(insn.padding, CHAMPSIM_PADDING) &&
           is_zero(insn.tail + MAX_TAIL, CHAMPSIM_TAIL - MAX_TAIL) &&
           (!insn.is_branch || champsim_branch(&insn, &(uint8_t){0}));
}

static int probe(const struct spoor_format *self, const struct spoor_head *head)
{
    const struct champsim_shape *shape = self->variant;
    enum { SURE = 96, ONE = 55, FEW = 80, ENOUGH = 16 };
    const size_t count = head->size / shape->size;
    for (size_t i = 0; i < count; i++)
        if (!is_plausible(shape, head->bytes + i * shape->size)) return 0;
    if (count == 0 || (head->whole && head->size % shape->size && count < ENOUGH)) return 0;
    if (shape != &champsim_shape_usual && count < ENOUGH) return 0;
    return count >= ENOUGH ? SURE : count > 1 ? FEW : ONE;
}

static bool resembles(const struct spoor_head *head, char *text, size_t size)
{
    const unsigned length = champsim_length(head);
    if (!length) return false;
    if (length == CHAMPSIM_RECORD)
        snprintf(text, size, "ChampSim's instructions, some of them damaged");
    else
        snprintf(text, size, "instructions like ChampSim's in records of %u bytes", length);
    return true;
}

#define BIT SPOOR_FIELD_BIT
#define FIELDS                                                                                   \
    {                                                                                            \
        [SPOOR_INSN] = BIT(OP) | BIT(PC), [SPOOR_FLOW] = BIT(OP) | BIT(BRANCH) | BIT(PC),        \
        [SPOOR_REG] = BIT(OP) | BIT(REG), [SPOOR_MEM] = BIT(OP) | BIT(ADDRESS),                  \
        [SPOOR_UOP] = BIT(PC) | BIT(BRANCH) | BIT(LDST) | BIT(ADDRESS) | BIT(SRC1) | BIT(SRC2) | \
                      BIT(DEST) | BIT(FLAGS),                                                    \
    }
/* A format of one layout. */
#define CHAMPSIM_FORMAT(shape, bytes, id, words, structure)                                  \
    {                                                                                        \
        .name = id, .title = (words),                                                        \
        .suffixes = (bytes) == CHAMPSIM_RECORD ? "champsim;champsimtrace" : "",              \
        .document = "ChampSim: inc/trace_instruction.h, " structure, .time_unit = "",        \
        .record_size = (bytes), .multi_record = true, .special = &champsim_special,          \
        .fields = FIELDS,                                                                    \
        .produces = 1u << SPOOR_INSN | 1u << SPOOR_FLOW | 1u << SPOOR_REG | 1u << SPOOR_MEM, \
        .variant = &(shape), .probe = probe,                                                 \
        .resembles = (bytes) == CHAMPSIM_RECORD ? resembles : NULL, .decode = decode,        \
        .write = champsim_write, .end = champsim_end,                                        \
    }
const struct spoor_format format_champsim = CHAMPSIM_FORMAT(
    champsim_shape_usual, 64, "champsim", "ChampSim instruction trace", "input_instr of 64 bytes");
const struct spoor_format format_champsim72 =
    CHAMPSIM_FORMAT(champsim_shape_load_type, 72, "champsim72",
                    "ChampSim instruction trace with types of loads, 72 bytes per record",
                    "input_instr with load_type, 72 bytes");
const struct spoor_format format_cloudsuite =
    CHAMPSIM_FORMAT(champsim_shape_cloudsuite, 96, "cloudsuite",
                    "CloudSuite instruction trace of ChampSim, 96 bytes per record",
                    "cloudsuite_instr of 96 bytes");
