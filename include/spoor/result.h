/* SPDX-License-Identifier: MIT */
/*
 * result.h: the result tree.  Results are data first.
 *
 * A tool fills a small tree; text, JSON and CSV are printed from it.  Nodes belong to the tree:
 * freeing the root frees all.  Functions that add a node return NULL only if memory runs out, and
 * do nothing if the tree is NULL.  So a tool need not check each call: spoor_result_complete()
 * reports at the end whether everything was added.
 */
#ifndef SPOOR_RESULT_H
#define SPOOR_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct spoor_result;

/* A tree whose root is an object or an array. */
struct spoor_result *spoor_result_new_object(void);
struct spoor_result *spoor_result_new_array(void);
void spoor_result_free(struct spoor_result *root);
bool spoor_result_complete(const struct spoor_result *root);
/* The tree is not complete: memory ran out while its content was made. */
void spoor_result_fail(struct spoor_result *in);

/* Adds a member to an object (`key` copied, kept in order of adding) or, with key NULL, to an
 * array. `hex` numbers print as 0x... in text and as a string "0x..." in JSON. */
struct spoor_result *spoor_result_object(struct spoor_result *in, const char *key);
struct spoor_result *spoor_result_array(struct spoor_result *in, const char *key);
void spoor_result_unsigned(struct spoor_result *in, const char *key, uint64_t value);
void spoor_result_signed(struct spoor_result *in, const char *key, int64_t value);
void spoor_result_hex(struct spoor_result *in, const char *key, uint64_t value);
/* A size in bytes: 512K in text, a number of bytes in JSON and CSV. */
void spoor_result_size(struct spoor_result *in, const char *key, uint64_t bytes);
/* `decimals` are those of text, where a number below 1 has three significant digits at least; JSON
 * and CSV have all digits that distinguish the number from its neighbours.  A key that ends in
 * "_ratio" is that of a share, from 0 to 1, which text prints per cent, with two decimals. */
void spoor_result_real(struct spoor_result *in, const char *key, double value, int decimals);
void spoor_result_bool(struct spoor_result *in, const char *key, bool value);
void spoor_result_text(struct spoor_result *in, const char *key, const char *text); /* NULL: none */
void spoor_result_bytes(struct spoor_result *in, const char *key, const char *bytes, size_t size);
/* What is not known: "-" in text, left out of the objects of JSON, an empty cell of CSV, null in
 * Parquet and in arrays of JSON. */
void spoor_result_null(struct spoor_result *in, const char *key);
/* The number, or none where it is not known. */
void spoor_result_unsigned_if(struct spoor_result *in, const char *key, bool known, uint64_t value);
void spoor_result_hex_if(struct spoor_result *in, const char *key, bool known, uint64_t value);
void spoor_result_real_if(struct spoor_result *in, const char *key, bool known, double value,
                          int decimals);

/* States the keys of an array's rows, separated by commas, so that an array without rows, too, has
 * the columns of its table.  The string must live as long as the tree. */
void spoor_result_set_columns(struct spoor_result *array, const char *keys);
/* Text does not mention the member that was added last, as it says nothing odd; JSON has it. */
void spoor_result_hide_last(struct spoor_result *in);

/* ---- reading ---- */

/* What a value is.  HEX and SIZE are whole numbers that are printed in their own way. */
enum spoor_result_type {
    SPOOR_RESULT_OBJECT,
    SPOOR_RESULT_ARRAY,
    SPOOR_RESULT_UNSIGNED,
    SPOOR_RESULT_SIGNED,
    SPOOR_RESULT_HEX,
    SPOOR_RESULT_SIZE,
    SPOOR_RESULT_REAL,
    SPOOR_RESULT_BOOL,
    SPOOR_RESULT_STRING,
    SPOOR_RESULT_NULL
};
enum spoor_result_type spoor_result_type_of(const struct spoor_result *value); /* NULL: NULL */
/* The members of an object or array, in order, and how many; `next` of the last one is NULL, and so
 * is `first` of a value that has none, or is NULL. */
const struct spoor_result *spoor_result_first(const struct spoor_result *value);
const struct spoor_result *spoor_result_next(const struct spoor_result *value);
size_t spoor_result_count(const struct spoor_result *value);
/* The key of an object's member; NULL for a member of an array. */
const char *spoor_result_key(const struct spoor_result *value);
/* The first member of that key; NULL: there is none, or the value is NULL or no object. */
const struct spoor_result *spoor_result_member(const struct spoor_result *value, const char *key);
/* A number or boolean as a real number; 0 for another value. */
double spoor_result_number(const struct spoor_result *value);
/* A whole number, not SIGNED, or boolean; 0 for another value. */
uint64_t spoor_result_whole(const struct spoor_result *value);
/* A SIGNED number; 0 for another value. */
int64_t spoor_result_integer(const struct spoor_result *value);
/* A string, NUL-terminated after its `*size` bytes (`size` may be NULL); it lives as long as the
 * tree.  NULL for another value, and for NULL. */
