/* SPDX-License-Identifier: MIT */
/* plot_svg.c: the library's own interface to pictures. */
#include "spoor/plot.h"

#include "model/options.h"
#include "plot/plot.h"

static enum spoor_status nothing_drawn(const char *verb, const char *table,
                                       struct spoor_error *error)
{
    struct text names = {0};
    plot_put_names(verb, &names);
    text_put(&names, "", 1);
    spoor_error_set(error, names.failed ? SPOOR_ENOMEM : SPOOR_EUSAGE,
                    "found no table to draw%s%s, expected one of the plots of %s: %s",
                    table ? " of the name " : "", table ? table : "", verb,
                    names.failed ? "" : names.bytes);
    const enum spoor_status status = names.failed ? SPOOR_ENOMEM : SPOOR_EUSAGE;
    text_free(&names);
    return status;
}

enum spoor_status spoor_plot_svg(const struct spoor_result *results,
                                 const struct spoor_plot_options *given, char **svg, size_t *size,
                                 struct spoor_error *error)
{
    struct spoor_plot_options options;
    struct text picture = {0};
    const enum spoor_status status = options_read(&options, sizeof options, given, error);
    *svg = NULL;
    if (status != SPOOR_OK) return status;
    if (!options.verb || !plot_exists(options.verb))
        return spoor_error_set(error, SPOOR_EUSAGE, "found verb '%s', expected one with plots",
                               options.verb ? options.verb : "");
    const struct plot_options how = {.verb = options.verb, .only = options.table};
    const size_t drawn = plot_draw(results, &how, &picture);
    *size = picture.size;
    text_put(&picture, "", 1);
    if (picture.failed || !spoor_result_complete(results)) {
        text_free(&picture);
        return memory_status(false, error);
    }
    *svg = picture.bytes;
    if (drawn > 0) return SPOOR_OK;
    text_free(&picture);
    *svg = NULL;
    return nothing_drawn(options.verb, options.table, error);
}
