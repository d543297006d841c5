/* SPDX-License-Identifier: MIT */
/*
 * tage_sc_l.c: the two sizes of TAGE-SC-L (Seznec, "TAGE-SC-L branch predictors again", 5th
 * Championship Branch Prediction, 2016).
 *
 * TAGE looks the branch up in tables with increasing history lengths and uses the longest match.  A
 * loop predictor overrides it for loops with a constant number of iterations.  The statistical
 * corrector overrides both if counters with other histories show that such predictions are wrong.
 */
#include <stdlib.h>

#include "base/cpu.h"
#include "base/inline.h"
#include "simulate/branch/counter.h"
#include "simulate/branch/folded.h"
#include "simulate/branch/predictor.h"

#define ALWAYS_INLINE static FORCE_INLINE

/* ---- the parameters of the two sizes ---- */

enum {
    MAX_TABLES = 36,
    MAX_ENTRIES = 30 << 10,
    MAX_BIMODAL = 1 << 13,
    MAX_LOOPS = 1 << 5,
    MAX_COMPONENTS = 7,
    MAX_GEHL = 3,
    MAX_WEIGHTS = 1 << 10,
    MAX_BIAS = 1 << 8,
    MAX_LOCALS = 1 << 8,
    MAX_ITERATIONS = 255,
    PATH_BITS = 27,
    SCALES = 8, /* scales of one component, by pc */
};

/* The histories of the corrector's components. */
enum history_kind {
    OUTCOMES, /* of conditional branches */
    BACKWARD, /* of conditional branches: 1 only if taken backward */
    PATH,     /* bits of the pcs */
    LOCAL,    /* outcomes of this branch, by three hashes of its pc */
    LOCAL_WITH_PC,
    LOCAL_OTHER,
    ITERATIONS,   /* number of iterations of the innermost loop */
    AT_ITERATION, /* outcomes at this iteration */
    HISTORIES
};

/* A component of the corrector: tables of weights by lengths of one history (GEHL). */
struct gehl {
    uint8_t history; /* enum history_kind */
    uint8_t tables, log_size;
    uint8_t length[MAX_GEHL];
    bool guess_in_index; /* the prediction of TAGE is part of the index */
    bool in_threshold;   /* a doubled sum raises the threshold */
};

/* Tables are numbered from 1; each pair shares a history length.  Those below `born` lie in the
 * first group of banks, the others in the second; a group is interleaved by the pc. */
struct shape {
    unsigned tables, born, banks[2], log_bank;
    unsigned paired_first, paired_end; /* in this range both tables of a length are used, elsewhere
                                        * one */
    unsigned dropped[4];               /* tables that are not used */
    unsigned bank_path[2];             /* bits of the path history that choose a bank, by group */
    unsigned shortest, longest;        /* history lengths, geometric between */
    unsigned log_bimodal, useful_maximum, log_loops, log_local, log_bias;
    unsigned threshold_step;
    unsigned components;
    bool small;  /* use the rules of the 8 KB size */
    bool halved; /* the two tables of shortest history of a component have half the weights */
    struct gehl component[MAX_COMPONENTS];
};

static const struct shape shape_64k = {
    .tables = 36,
    .born = 13,
    .banks = {10, 20},
    .log_bank = 10,
    .paired_first = 9,
    .paired_end = 23,
    .dropped = {4, 8, 30, 34},
    .bank_path = {6, 22},
    .shortest = 6,
    .longest = 3000,
    .log_bimodal = 13,
    .useful_maximum = 1,
    .log_loops = 5,
    .log_local = 8,
    .log_bias = 8,
    .threshold_step = 12,
    .components = 7,
    .halved = true,
    .component =
        {
            {BACKWARD, 3, 10, {8, 24, 10}, true, true},
            {PATH, 3, 9, {25, 16, 9}, false, true},
            {LOCAL, 3, 10, {11, 6, 3}, false, true},
            {LOCAL_WITH_PC, 3, 9, {16, 11, 6}, false, true},
            {LOCAL_OTHER, 2, 10, {9, 4}, false, true},
            {AT_ITERATION, 2, 9, {10, 4}, false, false},
            {ITERATIONS, 1, 8, {8}, false, true},
        },
};

