/* SPDX-License-Identifier: MIT */
/*
 * formats/spoor/uop_templates.h: templates of micro-ops as forms and numbers.
 *
 * A program has few forms of micro-ops, which are all of a template but its pc, its target, its
 * address and its immediate value.  A dictionary has each of its forms once.  A page has the number
 * of the form of each template, mostly the one that followed the last form before, and those
 * values.  So a page is small, and unpacked quickly.
 */
#ifndef SPOOR_FORMATS_SPOOR_UOP_TEMPLATES_H
#define SPOOR_FORMATS_SPOOR_UOP_TEMPLATES_H

#include "base/hash_map.h"
#include "base/varint.h"
#include "spoor/record.h"

enum uop_column {
    UOP_FORMS,      /* those that no page before has, of UOP_FORM_SIZE bytes each */
    UOP_NUMBERS,    /* of each template: enum uop_number */
    UOP_OTHERS,     /* after each UOP_OTHER: the number of the form in the dictionary */
    UOP_PCS,        /* of each template: minus what is expected */
    UOP_TARGETS,    /* where the form has one: minus the pc after the template */
    UOP_ADDRESSES,  /* where the form has one: a base, and how the address differs from it */
    UOP_IMMEDIATES, /* where the form has one */
    UOP_COLUMNS
};

/* Addresses are near to one of the bases, each of which is the last address near to it. */
enum { UOP_BASES = 8 };

/* The form of a template. */
enum uop_number {
    UOP_FOLLOWS, /* the form that followed the last one before in the page; */
    UOP_NEW,     /* the next form of the dictionary that no page before has; */
    UOP_OTHER,   /* a form that a page before has, but not this one so far; */
    UOP_KNOWN    /* and more: form 0, 1, ... of the page */
};

/* Words 1, 6 and 7 of a template; in the place of its kind is what else it has. */
struct uop_form {
    uint64_t head, sources, names;
};
enum { UOP_FORM_SIZE = sizeof(struct uop_form) };

/* Fills bytes where forms are lost. */
enum { UOP_LOST = 0xFF };

/* The last template: what the next one is expected from. */
struct uop_last {
    uint64_t pc, next; /* its pc, and the one after it */
    size_t form;       /* its number in the page */
    uint64_t bases[UOP_BASES];
};

/* ---- packing ---- */

/* The page that had a form last, and its number there. */
struct uop_use {
    uint32_t page, number;
};

/* The forms of a dictionary.  Zeroed, there are none. */
struct uop_forms {
    struct text bytes;       /* UOP_FORM_SIZE each */
    struct hash_map numbers; /* by the hash of a form */
    struct uop_use *uses;    /* of each form */
    size_t capacity;
    uint32_t page; /* the number of the current one, from 1 on */
};
void uop_forms_clear(struct uop_forms *forms);
void uop_forms_free(struct uop_forms *forms);

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
/* Begins a page. */
struct uop_packer uop_packer_begin(struct uop_forms *forms, struct text *columns);
void uop_packer_free(struct uop_packer *packer);
/* Appends a template of a micro-op. */
void uop_pack(struct uop_packer *packer, const struct spoor_record *record);

/* ---- unpacking ---- */

/* Where forms are read. */
struct uop_source {
    const char *forms; /* of the dictionary, up to those of the page */
    size_t first, end; /* numbers of the first one of the page, and after its last */
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
/* Begins a page of `count` micro-ops; the columns are to stay.  False if memory runs out. */
bool uop_unpacker_begin(struct uop_unpacker *unpacker, const struct uop_source *source,
                        const struct text *columns, size_t count);
void uop_unpacker_free(struct uop_unpacker *unpacker);
/* Fills in the next template; false if there is none. */
bool uop_unpack(struct uop_unpacker *unpacker, struct spoor_record *record);

#endif
