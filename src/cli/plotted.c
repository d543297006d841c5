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
        "draw the result into FILE, SVG, (.png) PNG or (.pdf) PDF, instead of printing it; add "
        "--json to do both"),
    OPT(0, "plot-options", TEXT, "KEY,...", COMMON(plot_words),
        "for papers: log-y, mpki, normalised, vertical, geomean, hatched, no-title, size=WIDTHin, "
        "names=A|B|..."),
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

static bool plotted_is(const char *path, const char *suffix)
{
    const size_t size = strlen(path);
    return size > 4 && strcmp(path + size - 4, suffix) == 0;
}

/* Reads "KEY,KEY=VALUE,..."; names end the list, as they may have commas.  False: an error has been
 * printed. */
static bool plotted_parse(const char *words, struct spoor_plot_options *options)
{
    enum { LARGEST = 100 /* inches */ };
    const struct {
        const char *name;
        bool *option;
    } switches[] = {
        {"log-y", &options->logarithmic},     {"mpki", &options->per_instruction},
        {"normalised", &options->normalised}, {"vertical", &options->vertical},
        {"geomean", &options->averaged},      {"hatched", &options->hatched},
        {"no-title", &options->untitled},
    };
    enum { SWITCHES = sizeof switches / sizeof *switches };
    while (words && *words) {
        const size_t size = strcspn(words, ",");
        char *end = NULL;
        size_t found = 0;
        while (found < SWITCHES && (strlen(switches[found].name) != size ||
                                    memcmp(words, switches[found].name, size) != 0))
            found++;
        if (found < SWITCHES) {
            *switches[found].option = true;
        } else if (strncmp(words, "names=", 6) == 0 && words[6]) {
            options->names = words + 6;
            return true;
        } else if (strncmp(words, "size=", 5) == 0 &&
                   (options->width = strtod(words + 5, &end)) >= 1 && options->width <= LARGEST &&
                   end + 2 == words + size && strncmp(end, "in", 2) == 0) {
            /* it is set */
        } else {
            return complain(
                "--plot-options: found '%.*s', expected log-y, mpki, normalised, vertical, "
                "geomean, hatched, no-title, size=WIDTHin (1 to 100) or, as the last, "
                "names=A|B|...",
                (int)size, words);
        }
        words += size + (words[size] == ',');
    }
    return true;
}

bool plotted_begin(const struct settings *settings)
{
    const char *wrong = NULL;
    struct spoor_error error = {0};
    struct spoor_plot_options unused = {.verb = NULL};
    if (settings->plot_words && !settings->plot)
        return complain("--plot-options: expected --plot FILE, too");
    if (!plotted_parse(settings->plot_words, &unused)) return false;
    if (!settings->plot) return true;
    if (settings->csv)
        wrong = "--plot and --csv exclude each other: add --json to print the result, too";
    else if (settings->plot_alone && settings->output)
        wrong = "--plot draws the result instead of printing it to --output: add --json";
    if (wrong) return complain("%s: %s", settings->verb->name, wrong);
    const bool is_svg = !plotted_is(settings->plot, ".png") && !plotted_is(settings->plot, ".pdf");
    if (is_svg || spoor_plot_png_ready(&error) == SPOOR_OK) return true;
    fail_option("--plot", &error);
    return false;
}

int plotted_show(const struct settings *settings, const struct spoor_result *result)
{
    struct spoor_plot_options options = {
        .struct_size = sizeof options, .verb = settings->verb->name, .table = settings->table};
    struct spoor_error error = {0};
    free(picture.bytes);
    plotted_parse(settings->plot_words, &options); /* which was seen to be right */
    const enum spoor_status status = (plotted_is(settings->plot, ".png")   ? spoor_plot_png
                                      : plotted_is(settings->plot, ".pdf") ? spoor_plot_pdf
                                                                           : spoor_plot_svg)(
        result, &options, &picture.bytes, &picture.size, &error);
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
