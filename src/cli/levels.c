/* SPDX-License-Identifier: MIT */
/* levels.c: one or many systems of caches or TLBs in one pass. */
#include "cli/levels.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"

struct systems {
    struct spoor_cache_system **items;
    size_t count, skipped;
    size_t *combination;                                 /* of each */
    struct spoor_cache_level levels[SPOOR_CACHE_LEVELS]; /* of the last one */
    bool counts_physical;
    uint64_t physical;
    /* OPT needs all references before the first access. */
    bool holds;
    struct spoor_references held;
    size_t warm; /* of them, in the warm-up */
    struct spoor_error error;
    struct misses *misses; /* of struct levels */
};

/* ---- descriptions ---- */

/* True if the key "NAME.KEY" or "KEY" is of this level; then *key is KEY. */
static bool levels_is_of(const char *axis, const char *level, size_t index, const char **key)
{
    const char *dot = strchr(axis, '.');
    const size_t name = strcspn(level, ":");
    *key = dot ? dot + 1 : axis;
    if (!dot) return index == 0;
    return (size_t)(dot - axis) == name && memcmp(axis, level, name) == 0;
}

/* ---- systems ---- */

int levels_open_caches(struct spoor_cache_system **caches,
                       struct spoor_cache_level parsed[SPOOR_CACHE_LEVELS],
                       const struct list *levels, const struct spoor_cache_options *how,
                       const char *option, const char *no_opt)
{
    struct spoor_error error = {0};
    enum spoor_status status = SPOOR_OK;
    if (levels->count == 0) return EXIT_CLEAN;
    if (levels->count > SPOOR_CACHE_LEVELS)
        return complain_for(EXIT_USAGE, "%s: found %zu levels, expected at most %d", option,
                            levels->count, SPOOR_CACHE_LEVELS);
    for (size_t i = 0; i < levels->count && status == SPOOR_OK; i++)
        status = spoor_cache_level_parse(&parsed[i], levels->items[i], &error);
    if (status == SPOOR_OK)
        status = spoor_cache_system_new(caches, parsed, levels->count, how, &error);
    if (status == SPOOR_OK && spoor_cache_system_needs_future(*caches))
        status = spoor_error_set(&error, SPOOR_EUSAGE, "%s", no_opt);
    return status == SPOOR_OK ? EXIT_CLEAN : fail_option(option, &error);
}

static enum spoor_status levels_make_system(const struct levels *levels, size_t combination,
                                            struct systems *systems, struct spoor_error *error)
{
    struct spoor_cache_level *parsed = systems->levels;
    if (levels->count > SPOOR_CACHE_LEVELS)
        return spoor_error_set(error, SPOOR_EUSAGE, "expected at most %d levels",
                               SPOOR_CACHE_LEVELS);
    enum spoor_status status = SPOOR_OK;
    for (size_t i = 0; i < levels->count && status == SPOOR_OK; i++) {
        struct text words = {0};
        /* The description of a level in a combination, NUL-terminated. */
        text_puts(&words, levels->items[i]);
        text_put(&words, "", 1);
        words.size--;
        for (size_t axis = 0; axis < levels->sweep.axis_count && !words.failed; axis++) {
            const char *key, *value = sweep_value(&levels->sweep, combination, axis);
            if (!levels_is_of(levels->sweep.axes[axis].name, levels->items[i], i, &key)) continue;
            int place = 0; /* of the key in "NAME:A,B,C"; else it follows as KEY=VALUE */
            while (place < 3 && strcmp(key, levels->places[place]) != 0) place++;
            if (place < 3) {
                struct text old = words;
                const char *at = strchr(old.bytes, ':');
                if (!at) continue;
                for (at++; place > 0; place--)
                    at += strcspn(at, ",") + (at[strcspn(at, ",")] == ',');
                words = (struct text){0};
                text_put(&words, old.bytes, (size_t)(at - old.bytes));
                text_puts(&words, value);
                text_puts(&words, at + strcspn(at, ","));
                text_put(&words, "", 1);
                words.size--;
                text_free(&old);
            } else {
                text_printf(&words, ",%s=%s", key, value);
                text_put(&words, "", 1);
                words.size--;
            }
        }
        status = words.failed ? spoor_error_set(error, SPOOR_ENOMEM, "out of memory")
                              : levels->parse(&parsed[i], words.bytes, error);
        if (status == SPOOR_OK) status = levels->adjust(levels, &parsed[i], error);
        text_free(&words);
    }
    if (status != SPOOR_OK) return status;
    return spoor_cache_system_new(&systems->items[systems->count], parsed, levels->count,
                                  &levels->options, error);
}

static void levels_free(void *all)
{
    struct systems *systems = all;
    for (size_t i = 0; i < systems->count; i++) spoor_cache_system_free(systems->items[i]);
    spoor_references_free(&systems->held);
    free(systems->items);
    free(systems->combination);
    free(systems);
}

