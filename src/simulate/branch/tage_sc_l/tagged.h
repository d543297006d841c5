/* SPDX-License-Identifier: MIT */
/* tagged.h: the TAGE part: a bimodal table and tagged tables of geometric history lengths. */
#ifndef SPOOR_SIMULATE_BRANCH_TAGE_SC_L_TAGGED_H
#define SPOOR_SIMULATE_BRANCH_TAGE_SC_L_TAGGED_H

#include <stdlib.h>

#include "simulate/branch/geometric.h"
#include "simulate/branch/tage_sc_l/shape.h"

enum { TICKS = 1024, COUNTER_BITS = 3, CHOICE_BITS = 5, CHOICES = 16 };
enum { FOLD_INDEX, FOLD_TAG, FOLD_TAG_TOO };

struct entry {
    uint16_t tag;
    int8_t counter;
    uint8_t useful;
};

/* A table in use: the position of its lookup. */
struct table {
    uint8_t number, lane; /* lane: index of its history length in arrays by length */
    bool second;          /* the second of the two tables of a length */
};

struct tagged {
    struct folded folded;
    uint64_t path;
    int tick;
    uint32_t random;
    unsigned lanes, used;
    struct table table[MAX_TABLES];
    bool is_used[MAX_TABLES + 3];
    uint8_t bank_of_lane[FOLD_LENGTHS], path_bits[FOLD_LENGTHS], tag_bits[FOLD_LENGTHS];
    int8_t choice[CHOICES]; /* >= 0: the alternate is better if the hit is new */

    /* The lookup of the current branch. */
    uint32_t at[MAX_TABLES + 3]; /* index in entries, by table */
    uint16_t tag[MAX_TABLES + 3];
    uint32_t bimodal_at;
    unsigned hit, other; /* the tables of longest and next longest history with a match; 0: none */
    uint8_t bimodal_value;
    bool hit_taken, other_taken, taken;
    bool sure, unsure, half_sure, other_sure;

    uint8_t bimodal[MAX_BIMODAL]; /* the prediction bit */
    uint8_t hysteresis[MAX_BIMODAL / 4];
    struct entry entries[MAX_ENTRIES];
};

/* ---- construction ---- */

static inline bool is_table_used(const struct shape *shape, unsigned number)
{
    for (unsigned i = 0; i < 4; i++)
        if (shape->dropped[i] == number) return false;
    return number % 2 == 0 || (number >= shape->paired_first && number < shape->paired_end);
}

/* A lane for the history length that tables 2 * pair - 1 and 2 * pair share. */
static inline void add_lane(struct tagged *self, const struct shape *shape, unsigned pair,
                            unsigned length)
{
    const unsigned number = 2 * pair - 1, lane = self->lanes++;
    const unsigned tag = number < shape->born ? 8 : 12;
    self->bank_of_lane[lane] = (uint8_t)number;
    self->path_bits[lane] = (uint8_t)(length < PATH_BITS ? length : PATH_BITS);
    self->tag_bits[lane] = (uint8_t)tag;
    folded_set(&self->folded, FOLD_INDEX, lane, length,
               shape->small ? 17 + 2 * (pair - 1) % 4 : shape->log_bank);
    folded_set(&self->folded, FOLD_TAG, lane, length, shape->small ? 13 : tag);
    folded_set(&self->folded, FOLD_TAG_TOO, lane, length, shape->small ? 11 : tag - 1);
}

static inline void tagged_start(struct tagged *self, const struct shape *shape)
{
    const unsigned pairs = shape->tables / 2;
    self->random = 2463534242U;
    memset(self->hysteresis, 1, sizeof self->hysteresis);
    for (unsigned pair = 1; pair <= pairs; pair++) {
        unsigned length = geometric(shape->shortest, shape->longest, pair - 1, pairs);
        const unsigned lane = self->lanes;
        for (unsigned number = 2 * pair - 1; number <= 2 * pair; number++) {
            if (!is_table_used(shape, number)) continue;
            if (self->lanes == lane) add_lane(self, shape, pair, length);
            self->is_used[number] = true;
            self->table[self->used++] =
                (struct table){(uint8_t)number, (uint8_t)lane, number % 2 == 0};
        }
    }
}

