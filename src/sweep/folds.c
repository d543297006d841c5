/* SPDX-License-Identifier: MIT */
/* folds.c: the tools whose states can be saved in a partial result. */
#include <stdlib.h>
#include <string.h>

#include "check/check_pack.h"
#include "explore/coverage.h"
#include "explore/machine_part.h"
#include "explore/profile_part.h"
#include "model/options.h"
#include "simulate/branch/prediction_pack.h"
#include "simulate/cache/curve_pack.h"
#include "stats/info_pack.h"
#include "stats/mix_pack.h"
#include "sweep/partial.h"

/* Gives a partial result its state, and frees that. */
static enum spoor_status save(struct spoor_partial *partial, const struct partial_fold *fold,
                              struct text *state, struct spoor_error *error)
{
    const enum spoor_status status = partial_save(partial, fold, state, error);
    text_free(state);
    return status;
}

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
static const struct partial_fold fold_info = {.name = "info",
                                              .version = 1,
                                              .load = load_info,
                                              .merge = merge_info,
                                              .report = report_info,
                                              .free = free_info};

enum spoor_status spoor_info_save(const struct spoor_info *info, struct spoor_partial *partial,
                                  struct spoor_error *error)
{
    struct text state = {0};
    info_pack(info, &state);
    return save(partial, &fold_info, &state, error);
}

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
static const struct partial_fold fold_mix = {.name = "mix",
                                             .version = 1,
                                             .load = load_mix,
                                             .merge = merge_mix,
                                             .report = report_mix,
                                             .free = free_mix};

enum spoor_status spoor_mix_save(const struct spoor_mix *mix, struct spoor_partial *partial,
                                 struct spoor_error *error)
{
    struct text state = {0};
    mix_pack(mix, &state);
    return save(partial, &fold_mix, &state, error);
}

/* ---- cache --curve ---- */

struct counted_curve {
    struct curve_part *part;
    uint64_t references;
};

static void free_curve(void *state)
{
    struct counted_curve *counted = state;
    curve_part_free(counted->part);
    free(counted);
}
static void *load_curve(struct unpacker *from, const struct spoor_stream *stream)
{
    struct counted_curve *counted = calloc(1, sizeof *counted);
    (void)stream;
    if (!counted) return NULL;
    counted->references = unpack(from);
    counted->part = curve_part_unpack(from);
    if (counted->part) return counted;
    free_curve(counted);
    return NULL;
}
static enum spoor_status merge_curve(void *state, const void *next, struct spoor_error *error)
{
    struct counted_curve *counted = state;
    const struct counted_curve *after = next;
    counted->references += after->references;
    return curve_part_merge(counted->part, after->part, error);
}
static enum spoor_status report_curve(void *state, struct spoor_result *result)
{
    const struct counted_curve *counted = state;
    spoor_result_unsigned(result, "references", counted->references);
    return spoor_curve_report(curve_part_curve(counted->part), result);
}
static const struct partial_fold fold_curve = {.name = "cache --curve",
                                               .version = 1,
                                               .load = load_curve,
                                               .merge = merge_curve,
                                               .report = report_curve,
                                               .free = free_curve};

enum spoor_status spoor_curve_save(const struct spoor_curve *curve, uint64_t references,
                                   struct spoor_partial *partial, struct spoor_error *error)
{
    struct text state = {0};
    text_varint(&state, references);
    curve_pack(curve, &state);
    return save(partial, &fold_curve, &state, error);
}

/* ---- cache ---- */

enum spoor_status spoor_cache_system_save(struct spoor_cache_system *system, uint64_t references,
                                          struct spoor_partial *partial, struct spoor_error *error)
{
    struct spoor_result *counts = spoor_result_new_object();
    struct text state = {0};
    spoor_result_unsigned(counts, "references", references);
    if (counts && spoor_cache_system_report(system, 0, true, counts) == SPOOR_OK)
        result_pack(&state, counts);
    else
        state.failed = true;
    spoor_result_free(counts);
    return save(partial, &partial_sums, &state, error);
}

/* ---- branch ---- */

struct listed_prediction {
    struct spoor_prediction *prediction;
    size_t hardest, differing; /* rows; 0: not reported */
};

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
    listed->hardest = (size_t)unpack(from);
    listed->differing = (size_t)unpack(from);
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
    enum spoor_status status = spoor_prediction_report(listed->prediction, result);
    if (status == SPOOR_OK && listed->hardest)
        status = spoor_prediction_report_hardest(listed->prediction, listed->hardest, result);
    if (status == SPOOR_OK && listed->differing)
        status = spoor_prediction_report_comparison(listed->prediction, listed->differing, result);
    return status;
}
static const struct partial_fold fold_prediction = {.name = "branch",
                                                    .version = 2,
                                                    .load = load_prediction,
                                                    .merge = merge_prediction,
                                                    .report = report_prediction,
                                                    .free = free_prediction};

