/* SPDX-License-Identifier: MIT */
/* loop.h: the loop predictor: branches that go one way a constant number of times, then the other.
 */
#ifndef SPOOR_SIMULATE_BRANCH_TAGE_SC_L_LOOP_H
#define SPOOR_SIMULATE_BRANCH_TAGE_SC_L_LOOP_H

#include "simulate/branch/tage_sc_l/shape.h"

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

static inline void loops_start(struct loops *self)
{
    self->useful = -1;
}

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

/* Loop exit: compare the number of iterations with the previous run. */
static inline void loop_leave(struct loop *loop, bool taken)
{
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
    if (taken != loop->inside) loop_leave(loop, taken);
}

/* `needed`: TAGE predicts the other direction; `wrong`: the whole predictor was wrong. */
ALWAYS_INLINE void loops_train(struct loops *self, bool taken, bool needed, bool wrong,
                               uint32_t *random)
{
    if (self->hit >= 0) {
        loop_train(self, &self->entries[self->at[self->hit]], taken, needed, random);
        return;
    }
    if (!wrong) return;
    uint32_t way = random_draw(random) & 3;
    if ((random_draw(random) & 3) != 0) return;
    struct loop *loop = &self->entries[self->at[way]];
    if (loop->age)
        loop->age--;
    else
        *loop = (struct loop){.tag = self->tag, .age = LOOP_YOUNG, .inside = !taken};
}

#endif
