/* SPDX-License-Identifier: MIT */
/* convert.c: the verb `convert`: write a trace in another format. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/image_set.h"
#include "cli/operands.h"
#include "cli/output.h"
#include "cli/transfer.h"
#include "cli/write_result.h"

/* ---- table folder ---- */

/* The files that were opened. */
struct folder_files {
    const struct settings *settings;
    struct text paths; /* each with its NUL */
};

static enum spoor_status convert_open_file(void *context, struct spoor_output **output,
                                           const char *path, struct spoor_error *error)
{
    struct folder_files *files = context;
    text_put(&files->paths, path, strlen(path) + 1);
    return output_open(output, path, files->settings, error);
}

static enum spoor_status convert_close_file(void *context, struct spoor_output *output, bool whole,
                                            struct spoor_error *error)
{
    (void)context;
    return output_close(output, whole, error);
}

/* Writes all operands; returns the exit code. */
static int convert_write_folder(const struct settings *settings, const char *path, int level,
                                bool partitioned)
{
    struct folder_files files = {.settings = settings};
    struct trace_input input;
    struct spoor_table_folder *folder;
    struct spoor_error error = {0};
    const struct spoor_batch *batch;
    uint64_t records = 0;
    if (operand_count(settings) != 1)
        return complain_for(EXIT_USAGE, "convert: a folder of tables is of one trace, found %zu",
                            operand_count(settings));
    if (!input_open(&input, operand(settings, 0), settings)) return input.exit_code;
    const struct spoor_table_folder_options options = {
        .struct_size = sizeof options,
        .partitioned = partitioned,
        .level = (enum spoor_level)level,
        .threads = thread_count(settings),
        .description = spoor_reader_description(input.reader),
        .open = convert_open_file,
        .close = convert_close_file,
        .context = &files,
    };
    enum spoor_status status = spoor_table_folder_new(&folder, path, &options, &error);
    if (status != SPOOR_OK) return worse(fail(&error), input_close(&input));
    while (status == SPOOR_OK && input_next(&input, &batch)) {
        status = spoor_table_folder_feed(folder, batch, &error);
        if (batch->count) records += batch->count - spoor_batch_is_header(batch, 0);
    }
    const bool whole = status == SPOOR_OK && !input.broken;
    if (whole) status = spoor_table_folder_end(folder, &error);
    spoor_table_folder_free(folder);
    int code = status == SPOOR_OK ? EXIT_CLEAN : fail(&error);
    if (settings->json && whole && code == EXIT_CLEAN) {
        const struct spoor_format *parquet = spoor_format_find("parquet");
        struct spoor_result *result = write_result_new(path, parquet, records);
        write_result_put_input(spoor_result_array(result, "inputs"), input.stream->path,
                               input.stream->format, records);
        write_result_put_losses(result, NULL, 0, 0, NULL);
        struct spoor_result *rows = spoor_result_array(result, "files");
        for (size_t at = 0; at < files.paths.size; at += strlen(files.paths.bytes + at) + 1) {
            struct spoor_result *row = spoor_result_object(rows, NULL);
            spoor_result_text(row, "trace", files.paths.bytes + at);
            write_result_put_size(row, files.paths.bytes + at);
        }
        if (files.paths.failed) spoor_result_fail(result);
        code = write_result_show(result, path);
    }
    text_free(&files.paths);
    return worse(code, input_close(&input));
}

struct convert_settings {
    struct settings common;
    const struct spoor_format *to;
    const char *output;
    bool lossy, partition;
    const char *encoder;
    int level;
    struct list notes;
};

static const struct option options[] = {
    OPT('t', "to", FORMAT, "FORMAT", offsetof(struct convert_settings, to),
        "(default: by the suffix of -o, else the input's)"),
    OPT('o', "output", OUTPUT, "FILE", offsetof(struct convert_settings, output), NULL),
    OPT_FLAG(0, "lossy", offsetof(struct convert_settings, lossy), "(and print what was lost)"),
    OPT(0, "encoder", TEXT, "KEY=N,...", offsetof(struct convert_settings, encoder),
        "n-trace, e-trace: how records of other formats are encoded (see the format's page)"),
    OPT_CHOICE(0, "compress", "EFFORT", offsetof(struct convert_settings, level),
               "parquet: how small the file becomes: default, or best, which takes longer",
               "default|best"),
    OPT(0, "note", LIST, "KEY=VALUE", offsetof(struct convert_settings, notes),
        "add a note to the description in a .spoor file (repeatable)"),
    OPT_FLAG(0, "without-index", COMMON(no_index), NULL),
    OPT_FLAG(0, "partitioned", offsetof(struct convert_settings, partition),
             "parquet: write a folder kind=K/cpu=C/part=N for each kind, cpu and 2^20 records"),
    OPT(0, "image", LIST, "FILE[@OFFSET]", offsetof(struct convert_settings, common.images),
        "(for --code alone)"),
    CODE_OPTION,
    OPTION_END,
};

/* `convert IN OUT`, as cp has it: without -o, a last operand that is no file yet is the output.
 * False: an error has been printed. */
static bool convert_find_output(struct convert_settings *convert)
{
    struct settings *common = &convert->common;
    const int count = common->operand_count;
    const char *last = count > 1 ? common->operands[count - 1] : "-";
    struct stat found;
    if (convert->output || strcmp(last, "-") == 0) return true;
    if (stat(last, &found) == 0) {
        if (!S_ISREG(found.st_mode) || common->from || !operand_is_no_trace(last)) return true;
        return complain("convert: %s is there and is no trace: -o %s replaces it", last, last);
    }
    /* not there, nor a link to what is not: reading it says why */
    if (errno != ENOENT || strpbrk(last, "*?[") || lstat(last, &found) == 0) return true;
    convert->output = last;
    common->operand_count--;
    return true;
}

static int convert_run(void *settings)
{
    struct convert_settings *convert = settings;
    if (!convert_find_output(convert)) return EXIT_USAGE;
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
    const char *output = convert->output;
    struct stat found;
    const bool names_folder = output && *output &&
                              (output[strlen(output) - 1] == '/' ||
                               (stat(output, &found) == 0 && S_ISDIR(found.st_mode)));
    const bool is_folder = is_table && (convert->partition || names_folder);
    if (convert->common.code && is_folder)
        return complain_for(EXIT_USAGE, "convert --code: a folder of tables cannot be written with "
                                        "it: expected -o FILE");
    if (convert->common.images.count && !convert->common.code)
        return complain_for(EXIT_USAGE, "convert --image: expected --code, too, which takes "
                                        "records from the image");
    if (is_folder)
        return convert_write_folder(&convert->common, convert->output, convert->level,
                                    convert->partition);
    if (convert->partition)
        return complain_for(EXIT_USAGE, "convert --partitioned: expected -t parquet");
    struct transfer transfer = {.settings = &convert->common,
                                .output = convert->output,
                                .to = convert->to,
                                .by_suffix = true,
                                .lossy = convert->lossy,
                                .encoder = convert->encoder,
                                .level = convert->level,
                                .notes = &convert->notes,
                                .no_index = convert->common.no_index};
    return transfer_run(&transfer);
}

const struct verb verb_convert = {
    .name = "convert",
    .brief = "write a trace in another format",
    .operands = "TRACE... [OUTPUT]",
    .about = "Writes the traces, one after another, in another format.  Without -o, a last operand "
             "that is no file yet is the output.  Before anything is "
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
