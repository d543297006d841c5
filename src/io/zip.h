/* SPDX-License-Identifier: MIT */
/* zip.h: recognises zip archives, whose files are read as one stream. */
#ifndef SPOOR_IO_ZIP_H
#define SPOOR_IO_ZIP_H

#include "io/compression.h"

bool is_zip(const uint8_t *bytes, size_t size);

extern const struct inflater inflate_zip;

#endif
