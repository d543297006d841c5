/* SPDX-License-Identifier: MIT */
/*
 * simpoint_file.c: reads representative intervals.
 *
 * spoor's own file has a line for each interval, with records from 0, both included, and with
 * instructions; the last two fields may be missing:
 *
 *     FIRST_RECORD LAST_RECORD WEIGHT [INSTRUCTIONS [FIRST_INSTRUCTION]]
 *
 * SimPoint 3.2 writes two files.  The one of intervals has lines "INTERVAL CLUSTER", where an
 * interval is its number among intervals of equally many instructions, from 0; the one of weights
 * has lines "WEIGHT CLUSTER".
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/scan.h"
#include "cli/simpoints.h"

/* A file that is read line by line. */
struct point_reader {
    struct simpoints *points;
    const char *verb, *path;
    unsigned line;
    uint64_t interval; /* instructions of an interval of SimPoint */
    double *weights;   /* of SimPoint, by cluster; below 0: none is stated */
    size_t weight_count, weight_capacity;
};

static bool simpoints_refuse_line(const struct point_reader *reader, const char *expected)
{
    return complain("%s: %s:%u: expected %s", reader->verb, reader->path, reader->line, expected);
}

/* The fields of a line, between blanks; at most `capacity` of them, and one more if there are more.
 */
static size_t simpoints_split(const char *line, struct scan *fields, size_t capacity)
{
    size_t count = 0;
    while (line += strspn(line, " \t\r\n"), *line) {
        const size_t size = strcspn(line, " \t\r\n");
        if (count == capacity) return count + 1;
        fields[count++] = (struct scan){line, line + size};
        line += size;
    }
    return count;
}

static bool simpoints_scan_whole(struct scan field, uint64_t *value)
{
    return scan_decimal(&field, value) && scan_done(&field);
}

static bool simpoints_scan_weight(struct scan field, double *weight)
{
    char *end;
    *weight = strtod(field.at, &end);
    return end == field.end && *weight >= 0 && isfinite(*weight);
}

static bool simpoints_read_point(struct point_reader *reader, const char *line)
{
    enum { FIELDS = 5 };
    struct scan fields[FIELDS];
    const size_t count = simpoints_split(line, fields, FIELDS);
    uint64_t first, last, instructions = 0, instruction = 0;
    double weight = 0;
    if (count < 2 || !simpoints_scan_whole(fields[0], &first) ||
        !simpoints_scan_whole(fields[1], &last) || count > FIELDS ||
        (count > 2 && (!simpoints_scan_weight(fields[2], &weight) || first > last)) ||
        (count > 3 && !simpoints_scan_whole(fields[3], &instructions)) ||
        (count > 4 && !simpoints_scan_whole(fields[4], &instruction)) || last == UINT64_MAX)
        return simpoints_refuse_line(
            reader, "FIRST LAST WEIGHT, as phases --write-simpoints writes it, or INTERVAL "
                    "CLUSTER, as SimPoint does");
    struct simpoints *points = reader->points;
    struct simpoint point = {.first = {false, first},
                             .end = {false, last + 1},
                             .weight = weight,
                             .instructions = instructions,
                             .placed = count == FIELDS,
                             .instruction = instruction};
    if (count == 2) { /* "INTERVAL CLUSTER" */
        points->of_simpoint = true;
        if (first >= UINT64_MAX / reader->interval)
            return simpoints_refuse_line(reader, "an interval of the trace");
        instruction = first * reader->interval;
        point = (struct simpoint){.first = {true, instruction},
                                  .end = {true, instruction + reader->interval},
                                  .cluster = last,
                                  .instructions = reader->interval,
                                  .placed = true,
                                  .instruction = instruction};
    }
    if (!array_reserve(&points->items, &points->capacity, points->count + 1))
        return complain("out of memory");
    points->items[points->count++] = point;
    return true;
}

