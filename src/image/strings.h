/* SPDX-License-Identifier: MIT */
/*
 * strings.h: memory that is allocated in parts and freed at once, and interned names in it.
 */
#ifndef SPOOR_IMAGE_STRINGS_H
#define SPOOR_IMAGE_STRINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash_map.h"

struct string_block;

struct strings {
    struct string_block *blocks;
    size_t left; /* bytes left in the first block */
    char *at;
    bool demangler_sought, demangles;
    struct hash_map interned; /* by hash */
    bool failed;              /* memory ran out for something in or about the image */
};

/* Allocates memory aligned for any type; NULL if memory runs out. */
void *strings_allocate(struct strings *strings, size_t size);
/* Returns the name demangled, or unchanged if it is not mangled or no demangler exists.  The first
 * mangled name loads the demangler. */
const char *strings_demangled(struct strings *strings, const char *name);
/* Returns one string for equal strings; NULL if memory runs out. */
const char *strings_interned(struct strings *strings, const char *text);
void strings_free(struct strings *strings);

#endif
