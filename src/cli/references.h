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
    uint64_t warmup;    /* simulated and not counted */
    const char *sample; /* "N/M": count N of every M */
};

/* The rows of an option table whose settings have a struct reference_settings called `field`. */
#define REFERENCE_OPTIONS(settings, field)                                                       \
    {0,                                                                                          \
     "bus",                                                                                      \
     "WHICH",                                                                                    \
     OPTION_CHOICE,                                                                              \
     offsetof(settings, field.bus),                                                              \
     "of a bus trace use all records, data (memory reads and writes) or memory (code and data)", \
     "all|data|memory",                                                                          \
     OPTION_DOUBLE_DASH},                                                                        \
        {0,                                                                                      \
         "tarmac-bus",                                                                           \
         NULL,                                                                                   \
         OPTION_FLAG,                                                                            \
         offsetof(settings, field.tarmac_bus),                                                   \
         "of a Tarmac trace use bus records too",                                                \
         NULL,                                                                                   \
         OPTION_DOUBLE_DASH},                                                                    \
        {0,                                                                                      \
         "references",                                                                           \
         "A:B",                                                                                  \
         OPTION_RANGE,                                                                           \
         offsetof(settings, field.range),                                                        \
         "simulate references A to B, both included, from 0",                                    \
         NULL,                                                                                   \
         OPTION_DOUBLE_DASH},                                                                    \
        {0,                                                                                      \
         "warmup",                                                                               \
         "N",                                                                                    \
         OPTION_NUMBER,                                                                          \
         offsetof(settings, field.warmup),                                                       \
         "simulate the first N references without counting them",                                \
         NULL,                                                                                   \
         OPTION_DOUBLE_DASH},                                                                    \
    {                                                                                            \
        0, "sample", "N/M", OPTION_TEXT, offsetof(settings, field.sample),                       \
            "of every M references count the first N; the others are simulated but not counted", \
            NULL, OPTION_DOUBLE_DASH                                                             \
    }

/* The consumer of references. */
struct reference_sink {
    void *context;
    /* False: memory ran out. */
    bool (*feed)(void *context, const struct spoor_reference *references, size_t count);
    /* Switch counting on or off from here on; called at each change; on at first.  NULL: the sink
     * cannot, and --warmup and --sample are refused. */
    void (*count)(void *context, bool counting);
    /* Forget what was counted: a warm-up ends.  NULL: as `count`, off before the warm-up. */
    void (*forget)(void *context);
    const struct spoor_program *program; /* fills in the records; NULL: none does */
    uint64_t fed, counted;               /* set by references_run() */
    const char *format;                  /* likewise: its name */
    bool has_result;   /* likewise; false: there is no result, because nothing was read */
    bool instructions; /* likewise: the trace states instructions, and perhaps no accesses */
};

/* Feeds the references of a trace to the sink; errors are printed on stderr.  Returns the exit
 * code. */
int references_run(const char *path, const struct settings *common,
                   const struct reference_settings *settings, struct reference_sink *sink);

#endif
