/* SPDX-License-Identifier: MIT */
/* profile_read_part.c: reads the events of a part of a trace and writes them as a partial result.
 */
#include "cli/profile_read_part.h"

#include "cli/indexed.h"
#include "cli/shard.h"
#include "cli/skip.h"
#include "explore/profile_part.h"

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

static int out_of_memory(void)
{
    complain("out of memory");
    return EXIT_UNREADABLE;
}

static int write_part(const struct profiled_settings *settings, const struct profile_part *part,
                      bool edges, const char *path, const struct trace_input *input)
{
    const struct profile_part_report report = {(enum spoor_profile_unit)settings->unit,
                                               settings->cpu, edges};
    struct spoor_result *head = spoor_result_new_object();
    struct text packed = {0};
    spoor_result_text(head, "trace", path);
    packed.failed = !spoor_result_complete(head);
    if (!packed.failed) result_pack(&packed, head);
    profile_part_pack(part, &report, &packed);
    const int code = shard_write(&settings->common, path, spoor_format_name(input->stream->format),
                                 &partial_profile, &packed, !input->broken);
    spoor_result_free(head);
    text_free(&packed);
    return code;
}

/* Feeds the records from the beginning of a segment up to the last one of the part. */
static int read_part(const struct profiled_settings *settings,
                     const struct profile_part_options *options, bool edges, const char *path)
{
    struct settings all = settings->common;
    struct trace_input input;
    const struct spoor_batch *batch;
    const uint64_t first = profile_part_begin(options);
    all.selection.records.given = false; /* what lies before the part is read, too */
    if (!input_open(&input, path, &all)) return input.exit_code;
    input_skip(&input, path, &(struct index_selection){.records = {true, first, options->last}});
    struct profile_part *part = profile_part_new(options);
    bool good = part != NULL;
    while (good && input_next(&input, &batch) && batch->first <= options->last)
        if (batch->first >= first) good = profile_part_feed(part, batch);
    good = good && profile_part_end(part);
    const int code = good ? write_part(settings, part, edges, path, &input) : out_of_memory();
    profile_part_free(part);
    return worse(code, input_close(&input));
}

/* The part by the index of the trace. */
static int read_indexed(const struct profiled_settings *settings, struct spoor_select *where,
                        bool edges, const char *path)
{
    const struct range *range = &settings->common.selection.records;
    struct indexing indexing;
    struct index *index = NULL;
    int code = EXIT_CLEAN;
    indexing_start(&indexing, &settings->common, settings->no_index);
    if (!indexing_open(&indexing, path, &index, &code)) return code;
    const struct profile_part_options options = {.index = index,
                                                 .first = range->given ? range->first : 0,
                                                 .last = range->given ? range->last : UINT64_MAX,
                                                 .where = where};
    code = worse(code, read_part(settings, &options, edges, path));
    index_free(index);
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
