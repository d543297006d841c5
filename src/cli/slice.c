/* SPDX-License-Identifier: MIT */
/* slice.c: the verb `slice`, which prints the sources of a value, or its uses, as a tree. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/inquiry.h"
#include "cli/layout.h"
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

/* A node, aligned by the indentation that the tree above it has. */
#define SLICE_VALUE "<{what} = [{value}|?]>-*0"
static const char SLICE_NODE[] =
    "[<" SLICE_VALUE "  record {record}[  {pc:08}  {instruction}{pc@~}]>~"
    "[{?again}  (as above)|  ({stop})]|<" SLICE_VALUE "  {stop}>~]\n";

struct slice_tree {
    const struct spoor_dataflow *flow;
    struct spoor_result **rows; /* of the nodes */
    struct slice_successors {
        size_t *nodes, count, capacity;
    } * goes_to;             /* forward: by node, the nodes that it goes to */
    bool *drawn, lines[256]; /* lines: which levels continue on the left */
    struct text *text;
    struct layout layout;
    int width;      /* of `what` and `value`, so that the columns of records align */
    size_t deepest; /* levels that are indented; 0: all */
};

/* Prints the tree below a node. */
static void slice_draw(struct slice_tree *tree, size_t number, size_t level)
{
    enum { DEEPEST = 200 };
    struct text *text = tree->text;
    struct spoor_dataflow_node node;
    const size_t shown = tree->deepest && level > tree->deepest ? tree->deepest : level;
    const bool again = tree->drawn[number];
    spoor_dataflow_node(tree->flow, number, &node);
    for (size_t i = 0; i + 1 < shown; i++) text_puts(text, tree->lines[i] ? "│  " : "   ");
    if (level) text_puts(text, tree->lines[level - 1] ? "├─ " : "└─ ");
    if (shown < level) text_printf(text, "[%zu] ", level);
    if (again && node.from_count) spoor_result_bool(tree->rows[number], "again", true);
    tree->layout.widths[0] = tree->width - 3 * (int)shown;
    layout_put(&tree->layout, SLICE_NODE, tree->rows[number], text);
    tree->drawn[number] = true;
    if (again || level == DEEPEST) return;
    const struct slice_successors *goes_to = tree->goes_to ? &tree->goes_to[number] : NULL;
    const size_t *next = goes_to ? goes_to->nodes : node.from;
    const size_t count = goes_to ? goes_to->count : node.from_count;
    for (size_t i = 0; i < count; i++) {
        tree->lines[level] = i + 1 < count;
        slice_draw(tree, next[i], level + 1);
    }
}

bool slice_put_flow(struct inquiry *inquiry, const struct spoor_dataflow *flow, bool forward,
                    struct text *text, struct spoor_result *result)
{
    const bool is_text = !prints_data(inquiry->settings);
    const size_t count = spoor_dataflow_count(flow);
    char words[INSTRUCTION_TEXT];
    struct slice_tree tree = {.flow = flow,
                              .text = text,
                              .layout = layout_of(inquiry->settings, &inquiry->located),
                              .rows = calloc(count + 1, sizeof *tree.rows),
                              .drawn = calloc(count + 1, sizeof *tree.drawn)};
    bool done = tree.rows && tree.drawn;
    struct spoor_result *nodes = spoor_result_array(result, "nodes");
    struct spoor_dataflow_node node;
    for (size_t i = 0; done && spoor_dataflow_node(flow, i, &node); i++) {
        struct spoor_result *entry = tree.rows[i] = spoor_result_object(nodes, NULL);
        spoor_result_unsigned(entry, "id", i);
        spoor_result_unsigned_if(entry, "record", node.written, node.record);
        spoor_result_hex_if(entry, "pc", node.has_instruction, node.pc);
        spoor_result_text(entry, "what", node.what);
        spoor_result_text(entry, "value", node.value);
        struct spoor_result *from = spoor_result_array(entry, "from");
        for (size_t j = 0; j < node.from_count; j++)
            spoor_result_unsigned(from, NULL, node.from[j]);
        spoor_result_text(entry, "stop", node.stop);
        if (!is_text || !node.has_instruction) continue;
        inquiry_instruction(inquiry, node.instruction, words);
        spoor_result_text(entry, "instruction", words);
    }
    if (is_text && done) {
        if (forward) { /* lists the nodes that use each node, in the order that is printed */
            tree.goes_to = calloc(count + 1, sizeof *tree.goes_to);
            done = tree.goes_to != NULL;
        }
        for (size_t i = 0; done && forward && spoor_dataflow_node(flow, i, &node); i++)
            for (size_t j = 0; j < node.from_count && done; j++) {
                struct slice_successors *list = &tree.goes_to[node.from[j]];
                done = array_reserve(&list->nodes, &list->capacity, list->count + 1);
                if (done) list->nodes[list->count++] = i;
            }
        enum { WIDEST = 60, INSTRUCTION = 50, NARROWEST = 20 }; /* widths of nodes */
        int widest = WIDEST;
        tree.width = NARROWEST;
        if (tree.layout.columns && tree.layout.columns < WIDEST + INSTRUCTION)
            widest = (int)tree.layout.columns - INSTRUCTION;
        for (size_t i = 0; spoor_dataflow_node(tree.flow, i, &node); i++) {
            const int size = (int)(strlen(node.what) + 3 + (node.value ? strlen(node.value) : 1) +
                                   3 * node.depth);
            if (size > tree.width && size <= widest) tree.width = size;
        }
        if (tree.layout.columns) tree.deepest = 1 + tree.layout.columns / 16;
        for (size_t i = 0; done && spoor_dataflow_node(flow, i, &node); i++)
            if (node.depth == 0) slice_draw(&tree, i, 0);
    }
    for (size_t i = 0; tree.goes_to && i < count; i++) free(tree.goes_to[i].nodes);
    free(tree.goes_to);
    free(tree.drawn);
    free(tree.rows);
    return done && !text->failed;
}

static bool slice_answer(struct inquiry *inquiry, const void *context, struct text *text,
                         struct spoor_result *result)
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
    const bool done = slice_put_flow(inquiry, slice, settings->forward, text, result);
    image_set_name(&inquiry->located, result, NULL);
    spoor_dataflow_free(slice);
    if (done) return true;
    complain("out of memory");
    inquiry->code = worse(inquiry->code, EXIT_UNREADABLE);
    return false;
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
