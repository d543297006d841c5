/* SPDX-License-Identifier: MIT */
/*
 * same_file.h: whether a path still names the file that it named.
 *
 * A verb that opens a trace more than once would mix two traces if another one took its place in
 * between.  (While a trace is open, its reader notices that it is truncated or written to.)
 */
#ifndef SPOOR_CLI_SAME_FILE_H
#define SPOOR_CLI_SAME_FILE_H

#include <stdbool.h>
#include <sys/stat.h>

struct same_file {
    struct stat status;
    bool known; /* a regular file; what else there is can be read only once */
};

struct same_file same_file_of(const char *path);
/* False: a message has been printed. */
bool same_file_still(const struct same_file *file, const char *path);

#endif
