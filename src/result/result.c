/* SPDX-License-Identifier: MIT */
/* result.c: building and freeing the result tree. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "result/result_node.h"

static struct spoor_result *result_new_root(enum node_type type)
{
    struct spoor_result *root = calloc(1, sizeof *root);
    if (!root) return NULL;
    root->type = type;
    root->root = root;
    return root;
}

struct spoor_result *spoor_result_new_object(void)
{
    return result_new_root(NODE_OBJECT);
}

struct spoor_result *spoor_result_new_array(void)
{
    return result_new_root(NODE_ARRAY);
}

void spoor_result_free(struct spoor_result *node)
{
    if (!node) return;
    for (struct spoor_result *member = result_is_scalar(node) ? NULL : node->first, *next; member;
         member = next) {
        next = member->next;
        spoor_result_free(member);
    }
    free(node);
}

void spoor_result_fail(struct spoor_result *in)
{
    if (in && !result_is_scalar(in)) in->root->failed = true;
}

bool spoor_result_complete(const struct spoor_result *root)
{
    return root && (result_is_scalar(root) || !root->root->failed);
}

/* A new last member with room for a string of its own, or NULL (then the root is marked). */
static struct spoor_result *result_add_sized(struct spoor_result *in, const char *key,
                                             enum node_type type, size_t string)
{
    const size_t size = key ? strlen(key) + 1 : 0;
    const size_t fixed = type <= NODE_ARRAY    ? sizeof *in
                         : type == NODE_STRING ? offsetof(struct spoor_result, root)
                                               : offsetof(struct spoor_result, size);
    struct spoor_result *node = in ? calloc(1, fixed + size + string) : NULL;
    if (!node) {
        spoor_result_fail(in);
        return NULL;
    }
    node->type = type;
    if (type <= NODE_ARRAY) node->root = in->root;
    if (key) node->key = memcpy((char *)node + fixed, key, size);
    if (type == NODE_STRING) node->string = (char *)node + fixed + size;
    *(in->first ? &in->last->next : &in->first) = node;
    in->last = node;
    in->size++;
    return node;
}

static struct spoor_result *result_add(struct spoor_result *in, const char *key,
                                       enum node_type type)
{
    return result_add_sized(in, key, type, 0);
}

struct spoor_result *spoor_result_object(struct spoor_result *in, const char *key)
{
    return result_add(in, key, NODE_OBJECT);
}

struct spoor_result *spoor_result_array(struct spoor_result *in, const char *key)
{
    return result_add(in, key, NODE_ARRAY);
}

void spoor_result_unsigned(struct spoor_result *in, const char *key, uint64_t value)
{
    struct spoor_result *node = result_add(in, key, NODE_UNSIGNED);
    if (node) node->number = value;
}

void spoor_result_signed(struct spoor_result *in, const char *key, int64_t value)
{
    struct spoor_result *node = result_add(in, key, NODE_SIGNED);
    if (node) node->signed_number = value;
}

void spoor_result_hex(struct spoor_result *in, const char *key, uint64_t value)
{
    struct spoor_result *node = result_add(in, key, NODE_HEX);
    if (node) node->number = value;
}

void spoor_result_size(struct spoor_result *in, const char *key, uint64_t bytes)
{
    struct spoor_result *node = result_add(in, key, NODE_SIZE);
    if (node) node->number = bytes;
}

void spoor_result_real(struct spoor_result *in, const char *key, double value, int decimals)
{
    struct spoor_result *node = result_add(in, key, isfinite(value) ? NODE_REAL : NODE_NULL);
    if (!node) return;
    node->real = value;
    node->decimals = decimals;
}

void spoor_result_bool(struct spoor_result *in, const char *key, bool value)
{
    struct spoor_result *node = result_add(in, key, NODE_BOOL);
    if (node) node->number = value;
}

void spoor_result_text(struct spoor_result *in, const char *key, const char *text)
{
    if (text)
        spoor_result_bytes(in, key, text, strlen(text));
    else
        spoor_result_null(in, key);
}

void spoor_result_bytes(struct spoor_result *in, const char *key, const char *bytes, size_t size)
{
    struct spoor_result *node = result_add_sized(in, key, NODE_STRING, size + 1);
    if (!node) return;
    if (size) memcpy(node->string, bytes, size);
    node->size = size;
}

void spoor_result_unsigned_if(struct spoor_result *in, const char *key, bool known, uint64_t value)
{
    if (known)
        spoor_result_unsigned(in, key, value);
    else
        spoor_result_null(in, key);
}

void spoor_result_hex_if(struct spoor_result *in, const char *key, bool known, uint64_t value)
{
    if (known)
        spoor_result_hex(in, key, value);
    else
        spoor_result_null(in, key);
}

void spoor_result_real_if(struct spoor_result *in, const char *key, bool known, double value,
                          int decimals)
{
    spoor_result_real(in, key, known ? value : NAN, decimals);
}

void spoor_result_null(struct spoor_result *in, const char *key)
{
    result_add(in, key, NODE_NULL);
}

