/* SPDX-License-Identifier: MIT */
/*
 * profile_rows.c: from contexts to functions: a function's own amounts are the sum over its
 * contexts; what it ran with all that it called is the sum over its outermost ones, so that
 * recursion counts once.  profile_sites.c does the same for lines, files, addresses and opcodes.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash_map.h"
#include "base/portable.h"
#include "profile/profile.h"

/* The meaning of a number; + 1, 0: none yet. */
struct row_number {
    uint64_t key;
    size_t value;
};

static size_t *profile_row_slot(struct hash_map *map, uint64_t key)
{
    bool added;
    struct row_number *item = hash_map_add(map, key, sizeof *item, &added);
    return item ? &item->value : NULL;
}

/* ---- callers and callees, and what is inclusive ---- */

uint32_t profile_edge(struct spoor_profile *profile, struct hash_map *map, uint32_t caller,
                      uint32_t callee)
{
    size_t *value = profile_row_slot(map, (uint64_t)caller << 32 | callee);
    if (!value) return NO_ROW;
    if (!*value) {
        *value = ++profile->edge_count;
        profile->edges[*value - 1] = (struct profile_edge){.caller = caller, .callee = callee};
    }
    return (uint32_t)(*value - 1);
}

static void profile_leave(struct descent *descent, uint32_t node)
{
    const uint32_t row = descent->profile->row_of[node], edge = descent->edge_of[node];
    if (row != NO_ROW) descent->open_rows[row]--;
    if (edge != NO_ROW) descent->open_edges[edge]--;
}

/* All contexts below the roots, each entered before and left after those that it calls. */
void profile_descend(struct descent *descent)
{
    struct spoor_profile *profile = descent->profile;
    const struct contexts *contexts = &profile->contexts;
    const struct context *nodes = contexts->nodes;
    for (uint32_t root = 0; root < contexts->count; root++) {
        uint32_t at = root;
        if (nodes[root].kind != CONTEXT_CPU) continue;
        for (;;) {
            const uint32_t row = profile->row_of[at], edge = descent->edge_of[at];
            const uint64_t total = profile->totals[at];
            if (row != NO_ROW && descent->open_rows[row]++ == 0)
                profile->rows[row].inclusive += total;
            if (edge != NO_ROW && descent->open_edges[edge]++ == 0)
                profile->edges[edge].inclusive += total;
            if (descent->inside) descent->inside(descent, at, descent->context);
            if (nodes[at].first_child != NO_CONTEXT) {
                at = nodes[at].first_child;
                continue;
            }
            profile_leave(descent, at);
            while (at != root && nodes[at].next_sibling == NO_CONTEXT) {
                at = nodes[at].parent;
                profile_leave(descent, at);
            }
            if (at == root) break;
            at = nodes[at].next_sibling;
        }
    }
}

bool profile_descent_new(struct descent *descent, struct spoor_profile *profile)
{
    const size_t contexts = profile->contexts.count;
    *descent = (struct descent){.profile = profile};
    descent->edge_of = malloc((contexts + 1) * sizeof *descent->edge_of);
    descent->open_rows = calloc(profile->row_count + 1, sizeof *descent->open_rows);
    descent->open_edges = calloc(contexts + 1, sizeof *descent->open_edges);
    for (size_t i = 0; i < contexts && descent->edge_of; i++) descent->edge_of[i] = NO_ROW;
    return descent->edge_of && descent->open_rows && descent->open_edges;
}

void profile_descent_free(struct descent *descent)
{
    free(descent->edge_of);
    free(descent->open_rows);
    free(descent->open_edges);
}

void profile_sum_up(const struct contexts *contexts, uint64_t *totals)
{
    for (size_t i = contexts->count; i-- > 0;) {
        const uint32_t parent = contexts->nodes[i].parent;
        if (parent != NO_CONTEXT) totals[parent] += totals[i];
    }
}

/* ---- order ---- */

