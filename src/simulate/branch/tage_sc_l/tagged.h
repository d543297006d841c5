/* SPDX-License-Identifier: MIT */
/* tagged.h: the TAGE part: a bimodal table and tagged tables of geometric history lengths. */
#ifndef SPOOR_SIMULATE_BRANCH_TAGE_SC_L_TAGGED_H
#define SPOOR_SIMULATE_BRANCH_TAGE_SC_L_TAGGED_H

#include <stdlib.h>

#include "simulate/branch/tage_sc_l/shape.h"

enum { TICKS = 1024, COUNTER_BITS = 3, CHOICE_BITS = 5, CHOICES = 16 };
enum { SLOTS = 24 }; /* maximum number of tables in use */

struct entry {
    uint16_t tag;
    int8_t counter;
    uint8_t useful;
};

/* What the hashes of each history length (lane) need, in arrays that a compiler vectorises. */
struct lanes {
    uint32_t path_mask[FOLD_LENGTHS]; /* the newest bits of the path */
    /* Rotates the folded path: left, right, and the bits that stay when it goes left. */
    uint32_t up[FOLD_LENGTHS], down[FOLD_LENGTHS], up_mask[FOLD_LENGTHS];
    uint32_t pc_shift[FOLD_LENGTHS], tag_bits[FOLD_LENGTHS], tag_mask[FOLD_LENGTHS];
};

/* The tables in use, in order of their numbers: where each is looked up. */
struct slots {
    uint32_t lane[SLOTS];
    uint32_t second[SLOTS]; /* bits of the tag that enter the index of the second table of a length
                             */
    uint32_t group[SLOTS];  /* all bits: of the second group of banks */
    uint32_t order[SLOTS];  /* place in its group: banks after the first */
    uint32_t start[SLOTS], banks[SLOTS];
    uint8_t number[SLOTS];
};

struct tagged_tables {
    struct folded_history folded;
    uint64_t path;
    int tick;
    uint32_t random;
    unsigned used; /* slots */
    struct lanes lanes;
    struct slots slots;
    uint8_t slot_of[MAX_TABLES + 3];
    bool is_used[MAX_TABLES + 3];
    int8_t choice[CHOICES]; /* >= 0: the alternate is better if the hit is new */

    /* The lookup of the current branch. */
    uint32_t at[SLOTS]; /* index in entries */
    uint32_t tag[SLOTS];
    uint32_t hit_at, other_at, bimodal_at;
    unsigned hit, other; /* the tables of longest and next longest history with a match; 0: none */
    uint8_t bimodal_value;
    bool hit_taken, other_taken, taken;
    bool sure, unsure, half_sure, other_sure;

    uint8_t bimodal[MAX_BIMODAL]; /* the prediction bit */
    uint8_t hysteresis[MAX_BIMODAL / 4];
    struct entry entries[MAX_ENTRIES];
};

/* ---- construction ---- */

static inline bool shape_uses_table(const struct shape *shape, unsigned number)
{
    for (unsigned i = 0; i < 4; i++)
        if (shape->dropped[i] == number) return false;
    return number % 2 == 0 || (number >= shape->paired_first && number < shape->paired_end);
}

/* Defines the lane of the history length that tables 2 * pair - 1 and 2 * pair share. */
static inline void tagged_set_lane(struct tagged_tables *self, const struct shape *shape,
                                   unsigned pair, unsigned lane)
{
    const unsigned number = 2 * pair - 1, width = shape->log_bank;
    const unsigned tag = number < shape->born ? 8 : 12;
    const unsigned length = geometric(shape->shortest, shape->longest, pair - 1, shape->tables / 2);
    const bool rotates = number < width;
    struct lanes *lanes = &self->lanes;
    lanes->path_mask[lane] = (uint32_t)low_bits(length < PATH_BITS ? length : PATH_BITS);
    lanes->up[lane] = rotates ? number : 0;
    lanes->down[lane] = rotates ? width - number : 31; /* no path has bit 31 */
    lanes->up_mask[lane] = rotates ? (uint32_t)low_bits(width) : UINT32_MAX;
    lanes->pc_shift[lane] = (rotates ? width - number : number - width) + 1;
    lanes->tag_bits[lane] = tag;
    lanes->tag_mask[lane] = (uint32_t)low_bits(tag);
    folded_set(&self->folded, FOLD_INDEX, lane, length,
               shape->small ? 17 + 2 * (pair - 1) % 4 : width);
    folded_set(&self->folded, FOLD_TAG, lane, length, shape->small ? 13 : tag);
    folded_set(&self->folded, FOLD_TAG_TOO, lane, length, shape->small ? 11 : tag - 1);
}

