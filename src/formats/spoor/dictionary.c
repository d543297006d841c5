/* SPDX-License-Identifier: MIT */
/* dictionary.c: intern templates and strings, and write pages of new ones. */
#include "formats/spoor/dictionary.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/hash.h"
#include "formats/spoor/block.h"
#include "formats/spoor/lanes.h"
#include "model/names.h"

/* Levels of zstd.  10 MB of Tarmac with random values take 0.62 s with 19 for the first page, 0.44
 * s with 18; 19 saves up to 0.2 % of a published trace. */
enum { LOOSE_LEVEL = 3, LATER_LEVEL = 9, FIRST_LEVEL = 18 };
enum { LOOSE_NUMBER = 2 }; /* a trace with this dictionary is long and repeats little */

_Static_assert(DICTIONARY_UOPS == DICTIONARY_PLANES + SPOOR_KINDS &&
                   (int)DICTIONARY_SECTIONS <= (int)SECTIONS_MAX,
               "a section for each kind");

/* A slot has the id of a template plus 1 in its low bits, and some bits of its hash above. */
enum { SLOT_BITS_FIRST = 10, SLOT_BITS_LOOSE = 17, ID_BITS = 19 };
_Static_assert(1 << ID_BITS > DICTIONARY_TEMPLATES + (1 << 16 /* of the last segment */),
               "all ids");
_Static_assert((1 << SLOT_BITS_LOOSE) / 4 * 3 > DICTIONARY_LOOSE, "slots for most dictionaries");

/* The first id of each hash of strings, plus 1. */
struct chain {
    uint64_t key;
    uint32_t first;
};

void dictionary_begin(struct dictionary *dictionary)
{
    dictionary->names = spoor_names_new();
    dictionary->spellings = spoor_names_new();
    dictionary->stored = (struct dictionary_mark){0, 1, 1, 1, 0};
    dictionary->string_count = 1;
    if (array_reserve(&dictionary->strings, &dictionary->string_capacity, 64))
        dictionary->strings[0] = (struct dictionary_string){0};
    else
        dictionary->failed = true;
    dictionary->failed |= !dictionary->names || !dictionary->spellings;
}

void dictionary_free(struct dictionary *dictionary)
{
    free(dictionary->templates);
    free(dictionary->uses);
    free(dictionary->slots);
    free(dictionary->strings);
    text_free(&dictionary->string_bytes);
    hash_map_free(&dictionary->string_ids);
    uop_forms_free(&dictionary->uop_forms);
    spoor_names_free(dictionary->names);
    spoor_names_free(dictionary->spellings);
    *dictionary = (struct dictionary){0};
}

bool dictionary_renew(struct dictionary *dictionary, bool helps, bool anyway)
{
    const size_t limit = helps ? DICTIONARY_TEMPLATES : DICTIONARY_LOOSE;
    const bool full = dictionary->template_count >= limit ||
                      dictionary->string_bytes.size >= DICTIONARY_STRING_BYTES ||
                      names_are_full(dictionary->names) || names_are_full(dictionary->spellings);
    if (!anyway && !full) return false;
    dictionary->number++;
    dictionary->template_count = 0;
    /* Most dictionaries after a large one are small: then the processor's cache has their slots. */
    if (dictionary->slot_bits > SLOT_BITS_LOOSE) dictionary->slot_bits = SLOT_BITS_LOOSE;
    if (dictionary->slot_bits)
        memset(dictionary->slots, 0, sizeof *dictionary->slots << dictionary->slot_bits);
    uop_forms_clear(&dictionary->uop_forms);
    dictionary->string_bytes.size = 0;
    hash_map_clear(&dictionary->string_ids, sizeof(struct chain));
    spoor_names_free(dictionary->names);
    spoor_names_free(dictionary->spellings);
    dictionary_begin(dictionary);
    return true;
}

