/* SPDX-License-Identifier: MIT */
/* strings.c: a block allocator, and interned names in it. */
#include "image/strings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/hash_map.h"
#include "base/shared_library.h"

enum {
    BLOCK = 32 << 10,
    ALIGNMENT = 16,
    /* no compiler produces a longer name, and the demangler's time could be unbounded */
    MANGLED_CAPACITY = 16384,
};

struct string_block {
    struct string_block *next;
    char bytes[] __attribute__((aligned(ALIGNMENT)));
};

void *strings_allocate(struct strings *strings, size_t size)
{
    size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (size > strings->left) {
        const size_t capacity = size > BLOCK ? size : BLOCK;
        struct string_block *block = malloc(sizeof *block + capacity);
        if (!block) {
            strings->failed = true;
            return NULL;
        }
        block->next = strings->blocks;
        strings->blocks = block;
        strings->at = block->bytes;
        strings->left = capacity;
    }
    void *given = strings->at;
    strings->at += size;
    strings->left -= size;
    return given;
}

/* ---- C++ ---- */

char *__cxa_demangle(const char *name, char *buffer, size_t *size, int *status);

static struct {
    CXX_FUNCTIONS(SHARED_POINTER)
} cxx;

const char *strings_demangled(struct strings *strings, const char *name)
{
    if (name[0] != '_' || name[1] != 'Z' || strnlen(name, MANGLED_CAPACITY) == MANGLED_CAPACITY)
        return name;
    if (!strings->demangler_sought) {
        const int before = errno;
        errno = 0;
        strings->demangler_sought = true;
        strings->demangles = shared_library_load(&shared_libraries[SHARED_cxx], &cxx, NULL);
        strings->failed |= !strings->demangles && errno == ENOMEM;
        errno = before;
    }
    enum { OUT_OF_MEMORY = -1 };
    int status = 0;
    char *demangled = strings->demangles ? cxx.__cxa_demangle(name, NULL, NULL, &status) : NULL;
    strings->failed |= status == OUT_OF_MEMORY;
    if (!demangled) return name;
    const size_t size = strlen(demangled) + 1;
    char *copy = strings_allocate(strings, size);
    if (copy) memcpy(copy, demangled, size);
    free(demangled);
    return copy ? copy : name;
}

/* ---- equal strings ---- */

/* An interned string, after a pointer to another one of the same hash. */
struct string_entry {
    struct string_entry *next;
    char text[];
};
struct string_entry_hash {
    uint64_t hash;
    struct string_entry *first;
};

const char *strings_interned(struct strings *strings, const char *text)
{
    const size_t size = strlen(text) + 1;
    struct string_entry_hash *found;
    bool added;
    found = hash_map_add(&strings->interned, hash_of_bytes(text, size), sizeof *found, &added);
    if (!found) {
        strings->failed = true;
        return NULL;
    }
    for (const struct string_entry *same = found->first; same; same = same->next)
        if (strcmp(same->text, text) == 0) return same->text;
    struct string_entry *interned = strings_allocate(strings, sizeof *interned + size);
    if (!interned) return NULL;
    interned->next = found->first;
    memcpy(interned->text, text, size);
    found->first = interned;
    return interned->text;
}

void strings_free(struct strings *strings)
{
    for (struct string_block *block = strings->blocks, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    hash_map_free(&strings->interned);
    *strings = (struct strings){0};
}
