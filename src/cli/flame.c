/* SPDX-License-Identifier: MIT */
/* flame.c: `profile --flame`: stacks of functions with what each ran, for flame graphs. */
#include "cli/flame.h"

#include <stdlib.h>

#include "base/text.h"
#include "cli/like_ttu.h"
#include "spoor/call_tree.h"

static int flame_perfetto(const struct profile_input_settings *settings, uint64_t limit,
                          const char *path)
{
    struct activity_input input;
    const struct spoor_batch *batch;
    struct spoor_call_tree *tree = NULL;
    struct spoor_error error = {0};
    int code = EXIT_CLEAN;
    if (!activity_open(&input, &settings->common, path) || !activity_start(&input, false))
        return activity_close(&input);
    const struct spoor_call_tree_options chosen = {
        .images = input.located.images, .limit = limit, .stream = input.stream};
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
            code = show_bytes(bytes, size);
        else
            code = complain_for(EXIT_UNREADABLE, "%s: out of memory", path);
        free(bytes);
        if (spoor_call_tree_omitted(tree) && !settings->common.quiet)
            complain("%s: %llu more calls are left out: --top, --where and --cpu choose", path,
                     (unsigned long long)spoor_call_tree_omitted(tree));
    }
    spoor_call_tree_free(tree);
    return worse(code, activity_close(&input));
}

int flame_show(const struct profile_input_settings *settings, const struct flame_form *form)
{
    const struct settings *common = &settings->common;
    if (form->svg + form->speedscope + form->perfetto > 1)
        return complain_for(EXIT_USAGE,
                            "profile --flame: give one of --svg, --speedscope, --perfetto");
    if (operand_count(common) != 1)
        return complain_for(
            EXIT_USAGE,
            "profile --flame: found %zu traces, expected one: a picture is of one program's "
            "stacks; `spoor profile` takes several",
            operand_count(common));
    if (form->like) return like_ttu(TTU_FLAMEGRAPH, operand(common, 0), common, 0);
    const char *path = operand(common, 0);
    if (form->perfetto) return flame_perfetto(settings, form->top, path);
    struct profile_input profiled;
    size_t size;
    char *bytes;
    if (!profile_input_read(&profiled, settings, SPOOR_PROFILE_FUNCTIONS, path))
        return profile_input_close(&profiled);
    if (form->svg)
        bytes = spoor_profile_to_svg(profiled.profile, path_name(path), &size);
    else if (form->speedscope || common->json)
        bytes = spoor_profile_to_speedscope(profiled.profile, path_name(path), &size);
    else
        bytes = spoor_profile_to_folded(profiled.profile, &size);
    int code = profile_input_nothing(&profiled, path);
    if (bytes) {
        code = worse(code, show_bytes(bytes, size));
    } else {
        complain("%s: out of memory", path);
        code = EXIT_UNREADABLE;
    }
    free(bytes);
    const uint64_t lost = spoor_profile_totals(profiled.profile).lost;
    if (lost && !settings->common.quiet)
        complain("%s: %llu call%s too deep, or with too many kinds of callers: counted in a call "
                 "of the same function further out, or without callers",
                 path, (unsigned long long)lost, lost == 1 ? " is" : "s are");
    return worse(profile_input_close(&profiled), code);
}
