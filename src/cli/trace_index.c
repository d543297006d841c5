/* SPDX-License-Identifier: MIT */
/* trace_index.c: obtains the index of a trace. */
#include "cli/trace_index.h"

#include <sys/stat.h>

static void trace_index_print_message(void *context, const char *sentence)
{
    struct trace_index *trace_index = context;
    progress_clear(&trace_index->progress);
    if (!trace_index->settings->quiet) complain("%s", sentence);
}

static void trace_index_show_progress(void *context, const struct spoor_reader *reader)
{
    struct trace_index *trace_index = context;
    uint64_t done, size;
    if (!trace_index->progress.on) return;
    spoor_reader_progress(reader, &done, &size);
    progress_update(&trace_index->progress, spoor_reader_stream(reader)->path, done, size);
}

void trace_index_start(struct trace_index *trace_index, const struct settings *settings)
{
    *trace_index = (struct trace_index){
        .settings = settings,
        .progress = progress_start(settings->quiet),
        .options = {.struct_size = sizeof trace_index->options,
                    .format = settings->from,
                    .decode = decode_options(settings),
                    .threads = thread_count(settings),
                    .memory = settings->memory,
                    .no_index = settings->no_index,
                    .needs = SPOOR_INDEX_SEGMENTS,
                    .tell = trace_index_print_message,
                    .progress = trace_index_show_progress,
                    .context = trace_index},
    };
}

static void trace_index_state(void *context, const char *sentence)
{
    const struct settings *settings = context;
    if (!settings->quiet) complain("%s", sentence);
}

enum spoor_status trace_index_while_writing(struct spoor_index_writer **writing,
                                            const struct settings *settings,
                                            struct spoor_error *error)
{
    const struct spoor_index_options options = {.struct_size = sizeof options,
                                                .decode = decode_options(settings),
                                                .tell = trace_index_state,
                                                .context = (void *)(uintptr_t)settings};
    return spoor_index_writer_open(writing, &options, error);
}

int index_state_damage(const struct spoor_index *index, const char *path)
{
    const char *damage = spoor_index_damage(index);
    if (damage) complain("%s", damage);
    const bool faulty = spoor_index_has_faults(index);
    if (faulty) complain("%s: has faulty records: spoor check lists them", path);
    return damage || faulty ? EXIT_UNREADABLE : EXIT_CLEAN;
}

bool trace_index_is_same(struct trace_index *trace_index, const char *path)
{
    const bool same = same_file_still(&trace_index->file, path);
    trace_index->file.known &= same;
    return same;
}

void state_unverified(const char *path, const struct settings *settings)
{
    const struct spoor_format *container = NULL;
    struct stat status;
    if (settings->quiet || stat(path, &status) != 0 || status.st_size <= SPOOR_CONTAINER_VERIFIED ||
        spoor_reader_container(path, &container, NULL) != SPOOR_OK || !container)
        return;
    complain("%s: is larger than 1 GiB: only the records that the answer needs are verified: spoor "
             "check verifies all",
             path);
}

bool trace_index_find(struct trace_index *trace_index, const char *path, struct spoor_index **index,
                      int *code)
{
    struct spoor_error error = {0};
    if (!trace_index->file.known) trace_index->file = same_file_of(path);
    const enum spoor_status status = spoor_index_open(index, path, &trace_index->options, &error);
    progress_clear(&trace_index->progress);
    if (status != SPOOR_OK) {
        *code = fail(&error);
        return false;
    }
    if (!trace_index_is_same(trace_index, path)) *code = worse(*code, EXIT_UNREADABLE);
    state_unverified(path, trace_index->settings);
    return true;
}

bool trace_index_open(struct trace_index *trace_index, const char *path, struct spoor_index **index,
                      int *code)
{
    if (!trace_index_find(trace_index, path, index, code)) return false;
    *code = worse(*code, index_state_damage(*index, path));
    return true;
}