/* A policy that needs the future begins each interval with the references that train before it.
 * Combinations that are no cache, such as 16 ways of 64 bytes in 512, are left out, unless all are.
 */
static int levels_make(const void *context, void *before, void **simulator)
{
    const struct levels *levels = context;
    const size_t count = sweep_count(&levels->sweep);
    struct systems *systems = *simulator = before;
    struct spoor_error error = {0};
    int code = EXIT_CLEAN;
    if (systems && !systems->holds) return EXIT_CLEAN;
    if (systems) levels_free(systems);
    systems = *simulator = calloc(1, sizeof *systems);
    if (!systems) return complain_for(EXIT_UNREADABLE, "out of memory");
    systems->items = calloc(count, sizeof *systems->items);
    systems->combination = calloc(count, sizeof *systems->combination);
    for (size_t axis = 0; axis < levels->sweep.axis_count && code == EXIT_CLEAN; axis++) {
        const char *key, *name = levels->sweep.axes[axis].name;
        bool found = false;
        for (size_t level = 0; level < levels->count; level++)
            found |= levels_is_of(name, levels->items[level], level, &key);
        if (found) continue;
        struct text names = {0};
        for (size_t level = 0; level < levels->count; level++)
            text_printf(&names, "%s%.*s", level ? ", " : "",
                        (int)strcspn(levels->items[level], ":"), levels->items[level]);
        text_put(&names, "", 1);
        code = complain_for(EXIT_USAGE,
                            "%s --sweep: found '%s', expected LEVEL.KEY of a level that is there: "
                            "%s",
                            levels->common->verb->name, name, names.failed ? "" : names.bytes);
        text_free(&names);
    }
    enum spoor_status status = systems->items && systems->combination ? SPOOR_OK : SPOOR_ENOMEM;
    for (size_t i = 0; code == EXIT_CLEAN && status == SPOOR_OK && i < count; i++) {
        status = levels_make_system(levels, i, systems, &error);
        if (status == SPOOR_OK)
            systems->combination[systems->count++] = i;
        else if (status == SPOOR_EUSAGE && ++systems->skipped)
            status = SPOOR_OK;
    }
    if (code == EXIT_CLEAN && status != SPOOR_OK)
        code = complain_for(EXIT_UNREADABLE, "out of memory");
    else if (code == EXIT_CLEAN && systems->count == 0)
        code = fail(&error);
    for (size_t i = 0; i < systems->count; i++)
        systems->holds |= spoor_cache_system_needs_future(systems->items[i]);
    systems->counts_physical = levels->counts_physical;
    systems->misses = levels->misses;
    if (code != EXIT_CLEAN) levels_free(systems);
    return code;
}

/* ---- references ---- */

/* Accesses references; with misses, one by one, because these have the time of a reference. */
static bool levels_access(struct systems *systems, struct spoor_cache_system *system,
                          const struct spoor_reference *items, size_t count)
{
    struct spoor_error *error = &systems->error;
    if (!systems->misses) return spoor_cache_system_feed(system, items, count, error) == SPOOR_OK;
    bool good = true;
    for (size_t i = 0; i < count && good; i++) {
        misses_arrive(systems->misses, &items[i]);
        good = spoor_cache_system_feed(system, &items[i], 1, error) == SPOOR_OK;
    }
    return good;
}

static bool levels_feed(void *context, const struct spoor_reference *items, size_t count)
{
    struct systems *systems = context;
    struct spoor_references *held = &systems->held;
    for (size_t i = 0; i < count && systems->counts_physical; i++)
        systems->physical += (items[i].has & SPOOR_REFERENCE_PHYSICAL) != 0;
    if (systems->holds) {
        if (!array_reserve(&held->items, &held->capacity, held->count + count)) return false;
        memcpy(held->items + held->count, items, count * sizeof *items);
        held->count += count;
        return true;
    }
    bool good = true;
    for (size_t i = 0; i < systems->count && good; i++)
        good = levels_access(systems, systems->items[i], items, count);
    return good;
}

static void levels_count(void *context, bool counting)
{
    const struct systems *systems = context;
    for (size_t i = 0; i < systems->count; i++)
        (counting ? spoor_cache_system_resume : spoor_cache_system_pause)(systems->items[i]);
}

static void levels_forget(void *context)
{
    struct systems *systems = context;
    systems->physical = 0;
    systems->warm = systems->held.count;
    for (size_t i = 0; i < systems->count && !systems->holds; i++)
        spoor_cache_system_end_warmup(systems->items[i]);
}

