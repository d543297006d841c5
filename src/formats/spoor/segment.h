/* SPDX-License-Identifier: MIT */
/*
 * formats/spoor/segment.h: the parts of a segment that its encoder and its decoder share; and what
 * its records so far predict of the next one.
 *
 * The encoder and the decoder keep the same model.  The next template is predicted from the hash of
 * many templates before it, where that came before; else from the last three, else from the last
 * one alone.  A lane is predicted in its context: the template, its instruction and its position
 * after it.  A context remembers which way of prediction was right the last time.
 */
#ifndef SPOOR_FORMATS_SPOOR_SEGMENT_H
#define SPOOR_FORMATS_SPOOR_SEGMENT_H

#include <stddef.h>

#include "formats/spoor/lanes.h"
#include "formats/spoor/section.h"
#include "spoor/batch.h"

/* ---- the model ---- */

enum {
    SEGMENT_RECORDS = 1 << 16, /* maximum of a segment */
    HISTORY_BITS = 16,
    SHORT_BITS = 15,
    FOLLOWERS = 4,
    CONTEXT_BITS = 16,
    STRIDE_BITS = 16,
    MEMORY_BITS = 14,
    PAGE_BITS = 10,
    JUMP_BITS = 8,         /* a jump is kept for each region of the address space, */
    JUMP_REGION = 12,      /* of 2^12 bytes, by a hash */
    RECENT_NUMBERS = 8,    /* the last ones that no way predicted */
    RECENT_NEAR = 1 << 12, /* one that is less from a recent number takes its place */
    POSITION_MAX = 15,
    /* registers: by their names, then: */
    REGISTER_NAMES = 128,
    REGISTER_DATA = 128,      /* the data of the last access, */
    REGISTER_DATA_HIGH = 129, /* its next 8 bytes, */
    REGISTER_ADDRESS = 130,   /* its address, */
    REGISTER_PC = 131,        /* and the address of the last instruction */
    REGISTERS
};

/* Ways to predict a lane. */
enum way {
    WAY_CONTEXT,  /* the last value plus the difference that followed the last difference */
    WAY_STRIDE,   /* the last value plus the last difference */
    WAY_LAST,     /* the last value */
    WAY_REGISTER, /* a register plus a constant */
    WAY_MEMORY,   /* what memory holds at the address */
    WAYS
};
/* The number that is stored for a lane: 0: the context's way is right; 1 + way: that way is.  Only
 * lanes of LANE_GROUP_NUMBER have those after CODE_LITERAL. */
enum {
    CODE_RIGHT = 0,
    CODE_REGISTER = 1 + WAYS, /* the number of a register and the constant are stored */
    CODE_LITERAL,             /* the value is stored */
    CODE_JUMP,                /* the last value plus the last jump in its region */
    CODE_RECENT,              /* and more: the difference from a recent number is stored */
    CODES = CODE_RECENT + RECENT_NUMBERS,
};

struct model_context {
    uint64_t last, stride, constant;
    uint8_t way, reg;
    uint8_t unused[6];
};

/* What the index of the last branch increased by. */
enum counting {
    COUNTING_NOT, /* neither of these */
    COUNTING_OWN, /* its number */
    COUNTING_LAST /* the number of the branch before */
};

/* The last templates.  A decoder keeps them in registers. */
struct model_last {
    uint32_t history; /* a hash of many templates */
    uint32_t previous, before, before_that;
    uint32_t leader, position; /* the last instruction plus 1, and the records since */
};

