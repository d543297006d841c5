/* SPDX-License-Identifier: MIT */
/* study.c: traces, runs and grids of a study. */
#include "cli/study.h"

#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/hash.h"
#include "cli/simpoints.h"

bool study_out_of_memory(struct study *study)
{
    study->unread = true;
    return complain("out of memory");
}

/* ---- traces ---- */

/* Adds a file. */
static bool study_add_match(struct study *study, const char *path, const struct trace_words *words)
{
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
        return complain("sweep: %s: %s, expected a trace", path,
                        errno == ENOENT ? "found no file" : "found no regular file");
    if (!array_reserve_zeroed(&study->traces, &study->trace_capacity, study->trace_count + 1))
        return study_out_of_memory(study);
    struct study_trace *trace = &study->traces[study->trace_count++];
    *trace = (struct study_trace){.path = strdup(path),
                                  .weight = words->weight,
                                  .warmup = words->warmup,
                                  .size = (uint64_t)status.st_size,
                                  .seconds = (uint64_t)status.st_mtim.tv_sec,
                                  .nanoseconds = (uint64_t)status.st_mtim.tv_nsec};
    if (!trace->path) return study_out_of_memory(study);
    for (size_t i = 0; words->options && i < words->options->count; i++)
        if (!word_list_add(&trace->options, words->options->items[i])) {
            study->unread = true;
            return false;
        }
    if (!words->simpoints) return true;
    trace->simpoints = strdup(words->simpoints);
    if (!trace->simpoints) return study_out_of_memory(study);
    struct simpoints points = {.items = NULL};
    const bool good = simpoints_read(&points, "sweep", trace->simpoints, 0);
    for (size_t i = 0; i < points.count && good; i++) {
        const struct simpoint *point = &points.items[i];
        const uint64_t numbers[] = {point->first.at, point->end.at, point->instructions,
                                    point->instruction, point->placed};
        trace->intervals = hash_mix(trace->intervals, hash_of_bytes(numbers, sizeof numbers));
        trace->intervals =
            hash_mix(trace->intervals, hash_of_bytes(&point->weight, sizeof point->weight));
    }
    free(points.items);
    return good;
}

bool study_add_trace(struct study *study, const char *pattern, const struct trace_words *words)
{
    glob_t found = {0};
    struct stat status;
    bool good = true;
    if (stat(pattern, &status) == 0 || glob(pattern, 0, NULL, &found) != 0)
        return study_add_match(study, pattern, words);
    for (size_t i = 0; i < found.gl_pathc && good; i++)
        good = study_add_match(study, found.gl_pathv[i], words);
    globfree(&found);
    return good;
}

/* ---- runs ---- */

struct study_run *study_add_run(struct study *study, const char *name, const char *verb)
{
    if (!array_reserve_zeroed(&study->runs, &study->run_capacity, study->run_count + 1)) {
        study_out_of_memory(study);
        return NULL;
    }
    struct study_run *run = &study->runs[study->run_count++];
    *run = (struct study_run){.name = strdup(name ? name : verb), .verb = strdup(verb)};
    if (run->name && run->verb) return run;
    study_out_of_memory(study);
    return NULL;
}

/* True if the run's verb has this option. */
static bool study_run_has_option(const struct study_run *run, const char *name)
{
    const struct option *option = verb_find(run->verb)->options;
    while (option->name && strcmp(option->name, name) != 0) option++;
    return option->name;
}

bool study_finish(struct study *study, const struct settings *settings)
{
    if (study->trace_count == 0 || study->run_count == 0)
        return complain("sweep: found %zu traces and %zu runs, expected at least one of each",
                        study->trace_count, study->run_count);
    for (size_t i = 0; i < study->run_count; i++) {
        struct study_run *run = &study->runs[i];
        struct list list = {0};
        for (size_t k = 0; k < run->grid_words.count && k < MAX_LIST; k++)
            list.items[list.count++] = run->grid_words.items[k];
        if (!sweep_parse(&run->grid, settings, &list, MAX_CELLS)) return false;
        const struct verb *verb = verb_find(run->verb);
        if (!verb || !verb->results || verb->writes)
            return complain(
                "sweep: run '%s': found '%s', expected a verb with a result%s, such as cache",
                run->name, run->verb, verb && verb->writes ? " that writes no file" : "");
        for (size_t k = 0; k < study->trace_count; k++) {
            const struct study_trace *trace = &study->traces[k];
            const char *missing = trace->simpoints && !study_run_has_option(run, "simpoints")
                                      ? "simpoints"
                                  : trace->warmup && !study_run_has_option(run, "warmup") ? "warmup"
                                                                                          : NULL;
            if (!missing) continue;
            return complain("sweep: run '%s': %s has no option --%s, which trace %s needs",
                            run->name, run->verb, missing, trace->path);
        }
        /* each name in braces is one of the grid, and each of the grid is used */
        bool used[SWEEP_AXES] = {false};
        for (size_t k = 0; k < run->options.count; k++)
            for (const char *at = strchr(run->options.items[k], '{'); at;
                 at = strchr(at + 1, '{')) {
                const size_t size = strcspn(at + 1, "}");
                size_t axis = 0;
                while (axis < run->grid.axis_count &&
                       (strlen(run->grid.axes[axis].name) != size ||
                        memcmp(run->grid.axes[axis].name, at + 1, size) != 0))
                    axis++;
                if (axis == run->grid.axis_count)
                    return complain(
                        "sweep: run '%s': found {%.*s} in its options, and no such key in its "
                        "grid",
                        run->name, (int)size, at + 1);
                used[axis] = true;
            }
        for (size_t axis = 0; axis < run->grid.axis_count; axis++)
            if (!used[axis])
                return complain("sweep: run '%s': the grid has '%s', and no option has {%s}",
                                run->name, run->grid.axes[axis].name, run->grid.axes[axis].name);
    }
    return true;
}

bool study_set_results(struct study *study, const char *name)
{
    struct text text = {0};
    const char *slash = strrchr(study->path, '/');
    for (const char *part = name;; part++) {
        const size_t size = strcspn(part, "/");
        if (size == 0 || (part[0] == '.' && (size == 1 || (size == 2 && part[1] == '.'))))
            return false;
        part += size;
        if (!*part) break;
    }
    if (slash) text_put(&text, study->path, (size_t)(slash - study->path) + 1);
    text_puts(&text, name);
    text_put(&text, "", 1);
    if (text.failed) return study_out_of_memory(study);
    free(study->results);
    study->results = text.bytes;
    return true;
}

void study_free(struct study *study)
{
    for (size_t i = 0; i < study->trace_count; i++) {
        free(study->traces[i].path);
        free(study->traces[i].simpoints);
        word_list_free(&study->traces[i].options);
    }
    for (size_t i = 0; i < study->run_count; i++) {
        struct study_run *run = &study->runs[i];
        free(run->name);
        free(run->verb);
        word_list_free(&run->options);
        word_list_free(&run->grid_words);
        sweep_free(&run->grid);
    }
    free(study->traces);
    free(study->runs);
    free(study->path);
    free(study->results);
    free(study->notes);
}
