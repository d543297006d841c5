/* SPDX-License-Identifier: MIT */
/* selecting.c: batches of the selected records of a trace. */
#include "cli/selecting.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sorted.h"
#include "cli/simpoints.h"
#include "cli/skip.h"

/* The source of a run of records. */
struct taking {
    const struct spoor_batch *batch;
    size_t line;    /* of the batch, that begins at `at` */
    const char *at; /* in its text */
};

struct selecting {
    struct spoor_select *where;
    struct spoor_cut_options options;
    struct spoor_cut *cut;
    struct spoor_batch batch; /* the selected records; its other memory is that of what was read */
    struct spoor_record *records;
    size_t capacity;
    struct spoor_spill *spills;
    size_t spill_capacity;
    struct spoor_fault *faults;
    size_t fault_capacity;
    const struct spoor_batch *read; /* the batch that they were selected from */
    struct run {
        size_t first, from; /* the run begins at record `first`, which was record `from` */
    } * runs;
    size_t run_count, run_capacity;
    uint64_t count; /* of records so far */
    struct spoor_references references;
    struct spoor_branches branches;
    bool gave_last;
    uint64_t warm_end; /* the record after the warm-up */
    bool counts;       /* what was given lies after it */
    struct taking taking;
    size_t rest, rest_end; /* records of the batch that was read, which are given next */
};

/* Of all traces of this run of the program. */
static struct {
    bool asked, found;
} verdict;

static bool selects(const struct record_selection *selection)
{
    return selection->records.given || selection->time.given || selection->cpu || selection->where;
}

void selecting_note(bool found)
{
    verdict.asked = true;
    verdict.found |= found;
}

int selecting_verdict(int code)
{
    if (code != EXIT_CLEAN || !verdict.asked || verdict.found) return code;
    complain("no record was selected");
    return EXIT_NOTHING;
}

const char *selecting_words(const struct settings *settings)
{
    return selects(&settings->selection) ? " in the selected records" : "";
}

/* The records of a selection with those of its warm-up. */
static struct spoor_span span_of_records(const struct record_selection *selection)
{
    const struct range *range = &selection->records;
    const uint64_t warmup = range->first < selection->warmup ? range->first : selection->warmup;
    return (struct spoor_span){range->given, range->first - warmup, range->last};
}

static struct spoor_span span(const struct range *range)
{
    return (struct spoor_span){range->given, range->first, range->last};
}

/* A new one, with the memory of that of the simpoint before. */
static struct selecting *selecting_new(const struct settings *settings)
{
    struct carried *carried = settings->carried;
    struct selecting *selecting = carried ? carried->selecting : NULL;
    if (!selecting) return calloc(1, sizeof *selecting);
    carried->selecting = NULL;
    *selecting = (struct selecting){.records = selecting->records,
                                    .capacity = selecting->capacity,
                                    .spills = selecting->spills,
                                    .spill_capacity = selecting->spill_capacity,
                                    .faults = selecting->faults,
                                    .fault_capacity = selecting->fault_capacity,
                                    .runs = selecting->runs,
                                    .run_capacity = selecting->run_capacity};
    return selecting;
}

bool selecting_begin(struct trace_input *trace_input, const char *path)
{
    const struct record_selection *selection = &trace_input->settings->selection;
    struct spoor_error error = {0};
    if (!selects(selection)) return true;
    struct selecting *selecting = trace_input->selecting = selecting_new(trace_input->settings);
    if (selecting && selection->where &&
        spoor_select_compile(&selecting->where, selection->where, &error) != SPOOR_OK) {
        trace_input->exit_code = fail_option("--where", &error);
        return false;
    }
    if (selecting) {
        selecting->options = (struct spoor_cut_options){.records = span_of_records(selection),
                                                        .time = span(&selection->time),
                                                        .cpu = selection->cpu,
                                                        .where = selecting->where};
        (void)spoor_cut_new(&selecting->cut, &selecting->options, NULL);
    }
    if (!selecting || !selecting->cut) {
        complain("memory ran out");
        trace_input->exit_code = EXIT_UNREADABLE;
        return false;
    }
    selecting->warm_end = selection->records.first;
    selecting->counts = selecting->options.records.first == selecting->warm_end;
    selecting_note(false);
    const struct spoor_cut_options *options = &selecting->options;
    if (selection->numbered) selecting->count = selection->records.first;
    if (!selection->no_index && !trace_input->fills && !trace_input->again)
        input_skip(trace_input, path,
                   &(struct spoor_skipper_options){.records = options->records,
                                                   .time = options->time,
                                                   .cpu = options->cpu,
                                                   .where = options->where});
    return true;
}

