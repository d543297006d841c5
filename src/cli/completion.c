/* SPDX-License-Identifier: MIT */
/*
 * completion.c: completion scripts for bash, zsh and fish.
 *
 * Verbs, options, the choices of an option and the names of formats come from the tables, so a
 * script always matches the program that printed it.
 */
#include <string.h>

#include "cli/cli.h"
#include "cli/help.h"
#include "cli/lists.h"

/* ---- the possible values of an option, separated by spaces; false: a file, or any text ---- */

/* Options whose values are the names of a list; verb NULL: of every verb. */
static const struct {
    const char *verb, *option;
    int list;
} listed[] = {
    {"check", "enable", LIST_RULES},
    {"check", "disable", LIST_RULES},
    {"check", "only", LIST_RULES},
    {"diff", "tolerate", LIST_TOLERANCES},
    {"branch", "predictor", LIST_PREDICTORS},
    {"pipe", "predictor", LIST_PREDICTORS},
    {"pipe", "preset", LIST_PRESETS},
    {"page", "replace", LIST_POLICIES},
    {NULL, "fields", LIST_FIELDS},
};

static bool completion_put_values(struct text *out, const struct verb *verb,
                                  const struct option *option)
{
    for (size_t i = 0; verb && i < sizeof listed / sizeof *listed; i++) {
        if (strcmp(option->name, listed[i].option) != 0) continue;
        if (listed[i].verb && strcmp(verb->name, listed[i].verb) != 0) continue;
        struct spoor_result *rows = list_rows(verb, listed[i].list, false);
        list_put_names(out, rows);
        spoor_result_free(rows);
        return true;
    }
    if (option->type == OPTION_FORMAT) {
        for (size_t i = 0; i < spoor_format_count(); i++)
            text_printf(out, "%s%s", i ? " " : "", spoor_format_name(spoor_format_at(i)));
        return true;
    }
    if (option->type != OPTION_CHOICE) return false;
    for (const char *word = option->choices; *word;) { /* "a|b|c" */
        const size_t size = strcspn(word, "|");
        text_put(out, word, size);
        word += size + (word[size] == '|');
        if (*word) text_puts(out, " ");
    }
    return true;
}

/* A case for each option of the table with a fixed set of values. */
static void completion_put_bash_values(struct text *out, const char *name, const struct verb *verb,
                                       const struct option *options)
{
    for (const struct option *option = options; option && option->name; option++) {
        const size_t before = out->size;
        text_puts(out, "        ");
        if (option->letter) text_printf(out, "%s:-%c | ", name, option->letter);
        text_printf(out, "%s:--%s) values='", name, option->name);
        if (completion_put_values(out, verb, option))
            text_puts(out, "' ;;\n");
        else
            out->size = before;
    }
}

void put_bash_completion(struct text *out)
{
    text_puts(out, "# Completion of spoor(1) for bash, made by: spoor help --completion bash\n"
                   "_spoor()\n"
                   "{\n"
                   "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
                   "    local verb=${COMP_WORDS[1]} verbs='");
    for (size_t i = 0; verbs[i]; i++) text_printf(out, "%s ", verbs[i]->name);
    text_puts(out,
              "' options='' values=''\n"
              "    COMPREPLY=()\n"
              "    # bash takes --from=uop apart at the equals sign\n"
              "    [[ $word == = ]] && word=''\n"
              "    [[ $before == = ]] && before=${COMP_WORDS[COMP_CWORD - 2]}\n"
              "    if ((COMP_CWORD == 1)); then\n"
              "        mapfile -t COMPREPLY < <(compgen -W \"$verbs --version\" -- \"$word\")\n"
              "        return\n"
              "    fi\n"
              "    case $verb:$before in\n");
    for (size_t i = 0; verbs[i]; i++)
        completion_put_bash_values(out, verbs[i]->name, verbs[i], verbs[i]->options);
    completion_put_bash_values(out, "*", NULL, common_options);
    text_puts(out,
              "        help:help) values=\"$verbs selection input program parts output general "
              "fields expressions rules presets tolerances classes exit-codes\" ;;\n"
              "    esac\n"
              "    case $verb in\n");
    for (size_t i = 0; verbs[i]; i++) {
        const struct verb *verb = verbs[i];
        text_printf(out, "        %s) options='", verb->name);
        const struct option *option;
        for (size_t j = 0; (option = verb_option(verb, j)); j++) {
            if (option->letter) text_printf(out, "-%c ", option->letter);
            text_printf(out, "%s%s ", option->style == OPTION_SINGLE_DASH ? "-" : "--",
                        option->name);
        }
        text_puts(out, "' ;;\n");
    }
    text_puts(out, "    esac\n"
                   "    if [[ $word == -* ]]; then\n"
                   "        mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")\n"
                   "    elif [[ $values ]]; then\n"
                   "        mapfile -t COMPREPLY < <(compgen -W \"$values\" -- \"$word\")\n"
                   "    else\n"
                   "        mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
                   "    fi\n"
                   "}\n"
                   "complete -o filenames -F _spoor spoor\n");
}

/* ---- zsh ---- */

