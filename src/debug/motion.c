/* SPDX-License-Identifier: MIT */
/*
 * motion.c: stepping and running, forwards and backwards.
 *
 * A search decodes a segment only if the index says that it executes a breakpoint's line or
 * touches a watchpoint's.
 */
#include <inttypes.h>
#include <string.h>

#include "debug/internal.h"

void server_tell(const struct server *server, const char *sentence)
{
    if (server->options.tell) server->options.tell(server->options.context, sentence);
}

enum spoor_status server_heed(struct server *server, enum spoor_status status,
                              const struct spoor_error *error)
{
    if (status >= SPOOR_OK) return status;
    if (!server->failed) server_tell(server, error->text[0] ? error->text : "out of memory");
    server->failed = true;
    return status;
}

/* True if the visited record begins an instruction. */
static bool motion_begins_here(const struct spoor_record_visit *visited, struct begin *begin)
{
    if (!visited->has_instruction || visited->instruction != visited->record) return false;
    const struct spoor_record *record = &visited->batch->records[visited->index];
    if (record->kind == SPOOR_UOP && spoor_uop_of(visited->batch, visited->index).step > 1)
        return false;
    *begin = (struct begin){visited->record, visited->pc, visited->cpu, visited->instruction_size};
    return true;
}

static bool motion_interrupted(const struct server *server)
{
    return server->options.interrupted && server->options.interrupted(server->options.context);
}

/* ---- single instructions ---- */

struct seek {
    uint64_t from;
    unsigned cpu;
    bool first, found;
    struct begin begin;
};

static bool motion_seek_begin(void *context, const struct spoor_record_visit *visited)
{
    struct seek *seek = context;
    struct begin begin;
    if (visited->record < seek->from || (seek->cpu != ANY_CPU && visited->cpu != seek->cpu))
        return true;
    if (!motion_begins_here(visited, &begin)) return true;
    seek->begin = begin;
    seek->found = true;
    return !seek->first;
}

enum spoor_status server_seek_begin(struct server *server, uint64_t at, bool forwards, unsigned cpu,
                                    size_t segments, struct begin *begin, struct spoor_error *error)
{
    const size_t count = spoor_index_segment_count(server->index);
    struct seek seek = {.from = forwards ? at : 0, .cpu = cpu, .first = forwards};
    enum spoor_status status = SPOOR_OK;
    if (forwards ? at >= spoor_index_records(server->index) : at == 0) return SPOOR_END;
    size_t segment = spoor_index_segment_of(server->index, forwards ? at : at - 1);
    for (size_t visited = 0; !segments || visited < segments; visited++) {
        status = spoor_explorer_visit_segment(server->explorer, segment, forwards ? at : 0,
                                              forwards ? UINT64_MAX : at, motion_seek_begin, &seek,
                                              error);
        if (status != SPOOR_OK || seek.found) break;
        if (forwards ? segment + 1 >= count : segment == 0) break;
        segment += forwards ? 1 : SIZE_MAX;
    }
    status = server_heed(server, status, error);
    if (status < SPOOR_OK) return status;
    if (!seek.found) return SPOOR_END;
    *begin = seek.begin;
    return SPOOR_OK;
}

static bool motion_is_breakpoint(const struct server *server, uint64_t pc)
{
    for (size_t i = 0; i < server->breakpoint_count; i++)
        if (server->breakpoints[i] == pc) return true;
    return false;
}

/* Moves to the moment after the last record. */
static struct stop motion_go_to_end(struct server *server)
{
    server->moment = spoor_index_records(server->index);
    server->has_snapshot = false;
    return (struct stop){.kind = STOP_END};
}

static void motion_go_to(struct server *server, const struct begin *begin)
{
    server->moment = begin->record;
    server->cpu = begin->cpu;
    server->has_snapshot = false;
}

struct stop server_step_forward(struct server *server, unsigned cpu, uint64_t low, uint64_t high)
{
    struct spoor_error error = {0};
    struct begin now, next;
    enum spoor_status status =
        server_seek_begin(server, server->moment, true, cpu, 0, &now, &error);
    if (status != SPOOR_OK)
        return status < SPOOR_OK ? (struct stop){.kind = STOP_FAILED} : motion_go_to_end(server);
    server->cpu = cpu;
    for (unsigned long steps = 1;; steps++) {
        status = server_seek_begin(server, now.record + 1, true, cpu, 0, &next, &error);
        if (status == SPOOR_END) return motion_go_to_end(server);
        if (status != SPOOR_OK) return (struct stop){.kind = STOP_FAILED};
        motion_go_to(server, &next);
        if (motion_is_breakpoint(server, next.pc)) return (struct stop){.kind = STOP_BREAKPOINT};
        if (next.pc < low || next.pc >= high) return (struct stop){.kind = STOP_STEP};
        if (steps % 1024 == 0 && motion_interrupted(server))
            return (struct stop){.kind = STOP_INTERRUPT};
        now = next;
    }
}

