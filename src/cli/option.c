/* SPDX-License-Identifier: MIT */
/* option.c: parsing the arguments of a verb by its option table. */
#include "cli/option.h"

#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/scan.h"
#include "cli/cli.h"
#include "cli/descriptions.h"
#include "cli/lists.h"

/* ---- old names ---- */

/* Names that options had, which one version still understands. */
static const struct old_name {
    const char *verb; /* NULL: all */
    const char *name, *now;
    const char *when;      /* where `name` is another option now: a pattern of the old one's value;
                            * flags:      of the word after it */
    const char *from, *to; /* a value that has another name, too */
} old_names[] = {
    {NULL, "memory", "memory-limit", "*[0-9][KMGkmg]", NULL, NULL},
    {"annotate", "misses", "cache", NULL, NULL, NULL},
    {"calls", "from", "after", "[0-9]", NULL, NULL},
    {"calls", "from", "after", "[0-9]*[0-9a-fA-FKMG]", NULL, NULL}, /* no 2nd.spoor-format */
    {"calls", "from", "after", "end", NULL, NULL},
    {"calls", "from", "after", "*:*", NULL, NULL},
    {"calls", "to", "until", NULL, NULL, NULL},
    {"calls", "limit", "top", NULL, NULL, NULL},
    {"check", "limit", "top", NULL, NULL, NULL},
    {"convert", "level", "compress", NULL, "small", "best"},
    {"convert", "no-index", "without-index", NULL, NULL, NULL},
    {"convert", "partition", "partitioned", NULL, NULL, NULL},
    {"coverage", "only", "files", NULL, NULL, NULL},
    {"diff", "cpu", "pair-cpu", "*=*", NULL, NULL},
    {"diff", "effects-first", "effects-first", "none", "none", "no"},
    {"diff", "effects-first", "effects-first", "both", "both", "yes"},
    {"diff", "limit", "top", NULL, NULL, NULL},
    {"diff", "time", "compare-time", "[!0-9:]*", NULL, NULL},
    {"gdb", "stdio", "serve", NULL, NULL, NULL},
    {"merge", "no-index", "without-index", NULL, NULL, NULL},
    {"mix", "window", "working-set", NULL, NULL, NULL},
    {"page", "interval", "ageing", NULL, NULL, NULL},
    {"page", "show", "print", NULL, NULL, NULL},
    {"phases", "simpoints", "write-simpoints", NULL, NULL, NULL},
    {"pipe", "region", "micro-ops", NULL, NULL, NULL},
    {"print", "time", "time-base", "[dh]e*", NULL, NULL},
    {"profile", "limit", "top", NULL, NULL, NULL},
    {"record", "cpu", "thread", NULL, NULL, NULL},
    {"record", "no-index", "without-index", NULL, NULL, NULL},
    {"stats", "against", "level", NULL, NULL, NULL},
    {"stats", "width", "bus-width", NULL, NULL, NULL},
    {"sweep", "of", "rows", NULL, NULL, NULL},
    {"vcd", "time", "time-unit", "[dit]*", NULL, NULL},
    {"who", "before", "at", NULL, NULL, NULL},
};

/* Names that options had, where none means the same now. */
static const struct {
    const char *verb, *name, *why;
} dropped_names[] = {
    {"exceptions", "limit",
     "counted the first N exceptions alone: --top N shows the last N and counts all"},
};

enum { MAX_HINTS = 16 };

struct parser {
    const struct verb *verb;
    char **words;
    int count, at;
    char *settings;
    const struct old_name *hints[MAX_HINTS]; /* the old names that were used */
    size_t hint_count;
};

static const struct option *options_find_long(const struct verb *verb, const char *name,
                                              size_t size, enum option_style style)
{
    const struct option *option;
    for (size_t i = 0; (option = verb_option(verb, i)); i++)
        if (option->style == style && strlen(option->name) == size &&
            memcmp(option->name, name, size) == 0)
            return option;
    return NULL;
}

static const struct option *options_find_letter(const struct verb *verb, char letter)
{
    const struct option *option;
    for (size_t i = 0; (option = verb_option(verb, i)); i++)
        if (letter && option->letter == letter) return option;
    return NULL;
}

