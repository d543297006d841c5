/* SPDX-License-Identifier: MIT */
/*
 * tage.c: a bimodal table, and tables whose entries have tags, indexed by the pc and folds of
 * histories of geometric lengths.  The longest history with a matching tag predicts.
 */
#include "simulate/branch/kind.h"

#include "simulate/branch/counter.h"
#include "simulate/branch/folded.h"
#include "simulate/branch/geometric.h"

enum { TABLES, BITS, TAG, BASE, SHORTEST, LONGEST, SHIFT };
static const struct spoor_predictor_key keys[] = {
    {"tables", "tagged tables", 12, 1, FOLD_LENGTHS},
    {"bits", "log2 of the number of entries of a tagged table", 10, 1, 20},
    {"tag", "bits of a tag", 11, 4, 16},
    {"base", "log2 of the number of bimodal counters", 14, 1, 24},
    {"shortest", "outcomes in the shortest history", 4, 1, 1000},
    {"longest", "outcomes in the longest", 640, 1, HISTORY_CAPACITY - 1},
    KEY_SHIFT,
    KEYS_END,
};

enum { COUNTER_BITS = 3, MAX_USEFUL = 3, CHOICE_BITS = 4, AGE_AT = 1 << 18 };
enum { FOLD_INDEX, FOLD_TAG, FOLD_TAG_TOO };
struct entry {
    uint16_t tag;
    int8_t counter;
    uint8_t useful;
};
struct tage {
    unsigned tables, bits, tag_bits, base_bits, shift;
    int8_t choice; /* >= 0: the alternate is better if the entry is new */
    uint32_t random, trained;
    /* The last lookup.  Tables are numbered from 1; 0 is the bimodal one. */
    uint32_t at[FOLD_LENGTHS + 1], base_at;
    uint16_t tag[FOLD_LENGTHS + 1];
    unsigned hit, other;
    bool hit_taken, other_taken, fresh, taken;
    struct folded folded;
    uint8_t *base; /* after the entries */
    struct entry entries[];
};

/* ---- looking up ---- */

static inline bool is_weak(const struct entry *entry)
{
    return entry->counter == 0 || entry->counter == -1;
}

/* A bit for each table with a matching tag. */
static inline uint32_t look_up(struct tage *self, uint64_t pc)
{
    uint32_t known = 0;
    for (unsigned i = 1; i <= self->tables; i++) {
        const unsigned fold = i - 1;
        const uint64_t index = pc ^ pc >> (self->bits > i ? self->bits - i : i - self->bits + 1) ^
                               self->folded.value[FOLD_INDEX][fold];
        const uint64_t tag =
            pc ^ self->folded.value[FOLD_TAG][fold] ^ self->folded.value[FOLD_TAG_TOO][fold] << 1;
        self->at[i] = (uint32_t)((index & low_bits(self->bits)) | (uint64_t)fold << self->bits);
        self->tag[i] = (uint16_t)(tag & low_bits(self->tag_bits));
        known |= (uint32_t)(self->entries[self->at[i]].tag == self->tag[i]) << i;
    }
    return known;
}
static inline unsigned highest(uint32_t bits)
{
    return bits ? 31U - (unsigned)__builtin_clz(bits) : 0;
}
static inline bool taken_by(const struct tage *self, unsigned table)
{
    return table ? self->entries[self->at[table]].counter >= 0
                 : counter_taken(self->base[self->base_at]);
}
static inline bool predict(struct tage *self, const struct spoor_branch *branch)
{
    const uint64_t pc = branch->pc >> self->shift;
    const uint32_t known = look_up(self, pc);
    self->base_at = (uint32_t)(pc & low_bits(self->base_bits));
    self->hit = highest(known);
    self->other = highest(known & (uint32_t)low_bits(self->hit));
    self->hit_taken = taken_by(self, self->hit);
    self->other_taken = taken_by(self, self->other);
    self->fresh = self->hit && is_weak(&self->entries[self->at[self->hit]]) &&
                  self->entries[self->at[self->hit]].useful == 0;
    self->taken = self->fresh && self->choice >= 0 ? self->other_taken : self->hit_taken;
    return self->taken;
}

/* ---- learning ---- */

static inline uint32_t draw(struct tage *self)
{
    self->random ^= self->random << 13;
    self->random ^= self->random >> 17;
    self->random ^= self->random << 5;
    return self->random;
}

/* Allocates one entry in a table of longer history, with higher probability in the next tables; if
 * all are useful, decrements their useful counters. */