struct model {
    uint32_t after[1 << HISTORY_BITS];   /* by the hash of the history: its tag, a template */
    uint32_t after_few[1 << SHORT_BITS]; /* by the last three: their tag, a template */
    uint64_t strides[1 << STRIDE_BITS];
    uint64_t memory[1 << MEMORY_BITS]; /* by address / 8 */
    uint64_t pages[1 << PAGE_BITS];    /* by virtual page: physical minus virtual */
    uint64_t registers[REGISTERS];
    uint64_t jumps[1 << JUMP_BITS];   /* by region: the last difference that no way predicted */
    uint64_t recents[RECENT_NUMBERS]; /* numbers that no way predicted, the last one first */
    uint64_t time, index;             /* the last ones */
    uint64_t increase;                /* of the time, with this record */
    uint64_t va;                      /* of this record */
    struct model_last last;
    uint32_t number; /* of the last branch */
    enum counting counting;
    uint16_t numbers[1 << CONTEXT_BITS]; /* of the contexts, in the order of their first use: so
                                          * those in use lie together; 0 is that of slot 0 */
    uint16_t context_count;              /* besides that */
    /* what follows is not cleared for a segment, but where the segment first uses it */
    bool used; /* by a segment before */
    struct model_context contexts[1 << CONTEXT_BITS];
    uint16_t follows[SEGMENT_RECORDS]
                    [FOLLOWERS]; /* by a template: those after it, the last first */
};

/* Template `local` is new in the segment. */
static inline void model_add(struct model *model, uint32_t local)
{
    memset(model->follows[local], 0, sizeof model->follows[local]);
}

/* Begins a segment; before the first, all of the model is zero. */
static inline void model_begin(struct model *model)
{
    if (model->used) memset(model, 0, offsetof(struct model, used));
    model->used = true;
    model->contexts[0] = (struct model_context){0};
    model_add(model, 0);
}

/* ---- the next template ---- */

/* The prediction, and the place where it is stored. */
struct model_guess {
    uint32_t *after, *after_few; /* entries: the tag in the high half, never 0; the template */
    uint32_t tag, tag_few;
    uint32_t first;    /* template that is tried first; then model_second(), */
    uint16_t *follows; /* then these */
};

static inline uint32_t *model_entry(uint32_t *table, unsigned bits, uint32_t hash, uint32_t *tag)
{
    *tag = (hash & 0xFFFF) | 1;
    return &table[hash >> (32 - bits)];
}

static inline uint32_t model_second(const struct model_guess *guess)
{
    const uint32_t few = *guess->after_few;
    return few >> 16 == guess->tag_few ? few & 0xFFFF : guess->follows[0];
}

static inline struct model_guess model_guess(struct model *model, const struct model_last *last)
{
    struct model_guess guess;
    const uint32_t few = ((last->previous * UINT32_C(0x85EBCA6B)) ^
                          (last->before * UINT32_C(0xC2B2AE35) + last->before_that)) *
                         UINT32_C(0x9E3779B1);
    guess.after =
        model_entry(model->after, HISTORY_BITS, last->history * UINT32_C(0x9E3779B1), &guess.tag);
    guess.after_few = model_entry(model->after_few, SHORT_BITS, few, &guess.tag_few);
    guess.follows = model->follows[last->previous];
    const uint32_t after = *guess.after;
    guess.first = after & 0xFFFF;
    if (after >> 16 != guess.tag) guess.first = model_second(&guess);
    return guess;
}

/* Moves the template to the first of those that follow another. */
static inline void model_follow(uint16_t *follows, uint32_t local)
{
    unsigned at = 0;
    while (at < FOLLOWERS - 1 && follows[at] != local) at++;
    for (; at > 0; at--) follows[at] = follows[at - 1];
    follows[0] = (uint16_t)local;
}

/* Template `local` came after the guess. */
static inline void model_advance(struct model_last *last, const struct model_guess *guess,
                                 uint32_t local, bool leads)
{
    *guess->after = guess->tag << 16 | local;
    *guess->after_few = guess->tag_few << 16 | local;
    if (guess->follows[0] != local) model_follow(guess->follows, local);
    last->before_that = last->before;
    last->history = (last->history << 3) ^ (local * UINT32_C(0x85EBCA6B) >> 5);
    last->before = last->previous;
    last->previous = local;
    if (leads) {
        last->leader = local + 1;
        last->position = 0;
    } else if (last->position < POSITION_MAX) {
        last->position++;
    }
}

