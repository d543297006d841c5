/* SPDX-License-Identifier: MIT */
/*
 * server.h: a trace as the target of GDB, forwards and backwards.
 *
 * The position is a moment: a number of records, after which the instruction begins that GDB shows
 * as the current one.  Stepping moves to the next or previous instruction of a processor;
 * breakpoints and watchpoints are searched with the index.  GDB cannot write: a trace does not
 * change.
 *
 * The replies do not depend on how the packets arrive: server_answer() gets one packet and returns
 * its reply.
 */
#ifndef SPOOR_DEBUG_SERVER_H
#define SPOOR_DEBUG_SERVER_H

#include "base/text.h"
#include "spoor/explore.h"
#include "spoor/image.h"

struct server;

struct server_options {
    struct spoor_explorer *explorer;
    struct spoor_images *images; /* names for `monitor who`; may be NULL */
    /* True if a search must end; called between segments; may be NULL. */
    bool (*interrupted)(void *context);
    /* Called with a message for the user, such as the reason why a write is refused; may be NULL.
     */
    void (*tell)(void *context, const char *sentence);
    void *context;
};
/* Makes a server at the first instruction of the trace.  SPOOR_EINPUT: the trace has no
 * instructions, or none of a known instruction set. */
enum spoor_status server_new(struct server **server, const struct server_options *options,
                             struct spoor_error *error);
void server_free(struct server *server);
/* True if a reply lacks what could not be read, or for which memory ran out. */
bool server_failed(const struct server *server);
/* Goes to a moment; false: no instruction follows it. */
bool server_goto(struct server *server, uint64_t moment);

enum server_answer {
    SERVER_REPLY,  /* send the reply; an empty one means that the packet is not supported */
    SERVER_NO_ACK, /* send it; neither side acknowledges packets from then on */
    SERVER_SILENT, /* there is no reply */
    SERVER_END,    /* send the reply, which may be empty, and close */
};
/* Answers a packet; `packet` ends with a NUL, which `size` does not count. */
enum server_answer server_answer(struct server *server, const char *packet, size_t size,
                                 struct text *reply);

#endif
