/* SPDX-License-Identifier: MIT */
/* mockingjay.c: a replacement policy as a plug-in: Mockingjay (Shah, Jain and Lin, HPCA 2022), for
 * a last level.  `spoor cache --plugin ./mockingjay.so -l l1d:48K,12,64 -l
 * llc:2M,16,64,policy=mockingjay TRACE`.
 *
 * In some sets it sees after how many accesses a block comes again, and learns this distance for
 * the instruction that accessed it before.  Each block has the time that is left until it should
 * come: the one that is farthest away, or most overdue, is replaced; a new block that would come
 * later than all is not kept. */
#include <spoor/plugin.h>

enum {
    GRANULE = 8, /* accesses of a set, a unit of the time that is left */
    HISTORY = 8, /* distances are known up to so many accesses for each way */
    MARGIN = 22, /* a distance this near to the longest is as good as it */
    SAMPLE_WAYS = 5,
    SAMPLE_BITS = 4, /* log2 of the sample's sets for each sampled set */
    TIMES = 256,
    SLOWNESS = 16, /* a learnt distance moves by 1 if it is off by so much */
    UNKNOWN = -1,
};

enum { CORES };
static const struct spoor_component_key keys[] = {
    {"cores", "that share the cache, whose instructions are told apart", 1, 1, 4},
    {NULL, NULL, 0, 0, 0},
};

struct mockingjay {
    uint32_t ways, cores, block_bits, set_bits, tag_bits, pc_bits;
    int16_t *left;      /* of each line: granules until it comes; below 0: it is overdue */
    int16_t *distances; /* of instructions, by their hash */
    struct sample {
        uint16_t tag, pc;
        uint8_t time;
        bool valid;
    } * samples;
    struct mockingjay_set {
        int32_t sample; /* its first set of the sample; UNKNOWN: it is not sampled */
        uint8_t time;   /* of sampled sets: accesses */
        uint8_t passed; /* accesses of this granule */
    } sets[];
};

static uint32_t mockingjay_log2(uint64_t count)
{
    uint32_t bits = 0;
    while (count >> bits > 1) bits++;
    return bits;
}

/* Sampled sets are those whose first bits are the last; a set for each 64 KB. */
static bool mockingjay_is_sampled(uint64_t set, uint32_t set_bits, uint32_t size_bits)
{
    const uint32_t sampled_bits = size_bits - 16, bits = set_bits - sampled_bits;
    const uint64_t mask = (UINT64_C(1) << bits) - 1;
    return (set & mask) == (set >> sampled_bits & mask);
}

static const char *mockingjay_size(struct spoor_plugin_setup *setup)
{
    enum { PC_BITS_LESS = 10, TAG_BITS_ALL = 31, TIME_BITS = 8, PASSED_BITS = 3 };
    const uint64_t lines = setup->sets * setup->ways;
    const uint32_t set_bits = mockingjay_log2(setup->sets),
                   size_bits = mockingjay_log2(lines) + setup->block_bits;
    if (setup->sets & (setup->sets - 1)) return "a number of sets that is a power of two";
    if (size_bits < 16 || size_bits > 26 || setup->ways < 4 || setup->ways > 128 ||
        setup->block_bits > 9)
        return "a cache of 64 KB to 64 MB, with 4 to 128 ways, in blocks of up to 512 bytes";
    uint64_t sampled = 0;
    for (uint64_t set = 0; set < setup->sets; set++)
        sampled += mockingjay_is_sampled(set, set_bits, size_bits);
    const uint64_t samples = (sampled << SAMPLE_BITS) * SAMPLE_WAYS;
    const uint64_t pcs = UINT64_C(1) << (size_bits - PC_BITS_LESS);
    setup->state_bytes = sizeof(struct mockingjay) + setup->sets * sizeof(struct mockingjay_set) +
                         samples * sizeof(struct sample) + (lines + pcs) * sizeof(int16_t);
    setup->storage_bits =
        lines * (mockingjay_log2(setup->ways) + 1) + setup->sets * PASSED_BITS +
        sampled * TIME_BITS + pcs * mockingjay_log2(setup->ways * HISTORY) +
        samples * (1 + TAG_BITS_ALL - size_bits + size_bits - PC_BITS_LESS + TIME_BITS);
    return NULL;
}

