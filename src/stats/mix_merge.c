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

static void merge_registers(struct spoor_mix *mix, const struct spoor_mix *behind)
{
    const struct mix_registers *from = behind->registers;
    struct mix_registers *to = mix->registers;
    for (size_t id = 0; id < spoor_names_count(behind->register_names.names); id++) {
        size_t size;
        const char *text = spoor_names_text(behind->register_names.names, (spoor_name)id, &size);
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
static void merge_seam(struct spoor_mix *mix, const struct spoor_mix *behind)
{
    *(mix->macro_ops ? &mix->in_macro : &mix->leading) += behind->leading;
    if (behind->macro_ops) {
        mix_end_macro_op(mix);
        mix->in_macro = behind->in_macro;
    }
    if (!behind->micro_ops) return;
    mix->fused += mix->wrote_flags && behind->starts_conditional;
    mix->wrote_flags = behind->wrote_flags;
    if (!mix->micro_ops) mix->starts_conditional = behind->starts_conditional;
}

enum spoor_status spoor_mix_merge(struct spoor_mix *mix, const struct spoor_mix *behind,
                                  struct spoor_error *error)
{
    merge_seam(mix, behind);
    mix->micro_ops += behind->micro_ops;
    mix->macro_ops += behind->macro_ops;
    mix->instructions += behind->instructions;
    mix->skipped += behind->skipped;
    mix->sized += behind->sized;
    mix->fused += behind->fused;
    add(mix->uops, behind->uops, MIX_UOPS);
    add(mix->sizes, behind->sizes, MIX_SIZES);
    add(mix->bits, behind->bits, MIX_BITS);
    add(mix->classes, behind->classes, MIX_CLASSES);
    merge_names(&mix->macros, &behind->macros);
    merge_names(&mix->micros, &behind->micros);
    merge_registers(mix, behind);
    if (mix_references_merge(&mix->references, &behind->references) && !mix_lacks_names(mix))
        return SPOOR_OK;
    return spoor_error_set(error, SPOOR_ENOMEM, "out of memory while merging mixes");
}