/* The option that a word "--name" names, by its name now or before; *value is then called as now.
 * `after`: the value, or the next word; NULL: none.  NULL: the verb has no such option. */
static const struct option *options_find(struct parser *parser, const char *name, size_t size,
                                         const char *after, const char **value)
{
    const struct option *option = options_find_long(parser->verb, name, size, OPTION_DOUBLE_DASH);
    for (size_t i = 0; i < sizeof old_names / sizeof *old_names; i++) {
        const struct old_name *old = &old_names[i];
        if (strlen(old->name) != size || memcmp(old->name, name, size) != 0 ||
            (old->verb && strcmp(old->verb, parser->verb->name) != 0) || (option && !old->when))
            continue;
        const struct option *now =
            options_find_long(parser->verb, old->now, strlen(old->now), OPTION_DOUBLE_DASH);
        if (!now) continue;
        if (option && !(after ? fnmatch(old->when, after, 0) == 0 : now->type == OPTION_FLAG))
            continue;
        if (old->from && after && strcmp(old->from, after) == 0) {
            if (!*value) parser->at++;
            *value = old->to;
        }
        if (parser->hint_count < MAX_HINTS) parser->hints[parser->hint_count++] = old;
        return now;
    }
    return option;
}

static void options_show_hints(const struct parser *parser)
{
    for (size_t i = 0; i < parser->hint_count; i++) {
        const struct old_name *old = parser->hints[i];
        const bool same = strcmp(old->name, old->now) == 0; /* its value has another name */
        complain("%s --%s%s%s is called --%s%s%s now; a later version does not know the old name",
                 parser->verb->name, old->name, same ? " " : "", same ? old->from : "", old->now,
                 same ? " " : "", same ? old->to : "");
    }
}

static bool options_parse_end(const char *word, size_t size, bool hex, uint64_t *value)
{
    struct scan scan = {word, word + size};
    return (hex ? scan_address(&scan, value) : scan_number(&scan, value)) && scan_done(&scan);
}

/* "A:B", "A:", ":B" or "A" (one). */
static bool options_parse_range(const char *word, bool hex, struct range *range)
{
    const char *colon = strchr(word, ':');
    size_t size = colon ? (size_t)(colon - word) : strlen(word);
    range->given = true;
    range->first = 0;
    range->last = UINT64_MAX;
    if (size && !options_parse_end(word, size, hex, &range->first)) return false;
    if (!colon) {
        range->last = range->first;
        return size > 0;
    }
    if (colon[1] && !options_parse_end(colon + 1, strlen(colon + 1), hex, &range->last)) {
        range->last = UINT64_MAX;
        return false;
    }
    return range->first <= range->last;
}

const struct spoor_format *format_named(const char *word)
{
    const struct spoor_format *format = spoor_format_find(word);
    bool failed = false;
    if (!format) format = description_named(word, &failed);
    if (format || failed) return format;
    const char *near = list_nearest(LIST_FORMATS, word);
    complain("no format is called '%s'%s%s%s; see `spoor formats`", word,
             near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "");
    return NULL;
}

