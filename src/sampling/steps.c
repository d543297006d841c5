/* SPDX-License-Identifier: MIT */
/* steps.c: reads the steps of a packed history, and follows them; see steps.h. */
#include "sampling/steps.h"

#include <stdlib.h>
#include <string.h>

#include "base/byte_order.h"
#include "base/inline.h"
#include "sampling/history_file.h"

enum {
    HALVES = 2,    /* of a successor */
    WORD = 64,     /* bits that a word reads */
    RANK_BITS = 56 /* and of them, those that all have ranks, at any bit of a byte */
};

/* ---- reading ---- */

static void read_successors(struct steps *steps, struct unpacker *from, size_t number)
{
    const uint64_t count = unpack(from);
    struct successor *step = &steps->of[number];
    step->step = (uint32_t)number + 1;
    if (!count || from->failed) return;
    step->bits = history_rank_bits(count < UINT32_MAX ? (uint32_t)count : UINT32_MAX);
    const uint64_t places = (uint64_t)1 << step->bits;
    from->failed |= places < count || places > steps->capacity - steps->successor_count;
    if (from->failed) return;
    step->mask = (uint32_t)((places - 1) * HALVES);
    step->first = (uint32_t)(steps->successor_count * HALVES);
    if (steps->at_once * step->bits > RANK_BITS) steps->at_once = RANK_BITS / step->bits;
    for (uint64_t i = 0; i < count && !from->failed; i++) {
        const uint64_t next = number + (uint64_t)unpack_signed(from);
        from->failed |= next >= steps->count;
        steps->successors[steps->successor_count + i].step = (uint32_t)next + 1;
    }
    steps->successor_count += (size_t)places;
}

static void read_step(struct steps *steps, struct unpacker *from, size_t number, uint64_t *pc)
{
    struct spoor_branch *branch = &steps->branches[number + 1];
    *pc += (uint64_t)unpack_signed(from);
    branch->pc = *pc;
    branch->target = *pc + (uint64_t)unpack_signed(from);
    branch->fall = *pc + (uint64_t)unpack_signed(from);
    const uint64_t bits = unpack(from);
    branch->type = (uint8_t)(bits >> 8);
    branch->has = (uint8_t)bits;
    read_successors(steps, from, number);
}

/* The numbers that are left: each ends with a byte whose top bit is not set. */
static size_t numbers_left(const struct unpacker *from)
{
    size_t numbers = 0;
    for (const uint8_t *at = from->at; at < from->end; at++) numbers += *at < 128;
    return numbers;
}

bool steps_read(struct steps *steps, struct unpacker *from)
{
    enum { NUMBERS = 5 }; /* of a step, besides its successors */
    uint64_t pc = 0;
    const uint64_t count = unpack(from);
    const size_t numbers = numbers_left(from);
    from->failed |= count > numbers / NUMBERS || numbers > UINT32_MAX / HALVES / 2;
    if (from->failed) return true;
    /* ranks number fewer than twice as many as there are */
    steps->capacity = 2 * (numbers - NUMBERS * (size_t)count) + 1;
    steps->count = (size_t)count;
    steps->at_once = RANK_BITS;
    steps->of = calloc(steps->count + 1, sizeof *steps->of);
    steps->branches = calloc(steps->count + 1, sizeof *steps->branches);
    steps->successors = calloc(steps->capacity, sizeof *steps->successors);
    if (!steps->of || !steps->branches || !steps->successors) return false;
    steps->successor_count = 1;
    for (size_t i = 0; i < steps->count && !from->failed; i++) read_step(steps, from, i, &pc);
    from->failed |= from->at != from->end;
    for (size_t i = 0; i < steps->successor_count && !from->failed; i++) {
        struct successor *successor = &steps->successors[i];
        if (successor->step) *successor = steps->of[successor->step - 1];
    }
    return true;
}

void steps_free(struct steps *steps)
{
    free(steps->of);
    free(steps->branches);
    free(steps->successors);
}

/* ---- following ---- */

/* The bits of the ranks from `bit` on, at least 57, for places: times 2. */
static inline uint64_t bits_at(const uint8_t *ranks, uint64_t bit)
{
    uint64_t word;
    memcpy(&word, ranks + bit / 8, sizeof word);
    return little_endian64(word) >> bit % 8 << 1;
}

/* A way while it is followed, in registers. */
struct follower {
    const struct successor *step;
    uint64_t bit, word;
    size_t count;
};