static const struct shape shape_8k = {
    .tables = 30,
    .born = 11,
    .banks = {9, 17},
    .log_bank = 7,
    .paired_first = 7,
    .paired_end = 21,
    .bank_path = {4, 29},
    .shortest = 4,
    .longest = 1000,
    .log_bimodal = 12,
    .useful_maximum = 3,
    .log_loops = 3,
    .log_local = 6,
    .log_bias = 7,
    .threshold_step = 0,
    .components = 4,
    .small = true,
    .component =
        {
            {OUTCOMES, 2, 7, {6, 3}, false, true},
            {BACKWARD, 2, 7, {16, 8}, false, true},
            {LOCAL, 2, 7, {6, 3}, false, true},
            {ITERATIONS, 1, 7, {8}, false, true},
        },
};

/* Confidence of counters of 1 to 8 bits around -1/2: 1 for the weakest. */
static FORCE_INLINE int counter_strength(int8_t counter)
{
    int twice = 2 * counter + 1;
    return twice < 0 ? -twice : twice;
}

/* ---- TAGE: a bimodal table and tagged tables of geometric history lengths ---- */

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

static inline bool shape_uses_table(const struct shape *shape, unsigned number)
{
    for (unsigned i = 0; i < 4; i++)
        if (shape->dropped[i] == number) return false;
    return number % 2 == 0 || (number >= shape->paired_first && number < shape->paired_end);
}

static inline void tagged_start(struct tagged_tables *self, const struct shape *shape)
{
    struct lanes *lanes = &self->lanes;
    struct slots *slots = &self->slots;
    const unsigned width = shape->log_bank;
    unsigned lane = 0;
    self->random = RANDOM_START;
    memset(self->hysteresis, 1, sizeof self->hysteresis);
    for (unsigned pair = 1; pair <= shape->tables / 2; pair++) {
        const unsigned first = 2 * pair - 1;
        if (!shape_uses_table(shape, first) && !shape_uses_table(shape, first + 1)) continue;
        for (unsigned number = first; number <= first + 1; number++) {
            if (!shape_uses_table(shape, number)) continue;
            const unsigned slot = self->used++;
            const bool group = number >= shape->born;
            const bool follows = slot && (slots->group[slot - 1] != 0) == group;
            self->is_used[number] = true;
            self->slot_of[number] = (uint8_t)slot;
            slots->number[slot] = (uint8_t)number;
            slots->lane[slot] = lane;
            slots->second[slot] = number % 2 == 0 ? (uint32_t)low_bits(width) : 0;
            slots->group[slot] = group ? UINT32_MAX : 0;
            slots->order[slot] = follows ? slots->order[slot - 1] + 1 : 0;
            slots->start[slot] = group ? shape->banks[0] << width : 0;
            slots->banks[slot] = shape->banks[group];
        }
        /* The history length that both tables share. */
        const unsigned tag = first < shape->born ? 8 : 12;
        const unsigned length =
            geometric(shape->shortest, shape->longest, pair - 1, shape->tables / 2);
        const bool rotates = first < width;
        lanes->path_mask[lane] = (uint32_t)low_bits(length < PATH_BITS ? length : PATH_BITS);
        lanes->up[lane] = rotates ? first : 0;
        lanes->down[lane] = rotates ? width - first : 31; /* no path has bit 31 */
        lanes->up_mask[lane] = rotates ? (uint32_t)low_bits(width) : UINT32_MAX;
        lanes->pc_shift[lane] = (rotates ? width - first : first - width) + 1;
        lanes->tag_bits[lane] = tag;
        lanes->tag_mask[lane] = (uint32_t)low_bits(tag);
        folded_set(&self->folded, FOLD_INDEX, lane, length,
                   shape->small ? 17 + 2 * (pair - 1) % 4 : width);
        folded_set(&self->folded, FOLD_TAG, lane, length, shape->small ? 13 : tag);
        folded_set(&self->folded, FOLD_TAG_TOO, lane, length, shape->small ? 11 : tag - 1);
        lane++;
    }
}

