/* SPDX-License-Identifier: MIT */
/* result_pack.c: the members of a result as bytes. */
#include <string.h>

#include "result/result_node.h"
#include "sweep/partial.h"

enum { MAX_DEPTH = 16 };

static void pack_members(struct text *bytes, const struct spoor_result *node);

static void pack_node(struct text *bytes, const struct spoor_result *node)
{
    uint64_t word;
    text_varint(bytes, node->type);
    text_sized(bytes, node->key ? node->key : "", node->key ? strlen(node->key) + 1 : 0);
    switch (node->type) {
    case NODE_OBJECT:
    case NODE_ARRAY: pack_members(bytes, node); break;
    case NODE_STRING: text_sized(bytes, node->string, node->size); break;
    case NODE_SIGNED: text_signed_varint(bytes, node->signed_number); break;
    case NODE_REAL:
        memcpy(&word, &node->real, sizeof word);
        text_varint(bytes, word);
        text_varint(bytes, (uint64_t)node->decimals);
        break;
    case NODE_NULL: break;
    default: text_varint(bytes, node->number); break;
    }
}

static void pack_members(struct text *bytes, const struct spoor_result *node)
{
    uint64_t count = 0;
    for (const struct spoor_result *at = node->first; at; at = at->next) count++;
    text_varint(bytes, count);
    for (const struct spoor_result *at = node->first; at; at = at->next) pack_node(bytes, at);
}

void result_pack(struct text *bytes, const struct spoor_result *object)
{
    pack_members(bytes, object);
    bytes->failed |= !spoor_result_complete(object);
}

static void unpack_members(struct unpacker *from, struct spoor_result *in, unsigned depth);

static void unpack_real(struct unpacker *from, struct spoor_result *in, const char *key)
{
    const uint64_t word = unpack(from);
    double real;
    memcpy(&real, &word, sizeof real);
    spoor_result_real(in, key, real, (int)unpack_below(from, 32));
}

static void unpack_node(struct unpacker *from, struct spoor_result *in, unsigned depth)
{
    const size_t type = unpack_below(from, NODE_NULL + 1);
    size_t size, key_size;
    const char *key = unpack_sized(from, &key_size), *string;
    if (key_size && key[key_size - 1]) from->failed = true;
    if (!key_size) key = NULL;
    if (from->failed) return;
    switch ((enum node_type)type) {
    case NODE_OBJECT: unpack_members(from, spoor_result_object(in, key), depth + 1); break;
    case NODE_ARRAY: unpack_members(from, spoor_result_array(in, key), depth + 1); break;
    case NODE_UNSIGNED: spoor_result_unsigned(in, key, unpack(from)); break;
    case NODE_SIGNED: spoor_result_signed(in, key, unpack_signed(from)); break;
    case NODE_HEX: spoor_result_hex(in, key, unpack(from)); break;
    case NODE_SIZE: spoor_result_size(in, key, unpack(from)); break;
    case NODE_REAL: unpack_real(from, in, key); break;
    case NODE_BOOL: spoor_result_bool(in, key, unpack(from) != 0); break;
    case NODE_STRING:
        string = unpack_sized(from, &size);
        spoor_result_bytes(in, key, string ? string : "", size);
        break;
    case NODE_NULL: spoor_result_null(in, key); break;
    }
}

static void unpack_members(struct unpacker *from, struct spoor_result *in, unsigned depth)
{
    if (depth > MAX_DEPTH) from->failed = true;
    for (size_t count = unpack_count(from); count && !from->failed; count--)
        unpack_node(from, in, depth);
}

bool result_unpack(struct unpacker *from, struct spoor_result *object)
{
    unpack_members(from, object, 0);
    return !from->failed;
}
