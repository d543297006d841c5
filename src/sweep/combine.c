/* SPDX-License-Identifier: MIT */
/* combine.c: counts, ratios and design numbers of several results as one. */
#include "spoor/combine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/options.h"
#include "result/result_node.h"

enum { MAX_DEPTH = 12 };

/* ---- members ---- */

static bool is_number(const struct spoor_result *node)
{
    return node->type == NODE_UNSIGNED || node->type == NODE_SIGNED || node->type == NODE_REAL ||
           node->type == NODE_SIZE;
}

static double number_of(const struct spoor_result *node)
{
    if (node->type == NODE_REAL) return node->real;
    return node->type == NODE_SIGNED ? (double)node->signed_number : (double)node->number;
}

/* Most members differ in the first letter. */
static bool is_key(const struct spoor_result *node, const char *key)
{
    return node->key && node->key[0] == key[0] && strcmp(node->key, key) == 0;
}

static const struct spoor_result *member(const struct spoor_result *object, const char *key)
{
    const struct spoor_result *at = object->first;
    while (at && !is_key(at, key)) at = at->next;
    return at;
}

static bool is_same_text(const struct spoor_result *a, const struct spoor_result *b)
{
    if (a->type != b->type) return false;
    return a->type != NODE_STRING ||
           (a->size == b->size && memcmp(a->string, b->string, a->size) == 0);
}

/* True for a number that describes the design, and is no count. */
static bool is_design(const char *key)
{
    static const char *const names[] = {
        "below", "block", "blocks",       "config", "entries",       "frames", "page_size",
        "reach", "size",  "storage_bits", "swept",  "table_entries", "ways"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], key) == 0) return true;
    return strncmp(key, "config.", 7) == 0 || strncmp(key, "swept.", 6) == 0;
}

/* ---- ratios ---- */

static const struct ratio {
    const char *name, *of, *to[3];
    double scale;
} ratios[] = {
    {"cpi", "cycles", {"micro_ops"}, 1},
    {"ipc", "micro_ops", {"cycles"}, 1},
    {"macro_ipc", "macro_ops", {"cycles"}, 1},
    {"rate", "mispredictions", {"asked"}, 1},
    {"mpki", "mispredictions", {"instructions"}, 1000},
    {"miss_ratio", "misses", {"fetches", "reads", "writes"}, 1},
    {"miss_ratio", "misses", {"lookups"}, 1},
    {"miss_ratio", "misses", {"accesses"}, 1},
    {"miss_percent", "misses", {"accesses"}, 100},
};
enum { RATIOS = sizeof ratios / sizeof *ratios };

static bool is_ratio(const char *key)
{
    for (size_t i = 0; i < RATIOS; i++)
        if (strcmp(ratios[i].name, key) == 0) return true;
    return false;
}

/* ---- parts ---- */

/* The same object of each part, in the results that contain them. */
struct parts {
    const struct spoor_result **objects, **roots;
    const struct spoor_result **members; /* of the objects: the same one of each */
    double *weights;
    size_t count;
    enum spoor_combine_how how;
    unsigned depth;
};

/* The weighted sum of a number of all parts, which may be one of the whole result; false: a part
 * does not have it. */
static bool sum_of(const struct parts *parts, const char *key, double *sum)
{
    *sum = 0;
    for (size_t i = 0; i < parts->count; i++) {
        const struct spoor_result *at = member(parts->objects[i], key);
        if (!at) at = member(parts->roots[i], key);
        if (!at || !is_number(at)) return false;
        *sum += parts->weights[i] * number_of(at);
    }
    return true;
}

static bool ratio_of_sums(const struct parts *parts, const char *key, double *value)
{
    for (size_t i = 0; i < RATIOS; i++) {
        const struct ratio *ratio = &ratios[i];
        double of, to = 0, some;
        bool known = strcmp(ratio->name, key) == 0 && sum_of(parts, ratio->of, &of);
        for (size_t k = 0; k < 3 && ratio->to[k] && known; k++) {
            known = sum_of(parts, ratio->to[k], &some);
            to += some;
        }
        if (!known) continue;
        *value = to > 0 ? ratio->scale * of / to : 0;
        return true;
    }
    return false;
}

