/* SPDX-License-Identifier: MIT */
/* torture/inject_files.c: the calls of files, mappings and threads that fail, are short or are
 * interrupted. */
#undef _FILE_OFFSET_BITS /* else open() and open64() are one function */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "inject.h"

/* ---- mappings ---- */

void *mmap(void *at, size_t size, int protection, int flags, int file, off_t offset)
{
    if (strikes(MMAP)) return MAP_FAILED;
    return (void *)syscall(SYS_mmap, at, size, protection, flags, file, offset);
}
void *mmap64(void *at, size_t size, int protection, int flags, int file, off_t offset)
{
    return mmap(at, size, protection, flags, file, offset);
}

/* ---- files ---- */

static size_t shorter(size_t size)
{
    return size > 1 ? size / 2 + 1 : size;
}

/* Whether this read is the one. */
static bool strikes_read(int file)
{
    struct stat status;
    if (strikes(READ)) return true;
    return trace_path && fstat(file, &status) == 0 && status.st_ino == trace_status.st_ino &&
           status.st_dev == trace_status.st_dev && strikes(TRACE);
}

ssize_t read(int file, void *to, size_t size)
{
    if (strikes_read(file)) {
        if (injection.how != SHORT) return -1;
        size = shorter(size);
    }
    return syscall(SYS_read, file, to, size);
}
ssize_t pread(int file, void *to, size_t size, off_t offset)
{
    if (strikes_read(file)) {
        if (injection.how != SHORT) return -1;
        size = shorter(size);
    }
    return syscall(SYS_pread64, file, to, size, offset);
}
ssize_t pread64(int file, void *to, size_t size, off_t offset)
{
    return pread(file, to, size, offset);
}
ssize_t write(int file, const void *bytes, size_t size)
{
    if (file != STDERR_FILENO && strikes(WRITE)) {
        if (injection.how != SHORT) return -1;
        size = shorter(size);
    }
    return syscall(SYS_write, file, bytes, size);
}

static int open_file(int folder, const char *path, int flags, mode_t mode)
{
    if (strikes(OPEN)) return -1;
    if (named && (flags & O_TMPFILE) == O_TMPFILE) {
        errno = EOPNOTSUPP;
        return -1;
    }
    return (int)syscall(SYS_openat, folder, path, flags, mode);
}
#define MODE_OF(flags, last)               \
    mode_t mode = 0;                       \
    if ((flags) & (O_CREAT | O_TMPFILE)) { \
        va_list arguments;                 \
        va_start(arguments, last);         \
        mode = va_arg(arguments, mode_t);  \
        va_end(arguments);                 \
    }
int open(const char *path, int flags, ...)
{
    MODE_OF(flags, flags)
    return open_file(AT_FDCWD, path, flags, mode);
}
int open64(const char *path, int flags, ...)
{
    MODE_OF(flags, flags)
    return open_file(AT_FDCWD, path, flags, mode);
}
/* Files of stdio, whose reads and writes do not pass read() and write(). */
#define FIND(type, name, ...)                             \
    static type (*real_##name)(__VA_ARGS__);              \
    if (!real_##name) {                                   \
        inside = true;                                    \
        *(void **)&real_##name = dlsym(RTLD_NEXT, #name); \
        inside = false;                                   \
    }
FILE *fopen(const char *path, const char *mode)
{
    FIND(FILE *, fopen, const char *, const char *)
    return strikes(OPEN) ? NULL : real_fopen(path, mode);
}
FILE *fopen64(const char *path, const char *mode)
{
    return fopen(path, mode);
}
static bool strikes_stream(enum kind called, FILE *file)
{
    enum { ERROR_SEEN = 0x20 }; /* what ferror() of glibc looks at */
    if (file == stdout || file == stderr || !strikes(called) || injection.how != FAIL) return false;
    file->_flags |= ERROR_SEEN;
    return true;
}
size_t fread(void *to, size_t size, size_t count, FILE *file)
{
    FIND(size_t, fread, void *, size_t, size_t, FILE *)
    return strikes_stream(READ, file) ? 0 : real_fread(to, size, count, file);
}
char *fgets(char *to, int size, FILE *file)
{
    FIND(char *, fgets, char *, int, FILE *)
    return strikes_stream(READ, file) ? NULL : real_fgets(to, size, file);
}
size_t fwrite(const void *from, size_t size, size_t count, FILE *file)
{
    FIND(size_t, fwrite, const void *, size_t, size_t, FILE *)
    return strikes_stream(WRITE, file) ? 0 : real_fwrite(from, size, count, file);
}
/* Other files that take a descriptor. */
int mkstemp(char *name)
{
    FIND(int, mkstemp, char *)
    return strikes(OPEN) ? -1 : real_mkstemp(name);
}
int mkstemp64(char *name)
{
    return mkstemp(name);
}
int memfd_create(const char *name, unsigned flags)
{
    return strikes(OPEN) ? -1 : (int)syscall(SYS_memfd_create, name, flags);
}
int pipe2(int ends[2], int flags)
{
    return strikes(OPEN) ? -1 : (int)syscall(SYS_pipe2, ends, flags);
}
int eventfd(unsigned value, int flags)
{
    return strikes(OPEN) ? -1 : (int)syscall(SYS_eventfd2, value, flags);
}

int fsync(int file)
{
    return strikes(SYNC) ? -1 : (int)syscall(SYS_fsync, file);
}
int rename(const char *from, const char *to)
{
    return strikes(RENAME) ? -1 : (int)syscall(SYS_rename, from, to);
}
int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags)
{
    if (strikes(RENAME)) return -1;
    return (int)syscall(SYS_linkat, from_folder, from, to_folder, to, flags);
}
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                   void *context)
{
    FIND(int, pthread_create, pthread_t *, const pthread_attr_t *, void *(*)(void *), void *)
    return strikes(THREAD) ? EAGAIN : real_pthread_create(thread, attributes, run, context);
}
