/* SPDX-License-Identifier: MIT */
/* record/session.c: run the program on one core and convert its events to a trace on another. */
#include "record/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/recorder.h"
#include "record/signals.h"
#include "record/stream.h"
#include "record/vector_place.h"
#include "spoor/image.h"

enum {
    WAIT = 20,        /* milliseconds between checks of the program if there are no events */
    LOOK_EVERY = 256, /* blocks between checks if there are */
};

/* The position of guest address 0 if its memory must be found: it leaves space for every program,
 * also for a position-independent one (QEMU 7 then requests address 0 itself, which no process may
 * map). */
#define GUEST_BASE (UINT64_C(1) << 40)

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
static void give_up(struct session *session, enum spoor_status status)
{
    if (session->status != SPOOR_OK) return;
    session->status = status;
    stream_stop(&session->stream);
}

/* ---- signals and the end of the program ---- */

/* A signal to end: the trace ends, and the program gets it too unless the terminal has already sent
 * it to both. */
static void end_by_signal(struct session *session, int number, bool shared)
{
    stream_stop(&session->stream);
    if (!shared && !session->exited) kill(session->program, number);
}

static void look_at_program(struct session *session, int wait)
{
    int number;
    bool shared;
    signals_wait(&session->signals, wait);
    while (signals_next(&session->signals, &number, &shared))
        end_by_signal(session, number, shared);
    if (!session->exited &&
        waitpid(session->program, &session->wait_status, WNOHANG) == session->program)
        session->exited = true;
}

/* ---- events to trace ---- */

static void write_records(struct session *session)
{
    struct spoor_batch *batch = &session->recorder.batch;
    enum spoor_status status = SPOOR_OK;
    if (batch->out_of_memory)
        status = spoor_error_set(session->error, SPOOR_ENOMEM, "out of memory");
    else
        status = spoor_writer_put(session->writer, batch, 0, batch->count, session->error);
    session->records += batch->count;
    spoor_batch_clear(batch);
    if (status != SPOOR_OK) give_up(session, status);
}

static void consume_executed(struct session *session)
{
    struct executions *executions = &session->assembler->executions;
    if (executions->count && session->status == SPOOR_OK) {
        session->recorder.kind->consume(&session->recorder, executions);
        write_records(session);
    }
    executed_clear(executions);
}

/* Checks that --start and --stop exist, before the program runs. */
static enum spoor_status check_places(const struct session *session)
{
    const char *const places[] = {session->options->start, session->options->stop};
    enum spoor_status status = SPOOR_OK;
    uint64_t address;
    for (size_t i = 0; i < 2 && status == SPOOR_OK; i++)
        if (places[i])
            status = guest_address(&session->guest, places[i], 0, &address, session->error);
    return status;
}

/* The addresses of --start and --stop are known once the program is loaded. */
static void resolve(struct session *session)
{
    const struct session_options *options = session->options;
    struct selection *selection = &session->assembler->selection;
    const uint64_t code_start = atomic_load(&session->stream.events->code_start);
    enum spoor_status status = SPOOR_OK;
    session->resolved = true;
    if (options->start)
        status = guest_address(&session->guest, options->start, code_start, &selection->start,
                               session->error);
    if (status == SPOOR_OK && options->stop)
        status = guest_address(&session->guest, options->stop, code_start, &selection->stop,
                               session->error);
    if (status != SPOOR_OK) give_up(session, status);
}

static void pop_block(struct session *session, const struct block *block)
{
    if (!session->resolved) resolve(session);
    if (session->status != SPOOR_OK || session->assembler->done) return;
    uint32_t at = 0;
    while (assembler_feed(session->assembler, block, &at)) consume_executed(session);
    if (session->assembler->out_of_memory)
        give_up(session, spoor_error_set(session->error, SPOOR_ENOMEM, "out of memory"));
    if (session->assembler->done) stream_stop(&session->stream);
}

/* The program wrote over the memory that it shares with spoor.  It would wait for blocks for ever,
 * or go on writing there, so it is ended; the trace has what was recorded until then. */
