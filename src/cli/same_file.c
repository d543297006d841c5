/* SPDX-License-Identifier: MIT */
/* same_file.c: noticing that a trace was replaced or written to between two readings. */
#include "cli/same_file.h"

#include <string.h>

#include "cli/cli.h"

struct same_file same_file_of(const char *path)
{
    struct same_file file = {.known = false};
    file.known =
        strcmp(path, "-") != 0 && stat(path, &file.status) == 0 && S_ISREG(file.status.st_mode);
    return file;
}

bool same_file_still(const struct same_file *file, const char *path)
{
    const struct stat *was = &file->status;
    struct stat is;
    if (!file->known) return true;
    if (stat(path, &is) == 0 && is.st_dev == was->st_dev && is.st_ino == was->st_ino &&
        is.st_size == was->st_size && is.st_mtim.tv_sec == was->st_mtim.tv_sec &&
        is.st_mtim.tv_nsec == was->st_mtim.tv_nsec)
        return true;
    return complain(
        "%s: was replaced or written to while it was read: the answer may be partly of the old "
        "content and partly of the new",
        path);
}
