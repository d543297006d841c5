/* SPDX-License-Identifier: MIT */
/*
 * formats/spoor/lanes.h: which fields of a record are static, and which vary.
 *
 * A record is divided into a template and lanes.  The template has what is the same whenever the
 * same instruction (or line, or transaction) comes again, and lies in a dictionary; a lane is a
 * 64-bit word of the record that is predicted and, where the prediction fails, stored.  The
 * template alone decides which lanes its records have.
 */
#ifndef SPOOR_FORMATS_SPOOR_LANES_H
#define SPOOR_FORMATS_SPOOR_LANES_H

#include <stdbool.h>
#include <string.h>

#include "spoor/record.h"

/* A record as words of 64 bits; word 0 is the time, word 1 the rest of the head. */
enum { WORDS = 8, LANES_MAX = 5 };

/* The lane of a micro-op.  In a dictionary, the template has the number of its first record there:
 * the contexts of a segment begin with it. */
enum { UOP_ADDRESS_WORD = 3 };

enum lane_class {
    LANE_TIME,      /* the time: stored as the difference from the last one */
    LANE_NUMBER,    /* a number on its own */
    LANE_INDEX,     /* counts up: stored as the difference from the last one */
    LANE_ADDRESS,   /* of memory: perhaps a register plus a constant */
    LANE_PHYSICAL,  /* the physical part of the address in the lane before */
    LANE_VALUE,     /* what a register holds */
    LANE_DATA,      /* what memory holds, the low 8 bytes */
    LANE_DATA_HIGH, /* and the next 8 */
    LANE_CLASSES
};

struct lane {
    uint8_t word, class;
};

struct lanes {
    uint8_t count;
    uint8_t text;   /* the word of a reference whose bytes are stored with the record; 0: none */
    uint8_t string; /* the word of a reference whose bytes are in the dictionary; 0: none */
    bool leads;     /* an instruction: the records after it belong to it */
    struct lane items[LANES_MAX];
};

static inline void lanes_add(struct lanes *lanes, unsigned word, enum lane_class class)
{
    lanes->items[lanes->count++] = (struct lane){(uint8_t)word, (uint8_t) class};
}

/* The lanes of a record, or of its template. */
static inline void lanes_of(const struct spoor_record *record, struct lanes *lanes)
{
    *lanes = (struct lanes){0};
    switch (record->kind) {
    case SPOOR_NOTE: lanes->text = 2; break;
    case SPOOR_UOP:
        lanes->leads = true;
        if (record->op & (SPOOR_UOP_LOAD | SPOOR_UOP_STORE)) lanes_add(lanes, 3, LANE_NUMBER);
        break;
    case SPOOR_INSN:
        lanes->leads = true;
        lanes->string = 6;
        if (record->has & SPOOR_HAS_INDEX) lanes_add(lanes, 4, LANE_INDEX);
        break;
    case SPOOR_FLOW:
        lanes->leads = true;
        if (record->has & SPOOR_HAS_INDEX) lanes_add(lanes, 6, LANE_INDEX);
        break;
    case SPOOR_REG:
        lanes_add(lanes, 2, LANE_VALUE);
        if (record->reg.bits > 64) lanes_add(lanes, 3, LANE_NUMBER);
        if (record->reg.wide.size || record->reg.wide.at) lanes->text = 4;
        break;
    case SPOOR_MEM:
        lanes->leads = record->op == SPOOR_MEM_FETCH;
        if (record->has & SPOOR_HAS_VA && !lanes->leads) lanes_add(lanes, 2, LANE_ADDRESS);
        if (record->has & SPOOR_HAS_PA) lanes_add(lanes, 3, LANE_PHYSICAL);
        if (record->has & SPOOR_HAS_DATA) lanes_add(lanes, 4, LANE_DATA);
        if (record->has & SPOOR_HAS_DATA && record->mem.size > 8)
            lanes_add(lanes, 5, LANE_DATA_HIGH);
        if (record->mem.wide.size || record->mem.wide.at) lanes->text = 6;
        break;
    case SPOOR_BUS:
        lanes_add(lanes, 2, LANE_ADDRESS);
        if (record->has & SPOOR_HAS_DATA) lanes_add(lanes, 3, LANE_DATA);
        if (record->has & SPOOR_HAS_DATA && record->bus.size > 8)
            lanes_add(lanes, 4, LANE_DATA_HIGH);
        if (record->bus.given & SPOOR_BUS_GIVEN_DELTA) lanes_add(lanes, 5, LANE_NUMBER);
        break;
    case SPOOR_CACHEOP:
        lanes_add(lanes, 2, LANE_ADDRESS);
        if (record->has & SPOOR_HAS_PA) lanes_add(lanes, 3, LANE_PHYSICAL);
        break;
    case SPOOR_CACHE:
        if (record->has & SPOOR_HAS_PA) lanes_add(lanes, 2, LANE_NUMBER);
        lanes_add(lanes, 3, LANE_NUMBER);
        break;
    case SPOOR_WALK:
        lanes->string = 4;
        lanes_add(lanes, 2, LANE_NUMBER);
        if (record->has & SPOOR_HAS_DATA) lanes_add(lanes, 3, LANE_NUMBER);
        break;
    case SPOOR_TLB:
        lanes->string = 4;
        lanes_add(lanes, 2, LANE_ADDRESS);
        if (record->has & SPOOR_HAS_PA) lanes_add(lanes, 3, LANE_PHYSICAL);
        break;
    case SPOOR_EVENT:
        if (record->has & SPOOR_HAS_VA) lanes_add(lanes, 2, LANE_NUMBER);
        if (record->has & SPOOR_HAS_PA) lanes_add(lanes, 3, LANE_NUMBER);
        if (record->has & SPOOR_HAS_EXTRA) lanes_add(lanes, 4, LANE_NUMBER);
        lanes->text = 5;
        break;
    default: break;
    }
}

static inline uint64_t record_word(const struct spoor_record *record, unsigned word)
{
    uint64_t value;
    memcpy(&value, (const char *)record + 8 * (size_t)word, 8);
    return value;
}
static inline void record_set_word(struct spoor_record *record, unsigned word, uint64_t value)
{
    memcpy((char *)record + 8 * (size_t)word, &value, 8);
}
static inline bool record_same(const struct spoor_record *one, const struct spoor_record *other)
{
    uint64_t difference = 0;
    for (unsigned word = 0; word < WORDS; word++)
        difference |= record_word(one, word) ^ record_word(other, word);
    return difference == 0;
}
static inline struct spoor_ref record_ref(const struct spoor_record *record, unsigned word)
{
    struct spoor_ref ref;
    memcpy(&ref, (const char *)record + 8 * (size_t)word, sizeof ref);
    return ref;
}
static inline void record_set_ref(struct spoor_record *record, unsigned word, struct spoor_ref ref)
{
    memcpy((char *)record + 8 * (size_t)word, &ref, sizeof ref);
}

/* Different lanes, each with a number. */
enum { LANES_LISTED = 256 /* more than there are */ };
struct lanes_list {
    struct lanes items[LANES_LISTED];
    size_t count;
};

/* The number of the lanes in the list; LANES_LISTED if it is full. */
static inline size_t lanes_number(struct lanes_list *list, const struct lanes *lanes)
{
    size_t number = 0;
    while (number < list->count && memcmp(&list->items[number], lanes, sizeof *lanes) != 0)
        number++;
    if (number == list->count && number < LANES_LISTED) list->items[list->count++] = *lanes;
    return number;
}

#endif
