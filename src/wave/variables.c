/* SPDX-License-Identifier: MIT */
/* variables.c: the scopes and variables of a waveform. */
#include "wave/variables.h"

#include <stdlib.h>

#include "base/array.h"

static uint32_t variables_put_name(struct wave_variables *variables, struct spoor_slice name)
{
    const size_t at = variables->text.size;
    if (at + name.size > UINT32_MAX) {
        variables->failed = true;
        return 0;
    }
    text_put(&variables->text, name.bytes, name.size);
    variables->failed |= variables->text.failed;
    return (uint32_t)at;
}

static uint64_t variables_hash(int scope, const char *bytes, size_t size)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ (uint64_t)(unsigned)scope;
    hash *= UINT64_C(0x9E3779B97F4A7C15);
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
    return hash ^ hash >> 29;
}

/* The scope of a name in another one; WAVE_NO_SCOPE: there is none. */
static int variables_find_scope(const struct wave_variables *variables, int parent,
                                struct spoor_slice name)
{
    if (!variables->scope_map_size) return WAVE_NO_SCOPE;
    const size_t mask = variables->scope_map_size - 1;
    size_t at = variables_hash(parent, name.bytes, name.size) & mask;
    for (; variables->scope_map[at]; at = (at + 1) & mask) {
        const struct wave_scope *scope = &variables->scopes[variables->scope_map[at] - 1];
        if (scope->parent == parent && scope->name_size == name.size &&
            memcmp(variables->text.bytes + scope->name, name.bytes, name.size) == 0)
            return (int)variables->scope_map[at] - 1;
    }
    return WAVE_NO_SCOPE;
}

/* Adds the last scope to the map, which grows with the scopes. */
static bool variables_map_scope(struct wave_variables *variables)
{
    size_t first = variables->scope_count - 1;
    if (2 * variables->scope_count > variables->scope_map_size) {
        const size_t size = variables->scope_map_size ? 2 * variables->scope_map_size : 64;
        uint32_t *map = calloc(size, sizeof *map);
        if (!map) return false;
        free(variables->scope_map);
        variables->scope_map = map;
        variables->scope_map_size = size;
        first = 0;
    }
    for (size_t i = first; i < variables->scope_count; i++) {
        const struct wave_scope *scope = &variables->scopes[i];
        size_t at =
            variables_hash(scope->parent, variables->text.bytes + scope->name, scope->name_size) &
            (variables->scope_map_size - 1);
        while (variables->scope_map[at]) at = (at + 1) & (variables->scope_map_size - 1);
        variables->scope_map[at] = (uint32_t)i + 1;
    }
    return true;
}

void wave_variables_enter(struct wave_variables *variables, struct spoor_slice name)
{
    const unsigned depth = variables->scope_count && variables->scope != WAVE_NO_SCOPE
                               ? variables->scopes[variables->scope].depth + 1
                               : 0;
    const int parent = variables->scope_count ? variables->scope : WAVE_NO_SCOPE;
    if (variables->failed) return;
    /* a scope may be left and entered again: Icarus Verilog does so for each signal that it is told
     * to dump */
    const int known = variables_find_scope(variables, parent, name);
    if (known != WAVE_NO_SCOPE) {
        variables->scope = known;
        return;
    }
    if (!array_reserve(&variables->scopes, &variables->scope_capacity,
                       variables->scope_count + 1) ||
        variables->scope_count >= INT32_MAX) {
        variables->failed = true;
        return;
    }
    const uint32_t at = variables_put_name(variables, name);
    variables->scopes[variables->scope_count] = (struct wave_scope){
        .name = at, .name_size = (uint32_t)name.size, .parent = parent, .depth = depth};
    variables->scope = (int)variables->scope_count++;
    variables->failed |= !variables_map_scope(variables);
}

void wave_variables_leave(struct wave_variables *variables)
{
    if (variables->scope_count && variables->scope != WAVE_NO_SCOPE)
        variables->scope = variables->scopes[variables->scope].parent;
}

static bool variables_read_number(const char **at, const char *end, int32_t *value)
{
    const bool negative = *at < end && **at == '-';
    const char *digits = *at + negative;
    int64_t number = 0;
    for (*at = digits; *at < end && **at >= '0' && **at <= '9'; (*at)++)
        if (number < INT32_MAX / 10) number = 10 * number + (**at - '0');
    *value = (int32_t)(negative ? -number : number);
    return *at > digits;
}

/* Takes "[31:0]" off the end of a name, and blanks before it; "[3]" stays, an element of an array,
 * unless a blank is before it, the number of a bit. */
