/* SPDX-License-Identifier: MIT */
/* plot/data.c: reading the points of a plot from result trees. */
#include "plot/panel.h"

#include <math.h>
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

struct plot_reader {
    struct plot_data *data;
    const struct spoor_result *result; /* of the trace */
    struct place place;
    double window; /* of the first row; 0: not met yet */
};

/* ---- names ---- */

static uint32_t plot_names_number(struct plot_data *data, struct plot_names *names,
                                  const char *name)
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
static void plot_put_trace_name(const char *path, char *name, size_t capacity)
{
    static const char *const suffixes[] = {".xz", ".gz", ".zst", ".bz2", ".lz4"};
    snprintf(name, capacity, "%s", path_name(path));
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        char *dot = strrchr(name, '.');
        if (dot && dot != name && strcmp(dot, suffixes[i]) == 0) *dot = '\0';
    }
}

static const char *plot_trace_path(const struct spoor_result *result)
{
    static const char *const keys[] = {"trace", "path"};
    for (size_t i = 0; result->type == NODE_OBJECT && i < sizeof keys / sizeof *keys; i++) {
        const struct spoor_result *cell = spoor_result_member(result, keys[i]);
        if (cell && cell->type == NODE_STRING) return cell->string;
    }
    return NULL;
}

/* A key as words; a share is drawn per cent, so that its name needs no "ratio". */
static void plot_put_words(struct text *text, const char *key)
{
    const size_t share = result_share_size(key), size = share ? share : strlen(key);
    for (size_t i = 0; i < size; i++) text_put(text, key[i] == '_' ? " " : key + i, 1);
}

/* ---- cells ---- */

static bool plot_cell_number(const struct spoor_result *node, double *number)
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

double plot_point_whole(const struct plot_point *point)
{
    double number = NAN;
    return point->whole && plot_cell_number(point->whole, &number) ? number : NAN;
}

/* Results of simpoints may have what the whole trace gives: `errors`, rows of "of", the name of
 * what was simulated, "number", a key, and "whole". */
static void plot_add_errors(struct plot_data *data, const struct spoor_result *result, size_t first)
{
    const bool parts = data->plot->mark == PLOT_STACK;
    const char *key = data->plot->y.key;
    const struct spoor_result *errors = spoor_result_member(result, "errors");
    if (parts) key = strcmp(key, "cpi_stack.*") == 0 ? "cpi" : "";
    for (const struct spoor_result *row = errors ? spoor_result_first(errors) : NULL; row;
         row = spoor_result_next(row)) {
        const char *of = spoor_result_string(spoor_result_member(row, "of"), NULL);
        const char *number = spoor_result_string(spoor_result_member(row, "number"), NULL);
        if (!of || !number || strcmp(number, key) != 0) continue;
        for (size_t i = first; i < data->count; i++) {
            struct plot_point *point = &data->points[i];
            if (parts ? i + 1 == data->count
                      : strcmp(data->categories.items[point->category], of) == 0)
                point->whole = spoor_result_member(row, "whole");
        }
    }
}

