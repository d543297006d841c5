/* SPDX-License-Identifier: MIT */
/* partial.c: the file of a partial result, and which of them are the parts of one trace. */
#include "sweep/partial.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

static const char magic[8] = "spoorprt";
enum { LAYOUT = 1, HASH_SIZE = 8 };

/* ---- writing ---- */

static void put_string(struct text *file, const char *string)
{
    text_sized(file, string, strlen(string) + 1);
}

void partial_pack(struct text *file, const struct partial_head *head, const struct text *content)
{
    uint8_t bytes[HASH_SIZE];
    text_put(file, magic, sizeof magic);
    text_varint(file, LAYOUT);
    put_string(file, head->fold);
    text_varint(file, head->version);
    put_string(file, head->trace);
    put_string(file, head->format);
    put_string(file, head->options);
    text_varint(file, head->identity.size);
    text_varint(file, head->identity.samples);
    text_varint(file, head->first);
    text_varint(file, head->last);
    text_varint(file, content->size);
    text_append(file, content);
    if (file->failed) return;
    const uint64_t hash = hash_of_bytes(file->bytes, file->size);
    for (unsigned i = 0; i < HASH_SIZE; i++) bytes[i] = (uint8_t)(hash >> 8 * i);
    text_put(file, bytes, HASH_SIZE);
}

/* ---- reading ---- */

static enum spoor_status read_all(struct partial *partial, struct spoor_error *error)
{
    struct text text = {0};
    FILE *file = fopen(partial->path, "rbe");
    if (!file)
        return spoor_error_system(error, SPOOR_EINPUT, "%s: cannot be opened", partial->path);
    size_t got = 1;
    while (got > 0 && !text.failed) {
        char *at = text_reserve(&text, 1 << 16);
        got = at ? fread(at, 1, 1 << 16, file) : 0;
        if (at) text_commit(&text, at + got);
    }
    const bool bad = ferror(file);
    const int why = errno;
    fclose(file);
    partial->bytes = text.bytes;
    partial->size = text.size;
    errno = why;
    if (bad) return spoor_error_system(error, SPOOR_EINPUT, "%s: cannot be read", partial->path);
    if (text.failed)
        return spoor_error_set(error, SPOOR_ENOMEM, "%s: memory ran out", partial->path);
    return SPOOR_OK;
}

static bool has_hash(const struct partial *partial)
{
    const uint8_t *bytes = (const uint8_t *)partial->bytes + partial->size - HASH_SIZE;
    uint64_t hash = 0;
    for (unsigned i = 0; i < HASH_SIZE; i++) hash |= (uint64_t)bytes[i] << 8 * i;
    return hash == hash_of_bytes(partial->bytes, partial->size - HASH_SIZE);
}

static const char *get_string(struct unpacker *from)
{
    size_t size;
    const char *string = unpack_sized(from, &size);
    if (size && !string[size - 1] && strlen(string) + 1 == size) return string;
    from->failed = true;
    return "";
}

static bool read_head(struct partial *partial)
{
    struct unpacker from = {(const uint8_t *)partial->bytes + sizeof magic,
                            (const uint8_t *)partial->bytes + partial->size - HASH_SIZE, false};
    struct partial_head *head = &partial->head;
    if (unpack(&from) != LAYOUT) return false;
    head->fold = get_string(&from);
    head->version = unpack(&from);
    head->trace = get_string(&from);
    head->format = get_string(&from);
    head->options = get_string(&from);
    head->identity.size = unpack(&from);
    head->identity.samples = unpack(&from);
    head->first = unpack(&from);
    head->last = unpack(&from);
    const size_t size = unpack_count(&from);
    partial->content = from;
    return !from.failed && from.at + size == from.end && head->first <= head->last;
}

enum spoor_status partial_read(struct partial *partial, const char *path, struct spoor_error *error)
{
    *partial = (struct partial){.path = path};
    const enum spoor_status status = read_all(partial, error);
    if (status != SPOOR_OK) return status;
    if (partial->size < sizeof magic + HASH_SIZE ||
        memcmp(partial->bytes, magic, sizeof magic) != 0)
        return spoor_error_set(error, SPOOR_EINPUT,
                               "%s: found no partial result, expected a file that "
                               "--partial-result wrote",
                               path);
    if (!has_hash(partial))
        return spoor_error_set(error, SPOOR_EINPUT,
                               "%s: the checksum is wrong: the file is damaged or truncated", path);
    if (!read_head(partial))
        return spoor_error_set(error, SPOOR_EINPUT,
                               "%s: found a layout that this version of spoor does not read", path);
    return SPOOR_OK;
}

void partial_free(struct partial *partial)
{
    free(partial->bytes);
    *partial = (struct partial){.bytes = NULL};
}

/* ---- what fits ---- */

