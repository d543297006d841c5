/* SPDX-License-Identifier: MIT */
/*
 * reduce.c: references by block, in chunks: a chunk keeps the first and the last use of each block,
 * so that memory is that of a chunk, and of what is packed.
 */
#include "sampling/reduce.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash_map.h"
#include "sampling/history_file.h"
#include "simulate/cache/block_run.h"

enum { CHUNK = 1 << 20 /* uses */ };

const struct reduced_kind reduced_kinds[SPOOR_REDUCED_KINDS] = {
    [SPOOR_REDUCED_USUAL] = {.line_bits = 6, .full = 512, .shape_count = 1, .shapes = {{6, 6, 8}}},
    [SPOOR_REDUCED_LARGE] = {.line_bits = 6, .full = 256, .shape_count = 1, .shapes = {{6, 6, 4}}},
    [SPOOR_REDUCED_SMALL] = {.line_bits = 6,
                             .full = 64,
                             .shape_count = 2,
                             .shapes = {{6, 5, 1}, {7, 4, 1}}},
    [SPOOR_REDUCED_UNIFIED] =
        {.line_bits = 6, .unified = true, .full = 512, .shape_count = 1, .shapes = {{6, 6, 8}}},
    [SPOOR_REDUCED_PAGES] =
        {.line_bits = 12,
         .full = 16,
         .shape_count = 5,
         .shapes = {{12, 2, 4}, {12, 4, 2}, {14, 2, 4}, {16, 2, 4}, {21, 2, 4}}},
};

/* A block that a set used; time 0: none. */
struct recent {
    uint64_t block, time;
};

/* A line of the chunk. */
struct node {
    uint64_t line;
    uint64_t kept;         /* the time of its last use that is kept */
    uint64_t waiting;      /* of a later use: the next one decides whether it is kept; 0: none */
    uint64_t last;         /* of its last use */
    uint32_t newer, older; /* lines in the order of their last uses */
    uint8_t op;            /* of the use that waits */
    bool wrote;            /* the use that is kept is a write */
    bool near;             /* among the `full` lines that were used last */
};

/* What the references to data use, or those to code; unified: all of them. */
struct side {
    struct hash_map places; /* of lines among the nodes */
    struct node *nodes;     /* from 1 on */
    size_t count, capacity;
    uint32_t newest, edge; /* edge: the oldest node that is near */
    uint32_t near_count;
    struct recent *recent[REDUCED_SHAPES]; /* of each set, one more than it has ways */
    bool wrote;                            /* the last use of all, of the newest line, is a write */
};

struct place {
    uint64_t line;
    uint32_t node;
};

struct reducer {
    const struct reduced_kind *kind;
    struct side sides[2]; /* data, code; unified: all, none */
    uint64_t time;        /* of the last use, from 1 */
    uint64_t chunk;       /* uses in the open chunk */
    struct history_use *kept;
    size_t kept_count, kept_capacity;
    struct history_lines lines; /* that were packed last */
    struct text packed;
    uint64_t uses; /* that are packed */
};

/* ---- starting and ending a chunk ---- */

static size_t recent_size(const struct reduced_shape *shape)
{
    return ((size_t)shape->ways + 1) << shape->set_bits;
}

/* The chunk has ended. */
static void clear_side(struct side *side, const struct reduced_kind *kind)
{
    hash_map_clear(&side->places, sizeof(struct place));
    side->count = 1;
    side->newest = side->edge = side->near_count = 0;
    for (size_t i = 0; i < kind->shape_count; i++)
        memset(side->recent[i], 0, recent_size(&kind->shapes[i]) * sizeof **side->recent);
}

static bool start_side(struct side *side, const struct reduced_kind *kind)
{
    if (!array_reserve(&side->nodes, &side->capacity, 1)) return false;
    for (size_t i = 0; i < kind->shape_count; i++) {
        side->recent[i] = calloc(recent_size(&kind->shapes[i]), sizeof **side->recent);
        if (!side->recent[i]) return false;
    }
    clear_side(side, kind);
    return true;
}

struct reducer *reducer_new(enum spoor_reduced kind)
{
    struct reducer *reducer = calloc(1, sizeof *reducer);
    if (!reducer) return NULL;
    reducer->kind = &reduced_kinds[kind];
    if (start_side(&reducer->sides[0], reducer->kind) &&
        start_side(&reducer->sides[1], reducer->kind))
        return reducer;
    reducer_free(reducer);
    return NULL;
}

void reducer_free(struct reducer *reducer)
{
    if (!reducer) return;
    for (size_t i = 0; i < 2; i++) {
        struct side *side = &reducer->sides[i];
        hash_map_free(&side->places);
        free(side->nodes);
        for (size_t shape = 0; shape < REDUCED_SHAPES; shape++) free(side->recent[shape]);
    }
    free(reducer->kept);
    text_free(&reducer->packed);
    free(reducer);
}

static bool keep(struct reducer *reducer, uint64_t time, uint64_t line, unsigned op)
{
    if (!array_reserve(&reducer->kept, &reducer->kept_capacity, reducer->kept_count + 1))
        return false;
    reducer->kept[reducer->kept_count++] =
        (struct history_use){time, line, (enum spoor_reference_op)op};
    return true;
}

