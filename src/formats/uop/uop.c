/* SPDX-License-Identifier: MIT */
/*
 * uop.c: CIS501 micro-op traces, one micro-op of an x86 program per line.
 *
 * Any run of spaces and tabs may separate fields; lines may end in LF or CR LF, be blank, or lack
 * the last newline.
 */
#include <stdlib.h>

#include "formats/probe.h"
#include "formats/uop/uop.h"
#include "views/uop.h"

static enum line_fit fit(const struct spoor_format *self, const char *line, size_t size)
{
    struct uop_line parts;
    (void)self;
    if (uop_scan(&parts, line, line + size)) return LINE_FITS;
    return uop_is_blank_line(line, line + size) ? LINE_NEUTRAL : LINE_MISFITS;
}

/* ---- projections ---- */

enum { SHORTEST_LINE = 27 /* bytes without the line end */ };

struct projecting {
    struct record_sink sink;
    struct reference_view *references; /* one of the two */
    struct branch_view *branches;
    struct uop_opcodes opcodes;
    const struct spoor_names *names;
};

static void consume_references(struct record_sink *sink, struct spoor_batch *batch)
{
    struct projecting *projecting = (struct projecting *)sink;
    struct reference_view *view = projecting->references;
    struct spoor_reference *at = view->items + view->count;
    for (size_t i = 0; i < batch->count; i++)
        if (batch->records[i].kind == SPOOR_UOP) at = uop_put_references(at, batch, i);
    view->count = (size_t)(at - view->items);
    record_sink_empty(sink, batch);
}

/* Adds a branch: the instructions before it are its gap, and counting starts again. */
static void put_branch(struct projecting *projecting, struct spoor_batch *batch, size_t index)
{
    struct branch_view *view = projecting->branches;
    struct spoor_branch *branch = &view->items[view->count];
    if (!uop_tell_branch(branch, &projecting->opcodes, projecting->names, batch, index))
        batch->out_of_memory = true;
    branch->gap = uop_gap(view->since_branch);
    if (view->count++ == 0) view->before = view->since_branch;
    view->since_branch = 0;
}

static void consume_branches(struct record_sink *sink, struct spoor_batch *batch)
{
    struct projecting *projecting = (struct projecting *)sink;
    struct branch_view *view = projecting->branches;
    for (size_t i = 0; i < batch->count; i++) {
        if (batch->records[i].kind != SPOOR_UOP) continue;
        const bool begins = uop_begins(batch, i);
        view->instructions += begins;
        view->since_branch += begins;
        if (uop_is_branch(&batch->records[i])) put_branch(projecting, batch, i);
    }
    record_sink_empty(sink, batch);
}

static void project(const struct decoder *decoder, const struct projection *projection,
                    struct spoor_batch *batch)
{
    if (projection->kind == PROJECT_STATS) {
        text_stats(&uop_rules, decoder, batch);
        return;
    }
    const size_t maximum = batch->text_size / SHORTEST_LINE + 1;
    const bool branches = projection->kind == PROJECT_BRANCHES;
    struct projecting projecting = {
        .sink.consume = branches ? consume_branches : consume_references, .names = decoder->names};
    if (branches)
        projecting.branches = projection_reserve_branches(batch, maximum);
    else
        projecting.references = projection_reserve_references(batch, 2 * maximum);
    if (batch->out_of_memory) return;
    text_decode(&uop_rules, decoder, batch, &projecting.sink);
    record_sink_end(&projecting.sink, batch);
    free(projecting.opcodes.says);
}

const struct spoor_format format_uop = {
    .name = "uop",
    .title = "CIS501 micro-op trace, 14 fields a line",
    .suffixes = "trace;uop",
    .document = "University of Pennsylvania, CIS501: Instruction Trace Format",
    .time_unit = "",
    .fields =
        {
            [SPOOR_UOP] = SPOOR_FIELD_BIT(UOP) | SPOOR_FIELD_BIT(PC) | SPOOR_FIELD_BIT(SRC1) |
                          SPOOR_FIELD_BIT(SRC2) | SPOOR_FIELD_BIT(DEST) | SPOOR_FIELD_BIT(FLAGS) |
                          SPOOR_FIELD_BIT(BRANCH) | SPOOR_FIELD_BIT(LDST) |
                          SPOOR_FIELD_BIT(IMMEDIATE) | SPOOR_FIELD_BIT(ADDRESS) |
                          SPOOR_FIELD_BIT(FALL) | SPOOR_FIELD_BIT(TARGET) | SPOOR_FIELD_BIT(MACRO) |
                          SPOOR_FIELD_BIT(MICRO),
        },
    .fit = fit,
    .text = &uop_rules,
    .projects = 1u << PROJECT_REFERENCES | 1u << PROJECT_BRANCHES | 1u << PROJECT_STATS,
    .project = project,
    .write = uop_write,
    .verbatim_copy = true,
    .print = uop_print,
};
