/* SPDX-License-Identifier: MIT */
/*
 * cache.c: CACHE <id> LINE <line> <operation> 0x<paddr>{_NS}
 *          CACHE MAINTENANCE <side> <operation> <scope> <data> {<pagesize> <memtype>}
 */
#include "base/ascii.h"
#include "formats/tarmac/writer.h"

enum { LINE_NUMBER, PHYSICAL, MAINTAINED = 0, FEWEST_DIGITS = 4 };

static const char *const operations[SPOOR_CACHE_OPS] = {
    [SPOOR_CACHE_ALLOC] = "ALLOC", [SPOOR_CACHE_INVAL] = "INVAL", [SPOOR_CACHE_DIRTY] = "DIRTY",
    [SPOOR_CACHE_CLEAN] = "CLEAN", [SPOOR_CACHE_FILL] = "FILL",   [SPOOR_CACHE_EVICT] = "EVICT",
};

bool cache_line_read(struct tarmac_reader *reader)
{
    static const char expected[] = "ALLOC, INVAL, DIRTY, CLEAN, FILL or EVICT";
    struct spoor_cacheline *cache = &reader->record->cache;
    struct spoor_slice id, word;
    if (!tarmac_read_token(reader, &id, "MAINTENANCE or the name of a cache")) return false;
    if (slice_is(id, "MAINTENANCE")) return maintenance_line_read(reader);
    if (!tarmac_intern(reader, id, &cache->unit) || !tarmac_read_token(reader, &word, "LINE"))
        return false;
    if (!slice_is(word, "LINE")) {
        reader->scan.at = word.bytes;
        return tarmac_fail(reader, "LINE");
    }
    if (!tarmac_read_gap(reader) ||
        !tarmac_read_hex(reader, LINE_NUMBER, &cache->line, "the line's number in hexadecimal") ||
        !tarmac_read_token(reader, &word, expected))
        return false;
    unsigned op = 0;
    while (op < SPOOR_CACHE_OPS && !slice_is(word, operations[op])) op++;
    if (op == SPOOR_CACHE_OPS) {
        reader->scan.at = word.bytes;
        return tarmac_fail(reader, expected);
    }
    reader->record->op = (uint8_t)op;
    if (!tarmac_read_physical(reader, PHYSICAL, &cache->pa, &cache->security)) return false;
    reader->record->has |= SPOOR_HAS_PA;
    return true;
}

bool cache_line_write(struct tarmac_writer *writer)
{
    const struct spoor_cacheline *cache = &writer->record->cache;
    if (writer->record->op >= SPOOR_CACHE_OPS) return false;
    tarmac_write_text(writer, "CACHE");
    tarmac_write_word_name(writer, cache->unit);
    tarmac_write_word(writer, "LINE");
    tarmac_write_gap(writer);
    tarmac_write_hex(writer, LINE_NUMBER, cache->line, 4);
    tarmac_write_word(writer, operations[writer->record->op]);
    tarmac_write_gap(writer);
    tarmac_write_text(writer, "0x");
    tarmac_write_hex(writer, PHYSICAL, cache->pa, 12);
    tarmac_write_security(writer, cache->security);
    return true;
}

/* ---- maintenance ----
 *
 * The document does not define the values of side, operation and scope, and real ones have several
 * words ("Instruction and Data cache" "Invalidate" "All to PoU").  The data separates them from the
 * rest: it is the first word of at least four hexadecimal digits.  Words that name a side are the
 * side, words that name an operation the operation, and the others the scope. */

static const char *const sides[] = {"D",       "I",       "U",     "Data",   "Instruction",
                                    "Unified", "and",     "cache", "ICache", "DCache",
                                    "I-cache", "D-cache", NULL};
static const char *const actions[] = {"Clean", "Invalidate",       "and",   "&", "or",
                                      "Zero",  "Clean+Invalidate", "Flush", NULL};

/* Reads words up to the data, as long as they are in `list` (NULL: all), as one name with its inner
 * spaces.  With a `minimum` of 1 it reads the next word even if it is not in the list. */
static bool maintenance_read_words(struct tarmac_reader *reader, const char *const *list,
                                   unsigned minimum, spoor_name *name)
{
    struct spoor_slice words = {NULL, 0};
    for (;;) {
        const struct spoor_slice next = tarmac_peek(reader);
        const char *colon = memchr(next.bytes, ':', next.size);
        const size_t digits = colon ? (size_t)(colon - next.bytes) : next.size;
        if (next.size == 0 ||
            (digits >= FEWEST_DIGITS && slice_is_hex((struct spoor_slice){next.bytes, digits})))
            break;
        bool wanted = !list || (!words.bytes && minimum);
        for (size_t i = 0; !wanted && list[i]; i++)
            wanted = strlen(list[i]) == next.size &&
                     ascii_compare_some(list[i], next.bytes, next.size) == 0;
        if (!wanted) break;
        if (!words.bytes) {
            if (!tarmac_read_gap(reader)) return false;
            words.bytes = next.bytes;
        }
        reader->scan.at = next.bytes + next.size;
        words.size = (size_t)(reader->scan.at - words.bytes);
    }
    return !words.bytes || tarmac_intern(reader, words, name);
}

bool maintenance_line_read(struct tarmac_reader *reader)
{
    struct spoor_record *record = reader->record;
    struct spoor_cacheop *op = &record->cacheop;
    struct spoor_ref type = {0, 0};
    struct address address;
    record->kind = SPOOR_CACHEOP;
    record->op = 0;
    if (!maintenance_read_words(reader, sides, 1, &op->side) ||
        !maintenance_read_words(reader, actions, 1, &op->operation) ||
        !maintenance_read_words(reader, NULL, 0, &op->scope))
        return false;
    if (!tarmac_more(reader)) return tarmac_fail(reader, "an address or data in hexadecimal");
    if (!tarmac_read_gap(reader) || !tarmac_read_address(reader, MAINTAINED, &address))
        return false;
    if (tarmac_more(reader) && (!tarmac_read_name(reader, &op->region, "a region size") ||
                                !tarmac_read_rest(reader, &type)))
        return false;
    const struct spoor_slice bytes = {spoor_batch_bytes(reader->batch, type), type.size};
    if (type.size && !tarmac_intern(reader, bytes, &op->memory_type)) return false;
    op->va = address.va;
    op->pa = address.pa;
    op->security = address.security;
    const char *scope = spoor_names_text(reader->decoder->names, op->scope, NULL);
    const bool by_address =
        address.has_pa || op->region || strstr(scope, "MVA") || strstr(scope, " VA");
    record->has |= by_address ? SPOOR_HAS_VA : SPOOR_HAS_DATA;
    if (address.has_pa) record->has |= SPOOR_HAS_PA;
    return true;
}

bool maintenance_line_write(struct tarmac_writer *writer)
{
    const struct spoor_cacheop *op = &writer->record->cacheop;
    struct address address = {op->va, op->pa, op->security, writer->record->has & SPOOR_HAS_PA};
    tarmac_write_text(writer, "CACHE");
    tarmac_write_word(writer, "MAINTENANCE");
    if (op->side) tarmac_write_word_name(writer, op->side);
    if (op->operation) tarmac_write_word_name(writer, op->operation);
    if (op->scope) tarmac_write_word_name(writer, op->scope);
    tarmac_write_gap(writer);
    tarmac_write_address(writer, MAINTAINED, &address);
    if (op->region) tarmac_write_word_name(writer, op->region);
    if (op->memory_type) tarmac_write_word_name(writer, op->memory_type);
    return true;
}
