/* SPDX-License-Identifier: MIT */
/*
 * flame_folded.c: folded stacks, of each processor in the order of their bytes: a line is the
 * functions from the outermost on, separated by semicolons, and a number.
 *
 * Stacks may be deep and many, so their text is never held but in the output: contexts are compared
 * where their paths part, and a line begins with a copy of what it shares with the line before.
 * Where the text would be larger than LARGEST, calls beyond a depth become one frame, DEEPER_CALLS.
 */
#include <stdlib.h>

#include "base/portable.h"
#include "explore/profile.h"

enum { LARGEST = 32 << 20 };
static const char deeper[] = DEEPER_CALLS;

/* A frame of a row: its text, without semicolons. */
struct frame {
    size_t at;
    uint32_t size, rank; /* rows of the same text have the same rank */
};
struct folding {
    const struct spoor_profile *profile;
    const struct context *nodes;
    struct text names; /* of the frames */
    struct frame *frames;
    uint32_t *order; /* rows, to give them ranks */
    uint32_t *items; /* contexts that are shown */
    size_t count;
    size_t deepest;    /* frames of a line; a context that is shown beyond it is DEEPER_CALLS */
    uint64_t *amounts; /* of contexts beyond it that are shown: what all of their caller's ran */
    bool with_cpu;
    struct text out;
};

/* ---- frames ---- */

static int compare_bytes(const struct folding *folding, const struct frame *a,
                         const struct frame *b, bool a_ends, bool b_ends)
{
    const size_t common = a->size < b->size ? a->size : b->size;
    const int order = memcmp(folding->names.bytes + a->at, folding->names.bytes + b->at, common);
    if (order || a->size == b->size) return order;
    /* the longer one goes on with a byte, the other one ends or has a semicolon */
    const struct frame *longer = a->size > b->size ? a : b;
    const bool ends = longer == a ? b_ends : a_ends;
    const unsigned char next = (unsigned char)folding->names.bytes[longer->at + common];
    const int shorter_first = ends || next > ';' ? 1 : -1;
    return longer == a ? shorter_first : -shorter_first;
}

static int compare_frames(const void *left, const void *right, void *context)
{
    const struct folding *folding = context;
    return compare_bytes(folding, &folding->frames[*(const uint32_t *)left],
                         &folding->frames[*(const uint32_t *)right], true, true);
}

static void put_name(struct folding *folding, uint32_t row, struct frame *frame)
{
    struct text *names = &folding->names;
    frame->at = names->size;
    profile_put_frame(folding->profile, row, names);
    for (size_t i = frame->at; i < names->size; i++)
        if (names->bytes[i] == ';' || names->bytes[i] == '\n') names->bytes[i] = ':';
    frame->size = (uint32_t)(names->size - frame->at);
}

/* The text of all frames, and which are the same. */
static bool name_frames(struct folding *folding)
{
    const size_t rows = folding->profile->row_count;
    for (uint32_t i = 0; i < rows; i++) {
        put_name(folding, i, &folding->frames[i]);
        folding->order[i] = i;
    }
    if (folding->names.failed) return false;
    sort_items(folding->order, rows, sizeof *folding->order, compare_frames, folding);
    for (size_t i = 0; i < rows; i++) {
        const uint32_t row = folding->order[i];
        const bool same =
            i && compare_frames(&folding->order[i - 1], &folding->order[i], folding) == 0;
        folding->frames[row].rank =
            same ? folding->frames[folding->order[i - 1]].rank : (uint32_t)i;
    }
    return true;
}

static const struct frame *frame_of(const struct folding *folding, uint32_t node)
{
    if (folding->nodes[node].depth > folding->deepest)
        return &folding->frames[folding->profile->row_count];
    return &folding->frames[folding->profile->row_of[node]];
}

/* ---- stacks ---- */

static uint32_t climb(const struct folding *folding, uint32_t node, size_t depth)
{
    while (folding->nodes[node].depth > depth) node = folding->nodes[node].parent;
    return node;
}

