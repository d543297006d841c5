/* SPDX-License-Identifier: MIT */
/* names_pack.c: packs the tables of names of a stream, and fills those of another one. */
#include "model/names_pack.h"

static void pack_table(const struct spoor_names *names, struct text *bytes)
{
    const size_t count = spoor_names_count(names);
    text_varint(bytes, count - 1);
    for (size_t id = 1; id < count; id++) {
        size_t size;
        const char *text = spoor_names_text(names, (spoor_name)id, &size);
        text_sized(bytes, text, size);
    }
}

void names_pack(const struct spoor_stream *stream, struct text *bytes)
{
    pack_table(stream->names, bytes);
    pack_table(stream->spellings, bytes);
}

static void unpack_table(struct unpacker *from, struct spoor_names *names)
{
    const size_t count = unpack_count(from);
    for (size_t id = 1; id <= count && !from->failed; id++) {
        size_t size;
        const char *text = unpack_sized(from, &size);
        if (text && spoor_names_intern(names, text, size) != id) from->failed = true;
    }
}

bool names_unpack(struct unpacker *from, const struct spoor_stream *stream)
{
    unpack_table(from, stream->names);
    unpack_table(from, stream->spellings);
    return !from->failed;
}