static void end_hostile(struct session *session)
{
    give_up(session, spoor_error_set(session->error, SPOOR_EINPUT,
                                     "the events from QEMU are damaged: did the program write over "
                                     "them?  It was ended; the trace has what came before"));
    if (!session->exited) kill(session->program, SIGKILL);
    session->ended = true;
}

static void consume_events(struct session *session)
{
    for (unsigned blocks = 1;; blocks++) {
        struct block *block = stream_next(&session->stream, session->exited ? 0 : WAIT);
        session->ran |= block != NULL || session->stream.damaged;
        if (session->stream.damaged || session->assembler->damaged) {
            end_hostile(session);
            return;
        }
        if (!block && (session->exited || stream_ended(&session->stream))) break;
        if (!block || blocks % LOOK_EVERY == 0) look_at_program(session, 0);
        if (!block) continue;
        pop_block(session, block);
        stream_return(&session->stream, block);
    }
    for (struct block *block; (block = stream_left_over(&session->stream));)
        pop_block(session, block);
    consume_executed(session);
    assembler_end(session->assembler);
    consume_executed(session);
}

static void check_fault(struct session *session)
{
    static const char *const sentences[] = {
        [FAULT_INSTRUCTIONS] = "the trace ends early: the program has too many instructions",
        [FAULT_THREADS] = "the trace ends early: the program has too many threads",
        [FAULT_REGISTERS] = "this QEMU keeps the guest's registers where spoor cannot find them: "
                            "record uop, lackey or din instead",
    };
    const uint32_t fault = atomic_load(&session->stream.events->fault);
    if (fault == FAULT_NONE || fault >= sizeof sentences / sizeof *sentences) return;
    if (session->status == SPOOR_OK)
        session->status = spoor_error_set(session->error, SPOOR_EINPUT, "%s", sentences[fault]);
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
static bool name_map(const struct session *session, char path[PATH_MAX])
{
    const char *output = session->options->output;
    struct stat status;
    if (!output || strcmp(output, "-") == 0 ||
        (stat(output, &status) == 0 && !S_ISREG(status.st_mode)))
        return false;
    return spoor_images_map_name(output, path, PATH_MAX);
}

/* Neither the trace nor its map may replace what is recorded, nor the map what is none. */
static enum spoor_status refuse_program(const struct session *session)
{
    const struct guest *guest = &session->guest;
    const char *output = session->options->output;
    const char *const inputs[] = {guest->path, guest->qemu, guest->plugin};
    char map[PATH_MAX];
    const bool has_map = name_map(session, map);
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        if (spoor_output_is_input(output, inputs[i]) ||
            (has_map && spoor_output_is_input(map, inputs[i])))
            return spoor_error_set(session->error, SPOOR_EUSAGE,
                                   "record -o %s would overwrite %s, which this recording runs",
                                   output, inputs[i]);
    return has_map ? spoor_images_check_map(map, session->error) : SPOOR_OK;
}

static enum spoor_status open_output(struct session *session)
{
    const struct session_options *options = session->options;
    enum spoor_status status = refuse_program(session);
    if (status != SPOOR_OK) return status;
    const bool in_place = options->partial || options->container;
    const struct spoor_writer_options writing = {.content = options->format,
                                                 .description = options->description};
    status = (in_place ? spoor_output_open_in_place
                       : spoor_output_open)(&session->output, options->output, session->error);
    if (status == SPOOR_OK) spoor_output_use_threads(session->output, options->threads);
    if (status == SPOOR_OK)
        status = spoor_writer_open(&session->writer,
                                   options->container ? options->container : options->format,
                                   &writing, session->output, session->error);
    if (status == SPOOR_OK && options->indexing)
        spoor_index_writing_watch(options->indexing, session->writer);
    return status;
}

static enum spoor_status prepare(struct session *session, char **words, struct guest_options *guest)
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
    if (status == SPOOR_OK) status = check_places(session);
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
    return open_output(session);
}

