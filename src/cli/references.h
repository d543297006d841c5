/* SPDX-License-Identifier: MIT */
/*
 * references.h: shared by the verbs that simulate memory: selecting the references of a trace,
 * counting them or not, and reading them.
 */
#ifndef SPOOR_CLI_REFERENCES_H
#define SPOOR_CLI_REFERENCES_H

#include "cli/cli.h"
#include "spoor/view.h"

struct reference_settings {
    int bus; /* enum spoor_bus_selection */
    bool tarmac_bus;
    bool update_once;   /* set by --like: see struct spoor_reference_options */
    struct range range; /* ordinals of references */
    const char *sample; /* "N/M": count N of every M */
};

/* The rows of an option table whose settings have a struct reference_settings called `field`. */
#define REFERENCE_OPTIONS(settings, field)                                                       \
    OPT_CHOICE(0, "bus", "WHICH", offsetof(settings, field.bus),                                 \
               "of a bus trace use all records, data (memory reads and writes) or memory (code " \
               "and data)",                                                                      \
               "all|data|memory"),                                                               \
        OPT_FLAG(0, "tarmac-bus", offsetof(settings, field.tarmac_bus),                          \
                 "of a Tarmac trace use bus records too"),                                       \
        OPT(0, "references", RANGE, "A:B", offsetof(settings, field.range),                      \
            "simulate references A to B, both included, from 0"),                                \
        OPT(0, "sample", TEXT, "N/M", offsetof(settings, field.sample),                          \
            "of every M references count the first N; the others are simulated but not counted")

/* The consumer of references. */
struct reference_sink {
    void *context;
    /* False: memory ran out. */
    bool (*feed)(void *context, const struct spoor_reference *references, size_t count);
    /* Switch counting on or off from here on: off for what trains, and for --sample; on at first.
     * NULL: the sink cannot, and --sample is refused. */
    void (*count)(void *context, bool counting);
    /* What trains has ended: forget what was counted. */
    void (*forget)(void *context);
    const struct spoor_error *error; /* why `feed` failed; NULL or empty: memory ran out */
    uint64_t fed, counted; /* set by references_run(): references that do not only train */
};

/* Feeds the references of the next interval of a trace to the sink; errors are printed on stderr.
 * Returns the exit code: EXIT_NOTHING where there is no reference. */
int references_run(struct trace_input *trace_input, const struct reference_settings *settings,
                   struct reference_sink *sink);

/* The beginning of a result about references: the trace and their numbers. */
void references_put(const struct trace_input *trace_input, const struct reference_sink *sink,
                    struct spoor_result *result);

#endif
