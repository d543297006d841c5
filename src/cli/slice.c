/* SPDX-License-Identifier: MIT */
/* slice.c: the verb `slice`, which prints the sources of a value, or its uses, as a tree. */
#include "explore/slice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/asking.h"
#include "cli/selecting.h"

struct slice_settings {
    struct settings common;
    const char *at, *cpu, *where;
    const char *subject; /* the last operand */
    uint64_t depth;
    bool forward, no_index;
    struct byte_order order;
};

static const struct option options[] = {
    {0, "at", "MOMENT", OPTION_TEXT, offsetof(struct slice_settings, at),
     "the moment: a time, record:N, line:N or pc:ADDR[#VISIT]; end (the default)", NULL,
     OPTION_DOUBLE_DASH},
    {0, "depth", "N", OPTION_NUMBER, offsetof(struct slice_settings, depth),
     "follow N steps (default: 10; 0: all)", NULL, OPTION_DOUBLE_DASH},
    {0, "forward", NULL, OPTION_FLAG, offsetof(struct slice_settings, forward),
     "print the flow out of the value after the moment", NULL, OPTION_DOUBLE_DASH},
    {0, "cpu", "NAME", OPTION_TEXT, offsetof(struct slice_settings, cpu),
     "select the registers of this cpu", NULL, OPTION_DOUBLE_DASH},
    IMAGE_OPTIONS,
    BYTE_ORDER_OPTIONS(struct slice_settings, order),
    {0, "where", "EXPR", OPTION_TEXT, offsetof(struct slice_settings, where),
     "follow only writes that match an expression over fields, or the instruction of which does",
     NULL, OPTION_DOUBLE_DASH},
    {0, "no-index", NULL, OPTION_FLAG, offsetof(struct slice_settings, no_index),
     "read the whole trace, and neither use nor store an index", NULL, OPTION_DOUBLE_DASH},
    OPTION_END,
};

struct drawing {
    struct asking *asking;
    const struct slice *slice;
    struct text *text;
    struct successors {
        size_t *nodes, count, capacity;
    } * goes_to; /* forward: by node, the nodes that it goes to */
    bool *drawn;
    int width; /* of `what` and `value`, so that the columns of records align */
};

static void name_node(const struct asking *asking, const struct slice_node *node,
                      char name[MACHINE_NAME_SIZE])
{
    char capacity[MACHINE_NAME_SIZE];
    if (node->is_memory)
        snprintf(name, MACHINE_NAME_SIZE, "%s%llx+%llu", node->physical ? "pa:" : "",
                 (unsigned long long)node->address, (unsigned long long)node->size);
    else
        snprintf(name, MACHINE_NAME_SIZE, "%s",
                 machine_register_name(explorer_machine(asking->explorer), node->name, capacity));
}

static const size_t *successors(const struct drawing *drawing, size_t number, size_t *count)
{
    const struct slice_node *node = &drawing->slice->nodes[number];
    if (drawing->goes_to) {
        *count = drawing->goes_to[number].count;
        return drawing->goes_to[number].nodes;
    }
    *count = node->from_count;
    return node->from;
}

static void put_node(struct drawing *drawing, size_t number, size_t indent)
{
    char name[MACHINE_NAME_SIZE];
    struct instruction instruction = {.text = ""};
    const struct slice_node *node = &drawing->slice->nodes[number];
    struct text *text = drawing->text;
    name_node(drawing->asking, node, name);
    const size_t begin = text->size;
    text_printf(text, "%s = %s", name, node->touch.valued ? node->touch.value : "?");
    for (size_t used = text->size - begin + indent; used < (size_t)drawing->width; used++)
        text_puts(text, " ");
    if (node->touch.record == UINT64_MAX) {
        text_printf(text, "  %s\n", slice_stop_text((enum slice_stop)node->stop));
        return;
    }
    text_printf(text, "  record %llu", (unsigned long long)node->touch.record);
    if (node->touch.place.known) {
        asking_instruction(drawing->asking, node->touch.place.record, &instruction);
        text_printf(text, "  0x%08llx  %s", (unsigned long long)node->touch.place.pc,
                    instruction.text);
        put_located(drawing->asking, node->touch.place.pc, text);
    }
    if (drawing->drawn[number] && node->from_count)
        text_puts(text, "  (as above)");
    else if (node->stop)
        text_printf(text, "  (%s)", slice_stop_text((enum slice_stop)node->stop));
    text_puts(text, "\n");
}