uint32_t dictionary_string(struct dictionary *dictionary, const char *bytes, size_t size)
{
    bool added;
    if (size == 0) return 0;
    struct chain *chain =
        hash_map_add(&dictionary->string_ids, hash_of_bytes(bytes, size), sizeof *chain, &added);
    if (!chain || !array_reserve(&dictionary->strings, &dictionary->string_capacity,
                                 dictionary->string_count + 1)) {
        dictionary->failed = true;
        return 0;
    }
    for (uint32_t id = chain->first; id; id = dictionary->strings[id - 1].next) {
        const struct dictionary_string *string = &dictionary->strings[id - 1];
        if (string->size == size &&
            memcmp(dictionary->string_bytes.bytes + string->at, bytes, size) == 0)
            return id - 1;
    }
    const size_t id = dictionary->string_count, at = dictionary->string_bytes.size;
    text_put(&dictionary->string_bytes, bytes, size);
    dictionary->failed |= dictionary->string_bytes.failed;
    if (dictionary->failed) return 0;
    dictionary->strings[id] = (struct dictionary_string){at, (uint32_t)size, chain->first};
    dictionary->string_count++;
    chain->first = (uint32_t)id + 1;
    return (uint32_t)id;
}

/* Of all but the time, which is 0. */
static uint64_t dictionary_hash(const struct spoor_record *record)
{
    const uint64_t one = hash_mix(record_word(record, 1), record_word(record, 2));
    const uint64_t two = hash_mix(record_word(record, 3), record_word(record, 4));
    const uint64_t three = hash_mix(record_word(record, 5), record_word(record, 6));
    return hash_mix(hash_mix(one, two), hash_mix(three, record_word(record, 7)));
}

/* The slot that has the template, or the empty one for it; there are slots. */
static uint32_t *dictionary_find_slot(const struct dictionary *dictionary,
                                      const struct spoor_record *record, uint64_t hash)
{
    const size_t mask = ((size_t)1 << dictionary->slot_bits) - 1;
    const uint32_t tag = (uint32_t)hash >> ID_BITS;
    for (size_t at = hash >> (64 - dictionary->slot_bits);; at = (at + 1) & mask) {
        uint32_t *slot = &dictionary->slots[at];
        const uint32_t id = *slot & ((1U << ID_BITS) - 1);
        if (*slot == 0 ||
            (*slot >> ID_BITS == tag && record_same(&dictionary->templates[id - 1], record)))
            return slot;
    }
}

static void dictionary_fill_slot(uint32_t *slot, uint64_t hash, size_t id)
{
    *slot = (uint32_t)hash >> ID_BITS << ID_BITS | (uint32_t)(id + 1);
}

uint32_t dictionary_template(struct dictionary *dictionary, const struct spoor_record *record)
{
    const uint64_t hash = dictionary_hash(record);
    const size_t id = dictionary->template_count;
    size_t capacity = dictionary->template_capacity;
    const unsigned bits = dictionary->slot_bits ? dictionary->slot_bits + 1 : SLOT_BITS_FIRST;
    if (!dictionary->slot_bits || id >= ((size_t)1 << dictionary->slot_bits) / 4 * 3) {
        /* there are no slots, or they are three quarters full */
        uint32_t *slots = calloc((size_t)1 << bits, sizeof *slots);
        if (!slots) {
            dictionary->failed = true;
            return 0;
        }
        free(dictionary->slots);
        dictionary->slots = slots;
        dictionary->slot_bits = bits;
        for (size_t known = 0; known < id; known++) {
            const struct spoor_record *template = &dictionary->templates[known];
            const uint64_t its_hash = dictionary_hash(template);
            dictionary_fill_slot(dictionary_find_slot(dictionary, template, its_hash), its_hash,
                                 known);
        }
    }
    if (!array_reserve(&dictionary->uses, &capacity, id + 1) ||
        !array_reserve(&dictionary->templates, &dictionary->template_capacity, id + 1)) {
        dictionary->failed = true;
        return 0;
    }
    uint32_t *slot = dictionary_find_slot(dictionary, record, hash);
    if (*slot) return (*slot & ((1U << ID_BITS) - 1)) - 1;
    dictionary->template_count++;
    dictionary->templates[id] = *record;
    dictionary->uses[id] = (struct dictionary_use){.segment = UINT32_MAX};
    dictionary_fill_slot(slot, hash, id);
    return (uint32_t)id;
}

