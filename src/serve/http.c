/* SPDX-License-Identifier: MIT */
/* http.c: passes HTTP requests to the site, and its replies back, through libmicrohttpd, which is
 * loaded when the explorer starts. */
#include "serve/http.h"

#include <errno.h>
#include <microhttpd.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/shared_library.h"

const bool http_is_built = true;

static struct {
    MICROHTTPD_FUNCTIONS(SHARED_POINTER)
} mhd;

struct http {
    struct MHD_Daemon *daemon;
    struct site *site;
};

/* A request while it arrives. */
struct exchange {
    char *target;
    struct text body;
    bool begun, too_large;
};

/* The first call about a request, with its target as it was sent. */
static void *http_begin_exchange(void *context, const char *target,
                                 struct MHD_Connection *connection)
{
    struct exchange *exchange = calloc(1, sizeof *exchange);
    (void)context, (void)connection;
    if (!exchange) return NULL;
    exchange->target = strndup(target, SITE_LONGEST_TARGET);
    return exchange;
}

static void http_end_exchange(void *context, struct MHD_Connection *connection, void **state,
                              enum MHD_RequestTerminationCode reason)
{
    struct exchange *exchange = *state;
    (void)context, (void)connection, (void)reason;
    if (!exchange) return;
    free(exchange->target);
    text_free(&exchange->body);
    free(exchange);
    *state = NULL;
}

/* The page runs only its own script, and asks only this server. */
static const struct header {
    const char *name, *value;
} headers[] = {
    {"Cache-Control", "no-store"},
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"X-Frame-Options", "DENY"},
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
     "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
};

/* Called when the headers are there, for each part of the body, and at the end. */
static enum MHD_Result http_on_request(void *context, struct MHD_Connection *connection,
                                       const char *path, const char *method, const char *version,
                                       const char *bytes, size_t *size, void **state)
{
    struct http *http = context;
    struct exchange *exchange = *state;
    struct reply reply;
    (void)path, (void)version;
    if (!exchange || !exchange->target) return MHD_NO;
    if (!exchange->begun) {
        exchange->begun = true;
        return MHD_YES;
    }
    if (*size) {
        exchange->too_large |= exchange->body.size + *size > SITE_LARGEST_BODY;
        if (!exchange->too_large) text_put(&exchange->body, bytes, *size);
        *size = 0;
        return exchange->body.failed ? MHD_NO : MHD_YES;
    }
    const struct request request = {
        .method = method,
        .target = exchange->target,
        .host = mhd.MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host"),
        .body = exchange->body.bytes,
        .body_size = exchange->too_large ? SITE_LARGEST_BODY + 1 : exchange->body.size};
    site_answer(http->site, &request, &reply);
    struct MHD_Response *response =
        reply.bytes ? mhd.MHD_create_response_from_buffer(
                          reply.size, (void *)(uintptr_t)reply.bytes, MHD_RESPMEM_PERSISTENT)
                    : mhd.MHD_create_response_from_buffer(reply.text.size, reply.text.bytes,
                                                          MHD_RESPMEM_MUST_FREE);
    if (!response) {
        text_free(&reply.text);
        return MHD_NO;
    }
    bool good = mhd.MHD_add_response_header(response, "Content-Type", reply.type) == MHD_YES;
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        good &= mhd.MHD_add_response_header(response, headers[i].name, headers[i].value) == MHD_YES;
    const enum MHD_Result result =
        good ? mhd.MHD_queue_response(connection, reply.status, response) : MHD_NO;
    mhd.MHD_destroy_response(response);
    return result;
}

/* ---- starting ---- */

enum spoor_status http_start(struct http **made, struct site *site, const char *address,
                             unsigned *port, struct spoor_error *error)
{
    struct addrinfo *found = NULL;
    char sentence[SHARED_SENTENCE];
    *made = NULL;
    if (!shared_library_load(&shared_libraries[SHARED_microhttpd], &mhd, sentence))
        return spoor_error_set(error, SPOOR_EUSAGE, "%s", sentence);
    char service[8];
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
                                   .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE};
    snprintf(service, sizeof service, "%u", *port & 0xffff);
    if (getaddrinfo(address, service, &hints, &found) != 0)
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "found the address '%s', expected a numeric one such as 127.0.0.1",
                               address);
    struct http *http = calloc(1, sizeof *http);
    if (!http) {
        freeaddrinfo(found);
        return spoor_error_set(error, SPOOR_ENOMEM, "out of memory");
    }
    http->site = site;
    unsigned flags = MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION;
    if (found->ai_family == AF_INET6) flags |= MHD_USE_IPv6;
    errno = 0;
    http->daemon = mhd.MHD_start_daemon(
        flags, (uint16_t)*port, NULL, NULL, http_on_request, http, MHD_OPTION_SOCK_ADDR,
        found->ai_addr, MHD_OPTION_URI_LOG_CALLBACK, http_begin_exchange, NULL,
        MHD_OPTION_NOTIFY_COMPLETED, http_end_exchange, NULL, MHD_OPTION_CONNECTION_LIMIT,
        (unsigned)HTTP_CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)HTTP_SECONDS,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)(16 << 10), MHD_OPTION_THREAD_STACK_SIZE,
        (size_t)(1 << 20), MHD_OPTION_END);
    freeaddrinfo(found);
    const union MHD_DaemonInfo *info =
        http->daemon ? mhd.MHD_get_daemon_info(http->daemon, MHD_DAEMON_INFO_BIND_PORT) : NULL;
    if (!info) {
        spoor_error_system(error, SPOOR_EUSAGE, "cannot listen at %s, port %u", address, *port);
        http_stop(http);
        return SPOOR_EUSAGE;
    }
    *port = info->port;
    *made = http;
    return SPOOR_OK;
}

void http_stop(struct http *http)
{
    if (!http) return;
    if (http->daemon) mhd.MHD_stop_daemon(http->daemon);
    free(http);
}
