/* SPDX-License-Identifier: MIT */
/* child.c: a fork that makes bytes. */
#include "silicon/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model/error.h"

enum {
    PIPE_SIZE = 1 << 20,     /* bytes that the child may be ahead by */
    CRASH_STACK = 64 << 10,  /* bytes of the stack of the handler */
    MOST_FILES = 1 << 16,    /* descriptors that are closed one by one */
    OUT = STDERR_FILENO + 1, /* the descriptor of the pipe in the child */
};

/* What both processes see. */
struct child_report {
    bool ended, crashed;
    enum spoor_status status;
    uint64_t place;
    struct spoor_error error;
};

struct child {
    pid_t process; /* 0: it was waited for */
    int file, wait_status;
    bool empty, waited;
    const char *path;
    struct child_report *report;
};

/* ---- in the child ---- */

/* Of the child, which has one thread: a handler has no other way to them. */
static struct {
    const struct child_work *work;
    void *context;
    struct child_report *report;
} child_self;

static const int child_crashes[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};
enum { CRASHES = sizeof child_crashes / sizeof *child_crashes };

bool child_put(const void *bytes, size_t size)
{
    const char *at = bytes;
    while (size) {
        const ssize_t written = write(OUT, at, size);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        at += written;
        size -= (size_t)written;
    }
    return true;
}

static void child_note_crash(int number)
{
    struct child_report *report = child_self.report;
    if (child_self.work->crash(child_self.context, number, &report->place)) {
        report->crashed = true;
        _exit(EXIT_FAILURE);
    }
    signal(number, SIG_DFL); /* SA_RESETHAND has done so for others */
    raise(number);
}

static void child_close_files(int file)
{
    const int moved = fcntl(file, F_DUPFD, OUT), null = open("/dev/null", O_RDWR);
    struct rlimit most = {.rlim_cur = MOST_FILES};
    if (moved < 0 || null < 0) _exit(EXIT_FAILURE);
    for (int i = 0; i < OUT; i++) dup2(null, i);
    dup2(moved, OUT);
#ifdef CLOSE_RANGE_UNSHARE /* of glibc 2.34 on */
    if (close_range(OUT + 1, UINT32_MAX, 0) == 0) return;
#endif
    getrlimit(RLIMIT_NOFILE, &most);
    for (int i = OUT + 1; i < MOST_FILES && (rlim_t)i < most.rlim_cur; i++) close(i);
}

/* As a program that begins; nothing of the handlers of this one is of use. */
static void child_set_signals(void)
{
    static char stack[CRASH_STACK];
    const stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigset_t none;
    for (int i = 1; i < NSIG; i++) sigaction(i, &action, NULL);
    action.sa_handler = SIG_IGN; /* it ends with its reader */
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGQUIT, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    sigaltstack(&other, NULL);
    action = (struct sigaction){.sa_handler = child_note_crash,
                                .sa_flags = (int)(SA_ONSTACK | SA_RESETHAND)};
    for (size_t i = 0; i < CRASHES; i++) sigaction(child_crashes[i], &action, NULL);
    const struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
}

static _Noreturn void child_run(const struct child_work *work, void *context,
                                struct child_report *report, int file)
{
    child_self.work = work;
    child_self.context = context;
    child_self.report = report;
    child_set_signals();
    child_close_files(file);
    report->status = work->run(context, &report->error);
    report->ended = true;
    _exit(EXIT_SUCCESS);
}

/* ---- in this process ---- */

static void child_wait(struct child *child)
{
    pid_t waited;
    if (!child->process) return;
    do waited = waitpid(child->process, &child->wait_status, 0);
    while (waited < 0 && errno == EINTR);
    child->waited = waited > 0;
    child->process = 0;
}

void child_free(struct child *child)
{
    if (!child) return;
    if (child->file >= 0) close(child->file);
    /* a number that this process did not wait for is of no other one */
    if (child->process && waitpid(child->process, &child->wait_status, WNOHANG) == 0) {
        kill(child->process, SIGKILL);
        child_wait(child);
    }
    if (child->report != MAP_FAILED) munmap(child->report, sizeof *child->report);
    free(child);
}

struct child *child_start(const struct child_work *work, void *context, const char *path,
                          struct spoor_error *error)
{
    int files[2] = {-1, -1};
    sigset_t all, before;
    struct child *child = calloc(1, sizeof *child);
    if (!child) {
        error_no_memory_while(error, path, "starting its decoder");
        return NULL;
    }
    child->file = -1;
    child->path = path;
    child->report = mmap(NULL, sizeof *child->report, PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    bool good = child->report != MAP_FAILED && pipe2(files, O_CLOEXEC) == 0;
    if (good) {
        sigfillset(&all); /* a handler of this process has no business in the child */
        pthread_sigmask(SIG_SETMASK, &all, &before);
        child->process = fork();
        if (child->process == 0) child_run(work, context, child->report, files[1]);
        const int why = errno;
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        errno = why;
        good = child->process > 0;
        if (!good) child->process = 0;
    }
    if (!good)
        spoor_error_system(error, SPOOR_EINPUT, "%s: no process can be started to decode it", path);
    child->file = files[0];
    if (files[1] >= 0) close(files[1]);
    if (!good) {
        child_free(child);
        return NULL;
    }
    fcntl(child->file, F_SETPIPE_SZ, PIPE_SIZE); /* else a smaller one */
    struct pollfd poll_file = {.fd = child->file, .events = POLLIN};
    while (poll(&poll_file, 1, -1) < 0 && errno == EINTR) continue;
    child->empty = !(poll_file.revents & POLLIN);
    return child;
}

bool child_is_empty(const struct child *child)
{
    return child->empty;
}

size_t child_read(struct child *child, void *to, size_t capacity)
{
    ssize_t got;
    do got = read(child->file, to, capacity);
    while (got < 0 && errno == EINTR);
    return got < 0 ? 0 : (size_t)got;
}

enum child_end child_how(struct child *child, enum spoor_status *status, uint64_t *place,
                         struct spoor_error *error)
{
    struct child_report *report = child->report;
    child_wait(child);
    *status = report->status;
    *place = report->place;
    if (report->crashed) return CHILD_CRASHED;
    if (report->ended) {
        if (report->status < SPOOR_OK) *error = report->error;
        return CHILD_ENDED;
    }
    const int number =
        child->waited && WIFSIGNALED(child->wait_status) ? WTERMSIG(child->wait_status) : 0;
    *status = spoor_error_set(error, SPOOR_EINPUT, "%s: its decoder was ended by %s", child->path,
                              number ? strsignal(number) : "something else");
    return CHILD_LOST;
}
