/* SPDX-License-Identifier: MIT */
/* cut.c: the verb `cut`: write a slice of a trace. */
#include "cli/transfer.h"

struct cut_settings {
    struct settings common;
    const struct spoor_format *to;
    const char *output, *cpu, *where;
    struct range records, time, pc;
    bool lossy;
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
    {'t', "to", "FORMAT", OPTION_FORMAT, offsetof(struct cut_settings, to),
     "write FORMAT (default: the input's)", NULL, OPTION_DOUBLE_DASH},
    {'o', "output", "FILE", OPTION_TEXT, offsetof(struct cut_settings, output),
     "write to FILE, compressed by its suffix (.gz .zst .xz .bz2 .lz4)", NULL, OPTION_DOUBLE_DASH},
    {0, "lossy", NULL, OPTION_FLAG, offsetof(struct cut_settings, lossy),
     "with -t: continue if the format cannot represent everything", NULL, OPTION_DOUBLE_DASH},
    OPTION_END,
};

static struct spoor_span span(const struct range *range)
{
    return (struct spoor_span){range->given, range->first, range->last};
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
    struct transfer transfer = {.settings = &cut->common,
                                .slice = &slice,
                                .output = cut->output,
                                .to = cut->to,
                                .lossy = cut->lossy};
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
