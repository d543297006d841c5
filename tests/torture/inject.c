/* SPDX-License-Identifier: MIT */
/*
 * torture/inject.c: runs a program repeatedly, with a different failing call each time.
 *
 * Preloaded, its constructor forks before main(): the first child gives the reference result.
 * Then, for N = 1, 2, ..., call number N of a kind fails in another child, is short, is
 * interrupted, or receives a signal.  Every child must give the reference result, or print an error
 * on stderr and return 3; a file that it writes is the old one or the complete new one.  The last
 * child is the one that makes fewer than N calls.  So each N costs a fork, not the start of a
 * process.
 *
 *   INJECT=KIND:HOW[:STEP[:FIRST[:LAST]]]
 *       KIND  malloc, read, write, open, mmap, thread, sync, rename; io (open, write, sync and
 *             rename), any (all of these), trace (reads of INJECT_TRACE)
 *       HOW   an errno; or short, again (EINTR); or kill, int, term, hup (a signal); or shrink,
 *             change, replace: at that call, something else truncates the trace, writes to it, or
 *             puts another file in its place
 *       STEP  0: such that there are about a hundred runs
 *   INJECT_FILE=PATH      a file that the program writes
 *   INJECT_TRACE=PATH     a file that it reads, which is restored before each run
 *   INJECT_NAMED=1        there are no files without a name (O_TMPFILE)
 *   INJECT_REPORT=PATH    findings, a line each, and "runs N findings N"; else stderr
 */
#undef _FILE_OFFSET_BITS /* else open() and open64() are one function */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum kind { MALLOC, READ, WRITE, OPEN, MMAP, THREAD, SYNC, RENAME, IO, ANY, TRACE, KINDS };
static const char *const kind_names[KINDS] = {"malloc", "read",   "write", "open", "mmap", "thread",
                                              "sync",   "rename", "io",    "any",  "trace"};
enum how { FAIL, SHORT, AGAIN, SIGNAL, SHRINK, CHANGE, REPLACE };
enum { SECONDS = 60, SHOWN = 120, USAGE = 2, UNREADABLE = 3, CALLERS = 8, POINTS = 100 };

/* Shared by a child and its parent. */
struct shared {
    _Atomic long calls; /* of the kind, so far */
    _Atomic bool fired;
    bool foreign; /* in a library that ends the process itself then, so nothing failed */
    int depth;
    void *callers[CALLERS]; /* of the call that failed */
};
static struct shared *shared;
static enum kind kind = KINDS;
static enum how how;
static int number;    /* errno, or signal */
static long fail_at;  /* 0: never */
static bool is_child; /* calls are counted */
static bool named;

/* The bytes of a file that fits in memory; NULL: there is none. */
struct bytes {
    char *at;
    size_t size;
};
static const char *trace_path;   /* NULL: none */
static struct bytes trace;       /* its content */
static struct stat trace_status; /* in this run */

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