/* Inside '...[...]' quotes, brackets, colons and backslashes are special. */
static void completion_put_zsh_words(struct text *out, const char *words)
{
    for (; *words; words++) {
        if (*words == '\'')
            text_puts(out, "'\\'");
        else if (strchr("[]:\\", *words))
            text_puts(out, "\\");
        text_put(out, words, 1);
    }
}

void put_zsh_completion(struct text *out)
{
    text_puts(out, "#compdef spoor\n"
                   "# Completion of spoor(1) for zsh, made by: spoor help --completion zsh\n"
                   "_spoor_verbs()\n"
                   "{\n"
                   "    local -a verbs\n"
                   "    verbs=(\n");
    for (size_t i = 0; verbs[i]; i++) {
        text_printf(out, "        '%s:", verbs[i]->name);
        completion_put_zsh_words(out, verbs[i]->brief);
        text_puts(out, "'\n");
    }
    text_puts(out, "    )\n"
                   "    _describe verb verbs\n"
                   "}\n"
                   "_spoor()\n"
                   "{\n"
                   "    if ((CURRENT == 2)); then\n"
                   "        _spoor_verbs\n"
                   "        return\n"
                   "    fi\n"
                   "    shift words\n"
                   "    ((CURRENT--))\n"
                   "    case $words[1] in\n");
    for (size_t i = 0; verbs[i]; i++) {
        const struct verb *verb = verbs[i];
        text_printf(out, "    %s)\n        _arguments -s \\\n", verb->name);
        const struct option *option;
        for (size_t j = 0; (option = verb_option(verb, j)); j++) {
            const char *dashes = option->style == OPTION_SINGLE_DASH ? "-" : "--";
            const char *equals = option->value && option->style == OPTION_DOUBLE_DASH ? "=" : "";
            const char *more = option->type == OPTION_LIST ? "*" : "";
            text_puts(out, "            ");
            if (option->letter && !*more)
                text_printf(out, "'(-%c --%s)'", option->letter, option->name);
            if (*more) text_puts(out, "'*'");
            if (option->letter)
                text_printf(out, "{-%c%s,--%s%s}'[", option->letter, option->value ? "+" : "",
                            option->name, equals);
            else
                text_printf(out, "'%s%s%s[", dashes, option->name, equals);
            struct text help = {0};
            completion_put_zsh_words(out, option_words(&help, option));
            out->failed |= help.failed;
            text_free(&help);
            text_puts(out, "]");
            if (option->value) { /* the action: nothing, offer words, or offer files */
                text_puts(out, ":");
                completion_put_zsh_words(out, option->value);
                text_puts(out, ":");
                const size_t before = out->size;
                text_puts(out, "(");
                if (completion_put_values(out, verb, option))
                    text_puts(out, ")");
                else
                    out->size = before;
                if (out->size == before && strcmp(option->value, "FILE") == 0)
                    text_puts(out, "_files");
            }
            text_puts(out, "' \\\n");
        }
        text_puts(out, strcmp(verb->name, "help") == 0 ? "            ':verb:_spoor_verbs'\n"
                                                       : "            '*:trace:_files'\n");
        text_puts(out, "        ;;\n");
    }
    text_puts(out, "    esac\n"
                   "}\n"
                   "_spoor \"$@\"\n");
}

/* ---- fish ---- */

/* Inside '...' these are special. */
static const char fish_special[] = "'\\";

void put_fish_completion(struct text *out)
{
    text_puts(out, "# Completion of spoor(1) for fish, made by: spoor help --completion fish\n"
                   "function __spoor_verb\n"
                   "    set -l words (commandline -opc)\n"
                   "    test (count $words) -gt 1; and test \"$words[2]\" = $argv[1]\n"
                   "end\n"
                   "function __spoor_no_verb\n"
                   "    test (count (commandline -opc)) -eq 1\n"
                   "end\n");
    for (size_t i = 0; verbs[i]; i++) {
        text_printf(out, "complete -c spoor -n __spoor_no_verb -f -a %s -d '", verbs[i]->name);
        put_escaped(out, verbs[i]->brief, fish_special);
        text_puts(out, "'\n");
    }
    for (size_t i = 0; verbs[i]; i++) {
        const struct option *option;
        for (size_t j = 0; (option = verb_option(verbs[i], j)); j++) {
            const struct verb *verb = verbs[i];
            text_printf(out, "complete -c spoor -n '__spoor_verb %s' ", verb->name);
            if (option->letter && option->style == OPTION_DOUBLE_DASH)
                text_printf(out, "-s %c ", option->letter);
            text_printf(out, "%s %s", option->style == OPTION_SINGLE_DASH ? "-o" : "-l",
                        option->name);
            const size_t before = out->size;
            text_puts(out, " -x -a '");
            if (completion_put_values(out, verb, option)) {
                text_puts(out, "'");
            } else {
                out->size = before;
                if (option->value) text_puts(out, " -r");
            }
            text_puts(out, " -d '");
            struct text help = {0};
            put_escaped(out, option_words(&help, option), fish_special);
            out->failed |= help.failed;
            text_free(&help);
            text_puts(out, "'\n");
        }
    }
}