/* Prints the tree below a node; `lines` states which levels continue on the left. */
static void put_tree(struct drawing *drawing, size_t number, bool *lines, size_t level)
{
    enum { DEEPEST = 200 };
    size_t count;
    struct text *text = drawing->text;
    for (size_t i = 0; i + 1 < level; i++) text_puts(text, lines[i] ? "│  " : "   ");
    if (level) text_puts(text, lines[level - 1] ? "├─ " : "└─ ");
    put_node(drawing, number, 3 * level);
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
    enum { WIDEST = 60 };
    int width = 20;
    for (size_t i = 0; i < drawing->slice->count; i++) {
        const struct slice_node *node = &drawing->slice->nodes[i];
        char name[MACHINE_NAME_SIZE];
        name_node(drawing->asking, node, name);
        const int size =
            (int)(strlen(name) + 3 + (node->touch.valued ? strlen(node->touch.value) : 1) +
                  3 * node->depth);
        if (size > width && size <= WIDEST) width = size;
    }
    return width;
}

/* Forward: lists the nodes that use each node, in the order in which the tree is printed. */
static bool turn_round(struct drawing *drawing)
{
    const struct slice *slice = drawing->slice;
    drawing->goes_to = calloc(slice->count + 1, sizeof *drawing->goes_to);
    if (!drawing->goes_to) return false;
    for (size_t i = 0; i < slice->count; i++)
        for (size_t j = 0; j < slice->nodes[i].from_count; j++) {
            struct successors *list = &drawing->goes_to[slice->nodes[i].from[j]];
            if (!array_reserve(&list->nodes, &list->capacity, list->count + 1)) return false;
            list->nodes[list->count++] = i;
        }
    return true;
}

static bool draw(struct asking *asking, const struct slice *slice, bool forward, struct text *text)
{
    bool lines[256];
    struct drawing drawing = {.asking = asking, .slice = slice, .text = text};
    drawing.drawn = calloc(slice->count + 1, sizeof *drawing.drawn);
    bool done = drawing.drawn && (!forward || turn_round(&drawing));
    drawing.width = measure(&drawing);
    for (size_t i = 0; done && i < slice->count; i++)
        if (slice->nodes[i].depth == 0) put_tree(&drawing, i, lines, 0);
    for (size_t i = 0; drawing.goes_to && i < slice->count; i++) free(drawing.goes_to[i].nodes);
    free(drawing.goes_to);
    free(drawing.drawn);
    return done && !text->failed;
}

static void give(struct asking *asking, const struct slice *slice, struct spoor_result *result)
{
    struct spoor_result *nodes = spoor_result_array(result, "nodes");
    for (size_t i = 0; i < slice->count; i++) {
        const struct slice_node *node = &slice->nodes[i];
        const bool written = node->touch.record != UINT64_MAX;
        if (asking->where) selecting_note(written && node->depth > 0);
        char name[MACHINE_NAME_SIZE];
        struct spoor_result *entry = spoor_result_object(nodes, NULL);
        name_node(asking, node, name);
        spoor_result_unsigned(entry, "id", i);
        if (written)
            spoor_result_unsigned(entry, "record", node->touch.record);
        else
            spoor_result_null(entry, "record");
        if (written && node->touch.place.known)
            spoor_result_hex(entry, "pc", node->touch.place.pc);
        else
            spoor_result_null(entry, "pc");
        spoor_result_text(entry, "what", name);
        spoor_result_text(entry, "value", node->touch.valued ? node->touch.value : NULL);
        struct spoor_result *from = spoor_result_array(entry, "from");
        for (size_t j = 0; j < node->from_count; j++)
            spoor_result_unsigned(from, NULL, node->from[j]);
        spoor_result_text(entry, "stop",
                          node->stop ? slice_stop_text((enum slice_stop)node->stop) : NULL);
    }
}

static bool answer(struct asking *asking, const void *context, struct text *text,
                   struct spoor_result *result)
{
    const struct slice_settings *settings = context;
    uint64_t moment;
    struct subject subject;
    struct slice slice;
    struct spoor_error error = {0};
    struct slice_options chosen = {(unsigned)settings->depth, settings->forward, NULL};
    if (!asking_byte_order(asking, &settings->order) || !asking_where(asking, settings->where))
        return false;
    chosen.where = asking->where;
    if (!asking_moment(asking, settings->at, &moment) ||
        !asking_subject(asking, settings->subject, settings->cpu, moment, &subject))
        return false;
    const enum spoor_status status =
        explorer_slice(asking->explorer, &subject, moment, &chosen, &slice, &error);
    if (status != SPOOR_OK) {
        asking_fail(asking, status, &error);
        return false;
    }
    give(asking, &slice, result);
    located_name(&asking->located, result, NULL);
    const bool done =
        prints_data(&settings->common) || draw(asking, &slice, settings->forward, text);
    slice_free(&slice);
    if (done) return true;
    complain("out of memory");
    asking->code = worse(asking->code, EXIT_UNREADABLE);
    return false;
}

static int slice_trace(const void *context, const char *path, bool *shown, struct spoor_result *all)
{
    const struct slice_settings *settings = context;
    struct asking asking;
    if (!asking_open(&asking, &settings->common, path, settings->no_index)) return asking.code;
    return asking_answer(&asking, answer, settings, shown, all);
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