static inline void tagged_add_slot(struct tagged_tables *self, const struct shape *shape,
                                   unsigned number, unsigned lane)
{
    struct slots *slots = &self->slots;
    const unsigned slot = self->used++;
    const bool group = number >= shape->born;
    const bool follows = slot && (slots->group[slot - 1] != 0) == group;
    self->is_used[number] = true;
    self->slot_of[number] = (uint8_t)slot;
    slots->number[slot] = (uint8_t)number;
    slots->lane[slot] = lane;
    slots->second[slot] = number % 2 == 0 ? (uint32_t)low_bits(shape->log_bank) : 0;
    slots->group[slot] = group ? UINT32_MAX : 0;
    slots->order[slot] = follows ? slots->order[slot - 1] + 1 : 0;
    slots->start[slot] = group ? shape->banks[0] << shape->log_bank : 0;
    slots->banks[slot] = shape->banks[group];
}

static inline void tagged_start(struct tagged_tables *self, const struct shape *shape)
{
    unsigned lanes = 0;
    self->random = RANDOM_START;
    memset(self->hysteresis, 1, sizeof self->hysteresis);
    for (unsigned pair = 1; pair <= shape->tables / 2; pair++) {
        const unsigned first = 2 * pair - 1;
        if (!shape_uses_table(shape, first) && !shape_uses_table(shape, first + 1)) continue;
        for (unsigned number = first; number <= first + 1; number++)
            if (shape_uses_table(shape, number)) tagged_add_slot(self, shape, number, lanes);
        tagged_set_lane(self, shape, pair, lanes++);
    }
}

/* ---- looking up ---- */

/* Computes the index and the tag of each lane: of the pc, the folded history, and the path history
 * folded to an index and rotated by the number of the table. */
ALWAYS_INLINE void tagged_hash_lanes(const struct tagged_tables *self, const struct shape *shape,
                                     uint32_t pc, uint32_t *index, uint32_t *tag)
{
    const struct lanes *lanes = &self->lanes;
    const uint32_t *folds = self->folded.value[FOLD_INDEX], path = (uint32_t)self->path;
    const uint32_t *tags = self->folded.value[FOLD_TAG], *too = self->folded.value[FOLD_TAG_TOO];
    const unsigned width = shape->log_bank;
    const uint32_t mask = (uint32_t)low_bits(width);
    uint32_t shorter[FOLD_LENGTHS + 1] = {0}; /* of the lane before */
    if (shape->small)
        for (unsigned i = 0; i < FOLD_LENGTHS; i++) shorter[i + 1] = folds[i] << 2;
    for (unsigned i = 0; i < FOLD_LENGTHS; i++) {
        const uint32_t up = lanes->up[i], down = lanes->down[i], up_mask = lanes->up_mask[i];
        const uint32_t all = path & lanes->path_mask[i];
        uint32_t high = all >> width;
        high = (high << up & up_mask) + (high >> down);
        const uint32_t low = (all & mask) ^ high;
        const uint32_t mixed = (low << up & up_mask) + (low >> down);
        uint32_t at = pc ^ pc >> lanes->pc_shift[i] ^ folds[i] ^ mixed;
        uint32_t own = pc;
        if (shape->small) {
            at ^= at >> width ^ at >> 2 * width;
            own ^= pc >> 2 ^ folds[i] ^ shorter[i];
            own = own >> 1 ^ (own & 1) << 10 ^ mixed;
        }
        own ^= tags[i] ^ too[i] << 1;
        if (shape->small) own ^= own >> lanes->tag_bits[i];
        index[i] = at & mask;
        tag[i] = own & lanes->tag_mask[i];
    }
}