struct stop server_step_backward(struct server *server, unsigned cpu)
{
    struct spoor_error error = {0};
    struct begin last;
    const enum spoor_status status =
        server_seek_begin(server, server->moment, false, cpu, 0, &last, &error);
    server->cpu = cpu;
    if (status != SPOOR_OK)
        return (struct stop){.kind = status < SPOOR_OK ? STOP_FAILED : STOP_BEGIN};
    motion_go_to(server, &last);
    return (struct stop){.kind =
                             motion_is_breakpoint(server, last.pc) ? STOP_BREAKPOINT : STOP_STEP};
}

/* ---- search ---- */

struct search {
    struct server *server;
    const struct watchpoint *watch; /* the watchpoint that was touched */
    struct spoor_subject subjects[WATCHPOINTS];
    bool found;
    bool pending;       /* forwards: a watchpoint was touched, and the instruction must end */
    unsigned touched;   /* its processor */
    struct begin begin; /* where to stop */
};

/* Returns the watchpoint that the record touches, or NULL. */
static const struct watchpoint *motion_touched_by(struct search *search,
                                                  const struct spoor_record_visit *visited)
{
    const struct server *server = search->server;
    struct spoor_touch touch = {.struct_size = sizeof touch};
    for (size_t i = 0; i < server->watchpoint_count; i++) {
        const struct watchpoint *watch = &server->watchpoints[i];
        if (spoor_explorer_touch(server->explorer, visited, &search->subjects[i], &touch) &&
            ((touch.writes && watch->kind != WATCH_READS) ||
             (touch.reads && watch->kind != WATCH_WRITES)))
            return watch;
    }
    return NULL;
}

/* Forwards: on some architectures GDB expects a stop before the instruction that touches a
 * watchpoint, on others after it. */
static bool motion_search_forward(void *context, const struct spoor_record_visit *visited)
{
    struct search *search = context;
    const struct server *server = search->server;
    struct begin begin;
    if (motion_begins_here(visited, &begin)) {
        const bool is_current = visited->record == server->moment && visited->cpu == server->cpu;
        if (search->pending ? visited->cpu == search->touched
                            : !is_current && motion_is_breakpoint(server, begin.pc)) {
            search->begin = begin;
            search->found = true;
            return false;
        }
    }
    if (search->pending) return true;
    const struct watchpoint *watch = motion_touched_by(search, visited);
    if (!watch) return true;
    search->watch = watch;
    if (server->target.stops_before_access && visited->has_instruction &&
        visited->instruction >= server->moment) {
        search->begin = (struct begin){visited->instruction, visited->pc, visited->cpu, 0};
        search->found = true;
        return false;
    }
    search->pending = true;
    search->touched = visited->cpu;
    return true;
}

/* Backwards: the last one found in a segment counts. */
static bool motion_search_backward(void *context, const struct spoor_record_visit *visited)
{
    struct search *search = context;
    struct begin begin;
    const struct watchpoint *watch;
    if (motion_begins_here(visited, &begin) && motion_is_breakpoint(search->server, begin.pc)) {
        search->begin = begin;
        search->watch = NULL;
        search->found = true;
    }
    watch = motion_touched_by(search, visited);
    if (watch && visited->has_instruction &&
        (!search->found || visited->instruction >= search->begin.record)) {
        search->begin = (struct begin){visited->instruction, visited->pc, visited->cpu, 0};
        search->watch = watch;
        search->found = true;
    }
    return true;
}

static bool motion_may_stop_in(const struct search *search, size_t segment)
{
    const struct server *server = search->server;
    for (size_t i = 0; i < server->breakpoint_count; i++)
        if (spoor_index_may_execute(server->index, segment, server->breakpoints[i],
                                    server->breakpoints[i]))
            return true;
    for (size_t i = 0; i < server->watchpoint_count; i++) {
        const enum watch_kind kind = server->watchpoints[i].kind;
        if (spoor_explorer_may_touch(server->explorer, segment, &search->subjects[i],
                                     kind != WATCH_READS, kind != WATCH_WRITES))
            return true;
    }
    return false;
}

/* Watchpoints are mapped as the trace maps them now.  False: the trace cannot be read. */
static bool motion_start_search(struct search *search, struct server *server)
{
    struct spoor_error error = {0};
    enum spoor_status status = SPOOR_OK;
    *search = (struct search){.server = server};
    for (size_t i = 0; i < server->watchpoint_count && status == SPOOR_OK; i++) {
        const struct spoor_range range = {.address = server->watchpoints[i].address,
                                          .size = server->watchpoints[i].size};
        status = spoor_explorer_place(server->explorer, &range, server->moment,
                                      &search->subjects[i], &error);
    }
    return server_heed(server, status, &error) == SPOOR_OK;
}

