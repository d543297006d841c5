/* SPDX-License-Identifier: MIT */
/*
 * tournament.c: a bimodal and a gshare predictor, and a table of two-bit counters by pc that
 * chooses between them.  Both always train; the chooser moves only where they disagree.
 */
#include "simulate/branch/kind.h"

#include "simulate/branch/counter.h"

enum { CHOOSER, BIMODAL, GSHARE, HISTORY, SHIFT, START };
static const struct spoor_predictor_key keys[] = {
    {"bits", "log2 of the number of counters of the chooser, which start strongly bimodal", 12, 0,
     30},
    {"bimodal", "log2 of the number of bimodal counters", SPOOR_KEY_AS_BEFORE, 0, 30},
    {"gshare", "log2 of the number of gshare counters", SPOOR_KEY_AS_BEFORE, 0, 30},
    {"history", "outcomes in the history, at most `gshare`", SPOOR_KEY_AS_BEFORE, 0, 30},
    KEY_SHIFT,
    KEY_START,
    KEYS_END,
};

struct tournament {
    uint64_t chooser_mask, bimodal_mask, gshare_mask, history_mask, history;
    unsigned shift, history_bits;
    uint8_t *bimodal, *gshare; /* after the chooser */
    uint8_t chooser[];
};

struct counters {
    uint8_t *chooser, *bimodal, *gshare;
};
static inline struct counters counters_of(struct tournament *self,
                                          const struct spoor_branch *branch)
{
    uint64_t pc = branch->pc >> self->shift;
    return (struct counters){
        &self->chooser[pc & self->chooser_mask],
        &self->bimodal[pc & self->bimodal_mask],
        &self->gshare[(pc ^ self->history) & self->gshare_mask],
    };
}
static inline bool predict(struct tournament *self, const struct spoor_branch *branch)
{
    struct counters at = counters_of(self, branch);
    return counter_taken(counter_taken(*at.chooser) ? *at.gshare : *at.bimodal);
}
static inline void train(struct tournament *self, const struct spoor_branch *branch)
{
    struct counters at = counters_of(self, branch);
    bool taken = is_taken(branch), bimodal = counter_taken(*at.bimodal);
    if (bimodal != counter_taken(*at.gshare))
        *at.chooser = counter_moved(*at.chooser, bimodal != taken);
    *at.bimodal = counter_moved(*at.bimodal, taken);
    *at.gshare = counter_moved(*at.gshare, taken);
}
static inline void track(struct tournament *self, const struct spoor_branch *branch)
{
    if (!is_conditional(branch)) return;
    self->history = (self->history << 1 | is_taken(branch)) & self->history_mask;
}
PREDICTOR_FUNCTIONS(struct tournament)

static const char *refuse(const uint64_t *values)
{
    return values[HISTORY] > values[GSHARE] ? "`history` is at most `gshare`" : NULL;
}
static size_t capacity(const uint64_t *values)
{
    return sizeof(struct tournament) + ((size_t)1 << values[CHOOSER]) +
           ((size_t)1 << values[BIMODAL]) + ((size_t)1 << values[GSHARE]);
}
static void start(void *state, const uint64_t *values)
{
    struct tournament *self = state;
    self->chooser_mask = low_bits((unsigned)values[CHOOSER]);
    self->bimodal_mask = low_bits((unsigned)values[BIMODAL]);
    self->gshare_mask = low_bits((unsigned)values[GSHARE]);
    self->history_bits = (unsigned)values[HISTORY];
    self->history_mask = low_bits(self->history_bits);
    self->shift = (unsigned)values[SHIFT];
    self->bimodal = self->chooser + self->chooser_mask + 1;
    self->gshare = self->bimodal + self->bimodal_mask + 1;
    memset(self->bimodal, (int)values[START], self->bimodal_mask + 1 + self->gshare_mask + 1);
}
static uint64_t storage(const uint64_t *values)
{
    return (UINT64_C(2) << values[CHOOSER]) + (UINT64_C(2) << values[BIMODAL]) +
           (UINT64_C(2) << values[GSHARE]) + values[HISTORY];
}
static void show(const void *state, struct text *text)
{
    const struct tournament *self = state;
    show_counters(text, self->chooser, self->chooser_mask + 1, "BbgG");
    text_puts(text, " ");
    show_counters(text, self->bimodal, self->bimodal_mask + 1, "NntT");
    text_puts(text, " ");
    show_counters(text, self->gshare, self->gshare_mask + 1, "NntT");
    show_history(text, self->history, self->history_bits);
}

const struct predictor_kind predictor_tournament = {
    .about = {"tournament", "a chooser between bimodal and gshare", "McFarling 1993, section 9",
              SPOOR_PREDICTS_DIRECTION, keys},
    .refuse = refuse,
    .capacity = capacity,
    .start = start,
    .storage = storage,
    .show = show,
    PREDICTOR_DOORS,
};
