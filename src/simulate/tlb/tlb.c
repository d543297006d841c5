/* SPDX-License-Identifier: MIT */
/* tlb.c: TLBs, simulated as caches of pages. */
#include "spoor/tlb.h"

#include <stdio.h>
#include <string.h>

#include "model/options.h"
#include "simulate/cache/key_value.h"
#include "simulate/cache/system.h"

/* "NAME:ENTRIES,WAYS,PAGE..." as a cache of ENTRIES * PAGE bytes; *fits: WAYS and PAGE are
 * consistent, if they are numbers. */
static bool rewrite(const char *text, char *cache, size_t capacity, bool *fits)
{
    struct words words = {text};
    struct word name, entries, ways, page;
    uint64_t count, size, number;
    if (!strchr(text, ':') || !words_next(&words, ':', &name) ||
        !words_next(&words, ',', &entries) || !words_next(&words, ',', &ways) ||
        !words_next(&words, ',', &page) || !word_number(entries, &count) ||
        !word_number(page, &size))
        return false;
    *fits = count > 0 && size > 0 && (size & (size - 1)) == 0 &&
            (!word_number(ways, &number) || (number > 0 && count % number == 0));
    if (__builtin_mul_overflow(count, size, &size)) return false;
    const int used = snprintf(cache, capacity, "%.*s:%llu,%.*s,%.*s%s%s", (int)name.size, name.text,
                              (unsigned long long)size, (int)ways.size, ways.text, (int)page.size,
                              page.text, *words.at ? "," : "", words.at);
    return used > 0 && (size_t)used < capacity;
}

enum spoor_status spoor_tlb_level_parse(struct spoor_cache_level *level, const char *words,
                                        struct spoor_error *error)
{
    char cache[512];
    bool fits;
    if (!rewrite(words, cache, sizeof cache, &fits))
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "level '%s': expected NAME:ENTRIES,WAYS,PAGE[,KEY=VALUE...] such as "
                               "dtlb:64,4,4K,policy=plru",
                               words);
    if (!fits)
        return spoor_error_set(
            error, SPOOR_EUSAGE,
            "level '%s': expected entries that are a multiple of the ways, and a "
            "page that is a power of two",
            words);
    const enum spoor_status status = spoor_cache_level_parse(level, cache, error);
    if (status == SPOOR_OK) level->write = SPOOR_CACHE_WRITE_IGNORE;
    return status;
}

/* ---- the result ---- */

static uint64_t sum(const uint64_t counts[SPOOR_CACHE_KINDS])
{
    uint64_t all = 0;
    for (unsigned op = 0; op < SPOOR_CACHE_KINDS; op++) all += counts[op];
    return all;
}

static void report_one(const struct cache *cache, struct spoor_result *row)
{
    const struct spoor_cache_counts *counts = &cache->counts;
    const uint64_t lookups = sum(counts->accesses), misses = sum(counts->misses);
    spoor_result_text(row, "name", cache->name);
    spoor_result_unsigned(row, "entries", cache->sets * cache->ways);
    spoor_result_size(row, "page_size", cache_block_size(cache));
    spoor_result_size(row, "reach", cache->sets * cache->ways * cache_block_size(cache));
    spoor_result_unsigned(row, "lookups", lookups);
    spoor_result_unsigned(row, "misses", misses);
    spoor_result_real(row, "miss_ratio", lookups ? (double)misses / (double)lookups : 0, 6);
    spoor_result_unsigned(row, "fetch_misses", counts->misses[SPOOR_REFERENCE_FETCH]);
    spoor_result_unsigned(row, "read_misses", counts->misses[SPOOR_REFERENCE_READ]);
    spoor_result_unsigned(row, "write_misses", counts->misses[SPOOR_REFERENCE_WRITE]);
    if (!cache->shadow) return;
    spoor_result_unsigned(row, "compulsory", sum(counts->compulsory));
    spoor_result_unsigned(row, "capacity", sum(counts->capacity));
    spoor_result_unsigned(row, "conflict", sum(counts->conflict));
}

void spoor_tlb_report_row(const struct spoor_cache_system *system, size_t index,
                          struct spoor_result *row)
{
    report_one(&system->caches[index], row);
}

enum spoor_status spoor_tlb_report(const struct spoor_cache_system *system,
                                   struct spoor_result *result)
{
    uint64_t walks = 0;
    struct spoor_result *tlbs = spoor_result_array(result, "tlbs");
    for (size_t i = 0; i < system->count; i++) {
        report_one(&system->caches[i], spoor_result_object(tlbs, NULL));
        if (!system->caches[i].parent) walks += sum(system->caches[i].counts.misses);
    }
    spoor_result_unsigned(result, "walks", walks);
    return result_status(result);
}
