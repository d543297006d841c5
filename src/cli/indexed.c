/* SPDX-License-Identifier: MIT */
/* indexed.c: obtains the index of a trace, and describes it. */
#include "cli/indexed.h"
#include "cli/transfer.h"

#include "explore/activity_section.h"
#include "explore/pc_counts.h"

/* Folds of the verbs, in the order of their ids. */
const struct index_fold *const known_folds[] = {&activity_fold, &pc_counts_fold, NULL};

static void print_message(void *context, const char *sentence)
{
    struct indexing *indexing = context;
    progress_clear(&indexing->progress);
    if (!indexing->settings->quiet) complain("%s", sentence);
}

static void show_progress(void *context, const struct spoor_reader *reader)
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
        .use = {.options = {.format = settings->from,
                            .decode = {.dialect = settings->dialect,
                                       .implicit_thumb = settings->implicit_thumb,
                                       .isa = (enum spoor_isa)settings->isa},
                            .threads = thread_count(settings),
                            .memory = settings->memory,
                            .progress = show_progress,
                            .context = indexing},
                .nowhere = no_index,
                .tell = print_message},
    };
}

struct index_writing *indexing_while_writing(const struct settings *settings)
{
    const struct index_options options = {.decode = {.dialect = settings->dialect,
                                                     .implicit_thumb = settings->implicit_thumb,
                                                     .isa = (enum spoor_isa)settings->isa},
                                          .folds = known_folds};
    return index_writing_new(&options);
}

/* True if a record does not follow the format, or has a name beyond the table of names. */
static bool has_faults(const struct index *index)
{
    for (size_t i = 0; i < index->count; i++)
        if (index->segments[i].flags & SEGMENT_FAULTS) return true;
    return false;
}

int index_state_damage(const struct index *index, const char *path)
{
    if (index->damage) complain("%s", index->damage);
    const bool faulty = has_faults(index);
    if (faulty)
        complain("%s: has records that do not keep its format, or names beyond the first 65,534: "
                 "spoor check lists them",
                 path);
    return index->damage || faulty ? EXIT_UNREADABLE : EXIT_CLEAN;
}

bool indexing_is_same(struct indexing *indexing, const char *path)
{
    const bool same = same_file_still(&indexing->file, path);
    indexing->file.known &= same;
    return same;
}

bool indexing_open(struct indexing *indexing, const char *path, struct index **index, int *code)
{
    struct spoor_error error = {0};
    if (!indexing->file.known) indexing->file = same_file_of(path);
    const enum spoor_status status =
        index_open(index, path, &indexing->use, &indexing->origin, &error);
    progress_clear(&indexing->progress);
    if (status != SPOOR_OK) {
        *code = fail(&error);
        return false;
    }
    if (!indexing_is_same(indexing, path)) *code = worse(*code, EXIT_UNREADABLE);
    *code = worse(*code, index_state_damage(*index, path));
    return true;
}

static void put_kinds(const struct index *index, struct spoor_result *result)
{
    static const char *const names[SPOOR_KINDS] = {
        "notes", "micro_ops",   "instructions", "flow",  "registers", "accesses",
        "bus",   "maintenance", "cache",        "walks", "tlb",       "events"};
    struct spoor_result *kinds = spoor_result_object(result, "segments_with");
    for (int kind = 0; kind < SPOOR_KINDS; kind++) {
        uint64_t count = 0;
        for (size_t i = 0; i < index->count; i++) count += index->segments[i].kinds >> kind & 1;
        if (count) spoor_result_unsigned(kinds, names[kind], count);
    }
}

static void put_folds(const struct index *index, struct spoor_result *result)
{
    for (const struct index_fold *const *fold = known_folds; *fold; fold++) {
        size_t size;
        if (index_section(index, (*fold)->id, (*fold)->version, &size))
            spoor_result_unsigned(result, (*fold)->name, size);
    }
}

void index_describe(const struct index *index, struct spoor_result *result)
{
    uint64_t sets = 0, state = 0;
    for (size_t i = 0; i < index->count; i++) {
        sets += index->segments[i].sets.size;
        state += index->segments[i].state.size;
    }
    spoor_result_text(result, "index", index->path);
    spoor_result_text(result, "format", spoor_format_name(index->format));
    spoor_result_unsigned(result, "records", index->records);
    spoor_result_unsigned(result, "bytes", index->bytes);
    spoor_result_unsigned(result, "segments", index->count);
    spoor_result_bool(result, "entered_anywhere", index->enterable);
    spoor_result_unsigned(result, "inflated_to_enter", index_entry_cost(index));
    spoor_result_text(result, "instruction_set", isa_name(index->machine.isa));
    spoor_result_unsigned(result, "cpus", machine_cpu_count(&index->machine));
    spoor_result_unsigned(result, "names_of_registers",
                          spoor_names_count(index->machine.registers) - 1);
    struct spoor_result *size = spoor_result_object(result, "size");
    spoor_result_unsigned(size, "bytes", index->size);
    spoor_result_unsigned(size, "memory", sets);
    spoor_result_unsigned(size, "registers_and_calls", state);
    spoor_result_real(
        size, "percent_of_trace",
        index->trace.size ? 100.0 * (double)index->size / (double)index->trace.size : 0.0, 3);
    spoor_result_real(size, "percent_of_content",
                      index->bytes ? 100.0 * (double)index->size / (double)index->bytes : 0.0, 3);
    put_folds(index, size);
    put_kinds(index, result);
}
