/* SPDX-License-Identifier: MIT */
/* write_tables.c: TRACE FOLDER THREADS [partitioned]: writes tables through the public interface.
 */
#include <stdio.h>
#include <stdlib.h>

#include "spoor/reader.h"
#include "spoor/table_folder.h"

int main(int count, char **words)
{
    struct spoor_error error = {0};
    struct spoor_reader *reader;
    struct spoor_table_folder *folder;
    const struct spoor_batch *batch;
    if (count < 4) return EXIT_FAILURE;
    const struct spoor_table_folder_options options = {.struct_size = sizeof options,
                                                       .partitioned = count > 4,
                                                       .threads = (unsigned)atoi(words[3])};
    enum spoor_status status = spoor_reader_open(&reader, words[1], NULL, &error);
    if (status == SPOOR_OK) {
        status = spoor_table_folder_new(&folder, words[2], &options, &error);
        if (status == SPOOR_OK) {
            while (status == SPOOR_OK &&
                   (status = spoor_reader_next(reader, &batch, &error)) == SPOOR_OK)
                status = spoor_table_folder_feed(folder, batch, &error);
            if (status == SPOOR_END) status = spoor_table_folder_end(folder, &error);
            spoor_table_folder_free(folder);
        }
        spoor_reader_close(reader);
    }
    if (status != SPOOR_OK) fprintf(stderr, "%s\n", error.text);
    return status == SPOOR_OK ? EXIT_SUCCESS : -(int)status;
}
