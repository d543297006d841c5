/* SPDX-License-Identifier: MIT */
/* read_at.h: reads from a position of a file, whatever interrupts or shortens the calls. */
#ifndef SPOOR_BASE_READ_AT_H
#define SPOOR_BASE_READ_AT_H

#include <stddef.h>
#include <stdint.h>

/* Reads `size` bytes.  Returns how many were read: fewer where the file ends, with errno 0, or
 * where it cannot be read, with errno set. */
size_t read_at(int file, uint64_t offset, void *bytes, size_t size);

#endif
