/* SPDX-License-Identifier: MIT */
/* check_part.c: the findings of `check` in a partial result. */
#include "cli/check_part.h"

#include <string.h>

static const char limit[] = "limit", severity[] = "severity", lines[] = "lines",
                  findings[] = "findings";

void check_part_put(const struct check_part *part, struct spoor_result *head)
{
    spoor_result_unsigned(head, limit, part->limit);
    spoor_result_unsigned(head, severity, part->severity);
    spoor_result_bytes(head, lines, part->lines ? part->lines : "", part->size);
}

static void copy_rows(const struct spoor_result *from, struct spoor_result *rows)
{
    for (const struct spoor_result *row = spoor_result_first(from); row;
         row = spoor_result_next(row))
        spoor_result_copy(rows, NULL, row);
}

/* The members of the head before the findings describe the trace. */
static struct spoor_result *copy_trace(const struct spoor_result *head, struct spoor_result *trace)
{
    const struct spoor_result *at = spoor_result_first(head);
    for (; at && strcmp(spoor_result_key(at), findings) != 0; at = spoor_result_next(at))
        spoor_result_copy(trace, spoor_result_key(at), at);
    struct spoor_result *rows = spoor_result_array(trace, findings);
    spoor_result_set_columns(rows, "rule,severity,record,found,expected");
    return rows;
}

bool check_part_read(struct check_part *part, const struct spoor_partial *partial,
                     struct spoor_result *trace, struct spoor_result *rows)
{
    *part = (struct check_part){.head = spoor_result_new_object()};
    if (!part->head || spoor_partial_head(partial, part->head, NULL) != SPOOR_OK) return false;
    const struct spoor_result *level = spoor_result_member(part->head, severity);
    if (trace) rows = copy_trace(part->head, trace);
    if (rows) copy_rows(spoor_result_member(part->head, findings), rows);
    part->limit = spoor_result_whole(spoor_result_member(part->head, limit));
    part->severity = (unsigned)spoor_result_whole(level);
    part->lines = spoor_result_string(spoor_result_member(part->head, lines), &part->size);
    return part->lines && level && spoor_result_whole(level) <= SPOOR_SEVERITY_ERROR;
}

void check_part_free(struct check_part *part)
{
    spoor_result_free(part->head);
}
