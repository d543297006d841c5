/* SPDX-License-Identifier: MIT */
/* test_dinero.c: every configuration of DineroIV's published output, number for number. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "simulate/cache/references.h"

enum { MAX_LEVELS = 4 };

/* A section of the oracle, "### NAME :: options", and spoor's options for it. */
struct configuration {
    const char *name;
    const char *levels[MAX_LEVELS];
    bool extended;
};

static const struct configuration configurations[] = {
    {"lru8", {"l1-u:32K,8,64"}, false},
    {"fifo8", {"l1-u:32K,8,64,policy=fifo"}, false},
    {"dm", {"l1-u:32K,1,64"}, false},
    {"ccc", {"l1-u:16K,2,32"}, false},
    {"nwa_wt", {"l1-u:32K,8,64,alloc=no,write=through"}, false},
    {"pf_tag", {"l1-u:32K,8,64,prefetch=tagged"}, false},
    {"pf_alw", {"l1-u:32K,8,64,prefetch=always"}, false},
    {"pf_miss", {"l1-u:32K,8,64,prefetch=miss"}, false},
    {"subblk", {"l1-u:32K,8,64,sub=16"}, false},
    {"split2", {"l1-i:32K,8,64", "l1-d:32K,8,64", "l2-u:1M,16,64"}, false},
    {"split3", {"l1-i:8K,2,32", "l1-d:8K,4,32", "l2-u:64K,8,64", "l3-u:256K,16,64"}, false},
    {"xsplit2", {"l1-i:32K,8,64", "l1-d:32K,8,64", "l2-u:1M,16,64"}, true},
};
enum { CONFIGURATIONS = sizeof configurations / sizeof *configurations };

static struct spoor_references plain, extended;
static char *oracle;

/* ---- the oracle ---- */

static int read_oracle(void **state)
{
    (void)state;
    char path[1024];
    if (!shared_path("oracles/sim/dinero-small5M.txt", path, sizeof path)) return 0;
    FILE *file = fopen(path, "r");
    const size_t capacity = 1 << 20;
    oracle = calloc(1, capacity);
    const size_t size = fread(oracle, 1, capacity - 1, file);
    fclose(file);
    if (size == 0) return 1;
    return read_references("traces/memory/small5M.din.zst", "din", &plain) &&
                   read_references("traces/memory/small5M.xdin.zst", "xdin", &extended)
               ? 0
               : 1;
}

static int forget_oracle(void **state)
{
    (void)state;
    free(oracle);
    spoor_references_free(&plain);
    spoor_references_free(&extended);
    return 0;
}

/* The numbers of a line of the oracle, after its title. */
struct row {
    size_t count;
    unsigned long long columns[6]; /* total, instructions, data, reads, writes, others */
};

/* Finds the first line between `from` and `to` with this title. */
static bool find_row(const char *from, const char *to, const char *title, struct row *row)
{
    const char *at = strstr(from, title);
    row->count = 0;
    if (!at || at >= to) return false;
    char *end;
    for (at += strlen(title); row->count < 6; at = end) {
        row->columns[row->count] = strtoull(at, &end, 10);
        if (end == at || strchr(" \t\n", *end) == NULL) break;
        row->count++;
        if (*end == '\n') break;
    }
    return row->count > 0;
}

static void compare(const char *where, const char *cache, const char *title, const struct row *row,
                    const uint64_t counts[SPOOR_CACHE_KINDS])
{
    const uint64_t fetches = counts[SPOOR_REFERENCE_FETCH], reads = counts[SPOOR_REFERENCE_READ],
                   writes = counts[SPOOR_REFERENCE_WRITE];
    const uint64_t found[] = {fetches + reads + writes, fetches, reads + writes, reads, writes};
    for (size_t i = 0; i < 5 && i < row->count; i++)
        if (found[i] != row->columns[i])
            fail_msg("%s, %s, %s, column %zu: found %llu, published %llu", where, cache, title, i,
                     (unsigned long long)found[i], row->columns[i]);
}

