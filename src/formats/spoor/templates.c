/* SPDX-License-Identifier: MIT */
/* templates.c: templates to columns of differences, and back. */
#include "formats/spoor/templates.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/inline.h"
#include "formats/spoor/block.h"
#include "formats/spoor/lanes.h"

/* ---- micro-ops ---- */

/* The form of a template. */
enum uop_number {
    UOP_FOLLOWS, /* the form that followed the last one before in the page; */
    UOP_NEW,     /* the next form of the dictionary that no page before has; */
    UOP_OTHER,   /* a form that a page before has, but not this one so far; */
    UOP_KNOWN    /* and more: form 0, 1, ... of the page */
};

/* Addresses are near to one of the bases, each of which is the last address near to it. */
enum { UOP_BASES = 8 };

/* The last template: what the next one is expected from. */
struct uop_last {
    uint64_t pc, next; /* its pc, and the one after it */
    size_t form;       /* its number in the page */
    uint64_t bases[UOP_BASES];
};

struct uop_packer {
    struct uop_forms *forms;
    struct text *columns; /* UOP_COLUMNS */
    uint32_t *follows;    /* by number in the page */
    size_t count, capacity;
    struct uop_last last;
    uint32_t addresses;       /* so far, and */
    uint32_t used[UOP_BASES]; /* when each base was used last */
    bool failed;              /* memory ran out */
};

/* A form of the page. */
struct uop_local {
    struct uop_form form;
    uint32_t follows; /* the number of the form after it */
};

struct uop_unpacker {
    struct uop_source source;
    struct uop_local *locals; /* forms that came */
    size_t count, capacity;
    struct unpacker columns[UOP_COLUMNS];
    struct uop_last last;
};

/* What a form says of the template, in the place of the kind. */
enum form_flag {
    FORM_TARGET = 1 << 0,    /* its target is not 0; */
    FORM_ADDRESS = 1 << 1,   /* nor its address; */
    FORM_IMMEDIATE = 1 << 2, /* nor its immediate value, */
    FORM_DISTANCE = 1 << 3,  /* which is the target minus the next pc, as that of a branch */
    FORM_FLAGS = 0xFF
};

/* The number of a form, by its hash. */
struct form_number {
    uint64_t key;
    uint32_t number;
};

/* The first micro-op of a macro-op is expected after the last one, the others at its pc. */
static inline uint64_t uop_expected_pc(const struct uop_last *last, const struct uop_form *form)
{
    const unsigned step = form->names >> 16 & 0xFFFF;
    return step > 1 ? last->pc : last->next;
}

static inline void uop_note_pc(struct uop_last *last, const struct uop_form *form, uint64_t pc)
{
    const int32_t fall = (int32_t)(uint32_t)form->sources;
    last->pc = pc;
    last->next = pc + (uint64_t)(int64_t)fall;
}

void uop_forms_clear(struct uop_forms *forms)
{
    forms->bytes.size = 0;
    hash_map_clear(&forms->numbers, sizeof(struct form_number));
}

void uop_forms_free(struct uop_forms *forms)
{
    text_free(&forms->bytes);
    hash_map_free(&forms->numbers);
    free(forms->uses);
    *forms = (struct uop_forms){.page = 0};
}

/* Stores the form of a template, whose number in the page becomes the last. */
static void uop_put_form(struct uop_packer *packer, const struct uop_form *form)
{
    struct text *columns = packer->columns;
    struct uop_forms *forms = packer->forms;
    const size_t count = forms->bytes.size / sizeof *form;
    bool added = false; /* it is new in the dictionary */
    struct form_number *found =
        hash_map_add(&forms->numbers, hash_of_bytes(form, sizeof *form), sizeof *found, &added);
    packer->failed |= !found || !array_reserve(&forms->uses, &forms->capacity, count + 1);
    if (packer->failed) return;
    if (added) found->number = (uint32_t)count;
    size_t number = found->number;
    if (added || memcmp(forms->bytes.bytes + number * sizeof *form, form, sizeof *form) != 0) {
        added = true; /* also if two forms have one hash */
        number = count;
        text_put(&forms->bytes, (const char *)form, sizeof *form);
        text_put(&columns[UOP_FORMS], (const char *)form, sizeof *form);
        packer->failed |= forms->bytes.failed;
        forms->uses[count].page = 0;
        if (packer->failed) return;
    }
    struct uop_use *use = &forms->uses[number];
    const bool known = use->page == forms->page;
    if (!known) {
        packer->failed |= !array_reserve(&packer->follows, &packer->capacity, packer->count + 1);
        if (packer->failed) return;
        *use = (struct uop_use){forms->page, (uint32_t)packer->count};
        packer->follows[packer->count++] = 0;
    }
    uint32_t *follows = &packer->follows[packer->last.form];
    if (known)
        text_varint(&columns[UOP_NUMBERS],
                    *follows == use->number ? UOP_FOLLOWS : UOP_KNOWN + (uint64_t)use->number);
    else
        text_varint(&columns[UOP_NUMBERS], added ? UOP_NEW : UOP_OTHER);
    if (!known && !added) text_varint(&columns[UOP_OTHERS], number);
    *follows = use->number;
    packer->last.form = use->number;
}

