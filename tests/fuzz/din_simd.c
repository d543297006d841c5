/* SPDX-License-Identifier: MIT */
/*
 * din_simd.c: the fuzz target of din straight into references, FUZZ_LINES the fast way: what it
 * gives is what the line scanner gives, and what records give.  Each input follows good lines,
 * which the fast way takes, and stands before some.
 */
#include <string.h>

#include "formats/din/reference_line.h"
#include "fuzz/fuzz.h"
#include "support/projection.h"

extern const struct spoor_format format_din;

static const char before[] = "2 401ab70\n1 1fff0006e8\n", behind[] = "\n0 ffffffffffffffff\n2 0\n";

static void project(const char *text, size_t size, bool by_order, bool fast,
                    struct spoor_batch *batch)
{
    struct spoor_stream stream = {.path = "fuzz",
                                  .format = &format_din,
                                  .names = spoor_names_new(),
                                  .spellings = spoor_names_new()};
    const struct decoder decoder = {.names = stream.names, .spellings = stream.spellings};
    const struct projection projection = {.kind = PROJECT_REFERENCES,
                                          .options = {.pc_by_order = by_order}};
    struct reference_syntax syntax = din_syntax;
    syntax.fast = fast ? FUZZ_LINES : NULL;
    *batch = (struct spoor_batch){.stream = &stream, .text = calloc(1, size + 64), .last = true};
    if (!batch->text) abort();
    memcpy(batch->text, text, size);
    batch->text_size = size;
    reference_lines_project(&decoder, &projection, batch, &syntax);
    spoor_names_free(stream.names);
    spoor_names_free(stream.spellings);
}

static void compare(const char *text, size_t size, bool by_order)
{
    struct spoor_batch plain, fast;
    project(text, size, by_order, false, &plain);
    project(text, size, by_order, true, &fast);
    const struct reference_view *a = plain.view, *b = fast.view;
    DEMAND(plain.count == fast.count, "%zu lines, fast %zu", plain.count, fast.count);
    DEMAND(plain.fault_count == fast.fault_count, "faults");
    DEMAND(a->count == b->count, "%zu references, fast %zu", a->count, b->count);
    for (size_t i = 0; i < a->count; i++)
        DEMAND(memcmp(&a->items[i], &b->items[i], sizeof *a->items) == 0, "reference %zu", i);
    DEMAND(a->led == b->led && a->lead == b->lead && a->unled == b->unled, "the last fetch");
    spoor_batch_free(&plain);
    spoor_batch_free(&fast);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const size_t first = sizeof before - 1, last = sizeof behind - 1;
    char *text = malloc(first + size + last);
    if (!text) abort();
    memcpy(text, before, first);
    if (size) memcpy(text + first, bytes, size);
    memcpy(text + first + size, behind, last);
    compare(text, first + size + last, true);
    compare(text + first, size, false);
    const char *difference = projection_difference(&format_din, text, first + size + last);
    DEMAND(!difference, "%s", difference);
    free(text);
    return 0;
}
