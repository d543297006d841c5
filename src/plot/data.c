/* SPDX-License-Identifier: MIT */
/* plot/data.c: reading the points of a plot from result trees. */
#include "plot/data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/scan.h"
#include "base/text.h"
#include "result/result_table.h"

enum { MAX_CONTEXT = 256, MAX_KEY = 96 };

/* Where a row is: the names around it, outermost first. */
struct place {
    const char *trace; /* NULL: there is only one */
    char around[MAX_CONTEXT];
    size_t index;
};

struct reading {
    struct plot_data *data;
    const struct spoor_result *result; /* of the trace */
    struct place place;
};

/* ---- names ---- */

static uint32_t name_number(struct plot_data *data, struct plot_names *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->items[i], name) == 0) return (uint32_t)i;
    char *copy = strdup(name);
    if (!copy || !array_reserve(&names->items, &names->capacity, names->count + 1)) {
        free(copy);
        data->failed = true;
        return 0;
    }
    names->items[names->count] = copy;
    return (uint32_t)names->count++;
}

/* "examples/sort.uop.xz" is called "sort.uop". */
static void put_trace_name(const char *path, char *name, size_t capacity)
{
    static const char *const suffixes[] = {".xz", ".gz", ".zst", ".bz2", ".lz4"};
    snprintf(name, capacity, "%s", path_name(path));
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        char *dot = strrchr(name, '.');
        if (dot && dot != name && strcmp(dot, suffixes[i]) == 0) *dot = '\0';
    }
}

static const char *trace_path(const struct spoor_result *result)
{
    static const char *const keys[] = {"trace", "path"};
    for (size_t i = 0; result->type == NODE_OBJECT && i < sizeof keys / sizeof *keys; i++) {
        const struct spoor_result *cell = spoor_result_member(result, keys[i]);
        if (cell && cell->type == NODE_STRING) return cell->string;
    }
    return NULL;
}

/* A key as words; a share is drawn per cent, so that its name needs no "ratio". */
static void put_words(struct text *text, const char *key)
{
    const size_t share = result_share_size(key), size = share ? share : strlen(key);
    for (size_t i = 0; i < size; i++) text_put(text, key[i] == '_' ? " " : key + i, 1);
}

/* ---- cells ---- */

static bool number_of(const struct spoor_result *node, double *number)
{
    uint64_t whole;
    switch (node->type) {
    case NODE_UNSIGNED:
    case NODE_HEX:
    case NODE_SIZE:
    case NODE_BOOL: *number = (double)node->number; return true;
    case NODE_SIGNED: *number = (double)node->signed_number; return true;
    case NODE_REAL: *number = node->real; return true;
    case NODE_STRING:
        if (!scan_all_number(node->string, &whole)) return false;
        *number = (double)whole;
        return true;
    default: return false;
    }
}

/* The member of that name, or, of "#N", the N-th. */
static const struct spoor_result *member_of(const struct spoor_result *node, const char *key,
                                            size_t size)
{
    if (!node || result_is_scalar(node)) return NULL;
    size_t number = key[0] == '#' ? (size_t)(key[1] - '0') : SIZE_MAX;
    for (const struct spoor_result *member = node->first; member; member = member->next) {
        if (key[0] == '#' && number-- == 0) return member;
        if (key[0] != '#' && member->key && strlen(member->key) == size &&
            memcmp(member->key, key, size) == 0)
            return member;
    }
    return NULL;
}

/* Follows the members that the path names. */
static const struct spoor_result *cell_of(const struct spoor_result *row, const char *path)
{
    while (row && *path) {
        const size_t size = strcspn(path, ".");
        row = member_of(row, path, size);
        path += size + (path[size] == '.');
    }
    return row;
}

static void put_value(struct text *text, const struct spoor_result *node)
{
    if (node->type == NODE_BOOL)
        text_puts(text, node->number ? "yes" : "no");
    else
        result_put_plain(text, node);
}

static void put_pairs(struct text *text, const struct spoor_result *object)
{
    for (const struct spoor_result *member = object->first; member; member = member->next) {
        if (member != object->first) text_puts(text, ", ");
        put_words(text, member->key ? member->key : "");
        text_puts(text, " ");
        put_value(text, member);
    }
}

static void put_keyed(struct text *text, const struct spoor_result *cell, bool keyed)
{
    double number;
    if (keyed && cell->key && cell->type != NODE_HEX && number_of(cell, &number)) {
        put_words(text, cell->key);
        text_puts(text, " ");
    }
    put_value(text, cell);
}

