/* SPDX-License-Identifier: MIT */
/* table_folder.c: a Parquet file for each kind of record, or for each partition. */
#include "spoor/table_folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/text.h"
#include "columns/chunk_pool.h"
#include "columns/parquet_file.h"
#include "model/error.h"
#include "model/options.h"

enum {
    PART_RECORDS = 1 << 20, /* of the trace, in a part of a partitioned folder */
    MEMORY_MAX = 96 << 20,  /* of all row groups that were begun */
};

/* An open file. */
struct table_file {
    unsigned kind;
    spoor_name cpu; /* SPOOR_NO_NAME: not partitioned, or the records name none */
    struct parquet_file *table;
    struct text path; /* of the output: it must outlive it */
    struct spoor_output *output;
    struct text bytes; /* to be put */
    uint32_t *indexes; /* of the records of the current batch */
    size_t count, capacity;
};

struct spoor_table_folder {
    struct spoor_table_folder_options options;
    const char *path;
    struct chunk_pool *pool; /* of all files */
    uint64_t part;           /* number of the current part */
    struct table_file *files;
    size_t count, capacity;
    const struct spoor_names *names; /* of the trace */
    struct spoor_error error;
    bool failed;
};

static bool table_folder_no_memory(struct spoor_table_folder *folder)
{
    if (!folder->failed) error_no_memory(&folder->error);
    folder->failed = true;
    return false;
}

/* ---- names ---- */

static bool table_folder_make(struct spoor_table_folder *folder, const char *path)
{
    if (mkdir(path, 0777) == 0 || errno == EEXIST) return true;
    spoor_error_set(&folder->error, SPOOR_EOUTPUT, "%s: cannot be made: %s", path, strerror(errno));
    folder->failed = true;
    return false;
}

static bool table_folder_make_subfolder(struct spoor_table_folder *folder, struct text *path)
{
    text_put(path, "", 1);
    path->size -= !path->failed;
    return !path->failed && table_folder_make(folder, path->bytes);
}

static bool table_folder_put_path(struct spoor_table_folder *folder, const struct table_file *file,
                                  struct text *path)
{
    const char *kind = spoor_kind_name((enum spoor_kind)file->kind);
    const size_t size = strlen(folder->path);
    const bool slash = folder->path[size - 1] == '/';
    text_printf(path, "%s%s", folder->path, slash ? "" : "/");
    if (!folder->options.partitioned) {
        text_printf(path, "%s.parquet", kind);
        text_put(path, "", 1);
        return !path->failed;
    }
    text_printf(path, "kind=%s", kind);
    if (!table_folder_make_subfolder(folder, path)) return false;
    size_t cpu_size = 0;
    const char *cpu = "";
    if (file->cpu != SPOOR_NO_NAME) cpu = spoor_names_text(folder->names, file->cpu, &cpu_size);
    text_puts(path, "/cpu=");
    /* A value of a partition, as Hive spells it: what a file name cannot have is %XX. */
    if (cpu_size == 0) text_puts(path, "__HIVE_DEFAULT_PARTITION__");
    for (size_t i = 0; i < cpu_size; i++) {
        const unsigned char byte = (unsigned char)cpu[i];
        if (byte < ' ' || byte >= 0x7F || strchr("\"#%'*/:=?\\{[]^", byte))
            text_printf(path, "%%%02X", byte);
        else
            text_put(path, &cpu[i], 1);
    }
    if (!table_folder_make_subfolder(folder, path)) return false;
    text_printf(path, "/part=%llu", (unsigned long long)folder->part);
    if (!table_folder_make_subfolder(folder, path)) return false;
    text_puts(path, "/records.parquet");
    text_put(path, "", 1);
    return !path->failed;
}

/* ---- files ---- */

static bool table_folder_put_bytes(struct spoor_table_folder *folder, struct table_file *file)
{
    const bool good = spoor_output_put(file->output, file->bytes.bytes, file->bytes.size,
                                       &folder->error) == SPOOR_OK;
    file->bytes.size = 0;
    folder->failed |= !good;
    return good;
}

