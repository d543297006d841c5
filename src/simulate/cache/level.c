/* SPDX-License-Identifier: MIT */
/* level.c: parse and validate the description of a level. */
#include <string.h>

#include "base/ascii.h"
#include "simulate/cache/system.h"
#include "simulate/words.h"
#include "spoor/tlb.h"

/* ---- keys ---- */

enum level_kind { LEVEL_TEXT, LEVEL_NUMBER, LEVEL_CHOICE };
static const struct level_key {
    const char *name;
    enum level_kind kind;
    size_t at;                 /* of the member */
    uint32_t minimum, maximum; /* of a number; of a text the bytes of the member; of a choice the
                                * value of its first word */
    const char *expected;      /* of a choice: "a|b|c" */
} level_keys[] = {
#define LEVEL_KEY(NAME, KIND, MEMBER, ...)                                          \
    {                                                                               \
        NAME, LEVEL_##KIND, offsetof(struct spoor_cache_level, MEMBER), __VA_ARGS__ \
    }
    LEVEL_KEY("parent", TEXT, parent, 0, SPOOR_CACHE_NAME, "the name of a level, or memory"),
    LEVEL_KEY("policy", TEXT, policy, 0, SPOOR_COMPONENT_SPEC, "NAME[:KEY=VALUE...]"),
    LEVEL_KEY("prefetch", TEXT, prefetch, 0, SPOOR_COMPONENT_SPEC, "NAME[:KEY=VALUE...]"),
    LEVEL_KEY("degree", NUMBER, degree, 1, 64, "a number from 1 to 64"),
    LEVEL_KEY("victim", NUMBER, victim, 0, UINT32_MAX, "a number of blocks"),
    LEVEL_KEY("sub", NUMBER, sub_block, 0, UINT32_MAX, "a number of bytes, a power of two"),
    LEVEL_KEY("cpus", NUMBER, copies, 0, SPOOR_CACHE_COPIES, "a number of cpus, at most 64"),
    LEVEL_KEY("ports", NUMBER, ports, 0, 64, "a number of lookups in a cycle, at most 64"),
    LEVEL_KEY("mshrs", NUMBER, mshrs, 0, 1024, "a number of misses under way, at most 1024"),
    LEVEL_KEY("pq", NUMBER, prefetch_queue, 0, 1024, "a number of prefetches, at most 1024"),
    LEVEL_KEY("shared", CHOICE, shared, 0, 0, "no|yes"),
    LEVEL_KEY("write", CHOICE, write, 0, 0, "back|through|ignore"),
    LEVEL_KEY("alloc", CHOICE, allocate, 0, 0, "yes|no|complete"),
    LEVEL_KEY("incl", CHOICE, inclusion, 0, 0, "neither|inclusive|exclusive"),
    LEVEL_KEY("split", CHOICE, crossing, 0, 0, "parts|once|first"),
    LEVEL_KEY("takes", CHOICE, takes, SPOOR_CACHE_FETCHES, 0, "fetch|data|all"),
};
enum { LEVEL_KEYS = sizeof level_keys / sizeof *level_keys };

static bool level_read_value(struct spoor_cache_level *level, const struct level_key *key,
                             struct word word)
{
    char *to = (char *)level + key->at;
    uint64_t number;
    if (key->kind == LEVEL_TEXT) return word_copy(word, to, key->maximum);
    if (key->kind == LEVEL_CHOICE) {
        const int choice = word_choice(word, key->expected);
        if (choice < 0) return false;
        number = (uint64_t)choice + key->minimum;
    } else if (!word_number(word, &number) || number < key->minimum || number > key->maximum)
        return false;
    const uint32_t value = (uint32_t)number; /* enumerations have this size, too */
    memcpy(to, &value, sizeof value);
    return true;
}

/* ---- the kinds that a level accepts by its name ---- */

