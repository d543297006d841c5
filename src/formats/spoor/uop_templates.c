/* SPDX-License-Identifier: MIT */
/* uop_templates.c: templates of micro-ops to forms and numbers, and back. */
#include "formats/spoor/uop_templates.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/inline.h"
#include "formats/spoor/lanes.h"

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
static inline uint64_t expected_pc(const struct uop_last *last, const struct uop_form *form)
{
    const unsigned step = form->names >> 16 & 0xFFFF;
    return step > 1 ? last->pc : last->next;
}

static inline void note_pc(struct uop_last *last, const struct uop_form *form, uint64_t pc)
{
    const int32_t fall = (int32_t)(uint32_t)form->sources;
    last->pc = pc;
    last->next = pc + (uint64_t)(int64_t)fall;
}

/* ---- packing ---- */

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

struct uop_packer uop_packer_begin(struct uop_forms *forms, struct text *columns)
{
    forms->page++;
    return (struct uop_packer){.forms = forms, .columns = columns};
}

void uop_packer_free(struct uop_packer *packer)
{
    free(packer->follows);
}

static struct uop_form form_of(const struct spoor_record *record)
{
    const struct spoor_uop *uop = &record->uop;
    const uint64_t next = uop->pc + (uint64_t)(int64_t)uop->fall;
    const uint64_t immediate = (uint64_t)uop->immediate;
    unsigned flags = 0;
    if (uop->target) flags |= FORM_TARGET;
    if (uop->address) flags |= FORM_ADDRESS;
    if (immediate) flags |= FORM_IMMEDIATE;
    if (uop->target && immediate && next + immediate == uop->target) flags |= FORM_DISTANCE;
    return (struct uop_form){(record_word(record, 1) & ~(uint64_t)FORM_FLAGS) | flags,
                             record_word(record, 6), record_word(record, 7)};
}

static bool is_form(const struct uop_forms *forms, size_t number, const struct uop_form *form)
{
    return memcmp(forms->bytes.bytes + number * sizeof *form, form, sizeof *form) == 0;
}

/* The number of the form in the dictionary; *added: it is new. */
static size_t number_of(struct uop_packer *packer, const struct uop_form *form, bool *added)
{
    struct uop_forms *forms = packer->forms;
    const size_t count = forms->bytes.size / sizeof *form;
    struct form_number *known =
        hash_map_add(&forms->numbers, hash_of_bytes(form, sizeof *form), sizeof *known, added);
    packer->failed |= !known || !array_reserve(&forms->uses, &forms->capacity, count + 1);
    if (packer->failed) return 0;
    if (*added) known->number = (uint32_t)count;
    if (!*added && is_form(forms, known->number, form)) return known->number;
    *added = true; /* also if two forms have one hash */
    text_put(&forms->bytes, (const char *)form, sizeof *form);
    text_put(&packer->columns[UOP_FORMS], (const char *)form, sizeof *form);
    packer->failed |= forms->bytes.failed;
    forms->uses[count].page = 0;
    return count;
}

