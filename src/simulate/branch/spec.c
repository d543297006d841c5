/* SPDX-License-Identifier: MIT */
/* spec.c: parse "gshare:bits=14,history=14". */
#include "simulate/branch/spec.h"

#include <inttypes.h>
#include <string.h>

#include "base/nearest.h"
#include "base/scan.h"
#include "simulate/branch/kind.h"

enum { MAX_WORD = 40 };

/* ---- words ---- */

struct pair {
    const char *key, *value;
    size_t key_size, value_size;
};

/* The next "key=value" at *at, which advances past it and its comma; false at the end.  Without '='
 * the value is empty. */
static bool next_pair(const char **at, struct pair *pair)
{
    if (!**at) return false;
    size_t size = strcspn(*at, ","), key = strcspn(*at, "=,");
    size_t value = key < size ? key + 1 : size;
    *pair = (struct pair){*at, *at + value, key, size - value};
    *at += size + ((*at)[size] == ',');
    return true;
}

static bool read_number(const char *bytes, size_t size, uint64_t *number)
{
    struct scan scan = {bytes, bytes + size};
    return scan_number(&scan, number) && scan_done(&scan);
}

static bool same(const char *name, const char *bytes, size_t size)
{
    return strlen(name) == size && memcmp(name, bytes, size) == 0;
}

/* A copy of a word for a message, truncated to a readable length. */
static const char *word(const char *bytes, size_t size, char copy[MAX_WORD])
{
    size_t kept = size < MAX_WORD - 1 ? size : MAX_WORD - 1;
    memcpy(copy, bytes, kept);
    copy[kept] = '\0';
    return copy;
}

/* ---- names ---- */

static const char *kind_name(const void *unused, size_t index)
{
    (void)unused;
    return spoor_predictor_kind_at(index)->name;
}

static const char *key_name(const void *keys, size_t index)
{
    return ((const struct spoor_predictor_key *)keys)[index].name;
}

static size_t key_count(const struct spoor_predictor_kind *kind)
{
    size_t count = 0;
    while (kind->keys[count].name) count++;
    return count;
}

int spec_kind(const char *spec, struct spoor_error *error)
{
    size_t size = strcspn(spec, ":");
    for (size_t i = 0; i < spoor_predictor_kind_count(); i++)
        if (same(kind_name(NULL, i), spec, size)) return (int)i;
    char copy[MAX_WORD];
    const char *name = word(spec, size, copy);
    const char *near = nearest(name, kind_name, NULL, spoor_predictor_kind_count());
    spoor_error_set(error, SPOOR_EUSAGE, "no predictor is called '%s'%s%s%s", name,
                    near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "");
    return -1;
}

/* ---- values ---- */

static enum spoor_status unknown_key(const struct spoor_predictor_kind *kind,
                                     const struct pair *pair, struct spoor_error *error)
{
    char copy[MAX_WORD];
    const char *key = word(pair->key, pair->key_size, copy);
    const char *near = nearest(key, key_name, kind->keys, key_count(kind));
    return spoor_error_set(error, SPOOR_EUSAGE, "predictor '%s' has no key '%s'%s%s%s", kind->name,
                           key, near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* The index of the pair's key; the number of keys if there is none. */
static size_t find_key(const struct spoor_predictor_kind *kind, const struct pair *pair)
{
    size_t i = 0;
    while (kind->keys[i].name && !same(kind->keys[i].name, pair->key, pair->key_size)) i++;
    return i;
}

static enum spoor_status set_value(const struct spoor_predictor_kind *kind, const struct pair *pair,
                                   size_t index, uint64_t *values, struct spoor_error *error)
{
    const struct spoor_predictor_key *key = &kind->keys[index];
    uint64_t value;
    char copy[MAX_WORD];
    if (read_number(pair->value, pair->value_size, &value) && value >= key->minimum &&
        value <= key->maximum) {
        values[index] = value;
        return SPOOR_OK;
    }
    return spoor_error_set(error, SPOOR_EUSAGE,
                           "predictor '%s', key '%s': found '%s', expected a number from %" PRIu64
                           " to %" PRIu64,
                           kind->name, key->name, word(pair->value, pair->value_size, copy),
                           key->minimum, key->maximum);
}

/* Sets the values of a list; unless `strict`, unknown keys are ignored. */
static enum spoor_status set_list(const char *list, const struct spoor_predictor_kind *kind,
                                  bool strict, uint64_t *values, struct spoor_error *error)
{
    const size_t count = key_count(kind);
    struct pair pair;
    while (next_pair(&list, &pair)) {
        size_t index = find_key(kind, &pair);
        if (index == count && strict) return unknown_key(kind, &pair, error);
        if (index == count) continue;
        enum spoor_status status = set_value(kind, &pair, index, values, error);
        if (status != SPOOR_OK) return status;
    }
    return SPOOR_OK;
}

enum spoor_status spec_values(const char *spec, const char *defaults,
                              const struct spoor_predictor_kind *kind, uint64_t *values,
                              struct spoor_error *error)
{
    const size_t count = key_count(kind), name = strcspn(spec, ":");
    for (size_t i = 0; i < count; i++) values[i] = kind->keys[i].fallback;
    enum spoor_status status = set_list(defaults, kind, false, values, error);
    if (status == SPOOR_OK && spec[name])
        status = set_list(spec + name + 1, kind, true, values, error);
    for (size_t i = 1; i < count; i++)
        if (values[i] == SPOOR_KEY_AS_BEFORE) values[i] = values[i - 1];
    return status;
}
