/* SPDX-License-Identifier: MIT */
/*
 * arrow.h: records as Apache Arrow data, for any program that speaks Arrow's C stream interface:
 * pyarrow, pandas, polars, DuckDB, R.
 *
 * The three structs are those of the interface and have its names; programs exchange them without
 * a common library.  A stream gives the records of one kind, or of all kinds with a column `kind`,
 * as arrays of structs.  The columns are those of docs/formats/parquet.md: uint64, int64, bool and
 * utf8, null where a record does not have the field.
 * ("The Arrow C data interface", "The Arrow C stream interface", Apache Arrow 1.5.)
 */
#ifndef SPOOR_ARROW_H
#define SPOOR_ARROW_H

#include <stddef.h>
#include <stdint.h>

#include "reader.h"
#include "select.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    struct ArrowSchema **children, *dictionary;
    void (*release)(struct ArrowSchema *schema);
    void *private_data;
};
struct ArrowArray {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    struct ArrowArray **children, *dictionary;
    void (*release)(struct ArrowArray *array);
    void *private_data;
};
#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE
struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *stream, struct ArrowSchema *schema);
    int (*get_next)(struct ArrowArrayStream *stream, struct ArrowArray *array);
    const char *(*get_last_error)(struct ArrowArrayStream *stream);
    void (*release)(struct ArrowArrayStream *stream);
    void *private_data;
};
#endif

struct spoor_arrow_options {
    size_t struct_size; /* sizeof this struct */
    const char *kind;   /* name of the records' kind, such as "mem"; NULL: all kinds */
    size_t rows;        /* of an array, at most; 0: 65,536 */
    const struct spoor_select *where; /* only these records; NULL: all.  It must outlive the
                                       * stream */
    const char *const *fields;        /* names of columns; NULL: all.  A field that can have values
                                       * of over 64 bits brings its column FIELD_hex */
    size_t field_count;
};

/* Fills *stream (options NULL: all defaults), which then owns the reader: the caller calls
 * stream->release(stream), and no function on the reader any more.  get_next() gives an array that
 * is released when the records have ended; EIO where the trace cannot be read, ENOMEM where memory
 * runs out; get_last_error() has the sentence.  Lines that break the format are records, as for
 * every reader.  After an error the caller still owns the reader. */
enum spoor_status spoor_arrow_export(struct spoor_reader *reader,
                                     const struct spoor_arrow_options *options,
                                     struct ArrowArrayStream *stream, struct spoor_error *error);

#ifdef __cplusplus
}
#endif

#endif
