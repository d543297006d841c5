/* SPDX-License-Identifier: MIT */
/*
 * tage.c: a bimodal table, and tables whose entries have tags, indexed by the pc and folds of
 * histories of geometric lengths.  The longest history with a matching tag predicts.
 */
#include "simulate/branch/counter.h"
#include "simulate/branch/folded.h"
#include "simulate/branch/predictor.h"

enum { TABLES, BITS, TAG, BASE, SHORTEST, LONGEST, SHIFT };
static const struct spoor_component_key tage_keys[] = {
    {"tables", "tagged tables", 12, 1, FOLD_LENGTHS},
    {"bits", "log2 of the number of entries of a tagged table", 10, 1, 20},
    {"tag", "bits of a tag", 11, 4, 16},
    {"base", "log2 of the number of bimodal counters", 14, 1, 24},
    {"shortest", "outcomes in the shortest history", 4, 1, 1000},
    {"longest", "outcomes in the longest", 640, 1, HISTORY_CAPACITY - 1},
    KEY_SHIFT,
    {0},
};

enum { COUNTER_BITS = 3, MAX_USEFUL = 3, CHOICE_BITS = 4, AGE_AT = 1 << 18 };
struct tage_entry {
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
    struct folded_history folded;
    uint8_t *base; /* after the entries */
    struct tage_entry entries[];
};

/* ---- looking up ---- */

static inline bool tage_taken_by(const struct tage *self, unsigned table)
{
    return table ? self->entries[self->at[table]].counter >= 0
                 : counter_taken(self->base[self->base_at]);
}
static inline bool tage_predict(void *state, const struct spoor_branch *branch)
{
    struct tage *self = state;
    const uint64_t pc = branch->pc >> self->shift;
    /* A bit for each table with a matching tag. */
    uint32_t known = 0;
    for (unsigned i = 1; i <= self->tables; i++) {
        self->at[i] = folded_index(&self->folded, i, pc, self->bits);
        self->tag[i] = folded_tag(&self->folded, i, pc, self->tag_bits);
        known |= (uint32_t)(self->entries[self->at[i]].tag == self->tag[i]) << i;
    }
    self->base_at = (uint32_t)(pc & low_bits(self->base_bits));
    self->hit = highest_table(known);
    self->other = highest_table(known & (uint32_t)low_bits(self->hit));
    self->hit_taken = tage_taken_by(self, self->hit);
    self->other_taken = tage_taken_by(self, self->other);
    const struct tage_entry *hit = &self->entries[self->at[self->hit]];
    const bool weak = hit->counter == 0 || hit->counter == -1;
    self->fresh = self->hit && weak && hit->useful == 0;
    self->taken = self->fresh && self->choice >= 0 ? self->other_taken : self->hit_taken;
    return self->taken;
}

/* ---- learning ---- */

/* Allocates one entry in a table of longer history, with higher probability in the next tables; if
 * all are useful, decrements their useful counters. */
static inline void tage_allocate(struct tage *self, bool taken)
{
    unsigned skip = 0;
    for (uint32_t coin = random_draw(&self->random); coin & 1 && skip < 2; coin >>= 1) skip++;
    unsigned first = self->hit + 1 + skip;
    if (first > self->tables) first = self->hit + 1;
    for (unsigned i = first; i <= self->tables; i++) {
        struct tage_entry *entry = &self->entries[self->at[i]];
        if (entry->useful) continue;
        *entry = (struct tage_entry){self->tag[i], taken ? 0 : -1, 0};
        return;
    }
    for (unsigned i = self->hit + 1; i <= self->tables; i++)
        self->entries[self->at[i]].useful =
            (uint8_t)(self->entries[self->at[i]].useful - (self->entries[self->at[i]].useful > 0));
}

static inline void tage_train_table(struct tage *self, unsigned table, bool taken)
{
    if (table) {
        struct tage_entry *entry = &self->entries[self->at[table]];
        entry->counter = weight_moved(entry->counter, taken, COUNTER_BITS);
    } else {
        counter_train(&self->base[self->base_at], taken);
    }
}

static inline void tage_train(void *state, const struct spoor_branch *branch)
{
    struct tage *self = state;
    const bool taken = branch_is_taken(branch), differ = self->hit_taken != self->other_taken;
    if (self->fresh && differ)
        self->choice = weight_moved(self->choice, self->other_taken == taken, CHOICE_BITS);
    const bool learning = self->fresh && self->hit_taken == taken;
    if (self->taken != taken && !learning && self->hit < self->tables) tage_allocate(self, taken);
    struct tage_entry *entry = &self->entries[self->at[self->hit]];
    tage_train_table(self, self->hit, taken);
    if (self->hit && entry->useful == 0 && self->hit_taken != taken)
        tage_train_table(self, self->other, taken);
    if (self->hit && differ && self->hit_taken == taken && entry->useful < MAX_USEFUL)
        entry->useful++;
    else if (self->hit && differ && self->hit_taken != taken && entry->useful > 0)
        entry->useful--;
    /* Periodically decrement all useful counters, so that no entry stays for ever. */
    if (++self->trained % AGE_AT != 0) return;
    const size_t count = (size_t)self->tables << self->bits;
    for (size_t i = 0; i < count; i++) self->entries[i].useful >>= 1;
}
static inline void tage_track(void *state, const struct spoor_branch *branch)
{
    struct tage *self = state;
    folded_push(&self->folded, branch_is_taken(branch));
}
PREDICTOR_LOOP(tage_run, tage_predict, tage_train, tage_track)

static const char *tage_size(const struct component_setup *setup, struct component_size *size)
{
    const uint64_t *values = setup->values;
    const uint64_t entry_bits = values[TAG] + COUNTER_BITS + 2;
    size->tables =
        (sizeof(struct tage_entry) * values[TABLES] << values[BITS]) + ((size_t)1 << values[BASE]);
    size->bits = (entry_bits * values[TABLES] << values[BITS]) + (UINT64_C(2) << values[BASE]) +
                 values[LONGEST] + CHOICE_BITS;
    return values[SHORTEST] > values[LONGEST] ? "`shortest` is at most `longest`" : NULL;
}
static void tage_start(void *state, const struct component_setup *setup)
{
    const uint64_t *values = setup->values;
    struct tage *self = state;
    self->tables = (unsigned)values[TABLES];
    self->bits = (unsigned)values[BITS];
    self->tag_bits = (unsigned)values[TAG];
    self->base_bits = (unsigned)values[BASE];
    self->shift = (unsigned)values[SHIFT];
    self->random = RANDOM_START;
    self->base = (uint8_t *)(self->entries + ((size_t)self->tables << self->bits));
    memset(self->base, 1, (size_t)1 << self->base_bits);
    folded_set_tables(&self->folded, self->tables, (unsigned)values[SHORTEST],
                      (unsigned)values[LONGEST], self->bits, self->tag_bits);
}
const struct predictor predictor_tage = {
    .component = {.about = {SPOOR_PREDICTOR, "tage", "tagged tables of geometric history lengths",
                            "Seznec, Michaud 2006", tage_keys},
                  .struct_size = sizeof(struct tage),
                  .size = tage_size,
                  .start = tage_start},
    .predict = tage_predict,
    .train = tage_train,
    .track = tage_track,
    .run = tage_run,
};