/* Looks the branch up in all tables: a bit for each slot with a matching tag. */
ALWAYS_INLINE uint32_t tagged_look_up(struct tagged_tables *self, const struct shape *shape,
                                      uint64_t pc)
{
    const struct slots *slots = &self->slots;
    uint32_t index[FOLD_LENGTHS], tag[FOLD_LENGTHS], by_slot[SLOTS];
    tagged_hash_lanes(self, shape, (uint32_t)pc, index, tag);
    uint32_t bank[2], known = 0;
    for (unsigned i = 0; i < 2; i++)
        bank[i] = (uint32_t)((pc ^ (self->path & low_bits(shape->bank_path[i]))) % shape->banks[i]);
    for (unsigned i = 0; i < SLOTS; i++) {
        by_slot[i] = index[slots->lane[i]];
        self->tag[i] = tag[slots->lane[i]];
    }
    const uint32_t further = bank[1] - bank[0];
    for (unsigned i = 0; i < SLOTS; i++) {
        uint32_t own = bank[0] + (further & slots->group[i]) + slots->order[i];
        own -= own >= slots->banks[i] ? slots->banks[i] : 0;
        self->at[i] = slots->start[i] + (own << shape->log_bank) +
                      (by_slot[i] ^ (self->tag[i] & slots->second[i]));
    }
    UNROLL(24)
    for (unsigned i = 0; i < SLOTS; i++)
        known |= (uint32_t)(self->entries[self->at[i]].tag == self->tag[i]) << i;
    return known & (uint32_t)low_bits(self->used);
}

/* The number of the highest bit that is set; one must be. */
ALWAYS_INLINE unsigned tagged_highest(uint32_t bits)
{
    return 31U - (unsigned)__builtin_clz(bits);
}

/* The choice counter that decides whether to use a new entry. */
ALWAYS_INLINE int8_t *tagged_choice(struct tagged_tables *self)
{
    return &self->choice[((self->hit - 1) / 8 << 1) + self->other_sure];
}

ALWAYS_INLINE void tagged_read_bimodal(struct tagged_tables *self, const struct shape *shape,
                                       uint64_t pc)
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

ALWAYS_INLINE void tagged_predict(struct tagged_tables *self, const struct shape *shape,
                                  uint64_t pc)
{
    const uint32_t known = tagged_look_up(self, shape, pc);
    tagged_read_bimodal(self, shape, pc);
    self->hit = self->other = 0;
    if (!known) return;
    const unsigned hit = tagged_highest(known);
    const uint32_t others = known & (uint32_t)low_bits(hit);
    self->hit = self->slots.number[hit];
    self->hit_at = self->at[hit];
    if (others) {
        const unsigned other = tagged_highest(others);
        self->other = self->slots.number[other];
        self->other_at = self->at[other];
        int8_t counter = self->entries[self->other_at].counter;
        self->other_taken = counter >= 0;
        self->other_sure = counter_strength(counter) > 1;
    }
    int8_t counter = self->entries[self->hit_at].counter;
    self->hit_taken = counter >= 0;
    bool fresh = counter_strength(counter) == 1;
    self->taken = fresh && *tagged_choice(self) >= 0 ? self->other_taken : self->hit_taken;
    self->sure = counter_strength(counter) == 7;
    self->half_sure = counter_strength(counter) == 5;
    self->unsure = fresh;
}

/* ---- learning ---- */

ALWAYS_INLINE void tagged_train_bimodal(struct tagged_tables *self, bool taken)
{
    uint8_t value = counter_moved(self->bimodal_value, taken);
    self->bimodal[self->bimodal_at] = value >> 1;
    self->hysteresis[self->bimodal_at >> 2] = value & 1;
}

ALWAYS_INLINE void entry_move_counter(struct entry *entry, bool taken)
{
    entry->counter = weight_moved(entry->counter, taken, COUNTER_BITS);
}

/* The result of the search for entries to allocate. */
struct search {
    int allocated, refused, refused_for_long;
};

/* Replaces the entry of a table if it is not useful. */
static inline bool tagged_allocate(struct tagged_tables *self, const struct shape *shape,
                                   unsigned number, bool taken, struct search *search)
{
    const unsigned slot = self->slot_of[number];
    struct entry *entry = &self->entries[self->at[slot]];
    if (entry->useful) {
        search->refused++;
        if (!shape->small) return false;
        if (entry->useful != 1 || counter_strength(entry->counter) != 1)
            search->refused_for_long++;
        else if ((random_draw(&self->random) & 7) == 0)
            entry->useful = 0;
        return false;
    }
    if (!shape->small && counter_strength(entry->counter) > 3) {
        entry->counter = (int8_t)(entry->counter + (entry->counter > 0 ? -1 : 1));
        return false;
    }
    if (shape->small) entry->useful = (random_draw(&self->random) & 31) == 0;
    entry->tag = (uint16_t)self->tag[slot];
    entry->counter = taken ? 0 : -1;
    search->allocated++;
    return true;
}

