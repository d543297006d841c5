/* SPDX-License-Identifier: MIT */
/* select_regex.c: regular expressions (POSIX, extended) and parts of texts. */
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/regex_size.h"
#include "query/select_test.h"

/* NUL-terminated, in `buffer` if it fits there; NULL: memory ran out. */
static char *terminated(struct spoor_slice text, char *buffer, size_t capacity)
{
    char *copy = text.size < capacity ? buffer : malloc(text.size + 1);
    if (!copy) return NULL;
    memcpy(copy, text.bytes, text.size);
    copy[text.size] = '\0';
    return copy;
}

const char *regex_compile(struct constant *constant)
{
    char buffer[256];
    regex_t *regex = malloc(sizeof *regex);
    char *pattern = terminated(constant->text, buffer, sizeof buffer);
    const bool moderate = pattern && regex_is_moderate(pattern);
    const int status =
        regex && moderate ? regcomp(regex, pattern, REG_EXTENDED | REG_NOSUB) : REG_ESPACE;
    if (pattern != buffer) free(pattern);
    if (status == 0) {
        constant->regex = regex;
        return NULL;
    }
    free(regex);
    if (pattern && !moderate) return REGEX_MODERATE;
    return status == REG_ESPACE ? "" : "a regular expression";
}

bool regex_fits(const struct constant *constant, struct spoor_slice text)
{
    char buffer[512];
    char *copy = terminated(text, buffer, sizeof buffer);
    const bool fits = copy && regexec(constant->regex, copy, 0, NULL, 0) == 0;
    if (copy != buffer) free(copy);
    return fits;
}

void regex_free(struct constant *constant)
{
    if (!constant->regex) return;
    regfree(constant->regex);
    free(constant->regex);
}

bool part_fits(struct spoor_slice part, struct spoor_slice text)
{
    return part.size == 0 || memmem(text.bytes, text.size, part.bytes, part.size) != NULL;
}
