/* SPDX-License-Identifier: MIT */
/* join.c: the verb `join`: one result from the partial results of all parts of a trace. */
#include <stdlib.h>
#include <string.h>

#include "cli/check_part.h"
#include "cli/indexed.h"
#include "cli/simpoints.h"
#include "spoor/partial.h"

static const struct option options[] = {
    {0, "whole", "FILE", OPTION_INPUT, offsetof(struct settings, whole),
     "print the errors against the result of the whole trace in FILE, which the verb wrote with "
     "--json",
     NULL, OPTION_DOUBLE_DASH},
    OPTION_END,
};

static int show(const struct settings *settings, struct spoor_join *join)
{
    struct spoor_result *result = spoor_result_new_object();
    int code = EXIT_CLEAN;
    if (!result || spoor_join_report(join, result) != SPOOR_OK) {
        complain("out of memory");
        code = EXIT_UNREADABLE;
    } else if (settings->whole) {
        code = errors_put(result, "join", settings->whole);
    }
    if (code == EXIT_CLEAN) code = show_result(result, result_form_of(settings));
    spoor_result_free(result);
    return code;
}

/* Stores the index of the trace, and describes it with --json or --csv. */
static int join_index(const struct settings *settings, const struct spoor_join *join,
                      const struct spoor_partial *first)
{
    const char *path = spoor_partial_about(first)->trace;
    struct indexing indexing;
    struct spoor_index *index;
    struct spoor_error error = {0};
    bool shown = false;
    int code = EXIT_CLEAN;
    if (settings->whole) {
        complain("join --whole: the index of all parts has no errors");
        return EXIT_USAGE;
    }
    indexing_start(&indexing, settings, false);
    if (spoor_join_index(join, &index, path, &indexing.options, &error) != SPOOR_OK)
        return fail(&error);
    code = index_state_damage(index, path);
    if (settings->json || settings->csv)
        code = worse(code, index_show(index, path, settings, &shown, NULL));
    if (!index_is_stored(index, path)) code = worse(code, EXIT_UNREADABLE);
    spoor_index_close(index);
    return code;
}

static int join_parts(const struct settings *settings, struct spoor_partial **partials,
                      size_t count)
{
    struct spoor_join *join = NULL;
    struct spoor_error error = {0};
    enum spoor_status status = spoor_join_new(&join, NULL, &error);
    for (size_t i = 0; i < count && status == SPOOR_OK; i++) {
        status = spoor_partial_open(&partials[i], operand(settings, i), &error);
        if (status == SPOOR_OK) status = spoor_join_feed(join, partials[i], &error);
    }
    if (status == SPOOR_OK) status = spoor_join_end(join, &error);
    int code;
    if (status != SPOOR_OK)
        code = fail(&error);
    else if (strcmp(spoor_partial_tool(partials[0]), "check") == 0)
        code = check_join(partials[0], settings);
    else if (strcmp(spoor_partial_tool(partials[0]), "index") == 0)
        code = join_index(settings, join, partials[0]);
    else
        code = show(settings, join);
    spoor_join_free(join);
    return code;
}

static int run(void *chosen)
{
    const struct settings *settings = chosen;
    const size_t count = (size_t)settings->operand_count;
    if (count == 0) {
        complain("join: found no partial result, expected the files of all parts of a trace");
        return EXIT_USAGE;
    }
    struct spoor_partial **partials = calloc(count, sizeof *partials);
    if (!partials) {
        complain("out of memory");
        return EXIT_UNREADABLE;
    }
    const int code = join_parts(settings, partials, count);
    for (size_t i = 0; i < count; i++) spoor_partial_free(partials[i]);
    free((void *)partials);
    return code;
}

const struct verb verb_join = {
    .name = "join",
    .brief = "join the partial results of the parts of a trace",
    .operands = "PARTIAL...",
    .about =
        "Reads the files that --partial-result of info, mix, stats, profile, coverage, check, "
        "cache, branch and index wrote for the parts of a trace, on one machine or on many, and "
        "prints the result that the verb prints for the whole trace; of index it stores the index "
        "beside the trace.  The files may be named in any order.  Parts that overlap, "
        "that leave a gap, of other traces or with other options are refused.",
    .options = options,
    .settings_size = sizeof(struct settings),
    .results = true,
    .run = run,
};
