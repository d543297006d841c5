/* SPDX-License-Identifier: MIT */
/*
 * ittage.c: targets of indirect branches: the last one by pc, and tables with tags, indexed by the
 * pc and folds of histories of geometric lengths.  The longest history with a matching tag gives
 * the target.
 */
#include "simulate/branch/counter.h"
#include "simulate/branch/folded.h"
#include "simulate/branch/predictor.h"

enum { TABLES, BITS, TAG, BASE, SHORTEST, LONGEST, SHIFT };
static const struct spoor_component_key ittage_keys[] = {
    {"tables", "tagged tables", 8, 1, FOLD_LENGTHS},
    {"bits", "log2 of the number of entries of a tagged table", 9, 1, 20},
    {"tag", "bits of a tag", 11, 4, 16},
    {"base", "log2 of the number of targets by pc alone", 12, 1, 20},
    {"shortest", "bits in the shortest history", 4, 1, 1000},
    {"longest", "bits in the longest", 640, 1, HISTORY_CAPACITY - 1},
    KEY_SHIFT,
    {0},
};

enum { MAX_SURE = 3, TARGET_BITS = 5 };
struct ittage_entry {
    uint64_t target;
    uint16_t tag;
    uint8_t sure; /* number of recent right predictions, up to MAX_SURE */
    bool useful;  /* right when shorter histories were wrong */
};
struct ittage {
    uint64_t guess;
    unsigned tables, bits, tag_bits, base_bits, shift;
    uint32_t random;
    /* The last lookup.  Tables are numbered from 1; 0 is the one by pc. */
    struct ittage_entry *at[FOLD_LENGTHS + 1];
    uint16_t tag[FOLD_LENGTHS + 1];
    unsigned hit, other;
    struct folded_history folded;
    struct ittage_entry *base; /* after the others */
    struct ittage_entry entries[];
};

static inline bool ittage_asks(const struct spoor_branch *branch)
{
    return branch_is_taken(branch) && branch->has & SPOOR_BRANCH_HAS_TARGET &&
           branch->type & SPOOR_BRANCH_INDIRECT && !(branch->type & SPOOR_BRANCH_RETURN);
}

/* ---- looking up ---- */

static inline bool ittage_predict(void *state, const struct spoor_branch *branch)
{
    struct ittage *self = state;
    /* A bit for each table with a matching tag; the lowest bit is always set. */
    uint64_t pc = branch->pc >> self->shift;
    uint32_t known = 1;
    self->at[0] = &self->base[pc & low_bits(self->base_bits)];
    for (unsigned i = 1; i <= self->tables; i++) {
        self->at[i] = &self->entries[folded_index(&self->folded, i, pc, self->bits)];
        self->tag[i] = folded_tag(&self->folded, i, pc, self->tag_bits);
        known |= (uint32_t)(self->at[i]->target != 0 && self->at[i]->tag == self->tag[i]) << i;
    }
    self->hit = highest_table(known);
    self->other = highest_table(known & (uint32_t)low_bits(self->hit));
    const bool unsure = self->hit && self->at[self->hit]->sure == 0;
    const struct ittage_entry *other = self->at[self->other];
    self->guess = unsure && other->target ? other->target : self->at[self->hit]->target;
    return self->guess != 0;
}

/* ---- learning ---- */

static inline void ittage_train_entry(struct ittage_entry *entry, uint64_t target)
{
    if (entry->target == target) {
        entry->sure = (uint8_t)(entry->sure + (entry->sure < MAX_SURE));
    } else if (entry->sure) {
        entry->sure--;
    } else {
        entry->target = target;
    }
}

/* Allocates one entry in a table of longer history; if all are useful, clears their useful bits. */
static inline void ittage_allocate(struct ittage *self, uint64_t target)
{
    unsigned first = self->hit + 1 + (random_draw(&self->random) & 1);
    if (first > self->tables) first = self->hit + 1;
    for (unsigned i = first; i <= self->tables; i++) {
        if (self->at[i]->useful) continue;
        *self->at[i] = (struct ittage_entry){target, self->tag[i], 0, false};
        return;
    }
    for (unsigned i = self->hit + 1; i <= self->tables; i++) self->at[i]->useful = false;
}
static inline void ittage_train(void *state, const struct spoor_branch *branch)
{
    struct ittage *self = state;
    struct ittage_entry *hit = self->at[self->hit], *other = self->at[self->other];
    const bool right = hit->target == branch->target;
    if (self->guess != branch->target && !right) ittage_allocate(self, branch->target);
    if (self->hit && right != (other->target == branch->target)) hit->useful = right;
    if (self->hit && hit->sure == 0) ittage_train_entry(other, branch->target);
    ittage_train_entry(hit, branch->target);
}

/* One bit enters for every conditional branch, several bits of the target for an indirect one. */
static inline void ittage_track(void *state, const struct spoor_branch *branch)
{
    struct ittage *self = state;
    if (branch_is_conditional(branch)) folded_push(&self->folded, branch_is_taken(branch));
    if (!ittage_asks(branch)) return;
    const uint64_t target = branch->target >> self->shift;
    const uint64_t bits = target ^ target >> TARGET_BITS;
    for (unsigned i = 0; i < TARGET_BITS; i++) folded_push(&self->folded, bits >> i & 1);
}
TARGET_LOOP(ittage_run, ittage_asks, ittage_predict, ittage_train, ittage_track)

static const char *ittage_size(const struct component_setup *setup, struct component_size *size)
{
    const uint64_t *values = setup->values;
    const uint64_t entry_bits = values[TAG] + 64 + 2 + 1;
    size->tables = (sizeof(struct ittage_entry) * values[TABLES] << values[BITS]) +
                   (sizeof(struct ittage_entry) << values[BASE]);
    size->bits = (entry_bits * values[TABLES] << values[BITS]) + (UINT64_C(66) << values[BASE]) +
                 values[LONGEST];
    return values[SHORTEST] > values[LONGEST] ? "`shortest` is at most `longest`" : NULL;
}
static void ittage_start(void *state, const struct component_setup *setup)
{
    const uint64_t *values = setup->values;
    struct ittage *self = state;
    self->tables = (unsigned)values[TABLES];
    self->bits = (unsigned)values[BITS];
    self->tag_bits = (unsigned)values[TAG];
    self->base_bits = (unsigned)values[BASE];
    self->shift = (unsigned)values[SHIFT];
    self->random = RANDOM_START;
    self->base = self->entries + ((size_t)self->tables << self->bits);
    folded_set_tables(&self->folded, self->tables, (unsigned)values[SHORTEST],
                      (unsigned)values[LONGEST], self->bits, self->tag_bits);
}
const struct predictor predictor_ittage = {
    .component = {.about = {SPOOR_PREDICTOR, "ittage",
                            "targets of indirect branches by geometric history lengths",
                            "Seznec, Michaud 2006; Seznec 2011", ittage_keys},
                  .struct_size = sizeof(struct ittage),
                  .size = ittage_size,
                  .start = ittage_start},
    .asks = ittage_asks,
    .predict = ittage_predict,
    .train = ittage_train,
    .track = ittage_track,
    .run = ittage_run,
};
