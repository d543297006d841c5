/* SPDX-License-Identifier: MIT */
/* indexed.c: obtains the index of a trace. */
#include "cli/indexed.h"

#include <sys/stat.h>

static void indexed_print_message(void *context, const char *sentence)
{
    struct indexing *indexing = context;
    progress_clear(&indexing->progress);
    if (!indexing->settings->quiet) complain("%s", sentence);
}

static void indexed_show_progress(void *context, const struct spoor_reader *reader)
{
    struct indexing *indexing = context;
    uint64_t done, size;
    if (!indexing->progress.on) return;
    spoor_reader_progress(reader, &done, &size);
    progress_update(&indexing->progress, spoor_reader_stream(reader)->path, done, size);
}

void indexing_start(struct indexing *indexing, const struct settings *settings, bool no_index)
{
    *indexing = (struct indexing){
        .settings = settings,
        .progress = progress_start(settings->quiet),
        .options = {.struct_size = sizeof indexing->options,
                    .format = settings->from,
                    .decode = decode_options(settings),
                    .threads = thread_count(settings),
                    .memory = settings->memory,
                    .no_index = no_index,
                    .needs = SPOOR_INDEX_SEGMENTS,
                    .tell = indexed_print_message,
                    .progress = indexed_show_progress,
                    .context = indexing},
    };
}

static void indexed_state(void *context, const char *sentence)
{
    const struct settings *settings = context;
    if (!settings->quiet) complain("%s", sentence);
}

enum spoor_status indexing_while_writing(struct spoor_index_writing **writing,
                                         const struct settings *settings, struct spoor_error *error)
{
    const struct spoor_index_options options = {.struct_size = sizeof options,
                                                .decode = decode_options(settings),
                                                .tell = indexed_state,
                                                .context = (void *)(uintptr_t)settings};
    return spoor_index_writing_open(writing, &options, error);
}

int index_state_damage(const struct spoor_index *index, const char *path)
{
    const char *damage = spoor_index_damage(index);
    if (damage) complain("%s", damage);
    const bool faulty = spoor_index_has_faults(index);
    if (faulty) complain("%s: has faulty records: spoor check lists them", path);
    return damage || faulty ? EXIT_UNREADABLE : EXIT_CLEAN;
}

bool indexing_is_same(struct indexing *indexing, const char *path)
{
    const bool same = same_file_still(&indexing->file, path);
    indexing->file.known &= same;
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

bool indexing_find(struct indexing *indexing, const char *path, struct spoor_index **index,
                   int *code)
{
    struct spoor_error error = {0};
    if (!indexing->file.known) indexing->file = same_file_of(path);
    const enum spoor_status status = spoor_index_open(index, path, &indexing->options, &error);
    progress_clear(&indexing->progress);
    if (status != SPOOR_OK) {
        *code = fail(&error);
        return false;
    }
    if (!indexing_is_same(indexing, path)) *code = worse(*code, EXIT_UNREADABLE);
    state_unverified(path, indexing->settings);
    return true;
}

bool indexing_open(struct indexing *indexing, const char *path, struct spoor_index **index,
                   int *code)
{
    if (!indexing_find(indexing, path, index, code)) return false;
    *code = worse(*code, index_state_damage(*index, path));
    return true;
}
