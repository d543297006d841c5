/* SPDX-License-Identifier: MIT */
/* encoder_keys.h: what a writer's caller asks of an encoder of packets: "KEY=N,KEY=N". */
#ifndef SPOOR_FORMATS_ENCODER_KEYS_H
#define SPOOR_FORMATS_ENCODER_KEYS_H

#include <stddef.h>

#include "spoor/error.h"

struct encoder_key {
    const char *name;
    unsigned least, most;
    unsigned *value; /* the default, which the text replaces */
};
/* Sets the values of the keys in the text (NULL: none); SPOOR_EUSAGE: it has others. */
enum spoor_status encoder_keys_read(const char *text, const struct encoder_key *keys, size_t count,
                                    struct spoor_error *error);

#endif