static bool simpoints_read_weight(struct point_reader *reader, const char *line)
{
    enum { FIELDS = 2, MOST_CLUSTERS = 1 << 20 };
    struct scan fields[FIELDS];
    double weight;
    uint64_t cluster;
    if (simpoints_split(line, fields, FIELDS) != FIELDS ||
        !simpoints_scan_weight(fields[0], &weight) || !simpoints_scan_whole(fields[1], &cluster) ||
        cluster >= MOST_CLUSTERS)
        return simpoints_refuse_line(reader, "WEIGHT CLUSTER, as SimPoint writes it");
    if (!array_reserve(&reader->weights, &reader->weight_capacity, cluster + 1))
        return complain("out of memory");
    while (reader->weight_count <= cluster) reader->weights[reader->weight_count++] = -1;
    reader->weights[cluster] = weight;
    return true;
}

/* Reads each line that is not empty and no comment. */
static bool simpoints_read_lines(struct point_reader *reader, const char *path,
                                 bool (*read_line)(struct point_reader *reader, const char *line))
{
    char line[1024];
    bool good = true;
    FILE *file = fopen(path, "re");
    reader->path = path;
    reader->line = 0;
    if (!file) return complain("%s: %s: cannot be opened: %s", reader->verb, path, strerror(errno));
    while (good && fgets(line, sizeof line, file)) {
        reader->line++;
        if (line[0] != '#' && line[strspn(line, " \t\r\n")]) good = read_line(reader, line);
    }
    if (ferror(file)) {
        complain("%s: %s: cannot be read: %s", reader->verb, path, strerror(errno));
        good = false;
    }
    fclose(file);
    return good;
}

/* Reads the weights that SimPoint wrote beside its intervals. */
static bool simpoints_read_weights(struct point_reader *reader, const char *path)
{
    static const char *const endings[] = {"simpoints", "simpts"};
    struct text name = {0};
    text_puts(&name, path);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        const size_t size = strlen(endings[i]);
        if (name.size < size || memcmp(name.bytes + name.size - size, endings[i], size) != 0)
            continue;
        name.size -= size;
        text_puts(&name, "weights");
        break;
    }
    text_put(&name, "", 1);
    bool good = !name.failed;
    if (!good)
        complain("out of memory");
    else if (strcmp(name.bytes, path) == 0)
        good = simpoints_refuse_line(reader,
                                     "a name that ends in simpoints, beside a file of weights");
    else
        good = simpoints_read_lines(reader, name.bytes, simpoints_read_weight);
    for (size_t i = 0; i < reader->points->count && good; i++) {
        struct simpoint *point = &reader->points->items[i];
        if (point->cluster >= reader->weight_count || reader->weights[point->cluster] < 0) {
            complain("%s: %s: found no weight of cluster %" PRIu64, reader->verb, name.bytes,
                     point->cluster);
            good = false;
        } else {
            point->weight = reader->weights[point->cluster];
        }
    }
    text_free(&name);
    return good;
}

static int simpoints_by_place(const void *one, const void *other)
{
    const struct simpoint *a = one, *b = other;
    return (a->first.at > b->first.at) - (a->first.at < b->first.at);
}

bool simpoints_read(struct simpoints *points, const char *verb, const char *path, uint64_t interval)
{
    struct point_reader reader = {
        .points = points, .verb = verb, .interval = interval ? interval : SIMPOINT_INTERVAL};
    bool good = simpoints_read_lines(&reader, path, simpoints_read_point);
    if (good && !points->count) {
        complain("%s: %s: found no interval", verb, path);
        good = false;
    }
    if (good) qsort(points->items, points->count, sizeof *points->items, simpoints_by_place);
    for (size_t i = 0; good && i < points->count; i++) {
        const struct simpoint *point = &points->items[i];
        if (point->first.by_instruction != points->of_simpoint)
            good = complain("%s: %s: found lines of two and of more fields, expected one kind",
                            verb, path);
        else if (i && point->first.at < point[-1].end.at)
            good = complain("%s: %s: %s %" PRIu64 " is in two intervals", verb, path,
                            points->of_simpoint ? "instruction" : "record", point->first.at);
    }
    good = good && (!points->of_simpoint || simpoints_read_weights(&reader, path));
    free(reader.weights);
    return good;
}
