/* SPDX-License-Identifier: MIT */
/* regex_size.c: counts the states of a regular expression without compiling it. */
#include "base/regex_size.h"

#include <stddef.h>
#include <string.h>

_Static_assert(REGEX_STATES == 4096 && REGEX_LOOPED == 128 && REGEX_DEPTH == 64,
               "REGEX_MODERATE states other numbers");

/* States of a part of an expression: all, those that are optional, and those that are optional
 * within a loop.  None is less than what regcomp() makes. */
struct states {
    size_t all, optional, looped;
};

/* A group that is open, and its last atom, which a repetition repeats. */
struct group {
    struct states states, last;
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

/* A repetition: how often it writes its atom, whether one of these may be left out, and whether
 * another one may follow.  No times: it is none. */
struct repetition {
    size_t times;
    bool optional, loops;
};

/* An interval: "{2}", "{2,}" or "{2,3}". */
static struct repetition interval_at(const char **after)
{
    const char *at = *after + 1;
    const size_t minimum = count_at(&at);
    size_t maximum = minimum;
    bool loops = false;
    if (*at == ',') {
        at++;
        loops = *at == '}';
        maximum = loops ? minimum + 1 : count_at(&at);
    }
    if (*at != '}' || at == *after + 1) return (struct repetition){0};
    *after = at + 1;
    const size_t times = maximum > minimum ? maximum : minimum ? minimum : 1;
    return (struct repetition){times, minimum < times, loops};
}

static struct repetition repetition_at(const char **at)
{
    switch (*(*at)++) {
    case '+': return (struct repetition){2, true, true};
    case '*': return (struct repetition){1, true, true};
    case '?': return (struct repetition){1, true, false};
    case '{': --*at; return interval_at(at);
    default: --*at; return (struct repetition){0};
    }
}

static struct states sum(struct states a, struct states b)
{
    return (struct states){a.all + b.all, a.optional + b.optional, a.looped + b.looped};
}

static void repeat(struct group *group, const struct repetition *repetition)
{
    struct states *last = &group->last;
    const size_t times = repetition->times;
    group->states.all += last->all * (times - 1);
    group->states.optional -= last->optional;
    group->states.looped -= last->looped;
    if (repetition->loops) last->looped = last->optional;
    last->optional += repetition->optional;
    last->all *= times;
    last->optional *= times;
    last->looped *= times;
    group->states.optional += last->optional;
    group->states.looped += last->looped;
}

static void add_atom(struct group *group, struct states atom)
{
    group->states = sum(group->states, atom);
    group->last = atom;
}

static bool is_moderate(const struct states *states)
{
    return states->all <= REGEX_STATES && states->looped <= REGEX_LOOPED;
}

/* True if there is nothing before or after the '|' at `at`. */
static bool has_empty_side(const char *expression, const char *at)
{
    return at == expression || strchr("(|", at[-1]) || !at[1] || strchr("|)", at[1]);
}

bool regex_is_moderate(const char *expression)
{
    static const struct states one = {1, 0, 0}, empty = {1, 1, 0};
    struct group groups[REGEX_DEPTH + 1] = {{{0, 0, 0}, {0, 0, 0}}};
    size_t depth = 0;
    for (const char *at = expression; *at;) {
        struct group *group = &groups[depth];
        if (!is_moderate(&group->states)) return false;
        const struct repetition repetition = repetition_at(&at);
        if (repetition.times) {
            repeat(group, &repetition);
            continue;
        }
        switch (*at) {
        case '(':
            if (depth++ == REGEX_DEPTH) return false;
            groups[depth] = (struct group){{0, 0, 0}, {0, 0, 0}};
            break;
        case ')':
            if (depth)
                add_atom(&groups[--depth], sum(group->states, group->states.all ? one : empty));
            else
                add_atom(group, one);
            break;
        case '[':
            add_atom(group, one);
            at = end_of_bracket(at);
            continue;
        case '\\': /* "\\<" and the like, and what a group that is empty matched, match nothing */
            at += at[1] != '\0';
            add_atom(group, *at && strchr("<>bB`'123456789", *at) ? empty : one);
            break;
        case '|': add_atom(group, has_empty_side(expression, at) ? empty : one); break;
        case '^':
        case '$': add_atom(group, empty); break;
        default: add_atom(group, one); break;
        }
        at++;
    }
    return is_moderate(&groups[depth].states);
}
