/* SPDX-License-Identifier: MIT */
/* rule.c: parses rules (masks, volatile sources, waivers), applies them and counts their uses. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/scan.h"
#include "compare/compare.h"
#include "isa/riscv_csr.h"
#include "model/error.h"

/* ---- words ---- */

struct words {
    struct scan scan;
    const char *word;
    size_t size;
};

static bool rule_next_word(struct words *words)
{
    while (scan_char(&words->scan, ' ') || scan_char(&words->scan, '\t')) continue;
    const char *begin = words->scan.at;
    while (words->scan.at < words->scan.end && *words->scan.at != ' ' && *words->scan.at != '\t')
        words->scan.at++;
    words->word = begin;
    words->size = (size_t)(words->scan.at - begin);
    return words->size > 0;
}

static bool rule_is_word(const struct words *words, const char *literal)
{
    return words->size == strlen(literal) && memcmp(words->word, literal, words->size) == 0;
}

static bool rule_parse(const char *at, size_t size, bool hex, uint64_t *value)
{
    struct scan scan = {at, at + size};
    return (hex ? scan_address(&scan, value) : scan_number(&scan, value)) && scan_done(&scan);
}

/* Parses "A:B" or "A". */
static bool rule_parse_span(const char *at, size_t size, bool hex, uint64_t *first, uint64_t *last)
{
    const char *colon = memchr(at, ':', size);
    size_t before = colon ? (size_t)(colon - at) : size;
    if (!rule_parse(at, before, hex, first)) return false;
    *last = *first;
    return !colon || (rule_parse(colon + 1, size - before - 1, hex, last) && *first <= *last);
}

static enum spoor_status rule_refuse(struct spoor_error *error, const char *rule,
                                     const struct words *at, const char *expected)
{
    return spoor_error_set(error, SPOOR_EUSAGE, "rule '%s': found '%.*s', expected %s", rule,
                           (int)at->size, at->word, expected);
}

/* ---- the kinds of rules ---- */

static struct rule *rule_add(struct spoor_diff *diff, enum rule_kind kind, const char *text)
{
    if (!array_reserve(&diff->rules, &diff->rule_capacity, diff->rule_count + 1)) return NULL;
    struct rule *rule = &diff->rules[diff->rule_count];
    *rule = (struct rule){.kind = kind, .text = strdup(text), .csr = -1};
    if (!rule->text) return NULL;
    diff->rule_count++;
    return rule;
}

/* Interns a register's name as the user wrote it, with the letter case normalised.  The canonical
 * name outside RISC-V's ABI is found once the instruction set is known. */
static spoor_name rule_name_register(struct spoor_diff *diff, const struct words *words)
{
    struct register_name name;
    register_canonical(words->word, words->size, ISA_UNKNOWN, &name);
    return spoor_names_intern(diff->names, name.text, strlen(name.text));
}

static enum spoor_status rule_add_mask(struct spoor_diff *diff, const char *text,
                                       struct words *words, bool ignore, struct spoor_error *error)
{
    if (!rule_next_word(words)) return rule_refuse(error, text, words, "a register");
    struct words reg = *words;
    uint64_t mask = 0;
    if (!ignore && (!rule_next_word(words) || !rule_parse(words->word, words->size, true, &mask)))
        return rule_refuse(error, text, words, "the bits to compare, in hexadecimal");
    struct rule *rule = rule_add(diff, ignore ? RULE_IGNORE : RULE_MASK, text);
    if (!rule) return error_no_memory(error);
    if (rule_is_word(&reg, "csr"))
        rule->group = GROUP_CSR;
    else if (rule_is_word(&reg, "fcsr"))
        rule->group = GROUP_FCSR;
    else if (memchr(reg.word, '*', reg.size) || memchr(reg.word, '?', reg.size))
        rule->group = GROUP_PATTERN;
    rule->name = rule_name_register(diff, &reg);
    rule->mask = mask;
    diff->masks++;
    return SPOOR_OK;
}

static enum spoor_status rule_add_volatile(struct spoor_diff *diff, const char *text,
                                           struct words *words, struct spoor_error *error)
{
    /* The control registers that change by themselves: RISC-V Privileged Architecture, "CSR
     * Listing". */
    static const struct {
        const char *name;
        int number;
    } numbers[] = {
        {"mcycle", 0xB00},  {"minstret", 0xB02}, {"mcycleh", 0xB80}, {"minstreth", 0xB82},
        {"cycle", 0xC00},   {"time", 0xC01},     {"instret", 0xC02}, {"cycleh", 0xC80},
        {"timeh", 0xC81},   {"instreth", 0xC82}, {"mip", 0x344},     {"sip", 0x144},
        {"mhartid", 0xF14}, {"misa", 0x301},     {"mstatus", 0x300}, {"mtval", 0x343},
        {"mcause", 0x342},  {"mepc", 0x341},
    };
    if (!rule_next_word(words)) return rule_refuse(error, text, words, "a register or HEX:HEX");
    uint64_t first = 0, last = 0, number;
    bool memory = memchr(words->word, ':', words->size) != NULL;
    if (memory && !rule_parse_span(words->word, words->size, true, &first, &last))
        return rule_refuse(error, text, words, "HEX:HEX, the first address and the last");
    struct rule *rule =
        rule_add(diff, memory ? RULE_VOLATILE_MEMORY : RULE_VOLATILE_REGISTER, text);
    if (!rule) return error_no_memory(error);
    rule->first[0] = first;
    rule->last[0] = last;
    if (words->size > 2 && memcmp(words->word, "0x", 2) == 0 &&
        rule_parse(words->word, words->size, true, &number) && number < 4096)
        rule->csr = (int)number;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (rule_is_word(words, numbers[i].name)) rule->csr = numbers[i].number;
    if (!memory) rule->name = rule_name_register(diff, words);
    diff->volatiles++;
    return SPOOR_OK;
}

