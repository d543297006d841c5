/* SPDX-License-Identifier: MIT */
/*
 * server.c: the packets of GDB's remote protocol and their replies.
 *
 * The packets are those of Debugging with GDB, appendix "GDB Remote Serial Protocol", "Packets",
 * "Stop Reply Packets" and "General Query Packets".  An empty reply means that a packet is not
 * supported.
 */
#include "debug/server.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scan.h"
#include "debug/internal.h"
#include "debug/packet.h"
#include "spoor/format.h"

/* ---- numbers and words of packets ---- */

static bool server_scan_number(struct scan *rest, uint64_t *number)
{
    return scan_hex(rest, number, NULL, NULL);
}

/* Parses a thread, "p1.2" or "2", and returns its processor.  -1 and 0 mean any: the one that
 * stopped. */
static bool server_scan_thread(const struct server *server, struct scan *rest, unsigned *cpu)
{
    uint64_t number;
    *cpu = server->cpu;
    if (scan_char(rest, 'p') && (!server_scan_number(rest, &number) || !scan_char(rest, '.')))
        return false;
    if (scan_char(rest, '-')) return server_scan_number(rest, &number);
    if (!server_scan_number(rest, &number)) return false;
    if (number == 0) return true;
    if (number > spoor_explorer_cpu_count(server->explorer)) return false;
    *cpu = (unsigned)(number - 1);
    return true;
}

/* ---- what the user is told, and stops ---- */

bool server_failed(const struct server *server)
{
    return server->failed;
}

static void server_reply_stop(struct server *server, const struct stop *stop, struct text *reply)
{
    server_put_stop(server, stop);
    text_append(reply, &server->stopped);
}

/* ---- moving ---- */

/* vCont;ACTION[:THREAD]...: executes the action of the processor that steps; the others continue.
 */
static void server_resume(struct server *server, struct scan rest, struct text *reply)
{
    struct stop stop;
    while (scan_char(&rest, ';')) {
        const char action = rest.at < rest.end ? *rest.at++ : '\0';
        uint64_t low = 0, high = 0;
        unsigned cpu = server->cpu;
        if (action == 'C' || action == 'S') server_scan_number(&rest, &low); /* the signal */
        if (action == 'S' || action == 'C') low = 0;
        if (action == 'r' && (!server_scan_number(&rest, &low) || !scan_char(&rest, ',') ||
                              !server_scan_number(&rest, &high)))
            break;
        if (scan_char(&rest, ':') && !server_scan_thread(server, &rest, &cpu)) break;
        if (action == 'c' || action == 'C')
            continue; /* a step of another thread takes precedence */
        if (action != 's' && action != 'S' && action != 'r') break;
        stop = server_step_forward(server, cpu, low, high);
        server_reply_stop(server, &stop, reply);
        return;
    }
    if (rest.at < rest.end) {
        text_puts(reply, "E01");
        return;
    }
    stop = server_run_forward(server);
    server_reply_stop(server, &stop, reply);
}

/* ---- registers and memory ---- */

static void server_refuse_write(struct server *server, const char *what, struct text *reply)
{
    char sentence[96];
    snprintf(sentence, sizeof sentence, "%s cannot be written: a trace is a recording", what);
    server_tell(server, sentence);
    text_puts(reply, "E01");
}

/* ---- breakpoints ---- */

