/* SPDX-License-Identifier: MIT */
/*
 * test_theorems.c: properties of every machine on every trace, tested on random programs.
 *
 * One property does not hold and is not tested: more resources are not always faster, because
 * scheduling is greedy.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "simulate/pipeline/pipeline.h"
#include "simulate/pipeline/random_trace.h"
#include "spoor/spoor.h"

enum { OPERATIONS = 3000, CYCLES = 200000, SEEDS = 4 };

/* ---- machines ---- */

/* Arguments of spoor_pipeline_set(), after the preset penn-hw5. */
static const char *const machines[] = {
    "width=1 rob=4",
    "width=8 rob=128",
    "width=8 rob=128 memory=perfect",
    "width=8 rob=128 memory=naive store_check=all",
    "width=8 rob=128 memory=store-sets store_check=all",
    "width=6 rob=100 memory=store-sets store_check=all store_set_entries=16 issue_delay=3",
    "width=4 rob=48 memory=perfect issue_queue=12 load_queue=6 store_queue=4 registers=64",
    "width=4 rob=200 memory=naive store_check=all alu_units=2 load_units=1 store_units=1",
    "width=5 rob=70 memory=perfect fetch_width=7 issue_width=3 commit_width=4 load_latency=9",
    "width=3 rob=33 memory=store-sets store_check=all divide_latency=17 divide_units=1 "
    "divide_pipelined=no multiply_latency=4 float_latency=6",
    "width=4 rob=64 memory=naive store_check=all predictor=bimodal mispredict_penalty=7 "
    "taken_ends_group=yes level=l1:512,2,16 miss_latency_1=90",
};
enum { MACHINES = sizeof machines / sizeof *machines };

static struct spoor_pipeline_config configured(const char *preset, const char *words)
{
    struct spoor_pipeline_config config;
    struct spoor_error error = {0};
    assert_true(spoor_pipeline_preset(preset, &config));
    while (*words) {
        char name[64], value[64];
        int used = 0;
        assert_int_equal(sscanf(words, "%63[^=]=%63s%n", name, value, &used), 2);
        if (spoor_pipeline_set(&config, name, value, &error) != SPOOR_OK)
            fail_msg("%s", error.text);
        words += used;
        words += *words == ' ';
    }
    return config;
}

/* ---- the events of a machine ---- */

struct machine_events {
    struct spoor_pipeline_event *events; /* events of retired operations, by ordinal */
    struct spoor_operation *operations;
    size_t count, squashed;
};

static void see(void *context, const struct spoor_pipeline_event *event)
{
    struct machine_events *seen = context;
    if (event->why & SPOOR_WHY_SQUASHED) {
        seen->squashed++;
        return;
    }
    assert_int_equal(event->ordinal, seen->count);
    assert_true(seen->count < OPERATIONS);
    seen->events[seen->count] = *event;
    seen->operations[seen->count++] = *event->operation;
}

static struct spoor_pipeline *run(const struct trace *trace, const char *preset,
                                  const char *const *words, size_t count,
                                  struct machine_events *seen,
                                  const struct spoor_pipeline_options *options)
{
    struct spoor_error error = {0};
    struct spoor_pipeline *pipeline;
    assert_int_equal(spoor_pipeline_new(&pipeline, options, NULL), SPOOR_OK);
    for (size_t i = 0; i < count; i++) {
        const struct spoor_pipeline_config config = configured(preset, words[i]);
        assert_int_equal(spoor_pipeline_add(pipeline, &config, &error), SPOOR_OK);
    }
    if (seen) spoor_pipeline_observe(pipeline, 0, see, seen);
    assert_int_equal(spoor_pipeline_feed(pipeline, &trace->batch, &error), SPOOR_OK);
    assert_int_equal(spoor_pipeline_end(pipeline, &error), SPOOR_OK);
    return pipeline;
}

static struct machine_events room_to_see(void)
{
    struct machine_events seen = {calloc(OPERATIONS, sizeof *seen.events),
                                  calloc(OPERATIONS, sizeof *seen.operations), 0, 0};
    assert_non_null(seen.events);
    assert_non_null(seen.operations);
    return seen;
}

