/* SPDX-License-Identifier: MIT */
/*
 * plugin.c: the designs of plug-ins as components.
 *
 * They are a list that only grows: a component has pointers to it for as long as anyone pleases,
 * and threads read it while another adds.
 */
#include "spoor/plugin.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "model/error.h"
#include "simulate/branch/predictor.h"
#include "simulate/cache/cache.h"
#include "simulate/fold.h"
#include "simulate/value/value.h"

struct plugin_entry {
    union {
        struct component component;
        struct predictor predictor;
        struct cache_policy policy;
        struct prefetcher prefetcher;
        struct value_predictor value_predictor;
        struct fold_component fold;
    };
    struct plugin_entry *_Atomic next;
};

/* The plug-ins that were added. */
struct plugin_file {
    const struct spoor_plugin *plugin;
    struct plugin_file *next;
    char name[]; /* of the file, in messages */
};

static struct plugin_entry *_Atomic entries;
static struct plugin_file *files;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

const struct component *plugin_component_at(enum spoor_component_type type, size_t index)
{
    for (const struct plugin_entry *entry = entries; entry; entry = entry->next)
        if (entry->component.about.type == type && index-- == 0) return &entry->component;
    return NULL;
}

/* ---- instances ---- */

/* A copy of what a plug-in returned, which may be its setup's. */
static const char *plugin_keep_sentence(const char *sentence, char kept[COMPONENT_SENTENCE])
{
    if (sentence) snprintf(kept, COMPONENT_SENTENCE, "%s", sentence);
    return sentence ? kept : NULL;
}

static struct spoor_plugin_setup plugin_setup(const struct component_setup *setup)
{
    return (struct spoor_plugin_setup){
        .values = setup->values,
        .sets = setup->sets,
        .ways = setup->ways,
        .block_bits = setup->block_bits,
        .sub_bits = setup->sub_bits,
        .degree = setup->degree,
        .seed = setup->seed,
        .order = setup->order,
    };
}

static const char *plugin_size(const struct component_setup *setup, struct component_size *size)
{
    struct spoor_plugin_setup given = plugin_setup(setup);
    const char *why = setup->component->design->size(&given);
    size->tables = given.state_bytes;
    size->bits = given.storage_bits;
    return plugin_keep_sentence(why, size->sentence);
}

const char *plugin_create(void *state, const struct component_setup *setup,
                          char sentence[COMPONENT_SENTENCE])
{
    const struct spoor_plugin_design *design = setup->component->design;
    struct spoor_plugin_setup given = plugin_setup(setup);
    if (!design->create) return NULL;
    return plugin_keep_sentence(design->create(state, &given), sentence);
}

/* ---- adding ---- */

/* The first letters that are no part of a name in a spec: an empty name has them at once. */
static bool plugin_is_name(const char *name)
{
    return name && *name &&
           name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")] ==
               '\0';
}

/* SPOOR_EUSAGE: the design cannot be used. */
static enum spoor_status plugin_check(const struct spoor_plugin_design *design,
                                      enum spoor_component_type type, const char *file,
                                      struct spoor_error *error)
{
    const char *const what = component_words[type];
    if (!plugin_is_name(design->name))
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "%s: a %s has the name '%s', expected letters, digits, '-' and '_'",
                               file, what, design->name ? design->name : "");
    const struct spoor_component *other;
    for (size_t i = 0; (other = spoor_component_at(type, i)); i++)
        if (strcmp(other->name, design->name) == 0)
            return spoor_error_set(error, SPOOR_EUSAGE,
                                   "%s: another %s is called '%s', too: expected another name",
                                   file, what, design->name);
    if (!design->title || !design->size)
        return spoor_error_set(error, SPOOR_EUSAGE, "%s: %s '%s' has no %s", file, what,
                               design->name, design->title ? "function size()" : "title");
    size_t count = 0;
    for (const struct spoor_component_key *key = design->keys; key && key->name; key++, count++) {
        const bool before = key->fallback == SPOOR_KEY_AS_BEFORE && count > 0;
        if (count == COMPONENT_KEYS)
            return spoor_error_set(error, SPOOR_EUSAGE, "%s: %s '%s' has more than %d keys", file,
                                   what, design->name, COMPONENT_KEYS);
        if (!plugin_is_name(key->name) || !key->help)
            return spoor_error_set(error, SPOOR_EUSAGE, "%s: %s '%s': key '%s' has %s", file, what,
                                   design->name, key->name,
                                   key->help ? "a name that is not of letters, digits, '-' and '_'"
                                             : "no help");
        if (!before && (key->fallback < key->minimum || key->fallback > key->maximum))
            return spoor_error_set(error, SPOOR_EUSAGE,
                                   "%s: %s '%s': the default of key '%s' is not in its range", file,
                                   what, design->name, key->name);
    }
    return SPOOR_OK;
}

