/* SPDX-License-Identifier: MIT */
/* alignment.c: compares two traces on a thread, and maps places of one to the other. */
#include "browse/alignment.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sorted.h"
#include "base/text.h"
#include "spoor/reader.h"

enum { RETAINED = 4096 };

/* A place whose number is known: the beginning of a batch. */
struct counted_place {
    uint64_t record, ordinal; /* ordinal: instructions before the record */
};

/* A side of the comparison. */
struct aligned_side {
    struct alignment *alignment;
    struct spoor_reader *reader;
    struct counted_place *counted;
    size_t count, capacity;
    uint64_t instructions;
    bool by_record;            /* the format has no instructions: each record is a unit */
    struct counted_place last; /* a place whose number was found last */
};

enum alignment_state { ALIGNMENT_RUNS, ALIGNMENT_DONE, ALIGNMENT_FAILED };

struct alignment {
    _Atomic int state;
    _Atomic bool stop;
    _Atomic uint64_t progress;
    bool announced;
    const char *paths[2];
    struct spoor_reader_options reading;
    struct aligned_side sides[2];
    struct alignment_difference *differences;
    size_t count, capacity;
    uint64_t unlisted, unlisted_first[2];
    struct spoor_error error;
    enum spoor_verdict verdict;
    pthread_t thread;
    bool has_thread;
    struct spoor_error failure; /* see alignment_failure() */
};

/* ---- units ---- */

static bool alignment_begins_unit(const struct aligned_side *side, const struct spoor_batch *batch,
                                  size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    if (record->kind == SPOOR_INSN) return record->op < SPOOR_INSN_AGAIN;
    if (record->kind == SPOOR_UOP) return spoor_uop_of(batch, index).step <= 1;
    return side->by_record && record->kind != SPOOR_NOTE;
}

/* ---- the thread ---- */

static enum spoor_status alignment_next_batch(void *context, const struct spoor_batch **batch,
                                              struct spoor_error *error)
{
    struct aligned_side *side = context;
    struct alignment *alignment = side->alignment;
    if (atomic_load(&alignment->stop))
        return spoor_error_set(error, SPOOR_EUSAGE, "the comparison was stopped");
    const enum spoor_status status = spoor_reader_next(side->reader, batch, error);
    if (status != SPOOR_OK) return status;
    if (!array_reserve(&side->counted, &side->capacity, side->count + 1))
        return spoor_error_set(error, SPOOR_ENOMEM, "out of memory");
    side->counted[side->count++] = (struct counted_place){(*batch)->first, side->instructions};
    for (size_t i = 0; i < (*batch)->count; i++)
        side->instructions += alignment_begins_unit(side, *batch, i);
    if (side == alignment->sides)
        atomic_store(&alignment->progress, (*batch)->first + (*batch)->count);
    return SPOOR_OK;
}

static int alignment_compare_records(const void *one, const void *other)
{
    const struct alignment_difference *first = one, *second = other;
    if (first->record[0] != second->record[0]) return first->record[0] < second->record[0] ? -1 : 1;
    return first->index < second->index ? -1 : first->index > second->index;
}

/* Roots are numbered as the comparison found them: gives them their numbers in this list. */
static bool alignment_find_roots(struct alignment *alignment)
{
    size_t *places = malloc((alignment->count + 1) * sizeof *places);
    if (!places) return false;
    for (size_t i = 0; i < alignment->count; i++) places[alignment->differences[i].index] = i;
    for (size_t i = 0; i < alignment->count; i++) {
        struct alignment_difference *difference = &alignment->differences[i];
        if (difference->of) difference->of = places[difference->of - 1] + 1;
        difference->index = i;
    }
    free(places);
    return true;
}

