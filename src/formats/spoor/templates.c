/* SPDX-License-Identifier: MIT */
/* templates.c: templates to columns of differences, and back. */
#include "formats/spoor/templates.h"

#include <stddef.h>
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
    if (kind == SPOOR_FLOW) set_word(bytes, 4, function(word_of(bytes, 4), pc));
    if (kind == SPOOR_INSN || kind == SPOOR_FLOW)
        set_word(bytes, 3, function(word_of(bytes, 3), pc));
}

/* After a branch, execution continues there: the next branch of the program is near. */
static void note_continuation(const struct spoor_record *record, char *before)
{
    if (record->kind == SPOOR_FLOW && record->flow.target && !(record->op & SPOOR_FLOW_NOT_TAKEN))
        set_word(before, 2, record->flow.target);
}

/* Adds `before` to each field that is a difference, or subtracts it. */
static inline void add_template(unsigned kind, char *bytes, const char *before, bool adds)
{
    const size_t word = differences[kind].word, half = differences[kind].half;
    if (word) {
        const uint64_t other = block_u64(before + word), value = block_u64(bytes + word);
        block_put_number(bytes + word, adds ? value + other : value - other, 8);
    }
    if (half) {
        const uint32_t other = block_u32(before + half), value = block_u32(bytes + half);
        block_put_number(bytes + half, adds ? value + other : value - other, 4);
    }
}

/* ---- sets ---- */

bool template_set_make(struct template_set *set, size_t count, const uint32_t *ids, size_t id_count)
{
    const size_t words = count / 64 + 1;
    uint32_t before = 0;
    *set =
        (struct template_set){calloc(words, sizeof *set->bits), malloc(words * sizeof *set->before),
                              malloc((id_count + 1) * sizeof *set->places), count};
    if (!set->bits || !set->before || !set->places) {
        template_set_free(set);
        return false;
    }
    for (size_t i = 0; i < id_count; i++)
        if (ids[i] < count) set->bits[ids[i] / 64] |= UINT64_C(1) << ids[i] % 64;
    for (size_t i = 0; i < words; i++) {
        set->before[i] = before;
        before += (uint32_t)__builtin_popcountll(set->bits[i]);
    }
    for (size_t i = 0; i < id_count; i++)
        if (ids[i] < count) set->places[template_set_rank(set, ids[i])] = (uint32_t)i;
    return true;
}

void template_set_free(struct template_set *set)
{
    free(set->bits);
    free(set->before);
    free(set->places);
    *set = (struct template_set){NULL, NULL, NULL, 0};
}

/* ---- the templates of a kind ---- */

enum { MASK_SIZE = 8 };

/* Appends the mask, and reserves the bytes after it; NULL if memory runs out. */
static char *begin_kind(struct text *out, uint64_t mask, size_t size)
{
    char *at = text_reserve(out, MASK_SIZE + size);
    if (!at) return NULL;
    at = block_put_number(at, mask, MASK_SIZE);
    text_commit(out, at + size);
    return at;
}

/* Bytes of a template, and their numbers among those of the mask. */
struct places {
    unsigned count;
    uint8_t to[SIZE], from[SIZE];
};

/* Those of the bytes that the mask has. */
static void find_places(struct places *places, uint64_t mask, uint64_t bytes)
{
    uint8_t number = 0;
    for (uint64_t left = mask; left; left &= left - 1, number++) {
        if (!(left & (0 - left) & bytes)) continue;
        places->to[places->count] = (uint8_t)__builtin_ctzll(left);
        places->from[places->count++] = number;
    }
}

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
static void put_kind(const struct text *bytes, enum template_form form, struct text *planes,
                     struct text *rows)
{
    const uint64_t mask = mask_of(bytes);
    struct places places = {.count = 0};
    find_places(&places, mask, UINT64_MAX);
    const size_t size = bytes->size / SIZE * places.count;
    char *plane = form != FORM_ROWS ? begin_kind(planes, mask, size) : NULL;
    char *row = form != FORM_PLANES ? begin_kind(rows, mask, size) : NULL;
    for (unsigned k = 0; plane && k < places.count; k++)
        for (size_t at = places.to[k]; at < bytes->size; at += SIZE) *plane++ = bytes->bytes[at];
    for (size_t at = 0; row && at < bytes->size; at += SIZE)
        for (unsigned k = 0; k < places.count; k++) *row++ = bytes->bytes[at + places.to[k]];
}

/* A difference in a row: the bytes from `at` on, as many as the mask has. */
struct row_field {
    size_t at;
    uint64_t mask; /* 0: it is 0 */
};

/* The templates of a kind while they are read. */
struct kind_column {
    const char *at;        /* planes or rows, of the bytes of the mask */
    size_t step, row_step; /* from a byte of a template to the next one, and to the next template */
    struct places all, needed; /* `needed`: what the next templates depend on */
    bool skips;                /* that is only the sums of these; in rows: */
    struct row_field word, half;
};

static uint64_t bytes_from(size_t first, size_t count)
{
    return ((UINT64_C(1) << count) - 1) << first;
}

