/* SPDX-License-Identifier: MIT */
/* json.h: JSON strings that are valid for any bytes. */
#ifndef SPOOR_BASE_JSON_H
#define SPOOR_BASE_JSON_H

#include "base/text.h"

/* Appends the bytes as a string in quotes.  Control characters are escaped, UTF-8 is copied, and a
 * byte that is not part of UTF-8 becomes \u00XX. */
void json_put_string(struct text *out, const char *bytes, size_t size);

#endif
