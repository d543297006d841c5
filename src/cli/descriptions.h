/* SPDX-License-Identifier: MIT */
/* cli/descriptions.h: formats that the user describes. */
#ifndef SPOOR_CLI_DESCRIPTIONS_H
#define SPOOR_CLI_DESCRIPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "spoor/format.h"

/* Reads the descriptions in the user's folder, in those of SPOOR_FORMATS, and of --format-file
 * among the words.  Returns an exit code, EXIT_CLEAN unless one of the latter has a mistake, or
 * memory ran out; both were said. */
int descriptions_begin(int count, char **words);
/* The format of a description; NULL: it has a mistake, which was said. */
const struct spoor_format *description_load(const char *path);
/* The format that FILE.spoor-format describes, or NAME.spoor-format in the working folder; NULL:
 * there is no such file, or *failed: it has a mistake, which was said. */
const struct spoor_format *description_named(const char *word, bool *failed);
/* The descriptions that the command line named; NULL past the last. */
const char *description_path(size_t index);

#endif