/* Where registers are recorded, finds those of vectors. */
static void session_find_vectors(struct session *session, const struct guest_options *guest,
                                 struct session_summary *summary)
{
    struct events *events = session->stream.events;
    if (!(events->wishes & WISH_REGISTERS)) return;
    vector_place_find(events, &session->guest, guest, &session->signals.before);
    session->recorder.with_vectors = events->place.offset != 0;
    session->recorder.with_status = events->float_place.control != 0;
    summary->without_vectors = !session->recorder.with_vectors;
    summary->without_status = !session->recorder.with_status;
}

static int exit_code_of(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void run(struct session *session, char **words, const struct guest_options *guest,
                struct session_summary *summary)
{
    session->program = guest_start(&session->guest, guest, words, session->stream.descriptor,
                                   &session->signals.before, session->error);
    if (session->program < 0) {
        session->status = session->error->status;
    } else {
        consume_events(session);
        while (!session->exited) look_at_program(session, -1);
        session->ran |= atomic_load(&session->stream.events->loaded) != 0;
        summary->started = session->ran;
        summary->exit_code = session->ended ? 0 : exit_code_of(session->wait_status);
        if (!summary->started && session->status == SPOOR_OK)
            session->status =
                spoor_error_set(session->error, SPOOR_EINPUT, "%s did not load spoor's plugin (%s)",
                                session->guest.qemu, session->guest.plugin);
        check_fault(session);
    }
}

/* ---- the load map beside the trace ---- */

static size_t collect_mappings(const struct events *events, struct spoor_mapping *mappings)
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

/* The load map in the description of a container. */
static void describe_map(const struct session *session)
{
    struct spoor_mapping mappings[MAPPINGS_MAXIMUM];
    char line[PATH_MAX + SPOOR_BUILD_ID_DIGITS + 64];
    const size_t count = collect_mappings(session->stream.events, mappings);
    for (size_t i = 0; i < count; i++)
        if (spoor_images_mapping_line(&mappings[i], line, sizeof line))
            spoor_writer_describe(session->writer, line, NULL);
}

/* A map of an earlier recording under the same name must not stay.  A container has its own. */
static void write_map(struct session *session)
{
    struct spoor_mapping mappings[MAPPINGS_MAXIMUM];
    char path[PATH_MAX];
    if (!name_map(session, path)) return;
    const size_t count = collect_mappings(session->stream.events, mappings);
    if (count == 0 || session->options->container) {
        unlink(path);
        return;
    }
    struct spoor_error *error = session->status == SPOOR_OK ? session->error : NULL;
    const enum spoor_status written = spoor_images_write_map(path, mappings, count, error);
    if (session->status == SPOOR_OK) session->status = written;
}

static void summarise(const struct session *session, struct session_summary *summary)
{
    const struct assembler *assembler = session->assembler;
    summary->instructions = assembler->taken;
    summary->left_out = session->recorder.left_out;
    summary->never_started = !assembler->started;
    summary->what = session->recorder.kind->what;
    summary->records = session->records;
    if (assembler->selection.has_cpu && assembler->cpus > 1)
        summary->other_threads = assembler->cpus - 1;
}

static void finish(struct session *session)
{
    struct spoor_error *error = session->status == SPOOR_OK ? session->error : NULL;
    if (session->writer && session->options->container && session->stream.events)
        describe_map(session);
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
    if (kept && session->output && session->stream.events) write_map(session);
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
    signals_open(&session.signals); /* until the output has its name, or is gone */
    session.status = prepare(&session, words, &guest);
    if (session.status == SPOOR_OK &&
        signals_any()) /* it ends spoor, too, once the output is discarded */
        session.status = spoor_error_set(error, SPOOR_EINPUT, "ended before the program started");
    if (session.status == SPOOR_OK) {
        session_find_vectors(&session, &guest, summary);
        run(&session, words, &guest, summary);
        summarise(&session, summary);
    }
    finish(&session);
    signals_close(&session.signals);
    return session.status;
}
