/* SPDX-License-Identifier: MIT */
/* profile_join.c: the profile of a trace from the events of its parts. */
#include <stdio.h>
#include <stdlib.h>

#include "explore/profile.h"
#include "explore/profile_events.h"
#include "explore/profile_part.h"
#include "model/options.h"

struct joined_profile {
    struct spoor_profile *profile;
    struct event_joiner joiner;
    enum spoor_profile_unit measure;
    bool edges;      /* spoor_profile_report() */
    const char *cpu; /* lies in the bytes of the part; NULL: all */
    const char *unit;
    unsigned cpus;
    struct unpacker names, events; /* of this part; they are added when the next is known */
    bool added;
};

struct joined_profile *joined_profile_unpack(struct unpacker *from)
{
    struct joined_profile *joined = calloc(1, sizeof *joined);
    if (!joined) return NULL;
    joined->measure = (enum spoor_profile_unit)unpack_below(from, SPOOR_PROFILE_MISSES);
    joined->edges = unpack_below(from, 2);
    joined->cpu = unpack_optional(from);
    joined->unit = unpack_optional(from);
    joined->cpus = (unsigned)unpack_below(from, MACHINE_CPUS + 1);
    joined->names = *from;
    for (size_t count = unpack_count(from); count > 0; count--) {
        size_t size;
        unpack_sized(from, &size);
    }
    joined->events = *from;
    const struct spoor_profile_options options = {
        .struct_size = sizeof options, .unit = joined->measure, .cpu = joined->cpu};
    if (!from->failed && spoor_profile_new(&joined->profile, &options, NULL) == SPOOR_OK)
        return joined;
    joined_profile_free(joined);
    return NULL;
}

void joined_profile_free(struct joined_profile *joined)
{
    if (!joined) return;
    spoor_profile_free(joined->profile);
    event_joiner_free(&joined->joiner);
    free(joined);
}

/* Adds the names of processors, which are the same in all parts. */
static bool add_names(struct machine *machine, struct unpacker names)
{
    for (size_t i = 1, count = unpack_count(&names); i <= count; i++) {
        size_t size;
        const char *name = unpack_sized(&names, &size);
        if (names.failed || spoor_names_intern(machine->cpus, name, size) != i) return false;
    }
    return true;
}

static enum spoor_status add_part(struct joined_profile *joined, const struct joined_profile *part,
                                  struct spoor_error *error)
{
    struct spoor_profile *profile = joined->profile;
    struct unpacker events = part->events;
    if (!profile->time_unit[0] && part->unit)
        snprintf(profile->time_unit, sizeof profile->time_unit, "%s", part->unit);
    if (!add_names(&profile->machine, part->names) ||
        !event_joiner_add(&joined->joiner, part->cpus, &events, profile_event, profile))
        return spoor_error_set(error, SPOOR_EINPUT, "the calls of a part are damaged");
    return memory_status(!profile->contexts.failed, error);
}

static enum spoor_status add_own(struct joined_profile *joined, struct spoor_error *error)
{
    if (joined->added) return SPOOR_OK;
    joined->added = true;
    return add_part(joined, joined, error);
}

enum spoor_status joined_profile_merge(struct joined_profile *joined,
                                       const struct joined_profile *next, struct spoor_error *error)
{
    const enum spoor_status status = add_own(joined, error);
    return status == SPOOR_OK ? add_part(joined, next, error) : status;
}

enum spoor_status joined_profile_report(struct joined_profile *joined, struct spoor_result *result)
{
    enum spoor_status status = add_own(joined, NULL);
    if (status == SPOOR_OK) status = spoor_profile_end(joined->profile, NULL);
    if (status != SPOOR_OK) return status;
    return spoor_profile_report(joined->profile, joined->edges, result);
}
