/* SPDX-License-Identifier: MIT */
/*
 * combine.c: several results as one, by what keys.def says of each number.
 *
 * A weighted mean over parts i with weights w: a count c is sum(w c) / sum(w).  A ratio r = a / p
 * of counts is sum(w a) / sum(w p), and as a = r p, sum(w r p) / sum(w p): so only the denominator
 * must be known, and parts of a sum over one denominator, such as a CPI stack, still add up.
 */
#include "spoor/combine.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "model/options.h"
#include "result/combine.h"
#include "result/result_node.h"
#include "result/result_table.h"

enum { MAX_DEPTH = 12 };

static bool combine_is_number(const struct spoor_result *node)
{
    return node->type == NODE_UNSIGNED || node->type == NODE_SIGNED || node->type == NODE_REAL ||
           node->type == NODE_SIZE;
}

/* ---- members ---- */

static bool combine_is_same(const struct spoor_result *a, const struct spoor_result *b)
{
    if (combine_is_number(a))
        return combine_is_number(b) && spoor_result_number(a) == spoor_result_number(b);
    if (a->type != b->type) return false;
    if (a->type == NODE_BOOL) return a->number == b->number;
    return a->type != NODE_STRING ||
           (a->size == b->size && memcmp(a->string, b->string, a->size) == 0);
}

/* Objects of all parts that belong together, in the results that contain them. */
struct group {
    const struct group *outer; /* the objects that these are members of; NULL: none */
    const char *verb;
    char path[REPORT_PATH_SIZE];         /* the keys that lead to them, joined by dots */
    bool common;                         /* a row that a part lacks is unknown, and not 0 */
    const struct spoor_result **objects; /* NULL: the part has none */
    const struct spoor_combine_part *parts;
    size_t count;
    unsigned depth;
    bool sums; /* counts are added, not averaged */
};

/* The sum of the counts that `keys` names up to a '|', of one part. */
static double combine_sum_of(const struct group *group, size_t part, const char *keys)
{
    char key[64];
    double sum = 0;
    for (size_t size; *keys && *keys != '|'; keys += size + (keys[size] == ' ')) {
        size = strcspn(keys, " |");
        const bool root = *keys == '/';
        if (size >= sizeof key) continue;
        memcpy(key, keys + root, size - root);
        key[size - root] = '\0';
        const struct spoor_result *at =
            root ? spoor_result_member(group->parts[part].result, key) : NULL;
        const struct group *in = group;
        if (!root) at = spoor_result_member(in->objects[part], key);
        while (!root && !at && in->outer) {
            in = in->outer;
            at = spoor_result_member(in->objects[part], key);
        }
        if (at && combine_is_number(at)) sum += spoor_result_number(at);
    }
    return sum;
}

/* ---- numbers ---- */

/* The weighted mean of a number, by the units of `per`, or by the parts themselves; false: no part
 * has such units. */
static bool combine_mean_of(const struct group *group, const char *key, const char *per,
                            double *mean)
{
    double sum = 0, all = 0;
    for (size_t i = 0; i < group->count; i++) {
        const struct spoor_result *at = spoor_result_member(group->objects[i], key);
        const double weight = group->parts[i].weight * (*per ? combine_sum_of(group, i, per) : 1);
        sum += at && combine_is_number(at) ? weight * spoor_result_number(at) : 0;
        all += weight;
    }
    if (all > 0) *mean = sum / all;
    const char *other = strchr(per, '|');
    return all > 0 || (other && combine_mean_of(group, key, other + 1, mean));
}

/* True if every part has the same number or text there; a part without the whole object, whose
 * numbers are 0, has no other text. */
static bool combine_is_equal_in_all(const struct group *group, const struct spoor_result *first)
{
    for (size_t i = 0; i < group->count; i++) {
        const struct spoor_result *at = spoor_result_member(group->objects[i], first->key);
        const bool lacks_text = !group->objects[i] && !combine_is_number(first);
        if (!lacks_text && (!at || !combine_is_same(first, at))) return false;
    }
    return true;
}

