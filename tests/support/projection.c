/* SPDX-License-Identifier: MIT */
/* projection.c: the projections of a format, against its records. */
#include "support/projection.h"

#include <stdlib.h>
#include <string.h>

#include "model/batch_own.h"
#include "support/stats_text.h"
#include "support/trace.h"

/* The bytes as two batches of one stream: what is learnt of the first decodes the second. */
enum { BATCHES = 2 };

struct projected_bytes {
    struct spoor_stream stream;
    void *state;
    struct spoor_batch batches[BATCHES];
};

static void put_text(struct projected_bytes *projected, struct spoor_batch *batch,
                     const void *bytes, size_t size)
{
    batch->stream = &projected->stream;
    batch->text = calloc(1, size + 64);
    if (!batch->text) abort();
    if (size) memcpy(batch->text, bytes, size);
    batch->text_size = size;
    batch->last = true;
}

static void project(struct projected_bytes *projected, const struct spoor_format *format,
                    const struct projection *projection, const void *bytes, size_t size)
{
    *projected = (struct projected_bytes){
        .stream = {.path = "memory", .names = spoor_names_new(), .spellings = spoor_names_new()}};
    spoor_stream_set_format(&projected->stream, format);
    if (!projected->stream.names || !projected->stream.spellings) abort();
    const struct decoder decoder = {.names = projected->stream.names,
                                    .spellings = projected->stream.spellings,
                                    .state = &projected->state};
    for (int i = 0; i < BATCHES; i++) {
        struct spoor_batch *batch = &projected->batches[i];
        put_text(projected, batch, bytes, size);
        format_decode(format, &decoder, projection, batch);
        if (batch->out_of_memory) abort();
        struct carry carry = {0};
        if (!batch->projected && format->resolve) format->resolve(&carry, batch);
        if (carry.tables) format->forget(&carry);
    }
}

static void release(struct projected_bytes *projected)
{
    for (int i = 0; i < BATCHES; i++) spoor_batch_free(&projected->batches[i]);
    free(projected->state);
    spoor_names_free(projected->stream.names);
    spoor_names_free(projected->stream.spellings);
}

static const char *compare_faults(const struct spoor_batch *a, const struct spoor_batch *b)
{
    if (a->count != b->count) return "the count of records";
    if (a->fault_count != b->fault_count) return "the count of faults";
    for (size_t i = 0; i < a->fault_count; i++) {
        const struct spoor_fault *x = &a->faults[i], *y = &b->faults[i];
        char found[2][SPOOR_FOUND_CAPACITY];
        if (x->record != y->record || x->column != y->column) return "the place of a fault";
        if (strcmp(x->rule, y->rule) != 0 || strcmp(x->expected, y->expected) != 0)
            return "the words of a fault";
        if (strcmp(spoor_fault_found(a, x, found[0]), spoor_fault_found(b, y, found[1])) != 0)
            return "what a fault found";
    }
    return NULL;
}

static const char *compare_references(const struct trace *trace, const struct projection *wanted,
                                      const struct reference_view *view)
{
    struct spoor_references references = {0};
    if (spoor_references_add(&references, &trace->batch, &wanted->options, NULL) != SPOOR_OK)
        abort();
    const bool same = references.count == view->count &&
                      (view->count == 0 || memcmp(references.items, view->items,
                                                  view->count * sizeof *view->items) == 0);
    spoor_references_free(&references);
    return same ? NULL : "references";
}

static char *stats_of(const struct spoor_batch *batch)
{
    struct spoor_info *info = NULL;
    if (spoor_info_new(&info, NULL, NULL) != SPOOR_OK ||
        spoor_info_feed(info, batch, NULL) != SPOOR_OK)
        abort();
    return stats_text(info, batch->stream);
}

static const char *compare_stats(const struct trace *trace, const struct spoor_batch *batch)
{
    char *one = stats_of(&trace->batch), *other = stats_of(batch);
    const bool same = strcmp(one, other) == 0;
    free(one);
    free(other);
    return same ? NULL : "accounts";
}

static const char *compare_content(const struct trace *trace, const struct projection *wanted,
                                   const struct spoor_batch *batch)
{
    switch (wanted->kind) {
    case PROJECT_REFERENCES: return compare_references(trace, wanted, batch_own_of(batch)->view);
    case PROJECT_STATS:
    case PROJECT_DIGEST: break; /* no view that stands for records */
    }
    return compare_stats(trace, batch);
}

static const char *compare(const struct trace *trace, const struct projection *wanted,
                           const void *bytes, size_t size)
{
    struct projected_bytes projected;
    project(&projected, trace->stream.format, wanted, bytes, size);
    const char *difference = NULL;
    for (int i = 0; i < BATCHES && !difference; i++) {
        difference = compare_faults(&trace->batch, &projected.batches[i]);
        if (!difference) difference = compare_content(trace, wanted, &projected.batches[i]);
    }
    release(&projected);
    return difference;
}

const char *projection_difference(const struct spoor_format *format, const void *bytes, size_t size)
{
    struct trace trace;
    const char *difference = NULL;
    trace_decode(&trace, format, bytes, size);
    for (int selection = SPOOR_BUS_ALL; selection <= SPOOR_BUS_MEMORY; selection++) {
        struct projection wanted = {
            .kind = PROJECT_REFERENCES,
            .options = {.bus = (enum spoor_bus_selection)selection,
                        .pc_by_order = selection == SPOOR_BUS_DATA},
            .bus = bus_references((enum spoor_bus_selection)selection),
        };
        if (!difference && format->projects >> PROJECT_REFERENCES & 1)
            difference = compare(&trace, &wanted, bytes, size);
    }
    const struct projection stats = {.kind = PROJECT_STATS};
    if (!difference && format_projects(format, PROJECT_STATS))
        difference = compare(&trace, &stats, bytes, size);
    trace_free(&trace);
    return difference;
}
