/* SPDX-License-Identifier: MIT */
/* encode_lanes.c: the lanes that the way of their context does not predict. */
#include "formats/spoor/block.h"
#include "formats/spoor/encode.h"

enum { NEAR = 1 << 15 /* a constant that is added to a register is less */ };

static void put_byte(struct segment_encoder *encoder, unsigned column, unsigned byte)
{
    struct text *text = &encoder->columns[column];
    char *at = text_reserve(text, 1);
    if (at) text_commit(text, put_char(at, (char)byte));
}

static unsigned bytes_of(uint64_t value)
{
    unsigned size = 0;
    for (; value; value >>= 8) size++;
    return size;
}

static inline void put_code(struct segment_encoder *encoder, const struct encode_lane *lane,
                            unsigned code)
{
    struct text *codes = &encoder->columns[SEGMENT_CODES + lane_group(lane->class)];
    codes->bytes[codes->size++] = (char)code;
}

static void put_literal_bytes(struct segment_encoder *encoder, const struct encode_lane *lane,
                              uint64_t literal)
{
    const unsigned group = lane_group(lane->class), size = bytes_of(literal);
    put_byte(encoder, SEGMENT_SIZES + group, size);
    struct text *bytes = &encoder->columns[SEGMENT_LITERALS + group];
    char *at = text_reserve(bytes, 8);
    if (at) text_commit(bytes, block_put_number(at, literal, size));
}

static void put_literal(struct segment_encoder *encoder, const struct encode_lane *lane,
                        uint64_t value)
{
    const uint64_t difference = value - lane->context->last;
    const uint64_t literal = lane_is_relative(lane->class) ? zigzag((int64_t)difference) : value;
    put_code(encoder, lane, CODE_LITERAL);
    put_literal_bytes(encoder, lane, literal);
}

/* Stores a number as the difference from the last one of its context or from a recent one,
 * whichever has fewer bytes. */
static void put_difference(struct segment_encoder *encoder, const struct encode_lane *lane,
                           uint64_t number)
{
    uint64_t shortest = zigzag((int64_t)(number - lane->context->last));
    unsigned code = CODE_LITERAL, size = bytes_of(shortest);
    for (unsigned i = 0; i < RECENT_NUMBERS && size > 1; i++) {
        const uint64_t literal = zigzag((int64_t)(number - encoder->model.recents[i]));
        if (literal >> (8 * (size - 1))) continue;
        shortest = literal;
        size = bytes_of(literal);
        code = CODE_RECENT + i;
    }
    put_code(encoder, lane, code);
    put_literal_bytes(encoder, lane, shortest);
}

static void put_register(struct segment_encoder *encoder, const struct encode_lane *lane,
                         unsigned reg, uint64_t constant)
{
    put_code(encoder, lane, CODE_REGISTER);
    put_byte(encoder, SEGMENT_REGISTERS, reg);
    text_signed_varint(&encoder->columns[SEGMENT_CONSTANTS], (int64_t)constant);
    lane->context->way = WAY_REGISTER;
    lane->context->reg = (uint8_t)reg;
    lane->context->constant = constant;
}

/* Finds the register that is nearest to the value; false if none is near. */
static bool find_register(const struct model *model, uint64_t value, unsigned *reg,
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

static bool seeks_register(enum lane_class class, unsigned kind, uint64_t value)
{
    return kind != SPOOR_BUS && value > UINT8_MAX &&
           (class == LANE_ADDRESS || class == LANE_VALUE || class == LANE_DATA);
}

/* A number that no way predicts. */
static void put_jump(struct segment_encoder *encoder, const struct encode_lane *lane,
                     uint64_t number, unsigned kind)
{
    unsigned reg;
    uint64_t constant;
    uint64_t *jump = model_jump(&encoder->model, lane->context->last);
    const uint64_t difference = number - lane->context->last;
    if (difference == *jump)
        put_code(encoder, lane, CODE_JUMP);
    else if (seeks_register(lane->class, kind, number) &&
             find_register(&encoder->model, number, &reg, &constant))
        put_register(encoder, lane, reg, constant);
    else
        put_difference(encoder, lane, number);
    *jump = difference;
    model_add_recent(&encoder->model, number);
}

/* A value that the way of its context does not predict. */
void encode_unexpected(struct segment_encoder *encoder, const struct encode_lane *lane,
                       uint64_t value, unsigned kind)
{
    unsigned reg;
    uint64_t constant;
    for (unsigned way = 0; way < WAYS; way++)
        if (model_predict(&encoder->model, lane->context, lane->slot, way, lane->memory) == value) {
            put_code(encoder, lane, 1 + way);
            lane->context->way = (uint8_t)way;
            return;
        }
    if (lane_group(lane->class) == LANE_GROUP_NUMBER)
        put_jump(encoder, lane, value, kind);
    else if (seeks_register(lane->class, kind, value) &&
             find_register(&encoder->model, value, &reg, &constant))
        put_register(encoder, lane, reg, constant);
    else
        put_literal(encoder, lane, value);
}
