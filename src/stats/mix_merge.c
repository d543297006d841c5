/* SPDX-License-Identifier: MIT */
/*
 * mix_merge.c: merge the mixes of two adjacent shards of a trace.
 *
 * Statistics across the boundary are assembled from the open state at the end of the first shard
 * and the initial state of the second.  Only windows cannot be moved, because their ends depend on
 * everything before.
 */
#include "stats/mix.h"

static void add(uint64_t *to, const uint64_t *from, size_t count)
{
    for (size_t i = 0; i < count; i++) to[i] += from[i];
}

static void merge_names(struct mix_names *to, const struct mix_names *from)
{
    for (size_t id = 0; id < MIX_NAMES; id++) {
        size_t size;
        if (!from->counts[id]) continue;
        const char *text = spoor_names_text(from->names, (spoor_name)id, &size);
        mix_names_count(to, text, size, from->counts[id]);
    }
}

static void merge_registers(struct spoor_mix *mix, const struct spoor_mix *after)
{
    const struct mix_registers *from = after->registers;
    struct mix_registers *to = mix->registers;
    for (size_t id = 0; id < spoor_names_count(after->register_names.names); id++) {
        size_t size;
        const char *text = spoor_names_text(after->register_names.names, (spoor_name)id, &size);
        const spoor_name mine = spoor_names_intern(mix->register_names.names, text, size);
        mix_register_merge(to, mine, from, (spoor_name)id);
    }
    add(to->lifetimes, from->lifetimes, MIX_LOGS);
    add(to->uses, from->uses, MIX_LOGS);
    to->now += from->now;
    to->values += from->values;
    to->dead += from->dead;
    to->sees_reads |= from->sees_reads;
}

/* The macro-op and the pair that may cross the boundary. */
static void merge_seam(struct spoor_mix *mix, const struct spoor_mix *after)
{
    *(mix->macro_ops ? &mix->in_macro : &mix->leading) += after->leading;
    if (after->macro_ops) {
        mix_end_macro_op(mix);
        mix->in_macro = after->in_macro;
    }
    if (!after->micro_ops) return;
    mix->fused += mix->wrote_flags && after->starts_conditional;
    mix->wrote_flags = after->wrote_flags;
    if (!mix->micro_ops) mix->starts_conditional = after->starts_conditional;
}

enum spoor_status spoor_mix_merge(struct spoor_mix *mix, const struct spoor_mix *after,
                                  struct spoor_error *error)
{
    merge_seam(mix, after);
    mix->micro_ops += after->micro_ops;
    mix->macro_ops += after->macro_ops;
    mix->instructions += after->instructions;
    mix->iterations += after->iterations;
    mix->skipped += after->skipped;
    mix->sized += after->sized;
    mix->fused += after->fused;
    add(mix->uops, after->uops, MIX_UOPS);
    add(mix->sizes, after->sizes, MIX_SIZES);
    add(mix->bits, after->bits, MIX_BITS);
    add(mix->classes, after->classes, MIX_CLASSES);
    merge_names(&mix->macros, &after->macros);
    merge_names(&mix->micros, &after->micros);
    merge_registers(mix, after);
    if (mix_references_merge(&mix->references, &after->references) && !mix_lacks_names(mix))
        return SPOOR_OK;
    return spoor_error_set(error, SPOOR_ENOMEM, "out of memory while merging mixes");
}
