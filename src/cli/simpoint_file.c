/* SPDX-License-Identifier: MIT */
/* simpoint_file.c: reads a file of simpoints. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/simpoints.h"

static bool is_weight(double value)
{
    return value >= 0 && isfinite(value);
}

/* Reads the relative weights after the other fields; returns their number. */
static size_t add_replicates(struct simpoint *point, const char *at)
{
    char *end;
    for (size_t i = 0; i < SPOOR_SAMPLING_REPLICATES; i++, at = end) {
        point->replicates[i] = strtod(at, &end);
        if (end == at || !is_weight(point->replicates[i])) return i;
    }
    return SPOOR_SAMPLING_REPLICATES;
}

/* True if a line has as many replicates as those before it: all, or none. */
static bool fits(struct simpoints *points, size_t replicates)
{
    if (points->count == 0) points->replicates = replicates;
    return replicates == points->replicates &&
           (replicates == 0 || replicates == SPOOR_SAMPLING_REPLICATES);
}

static bool add_line(struct simpoints *points, const char *verb, const char *path, const char *line,
                     unsigned number)
{
    struct simpoint point = {.instructions = 0};
    int end = 0;
    if (sscanf(line, "%" SCNu64 " %" SCNu64 " %lf %" SCNu64 "%n", &point.first, &point.last,
               &point.weight, &point.instructions, &end) < 3 ||
        point.first > point.last || !is_weight(point.weight) ||
        !fits(points, end ? add_replicates(&point, line + end) : 0)) {
        complain("%s: %s:%u: expected FIRST LAST WEIGHT, as phases --simpoints writes it", verb,
                 path, number);
        return false;
    }
    if (!array_reserve(&points->items, &points->capacity, points->count + 1)) {
        complain("out of memory");
        return false;
    }
    points->items[points->count++] = point;
    return true;
}

/* Keeps the name of the file of the history, which lies beside that of the simpoints. */
static bool add_history(struct simpoints *points, const char *verb, const char *path,
                        const char *name)
{
    const char *slash = strrchr(path, '/');
    const size_t folder = slash ? (size_t)(slash + 1 - path) : 0, size = strcspn(name, "\n");
    free(points->history);
    points->history = malloc(folder + size + 1);
    if (!points->history) {
        complain("out of memory");
        return false;
    }
    memcpy(points->history, path, folder);
    memcpy(points->history + folder, name, size);
    points->history[folder + size] = '\0';
    if (size && !memchr(name, '/', size)) return true;
    complain("%s: %s: found a history without a name, or in another folder", verb, path);
    return false;
}

void simpoint_put(struct text *text, const struct simpoint *point, bool replicated)
{
    text_printf(text, "%" PRIu64 " %" PRIu64 " ", point->first, point->last);
    text_put_exact(text, point->weight);
    text_printf(text, " %" PRIu64, point->instructions);
    for (size_t i = 0; replicated && i < SPOOR_SAMPLING_REPLICATES; i++)
        text_printf(text, " %.6g", point->replicates[i]);
    text_put(text, "\n", 1);
}

static int by_place(const void *one, const void *other)
{
    const struct simpoint *a = one, *b = other;
    return (a->first > b->first) - (a->first < b->first);
}

bool simpoints_read(struct simpoints *points, const char *verb, const char *path)
{
    char line[1024];
    unsigned number = 0;
    bool good = true;
    FILE *file = fopen(path, "re");
    if (!file) {
        complain("%s: %s: the simpoints cannot be opened: %s", verb, path, strerror(errno));
        return false;
    }
    while (good && fgets(line, sizeof line, file)) {
        number++;
        const size_t prefix = strlen(SIMPOINT_HISTORY);
        if (strncmp(line, SIMPOINT_HISTORY, prefix) == 0)
            good = add_history(points, verb, path, line + prefix);
        else if (line[0] != '#' && line[0] != '\n')
            good = add_line(points, verb, path, line, number);
    }
    fclose(file);
    if (good && !points->count) complain("%s: %s: found no simpoint", verb, path);
    if (good && points->count) qsort(points->items, points->count, sizeof *points->items, by_place);
    return good && points->count;
}

void simpoints_free(struct simpoints *points)
{
    free(points->items);
    free(points->history);
    *points = (struct simpoints){.items = NULL};
}
