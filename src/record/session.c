/* SPDX-License-Identifier: MIT */
/* record/session.c: run the program on one core and convert its events to a trace on
 * another. */
#include "record/session.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/platform.h"
#include "record/recorder.h"
#include "record/stream.h"
#include "spoor/image.h"
#ifdef SPOOR_HAVE_SIGNALFD
#include <sys/signalfd.h>
#endif

enum {
    WAIT = 20,        /* milliseconds between checks of the program if there are no events */
    LOOK_EVERY = 256, /* blocks between checks if there are */
};

/* The position of guest address 0 if its memory must be found: it leaves space for every program,
 * also for a position-independent one (QEMU 7 then requests address 0 itself, which no process may
 * map). */
#define GUEST_BASE (UINT64_C(1) << 40)

/* ---- the signals that end a recording, taken one by one: by a file of signals, or by asking for
 * pending ones every few milliseconds ---- */

struct signals {
    int file;        /* readable if there is a signal; -1: the system has no such file */
    sigset_t before; /* the mask outside the recording, which the recorded program gets */
};

static const int session_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
enum { SIGNALS = sizeof session_signals / sizeof *session_signals };

/* True if a signal to end waits; it is not taken. */
static bool signals_any(void)
{
    sigset_t waiting;
    if (sigpending(&waiting) != 0) return false;
    for (unsigned i = 0; i < SIGNALS; i++)
        if (sigismember(&waiting, session_signals[i]) == 1) return true;
    return false;
}

#ifdef SPOOR_HAVE_SIGNALFD

/* Waits for a signal, or for the end of a child, at most `milliseconds` (-1: without limit); may
 * return earlier. */
static void signals_wait(const struct signals *signals, int milliseconds)
{
    struct pollfd descriptor = {.fd = signals->file, .events = POLLIN};
    (void)poll(&descriptor, 1, milliseconds);
}

/* Takes the next signal to end; false if none waits.  `shared`: the terminal sent it to all
 * programs that run there. */
static bool signals_next(const struct signals *signals, int *number, bool *shared)
{
    struct signalfd_siginfo signal;
    while (read(signals->file, &signal, sizeof signal) == (ssize_t)sizeof signal) {
        if (signal.ssi_signo == SIGCHLD) continue;
        *number = (int)signal.ssi_signo;
        *shared = signal.ssi_code == SI_KERNEL;
        return true;
    }
    return false;
}

#else

static void signals_wait(const struct signals *signals, int milliseconds)
{
    enum { INTERVAL = 10 };
    const struct timespec pause = {0, INTERVAL * 1000000L};
    (void)signals;
    if (milliseconds != 0 && !signals_any()) nanosleep(&pause, NULL);
}

static bool signals_next(const struct signals *signals, int *number, bool *shared)
{
    sigset_t waiting, one;
    (void)signals;
    if (sigpending(&waiting) != 0) return false;
    for (unsigned i = 0; i < SIGNALS; i++) {
        if (sigismember(&waiting, session_signals[i]) != 1) continue;
        sigemptyset(&one);
        sigaddset(&one, session_signals[i]);
        if (sigwait(&one, number) != 0) return false;
        /* a key of the terminal signals all that is in its foreground */
        const int terminal = open("/dev/tty", O_RDONLY | O_CLOEXEC);
        *shared = (*number == SIGINT || *number == SIGQUIT) && terminal >= 0 &&
                  tcgetpgrp(terminal) == getpgrp();
        if (terminal >= 0) close(terminal);
        return true;
    }
    return false;
}

#endif

/* ---- the session ---- */

struct session {
    const struct session_options *options;
    struct guest guest;
    struct stream stream;
    struct recorder recorder;
    struct assembler *assembler;
    struct spoor_output *output;
    struct spoor_writer *writer;
    struct spoor_error *error;
    enum spoor_status status; /* the first error */
    bool resolved;            /* --start and --stop have become addresses */
    uint64_t records;
    pid_t program;
    bool exited;
    bool ran;   /* the program was started and loaded the plugin */
    bool ended; /* by spoor */
    int wait_status;
    struct signals signals;
};

/* From now on only empty the queue, so that the program can continue. */
static void session_give_up(struct session *session, enum spoor_status status)
{
    if (session->status != SPOOR_OK) return;
    session->status = status;
    stream_stop(&session->stream);
}

/* ---- signals and the end of the program ---- */

/* Takes the signals to end, by which the trace ends; the program gets them too unless the terminal
 * has already sent them to both. */
