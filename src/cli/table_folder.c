/* SPDX-License-Identifier: MIT */
/* cli/table_folder.c: writes a trace as tables in a folder. */
#include "cli/table_folder.h"

#include <string.h>
#include <sys/stat.h>

#include "cli/output.h"
#include "spoor/table_folder.h"

bool names_folder(const char *output)
{
    struct stat found;
    if (!output || !*output) return false;
    return output[strlen(output) - 1] == '/' ||
           (stat(output, &found) == 0 && S_ISDIR(found.st_mode));
}

static enum spoor_status open_file(void *context, struct spoor_output **output, const char *path,
                                   struct spoor_error *error)
{
    return output_open(output, path, context, error);
}

static enum spoor_status close_file(void *context, struct spoor_output *output, bool whole,
                                    struct spoor_error *error)
{
    (void)context;
    return output_close(output, whole, error);
}

int write_table_folder(const struct settings *settings, const char *path, int level,
                       bool partitioned)
{
    struct settings own = *settings;
    struct trace_input input;
    struct spoor_table_folder *folder;
    struct spoor_error error = {0};
    const struct spoor_batch *batch;
    if (operand_count(settings) != 1) {
        complain("convert: a folder of tables is of one trace, found %zu", operand_count(settings));
        return EXIT_USAGE;
    }
    if (!input_open(&input, operand(settings, 0), settings)) return input.exit_code;
    const struct spoor_table_folder_options options = {
        .struct_size = sizeof options,
        .partitioned = partitioned,
        .level = (enum spoor_level)level,
        .threads = thread_count(settings),
        .description = spoor_reader_description(input.reader),
        .open = open_file,
        .close = close_file,
        .context = &own,
    };
    enum spoor_status status = spoor_table_folder_new(&folder, path, &options, &error);
    if (status != SPOOR_OK) return worse(fail(&error), input_close(&input));
    while (status == SPOOR_OK && input_next(&input, &batch))
        status = spoor_table_folder_feed(folder, batch, &error);
    if (status == SPOOR_OK && !input.broken) status = spoor_table_folder_end(folder, &error);
    spoor_table_folder_free(folder);
    return worse(status == SPOOR_OK ? EXIT_CLEAN : fail(&error), input_close(&input));
}
