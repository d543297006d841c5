/* SPDX-License-Identifier: MIT */
/*
 * profile_sites.c: from contexts to lines, files, addresses and opcodes.  What a row ran itself is
 * the sum over its sites; with all that it called, the same and the contexts that it calls from.  A
 * row that calls itself through others counts once.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash_map.h"
#include "base/sorted.h"
#include "profile/profile.h"

struct site_rows {
    struct site *sites; /* sorted by context */
    size_t site_count;
    size_t *first;      /* of contexts: the first of its sites; the last + 1 at the end */
    uint32_t *row_of;   /* of the numbers of sites */
    const char **names; /* of the numbers of sites: what makes a row, with `sources` */
    const char **sources;
    size_t count; /* of numbers */
};

static uint64_t profile_site_amount(const struct spoor_profile *profile,
                                    const struct site_amount *amount)
{
    switch (profile->options.unit) {
    case SPOOR_PROFILE_TIME: return amount->time;
    case SPOOR_PROFILE_ACCESSES: return amount->accesses;
    case SPOOR_PROFILE_MISSES:
    case SPOOR_PROFILE_MISPREDICTIONS: return amount->events;
    default: return amount->executed;
    }
}

/* ---- sites that are one row ---- */

/* Of the same line, or of the same file; addresses and opcodes are rows of their own. */
static int profile_compare_places(const struct spoor_profile_row *a,
                                  const struct spoor_profile_row *b)
{
    const char *const texts[][2] = {{a->source, b->source}, {a->name, b->name}};
    int order = 0;
    for (size_t i = 0; i < 2 && !order; i++) {
        const char *one = texts[i][0], *other = texts[i][1];
        if (one != other) order = !one ? -1 : !other ? 1 : strcmp(one, other);
    }
    return order;
}

static int profile_compare_site_rows(const void *left, const void *right)
{
    const struct spoor_profile_row *a = *(const struct spoor_profile_row *const *)left;
    const struct spoor_profile_row *b = *(const struct spoor_profile_row *const *)right;
    const int order = profile_compare_places(a, b);
    return order ? order : a->address < b->address ? -1 : a->address > b->address;
}

/* One row for all sites of a line or of a file: its address is the lowest. */
static bool profile_join_site_rows(struct spoor_profile *profile, uint32_t *row_of)
{
    const size_t count = profile->row_count;
    struct spoor_profile_row *joined = calloc(count + 1, sizeof *joined);
    const struct spoor_profile_row **order = malloc((count + 1) * sizeof *order);
    const bool good = joined && order;
    size_t kept = 0;
    for (size_t i = 0; i < count && good; i++) order[i] = &profile->rows[i];
    if (good && count) qsort(order, count, sizeof *order, profile_compare_site_rows);
    for (size_t i = 0; i < count && good; i++) {
        if (i == 0 || profile_compare_places(order[i - 1], order[i]) != 0)
            joined[kept++] = *order[i];
        row_of[order[i] - profile->rows] = (uint32_t)(kept - 1);
    }
    free(order);
    if (!good) {
        free(joined);
        return false;
    }
    free(profile->rows);
    profile->rows = joined;
    profile->row_count = kept;
    return true;
}

/* ---- callers and callees, and what is inclusive ---- */

/* The rows that call and are called. */
static bool profile_number_calls(struct descent *descent, const struct site_rows *sites)
{
    struct spoor_profile *profile = descent->profile;
    const struct contexts *contexts = &profile->contexts;
    struct hash_map map = {0};
    bool good = true;
    for (size_t i = 0; i < contexts->count && good; i++) {
        const struct context *node = &contexts->nodes[i];
        if (profile->row_of[i] == NO_ROW || !node->entry) continue;
        const uint32_t entry = hot_sites_number(&profile->sites, node->entry);
        if (entry >= sites->count) continue; /* it never ran */
        const uint32_t edge = profile_edge(profile, &map, profile->row_of[i], sites->row_of[entry]);
        good = edge != NO_ROW;
        descent->edge_of[i] = edge;
        if (good) profile->edges[edge].calls += node->calls;
    }
    hash_map_free(&map);
    return good;
}

