/* SPDX-License-Identifier: MIT */
/* test_predictor.c: properties of all predictors, and the parsing of specs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "spoor/prediction.h"

enum { BRANCHES = 30000 };

/* ---- a program of made-up branches: loops, correlated and random outcomes, calls, returns ---- */

struct maker {
    uint64_t random;
    struct spoor_branch *next;
    uint64_t stack[8];
    unsigned depth;
};

static uint64_t draw(struct maker *maker, uint64_t below)
{
    maker->random ^= maker->random << 13;
    maker->random ^= maker->random >> 7;
    maker->random ^= maker->random << 17;
    return maker->random % below;
}

static void put(struct maker *maker, uint64_t pc, uint64_t target, unsigned type, bool taken)
{
    *maker->next++ = (struct spoor_branch){
        .pc = pc,
        .target = target,
        .fall = pc + 4,
        .gap = (uint32_t)draw(maker, 9),
        .type = (uint8_t)type,
        .has = (uint8_t)(SPOOR_BRANCH_HAS_TARGET | SPOOR_BRANCH_HAS_FALL | SPOOR_BRANCH_HAS_TYPE |
                         (taken ? SPOOR_BRANCH_TAKEN : 0)),
    };
}

static void put_one(struct maker *maker)
{
    uint64_t site = 0x1000 + 4 * draw(maker, 300);
    switch (draw(maker, 8)) {
    case 0: put(maker, site, 0x9000 + 64 * draw(maker, 5), SPOOR_BRANCH_INDIRECT, true); break;
    case 1:
        if (maker->depth == 8) break;
        maker->stack[maker->depth++] = site + 4;
        put(maker, site, 0x8000, SPOOR_BRANCH_CALL, true);
        break;
    case 2:
        if (maker->depth == 0) break;
        put(maker, 0x8100, maker->stack[--maker->depth],
            SPOOR_BRANCH_RETURN | SPOOR_BRANCH_INDIRECT, true);
        break;
    case 3: put(maker, site, site - 400, SPOOR_BRANCH_CONDITIONAL, draw(maker, 10) != 0); break;
    case 4: put(maker, site, site + 400, SPOOR_BRANCH_CONDITIONAL, draw(maker, 2)); break;
    default:
        put(maker, 0x2000 + 4 * draw(maker, 20), 0x1000, SPOOR_BRANCH_CONDITIONAL,
            maker->next[-1].has & SPOOR_BRANCH_TAKEN);
    }
}

static struct spoor_branch *make_branches(void)
{
    struct spoor_branch *branches = calloc(BRANCHES, sizeof *branches);
    assert_non_null(branches);
    struct maker maker = {.random = 88172645463325252U, .next = branches};
    put(&maker, 0x1000, 0x0f00, SPOOR_BRANCH_CONDITIONAL, true);
    while (maker.next < branches + BRANCHES) put_one(&maker);
    return branches;
}

static struct spoor_predictor *make(const char *spec)
{
    struct spoor_error error = {0};
    struct spoor_predictor *predictor;
    if (spoor_predictor_new(&predictor, spec, &error) != SPOOR_OK)
        fail_msg("%s: %s", spec, error.text);
    return predictor;
}

/* ---- properties ---- */

/* Whether only spoor_predictor_run() knows if the prediction of a branch was right: a target that
 * is predicted is wrong for a branch that is not taken where the predictor takes it in any case. */
static bool run_alone_knows(const struct spoor_predictor *predictor,
                            const struct spoor_branch *branch)
{
    return spoor_predictor_aim(predictor) == SPOOR_PREDICTS_TARGET &&
           !(branch->has & SPOOR_BRANCH_TAKEN);
}

/* Queries the predictor branch by branch, which spoor_predictor_run() must equal. */
static void ask_one_by_one(const char *spec, const struct spoor_branch *branches, uint8_t *wrong)
{
    struct spoor_predictor *predictor = make(spec);
    bool target = spoor_predictor_aim(predictor) == SPOOR_PREDICTS_TARGET;
    for (size_t i = 0; i < BRANCHES; i++) {
        wrong[i] = 0;
        if (spoor_predictor_asks(predictor, &branches[i])) {
            bool guess = spoor_predictor_predict(predictor, &branches[i]);
            wrong[i] = target ? spoor_predictor_target(predictor) != branches[i].target
                              : guess != (branches[i].has & SPOOR_BRANCH_TAKEN);
            spoor_predictor_train(predictor, &branches[i]);
        }
        spoor_predictor_track(predictor, &branches[i]);
    }
    spoor_predictor_free(predictor);
}

