/* SPDX-License-Identifier: MIT */
/* trace_input.c: read the batches of a trace and report its damage on stderr. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/selecting.h"
#include "cli/simpoints.h"
#include "cli/skip.h"

enum { FAULTS_REPORTED = 10 };

/* True if the history has the records of the simpoint, too, so that nothing is read. */
static bool replays_all(const struct trace_input *trace_input)
{
    const struct carried *carried = trace_input->settings->carried;
    return carried && carried->replay && carried->gap_end > carried->gap_counted;
}

/* ---- one reader for several simpoints ---- */

/* True if the records that are selected can be read by going on from where the simpoint before
 * ended: they do not begin before its last batch, and no index or table would jump to them. */
static bool reads_on(const struct carried *carried, const struct record_selection *selection)
{
    if (!carried->batch) return true; /* nothing was read */
    enum { FEW_RECORDS = 1 << 16 };   /* about a segment of an index */
    const struct spoor_batch *batch = carried->batch;
    const uint64_t first = selection->records.first;
    const uint64_t start = first - (first < selection->warmup ? first : selection->warmup);
    return start >= batch->first && (start - batch->first < batch->count + FEW_RECORDS ||
                                     !(carried->index || batch->stream->container));
}

/* Takes over the reader of the simpoint before; false: there is none that fits. */
static bool continue_reading(struct trace_input *trace_input)
{
    struct carried *carried = trace_input->settings->carried;
    if (trace_input->fills || !carried || !carried->reader) return false;
    if (reads_on(carried, &trace_input->settings->selection)) {
        trace_input->reader = carried->reader;
        trace_input->last = carried->batch;
        trace_input->again = carried->batch != NULL;
    } else {
        spoor_reader_close(carried->reader);
    }
    carried->reader = NULL;
    return trace_input->reader != NULL;
}

/* Leaves the reader to the next simpoint, or closes it: state of a selection by anything but
 * numbers of records would be lost. */
static void stop_reading(struct trace_input *trace_input)
{
    const struct record_selection *selection = &trace_input->settings->selection;
    struct carried *carried = trace_input->settings->carried;
    if (!carried || carried->reader || trace_input->fills ||
        !(trace_input->last || replays_all(trace_input)) || trace_input->broken ||
        selection->time.given || selection->cpu || selection->where) {
        spoor_reader_close(trace_input->reader);
        return;
    }
    carried->reader = trace_input->reader;
    carried->batch = trace_input->last;
}

bool input_open_with(struct trace_input *trace_input, const char *path,
                     const struct settings *settings, struct spoor_reader_options options)
{
    struct spoor_error error = {0};
    enum spoor_status status = SPOOR_OK;
    options.format = settings->from;
    options.threads = thread_count(settings);
    options.memory = settings->memory;
    options.decode = (struct spoor_decode_options){settings->dialect, settings->implicit_thumb,
                                                   (enum spoor_isa)settings->isa};
    *trace_input = (struct trace_input){.settings = settings,
                                        .fills = options.program != NULL,
                                        .progress = progress_start(settings->quiet)};
    if (strcmp(path, "-") == 0 && isatty(STDIN_FILENO) && !settings->quiet)
        complain("reading a trace from the terminal, up to ^D: expected the name of a file, or a "
                 "pipe");
    if (!continue_reading(trace_input))
        status = spoor_reader_open(&trace_input->reader, path, &options, &error);
    if (status != SPOOR_OK) {
        trace_input->exit_code = status == SPOOR_END ? EXIT_CLEAN : fail(&error);
        trace_input->error = error;
        return false;
    }
    trace_input->stream = spoor_reader_stream(trace_input->reader);
    trace_input->unordered =
        settings->verb->follows && !spoor_format_is_ordered(trace_input->stream->format);
    if (replays_all(trace_input) || selecting_begin(trace_input, path)) return true;
    input_close(trace_input);
    return false;
}