/* The bytes of a template that those after it depend on. */
static uint64_t needed_bytes(unsigned kind)
{
    uint64_t needed = 0;
    if (differences[kind].word) needed |= bytes_from(differences[kind].word, 8);
    if (differences[kind].half) needed |= bytes_from(differences[kind].half, 4);
    if (kind == SPOOR_FLOW)
        needed |= bytes_from(offsetof(struct spoor_record, kind), 1) |
                  bytes_from(offsetof(struct spoor_record, op), 1) |
                  bytes_from(offsetof(struct spoor_record, flow.target), 8);
    return needed;
}

/* Finds a difference in the rows of the mask; false if its lowest bytes are not there. */
static bool find_field(struct row_field *field, uint64_t mask, size_t first, size_t size)
{
    const uint64_t present = first ? mask & bytes_from(first, size) : 0;
    const size_t count = (size_t)__builtin_popcountll(present);
    field->at = (size_t)__builtin_popcountll(mask & bytes_from(0, first));
    field->mask = count ? UINT64_MAX >> (64 - 8 * count) : 0;
    return present == bytes_from(first, count);
}

/* Opens the column; false if it does not have `count` templates. */
static bool open_kind(struct kind_column kinds[SPOOR_KINDS], unsigned number,
                      const struct text *column, bool is_rows, size_t count)
{
    struct kind_column *kind = &kinds[number];
    kind->all.count = kind->needed.count = 0;
    if (count == 0) return column->size == 0;
    if (column->size < MASK_SIZE) return false;
    const uint64_t mask = block_u64(column->bytes);
    find_places(&kind->all, mask, UINT64_MAX);
    find_places(&kind->needed, mask, needed_bytes(number));
    const bool in_rows = find_field(&kind->word, mask, differences[number].word, 8) &&
                         find_field(&kind->half, mask, differences[number].half, 4);
    kind->skips = number != SPOOR_FLOW && (in_rows || !is_rows);
    kind->at = column->bytes + MASK_SIZE;
    const size_t present = kind->all.count;
    kind->step = is_rows ? 1 : count;
    kind->row_step = is_rows ? present : 1;
    return column->size - MASK_SIZE == count * present;
}

/* Reads a template, or what the next ones depend on. */
static void get_template(struct kind_column *kind, bool whole, char bytes[SIZE])
{
    const struct places *places = whole ? &kind->all : &kind->needed;
    memset(bytes, 0, SIZE);
    for (unsigned i = 0; i < places->count; i++)
        bytes[places->to[i]] = kind->at[kind->step * places->from[i]];
    kind->at += kind->row_step;
}

/* The sum of a difference of templates in rows.  A section is followed by bytes that may be read.
 */
static uint64_t sum_rows(const struct kind_column *kind, const struct row_field *field,
                         size_t count)
{
    const char *at = kind->at + field->at;
    uint64_t sum = 0;
    if (field->mask == 0) return 0;
    for (size_t i = 0; i < count; i++, at += kind->row_step) sum += block_u64(at) & field->mask;
    return sum;
}

/* The same in planes, of the difference that begins at a byte of the template. */
static uint64_t sum_planes(const struct kind_column *kind, size_t first, size_t size, size_t count)
{
    uint64_t all = 0;
    for (unsigned k = 0; k < kind->needed.count; k++) {
        const size_t to = kind->needed.to[k];
        const char *plane = kind->at + kind->step * kind->needed.from[k];
        uint64_t sum = 0;
        if (to < first || to >= first + size) continue;
        for (size_t i = 0; i < count; i++) sum += (unsigned char)plane[i];
        all += sum << 8 * (to - first);
    }
    return all;
}

/* Passes over templates. */
static void skip_templates(struct kind_column *kind, unsigned number, size_t count, char *before)
{
    const size_t word = differences[number].word, half = differences[number].half;
    const bool is_rows = kind->step == 1;
    if (word) {
        const uint64_t sum =
            is_rows ? sum_rows(kind, &kind->word, count) : sum_planes(kind, word, 8, count);
        block_put_number(before + word, block_u64(before + word) + sum, 8);
    }
    if (half) {
        const uint64_t sum =
            is_rows ? sum_rows(kind, &kind->half, count) : sum_planes(kind, half, 4, count);
        block_put_number(before + half, block_u32(before + half) + sum, 4);
    }
    kind->at += count * kind->row_step;
}

/* ---- all templates ---- */

static void free_kinds(struct text bytes[SPOOR_KINDS])
{
    for (unsigned kind = 0; kind < SPOOR_KINDS; kind++) text_free(&bytes[kind]);
}

