/* SPDX-License-Identifier: MIT */
/* spp.c: a prefetcher as a plug-in: the signature path prefetcher (Kim, Pugsley, Gratz, Reddy,
 * Wilkerson, Chishti, MICRO 2016), for a second level.  `spoor cache --plugin ./spp.so -l
 * l1d:48K,12,64 -l l2:512K,8,64,prefetch=spp -l llc:2M,16,64 TRACE`.
 *
 * The deltas of a page, in blocks, are compressed to a signature.  What delta follows a signature
 * is known with a confidence; the most likely one leads to the next signature, and so on, as long
 * as the product of the confidences, and of how often prefetches were useful, is high enough.  A
 * path that leaves its page is stored for the page where it continues. */
#include <spoor/plugin.h>

enum {
    PAGE_BITS = 12,
    PAGES = 256, /* whose signatures are known */
    TAG_BITS = 16,
    SIGNATURE_BITS = 12,
    SIGNATURE_SHIFT = 3,
    DELTA_BITS = 7, /* of them the sign */
    PATTERNS = 512,
    WAYS = 4,
    COUNTER_MAX = 15,
    FILTER_BITS = 10,
    FILTER_TAG_BITS = 6,
    USE_MAX = 1023,
    PATHS = 8, /* that left their page */
    CONFIDENCE_BITS = 8,
    CANDIDATES = 32, /* of one access */
};

enum { FILL, THRESHOLD };
static const struct spoor_component_key keys[] = {
    {"fill", "confidence, in percent, from which its own level is filled", 90, 1, 100},
    {"threshold", "confidence from which the level below is", 25, 1, 100},
    {NULL, NULL, 0, 0, 0},
};

struct spp {
    uint32_t block_bits, fill, threshold;
    uint32_t issued, useful; /* prefetches, halved from time to time */
    uint64_t uses;
    struct page {
        uint64_t used; /* 0: it is free */
        uint16_t tag, signature;
        uint8_t offset; /* the last block */
    } pages[PAGES];
    struct pattern {
        uint8_t count, counts[WAYS];
        int8_t deltas[WAYS];
    } patterns[PATTERNS];
    struct mark {
        uint8_t tag;
        bool prefetched, used;
    } filter[1 << FILTER_BITS];
    struct path {
        uint16_t signature;
        uint8_t confidence; /* 0: it is free */
        uint8_t offset;     /* where it continues */
        int8_t delta;
    } paths[PATHS];
};

static const char *spp_size(struct spoor_plugin_setup *setup)
{
    enum { OFFSET_BITS = 6, PAGE_ORDER_BITS = 8, COUNT_BITS = 4, USE_BITS = 10 };
    if (setup->block_bits < PAGE_BITS - OFFSET_BITS || setup->block_bits >= PAGE_BITS)
        return "blocks of 64 bytes or more, less than a page";
    setup->state_bytes = sizeof(struct spp);
    setup->storage_bits = PAGES * (1 + TAG_BITS + OFFSET_BITS + SIGNATURE_BITS + PAGE_ORDER_BITS) +
                          PATTERNS * (COUNT_BITS + WAYS * (COUNT_BITS + DELTA_BITS)) +
                          (1 << FILTER_BITS) * (FILTER_TAG_BITS + 2) + 2 * USE_BITS +
                          PATHS * (SIGNATURE_BITS + CONFIDENCE_BITS + OFFSET_BITS + DELTA_BITS);
    return NULL;
}

static const char *spp_create(void *state, struct spoor_plugin_setup *setup)
{
    struct spp *self = state;
    self->block_bits = setup->block_bits;
    self->fill = (uint32_t)setup->values[FILL];
    self->threshold = (uint32_t)setup->values[THRESHOLD];
    return NULL;
}

/* R. Jenkins' mix of 32 bits, then D. Knuth's multiplication. */
static uint64_t spp_hash(uint64_t key)
{
    key += key << 12;
    key ^= key >> 22;
    key += key << 4;
    key ^= key >> 9;
    key += key << 10;
    key ^= key >> 2;
    key += key << 7;
    key ^= key >> 12;
    return (key >> 3) * UINT64_C(2654435761);
}

