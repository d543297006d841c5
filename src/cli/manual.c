/* SPDX-License-Identifier: MIT */
/* manual.c: the OPTIONS section of a manual page, as scdoc source. */
#include "cli/cli.h"
#include "cli/help.h"
#include "cli/plotted.h"

/* scdoc treats them as mark-up everywhere. */
static const char mark_up[] = "*_\\";

/* Those of a table that the verb does not have as its own; verb NULL: all. */
static void manual_put_table(struct text *out, const struct option *options,
                             const struct verb *verb)
{
    for (const struct option *option = options; option && option->name; option++) {
        if (verb && !verb_inherits(verb, option)) continue;
        if (option->letter) text_printf(out, "*-%c*, ", option->letter);
        text_puts(out, option->style == OPTION_SINGLE_DASH ? "*-" : "*--");
        put_escaped(out, option->name, mark_up);
        text_puts(out, "*");
        if (option->value) {
            text_puts(out, " _");
            put_escaped(out, option->value, mark_up);
            text_puts(out, "_");
        }
        text_puts(out, "\n\t");
        struct text help = {0};
        put_escaped(out, option_words(&help, option), mark_up);
        out->failed |= help.failed;
        text_free(&help);
        text_puts(out, "\n\n");
    }
}

void put_manual_options(struct text *out, const struct verb *verb)
{
    manual_put_table(out, verb->options, NULL);
    if (verb->results) manual_put_table(out, result_options, verb);
    if (verb_has_plots(verb)) manual_put_table(out, plot_options, verb);
    if (verb_has_output(verb)) manual_put_table(out, output_options, verb);
    text_puts(out, "All verbs accept:\n\n");
    manual_put_table(out, common_options, verb);
}