void selecting_free(struct selecting *selecting)
{
    if (!selecting) return;
    free(selecting->records);
    free(selecting->spills);
    free(selecting->faults);
    free(selecting->runs);
    free(selecting);
}

void selecting_end(struct trace_input *trace_input)
{
    struct selecting *selecting = trace_input->selecting;
    struct carried *carried = trace_input->settings->carried;
    if (!selecting) return;
    spoor_cut_free(selecting->cut);
    spoor_select_free(selecting->where);
    spoor_references_free(&selecting->references);
    spoor_branches_free(&selecting->branches);
    if (carried && !carried->selecting)
        carried->selecting = selecting;
    else
        selecting_free(selecting);
}

/* Goes on to the line of this number. */
static const char *go_to_line(struct taking *taking, size_t line)
{
    const char *end = taking->batch->text + taking->batch->text_size;
    for (; taking->line < line && taking->at < end; taking->line++) {
        const char *newline = memchr(taking->at, '\n', (size_t)(end - taking->at));
        taking->at = newline ? newline + 1 : end;
    }
    return taking->at;
}

/* The number of bytes of the trace that the records of a run occupy. */
static size_t bytes_of_run(struct taking *taking, size_t from, size_t to)
{
    const struct spoor_batch *batch = taking->batch;
    if (batch->stream->length || (batch->stream->record_size && batch->offset == 0)) {
        const uint64_t begin = spoor_batch_offset(batch, from);
        const uint64_t end =
            to < batch->count ? spoor_batch_offset(batch, to) : batch->offset + batch->text_size;
        return (size_t)(end - begin);
    }
    if (batch->stream->record_size) return (to - from) * batch->stream->record_size;
    const char *begin = go_to_line(taking, spoor_batch_place(batch, from));
    return (size_t)(go_to_line(taking, spoor_batch_place(batch, to - 1) + 1) - begin);
}

/* True if the run is the whole batch that was read, of a text, where each line has a record: so the
 * bytes of the run are those of the batch. */
static bool is_all(const struct selecting *selecting, size_t from, size_t to)
{
    const struct spoor_batch *read = selecting->read;
    return from == 0 && to == read->count &&
           (selecting->counts || read->first + to <= selecting->warm_end) &&
           !read->stream->record_size && !read->stream->length;
}

/* All records of the batch that was read, where they lie. */
static void put_all(struct selecting *selecting)
{
    const struct spoor_batch *read = selecting->read;
    struct spoor_batch *own = &selecting->batch;
    selecting->runs[selecting->run_count++] = (struct run){0, 0};
    own->records = read->records;
    own->count = read->count;
    own->spills = read->spills;
    own->spill_count = read->spill_count;
    own->faults = read->faults;
    own->fault_count = read->fault_count;
    own->text_size = read->text_size;
}

/* The records of a run, their spills and their faults. */
static void put_run(struct selecting *selecting, struct taking *taking, size_t from, size_t to)
{
    const struct spoor_batch *batch = taking->batch;
    struct spoor_batch *own = &selecting->batch;
    selecting->runs[selecting->run_count++] = (struct run){own->count, from};
    own->text_size += bytes_of_run(taking, from, to);
    memcpy(selecting->records + own->count, batch->records + from,
           (to - from) * sizeof *batch->records);
    spoor_batch_quote_lists(own, batch, from, to);
    own->count += to - from;
}

/* Begins a batch of selected records of the one that was read. */
static void begin_batch(struct selecting *selecting)
{
    struct spoor_batch *own = &selecting->batch;
    spoor_batch_quote(own, selecting->read);
    own->records = selecting->records;
    own->spills = selecting->spills;
    own->faults = selecting->faults;
    selecting->run_count = 0;
    own->first = selecting->count;
}