/* What a part counted: the weight of its ratios among those of the others. */
static double extent_of(const struct spoor_result *object, const struct spoor_result *root)
{
    static const char *const names[] = {"micro_ops", "instructions", "references", "accesses"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct spoor_result *at = member(object, names[i]);
        if (!at) at = member(root, names[i]);
        if (at && is_number(at)) return number_of(at);
    }
    return 1;
}

static double mean_of_ratios(const struct parts *parts)
{
    double sum = 0, all = 0;
    for (size_t i = 0; i < parts->count; i++) {
        const double weight = parts->weights[i] * extent_of(parts->objects[i], parts->roots[i]);
        sum += weight * number_of(parts->members[i]);
        all += weight;
    }
    return all > 0 ? sum / all : 0;
}

/* ---- numbers ---- */

static bool is_equal_in_all(const struct parts *parts)
{
    for (size_t i = 1; i < parts->count; i++)
        if (number_of(parts->members[i]) != number_of(parts->members[0])) return false;
    return true;
}

static const struct spoor_result *maximum_of(const struct parts *parts)
{
    const struct spoor_result *maximum = parts->members[0];
    for (size_t i = 1; i < parts->count; i++)
        if (number_of(parts->members[i]) > number_of(maximum)) maximum = parts->members[i];
    return maximum;
}

static uint64_t exact_sum(const struct parts *parts)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < parts->count; i++) sum += parts->members[i]->number;
    return sum;
}

/* The weighted sum of the member. */
static double weighted_sum(const struct parts *parts)
{
    double sum = 0;
    for (size_t i = 0; i < parts->count; i++)
        sum += parts->weights[i] * number_of(parts->members[i]);
    return sum;
}

static void put_number(const struct parts *parts, struct spoor_result *to)
{
    const struct spoor_result *first = parts->members[0];
    const char *key = first->key;
    const int decimals = first->type == NODE_REAL ? first->decimals : 1;
    const bool ratio = is_ratio(key);
    double value;
    bool real = ratio;
    for (size_t i = 0; i < parts->count; i++) real |= parts->members[i]->type == NODE_REAL;
    if (ratio && ratio_of_sums(parts, key, &value)) {
        spoor_result_real(to, key, value, first->type == NODE_REAL ? decimals : 6);
    } else if (strcmp(key, "maximum") == 0) {
        spoor_result_copy(to, key, maximum_of(parts));
    } else if (is_design(key) || first->type == NODE_SIZE ||
               (parts->how == SPOOR_COMBINE_MEANS && is_equal_in_all(parts))) {
        spoor_result_copy(to, key, first);
    } else if (real) {
        spoor_result_real(to, key, mean_of_ratios(parts), decimals);
    } else if (parts->how == SPOOR_COMBINE_SUMS) {
        spoor_result_unsigned(to, key, exact_sum(parts));
    } else {
        spoor_result_real(to, key, weighted_sum(parts), decimals);
    }
}

/* ---- objects and tables ---- */

static void put_members(const struct parts *parts, struct spoor_result *to);

/* True if the rows of all parts are of one thing: their texts are the same. */
static bool is_one_row(const struct parts *rows)
{
    for (size_t i = 0; i < rows->count; i++)
        if (!rows->objects[i] || rows->objects[i]->type != NODE_OBJECT) return false;
    for (const struct spoor_result *at = rows->objects[0]->first; at; at = at->next)
        for (size_t i = 1; i < rows->count && at->type == NODE_STRING; i++) {
            const struct spoor_result *other = member(rows->objects[i], at->key);
            if (!other || !is_same_text(at, other)) return false;
        }
    return true;
}

/* The rows of a table, as long as all parts have them. */
static void put_rows(struct parts *tables, const char *key, struct spoor_result *to)
{
    struct spoor_result *array = NULL;
    if (!tables->objects[0]->first) {
        spoor_result_copy(to, key, tables->objects[0]);
        return;
    }
    for (size_t i = 0; i < tables->count; i++) tables->objects[i] = tables->objects[i]->first;
    while (is_one_row(tables)) {
        if (!array) array = spoor_result_array(to, key);
        put_members(tables, spoor_result_object(array, NULL));
        for (size_t i = 0; i < tables->count; i++) tables->objects[i] = tables->objects[i]->next;
    }
}

