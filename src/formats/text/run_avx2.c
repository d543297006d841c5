/* SPDX-License-Identifier: MIT */
/* run_avx2.c: lines of known layouts and of the cache, for processors with AVX2. */
#include "base/cpu.h"

#if CPU_MAY_HAVE_AVX2
#define SIMD_AVX2
#include "formats/text/cache_run.h"
#include "formats/text/columns_run.h"
#include "formats/text/run.h"

FOR_AVX2 static void run(struct text_run *run)
{
    text_run_lines(run);
}

FOR_AVX2 static void cached(struct text_run *run)
{
    cache_run_lines(run);
}

FOR_AVX2 static unsigned key(struct text_run *run, const char *line, bool tail,
                             struct text_key *key)
{
    return text_key_of(run, line, tail, key);
}

FOR_AVX2 static uint64_t hash(const uint8_t same[TEXT_LINE])
{
    return text_hash_of(same);
}

FOR_AVX2 static bool columns(const struct text_columns *columns, const char *at, const char *end,
                             struct text_column_line *line)
{
    return columns_line(columns, at, end, line);
}

const struct text_width text_width_avx2 = {run, cached, columns, key, hash};
#endif
