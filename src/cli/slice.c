/* SPDX-License-Identifier: MIT */
/* slice.c: the verb `slice`, which prints the sources of a value, or its uses, as a tree. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/drawing.h"
#include "cli/narrow.h"
#include "cli/selection.h"

struct slice_settings {
    struct settings common;
    const char *at, *cpu, *where;
    const char *subject; /* the last operand */
    uint64_t depth;
    bool forward, no_index;
    struct byte_order order;
};

static const struct option options[] = {
    MOMENT_OPTION("at", offsetof(struct slice_settings, at)),
    OPT(0, "depth", NUMBER, "N", offsetof(struct slice_settings, depth),
        "follow N steps (default: 10; 0: all)"),
    OPT_FLAG(0, "forward", offsetof(struct slice_settings, forward),
             "print the flow out of the value after the moment"),
    OPT(0, "cpu", TEXT, "NAME", offsetof(struct slice_settings, cpu),
        "select the registers of this cpu"),
    IMAGE_OPTIONS,
    BYTE_ORDER_OPTIONS(struct slice_settings, order),
    OPT(0, "where", TEXT, "EXPR", offsetof(struct slice_settings, where),
        "follow only writes that match an expression over fields, or the instruction of which "
        "does"),
    NO_INDEX_OPTION(offsetof(struct slice_settings, no_index)),
    OPTION_END,
};

struct drawing {
    struct asking *asking;
    const struct spoor_dataflow *slice;
    struct text *text;
    struct successors {
        size_t *nodes, count, capacity;
    } * goes_to; /* forward: by node, the nodes that it goes to */
    bool *drawn;
    int width;        /* of `what` and `value`, so that the columns of records align */
    unsigned columns; /* of the screen; 0: no limit */
    size_t deepest;   /* levels that are indented; 0: all */
    size_t line;      /* where the line of the node begins in the text */
};

static const size_t *successors(const struct drawing *drawing, size_t number, size_t *count)
{
    struct spoor_dataflow_node node;
    if (drawing->goes_to) {
        *count = drawing->goes_to[number].count;
        return drawing->goes_to[number].nodes;
    }
    spoor_dataflow_node(drawing->slice, number, &node);
    *count = node.from_count;
    return node.from;
}

static void put_node(struct drawing *drawing, size_t number, size_t indent)
{
    char words[INSTRUCTION_TEXT];
    struct spoor_dataflow_node node;
    struct text *text = drawing->text;
    spoor_dataflow_node(drawing->slice, number, &node);
    const size_t begin = text->size;
    text_printf(text, "%s = %s", node.what, node.value ? node.value : "?");
    for (size_t used = text->size - begin + indent; used < (size_t)drawing->width; used++)
        text_puts(text, " ");
    if (!node.written) {
        text_printf(text, "  %s", node.stop);
        narrow_name(text, drawing->line, begin, 0, drawing->columns);
        text_puts(text, "\n");
        return;
    }
    text_printf(text, "  record %llu", (unsigned long long)node.record);
    if (node.has_instruction) {
        asking_instruction(drawing->asking, node.instruction, words);
        text_printf(text, "  0x%08llx  %s", (unsigned long long)node.pc, words);
        put_located_within(drawing->asking, node.pc, drawing->line, false, text);
    }
    const char *end = drawing->drawn[number] && node.from_count ? "as above" : node.stop;
    const size_t tail = end ? strlen("  ()") + strlen(end) : 0;
    narrow_name(text, drawing->line, begin, tail, drawing->columns);
    if (end) text_printf(text, "  (%s)", end);
    text_puts(text, "\n");
}

/* Prints the tree below a node; `lines` states which levels continue on the left. */
static void put_tree(struct drawing *drawing, size_t number, bool *lines, size_t level)
{
    enum { DEEPEST = 200 };
    size_t count;
    struct text *text = drawing->text;
    drawing->line = text->size;
    const size_t shown = drawing->deepest && level > drawing->deepest ? drawing->deepest : level;
    for (size_t i = 0; i + 1 < shown; i++) text_puts(text, lines[i] ? "│  " : "   ");
    if (level) text_puts(text, lines[level - 1] ? "├─ " : "└─ ");
    if (shown < level) text_printf(text, "[%zu] ", level);
    put_node(drawing, number, 3 * shown);
    const bool drawn = drawing->drawn[number];
    drawing->drawn[number] = true;
    const size_t *next = successors(drawing, number, &count);
    if (drawn || level == DEEPEST) return;
    for (size_t i = 0; i < count; i++) {
        lines[level] = i + 1 < count;
        put_tree(drawing, next[i], lines, level + 1);
    }
}

/* Returns the width of the widest node, up to a limit. */
static int measure(const struct drawing *drawing)
{
    enum { WIDEST = 60, INSTRUCTION = 50, NARROWEST = 20 };
    struct spoor_dataflow_node node;
    int width = NARROWEST, widest = WIDEST;
    if (drawing->columns && drawing->columns < WIDEST + INSTRUCTION)
        widest = (int)drawing->columns - INSTRUCTION;
    for (size_t i = 0; spoor_dataflow_node(drawing->slice, i, &node); i++) {
        const int size =
            (int)(strlen(node.what) + 3 + (node.value ? strlen(node.value) : 1) + 3 * node.depth);
        if (size > width && size <= widest) width = size;
    }
    return width;
}

