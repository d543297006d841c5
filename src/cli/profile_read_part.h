/* SPDX-License-Identifier: MIT */
/* profile_read_part.h: a part of a trace for `profile`, entered by the index. */
#ifndef SPOOR_CLI_PROFILE_READ_PART_H
#define SPOOR_CLI_PROFILE_READ_PART_H

#include "cli/profiled.h"

/* True if the profile can be joined of parts; false, after a message: it cannot. */
bool profile_has_parts(const struct profiled_settings *settings, enum spoor_profile_by by);
/* Reads the part that the settings select and writes its partial result; `edges`: the joined result
 * has callers and callees.  Returns the exit code. */
int profile_read_part(const struct profiled_settings *settings, bool edges, const char *path);

#endif
