/* SPDX-License-Identifier: MIT */
/* cli/table_folder.c: writes a trace as tables in a folder. */
#include "cli/table_folder.h"

#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "cli/output.h"
#include "cli/written.h"
#include "spoor/table_folder.h"

bool names_folder(const char *output)
{
    struct stat found;
    if (!output || !*output) return false;
    return output[strlen(output) - 1] == '/' ||
           (stat(output, &found) == 0 && S_ISDIR(found.st_mode));
}

/* The files that were opened. */
struct folder_files {
    const struct settings *settings;
    struct text paths; /* each with its NUL */
};

static enum spoor_status table_folder_open_file(void *context, struct spoor_output **output,
                                                const char *path, struct spoor_error *error)
{
    struct folder_files *files = context;
    text_put(&files->paths, path, strlen(path) + 1);
    return output_open(output, path, files->settings, error);
}

static enum spoor_status table_folder_close_file(void *context, struct spoor_output *output,
                                                 bool whole, struct spoor_error *error)
{
    (void)context;
    return output_close(output, whole, error);
}

int write_table_folder(const struct settings *settings, const char *path, int level,
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
        .open = table_folder_open_file,
        .close = table_folder_close_file,
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
        struct spoor_result *result = written_new(path, parquet, records);
        written_put_input(spoor_result_array(result, "inputs"), input.stream->path,
                          input.stream->format, records);
        written_put_losses(result, NULL, 0, 0);
        struct spoor_result *rows = spoor_result_array(result, "files");
        for (size_t at = 0; at < files.paths.size; at += strlen(files.paths.bytes + at) + 1) {
            struct spoor_result *row = spoor_result_object(rows, NULL);
            spoor_result_text(row, "trace", files.paths.bytes + at);
            written_put_size(row, files.paths.bytes + at);
        }
        if (files.paths.failed) spoor_result_fail(result);
        code = written_show(result, path);
    }
    text_free(&files.paths);
    return worse(code, input_close(&input));
}
