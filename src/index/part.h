/* SPDX-License-Identifier: MIT */
/*
 * part.h: the index of a trace from parts that are read one by one, by several processes or on
 * several machines.
 *
 * A part is a range of bytes of the decompressed trace: it has the batches that begin there, which
 * are those of a reading of the whole trace, because their boundaries follow from the bytes alone.
 * Where a segment begins, which registers are known and which calls are open depends on all batches
 * before.  So a part keeps what the ordered stage (builder.h) needs of each of its batches: the
 * place, the digest, and the records that the digest refers to.  Joining runs that stage over the
 * batches of all parts; the index is that of one reading, byte for byte.  A batch that cannot be
 * digested is kept with all its records.
 *
 * What records inherit (a time, a processor) is resolved before they are kept.  A part of a format
 * that inherits from the last records alone begins to read a little earlier; one of another format
 * that inherits reads all before.  Joining verifies that each part began with what the part before
 * it ended with.
 */
#ifndef SPOOR_INDEX_PART_H
#define SPOOR_INDEX_PART_H

#include "base/pack.h"
#include "index/index.h"
#include "spoor/partial.h"

/* ---- reading ---- */

struct spoor_index_part;
/* Opens the trace.  The options' format, decode, threads, memory, segment_bytes and functions are
 * used.  SPOOR_EUSAGE: a file that has its index in itself. */
enum spoor_status index_part_open(struct spoor_index_part **part, const char *path,
                                  const struct index_options *options, struct spoor_error *error);
void index_part_close(struct spoor_index_part *part);
/* Reads the batches that begin from byte `first` of the decompressed trace up to before `end`
 * (UINT64_MAX: to the end of the trace), and forgets those of the part before, which ended at
 * `first` if there was one.  SPOOR_OK also if the trace is damaged: the joined index states it. */
enum spoor_status index_part_read(struct spoor_index_part *part, uint64_t first, uint64_t end,
                                  struct spoor_error *error);
const struct spoor_format *index_part_format(const struct spoor_index_part *part);
/* Appends what was read; if memory runs out, the text is marked failed. */
void index_part_pack(const struct spoor_index_part *part, struct text *bytes);
/* Bytes of a decompressed trace: the size of a plain file; else it is decompressed to know it. */
enum spoor_status index_part_measure(uint64_t *size, const char *path,
                                     const struct index_options *options,
                                     struct spoor_error *error);

/* ---- joining ---- */

struct index_parts;
/* One part; refers to the bytes, which must outlive it.  NULL: they are damaged, or memory ran out.
 */
struct index_parts *index_parts_unpack(struct unpacker *from);
void index_parts_free(struct index_parts *parts);
/* Appends the parts of `next`, which follow.  SPOOR_EUSAGE: they do not. */
enum spoor_status index_parts_merge(struct index_parts *parts, const struct index_parts *next,
                                    struct spoor_error *error);
/* Makes the index of the trace with this identity.  SPOOR_EUSAGE: part *number, from 0, does not go
 * on as the one before it ends; SPOOR_EINPUT: it is damaged, or nothing of the trace could be read.
 */
enum spoor_status index_parts_join(const struct index_parts *parts, struct index **index,
                                   const struct spoor_format *format,
                                   const struct fingerprint *trace, size_t *number,
                                   struct spoor_error *error);

#endif
