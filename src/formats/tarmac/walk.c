/* SPDX-License-Identifier: MIT */
/*
 * walk.c: [TTW|TTU] <side> <format> <stage>:<level> <address> {<data>} : <result> {<attr>=<value>}
 *
 * A walk that was ABORTED returned no data.
 */
#include "formats/tarmac/writer.h"

enum { PHYSICAL, ENTRY };

static const char *const results[SPOOR_WALK_RESULTS] = {
    [SPOOR_WALK_ABORTED] = "ABORTED",     [SPOOR_WALK_FAULT] = "FAULT",
    [SPOOR_WALK_RESERVED] = "RESERVED",   [SPOOR_WALK_TABLE] = "TABLE",
    [SPOOR_WALK_BLOCK] = "BLOCK",         [SPOOR_WALK_SUPERSECTION] = "SUPERSECTION",
    [SPOOR_WALK_SECTION] = "SECTION",     [SPOOR_WALK_PAGETABLE] = "PAGETABLE",
    [SPOOR_WALK_LARGEPAGE] = "LARGEPAGE", [SPOOR_WALK_SMALLPAGE] = "SMALLPAGE",
};

bool walk_line_read(struct tarmac_reader *reader)
{
    static const char step_expected[] = "<stage>:<level>";
    struct spoor_record *record = reader->record;
    struct spoor_walk *walk = &record->walk;
    struct spoor_slice token;
    uint64_t stage, level;
    if (!tarmac_read_name(reader, &walk->side, "the side of the walk") ||
        !tarmac_read_name(reader, &walk->table_format, "the format of the table") ||
        !tarmac_read_gap(reader) ||
        !tarmac_read_decimal(reader, UINT8_MAX, &stage, step_expected) ||
        !tarmac_read_char(reader, ':', step_expected) ||
        !tarmac_read_decimal(reader, UINT8_MAX, &level, step_expected) ||
        !tarmac_read_gap(reader) ||
        !tarmac_read_hex(reader, PHYSICAL, &walk->pa, "a physical address in hexadecimal"))
        return false;
    walk->stage = (uint8_t)stage;
    walk->level = (uint8_t)level;
    walk->security = tarmac_read_security(reader);
    record->has |= SPOOR_HAS_PA;
    if (!slice_is(tarmac_peek(reader), ":")) {
        record->has |= SPOOR_HAS_DATA;
        if (!tarmac_read_gap(reader) ||
            !tarmac_read_hex(reader, ENTRY, &walk->entry, "a table entry in hexadecimal"))
            return false;
    }
    if (!tarmac_read_gap(reader) || !tarmac_read_char(reader, ':', "':' before the result") ||
        !tarmac_read_token(reader, &token, "the result of the walk"))
        return false;
    unsigned result = 0;
    while (result < SPOOR_WALK_RESULTS && !slice_is(token, results[result])) result++;
    if (result == SPOOR_WALK_RESULTS) {
        reader->scan.at = token.bytes;
        return tarmac_fail(reader, "a result such as TABLE, BLOCK or FAULT");
    }
    walk->result = (uint8_t)result;
    if (!tarmac_read_rest(reader, &walk->attributes)) return false;
    if (walk->attributes.size) record->has |= SPOOR_HAS_EXTRA;
    return true;
}

bool walk_line_write(struct tarmac_writer *writer)
{
    const struct spoor_walk *walk = &writer->record->walk;
    if (walk->result >= SPOOR_WALK_RESULTS) return false;
    tarmac_write_text(writer, writer->record->op == SPOOR_WALK_READ ? "TTW" : "TTU");
    tarmac_write_word_name(writer, walk->side);
    tarmac_write_word_name(writer, walk->table_format);
    tarmac_write_gap(writer);
    tarmac_write_decimal(writer, walk->stage);
    tarmac_write_char(writer, ':');
    tarmac_write_decimal(writer, walk->level);
    tarmac_write_gap(writer);
    tarmac_write_hex(writer, PHYSICAL, walk->pa, 12);
    tarmac_write_security(writer, walk->security);
    if (writer->record->has & SPOOR_HAS_DATA) {
        tarmac_write_gap(writer);
        tarmac_write_hex(writer, ENTRY, walk->entry, 16);
    }
    tarmac_write_word(writer, ":");
    tarmac_write_word(writer, results[walk->result]);
    tarmac_write_word_ref(writer, walk->attributes);
    return true;
}
