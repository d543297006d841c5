/* SPDX-License-Identifier: MIT */
/*
 * tarmac_fast.c: the fuzz target of the fast decoders of common Tarmac lines, by words and by many
 * bytes at a time: they give the same records as the rules.  Each input is read twice, after valid
 * lines that occur twice, and all of this again as a second batch.  The rules decode the first
 * occurrence of a line, which teaches its spelling; the decoder by words the second, which teaches
 * its layout; the decoder by many bytes the third.
 */
#include <string.h>

#include "formats/tarmac/common_lines.h"
#include "fuzz/fuzz.h"
#include "support/fast_ways.h"

enum { BATCHES = 2 };

struct decoded {
    struct spoor_stream stream;
    struct spoor_batch batches[BATCHES];
};

static void put_text(struct spoor_batch *batch, const uint8_t *bytes, size_t size)
{
    const size_t good = sizeof common_lines - 1;
    batch->text_size = 2 * good + 2 * size + 1;
    batch->text = calloc(1, batch->text_size + 64);
    if (!batch->text) abort();
    memcpy(batch->text, common_lines, good);
    memcpy(batch->text + good, common_lines, good);
    char *at = batch->text + 2 * good;
    if (size) memcpy(at, bytes, size);
    at[size] = '\n';
    if (size) memcpy(at + size + 1, bytes, size);
    batch->last = true;
}

/* Replaces dialect_decode_by_rules(). */
static const char *by_rules(const struct reading *reading, const char *at)
{
    (void)reading;
    return at;
}

static void decode_with(struct decoded *decoded, const struct dialect *dialect,
                        const uint8_t *bytes, size_t size, fast_way *way)
{
    *decoded = (struct decoded){.stream = {.path = "fuzz",
                                           .format = spoor_format_find(dialect->format),
                                           .names = spoor_names_new(),
                                           .spellings = spoor_names_new()}};
    void *kept = NULL;
    const struct decoder decoder = {
        .names = decoded->stream.names, .spellings = decoded->stream.spellings, .state = &kept};
    for (int i = 0; i < BATCHES; i++) {
        struct spoor_batch *batch = &decoded->batches[i];
        batch->stream = &decoded->stream;
        put_text(batch, bytes, size);
        if (way == by_rules)
            dialect_decode_by_rules(dialect, &decoder, batch);
        else
            dialect_decode_by(dialect, &decoder, batch, way);
    }
    free(kept);
}

static void release(struct decoded *decoded)
{
    for (int i = 0; i < BATCHES; i++) spoor_batch_free(&decoded->batches[i]);
    spoor_names_free(decoded->stream.names);
    spoor_names_free(decoded->stream.spellings);
}

static void compare_batches(const struct spoor_batch *a, const struct spoor_batch *b)
{
    DEMAND(a->count == b->count, "%zu records, fast %zu", a->count, b->count);
    for (size_t i = 0; i < a->count; i++)
        DEMAND(memcmp(&a->records[i], &b->records[i], sizeof *a->records) == 0, "record %zu", i);
    DEMAND(a->fault_count == b->fault_count, "faults");
    DEMAND(a->spill_count == b->spill_count, "spills");
    DEMAND(a->arena_size == b->arena_size, "arena");
}

static void compare(const struct decoded *rules, const struct decoded *fast)
{
    for (int i = 0; i < BATCHES; i++) compare_batches(&rules->batches[i], &fast->batches[i]);
    DEMAND(spoor_names_count(rules->stream.names) == spoor_names_count(fast->stream.names),
           "names");
    DEMAND(spoor_names_count(rules->stream.spellings) == spoor_names_count(fast->stream.spellings),
           "spellings");
}

static void compare_ways(const struct dialect *dialect, const uint8_t *bytes, size_t size)
{
    fast_way *ways[MAX_FAST_WAYS];
    const size_t count = find_fast_ways(ways);
    struct decoded rules;
    decode_with(&rules, dialect, bytes, size, by_rules);
    for (size_t i = 0; i < count; i++) {
        struct decoded fast;
        decode_with(&fast, dialect, bytes, size, ways[i]);
        compare(&rules, &fast);
        release(&fast);
    }
    release(&rules);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    compare_ways(&dialect_tarmac, bytes, size);
    compare_ways(&dialect_matcher, bytes, size);
    return 0;
}