static const struct spoor_result *combine_maximum_of(const struct group *group, const char *key)
{
    const struct spoor_result *maximum = NULL;
    for (size_t i = 0; i < group->count; i++) {
        const struct spoor_result *at = spoor_result_member(group->objects[i], key);
        if (at && combine_is_number(at) &&
            (!maximum || spoor_result_number(at) > spoor_result_number(maximum)))
            maximum = at;
    }
    return maximum;
}

static uint64_t combine_whole_sum(const struct group *group, const char *key)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < group->count; i++) {
        const struct spoor_result *at = spoor_result_member(group->objects[i], key);
        sum += at && at->type == NODE_UNSIGNED ? at->number : 0;
    }
    return sum;
}

/* ---- objects and tables ---- */

static void combine_put_members(const struct group *group, struct spoor_result *to);

/* True if two rows are of one thing: their texts and the numbers of their design are the same. */
static bool combine_is_one_row(const struct group *tables, const struct spoor_result *a,
                               const struct spoor_result *b)
{
    if (a->type != NODE_OBJECT || b->type != NODE_OBJECT) return combine_is_same(a, b);
    for (const struct spoor_result *at = a->first; at; at = at->next) {
        const struct spoor_result *other = spoor_result_member(b, at->key);
        const bool names = at->type == NODE_STRING || combine_is_number(at);
        if (names && !(other && combine_is_same(at, other)) &&
            (!combine_is_number(at) ||
             report_merge_rule_of(tables->verb, tables->path, at->key).how == MERGE_DESIGN))
            return false;
        if (at->type != NODE_OBJECT || strcmp(at->key, "swept") != 0) continue;
        for (const struct spoor_result *axis = at->first; axis; axis = axis->next) {
            const struct spoor_result *value = spoor_result_member(other, axis->key);
            if (!value || !combine_is_same(axis, value)) return false;
        }
    }
    return true;
}

/* The items of the objects or tables of all parts, each once, in an order that keeps that of each
 * part: an item that is new comes after the one before it in its own part. */
static size_t combine_unite(const struct group *group, bool rows,
                            const struct spoor_result ***items)
{
    size_t count = 0, capacity = 0;
    for (size_t part = 0; part < group->count; part++) {
        size_t at = 0;
        const struct spoor_result *item = group->objects[part] ? group->objects[part]->first : NULL;
        for (; item; item = item->next) {
            size_t known = 0;
            while (known < count && !(rows ? combine_is_one_row(group, (*items)[known], item)
                                           : strcmp((*items)[known]->key, item->key) == 0))
                known++;
            if (known == count) {
                if (!array_reserve(items, &capacity, count + 1)) return SIZE_MAX;
                memmove((void *)(*items + at + 1), (const void *)(*items + at),
                        (count - at) * sizeof **items);
                (*items)[at] = item;
                known = at;
                count++;
            }
            /* what one part does not know, such as a ratio of nothing, another may */
            if ((*items)[known]->type == NODE_NULL) (*items)[known] = item;
            at = known + 1;
        }
    }
    return count;
}

/* The rows of a table of all parts. */
static void combine_put_rows(const struct group *tables, struct spoor_result *array)
{
    const struct spoor_result **rows = NULL;
    const size_t count = combine_unite(tables, true, &rows);
    struct group inner = *tables;
    inner.outer = tables;
    inner.objects = calloc(tables->count + 1, sizeof *inner.objects);
    if (!inner.objects || count == SIZE_MAX) spoor_result_fail(array);
    for (size_t i = 0; inner.objects && count != SIZE_MAX && i < count; i++) {
        bool in_all = true;
        for (size_t part = 0; part < tables->count; part++) {
            const struct spoor_result *table = tables->objects[part];
            const struct spoor_result *at = table ? table->first : NULL;
            while (at && !combine_is_one_row(tables, rows[i], at)) at = at->next;
            inner.objects[part] = at;
            in_all &= at != NULL;
        }
        if (rows[i]->type != NODE_OBJECT)
            spoor_result_copy(array, NULL, rows[i]);
        else if (in_all || !tables->common)
            combine_put_members(&inner, spoor_result_object(array, NULL));
    }
    free((void *)inner.objects);
    free((void *)rows);
}

