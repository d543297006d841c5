/* SPDX-License-Identifier: MIT */
/*
 * omission.c: detects a side that omits instructions, and pairs the instructions that it has.
 *
 * Pairing is dynamic programming over a block of that side and a window of the other.  The cost of
 * skipping or pairing an instruction is its information in eighths of a bit, from the share of its
 * earlier occurrences that were skipped.  Values that differ add a small cost, so the pairing finds
 * the iteration that a sample comes from.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/hash_map.h"
#include "compare/compare.h"

enum {
    BLOCK = 64,         /* instructions of the side in one block */
    BLOCK_LARGE = 512,  /* block size where BLOCK does not suffice */
    SPAN_MINIMUM = 256, /* instructions of the other side in the window, added to the expected
                         * number */
    TALLIES = 1 << 16,
    BIT = 8, /* one bit in units of cost */
    COST_VALUE = 6 * BIT,
    COST_SIMILAR = 12 * BIT,
    COST_EXTRA = 16 * BIT, /* an instruction that only this side has */
};

/* The number of times that an instruction was paired and skipped. */
struct tally {
    uint64_t flow;
    uint32_t paired, skipped;
};
struct omission {
    unsigned side;
    enum omits omits;                /* what it may omit; anything else is a gap */
    bool begun;                      /* instructions were paired: the boot code is over */
    uint32_t stride;                 /* instructions of the other side for each of this side */
    uint64_t paired, skipped, mixed; /* instructions; mixed: skipped ones that were paired before */
    struct tally tallies[TALLIES];
    uint32_t *costs; /* two rows of the table, then the costs of skipping and of pairing */
    uint8_t *ways;
    size_t cost_capacity, way_capacity;
};
enum way { WAY_SKIP, WAY_EXTRA, WAY_PAIR };

/* ---- detection ---- */

/* An instruction and the one that follows it. */
struct successor {
    uint64_t flow, next;
    bool followed; /* `next` is set */
    bool several;
    bool hole; /* counted as a hole already */
    bool paired, skipped;
};

/* The instruction with what follows it; NULL if the trace does not have it. */
static struct successor *successor_of(const struct hash_map *table, uint64_t flow)
{
    return hash_map_find(table, flow, sizeof(struct successor));
}

/* Counts from pairing each instruction with the next equal one. */
struct probe {
    uint32_t matched, missed;
    uint32_t runs, skipped; /* runs of skipped instructions; all skipped instructions */
    uint32_t holes, places; /* runs where the side jumps and the other never does; distinct ones */
    uint32_t silent;        /* skipped instructions that write no register */
    uint32_t writing;       /* paired instructions that write a register */
    uint32_t never;         /* skipped instructions that are never paired */
};

static uint32_t omission_find_next(const struct symbols *full, uint32_t from, uint64_t flow)
{
    while (from < full->count && full->flow[from] != flow) from++;
    return from;
}

static void probe_pairs(const struct symbols *full, const struct symbols *part,
                        const struct hash_map *table, struct probe *probe)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < part->count && at < full->count; i++) {
        uint32_t found = omission_find_next(full, at, part->flow[i]);
        if (found == full->count) {
            if (++probe->missed * 16 > i + 16) return;
            continue;
        }
        if (found > at) {
            probe->runs++;
            probe->skipped += found - at;
            for (uint32_t j = at; j < found; j++) {
                struct successor *successor = successor_of(table, full->flow[j]);
                probe->silent += !full->writes[j];
                successor->skipped = true;
            }
            /* A hole: the side goes from one instruction to another and the other never does. */
            struct successor *hole = i ? successor_of(table, part->flow[i - 1]) : NULL;
            if (hole && hole->followed && !hole->several && hole->next != part->flow[i]) {
                probe->holes++;
                probe->places += !hole->hole;
                hole->hole = true;
            }
        }
        successor_of(table, part->flow[i])->paired = true;
        probe->writing += full->writes[found];
        probe->matched++;
        at = found + 1;
    }
    for (uint32_t i = 0; i < at; i++) {
        const struct successor *successor = successor_of(table, full->flow[i]);
        probe->never += successor->skipped && !successor->paired;
    }
}

