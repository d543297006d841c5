/* SPDX-License-Identifier: MIT */
/* pair.c: two traces side by side: where one is when the other is at a row, and where they differ.
 */
#include <stdlib.h>
#include <string.h>

#include "serve/internal.h"

enum { ROOTS = 200, CONSEQUENCES = 20 }; /* listed: roots, and consequences of each of them */

/* The comparison, once it is complete; NULL: the answer says why not. */
static struct alignment *pair_alignment(struct question *question)
{
    struct site *site = question->site;
    struct text *out = question->out;
    const char *failed;
    bool news;
    if (site->count != 2) {
        refuse(question, 404, "found %zu traces, expected two to compare", site->count);
        return NULL;
    }
    if (!site->alignment)
        site->alignment = alignment_start(site->options->paths, &site->options->reading);
    if (!site->alignment) {
        refuse(question, 500, "out of memory");
        return NULL;
    }
    if (!alignment_is_there(site->alignment, &news, &failed)) {
        if (failed) refuse(question, 500, "%s", failed);
        if (failed) return NULL;
        json_bool(out, "ready", false);
        json_number(out, "compared", alignment_progress(site->alignment));
        return NULL;
    }
    if (!site->numbered) {
        struct spoor_explorer *const explorers[2] = {site->traces[0].explorer,
                                                     site->traces[1].explorer};
        alignment_number(site->alignment, explorers);
        site->numbered = true;
    }
    const struct spoor_error *failure = alignment_failure(site->alignment);
    if (failure->status != SPOOR_OK) {
        refuse(question, 500, "%s", failure->text);
        return NULL;
    }
    json_bool(out, "ready", true);
    return site->alignment;
}

/* The lines of a text, as an array; `tabs`: each of a mark and two texts. */
static void pair_give_lines(struct text *out, const char *key, const char *lines, bool tabs)
{
    json_begin(out, key, '[');
    for (const char *end; lines && (end = strchr(lines, '\n')); lines = end + 1) {
        const char *tab = tabs ? memchr(lines, '\t', (size_t)(end - lines)) : NULL;
        if (!tab) {
            json_bytes(out, NULL, lines, (size_t)(end - lines));
            continue;
        }
        json_begin(out, NULL, '[');
        json_bytes(out, NULL, lines, 1);
        json_bytes(out, NULL, lines + 1, (size_t)(tab - lines - 1));
        json_bytes(out, NULL, tab + 1, (size_t)(end - tab - 1));
        json_end(out, ']');
    }
    json_end(out, ']');
}

static void pair_give_difference(struct text *out, const char *key,
                                 const struct alignment_difference *difference, bool rows)
{
    json_begin(out, key, '{');
    json_number(out, "left", difference->record[0]);
    json_number(out, "right", difference->record[1]);
    json_text(out, "class", difference->words);
    json_number(out, "number", difference->index);
    json_bool(out, "root", difference->root);
    if (difference->of) json_number(out, "of", difference->of - 1);
    if (difference->root) json_number(out, "consequences", difference->consequences);
    json_bool(out, "gap", difference->gap);
    if (difference->gap) {
        json_number(out, "only_left", difference->skipped[0]);
        json_number(out, "only_right", difference->skipped[1]);
    }
    if (difference->instruction && *difference->instruction)
        json_text(out, "instruction", difference->instruction);
    pair_give_lines(out, "fields", difference->fields, false);
    if (rows) pair_give_lines(out, "rows", difference->rows, true);
    json_end(out, '}');
}

/* The record of the other trace that corresponds to a row of this one. */
void ask_align(struct question *question)
{
    uint64_t at = 0;
    if (!parameter_number(question, "at", UINT64_MAX, &at)) return;
    struct alignment *alignment = pair_alignment(question);
    if (!alignment) return;
    const unsigned side = question->side;
    const uint64_t records = spoor_index_records(question->trace->index);
    if (at >= records) at = records ? records - 1 : 0;
    const uint64_t ordinal = alignment_ordinal(alignment, side, question->trace->explorer, at);
    struct spoor_explorer *other = question->site->traces[!side].explorer;
    json_number(question->out, "other", alignment_other(alignment, side, ordinal, other));
    const struct alignment_difference *difference = alignment_at(alignment, side, ordinal);
    if (difference) pair_give_difference(question->out, "difference", difference, true);
}

