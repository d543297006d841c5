/* SPDX-License-Identifier: MIT */
/*
 * rules.c: finds the rule of a leading word among those of the dialect, and the places where
 * another record follows in a line.
 */
#include <string.h>

#include "base/ascii.h"
#include "formats/tarmac/reader.h"

bool tarmac_rule_fits(const struct rule *rule, struct spoor_slice token)
{
    size_t size = 0;
    for (; rule->word[size]; size++)
        if (size == token.size || rule->word[size] != token.bytes[size]) return false;
    if (rule->sized) return token.size > size && ascii_is_digit(token.bytes[size]);
    if (token.size == size) return true;
    /* "IT(27)": the index of an instruction without a space before it */
    return rule->kind == SPOOR_INSN && token.bytes[size] == '(';
}

/* Most words that lead no record begin with a letter that no rule has. */
void tarmac_index_rules(struct tarmac_reader *reader)
{
    const struct dialect *dialect = reader->dialect;
    memset(reader->first_rule, NO_RULE, sizeof reader->first_rule);
    for (size_t i = dialect->rule_count; i-- > 0;)
        reader->first_rule[dialect->rules[i].word[0] & 127] = (uint8_t)i;
}

const struct rule *tarmac_find_rule(const struct tarmac_reader *reader, struct spoor_slice token)
{
    const struct dialect *dialect = reader->dialect;
    for (size_t i = reader->first_rule[token.bytes[0] & 127]; i < dialect->rule_count; i++)
        if (tarmac_rule_fits(&dialect->rules[i], token)) return &dialect->rules[i];
    return NULL;
}

/* ---- lines that lost the newline between them ----
 *
 * The head of a second record identifies it: digits, a unit of time and a leading word, with an
 * optional processor before the word.  Digits that ended the first line cannot be distinguished
 * from the time of the second. */

static struct spoor_slice rules_next_word(struct scan *scan)
{
    struct spoor_slice word = {scan->at, 0};
    while (scan_char(scan, ' ')) continue;
    scan_token(scan, &word.bytes, &word.size);
    return word;
}

const char *tarmac_glued_record(const struct tarmac_reader *reader, const char *from)
{
    static const char *const units[] = {"clk", "cyc", "tic", "cs", "ns", "ps", "us", "fs", "ms"};
    struct scan scan = {from, reader->scan.end};
    for (struct spoor_slice word = rules_next_word(&scan); word.size;
         word = rules_next_word(&scan)) {
        size_t digits = 0;
        while (digits < word.size &&
               (ascii_is_digit(word.bytes[digits]) || word.bytes[digits] == '.'))
            digits++;
        struct spoor_slice unit = {word.bytes + digits, word.size - digits};
        if (unit.size < 2 || unit.size > 3) continue; /* as no unit is: most words */
        for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
            if (!slice_is(unit, units[i])) continue;
            const char *end = unit.bytes; /* of the number before the unit */
            while (end > from && end[-1] == ' ') end--;
            const char *number = end;
            while (number > from && (ascii_is_digit(number[-1]) || number[-1] == '.')) number--;
            /* a leading word follows, or a processor and a leading word */
            struct scan rest = scan;
            struct spoor_slice next = rules_next_word(&rest);
            bool leads = next.size && tarmac_find_rule(reader, next);
            if (next.size && !leads) {
                next = rules_next_word(&rest);
                leads = next.size && tarmac_find_rule(reader, next);
            }
            if (number < end && leads) return number;
        }
    }
    return NULL;
}

/* Only text that contains this trace's own unit as a word is examined. */
bool tarmac_unglued(struct tarmac_reader *reader, const char *end)
{
    const char *unit = reader->spelling.unit, *at = reader->scan.at;
    size_t size = strlen(unit);
    if (size == 0 || (reader->spelling.decimals && size < 2)) return true;
    for (; end - at > (ptrdiff_t)size && (at = memchr(at, *unit, (size_t)(end - at) - size));
         at++) {
        if (memcmp(at, unit, size) != 0 || at[size] != ' ') continue;
        const char *glued = tarmac_glued_record(reader, reader->scan.at);
        if (!glued) return true;
        reader->scan.at = glued;
        return tarmac_fail(reader, "the end of the line: another record begins here");
    }
    return true;
}
