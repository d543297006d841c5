/* SPDX-License-Identifier: MIT */
/* trial.c: reads the first lines of a log by a description, and says what its rules took. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "formats/describe/describe.h"
#include "formats/describe/registry.h"
#include "spoor/describe.h"

enum {
    MISSES = 10,     /* that are shown, */
    SHOWN = 24,      /* bytes of each */
    VALUES_LOG = 12, /* of a field without a name, that are told apart */
    FEW_VALUES = 16, /* words rather than numbers */
};

/* The hashes of the bytes that a field without a name had; 0: none. */
struct trial_values {
    uint32_t hashes[1 << VALUES_LOG];
    size_t count;
    uint64_t seen;
};

static bool trial_warn(struct spoor_describe_trial *trial, struct text *warning)
{
    char **warnings =
        realloc(trial->warnings, (trial->warning_count + 1) * sizeof *trial->warnings);
    if (warnings) trial->warnings = warnings;
    char *sentence = text_hand_out(warning, NULL);
    if (!warnings || !sentence) {
        free(sentence);
        return false;
    }
    trial->warnings[trial->warning_count++] = sentence;
    return true;
}

/* ---- a general alternative before a special one ---- */

/* True if the template takes all of this text, some of it as a field. */
static bool trial_takes(const struct describe_sequence *template, struct spoor_slice text)
{
    const char *at = text.bytes, *end = at + text.size;
    bool field = false;
    for (size_t i = 0; i < template->count && at < end; i++) {
        const struct describe_element *element = &template->elements[i];
        const struct describe_slot *slot = element->slot;
        const char *begin = at;
        switch (element->what) {
        case ELEMENT_TEXT:
            for (size_t k = 0; k < element->text.size && at < end; k++)
                if (*at++ != element->text.bytes[k]) return false;
            break;
        case ELEMENT_BLANKS:
            while (at < end && *at == ' ') at++;
            if (at == begin && element->mark) return false;
            break;
        case ELEMENT_FIELD:
            if (element->peek || !strchr("wrstT", slot->type)) return false;
            if (slot->type == 't' || slot->type == 'T') return true;
            while (at < end && *at != ' ' &&
                   (slot->type == 's' || (*at >= '0' && *at <= '9') || *at == '_' ||
                    ((*at | 0x20) >= 'a' && (*at | 0x20) <= 'z')))
                at++;
            if (at == begin) return false;
            field = true;
            break;
        default: return false;
        }
    }
    return field && at == end;
}

static bool trial_compare_rules(struct spoor_describe_trial *trial,
                                const struct describe_rule *rules, size_t count)
{
    char words[64];
    for (size_t i = 1; i < count; i++) {
        /* The text that a template begins with. */
        const struct describe_sequence *template = &rules[i].template;
        size_t size = 0;
        for (size_t j = 0; j < template->count; j++) {
            const struct describe_element *element = &template->elements[j];
            const bool blanks = element->what == ELEMENT_BLANKS && element->mark;
            if (element->what != ELEMENT_TEXT && !blanks) break;
            const struct spoor_slice text = blanks ? (struct spoor_slice){" ", 1} : element->text;
            if (size + text.size > 64) break;
            memcpy(words + size, text.bytes, text.size);
            size += text.size;
        }
        struct spoor_slice first = {words, size};
        while (first.size && first.bytes[first.size - 1] == ' ') first.size--;
        for (size_t before = 0; before < i && first.size; before++) {
            if (!trial_takes(&rules[before].template, first)) continue;
            struct text warning = {0};
            text_printf(&warning,
                        "line %u takes \"%.*s\" as a field, with which line %u begins: "
                        "put that before it",
                        rules[before].line, (int)first.size, first.bytes, rules[i].line);
            if (!trial_warn(trial, &warning)) return false;
            break;
        }
    }
    return true;
}

/* ---- what the rules took ---- */

static bool trial_add_rule(struct spoor_describe_trial *trial,
                           const struct description *description, unsigned line)
{
    const char *at = description->text.bytes, *end = at + description->text.size;
    for (unsigned n = 1; n < line && at < end; n++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        at = newline ? newline + 1 : end;
    }
    while (at < end && (*at == ' ' || *at == '\t')) at++;
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    struct spoor_describe_rule *rules =
        realloc(trial->rules, (trial->rule_count + 1) * sizeof *trial->rules);
    if (!rules) return false;
    trial->rules = rules;
    trial->rules[trial->rule_count++] = (struct spoor_describe_rule){
        .line = line, .text = at, .text_size = (size_t)((newline ? newline : end) - at)};
    return true;
}

static bool trial_add_rules(struct spoor_describe_trial *trial,
                            const struct description *description)
{
    bool good = true;
    for (size_t i = 0; i < description->rule_count; i++)
        good = good && trial_add_rule(trial, description, description->rule[i].line);
    for (size_t i = 0; i < description->part_count; i++)
        for (size_t k = 0; k < description->parts[i].count; k++) {
            const struct describe_rule *rule = &description->parts[i].rules[k];
            if (rule->kind != DESCRIBE_ANY || rule->constant_count)
                good = good && trial_add_rule(trial, description, rule->line);
        }
    return good;
}

