/* SPDX-License-Identifier: MIT */
/* profiled.h: what `profile` and its flame graphs share: the unit, what is counted, and reading a
 * trace. */
#ifndef SPOOR_CLI_PROFILED_H
#define SPOOR_CLI_PROFILED_H

#include "cli/activity_input.h"
#include "cli/selection.h"
#include "spoor/profile.h"

struct profiled_settings {
    struct settings common;
    int unit;
    struct list caches;
    const char *branch;
};

/* The rows of a verb's option table; `profiled` is at the beginning of its settings. */
#define PROFILED_AT(type, member, field) \
    (offsetof(type, member) + offsetof(struct profiled_settings, field))
#define PROFILED_OPTIONS(type, member)                                                           \
    OPT_CHOICE(0, "unit", "UNIT", PROFILED_AT(type, member, unit),                               \
               "count instructions (default), time (in the trace's unit) or accesses of memory", \
               "instructions|time|accesses"),                                                    \
        OPT(0, "cache", LIST, "SPEC", PROFILED_AT(type, member, caches),                         \
            "count the misses of a simulated cache, as `spoor cache --level` (repeatable)"),     \
        OPT(0, "branch", TEXT, "PREDICTOR", PROFILED_AT(type, member, branch),                   \
            "count the mispredictions of a branch predictor, as `spoor branch -p`"),             \
        SELECTION_OPTIONS

/* A trace that was read. */
struct profiled {
    struct activity_input input;
    struct spoor_profile *profile;
    struct spoor_cost *cost;
};
/* False: an error has been printed. */
bool profiled_check(const struct profiled_settings *settings);
/* Reads a trace; false: an error has been printed, and profiled_close() gives the exit code. */
bool profiled_read(struct profiled *profiled, const struct profiled_settings *settings,
                   enum spoor_profile_by by, const char *path);
/* EXIT_NOTHING, after a message, if it has no rows; else EXIT_CLEAN. */
int profiled_nothing(const struct profiled *profiled, const char *path);
/* Gives it back; gives the exit code. */
int profiled_close(struct profiled *profiled);

#endif