/* The sites of a context: what an open row runs is in its inclusive amount already. */
static void profile_count_sites(struct descent *descent, uint32_t node, void *context)
{
    const struct site_rows *sites = context;
    struct spoor_profile *profile = descent->profile;
    for (size_t i = sites->first[node]; i < sites->first[node + 1]; i++) {
        const struct site *site = &sites->sites[i];
        const uint32_t number = sites->row_of[(uint32_t)site->key];
        struct spoor_profile_row *row = &profile->rows[number];
        const uint64_t amount = profile_site_amount(profile, &site->amount);
        row->calls += site->amount.executed;
        row->exclusive += amount;
        if (!descent->open_rows[number]) row->inclusive += amount;
    }
}

bool profile_make_sites(struct spoor_profile *profile)
{
    const size_t contexts = profile->contexts.count;
    const enum spoor_profile_by by = profile->options.by;
    struct site_rows sites = {.first = calloc(contexts + 1, sizeof *sites.first)};
    struct descent descent;
    /* the places of calls are numbered before the rows are made, so that each has one */
    for (size_t i = 0; i < contexts; i++) {
        const struct context *node = &profile->contexts.nodes[i];
        const bool called = node->kind != CONTEXT_CPU && node->site;
        profile->row_of[i] = called ? hot_sites_number(&profile->sites, node->site) : NO_ROW;
    }
    sites.count = profile->row_count = profile->sites.key_count;
    sites.row_of = malloc((sites.count + 1) * sizeof *sites.row_of);
    profile->rows = calloc(sites.count + 1, sizeof *profile->rows);
    bool good = sites.first && sites.row_of && profile->rows && !profile->sites.failed;
    for (size_t i = 0; i < sites.count && good; i++) {
        struct spoor_profile_row *row = &profile->rows[i];
        const uint64_t key = profile->sites.keys[i];
        const bool by_file = by == SPOOR_PROFILE_FILES;
        struct spoor_place place = {.struct_size = sizeof place};
        sites.row_of[i] = (uint32_t)i;
        if (by == SPOOR_PROFILE_OPCODES) {
            row->name = spoor_names_text(profile->sites.opcodes, (spoor_name)key, NULL);
            continue;
        }
        row->address = by_file ? 0 : key;
        row->located = !by_file;
        if (!profile->options.images || !spoor_images_resolve(profile->options.images, key, &place))
            continue;
        row->source = by_file ? NULL : place.source;
        row->name = by_file ? place.file : place.function;
    }
    if (good && (by == SPOOR_PROFILE_LINES || by == SPOOR_PROFILE_FILES))
        good = profile_join_site_rows(profile, sites.row_of);
    if (good) {
        sites.site_count = profile->sites.map.count;
        sites.sites = hash_map_gather(&profile->sites.map, sizeof *sites.sites);
        if (sites.site_count)
            qsort(sites.sites, sites.site_count, sizeof *sites.sites, sorted_order);
    }
    for (size_t i = 0, at = 0; i <= contexts && good; i++) {
        sites.first[i] = at;
        for (; i < contexts && at < sites.site_count && sites.sites[at].key >> 32 == i; at++)
            profile->totals[i] += profile_site_amount(profile, &sites.sites[at].amount);
        if (i < contexts && profile->row_of[i] != NO_ROW)
            profile->row_of[i] = sites.row_of[profile->row_of[i]];
    }
    if (good) {
        profile_sum_up(&profile->contexts, profile->totals);
        good = profile_descent_new(&descent, profile) && profile_number_calls(&descent, &sites);
        descent.inside = profile_count_sites;
        descent.context = &sites;
        if (good) profile_descend(&descent);
        profile_descent_free(&descent);
    }
    free(sites.first);
    free(sites.row_of);
    return good && profile_sort(profile);
}
