/* SPDX-License-Identifier: MIT */
/*
 * machine_part.c: the parts of a trace whose statistics are merged.
 *
 * How long a line stayed, whether a translation is here, and when a processor accessed what the bus
 * moves depend on the parts before.  So a part keeps the records that it adds, each as its
 * differences from the last one of its kind, and a merge adds them again.  The records are few
 * beside those of the trace, and decoding, which takes the time, is done.
 */
#include "explore/machine_part.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explore/machine_share.h"

enum spoor_status spoor_machine_stats_merge(struct spoor_machine_stats *stats,
                                            const struct spoor_machine_stats *next,
                                            struct spoor_error *error)
{
    if (stats->kind != next->kind)
        return spoor_error_set(error, SPOOR_EUSAGE, "statistics of %s and of %s are not merged",
                               stats->kind->name, next->kind->name);
    if (!next->options.mergeable && !next->log.unread)
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "the next part was not made mergeable: its records were not kept");
    const enum spoor_status status = machine_replay(stats, error);
    return status == SPOOR_OK ? machine_add_log(stats, next, error) : status;
}

/* ---- bytes ---- */

bool machine_stats_pack(const struct spoor_machine_stats *stats, struct text *bytes)
{
    const struct spoor_machine_stats_options *options = &stats->options;
    if (!options->mergeable) return false;
    text_varint(bytes, options->kind);
    text_varint(bytes, options->top);
    text_varint(bytes, options->bus_width);
    text_varint(bytes, options->has_address);
    text_varint(bytes, options->address);
    text_optional(bytes, options->table);
    text_optional(bytes, stats->unit);
    const size_t count = spoor_names_count(stats->names);
    text_varint(bytes, count - 1);
    for (size_t i = 1; i < count; i++) {
        size_t size;
        const char *name = spoor_names_text(stats->names, (spoor_name)i, &size);
        text_sized(bytes, name, size);
    }
    text_sized(bytes, stats->log.bytes.bytes, stats->log.bytes.size);
    bytes->failed |= stats->log.bytes.failed;
    return true;
}

static bool unpack_names(struct unpacker *from, struct spoor_names *names)
{
    const size_t count = unpack_count(from);
    for (size_t i = 1; i <= count && !from->failed; i++) {
        size_t size;
        const char *name = unpack_sized(from, &size);
        if (from->failed || spoor_names_intern(names, name, size) != i) return false;
    }
    return !from->failed;
}

struct spoor_machine_stats *machine_stats_unpack(struct unpacker *from)
{
    struct spoor_machine_stats *stats;
    struct spoor_machine_stats_options options = {.struct_size = sizeof options};
    options.kind = (enum spoor_machine_kind)unpack_below(from, SPOOR_MACHINE_KINDS);
    options.top = (size_t)unpack(from);
    options.bus_width = (uint32_t)unpack(from);
    options.has_address = unpack_below(from, 2);
    options.address = unpack(from);
    options.table = unpack_optional(from);
    const char *unit = unpack_optional(from);
    if (from->failed || spoor_machine_stats_new(&stats, &options, NULL) != SPOOR_OK) return NULL;
    size_t size;
    const bool good = unpack_names(from, stats->names);
    const char *log = unpack_sized(from, &size);
    if (good && !from->failed) {
        text_put(&stats->log.bytes, log, size);
        snprintf(stats->unit, sizeof stats->unit, "%s", unit ? unit : "");
        stats->log.unread = true;
        if (!stats->log.bytes.failed) return stats;
    }
    spoor_machine_stats_free(stats);
    return NULL;
}