/* Stores the form of a template, whose number in the page becomes the last. */
static void put_form(struct uop_packer *packer, const struct uop_form *form)
{
    bool added = false;
    struct text *columns = packer->columns;
    const size_t number = number_of(packer, form, &added);
    if (packer->failed) return;
    struct uop_use *use = &packer->forms->uses[number];
    const bool known = use->page == packer->forms->page;
    if (!known) {
        packer->failed |= !array_reserve(&packer->follows, &packer->capacity, packer->count + 1);
        if (packer->failed) return;
        *use = (struct uop_use){packer->forms->page, (uint32_t)packer->count};
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

/* Stores an address as the difference from the nearest base, or in the place of the one that was
 * not used for the longest time. */
static void put_address(struct uop_packer *packer, uint64_t address)
{
    enum { NEAR = 1 << 14 };
    uint64_t *bases = packer->last.bases, nearest = UINT64_MAX;
    unsigned base = 0, oldest = 0;
    for (unsigned i = 0; i < UOP_BASES; i++) {
        const uint64_t distance = zigzag((int64_t)(address - bases[i]));
        if (distance < nearest) {
            nearest = distance;
            base = i;
        }
        if (packer->used[i] < packer->used[oldest]) oldest = i;
    }
    if (nearest > NEAR) base = oldest;
    text_varint(&packer->columns[UOP_ADDRESSES], base);
    text_signed_varint(&packer->columns[UOP_ADDRESSES], (int64_t)(address - bases[base]));
    packer->used[base] = ++packer->addresses;
    bases[base] = address;
}

void uop_pack(struct uop_packer *packer, const struct spoor_record *record)
{
    struct text *columns = packer->columns;
    struct uop_last *last = &packer->last;
    const struct spoor_uop *uop = &record->uop;
    const struct uop_form form = form_of(record);
    put_form(packer, &form);
    text_signed_varint(&columns[UOP_PCS], (int64_t)(uop->pc - expected_pc(last, &form)));
    note_pc(last, &form, uop->pc);
    if (form.head & FORM_TARGET)
        text_signed_varint(&columns[UOP_TARGETS], (int64_t)(uop->target - last->next));
    if (form.head & FORM_ADDRESS) put_address(packer, uop->address);
    if ((form.head & (FORM_IMMEDIATE | FORM_DISTANCE)) == FORM_IMMEDIATE)
        text_signed_varint(&columns[UOP_IMMEDIATES], uop->immediate);
}

/* ---- unpacking ---- */

bool uop_unpacker_begin(struct uop_unpacker *unpacker, const struct uop_source *source,
                        const struct text *columns, size_t count)
{
    *unpacker = (struct uop_unpacker){
        .source = *source,
        .locals = malloc((count + 1) * sizeof *unpacker->locals),
        .capacity = count,
    };
    for (unsigned i = 0; i < UOP_COLUMNS; i++) {
        const uint8_t *at = (const uint8_t *)columns[i].bytes;
        unpacker->columns[i] = (struct unpacker){at, at ? at + columns[i].size : NULL, false};
    }
    return unpacker->locals;
}

void uop_unpacker_free(struct uop_unpacker *unpacker)
{
    free(unpacker->locals);
}

/* The next number of a column, most of which have one byte. */
static inline uint64_t next_number(struct unpacker *column)
{
    if (column->at < column->end && *column->at < 0x80) return *column->at++;
    return unpack(column);
}

static inline uint64_t next_signed(struct unpacker *column)
{
    return (uint64_t)unzigzag(next_number(column));
}

/* Adds a form that the page did not have, and returns its number in it; SIZE_MAX if the dictionary
 * has none. */
static size_t add_local(struct uop_unpacker *unpacker, uint64_t code)
{
    struct uop_source *source = &unpacker->source;
    const uint64_t number =
        code == UOP_NEW ? source->first : next_number(&unpacker->columns[UOP_OTHERS]);
    if (number >= source->end || unpacker->count >= unpacker->capacity) return SIZE_MAX;
    if (code == UOP_NEW) source->first++;
    struct uop_local *local = &unpacker->locals[unpacker->count];
    memcpy(&local->form, source->forms + number * UOP_FORM_SIZE, UOP_FORM_SIZE);
    local->follows = 0;
    if ((local->form.head & FORM_FLAGS) == UOP_LOST) return SIZE_MAX;
    return unpacker->count++;
}

/* The form of the next template, whose number in the page becomes the last; NULL if there is none.
 */
static FORCE_INLINE const struct uop_form *next_form(struct uop_unpacker *unpacker)
{
    struct uop_local *locals = unpacker->locals;
    const size_t last = unpacker->last.form;
    const uint64_t code = next_number(&unpacker->columns[UOP_NUMBERS]);
    uint64_t number = code - UOP_KNOWN;
    if (code == UOP_NEW || code == UOP_OTHER)
        number = add_local(unpacker, code);
    else if (code == UOP_FOLLOWS && unpacker->count)
        number = locals[last].follows;
    if (number >= unpacker->count) return NULL;
    locals[last].follows = (uint32_t)number;
    unpacker->last.form = (size_t)number;
    return &locals[number].form;
}

static inline uint64_t next_address(struct uop_unpacker *unpacker)
{
    struct unpacker *column = &unpacker->columns[UOP_ADDRESSES];
    uint64_t *base = &unpacker->last.bases[next_number(column) % UOP_BASES];
    *base += next_signed(column);
    return *base;
}

static FORCE_INLINE bool next_template(struct uop_unpacker *unpacker, struct spoor_record *record)
{
    struct uop_last *last = &unpacker->last;
    struct unpacker *columns = unpacker->columns;
    uint64_t target = 0, address = 0, immediate = 0;
    const struct uop_form *form = next_form(unpacker);
    if (!form) return false;
    note_pc(last, form, expected_pc(last, form) + next_signed(&columns[UOP_PCS]));
    if (form->head & FORM_TARGET) target = last->next + next_signed(&columns[UOP_TARGETS]);
    if (form->head & FORM_ADDRESS) address = next_address(unpacker);
    if (form->head & FORM_DISTANCE)
        immediate = target - last->next;
    else if (form->head & FORM_IMMEDIATE)
        immediate = next_signed(&columns[UOP_IMMEDIATES]);
    if (!record) return true;
    record_set_word(record, 0, 0);
    record_set_word(record, 1, (form->head & ~(uint64_t)FORM_FLAGS) | SPOOR_UOP);
    record_set_word(record, 2, last->pc);
    record_set_word(record, 3, address);
    record_set_word(record, 4, target);
    record_set_word(record, 5, immediate);
    record_set_word(record, 6, form->sources);
    record_set_word(record, 7, form->names);
    return true;
}

static bool is_whole(const struct uop_unpacker *unpacker)
{
    bool failed = false;
    for (unsigned i = 0; i < UOP_COLUMNS; i++) failed |= unpacker->columns[i].failed;
    return !failed;
}

bool uop_unpack(struct uop_unpacker *unpacker, struct spoor_record *record)
{
    return next_template(unpacker, record) && is_whole(unpacker);
}