static struct stop motion_stop_found(struct server *server, const struct search *search)
{
    struct stop stop = (struct stop){.kind = STOP_BREAKPOINT};
    motion_go_to(server, &search->begin);
    if (search->watch) {
        stop.kind = STOP_WATCHPOINT;
        stop.watch = search->watch->kind;
        stop.address = search->watch->address;
    }
    return stop;
}

struct stop server_run_forward(struct server *server)
{
    const size_t count = spoor_index_segment_count(server->index);
    struct spoor_error error = {0};
    struct search search;
    if (!motion_start_search(&search, server)) return (struct stop){.kind = STOP_FAILED};
    if (server->moment >= spoor_index_records(server->index)) return motion_go_to_end(server);
    for (size_t i = spoor_index_segment_of(server->index, server->moment); i < count; i++) {
        if (motion_interrupted(server)) return (struct stop){.kind = STOP_INTERRUPT};
        if (!search.pending && !motion_may_stop_in(&search, i)) continue;
        const enum spoor_status status =
            spoor_explorer_visit_segment(server->explorer, i, server->moment, UINT64_MAX,
                                         motion_search_forward, &search, &error);
        if (server_heed(server, status, &error) < SPOOR_OK)
            return (struct stop){.kind = STOP_FAILED};
        if (search.found) return motion_stop_found(server, &search);
    }
    if (search.pending) { /* the last instruction touched it */
        struct stop stop = motion_go_to_end(server);
        stop.kind = STOP_WATCHPOINT;
        stop.watch = search.watch->kind;
        stop.address = search.watch->address;
        return stop;
    }
    return motion_go_to_end(server);
}

struct stop server_run_backward(struct server *server)
{
    struct spoor_error error = {0};
    struct search search;
    if (!motion_start_search(&search, server)) return (struct stop){.kind = STOP_FAILED};
    if (server->moment == 0) return (struct stop){.kind = STOP_BEGIN};
    for (size_t i = spoor_index_segment_of(server->index, server->moment - 1) + 1; i-- > 0;) {
        if (motion_interrupted(server)) return (struct stop){.kind = STOP_INTERRUPT};
        if (!motion_may_stop_in(&search, i)) continue;
        const enum spoor_status status = spoor_explorer_visit_segment(
            server->explorer, i, 0, server->moment, motion_search_backward, &search, &error);
        if (server_heed(server, status, &error) < SPOOR_OK)
            return (struct stop){.kind = STOP_FAILED};
        if (!search.found) continue;
        const struct stop stop = motion_stop_found(server, &search);
        if (stop.kind != STOP_WATCHPOINT || !server->target.stops_before_access) return stop;
        /* GDB, which expects the stop before the access, undoes the instruction itself */
        struct begin next;
        const enum spoor_status after = server_seek_begin(server, search.begin.record + 1, true,
                                                          search.begin.cpu, 0, &next, &error);
        if (after == SPOOR_OK) motion_go_to(server, &next);
        if (after == SPOOR_END) motion_go_to_end(server);
        return stop;
    }
    struct begin first;
    const enum spoor_status status = server_seek_begin(server, 0, true, ANY_CPU, 0, &first, &error);
    if (status == SPOOR_OK) motion_go_to(server, &first);
    return (struct stop){.kind = status < SPOOR_OK ? STOP_FAILED : STOP_BEGIN};
}

/* ---- stop replies ---- */

enum { SIGNAL_INTERRUPT = 2, SIGNAL_TRAP = 5 };

void server_put_stop(struct server *server, const struct stop *stop)
{
    static const char *const watches[] = {"watch", "rwatch", "awatch"};
    struct text *out = &server->stopped;
    out->size = 0;
    server->asked = server->cpu;
    text_printf(out, "T%02xthread:%x;",
                (unsigned)(stop->kind == STOP_INTERRUPT ? SIGNAL_INTERRUPT : SIGNAL_TRAP),
                server->cpu + 1);
    switch (stop->kind) {
    case STOP_WATCHPOINT:
        text_printf(out, "%s:%" PRIx64 ";", watches[stop->watch], stop->address);
        break;
    case STOP_BEGIN: text_puts(out, "replaylog:begin;"); break;
    case STOP_END: text_puts(out, "replaylog:end;"); break;
    case STOP_FAILED: server_tell(server, "the trace cannot be read at this place"); break;
    case STOP_STEP:
    case STOP_BREAKPOINT:
    case STOP_INTERRUPT: break;
    }
}

bool server_goto(struct server *server, uint64_t moment)
{
    struct spoor_error error = {0};
    struct begin begin;
    const enum spoor_status status =
        server_seek_begin(server, moment, true, ANY_CPU, 0, &begin, &error);
    if (status < SPOOR_OK) return false;
    if (status != SPOOR_OK) {
        if (moment < spoor_index_records(server->index)) return false;
        server->moment = moment;
    } else {
        server->moment = begin.record;
        server->cpu = begin.cpu;
    }
    server->has_snapshot = false;
    server_put_stop(server, &(struct stop){.kind = STOP_STEP});
    return true;
}
