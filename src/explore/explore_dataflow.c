/* SPDX-License-Identifier: MIT */
/* explore_dataflow.c: the functions of spoor/explore.h about the flow of data. */
#include <stdio.h>
#include <stdlib.h>

#include "explore/internal.h"
#include "explore/slice.h"
#include "model/options.h"

static const char *const dataflow_stops[] = {
    [SLICE_CONSTANT] = "a constant",
    [SLICE_START] = "nothing writes it before",
    [SLICE_OPCODE] = "no table knows the opcode",
    [SLICE_INSTRUCTION] = "written by no instruction",
    [SLICE_SYSTEM] = "a system register",
    [SLICE_ACCESS] = "the trace has no access for this load",
    [SLICE_DEPTH] = "not followed further",
    [SLICE_EXCLUDED] = "excluded by --where",
    [SLICE_UNSTATED] = "not stated in this trace",
    [SLICE_EXCEPTION] = "set by the entry of an exception",
    [SLICE_UNSEARCHED] = "not stated, and not searched further back",
    [SLICE_GAP] = "before a gap: instructions are not in the trace",
    [SLICE_FOREIGN] = "its opcode does not write it",
};

struct spoor_dataflow {
    const struct machine *machine;
    struct slice slice;
};

enum spoor_status spoor_explorer_dataflow(struct spoor_explorer *shown,
                                          const struct spoor_subject *subject, uint64_t moment,
                                          const struct spoor_dataflow_options *given,
                                          struct spoor_dataflow **made, struct spoor_error *error)
{
    struct explorer *explorer = explorer_of(shown);
    struct spoor_dataflow_options options;
    const struct subject own = explorer_subject(subject);
    enum spoor_status status = options_read(&options, sizeof options, given, error);
    *made = NULL;
    if (status != SPOOR_OK) return status;
    struct spoor_dataflow *slice = calloc(1, sizeof *slice);
    if (!slice) return memory_status(false, error);
    const struct slice_options chosen = {options.depth, options.forward, options.where};
    slice->machine = &explorer->machine;
    status = explorer_slice(explorer, &own, moment, &chosen, &slice->slice,
                            explorer_error(shown, error));
    if (status == SPOOR_OK)
        *made = slice;
    else
        free(slice);
    return status;
}

void spoor_dataflow_free(struct spoor_dataflow *slice)
{
    if (!slice) return;
    slice_free(&slice->slice);
    free(slice);
}

size_t spoor_dataflow_count(const struct spoor_dataflow *slice)
{
    return slice->slice.count;
}

bool spoor_dataflow_node(const struct spoor_dataflow *slice, size_t number,
                         struct spoor_dataflow_node *node)
{
    if (number >= slice->slice.count) return false;
    const struct slice_node *own = &slice->slice.nodes[number];
    const bool written = own->touch.record != UINT64_MAX;
    struct spoor_dataflow_node made = {
        .value = own->touch.valued ? own->touch.value : NULL,
        .stop = dataflow_stops[own->stop],
        .from = own->from,
        .from_count = own->from_count,
        .record = own->touch.record,
        .time = written ? own->touch.time : 0,
        .instruction = own->touch.place.record,
        .pc = own->touch.place.pc,
        .depth = own->depth,
        .written = written,
        .has_instruction = written && own->touch.place.known,
    };
    char capacity[MACHINE_NAME_SIZE];
    const struct machine_part part = {own->name, (uint16_t)(8 * own->low),
                                      (uint16_t)(8 * own->size)};
    if (own->is_memory)
        snprintf(made.what, sizeof made.what, "%s%llx+%llu", own->physical ? "pa:" : "",
                 (unsigned long long)own->address, (unsigned long long)own->size);
    else
        snprintf(made.what, sizeof made.what, "%s",
                 machine_part_name(slice->machine, &part, capacity));
    struct_fill(node, &made, sizeof made);
    return true;
}
