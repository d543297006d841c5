/* SPDX-License-Identifier: MIT */
/* plotted.c: the option --plot: the result of a verb as a picture. */
#include "cli/plotted.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/output.h"
#include "spoor/plot.h"

const struct option plot_options[] = {
    OPT(0, "plot", OUTPUT, "FILE", COMMON(plot),
        "draw the result into FILE, SVG or (.png) PNG, instead of printing it; add --json to do "
        "both"),
    OPTION_END,
};

/* The picture of this run of the program; no bytes: there is none. */
static struct {
    char *bytes;
    size_t size;
} picture;

bool verb_has_plots(const struct verb *verb)
{
    return verb->results && spoor_plot_name(verb->name, 0);
}

static bool plotted_is_png(const char *path)
{
    const size_t size = strlen(path);
    return size > 4 && strcmp(path + size - 4, ".png") == 0;
}

bool plotted_begin(const struct settings *settings)
{
    const char *wrong = NULL;
    struct spoor_error error = {0};
    if (!settings->plot) return true;
    if (settings->csv)
        wrong = "--plot and --csv exclude each other: add --json to print the result, too";
    else if (settings->plot_alone && settings->output)
        wrong = "--plot draws the result instead of printing it to --output: add --json";
    if (wrong) return complain("%s: %s", settings->verb->name, wrong);
    if (!plotted_is_png(settings->plot) || spoor_plot_png_ready(&error) == SPOOR_OK) return true;
    fail_option("--plot", &error);
    return false;
}

int plotted_show(const struct settings *settings, const struct spoor_result *result)
{
    const struct spoor_plot_options options = {
        .struct_size = sizeof options, .verb = settings->verb->name, .table = settings->table};
    struct spoor_error error = {0};
    free(picture.bytes);
    const enum spoor_status status =
        plotted_is_png(settings->plot)
            ? spoor_plot_png(result, &options, &picture.bytes, &picture.size, &error)
            : spoor_plot_svg(result, &options, &picture.bytes, &picture.size, &error);
    if (status == SPOOR_OK) return EXIT_CLEAN;
    const int code = fail_option("--plot", &error);
    return status == SPOOR_EUSAGE ? EXIT_NOTHING : code;
}

int plotted_end(const struct settings *settings, int code)
{
    if (!picture.bytes) return code;
    const bool whole = code != EXIT_USAGE && code != EXIT_UNREADABLE;
    code = worse(code, output_write(settings->plot, picture.bytes, picture.size, whole, settings));
    free(picture.bytes);
    picture.bytes = NULL;
    return code;
}