static void tagged_age(struct tagged_tables *self, const struct shape *shape,
                       const struct search *search)
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
static void tagged_allocate_longer(struct tagged_tables *self, const struct shape *shape,
                                   bool taken)
{
    struct search search = {0};
    const unsigned skip = (random_draw(&self->random) & 127) < 32 ? 2 : 1;
    /* hit - 1 may be -1: the sum is at least 1 */
    unsigned at = ((self->hit + 2 * skip - 1) & ~1U) ^ (random_draw(&self->random) & 1);
    bool one_more = true;
    for (; at < shape->tables; at += 2) {
        const bool first = self->is_used[at + 1];
        bool done = false;
        if (first && tagged_allocate(self, shape, at + 1, taken, &search)) {
            if (!one_more) break;
            one_more = false;
            at += 2;
            done = !shape->small;
        }
        const unsigned partner = (at ^ 1) + 1;
        if (done || (shape->small && !first) || !self->is_used[partner]) continue;
        if (tagged_allocate(self, shape, partner, taken, &search)) {
            if (!one_more) break;
            one_more = false;
            at += 2;
        }
    }
    tagged_age(self, shape, &search);
}

/* True if a wrong prediction of TAGE allocates new entries; `right`: the whole predictor was
 * right. */
ALWAYS_INLINE bool tagged_wants_entries(struct tagged_tables *self, const struct shape *shape,
                                        bool taken, bool right)
{
    bool wanted = self->taken != taken && self->hit < shape->tables;
    if (self->hit && counter_strength(self->entries[self->hit_at].counter) == 1) {
        if (self->hit_taken == taken) wanted = false;
        if (self->hit_taken != self->other_taken)
            *tagged_choice(self) =
                weight_moved(*tagged_choice(self), self->other_taken == taken, CHOICE_BITS);
    }
    if (right && (random_draw(&self->random) & 31) != 0) wanted = false;
    return wanted;
}

/* A new entry that was wrong: train the next shorter match too. */
ALWAYS_INLINE void tagged_train_other(struct tagged_tables *self, const struct shape *shape,
                                      bool taken)
{
    if (!self->other) {
        tagged_train_bimodal(self, taken);
        return;
    }
    struct entry *entry = &self->entries[self->other_at];
    bool weak = counter_strength(entry->counter) == 1;
    entry_move_counter(entry, taken);
    if (shape->small && (weak || counter_strength(entry->counter) == 1)) entry->useful = 0;
}

ALWAYS_INLINE void tagged_train_hit(struct tagged_tables *self, const struct shape *shape,
                                    bool taken)
{
    struct entry *entry = &self->entries[self->hit_at];
    bool weak = counter_strength(entry->counter) == 1;
    if (weak && self->hit_taken != taken) tagged_train_other(self, shape, taken);
    entry_move_counter(entry, taken);
    if ((shape->small && weak) || counter_strength(entry->counter) == 1) entry->useful = 0;
    bool both_right = self->other_taken == taken && self->hit_taken == taken;
    if (both_right && self->other && entry->useful == 1 &&
        counter_strength(self->entries[self->other_at].counter) == 7)
        entry->useful = 0;
    if (self->hit_taken != self->other_taken && self->hit_taken == taken &&
        entry->useful < shape->useful_maximum)
        entry->useful++;
}

ALWAYS_INLINE void tagged_train(struct tagged_tables *self, const struct shape *shape, bool taken,
                                bool right)
{
    if (tagged_wants_entries(self, shape, taken, right)) tagged_allocate_longer(self, shape, taken);
    if (self->hit)
        tagged_train_hit(self, shape, taken);
    else
        tagged_train_bimodal(self, taken);
}

/* ---- history ---- */

/* Every branch enters two bits, an indirect one that is not conditional three. */
ALWAYS_INLINE void tagged_track(struct tagged_tables *self, const struct spoor_branch *branch)
{
    const bool taken = branch_is_taken(branch), conditional = branch_is_conditional(branch);
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