/* ---- looking up ---- */

/* The path history folded to an index, rotated by the number of the table. */
ALWAYS_INLINE uint32_t mix_path(uint64_t path, unsigned bits, unsigned bank, unsigned width)
{
    const uint64_t mask = low_bits(width);
    uint64_t all = path & low_bits(bits), low = all & mask, high = all >> width;
    if (bank >= width) return (uint32_t)(low ^ high);
    high = (high << bank & mask) + (high >> (width - bank));
    low ^= high;
    return (uint32_t)((low << bank & mask) + (low >> (width - bank)));
}

ALWAYS_INLINE uint32_t index_of(const struct tagged *self, const struct shape *shape, uint32_t pc,
                                unsigned lane)
{
    const unsigned bank = self->bank_of_lane[lane], width = shape->log_bank;
    const unsigned distance = bank < width ? width - bank : bank - width;
    uint32_t index = pc ^ pc >> (distance + 1) ^ self->folded.value[FOLD_INDEX][lane] ^
                     mix_path(self->path, self->path_bits[lane], bank, width);
    if (shape->small) index ^= index >> width ^ index >> 2 * width;
    return index & (uint32_t)low_bits(width);
}

ALWAYS_INLINE uint32_t tag_of(const struct tagged *self, const struct shape *shape, uint32_t pc,
                              unsigned lane)
{
    const unsigned width = self->tag_bits[lane];
    const uint32_t *folds = self->folded.value[FOLD_INDEX];
    uint32_t tag = pc;
    if (shape->small) {
        tag ^= pc >> 2 ^ folds[lane] ^ (lane ? folds[lane - 1] << 2 : 0);
        tag =
            tag >> 1 ^ (tag & 1) << 10 ^
            mix_path(self->path, self->path_bits[lane], self->bank_of_lane[lane], shape->log_bank);
    }
    tag ^= self->folded.value[FOLD_TAG][lane] ^ self->folded.value[FOLD_TAG_TOO][lane] << 1;
    if (shape->small) tag ^= tag >> width;
    return tag & (uint32_t)low_bits(width);
}

/* Looks the branch up in all tables: a bit for each with a matching tag. */
ALWAYS_INLINE uint64_t look_up(struct tagged *self, const struct shape *shape, uint64_t pc)
{
    uint32_t index[FOLD_LENGTHS], tag[FOLD_LENGTHS];
    for (unsigned lane = 0; lane < self->lanes; lane++) {
        index[lane] = index_of(self, shape, (uint32_t)pc, lane);
        tag[lane] = tag_of(self, shape, (uint32_t)pc, lane);
    }
    const unsigned *bits = shape->bank_path;
    uint32_t bank = (uint32_t)((pc ^ (self->path & low_bits(bits[0]))) % shape->banks[0]);
    uint32_t base = 0, banks = shape->banks[0];
    uint64_t known = 0;
    for (unsigned i = 0; i < self->used; i++) {
        const struct table *table = &self->table[i];
        const unsigned number = table->number, lane = table->lane;
        if (number >= shape->born && base == 0) {
            base = banks << shape->log_bank;
            banks = shape->banks[1];
            bank = (uint32_t)((pc ^ (self->path & low_bits(bits[1]))) % banks);
        }
        uint32_t other = table->second ? tag[lane] & (uint32_t)low_bits(shape->log_bank) : 0;
        uint32_t at = base + (bank << shape->log_bank) + (index[lane] ^ other);
        bank = bank + 1 < banks ? bank + 1 : 0;
        self->at[number] = at;
        self->tag[number] = (uint16_t)tag[lane];
        known |= (uint64_t)(self->entries[at].tag == tag[lane]) << number;
    }
    return known;
}

static inline unsigned highest(uint64_t bits)
{
    return bits ? 63U - (unsigned)__builtin_clzll(bits) : 0;
}

