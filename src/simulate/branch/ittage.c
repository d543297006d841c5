/* SPDX-License-Identifier: MIT */
/*
 * ittage.c: targets of indirect branches: the last one by pc, and tables with tags, indexed by the
 * pc and folds of histories of geometric lengths.  The longest history with a matching tag gives
 * the target.
 */
#include "simulate/branch/kind.h"

#include "simulate/branch/counter.h"
#include "simulate/branch/folded.h"
#include "simulate/branch/geometric.h"

enum { TABLES, BITS, TAG, BASE, SHORTEST, LONGEST, SHIFT };
static const struct spoor_predictor_key keys[] = {
    {"tables", "tagged tables", 8, 1, FOLD_LENGTHS},
    {"bits", "log2 of the number of entries of a tagged table", 9, 1, 20},
    {"tag", "bits of a tag", 11, 4, 16},
    {"base", "log2 of the number of targets by pc alone", 12, 1, 20},
    {"shortest", "bits in the shortest history", 4, 1, 1000},
    {"longest", "bits in the longest", 640, 1, HISTORY_CAPACITY - 1},
    KEY_SHIFT,
    KEYS_END,
};

enum { MAX_SURE = 3, TARGET_BITS = 5 };
enum { FOLD_INDEX, FOLD_TAG, FOLD_TAG_TOO };
struct entry {
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
    struct entry *at[FOLD_LENGTHS + 1];
    uint16_t tag[FOLD_LENGTHS + 1];
    unsigned hit, other;
    struct folded folded;
    struct entry *base; /* after the others */
    struct entry entries[];
};

static inline bool asks(const struct spoor_branch *branch)
{
    return is_taken(branch) && branch->has & SPOOR_BRANCH_HAS_TARGET &&
           branch->type & SPOOR_BRANCH_INDIRECT && !(branch->type & SPOOR_BRANCH_RETURN);
}

/* ---- looking up ---- */

/* A bit for each table with a matching tag; the lowest bit is always set. */
static inline uint32_t look_up(struct ittage *self, uint64_t pc)
{
    uint32_t known = 1;
    self->at[0] = &self->base[pc & low_bits(self->base_bits)];
    for (unsigned i = 1; i <= self->tables; i++) {
        const unsigned fold = i - 1;
        const uint64_t index = pc ^ pc >> (self->bits > i ? self->bits - i : i - self->bits + 1) ^
                               self->folded.value[FOLD_INDEX][fold];
        const uint64_t tag =
            pc ^ self->folded.value[FOLD_TAG][fold] ^ self->folded.value[FOLD_TAG_TOO][fold] << 1;
        self->at[i] = &self->entries[(index & low_bits(self->bits)) | (uint64_t)fold << self->bits];
        self->tag[i] = (uint16_t)(tag & low_bits(self->tag_bits));
        known |= (uint32_t)(self->at[i]->target != 0 && self->at[i]->tag == self->tag[i]) << i;
    }
    return known;
}
static inline unsigned highest(uint32_t bits)
{
    return bits ? 31U - (unsigned)__builtin_clz(bits) : 0;
}
static inline bool predict(struct ittage *self, const struct spoor_branch *branch)
{
    const uint32_t known = look_up(self, branch->pc >> self->shift);
    self->hit = highest(known);
    self->other = highest(known & (uint32_t)low_bits(self->hit));
    const bool unsure = self->hit && self->at[self->hit]->sure == 0;
    const struct entry *other = self->at[self->other];
    self->guess = unsure && other->target ? other->target : self->at[self->hit]->target;
    return self->guess != 0;
}

/* ---- learning ---- */

static inline void train_entry(struct entry *entry, uint64_t target)
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
static inline void allocate(struct ittage *self, uint64_t target)
{
    self->random ^= self->random << 13;
    self->random ^= self->random >> 17;
    self->random ^= self->random << 5;
    unsigned first = self->hit + 1 + (self->random & 1);
    if (first > self->tables) first = self->hit + 1;
    for (unsigned i = first; i <= self->tables; i++) {
        if (self->at[i]->useful) continue;
        *self->at[i] = (struct entry){target, self->tag[i], 0, false};
        return;
    }
    for (unsigned i = self->hit + 1; i <= self->tables; i++) self->at[i]->useful = false;
}
static inline void train(struct ittage *self, const struct spoor_branch *branch)
{
    struct entry *hit = self->at[self->hit], *other = self->at[self->other];
    const bool right = hit->target == branch->target;
    if (self->guess != branch->target && !right) allocate(self, branch->target);
    if (self->hit && right != (other->target == branch->target)) hit->useful = right;
    if (self->hit && hit->sure == 0) train_entry(other, branch->target);
    train_entry(hit, branch->target);
}

/* One bit enters for every conditional branch, several bits of the target for an indirect one. */
static inline void track(struct ittage *self, const struct spoor_branch *branch)
{
    if (is_conditional(branch)) folded_push(&self->folded, is_taken(branch));
    if (!asks(branch)) return;
    const uint64_t target = branch->target >> self->shift;
    const uint64_t bits = target ^ target >> TARGET_BITS;
    for (unsigned i = 0; i < TARGET_BITS; i++) folded_push(&self->folded, bits >> i & 1);
}
TARGET_FUNCTIONS(struct ittage)

static const char *refuse(const uint64_t *values)
{
    return values[SHORTEST] > values[LONGEST] ? "`shortest` is at most `longest`" : NULL;
}
static size_t entry_count(const uint64_t *values)
{
    return ((size_t)values[TABLES] << values[BITS]) + ((size_t)1 << values[BASE]);
}
static size_t capacity(const uint64_t *values)
{
    return sizeof(struct ittage) + sizeof(struct entry) * entry_count(values);
}
static void start(void *state, const uint64_t *values)
{
    struct ittage *self = state;
    self->tables = (unsigned)values[TABLES];
    self->bits = (unsigned)values[BITS];
    self->tag_bits = (unsigned)values[TAG];
    self->base_bits = (unsigned)values[BASE];
    self->shift = (unsigned)values[SHIFT];
    self->random = 2463534242U;
    self->base = self->entries + ((size_t)self->tables << self->bits);
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
    const uint64_t tagged = values[TAG] + 64 + 2 + 1;
    return (tagged * values[TABLES] << values[BITS]) + (UINT64_C(66) << values[BASE]) +
           values[LONGEST];
}

const struct predictor_kind predictor_ittage = {
    .about = {"ittage", "targets of indirect branches by geometric history lengths",
              "Seznec, Michaud 2006; Seznec 2011", SPOOR_PREDICTS_TARGET, keys},
    .refuse = refuse,
    .capacity = capacity,
    .start = start,
    .storage = storage,
    TARGET_DOORS,
};
