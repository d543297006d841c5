/* SPDX-License-Identifier: MIT */
/* profile_input.h: what `profile` and its flame graphs share: the unit, what is counted, and
 * reading a trace. */
#ifndef SPOOR_CLI_PROFILE_INPUT_H
#define SPOOR_CLI_PROFILE_INPUT_H

#include "cli/activity_input.h"
#include "cli/selection.h"
#include "spoor/profile.h"

struct profile_input_settings {
    struct settings common;
    int unit;
    struct list caches;
    const char *branch;
    uint64_t rows; /* of the report; 0: all */
    int sort;      /* enum spoor_profile_sort */
};

/* The rows of a verb's option table; `profiled` is at the beginning of its settings. */
#define PROFILE_INPUT_AT(type, member, field) \
    (offsetof(type, member) + offsetof(struct profile_input_settings, field))
#define PROFILE_INPUT_OPTIONS(type, member)                                                      \
    OPT_CHOICE(0, "unit", "UNIT", PROFILE_INPUT_AT(type, member, unit),                          \
               "count instructions (default), time (in the trace's unit) or accesses of memory", \
               "instructions|time|accesses"),                                                    \
        OPT(0, "cache", LIST, "SPEC", PROFILE_INPUT_AT(type, member, caches), NULL),             \
        OPT(0, "branch", TEXT, "PREDICTOR", PROFILE_INPUT_AT(type, member, branch),              \
            "count the mispredictions of a branch predictor, as `spoor branch -p`"),             \
        SELECTION_OPTIONS

/* A trace that was read. */
struct profile_input {
    struct activity_input input;
    struct spoor_profile *profile;
    struct spoor_cost *cost;
};
/* False: an error has been printed. */
bool profile_input_check(const struct profile_input_settings *settings);
/* Reads a trace; false: an error has been printed, and profile_input_close() gives the exit code.
 */
bool profile_input_read(struct profile_input *profiled,
                        const struct profile_input_settings *settings, enum spoor_profile_by by,
                        const char *path);
/* EXIT_NOTHING, after a message, if it has no rows; else EXIT_CLEAN. */
int profile_input_nothing(const struct profile_input *profiled, const char *path);
/* Gives it back; gives the exit code. */
int profile_input_close(struct profile_input *profiled);

#endif