static int compare(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int by_records(const void *one, const void *other)
{
    const struct partial_head *a = &((const struct partial *)one)->head,
                              *b = &((const struct partial *)other)->head;
    int order = compare(a->first, b->first);
    return order ? order : compare(a->last, b->last);
}

static int by_trace(const void *one, const void *other)
{
    const struct partial_head *a = &((const struct partial *)one)->head,
                              *b = &((const struct partial *)other)->head;
    int order = compare(a->identity.samples, b->identity.samples);
    if (!order) order = compare(a->identity.size, b->identity.size);
    return order ? order : by_records(one, other);
}

static bool is_same_trace(const struct partial_head *a, const struct partial_head *b)
{
    return a->identity.size == b->identity.size && a->identity.samples == b->identity.samples;
}

/* The part of the sentence that says what differs; NULL: nothing does. */
static const char *difference(const struct partial_head *a, const struct partial_head *b,
                              bool several)
{
    if (strcmp(a->fold, b->fold) != 0) return "are results of different verbs";
    if (a->version != b->version) return "were made by versions of spoor whose states differ";
    if (strcmp(a->options, b->options) != 0) return "were made with different options";
    if (several) return NULL;
    if (strcmp(a->format, b->format) != 0) return "are of traces of different formats";
    return is_same_trace(a, b) ? NULL : "are of different traces";
}

static enum spoor_status check_begin(const struct partial *first, struct spoor_error *error)
{
    if (first->head.first == 0) return SPOOR_OK;
    return spoor_error_set(error, SPOOR_EUSAGE, "records 0 to %" PRIu64 " are missing before %s",
                           first->head.first - 1, first->path);
}

static enum spoor_status check_end(const struct partial *last, struct spoor_error *error)
{
    if (last->head.last == UINT64_MAX) return SPOOR_OK;
    return spoor_error_set(error, SPOOR_EUSAGE,
                           "the records after %" PRIu64 " are missing: %s is not the last part "
                           "of its trace",
                           last->head.last, last->path);
}

static enum spoor_status order_pair(const struct partial *a, const struct partial *b,
                                    struct spoor_error *error)
{
    if (!is_same_trace(&a->head, &b->head)) {
        const enum spoor_status status = check_end(a, error);
        return status == SPOOR_OK ? check_begin(b, error) : status;
    }
    if (a->head.last == UINT64_MAX || b->head.first <= a->head.last)
        return spoor_error_set(error, SPOOR_EUSAGE, "%s and %s overlap: both have record %" PRIu64,
                               a->path, b->path, b->head.first);
    if (b->head.first != a->head.last + 1)
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "records %" PRIu64 " to %" PRIu64 " are missing between %s and %s",
                               a->head.last + 1, b->head.first - 1, a->path, b->path);
    return SPOOR_OK;
}

enum spoor_status partials_order(struct partial *partials, size_t count, struct spoor_error *error)
{
    const struct partial_fold *fold = partial_fold_find(partials[0].head.fold);
    const bool several = fold && fold->several;
    enum spoor_status status = SPOOR_OK;
    qsort(partials, count, sizeof *partials, several ? by_trace : by_records);
    for (size_t i = 1; i < count && status == SPOOR_OK; i++) {
        const struct partial *a = &partials[i - 1], *b = &partials[i];
        const char *differs = difference(&a->head, &b->head, several);
        status = differs ? spoor_error_set(error, SPOOR_EUSAGE, "%s and %s %s", a->path, b->path,
                                           differs)
                         : order_pair(a, b, error);
    }
    if (status == SPOOR_OK) status = check_begin(&partials[0], error);
    return status == SPOOR_OK ? check_end(&partials[count - 1], error) : status;
}

/* ---- joining ---- */

static enum spoor_status damaged(const struct partial *partial, struct spoor_error *error)
{
    return spoor_error_set(error, SPOOR_EINPUT,
                           "%s: its content is damaged, or memory ran out while it was read",
                           partial->path);
}

/* Loads a part and adds it to *state, which is NULL before the first. */
static enum spoor_status join_part(const struct partial_fold *fold, const struct partial *partial,
                                   const struct spoor_stream *stream, void **state,
                                   struct spoor_result *result, struct spoor_error *error)
{
    struct unpacker from = partial->content;
    struct spoor_result *ignored = *state ? spoor_result_new_object() : NULL;
    const bool headed = result_unpack(&from, *state ? ignored : result);
    spoor_result_free(ignored);
    void *next = headed ? fold->load(&from, stream) : NULL;
    if (!next) return damaged(partial, error);
    if (!*state) {
        *state = next;
        return SPOOR_OK;
    }
    const enum spoor_status status = fold->merge(*state, next, error);
    fold->free(next);
    return status;
}

static enum spoor_status join_all(const struct partial *partials, size_t count,
                                  const struct partial_fold *fold,
                                  const struct spoor_stream *stream, struct spoor_result *result,
                                  struct spoor_error *error)
{
    void *state = NULL;
    enum spoor_status status = SPOOR_OK;
    for (size_t i = 0; i < count && status == SPOOR_OK; i++)
        status = join_part(fold, &partials[i], stream, &state, result, error);
    if (status == SPOOR_OK && fold->report(state, result) != SPOOR_OK)
        status = spoor_error_set(error, SPOOR_ENOMEM, "memory ran out");
    if (state) fold->free(state);
    return status;
}

enum spoor_status partials_join(const struct partial *partials, size_t count,
                                struct spoor_result *result, struct spoor_error *error)
{
    const struct partial_head *head = &partials[0].head;
    const struct partial_fold *fold = partial_fold_find(head->fold);
    const struct spoor_format *format = spoor_format_find(head->format);
    if (!fold || fold->version != head->version || (!format && !fold->several))
        return spoor_error_set(error, SPOOR_EINPUT,
                               "%s: found version %" PRIu64
                               " of the state of %s, of a trace in format %s, which this version "
                               "of spoor does not read",
                               partials[0].path, head->version, head->fold, head->format);
    struct spoor_stream stream = {
        .path = head->trace, .names = spoor_names_new(), .spellings = spoor_names_new()};
    if (format) spoor_stream_set_format(&stream, format);
    const enum spoor_status status = stream.names && stream.spellings
                                         ? join_all(partials, count, fold, &stream, result, error)
                                         : spoor_error_set(error, SPOOR_ENOMEM, "memory ran out");
    spoor_names_free(stream.names);
    spoor_names_free(stream.spellings);
    return status;
}