/* A new entry of a design; NULL: `error` has a sentence. */
static struct plugin_entry *plugin_entry_new(const struct spoor_plugin_design *design,
                                             enum spoor_component_type type, const char *file,
                                             struct spoor_error *error)
{
    if (plugin_check(design, type, file, error) != SPOOR_OK) return NULL;
    struct plugin_entry *entry = calloc(1, sizeof *entry);
    if (!entry) {
        error_no_memory(error);
        return NULL;
    }
    entry->component = (struct component){
        .about = {type, design->name, design->title, design->source, design->keys},
        .size = plugin_size,
        .design = design,
    };
    return entry;
}

/* The functions of a policy or prefetcher get a request as what it begins with. */
#define SAME(MEMBER)                                                          \
    _Static_assert(offsetof(struct request, MEMBER) ==                        \
                           offsetof(struct spoor_plugin_access, MEMBER) &&    \
                       sizeof(((struct request *)0)->MEMBER) ==               \
                           sizeof(((struct spoor_plugin_access *)0)->MEMBER), \
                   "a request begins as an access")
SAME(address);
SAME(pc);
SAME(size);
SAME(cpu);
SAME(op);
SAME(prefetch);
SAME(for_prefetch);
SAME(has_pc);
SAME(timed);
SAME(mshrs);
SAME(latency);
SAME(cycle);
typedef void plugin_touch(void *, uint64_t, uint32_t, const struct request *);
typedef bool plugin_bypass(void *, uint64_t, const struct request *);
typedef void plugin_observe(void *, const struct request *, bool, bool,
                            struct spoor_plugin_prefetches *);
typedef void plugin_observe_fill(void *, const struct request *, const uint64_t *,
                                 struct spoor_plugin_prefetches *);

/* The function that a design must have and lacks; NULL: none.  Else the functions are set. */
static const char *plugin_set_predictor(struct predictor *predictor,
                                        const struct spoor_plugin_predictor *given)
{
    predictor->asks = given->asks;
    predictor->predict = given->predict;
    predictor->train = given->train ? given->train : predictor_ignore;
    predictor->track = given->track ? given->track : predictor_ignore;
    predictor->run = given->run;
    return given->predict ? NULL : "predict";
}

static const char *plugin_set_policy(struct cache_policy *policy,
                                     const struct spoor_plugin_policy *given)
{
    policy->repeats_freely = given->repeats_freely;
    policy->needs_request = given->needs_access;
    policy->touch = given->touch ? (plugin_touch *)given->touch : policy_ignore;
    policy->fill = given->fill ? (plugin_touch *)given->fill : policy_ignore;
    policy->victim = given->victim;
    policy->bypass = (plugin_bypass *)given->bypass;
    return given->victim ? NULL : "victim";
}

static const char *plugin_set_prefetcher(struct prefetcher *prefetcher,
                                         const struct spoor_plugin_prefetcher *given)
{
    prefetcher->observe = (plugin_observe *)given->access;
    prefetcher->fill = (plugin_observe_fill *)given->fill;
    prefetcher->issues_below = true;
    return given->access ? NULL : "access";
}

static const char *plugin_set_value_predictor(struct value_predictor *predictor,
                                              const struct spoor_plugin_value_predictor *given)
{
    predictor->predict = given->predict;
    predictor->train = given->train;
    predictor->track = given->track;
    return given->predict ? NULL : "predict";
}

static const char *plugin_set_fold(struct fold_component *fold, const char *file,
                                   const struct spoor_plugin_fold *given)
{
    fold->file = file;
    fold->given = given;
    if (!given->report) return "report";
    return given->accesses || given->branches || given->instruction ? NULL : "instruction";
}

static const char *plugin_set(struct plugin_entry *entry, const char *file, const void *given)
{
    switch (entry->component.about.type) {
    case SPOOR_PREDICTOR: return plugin_set_predictor(&entry->predictor, given);
    case SPOOR_CACHE_POLICY: return plugin_set_policy(&entry->policy, given);
    case SPOOR_PREFETCHER: return plugin_set_prefetcher(&entry->prefetcher, given);
    case SPOOR_FOLD: return plugin_set_fold(&entry->fold, file, given);
    default: return plugin_set_value_predictor(&entry->value_predictor, given);
    }
}

