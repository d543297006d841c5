/* SPDX-License-Identifier: MIT */
/* gzip.h: the interface between gzip, by the library of this build, and BGZF. */
#ifndef SPOOR_IO_GZIP_H
#define SPOOR_IO_GZIP_H

#include "io/compression.h"

/* gzip_isal.c or gzip_zlib.c: inflates in one call a member that is complete at flow->in, and
 * checks it.  The result for a damaged one does not depend on others. */
extern const struct inflater inflate_gzip_whole;

/* The inflater for a gzip file that begins with these bytes: that of BGZF, if it is such a file. */
const struct inflater *gzip_or_bgzf(const uint8_t *bytes, size_t size);

#endif
