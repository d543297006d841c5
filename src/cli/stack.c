/* SPDX-License-Identifier: MIT */
/* stack.c: the verb `stack`, which lists the calls that are open at a moment. */
#include "cli/inquiry.h"
#include "cli/selection.h"

struct stack_settings {
    struct settings common;
    const char *at;
};

static const struct option options[] = {
    MOMENT_OPTION(offsetof(struct stack_settings, at)),
    IMAGE_OPTIONS,
    SELECTION_OPTIONS,
    OPTION_END,
};

void stack_give_frames(const struct inquiry *inquiry, const struct spoor_state *state, unsigned cpu,
                       struct spoor_result *frames)
{
    struct spoor_frame frame = {.struct_size = sizeof frame};
    for (size_t i = spoor_state_depth(state, cpu);
         i-- > 0 && spoor_state_frame(state, cpu, i, &frame);) {
        struct spoor_result *entry = spoor_result_object(frames, NULL);
        spoor_result_unsigned(entry, "depth", i);
        spoor_result_hex_if(entry, "pc", frame.known, frame.function);
        spoor_result_text(entry, "kind", frame.kind == SPOOR_CALL_EXCEPTION ? "exception" : "call");
        spoor_result_unsigned(entry, "record", frame.record);
        inquiry_give_time(entry, inquiry, frame.record, frame.time);
        spoor_result_hex_if(entry, "from", !frame.nowhere, frame.from);
        spoor_result_hex_if(entry, "return", frame.has_back, frame.back);
        spoor_result_hex_if(entry, "sp", frame.has_sp, frame.sp);
    }
}

static bool stack_answer(struct inquiry *inquiry, const void *context, struct spoor_result *result)
{
    const struct stack_settings *settings = context;
    uint64_t moment;
    struct spoor_state *state = NULL;
    struct spoor_error error = {0};
    if (!inquiry_moment(inquiry, settings->at, &moment) ||
        !inquiry_give_moment(inquiry, moment, result))
        return false;
    const enum spoor_status status =
        spoor_explorer_state(inquiry->explorer, moment, &state, &error);
    if (status != SPOOR_OK) {
        inquiry_fail(inquiry, status, &error);
        return false;
    }
    struct spoor_result *cpus = spoor_result_array(result, "cpus");
    const unsigned cpu_count = spoor_explorer_cpu_count(inquiry->explorer);
    for (unsigned cpu = 0; cpu < cpu_count; cpu++) {
        const size_t depth = spoor_state_depth(state, cpu);
        struct spoor_result *entry = spoor_result_object(cpus, NULL);
        inquiry_give_cpu_state(inquiry, state, cpu, moment, entry);
        if (depth >= SPOOR_STACK_WHOLE)
            complain("cpu %s: the innermost %zu calls are kept: outermost ones may be missing",
                     spoor_explorer_cpu_name(inquiry->explorer, cpu), depth);
        stack_give_frames(inquiry, state, cpu, spoor_result_array(entry, "frames"));
    }
    image_set_name(&inquiry->located, result, NULL);
    spoor_state_free(state);
    return true;
}

const struct verb verb_stack = {
    .name = "stack",
    .brief = "list the calls that are open at a moment",
    .operands = "TRACE...",
    .about = "Prints the calls of every cpu that have not returned yet, innermost first: the "
             "function, the place of the call, and its time.  Exceptions are frames, too.  Calls "
             "that never return are open at the end of the trace.",
    .options = options,
    .settings_size = sizeof(struct stack_settings),
    .results = true,
    .many = true,
    .follows = true,
    .seeks = true,
    .each = inquiry_trace,
    .answer = stack_answer,
};