static uint16_t spp_next_signature(uint16_t signature, int delta)
{
    const unsigned coded =
        delta < 0 ? (unsigned)-delta + (1u << (DELTA_BITS - 1)) : (unsigned)delta;
    return (uint16_t)((((unsigned)signature << SIGNATURE_SHIFT) ^ coded) &
                      ((1u << SIGNATURE_BITS) - 1));
}

static struct pattern *spp_pattern(struct spp *self, uint16_t signature)
{
    return &self->patterns[spp_hash(signature) % PATTERNS];
}

/* ---- learning ---- */

/* What follows a signature: one more of a delta, or a delta in the place of the rarest. */
static void spp_count_delta(struct spp *self, uint16_t signature, int delta)
{
    struct pattern *pattern = spp_pattern(self, signature);
    unsigned way = 0, rarest = 0;
    while (way < WAYS && pattern->deltas[way] != delta) way++;
    if (way < WAYS) {
        pattern->counts[way]++;
    } else {
        for (unsigned i = 1; i < WAYS; i++)
            if (pattern->counts[i] < pattern->counts[rarest]) rarest = i;
        pattern->deltas[rarest] = (int8_t)delta;
        pattern->counts[rarest] = 0;
    }
    if (++pattern->count <= COUNTER_MAX) return;
    pattern->count >>= 1;
    for (unsigned i = 0; i < WAYS; i++) pattern->counts[i] >>= 1;
}

/* A path that left its page. */
static void spp_store_path(struct spp *self, struct path path)
{
    struct path *weakest = &self->paths[0];
    for (unsigned i = 0; i < PATHS; i++) {
        if (self->paths[i].confidence && self->paths[i].offset == path.offset) {
            self->paths[i] = path;
            return;
        }
        if (self->paths[i].confidence < weakest->confidence) weakest = &self->paths[i];
    }
    *weakest = path;
}

/* The signature of a page that is not known: of the path that continues at the block, or 0. */
static uint16_t spp_first_signature(const struct spp *self, uint8_t offset)
{
    const struct path *surest = NULL;
    for (unsigned i = 0; i < PATHS; i++)
        if (self->paths[i].confidence && self->paths[i].offset == offset &&
            (!surest || self->paths[i].confidence > surest->confidence))
            surest = &self->paths[i];
    return surest ? spp_next_signature(surest->signature, surest->delta) : 0;
}

/* Learns from the access of a block; returns the signature of its page, 0 for a block that is
 * accessed again. */
static uint16_t spp_learn(struct spp *self, uint64_t address)
{
    const uint16_t tag = (uint16_t)(address >> PAGE_BITS & ((1u << TAG_BITS) - 1));
    const uint8_t offset = (uint8_t)((address & ((1u << PAGE_BITS) - 1)) >> self->block_bits);
    struct page *page = &self->pages[0];
    for (unsigned i = 0; i < PAGES; i++) {
        if (self->pages[i].used && self->pages[i].tag == tag) {
            page = &self->pages[i];
            break;
        }
        if (self->pages[i].used < page->used) page = &self->pages[i];
    }
    const bool known = page->used && page->tag == tag;
    page->used = ++self->uses;
    if (!known) {
        page->tag = tag;
        page->offset = offset;
        return page->signature = spp_first_signature(self, offset);
    }
    const int delta = offset - page->offset;
    if (delta == 0) return 0;
    if (page->signature) spp_count_delta(self, page->signature, delta);
    page->offset = offset;
    return page->signature = spp_next_signature(page->signature, delta);
}

/* ---- the filter ---- */

static struct mark *spp_mark(struct spp *self, uint64_t address, uint8_t *tag)
{
    const uint64_t hash = spp_hash(address >> self->block_bits);
    *tag = (uint8_t)(hash & ((1u << FILTER_TAG_BITS) - 1));
    return &self->filter[hash >> FILTER_TAG_BITS & ((1u << FILTER_BITS) - 1)];
}

