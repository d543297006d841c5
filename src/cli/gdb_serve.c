/* SPDX-License-Identifier: MIT */
/* gdb_serve.c: `gdb --serve`: GDB's remote protocol on standard input and output. */
#include "cli/gdb_serve.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cli/inquiry.h"
#include "debug/packet.h"
#include "debug/server.h"

/* The bytes from GDB, and the packets made of them. */
struct connection {
    struct packet_parser parser;
    uint8_t bytes[4096];
    size_t at, count;
    bool no_ack;
    int code; /* of the last failure; EXIT_CLEAN */
};

/* Send bytes; false: they could not be sent. */
static bool gdb_serve_send(struct connection *connection, const char *bytes, size_t size)
{
    const int code = show_bytes(bytes, size);
    connection->code = worse(connection->code, code);
    return code == EXIT_CLEAN;
}

static bool gdb_serve_receive(struct connection *connection)
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
static bool gdb_serve_interrupted(void *context)
{
    struct connection *connection = context;
    struct pollfd poller = {STDIN_FILENO, POLLIN, 0};
    if (connection->at == connection->count &&
        (poll(&poller, 1, 0) <= 0 || !gdb_serve_receive(connection)))
        return false;
    while (connection->at < connection->count && connection->bytes[connection->at] == '+')
        connection->at++;
    if (connection->at == connection->count || connection->bytes[connection->at] != 0x03)
        return false;
    connection->at++;
    return true;
}

static void gdb_serve_tell(void *context, const char *sentence)
{
    (void)context;
    complain("%s", sentence);
}

/* Goes to the moment of --at; false: it is none, and an error has been printed. */
static bool gdb_serve_begin_at(struct inquiry *inquiry, struct server *server, const char *at)
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

int gdb_serve(const struct settings *settings, const char *at)
{
    struct inquiry inquiry;
    struct connection connection = {0};
    struct server *server = NULL;
    struct spoor_error error = {0};
    if (settings->operand_count != 1 || strcmp(operand(settings, 0), "-") == 0)
        return complain_for(EXIT_USAGE, "expected one trace in a file: spoor gdb --serve TRACE");
    signal(SIGINT, SIG_IGN); /* ^C belongs to GDB, which sends a byte */
    if (!inquiry_open(&inquiry, settings, operand(settings, 0), false)) return inquiry.code;
    const struct server_options server_options = {.explorer = inquiry.explorer,
                                                  .images = inquiry.located.images,
                                                  .interrupted = gdb_serve_interrupted,
                                                  .tell = gdb_serve_tell,
                                                  .context = &connection};
    const enum spoor_status status = server_new(&server, &server_options, &error);
    if (status != SPOOR_OK) {
        complain("%s: %s", inquiry.path, error.text);
        inquiry.code = worse(inquiry.code, EXIT_UNREADABLE);
    } else if (gdb_serve_begin_at(&inquiry, server, at)) {
        struct text last = {0};
        bool open = true;
        while (open) {
            if (connection.at == connection.count && !gdb_serve_receive(&connection)) break;
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
                open = !last.failed && gdb_serve_send(&connection, last.bytes, last.size);
                open &= kind != SERVER_END;
                break;
            }
            case PACKET_DAMAGED:
                if (!connection.no_ack) open = gdb_serve_send(&connection, "-", 1);
                break;
            case PACKET_AGAIN:
                if (last.size) open = gdb_serve_send(&connection, last.bytes, last.size);
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
