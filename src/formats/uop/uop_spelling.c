/* SPDX-License-Identifier: MIT */
/*
 * uop_spelling.c: interns the blanks between the fields of a micro-op.
 *
 * A spelling is the (empty) unit of time and then the fifteen gaps, each ended by a zero byte.
 * Spelling 0 is the course's printf, whose gaps follow from the widths of the fields.
 */
#include "formats/uop/uop.h"

const uint8_t uop_widths[UOP_FIELDS] = {
    [UOP_SRC1] = 2,     [UOP_SRC2] = 2,  [UOP_DEST] = 2,    [UOP_IMMEDIATE] = 9,
    [UOP_ADDRESS] = 12, [UOP_FALL] = 12, [UOP_TARGET] = 12, [UOP_MACRO] = 8,
};

static const char *gap_begin(const struct uop_line *line, unsigned gap)
{
    return gap == 0 ? line->start : uop_end(line, gap - 1);
}

static const char *gap_end(const struct uop_line *line, unsigned gap)
{
    return gap == UOP_FIELDS ? line->stop : uop_begin(line, gap);
}

static size_t gap_size(const struct uop_line *line, unsigned gap)
{
    return (size_t)(gap_end(line, gap) - gap_begin(line, gap));
}

static size_t padding(const struct uop_line *line, unsigned field)
{
    const size_t size = (size_t)(uop_end(line, field) - uop_begin(line, field));
    return size < uop_widths[field] ? uop_widths[field] - size : 0;
}

/* The two common spellings have no blanks at the ends, and no tabs. */
static bool may_be_common(const struct uop_line *line)
{
    return !line->tabs && gap_size(line, 0) == 0 && gap_size(line, UOP_FIELDS) == 0;
}

static bool is_padded(const struct uop_line *line)
{
    for (unsigned field = 1; field < UOP_MACRO; field++)
        if (gap_size(line, field) != 1 + padding(line, field)) return false;
    return gap_size(line, UOP_MACRO) == 1 &&
           gap_size(line, UOP_MICRO) == 1 + padding(line, UOP_MACRO);
}

static bool is_single(const struct uop_line *line)
{
    for (unsigned gap = 1; gap < UOP_FIELDS; gap++)
        if (gap_size(line, gap) != 1) return false;
    return true;
}

/* Returns the size, or 0 if the gaps are too long for a spelling. */
static size_t encode(const struct uop_line *line, char bytes[LONGEST_SPELLING])
{
    memset(bytes, 0, SPELLING_UNIT_SIZE);
    size_t used = SPELLING_UNIT_SIZE;
    for (unsigned gap = 0; gap <= UOP_FIELDS; gap++) {
        const char *begin = gap_begin(line, gap);
        const size_t size = (size_t)(gap_end(line, gap) - begin);
        if (size >= LONGEST_SPELLING - used) return 0;
        memcpy(bytes + used, begin, size);
        used += size;
        bytes[used++] = '\0';
    }
    return used;
}

static spoor_name intern(const struct decoder *decoder, struct uop_spellings *spellings,
                         const struct uop_line *line)
{
    char bytes[LONGEST_SPELLING];
    const size_t size = encode(line, bytes);
    if (size == 0) return SPOOR_NAMES_FULL;
    if (size == spellings->last_size && memcmp(bytes, spellings->last_bytes, size) == 0)
        return spellings->last;
    const spoor_name name = spoor_names_intern(decoder->spellings, bytes, size);
    if (name == SPOOR_NAMES_FULL) return name;
    memcpy(spellings->last_bytes, bytes, size);
    spellings->last_size = size;
    spellings->last = name;
    return name;
}

spoor_name uop_spelling(const struct decoder *decoder, struct uop_spellings *spellings,
                        const struct uop_line *line)
{
    const bool common = may_be_common(line);
    if (common && is_padded(line)) return SPOOR_NO_NAME;
    const bool single = common && is_single(line);
    if (single && spellings->single != SPOOR_NO_NAME) return spellings->single;
    const spoor_name name = intern(decoder, spellings, line);
    if (single && name != SPOOR_NAMES_FULL) spellings->single = name;
    return name;
}
