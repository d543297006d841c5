/* SPDX-License-Identifier: MIT */
/* wave/variables.h: the scopes and variables of a waveform, by name. */
#ifndef SPOOR_WAVE_VARIABLES_H
#define SPOOR_WAVE_VARIABLES_H

#include "base/text.h"
#include "spoor/batch.h"

enum {
    WAVE_NO_SCOPE = -1,
    WAVE_WIDEST = 1 << 20, /* bits of a variable */
    WAVE_DEEPEST = 1000,   /* scopes in scopes */
};

struct wave_scope {
    uint32_t name, name_size; /* in `text` */
    int parent;               /* WAVE_NO_SCOPE: none */
    unsigned depth;
};

struct wave_variable {
    uint32_t name, name_size; /* in `text`, without the range of bits */
    int scope;
    uint64_t handle;   /* variables of one handle have one value */
    uint32_t width;    /* bits; 0: it has no bits (a real number, a text) */
    int32_t high, low; /* the numbers of its first and last bit */
};

struct wave_variables {
    struct text text;
    struct wave_scope *scopes;
    size_t scope_count, scope_capacity;
    uint32_t *scope_map; /* by parent and name: number of a scope + 1 */
    size_t scope_map_size;
    struct wave_variable *items;
    size_t count, capacity;
    uint32_t *map; /* by scope and name: number of an item + 1 */
    size_t map_size;
    int scope; /* that is open */
    bool failed;
};

void wave_variables_enter(struct wave_variables *variables, struct spoor_slice name);
void wave_variables_leave(struct wave_variables *variables);
/* `name` may end in a range, "data [31:0]". */
void wave_variables_add(struct wave_variables *variables, struct spoor_slice name, uint32_t width,
                        uint64_t handle);
/* Makes the map; no further variable is added. */
bool wave_variables_finish(struct wave_variables *variables);
/* The variable of a path below the scope, "uut.valid"; -1: there is none. */
long wave_variables_find(const struct wave_variables *variables, int scope,
                         struct spoor_slice path);
/* Appends "TOP.top". */
void wave_variables_put_scope(const struct wave_variables *variables, int scope, struct text *out);
void wave_variables_free(struct wave_variables *variables);

#endif
