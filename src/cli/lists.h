/* SPDX-License-Identifier: MIT */
/* lists.h: --list WHAT: the names that options and expressions accept, the same in every verb. */
#ifndef SPOOR_CLI_LISTS_H
#define SPOOR_CLI_LISTS_H

#include "cli/option.h"

/* In the order of enum list_kind. */
#define LIST_CHOICES                                                                        \
    "none|classes|fields|folds|formats|options|parameters|policies|predictors|prefetchers|" \
    "presets|"                                                                              \
    "rules|"                                                                                \
    "tolerances|verbs"

enum list_kind {
    LIST_NONE,
    LIST_CLASSES,
    LIST_FIELDS,
    LIST_FOLDS,
    LIST_FORMATS,
    LIST_OPTIONS,
    LIST_PARAMETERS,
    LIST_POLICIES,
    LIST_PREDICTORS,
    LIST_PREFETCHERS,
    LIST_PRESETS,
    LIST_RULES,
    LIST_TOLERANCES,
    LIST_VERBS,
    /* not of --list */
    LIST_RESULTS,
};

/* Prints the list that --list names, as the verb means it; returns the exit code. */
int list_show(const struct settings *settings);
/* A list as rows with `name`, `title` and more: for completion and help.  The caller frees it. */
struct spoor_result *list_rows(const struct verb *verb, int kind, bool json);

/* The name of a list (fields, formats, presets of pipelines, results, rules, verbs) that is nearest
 * to a misspelt word; NULL: none is near enough. */
const char *list_nearest(enum list_kind kind, const char *word);

/* The names in such rows, separated by spaces. */
struct text;
void list_put_names(struct text *out, const struct spoor_result *rows);

#endif