static void every_predictor_runs_as_branch_by_branch(void **state)
{
    (void)state;
    struct spoor_branch *branches = make_branches();
    static uint8_t expected[BRANCHES], wrong[BRANCHES], first_wrong[BRANCHES];
    const struct spoor_component *component;
    for (size_t i = 0; (component = spoor_component_at(SPOOR_PREDICTOR, i)); i++) {
        const char *name = component->name;
        ask_one_by_one(name, branches, expected);
        struct spoor_predictor *predictor = make(name), *parts = make(name);
        uint64_t sum = 0, all = spoor_predictor_run(predictor, branches, BRANCHES, wrong);
        for (size_t at = 0; at < BRANCHES; at++) {
            sum += wrong[at];
            if (wrong[at] != expected[at] && !run_alone_knows(predictor, &branches[at]))
                fail_msg("%s: branch %zu", name, at);
        }
        assert_int_equal(all, sum);
        uint64_t first = spoor_predictor_run(parts, branches, 1000, first_wrong);
        uint64_t rest = spoor_predictor_run(parts, branches + 1000, BRANCHES - 1000, NULL);
        assert_int_equal(first + rest, sum);
        assert_memory_equal(first_wrong, wrong, 1000);
        spoor_predictor_free(predictor);
        spoor_predictor_free(parts);
    }
    free(branches);
}

/* always and never are each wrong if and only if the other is right. */
static void always_and_never_complement_each_other(void **state)
{
    (void)state;
    struct spoor_branch *branches = make_branches();
    uint64_t conditional = 0, taken = 0;
    for (size_t i = 0; i < BRANCHES; i++) {
        if (!(branches[i].type & SPOOR_BRANCH_CONDITIONAL)) continue;
        conditional++;
        taken += branches[i].has & SPOOR_BRANCH_TAKEN;
    }
    struct spoor_predictor *always = make("always"), *never = make("never");
    assert_int_equal(spoor_predictor_run(never, branches, BRANCHES, NULL), taken);
    assert_int_equal(spoor_predictor_run(always, branches, BRANCHES, NULL), conditional - taken);
    spoor_predictor_free(always);
    spoor_predictor_free(never);
    free(branches);
}

static uint64_t run(const char *spec, const struct spoor_branch *branches)
{
    struct spoor_predictor *predictor = make(spec);
    uint64_t wrong = spoor_predictor_run(predictor, branches, BRANCHES, NULL);
    spoor_predictor_free(predictor);
    return wrong;
}

/* Predictors that are equal by definition without one of their parts. */
static void predictors_without_a_part_are_each_other(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"gshare:bits=9,history=0", "bimodal:bits=9"},
        {"gselect:bits=9,history=0", "bimodal:bits=9"},
        {"bimodal:entries=512", "bimodal:bits=9"},
        {"gshare:bits=9,history=0,train_unconditional=1", "bimodal:bits=9,train_unconditional=1"},
        {"gselect:bits=9,history=9", "gag:history=9"},
        {"local:history=9,histories=0", "gag:history=9"},
        {"pas:history=7,tables=0", "local:history=7"},
        {"pas:history=0,tables=8", "bimodal:bits=8"},
        {"tournament:bits=4,bimodal=7,gshare=7,history=0", "bimodal:bits=7"},
    };
    struct spoor_branch *branches = make_branches();
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (run(pairs[i][0], branches) != run(pairs[i][1], branches))
            fail_msg("%s is not %s", pairs[i][0], pairs[i][1]);
    free(branches);
}

/* Keys at the ends of their ranges, within the available memory. */
static void the_ends_of_ranges_are_safe(void **state)
{
    (void)state;
    static const char *const specs[] = {
        "bimodal:bits=0,shift=16,start=3",
        "gshare:bits=0",
        "gselect:bits=20,history=20",
        "gag:history=0",
        "local:history=26,histories=0",
        "pas:history=0,tables=10",
        "2bc-gskew:bits=4,g0=63,g1=0,meta=63",
        "perceptron:bits=0,history=63",
        "perceptron:history=1",
        "hashed-perceptron:tables=2,bits=1,shortest=1,longest=1",
        "hashed-perceptron:tables=16,bits=16,shortest=1000,longest=4095",
        "tage:tables=1,bits=1,tag=4,base=1,shortest=1,longest=1",
        "tage:tables=16,bits=12,tag=16,shortest=1000,longest=4095",
        "ittage:tables=1,bits=1,tag=4,base=1,shortest=1,longest=1",
        "ittage:tables=16,bits=12,tag=16,shortest=1000,longest=4095",
        "btb:bits=0,ways=32",
        "basic-btb:bits=0,ways=1,indirect=0,entries=1,length=15",
        "basic-btb:bits=0,ways=32,shift=16",
        "bimodal:entries=1,train_unconditional=1",
        "gshare:bits=0,taken_from=3,train_unconditional=1",
        "return-stack:entries=1",
        "tage-sc-l:size=9000",
    };
    struct spoor_branch *branches = make_branches();
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
        assert_true(run(specs[i], branches) < BRANCHES);
    free(branches);
}

