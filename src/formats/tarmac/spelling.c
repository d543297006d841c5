/* SPDX-License-Identifier: MIT */
/* spelling.c: interns spellings and finds them again. */
#include "formats/tarmac/spelling.h"

#include "formats/tarmac/dialect.h"
#include <string.h>

const struct spelling spelling_plain = {.gap = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}};

spoor_name spelling_intern(struct recent_spellings *recent, struct spoor_names *names,
                           const struct spelling *spelling)
{
    /* Each word has its own factor, so that the products are independent. */
    static const uint64_t factors[sizeof *spelling / 8] = {
        UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0xbf58476d1ce4e5b9), UINT64_C(0x94d049bb133111eb),
        UINT64_C(0xd6e8feb86659fd93), UINT64_C(0xff51afd7ed558ccd), UINT64_C(0xc4ceb9fe1a85ec53),
    };
    uint64_t words[sizeof *spelling / 8], sum = 0;
    memcpy(words, spelling, sizeof words);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) sum += words[i] * factors[i];
    _Static_assert(RECENT_SPELLINGS == 64, "a slot has six bits");
    const size_t slot = sum >> 58;
    if (recent->name[slot] != SPOOR_NO_NAME &&
        memcmp(&recent->spelling[slot], spelling, sizeof *spelling) == 0)
        return recent->name[slot];
    spoor_name name = spoor_names_intern(names, spelling, sizeof *spelling);
    if (name == SPOOR_NAMES_FULL) return name;
    recent->spelling[slot] = *spelling;
    recent->name[slot] = name;
    return name;
}

void spelling_find(const struct spoor_names *names, spoor_name name, uint8_t dialect,
                   struct spelling *spelling)
{
    size_t size;
    const char *bytes = spoor_names_text(names, name, &size);
    if (size == sizeof *spelling) memcpy(spelling, bytes, size);
    if (size != sizeof *spelling || spelling->dialect != dialect ||
        spelling->unit[SPELLING_UNIT_SIZE - 1] || spelling->decimals > SPELLING_DECIMALS)
        *spelling = spelling_plain;
}

/* ---- the dialects by name ---- */

const char *const producer_names[] = {"fast-models", "gem5", "es", "rtl-m", "rtl-r", "cs", NULL};
_Static_assert(sizeof producer_names / sizeof *producer_names == PRODUCERS, "a name for each");

enum producer producer_named(const char *name)
{
    for (int i = 0; name && producer_names[i]; i++)
        if (strcmp(producer_names[i], name) == 0) return (enum producer)(i + 1);
    return PRODUCER_ANY;
}

const char *producer_of_spelling(const void *spelling, size_t size)
{
    struct spelling known;
    if (size != sizeof known) return NULL;
    memcpy(&known, spelling, sizeof known);
    return known.producer && known.producer < PRODUCERS ? producer_names[known.producer - 1] : NULL;
}

/* Seen in the logs of Cortex-R5 and Cortex-M0. */
bool producer_is_effects_first(const void *spelling, size_t size)
{
    struct spelling known;
    if (size != sizeof known) return false;
    memcpy(&known, spelling, sizeof known);
    return known.producer == PRODUCER_RTL_M || known.producer == PRODUCER_RTL_R;
}

bool producer_fits(enum producer trace, enum producer line)
{
    if (trace == PRODUCER_GEM5) trace = PRODUCER_FAST_MODELS;
    if (line == PRODUCER_GEM5) line = PRODUCER_FAST_MODELS;
    return trace == PRODUCER_ANY || line == PRODUCER_ANY || trace == line;
}
