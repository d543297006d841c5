/* SPDX-License-Identifier: MIT */
/* fault.c: the text that a fault found. */
#include <string.h>

#include "base/text.h"
#include "spoor/batch.h"

enum { MAX_SHOWN = 48 }; /* bytes; each takes up to four characters */

const char *spoor_fault_found(const struct spoor_batch *batch, const struct spoor_fault *fault,
                              char words[SPOOR_FOUND_CAPACITY])
{
    _Static_assert(SPOOR_FOUND_CAPACITY > 4 * MAX_SHOWN + sizeof "'...'", "the shown bytes fit");
    const char *bytes = spoor_batch_bytes(batch, fault->found);
    char *at = words;
    if (fault->found.size == 0) return "the end of the line";
    *at++ = '\'';
    at = put_visible(at, bytes, fault->found.size < MAX_SHOWN ? fault->found.size : MAX_SHOWN);
    strcpy(at, fault->found.size > MAX_SHOWN ? "...'" : "'");
    return words;
}