/* Ends every file; they appear if nothing failed. */
static void table_folder_close_files(struct spoor_table_folder *folder, bool whole)
{
    for (size_t i = 0; i < folder->count; i++) {
        struct table_file *file = &folder->files[i];
        if (file->table && !folder->failed) {
            if (!parquet_file_end(file->table, folder->options.description, &file->bytes))
                table_folder_no_memory(folder);
            else
                table_folder_put_bytes(folder, file);
        }
    }
    for (size_t i = 0; i < folder->count; i++) {
        struct table_file *file = &folder->files[i];
        struct spoor_error *error = folder->failed ? NULL : &folder->error;
        if (file->output && folder->options.close(folder->options.context, file->output,
                                                  whole && !folder->failed, error) != SPOOR_OK)
            folder->failed = true;
        parquet_file_free(file->table);
        text_free(&file->bytes);
        text_free(&file->path);
        free(file->indexes);
    }
    folder->count = 0;
}

/* The processor whose file takes the record. */
static spoor_name table_folder_cpu_of(const struct spoor_table_folder *folder,
                                      const struct spoor_record *record)
{
    return folder->options.partitioned && (record->has & SPOOR_HAS_CPU) ? record->cpu
                                                                        : SPOOR_NO_NAME;
}

/* ---- records ---- */

/* The file that takes the record, with capacity for indexes of so many. */
static struct table_file *table_folder_file(struct spoor_table_folder *folder,
                                            const struct spoor_batch *batch,
                                            const struct spoor_record *record, size_t count)
{
    const spoor_name cpu = table_folder_cpu_of(folder, record);
    struct table_file *file = NULL;
    for (size_t i = 0; i < folder->count && !file; i++)
        if (folder->files[i].kind == record->kind && folder->files[i].cpu == cpu)
            file = &folder->files[i];
    if (!file) {
        if (!array_reserve(&folder->files, &folder->capacity, folder->count + 1)) {
            table_folder_no_memory(folder);
            return NULL;
        }
        file = &folder->files[folder->count++];
        *file = (struct table_file){.kind = record->kind, .cpu = cpu};
        bool good = table_folder_put_path(folder, file, &file->path);
        if (!good) table_folder_no_memory(folder);
        if (good) {
            good = folder->options.open(folder->options.context, &file->output, file->path.bytes,
                                        &folder->error) == SPOOR_OK;
            folder->failed |= !good;
        }
        file->table =
            good ? parquet_file_new(columns_new((int)file->kind, GROUP_ROWS), folder->pool) : NULL;
        if (good && !file->table) table_folder_no_memory(folder);
        if (!file->table) return NULL;
        parquet_file_unit(file->table, spoor_record_unit(batch, record));
    }
    if (array_reserve(&file->indexes, &file->capacity, count)) return file;
    table_folder_no_memory(folder);
    return NULL;
}

/* Finds the records of each file of a partition. */
static bool table_folder_find_by_partition(struct spoor_table_folder *folder,
                                           const struct spoor_batch *batch, size_t from, size_t to)
{
    struct table_file *file = NULL;
    for (size_t i = from; i < to; i++) {
        const struct spoor_record *record = &batch->records[i];
        if (!file || file->kind != record->kind || file->cpu != table_folder_cpu_of(folder, record))
            file = table_folder_file(folder, batch, record, to - from);
        if (!file) return false;
        file->indexes[file->count++] = (uint32_t)i;
    }
    return true;
}

/* Finds the records of each file of a kind. */
static bool table_folder_find_by_kind(struct spoor_table_folder *folder,
                                      const struct spoor_batch *batch, size_t from, size_t to)
{
    uint32_t *next[SPOOR_KINDS] = {0};
    for (size_t i = from; i < to; i++) {
        const struct spoor_record *record = &batch->records[i];
        uint32_t **end = &next[record->kind];
        if (!*end) {
            const struct table_file *file = table_folder_file(folder, batch, record, to - from);
            if (!file) return false;
            *end = file->indexes;
        }
        *(*end)++ = (uint32_t)i;
    }
    for (size_t i = 0; i < folder->count; i++) {
        struct table_file *file = &folder->files[i];
        if (next[file->kind]) file->count = (size_t)(next[file->kind] - file->indexes);
    }
    return true;
}

