/* SPDX-License-Identifier: MIT */
/*
 * vcd.c: value change dumps (IEEE 1364-2005, 18.2), read on and on in a buffer of fixed size.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/byte_order.h"
#include "base/simd_text.h"
#include "wave/pending.h"
#include "wave/reader.h"

enum {
    VCD_BUFFER = 1 << 20,
    VCD_LONGEST = 4 << 20, /* bytes of a declaration or a change: WAVE_WIDEST and more */
    VCD_PADDING = 128,
};

struct wave_vcd {
    struct wave_reader reader;
    char *bytes;
    size_t capacity, at, end; /* of the buffer; at .. end - 1 are not consumed */
    uint64_t offset;          /* in the file of the buffer's end */
    bool ended, comment;      /* nothing follows the buffer; inside a command until $end */
    enum spoor_status why;    /* after the end */
    struct spoor_error error;
    uint64_t *keys; /* of the signals, by the code: 0 is an empty place */
    int *found;
    int *twin;      /* for each signal another one of its code, of another width; -1: none */
    unsigned shift; /* of the hash */
    struct wave_pending pending;
    uint64_t off_time;
    bool has_time;
    bool off; /* from off_time on, nothing is recorded ($dumpoff) */
};

/* ---- the buffer ---- */

/* Reads on, behind what is not consumed; false: nothing more. */
static bool wave_vcd_fill(struct wave_vcd *vcd)
{
    if (vcd->ended) return false;
    if (vcd->at) memmove(vcd->bytes, vcd->bytes + vcd->at, vcd->end - vcd->at);
    vcd->end -= vcd->at;
    vcd->at = 0;
    if (vcd->end == vcd->capacity) {
        char *more = vcd->capacity < VCD_LONGEST
                         ? realloc(vcd->bytes, 2 * vcd->capacity + VCD_PADDING)
                         : NULL;
        if (!more) {
            vcd->why =
                vcd->capacity < VCD_LONGEST
                    ? error_no_memory_while(&vcd->error, vcd->reader.input.path, "reading")
                    : spoor_error_set(&vcd->error, SPOOR_EINPUT,
                                      "%s: offset %" PRIu64 ": found a line of more than %d bytes",
                                      vcd->reader.input.path, vcd->offset - vcd->end, VCD_LONGEST);
            vcd->ended = true;
            return false;
        }
        vcd->bytes = more;
        vcd->capacity *= 2;
    }
    size_t size;
    vcd->why = vcd->reader.input.read(vcd->reader.input.context, vcd->bytes + vcd->end,
                                      vcd->capacity - vcd->end, &size, &vcd->error);
    vcd->ended = vcd->why != SPOOR_OK;
    vcd->end += size;
    vcd->offset += size;
    memset(vcd->bytes + vcd->end, 0, VCD_PADDING);
    return size > 0;
}

static uint64_t wave_vcd_place(const struct wave_vcd *vcd, const char *at)
{
    return vcd->offset - vcd->end + (uint64_t)(at - vcd->bytes);
}

#define EACH UINT64_C(0x0101010101010101)

/* The first byte that is a blank, or a line end. */
static inline const char *wave_vcd_word_end(const char *at)
{
    for (;; at += 8) {
        uint64_t eight;
        memcpy(&eight, at, sizeof eight);
        eight = little_endian64(eight);
        const uint64_t low = (eight - 0x21 * EACH) & ~eight & 0x80 * EACH;
        if (low) return at + __builtin_ctzll(low) / 8;
    }
}

/* The code of a variable as a number: its bytes, or the hash of a longer one. */
static inline uint64_t wave_vcd_code(const char *at, size_t size)
{
    uint64_t code = 0;
    if (size <= 8) {
        memcpy(&code, at, sizeof code);
        code = little_endian64(code);
        return size == 8 ? code : code & ((UINT64_C(1) << 8 * size) - 1);
    }
    for (size_t i = 0; i < size; i++)
        code = (code ^ (unsigned char)at[i]) * UINT64_C(0x100000001b3);
    return code | UINT64_C(1) << 63;
}

/* ---- declarations ---- */

