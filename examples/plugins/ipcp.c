/* SPDX-License-Identifier: MIT */
/* ipcp.c: a prefetcher as a plug-in: the bouquet of instruction pointers (Pakalapati and Panda,
 * ISCA 2020), its part for a first level.  `spoor cache --plugin ./ipcp.so -l
 * l1d:48K,12,64,prefetch=ipcp TRACE`.
 *
 * An instruction belongs to a class: it takes part in a stream that fills a region of 2 KB (global
 * stream), it has a constant stride, or a pattern of strides (complex); for the rest the next block
 * is asked for while misses are rare.  How far each class goes ahead depends on how often what it
 * asked for was used.  The part for a second level, which repeats what classes say, is not here. */
#include <spoor/plugin.h>

enum {
    PAGE_BITS = 12,
    BLOCK_BITS = 6,
    BLOCKS = 1 << (PAGE_BITS - BLOCK_BITS), /* of a page */
    TAG_BITS = 9,
    PAGE_HASH_BITS = 2,
    SIGNATURES = 128,
    REGIONS = 8,
    REGION_BLOCKS = 32,
    MIDDLE = 32, /* of a region's direction, from 0 to 64 */
    FILTER = 32, /* blocks asked for last */
    FILTER_BITS = 12,
    FAR_STREAM = 6,
    FAR = 3,
    EPOCH = 256,  /* fills of a class, after which it may go farther */
    MISSES = 256, /* after which their rate is looked at */
    RARE = 50,    /* misses per 1000 instructions */
    ASKED = FAR_STREAM + FAR + FAR + 1,
};
enum ipcp_class { NO_CLASS, STREAM, STRIDE, COMPLEX, NEXT, CLASSES };

enum { ENTRIES, DENSE, INSTRUCTIONS };
static const struct spoor_component_key keys[] = {
    {"entries", "instructions that are stored, a power of two", 64, 1, 65536},
    {"dense", "blocks of a region of 32, above which it is dense", 24, 0, 31},
    {"instructions", "for each access that it sees, for the rate of misses", 4, 1, 1000},
    {NULL, NULL, 0, 0, 0},
};

struct ipcp {
    uint64_t entry_count, dense, instructions;
    uint32_t set_count, ways, entry_bits;
    uint64_t accesses, misses;
    bool next_allowed; /* misses are rare */
    bool next_before;
    uint32_t degrees[CLASSES];
    uint64_t filled[CLASSES], useful[CLASSES]; /* prefetches */
    struct complex {
        int8_t stride;
        uint8_t confidence;
    } complexes[SIGNATURES];
    struct region {
        uint32_t blocks; /* a bit for each that was accessed */
        uint8_t number, direction, age;
        bool dense, tentative;
    } regions[REGIONS];
    uint16_t filter[FILTER]; /* a ring */
    uint64_t filter_count;
    struct instruction {
        uint16_t tag;
        uint8_t page, offset; /* the last */
        int8_t stride;
        uint8_t confidence, signature;
        bool valid, streams, up;
    } * instructions_known; /* after the marks */
    unsigned asked_count;
    struct mark {
        uint64_t block; /* its number, plus 1; 0: none */
        enum ipcp_class kind;
    } asked[ASKED], marks[]; /* of the last access; of prefetched blocks in the cache, by set */
};

static uint32_t ipcp_log2(uint64_t count)
{
    uint32_t bits = 0;
    while (UINT64_C(1) << bits < count) bits++;
    return bits;
}

