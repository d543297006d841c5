/* SPDX-License-Identifier: MIT */
/* slice_nodes.c: the nodes of a slice and their links. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "explore/slice.h"

const char *slice_stop_text(enum slice_stop stop)
{
    static const char *const texts[] = {
        "",
        "a constant",
        "nothing writes it before",
        "no table knows the opcode",
        "written by no instruction",
        "a system register",
        "the trace has no access for this load",
        "not followed further",
        "excluded by --where",
        "not stated in this trace",
        "set by the entry of an exception",
        "not stated, and not searched further back",
        "before a gap: instructions are not in the trace",
    };
    return texts[stop];
}

struct slice_node *slice_push(struct slice *slice)
{
    if (slice->count == SLICE_NODES) return NULL;
    if (!array_reserve(&slice->nodes, &slice->capacity, slice->count + 1)) return NULL;
    struct slice_node *node = &slice->nodes[slice->count++];
    memset(node, 0, sizeof *node);
    return node;
}

bool slice_link(struct slice *slice, size_t number, size_t from)
{
    struct slice_node *node = &slice->nodes[number];
    for (size_t i = 0; i < node->from_count; i++)
        if (node->from[i] == from) return true;
    if (!array_reserve(&node->from, &node->from_capacity, node->from_count + 1)) return false;
    node->from[node->from_count++] = from;
    return true;
}

void slice_free(struct slice *slice)
{
    for (size_t i = 0; i < slice->count; i++) free(slice->nodes[i].from);
    free(slice->nodes);
    *slice = (struct slice){0};
}
