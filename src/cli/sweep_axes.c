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

static bool sweep_add_value(struct sweep_axis *axis, const char *value, size_t size)
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

static bool sweep_parse_axis(struct sweep *sweep, const char *words)
{
    const size_t size = strcspn(words, "=");
    struct sweep_axis *axis = &sweep->axes[sweep->axis_count];
    if (sweep->axis_count == SWEEP_AXES || !words[size] || size >= sizeof axis->name) return false;
    sweep->axis_count++;
    memcpy(axis->name, words, size);
    const char *values = words + size + 1;
    struct scan scan = {values, values + strlen(values)};
    uint64_t from, to, step = 0;
    if (scan_number(&scan, &from) && SCAN_LITERAL(&scan, "..")) { /* "A..B" or "A..B+S" */
        if (!scan_number(&scan, &to)) return false;
        const bool steps = scan_char(&scan, '+');
        if ((steps && !scan_number(&scan, &step)) || !scan_done(&scan) || from > to ||
            to > UINT32_MAX || (steps ? !step : !from))
            return false;
        for (uint64_t value = from; value <= to; value = steps ? value + step : value * 2) {
            char digits[24];
            const int written = snprintf(digits, sizeof digits, "%" PRIu64, value);
            if (!sweep_add_value(axis, digits, (size_t)written)) return false;
        }
        return true;
    }
    /* descriptions hold commas: semicolons separate them */
    const bool descriptions =
        strcmp(axis->name, "predictor") == 0 || strcmp(axis->name, "level") == 0;
    for (const char *at = words + size + 1;; at++) {
        const size_t value = strcspn(at, descriptions ? ";" : ",");
        if (!sweep_add_value(axis, at, value)) return false;
        at += value;
        if (!*at) return true;
    }
}

bool sweep_parse(struct sweep *sweep, const struct settings *settings, const struct list *words,
                 size_t maximum)
{
    const char *verb = settings->verb->name;
    *sweep = (struct sweep){0};
    for (size_t i = 0; i < words->count; i++) {
        bool good = true;
        for (const char *at = words->items[i]; good; at++) {
            char axis[512];
            /* the first axis of "size=1K..64K,ways=1,2,4" ends at a comma before another key;
             * descriptions hold such commas */
            const bool described =
                strncmp(at, "predictor=", 10) == 0 || strncmp(at, "level=", 6) == 0;
            const char *comma = described ? NULL : strchr(at, ',');
            while (comma && comma[1 + strcspn(comma + 1, ",=")] != '=')
                comma = strchr(comma + 1, ',');
            const size_t size = comma ? (size_t)(comma - at) : strlen(at);
            good = size < sizeof axis;
            if (good) {
                memcpy(axis, at, size);
                axis[size] = '\0';
                good = sweep_parse_axis(sweep, axis);
            }
            at += size;
            if (!*at) break;
        }
        if (good) continue;
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