/* ---- TAGE: looking up ---- */

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

/* The number of the highest bit that is set; one must be: highest_table() asks, and gcc then sees
 * indexes that cannot be. */
ALWAYS_INLINE unsigned tagged_highest(uint32_t bits)
{
    return 31U - (unsigned)__builtin_clz(bits);
}

/* The choice counter that decides whether to use a new entry. */
ALWAYS_INLINE int8_t *tagged_choice(struct tagged_tables *self)
{
    return &self->choice[((self->hit - 1) / 8 << 1) + self->other_sure];
}

ALWAYS_INLINE void tagged_predict(struct tagged_tables *self, const struct shape *shape,
                                  uint64_t pc)
{
    const uint32_t known = tagged_look_up(self, shape, pc);
    self->bimodal_at = (uint32_t)((pc ^ pc >> 2) & low_bits(shape->log_bimodal));
    self->bimodal_value =
        (uint8_t)(self->bimodal[self->bimodal_at] << 1 | self->hysteresis[self->bimodal_at >> 2]);
    self->sure = self->bimodal_value == 0 || self->bimodal_value == 3;
    self->unsure = !self->sure;
    self->half_sure = false;
    self->other_sure = self->sure;
    self->hit_taken = self->other_taken = self->taken = self->bimodal[self->bimodal_at];
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

/* ---- TAGE: learning ---- */

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
    /* Where refusals prevail, all entries age. */
    self->tick += shape->small ? search.refused + search.refused_for_long - 5 * search.allocated
                               : search.refused - 2 * search.allocated;
    if (self->tick < 0) self->tick = 0;
    if (self->tick < TICKS) return;
    self->tick = 0;
    for (size_t i = 0; i < MAX_ENTRIES; i++)
        self->entries[i].useful =
            (uint8_t)(self->entries[i].useful - (self->entries[i].useful > 0));
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

ALWAYS_INLINE void tagged_train(struct tagged_tables *self, const struct shape *shape, bool taken,
                                bool right)
{
    if (tagged_wants_entries(self, shape, taken, right)) tagged_allocate_longer(self, shape, taken);
    struct entry *entry = &self->entries[self->hit_at];
    bool weak = counter_strength(entry->counter) == 1;
    const bool new_and_wrong = weak && self->hit_taken != taken;
    if (!self->hit || (new_and_wrong && !self->other)) {
        uint8_t value = counter_moved(self->bimodal_value, taken);
        self->bimodal[self->bimodal_at] = value >> 1;
        self->hysteresis[self->bimodal_at >> 2] = value & 1;
    }
    if (!self->hit) return;
    if (new_and_wrong && self->other) {
        /* train the next shorter match, too */
        struct entry *other = &self->entries[self->other_at];
        const bool was_weak = counter_strength(other->counter) == 1;
        entry_move_counter(other, taken);
        if (shape->small && (was_weak || counter_strength(other->counter) == 1)) other->useful = 0;
    }
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

/* ---- the loop predictor: branches that go one way a constant number of times ---- */

enum { LOOP_WAYS = 4, LOOP_SURE = 15, LOOP_TAG = 10, LOOP_LONGEST = 1023, LOOP_YOUNG = 7 };

struct loop {
    uint16_t tag, total, current; /* iterations: total of the loop (0: unknown), and in this run */
    uint8_t confidence, age;
    bool inside; /* the outcome while the loop continues */
};

struct loops {
    int8_t useful; /* >= 0: use loop predictions */
    int hit;       /* the way that hit, -1: none */
    uint32_t at[LOOP_WAYS];
    uint16_t tag;
    bool valid, taken;
    struct loop entries[MAX_LOOPS];
};

ALWAYS_INLINE void loops_predict(struct loops *self, const struct shape *shape, uint64_t pc)
{
    const unsigned width = shape->log_loops - 2;
    const uint32_t set = (uint32_t)((pc ^ pc >> 2) & low_bits(width)) << 2;
    const uint32_t skew = (uint32_t)(pc >> width & low_bits(width));
    const uint32_t tag = (uint32_t)(pc >> width & low_bits(2 * LOOP_TAG));
    self->tag = (uint16_t)((tag ^ tag >> LOOP_TAG) & low_bits(LOOP_TAG));
    self->hit = -1;
    self->valid = self->taken = false;
    for (unsigned way = 0; way < LOOP_WAYS; way++) {
        self->at[way] = (set ^ (skew >> way) << 2) + way;
        if (self->hit < 0 && self->entries[self->at[way]].tag == self->tag) self->hit = (int)way;
    }
    if (self->hit < 0) return;
    const struct loop *loop = &self->entries[self->at[self->hit]];
    self->valid = loop->confidence == LOOP_SURE || loop->confidence * loop->total > 128;
    self->taken = loop->inside ^ (loop->current + 1 == loop->total);
}

static inline void loop_train(struct loops *self, struct loop *loop, bool taken, bool needed,
                              uint32_t *random)
{
    if (self->valid && taken != self->taken) {
        loop->total = loop->current = loop->age = loop->confidence = 0;
        return;
    }
    if (self->valid && (needed || (random_draw(random) & 7) == 0) && loop->age < LOOP_SURE)
        loop->age++;
    loop->current = (loop->current + 1) & LOOP_LONGEST;
    if (loop->current > loop->total) loop->total = loop->confidence = 0;
    if (taken == loop->inside) return;
    /* Loop exit: compare the number of iterations with the previous run. */
    if (loop->current != loop->total) {
        loop->confidence = 0;
        loop->total = loop->total == 0 ? loop->current : 0;
    } else {
        if (loop->confidence < LOOP_SURE) loop->confidence++;
        if (loop->total < 3) { /* too short to be useful */
            loop->inside = taken;
            loop->total = loop->age = loop->confidence = 0;
        }
    }
    loop->current = 0;
}

/* `needed`: TAGE predicts the other direction; `wrong`: the whole predictor was wrong. */
ALWAYS_INLINE void loops_train(struct loops *self, bool taken, bool needed, bool wrong,
                               uint32_t *random)
{
    if (self->hit < 0) {
        if (!wrong) return;
        const uint32_t way = random_draw(random) & 3;
        if ((random_draw(random) & 3) != 0) return;
        struct loop *victim = &self->entries[self->at[way]];
        if (victim->age)
            victim->age--;
        else
            *victim = (struct loop){.tag = self->tag, .age = LOOP_YOUNG, .inside = !taken};
        return;
    }
    loop_train(self, &self->entries[self->at[self->hit]], taken, needed, random);
}

/*
 * ---- the statistical corrector ----
 *
 * A sum of weights selected by the pc, by the confidence of TAGE and by several histories; a sum
 * that is large enough overrides TAGE.
 */

enum { WEIGHT_BITS = 6, SCALE_BITS = 6, BELIEF_BITS = 7, BIASES = 3, THRESHOLDS = 64 };
enum { MAX_THRESHOLD = 2047, LOCAL_SETS = 16, ITERATION_SETS = MAX_ITERATIONS + 1 };

struct corrector {
    /* The current prediction. */
    int sum, threshold;
    int part[MAX_COMPONENTS], bias_part;
    uint16_t at[MAX_COMPONENTS][MAX_GEHL], bias_at[BIASES];
    uint8_t set; /* index of the scales */
    uint8_t threshold_at;

    int common_threshold; /* eighths */
    int8_t thresholds[THRESHOLDS];
    int8_t believe_half_sure, believe_sure; /* < 0: prefer the corrector to TAGE at this
                                             * confidence */
    int8_t bias[BIASES][MAX_BIAS];
    int8_t scale[MAX_COMPONENTS][SCALES], bias_scale[SCALES]; /* >= 0: the component counts
                                                               * twice */
    int8_t weights[MAX_COMPONENTS][MAX_GEHL][MAX_WEIGHTS];

    uint64_t outcomes, backward, iterations;
    uint64_t local[MAX_LOCALS], local_with_pc[LOCAL_SETS], local_other[LOCAL_SETS];
    uint64_t at_iteration[ITERATION_SETS];
};

ALWAYS_INLINE unsigned corrector_local_set(const struct shape *shape, uint64_t pc)
{
    return (unsigned)((pc ^ pc >> 2) & low_bits(shape->log_local));
}
ALWAYS_INLINE unsigned corrector_local_with_pc_set(uint64_t pc)
{
    return (pc ^ pc >> 5) % LOCAL_SETS;
}
ALWAYS_INLINE unsigned corrector_local_other_set(uint64_t pc)
{
    return (pc ^ pc >> 10) % LOCAL_SETS;
}

ALWAYS_INLINE uint64_t corrector_history(const struct corrector *self,
                                         const struct tagged_tables *tagged,
                                         const struct shape *shape, uint64_t pc, unsigned history)
{
    switch (history) {
    case OUTCOMES: return self->outcomes;
    case BACKWARD: return self->backward;
    case PATH: return tagged->path & low_bits(PATH_BITS);
    case LOCAL: return self->local[corrector_local_set(shape, pc)];
    case LOCAL_WITH_PC: return self->local_with_pc[corrector_local_with_pc_set(pc)];
    case LOCAL_OTHER: return self->local_other[corrector_local_other_set(pc)];
    case ITERATIONS: return self->iterations;
    default: return self->at_iteration[self->iterations];
    }
}

/* Sums one component and stores the positions of its weights. */
ALWAYS_INLINE int corrector_sum_component(struct corrector *self, const struct shape *shape,
                                          unsigned which, uint64_t pc, uint64_t history)
{
    const struct gehl *component = &shape->component[which];
    int sum = 0;
    UNROLL(3)
    for (unsigned i = 0; i < component->tables; i++) {
        const uint64_t h = history & low_bits(component->length[i]);
        const bool half = shape->halved && i + 2 >= component->tables;
        const unsigned width = component->log_size - half;
        const uint64_t index = pc ^ h ^ h >> (8 - i) ^ h >> (16 - 2 * i) ^ h >> (24 - 3 * i) ^
                               h >> (32 - 3 * i) ^ h >> (40 - 4 * i);
        self->at[which][i] = (uint16_t)(index & low_bits(width));
        sum += 2 * self->weights[which][i][self->at[which][i]] + 1;
    }
    self->part[which] = sum;
    return sum * (1 + (self->scale[which][self->set] >= 0));
}

ALWAYS_INLINE int corrector_sum_bias(struct corrector *self, const struct tagged_tables *tagged,
                                     const struct shape *shape, uint64_t pc, bool guess)
{
    const uint64_t mask = low_bits(shape->log_bias), near = pc ^ pc >> 2;
    const bool doubtful = tagged->unsure && tagged->hit_taken != tagged->other_taken;
    const uint64_t bank = guess + ((tagged->hit + 1) / 4 << 4) + ((uint64_t)tagged->sure << 1) +
                          ((uint64_t)tagged->unsure << 2) + ((uint64_t)(tagged->other != 0) << 3);
    self->bias_at[0] = (uint16_t)((((near << 1) ^ doubtful) << 1 | guess) & mask);
    self->bias_at[1] =
        (uint16_t)(((((pc ^ pc >> (shape->log_bias - 2)) << 1) ^ tagged->sure) << 1 | guess) &
                   mask);
    self->bias_at[2] = (uint16_t)((bank + (shape->small ? 0 : near << 7)) & mask);
    self->bias_part = 0;
    for (unsigned i = 0; i < BIASES; i++)
        self->bias_part += 2 * self->bias[i][self->bias_at[i]] + 1;
    return self->bias_part * (1 + (self->bias_scale[self->set] >= 0));
}

/* The prediction, if TAGE and the loops predict `guess`. */
ALWAYS_INLINE bool corrector_predict(struct corrector *self, const struct tagged_tables *tagged,
                                     const struct shape *shape, uint64_t pc, bool guess)
{
    const uint64_t near = pc ^ pc >> 2;
    self->set = near % SCALES;
    self->threshold_at = near % THRESHOLDS;
    self->sum = corrector_sum_bias(self, tagged, shape, pc, guess);
    unsigned doubled = self->bias_scale[self->set] >= 0;
    UNROLL(7)
    for (unsigned i = 0; i < shape->components; i++) {
        const struct gehl *component = &shape->component[i];
        const uint64_t history = corrector_history(self, tagged, shape, pc, component->history);
        const uint64_t key = component->guess_in_index ? (pc << 1) + guess : pc;
        self->sum += corrector_sum_component(self, shape, i, key, history);
        doubled += component->in_threshold && self->scale[i][self->set] >= 0;
    }
    self->threshold = (self->common_threshold >> 3) + self->thresholds[self->threshold_at] +
                      (int)(shape->threshold_step * doubled);
    const bool mine = self->sum >= 0;
    const int size = abs(self->sum);
    if (mine == guess) return guess;
    if (tagged->sure && size < self->threshold / 4) return guess;
    if (tagged->sure && size < self->threshold / 2) return self->believe_sure < 0 ? mine : guess;
    if (tagged->half_sure && size < self->threshold / 4)
        return self->believe_half_sure < 0 ? mine : guess;
    return mine;
}

/* Trains the scale: a component counts twice if doubling it was right when it made a difference. */
ALWAYS_INLINE void corrector_train_scale(int8_t *scale, int sum, int part, bool taken)
{
    int once = sum - (*scale >= 0) * part;
    if ((once + part >= 0) != (once >= 0))
        *scale = weight_moved(*scale, (part >= 0) == taken, SCALE_BITS);
}

ALWAYS_INLINE void corrector_train(struct corrector *self, const struct tagged_tables *tagged,
                                   const struct shape *shape, bool guess, bool taken)
{
    const bool wrong = (self->sum >= 0) != taken, overrides = (self->sum >= 0) != guess;
    const int size = abs(self->sum);
    if (overrides && tagged->sure && size < self->threshold / 2 && size >= self->threshold / 4)
        self->believe_sure = weight_moved(self->believe_sure, guess == taken, BELIEF_BITS);
    if (overrides && tagged->half_sure && size < self->threshold / 4)
        self->believe_half_sure =
            weight_moved(self->believe_half_sure, guess == taken, BELIEF_BITS);
    if (!wrong && size >= self->threshold) return;
    const int next = self->common_threshold + (wrong ? 1 : -1);
    self->common_threshold = next > MAX_THRESHOLD    ? MAX_THRESHOLD
                             : next < ~MAX_THRESHOLD ? ~MAX_THRESHOLD
                                                     : next;
    int8_t *own = &self->thresholds[self->threshold_at];
    *own = weight_moved(*own, wrong, 8);
    corrector_train_scale(&self->bias_scale[self->set], self->sum, self->bias_part, taken);
    for (unsigned i = 0; i < BIASES; i++) {
        int8_t *bias = &self->bias[i][self->bias_at[i]];
        *bias = weight_moved(*bias, taken, WEIGHT_BITS);
    }
    UNROLL(7)
    for (unsigned i = 0; i < shape->components; i++) {
        corrector_train_scale(&self->scale[i][self->set], self->sum, self->part[i], taken);
        UNROLL(3)
        for (unsigned j = 0; j < shape->component[i].tables; j++) {
            int8_t *weight = &self->weights[i][j][self->at[i][j]];
            *weight = weight_moved(*weight, taken, WEIGHT_BITS);
        }
    }
}

/* Updates the histories for a conditional branch. */
ALWAYS_INLINE void corrector_track(struct corrector *self, const struct shape *shape,
                                   const struct spoor_branch *branch)
{
    const uint64_t pc = branch->pc;
    const bool taken = branch_is_taken(branch);
    const bool back = branch->has & SPOOR_BRANCH_HAS_TARGET && branch->target < pc;
    uint64_t *at_iteration = &self->at_iteration[self->iterations];
    *at_iteration = *at_iteration << 1 | taken;
    if (back && !taken)
        self->iterations = 0;
    else if (back && self->iterations < MAX_ITERATIONS)
        self->iterations++;
    self->outcomes = self->outcomes << 1 | taken;
    self->backward = self->backward << 1 | (taken && back);
    uint64_t *local = &self->local[corrector_local_set(shape, pc)];
    *local = *local << 1 | taken;
    uint64_t *with_pc = &self->local_with_pc[corrector_local_with_pc_set(pc)];
    *with_pc = (*with_pc << 1 | taken) ^ (pc & 15);
    uint64_t *other = &self->local_other[corrector_local_other_set(pc)];
    *other = *other << 1 | taken;
}

/* ---- the whole predictor ---- */

enum { SIZE };
static const struct spoor_component_key tage_sc_l_keys[] = {
    {"size", "bytes: 64K, or 8K if it is at most 8K", 64 << 10, 8 << 10, 64 << 10},
    {0},
};

struct tage_sc_l {
    bool small;
    bool inter, taken; /* the predictions of TAGE with loops, and of the whole predictor */
    struct loops loops;
    struct corrector corrector;
    struct tagged_tables tagged;
};

ALWAYS_INLINE bool tage_sc_l_predict_as(struct tage_sc_l *self, const struct shape *shape,
                                        uint64_t pc)
{
    tagged_predict(&self->tagged, shape, pc);
    loops_predict(&self->loops, shape, pc);
    self->inter = self->tagged.taken;
    if (self->loops.useful >= 0 && self->loops.valid) self->inter = self->loops.taken;
    self->taken = corrector_predict(&self->corrector, &self->tagged, shape, pc, self->inter);
    return self->taken;
}

ALWAYS_INLINE void tage_sc_l_train_as(struct tage_sc_l *self, const struct shape *shape, bool taken)
{
    struct loops *loops = &self->loops;
    if (loops->valid && self->taken != loops->taken)
        loops->useful = weight_moved(loops->useful, loops->taken == taken, 7);
    loops_train(loops, taken, loops->taken != self->tagged.taken, self->taken != taken,
                &self->tagged.random);
    corrector_train(&self->corrector, &self->tagged, shape, self->inter, taken);
    tagged_train(&self->tagged, shape, taken, self->taken == taken);
}

ALWAYS_INLINE void tage_sc_l_track_as(struct tage_sc_l *self, const struct shape *shape,
                                      const struct spoor_branch *branch)
{
    if (branch_is_conditional(branch)) corrector_track(&self->corrector, shape, branch);
    tagged_track(&self->tagged, branch);
}

ALWAYS_INLINE uint64_t tage_sc_l_run_as(struct tage_sc_l *self, const struct shape *shape,
                                        const struct spoor_branch *branches, size_t count,
                                        uint8_t *wrong)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        const struct spoor_branch *branch = &branches[i];
        bool missed = false;
        if (branch_is_conditional(branch)) {
            missed = tage_sc_l_predict_as(self, shape, branch->pc) != branch_is_taken(branch);
            tage_sc_l_train_as(self, shape, branch_is_taken(branch));
        }
        tage_sc_l_track_as(self, shape, branch);
        sum += missed;
        if (wrong) wrong[i] = missed;
    }
    return sum;
}

