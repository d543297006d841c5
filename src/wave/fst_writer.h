/* SPDX-License-Identifier: MIT */
/*
 * wave/fst_writer.h: changes of values as an FST file.
 *
 *     fst_writer_new(); scopes and variables; times that do not fall, and changes at each;
 *     fst_writer_end(); fst_writer_take() until it gives nothing.
 *
 * The file begins with what is known last (its header), so that sections lie in a temporary file
 * until the end.  Memory does not grow with the number of changes.
 */
#ifndef SPOOR_WAVE_FST_WRITER_H
#define SPOOR_WAVE_FST_WRITER_H

#include "base/text.h"

struct fst_writer;

/* NULL: memory ran out, or no temporary file can be made (errno). */
struct fst_writer *fst_writer_new(void);
void fst_writer_free(struct fst_writer *writer);

void fst_writer_enter(struct fst_writer *writer, const char *name);
void fst_writer_leave(struct fst_writer *writer);
/* Variables have the numbers 0, 1 ...; width 0: a text.  Their bits are x until they change. */
void fst_writer_declare(struct fst_writer *writer, unsigned width, const char *name);

/* What follows changes at this time. */
void fst_writer_reach(struct fst_writer *writer, uint64_t time);
/* Digits 0, 1, x, z from the highest: those left out are 0, or a first x or z again (as in VCD). */
void fst_writer_put_bits(struct fst_writer *writer, uint32_t variable, const char *digits,
                         size_t size);
void fst_writer_put_text(struct fst_writer *writer, uint32_t variable, const char *text,
                         size_t size);

/* Times count 10^exponent seconds.  False: memory ran out (errno 0), or the temporary file could
 * not be written. */
bool fst_writer_end(struct fst_writer *writer, int exponent, const char *version);
/* Fills `to` with the next bytes of the file: false if it cannot be read. */
bool fst_writer_take(struct fst_writer *writer, struct text *to);

#endif