static inline void allocate(struct tage *self, bool taken)
{
    unsigned skip = 0;
    for (uint32_t coin = draw(self); coin & 1 && skip < 2; coin >>= 1) skip++;
    unsigned first = self->hit + 1 + skip;
    if (first > self->tables) first = self->hit + 1;
    for (unsigned i = first; i <= self->tables; i++) {
        struct entry *entry = &self->entries[self->at[i]];
        if (entry->useful) continue;
        *entry = (struct entry){self->tag[i], taken ? 0 : -1, 0};
        return;
    }
    for (unsigned i = self->hit + 1; i <= self->tables; i++)
        self->entries[self->at[i]].useful =
            (uint8_t)(self->entries[self->at[i]].useful - (self->entries[self->at[i]].useful > 0));
}

static inline void train_table(struct tage *self, unsigned table, bool taken)
{
    if (table) {
        struct entry *entry = &self->entries[self->at[table]];
        entry->counter = weight_moved(entry->counter, taken, COUNTER_BITS);
    } else {
        self->base[self->base_at] = counter_moved(self->base[self->base_at], taken);
    }
}

/* Periodically decrement all useful counters, so that no entry stays for ever. */
static inline void age(struct tage *self)
{
    if (++self->trained % AGE_AT != 0) return;
    const size_t count = (size_t)self->tables << self->bits;
    for (size_t i = 0; i < count; i++) self->entries[i].useful >>= 1;
}
static inline void train(struct tage *self, const struct spoor_branch *branch)
{
    const bool taken = is_taken(branch), differ = self->hit_taken != self->other_taken;
    if (self->fresh && differ)
        self->choice = weight_moved(self->choice, self->other_taken == taken, CHOICE_BITS);
    const bool learning = self->fresh && self->hit_taken == taken;
    if (self->taken != taken && !learning && self->hit < self->tables) allocate(self, taken);
    struct entry *entry = &self->entries[self->at[self->hit]];
    train_table(self, self->hit, taken);
    if (self->hit && entry->useful == 0 && self->hit_taken != taken)
        train_table(self, self->other, taken);
    if (self->hit && differ && self->hit_taken == taken && entry->useful < MAX_USEFUL)
        entry->useful++;
    else if (self->hit && differ && self->hit_taken != taken && entry->useful > 0)
        entry->useful--;
    age(self);
}
static inline void track(struct tage *self, const struct spoor_branch *branch)
{
    folded_push(&self->folded, is_taken(branch));
}
PREDICTOR_FUNCTIONS(struct tage)

static const char *refuse(const uint64_t *values)
{
    return values[SHORTEST] > values[LONGEST] ? "`shortest` is at most `longest`" : NULL;
}
static size_t capacity(const uint64_t *values)
{
    return sizeof(struct tage) + (sizeof(struct entry) * values[TABLES] << values[BITS]) +
           ((size_t)1 << values[BASE]);
}
static void start(void *state, const uint64_t *values)
{
    struct tage *self = state;
    self->tables = (unsigned)values[TABLES];
    self->bits = (unsigned)values[BITS];
    self->tag_bits = (unsigned)values[TAG];
    self->base_bits = (unsigned)values[BASE];
    self->shift = (unsigned)values[SHIFT];
    self->random = 2463534242U;
    self->base = (uint8_t *)(self->entries + ((size_t)self->tables << self->bits));
    memset(self->base, 1, (size_t)1 << self->base_bits);
    for (unsigned i = 0; i < self->tables; i++) {
        const unsigned length =
            geometric((unsigned)values[SHORTEST], (unsigned)values[LONGEST], i, self->tables);
        folded_set(&self->folded, FOLD_INDEX, i, length, self->bits);
        folded_set(&self->folded, FOLD_TAG, i, length, self->tag_bits);
        folded_set(&self->folded, FOLD_TAG_TOO, i, length, self->tag_bits - 1);
    }
}
static uint64_t storage(const uint64_t *values)
{
    const uint64_t entry = values[TAG] + COUNTER_BITS + 2;
    return (entry * values[TABLES] << values[BITS]) + (UINT64_C(2) << values[BASE]) +
           values[LONGEST] + CHOICE_BITS;
}

const struct predictor_kind predictor_tage = {
    .about = {"tage", "tagged tables of geometric history lengths", "Seznec, Michaud 2006",
              SPOOR_PREDICTS_DIRECTION, keys},
    .refuse = refuse,
    .capacity = capacity,
    .start = start,
    .storage = storage,
    PREDICTOR_DOORS,
};
