/* SPDX-License-Identifier: MIT */
/* level_sweep.c: many systems of caches or TLBs in one pass. */
#include "cli/level_sweep.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

struct systems {
    struct spoor_cache_system **items;
    size_t count, skipped;
    size_t *combination; /* of each */
};

/* ---- descriptions ---- */

/* True if the key "NAME.KEY" or "KEY" is of this level; then *key is KEY. */
static bool is_of_level(const char *axis, const char *level, size_t index, const char **key)
{
    const char *dot = strchr(axis, '.');
    const size_t name = strcspn(level, ":");
    *key = dot ? dot + 1 : axis;
    if (!dot) return index == 0;
    return (size_t)(dot - axis) == name && memcmp(axis, level, name) == 0;
}

/* The place of a key in "NAME:A,B,C", or -1: it follows as KEY=VALUE. */
static int place_of(const struct level_sweep *sweep, const char *key)
{
    for (int i = 0; i < 3; i++)
        if (strcmp(key, sweep->places[i]) == 0) return i;
    return -1;
}

/* Replaces the value at a place. */
static void put_place(struct text *text, int place, const char *value)
{
    struct text old = *text;
    const char *at = strchr(old.bytes, ':');
    *text = (struct text){0};
    if (!at) {
        *text = old;
        return;
    }
    for (at++; place > 0; place--) at += strcspn(at, ",") + (at[strcspn(at, ",")] == ',');
    text_put(text, old.bytes, (size_t)(at - old.bytes));
    text_puts(text, value);
    text_puts(text, at + strcspn(at, ","));
    text_put(text, "", 1);
    text->size--;
    text_free(&old);
}

/* The description of a level in a combination, NUL-terminated. */
static void describe(const struct level_sweep *sweep, size_t combination, size_t level,
                     struct text *text)
{
    text_puts(text, sweep->levels[level]);
    text_put(text, "", 1);
    text->size--;
    for (size_t axis = 0; axis < sweep->sweep->axis_count && !text->failed; axis++) {
        const char *key, *value = sweep_value(sweep->sweep, combination, axis);
        if (!is_of_level(sweep->sweep->axes[axis].name, sweep->levels[level], level, &key))
            continue;
        const int place = place_of(sweep, key);
        if (place >= 0) {
            put_place(text, place, value);
        } else {
            text_printf(text, ",%s=%s", key, value);
            text_put(text, "", 1);
            text->size--;
        }
    }
}

/* ---- systems ---- */

static bool names_a_level(const struct level_sweep *sweep, const char *axis)
{
    const char *key;
    for (size_t level = 0; level < sweep->level_count; level++)
        if (is_of_level(axis, sweep->levels[level], level, &key)) return true;
    struct text names = {0};
    for (size_t level = 0; level < sweep->level_count; level++)
        text_printf(&names, "%s%.*s", level ? ", " : "", (int)strcspn(sweep->levels[level], ":"),
                    sweep->levels[level]);
    text_put(&names, "", 1);
    complain("%s --sweep: found '%s', expected LEVEL.KEY of a level that is there: %s",
             sweep->common->verb->name, axis, names.failed ? "" : names.bytes);
    text_free(&names);
    return false;
}

static enum spoor_status make_system(const struct level_sweep *sweep, size_t combination,
                                     struct spoor_cache_system **system, struct spoor_error *error)
{
    struct spoor_cache_level levels[SPOOR_CACHE_LEVELS];
    enum spoor_status status = SPOOR_OK;
    for (size_t i = 0; i < sweep->level_count && status == SPOOR_OK; i++) {
        struct text words = {0};
        levels[i] = (struct spoor_cache_level){.size = 0};
        describe(sweep, combination, i, &words);
        status = words.failed ? spoor_error_set(error, SPOOR_ENOMEM, "out of memory")
                              : sweep->parse(&levels[i], words.bytes, error);
        if (status == SPOOR_OK && sweep->takes) levels[i].takes = sweep->takes;
        if (status == SPOOR_OK && strcmp(levels[i].policy, "opt") == 0)
            status = spoor_error_set(error, SPOOR_EUSAGE, "sweep: opt is not among the policies");
        text_free(&words);
    }
    if (status != SPOOR_OK) return status;
    return spoor_cache_system_new(system, levels, sweep->level_count, &sweep->options, error);
}