const char *spoor_result_string(const struct spoor_result *value, size_t *size);
/* A number or string as people read it, NUL-terminated, "" for any other value; the caller frees.
 * NULL if memory runs out. */
char *spoor_result_to_plain(const struct spoor_result *value);
/* Adds a copy of a value, its members included. */
void spoor_result_copy(struct spoor_result *in, const char *key, const struct spoor_result *value);

/* ---- printing ---- */

/* Prints to a malloc'd NUL-terminated string that the caller frees; NULL if memory runs out.  Text:
 * objects as aligned "key  value" lines with '_' of a key as a space and "%" for the "ratio" of a
 * share, arrays of objects as tables with aligned columns, nested objects indented.  CSV (RFC 4180,
 * but lines end in LF): the first array of objects found as rows under a line of keys, else
 * key,value lines with the keys of nested objects joined by dots.  Strings that are not UTF-8 are
 * escaped so that the JSON is always valid. */
/* Text for people: on a screen of `columns` (0: without limit) no table and no list is wider,
 * unless `wide`: a few rows stand side by side, or columns are left out and named below, first
 * those that the description of the result named `report` (NULL: none) says are no part of a narrow
 * text; `grouped`: counts with a comma between thousands; `color`: the labels
 * in colour, by ANSI escapes.  NULL: as a style of zeros. */
struct spoor_result_style {
    unsigned columns;
    bool wide, grouped, color;
    const char *report;
};
char *spoor_result_to_styled_text(const struct spoor_result *root,
                                  const struct spoor_result_style *style, size_t *size);
/* The results of several traces, an array of at most 64 objects, as columns of one table: a line
 * for each member.  Results for which the screen has no column follow in another block.  NULL:
 * memory ran out, or the value is no such array. */
char *spoor_result_to_columns(const struct spoor_result *results,
                              const struct spoor_result_style *style, size_t *size);
char *spoor_result_to_json(const struct spoor_result *root, size_t *size);
char *spoor_result_to_csv(const struct spoor_result *root, size_t *size);
/* The table that spoor_result_to_csv() prints, as an Apache Parquet file of `*size` bytes, which
 * the caller frees and which are not NUL-terminated.  Counts, sizes and addresses are unsigned
 * integers of 64 bits, numbers with decimals doubles; a column whose cells have different types,
 * and lists, are texts; a cell that a row lacks is null.  A result without a table has two columns
 * of texts, `key` and `value`.  NULL if memory runs out, or if the table has more than 256 columns.
 * ("Parquet file format", Apache Parquet 2.11; docs/formats/parquet.md.) */
char *spoor_result_to_parquet(const struct spoor_result *root, size_t *size);

/* A table of the result, the arrays of objects with this key (NULL: the root, an array), as a new
 * array of flat rows, which the caller frees: members of an object in a row become "object.member",
 * and the first text of each row around it (the name of a trace, of a cache) comes first.  NULL:
 * there is no such table, or memory ran out. */
struct spoor_result *spoor_result_table(const struct spoor_result *root, const char *name);
/* Fills in the keys of the tables of a result, outer ones first; returns their number, at most
 * `capacity`. */
size_t spoor_result_tables(const struct spoor_result *root, const char *names[], size_t capacity);
/* The keys of all rows of a table, in order of first appearance; returns their number, at most
 * `capacity`.  0: the value is no array of flat objects, or has no row.  The keys live as long as
 * the tree. */
size_t spoor_result_columns(const struct spoor_result *table, const char *keys[], size_t capacity);

/* ---- descriptions ---- */

/* The name of result `number` that is described: those of the verbs, and others that verbs have;
 * NULL past the last. */
const char *spoor_result_described(size_t number);
/* The JSON Schema (draft 2020-12) of such a result, of one trace, NUL-terminated after its `*size`
 * bytes (`size` may be NULL); the caller frees.  NULL if there is none of that name, or if memory
 * runs out. */
char *spoor_result_schema(const char *name, size_t *size);
/* A line for each member of a result, of one trace or an array of several, that its description
 * lacks, has as another type, or demands in vain; "" if it fits.  NUL-terminated after its `*size`
 * bytes; the caller frees.  NULL if memory runs out. */
char *spoor_result_problems(const char *name, const struct spoor_result *result, size_t *size);

#ifdef __cplusplus
}
#endif

#endif