/* ---- lanes ---- */

/* The number of the context of a lane (its word) of the record that came last.  The increase of an
 * index belongs to the template before. */
static inline uint32_t model_slot(const struct model_last *last, enum lane_class class,
                                  unsigned word)
{
    const uint32_t template = class == LANE_INDEX ? last->before : last->previous;
    const uint32_t leader = class == LANE_INDEX ? 0 : last->leader;
    const uint32_t key = leader * UINT32_C(0x9E3779B1) ^
                         (template * UINT32_C(0x85EBCA6B) + last->position * UINT32_C(0x27D4EB2F) +
                          word * UINT32_C(0xC2B2AE35));
    return (key * UINT32_C(0x9E3779B1)) >> (32 - CONTEXT_BITS);
}

/* True if the segment has not used the context.  That of slot 0 begins with the segment. */
static inline bool model_is_fresh(const struct model *model, uint32_t slot)
{
    return model->numbers[slot] == 0 && slot != 0;
}

/* `start`: its last value, if it is fresh. */
static inline struct model_context *model_context(struct model *model, uint32_t slot,
                                                  uint64_t start)
{
    uint16_t *number = &model->numbers[slot];
    if (model_is_fresh(model, slot)) {
        *number = ++model->context_count;
        model->contexts[*number] = (struct model_context){.last = start};
    }
    return &model->contexts[*number];
}

static inline uint64_t *model_stride(struct model *model, uint64_t stride, uint32_t slot)
{
    const uint64_t key =
        stride * UINT64_C(0x9E3779B97F4A7C15) ^ slot * UINT64_C(0xC2B2AE3D27D4EB4F);
    return &model->strides[(key * UINT64_C(0x9E3779B97F4A7C15)) >> (64 - STRIDE_BITS)];
}

/* The prediction of a way; `memory` is what memory holds. */
static inline uint64_t model_predict(struct model *model, const struct model_context *context,
                                     uint32_t slot, unsigned way, uint64_t memory)
{
    switch (way) {
    case WAY_CONTEXT: return context->last + *model_stride(model, context->stride, slot);
    case WAY_STRIDE: return context->last + context->stride;
    case WAY_LAST: return context->last;
    case WAY_REGISTER: return model->registers[context->reg] + context->constant;
    default: return memory;
    }
}

static inline void model_learn(struct model *model, struct model_context *context, uint32_t slot,
                               uint64_t value)
{
    const uint64_t stride = value - context->last;
    *model_stride(model, context->stride, slot) = stride;
    context->stride = stride;
    context->last = value;
}

/* ---- numbers that no way predicts ---- */

/* The last jump of a number near this one: where a function runs at another place of the stack, or
 * on another object, all of its addresses there move by the same distance. */
static inline uint64_t *model_jump(struct model *model, uint64_t number)
{
    const uint32_t region = (uint32_t)(number >> JUMP_REGION) * UINT32_C(0x9E3779B1);
    return &model->jumps[region >> (32 - JUMP_BITS)];
}

/* A number that no way predicted becomes the first of the recent ones, in the place of one that is
 * near, or of the last. */
static inline void model_add_recent(struct model *model, uint64_t number)
{
    uint64_t *recents = model->recents;
    unsigned at = 0;
    while (at < RECENT_NUMBERS - 1 && number - recents[at] + RECENT_NEAR >= 2 * RECENT_NEAR) at++;
    for (; at > 0; at--) recents[at] = recents[at - 1];
    recents[0] = number;
}

/* ---- memory as it is replayed ---- */

static inline uint64_t *model_granule(struct model *model, uint64_t address)
{
    return &model->memory[(address * UINT64_C(0x9E3779B97F4A7C15)) >> (64 - MEMORY_BITS)];
}

