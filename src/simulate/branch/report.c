/* SPDX-License-Identifier: MIT */
/* report.c: the results of a prediction. */
#include <stdio.h>
#include <stdlib.h>

#include "model/options.h"
#include "result/combine.h"
#include "simulate/branch/prediction.h"
#include "spoor/combine.h"
#include "spoor/plugin.h"

/* ---- the predictors ---- */

bool spoor_prediction_known(const struct spoor_prediction *prediction, size_t predictor)
{
    return prediction->contestants[predictor].asked || prediction->typed || !prediction->branches;
}

static void prediction_put_contestant(const struct spoor_prediction *prediction, size_t predictor,
                                      struct spoor_result *row)
{
    const struct contestant *contestant = &prediction->contestants[predictor];
    const uint64_t wrong = contestant->mispredictions;
    const bool known = spoor_prediction_known(prediction, predictor);
    spoor_result_text(row, "spec", contestant->spec);
    spoor_result_unsigned_if(row, "predictions", known, contestant->asked);
    spoor_result_unsigned_if(row, "mispredictions", known, wrong);
    spoor_result_real_if(row, "misprediction_ratio", contestant->asked,
                         (double)wrong / (double)contestant->asked, 6);
    spoor_result_real_if(row, "mpki", known && prediction->instructions,
                         1000.0 * (double)wrong / (double)prediction->instructions, 4);
    const uint64_t storage = spoor_predictor_storage(contestant->predictor);
    if (storage != SPOOR_PLUGIN_UNSTATED) spoor_result_unsigned(row, "storage_bits", storage);
}

static void prediction_put_totals(const struct spoor_prediction *prediction,
                                  struct spoor_result *result)
{
    spoor_result_unsigned(result, "branches", prediction->branches);
    if (prediction->typed || !prediction->branches) {
        spoor_result_unsigned(result, "conditional_branches", prediction->conditional);
        spoor_result_unsigned(result, "taken_branches", prediction->taken);
    }
    if (prediction->branches > prediction->typed)
        spoor_result_unsigned(result, "of_unknown_kind", prediction->branches - prediction->typed);
    if (prediction->instructions)
        spoor_result_unsigned(result, "instructions", prediction->instructions);
}

static void prediction_report_one(const struct spoor_prediction *prediction,
                                  struct spoor_result *result)
{
    prediction_put_totals(prediction, result);
    struct spoor_result *rows = spoor_result_array(result, "predictors");
    for (size_t i = 0; i < prediction->count; i++)
        prediction_put_contestant(prediction, i, spoor_result_object(rows, NULL));
}

enum spoor_status spoor_prediction_report(const struct spoor_prediction *prediction,
                                          struct spoor_result *result)
{
    if (prediction->cpus.count > 1) {
        /* The sums over all cpus, and a row for each cpu and predictor. */
        const size_t count = prediction->cpus.count;
        struct spoor_result *parts = spoor_result_new_array();
        const struct spoor_result **each = calloc(count, sizeof *each);
        if (parts && each) {
            for (size_t i = 0; i < count; i++) {
                struct spoor_result *part = spoor_result_object(parts, NULL);
                prediction_report_one(prediction_of(prediction, i), part);
                each[i] = part;
            }
            if (!spoor_result_complete(parts)) spoor_result_fail(result);
            combine_sums("branch", each, count, result);
            struct spoor_result *rows = spoor_result_array(result, "cpus");
            for (size_t p = 0; p < prediction->count; p++)
                for (size_t i = 0; i < count; i++) {
                    struct spoor_result *row = spoor_result_object(rows, NULL);
                    cpus_put_name(&prediction->cpus, i, row);
                    prediction_put_totals(prediction_of(prediction, i), row);
                    prediction_put_contestant(prediction_of(prediction, i), p, row);
                }
        } else {
            spoor_result_fail(result);
        }
        free((void *)each);
        spoor_result_free(parts);
    } else {
        prediction_report_one(prediction, result);
    }
    uint64_t left_out = 0;
    for (size_t i = 0; i < spoor_prediction_cpu_count(prediction); i++)
        left_out += prediction_of(prediction, i)->sites.left_out;
    if (left_out) spoor_result_unsigned(result, "branches_left_out", left_out);
    return result_status(result);
}

/* ---- over time ---- */

size_t spoor_prediction_window_count(const struct spoor_prediction *prediction)
{
    const struct window *last = &prediction->windows[prediction->window];
    return prediction->window + (last->branches > 0);
}

double spoor_prediction_window_mpki(const struct spoor_prediction *prediction, size_t window,
                                    size_t predictor)
{
    const uint64_t wrong = prediction->contestants[predictor].windows[window];
    const uint64_t instructions = prediction->windows[window].instructions;
    return instructions ? 1000.0 * (double)wrong / (double)instructions : 0;
}

/* Adds the rows of one cpu; `cpu`: its number, SIZE_MAX: there is no other. */
static void prediction_put_windows(const struct spoor_prediction *all, size_t cpu,
                                   struct spoor_result *rows)
{
    const struct spoor_prediction *prediction = prediction_of(all, cpu == SIZE_MAX ? 0 : cpu);
    uint64_t first = prediction->first + prediction->warmup;
    char key[32];
    for (size_t i = 0; i < spoor_prediction_window_count(prediction); i++) {
        struct spoor_result *row = spoor_result_object(rows, NULL);
        if (cpu != SIZE_MAX) cpus_put_name(&all->cpus, cpu, row);
        spoor_result_unsigned(row, "first_branch", first);
        spoor_result_unsigned(row, "branches", prediction->windows[i].branches);
        spoor_result_unsigned(row, "instructions", prediction->windows[i].instructions);
        for (size_t p = 0; p < prediction->count; p++) {
            snprintf(key, sizeof key, "mpki_%zu", p + 1);
            spoor_result_real_if(row, key, spoor_prediction_known(prediction, p),
                                 spoor_prediction_window_mpki(prediction, i, p), 4);
        }
        first += prediction->windows[i].branches;
    }
}

