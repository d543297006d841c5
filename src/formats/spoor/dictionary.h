/* SPDX-License-Identifier: MIT */
/*
 * formats/spoor/dictionary.h: the templates, strings, names and spellings of a file, as they are
 * written.
 *
 * A dictionary grows from segment to segment: before each segment, a block of type DICT has what is
 * new.  When it is full, the next one begins empty, with the next number.
 */
#ifndef SPOOR_FORMATS_SPOOR_DICTIONARY_H
#define SPOOR_FORMATS_SPOOR_DICTIONARY_H

#include "base/hash_map.h"
#include "formats/spoor/section.h"
#include "formats/spoor/templates.h"
#include "spoor/batch.h"

enum {
    DICTIONARY_TEMPLATES = 1 << 17,    /* full: no segment begins with as many; */
    DICTIONARY_LOOSE = 1 << 16,        /* or with as many, if they do not help the last one */
    DICTIONARY_STRING_BYTES = 8 << 20, /* or with as many bytes of strings */
    DICTIONARY_FORM_BYTES = 8 << 20,   /* maximum of the forms of micro-ops */
    DICTIONARY_HEAD_SIZE = 44,         /* of the payload, before its sections */
};

/* Sections of the block. */
enum dictionary_section {
    DICTIONARY_KINDS,
    DICTIONARY_STRING_SIZES,
    DICTIONARY_STRINGS,
    DICTIONARY_NAME_SIZES,
    DICTIONARY_NAMES,
    DICTIONARY_SPELLING_SIZES,
    DICTIONARY_SPELLINGS,
    DICTIONARY_PLANES,                        /* one for each kind but UOP, which is empty */
    DICTIONARY_UOPS = DICTIONARY_PLANES + 12, /* one for each enum uop_column */
    DICTIONARY_SECTIONS = DICTIONARY_UOPS + UOP_COLUMNS
};

/* The ids in use: the first of a page, or after its last. */
struct dictionary_mark {
    uint32_t templates, strings, names, spellings, forms;
};

/* Where a template was used last. */
struct dictionary_use {
    uint32_t segment;
    uint32_t local; /* its number in the segment */
    uint64_t start; /* of a micro-op: the address of its first record */
};

struct dictionary_string {
    size_t at;
    uint32_t size;
    uint32_t next;
};

struct dictionary {
    uint32_t number;
    struct spoor_record *templates;
    struct dictionary_use *uses; /* of each template */
    size_t template_count, template_capacity;
    uint32_t *slots;    /* 2^slot_bits, by the hash of a template: some bits of it, and its id plus
                         * 1; 0: none */
    unsigned slot_bits; /* 0: there are no slots */
    struct dictionary_string *strings; /* id 0 is the empty string */
    size_t string_count, string_capacity;
    struct text string_bytes;
    struct hash_map string_ids;
    struct spoor_names *names, *spellings;
    struct uop_forms uop_forms;    /* of the templates in pages so far */
    struct dictionary_mark stored; /* in pages so far */
    bool is_long;                  /* the trace has many records */
    bool failed;                   /* memory ran out */
};

/* Begins a dictionary that is zeroed, or empty again. */
void dictionary_begin(struct dictionary *dictionary);
void dictionary_free(struct dictionary *dictionary);
/* Begins the next dictionary if this one is full, or `anyway`; true if it does.  `helps`: the last
 * segment found half of its templates in it. */
bool dictionary_renew(struct dictionary *dictionary, bool helps, bool anyway);

/* The id of a string. */
uint32_t dictionary_string(struct dictionary *dictionary, const char *bytes, size_t size);
/* The id of a template. */
uint32_t dictionary_template(struct dictionary *dictionary, const struct spoor_record *record);

static inline const char *dictionary_string_bytes(const struct dictionary *dictionary, uint32_t id,
                                                  size_t *size)
{
    const struct dictionary_string *string = &dictionary->strings[id];
    *size = string->size;
    return string->size ? dictionary->string_bytes.bytes + string->at : "";
}

/* Appends the block with what is new since the last one; none if nothing is.  `last`: no page
 * follows. */
void dictionary_put_page(struct dictionary *dictionary, struct section_packer *packer,
                         struct text *columns, struct text *payload, bool last, struct text *out);

#endif
