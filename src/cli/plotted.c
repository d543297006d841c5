/* SPDX-License-Identifier: MIT */
/* plotted.c: the option --plot: the result of a verb as a picture. */
#include "cli/plotted.h"

#include <string.h>

#include "cli/cli.h"
#include "cli/output.h"
#include "plot/plot.h"
#include "plot/png.h"

const struct option plot_options[] = {
    {0, "plot", "FILE", OPTION_OUTPUT, offsetof(struct settings, plot),
     "draw the result into FILE, SVG or (.png) PNG, instead of printing it; add --json to do both",
     NULL, OPTION_DOUBLE_DASH},
    OPTION_END,
};

/* The picture of this run of the program. */
static struct text picture;

bool verb_has_plots(const struct verb *verb)
{
    return verb->results && plot_exists(verb->name);
}

void plotted_choose(struct settings *settings)
{
    if (!settings->plot || settings->csv) return;
    settings->plot_alone = !settings->json;
    settings->json = true;
}

static bool is_png(const char *path)
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
    if (wrong) {
        complain("%s: %s", settings->verb->name, wrong);
        return false;
    }
    if (!is_png(settings->plot) || png_begin(&error) == SPOOR_OK) return true;
    fail_option("--plot", &error);
    return false;
}

static int nothing_drawn(const struct settings *settings)
{
    struct text names = {0};
    plot_put_names(settings->verb->name, &names);
    complain("%s --plot: the result has no table to draw%s%s; plots of %s: %s",
             settings->verb->name, settings->table ? " of the name " : "",
             settings->table ? settings->table : "", settings->verb->name,
             names.bytes ? names.bytes : "");
    text_free(&names);
    return EXIT_NOTHING;
}

int plotted_show(const struct settings *settings, const struct spoor_result *result)
{
    const struct plot_options options = {.verb = settings->verb->name, .only = settings->table};
    picture.size = 0;
    if (plot_draw(result, &options, &picture) == 0 && !picture.failed)
        return nothing_drawn(settings);
    if (!picture.failed && spoor_result_complete(result)) return EXIT_CLEAN;
    complain("out of memory while drawing the result");
    picture.size = 0;
    return EXIT_UNREADABLE;
}

int plotted_end(const struct settings *settings, int code)
{
    struct spoor_error error = {0};
    struct text image = {0};
    if (picture.size == 0) return code;
    const bool whole = code != EXIT_USAGE && code != EXIT_UNREADABLE;
    if (!is_png(settings->plot))
        code =
            worse(code, output_write(settings->plot, picture.bytes, picture.size, whole, settings));
    else if (png_of_svg(picture.bytes, picture.size, &image, &error) == SPOOR_OK)
        code = worse(code, output_write(settings->plot, image.bytes, image.size, whole, settings));
    else
        code = worse(code, fail_option("--plot", &error));
    text_free(&image);
    text_free(&picture);
    return code;
}
