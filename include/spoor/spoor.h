/* SPDX-License-Identifier: MIT */
/*
 * spoor.h: libspoor, the library that the program `spoor` is built on.  Includes every public
 * header.
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
 * Several threads may call functions at the same time on different objects.  Only one thread at a
 * time may use an object.
 */
#ifndef SPOOR_H
#define SPOOR_H

#include "annotate.h"
#include "batch.h"
#include "cache.h"
#include "call_tree.h"
#include "check.h"
#include "coverage.h"
#include "curve.h"
#include "cut.h"
#include "diff.h"
#include "error.h"
#include "exceptions.h"
#include "field.h"
#include "format.h"
#include "image.h"
#include "info.h"
#include "instruction.h"
#include "loss.h"
#include "machine_stats.h"
#include "merge.h"
#include "mix.h"
#include "names.h"
#include "paging.h"
#include "pipeline.h"
#include "prediction.h"
#include "predictor.h"
#include "profile.h"
#include "reader.h"
#include "record.h"
#include "result.h"
#include "select.h"
#include "sweep.h"
#include "tlb.h"
#include "vcd.h"
#include "version.h"
#include "view.h"
#include "writer.h"

#endif