/* Parses one KEY=VALUE of a waiver. */
static bool rule_parse_condition(struct spoor_diff *diff, struct rule *rule,
                                 const struct words *words)
{
    static const char *const keys[] = {"class", "pc", "reg", "mem", "opcode", "record"};
    const char *equals = memchr(words->word, '=', words->size);
    if (!equals) return false;
    size_t key = 0, length = (size_t)(equals - words->word);
    while (key < 6 && (strlen(keys[key]) != length || memcmp(keys[key], words->word, length) != 0))
        key++;
    struct words value = {words->scan, equals + 1, words->size - length - 1};
    if (key == 6 || value.size == 0) return false;
    rule->has |= 1U << key;
    switch (1U << key) {
    case WAIVER_CLASS:
        for (int i = 0; i < SPOOR_DIFF_CLASSES; i++) {
            if (!rule_is_word(&value, spoor_diff_class_name((enum spoor_diff_class)i))) continue;
            rule->class = (uint8_t)i;
            return true;
        }
        return false;
    case WAIVER_REGISTER: rule->name = rule_name_register(diff, &value); return true;
    case WAIVER_PC:
        return rule_parse_span(value.word, value.size, true, &rule->first[0], &rule->last[0]);
    case WAIVER_MEMORY:
        return rule_parse_span(value.word, value.size, true, &rule->first[1], &rule->last[1]);
    case WAIVER_RECORD:
        return rule_parse_span(value.word, value.size, false, &rule->first[2], &rule->last[2]);
    default: break;
    }
    if (value.size >= MAX_MNEMONIC) return false;
    memcpy(rule->mnemonic, value.word, value.size);
    return true;
}

static enum spoor_status rule_add_waiver(struct spoor_diff *diff, const char *text,
                                         struct words *words, struct spoor_error *error)
{
    struct rule *rule = rule_add(diff, RULE_WAIVE, text);
    if (!rule) return error_no_memory(error);
    while (rule_next_word(words) && words->word[0] != '#')
        if (!rule_parse_condition(diff, rule, words))
            return rule_refuse(
                error, text, words,
                "class=NAME, pc=HEX[:HEX], reg=NAME, mem=HEX[:HEX], opcode=MNEMONIC or "
                "record=N[:N]");
    if (!rule->has)
        return rule_refuse(error, text, words, "at least one condition, as class=event");
    diff->waivers++;
    return SPOOR_OK;
}

static enum spoor_status rule_add_cpus(struct spoor_diff *diff, const char *text,
                                       struct words *words, struct spoor_error *error)
{
    const char *equals = rule_next_word(words) ? memchr(words->word, '=', words->size) : NULL;
    if (!equals) return rule_refuse(error, text, words, "LEFT=RIGHT, names of two processors");
    if (!array_reserve(&diff->cpus, &diff->cpu_capacity, diff->cpu_count + 1))
        return error_no_memory(error);
    size_t length = (size_t)(equals - words->word);
    const struct cpu_names pair = {
        unit_cpu_name(diff->names, words->word, length),
        unit_cpu_name(diff->names, equals + 1, words->size - length - 1),
    };
    for (size_t i = 0; i < diff->cpu_count; i++)
        if ((diff->cpus[i].left == pair.left) != (diff->cpus[i].right == pair.right))
            return rule_refuse(error, text, words, "each processor in one pair");
    diff->cpus_named = true;
    diff->cpus[diff->cpu_count++] = pair;
    return SPOOR_OK;
}

enum spoor_status spoor_diff_rule(struct spoor_diff *diff, const char *rule,
                                  struct spoor_error *error)
{
    struct words words = {.scan = {rule, rule + strcspn(rule, "\r\n")}};
    if (!rule_next_word(&words) || words.word[0] == '#') return SPOOR_OK;
    if (rule_is_word(&words, "tolerate")) {
        rule_next_word(&words);
        for (int i = 0; i < SPOOR_TOLERANCES; i++) {
            if (!rule_is_word(&words, spoor_tolerance_name((enum spoor_tolerance)i))) continue;
            diff->tolerances |= UINT32_C(1) << i;
            return SPOOR_OK;
        }
        return rule_refuse(error, rule, &words, "a tolerance: see `spoor diff --list tolerances`");
    }
    if (rule_is_word(&words, "ignore")) return rule_add_mask(diff, rule, &words, true, error);
    if (rule_is_word(&words, "mask")) return rule_add_mask(diff, rule, &words, false, error);
    if (rule_is_word(&words, "volatile")) return rule_add_volatile(diff, rule, &words, error);
    if (rule_is_word(&words, "waive")) return rule_add_waiver(diff, rule, &words, error);
    if (rule_is_word(&words, "cpu")) return rule_add_cpus(diff, rule, &words, error);
    return rule_refuse(error, rule, &words, "tolerate, ignore, mask, volatile, waive or cpu");
}