/* Where all differences are, and the first roots with the first consequences of each. */
void ask_differences(struct question *question)
{
    size_t count, listed = 0;
    struct alignment *alignment = pair_alignment(question);
    if (!alignment) return;
    const struct alignment_difference *all = alignment_differences(alignment, &count);
    uint64_t first[2];
    const uint64_t unlisted = alignment_unlisted(alignment, first);
    json_number(question->out, "count", count);
    if (unlisted) {
        json_number(question->out, "unlisted", unlisted);
        json_number(question->out, "unlisted_left", first[0]);
        json_number(question->out, "unlisted_right", first[1]);
    }
    json_text(question->out, "verdict", spoor_verdict_name(alignment_verdict(alignment)));
    if (alignment_parts(alignment)) json_bool(question->out, "parts", true);
    json_begin(question->out, "places", '['); /* of all: left, right, 1 for a root */
    for (size_t i = 0; i < count; i++) {
        json_number(question->out, NULL, all[i].record[0]);
        json_number(question->out, NULL, all[i].record[1]);
        json_number(question->out, NULL, all[i].root);
    }
    json_end(question->out, ']');
    json_begin(question->out, "differences", '[');
    uint32_t *of_root = calloc(count + 1, sizeof *of_root); /* its consequences, listed so far */
    for (size_t i = 0; of_root && i < count; i++) {
        const size_t of = all[i].of;
        if (of ? of_root[of - 1] == 0 || of_root[of - 1] > CONSEQUENCES : listed == ROOTS) continue;
        if (of)
            of_root[of - 1]++;
        else
            listed++;
        of_root[i] = 1;
        pair_give_difference(question->out, NULL, &all[i], false);
    }
    json_end(question->out, ']');
    if (!of_root) refuse(question, 500, "out of memory");
    free(of_root);
}

/* The differences in a range of records of the left side, with the records of both sides that each
 * takes up. */
void ask_differing(struct question *question)
{
    uint64_t from = 0, to = UINT64_MAX;
    size_t count;
    if (!parameter_number(question, "from", UINT64_MAX, &from) ||
        !parameter_number(question, "to", UINT64_MAX, &to))
        return;
    struct alignment *alignment = pair_alignment(question);
    if (!alignment) return;
    const struct alignment_difference *all = alignment_differences(alignment, &count);
    const uint64_t begin =
        alignment_ordinal(alignment, 0, question->site->traces[0].explorer, from);
    json_begin(question->out, "differing", '[');
    for (size_t i = 0; i < count && all[i].record[0] < to; i++) {
        uint64_t ends[2];
        const bool gap = all[i].gap;
        /* one that began before may reach into the range */
        if (all[i].ordinal[0] + (gap ? all[i].skipped[0] : 1) < begin) continue;
        for (unsigned side = 0; side < 2; side++) {
            const uint64_t length = gap ? all[i].skipped[side] : 1;
            const struct serve_trace *trace = &question->site->traces[side];
            const uint64_t end =
                alignment_record(alignment, side, trace->explorer, all[i].ordinal[side] + length);
            ends[side] = !length             ? all[i].record[side]
                         : end == UINT64_MAX ? spoor_index_records(trace->index)
                                             : end;
        }
        if (ends[0] < from) continue;
        json_begin(question->out, NULL, '{');
        json_number(question->out, "left", all[i].record[0]);
        json_number(question->out, "left_end", ends[0]);
        json_number(question->out, "right", all[i].record[1]);
        json_number(question->out, "right_end", ends[1]);
        json_bool(question->out, "gap", gap);
        json_end(question->out, '}');
    }
    json_end(question->out, ']');
    const struct spoor_error *failure = alignment_failure(alignment);
    if (failure->status != SPOOR_OK) refuse(question, 500, "%s", failure->text);
}
