/* SPDX-License-Identifier: MIT */
/* keep.c: copies of differences for the report: the first ones in full, the first with what stands
 * around it; all of them in counts. */
#include <stdlib.h>
#include <string.h>

#include "compare/compare.h"

/* ---- copies ---- */

static void copy_unit(struct spoor_diff *diff, const struct unit_queue *queue, uint64_t ordinal,
                      struct unit_copy *copy)
{
    *copy = (struct unit_copy){0};
    if (ordinal < queue->units.first || ordinal >= queue->complete) return;
    const struct unit *unit = unit_at(queue, ordinal);
    copy->unit = *unit;
    copy->effects = calloc(unit->effect_count + 1U, sizeof *copy->effects);
    copy->text = calloc(unit->text_size + 1U, 1);
    if (!copy->effects || !copy->text) {
        diff->out_of_memory = true;
        return;
    }
    copy->there = true;
    if (unit->effect_count)
        memcpy(copy->effects, effects_of(queue, unit), unit->effect_count * sizeof *copy->effects);
    if (unit->text_size) memcpy(copy->text, text_of(queue, unit), unit->text_size);
}

static void free_copy(struct unit_copy *copy)
{
    free(copy->effects);
    free(copy->text);
}

/* ---- who wrote the wrong register, or those that a wrong value was made of ---- */

static void add_writer(const struct lane *lane, struct writers *writers, spoor_name name)
{
    if (!name || name >= lane->register_room || writers->count == WRITERS_MOST) return;
    const struct register_state *state = &lane->registers[name];
    if (!state->known) return;
    for (unsigned i = 0; i < writers->count; i++)
        if (writers->items[i].name == name) return;
    struct last_writer *writer = &writers->items[writers->count++];
    *writer = (struct last_writer){
        .name = name, .known = state->known, .back = lane->pairs - state->pair};
    memcpy(writer->record, state->record, sizeof writer->record);
    memcpy(writer->line, state->line, sizeof writer->line);
}

static uint64_t most_kept(const struct spoor_diff *diff)
{
    enum { KEPT = 20 };
    return diff->options.kept ? diff->options.kept : KEPT;
}

void keep_writers(const struct spoor_diff *diff, const struct lane *lane,
                  const struct comparison *comparison, struct writers *writers)
{
    const struct unit *unit = unit_at(&lane->queues[0], lane->queues[0].head);
    const struct effect *effects = effects_of(&lane->queues[0], unit);
    struct operands operands;
    writers->count = 0;
    if (diff->kept_count >= most_kept(diff)) return;
    operands_of(unit, text_of(&lane->queues[0], unit), diff->isa, diff->names, &diff->operand_names,
                &operands);
    for (unsigned i = 0; i < operands.read_count; i++) add_writer(lane, writers, operands.reads[i]);
    for (unsigned i = 0; i < comparison->count && i < DIFFERENCES_MOST; i++) {
        int left = comparison->items[i].effects[0];
        if (left >= 0 && effects[left].kind == EFFECT_REGISTER)
            add_writer(lane, writers, effects[left].name);
    }
}

/* ---- counts ---- */

static void count_mnemonic(struct spoor_diff *diff, const struct lane *lane,
                           const struct unit *unit, bool root)
{
    char mnemonic[MNEMONIC_MOST];
    mnemonic_of(unit, text_of(&lane->queues[0], unit), diff->isa, mnemonic);
    size_t at = 0;
    while (at < diff->mnemonic_count && strcmp(diff->mnemonics[at].mnemonic, mnemonic) != 0) at++;
    if (at == MNEMONICS_MOST) return;
    if (at == diff->mnemonic_count) {
        struct mnemonic_count *more = realloc(diff->mnemonics, (at + 1) * sizeof *more);
        if (!more) {
            diff->out_of_memory = true;
            return;
        }
        diff->mnemonics = more;
        more[at] = (struct mnemonic_count){0};
        memcpy(more[at].mnemonic, mnemonic, sizeof mnemonic);
        diff->mnemonic_count++;
    }
    diff->mnemonics[at].roots += root;
    diff->mnemonics[at].consequences += !root;
}

/* A place for one more difference that counts; NULL where enough are kept. */
static struct kept_difference *next_kept(struct spoor_diff *diff, struct lane *lane)
{
    if (diff->kept_count >= most_kept(diff)) return NULL;
    struct kept_difference *more = realloc(diff->kept, (diff->kept_count + 1) * sizeof *more);
    if (!more) {
        diff->out_of_memory = true;
        return NULL;
    }
    diff->kept = more;
    struct kept_difference *kept = &more[diff->kept_count++];
    *kept = (struct kept_difference){.cpu = lane->cpu};
    return kept;
}