/* ---- words ---- */

static void what_is_wrong_with_a_spec_is_said(void **state)
{
    (void)state;
    static const struct {
        const char *spec, *words;
    } wrong[] = {
        {"bimodl", "no predictor is called 'bimodl': did you mean 'bimodal'?"},
        {"", "no predictor is called ''"},
        {"gshare:histroy=3", "predictor 'gshare' has no key 'histroy': did you mean 'history'?"},
        {"gshare:bits", "predictor 'gshare', key 'bits': found '', expected a number from 0 to 30"},
        {"gshare:bits=0x", "predictor 'gshare', key 'bits': found '0x', expected a number"},
        {"gshare:bits=99999999999999999999", "found '99999999999999999999', expected a number"},
        {"gshare:bits=20,history=63,fold=1",
         "predictor 'gshare:bits=20,history=63,fold=1': with `fold`, `history`"},
        {"gshare:top=2", "predictor 'gshare', key 'top': found '2', expected a number from 0 to 1"},
        {"pas:history=26,tables=10",
         "predictor 'pas:history=26,tables=10': its tables are over 1 GiB"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct spoor_error error = {0};
        struct spoor_predictor *predictor;
        assert_int_equal(spoor_predictor_new(&predictor, wrong[i].spec, &error), SPOOR_EUSAGE);
        assert_null(predictor);
        assert_int_equal(error.status, SPOOR_EUSAGE);
        if (!strstr(error.text, wrong[i].words)) fail_msg("%s: %s", wrong[i].spec, error.text);
    }
}

static struct spoor_prediction *predict(const char *spec)
{
    struct spoor_error error = {0};
    struct spoor_prediction *prediction;
    const struct spoor_prediction_options options = {
        .struct_size = sizeof options, .specs = &spec, .count = 1};
    if (spoor_prediction_new(&prediction, &options, &error) != SPOOR_OK)
        fail_msg("%s: %s", spec, error.text);
    return prediction;
}

static uint64_t mispredictions(struct spoor_prediction *prediction)
{
    struct spoor_result *result = spoor_result_new_object();
    assert_int_equal(spoor_prediction_end(prediction, 0, NULL), SPOOR_OK);
    assert_int_equal(spoor_prediction_report(prediction, result), SPOOR_OK);
    const struct spoor_result *row = spoor_result_first(spoor_result_member(result, "predictors"));
    const uint64_t wrong = spoor_result_whole(spoor_result_member(row, "mispredictions"));
    spoor_result_free(result);
    return wrong;
}

/* A prediction that goes on where another ended mispredicts what one of both parts does. */
static void predictions_go_on_where_others_ended(void **state)
{
    (void)state;
    enum { FIRST = 7000 };
    struct spoor_error error = {0};
    struct spoor_branch *branches = make_branches();
    const struct spoor_component *component;
    for (size_t i = 0; (component = spoor_component_at(SPOOR_PREDICTOR, i)); i++) {
        const char *name = component->name;
        struct spoor_prediction *whole = predict(name), *first = predict(name),
                                *rest = predict(name);
        assert_int_equal(spoor_prediction_feed(whole, branches, BRANCHES, &error), SPOOR_OK);
        assert_int_equal(spoor_prediction_feed(first, branches, FIRST, &error), SPOOR_OK);
        assert_int_equal(spoor_prediction_continue(rest, first, &error), SPOOR_OK);
        assert_int_equal(spoor_prediction_feed(rest, branches + FIRST, BRANCHES - FIRST, &error),
                         SPOOR_OK);
        assert_int_equal(mispredictions(first) + mispredictions(rest), mispredictions(whole));
        spoor_prediction_free(whole);
        spoor_prediction_free(first);
        spoor_prediction_free(rest);
    }
    free(branches);
}

/* Three cpus, each with predictors of its own: those of each go on, and not those of another. */
static void predictions_of_each_cpu_go_on(void **state)
{
    (void)state;
    enum { FIRST = 7000, CPUS = 3 };
    struct spoor_error error = {0};
    struct spoor_branch *branches = make_branches(), *own = calloc(BRANCHES, sizeof *own);
    uint64_t sum = 0;
    assert_non_null(own);
    for (size_t i = 0; i < BRANCHES; i++) {
        branches[i].cpu = (spoor_name)(1 + i % 7 % CPUS);
        branches[i].has |= SPOOR_BRANCH_HAS_CPU;
    }
    for (unsigned cpu = 1; cpu <= CPUS; cpu++) {
        struct spoor_predictor *predictor = make("gshare");
        size_t count = 0;
        for (size_t i = 0; i < BRANCHES; i++)
            if (branches[i].cpu == cpu) own[count++] = branches[i];
        sum += spoor_predictor_run(predictor, own, count, NULL);
        spoor_predictor_free(predictor);
    }
    struct spoor_prediction *whole = predict("gshare"), *first = predict("gshare"),
                            *rest = predict("gshare");
    assert_int_equal(spoor_prediction_feed(whole, branches, BRANCHES, &error), SPOOR_OK);
    assert_int_equal(spoor_prediction_feed(first, branches, FIRST, &error), SPOOR_OK);
    assert_int_equal(spoor_prediction_continue(rest, first, &error), SPOOR_OK);
    assert_int_equal(spoor_prediction_feed(rest, branches + FIRST, BRANCHES - FIRST, &error),
                     SPOOR_OK);
    assert_int_equal(spoor_prediction_cpu_count(rest), CPUS);
    assert_int_equal(mispredictions(whole), sum);
    assert_int_equal(mispredictions(first) + mispredictions(rest), sum);
    spoor_prediction_free(whole);
    spoor_prediction_free(first);
    spoor_prediction_free(rest);
    free(branches);
    free(own);
}

/* Loops of fixed numbers of turns, some longer than histories are, with random branches in them. */
static struct spoor_branch *make_loops(void)
{
    struct spoor_branch *branches = calloc(BRANCHES, sizeof *branches);
    assert_non_null(branches);
    struct maker maker = {.random = 88172645463325252U, .next = branches};
    while (maker.next < branches + BRANCHES) {
        static const unsigned turns[] = {7, 23, 61, 131};
        const unsigned loop = (unsigned)draw(&maker, 4);
        for (unsigned i = 1; i <= turns[loop] && maker.next < branches + BRANCHES; i++) {
            if (i % 8 == 0)
                put(&maker, 0x5000 + 16 * loop, 0x5800, SPOOR_BRANCH_CONDITIONAL, draw(&maker, 2));
            if (maker.next < branches + BRANCHES)
                put(&maker, 0x4000 + 64 * loop, 0x3f00, SPOOR_BRANCH_CONDITIONAL, i < turns[loop]);
        }
    }
    return branches;
}

/* The predictors whose counts on the championships' traces are those that their authors and MBPlib
 * publish (tests/cases/branch.case) have these counts here, where no such trace is.  Small tables
 * share entries, which large ones do not. */
static void counts_are_those_of_the_published_version(void **state)
{
    static const struct {
        const char *spec;
        uint64_t wrong, storage; /* mispredictions; bits */
        uint64_t of_loops;       /* mispredictions */
    } rows[] = {
        {"always", 3693, 0, 2031},
        {"never", 15384, 0, 27969},
        {"backward", 3745, 0, 1983},
        {"bimodal", 4566, 32768, 1997},
        {"bimodal:bits=5,start=2", 4314, 64, 1993},
        {"gshare", 7824, 32782, 2081},
        {"gshare:bits=6", 4389, 134, 2120},
        {"gshare:bits=8,history=20,fold=1", 4570, 532, 2278},
        {"gshare:bits=7,history=3,top=1", 4307, 259, 2001},
        {"gshare:bits=9,unconditional=1", 4768, 1033, 2001},
        {"gselect:bits=8,history=4", 4050, 516, 2001},
        {"local", 4954, 12288, 2057},
        {"local:history=6,histories=4", 4483, 224, 2104},
        {"pas:history=5,histories=5,tables=2", 4515, 416, 2023},
        {"gag:history=7", 3951, 263, 2337},
        {"tournament", 4705, 24588, 1905},
        {"tournament:bits=4,bimodal=5,gshare=6,history=6", 4327, 230, 2005},
        {"tournament:bits=5,chosen=1,choice=1", 4346, 197, 1995},
        {"2bc-gskew", 4376, 262171, 1938},
        {"2bc-gskew:bits=5,g0=7,g1=9,meta=6", 4590, 265, 1971},
        {"perceptron", 3812, 270368, 1886},
        {"perceptron:bits=3,history=11", 3693, 779, 2015},
        {"hashed-perceptron", 4106, 524688, 1842},
        {"hashed-perceptron:tables=4,bits=6,longest=40", 3767, 2088, 1894},
        {"hashed-perceptron:unconditional=1", 4110, 524688, 1842},
        {"tage", 3791, 230020, 1819},
        {"tage:tables=5,bits=6,tag=7,base=6,longest=60", 3911, 4032, 1851},
        {"tage-sc-l", 4016, 523355, 1580},
        {"tage-sc-l:size=8K", 3885, 67349, 1574},
        {"bimodal:entries=37", 4390, 74, 2040},
        {"bimodal:bits=7,train_unconditional=1", 4071, 256, 1997},
        {"gshare:bits=6,taken_from=1,train_unconditional=1", 3725, 134, 2054},
        {"basic-btb", 11922, 1257484, 7},
        {"basic-btb:bits=3,ways=2,indirect=4,entries=3", 20963, 3268, 365},
        {"btb", 13999, 245760, 7},
        {"btb:bits=3,ways=2", 23164, 2016, 365},
        {"return-stack", 0, 1024, 0},
        {"return-stack:entries=3", 550, 192, 0},
        {"ittage", 3211, 590464, 0},
        {"ittage:tables=3,bits=5,tag=6,base=5,longest=30", 3147, 9150, 0},
    };
    (void)state;
    struct spoor_branch *branches = make_branches(), *loops = make_loops();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct spoor_predictor *predictor = make(rows[i].spec), *other = make(rows[i].spec);
        const uint64_t of_loops = spoor_predictor_run(other, loops, BRANCHES, NULL);
        const uint64_t wrong = spoor_predictor_run(predictor, branches, BRANCHES, NULL),
                       storage = spoor_predictor_storage(predictor);
        spoor_predictor_free(other);
        if (wrong != rows[i].wrong || storage != rows[i].storage || of_loops != rows[i].of_loops)
            fail_msg("%s: %llu and %llu mispredictions, %llu bits", rows[i].spec,
                     (unsigned long long)wrong, (unsigned long long)of_loops,
                     (unsigned long long)storage);
        spoor_predictor_free(predictor);
    }
    free(branches);
    free(loops);
}

