/* SPDX-License-Identifier: MIT */
/* profile/call_tree.h: what the files of the call tree share. */
#ifndef SPOOR_PROFILE_CALL_TREE_H
#define SPOOR_PROFILE_CALL_TREE_H

#include "effects/activity.h"
#include "effects/registers.h"
#include "explore/activity_section.h"
#include "formats/time_unit.h"
#include "spoor/call_tree.h"

enum { OPEN_CALLS = 1 << 18 }; /* of a stack: from there on, outer ones that are not kept go */

/* An open call: of those that are kept, its number. */
struct open_call {
    uint64_t function, instructions; /* of the processor, before it */
    uint32_t call;                   /* SPOOR_NO_CALL: it is not kept */
    bool jumped;
};
struct call_thread {
    struct open_call *open;
    size_t count, capacity;
};
struct call_tree_cpu {
    struct call_thread *threads;
    size_t thread_count;
    uint32_t thread; /* that runs */
};

struct spoor_call_tree {
    struct spoor_call_tree_options options;
    struct machine machine;
    struct activity *activity;
    struct functions functions;
    struct spoor_call *calls;
    size_t count, capacity;
    uint64_t omitted;
    struct call_tree_cpu *cpus;
    size_t cpu_count;
    char unit[TIME_UNIT_SIZE];
    const struct spoor_batch *batch; /* the record at hand; NULL: events come from an index */
    size_t index;
    struct registers registers; /* with `arguments` */
    struct spoor_call_arguments *arguments;
    size_t argument_count, argument_capacity;
    bool failed; /* memory ran out */
};

#endif
