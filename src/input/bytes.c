/* SPDX-License-Identifier: MIT */
/* bytes.c: from a file's bytes to decompressed ones, member after member. */
#include "input/bytes.h"

static enum spoor_status out_of_memory(const struct bytes *bytes, struct spoor_error *error)
{
    return spoor_error_set(error, SPOOR_ENOMEM, "%s: memory ran out while decompressing",
                           bytes->source.path);
}

static enum spoor_status start(struct bytes *bytes, struct spoor_error *error)
{
    enum spoor_status status = source_look(&bytes->source, COMPRESSION_LOOK, error);
    if (status != SPOOR_OK) return status;
    const struct compression *compression =
        compression_recognise(bytes->source.bytes + bytes->source.at, source_left(&bytes->source));
    bytes->compression = compression;
    if (!compression) return SPOOR_OK;
    if (!compression->inflater)
        return spoor_error_set(error, SPOOR_EINPUT,
                               "%s: is compressed with %s, which this spoor was built without: "
                               "install %s and build again, or decompress it first",
                               bytes->source.path, compression->name, compression->package);
    bytes->inflater = compression->inflater->open();
    bytes->inside = true;
    return bytes->inflater ? SPOOR_OK : out_of_memory(bytes, error);
}

enum spoor_status bytes_open(struct bytes *bytes, const char *path, struct spoor_error *error)
{
    *bytes = (struct bytes){0};
    enum spoor_status status = source_open(&bytes->source, path, error);
    if (status != SPOOR_OK) return status;
    status = start(bytes, error);
    if (status != SPOOR_OK) bytes_close(bytes);
    return status;
}

void bytes_close(struct bytes *bytes)
{
    if (bytes->inflater) bytes->compression->inflater->close(bytes->inflater);
    bytes->inflater = NULL;
    source_close(&bytes->source);
}

/* Step over zero bytes behind a member. */
static enum spoor_status skip_padding(struct source *source, struct spoor_error *error)
{
    for (;;) {
        enum spoor_status status = source_fill(source, error);
        if (status != SPOOR_OK) return status;
        if (source_left(source) == 0) return SPOOR_OK;
        while (source_left(source) && source->bytes[source->at] == 0) source->at++;
        if (source_left(source)) return SPOOR_OK;
    }
}

/* Between members: at the next one, at the end (SPOOR_END), or at something that is neither. */
static enum spoor_status next_member(struct bytes *bytes, struct spoor_error *error)
{
    struct source *source = &bytes->source;
    const struct compression *compression = bytes->compression;
    enum spoor_status status = compression->padding ? skip_padding(source, error) : SPOOR_OK;
    if (status == SPOOR_OK) status = source_look(source, COMPRESSION_LOOK, error);
    if (status != SPOOR_OK) return status;
    if (source_left(source) == 0) return SPOOR_END;
    if (!compression->recognise(source->bytes + source->at, source_left(source)))
        return spoor_error_set(error, SPOOR_EINPUT,
                               "%s: compressed offset %llu: found bytes that are no %s %s behind "
                               "the last one, expected another one or the end of the file",
                               source->path, (unsigned long long)source_offset(source),
                               compression->name, compression->piece);
    if (!compression->inflater->again(bytes->inflater)) return out_of_memory(bytes, error);
    bytes->inside = true;
    return SPOOR_OK;
}

static enum spoor_status truncated(const struct bytes *bytes, struct spoor_error *error)
{
    const struct compression *compression = bytes->compression;
    return spoor_error_set(error, SPOOR_EINPUT,
                           "%s: compressed offset %llu: found the end of the file in the middle of "
                           "a %s %s, expected the rest of it (the file is cut short)",
                           bytes->source.path, (unsigned long long)source_offset(&bytes->source),
                           compression->name, compression->piece);
}

/* One step inside a member.  Where it makes no progress, more of the file is needed. */
static enum spoor_status inflate_some(struct bytes *bytes, uint8_t *to, size_t room, size_t *size,
                                      struct spoor_error *error)
{
    struct source *source = &bytes->source;
    struct flow flow = {.in = source->bytes + source->at, .in_left = source_left(source)};
    flow.out = to;
    flow.out_left = room;
    const char *what = "damaged";
    enum inflate_result result =
        bytes->compression->inflater->inflate(bytes->inflater, &flow, &what);
    bool stuck = flow.in_left == source_left(source) && flow.out_left == room;
    source->at = source->end - flow.in_left;
    *size = room - flow.out_left;
    switch (result) {
    case INFLATE_MORE: break;
    case INFLATE_END: bytes->inside = false; return SPOOR_OK;
    case INFLATE_MEMORY: return out_of_memory(bytes, error);
    case INFLATE_DAMAGE:
        return spoor_error_set(
            error, SPOOR_EINPUT, "%s: compressed offset %llu: damaged %s data: %s", source->path,
            (unsigned long long)source_offset(source), bytes->compression->name, what);
    }
    if (!stuck) return SPOOR_OK;
    enum spoor_status status = source_look(source, source_left(source) + 1, error);
    if (status == SPOOR_OK && source->ended && flow.in_left == source_left(source))
        status = truncated(bytes, error);
    return status;
}

static enum spoor_status read_some(struct bytes *bytes, uint8_t *to, size_t room, size_t *size,
                                   struct spoor_error *error)
{
    *size = 0;
    if (!bytes->compression) {
        enum spoor_status status = source_take(&bytes->source, to, room, size, error);
        return status == SPOOR_OK && *size == 0 ? SPOOR_END : status;
    }
    if (!bytes->inside) {
        enum spoor_status status = next_member(bytes, error);
        if (status != SPOOR_OK) return status;
    }
    return inflate_some(bytes, to, room, size, error);
}

enum spoor_status bytes_read(struct bytes *bytes, void *to, size_t room, size_t *size,
                             struct spoor_error *error)
{
    enum spoor_status status = SPOOR_OK;
    for (*size = 0; *size < room && status == SPOOR_OK;) {
        size_t more;
        status = read_some(bytes, (uint8_t *)to + *size, room - *size, &more, error);
        *size += more;
    }
    return status;
}