/* Passes from a step to the next by the lowest bits of the word. */
static FORCE_INLINE void pass(const struct successor *successors, struct follower *follower,
                              uint32_t *numbers)
{
    const struct successor *step = follower->step;
    const uint32_t place = ((uint32_t)follower->word & step->mask) + step->first;
    numbers[follower->count++] = step->step;
    follower->bit += step->bits;
    follower->word >>= step->bits;
    follower->step = (const void *)((const uint64_t *)(const void *)successors + place);
}

/* True if the next word has ranks alone, and all steps that it leads to are wanted. */
static inline bool may_pass(const struct steps *steps, const struct way *way,
                            const struct follower *follower, size_t maximum)
{
    return maximum - follower->count >= steps->at_once && way->bits - follower->bit >= WORD;
}

static struct follower begin(const struct way *way, size_t count)
{
    return (struct follower){.step = &way->step, .bit = way->bit, .count = count};
}

static void end(struct way *way, const struct follower *follower, size_t before)
{
    way->step = *follower->step;
    way->bit = follower->bit;
    way->left -= follower->count - before;
}

/* Follows a way while words have ranks alone. */
static size_t follow_words(const struct steps *steps, struct way *way, uint32_t *numbers,
                           size_t maximum)
{
    const struct successor *successors = steps->successors;
    struct follower follower = begin(way, 0);
    while (may_pass(steps, way, &follower, maximum)) {
        follower.word = bits_at(way->ranks, follower.bit);
        for (unsigned i = 0; i < steps->at_once; i++) pass(successors, &follower, numbers);
    }
    end(way, &follower, 0);
    return follower.count;
}

/* The same for two ways, until one of them has no such word. */
static void follow_two(const struct steps *steps, struct whole_way *one, struct whole_way *two)
{
    const struct successor *successors = steps->successors;
    const size_t before[] = {one->count, two->count};
    const size_t maximum[] = {before[0] + one->way.left, before[1] + two->way.left};
    uint32_t *const numbers[] = {one->numbers, two->numbers};
    struct follower a = begin(&one->way, before[0]), b = begin(&two->way, before[1]);
    while (may_pass(steps, &one->way, &a, maximum[0]) &&
           may_pass(steps, &two->way, &b, maximum[1])) {
        a.word = bits_at(one->way.ranks, a.bit);
        b.word = bits_at(two->way.ranks, b.bit);
        for (unsigned i = 0; i < steps->at_once; i++) {
            pass(successors, &a, numbers[0]);
            pass(successors, &b, numbers[1]);
        }
    }
    end(&one->way, &a, before[0]);
    end(&two->way, &b, before[1]);
    one->count = a.count;
    two->count = b.count;
}

/* Follows one step. */
static uint32_t follow_one(const struct steps *steps, struct way *way)
{
    const struct successor step = way->step;
    if (--way->left == 0) return step.step; /* it has no rank */
    if (way->bits - way->bit < step.bits) {
        way->step = steps->successors[0];
        return step.step;
    }
    const uint32_t place = ((uint32_t)bits_at(way->ranks, way->bit) & step.mask) + step.first;
    way->step = steps->successors[place / HALVES];
    way->bit += step.bits;
    return step.step;
}

/* How many steps there are before one that is missing: all after it are missing, too. */
static size_t present(const uint32_t *numbers, size_t count)
{
    if (count && !numbers[count - 1])
        for (count = 0; numbers[count];) count++;
    return count;
}

size_t steps_follow(const struct steps *steps, struct way *way, uint32_t *numbers, size_t maximum)
{
    if (maximum > way->left) maximum = (size_t)way->left;
    size_t count = follow_words(steps, way, numbers, maximum);
    while (count < maximum) numbers[count++] = follow_one(steps, way);
    count = present(numbers, maximum);
    if (count < maximum) way->left = 0;
    return count;
}

static void finish(const struct steps *steps, struct whole_way *way)
{
    way->count += steps_follow(steps, &way->way, way->numbers + way->count, SIZE_MAX);
    way->count = present(way->numbers, way->count);
}

void steps_follow_all(const struct steps *steps, struct whole_way *ways, size_t count)
{
    struct whole_way *one = ways, *two = ways + 1;
    for (size_t next = 2; next <= count; next++) {
        follow_two(steps, one, two);
        struct whole_way **shorter = one->way.left < two->way.left ? &one : &two;
        finish(steps, *shorter);
        *shorter = ways + next;
    }
    for (size_t i = 0; i < count; i++) finish(steps, &ways[i]);
}
