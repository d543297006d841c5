/* SPDX-License-Identifier: MIT */
/*
 * rules.c: finds the rule of a leading word among those of the dialect, and the places where
 * another record follows in a line.
 */
#include <string.h>

#include "base/ascii.h"
#include "formats/tarmac/reading.h"

/* True for "IT(27)": the index of an instruction without a space before it. */
static bool has_bracket(const struct rule *rule, struct spoor_slice token, size_t size)
{
    return rule->kind == SPOOR_INSN && token.size > size && token.bytes[size] == '(';
}

bool rule_fits(const struct rule *rule, struct spoor_slice token)
{
    size_t size = 0;
    for (; rule->word[size]; size++)
        if (size == token.size || rule->word[size] != token.bytes[size]) return false;
    if (!rule->sized) return token.size == size || has_bracket(rule, token, size);
    return token.size > size && (unsigned char)(token.bytes[size] - '0') < 10;
}

/* Most words that lead no record begin with a letter that no rule has. */
void rules_index(struct reading *reading)
{
    const struct dialect *dialect = reading->dialect;
    memset(reading->first_rule, NO_RULE, sizeof reading->first_rule);
    for (size_t i = dialect->rule_count; i-- > 0;)
        reading->first_rule[dialect->rules[i].word[0] & 127] = (uint8_t)i;
}

const struct rule *reading_find_rule(const struct reading *reading, struct spoor_slice token)
{
    const struct dialect *dialect = reading->dialect;
    for (size_t i = reading->first_rule[token.bytes[0] & 127]; i < dialect->rule_count; i++)
        if (rule_fits(&dialect->rules[i], token)) return &dialect->rules[i];
    return NULL;
}

/* ---- lines that lost the newline between them ----
 *
 * The head of a second record identifies it: digits, a unit of time and a leading word, with an
 * optional processor before the word.  Digits that ended the first line cannot be distinguished
 * from the time of the second. */

static struct spoor_slice next_word(struct scan *scan)
{
    struct spoor_slice word = {scan->at, 0};
    while (scan_char(scan, ' ')) continue;
    scan_token(scan, &word.bytes, &word.size);
    return word;
}

/* True if a leading word follows, or a processor and a leading word. */
static bool leads_record(const struct reading *reading, struct scan scan)
{
    struct spoor_slice word = next_word(&scan);
    if (word.size == 0) return false;
    if (reading_find_rule(reading, word)) return true;
    word = next_word(&scan);
    return word.size && reading_find_rule(reading, word);
}

/* Returns the beginning of the number that ends before `at` or before spaces there; NULL: there is
 * none. */
static const char *number_before(const char *at, const char *from)
{
    while (at > from && at[-1] == ' ') at--;
    const char *end = at;
    while (at > from && (ascii_is_digit(at[-1]) || at[-1] == '.')) at--;
    return at < end ? at : NULL;
}

const char *glued_record(const struct reading *reading, const char *from)
{
    static const char *const units[] = {"clk", "cyc", "tic", "cs", "ns", "ps", "us", "fs", "ms"};
    struct scan scan = {from, reading->scan.end};
    for (struct spoor_slice word = next_word(&scan); word.size; word = next_word(&scan)) {
        size_t digits = 0;
        while (digits < word.size &&
               (ascii_is_digit(word.bytes[digits]) || word.bytes[digits] == '.'))
            digits++;
        struct spoor_slice unit = {word.bytes + digits, word.size - digits};
        if (unit.size < 2 || unit.size > 3) continue; /* as no unit is: most words */
        for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
            if (!slice_is(unit, units[i])) continue;
            const char *number = number_before(unit.bytes, from);
            if (number && leads_record(reading, scan)) return number;
        }
    }
    return NULL;
}

/* Only text that contains this trace's own unit as a word is examined. */
bool reading_unglued(struct reading *reading, const char *end)
{
    const char *unit = reading->spelling.unit, *at = reading->scan.at;
    size_t size = strlen(unit);
    if (size == 0 || (reading->spelling.decimals && size < 2)) return true;
    for (; end - at > (ptrdiff_t)size && (at = memchr(at, *unit, (size_t)(end - at) - size));
         at++) {
        if (memcmp(at, unit, size) != 0 || at[size] != ' ') continue;
        const char *glued = glued_record(reading, reading->scan.at);
        if (!glued) return true;
        reading->scan.at = glued;
        return reading_fail(reading, "the end of the line: another record begins here");
    }
    return true;
}
