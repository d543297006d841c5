/* SPDX-License-Identifier: MIT */
/* embedded.h: texts that are built in (scripts/embed-text). */
#ifndef SPOOR_CLI_EMBEDDED_H
#define SPOOR_CLI_EMBEDDED_H

#include <stddef.h>

struct embedded_text {
    const char *name; /* of the file, without folder and suffix; NULL: the end */
    const char *text;
};
extern const struct embedded_text new_texts[]; /* skeleton/ */

#endif