static void keep_context(struct spoor_diff *diff, const struct lane *lane,
                         struct kept_difference *kept, const uint64_t width[2])
{
    for (unsigned side = 0; side < 2; side++) {
        const struct unit_queue *queue = &lane->queues[side];
        for (uint64_t i = 0; i < CONTEXT; i++) {
            if (queue->head > i)
                copy_unit(diff, queue, queue->head - 1 - i, &kept->before[CONTEXT - 1 - i][side]);
            copy_unit(diff, queue, queue->head + width[side] + i, &kept->after[i][side]);
        }
    }
}

/* Where a side stands: the unit at its head, or where its last unit was. */
static void place_of(const struct unit_queue *queue, uint64_t *record, uint64_t *line)
{
    bool there = queue->head < queue->complete;
    uint64_t ordinal = there ? queue->head : queue->head - 1;
    if (ordinal < queue->units.first || ordinal >= slide_end(&queue->units)) return;
    const struct unit *unit = unit_at(queue, ordinal);
    *record = unit->record + (there ? 0 : unit->records);
    *line = unit->line ? unit->line + (there ? 0 : unit->records) : 0;
}

static void keep_side(struct spoor_diff *diff, const struct lane *lane,
                      struct kept_difference *kept, unsigned side)
{
    const struct unit_queue *queue = &lane->queues[side];
    copy_unit(diff, queue, queue->head, &kept->units[side]);
    place_of(queue, &kept->record[side], &kept->line[side]);
}

void keep_pair(struct spoor_diff *diff, struct lane *lane, const struct comparison *comparison,
               const struct writers *writers, enum cause cause)
{
    static const uint64_t one[2] = {1, 1};
    diff->counts.causes[cause]++;
    if (cause == CAUSE_WAIVED || cause == CAUSE_VOLATILE) return;
    uint8_t class = comparison->items[0].class;
    const struct unit *left = unit_at(&lane->queues[0], lane->queues[0].head);
    diff->counts.mismatches++;
    diff->counts.by_class[class]++;
    count_mnemonic(diff, lane, left, cause == CAUSE_ROOT);
    bool first = diff->kept_count == 0;
    struct kept_difference *kept = next_kept(diff, lane);
    if (diff->options.first_only) diff->stop = true;
    if (!kept) return;
    kept->class = class;
    kept->cause = (uint8_t)cause;
    kept->comparison = *comparison;
    kept->writers = *writers;
    for (unsigned side = 0; side < 2; side++) keep_side(diff, lane, kept, side);
    if (first) keep_context(diff, lane, kept, one);
}

static void list_gap(struct spoor_diff *diff, struct lane *lane, const struct kept_gap *gap)
{
    enum { ROOM_LEAST = 16 };
    if (diff->gap_count == GAPS_KEPT) return;
    if (diff->gap_count == diff->gap_room) {
        size_t room = diff->gap_room ? 2 * diff->gap_room : ROOM_LEAST;
        struct kept_gap *gaps = realloc(diff->gaps, room * sizeof *gaps);
        if (!gaps) {
            diff->out_of_memory = true;
            return;
        }
        diff->gaps = gaps;
        diff->gap_room = room;
    }
    diff->gaps[diff->gap_count++] = *gap;
    lane->last_gap = diff->gap_count;
}

void keep_gap(struct spoor_diff *diff, struct lane *lane, const uint64_t skipped[2], uint8_t class,
              bool consequence, bool accepted)
{
    struct kept_gap gap = {.skipped = {skipped[0], skipped[1]},
                           .class = class,
                           .consequence = consequence,
                           .cpu = lane->cpu};
    for (unsigned side = 0; side < 2; side++) diff->counts.skipped[side] += skipped[side];
    lane->last_gap = lane->last_kept = 0;
    if (accepted) {
        diff->counts.gaps_accepted++;
        return;
    }
    diff->counts.gaps++;
    diff->counts.by_class[class]++;
    for (unsigned side = 0; side < 2; side++)
        place_of(&lane->queues[side], &gap.record[side], &gap.line[side]);
    list_gap(diff, lane, &gap);
    if (diff->options.first_only) diff->stop = true;
    bool first = diff->kept_count == 0;
    struct kept_difference *kept = next_kept(diff, lane);
    if (!kept) return;
    lane->last_kept = diff->kept_count;
    kept->gap = true;
    kept->class = class;
    kept->cause = consequence ? CAUSE_CONSEQUENCE : CAUSE_ROOT;
    for (unsigned side = 0; side < 2; side++) {
        kept->skipped[side] = skipped[side];
        keep_side(diff, lane, kept, side);
    }
    if (first) keep_context(diff, lane, kept, skipped);
}

void kept_free(struct spoor_diff *diff)
{
    for (size_t i = 0; i < diff->kept_count; i++) {
        struct kept_difference *kept = &diff->kept[i];
        for (unsigned side = 0; side < 2; side++) {
            free_copy(&kept->units[side]);
            for (unsigned j = 0; j < CONTEXT; j++) {
                free_copy(&kept->before[j][side]);
                free_copy(&kept->after[j][side]);
            }
        }
    }
    free(diff->kept);
    free(diff->gaps);
    free(diff->mnemonics);
}
