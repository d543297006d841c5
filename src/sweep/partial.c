/* SPDX-License-Identifier: MIT */
/* partial.c: a partial result and its bytes. */
#include "sweep/partial.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "model/options.h"

static const char magic[8] = "spoorprt";
static const char any_format[] = "any";
enum { LAYOUT = 1, HASH_SIZE = 8 };

/* ---- making ---- */

static enum spoor_status refuse(const struct spoor_partial *before, const char *why,
                                struct spoor_error *error)
{
    return spoor_error_set(error, SPOOR_EUSAGE, "%s %s", before->name, why);
}

/* Verifies that a part can go on from the state of another one, and has its records, too. */
static enum spoor_status follow(struct spoor_partial *partial, const struct spoor_partial *before,
                                struct spoor_error *error)
{
    if (strcmp(before->about.options, partial->about.options) != 0)
        return refuse(before, "was made with other options", error);
    if (before->identity.size != partial->identity.size ||
        before->identity.samples != partial->identity.samples)
        return refuse(before, "is of another trace", error);
    if (before->about.first) return refuse(before, "does not begin with the first record", error);
    if (before->last == UINT64_MAX) return refuse(before, "has all records of the trace", error);
    if (before->last + 1 != partial->about.first)
        return refuse(before, "does not end where this part begins", error);
    partial->about.first = 0;
    return SPOOR_OK;
}

/* Keeps a string of the options until the partial result has its state. */
static bool copy_string(char **copy, const char **string, const char *otherwise)
{
    *copy = strdup(*string ? *string : otherwise);
    *string = *copy;
    return *copy != NULL;
}

static void set_records(struct spoor_partial *partial)
{
    partial->about.records =
        partial->last == UINT64_MAX ? 0 : partial->last - partial->about.first + 1;
}

static enum spoor_status describe(struct spoor_partial *partial,
                                  const struct spoor_partial_options *options,
                                  struct spoor_error *error)
{
    struct spoor_partial_options *about = &partial->about;
    char name[64];
    snprintf(name, sizeof name, "the part from record %" PRIu64 " on", options->first);
    *about = *options;
    about->head = NULL;
    about->after = NULL;
    partial->last = options->records ? options->first + options->records - 1 : UINT64_MAX;
    partial->name = strdup(name);
    text_varint(&partial->head, 0);
    if (options->head) {
        partial->head.size = 0;
        result_pack(&partial->head, options->head);
    }
    if (!partial->name || partial->head.failed ||
        !copy_string(&partial->copies[0], &about->trace, "") ||
        !copy_string(&partial->copies[1], &about->format, any_format) ||
        !copy_string(&partial->copies[2], &about->options, ""))
        return memory_status(false, error);
    return SPOOR_OK;
}

enum spoor_status spoor_partial_new(struct spoor_partial **partial,
                                    const struct spoor_partial_options *options,
                                    struct spoor_error *error)
{
    struct spoor_partial_options own;
    enum spoor_status status = options_read(&own, sizeof own, options, error);
    if (status != SPOOR_OK) return status;
    if (own.records && own.first > UINT64_MAX - own.records)
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "found %" PRIu64 " records from record %" PRIu64
                               " on, expected fewer than 2^64 in all",
                               own.records, own.first);
    struct spoor_partial *made = calloc(1, sizeof *made);
    if (!made) return memory_status(false, error);
    status = describe(made, &own, error);
    if (status == SPOOR_OK && own.trace) status = fingerprint_of(&made->identity, own.trace, error);
    if (status == SPOOR_OK && own.after) status = follow(made, own.after, error);
    if (status == SPOOR_OK) {
        set_records(made);
        *partial = made;
    } else {
        spoor_partial_free(made);
    }
    return status;
}

static void free_copies(struct spoor_partial *partial)
{
    for (size_t i = 0; i < sizeof partial->copies / sizeof *partial->copies; i++) {
        free(partial->copies[i]);
        partial->copies[i] = NULL;
    }
    text_free(&partial->head);
}

void spoor_partial_free(struct spoor_partial *partial)
{
    if (!partial) return;
    free_copies(partial);
    free(partial->name);
    free(partial->bytes);
    free(partial);
}

/* ---- reading ---- */

static bool has_hash(const struct spoor_partial *partial)
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

/* Reads what the bytes state of the part; false: they have a layout of another version. */
static bool read_about(struct spoor_partial *partial)
{
    struct unpacker from = {(const uint8_t *)partial->bytes + sizeof magic,
                            (const uint8_t *)partial->bytes + partial->size - HASH_SIZE, false};
    struct spoor_partial_options *about = &partial->about;
    if (unpack(&from) != LAYOUT) return false;
    about->struct_size = sizeof *about;
    partial->tool = get_string(&from);
    partial->version = unpack(&from);
    about->trace = get_string(&from);
    about->format = get_string(&from);
    about->options = get_string(&from);
    partial->identity.size = unpack(&from);
    partial->identity.samples = unpack(&from);
    about->first = unpack(&from);
    partial->last = unpack(&from);
    const size_t size = unpack_count(&from);
    partial->content = from;
    set_records(partial);
    return !from.failed && from.at + size == from.end && about->first <= partial->last;
}

