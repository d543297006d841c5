/* SPDX-License-Identifier: MIT */
/* slice.c: the verb `slice`, which prints the sources of a value, or its uses, as a tree. */
#include "cli/inquiry.h"
#include "cli/selection.h"

struct slice_settings {
    struct settings common;
    const char *at;
    const char *subject; /* the last operand */
    uint64_t depth;
    bool forward;
};

static const struct option options[] = {
    MOMENT_OPTION(offsetof(struct slice_settings, at)),
    OPT(0, "depth", NUMBER, "N", offsetof(struct slice_settings, depth), "(default: 10)"),
    OPT_FLAG(0, "forward", offsetof(struct slice_settings, forward),
             "print the flow out of the value after the moment"),
    IMAGE_OPTIONS,
    BYTE_ORDER_OPTIONS,
    SELECTION_OPTIONS,
    OPTION_END,
};

void slice_give_flow(struct inquiry *inquiry, const struct spoor_dataflow *flow,
                     struct spoor_result *result)
{
    char words[INSTRUCTION_TEXT];
    struct spoor_result *nodes = spoor_result_array(result, "nodes");
    struct spoor_dataflow_node node = {.struct_size = sizeof node};
    for (size_t i = 0; spoor_dataflow_node(flow, i, &node); i++) {
        struct spoor_result *entry = spoor_result_object(nodes, NULL);
        spoor_result_unsigned(entry, "id", i);
        spoor_result_unsigned(entry, "depth", node.depth);
        spoor_result_unsigned_if(entry, "record", node.written, node.record);
        spoor_result_hex_if(entry, "pc", node.has_instruction, node.pc);
        if (node.has_instruction) inquiry_instruction(inquiry, node.instruction, words);
        spoor_result_text(entry, "instruction", node.has_instruction ? words : NULL);
        spoor_result_text(entry, "what", node.what);
        spoor_result_text(entry, "value", node.value);
        struct spoor_result *from = spoor_result_array(entry, "from");
        for (size_t j = 0; j < node.from_count; j++)
            spoor_result_unsigned(from, NULL, node.from[j]);
        spoor_result_text(entry, "stop", node.stop);
    }
}

static bool slice_answer(struct inquiry *inquiry, const void *context, struct spoor_result *result)
{
    const struct slice_settings *settings = context;
    uint64_t moment;
    struct spoor_subject subject;
    struct spoor_dataflow *slice;
    struct spoor_error error = {0};
    const struct spoor_dataflow_options chosen = {
        .struct_size = sizeof chosen,
        .depth = (uint32_t)settings->depth,
        .forward = settings->forward,
    };
    if (!inquiry_moment(inquiry, settings->at, &moment) ||
        !inquiry_subject(inquiry, settings->subject, moment, &subject))
        return false;
    const enum spoor_status status =
        spoor_explorer_dataflow(inquiry->explorer, &subject, moment, &chosen, &slice, &error);
    if (status != SPOOR_OK) {
        inquiry_fail(inquiry, status, &error);
        return false;
    }
    spoor_result_bool(result, "forward", settings->forward);
    slice_give_flow(inquiry, slice, result);
    image_set_name(&inquiry->located, result, NULL);
    spoor_dataflow_free(slice);
    return true;
}

static int slice_run(void *chosen)
{
    struct slice_settings *settings = chosen;
    if (settings->common.operand_count < 2) {
        complain("slice: expected traces and a register or an address: slice TRACE... "
                 "REG|ADDR[+BYTES] --at MOMENT");
        return EXIT_USAGE;
    }
    settings->subject = settings->common.operands[--settings->common.operand_count];
    return run_each_trace(&settings->common, inquiry_trace, settings);
}

const struct verb verb_slice = {
    .name = "slice",
    .brief = "trace a value back to its sources, or forward to its uses",
    .operands = "TRACE... REG|ADDR[+BYTES]",
    .about = "Prints the dynamic data flow into the value of a register or of bytes of memory at "
             "a moment, as a tree: the instruction that wrote it, the sources of that instruction, "
             "their writers, and so on, back to constants, input and the start of the trace.  With "
             "--forward it prints the flow out of the value.  Registers that only form an address "
             "are not followed.",
    .options = options,
    .settings_size = sizeof(struct slice_settings),
    .results = true,
    .follows = true,
    .machine = true,
    .seeks = true,
    .run = slice_run,
    .answer = slice_answer,
};