bool input_open(struct trace_input *trace_input, const char *path, const struct settings *settings)
{
    return input_open_with(trace_input, path, settings, (struct spoor_reader_options){0});
}

static void report_fault(struct trace_input *trace_input, const struct spoor_batch *batch,
                         const struct spoor_fault *fault)
{
    progress_clear(&trace_input->progress);
    char place[64], found[SPOOR_FOUND_CAPACITY];
    const unsigned long long line = spoor_batch_line(batch, fault->record);
    if (spoor_format_record_size(trace_input->stream->format))
        snprintf(place, sizeof place, "offset %llu",
                 (unsigned long long)spoor_batch_offset(batch, fault->record));
    else if (line == 0)
        snprintf(place, sizeof place, "after offset %llu", (unsigned long long)batch->offset);
    else if (fault->column)
        snprintf(place, sizeof place, "%llu:%u", line, fault->column);
    else
        snprintf(place, sizeof place, "%llu", line);
    complain("%s:%s: %s: found %s, expected %s", trace_input->stream->path, place, fault->rule,
             spoor_fault_found(batch, fault, found), fault->expected);
}

void put_trace(struct spoor_result *result, const struct trace_input *trace_input)
{
    spoor_result_text(result, "trace", trace_input->stream->path);
    spoor_result_text(result, "format", spoor_format_name(trace_input->stream->format));
}

/* Lines of a trace on a terminal must not be mixed with messages about them. */
static void show_progress(struct trace_input *trace_input)
{
    uint64_t done, size;
    if (!trace_input->progress.on || (trace_input->streams && isatty(STDOUT_FILENO))) return;
    spoor_reader_progress(trace_input->reader, &done, &size);
    progress_update(&trace_input->progress, trace_input->stream->path, done, size);
}

/* Counts the instructions that retired before one that the trace has earlier. */
static void count_misplaced(struct trace_input *trace_input, const struct spoor_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        const struct spoor_record *record = &batch->records[i];
        if (record->kind != SPOOR_INSN || record->op == SPOOR_INSN_SQUASHED ||
            !(record->has & SPOOR_HAS_INDEX))
            continue;
        if (record->insn.index < trace_input->latest)
            trace_input->misplaced++;
        else
            trace_input->latest = record->insn.index;
    }
}

/* Handles the result of the next part of the trace; false if there is none. */
static bool note(struct trace_input *trace_input, enum spoor_status status,
                 const struct spoor_error *error, const struct spoor_batch *batch)
{
    if (status != SPOOR_OK) {
        progress_clear(&trace_input->progress);
        if (status != SPOOR_END) {
            trace_input->exit_code = worse(trace_input->exit_code, fail(error));
            trace_input->broken = true;
            trace_input->error = *error;
            trace_input->starved = error->status == SPOOR_ENOMEM;
        }
        return false;
    }
    for (size_t i = 0; batch && i < batch->fault_count; i++, trace_input->faults++)
        if (trace_input->faults < FAULTS_REPORTED && !trace_input->silent)
            report_fault(trace_input, batch, &batch->faults[i]);
    if (batch && batch->fault_count && !trace_input->silent)
        trace_input->exit_code = worse(trace_input->exit_code, EXIT_UNREADABLE);
    if (batch && trace_input->unordered) count_misplaced(trace_input, batch);
    show_progress(trace_input);
    return true;
}

static bool next_read(struct trace_input *trace_input, const struct spoor_batch **batch)
{
    struct spoor_error error = {0};
    if (trace_input->again) {
        trace_input->again = false;
        *batch = trace_input->last;
        return true;
    }
    enum spoor_status status = skip_ahead(trace_input, &error);
    if (status == SPOOR_OK) status = spoor_reader_next(trace_input->reader, batch, &error);
    trace_input->last = status == SPOOR_OK ? *batch : NULL;
    return note(trace_input, status, &error, status == SPOOR_OK ? *batch : NULL);
}

static bool out_of_memory(struct trace_input *trace_input)
{
    complain("out of memory");
    trace_input->exit_code = worse(trace_input->exit_code, EXIT_UNREADABLE);
    return false;
}

