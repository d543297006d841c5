/* SPDX-License-Identifier: MIT */
/*
 * pipe_o3.c: the O3PipeView text of gem5, as its util/o3-pipeview.py and Konata read it: seven
 * lines per micro-op, times in ticks, 1,000 per cycle.  A squashed micro-op retires at tick 0.
 */
#include <inttypes.h>

#include "cli/pipe_picture.h"

enum { TICKS = 1000 };

static void o3_put_stage(struct text *text, const char *stage, uint64_t cycle)
{
    const uint64_t tick = cycle == SPOOR_NO_CYCLE ? 0 : (cycle + 1) * TICKS;
    text_printf(text, "O3PipeView:%s:%" PRIu64 "\n", stage, tick);
}

static void o3_event(struct picture *picture, const struct spoor_pipeline_event *event)
{
    struct text *text = &picture->text;
    const struct spoor_operation *operation = event->operation;
    const bool squashed = event->why & SPOOR_WHY_SQUASHED;
    const bool stores = operation->is & SPOOR_UOP_STORE && !squashed;
    char words[PICTURE_WORDS];
    picture_put_words(picture, operation, words);
    text_printf(text, "O3PipeView:fetch:%" PRIu64 ":0x%08" PRIx64 ":0:%" PRIu64 ":%s\n",
                (event->fetch + 1) * TICKS, operation->pc, picture->id++, words);
    o3_put_stage(text, "decode", event->decode);
    o3_put_stage(text, "rename", event->decode);
    o3_put_stage(text, "dispatch", event->decode);
    o3_put_stage(text, "issue", event->issue);
    o3_put_stage(text, "complete", event->complete);
    text_printf(text, "O3PipeView:retire:%" PRIu64 ":store:%" PRIu64 "\n",
                squashed ? 0 : (event->retire + 1) * TICKS,
                stores ? (event->retire + 1) * TICKS : 0);
}

const struct picture_kind picture_o3 = {.event = o3_event};
