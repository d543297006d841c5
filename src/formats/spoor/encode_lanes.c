/* SPDX-License-Identifier: MIT */
/* encode_lanes.c: the lanes that the way of their context does not predict, and those of coded
 * segments. */
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
    if (encoder->coding.mixed)
        coding_code(&encoder->coding, &encoder->model, &lane->coding, lane->context, code);
    else
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
    if (encoder->coding.mixed)
        coding_literal(&encoder->coding, &lane->coding, value);
    else
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
    if (encoder->coding.mixed) {
        coding_register(&encoder->coding, &lane->coding, reg);
        coding_constant(&encoder->coding, &lane->coding, zigzag((int64_t)constant));
    } else {
        put_byte(encoder, SEGMENT_REGISTERS, reg);
        text_signed_varint(&encoder->columns[SEGMENT_CONSTANTS], (int64_t)constant);
    }
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
    if (lane_group(lane->class) == LANE_GROUP_NUMBER && !encoder->coding.mixed)
        put_jump(encoder, lane, value, kind);
    else if (seeks_register(lane->class, kind, value) &&
             find_register(&encoder->model, value, &reg, &constant))
        put_register(encoder, lane, reg, constant);
    else
        put_literal(encoder, lane, value);
}

/* What many programs and caches put on a bus comes from no instruction: the contexts of literals
 * know more of it than a context's way. */
static inline bool is_noise(const struct spoor_record *record, enum lane_class class)
{
    return record->kind == SPOOR_BUS && (class == LANE_TIME || class == LANE_ADDRESS);
}

/* A lane of a coded segment; the value is what its base lacks. */
void encode_coded(struct segment_encoder *encoder, struct encode_lane *lane, unsigned word,
                  const struct spoor_record *record, uint64_t value)
{
    struct model *model = &encoder->model;
    lane->coding = coding_lane(&encoder->coding, model, lane->class, word, lane->slot,
                               lane->context, lane->memory);
    if (is_noise(record, lane->class))
        put_literal(encoder, lane, value);
    else if (model_predict(model, lane->context, lane->slot, lane->context->way, lane->memory) ==
             value)
        put_code(encoder, lane, CODE_RIGHT);
    else
        encode_unexpected(encoder, lane, value, record->kind);
    coding_value(&encoder->coding, lane->class, value);
}
