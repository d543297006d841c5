/* SPDX-License-Identifier: MIT */
/* bop.c: a prefetcher as a plug-in: the best offset (Michaud, HPCA 2016), for a second level.
 * `spoor cache --plugin ./bop.so -l l1d:48K,12,64 -l l2:512K,8,64,prefetch=bop TRACE`.
 *
 * Each miss, and the first use of each prefetched block, asks for the block `offset` blocks ahead.
 * Which offset that is, is learnt all the time: an offset gets a point if the block that it would
 * have asked from was requested lately, long enough ago for its prefetch to be complete.  Requests
 * that are complete are known by their fills. */
#include <spoor/plugin.h>

/* Up to 256, with no prime factor above 5. */
static const uint16_t offsets[] = {1,   2,   3,   4,   5,   6,   8,   9,   10,  12,  15,  16,  18,
                                   20,  24,  25,  27,  30,  32,  36,  40,  45,  48,  50,  54,  60,
                                   64,  72,  75,  80,  81,  90,  96,  100, 108, 120, 125, 128, 135,
                                   144, 150, 160, 162, 180, 192, 200, 216, 225, 240, 243, 250, 256};
enum { OFFSETS = sizeof offsets / sizeof *offsets, TAG_BITS = 12 };

enum { BITS, PAGE, SCORE, ROUNDS, BAD };
static const struct spoor_component_key keys[] = {
    {"bits", "log2 of the recent requests that are stored", 8, 1, 16},
    {"page", "log2 of the bytes of a page, which prefetches do not leave", 12, 6, 40},
    {"score", "the score that ends a phase of learning", 31, 1, 255},
    {"rounds", "rounds after which a phase ends", 100, 1, 65535},
    {"bad", "the score up to which the best offset is not used", 1, 0, 254},
    {NULL, NULL, 0, 0, 0},
};

struct bop {
    uint32_t block_bits, page_bits, bits;
    uint32_t score_end, rounds, bad;
    uint32_t offset; /* in use; 0: none is good */
    uint32_t tested; /* the offset whose turn it is */
    uint32_t round, best, best_score;
    uint32_t scores[OFFSETS];
    uint16_t tags[]; /* of recent requests, by the hash of their blocks */
};

static uint32_t bop_log2(uint64_t count)
{
    uint32_t bits = 0;
    while (UINT64_C(1) << bits < count) bits++;
    return bits;
}

/* The tags; of each offset its score; the best score; the tested, the best and the used offset, by
 * their places; and the round.  The bit of each block of the cache that says whether it was
 * prefetched, which other prefetchers need too, is not counted. */
static const char *bop_size(struct spoor_plugin_setup *setup)
{
    const uint64_t *values = setup->values;
    if (values[PAGE] < setup->block_bits) return "`page` is at least the size of a block";
    if (values[BAD] >= values[SCORE]) return "`bad` is less than `score`";
    const uint64_t entries = UINT64_C(1) << values[BITS];
    setup->state_bytes = sizeof(struct bop) + entries * sizeof(uint16_t);
    setup->storage_bits = entries * TAG_BITS + (OFFSETS + 1) * bop_log2(values[SCORE] + 1) +
                          3 * bop_log2(OFFSETS) + bop_log2(values[ROUNDS] + 1);
    return NULL;
}

static const char *bop_create(void *state, struct spoor_plugin_setup *setup)
{
    struct bop *self = state;
    self->block_bits = setup->block_bits;
    self->page_bits = (uint32_t)setup->values[PAGE] - setup->block_bits;
    self->bits = (uint32_t)setup->values[BITS];
    self->score_end = (uint32_t)setup->values[SCORE];
    self->rounds = (uint32_t)setup->values[ROUNDS];
    self->bad = (uint32_t)setup->values[BAD];
    self->offset = 1;
    return NULL;
}

static bool bop_same_page(const struct bop *self, uint64_t a, uint64_t b)
{
    return a >> self->page_bits == b >> self->page_bits;
}

static uint16_t *bop_place(struct bop *self, uint64_t block)
{
    return &self->tags[(block ^ block >> self->bits) & ((1u << self->bits) - 1)];
}

static uint16_t bop_tag(const struct bop *self, uint64_t block)
{
    return (uint16_t)(block >> self->bits & ((1u << TAG_BITS) - 1));
}

/* Tests one offset; after the last one, a round ends, and perhaps a phase. */
static void bop_learn(struct bop *self, uint64_t block)
{
    const uint64_t base = block - offsets[self->tested];
    if (bop_same_page(self, base, block) && *bop_place(self, base) == bop_tag(self, base)) {
        const uint32_t score = ++self->scores[self->tested];
        if (score >= self->best_score) {
            self->best_score = score;
            self->best = offsets[self->tested];
        }
    }
    if (++self->tested < OFFSETS) return;
    self->tested = 0;
    if (++self->round < self->rounds && self->best_score < self->score_end) return;
    self->offset = self->best_score > self->bad ? self->best : 0;
    self->round = self->best = self->best_score = 0;
    for (unsigned i = 0; i < OFFSETS; i++) self->scores[i] = 0;
}

static void bop_access(void *state, const struct spoor_plugin_access *access, bool miss, bool first,
                       struct spoor_plugin_prefetches *prefetches)
{
    struct bop *self = state;
    const uint64_t block = access->address >> self->block_bits;
    (void)miss;
    if (!first) return;
    bop_learn(self, block);
    const uint64_t ahead = block + self->offset;
    if (self->offset && bop_same_page(self, block, ahead))
        spoor_plugin_prefetch(prefetches, ahead << self->block_bits, 0);
}

/* A prefetch is complete: what asked for it is a recent request.  While none are made, so is what
 * demands fill. */
static void bop_fill(void *state, const struct spoor_plugin_access *access, const uint64_t *evicted,
                     struct spoor_plugin_prefetches *prefetches)
{
    struct bop *self = state;
    const uint64_t block = access->address >> self->block_bits, base = block - self->offset;
    (void)evicted, (void)prefetches;
    if (!access->prefetch && self->offset) return;
    if (bop_same_page(self, base, block)) *bop_place(self, base) = bop_tag(self, base);
}

static const struct spoor_plugin_prefetcher bop = {
    .design = {.name = "bop",
               .title = "the best offset, learnt from requests that are complete",
               .source = "Michaud 2016",
               .keys = keys,
               .size = bop_size,
               .create = bop_create},
    .access = bop_access,
    .fill = bop_fill,
};

static const struct spoor_plugin_prefetcher *const prefetchers[] = {&bop, NULL};
const struct spoor_plugin spoor_plugin_table = {SPOOR_PLUGIN_HEAD, .prefetchers = prefetchers};
