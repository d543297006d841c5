/* SPDX-License-Identifier: MIT */
/*
 * formats/uop/uop_simd_decode.h: micro-op lines of the two common spellings, decoded without
 * looking at single bytes.
 *
 * It decodes only lines that are proven to be fourteen valid fields, written as printf writes them.
 * All others are left to uop_decode_line(), which makes the same record of every line that is
 * decoded here.
 */
#ifndef SPOOR_FORMATS_UOP_UOP_SIMD_DECODE_H
#define SPOOR_FORMATS_UOP_UOP_SIMD_DECODE_H

#include <stdlib.h>

#include "formats/uop/uop.h"
#include "formats/uop/uop_simd_known.h"
#include "views/stats.h"

enum {
    PAIRS = 1024,
    BLOCK = 16384, /* bytes decoded at a time */
    MIN_LINE = 28, /* bytes of the shortest line */
    BYPASS_SAMPLE = 64,
    BYPASS_BLOCKS = 8 * BYPASS_SAMPLE,
    PADDING = 64,   /* readable bytes after a batch's text */
    ALIGNMENT = 64, /* of the decoder state: a cache line */
};

/* Bytes read from the start of a line. */
enum { REACH = KNOWN_REACH };
_Static_assert(REACH >= UOP_HEAD + UOP_BODY + UOP_TAIL, "in either way");

/* Opcodes, both of a line at a time, by the bytes from the first to the end of the line. */
struct pairs {
    __m256i key[PAIRS]; /* zeros after */
    struct pair {
        spoor_name macro, micro;
    } names[PAIRS];
};

FOR_SIMD static inline __m256i key_of(const struct uop_places *places)
{
    static const int64_t masks[8] = {-1, -1, -1, -1}; /* then zeros */
    const char *mask = (const char *)masks + UOP_TAIL - places->tail_size;
    return _mm256_and_si256(_mm256_loadu_si256((const void *)places->tail),
                            _mm256_loadu_si256((const void *)mask));
}

FOR_SIMD static inline size_t slot_of(__m256i key)
{
    const __m128i front = _mm256_castsi256_si128(key);
    const uint64_t hash = _mm_crc32_u64(0, (uint64_t)_mm_cvtsi128_si64(front));
    return _mm_crc32_u64(hash, (uint64_t)_mm_extract_epi64(front, 1)) % PAIRS;
}

/* Interns the opcodes in the order of a line; false if the table is full. */
FOR_SIMD static bool learn_pair(struct spoor_names *names, struct pairs *pairs,
                                const struct uop_places *places)
{
    const char *micro_at = places->tail + places->micro_at;
    const spoor_name macro = spoor_names_intern(names, places->tail, places->macro_size);
    const spoor_name micro =
        spoor_names_intern(names, micro_at, places->tail_size - places->micro_at);
    if (macro == SPOOR_NAMES_FULL || micro == SPOOR_NAMES_FULL) return false;
    const __m256i key = key_of(places);
    const size_t slot = slot_of(key);
    pairs->key[slot] = key;
    pairs->names[slot] = (struct pair){macro, micro};
    return true;
}

/* ---- runs of lines of one layout ---- */

struct run {
    const char *at, *end;         /* the next line; no line begins at `end` or after */
    uint32_t pc_end;              /* offset of the end of the PC in the previous line */
    struct spoor_record *records; /* the next record */
    bool unknown;                 /* stopped before a line with unknown opcodes: */
    struct uop_places places;     /* the places of that line */
    struct known_line *known;     /* KNOWN_LINES of them; NULL: the cache is not searched */
    size_t missed;                /* lines that were not found in it */
    struct stats *stats; /* not NULL: known lines are counted in it and produce no records */
    size_t counted;      /* number of lines counted so */
};

/* Decodes lines until one cannot be decoded.  It makes no calls, so that constants stay in
 * registers. */
