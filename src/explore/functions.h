/* SPDX-License-Identifier: MIT */
/* functions.h: which function an address is in, fast for addresses that come again. */
#ifndef SPOOR_EXPLORE_FUNCTIONS_H
#define SPOOR_EXPLORE_FUNCTIONS_H

#include "spoor/image.h"

enum { FUNCTION_SLOTS = 1 << 12 };
struct functions {
    struct spoor_images *images; /* NULL: no function is known */
    struct function_slot {
        uint64_t pc, start, end; /* start == end: no function */
        bool used;
    } slots[FUNCTION_SLOTS];
};
/* From `start` to before `end`; false: it is in none.  `context` is a struct functions, as
 * struct activity_listener wants it. */
bool functions_find(void *context, uint64_t pc, uint64_t *start, uint64_t *end);

#endif
