/* SPDX-License-Identifier: MIT */
/* machine_stages.c: the stages of simulated machines, and when a micro-op was in each. */
#include "html/machine_stages.h"

#include "base/json.h"

enum { MACHINE_STAGES = 5 };

static const struct machine_stage {
    const char *name; /* NULL: there is none */
    unsigned color;
} stages[][MACHINE_STAGES + 1] = {
    [SPOOR_OUT_OF_ORDER] = {{"fetch", 0},
                            {"waits to issue", 12},
                            {"executes", 3},
                            {"waits to commit", 5}},
    [SPOOR_IN_ORDER] = {{"executes", 3}},
    [SPOOR_FIVE_STAGE] =
        {{"fetch", 0}, {"decode", 1}, {"execute", 3}, {"memory", 4}, {"write back", 6}},
};

void stage_put(struct text *out, const char *name, unsigned color)
{
    json_begin(out, NULL, '[');
    json_text(out, NULL, name);
    json_number(out, NULL, color);
    json_end(out, ']');
}

void machine_put_stages(struct text *out, enum spoor_pipeline_model model)
{
    json_begin(out, "stages", '[');
    for (const struct machine_stage *stage = stages[model]; stage->name; stage++)
        stage_put(out, stage->name, stage->color);
    json_end(out, ']');
}

static uint64_t machine_stage_earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The cycles at which the stages of a micro-op begin, and the one after the last; returns their
 * number. */
static size_t machine_stage_cycles(enum spoor_pipeline_model model,
                                   const struct spoor_pipeline_event *event,
                                   uint64_t at[MACHINE_STAGES + 1])
{
    const uint64_t end = event->retire + 1;
    const uint64_t issue = machine_stage_earlier(event->issue, end),
                   complete = machine_stage_earlier(event->complete, end);
    size_t count = 5;
    at[0] = event->fetch;
    at[1] = machine_stage_earlier(event->fetch + 1, issue);
    at[2] = issue;
    at[3] = complete;
    at[4] = end;
    if (model == SPOOR_IN_ORDER) {
        at[0] = issue;
        at[1] = complete;
        count = 2;
    } else if (model == SPOOR_FIVE_STAGE) {
        at[1] = machine_stage_earlier(event->decode, issue);
        at[4] = machine_stage_earlier(event->retire, end);
        at[5] = end;
        count = 6;
    }
    for (size_t i = 0; i < count; i++)
        if (at[i] < event->fetch) at[i] = event->fetch;
    return count;
}

void machine_begin_row(struct text *out, enum spoor_pipeline_model model,
                       const struct spoor_pipeline_event *event, uint64_t pc)
{
    const uint64_t producers[] = {event->producer[0], event->producer[1], event->producer[2],
                                  event->store};
    uint64_t cycles[MACHINE_STAGES + 1];
    const size_t count = machine_stage_cycles(model, event, cycles);
    json_begin(out, NULL, '{');
    json_number(out, "number", event->ordinal);
    json_hex(out, "pc", pc);
    json_number(out, "begin", event->fetch);
    json_number(out, "end", event->retire + 1);
    if (event->why & SPOOR_WHY_SQUASHED) json_bool(out, "squashed", true);
    if (event->why) json_number(out, "why", event->why);
    json_begin(out, "stages", '[');
    for (size_t i = 0; i + 1 < count; i++) {
        if (cycles[i] == cycles[i + 1]) continue;
        json_number(out, NULL, i);
        json_number(out, NULL, 0);
        json_number(out, NULL, cycles[i]);
        json_number(out, NULL, cycles[i + 1]);
    }
    json_end(out, ']');
    bool any = false;
    for (size_t i = 0; i < sizeof producers / sizeof *producers; i++) {
        if (!producers[i]) continue;
        if (!any) json_begin(out, "waits", '[');
        any = true;
        json_number(out, NULL, producers[i] - 1);
    }
    if (any) json_end(out, ']');
}