static void variables_split_range(struct spoor_slice *name, uint32_t width,
                                  struct wave_variable *variable)
{
    variable->high = width ? (int32_t)width - 1 : 0;
    variable->low = 0;
    const char *open = name->size && name->bytes[name->size - 1] == ']'
                           ? memrchr(name->bytes, '[', name->size)
                           : NULL;
    if (open) {
        const char *at = open + 1, *end = name->bytes + name->size - 1;
        int32_t high, low;
        bool good = variables_read_number(&at, end, &high);
        const bool pair = good && at < end && *at == ':';
        low = high;
        if (pair) {
            at++;
            good = variables_read_number(&at, end, &low);
        }
        const bool blank = open > name->bytes && open[-1] == ' ';
        const int64_t bits = (high > low ? (int64_t)high - low : (int64_t)low - high) + 1;
        if (good && at == end && (pair || blank) && open > name->bytes) {
            name->size = (size_t)(open - name->bytes);
            if (bits == width) {
                variable->high = high;
                variable->low = low;
            }
        }
    }
    while (name->size && name->bytes[name->size - 1] == ' ') name->size--;
}

void wave_variables_add(struct wave_variables *variables, struct spoor_slice name, uint32_t width,
                        uint64_t handle)
{
    struct wave_variable variable = {.handle = handle, .width = width};
    if (variables->failed) return;
    variables_split_range(&name, width, &variable);
    if (name.size && *name.bytes == '\\') name.bytes++, name.size--; /* an escaped identifier */
    if (!array_reserve(&variables->items, &variables->capacity, variables->count + 1) ||
        variables->count >= UINT32_MAX / 4) {
        variables->failed = true;
        return;
    }
    variable.name = variables_put_name(variables, name);
    variable.name_size = (uint32_t)name.size;
    variable.scope = variables->scope_count ? variables->scope : WAVE_NO_SCOPE;
    variables->items[variables->count++] = variable;
}

static long variables_find_in(const struct wave_variables *variables, int scope,
                              struct spoor_slice name)
{
    if (!variables->map_size) return -1;
    size_t at = variables_hash(scope, name.bytes, name.size) & (variables->map_size - 1);
    for (; variables->map[at]; at = (at + 1) & (variables->map_size - 1)) {
        const struct wave_variable *variable = &variables->items[variables->map[at] - 1];
        if (variable->scope == scope && variable->name_size == name.size &&
            memcmp(variables->text.bytes + variable->name, name.bytes, name.size) == 0)
            return (long)variables->map[at] - 1;
    }
    return -1;
}

bool wave_variables_finish(struct wave_variables *variables)
{
    size_t size = 16;
    if (variables->failed) return false;
    while (size < 2 * variables->count) size *= 2;
    variables->map = calloc(size, sizeof *variables->map);
    if (!variables->map) return false;
    variables->map_size = size;
    for (size_t i = 0; i < variables->count; i++) {
        const struct wave_variable *variable = &variables->items[i];
        const struct spoor_slice name = {variables->text.bytes + variable->name,
                                         variable->name_size};
        if (variables_find_in(variables, variable->scope, name) >= 0) continue; /* the first */
        size_t at = variables_hash(variable->scope, name.bytes, name.size) & (size - 1);
        while (variables->map[at]) at = (at + 1) & (size - 1);
        variables->map[at] = (uint32_t)i + 1;
    }
    return true;
}

long wave_variables_find(const struct wave_variables *variables, int scope, struct spoor_slice path)
{
    const long found = variables_find_in(variables, scope, path);
    const char *dot = memchr(path.bytes, '.', path.size);
    if (found >= 0 || !dot) return found;
    const struct spoor_slice first = {path.bytes, (size_t)(dot - path.bytes)};
    const int inner = variables_find_scope(variables, scope, first);
    if (inner == WAVE_NO_SCOPE) return -1;
    return wave_variables_find(variables, inner,
                               (struct spoor_slice){dot + 1, path.size - first.size - 1});
}

void wave_variables_put_scope(const struct wave_variables *variables, int scope, struct text *out)
{
    int path[WAVE_DEEPEST];
    size_t count = 0;
    for (; scope != WAVE_NO_SCOPE && count < WAVE_DEEPEST; scope = variables->scopes[scope].parent)
        path[count++] = scope;
    while (count-- > 0) {
        const struct wave_scope *one = &variables->scopes[path[count]];
        text_put(out, variables->text.bytes + one->name, one->name_size);
        if (count) text_put(out, ".", 1);
    }
}

void wave_variables_free(struct wave_variables *variables)
{
    text_free(&variables->text);
    free(variables->scopes);
    free(variables->scope_map);
    free(variables->items);
    free(variables->map);
    *variables = (struct wave_variables){0};
}