/* The words of one column of a row: a member, or "@name", "@key", "@index" or "MEMBER@pairs". */
static void put_part(const struct reading *reading, const struct spoor_result *row, char *part,
                     bool keyed, struct text *text)
{
    char *pairs = strstr(part, "@pairs");
    if (strcmp(part, "@name") == 0) {
        text_puts(text, reading->place.around);
    } else if (strcmp(part, "@key") == 0 && row->key) {
        put_words(text, row->key);
    } else if (part[0] == '@' && pairs != part) {
        text_printf(text, "%zu", reading->place.index);
    } else {
        if (pairs) *pairs = '\0';
        const struct spoor_result *cell = cell_of(row, part);
        if (pairs && cell && !result_is_scalar(cell)) put_pairs(text, cell);
        if (!pairs && cell && result_is_scalar(cell)) put_keyed(text, cell, keyed);
    }
}

/* The words of a column of a row; several columns are joined: "access|from".  `keyed`: numbers come
 * after their keys. */
static void put_cell(const struct reading *reading, const struct spoor_result *row,
                     const char *path, bool keyed, struct text *text)
{
    char part[MAX_KEY];
    while (*path) {
        const size_t size = strcspn(path, "|"), before = text->size;
        snprintf(part, sizeof part, "%.*s", (int)size, path);
        path += size + (path[size] == '|');
        if (before) text_puts(text, ", ");
        const size_t begin = text->size;
        put_part(reading, row, part, keyed, text);
        if (text->size == begin) text->size = before; /* the row has no such column */
    }
    text_put(text, "", 1);
}

/* ---- points ---- */

/* x as a number; false: it is a name. */
static bool x_of(struct reading *reading, const struct spoor_result *row, double *x,
                 const struct spoor_result **at)
{
    const char *key = reading->data->plot->x.key;
    const struct spoor_result *cell = key[0] == '@' ? NULL : cell_of(row, key);
    *at = cell && result_is_scalar(cell) ? cell : NULL;
    if (strcmp(key, "@index") == 0 || (strcmp(key, "@key") == 0 && !row->key)) {
        *x = (double)reading->place.index;
        return true;
    }
    if (cell && strchr(key, '#') && cell->key && !reading->data->x_key)
        reading->data->x_key = strdup(cell->key);
    return cell && number_of(cell, x);
}

/* The series is made of the trace, the column that names it, and the column of y. */
static uint32_t series_of(struct reading *reading, const struct spoor_result *row,
                          const char *column)
{
    const struct plot *plot = reading->data->plot;
    const bool by_trace = plot->mark != PLOT_STACK && plot->mark != PLOT_SPANS;
    struct text name = {0};
    if (plot->series) {
        put_cell(reading, row, plot->series, true, &name);
        if (name.size) name.size--; /* the NUL */
    }
    if (column) text_printf(&name, "%s%s", name.size ? ", " : "", column);
    if (by_trace && reading->place.trace)
        text_printf(&name, "%s%s", name.size ? ", " : "", reading->place.trace);
    text_put(&name, "", 1);
    reading->data->failed |= name.failed;
    const uint32_t number =
        name.failed ? 0 : name_number(reading->data, &reading->data->series, name.bytes);
    text_free(&name);
    return number;
}

static uint32_t category_of(struct reading *reading, const struct spoor_result *row)
{
    const struct plot *plot = reading->data->plot;
    struct text name = {0};
    put_cell(reading, row, plot->x.key, false, &name);
    const bool by_trace = plot->mark == PLOT_STACK || plot->mark == PLOT_SPANS;
    if (by_trace && reading->place.trace && name.size && strcmp(plot->x.key, "@name") != 0) {
        name.size--;
        text_printf(&name, "%s%s", name.size ? ", " : "", reading->place.trace);
        text_put(&name, "", 1);
    }
    reading->data->failed |= name.failed;
    const uint32_t number =
        name.failed ? 0 : name_number(reading->data, &reading->data->categories, name.bytes);
    text_free(&name);
    return number;
}

/* False: the row has not what x is: it is of another table of the same name. */
static bool has_x(const struct spoor_result *row, const char *key)
{
    char path[MAX_KEY];
    if (key[0] == '@') return true;
    snprintf(path, sizeof path, "%.*s", (int)strcspn(key, "|@"), key);
    return cell_of(row, path) != NULL;
}