/* The next word, which stays in the buffer until the next call; false: the file ended. */
static bool wave_vcd_next_word(struct wave_vcd *vcd, struct spoor_slice *word)
{
    for (;;) {
        while (vcd->at < vcd->end && (unsigned char)vcd->bytes[vcd->at] <= ' ') vcd->at++;
        const char *begin = vcd->bytes + vcd->at;
        const char *end = wave_vcd_word_end(begin);
        if (end < vcd->bytes + vcd->end || (vcd->ended && vcd->at < vcd->end)) {
            if (end > vcd->bytes + vcd->end) end = vcd->bytes + vcd->end;
            *word = (struct spoor_slice){begin, (size_t)(end - begin)};
            vcd->at = (size_t)(end - vcd->bytes);
            return true;
        }
        if (!wave_vcd_fill(vcd) && vcd->at == vcd->end) return false;
    }
}

static bool wave_vcd_is(struct spoor_slice word, const char *text)
{
    return word.size == strlen(text) && memcmp(word.bytes, text, word.size) == 0;
}

/* Appends the words up to $end, with a blank between them. */
static bool wave_vcd_words_to_end(struct wave_vcd *vcd, struct text *words)
{
    struct spoor_slice word;
    words->size = 0;
    while (wave_vcd_next_word(vcd, &word)) {
        if (wave_vcd_is(word, "$end")) return true;
        if (words->size + word.size > VCD_LONGEST) continue; /* a long comment */
        if (words->size) text_put(words, " ", 1);
        text_put(words, word.bytes, word.size);
    }
    return false;
}

static struct spoor_slice wave_vcd_split(struct spoor_slice *words)
{
    const char *blank = memchr(words->bytes, ' ', words->size);
    const size_t size = blank ? (size_t)(blank - words->bytes) : words->size;
    const struct spoor_slice word = {words->bytes, size};
    words->bytes += size + (blank != NULL);
    words->size -= size + (blank != NULL);
    return word;
}

/* "1ps", "10 ns": the exponent of ten. */
static bool wave_vcd_read_timescale(struct spoor_slice text, int *exponent)
{
    static const struct {
        char name[3];
        int exponent;
    } units[] = {{"s", 0}, {"ms", -3}, {"us", -6}, {"ns", -9}, {"ps", -12}, {"fs", -15}};
    size_t at = 0;
    *exponent = 0;
    if (at == text.size || text.bytes[at++] != '1') return false;
    while (at < text.size && text.bytes[at] == '0') at++, (*exponent)++;
    while (at < text.size && text.bytes[at] == ' ') at++;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (wave_vcd_is((struct spoor_slice){text.bytes + at, text.size - at}, units[i].name)) {
            *exponent += units[i].exponent;
            return *exponent <= 2;
        }
    return false;
}

static bool wave_vcd_read_var(struct wave_vcd *vcd, struct spoor_slice words)
{
    const struct spoor_slice type = wave_vcd_split(&words), size = wave_vcd_split(&words),
                             code = wave_vcd_split(&words);
    uint32_t width = 0;
    for (size_t i = 0; i < size.size; i++) {
        if (size.bytes[i] < '0' || size.bytes[i] > '9' || width > WAVE_WIDEST) return false;
        width = 10 * width + (uint32_t)(size.bytes[i] - '0');
    }
    if (!size.size || !code.size || !words.size || width > WAVE_WIDEST) return false;
    if (wave_vcd_is(type, "real") || wave_vcd_is(type, "realtime") || wave_vcd_is(type, "string"))
        width = 0;
    char padded[VCD_PADDING] = {0};
    memcpy(padded, code.bytes, code.size < 8 ? code.size : 8);
    const uint64_t handle =
        code.size <= 8 ? wave_vcd_code(padded, code.size) : wave_vcd_code(code.bytes, code.size);
    wave_variables_add(&vcd->reader.variables, words, width, handle);
    return true;
}

