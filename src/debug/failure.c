/* SPDX-License-Identifier: MIT */
/* failure.c: what the server says to the user, and the first failure. */
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

bool server_failed(const struct server *server)
{
    return server->failed;
}