static void add_point(struct reading *reading, const struct spoor_result *row,
                      const struct spoor_result *cell, const char *column)
{
    struct plot_data *data = reading->data;
    struct plot_point point = {.at = cell};
    if (!number_of(cell, &point.y) || !has_x(row, data->plot->x.key)) return;
    if (!array_reserve(&data->points, &data->capacity, data->count + 1)) {
        data->failed = true;
        return;
    }
    point.series = series_of(reading, row, column);
    point.category = category_of(reading, row);
    if (!x_of(reading, row, &point.x, &point.x_at)) {
        data->numeric = false;
        point.x = point.category;
    }
    data->points[data->count++] = point;
}

/* The name of the n-th column of y. */
static void put_column_name(const struct reading *reading, const char *key, size_t number,
                            struct text *name)
{
    const char *path = reading->data->plot->names;
    const struct spoor_result *table = NULL;
    const char *dot = path ? strchr(path, '.') : NULL;
    if (dot) table = member_of(reading->result, path, (size_t)(dot - path));
    const struct spoor_result *row = table && !result_is_scalar(table) ? table->first : NULL;
    for (; row && number; number--) row = row->next;
    const struct spoor_result *cell = row ? cell_of(row, dot + 1) : NULL;
    if (cell && result_is_scalar(cell))
        result_put_plain(name, cell);
    else
        put_words(name, key);
    text_put(name, "", 1);
}

static void add_column(struct reading *reading, const struct spoor_result *row,
                       const struct spoor_result *cell, size_t number)
{
    struct text name = {0};
    put_column_name(reading, cell->key ? cell->key : "", number, &name);
    reading->data->failed |= name.failed;
    if (!name.failed) add_point(reading, row, cell, name.bytes);
    text_free(&name);
}

/* Adds the columns that a part of y's key names: "cpi_stack.*", "wrong_*" or "misses". */
static void add_part(struct reading *reading, const struct spoor_result *row, const char *part)
{
    const char *star = strchr(part, '*'), *dot = strrchr(part, '.');
    if (!star) {
        const struct spoor_result *cell = cell_of(row, part);
        if (cell && result_is_scalar(cell)) add_column(reading, row, cell, 0);
        return;
    }
    char object[MAX_KEY];
    const char *prefix = dot ? dot + 1 : part;
    const size_t prefix_size = (size_t)(star - prefix);
    snprintf(object, sizeof object, "%.*s", dot ? (int)(dot - part) : 0, part);
    const struct spoor_result *in = cell_of(row, object);
    size_t number = 0;
    for (const struct spoor_result *cell = in && !result_is_scalar(in) ? in->first : NULL; cell;
         cell = cell->next)
        if (cell->key && strncmp(cell->key, prefix, prefix_size) == 0 && result_is_scalar(cell))
            add_column(reading, row, cell, number++);
}

static void add_row(struct reading *reading, const struct spoor_result *row)
{
    const char *path = reading->data->plot->y.key;
    if (strcmp(path, "@value") == 0) {
        if (result_is_scalar(row)) add_point(reading, row, row, NULL);
    } else if (!strpbrk(path, "|*")) {
        const struct spoor_result *cell = cell_of(row, path);
        if (cell && result_is_scalar(cell)) add_point(reading, row, cell, NULL);
    } else {
        char part[MAX_KEY];
        while (*path) {
            const size_t size = strcspn(path, "|");
            snprintf(part, sizeof part, "%.*s", (int)size, path);
            add_part(reading, row, part + (part[0] == '~'));
            path += size + (path[size] == '|');
        }
    }
    reading->place.index++;
}

/* ---- rows ---- */

/* The names around a row: the first text of each object on the way. */
static void enter(struct place *place, const struct spoor_result *object)
{
    const size_t used = strlen(place->around);
    for (const struct spoor_result *cell = object->first; cell; cell = cell->next) {
        if (cell->type != NODE_STRING) continue;
        snprintf(place->around + used, sizeof place->around - used, "%s%s", used ? ", " : "",
                 cell->string);
        return;
    }
}

static void visit_rows(struct reading *reading, const struct spoor_result *table)
{
    if (result_is_scalar(table)) return;
    reading->place.index = 0;
    for (const struct spoor_result *row = table->first; row; row = row->next) add_row(reading, row);
}

/* Visits the tables that a path leads to: member after member, and each row of an array on the
 * way. */
