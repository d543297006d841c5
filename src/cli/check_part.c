/* SPDX-License-Identifier: MIT */
/* check_part.c: packs the findings of `check` in a partial result. */
#include "cli/check_part.h"

void check_part_pack(const struct check_part *part, const struct trace_input *trace_input,
                     const struct spoor_result *rows, struct text *bytes)
{
    struct spoor_result *head = spoor_result_new_object();
    put_trace(head, trace_input);
    bytes->failed |= part->failed || !spoor_result_complete(head);
    if (!bytes->failed) {
        result_pack(bytes, head);
        result_pack(bytes, rows);
        text_varint(bytes, part->limit);
        text_varint(bytes, part->severity);
        text_sized(bytes, part->lines, part->size);
    }
    spoor_result_free(head);
}

bool check_part_read(struct check_part *part, const struct partial *partial,
                     struct spoor_result *trace, struct spoor_result *rows)
{
    struct unpacker from = partial->content;
    struct spoor_result *ignored = spoor_result_new_object();
    if (trace) {
        result_unpack(&from, trace);
        rows = spoor_result_array(trace, "findings");
        spoor_result_set_columns(rows, "rule,severity,record,found,expected");
    } else {
        result_unpack(&from, ignored);
    }
    result_unpack(&from, rows ? rows : spoor_result_array(ignored, NULL));
    spoor_result_free(ignored);
    *part = (struct check_part){.limit = unpack(&from)};
    part->severity = (unsigned)unpack_below(&from, SPOOR_SEVERITY_ERROR + 1);
    part->lines = unpack_sized(&from, &part->size);
    part->state = from.at;
    part->state_size = (size_t)(from.end - from.at);
    return !from.failed;
}
