/* SPDX-License-Identifier: MIT */
/* parts TRACE: the mix of a trace of micro-ops that is read in two parts, as two machines would do;
 * each part becomes bytes, and one result is made of both. */
#include <inttypes.h>
#include <spoor/spoor.h>
#include <stdio.h>

/* Counts the batches that begin in the part, and saves the state of the mix. */
static enum spoor_status count_part(const char *path, const struct spoor_partial_options *part,
                                    struct spoor_partial *partial, struct spoor_error *error)
{
    struct spoor_reader *reader = NULL;
    struct spoor_mix *mix = NULL;
    const struct spoor_batch *batch;
    enum spoor_status status = spoor_reader_open(&reader, path, NULL, error);
    if (status == SPOOR_OK) status = spoor_mix_new(&mix, NULL, error);
    while (status == SPOOR_OK && (status = spoor_reader_next(reader, &batch, error)) == SPOOR_OK)
        if (batch->first >= part->first &&
            (part->records == 0 || batch->first - part->first < part->records))
            status = spoor_mix_feed(mix, batch, error);
    if (status == SPOOR_END) status = spoor_mix_end(mix, error);
    if (status == SPOOR_OK) status = spoor_mix_save(mix, partial, error);
    spoor_mix_free(mix);
    spoor_reader_close(reader);
    return status;
}

/* Makes the partial result of a part as another machine would receive it: from bytes. */
static enum spoor_status make_part(struct spoor_partial **received, const char *path,
                                   const struct spoor_partial_options *part,
                                   struct spoor_error *error)
{
    struct spoor_partial *partial;
    enum spoor_status status = spoor_partial_new(&partial, part, error);
    if (status != SPOOR_OK) return status;
    status = count_part(path, part, partial, error);
    if (status == SPOOR_OK) {
        size_t size;
        const uint8_t *bytes = spoor_partial_bytes(partial, &size);
        status = spoor_partial_read(received, bytes, size, "a part", error);
    }
    spoor_partial_free(partial);
    return status;
}

/* Joins partial results, in any order, and prints what they count together. */
static enum spoor_status join_parts(struct spoor_partial *const partials[], size_t count,
                                    struct spoor_error *error)
{
    struct spoor_join *join;
    struct spoor_result *result = spoor_result_new_object();
    enum spoor_status status = spoor_join_new(&join, NULL, error);
    if (status != SPOOR_OK) return status;
    for (size_t i = 0; i < count && status == SPOOR_OK; i++)
        status = spoor_join_feed(join, partials[i], error);
    if (status == SPOOR_OK) status = spoor_join_end(join, error);
    if (status == SPOOR_OK) status = spoor_join_report(join, result);
    if (status == SPOOR_OK)
        printf("micro-ops %" PRIu64 "\nmacro-ops %" PRIu64 "\n",
               spoor_result_whole(spoor_result_member(result, "micro_ops")),
               spoor_result_whole(spoor_result_member(result, "macro_ops")));
    spoor_result_free(result);
    spoor_join_free(join);
    return status;
}

/* The record where the second batch begins: parts are divided there. */
static enum spoor_status find_second(const char *path, const char **format, uint64_t *second,
                                     struct spoor_error *error)
{
    struct spoor_reader *reader;
    const struct spoor_batch *batch;
    uint64_t batches = 0;
    enum spoor_status status = spoor_reader_open(&reader, path, NULL, error);
    if (status != SPOOR_OK) return status;
    *format = spoor_format_name(spoor_reader_stream(reader)->format);
    while ((status = spoor_reader_next(reader, &batch, error)) == SPOOR_OK)
        if (batches++ == 1) *second = batch->first;
    spoor_reader_close(reader);
    return status == SPOOR_END ? SPOOR_OK : status;
}

int main(int count, char **words)
{
    struct spoor_error error = {0};
    struct spoor_partial *partials[2] = {NULL, NULL};
    struct spoor_partial_options part = {.struct_size = sizeof part};
    uint64_t second = 0;
    if (count != 2) {
        fprintf(stderr, "usage: parts TRACE\n");
        return 2;
    }
    part.trace = words[1];
    enum spoor_status status = find_second(words[1], &part.format, &second, &error);
    part.records = second;
    if (status == SPOOR_OK) status = make_part(&partials[1], words[1], &part, &error);
    part.first = second;
    part.records = 0;
    if (status == SPOOR_OK) status = make_part(&partials[0], words[1], &part, &error);
    if (status == SPOOR_OK) status = join_parts(partials, 2, &error);
    spoor_partial_free(partials[0]);
    spoor_partial_free(partials[1]);
    if (status == SPOOR_OK) return 0;
    fprintf(stderr, "%s\n", error.text);
    return 3;
}