/* Adds runs of the batch that was read, up to the end of the warm-up if that lies in it. */
static void put_runs(struct selecting *selecting, size_t from, size_t to)
{
    const uint64_t first = selecting->read->first;
    do {
        size_t end = to;
        if (!selecting->counts && first + to > selecting->warm_end) {
            end = first + from < selecting->warm_end ? (size_t)(selecting->warm_end - first) : from;
            if (end == from && selecting->batch.count == 0) {
                selecting->counts = true;
                end = to;
            }
        }
        if (end > from) put_run(selecting, &selecting->taking, from, end);
        if (end < to) {
            selecting->rest = end;
            selecting->rest_end = to;
            return;
        }
        from = to;
    } while (spoor_cut_run(selecting->cut, &from, &to));
}

/* Numbers the records of a batch that is complete. */
static const struct spoor_batch *end_batch(struct selecting *selecting)
{
    selecting->count += selecting->batch.count;
    selecting_note(selecting->batch.count > 0);
    return &selecting->batch;
}

const struct spoor_batch *selecting_apply(struct trace_input *trace_input,
                                          const struct spoor_batch *batch)
{
    struct selecting *selecting = trace_input->selecting;
    struct spoor_error error = {0};
    const char *cpu;
    bool timed;
    size_t from, to = 0;
    if (skip_passed(trace_input, &cpu, &timed))
        spoor_cut_skip(selecting->cut, batch->stream->names, cpu, timed);
    const uint64_t before = spoor_cut_selected(selecting->cut);
    if (spoor_cut_feed(selecting->cut, batch, &error) != SPOOR_OK) return NULL;
    const size_t count = (size_t)(spoor_cut_selected(selecting->cut) - before);
    if (!array_reserve(&selecting->records, &selecting->capacity, count + 1) ||
        !array_reserve(&selecting->runs, &selecting->run_capacity, count + 1) ||
        !array_reserve(&selecting->spills, &selecting->spill_capacity, batch->spill_count + 1) ||
        !array_reserve(&selecting->faults, &selecting->fault_capacity, batch->fault_count + 1))
        return NULL;
    selecting->read = batch;
    selecting->taking = (struct taking){.batch = batch, .at = batch->text};
    begin_batch(selecting);
    if (!spoor_cut_run(selecting->cut, &from, &to)) return end_batch(selecting);
    if (is_all(selecting, from, to))
        put_all(selecting);
    else
        put_runs(selecting, from, to);
    return end_batch(selecting);
}

bool selecting_rest(struct selecting *selecting, const struct spoor_batch **batch)
{
    const size_t from = selecting->rest, to = selecting->rest_end;
    if (from == to) return false;
    selecting->rest = selecting->rest_end = 0;
    begin_batch(selecting);
    selecting->counts = true;
    put_runs(selecting, from, to);
    *batch = end_batch(selecting);
    return true;
}

bool selecting_counts(const struct selecting *selecting)
{
    return selecting->counts;
}

size_t selecting_origin(const struct selecting *selecting, size_t index,
                        const struct spoor_batch **read)
{
    const size_t before = SORTED_UP_TO(selecting->runs, selecting->run_count, first, index);
    const size_t low = before ? before - 1 : 0;
    *read = selecting->read;
    return selecting->runs[low].from + (index - selecting->runs[low].first);
}

bool selecting_is_over(const struct selecting *selecting)
{
    return spoor_cut_done(selecting->cut);
}

bool selecting_references(struct selecting *selecting, const struct spoor_batch *batch,
                          const struct spoor_reference_options *options,
                          struct spoor_reference_block *block)
{
    struct spoor_references *references = &selecting->references;
    references->count = 0;
    if (spoor_references_add(references, batch, options, NULL) != SPOOR_OK) return false;
    *block = (struct spoor_reference_block){references->items, references->count, batch};
    return true;
}

bool selecting_branches(struct selecting *selecting, const struct spoor_batch *batch,
                        struct spoor_branch_block *block)
{
    struct spoor_branches *branches = &selecting->branches;
    branches->count = 0;
    selecting->gave_last = !batch;
    if ((batch ? spoor_branches_add(branches, batch, NULL) : spoor_branches_end(branches, NULL)) !=
        SPOOR_OK)
        return false;
    *block = (struct spoor_branch_block){.items = branches->items,
                                         .count = branches->count,
                                         .instructions = branches->instructions,
                                         .unresolved = branches->unresolved,
                                         .source = batch};
    return true;
}

bool selecting_gave_last(const struct selecting *selecting)
{
    return selecting->gave_last;
}
