/* SPDX-License-Identifier: MIT */
/* berti.c: a prefetcher as a plug-in: Berti, by local deltas that are in time (Navarro-Torres,
 * Panda, Alastruey-Benede, Ibanez, Vinals-Yufera, Ros, MICRO 2022), for a first level with virtual
 * addresses.  `spoor pipe --plugin ./berti.so -l l1d:48K,12,64,prefetch=berti,mshrs=16 -l
 * l2:512K,8,64,mshrs=32 TRACE`.
 *
 * When the data of a miss arrive, their latency is known; the accesses of the same instruction that
 * were at least so long before could have asked for the block in time, and the deltas from there
 * are counted.  Deltas that are right for most misses of the instruction are used, the best for its
 * own level, others for the next.  Without time, a clock counts accesses, and `latency` is given.
 */
#include <spoor/plugin.h>

enum {
    SETS = 8,
    WAYS = 16, /* accesses of the instructions of a set */
    PC_BITS = 10,
    ADDRESS_BITS = 24,
    DELTA_BITS = 12, /* and a sign */
    DELTAS = 16,     /* of an instruction */
    LEARNT = 8,      /* at most, from one miss */
    ASKED = 12,
    ROUND = 16, /* misses after which deltas are chosen */
    EARLY = 8,  /* misses after which some are used before that */
    LATENCY_MAX = 4095,
    MSHRS = 70, /* percent, above which the next level is filled */
    ENTRIES_MAX = 256,
};
enum use { UNUSED, OWN_LEVEL, NEXT_LEVEL, NEXT_LEVEL_REPLACEABLE };

enum { ENTRIES, LATENCY };
static const struct spoor_component_key keys[] = {
    {"entries", "instructions whose deltas are stored", 16, 1, ENTRIES_MAX},
    {"latency", "of all misses, in accesses, where the model has no time", 16, 1, LATENCY_MAX},
    {NULL, NULL, 0, 0, 0},
};

struct delta {
    int16_t delta;
    uint8_t count, use;
};
struct berti {
    uint32_t block_bits, ways, entry_count, latency;
    uint64_t set_count;
    uint16_t clock; /* of accesses */
    struct history {
        uint16_t pc, time;
        uint32_t block;
    } history[SETS][WAYS];
    uint8_t oldest[SETS];
    struct instruction {
        bool valid;
        uint16_t pc;
        uint8_t count; /* misses of this round */
        struct delta deltas[DELTAS];
    } instructions[ENTRIES_MAX];
    uint32_t next; /* the instruction that is replaced */
    struct mark {
        uint64_t block; /* its number, plus 1; 0: none */
        uint32_t latency;
    } marks[]; /* of prefetched blocks in the cache, by set */
};

static const char *berti_size(struct spoor_plugin_setup *setup)
{
    enum {
        TIME_BITS = 16,
        INDEX_BITS = 3,
        WAY_BITS = 4,
        ENTRY_BITS = 4,
        COUNT_BITS = 4,
        USE_BITS = 2,
        LATENCY_BITS = 12,
        UNDER_WAY = 32, /* misses and queued prefetches, with the time at which they began */
    };
    const uint64_t lines = setup->sets * setup->ways;
    setup->state_bytes = sizeof(struct berti) + lines * sizeof(struct mark);
    setup->storage_bits =
        SETS * (WAYS * (PC_BITS - INDEX_BITS + ADDRESS_BITS + TIME_BITS) + WAY_BITS) +
        setup->values[ENTRIES] *
            (PC_BITS + COUNT_BITS + DELTAS * (DELTA_BITS + 1 + COUNT_BITS + USE_BITS)) +
        ENTRY_BITS + lines * LATENCY_BITS + UNDER_WAY * TIME_BITS;
    return NULL;
}

static const char *berti_create(void *state, struct spoor_plugin_setup *setup)
{
    struct berti *self = state;
    self->block_bits = setup->block_bits;
    self->set_count = setup->sets;
    self->ways = setup->ways;
    self->entry_count = (uint32_t)setup->values[ENTRIES];
    self->latency = (uint32_t)setup->values[LATENCY];
    return NULL;
}