static bool end_chunk(struct reducer *reducer)
{
    for (size_t i = 0; i < 2; i++) {
        struct side *side = &reducer->sides[i];
        for (size_t at = 1; at < side->count; at++) {
            const struct node *node = &side->nodes[at];
            if (node->waiting && !keep(reducer, node->waiting, node->line, node->op)) return false;
        }
        clear_side(side, reducer->kind);
    }
    if (reducer->kept_count)
        qsort(reducer->kept, reducer->kept_count, sizeof *reducer->kept, history_by_time);
    for (size_t i = 0; i < reducer->kept_count; i++)
        text_varint(&reducer->packed, history_pack_use(&reducer->lines, &reducer->kept[i]));
    reducer->uses += reducer->kept_count;
    reducer->kept_count = reducer->chunk = 0;
    return !reducer->packed.failed;
}

/* ---- uses ---- */

/* The node of a line; 0: memory ran out. */
static uint32_t node_of(struct side *side, uint64_t line, bool *added)
{
    struct place *place = hash_map_add(&side->places, line, sizeof *place, added);
    if (!place) return 0;
    if (!*added) return place->node;
    if (!array_reserve(&side->nodes, &side->capacity, side->count + 1)) return 0;
    side->nodes[side->count] = (struct node){.line = line};
    return place->node = (uint32_t)side->count++;
}

/* Uses a line in the order of last uses. */
static void make_newest(struct side *side, uint32_t full, uint32_t at)
{
    struct node *nodes = side->nodes, *node = &nodes[at];
    if (side->newest == at) return;
    if (side->edge == at) side->edge = node->newer;
    nodes[node->newer].older = node->older; /* node 0 stands for none, and may be written */
    nodes[node->older].newer = node->newer;
    node->newer = 0;
    node->older = side->newest;
    nodes[side->newest].newer = at;
    side->newest = at;
    if (node->near) return;
    node->near = true;
    if (side->near_count < full) {
        if (side->near_count++ == 0) side->edge = at;
    } else {
        nodes[side->edge].near = false;
        side->edge = nodes[side->edge].newer;
    }
}

/* What the caches that a reduction is exact for make of a use. */
struct finding {
    bool replaces; /* a cache of one way used another block since the one before */
    bool apart;    /* one of several ways used so many since the last one that is kept */
};

/* Uses a block of a set: of one more than the ways, the most recent first. */
static void use_set(struct recent *set, unsigned ways, struct recent use, uint64_t kept,
                    struct finding *finding)
{
    unsigned at = 0, others = 0;
    if (ways == 1) finding->replaces |= set->time == 0 || set->block != use.block;
    for (unsigned i = 0; ways > 1 && i <= ways && others < ways; i++)
        if (set[i].block != use.block && ++others == ways) finding->apart |= set[i].time > kept;
    while (at < ways && set[at].block != use.block) at++;
    memmove(set + 1, set, at * sizeof *set);
    *set = use;
}

static struct finding use_shapes(struct reducer *reducer, struct side *side, uint32_t at)
{
    struct finding finding = {0};
    const struct reduced_kind *kind = reducer->kind;
    struct node *node = &side->nodes[at];
    for (size_t i = 0; i < kind->shape_count; i++) {
        const struct reduced_shape *shape = &kind->shapes[i];
        const uint64_t block = node->line >> (shape->block_bits - kind->line_bits);
        const uint64_t set = block & ((UINT64_C(1) << shape->set_bits) - 1);
        use_set(side->recent[i] + set * (shape->ways + 1), shape->ways,
                (struct recent){block, reducer->time}, node->kept, &finding);
    }
    finding.apart |= side->near_count == kind->full && side->nodes[side->edge].last > node->kept;
    make_newest(side, kind->full, at);
    node->last = reducer->time;
    return finding;
}

/* Keeps the use that waits, if the caches need it before the use that comes. */
static bool keep_waiting(struct reducer *reducer, struct node *node, struct finding finding,
                         bool writes)
{
    const bool waits_to_write = node->op == SPOOR_REFERENCE_WRITE;
    const bool same_stay =
        writes && !finding.replaces; /* then this write modifies the block, too */
    if (!node->waiting) return true;
    if (!finding.apart && (!waits_to_write || node->wrote || same_stay)) return true;
    node->kept = node->waiting;
    node->wrote = waits_to_write;
    return keep(reducer, node->waiting, node->line, node->op);
}

static bool use_line(struct reducer *reducer, uint64_t line, unsigned op)
{
    const bool code = op == SPOOR_REFERENCE_FETCH && !reducer->kind->unified;
    struct side *side = &reducer->sides[code];
    const bool writes = op == SPOOR_REFERENCE_WRITE;
    bool added;
    reducer->time++;
    if (side->newest && side->nodes[side->newest].line == line && (!writes || side->wrote))
        return true;
    side->wrote = writes;
    if (++reducer->chunk > CHUNK && !end_chunk(reducer)) return false;
    const uint32_t at = node_of(side, line, &added);
    if (!at) return false;
    const struct finding finding = use_shapes(reducer, side, at);
    struct node *node = &side->nodes[at];
    if (!keep_waiting(reducer, node, finding, writes)) return false;
    node->op = (uint8_t)op;
    node->waiting = reducer->time;
    if (!added && !finding.replaces) return true;
    node->waiting = 0;
    node->kept = reducer->time;
    node->wrote = writes;
    return keep(reducer, reducer->time, line, op);
}

bool reducer_add(struct reducer *reducer, const struct spoor_reference *reference)
{
    struct block_run run =
        block_run_of(reference->address, reference->size, reducer->kind->line_bits);
    do
        if (!use_line(reducer, run.block, reference->op)) return false;
    while (block_run_next(&run));
    return true;
}

const struct text *reducer_pack(struct reducer *reducer, uint64_t *uses)
{
    if (!end_chunk(reducer)) return NULL;
    *uses = reducer->uses;
    return &reducer->packed;
}
