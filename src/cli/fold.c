/* SPDX-License-Identifier: MIT */
/* fold.c: the verb `fold`: runs the fold of a plug-in over each trace. */
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/plugins.h"
#include "cli/selection.h"

struct fold_settings {
    struct settings common;
    const char *spec;
};

#define AT(field) offsetof(struct fold_settings, field)
static const struct option options[] = {
    OPT('p', "fold", TEXT, "SPEC", AT(spec),
        "answer by NAME[:KEY=VALUE,...] (see --list folds); the one that there is need not be "
        "named"),
    PLUGIN_OPTION,
    SELECTION_OPTIONS,
    OPTION_END,
};

/* The spec of --fold, or the only fold; NULL: an error has been printed. */
static const char *fold_spec(const struct fold_settings *settings)
{
    const struct spoor_component *first = spoor_component_at(SPOOR_FOLD, 0), *fold;
    if (!first) {
        complain(
            "fold: there is no fold: --plugin FILE.so names a plug-in that has one, and `spoor "
            "new fold NAME` begins one");
        return NULL;
    }
    if (settings->spec) return settings->spec;
    if (!spoor_component_at(SPOOR_FOLD, 1)) return first->name;
    struct text names = {0};
    for (size_t i = 0; (fold = spoor_component_at(SPOOR_FOLD, i)); i++)
        text_printf(&names, "%s%s", i ? ", " : "", fold->name);
    text_put(&names, "", 1);
    complain("fold: expected -p with one of %s", names.failed ? "--list folds" : names.bytes);
    text_free(&names);
    return NULL;
}

static int fold_each(const void *context, const char *path, bool *shown, struct spoor_result *all)
{
    const struct fold_settings *settings = context;
    const char *spec = fold_spec(settings);
    struct trace_input trace_input;
    struct spoor_fold *fold = NULL;
    struct spoor_error error = {0};
    const struct spoor_batch *batch;
    if (!spec) return EXIT_USAGE;
    if (!input_open(&trace_input, path, &settings->common)) return trace_input.exit_code;
    const struct spoor_fold_options chosen = {
        .struct_size = sizeof chosen, .stream = trace_input.stream, .spec = spec};
    enum spoor_status status = spoor_fold_new(&fold, &chosen, &error);
    while (status == SPOOR_OK && input_next(&trace_input, &batch))
        status = spoor_fold_feed(fold, batch, &error);
    if (status == SPOOR_OK) status = spoor_fold_end(fold, &error);
    struct spoor_result *result = result_of(all);
    int code = status == SPOOR_OK ? EXIT_CLEAN : fail(&error);
    if (code == EXIT_CLEAN) {
        put_trace(result, &trace_input);
        spoor_fold_report(fold, result);
        if (spoor_fold_count(fold) == 0 && trace_input.exit_code == EXIT_CLEAN)
            code = complain_for(EXIT_NOTHING, "%s: found nothing that the fold '%s' takes%s", path,
                                spec, selection_words(&settings->common));
    }
    spoor_fold_free(fold);
    code = worse(code, input_close(&trace_input));
    const bool shows = status == SPOOR_OK && (code != EXIT_NOTHING || settings->common.json);
    return worse(code, show_one(&settings->common, result, shows ? shown : NULL, all));
}

const struct verb verb_fold = {
    .name = "fold",
    .brief = "answer a question of your own by a plug-in",
    .operands = "[TRACE...]",
    .about = "Gives the accesses, branches or instructions of each trace to the fold of a plug-in, "
             "in one pass, and prints what it reports.  docs/plugins.md says how to write one; "
             "`spoor new fold NAME` begins it.",
    .options = options,
    .settings_size = sizeof(struct fold_settings),
    .results = true,
    .many = true,
    .follows = true,
    .each = fold_each,
};
