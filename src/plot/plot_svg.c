/* SPDX-License-Identifier: MIT */
/* plot_svg.c: the library's own interface to pictures. */
#include <stdlib.h>

#include "model/options.h"
#include "plot/plot.h"
#include "plot/png.h"

const char *spoor_plot_name(const char *verb, size_t index)
{
    for (const struct plot *plot = plots; plot->verb; plot++)
        if (strcmp(plot->verb, verb) == 0 && index-- == 0) return plot->name;
    return NULL;
}

static enum spoor_status nothing_drawn(const char *verb, const char *table,
                                       struct spoor_error *error)
{
    struct text names = {0};
    const char *name;
    for (size_t i = 0; (name = spoor_plot_name(verb, i)) != NULL; i++)
        text_printf(&names, "%s%s", i ? ", " : "", name);
    text_put(&names, "", 1);
    if (names.failed) {
        text_free(&names);
        return memory_status(false, error);
    }
    spoor_error_set(error, SPOOR_EUSAGE,
                    "found no table to draw%s%s, expected one of the plots of %s: %s",
                    table ? " of the name " : "", table ? table : "", verb, names.bytes);
    text_free(&names);
    return SPOOR_EUSAGE;
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
    if (!options.verb || !spoor_plot_name(options.verb, 0))
        return spoor_error_set(error, SPOOR_EUSAGE, "found verb '%s', expected one with plots",
                               options.verb ? options.verb : "");
    const size_t drawn = plot_draw(results, &options, &picture);
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

enum spoor_status spoor_plot_png_ready(struct spoor_error *error)
{
    return png_begin(error);
}

enum spoor_status spoor_plot_png(const struct spoor_result *results,
                                 const struct spoor_plot_options *given, char **png, size_t *size,
                                 struct spoor_error *error)
{
    struct spoor_plot_options options;
    struct text image = {0};
    char *svg = NULL;
    size_t svg_size = 0;
    enum spoor_status status = options_read(&options, sizeof options, given, error);
    *png = NULL;
    if (status != SPOOR_OK) return status;
    options.inlined = false;
    status = spoor_plot_svg(results, &options, &svg, &svg_size, error);
    if (status != SPOOR_OK) return status;
    status = png_of_svg(svg, svg_size, &image, error);
    free(svg);
    if (status != SPOOR_OK) {
        text_free(&image);
        return status;
    }
    *png = image.bytes;
    *size = image.size;
    return SPOOR_OK;
}
