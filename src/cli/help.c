/* SPDX-License-Identifier: MIT */
/* help.c: the verb `help`, and --help of every verb, from the tables of verbs and options. */
#include "cli/help.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/lists.h"
#include "cli/plotted.h"
#include "spoor/result.h"

enum {
    SCREEN = 80,
    SCREEN_LINES = 40, /* of the help of a verb */
    LABEL_WIDTH = 26,  /* options are indented by 2, their descriptions by this */
    VERB_WIDTH = 13,
};

/* Appends text, wrapped to the width of the screen.  It begins at `column` of the current line;
 * further lines are indented by `indent`. */
static void help_put_wrapped(struct text *out, const char *words, size_t column, size_t indent)
{
    while (*words) {
        size_t size = strcspn(words, " \n");
        if (column > indent && column + 1 + size > SCREEN) {
            text_put(out, "\n", 1);
            text_printf(out, "%*s", (int)indent, "");
            column = indent;
        } else if (column > indent) {
            text_put(out, " ", 1);
            column++;
        }
        text_put(out, words, size);
        column += size;
        words += size;
        words += strspn(words, " \n");
    }
    text_put(out, "\n", 1);
}

/* "  -f, --from FORMAT", "      --json", "  -fds", with what it means; without `details`: what it
 * means in every verb. */
static void help_put_option(struct text *out, const struct option *option, bool details)
{
    struct text help = {0};
    const char *value = option->value;
    const char *meaning = details ? NULL : option_meaning(option, &value);
    const size_t before = out->size;
    if (option->style == OPTION_SINGLE_DASH)
        text_printf(out, "  -%s", option->name);
    else if (option->letter)
        text_printf(out, "  -%c, --%s", option->letter, option->name);
    else
        text_printf(out, "      --%s", option->name);
    if (value) text_printf(out, " %s", value);
    size_t column = out->size - before;
    if (column + 2 > LABEL_WIDTH) {
        text_put(out, "\n", 1);
        column = 0;
    }
    text_printf(out, "%*s", LABEL_WIDTH - (int)column, "");
    help_put_wrapped(out, meaning ? meaning : option_words(&help, option), LABEL_WIDTH,
                     LABEL_WIDTH);
    out->failed |= help.failed;
    text_free(&help);
}

/* Those of a table that the verb does not have as its own; verb NULL: all. */
static void help_put_options(struct text *out, const char *title, const struct option *options,
                             const struct verb *verb)
{
    if (!options || !options->name) return;
    text_printf(out, "\n%s:\n", title);
    for (const struct option *option = options; option->name; option++)
        if (!verb || verb_inherits(verb, option)) help_put_option(out, option, true);
}

/* ---- options that many verbs have ---- */

/* A verb's help names them in a line; a page describes them. */
static const struct help_group {
    const char *topic, *title;
    const char *names; /* with a blank around each */
    bool own;          /* also those in a verb's own table */
} groups[] = {
    {"selection", "Options that select records of a trace:", " records time cpu where no-index ",
     true},
    {"input", "Options for reading a trace:",
     " from format-file dialect implicit-thumb isa effects-first ", false},
    {"program", "Options for the code of the program, and the order of its bytes:",
     " image source code bi li ", true},
    {"parts", "Options for what a simulator counts of a trace, and what trains it:",
     " warmup simpoints simpoint-interval whole references sample bus tarmac-bus ", true},
    {"output", "Options for writing a result:",
     " output json csv parquet table wide plot plot-options partial ", false},
    {"general", "Options of every verb:", " threads memory-limit quiet color list help ", false},
};
enum { GROUPS = sizeof groups / sizeof *groups };

static bool help_group_has(const struct help_group *group, const struct option *option)
{
    char padded[32];
    snprintf(padded, sizeof padded, " %s ", option->name);
    return strstr(group->names, padded) != NULL;
}

static bool help_is_own(const struct verb *verb, const struct option *option)
{
    const bool inherited = verb_inherits(verb, option);
    for (size_t i = 0; i < GROUPS; i++)
        if (help_group_has(&groups[i], option))
            return !inherited && (!groups[i].own || (verb->selects && i == 0));
    return !inherited;
}

/* The names of a verb's options, those that the group has, or, group NULL, its own from the
 * first-th on. */
