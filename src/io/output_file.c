/* SPDX-License-Identifier: MIT */
/* output_file.c: writing a file without its name, and publishing it. */
#include "io/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/platform.h"

enum { NAMES_TRIED = 1000, MODE = 0666 };

static enum spoor_status output_file_refuse(const char *path, struct spoor_error *error)
{
    return spoor_error_system(error, SPOOR_EOUTPUT, "%s: cannot be written", path);
}

/* Names of open files, which must keep the file that they name. */
static bool names_descriptor(const char *path)
{
    return strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0;
}

static bool is_link(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0 && S_ISLNK(status.st_mode);
}

static enum spoor_status open_directly(struct output_file *output, const char *path,
                                       struct spoor_error *error)
{
    struct stat status;
    output->file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, MODE);
    if (output->file < 0) return output_file_refuse(path, error);
    output->regular = fstat(output->file, &status) == 0 && S_ISREG(status.st_mode);
    return SPOOR_OK;
}

/* The folder of a path, up to its last slash, or "." */
static void put_folder(char folder[PATH_MAX], const char *path)
{
    const char *slash = strrchr(path, '/');
    if (slash)
        snprintf(folder, PATH_MAX, "%.*s", slash == path ? 1 : (int)(slash - path), path);
    else
        snprintf(folder, PATH_MAX, ".");
}

/* A name in the folder of the target; `attempt` makes it another one. */
static bool put_beside(char name[PATH_MAX], const char *target, unsigned attempt)
{
    char folder[PATH_MAX];
    put_folder(folder, target);
    const int size = snprintf(name, PATH_MAX, "%s/.spoor-%ld-%u", folder, (long)getpid(), attempt);
    return size > 0 && size < PATH_MAX;
}

/* Creates a file beside the target, or, if there is one without a name, links it there. */
static bool create_beside(struct output_file *output)
{
    char name[PATH_MAX], unnamed[64];
    snprintf(unnamed, sizeof unnamed, "/proc/self/fd/%d", output->file);
    const bool links = output->file >= 0;
    for (unsigned attempt = 0; attempt < NAMES_TRIED; attempt++) {
        if (!put_beside(name, output->target, attempt)) break;
        const int made = links ? linkat(AT_FDCWD, unnamed, AT_FDCWD, name, AT_SYMLINK_FOLLOW)
                               : open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, MODE);
        if (made < 0 && errno == EEXIST) continue;
        if (made < 0) return false;
        if (!links) output->file = made;
        output->beside = strdup(name);
        if (output->beside) return true;
        unlink(name);
        if (!links) close(output->file);
        errno = ENOMEM;
        return false;
    }
    return false;
}

static bool open_unnamed(struct output_file *output)
{
#ifdef SPOOR_HAVE_UNNAMED_FILES
    char folder[PATH_MAX];
    put_folder(folder, output->target);
    if (access("/proc/self/fd", X_OK) != 0) return false;
    output->file = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, MODE);
    return output->file >= 0;
#else
    (void)output;
    return false;
#endif
}

enum spoor_status output_file_open(struct output_file *output, const char *path, bool in_place,
                                   struct spoor_error *error)
{
    struct stat status;
    *output = (struct output_file){.file = -1, .regular = true};
    const bool exists = stat(path, &status) == 0;
    const bool special = exists ? !S_ISREG(status.st_mode) : is_link(path);
    if (!exists && special)
        return spoor_error_set(error, SPOOR_EOUTPUT,
                               "%s: cannot be written: found a link to a file that does not exist",
                               path);
    if (in_place || special || names_descriptor(path)) return open_directly(output, path, error);
    if (exists && faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) != 0)
        return output_file_refuse(path, error);
    output->target = exists ? realpath(path, NULL) : strdup(path);
    if (!output->target) return output_file_refuse(path, error);
    if (!open_unnamed(output) && !create_beside(output)) {
        free(output->target);
        output->target = NULL;
        return exists && errno != ENOMEM ? open_directly(output, path, error)
                                         : output_file_refuse(path, error);
    }
    if (exists) (void)!fchmod(output->file, status.st_mode & (mode_t)07777);
    return SPOOR_OK;
}

/* ---- the end ---- */

/* Links an unnamed file to its place, or to a name beside it if the place is taken. */
static bool name_it(struct output_file *output)
{
    char unnamed[64];
    if (output->beside) return true;
    snprintf(unnamed, sizeof unnamed, "/proc/self/fd/%d", output->file);
    if (linkat(AT_FDCWD, unnamed, AT_FDCWD, output->target, AT_SYMLINK_FOLLOW) == 0) return true;
    return errno == EEXIST && create_beside(output);
}

static bool publish(struct output_file *output)
{
    const bool replaces = output->target && access(output->target, F_OK) == 0;
    if (replaces && fsync(output->file) != 0 && errno != EINVAL && errno != EROFS) return false;
    if (output->target && !name_it(output)) return false;
    const int file = output->file;
    output->file = -1;
    if (close(file) != 0 && errno != EINTR) return false;
    if (!output->beside) return true;
    if (rename(output->beside, output->target) != 0) return false;
    free(output->beside);
    output->beside = NULL;
    return true;
}

/* No signal ends the program while the file has the name beside its place. */
enum spoor_status output_file_publish(struct output_file *output, struct spoor_error *error)
{
    sigset_t all, before;
    char path[256];
    snprintf(path, sizeof path, "%s", output->target ? output->target : "the output");
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool published = publish(output);
    const int reason = errno;
    output_file_discard(output);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = reason;
    return published ? SPOOR_OK : output_file_refuse(path, error);
}

void output_file_discard(struct output_file *output)
{
    if (output->file >= 0) close(output->file);
    if (output->beside) unlink(output->beside);
    free(output->target);
    free(output->beside);
    *output = (struct output_file){.file = -1};
}