static inline uint64_t model_mask(unsigned size)
{
    return size >= 8 ? UINT64_MAX : (UINT64_C(1) << (8 * size)) - 1;
}

/* `size` bytes at the address, at most 8. */
static inline uint64_t model_load(struct model *model, uint64_t address, unsigned size)
{
    const unsigned shift = 8 * (unsigned)(address & 7);
    uint64_t value = *model_granule(model, address >> 3) >> shift;
    if (shift + 8 * size > 64) value |= *model_granule(model, (address >> 3) + 1) << (64 - shift);
    return value & model_mask(size);
}

static inline void model_store(struct model *model, uint64_t address, unsigned size, uint64_t value)
{
    const unsigned shift = 8 * (unsigned)(address & 7);
    const uint64_t mask = model_mask(size);
    uint64_t *low = model_granule(model, address >> 3);
    *low = (*low & ~(mask << shift)) | (value & mask) << shift;
    if (shift + 8 * size <= 64) return;
    uint64_t *high = model_granule(model, (address >> 3) + 1);
    *high = (*high & ~(mask >> (64 - shift))) | (value & mask) >> (64 - shift);
}

/* ---- from the words of a record to the values that are predicted, and back ---- */

static inline uint64_t *model_page(struct model *model, uint64_t va)
{
    return &model->pages[(va >> 12) & ((1 << PAGE_BITS) - 1)];
}

static inline unsigned data_size(const struct spoor_record *record)
{
    const unsigned size = record->kind == SPOOR_MEM ? record->mem.size : record->bus.size;
    return size > 8 ? 8 : size;
}

/* The number that is subtracted from a lane before it is predicted. */
static inline uint64_t model_base(struct model *model, enum lane_class class,
                                  const struct spoor_record *record)
{
    if (class == LANE_TIME) return model->time;
    if (class == LANE_INDEX) {
        if (record->kind != SPOOR_FLOW || model->counting == COUNTING_NOT) return model->index;
        return model->index +
               (model->counting == COUNTING_OWN ? record->flow.number : model->number);
    }
    if (class == LANE_PHYSICAL) return model->va + *model_page(model, model->va);
    /* the delta of a transaction at the pins is the increase of the time */
    if (class == LANE_NUMBER && record->kind == SPOOR_BUS) return model->increase;
    return 0;
}

/* The content of memory for a lane of data. */
static inline uint64_t model_memory(struct model *model, enum lane_class class,
                                    const struct spoor_record *record)
{
    if (class == LANE_DATA)
        return model_load(model, model->registers[REGISTER_ADDRESS], data_size(record));
    if (class == LANE_DATA_HIGH)
        return model_load(model, model->registers[REGISTER_ADDRESS] + 8, 8);
    return model->registers[REGISTER_DATA];
}

/* The index of a branch has increased. */
static inline void model_count(struct model *model, uint64_t increase,
                               const struct spoor_record *record)
{
    const uint32_t own = record->flow.number;
    const uint32_t expected = model->counting == COUNTING_LAST ? model->number : own;
    if (increase != expected || model->counting == COUNTING_NOT)
        model->counting = increase == own             ? COUNTING_OWN
                          : increase == model->number ? COUNTING_LAST
                                                      : COUNTING_NOT;
    model->number = own;
}