static const char *mockingjay_create(void *state, struct spoor_plugin_setup *setup)
{
    struct mockingjay *self = state;
    const uint64_t lines = setup->sets * setup->ways;
    const uint32_t size_bits = mockingjay_log2(lines) + setup->block_bits;
    int32_t sampled = 0;
    self->ways = setup->ways;
    self->cores = (uint32_t)setup->values[CORES];
    self->block_bits = setup->block_bits;
    self->set_bits = mockingjay_log2(setup->sets);
    self->pc_bits = size_bits - 10;
    self->tag_bits = 31 - size_bits;
    for (uint64_t set = 0; set < setup->sets; set++) {
        struct mockingjay_set *at = &self->sets[set];
        const bool is_sampled = mockingjay_is_sampled(set, self->set_bits, size_bits);
        at->sample = is_sampled ? sampled++ << SAMPLE_BITS : UNKNOWN;
        at->passed = GRANULE;
    }
    self->samples = (struct sample *)&self->sets[setup->sets];
    self->left = (int16_t *)&self->samples[(sampled << SAMPLE_BITS) * SAMPLE_WAYS];
    self->distances = &self->left[lines];
    for (uint64_t i = 0; i < UINT64_C(1) << self->pc_bits; i++) self->distances[i] = UNKNOWN;
    return NULL;
}

/* ---- distances ---- */

static int mockingjay_longest(const struct mockingjay *self)
{
    return (int)self->ways * HISTORY - 1;
}

static bool mockingjay_is_prefetch(const struct spoor_plugin_access *access)
{
    return access->prefetch || access->for_prefetch;
}

/* The hash of an instruction, and of what becomes of its access. */
static uint16_t mockingjay_pc(const struct mockingjay *self,
                              const struct spoor_plugin_access *access, bool hit)
{
    const uint64_t pc = access->has_pc ? access->pc : 0, prefetch = mockingjay_is_prefetch(access);
    uint64_t hash = self->cores == 1 ? (pc << 1 | hit) << 1 | prefetch
                                     : (pc << 1 | prefetch) << 2 | access->cpu;
    for (unsigned i = 0; i < 3; i++)
        hash = hash & 1 ? hash >> 1 ^ UINT64_C(0xEDB88320) : hash >> 1; /* of a CRC */
    return (uint16_t)(hash & ((1u << self->pc_bits) - 1));
}

/* A block came again after a distance. */
static void mockingjay_learn(struct mockingjay *self, uint16_t pc, int distance)
{
    int16_t *learnt = &self->distances[pc];
    const int longest = mockingjay_longest(self);
    if (*learnt == UNKNOWN) {
        *learnt = (int16_t)distance;
    } else if (distance > *learnt) {
        const int longer = *learnt + (distance - *learnt >= SLOWNESS);
        *learnt = (int16_t)(longer < longest ? longer : longest);
    } else {
        *learnt -= *learnt - distance >= SLOWNESS;
    }
}

/* A block did not come again. */
static void mockingjay_unlearn(struct mockingjay *self, struct sample *sample)
{
    int16_t *learnt = &self->distances[sample->pc];
    const int longest = mockingjay_longest(self);
    *learnt = (int16_t)(*learnt == UNKNOWN || *learnt >= longest ? longest : *learnt + 1);
    sample->valid = false;
}

/* A prefetch that comes again could as well have been made later: its distance counts as longer, by
 * less the more cores share the cache. */
static int mockingjay_of_prefetch(const struct mockingjay *self, int distance)
{
    const unsigned quarters = 8 - mockingjay_log2(self->cores);
    return distance * (int)quarters / 4;
}

static void mockingjay_sample(struct mockingjay *self, struct mockingjay_set *set,
                              const struct spoor_plugin_access *access, uint16_t pc)
{
    const uint64_t block = access->address >> self->block_bits;
    const uint64_t above = block >> self->set_bits;
    struct sample *samples =
        &self->samples[((uint64_t)set->sample + (above & ((1u << SAMPLE_BITS) - 1))) * SAMPLE_WAYS];
    const uint16_t tag = above >> SAMPLE_BITS & ((1u << self->tag_bits) - 1);
    const int longest = mockingjay_longest(self);
    for (unsigned i = 0; i < SAMPLE_WAYS; i++) {
        if (!samples[i].valid || samples[i].tag != tag) continue;
        const int distance = (uint8_t)(set->time - samples[i].time);
        if (distance <= longest) {
            mockingjay_learn(self, samples[i].pc,
                             mockingjay_is_prefetch(access) ? mockingjay_of_prefetch(self, distance)
                                                            : distance);
            samples[i].valid = false;
        }
        break;
    }
    /* Those that are too old go, and the oldest if none is free. */
    struct sample *oldest = NULL;
    bool any_free = false;
    for (unsigned i = 0; i < SAMPLE_WAYS; i++) {
        struct sample *sample = &samples[i];
        if (sample->valid && (uint8_t)(set->time - sample->time) > longest)
            mockingjay_unlearn(self, sample);
        any_free |= !sample->valid;
        if (!oldest || (uint8_t)(set->time - sample->time) > (uint8_t)(set->time - oldest->time))
            oldest = sample;
    }
    if (!any_free) mockingjay_unlearn(self, oldest);
    struct sample *place = samples;
    while (place->valid) place++;
    *place = (struct sample){.tag = tag, .pc = pc, .time = set->time, .valid = true};
    set->time = (uint8_t)((set->time + 1) % TIMES);
}

