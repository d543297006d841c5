/* SPDX-License-Identifier: MIT */
/*
 * silicon/ini.h: the ini files of a CoreSight snapshot.
 *
 * `[section]`, then lines `key=value`, `key(0xOFFSET)=value` or `key(size:64)=value`; what is
 * between parentheses says where a register lies, and is dropped.  `;` and `#` begin comments.
 */
#ifndef SPOOR_SILICON_INI_H
#define SPOOR_SILICON_INI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spoor/error.h"

struct ini_entry {
    const char *section, *key, *value; /* without white space and quotes around them */
    unsigned part;                     /* number of the section, from 0: two may have one name */
    unsigned line;                     /* from 1 */
};

struct ini {
    char *bytes; /* that the entries point into */
    struct ini_entry *entries;
    size_t count, capacity;
};

/* Reads the text, `size` bytes and one more at `bytes`, which the ini owns from then on, also after
 * a failure: SPOOR_EINPUT, with a sentence that begins with `path`. */
enum spoor_status ini_parse(struct ini *ini, const char *path, char *bytes, size_t size,
                            struct spoor_error *error);
void ini_free(struct ini *ini);

/* The value of a key in a section; NULL: there is none. */
const char *ini_find(const struct ini *ini, const char *section, const char *key);
/* Decimal, or hexadecimal after 0x; false: it is no such number of 64 bits. */
bool ini_number(const char *text, uint64_t *value);

#endif
