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
#include "profile/profile.h"

enum { LARGEST = 32 << 20 };
static const char deeper[] = DEEPER_CALLS;

/* A frame of a row: its text, without semicolons. */
struct frame {
    size_t at;
    uint32_t size, rank; /* rows of the same text have the same rank */
};
struct folded_stacks {
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

static int folded_compare_bytes(const struct folded_stacks *folded, const struct frame *a,
                                const struct frame *b, bool a_ends, bool b_ends)
{
    const size_t common = a->size < b->size ? a->size : b->size;
    const int order = memcmp(folded->names.bytes + a->at, folded->names.bytes + b->at, common);
    if (order || a->size == b->size) return order;
    /* the longer one goes on with a byte, the other one ends or has a semicolon */
    const struct frame *longer = a->size > b->size ? a : b;
    const bool ends = longer == a ? b_ends : a_ends;
    const unsigned char next = (unsigned char)folded->names.bytes[longer->at + common];
    const int shorter_first = ends || next > ';' ? 1 : -1;
    return longer == a ? shorter_first : -shorter_first;
}

static int folded_compare_frames(const void *left, const void *right, void *context)
{
    const struct folded_stacks *folded = context;
    return folded_compare_bytes(folded, &folded->frames[*(const uint32_t *)left],
                                &folded->frames[*(const uint32_t *)right], true, true);
}

/* The text of all frames, and which are the same. */
static bool folded_name_frames(struct folded_stacks *folded)
{
    const size_t rows = folded->profile->row_count;
    for (uint32_t i = 0; i < rows; i++) {
        struct frame *frame = &folded->frames[i];
        struct text *names = &folded->names;
        frame->at = names->size;
        profile_put_frame(folded->profile, i, names);
        for (size_t j = frame->at; j < names->size; j++)
            if (names->bytes[j] == ';' || names->bytes[j] == '\n') names->bytes[j] = ':';
        frame->size = (uint32_t)(names->size - frame->at);
        folded->order[i] = i;
    }
    if (folded->names.failed) return false;
    sort_items(folded->order, rows, sizeof *folded->order, folded_compare_frames, folded);
    for (size_t i = 0; i < rows; i++) {
        const uint32_t row = folded->order[i];
        const bool same =
            i && folded_compare_frames(&folded->order[i - 1], &folded->order[i], folded) == 0;
        folded->frames[row].rank = same ? folded->frames[folded->order[i - 1]].rank : (uint32_t)i;
    }
    return true;
}

static const struct frame *folded_frame(const struct folded_stacks *folded, uint32_t node)
{
    if (folded->nodes[node].depth > folded->deepest)
        return &folded->frames[folded->profile->row_count];
    return &folded->frames[folded->profile->row_of[node]];
}

/* ---- stacks ---- */

/* Compares two stacks: where their paths part first, from the outermost function on. */
static int folded_compare_stacks(const void *left, const void *right, void *context)
{
    const struct folded_stacks *folded = context;
    const struct context *nodes = folded->nodes;
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    const size_t depth = nodes[a].depth < nodes[b].depth ? nodes[a].depth : nodes[b].depth;
    uint32_t x = a, y = b;
    while (nodes[x].depth > depth) x = nodes[x].parent;
    while (nodes[y].depth > depth) y = nodes[y].parent;
    uint32_t part_x = NO_CONTEXT, part_y = NO_CONTEXT;
    for (; x != y && nodes[x].kind != CONTEXT_CPU; x = nodes[x].parent, y = nodes[y].parent) {
        if (folded_frame(folded, x)->rank == folded_frame(folded, y)->rank) continue;
        part_x = x;
        part_y = y;
    }
    if (x != y) return x < y ? -1 : 1; /* of two processors, which are numbered */
    if (part_x == NO_CONTEXT) return (nodes[a].depth > depth) - (nodes[b].depth > depth);
    return folded_compare_bytes(folded, folded_frame(folded, part_x), folded_frame(folded, part_y),
                                part_x == a, part_y == b);
}

/* The line that is put: where each frame of its stack ends in the output. */
struct folded_line {
    uint32_t path[CONTEXTS_DEEPEST + 1];
    size_t begin, ends[CONTEXTS_DEEPEST + 1];
    size_t count;
};

/* Appends the stack of a context. */
static void folded_put_stack(struct folded_stacks *folded, uint32_t node, struct folded_line *line)
{
    struct text *out = &folded->out;
    uint32_t path[CONTEXTS_DEEPEST + 1] = {0};
    const size_t count = profile_path(folded->profile, node, path), before = line->begin;
    size_t shared = 0;
    if (line->count && (folded->nodes[line->path[0]].parent) == folded->nodes[path[0]].parent)
        while (shared < count && shared < line->count &&
               folded_frame(folded, path[shared])->rank ==
                   folded_frame(folded, line->path[shared])->rank)
            shared++;
    memcpy(line->path, path, count * sizeof *path);
    line->count = count;
    line->begin = out->size;
    const size_t copied = shared ? line->ends[shared - 1] : 0;
    char *at = text_reserve(out, copied);
    if (at) text_commit(out, put_bytes(at, out->bytes + before, copied));
    if (shared == 0 && folded->with_cpu) profile_put_cpu(folded->profile, line->path[0], out);
    for (size_t i = shared; i < count; i++) {
        const struct frame *frame = folded_frame(folded, path[i]);
        at = text_reserve(out, frame->size + 1);
        if (!at) return;
        if (i || folded->with_cpu) at = put_char(at, ';');
        text_commit(out, put_bytes(at, folded->names.bytes + frame->at, frame->size));
        line->ends[i] = out->size - line->begin;
    }
}

/* ---- the depth ---- */

/* The contexts that are shown, each for itself or for its caller at the greatest depth. */
struct depth_cut {
    size_t *sizes;    /* of the lines of contexts */
    uint32_t *within; /* the context itself, or its caller at that depth */
    bool *shown;      /* a line ends there */
};

/* The bytes of all lines at this depth. */
static size_t folded_measure(const struct folded_stacks *folded, struct depth_cut *cut,
                             size_t deepest)
{
    const size_t count = folded->profile->contexts.count;
    size_t size = 0;
    memset(cut->shown, 0, count);
    for (size_t i = 0; i < count; i++) {
        const struct context *node = &folded->nodes[i];
        const bool beyond = node->depth > deepest;
        const uint32_t within = beyond ? cut->within[node->parent] : (uint32_t)i;
        cut->within[i] = within;
        if (!profile_is_shown(folded->profile, i) || cut->shown[within]) continue;
        cut->shown[within] = true;
        size += cut->sizes[within];
    }
    return size;
}

/* Chooses the depth, and names the frame of deeper calls. */
static bool folded_choose_depth(struct folded_stacks *folded)
{
    const size_t count = folded->profile->contexts.count, rows = folded->profile->row_count;
    struct depth_cut cut = {calloc(count + 1, sizeof *cut.sizes),
                            calloc(count + 1, sizeof *cut.within), calloc(count + 1, 1)};
    bool good = cut.sizes && cut.within && cut.shown;
    for (size_t i = 0; i < count && good; i++)
        if (folded->profile->row_of[i] != NO_ROW)
            cut.sizes[i] = cut.sizes[folded->nodes[i].parent] +
                           folded->frames[folded->profile->row_of[i]].size + 1;
    while (good && folded->deepest > 1 && folded_measure(folded, &cut, folded->deepest) > LARGEST)
        folded->deepest /= 2;
    if (good && folded->deepest < CONTEXTS_DEEPEST) {
        folded->frames[rows] = (struct frame){
            .at = folded->names.size, .size = sizeof deeper - 1, .rank = (uint32_t)rows};
        text_puts(&folded->names, deeper);
        /* one context for all beyond the greatest depth of each caller */
        uint32_t *deeper_of = calloc(count + 1, sizeof *deeper_of); /* of callers: item, + 1 */
        folded->amounts = calloc(count + 1, sizeof *folded->amounts);
        good = deeper_of && folded->amounts && !folded->names.failed;
        size_t kept = 0;
        for (size_t i = 0; i < folded->count && good; i++) {
            const uint32_t item = folded->items[i], within = cut.within[item];
            if (within == item) {
                folded->items[kept++] = item;
                continue;
            }
            uint32_t first = item;
            while (folded->nodes[first].parent != within) first = folded->nodes[first].parent;
            if (!deeper_of[within]) {
                folded->items[kept++] = first;
                deeper_of[within] = first + 1;
            }
            folded->amounts[deeper_of[within] - 1] +=
                profile_amount(folded->profile, &folded->nodes[item].own);
        }
        folded->count = kept;
        free(deeper_of);
    }
    free(cut.sizes);
    free(cut.within);
    free(cut.shown);
    return good;
}

/* What a line states of a context. */
static uint64_t folded_amount(const struct folded_stacks *folded, uint32_t node)
{
    return folded->nodes[node].depth > folded->deepest
               ? folded->amounts[node]
               : profile_amount(folded->profile, &folded->nodes[node].own);
}

/* Those that ran most themselves come first; of equal ones, the first of the profile. */
static int folded_compare_amounts(const void *left, const void *right, void *context)
{
    const struct folded_stacks *folded = context;
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    const uint64_t of_a = folded_amount(folded, a), of_b = folded_amount(folded, b);
    if (of_a != of_b) return of_a < of_b ? 1 : -1;
    return (a > b) - (a < b);
}

char *spoor_profile_to_folded(const struct spoor_profile *profile, size_t *size)
{
    return spoor_profile_hottest_to_folded(profile, SIZE_MAX, size);
}

char *spoor_profile_hottest_to_folded(const struct spoor_profile *profile, size_t maximum,
                                      size_t *size)
{
    const struct contexts *contexts = &profile->contexts;
    struct folded_stacks folded = {
        .profile = profile,
        .nodes = contexts->nodes,
        .deepest = CONTEXTS_DEEPEST,
        .frames = calloc(profile->row_count + 1, sizeof *folded.frames),
        .order = calloc(profile->row_count + 1, sizeof *folded.order),
        .items = calloc(contexts->count + 1, sizeof *folded.items),
    };
    struct folded_line *line = calloc(1, sizeof *line);
    size_t cpus = 0;
    bool good =
        folded.frames && folded.order && folded.items && line && folded_name_frames(&folded);
    for (size_t i = 0; i < contexts->count && good; i++) {
        cpus += contexts->nodes[i].kind == CONTEXT_CPU;
        if (profile_is_shown(profile, i)) folded.items[folded.count++] = (uint32_t)i;
    }
    folded.with_cpu = cpus > 1;
    good = good && folded_choose_depth(&folded);
    uint32_t *items = folded.items;
    if (good && folded.count > maximum) {
        sort_items(items, folded.count, sizeof *items, folded_compare_amounts, &folded);
        folded.count = maximum;
    }
    if (good) sort_items(items, folded.count, sizeof *items, folded_compare_stacks, &folded);
    for (size_t i = 0; i < folded.count && good && !folded.out.failed;) {
        uint64_t amount = 0;
        const size_t first = i;
        folded_put_stack(&folded, items[i], line);
        for (; i < folded.count && folded_compare_stacks(&items[first], &items[i], &folded) == 0;
             i++)
            amount += folded_amount(&folded, items[i]);
        enum { ENOUGH = 24 };
        char *at = text_reserve(&folded.out, ENOUGH);
        if (at) text_commit(&folded.out, put_char(put_decimal(put_char(at, ' '), amount), '\n'));
    }
    folded.out.failed |= !good;
    free(line);
    text_free(&folded.names);
    free(folded.frames);
    free(folded.order);
    free(folded.items);
    free(folded.amounts);
    return text_hand_out(&folded.out, size);
}
