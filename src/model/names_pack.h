/* SPDX-License-Identifier: MIT */
/*
 * names_pack.h: tables of names in partial results, for states that name things by their ids.
 *
 * A state is continued on a trace that is opened again: its table of names gets the names of before
 * in their order, before any record is read, so that each has the id that it had.
 */
#ifndef SPOOR_MODEL_NAMES_PACK_H
#define SPOOR_MODEL_NAMES_PACK_H

#include "base/pack.h"
#include "spoor/batch.h"

/* Appends the names and spellings of a stream.  If memory runs out, the text is marked failed. */
void names_pack(const struct spoor_stream *stream, struct text *bytes);
/* Adds them to the tables of a stream; false, and *from has failed, if one of them gets another id,
 * the bytes are damaged, or memory runs out. */
bool names_unpack(struct unpacker *from, const struct spoor_stream *stream);

#endif
