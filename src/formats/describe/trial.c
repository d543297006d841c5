/* SPDX-License-Identifier: MIT */
/* trial.c: says what the rules of a description took of a log. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "formats/describe/describe.h"
#include "formats/describe/registry.h"
#include "spoor/describe.h"

enum {
    MISSES = 10,     /* that are shown */
    VALUES_LOG = 12, /* of a field without a name, that are told apart */
    FEW_VALUES = 16, /* words rather than numbers */
};

/* The hashes of the bytes that a field without a name had; 0: none. */
struct trial_values {
    uint32_t hashes[1 << VALUES_LOG];
    size_t count;
    uint64_t seen;
};

struct describe_trial {
    const struct description *description;
    struct spoor_describe_trial *shown;
    struct trial_values *values; /* of each slot */
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
                        "line %u may take \"%.*s\" as a field, with which line %u begins: "
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

/* Counts what a rule took of a line. */
static void trial_count_line(struct describe_trial *trial, const struct describe_match *match)
{
    struct spoor_describe_trial *shown = trial->shown;
    for (size_t i = 0; i < match->count; i++) {
        const struct capture *capture = &match->captures[i];
        size_t n = capture->what == CAPTURE_RULE ? 0 : shown->rule_count;
        while (n < shown->rule_count && shown->rules[n].line != capture->rule->line) n++;
        if (n < shown->rule_count) shown->rules[n].lines++;
        if (capture->what == CAPTURE_RULE && capture->rule->kind == SPOOR_NOTE) return;
        if (capture->what == CAPTURE_FIELD && !capture->slot->name_count &&
            strchr("xdbouwstT", capture->slot->type))
            trial_count_value(&trial->values[capture->slot->id], capture->begin, capture->end);
    }
}

/* A line that has a fault. */
static bool trial_miss(struct spoor_describe_trial *shown, const struct spoor_batch *batch,
                       const struct spoor_fault *fault)
{
    char words[SPOOR_FOUND_CAPACITY];
    if (shown->miss_count == MISSES) return true;
    char *found = strdup(spoor_fault_found(batch, fault, words));
    if (!found) return false;
    shown->misses[shown->miss_count++] =
        (struct spoor_describe_miss){.line = spoor_batch_line(batch, fault->record),
                                     .column = fault->column,
                                     .expected = fault->expected,
                                     .found = found};
    return true;
}

bool describe_trial_feed(struct describe_trial *trial, const struct spoor_batch *batch)
{
    struct spoor_describe_trial *shown = trial->shown;
    const struct description *description = trial->description;
    const struct describe_order *order = batch->stream->container_state;
    struct describe_match match = {.description = description, .order = order, .all_fields = true};
    const char *at = batch->text, *end = at + batch->text_size;
    if (batch->offset == 0 && !batch->continues) at += line_mark(at, batch->text_size);
    size_t fault = 0;
    bool good = true;
    for (size_t place = 0; at < end && good; place++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline ? newline : end, *line = at;
        at = newline ? newline + 1 : end;
        if (stop > line && stop[-1] == '\r') stop--;
        while (fault < batch->fault_count &&
               spoor_batch_place(batch, batch->faults[fault].record) < place)
            fault++;
        const bool faulty = fault < batch->fault_count &&
                            spoor_batch_place(batch, batch->faults[fault].record) == place;
        const char *word = line;
        while (word < stop && (*word == ' ' || *word == '\t')) word++;
        if (faulty) {
            shown->lines++;
            good = trial_miss(shown, batch, &batch->faults[fault]);
        } else if (word < stop && (place > 0 || !batch->continues) &&
                   !describe_is_title(description, order, &(struct line){line, stop, 0})) {
            const struct describe_rule *rule = describe_match_line(&match, line, stop);
            shown->lines++;
            shown->taken += rule != NULL;
            if (rule) trial_count_line(trial, &match);
        }
        good = good && !match.failed;
    }
    describe_match_free(&match);
    return good;
}

struct describe_trial *describe_trial_new(const struct spoor_format *format)
{
    const struct description *description = format->variant;
    struct describe_trial *trial = calloc(1, sizeof *trial);
    if (!trial) return NULL;
    trial->description = description;
    trial->values = calloc(description->slot_count + 1, sizeof *trial->values);
    trial->shown = calloc(1, sizeof *trial->shown);
    if (trial->shown) trial->shown->misses = calloc(MISSES, sizeof *trial->shown->misses);
    if (trial->values && trial->shown && trial->shown->misses &&
        trial_add_rules(trial->shown, description))
        return trial;
    spoor_describe_trial_free(describe_trial_end(trial));
    return NULL;
}

struct spoor_describe_trial *describe_trial_end(struct describe_trial *trial)
{
    const struct description *description = trial->description;
    struct spoor_describe_trial *shown = trial->shown;
    bool good = shown && trial->values &&
                trial_compare_rules(shown, description->rule, description->rule_count);
    for (size_t i = 0; good && i < description->part_count; i++)
        good = trial_compare_rules(shown, description->parts[i].rules, description->parts[i].count);
    for (unsigned i = 0; good && i < description->slot_count; i++) {
        const struct describe_slot *slot = description->slots[i];
        const struct trial_values *of = &trial->values[slot->id];
        const bool many = of->count > 1 << (VALUES_LOG - 1);
        if (of->count <= FEW_VALUES || (!many && of->count < of->seen / 16)) continue;
        struct text warning = {0};
        text_printf(&warning,
                    "{:%c} had %s%zu values in %llu lines, each of which makes a spelling: give it "
                    "a field, such as {extra:%c}",
                    slot->type, many ? "at least " : "", of->count, (unsigned long long)of->seen,
                    slot->type);
        good = trial_warn(shown, &warning);
    }
    free(trial->values);
    free(trial);
    if (good) return shown;
    spoor_describe_trial_free(shown);
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
