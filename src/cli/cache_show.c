/* SPDX-License-Identifier: MIT */
/* cache_show.c: print the result of a cache simulation, or the lines that a course prints. */
#include "cli/cache_show.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "cli/chart.h"

/* ---- the course at San Francisco ---- */

/* Cycles of an access, and the extra cycles of a miss and of a miss that evicts a dirty
 * block. */
enum { CYCLES_ACCESS = 1, CYCLES_MISS = 80, CYCLES_DIRTY = 160 };

static unsigned long long cache_show_cycles(const struct spoor_cache_counts *counts, unsigned op)
{
    const uint64_t dirty = counts->dirty_misses[op], clean = counts->misses[op] - dirty;
    return counts->accesses[op] * CYCLES_ACCESS + clean * CYCLES_MISS + dirty * CYCLES_DIRTY;
}

static unsigned long long cache_show_both(const uint64_t *counts)
{
    return counts[SPOOR_REFERENCE_READ] + counts[SPOOR_REFERENCE_WRITE];
}

static int cache_show_sfsu(const struct spoor_cache_system *system,
                           const struct spoor_cache_level *levels)
{
    struct text out = {0};
    for (size_t i = 0; i < spoor_cache_system_count(system); i++) {
        const struct spoor_cache_counts *counts = spoor_cache_system_counts(system, i);
        bool associative = levels[i].ways != 1;
        const unsigned read = SPOOR_REFERENCE_READ, write = SPOOR_REFERENCE_WRITE;
        const unsigned long long accesses = cache_show_both(counts->accesses),
                                 misses = cache_show_both(counts->misses);
        text_printf(&out,
                    "number of data reads: %llu\nnumber of data writes: %llu\n"
                    "number of data accesses: %llu\n\n",
                    (unsigned long long)counts->accesses[read],
                    (unsigned long long)counts->accesses[write], accesses);
        text_printf(&out,
                    "number of data read misses: %llu\nnumber of data write misses: %llu\n"
                    "number of data misses: %llu\n\n",
                    (unsigned long long)counts->misses[read],
                    (unsigned long long)counts->misses[write], misses);
        text_printf(
            &out, "number of dirty data read misses: %llu\nnumber of dirty write misses: %llu\n\n",
            (unsigned long long)counts->dirty_misses[read],
            (unsigned long long)counts->dirty_misses[write]);
        text_printf(&out,
                    "number of bytes read from memory: %llu\n"
                    "number of bytes written to memory: %llu\n\n",
                    (unsigned long long)counts->bytes_in, (unsigned long long)counts->bytes_out);
        text_printf(&out,
                    "the total access time (in cycles) for reads: %llu\n"
                    "the total access time (in cycles) for writes: %llu\n",
                    cache_show_cycles(counts, read), cache_show_cycles(counts, write));
        if (associative)
            text_printf(&out, "the total access time for reads and writes: %llu\n",
                        cache_show_cycles(counts, read) + cache_show_cycles(counts, write));
        text_puts(&out, "\nthe overall data cache miss rate: ");
        /* as Java prints it: the minimum number of digits that identify the number */
        const double rate = accesses ? (double)misses / (double)accesses : 0.0;
        char digits[40];
        int precision = 1;
        do {
            snprintf(digits, sizeof digits, "%.*g", precision, rate);
        } while (strtod(digits, NULL) != rate && precision++ < 17);
        text_printf(&out, "%s\n", digits);
    }
    const int code = show_text(&out);
    text_free(&out);
    return code;
}

enum { MAP_WIDTH = 64 };

int cache_show(const struct cache_show *show, const struct settings *common,
               const struct spoor_cache_system *system, const struct spoor_cache_level *levels,
               const struct spoor_result *result)
{
    if (show->sfsu && !common->json && !common->csv) return cache_show_sfsu(system, levels);
    int code = show_result(result, result_form_of(common));
    if (prints_data(common)) return code;
    /* The misses of each set, for each cache that counts them. */
    const struct chart chart = chart_start(wants_color(common));
    struct text out = {0};
    for (size_t i = 0; i < spoor_cache_system_count(system); i++) {
        size_t sets;
        const uint64_t *misses = spoor_cache_system_set_misses(system, i, &sets);
        double *values = misses ? calloc(sets, sizeof *values) : NULL;
        out.failed |= misses && sets && !values;
        for (size_t set = 0; values && set < sets; set++) values[set] = (double)misses[set];
        if (values) {
            text_printf(&out, "\nmisses by set: %s\n", spoor_cache_system_name(system, i));
            chart_heat(&chart, &out, values, sets, MAP_WIDTH);
        }
        free(values);
    }
    if (out.size || out.failed) code = worse(code, show_text(&out));
    text_free(&out);
    return code;
}
