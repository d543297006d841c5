/* SPDX-License-Identifier: MIT */
/* convert.c: the verb `convert`: write a trace in another format. */
#include <string.h>

#include "cli/located.h"
#include "cli/table_folder.h"
#include "cli/transfer.h"

struct convert_settings {
    struct settings common;
    const struct spoor_format *to;
    const char *output;
    bool lossy, partition;
    int level;
    struct list notes;
};

static const struct option options[] = {
    OPT('t', "to", FORMAT, "FORMAT", offsetof(struct convert_settings, to),
        "write FORMAT (default: by the suffix of -o, else the input's)"),
    OPT('o', "output", OUTPUT, "FILE", offsetof(struct convert_settings, output),
        "write to FILE, compressed by its suffix (.gz .zst .xz .bz2 .lz4)"),
    OPT_FLAG(0, "lossy", offsetof(struct convert_settings, lossy),
             "continue if the format cannot represent everything, and print what was lost"),
    OPT_CHOICE(0, "level", "LEVEL", offsetof(struct convert_settings, level),
               "parquet: the effort to make the file small: default or small", "default|small"),
    OPT(0, "note", LIST, "KEY=VALUE", offsetof(struct convert_settings, notes),
        "add a note to the description in a .spoor file (repeatable)"),
    OPT_FLAG(0, "no-index", COMMON(no_index),
             "write no index into a .spoor file"),
    OPT_FLAG(0, "partition", offsetof(struct convert_settings, partition),
             "parquet: write a folder kind=K/cpu=C/part=N for each kind, cpu and 2^20 records"),
    OPT(0, "image", LIST, "FILE[@OFFSET]", offsetof(struct convert_settings, common.images),
        "with --code: the ELF file of the program (repeatable)"),
    CODE_OPTION,
    OPTION_END,
};

static int convert_run(void *settings)
{
    const struct convert_settings *convert = settings;
    for (size_t i = 0; i < convert->notes.count; i++) {
        /* a line of the description, with a key of its own */
        const char *note = convert->notes.items[i], *equals = strchr(note, '=');
        if (!equals || equals == note || strchr(note, '\n') || strncmp(note, "format=", 7) == 0 ||
            strncmp(note, "producer=", 9) == 0)
            return complain_for(EXIT_USAGE,
                                "convert --note: found '%s', expected KEY=VALUE in one line, with "
                                "a KEY other than format and producer",
                                note);
    }
    const bool is_table = convert->to && spoor_format_is_table(convert->to);
    const bool is_folder = is_table && (convert->partition || names_folder(convert->output));
    if (convert->common.code && is_folder)
        return complain_for(EXIT_USAGE, "convert --code: a folder of tables cannot be written with "
                                        "it: expected -o FILE");
    if (convert->common.images.count && !convert->common.code)
        return complain_for(EXIT_USAGE, "convert --image: expected --code, too, which takes "
                                        "records from the image");
    if (is_folder)
        return write_table_folder(&convert->common, convert->output, convert->level,
                                  convert->partition);
    if (convert->partition)
        return complain_for(EXIT_USAGE, "convert --partition: expected -t parquet");
    struct transfer transfer = {.settings = &convert->common,
                                .output = convert->output,
                                .to = convert->to,
                                .by_suffix = true,
                                .lossy = convert->lossy,
                                .level = convert->level,
                                .notes = &convert->notes,
                                .no_index = convert->common.no_index};
    return transfer_run(&transfer);
}

const struct verb verb_convert = {
    .name = "convert",
    .brief = "write a trace in another format",
    .operands = "TRACE...",
    .about = "Writes the traces, one after another, in another format.  Before anything is "
             "written, the content that the format cannot represent is counted by kind and "
             "field; a conversion that loses content is refused without --lossy.  A pipe can be "
             "read only once: there the formats' declared fields decide.  A conversion to the "
             "same format keeps every byte.  With -t parquet, an output that is a folder (or ends "
             "in /) gets a table for each kind of record.  With --code, a trace of branches or "
             "addresses becomes one of instructions, in a format that has them.",
    .options = options,
    .settings_size = sizeof(struct convert_settings),
    .json = true,
    .many = true,
    .effects = SPOOR_EFFECTS_AS_WRITTEN, /* records stay in the order of the file */
    .run = convert_run,
};