/* Combines the members, which are objects or arrays. */
static void put_nested(const struct parts *parts, struct spoor_result *to)
{
    const struct spoor_result *first = parts->members[0];
    struct parts inner = *parts;
    inner.depth++;
    inner.objects = calloc(parts->count, sizeof *inner.objects);
    if (!inner.objects || inner.depth > MAX_DEPTH) {
        spoor_result_fail(to);
        free((void *)inner.objects);
        return;
    }
    memcpy((void *)inner.objects, (const void *)parts->members,
           parts->count * sizeof *inner.objects);
    if (first->type == NODE_ARRAY)
        put_rows(&inner, first->key, to);
    else
        put_members(&inner, spoor_result_object(to, first->key));
    free((void *)inner.objects);
}

/* Makes the member `first` of each part the member; parts of one tool have it after the one before.
 * True if every part has it, with the same text unless it is a number. */
static bool find_members(struct parts *parts, const struct spoor_result *first)
{
    const struct spoor_result **members = parts->members;
    for (size_t i = 0; i < parts->count; i++) {
        const struct spoor_result *next = members[i] ? members[i]->next : parts->objects[i]->first;
        members[i] =
            next && is_key(next, first->key) ? next : member(parts->objects[i], first->key);
    }
    for (size_t i = 1; i < parts->count; i++)
        if (!members[i] ||
            !(is_number(first) ? is_number(members[i]) : is_same_text(first, members[i])))
            return false;
    return true;
}

static void put_member(const struct parts *parts, struct spoor_result *to)
{
    const struct spoor_result *first = parts->members[0];
    const bool nested = first->type == NODE_OBJECT || first->type == NODE_ARRAY;
    if (nested && !is_design(first->key))
        put_nested(parts, to);
    else if (is_number(first))
        put_number(parts, to);
    else
        spoor_result_copy(to, first->key, first);
}

static void put_members(const struct parts *parts, struct spoor_result *to)
{
    struct parts own = *parts;
    own.members = calloc(parts->count, sizeof *own.members);
    if (!own.members) spoor_result_fail(to);
    for (const struct spoor_result *at = parts->objects[0]->first; at && own.members; at = at->next)
        if (at->key && strcmp(at->key, "weight") != 0 && find_members(&own, at))
            put_member(&own, to);
    free((void *)own.members);
}

enum spoor_status spoor_combine(const struct spoor_combine_part *given, size_t count,
                                enum spoor_combine_how how, struct spoor_result *to)
{
    struct parts parts = {.count = count, .how = how};
    parts.objects = calloc(count + 1, sizeof *parts.objects);
    parts.roots = calloc(count + 1, sizeof *parts.roots);
    parts.weights = calloc(count + 1, sizeof *parts.weights);
    double all = 0;
    for (size_t i = 0; i < count; i++) all += given[i].weight;
    if (parts.objects && parts.roots && parts.weights) {
        for (size_t i = 0; i < count; i++) {
            parts.objects[i] = parts.roots[i] = given[i].result;
            parts.weights[i] = how == SPOOR_COMBINE_SUMS ? 1 : all > 0 ? given[i].weight / all : 0;
        }
        if (count) put_members(&parts, to);
    } else {
        spoor_result_fail(to);
    }
    free((void *)parts.objects);
    free((void *)parts.roots);
    free(parts.weights);
    return result_status(to);
}

/* ---- errors ---- */

static void put_name(struct text *name, const struct spoor_result *node, bool keyed)
{
    text_puts(name, name->size ? " " : "");
    if (keyed) text_printf(name, "%s=", node->key);
    result_put_plain(name, node);
}