/* l1i, i, I1, icache, il1, l1-icache, itlb: fetches; the same with d: data. */
static enum spoor_cache_takes level_takes(const char *name)
{
    static const char *const forms[] = {"i", "icache", "itlb", "il", "li",
                                        "d", "dcache", "dtlb", "dl", "ld"};
    const size_t count = sizeof forms / sizeof *forms;
    char letters[SPOOR_CACHE_NAME];
    size_t used = 0;
    for (const char *c = name; *c; c++)
        if (!strchr("0123456789-_.", *c)) letters[used++] = *c;
    letters[used] = '\0';
    const char *left = letters;
    if (used > 2 && strchr("lL", *left)) left++; /* as in l1-icache */
    for (size_t i = 0; i < count; i++)
        if (!ascii_compare(left, forms[i]))
            return i < count / 2 ? SPOOR_CACHE_FETCHES : SPOOR_CACHE_DATA;
    return SPOOR_CACHE_ALL;
}

/* ---- the whole ---- */

static bool level_is_power_of_two(uint64_t number)
{
    return number != 0 && (number & (number - 1)) == 0;
}

static bool level_read_size(struct word word, uint32_t *size)
{
    uint64_t number;
    if (!word_number(word, &number) || number > UINT32_MAX) return false;
    *size = (uint32_t)number;
    return true;
}

/* The name and the geometry, of bytes or of entries: "l2:32K,8,64", "tlb:64,full,4K"; false if it
 * has no such form. */
static bool level_read_geometry(struct spoor_cache_level *level, const char **at)
{
    struct word name, size, ways, block;
    *level = (struct spoor_cache_level){.takes = SPOOR_CACHE_ALL};
    if (!strchr(*at, ':') || !word_next(at, ":", &name) ||
        !word_copy(name, level->name, sizeof level->name))
        return false;
    level->takes = level_takes(level->name);
    return word_next(at, ",", &size) && word_number(size, &level->size) &&
           word_next(at, ",", &ways) &&
           (word_equals(ways, "full") ||
            (level_read_size(ways, &level->ways) && level->ways > 0)) &&
           word_next(at, ",", &block) && level_read_size(block, &level->block);
}

/* What follows the geometry: KEY=VALUE... */
static enum spoor_status level_read_keys(struct spoor_cache_level *level, const char *at,
                                         struct spoor_error *error)
{
    struct word word;
    while (word_next(&at, ",", &word)) {
        struct word name, value;
        const bool divided = word_split(word, &name, &value);
        size_t key = 0;
        while (key < LEVEL_KEYS && !word_equals(name, level_keys[key].name)) key++;
        if (!divided || key == LEVEL_KEYS)
            return spoor_error_set(
                error, SPOOR_EUSAGE,
                "level %s: found '%.*s', expected KEY=VALUE, with a key of parent|"
                "policy|prefetch|degree|victim|sub|cpus|shared|write|alloc|incl|split|takes|"
                "ports|mshrs|pq",
                level->name, (int)word.size, word.text);
        if (!level_read_value(level, &level_keys[key], value))
            return spoor_error_set(error, SPOOR_EUSAGE, "level %s: found %.*s, expected for %s: %s",
                                   level->name, (int)word.size, word.text, level_keys[key].name,
                                   level_keys[key].expected);
    }
    return level_check(level, error);
}

enum spoor_status spoor_cache_level_parse(struct spoor_cache_level *level, const char *text,
                                          struct spoor_error *error)
{
    const char *at = text;
    if (level_read_geometry(level, &at)) return level_read_keys(level, at, error);
    return spoor_error_set(error, SPOOR_EUSAGE,
                           "level '%s': expected NAME:SIZE,WAYS,BLOCK[,KEY=VALUE...] such as "
                           "l1d:32K,8,64,policy=lru",
                           text);
}

