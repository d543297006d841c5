/* SPDX-License-Identifier: MIT */
/*
 * pipe_timeline.c: a timeline of micro-ops for a terminal, 100 columns wide.
 *
 * A line for each micro-op, a column for each cycle.  If a micro-op ends beyond the right edge, the
 * next block begins; the ruler above a block has its cycles.  If micro-ops take so long that few
 * fit in a block, a column stands for several cycles.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sorted.h"
#include "cli/pipe_against.h"
#include "cli/pipe_picture.h"
#include "cli/pipe_view.h"

enum { MAXIMUM = 4096 };

/* ---- the log of another machine ---- */

/* The bar of the log below that of its micro-op, with the same letters. */
static void timeline_put_log(struct picture *picture, const struct spoor_pipeline_event *event,
                             const struct view *view, int64_t shift)
{
    static const char letters[SPOOR_MOMENTS] = {'.', 'X', '-', 'C'};
    const struct log_pair *pair = picture_log_pair(picture, event->ordinal);
    char bar[VIEW_BAR + 1] = "", label[VIEW_LABEL + 32];
    uint64_t at[SPOOR_MOMENTS], from = UINT64_MAX;
    char last = ' '; /* of the moment before */
    if (!pair || (event->why & SPOOR_WHY_SQUASHED)) return;
    memset(bar, ' ', VIEW_BAR);
    for (int i = 0; i < SPOOR_MOMENTS; i++) {
        const int64_t time = (int64_t)pair->log.time[i] + shift;
        at[i] = time > (int64_t)view->base ? (uint64_t)time : view->base;
        if (!(pair->log.has >> i & 1)) continue;
        const bool same =
            i == SPOOR_MOMENT_COMPLETE && from == at[i]; /* it executes in that cycle */
        if (from != UINT64_MAX && at[i] > from) view_fill(bar, view, from, at[i], last);
        if (!same)
            view_fill(bar, view, at[i], at[i] + 1, i == SPOOR_MOMENT_FETCH ? 'F' : letters[i]);
        from = at[i] + (i == SPOOR_MOMENT_FETCH || same);
        last = letters[i];
    }
    const int64_t apart =
        (int64_t)pair->log.time[SPOOR_MOMENT_RETIRE] + shift - (int64_t)event->retire;
    const uint64_t far = apart < 0 ? 0 - (uint64_t)apart : (uint64_t)apart;
    snprintf(label, sizeof label, "%c %4s %10" PRIu64 " %+" PRId64,
             far > picture->pairs->tolerance ? '*' : ' ', "log", pair->log.number, apart);
    view_put_bar(&picture->text, label, bar);
}

/* ---- blocks ---- */

static void timeline_span(const void *context, size_t index, uint64_t *begin, uint64_t *end)
{
    const struct picture *picture = context;
    *begin = picture->kept[index].event.fetch;
    *end = picture->kept[index].event.retire;
}