static void help_put_names(struct text *out, const struct verb *verb,
                           const struct help_group *group, size_t first, const char *label,
                           const char *end)
{
    struct text names = {0};
    const struct option *option;
    size_t own = 0;
    for (size_t i = 0; (option = verb_option(verb, i)); i++) {
        const bool is_own = help_is_own(verb, option);
        if (group ? !is_own && help_group_has(group, option) : is_own && own++ >= first)
            text_printf(&names, "%s%s%s", names.size ? ", " : "",
                        option->style == OPTION_SINGLE_DASH ? "-" : "--", option->name);
    }
    if (names.size) {
        text_puts(&names, end);
        text_put(&names, "", 1);
        text_printf(out, "  %-*s", VERB_WIDTH - 2, label);
        help_put_wrapped(out, names.failed ? "" : names.bytes, VERB_WIDTH, VERB_WIDTH);
    }
    out->failed |= names.failed;
    text_free(&names);
}

/* The option of that name of any verb. */
static const struct option *help_find_option(const char *name, size_t size)
{
    const struct option *option;
    for (size_t i = 0; verbs[i]; i++)
        for (size_t k = 0; (option = verb_option(verbs[i], k)); k++)
            if (strlen(option->name) == size && memcmp(option->name, name, size) == 0)
                return option;
    return NULL;
}

static void help_put_group(struct text *out, const struct help_group *group)
{
    text_printf(out, "%s\n", group->title);
    for (const char *name = group->names + 1; *name; name += strcspn(name, " ") + 1) {
        const struct option *option = help_find_option(name, strcspn(name, " "));
        if (option) help_put_option(out, option, false);
    }
    text_puts(out, "\nWhich of them a verb has: spoor help VERB\n");
}

/* ---- a verb ---- */

static void help_put_head(struct text *out, const struct verb *verb)
{
    text_printf(out, "Usage: spoor %s [OPTION]... %s\n\n", verb->name,
                verb->operands ? verb->operands : "");
    help_put_wrapped(out, verb->about ? verb->about : verb->brief, 0, 0);
}

static void help_put_all(struct text *out, const struct verb *verb)
{
    help_put_head(out, verb);
    help_put_options(out, "Options", verb->options, NULL);
    if (verb->results) help_put_options(out, "Options of results", result_options, verb);
    if (verb_has_plots(verb)) help_put_options(out, "Options of plots", plot_options, verb);
    if (verb_has_output(verb)) help_put_options(out, "Options of outputs", output_options, verb);
    help_put_options(out, "Options of every verb", common_options, verb);
    text_printf(out, "\nMore, with examples: man spoor-%s\n", verb->name);
}

/* A page with the first of its own options in full, and all others by name. */
static void help_put_page(struct text *out, const struct verb *verb, size_t shown)
{
    const struct option *option;
    size_t own = 0;
    char all[64];
    help_put_head(out, verb);
    for (size_t i = 0; own < shown && (option = verb_option(verb, i)); i++) {
        if (!help_is_own(verb, option)) continue;
        if (own++ == 0) text_puts(out, "\nOptions:\n");
        help_put_option(out, option, true);
    }
    snprintf(all, sizeof all, " (spoor help %s --all)", verb->name);
    text_puts(out,
              "\nMore options (what they mean: spoor help selection, spoor help input, ...):\n");
    help_put_names(out, verb, NULL, shown, verb->name, all);
    for (size_t i = 0; i < GROUPS; i++)
        help_put_names(out, verb, &groups[i], 0, groups[i].topic, "");
    text_printf(out, "\nManual with examples: man spoor-%s\n", verb->name);
}

/* As many of its own options in full as a screen has lines for. */
static void help_put_verb(struct text *out, const struct verb *verb)
{
    const struct option *option;
    size_t shown = 0, lines = SCREEN_LINES + 1;
    for (size_t i = 0; (option = verb_option(verb, i)); i++) shown += help_is_own(verb, option);
    for (;; shown--) {
        struct text page = {0};
        help_put_page(&page, verb, shown);
        lines = 0;
        for (size_t i = 0; i < page.size; i++) lines += page.bytes[i] == '\n';
        if (lines <= SCREEN_LINES || shown == 0 || page.failed) {
            text_append(out, &page);
            text_free(&page);
            return;
        }
        text_free(&page);
    }
}

static int help_show(struct text *out)
{
    const int code = out->failed ? complain_for(EXIT_UNREADABLE, "out of memory")
                                 : show_bytes(out->bytes, out->size);
    text_free(out);
    return code;
}

int options_help(const struct verb *verb)
{
    struct text out = {0};
    help_put_verb(&out, verb);
    return help_show(&out);
}

struct help_settings {
    struct settings common;
    const char *manual;
    int completion;
    bool all, schema;
};

enum { COMPLETION_NONE, COMPLETION_BASH, COMPLETION_ZSH, COMPLETION_FISH };

/* ---- topics ---- */