static void session_look(struct session *session, int wait)
{
    int number;
    bool shared;
    signals_wait(&session->signals, wait);
    while (signals_next(&session->signals, &number, &shared)) {
        stream_stop(&session->stream);
        if (!shared && !session->exited) kill(session->program, number);
    }
    if (!session->exited &&
        waitpid(session->program, &session->wait_status, WNOHANG) == session->program)
        session->exited = true;
}

/* ---- events to trace ---- */

static void session_consume(struct session *session)
{
    struct executions *executions = &session->assembler->executions;
    struct spoor_batch *batch = &session->recorder.batch;
    if (executions->count && session->status == SPOOR_OK) {
        session->recorder.kind->consume(&session->recorder, executions);
        const enum spoor_status status =
            batch->out_of_memory
                ? spoor_error_set(session->error, SPOOR_ENOMEM, "out of memory")
                : spoor_writer_put(session->writer, batch, 0, batch->count, session->error);
        session->records += batch->count;
        spoor_batch_clear(batch);
        if (status != SPOOR_OK) session_give_up(session, status);
    }
    executed_clear(executions);
}

/* Finds the addresses of --start and --stop; before the program is loaded (`code_start` 0) only
 * whether they exist. */
static enum spoor_status session_find_places(const struct session *session, uint64_t code_start,
                                             struct selection *selection)
{
    const struct session_options *options = session->options;
    enum spoor_status status = SPOOR_OK;
    if (options->start)
        status = guest_address(&session->guest, options->start, code_start, &selection->start,
                               session->error);
    if (status == SPOOR_OK && options->stop)
        status = guest_address(&session->guest, options->stop, code_start, &selection->stop,
                               session->error);
    return status;
}

static void session_take_block(struct session *session, const struct block *block)
{
    if (!session->resolved) {
        const uint64_t code_start = atomic_load(&session->stream.events->code_start);
        const enum spoor_status status =
            session_find_places(session, code_start, &session->assembler->selection);
        session->resolved = true;
        if (status != SPOOR_OK) session_give_up(session, status);
    }
    if (session->status != SPOOR_OK || session->assembler->done) return;
    uint32_t at = 0;
    while (assembler_feed(session->assembler, block, &at)) session_consume(session);
    if (session->assembler->out_of_memory)
        session_give_up(session, spoor_error_set(session->error, SPOOR_ENOMEM, "out of memory"));
    if (session->assembler->done) stream_stop(&session->stream);
}

/* ---- the recording ---- */

const char *session_features(void)
{
    return WITH_CAPSTONE ? "record (uop)" : "record";
}

const char *session_features_absent(void)
{
    return WITH_CAPSTONE ? "" : "record of uop, disassembly (capstone) ";
}

/* The path of the load map beside the output; false: it has none. */
static bool session_name_map(const struct session *session, char path[PATH_MAX])
{
    const char *output = session->options->output;
    struct stat status;
    if (!output || strcmp(output, "-") == 0 ||
        (stat(output, &status) == 0 && !S_ISREG(status.st_mode)))
        return false;
    return spoor_images_map_name(output, path, PATH_MAX);
}

