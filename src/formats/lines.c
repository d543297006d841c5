/* SPDX-License-Identifier: MIT */
/* lines.c: shared by the formats: lines, notes, verbatim printing, units of time, probes. */
#include <stdio.h>
#include <string.h>

#include "formats/format.h"
#include "formats/probe.h"
#include "formats/time_unit.h"
#include "model/batch_own.h"

bool line_next(const struct spoor_batch *batch, const char **at, struct line *line)
{
    const char *end = batch->text + batch->text_size;
    if (*at >= end) return false;
    const char *newline = memchr(*at, '\n', (size_t)(end - *at));
    line->begin = *at;
    line->end = newline ? newline : end;
    line->eol = newline ? 0 : SPOOR_EOL_NONE;
    if (newline && newline > line->begin && newline[-1] == '\r') {
        line->end--;
        line->eol = SPOOR_EOL_CRLF;
    }
    *at = newline ? newline + 1 : end;
    return true;
}

size_t line_mark(const char *text, size_t size)
{
    static const char mark[3] = {(char)0xEF, (char)0xBB, (char)0xBF};
    return size > sizeof mark && memcmp(text, mark, sizeof mark) == 0 ? sizeof mark : 0;
}

bool line_is_piece(const struct spoor_batch *batch, const struct line *line)
{
    return (batch->continues && line->begin == batch->text) ||
           (batch->unfinished && (line->eol & SPOOR_EOL_NONE));
}

static struct spoor_ref line_ref(const struct spoor_batch *batch, const struct line *line)
{
    return spoor_batch_refer(batch, line->begin, (size_t)(line->end - line->begin));
}

struct spoor_record *line_note(struct spoor_batch *batch, const struct line *line,
                               enum spoor_note_op op)
{
    struct spoor_record *record = spoor_batch_push(batch);
    record->kind = SPOOR_NOTE;
    record->op = (uint8_t)op;
    record->has = line->eol;
    record->note.text = line_ref(batch, line);
    return record;
}

void line_fault(struct spoor_batch *batch, const struct line *line, const char *rule,
                const char *column, const char *expected)
{
    line_note(batch, line, SPOOR_NOTE_UNKNOWN);
    uint32_t number = 0;
    struct spoor_ref found = line_ref(batch, line);
    if (column) {
        number = (uint32_t)(column - line->begin) + 1;
        found = spoor_batch_refer(batch, column, (size_t)(line->end - column));
    }
    batch_fault(batch, rule, number, expected, found);
}

void line_piece(struct spoor_batch *batch, const struct line *line)
{
    bool goes_on = batch->continues && line->begin == batch->text;
    if (goes_on)
        line_note(batch, line, SPOOR_NOTE_REST);
    else
        line_fault(batch, line, "line-length", NULL, "a line of at most 1 MiB");
}

char *put_eol(char *at, const struct spoor_record *record)
{
    if (record->has & SPOOR_EOL_NONE) return at;
    if (record->has & SPOOR_EOL_CRLF) *at++ = '\r';
    *at++ = '\n';
    return at;
}

bool put_verbatim(const struct spoor_batch *batch, size_t index, struct text *out)
{
    const struct spoor_record *record = &batch->records[index];
    struct spoor_ref ref;
    if (record->kind == SPOOR_NOTE)
        ref = record->note.text;
    else if (!(record->has & SPOOR_IS_VERBATIM) ||
             !spoor_batch_find_spill(batch, index, SPOOR_SPILL_LINE, &ref))
        return false;
    char *at = text_reserve(out, (size_t)ref.size + 2);
    if (at)
        text_commit(out, put_eol(put_bytes(at, spoor_batch_bytes(batch, ref), ref.size), record));
    return true;
}

static void lines_note_bytes(struct spoor_batch *batch, enum spoor_note_op op, size_t at,
                             size_t size)
{
    struct spoor_record *record = spoor_batch_push(batch);
    record->kind = SPOOR_NOTE;
    record->op = (uint8_t)op;
    record->note.text = spoor_batch_refer(batch, batch->text + at, size);
}

