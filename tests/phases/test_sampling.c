/* SPDX-License-Identifier: MIT */
/*
 * test_sampling.c: by public headers alone: the samples of a trace lie in its order, stand for all
 * of its instructions, and are those of the report.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "spoor/reader.h"
#include "spoor/sampling.h"

static struct spoor_sampling *sampled(const struct spoor_sampling_options *options,
                                      uint64_t *records, uint64_t *instructions)
{
    struct spoor_sampling *sampling = NULL;
    struct spoor_reader *reader = NULL;
    struct spoor_error error = {0};
    const struct spoor_batch *batch;
    *records = *instructions = 0;
    if (spoor_reader_open(&reader, SOURCE_ROOT "/examples/list-aarch64.tarmac.xz", NULL, &error) !=
        SPOOR_OK)
        fail_msg("%s", error.text);
    assert_int_equal(spoor_sampling_new(&sampling, options, &error), SPOOR_OK);
    while (spoor_reader_next(reader, &batch, &error) == SPOOR_OK) {
        *records += batch->count;
        for (size_t i = 0; i < batch->count; i++)
            *instructions += batch->records[i].kind == SPOOR_INSN;
        assert_int_equal(spoor_sampling_feed(sampling, batch, &error), SPOOR_OK);
    }
    assert_int_equal(spoor_sampling_end(sampling, &error), SPOOR_OK);
    spoor_reader_close(reader);
    return sampling;
}

static void samples_stand_for_the_trace(void **state)
{
    (void)state;
    const struct spoor_sampling_options options = {
        .struct_size = sizeof options, .interval = 50, .size = 40, .seed = 3};
    struct spoor_sample sample;
    uint64_t records, instructions, next = 0;
    double shares = 0, represented = 0;
    size_t count = 0;
    struct spoor_sampling *sampling = sampled(&options, &records, &instructions);
    struct spoor_result *result = spoor_result_new_object();
    assert_true(spoor_sampling_intervals(sampling) > 80);
    assert_int_equal(spoor_sampling_instructions(sampling), instructions);
    assert_int_equal(spoor_sampling_report(sampling, result), SPOOR_OK);
    const struct spoor_result *row = spoor_result_first(spoor_result_member(result, "simpoints"));
    for (; spoor_sampling_sample(sampling, count, &sample); count++, row = spoor_result_next(row)) {
        assert_true(sample.first >= next && sample.last >= sample.first);
        assert_true(sample.interval < spoor_sampling_intervals(sampling));
        assert_true(sample.weight > 0);
        next = sample.last + 1;
        shares += sample.share;
        represented += sample.weight * (double)sample.instructions;
        assert_int_equal(spoor_result_whole(spoor_result_member(row, "first_record")),
                         sample.first);
        assert_int_equal(spoor_result_whole(spoor_result_member(row, "instructions")),
                         sample.instructions);
    }
    assert_null(row);
    assert_int_equal(count, options.size);
    assert_true(next <= records);
    assert_true(fabs(shares - 1) < 1e-9);
    /* calibration: the weighted sample has the count of the whole */
    assert_true(fabs(represented / (double)instructions - 1) < 0.01);
    spoor_result_free(result);
    spoor_sampling_free(sampling);
}

static void a_small_trace_is_its_sample(void **state)
{
    (void)state;
    const struct spoor_sampling_options options = {
        .struct_size = sizeof options, .interval = 1000, .size = 1 << 20};
    struct spoor_sample sample;
    uint64_t records, instructions, next = 0;
    size_t count = 0;
    struct spoor_sampling *sampling = sampled(&options, &records, &instructions);
    for (; spoor_sampling_sample(sampling, count, &sample); count++) {
        assert_int_equal(sample.first, next);
        assert_true(sample.weight == 1);
        assert_null(sample.replicates); /* chance chose none */
        next = sample.last + 1;
    }
    assert_int_equal(next, records);
    assert_int_equal(count, spoor_sampling_intervals(sampling));
    spoor_sampling_free(sampling);
    spoor_sampling_free(NULL);
}

/* Each replicate leaves out every 16th interval, and has the count of the whole, too. */
static void replicates_stand_for_the_trace(void **state)
{
    (void)state;
    const struct spoor_sampling_options options = {
        .struct_size = sizeof options, .interval = 20, .size = 100, .seed = 5};
    struct spoor_sample sample;
    uint64_t records, instructions;
    double represented[SPOOR_SAMPLING_REPLICATES] = {0};
    size_t left_out[SPOOR_SAMPLING_REPLICATES] = {0};
    struct spoor_sampling *sampling = sampled(&options, &records, &instructions);
    for (size_t i = 0; spoor_sampling_sample(sampling, i, &sample); i++) {
        size_t zeros = 0;
        assert_non_null(sample.replicates);
        for (size_t k = 0; k < SPOOR_SAMPLING_REPLICATES; k++) {
            const double weight = sample.weight * sample.replicates[k];
            assert_true(weight >= 0);
            represented[k] += weight * (double)sample.instructions;
            left_out[k] += weight == 0;
            zeros += weight == 0;
        }
        assert_true(zeros == 1 || (zeros == 0 && sample.replicates[0] > 0));
    }
    for (size_t k = 0; k < SPOOR_SAMPLING_REPLICATES; k++) {
        assert_true(left_out[k] == left_out[0] || left_out[k] + 1 == left_out[0]);
        assert_true(fabs(represented[k] / (double)instructions - 1) < 0.02);
    }
    assert_true(left_out[0] > 0);
    spoor_sampling_free(sampling);
}

/* Few intervals cannot have all counts of the trace: calibration then gives outliers next to no
 * weight, by which a replicate is still divided. */
static void small_samples_have_finite_replicates(void **state)
{
    (void)state;
    struct spoor_sample sample;
    uint64_t records, instructions;
    for (uint64_t seed = 0; seed < 12; seed++) {
        const struct spoor_sampling_options options = {
            .struct_size = sizeof options, .interval = 20, .size = 24, .seed = seed};
        struct spoor_sampling *sampling = sampled(&options, &records, &instructions);
        for (size_t i = 0; spoor_sampling_sample(sampling, i, &sample); i++) {
            assert_true(sample.weight > 1e-10 && sample.weight < 1e12);
            for (size_t k = 0; sample.replicates && k < SPOOR_SAMPLING_REPLICATES; k++)
                assert_true(sample.replicates[k] >= 0 && sample.replicates[k] < 1e24);
        }
        spoor_sampling_free(sampling);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_stand_for_the_trace),
        cmocka_unit_test(a_small_trace_is_its_sample),
        cmocka_unit_test(replicates_stand_for_the_trace),
        cmocka_unit_test(small_samples_have_finite_replicates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
