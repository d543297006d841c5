/* SPDX-License-Identifier: MIT */
/* without_pcre2.c: stands for regex.c where the build has no PCRE2: there is no regular expression.
 */
#include <stdio.h>

#include "base/regex.h"

struct regex *regex_new(const char *expression, size_t size, char reason[REGEX_REASON])
{
    (void)expression, (void)size;
    snprintf(reason, REGEX_REASON,
             "no regular expression, because this spoor was built without PCRE2: install "
             "libpcre2-dev and build again");
    return NULL;
}

bool regex_find(struct regex *regex, const char *text, size_t size, size_t from, size_t *begin,
                size_t *end)
{
    (void)regex, (void)text, (void)size, (void)from, (void)begin, (void)end;
    return false;
}

bool regex_failed(const struct regex *regex, char reason[REGEX_REASON])
{
    (void)regex, (void)reason;
    return false;
}

void regex_share(struct regex *regex, size_t count)
{
    (void)regex, (void)count;
}

void regex_free(struct regex *regex)
{
    (void)regex;
}