static enum spoor_status session_prepare(struct session *session, char **words,
                                         struct guest_options *guest)
{
    const struct session_options *options = session->options;
    enum spoor_status status = stream_open(&session->stream, session->error);
    const struct recorder_kind *kind = recorder_kind_for(options->format);
    const uint32_t wishes = kind ? kind->wishes : 0;
    guest->want_single = wishes & WISH_REGISTERS;
    if (status == SPOOR_OK) status = guest_find(&session->guest, words[0], guest, session->error);
    if (status == SPOOR_OK)
        status = recorder_open(&session->recorder, options->format, session->guest.machine,
                               session->error);
    struct selection unused;
    if (status == SPOOR_OK) status = session_find_places(session, 0, &unused);
    if (status != SPOOR_OK) return status;
    guest->has_base = wishes & WISH_DATA;
    guest->base = GUEST_BASE;
    session->stream.events->wishes = wishes;
    session->stream.events->guest_base = guest->base;
    session->assembler = malloc(sizeof *session->assembler);
    if (!session->assembler || !assembler_open(session->assembler, session->guest.machine->id,
                                               session->stream.events->instructions,
                                               wishes & WISH_REGISTERS, &options->selection))
        return spoor_error_set(session->error, SPOOR_ENOMEM, "out of memory");
    session->assembler->selection.has_cpu |= kind && kind->one_cpu;
    /* The output. */
    const char *const inputs[] = {session->guest.path, session->guest.qemu, session->guest.plugin};
    char map[PATH_MAX];
    const bool has_map = session_name_map(session, map);
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        if (spoor_output_is_input(options->output, inputs[i]) ||
            (has_map && spoor_output_is_input(map, inputs[i])))
            return spoor_error_set(session->error, SPOOR_EUSAGE,
                                   "record -o %s would overwrite %s, which this recording runs",
                                   options->output, inputs[i]);
    /* a map may not replace what is none */
    if (has_map) status = spoor_images_check_map(map, session->error);
    if (status != SPOOR_OK) return status;
    const bool in_place = options->partial || options->container;
    const struct spoor_writer_options writing = {.content = options->format,
                                                 .description = options->description};
    status = (in_place ? spoor_output_open_in_place
                       : spoor_output_open)(&session->output, options->output, session->error);
    if (status != SPOOR_OK) return status;
    spoor_output_use_threads(session->output, options->threads);
    status = spoor_writer_open(&session->writer,
                               options->container ? options->container : options->format, &writing,
                               session->output, session->error);
    if (status == SPOOR_OK && options->indexing)
        spoor_index_writer_watch(options->indexing, session->writer);
    return status;
}

static const char *const faults[] = {
    [FAULT_INSTRUCTIONS] = "the trace ends early: the program has too many instructions",
    [FAULT_THREADS] = "the trace ends early: the program has too many threads",
    [FAULT_REGISTERS] = "this QEMU keeps the guest's registers where spoor cannot find them: "
                        "record uop, lackey or din instead",
};

static void session_record(struct session *session, char **words, const struct guest_options *guest,
                           struct session_summary *summary)
{
    struct events *events = session->stream.events;
    if (events->wishes & WISH_REGISTERS) {
        vector_place_find(events, &session->guest, guest, &session->signals.before);
        session->recorder.with_vectors = events->place.offset != 0;
        session->recorder.with_status = events->float_place.control != 0;
        summary->without_vectors = !session->recorder.with_vectors;
        summary->without_status = !session->recorder.with_status;
    }
    session->program = guest_start(&session->guest, guest, words, session->stream.descriptor,
                                   &session->signals.before, session->error);
    if (session->program < 0) {
        session->status = session->error->status;
    } else {
        for (unsigned blocks = 1;; blocks++) {
            struct block *block = stream_next(&session->stream, session->exited ? 0 : WAIT);
            session->ran |= block != NULL || session->stream.damaged;
            if (session->stream.damaged || session->assembler->damaged) {
                /* The program wrote over the memory that it shares with spoor.  It would wait for
                 * blocks for ever, or go on writing there, so it is ended. */
                session_give_up(
                    session,
                    spoor_error_set(session->error, SPOOR_EINPUT,
                                    "the events from QEMU are damaged: did the program write over "
                                    "them?  It was ended; the trace has what came before"));
                if (!session->exited) kill(session->program, SIGKILL);
                session->ended = true;
                break;
            }
            if (!block && (session->exited || stream_ended(&session->stream))) break;
            if (!block || blocks % LOOK_EVERY == 0) session_look(session, 0);
            if (!block) continue;
            session_take_block(session, block);
            stream_return(&session->stream, block);
        }
        if (!session->ended) {
            for (struct block *block; (block = stream_left_over(&session->stream));)
                session_take_block(session, block);
            session_consume(session);
            assembler_end(session->assembler);
            session_consume(session);
        }
        while (!session->exited) session_look(session, -1);
        session->ran |= atomic_load(&events->loaded) != 0;
        summary->started = session->ran;
        const int status = session->wait_status;
        if (!session->ended)
            summary->exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
        if (!summary->started && session->status == SPOOR_OK)
            session->status =
                spoor_error_set(session->error, SPOOR_EINPUT, "%s did not load spoor's plugin (%s)",
                                session->guest.qemu, session->guest.plugin);
        const uint32_t fault = atomic_load(&events->fault);
        if (fault != FAULT_NONE && fault < sizeof faults / sizeof *faults &&
            session->status == SPOOR_OK)
            session->status = spoor_error_set(session->error, SPOOR_EINPUT, "%s", faults[fault]);
    }
    const struct assembler *assembler = session->assembler;
    summary->instructions = assembler->taken;
    summary->left_out = session->recorder.left_out;
    summary->never_started = !assembler->started;
    summary->what = session->recorder.kind->what;
    summary->records = session->records;
    if (assembler->selection.has_cpu && assembler->cpus > 1)
        summary->other_threads = assembler->cpus - 1;
}

