/* SPDX-License-Identifier: MIT */
/*
 * strides.c: a fold: how far the reads and writes of each instruction are from its last one, on the
 * same cpu.  The share of repeated strides is what a prefetcher by instruction could hope for (Fu,
 * Patel and Janssens, MICRO 1992).
 *
 *     cc -O2 -shared -fPIC -o strides.so strides.c
 *     spoor fold --plugin ./strides.so -p strides:top=5 TRACE
 */
#include <spoor/plugin.h>
#include <stdlib.h>

enum { TOP };
static const struct spoor_component_key keys[] = {
    {"top", "strides that the table has, the most frequent first", 10, 1, 1000000},
    {NULL, NULL, 0, 0, 0},
};

/* A map from two numbers to an entry: open addressing, at most half full. */
struct entry {
    uint64_t key, cpu;
    uint64_t count; /* 0: the slot is empty */
    uint64_t last;  /* of an instruction: its last address, */
    int64_t stride; /* and how far that was from the one before: count > 1 */
};
struct map {
    struct entry *slots;
    size_t used, mask; /* slots - 1 */
};

struct state {
    struct map instructions; /* by pc and cpu */
    struct map strides;      /* by stride */
    uint64_t top, accesses, without_pc, repeated;
};

static struct entry *map_slot(const struct map *map, uint64_t key, uint64_t cpu)
{
    size_t at = (size_t)((key ^ cpu << 48) * UINT64_C(0x9e3779b97f4a7c15) >> 20);
    while (map->slots[at & map->mask].count &&
           (map->slots[at & map->mask].key != key || map->slots[at & map->mask].cpu != cpu))
        at++;
    return &map->slots[at & map->mask];
}

static bool map_grow(struct map *map)
{
    const struct map old = *map;
    const size_t size = old.slots ? 2 * (old.mask + 1) : 1024;
    struct entry *slots = calloc(size, sizeof *slots);
    if (!slots) return false;
    map->slots = slots;
    map->mask = size - 1;
    for (size_t i = 0; old.slots && i <= old.mask; i++)
        if (old.slots[i].count) *map_slot(map, old.slots[i].key, old.slots[i].cpu) = old.slots[i];
    free(old.slots);
    return true;
}

/* The entry, counted once more; NULL: memory ran out. */
static struct entry *map_count(struct map *map, uint64_t key, uint64_t cpu)
{
    if ((!map->slots || 2 * map->used > map->mask) && !map_grow(map)) return NULL;
    struct entry *entry = map_slot(map, key, cpu);
    map->used += entry->count == 0;
    entry->key = key;
    entry->cpu = cpu;
    entry->count++;
    return entry;
}

/* ---- the fold ---- */

static const char *size(struct spoor_plugin_setup *setup)
{
    setup->state_bytes = sizeof(struct state);
    return NULL;
}

static const char *create(void *state, struct spoor_plugin_setup *setup)
{
    ((struct state *)state)->top = setup->values[TOP];
    return NULL;
}

static void destroy(void *state)
{
    free(((struct state *)state)->instructions.slots);
    free(((struct state *)state)->strides.slots);
}

static const char *accesses(void *state, const struct spoor_plugin_access *items, size_t count)
{
    static const char *const no_memory = "out of memory";
    struct state *self = state;
    for (size_t i = 0; i < count; i++) {
        const struct spoor_plugin_access *access = &items[i];
        if (access->op == 0) continue; /* a fetch */
        self->accesses++;
        if (!access->has_pc) {
            self->without_pc++;
            continue;
        }
        struct entry *entry = map_count(&self->instructions, access->pc, access->cpu);
        if (!entry) return no_memory;
        if (entry->count > 1) {
            const int64_t stride = (int64_t)(access->address - entry->last);
            self->repeated += entry->count > 2 && stride == entry->stride;
            entry->stride = stride;
            if (!map_count(&self->strides, (uint64_t)stride, 0)) return no_memory;
        }
        entry->last = access->address;
    }
    return NULL;
}

/* The most frequent first, of these the smallest. */
static int entry_compare(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    if (a->count != b->count) return a->count > b->count ? -1 : 1;
    return (int64_t)a->key < (int64_t)b->key ? -1 : (int64_t)a->key > (int64_t)b->key;
}

static const char *report(void *state, struct spoor_plugin_report *to)
{
    struct state *self = state;
    const uint64_t accesses_with_pc = self->accesses - self->without_pc;
    const uint64_t strides = accesses_with_pc - self->instructions.used;
    const uint64_t rows = self->strides.used < self->top ? self->strides.used : self->top;
    to->count(to, "accesses", self->accesses);
    if (self->without_pc) to->count(to, "accesses_without_pc", self->without_pc);
    to->count(to, "instructions", self->instructions.used);
    to->count(to, "strides", strides);
    if (strides) to->real(to, "repeated_ratio", (double)self->repeated / (double)strides);
    if (rows)
        qsort(self->strides.slots, self->strides.mask + 1, sizeof *self->strides.slots,
              entry_compare);
    for (uint64_t i = 0; i < rows; i++) {
        const struct entry *entry = &self->strides.slots[i];
        to->row(to);
        to->integer(to, "stride", (int64_t)entry->key);
        to->count(to, "accesses", entry->count);
        to->real(to, "access_ratio", (double)entry->count / (double)strides);
    }
    return NULL;
}

static const struct spoor_plugin_fold fold = {
    .design = {.name = "strides",
               .title = "how far the accesses of an instruction are apart",
               .source = "Fu, Patel and Janssens, MICRO 1992",
               .keys = keys,
               .size = size,
               .create = create,
               .destroy = destroy},
    .accesses = accesses,
    .report = report,
};

static const struct spoor_plugin_fold *const folds[] = {&fold, NULL};
const struct spoor_plugin spoor_plugin_table = {SPOOR_PLUGIN_HEAD, .folds = folds};
