/* SPDX-License-Identifier: MIT */
/* check_pack.h: the state of a check as bytes, for partial results. */
#ifndef SPOOR_CHECK_CHECK_PACK_H
#define SPOOR_CHECK_CHECK_PACK_H

#include "base/pack.h"
#include "spoor/check.h"

/* Appends the names of the stream, and for each rule its counts and the memory of its state.  If
 * memory runs out, the text is marked failed. */
void check_pack(const struct spoor_check *check, const struct spoor_stream *stream,
                struct text *bytes);
/* Gives them to a new check, before the first batch of the stream.  False: the bytes are damaged or
 * of another build, or memory ran out; the check is only good to be freed then. */
bool check_unpack(struct spoor_check *check, const struct spoor_stream *stream,
                  struct unpacker *from);

#endif
