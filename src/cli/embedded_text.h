/* SPDX-License-Identifier: MIT */
/* embedded_text.h: text files that the program holds: docs/schema, by scripts/embed-text. */
#ifndef SPOOR_CLI_EMBEDDED_TEXT_H
#define SPOOR_CLI_EMBEDDED_TEXT_H

#include <stddef.h>

struct embedded_text {
    const char *name; /* of the file, without folder and suffix; NULL: the end */
    const char *text;
};
extern const struct embedded_text pipe_texts[]; /* web/pipe */

#endif
