/* SPDX-License-Identifier: MIT */
/* model/record.h: what only the library reads in records. */
#ifndef SPOOR_MODEL_RECORD_H
#define SPOOR_MODEL_RECORD_H

#include "spoor/batch.h"

/* The kind of that name, or -1. */
int kind_find(const char *name);

/* Iterates over an attribute list "KEY=VALUE KEY =VALUE ...".  Sets *key and *value to the next
 * pair and advances *at, which begins at 0; returns false at the end of the list.  A key without
 * '=' has an empty value. */
bool attributes_next(struct spoor_slice list, size_t *at, struct spoor_slice *key,
                     struct spoor_slice *value);

/* A region size as Tarmac prints it ("4K", "64K", "2M", "1G", "512"), in bytes; 0 if `text` is not
 * one. */
uint64_t region_bytes(struct spoor_slice text);

#endif
