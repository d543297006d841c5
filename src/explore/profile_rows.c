/* SPDX-License-Identifier: MIT */
/*
 * profile_rows.c: from contexts to functions: a function's own amounts are the sum over its
 * contexts; what it ran with all that it called is the sum over its outermost ones, so that
 * recursion counts once.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash_map.h"
#include "explore/profile.h"

/* What a number stands for; + 1, 0: nothing yet. */
struct numbered {
    uint64_t key;
    size_t value;
};

static size_t *value_of(struct hash_map *map, uint64_t key)
{
    bool added;
    struct numbered *item = hash_map_add(map, key, sizeof *item, &added);
    return item ? &item->value : NULL;
}

/* ---- functions ---- */

static void add_context(struct spoor_profile *profile, size_t number, size_t *value)
{
    const struct context *node = &profile->contexts.nodes[number];
    if (!*value) {
        *value = ++profile->row_count;
        profile->rows[*value - 1] =
            (struct spoor_profile_row){.address = node->function,
                                       .exception = node->kind == CONTEXT_EXCEPTION,
                                       .located = true};
    }
    profile->row_of[number] = (uint32_t)(*value - 1);
    struct spoor_profile_row *row = &profile->rows[*value - 1];
    row->calls += node->calls;
    row->unreturned += node->calls - node->returned;
    row->exclusive += profile_amount(profile, &node->own);
}

/* Number the functions, and the handlers, in the order in which their first contexts came. */
static bool number_rows(struct spoor_profile *profile)
{
    const struct contexts *contexts = &profile->contexts;
    struct hash_map functions = {0}, handlers = {0};
    bool good = true;
    for (size_t i = 0; i < contexts->count && good; i++) {
        const struct context *node = &contexts->nodes[i];
        profile->row_of[i] = NO_ROW;
        if (node->kind == CONTEXT_CPU) continue;
        size_t *value =
            value_of(node->kind == CONTEXT_EXCEPTION ? &handlers : &functions, node->function);
        good = value != NULL;
        if (good) add_context(profile, i, value);
    }
    hash_map_free(&functions);
    hash_map_free(&handlers);
    return good;
}

/* ---- callers and callees, and what is inclusive ---- */

struct descent {
    struct spoor_profile *profile;
    uint32_t *edge_of; /* of contexts */
    uint32_t *open_rows, *open_edges;
};

static bool number_edges(struct descent *descent)
{
    struct spoor_profile *profile = descent->profile;
    const struct contexts *contexts = &profile->contexts;
    struct hash_map map = {0};
    bool good = true;
    for (size_t i = 0; i < contexts->count && good; i++) {
        const struct context *node = &contexts->nodes[i];
        descent->edge_of[i] = NO_ROW;
        if (node->kind == CONTEXT_CPU || profile->row_of[node->parent] == NO_ROW) continue;
        const uint32_t caller = profile->row_of[node->parent], callee = profile->row_of[i];
        size_t *value = value_of(&map, (uint64_t)caller << 32 | callee);
        good = value != NULL;
        if (!good) break;
        if (!*value) {
            *value = ++profile->edge_count;
            profile->edges[*value - 1] =
                (struct spoor_profile_edge){.caller = caller, .callee = callee};
        }
        descent->edge_of[i] = (uint32_t)(*value - 1);
        profile->edges[*value - 1].calls += node->calls;
    }
    hash_map_free(&map);
    return good;
}

static void enter(struct descent *descent, uint32_t node)
{
    struct spoor_profile *profile = descent->profile;
    const uint64_t total = profile_amount(profile, &profile->totals[node]);
    const uint32_t row = profile->row_of[node], edge = descent->edge_of[node];
    if (row != NO_ROW && descent->open_rows[row]++ == 0) profile->rows[row].inclusive += total;
    if (edge != NO_ROW && descent->open_edges[edge]++ == 0) profile->edges[edge].inclusive += total;
}

static void leave(struct descent *descent, uint32_t node)
{
    const uint32_t row = descent->profile->row_of[node], edge = descent->edge_of[node];
    if (row != NO_ROW) descent->open_rows[row]--;
    if (edge != NO_ROW) descent->open_edges[edge]--;
}

