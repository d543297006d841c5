/* SPDX-License-Identifier: MIT */
/*
 * thrift.h: writes the structures of Parquet's metadata.
 *
 * They are encoded in Apache Thrift's compact protocol: a field is a byte with its type and the
 * distance of its number from the last one's, followed by its value; integers are zigzag varints.
 * ("Thrift Compact protocol encoding", doc/specs/thrift-compact-protocol.md of Apache Thrift.)
 */
#ifndef SPOOR_COLUMNS_THRIFT_H
#define SPOOR_COLUMNS_THRIFT_H

#include "base/varint.h"

enum thrift_type {
    THRIFT_TRUE = 1,
    THRIFT_FALSE = 2,
    THRIFT_BYTE = 3,
    THRIFT_I16 = 4,
    THRIFT_I32 = 5,
    THRIFT_I64 = 6,
    THRIFT_BINARY = 8,
    THRIFT_LIST = 9,
    THRIFT_STRUCT = 12
};

/* Structures in structures: at most 8 deep.  Zero, but for `out`, at the start of the outermost. */
struct thrift {
    struct text *out;
    int last[8]; /* number of the last field, by depth */
    int depth;
};

static inline void thrift_field(struct thrift *thrift, int field, enum thrift_type type)
{
    const int more = field - thrift->last[thrift->depth];
    thrift->last[thrift->depth] = field;
    const char head = (char)((more > 0 && more < 16 ? more << 4 : 0) | (int)type);
    text_put(thrift->out, &head, 1);
    if (more <= 0 || more >= 16) text_signed_varint(thrift->out, field);
}
static inline void thrift_integer(struct thrift *thrift, int field, enum thrift_type type,
                                  int64_t value)
{
    thrift_field(thrift, field, type);
    text_signed_varint(thrift->out, value);
}
static inline void thrift_bool(struct thrift *thrift, int field, bool value)
{
    thrift_field(thrift, field, value ? THRIFT_TRUE : THRIFT_FALSE);
}
/* An item of a list of binaries. */
static inline void thrift_put_binary(struct thrift *thrift, const char *bytes, size_t size)
{
    text_varint(thrift->out, size);
    text_put(thrift->out, bytes, size);
}
static inline void thrift_binary(struct thrift *thrift, int field, const char *bytes, size_t size)
{
    thrift_field(thrift, field, THRIFT_BINARY);
    thrift_put_binary(thrift, bytes, size);
}
static inline void thrift_string(struct thrift *thrift, int field, const char *string)
{
    thrift_binary(thrift, field, string, strlen(string));
}
/* The items follow: integers by text_signed_varint(), structures between begin and end. */
static inline void thrift_list(struct thrift *thrift, int field, enum thrift_type type,
                               size_t count)
{
    const char head = (char)((count < 15 ? (int)count << 4 : 0xF0) | (int)type);
    thrift_field(thrift, field, THRIFT_LIST);
    text_put(thrift->out, &head, 1);
    if (count >= 15) text_varint(thrift->out, count);
}
/* A structure that is an item of a list. */
static inline void thrift_begin(struct thrift *thrift)
{
    thrift->last[++thrift->depth] = 0;
}
/* A structure that is a field. */
static inline void thrift_struct(struct thrift *thrift, int field)
{
    thrift_field(thrift, field, THRIFT_STRUCT);
    thrift_begin(thrift);
}
/* Ends a structure; the outermost, too. */
static inline void thrift_end(struct thrift *thrift)
{
    text_put(thrift->out, "", 1);
    if (thrift->depth > 0) thrift->depth--;
}

#endif
