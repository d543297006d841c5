/* SPDX-License-Identifier: MIT */
/* seekable.c: copies of pipes in temporary files. */
#include "cli/seekable.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/platform.h"
#include "cli/cli.h"
#include "cli/shown_path.h"
#include "record/system.h"

enum { COPIES = 16, PIECE = 1 << 16 };

/* Of this run of the program. */
static struct copy {
    char path[PATH_MAX];
    const char *name; /* the operand */
    bool named;       /* a file of this path is to be removed */
} copies[COPIES];
static size_t copy_count;
static char **words; /* the operands, until the program ends */

#ifndef SPOOR_HAVE_PROC_SELF
static void seekable_remove(void)
{
    for (size_t i = 0; i < copy_count; i++)
        if (copies[i].named) unlink(copies[i].path);
}
#endif

/* Copies all that can be read; false: an error has been printed. */
static bool seekable_copy(int from, int to, const struct copy *copy, const char *folder)
{
    char bytes[PIECE];
    for (;;) {
        const ssize_t got = read(from, bytes, sizeof bytes);
        if (got == 0) return true;
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return complain("%s: cannot be read: %s", copy->name, strerror(errno));
        for (ssize_t at = 0; at < got;) {
            const ssize_t written = write(to, bytes + at, (size_t)(got - at));
            if (written < 0 && errno == EINTR) continue;
            if (written <= 0)
                return complain("%s: the copy in %s cannot be written: %s: set TMPDIR to a folder "
                                "with more room",
                                copy->name, folder, strerror(written < 0 ? errno : ENOSPC));
            at += written;
        }
    }
}

/* Makes the copy of an operand; NULL: an error has been printed. */
static char *seekable_copy_of(char *name, const struct settings *settings)
{
    const char *folder = getenv("TMPDIR");
    struct stat status;
    const bool is_input = strcmp(name, "-") == 0;
    for (size_t i = 0; i < copy_count; i++)
        if (strcmp(copies[i].name, name) == 0) return copies[i].path;
    if (copy_count == COPIES) {
        complain("%s: found more than %d pipes", name, (int)COPIES);
        return NULL;
    }
    struct copy *copy = &copies[copy_count];
    *copy = (struct copy){.name = name};
#ifdef SPOOR_HAVE_PROC_SELF
    if (is_input && fstat(STDIN_FILENO, &status) == 0 && S_ISREG(status.st_mode) &&
        lseek(STDIN_FILENO, 0, SEEK_CUR) == 0) { /* a file that can be opened again */
        snprintf(copy->path, sizeof copy->path, "/dev/stdin");
        copy_count++;
        shown_path_set(copy->path, name);
        return copy->path;
    }
#else
    (void)status;
#endif
    if (!folder || !*folder) folder = "/tmp";
    const int from = is_input ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
    if (from < 0) {
        complain("%s: cannot be read: %s", name, strerror(errno));
        return NULL;
    }
    if (!settings->quiet)
        complain("%s: cannot seek in a pipe: it is copied to a temporary file in %s", name, folder);
    const int to = system_temporary_file("spoor-copy", copy->path);
    bool good = to >= 0 || complain("%s: the copy in %s cannot be made: %s: set TMPDIR to a folder "
                                    "that can be written",
                                    name, folder, strerror(errno));
    if (good) {
#ifdef SPOOR_HAVE_PROC_SELF
        unlink(copy->path);
        snprintf(copy->path, sizeof copy->path, "/dev/fd/%d", to); /* stays open */
#else
        copy->named = true;
        if (copy_count == 0) atexit(seekable_remove);
#endif
        copy_count++;
        shown_path_set(copy->path, name);
        good = seekable_copy(from, to, copy, folder);
    }
    if (!is_input) close(from);
    return good ? copy->path : NULL;
}

bool seekable_open(struct settings *settings)
{
    static char input[] = "-";
    const bool reads_input = settings->verb->many || settings->verb->operands[0] == '[';
    struct stat status;
    const bool none = settings->operand_count == 0 && reads_input &&
                      fstat(STDIN_FILENO, &status) == 0 && !S_ISCHR(status.st_mode);
    const int count = none ? 1 : settings->operand_count;
    words = calloc((size_t)count + 1, sizeof *words);
    if (!words) return complain("out of memory");
    for (int i = 0; i < count; i++) {
        words[i] = none ? input : settings->operands[i];
        const bool seeks =
            stat(words[i], &status) != 0 || !(S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
        if (strcmp(words[i], "-") != 0 && seeks) continue;
        words[i] = seekable_copy_of(words[i], settings);
        if (!words[i]) return false;
        settings->no_index = true; /* nobody asks the copy again */
    }
    settings->operands = words;
    settings->operand_count = count;
    return true;
}