/* Compares two stacks: where their paths part first, from the outermost function on. */
static int compare_stacks(const void *left, const void *right, void *context)
{
    const struct folding *folding = context;
    const struct context *nodes = folding->nodes;
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    const size_t depth = nodes[a].depth < nodes[b].depth ? nodes[a].depth : nodes[b].depth;
    uint32_t x = climb(folding, a, depth), y = climb(folding, b, depth);
    uint32_t part_x = NO_CONTEXT, part_y = NO_CONTEXT;
    for (; x != y && nodes[x].kind != CONTEXT_CPU; x = nodes[x].parent, y = nodes[y].parent) {
        if (frame_of(folding, x)->rank == frame_of(folding, y)->rank) continue;
        part_x = x;
        part_y = y;
    }
    if (x != y) return x < y ? -1 : 1; /* of two processors, which are numbered */
    if (part_x == NO_CONTEXT) return (nodes[a].depth > depth) - (nodes[b].depth > depth);
    return compare_bytes(folding, frame_of(folding, part_x), frame_of(folding, part_y), part_x == a,
                         part_y == b);
}

/* The line that is put: where each frame of its stack ends in the output. */
struct folded_line {
    uint32_t path[CONTEXTS_DEEPEST + 1];
    size_t begin, ends[CONTEXTS_DEEPEST + 1];
    size_t count;
};

static bool is_same(const struct folding *folding, uint32_t a, uint32_t b)
{
    return a == b || frame_of(folding, a)->rank == frame_of(folding, b)->rank;
}

static uint32_t root_of(const struct folding *folding, const struct folded_line *line)
{
    return folding->nodes[line->path[0]].parent;
}

/* Appends the frames that the line does not share with the one before. */
static void folded_put_frames(struct folding *folding, struct folded_line *line, size_t shared)
{
    struct text *out = &folding->out;
    if (shared == 0 && folding->with_cpu) profile_put_cpu(folding->profile, line->path[0], out);
    for (size_t i = shared; i < line->count; i++) {
        const struct frame *frame = frame_of(folding, line->path[i]);
        char *at = text_reserve(out, frame->size + 1);
        if (!at) return;
        if (i || folding->with_cpu) at = put_char(at, ';');
        text_commit(out, put_bytes(at, folding->names.bytes + frame->at, frame->size));
        line->ends[i] = out->size - line->begin;
    }
}

/* Appends the stack of a context. */
static void put_stack(struct folding *folding, uint32_t node, struct folded_line *line)
{
    struct text *out = &folding->out;
    uint32_t path[CONTEXTS_DEEPEST + 1] = {0};
    const size_t count = profile_path(folding->profile, node, path), before = line->begin;
    size_t shared = 0;
    if (line->count && root_of(folding, line) == folding->nodes[path[0]].parent)
        while (shared < count && shared < line->count &&
               is_same(folding, path[shared], line->path[shared]))
            shared++;
    memcpy(line->path, path, count * sizeof *path);
    line->count = count;
    line->begin = out->size;
    const size_t copied = shared ? line->ends[shared - 1] : 0;
    char *at = text_reserve(out, copied);
    if (at) text_commit(out, put_bytes(at, out->bytes + before, copied));
    folded_put_frames(folding, line, shared);
}

static void put_amount(struct folding *folding, uint64_t amount)
{
    enum { ENOUGH = 24 };
    char *at = text_reserve(&folding->out, ENOUGH);
    if (at) text_commit(&folding->out, put_char(put_decimal(put_char(at, ' '), amount), '\n'));
}

static bool put_all(struct folding *folding)
{
    struct folded_line *line = calloc(1, sizeof *line);
    uint32_t *items = folding->items;
    if (!line) return false;
    for (size_t i = 0; i < folding->count && !folding->out.failed;) {
        uint64_t amount = 0;
        const size_t first = i;
        put_stack(folding, items[i], line);
        for (; i < folding->count && compare_stacks(&items[first], &items[i], folding) == 0; i++)
            amount += folding->nodes[items[i]].depth > folding->deepest
                          ? folding->amounts[items[i]]
                          : profile_amount(folding->profile, &folding->nodes[items[i]].own);
        put_amount(folding, amount);
    }
    free(line);
    return true;
}

/* ---- the depth ---- */

/* The contexts that are shown, each for itself or for its caller at the greatest depth. */
struct cutting {
    size_t *sizes;    /* of the lines of contexts */
    uint32_t *within; /* the context itself, or its caller at that depth */
    bool *shown;      /* a line ends there */
};

