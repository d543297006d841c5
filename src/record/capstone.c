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

#include "base/shared_library.h"

#define TEXT_OF(number) #number
#define SONAME(major) "libcapstone.so." TEXT_OF(major)

/* ---- memory ---- */

enum { RESERVE = 1 << 18, UNIT = alignof(max_align_t) };
static alignas(max_align_t) unsigned char reserve[RESERVE];
static atomic_size_t reserved;

static bool is_reserved(const void *bytes)
{
    const unsigned char *at = bytes;
    return at >= reserve && at < reserve + RESERVE;
}

/* Bytes of the reserve, which are zero and are never given back; NULL: the reserve is used up. */
static void *from_reserve(size_t size)
{
    if (size > RESERVE) return NULL;
    const size_t rounded = (size + UNIT - 1) / UNIT * UNIT;
    const size_t at = atomic_fetch_add(&reserved, rounded);
    return at + rounded <= RESERVE ? reserve + at : NULL;
}

static void *allocate(size_t size)
{
    void *bytes = malloc(size);
    return bytes ? bytes : from_reserve(size);
}

static void *allocate_zeros(size_t count, size_t size)
{
    void *bytes = calloc(count, size);
    return bytes || (size && count > RESERVE / size) ? bytes : from_reserve(count * size);
}

static void *reallocate(void *bytes, size_t size)
{
    if (bytes && !is_reserved(bytes)) return realloc(bytes, size); /* of a size not known here */
    void *moved = allocate(size);
    if (!moved || !bytes) return moved;
    const size_t after = (size_t)(reserve + RESERVE - (unsigned char *)bytes);
    memmove(moved, bytes, size < after ? size : after);
    return moved;
}

static void release(void *bytes)
{
    if (!is_reserved(bytes)) free(bytes);
}

/* ---- loading ---- */

enum spoor_status capstone_load(struct capstone *capstone, struct spoor_error *error)
{
    const struct shared_function functions[] = {
        {"cs_open", &capstone->open},
        {"cs_close", &capstone->close},
        {"cs_option", &capstone->option},
        {"cs_malloc", &capstone->malloc},
        {"cs_free", &capstone->free},
        {"cs_disasm", &capstone->disassemble},
        {"cs_disasm_iter", &capstone->disassemble_next},
        {"cs_regs_access", &capstone->accessed_registers},
    };
    const char *reason;
    if (shared_library_load(SONAME(CS_API_MAJOR), functions, sizeof functions / sizeof *functions,
                            &reason)) {
        const cs_opt_mem memory = {allocate, allocate_zeros, reallocate, release, vsnprintf};
        capstone->option(0, CS_OPT_MEM, (size_t)&memory);
        return SPOOR_OK;
    }
    return spoor_error_set(error, SPOOR_EUSAGE,
                           "the disassembler capstone cannot be loaded (%s): install it again",
                           reason);
}
