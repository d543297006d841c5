/* SPDX-License-Identifier: MIT */
/* explore/exceptions.h: what the files of exceptions share. */
#ifndef SPOOR_EXPLORE_EXCEPTIONS_H
#define SPOOR_EXPLORE_EXCEPTIONS_H

#include "effects/activity.h"
#include "explore/activity_section.h"
#include "formats/time_unit.h"
#include "spoor/exceptions.h"

/* An open frame: a function, or the exception whose handler it is. */
struct open_function {
    uint64_t function, instructions;
    uint32_t exception; /* + 1; 0: it is none that is kept */
    uint32_t handlers;  /* that are open up to this one, it included */
    bool handles;
};
struct exception_thread {
    struct open_function *open;
    size_t count, capacity;
    bool begun; /* `function` is known: the first one of it */
    uint64_t function, resumed;
    uint64_t instructions, time; /* outside of handlers */
};
struct exception_cpu {
    struct exception_thread *threads;
    size_t thread_count;
    /* what ran before a gap, where no other task had; functions of those are not open */
    struct exception_thread *before_gaps;
    size_t before_count, before_capacity;
    uint32_t thread;
    bool has_tasks;                 /* it has gone from one to another */
    uint64_t counted, counted_time; /* instructions and time that are counted so far */
};

struct spoor_exceptions {
    struct spoor_exceptions_options options;
    struct machine machine;
    struct activity *activity;
    struct functions functions;
    struct spoor_exception *items;
    size_t count, capacity;
    uint64_t omitted;
    struct spoor_exceptions_gaps gaps;
    struct exception_cpu *cpus;
    size_t cpu_count;
    struct spoor_names *causes; /* owns the texts of causes */
    char unit[TIME_UNIT_SIZE];
    const struct spoor_batch *batch; /* the record at hand; NULL: events come from an index */
    size_t index;
    bool failed;
};

/* Finds the name of an exception's cause, by what its entry states, or, *inferred, by the vector
 * alone; "" if that is nothing. */
enum { CAUSE_SIZE = 64 };
void cause_of_entry(const struct machine *machine, const struct activity_event *event,
                    char text[CAUSE_SIZE], bool *inferred);
/* By what the handler read; *number: of an interrupt, where the value says one. */
void cause_of_syndrome(const struct activity_event *event, char text[CAUSE_SIZE], uint64_t *number,
                       bool *numbered);

/* A task: a stack of calls of its own, which a handler or a switch of threads goes on with. */
struct exception_task {
    uint64_t function;           /* its first one, by which it is called */
    uint64_t resumed;            /* how often control went to it from another task */
    uint64_t instructions, time; /* that it ran, without those of handlers */
    uint32_t thread;             /* as of the processor's calls: 0 is the first task */
    uint16_t cpu;
};
/* The tasks of each processor that has more than one; an array that the caller frees, NULL if
 * memory runs out. */
struct exception_task *exceptions_tasks(const struct spoor_exceptions *exceptions, size_t *count);

#endif
