/* SPDX-License-Identifier: MIT */
/* references.h: the references of one record, for callers that need the record of each reference.
 */
#ifndef SPOOR_VIEWS_REFERENCES_H
#define SPOOR_VIEWS_REFERENCES_H

#include "spoor/view.h"

/* Appends the references of record `index`, with the options all zero; false if memory runs out. */
bool references_add_record(struct spoor_references *references, const struct spoor_batch *batch,
                           size_t index);

#endif
