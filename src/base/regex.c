/* SPDX-License-Identifier: MIT */
/* regex.c: regular expressions by PCRE2, within limits; in a build without it there are none. */
#include "base/regex.h"

#include <stdio.h>

#ifdef SPOOR_WITH_PCRE2
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdatomic.h>
#include <stdlib.h>

/* Of a search.  So many steps take 0.1 to 1 s; a repeated group takes 64 MiB in a text of 500 KB.
 */
enum { MAX_STEPS = 10000000, MAX_MIB = 64 };

struct regex {
    pcre2_code *code;
    pcre2_match_context *limits;
    unsigned steps;
    _Atomic(pcre2_match_data *)
        match;          /* of the last search; NULL: of one that is running, or none */
    atomic_int failure; /* an error of PCRE2; 0: none */
};

static void regex_describe(int error, const char *expected, char reason[REGEX_REASON])
{
    PCRE2_UCHAR message[REGEX_REASON / 2] = "";
    reason[0] = '\0';
    if (error == PCRE2_ERROR_NOMEMORY || error == PCRE2_ERROR_HEAP_FAILED) return;
    pcre2_get_error_message(error, message, sizeof message);
    snprintf(reason, REGEX_REASON, "%s: %s", expected, (const char *)message);
}

#endif

struct regex *regex_new(const char *expression, size_t size, char reason[REGEX_REASON])
{
#ifdef SPOOR_WITH_PCRE2
    bool is_ascii = true;
    for (size_t i = 0; i < size; i++) is_ascii &= (unsigned char)expression[i] < 0x80;
    const uint32_t coding = is_ascii ? PCRE2_NEVER_UTF : PCRE2_UTF | PCRE2_MATCH_INVALID_UTF;
    int error = PCRE2_ERROR_NOMEMORY;
    PCRE2_SIZE place;
    struct regex *regex = calloc(1, sizeof *regex);
    if (regex) regex->limits = pcre2_match_context_create(NULL);
    if (regex && regex->limits)
        regex->code =
            pcre2_compile((PCRE2_SPTR)expression, size,
                          coding | PCRE2_DOTALL | PCRE2_DOLLAR_ENDONLY, &error, &place, NULL);
    if (!regex || !regex->code) {
        regex_describe(error, "a regular expression", reason);
        regex_free(regex);
        return NULL;
    }
    pcre2_set_heap_limit(regex->limits, MAX_MIB << 10);
    regex_share(regex, 1);
    return regex;
#else
    (void)expression, (void)size;
    snprintf(reason, REGEX_REASON,
             "no regular expression, because this spoor was built without PCRE2: install "
             "libpcre2-dev and build again");
    return NULL;
#endif
}

void regex_share(struct regex *regex, size_t count)
{
#ifdef SPOOR_WITH_PCRE2
    regex->steps = (unsigned)(MAX_STEPS / count);
    pcre2_set_match_limit(regex->limits, regex->steps);
#else
    (void)regex, (void)count;
#endif
}

bool regex_find(struct regex *regex, const char *text, size_t size, size_t from, size_t *begin,
                size_t *end)
{
#ifdef SPOOR_WITH_PCRE2
    int result = PCRE2_ERROR_NOMEMORY;
    if (atomic_load(&regex->failure)) return false;
    pcre2_match_data *match = atomic_exchange(&regex->match, NULL);
    if (!match) match = pcre2_match_data_create(1, NULL);
    if (match)
        result = pcre2_match(regex->code, text ? (PCRE2_SPTR)text : (PCRE2_SPTR) "", size, from, 0,
                             match, regex->limits);
    if (result >= 0) {
        const PCRE2_SIZE *part = pcre2_get_ovector_pointer(match);
        if (begin) *begin = part[0];
        if (end) *end = part[1];
    } else if (result != PCRE2_ERROR_NOMATCH) {
        atomic_store(&regex->failure, result);
    }
    pcre2_match_data_free(atomic_exchange(&regex->match, match)); /* of another thread, or NULL */
    return result >= 0;
#else
    (void)regex, (void)text, (void)size, (void)from, (void)begin, (void)end;
    return false;
#endif
}

bool regex_failed(const struct regex *regex, char reason[REGEX_REASON])
{
#ifdef SPOOR_WITH_PCRE2
    char expected[REGEX_REASON / 2];
    const int failure = atomic_load(&regex->failure);
    if (!failure) return false;
    snprintf(expected, sizeof expected,
             "a regular expression that takes at most %u steps and %d MiB to search a text",
             regex->steps, MAX_MIB);
    regex_describe(failure, expected, reason);
    return true;
#else
    (void)regex, (void)reason;
    return false;
#endif
}

void regex_free(struct regex *regex)
{
#ifdef SPOOR_WITH_PCRE2
    if (!regex) return;
    pcre2_match_data_free(atomic_load(&regex->match));
    pcre2_match_context_free(regex->limits);
    pcre2_code_free(regex->code);
    free(regex);
#else
    (void)regex;
#endif
}
