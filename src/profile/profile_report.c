/* SPDX-License-Identifier: MIT */
/* profile_report.c: a profile as a result tree, and two profiles side by side. */
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"

#include "model/options.h"

void spoor_profile_put_name(const struct spoor_profile_row *row, enum spoor_profile_by by,
                            struct spoor_result *into)
{
    const bool is_place = by != SPOOR_PROFILE_FILES && by != SPOOR_PROFILE_OPCODES;
    spoor_result_text(into,
                      is_place                    ? "function"
                      : by == SPOOR_PROFILE_FILES ? "file"
                                                  : "opcode",
                      row->name);
    if (is_place) spoor_result_hex_if(into, "pc", row->located, row->address);
    if (by == SPOOR_PROFILE_FUNCTIONS)
        spoor_result_text(into, "kind", row->exception ? "exception" : "call");
    spoor_result_text(into, "source", row->source);
}

/* Of a row, its first edges as the callee, and as the caller; of an edge, the next ones of that
 * row: numbers, + 1. */
struct row_edge {
    uint32_t callers, callees;
};

static void profile_put_edges(const struct spoor_profile *profile, const struct row_edge *at,
                              const struct row_edge *next, bool callers, struct spoor_result *into)
{
    struct spoor_result *array = spoor_result_array(into, callers ? "callers" : "callees");
    for (uint32_t number; (number = callers ? at->callers : at->callees); at = &next[number - 1]) {
        const struct profile_edge *edge = &profile->edges[number - 1];
        struct spoor_result *entry = spoor_result_object(array, NULL);
        spoor_profile_put_name(&profile->rows[callers ? edge->caller : edge->callee],
                               profile->options.by, entry);
        spoor_result_unsigned(entry, "calls", edge->calls);
        spoor_result_unsigned(entry, "inclusive", edge->inclusive);
    }
}

static void profile_put_row(const struct spoor_profile_row *row, enum spoor_profile_by by,
                            struct spoor_result *into)
{
    const bool functions = by == SPOOR_PROFILE_FUNCTIONS;
    spoor_profile_put_name(row, by, into);
    spoor_result_unsigned(into, functions ? "calls" : "executions", row->calls);
    if (functions) spoor_result_unsigned(into, "unreturned_calls", row->unreturned);
    spoor_result_unsigned(into, "inclusive", row->inclusive);
    spoor_result_unsigned(into, "exclusive", row->exclusive);
}

/* `maximum` rows from `first_row` on; 0: all. */
static enum spoor_status profile_report(const struct spoor_profile *profile, bool edges,
                                        size_t first_row, size_t maximum,
                                        struct spoor_result *result)
{
    const struct spoor_profile_totals totals = spoor_profile_totals(profile);
    spoor_result_text(result, "count_unit", totals.unit);
    spoor_result_unsigned(result, "total", totals.amount);
    spoor_result_unsigned(result, "instructions", totals.instructions);
    if (profile->time_unit[0]) {
        spoor_result_unsigned(result, "time", totals.time);
        spoor_result_text(result, "time_unit", profile->time_unit);
    }
    spoor_result_unsigned(result, "calls", totals.calls);
    spoor_result_unsigned(result, "exceptions", totals.exceptions);
    spoor_result_unsigned(result, "unreturned_calls", totals.unreturned);
    spoor_result_unsigned(result, "cpus", totals.cpus);
    if (totals.lost) spoor_result_unsigned(result, "lost_contexts", totals.lost);
    static const char *const keys[] = {[SPOOR_PROFILE_FUNCTIONS] = "functions",
                                       [SPOOR_PROFILE_LINES] = "lines",
                                       [SPOOR_PROFILE_FILES] = "files",
                                       [SPOOR_PROFILE_ADDRESSES] = "addresses",
                                       [SPOOR_PROFILE_OPCODES] = "opcodes"};
    struct spoor_result *rows = spoor_result_array(result, keys[profile->options.by]);
    const bool all = !maximum || profile->row_count <= maximum;
    const size_t end = all ? profile->row_count : first_row + maximum;
    struct row_edge *first = calloc(profile->row_count + 1, sizeof *first);
    struct row_edge *next = calloc(profile->edge_count + 1, sizeof *next);
    if (!first || !next) spoor_result_fail(result);
    edges = edges && first && next;
    for (size_t i = profile->edge_count; i-- > 0 && edges;) {
        const struct profile_edge *edge = &profile->edges[i];
        if (edge->callee >= profile->row_count || edge->caller >= profile->row_count) continue;
        next[i] = (struct row_edge){.callers = first[edge->callee].callers,
                                    .callees = first[edge->caller].callees};
        first[edge->callee].callers = (uint32_t)i + 1;
        first[edge->caller].callees = (uint32_t)i + 1;
    }
    for (size_t i = first_row; i < end; i++) {
        struct spoor_result *row = spoor_result_object(rows, NULL);
        profile_put_row(&profile->rows[i], profile->options.by, row);
        if (edges) profile_put_edges(profile, &first[i], next, true, row);
        if (edges) profile_put_edges(profile, &first[i], next, false, row);
    }
    free(first);
    free(next);
    if (!all) spoor_result_unsigned(result, "rows_left_out", profile->row_count - maximum);
    return result_status(result);
}