int omission_side(const struct symbols sides[2], bool *out_of_memory)
{
    enum { PAIRS_MINIMUM = 16, DENSE = 12, DISTANCE = 64, FEW = 4 };
    for (unsigned side = 0; side < 2; side++) {
        const struct symbols *full = &sides[1 - side], *part = &sides[side];
        struct hash_map table = {0};
        struct probe probe = {0};
        for (uint32_t i = 0; i < full->count; i++) {
            bool added;
            struct successor *successor =
                hash_map_add(&table, full->flow[i], sizeof *successor, &added);
            if (!successor) {
                hash_map_free(&table);
                *out_of_memory = true;
                return -1;
            }
            if (i + 1 == full->count) break;
            if (!successor->followed) successor->next = full->flow[i + 1];
            successor->followed = true;
            successor->several |= successor->next != full->flow[i + 1];
        }
        probe_pairs(full, part, &table, &probe);
        hash_map_free(&table);
        /* The counts leave no explanation but omission: many holes close together; or only
         * instructions that write nothing are skipped; or holes that recur in the same places, as
         * in a log without one function.  An interrupt on one side only stands in another place
         * each time. */
        const uint64_t holes = probe.holes, matched = probe.matched;
        const bool pairs = matched >= PAIRS_MINIMUM && (uint64_t)probe.missed * 16 <= matched &&
                           holes * 4 >= (uint64_t)probe.runs * 3;
        const bool dense =
            holes >= DENSE && probe.places >= DENSE / 2 && holes * DISTANCE >= matched;
        const bool silent = holes >= 2 && probe.silent == probe.skipped &&
                            (uint64_t)probe.writing * 4 >= matched * 3;
        const bool fixed = holes >= FEW && holes >= 2 * (uint64_t)probe.places &&
                           (uint64_t)probe.never * 20 >= (uint64_t)probe.skipped * 19;
        if (pairs && (dense || silent || fixed)) return (int)side;
    }
    return -1;
}

/* ---- counts of pairs and skips ---- */

static struct tally *tally_of(struct omission *omission, uint64_t flow)
{
    struct tally *tally = &omission->tallies[hash_mix(0, flow) & (TALLIES - 1)];
    if (tally->flow != flow) *tally = (struct tally){.flow = flow};
    return tally;
}

static void omission_learn(struct omission *omission, uint64_t flow, bool paired)
{
    struct tally *tally = tally_of(omission, flow);
    if (tally->paired + tally->skipped == UINT32_MAX) return;
    omission->skipped += !paired;
    omission->paired += paired;
    omission->mixed += !paired && tally->paired;
    tally->paired += paired;
    tally->skipped += !paired;
}

struct omission *omission_new(unsigned side, const struct symbols sides[2], enum omits omits)
{
    struct omission *omission = calloc(1, sizeof *omission);
    const struct symbols *full = &sides[1 - side], *part = &sides[side];
    uint32_t at = 0, pairs = 0;
    if (!omission) return NULL;
    omission->side = side;
    omission->omits = omits;
    for (uint32_t i = 0; i < part->count && at < full->count; i++) {
        uint32_t found = omission_find_next(full, at, part->flow[i]);
        if (found == full->count) continue;
        for (; at < found; at++) omission_learn(omission, full->flow[at], false);
        omission_learn(omission, full->flow[at++], true);
        pairs++;
    }
    omission->stride = pairs ? at / pairs + 1 : 1;
    return omission;
}

void omission_free(struct omission *omission)
{
    if (!omission) return;
    free(omission->costs);
    free(omission->ways);
    free(omission);
}

unsigned omission_of(const struct omission *omission)
{
    return omission->side;
}

uint32_t omission_wants(const struct omission *omission)
{
    const uint32_t stride = omission->stride < UINT16_MAX ? omission->stride : UINT16_MAX;
    return 2 * BLOCK * stride + SPAN_MINIMUM;
}

bool omission_explains(const struct omission *omission, uint64_t flow)
{
    const struct tally *tally = &omission->tallies[hash_mix(0, flow) & (TALLIES - 1)];
    return tally->flow != flow || !tally->paired;
}

/* True if the side has an instruction at one time and omits it at another, as samples do. */
static bool omission_is_sampled(const struct omission *omission)
{
    enum { RARELY = 16 };
    return omission->mixed * RARELY > omission->skipped;
}

bool omission_explains_tail(const struct omission *omission, uint64_t count)
{
    enum { STRIDES = 4 };
    return omission_is_sampled(omission) && count <= STRIDES * (uint64_t)omission->stride;
}

static uint32_t omission_log2(uint64_t number)
{
    const unsigned whole = 63 - (unsigned)__builtin_clzll(number);
    const uint64_t part = whole < 3 ? number << (3 - whole) : number >> (whole - 3);
    return BIT * whole + (uint32_t)(part & (BIT - 1));
}

/* ---- pairing ---- */

