/* SPDX-License-Identifier: MIT */
/* flame.c: the verb `flame`: stacks of functions with what each ran, for flame graphs. */
#include <stdlib.h>
#include <string.h>

#include "cli/activity_input.h"
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

static const char *title_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static int flame_trace(const struct flame_settings *settings, const char *path)
{
    struct profiled profiled;
    size_t size;
    char *bytes;
    if (!profiled_read(&profiled, &settings->profiled, SPOOR_PROFILE_FUNCTIONS, path))
        return profiled.code;
    if (settings->svg)
        bytes = spoor_profile_to_svg(profiled.profile, title_of(path), &size);
    else if (settings->speedscope || settings->profiled.common.json)
        bytes = spoor_profile_to_speedscope(profiled.profile, title_of(path), &size);
    else
        bytes = spoor_profile_to_folded(profiled.profile, &size);
    int code = profiled_nothing(&profiled, path);
    if (bytes) {
        code = worse(code, output_write(settings->output ? settings->output : "-", bytes, size,
                                        !profiled.broken && located_is_whole(&profiled.located) &&
                                            located_is_same(&profiled.located),
                                        &settings->profiled.common));
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

static int write_tree(const struct flame_settings *settings, const struct spoor_call_tree *tree,
                      const char *path, bool whole)
{
    size_t size;
    char *bytes = spoor_call_tree_to_perfetto(tree, title_of(path), &size);
    int code = EXIT_UNREADABLE;
    if (bytes)
        code = output_write(settings->output ? settings->output : "-", bytes, size, whole,
                            &settings->profiled.common);
    else
        complain("%s: out of memory", path);
    free(bytes);
    if (spoor_call_tree_omitted(tree) && !settings->profiled.common.quiet)
        complain("%s: %llu more calls are left out: --limit, --where and --cpu choose", path,
                 (unsigned long long)spoor_call_tree_omitted(tree));
    return code;
}

struct tree_reading {
    const struct flame_settings *settings;
    const char *path;
    struct located located;
    struct spoor_select *where;
    struct spoor_call_tree *tree;
    bool broken; /* the trace could not be read to its end */
};

static bool begin(void *context, const struct spoor_stream *stream, int *code)
{
    struct tree_reading *reading = context;
    struct spoor_error error = {0};
    const struct spoor_call_tree_options chosen = {.images = reading->located.images,
                                                   .where = reading->where,
                                                   .cpu = reading->settings->profiled.cpu,
                                                   .limit = reading->settings->limit,
                                                   .stream = stream};
    if (spoor_call_tree_new(&reading->tree, &chosen, &error) == SPOOR_OK) return true;
    *code = worse(*code, fail(&error));
    return false;
}

static bool feed(void *context, const struct spoor_batch *batch)
{
    return spoor_call_tree_feed(((struct tree_reading *)context)->tree, batch, NULL) == SPOOR_OK;
}

static bool use(void *context, const struct spoor_index *index)
{
    return spoor_call_tree_use_index(((struct tree_reading *)context)->tree, index, NULL) ==
           SPOOR_OK;
}

static bool end(void *context)
{
    return spoor_call_tree_end(((struct tree_reading *)context)->tree, NULL) == SPOOR_OK;
}

static int perfetto_trace(const struct flame_settings *settings, const char *path)
{
    struct tree_reading reading = {.settings = settings, .path = path};
    struct activity_report report = {.context = &reading,
                                     .begin = begin,
                                     .feed = feed,
                                     .use = use,
                                     .end = end,
                                     .broken = &reading.broken};
    struct spoor_error error = {0};
    int code = EXIT_CLEAN;
    bool good = false;
    if (!located_open_named(&reading.located, &settings->profiled.common, path))
        return reading.located.code;
    if (settings->profiled.where &&
        spoor_select_compile(&reading.where, settings->profiled.where, &error) != SPOOR_OK) {
        code = fail_option("--where", &error);
    } else {
        report.where = reading.where;
        good = activity_input(&report, path, &settings->profiled.common, &reading.located,
                              reading.where || settings->profiled.no_index, &code);
    }
    if (good)
        code = worse(code, write_tree(settings, reading.tree, path,
                                      !reading.broken && located_is_whole(&reading.located) &&
                                          located_is_same(&reading.located)));
    spoor_call_tree_free(reading.tree);
    spoor_select_free(reading.where);
    code = worse(code, located_close(&reading.located));
    return code;
}

static int run(void *chosen)
{
    const struct flame_settings *settings = chosen;
    const struct settings *common = &settings->profiled.common;
    if (!profiled_check(&settings->profiled)) return EXIT_USAGE;
    if (settings->svg + settings->speedscope + settings->perfetto > 1) {
        complain("flame: give one of --svg, --speedscope, --perfetto");
        return EXIT_USAGE;
    }
    if (operand_count(common) != 1) {
        complain("flame: found %zu traces, expected 1", operand_count(common));
        return EXIT_USAGE;
    }
    if (settings->like) return like_ttu(TTU_FLAMEGRAPH, operand(common, 0), common, 0);
    return settings->perfetto ? perfetto_trace(settings, operand(common, 0))
                              : flame_trace(settings, operand(common, 0));
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
    .follows = true,
    .run = run,
};
