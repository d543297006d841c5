/* SPDX-License-Identifier: MIT */
/* hawkeye.c: a replacement policy as a plug-in: Hawkeye (Jain and Lin, ISCA 2016), for a last
 * level, with the constants of its authors' entry of the championship of 2017 (CRC2).
 * `spoor cache --plugin ./hawkeye.so -l l1d:48K,12,64 -l llc:2M,16,64,policy=hawkeye TRACE`.
 *
 * In some sets it reconstructs what the optimal policy would have done: a block that comes again
 * would have been a hit if the set was not full in the time between.  An instruction whose blocks
 * would mostly have been hits fills friendly blocks, which are replaced least recently used; the
 * blocks of others are averse, and replaced before. */
#include <spoor/plugin.h>

enum {
    COUNTERS = 2048, /* of instructions */
    COUNTER_BITS = 5,
    COUNTER_MAX = 31,
    FRIENDLY = 16, /* from this count on */
    AGE_BITS = 3,
    AVERSE = 7,
    SAMPLED_BITS = 6, /* log2 of the sampled sets */
    TIME_BITS = 10,   /* accesses of a set */
    TIMES = 1 << TIME_BITS,
    HISTORY = 128, /* accesses whose occupancy is known */
    SAMPLER_SETS = 350,
    SAMPLER_WAYS = 8,
    TAGS = 256,
    NEAR_PREFETCH = 5, /* accesses within which a prefetch teaches */
};

/* The order of a line is its age: AVERSE, or 0 to AVERSE - 1. */
struct hawkeye {
    uint64_t *order;
    uint32_t ways, set_bits, block_bits, capacity;
    uint8_t counters[2][COUNTERS]; /* of demands, of prefetches */
    struct sample {
        uint16_t pc; /* its hash */
        uint16_t time;
        uint8_t tag, age;
        bool valid, prefetched;
    } samples[SAMPLER_SETS][SAMPLER_WAYS];
    struct hawkeye_line {
        uint16_t pc;
        bool prefetched;
    } * lines;
    struct hawkeye_set {
        uint16_t time;
        uint8_t occupancy[HISTORY]; /* blocks that the optimal policy keeps */
    } sets[];
};

static uint32_t hawkeye_log2(uint64_t count)
{
    uint32_t bits = 0;
    while (count >> bits > 1) bits++;
    return bits;
}

/* Where the first bits of its number are the last. */
static bool hawkeye_is_sampled(uint64_t set, uint32_t set_bits)
{
    if (set_bits <= SAMPLED_BITS) return true;
    return ((set ^ set >> (set_bits - SAMPLED_BITS)) & ((1u << SAMPLED_BITS) - 1)) == 0;
}

static const char *hawkeye_size(struct spoor_plugin_setup *setup)
{
    enum { HASH_BITS = 11, TAG_BITS = 8, WAY_BITS = 3, OCCUPANCY_BITS = 4 };
    const uint64_t lines = setup->sets * setup->ways;
    uint64_t sampled = 0;
    for (uint64_t set = 0; set < setup->sets; set++)
        sampled += hawkeye_is_sampled(set, hawkeye_log2(setup->sets));
    setup->state_bytes = sizeof(struct hawkeye) + setup->sets * sizeof(struct hawkeye_set) +
                         lines * sizeof(struct hawkeye_line);
    /* of all lines the ages, of those in sampled sets the instructions */
    setup->storage_bits =
        lines * AGE_BITS + sampled * setup->ways * (HASH_BITS + 1) +
        sampled * (TIME_BITS + HISTORY * OCCUPANCY_BITS) + 2 * COUNTERS * COUNTER_BITS +
        SAMPLER_SETS * SAMPLER_WAYS * (1 + TAG_BITS + TIME_BITS + HASH_BITS + 1 + WAY_BITS);
    return NULL;
}

static const char *hawkeye_create(void *state, struct spoor_plugin_setup *setup)
{
    struct hawkeye *self = state;
    self->order = setup->order;
    self->ways = setup->ways;
    self->set_bits = hawkeye_log2(setup->sets);
    self->block_bits = setup->block_bits;
    self->capacity = setup->ways > 2 ? setup->ways - 2 : 1;
    self->lines = (struct hawkeye_line *)&self->sets[setup->sets];
    for (uint64_t i = 0; i < setup->sets * setup->ways; i++) setup->order[i] = AVERSE;
    for (unsigned i = 0; i < COUNTERS; i++) self->counters[0][i] = self->counters[1][i] = FRIENDLY;
    return NULL;
}

/* The CRC-32 of a number, of 32 steps. */
static uint64_t hawkeye_crc(uint64_t number)
{
    for (unsigned i = 0; i < 32; i++)
        number = number & 1 ? number >> 1 ^ UINT64_C(0xEDB88320) : number >> 1;
    return number;
}

static void hawkeye_train(struct hawkeye *self, bool prefetched, uint16_t pc, bool hit)
{
    uint8_t *counter = &self->counters[prefetched][pc];
    if (hit && *counter < COUNTER_MAX) ++*counter;
    if (!hit && *counter > 0) --*counter;
}

/* Whether the optimal policy would have kept a block from one access of its set to the next; then
 * it is there in between. */