/* Combinations that are no cache, such as 16 ways of 64 bytes in 512, are left out, unless all are.
 */
static int make_systems(const struct level_sweep *sweep, struct systems *systems)
{
    const size_t count = sweep_count(sweep->sweep);
    struct spoor_error error = {0};
    systems->items = calloc(count, sizeof *systems->items);
    systems->combination = calloc(count, sizeof *systems->combination);
    for (size_t axis = 0; axis < sweep->sweep->axis_count; axis++)
        if (!names_a_level(sweep, sweep->sweep->axes[axis].name)) return EXIT_USAGE;
    bool good = systems->items && systems->combination;
    for (size_t i = 0; good && i < count; i++) {
        const enum spoor_status status =
            make_system(sweep, i, &systems->items[systems->count], &error);
        if (status == SPOOR_OK)
            systems->combination[systems->count++] = i;
        else if (status == SPOOR_EUSAGE)
            systems->skipped++;
        else
            good = false;
    }
    if (good && systems->count == 0) return fail(&error);
    if (!good) complain("out of memory");
    return good ? EXIT_CLEAN : EXIT_UNREADABLE;
}

static void free_systems(void *all)
{
    struct systems *systems = all;
    for (size_t i = 0; i < systems->count; i++) spoor_cache_system_free(systems->items[i]);
    free(systems->items);
    free(systems->combination);
    free(systems);
}

/* ---- running ---- */

static bool feed(void *context, const struct spoor_reference *items, size_t count)
{
    struct systems *systems = context;
    bool good = true;
    for (size_t i = 0; i < systems->count; i++) {
        good &= spoor_cache_system_feed(systems->items[i], items, count, NULL) == SPOOR_OK;
    }
    return good;
}

static void count_all(void *context, bool counting)
{
    struct systems *systems = context;
    for (size_t i = 0; i < systems->count; i++) {
        if (counting)
            spoor_cache_system_resume(systems->items[i]);
        else
            spoor_cache_system_pause(systems->items[i]);
    }
}

static void forget_all(void *context)
{
    struct systems *systems = context;
    for (size_t i = 0; i < systems->count; i++) spoor_cache_system_end_warmup(systems->items[i]);
}

static int level_sweep_make(const void *context, void *before, void **simulator)
{
    struct systems *systems = *simulator = before ? before : calloc(1, sizeof *systems);
    if (before) return EXIT_CLEAN;
    if (!systems) {
        complain("out of memory");
        return EXIT_UNREADABLE;
    }
    const int code = make_systems(context, systems);
    if (code != EXIT_CLEAN) free_systems(systems);
    return code;
}

static int level_sweep_interval(const void *context, struct trace_input *trace_input,
                                void *simulator, struct spoor_result *result)
{
    const struct level_sweep *sweep = context;
    struct systems *systems = simulator;
    struct reference_sink sink = {
        .context = systems, .feed = feed, .count = count_all, .forget = forget_all};
    const int code = references_run(trace_input, sweep->references, &sink);
    if (code == EXIT_USAGE) return code;
    references_put(trace_input, &sink, result);
    if (systems->skipped) spoor_result_unsigned(result, "impossible", systems->skipped);
    struct spoor_result *rows = spoor_result_array(result, "sweep");
    for (size_t i = 0; i < systems->count; i++) {
        spoor_cache_system_end(systems->items[i], NULL);
        for (size_t level = 0; level < spoor_cache_system_count(systems->items[i]); level++) {
            struct spoor_result *row = spoor_result_object(rows, NULL);
            sweep_put(sweep->sweep, systems->combination[i],
                      sweep->common->json ? spoor_result_object(row, "swept") : row);
            sweep->report(systems->items[i], level, row);
        }
    }
    return code;
}

const struct interval_simulator level_sweep_simulator = {
    .make = level_sweep_make, .run = level_sweep_interval, .free = free_systems};
