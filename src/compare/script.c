/* SPDX-License-Identifier: MIT */
/* script.c: builds edit scripts. */
#include "compare/script.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

bool script_add(struct script *script, uint32_t left, uint32_t right, uint32_t pairs)
{
    const bool gap = left || right;
    if (!gap && !pairs && script->count) return true;
    script->last[0] += left + pairs;
    script->last[1] += right + pairs;
    script->pairs += pairs;
    if (gap) script->cost += GAP_EXTEND * ((uint64_t)left + right);
    struct edit *last = script->count ? &script->edits[script->count - 1] : NULL;
    if (last && (!gap || (!last->pairs && !last->omitted))) {
        if (gap && !(last->skip[0] | last->skip[1])) script->cost += GAP_OPEN;
        last->skip[0] += left;
        last->skip[1] += right;
        last->pairs += pairs;
        return true;
    }
    if (!array_reserve(&script->edits, &script->capacity, script->count + 1) || !script->edits)
        return false;
    if (gap) script->cost += GAP_OPEN;
    script->edits[script->count++] = (struct edit){.skip = {left, right}, .pairs = pairs};
    return true;
}

bool script_append(struct script *script, const struct edit *edit)
{
    if (!array_reserve(&script->edits, &script->capacity, script->count + 1)) return false;
    for (unsigned side = 0; side < 2; side++) script->last[side] += edit->skip[side] + edit->pairs;
    script->pairs += edit->pairs;
    script->edits[script->count++] = *edit;
    return true;
}

bool script_prepend(struct script *script, uint32_t pairs)
{
    struct edit *first = script->edits;
    script->pairs += pairs;
    for (unsigned side = 0; side < 2; side++) script->last[side] += pairs;
    if (script->count && !(first->skip[0] | first->skip[1]) && !first->move.count) {
        first->pairs += pairs;
        return true;
    }
    if (!array_reserve(&script->edits, &script->capacity, script->count + 1)) return false;
    memmove(script->edits + 1, script->edits, script->count * sizeof *script->edits);
    script->edits[0] = (struct edit){.pairs = pairs};
    script->count++;
    return true;
}

void script_clear(struct script *script)
{
    *script = (struct script){.edits = script->edits, .capacity = script->capacity};
}

void script_free(struct script *script)
{
    free(script->edits);
    *script = (struct script){0};
}
