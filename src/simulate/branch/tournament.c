/* SPDX-License-Identifier: MIT */
/*
 * tournament.c: a bimodal and a gshare predictor, and a table of two-bit counters by pc that
 * chooses between them.  Both always train, or with `chosen` the chosen one alone; the chooser
 * moves only where they disagree.  NCSU's ECE 563 has `chosen=1,choice=1,top=1,start=2`.
 */
#include "simulate/branch/counter.h"
#include "simulate/branch/predictor.h"

enum { CHOOSER, BIMODAL, GSHARE, HISTORY, SHIFT, START, CHOICE, CHOSEN, TOP };
static const struct spoor_component_key tournament_keys[] = {
    {"bits", "log2 of the number of counters of the chooser", 12, 0, 30},
    {"bimodal", "log2 of the number of bimodal counters", SPOOR_KEY_AS_BEFORE, 0, 30},
    {"gshare", "log2 of the number of gshare counters", SPOOR_KEY_AS_BEFORE, 0, 30},
    {"history", "outcomes in the history, at most `gshare`", SPOOR_KEY_AS_BEFORE, 0, 30},
    KEY_SHIFT,
    KEY_START,
    {"choice", "initial value of the chooser's counters: 0 strongly bimodal to 3 strongly gshare",
     0, 0, 3},
    {"chosen", "1: only the predictor that was chosen trains", 0, 0, 1},
    {"top", "1: the history is at the top of the index, the newest outcome highest", 0, 0, 1},
    {0},
};

struct tournament {
    uint64_t chooser_mask, bimodal_mask, gshare_mask, history;
    unsigned shift, history_bits, lift;
    bool chosen, top;
    uint8_t *bimodal, *gshare; /* after the chooser */
    uint8_t chooser[];
};

struct tournament_counters {
    uint8_t *chooser, *bimodal, *gshare;
};
static inline struct tournament_counters tournament_at(struct tournament *self,
                                                       const struct spoor_branch *branch)
{
    const uint64_t pc = branch->pc >> self->shift;
    return (struct tournament_counters){
        &self->chooser[pc & self->chooser_mask],
        &self->bimodal[pc & self->bimodal_mask],
        &self->gshare[(pc ^ self->history << self->lift) & self->gshare_mask],
    };
}
static inline bool tournament_predict(void *state, const struct spoor_branch *branch)
{
    const struct tournament_counters at = tournament_at(state, branch);
    return counter_taken(counter_taken(*at.chooser) ? *at.gshare : *at.bimodal);
}
static inline void tournament_train(void *state, const struct spoor_branch *branch)
{
    const struct tournament *self = state;
    const struct tournament_counters at = tournament_at(state, branch);
    const bool taken = branch_is_taken(branch), bimodal = counter_taken(*at.bimodal);
    const bool gshare_chosen = counter_taken(*at.chooser);
    if (bimodal != counter_taken(*at.gshare)) counter_train(at.chooser, bimodal != taken);
    if (!self->chosen || !gshare_chosen) counter_train(at.bimodal, taken);
    if (!self->chosen || gshare_chosen) counter_train(at.gshare, taken);
}
static inline void tournament_track(void *state, const struct spoor_branch *branch)
{
    struct tournament *self = state;
    if (!branch_is_conditional(branch)) return;
    self->history =
        history_after(self->history, self->history_bits, self->top, branch_is_taken(branch));
}
PREDICTOR_LOOP(tournament_run, tournament_predict, tournament_train, tournament_track)

static const char *tournament_size(const struct component_setup *setup, struct component_size *size)
{
    const uint64_t *values = setup->values;
    size->tables = ((size_t)1 << values[CHOOSER]) + ((size_t)1 << values[BIMODAL]) +
                   ((size_t)1 << values[GSHARE]);
    size->bits = 2 * size->tables + values[HISTORY];
    return values[HISTORY] > values[GSHARE] ? "`history` is at most `gshare`" : NULL;
}
static void tournament_start(void *state, const struct component_setup *setup)
{
    const uint64_t *values = setup->values;
    struct tournament *self = state;
    self->chooser_mask = low_bits((unsigned)values[CHOOSER]);
    self->bimodal_mask = low_bits((unsigned)values[BIMODAL]);
    self->gshare_mask = low_bits((unsigned)values[GSHARE]);
    self->history_bits = (unsigned)values[HISTORY];
    self->chosen = values[CHOSEN];
    self->top = values[TOP];
    self->lift = self->top ? (unsigned)values[GSHARE] - self->history_bits : 0;
    self->shift = (unsigned)values[SHIFT];
    self->bimodal = self->chooser + self->chooser_mask + 1;
    self->gshare = self->bimodal + self->bimodal_mask + 1;
    memset(self->chooser, (int)values[CHOICE], self->chooser_mask + 1);
    memset(self->bimodal, (int)values[START], self->bimodal_mask + 1 + self->gshare_mask + 1);
}
static void tournament_show(const void *state, struct text *text)
{
    const struct tournament *self = state;
    show_counters(text, self->chooser, self->chooser_mask + 1, "BbgG");
    text_puts(text, " ");
    show_counters(text, self->bimodal, self->bimodal_mask + 1, "NntT");
    text_puts(text, " ");
    show_counters(text, self->gshare, self->gshare_mask + 1, "NntT");
    show_history(text, self->history, self->history_bits);
}

const struct predictor predictor_tournament = {
    .component = {.about = {SPOOR_PREDICTOR, "tournament", "a chooser between bimodal and gshare",
                            "McFarling 1993, section 9", tournament_keys},
                  .struct_size = sizeof(struct tournament),
                  .size = tournament_size,
                  .start = tournament_start},
    .predict = tournament_predict,
    .train = tournament_train,
    .track = tournament_track,
    .run = tournament_run,
    .show = tournament_show,
};