/* The word of a lane has this value; `reg` is the id of the name of a register. */
static inline void model_note(struct model *model, enum lane_class class,
                              const struct spoor_record *record, unsigned reg, uint64_t value)
{
    switch (class) {
    case LANE_TIME:
        model->increase = value - model->time;
        model->time = value;
        break;
    case LANE_INDEX:
        if (record->kind == SPOOR_FLOW) model_count(model, value - model->index, record);
        model->index = value;
        break;
    case LANE_ADDRESS: model->va = model->registers[REGISTER_ADDRESS] = value; break;
    case LANE_PHYSICAL:
        *model_page(model, model->va) = value - model->va;
        if (!(record->has & SPOOR_HAS_VA)) model->registers[REGISTER_ADDRESS] = value;
        break;
    case LANE_VALUE: model->registers[reg % REGISTER_NAMES] = value; break;
    case LANE_DATA:
        model_store(model, model->registers[REGISTER_ADDRESS], data_size(record), value);
        model->registers[REGISTER_DATA] = value;
        break;
    case LANE_DATA_HIGH:
        model_store(model, model->registers[REGISTER_ADDRESS] + 8, 8, value);
        model->registers[REGISTER_DATA_HIGH] = value;
        break;
    default: break;
    }
}

/* Before the lanes of a record: `record` is its template, whose word 2 is the virtual address
 * unless that is a lane. */
static inline void model_enter(struct model *model, const struct spoor_record *record, bool leads)
{
    if (leads) model->registers[REGISTER_PC] = record_word(record, 2);
    model->va = record_word(record, 2);
}

/* ---- the block ---- */

enum { LANE_GROUP_NUMBER = 1, LANE_GROUPS = 4 };

/* Sections of the block. */
enum segment_section {
    SEGMENT_RUNS,   /* numbers of templates in a row that the history predicts */
    SEGMENT_MISSES, /* after each run: enum segment_miss */
    SEGMENT_SEEN,   /* a template of the segment: its number */
    SEGMENT_NEW,    /* a template that is new in it: its id, as a difference */
    SEGMENT_REGISTERS,
    SEGMENT_CONSTANTS,
    SEGMENT_TEXT_SIZES,
    SEGMENT_TEXT,
    SEGMENT_SPILLS,
    SEGMENT_SPILL_BYTES,
    SEGMENT_FAULTS,
    SEGMENT_FAULT_BYTES,
    /* one for each group of lanes: */
    SEGMENT_CODES,
    SEGMENT_SIZES = SEGMENT_CODES + LANE_GROUPS,
    SEGMENT_LITERALS = SEGMENT_SIZES + LANE_GROUPS,
    SEGMENT_SECTIONS = SEGMENT_LITERALS + LANE_GROUPS,
};

/* The template after a run. */
enum segment_miss {
    MISS_SECOND,   /* the template that followed the last three */
    MISS_FOLLOWER, /* and more: a template that followed the last one */
    MISS_SEEN = MISS_FOLLOWER + FOLLOWERS,
    MISS_NEW,
};

enum segment_flag {
    SEGMENT_TIMED = 1 << 0, /* records have a lane for the time; else all have the first time */
};

/* The numbers before the sections. */
struct segment_head {
    uint64_t record, place; /* ordinals of the first record, and of its line or binary record */
    uint64_t time;          /* before the first record */
    uint32_t records;
    uint32_t templates;  /* different ones of the segment */
    uint32_t dictionary; /* its number, */
    uint32_t defined;    /* and the number of its templates that segments up to here have used */
    uint32_t flags;
};
enum { SEGMENT_HEAD_SIZE = 64 };

/* False if the payload is too short for them, or they are impossible. */
bool segment_parse_head(const char *payload, size_t size, struct segment_head *head);
/* Appends them to an empty payload. */
void segment_put_head(struct text *payload, const struct segment_head *head);

/* The group whose columns a lane is stored in. */
static inline unsigned lane_group(enum lane_class class)
{
    switch (class) {
    case LANE_TIME:
    case LANE_INDEX: return 0;
    case LANE_VALUE: return 2;
    case LANE_DATA:
    case LANE_DATA_HIGH: return 3;
    default: return LANE_GROUP_NUMBER;
    }
}

/* True if a literal of the lane is stored as the difference from the last value. */
static inline bool lane_is_relative(enum lane_class class)
{
    return class != LANE_VALUE && class != LANE_DATA && class != LANE_DATA_HIGH;
}

#endif
