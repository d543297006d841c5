/* SPDX-License-Identifier: MIT */
/* torture/inject.c: the calls that fail, are short or are interrupted. */
#undef _FILE_OFFSET_BITS /* else open() and open64() are one function */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "inject.h"

struct shared *shared;
struct injection injection = {.kind = KINDS};
long fail_at;
bool is_child, reference, named;
const char *trace_path;
struct bytes trace;
struct stat trace_status;

/* What this thread does for the injection is not counted. */
static _Thread_local bool inside __attribute__((tls_model("initial-exec")));

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

/* What something else does to the trace. */
static void meddle(void)
{
    char beside[4096];
    const enum how how = injection.how;
    snprintf(beside, sizeof beside, "%s.new", trace_path);
    if (how == SHRINK) {
        if (truncate(trace_path, (off_t)trace.size / 2) != 0) _exit(99);
        return;
    }
    const int flags = how == REPLACE ? O_WRONLY | O_CREAT | O_TRUNC : O_WRONLY;
    const int file =
        (int)syscall(SYS_openat, AT_FDCWD, how == REPLACE ? beside : trace_path, flags, 0644);
    for (size_t i = 0; i < trace.size; i++) trace.at[i] ^= 1;
    if (syscall(SYS_write, file, trace.at, trace.size) < 0) _exit(99);
    syscall(SYS_close, file);
    if (how == REPLACE && syscall(SYS_rename, beside, trace_path) != 0) _exit(99);
}

/* Whether the call is made in the dynamic linker or in elfutils, which exit when memory runs out.
 */
static bool is_foreign(void)
{
    static const char *const libraries[] = {"/ld-linux", "/libdw", "/libelf"};
    Dl_info info;
    for (int i = 2; i < shared->depth && i < 5; i++)
        for (size_t j = 0; j < sizeof libraries / sizeof *libraries; j++)
            if (dladdr(shared->callers[i], &info) && info.dli_fname &&
                strstr(info.dli_fname, libraries[j]))
                return true;
    return false;
}

static bool is_io(enum kind kind)
{
    return kind == WRITE || kind == SYNC || kind == RENAME || kind == OPEN;
}

/* Notes from where an allocation of the reference is made. */
static void note_place(long number)
{
    void *callers[CALLERS];
    uint64_t hash = 14695981039346656037u;
    if (number > MAX_PLACES) return;
    const int depth = backtrace(callers, CALLERS);
    for (int i = 2; i < depth; i++)
        hash = (hash ^ (uint64_t)(uintptr_t)callers[i]) * 0x9e3779b97f4a7c15u ^ hash >> 29;
    shared->places[number - 1] = hash;
}

/* Counts a call of the reference, of which every kind will have its turn. */
static void count(enum kind called)
{
    const long number = atomic_fetch_add(&shared->calls[called], 1) + 1;
    if (called == TRACE) return;
    atomic_fetch_add(&shared->calls[ANY], 1);
    if (is_io(called)) atomic_fetch_add(&shared->calls[IO], 1);
    if (called == MALLOC) note_place(number);
}

/* Lets this call fail; false: it only receives a signal, or the trace is another when it returns.
 */
static bool strike(enum kind called)
{
    atomic_store(&shared->fired, true);
    shared->depth = backtrace(shared->callers, CALLERS);
    shared->foreign = called == MALLOC && injection.how == FAIL && is_foreign();
    if (shared->foreign) return false;
    if (injection.how == SIGNAL) kill(getpid(), injection.number);
    if (injection.how >= SHRINK) meddle();
    if (injection.how >= SIGNAL) return false;
    if (injection.how == FAIL) errno = injection.number;
    if (injection.how == AGAIN) errno = EINTR;
    return true;
}

/* Whether this call is the one. */
static bool strikes(enum kind called)
{
    bool struck = false;
    const enum kind kind = injection.kind;
    if (!is_child || inside) return false;
    inside = true;
    if (reference)
        count(called);
    else if ((called == kind || (kind == ANY && called != TRACE) ||
              (kind == IO && is_io(called))) &&
             atomic_fetch_add(&shared->calls[kind], 1) + 1 == fail_at)
        struck = strike(called);
    inside = false;
    return struck;
}

/* ---- memory ---- */

void *malloc(size_t size)
{
    return strikes(MALLOC) ? NULL : __libc_malloc(size);
}
void *calloc(size_t count, size_t size)
{
    return strikes(MALLOC) ? NULL : __libc_calloc(count, size);
}
void *realloc(void *old, size_t size)
{
    return strikes(MALLOC) ? NULL : __libc_realloc(old, size);
}
void *aligned_alloc(size_t alignment, size_t size)
{
    return strikes(MALLOC) ? NULL : __libc_memalign(alignment, size);
}
int posix_memalign(void **to, size_t alignment, size_t size)
{
    void *memory = strikes(MALLOC) ? NULL : __libc_memalign(alignment, size);
    if (memory) *to = memory;
    return memory ? 0 : ENOMEM;
}
char *strdup(const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = strikes(MALLOC) ? NULL : __libc_malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}
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
#define REAL(type, name, ...)                             \
    static type (*real_##name)(__VA_ARGS__);              \
    if (!real_##name) {                                   \
        inside = true;                                    \
        *(void **)&real_##name = dlsym(RTLD_NEXT, #name); \
        inside = false;                                   \
    }
FILE *fopen(const char *path, const char *mode)
{
    REAL(FILE *, fopen, const char *, const char *)
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
    REAL(size_t, fread, void *, size_t, size_t, FILE *)
    return strikes_stream(READ, file) ? 0 : real_fread(to, size, count, file);
}
char *fgets(char *to, int size, FILE *file)
{
    REAL(char *, fgets, char *, int, FILE *)
    return strikes_stream(READ, file) ? NULL : real_fgets(to, size, file);
}
size_t fwrite(const void *from, size_t size, size_t count, FILE *file)
{
    REAL(size_t, fwrite, const void *, size_t, size_t, FILE *)
    return strikes_stream(WRITE, file) ? 0 : real_fwrite(from, size, count, file);
}
/* Other files that take a descriptor. */
int mkstemp(char *name)
{
    REAL(int, mkstemp, char *)
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
    REAL(int, pthread_create, pthread_t *, const pthread_attr_t *, void *(*)(void *), void *)
    return strikes(THREAD) ? EAGAIN : real_pthread_create(thread, attributes, run, context);
}
