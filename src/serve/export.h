/* SPDX-License-Identifier: MIT */
/* export.h: the page of a part of one trace, or of two that are compared, with its answers inside:
 * one file, which needs no server. */
#ifndef SPOOR_SERVE_EXPORT_H
#define SPOOR_SERVE_EXPORT_H

#include "serve/site.h"

/* Records of a part: what a browser holds with ease. */
enum { EXPORT_RECORDS = 20000 };

/* Appends the page of the records from `from` to before `to`, at most EXPORT_RECORDS, of the first
 * trace; of a second one, the part that corresponds, of at most as many.  SPOOR_EUSAGE: the program
 * was built without the page. */
enum spoor_status site_export(struct site *site, uint64_t from, uint64_t to, struct text *out,
                              struct spoor_error *error);

#endif
