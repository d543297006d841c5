/* SPDX-License-Identifier: MIT */
/* trace_symbols.h: the functions that a trace names itself, as a list of symbols. */
#ifndef SPOOR_IMAGE_TRACE_SYMBOLS_H
#define SPOOR_IMAGE_TRACE_SYMBOLS_H

#include "spoor/image.h"
#include "spoor/reader.h"

/* Adds the functions that the records of a trace name, if its format has such records; else the set
 * stays as it is, as it does for a trace that cannot be opened.  A function reaches from its first
 * address, by the offsets that are stated, to the last address that was seen in it. */
enum spoor_status images_add_trace(struct spoor_images *images, const char *path,
                                   const struct spoor_reader_options *options,
                                   struct spoor_error *error);

#endif
