/* SPDX-License-Identifier: MIT */
/*
 * large.h: zeroed memory that begins with a large page.
 *
 * The first write to a page of 4 KiB costs a microsecond.  For tables of some megabytes that are
 * used for a millisecond, that is a third of the work.  The system clears a page of 2 MiB in the
 * time of 50 to 100 small ones.  It counts all of a large page as used memory: so only the first
 * 2 MiB are one, and memory that is used for long comes from calloc().
 */
#ifndef SPOOR_BASE_LARGE_H
#define SPOOR_BASE_LARGE_H

#include <stddef.h>

/* `size` bytes, all 0, aligned to 64 bytes; what is used first and everywhere lies best at their
 * beginning.  NULL if memory runs out. */
void *large_alloc(size_t size);
/* Frees them; `memory` may be NULL. */
void large_free(void *memory, size_t size);
/* The first `size` bytes are no longer needed: the system takes back whole pages of them, where it
 * can.  What they have is undefined until it is written again. */
void large_forget(void *memory, size_t size);

#endif
