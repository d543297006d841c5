/* SPDX-License-Identifier: MIT */
/*
 * layout.h: the positions of names and references in a record of each kind.
 *
 * Moving a record to another batch or another stream (merging traces, ordering the work of several
 * threads) must translate every name and copy every reference; these tables have their positions.
 */
#ifndef SPOOR_MODEL_LAYOUT_H
#define SPOOR_MODEL_LAYOUT_H

#include <stdint.h>

#include "spoor/record.h"

enum { LAYOUT_NAMES = 5, LAYOUT_REFS = 1 };

/* Byte offsets within struct spoor_record, 0-terminated (offset 0 is the time: never a name). */
struct layout {
    uint8_t names[LAYOUT_NAMES + 1];
    uint8_t refs[LAYOUT_REFS + 1];
};
extern const struct layout record_layouts[SPOOR_KINDS];

static inline spoor_name *layout_name(struct spoor_record *record, uint8_t offset)
{
    return (spoor_name *)(void *)((char *)record + offset);
}
static inline struct spoor_ref *layout_ref(struct spoor_record *record, uint8_t offset)
{
    return (struct spoor_ref *)(void *)((char *)record + offset);
}

#endif
