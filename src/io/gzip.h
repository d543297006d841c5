/* SPDX-License-Identifier: MIT */
/* gzip.h: what gzip, by the library that this build has for it, and BGZF want of each other. */
#ifndef SPOOR_IO_GZIP_H
#define SPOOR_IO_GZIP_H

#include "io/compression.h"

/* gzip_isal.c or gzip_zlib.c: inflates in one call a member that is whole at flow->in, and checks
 * it.  What it says of a damaged one does not depend on others. */
extern const struct inflater inflate_gzip_whole;

/* For inflate_gzip's `instead`: the one for files in BGZF, where this is one. */
const struct inflater *gzip_or_bgzf(const uint8_t *bytes, size_t size);

#endif
