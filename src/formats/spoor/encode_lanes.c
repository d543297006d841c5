/* SPDX-License-Identifier: MIT */
/*
 * encode_lanes.c: what a record has besides its template: the lanes that the way of their context
 * does not predict; and its text, spills and faults, which no model predicts.
 */
#include <string.h>

#include "base/sorted.h"
#include "formats/spoor/block.h"
#include "formats/spoor/encode.h"

enum { NEAR = 1 << 15 /* a constant that is added to a register is less */ };

static void encode_byte(struct segment_encoder *encoder, unsigned column, unsigned byte)
{
    struct text *text = &encoder->columns[column];
    char *at = text_reserve(text, 1);
    if (at) text_commit(text, put_char(at, (char)byte));
}

static unsigned encode_size(uint64_t value)
{
    unsigned size = 0;
    for (; value; value >>= 8) size++;
    return size;
}

static inline void encode_code(struct segment_encoder *encoder, const struct encode_lane *lane,
                               unsigned code)
{
    struct text *codes = &encoder->columns[SEGMENT_CODES + lane_group(lane->class)];
    codes->bytes[codes->size++] = (char)code;
}

/* Finds the register that is nearest to the value; false if none is near. */
static bool encode_find_register(const struct model *model, uint64_t value, unsigned *reg,
                                 uint64_t *constant)
{
    uint64_t nearest = NEAR;
    for (unsigned i = 0; i < REGISTERS; i++) {
        const uint64_t difference = value - model->registers[i];
        if (difference + (nearest - 1) > 2 * (nearest - 1) || model->registers[i] == 0) continue;
        nearest = difference >> 63 ? 0 - difference : difference;
        *reg = i;
        *constant = difference;
        if (nearest == 0) break;
    }
    return nearest < NEAR;
}

/* A value that the way of its context does not predict. */
void encode_unexpected(struct segment_encoder *encoder, const struct encode_lane *lane,
                       uint64_t value, unsigned kind)
{
    unsigned reg;
    uint64_t constant;
    for (unsigned way = 0; way < WAYS; way++)
        if (model_predict(&encoder->model, lane->context, lane->slot, way, lane->memory) == value) {
            encode_code(encoder, lane, 1 + way);
            lane->context->way = (uint8_t)way;
            return;
        }
    const uint64_t difference = value - lane->context->last;
    const bool is_number = lane_group(lane->class) == LANE_GROUP_NUMBER;
    uint64_t *jump = model_jump(&encoder->model, lane->context->last);
    if (is_number && difference == *jump) {
        encode_code(encoder, lane, CODE_JUMP);
    } else if (kind != SPOOR_BUS && value > UINT8_MAX &&
               (lane->class == LANE_ADDRESS || lane->class == LANE_VALUE ||
                lane->class == LANE_DATA) &&
               encode_find_register(&encoder->model, value, &reg, &constant)) {
        encode_code(encoder, lane, CODE_REGISTER);
        encode_byte(encoder, SEGMENT_REGISTERS, reg);
        text_signed_varint(&encoder->columns[SEGMENT_CONSTANTS], (int64_t)constant);
        lane->context->way = WAY_REGISTER;
        lane->context->reg = (uint8_t)reg;
        lane->context->constant = constant;
    } else {
        uint64_t literal = lane_is_relative(lane->class) ? zigzag((int64_t)difference) : value;
        unsigned code = CODE_LITERAL, size = encode_size(literal);
        /* of a number, the difference from the last one of its context or from a recent one,
         * whichever has fewer bytes */
        for (unsigned i = 0; is_number && i < RECENT_NUMBERS && size > 1; i++) {
            const uint64_t other = zigzag((int64_t)(value - encoder->model.recents[i]));
            if (other >> (8 * (size - 1))) continue;
            literal = other;
            size = encode_size(other);
            code = CODE_RECENT + i;
        }
        encode_code(encoder, lane, code);
        const unsigned group = lane_group(lane->class);
        encode_byte(encoder, SEGMENT_SIZES + group, size);
        struct text *bytes = &encoder->columns[SEGMENT_LITERALS + group];
        char *at = text_reserve(bytes, 8);
        if (at) text_commit(bytes, block_put_number(at, literal, size));
    }
    if (!is_number) return;
    *jump = difference;
    model_add_recent(&encoder->model, value);
}

/* ---- bytes ---- */

/* A spill: what it is, and whether it has the bytes of the last one of its sort. */
void encode_spills(struct segment_encoder *encoder, const struct spoor_batch *batch, size_t index)
{
    struct text *column = &encoder->columns[SEGMENT_SPILLS];
    const size_t first = SORTED_BELOW(batch->spills, batch->spill_count, record, index);
    size_t end = first;
    while (end < batch->spill_count && batch->spills[end].record == index) end++;
    text_varint(column, end - first);
    for (size_t i = first; i < end; i++) {
        const struct spoor_spill *spill = &batch->spills[i];
        struct spoor_ref *last = &encoder->last_spills[spill->what];
        const char *bytes = spoor_batch_bytes(batch, spill->ref);
        const uint32_t size = spill->ref.size;
        const bool same = last->size == size && size > 0 && !encoder->spilled.failed &&
                          memcmp(encoder->spilled.bytes + last->at, bytes, size) == 0;
        text_varint(column, spill->what << 1 | same);
        if (same) continue;
        text_varint(column, size);
        text_put(&encoder->columns[SEGMENT_SPILL_BYTES], bytes, size);
        if (spill->what == SPOOR_SPILL_LINE) continue;
        *last = (struct spoor_ref){(uint32_t)encoder->spilled.size, size};
        text_put(&encoder->spilled, bytes, size);
    }
}

static void encode_string(struct segment_encoder *encoder, const char *bytes, size_t size)
{
    text_varint(&encoder->columns[SEGMENT_FAULTS], size);
    text_put(&encoder->columns[SEGMENT_FAULT_BYTES], bytes, size);
}

void encode_faults(struct segment_encoder *encoder, const struct spoor_batch *batch, size_t index)
{
    const size_t first = SORTED_BELOW(batch->faults, batch->fault_count, record, index);
    size_t end = first;
    while (end < batch->fault_count && batch->faults[end].record == index) end++;
    struct text *column = &encoder->columns[SEGMENT_FAULTS];
    text_varint(column, end - first);
    for (size_t i = first; i < end; i++) {
        const struct spoor_fault *fault = &batch->faults[i];
        text_varint(column, fault->column);
        encode_string(encoder, fault->rule, strlen(fault->rule));
        encode_string(encoder, fault->expected, strlen(fault->expected));
        encode_string(encoder, spoor_batch_bytes(batch, fault->found), fault->found.size);
    }
}
