/* SPDX-License-Identifier: MIT */
/*
 * mix_pack.c: the mix of a part of a trace as bytes: counts, the state that is open at its end, and
 * what its beginning needs to know of the part before it.
 */
#include "stats/mix_pack.h"

#include "base/array.h"
#include "stats/mix.h"

/* ---- packing ---- */

static void pack_names(const struct mix_names *names, struct text *bytes)
{
    uint64_t count = 0;
    for (size_t id = 0; id < MIX_NAMES; id++) count += names->counts[id] != 0;
    text_varint(bytes, count);
    for (size_t id = 0; id < MIX_NAMES; id++) {
        size_t size;
        if (!names->counts[id]) continue;
        const char *name = spoor_names_text(names->names, (spoor_name)id, &size);
        text_sized(bytes, name, size);
        text_varint(bytes, names->counts[id]);
    }
}

static void pack_life(const struct mix_life *life, struct text *bytes)
{
    text_varint(bytes, life->written);
    text_varint(bytes, life->last_read);
    text_varint(bytes, life->reads);
    text_varint(bytes, life->alive);
}

static void pack_registers(const struct spoor_mix *mix, struct text *bytes)
{
    const struct mix_registers *registers = mix->registers;
    const struct spoor_names *names = mix->register_names.names;
    const size_t count = spoor_names_count(names);
    text_varint(bytes, registers->now);
    text_counts(bytes, registers->lifetimes, MIX_LOGS);
    text_counts(bytes, registers->uses, MIX_LOGS);
    text_varint(bytes, registers->values);
    text_varint(bytes, registers->dead);
    text_varint(bytes, registers->sees_reads);
    text_varint(bytes, count);
    for (size_t id = 0; id < count; id++) {
        size_t size;
        const char *name = spoor_names_text(names, (spoor_name)id, &size);
        text_sized(bytes, name, size);
        text_varint(bytes, mix->register_names.counts[id]);
        text_varint(bytes, registers->reads[id]);
        text_varint(bytes, registers->writes[id]);
        pack_life(&registers->lives[id], bytes);
        pack_life(&registers->heads[id], bytes);
    }
}

static void pack_references(const struct mix_references *references, struct text *bytes)
{
    const uint64_t *page = NULL;
    text_varint(bytes, references->fetches);
    text_varint(bytes, references->reads);
    text_varint(bytes, references->writes);
    text_varint(bytes, references->other);
    text_varint(bytes, references->in_window);
    text_varint(bytes, references->pages.count);
    while ((page = hash_map_next(&references->pages, page, sizeof *page)))
        text_varint(bytes, *page);
    text_varint(bytes, references->window_count);
    for (size_t i = 0; i < references->window_count; i++) {
        text_varint(bytes, references->windows[i].references);
        text_varint(bytes, references->windows[i].pages);
    }
    for (int write = 0; write < 2; write++) {
        const struct mix_site *site = NULL;
        text_varint(bytes, references->sites[write].count);
        while ((site = hash_map_next(&references->sites[write], site, sizeof *site))) {
            text_varint(bytes, site->pc);
            text_varint(bytes, site->first);
            text_signed_varint(bytes, (int64_t)(site->last - site->first));
        }
        text_varint(bytes, references->has_last[write]);
        text_varint(bytes, references->first[write]);
        text_varint(bytes, references->last[write]);
        text_counts(bytes, references->local[write], MIX_STEPS);
        text_counts(bytes, references->global[write], MIX_STEPS);
    }
}

void mix_pack(const struct spoor_mix *mix, struct text *bytes)
{
    const uint64_t numbers[] = {mix->top,         mix->references.window, mix->references.shift,
                                mix->micro_ops,   mix->macro_ops,         mix->instructions,
                                mix->skipped,     mix->iterations,        mix->sized,
                                mix->fused,       mix->in_macro,          mix->leading,
                                mix->wrote_flags, mix->starts_conditional};
    text_counts(bytes, numbers, sizeof numbers / sizeof *numbers);
    text_counts(bytes, mix->uops, MIX_UOPS);
    text_counts(bytes, mix->sizes, MIX_SIZES);
    text_counts(bytes, mix->bits, MIX_BITS);
    text_counts(bytes, mix->classes, MIX_CLASSES);
    pack_names(&mix->macros, bytes);
    pack_names(&mix->micros, bytes);
    pack_registers(mix, bytes);
    pack_references(&mix->references, bytes);
}

/* ---- unpacking ---- */

