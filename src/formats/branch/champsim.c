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

#include "model/batch_own.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "records of the format are loaded and stored as they lie"
#endif

struct champsim_reader {
    const struct champsim_shape *shape;
    const struct decoder *decoder;
    struct spoor_batch *batch;
    spoor_name names[256]; /* of registers, as they occur */
    size_t number;         /* of instructions read */
    bool lost;             /* the alignment is lost: the bytes are not instructions */
};

static void champsim_push(struct champsim_reader *reader, enum spoor_kind kind, uint8_t op,
                          uint16_t has, uint64_t address)
{
    struct spoor_record *record = spoor_batch_push(reader->batch);
    record->kind = (uint8_t)kind;
    record->op = op;
    record->has = has | SPOOR_CONTINUES;
    if (kind == SPOOR_FLOW)
        record->flow.va = address;
    else
        record->mem.va = address;
}

static void champsim_push_registers(struct champsim_reader *reader, const uint8_t *numbers,
                                    size_t count, enum spoor_reg_op op)
{
    for (size_t i = 0; i < count; i++) {
        if (!numbers[i]) continue;
        spoor_name *name = &reader->names[numbers[i]];
        champsim_push(reader, SPOOR_REG, (uint8_t)op, 0, 0);
        if (*name == SPOOR_NO_NAME) {
            char text[8], *end = put_decimal(put_char(text, 'r'), numbers[i]);
            *name = spoor_names_intern(reader->decoder->names, text, (size_t)(end - text));
        }
        reader->batch->records[reader->batch->count - 1].reg = (struct spoor_reg){.name = *name};
    }
}

static void champsim_push_accesses(struct champsim_reader *reader, const uint64_t *addresses,
                                   size_t count, enum spoor_mem_op op)
{
    for (size_t i = 0; i < count; i++)
        if (addresses[i]) champsim_push(reader, SPOOR_MEM, (uint8_t)op, SPOOR_HAS_VA, addresses[i]);
}

/* ---- records ---- */

static uint8_t champsim_registers_used(const uint8_t *numbers, size_t count)
{
    uint8_t used = 0;
    for (size_t i = 0; i < count; i++) used |= (uint8_t)((numbers[i] != 0) << i);
    return used;
}

static uint8_t champsim_addresses_used(const uint64_t *addresses, size_t count)
{
    uint8_t used = 0;
    for (size_t i = 0; i < count; i++) used |= (uint8_t)((addresses[i] != 0) << i);
    return used;
}

/* True if the used slots are the first ones. */
static bool champsim_in_front(uint8_t used)
{
    return (used & (used + 1)) == 0;
}

static bool champsim_is_zero(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i]) return false;
    return true;
}

