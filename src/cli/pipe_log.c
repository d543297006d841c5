/* SPDX-License-Identifier: MIT */
/*
 * pipe_log.c: print a line for each micro-op, as the course of the micro-op traces does.
 *
 * Out of order: "#: F I D C, r<architectural> -> p<physical> ... | MACRO MICRO", the cycles of
 * fetch, issue, result and commit, then sources, destinations and, in brackets, the register that
 * the commit frees.  Five stages: "f d x m w MACRO MICRO {reasons}".  In order: "#: issue | MACRO
 * MICRO".
 */
#include <inttypes.h>

#include "cli/pipe_picture.h"

static void pipe_log_event(struct picture *picture, const struct spoor_pipeline_event *event)
{
    struct text *text = &picture->text;
    const char *macro = picture_name(picture, event->operation->macro);
    const char *micro = picture_name(picture, event->operation->micro);
    if (event->why & SPOOR_WHY_SQUASHED) return;
    if (picture->model == SPOOR_FIVE_STAGE) {
        text_printf(text, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %s %s",
                    event->fetch, event->decode, event->issue, event->complete, event->retire,
                    macro, micro);
        static const char *const names[] = {"load-use", "bmispred", "i$miss", "d$miss"};
        const char *separator = "";
        text_puts(text, " {");
        for (int i = 0; i < 4; i++) {
            if (!(event->why >> i & 1)) continue;
            text_printf(text, "%s%s", separator, names[i]);
            separator = ", ";
        }
        text_puts(text, "}\n");
        return;
    }
    text_printf(text, "%" PRIu64 ": ", event->ordinal + 1);
    if (picture->model == SPOOR_OUT_OF_ORDER) {
        text_printf(text, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64, event->fetch,
                    event->issue, event->complete, event->retire);
        const struct spoor_operation *operation = event->operation;
        for (int i = 0; i < 3; i++)
            if (operation->source[i] != SPOOR_NO_REGISTER)
                text_printf(text, ", r%d -> p%d", operation->source[i], event->source[i]);
        for (int i = 0; i < 2; i++)
            if (operation->dest[i] != SPOOR_NO_REGISTER)
                text_printf(text, ", r%d -> p%d [p%d]", operation->dest[i], event->dest[i],
                            event->freed[i]);
    } else {
        text_printf(text, "%" PRIu64, event->issue);
    }
    text_printf(text, " | %s %s\n", macro, micro);
}

static void pipe_log_end(struct picture *picture)
{
    const uint64_t cycles = picture->micro_ops ? picture->last + 1 : 0;
    if (picture->model != SPOOR_OUT_OF_ORDER) return;
    text_printf(&picture->text, "Total cycles: %" PRIu64 " Total MicroOps: %" PRIu64 " IPC: %f\n",
                cycles, picture->micro_ops,
                cycles ? (double)picture->micro_ops / (double)cycles : 0.0);
}

const struct picture_kind picture_log = {.event = pipe_log_event, .end = pipe_log_end};
