/* SPDX-License-Identifier: MIT */
/* partial_folds.c: the folds whose partial results can be joined. */
#include <stdlib.h>
#include <string.h>

#include "explore/coverage.h"
#include "explore/machine_part.h"
#include "explore/profile_part.h"
#include "simulate/branch/prediction_pack.h"
#include "simulate/cache/curve_pack.h"
#include "stats/info_pack.h"
#include "stats/mix_pack.h"
#include "sweep/partial.h"

/* ---- info ---- */

static void *load_info(struct unpacker *from, const struct spoor_stream *stream)
{
    return info_unpack(from, stream);
}
static enum spoor_status merge_info(void *info, const void *next, struct spoor_error *error)
{
    return spoor_info_merge(info, next, error);
}
static enum spoor_status report_info(void *info, struct spoor_result *result)
{
    return spoor_info_report(info, result);
}
static void free_info(void *info)
{
    spoor_info_free(info);
}
const struct partial_fold partial_info = {.name = "info",
                                          .version = 1,
                                          .load = load_info,
                                          .merge = merge_info,
                                          .report = report_info,
                                          .free = free_info};

/* ---- mix ---- */

static void *load_mix(struct unpacker *from, const struct spoor_stream *stream)
{
    (void)stream;
    return mix_unpack(from);
}
static enum spoor_status merge_mix(void *mix, const void *next, struct spoor_error *error)
{
    return spoor_mix_merge(mix, next, error);
}
static enum spoor_status report_mix(void *mix, struct spoor_result *result)
{
    return spoor_mix_report(mix, result, NULL, NULL);
}
static void free_mix(void *mix)
{
    spoor_mix_free(mix);
}
const struct partial_fold partial_mix = {.name = "mix",
                                         .version = 1,
                                         .load = load_mix,
                                         .merge = merge_mix,
                                         .report = report_mix,
                                         .free = free_mix};

/* ---- cache --curve ---- */

struct counted_curve {
    struct spoor_curve *curve;
    uint64_t references;
};

void partial_curve_pack(const struct spoor_curve *curve, uint64_t references, struct text *bytes)
{
    text_varint(bytes, references);
    curve_pack(curve, bytes);
}

static void free_curve(void *state)
{
    struct counted_curve *counted = state;
    spoor_curve_free(counted->curve);
    free(counted);
}
static void *load_curve(struct unpacker *from, const struct spoor_stream *stream)
{
    struct counted_curve *counted = calloc(1, sizeof *counted);
    (void)stream;
    if (!counted) return NULL;
    counted->references = unpack(from);
    counted->curve = curve_unpack(from);
    if (counted->curve) return counted;
    free_curve(counted);
    return NULL;
}
static enum spoor_status merge_curve(void *state, const void *next, struct spoor_error *error)
{
    struct counted_curve *counted = state;
    const struct counted_curve *after = next;
    counted->references += after->references;
    return spoor_curve_merge(counted->curve, after->curve, error);
}
static enum spoor_status report_curve(void *state, struct spoor_result *result)
{
    const struct counted_curve *counted = state;
    spoor_result_unsigned(result, "references", counted->references);
    return spoor_curve_report(counted->curve, result);
}
const struct partial_fold partial_curve = {.name = "cache --curve",
                                           .version = 1,
                                           .load = load_curve,
                                           .merge = merge_curve,
                                           .report = report_curve,
                                           .free = free_curve};

/* ---- branch ---- */

struct listed_prediction {
    struct spoor_prediction *prediction;
    struct partial_listing listing;
};

void partial_prediction_pack(const struct spoor_prediction *prediction,
                             const struct partial_listing *listing, struct text *bytes)
{
    text_varint(bytes, listing->hardest | (uint64_t)listing->compare << 1);
    text_varint(bytes, listing->top);
    prediction_pack(prediction, listing->defaults, bytes);
}

static void free_prediction(void *state)
{
    struct listed_prediction *listed = state;
    spoor_prediction_free(listed->prediction);
    free(listed);
}
static void *load_prediction(struct unpacker *from, const struct spoor_stream *stream)
{
    struct listed_prediction *listed = calloc(1, sizeof *listed);
    (void)stream;
    if (!listed) return NULL;
    const uint64_t flags = unpack(from);
    listed->listing.hardest = flags & 1;
    listed->listing.compare = flags >> 1 & 1;
    listed->listing.top = unpack(from);
    listed->prediction = prediction_unpack(from);
    if (listed->prediction) return listed;
    free_prediction(listed);
    return NULL;
}
static enum spoor_status merge_prediction(void *state, const void *next, struct spoor_error *error)
{
    struct listed_prediction *listed = state;
    const struct listed_prediction *after = next;
    return spoor_prediction_merge(listed->prediction, after->prediction, error);
}
static enum spoor_status report_prediction(void *state, struct spoor_result *result)
{
    const struct listed_prediction *listed = state;
    const size_t top = (size_t)listed->listing.top;
    enum spoor_status status = spoor_prediction_report(listed->prediction, result);
    if (status == SPOOR_OK && listed->listing.hardest)
        status = spoor_prediction_report_hardest(listed->prediction, top, result);
    if (status == SPOOR_OK && listed->listing.compare)
        status = spoor_prediction_report_comparison(listed->prediction, top, result);
    return status;
}
const struct partial_fold partial_prediction = {.name = "branch",
                                                .version = 1,
                                                .load = load_prediction,
                                                .merge = merge_prediction,
                                                .report = report_prediction,
                                                .free = free_prediction};