/* Combines members that are objects or arrays. */
static void combine_put_nested(const struct group *group, const struct spoor_result *first,
                               struct spoor_result *to)
{
    const enum report_merge how = report_merge_rule_of(group->verb, group->path, first->key).how;
    struct group inner = *group;
    struct spoor_result *made;
    inner.outer = group;
    if (how == MERGE_NONE) return;
    inner.common = how == MERGE_COMMON;
    report_path_add(inner.path, first->key, strlen(first->key));
    inner.depth++;
    inner.objects = calloc(group->count + 1, sizeof *inner.objects);
    if (!inner.objects || inner.depth > MAX_DEPTH) {
        spoor_result_fail(to);
        free((void *)inner.objects);
        return;
    }
    for (size_t i = 0; i < group->count; i++) {
        const struct spoor_result *at = spoor_result_member(group->objects[i], first->key);
        inner.objects[i] = at && at->type == first->type ? at : NULL;
    }
    if (first->type == NODE_ARRAY)
        combine_put_rows(&inner, made = spoor_result_array(to, first->key));
    else
        combine_put_members(&inner, made = spoor_result_object(to, first->key));
    if (first->hides_empty) result_hide_empty(made);
    free((void *)inner.objects);
}

/* The members of the objects of all parts. */
static void combine_put_members(const struct group *group, struct spoor_result *to)
{
    const struct spoor_result **members = NULL;
    const size_t count = combine_unite(group, false, &members);
    if (count == SIZE_MAX) spoor_result_fail(to);
    for (size_t i = 0; count != SIZE_MAX && i < count; i++) {
        const struct spoor_result *first = members[i];
        if (strcmp(first->key, "weight") == 0) continue;
        if (!result_is_scalar(first)) {
            combine_put_nested(group, first, to);
        } else if (combine_is_number(first)) {
            const struct report_merge_rule rule =
                report_merge_rule_of(group->verb, group->path, first->key);
            const bool is_ratio = rule.how == MERGE_RATIO || rule.how == MERGE_MEAN;
            const int decimals = first->type == NODE_REAL ? first->decimals : is_ratio ? 6 : 1;
            const bool counts =
                rule.how == MERGE_SUM || (rule.how == MERGE_WHOLE && first->type != NODE_REAL);
            double mean = 0;
            const bool is_mean = is_ratio && combine_mean_of(group, first->key, rule.per, &mean);
            if (group->sums && counts && first->type == NODE_UNSIGNED)
                spoor_result_unsigned(to, first->key, combine_whole_sum(group, first->key));
            else if (group->sums && counts && combine_mean_of(group, first->key, "", &mean))
                spoor_result_real(to, first->key, mean * (double)group->count, decimals);
            else if (rule.how == MERGE_MAXIMUM)
                spoor_result_copy(to, first->key, combine_maximum_of(group, first->key));
            else if (!is_mean &&
                     (combine_is_equal_in_all(group, first) || rule.how == MERGE_DESIGN))
                spoor_result_copy(to, first->key, first);
            else if (is_mean || (counts && combine_mean_of(group, first->key, "", &mean)))
                spoor_result_real(to, first->key, mean, decimals);
        } else if (combine_is_equal_in_all(group, first)) {
            spoor_result_copy(to, first->key, first);
        }
    }
    free((void *)members);
}

