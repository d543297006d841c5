/* SPDX-License-Identifier: MIT */
/* run_scalar.c: lines of known layouts and of the cache, for any processor. */
#include "formats/text/cache_run.h"
#include "formats/text/columns_run.h"
#include "formats/text/run.h"

static void run(struct text_run *run)
{
    text_run_lines(run);
}

static void cached(struct text_run *run)
{
    cache_run_lines(run);
}

static unsigned key(struct text_run *run, const char *line, bool tail, struct text_key *key)
{
    return text_key_of(run, line, tail, key);
}

static uint64_t hash(const uint8_t same[TEXT_LINE])
{
    return text_hash_of(same);
}

static bool columns(const struct text_columns *columns, const char *at, const char *end,
                    struct text_column_line *line)
{
    return columns_line(columns, at, end, line);
}

const struct text_width text_width_scalar = {run, cached, columns, key, hash};
