/* SPDX-License-Identifier: MIT */
/* stop.c: the stop replies of GDB's protocol, and going to a moment. */
#include <inttypes.h>

#include "debug/internal.h"

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
        begin_after(server, moment, server->cpu, true, 0, &begin, &error);
    if (status < SPOOR_OK) return false;
    if (status != SPOOR_OK) {
        if (moment < spoor_index_records(server->index)) return false;
        server->moment = moment;
    } else {
        server->moment = begin.record;
        server->cpu = begin.cpu;
    }
    server_moved(server);
    server_put_stop(server, &(struct stop){.kind = STOP_STEP});
    return true;
}