size_t header_bytes(struct spoor_batch *batch, uint32_t header_size)
{
    if (batch->offset > 0) return 0;
    const bool whole = batch->text_size >= header_size;
    const size_t size = whole ? header_size : batch->text_size;
    if (size) lines_note_bytes(batch, whole ? SPOOR_NOTE_HEADER : SPOOR_NOTE_TRAILING, 0, size);
    if (size && !whole)
        batch_fault(batch, "header", 0, "a whole header",
                    spoor_batch_refer(batch, batch->text, size));
    return size;
}

void trailing_bytes(struct spoor_batch *batch, uint32_t record_size)
{
    const uint32_t header_size = batch->offset ? 0 : batch->stream->format->header_size;
    if (batch->text_size < header_size) return;
    size_t stray = batch->last ? (batch->text_size - header_size) % record_size : 0;
    if (stray == 0) return;
    lines_note_bytes(batch, SPOOR_NOTE_TRAILING, batch->text_size - stray, stray);
    batch_fault(batch, "trailing-bytes", 0, "a whole record or the end",
                batch->records[batch->count - 1].note.text);
}

/* ---- the unit of time ---- */

const char *spoor_record_unit(const struct spoor_batch *batch, const struct spoor_record *record)
{
    if (record->spelling == SPOOR_NO_NAME) return batch->stream->format->time_unit;
    size_t size;
    const char *unit = spoor_names_text(batch->stream->spellings, record->spelling, &size);
    /* a spelling begins with its unit, NUL-padded: see SPELLING_UNIT_SIZE */
    return size >= SPELLING_UNIT_SIZE && !unit[SPELLING_UNIT_SIZE - 1] ? unit : "";
}

void time_unit_find(char unit[TIME_UNIT_SIZE], const struct spoor_batch *batch)
{
    for (size_t i = 0; !unit[0] && i < batch->count; i++) {
        const struct spoor_record *record = &batch->records[i];
        if (!(record->has & SPOOR_HAS_TIME)) continue;
        snprintf(unit, TIME_UNIT_SIZE, "%s", spoor_record_unit(batch, record));
        return;
    }
}

/* ---- the score of the first lines ---- */

/* An instruction of vectors in a commit log has an access for each element: 1,024 of them in 24
 * KiB. */
enum { LINES_TRIED = 256, LONGEST_LINE = 1 << 15, ZEROS_AFTER = 64 };

enum line_fit probe_line(const struct spoor_format *format, const uint8_t *line, size_t size)
{
    char copy[LONGEST_LINE + ZEROS_AFTER];
    if (size > 0 && line[size - 1] == '\r') size--;
    if (size > LONGEST_LINE) return LINE_MISFITS;
    memcpy(copy, line, size);
    memset(copy + size, 0, ZEROS_AFTER);
    return format->fit(format, copy, size);
}

static int probe_score(size_t fits, size_t misfits)
{
    if (fits == 0 || misfits * 9 > fits) return 0;
    if (misfits > 0) return 70;
    return fits == 1 ? 80 : 95;
}

int probe_lines(const struct spoor_format *format, const struct spoor_head *head)
{
    const uint8_t *at = head->bytes, *end = head->bytes + head->size;
    size_t count[LINE_FAILED + 1] = {0};
    for (size_t line = 0; line < LINES_TRIED && at < end; line++) {
        /* too many mismatches, even if all later lines match: most formats are rejected early */
        if (probe_score(count[LINE_FITS] + LINES_TRIED - line, count[LINE_MISFITS]) == 0) return 0;
        const uint8_t *newline = memchr(at, '\n', (size_t)(end - at));
        if (!newline && !head->whole) break; /* the head ends within this line */
        const uint8_t *line_end = newline ? newline : end;
        count[probe_line(format, at, (size_t)(line_end - at))]++;
        if (count[LINE_FAILED]) return PROBE_FAILED;
        at = newline ? newline + 1 : end;
    }
    return probe_score(count[LINE_FITS], count[LINE_MISFITS]);
}
