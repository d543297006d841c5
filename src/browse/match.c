/* SPDX-License-Identifier: MIT */
/* match.c: rows that contain a text or satisfy an expression, and the search for them. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/regex.h"
#include "browse/internal.h"

/* ---- regular expressions ---- */

/* Finds the longest text that each match of a regular expression contains: ordinary characters
 * outside parentheses and brackets.  "": none. */
static void matcher_find_needed(const char *expression, char needed[WORDS])
{
    static const char special[] = "\\.*+?{}[]()^$";
    static const char alone[] = "dDsSwWhHvVNRXbBAzZGQEKnrtfea"; /* letters after which nothing
                                                                 * belongs to the backslash */
    size_t size = 0, longest = 0;
    char run[WORDS];
    if (strchr(expression, '|')) return;
    for (const char *at = expression;; at++) {
        const bool escaped = *at == '\\' && at[1] && strchr(special, at[1]);
        if (escaped) at++;
        if (*at && (escaped || !strchr(special, *at))) {
            run[size++] = *at;
            continue;
        }
        if (size && (*at == '*' || *at == '?' || *at == '{')) /* the last character is optional */
            while (--size && (run[size] & 0xC0) == 0x80) continue;
        if (size > longest) {
            memcpy(needed, run, size);
            needed[longest = size] = '\0';
        }
        size = 0;
        if (!*at || strchr("([{", *at)) return; /* parts after it would need a parser */
        if (*at == '\\' && (!*++at || (isalnum((unsigned char)*at) && !strchr(alone, *at)))) return;
    }
}

/* ---- parsing and matching ---- */

bool matcher_parse(struct matcher *matcher, const char *words, struct spoor_error *error)
{
    struct matcher parsed = {0};
    if (strlen(words) >= sizeof parsed.words) {
        spoor_error_set(error, SPOOR_EUSAGE, "found %zu bytes, expected at most %d", strlen(words),
                        WORDS - 1);
        return false;
    }
    strcpy(parsed.words, words);
    if (words[0] == '=') {
        if (spoor_select_compile(&parsed.select, words + 1, error) != SPOOR_OK) return false;
    } else if (words[0] == '~') {
        char expected[REGEX_REASON];
        parsed.regex = regex_new(words + 1, strlen(words + 1), expected);
        if (!parsed.regex) {
            if (*expected)
                spoor_error_set(error, SPOOR_EUSAGE, "found '%s', expected %s", words + 1,
                                expected);
            else
                spoor_error_set(error, SPOOR_ENOMEM, "out of memory");
            return false;
        }
        matcher_find_needed(words + 1, parsed.text);
    } else {
        strcpy(parsed.text, words + (words[0] == '\\' && (words[1] == '=' || words[1] == '~')));
    }
    matcher_free(matcher);
    *matcher = parsed;
    return true;
}

void matcher_free(struct matcher *matcher)
{
    spoor_select_free(matcher->select);
    regex_free(matcher->regex);
    *matcher = (struct matcher){0};
}

bool matcher_failed(const struct matcher *matcher, struct spoor_error *error)
{
    char expected[REGEX_REASON];
    if (matcher->select) return spoor_select_status(matcher->select, error) != SPOOR_OK;
    if (!matcher->regex || !regex_failed(matcher->regex, expected)) return false;
    spoor_error_set(error, SPOOR_EUSAGE, "found '%s', expected %s", matcher->words + 1,
                    *expected ? expected : "more memory");
    return true;
}

bool matcher_is_given(const struct matcher *matcher)
{
    return matcher->words[0] != '\0';
}

bool matcher_find(const struct matcher *matcher, const char *bytes, size_t size, size_t from,
                  size_t *begin, size_t *end)
{
    if (from > size || matcher->select || !bytes) return false;
    if (matcher->regex) return regex_find(matcher->regex, bytes, size, from, begin, end);
    const size_t length = strlen(matcher->text);
    const char *found = length ? memmem(bytes + from, size - from, matcher->text, length) : NULL;
    if (!found) return false;
    *begin = (size_t)(found - bytes);
    *end = *begin + length;
    return true;
}

bool matcher_matches(struct view *view, const struct matcher *matcher,
                     const struct spoor_listing_row *row)
{
    struct spoor_error error = {0};
    bool matches = false;
    size_t begin, end, size;
    if (matcher->select) {
        for (size_t i = 0; i < row->count && !matches; i++)
            matches = spoor_select_match(matcher->select, row->batch, row->index + i);
    } else {
        const char *text = spoor_listing_text(view->listing, row, &size);
        matches = text && matcher_find(matcher, text, size, 0, &begin, &end);
    }
    if (matches || !matcher_failed(matcher, &error)) return matches;
    say_error(view->browser, "%s", error.text);
    return true;
}

