/* SPDX-License-Identifier: MIT */
/* result_table.h: an array of objects as rows and columns. */
#ifndef SPOOR_RESULT_RESULT_TABLE_H
#define SPOOR_RESULT_RESULT_TABLE_H

#include "result/result_node.h"

enum { MAX_TABLE_COLUMNS = 256, MAX_TABLES = 64 };

/* The keys of all rows in order of first appearance. */
struct table {
    const struct spoor_result *rows; /* the array */
    size_t count;
    const char *keys[MAX_TABLE_COLUMNS];
};

/* False if the array is empty, has a member that is not an object, has an object that contains an
 * object or an array of objects, or has too many keys. */
bool table_of(const struct spoor_result *array, struct table *table);

/* The first array of a result that is a table, depth first; false: there is none. */
bool table_first(const struct spoor_result *node, struct table *table);

/* A result without a table as one: a row with `key` and `value` for each value.  The caller frees
 * the rows; NULL: memory ran out. */
struct spoor_result *table_of_values(const struct spoor_result *root, struct table *table);

/* A cell as programs read it: the members of a list are joined by spaces. */
void table_put_cell(struct text *out, const struct spoor_result *cell);

/* True for an array of objects. */
bool result_is_table(const struct spoor_result *node);

/* True if every member of the array is a scalar (also of an empty one). */
bool result_is_list(const struct spoor_result *node);

/* Column `number`, from 0, of the rows that reports.def describes at a path of a report: each
 * member that is a value or a list of values, and those of an object as "object.member".  False
 * past the last. */
struct report_column {
    char name[64];
    bool is_address;
};
bool report_column(const char *report, const char *path, size_t number,
                   struct report_column *column);

/* Adds a key to the path of a member: keys joined by dots. */
enum { REPORT_PATH_SIZE = 96 };
void report_path_add(char path[REPORT_PATH_SIZE], const char *key, size_t size);

/* True for a member of `path`'s objects that a narrow text leaves out first. */
bool report_is_minor(const char *report, const char *path, const char *key);

/* How the results of parts of a trace merge, by keys.def: a number of `path`'s objects, or a
 * table. */
enum report_merge {
    MERGE_WHOLE, /* a SUM of whole numbers; others are left out */
    MERGE_SUM,
    MERGE_RATIO,
    MERGE_MEAN,
    MERGE_MAXIMUM,
    MERGE_DESIGN,
    MERGE_COMMON,
    MERGE_NONE,
    MERGES
};
struct report_merge_rule {
    enum report_merge how;
    const char *per; /* RATIO, MEAN */
};
struct report_merge_rule report_merge_rule_of(const char *report, const char *path,
                                              const char *key);

#endif
