/* SPDX-License-Identifier: MIT */
/*
 * walk.c: [TTW|TTU] <side> <format> <stage>:<level> <address> {<data>} : <result> {<attr>=<value>}
 *
 * A walk that was ABORTED returned no data.
 */
#include "formats/tarmac/writing.h"

enum { PHYSICAL, ENTRY };

static const char *const results[SPOOR_WALK_RESULTS] = {
    [SPOOR_WALK_ABORTED] = "ABORTED",     [SPOOR_WALK_FAULT] = "FAULT",
    [SPOOR_WALK_RESERVED] = "RESERVED",   [SPOOR_WALK_TABLE] = "TABLE",
    [SPOOR_WALK_BLOCK] = "BLOCK",         [SPOOR_WALK_SUPERSECTION] = "SUPERSECTION",
    [SPOOR_WALK_SECTION] = "SECTION",     [SPOOR_WALK_PAGETABLE] = "PAGETABLE",
    [SPOOR_WALK_LARGEPAGE] = "LARGEPAGE", [SPOOR_WALK_SMALLPAGE] = "SMALLPAGE",
};

static bool read_step(struct reading *reading)
{
    struct spoor_walk *walk = &reading->record->walk;
    uint64_t stage, level;
    static const char expected[] = "<stage>:<level>";
    if (!reading_gap(reading) || !reading_decimal(reading, UINT8_MAX, &stage, expected) ||
        !reading_char(reading, ':', expected) ||
        !reading_decimal(reading, UINT8_MAX, &level, expected))
        return false;
    walk->stage = (uint8_t)stage;
    walk->level = (uint8_t)level;
    return true;
}

static bool read_entry(struct reading *reading)
{
    struct spoor_walk *walk = &reading->record->walk;
    if (!reading_gap(reading) ||
        !reading_hex(reading, PHYSICAL, &walk->pa, "a physical address in hexadecimal"))
        return false;
    walk->security = reading_security(reading);
    reading->record->has |= SPOOR_HAS_PA;
    if (slice_is(reading_peek(reading), ":")) return true;
    reading->record->has |= SPOOR_HAS_DATA;
    return reading_gap(reading) &&
           reading_hex(reading, ENTRY, &walk->entry, "a table entry in hexadecimal");
}

static bool read_result(struct reading *reading)
{
    struct spoor_walk *walk = &reading->record->walk;
    struct spoor_slice token;
    if (!reading_token(reading, &token, "the result of the walk")) return false;
    for (unsigned i = 0; i < SPOOR_WALK_RESULTS; i++)
        if (slice_is(token, results[i])) {
            walk->result = (uint8_t)i;
            return true;
        }
    reading->scan.at = token.bytes;
    return reading_fail(reading, "a result such as TABLE, BLOCK or FAULT");
}

bool walk_line_read(struct reading *reading)
{
    struct spoor_walk *walk = &reading->record->walk;
    if (!reading_name(reading, &walk->side, "the side of the walk") ||
        !reading_name(reading, &walk->table_format, "the format of the table") ||
        !read_step(reading) || !read_entry(reading) || !reading_gap(reading) ||
        !reading_char(reading, ':', "':' before the result") || !read_result(reading) ||
        !reading_rest(reading, &walk->attributes))
        return false;
    if (walk->attributes.size) reading->record->has |= SPOOR_HAS_EXTRA;
    return true;
}

bool walk_line_write(struct writing *writing)
{
    const struct spoor_walk *walk = &writing->record->walk;
    if (walk->result >= SPOOR_WALK_RESULTS) return false;
    writing_text(writing, writing->record->op == SPOOR_WALK_READ ? "TTW" : "TTU");
    writing_word_name(writing, walk->side);
    writing_word_name(writing, walk->table_format);
    writing_gap(writing);
    writing_decimal(writing, walk->stage);
    writing_char(writing, ':');
    writing_decimal(writing, walk->level);
    writing_gap(writing);
    writing_hex(writing, PHYSICAL, walk->pa, 12);
    writing_security(writing, walk->security);
    if (writing->record->has & SPOOR_HAS_DATA) {
        writing_gap(writing);
        writing_hex(writing, ENTRY, walk->entry, 16);
    }
    writing_word(writing, ":");
    writing_word(writing, results[walk->result]);
    writing_word_ref(writing, walk->attributes);
    return true;
}