/* The rows of the counts of a sweep: by system and level, or of these by cpu. */
static void levels_put_sweep(const struct levels *levels, const struct systems *systems,
                             bool by_cpu, struct spoor_result *rows)
{
    for (size_t i = 0; i < systems->count; i++) {
        const struct spoor_cache_system *system = systems->items[i];
        const size_t cpus = by_cpu ? spoor_cache_system_cpu_count(system) : 1;
        for (size_t level = 0; level < spoor_cache_system_count(system); level++)
            for (size_t cpu = 0; cpu < cpus; cpu++) {
                struct spoor_result *row = spoor_result_object(rows, NULL);
                sweep_put(&levels->sweep, systems->combination[i],
                          levels->common->json ? spoor_result_object(row, "swept") : row);
                if (by_cpu)
                    levels->report_cpu(system, level, cpu, row);
                else
                    levels->report_row(system, level, row);
            }
    }
}

/* True if the policy of a plug-in was wrong: then no count is right. */
static bool levels_misled(const struct systems *systems, const struct spoor_error *error)
{
    for (size_t i = 0; i < systems->count && error->status == SPOOR_EUSAGE; i++)
        if (spoor_cache_system_out_of_memory(systems->items[i])) return true;
    return false;
}

static int levels_interval(const void *context, struct trace_input *input, void *simulator,
                           struct spoor_result *result)
{
    const struct levels *levels = context;
    const struct sweep *sweep = &levels->sweep;
    struct systems *systems = simulator;
    struct reference_sink sink = {.context = systems,
                                  .feed = levels_feed,
                                  .error = &systems->error,
                                  .count = systems->holds ? NULL : levels_count,
                                  .forget = levels_forget};
    int code = references_run(input, levels->references, &sink);
    if (code == EXIT_USAGE) return code;
    bool good = true;
    if (levels_misled(systems, &systems->error)) { /* which has been said */
        input->exit_code = EXIT_CLEAN;
        return EXIT_USAGE;
    }
    const struct spoor_references *held = &systems->held;
    const size_t warm = systems->warm;
    struct spoor_error error = {0};
    for (size_t i = 0; i < systems->count && good; i++) {
        struct spoor_cache_system *system = systems->items[i];
        if (systems->holds) {
            if (spoor_cache_system_needs_future(system))
                good = spoor_cache_system_foresee(system, held->items, held->count, &error) ==
                       SPOOR_OK;
            good = good && levels_access(systems, system, held->items, warm);
            spoor_cache_system_end_warmup(system);
            if (good && held->count > warm)
                good = levels_access(systems, system, held->items + warm, held->count - warm);
            if (!good && error.status == SPOOR_OK) error = systems->error;
        }
        spoor_cache_system_end(system, NULL);
        good &= !spoor_cache_system_out_of_memory(system);
    }
    if (!good) complain("%s", error.status != SPOOR_OK ? error.text : "out of memory");
    if (levels_misled(systems, &error)) return EXIT_USAGE;
    if (!good) code = worse(code, EXIT_UNREADABLE);
    size_t cpus = 1;
    for (size_t i = 0; i < systems->count; i++) {
        spoor_cache_system_name_cpus(systems->items[i], input->stream);
        if (spoor_cache_system_cpu_count(systems->items[i]) > cpus)
            cpus = spoor_cache_system_cpu_count(systems->items[i]);
    }
    references_put(input, &sink, result);
    if (!sweep->axis_count) {
        levels->report(levels, systems->items[0], input, systems->physical, result);
        return code;
    }
    if (systems->count && spoor_cache_system_instructions(systems->items[0]))
        spoor_result_unsigned(result, "instructions",
                              spoor_cache_system_instructions(systems->items[0]));
    if (systems->skipped) spoor_result_unsigned(result, "impossible", systems->skipped);
    levels_put_sweep(levels, systems, false, spoor_result_array(result, "sweep"));
    if (cpus > 1) levels_put_sweep(levels, systems, true, spoor_result_array(result, "cpus"));
    return code;
}

static int levels_show(const void *context, void *simulator, const struct spoor_result *result,
                       bool *shown)
{
    const struct levels *levels = context;
    const struct systems *systems = simulator;
    const int code = show_apart(shown);
    return worse(code, levels->show && !levels->sweep.axis_count
                           ? levels->show(levels, systems->items[0], systems->levels, result)
                           : show_result(result, result_form_of(levels->common)));
}

int levels_run(struct levels *levels, const struct list *sweep, bool has_addresses)
{
    enum { MAX_COMBINATIONS = 1024 };
    const struct interval_simulator simulator = {.make = levels_make,
                                                 .run = levels_interval,
                                                 .free = levels_free,
                                                 .show = levels_show,
                                                 .has_addresses = has_addresses};
    int code = EXIT_USAGE;
    if (sweep_parse(&levels->sweep, levels->common, sweep, MAX_COMBINATIONS))
        code = simpoints_run(levels->common, NULL, &simulator, levels);
    else if (levels->sweep.failed)
        code = EXIT_UNREADABLE;
    sweep_free(&levels->sweep);
    return code;
}
