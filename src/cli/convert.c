/* SPDX-License-Identifier: MIT */
/* convert.c: the same trace in another format. */
#include "cli/transfer.h"

struct convert_settings {
    struct settings common;
    const struct spoor_format *to;
    const char *output;
    bool lossy;
};

static const struct option options[] = {
    {'t', "to", "FORMAT", OPTION_FORMAT, offsetof(struct convert_settings, to),
     "write FORMAT (default: what the suffix of -o says, else the input's)", NULL,
     OPTION_DOUBLE_DASH},
    {'o', "output", "FILE", OPTION_TEXT, offsetof(struct convert_settings, output),
     "write to FILE, compressed by its suffix (.gz .zst .xz .bz2 .lz4)", NULL, OPTION_DOUBLE_DASH},
    {0, "lossy", NULL, OPTION_FLAG, offsetof(struct convert_settings, lossy),
     "go on where the format cannot carry everything, and tell what was lost", NULL,
     OPTION_DOUBLE_DASH},
    OPTION_END,
};

static int run(void *settings)
{
    const struct convert_settings *convert = settings;
    struct transfer transfer = {.settings = &convert->common,
                                .output = convert->output,
                                .to = convert->to,
                                .by_suffix = true,
                                .lossy = convert->lossy};
    return transfer_run(&transfer);
}

const struct verb verb_convert = {
    .name = "convert",
    .brief = "write the same trace in another format",
    .operands = "TRACE...",
    .about = "Writes the traces, one after another, in another format.  Before anything is "
             "written, what the format cannot carry is counted by kind and field, and unless "
             "--lossy is given a conversion that loses something is refused.  A pipe can be read "
             "only once: there the formats' declared capabilities decide.  Into the same format "
             "the bytes stay the same.",
    .options = options,
    .settings_size = sizeof(struct convert_settings),
    .run = run,
};