/* The texts of a row and the values of a sweep; without these, its numbers of the design. */
static void put_names(struct text *name, const struct spoor_result *row)
{
    for (const struct spoor_result *at = row->first; at; at = at->next) {
        if (at->type == NODE_STRING) put_name(name, at, false);
        const struct spoor_result *swept = strcmp(at->key, "swept") == 0 ? at->first : NULL;
        for (; swept; swept = swept->next) put_name(name, swept, true);
    }
    if (name->size) return;
    for (const struct spoor_result *at = row->first; at; at = at->next)
        if (is_number(at) && is_design(at->key)) put_name(name, at, true);
}

/* Adds a row of errors; the result that has no counterpart of the other's number is NULL. */
static void put_error(const struct spoor_result *estimated, const struct spoor_result *whole,
                      const struct text *name, struct spoor_result *rows)
{
    const double a = estimated ? number_of(estimated) : 0, b = whole ? number_of(whole) : 0;
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
        spoor_result_real(row, "error_percent", a == b ? 0 : 100 * (a - b) / b, 2);
    else
        spoor_result_null(row, "error_percent");
}

/* Adds the ratios of an object that only one of the results has. */
static void put_lone(const struct spoor_result *object, bool is_whole, const struct text *name,
                     struct spoor_result *rows)
{
    for (const struct spoor_result *at = object->first; at; at = at->next)
        if (at->key && is_number(at) && is_ratio(at->key))
            put_error(is_whole ? NULL : at, is_whole ? at : NULL, name, rows);
}

static void compare(const struct spoor_result *estimated, const struct spoor_result *whole,
                    const struct text *name, struct spoor_result *rows);

/* A row of a table, its name, and whether a row of the other result was paired with it. */
struct named_row {
    const struct spoor_result *row;
    struct text name;
    bool paired;
};

/* The first row from `start` on, then from the beginning, that has the name, describes the same
 * design and is not paired; `count`: none. */
static size_t find_pair(const struct named_row *rows, size_t count, size_t start,
                        const struct spoor_result *row, const struct text *name)
{
    for (size_t i = 0; i < count; i++) {
        const size_t at = start + i < count ? start + i : start + i - count;
        bool same = !rows[at].paired && rows[at].name.size == name->size &&
                    (!name->size || memcmp(rows[at].name.bytes, name->bytes, name->size) == 0);
        for (const struct spoor_result *own = row->first; own && same; own = own->next) {
            const struct spoor_result *other = own->key && is_number(own) && is_design(own->key)
                                                   ? member(rows[at].row, own->key)
                                                   : NULL;
            same = !other || !is_number(other) || number_of(own) == number_of(other);
        }
        if (same) return at;
    }
    return count;
}

/* Compares the rows of two tables by their names: the lists may differ. */
static void compare_rows(const struct spoor_result *estimated, const struct spoor_result *whole,
                         struct spoor_result *rows)
{
    struct named_row *others = calloc(spoor_result_count(whole) + 1, sizeof *others);
    size_t count = 0, next = 0;
    if (!others) {
        spoor_result_fail(rows);
        return;
    }
    for (const struct spoor_result *at = whole->first; at; at = at->next) {
        if (at->type != NODE_OBJECT) continue;
        others[count].row = at;
        put_names(&others[count++].name, at);
    }
    for (const struct spoor_result *at = estimated->first; at; at = at->next) {
        struct text name = {0};
        if (at->type != NODE_OBJECT) continue;
        put_names(&name, at);
        const size_t pair = find_pair(others, count, next, at, &name);
        if (pair == count) {
            put_lone(at, false, &name, rows);
        } else {
            others[pair].paired = true;
            next = pair + 1;
            compare(at, others[pair].row, &name, rows);
        }
        text_free(&name);
    }
    for (size_t i = 0; i < count; i++) {
        if (!others[i].paired) put_lone(others[i].row, true, &others[i].name, rows);
        text_free(&others[i].name);
    }
    free(others);
}

static void compare(const struct spoor_result *estimated, const struct spoor_result *whole,
                    const struct text *name, struct spoor_result *rows)
{
    for (const struct spoor_result *at = estimated->first; at; at = at->next) {
        const struct spoor_result *other = member(whole, at->key);
        if (!other) continue;
        if (is_number(at) && is_number(other) && is_ratio(at->key))
            put_error(at, other, name, rows);
        if (at->type == NODE_ARRAY && other->type == NODE_ARRAY) compare_rows(at, other, rows);
    }
}

