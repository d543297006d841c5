/* SPDX-License-Identifier: MIT */
/*
 * pipe_timeline.c: a timeline of micro-ops for a terminal, 100 columns wide.
 *
 * A line for each micro-op, a column for each cycle.  Where a micro-op's life goes beyond the right
 * edge, the next block begins with the cycle of its fetch; the ruler above a block says its cycles.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/pipe_picture.h"

enum { WIDTH = 100, LABEL = 36, BAR = WIDTH - LABEL, MOST = 4096 };

static const char *legend(enum spoor_pipeline_model model)
{
    switch (model) {
    case SPOOR_OUT_OF_ORDER:
        return "F fetch  . waits to issue  X executes  - waits to commit  C commit  ! squashed\n";
    case SPOOR_IN_ORDER: return "X executes\n";
    default: return "F fetch  D decode  X execute  M memory  W write back\n";
    }
}

static void event(struct picture *picture, const struct spoor_pipeline_event *event)
{
    if (picture->kept_count < MOST) picture_keep(picture, event);
}

static int by_ordinal(const void *a, const void *b)
{
    const struct spoor_pipeline_event *left = &((const struct pictured *)a)->event;
    const struct spoor_pipeline_event *right = &((const struct pictured *)b)->event;
    if (left->ordinal != right->ordinal) return left->ordinal < right->ordinal ? -1 : 1;
    return left->fetch < right->fetch ? -1 : left->fetch > right->fetch;
}

/* ---- a bar ---- */

/* Cycles [from, to) of a bar that begins with cycle `base`. */
static void fill(char bar[BAR + 1], uint64_t base, uint64_t from, uint64_t to, char with)
{
    for (uint64_t cycle = from; cycle < to && cycle - base < BAR; cycle++) bar[cycle - base] = with;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void draw_out_of_order(char bar[BAR + 1], uint64_t base,
                              const struct spoor_pipeline_event *event)
{
    const bool squashed = event->why & SPOOR_WHY_SQUASHED;
    const uint64_t issue = least(event->issue, event->retire);
    const uint64_t complete = least(event->complete, event->retire);
    fill(bar, base, event->fetch, event->fetch + 1, 'F');
    fill(bar, base, event->fetch + 1, issue, '.');
    fill(bar, base, issue, complete, 'X');
    fill(bar, base, complete, event->retire, '-');
    fill(bar, base, event->retire, event->retire + 1, squashed ? '!' : 'C');
}

static void draw_five_stage(char bar[BAR + 1], uint64_t base,
                            const struct spoor_pipeline_event *event)
{
    fill(bar, base, event->fetch, event->decode, 'F');
    fill(bar, base, event->decode, event->issue, 'D');
    fill(bar, base, event->issue, event->complete, 'X');
    fill(bar, base, event->complete, event->retire, 'M');
    fill(bar, base, event->retire, event->retire + 1, 'W');
}

static void put_line(struct picture *picture, const struct pictured *pictured, uint64_t base)
{
    const struct spoor_operation *operation = &pictured->operation;
    char bar[BAR + 1] = "", label[LABEL + 1], names[64];
    memset(bar, ' ', BAR);
    if (picture->model == SPOOR_OUT_OF_ORDER)
        draw_out_of_order(bar, base, &pictured->event);
    else if (picture->model == SPOOR_FIVE_STAGE)
        draw_five_stage(bar, base, &pictured->event);
    else
        fill(bar, base, pictured->event.issue, pictured->event.complete, 'X');
    size_t used = BAR;
    while (used && bar[used - 1] == ' ') used--;
    snprintf(names, sizeof names, "%s %s", picture_name(picture, operation->macro),
             picture_name(picture, operation->micro));
    snprintf(label, sizeof label, "%6" PRIu64 " %10" PRIx64 " %-17.17s", pictured->event.ordinal,
             operation->pc, names);
    text_printf(&picture->text, "%-*s%.*s\n", LABEL, label, (int)used, bar);
}

/* ---- blocks ---- */

static void put_ruler(struct picture *picture, uint64_t base)
{
    char ruler[BAR + 32];
    memset(ruler, ' ', sizeof ruler);
    int used = 0;
    for (uint64_t at = 0; at < BAR; at += 10)
        used = (int)at + snprintf(ruler + at, 24, "|%-9" PRIu64, base + at);
    while (used > 0 && (ruler[used - 1] == ' ' || used > BAR)) used--;
    text_printf(&picture->text, "%-*s%.*s\n", LABEL, "micro-op         pc", used, ruler);
}

static void end(struct picture *picture)
{
    uint64_t base = 0;
    bool begun = false;
    qsort(picture->kept, picture->kept_count, sizeof *picture->kept, by_ordinal);
    text_puts(&picture->text, legend(picture->model));
    for (size_t i = 0; i < picture->kept_count; i++) {
        const struct spoor_pipeline_event *event = &picture->kept[i].event;
        if (!begun || event->fetch < base || event->retire >= base + BAR) {
            base = event->fetch;
            put_ruler(picture, base);
        }
        begun = true;
        put_line(picture, &picture->kept[i], base);
    }
    if (picture->kept_count == MOST)
        text_printf(&picture->text, "(the first %d; ask for a range of fewer)\n", MOST);
}

const struct picture_kind picture_timeline = {.event = event, .end = end};