/* Leaves segments that cannot match, as the index shows; *offset moves.  SPOOR_END: no further one.
 */
static enum spoor_status matcher_skip_segments(struct view *view, const struct matcher *matcher,
                                               bool forwards, uint64_t *offset)
{
    const struct spoor_skipper_options selection = {.struct_size = sizeof selection,
                                                    .where = matcher->select};
    while (view->index) {
        if (forwards ? *offset >= spoor_listing_size(view->listing) : *offset == 0)
            return SPOOR_END;
        const uint64_t byte = forwards ? *offset : *offset - 1;
        size_t number = 0, high = spoor_index_segment_count(view->index);
        while (number + 1 < high) {
            const size_t middle = number + (high - number) / 2;
            if (view_segment(view, middle).offset <= byte)
                number = middle;
            else
                high = middle;
        }
        const struct spoor_segment segment = view_segment(view, number);
        if (spoor_index_may_select(view->index, number, &selection)) break;
        *offset = forwards ? segment.offset + segment.bytes : segment.offset;
    }
    return SPOOR_OK;
}

/* Searches the bytes of the batch of *row from it on, or before its end: true if *row is a match,
 * else the search goes on at *offset. */
static bool matcher_step_by_bytes(struct view *view, const struct matcher *matcher,
                                  uint64_t *offset, bool forwards, struct spoor_listing_row *row)
{
    const struct spoor_listing_row from = *row;
    const struct spoor_batch *batch = from.batch;
    const size_t before = (size_t)(from.text - batch->text);
    const size_t after = before + (size_t)(from.end - from.offset);
    const size_t length = strlen(matcher->text);
    const size_t size = after <= batch->text_size ? after : batch->text_size;
    const char *found = NULL;
    if (forwards) found = memmem(from.text, batch->text_size - before, matcher->text, length);
    /* The last place of the text: from the end, in windows that grow. */
    for (size_t window = 1024, end = forwards ? 0 : size; end > 0 && !found;) {
        const size_t begin = end > window ? end - window : 0;
        const size_t limit = size - end < length ? size : end + length - 1;
        const char *at = batch->text + begin;
        while ((at = memmem(at, (size_t)(batch->text + limit - at), matcher->text, length)) != NULL)
            found = at++;
        end = begin;
        if (window < 64 << 10) window *= 2;
    }
    uint64_t next = forwards ? batch->offset + batch->text_size : batch->offset;
    struct spoor_error error = {0};
    if (found &&
        spoor_listing_at(view->listing, batch->offset + (uint64_t)(found - batch->text), row,
                         &error) == SPOOR_OK &&
        (forwards || row->offset < *offset)) {
        if (!matcher->regex || matcher_matches(view, matcher, row)) return true;
        next = forwards ? row->end : row->offset;
    }
    *offset = forwards && next <= *offset ? from.end : next;
    return false;
}

enum spoor_status matcher_seek(struct view *view, const struct matcher *matcher, uint64_t offset,
                               bool forwards, struct spoor_listing_row *row)
{
    struct spoor_error error = {0};
    const struct spoor_stream *stream = spoor_listing_stream(view->listing);
    const bool by_bytes =
        matcher->text[0] && !stream->container && !spoor_format_record_size(stream->format);
    for (unsigned long i = 0;; i++) {
        enum spoor_status status = SPOOR_OK;
        if (matcher->select && i % 64 == 0)
            status = matcher_skip_segments(view, matcher, forwards, &offset);
        if (status != SPOOR_OK) return status;
        status = forwards ? spoor_listing_at(view->listing, offset, row, &error)
                          : spoor_listing_before(view->listing, offset, row, &error);
        if (status != SPOOR_OK) return status;
        if (by_bytes ? matcher_step_by_bytes(view, matcher, &offset, forwards, row)
                     : matcher_matches(view, matcher, row))
            return SPOOR_OK;
        if (!by_bytes) offset = forwards ? row->end : row->offset;
        if ((by_bytes || i % 1024 == 1023) &&
            !work_goes_on(view->browser, offset, spoor_listing_size(view->listing)))
            return SPOOR_END;
    }
}