/* Ztype,address,kind: types 0 and 1 are breakpoints, 2 to 4 watchpoints of `kind` bytes. */
static void server_change_point(struct server *server, bool insert, struct scan rest,
                                struct text *reply)
{
    static const enum watch_kind kinds[] = {WATCH_WRITES, WATCH_READS, WATCH_ACCESSES};
    uint64_t type, address, size;
    if (!server_scan_number(&rest, &type) || !scan_char(&rest, ',') ||
        !server_scan_number(&rest, &address) || !scan_char(&rest, ',') ||
        !server_scan_number(&rest, &size)) {
        text_puts(reply, "E01");
        return;
    }
    if (type > 4) return;
    bool done = true;
    size_t i = 0;
    if (type < 2) {
        uint64_t *points = server->breakpoints;
        while (i < server->breakpoint_count && points[i] != address) i++;
        const bool found = i < server->breakpoint_count;
        done = !insert || found || i < BREAKPOINTS;
        if (insert && !found && done)
            points[server->breakpoint_count++] = address;
        else if (!insert && found)
            points[i] = points[--server->breakpoint_count];
    } else {
        const struct watchpoint wanted = {kinds[type - 2], address, size};
        struct watchpoint *points = server->watchpoints;
        while (i < server->watchpoint_count &&
               (points[i].kind != wanted.kind || points[i].address != address ||
                points[i].size != size))
            i++;
        const bool found = i < server->watchpoint_count;
        done = size > 0 && (!insert || found || i < WATCHPOINTS);
        if (insert && !found && done)
            points[server->watchpoint_count++] = wanted;
        else if (!insert && found)
            points[i] = points[--server->watchpoint_count];
    }
    text_puts(reply, done ? "OK" : "E01");
}

/* ---- queries ---- */

/* Writes the part of a document that `offset,length` asks for. */
static void server_transfer(struct server *server, struct scan rest, struct text *reply)
{
    struct text document = {0};
    if (SCAN_LITERAL(&rest, "features:read:target.xml:")) {
        target_describe(&server->target, &document);
    } else if (SCAN_LITERAL(&rest, "memory-map:read::")) {
        /* all memory can be read, and breakpoints in it cost nothing */
        text_printf(&document,
                    "<?xml version=\"1.0\"?>\n<!DOCTYPE memory-map PUBLIC \"+//IDN "
                    "gnu.org//DTD GDB Memory Map V1.0//EN\" "
                    "\"http://sourceware.org/gdb/gdb-memory-map.dtd\">\n<memory-map>\n"
                    "<memory type=\"ram\" start=\"0x0\" length=\"0x%s\"/>\n</memory-map>\n",
                    server->target.address_bytes == 4 ? "100000000" : "ffffffffffffffff");
    } else if (SCAN_LITERAL(&rest, "threads:read::")) {
        const unsigned count = spoor_explorer_cpu_count(server->explorer);
        text_puts(&document, "<?xml version=\"1.0\"?>\n<threads>\n");
        for (unsigned i = 0; i < count; i++) {
            text_printf(&document, "<thread id=\"%x\" core=\"%u\" name=\"", i + 1, i);
            const char *name = spoor_explorer_cpu_name(server->explorer, i);
            for (const char *c = name[0] ? name : "cpu"; *c; c++) {
                if (strchr("<>&\"", *c) || (unsigned char)*c < 0x20)
                    text_printf(&document, "&#%u;",
                                (unsigned char)*c < 0x20 ? '?' : (unsigned char)*c);
                else
                    text_put(&document, c, 1);
            }
            text_puts(&document, "\"/>\n");
        }
        text_puts(&document, "</threads>\n");
    } else {
        return;
    }
    uint64_t offset, length;
    if (!server_scan_number(&rest, &offset) || !scan_char(&rest, ',') ||
        !server_scan_number(&rest, &length)) {
        text_puts(reply, "E01");
    } else if (offset >= document.size) {
        text_puts(reply, "l");
    } else {
        const uint64_t left = document.size - offset;
        const uint64_t capacity = PACKET_CAPACITY / 2 - 16;
        if (length > capacity) length = capacity; /* bytes may need escapes */
        text_puts(reply, length < left ? "m" : "l");
        text_put(reply, document.bytes + offset, (size_t)(length < left ? length : left));
    }
    reply->failed |= document.failed;
    text_free(&document);
}