/* Appends a template of a micro-op. */
static void uop_pack(struct uop_packer *packer, const struct spoor_record *record)
{
    enum { NEAR = 1 << 14 };
    struct text *columns = packer->columns;
    struct uop_last *last = &packer->last;
    const struct spoor_uop *uop = &record->uop;
    const uint64_t next = uop->pc + (uint64_t)(int64_t)uop->fall;
    const uint64_t immediate = (uint64_t)uop->immediate;
    unsigned flags = 0;
    if (uop->target) flags |= FORM_TARGET;
    if (uop->address) flags |= FORM_ADDRESS;
    if (immediate) flags |= FORM_IMMEDIATE;
    if (uop->target && immediate && next + immediate == uop->target) flags |= FORM_DISTANCE;
    const struct uop_form form = {(record_word(record, 1) & ~(uint64_t)FORM_FLAGS) | flags,
                                  record_word(record, 6), record_word(record, 7)};
    uop_put_form(packer, &form);
    text_signed_varint(&columns[UOP_PCS], (int64_t)(uop->pc - uop_expected_pc(last, &form)));
    uop_note_pc(last, &form, uop->pc);
    if (uop->target) text_signed_varint(&columns[UOP_TARGETS], (int64_t)(uop->target - last->next));
    if (uop->address) {
        /* as the difference from the nearest base, or in the place of the one that was not used
         * for the longest time */
        uint64_t nearest = UINT64_MAX;
        unsigned base = 0, oldest = 0;
        for (unsigned i = 0; i < UOP_BASES; i++) {
            const uint64_t distance = zigzag((int64_t)(uop->address - last->bases[i]));
            if (distance < nearest) {
                nearest = distance;
                base = i;
            }
            if (packer->used[i] < packer->used[oldest]) oldest = i;
        }
        if (nearest > NEAR) base = oldest;
        text_varint(&columns[UOP_ADDRESSES], base);
        text_signed_varint(&columns[UOP_ADDRESSES], (int64_t)(uop->address - last->bases[base]));
        packer->used[base] = ++packer->addresses;
        last->bases[base] = uop->address;
    }
    if ((flags & (FORM_IMMEDIATE | FORM_DISTANCE)) == FORM_IMMEDIATE)
        text_signed_varint(&columns[UOP_IMMEDIATES], uop->immediate);
}

/* The next number of a column, most of which have one byte. */
static inline uint64_t uop_next_number(struct unpacker *column)
{
    if (column->at < column->end && *column->at < 0x80) return *column->at++;
    return unpack(column);
}

static inline uint64_t uop_next_signed(struct unpacker *column)
{
    return (uint64_t)unzigzag(uop_next_number(column));
}