static void alignment_put_row(void *context, const struct spoor_diff_row *row)
{
    struct text *rows = context;
    text_put(rows, &row->mark, 1);
    for (unsigned side = 0; side < 2; side++) {
        if (side) text_puts(rows, "\t");
        const size_t begin = rows->size;
        text_puts(rows, row->effect && *row->sides[side] ? "  " : "");
        text_puts(rows, row->sides[side]);
        for (size_t i = begin; !rows->failed && i < rows->size; i++)
            if (rows->bytes[i] == '\t' || rows->bytes[i] == '\n') rows->bytes[i] = ' ';
    }
    text_puts(rows, "\n");
}

/* What differs, in words, while the streams are open. */
static void alignment_describe(const struct spoor_diff *diff, size_t index,
                               struct alignment_difference *difference)
{
    char words[SPOOR_DIFF_WORDS];
    struct spoor_difference_field field = {.struct_size = sizeof field};
    struct text fields = {0}, rows = {0};
    if (!*spoor_diff_instruction(diff, index, 0, words))
        spoor_diff_instruction(diff, index, 1, words);
    difference->instruction = strdup(words);
    for (unsigned i = 0; spoor_diff_field(diff, index, i, &field); i++)
        text_printf(&fields, "%s\n", field.words);
    spoor_diff_rows(diff, index, alignment_put_row, &rows);
    text_put(&fields, "", 1);
    text_put(&rows, "", 1);
    difference->fields = text_hand_out(&fields, NULL);
    difference->rows = text_hand_out(&rows, NULL);
}

static void *alignment_run(void *context)
{
    struct alignment *alignment = context;
    const struct spoor_diff_options options = {.retained = RETAINED};
    struct spoor_error *error = &alignment->error;
    struct spoor_diff_input inputs[2] = {{0}};
    struct spoor_diff *diff = NULL;
    struct spoor_difference found = {.struct_size = sizeof found};
    enum spoor_status status = SPOOR_OK;
    for (unsigned i = 0; i < 2 && status == SPOOR_OK; i++) {
        struct aligned_side *side = &alignment->sides[i];
        side->alignment = alignment;
        status = spoor_reader_open(&side->reader, alignment->paths[i], &alignment->reading, error);
        if (status != SPOOR_OK) break;
        const struct spoor_stream *stream = spoor_reader_stream(side->reader);
        side->by_record = !spoor_format_produces(stream->format, SPOOR_INSN) &&
                          !spoor_format_produces(stream->format, SPOOR_UOP);
        inputs[i] = (struct spoor_diff_input){alignment_next_batch, side, stream};
    }
    if (status == SPOOR_OK) status = spoor_diff_new(&diff, &options, error);
    if (status == SPOOR_OK) status = spoor_diff_run(diff, inputs, error);
    for (size_t i = 0; status == SPOOR_OK && spoor_diff_difference(diff, i, &found); i++) {
        if (!array_reserve(&alignment->differences, &alignment->capacity, alignment->count + 1)) {
            status = spoor_error_set(error, SPOOR_ENOMEM, "out of memory");
            break;
        }
        struct alignment_difference *difference = &alignment->differences[alignment->count++];
        *difference = (struct alignment_difference){.record = {found.record[0], found.record[1]},
                                                    .skipped = {found.skipped[0], found.skipped[1]},
                                                    .gap = found.gap,
                                                    .root = !found.consequence,
                                                    .index = i,
                                                    .of = found.has_root ? found.root + 1 : 0,
                                                    .consequences = found.consequences};
        snprintf(difference->words, sizeof difference->words, "%s",
                 spoor_diff_class_what(found.kind));
        alignment_describe(diff, i, difference);
    }
    if (status == SPOOR_OK) {
        alignment->verdict = spoor_diff_verdict(diff);
        alignment->unlisted = spoor_diff_unretained(diff, alignment->unlisted_first);
    }
    spoor_diff_free(diff);
    if (alignment->count)
        qsort(alignment->differences, alignment->count, sizeof *alignment->differences,
              alignment_compare_records);
    if (!alignment_find_roots(alignment) && status == SPOOR_OK)
        status = spoor_error_set(error, SPOOR_ENOMEM, "out of memory");
    for (unsigned i = 0; i < 2; i++) {
        spoor_reader_close(alignment->sides[i].reader);
        alignment->sides[i].reader = NULL;
    }
    atomic_store(&alignment->state, status == SPOOR_OK ? ALIGNMENT_DONE : ALIGNMENT_FAILED);
    return NULL;
}

