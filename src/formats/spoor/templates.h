/* SPDX-License-Identifier: MIT */
/*
 * formats/spoor/templates.h: the columns in which templates are stored.
 *
 * A template is the 64 bytes of a record, little-endian, whose lanes are zero (that of a micro-op
 * has its first value), whose names and spelling are ids of the dictionary, and whose string is an
 * id of it.  Micro-ops are forms and numbers (uop_templates.h).  Of the other kinds, the first
 * address and the string are stored as the difference from those of the template before it of its
 * kind; byte k of all of a kind is a plane.
 */
#ifndef SPOOR_FORMATS_SPOOR_TEMPLATES_H
#define SPOOR_FORMATS_SPOOR_TEMPLATES_H

#include "formats/spoor/uop_templates.h"

enum template_form { FORM_BOTH, FORM_PLANES, FORM_ROWS };

/* The columns of templates.  Those of a kind are stored as planes or as rows, of the bytes that are
 * not 0 in all of them. */
struct template_columns {
    uint8_t forms[SPOOR_KINDS]; /* enum template_form: those that are packed */
    struct text kinds;          /* a byte each */
    struct text planes[SPOOR_KINDS], rows[SPOOR_KINDS];
    struct text uops[UOP_COLUMNS]; /* of the micro-ops */
};

/* Appends the templates to the columns, each kind in its form.  `uop_forms` has those of the
 * dictionary so far, and then those of the page. */
void templates_pack(const struct spoor_record *templates, size_t count, struct uop_forms *uop_forms,
                    struct template_columns *columns);
/* Ids of templates, and a place for each. */
struct template_set {
    uint64_t *bits;   /* by 64 ids */
    uint32_t *before; /* by 64 ids: how many lower ones are in it */
    uint32_t *places; /* by rank: the place of the id */
    size_t count;     /* all ids are below */
};
/* A set of ids, whose places are 0, 1, ...; those that are not below `count` are left out.  False
 * if memory runs out. */
bool template_set_make(struct template_set *set, size_t count, const uint32_t *ids,
                       size_t id_count);
void template_set_free(struct template_set *set);

static inline bool template_set_has(const struct template_set *set, size_t id)
{
    return set->bits[id / 64] >> id % 64 & 1;
}
/* How many lower ids are in it; `id` is below its count. */
static inline size_t template_set_rank(const struct template_set *set, size_t id)
{
    const uint64_t lower = set->bits[id / 64] & ((UINT64_C(1) << id % 64) - 1);
    return set->before[id / 64] + (size_t)__builtin_popcountll(lower);
}

/* Where templates are unpacked to. */
struct template_target {
    void *first;                       /* the record in place 0 */
    size_t step;                       /* bytes from one to the next */
    const struct template_set *wanted; /* no other templates; NULL: template i goes to place i */
    size_t first_id;                   /* of the templates */
    struct uop_source forms;           /* of micro-ops */
};
/* The reverse, from planes or rows: false if the columns do not have `count` templates of known
 * kinds.  SECTION_SLACK bytes after the columns may be read. */
bool templates_unpack(const struct template_target *target, size_t count,
                      const struct template_columns *columns);

#endif
