/* SPDX-License-Identifier: MIT */
/* record/system.c: the program's own path and files without a name. */
#include "record/system.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/platform.h"
#ifdef SPOOR_HAVE_MEMFD
#include <sys/mman.h>
#endif

/* ---- paths ---- */

static const char *started_as = "spoor";

void system_started_as(const char *word)
{
    if (word) started_as = word;
}

bool system_find_program(const char *name, char path[PATH_MAX])
{
    if (strchr(name, '/'))
        return snprintf(path, PATH_MAX, "%s", name) < PATH_MAX && access(path, X_OK) == 0;
    const char *list = getenv("PATH");
    if (!list) list = "/usr/local/bin:/usr/bin:/bin";
    while (true) {
        const size_t size = strcspn(list, ":");
        const int length =
            snprintf(path, PATH_MAX, "%.*s/%s", size ? (int)size : 1, size ? list : ".", name);
        if (length < PATH_MAX && access(path, X_OK) == 0) return true;
        if (!list[size]) return false;
        list += size + 1;
    }
}

bool system_own_path(char path[PATH_MAX])
{
#ifdef SPOOR_HAVE_PROC_SELF
    const ssize_t size = readlink("/proc/self/exe", path, PATH_MAX - 1);
    if (size <= 0) return false;
    path[size] = '\0';
    return true;
#else
    char found[PATH_MAX];
    return system_find_program(started_as, found) && realpath(found, path);
#endif
}

/* ---- files ---- */

int system_temporary_file(const char *what, char path[PATH_MAX])
{
    const char *folder = getenv("TMPDIR");
    if (snprintf(path, PATH_MAX, "%s/%s-XXXXXX", folder && *folder ? folder : "/tmp", what) >=
        PATH_MAX) {
        errno = ENAMETOOLONG;
        return -1;
    }
    return mkstemp(path);
}

#ifdef SPOOR_HAVE_MEMFD

int system_unnamed_file(const char *what, size_t size, bool sealed)
{
    const int file = memfd_create(what, MFD_CLOEXEC | (sealed ? MFD_ALLOW_SEALING : 0));
    if (file < 0) return -1;
    if (ftruncate(file, (off_t)size) == 0 &&
        (!sealed || fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0))
        return file;
    close(file);
    return -1;
}

#else

int system_unnamed_file(const char *what, size_t size, bool sealed)
{
    char path[PATH_MAX];
    const int file = system_temporary_file(what, path);
    (void)sealed;
    if (file < 0) return -1;
    unlink(path);
    if (fcntl(file, F_SETFD, FD_CLOEXEC) >= 0 && ftruncate(file, (off_t)size) == 0) return file;
    close(file);
    return -1;
}

#endif
