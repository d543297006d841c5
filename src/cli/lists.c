/* SPDX-License-Identifier: MIT */
/*
 * lists.c: the names that options and expressions accept, each with a title.
 *
 * A list depends on the verb only where the names do: policies of pages or of caches, presets of
 * pipelines or conventions of courses.
 */
#include "cli/lists.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/preset.h"
#include "spoor/check.h"
#include "spoor/component.h"
#include "spoor/diff.h"
#include "spoor/pipeline.h"

struct list_context {
    struct spoor_result *rows;
    bool pages, caches, pipelines, json; /* what the verb accepts; all where it accepts none */
};

static struct spoor_result *list_put_row(const struct list_context *list, const char *name,
                                         const char *title)
{
    struct spoor_result *row = spoor_result_object(list->rows, NULL);
    spoor_result_text(row, "name", name);
    spoor_result_text(row, "title", title);
    return row;
}

static void list_put_components(const struct list_context *list, enum spoor_component_type type,
                                const char *of)
{
    const struct spoor_component *component;
    for (size_t i = 0; (component = spoor_component_at(type, i)); i++) {
        struct spoor_result *row = list_put_row(list, component->name, component->title);
        struct text defaults = {0};
        if (of) spoor_result_text(row, "of", of);
        const struct spoor_component_key *keys = component->keys; /* "keys=defaults" of a spec */
        for (const struct spoor_component_key *key = keys; key && key->name; key++) {
            const struct spoor_component_key *from = key;
            while (from->fallback == SPOOR_KEY_AS_BEFORE) from--;
            text_printf(&defaults, "%s%s=%" PRIu64, key == keys ? "" : ",", key->name,
                        (uint64_t)from->fallback);
        }
        text_put(&defaults, "", 1);
        if (defaults.failed) spoor_result_fail(row);
        spoor_result_text(row, "defaults", defaults.bytes);
        text_free(&defaults);
        if (!list->json) continue;
        spoor_result_text(row, "source", component->source);
        struct spoor_result *rows = spoor_result_array(row, "keys");
        for (const struct spoor_component_key *key = component->keys; key && key->name; key++) {
            struct spoor_result *at = spoor_result_object(rows, NULL);
            spoor_result_text(at, "name", key->name);
            spoor_result_text(at, "title", key->help);
            spoor_result_unsigned(at, "minimum", key->minimum);
            spoor_result_unsigned(at, "maximum", key->maximum);
        }
    }
}

static void list_put_parameter(const struct list_context *list, const char *name, const char *title,
                               const char *range, const char *standard)
{
    struct spoor_result *row = spoor_result_object(list->rows, NULL);
    spoor_result_text(row, "name", name);
    spoor_result_text(row, "range", range);
    spoor_result_text(row, "default", standard);
    spoor_result_text(row, "title", title); /* wrapped, as the last column */
}

static void list_put_parameters(const struct list_context *list)
{
    for (size_t i = 0; i < spoor_pipeline_parameters(); i++) {
        const struct spoor_pipeline_parameter *parameter = spoor_pipeline_parameter(i);
        char range[64], words[SPOOR_PIPELINE_WORDS];
        snprintf(range, sizeof range, "%u to %u", parameter->minimum, parameter->maximum);
        list_put_parameter(list, parameter->name, parameter->meaning,
                           parameter->choices ? parameter->choices : range,
                           spoor_pipeline_default(i, words));
    }
    list_put_parameter(list, "predictor", "the branch predictor, as for `spoor branch -p SPEC`",
                       "perfect, SPEC, SPEC+SPEC", "perfect");
    list_put_parameter(list, "level",
                       "an additional cache, as for `spoor cache --level SPEC`; none: remove all "
                       "earlier ones",
                       "none, SPEC", "none");
}

/* The options of a verb: what each means in every verb, and its value. */
static void list_put_options(const struct list_context *list, const struct verb *verb)
{
    const struct option *option;
    for (size_t i = 0; (option = verb_option(verb, i)); i++) {
        const char letter[] = {option->letter, '\0'};
        const char *value = option->value, *meaning = option_meaning(option, &value);
        struct text label = {0};
        text_printf(&label, "%s%s", option->style == OPTION_SINGLE_DASH ? "-" : "--", option->name);
        text_put(&label, "", 1);
        struct spoor_result *row =
            list_put_row(list, label.failed ? "" : label.bytes, meaning ? meaning : option->help);
        if (option->letter) spoor_result_text(row, "letter", letter);
        spoor_result_text(row, "argument", option->value);
        spoor_result_text(row, "of", verb->name);
        if (label.failed) spoor_result_fail(row);
        text_free(&label);
    }
}

