/* SPDX-License-Identifier: MIT */
/*
 * names.h: interned byte strings.
 *
 * A trace repeats a few hundred names (opcodes, registers, cpus, units) millions of times.  A
 * record holds a 16-bit id; the stream owns the table that maps ids to names.  Ids are assigned in
 * order of first use, so a trace gets the same ids for any number of threads.
 *
 * A trace with more names than ids is read to its end.  A record whose name has no id keeps its
 * bytes, its id is SPOOR_NAMES_FULL, and the reader adds a fault to it: nothing is lost in silence.
 */
#ifndef SPOOR_NAMES_H
#define SPOOR_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uint16_t spoor_name;

#define SPOOR_NO_NAME ((spoor_name)0)         /* absent: the text of id 0 is empty */
#define SPOOR_NAMES_FULL ((spoor_name)0xFFFF) /* never a valid id: the table is full */

struct spoor_names;

/* An empty table, or NULL if memory runs out.  The caller frees it. */
struct spoor_names *spoor_names_new(void);
void spoor_names_free(struct spoor_names *names);

/* The id of the `size` bytes at `text`; a new name is added to the table.  SPOOR_NAMES_FULL once
 * 65,534 names are in use, or if memory runs out: the caller must then keep the record's bytes.
 * The id of another name is never returned. */
spoor_name spoor_names_intern(struct spoor_names *names, const void *text, size_t size);

/* The name of an id, `*size` bytes (`size` may be NULL) followed by a NUL.  The bytes do not move
 * until the table is freed.  An id that was never assigned gives the empty name. */
const char *spoor_names_text(const struct spoor_names *names, spoor_name name, size_t *size);

/* Number of ids in use, id 0 included: valid ids are 0 .. count - 1. */
size_t spoor_names_count(const struct spoor_names *names);

#ifdef __cplusplus
}
#endif

#endif