static void forget(struct machine_events *seen)
{
    free(seen->events);
    free(seen->operations);
}

/* ---- theorems ---- */

static void stages_in_order(const struct machine_events *seen,
                            const struct spoor_pipeline_config *config)
{
    for (size_t i = 0; i < seen->count; i++) {
        const struct spoor_pipeline_event *event = &seen->events[i];
        assert_true(event->fetch + config->issue_delay <= event->issue);
        assert_true(event->issue + config->latency[seen->operations[i].kind] <= event->complete);
        assert_true(event->complete <= event->retire);
        if (i == 0) continue;
        assert_true(event[-1].fetch <= event->fetch);
        assert_true(event[-1].retire <= event->retire);
    }
}

/* Every source is available at the issue, through registers and through memory. */
static void values_are_there(const struct machine_events *seen)
{
    size_t writer[SPOOR_NO_REGISTER + 1];
    memset(writer, 0xff, sizeof writer);
    for (size_t i = 0; i < seen->count; i++) {
        const struct spoor_operation *operation = &seen->operations[i];
        for (int j = 0; j < 3; j++) {
            const uint8_t source = operation->source[j];
            if (source != SPOOR_NO_REGISTER && writer[source] != SIZE_MAX)
                assert_true(seen->events[writer[source]].complete <= seen->events[i].issue);
        }
        for (int j = 0; j < 2; j++) writer[operation->dest[j]] = i;
        writer[SPOOR_NO_REGISTER] = SIZE_MAX;
        if (!(operation->is & SPOOR_UOP_LOAD)) continue;
        for (size_t k = i; k-- > 0;)
            if (seen->operations[k].is & SPOOR_UOP_STORE &&
                seen->operations[k].address == operation->address) {
                assert_true(seen->events[k].complete <= seen->events[i].issue);
                break;
            }
    }
}

/* Checks that at most `maximum` of the operations with a bit of `is` (0: all) are in [begin, end)
 * at each cycle. */
static void never_more(const struct machine_events *seen, unsigned is, bool issued,
                       uint64_t maximum)
{
    int *change = calloc(CYCLES + 2, sizeof *change), now = 0;
    assert_non_null(change);
    for (size_t i = 0; i < seen->count; i++) {
        const struct spoor_pipeline_event *event = &seen->events[i];
        if (is && !(seen->operations[i].is & is)) continue;
        assert_true(event->retire < CYCLES);
        change[event->fetch]++;
        change[issued ? event->issue : event->retire]--;
    }
    for (size_t cycle = 0; cycle < CYCLES; cycle++) {
        now += change[cycle];
        assert_true(now >= 0 && (uint64_t)now <= maximum);
    }
    free(change);
}

static uint64_t stage_of(const struct spoor_pipeline_event *event, int stage)
{
    return stage == 0 ? event->fetch : stage == 1 ? event->issue : event->retire;
}

static void never_wider(const struct machine_events *seen,
                        const struct spoor_pipeline_config *config)
{
    const uint32_t widths[] = {config->fetch_width, config->issue_width, config->commit_width};
    uint32_t *count = malloc(CYCLES * sizeof *count);
    assert_non_null(count);
    for (int stage = 0; stage < 3; stage++) {
        memset(count, 0, CYCLES * sizeof *count);
        for (size_t i = 0; i < seen->count; i++) {
            const uint64_t cycle = stage_of(&seen->events[i], stage);
            assert_true(++count[cycle] <= (widths[stage] ? widths[stage] : config->width));
        }
    }
    for (int kind = 0; kind < SPOOR_CLASSES; kind++) {
        memset(count, 0, CYCLES * sizeof *count);
        for (size_t i = 0; i < seen->count && config->units[kind]; i++)
            if (seen->operations[i].kind == kind)
                assert_true(++count[seen->events[i].issue] <= config->units[kind]);
    }
    free(count);
}

static void resources_hold(const struct machine_events *seen,
                           const struct spoor_pipeline_config *config)
{
    const uint64_t rob = config->rob;
    never_wider(seen, config);
    never_more(seen, 0, false, rob);
    never_more(seen, 0, true, config->issue_queue ? config->issue_queue : rob);
    never_more(seen, SPOOR_UOP_LOAD, false, config->load_queue ? config->load_queue : rob);
    never_more(seen, SPOOR_UOP_STORE, false, config->store_queue ? config->store_queue : rob);
}

