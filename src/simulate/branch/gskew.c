/* SPDX-License-Identifier: MIT */
/*
 * gskew.c: 2bc-gskew: a bimodal table, two tables by global history, indexed so that branches that
 * collide in one do not collide in the others, and a chooser between bimodal and the majority of
 * three.
 */
#include "simulate/branch/counter.h"
#include "simulate/branch/predictor.h"

enum { BITS, HISTORY_0, HISTORY_1, HISTORY_META, SHIFT, START };
static const struct spoor_component_key gskew_keys[] = {
    {"bits", "log2 of the number of counters of each of the four tables", 15, 4, 26},
    {"g0", "outcomes in the history of the first table by history", 17, 0, 63},
    {"g1", "outcomes in the history of the second", 27, 0, 63},
    {"meta", "outcomes in the history of the chooser", 20, 0, 63},
    KEY_SHIFT,
    KEY_START,
    {0},
};

enum bank { BIMODAL, G0, G1, META, BANKS };
struct gskew {
    uint64_t history, mask[BANKS]; /* of the history */
    unsigned bits, shift;
    uint8_t *counters[BANKS]; /* in the memory after the struct */
    uint8_t all[];
};

/* The counters of a branch and their predictions. */
struct gskew_votes {
    uint8_t *counter[BANKS];
    bool taken[BANKS], majority, guess;
};

/* x folded to `bits` bits. */
static inline uint64_t gskew_fold(uint64_t x, unsigned bits)
{
    uint64_t folded = 0;
    for (; x; x >>= bits) folded ^= x;
    return folded & low_bits(bits);
}

/* The skewing functions of Seznec and Bodin 1993: one-to-one, each a different permutation. */
static inline uint64_t gskew_shuffle(uint64_t x, unsigned bits)
{
    return x >> 1 | ((x ^ x >> (bits - 1)) & 1) << (bits - 1);
}
static inline uint64_t gskew_unshuffle(uint64_t x, unsigned bits)
{
    return (x << 1 & low_bits(bits)) | ((x >> (bits - 1) ^ x >> (bits - 2)) & 1);
}

static inline uint64_t gskew_index(const struct gskew *self, enum bank bank, uint64_t pc)
{
    const unsigned bits = self->bits;
    const uint64_t a = pc & low_bits(bits), b = gskew_fold(self->history & self->mask[bank], bits);
    const uint64_t rest = gskew_fold(pc >> bits, bits);
    switch (bank) {
    case BIMODAL: return a;
    case G0: return gskew_shuffle(a, bits) ^ gskew_unshuffle(b ^ rest, bits) ^ b;
    case G1: return gskew_shuffle(a, bits) ^ gskew_unshuffle(b ^ rest, bits) ^ a;
    default: return gskew_unshuffle(a, bits) ^ gskew_shuffle(b, bits) ^ b;
    }
}

static inline struct gskew_votes gskew_vote(struct gskew *self, const struct spoor_branch *branch)
{
    const uint64_t pc = branch->pc >> self->shift;
    struct gskew_votes votes;
    for (enum bank bank = BIMODAL; bank < BANKS; bank++) {
        votes.counter[bank] = &self->counters[bank][gskew_index(self, bank, pc)];
        votes.taken[bank] = counter_taken(*votes.counter[bank]);
    }
    votes.majority = votes.taken[BIMODAL] + votes.taken[G0] + votes.taken[G1] >= 2;
    votes.guess = votes.taken[META] ? votes.majority : votes.taken[BIMODAL];
    return votes;
}
static inline bool gskew_predict(void *state, const struct spoor_branch *branch)
{
    return gskew_vote(state, branch).guess;
}

/* Partial update (Seznec et al. 2002, section 4.2): if all agree and are right, nothing changes; if
 * the prediction is right, the tables that were right are strengthened; if it is wrong, the chooser
 * moves, and if that would not have helped, all tables do. */
static inline void gskew_train(void *state, const struct spoor_branch *branch)
{
    const struct gskew_votes votes = gskew_vote(state, branch);
    const bool taken = branch_is_taken(branch), right = votes.guess == taken;
    const bool differ = votes.majority != votes.taken[BIMODAL];
    if (differ) counter_train(votes.counter[META], votes.majority == taken);
    const bool uses_majority = counter_taken(*votes.counter[META]);
    const bool now_right = (uses_majority ? votes.majority : votes.taken[BIMODAL]) == taken;
    if (!right && !now_right) {
        for (enum bank bank = BIMODAL; bank <= G1; bank++)
            counter_train(votes.counter[bank], taken);
        return;
    }
    if (votes.taken[BIMODAL] == votes.taken[G0] && votes.taken[G0] == votes.taken[G1]) return;
    for (enum bank bank = BIMODAL; bank <= G1; bank++)
        if (votes.taken[bank] == taken && (bank == BIMODAL || uses_majority))
            counter_train(votes.counter[bank], taken);
}
static inline void gskew_track(void *state, const struct spoor_branch *branch)
{
    struct gskew *self = state;
    if (branch_is_conditional(branch)) self->history = self->history << 1 | branch_is_taken(branch);
}
PREDICTOR_LOOP(gskew_run, gskew_predict, gskew_train, gskew_track)

static const char *gskew_size(const struct component_setup *setup, struct component_size *size)
{
    const uint64_t *values = setup->values;
    uint64_t history = values[HISTORY_0];
    if (values[HISTORY_1] > history) history = values[HISTORY_1];
    if (values[HISTORY_META] > history) history = values[HISTORY_META];
    size->tables = (size_t)BANKS << values[BITS];
    size->bits = 2 * size->tables + history;
    return NULL;
}
static void gskew_start(void *state, const struct component_setup *setup)
{
    const uint64_t *values = setup->values;
    struct gskew *self = state;
    self->bits = (unsigned)values[BITS];
    self->shift = (unsigned)values[SHIFT];
    self->mask[G0] = low_bits((unsigned)values[HISTORY_0]);
    self->mask[G1] = low_bits((unsigned)values[HISTORY_1]);
    self->mask[META] = low_bits((unsigned)values[HISTORY_META]);
    for (unsigned bank = 0; bank < BANKS; bank++)
        self->counters[bank] = self->all + ((size_t)bank << self->bits);
    memset(self->all, (int)values[START], (size_t)BANKS << self->bits);
}
const struct predictor predictor_gskew = {
    .component = {.about = {SPOOR_PREDICTOR, "2bc-gskew",
                            "bimodal and two skewed tables, by majority or bimodal alone",
                            "Seznec, Michaud 1999; Seznec et al. 2002", gskew_keys},
                  .struct_size = sizeof(struct gskew),
                  .size = gskew_size,
                  .start = gskew_start},
    .predict = gskew_predict,
    .train = gskew_train,
    .track = gskew_track,
    .run = gskew_run,
};
