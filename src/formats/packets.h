/* SPDX-License-Identifier: MIT */
/* packets.h: printing shared by the formats of packets that a trace encoder sends. */
#ifndef SPOOR_FORMATS_PACKETS_H
#define SPOOR_FORMATS_PACKETS_H

#include "formats/format.h"

/* Prints record `index`: a packet by its name and fields, notes of bytes (`blank`: what those
 * between packets are), and what packets became with the code of the program. */
void packets_print(const struct spoor_batch *batch, size_t index, const char *blank,
                   const char *name, struct text *out);

#endif