/* ---- coverage ---- */

struct listed_coverage {
    struct spoor_coverage *coverage;
    enum spoor_coverage_unit unit;
    bool missing;
};

void partial_coverage_pack(struct spoor_coverage *coverage, unsigned unit, bool missing,
                           bool begins, struct text *bytes)
{
    text_varint(bytes, (uint64_t)unit << 1 | missing);
    coverage_pack(coverage, begins, bytes);
}

static void free_coverage(void *state)
{
    struct listed_coverage *listed = state;
    spoor_coverage_free(listed->coverage);
    free(listed);
}
static void *load_coverage(struct unpacker *from, const struct spoor_stream *stream)
{
    struct listed_coverage *listed = calloc(1, sizeof *listed);
    (void)stream;
    if (!listed) return NULL;
    const size_t listing = unpack_below(from, (SPOOR_COVERAGE_CPUS + 1) * 2);
    listed->unit = (enum spoor_coverage_unit)(listing >> 1);
    listed->missing = listing & 1;
    listed->coverage = coverage_unpack(from);
    if (listed->coverage) return listed;
    free_coverage(listed);
    return NULL;
}
static enum spoor_status merge_coverage(void *state, const void *next, struct spoor_error *error)
{
    struct listed_coverage *listed = state;
    const struct listed_coverage *after = next;
    return coverage_join(listed->coverage, after->coverage, error);
}
static enum spoor_status report_coverage(void *state, struct spoor_result *result)
{
    struct listed_coverage *listed = state;
    struct spoor_coverage *coverage = listed->coverage;
    enum spoor_status status = SPOOR_OK;
    if (coverage->names) status = spoor_coverage_end(coverage, NULL, NULL);
    if (status != SPOOR_OK) return status;
    return spoor_coverage_report(coverage, listed->unit, listed->missing, result);
}
const struct partial_fold partial_coverage = {.name = "coverage",
                                              .version = 1,
                                              .several = true,
                                              .load = load_coverage,
                                              .merge = merge_coverage,
                                              .report = report_coverage,
                                              .free = free_coverage};

/* ---- stats ---- */

static void *load_stats(struct unpacker *from, const struct spoor_stream *stream)
{
    (void)stream;
    return machine_stats_unpack(from);
}
static enum spoor_status merge_stats(void *stats, const void *next, struct spoor_error *error)
{
    return spoor_machine_stats_merge(stats, next, error);
}
static enum spoor_status report_stats(void *stats, struct spoor_result *result)
{
    return spoor_machine_stats_report(stats, result);
}
static void free_stats(void *stats)
{
    spoor_machine_stats_free(stats);
}
const struct partial_fold partial_stats = {.name = "stats",
                                           .version = 1,
                                           .load = load_stats,
                                           .merge = merge_stats,
                                           .report = report_stats,
                                           .free = free_stats};

/* ---- profile ---- */

static void *load_profile(struct unpacker *from, const struct spoor_stream *stream)
{
    (void)stream;
    return joined_profile_unpack(from);
}
static enum spoor_status merge_profile(void *profile, const void *next, struct spoor_error *error)
{
    return joined_profile_merge(profile, next, error);
}
static enum spoor_status report_profile(void *profile, struct spoor_result *result)
{
    return joined_profile_report(profile, result);
}
static void free_profile(void *profile)
{
    joined_profile_free(profile);
}
const struct partial_fold partial_profile = {.name = "profile",
                                             .version = 1,
                                             .load = load_profile,
                                             .merge = merge_profile,
                                             .report = report_profile,
                                             .free = free_profile};

/* ---- all ---- */

const struct partial_fold *partial_fold_find(const char *name)
{
    static const struct partial_fold *const folds[] = {
        &partial_info,     &partial_mix,   &partial_curve, &partial_prediction,
        &partial_coverage, &partial_cache, &partial_stats, &partial_profile};
    for (size_t i = 0; i < sizeof folds / sizeof *folds; i++)
        if (strcmp(folds[i]->name, name) == 0) return folds[i];
    return NULL;
}
