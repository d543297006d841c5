/* SPDX-License-Identifier: MIT */
/* csv.h: fields of CSV (RFC 4180). */
#ifndef SPOOR_BASE_CSV_H
#define SPOOR_BASE_CSV_H

#include "base/text.h"

/* Appends the bytes as a field: in quotes if they contain a comma, a quote or a line end. */
void csv_put_string(struct text *out, const char *bytes, size_t size);

#endif