/* The entries of a plug-in, until all are right. */
struct plugin_adding {
    const char *file;
    struct spoor_error *error;
    struct plugin_entry **items;
    size_t count, capacity;
};

static bool plugin_add_entry(struct plugin_adding *adding, enum spoor_component_type type,
                             const void *given)
{
    const struct spoor_plugin_design *design = given; /* every kind begins with it */
    if (!array_reserve(&adding->items, &adding->capacity, adding->count + 1)) {
        error_no_memory(adding->error);
        return false;
    }
    struct plugin_entry *entry = plugin_entry_new(design, type, adding->file, adding->error);
    if (!entry) return false;
    const char *missing = plugin_set(entry, adding->file, given);
    adding->items[adding->count++] = entry;
    for (size_t i = 0; i + 1 < adding->count; i++)
        if (adding->items[i]->component.about.type == type &&
            strcmp(adding->items[i]->component.about.name, design->name) == 0) {
            spoor_error_set(adding->error, SPOOR_EUSAGE, "%s: two of its designs are called '%s'",
                            adding->file, design->name);
            return false;
        }
    if (missing)
        spoor_error_set(adding->error, SPOOR_EUSAGE, "%s: %s '%s' has no function %s()",
                        adding->file, component_words[type], design->name, missing);
    return !missing;
}

static enum spoor_status plugin_add_locked(const struct spoor_plugin *plugin, const char *file,
                                           struct spoor_error *error)
{
    for (const struct plugin_file *known = files; known; known = known->next)
        if (known->plugin == plugin) return SPOOR_OK;
    const size_t name_size = strlen(file) + 1;
    struct plugin_file *known = calloc(1, sizeof *known + name_size);
    if (!known) return error_no_memory(error);
    memcpy(known->name, file, name_size);
    known->plugin = plugin;
    /* All of it, or nothing. */
    struct plugin_adding adding = {.file = known->name, .error = error};
    bool good = true;
    for (size_t i = 0; good && plugin->predictors && plugin->predictors[i]; i++)
        good = plugin_add_entry(&adding, SPOOR_PREDICTOR, plugin->predictors[i]);
    for (size_t i = 0; good && plugin->policies && plugin->policies[i]; i++)
        good = plugin_add_entry(&adding, SPOOR_CACHE_POLICY, plugin->policies[i]);
    for (size_t i = 0; good && plugin->prefetchers && plugin->prefetchers[i]; i++)
        good = plugin_add_entry(&adding, SPOOR_PREFETCHER, plugin->prefetchers[i]);
    for (size_t i = 0; good && plugin->value_predictors && plugin->value_predictors[i]; i++)
        good = plugin_add_entry(&adding, SPOOR_VALUE_PREDICTOR, plugin->value_predictors[i]);
    const bool folds = plugin->size == sizeof *plugin && plugin->folds;
    for (size_t i = 0; good && folds && plugin->folds[i]; i++)
        good = plugin_add_entry(&adding, SPOOR_FOLD, plugin->folds[i]);
    if (good && adding.count == 0) {
        spoor_error_set(error, SPOOR_EUSAGE, "%s: it has no design", file);
        good = false;
    }
    if (!good) {
        for (size_t i = 0; i < adding.count; i++) free(adding.items[i]);
        free(adding.items);
        free(known);
        return error->status;
    }
    known->next = files;
    files = known;
    struct plugin_entry *_Atomic *end = &entries;
    while (*end) end = &(*end)->next;
    for (size_t i = 0; i < adding.count; i++) {
        *end = adding.items[i];
        end = &adding.items[i]->next;
    }
    free(adding.items);
    return SPOOR_OK;
}

enum spoor_status spoor_plugin_add(const struct spoor_plugin *plugin, const char *file,
                                   struct spoor_error *error)
{
    struct spoor_error ignored = {0};
    if (plugin->abi != SPOOR_PLUGIN_ABI)
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "%s: found version %u of the interface of plug-ins, expected %d: "
                               "compile it with the spoor/plugin.h of this version",
                               file, plugin->abi, SPOOR_PLUGIN_ABI);
    /* Before folds, the table ended there. */
    if (plugin->size != sizeof *plugin && plugin->size != offsetof(struct spoor_plugin, folds))
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "%s: found a table of %u bytes, expected %zu: it begins with "
                               "SPOOR_PLUGIN_HEAD",
                               file, plugin->size, sizeof *plugin);
    pthread_mutex_lock(&lock);
    const enum spoor_status status = plugin_add_locked(plugin, file, error ? error : &ignored);
    pthread_mutex_unlock(&lock);
    return status;
}
