/* SPDX-License-Identifier: MIT */
/*
 * record/system.h: what the program asks of the operating system where systems differ: its own path
 * and files without a name.
 */
#ifndef SPOOR_RECORD_SYSTEM_H
#define SPOOR_RECORD_SYSTEM_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* The first word of the command line, which system_own_path() needs on some systems; it must stay
 * valid. */
void system_started_as(const char *word);
/* The path of this program; false, and errno, if it cannot be found. */
bool system_own_path(char path[PATH_MAX]);

/* Finds an executable file as a shell does: by path if the name has a slash, else in $PATH. */
bool system_find_program(const char *name, char path[PATH_MAX]);

/* Opens an empty file without a name, in memory where the system can, for reading and writing; -1,
 * and errno, if that fails.  It is closed on exec.  `sealed`: nobody can change its size once it
 * is `size` bytes long, where the system can. */
int system_unnamed_file(const char *what, size_t size, bool sealed);

/* Opens an empty file in $TMPDIR, with its name, for reading and writing; -1, and errno, if that
 * fails. */
int system_temporary_file(const char *what, char path[PATH_MAX]);

#endif
