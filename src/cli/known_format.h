/* SPDX-License-Identifier: MIT */
/* known_format.h: the format of a trace that a verb opens several times. */
#ifndef SPOOR_CLI_KNOWN_FORMAT_H
#define SPOOR_CLI_KNOWN_FORMAT_H

#include "cli/cli.h"

/* Detects the format of a trace once, and makes it the one to read, unless it is given or the file
 * is a container.  Says nothing of a trace that cannot be opened. */
void know_format(struct settings *settings, const char *path);

#endif