static void visit(struct reading *reading, const struct spoor_result *node, const char *path)
{
    while (*path && node && node->type == NODE_OBJECT) {
        const size_t size = strcspn(path, ".");
        node = member_of(node, path, size);
        path += size + (path[size] == '.');
    }
    if (!node) return;
    if (!*path) {
        visit_rows(reading, node);
        return;
    }
    if (node->type != NODE_ARRAY) return;
    for (const struct spoor_result *row = node->first; row; row = row->next) {
        const struct place before = reading->place;
        const struct spoor_result *inner =
            row->type == NODE_OBJECT ? member_of(row, path, strcspn(path, ".")) : NULL;
        if (!inner || result_is_scalar(inner)) continue;
        enter(&reading->place, row);
        visit_rows(reading, inner);
        reading->place = before;
    }
}

static void read_trace(struct plot_data *data, const struct spoor_result *result, bool several)
{
    struct reading reading = {.data = data, .result = result};
    const char *path = trace_path(result);
    char name[MAX_CONTEXT] = "";
    if (path) put_trace_name(path, name, sizeof name);
    if (several) reading.place.trace = name;
    if (!data->plot->table[0]) {
        snprintf(reading.place.around, sizeof reading.place.around, "%s", name);
        if (result->type == NODE_OBJECT) add_row(&reading, result);
        return;
    }
    if (several) snprintf(reading.place.around, sizeof reading.place.around, "%s", name);
    visit(&reading, result, data->plot->table);
}

/* ---- series whose names have parts in common ---- */

/* The n-th part of "lru, block 64, ways 2"; its size, 0: there is none. */
static const char *part_of(const char *name, size_t number, size_t *size)
{
    const char *comma;
    while (number-- && (comma = strstr(name, ", "))) name = comma + 2;
    comma = strstr(name, ", ");
    *size = comma ? (size_t)(comma - name) : strlen(name);
    return name;
}

static size_t parts_of(const char *name)
{
    size_t count = 1;
    while ((name = strstr(name, ", "))) {
        name += 2;
        count++;
    }
    return count;
}

static bool is_common(const struct plot_names *names, size_t part)
{
    size_t size, other;
    const char *first = part_of(names->items[0], part, &size);
    for (size_t i = 1; i < names->count; i++) {
        const char *name = part_of(names->items[i], part, &other);
        if (size != other || memcmp(first, name, size) != 0) return false;
    }
    return true;
}

static void drop_part(struct plot_names *names, size_t part)
{
    for (size_t i = 0; i < names->count; i++) {
        size_t size;
        char *name = names->items[i], *at = name + (part_of(name, part, &size) - name);
        char *rest = at + size;
        if (*rest)
            memmove(at, rest + 2, strlen(rest + 2) + 1);
        else
            at[at == name ? 0 : -2] = '\0';
    }
}

/* Leaves out of the names of several series what all have in common: a policy, a block size. */
static void shorten(struct plot_names *names)
{
    if (names->count < 2) return;
    size_t parts = parts_of(names->items[0]);
    for (size_t i = 1; i < names->count; i++)
        if (parts_of(names->items[i]) != parts) return;
    for (size_t part = parts; part-- > 0;)
        if (is_common(names, part)) drop_part(names, part);
}

static void find_extent(struct plot_data *data)
{
    for (size_t i = 0; i < data->count; i++) {
        const struct plot_point *point = &data->points[i];
        if (i == 0 || point->x < data->x_low) data->x_low = point->x;
        if (i == 0 || point->x > data->x_high) data->x_high = point->x;
        if (i == 0 || point->y < data->y_low) data->y_low = point->y;
        if (i == 0 || point->y > data->y_high) data->y_high = point->y;
    }
}

void plot_data_read(struct plot_data *data, const struct plot *plot,
                    const struct spoor_result *results)
{
    *data = (struct plot_data){.plot = plot, .numeric = true};
    const bool array = results->type == NODE_ARRAY;
    const bool several = array && results->size > 1;
    const struct spoor_result *result = array ? results->first : results;
    if (result && !several && trace_path(result)) {
        char name[MAX_CONTEXT];
        put_trace_name(trace_path(result), name, sizeof name);
        data->subtitle = strdup(name);
        data->failed |= !data->subtitle;
    }
    for (; result; result = array ? result->next : NULL) read_trace(data, result, several);
    shorten(&data->series);
    find_extent(data);
}

static void free_names(struct plot_names *names)
{
    for (size_t i = 0; i < names->count; i++) free(names->items[i]);
    free(names->items);
}

void plot_data_free(struct plot_data *data)
{
    free_names(&data->series);
    free_names(&data->categories);
    free(data->points);
    free(data->x_key);
    free(data->subtitle);
}