static struct mark *berti_mark(struct berti *self, uint64_t block, uint64_t wanted)
{
    struct mark *set = &self->marks[block % self->set_count * self->ways];
    for (uint32_t way = 0; way < self->ways; way++)
        if (set[way].block == wanted) return &set[way];
    return NULL;
}

static uint16_t berti_pc(uint64_t pc)
{
    return (pc >> 1 ^ pc >> 4) & ((1u << PC_BITS) - 1);
}

static struct instruction *berti_instruction(struct berti *self, uint16_t pc)
{
    for (uint32_t i = 0; i < self->entry_count; i++)
        if (self->instructions[i].valid && self->instructions[i].pc == pc)
            return &self->instructions[i];
    return NULL;
}

/* ---- learning ---- */

static void berti_note_access(struct berti *self, uint16_t pc, uint64_t block, uint16_t now)
{
    const unsigned set = pc % SETS;
    self->history[set][self->oldest[set]] =
        (struct history){pc, now, block & ((1u << ADDRESS_BITS) - 1)};
    self->oldest[set] = (uint8_t)((self->oldest[set] + 1) % WAYS);
}

/* One more miss of an instruction; after a round, what its deltas are used for. */
static void berti_count_miss(struct instruction *instruction)
{
    if (++instruction->count < ROUND) return;
    for (unsigned i = 0; i < DELTAS; i++) {
        struct delta *delta = &instruction->deltas[i];
        const unsigned right = 100u * delta->count / ROUND;
        delta->use = right > 65   ? OWN_LEVEL
                     : right > 50 ? NEXT_LEVEL
                     : right > 35 ? NEXT_LEVEL_REPLACEABLE
                                  : UNUSED;
        delta->count = 0;
    }
    instruction->count = 0;
}

static struct delta *berti_rarest(struct instruction *instruction, enum use use)
{
    struct delta *rarest = NULL;
    for (unsigned i = 0; i < DELTAS; i++) {
        struct delta *delta = &instruction->deltas[i];
        if (delta->use == use && (!rarest || delta->count < rarest->count)) rarest = delta;
    }
    return rarest;
}

static void berti_count_delta(struct berti *self, uint16_t pc, int16_t value)
{
    struct instruction *instruction = berti_instruction(self, pc);
    if (!instruction) {
        instruction = &self->instructions[self->next];
        self->next = (self->next + 1) % self->entry_count;
        *instruction = (struct instruction){
            .valid = true, .pc = pc, .count = 1, .deltas = {{.delta = value, .count = 1}}};
        return;
    }
    for (unsigned i = 0; i < DELTAS; i++) {
        struct delta *delta = &instruction->deltas[i];
        if (delta->delta != value) continue;
        if (delta->count < ROUND) delta->count++;
        return;
    }
    struct delta *delta = berti_rarest(instruction, UNUSED);
    if (!delta) delta = berti_rarest(instruction, NEXT_LEVEL_REPLACEABLE);
    if (delta) *delta = (struct delta){.delta = value, .count = 1};
}

/* The deltas of a block to the accesses that were early enough: the oldest one first, then from the
 * newest on, up to one of the same block. */
static void berti_learn(struct berti *self, uint16_t pc, uint64_t block, uint16_t now,
                        uint32_t latency)
{
    const uint32_t here = block & ((1u << ADDRESS_BITS) - 1);
    const unsigned set = pc % SETS, oldest = self->oldest[set];
    uint32_t found[WAYS];
    unsigned count = 0;
    bool again = false;
    if (now < latency) return;
    for (unsigned i = 0; i < WAYS && !again; i++) {
        const struct history *entry = &self->history[set][(oldest + WAYS - i) % WAYS];
        if (entry->pc != pc || entry->time > now - latency) continue;
        again = entry->block == here;
        for (unsigned j = 0; j < count; j++) again |= found[j] == entry->block;
        if (!again) found[count++] = entry->block;
    }
    struct instruction *instruction = berti_instruction(self, pc);
    if (instruction && count > 0) berti_count_miss(instruction);
    for (unsigned i = 0; i < count && i < LEARNT; i++) {
        const int32_t delta = (int32_t)here - (int32_t)found[i];
        if (delta > -(1 << DELTA_BITS) && delta < 1 << DELTA_BITS)
            berti_count_delta(self, pc, (int16_t)delta);
    }
}

