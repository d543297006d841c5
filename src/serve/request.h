/* SPDX-License-Identifier: MIT */
/* request.h: the parts of a request's target. */
#ifndef SPOOR_SERVE_REQUEST_H
#define SPOOR_SERVE_REQUEST_H

#include "serve/internal.h"

struct target {
    char copy[SITE_LONGEST_TARGET];
    const char *token;
    size_t token_size;
    bool bare;        /* "/TOKEN" without a slash after it */
    const char *path; /* after "/TOKEN/", not decoded: no name of ours needs that */
    struct parameter parameters[PARAMETERS];
    size_t count;
};
/* False: it is not well-formed, or too long. */
bool target_parse(const char *words, struct target *target);

#endif