/* What something else does to the trace. */
static void meddle(void)
{
    char beside[4096];
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

/* Whether this call is the one.  A signal has come, or the trace is another, when it returns. */
static bool strikes(enum kind called)
{
    const bool counted =
        called == kind || (kind == ANY && called != TRACE) ||
        (kind == IO && (called == WRITE || called == SYNC || called == RENAME || called == OPEN));
    if (!is_child || !counted || atomic_fetch_add(&shared->calls, 1) + 1 != fail_at) return false;
    atomic_store(&shared->fired, true);
    is_child = false; /* what backtrace() itself does is not counted */
    shared->depth = backtrace(shared->callers, CALLERS);
    shared->foreign = called == MALLOC && how == FAIL && is_foreign();
    is_child = true;
    if (shared->foreign) return false;
    if (how == SIGNAL) {
        kill(getpid(), number);
        return false;
    }
    if (how >= SHRINK) {
        meddle();
        return false;
    }
    if (how == FAIL) errno = number;
    if (how == AGAIN) errno = EINTR;
    return true;
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
    if (kind != TRACE) return strikes(READ);
    return fstat(file, &status) == 0 && status.st_ino == trace_status.st_ino &&
           status.st_dev == trace_status.st_dev && strikes(TRACE);
}

ssize_t read(int file, void *to, size_t size)
{
    if (strikes_read(file)) {
        if (how != SHORT) return -1;
        size = shorter(size);
    }
    return syscall(SYS_read, file, to, size);
}
ssize_t pread(int file, void *to, size_t size, off_t offset)
{
    if (strikes_read(file)) {
        if (how != SHORT) return -1;
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
        if (how != SHORT) return -1;
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
    static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (strikes(THREAD)) return EAGAIN;
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
    return real(thread, attributes, run, context);
}

/* ---- a run and what it did ---- */

struct outcome {
    int status;
    struct bytes out, error, file;
};

static struct bytes load(int file)
{
    struct stat status;
    struct bytes bytes = {NULL, 0};
    if (file < 0 || fstat(file, &status) != 0) return bytes;
    bytes.size = (size_t)status.st_size;
    bytes.at = calloc(1, bytes.size + 1);
    if (pread(file, bytes.at, bytes.size, 0) != (ssize_t)bytes.size) bytes.size = 0;
    return bytes;
}

static struct bytes load_path(const char *path)
{
    struct bytes none = {NULL, 0};
    const int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return none;
    const struct bytes bytes = load(file);
    close(file);
    return bytes;
}

static bool same(struct bytes a, struct bytes b)
{
    return !a.at == !b.at && a.size == b.size && (!a.at || memcmp(a.at, b.at, a.size) == 0);
}

static const char old_content[] = "old\n";

/* The trace as it was, of the same age whenever it is restored: indexes of it fit. */
static void restore_trace(void)
{
    static const struct timespec old[2] = {{1000000000, 0}, {1000000000, 0}};
    if (how < SHRINK) return;
    unlink(trace_path);
    const int file = open(trace_path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    if (write(file, trace.at, trace.size) != (ssize_t)trace.size || futimens(file, old) != 0 ||
        fstat(file, &trace_status) != 0)
        _exit(99);
    close(file);
}

/* Fork; the child returns true and continues to main(). */
static bool run(long at, const char *path, struct outcome *outcome)
{
    const int out = memfd_create("out", MFD_CLOEXEC), error = memfd_create("error", MFD_CLOEXEC);
    if (path) {
        const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
        if (write(file, old_content, sizeof old_content - 1) < 0) _exit(99);
        close(file);
    }
    restore_trace();
    lseek(STDIN_FILENO, 0, SEEK_SET);
    *shared = (struct shared){0};
    fail_at = at;
    const pid_t child = fork();
    if (child == 0) {
        dup2(out, STDOUT_FILENO);
        dup2(error, STDERR_FILENO);
        alarm(SECONDS);
        is_child = true;
        return true;
    }
    while (waitpid(child, &outcome->status, 0) < 0 && errno == EINTR) continue;
    outcome->out = load(out);
    outcome->error = load(error);
    outcome->file = load_path(path);
    close(out);
    close(error);
    return false;
}

static void forget(struct outcome *outcome)
{
    free(outcome->out.at);
    free(outcome->error.at);
    free(outcome->file.at);
}

/* What is wrong with a run; NULL: nothing. */
static const char *judge(const struct outcome *first, const struct outcome *run)
{
    const bool is_old = run->file.at && run->file.size == sizeof old_content - 1 &&
                        memcmp(run->file.at, old_content, run->file.size) == 0;
    const bool whole = same(run->file, first->file), equal = same(run->out, first->out);
    if (!whole && !is_old) return "the file is neither the old one nor the new one";
    if (WIFSIGNALED(run->status))
        return how == SIGNAL && WTERMSIG(run->status) == number ? NULL : "ended by a signal";
    const int code = WEXITSTATUS(run->status);
    if (code == WEXITSTATUS(first->status) && equal && whole) return NULL;
    if (code == WEXITSTATUS(first->status) && same(run->error, first->error))
        return "another result without a word";
    if (code != UNREADABLE) return "another exit code than 3";
    if (same(run->error, first->error)) return "exit code 3 without a word";
    return NULL;
}

/* ---- all runs ---- */

static bool parse(const char *word, long *step, long *first, long *last)
{
    char kind_name[16], how_name[16];
    static const struct {
        const char *name;
        enum how how;
        int number;
    } words[] = {{"short", SHORT, 0},     {"again", AGAIN, 0},       {"kill", SIGNAL, SIGKILL},
                 {"int", SIGNAL, SIGINT}, {"term", SIGNAL, SIGTERM}, {"hup", SIGNAL, SIGHUP},
                 {"shrink", SHRINK, 0},   {"change", CHANGE, 0},     {"replace", REPLACE, 0}};
    *step = *first = 1;
    *last = 1000000;
    if (sscanf(word, "%15[a-z]:%15[a-z0-9]:%ld:%ld:%ld", kind_name, how_name, step, first, last) <
        2)
        return false;
    for (kind = 0; kind < KINDS && strcmp(kind_names[kind], kind_name) != 0;) kind++;
    number = atoi(how_name);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(how_name, words[i].name) == 0) {
            how = words[i].how;
            number = words[i].number;
        }
    return kind < KINDS && (how < SHRINK || trace.at);
}

static void report(FILE *to, long at, const char *what, const struct outcome *outcome)
{
    const int line = (int)strcspn(outcome->error.at, "\n");
    fprintf(to, "finding %s %ld: %s: status %x, stderr: %.*s\n", kind_names[kind], at, what,
            (unsigned)outcome->status, line > SHOWN ? SHOWN : line, outcome->error.at);
    for (int i = 2; i < shared->depth; i++) {
        Dl_info info;
        if (dladdr(shared->callers[i], &info) && info.dli_fname)
            fprintf(to, "    at %s +0x%lx\n", info.dli_fname,
                    (unsigned long)((char *)shared->callers[i] - (char *)info.dli_fbase - 1));
    }
}

__attribute__((constructor)) static void begin(void)
{
    const char *word = getenv("INJECT"), *path = getenv("INJECT_FILE");
    const char *to = getenv("INJECT_REPORT");
    long step, first, last, runs = 0, findings = 0;
    if (!word) return;
    trace_path = getenv("INJECT_TRACE");
    trace = load_path(trace_path);
    if (!parse(word, &step, &first, &last)) _exit(99);
    named = getenv("INJECT_NAMED") != NULL;
    unsetenv("LD_PRELOAD");
    void *unused[CALLERS];
    backtrace(unused, CALLERS); /* loads what it needs */
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct outcome normal, outcome;
    if (run(0, path, &normal)) return;
    if (step == 0) step = 1 + atomic_load(&shared->calls) / POINTS;
    FILE *out = to ? fopen(to, "we") : stderr;
    if (!out || WEXITSTATUS(normal.status) == USAGE) last = 0; /* nothing to see */
    if (!out) _exit(99);
    for (long at = first; at <= last; at += step) {
        if (run(at, path, &outcome)) return;
        const bool fired = atomic_load(&shared->fired);
        const char *what = fired ? judge(&normal, &outcome) : NULL;
        runs += fired && !shared->foreign;
        findings += what != NULL;
        if (what) report(out, at, what, &outcome);
        fflush(out); /* else each child would print it again */
        forget(&outcome);
        if (!fired) break;
    }
    fprintf(out, "runs %ld findings %ld status %d\n", runs, findings, WEXITSTATUS(normal.status));
    fclose(out);
    _exit(findings ? 1 : 0);
}