static const char *ipcp_size(struct spoor_plugin_setup *setup)
{
    enum {
        /* tag, page, offset, stride, confidence, signature, valid, stream, its direction */
        ENTRY = TAG_BITS + PAGE_HASH_BITS + 6 + 7 + 2 + 7 + 3,
        PATTERN = 7 + 2,
        REGION = 3 + REGION_BLOCKS + 6 + 3 + 3,
        CLASS_BITS = 2,
        COUNTERS = 113, /* as the paper counts them */
    };
    const uint64_t entries = setup->values[ENTRIES], lines = setup->sets * setup->ways;
    if (entries & (entries - 1)) return "`entries` is a power of two";
    if (setup->block_bits != BLOCK_BITS) return "blocks of 64 bytes";
    setup->state_bytes =
        sizeof(struct ipcp) + lines * sizeof(struct mark) + entries * sizeof(struct instruction);
    setup->storage_bits = entries * ENTRY + SIGNATURES * PATTERN + REGIONS * REGION +
                          FILTER * FILTER_BITS + lines * CLASS_BITS + COUNTERS;
    return NULL;
}

static const char *ipcp_create(void *state, struct spoor_plugin_setup *setup)
{
    struct ipcp *self = state;
    self->entry_count = setup->values[ENTRIES];
    self->entry_bits = ipcp_log2(self->entry_count);
    self->dense = setup->values[DENSE];
    self->instructions = setup->values[INSTRUCTIONS];
    self->set_count = (uint32_t)setup->sets;
    self->ways = setup->ways;
    self->instructions_known = (struct instruction *)&self->marks[setup->sets * setup->ways];
    self->degrees[STREAM] = FAR_STREAM;
    self->degrees[STRIDE] = self->degrees[COMPLEX] = FAR;
    self->degrees[NEXT] = 1;
    for (unsigned i = 0; i < REGIONS; i++) self->regions[i].age = (uint8_t)i;
    return NULL;
}

/* ---- how good prefetches were ---- */

/* The mark of a prefetched block in the cache, or NULL. */
static struct mark *ipcp_mark(struct ipcp *self, uint64_t block, uint64_t wanted)
{
    struct mark *set = &self->marks[block % self->set_count * self->ways];
    for (uint32_t way = 0; way < self->ways; way++)
        if (set[way].block == wanted) return &set[way];
    return NULL;
}

static uint64_t ipcp_accuracy(const struct ipcp *self, enum ipcp_class kind)
{
    const uint64_t filled = self->filled[kind] / 2;
    return filled ? 100 * (self->useful[kind] / 2) / filled : 60;
}

static void ipcp_adapt(struct ipcp *self)
{
    for (enum ipcp_class kind = STREAM; kind <= COMPLEX; kind++) {
        if (self->filled[kind] % EPOCH != 0) continue;
        const uint64_t accuracy = ipcp_accuracy(self, kind);
        const uint32_t step = kind == STREAM ? 2 : 1, far = kind == STREAM ? FAR_STREAM : FAR;
        uint32_t *degree = &self->degrees[kind];
        if (accuracy > 75)
            *degree = *degree + step < far ? *degree + step : far;
        else if (accuracy < 40)
            *degree = *degree > step ? *degree - step : 1;
    }
}

/* ---- classes ---- */

static uint8_t ipcp_page_hash(uint64_t page)
{
    uint64_t hash = 0;
    for (; page; page >>= 6) hash ^= page;
    return hash & ((1u << PAGE_HASH_BITS) - 1);
}

static uint8_t ipcp_region_number(uint8_t page, uint8_t offset)
{
    return (uint8_t)(page << 1 | offset / REGION_BLOCKS);
}

static struct region *ipcp_region(struct ipcp *self, uint8_t number)
{
    for (unsigned i = 0; i < REGIONS; i++)
        if (self->regions[i].number == number) return &self->regions[i];
    return NULL;
}

/* Whether the instruction takes part in a stream.  A region that follows on a dense one is thought
 * dense.  Returns whether this one does. */