enum spoor_status spoor_prediction_report_windows(const struct spoor_prediction *prediction,
                                                  struct spoor_result *result)
{
    struct spoor_result *rows = spoor_result_array(result, "over_time");
    if (prediction->cpus.count <= 1) prediction_put_windows(prediction, SIZE_MAX, rows);
    for (size_t i = 0; prediction->cpus.count > 1 && i < prediction->cpus.count; i++)
        prediction_put_windows(prediction, i, rows);
    return result_status(result);
}

/* ---- branches ---- */

/* A branch and its rank: by descending weight, then by pc. */
struct site_rank {
    const struct site *site;
    uint64_t weight;
};

static int site_rank_compare(const void *left, const void *right)
{
    const struct site_rank *a = left, *b = right;
    if (a->weight != b->weight) return a->weight < b->weight ? 1 : -1;
    return a->site->pc < b->site->pc ? -1 : a->site->pc > b->site->pc;
}

static void site_put_hard(const struct spoor_prediction *prediction, const struct site *site,
                          struct spoor_result *row)
{
    const uint64_t *wrong = site_wrong(&prediction->sites, site);
    const double executed = (double)site->executed, taken = (double)site->taken;
    const double all = (double)prediction->contestants[0].mispredictions;
    char key[32];
    spoor_result_hex(row, "pc", site->pc);
    spoor_result_unsigned(row, "executions", site->executed);
    spoor_result_real(row, "taken_ratio", taken / executed, 4);
    spoor_result_real(row, "entropy", site_entropy(taken, executed - taken), 4);
    spoor_result_real(row, "local_entropy", site_local_entropy(&prediction->sites, site), 4);
    spoor_result_real(row, "total_ratio", (double)wrong[0] / all, 4);
    for (size_t p = 0; p < prediction->count; p++) {
        snprintf(key, sizeof key, "wrong_%zu", p + 1);
        spoor_result_unsigned(row, key, wrong[p]);
    }
}

/* Adds the `maximum` branches of the greatest weight of each cpu, none of weight 0: the
 * mispredictions of the first predictor, or by how much those of the first two differ. */
static enum spoor_status prediction_put_ranked(const struct spoor_prediction *prediction,
                                               size_t maximum, bool differing,
                                               struct spoor_result *rows)
{
    enum spoor_status status = SPOOR_OK;
    const size_t cpus = spoor_prediction_cpu_count(prediction);
    for (size_t cpu = 0; cpu < cpus && status == SPOOR_OK; cpu++) {
        const struct spoor_prediction *one = prediction_of(prediction, cpu);
        const struct sites *sites = &one->sites;
        struct site_rank *ranked = malloc((sites->count + 1) * sizeof *ranked);
        size_t count = 0;
        if (!ranked) return SPOOR_ENOMEM;
        for (size_t i = 0; i < sites->count; i++) {
            const struct site *site = &sites->items[i];
            const uint64_t *wrong = site_wrong(sites, site);
            uint64_t weight = wrong[0];
            if (differing) weight = wrong[0] > wrong[1] ? wrong[0] - wrong[1] : wrong[1] - wrong[0];
            if (weight) ranked[count++] = (struct site_rank){site, weight};
        }
        qsort(ranked, count, sizeof *ranked, site_rank_compare);
        for (size_t i = 0; i < count && i < maximum; i++) {
            struct spoor_result *row = spoor_result_object(rows, NULL);
            if (cpus > 1) cpus_put_name(&prediction->cpus, cpu, row);
            const struct site *site = ranked[i].site;
            if (!differing) {
                site_put_hard(one, site, row);
                continue;
            }
            const uint64_t *wrong = site_wrong(sites, site);
            spoor_result_hex(row, "pc", site->pc);
            spoor_result_unsigned(row, "executions", site->executed);
            spoor_result_unsigned(row, "wrong_1", wrong[0]);
            spoor_result_unsigned(row, "wrong_2", wrong[1]);
            spoor_result_signed(row, "difference", (int64_t)(wrong[1] - wrong[0]));
        }
        free(ranked);
        status = result_status(rows);
    }
    return status;
}

enum spoor_status spoor_prediction_report_hardest(const struct spoor_prediction *prediction,
                                                  size_t maximum, struct spoor_result *result)
{
    return prediction_put_ranked(prediction, maximum, false, spoor_result_array(result, "hardest"));
}

enum spoor_status spoor_prediction_report_comparison(const struct spoor_prediction *prediction,
                                                     size_t maximum, struct spoor_result *result)
{
    struct spoor_result *comparison = spoor_result_object(result, "comparison");
    struct agreement sum = {0};
    for (size_t i = 0; i < spoor_prediction_cpu_count(prediction); i++)
        for (unsigned which = 0; which < 4; which++)
            sum.count[which / 2][which % 2] +=
                prediction_of(prediction, i)->agreement.count[which / 2][which % 2];
    spoor_result_unsigned(comparison, "both_right", sum.count[0][0]);
    spoor_result_unsigned(comparison, "only_first_right", sum.count[0][1]);
    spoor_result_unsigned(comparison, "only_second_right", sum.count[1][0]);
    spoor_result_unsigned(comparison, "both_wrong", sum.count[1][1]);
    return prediction_put_ranked(prediction, maximum, true,
                                 spoor_result_array(comparison, "differing"));
}
