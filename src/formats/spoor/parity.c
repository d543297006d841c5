/* SPDX-License-Identifier: MIT */
/* parity.c: write parity, repair what it guards, and read blocks one after another. */
#include "formats/spoor/parity.h"

#include <stdlib.h>

static size_t slice_of(size_t size)
{
    const size_t slice = (size + PARITY_SLICES - 1) / PARITY_SLICES;
    return slice > PARITY_SMALLEST ? slice : PARITY_SMALLEST;
}

static void add_slices(unsigned char *sum, size_t slice, const char *bytes, size_t size)
{
    for (size_t at = 0; at < size; at += slice) {
        const size_t count = size - at < slice ? size - at : slice;
        for (size_t i = 0; i < count; i++) sum[i] ^= (unsigned char)bytes[at + i];
    }
}

void parity_put(struct text *out, const char *bytes, size_t size)
{
    const size_t slice = slice_of(size);
    char *payload = calloc(1, PARITY_HEAD_SIZE + slice), *at = payload;
    if (!payload) {
        out->failed = true;
        return;
    }
    at = block_put_number(at, block_hash(bytes, size), 8);
    at = block_put_number(at, size, 8);
    add_slices((unsigned char *)at, slice, bytes, size);
    block_put(out, BLOCK_PARITY, payload, PARITY_HEAD_SIZE + slice);
    free(payload);
}

size_t parity_size(size_t payload)
{
    return BLOCK_HEAD_SIZE + PARITY_HEAD_SIZE + slice_of(BLOCK_HEAD_SIZE + payload);
}

size_t parity_guards(const char *payload, size_t size)
{
    if (size < PARITY_HEAD_SIZE) return 0;
    const uint64_t guarded = block_u64(payload + 8);
    if (guarded < BLOCK_HEAD_SIZE || guarded > BLOCK_MAX_PAYLOAD + BLOCK_HEAD_SIZE) return 0;
    return slice_of((size_t)guarded) == size - PARITY_HEAD_SIZE ? (size_t)guarded : 0;
}

/* The shortest run of positions, counted round the slice, outside of which the sum is 0. */
static size_t damaged_run(const unsigned char *sum, size_t slice, size_t *length)
{
    size_t widest = 0, after = 0, gap = 0;
    for (size_t i = 0; i < 2 * slice; i++) {
        gap = sum[i % slice] ? 0 : gap + 1;
        if (gap > widest && gap <= slice) {
            widest = gap;
            after = (i + 1) % slice;
        }
    }
    *length = slice - widest;
    return after;
}

/* Adds the part of the sum to the bytes from `at` on; false if it reaches past their end. */
static bool add_run(char *bytes, size_t size, size_t at, const unsigned char *sum, size_t slice,
                    size_t length)
{
    if (at >= size || length > size - at) return false;
    for (size_t i = 0; i < length; i++) bytes[at + i] ^= (char)sum[(at + i) % slice];
    return true;
}

bool parity_repair(char *bytes, const char *payload, size_t payload_size)
{
    const size_t size = parity_guards(payload, payload_size);
    const uint64_t hash = block_u64(payload);
    if (size == 0 || !block_hashes() || hash == 0) return false;
    if (block_hash(bytes, size) == hash) return true;
    const size_t slice = slice_of(size);
    unsigned char *sum = malloc(slice);
    size_t length = 0;
    bool repaired = false;
    if (!sum) return false;
    memcpy(sum, payload + PARITY_HEAD_SIZE, slice);
    add_slices(sum, slice, bytes, size);
    const size_t begin = damaged_run(sum, slice, &length);
    for (size_t at = begin; at < size && length > 0 && !repaired; at += slice) {
        if (!add_run(bytes, size, at, sum, slice, length)) break;
        repaired = block_hash(bytes, size) == hash;
        if (!repaired) add_run(bytes, size, at, sum, slice, length);
    }
    free(sum);
    return repaired;
}

/* ---- reading blocks one after another ---- */

/* The block that guards the bytes from `at` to it, whole; its offset, or 0. */
static size_t find_parity(const char *bytes, size_t size, size_t at, size_t guarded,
                          struct block *parity)
{
    if (guarded > size - at || size - at - guarded < BLOCK_HEAD_SIZE) return 0;
    const size_t found = at + guarded;
    const char *payload = bytes + found + BLOCK_HEAD_SIZE;
    if (!block_parse(bytes + found, parity) || parity->type != BLOCK_PARITY ||
        parity->size > size - found - BLOCK_HEAD_SIZE || !block_is_intact(parity, payload))
        return 0;
    return parity_guards(payload, (size_t)parity->size) == guarded ? found : 0;
}

/* Repairs a copy of the part, where a block guards it. */
static void repair(const char *bytes, size_t size, struct block_part *part)
{
    struct block parity, block;
    const size_t guard = find_parity(bytes, size, part->at, part->size, &parity);
    char *copy = guard ? malloc(part->size) : NULL;
    if (!copy) return;
    memcpy(copy, bytes + part->at, part->size);
    if (parity_repair(copy, bytes + guard + BLOCK_HEAD_SIZE, (size_t)parity.size) &&
        block_parse(copy, &block) && block.size == part->size - BLOCK_HEAD_SIZE) {
        part->repaired = copy;
        part->block = block;
        part->payload = copy + BLOCK_HEAD_SIZE;
        part->intact = true;
    } else {
        free(copy);
    }
}

bool block_next(const char *bytes, size_t size, size_t at, struct block_part *part)
{
    *part = (struct block_part){.at = at, .size = size - at};
    if (at >= size) return false;
    const size_t left = size - at;
    if (left >= BLOCK_HEAD_SIZE && block_parse(bytes + at, &part->block) &&
        part->block.size <= left - BLOCK_HEAD_SIZE) {
        part->payload = bytes + at + BLOCK_HEAD_SIZE;
        part->size = (size_t)part->block.size + BLOCK_HEAD_SIZE;
        part->intact = block_is_intact(&part->block, part->payload);
    } else {
        part->block = (struct block){0};
        part->size = block_seek(bytes, size, at + 1) - at;
    }
    if (!part->intact) repair(bytes, size, part);
    return true;
}
