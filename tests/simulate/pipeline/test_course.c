/* SPDX-License-Identifier: MIT */
/*
 * test_course.c: store_check=first squashes as the published program of the course does.
 *
 * The model below follows that program's order of work: in each cycle it commits, then visits the
 * micro-ops in flight once, from the oldest on.  A visit issues a micro-op that is ready.  If the
 * micro-op is a store that completes in this cycle, the oldest younger load of its address that
 * issued before is squashed with all that follows, and the visit ends.  spoor schedules by wheels
 * and lists, so the two share nothing but the rule.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "simulate/pipeline/operation.h"
#include "simulate/pipeline/random_trace.h"
#include "spoor/spoor.h"

enum { OPERATIONS = 200, SEEDS = 60, REGISTERS = 256, LOAD_LATENCY = 3 };

/* ---- the model ---- */

struct slot {
    uint64_t issue, done; /* UINT64_MAX: not yet */
};

struct model {
    const struct spoor_operation *operations;
    struct slot slots[OPERATIONS];
    size_t head, tail; /* in flight: [head, tail) */
    uint64_t cycle;
};

/* The last older operation in flight or committed that writes the register; -1: none does. */
static int writer_of(const struct model *model, size_t reader, uint8_t reg)
{
    for (size_t i = reader; reg != SPOOR_NO_REGISTER && i-- > 0;)
        if (model->operations[i].dest[0] == reg || model->operations[i].dest[1] == reg)
            return (int)i;
    return -1;
}

static bool is_ready(const struct model *model, size_t at)
{
    for (int i = 0; i < 3; i++) {
        const int writer = writer_of(model, at, model->operations[at].source[i]);
        if (writer >= 0 && model->slots[writer].done > model->cycle) return false;
    }
    return true;
}

static bool is_violated(const struct model *model, size_t store, size_t load)
{
    const struct spoor_operation *operations = model->operations;
    return operations[load].is & SPOOR_UOP_LOAD && model->slots[load].issue < model->cycle &&
           operations[load].address == operations[store].address;
}

/* Visit those in flight; whether some were squashed. */
static bool visit(struct model *model, unsigned width)
{
    unsigned issued = 0;
    for (size_t i = model->head; i < model->tail; i++) {
        const struct spoor_operation *operation = &model->operations[i];
        struct slot *slot = &model->slots[i];
        if (slot->issue == UINT64_MAX && issued < width && is_ready(model, i)) {
            issued++;
            slot->issue = model->cycle;
            slot->done = model->cycle + (operation->is & SPOOR_UOP_LOAD ? LOAD_LATENCY : 1);
        }
        if (!(operation->is & SPOOR_UOP_STORE) || slot->done != model->cycle) continue;
        for (size_t load = i + 1; load < model->tail; load++) {
            if (!is_violated(model, i, load)) continue;
            model->tail = load;
            return true;
        }
    }
    return false;
}

static uint64_t cycles_of_model(const struct spoor_operation *operations, unsigned width,
                                unsigned rob)
{
    struct model model = {.operations = operations};
    for (; model.head < OPERATIONS; model.cycle++) {
        for (unsigned i = 0; i < width && model.head < model.tail; i++) {
            if (model.slots[model.head].done > model.cycle) break;
            model.head++;
        }
        if (visit(&model, width)) continue;
        for (unsigned i = 0; i < width && model.tail < OPERATIONS; i++) {
            if (model.tail - model.head == rob) break;
            model.slots[model.tail++] = (struct slot){UINT64_MAX, UINT64_MAX};
        }
    }
    return model.cycle;
}

/* ---- the machine ---- */

static uint64_t cycles_of_machine(const struct trace *trace, const char *check, unsigned width,
                                  unsigned rob)
{
    struct spoor_pipeline_config config;
    struct spoor_error error = {0};
    char words[2][16];
    snprintf(words[0], sizeof words[0], "%u", width);
    snprintf(words[1], sizeof words[1], "%u", rob);
    assert_true(spoor_pipeline_preset("penn-hw5", &config));
    assert_int_equal(spoor_pipeline_set(&config, "memory", "naive", &error), SPOOR_OK);
    assert_int_equal(spoor_pipeline_set(&config, "width", words[0], &error), SPOOR_OK);
    assert_int_equal(spoor_pipeline_set(&config, "rob", words[1], &error), SPOOR_OK);
    if (check)
        assert_int_equal(spoor_pipeline_set(&config, "store_check", check, &error), SPOOR_OK);
    struct spoor_pipeline *pipeline;
    assert_int_equal(spoor_pipeline_new(&pipeline, NULL, NULL), SPOOR_OK);
    assert_int_equal(spoor_pipeline_add(pipeline, &config, &error), SPOOR_OK);
    assert_int_equal(spoor_pipeline_feed(pipeline, &trace->batch, &error), SPOOR_OK);
    assert_int_equal(spoor_pipeline_end(pipeline, &error), SPOOR_OK);
    const uint64_t cycles = spoor_pipeline_cycles(pipeline, 0);
    spoor_pipeline_free(pipeline);
    return cycles;
}

static void the_preset_squashes_as_the_course_does(void **state)
{
    (void)state;
    static const unsigned widths[] = {2, 4, 8}, robs[] = {16, 64, 128};
    unsigned differ = 0;
    for (unsigned seed = 0; seed < SEEDS; seed++) {
        const unsigned width = widths[seed % 3], rob = robs[seed / 3 % 3];
        struct trace trace;
        struct operations operations = {0};
        random_trace(&trace, seed, OPERATIONS);
        operations_add(&operations, &trace.batch, 0, trace.batch.count, NULL, 0);
        operations_end(&operations);
        assert_int_equal(operations.count, OPERATIONS);
        const uint64_t cycles = cycles_of_model(operations.items, width, rob);
        assert_int_equal(cycles_of_machine(&trace, NULL, width, rob), cycles);
        differ += cycles_of_machine(&trace, "in-flight", width, rob) != cycles;
        operations_free(&operations);
        trace_free(&trace);
    }
    assert_true(differ > 0); /* the traces tell the rules apart */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_preset_squashes_as_the_course_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