FOR_SIMD static inline __attribute__((always_inline)) void
decode_run(const struct uop_vectors *restrict v, struct run *restrict run,
           const struct pairs *restrict pairs, bool padded, spoor_name spelling, bool counts)
{
    struct spoor_record *restrict record = run->records;
    struct uop_tally tally = {0};
    if (counts) tally = uop_tally_begin(run->stats);
    const char *at = run->at, *end = run->end;
    uint32_t pc_end = run->pc_end;
    while (at < end) {
        struct uop_places places;
        struct known_line *known = NULL;
        if (run->known) {
            known = known_slot(run->known, at);
            uint64_t address;
            const char *next = recall_line(v, known, at, padded, spelling, &address);
            if (next) {
                if (counts) {
                    uop_tally_add(&tally, known->op, known->begins, known->pc, address);
                } else {
                    copy_record(record, &known->record);
                    record->uop.address = address;
                    record++;
                }
                at = next;
                continue;
            }
        }
        if (!find_fields(v, &places, at, pc_end, padded) ||
            !convert(v, &places, spelling, record)) {
            const uint32_t found = find_pc_end(v, at);
            if (found == pc_end || found == 0) break;
            pc_end = found;
            continue;
        }
        const __m256i key = key_of(&places);
        const size_t slot = slot_of(key);
        if (_mm256_movemask_epi8(_mm256_cmpeq_epi8(key, pairs->key[slot])) != -1) {
            run->unknown = true;
            run->places = places;
            break;
        }
        record->uop.macro = pairs->names[slot].macro;
        record->uop.micro = pairs->names[slot].micro;
        if (known) {
            remember_line(known, at, &places, padded, record);
            run->missed++;
        }
        record++;
        at = places.next;
    }
    if (counts) uop_tally_end(&tally, run->stats, spelling);
    run->counted += tally.count;
    run->records = record;
    run->at = at;
    run->pc_end = pc_end;
}

FOR_SIMD static __attribute__((noinline)) void decode_padded(const struct uop_vectors *restrict v,
                                                             struct run *restrict run,
                                                             const struct pairs *restrict pairs)
{
    decode_run(v, run, pairs, true, SPOOR_NO_NAME, false);
}

FOR_SIMD static __attribute__((noinline)) void decode_single(const struct uop_vectors *restrict v,
                                                             struct run *restrict run,
                                                             const struct pairs *restrict pairs,
                                                             spoor_name spelling)
{
    decode_run(v, run, pairs, false, spelling, false);
}

FOR_SIMD static __attribute__((noinline)) void count_padded(const struct uop_vectors *restrict v,
                                                            struct run *restrict run,
                                                            const struct pairs *restrict pairs)
{
    decode_run(v, run, pairs, true, SPOOR_NO_NAME, true);
}

FOR_SIMD static __attribute__((noinline)) void count_single(const struct uop_vectors *restrict v,
                                                            struct run *restrict run,
                                                            const struct pairs *restrict pairs,
                                                            spoor_name spelling)
{
    decode_run(v, run, pairs, false, spelling, true);
}

/* ---- a batch ---- */

/* True if it is worth looking for known lines: not where most are new. */
struct bypass {
    size_t lines, missed; /* since the last decision */
    unsigned blocks;      /* the same */
    unsigned rest;        /* blocks to go without, until the next */
};

static void adapt_bypass(struct bypass *bypass, size_t lines, size_t missed)
{
    if (bypass->rest > 0) {
        bypass->rest--;
        return;
    }
    bypass->lines += lines;
    bypass->missed += missed;
    if (++bypass->blocks < BYPASS_SAMPLE) return;
    const bool fails = bypass->missed > bypass->lines / 2;
    *bypass = (struct bypass){.rest = fails ? BYPASS_BLOCKS : 0};
}

/* State from batch to batch: ids and lines stay valid. */
struct fast {
    struct uop_reading reading;
    struct uop_vectors vectors;
    struct pairs pairs;
    bool single; /* the layout of the run before */
    struct bypass bypass;
    _Alignas(ALIGNMENT) struct known_line known[KNOWN_LINES];
};