static enum spoor_status verify(struct spoor_partial *partial, struct spoor_error *error)
{
    if (partial->size < sizeof magic + HASH_SIZE ||
        memcmp(partial->bytes, magic, sizeof magic) != 0)
        return spoor_error_set(error, SPOOR_EINPUT,
                               "%s: found no partial result, expected a file that "
                               "--partial-result wrote",
                               partial->name);
    if (!has_hash(partial))
        return spoor_error_set(error, SPOOR_EINPUT,
                               "%s: the checksum is wrong: the file is damaged or truncated",
                               partial->name);
    if (!read_about(partial))
        return spoor_error_set(error, SPOOR_EINPUT,
                               "%s: found a layout that this version of spoor does not read",
                               partial->name);
    return SPOOR_OK;
}

/* Takes the bytes, and makes them a partial result. */
static enum spoor_status read_bytes(struct spoor_partial **partial, struct text *bytes,
                                    const char *name, struct spoor_error *error)
{
    struct spoor_partial *read = bytes->failed ? NULL : calloc(1, sizeof *read);
    enum spoor_status status = SPOOR_OK;
    if (read) read->name = strdup(name);
    if (!read || !read->name) {
        text_free(bytes);
        status = spoor_error_set(error, SPOOR_ENOMEM, "%s: memory ran out", name);
    } else {
        read->bytes = bytes->bytes;
        read->size = bytes->size;
        status = verify(read, error);
    }
    if (status == SPOOR_OK)
        *partial = read;
    else
        spoor_partial_free(read);
    return status;
}

enum spoor_status spoor_partial_read(struct spoor_partial **partial, const void *bytes, size_t size,
                                     const char *name, struct spoor_error *error)
{
    struct text copy = {0};
    text_put(&copy, bytes, size);
    return read_bytes(partial, &copy, name, error);
}

enum spoor_status spoor_partial_open(struct spoor_partial **partial, const char *path,
                                     struct spoor_error *error)
{
    struct text text = {0};
    FILE *file = fopen(path, "rbe");
    if (!file) return spoor_error_system(error, SPOOR_EINPUT, "%s: cannot be opened", path);
    size_t got = 1;
    while (got > 0 && !text.failed) {
        char *at = text_reserve(&text, 1 << 16);
        got = at ? fread(at, 1, 1 << 16, file) : 0;
        if (at) text_commit(&text, at + got);
    }
    const bool bad = ferror(file);
    const int why = errno;
    fclose(file);
    if (!bad) return read_bytes(partial, &text, path, error);
    text_free(&text);
    errno = why;
    return spoor_error_system(error, SPOOR_EINPUT, "%s: cannot be read", path);
}

/* ---- the state ---- */

static void put_string(struct text *file, const char *string)
{
    text_sized(file, string, strlen(string) + 1);
}

static void pack_file(struct text *file, const struct spoor_partial *partial,
                      const struct partial_fold *fold, const struct text *state)
{
    const struct spoor_partial_options *about = &partial->about;
    uint8_t bytes[HASH_SIZE];
    text_put(file, magic, sizeof magic);
    text_varint(file, LAYOUT);
    put_string(file, fold->name);
    text_varint(file, fold->version);
    put_string(file, about->trace);
    put_string(file, about->format);
    put_string(file, about->options);
    text_varint(file, partial->identity.size);
    text_varint(file, partial->identity.samples);
    text_varint(file, about->first);
    text_varint(file, partial->last);
    text_varint(file, partial->head.size + state->size);
    text_append(file, &partial->head);
    text_append(file, state);
    file->failed |= state->failed;
    if (file->failed) return;
    const uint64_t hash = hash_of_bytes(file->bytes, file->size);
    for (unsigned i = 0; i < HASH_SIZE; i++) bytes[i] = (uint8_t)(hash >> 8 * i);
    text_put(file, bytes, HASH_SIZE);
}

enum spoor_status partial_save(struct spoor_partial *partial, const struct partial_fold *fold,
                               const struct text *state, struct spoor_error *error)
{
    struct text file = {0};
    if (partial->bytes)
        return spoor_error_set(error, SPOOR_EUSAGE, "%s has a state already", partial->name);
    if (!fold->several && !spoor_format_find(partial->about.format))
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "%s: found the format '%s', expected that of its records",
                               partial->name, partial->about.format);
    pack_file(&file, partial, fold, state);
    if (file.failed) {
        text_free(&file);
        return memory_status(false, error);
    }
    free_copies(partial);
    partial->bytes = file.bytes;
    partial->size = file.size;
    (void)read_about(partial); /* its strings lie in the bytes from now on */
    return SPOOR_OK;
}

enum spoor_status partial_damaged(const struct spoor_partial *partial, struct spoor_error *error)
{
    return spoor_error_set(error, SPOOR_EINPUT,
                           "%s: its content is damaged, or memory ran out while it was read",
                           partial->name);
}

/* ---- answers ---- */

const uint8_t *spoor_partial_bytes(const struct spoor_partial *partial, size_t *size)
{
    *size = partial->size;
    return (const uint8_t *)partial->bytes;
}

const char *spoor_partial_tool(const struct spoor_partial *partial)
{
    return partial->tool;
}

const struct spoor_partial_options *spoor_partial_about(const struct spoor_partial *partial)
{
    return &partial->about;
}

enum spoor_status spoor_partial_head(const struct spoor_partial *partial,
                                     struct spoor_result *result, struct spoor_error *error)
{
    struct unpacker from = partial->content;
    if (!partial->bytes || !result_unpack(&from, result)) return partial_damaged(partial, error);
    return memory_status(spoor_result_complete(result), error);
}
