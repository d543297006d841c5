/* SPDX-License-Identifier: MIT */
/* ip_stride.c: a prefetcher as a plug-in: the next `degree` blocks by the stride of an instruction,
 * in blocks, once it was the same twice (Fu, Patel, Janssens, MICRO 1992), with the table and the
 * degree of ChampSim's ip_stride.  `spoor pipe --plugin ./ip_stride.so -l
 * l1d:48K,12,64,prefetch=ip-stride TRACE`.  Its storage, in bits: of each entry the rest of a pc of
 * 48 bits, a block's number of 42 bits, a stride of 7, and the order of the ways. */
#include <spoor/plugin.h>

enum { SETS, WAYS, DEGREE, PAGE_BITS = 12 };
static const struct spoor_component_key keys[] = {
    {"sets", "sets of the table, a power of two", 256, 1, 65536},
    {"ways", "entries of a set", 4, 1, 16},
    {"degree", "blocks that are asked for", 3, 1, 16},
    {NULL, NULL, 0, 0, 0},
};

struct entry {
    uint64_t pc, block, used; /* used: 0, it is free */
    int64_t stride;           /* the last */
};
struct ip_stride {
    uint64_t sets, ways, degree, uses;
    uint32_t block_bits;
    struct entry entries[];
};

static uint64_t ip_stride_log2(uint64_t count)
{
    uint64_t bits = 0;
    while (UINT64_C(1) << bits < count) bits++;
    return bits;
}

static const char *ip_stride_size(struct spoor_plugin_setup *setup)
{
    const uint64_t sets = setup->values[SETS], ways = setup->values[WAYS];
    enum { PC = 48, BLOCK = 42, STRIDE = 7 };
    if (sets & (sets - 1)) return "`sets` is a power of two";
    setup->state_bytes = sizeof(struct ip_stride) + sets * ways * sizeof(struct entry);
    setup->storage_bits =
        sets * ways * (PC - ip_stride_log2(sets) + BLOCK + STRIDE + ip_stride_log2(ways));
    return NULL;
}

static const char *ip_stride_create(void *state, struct spoor_plugin_setup *setup)
{
    struct ip_stride *self = state;
    self->sets = setup->values[SETS];
    self->ways = setup->values[WAYS];
    self->degree = setup->values[DEGREE];
    self->block_bits = setup->block_bits;
    return NULL;
}

/* The entry of an instruction, or, for a new one, that which was used longest ago. */
static struct entry *ip_stride_find(struct ip_stride *self, uint64_t pc)
{
    struct entry *set = &self->entries[(pc & (self->sets - 1)) * self->ways], *oldest = set;
    for (uint64_t i = 0; i < self->ways; i++) {
        if (set[i].used && set[i].pc == pc) return &set[i];
        if (set[i].used < oldest->used) oldest = &set[i];
    }
    *oldest = (struct entry){.pc = pc};
    return oldest;
}

static void ip_stride_access(void *state, const struct spoor_plugin_access *access, bool miss,
                             bool first, struct spoor_plugin_prefetches *prefetches)
{
    struct ip_stride *self = state;
    (void)miss, (void)first;
    if (!access->has_pc) return;
    const uint64_t block = access->address >> self->block_bits;
    struct entry *entry = ip_stride_find(self, access->pc);
    const int64_t stride = entry->used ? (int64_t)(block - entry->block) : 0;
    const bool same = stride != 0 && stride == entry->stride;
    for (uint64_t i = 1; same && i <= self->degree; i++) {
        const uint64_t address = (block + i * (uint64_t)stride) << self->block_bits;
        if (address >> PAGE_BITS != access->address >> PAGE_BITS) break;
        spoor_plugin_prefetch(prefetches, address, 0);
    }
    entry->block = block;
    entry->stride = stride;
    entry->used = ++self->uses;
}

static const struct spoor_plugin_prefetcher ip_stride = {
    .design = {.name = "ip-stride",
               .title = "by the stride of an instruction, in blocks",
               .source = "Fu, Patel and Janssens 1992; ChampSim's ip_stride",
               .keys = keys,
               .size = ip_stride_size,
               .create = ip_stride_create},
    .access = ip_stride_access,
};

static const struct spoor_plugin_prefetcher *const prefetchers[] = {&ip_stride, NULL};
const struct spoor_plugin spoor_plugin_table = {SPOOR_PLUGIN_HEAD, .prefetchers = prefetchers};
