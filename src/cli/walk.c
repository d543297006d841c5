/* SPDX-License-Identifier: MIT */
/* walk.c: read the batches of a trace and report its damage on stderr. */
#include <stdio.h>
#include <unistd.h>

#include "cli/cli.h"

enum { FAULTS_TOLD = 10 };

unsigned thread_count(const struct settings *settings)
{
    if (settings->threads) return (unsigned)settings->threads;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 ? (unsigned)cores : 1;
}

bool walk_open_with(struct walk *walk, const char *path, const struct settings *settings,
                    struct spoor_reader_options options)
{
    struct spoor_error error = {0};
    options.format = settings->from;
    options.threads = thread_count(settings);
    options.decode = (struct spoor_decode_options){settings->dialect, settings->implicit_thumb,
                                                   (enum spoor_isa)settings->isa};
    *walk = (struct walk){.settings = settings, .progress = progress_start(settings->quiet)};
    enum spoor_status status = spoor_reader_open(&walk->reader, path, &options, &error);
    if (status != SPOOR_OK) {
        walk->exit_code = status == SPOOR_END ? EXIT_CLEAN : fail(&error);
        return false;
    }
    walk->stream = spoor_reader_stream(walk->reader);
    return true;
}

bool walk_open(struct walk *walk, const char *path, const struct settings *settings)
{
    return walk_open_with(walk, path, settings, (struct spoor_reader_options){0});
}

static void tell(struct walk *walk, const struct spoor_batch *batch,
                 const struct spoor_fault *fault)
{
    progress_clear(&walk->progress);
    char place[64], found[SPOOR_FOUND_ROOM];
    const unsigned long long line = spoor_batch_line(batch, fault->record);
    if (spoor_format_record_size(walk->stream->format))
        snprintf(place, sizeof place, "offset %llu",
                 (unsigned long long)spoor_batch_offset(batch, fault->record));
    else if (line == 0)
        snprintf(place, sizeof place, "after offset %llu", (unsigned long long)batch->offset);
    else if (fault->column)
        snprintf(place, sizeof place, "%llu:%u", line, fault->column);
    else
        snprintf(place, sizeof place, "%llu", line);
    complain("%s:%s: %s: found %s, expected %s", walk->stream->path, place, fault->rule,
             spoor_fault_found(batch, fault, found), fault->expected);
}

/* Lines of a trace on a terminal must not be mixed with messages about them. */
static void show_progress(struct walk *walk)
{
    uint64_t done, size;
    if (!walk->progress.on || (walk->streams && isatty(STDOUT_FILENO))) return;
    spoor_reader_progress(walk->reader, &done, &size);
    progress_update(&walk->progress, walk->stream->path, done, size);
}

/* Handle the result of the next part of the trace; false if there is none. */
static bool note(struct walk *walk, enum spoor_status status, const struct spoor_error *error,
                 const struct spoor_batch *batch)
{
    if (status != SPOOR_OK) {
        progress_clear(&walk->progress);
        if (status != SPOOR_END) walk->exit_code = worse(walk->exit_code, fail(error));
        return false;
    }
    for (size_t i = 0; batch && i < batch->fault_count; i++, walk->faults++)
        if (walk->faults < FAULTS_TOLD && !walk->silent) tell(walk, batch, &batch->faults[i]);
    if (batch && batch->fault_count && !walk->silent)
        walk->exit_code = worse(walk->exit_code, EXIT_UNREADABLE);
    show_progress(walk);
    return true;
}

bool walk_next(struct walk *walk, const struct spoor_batch **batch)
{
    struct spoor_error error = {0};
    enum spoor_status status = spoor_reader_next(walk->reader, batch, &error);
    return note(walk, status, &error, status == SPOOR_OK ? *batch : NULL);
}

bool walk_next_to_count(struct walk *walk, const struct spoor_batch **batch)
{
    struct spoor_error error = {0};
    enum spoor_status status = spoor_reader_next_to_count(walk->reader, batch, &error);
    return note(walk, status, &error, status == SPOOR_OK ? *batch : NULL);
}

bool walk_next_branches(struct walk *walk, struct spoor_branch_block *block)
{
    struct spoor_error error = {0};
    enum spoor_status status = spoor_reader_next_branches(walk->reader, block, &error);
    return note(walk, status, &error, status == SPOOR_OK ? block->source : NULL);
}

bool walk_next_references(struct walk *walk, const struct spoor_reference_options *options,
                          struct spoor_reference_block *block)
{
    struct spoor_error error = {0};
    enum spoor_status status = spoor_reader_next_references(walk->reader, options, block, &error);
    return note(walk, status, &error, status == SPOOR_OK ? block->source : NULL);
}

int walk_close(struct walk *walk)
{
    progress_clear(&walk->progress);
    if (walk->faults > FAULTS_TOLD && !walk->silent)
        complain("%s: %llu more like these: `spoor check` lists them all", walk->stream->path,
                 (unsigned long long)(walk->faults - FAULTS_TOLD));
    spoor_reader_close(walk->reader);
    return walk->exit_code;
}