/* The next batch with selected records. */
static bool next_selected(struct trace_input *trace_input, const struct spoor_batch **batch)
{
    const struct spoor_batch *read = NULL;
    if (selecting_rest(trace_input->selecting, batch)) return true;
    while (!selecting_is_over(trace_input->selecting) && next_read(trace_input, &read)) {
        *batch = selecting_apply(trace_input, read);
        if (!*batch) return out_of_memory(trace_input);
        if ((*batch)->count > 0) return true;
    }
    return false;
}

bool input_next(struct trace_input *trace_input, const struct spoor_batch **batch)
{
    return trace_input->selecting ? next_selected(trace_input, batch)
                                  : next_read(trace_input, batch);
}

bool input_next_to_count(struct trace_input *trace_input, const struct spoor_batch **batch)
{
    struct spoor_error error = {0};
    if (trace_input->selecting) return next_selected(trace_input, batch);
    enum spoor_status status = spoor_reader_next_to_count(trace_input->reader, batch, &error);
    return note(trace_input, status, &error, status == SPOOR_OK ? *batch : NULL);
}

/* ---- the history before a simpoint ---- */

/* The state whose history is read; NULL: it has been read. */
static struct carried *replaying(const struct trace_input *trace_input)
{
    struct carried *carried = trace_input->settings->carried;
    return carried && carried->gap < carried->gap_end ? carried : NULL;
}

/* Goes to the gap that is read now, or to the reduced references; false: an error has been
 * printed. */
static bool begin_gap(struct trace_input *trace_input, struct carried *carried)
{
    struct spoor_error error = {0};
    if (!carried->reduced) {
        spoor_replay_begin(carried->replay, carried->gap);
        return true;
    }
    const enum spoor_reduced kind = (enum spoor_reduced)trace_input->settings->reduced;
    if (spoor_replay_begin_reduced(carried->replay, kind, &error) == SPOOR_OK) return true;
    carried->gap = carried->gap_end;
    trace_input->exit_code = worse(trace_input->exit_code, fail(&error));
    return false;
}

/* The history at the gap that is read now; NULL: there is none. */
static struct spoor_replay *gap_of(struct trace_input *trace_input)
{
    struct carried *carried = replaying(trace_input);
    if (!carried) return NULL;
    if (!trace_input->in_gap && !begin_gap(trace_input, carried)) return NULL;
    trace_input->in_gap = true;
    return carried->replay;
}

static void end_gap(struct trace_input *trace_input)
{
    struct carried *carried = trace_input->settings->carried;
    trace_input->in_gap = false;
    if (carried->gap >= carried->gap_counted)
        carried->counted += spoor_replay_instructions(carried->replay, carried->gap);
    carried->gap++;
}

const struct spoor_branch *input_past_branches(struct trace_input *trace_input, size_t *count)
{
    const struct spoor_branch *branches = NULL;
    for (struct spoor_replay *gap; !branches && (gap = gap_of(trace_input));) {
        branches = spoor_replay_branches(gap, count);
        if (!branches) end_gap(trace_input);
    }
    return branches;
}

const struct spoor_reference *input_past_references(struct trace_input *trace_input, size_t *count)
{
    const struct spoor_reference *references = NULL;
    for (struct spoor_replay *gap; !references && (gap = gap_of(trace_input));) {
        references = spoor_replay_references(gap, count);
        if (!references) end_gap(trace_input);
    }
    return references;
}

const struct spoor_memory_violation *input_past_violations(const struct trace_input *trace_input,
                                                           size_t *count)
{
    const struct carried *carried = trace_input->settings->carried;
    *count = 0;
    return carried && carried->replay
               ? spoor_replay_violations(carried->replay, carried->gap_begin, count)
               : NULL;
}

void input_past_again(struct trace_input *trace_input)
{
    struct carried *carried = trace_input->settings->carried;
    if (carried) carried->gap = carried->gap_begin;
    trace_input->in_gap = false;
}

