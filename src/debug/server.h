/* SPDX-License-Identifier: MIT */
/*
 * server.h: a trace as the target of GDB, forwards and backwards.
 *
 * The position is a moment: a number of records, of which the next one begins the instruction that
 * GDB shows as the current one.  Stepping moves to the next or previous instruction of a processor;
 * breakpoints and watchpoints are searched for with the index.  Nothing can be written: what was
 * recorded stays as it is.
 *
 * The answers do not depend on how the packets arrive: server_answer() takes one packet and gives
 * its reply.
 */
#ifndef SPOOR_DEBUG_SERVER_H
#define SPOOR_DEBUG_SERVER_H

#include "base/text.h"
#include "explore/explorer.h"
#include "spoor/image.h"

struct server;

struct server_options {
    struct explorer *explorer;
    struct spoor_images *images; /* names for `monitor who`; may be NULL */
    /* Whether a search should end; asked between segments; may be NULL. */
    bool (*interrupted)(void *context);
    /* A sentence for the user, such as why a write is refused; may be NULL. */
    void (*tell)(void *context, const char *sentence);
    void *context;
};
/* At the first instruction of the trace.  SPOOR_EINPUT: it has no instructions, or none of an
 * instruction set that is known. */
enum spoor_status server_new(struct server **server, const struct server_options *options,
                             struct spoor_error *error);
void server_free(struct server *server);
/* Go to a moment; false: it precedes no instruction. */
bool server_goto(struct server *server, uint64_t moment);

enum server_answer {
    SERVER_REPLY,  /* send the reply, which may be empty: the packet is not supported */
    SERVER_NO_ACK, /* send it; neither side acknowledges packets from then on */
    SERVER_SILENT, /* there is no reply */
    SERVER_END,    /* send the reply, which may be empty, and close */
};
/* Answer a packet; `packet` ends with NUL, which is not counted. */
enum server_answer server_answer(struct server *server, const char *packet, size_t size,
                                 struct text *reply);

#endif