enum spoor_status spoor_prediction_save(const struct spoor_prediction *prediction, size_t hardest,
                                        size_t differing, struct spoor_partial *partial,
                                        struct spoor_error *error)
{
    struct text state = {0};
    text_varint(&state, hardest);
    text_varint(&state, differing);
    prediction_pack(prediction, &state);
    return save(partial, &fold_prediction, &state, error);
}

/* ---- coverage ---- */

struct listed_coverage {
    struct spoor_coverage *coverage;
    enum spoor_coverage_unit unit;
    bool missing;
};

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
static const struct partial_fold fold_coverage = {.name = "coverage",
                                                  .version = 1,
                                                  .several = true,
                                                  .load = load_coverage,
                                                  .merge = merge_coverage,
                                                  .report = report_coverage,
                                                  .free = free_coverage};

enum spoor_status spoor_coverage_save(struct spoor_coverage *coverage,
                                      enum spoor_coverage_unit unit, bool missing,
                                      struct spoor_partial *partial, struct spoor_error *error)
{
    struct text state = {0};
    if (coverage->names && coverage->traces)
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "found whole traces and a part of one, expected one of them");
    if (!coverage_stop(coverage)) return memory_status(false, error);
    text_varint(&state, (uint64_t)unit << 1 | missing);
    coverage_pack(coverage, partial->about.first == 0, &state);
    return save(partial, &fold_coverage, &state, error);
}

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
static const struct partial_fold fold_stats = {.name = "stats",
                                               .version = 1,
                                               .load = load_stats,
                                               .merge = merge_stats,
                                               .report = report_stats,
                                               .free = free_stats};

enum spoor_status spoor_machine_stats_save(const struct spoor_machine_stats *stats,
                                           struct spoor_partial *partial, struct spoor_error *error)
{
    struct text state = {0};
    if (!machine_stats_pack(stats, &state))
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "these statistics keep no records, expected mergeable ones");
    return save(partial, &fold_stats, &state, error);
}

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
static const struct partial_fold fold_profile = {.name = "profile",
                                                 .version = 1,
                                                 .load = load_profile,
                                                 .merge = merge_profile,
                                                 .report = report_profile,
                                                 .free = free_profile};

enum spoor_status spoor_profile_part_save(const struct spoor_profile_part *part,
                                          struct spoor_partial *partial, struct spoor_error *error)
{
    struct text state = {0};
    profile_part_pack(part, &state);
    return save(partial, &fold_profile, &state, error);
}

/* ---- check ---- */

static void *load_check(struct unpacker *from, const struct spoor_stream *stream)
{
    struct spoor_check *check = NULL;
    if (spoor_check_new(&check, NULL, NULL) != SPOOR_OK) return NULL;
    if (check_unpack(check, stream, from)) return check;
    spoor_check_free(check);
    return NULL;
}
static enum spoor_status merge_check(void *check, const void *next, struct spoor_error *error)
{
    (void)check;
    (void)next;
    return spoor_error_set(error, SPOOR_EUSAGE,
                           "parts of a check continue each other, expected the last one alone");
}
static enum spoor_status report_check(void *check, struct spoor_result *result)
{
    return spoor_check_report(check, result);
}
static void free_check(void *check)
{
    spoor_check_free(check);
}
static const struct partial_fold fold_check = {.name = "check",
                                               .version = 2,
                                               .load = load_check,
                                               .merge = merge_check,
                                               .report = report_check,
                                               .free = free_check};

enum spoor_status spoor_check_save(const struct spoor_check *check,
                                   const struct spoor_stream *stream, struct spoor_partial *partial,
                                   struct spoor_error *error)
{
    struct text state = {0};
    check_pack(check, stream, &state);
    return save(partial, &fold_check, &state, error);
}

enum spoor_status spoor_check_resume(struct spoor_check *check, const struct spoor_stream *stream,
                                     const struct spoor_partial *before, struct spoor_error *error)
{
    struct unpacker from = before->content;
    struct spoor_result *head = spoor_result_new_object();
    const bool good = before->bytes && strcmp(before->tool, fold_check.name) == 0 &&
                      before->version == fold_check.version && result_unpack(&from, head) &&
                      check_unpack(check, stream, &from);
    spoor_result_free(head);
    if (good) return SPOOR_OK;
    return spoor_error_set(error, SPOOR_EINPUT,
                           "%s: its content is damaged or of another version, or memory ran out",
                           before->name);
}

/* ---- all ---- */

const struct partial_fold *partial_fold_find(const char *name)
{
    static const struct partial_fold *const folds[] = {
        &fold_info,  &fold_mix,     &fold_curve,   &fold_prediction, &fold_coverage,
        &fold_stats, &fold_profile, &partial_sums, &fold_check,      &partial_index};
    for (size_t i = 0; i < sizeof folds / sizeof *folds; i++)
        if (strcmp(folds[i]->name, name) == 0) return folds[i];
    return NULL;
}
