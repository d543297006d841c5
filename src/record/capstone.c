/* SPDX-License-Identifier: MIT */
/*
 * record/capstone.c: loading capstone.
 *
 * Capstone 4 uses what its allocations return without a test (x86: the handle's registers, the
 * cache of instruction numbers).  So where memory has run out it receives memory from a reserve,
 * which is larger than all that it allocates for the handles of a recording.
 */
#include "record/capstone.h"

#include <stdalign.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory ---- */

enum { RESERVE = 1 << 18, UNIT = alignof(max_align_t) };
static alignas(max_align_t) unsigned char reserve[RESERVE];
static atomic_size_t reserved;

static bool capstone_is_reserved(const void *bytes)
{
    const unsigned char *at = bytes;
    return at >= reserve && at < reserve + RESERVE;
}

/* Bytes of the reserve, which are zero and are never given back; NULL: the reserve is used up. */
static void *capstone_from_reserve(size_t size)
{
    if (size > RESERVE) return NULL;
    const size_t rounded = (size + UNIT - 1) / UNIT * UNIT;
    const size_t at = atomic_fetch_add(&reserved, rounded);
    return at + rounded <= RESERVE ? reserve + at : NULL;
}

static void *capstone_allocate(size_t size)
{
    void *bytes = malloc(size);
    return bytes ? bytes : capstone_from_reserve(size);
}

static void *capstone_allocate_zeros(size_t count, size_t size)
{
    void *bytes = calloc(count, size);
    return bytes || (size && count > RESERVE / size) ? bytes : capstone_from_reserve(count * size);
}

static void *capstone_reallocate(void *bytes, size_t size)
{
    if (bytes && !capstone_is_reserved(bytes))
        return realloc(bytes, size); /* of a size not known here */
    void *moved = capstone_allocate(size);
    if (!moved || !bytes) return moved;
    const size_t after = (size_t)(reserve + RESERVE - (unsigned char *)bytes);
    memmove(moved, bytes, size < after ? size : after);
    return moved;
}

static void capstone_release(void *bytes)
{
    if (!capstone_is_reserved(bytes)) free(bytes);
}

/* ---- loading ---- */

struct capstone capstone;

enum spoor_status capstone_load(struct spoor_error *error)
{
    char sentence[SHARED_SENTENCE];
    if (!shared_library_load(&shared_libraries[SHARED_capstone], &capstone, sentence))
        return spoor_error_set(error, SPOOR_EUSAGE, "the disassembler %s", sentence);
    const cs_opt_mem memory = {capstone_allocate, capstone_allocate_zeros, capstone_reallocate,
                               capstone_release, vsnprintf};
    capstone.cs_option(0, CS_OPT_MEM, (size_t)&memory);
    return SPOOR_OK;
}
