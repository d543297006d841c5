/* SPDX-License-Identifier: MIT */
/* json.h: writes JSON, with strings that are valid for any bytes. */
#ifndef SPOOR_BASE_JSON_H
#define SPOOR_BASE_JSON_H

#include "base/text.h"

/* Appends the bytes as a string in quotes.  Control characters are escaped, UTF-8 is copied, and a
 * byte that is not part of UTF-8 becomes \u00XX. */
void json_put_string(struct text *out, const char *bytes, size_t size);

/* ---- a member of an object has a key, an item of an array has none (NULL) ---- */

void json_begin(struct text *out, const char *key, char bracket);
void json_end(struct text *out, char bracket);
/* A value that is JSON. */
void json_raw(struct text *out, const char *key, const char *json);
void json_number(struct text *out, const char *key, uint64_t number);
void json_hex(struct text *out, const char *key, uint64_t number);
/* NULL: null. */
void json_text(struct text *out, const char *key, const char *words);
void json_bytes(struct text *out, const char *key, const char *bytes, size_t size);
void json_bool(struct text *out, const char *key, bool value);
/* A number that JSON's readers may not represent, as text: a time. */
void json_time(struct text *out, const char *key, uint64_t time);

#endif