/* Fills in the next template; false if there is none. */
static bool uop_unpack(struct uop_unpacker *unpacker, struct spoor_record *record)
{
    struct uop_last *last = &unpacker->last;
    struct unpacker *columns = unpacker->columns;
    uint64_t target = 0, address = 0, immediate = 0;
    struct uop_local *locals = unpacker->locals;
    const size_t before = last->form;
    const uint64_t code = uop_next_number(&columns[UOP_NUMBERS]);
    uint64_t number = code - UOP_KNOWN;
    if (code == UOP_NEW || code == UOP_OTHER) { /* a form that the page did not have */
        struct uop_source *source = &unpacker->source;
        const uint64_t id =
            code == UOP_NEW ? source->first++ : uop_next_number(&columns[UOP_OTHERS]);
        if (id >= source->end || unpacker->count >= unpacker->capacity) return false;
        number = unpacker->count;
        memcpy(&locals[number].form, source->forms + id * UOP_FORM_SIZE, UOP_FORM_SIZE);
        locals[number].follows = 0;
        if ((locals[number].form.head & FORM_FLAGS) == UOP_LOST) return false;
        unpacker->count++;
    } else if (code == UOP_FOLLOWS && unpacker->count) {
        number = locals[before].follows;
    }
    if (number >= unpacker->count) return false;
    locals[before].follows = (uint32_t)number;
    last->form = (size_t)number;
    const struct uop_form *form = &locals[number].form;
    uop_note_pc(last, form, uop_expected_pc(last, form) + uop_next_signed(&columns[UOP_PCS]));
    if (form->head & FORM_TARGET) target = last->next + uop_next_signed(&columns[UOP_TARGETS]);
    if (form->head & FORM_ADDRESS) {
        struct unpacker *column = &columns[UOP_ADDRESSES];
        uint64_t *base = &last->bases[uop_next_number(column) % UOP_BASES];
        *base += uop_next_signed(column);
        address = *base;
    }
    if (form->head & FORM_DISTANCE)
        immediate = target - last->next;
    else if (form->head & FORM_IMMEDIATE)
        immediate = uop_next_signed(&columns[UOP_IMMEDIATES]);
    record_set_word(record, 0, 0);
    record_set_word(record, 1, (form->head & ~(uint64_t)FORM_FLAGS) | SPOOR_UOP);
    record_set_word(record, 2, last->pc);
    record_set_word(record, 3, address);
    record_set_word(record, 4, target);
    record_set_word(record, 5, immediate);
    record_set_word(record, 6, form->sources);
    record_set_word(record, 7, form->names);
    bool failed = false;
    for (unsigned i = 0; i < UOP_COLUMNS; i++) failed |= columns[i].failed;
    return !failed;
}

/* ---- the other kinds ---- */

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

/* A target as a distance, or the reverse: 0 stays 0, and the pc itself changes places with what 0
 * would become. */
static uint64_t templates_distance(uint64_t target, uint64_t from, bool reverse)
{
    if (target == 0) return 0;
    if (reverse) return target == 0 - from ? from : target + from;
    return target == from ? 0 - from : target - from;
}
static uint64_t templates_word(const struct spoor_record *record, unsigned word)
{
    return block_u64((const char *)record + 8 * (size_t)word);
}
static void templates_set_word(struct spoor_record *record, unsigned word, uint64_t value)
{
    block_put_number((char *)record + 8 * (size_t)word, value, 8);
}

/* Addresses that lie near the pc become distances from it, or the reverse. */
static void templates_relate(struct spoor_record *record, bool reverse)
{
    const uint64_t pc = templates_word(record, 2);
    if (record->kind == SPOOR_FLOW)
        templates_set_word(record, 4, templates_distance(templates_word(record, 4), pc, reverse));
    if (record->kind == SPOOR_INSN || record->kind == SPOOR_FLOW)
        templates_set_word(record, 3, templates_distance(templates_word(record, 3), pc, reverse));
}

/* The fields of the last template of a kind from which those of the next one differ. */
struct last_fields {
    uint64_t word;
    uint32_t half;
};