static bool ipcp_learn_stream(struct ipcp *self, struct instruction *instruction, uint8_t page,
                              uint8_t offset, int stride)
{
    const struct region *last =
        ipcp_region(self, ipcp_region_number(instruction->page, instruction->offset));
    const bool follows = last && last->dense;
    struct region *region = ipcp_region(self, ipcp_region_number(page, offset));
    if (!region) { /* the oldest gives its place */
        for (unsigned i = 0; i < REGIONS; i++)
            if (self->regions[i].age == REGIONS - 1)
                region = &self->regions[i];
            else
                self->regions[i].age++;
        *region = (struct region){
            .number = ipcp_region_number(page, offset), .direction = MIDDLE, .tentative = follows};
        return follows;
    }
    region->blocks |= UINT32_C(1) << offset % REGION_BLOCKS;
    if (region->direction == 0 || region->direction == 2 * MIDDLE) region->direction = MIDDLE;
    region->direction = (uint8_t)(region->direction + (stride > 0 ? 1 : -1));
    unsigned count = 0;
    for (uint32_t rest = region->blocks; rest; rest &= rest - 1) count++;
    if (count > self->dense) region->dense = true;
    if (follows) region->tentative = true;
    instruction->streams = region->dense || region->tentative;
    if (instruction->streams) instruction->up = region->direction > MIDDLE;
    return follows;
}

static uint8_t ipcp_confidence(bool right, uint8_t confidence)
{
    if (right) return confidence < 3 ? confidence + 1 : 3;
    return confidence > 0 ? confidence - 1 : 0;
}

static uint8_t ipcp_next_signature(uint8_t signature, int stride)
{
    const unsigned coded = stride < 0 ? (unsigned)-stride + BLOCKS : (unsigned)stride;
    return (uint8_t)(((unsigned)signature << 1 ^ coded) & (SIGNATURES - 1));
}

static void ipcp_learn_strides(struct ipcp *self, struct instruction *instruction, int stride)
{
    instruction->confidence =
        ipcp_confidence(stride == instruction->stride, instruction->confidence);
    if (instruction->confidence == 0) instruction->stride = (int8_t)stride;
    struct complex *complex = &self->complexes[instruction->signature];
    complex->confidence = ipcp_confidence(stride == complex->stride, complex->confidence);
    if (complex->confidence == 0) complex->stride = (int8_t)stride;
    instruction->signature = ipcp_next_signature(instruction->signature, stride);
}

/* ---- prefetching ---- */

/* Asks for a block unless it was asked for lately.  False: it is in another page. */
static bool ipcp_ask(struct ipcp *self, uint64_t from, int64_t delta, enum ipcp_class kind,
                     struct spoor_plugin_prefetches *prefetches)
{
    const uint64_t block = from + (uint64_t)delta;
    const uint16_t kept = block & ((1u << FILTER_BITS) - 1);
    if (block / BLOCKS != from / BLOCKS) return false;
    for (uint64_t i = 0; i < FILTER && i < self->filter_count; i++)
        if (self->filter[i] == kept) return true;
    self->filter[self->filter_count++ % FILTER] = kept;
    if (self->asked_count < ASKED)
        self->asked[self->asked_count++] = (struct mark){block + 1, kind};
    spoor_plugin_prefetch(prefetches, block << BLOCK_BITS, 0);
    return true;
}

/* The next block, from the second time on that nothing else is known. */
static void ipcp_ask_next(struct ipcp *self, uint64_t block,
                          struct spoor_plugin_prefetches *prefetches)
{
    if (!self->next_before)
        self->next_before = true;
    else if (ipcp_ask(self, block, 1, NEXT, prefetches) && ipcp_accuracy(self, NEXT) < 40)
        self->next_before = false;
}

