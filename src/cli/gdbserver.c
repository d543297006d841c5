/* SPDX-License-Identifier: MIT */
/* gdbserver.c: the verb `gdbserver`, GDB's remote protocol on standard input and output. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cli/inquiry.h"
#include "debug/packet.h"
#include "debug/server.h"

struct gdbserver_settings {
    struct settings common;
    const char *at;
    bool stdio;
};

static const struct option options[] = {
    OPT_FLAG(0, "stdio", offsetof(struct gdbserver_settings, stdio),
             "speak on standard input and output (the only way there is)"),
    OPT(0, "at", TEXT, "MOMENT", offsetof(struct gdbserver_settings, at),
        "begin after a time, at record:N, line:N or pc:ADDR[#VISIT], or at the end"),
    IMAGE_OPTIONS,
    NO_INDEX_OPTION,
    OPTION_END,
};

/* The bytes from GDB, and the packets made of them. */
struct connection {
    struct packet_parser parser;
    uint8_t bytes[4096];
    size_t at, count;
    bool no_ack;
    int code; /* of the last failure; EXIT_CLEAN */
};

/* Send bytes; false: they could not be sent. */
static bool gdbserver_send(struct connection *connection, const char *bytes, size_t size)
{
    const int code = show_bytes(bytes, size);
    connection->code = worse(connection->code, code);
    return code == EXIT_CLEAN;
}

static bool gdbserver_receive(struct connection *connection)
{
    ssize_t count;
    do {
        count = read(STDIN_FILENO, connection->bytes, sizeof connection->bytes);
    } while (count < 0 && errno == EINTR);
    if (count < 0) {
        complain("standard input: cannot be read: %s", strerror(errno));
        connection->code = EXIT_UNREADABLE;
    }
    connection->at = 0;
    connection->count = count > 0 ? (size_t)count : 0;
    return count > 0;
}

/* True if a byte 0x03 arrived during a search: GDB then sends nothing else except acknowledgements.
 */
static bool gdbserver_interrupted(void *context)
{
    struct connection *connection = context;
    struct pollfd poller = {STDIN_FILENO, POLLIN, 0};
    if (connection->at == connection->count &&
        (poll(&poller, 1, 0) <= 0 || !gdbserver_receive(connection)))
        return false;
    while (connection->at < connection->count && connection->bytes[connection->at] == '+')
        connection->at++;
    if (connection->at == connection->count || connection->bytes[connection->at] != 0x03)
        return false;
    connection->at++;
    return true;
}

static void gdbserver_tell(void *context, const char *sentence)
{
    (void)context;
    complain("%s", sentence);
}

/* Goes to the moment of --at; false: it is none, and an error has been printed. */
static bool gdbserver_begin_at(struct inquiry *inquiry, struct server *server, const char *at)
{
    uint64_t moment = 0;
    if (!at) return true;
    if (!inquiry_moment(inquiry, at, &moment)) return false;
    if (server_goto(server, moment)) return true;
    if (server_failed(server)) return false;
    complain("--at: no instruction follows %s", at);
    inquiry->code = worse(inquiry->code, EXIT_NOTHING);
    return false;
}

static int gdbserver_run(void *chosen)
{
    const struct gdbserver_settings *settings = chosen;
    struct inquiry inquiry;
    struct connection connection = {0};
    struct server *server = NULL;
    struct spoor_error error = {0};
    if (settings->common.operand_count != 1 || strcmp(operand(&settings->common, 0), "-") == 0)
        return complain_for(EXIT_USAGE,
                            "expected one trace in a file: spoor gdbserver --stdio TRACE");
    if (!settings->stdio)
        return complain_for(
            EXIT_USAGE, "expected --stdio: (gdb) target remote | spoor gdbserver --stdio TRACE");
    signal(SIGINT, SIG_IGN); /* ^C belongs to GDB, which sends a byte */
    if (!inquiry_open(&inquiry, &settings->common, operand(&settings->common, 0), false))
        return inquiry.code;
    const struct server_options server_options = {.explorer = inquiry.explorer,
                                                  .images = inquiry.located.images,
                                                  .interrupted = gdbserver_interrupted,
                                                  .tell = gdbserver_tell,
                                                  .context = &connection};
    const enum spoor_status status = server_new(&server, &server_options, &error);
    if (status != SPOOR_OK) {
        complain("%s: %s", inquiry.path, error.text);
        inquiry.code = worse(inquiry.code, EXIT_UNREADABLE);
    } else if (gdbserver_begin_at(&inquiry, server, settings->at)) {
        struct text last = {0};
        bool open = true;
        while (open) {
            if (connection.at == connection.count && !gdbserver_receive(&connection)) break;
            switch (packet_feed(&connection.parser, connection.bytes[connection.at++])) {
            case PACKET_WHOLE: {
                struct text reply = {0};
                const enum server_answer kind =
                    server_answer(server, (const char *)connection.parser.payload,
                                  connection.parser.size, &reply);
                last.size = 0;
                if (!connection.no_ack) text_puts(&last, "+");
                if (kind != SERVER_SILENT && (kind != SERVER_END || reply.size))
                    packet_frame(&last, reply.bytes ? reply.bytes : "", reply.size);
                last.failed |= reply.failed;
                text_free(&reply);
                if (kind == SERVER_NO_ACK) connection.no_ack = true;
                open = !last.failed && gdbserver_send(&connection, last.bytes, last.size);
                open &= kind != SERVER_END;
                break;
            }
            case PACKET_DAMAGED:
                if (!connection.no_ack) open = gdbserver_send(&connection, "-", 1);
                break;
            case PACKET_AGAIN:
                if (last.size) open = gdbserver_send(&connection, last.bytes, last.size);
                break;
            case PACKET_INTERRUPT: /* nothing runs */
            case PACKET_NOTHING: break;
            }
        }
        if (last.failed) {
            complain("out of memory");
            connection.code = EXIT_UNREADABLE;
        }
        text_free(&last);
        inquiry.code = worse(inquiry.code, connection.code);
    }
    if (server && server_failed(server)) inquiry.code = worse(inquiry.code, EXIT_UNREADABLE);
    server_free(server);
    return inquiry_close(&inquiry);
}

const struct verb verb_gdbserver = {
    .name = "gdbserver",
    .brief = "serve a trace to a debugger (GDB's remote protocol)",
    .operands = "--stdio TRACE",
    .about =
        "Speaks GDB's remote protocol, so that GDB, or an IDE that uses it, debugs the trace: "
        "it steps and runs forwards and backwards, stops at breakpoints and watchpoints, and "
        "shows registers and memory as the trace states them.  A value that is not known is an "
        "error, not 0.  Cpus are threads.  `spoor gdb TRACE` starts GDB with it.",
    .options = options,
    .settings_size = sizeof(struct gdbserver_settings),
    .run = gdbserver_run,
};
