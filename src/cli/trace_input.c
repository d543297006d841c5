/* SPDX-License-Identifier: MIT */
/* trace_input.c: read the batches of a trace and report its damage on stderr. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/selection.h"
#include "cli/skip.h"

enum { FAULTS_REPORTED = 10 };

bool input_open_with(struct trace_input *trace_input, const char *path,
                     const struct settings *settings, struct spoor_reader_options options)
{
    struct spoor_error error = {0};
    options.format = settings->from;
    options.threads = thread_count(settings);
    options.memory = settings->memory;
    options.decode = decode_options(settings);
    *trace_input = (struct trace_input){.settings = settings,
                                        .fills = options.program != NULL,
                                        .last = UINT64_MAX,
                                        .progress = progress_start(settings->quiet)};
    if (settings->selection.records.given) trace_input->last = settings->selection.records.last;
    if (strcmp(path, "-") == 0 && isatty(STDIN_FILENO) && !settings->quiet)
        complain("reading a trace from the terminal, up to ^D: expected the name of a file, or a "
                 "pipe");
    const enum spoor_status status =
        spoor_reader_open(&trace_input->reader, path, &options, &error);
    if (status != SPOOR_OK) {
        trace_input->exit_code = status == SPOOR_END ? EXIT_CLEAN : fail(&error);
        trace_input->error = error;
        return false;
    }
    trace_input->stream = spoor_reader_stream(trace_input->reader);
    trace_input->unordered =
        settings->verb->follows && !spoor_format_is_ordered(trace_input->stream->format);
    trace_input->console = spoor_format_has_console(trace_input->stream->format);
    if (selection_open(trace_input, path)) return true;
    input_close(trace_input);
    return false;
}

bool input_open(struct trace_input *trace_input, const char *path, const struct settings *settings)
{
    return input_open_with(trace_input, path, settings, (struct spoor_reader_options){0});
}

static void input_report_fault(struct trace_input *trace_input, const struct spoor_batch *batch,
                               const struct spoor_fault *fault)
{
    progress_clear(&trace_input->progress);
    char place[64], found[SPOOR_FOUND_CAPACITY];
    const unsigned long long line = spoor_batch_line(batch, fault->record);
    if (trace_input->stream->record_size)
        snprintf(place, sizeof place, "offset %llu",
                 (unsigned long long)spoor_batch_offset(batch, fault->record));
    else if (spoor_format_record_size(trace_input->stream->format))
        snprintf(place, sizeof place, "record %llu",
                 (unsigned long long)batch->first + fault->record);
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
    spoor_result_text(result, "format",
                      trace_input->joint ? trace_input->joint->format(trace_input)
                                         : spoor_format_name(trace_input->stream->format));
}

/* Handles the result of the next part of the trace; false if there is none. */
static bool input_note(struct trace_input *trace_input, enum spoor_status status,
                       const struct spoor_error *error, const struct spoor_batch *batch)
{
    if (status != SPOOR_OK) {
        progress_clear(&trace_input->progress);
        if (status != SPOOR_END) {
            const bool said = trace_input->repeats && error->status == SPOOR_EINPUT;
            trace_input->exit_code =
                worse(trace_input->exit_code, said ? exit_for(error) : fail(error));
            trace_input->broken = true;
            trace_input->error = *error;
            trace_input->starved = error->status == SPOOR_ENOMEM;
        }
        return false;
    }
    if (batch) {
        for (size_t i = 0; i < batch->fault_count; i++) {
            /* records of the file are lost: it could not be read, which is no finding about them */
            const bool loss = strcmp(batch->faults[i].rule, "spoor-block") == 0;
            if (batch->first + batch->faults[i].record > trace_input->last) continue;
            if (trace_input->faults < FAULTS_REPORTED && !trace_input->silent &&
                !trace_input->repeats)
                input_report_fault(trace_input, batch, &batch->faults[i]);
            trace_input->faults++;
            if (!trace_input->silent || loss)
                trace_input->exit_code = worse(trace_input->exit_code, EXIT_UNREADABLE);
            if (!loss || trace_input->broken) continue;
            trace_input->broken = true;
            spoor_error_set(&trace_input->error, SPOOR_EINPUT, "%s: records of the file are lost",
                            trace_input->stream->path);
        }
    }
    if (batch && trace_input->unordered) {
        /* instructions that retired before one that the trace has earlier */
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
    if (batch && trace_input->console && !batch->projected) {
        for (size_t i = 0; i < batch->count; i++) {
            const struct spoor_record *record = &batch->records[i];
            trace_input->lines += !(record->has & SPOOR_CONTINUES);
            trace_input->comments += record->kind == SPOOR_NOTE && record->op == SPOOR_NOTE_COMMENT;
        }
    }
    /* Lines of a trace on a terminal must not be mixed with messages about them. */
    if (trace_input->progress.on && !(trace_input->streams && isatty(STDOUT_FILENO))) {
        uint64_t done, size;
        spoor_reader_progress(trace_input->reader, &done, &size);
        progress_update(&trace_input->progress, trace_input->stream->path, done, size);
    }
    return true;
}

static bool input_read(struct trace_input *trace_input, const struct spoor_batch **batch)
{
    struct spoor_error error = {0};
    enum spoor_status status = skip_ahead(trace_input, &error);
    if (status == SPOOR_OK) status = spoor_reader_next(trace_input->reader, batch, &error);
    return input_note(trace_input, status, &error, status == SPOOR_OK ? *batch : NULL);
}

/* The next batch with selected records of the interval. */
static bool input_next_selected(struct trace_input *trace_input, const struct spoor_batch **batch)
{
    struct selection *selection = trace_input->selection;
    const struct spoor_batch *read = NULL;
    for (;;) {
        switch (selection_next(selection, batch)) {
        case SELECTION_BATCH: return true;
        case SELECTION_INTERVAL_ENDS: return false;
        case SELECTION_NEEDS_MORE: break;
        }
        if (trace_input->ended || selection_place(selection).over ||
            !input_read(trace_input, &read)) {
            trace_input->ended = true;
            return false;
        }
        if (!selection_feed(trace_input, read)) return false;
    }
}

bool input_next(struct trace_input *trace_input, const struct spoor_batch **batch)
{
    return trace_input->selection ? input_next_selected(trace_input, batch)
                                  : input_read(trace_input, batch);
}

bool input_next_to_count(struct trace_input *trace_input, const struct spoor_batch **batch)
{
    struct spoor_error error = {0};
    if (trace_input->selection) return input_next_selected(trace_input, batch);
    enum spoor_status status = spoor_reader_next_to_count(trace_input->reader, batch, &error);
    return input_note(trace_input, status, &error, status == SPOOR_OK ? *batch : NULL);
}

bool input_next_branches(struct trace_input *trace_input, struct spoor_branch_block *block)
{
    struct spoor_error error = {0};
    if (trace_input->joint) {
        if (!trace_input->joint->next_branches(trace_input, block)) return false;
    } else if (trace_input->selection) {
        const struct spoor_batch *batch = NULL;
        if (!input_next_selected(trace_input, &batch)) {
            if (!trace_input->ended || trace_input->flushed) return false;
            trace_input->flushed = true;
            batch = NULL;
        }
        if (!selection_branches(trace_input->selection, batch, block)) {
            complain("out of memory");
            trace_input->exit_code = worse(trace_input->exit_code, EXIT_UNREADABLE);
            return false;
        }
    } else {
        const enum spoor_status status =
            spoor_reader_next_branches(trace_input->reader, block, &error);
        if (!input_note(trace_input, status, &error, status == SPOOR_OK ? block->source : NULL))
            return false;
    }
    trace_input->instructions = block->instructions;
    trace_input->cpu_instructions = block->cpu_instructions;
    trace_input->cpu_capacity = block->cpu_capacity;
    return true;
}

bool input_next_references(struct trace_input *trace_input,
                           const struct spoor_reference_options *options,
                           struct spoor_reference_block *block)
{
    struct spoor_error error = {0};
    const struct spoor_batch *batch;
    block->source = NULL;
    if (trace_input->joint) return trace_input->joint->next_references(trace_input, options, block);
    if (trace_input->selection) {
        if (!input_next_selected(trace_input, &batch)) return false;
        if (selection_references(trace_input->selection, batch, options, block)) return true;
        complain("out of memory");
        trace_input->exit_code = worse(trace_input->exit_code, EXIT_UNREADABLE);
        return false;
    }
    enum spoor_status status =
        spoor_reader_next_references(trace_input->reader, options, block, &error);
    return input_note(trace_input, status, &error, status == SPOOR_OK ? block->source : NULL);
}

bool input_counts(const struct trace_input *trace_input)
{
    if (trace_input->joint) return trace_input->joint->counts(trace_input);
    return !trace_input->selection || selection_place(trace_input->selection).counts;
}

int input_close(struct trace_input *trace_input)
{
    const struct settings *settings = trace_input->settings;
    progress_clear(&trace_input->progress);
    if (trace_input->joint) return trace_input->joint->close(trace_input);
    struct spoor_expansion expanded = {.gaps = 0};
    if (trace_input->fills) spoor_reader_expanded(trace_input->reader, &expanded);
    if (expanded.gaps && !settings->quiet)
        complain("%s: of %llu ranges between two branches or blocks, the image does not show the "
                 "instructions of %llu: the first is %llx to %llx: %s",
                 trace_input->stream->path, (unsigned long long)expanded.ranges,
                 (unsigned long long)expanded.gaps, (unsigned long long)expanded.first_from,
                 (unsigned long long)expanded.first_to, expanded.first_reason);
    if (trace_input->unordered && trace_input->misplaced && !settings->quiet)
        complain("%s: instructions that this log has later than they were executed: %llu; %s takes "
                 "the log's order: `spoor convert --lossy -t kanata` sorts them",
                 trace_input->stream->path, (unsigned long long)trace_input->misplaced,
                 settings->verb->name);
    enum { SHARE = 4, FEW = 16 };
    if (trace_input->comments >= FEW && trace_input->comments * SHARE >= trace_input->lines &&
        !settings->quiet)
        complain("%s: %llu of %llu lines are none of %s: they were taken for what other programs "
                 "print",
                 trace_input->stream->path, (unsigned long long)trace_input->comments,
                 (unsigned long long)trace_input->lines,
                 spoor_format_name(trace_input->stream->format));
    if (trace_input->faults > FAULTS_REPORTED && !trace_input->silent && !trace_input->repeats)
        complain("%s: %llu more like these: `spoor check` lists them all",
                 trace_input->stream->path,
                 (unsigned long long)(trace_input->faults - FAULTS_REPORTED));
    if (settings->warmup && !settings->simpoints && !input_counts(trace_input) &&
        trace_input->exit_code == EXIT_CLEAN) { /* the warm-up took all of the trace */
        complain("%s: --warmup %llu: found %llu instructions%s: nothing was counted",
                 trace_input->stream->path, (unsigned long long)settings->warmup,
                 (unsigned long long)selection_place(trace_input->selection).instructions,
                 selection_words(settings));
        trace_input->exit_code = EXIT_NOTHING;
    }
    selection_close(trace_input->selection);
    skip_close(trace_input->skip);
    spoor_reader_close(trace_input->reader);
    return trace_input->exit_code;
}