static bool options_store(const struct parser *parser, const struct option *option,
                          const char *word)
{
    void *at = parser->settings + option->at;
    const struct range *range = at;
    struct list *list = at; /* of an OPTION_LIST */
    const char *wanted = "a value";
    int index = 0;
    bool good = true;
    switch (option->type) {
    case OPTION_FLAG: *(bool *)at = true; break;
    case OPTION_TEXT:
    case OPTION_INPUT:
    case OPTION_OUTPUT: *(const char **)at = word; break;
    case OPTION_NUMBER:
        wanted = "a number, such as 4096, 4K or 0x1000";
        good = scan_all_number(word, at);
        break;
    case OPTION_COUNT:
        wanted = "a number from 1";
        good = scan_all_number(word, at) && *(uint64_t *)at > 0;
        break;
    case OPTION_FORMAT: return (*(const struct spoor_format **)at = format_named(word)) != NULL;
    case OPTION_RANGE:
    case OPTION_HEXRANGE:
        good = options_parse_range(word, option->type == OPTION_HEXRANGE, at);
        wanted = range->first > range->last ? "a range A:B with A at most B"
                 : option->type == OPTION_HEXRANGE
                     ? "a range A:B of hexadecimal addresses, A: or :B"
                     : "a range A:B of numbers, A: or :B";
        break;
    case OPTION_CHOICE:
        /* `none` stands for no option */
        wanted = option->choices + (strncmp(option->choices, "none|", 5) == 0 ? 5 : 0);
        good = false;
        for (const char *choice = option->choices; choice && !good; index++) {
            const size_t size = strcspn(choice, "|");
            good = strlen(word) == size && memcmp(choice, word, size) == 0;
            if (good) *(int *)at = index;
            choice = choice[size] ? choice + size + 1 : NULL;
        }
        break;
    case OPTION_LIST:
        wanted = "at most 64 of them";
        good = list->count < MAX_LIST;
        if (good) list->items[list->count++] = word;
        break;
    }
    if (!good)
        complain("%s %s%s: found '%s', expected %s", parser->verb->name,
                 option->style == OPTION_SINGLE_DASH ? "-" : "--", option->name, word, wanted);
    return good;
}

static const char *options_name(const void *verb, size_t index)
{
    return verb_option(verb, index)->name;
}

static bool options_refuse(struct parser *parser, const char *word)
{
    size_t count = 0;
    for (size_t i = 0; i < sizeof dropped_names / sizeof *dropped_names; i++) {
        const size_t size = strlen(dropped_names[i].name);
        if (strcmp(dropped_names[i].verb, parser->verb->name) == 0 && strncmp(word, "--", 2) == 0 &&
            strcspn(word + 2, "=") == size && memcmp(word + 2, dropped_names[i].name, size) == 0)
            return complain("%s --%s %s", parser->verb->name, dropped_names[i].name,
                            dropped_names[i].why);
    }
    while (verb_option(parser->verb, count)) count++;
    const char *near = nearest(word + strspn(word, "-"), options_name, parser->verb, count);
    complain("%s has no option '%s'%s%s%s; see `spoor %s --help`", parser->verb->name, word,
             near ? ": did you mean '--" : "", near ? near : "", near ? "'?" : "",
             parser->verb->name);
    return false;
}

/* The option's value: the rest of its word (`rest`) or the next word. */
static bool options_set(struct parser *parser, const struct option *option, const char *rest)
{
    uint64_t number;
    const char *next = parser->at + 1 < parser->count ? parser->words[parser->at + 1] : NULL;
    if (option->type == OPTION_FLAG || rest) return options_store(parser, option, rest ? rest : "");
    if (option->type == OPTION_NUMBER && option->choices &&
        !(next && scan_all_number(next, &number)))
        return options_store(parser, option, option->choices);
    if (next) return parser->at++, options_store(parser, option, next);
    return complain("%s %s%s: expected %s after it", parser->verb->name,
                    option->style == OPTION_SINGLE_DASH ? "-" : "--", option->name,
                    option->value ? option->value : "a value");
}

/* -abc: flag letters; the first letter with a value consumes the rest of the word. */
static bool options_parse_letters(struct parser *parser, const char *word)
{
    const struct option *whole =
        options_find_long(parser->verb, word + 1, strlen(word + 1), OPTION_SINGLE_DASH);
    if (whole) return options_set(parser, whole, NULL);
    for (const char *letter = word + 1; *letter; letter++) {
        const struct option *option = options_find_letter(parser->verb, *letter);
        if (!option) return options_refuse(parser, word);
        if (option->type != OPTION_FLAG)
            return options_set(parser, option, letter[1] ? letter + 1 : NULL);
        options_store(parser, option, "");
    }
    return true;
}

const struct option *option_of_word(const struct verb *verb, const char *word,
                                    enum option_type type)
{
    if (word[0] != '-' || !word[1]) return NULL;
    const struct option *option =
        word[1] == '-'
            ? options_find_long(verb, word + 2, strcspn(word + 2, "="), OPTION_DOUBLE_DASH)
            : options_find_long(verb, word + 1, strlen(word + 1), OPTION_SINGLE_DASH);
    for (const char *letter = word + 1; !option && word[1] != '-' && *letter; letter++) {
        option = options_find_letter(verb, *letter);
        if (!option || (option->type != OPTION_FLAG && option->type != type)) return NULL;
        if (option->type != type) option = NULL;
    }
    return option && option->type == type ? option : NULL;
}