/* The choice counter that decides whether to use a new entry. */
static inline int8_t *choice_of(struct tagged *self)
{
    return &self->choice[((self->hit - 1) / 8 << 1) + self->other_sure];
}

ALWAYS_INLINE void read_bimodal(struct tagged *self, const struct shape *shape, uint64_t pc)
{
    self->bimodal_at = (uint32_t)((pc ^ pc >> 2) & low_bits(shape->log_bimodal));
    self->bimodal_value =
        (uint8_t)(self->bimodal[self->bimodal_at] << 1 | self->hysteresis[self->bimodal_at >> 2]);
    self->sure = self->bimodal_value == 0 || self->bimodal_value == 3;
    self->unsure = !self->sure;
    self->half_sure = false;
    self->other_sure = self->sure;
    self->hit_taken = self->other_taken = self->taken = self->bimodal[self->bimodal_at];
}

ALWAYS_INLINE void tagged_predict(struct tagged *self, const struct shape *shape, uint64_t pc)
{
    uint64_t known = look_up(self, shape, pc);
    read_bimodal(self, shape, pc);
    self->hit = highest(known);
    self->other = self->hit ? highest(known & low_bits(self->hit)) : 0;
    if (!self->hit) return;
    if (self->other) {
        int8_t counter = self->entries[self->at[self->other]].counter;
        self->other_taken = counter >= 0;
        self->other_sure = strength(counter) > 1;
    }
    int8_t counter = self->entries[self->at[self->hit]].counter;
    self->hit_taken = counter >= 0;
    bool fresh = strength(counter) == 1;
    self->taken = fresh && *choice_of(self) >= 0 ? self->other_taken : self->hit_taken;
    self->sure = strength(counter) == 7;
    self->half_sure = strength(counter) == 5;
    self->unsure = fresh;
}

/* ---- learning ---- */

static inline void train_bimodal(struct tagged *self, bool taken)
{
    uint8_t value = counter_moved(self->bimodal_value, taken);
    self->bimodal[self->bimodal_at] = value >> 1;
    self->hysteresis[self->bimodal_at >> 2] = value & 1;
}

static inline void move_counter(struct entry *entry, bool taken)
{
    entry->counter = weight_moved(entry->counter, taken, COUNTER_BITS);
}

/* The result of the search for entries to allocate. */
struct search {
    int allocated, refused, refused_for_long;
};

/* Replaces the entry of a table if it is not useful. */
static inline bool allocate(struct tagged *self, const struct shape *shape, unsigned number,
                            bool taken, struct search *search)
{
    struct entry *entry = &self->entries[self->at[number]];
    if (entry->useful) {
        search->refused++;
        if (!shape->small) return false;
        if (entry->useful != 1 || strength(entry->counter) != 1)
            search->refused_for_long++;
        else if ((draw(&self->random) & 7) == 0)
            entry->useful = 0;
        return false;
    }
    if (!shape->small && strength(entry->counter) > 3) {
        entry->counter = (int8_t)(entry->counter + (entry->counter > 0 ? -1 : 1));
        return false;
    }
    if (shape->small) entry->useful = (draw(&self->random) & 31) == 0;
    entry->tag = self->tag[number];
    entry->counter = taken ? 0 : -1;
    search->allocated++;
    return true;
}

static inline void age(struct tagged *self, const struct shape *shape, const struct search *search)
{
    self->tick += shape->small ? search->refused + search->refused_for_long - 5 * search->allocated
                               : search->refused - 2 * search->allocated;
    if (self->tick < 0) self->tick = 0;
    if (self->tick < TICKS) return;
    self->tick = 0;
    for (size_t i = 0; i < MAX_ENTRIES; i++)
        self->entries[i].useful =
            (uint8_t)(self->entries[i].useful - (self->entries[i].useful > 0));
}

