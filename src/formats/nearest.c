/* SPDX-License-Identifier: MIT */
/*
 * nearest.c: for bytes that no format matches, the format that matches most of them, and the first
 * place where it does not.
 *
 * The format itself decodes the bytes, so that what does not fit is said as in any other trace.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/format.h"
#include "formats/probe.h"
#include "model/batch_own.h"
#include "spoor/format.h"

enum {
    TRIED_BYTES = 16 << 10,
    PADDING = 64,
    WORDS = 160,
    LEAST_LINES = 20, /* per cent: fewer lines than these are chance */
    LEAST_REACH = 50, /* per cent of a line: less of one is chance */
    LEAST_RECORDS = 50
};

struct nearness {
    const struct spoor_format *format;
    int score;         /* lines or records that fit, of 100 */
    int alone;         /* text: the score of the first line that fits, by itself, of 100 */
    int reach;         /* text: what of the first line that does not fit was decoded, of 100 */
    char words[WORDS]; /* where it does not fit */
};

/* A line, from 0, without its end. */
static struct spoor_slice nearest_line_at(const struct spoor_batch *batch, size_t line)
{
    const char *at = batch->text, *const end = batch->text + batch->text_size;
    for (; line > 0 && at < end; line--) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        at = newline ? newline + 1 : end;
    }
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    return (struct spoor_slice){at, (size_t)((newline ? newline : end) - at)};
}

/* Sets the share of lines that the format recognises, of all that are neither blank nor a comment,
 * and what it says of the first that it does not. */
static void nearest_try_lines(const struct spoor_head *head, struct nearness *nearness)
{
    const struct spoor_format *format = nearness->format;
    void *state = NULL;
    struct spoor_stream stream = {
        .path = "", .names = spoor_names_new(), .spellings = spoor_names_new()};
    const struct decoder decoder = {
        .names = stream.names, .spellings = stream.spellings, .state = &state};
    struct spoor_batch batch = {.stream = &stream, .line = 1, .last = head->whole};
    batch.text = calloc(1, head->size + PADDING);
    if (stream.names && stream.spellings && batch.text) {
        memcpy(batch.text, head->bytes, head->size);
        batch.text_size = head->size;
        spoor_stream_set_format(&stream, format);
        format_decode(format, &decoder, NULL, &batch);
        if (format->multi_record) batch_number(&batch);
        size_t fits = 0, all = 0, first = batch.count;
        for (size_t i = 0; i < batch.count; i++) {
            const struct spoor_record *record = &batch.records[i];
            const bool unknown = record->kind == SPOOR_NOTE && record->op == SPOOR_NOTE_UNKNOWN;
            if (record->kind != SPOOR_NOTE && first == batch.count) first = i;
            if (record->has & SPOOR_CONTINUES) continue;
            /* any words may be an event (perf), so that one without a time shows nothing */
            const bool words = record->kind == SPOOR_EVENT && !(record->has & SPOOR_HAS_TIME);
            all += unknown || record->kind != SPOOR_NOTE;
            fits += record->kind != SPOOR_NOTE && !words;
        }
        nearness->score = all ? (int)(100 * fits / all) : 0;
        if (first < batch.count) {
            /* where two formats fit as many lines, the one that says more of the first is nearer */
            const struct spoor_slice line =
                nearest_line_at(&batch, spoor_batch_place(&batch, first));
            const struct spoor_head alone = {(const uint8_t *)line.bytes, line.size, true};
            nearness->alone = spoor_format_probe(nearness->format, &alone);
        }
        if (batch.fault_count) {
            char found[SPOOR_FOUND_CAPACITY];
            const struct spoor_fault *fault = &batch.faults[0];
            const size_t line = spoor_batch_place(&batch, fault->record);
            const size_t length = nearest_line_at(&batch, line).size;
            if (fault->column && length && fault->column <= length + 1)
                nearness->reach = (int)(100 * (fault->column - 1) / length);
            snprintf(nearness->words, WORDS, "in line %zu found %.60s, expected %.60s", line + 1,
                     spoor_fault_found(&batch, fault, found), fault->expected);
        }
    }
    free(state);
    spoor_batch_free(&batch);
    spoor_names_free(stream.names);
    spoor_names_free(stream.spellings);
}