/* The member of that name, or, of "#N", the N-th. */
static const struct spoor_result *plot_cell_member(const struct spoor_result *node, const char *key,
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
static const struct spoor_result *plot_cell(const struct spoor_result *row, const char *path)
{
    while (row && *path) {
        const size_t size = strcspn(path, ".");
        row = plot_cell_member(row, path, size);
        path += size + (path[size] == '.');
    }
    return row;
}

static void plot_put_value(struct text *text, const struct spoor_result *node)
{
    if (node->type == NODE_BOOL)
        text_puts(text, node->number ? "yes" : "no");
    else
        result_put_plain(text, node);
}

/* The words of one column of a row: a member, or "@name", "@key", "@index" or "MEMBER@pairs". */
static void plot_put_part(const struct plot_reader *reader, const struct spoor_result *row,
                          char *part, bool keyed, struct text *text)
{
    char *pairs = strstr(part, "@pairs");
    if (strcmp(part, "@name") == 0) {
        text_puts(text, reader->place.around);
    } else if (strcmp(part, "@key") == 0 && row->key) {
        plot_put_words(text, row->key);
    } else if (part[0] == '@' && pairs != part) {
        text_printf(text, "%zu", reader->place.index);
    } else {
        if (pairs) *pairs = '\0';
        const struct spoor_result *cell = plot_cell(row, part);
        if (!cell || result_is_scalar(cell) != !pairs) return;
        double number;
        if (!pairs && keyed && cell->key && cell->type != NODE_HEX &&
            plot_cell_number(cell, &number)) {
            plot_put_words(text, cell->key);
            text_puts(text, " ");
        }
        if (!pairs) plot_put_value(text, cell);
        for (const struct spoor_result *member = pairs ? cell->first : NULL; member;
             member = member->next) {
            if (member != cell->first) text_puts(text, ", ");
            plot_put_words(text, member->key ? member->key : "");
            text_puts(text, " ");
            plot_put_value(text, member);
        }
    }
}

/* The words of a column of a row; several columns are joined: "access|from".  `keyed`: numbers come
 * after their keys. */
static void plot_put_cell(const struct plot_reader *reader, const struct spoor_result *row,
                          const char *path, bool keyed, struct text *text)
{
    char part[MAX_KEY];
    while (*path) {
        const size_t size = strcspn(path, "|"), before = text->size;
        snprintf(part, sizeof part, "%.*s", (int)size, path);
        path += size + (path[size] == '|');
        if (before) text_puts(text, ", ");
        const size_t begin = text->size;
        plot_put_part(reader, row, part, keyed, text);
        if (text->size == begin) text->size = before; /* the row has no such column */
    }
    text_put(text, "", 1);
}

/* ---- points ---- */

/* The series is made of the trace, the column that names it, and the column of y. */
static uint32_t plot_series(struct plot_reader *reader, const struct spoor_result *row,
                            const char *column)
{
    const struct plot *plot = reader->data->plot;
    const bool by_trace = plot->mark != PLOT_STACK && plot->mark != PLOT_SPANS;
    struct text name = {0};
    if (plot->series) {
        plot_put_cell(reader, row, plot->series, true, &name);
        if (name.size) name.size--; /* the NUL */
    }
    if (column) text_printf(&name, "%s%s", name.size ? ", " : "", column);
    if (by_trace && reader->place.trace)
        text_printf(&name, "%s%s", name.size ? ", " : "", reader->place.trace);
    text_put(&name, "", 1);
    reader->data->failed |= name.failed;
    const uint32_t number =
        name.failed ? 0 : plot_names_number(reader->data, &reader->data->series, name.bytes);
    text_free(&name);
    return number;
}

static void plot_add_point(struct plot_reader *reader, const struct spoor_result *row,
                           const struct spoor_result *cell, const char *column)
{
    struct plot_data *data = reader->data;
    struct plot_point point = {.at = cell};
    if (!plot_cell_number(cell, &point.y)) return;
    /* A row that has not what x is is of another table of the same name. */
    const char *x = data->plot->x.key;
    char path[MAX_KEY];
    snprintf(path, sizeof path, "%.*s", (int)strcspn(x, "|@"), x);
    if (x[0] != '@' && !plot_cell(row, path)) return;
    if (!array_reserve(&data->points, &data->capacity, data->count + 1)) {
        data->failed = true;
        return;
    }
    point.series = plot_series(reader, row, column);
    const struct plot *plot = data->plot;
    struct text name = {0};
    plot_put_cell(reader, row, x, false, &name);
    const bool by_trace = plot->mark == PLOT_STACK || plot->mark == PLOT_SPANS;
    if (by_trace && reader->place.trace && name.size && strcmp(x, "@name") != 0) {
        name.size--;
        text_printf(&name, "%s%s", name.size ? ", " : "", reader->place.trace);
        text_put(&name, "", 1);
    }
    data->failed |= name.failed;
    if (!name.failed) point.category = plot_names_number(data, &data->categories, name.bytes);
    text_free(&name);
    /* x as a number, or else as a name. */
    const struct spoor_result *at = x[0] == '@' ? NULL : plot_cell(row, x);
    if (at && result_is_scalar(at)) point.x_at = at;
    if (strcmp(x, "@index") == 0 || (strcmp(x, "@key") == 0 && !row->key)) {
        point.x = (double)reader->place.index;
    } else {
        if (at && strchr(x, '#') && at->key && !data->x_key) data->x_key = strdup(at->key);
        if (!at || !plot_cell_number(at, &point.x)) {
            data->numeric = false;
            point.x = point.category;
        }
    }
    data->points[data->count++] = point;
}

/* Adds the point of the n-th column of y, whose name is in another table, or is its key. */
static void plot_add_column(struct plot_reader *reader, const struct spoor_result *row,
                            const struct spoor_result *cell, size_t number)
{
    struct text name = {0};
    const char *path = reader->data->plot->names;
    const char *dot = path ? strchr(path, '.') : NULL;
    const struct spoor_result *table =
        dot ? plot_cell_member(reader->result, path, (size_t)(dot - path)) : NULL;
    const struct spoor_result *named = table && !result_is_scalar(table) ? table->first : NULL;
    for (; named && number; number--) named = named->next;
    const struct spoor_result *words = named ? plot_cell(named, dot + 1) : NULL;
    if (words && result_is_scalar(words))
        result_put_plain(&name, words);
    else
        plot_put_words(&name, cell->key ? cell->key : "");
    text_put(&name, "", 1);
    reader->data->failed |= name.failed;
    if (!name.failed) plot_add_point(reader, row, cell, name.bytes);
    text_free(&name);
}

static void plot_add_row(struct plot_reader *reader, const struct spoor_result *row)
{
    const char *path = reader->data->plot->y.key, *window = reader->data->plot->window;
    const struct spoor_result *whole = window ? plot_cell(row, window) : NULL;
    double rows;
    if (whole && plot_cell_number(whole, &rows)) {
        if (!(reader->window > 0)) reader->window = rows;
        if (rows < reader->window) return;
    }
    if (strcmp(path, "@value") == 0) {
        if (result_is_scalar(row)) plot_add_point(reader, row, row, NULL);
    } else if (!strpbrk(path, "|*")) {
        const struct spoor_result *cell = plot_cell(row, path);
        if (cell && result_is_scalar(cell)) plot_add_point(reader, row, cell, NULL);
    } else {
        char part[MAX_KEY];
        while (*path) {
            const size_t size = strcspn(path, "|");
            snprintf(part, sizeof part, "%.*s", (int)size, path);
            path += size + (path[size] == '|');
            /* The columns that a part of the key names: "cpi_stack.*", "wrong_*" or "misses". */
            const char *name = part + (part[0] == '~');
            const char *star = strchr(name, '*'), *dot = strrchr(name, '.');
            if (!star) {
                const struct spoor_result *cell = plot_cell(row, name);
                if (cell && result_is_scalar(cell)) plot_add_column(reader, row, cell, 0);
                continue;
            }
            char object[MAX_KEY];
            const char *prefix = dot ? dot + 1 : name;
            const size_t prefix_size = (size_t)(star - prefix);
            snprintf(object, sizeof object, "%.*s", dot ? (int)(dot - name) : 0, name);
            const struct spoor_result *in = plot_cell(row, object);
            const struct spoor_result *cell = in && !result_is_scalar(in) ? in->first : NULL;
            for (size_t number = 0; cell; cell = cell->next)
                if (cell->key && strncmp(cell->key, prefix, prefix_size) == 0 &&
                    result_is_scalar(cell))
                    plot_add_column(reader, row, cell, number++);
        }
    }
    reader->place.index++;
}

/* ---- rows ---- */

static void plot_visit_rows(struct plot_reader *reader, const struct spoor_result *table)
{
    if (result_is_scalar(table)) return;
    reader->place.index = 0;
    for (const struct spoor_result *row = table->first; row; row = row->next)
        plot_add_row(reader, row);
}

/* Visits the tables that a path leads to: member after member, and each row of an array on the
 * way. */
static void plot_visit(struct plot_reader *reader, const struct spoor_result *node,
                       const char *path)
{
    while (*path && node && node->type == NODE_OBJECT) {
        const size_t size = strcspn(path, ".");
        node = plot_cell_member(node, path, size);
        path += size + (path[size] == '.');
    }
    if (!node) return;
    if (!*path) {
        plot_visit_rows(reader, node);
        return;
    }
    if (node->type != NODE_ARRAY) return;
    for (const struct spoor_result *row = node->first; row; row = row->next) {
        const struct place before = reader->place;
        const struct spoor_result *inner =
            row->type == NODE_OBJECT ? plot_cell_member(row, path, strcspn(path, ".")) : NULL;
        if (!inner || result_is_scalar(inner)) continue;
        /* The name of what is around the row: the first text of each object on the way. */
        const struct spoor_result *text = row->first;
        while (text && text->type != NODE_STRING) text = text->next;
        char *around = reader->place.around;
        const size_t used = strlen(around);
        if (text)
            snprintf(around + used, sizeof reader->place.around - used, "%s%s", used ? ", " : "",
                     text->string);
        plot_visit_rows(reader, inner);
        reader->place = before;
    }
}

/* ---- series whose names have parts in common ---- */

/* The n-th part of "lru, block 64, ways 2"; its size, 0: there is none. */
static const char *plot_names_part(const char *name, size_t number, size_t *size)
{
    const char *comma;
    while (number-- && (comma = strstr(name, ", "))) name = comma + 2;
    comma = strstr(name, ", ");
    *size = comma ? (size_t)(comma - name) : strlen(name);
    return name;
}

static size_t plot_names_count_parts(const char *name)
{
    size_t count = 1;
    while ((name = strstr(name, ", "))) {
        name += 2;
        count++;
    }
    return count;
}

/* Leaves out of the names of several series what all have in common: a policy, a block size. */
static void plot_names_shorten(struct plot_names *names)
{
    if (names->count < 2) return;
    size_t parts = plot_names_count_parts(names->items[0]);
    for (size_t i = 1; i < names->count; i++)
        if (plot_names_count_parts(names->items[i]) != parts) return;
    for (size_t part = parts; part-- > 0;) {
        size_t first_size;
        const char *first = plot_names_part(names->items[0], part, &first_size);
        bool shared = true;
        for (size_t i = 1; i < names->count && shared; i++) {
            size_t size;
            const char *name = plot_names_part(names->items[i], part, &size);
            shared = size == first_size && memcmp(first, name, size) == 0;
        }
        if (!shared) continue;
        for (size_t i = 0; i < names->count; i++) {
            size_t size;
            char *name = names->items[i], *at = name + (plot_names_part(name, part, &size) - name);
            char *rest = at + size;
            if (*rest)
                memmove(at, rest + 2, strlen(rest + 2) + 1);
            else
                at[at == name ? 0 : -2] = '\0';
        }
    }
}

void plot_data_read(struct plot_data *data, const struct plot *plot,
                    const struct spoor_result *results)
{
    *data = (struct plot_data){.plot = plot, .numeric = true};
    const bool array = results->type == NODE_ARRAY;
    const bool several = data->several = array && results->size > 1;
    const struct spoor_result *result = array ? results->first : results;
    if (result && !several && plot_trace_path(result)) {
        char name[MAX_CONTEXT];
        plot_put_trace_name(plot_trace_path(result), name, sizeof name);
        data->subtitle = strdup(name);
        data->failed |= !data->subtitle;
    }
    for (; result; result = array ? result->next : NULL) {
        struct plot_reader reader = {.data = data, .result = result};
        const char *path = plot_trace_path(result);
        const size_t before = data->count;
        char name[MAX_CONTEXT] = "";
        if (path) plot_put_trace_name(path, name, sizeof name);
        if (several) reader.place.trace = name;
        if (several || !plot->table[0])
            snprintf(reader.place.around, sizeof reader.place.around, "%s", name);
        if (plot->table[0])
            plot_visit(&reader, result, plot->table);
        else if (result->type == NODE_OBJECT)
            plot_add_row(&reader, result);
        if (data->count > before && result->type == NODE_OBJECT)
            plot_add_errors(data, result, before);
    }
    plot_names_shorten(&data->series);
    plot_data_range(data);
}

void plot_data_add(struct plot_data *data, double y, const char *series, const char *category)
{
    struct plot_point point = {.y = y};
    if (!array_reserve(&data->points, &data->capacity, data->count + 1)) {
        data->failed = true;
        return;
    }
    point.series = plot_names_number(data, &data->series, series);
    point.category = plot_names_number(data, &data->categories, category);
    point.x = point.category;
    data->points[data->count++] = point;
}

void plot_data_range(struct plot_data *data)
{
    for (size_t i = 0; i < data->count; i++) {
        const struct plot_point *point = &data->points[i];
        if (i == 0 || point->x < data->x_low) data->x_low = point->x;
        if (i == 0 || point->x > data->x_high) data->x_high = point->x;
        if (i == 0 || point->y < data->y_low) data->y_low = point->y;
        if (i == 0 || point->y > data->y_high) data->y_high = point->y;
        const double whole = plot_point_whole(point);
        if (whole < data->y_low) data->y_low = whole;
        if (whole > data->y_high) data->y_high = whole;
    }
}

void plot_data_free(struct plot_data *data)
{
    const struct plot_names *const lists[] = {&data->series, &data->categories};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        for (size_t k = 0; k < lists[i]->count; k++) free(lists[i]->items[k]);
        free(lists[i]->items);
    }
    free(data->points);
    free(data->x_key);
    free(data->subtitle);
}