static void compare_bytes(const char *where, const char *from, const char *to, const char *title,
                          uint64_t found)
{
    struct row row;
    assert_true(find_row(from, to, title, &row));
    if (found != row.columns[0])
        fail_msg("%s, %s: found %llu, published %llu", where, title, (unsigned long long)found,
                 row.columns[0]);
}

static size_t compare_cache(const char *where, const char *begin, const char *end, const char *name,
                            const struct spoor_cache_counts *counts)
{
    char title[64];
    struct row row;
    snprintf(title, sizeof title, "\n%scache\n", name);
    const char *from = strstr(begin, title);
    assert_true(from && from < end);
    const char *next = strstr(from, "Total Bytes r/w Mem");
    const struct {
        const char *title;
        const uint64_t *counts;
    } rows[] = {{"Demand Fetches\t", counts->accesses},
                {"Demand Misses\t", counts->misses},
                {"Compulsory misses", counts->compulsory},
                {"Capacity misses", counts->capacity},
                {"Conflict misses", counts->conflict},
                {"Prefetch Fetches", counts->prefetches},
                {"Prefetch Misses", counts->prefetch_misses},
                {"Demand Block Misses", counts->block_misses}};
    size_t compared = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (find_row(from, next, rows[i].title, &row)) {
            compare(where, name, rows[i].title, &row, rows[i].counts);
            compared++;
        }
    compare_bytes(where, from, next, "Bytes From Memory", counts->bytes_in);
    compare_bytes(where, from, next, "Bytes To Memory", counts->bytes_out);
    compare_bytes(where, from, next, "Multi-block refs", counts->crossings);
    return compared;
}

/* ---- ours ---- */

static struct spoor_cache_system *system_of(const struct configuration *configuration)
{
    struct spoor_cache_level levels[MAX_LEVELS];
    struct spoor_error error = {0};
    struct spoor_cache_system *system = NULL;
    size_t count = 0;
    const struct spoor_cache_options options = {
        .classify = true, .flush = true, .unknown_size = configuration->extended ? 0 : 4};
    for (; count < MAX_LEVELS && configuration->levels[count]; count++)
        if (spoor_cache_level_parse(&levels[count], configuration->levels[count], &error) !=
            SPOOR_OK)
            fail_msg("%s", error.text);
    if (spoor_cache_system_new(&system, levels, count, &options, &error) != SPOOR_OK)
        fail_msg("%s", error.text);
    return system;
}

static void equals_published(void **state)
{
    const struct configuration *configuration = *state;
    const struct spoor_references *references = configuration->extended ? &extended : &plain;
    char title[64];
    if (!oracle) skip();
    snprintf(title, sizeof title, "### %s ::", configuration->name);
    const char *begin = strstr(oracle, title);
    assert_non_null(begin);
    const char *end = strstr(begin + 4, "\n### ");
    if (!end) end = begin + strlen(begin);
    struct spoor_cache_system *system = system_of(configuration);
    spoor_cache_system_feed(system, references->items, references->count, NULL);
    spoor_cache_system_end(system, NULL);
    for (size_t i = 0; i < spoor_cache_system_count(system); i++)
        assert_true(compare_cache(configuration->name, begin, end,
                                  spoor_cache_system_name(system, i),
                                  spoor_cache_system_counts(system, i)) >= 2);
    spoor_cache_system_free(system);
}

int main(void)
{
    struct CMUnitTest tests[CONFIGURATIONS];
    for (size_t i = 0; i < CONFIGURATIONS; i++)
        tests[i] = (struct CMUnitTest){configurations[i].name, equals_published, NULL, NULL,
                                       (void *)(uintptr_t)&configurations[i]};
    return _cmocka_run_group_tests("dinero", tests, CONFIGURATIONS, read_oracle, forget_oracle);
}
