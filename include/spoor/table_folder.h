/* SPDX-License-Identifier: MIT */
/*
 * table_folder.h: the records of a trace as Apache Parquet tables in a folder, a file for each
 * kind.
 *
 *     struct spoor_table_folder *folder;
 *     spoor_table_folder_new(&folder, "tables", &options, &error);
 *     for each batch, in order: spoor_table_folder_feed(folder, batch, &error);
 *     spoor_table_folder_end(folder, &error);        the files get their names
 *     spoor_table_folder_free(folder);
 *
 * The files are FOLDER/mem.parquet, FOLDER/insn.parquet ...  Partitioned, they are
 * FOLDER/kind=mem/cpu=cpu0/part=0/records.parquet, as Hive, DuckDB, Spark and ClickHouse read them:
 * part N has those of the trace's records from N * 2^20 on.  docs/formats/parquet.md has the
 * columns.  Memory is at most about 100 MiB, whatever the trace.  (One file of all kinds: a writer
 * of the format "parquet", spoor/writer.h.)
 */
#ifndef SPOOR_TABLE_FOLDER_H
#define SPOOR_TABLE_FOLDER_H

#include "batch.h"
#include "error.h"
#include "writer.h"

#ifdef __cplusplus
extern "C" {
#endif

struct spoor_table_folder_options {
    size_t struct_size; /* sizeof this struct */
    bool partitioned;
    enum spoor_level level;  /* the effort to make the files small */
    unsigned threads;        /* that encode, with the caller's; the bytes are the same; 0: 1 */
    const char *description; /* lines "key=value" for the metadata of each file; NULL: none.  It
                              * must outlive the folder */
    /* How a file is opened and closed, with `context`; NULL: spoor_output_open(), and
     * spoor_output_close() or, where `whole` is false, spoor_output_discard(). */
    enum spoor_status (*open)(void *context, struct spoor_output **output, const char *path,
                              struct spoor_error *error);
    enum spoor_status (*close)(void *context, struct spoor_output *output, bool whole,
                               struct spoor_error *error);
    void *context;
};

struct spoor_table_folder;

/* Makes the folder, unless it is there; the path must outlive the object.  On SPOOR_OK the caller
 * owns *folder.  SPOOR_EUSAGE: the folder is not empty; SPOOR_EOUTPUT: it cannot be made. */
enum spoor_status spoor_table_folder_new(struct spoor_table_folder **folder, const char *path,
                                         const struct spoor_table_folder_options *options,
                                         struct spoor_error *error);
/* Adds a batch; batches are those of one trace, in order. */
enum spoor_status spoor_table_folder_feed(struct spoor_table_folder *folder,
                                          const struct spoor_batch *batch,
                                          struct spoor_error *error);
/* The trace has ended: completes the files, which appear unless something failed.  A partition that
 * was complete before has appeared already. */
enum spoor_status spoor_table_folder_end(struct spoor_table_folder *folder,
                                         struct spoor_error *error);
/* Frees it; files that spoor_table_folder_end() did not complete do not appear. */
void spoor_table_folder_free(struct spoor_table_folder *folder);

#ifdef __cplusplus
}
#endif

#endif
