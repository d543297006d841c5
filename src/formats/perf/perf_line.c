/* SPDX-License-Identifier: MIT */
/* perf_line.c: takes a line of `perf script` apart. */
#include "formats/perf/perf.h"

#include "base/ascii.h"
#include "base/hex_run.h"
#include "base/inline.h"
#include "base/simd_text.h"

/* ---- words ---- */

struct word {
    const char *begin, *end;
    size_t gap; /* blanks before it */
};

/* The mask of the blanks among the next bytes. */
static uint64_t perf_blanks(const char *at)
{
    return simd_equals(at, ' ', SIMD_BYTES) | simd_equals(at, '\t', SIMD_BYTES);
}

/* The first blank, or `end`. */
static const char *perf_find_blank(const char *at, const char *end)
{
    for (; end - at >= SIMD_BYTES; at += SIMD_BYTES) {
        const uint64_t blanks = perf_blanks(at);
        if (blanks) return at + __builtin_ctzll(blanks);
    }
    while (at < end && !commit_is_blank(*at)) at++;
    return at;
}

/* The first byte that is no blank, or `end`. */
static const char *perf_skip_blanks(const char *at, const char *end)
{
    while (at < end && commit_is_blank(*at)) at++;
    return at;
}

/* A line.  Its first words, which are taken apart several times, are found by a mask. */
struct words {
    const char *begin, *end;
    uint64_t blanks; /* bit i: begin[i] is a blank, or after the end */
};

enum { MASKED = 64 /* bytes in a mask */ };

static struct word perf_next_word(const struct words *line, const char *at)
{
    struct word word = {at, at, 0};
    const size_t from = (size_t)(at - line->begin);
    const uint64_t blanks = from < MASKED ? line->blanks >> from : 0;
    const uint64_t others = from < MASKED ? ~line->blanks >> from : 0;
    word.begin = others ? at + __builtin_ctzll(others) : perf_skip_blanks(at, line->end);
    word.gap = (size_t)(word.begin - at);
    const uint64_t after = others ? blanks >> word.gap : 0;
    word.end = after ? word.begin + __builtin_ctzll(after) : perf_find_blank(word.begin, line->end);
    return word;
}

static size_t perf_word_size(const struct word *word)
{
    return (size_t)(word->end - word->begin);
}

static bool perf_word_is(const struct word *word, const char *text)
{
    if (word->begin == word->end || *word->begin != *text) return false;
    const size_t size = strlen(text);
    return perf_word_size(word) == size && memcmp(word->begin, text, size) == 0;
}

static bool perf_begins(const char *at, const char *end, const char *text)
{
    const size_t size = strlen(text);
    return (size_t)(end - at) >= size && memcmp(at, text, size) == 0;
}

static struct spoor_slice perf_slice(const char *begin, const char *end)
{
    return (struct spoor_slice){begin, (size_t)(end - begin)};
}

/* Decimal digits, which a minus may precede; returns where they end, NULL: there are none. */
static const char *perf_skip_decimal(const char *at, const char *end)
{
    if (at < end && *at == '-') at++;
    const char *digits = at;
    while (at < end && ascii_is_digit(*at)) at++;
    return at > digits ? at : NULL;
}

static bool perf_is_decimal(const char *at, const char *end)
{
    return perf_skip_decimal(at, end) == end;
}

/* An address as perf prints it: no 0x. */
static bool perf_is_address(const struct word *word)
{
    const char *at = word->begin;
    if (at == word->end || perf_word_size(word) > 16) return false;
    while (at < word->end && hex_value[(unsigned char)*at] < 16) at++;
    return at == word->end;
}

/* "4711" or "4711/4711" */
static bool perf_is_thread(const struct word *word)
{
    const char *at = perf_skip_decimal(word->begin, word->end);
    if (!at || at == word->end) return at;
    return *at == '/' && perf_is_decimal(at + 1, word->end);
}

/* "[002]" */
static bool perf_is_cpu(const struct word *word)
{
    return perf_word_size(word) > 2 && *word->begin == '[' && word->end[-1] == ']' &&
           perf_is_decimal(word->begin + 1, word->end - 1);
}

