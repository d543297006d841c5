/* SPDX-License-Identifier: MIT */
/*
 * o3_convert.c: blocks of O3PipeView from the instructions of another log of stages, in the order
 * in which they leave the pipeline.
 *
 * gem5 has no tick 0, so cycle N is tick (N + 1) * 1000.  A log that states how many ticks a cycle
 * had, because it was written from O3PipeView, gets the ticks that it had.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "formats/stages/write.h"

enum { TICKS = 1000 /* of a cycle, as gem5's own viewer assumes */ };

/* The tick of a stage; 0: it was not reached. */
static uint64_t tick_of(const struct stage_converter *converter, const struct stage_flight *flight,
                        enum stage_of_gem5 stage)
{
    if (!(flight->has >> stage & 1)) return 0;
    if (flight->written >> stage & 1) return flight->time[stage];
    return converter->ticks ? flight->time[stage] * converter->ticks
                            : (flight->time[stage] + 1) * TICKS;
}

static void put_flight(struct encoder *encoder, struct stage_converter *converter,
                       struct stage_flight *flight, struct text *out)
{
    const enum stage_of_gem5 last = STAGE_RETIRE;
    (void)encoder;
    if (!flight->squashed && !(flight->has >> last & 1)) {
        flight->time[last] = flight->end;
        flight->has |= 1U << last;
    }
    const uint64_t fetch = tick_of(converter, flight, STAGE_FETCH);
    text_printf(out, "O3PipeView:fetch:%" PRIu64 ":0x%08" PRIx64 ":%" PRIu32 ":%" PRIu64 ":", fetch,
                flight->pc, flight->micro, flight->id);
    text_put(out, flight->text ? flight->text : "", flight->size);
    if (flight->thread)
        text_printf(out, "\nO3PipeView:thread:%" PRIu64 ":%" PRIu32, fetch, flight->thread);
    for (enum stage_of_gem5 stage = STAGE_DECODE; stage <= STAGE_RETIRE; stage++)
        text_printf(out, "\nO3PipeView:%s:%" PRIu64, stage_words[stage].gem5,
                    tick_of(converter, flight, stage));
    text_printf(out, ":store:%" PRIu64 "\n", tick_of(converter, flight, STAGE_STORE));
    free(flight->text);
}

static void end(struct encoder *encoder, struct stage_converter *converter, struct text *out)
{
    (void)encoder;
    (void)converter;
    (void)out;
}

const struct stage_style o3_style = {.flight = put_flight, .end = end};
