/* SPDX-License-Identifier: MIT */
/* options.c: options that carry their size, and the status of calls that need memory. */
#include "model/options.h"

#include <string.h>

enum spoor_status options_read(void *own, size_t size, const void *options,
                               struct spoor_error *error)
{
    size_t given = size;
    memset(own, 0, size);
    if (options) memcpy(&given, options, sizeof given);
    if (given == 0) given = size; /* the members that version 0.1 has */
    if (given < sizeof given)
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "the options state a size of %zu bytes, which is less than that of "
                               "the member `struct_size`",
                               given);
    if (options) memcpy(own, options, given < size ? given : size);
    memcpy(own, &size, sizeof size);
    for (size_t i = size; i < given; i++)
        if (((const unsigned char *)options)[i])
            return spoor_error_set(error, SPOOR_EUSAGE,
                                   "the options were made for a later version of libspoor: they "
                                   "have %zu bytes, expected at most %zu",
                                   given, size);
    return SPOOR_OK;
}

enum spoor_status memory_status(bool enough, struct spoor_error *error)
{
    return enough ? SPOOR_OK : spoor_error_set(error, SPOOR_ENOMEM, "memory ran out");
}