/* ---- the policy ---- */

/* `way`: of the block; the number of ways: it is not kept. */
static void mockingjay_update(struct mockingjay *self, uint64_t number, uint32_t way,
                              const struct spoor_plugin_access *access, bool hit)
{
    struct mockingjay_set *set = &self->sets[number];
    int16_t *left = &self->left[number * self->ways];
    const int longest = (int)self->ways - 1;
    if (access->op == 2 && !access->has_pc) { /* written back: the first to go */
        if (!hit) left[way] = (int16_t)-longest;
        return;
    }
    const uint16_t pc = mockingjay_pc(self, access, hit);
    if (set->sample != UNKNOWN) mockingjay_sample(self, set, access, pc);
    if (set->passed == GRANULE) {
        for (uint32_t i = 0; i < self->ways; i++)
            if (left[i] < longest && left[i] > -longest) left[i]--;
        set->passed = 0;
    }
    set->passed++;
    if (way == self->ways) return;
    const int distance = self->distances[pc];
    if (distance == UNKNOWN)
        left[way] = (int16_t)(self->cores == 1 ? 0 : longest);
    else
        left[way] =
            (int16_t)(distance > mockingjay_longest(self) - MARGIN ? longest : distance / GRANULE);
}

static void mockingjay_touch(void *state, uint64_t set, uint32_t way,
                             const struct spoor_plugin_access *access)
{
    mockingjay_update(state, set, way, access, true);
}

static void mockingjay_fill(void *state, uint64_t set, uint32_t way,
                            const struct spoor_plugin_access *access)
{
    mockingjay_update(state, set, way, access, false);
}

static int mockingjay_away(int16_t left)
{
    return left < 0 ? -left : left;
}

/* The block that is farthest from its time, overdue ones before others. */
static uint32_t mockingjay_victim(void *state, uint64_t set)
{
    const struct mockingjay *self = state;
    const int16_t *left = &self->left[set * self->ways];
    uint32_t victim = 0;
    int farthest = 0;
    for (uint32_t way = 0; way < self->ways; way++) {
        const int away = mockingjay_away(left[way]);
        if (away < farthest || (away == farthest && left[way] >= 0)) continue;
        farthest = away;
        victim = way;
    }
    return victim;
}

static bool mockingjay_bypass(void *state, uint64_t set, const struct spoor_plugin_access *access)
{
    struct mockingjay *self = state;
    const uint32_t victim = mockingjay_victim(self, set);
    const int distance = self->distances[mockingjay_pc(self, access, false)];
    const int away = mockingjay_away(self->left[set * self->ways + victim]);
    if (distance == UNKNOWN ||
        (distance <= mockingjay_longest(self) - MARGIN && distance / GRANULE <= away))
        return false;
    mockingjay_update(self, set, self->ways, access, false);
    return true;
}

static const struct spoor_plugin_policy mockingjay = {
    .design = {.name = "mockingjay",
               .title = "by the times at which blocks should come again",
               .source = "Shah, Jain and Lin 2022",
               .keys = keys,
               .size = mockingjay_size,
               .create = mockingjay_create},
    .needs_access = true,
    .touch = mockingjay_touch,
    .fill = mockingjay_fill,
    .victim = mockingjay_victim,
    .bypass = mockingjay_bypass,
};

static const struct spoor_plugin_policy *const policies[] = {&mockingjay, NULL};
const struct spoor_plugin spoor_plugin_table = {SPOOR_PLUGIN_HEAD, .policies = policies};
