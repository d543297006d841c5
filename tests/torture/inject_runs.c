/* SPDX-License-Identifier: MIT */
/* torture/inject_runs.c: the runs of a program in which a call fails, and what is wrong with them.
 */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "inject.h"

enum { SECONDS = 60, SHOWN = 120, USAGE = 2, UNREADABLE = 3, SHOWN_CALLERS = 8 };
enum { REPEATED = 3, SEEN = 1 << 20, MAX_WORD = 40 };

static const char *const kind_names[KINDS] = {"malloc", "read",   "write", "open", "mmap", "thread",
                                              "sync",   "rename", "io",    "any",  "trace"};

struct outcome {
    int status;
    bool left; /* a process that it started */
    struct bytes out, error, file;
};

static int report_file = STDERR_FILENO;
static const char *output_path; /* NULL: the program writes no file */
static bool output_absent;
static bool output_optional;
static const char *output_tells; /* the word with which the file states a failure, or NULL */
static const char
    *output_shows;     /* the word with which it states there that a trace was cut, or NULL */
static uint64_t *seen; /* NULL: places of other processes are not known */

/* ---- files ---- */

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

static void restore_output(void)
{
    if (!output_path) return;
    unlink(output_path);
    if (output_absent) return;
    const int file = open(output_path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    if (write(file, old_content, sizeof old_content - 1) < 0) _exit(99);
    close(file);
}

static bool is_old(struct bytes file)
{
    if (output_absent || !output_path) return !file.at;
    return file.at && file.size == sizeof old_content - 1 &&
           memcmp(file.at, old_content, file.size) == 0;
}

/* The trace as it was, of the same age whenever it is restored: indexes of it fit. */
static void restore_trace(void)
{
    static const struct timespec old[2] = {{1000000000, 0}, {1000000000, 0}};
    if (!trace_path || (injection.how < SHRINK && !reference)) return;
    unlink(trace_path);
    const int file = open(trace_path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    if (write(file, trace.at, trace.size) != (ssize_t)trace.size || futimens(file, old) != 0 ||
        fstat(file, &trace_status) != 0)
        _exit(99);
    close(file);
}

/* ---- a run ---- */

/* Waits for the processes that a run has left; true if one does not end by itself. */
static bool wait_for_rest(void)
{
    enum { TRIES = 1000 };
    const struct timespec pause = {.tv_nsec = 2000000};
    for (int i = 0; i < TRIES; i++) {
        const pid_t ended = waitpid(-1, NULL, WNOHANG);
        if (ended < 0 && errno == ECHILD) return false;
        if (ended == 0) nanosleep(&pause, NULL);
    }
    return true;
}

/* Forks; the child returns true and continues to main(). */
static bool run(long at, struct outcome *outcome)
{
    const int out = memfd_create("out", MFD_CLOEXEC), error = memfd_create("error", MFD_CLOEXEC);
    restore_output();
    restore_trace();
    lseek(STDIN_FILENO, 0, SEEK_SET);
    atomic_store(&shared->fired, false);
    shared->foreign = false;
    for (int i = 0; i < KINDS; i++) atomic_store(&shared->calls[i], 0);
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
    outcome->left = wait_for_rest();
    outcome->out = load(out);
    outcome->error = load(error);
    outcome->file = load_path(output_path);
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

static bool calls_damaged(struct bytes message)
{
    static const char word[] = "damaged";
    return message.at && memmem(message.at, message.size, word, sizeof word - 1);
}

static bool shows(struct bytes bytes)
{
    return bytes.at && memmem(bytes.at, bytes.size, output_shows, strlen(output_shows));
}

/* What is wrong with a run; NULL: nothing. */
static const char *judge(const struct outcome *first, const struct outcome *run)
{
    const bool of_another = output_absent && injection.kind == TRACE; /* an index of that trace */
    const bool whole = of_another || same(run->file, first->file);
    const bool equal = same(run->out, first->out);
    if (run->left) return "a process is left";
    if (output_shows && injection.kind == TRACE && WIFEXITED(run->status) &&
        (shows(run->out) || shows(run->file)) && !shows(first->out) && !shows(first->file))
        return NULL;
    const bool tells = output_tells && WIFEXITED(run->status) &&
                       WEXITSTATUS(run->status) == UNREADABLE && !same(run->error, first->error) &&
                       run->file.at && strstr((const char *)run->file.at, output_tells);
    if (!whole && !is_old(run->file) && !tells)
        return "the file is neither the old one nor the new one";
    if (WIFSIGNALED(run->status))
        return injection.how == SIGNAL && WTERMSIG(run->status) == injection.number
                   ? NULL
                   : "ended by a signal";
    const int code = WEXITSTATUS(run->status);
    if (code == WEXITSTATUS(first->status) && equal && whole) return NULL;
    if (code == WEXITSTATUS(first->status) && equal && output_optional &&
        !same(run->error, first->error))
        return NULL;
    if (code == WEXITSTATUS(first->status) && same(run->error, first->error))
        return "another result without a word";
    if (code != UNREADABLE) return "another exit code than 3";
    if (same(run->error, first->error)) return "exit code 3 without a word";
    if (injection.kind == MALLOC && calls_damaged(run->error) && !calls_damaged(first->error))
        return "what lacked memory is called damaged";
    return NULL;
}

/* ---- which calls ---- */

struct choice {
    char word[MAX_WORD]; /* KIND:HOW */
    long step, first;
    bool places;
};

static bool parse(const char *word, struct choice *choice)
{
    char kind_name[16] = "", how_name[16] = "", step[16] = "1";
    static const struct {
        const char *name;
        enum how how;
        int number;
    } words[] = {{"short", SHORT, 0},     {"again", AGAIN, 0},       {"kill", SIGNAL, SIGKILL},
                 {"int", SIGNAL, SIGINT}, {"term", SIGNAL, SIGTERM}, {"hup", SIGNAL, SIGHUP},
                 {"shrink", SHRINK, 0},   {"change", CHANGE, 0},     {"replace", REPLACE, 0}};
    *choice = (struct choice){.first = 1};
    if (sscanf(word, "%15[a-z]:%15[a-z0-9]:%15[a-z0-9~]:%ld", kind_name, how_name, step,
               &choice->first) < 2)
        return false;
    snprintf(choice->word, sizeof choice->word, "%s:%s", kind_name, how_name);
    enum kind kind = 0;
    while (kind < KINDS && strcmp(kind_names[kind], kind_name) != 0) kind++;
    injection = (struct injection){.kind = kind, .how = FAIL, .number = atoi(how_name)};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(how_name, words[i].name) == 0)
            injection = (struct injection){kind, words[i].how, words[i].number};
    choice->places = strcmp(step, "places") == 0;
    choice->step = step[0] == '~' ? -atol(step + 1) : choice->places ? 1 : atol(step);
    return kind < KINDS && choice->step != 0 && (!choice->places || places_of(kind) >= 0) &&
           (injection.how < SHRINK || trace.at);
}

/* Counts a place; returns how often it was counted before. */
static unsigned count_seen(uint64_t place)
{
    enum { COUNT = 15 };
    if (!seen) return 0;
    place |= COUNT + 1; /* no entry is 0 */
    for (size_t i = 0, at = place >> 8; i < SEEN; i++, at++) {
        uint64_t *entry = &seen[at % SEEN];
        if (*entry == 0) *entry = place & ~(uint64_t)COUNT;
        if ((*entry | COUNT) != (place | COUNT)) continue;
        const unsigned count = *entry & COUNT;
        if (count < COUNT) ++*entry;
        return count;
    }
    return 0;
}

/* How often each place was met, by the same hash table. */
struct meetings {
    uint64_t *places;
    unsigned *counts;
    size_t capacity; /* a power of two */
};

static unsigned meet(struct meetings *meetings, uint64_t place)
{
    size_t at = place * 0x9e3779b97f4a7c15u >> 32 & (meetings->capacity - 1);
    while (meetings->counts[at] && meetings->places[at] != place)
        at = (at + 1) & (meetings->capacity - 1);
    meetings->places[at] = place;
    return ++meetings->counts[at];
}

/* Of the calls from one place, the first, second, fourth, ... are chosen, unless other processes
 * let them fail REPEATED times. */
static bool is_chosen(struct meetings *meetings, long at)
{
    if (at > MAX_PLACES) return false;
    const uint64_t place = shared->places[places_of(injection.kind)][at - 1];
    const uint64_t what =
        injection.kind * 0x9fb21c651e98df25u ^ injection.how * 0xe7037ed1a0b428dbu;
    const unsigned count = meet(meetings, place);
    if (count & (count - 1)) return false;
    return count_seen(place ^ what ^ count * 0xd6e8feb86659fd93u) < REPEATED;
}

/* ---- all runs ---- */

static void report(long at, const char *what, const struct outcome *outcome)
{
    const int line = (int)strcspn(outcome->error.at, "\n");
    dprintf(report_file, "finding %s %ld: %s: status %x, stderr: %.*s\n",
            kind_names[injection.kind], at, what, (unsigned)outcome->status,
            line > SHOWN ? SHOWN : line, outcome->error.at);
    for (int i = 2; i < shared->depth && i < SHOWN_CALLERS; i++) {
        Dl_info info;
        if (dladdr(shared->callers[i], &info) && info.dli_fname)
            dprintf(report_file, "    at %s +0x%lx\n", info.dli_fname,
                    (unsigned long)((char *)shared->callers[i] - (char *)info.dli_fbase - 1));
    }
}

/* All runs of one kind of failure; true in a child. */
static bool run_all(const struct choice *choice, const long calls, const struct outcome *normal)
{
    long runs = 0, findings = 0, known = 0, step = choice->step;
    struct meetings meetings = {.capacity = 1};
    struct outcome outcome;
    while (choice->places && meetings.capacity < 2 * (size_t)calls + 1) meetings.capacity *= 2;
    meetings.places = calloc(meetings.capacity, sizeof *meetings.places);
    meetings.counts = calloc(meetings.capacity, sizeof *meetings.counts);
    if (step < 0) step = 1 + calls / -step;
    /* With threads, or where the reference left an index, there may be more calls than in it. */
    for (long at = choice->first; at <= calls || step == 1; at += step) {
        if (choice->places && at > calls) break;
        if (choice->places && !is_chosen(&meetings, at)) {
            known++;
            continue;
        }
        if (run(at, &outcome)) return true;
        const bool fired = atomic_load(&shared->fired);
        const char *what = fired ? judge(normal, &outcome) : NULL;
        runs += fired && !shared->foreign;
        findings += what != NULL;
        if (what) report(at, what, &outcome);
        forget(&outcome);
        if (!fired && !choice->places) break;
    }
    dprintf(report_file, "runs %s %ld findings %ld calls %ld left out %ld\n", choice->word, runs,
            findings, calls, known);
    free(meetings.places);
    free(meetings.counts);
    return false;
}

/* Addresses are the same in each process: a place is recognised. */
static void fix_addresses(char **arguments)
{
    const int now = personality(0xffffffff);
    if (now < 0 || now & ADDR_NO_RANDOMIZE) return;
    if (personality((unsigned long)now | ADDR_NO_RANDOMIZE) < 0) return;
    if (personality(0xffffffff) & ADDR_NO_RANDOMIZE) execv("/proc/self/exe", arguments);
}

static void *map(int file, size_t size)
{
    void *mapped = mmap(NULL, size, PROT_READ | PROT_WRITE,
                        file < 0 ? MAP_SHARED | MAP_ANONYMOUS : MAP_SHARED, file, 0);
    if (mapped == MAP_FAILED) _exit(99);
    return mapped;
}

static void open_files(void)
{
    const char *to = getenv("INJECT_REPORT"), *counted = getenv("INJECT_SEEN");
    output_path = getenv("INJECT_FILE");
    output_optional = getenv("INJECT_OPTIONAL") != NULL;
    output_tells = getenv("INJECT_TELLS");
    output_shows = getenv("INJECT_SHOWS");
    output_absent = output_optional || getenv("INJECT_ABSENT") != NULL;
    trace_path = getenv("INJECT_TRACE");
    trace = load_path(trace_path);
    named = getenv("INJECT_NAMED") != NULL;
    if (to) report_file = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    shared = map(-1, sizeof *shared);
    if (counted) {
        const int file = open(counted, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
        if (ftruncate(file, SEEN * sizeof *seen) != 0) _exit(99);
        seen = map(file, SEEN * sizeof *seen);
        close(file);
    }
}

__attribute__((constructor)) static void begin(int count, char **arguments)
{
    const char *words = getenv("INJECT");
    (void)count;
    if (!words) return;
    fix_addresses(arguments);
    open_files();
    unsetenv("LD_PRELOAD");
    void *unused[CALLERS];
    backtrace(unused, CALLERS); /* loads what it needs */
    prctl(PR_SET_CHILD_SUBREAPER, 1);

    struct outcome normal;
    long calls[KINDS];
    reference = true;
    if (run(0, &normal)) return;
    reference = false;
    for (int i = 0; i < KINDS; i++) calls[i] = atomic_load(&shared->calls[i]);
    const bool useless = !WIFEXITED(normal.status) || WEXITSTATUS(normal.status) == USAGE;
    char *copy = strdup(words), *rest = copy;
    for (char *word; !useless && (word = strsep(&rest, ","));) {
        struct choice choice;
        if (!parse(word, &choice)) _exit(99);
        if (run_all(&choice, calls[injection.kind], &normal)) return;
    }
    dprintf(report_file, "status %x threads %ld\n", (unsigned)normal.status, calls[THREAD]);
    free(copy);
    _exit(0);
}