static enum spoor_status combine(const char *verb, const struct spoor_combine_part *parts,
                                 size_t count, bool sums, struct spoor_result *to)
{
    struct group group = {.verb = verb, .parts = parts, .count = count, .sums = sums};
    group.objects = calloc(count + 1, sizeof *group.objects);
    for (size_t i = 0; i < count && group.objects; i++) group.objects[i] = parts[i].result;
    if (group.objects)
        combine_put_members(&group, to);
    else
        spoor_result_fail(to);
    free((void *)group.objects);
    return result_status(to);
}

enum spoor_status spoor_combine(const char *verb, const struct spoor_combine_part *parts,
                                size_t count, struct spoor_result *to)
{
    return combine(verb, parts, count, false, to);
}

enum spoor_status combine_sums(const char *verb, const struct spoor_result *const *results,
                               size_t count, struct spoor_result *to)
{
    struct spoor_combine_part *parts = calloc(count + 1, sizeof *parts);
    for (size_t i = 0; i < count && parts; i++)
        parts[i] = (struct spoor_combine_part){results[i], 1};
    if (parts)
        combine(verb, parts, count, true, to);
    else
        spoor_result_fail(to);
    free(parts);
    return result_status(to);
}

/* ---- errors ---- */

static void combine_put_name(struct text *name, const struct spoor_result *node, bool keyed)
{
    text_puts(name, name->size ? " " : "");
    if (keyed) text_printf(name, "%s=", node->key);
    result_put_plain(name, node);
}

/* The texts of a row and the values of a sweep; without these, its numbers of the design. */
static void combine_put_row_name(const char *verb, const char *path, struct text *name,
                                 const struct spoor_result *row)
{
    for (const struct spoor_result *at = row->first; at; at = at->next) {
        if (at->type == NODE_STRING) combine_put_name(name, at, false);
        const struct spoor_result *swept = strcmp(at->key, "swept") == 0 ? at->first : NULL;
        for (; swept; swept = swept->next) combine_put_name(name, swept, true);
    }
    if (name->size) return;
    for (const struct spoor_result *at = row->first; at; at = at->next)
        if (combine_is_number(at) && report_merge_rule_of(verb, path, at->key).how == MERGE_DESIGN)
            combine_put_name(name, at, true);
}

/* Adds a row of errors; the result that has no counterpart of the other's number is NULL. */
static void combine_put_error(const struct spoor_result *estimated,
                              const struct spoor_result *whole, const struct text *name,
                              struct spoor_result *rows)
{
    const double a = estimated ? spoor_result_number(estimated) : 0,
                 b = whole ? spoor_result_number(whole) : 0;
    struct spoor_result *row = spoor_result_object(rows, NULL);
    spoor_result_bytes(row, "of", name->size ? name->bytes : "", name->size);
    spoor_result_text(row, "number", estimated ? estimated->key : whole->key);
    if (estimated)
        spoor_result_real(row, "estimated", a, 6);
    else
        spoor_result_null(row, "estimated");
    if (whole)
        spoor_result_real(row, "whole", b, 6);
    else
        spoor_result_null(row, "whole");
    if (estimated && whole && (b != 0 || a == 0))
        spoor_result_real(row, "error_ratio", a == b ? 0 : (a - b) / b, 4);
    else
        spoor_result_null(row, "error_ratio");
}

/* A comparison of the objects of a table. */
struct errors {
    const char *verb;
    char path[REPORT_PATH_SIZE];
    struct spoor_result *rows; /* that it adds */
};

/* Adds the ratios of an object that only one of the results has. */
static void combine_put_lone(const struct errors *errors, const struct spoor_result *object,
                             bool is_whole, const struct text *name)
{
    for (const struct spoor_result *at = object->first; at; at = at->next)
        if (at->key && combine_is_number(at) &&
            (report_merge_rule_of(errors->verb, errors->path, at->key).how == MERGE_RATIO))
            combine_put_error(is_whole ? NULL : at, is_whole ? at : NULL, name, errors->rows);
}