static void unpack_names(struct unpacker *from, struct mix_names *names)
{
    for (size_t count = unpack_count(from); count; count--) {
        size_t size;
        const char *name = unpack_sized(from, &size);
        mix_names_count(names, name ? name : "", size, unpack(from));
    }
}

static struct mix_life unpack_life(struct unpacker *from)
{
    struct mix_life life = {0};
    life.written = unpack(from);
    life.last_read = unpack(from);
    life.reads = unpack(from);
    life.alive = unpack(from) != 0;
    return life;
}

static void unpack_registers(struct unpacker *from, struct spoor_mix *mix)
{
    struct mix_registers *registers = mix->registers;
    registers->now = unpack(from);
    unpack_counts(from, registers->lifetimes, MIX_LOGS);
    unpack_counts(from, registers->uses, MIX_LOGS);
    registers->values = unpack(from);
    registers->dead = unpack(from);
    registers->sees_reads = unpack(from) != 0;
    for (size_t count = unpack_count(from); count; count--) {
        size_t size;
        const char *name = unpack_sized(from, &size);
        const spoor_name id = spoor_names_intern(mix->register_names.names, name ? name : "", size);
        mix->register_names.counts[id] += unpack(from);
        registers->reads[id] = unpack(from);
        registers->writes[id] = unpack(from);
        registers->lives[id] = unpack_life(from);
        registers->heads[id] = unpack_life(from);
    }
}

static bool unpack_pages(struct unpacker *from, struct mix_references *references)
{
    bool added;
    for (size_t count = unpack_count(from); count; count--)
        if (!hash_map_add(&references->pages, unpack(from), sizeof(uint64_t), &added)) return false;
    const size_t windows = unpack_count(from);
    if (!array_reserve(&references->windows, &references->window_capacity, windows)) return false;
    for (size_t i = 0; i < windows; i++) {
        references->windows[i].references = unpack(from);
        references->windows[i].pages = unpack(from);
    }
    references->window_count = windows;
    return true;
}

static bool unpack_sites(struct unpacker *from, struct hash_map *sites)
{
    for (size_t count = unpack_count(from); count; count--) {
        bool added;
        struct mix_site *site = hash_map_add(sites, unpack(from), sizeof *site, &added);
        if (!site) return false;
        site->first = unpack(from);
        site->last = site->first + (uint64_t)unpack_signed(from);
    }
    return true;
}

static bool unpack_references(struct unpacker *from, struct mix_references *references)
{
    references->fetches = unpack(from);
    references->reads = unpack(from);
    references->writes = unpack(from);
    references->other = unpack(from);
    references->in_window = unpack(from);
    if (!unpack_pages(from, references)) return false;
    for (int write = 0; write < 2; write++) {
        if (!unpack_sites(from, &references->sites[write])) return false;
        references->has_last[write] = unpack(from) != 0;
        references->first[write] = unpack(from);
        references->last[write] = unpack(from);
        unpack_counts(from, references->local[write], MIX_STEPS);
        unpack_counts(from, references->global[write], MIX_STEPS);
    }
    return true;
}

static void unpack_numbers(struct unpacker *from, struct spoor_mix *mix)
{
    uint64_t *const numbers[] = {&mix->micro_ops, &mix->macro_ops,  &mix->instructions,
                                 &mix->skipped,   &mix->iterations, &mix->sized,
                                 &mix->fused,     &mix->in_macro,   &mix->leading};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) *numbers[i] = unpack(from);
    mix->wrote_flags = unpack(from) != 0;
    mix->starts_conditional = unpack(from) != 0;
    unpack_counts(from, mix->uops, MIX_UOPS);
    unpack_counts(from, mix->sizes, MIX_SIZES);
    unpack_counts(from, mix->bits, MIX_BITS);
    unpack_counts(from, mix->classes, MIX_CLASSES);
}

struct spoor_mix *mix_unpack(struct unpacker *from)
{
    struct spoor_mix_options options = {.struct_size = sizeof options};
    struct spoor_mix *mix;
    options.top = (unsigned)unpack_below(from, UINT16_MAX + 1);
    options.window = unpack(from);
    options.page = UINT64_C(1) << unpack_below(from, 64);
    if (from->failed || spoor_mix_new(&mix, &options, NULL) != SPOOR_OK) return NULL;
    unpack_numbers(from, mix);
    unpack_names(from, &mix->macros);
    unpack_names(from, &mix->micros);
    unpack_registers(from, mix);
    if (unpack_references(from, &mix->references) && !from->failed && !mix_lacks_names(mix))
        return mix;
    spoor_mix_free(mix);
    return NULL;
}
