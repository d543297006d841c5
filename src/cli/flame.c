/* SPDX-License-Identifier: MIT */
/* flame.c: the verb `flame`: stacks of functions with what each ran, for flame graphs. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/like_ttu.h"
#include "cli/output.h"
#include "cli/profiled.h"
#include "spoor/call_tree.h"

struct flame_settings {
    struct profiled_settings profiled;
    bool svg, speedscope, perfetto;
    int like;
    uint64_t limit;
    const char *output;
};

#define AT(field) offsetof(struct flame_settings, field)
static const struct option options[] = {
    OPT_FLAG(0, "svg", AT(svg), "write an SVG picture that refers to no other file"),
    OPT_FLAG(0, "speedscope", AT(speedscope), "write a file for speedscope.app"),
    OPT_FLAG(0, "perfetto", AT(perfetto),
             "write trace events for Perfetto: a track for each cpu, one for its exceptions"),
    OPT(0, "limit", COUNT, "N", AT(limit), "with --perfetto: the first N calls (default: 500000)"),
    OPT('o', "output", OUTPUT, "FILE", AT(output), "write to FILE instead of standard output"),
    PROFILED_OPTIONS(struct flame_settings, profiled),
    LIKE_TTU_OPTION(AT(like)),
    IMAGE_OPTIONS,
    CODE_OPTION,
    OPTION_END,
};

static int flame_perfetto(const struct flame_settings *settings, const char *path)
{
    struct activity_input input;
    const struct spoor_batch *batch;
    struct spoor_call_tree *tree = NULL;
    struct spoor_error error = {0};
    int code = EXIT_CLEAN;
    if (!activity_open(&input, &settings->profiled.common, path) || !activity_start(&input, false))
        return activity_close(&input);
    const struct spoor_call_tree_options chosen = {
        .images = input.located.images, .limit = settings->limit, .stream = input.stream};
    enum spoor_status status = spoor_call_tree_new(&tree, &chosen, &error);
    if (status == SPOOR_OK && input.index)
        status = spoor_call_tree_use_index(tree, input.index, &error);
    while (status == SPOOR_OK && activity_next(&input, &batch))
        status = spoor_call_tree_feed(tree, batch, &error);
    if (status == SPOOR_OK) status = spoor_call_tree_end(tree, &error);
    if (activity_end(&input, status, &error)) {
        size_t size;
        char *bytes = spoor_call_tree_to_perfetto(tree, path_name(path), &size);
        if (bytes)
            code = output_write(settings->output ? settings->output : "-", bytes, size,
                                activity_is_whole(&input), &settings->profiled.common);
        else
            code = complain_for(EXIT_UNREADABLE, "%s: out of memory", path);
        free(bytes);
        if (spoor_call_tree_omitted(tree) && !settings->profiled.common.quiet)
            complain("%s: %llu more calls are left out: --limit, --where and --cpu choose", path,
                     (unsigned long long)spoor_call_tree_omitted(tree));
    }
    spoor_call_tree_free(tree);
    return worse(code, activity_close(&input));
}

static int flame_run(void *chosen)
{
    const struct flame_settings *settings = chosen;
    const struct settings *common = &settings->profiled.common;
    if (!profiled_check(&settings->profiled)) return EXIT_USAGE;
    if (settings->svg + settings->speedscope + settings->perfetto > 1)
        return complain_for(EXIT_USAGE, "flame: give one of --svg, --speedscope, --perfetto");
    if (operand_count(common) != 1)
        return complain_for(
            EXIT_USAGE,
            "flame: found %zu traces, expected one: a picture is of one program's stacks; "
            "`spoor profile` takes several",
            operand_count(common));
    if (settings->like) return like_ttu(TTU_FLAMEGRAPH, operand(common, 0), common, 0);
    const char *path = operand(common, 0);
    if (settings->perfetto) return flame_perfetto(settings, path);
    struct profiled profiled;
    size_t size;
    char *bytes;
    if (!profiled_read(&profiled, &settings->profiled, SPOOR_PROFILE_FUNCTIONS, path))
        return profiled_close(&profiled);
    if (settings->svg)
        bytes = spoor_profile_to_svg(profiled.profile, path_name(path), &size);
    else if (settings->speedscope || settings->profiled.common.json)
        bytes = spoor_profile_to_speedscope(profiled.profile, path_name(path), &size);
    else
        bytes = spoor_profile_to_folded(profiled.profile, &size);
    int code = profiled_nothing(&profiled, path);
    if (bytes) {
        code = worse(code,
                     output_write(settings->output ? settings->output : "-", bytes, size,
                                  activity_is_whole(&profiled.input), &settings->profiled.common));
    } else {
        complain("%s: out of memory", path);
        code = EXIT_UNREADABLE;
    }
    free(bytes);
    const uint64_t lost = spoor_profile_totals(profiled.profile).lost;
    if (lost && !settings->profiled.common.quiet)
        complain("%s: %llu call%s too deep, or with too many kinds of callers: counted in a call "
                 "of the same function further out, or without callers",
                 path, (unsigned long long)lost, lost == 1 ? " is" : "s are");
    return worse(profiled_close(&profiled), code);
}

const struct verb verb_flame = {
    .name = "flame",
    .brief = "stacks of functions with what each ran, for flame graphs",
    .operands = "TRACE",
    .about =
        "Prints each stack of functions with what its innermost function ran, as folded lines, "
        "which flamegraph.pl and similar programs read.  Options write a picture, a file for "
        "speedscope, or, for Perfetto, all calls over time.",
    .options = options,
    .settings_size = sizeof(struct flame_settings),
    .json = true,
    .numbers = true,
    .follows = true,
    .run = flame_run,
};
