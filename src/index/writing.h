/* SPDX-License-Identifier: MIT */
/* writing.h: the index of a .spoor file, made in the same pass that writes it. */
#ifndef SPOOR_INDEX_WRITING_H
#define SPOOR_INDEX_WRITING_H

#include "io/watch.h"
#include "spoor/reader.h"

struct index_options;
struct spoor_index_writing;
/* The options' folds and decode are used.  NULL if memory runs out. */
struct spoor_index_writing *index_writing_new(const struct index_options *options);
/* After the writer was closed. */
void index_writing_free(struct spoor_index_writing *writing);
/* After the writer was closed: true if memory ran out, and the file has no index. */
bool index_writing_failed(const struct spoor_index_writing *writing);
/* For writer_watch(). */
const struct writer_watch *index_writing_watch(const struct spoor_index_writing *writing);
/* Before the first batch of a reader, all of whose batches are written: its threads digest them. */
void index_writing_reads(struct spoor_index_writing *writing, struct spoor_reader *reader);

#endif
