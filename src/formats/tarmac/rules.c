/* SPDX-License-Identifier: MIT */
/*
 * rules.c: finds the rule of a leading word among those of the dialect.
 */
#include <string.h>

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