/* Allocates up to two entries in tables of longer history than the one that was wrong. */
static inline void allocate_longer(struct tagged *self, const struct shape *shape, bool taken)
{
    struct search search = {0};
    const unsigned skip = (draw(&self->random) & 127) < 32 ? 2 : 1;
    /* hit - 1 may be -1: the sum is at least 1 */
    unsigned at = ((self->hit + 2 * skip - 1) & ~1U) ^ (draw(&self->random) & 1);
    bool one_more = true;
    for (; at < shape->tables; at += 2) {
        const bool first = self->is_used[at + 1];
        bool done = false;
        if (first && allocate(self, shape, at + 1, taken, &search)) {
            if (!one_more) break;
            one_more = false;
            at += 2;
            done = !shape->small;
        }
        const unsigned partner = (at ^ 1) + 1;
        if (done || (shape->small && !first) || !self->is_used[partner]) continue;
        if (allocate(self, shape, partner, taken, &search)) {
            if (!one_more) break;
            one_more = false;
            at += 2;
        }
    }
    age(self, shape, &search);
}

/* True if a wrong prediction of TAGE allocates new entries; `right`: the whole predictor was
 * right. */
static inline bool wants_entries(struct tagged *self, const struct shape *shape, bool taken,
                                 bool right)
{
    bool wanted = self->taken != taken && self->hit < shape->tables;
    if (self->hit && strength(self->entries[self->at[self->hit]].counter) == 1) {
        if (self->hit_taken == taken) wanted = false;
        if (self->hit_taken != self->other_taken)
            *choice_of(self) =
                weight_moved(*choice_of(self), self->other_taken == taken, CHOICE_BITS);
    }
    if (right && (draw(&self->random) & 31) != 0) wanted = false;
    return wanted;
}

/* A new entry that was wrong: train the next shorter match too. */
static inline void train_other(struct tagged *self, const struct shape *shape, bool taken)
{
    if (!self->other) {
        train_bimodal(self, taken);
        return;
    }
    struct entry *entry = &self->entries[self->at[self->other]];
    bool weak = strength(entry->counter) == 1;
    move_counter(entry, taken);
    if (shape->small && (weak || strength(entry->counter) == 1)) entry->useful = 0;
}

static inline void train_hit(struct tagged *self, const struct shape *shape, bool taken)
{
    struct entry *entry = &self->entries[self->at[self->hit]];
    bool weak = strength(entry->counter) == 1;
    if (weak && self->hit_taken != taken) train_other(self, shape, taken);
    move_counter(entry, taken);
    if ((shape->small && weak) || strength(entry->counter) == 1) entry->useful = 0;
    bool both_right = self->other_taken == taken && self->hit_taken == taken;
    if (both_right && self->other && entry->useful == 1 &&
        strength(self->entries[self->at[self->other]].counter) == 7)
        entry->useful = 0;
    if (self->hit_taken != self->other_taken && self->hit_taken == taken &&
        entry->useful < shape->useful_maximum)
        entry->useful++;
}

ALWAYS_INLINE void tagged_train(struct tagged *self, const struct shape *shape, bool taken,
                                bool right)
{
    if (wants_entries(self, shape, taken, right)) allocate_longer(self, shape, taken);
    if (self->hit)
        train_hit(self, shape, taken);
    else
        train_bimodal(self, taken);
}

/* ---- history ---- */

/* Every branch enters two bits, an indirect one that is not conditional three. */
ALWAYS_INLINE void tagged_track(struct tagged *self, const struct spoor_branch *branch)
{
    const bool taken = is_taken(branch), conditional = is_conditional(branch);
    const bool indirect = branch->type & (SPOOR_BRANCH_INDIRECT | SPOOR_BRANCH_RETURN);
    uint32_t pc = (uint32_t)branch->pc, target = (uint32_t)(branch->target >> 2);
    uint32_t bits = pc ^ (uint32_t)(branch->pc >> 2) ^ taken;
    uint32_t path = pc ^ (uint32_t)(branch->pc >> 2) ^ (uint32_t)(branch->pc >> 4);
    if (conditional && indirect && taken) {
        bits ^= target;
        path ^= target ^ target >> 2;
    }
    for (unsigned i = 0; i < (indirect && !conditional ? 3U : 2U); i++) {
        folded_push(&self->folded, bits >> i & 1);
        self->path = self->path << 1 ^ (path >> i & 127);
    }
}

#endif
