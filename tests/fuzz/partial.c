/* SPDX-License-Identifier: MIT */
/*
 * partial.c: the fuzz target of partial results (docs/formats/partial.md).
 *
 * For any bytes, and for the same with a hash that fits, so that all of them are parsed: they are
 * refused with a sentence, or are a partial result; one that is the whole of a trace is refused
 * with a sentence, or joined.  The joined index is one that can be read.  The state of `check` is
 * believed, and left out.
 */
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "fuzz/fuzz.h"
#include "index/internal.h"
#include "index/part.h"
#include "sweep/partial.h"

enum { HASH_SIZE = 8 };

/* The index of the parts, read again from its bytes. */
static void join_index(const struct joined *joined)
{
    const struct fingerprint trace = {0};
    const struct spoor_format *format = spoor_format_find(joined->parts[0]->about.format);
    struct spoor_error error = {0};
    size_t number;
    struct index *made, *read = index_new();
    if (!read) abort();
    if (index_parts_join(joined->state, &made, format, &trace, &number, &error) != SPOOR_OK) {
        DEMAND(error.text[0], "no sentence for an index");
    } else {
        DEMAND(index_parse(read, made->content, made->size, false, &error), "%s", error.text);
        DEMAND(read->records == made->records && read->count == made->count, "another index");
        made->content = NULL; /* it is the other's */
        index_free(made);
    }
    index_free(read);
}

static void join(const struct spoor_partial *partial)
{
    struct spoor_join *join;
    struct spoor_error error = {0};
    struct joined joined;
    if (spoor_join_new(&join, NULL, &error) != SPOOR_OK ||
        spoor_join_feed(join, partial, &error) != SPOOR_OK)
        abort();
    if (spoor_join_end(join, &error) != SPOOR_OK) {
        DEMAND(error.text[0], "no sentence for a join");
    } else if (join_state(join, &joined) && joined.fold == &partial_index) {
        join_index(&joined);
    } else {
        struct spoor_result *result = spoor_result_new_object();
        (void)spoor_join_report(join, result);
        spoor_result_free(result);
    }
    spoor_join_free(join);
}

static void read_partial(const void *bytes, size_t size)
{
    struct spoor_partial *partial = NULL;
    struct spoor_error error = {0};
    const enum spoor_status status = spoor_partial_read(&partial, bytes, size, "part", &error);
    DEMAND(status == SPOOR_OK || error.text[0], "no sentence");
    DEMAND((status == SPOOR_OK) == (partial != NULL), "a partial result that was refused");
    if (partial && strcmp(spoor_partial_tool(partial), "check") != 0) join(partial);
    spoor_partial_free(partial);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct text file = {0};
    text_put(&file, bytes, size);
    const uint64_t hash = hash_of_bytes(bytes, size);
    read_partial(size ? file.bytes : "", size);
    for (unsigned i = 0; i < HASH_SIZE; i++) text_put(&file, &(char){(char)(hash >> 8 * i)}, 1);
    if (file.failed) abort();
    read_partial(file.bytes, file.size);
    text_free(&file);
    return 0;
}
