/* SPDX-License-Identifier: MIT */
/* probe.c: test a line rule on the first lines of a trace. */
#include "formats/probe.h"

#include <string.h>

#include "formats/format.h"

enum { LINES_TRIED = 256, LONGEST_LINE = 512, ZEROS_AFTER = 64 };

static enum line_fit try_line(const uint8_t *line, size_t size,
                              enum line_fit (*fit)(const char *, size_t))
{
    char copy[LONGEST_LINE + ZEROS_AFTER] = {0};
    if (size > 0 && line[size - 1] == '\r') size--;
    if (size > LONGEST_LINE) return LINE_MISFITS;
    memcpy(copy, line, size);
    return fit(copy, size);
}

static int score(size_t fits, size_t misfits)
{
    if (fits == 0 || misfits * 9 > fits) return 0;
    if (misfits > 0) return 70;
    return fits == 1 ? 80 : 95;
}

int probe_lines(const struct spoor_head *head, enum line_fit (*fit)(const char *line, size_t size))
{
    const uint8_t *at = head->bytes, *end = head->bytes + head->size;
    size_t count[LINE_FAILED + 1] = {0};
    for (size_t line = 0; line < LINES_TRIED && at < end; line++) {
        /* too many mismatches, even if all later lines match: most formats are rejected early */
        if (score(count[LINE_FITS] + LINES_TRIED - line, count[LINE_MISFITS]) == 0) return 0;
        const uint8_t *newline = memchr(at, '\n', (size_t)(end - at));
        if (!newline && !head->whole) break; /* the head ends within this line */
        const uint8_t *line_end = newline ? newline : end;
        count[try_line(at, (size_t)(line_end - at), fit)]++;
        if (count[LINE_FAILED]) return PROBE_FAILED;
        at = newline ? newline + 1 : end;
    }
    return score(count[LINE_FITS], count[LINE_MISFITS]);
}