enum spoor_status spoor_profile_report(const struct spoor_profile *profile, bool edges,
                                       struct spoor_result *result)
{
    return profile_report(profile, edges, 0, profile->options.maximum_rows, result);
}

enum spoor_status spoor_profile_report_row(const struct spoor_profile *profile,
                                           const struct spoor_profile_row *row,
                                           struct spoor_result *result)
{
    return profile_report(profile, true, (size_t)(row - profile->rows), 1, result);
}

/* ---- two profiles ---- */

/* The order of what is the same in both: by name, or by address where there is none. */
static int profile_compare_same(const void *left, const void *right)
{
    const struct spoor_profile_row *a = *(const struct spoor_profile_row *const *)left;
    const struct spoor_profile_row *b = *(const struct spoor_profile_row *const *)right;
    if (a->exception != b->exception) return a->exception - b->exception;
    if (!a->name != !b->name) return !b->name - !a->name;
    if (!a->name) return a->address < b->address ? -1 : a->address > b->address;
    const int order = strcmp(a->name, b->name);
    if (order || !a->source || !b->source) return order;
    return strcmp(a->source, b->source);
}

static const struct spoor_profile_row **profile_sorted_rows(const struct spoor_profile *profile)
{
    const struct spoor_profile_row **rows = malloc((profile->row_count + 1) * sizeof *rows);
    if (!rows) return NULL;
    for (size_t i = 0; i < profile->row_count; i++) rows[i] = &profile->rows[i];
    qsort(rows, profile->row_count, sizeof *rows, profile_compare_same);
    return rows;
}

static int profile_compare_changes(const void *left, const void *right)
{
    const struct spoor_profile_change *a = left, *b = right;
    if (a->exclusive != b->exclusive) return a->exclusive < b->exclusive ? 1 : -1;
    if (a->inclusive != b->inclusive) return a->inclusive < b->inclusive ? 1 : -1;
    const struct spoor_profile_row *one = a->after ? a->after : a->before;
    const struct spoor_profile_row *other = b->after ? b->after : b->before;
    return profile_compare_same(&one, &other);
}

struct spoor_profile_change *spoor_profile_compare(const struct spoor_profile *before,
                                                   const struct spoor_profile *after, size_t *count)
{
    const struct spoor_profile_row **one = profile_sorted_rows(before),
                                   **other = profile_sorted_rows(after);
    struct spoor_profile_change *changes =
        malloc((before->row_count + after->row_count + 1) * sizeof *changes);
    static const struct spoor_profile_row none;
    size_t i = 0, j = 0;
    *count = 0;
    while (one && other && changes && (i < before->row_count || j < after->row_count)) {
        const int order = i == before->row_count  ? 1
                          : j == after->row_count ? -1
                                                  : profile_compare_same(&one[i], &other[j]);
        const struct spoor_profile_row *a = order <= 0 ? one[i] : &none;
        const struct spoor_profile_row *b = order >= 0 ? other[j] : &none;
        changes[(*count)++] = (struct spoor_profile_change){
            .before = order <= 0 ? a : NULL,
            .after = order >= 0 ? b : NULL,
            .exclusive = (int64_t)(b->exclusive - a->exclusive),
            .inclusive = (int64_t)(b->inclusive - a->inclusive),
            .calls = (int64_t)(b->calls - a->calls),
        };
        i += order <= 0;
        j += order >= 0;
    }
    if (!one || !other) {
        free(changes);
        changes = NULL;
    }
    if (changes) qsort(changes, *count, sizeof *changes, profile_compare_changes);
    free(one);
    free(other);
    return changes;
}