/* Forward: lists the nodes that use each node, in the order in which the tree is printed. */
static bool turn_round(struct drawing *drawing)
{
    const struct spoor_dataflow *slice = drawing->slice;
    struct spoor_dataflow_node node;
    drawing->goes_to = calloc(spoor_dataflow_count(slice) + 1, sizeof *drawing->goes_to);
    if (!drawing->goes_to) return false;
    for (size_t i = 0; spoor_dataflow_node(slice, i, &node); i++)
        for (size_t j = 0; j < node.from_count; j++) {
            struct successors *list = &drawing->goes_to[node.from[j]];
            if (!array_reserve(&list->nodes, &list->capacity, list->count + 1)) return false;
            list->nodes[list->count++] = i;
        }
    return true;
}

bool draw_dataflow(struct asking *asking, const struct spoor_dataflow *slice, bool forward,
                   struct text *text)
{
    bool lines[256];
    const size_t count = spoor_dataflow_count(slice);
    struct drawing drawing = {.asking = asking,
                              .slice = slice,
                              .text = text,
                              .columns = narrow_columns(asking->settings)};
    struct spoor_dataflow_node node;
    drawing.drawn = calloc(count + 1, sizeof *drawing.drawn);
    const bool done = drawing.drawn && (!forward || turn_round(&drawing));
    drawing.width = measure(&drawing);
    if (drawing.columns) drawing.deepest = 1 + drawing.columns / 16;
    for (size_t i = 0; done && spoor_dataflow_node(slice, i, &node); i++)
        if (node.depth == 0) put_tree(&drawing, i, lines, 0);
    for (size_t i = 0; drawing.goes_to && i < count; i++) free(drawing.goes_to[i].nodes);
    free(drawing.goes_to);
    free(drawing.drawn);
    return done && !text->failed;
}

void give_dataflow(struct asking *asking, const struct spoor_dataflow *slice,
                   struct spoor_result *result)
{
    struct spoor_result *nodes = spoor_result_array(result, "nodes");
    struct spoor_dataflow_node node;
    for (size_t i = 0; spoor_dataflow_node(slice, i, &node); i++) {
        if (asking->where) selection_note(node.written && node.depth > 0);
        struct spoor_result *entry = spoor_result_object(nodes, NULL);
        spoor_result_unsigned(entry, "id", i);
        spoor_result_unsigned_if(entry, "record", node.written, node.record);
        spoor_result_hex_if(entry, "pc", node.has_instruction, node.pc);
        spoor_result_text(entry, "what", node.what);
        spoor_result_text(entry, "value", node.value);
        struct spoor_result *from = spoor_result_array(entry, "from");
        for (size_t j = 0; j < node.from_count; j++)
            spoor_result_unsigned(from, NULL, node.from[j]);
        spoor_result_text(entry, "stop", node.stop);
    }
}

static bool answer(struct asking *asking, const void *context, struct text *text,
                   struct spoor_result *result)
{
    const struct slice_settings *settings = context;
    uint64_t moment;
    struct spoor_subject subject;
    struct spoor_dataflow *slice;
    struct spoor_error error = {0};
    if (!asking_where(asking, settings->where)) return false;
    const struct spoor_dataflow_options chosen = {
        .struct_size = sizeof chosen,
        .depth = (uint32_t)settings->depth,
        .forward = settings->forward,
        .where = asking->where,
    };
    if (!asking_moment(asking, settings->at, &moment) ||
        !asking_subject(asking, settings->subject, settings->cpu, moment, &subject))
        return false;
    const enum spoor_status status =
        spoor_explorer_dataflow(asking->explorer, &subject, moment, &chosen, &slice, &error);
    if (status != SPOOR_OK) {
        asking_fail(asking, status, &error);
        return false;
    }
    give_dataflow(asking, slice, result);
    located_name(&asking->located, result, NULL);
    const bool done =
        prints_data(&settings->common) || draw_dataflow(asking, slice, settings->forward, text);
    spoor_dataflow_free(slice);
    if (done) return true;
    complain("out of memory");
    asking->code = worse(asking->code, EXIT_UNREADABLE);
    return false;
}

static int slice_trace(const void *context, const char *path, bool *shown, struct spoor_result *all)
{
    const struct slice_settings *settings = context;
    const struct question question = {&settings->common, path, &settings->order,
                                      settings->no_index};
    return asking_trace(&question, answer, settings, shown, all);
}

static int run(void *chosen)
{
    struct slice_settings *settings = chosen;
    if (settings->common.operand_count < 2) {
        complain("slice: expected traces and a register or an address: slice TRACE... "
                 "REG|ADDR[+BYTES] --at MOMENT");
        return EXIT_USAGE;
    }
    settings->subject = settings->common.operands[--settings->common.operand_count];
    return run_each_trace(&settings->common, slice_trace, settings);
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
    .run = run,
};
