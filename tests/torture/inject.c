/* SPDX-License-Identifier: MIT */
/* torture/inject.c: which call fails, and the allocations that do. */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "inject.h"

struct inject_state *shared;
struct injection injection = {.kind = KINDS};
long fail_at;
bool is_child, reference, named;
const char *trace_path;
struct bytes trace;
struct stat trace_status;

_Thread_local bool inside __attribute__((tls_model("initial-exec")));

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

int places_of(enum kind kind)
{
    switch (kind) {
    case MALLOC: return PLACES_MALLOC;
    case READ: return PLACES_READ;
    case OPEN: return PLACES_OPEN;
    case MMAP: return PLACES_MMAP;
    case TRACE: return PLACES_TRACE;
    default: return -1;
    }
}

/* Notes from where a call of the reference is made. */
static void note_place(enum kind called, long number)
{
    void *callers[CALLERS];
    uint64_t hash = 14695981039346656037u;
    const int kind = places_of(called);
    if (number > MAX_PLACES || kind < 0) return;
    const int depth = backtrace(callers, CALLERS);
    for (int i = 2; i < depth; i++)
        hash = (hash ^ (uint64_t)(uintptr_t)callers[i]) * 0x9e3779b97f4a7c15u ^ hash >> 29;
    shared->places[kind][number - 1] = hash;
}

/* Counts a call of the reference, of which every kind will have its turn. */
static void count(enum kind called)
{
    const long number = atomic_fetch_add(&shared->calls[called], 1) + 1;
    note_place(called, number);
    if (called == TRACE) return;
    atomic_fetch_add(&shared->calls[ANY], 1);
    if (is_io(called)) atomic_fetch_add(&shared->calls[IO], 1);
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

bool strikes(enum kind called)
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

/* Where the program is linked with this file, because its sanitizer brings an allocation of its
 * own, the calls of the program are wrapped; a preloaded library replaces those of all libraries,
 * too. */
#ifdef INJECT_WRAPPED
#define INTERCEPTED(name) __wrap_##name
#define REAL(name) __real_##name
#define REAL_ALIGNED REAL(aligned_alloc)
#else
#define INTERCEPTED(name) name
#define REAL(name) __libc_##name
#define REAL_ALIGNED __libc_memalign
#endif
extern void *REAL(malloc)(size_t size);
extern void *REAL(calloc)(size_t count, size_t size);
extern void *REAL(realloc)(void *old, size_t size);
extern void *REAL_ALIGNED(size_t alignment, size_t size);
void *INTERCEPTED(malloc)(size_t size);
void *INTERCEPTED(calloc)(size_t count, size_t size);
void *INTERCEPTED(realloc)(void *old, size_t size);
void *INTERCEPTED(aligned_alloc)(size_t alignment, size_t size);
int INTERCEPTED(posix_memalign)(void **to, size_t alignment, size_t size);
char *INTERCEPTED(strdup)(const char *text);

void *INTERCEPTED(malloc)(size_t size)
{
    return strikes(MALLOC) ? NULL : REAL(malloc)(size);
}
void *INTERCEPTED(calloc)(size_t count, size_t size)
{
    return strikes(MALLOC) ? NULL : REAL(calloc)(count, size);
}
void *INTERCEPTED(realloc)(void *old, size_t size)
{
    return strikes(MALLOC) ? NULL : REAL(realloc)(old, size);
}
void *INTERCEPTED(aligned_alloc)(size_t alignment, size_t size)
{
    return strikes(MALLOC) ? NULL : REAL_ALIGNED(alignment, size);
}
int INTERCEPTED(posix_memalign)(void **to, size_t alignment, size_t size)
{
    const size_t whole = (size + alignment - 1) / alignment * alignment;
    void *memory = strikes(MALLOC) ? NULL : REAL_ALIGNED(alignment, whole);
    if (memory) *to = memory;
    return memory ? 0 : ENOMEM;
}
char *INTERCEPTED(strdup)(const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = strikes(MALLOC) ? NULL : REAL(malloc)(size);
    return copy ? memcpy(copy, text, size) : NULL;
}