static enum server_answer server_query(struct server *server, struct scan rest, struct text *reply)
{
    unsigned cpu;
    if (SCAN_LITERAL(&rest, "Supported")) {
        text_printf(reply,
                    "PacketSize=%x;QStartNoAckMode+;qXfer:features:read+;qXfer:memory-map:read+;"
                    "qXfer:threads:read+;ReverseStep+;ReverseContinue+;vContSupported+;swbreak-;"
                    "hwbreak-",
                    (unsigned)PACKET_CAPACITY - 1);
    } else if (SCAN_LITERAL(&rest, "Xfer:")) {
        server_transfer(server, rest, reply);
    } else if (SCAN_LITERAL(&rest, "fThreadInfo")) {
        const unsigned count = spoor_explorer_cpu_count(server->explorer);
        text_puts(reply, "m");
        for (unsigned i = 0; i < count; i++) text_printf(reply, "%s%x", i ? "," : "", i + 1);
    } else if (SCAN_LITERAL(&rest, "sThreadInfo")) {
        text_puts(reply, "l");
    } else if (SCAN_LITERAL(&rest, "ThreadExtraInfo,")) {
        if (!server_scan_thread(server, &rest, &cpu)) return SERVER_REPLY;
        const char *name = spoor_explorer_cpu_name(server->explorer, cpu);
        hex_put(reply, name[0] ? name : "cpu", name[0] ? strlen(name) : 3);
    } else if (SCAN_LITERAL(&rest, "Rcmd,")) {
        char command[512];
        struct text out = {0};
        const size_t size =
            hex_bytes(rest.at, (size_t)(rest.end - rest.at), command, sizeof command - 1);
        command[size] = '\0';
        server_monitor(server, command, &out);
        if (out.size > PACKET_CAPACITY / 2 - 16) out.size = PACKET_CAPACITY / 2 - 16;
        if (out.size)
            hex_put(reply, out.bytes, out.size);
        else
            text_puts(reply, "OK");
        reply->failed |= out.failed;
        text_free(&out);
    } else if (SCAN_LITERAL(&rest, "Attached")) {
        text_puts(reply, "1");
    } else if (SCAN_LITERAL(&rest, "Symbol:")) {
        text_puts(reply, "OK");
    } else if (SCAN_LITERAL(&rest, "C")) {
        text_printf(reply, "QC%x", server->cpu + 1);
    }
    return SERVER_REPLY;
}

/* ---- all packets ---- */

enum server_answer server_answer(struct server *server, const char *packet, size_t size,
                                 struct text *reply)
{
    struct scan rest = {packet + (size > 0), packet + size};
    unsigned cpu;
    uint64_t number;
    switch (size ? packet[0] : '\0') {
    case '?': text_append(reply, &server->stopped); break;
    case 'g':
        if (!server_snapshot(server)) {
            text_puts(reply, "E02");
            break;
        }
        for (unsigned i = 0; i < server->target.count; i++)
            server_put_register(server, server->asked, i, reply);
        break;
    case 'p':
        if (server_scan_number(&rest, &number) && number < server->target.count &&
            server_snapshot(server))
            server_put_register(server, server->asked, (unsigned)number, reply);
        else
            text_puts(reply, "E01");
        break;
    case 'm': {
        uint8_t bytes[PACKET_CAPACITY / 2 - 16];
        uint64_t wanted;
        if (!server_scan_number(&rest, &number) || !scan_char(&rest, ',') ||
            !server_scan_number(&rest, &wanted)) {
            text_puts(reply, "E01");
            break;
        }
        if (wanted > sizeof bytes) wanted = sizeof bytes;
        const size_t count = server_memory(server, number, wanted, bytes);
        if (count == 0 && wanted > 0)
            text_puts(reply, "E0e"); /* unknown at this moment */
        else
            hex_put(reply, bytes, count);
        break;
    }
    case 'G':
    case 'P': server_refuse_write(server, "registers", reply); break;
    case 'M':
    case 'X': server_refuse_write(server, "memory", reply); break;
    case 'c': server_resume(server, (struct scan){NULL, NULL}, reply); break;
    case 's': {
        const struct stop stop = server_step_forward(server, server->asked, 0, 0);
        server_reply_stop(server, &stop, reply);
        break;
    }
    case 'b':
        if (size == 2 && (packet[1] == 's' || packet[1] == 'c')) {
            const struct stop stop = packet[1] == 's' ? server_step_backward(server, server->asked)
                                                      : server_run_backward(server);
            server_reply_stop(server, &stop, reply);
        }
        break;
    case 'H': {
        const char what = rest.at < rest.end ? *rest.at++ : '\0';
        const bool good = server_scan_thread(server, &rest, &cpu);
        if (good && (what == 'g' || what == 'c')) server->asked = cpu;
        text_puts(reply, good ? "OK" : "E01");
        break;
    }
    case 'T': text_puts(reply, server_scan_thread(server, &rest, &cpu) ? "OK" : "E01"); break;
    case 'Z':
    case 'z': server_change_point(server, packet[0] == 'Z', rest, reply); break;
    case 'q': return server_query(server, rest, reply);
    case 'Q':
        if (!SCAN_LITERAL(&rest, "StartNoAckMode")) break;
        text_puts(reply, "OK");
        return SERVER_NO_ACK;
    case 'v':
        if (SCAN_LITERAL(&rest, "Cont?")) {
            text_puts(reply, "vCont;c;C;s;S;r");
        } else if (SCAN_LITERAL(&rest, "Cont")) {
            server_resume(server, rest, reply);
        } else if (SCAN_LITERAL(&rest, "Kill")) {
            text_puts(reply, "OK");
            return SERVER_END;
        }
        break;
    case 'D': text_puts(reply, "OK"); return SERVER_END;
    case 'k': return SERVER_END;
    default: break;
    }
    return SERVER_REPLY;
}

