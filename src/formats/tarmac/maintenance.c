/* SPDX-License-Identifier: MIT */
/*
 * maintenance.c: CACHE MAINTENANCE <side> <operation> <scope> <data> {<pagesize> <memtype>}
 *
 * The document does not define the values of side, operation and scope, and real ones have several
 * words ("Instruction and Data cache" "Invalidate" "All to PoU").  The data separates them from the
 * rest: it is the first word of at least four hexadecimal digits.  Words that name a side are the
 * side, words that name an operation the operation, and the others the scope.
 */

#include "base/ascii.h"
#include "formats/tarmac/writing.h"

enum { ADDRESS, FEWEST_DIGITS = 4 };

static const char *const sides[] = {"D",       "I",       "U",     "Data",   "Instruction",
                                    "Unified", "and",     "cache", "ICache", "DCache",
                                    "I-cache", "D-cache", NULL};
static const char *const actions[] = {"Clean", "Invalidate",       "and",   "&", "or",
                                      "Zero",  "Clean+Invalidate", "Flush", NULL};

static bool is_one_of(struct spoor_slice word, const char *const *list)
{
    for (; *list; list++)
        if (strlen(*list) == word.size && ascii_compare_some(*list, word.bytes, word.size) == 0)
            return true;
    return false;
}

static bool is_data(struct spoor_slice word)
{
    const char *colon = memchr(word.bytes, ':', word.size);
    if (colon) word.size = (size_t)(colon - word.bytes);
    return word.size >= FEWEST_DIGITS && slice_is_hex(word);
}

/* Reads words up to the data, as long as they are in `list` (NULL: all), as one name with its inner
 * spaces.  With a `minimum` of 1 it reads the next word even if it is not in the list. */
static bool read_words(struct reading *reading, const char *const *list, unsigned minimum,
                       spoor_name *name)
{
    struct spoor_slice words = {NULL, 0};
    for (;;) {
        struct spoor_slice next = reading_peek(reading);
        bool wanted = !list || is_one_of(next, list) || (!words.bytes && minimum);
        if (next.size == 0 || is_data(next) || !wanted) break;
        if (!words.bytes) {
            if (!reading_gap(reading)) return false;
            words.bytes = next.bytes;
        }
        reading->scan.at = next.bytes + next.size;
        words.size = (size_t)(reading->scan.at - words.bytes);
    }
    return !words.bytes || reading_intern(reading, words, name);
}

static bool read_memory(struct reading *reading)
{
    struct spoor_cacheop *op = &reading->record->cacheop;
    struct spoor_ref type = {0, 0};
    if (!reading_more(reading)) return true;
    if (!reading_name(reading, &op->region, "a region size") || !reading_rest(reading, &type))
        return false;
    if (type.size == 0) return true;
    struct spoor_slice bytes = {spoor_batch_bytes(reading->batch, type), type.size};
    return reading_intern(reading, bytes, &op->memory_type);
}

/* True for maintenance by address: the address has a physical part, or the scope a region or MVA.
 */
static bool is_by_address(const struct reading *reading, const struct address *address)
{
    const struct spoor_cacheop *op = &reading->record->cacheop;
    const char *scope = spoor_names_text(reading->decoder->names, op->scope, NULL);
    return address->has_pa || op->region || strstr(scope, "MVA") || strstr(scope, " VA");
}

bool maintenance_line_read(struct reading *reading)
{
    struct spoor_record *record = reading->record;
    struct spoor_cacheop *op = &record->cacheop;
    struct address address;
    record->kind = SPOOR_CACHEOP;
    record->op = 0;
    if (!read_words(reading, sides, 1, &op->side) ||
        !read_words(reading, actions, 1, &op->operation) ||
        !read_words(reading, NULL, 0, &op->scope))
        return false;
    if (!reading_more(reading)) return reading_fail(reading, "an address or data in hexadecimal");
    if (!reading_gap(reading) || !reading_address(reading, ADDRESS, &address) ||
        !read_memory(reading))
        return false;
    op->va = address.va;
    op->pa = address.pa;
    op->security = address.security;
    record->has |= is_by_address(reading, &address) ? SPOOR_HAS_VA : SPOOR_HAS_DATA;
    if (address.has_pa) record->has |= SPOOR_HAS_PA;
    return true;
}

bool maintenance_line_write(struct writing *writing)
{
    const struct spoor_cacheop *op = &writing->record->cacheop;
    struct address address = {op->va, op->pa, op->security, writing->record->has & SPOOR_HAS_PA};
    writing_text(writing, "CACHE");
    writing_word(writing, "MAINTENANCE");
    if (op->side) writing_word_name(writing, op->side);
    if (op->operation) writing_word_name(writing, op->operation);
    if (op->scope) writing_word_name(writing, op->scope);
    writing_gap(writing);
    writing_address(writing, ADDRESS, &address);
    if (op->region) writing_word_name(writing, op->region);
    if (op->memory_type) writing_word_name(writing, op->memory_type);
    return true;
}
