/* SPDX-License-Identifier: MIT */
/* value.h: field values as text: columns, CSV and JSON. */
#ifndef SPOOR_QUERY_VALUE_H
#define SPOOR_QUERY_VALUE_H

#include "base/text.h"
#include "spoor/field.h"

/* Decimal, 0x and hexadecimal digits ('-' for each unknown one), 1 or 0 for a flag, text with tab,
 * line end and backslash escaped; nothing for ABSENT. */
void value_put_column(struct text *out, const struct spoor_value *value);
/* The same as a field of CSV (RFC 4180): text with a comma, quote or line end is quoted. */
void value_put_csv(struct text *out, const struct spoor_value *value);
/* A JSON value: hexadecimal numbers are strings "0x...", because JSON has no such numbers; null for
 * ABSENT. */
void value_put_json(struct text *out, const struct spoor_value *value);

#endif