enum spoor_status spoor_combine_errors(const struct spoor_result *estimated,
                                       const struct spoor_result *whole, struct spoor_result *rows)
{
    compare(estimated, whole, &(struct text){0}, rows);
    return result_status(rows);
}

/* ---- confidence ---- */

/* The quantile of 97.5 % of Student's distribution (Abramowitz, Stegun 26.7.5). */
static double student(double degrees)
{
    const double x = 1.959963985, x2 = x * x;
    return x + x * (x2 + 1) / (4 * degrees) +
           x * ((5 * x2 + 16) * x2 + 3) / (96 * degrees * degrees) +
           x * (((3 * x2 + 19) * x2 + 17) * x2 - 15) / (384 * pow(degrees, 3)) +
           x * ((((79 * x2 + 776) * x2 + 1482) * x2 - 1920) * x2 - 945) / (92160 * pow(degrees, 4));
}

/* An object of the estimate, and the same one of each replicate. */
struct replicated {
    const struct spoor_result *estimated, *const *replicates;
    size_t count;
};

static void put_confidence(const struct replicated *objects, const struct spoor_result *number,
                           const struct text *name, struct spoor_result *rows)
{
    const double estimated = number_of(number), degrees = (double)objects->count - 1;
    double squares = 0;
    for (size_t i = 0; i < objects->count; i++) {
        const struct spoor_result *at = member(objects->replicates[i], number->key);
        if (!at || !is_number(at)) return;
        const double difference = number_of(at) - estimated;
        squares += difference * difference;
    }
    const double half = student(degrees) * sqrt(squares * degrees / (degrees + 1));
    struct spoor_result *row = spoor_result_object(rows, NULL);
    spoor_result_bytes(row, "of", name->size ? name->bytes : "", name->size);
    spoor_result_text(row, "number", number->key);
    spoor_result_real(row, "estimated", estimated, 6);
    spoor_result_real(row, "plus_minus", half, 6);
    if (estimated > 0)
        spoor_result_real(row, "percent", 100 * half / estimated, 2);
    else
        spoor_result_null(row, "percent");
}

static void put_confidences(const struct replicated *objects, const struct text *name,
                            struct spoor_result *rows);

/* The rows of a table, which the replicates have, too. */
static void put_row_confidences(const struct replicated *objects, const struct spoor_result *table,
                                struct spoor_result *rows)
{
    const struct spoor_result **others = calloc(objects->count, sizeof *others);
    struct replicated inner = {.replicates = others, .count = objects->count};
    if (!others) {
        spoor_result_fail(rows);
        return;
    }
    for (size_t i = 0; i < inner.count; i++) {
        const struct spoor_result *other = member(objects->replicates[i], table->key);
        others[i] = other ? other->first : NULL;
    }
    for (const struct spoor_result *row = table->first; row; row = row->next) {
        struct text name = {0};
        bool good = row->type == NODE_OBJECT;
        for (size_t i = 0; i < inner.count; i++) good &= others[i] != NULL;
        if (!good) break;
        inner.estimated = row;
        put_names(&name, row);
        put_confidences(&inner, &name, rows);
        text_free(&name);
        for (size_t i = 0; i < inner.count; i++) others[i] = others[i]->next;
    }
    free((void *)others);
}

static void put_confidences(const struct replicated *objects, const struct text *name,
                            struct spoor_result *rows)
{
    for (const struct spoor_result *at = objects->estimated->first; at; at = at->next)
        if (at->type == NODE_ARRAY)
            put_row_confidences(objects, at, rows);
        else if (at->key && is_number(at) && is_ratio(at->key))
            put_confidence(objects, at, name, rows);
}

enum spoor_status spoor_combine_confidence(const struct spoor_result *estimated,
                                           const struct spoor_result *const *replicates,
                                           size_t count, struct spoor_result *rows)
{
    const struct replicated objects = {estimated, replicates, count};
    if (count > 1) put_confidences(&objects, &(struct text){0}, rows);
    return result_status(rows);
}
