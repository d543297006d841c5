/* SPDX-License-Identifier: MIT */
/* section.h: the activity that the index of a trace keeps, for verbs on calls. */
#ifndef SPOOR_CLI_SECTION_H
#define SPOOR_CLI_SECTION_H

#include "cli/indexed.h"

/* True if the index may answer: it may not be refused, and what comes from a pipe has none. */
bool section_is_wanted(const char *path, bool no_index);

/* A verb's use of the section; false: memory ran out. */
typedef bool section_user(void *context, const struct machine *machine, const uint8_t *bytes,
                          size_t size);
/* Come by the index and hand over its section; gives the exit code.  *used: it was handed over. */
int section_use(const char *path, const struct settings *settings, section_user *use, void *context,
                bool *used);

#endif
