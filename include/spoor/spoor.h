/* SPDX-License-Identifier: MIT */
/*
 * spoor.h: libspoor and libspoor-tools, the libraries that the program `spoor` is built on.
 * Includes every public header.
 *
 *     struct spoor_error error = {0};
 *     struct spoor_reader *reader;
 *     if (spoor_reader_open(&reader, "trace.gz", NULL, &error) != SPOOR_OK)
 *         die(error.text);
 *     const struct spoor_batch *batch;
 *     enum spoor_status status;
 *     while ((status = spoor_reader_next(reader, &batch, &error)) == SPOOR_OK)
 *         for (size_t i = 0; i < batch->count; i++)
 *             use(&batch->records[i]);
 *     if (status != SPOOR_END)
 *         die(error.text);
 *     spoor_reader_close(reader);
 *
 * The tools (what a trace has, what a design would do with it, what the program did) share one
 * contract.  For a tool X:
 *
 *     struct spoor_X_options options = {.struct_size = sizeof options, ...};
 *     struct spoor_X *x;
 *     spoor_X_new(&x, &options, &error);      makes one; NULL in place of options: the defaults
 *     spoor_X_feed(x, batch, &error);         for each batch (references, branches), in order
 *     spoor_X_end(x, &error);                 the trace has ended
 *     spoor_X_report(x, result);              adds to a result tree; SPOOR_ENOMEM: not all of it
 *     spoor_X_free(x);                        NULL is allowed
 *
 * What can fail returns a status, and fills the error where it has one (NULL: nobody reads it).
 *
 * Options begin with their size.  A later version of the library may add members at the end; those
 * that a program does not have are zero, which is always the default.  A size of 0 stands for the
 * members of version 0.1.  Members that are set and that the library does not know are
 * SPOOR_EUSAGE.
 *
 * A struct that the library fills begins with its size, too, which the caller sets: members that a
 * program does not have are left out, those that the library does not have become zero.
 *
 * Several threads may call functions at the same time on different objects.  Only one thread at a
 * time may use an object.
 *
 * Where to look in libspoor:
 *
 *     records     record.h, batch.h, names.h, field.h, error.h, branch.h
 *     in and out  format.h, describe.h, reader.h, view.h, select.h, signal.h; writer.h, rows.h,
 *                 loss.h
 *     a trace     info.h, check.h, diff.h, cut.h, merge.h, listing.h
 *     a program   index.h, explore.h, fault.h, instruction.h, calls.h, exceptions.h, image.h,
 *                 vcd.h, memory_strings.h
 *     results     result.h, combine.h; version.h
 *
 * And in libspoor-tools, which may change in a minor version:
 *
 *     a program   profile.h, coverage.h, annotate.h, call_tree.h, machine_stats.h, mix.h
 *     a design    component.h, cache.h, sweep.h, curve.h, tlb.h, paging.h, predictor.h,
 *                 prediction.h, pipeline.h, value.h; plugin.h for those of one's own, and
 *                 fold.h for questions of one's own
 *     less work   phases.h
 *     outside     plot.h, sql.h, arrow.h, table_folder.h
 */
#ifndef SPOOR_H
#define SPOOR_H

#include "annotate.h"
#include "arrow.h"
#include "batch.h"
#include "branch.h"
#include "cache.h"
#include "call_tree.h"
#include "calls.h"
#include "check.h"
#include "combine.h"
#include "component.h"
#include "coverage.h"
#include "curve.h"
#include "cut.h"
#include "describe.h"
#include "diff.h"
#include "error.h"
#include "exceptions.h"
#include "explore.h"
#include "fault.h"
#include "field.h"
#include "fold.h"
#include "format.h"
#include "image.h"
#include "index.h"
#include "info.h"
#include "instruction.h"
#include "listing.h"
#include "loss.h"
#include "machine_stats.h"
#include "memory_strings.h"
#include "merge.h"
#include "mix.h"
#include "names.h"
#include "paging.h"
#include "phases.h"
#include "pipeline.h"
#include "plot.h"
#include "plugin.h"
#include "prediction.h"
#include "predictor.h"
#include "profile.h"
#include "reader.h"
#include "record.h"
#include "result.h"
#include "rows.h"
#include "select.h"
#include "signal.h"
#include "sql.h"
#include "sweep.h"
#include "table_folder.h"
#include "tlb.h"
#include "value.h"
#include "vcd.h"
#include "version.h"
#include "view.h"
#include "writer.h"

#endif
