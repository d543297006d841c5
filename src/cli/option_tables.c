/* SPDX-License-Identifier: MIT */
/* option_tables.c: the options that verbs share, those of a verb, and what an option means. */
#include <string.h>

#include "base/text.h"
#include "cli/lists.h"
#include "cli/option.h"
#include "cli/plotted.h"

const struct option common_options[] = {
    OPT('f', "from", FORMAT, "FORMAT", COMMON(from),
        "read the input as FORMAT, a name or FILE.spoor-format, instead of detecting it"),
    OPT(0, "format-file", LIST, "FILE", COMMON(format_files),
        "know the format that the description FILE defines, too (may be repeated)"),
    OPT(0, "dialect", TEXT, "NAME", COMMON(dialect),
        "read only lines of this dialect of the format (tarmac: fast-models, gem5, es, ...; "
        "e-trace: parameters of the hardware, also in a FILE.scf)"),
    OPT_FLAG(0, "implicit-thumb", COMMON(implicit_thumb),
             "instructions that state no instruction set are Thumb (Cortex-M0 RTL)"),
    OPT_CHOICE(0, "isa", "NAME", COMMON(isa),
               "instruction set of the opcodes (default: by the trace's letters and opcodes)",
               "auto|riscv|aarch64|aarch32|mips|loongarch"),
    OPT_CHOICE(0, "effects-first", "WHEN", COMMON(effects), NULL, "auto|no|yes"),
    OPT('j', "threads", NUMBER, "N", COMMON(threads),
        "use N threads (default: all cores; 1: no threads)"),
    OPT(0, "memory-limit", NUMBER, "SIZE", COMMON(memory),
        "use up to SIZE for a window of zstd (default: 128M), or for what a simulation keeps "
        "(default: half of the machine's memory)"),
    OPT_FLAG('q', "quiet", COMMON(quiet), "print only errors on stderr: no progress, no notes"),
    OPT_FLAG(0, "json", COMMON(json), "print the result as JSON"),
    OPT_CHOICE(0, "color", "WHEN", COMMON(color), "auto, always or never (NO_COLOR is honoured)",
               "auto|always|never"),
    OPT_CHOICE(0, "list", "WHAT", COMMON(list),
               "list the names of WHAT with a line on each: classes, fields, folds, formats, "
               "options, parameters, policies, predictors, prefetchers, presets, rules, tolerances "
               "or verbs",
               LIST_CHOICES),
    OPT_FLAG('h', "help", COMMON(help), "print this help"),
    OPTION_END,
};

const struct option result_options[] = {
    OPT('o', "output", OUTPUT, "FILE", COMMON(output), NULL),
    OPT_FLAG(0, "csv", COMMON(csv),
             "(a table of the result; of several traces, with a column trace)"),
    OPT_FLAG(0, "parquet", COMMON(parquet),
             "write the table that --csv prints as Apache Parquet, with -o FILE or to a pipe"),
    OPT(0, "table", TEXT, "NAME", COMMON(table),
        "print only this table: the name of an array of --json (default for --csv: the first)"),
    OPT_FLAG(0, "wide", COMMON(wide),
             "print tables with all their columns, wider than the terminal"),
    OPTION_END,
};

const struct option output_options[] = {
    OPT_FLAG(0, "partial", COMMON(partial),
             "write the output in place, and keep what was written after an error or a signal"),
    OPTION_END,
};

bool verb_has_output(const struct verb *verb)
{
    if (verb->results) return true;
    for (const struct option *option = verb->options; option && option->name; option++)
        if (option->type == OPTION_OUTPUT) return true;
    return false;
}

bool verb_inherits(const struct verb *verb, const struct option *option)
{
    for (const struct option *own = verb->options; own && own->name; own++)
        if (strcmp(own->name, option->name) == 0) return false;
    return true;
}

/* The index-th inherited option of a table; NULL, with *index less by their number: it has fewer.
 */
static const struct option *verb_inherited_option(const struct verb *verb,
                                                  const struct option *options, size_t *index)
{
    for (const struct option *option = options; option->name; option++)
        if (verb_inherits(verb, option) && (*index)-- == 0) return option;
    return NULL;
}

const struct option *verb_option(const struct verb *verb, size_t index)
{
    for (const struct option *option = verb->options; option && option->name; option++)
        if (index-- == 0) return option;
    const struct option *found = NULL;
    if (verb->results) found = verb_inherited_option(verb, result_options, &index);
    if (!found && verb_has_plots(verb)) found = verb_inherited_option(verb, plot_options, &index);
    if (!found && verb_has_output(verb))
        found = verb_inherited_option(verb, output_options, &index);
    return found ? found : verb_inherited_option(verb, common_options, &index);
}

/* ---- meanings ---- */

static const struct {
    const char *name, *value, *words;
} meanings[] = {
#define MEANING(name, value, words) {name, value, words},
#include "cli/meanings.def"
#undef MEANING
};

const char *option_meaning(const struct option *option, const char **value)
{
    for (size_t i = 0;
         option->style == OPTION_DOUBLE_DASH && i < sizeof meanings / sizeof *meanings; i++)
        if (strcmp(option->name, meanings[i].name) == 0) {
            *value = meanings[i].value;
            return meanings[i].words;
        }
    return NULL;
}

const char *option_words(struct text *words, const struct option *option)
{
    const char *value, *meaning = option_meaning(option, &value);
    if (meaning) text_puts(words, meaning);
    if (meaning && option->help) text_puts(words, option->help[0] == '(' ? " " : ": ");
    if (option->help) text_puts(words, option->help);
    text_put(words, "", 1);
    return words->failed ? "" : words->bytes;
}
