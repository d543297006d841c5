/* SPDX-License-Identifier: MIT */
/* component.c: the list of components, and the specs that choose one of them. */
#include "simulate/component.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/text.h"
#include "model/error.h"
#include "simulate/branch/predictor.h"
#include "simulate/cache/cache.h"
#include "simulate/paging/paging.h"
#include "simulate/value/value.h"
#include "simulate/words.h"
#include "spoor/plugin.h"

enum { LINE = 64, MAX_WORD = 40, MAX_TABLES = 1 << 30 };

/* ---- the list ---- */

#define COMPONENT(TYPE, NAME) extern const struct TYPE TYPE##_##NAME;
#include "simulate/components.def"
#undef COMPONENT

static const struct component *const components[] = {
#define COMPONENT(TYPE, NAME) &TYPE##_##NAME.component,
#include "simulate/components.def"
#undef COMPONENT
};
enum { COMPONENTS = sizeof components / sizeof *components };

static const struct component *component_at(enum spoor_component_type type, size_t index)
{
    for (size_t i = 0; i < COMPONENTS; i++)
        if (components[i]->about.type == type && index-- == 0) return components[i];
    return plugin_component_at(type, index);
}

const struct spoor_component *spoor_component_at(enum spoor_component_type type, size_t index)
{
    const struct component *component = component_at(type, index);
    return component ? &component->about : NULL;
}

/* ---- names ---- */

/* A copy of a word for a message, truncated to a readable length. */
static const char *word_short(struct word word, char copy[MAX_WORD])
{
    if (word.size >= MAX_WORD) word.size = MAX_WORD - 1;
    memcpy(copy, word.text, word.size);
    copy[word.size] = '\0';
    return copy;
}

/* By enum spoor_component_type. */
const char *const component_words[] = {"predictor", "policy",          "prefetcher",
                                       "policy",    "value predictor", "fold"};

static const char *component_name(const void *type, size_t index)
{
    return component_at(*(const enum spoor_component_type *)type, index)->about.name;
}

static const char *component_key_name(const void *keys, size_t index)
{
    return ((const struct spoor_component_key *)keys)[index].name;
}

/* The index of a key; the number of keys if there is none of that name, or no name is given. */
static size_t component_key_index(const struct spoor_component *about, const struct word *name)
{
    size_t i = 0;
    for (; about->keys && about->keys[i].name; i++)
        if (name && word_equals(*name, about->keys[i].name)) break;
    return i;
}

/* ---- values ---- */

/* Sets the values of a list; unless `strict`, unknown keys are ignored. */
static enum spoor_status component_set_values(struct component_setup *setup, const char *list,
                                              bool strict, struct spoor_error *error)
{
    const struct spoor_component *about = &setup->component->about;
    const size_t count = component_key_index(about, NULL);
    struct word pair, name, text;
    while (word_next(&list, ",:", &pair)) {
        word_split(pair, &name, &text);
        const size_t index = component_key_index(about, &name);
        char copy[MAX_WORD];
        if (index == count && strict) {
            const char *found = word_short(name, copy);
            const char *near = nearest(found, component_key_name, about->keys, count);
            return spoor_error_set(error, SPOOR_EUSAGE, "%s '%s' has no key '%s'%s%s%s",
                                   component_words[about->type], about->name, found,
                                   near ? ": did you mean '" : "", near ? near : "",
                                   near ? "'?" : "");
        }
        if (index == count) continue;
        const struct spoor_component_key *key = &about->keys[index];
        uint64_t value;
        if (!word_number(text, &value) || value < key->minimum || value > key->maximum)
            return spoor_error_set(error, SPOOR_EUSAGE,
                                   "%s '%s', key '%s': found '%s', expected a number from %" PRIu64
                                   " to %" PRIu64,
                                   component_words[about->type], about->name, key->name,
                                   word_short(text, copy), key->minimum, key->maximum);
        setup->values[index] = value;
    }
    return SPOOR_OK;
}

enum spoor_status component_parse(struct component_setup *setup, enum spoor_component_type type,
                                  const char *spec, const char *defaults, struct spoor_error *error)
{
    const struct word name = {spec, strcspn(spec, ":")};
    const struct component *component;
    for (size_t i = 0; (component = component_at(type, i)); i++)
        if (word_equals(name, component->about.name)) break;
    if (!component) {
        size_t count = 0;
        while (component_at(type, count)) count++;
        char copy[MAX_WORD];
        const char *found = word_short(name, copy), *what = component_words[type];
        const char *near = nearest(found, component_name, &type, count);
        if (near)
            return spoor_error_set(error, SPOOR_EUSAGE, "no %s is called '%s': did you mean '%s'?",
                                   what, found, near);
        struct text names = {0};
        for (size_t i = 0; i < count; i++)
            text_printf(&names, "%s%s", i ? ", " : "", component_at(type, i)->about.name);
        text_put(&names, "", 1);
        spoor_error_set(error, SPOOR_EUSAGE, "no %s is called '%s', expected one of %s", what,
                        found, names.failed ? "those of --list" : names.bytes);
        text_free(&names);
        return SPOOR_EUSAGE;
    }
    setup->component = component;
    memset(setup->values, 0, sizeof setup->values);
    const struct spoor_component_key *keys = component->about.keys;
    const size_t count = component_key_index(&component->about, NULL);
    for (size_t i = 0; i < count; i++) setup->values[i] = keys[i].fallback;
    enum spoor_status status = component_set_values(setup, defaults, false, error);
    if (status == SPOOR_OK && spec[name.size])
        status = component_set_values(setup, spec + name.size + 1, true, error);
    if (status != SPOOR_OK) return status;
    for (size_t i = 1; i < count; i++)
        if (setup->values[i] == SPOOR_KEY_AS_BEFORE) setup->values[i] = setup->values[i - 1];
    struct component_size size = {0};
    const char *why = component->size ? component->size(setup, &size) : NULL;
    if (!why && type == SPOOR_PREDICTOR && component->struct_size + size.tables > MAX_TABLES)
        why = "its tables are over 1 GiB";
    return why ? spoor_error_set(error, SPOOR_EUSAGE, "%s '%s': %s", component_words[type], spec,
                                 why)
               : SPOOR_OK;
}

/* ---- instances ---- */

size_t component_memory(const struct component_setup *setup)
{
    const struct component *component = setup->component;
    struct component_size size = {0};
    if (component->size) component->size(setup, &size);
    return component->struct_size + size.tables;
}

void *component_make(const struct component_setup *setup, struct spoor_error *error)
{
    const struct component *component = setup->component;
    const size_t size = (component_memory(setup) + LINE) & ~(size_t)(LINE - 1);
    void *state = aligned_alloc(LINE, size);
    if (!state) {
        error_no_memory(error);
        return NULL;
    }
    memset(state, 0, size);
    if (component->initial) memcpy(state, component->initial, component->struct_size);
    if (component->start) component->start(state, setup);
    char sentence[COMPONENT_SENTENCE];
    const char *why = component->design ? plugin_create(state, setup, sentence) : NULL;
    if (!why) return state;
    spoor_error_set(error, SPOOR_EUSAGE, "%s '%s': %s", component_words[component->about.type],
                    component->about.name, why);
    free(state);
    return NULL;
}

void component_free(const struct component *component, void *state)
{
    if (state && component && component->design && component->design->destroy)
        component->design->destroy(state);
    free(state);
}
