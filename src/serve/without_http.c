/* SPDX-License-Identifier: MIT */
/* without_http.c: a program that was built without libmicrohttpd. */
#include "serve/http.h"

const bool http_is_built = false;

enum spoor_status http_start(struct http **http, struct site *site, const char *address,
                             unsigned *port, struct spoor_error *error)
{
    (void)site, (void)address, (void)port;
    *http = NULL;
    return spoor_error_set(error, SPOOR_EUSAGE,
                           "this spoor was built without libmicrohttpd (Debian: "
                           "libmicrohttpd-dev), which serve needs; spoor browse needs none");
}

void http_stop(struct http *http)
{
    (void)http;
}
