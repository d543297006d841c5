/* SPDX-License-Identifier: MIT */
/*
 * pipe_kanata.c: a Kanata log, version 0004, for the viewer Konata.
 *
 * The file's time only goes forward, but a micro-op is reported when it retires.  Micro-ops are
 * fetched in order, so all moments before the fetch of the last reported micro-op can be written;
 * later ones are kept.  Ids are assigned in the order of the file.
 *
 * Stages of the out-of-order machine: F fetch, Q issue queue, X execution, C waiting for commit.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "cli/pipe_picture.h"

enum moment { FIRST, SECOND, THIRD, FOURTH, FIFTH, ENDED, MOMENTS };
enum { TELL_AT = 2048 };

/* One moment of one micro-op. */
struct stage_moment {
    uint64_t cycle, order;
    enum moment moment;
    struct picture_operation *of;
};

/* ---- the moments of a micro-op ---- */

static const char *const stages[][MOMENTS] = {
    [SPOOR_OUT_OF_ORDER] = {"F", "Q", "X", "C", NULL, NULL},
    [SPOOR_IN_ORDER] = {"X", NULL, NULL, NULL, NULL, NULL},
    [SPOOR_FIVE_STAGE] = {"F", "D", "X", "M", "W", NULL},
};

static uint64_t pipe_kanata_cycle(const struct picture *picture,
                                  const struct spoor_pipeline_event *event, enum moment moment)
{
    const bool textbook = picture->model == SPOOR_FIVE_STAGE;
    switch (moment) {
    case FIRST: return event->fetch;
    case SECOND: return textbook ? event->decode : event->fetch + 1;
    case THIRD: return event->issue;
    case FOURTH: return event->complete;
    case FIFTH: return event->retire;
    default: return event->retire + textbook;
    }
}

/* True if the micro-op has this moment: the stage exists and takes time. */
static bool kanata_has(const struct picture *picture, const struct spoor_pipeline_event *event,
                       enum moment moment)
{
    if (moment == FIRST || moment == ENDED) return true;
    if (!stages[picture->model][moment]) return false;
    const uint64_t cycle = pipe_kanata_cycle(picture, event, moment);
    if (moment == SECOND && cycle >= event->issue) return false;
    return cycle < pipe_kanata_cycle(picture, event, ENDED);
}

static int kanata_earlier(const void *a, const void *b)
{
    const struct stage_moment *left = a, *right = b;
    if (left->cycle != right->cycle) return left->cycle < right->cycle ? -1 : 1;
    if (left->order != right->order) return left->order < right->order ? -1 : 1;
    return (int)left->moment - (int)right->moment;
}

/* ---- lines ---- */

/* Writes all moments before cycle `until`, in order; then drops the finished micro-ops. */
static void pipe_kanata_write_until(struct picture *picture, uint64_t until)
{
    struct stage_moment *all = malloc((picture->kept_count * MOMENTS + 1) * sizeof *all);
    if (!all) {
        picture->text.failed = true;
        return;
    }
    size_t count = 0;
    for (size_t i = 0; i < picture->kept_count; i++) {
        struct picture_operation *of = &picture->kept[i];
        for (enum moment moment = FIRST; moment < MOMENTS; moment++) {
            const uint64_t cycle = pipe_kanata_cycle(picture, &of->event, moment);
            if (kanata_has(picture, &of->event, moment) && cycle >= picture->written_until &&
                cycle < until)
                all[count++] = (struct stage_moment){cycle, of->event.ordinal, moment, of};
        }
    }
    qsort(all, count, sizeof *all, kanata_earlier);
    for (size_t i = 0; i < count; i++) {
        const struct stage_moment *at = &all[i];
        struct text *text = &picture->text;
        const char *stage = stages[picture->model][at->moment];
        const bool squashed = at->of->event.why & SPOOR_WHY_SQUASHED;
        if (at->cycle > picture->cycle) {
            text_printf(text, "C\t%" PRIu64 "\n", at->cycle - picture->cycle);
            picture->cycle = at->cycle;
        }
        if (at->moment == FIRST) {
            struct picture_operation *of = at->of;
            const struct spoor_operation *operation = &of->operation;
            of->id = picture->id++;
            text_printf(text, "I\t%" PRIu64 "\t%" PRIu64 "\t0\n", of->id, of->event.ordinal);
            char words[PICTURE_WORDS];
            picture_put_words(picture, operation, words);
            text_printf(text, "L\t%" PRIu64 "\t0\t%" PRIx64 ": %s\n", of->id, operation->pc, words);
            struct spoor_location place;
            if (picture_locate(picture, operation->pc, &place))
                text_printf(text, "L\t%" PRIu64 "\t1\t%s+0x%" PRIx64 " %s\\n\n", of->id,
                            place.function ? place.function : "?", place.offset,
                            place.source ? place.source : "");
            if (operation->is & (SPOOR_UOP_LOAD | SPOOR_UOP_STORE))
                text_printf(text, "L\t%" PRIu64 "\t1\taddress %" PRIx64 "\n", of->id,
                            operation->address);
        }
        if (at->moment != ENDED) {
            text_printf(text, "S\t%" PRIu64 "\t0\t%s\n", at->of->id, stage);
        } else {
            text_printf(text, "R\t%" PRIu64 "\t%" PRIu64 "\t%d\n", at->of->id,
                        squashed ? 0 : picture->retired, squashed);
            picture->retired += !squashed;
        }
    }
    size_t left = 0;
    for (size_t i = 0; i < picture->kept_count; i++)
        if (pipe_kanata_cycle(picture, &picture->kept[i].event, ENDED) >= until)
            picture->kept[left++] = picture->kept[i];
    picture->kept_count = left;
    picture->written_until = until;
    picture->tell_at = left + TELL_AT;
    free(all);
}

static void kanata_event(struct picture *picture, const struct spoor_pipeline_event *event)
{
    picture_keep(picture, event);
    if (picture->kept_count < TELL_AT || picture->kept_count < picture->tell_at) return;
    if (!(event->why & SPOOR_WHY_SQUASHED)) pipe_kanata_write_until(picture, event->fetch);
}

static void kanata_end(struct picture *picture)
{
    pipe_kanata_write_until(picture, UINT64_MAX);
}

const struct picture_kind picture_kanata = {
    .head = "Kanata\t0004\nC=\t0\n", .event = kanata_event, .end = kanata_end};