static void spp_note_use(struct spp *self, uint64_t address)
{
    uint8_t tag;
    struct mark *mark = spp_mark(self, address, &tag);
    if (mark->tag != tag || mark->used) return;
    mark->used = true;
    self->useful += mark->prefetched;
}

/* Issues a prefetch unless the block was prefetched or used lately.  What goes to the level below
 * is not stored: it may become sure enough for this one. */
static void spp_issue(struct spp *self, uint64_t address, uint32_t confidence,
                      struct spoor_plugin_prefetches *prefetches)
{
    uint8_t tag;
    struct mark *mark = spp_mark(self, address, &tag);
    if ((mark->prefetched || mark->used) && mark->tag == tag) return;
    const bool here = confidence >= self->fill;
    spoor_plugin_prefetch(prefetches, address, !here);
    if (!here) return;
    *mark = (struct mark){.tag = tag, .prefetched = true};
    if (++self->issued <= USE_MAX) return;
    self->issued >>= 1;
    self->useful >>= 1;
}

/* ---- prefetching ---- */

static void spp_access(void *state, const struct spoor_plugin_access *access, bool miss, bool first,
                       struct spoor_plugin_prefetches *prefetches)
{
    struct spp *self = state;
    (void)miss, (void)first;
    const uint32_t accuracy = self->issued ? 100 * self->useful / self->issued : 0;
    uint16_t signature = spp_learn(self, access->address);
    spp_note_use(self, access->address);
    uint64_t base = access->address >> self->block_bits;
    uint32_t path_confidence = 100;
    bool follows = false; /* it is not the first step of the path */
    for (unsigned candidates = 0;; follows = true) {
        const struct pattern *pattern = spp_pattern(self, signature);
        uint32_t best_confidence = 0;
        int best = 0;
        for (unsigned way = 0; way < WAYS && pattern->count; way++) {
            const int delta = pattern->deltas[way];
            const uint32_t confidence =
                follows ? accuracy * pattern->counts[way] / pattern->count * path_confidence / 100
                        : 100u * pattern->counts[way] / pattern->count;
            if (confidence < self->threshold || candidates++ >= CANDIDATES) continue;
            if (confidence > best_confidence) {
                best_confidence = confidence;
                best = delta;
            }
            const uint64_t address = (base + (uint64_t)(int64_t)delta) << self->block_bits;
            if (address >> PAGE_BITS == access->address >> PAGE_BITS)
                spp_issue(self, address, confidence, prefetches);
            else
                spp_store_path(
                    self, (struct path){.signature = signature,
                                        .confidence = (uint8_t)confidence,
                                        .offset = (uint8_t)((address & ((1u << PAGE_BITS) - 1)) >>
                                                            self->block_bits),
                                        .delta = (int8_t)delta});
        }
        if (best_confidence == 0) return;
        path_confidence = best_confidence;
        base += (uint64_t)(int64_t)best;
        signature = spp_next_signature(signature, best);
    }
}

/* A prefetched block that was never used is gone. */
static void spp_fill(void *state, const struct spoor_plugin_access *access, const uint64_t *evicted,
                     struct spoor_plugin_prefetches *prefetches)
{
    struct spp *self = state;
    uint8_t tag;
    (void)access, (void)prefetches;
    if (!evicted) return;
    struct mark *mark = spp_mark(self, *evicted, &tag);
    if (mark->prefetched && !mark->used && self->useful) self->useful--;
    *mark = (struct mark){0};
}

static const struct spoor_plugin_prefetcher spp = {
    .design = {.name = "spp",
               .title = "paths of signatures of a page's deltas",
               .source = "Kim et al. 2016",
               .keys = keys,
               .size = spp_size,
               .create = spp_create},
    .access = spp_access,
    .fill = spp_fill,
};

static const struct spoor_plugin_prefetcher *const prefetchers[] = {&spp, NULL};
const struct spoor_plugin spoor_plugin_table = {SPOOR_PLUGIN_HEAD, .prefetchers = prefetchers};