/* Fields become their differences from those of the last template, or the reverse. */
static void templates_differ(struct spoor_record *record, unsigned kind, struct last_fields *last,
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
static void templates_note_flow(const struct spoor_record *record, struct last_fields *last)
{
    if (record->kind == SPOOR_FLOW && record->flow.target && !(record->op & SPOOR_FLOW_NOT_TAKEN))
        last->word = record->flow.target;
}

/* ---- packing ---- */

enum { MASK_SIZE = 8 };

void templates_pack(const struct spoor_record *templates, size_t count, struct uop_forms *uop_forms,
                    struct template_columns *columns)
{
    struct last_fields last[SPOOR_KINDS] = {{0}};
    struct text kinds[SPOOR_KINDS] = {{0}};
    struct uop_packer uops = {.forms = uop_forms, .columns = columns->uops};
    uop_forms->page++;
    for (size_t i = 0; i < count; i++) {
        struct spoor_record record = templates[i];
        const unsigned kind = record.kind;
        const char letter = (char)kind;
        text_put(&columns->kinds, &letter, 1);
        if (kind == SPOOR_UOP) {
            uop_pack(&uops, &record);
            continue;
        }
        templates_relate(&record, false);
        templates_differ(&record, kind, &last[kind], false);
        templates_note_flow(&templates[i], &last[kind]);
        text_put(&kinds[kind], (const char *)&record, SIZE);
    }
    columns->kinds.failed |= uops.failed;
    free(uops.follows);
    for (unsigned kind = 0; kind < SPOOR_KINDS; kind++) {
        columns->kinds.failed |= kinds[kind].failed;
        const struct text *bytes = &kinds[kind];
        char any[SIZE] = {0};
        uint64_t mask = 0; /* a bit for each byte of a template that is not 0 in all of them */
        for (size_t from = 0; from < bytes->size; from += SIZE)
            for (size_t k = 0; k < SIZE; k++) any[k] |= bytes->bytes[from + k];
        for (size_t k = 0; k < SIZE; k++) mask |= (uint64_t)(any[k] != 0) << k;
        const size_t size = bytes->size / SIZE * (size_t)__builtin_popcountll(mask);
        char *at = bytes->size ? text_reserve(&columns->planes[kind], MASK_SIZE + size) : NULL;
        if (at) {
            at = block_put_number(at, mask, MASK_SIZE);
            for (; mask; mask &= mask - 1)
                for (size_t from = (size_t)__builtin_ctzll(mask); from < bytes->size; from += SIZE)
                    *at++ = bytes->bytes[from];
            text_commit(&columns->planes[kind], at);
        }
        text_free(&kinds[kind]);
    }
}

/* ---- unpacking ---- */

bool templates_unpack(struct spoor_record *templates, size_t count, const struct uop_source *forms,
                      const struct template_columns *columns)
{
    if (columns->kinds.size != count) return false;
    size_t begins[SPOOR_KINDS + 1] = {0}, ends[SPOOR_KINDS];
    const unsigned char *kinds = (const unsigned char *)columns->kinds.bytes;
    for (size_t i = 0; i < count; i++) {
        if (kinds[i] >= SPOOR_KINDS) return false;
        begins[kinds[i] + 1]++;
    }
    struct last_fields last[SPOOR_KINDS] = {{0}};
    struct uop_unpacker uops = {
        .source = *forms, .locals = malloc((count + 1) * sizeof *uops.locals), .capacity = count};
    for (unsigned i = 0; i < UOP_COLUMNS; i++) {
        const uint8_t *at = (const uint8_t *)columns->uops[i].bytes;
        uops.columns[i] = (struct unpacker){at, at ? at + columns->uops[i].size : NULL, false};
    }
    for (unsigned kind = 0; kind < SPOOR_KINDS; kind++)
        begins[kind + 1] += ends[kind] = begins[kind];
    uint32_t *numbers = malloc((count + 1) * sizeof *numbers);
    bool whole = numbers && uops.locals;
    for (size_t i = 0; i < count && whole; i++) numbers[ends[kinds[i]]++] = (uint32_t)i;
    for (unsigned kind = 0; kind < SPOOR_KINDS && whole; kind++) {
        const struct text *column = &columns->planes[kind];
        const size_t of_kind = kind == SPOOR_UOP ? 0 : ends[kind] - begins[kind];
        if (of_kind == 0 || column->size < MASK_SIZE) {
            whole = of_kind == 0 && column->size == 0;
            continue;
        }
        uint64_t mask = block_u64(column->bytes);
        const char *plane = column->bytes + MASK_SIZE;
        whole = column->size - MASK_SIZE == of_kind * (size_t)__builtin_popcountll(mask);
        for (; mask && whole; mask &= mask - 1, plane += of_kind) {
            char *bytes = (char *)templates + __builtin_ctzll(mask);
            for (size_t i = 0; i < of_kind; i++)
                bytes[numbers[begins[kind] + i] * (size_t)SIZE] = plane[i];
        }
    }
    free(numbers);
    for (size_t i = 0; i < count && whole; i++) {
        struct spoor_record *record = &templates[i];
        const unsigned kind = kinds[i];
        if (kind == SPOOR_UOP) {
            whole = uop_unpack(&uops, record);
            continue;
        }
        templates_differ(record, kind, &last[kind], true);
        /* other operations are indices into tables; those of FLOW and CACHEOP are bits, or none */
        whole = record->kind == kind &&
                (kind == SPOOR_FLOW || kind == SPOOR_CACHEOP || spoor_op_name(record)[0] != '\0');
        templates_relate(record, true);
        templates_note_flow(record, &last[kind]);
    }
    free(uops.locals);
    return whole;
}