static const char expressions[] =
    "An expression selects records (--where).\n"
    "\n"
    "  FIELD                   the record has it, and it is not 0, empty, - or -1\n"
    "  FIELD = VALUE           also ==, !=, <, <=, >, >=\n"
    "  FIELD in A .. B         both ends included; either may be omitted\n"
    "  FIELD in {A, B, C}      one of them\n"
    "  FIELD ~ PATTERN         shell pattern: * ? [abc]\n"
    "  FIELD =~ PATTERN        Perl's regular expression (PCRE2), found anywhere\n"
    "  FIELD contains TEXT     the text is a part of the field\n"
    "  A and B, A or B, not A  also &&, ||, !, and ( )\n"
    "\n"
    "Numbers: decimal, or hexadecimal after 0x; 4K; fields in hexadecimal need no\n"
    "0x. Values with spaces or one of ( ) ! = < > ~ { } , \" ' & | need quotes.\n"
    "Where a record does not have the field, each test of it is false: reg != x0\n"
    "selects no record without a register, and not reg = x0 selects them, too.\n"
    "\n"
    "Regular expressions are those of pcre2pattern(3): (?i) ignores letter case, \\d\n"
    "is a digit, \\b the edge of a word. Unlike in grep -E, \\ has a meaning in [ ]\n"
    "too, \\< and \\> are no edges, a++ gives nothing back, and of a|ab the first that\n"
    "matches is taken, not the longest. $ is the end of the field; . is a byte, or a\n"
    "character if the expression is not ASCII. One that takes more than 10 million\n"
    "steps or 64 MiB to search a field, as \"(a+)+$\" can, has no answer: the verb\n"
    "says so, and its exit code is 2.\n"
    "\n"
    "reg = sp, lr, fp or flags is any register that a mode has for it (SP_EL3,\n"
    "r13_svc, PSP, X30): a record does not state the mode. who and slice take that\n"
    "of the mode at the moment.\n"
    "\n"
    "  spoor print --where 'op = write and addr in 0x1000 .. 0x1fff' trace\n"
    "  spoor print --count --where 'disasm =~ \"^(ldr|str)\"' trace\n"
    "\n"
    "Fields: spoor help fields; those of a format: spoor formats FORMAT\n";

static const char exit_codes[] =
    "Exit codes:\n"
    "\n"
    "  0  yes, or clean\n"
    "  1  no: there are findings or differences\n"
    "  2  wrong usage: nothing was read; or a regular expression took too many steps\n"
    "  3  some input could not be read, or the output could not be written\n"
    "  4  diff: the traces diverged and did not converge again\n"
    "  5  nothing was matched or compared\n"
    "\n"
    "What 5 means, by verb:\n"
    "\n"
    "  all with --records, --time, --cpu or --where\n"
    "                            these selected no record of any of the traces\n"
    "  who                       nothing wrote the register or the bytes\n"
    "  calls                     no call, or none of the function of --of\n"
    "  profile, annotate         no instruction to count, or no such function\n"
    "  convert, cut              with --lossy: the format has no place for any record\n"
    "  cache, tlb, page, branch  no memory reference, no branch\n"
    "  pipe                      no instruction to simulate\n"
    "  stats                     no records of these caches, walks, TLBs or bus\n"
    "  strings                   no store to memory has a value\n"
    "  fold                      nothing that the fold takes\n"
    "  values                    no instruction writes a value that the trace states\n"
    "  diff                      nothing was compared\n"
    "\n"
    "Without a selection, an empty result is an answer: a trace without exceptions, a\n"
    "query of sql without rows.  The result is printed in any case.\n";

static const struct {
    const char *name;
    int list;          /* enum list_kind, */
    const char *words; /* or a text */
} topics[] = {
    {"fields", LIST_FIELDS, NULL},         {"expressions", LIST_NONE, expressions},
    {"rules", LIST_RULES, NULL},           {"presets", LIST_PRESETS, NULL},
    {"tolerances", LIST_TOLERANCES, NULL}, {"classes", LIST_CLASSES, NULL},
    {"exit-codes", LIST_NONE, exit_codes},
};
enum { TOPICS = sizeof topics / sizeof *topics };

/* The JSON Schemas of results; without names, what has one. */
static int help_show_schemas(const struct settings *settings)
{
    struct text out = {0};
    for (size_t i = 0; settings->operand_count == 0 && spoor_result_described(i); i++)
        text_printf(&out, "%s\n", spoor_result_described(i));
    for (int i = 0; i < settings->operand_count; i++) {
        const char *name = settings->operands[i];
        char *schema = spoor_result_schema(name, NULL);
        if (!schema) {
            const char *near = list_nearest(LIST_RESULTS, name);
            text_free(&out);
            return complain_for(EXIT_USAGE,
                                "help --schema: no result is called '%s'%s%s%s; see `spoor help "
                                "--schema`",
                                name, near ? ": did you mean '" : "", near ? near : "",
                                near ? "'?" : "");
        }
        text_puts(&out, schema);
        free(schema);
    }
    return help_show(&out);
}