/* ---- outputs that would overwrite an input ---- */

/* False, with a message: the output is this file, which may be named as "FILE@OFFSET". */
static bool option_spares_input(const struct parser *parser, const struct option *option,
                                const char *output, const char *input)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s", input);
    char *offset = strrchr(path, '@');
    if (offset) *offset = '\0';
    if (!spoor_output_is_input(output, input) && !spoor_output_is_input(output, path)) return true;
    return complain("%s --%s: %s is an input: expected another file to write", parser->verb->name,
                    option->name, output);
}

bool options_parse(const struct verb *verb, int count, char **words, void *settings)
{
    struct parser parser = {.verb = verb, .words = words, .count = count, .settings = settings};
    struct settings *common = settings;
    common->verb = verb;
    common->operands = words; /* operands move to the front of `words` */
    bool options_over = false;
    for (; parser.at < count; parser.at++) {
        char *word = words[parser.at];
        if (options_over || word[0] != '-' || !word[1]) {
            words[common->operand_count++] = word;
        } else if (strcmp(word, "--") == 0) {
            options_over = true;
        } else if (word[1] != '-') {
            if (!options_parse_letters(&parser, word)) return false;
        } else {
            const size_t size = strcspn(word + 2, "=");
            const char *value = word[2 + size] ? word + 2 + size + 1 : NULL;
            const char *next = parser.at + 1 < count ? words[parser.at + 1] : NULL;
            const struct option *option =
                options_find(&parser, word + 2, size, value ? value : next, &value);
            if (!option) return options_refuse(&parser, word);
            if (value && option->type == OPTION_FLAG)
                return complain("%s --%s takes no value, found '%s'", verb->name, option->name,
                                value);
            if (!options_set(&parser, option, value)) return false;
        }
    }
    if (!common->quiet) options_show_hints(&parser);
    if (common->plot && !common->csv) { /* a picture is drawn of what JSON has */
        common->plot_alone = !common->json;
        common->json = true;
    }
    int inputs = 0;
    for (int i = 0; i < common->operand_count; i++) inputs += strcmp(common->operands[i], "-") == 0;
    if (inputs > 1 && !verb->runs_operands)
        return complain("%s: found - more than once: standard input can be read only once",
                        verb->name);
    /* No output is an input, or another output. */
    const int operands = verb->runs_operands && common->operand_count ? 1 : common->operand_count;
    const struct option *option, *other;
    for (size_t i = 0; (option = verb_option(verb, i)); i++) {
        if (option->type != OPTION_OUTPUT) continue;
        const char *output = *(const char *const *)(const void *)(parser.settings + option->at);
        for (int k = 0; output && k < operands; k++)
            if (!option_spares_input(&parser, option, output, common->operands[k])) return false;
        for (size_t k = 0; output && (other = verb_option(verb, k)); k++) {
            const void *at = parser.settings + other->at;
            const struct list *list = at;
            const bool names_files =
                other->type == OPTION_LIST && other->value && strncmp(other->value, "FILE", 4) == 0;
            for (size_t n = 0; names_files && n < list->count; n++)
                if (!option_spares_input(&parser, option, output, list->items[n])) return false;
            const bool names_file = other->type == OPTION_INPUT || other->type == OPTION_OUTPUT;
            const char *path = names_file && other != option ? *(const char *const *)at : NULL;
            if (!path) continue;
            if (other->type == OPTION_INPUT) {
                if (!option_spares_input(&parser, option, output, path)) return false;
            } else if (strcmp(path, "-") != 0 &&
                       (strcmp(path, output) == 0 || spoor_output_is_input(output, path))) {
                return complain("%s: --%s and --%s both write %s", parser.verb->name, option->name,
                                other->name, path);
            }
        }
    }
    return true;
}