static enum spoor_status wave_vcd_read_declarations(struct wave_vcd *vcd, struct spoor_error *error)
{
    const char *path = vcd->reader.input.path;
    struct wave_variables *variables = &vcd->reader.variables;
    struct text words = {0};
    struct spoor_slice word;
    enum spoor_status status = SPOOR_OK;
    unsigned depth = 0;
    bool done = false;
    vcd->reader.exponent = WAVE_NO_UNIT;
    while (!done && status == SPOOR_OK && wave_vcd_next_word(vcd, &word)) {
        char command[32] = "";
        const uint64_t place = wave_vcd_place(vcd, word.bytes);
        if (word.size < sizeof command) memcpy(command, word.bytes, word.size);
        if (*command != '$' || strcmp(command, "$end") == 0) {
            status = spoor_error_set(error, SPOOR_EINPUT,
                                     "%s: offset %" PRIu64
                                     ": found '%.20s' among the declarations, expected "
                                     "$scope, $var or $enddefinitions",
                                     path, place, command);
            break;
        }
        if (!wave_vcd_words_to_end(vcd, &words)) break;
        struct spoor_slice rest = {words.bytes ? words.bytes : "", words.size};
        const char *expected = NULL;
        if (strcmp(command, "$enddefinitions") == 0) {
            done = true;
        } else if (strcmp(command, "$scope") == 0) {
            wave_vcd_split(&rest);
            if (!rest.size)
                expected = "$scope TYPE NAME $end";
            else if (depth++ == WAVE_DEEPEST)
                expected = "fewer scopes in scopes";
            else
                wave_variables_enter(variables, rest);
        } else if (strcmp(command, "$upscope") == 0) {
            if (depth) depth--;
            wave_variables_leave(variables);
        } else if (strcmp(command, "$var") == 0) {
            if (!wave_vcd_read_var(vcd, rest)) expected = "$var TYPE SIZE CODE NAME $end";
        } else if (strcmp(command, "$timescale") == 0) {
            if (!wave_vcd_read_timescale(rest, &vcd->reader.exponent))
                expected = "a time like 1ns after $timescale";
        }
        if (expected)
            status = spoor_error_set(error, SPOOR_EINPUT,
                                     "%s: offset %" PRIu64 ": found '%s %.*s', expected %s", path,
                                     place, command, words.size < 40 ? (int)words.size : 40,
                                     words.size ? words.bytes : "", expected);
        if (words.failed || variables->failed)
            status = error_no_memory_while(error, path, "reading");
    }
    text_free(&words);
    if (status != SPOOR_OK || done) return status;
    if (vcd->why < SPOOR_OK) {
        *error = vcd->error;
        return vcd->why;
    }
    return spoor_error_set(error, SPOOR_EINPUT,
                           "%s: offset %" PRIu64
                           ": found the end of the file among the declarations, expected "
                           "$enddefinitions",
                           path, vcd->offset);
}

/* ---- changes ---- */

static inline int wave_vcd_find(const struct wave_vcd *vcd, uint64_t code)
{
    size_t at = (size_t)(code * UINT64_C(0x9E3779B97F4A7C15) >> vcd->shift);
    while (vcd->keys[at] != code) {
        if (!vcd->keys[at]) return -1;
        at = (at + 1) & (size_t)(UINT64_MAX >> vcd->shift);
    }
    return vcd->found[at];
}

static void wave_vcd_set(struct wave_vcd *vcd, int number, const char *digits, size_t count)
{
    for (; number >= 0; number = vcd->twin[number]) {
        wave_set_digits(&vcd->reader.sampler.signals[number], vcd->pending.next, digits, count);
        wave_pending_mark(&vcd->pending, number);
    }
}

static const char *wave_vcd_skip_line(const char *at, const char *limit)
{
    const char *newline = memchr(at, '\n', (size_t)(limit - at));
    return newline ? newline + 1 : limit;
}

static const char *wave_vcd_wrong(struct wave_vcd *vcd, const char *at, const char *limit,
                                  const char *expected)
{
    const char *end = wave_vcd_word_end(at);
    if (end > limit) end = limit;
    const int shown = end - at < 40 ? (int)(end - at) : 40;
    wave_damage(&vcd->reader, "offset %" PRIu64 ": '%.*s' is not %s", wave_vcd_place(vcd, at),
                shown, at, expected);
    return wave_vcd_skip_line(at, limit);
}

static const char *wave_vcd_read_time(struct wave_vcd *vcd, const char *at, const char *limit)
{
    uint64_t time = 0;
    const char *digits = at + 1;
    const char *end = digits;
    for (; *end >= '0' && *end <= '9'; end++)
        if (__builtin_mul_overflow(time, 10, &time) ||
            __builtin_add_overflow(time, (unsigned)(*end - '0'), &time))
            return wave_vcd_wrong(vcd, at, limit, "a time of at most 64 bits");
    if (end == digits || (unsigned char)*end > ' ')
        return wave_vcd_wrong(vcd, at, limit, "a time: # and digits");
    if (time > UINT64_MAX / vcd->reader.sampler.factor)
        return wave_vcd_wrong(vcd, at, limit, "a time of at most 64 bits in its unit");
    if (vcd->has_time && time == vcd->pending.time) return end; /* it goes on */
    wave_pending_end_time(&vcd->pending, &vcd->reader.sampler);
    if (vcd->has_time && time < vcd->pending.time)
        wave_damage(&vcd->reader, "offset %" PRIu64 ": time %" PRIu64 " after %" PRIu64,
                    wave_vcd_place(vcd, at), time, vcd->pending.time);
    vcd->pending.time = time;
    vcd->has_time = true;
    return end;
}

