/* SPDX-License-Identifier: MIT */
/*
 * component.h: what simulated machines are composed of: branch predictors, replacement policies,
 * prefetchers and value predictors, and the specs that choose one of them; and folds, which only
 * plug-ins have.
 *
 * A spec is "NAME[:key=value,...]", as in "gshare:bits=14,history=14"; a colon separates keys as a
 * comma does, where the spec stands in a list: "l2:1M,16,64,policy=ship:bits=12:long=1".  Values
 * are whole numbers, decimal or 0x...; K, M and G stand for powers of 1024.  Keys that are not
 * given have their defaults.
 */
#ifndef SPOOR_COMPONENT_H
#define SPOOR_COMPONENT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum spoor_component_type {
    SPOOR_PREDICTOR,       /* of branches: predictor.h */
    SPOOR_CACHE_POLICY,    /* replacement in a cache: `policy` of struct spoor_cache_level */
    SPOOR_PREFETCHER,      /* `prefetch` of struct spoor_cache_level */
    SPOOR_PAGE_POLICY,     /* replacement of pages: `policy` of struct spoor_paging_options */
    SPOOR_VALUE_PREDICTOR, /* of values that instructions write: value.h */
    SPOOR_FOLD,            /* questions to a whole trace: fold.h */
};

/* One key of a spec. */
struct spoor_component_key {
    const char *name, *help;
    uint64_t fallback;         /* the default; SPOOR_KEY_AS_BEFORE: the value of the previous key */
    uint64_t minimum, maximum; /* the range, both included */
};
#define SPOOR_KEY_AS_BEFORE UINT64_MAX
/* Bytes of a spec with its NUL, where a struct holds one. */
enum { SPOOR_COMPONENT_SPEC = 64 };

struct spoor_component {
    enum spoor_component_type type;
    const char *name, *title;               /* the title is one line */
    const char *source;                     /* the document that defines it; NULL: none */
    const struct spoor_component_key *keys; /* ends with a NULL name; NULL: it has none */
};

/* The components of a type by index, from 0; NULL past the end. */
const struct spoor_component *spoor_component_at(enum spoor_component_type type, size_t index);

#ifdef __cplusplus
}
#endif

#endif
