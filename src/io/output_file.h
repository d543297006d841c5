/* SPDX-License-Identifier: MIT */
/*
 * output_file.h: a file that appears under its name only when it is whole.
 *
 * A new regular file is written without a name where the file system has such files (O_TMPFILE),
 * else beside its place under a name of its own.  Publishing gives it its name in one step, so that
 * anyone who looks finds the old file or the new one, whenever this process ends.  What is no
 * regular file (a pipe, a terminal, /dev/stdout) is written directly.
 */
#ifndef SPOOR_IO_OUTPUT_FILE_H
#define SPOOR_IO_OUTPUT_FILE_H

#include <stdbool.h>

#include "spoor/error.h"

struct output_file {
    int file;     /* descriptor to write to; -1: none */
    char *target; /* the file's place, symbolic links resolved; NULL: it is written directly */
    char *beside; /* its present name; NULL: it has none */
    bool regular; /* not a pipe, terminal or device */
};

/* Opens `path`; `in_place`: write the file directly, so that what was written stays whatever
 * happens.  After a failure there is nothing to close. */
enum spoor_status output_file_open(struct output_file *output, const char *path, bool in_place,
                                   struct spoor_error *error);
/* Closes the file and gives it its name.  A file that is replaced is replaced on the disk, too: the
 * new content is flushed to it before.  After a failure, what was there before is still there. */
enum spoor_status output_file_publish(struct output_file *output, struct spoor_error *error);
/* Closes it without a name: what was there before stays. */
void output_file_discard(struct output_file *output);

#endif
