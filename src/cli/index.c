/* SPDX-License-Identifier: MIT */
/* index.c: the verb `index`: make, describe and check the index of a trace. */
#include "cli/indexed.h"
#include "cli/shard.h"

/* A reading of parts, one after another. */
struct part_reading {
    struct indexing indexing;
    struct spoor_index_part *part; /* NULL: nothing was read yet */
};

struct index_settings {
    struct settings common;
    bool show, verify;
    struct part_reading *parts; /* with --partial-result */
};

static const struct option options[] = {
    {0, "show", NULL, OPTION_FLAG, offsetof(struct index_settings, show),
     "print what is in the index; make it where there is none", NULL, OPTION_DOUBLE_DASH},
    {0, "verify", NULL, OPTION_FLAG, offsetof(struct index_settings, verify),
     "compare the index that is there with a new one", NULL, OPTION_DOUBLE_DASH},
    {0, "shard", "K/N", OPTION_TEXT, offsetof(struct settings, shard),
     "with --partial-result: only the K-th of N parts of the trace that have the same number of "
     "bytes; with K-L/N these parts, one after another",
     NULL, OPTION_DOUBLE_DASH},
    {0, "partial-result", "FILE", OPTION_OUTPUT, offsetof(struct settings, partial_result),
     "write what the index needs of this part to FILE instead; `spoor join` makes the index of all "
     "parts",
     NULL, OPTION_DOUBLE_DASH},
    OPTION_END,
};

static int verify(struct indexing *indexing, const char *path)
{
    struct spoor_error error = {0};
    indexing->file = same_file_of(path);
    const enum spoor_status status = spoor_index_verify(path, &indexing->options, &error);
    progress_clear(&indexing->progress);
    if (!indexing_is_same(indexing, path)) return EXIT_UNREADABLE;
    if (status == SPOOR_OK) return EXIT_CLEAN;
    if (status != SPOOR_END) return fail(&error);
    complain("%s", error.text);
    return EXIT_NO;
}

/* True if the index is in the trace itself. */
static bool has_own(const struct indexing *indexing, const char *path)
{
    struct spoor_index *index;
    if (spoor_index_find(&index, path, &indexing->options, NULL) != SPOOR_OK) return false;
    const bool own = spoor_index_is_embedded(index);
    spoor_index_close(index);
    return own;
}

static int index_trace(const void *context, const char *path, bool *shown, struct spoor_result *all)
{
    const struct index_settings *settings = context;
    struct indexing indexing;
    struct spoor_index *index = NULL;
    int code = EXIT_CLEAN;
    indexing_start(&indexing, &settings->common, false);
    if (settings->verify) return verify(&indexing, path);
    if (!settings->show && !settings->common.json && has_own(&indexing, path)) return code;
    indexing.options.anew = !settings->show;
    if (!indexing_open(&indexing, path, &index, &code)) return code;
    if (settings->show || settings->common.json)
        code = worse(code, index_show(index, path, &settings->common, shown, all));
    if (!index_is_stored(index, path)) code = worse(code, EXIT_UNREADABLE);
    spoor_index_close(index);
    return code;
}

/* ---- parts ---- */

/* Reads the selected bytes, after those of the part before. */
static enum spoor_status read_part(const struct index_settings *settings, const char *path,
                                   struct spoor_error *error)
{
    struct part_reading *parts = settings->parts;
    const struct range *bytes = &settings->common.selection.records;
    enum spoor_status status = SPOOR_OK;
    if (!parts->part) {
        indexing_start(&parts->indexing, &settings->common, true);
        status = spoor_index_part_open(&parts->part, path, &parts->indexing.options, error);
    }
    if (status != SPOOR_OK) return status;
    const bool ends = bytes->given && bytes->last < UINT64_MAX;
    status = spoor_index_part_read(parts->part, bytes->given ? bytes->first : 0,
                                   ends ? bytes->last - bytes->first + 1 : 0, error);
    progress_clear(&parts->indexing.progress);
    return status;
}

static int write_part(void *chosen)
{
    const struct index_settings *settings = chosen;
    const char *path = operand(&settings->common, 0);
    struct spoor_error error = {0};
    struct shard_file file;
    if (read_part(settings, path, &error) != SPOOR_OK) return fail(&error);
    const struct spoor_index_part *part = settings->parts->part;
    const char *format = spoor_format_name(spoor_index_part_format(part));
    if (shard_begin_trace(&file, &settings->common, path, format, true) == SPOOR_OK)
        file.status = spoor_index_part_save(part, file.partial, &file.error);
    return shard_end(&file);
}

static int write_parts(struct index_settings *settings)
{
    struct part_reading parts = {.part = NULL};
    if (settings->show || settings->verify || settings->common.json || settings->common.csv) {
        complain("index --partial-result: a part is not described, found --show, --verify, --json "
                 "or --csv: spoor join --json describes the index of all parts");
        return EXIT_USAGE;
    }
    settings->parts = &parts;
    const int code = shards_run(&settings->common, write_part, settings);
    spoor_index_part_close(parts.part);
    settings->parts = NULL;
    return code;
}

static int run(void *chosen)
{
    struct index_settings *settings = chosen;
    if (settings->common.partial_result) return write_parts(settings);
    if (settings->common.shard) {
        complain("index --shard: a part of an index needs --partial-result");
        return EXIT_USAGE;
    }
    return run_each_trace(&settings->common, index_trace, settings);
}

const struct verb verb_index = {
    .name = "index",
    .brief = "make, describe and check the index of a trace",
    .operands = "TRACE...",
    .about = "Reads each trace once and stores its index as TRACE.spoor-index, or in the cache "
             "folder where that cannot be written.  The verbs that ask a trace (state, who, stack, "
             "slice) make an index themselves where there is none that fits.  An index can be "
             "deleted at any time.  A .spoor file has its index in itself, and gets no other.",
    .options = options,
    .settings_size = sizeof(struct index_settings),
    .results = true,
    .many = true,
    .shards_bytes = true,
    .shards = true,
    .run = run,
};
