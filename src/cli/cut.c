/* SPDX-License-Identifier: MIT */
/* cut.c: the verb `cut`: write a slice of a trace. */
#include <string.h>

#include "cli/transfer.h"
#include "transform/stuck.h"

struct cut_settings {
    struct settings common;
    const struct spoor_format *to;
    const char *output, *cpu, *where;
    struct range records, time, pc;
    bool lossy, stuck, no_index;
};

static const struct option options[] = {
    {0, "records", "A:B", OPTION_RANGE, offsetof(struct cut_settings, records),
     "records A to B, both included, from 0", NULL, OPTION_DOUBLE_DASH},
    {0, "time", "A:B", OPTION_RANGE, offsetof(struct cut_settings, time),
     "records of times A to B, both included, in the trace's unit", NULL, OPTION_DOUBLE_DASH},
    {0, "cpu", "NAME", OPTION_TEXT, offsetof(struct cut_settings, cpu),
     "records of one cpu or agent", NULL, OPTION_DOUBLE_DASH},
    {0, "pc", "A:B", OPTION_HEXRANGE, offsetof(struct cut_settings, pc),
     "instructions at pc A to B, both included, with their effects", NULL, OPTION_DOUBLE_DASH},
    {0, "where", "EXPR", OPTION_TEXT, offsetof(struct cut_settings, where),
     "records that match an expression over fields", NULL, OPTION_DOUBLE_DASH},
    {0, "stuck", NULL, OPTION_FLAG, offsetof(struct cut_settings, stuck),
     "end where the program loops for ever, after two iterations", NULL, OPTION_DOUBLE_DASH},
    {'t', "to", "FORMAT", OPTION_FORMAT, offsetof(struct cut_settings, to),
     "write FORMAT (default: the input's)", NULL, OPTION_DOUBLE_DASH},
    {'o', "output", "FILE", OPTION_OUTPUT, offsetof(struct cut_settings, output),
     "write to FILE, compressed by its suffix (.gz .zst .xz .bz2 .lz4)", NULL, OPTION_DOUBLE_DASH},
    {0, "lossy", NULL, OPTION_FLAG, offsetof(struct cut_settings, lossy),
     "with -t: continue if the format cannot represent everything", NULL, OPTION_DOUBLE_DASH},
    {0, "no-index", NULL, OPTION_FLAG, offsetof(struct cut_settings, no_index),
     "read what the conditions exclude, too, though an index is there", NULL, OPTION_DOUBLE_DASH},
    OPTION_END,
};

static struct spoor_span span(const struct range *range)
{
    return (struct spoor_span){range->given, range->first, range->last};
}

/* Where the trace is to end: the last record of the second iteration of its endless loop. */
static int find_stuck(const struct cut_settings *settings, struct spoor_span *records)
{
    struct trace_input trace_input;
    const struct spoor_batch *batch;
    const char *path = operand(&settings->common, 0);
    uint64_t last;
    if (operand_count(&settings->common) != 1 || strcmp(path, "-") == 0) {
        complain("--stuck: expected one trace in a file, for it is read twice");
        return EXIT_USAGE;
    }
    struct stuck *stuck = stuck_new();
    bool kept = stuck && input_open(&trace_input, path, &settings->common);
    if (!kept) {
        stuck_free(stuck);
        return stuck ? trace_input.exit_code : EXIT_UNREADABLE;
    }
    trace_input.silent = true; /* cutting says it */
    while (kept && input_next(&trace_input, &batch)) kept = stuck_feed(stuck, batch);
    const int code = input_close(&trace_input);
    if (!kept) complain("memory ran out");
    if (kept && code == EXIT_CLEAN) {
        if (!stuck_found(stuck, &last))
            complain("%s: does not end in a loop that repeats: it is written whole", path);
        else if (!records->given || last < records->last)
            *records = (struct spoor_span){true, records->given ? records->first : 0, last};
    }
    stuck_free(stuck);
    return kept ? code : EXIT_UNREADABLE;
}

static int run(void *settings)
{
    const struct cut_settings *cut = settings;
    struct spoor_error error = {0};
    struct spoor_select *where = NULL;
    if (cut->where && spoor_select_compile(&where, cut->where, &error) != SPOOR_OK)
        return fail(&error);
    struct spoor_cut_options slice = {.records = span(&cut->records),
                                      .time = span(&cut->time),
                                      .pc = span(&cut->pc),
                                      .cpu = cut->cpu,
                                      .where = where};
    if (cut->stuck) {
        const int code = find_stuck(cut, &slice.records);
        if (code != EXIT_CLEAN) {
            spoor_select_free(where);
            return code;
        }
    }
    struct transfer transfer = {.settings = &cut->common,
                                .slice = &slice,
                                .output = cut->output,
                                .to = cut->to,
                                .lossy = cut->lossy,
                                .no_index = cut->no_index};
    int code = transfer_run(&transfer);
    spoor_select_free(where);
    if (transfer.selected || code != EXIT_CLEAN) return code;
    complain("no record was selected");
    return worse(code, EXIT_NOTHING);
}

const struct verb verb_cut = {
    .name = "cut",
    .brief = "write a slice: by records, time, cpu, pc or expression",
    .operands = "TRACE...",
    .about = "Writes the records that meet every condition, in the input's own format and with "
             "their own bytes.  The effects of an instruction follow it and belong to it; a "
             "record that names no cpu belongs to the cpu named last.  Deltas of time (BYU) are "
             "not changed.",
    .options = options,
    .settings_size = sizeof(struct cut_settings),
    .run = run,
};