static void predictions_of_others_are_refused(void **state)
{
    (void)state;
    struct spoor_error error = {0};
    struct spoor_prediction *small = predict("gshare:bits=8"), *large = predict("gshare:bits=9");
    assert_int_equal(spoor_prediction_continue(small, large, &error), SPOOR_EUSAGE);
    assert_string_equal(error.text, "the predictions have different predictors");
    spoor_prediction_free(small);
    spoor_prediction_free(large);
}

static void defaults_stand_behind_the_spec(void **state)
{
    (void)state;
    struct spoor_error error = {0};
    struct spoor_predictor *predictor;
    assert_int_equal(spoor_predictor_new_with(&predictor, "gshare:bits=0x4,start=2",
                                              "shift=0,start=3,none=9", &error),
                     SPOOR_OK);
    assert_int_equal(spoor_predictor_value(predictor, "shift"), 0);
    assert_int_equal(spoor_predictor_value(predictor, "start"), 2);
    assert_int_equal(spoor_predictor_value(predictor, "history"), 4);
    assert_int_equal(spoor_predictor_storage(predictor), 2 * 16 + 4);
    char *shown = spoor_predictor_state(predictor);
    assert_string_equal(shown, "tttttttttttttttt  NNNN");
    free(shown);
    spoor_predictor_free(predictor);
    assert_null(spoor_predictor_preset("pen"));
    assert_string_equal(spoor_predictor_preset("penn"), "shift=0,start=0,truncate=1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_predictor_runs_as_branch_by_branch),
        cmocka_unit_test(always_and_never_complement_each_other),
        cmocka_unit_test(predictors_without_a_part_are_each_other),
        cmocka_unit_test(the_ends_of_ranges_are_safe),
        cmocka_unit_test(what_is_wrong_with_a_spec_is_said),
        cmocka_unit_test(predictions_go_on_where_others_ended),
        cmocka_unit_test(predictions_of_each_cpu_go_on),
        cmocka_unit_test(counts_are_those_of_the_published_version),
        cmocka_unit_test(predictions_of_others_are_refused),
        cmocka_unit_test(defaults_stand_behind_the_spec),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
