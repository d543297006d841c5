/* SPDX-License-Identifier: MIT */
/*
 * torture/inject.h: what the intercepted calls (inject.c, inject_files.c) and the runs
 * (inject_runs.c) share.
 *
 * Preloaded, the constructor in inject_runs.c forks before main(): the first child gives the
 * reference result.  Then, for chosen N, call number N of a kind fails in another child, is short,
 * is interrupted, or receives a signal.  Every child must give the reference result, or print an
 * error on stderr and return 3; a file that it writes is the old one or the complete new one.  So
 * each N costs a fork, not the start of a process.
 *
 *   INJECT=KIND:HOW[:STEP[:FIRST]][,...]
 *       KIND  malloc, read, write, open, mmap, thread, sync, rename; io (open, write, sync and
 *             rename), any (all of these), trace (reads of INJECT_TRACE)
 *       HOW   an errno; or short, again (EINTR); or kill, int, term, hup (a signal); or shrink,
 *             change, replace: at that call, something else truncates the trace, writes to it, or
 *             puts another file in its place
 *       STEP  every STEP-th call (1); ~N: about N of the calls, evenly distributed; places (not of
 *             write, thread, sync, rename): of the calls whose callers are the same, the first,
 *             second, fourth, ...
 *   INJECT_FILE=PATH      a file that the program writes
 *   INJECT_ABSENT=1       it is an index: it does not exist before; else it has another content
 *   INJECT_OPTIONAL=1     the same, and the program may say that it does not write it
 *   INJECT_TELLS=WORD     it is a report that has this word where something could not be read
 *   INJECT_SHOWS=WORD     the program prints or writes this word where its trace was cut meanwhile
 *   INJECT_TRACE=PATH     a file that it reads, which is restored before each run
 *   INJECT_NAMED=1        there are no files without a name (O_TMPFILE)
 *   INJECT_SEEN=PATH      a file in which the places of all processes are counted: a place that
 *                         failed in REPEATED runs is left out
 *   INJECT_REPORT=PATH    a line for each finding, one for each KIND:HOW and one for the whole;
 * else stderr
 */
#ifndef TORTURE_INJECT_H
#define TORTURE_INJECT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

enum kind { MALLOC, READ, WRITE, OPEN, MMAP, THREAD, SYNC, RENAME, IO, ANY, TRACE, KINDS };
enum how { FAIL, SHORT, AGAIN, SIGNAL, SHRINK, CHANGE, REPLACE };
enum { CALLERS = 24, MAX_PLACES = 1 << 20 };

/* The kinds of which places are noted. */
enum { PLACES_MALLOC, PLACES_READ, PLACES_OPEN, PLACES_MMAP, PLACES_TRACE, PLACE_KINDS };
int places_of(enum kind kind); /* < 0: none */

/* One kind of failure, and where it happens. */
struct injection {
    enum kind kind;
    enum how how;
    int number; /* errno, or signal */
};

/* Shared by a child and its parent. */
struct inject_state {
    _Atomic long calls[KINDS]; /* so far */
    _Atomic bool fired;
    bool foreign; /* in a library that ends the process itself then, so nothing failed */
    int depth;
    void *callers[CALLERS];                   /* of the call that failed */
    uint64_t places[PLACE_KINDS][MAX_PLACES]; /* of the reference: the callers of each call */
};
extern struct inject_state *shared;

extern struct injection injection;
extern long fail_at;   /* 0: never */
extern bool is_child;  /* calls are counted */
extern bool reference; /* places are noted */
extern bool named;
/* What this thread does for the injection is not counted. */
extern _Thread_local bool inside __attribute__((tls_model("initial-exec")));
/* Counts a call; true if it is the one that fails. */
bool strikes(enum kind called);

/* The bytes of a file that fits in memory; NULL: there is none. */
struct bytes {
    char *at;
    size_t size;
};
extern const char *trace_path;   /* NULL: none */
extern struct bytes trace;       /* its content */
extern struct stat trace_status; /* in this run */

#endif
