/* SPDX-License-Identifier: MIT */
/* count TRACE...: prints how many records of each kind the traces have, in any format that spoor
 * reads. */
#include <inttypes.h>
#include <spoor/spoor.h>
#include <stdio.h>

static enum spoor_status count_trace(const char *path, uint64_t counts[SPOOR_KINDS],
                                     struct spoor_error *error)
{
    struct spoor_reader *reader;
    const struct spoor_batch *batch;
    const struct spoor_reader_options options = {.struct_size = sizeof options, .threads = 2};
    enum spoor_status status = spoor_reader_open(&reader, path, &options, error);
    if (status != SPOOR_OK) return status;
    while ((status = spoor_reader_next(reader, &batch, error)) == SPOOR_OK)
        for (size_t i = 0; i < batch->count; i++) counts[batch->records[i].kind]++;
    spoor_reader_close(reader);
    return status == SPOOR_END ? SPOOR_OK : status;
}

int main(int count, char **words)
{
    uint64_t counts[SPOOR_KINDS] = {0};
    struct spoor_error error = {0};
    for (int i = 1; i < count; i++)
        if (count_trace(words[i], counts, &error) != SPOOR_OK) {
            fprintf(stderr, "%s\n", error.text);
            return 3;
        }
    for (int kind = 0; kind < SPOOR_KINDS; kind++)
        if (counts[kind])
            printf("%-8s %" PRIu64 "\n", spoor_kind_name((enum spoor_kind)kind), counts[kind]);
    return 0;
}