/* ---- both sizes ---- */

static bool tage_sc_l_predict(void *state, const struct spoor_branch *branch)
{
    struct tage_sc_l *self = state;
    return self->small ? tage_sc_l_predict_as(self, &shape_8k, branch->pc)
                       : tage_sc_l_predict_as(self, &shape_64k, branch->pc);
}
static void tage_sc_l_train(void *state, const struct spoor_branch *branch)
{
    struct tage_sc_l *self = state;
    if (self->small)
        tage_sc_l_train_as(self, &shape_8k, branch_is_taken(branch));
    else
        tage_sc_l_train_as(self, &shape_64k, branch_is_taken(branch));
}
static void tage_sc_l_track(void *state, const struct spoor_branch *branch)
{
    struct tage_sc_l *self = state;
    tage_sc_l_track_as(self, self->small ? &shape_8k : &shape_64k, branch);
}

/* The loops are compiled for each size, and for AVX2: most of the time is spent in the hashes of
 * all tables, which a compiler vectorises. */
#if CPU_MAY_HAVE_AVX2
static FOR_AVX2 uint64_t tage_sc_l_run_avx2(struct tage_sc_l *self,
                                            const struct spoor_branch *branches, size_t count,
                                            uint8_t *wrong)
{
    return self->small ? tage_sc_l_run_as(self, &shape_8k, branches, count, wrong)
                       : tage_sc_l_run_as(self, &shape_64k, branches, count, wrong);
}
#endif
static uint64_t tage_sc_l_run(void *state, const struct spoor_branch *branches, size_t count,
                              uint8_t *wrong)
{
    struct tage_sc_l *self = state;
#if CPU_MAY_HAVE_AVX2
    if (cpu_has_avx2()) return tage_sc_l_run_avx2(self, branches, count, wrong);
#endif
    return self->small ? tage_sc_l_run_as(self, &shape_8k, branches, count, wrong)
                       : tage_sc_l_run_as(self, &shape_64k, branches, count, wrong);
}

