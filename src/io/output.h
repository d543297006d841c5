/* SPDX-License-Identifier: MIT */
/* output.h: state that a writer leaves in an output for the next writer, and a file in one call. */
#ifndef SPOOR_IO_OUTPUT_H
#define SPOOR_IO_OUTPUT_H

#include "spoor/writer.h"

/* True if a trace was written to its end and its last line lacks the newline: the next trace must
 * not continue that line. */
bool *output_line_open(struct spoor_output *output);
/* Writes a file whose bytes are all there: it is whole, or as it was before. */
enum spoor_status output_store(const char *path, const void *bytes, size_t size,
                               struct spoor_error *error);

#endif
