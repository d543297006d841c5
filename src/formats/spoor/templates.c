/* SPDX-License-Identifier: MIT */
/* templates.c: templates to columns of differences, and back. */
#include "formats/spoor/templates.h"

#include <stdlib.h>
#include <string.h>

#include "formats/spoor/block.h"

/* Where the fields lie that are stored as differences: a word of 8 bytes, and one of 4; 0: there is
 * none. */
static const struct {
    uint8_t word, half;
} differences[SPOOR_KINDS] = {
    [SPOOR_INSN] = {.word = 16, .half = 48},
    [SPOOR_FLOW] = {.word = 16},
    [SPOOR_MEM] = {.word = 16},
    [SPOOR_WALK] = {.half = 32},
    [SPOOR_TLB] = {.half = 32},
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

static uint64_t word_of(const struct spoor_record *record, unsigned word)
{
    return block_u64((const char *)record + 8 * (size_t)word);
}
static void set_word(struct spoor_record *record, unsigned word, uint64_t value)
{
    block_put_number((char *)record + 8 * (size_t)word, value, 8);
}

/* Addresses that lie near the pc become distances from it. */
static void relate(struct spoor_record *record, uint64_t (*function)(uint64_t, uint64_t))
{
    const uint64_t pc = word_of(record, 2);
    if (record->kind == SPOOR_FLOW) set_word(record, 4, function(word_of(record, 4), pc));
    if (record->kind == SPOOR_INSN || record->kind == SPOOR_FLOW)
        set_word(record, 3, function(word_of(record, 3), pc));
}

/* The fields of the last template of a kind from which those of the next one differ. */
struct last_fields {
    uint64_t word;
    uint32_t half;
};

/* Fields become their differences from those of the last template, or the reverse. */
static void differ(struct spoor_record *record, unsigned kind, struct last_fields *last,
                   bool reverse)
{
    char *bytes = (char *)record;
    const size_t word = differences[kind].word, half = differences[kind].half;
    if (word) {
        const uint64_t value = block_u64(bytes + word), before = last->word;
        last->word = reverse ? value + before : value;
        block_put_number(bytes + word, reverse ? last->word : value - before, 8);
    }
    if (half) {
        const uint32_t value = block_u32(bytes + half), before = last->half;
        last->half = reverse ? value + before : value;
        block_put_number(bytes + half, reverse ? last->half : value - before, 4);
    }
}

/* After a branch, execution continues there: the next branch of the program is near. */
static void note_continuation(const struct spoor_record *record, struct last_fields *last)
{
    if (record->kind == SPOOR_FLOW && record->flow.target && !(record->op & SPOOR_FLOW_NOT_TAKEN))
        last->word = record->flow.target;
}

/* ---- packing ---- */

enum { MASK_SIZE = 8 };

/* A bit for each byte of a template that is not 0 in all of them. */
static uint64_t mask_of(const struct text *bytes)
{
    char any[SIZE] = {0};
    uint64_t mask = 0;
    for (size_t at = 0; at < bytes->size; at += SIZE)
        for (size_t k = 0; k < SIZE; k++) any[k] |= bytes->bytes[at + k];
    for (size_t k = 0; k < SIZE; k++) mask |= (uint64_t)(any[k] != 0) << k;
    return mask;
}

/* Appends the templates of a kind, of SIZE bytes each. */
static void put_planes(const struct text *bytes, struct text *planes)
{
    uint64_t mask = mask_of(bytes);
    const size_t count = bytes->size / SIZE * (size_t)__builtin_popcountll(mask);
    char *at = text_reserve(planes, MASK_SIZE + count);
    if (!at) return;
    at = block_put_number(at, mask, MASK_SIZE);
    for (; mask; mask &= mask - 1)
        for (size_t from = (size_t)__builtin_ctzll(mask); from < bytes->size; from += SIZE)
            *at++ = bytes->bytes[from];
    text_commit(planes, at);
}

void templates_pack(const struct spoor_record *templates, size_t count, struct uop_forms *uop_forms,
                    struct template_columns *columns)
{
    struct last_fields last[SPOOR_KINDS] = {{0}};
    struct text kinds[SPOOR_KINDS] = {{0}};
    struct uop_packer uops = uop_packer_begin(uop_forms, columns->uops);
    for (size_t i = 0; i < count; i++) {
        struct spoor_record record = templates[i];
        const unsigned kind = record.kind;
        const char letter = (char)kind;
        text_put(&columns->kinds, &letter, 1);
        if (kind == SPOOR_UOP) {
            uop_pack(&uops, &record);
            continue;
        }
        relate(&record, distance);
        differ(&record, kind, &last[kind], false);
        note_continuation(&templates[i], &last[kind]);
        text_put(&kinds[kind], (const char *)&record, SIZE);
    }
    columns->kinds.failed |= uops.failed;
    uop_packer_free(&uops);
    for (unsigned kind = 0; kind < SPOOR_KINDS; kind++) {
        columns->kinds.failed |= kinds[kind].failed;
        if (kinds[kind].size) put_planes(&kinds[kind], &columns->planes[kind]);
        text_free(&kinds[kind]);
    }
}

/* ---- unpacking ---- */

/* Fills in the templates with these numbers, those of a kind; false if the column does not have
 * them. */
static bool get_planes(struct spoor_record *templates, const uint32_t *numbers, size_t count,
                       const struct text *column)
{
    if (count == 0) return column->size == 0;
    if (column->size < MASK_SIZE) return false;
    uint64_t mask = block_u64(column->bytes);
    const char *plane = column->bytes + MASK_SIZE;
    if (column->size - MASK_SIZE != count * (size_t)__builtin_popcountll(mask)) return false;
    for (; mask; mask &= mask - 1, plane += count) {
        char *bytes = (char *)templates + __builtin_ctzll(mask);
        for (size_t i = 0; i < count; i++) bytes[numbers[i] * (size_t)SIZE] = plane[i];
    }
    return true;
}

/* Fills in the templates of all kinds but UOP, as they differ from one another. */
static bool get_all_planes(struct spoor_record *templates, size_t count,
                           const struct template_columns *columns)
{
    size_t begins[SPOOR_KINDS + 1] = {0}, ends[SPOOR_KINDS];
    const unsigned char *kinds = (const unsigned char *)columns->kinds.bytes;
    if (columns->kinds.size != count) return false;
    for (size_t i = 0; i < count; i++) {
        if (kinds[i] >= SPOOR_KINDS) return false;
        begins[kinds[i] + 1]++;
    }
    for (unsigned kind = 0; kind < SPOOR_KINDS; kind++)
        begins[kind + 1] += ends[kind] = begins[kind];
    uint32_t *numbers = malloc((count + 1) * sizeof *numbers);
    bool whole = numbers != NULL;
    for (size_t i = 0; i < count && whole; i++) numbers[ends[kinds[i]]++] = (uint32_t)i;
    for (unsigned kind = 0; kind < SPOOR_KINDS && whole; kind++)
        whole = kind == SPOOR_UOP ? columns->planes[kind].size == 0
                                  : get_planes(templates, numbers + begins[kind],
                                               ends[kind] - begins[kind], &columns->planes[kind]);
    free(numbers);
    return whole;
}

/* True if the operation is one of the kind: others are indices into tables.  Those of UOP, FLOW and
 * CACHEOP are bits, or none. */
static bool has_op(const struct spoor_record *record)
{
    const unsigned kind = record->kind;
    return kind == SPOOR_UOP || kind == SPOOR_FLOW || kind == SPOOR_CACHEOP ||
           spoor_op_name(record)[0] != '\0';
}

bool templates_unpack(struct spoor_record *templates, size_t count, const struct uop_source *forms,
                      const struct template_columns *columns)
{
    struct last_fields last[SPOOR_KINDS] = {{0}};
    struct uop_unpacker uops;
    bool whole = uop_unpacker_begin(&uops, forms, columns->uops, count) &&
                 get_all_planes(templates, count, columns);
    for (size_t i = 0; i < count && whole; i++) {
        struct spoor_record *record = &templates[i];
        const unsigned kind = (unsigned char)columns->kinds.bytes[i];
        if (kind == SPOOR_UOP) {
            whole = uop_unpack(&uops, record);
            continue;
        }
        differ(record, kind, &last[kind], true);
        whole = record->kind == kind && has_op(record);
        relate(record, undo_distance);
        note_continuation(record, &last[kind]);
    }
    uop_unpacker_free(&uops);
    return whole;
}
