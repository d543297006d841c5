/* SPDX-License-Identifier: MIT */
/* level.c: parse and validate the description of a level. */
#include <string.h>

#include "base/ascii.h"
#include "simulate/cache/key_value.h"
#include "simulate/cache/level.h"

/* ---- values of keys ---- */

static const char *policy_named(struct word word)
{
    const char *name;
    for (size_t i = 0; (name = spoor_cache_policy_name(i)); i++)
        if (word_is(word, name)) return name;
    return NULL;
}

static const char *prefetcher_named(struct word word)
{
    const char *name;
    if (word_is(word, "next")) return "always";
    for (size_t i = 0; (name = spoor_cache_prefetcher_name(i)); i++)
        if (word_is(word, name)) return name;
    return NULL;
}

static bool copy_name(char *to, struct word word)
{
    if (word.size == 0 || word.size >= SPOOR_CACHE_NAME) return false;
    memcpy(to, word.text, word.size);
    to[word.size] = '\0';
    return true;
}

static bool put_number(struct word word, uint32_t *to)
{
    uint64_t number;
    if (!word_number(word, &number) || number > UINT32_MAX) return false;
    *to = (uint32_t)number;
    return true;
}

/* ---- keys ---- */

enum key {
    KEY_PARENT,
    KEY_POLICY,
    KEY_PREFETCH,
    KEY_DEGREE,
    KEY_VICTIM,
    KEY_SUB,
    KEY_CPUS,
    KEY_WRITE,
    KEY_ALLOC,
    KEY_INCL,
    KEY_SPLIT,
    KEY_TAKES,
};
static const char key_names[] =
    "parent|policy|prefetch|degree|victim|sub|cpus|write|alloc|incl|split|takes";
static const char *const key_choices[] = {
    [KEY_PARENT] = "the name of a level, or memory",
    [KEY_POLICY] = "lru, fifo, random, plru, srrip, brrip, drrip, ship or opt",
    [KEY_PREFETCH] = "always (or next), miss, tagged, stride or stream",
    [KEY_DEGREE] = "a number from 1 to 64",
    [KEY_VICTIM] = "a number of blocks",
    [KEY_SUB] = "a number of bytes, a power of two",
    [KEY_CPUS] = "a number of cpus, at most 64",
    [KEY_WRITE] = "back|through|ignore",
    [KEY_ALLOC] = "yes|no|complete",
    [KEY_INCL] = "neither|inclusive|exclusive",
    [KEY_SPLIT] = "parts|once|first",
    [KEY_TAKES] = "fetch|data|all",
};

/* Sets a key whose value is one of a few words. */
static bool put_choice(struct spoor_cache_level *level, enum key key, int choice)
{
    if (choice < 0) return false;
    switch (key) {
    case KEY_WRITE: level->write = (enum spoor_cache_write)choice; break;
    case KEY_ALLOC: level->allocate = (enum spoor_cache_allocate)choice; break;
    case KEY_INCL: level->inclusion = (enum spoor_cache_inclusion)choice; break;
    case KEY_SPLIT: level->crossing = (enum spoor_cache_crossing)choice; break;
    default: level->takes = (enum spoor_cache_takes)(choice + 1); break;
    }
    return true;
}

static bool put_key(struct spoor_cache_level *level, enum key key, struct word value)
{
    switch (key) {
    case KEY_PARENT: return copy_name(level->parent, value);
    case KEY_POLICY: return (level->policy = policy_named(value));
    case KEY_PREFETCH: return (level->prefetch = prefetcher_named(value));
    case KEY_DEGREE:
        return put_number(value, &level->degree) && level->degree >= 1 && level->degree <= 64;
    case KEY_VICTIM: return put_number(value, &level->victim);
    case KEY_SUB: return put_number(value, &level->sub_block);
    case KEY_CPUS: return put_number(value, &level->copies) && level->copies <= SPOOR_CACHE_COPIES;
    default: return put_choice(level, key, word_choice(value, key_choices[key]));
    }
}