static void trial_count_value(struct trial_values *values, const char *begin, const char *end)
{
    enum { MASK = (1 << VALUES_LOG) - 1 };
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (; begin < end; begin++) hash = (hash ^ (unsigned char)*begin) * 16777619u;
    hash |= 1;
    values->seen++;
    if (values->count > MASK / 2) return;
    uint32_t slot = hash & MASK;
    while (values->hashes[slot] && values->hashes[slot] != hash) slot = (slot + 1) & MASK;
    values->count += !values->hashes[slot];
    values->hashes[slot] = hash;
}

static bool trial_read(struct spoor_describe_trial *trial, const struct description *description,
                       struct spoor_slice sample, struct trial_values *values)
{
    const struct spoor_head head = {.bytes = (const unsigned char *)sample.bytes,
                                    .size = sample.size};
    struct describe_order *order =
        description->format.share ? description->format.share(&description->format, &head) : NULL;
    struct describe_match match = {.description = description, .order = order, .all_fields = true};
    const char *at = sample.bytes, *end = at + sample.size;
    bool good = true;
    for (uint64_t number = 1; at < end && good; number++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline ? newline : end;
        if (!newline && trial->lines) break; /* perhaps cut */
        if (stop > at && stop[-1] == '\r') stop--;
        const char *word = at;
        while (word < stop && (*word == ' ' || *word == '\t')) word++;
        struct describe_order *title = description->separator && word < stop
                                           ? describe_read_title(description, at, stop)
                                           : NULL;
        if (word < stop && !title) {
            const struct describe_rule *rule = describe_match_line(&match, at, stop);
            trial->lines++;
            trial->taken += rule != NULL;
            if (!rule && !description->others && trial->miss_count < MISSES) {
                const size_t left = (size_t)(stop - match.furthest);
                trial->misses[trial->miss_count++] = (struct spoor_describe_miss){
                    .line = number,
                    .column = (unsigned)(match.furthest - at) + 1,
                    .expected = match.expected,
                    .found = strndup(match.furthest, left < SHOWN ? left : SHOWN)};
                good = trial->misses[trial->miss_count - 1].found != NULL;
            }
            for (size_t i = 0; rule && i < match.count; i++) {
                const struct capture *capture = &match.captures[i];
                size_t n = capture->what == CAPTURE_RULE ? 0 : trial->rule_count;
                while (n < trial->rule_count && trial->rules[n].line != capture->rule->line) n++;
                if (n < trial->rule_count) trial->rules[n].lines++;
                if (capture->what == CAPTURE_FIELD && !capture->slot->name_count)
                    trial_count_value(&values[capture->slot->id], capture->begin, capture->end);
            }
        }
        free(title);
        at = newline ? newline + 1 : end;
        good = good && !match.failed;
    }
    describe_match_free(&match);
    free(order);
    return good;
}

struct spoor_describe_trial *describe_try(const struct spoor_format *format,
                                          struct spoor_slice sample)
{
    const struct description *description = format->variant;
    struct spoor_describe_trial *trial = calloc(1, sizeof *trial);
    struct trial_values *values = calloc(description->slot_count + 1, sizeof *values);
    if (trial) trial->misses = calloc(MISSES, sizeof *trial->misses);
    bool good = trial && values && trial->misses && trial_add_rules(trial, description) &&
                trial_read(trial, description, sample, values) &&
                trial_compare_rules(trial, description->rule, description->rule_count);
    for (size_t i = 0; good && i < description->part_count; i++)
        good = trial_compare_rules(trial, description->parts[i].rules, description->parts[i].count);
    for (unsigned i = 0; good && i < description->slot_count; i++) {
        const struct describe_slot *slot = description->slots[i];
        const struct trial_values *of = &values[slot->id];
        if (of->count <= FEW_VALUES || of->count < of->seen / 16) continue;
        struct text warning = {0};
        text_printf(&warning,
                    "{:%c} had %s%zu values in %llu lines, each of which makes a spelling: give it "
                    "a field, such as {extra:%c}",
                    slot->type, of->count > 1 << (VALUES_LOG - 1) ? "more than " : "", of->count,
                    (unsigned long long)of->seen, slot->type);
        good = trial_warn(trial, &warning);
    }
    free(values);
    if (good) return trial;
    spoor_describe_trial_free(trial);
    return NULL;
}

void spoor_describe_trial_free(struct spoor_describe_trial *trial)
{
    if (!trial) return;
    for (size_t i = 0; i < trial->warning_count; i++) free(trial->warnings[i]);
    for (size_t i = 0; i < trial->miss_count; i++) free(trial->misses[i].found);
    free(trial->warnings);
    free(trial->misses);
    free(trial->rules);
    free(trial);
}