/* All contexts below a root, each entered before and left after those that it calls. */
static void descend(struct descent *descent, uint32_t root)
{
    const struct context *nodes = descent->profile->contexts.nodes;
    uint32_t at = root;
    enter(descent, at);
    for (;;) {
        if (nodes[at].first_child != NO_CONTEXT) {
            at = nodes[at].first_child;
            enter(descent, at);
            continue;
        }
        leave(descent, at);
        while (at != root && nodes[at].next_sibling == NO_CONTEXT) {
            at = nodes[at].parent;
            leave(descent, at);
        }
        if (at == root) return;
        at = nodes[at].next_sibling;
        enter(descent, at);
    }
}

static bool connect(struct spoor_profile *profile)
{
    const struct contexts *contexts = &profile->contexts;
    struct descent descent = {.profile = profile};
    const size_t count = contexts->count + 1;
    descent.edge_of = calloc(count, sizeof *descent.edge_of);
    descent.open_rows = calloc(count, sizeof *descent.open_rows);
    descent.open_edges = calloc(count, sizeof *descent.open_edges);
    const bool good =
        descent.edge_of && descent.open_rows && descent.open_edges && number_edges(&descent);
    for (size_t i = 0; i < contexts->count && good; i++)
        if (contexts->nodes[i].kind == CONTEXT_CPU) descend(&descent, (uint32_t)i);
    free(descent.edge_of);
    free(descent.open_rows);
    free(descent.open_edges);
    return good;
}

/* ---- order ---- */