void rules_free(struct spoor_diff *diff)
{
    for (size_t i = 0; i < diff->rule_count; i++) free(diff->rules[i].text);
    free(diff->rules);
    free(diff->cpus);
}

bool is_control_register(const struct spoor_diff *diff, spoor_name name)
{
    size_t size;
    const char *text = spoor_names_text(diff->names, name, &size);
    return diff->isa == ISA_RISCV && riscv_csr_number(text, size) >= 0;
}

/* ---- applying rules ---- */

bool rule_masks(struct spoor_diff *diff, spoor_name name, uint64_t *mask, struct rule **found)
{
    if (!diff->masks) return false;
    const char *text = spoor_names_text(diff->names, name, NULL);
    for (size_t i = 0; i < diff->rule_count; i++) {
        struct rule *rule = &diff->rules[i];
        if (rule->kind != RULE_IGNORE && rule->kind != RULE_MASK) continue;
        bool matches = rule->name == name;
        if (!matches && rule->group == GROUP_CSR)
            matches = is_control_register(diff, name);
        else if (!matches && rule->group == GROUP_FCSR)
            matches = strcmp(text, "fflags") == 0 || strcmp(text, "frm") == 0;
        else if (!matches && rule->group == GROUP_PATTERN)
            matches = fnmatch(spoor_names_text(diff->names, rule->name, NULL), text, 0) == 0;
        if (!matches) continue;
        *mask = rule->mask;
        *found = rule;
        return true;
    }
    return false;
}

struct rule *rule_volatile_register(struct spoor_diff *diff, spoor_name name, int csr)
{
    for (size_t i = 0; diff->volatiles && i < diff->rule_count; i++) {
        struct rule *rule = &diff->rules[i];
        if (rule->kind != RULE_VOLATILE_REGISTER) continue;
        if ((name && rule->name == name) || (csr >= 0 && rule->csr == csr)) return rule;
    }
    return NULL;
}

struct rule *rule_volatile_memory(struct spoor_diff *diff, uint64_t address)
{
    for (size_t i = 0; diff->volatiles && i < diff->rule_count; i++) {
        struct rule *rule = &diff->rules[i];
        if (rule->kind == RULE_VOLATILE_MEMORY && address >= rule->first[0] &&
            address <= rule->last[0])
            return rule;
    }
    return NULL;
}

/* True if every difference of the pair is in the waived register, or at the waived memory. */
static bool rule_effects_match(const struct rule *rule, const struct cpu_pair *cpu_pair,
                               const struct unit *const units[2],
                               const struct comparison *comparison)
{
    if (!(rule->has & (WAIVER_REGISTER | WAIVER_MEMORY))) return true;
    if (!comparison || comparison->count > MAX_DIFFERENCES) return false;
    for (unsigned i = 0; i < comparison->count; i++) {
        const struct effect *effect = differing_effect(cpu_pair, units, &comparison->items[i]);
        if (!effect) return false;
        bool is_register = effect->kind == EFFECT_REGISTER;
        if ((rule->has & WAIVER_REGISTER) && (!is_register || effect->name != rule->name))
            return false;
        if ((rule->has & WAIVER_MEMORY) &&
            (is_register || effect->address < rule->first[1] || effect->address > rule->last[1]))
            return false;
    }
    return true;
}

struct rule *rule_waives(struct spoor_diff *diff, const struct cpu_pair *cpu_pair, uint8_t class,
                         const struct unit *left, const struct unit *right,
                         const struct comparison *comparison)
{
    const struct unit *const units[2] = {left, right};
    const struct unit *unit = left ? left : right;
    for (size_t i = 0; diff->waivers && unit && i < diff->rule_count; i++) {
        struct rule *rule = &diff->rules[i];
        char mnemonic[MAX_MNEMONIC];
        if (rule->kind != RULE_WAIVE) continue;
        if ((rule->has & WAIVER_CLASS) && rule->class != class) continue;
        if ((rule->has & WAIVER_PC) && (unit->pc < rule->first[0] || unit->pc > rule->last[0]))
            continue;
        if ((rule->has & WAIVER_RECORD) &&
            (!left || left->record < rule->first[2] || left->record > rule->last[2]))
            continue;
        mnemonic_of(unit, unit_text(&cpu_pair->queues[left ? 0 : 1], unit), diff->isa, mnemonic);
        if ((rule->has & WAIVER_MNEMONIC) && strcmp(mnemonic, rule->mnemonic) != 0) continue;
        if (rule_effects_match(rule, cpu_pair, units, comparison)) return rule;
    }
    return NULL;
}