struct alignment *alignment_start(const char *const paths[2],
                                  const struct spoor_reader_options *reading)
{
    sigset_t all, before;
    struct alignment *alignment = calloc(1, sizeof *alignment);
    if (!alignment) return NULL;
    alignment->paths[0] = paths[0];
    alignment->paths[1] = paths[1];
    alignment->reading = *reading;
    alignment->reading.threads = 1;
    if (reading->threads == 1) {
        alignment_run(alignment);
        return alignment;
    }
    sigfillset(&all); /* signals belong to the thread of the terminal */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    alignment->has_thread = pthread_create(&alignment->thread, NULL, alignment_run, alignment) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!alignment->has_thread) {
        spoor_error_set(&alignment->error, SPOOR_ENOMEM, "no thread can be made to compare");
        atomic_store(&alignment->state, ALIGNMENT_FAILED);
    }
    return alignment;
}

void alignment_end(struct alignment *alignment)
{
    if (!alignment) return;
    atomic_store(&alignment->stop, true);
    if (alignment->has_thread) pthread_join(alignment->thread, NULL);
    for (unsigned i = 0; i < 2; i++) free(alignment->sides[i].counted);
    for (size_t i = 0; i < alignment->count; i++) {
        free(alignment->differences[i].instruction);
        free(alignment->differences[i].fields);
        free(alignment->differences[i].rows);
    }
    free(alignment->differences);
    free(alignment);
}

bool alignment_is_there(struct alignment *alignment, bool *news, const char **error)
{
    const int state = atomic_load(&alignment->state);
    *news = state != ALIGNMENT_RUNS && !alignment->announced;
    alignment->announced |= state != ALIGNMENT_RUNS;
    *error = state == ALIGNMENT_FAILED ? alignment->error.text : NULL;
    return state == ALIGNMENT_DONE;
}

uint64_t alignment_progress(const struct alignment *alignment)
{
    return atomic_load(&alignment->progress);
}

enum spoor_verdict alignment_verdict(const struct alignment *alignment)
{
    return alignment->verdict;
}

const struct alignment_difference *alignment_differences(const struct alignment *alignment,
                                                         size_t *count)
{
    *count = alignment->count;
    return alignment->differences;
}

uint64_t alignment_unlisted(const struct alignment *alignment, uint64_t first[2])
{
    for (unsigned side = 0; side < 2; side++) first[side] = alignment->unlisted_first[side];
    return alignment->unlisted;
}

/* ---- ordinals ---- */

/* The last counted place that is not after a record, or (by ordinal) not after an instruction. */
static struct counted_place alignment_counted_before(const struct aligned_side *side,
                                                     uint64_t number, bool ordinal)
{
    const size_t found = ordinal ? SORTED_UP_TO(side->counted, side->count, ordinal, number)
                                 : SORTED_UP_TO(side->counted, side->count, record, number);
    return found ? side->counted[found - 1] : (struct counted_place){0};
}

struct unit_count {
    const struct aligned_side *side;
    uint64_t ordinal; /* instructions so far */
    uint64_t wanted;  /* ends at the instruction with this number */
    uint64_t found;
};

static bool alignment_count_record(void *context, const struct spoor_record_visit *visited)
{
    struct unit_count *count = context;
    if (!alignment_begins_unit(count->side, visited->batch, visited->index)) return true;
    count->found = visited->record;
    return count->ordinal++ != count->wanted;
}

const struct spoor_error *alignment_failure(const struct alignment *alignment)
{
    return &alignment->failure;
}