static bool hawkeye_would_keep(struct hawkeye *self, struct hawkeye_set *set, uint16_t from)
{
    const unsigned first = from % HISTORY, end = set->time % HISTORY;
    for (unsigned i = first; i != end; i = (i + 1) % HISTORY)
        if (set->occupancy[i] >= self->capacity) return false;
    for (unsigned i = first; i != end; i = (i + 1) % HISTORY) set->occupancy[i]++;
    return true;
}

/* Accesses of sampled sets teach; a usage interval ends with a demand, or with a prefetch that
 * follows closely. */
static void hawkeye_sample(struct hawkeye *self, struct hawkeye_set *set, uint64_t address,
                           uint16_t pc, bool prefetch)
{
    const uint64_t entry_number = (address >> self->block_bits) % (SAMPLER_SETS * SAMPLER_WAYS);
    struct sample *entries = self->samples[entry_number / SAMPLER_WAYS];
    const uint8_t tag = (uint8_t)(hawkeye_crc(address >> self->block_bits >> 6) % TAGS);
    struct sample *entry = NULL;
    for (unsigned i = 0; i < SAMPLER_WAYS; i++)
        if (entries[i].valid && entries[i].tag == tag) entry = &entries[i];
    uint8_t age = SAMPLER_WAYS - 1;
    if (entry) {
        const int passed = set->time - entry->time;
        age = entry->age;
        if (!prefetch) {
            const bool known = (passed < 0 ? passed + TIMES : passed) <= HISTORY;
            const bool hit = known && hawkeye_would_keep(self, set, entry->time);
            hawkeye_train(self, entry->prefetched, entry->pc, hit);
        } else if (passed >= 0 && passed < NEAR_PREFETCH &&
                   hawkeye_would_keep(self, set, entry->time)) {
            hawkeye_train(self, entry->prefetched, entry->pc, true);
        }
    } else { /* the first free entry, or the oldest */
        for (unsigned i = 0; i < SAMPLER_WAYS; i++)
            if (!entry && (!entries[i].valid || entries[i].age == SAMPLER_WAYS - 1))
                entry = &entries[i];
    }
    for (unsigned i = 0; i < SAMPLER_WAYS; i++)
        if (entries[i].valid && entries[i].age < age) entries[i].age++;
    set->occupancy[set->time % HISTORY] = 0;
    *entry = (struct sample){
        .pc = pc, .time = set->time, .tag = tag, .valid = true, .prefetched = prefetch};
    set->time = (set->time + 1) % TIMES;
}

static void hawkeye_update(struct hawkeye *self, uint64_t set, uint32_t way,
                           const struct spoor_plugin_access *access, bool hit)
{
    const bool prefetch = access->prefetch || access->for_prefetch;
    const bool writeback = access->op == 2 && !access->has_pc;
    struct hawkeye_line *line = &self->lines[set * self->ways + way];
    uint64_t *ages = &self->order[set * self->ways];
    if (!prefetch)
        line->prefetched = false;
    else if (!hit)
        line->prefetched = true;
    if (writeback) return;
    const uint16_t pc = (uint16_t)(hawkeye_crc(access->has_pc ? access->pc : 0) % COUNTERS);
    if (hawkeye_is_sampled(set, self->set_bits))
        hawkeye_sample(self, &self->sets[set], access->address, pc, prefetch);
    line->pc = pc;
    if (self->counters[prefetch][pc] < FRIENDLY) {
        ages[way] = AVERSE;
        return;
    }
    ages[way] = 0;
    if (hit) return;
    bool oldest = false;
    for (uint32_t i = 0; i < self->ways; i++) oldest |= ages[i] == AVERSE - 1;
    for (uint32_t i = 0; i < self->ways && !oldest; i++)
        ages[i] += i != way && ages[i] < AVERSE - 1;
}

static void hawkeye_touch(void *state, uint64_t set, uint32_t way,
                          const struct spoor_plugin_access *access)
{
    hawkeye_update(state, set, way, access, true);
}

static void hawkeye_fill(void *state, uint64_t set, uint32_t way,
                         const struct spoor_plugin_access *access)
{
    hawkeye_update(state, set, way, access, false);
}

/* The first averse block; else the oldest, whose instruction was wrongly thought friendly. */
static uint32_t hawkeye_victim(void *state, uint64_t set)
{
    struct hawkeye *self = state;
    const uint64_t *ages = &self->order[set * self->ways];
    uint32_t oldest = 0;
    for (uint32_t way = 0; way < self->ways; way++) {
        if (ages[way] == AVERSE) return way;
        if (ages[way] >= ages[oldest]) oldest = way;
    }
    const struct hawkeye_line *line = &self->lines[set * self->ways + oldest];
    if (hawkeye_is_sampled(set, self->set_bits))
        hawkeye_train(self, line->prefetched, line->pc, false);
    return oldest;
}

static const struct spoor_plugin_policy hawkeye = {
    .design = {.name = "hawkeye",
               .title = "by what the optimal policy would have kept of an instruction",
               .source = "Jain and Lin 2016",
               .size = hawkeye_size,
               .create = hawkeye_create},
    .needs_access = true,
    .touch = hawkeye_touch,
    .fill = hawkeye_fill,
    .victim = hawkeye_victim,
};

static const struct spoor_plugin_policy *const policies[] = {&hawkeye, NULL};
const struct spoor_plugin spoor_plugin_table = {SPOOR_PLUGIN_HEAD, .policies = policies};