static struct spoor_slice perf_thread_of(const struct word *word)
{
    const char *slash = memchr(word->begin, '/', perf_word_size(word));
    return perf_slice(slash ? slash + 1 : word->begin, word->end);
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

static bool perf_word_flag(const struct word *word, uint32_t *flag)
{
    if (word->begin == word->end || ascii_is_digit(*word->begin)) return false;
    for (size_t i = 0; i < sizeof flag_words / sizeof *flag_words; i++) {
        if (!perf_word_is(word, flag_words[i].text)) continue;
        *flag |= flag_words[i].flag;
        return true;
    }
    return perf_word_size(word) > 2 && *word->begin == '(' && word->end[-1] == ')' &&
           perf_word_size(word) <= 5 && strspn(word->begin + 1, "xDt") == perf_word_size(word) - 2;
}

static const char *perf_split_flags(const struct words *in, const char *at, struct perf_line *line)
{
    static const struct {
        char letter;
        uint16_t flag;
    } letters[] = {{'c', PERF_CALL},      {'r', PERF_RETURN}, {'o', PERF_CONDITIONAL},
                   {'i', PERF_INTERRUPT}, {'y', PERF_ASYNC},  {'B', PERF_BEGIN},
                   {'E', PERF_END}};
    const char *begin = NULL;
    for (;;) {
        const struct word word = perf_next_word(in, at);
        if (!perf_word_flag(&word, &line->flag)) {
            /* letters that are hexadecimal digits, too, are flags if an address follows */
            if (word.begin == word.end || ascii_is_digit(*word.begin)) break;
            const struct word next = perf_next_word(in, word.end);
            if (!perf_is_address(&next) || next.gap < 2) break;
            uint32_t found = 0; /* of a branch without a name of its own */
            const char *letter = word.begin;
            for (; letter < word.end && memchr("bcrosyiABExghDt", *letter, 15); letter++)
                for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
                    if (letters[i].letter == *letter) found |= letters[i].flag;
            if (letter < word.end) break;
            line->flag |= found ? found : PERF_JUMP;
        }
        if (!begin) begin = word.begin;
        at = word.end;
        line->flags = perf_slice(begin, at);
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
static const char *perf_split_head(const struct words *in, struct perf_line *line)
{
    const char *begin = in->begin, *end = in->end;
    struct word words[HEAD_WORDS];
    size_t count = 0;
    bool timed = false; /* may have a time, which ends like ".000001:" */
    for (const char *colon = begin; !timed && (colon = memchr(colon, ':', (size_t)(end - colon)));
         colon++) {
        const char *digit = colon;
        if (colon + 1 < end && !commit_is_blank(colon[1])) continue;
        while (digit > begin && ascii_is_digit(digit[-1])) digit--;
        if (digit > begin && digit[-1] == '-') digit--;
        timed = digit > begin && digit[-1] == '.';
    }
    const size_t capacity = timed ? HEAD_WORDS : UNTIMED_WORDS;
    const char *at = begin;
    for (; count < capacity; at = words[count++].end) {
        words[count] = perf_next_word(in, at);
        if (words[count].begin == end) break;
        struct scan time = {words[count].begin, words[count].end - 1}; /* "5000.000001:" */
        if (time.end - time.at < 3 || *time.end != ':' || !ascii_is_digit(*time.at)) continue;
        while (!scan_done(&time) && ascii_is_digit(*time.at)) time.at++;
        if (!scan_char(&time, '.') || !perf_is_decimal(time.at, time.end)) continue;
        line->time = perf_slice(words[count].begin, words[count].end - 1);
        at = words[count].end;
        if (count && perf_is_cpu(&words[count - 1])) count--;
        if (count && perf_is_thread(&words[count - 1]))
            line->tid = perf_thread_of(&words[count - 1]);
        return at;
    }
    if (count == 1 && words[0].end - begin <= THREAD_WIDTH && perf_is_thread(&words[0])) {
        line->tid = perf_thread_of(&words[0]); /* the stack of a thread follows */
        return words[0].end;
    }
    /* where there is no time, a thread stands before a processor, flags or an address */
    for (size_t i = 0; i + 1 < count && i + 1 < UNTIMED_WORDS; i++) {
        const struct word *next = &words[i + 1];
        if (!perf_is_thread(&words[i])) continue;
        if (!perf_is_cpu(next) && !perf_begins(next->begin, end, "PERF_RECORD_") &&
            !perf_word_flag(next, &(uint32_t){0}) &&
            !(perf_is_address(next) && (next->gap > 1 || perf_word_size(next) == 16)))
            continue;
        line->tid = perf_thread_of(&words[i]);
        return perf_is_cpu(next) ? next->end : words[i].end;
    }
    return begin;
}

/* ---- addresses ---- */

static struct spoor_slice perf_trim(const char *begin, const char *end)
{
    while (begin < end && commit_is_blank(*begin)) begin++;
    while (end > begin && commit_is_blank(end[-1])) end--;
    return perf_slice(begin, end);
}

/* The branch stack that begins here; false: none does. */
static bool perf_split_stack(const char *at, const char *end, struct perf_line *line)
{
    line->older = at;
    if (!perf_branch_next(&line->older, end, &line->newest)) return false;
    line->branches = perf_trim(at, end);
    return true;
}

/* Where "insn:", or the first branch of a stack, begins; `end`: nowhere. */
static const char *perf_find_tail(const char *at, const char *end, struct perf_line *line)
{
    static const char mark[] = "insn: ";
    enum { COLON = 4 };
    const char *insn = NULL; /* the first mark */
    for (const char *colon = at; !insn && (colon = memchr(colon, ':', (size_t)(end - colon)));
         colon++)
        if (colon - at >= COLON && perf_begins(colon - COLON, end, mark)) insn = colon - COLON;
    if (insn && (insn == at || commit_is_blank(insn[-1]))) {
        line->bytes = perf_trim(insn + sizeof mark - 1, end);
        return insn;
    }
    if (!memchr(at, '/', (size_t)(end - at))) return end;
    for (const char *word = perf_skip_blanks(at, end); word < end;
         word = perf_skip_blanks(perf_find_blank(word, end), end))
        if (perf_split_stack(word, end, line)) return word;
    return end;
}

/* The address, its symbol, and the target with its own. */
static bool perf_split_places(const struct words *in, const char *at, struct perf_line *line)
{
    const char *end = in->end;
    struct word ip = perf_next_word(in, at), target;
    if (!perf_is_address(&ip)) return false;
    const struct word next = perf_next_word(in, ip.end);
    /* the address of data stands before that of the instruction */
    if (perf_is_address(&next) && next.gap > 1) ip = next;
    line->ip = perf_slice(ip.begin, ip.end);
    const char *arrow = ip.end; /* the "=>" before a target */
    while ((arrow = memchr(arrow, '=', (size_t)(end - arrow)))) {
        if (++arrow == end || *arrow != '>') continue;
        target = perf_next_word(in, arrow + 1);
        if (commit_is_blank(arrow[-2]) && target.gap && perf_is_address(&target)) break;
    }
    line->arrow = arrow != NULL;
    if (arrow) {
        line->symbol = perf_trim(ip.end, arrow - 1);
        line->target = perf_slice(target.begin, target.end);
        line->target_symbol = perf_trim(target.end, end);
    } else {
        line->symbol = perf_trim(ip.end, perf_find_tail(ip.end, end, line));
    }
    return true;
}

bool perf_split(const char *begin, const char *end, struct perf_line *line, const char **at)
{
    perf_clear(line);
    const char *first = perf_skip_blanks(begin, end);
    if (perf_begins(first, end, "0x") &&
        perf_split_stack(first, end, line)) { /* below that of a sample */
        *at = end;
        return true;
    }
    const size_t size = (size_t)(end - begin);
    struct words words = {begin, end, size < MASKED ? UINT64_MAX << size : 0};
    size_t i = 0;
    for (; i < MASKED && i + SIMD_BYTES <= size; i += SIMD_BYTES)
        words.blanks |= perf_blanks(begin + i) << i;
    if (i < MASKED && i < size && size >= SIMD_BYTES) /* again, with some of those before */
        words.blanks |= perf_blanks(end - SIMD_BYTES) << (size - SIMD_BYTES);
    else
        for (; i < MASKED && i < size; i++)
            words.blanks |= (uint64_t)commit_is_blank(begin[i]) << i;
    *at = perf_split_head(&words, line);
    /* the period and the event's name */
    const struct word period = perf_next_word(&words, *at);
    struct word event = period;
    if (perf_is_decimal(period.begin, period.end)) event = perf_next_word(&words, period.end);
    if (perf_word_size(&event) >= 2 && event.end[-1] == ':' && !perf_word_is(&event, "insn:") &&
        !ascii_is_digit(*event.begin) && *event.begin != '(' &&
        !perf_begins(event.begin, event.end, "PERF_RECORD_")) {
        if (event.begin != period.begin) line->period = perf_slice(period.begin, period.end);
        line->event = perf_slice(event.begin, event.end - 1);
        *at = event.end;
    }
    const char *flags = *at;
    if (*at == begin && !commit_is_blank(*begin) && !perf_begins(begin, end, "PERF_RECORD_") &&
        !line->time.size && !line->event.size) {
        const struct word word = perf_next_word(&words, begin);
        if (!perf_is_address(&word)) return false;
    }
    *at = perf_split_flags(&words, *at, line);
    if (perf_split_places(&words, *at, line)) return true;
    /* what events of another kind state, or a sample whose stack follows */
    line->rest = perf_trim(flags, end);
    line->flags = perf_slice(flags, flags);
    return line->time.size || line->event.size || line->tid.size ||
           perf_begins(line->rest.bytes, end, "PERF_RECORD_");
}

/* ---- branch stacks ---- */

enum { OUTCOME = 6 /* bytes of an outcome */ };

/* An address with its file, and the '/' after them; returns where they end, or NULL. */
static FORCE_INLINE const char *perf_stack_address(const char *at, const char *end,
                                                   uint64_t *address)
{
    if (end - at >= 2 && at[0] == '0' && at[1] == 'x') at += 2;
    const char *next = hex_lower_at(at, end, address);
    if (!next) {
        struct scan scan = {at, end};
        if (!scan_hex(&scan, address, NULL, NULL) || scan_done(&scan)) return NULL;
        next = scan.at;
    }
    if (*next == '(') { /* up to the first ")/" */
        while ((next = memchr(next, ')', (size_t)(end - next))))
            if (++next < end && *next == '/') break;
        if (!next) return NULL;
    }
    return *next == '/' ? next + 1 : NULL;
}

enum { WORD = 8 /* bytes that are compared together */ };

/* The type of a branch, of `size` bytes. */
static uint8_t perf_branch_type(const char *at, size_t size, const char *end)
{
    /* those of one size differ in their first bytes */
    static const struct {
        char text[10];
        uint8_t op;
    } types[] = {
        {"COND", SPOOR_FLOW_TYPED | SPOOR_FLOW_IS_CONDITIONAL},
        {"CALL", SPOOR_FLOW_TYPED | SPOOR_FLOW_IS_CALL},
        {"RET", SPOOR_FLOW_TYPED | SPOOR_FLOW_IS_RETURN | SPOOR_FLOW_IS_INDIRECT},
        {"UNCOND", SPOOR_FLOW_TYPED},
        {"IND", SPOOR_FLOW_TYPED | SPOOR_FLOW_IS_INDIRECT},
        {"IND_CALL", SPOOR_FLOW_TYPED | SPOOR_FLOW_IS_CALL | SPOOR_FLOW_IS_INDIRECT},
        {"COND_CALL", SPOOR_FLOW_TYPED | SPOOR_FLOW_IS_CALL | SPOOR_FLOW_IS_CONDITIONAL},
        {"COND_RET", SPOOR_FLOW_TYPED | SPOOR_FLOW_IS_RETURN | SPOOR_FLOW_IS_INDIRECT |
                         SPOOR_FLOW_IS_CONDITIONAL},
    };
    uint64_t word = 0; /* the first bytes, then zeros */
    if (size == 0 || size >= sizeof types->text) return SPOOR_FLOW_BRANCH;
    if (end - at >= WORD) {
        memcpy(&word, at, WORD);
        word = little_endian64(word);
        if (size < WORD) word &= ~(UINT64_MAX << 8 * size);
    } else {
        for (size_t i = 0; i < size; i++) word |= (uint64_t)(unsigned char)at[i] << 8 * i;
    }
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        uint64_t text;
        memcpy(&text, types[i].text, sizeof text);
        if (little_endian64(text) == word && (types[i].text[WORD] == (size > WORD ? at[WORD] : 0)))
            return types[i].op;
    }
    return SPOOR_FLOW_BRANCH;
}

bool perf_branch_next(const char **at, const char *end, struct perf_branch *branch)
{
    const char *next = perf_skip_blanks(*at, end);
    if (next == end) return false;
    next = perf_stack_address(next, end, &branch->from);
    if (next) next = perf_stack_address(next, end, &branch->to);
    /* "M/-/-/" after the target: mispredicted, in a transaction, aborted */
    if (!next || end - next <= OUTCOME || (*next != 'P' && *next != 'M' && *next != '-') ||
        (memcmp(next + 1, "/-/-", 4) != 0 &&
         (next[1] != '/' || (next[2] != '-' && next[2] != 'X') || next[3] != '/' ||
          (next[4] != '-' && next[4] != 'A'))) ||
        next[5] != '/' || !ascii_is_digit(next[OUTCOME]))
        return false;
    next += OUTCOME;
    while (next < end && ascii_is_digit(*next)) next++; /* cycles */
    branch->op = SPOOR_FLOW_BRANCH;
    if (next < end && *next == '/') {
        const char *type = ++next;
        if (end - next >= WORD) next += first_below(next, '0');
        while (next < end && *next != '/' && !commit_is_blank(*next)) next++;
        branch->op = perf_branch_type(type, (size_t)(next - type), end);
    }
    if (next < end && !commit_is_blank(*next))
        next = perf_find_blank(next, end); /* the speculation */
    *at = next;
    return true;
}
