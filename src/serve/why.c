/* SPDX-License-Identifier: MIT */
/* why.c: where a value came from, or where it went. */
#include <inttypes.h>

#include "serve/internal.h"

enum { USUAL_DEPTH = 40, DEEPEST_FLOW = 10000, NODES = 600 };

/* The flow of data into `what` (a register, an address with +BYTES, a symbol) after the row of
 * `at`, or with forward=1 out of it.  A node has the numbers of those that its value came from. */
void ask_why(struct question *question)
{
    struct spoor_explorer *explorer = question->trace->explorer;
    const char *what = parameter(question, "what"), *forward = parameter(question, "forward");
    struct text *out = question->out;
    struct spoor_error error = {0};
    struct spoor_subject subject;
    struct spoor_dataflow *flow;
    struct spoor_dataflow_node node = {.struct_size = sizeof node};
    uint64_t moment, depth = USUAL_DEPTH;
    unsigned cpu = 0;
    bool given;
    if (!question_moment(question, &moment) || !parameter_cpu(question, &cpu, &given) ||
        !parameter_number(question, "depth", DEEPEST_FLOW, &depth))
        return;
    const struct spoor_dataflow_options options = {.struct_size = sizeof options,
                                                   .depth = (uint32_t)depth,
                                                   .forward = forward && strcmp(forward, "1") == 0};
    enum spoor_status status =
        spoor_explorer_subject(explorer, what ? what : "", cpu, moment, &subject, &error);
    if (status == SPOOR_OK)
        status = spoor_explorer_dataflow(explorer, &subject, moment, &options, &flow, &error);
    if (status != SPOOR_OK) {
        refuse_error(question, status, &error);
        return;
    }
    const size_t count = spoor_dataflow_count(flow);
    json_begin(out, "nodes", '[');
    for (size_t i = 0; i < count && i < NODES && spoor_dataflow_node(flow, i, &node); i++) {
        char words[128];
        json_begin(out, NULL, '{');
        json_text(out, "what", node.what);
        if (node.value) json_text(out, "value", node.value);
        if (node.stop) json_text(out, "stop", node.stop);
        json_number(out, "depth", node.depth);
        if (node.written) json_number(out, "record", node.record);
        if (node.has_instruction) {
            json_hex(out, "pc", node.pc);
            json_located(question, node.pc);
            if (spoor_explorer_text(explorer, node.instruction, words, sizeof words, NULL) ==
                SPOOR_OK)
                json_text(out, "text", words);
        }
        json_begin(out, "from", '[');
        for (size_t j = 0; j < node.from_count; j++)
            if (node.from[j] < NODES) json_number(out, NULL, node.from[j]);
        json_end(out, ']');
        json_end(out, '}');
    }
    json_end(out, ']');
    json_number(out, "count", count);
    spoor_dataflow_free(flow);
}