void spoor_result_set_columns(struct spoor_result *array, const char *keys)
{
    if (array) array->columns = keys;
}

void result_hide_empty(struct spoor_result *value)
{
    if (value) value->hides_empty = true;
}

void spoor_result_hide_last(struct spoor_result *in)
{
    if (in && in->first) in->last->hidden = true;
}

/* ---- reading ---- */

enum spoor_result_type spoor_result_type_of(const struct spoor_result *value)
{
    static const enum spoor_result_type types[] = {
        [NODE_OBJECT] = SPOOR_RESULT_OBJECT,     [NODE_ARRAY] = SPOOR_RESULT_ARRAY,
        [NODE_UNSIGNED] = SPOOR_RESULT_UNSIGNED, [NODE_SIGNED] = SPOOR_RESULT_SIGNED,
        [NODE_HEX] = SPOOR_RESULT_HEX,           [NODE_SIZE] = SPOOR_RESULT_SIZE,
        [NODE_REAL] = SPOOR_RESULT_REAL,         [NODE_BOOL] = SPOOR_RESULT_BOOL,
        [NODE_STRING] = SPOOR_RESULT_STRING,     [NODE_NULL] = SPOOR_RESULT_NULL,
    };
    return value ? types[value->type] : SPOOR_RESULT_NULL;
}

const struct spoor_result *spoor_result_first(const struct spoor_result *value)
{
    return !value || result_is_scalar(value) ? NULL : value->first;
}

const struct spoor_result *spoor_result_next(const struct spoor_result *value)
{
    return value->next;
}

size_t spoor_result_count(const struct spoor_result *value)
{
    return !value || result_is_scalar(value) ? 0 : value->size;
}

const char *spoor_result_key(const struct spoor_result *value)
{
    return value->key;
}

const struct spoor_result *spoor_result_member(const struct spoor_result *value, const char *key)
{
    if (!value || value->type != NODE_OBJECT) return NULL;
    const struct spoor_result *member = value->first;
    while (member && strcmp(member->key, key) != 0) member = member->next;
    return member;
}

uint64_t spoor_result_whole(const struct spoor_result *value)
{
    switch (value ? value->type : NODE_NULL) {
    case NODE_UNSIGNED:
    case NODE_HEX:
    case NODE_SIZE:
    case NODE_BOOL: return value->number;
    default: return 0;
    }
}

double spoor_result_number(const struct spoor_result *value)
{
    if (value && value->type == NODE_REAL) return value->real;
    return value && value->type == NODE_SIGNED ? (double)value->signed_number
                                               : (double)spoor_result_whole(value);
}

int64_t spoor_result_integer(const struct spoor_result *value)
{
    return value && value->type == NODE_SIGNED ? value->signed_number : 0;
}

const char *spoor_result_string(const struct spoor_result *value, size_t *size)
{
    if (!value || value->type != NODE_STRING) return NULL;
    if (size) *size = value->size;
    return value->string;
}

void spoor_result_copy(struct spoor_result *in, const char *key, const struct spoor_result *node)
{
    if (node->type == NODE_STRING) {
        spoor_result_bytes(in, key, node->string, node->size);
        return;
    }
    struct spoor_result *copy = result_add(in, key, node->type);
    if (!copy) return;
    copy->decimals = node->decimals;
    if (result_is_scalar(node)) copy->number = node->number; /* or ->real, ->signed_number */
    for (const struct spoor_result *member = node->first; member; member = member->next)
        spoor_result_copy(copy, member->key, member);
}

void result_put_exact(struct text *out, const struct spoor_result *node)
{
    char number[24];
    switch (node->type) {
    case NODE_UNSIGNED:
    case NODE_SIZE:
        text_put(out, number, (size_t)(put_decimal(number, node->number) - number));
        break;
    case NODE_SIGNED:
        text_put(out, number, (size_t)(put_signed(number, node->signed_number) - number));
        break;
    case NODE_HEX:
        text_puts(out, "0x");
        text_put(out, number, (size_t)(put_hex(number, node->number, 1) - number));
        break;
    case NODE_REAL: text_put_exact(out, node->real); break;
    case NODE_STRING: text_put(out, node->string, node->size); break;
    default: break;
    }
}

size_t result_share_size(const char *key)
{
    enum { END = sizeof "_ratio" - 1 };
    const size_t size = strlen(key);
    return size > END && strcmp(key + size - END, "_ratio") == 0 ? size - END : 0;
}

void result_put_plain(struct text *out, const struct spoor_result *node)
{
    switch (node->type) {
    case NODE_SIZE: text_put_size(out, node->number); break;
    case NODE_REAL: {
        const bool is_share = node->key && result_share_size(node->key);
        text_put_significant(out, is_share ? 100 * node->real : node->real,
                             is_share ? 2 : node->decimals);
        if (is_share) text_puts(out, "%");
        break;
    }
    default: result_put_exact(out, node);
    }
}

char *spoor_result_to_plain(const struct spoor_result *value)
{
    struct text out = {0};
    result_put_plain(&out, value);
    return text_hand_out(&out, NULL);
}
