/* SPDX-License-Identifier: MIT */
/*
 * options.h: what the functions of all tools share: reading options that carry their size, and the
 * status of a call that can fail only for lack of memory.
 *
 * A later version of the library may add members at the end of a struct of options.  A program that
 * was compiled before passes a smaller struct: what it does not have is zero, the default.
 */
#ifndef SPOOR_MODEL_OPTIONS_H
#define SPOOR_MODEL_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "spoor/error.h"
#include "spoor/result.h"

/* Copies the caller's options (NULL: none) to `own`, a struct of `size` bytes that begins with its
 * size.  SPOOR_EUSAGE: they have members that this version does not know, and these are not zero.
 */
enum spoor_status options_read(void *own, size_t size, const void *options,
                               struct spoor_error *error);

/* Fills a struct of the caller that begins with its size, 0 standing for `size`, that of version
 * 0.1, with `made`, a struct of `size` bytes.  A program that was compiled before has a smaller
 * struct; of a later one, the members that this version does not know become zero. */
void struct_fill(void *to, const void *made, size_t size);

/* SPOOR_OK, or SPOOR_ENOMEM with a message. */
enum spoor_status memory_status(bool enough, struct spoor_error *error);

/* SPOOR_OK, or SPOOR_ENOMEM: the tree of the node is not complete. */
static inline enum spoor_status result_status(const struct spoor_result *result)
{
    return spoor_result_complete(result) ? SPOOR_OK : SPOOR_ENOMEM;
}

#endif
