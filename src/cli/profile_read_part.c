/* SPDX-License-Identifier: MIT */
/* profile_read_part.c: reads the events of a part of a trace and writes them as a partial result.
 */
#include "cli/profile_read_part.h"

#include "cli/indexed.h"
#include "cli/shard.h"
#include "cli/skip.h"
#include "spoor/partial.h"

static bool refuse(const char *why)
{
    complain("profile --partial-result: %s", why);
    return false;
}

bool profile_has_parts(const struct profiled_settings *settings, enum spoor_profile_by by)
{
    if (by != SPOOR_PROFILE_FUNCTIONS)
        return refuse("parts are profiles by function, found --by: `coverage` counts addresses in "
                      "parts");
    if (settings->caches.count || settings->branch)
        return refuse("simulated caches and predictors begin with the trace, found --cache or "
                      "--branch");
    return true;
}

static int write_part(const struct settings *settings, const struct spoor_profile_part *part,
                      const char *path, const struct trace_input *input)
{
    struct spoor_result *head = spoor_result_new_object();
    const struct spoor_partial_options about = {
        .trace = path, .format = spoor_format_name(input->stream->format), .head = head};
    struct shard_file file;
    spoor_result_text(head, "trace", path);
    if (shard_begin(&file, settings, &about, !input->broken) == SPOOR_OK)
        file.status = spoor_profile_part_save(part, file.partial, &file.error);
    spoor_result_free(head);
    return shard_end(&file);
}

/* Feeds the records from the beginning of a segment up to the last one of the part. */
static int read_part(const struct settings *settings, struct spoor_profile_part *part,
                     const char *path)
{
    struct settings all = *settings;
    const struct range *range = &settings->selection.records;
    const uint64_t first = spoor_profile_part_begin(part);
    const uint64_t last = range->given ? range->last : UINT64_MAX;
    struct trace_input input;
    const struct spoor_batch *batch;
    struct spoor_error error = {0};
    enum spoor_status status = SPOOR_OK;
    all.selection.records.given = false; /* what lies before the part is read, too */
    if (!input_open(&input, path, &all)) return input.exit_code;
    input_skip(&input, path, &(struct spoor_skipper_options){.records = {true, first, last}});
    while (status == SPOOR_OK && input_next(&input, &batch) && batch->first <= last)
        if (batch->first >= first) status = spoor_profile_part_feed(part, batch, &error);
    if (status == SPOOR_OK) status = spoor_profile_part_end(part, &error);
    const int code = status == SPOOR_OK ? write_part(settings, part, path, &input) : fail(&error);
    return worse(code, input_close(&input));
}

/* The part by the index of the trace. */
static int read_indexed(const struct profiled_settings *settings, struct spoor_select *where,
                        bool edges, const char *path)
{
    const struct range *range = &settings->common.selection.records;
    struct spoor_profile_part_options options = {.struct_size = sizeof options,
                                                 .unit = (enum spoor_profile_unit)settings->unit,
                                                 .where = where,
                                                 .cpu = settings->cpu,
                                                 .edges = edges};
    struct spoor_profile_part *part = NULL;
    struct spoor_error error = {0};
    struct indexing indexing;
    struct spoor_index *index = NULL;
    int code = EXIT_CLEAN;
    indexing_start(&indexing, &settings->common, settings->no_index);
    if (!indexing_open(&indexing, path, &index, &code)) return code;
    options.index = index;
    if (range->given) options.first = range->first;
    if (range->given && range->last < UINT64_MAX) options.records = range->last - range->first + 1;
    if (spoor_profile_part_new(&part, &options, &error) == SPOOR_OK)
        code = worse(code, read_part(&settings->common, part, path));
    else
        code = worse(code, fail(&error));
    spoor_profile_part_free(part);
    spoor_index_close(index);
    return code;
}

int profile_read_part(const struct profiled_settings *settings, bool edges, const char *path)
{
    struct located located;
    struct spoor_select *where = NULL;
    struct spoor_error error = {0};
    int code = EXIT_USAGE;
    if (!located_open_named(&located, &settings->common, path)) return located.code;
    if (located.images || located.fills)
        complain("profile --partial-result: functions are named from whole traces, found an image "
                 "or a trace that names them");
    else if (settings->where && spoor_select_compile(&where, settings->where, &error) != SPOOR_OK)
        code = fail_option("--where", &error);
    else
        code = read_indexed(settings, where, edges, path);
    spoor_select_free(where);
    return worse(located_close(&located), code);
}
