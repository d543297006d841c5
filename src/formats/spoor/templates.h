/* SPDX-License-Identifier: MIT */
/*
 * formats/spoor/templates.h: the columns in which templates are stored.
 *
 * A template is the 64 bytes of a record, little-endian, whose lanes are zero (that of a micro-op
 * has its first value), whose names and spelling are ids of the dictionary, and whose string is an
 * id of it.  Of the kinds but micro-ops, the first address and the string are stored as the
 * difference from those of the template before it of its kind; byte k of all of a kind is a plane.
 *
 * Micro-ops are forms and numbers.  A program has few forms of micro-ops, which are all of a
 * template but its pc, its target, its address and its immediate value.  A dictionary has each of
 * its forms once.  A page has the number of the form of each template, mostly the one that followed
 * the last form before, and those values.  So a page is small, and unpacked quickly.
 */
#ifndef SPOOR_FORMATS_SPOOR_TEMPLATES_H
#define SPOOR_FORMATS_SPOOR_TEMPLATES_H

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

/* Words 1, 6 and 7 of a template; in the place of its kind is what else it has. */
struct uop_form {
    uint64_t head, sources, names;
};
enum { UOP_FORM_SIZE = sizeof(struct uop_form) };

/* Fills bytes where forms are lost. */
enum { UOP_LOST = 0xFF };

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

/* Where forms are read. */
struct uop_source {
    const char *forms; /* of the dictionary, up to those of the page */
    size_t first, end; /* numbers of the first one of the page, and after its last */
};

/* The columns of templates. */
struct template_columns {
    struct text kinds; /* a byte each */
    struct text
        planes[SPOOR_KINDS];       /* a mask of the bytes that are not 0 in all of a kind; these */
    struct text uops[UOP_COLUMNS]; /* of the micro-ops */
};

/* Appends the templates to the columns.  `uop_forms` has those of the dictionary so far, and then
 * those of the page. */
void templates_pack(const struct spoor_record *templates, size_t count, struct uop_forms *uop_forms,
                    struct template_columns *columns);
/* The reverse, to templates that are zero; `forms`: where those of micro-ops are read.  False if
 * the columns do not have `count` templates of known kinds, or memory runs out. */
bool templates_unpack(struct spoor_record *templates, size_t count, const struct uop_source *forms,
                      const struct template_columns *columns);

#endif