/* The bytes of all lines at this depth. */
static size_t measure(const struct folding *folding, struct cutting *cutting, size_t deepest)
{
    const size_t count = folding->profile->contexts.count;
    size_t size = 0;
    memset(cutting->shown, 0, count);
    for (size_t i = 0; i < count; i++) {
        const struct context *node = &folding->nodes[i];
        const bool beyond = node->depth > deepest;
        const uint32_t within = beyond ? cutting->within[node->parent] : (uint32_t)i;
        cutting->within[i] = within;
        if (!profile_is_shown(folding->profile, i) || cutting->shown[within]) continue;
        cutting->shown[within] = true;
        size += cutting->sizes[within];
    }
    return size;
}

/* Replaces the contexts beyond the greatest depth by one for each caller. */
static bool cut(struct folding *folding, const struct cutting *cutting)
{
    const size_t count = folding->profile->contexts.count;
    uint32_t *deeper_of = calloc(count + 1, sizeof *deeper_of); /* of callers: item, + 1 */
    folding->amounts = calloc(count + 1, sizeof *folding->amounts);
    size_t kept = 0;
    for (size_t i = 0; i < folding->count && deeper_of && folding->amounts; i++) {
        const uint32_t item = folding->items[i], within = cutting->within[item];
        if (within == item) {
            folding->items[kept++] = item;
            continue;
        }
        uint32_t first = item;
        while (folding->nodes[first].parent != within) first = folding->nodes[first].parent;
        if (!deeper_of[within]) {
            folding->items[kept++] = first;
            deeper_of[within] = first + 1;
        }
        folding->amounts[deeper_of[within] - 1] +=
            profile_amount(folding->profile, &folding->nodes[item].own);
    }
    const bool good = deeper_of && folding->amounts;
    folding->count = kept;
    free(deeper_of);
    return good;
}

/* Chooses the depth, and names the frame of deeper calls. */
static bool choose_depth(struct folding *folding)
{
    const size_t count = folding->profile->contexts.count, rows = folding->profile->row_count;
    struct cutting cutting = {calloc(count + 1, sizeof *cutting.sizes),
                              calloc(count + 1, sizeof *cutting.within), calloc(count + 1, 1)};
    bool good = cutting.sizes && cutting.within && cutting.shown;
    for (size_t i = 0; i < count && good; i++)
        if (folding->profile->row_of[i] != NO_ROW)
            cutting.sizes[i] = cutting.sizes[folding->nodes[i].parent] +
                               folding->frames[folding->profile->row_of[i]].size + 1;
    while (good && folding->deepest > 1 && measure(folding, &cutting, folding->deepest) > LARGEST)
        folding->deepest /= 2;
    if (good && folding->deepest < CONTEXTS_DEEPEST) {
        folding->frames[rows] = (struct frame){
            .at = folding->names.size, .size = sizeof deeper - 1, .rank = (uint32_t)rows};
        text_puts(&folding->names, deeper);
        good = cut(folding, &cutting) && !folding->names.failed;
    }
    free(cutting.sizes);
    free(cutting.within);
    free(cutting.shown);
    return good;
}

static bool fold(struct folding *folding)
{
    const struct contexts *contexts = &folding->profile->contexts;
    size_t cpus = 0;
    folding->frames = calloc(folding->profile->row_count + 1, sizeof *folding->frames);
    folding->order = calloc(folding->profile->row_count + 1, sizeof *folding->order);
    folding->items = calloc(contexts->count + 1, sizeof *folding->items);
    if (!folding->frames || !folding->order || !folding->items || !name_frames(folding))
        return false;
    for (size_t i = 0; i < contexts->count; i++) {
        cpus += contexts->nodes[i].kind == CONTEXT_CPU;
        if (profile_is_shown(folding->profile, i)) folding->items[folding->count++] = (uint32_t)i;
    }
    folding->with_cpu = cpus > 1;
    if (!choose_depth(folding)) return false;
    sort_items(folding->items, folding->count, sizeof *folding->items, compare_stacks, folding);
    return put_all(folding);
}

char *spoor_profile_to_folded(const struct spoor_profile *profile, size_t *size)
{
    struct folding folding = {
        .profile = profile, .nodes = profile->contexts.nodes, .deepest = CONTEXTS_DEEPEST};
    if (!fold(&folding)) folding.out.failed = true;
    text_free(&folding.names);
    free(folding.frames);
    free(folding.order);
    free(folding.items);
    free(folding.amounts);
    return profile_hand_out(&folding.out, size);
}
