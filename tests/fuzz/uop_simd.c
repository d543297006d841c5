/* SPDX-License-Identifier: MIT */
/*
 * uop_simd.c: the fuzz target of the fast decoder of micro-op lines, FUZZ_DECODER: it produces the
 * same records as the line scanner.  Each input follows a valid line of either layout, which the
 * fast decoder handles.
 */
#include <string.h>

#include "base/cpu.h"
#include "formats/uop/uop.h"
#include "fuzz/fuzz.h"

#ifdef FUZZ_DECODER
extern const struct spoor_format format_uop;

static const char before[] =
    "1 48d1e2 -1 5 45 - - L -264 7fffe7ff048 48d1e9 0 CMP LOAD\n"
    "1 48d1e2 -1  5 45 - - L      -264  7fffe7ff048       48d1e9            0 CMP      LOAD\n";

struct decoded {
    struct spoor_stream stream;
    struct spoor_batch batch;
};

/* Decodes `times` times: from the second time on, the lines are known. */
static void decode_with(struct decoded *decoded, const uint8_t *bytes, size_t size,
                        void (*decode)(const struct decoder *, struct spoor_batch *,
                                       struct record_sink *),
                        int times)
{
    const size_t good = sizeof before - 1;
    *decoded = (struct decoded){.stream = {.path = "fuzz",
                                           .format = &format_uop,
                                           .names = spoor_names_new(),
                                           .spellings = spoor_names_new()}};
    struct spoor_batch *batch = &decoded->batch;
    batch->stream = &decoded->stream;
    batch->text = calloc(1, good + size + 64);
    if (!batch->text) abort();
    memcpy(batch->text, before, good);
    if (size) memcpy(batch->text + good, bytes, size);
    void *kept = NULL;
    const struct decoder decoder = {
        .names = decoded->stream.names, .spellings = decoded->stream.spellings, .state = &kept};
    while (times-- > 0) {
        spoor_batch_clear(batch);
        batch->text_size = good + size;
        batch->last = true;
        decode(&decoder, batch, NULL);
    }
    free(kept);
}

static void release(struct decoded *decoded)
{
    spoor_batch_free(&decoded->batch);
    spoor_names_free(decoded->stream.names);
    spoor_names_free(decoded->stream.spellings);
}

static void compare(const uint8_t *bytes, size_t size, int times)
{
    struct decoded plain, fast;
    decode_with(&plain, bytes, size, uop_decode_lines, 1);
    decode_with(&fast, bytes, size, FUZZ_DECODER, times);
    const struct spoor_batch *a = &plain.batch, *b = &fast.batch;
    DEMAND(a->count == b->count, "%zu records, fast %zu", a->count, b->count);
    for (size_t i = 0; i < a->count; i++)
        DEMAND(memcmp(&a->records[i], &b->records[i], sizeof *a->records) == 0, "record %zu", i);
    DEMAND(a->fault_count == b->fault_count, "faults");
    DEMAND(a->spill_count == b->spill_count, "spills");
    DEMAND(spoor_names_count(plain.stream.names) == spoor_names_count(fast.stream.names), "names");
    DEMAND(spoor_names_count(plain.stream.spellings) == spoor_names_count(fast.stream.spellings),
           "spellings");
    release(&plain);
    release(&fast);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (!cpu_has_avx2()) return 0;
    compare(bytes, size, 1);
    compare(bytes, size, 2);
    return 0;
}
#else
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    (void)bytes;
    (void)size;
    return 0;
}
#endif
