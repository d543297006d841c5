/* SPDX-License-Identifier: MIT */
/* gzip.h: one member of gzip, by the library that this build has for it. */
#ifndef SPOOR_INPUT_GZIP_H
#define SPOOR_INPUT_GZIP_H

#include "input/compression.h"

/* gzip_isal.c or gzip_zlib.c.  The latter inflates in one call a member that is whole at flow->in,
 * and what it says of a damaged one does not depend on others. */
extern const struct inflater inflate_gzip_member, inflate_gzip_whole;

#endif