/* Counts instructions from a record up to, but not including, `to`. */
static void alignment_count_between(struct alignment *alignment, struct spoor_explorer *explorer,
                                    uint64_t to, struct unit_count *count, uint64_t from)
{
    struct spoor_error error = {0};
    const enum spoor_status status =
        spoor_explorer_visit(explorer, from, to, alignment_count_record, count, &error);
    if (status < SPOOR_OK && status != SPOOR_EUSAGE && alignment->failure.status == SPOOR_OK)
        alignment->failure = error;
}

bool alignment_parts(const struct alignment *alignment)
{
    const struct alignment_difference *last =
        alignment->count ? &alignment->differences[alignment->count - 1] : NULL;
    if (!last || alignment->verdict == SPOOR_VERDICT_LOST) return last != NULL;
    bool parts = last->gap;
    for (unsigned side = 0; side < 2; side++)
        parts = parts && last->skipped[side] &&
                last->ordinal[side] + last->skipped[side] >= alignment->sides[side].instructions;
    return parts;
}

uint64_t alignment_ordinal(struct alignment *alignment, unsigned side,
                           struct spoor_explorer *explorer, uint64_t record)
{
    struct aligned_side *of = &alignment->sides[side];
    struct counted_place from = alignment_counted_before(of, record, false);
    if (of->last.record > from.record && of->last.record <= record) from = of->last;
    struct unit_count count = {.side = of, .ordinal = from.ordinal, .wanted = UINT64_MAX};
    alignment_count_between(alignment, explorer, record + 1, &count, from.record);
    of->last = (struct counted_place){record + 1, count.ordinal};
    return count.ordinal ? count.ordinal - 1 : 0;
}

/* The last difference that does not begin after an instruction; NULL: none. */
static const struct alignment_difference *
alignment_difference_before(const struct alignment *alignment, unsigned side, uint64_t ordinal)
{
    const size_t found =
        SORTED_UP_TO(alignment->differences, alignment->count, ordinal[side], ordinal);
    return found ? &alignment->differences[found - 1] : NULL;
}

void alignment_number(struct alignment *alignment, struct spoor_explorer *const explorers[2])
{
    for (size_t i = 0; i < alignment->count; i++)
        for (unsigned side = 0; side < 2; side++) {
            struct alignment_difference *difference = &alignment->differences[i];
            difference->ordinal[side] =
                alignment_ordinal(alignment, side, explorers[side], difference->record[side]);
        }
}

uint64_t alignment_record(struct alignment *alignment, unsigned side,
                          struct spoor_explorer *explorer, uint64_t ordinal)
{
    const struct aligned_side *of = &alignment->sides[side];
    if (ordinal >= of->instructions) return UINT64_MAX;
    const struct counted_place from = alignment_counted_before(of, ordinal, true);
    struct unit_count count = {
        .side = of, .ordinal = from.ordinal, .wanted = ordinal, .found = from.record};
    alignment_count_between(alignment, explorer, UINT64_MAX, &count, from.record);
    return count.found;
}

uint64_t alignment_other(struct alignment *alignment, unsigned side, uint64_t ordinal,
                         struct spoor_explorer *other)
{
    const struct alignment_difference *difference =
        alignment_difference_before(alignment, side, ordinal);
    uint64_t wanted = ordinal;
    if (difference) {
        const uint64_t after = ordinal - difference->ordinal[side];
        const uint64_t skipped = difference->skipped[side];
        wanted = difference->ordinal[!side];
        if (after >= skipped) wanted += difference->skipped[!side] + after - skipped;
    }
    const uint64_t instructions = alignment->sides[!side].instructions;
    if (wanted >= instructions) wanted = instructions ? instructions - 1 : 0;
    const uint64_t record = alignment_record(alignment, !side, other, wanted);
    return record == UINT64_MAX ? 0 : record;
}

const struct alignment_difference *alignment_at(const struct alignment *alignment, unsigned side,
                                                uint64_t ordinal)
{
    const struct alignment_difference *difference =
        alignment_difference_before(alignment, side, ordinal);
    if (!difference) return NULL;
    const uint64_t length = difference->gap ? difference->skipped[side] : 1;
    return ordinal - difference->ordinal[side] < length ? difference : NULL;
}