/* ---- prefetching ---- */

static bool berti_is_better(const struct delta *a, const struct delta *b)
{
    if (a->use != b->use) return b->use == UNUSED || (a->use != UNUSED && a->use < b->use);
    return (a->delta < 0 ? -a->delta : a->delta) < (b->delta < 0 ? -b->delta : b->delta);
}

/* The deltas to use, the best first; returns their number. */
static unsigned berti_choose(const struct instruction *instruction, struct delta chosen[DELTAS])
{
    unsigned count = 0;
    bool early = instruction->count >= EARLY;
    for (unsigned i = 0; i < DELTAS; i++) early &= instruction->deltas[i].use == UNUSED;
    for (unsigned i = 0; i < DELTAS; i++) {
        struct delta delta = instruction->deltas[i];
        if (early) {
            const unsigned right = 100u * delta.count / instruction->count;
            delta.use = right > 80 ? OWN_LEVEL : right > 35 ? NEXT_LEVEL : UNUSED;
        }
        if (delta.delta == 0 || delta.use == UNUSED) continue;
        unsigned place = count++;
        for (; place > 0 && berti_is_better(&delta, &chosen[place - 1]); place--)
            chosen[place] = chosen[place - 1];
        chosen[place] = delta;
    }
    return count;
}

static void berti_access(void *state, const struct spoor_plugin_access *access, bool miss,
                         bool first, struct spoor_plugin_prefetches *prefetches)
{
    struct berti *self = state;
    if (!access->has_pc) return;
    const uint64_t block = access->address >> self->block_bits;
    const uint16_t pc = berti_pc(access->pc);
    const uint16_t now = access->timed ? (uint16_t)access->cycle : ++self->clock;
    struct mark *mark = berti_mark(self, block, block + 1);
    if (mark && !miss && first) berti_learn(self, pc, block, now, mark->latency);
    if (miss || (mark && first)) berti_note_access(self, pc, block, now);
    if (mark) mark->block = 0;

    const struct instruction *instruction = berti_instruction(self, pc);
    struct delta chosen[DELTAS];
    const unsigned count = instruction ? berti_choose(instruction, chosen) : 0;
    for (unsigned i = 0; i < count && i < ASKED; i++) {
        const bool here = chosen[i].use == OWN_LEVEL && access->mshrs < MSHRS;
        spoor_plugin_prefetch(prefetches,
                              (block + (uint64_t)(int64_t)chosen[i].delta) << self->block_bits,
                              here ? 0 : 1);
    }
}

static void berti_fill(void *state, const struct spoor_plugin_access *access,
                       const uint64_t *evicted, struct spoor_plugin_prefetches *prefetches)
{
    struct berti *self = state;
    const uint64_t block = access->address >> self->block_bits;
    const uint16_t now = access->timed ? (uint16_t)access->cycle : self->clock;
    uint32_t latency = access->timed ? access->latency : self->latency;
    (void)prefetches;
    if (evicted) {
        const uint64_t gone = *evicted >> self->block_bits;
        struct mark *mark = berti_mark(self, gone, gone + 1);
        if (mark) mark->block = 0;
    }
    if (latency > LATENCY_MAX || now + latency > UINT16_MAX)
        latency = 0; /* the clock begins anew */
    struct mark *mark = access->prefetch ? berti_mark(self, block, 0) : NULL;
    if (mark) *mark = (struct mark){block + 1, latency};
    /* what stores fill is not seen by access() */
    if (!access->prefetch && access->has_pc && access->op != 2 && latency != 0)
        berti_learn(self, berti_pc(access->pc), block, now, latency);
}

static const struct spoor_plugin_prefetcher berti = {
    .design = {.name = "berti",
               .title = "by deltas of an instruction that are in time",
               .source = "Navarro-Torres et al. 2022",
               .keys = keys,
               .size = berti_size,
               .create = berti_create},
    .access = berti_access,
    .fill = berti_fill,
};

static const struct spoor_plugin_prefetcher *const prefetchers[] = {&berti, NULL};
const struct spoor_plugin spoor_plugin_table = {SPOOR_PLUGIN_HEAD, .prefetchers = prefetchers};
