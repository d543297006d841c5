/* SPDX-License-Identifier: MIT */
/* functions.c: a direct-mapped cache before the symbol tables. */
#include "explore/functions.h"

#include "base/hash.h"

bool functions_find(void *context, uint64_t pc, uint64_t *start, uint64_t *end)
{
    struct functions *functions = context;
    struct function_slot *slot = &functions->slots[hash_mix(0, pc) % FUNCTION_SLOTS];
    if (!slot->used || slot->pc != pc) {
        struct spoor_place place;
        *slot = (struct function_slot){.pc = pc, .used = true};
        if (functions->images && spoor_images_function(functions->images, pc, &place) &&
            place.function) {
            slot->start = place.start;
            slot->end = place.size ? place.start + place.size : pc + 1;
        }
    }
    *start = slot->start;
    *end = slot->end;
    return slot->start != slot->end;
}