/* ---- views ---- */

static bool next_selected_branches(struct trace_input *trace_input,
                                   struct spoor_branch_block *block)
{
    const struct spoor_batch *batch = NULL;
    if (selecting_gave_last(trace_input->selecting)) return false;
    if (!next_selected(trace_input, &batch)) batch = NULL;
    return selecting_branches(trace_input->selecting, batch, block) || out_of_memory(trace_input);
}

bool input_next_branches(struct trace_input *trace_input, struct spoor_branch_block *block)
{
    struct spoor_error error = {0};
    const struct spoor_branch *branches = input_past_branches(trace_input, &block->count);
    if (branches || replays_all(trace_input)) {
        *block =
            (struct spoor_branch_block){.items = branches,
                                        .count = branches ? block->count : 0,
                                        .instructions = trace_input->settings->carried->counted};
        return branches != NULL;
    }
    if (trace_input->selecting) return next_selected_branches(trace_input, block);
    enum spoor_status status = spoor_reader_next_branches(trace_input->reader, block, &error);
    return note(trace_input, status, &error, status == SPOOR_OK ? block->source : NULL);
}

bool input_next_references(struct trace_input *trace_input,
                           const struct spoor_reference_options *options,
                           struct spoor_reference_block *block)
{
    struct spoor_error error = {0};
    const struct spoor_batch *batch;
    block->source = NULL;
    if ((block->items = input_past_references(trace_input, &block->count))) return true;
    if (replays_all(trace_input)) return false;
    if (trace_input->selecting)
        return next_selected(trace_input, &batch) &&
               (selecting_references(trace_input->selecting, batch, options, block) ||
                out_of_memory(trace_input));
    enum spoor_status status =
        spoor_reader_next_references(trace_input->reader, options, block, &error);
    return note(trace_input, status, &error, status == SPOOR_OK ? block->source : NULL);
}

bool input_counts(const struct trace_input *trace_input)
{
    const struct carried *carried = replaying(trace_input);
    if (carried) return carried->gap >= carried->gap_counted;
    return !trace_input->selecting || selecting_counts(trace_input->selecting);
}

/* The code between branches, or of blocks, that the program does not show. */
static void report_gaps(const struct trace_input *trace_input)
{
    struct spoor_expanded expanded;
    spoor_reader_expanded(trace_input->reader, &expanded);
    if (expanded.gaps == 0 || trace_input->settings->quiet) return;
    complain("%s: of %llu ranges between two branches or blocks, the image does not show the "
             "instructions of "
             "%llu: the first is %llx to %llx: %s",
             trace_input->stream->path, (unsigned long long)expanded.ranges,
             (unsigned long long)expanded.gaps, (unsigned long long)expanded.first_from,
             (unsigned long long)expanded.first_to, expanded.first_reason);
}

/* Instructions that a verb takes in another order than they were executed. */
static void report_misplaced(const struct trace_input *trace_input)
{
    if (trace_input->misplaced == 0 || trace_input->settings->quiet) return;
    complain("%s: instructions that this log has later than they were executed: %llu; %s takes the "
             "log's order: `spoor convert --lossy -t kanata` sorts them",
             trace_input->stream->path, (unsigned long long)trace_input->misplaced,
             trace_input->settings->verb->name);
}

int input_close(struct trace_input *trace_input)
{
    progress_clear(&trace_input->progress);
    if (trace_input->fills) report_gaps(trace_input);
    if (trace_input->unordered) report_misplaced(trace_input);
    if (trace_input->faults > FAULTS_REPORTED && !trace_input->silent)
        complain("%s: %llu more like these: `spoor check` lists them all",
                 trace_input->stream->path,
                 (unsigned long long)(trace_input->faults - FAULTS_REPORTED));
    selecting_end(trace_input);
    skipping_close(trace_input->skipping);
    stop_reading(trace_input);
    return trace_input->exit_code;
}