static void dictionary_put_names(const struct spoor_names *names, size_t from, struct text *sizes,
                                 struct text *bytes)
{
    for (size_t id = from; id < spoor_names_count(names); id++) {
        size_t size;
        const char *name = spoor_names_text(names, (spoor_name)id, &size);
        text_varint(sizes, size);
        text_put(bytes, name, size);
    }
}

void dictionary_put_page(struct dictionary *dictionary, struct section_packer *packer,
                         struct text *columns, struct text *payload, bool last, struct text *out)
{
    struct dictionary_mark now = {
        (uint32_t)dictionary->template_count, (uint32_t)dictionary->string_count,
        (uint32_t)spoor_names_count(dictionary->names),
        (uint32_t)spoor_names_count(dictionary->spellings), dictionary->stored.forms};
    if (memcmp(&now, &dictionary->stored, sizeof now) == 0) return;
    struct text *sizes = &columns[DICTIONARY_STRING_SIZES];
    struct text *bytes = &columns[DICTIONARY_STRINGS];
    for (size_t id = dictionary->stored.strings; id < dictionary->string_count; id++) {
        size_t size;
        const char *string = dictionary_string_bytes(dictionary, (uint32_t)id, &size);
        text_varint(sizes, size);
        text_put(bytes, string, size);
    }
    dictionary_put_names(dictionary->names, dictionary->stored.names,
                         &columns[DICTIONARY_NAME_SIZES], &columns[DICTIONARY_NAMES]);
    dictionary_put_names(dictionary->spellings, dictionary->stored.spellings,
                         &columns[DICTIONARY_SPELLING_SIZES], &columns[DICTIONARY_SPELLINGS]);
    const int level = packer->level;
    const size_t try_lzma = packer->try_lzma;
    /* A short trace is mostly its first page, which may take some time; of a long one, the first
     * page is a small part.  LZMA takes long for a page, which is unpacked wherever the trace is
     * entered: it is only for the page of a short trace. */
    const bool is_first = dictionary->number == 0 && dictionary->stored.templates == 0;
    if (dictionary->is_long || dictionary->number >= LOOSE_NUMBER)
        packer->level = LOOSE_LEVEL;
    else
        packer->level = is_first ? FIRST_LEVEL : LATER_LEVEL;
    if (last && is_first) packer->try_lzma = SECTION_SHORT;
    const size_t from = dictionary->stored.templates, count = dictionary->template_count - from;
    struct template_columns packed = {.kinds = {0}};
    struct spoor_record *templates = malloc((count + 1) * sizeof *templates);
    for (size_t i = 0; templates && i < count; i++) {
        templates[i] = dictionary->templates[from + i];
        if (templates[i].kind == SPOOR_UOP)
            record_set_word(&templates[i], UOP_ADDRESS_WORD, dictionary->uses[from + i].start);
    }
    if (count && templates) templates_pack(templates, count, &dictionary->uop_forms, &packed);
    dictionary->failed |= !templates;
    free(templates);
    columns[DICTIONARY_KINDS] = packed.kinds;
    memcpy(&columns[DICTIONARY_UOPS], packed.uops, sizeof packed.uops);
    memcpy(&columns[DICTIONARY_PLANES], packed.planes, sizeof packed.planes);
    now.forms = (uint32_t)(dictionary->uop_forms.bytes.size / UOP_FORM_SIZE);
    payload->size = 0;
    char head[DICTIONARY_HEAD_SIZE] = {0}, *at = head;
    const uint32_t marks[] = {
        dictionary->stored.templates, now.templates - dictionary->stored.templates,
        dictionary->stored.strings,   now.strings - dictionary->stored.strings,
        dictionary->stored.names,     now.names - dictionary->stored.names,
        dictionary->stored.spellings, now.spellings - dictionary->stored.spellings,
        dictionary->stored.forms,     now.forms - dictionary->stored.forms};
    at = block_put_number(at, dictionary->number, 4);
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        at = block_put_number(at, marks[i], 4);
    text_put(payload, head, sizeof head);
    sections_put(packer, columns, DICTIONARY_SECTIONS, payload);
    packer->level = level;
    packer->try_lzma = try_lzma;
    if (payload->failed)
        out->failed = true;
    else
        block_put(out, BLOCK_DICTIONARY, payload->bytes, payload->size);
    dictionary->stored = now;
}
