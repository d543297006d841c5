/* SPDX-License-Identifier: MIT */
/*
 * names.h: interned byte strings.
 *
 * A trace repeats a few hundred names (opcodes, registers, cpus, units) millions of times.  A
 * record keeps a 16-bit id; the table that gives it meaning belongs to the stream.  Ids are given
 * in order of first use, so the same trace gives the same ids whatever the number of threads.
 */
#ifndef SPOOR_NAMES_H
#define SPOOR_NAMES_H

#include <stddef.h>
#include <stdint.h>

typedef uint16_t spoor_name;

#define SPOOR_NO_NAME ((spoor_name)0)         /* "nothing here": the text of id 0 is empty */
#define SPOOR_NAMES_FULL ((spoor_name)0xFFFF) /* never a valid id: the table has no room left */

struct spoor_names;

/* An empty table, or NULL without memory.  The caller frees it. */
struct spoor_names *spoor_names_new(void);
void spoor_names_free(struct spoor_names *names);

/* The id of `size` bytes at `text`, made if new.  SPOOR_NAMES_FULL once 65,534 names are in use (or
 * memory is out): the caller must then keep the record's bytes; no other name is ever returned. */
spoor_name spoor_names_intern(struct spoor_names *names, const void *text, size_t size);

/* The bytes behind an id, NUL-terminated beyond `*size` (which may be NULL).  They stay where they
 * are until the table is freed.  An id that was never given reads as the empty name. */
const char *spoor_names_text(const struct spoor_names *names, spoor_name name, size_t *size);

/* Number of ids in use, id 0 included: valid ids are 0 .. count - 1. */
size_t spoor_names_count(const struct spoor_names *names);

#endif