static void ipcp_prefetch(struct ipcp *self, const struct instruction *instruction, uint64_t block,
                          bool follows, struct spoor_plugin_prefetches *prefetches)
{
    bool any = false; /* something was asked for, or would have been if not before */
    bool next_class = true;
    if (instruction->streams) {
        next_class = follows || self->degrees[STREAM] < 3;
        for (uint32_t i = 1; i <= self->degrees[STREAM]; i++, any = true)
            if (!ipcp_ask(self, block, instruction->up ? (int)i : -(int)i, STREAM, prefetches))
                break;
    }
    if (instruction->confidence > 1 && instruction->stride != 0 && next_class) {
        next_class = self->degrees[STRIDE] < 2;
        for (uint32_t i = 1; i <= self->degrees[STRIDE]; i++, any = true)
            if (!ipcp_ask(self, block, (int)i * instruction->stride, STRIDE, prefetches)) break;
    } else {
        next_class = true;
    }
    uint8_t signature = instruction->signature;
    int64_t delta = 0;
    for (uint32_t i = 0; next_class && i < self->degrees[COMPLEX]; i++) {
        const struct complex *complex = &self->complexes[signature];
        delta += complex->stride;
        if (complex->stride == 0 || (block + (uint64_t)delta) / BLOCKS != block / BLOCKS) break;
        if (complex->confidence > 0) any = ipcp_ask(self, block, delta, COMPLEX, prefetches);
        signature = ipcp_next_signature(signature, complex->stride);
    }
    if (!any && self->next_allowed) ipcp_ask_next(self, block, prefetches);
}

static void ipcp_access(void *state, const struct spoor_plugin_access *access, bool miss,
                        bool first, struct spoor_plugin_prefetches *prefetches)
{
    struct ipcp *self = state;
    if (!access->has_pc) return;
    const uint64_t block = access->address >> BLOCK_BITS;
    struct mark *mark = ipcp_mark(self, block, block + 1);
    if (mark) {
        if (!miss && first) self->useful[mark->kind]++;
        mark->block = 0;
    }
    self->asked_count = 0;
    self->accesses++;
    self->misses += miss;
    if (miss && self->misses % MISSES == 0)
        self->next_allowed = self->misses * 1000 <= RARE * self->accesses * self->instructions;
    ipcp_adapt(self);

    struct instruction *instruction =
        &self->instructions_known[access->pc & (self->entry_count - 1)];
    const uint16_t tag = access->pc >> self->entry_bits & ((1u << TAG_BITS) - 1);
    const uint8_t page = ipcp_page_hash(access->address >> PAGE_BITS), offset = block % BLOCKS;
    if (instruction->tag != tag) { /* it goes when it was not used since another one came */
        if (instruction->valid)
            instruction->valid = false;
        else
            *instruction =
                (struct instruction){.tag = tag, .page = page, .offset = offset, .valid = true};
        return;
    }
    instruction->valid = true;
    int stride = offset - instruction->offset;
    if (stride == 0) return;
    const bool follows = ipcp_learn_stream(self, instruction, page, offset, stride);
    if (page != instruction->page) stride += stride < 0 ? REGION_BLOCKS : -REGION_BLOCKS;
    ipcp_learn_strides(self, instruction, stride);
    ipcp_prefetch(self, instruction, block, follows, prefetches);
    instruction->page = page;
    instruction->offset = offset;
}

static void ipcp_fill(void *state, const struct spoor_plugin_access *access,
                      const uint64_t *evicted, struct spoor_plugin_prefetches *prefetches)
{
    struct ipcp *self = state;
    const uint64_t block = access->address >> BLOCK_BITS;
    struct mark *mark =
        evicted ? ipcp_mark(self, *evicted >> BLOCK_BITS, (*evicted >> BLOCK_BITS) + 1) : NULL;
    (void)prefetches;
    if (mark) mark->block = 0;
    for (unsigned i = 0; access->prefetch && i < self->asked_count; i++) {
        if (self->asked[i].block != block + 1) continue;
        self->filled[self->asked[i].kind]++;
        mark = ipcp_mark(self, block, 0);
        if (mark) *mark = self->asked[i];
        return;
    }
}

static const struct spoor_plugin_prefetcher ipcp = {
    .design = {.name = "ipcp",
               .title = "by classes of instructions: streams, strides, patterns of strides",
               .source = "Pakalapati and Panda 2020",
               .keys = keys,
               .size = ipcp_size,
               .create = ipcp_create},
    .access = ipcp_access,
    .fill = ipcp_fill,
};

static const struct spoor_plugin_prefetcher *const prefetchers[] = {&ipcp, NULL};
const struct spoor_plugin spoor_plugin_table = {SPOOR_PLUGIN_HEAD, .prefetchers = prefetchers};
