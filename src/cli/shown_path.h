/* SPDX-License-Identifier: MIT */
/* shown_path.h: the names of operands that are read by another path, for messages and results. */
#ifndef SPOOR_CLI_SHOWN_PATH_H
#define SPOOR_CLI_SHOWN_PATH_H

#include <stddef.h>

/* A path is read in the place of the operand `name`; both live until the program ends. */
void shown_path_set(const char *path, const char *name);
/* The operand that a path is read for, or the path. */
const char *shown_path(const char *path);
/* The operand for a path that words begin with, before a colon, and the size of the path; NULL:
 * they begin with none. */
const char *shown_path_at_start(const char *words, size_t *size);

#endif