/* The alignment of one block. */
struct block {
    const struct symbols *full, *part;
    const struct symbols *sides;
    bool swapped; /* the side that omits is on the left */
    uint32_t rows, span;
    uint32_t *above, *row, *skip, *pair;
    uint8_t *ways;
};

static void omission_fill_row(struct block *block, uint32_t row)
{
    uint8_t *ways = block->ways + (size_t)row * (block->span + 1);
    block->row[0] = row * COST_EXTRA;
    ways[0] = WAY_EXTRA;
    for (uint32_t column = 1; column <= block->span; column++) {
        uint32_t best = block->row[column - 1] + block->skip[column - 1];
        enum way way = WAY_SKIP;
        if (row) {
            const struct symbols *part = block->part, *full = block->full;
            const uint32_t i = row - 1, j = column - 1;
            uint32_t pair = UINT32_MAX;
            if (part->flow[i] == full->flow[j])
                pair = block->pair[j] + (part->whole[i] == full->whole[j] ? 0 : COST_VALUE);
            else if (pair_cost(block->sides, block->swapped ? i : j, block->swapped ? j : i) > 0)
                pair = COST_SIMILAR;
            const uint32_t extra = block->above[column] + COST_EXTRA;
            if (extra < best) best = extra, way = WAY_EXTRA;
            if (pair != UINT32_MAX && block->above[column - 1] + pair <= best)
                best = block->above[column - 1] + pair, way = WAY_PAIR;
        }
        block->row[column] = best;
        ways[column] = (uint8_t)way;
    }
}

/* Writes the steps from the beginning to the end, first to last, over the table's last rows;
 * returns their number. */
static size_t omission_trace_back(const struct block *block, uint32_t column, uint8_t *steps)
{
    size_t count = 0;
    for (uint32_t row = block->rows; row || column;) {
        const uint8_t way = block->ways[(size_t)row * (block->span + 1) + column];
        row -= way != WAY_SKIP;
        column -= way != WAY_EXTRA;
        steps[count++] = way;
    }
    for (size_t i = 0; i < count / 2; i++) {
        const uint8_t swapped = steps[i];
        steps[i] = steps[count - 1 - i];
        steps[count - 1 - i] = swapped;
    }
    return count;
}

/* Adds the instructions between two pairs: those that the side omits, those that are missing, and
 * those that only this side has. */
static bool omission_add_between(struct omission *omission, const struct symbols *full,
                                 uint32_t begin, uint32_t end, uint32_t extra,
                                 struct script *script)
{
    enum { OFTEN = 8, RARELY = 16 };
    bool missing = false; /* the side may not omit one of them, */
    const bool boot = !omission->begun && omission->omits;
    for (uint32_t i = begin; i < end && !boot; i++) {
        if (omission->omits == OMITS_NOTHING ||
            (omission->omits == OMITS_SILENT && full->writes[i])) {
            missing = true;
            continue;
        }
        /* or hardly ever does; a log of samples may omit any instruction */
        const struct tally *tally = tally_of(omission, full->flow[i]);
        missing |= !omission_is_sampled(omission) && tally->paired >= OFTEN &&
                   (uint64_t)tally->skipped * RARELY < tally->paired;
    }
    omission->begun = true;
    for (uint32_t i = begin; i < end && (!missing || omission->omits == OMITS_NOTHING); i++)
        omission_learn(omission, full->flow[i], false);
    const uint32_t skipped = end - begin;
    const bool left = omission->side == 0;
    const struct edit omitted = {.skip = {left ? 0 : skipped, left ? skipped : 0}, .omitted = true};
    if (!missing && skipped && !script_append(script, &omitted)) return false;
    const uint32_t gap = missing ? skipped : 0;
    return !(gap | extra) || script_add(script, left ? extra : gap, left ? gap : extra, 0);
}

/* Makes the script of the side's first `rows` instructions. */
static bool omission_make_script(struct omission *omission, const struct block *block,
                                 const uint8_t *steps, size_t count, uint32_t rows,
                                 struct script *script)
{
    uint32_t row = 0, column = 0, begin = 0, extra = 0;
    for (size_t i = 0; i < count && row < rows; i++) {
        if (steps[i] == WAY_PAIR) {
            if (!omission_add_between(omission, block->full, begin, column, extra, script) ||
                !script_add(script, 0, 0, 1))
                return false;
            omission_learn(omission, block->full->flow[column], true);
            extra = 0;
            begin = column + 1;
        }
        extra += steps[i] == WAY_EXTRA;
        row += steps[i] != WAY_SKIP;
        column += steps[i] != WAY_EXTRA;
    }
    return !extra || omission_add_between(omission, block->full, begin, begin, extra, script);
}