static void slots_sum_up(const struct spoor_pipeline *pipeline, size_t index, uint64_t width)
{
    const struct tally *stats = &pipeline->runners[index].machine->stats;
    uint64_t sum = 0;
    for (int i = 0; i < REASONS; i++) sum += stats->slots[i];
    assert_int_equal(sum, stats->cycles * width);
}

/* Returns the length of the longest chain of true dependences, by a plain search. */
static uint64_t dataflow_limit(const struct machine_events *seen,
                               const struct spoor_pipeline_config *config)
{
    uint64_t ready[SPOOR_NO_REGISTER + 1] = {0}, longest = 0,
                                       *done = calloc(seen->count, sizeof *done);
    assert_non_null(done);
    for (size_t i = 0; i < seen->count; i++) {
        const struct spoor_operation *operation = &seen->operations[i];
        uint64_t issue = 0;
        for (int j = 0; j < 3; j++)
            if (ready[operation->source[j]] > issue) issue = ready[operation->source[j]];
        for (size_t k = i; operation->is & SPOOR_UOP_LOAD && k-- > 0;)
            if (seen->operations[k].is & SPOOR_UOP_STORE &&
                seen->operations[k].address == operation->address) {
                if (done[k] > issue) issue = done[k];
                break;
            }
        done[i] = issue + config->latency[operation->kind];
        for (int j = 0; j < 2; j++)
            if (operation->dest[j] != SPOOR_NO_REGISTER) ready[operation->dest[j]] = done[i];
        if (done[i] > longest) longest = done[i];
    }
    free(done);
    return longest;
}

/* Returns the sum of the numbers in the first object or array after `key` of a result. */
static uint64_t sum_of(const struct spoor_result *result, const char *key, char closing)
{
    char *text = spoor_result_to_json(result, NULL);
    assert_non_null(text);
    const char *at = strstr(text, key);
    assert_non_null(at);
    uint64_t sum = 0;
    for (at += strlen(key); *at != closing; at++)
        if (at[-1] == ' ' && *at >= '0' && *at <= '9') sum += strtoull(at, NULL, 10);
    free(text);
    return sum;
}

/* The critical path is as long as the run, without the cycle of the last commit. */
static void critical_path_is_whole(const struct spoor_pipeline *pipeline)
{
    struct spoor_result *result = spoor_result_new_object();
    spoor_pipeline_report(pipeline, 0, result);
    assert_int_equal(sum_of(result, "\"critical_path\": {", '}') + 1,
                     spoor_pipeline_cycles(pipeline, 0));
    spoor_result_free(result);
}

static void hold_machine(const struct trace *trace, const char *words)
{
    struct machine_events seen = room_to_see();
    const struct spoor_pipeline_options options = {.limits = true, .critical = true};
    const struct spoor_pipeline_config config = configured("penn-hw5", words);
    struct spoor_pipeline *pipeline = run(trace, "penn-hw5", &words, 1, &seen, &options);
    assert_int_equal(seen.count, OPERATIONS);
    stages_in_order(&seen, &config);
    values_are_there(&seen);
    resources_hold(&seen, &config);
    slots_sum_up(pipeline, 0, config.fetch_width ? config.fetch_width : config.width);
    assert_int_equal(spoor_pipeline_cycles(pipeline, 0), seen.events[OPERATIONS - 1].retire + 1);
    assert_int_equal(spoor_pipeline_micro_ops(pipeline, 0), OPERATIONS);
    struct spoor_result *result = spoor_result_new_object();
    spoor_pipeline_report_trace(pipeline, result);
    const uint64_t limit = dataflow_limit(&seen, &config);
    assert_int_equal(sum_of(result, "\"dataflow_cycles\":", ','), limit);
    assert_true(limit < spoor_pipeline_cycles(pipeline, 0));
    critical_path_is_whole(pipeline);
    spoor_result_free(result);
    spoor_pipeline_free(pipeline);
    forget(&seen);
}

