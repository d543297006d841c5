/* SPDX-License-Identifier: MIT */
/*
 * formats/text/cache_run.h: decodes lines of the cache; compiled for each width.
 *
 * The end and the entry of a line are found two lines ahead, and the entry, which is seldom in the
 * processor's caches, is fetched then.
 */
#ifndef SPOOR_FORMATS_TEXT_CACHE_RUN_H
#define SPOOR_FORMATS_TEXT_CACHE_RUN_H

#include "formats/text/match.h"

/* A line ahead of the one that is decoded: its end, and the first entry of its slot. */
struct cache_ahead {
    const char *next;
    unsigned index;
};

/* Finds a line, and fetches what it is compared with, and its record.  A line from
 * `last` on has neither an end nor an entry. */
SIMD_FUNCTION struct cache_ahead cache_look_ahead(const struct text_cache *cache, const char *at,
                                                  const char *last, const char *end, unsigned from)
{
    if (at >= last) return (struct cache_ahead){at, 0};
    const struct cache_ahead ahead = {cache_line_end(at, end, from),
                                      cache->slots[cache_slot(cache, at)]};
    const struct cached_line *line = &cache->lines[ahead.index];
    __builtin_prefetch(line);
    __builtin_prefetch((const char *)line + 64);
    __builtin_prefetch(&cache->records[ahead.index]);
    return ahead;
}

/* The index of the line's entry among those from `index` on; 0: there is none. */
SIMD_FUNCTION unsigned cache_find(const struct text_cache *cache, unsigned index, const char *at,
                                  const char *next)
{
    while (index && !cache_is(&cache->lines[index], at, next)) index = cache->lines[index].next;
    return index;
}

/* The number of a line of the entry; 0 where it has none.  False if it has other bytes than digits.
 */
SIMD_FUNCTION bool cache_number(const struct text_cache *cache, const struct cached_line *line,
                                const char *at, uint64_t *value)
{
    return simd_hex_lower(at + line->front, &cache->pairs[line->pair], value);
}

/* Makes the record of a line; false if its number has other bytes than digits. */
SIMD_FUNCTION bool cache_put_record(const struct text_cache *cache, unsigned index, const char *at,
                                    struct spoor_record *record)
{
    const struct cached_line *line = &cache->lines[index];
    uint64_t value;
    simd_copy(record, &cache->records[index]);
    if (line->digits == 0) return true;
    if (!cache_number(cache, line, at, &value)) return false;
    memcpy((char *)record + cache->places[index], &value, sizeof value);
    return true;
}

SIMD_LOOP static void cache_run_lines(struct text_run *run)
{
    const struct text_cache *cache = run->cache;
    const unsigned from = cache->shortest > SIMD_BLOCK ? SIMD_BLOCK : 0;
    const char *at = run->at;
    const char *const end = run->end - at > (ptrdiff_t)from ? run->end - from : at;
    struct spoor_record *record = run->records;
    struct cache_ahead first = cache_look_ahead(cache, at, end, run->end, from);
    struct cache_ahead second = cache_look_ahead(cache, first.next, end, run->end, from);
    while (at < end && record < run->stop) {
        const struct cache_ahead third = cache_look_ahead(cache, second.next, end, run->end, from);
        const char *next = first.next;
        const unsigned index = cache_find(cache, first.index, at, next);
        first = second;
        second = third;
        if (index == 0 || !cache_put_record(cache, index, at, record)) break;
        record++;
        at = next;
    }
    run->records = record;
    run->at = at;
}

#endif
