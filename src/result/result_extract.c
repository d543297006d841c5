/* SPDX-License-Identifier: MIT */
/*
 * result_extract.c: one table of a result as rows of their own.
 *
 * A row keeps its scalars and lists.  The members of an object in it become columns
 * "object.member". Arrays of objects in it are tables of their own.  The first columns state which
 * objects contain the row: the first text of each, such as the name of a trace or of a cache.
 */
#include <string.h>

#include "result/result_table.h"

enum { MAX_AROUND = 4 };

struct extract {
    const char *name; /* of the table */
    struct spoor_result *rows;
    struct {
        const char *prefix; /* NULL: none */
        const struct spoor_result *value;
    } around[MAX_AROUND];
    size_t depth;
    bool found;
};

bool result_is_table(const struct spoor_result *node)
{
    return node->type == NODE_ARRAY && node->first && node->first->type == NODE_OBJECT;
}

/* ---- rows ---- */

/* A copy under the key "prefix.key". */
static void extract_put_copy(struct spoor_result *row, const char *prefix, const char *key,
                             const struct spoor_result *value)
{
    struct text name = {0};
    if (prefix) text_printf(&name, "%s.", prefix);
    text_puts(&name, key);
    text_put(&name, "", 1);
    if (name.failed)
        spoor_result_fail(row);
    else
        spoor_result_copy(row, name.bytes, value);
    text_free(&name);
}

static void extract_put_members(struct spoor_result *row, const char *prefix,
                                const struct spoor_result *object)
{
    for (const struct spoor_result *member = object->first; member; member = member->next) {
        if (result_is_scalar(member) || result_is_list(member))
            extract_put_copy(row, prefix, member->key, member);
        else if (member->type == NODE_OBJECT && !prefix)
            extract_put_members(row, member->key, member);
    }
}

static void extract_put_row(struct extract *extract, const struct spoor_result *object)
{
    struct spoor_result *row = spoor_result_object(extract->rows, NULL);
    for (size_t i = 0; i < extract->depth; i++)
        extract_put_copy(row, extract->around[i].prefix, extract->around[i].value->key,
                         extract->around[i].value);
    extract_put_members(row, NULL, object);
}

/* ---- finding ---- */

static void extract_find(struct extract *extract, const struct spoor_result *node)
{
    if (result_is_scalar(node)) return;
    if (node->type == NODE_ARRAY && node->key && strcmp(node->key, extract->name) == 0) {
        extract->found = true;
        extract->rows->columns = node->columns;
        extract->rows->around = extract->depth ? extract->around[0].value->key : NULL;
        for (const struct spoor_result *row = node->first; row; row = row->next)
            if (row->type == NODE_OBJECT) extract_put_row(extract, row);
        return;
    }
    if (node->type == NODE_ARRAY) {
        for (const struct spoor_result *row = node->first; row; row = row->next) {
            const struct spoor_result *text = row->type == NODE_OBJECT ? row->first : NULL;
            while (text && text->type != NODE_STRING) text = text->next;
            const bool names = text && extract->depth < MAX_AROUND;
            if (names) {
                extract->around[extract->depth].prefix = node->key;
                extract->around[extract->depth++].value = text;
            }
            extract_find(extract, row);
            extract->depth -= names;
        }
        return;
    }
    for (const struct spoor_result *member = node->first; member; member = member->next)
        extract_find(extract, member);
}

struct spoor_result *spoor_result_table(const struct spoor_result *root, const char *name)
{
    struct extract extract = {.name = name};
    if (!root || !(extract.rows = spoor_result_new_array())) return NULL;
    if (name) {
        extract_find(&extract, root);
    } else if (root->type == NODE_ARRAY) {
        extract.found = true;
        for (const struct spoor_result *row = root->first; row; row = row->next)
            if (row->type == NODE_OBJECT) extract_put_row(&extract, row);
    }
    if (extract.found) return extract.rows;
    spoor_result_free(extract.rows);
    return NULL;
}

size_t spoor_result_tables(const struct spoor_result *root, const char *names[], size_t capacity)
{
    size_t count = 0;
    if (!root || result_is_scalar(root)) return 0;
    for (const struct spoor_result *member = root->first; member; member = member->next) {
        const char *inner[MAX_TABLES];
        bool known = false;
        if (member->key && result_is_table(member)) inner[0] = member->key;
        size_t found = member->key && result_is_table(member) ? 1 : 0;
        found += spoor_result_tables(member, inner + found, MAX_TABLES - found);
        for (size_t i = 0; i < found; i++) {
            for (size_t j = known = false; j < count; j++) known |= strcmp(names[j], inner[i]) == 0;
            if (!known && count < capacity) names[count++] = inner[i];
        }
    }
    return count;
}

size_t spoor_result_columns(const struct spoor_result *table, const char *keys[], size_t capacity)
{
    struct table found;
    if (!table || !table_of(table, &found)) return 0;
    const size_t count = found.count < capacity ? found.count : capacity;
    memcpy(keys, found.keys, count * sizeof *keys);
    return count;
}