/* After a lost alignment, one fault covers all following records. */
static void champsim_decode(const struct decoder *decoder, struct spoor_batch *batch)
{
    static const char in_step[] = "records some of which continue the previous one";
    static const char flags[] = "0 or 1 in bytes 9 and 10, and taken only with a branch";
    enum { CHECKED = 16, FLAGS = 8 };
    const struct champsim_shape *shape = decoder->format->variant;
    enum { MAX_RECORDS = 2 + 2 * CHAMPSIM_WRITES + 2 * CHAMPSIM_READS }; /* of one instruction */
    struct champsim_reader reader = {.shape = shape, .decoder = decoder, .batch = batch};
    const size_t count = batch->text_size / shape->size;
    for (size_t i = 0; i < count && spoor_batch_reserve(batch, MAX_RECORDS); i++) {
        const char *at = batch->text + i * shape->size;
        const size_t left = count - i;
        const struct champsim insn = champsim_unpack(shape, at);
        struct spoor_record *record = spoor_batch_push(batch);
        record->kind = SPOOR_INSN;
        record->op = SPOOR_INSN_TAKEN;
        record->has = SPOOR_HAS_VA;
        record->insn.va = insn.pc;
        uint8_t op;
        const bool branches = champsim_branch(&insn, &op);
        const bool takes = branches && !(op & SPOOR_FLOW_NOT_TAKEN);
        struct champsim_layout layout = {
            .written = champsim_registers_used(insn.written, CHAMPSIM_WRITES),
            .read = champsim_registers_used(insn.read, CHAMPSIM_READS),
            .stores = champsim_addresses_used(insn.stores, CHAMPSIM_WRITES),
            .loads = champsim_addresses_used(insn.loads, CHAMPSIM_READS),
            .is_branch = insn.is_branch,
            .taken = insn.taken,
        };
        const bool plain = champsim_in_front(layout.written) && champsim_in_front(layout.read) &&
                           champsim_in_front(layout.stores) && champsim_in_front(layout.loads) &&
                           insn.is_branch == branches && insn.taken == takes &&
                           champsim_is_zero(insn.padding, CHAMPSIM_PADDING) &&
                           champsim_is_zero(insn.tail, CHAMPSIM_TAIL);
        memcpy(layout.padding, insn.padding, sizeof layout.padding);
        memcpy(layout.tail, insn.tail, sizeof layout.tail);
        if (!plain)
            record->spelling =
                spoor_names_intern(reader.decoder->spellings, &layout, sizeof layout);
        const bool was_lost = reader.lost;
        if (reader.number++ % CHECKED == 0 && left >= CHAMPSIM_RUN)
            reader.lost = champsim_alignment_lost(shape, at, left);
        if (reader.lost && !was_lost)
            batch_fault(batch, "champsim-alignment", 0, in_step,
                        spoor_batch_refer(batch, at, FLAGS + 2));
        if (!reader.lost && !champsim_flags_possible(&insn))
            batch_fault(batch, "champsim-flags", FLAGS + 1, flags,
                        spoor_batch_refer(batch, at + FLAGS, 2));
        if (branches) champsim_push(&reader, SPOOR_FLOW, op, SPOOR_HAS_VA, insn.pc);
        champsim_push_registers(&reader, insn.read, CHAMPSIM_READS, SPOOR_REG_READ);
        champsim_push_accesses(&reader, insn.loads, CHAMPSIM_READS, SPOOR_MEM_READ);
        champsim_push_registers(&reader, insn.written, CHAMPSIM_WRITES, SPOOR_REG_WRITE);
        champsim_push_accesses(&reader, insn.stores, CHAMPSIM_WRITES, SPOOR_MEM_WRITE);
    }
    trailing_bytes(batch, shape->size);
}

/* ---- detection ---- */

static int champsim_probe(const struct spoor_format *self, const struct spoor_head *head)
{
    const struct champsim_shape *shape = self->variant;
    enum { SURE = 96, ONE = 55, FEW = 80, ENOUGH = 16 };
    enum { MAX_TAIL = 3 /* the last three bytes, or more, are padding in the longer layouts */ };
    const size_t count = head->size / shape->size;
    for (size_t i = 0; i < count; i++) {
        const struct champsim insn =
            champsim_unpack(shape, (const char *)head->bytes + i * shape->size);
        if (!champsim_is_plausible(&insn) || !champsim_is_zero(insn.padding, CHAMPSIM_PADDING) ||
            !champsim_is_zero(insn.tail + MAX_TAIL, CHAMPSIM_TAIL - MAX_TAIL) ||
            (insn.is_branch && !champsim_branch(&insn, &(uint8_t){0})))
            return 0;
    }
    if (count == 0 || (head->whole && head->size % shape->size && count < ENOUGH)) return 0;
    if (shape != &champsim_shape_usual && count < ENOUGH) return 0;
    return count >= ENOUGH ? SURE : count > 1 ? FEW : ONE;
}

static bool champsim_resembles(const struct spoor_head *head, char *text, size_t size)
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
        .variant = &(shape), .probe = champsim_probe,                                        \
        .resembles = (bytes) == CHAMPSIM_RECORD ? champsim_resembles : NULL,                 \
        .decode = champsim_decode, .write = champsim_write, .end = champsim_end,             \
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
