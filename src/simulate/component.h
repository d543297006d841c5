/* SPDX-License-Identifier: MIT */
/*
 * component.h: how to write a component: a predictor (branch/predictor.h), a replacement policy or
 * a prefetcher (cache/cache.h, paging/paging.h).  Folds (fold.h) are components of plug-ins alone.
 *
 * A component is one constant struct of its type and its line in components.def, or a design of a
 * plug-in (plugin.c).  What all types have is struct component, the first member.  An instance is
 * made from a setup: one block of memory, its state, which begins as zeros or as `initial` and is
 * all that the functions of the component change.
 */
#ifndef SPOOR_SIMULATE_COMPONENT_H
#define SPOOR_SIMULATE_COMPONENT_H

#include <stdbool.h>

#include "spoor/component.h"
#include "spoor/error.h"

enum { COMPONENT_KEYS = 16 };

struct component;
struct future; /* future.h */

/* What an instance is made from. */
struct component_setup {
    const struct component *component;
    uint64_t values[COMPONENT_KEYS]; /* of its keys, in their order */

    /* The cache that a policy or prefetcher serves. */
    uint64_t sets;
    uint32_t ways;
    unsigned block_bits, sub_bits; /* log2 of the bytes of a block and of a sub-block */
    uint32_t degree;               /* of a prefetcher */
    uint64_t seed;                 /* not 0 */
    uint64_t *order; /* a word for each line, zeroed, that belongs to the policy: at the end of a
                      * trace a set writes its dirty blocks in ascending order of them */
    const struct future *future; /* of a policy that needs it */
};

enum { COMPONENT_SENTENCE = 200 };
/* What an instance takes beyond its struct. */
struct component_size {
    size_t tables;                     /* bytes after the struct */
    uint64_t bits;                     /* of storage in hardware */
    char sentence[COMPONENT_SENTENCE]; /* room for what size() of a plug-in returns */
};

struct component {
    struct spoor_component about;
    /* Sets what an instance takes, from zeros.  A sentence about inconsistent values, or a cache
     * that it cannot serve; NULL if it accepts the setup.  May be NULL: it takes nothing and
     * accepts all. */
    const char *(*size)(const struct component_setup *setup, struct component_size *size);
    size_t struct_size; /* of the state; 0: it has none */
    const void
        *initial; /* how the state begins, for constants that share their functions; NULL: zeros
                   */
    void (*start)(void *state, const struct component_setup *setup); /* NULL: nothing to do */
    const struct spoor_plugin_design *design; /* of a plug-in; NULL: it is built in */
};

/* What a component is called in messages, by its type. */
extern const char *const component_words[];
/* Sets the component of a spec and the values of its keys: from the spec, else from `defaults`
 * ("shift=0,start=0"; keys that it does not have are ignored), else the keys' own.  Other members
 * of the setup are the caller's.  SPOOR_EUSAGE with a sentence: an unknown name or key, a value out
 * of range, a setup that the component refuses. */
enum spoor_status component_parse(struct component_setup *setup, enum spoor_component_type type,
                                  const char *spec, const char *defaults,
                                  struct spoor_error *error);
/* The bytes of the state. */
size_t component_memory(const struct component_setup *setup);
/* Makes the state, aligned to a cache line, for component_free(); NULL: `error` has a message
 * (memory ran out, or a plug-in refused). */
void *component_make(const struct component_setup *setup, struct spoor_error *error);
/* `component` NULL: there is no state. */
void component_free(const struct component *component, void *state);

/* ---- plugin.c ---- */

/* The components of plug-ins by index, of a type; NULL past the end. */
const struct component *plugin_component_at(enum spoor_component_type type, size_t index);
/* Begins an instance of a plug-in; NULL, or a sentence that says why it cannot. */
const char *plugin_create(void *state, const struct component_setup *setup,
                          char sentence[COMPONENT_SENTENCE]);

#endif