static enum spoor_status read_key(struct spoor_cache_level *level, struct word word,
                                  struct spoor_error *error)
{
    const char *equals = memchr(word.text, '=', word.size);
    struct word name = {word.text, equals ? (size_t)(equals - word.text) : word.size};
    const int key = word_choice(name, key_names);
    if (!equals || key < 0)
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "level %s: found '%.*s', expected KEY=VALUE, with a key of %s",
                               level->name, (int)word.size, word.text, key_names);
    const struct word value = {equals + 1, (size_t)(word.text + word.size - equals - 1)};
    if (put_key(level, (enum key)key, value)) return SPOOR_OK;
    return spoor_error_set(error, SPOOR_EUSAGE, "level %s: found %.*s, expected for %.*s: %s",
                           level->name, (int)word.size, word.text, (int)name.size, name.text,
                           key_choices[key]);
}

/* ---- the kinds that a level accepts by its name ---- */

/* l1i, i, I1, icache, il1, l1-icache, itlb: fetches; the same with d: data. */
static enum spoor_cache_takes takes_of(const char *name)
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

static bool read_geometry(struct spoor_cache_level *level, struct words *words)
{
    struct word word;
    if (!words_next(words, ',', &word) || !word_number(word, &level->size)) return false;
    if (!words_next(words, ',', &word)) return false;
    level->ways = 0;
    if (!word_is(word, "full") && (!put_number(word, &level->ways) || level->ways == 0))
        return false;
    return words_next(words, ',', &word) && put_number(word, &level->block);
}

enum spoor_status spoor_cache_level_parse(struct spoor_cache_level *level, const char *text,
                                          struct spoor_error *error)
{
    struct words words = {text};
    struct word word;
    *level = (struct spoor_cache_level){.takes = SPOOR_CACHE_ALL};
    if (!strchr(text, ':') || !words_next(&words, ':', &word) || !copy_name(level->name, word) ||
        !read_geometry(level, &words))
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "level '%s': expected NAME:SIZE,WAYS,BLOCK[,KEY=VALUE...] such as "
                               "l1d:32K,8,64,policy=lru",
                               text);
    level->takes = takes_of(level->name);
    while (words_next(&words, ',', &word)) {
        const enum spoor_status status = read_key(level, word, error);
        if (status != SPOOR_OK) return status;
    }
    return level_check(level, error);
}

static bool is_power_of_two(uint64_t number)
{
    return number != 0 && (number & (number - 1)) == 0;
}

static const char *wrong_blocks(const struct spoor_cache_level *level, uint64_t ways)
{
    const uint32_t sub = level->sub_block ? level->sub_block : level->block;
    if (!is_power_of_two(level->block)) return "a block that is a power of two";
    if (!is_power_of_two(sub) || sub > level->block || level->block / sub > 32)
        return "a sub-block that is a power of two, at most the block and at least 1/32 of it";
    if (ways == 0 || level->size == 0 || level->size % (ways * level->block))
        return "a size that is a multiple of ways * block";
    if (level->size / level->block > UINT32_C(1) << 28) return "at most 2^28 blocks";
    return NULL;
}

static const char *wrong_choices(const struct spoor_cache_level *level, uint64_t ways)
{
    const bool plru = level->policy && !strcmp(level->policy, "plru");
    const bool opt = level->policy && !strcmp(level->policy, "opt");
    if (plru && (!is_power_of_two(ways) || ways > 64))
        return "for plru a number of ways that is a power of two, at most 64";
    if (opt && level->prefetch) return "no prefetches with opt";
    if (level->inclusion != SPOOR_CACHE_EXCLUSIVE) return NULL;
    if (level->prefetch || level->sub_block || level->victim || opt)
        return "of an exclusive level no prefetches, sub-blocks, victim cache or opt";
    return NULL;
}

enum spoor_status level_check(const struct spoor_cache_level *level, struct spoor_error *error)
{
    const uint64_t ways = level_ways(level);
    const char *expected = wrong_blocks(level, ways);
    if (!expected) expected = wrong_choices(level, ways);
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