static void test_every_machine_keeps_the_theorems(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct trace trace;
        random_trace(&trace, seed, OPERATIONS);
        for (size_t i = 0; i < MACHINES; i++) hold_machine(&trace, machines[i]);
        trace_free(&trace);
    }
}

/* Two machines in one reading give the results that each gives alone. */
static void test_a_sweep_gives_what_each_gives_alone(void **state)
{
    (void)state;
    struct trace trace;
    random_trace(&trace, 7, OPERATIONS);
    struct spoor_pipeline *all = run(&trace, "penn-hw5", machines, MACHINES, NULL, NULL);
    for (size_t i = 0; i < MACHINES; i++) {
        struct spoor_pipeline *one = run(&trace, "penn-hw5", &machines[i], 1, NULL, NULL);
        assert_memory_equal(&one->runners[0].machine->stats, &all->runners[i].machine->stats,
                            sizeof(struct tally));
        spoor_pipeline_free(one);
    }
    spoor_pipeline_free(all);
    trace_free(&trace);
}

/* A watcher changes nothing. */
static void test_watching_changes_nothing(void **state)
{
    (void)state;
    struct trace trace;
    random_trace(&trace, 8, OPERATIONS);
    for (size_t i = 0; i < MACHINES; i++) {
        struct machine_events seen = room_to_see();
        struct spoor_pipeline *alone = run(&trace, "penn-hw5", &machines[i], 1, NULL, NULL);
        struct spoor_pipeline *watched = run(&trace, "penn-hw5", &machines[i], 1, &seen, NULL);
        assert_memory_equal(&alone->runners[0].machine->stats, &watched->runners[0].machine->stats,
                            sizeof(struct tally));
        assert_int_equal(alone->runners[0].machine->stats.squashed, seen.squashed);
        spoor_pipeline_free(alone);
        spoor_pipeline_free(watched);
        forget(&seen);
    }
    trace_free(&trace);
}

static unsigned draw(uint64_t *state, unsigned from, unsigned to)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return from + (unsigned)(*state >> 33) % (to - from + 1);
}

/* Draws a machine without speculation, any of whose structures and units may be scarce. */
static void draw_machine(uint64_t *state, char *words, size_t size)
{
    const unsigned rob = 1U << draw(state, 0, 7), scarce = draw(state, 0, 7);
    const int length =
        snprintf(words, size,
                 "memory=%s rob=%u width=%u fetch_width=%u issue_width=%u commit_width=%u "
                 "load_latency=%u multiply_latency=%u issue_delay=%u mispredict_penalty=%u",
                 draw(state, 0, 1) ? "perfect" : "conservative", rob + draw(state, 0, rob),
                 draw(state, 1, 9), draw(state, 0, 9), draw(state, 0, 9), draw(state, 0, 9),
                 draw(state, 1, 12), draw(state, 1, 5), draw(state, 1, 3), draw(state, 0, 9));
    const char *const more[] = {" load_units=1 store_units=2", " issue_queue=7 load_queue=3",
                                " registers=57 store_queue=2", " alu_units=1 branch_units=1",
                                " issue_queue=30 load_units=2"};
    if (scarce < 5) snprintf(words + length, size - (size_t)length, "%s", more[scarce]);
    if (draw(state, 0, 1))
        strcat(words,
               " predictor=bimodal taken_ends_group=yes level=l1:512,2,16 miss_latency_1=40");
}

/* Timing in program order equals simulation cycle by cycle, which a watched machine uses. */
static void test_two_ways_to_time_agree(void **state)
{
    (void)state;
    uint64_t drawn = 12;
    for (unsigned i = 0; i < 150; i++) {
        struct trace trace;
        char words[512];
        draw_machine(&drawn, words, sizeof words);
        const char *machine = words;
        const struct spoor_pipeline_options options = {.warm_up = draw(&drawn, 0, 1200)};
        random_trace(&trace, 100 + i, draw(&drawn, 0, 1) ? draw(&drawn, 0, 1500) : 1000);
        struct machine_events seen = room_to_see();
        struct spoor_pipeline *alone = run(&trace, "penn-hw5", &machine, 1, NULL, &options);
        struct spoor_pipeline *watched = run(&trace, "penn-hw5", &machine, 1, &seen, &options);
        const struct machine *program_order = alone->runners[0].machine;
        const struct machine *stepped = watched->runners[0].machine;
        assert_true(program_order->kind->blind && !stepped->kind->blind);
        if (memcmp(&program_order->stats, &stepped->stats, sizeof(struct tally)) != 0 ||
            memcmp(&program_order->before, &stepped->before, sizeof(struct tally)) != 0)
            fail_msg("%s, warm-up %u", words, (unsigned)options.warm_up);
        spoor_pipeline_free(alone);
        spoor_pipeline_free(watched);
        forget(&seen);
        trace_free(&trace);
    }
}