void templates_pack(const struct spoor_record *templates, size_t count, struct uop_forms *uop_forms,
                    struct template_columns *columns)
{
    char before[SPOOR_KINDS][SIZE] = {{0}};
    struct text kinds[SPOOR_KINDS] = {{0}};
    struct uop_packer uops = uop_packer_begin(uop_forms, columns->uops);
    for (size_t i = 0; i < count; i++) {
        char bytes[SIZE], same[SIZE];
        const unsigned kind = templates[i].kind;
        const char letter = (char)kind;
        text_put(&columns->kinds, &letter, 1);
        if (kind == SPOOR_UOP) {
            uop_pack(&uops, &templates[i]);
            continue;
        }
        memcpy(bytes, &templates[i], SIZE);
        relate(bytes, kind, distance);
        memcpy(same, bytes, SIZE);
        add_template(kind, bytes, before[kind], false);
        memcpy(before[kind], same, SIZE);
        note_continuation(&templates[i], before[kind]);
        text_put(&kinds[kind], bytes, SIZE);
    }
    columns->kinds.failed |= uops.failed;
    uop_packer_free(&uops);
    for (unsigned kind = 0; kind < SPOOR_KINDS; kind++) {
        columns->kinds.failed |= kinds[kind].failed;
        if (kinds[kind].size)
            put_kind(&kinds[kind], columns->forms[kind], &columns->planes[kind],
                     &columns->rows[kind]);
    }
    free_kinds(kinds);
}

static bool open_kinds(struct kind_column kinds[SPOOR_KINDS], size_t count,
                       const struct template_columns *columns)
{
    size_t counts[SPOOR_KINDS] = {0};
    if (columns->kinds.size != count) return false;
    for (size_t i = 0; i < count; i++) {
        const unsigned kind = (unsigned char)columns->kinds.bytes[i];
        if (kind >= SPOOR_KINDS) return false;
        counts[kind]++;
    }
    counts[SPOOR_UOP] = 0; /* they have columns of their own */
    for (unsigned kind = 0; kind < SPOOR_KINDS; kind++) {
        const bool is_rows = columns->rows[kind].size > 0;
        const struct text *column = is_rows ? &columns->rows[kind] : &columns->planes[kind];
        if (!open_kind(kinds, kind, column, is_rows, counts[kind])) return false;
    }
    return true;
}

/* True if the operation is one of the kind: others are indices into tables.  Those of UOP, FLOW and
 * CACHEOP are bits, or none. */
static bool has_op(const struct spoor_record *record)
{
    const unsigned kind = record->kind;
    return kind == SPOOR_UOP || kind == SPOOR_FLOW || kind == SPOOR_CACHEOP ||
           spoor_op_name(record)[0] != '\0';
}

/* The number of templates from `i` on, up to `count`, that are of one kind and unwanted. */
static size_t unwanted(const char *kinds, size_t i, size_t count,
                       const struct template_target *target)
{
    const size_t begin = i;
    while (i < count && kinds[i] == kinds[begin] &&
           !template_set_has(target->wanted, target->first_id + i))
        i++;
    return i - begin;
}

/* How many of the templates there are up to the last one that is wanted. */
static size_t needed_templates(const struct template_target *target, size_t count)
{
    if (target->wanted)
        while (count > 0 && !template_set_has(target->wanted, target->first_id + count - 1))
            count--;
    return count;
}

/* The next template, unless it is a form; false if it is none of its kind.  Of one that is not
 * wanted, only what the next ones need is read. */
static bool unpack_one(struct kind_column *column, unsigned kind, bool is_wanted, char before[SIZE],
                       struct spoor_record *record)
{
    char bytes[SIZE];
    get_template(column, is_wanted, bytes);
    add_template(kind, bytes, before, true);
    memcpy(before, bytes, SIZE);
    if (!is_wanted && kind != SPOOR_FLOW) return true;
    relate(bytes, kind, undo_distance);
    memcpy(record, bytes, SIZE);
    note_continuation(record, before);
    return !is_wanted || (record->kind == kind && has_op(record));
}

bool templates_unpack(const struct template_target *target, size_t count,
                      const struct template_columns *columns)
{
    const struct template_set *wanted = target->wanted;
    const uint32_t *places =
        wanted ? wanted->places + template_set_rank(wanted, target->first_id) : NULL;
    char before[SPOOR_KINDS][SIZE] = {{0}};
    struct kind_column kinds[SPOOR_KINDS];
    struct uop_unpacker uops;
    bool whole = uop_unpacker_begin(&uops, &target->forms, columns->uops, count) &&
                 open_kinds(kinds, count, columns);
    const size_t needed = needed_templates(target, count);
    for (size_t i = 0, passed; i < needed && whole; i += passed) {
        struct spoor_record record;
        const unsigned kind = (unsigned char)columns->kinds.bytes[i];
        const bool is_wanted = !wanted || template_set_has(wanted, target->first_id + i);
        const bool is_form = kind == SPOOR_UOP;
        const bool skips = !is_wanted && (is_form || kinds[kind].skips);
        passed = skips ? unwanted(columns->kinds.bytes, i, needed, target) : 1;
        if (skips && is_form)
            whole = uop_skip(&uops, passed);
        else if (skips)
            skip_templates(&kinds[kind], kind, passed, before[kind]);
        else if (is_form)
            whole = uop_unpack(&uops, &record);
        else
            whole = unpack_one(&kinds[kind], kind, is_wanted, before[kind], &record);
        if (is_wanted)
            memcpy((char *)target->first + (wanted ? *places++ : i) * target->step, &record, SIZE);
    }
    uop_unpacker_free(&uops);
    return whole;
}