static int compare_numbers(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int compare_rows(const void *left, const void *right)
{
    const struct spoor_profile_row *a = left, *b = right;
    int order = compare_numbers(b->exclusive, a->exclusive);
    if (!order) order = compare_numbers(b->inclusive, a->inclusive);
    if (!order) order = compare_numbers(a->address, b->address);
    if (!order) order = a->exception - b->exception;
    return order || !a->name || !b->name ? order : strcmp(a->name, b->name);
}

static int compare_row_places(const void *left, const void *right)
{
    return compare_rows(*(const struct spoor_profile_row *const *)left,
                        *(const struct spoor_profile_row *const *)right);
}

static int compare_edges(const void *left, const void *right)
{
    const struct spoor_profile_edge *a = left, *b = right;
    int order = compare_numbers(b->inclusive, a->inclusive);
    if (!order) order = compare_numbers(b->calls, a->calls);
    if (!order) order = compare_numbers(a->caller, b->caller);
    return order ? order : compare_numbers(a->callee, b->callee);
}

/* Rows have new numbers. */
static void renumber(struct spoor_profile *profile, const uint32_t *renumbered)
{
    size_t kept = 0;
    for (size_t i = 0; i < profile->contexts.count; i++)
        if (profile->row_of[i] != NO_ROW) profile->row_of[i] = renumbered[profile->row_of[i]];
    for (size_t i = 0; i < profile->edge_count; i++) {
        struct spoor_profile_edge edge = profile->edges[i];
        edge.caller = renumbered[edge.caller];
        edge.callee = renumbered[edge.callee];
        if (edge.caller != NO_ROW && edge.callee != NO_ROW && (edge.calls || edge.inclusive))
            profile->edges[kept++] = edge;
    }
    profile->edge_count = kept;
    if (kept) qsort(profile->edges, kept, sizeof *profile->edges, compare_edges);
}

/* Sort the rows, and drop those of stubs that were only passed. */
static bool sort_rows(struct spoor_profile *profile)
{
    uint32_t *renumbered = calloc(profile->row_count + 1, sizeof *renumbered);
    const struct spoor_profile_row **order = malloc((profile->row_count + 1) * sizeof *order);
    struct spoor_profile_row *sorted = calloc(profile->row_count + 1, sizeof *sorted);
    const bool good = renumbered && order && sorted;
    size_t kept = 0;
    for (size_t i = 0; i < profile->row_count && good; i++) order[i] = &profile->rows[i];
    if (good) qsort(order, profile->row_count, sizeof *order, compare_row_places);
    for (size_t i = 0; i < profile->row_count && good; i++) {
        const struct spoor_profile_row *row = order[i];
        const bool empty = !row->calls && !row->inclusive && !row->exclusive;
        renumbered[row - profile->rows] = empty ? NO_ROW : (uint32_t)kept;
        if (!empty) sorted[kept++] = *row;
    }
    if (good) {
        renumber(profile, renumbered);
        free(profile->rows);
        profile->rows = sorted;
        profile->row_count = kept;
        sorted = NULL;
    }
    free(sorted);
    free(order);
    free(renumbered);
    return good;
}

static void name_row(const struct spoor_profile *profile, struct spoor_profile_row *row)
{
    struct spoor_place place;
    if (!profile->options.images || !row->located) return;
    if (!spoor_images_resolve(profile->options.images, row->address, &place)) return;
    row->source = place.source;
    if (place.function && (place.offset == 0 || profile->options.by != SPOOR_PROFILE_FUNCTIONS))
        row->name = place.function;
}

static bool make_functions(struct spoor_profile *profile)
{
    const size_t count = profile->contexts.count;
    profile->row_of = malloc((count + 1) * sizeof *profile->row_of);
    profile->rows = calloc(count + 1, sizeof *profile->rows);
    profile->edges = calloc(count + 1, sizeof *profile->edges);
    if (!profile->row_of || !profile->rows || !profile->edges) return false;
    if (!number_rows(profile) || !connect(profile) || !sort_rows(profile)) return false;
    for (size_t i = 0; i < profile->row_count; i++) name_row(profile, &profile->rows[i]);
    return true;
}

/* ---- lines, files, addresses, opcodes ---- */

static void fill_site(const struct spoor_profile *profile, const struct site *site,
                      struct spoor_profile_row *row)
{
    struct spoor_place place;
    *row = (struct spoor_profile_row){.calls = site->amount.instructions,
                                      .exclusive = profile_amount(profile, &site->amount)};
    row->inclusive = row->exclusive;
    if (profile->options.by == SPOOR_PROFILE_OPCODES) {
        row->name = spoor_names_text(profile->sites.opcodes, (spoor_name)site->key, NULL);
        return;
    }
    row->address = site->key;
    row->located = profile->options.by != SPOOR_PROFILE_FILES;
    if (!profile->options.images ||
        !spoor_images_resolve(profile->options.images, site->key, &place))
        return;
    row->source = place.source;
    row->name = profile->options.by == SPOOR_PROFILE_FILES ? place.file : place.function;
    if (profile->options.by == SPOOR_PROFILE_FILES) {
        row->source = NULL;
        row->address = 0;
    }
}

static int compare_texts(const char *a, const char *b)
{
    return a == b ? 0 : !a ? -1 : !b ? 1 : strcmp(a, b);
}

/* Rows that are one: of the same line, or of the same file. */
static int compare_places(const void *left, const void *right)
{
    const struct spoor_profile_row *a = left, *b = right;
    const int order = compare_texts(a->source, b->source);
    return order ? order : compare_texts(a->name, b->name);
}

static int compare_places_and_addresses(const void *left, const void *right)
{
    const struct spoor_profile_row *a = left, *b = right;
    const int order = compare_places(left, right);
    return order ? order : compare_numbers(a->address, b->address);
}

static void join_places(struct spoor_profile *profile)
{
    struct spoor_profile_row *rows = profile->rows;
    size_t kept = 0;
    qsort(rows, profile->row_count, sizeof *rows, compare_places_and_addresses);
    for (size_t i = 1; i < profile->row_count; i++) {
        if (compare_places(&rows[kept], &rows[i]) != 0) {
            rows[++kept] = rows[i];
            continue;
        }
        rows[kept].calls += rows[i].calls;
        rows[kept].exclusive += rows[i].exclusive;
        rows[kept].inclusive += rows[i].inclusive;
    }
    if (profile->row_count) profile->row_count = kept + 1;
}

static bool make_sites(struct spoor_profile *profile)
{
    const struct hot_sites *sites = &profile->sites;
    const struct site *site = NULL;
    profile->rows = calloc(sites->map.count + 1, sizeof *profile->rows);
    if (!profile->rows) return false;
    while ((site = hash_map_next(&sites->map, site, sizeof *site)))
        fill_site(profile, site, &profile->rows[profile->row_count++]);
    if (profile->options.by == SPOOR_PROFILE_LINES || profile->options.by == SPOOR_PROFILE_FILES)
        join_places(profile);
    if (profile->row_count)
        qsort(profile->rows, profile->row_count, sizeof *profile->rows, compare_rows);
    return true;
}

bool profile_make_rows(struct spoor_profile *profile)
{
    profile->totals = contexts_totals(&profile->contexts);
    if (!profile->totals) return false;
    return profile->options.by == SPOOR_PROFILE_FUNCTIONS ? make_functions(profile)
                                                          : make_sites(profile);
}

const struct spoor_profile_row *spoor_profile_rows(const struct spoor_profile *profile,
                                                   size_t *count)
{
    *count = profile->row_count;
    return profile->rows;
}

const struct spoor_profile_edge *spoor_profile_edges(const struct spoor_profile *profile,
                                                     size_t *count)
{
    *count = profile->edge_count;
    return profile->edges;
}
