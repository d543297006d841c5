/* SPDX-License-Identifier: MIT */
/* vtage.c: a value predictor as a plug-in: VTAGE (Perais and Seznec, HPCA 2014).  `spoor values
 * --plugin ./vtage.so -p vtage TRACE`.
 *
 * A table by instruction has last values; others have values by instruction and the branches before
 * it, of 2, 4, ... 64 of them.  The one with the longest history that knows the instruction
 * predicts, if its confidence is full: it grows by chance, so that it takes some hundred right
 * values.  The history here is that of the branches that are taken, from where to where; the
 * paper's has the directions of all conditional branches. */
#include <spoor/plugin.h>

enum {
    TABLES = 6, /* with histories, of 2 << their number taken branches */
    BRANCHES = 64,
    TAG_BITS = 13, /* of the first; one more of each next */
    FULL = 7,      /* confidence */
    CONFIDENCE_BITS = 3,
    VALUE_BITS = 64,
};

enum { BITS };
static const struct spoor_component_key keys[] = {
    {"bits", "log2 of the last values; of the values of each history, 3 less", 13, 3, 20},
    {NULL, NULL, 0, 0, 0},
};

struct vtage_entry {
    uint64_t value;
    uint32_t tag;
    uint8_t confidence;
    bool useful, used;
};
struct vtage {
    uint32_t bits;
    uint32_t random;              /* a shift register */
    uint32_t latest;              /* of the branches */
    uint32_t branches[BRANCHES];  /* hashes, a ring */
    uint64_t histories[TABLES];   /* hashes of the last 2, 4, ... */
    struct vtage_entry entries[]; /* the last values, then table by table */
};

static const char *vtage_size(struct spoor_plugin_setup *setup)
{
    const uint64_t last = UINT64_C(1) << setup->values[BITS], each = last >> 3;
    setup->state_bytes = sizeof(struct vtage) + (last + TABLES * each) * sizeof(struct vtage_entry);
    setup->storage_bits = last * (VALUE_BITS + CONFIDENCE_BITS);
    for (uint64_t table = 0; table < TABLES; table++)
        setup->storage_bits += each * (VALUE_BITS + CONFIDENCE_BITS + 1 + TAG_BITS + table);
    return NULL;
}

static const char *vtage_create(void *state, struct spoor_plugin_setup *setup)
{
    struct vtage *self = state;
    self->bits = (uint32_t)setup->values[BITS];
    self->random = 1;
    return NULL;
}

/* True once in 2^bits times, on average: by a shift register of 31 bits (x^31 + x^3 + 1). */
static bool vtage_chance(struct vtage *self, unsigned bits)
{
    bool all = true;
    for (unsigned i = 0; i < bits; i++) {
        const uint32_t next = (self->random >> 30 ^ self->random >> 2) & 1;
        self->random = (self->random << 1 | next) & 0x7FFFFFFF;
        all &= next != 0;
    }
    return all;
}

static uint64_t vtage_mix(uint64_t number)
{
    number *= UINT64_C(0x9E3779B97F4A7C15);
    return number ^ number >> 29;
}

/* The entry of a value in a table with history; its tag is `*tag`. */
static struct vtage_entry *vtage_at(struct vtage *self, const struct spoor_plugin_value *value,
                                    unsigned table, uint32_t *tag)
{
    const uint64_t each = UINT64_C(1) << (self->bits - 3);
    const uint64_t hash = vtage_mix((value->pc >> 2) + value->part + self->histories[table]);
    *tag = (uint32_t)(hash >> 32 & ((UINT64_C(1) << (TAG_BITS + table)) - 1));
    return &self->entries[(each << 3) + table * each + (hash & (each - 1))];
}

/* The entry that predicts, and its table; -1: the last values. */
static struct vtage_entry *vtage_provider(struct vtage *self,
                                          const struct spoor_plugin_value *value, int *table)
{
    for (*table = TABLES - 1; *table >= 0; --*table) {
        uint32_t tag;
        struct vtage_entry *entry = vtage_at(self, value, (unsigned)*table, &tag);
        if (entry->used && entry->tag == tag) return entry;
    }
    return &self->entries[((value->pc >> 2) + value->part) & ((UINT64_C(1) << self->bits) - 1)];
}

static bool vtage_predict(void *state, const struct spoor_plugin_value *value, uint64_t *guess)
{
    int table;
    const struct vtage_entry *entry = vtage_provider(state, value, &table);
    *guess = entry->value;
    return entry->confidence == FULL;
}

/* A value gets an entry with a longer history: by chance, one that is not useful. */
static void vtage_allocate(struct vtage *self, const struct spoor_plugin_value *value, int above)
{
    struct vtage_entry *chosen = NULL;
    uint32_t tag, chosen_tag = 0;
    for (int table = above + 1; table < TABLES; table++) {
        struct vtage_entry *entry = vtage_at(self, value, (unsigned)table, &tag);
        if (entry->useful || (chosen && vtage_chance(self, 1))) continue;
        chosen = entry;
        chosen_tag = tag;
    }
    if (chosen)
        *chosen = (struct vtage_entry){.value = value->value, .tag = chosen_tag, .used = true};
    for (int table = above + 1; !chosen && table < TABLES; table++)
        vtage_at(self, value, (unsigned)table, &tag)->useful = false;
}

static void vtage_train(void *state, const struct spoor_plugin_value *value)
{
    static const uint8_t chances[FULL] = {0, 4, 4, 4,
                                          4, 5, 5}; /* log2 of the times in which once */
    struct vtage *self = state;
    int table;
    struct vtage_entry *entry = vtage_provider(self, value, &table);
    if (entry->value == value->value) {
        if (entry->confidence < FULL && vtage_chance(self, chances[entry->confidence]))
            entry->confidence++;
        entry->useful = true;
        return;
    }
    vtage_allocate(self, value, table);
    if (entry->confidence == 0) entry->value = value->value;
    entry->confidence = 0;
    entry->useful = false;
}

static void vtage_track(void *state, uint64_t pc, uint64_t next)
{
    enum { LONGEST = 16 }; /* bytes of an instruction */
    struct vtage *self = state;
    if (next > pc && next - pc <= LONGEST) return; /* it is not known to branch */
    self->latest = (self->latest + 1) % BRANCHES;
    self->branches[self->latest] = (uint32_t)(vtage_mix(pc) >> 32 ^ vtage_mix(next) >> 33);
    uint64_t hash = 0;
    for (unsigned i = 0, table = 0; i < BRANCHES; i++) {
        hash = vtage_mix(hash + self->branches[(self->latest + BRANCHES - i) % BRANCHES]);
        if (i + 1 == 2u << table) self->histories[table++] = hash;
    }
}

static const struct spoor_plugin_value_predictor vtage = {
    .design = {.name = "vtage",
               .title = "by instruction and the taken branches before it",
               .source = "Perais and Seznec 2014",
               .keys = keys,
               .size = vtage_size,
               .create = vtage_create},
    .predict = vtage_predict,
    .train = vtage_train,
    .track = vtage_track,
};

static const struct spoor_plugin_value_predictor *const predictors[] = {&vtage, NULL};
const struct spoor_plugin spoor_plugin_table = {SPOOR_PLUGIN_HEAD, .value_predictors = predictors};
