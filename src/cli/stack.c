/* SPDX-License-Identifier: MIT */
/* stack.c: the verb `stack`, which lists the calls that are open at a moment. */
#include "cli/inquiry.h"
#include "cli/layout.h"
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

/* No `pc`: the handler of an exception has not begun. */
static const char STACK_FRAME[] =
    "  #{number:-3} [{pc:0*0}|<(handler)>-*1]"
    "  [{?kind=exception}exception at|called from ] "
    "[{from:0*0}|a place that is not in the trace], record {record}[, time {time} {unit}]"
    "[{pc@&}|, not begun yet]\n";

void stack_put_frames(struct inquiry *inquiry, const struct spoor_state *state, unsigned cpu,
                      const char *unit, struct text *text, struct spoor_result *frames)
{
    const size_t depth = spoor_state_depth(state, cpu);
    const bool is_text = !prints_data(inquiry->settings);
    struct layout layout = layout_of(inquiry->settings, &inquiry->located);
    struct spoor_frame frame;
    uint64_t addresses = UINT32_MAX; /* at least 8 digits */
    for (size_t i = 0; spoor_state_frame(state, cpu, i, &frame); i++)
        addresses |= frame.function | frame.from;
    layout.widths[0] = (int)hex_digits(addresses);
    layout.widths[1] = layout.widths[0] + 2;
    for (size_t i = depth; i-- > 0 && spoor_state_frame(state, cpu, i, &frame);) {
        struct spoor_result *entry = spoor_result_object(frames, NULL);
        spoor_result_unsigned(entry, "depth", i);
        spoor_result_hex_if(entry, "pc", frame.known, frame.function);
        spoor_result_text(entry, "kind", frame.kind == SPOOR_CALL_EXCEPTION ? "exception" : "call");
        spoor_result_unsigned(entry, "record", frame.record);
        inquiry_give_time(entry, inquiry, frame.record, frame.time);
        spoor_result_hex_if(entry, "from", !frame.nowhere, frame.from);
        spoor_result_hex_if(entry, "return", frame.has_back, frame.back);
        spoor_result_hex_if(entry, "sp", frame.has_sp, frame.sp);
        if (!is_text) continue;
        spoor_result_unsigned(entry, "number", depth - 1 - i);
        spoor_result_text(entry, "unit", *unit ? unit : NULL);
        layout_put(&layout, STACK_FRAME, entry, text);
    }
}

static bool stack_answer(struct inquiry *inquiry, const void *context, struct text *text,
                         struct spoor_result *result)
{
    const struct stack_settings *settings = context;
    uint64_t moment;
    struct spoor_state *state = NULL;
    char unit[MOMENT_UNIT];
    struct spoor_error error = {0};
    if (!inquiry_moment(inquiry, settings->at, &moment) ||
        !inquiry_put_moment(inquiry, moment, unit, text, result))
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
        inquiry_put_cpu(inquiry, state, cpu, moment, depth ? "" : "  no call is open", text, entry);
        if (depth >= SPOOR_STACK_WHOLE)
            complain("cpu %s: the innermost %zu calls are kept: outermost ones may be missing",
                     spoor_explorer_cpu_name(inquiry->explorer, cpu), depth);
        stack_put_frames(inquiry, state, cpu, unit, text, spoor_result_array(entry, "frames"));
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