/* True if the format reads all lines, of which some say no more than it reads. */
static bool nearest_is_loose(const struct nearness *nearness, const struct spoor_head *head)
{
    if (nearness->score < 100 || nearness->words[0] || !nearness->format->fit) return false;
    const uint8_t *at = head->bytes, *const end = at + head->size;
    while (at < end) {
        const uint8_t *newline = memchr(at, '\n', (size_t)(end - at));
        const uint8_t *line_end = newline ? newline : end;
        if (probe_line(nearness->format, at, (size_t)(line_end - at)) == LINE_FITS) return true;
        at = newline ? newline + 1 : end;
    }
    return false;
}

void format_nearest(const struct spoor_head *head, char *text, size_t capacity)
{
    struct spoor_head some = *head;
    bool lines = true; /* no control characters but white space */
    for (size_t i = 0; i < head->size && lines; i++)
        lines = head->bytes[i] >= ' ' || (head->bytes[i] >= '\t' && head->bytes[i] <= '\r');
    if (lines && some.size > TRIED_BYTES) {
        some.size = TRIED_BYTES;
        some.whole = false;
        while (some.size > 0 && some.bytes[some.size - 1] != '\n') some.size--;
    }
    struct nearness nearest = {.score = lines ? LEAST_LINES - 1 : LEAST_RECORDS - 1};
    struct nearness furthest = {.reach = LEAST_REACH - 1}; /* where no lines fit */
    struct nearness loose = {.score = 0};
    for (size_t i = 0; i < spoor_format_count(); i++) {
        const struct spoor_format *format = spoor_format_at(i);
        struct nearness nearness = {.format = format};
        if (!spoor_format_reads(format) || format->container) continue;
        /* Records that are several (ChampSim) have too few signs; their `resembles` knows more. */
        const bool lone =
            format->record_size > 1 && format->header_size == 0 && !format->multi_record;
        if (lines && format->record_size == 0) {
            nearest_try_lines(&some, &nearness);
        } else if (!lines && lone) {
            const size_t size = format->record_size, count = some.size / size;
            size_t fits = 0, first = count;
            for (size_t k = 0; k < count; k++) {
                const struct spoor_head record = {some.bytes + k * size, size, true};
                const bool fit = spoor_format_probe(format, &record) > 0;
                fits += fit;
                if (!fit && first == count) first = k;
            }
            nearness.score = count ? (int)(100 * fits / count) : 0;
            if (first < count)
                snprintf(nearness.words, WORDS, "record %zu, at byte %zu, is none of it", first,
                         first * size);
            else if (some.size % size)
                snprintf(nearness.words, WORDS, "%zu bytes at the end are no whole record",
                         some.size % size);
        }
        const bool more =
            nearness.score > nearest.score ||
            (nearness.score == nearest.score && nearest.format && nearness.alone > nearest.alone);
        if (nearness.words[0] && more) nearest = nearness;
        /* a description of words takes most of any line */
        if (nearness.reach > furthest.reach && !format_is_described(format)) furthest = nearness;
        if (lines && !loose.format && nearest_is_loose(&nearness, &some)) loose = nearness;
    }
    if (!nearest.format && loose.format) {
        nearest = loose;
        snprintf(nearest.words, WORDS, "its lines say more than it reads");
    }
    if (!nearest.format) nearest = furthest;
    if (!nearest.format) return;
    snprintf(text, capacity, ": the nearest is %s (%d of 100), but %s", nearest.format->name,
             nearest.score, nearest.words);
}
