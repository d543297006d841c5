/* SPDX-License-Identifier: MIT */
/* regex_size.c: counts the states of a regular expression without compiling it. */
#include "base/regex_size.h"

#include <stddef.h>
#include <string.h>

_Static_assert(REGEX_STATES == 4096 && REGEX_DEPTH == 64, "REGEX_MODERATE states other numbers");

/* Steps of regcomp() in loops that can be passed without a character: a tenth of a second. */
enum { MAX_STEPS = 1 << 24 };

/* What a part of an expression is once its repetitions are written out.  No number is less than
 * that of what regcomp() makes of it. */
struct part {
    size_t states;   /* characters and groups */
    size_t optional; /* of them, those that are optional */
    size_t looped;   /* of these, those within a loop */
    size_t paths;    /* ways through it without a character; 0: it has one at least */
    size_t repeated; /* how often a state after it is reached from the states in it */
};

/* A group that is open. */
struct group {
    struct part before; /* the side of the alternation up to its last atom */
    struct part last;   /* its last atom, which a repetition repeats */
    struct part sides;  /* the sides before it; their paths are added */
};

static const struct part character = {1, 0, 0, 0, 1}, nothing = {1, 1, 0, 1, 1},
                         absent = {0, 0, 0, 1, 1};

/* Numbers beyond 2^30 are all the same. */
static size_t product(size_t a, size_t b)
{
    const size_t maximum = (size_t)1 << 30;
    return a && b > maximum / a ? maximum : a * b;
}

static size_t power(size_t base, size_t exponent)
{
    size_t result = 1;
    for (size_t i = 0; i < exponent && base > 1; i++) {
        const size_t before = result;
        result = product(result, base);
        if (result == before) break;
    }
    return base ? result : 0;
}

/* One part after the other. */
static struct part join(struct part a, struct part b)
{
    return (struct part){a.states + b.states, a.optional + b.optional, a.looped + b.looped,
                         product(a.paths, b.paths), product(a.repeated, b.repeated)};
}

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

/* A repetition.  No times: it is none. */
struct repetition {
    size_t times;  /* how often it writes its atom */
    bool empty;    /* all of them may be left out */
    bool optional; /* one of them may be */
    bool loops;    /* others may follow */
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
    return (struct repetition){times, minimum == 0, minimum < times, loops};
}

static struct repetition repetition_at(const char **at)
{
    switch (*(*at)++) {
    case '+': return (struct repetition){2, false, true, true};
    case '*': return (struct repetition){1, true, true, true};
    case '?': return (struct repetition){1, true, true, false};
    case '{': --*at; return interval_at(at);
    default: --*at; return (struct repetition){0};
    }
}

/* The last atom, repeated. */
static void repeat(struct part *last, const struct repetition *repetition)
{
    const size_t times = repetition->times;
    const bool some_optional = repetition->optional && times > 1;
    if (repetition->loops) last->looped = last->optional;
    last->optional += repetition->optional;
    last->states *= times;
    last->optional *= times;
    last->looped *= times;
    if (last->paths) /* 1 where both are too large to be known */
        last->repeated = last->repeated > last->paths ? last->repeated / last->paths : 1;
    last->repeated = power(last->repeated, times);
    if (last->paths) last->paths = power(last->paths + some_optional, times);
    last->paths += repetition->empty;
    if (last->paths) last->repeated = product(last->repeated, last->paths);
}

static void add_atom(struct group *group, struct part atom)
{
    group->before = join(group->before, group->last);
    group->last = atom;
}

/* Ends a side of an alternation. */
static void end_side(struct group *group)
{
    const struct part side = join(group->before, group->last);
    const size_t paths = group->sides.paths + side.paths;
    group->sides = join(group->sides, side);
    group->sides.paths = paths;
    group->before = group->last = absent;
}

static struct group begin_group(void)
{
    return (struct group){absent, absent, {0, 0, 0, 0, 1}};
}

/* A group that has ended, as an atom. */
static struct part end_group(struct group *group)
{
    end_side(group);
    struct part atom = group->sides;
    atom.states++;
    if (atom.paths) {
        atom.optional++;
        if (atom.repeated < atom.paths) atom.repeated = atom.paths;
    }
    return atom;
}

static bool is_moderate(struct group group)
{
    const struct part part = end_group(&group);
    const size_t steps = product(part.looped, product(part.looped, part.looped));
    return part.states <= REGEX_STATES + 1 && product(steps, part.repeated) <= MAX_STEPS;
}

bool regex_is_moderate(const char *expression)
{
    struct group groups[REGEX_DEPTH + 1];
    size_t depth = 0;
    groups[0] = begin_group();
    for (const char *at = expression; *at;) {
        struct group *group = &groups[depth];
        const struct repetition repetition = repetition_at(&at);
        if (repetition.times) {
            repeat(&group->last, &repetition);
            if (!is_moderate(*group)) return false;
            continue;
        }
        switch (*at) {
        case '(':
            if (depth++ == REGEX_DEPTH) return false;
            groups[depth] = begin_group();
            break;
        case ')':
            if (depth) {
                const struct part atom = end_group(group);
                add_atom(&groups[--depth], atom);
            } else {
                add_atom(group, character);
            }
            break;
        case '[':
            add_atom(group, character);
            at = end_of_bracket(at);
            continue;
        case '\\': /* "\\<" and the like, and what a group that is empty matched, match nothing */
            at += at[1] != '\0';
            add_atom(group, *at && strchr("<>bB`'123456789", *at) ? nothing : character);
            break;
        case '|':
            add_atom(group, (struct part){1, 0, 0, 1, 1});
            end_side(group);
            break;
        case '^':
        case '$': add_atom(group, nothing); break;
        default: add_atom(group, character); break;
        }
        if (!is_moderate(groups[depth])) return false;
        at += *at != '\0';
    }
    while (depth) {
        const struct part atom = end_group(&groups[depth]);
        add_atom(&groups[--depth], atom);
    }
    return is_moderate(groups[0]);
}
