/* SPDX-License-Identifier: MIT */
/* perf_line.c: takes a line of `perf script` apart. */
#include "formats/perf/perf.h"

#include "base/hex_run.h"

/* ---- words ---- */

struct word {
    const char *begin, *end;
    size_t gap; /* blanks before it */
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* The first blank, or `end`. */
static const char *find_blank(const char *at, const char *end)
{
    enum { RUN = 8, ABOVE_BLANKS = ' ' + 1 };
    while (end - at >= RUN) {
        const unsigned below = first_below(at, ABOVE_BLANKS);
        at += below;
        if (below == RUN) continue;
        if (is_blank(*at)) return at;
        at++;
    }
    while (at < end && !is_blank(*at)) at++;
    return at;
}

/* The first byte that is no blank, or `end`. */
static const char *skip_blanks(const char *at, const char *end)
{
    static const char spaces[] = "        ";
    while (end - at >= 8 && memcmp(at, spaces, 8) == 0) at += 8;
    while (at < end && is_blank(*at)) at++;
    return at;
}

static struct word next_word(const char *at, const char *end)
{
    struct word word = {.begin = skip_blanks(at, end)};
    word.gap = (size_t)(word.begin - at);
    word.end = find_blank(word.begin, end);
    return word;
}

static size_t size_of(const struct word *word)
{
    return (size_t)(word->end - word->begin);
}

static bool is(const struct word *word, const char *text)
{
    if (word->begin == word->end || *word->begin != *text) return false;
    const size_t size = strlen(text);
    return size_of(word) == size && memcmp(word->begin, text, size) == 0;
}

static bool begins(const char *at, const char *end, const char *text)
{
    const size_t size = strlen(text);
    return (size_t)(end - at) >= size && memcmp(at, text, size) == 0;
}

static struct spoor_slice slice(const char *begin, const char *end)
{
    return (struct spoor_slice){begin, (size_t)(end - begin)};
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_decimal(const char *at, const char *end)
{
    if (at < end && *at == '-') at++;
    if (at == end) return false;
    while (at < end && is_digit(*at)) at++;
    return at == end;
}

/* An address as perf prints it: no 0x. */
static bool is_address(const struct word *word)
{
    const char *at = word->begin;
    if (at == word->end || size_of(word) > 16) return false;
    while (at < word->end && hex_value[(unsigned char)*at] < 16) at++;
    return at == word->end;
}

/* "5000.000001:" */
static bool is_time(const struct word *word)
{
    const char *at = word->begin, *end = word->end - 1;
    if (size_of(word) < 4 || *end != ':' || !is_digit(*at)) return false;
    while (at < end && is_digit(*at)) at++;
    return at < end && *at == '.' && is_decimal(at + 1, end);
}

/* "4711" or "4711/4711" */
static bool is_thread(const struct word *word)
{
    const char *slash = memchr(word->begin, '/', size_of(word));
    return slash ? is_decimal(word->begin, slash) && is_decimal(slash + 1, word->end)
                 : is_decimal(word->begin, word->end);
}

/* "[002]" */
static bool is_cpu(const struct word *word)
{
    return size_of(word) > 2 && *word->begin == '[' && word->end[-1] == ']' &&
           is_decimal(word->begin + 1, word->end - 1);
}

static struct spoor_slice thread_of(const struct word *word)
{
    const char *slash = memchr(word->begin, '/', size_of(word));
    return slice(slash ? slash + 1 : word->begin, word->end);
}

/* ---- flags ---- */

static const struct flag_word {
    const char *text;
    uint32_t flag;
} flag_words[] = {
    {"call", PERF_CALL},
    {"return", PERF_RETURN},
    {"jmp", PERF_JUMP},
    {"jcc", PERF_CONDITIONAL},
    {"int", PERF_INTERRUPT},
    {"syscall", PERF_INTERRUPT},
    {"sysret", PERF_BACK},
    {"iret", PERF_BACK},
    {"vmentry", PERF_INTERRUPT},
    {"vmexit", PERF_BACK},
    {"strt", PERF_BEGIN},
    {"end", PERF_END},
    {"async", PERF_ASYNC},
    {"abrt", PERF_ASYNC},
    {"tr", 0},
    {"hw", 0},
    {"tx", 0},
};

/* A set of letters: of a branch without a name of its own. */
static bool letters_of(const struct word *word, uint32_t *flag)
{
    static const struct {
        char letter;
        uint16_t flag;
    } letters[] = {{'c', PERF_CALL},      {'r', PERF_RETURN}, {'o', PERF_CONDITIONAL},
                   {'i', PERF_INTERRUPT}, {'y', PERF_ASYNC},  {'B', PERF_BEGIN},
                   {'E', PERF_END}};
    uint32_t found = 0;
    for (const char *at = word->begin; at < word->end; at++) {
        if (!memchr("bcrosyiABExghDt", *at, 15)) return false;
        for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
            if (letters[i].letter == *at) found |= letters[i].flag;
    }
    *flag |= found ? found : PERF_JUMP;
    return size_of(word) > 0;
}

static bool flag_of(const struct word *word, uint32_t *flag)
{
    if (word->begin == word->end || is_digit(*word->begin)) return false;
    for (size_t i = 0; i < sizeof flag_words / sizeof *flag_words; i++) {
        if (!is(word, flag_words[i].text)) continue;
        *flag |= flag_words[i].flag;
        return true;
    }
    return size_of(word) > 2 && *word->begin == '(' && word->end[-1] == ')' && size_of(word) <= 5 &&
           strspn(word->begin + 1, "xDt") == size_of(word) - 2;
}

static const char *split_flags(const char *at, const char *end, struct perf_line *line)
{
    const char *begin = NULL;
    for (;;) {
        const struct word word = next_word(at, end);
        if (!flag_of(&word, &line->flag)) {
            /* letters that are hexadecimal digits, too, are flags if an address follows */
            if (word.begin == word.end || is_digit(*word.begin)) break;
            const struct word next = next_word(word.end, end);
            if (!is_address(&next) || next.gap < 2 || !letters_of(&word, &line->flag)) break;
        }
        if (!begin) begin = word.begin;
        at = word.end;
        line->flags = slice(begin, at);
    }
    return at;
}

/* ---- before the event ---- */

enum {
    HEAD_WORDS = 12,
    UNTIMED_WORDS = 5, /* that decide on a thread without a time */
    THREAD_WIDTH = 8,
};

/* The thread, the processor and the time; returns where they end. */
static const char *split_head(const char *begin, const char *end, struct perf_line *line)
{
    struct word words[HEAD_WORDS];
    size_t count = 0;
    const bool may_have_time = memchr(begin, ':', (size_t)(end - begin)) != NULL;
    const size_t capacity = may_have_time ? HEAD_WORDS : UNTIMED_WORDS;
    const char *at = begin;
    for (; count < capacity; at = words[count++].end) {
        words[count] = next_word(at, end);
        if (words[count].begin == end) break;
        if (!is_time(&words[count])) continue;
        line->time = slice(words[count].begin, words[count].end - 1);
        at = words[count].end;
        if (count && is_cpu(&words[count - 1])) count--;
        if (count && is_thread(&words[count - 1])) line->tid = thread_of(&words[count - 1]);
        return at;
    }
    if (count == 1 && words[0].end - begin <= THREAD_WIDTH && is_thread(&words[0])) {
        line->tid = thread_of(&words[0]); /* the stack of a thread follows */
        return words[0].end;
    }
    for (size_t i = 0; i + 1 < count && i + 1 < UNTIMED_WORDS;
         i++) { /* no time: a thread stands before it */
        const struct word *next = &words[i + 1];
        if (!is_thread(&words[i])) continue;
        if (!is_cpu(next) && !begins(next->begin, end, "PERF_RECORD_") &&
            !flag_of(next, &(uint32_t){0}) &&
            !(is_address(next) && (next->gap > 1 || size_of(next) == 16)))
            continue;
        line->tid = thread_of(&words[i]);
        return is_cpu(next) ? next->end : words[i].end;
    }
    return begin;
}

/* The period and the event's name. */
static const char *split_event(const char *at, const char *end, struct perf_line *line)
{
    struct word word = next_word(at, end);
    struct word next = word;
    if (is_decimal(word.begin, word.end)) next = next_word(word.end, end);
    if (size_of(&next) < 2 || next.end[-1] != ':' || is(&next, "insn:") || is_digit(*next.begin) ||
        *next.begin == '(' || begins(next.begin, next.end, "PERF_RECORD_"))
        return at;
    if (next.begin != word.begin) line->period = slice(word.begin, word.end);
    line->event = slice(next.begin, next.end - 1);
    return next.end;
}

/* ---- addresses ---- */

/* The "=>" before a target, and the target; NULL: there is none. */
static const char *find_arrow(const char *at, const char *end, struct word *target)
{
    while ((at = memchr(at, '=', (size_t)(end - at)))) {
        if (++at == end || *at != '>') continue;
        *target = next_word(at + 1, end);
        if (is_blank(at[-2]) && target->gap && is_address(target)) return at - 1;
    }
    return NULL;
}

static struct spoor_slice trimmed(const char *begin, const char *end)
{
    while (begin < end && is_blank(*begin)) begin++;
    while (end > begin && is_blank(end[-1])) end--;
    return slice(begin, end);
}

/* The first "insn: "; NULL: there is none. */
static const char *find_insn(const char *at, const char *end)
{
    static const char mark[] = "insn: ";
    enum { COLON = 4 };
    for (const char *colon = at; (colon = memchr(colon, ':', (size_t)(end - colon))); colon++)
        if (colon - at >= COLON && begins(colon - COLON, end, mark)) return colon - COLON;
    return NULL;
}

/* Where "insn:", or the first branch of a stack, begins; `end`: nowhere. */
static const char *find_tail(const char *at, const char *end, struct perf_line *line)
{
    const char *insn = find_insn(at, end);
    if (insn && (insn == at || is_blank(insn[-1]))) {
        line->bytes = trimmed(insn + 6, end);
        return insn;
    }
    if (!memchr(at, '/', (size_t)(end - at))) return end;
    for (struct word word = next_word(at, end); word.begin < end; word = next_word(word.end, end)) {
        if (!perf_is_branch(word.begin, end)) continue;
        line->branches = trimmed(word.begin, end);
        return word.begin;
    }
    return end;
}

/* The address, its symbol, and the target with its own. */
static bool split_places(const char *at, const char *end, struct perf_line *line)
{
    struct word ip = next_word(at, end), target;
    if (!is_address(&ip)) return false;
    const struct word next = next_word(ip.end, end);
    /* the address of data stands before that of the instruction */
    if (is_address(&next) && next.gap > 1) ip = next;
    line->ip = slice(ip.begin, ip.end);
    const char *arrow = find_arrow(ip.end, end, &target);
    line->arrow = arrow != NULL;
    if (arrow) {
        line->symbol = trimmed(ip.end, arrow);
        line->target = slice(target.begin, target.end);
        line->target_symbol = trimmed(target.end, end);
    } else {
        line->symbol = trimmed(ip.end, find_tail(ip.end, end, line));
    }
    return true;
}

bool perf_split(const char *begin, const char *end, struct perf_line *line, const char **at)
{
    *line = (struct perf_line){.arrow = false};
    const struct word first = next_word(begin, end);
    if (begins(first.begin, end, "0x") &&
        perf_is_branch(first.begin, end)) { /* below the stack of a sample */
        line->branches = trimmed(first.begin, end);
        *at = end;
        return true;
    }
    *at = split_head(begin, end, line);
    const char *flags = *at = split_event(*at, end, line);
    if (*at == begin && !is_blank(*begin) && !begins(begin, end, "PERF_RECORD_") &&
        !line->time.size && !line->event.size &&
        !is_address(&(struct word){begin, next_word(begin, end).end, 0}))
        return false;
    *at = split_flags(*at, end, line);
    if (split_places(*at, end, line)) return true;
    /* what events of another kind state, or a sample whose stack follows */
    line->rest = trimmed(flags, end);
    line->flags = slice(flags, flags);
    return line->time.size || line->event.size || line->tid.size ||
           begins(line->rest.bytes, end, "PERF_RECORD_");
}

/* ---- branch stacks ---- */

/* "M/-/-/" after the target: mispredicted, in a transaction, aborted. */
static bool is_outcome(const char *at, const char *end)
{
    return end - at > 6 && (*at == 'M' || *at == 'P' || *at == '-') && at[1] == '/' &&
           (at[2] == 'X' || at[2] == '-') && at[3] == '/' && (at[4] == 'A' || at[4] == '-') &&
           at[5] == '/' && is_digit(at[6]);
}

/* Hexadecimal digits; returns where they end, NULL: there are none, or more than 64 bits. */
static const char *read_hex(const char *at, const char *end, uint64_t *value)
{
    enum { RUN = 8 };
    if (end - at >= 2 * RUN) {
        const struct hex_run high = hex_run_at(at);
        *value = high.value;
        if (high.digits < RUN) return high.digits ? at + high.digits : NULL;
        const struct hex_run low = hex_run_at(at + RUN);
        *value = *value << 4 * low.digits | low.value;
        if (low.digits < RUN) return at + RUN + low.digits;
    }
    struct scan scan = {at, end};
    return scan_hex(&scan, value, NULL, NULL) ? scan.at : NULL;
}

/* An address with its file, and the '/' after them. */
static bool read_address(const char **at, const char *end, uint64_t *address)
{
    const char *next = *at;
    if (end - next >= 2 && next[0] == '0' && next[1] == 'x') next += 2;
    next = read_hex(next, end, address);
    if (!next) return false;
    if (next < end && *next == '(') {
        const char *close = memmem(next, (size_t)(end - next), ")/", 2);
        if (!close) return false;
        next = close + 1;
    }
    if (next == end || *next != '/') return false;
    *at = next + 1;
    return true;
}

static uint8_t type_of(const char *at, const char *end)
{
#define TYPE(text, op)             \
    {                              \
        text, sizeof(text) - 1, op \
    }
    static const struct {
        char text[10];
        uint8_t size, op;
    } types[] = {
        TYPE("COND", SPOOR_FLOW_TYPED | SPOOR_FLOW_IS_CONDITIONAL),
        TYPE("UNCOND", SPOOR_FLOW_TYPED),
        TYPE("IND", SPOOR_FLOW_TYPED | SPOOR_FLOW_IS_INDIRECT),
        TYPE("CALL", SPOOR_FLOW_TYPED | SPOOR_FLOW_IS_CALL),
        TYPE("IND_CALL", SPOOR_FLOW_TYPED | SPOOR_FLOW_IS_CALL | SPOOR_FLOW_IS_INDIRECT),
        TYPE("RET", SPOOR_FLOW_TYPED | SPOOR_FLOW_IS_RETURN | SPOOR_FLOW_IS_INDIRECT),
        TYPE("COND_CALL", SPOOR_FLOW_TYPED | SPOOR_FLOW_IS_CALL | SPOOR_FLOW_IS_CONDITIONAL),
        TYPE("COND_RET", SPOOR_FLOW_TYPED | SPOOR_FLOW_IS_RETURN | SPOOR_FLOW_IS_INDIRECT |
                             SPOOR_FLOW_IS_CONDITIONAL),
    };
#undef TYPE
    const size_t size = (size_t)(end - at);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].size == size && memcmp(types[i].text, at, size) == 0) return types[i].op;
    return SPOOR_FLOW_BRANCH;
}

bool perf_branch_next(const char **at, const char *end, struct perf_branch *branch)
{
    const char *next = skip_blanks(*at, end);
    if (!read_address(&next, end, &branch->from) || !read_address(&next, end, &branch->to) ||
        !is_outcome(next, end))
        return false;
    next += 6;
    while (next < end && is_digit(*next)) next++; /* cycles */
    branch->op = SPOOR_FLOW_BRANCH;
    if (next < end && *next == '/') {
        const char *type = ++next;
        while (next < end && *next != '/' && !is_blank(*next)) next++;
        branch->op = type_of(type, next);
    }
    *at = find_blank(next, end); /* after the speculation */
    return true;
}

bool perf_is_branch(const char *begin, const char *end)
{
    struct perf_branch branch;
    const char *at = begin;
    return perf_branch_next(&at, end, &branch);
}