static void estimate_compare(const struct errors *errors, const struct spoor_result *estimated,
                             const struct spoor_result *whole, const struct text *name);

/* A row of a table, its name, and whether a row of the other result was paired with it. */
struct named_row {
    const struct spoor_result *row;
    struct text name;
    bool paired;
};

/* The first row from `start` on, then from the beginning, that has the name, describes the same
 * design and is not paired; `count`: none. */
static size_t combine_find_pair(const struct errors *errors, const struct named_row *rows,
                                size_t count, size_t start, const struct spoor_result *row,
                                const struct text *name)
{
    for (size_t i = 0; i < count; i++) {
        const size_t at = start + i < count ? start + i : start + i - count;
        bool same = !rows[at].paired && rows[at].name.size == name->size &&
                    (!name->size || memcmp(rows[at].name.bytes, name->bytes, name->size) == 0);
        for (const struct spoor_result *own = row->first; own && same; own = own->next) {
            const struct spoor_result *other =
                own->key && combine_is_number(own) &&
                        report_merge_rule_of(errors->verb, errors->path, own->key).how ==
                            MERGE_DESIGN
                    ? spoor_result_member(rows[at].row, own->key)
                    : NULL;
            same = !other || !combine_is_number(other) ||
                   spoor_result_number(own) == spoor_result_number(other);
        }
        if (same) return at;
    }
    return count;
}

/* Compares the rows of two tables by their names: the lists may differ. */
static void combine_compare_rows(const struct errors *errors, const struct spoor_result *estimated,
                                 const struct spoor_result *whole)
{
    struct named_row *others = calloc(spoor_result_count(whole) + 1, sizeof *others);
    size_t count = 0, next = 0;
    if (!others) {
        spoor_result_fail(errors->rows);
        return;
    }
    for (const struct spoor_result *at = whole->first; at; at = at->next) {
        if (at->type != NODE_OBJECT) continue;
        others[count].row = at;
        combine_put_row_name(errors->verb, errors->path, &others[count++].name, at);
    }
    for (const struct spoor_result *at = estimated->first; at; at = at->next) {
        struct text name = {0};
        if (at->type != NODE_OBJECT) continue;
        combine_put_row_name(errors->verb, errors->path, &name, at);
        const size_t pair = combine_find_pair(errors, others, count, next, at, &name);
        if (pair == count) {
            combine_put_lone(errors, at, false, &name);
        } else {
            others[pair].paired = true;
            next = pair + 1;
            estimate_compare(errors, at, others[pair].row, &name);
        }
        text_free(&name);
    }
    for (size_t i = 0; i < count; i++) {
        if (!others[i].paired) combine_put_lone(errors, others[i].row, true, &others[i].name);
        text_free(&others[i].name);
    }
    free(others);
}

static void estimate_compare(const struct errors *errors, const struct spoor_result *estimated,
                             const struct spoor_result *whole, const struct text *name)
{
    for (const struct spoor_result *at = estimated->first; at; at = at->next) {
        const struct spoor_result *other = spoor_result_member(whole, at->key);
        if (!other) continue;
        if (combine_is_number(at) && combine_is_number(other) &&
            (report_merge_rule_of(errors->verb, errors->path, at->key).how == MERGE_RATIO))
            combine_put_error(at, other, name, errors->rows);
        if (at->type != NODE_ARRAY || other->type != NODE_ARRAY) continue;
        struct errors inner = *errors;
        report_path_add(inner.path, at->key, strlen(at->key));
        combine_compare_rows(&inner, at, other);
    }
}

enum spoor_status spoor_combine_errors(const char *verb, const struct spoor_result *estimated,
                                       const struct spoor_result *whole, struct spoor_result *rows)
{
    estimate_compare(&(struct errors){.verb = verb, .rows = rows}, estimated, whole,
                     &(struct text){0});
    return result_status(rows);
}