static int profile_compare_numbers(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int profile_compare_row_numbers(const void *left, const void *right, void *context)
{
    const struct spoor_profile *profile = context;
    const struct spoor_profile_row *a = &profile->rows[*(const uint32_t *)left];
    const struct spoor_profile_row *b = &profile->rows[*(const uint32_t *)right];
    int order = 0;
    switch (profile->options.sort) {
    case SPOOR_PROFILE_BY_INCLUSIVE:
        order = profile_compare_numbers(b->inclusive, a->inclusive);
        break;
    case SPOOR_PROFILE_BY_CALLS: order = profile_compare_numbers(b->calls, a->calls); break;
    case SPOOR_PROFILE_BY_NAME:
        order = strcmp(a->name ? a->name : "", b->name ? b->name : "");
        if (!order) order = profile_compare_numbers(a->address, b->address);
        break;
    default: break;
    }
    if (!order) order = profile_compare_numbers(b->exclusive, a->exclusive);
    if (!order) order = profile_compare_numbers(b->inclusive, a->inclusive);
    if (!order) order = profile_compare_numbers(a->address, b->address);
    if (!order) order = a->exception - b->exception;
    return order || !a->name || !b->name ? order : strcmp(a->name, b->name);
}

static int profile_compare_edges(const void *left, const void *right)
{
    const struct profile_edge *a = left, *b = right;
    int order = profile_compare_numbers(b->inclusive, a->inclusive);
    if (!order) order = profile_compare_numbers(b->calls, a->calls);
    if (!order) order = profile_compare_numbers(a->caller, b->caller);
    return order ? order : profile_compare_numbers(a->callee, b->callee);
}

bool profile_sort(struct spoor_profile *profile)
{
    uint32_t *renumbered = calloc(profile->row_count + 1, sizeof *renumbered);
    uint32_t *order = malloc((profile->row_count + 1) * sizeof *order);
    const bool good = renumbered && order;
    size_t kept = 0, empty = profile->row_count; /* empty: of stubs; they come last, and go */
    for (uint32_t i = 0; i < profile->row_count && good; i++) {
        const struct spoor_profile_row *row = &profile->rows[i];
        const bool is_empty = !row->calls && !row->inclusive && !row->exclusive;
        order[is_empty ? --empty : kept++] = i;
        renumbered[i] = NO_ROW;
    }
    if (good) {
        sort_items(order, kept, sizeof *order, profile_compare_row_numbers, profile);
        for (size_t i = 0; i < kept; i++) renumbered[order[i]] = (uint32_t)i;
        for (size_t i = 0; i < profile->contexts.count; i++)
            if (profile->row_of[i] != NO_ROW) profile->row_of[i] = renumbered[profile->row_of[i]];
        size_t edges = 0;
        for (size_t i = 0; i < profile->edge_count; i++) {
            struct profile_edge edge = profile->edges[i];
            edge.caller = renumbered[edge.caller];
            edge.callee = renumbered[edge.callee];
            if (edge.caller != NO_ROW && edge.callee != NO_ROW && (edge.calls || edge.inclusive))
                profile->edges[edges++] = edge;
        }
        profile->edge_count = edges;
        if (edges) qsort(profile->edges, edges, sizeof *profile->edges, profile_compare_edges);
        /* in place: row order[i] comes to i; what `order` has is lost */
        struct spoor_profile_row *rows = profile->rows;
        for (size_t i = 0; i < profile->row_count; i++) {
            const struct spoor_profile_row first = rows[i];
            size_t hole = i;
            while (order[hole] != i) {
                const size_t from = order[hole];
                rows[hole] = rows[from];
                order[hole] = (uint32_t)hole;
                hole = from;
            }
            rows[hole] = first;
            order[hole] = (uint32_t)hole;
        }
        profile->row_count = kept;
    }
    free(order);
    free(renumbered);
    return good;
}

bool profile_make_functions(struct spoor_profile *profile)
{
    const struct contexts *contexts = &profile->contexts;
    profile->rows = calloc(contexts->count + 1, sizeof *profile->rows);
    if (!profile->rows) return false;
    for (size_t i = 0; i < contexts->count; i++)
        profile->totals[i] = profile_amount(profile, &contexts->nodes[i].own);
    profile_sum_up(contexts, profile->totals);
    /* functions and handlers are numbered in the order in which their first contexts came */
    struct hash_map functions = {0}, handlers = {0};
    bool good = true;
    for (size_t i = 0; i < contexts->count && good; i++) {
        const struct context *node = &contexts->nodes[i];
        profile->row_of[i] = NO_ROW;
        if (node->kind == CONTEXT_CPU) continue;
        const bool handles = node->kind == CONTEXT_EXCEPTION;
        size_t *value = profile_row_slot(handles ? &handlers : &functions, node->function);
        good = value != NULL;
        if (!good) break;
        if (!*value) {
            *value = ++profile->row_count;
            profile->rows[*value - 1] =
                (struct spoor_profile_row){.name = node->function == CONTEXTS_OTHERS   ? "(others)"
                                                   : node->function == CONTEXTS_UNSEEN ? "(handler)"
                                                                                       : NULL,
                                           .address = node->function,
                                           .exception = handles,
                                           .located = node->function != CONTEXTS_UNSEEN};
        }
        struct spoor_profile_row *row = &profile->rows[*value - 1];
        profile->row_of[i] = (uint32_t)(*value - 1);
        row->calls += node->calls;
        row->unreturned += node->calls - node->returned;
        row->exclusive += profile_amount(profile, &node->own);
    }
    hash_map_free(&functions);
    hash_map_free(&handlers);
    if (!good) return false;
    struct descent descent;
    struct hash_map map = {0};
    good = profile_descent_new(&descent, profile);
    for (size_t i = 0; i < contexts->count && good; i++) {
        const struct context *node = &contexts->nodes[i];
        if (node->kind == CONTEXT_CPU || profile->row_of[node->parent] == NO_ROW) continue;
        const uint32_t edge =
            profile_edge(profile, &map, profile->row_of[node->parent], profile->row_of[i]);
        good = edge != NO_ROW;
        descent.edge_of[i] = edge;
        if (good) profile->edges[edge].calls += node->calls;
    }
    hash_map_free(&map);
    if (good) profile_descend(&descent);
    profile_descent_free(&descent);
    for (size_t i = 0; i < profile->row_count && profile->options.images; i++) {
        struct spoor_profile_row *row = &profile->rows[i];
        struct spoor_place place = {.struct_size = sizeof place};
        if (!row->located || !spoor_images_resolve(profile->options.images, row->address, &place))
            continue;
        row->source = place.source;
        if (place.function && place.offset == 0) row->name = place.function;
    }
    return good && profile_sort(profile);
}

const struct spoor_profile_row *spoor_profile_rows(const struct spoor_profile *profile,
                                                   size_t *count)
{
    *count = profile->row_count;
    return profile->rows;
}