/* The cut into batches does not change the result. */
static void test_batches_do_not_matter(void **state)
{
    (void)state;
    struct trace trace;
    struct spoor_error error = {0};
    random_trace(&trace, 9, OPERATIONS);
    struct spoor_pipeline *whole = run(&trace, "penn-hw5", machines, MACHINES, NULL, NULL);
    struct spoor_pipeline *pieces;
    assert_int_equal(spoor_pipeline_new(&pieces, NULL, NULL), SPOOR_OK);
    for (size_t i = 0; i < MACHINES; i++) {
        const struct spoor_pipeline_config config = configured("penn-hw5", machines[i]);
        assert_int_equal(spoor_pipeline_add(pieces, &config, &error), SPOOR_OK);
    }
    struct spoor_batch piece = trace.batch;
    for (size_t at = 0, size = 1; at < OPERATIONS; at += piece.count, size = size % 7 + 1) {
        piece.records = trace.batch.records + at;
        piece.count = size < OPERATIONS - at ? size : OPERATIONS - at;
        assert_int_equal(spoor_pipeline_feed(pieces, &piece, &error), SPOOR_OK);
    }
    assert_int_equal(spoor_pipeline_end(pieces, &error), SPOOR_OK);
    for (size_t i = 0; i < MACHINES; i++)
        assert_memory_equal(&whole->runners[i].machine->stats, &pieces->runners[i].machine->stats,
                            sizeof(struct tally));
    spoor_pipeline_free(whole);
    spoor_pipeline_free(pieces);
    trace_free(&trace);
}

/* In-order and five-stage machines: slots add up, nothing overtakes. */
static void test_machines_in_order(void **state)
{
    (void)state;
    static const char *const orders[] = {"", "width=3 load_latency=5", "width=4 multiply_latency=6",
                                         "predictor=bimodal level=l1:512,2,16"};
    struct trace trace;
    random_trace(&trace, 10, OPERATIONS);
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        struct machine_events seen = room_to_see();
        struct spoor_pipeline *superscalar =
            run(&trace, "penn-superscalar", &orders[i], 1, &seen, NULL);
        for (size_t j = 1; j < seen.count; j++)
            assert_true(seen.events[j - 1].issue <= seen.events[j].issue);
        slots_sum_up(superscalar, 0, configured("penn-superscalar", orders[i]).width);
        seen.count = 0;
        struct spoor_pipeline *five = run(&trace, "five-stage", &orders[i], 1, &seen, NULL);
        for (size_t j = 0; j < seen.count; j++) {
            const struct spoor_pipeline_event *event = &seen.events[j];
            assert_true(event->fetch < event->decode && event->decode < event->issue);
            assert_true(event->issue < event->complete && event->complete < event->retire);
            if (j) assert_true(event[-1].retire < event->retire);
        }
        slots_sum_up(five, 0, 1);
        spoor_pipeline_free(superscalar);
        spoor_pipeline_free(five);
        forget(&seen);
    }
    trace_free(&trace);
}

