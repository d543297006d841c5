/* SPDX-License-Identifier: MIT */
/* trace_symbols.h: the functions that the records of a trace name, collected batch by batch. */
#ifndef SPOOR_IMAGE_TRACE_SYMBOLS_H
#define SPOOR_IMAGE_TRACE_SYMBOLS_H

#include "base/text.h"
#include "spoor/batch.h"
#include "spoor/image.h"

struct trace_names;
/* NULL if memory runs out. */
struct trace_names *trace_names_new(void);
void trace_names_free(struct trace_names *names);
/* Adds those of a batch.  False: memory ran out. */
bool trace_names_add(struct trace_names *names, const struct spoor_batch *batch);
/* Bytes of memory that they take. */
size_t trace_names_size(const struct trace_names *names);
/* After the last batch: appends them as nm -S prints symbols.  False: memory ran out. */
bool trace_names_list(struct trace_names *names, struct text *list);
/* Adds such a list, which is emptied, to a set, as the symbols of the trace at `path`. */
enum spoor_status trace_names_add_to(struct spoor_images *images, const char *path,
                                     struct text *list, struct spoor_error *error);

#endif