/* Reads whole lines of the buffer, up to `limit`, until enough text is made. */
static const char *wave_vcd_read_changes(struct wave_vcd *vcd, const char *at, const char *limit)
{
    enum { VALUE = 1, VECTOR, OTHER, TIME, COMMAND };
    static const uint8_t kinds[256] = {
        ['0'] = VALUE, ['1'] = VALUE, ['x'] = VALUE, ['X'] = VALUE,  ['z'] = VALUE,  ['Z'] = VALUE,
        ['h'] = VALUE, ['H'] = VALUE, ['l'] = VALUE, ['L'] = VALUE,  ['u'] = VALUE,  ['U'] = VALUE,
        ['w'] = VALUE, ['W'] = VALUE, ['-'] = VALUE, ['b'] = VECTOR, ['B'] = VECTOR, ['r'] = OTHER,
        ['R'] = OTHER, ['s'] = OTHER, ['S'] = OTHER, ['#'] = TIME,   ['$'] = COMMAND};
    const struct text *out = &vcd->reader.sampler.out;
    while (at < limit && out->size < WAVE_OUT) {
        const unsigned char c = (unsigned char)*at;
        if (c <= ' ') {
            at++;
            continue;
        }
        if (vcd->comment) {
            const char *end = wave_vcd_word_end(at);
            vcd->comment = !(end - at == 4 && memcmp(at, "$end", 4) == 0);
            at = end;
            continue;
        }
        const char *digits = at, *code = at + 1;
        size_t count = 1;
        /* the ends of words: most changes are within 64 bytes, which are looked at in one step */
        uint64_t blanks = ~simd_above(at, ' ', SIMD_MOST);
        switch (kinds[c]) {
        case VALUE: break;
        case VECTOR:
        case OTHER: {
            digits = at + 1;
            const char *end = blanks ? at + simd_first(blanks) : wave_vcd_word_end(at);
            count = (size_t)(end - digits);
            code = end + 1;
            blanks &= blanks - 1;
            if (blanks && *end == ' ' && at + simd_first(blanks) > code) break;
            blanks = 0;
            code = end;
            while (*code == ' ' || *code == '\t') code++;
            break;
        }
        case TIME: at = wave_vcd_read_time(vcd, at, limit); continue;
        case COMMAND: {
            const char *end = wave_vcd_word_end(at);
            const struct spoor_slice command = {at, (size_t)(end - at)};
            vcd->comment = wave_vcd_is(command, "$comment");
            if (wave_vcd_is(command, "$dumpoff")) {
                vcd->off = true;
                vcd->off_time = vcd->pending.time;
            } else if (vcd->off && wave_vcd_is(command, "$dumpon")) {
                wave_sampler_skip(&vcd->reader.sampler, vcd->off_time, vcd->pending.time);
                vcd->off = false;
            }
            at = end;
            continue;
        }
        default: at = wave_vcd_wrong(vcd, at, limit, "a value and a code, #TIME or $end"); continue;
        }
        const char *end = blanks ? at + simd_first(blanks) : wave_vcd_word_end(code);
        if (end == code || code >= limit || (kinds[c] == VECTOR && count == 0)) {
            at = wave_vcd_wrong(vcd, at, limit, "a value and the code of a variable");
            continue;
        }
        const uint64_t key = wave_vcd_code(code, (size_t)(end - code));
        const int number = wave_vcd_find(vcd, key);
        if (number >= 0 && kinds[c] != OTHER) wave_vcd_set(vcd, number, digits, count);
        at = end;
    }
    return at < limit ? at : limit;
}

/* The end of the last whole line in the buffer; NULL: there is none.  A last line that nothing ends
 * is not whole: what is left of "1!a" may be "1!". */
static const char *wave_vcd_limit(const struct wave_vcd *vcd)
{
    const char *begin = vcd->bytes + vcd->at, *end = vcd->bytes + vcd->end;
    const char *newline = memrchr(begin, '\n', (size_t)(end - begin));
    return newline ? newline + 1 : NULL;
}