static bool table_folder_put_run(struct spoor_table_folder *folder, const struct spoor_batch *batch,
                                 size_t from, size_t to)
{
    if (!(folder->options.partitioned ? table_folder_find_by_partition
                                      : table_folder_find_by_kind)(folder, batch, from, to))
        return false;
    for (size_t i = 0; i < folder->count && !folder->failed; i++) {
        struct table_file *file = &folder->files[i];
        if (!parquet_file_add(file->table, batch, file->indexes, file->count, &file->bytes))
            return table_folder_no_memory(folder);
        file->count = 0;
        if (file->bytes.size) table_folder_put_bytes(folder, file);
    }
    /* Row groups that were begun take limited memory: the largest ends early. */
    while (!folder->failed) {
        struct table_file *largest = NULL;
        size_t all = 0;
        for (size_t i = 0; i < folder->count; i++) {
            struct table_file *file = &folder->files[i];
            const size_t memory = parquet_file_memory(file->table);
            if (!largest || memory > parquet_file_memory(largest->table)) largest = file;
            all += memory;
        }
        if (all <= MEMORY_MAX) break;
        if (!parquet_file_flush(largest->table, &largest->bytes))
            return table_folder_no_memory(folder);
        table_folder_put_bytes(folder, largest);
    }
    return !folder->failed;
}

/* ---- the public interface ---- */

static enum spoor_status table_folder_open_plainly(void *context, struct spoor_output **output,
                                                   const char *path, struct spoor_error *error)
{
    (void)context;
    return spoor_output_open(output, path, error);
}

static enum spoor_status table_folder_close_plainly(void *context, struct spoor_output *output,
                                                    bool whole, struct spoor_error *error)
{
    (void)context;
    if (whole) return spoor_output_close(output, error);
    spoor_output_discard(output);
    return SPOOR_OK;
}

/* SPOOR_OK, or the first failure. */
static enum spoor_status table_folder_status(const struct spoor_table_folder *folder,
                                             struct spoor_error *error)
{
    if (!folder->failed) return SPOOR_OK;
    if (error) *error = folder->error;
    return folder->error.status;
}

enum spoor_status spoor_table_folder_new(struct spoor_table_folder **made, const char *path,
                                         const struct spoor_table_folder_options *options,
                                         struct spoor_error *error)
{
    struct spoor_table_folder_options own;
    enum spoor_status status = options_read(&own, sizeof own, options, error);
    if (status != SPOOR_OK) return status;
    if (!own.open) own.open = table_folder_open_plainly;
    if (!own.close) own.close = table_folder_close_plainly;
    struct spoor_table_folder *folder = calloc(1, sizeof *folder);
    if (!folder) return memory_status(false, error);
    *folder = (struct spoor_table_folder){.options = own, .path = path};
    folder->pool = chunk_pool_new(own.level, own.threads);
    if (!folder->pool) {
        table_folder_no_memory(folder);
    } else if (table_folder_make(folder, path)) {
        DIR *entries = opendir(path);
        bool empty = entries != NULL;
        for (const struct dirent *entry; empty && (entry = readdir(entries));)
            empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
        if (entries) closedir(entries);
        if (!empty)
            spoor_error_set(&folder->error, SPOOR_EUSAGE,
                            "%s: expected an empty folder to write tables into", path);
        folder->failed = !empty;
    }
    status = table_folder_status(folder, error);
    if (status == SPOOR_OK)
        *made = folder;
    else
        spoor_table_folder_free(folder);
    return status;
}

enum spoor_status spoor_table_folder_feed(struct spoor_table_folder *folder,
                                          const struct spoor_batch *batch,
                                          struct spoor_error *error)
{
    folder->names = batch->stream->names;
    for (size_t from = 0, to; from < batch->count && !folder->failed; from = to) {
        to = batch->count;
        if (folder->options.partitioned) {
            const uint64_t part = (batch->first + from) / PART_RECORDS;
            const uint64_t end = (part + 1) * PART_RECORDS - batch->first;
            if (part != folder->part) table_folder_close_files(folder, true);
            folder->part = part;
            to = end < to ? (size_t)end : to;
        }
        if (!table_folder_put_run(folder, batch, from, to)) break;
    }
    return table_folder_status(folder, error);
}

enum spoor_status spoor_table_folder_end(struct spoor_table_folder *folder,
                                         struct spoor_error *error)
{
    table_folder_close_files(folder, true);
    return table_folder_status(folder, error);
}

void spoor_table_folder_free(struct spoor_table_folder *folder)
{
    if (!folder) return;
    table_folder_close_files(folder, false);
    free(folder->files);
    chunk_pool_free(folder->pool);
    free(folder);
}