/* ---- the load map beside the trace ---- */

static size_t session_mappings(const struct events *events, struct spoor_mapping *mappings)
{
    const uint32_t noted = atomic_load(&events->mapping_count);
    size_t count = 0;
    for (uint32_t i = 0; i < noted && i < MAPPINGS_MAXIMUM; i++) {
        const struct mapping *mapping = &events->mappings[i];
        if (!mapping->path[0] || !memchr(mapping->path, '\0', MAPPING_PATH)) continue;
        mappings[count++] = (struct spoor_mapping){.start = mapping->start,
                                                   .end = mapping->end,
                                                   .file_offset = mapping->file_offset,
                                                   .path = mapping->path};
    }
    return count;
}

static void session_finish(struct session *session)
{
    struct spoor_error *error = session->status == SPOOR_OK ? session->error : NULL;
    if (session->writer && session->options->container && session->stream.events) {
        struct spoor_mapping mappings[MAPPINGS_MAXIMUM];
        char line[PATH_MAX + SPOOR_BUILD_ID_DIGITS + 64];
        const size_t count = session_mappings(session->stream.events, mappings);
        for (size_t i = 0; i < count; i++)
            if (spoor_images_mapping_line(&mappings[i], line, sizeof line))
                spoor_writer_describe(session->writer, line, NULL);
    }
    enum spoor_status status = spoor_writer_close(session->writer, error);
    if (session->status == SPOOR_OK) session->status = status;
    error = session->status == SPOOR_OK ? session->error : NULL;
    status = SPOOR_OK;
    /* Events before an attack or a signal are kept; those that could not be written or made are
     * not. */
    const bool kept =
        session->ran && session->status != SPOOR_ENOMEM && session->status != SPOOR_EOUTPUT;
    if (session->output && !kept)
        spoor_output_discard(session->output);
    else if (session->output)
        status = spoor_output_close(session->output, error);
    if (session->status == SPOOR_OK) session->status = status;
    /* The load map.  That of an earlier recording under the same name must not stay.  A container
     * has its own, in its description. */
    char path[PATH_MAX];
    if (kept && session->output && session->stream.events && session_name_map(session, path)) {
        struct spoor_mapping mappings[MAPPINGS_MAXIMUM];
        const size_t count = session_mappings(session->stream.events, mappings);
        error = session->status == SPOOR_OK ? session->error : NULL;
        status = SPOOR_OK;
        if (count == 0 || session->options->container)
            unlink(path);
        else
            status = spoor_images_write_map(path, mappings, count, error);
        if (session->status == SPOOR_OK) session->status = status;
    }
    recorder_close(&session->recorder);
    if (session->assembler) assembler_close(session->assembler);
    free(session->assembler);
    stream_close(&session->stream);
}

enum spoor_status session_run(const struct session_options *options, char **words,
                              struct session_summary *summary, struct spoor_error *error)
{
    struct session session = {.options = options, .error = error, .stream = {.descriptor = -1}};
    struct guest_options guest = options->guest;
    *summary = (struct session_summary){0};
    /* Signals wait until the output has its name, or is gone; then those are delivered that were
     * not taken. */
    struct signals *signals = &session.signals;
    sigset_t watched;
    sigemptyset(&watched);
    for (unsigned i = 0; i < SIGNALS; i++) sigaddset(&watched, session_signals[i]);
    signals->file = -1;
#ifdef SPOOR_HAVE_SIGNALFD
    sigaddset(&watched, SIGCHLD);
    signals->file = signalfd(-1, &watched, SFD_NONBLOCK | SFD_CLOEXEC);
#endif
    sigprocmask(SIG_BLOCK, &watched, &signals->before);
    session.status = session_prepare(&session, words, &guest);
    if (session.status == SPOOR_OK &&
        signals_any()) /* it ends spoor, too, once the output is discarded */
        session.status = spoor_error_set(error, SPOOR_EINPUT, "ended before the program started");
    if (session.status == SPOOR_OK) session_record(&session, words, &guest, summary);
    session_finish(&session);
    if (signals->file >= 0) close(signals->file);
    sigprocmask(SIG_SETMASK, &signals->before, NULL);
    return session.status;
}
