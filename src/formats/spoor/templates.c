/* SPDX-License-Identifier: MIT */
/* templates.c: templates to columns of differences, and back. */
#include "formats/spoor/templates.h"

#include <string.h>

#include "formats/spoor/block.h"

/* The sizes of the fields of each kind, in order, as digits; together 48 bytes.  D and S: fields of
 * 8 and 4 bytes that are stored as differences.  The head has the same fields in all kinds. */
static const char head_fields[] = "811222";
static const char *const body_fields[SPOOR_KINDS] = {
    [SPOOR_NOTE] = "4488888",
    [SPOOR_UOP] = "D8884222222",
    [SPOOR_INSN] = "D888S4"
                   "2111111",
    [SPOOR_FLOW] = "D8888"
                   "11114",
    [SPOOR_REG] = "8844"
                  "422"
                  "2222"
                  "8",
    [SPOOR_MEM] = "D88844"
                  "22112",
    [SPOOR_BUS] = "8888"
                  "2222"
                  "1111"
                  "211",
    [SPOOR_CACHEOP] = "88"
                      "22222"
                      "111111"
                      "8"
                      "8",
    [SPOOR_CACHE] = "88"
                    "2111111"
                    "888",
    [SPOOR_WALK] = "88S4"
                   "221111"
                   "88",
    [SPOOR_TLB] = "88S4"
                  "2222"
                  "4211"
                  "8",
    [SPOOR_EVENT] = "88844"
                    "422"
                    "8",
};

enum { SIZE = sizeof(struct spoor_record) };

/* A target as a distance: 0 stays 0, and the pc itself changes places with what 0 would become. */
static uint64_t distance(uint64_t target, uint64_t from)
{
    if (target == 0) return 0;
    return target == from ? 0 - from : target - from;
}
static uint64_t undo_distance(uint64_t distance, uint64_t from)
{
    if (distance == 0) return 0;
    return distance == 0 - from ? from : distance + from;
}

static uint64_t word_of(const char *bytes, unsigned word)
{
    return block_u64(bytes + 8 * (size_t)word);
}
static void set_word(char *bytes, unsigned word, uint64_t value)
{
    block_put_number(bytes + 8 * (size_t)word, value, 8);
}

/* Addresses that lie near the pc become distances from it. */
static void relate(char *bytes, unsigned kind, uint64_t (*function)(uint64_t, uint64_t))
{
    const uint64_t pc = word_of(bytes, 2);
    if (kind == SPOOR_UOP || kind == SPOOR_FLOW)
        set_word(bytes, 4, function(word_of(bytes, 4), pc));
    if (kind == SPOOR_INSN || kind == SPOOR_FLOW)
        set_word(bytes, 3, function(word_of(bytes, 3), pc));
}

static unsigned size_of_field(char field)
{
    return field == 'D' ? 8 : field == 'S' ? 4 : (unsigned)(field - '0');
}

/* Adds `before` to each field that is a difference, or subtract it. */
static void add_fields(const char *fields, size_t *at, char *bytes, const char *before, bool adds)
{
    for (; *fields; fields++) {
        const unsigned size = size_of_field(*fields);
        if (*fields < 'A') {
            *at += size;
            continue;
        }
        uint64_t value = 0, other = 0;
        for (unsigned i = size; i-- > 0;) {
            value = value << 8 | (unsigned char)bytes[*at + i];
            other = other << 8 | (unsigned char)before[*at + i];
        }
        block_put_number(bytes + *at, adds ? value + other : value - other, size);
        *at += size;
    }
}

static void add_template(unsigned kind, char *bytes, const char *before, bool adds)
{
    size_t at = 0;
    add_fields(head_fields, &at, bytes, before, adds);
    add_fields(body_fields[kind], &at, bytes, before, adds);
}

void templates_pack(const struct spoor_record *templates, size_t count, struct text *kinds,
                    struct text *planes)
{
    char before[SPOOR_KINDS][SIZE] = {{0}};
    char *kind_at = text_reserve(kinds, count), *plane = text_reserve(planes, count * SIZE);
    if (!kind_at || !plane || count == 0) return;
    for (size_t i = 0; i < count; i++) {
        char bytes[SIZE], same[SIZE];
        const unsigned kind = templates[i].kind;
        memcpy(bytes, &templates[i], SIZE);
        relate(bytes, kind, distance);
        memcpy(same, bytes, SIZE);
        add_template(kind, bytes, before[kind], false);
        memcpy(before[kind], same, SIZE);
        kind_at[i] = (char)kind;
        for (size_t k = 0; k < SIZE; k++) plane[k * count + i] = bytes[k];
    }
    text_commit(kinds, kind_at + count);
    text_commit(planes, plane + count * SIZE);
}

bool templates_unpack(struct spoor_record *templates, size_t count, const struct text *kinds,
                      const struct text *planes)
{
    char before[SPOOR_KINDS][SIZE] = {{0}};
    if (kinds->size != count || planes->size != count * SIZE) return false;
    for (size_t i = 0; i < count; i++) {
        char bytes[SIZE];
        const unsigned kind = (unsigned char)kinds->bytes[i];
        if (kind >= SPOOR_KINDS) return false;
        for (size_t k = 0; k < SIZE; k++) bytes[k] = planes->bytes[k * count + i];
        add_template(kind, bytes, before[kind], true);
        memcpy(before[kind], bytes, SIZE);
        relate(bytes, kind, undo_distance);
        memcpy(&templates[i], bytes, SIZE);
        if (templates[i].kind != kind) return false;
    }
    return true;
}