static enum spoor_status wave_vcd_step(struct wave_reader *reader, struct spoor_error *error)
{
    struct wave_vcd *vcd = (struct wave_vcd *)reader;
    while (reader->sampler.out.size < WAVE_OUT) {
        const char *limit = vcd->at < vcd->end ? wave_vcd_limit(vcd) : NULL;
        if (limit) {
            const char *at = wave_vcd_read_changes(vcd, vcd->bytes + vcd->at, limit);
            vcd->at = (size_t)(at - vcd->bytes);
        } else if (vcd->ended) {
            const char *rest = vcd->bytes + vcd->at, *end = vcd->bytes + vcd->end;
            while (rest < end && (unsigned char)*rest <= ' ') rest++;
            if (rest < end)
                wave_damage(reader, "offset %" PRIu64 ": '%.*s' is cut off: no end of the line",
                            wave_vcd_place(vcd, rest), end - rest < 40 ? (int)(end - rest) : 40,
                            rest);
            vcd->at = vcd->end;
            wave_pending_end_time(&vcd->pending, &vcd->reader.sampler);
            if (vcd->off && reader->sampler.history)
                wave_sampler_skip(&reader->sampler, vcd->off_time, UINT64_MAX);
            if (vcd->comment)
                wave_damage(reader, "offset %" PRIu64 ": the end of the file, and no $end",
                            vcd->offset);
            vcd->comment = false;
            if (vcd->why < SPOOR_OK) *error = vcd->error;
            return reader->sampler.failed
                       ? error_no_memory_while(error, reader->input.path, "reading")
                       : vcd->why;
        } else {
            wave_vcd_fill(vcd);
        }
        if (reader->sampler.failed)
            return error_no_memory_while(error, reader->input.path, "reading");
    }
    return SPOOR_OK;
}

/* ---- the whole ---- */

static void wave_vcd_close(struct wave_reader *reader)
{
    struct wave_vcd *vcd = (struct wave_vcd *)reader;
    free(vcd->bytes);
    free(vcd->keys);
    free(vcd->found);
    free(vcd->twin);
    wave_pending_free(&vcd->pending);
    free(vcd);
}

static struct wave_reader *wave_vcd_open(const struct wave_input *input, struct spoor_error *error)
{
    struct wave_vcd *vcd = calloc(1, sizeof *vcd);
    if (vcd) vcd->bytes = calloc(1, VCD_BUFFER + VCD_PADDING);
    if (!vcd || !vcd->bytes) {
        free(vcd);
        error_no_memory_while(error, input->path, "reading");
        return NULL;
    }
    vcd->capacity = VCD_BUFFER;
    vcd->reader.input = *input;
    if (wave_vcd_read_declarations(vcd, error) == SPOOR_OK) return &vcd->reader;
    wave_variables_free(&vcd->reader.variables);
    wave_vcd_close(&vcd->reader);
    return NULL;
}

static enum spoor_status wave_vcd_begin(struct wave_reader *reader, struct spoor_error *error)
{
    struct wave_vcd *vcd = (struct wave_vcd *)reader;
    const struct wave_sampler *sampler = &reader->sampler;
    const size_t count = sampler->signal_count;
    unsigned bits = 6;
    while ((UINT64_C(1) << bits) < 8 * count) bits++;
    vcd->shift = 64 - bits;
    vcd->keys = calloc((size_t)1 << bits, sizeof *vcd->keys);
    vcd->found = calloc((size_t)1 << bits, sizeof *vcd->found);
    vcd->twin = calloc(count + 1, sizeof *vcd->twin);
    if (!vcd->keys || !vcd->found || !vcd->twin || !wave_pending_begin(&vcd->pending, sampler))
        return error_no_memory_while(error, reader->input.path, "reading");
    for (size_t i = 0; i < count; i++) {
        const uint64_t code = sampler->signals[i].handle;
        const int known = wave_vcd_find(vcd, code);
        vcd->twin[i] = -1;
        if (known >= 0) {
            vcd->twin[i] = vcd->twin[known];
            vcd->twin[known] = (int)i;
            continue;
        }
        size_t at = (size_t)(code * UINT64_C(0x9E3779B97F4A7C15) >> vcd->shift);
        while (vcd->keys[at]) at = (at + 1) & (((size_t)1 << bits) - 1);
        vcd->keys[at] = code;
        vcd->found[at] = (int)i;
    }
    return SPOOR_OK;
}

const struct wave_reader_kind wave_vcd = {wave_vcd_open, wave_vcd_begin, wave_vcd_step,
                                          wave_vcd_close};
