/* SPDX-License-Identifier: MIT */
/*
 * strings.h: memory that is given out in pieces and freed all at once, and names in it.
 */
#ifndef SPOOR_IMAGE_STRINGS_H
#define SPOOR_IMAGE_STRINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash_map.h"

struct string_block;

/* A demangler of C++ names, that of the C++ runtime library. */
typedef char *demangle_function(const char *name, char *buffer, size_t *size, int *status);

struct strings {
    struct string_block *blocks;
    size_t left; /* in the first block */
    char *at;
    demangle_function *demangle;
    bool demangler_sought;
    struct hash_map interned; /* by hash */
};

/* Aligned for any type; NULL if memory runs out. */
void *strings_allocate(struct strings *strings, size_t size);
const char *strings_copy(struct strings *strings, const char *text, size_t size);
/* The name demangled, or itself where it is not mangled or nothing can demangle it.  The demangler
 * is loaded when the first mangled name is met. */
const char *strings_demangled(struct strings *strings, const char *name);
/* One string for equal ones; NULL if memory runs out. */
const char *strings_interned(struct strings *strings, const char *text);
/* "file:line", interned; NULL where it is longer than any path. */
const char *strings_source(struct strings *strings, const char *file, uint32_t line);
void strings_free(struct strings *strings);

#endif