/* A pipeline mispredicts exactly the branches that the predictor mispredicts on the trace. */
static void test_mispredictions_are_the_predictors(void **state)
{
    (void)state;
    static const char *const words[] = {"predictor=gshare:bits=9,history=9"};
    struct trace trace;
    struct spoor_error error = {0};
    struct spoor_branches branches = {0};
    random_trace(&trace, 11, OPERATIONS);
    assert_int_equal(spoor_branches_add(&branches, &trace.batch, NULL), SPOOR_OK);
    assert_int_equal(spoor_branches_end(&branches, NULL), SPOOR_OK);
    struct spoor_predictor *predictor;
    assert_int_equal(spoor_predictor_new(&predictor, "gshare:bits=9,history=9", &error), SPOOR_OK);
    const uint64_t wrong = spoor_predictor_run(predictor, branches.items, branches.count, NULL);
    struct spoor_pipeline *pipeline = run(&trace, "penn-hw5", words, 1, NULL, NULL);
    assert_true(wrong > 0);
    assert_int_equal(pipeline->runners[0].machine->stats.noted[NOTED_WRONG], wrong);
    spoor_pipeline_free(pipeline);
    spoor_predictor_free(predictor);
    spoor_branches_free(&branches);
    trace_free(&trace);
}

/* A pipeline that goes on where another ended mispredicts and misses what one of both parts does.
 */
static void test_pipelines_go_on_where_others_ended(void **state)
{
    (void)state;
    enum { FIRST = OPERATIONS / 3 };
    static const char *const words[] = {"predictor=bimodal level=l1:512,2,16 miss_latency_1=90"};
    struct trace trace;
    struct spoor_error error = {0};
    struct spoor_pipeline *parts[2];
    random_trace(&trace, 12, OPERATIONS);
    struct spoor_pipeline *whole = run(&trace, "penn-hw5", words, 1, NULL, NULL);
    const uint64_t *expected = whole->runners[0].machine->stats.noted;
    const struct spoor_pipeline_config config = configured("penn-hw5", words[0]);
    for (size_t i = 0; i < 2; i++) {
        struct spoor_batch part = trace.batch;
        part.records += i ? FIRST : 0;
        part.count = i ? OPERATIONS - FIRST : FIRST;
        assert_int_equal(spoor_pipeline_new(&parts[i], NULL, NULL), SPOOR_OK);
        assert_int_equal(spoor_pipeline_add(parts[i], &config, &error), SPOOR_OK);
        if (i) assert_int_equal(spoor_pipeline_continue(parts[i], parts[0], &error), SPOOR_OK);
        assert_int_equal(spoor_pipeline_feed(parts[i], &part, &error), SPOOR_OK);
        assert_int_equal(spoor_pipeline_end(parts[i], &error), SPOOR_OK);
    }
    const uint64_t *first = parts[0]->runners[0].machine->stats.noted,
                   *rest = parts[1]->runners[0].machine->stats.noted;
    for (size_t i = 0; i < sizeof whole->runners[0].machine->stats.noted / sizeof *expected; i++)
        assert_int_equal(first[i] + rest[i], expected[i]);
    assert_true(rest[NOTED_WRONG] > 0);
    spoor_pipeline_free(whole);
    spoor_pipeline_free(parts[0]);
    spoor_pipeline_free(parts[1]);
    trace_free(&trace);
}

static void test_other_pipelines_are_refused(void **state)
{
    (void)state;
    struct spoor_error error = {0};
    struct spoor_pipeline *pipelines[2];
    for (size_t i = 0; i < 2; i++) {
        const struct spoor_pipeline_config config =
            configured("penn-hw5", i ? "predictor=bimodal" : "predictor=gshare");
        assert_int_equal(spoor_pipeline_new(&pipelines[i], NULL, NULL), SPOOR_OK);
        assert_int_equal(spoor_pipeline_add(pipelines[i], &config, &error), SPOOR_OK);
    }
    assert_int_equal(spoor_pipeline_continue(pipelines[0], pipelines[1], &error), SPOOR_EUSAGE);
    assert_non_null(strstr(error.text, "different predictors or caches"));
    spoor_pipeline_free(pipelines[0]);
    spoor_pipeline_free(pipelines[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_machine_keeps_the_theorems),
        cmocka_unit_test(test_a_sweep_gives_what_each_gives_alone),
        cmocka_unit_test(test_watching_changes_nothing),
        cmocka_unit_test(test_two_ways_to_time_agree),
        cmocka_unit_test(test_batches_do_not_matter),
        cmocka_unit_test(test_machines_in_order),
        cmocka_unit_test(test_mispredictions_are_the_predictors),
        cmocka_unit_test(test_pipelines_go_on_where_others_ended),
        cmocka_unit_test(test_other_pipelines_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
