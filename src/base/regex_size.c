/* SPDX-License-Identifier: MIT */
/* regex_size.c: counts the states of a regular expression without compiling it. */
#include "base/regex_size.h"

#include <stddef.h>
#include <string.h>

_Static_assert(REGEX_STATES == 4096 && REGEX_DEPTH == 64, "REGEX_MODERATE states other numbers");

/* A group that is open: its states, and those of its last atom, which a repetition repeats. */
struct group {
    size_t states, last;
};

/* The end of a bracket expression that begins at `at`: after its ']', or at the end of the text. */
static const char *end_of_bracket(const char *at)
{
    at++;
    if (*at == '^') at++;
    if (*at == ']') at++;
    while (*at && *at != ']') {
        const char kind = at[1];
        if (*at == '[' && (kind == ':' || kind == '.' || kind == '=')) {
            const char closing[] = {kind, ']', '\0'};
            const char *end = strstr(at + 2, closing);
            at = end ? end + 1 : at;
        }
        at++;
    }
    return *at ? at + 1 : at;
}

/* A number of repetitions up to 99,999, which is more than regcomp() allows. */
static size_t count_at(const char **at)
{
    size_t count = 0;
    for (; **at >= '0' && **at <= '9'; ++*at)
        if (count < 10000) count = 10 * count + (size_t)(**at - '0');
    return count;
}

/* How often an interval, "{2}", "{2,}" or "{2,3}", writes its atom; 0: it is none. */
static size_t interval_at(const char **after)
{
    const char *at = *after + 1;
    const size_t minimum = count_at(&at);
    size_t maximum = minimum;
    if (*at == ',') {
        at++;
        maximum = *at == '}' ? minimum + 1 : count_at(&at);
    }
    if (*at != '}' || at == *after + 1) return 0;
    *after = at + 1;
    return maximum > minimum ? maximum : minimum ? minimum : 1;
}

static void repeat(struct group *group, size_t times)
{
    group->states += group->last * (times - 1);
    group->last *= times;
}

static void add_atom(struct group *group, size_t states)
{
    group->states += states;
    group->last = states;
}

bool regex_is_moderate(const char *expression)
{
    struct group groups[REGEX_DEPTH + 1] = {{0, 0}};
    size_t depth = 0, times;
    for (const char *at = expression; *at;) {
        struct group *group = &groups[depth];
        if (group->states > REGEX_STATES) return false;
        if (*at == '{' && (times = interval_at(&at)) > 0) {
            repeat(group, times);
            continue;
        }
        switch (*at) {
        case '+': repeat(group, 2); break;
        case '*':
        case '?': break;
        case '(':
            if (depth++ == REGEX_DEPTH) return false;
            groups[depth] = (struct group){0, 0};
            break;
        case ')':
            if (depth)
                add_atom(&groups[--depth], group->states + 1);
            else
                add_atom(group, 1);
            break;
        case '[':
            add_atom(group, 1);
            at = end_of_bracket(at);
            continue;
        case '\\':
            at += at[1] != '\0';
            add_atom(group, 1);
            break;
        default: add_atom(group, 1); break;
        }
        at++;
    }
    return groups[depth].states <= REGEX_STATES;
}