/* Decodes the lines of either layout; returns the number of bytes decoded. */
static size_t decode_known_layouts(struct fast *fast, struct run *run)
{
    const char *begin = run->at;
    const spoor_name single = fast->reading.spellings.single;
    int refused = 0;
    while (run->at < run->end && refused < 2) {
        const char *at = run->at;
        run->unknown = false;
        if (!fast->single)
            (run->stats ? count_padded : decode_padded)(&fast->vectors, run, &fast->pairs);
        else if (single != SPOOR_NO_NAME)
            (run->stats ? count_single : decode_single)(&fast->vectors, run, &fast->pairs, single);
        if (run->unknown) {
            if (!learn_pair(fast->reading.decoder->names, &fast->pairs, &run->places)) break;
            refused = 0;
        } else if (run->at < run->end) {
            refused = run->at > at ? 1 : refused + 1;
            fast->single = !fast->single;
        }
    }
    return (size_t)(run->at - begin);
}

/* Decodes lines that begin in [at, end); returns their end.  A sink that counts may get some of
 * them without records. */
static const char *decode_block(struct fast *fast, const char *at, const char *end,
                                struct record_sink *sink)
{
    struct spoor_batch *batch = fast->reading.batch;
    const size_t maximum = (size_t)(end - at) / MIN_LINE + 1;
    struct spoor_record *records = spoor_batch_reserve(batch, maximum);
    if (!records) return at;
    struct run run = {.at = at,
                      .end = end,
                      .pc_end = 3,
                      .records = records,
                      .known = fast->bypass.rest ? NULL : fast->known,
                      .stats = sink ? sink->stats : NULL};
    decode_known_layouts(fast, &run);
    const size_t lines = (size_t)(run.records - records);
    adapt_bypass(&fast->bypass, lines + run.counted, run.missed);
    batch->count += lines;
    if (sink) sink->records += run.counted;
    return run.at;
}

/* Decodes the line at `at` in one way or the other, and perhaps some more: where those end. */
static const char *decode_some(struct fast *fast, const char *at, const char *end,
                               struct record_sink *sink)
{
    const ptrdiff_t capacity = end - at + PADDING - REACH; /* bytes in which lines may begin */
    if (capacity > 0 && at - fast->reading.batch->text >= UOP_BEFORE) {
        const char *after =
            decode_block(fast, at, at + (capacity < BLOCK ? capacity : BLOCK), sink);
        if (after > at) return after;
    }
    return uop_decode_line(&fast->reading, at);
}

/* Decodes all lines of a batch. */
static void decode_batch(struct fast *fast, struct spoor_batch *batch, struct record_sink *sink)
{
    const char *at = batch->text, *end = at + batch->text_size;
    while (at < end) {
        at = decode_some(fast, at, end, sink);
        if (sink) sink->consume(sink, batch);
    }
}

/* Returns zeroed decoder state.  A short trace never touches most of it.  A long one touches all of
 * it here, because reading a page before writing it interrupts other threads. */
static void *new_block(const struct spoor_batch *batch)
{
    const size_t size = sizeof(struct fast) + ALIGNMENT;
    if (batch->last) return calloc(1, size);
    void *block = aligned_alloc(ALIGNMENT, size); /* with malloc(), it would become calloc() */
    if (block) memset(block, 0, size);
    return block;
}

/* Decodes a batch: what uop_decode_lines() does. */
FOR_SIMD static inline void decode_all(const struct decoder *decoder, struct spoor_batch *batch,
                                       struct record_sink *sink)
{
    void *block = decoder->state ? *decoder->state : NULL;
    const bool begins = !block;
    if (begins) block = new_block(batch);
    if (!block) {
        uop_decode_lines(decoder, batch, sink);
        return;
    }
    struct fast *fast = (void *)(((uintptr_t)block + ALIGNMENT - 1) & ~(uintptr_t)(ALIGNMENT - 1));
    if (begins) fast->vectors = uop_vectors();
    fast->reading.decoder = decoder;
    fast->reading.batch = batch;
    decode_batch(fast, batch, sink);
    if (decoder->state)
        *decoder->state = block;
    else
        free(block);
}
#endif
