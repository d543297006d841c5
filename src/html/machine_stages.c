/* SPDX-License-Identifier: MIT */
/* machine_stages.c: the stages of simulated machines, and when a micro-op was in each. */
#include "html/machine_stages.h"

static const struct machine_stage stages[][MACHINE_STAGES] = {
    [SPOOR_OUT_OF_ORDER] = {{"F", "fetch", 0},
                            {"Q", "waits to issue", 12},
                            {"X", "executes", 3},
                            {"C", "waits to commit", 5}},
    [SPOOR_IN_ORDER] = {{"X", "executes", 3}},
    [SPOOR_FIVE_STAGE] = {{"F", "fetch", 0},
                          {"D", "decode", 1},
                          {"X", "execute", 3},
                          {"M", "memory", 4},
                          {"W", "write back", 6}},
};
const struct machine_stage *machine_stages(enum spoor_pipeline_model model)
{
    return stages[model];
}

static uint64_t machine_stage_earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

size_t machine_stage_cycles(enum spoor_pipeline_model model,
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
    for (size_t i = 0; i < count; i++) at[i] = at[i] > event->fetch ? at[i] - event->fetch : 0;
    return count;
}