static void timeline_end(struct picture *picture)
{
    picture_sort(picture);
    const int64_t shift = picture->pairs ? picture_log_shift(picture) : 0;
    text_puts(
        &picture->text,
        picture->model == SPOOR_OUT_OF_ORDER
            ? "F fetch  . waits to issue  X executes  - waits to commit  C commit  ! squashed\n"
        : picture->model == SPOOR_IN_ORDER
            ? "X executes\n"
            : "F fetch  D decode  X execute  M memory  W write back\n");
    if (picture->pairs)
        text_puts(
            &picture->text,
            "log: its number, and by how many cycles it leaves later; * more than tolerated\n");
    if (!picture->kept_count) text_puts(&picture->text, "(no micro-op)\n");
    for (size_t i = 0; i < picture->kept_count;) {
        const struct view view = view_choose(timeline_span, picture, i, picture->kept_count);
        const size_t block_end =
            i + view_shown(&view, timeline_span, picture, i, picture->kept_count);
        view_put_ruler(&picture->text, &view);
        for (; i < block_end; i++) {
            const struct spoor_pipeline_event *event = &picture->kept[i].event;
            const struct spoor_operation *operation = &picture->kept[i].operation;
            char bar[VIEW_BAR + 1] = "", label[VIEW_LABEL + 1], names[PICTURE_WORDS];
            memset(bar, ' ', VIEW_BAR);
            if (picture->model == SPOOR_OUT_OF_ORDER) {
                /* The stage drawn last wins if a column is several cycles. */
                const bool squashed = event->why & SPOOR_WHY_SQUASHED;
                const uint64_t retire = event->retire;
                const uint64_t issue = event->issue < retire ? event->issue : retire;
                const uint64_t complete = event->complete < retire ? event->complete : retire;
                view_fill(bar, &view, event->fetch + 1, issue, '.');
                view_fill(bar, &view, complete, retire, '-');
                view_fill(bar, &view, issue, complete, 'X');
                view_fill(bar, &view, event->fetch, event->fetch + 1, 'F');
                view_fill(bar, &view, retire, retire + 1, squashed ? '!' : 'C');
            } else if (picture->model == SPOOR_FIVE_STAGE) {
                view_fill(bar, &view, event->fetch, event->decode, 'F');
                view_fill(bar, &view, event->decode, event->issue, 'D');
                view_fill(bar, &view, event->issue, event->complete, 'X');
                view_fill(bar, &view, event->complete, event->retire, 'M');
                view_fill(bar, &view, event->retire, event->retire + 1, 'W');
            } else
                view_fill(bar, &view, event->issue, event->complete, 'X');
            struct spoor_location place;
            if (picture_locate(picture, operation->pc, &place) &&
                (place.function != picture->place.function ||
                 place.source != picture->place.source)) {
                picture->place = place;
                text_printf(&picture->text, "%s%s%s%s%s\n", place.function ? place.function : "",
                            place.function && place.source ? " " : "",
                            place.source ? place.source : "", place.text ? ": " : "",
                            place.text ? place.text : "");
            }
            picture_put_words(picture, operation, names);
            snprintf(label, sizeof label, "%6" PRIu64 " %10" PRIx64 " %-17.17s", event->ordinal,
                     operation->pc, names);
            view_put_bar(&picture->text, label, bar);
            if (picture->pairs) timeline_put_log(picture, event, &view, shift);
        }
    }
    if (picture->kept_count == MAXIMUM)
        text_printf(&picture->text, "(the first %d; select a smaller range)\n", MAXIMUM);
}

const struct picture_kind picture_timeline = {
    .event = picture_keep, .end = timeline_end, .maximum = MAXIMUM};

/* ---- as a table ---- */

static void timeline_end_rows(struct picture *picture)
{
    picture_sort(picture);
    picture->rows = spoor_result_new_array();
    for (size_t i = 0; i < picture->kept_count; i++) {
        const struct spoor_operation *operation = &picture->kept[i].operation;
        const struct spoor_pipeline_event *at = &picture->kept[i].event;
        struct spoor_result *row = spoor_result_object(picture->rows, NULL);
        char label[128], squashed[40] = "";
        if (at->why & SPOOR_WHY_SQUASHED)
            snprintf(squashed, sizeof squashed, " squashed at %" PRIu64, at->retire);
        char words[PICTURE_WORDS];
        picture_put_words(picture, operation, words);
        snprintf(label, sizeof label, "%" PRIu64 " %.60s%s", at->ordinal, words, squashed);
        spoor_result_text(row, "label", label);
        spoor_result_unsigned(row, "micro_op", at->ordinal);
        spoor_result_hex(row, "pc", operation->pc);
        switch (picture->model) {
        case SPOOR_OUT_OF_ORDER:
            spoor_result_unsigned(row, "fetch", at->fetch);
            if (at->fetch + 1 < at->issue && at->fetch + 1 < at->retire)
                spoor_result_unsigned(row, "wait", at->fetch + 1);
            if (at->issue < at->retire) spoor_result_unsigned(row, "execute", at->issue);
            if (at->complete < at->retire) spoor_result_unsigned(row, "done", at->complete);
            spoor_result_unsigned(row, at->why & SPOOR_WHY_SQUASHED ? "squash" : "commit",
                                  at->retire);
            break;
        case SPOOR_IN_ORDER:
            spoor_result_unsigned(row, "execute", at->issue);
            spoor_result_unsigned(row, "done", at->complete);
            break;
        default:
            spoor_result_unsigned(row, "fetch", at->fetch);
            spoor_result_unsigned(row, "decode", at->decode);
            spoor_result_unsigned(row, "execute", at->issue);
            spoor_result_unsigned(row, "memory", at->complete);
            spoor_result_unsigned(row, "write_back", at->retire);
        }
    }
}

const struct picture_kind picture_rows = {
    .event = picture_keep, .end = timeline_end_rows, .maximum = MAXIMUM};