static enum omission_end omission_align_block(struct omission *omission, struct block *block,
                                              struct script *script)
{
    enum { WHOLE = 256, WEIGHT = 8 };
    const size_t width = (size_t)block->span + 1, ways = ((size_t)block->rows + 1) * width;
    if (4 * width > omission->cost_capacity) {
        free(omission->costs);
        omission->costs = malloc(4 * width * sizeof *omission->costs);
        omission->cost_capacity = omission->costs ? 4 * width : 0;
    }
    if (ways > omission->way_capacity) {
        free(omission->ways);
        omission->ways = malloc(ways);
        omission->way_capacity = omission->ways ? ways : 0;
    }
    if (!omission->costs || !omission->ways) return OMISSION_NO_MEMORY;
    block->above = omission->costs;
    block->row = block->above + width;
    block->skip = block->row + width;
    block->pair = block->skip + width;
    block->ways = omission->ways;
    /* The share of omitted instructions, in 256ths, counts as WEIGHT observations of each. */
    const uint64_t total = omission->skipped + omission->paired;
    const uint64_t share = (omission->skipped * (WHOLE - 2) + total / 2) / (total + 1) + 1;
    for (uint32_t i = 0; i < block->span; i++) {
        const struct tally *tally = tally_of(omission, block->full->flow[i]);
        const uint64_t paired = tally->paired, skipped = tally->skipped;
        const uint32_t bits = omission_log2(WHOLE * (paired + skipped + WEIGHT));
        block->skip[i] = bits - omission_log2(skipped * WHOLE + WEIGHT * share);
        block->pair[i] = bits - omission_log2(paired * WHOLE + WEIGHT * (WHOLE - share));
    }
    const bool ends = block->rows == block->part->count && block->part->complete &&
                      block->span == block->full->count && block->full->complete;
    /* Fills the table; returns the column where the cheapest path through all rows ends. */
    for (uint32_t row = 0; row <= block->rows; row++) {
        uint32_t *swapped = block->above;
        block->above = block->row;
        block->row = swapped;
        omission_fill_row(block, row);
    }
    uint32_t end = 0;
    for (uint32_t column = 1; column <= block->span; column++)
        if (block->row[column] < block->row[end]) end = column;
    if (ends && omission_is_sampled(omission)) end = block->span; /* the path ends at both ends */
    uint8_t *steps = malloc(width + block->rows);
    if (!steps) return OMISSION_NO_MEMORY;
    const size_t count = omission_trace_back(block, end, steps);
    uint32_t extra = 0, rows = 0, tail = 0; /* rows up to the last pair; instructions after it */
    for (size_t i = 0; i < count; i++) {
        tail += steps[i] == WAY_EXTRA;
        if (steps[i] != WAY_PAIR) continue;
        extra += tail;
        rows += tail + 1;
        tail = 0;
    }
    /* at the other side's end, no later pair is possible */
    const bool over = block->full->complete && block->span == block->full->count;
    if (!over) extra += tail;
    const bool cut = end == block->span && end < block->full->count;
    const bool all = block->rows == block->part->count && block->part->complete;
    const uint32_t taken = over && tail ? rows : all ? block->rows : block->rows / 2 + 1;
    enum omission_end result =
        !rows || extra * 4 > block->rows || cut ? OMISSION_NONE : OMISSION_FOUND;
    if (result == OMISSION_FOUND &&
        !omission_make_script(omission, block, steps, count, taken, script))
        result = OMISSION_NO_MEMORY;
    free(steps);
    return result;
}

enum omission_end omission_align(struct omission *omission, const struct symbols sides[2],
                                 bool begun, struct script *script)
{
    const struct symbols *full = &sides[1 - omission->side], *part = &sides[omission->side];
    omission->begun = begun;
    enum omission_end end = OMISSION_NONE;
    script_clear(script);
    for (uint32_t rows = BLOCK; rows <= BLOCK_LARGE && end == OMISSION_NONE; rows *= 8) {
        uint64_t span = (uint64_t)rows * 2 * omission->stride + SPAN_MINIMUM;
        for (bool last = false; end == OMISSION_NONE && !last; span *= 4) {
            last = span >= full->count;
            struct block block = {.full = full,
                                  .part = part,
                                  .sides = sides,
                                  .swapped = omission->side == 0,
                                  .rows = rows < part->count ? rows : part->count,
                                  .span = last ? full->count : (uint32_t)span};
            end = omission_align_block(omission, &block, script);
        }
    }
    return end;
}