struct spoor_result *list_rows(const struct verb *verb, int kind, bool json)
{
    struct list_context list = {.rows = spoor_result_new_array(), .json = json};
    list.pages = strcmp(verb->name, "page") == 0;
    list.pipelines = strcmp(verb->name, "pipe") == 0;
    list.caches = strcmp(verb->name, "cache") == 0 || strcmp(verb->name, "tlb") == 0 ||
                  strcmp(verb->name, "branch") == 0;
    if (!list.pages && !list.pipelines && !list.caches)
        list.pages = list.pipelines = list.caches = true;
    if (list.pages && kind == LIST_PRESETS) list.caches = true;
    const bool both = list.pages && list.caches;
    const char *name, *about;
    switch (list.rows ? kind : LIST_NONE) {
    case LIST_CLASSES:
        for (enum spoor_diff_class i = 0; i < SPOOR_DIFF_CLASSES; i++)
            list_put_row(&list, spoor_diff_class_name(i), spoor_diff_class_what(i));
        break;
    case LIST_FIELDS:
        for (enum spoor_field i = 0; i < SPOOR_FIELDS_ALL; i++)
            list_put_row(&list, spoor_field_name(i), spoor_field_what(i));
        break;
    case LIST_FOLDS: list_put_components(&list, SPOOR_FOLD, NULL); break;
    case LIST_FORMATS:
        for (size_t i = 0; i < spoor_format_count(); i++) {
            const struct spoor_format *format = spoor_format_at(i);
            struct spoor_result *row =
                list_put_row(&list, spoor_format_name(format), spoor_format_title(format));
            spoor_result_bool(row, "reads", spoor_format_reads(format));
            spoor_result_bool(row, "writes", spoor_format_writes(format));
        }
        break;
    case LIST_OPTIONS:
        for (size_t i = 0; verbs[i]; i++)
            if (verb == verbs[i] || strcmp(verb->name, "help") == 0)
                list_put_options(&list, verbs[i]);
        break;
    case LIST_PARAMETERS: list_put_parameters(&list); break;
    case LIST_POLICIES:
        if (list.caches) list_put_components(&list, SPOOR_CACHE_POLICY, both ? "cache" : NULL);
        if (list.pages) list_put_components(&list, SPOOR_PAGE_POLICY, both ? "page" : NULL);
        break;
    case LIST_PREDICTORS: {
        const bool all = strcmp(verb->name, "help") == 0;
        const bool values = strcmp(verb->name, "values") == 0;
        if (!values) list_put_components(&list, SPOOR_PREDICTOR, all ? "branch" : NULL);
        if (values || all) list_put_components(&list, SPOOR_VALUE_PREDICTOR, all ? "values" : NULL);
        break;
    }
    case LIST_PREFETCHERS: list_put_components(&list, SPOOR_PREFETCHER, NULL); break;
    case LIST_PRESETS:
        for (size_t i = 0; list.caches && (name = preset_at(i, &about)); i++) {
            struct spoor_result *row = list_put_row(&list, name, about);
            if (list.pipelines) spoor_result_text(row, "of", "cache tlb page branch");
        }
        for (size_t i = 0; list.pipelines && (name = spoor_pipeline_preset_name(i, &about)); i++) {
            struct spoor_result *row = list_put_row(&list, name, about);
            if (list.caches) spoor_result_text(row, "of", "pipe");
        }
        break;
    case LIST_RULES:
        for (size_t i = 0; i < spoor_rule_count(); i++) {
            static const char *const severities[] = {"note", "warning", "error"};
            const struct spoor_rule_info *info = spoor_rule_at(i);
            struct spoor_result *row = spoor_result_object(list.rows, NULL);
            spoor_result_text(row, "name", info->name);
            spoor_result_text(row, "severity", severities[info->severity]);
            spoor_result_bool(row, "on", info->on);
            spoor_result_text(row, "title", info->demand);
            if (json) spoor_result_text(row, "source", info->source);
        }
        break;
    case LIST_TOLERANCES:
        for (enum spoor_tolerance i = 0; i < SPOOR_TOLERANCES; i++)
            list_put_row(&list, spoor_tolerance_name(i), spoor_tolerance_what(i));
        break;
    case LIST_VERBS:
        for (size_t i = 0; verbs[i]; i++) list_put_row(&list, verbs[i]->name, verbs[i]->brief);
        break;
    default: break;
    }
    return list.rows;
}

int list_show(const struct settings *settings)
{
    struct spoor_result *rows = list_rows(settings->verb, settings->list, settings->json);
    if (!rows) return complain_for(EXIT_UNREADABLE, "out of memory");
    results_describe("lists");
    const int code = show_result(rows, result_form_of(settings));
    spoor_result_free(rows);
    return code;
}

/* The name at an index; NULL after the last. */
static const char *list_name(const void *kind, size_t index)
{
    switch (*(const enum list_kind *)kind) {
    case LIST_FIELDS:
        return index < SPOOR_FIELDS_ALL ? spoor_field_name((enum spoor_field)index) : NULL;
    case LIST_FORMATS:
        return index < spoor_format_count() ? spoor_format_name(spoor_format_at(index)) : NULL;
    case LIST_PRESETS: return spoor_pipeline_preset_name(index, NULL);
    case LIST_RESULTS: return spoor_result_described(index);
    case LIST_RULES: return index < spoor_rule_count() ? spoor_rule_at(index)->name : NULL;
    case LIST_VERBS: return verbs[index] ? verbs[index]->name : NULL;
    default: return NULL;
    }
}

const char *list_nearest(enum list_kind kind, const char *word)
{
    size_t count = 0;
    while (list_name(&kind, count)) count++;
    return nearest(word, list_name, &kind, count);
}

void list_put_names(struct text *out, const struct spoor_result *rows)
{
    size_t size = 0;
    char *csv = spoor_result_to_csv(rows, &size);
    bool first = true;
    out->failed |= !csv;
    for (const char *line = csv ? strchr(csv, '\n') : NULL; line && line[1];
         line = strchr(line + 1, '\n')) { /* a name has no comma and no line end, a title may */
        const size_t length = strcspn(line + 1, ",\n\"");
        if (length == 0 || line[1 + length] != ',') continue;
        text_puts(out, first ? "" : " ");
        text_put(out, line + 1, length);
        first = false;
    }
    free(csv);
}