/* A TLB is a cache of entries * page bytes, which is never written. */
enum spoor_status spoor_tlb_level_parse(struct spoor_cache_level *level, const char *text,
                                        struct spoor_error *error)
{
    const char *at = text;
    if (!level_read_geometry(level, &at) ||
        __builtin_mul_overflow(level->size, level->block, &level->size))
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "level '%s': expected NAME:ENTRIES,WAYS,PAGE[,KEY=VALUE...] such as "
                               "dtlb:64,4,4K,policy=plru",
                               text);
    if (level->size == 0 || !level_is_power_of_two(level->block) ||
        (level->ways && level->size / level->block % level->ways))
        return spoor_error_set(
            error, SPOOR_EUSAGE,
            "level '%s': expected entries that are a multiple of the ways, and a "
            "page that is a power of two",
            text);
    const enum spoor_status status = level_read_keys(level, at, error);
    level->write = SPOOR_CACHE_WRITE_IGNORE;
    return status;
}

enum spoor_status level_components(const struct spoor_cache_level *level,
                                   struct component_setup setups[2], struct spoor_error *error)
{
    const uint64_t ways = level_ways(level);
    const bool next = strcmp(level->prefetch, "next") == 0; /* another name of it */
    struct spoor_error own = {0};
    setups[0] = (struct component_setup){
        .sets = ways && level->block ? level->size / level->block / ways : 0,
        .ways = (uint32_t)ways,
        .block_bits = level->block ? (unsigned)__builtin_ctz(level->block) : 0,
    };
    setups[0].sub_bits =
        level->sub_block ? (unsigned)__builtin_ctz(level->sub_block) : setups[0].block_bits;
    setups[1] = setups[0];
    setups[1].degree = level->degree ? level->degree : 1;
    enum spoor_status status = component_parse(&setups[0], SPOOR_CACHE_POLICY,
                                               *level->policy ? level->policy : "lru", "", &own);
    if (status == SPOOR_OK && *level->prefetch)
        status = component_parse(&setups[1], SPOOR_PREFETCHER, next ? "always" : level->prefetch,
                                 "", &own);
    if (status == SPOOR_OK) return SPOOR_OK;
    return spoor_error_set(error, status, "level %s: %s", level->name, own.text);
}

enum spoor_status level_check(const struct spoor_cache_level *level, struct spoor_error *error)
{
    const uint64_t ways = level_ways(level);
    const uint32_t sub = level->sub_block ? level->sub_block : level->block;
    const char *expected = NULL;
    if (!level_is_power_of_two(level->block))
        expected = "a block that is a power of two";
    else if (!level_is_power_of_two(sub) || sub > level->block || level->block / sub > 32)
        expected = "a sub-block that is a power of two, at most the block and at least 1/32 of it";
    else if (ways == 0 || level->size == 0 || level->size % (ways * level->block))
        expected = "a size that is a multiple of ways * block";
    else if (level->size / level->block > UINT32_C(1) << 28)
        expected = "at most 2^28 blocks";
    else if (level->shared && level->copies > 1)
        expected = "either one cache for all cpus (shared=yes) or one for each (cpus=N)";
    if (!expected) {
        struct component_setup setups[2];
        const enum spoor_status status = level_components(level, setups, error);
        if (status != SPOOR_OK) return status;
        const bool opt = ((const struct cache_policy *)setups[0].component)->needs_future;
        if (opt && *level->prefetch)
            expected = "no prefetches with opt";
        else if (level->inclusion == SPOOR_CACHE_EXCLUSIVE &&
                 (*level->prefetch || level->sub_block || level->victim || opt))
            expected = "of an exclusive level no prefetches, sub-blocks, victim cache or opt";
    }
    if (!expected) return SPOOR_OK;
    return spoor_error_set(error, SPOOR_EUSAGE,
                           "level %s: found size %llu, ways %u, block %u; expected %s", level->name,
                           (unsigned long long)level->size, level->ways, level->block, expected);
}

uint64_t level_ways(const struct spoor_cache_level *level)
{
    if (level->ways) return level->ways;
    return level->block ? level->size / level->block : 0;
}
