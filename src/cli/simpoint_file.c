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

static bool add_line(struct simpoints *points, const char *verb, const char *path, const char *line,
                     unsigned number)
{
    struct simpoint point = {.instructions = 0};
    if (sscanf(line, "%" SCNu64 " %" SCNu64 " %lf %" SCNu64, &point.first, &point.last,
               &point.weight, &point.instructions) < 3 ||
        point.first > point.last || !(point.weight >= 0 && isfinite(point.weight))) {
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

static int by_place(const void *one, const void *other)
{
    const struct simpoint *a = one, *b = other;
    return (a->first > b->first) - (a->first < b->first);
}

bool simpoints_read(struct simpoints *points, const char *verb, const char *path)
{
    char line[256];
    unsigned number = 0;
    bool good = true;
    FILE *file = fopen(path, "re");
    if (!file) {
        complain("%s: %s: the simpoints cannot be opened: %s", verb, path, strerror(errno));
        return false;
    }
    while (good && fgets(line, sizeof line, file)) {
        number++;
        if (line[0] != '#' && line[0] != '\n') good = add_line(points, verb, path, line, number);
    }
    fclose(file);
    if (good && !points->count) complain("%s: %s: found no simpoint", verb, path);
    if (good && points->count) qsort(points->items, points->count, sizeof *points->items, by_place);
    return good && points->count;
}

void simpoints_free(struct simpoints *points)
{
    free(points->items);
    *points = (struct simpoints){.items = NULL};
}
