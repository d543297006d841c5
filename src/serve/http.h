/* SPDX-License-Identifier: MIT */
/*
 * http.h: the server on the network, through libmicrohttpd.
 *
 * Each connection has a thread, so a client that sends or reads slowly delays nobody else; a
 * connection that is idle for HTTP_SECONDS is closed, and so is one beyond HTTP_CONNECTIONS.
 */
#ifndef SPOOR_SERVE_HTTP_H
#define SPOOR_SERVE_HTTP_H

#include "serve/site.h"

enum { HTTP_SECONDS = 30, HTTP_CONNECTIONS = 256 };

/* False: http_start() fails and says what is missing. */
extern const bool http_is_built;

struct http;
/* Begins to accept connections at a numeric address; *port 0: any, which is stored there. */
enum spoor_status http_start(struct http **http, struct site *site, const char *address,
                             unsigned *port, struct spoor_error *error);
void http_stop(struct http *http);

#endif