/* ---- construction ---- */

enum spoor_status server_new(struct server **made, const struct server_options *options,
                             struct spoor_error *error)
{
    struct begin begin;
    struct server *server = calloc(1, sizeof *server);
    *made = NULL;
    if (!server) return spoor_error_set(error, SPOOR_ENOMEM, "out of memory");
    server->options = *options;
    server->explorer = options->explorer;
    server->index = spoor_explorer_index(options->explorer);
    server->is_micro_ops = spoor_format_produces(spoor_index_format(server->index), SPOOR_UOP);
    enum spoor_status status = SPOOR_OK;
    if (!target_choose(&server->target, server->explorer, server->is_micro_ops, true)) {
        spoor_error_set(error, SPOOR_EINPUT,
                        "found no instruction set in the trace, expected --isa NAME");
        status = SPOOR_EINPUT;
    }
    if (status == SPOOR_OK) status = server_seek_begin(server, 0, true, ANY_CPU, 0, &begin, error);
    if (status == SPOOR_END) {
        spoor_error_set(error, SPOOR_EINPUT, "the trace has no instructions");
        status = SPOOR_EINPUT;
    }
    if (status != SPOOR_OK) {
        server_free(server);
        return status;
    }
    if (server->target.architecture == TARGET_RISCV) {
        /* RV64 if the code addresses of the trace need more than 32 bits, or one of the first 32
         * registers is wider. */
        bool wide = false;
        struct spoor_segment segment = {.struct_size = sizeof segment};
        for (size_t i = 0; !wide && spoor_index_segment(server->index, i, &segment); i++)
            wide = segment.pc_lowest <= segment.pc_highest && segment.pc_highest > UINT32_MAX;
        struct spoor_error unread = {0};
        struct spoor_state *state;
        struct spoor_register_value value = {.struct_size = sizeof value};
        const uint64_t end = spoor_index_records(server->index);
        if (!wide &&
            server_heed(server, spoor_explorer_state(server->explorer, end, &state, &unread),
                        &unread) == SPOOR_OK) {
            for (unsigned i = 0; i < server->target.count && i < 32; i++)
                wide |= target_value(&server->target, i, server->explorer, state, end, 0, &value) &&
                        value.bits > 32;
            spoor_state_free(state);
        }
        target_choose(&server->target, server->explorer, false, wide);
    }
    if (!server_goto(server, begin.record)) {
        server_free(server);
        return spoor_error_set(error, SPOOR_ENOMEM, "out of memory");
    }
    *made = server;
    return SPOOR_OK;
}

void server_free(struct server *server)
{
    if (!server) return;
    spoor_state_free(server->state);
    free(server->pcs.items);
    text_free(&server->stopped);
    free(server);
}
