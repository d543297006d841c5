/* SPDX-License-Identifier: MIT */
/*
 * cache.c: CACHE <id> LINE <line> <operation> 0x<paddr>{_NS}
 *          CACHE MAINTENANCE ...: see maintenance.c
 */
#include "formats/tarmac/writing.h"

enum { LINE_NUMBER, PHYSICAL };

static const char *const operations[SPOOR_CACHE_OPS] = {
    [SPOOR_CACHE_ALLOC] = "ALLOC", [SPOOR_CACHE_INVAL] = "INVAL", [SPOOR_CACHE_DIRTY] = "DIRTY",
    [SPOOR_CACHE_CLEAN] = "CLEAN", [SPOOR_CACHE_FILL] = "FILL",   [SPOOR_CACHE_EVICT] = "EVICT",
};

static bool read_operation(struct reading *reading)
{
    struct spoor_slice token;
    static const char expected[] = "ALLOC, INVAL, DIRTY, CLEAN, FILL or EVICT";
    if (!reading_token(reading, &token, expected)) return false;
    for (unsigned i = 0; i < SPOOR_CACHE_OPS; i++)
        if (slice_is(token, operations[i])) {
            reading->record->op = (uint8_t)i;
            return true;
        }
    reading->scan.at = token.bytes;
    return reading_fail(reading, expected);
}

bool cache_line_read(struct reading *reading)
{
    struct spoor_cacheline *cache = &reading->record->cache;
    struct spoor_slice id, word;
    if (!reading_token(reading, &id, "MAINTENANCE or the name of a cache")) return false;
    if (slice_is(id, "MAINTENANCE")) return maintenance_line_read(reading);
    if (!reading_intern(reading, id, &cache->unit) || !reading_token(reading, &word, "LINE"))
        return false;
    if (!slice_is(word, "LINE")) {
        reading->scan.at = word.bytes;
        return reading_fail(reading, "LINE");
    }
    if (!reading_gap(reading) ||
        !reading_hex(reading, LINE_NUMBER, &cache->line, "the line's number in hexadecimal") ||
        !read_operation(reading) ||
        !reading_physical(reading, PHYSICAL, &cache->pa, &cache->security))
        return false;
    reading->record->has |= SPOOR_HAS_PA;
    return true;
}

bool cache_line_write(struct writing *writing)
{
    const struct spoor_cacheline *cache = &writing->record->cache;
    if (writing->record->op >= SPOOR_CACHE_OPS) return false;
    writing_text(writing, "CACHE");
    writing_word_name(writing, cache->unit);
    writing_word(writing, "LINE");
    writing_gap(writing);
    writing_hex(writing, LINE_NUMBER, cache->line, 4);
    writing_word(writing, operations[writing->record->op]);
    writing_gap(writing);
    writing_physical(writing, PHYSICAL, cache->pa, cache->security);
    return true;
}