static int help_run(void *context)
{
    const struct help_settings *settings = context;
    if (settings->schema) return help_show_schemas(&settings->common);
    const char *name = settings->manual
                           ? settings->manual
                           : (settings->common.operand_count ? settings->common.operands[0] : NULL);
    const struct verb *verb = name ? verb_find(name) : NULL;
    if (name && !verb) {
        struct text page = {0};
        for (size_t i = 0; i < GROUPS; i++)
            if (strcmp(groups[i].topic, name) == 0) {
                help_put_group(&page, &groups[i]);
                return help_show(&page);
            }
        size_t topic = 0;
        while (topic < TOPICS && strcmp(topics[topic].name, name) != 0) topic++;
        if (topic == TOPICS) return verb_refuse(name);
        const char *about = topics[topic].words;
        if (about) return show_bytes(about, strlen(about));
        struct settings listing = settings->common;
        listing.list = topics[topic].list;
        return list_show(&listing);
    }
    struct text out = {0};
    if (settings->completion == COMPLETION_BASH)
        put_bash_completion(&out);
    else if (settings->completion == COMPLETION_ZSH)
        put_zsh_completion(&out);
    else if (settings->completion == COMPLETION_FISH)
        put_fish_completion(&out);
    else if (settings->manual)
        put_manual_options(&out, verb);
    else if (verb && settings->all)
        help_put_all(&out, verb);
    else if (verb)
        help_put_verb(&out, verb);
    else {
        text_puts(&out, "Usage: spoor VERB [OPTION]... [TRACE]...\n\n");
        help_put_wrapped(
            &out,
            "Reads processor traces in many formats; prints, checks, converts and compares "
            "them, and simulates caches, branch predictors and pipelines on them.  The "
            "format and the "
            "compression are detected from the content.  "
            "'-' or no TRACE: read standard input.",
            0, 0);
        for (const struct verb_entry *entry = verb_entries; entry->verb || entry->group; entry++)
            if (entry->group) {
                text_printf(&out, "\n%s:\n", entry->group);
            } else {
                text_printf(&out, "  %-*s", VERB_WIDTH - 2, entry->verb->name);
                help_put_wrapped(&out, entry->verb->brief, VERB_WIDTH, VERB_WIDTH);
            }
        text_puts(&out,
                  "\nExamples:\n"
                  "  spoor info trace.gz                      summarise a trace\n"
                  "  spoor print --where 'op = write' trace   print the writes as text\n"
                  "  spoor check trace                        check the rules of its format\n"
                  "  spoor convert -t din -o out.din trace    write it in another format\n"
                  "  spoor diff model.tarmac rtl.log          compare two traces\n"
                  "  spoor cache --level l1:32K,8,64 trace    simulate a cache\n"
                  "  spoor record -o t.uop.zst -- ls          record a trace of a program\n"
                  "\nOptions of a verb: spoor help VERB [--all]\n"
                  "Topics (spoor help TOPIC): selection, input, program, parts, output, general,\n"
                  "fields, expressions, rules, presets, tolerances, classes, exit-codes\n"
                  "Version and built-in features: spoor --version\n");
    }
    return help_show(&out);
}

static const struct option help_options[] = {
    OPT_FLAG(0, "all", offsetof(struct help_settings, all), "every option of a verb, in full"),
    OPT_FLAG(0, "schema", offsetof(struct help_settings, schema),
             "print the JSON Schema of what a verb prints with --json, or the verbs that have one"),
    OPT_CHOICE(0, "completion", "SHELL", offsetof(struct help_settings, completion),
               "print the completion script for SHELL: bash, zsh or fish", "none|bash|zsh|fish"),
    OPT(0, "man-options", TEXT, "VERB", offsetof(struct help_settings, manual),
        "print VERB's options as scdoc source, from which its manual page is built"),
    OPTION_END,
};

const struct verb verb_help = {
    .name = "help",
    .brief = "list the verbs, or describe a verb",
    .operands = "[VERB|TOPIC]",
    .about = "Lists the verbs; with a VERB, describes it and its own options, and names the "
             "others.  A TOPIC is selection, input, program, parts, output or general (options of "
             "many verbs), fields, expressions, rules, presets, tolerances, classes or exit-codes.",
    .options = help_options,
    .settings_size = sizeof(struct help_settings),
    .json = true,
    .run = help_run,
};
