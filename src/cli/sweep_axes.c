/* SPDX-License-Identifier: MIT */
/* sweep_axes.c: parsing --sweep; see sweep_axes.h. */
#include "cli/sweep_axes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/scan.h"
#include "cli/cli.h"

static bool add_value(struct sweep_axis *axis, const char *value, size_t size)
{
    axis->full |= axis->count == MAX_SWEEP;
    if (size == 0 || size >= SWEEP_VALUE || axis->full) return false;
    if (!array_reserve(&axis->values, &axis->capacity, axis->count + 1)) {
        axis->failed = true;
        return false;
    }
    memcpy(axis->values[axis->count], value, size);
    axis->values[axis->count++][size] = '\0';
    return true;
}

static bool add_number(struct sweep_axis *axis, uint64_t number)
{
    char value[24];
    const int size = snprintf(value, sizeof value, "%" PRIu64, number);
    return add_value(axis, value, (size_t)size);
}

/* "A..B" or "A..B+S": *is is set if the text is one; false: it is invalid. */
static bool add_range(struct sweep_axis *axis, const char *words, bool *is)
{
    struct scan scan = {words, words + strlen(words)};
    uint64_t from, to, step = 0;
    *is = scan_number(&scan, &from) && SCAN_LITERAL(&scan, "..");
    if (!*is) return true;
    if (!scan_number(&scan, &to)) return false;
    const bool steps = scan_char(&scan, '+');
    if ((steps && !scan_number(&scan, &step)) || !scan_done(&scan) || from > to ||
        to > UINT32_MAX || (steps ? !step : !from))
        return false;
    for (uint64_t value = from; value <= to; value = steps ? value + step : value * 2)
        if (!add_number(axis, value)) return false;
    return true;
}

/* Names of descriptions, which hold commas: their values are separated by semicolons. */
static bool has_descriptions(const char *name)
{
    return strcmp(name, "predictor") == 0 || strcmp(name, "level") == 0;
}

static bool add_list(struct sweep_axis *axis, const char *words)
{
    const char *separator = has_descriptions(axis->name) ? ";" : ",";
    for (const char *at = words;; at++) {
        const size_t size = strcspn(at, separator);
        if (!add_value(axis, at, size)) return false;
        at += size;
        if (!*at) return true;
    }
}

static bool parse_axis(struct sweep *sweep, const char *words)
{
    const size_t size = strcspn(words, "=");
    struct sweep_axis *axis = &sweep->axes[sweep->axis_count];
    bool is_range;
    if (sweep->axis_count == SWEEP_AXES || !words[size] || size >= sizeof axis->name) return false;
    sweep->axis_count++;
    memcpy(axis->name, words, size);
    if (!add_range(axis, words + size + 1, &is_range)) return false;
    return is_range || add_list(axis, words + size + 1);
}

/* The length of the first axis of "size=1K..64K,ways=1,2,4": up to a comma before another key. */
static size_t axis_size(const char *words)
{
    const size_t key = strcspn(words, "=");
    size_t size = strlen(words);
    if ((key == 9 && memcmp(words, "predictor", key) == 0) ||
        (key == 5 && memcmp(words, "level", key) == 0))
        return size;
    for (const char *comma = strchr(words, ','); comma; comma = strchr(comma + 1, ',')) {
        const size_t word = strcspn(comma + 1, ",=");
        if (comma[1 + word] == '=') return (size_t)(comma - words);
    }
    return size;
}

static bool parse_axes(struct sweep *sweep, const char *words)
{
    char axis[512];
    for (;; words++) {
        const size_t size = axis_size(words);
        if (size >= sizeof axis) return false;
        memcpy(axis, words, size);
        axis[size] = '\0';
        if (!parse_axis(sweep, axis)) return false;
        words += size;
        if (!*words) return true;
    }
}

bool sweep_parse(struct sweep *sweep, const struct settings *settings, const struct list *words,
                 size_t maximum)
{
    const char *verb = settings->verb->name;
    *sweep = (struct sweep){0};
    for (size_t i = 0; i < words->count; i++) {
        if (parse_axes(sweep, words->items[i])) continue;
        const struct sweep_axis *last =
            sweep->axis_count ? &sweep->axes[sweep->axis_count - 1] : NULL;
        if (last && last->failed) {
            complain("out of memory");
            sweep->failed = true;
            return false;
        }
        if (last && last->full)
            return complain("%s --sweep: found more values of %s in '%s', expected at most %d",
                            verb, last->name, words->items[i], MAX_SWEEP);
        return complain("%s --sweep: found '%s', expected KEY=A,B,C or KEY=A..B (doubled) or "
                        "KEY=A..B+STEP",
                        verb, words->items[i]);
    }
    if (sweep_count(sweep) <= maximum) return true;
    return complain("%s --sweep: %zu configurations, expected at most %zu", verb,
                    sweep_count(sweep), maximum);
}

size_t sweep_count(const struct sweep *sweep)
{
    size_t count = 1;
    for (size_t i = 0; i < sweep->axis_count; i++) count *= sweep->axes[i].count;
    return count;
}

const char *sweep_value(const struct sweep *sweep, size_t index, size_t axis)
{
    for (size_t i = sweep->axis_count; i-- > axis + 1;) index /= sweep->axes[i].count;
    return sweep->axes[axis].values[index % sweep->axes[axis].count];
}

void sweep_put(const struct sweep *sweep, size_t index, struct spoor_result *row)
{
    for (size_t axis = 0; axis < sweep->axis_count; axis++) {
        const char *name = sweep->axes[axis].name, *value = sweep_value(sweep, index, axis);
        uint64_t number;
        if (scan_all_number(value, &number))
            spoor_result_unsigned(row, name, number);
        else if (strcmp(value, "yes") == 0 || strcmp(value, "no") == 0)
            spoor_result_bool(row, name, strcmp(value, "yes") == 0);
        else
            spoor_result_text(row, name, value);
    }
}

void sweep_free(struct sweep *sweep)
{
    for (size_t i = 0; i < sweep->axis_count; i++) free(sweep->axes[i].values);
}