static void tage_sc_l_start(void *state, const struct component_setup *setup)
{
    struct tage_sc_l *self = state;
    self->small = setup->values[SIZE] <= 8 << 10;
    const struct shape *shape = self->small ? &shape_8k : &shape_64k;
    tagged_start(&self->tagged, shape);
    struct corrector *corrector = &self->corrector;
    static const int8_t bias[BIASES][4] = {{-32, 31, -1, 0}, {-8, 7, -32, 31}, {-32, 31, -1, 0}};
    for (unsigned i = 0; i < BIASES; i++)
        for (unsigned j = 0; j < MAX_BIAS; j++) corrector->bias[i][j] = bias[i][j & 3];
    int8_t *weights = &corrector->weights[0][0][0];
    for (size_t i = 0; i < sizeof corrector->weights; i += 2) weights[i] = -1;
    for (unsigned i = 0; i < shape->components; i++)
        memset(corrector->scale[i], shape->component[i].history == AT_ITERATION ? 0 : 7, SCALES);
    memset(corrector->bias_scale, 4, SCALES);
    corrector->common_threshold = 35 << 3;
    self->loops.useful = -1;
}
static const char *tage_sc_l_size(const struct component_setup *setup, struct component_size *size)
{
    /* the budgets that the paper states: TAGE, corrector and loops */
    size->bits = setup->values[SIZE] <= 8 << 10 ? 58165 + 8872 + 312 : 463917 + 58190 + 1248;
    return NULL;
}
const struct predictor predictor_tage_sc_l = {
    .component = {.about = {SPOOR_PREDICTOR, "tage-sc-l",
                            "TAGE, statistical corrector and loop predictor",
                            "Seznec 2016, 5th Championship Branch Prediction", tage_sc_l_keys},
                  .struct_size = sizeof(struct tage_sc_l),
                  .size = tage_sc_l_size,
                  .start = tage_sc_l_start},
    .predict = tage_sc_l_predict,
    .train = tage_sc_l_train,
    .track = tage_sc_l_track,
    .run = tage_sc_l_run,
};
