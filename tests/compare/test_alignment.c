/* SPDX-License-Identifier: MIT */
/*
 * test_alignment.c: alignment of diverged traces, compared with the true edits.  Random programs
 * with loops, branches and recursion run once; then stretches are removed from or inserted into
 * either side, and values changed.  The test knows which records correspond, and hence the cost of
 * the true edit script.
 *
 * SPOOR_SOAK=N runs N programs of each kind instead of a few.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compare/compare.h"
#include "spoor/diff.h"
#include "spoor/format.h"

/* ---- numbers that repeat for one seed ---- */

static uint64_t state;

static unsigned draw(unsigned below)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)((state >> 33) % below);
}

static unsigned rounds(unsigned few)
{
    const char *soak = getenv("SPOOR_SOAK");
    return soak ? (unsigned)strtoul(soak, NULL, 10) : few;
}

/* ---- a trace: places and values ---- */

enum { STEPS_MAXIMUM = 6000 };
struct trace_of_steps {
    uint32_t place[STEPS_MAXIMUM], value[STEPS_MAXIMUM];
    size_t count;
};

static void push(struct trace_of_steps *trace, uint32_t place, uint32_t value)
{
    if (trace->count == STEPS_MAXIMUM) return;
    trace->place[trace->count] = place;
    trace->value[trace->count++] = value;
}

/* ---- random programs ---- */

enum { FUNCTIONS = 5, STATEMENTS = 6, DEPTH_MAXIMUM = 5 };
enum statement_kind { BLOCK, LOOP, CHOICE, CALL, STATEMENT_KINDS };
struct statement {
    enum statement_kind kind;
    unsigned length, times, callee;
    uint32_t place;
    bool steady; /* its values do not change */
};
struct program {
    struct statement statements[FUNCTIONS][STATEMENTS];
};

static void make_program(struct program *program)
{
    uint32_t place = 0x1000;
    for (unsigned f = 0; f < FUNCTIONS; f++)
        for (unsigned s = 0; s < STATEMENTS; s++) {
            struct statement *statement = &program->statements[f][s];
            *statement = (struct statement){.kind = (enum statement_kind)draw(STATEMENT_KINDS),
                                            .length = 1 + draw(12),
                                            .times = 1 + draw(20),
                                            .callee = draw(FUNCTIONS),
                                            .place = place,
                                            .steady = draw(2)};
            place += 4 * (statement->length + 2);
        }
}

static void emit(struct trace_of_steps *trace, const struct statement *statement, unsigned length)
{
    for (unsigned i = 0; i < length; i++)
        push(trace, statement->place + 4 * i,
             statement->steady ? statement->place : (uint32_t)trace->count * 3 + i);
}

static void run_function(struct trace_of_steps *trace, const struct program *program, unsigned f,
                         unsigned depth)
{
    if (depth > DEPTH_MAXIMUM) return;
    for (unsigned s = 0; s < STATEMENTS && trace->count < STEPS_MAXIMUM; s++) {
        const struct statement *statement = &program->statements[f][s];
        unsigned times = statement->kind == LOOP ? statement->times : 1;
        if (statement->kind == CHOICE && draw(2)) times = 0;
        while (times--) {
            emit(trace, statement, statement->length);
            bool calls = statement->kind == CALL || (statement->kind == LOOP && draw(4) == 0);
            if (calls) run_function(trace, program, statement->callee, depth + 1);
        }
    }
}

static void run_program(struct trace_of_steps *trace)
{
    struct program program;
    const size_t wanted = 100 + draw(3000);
    make_program(&program);
    trace->count = 0;
    for (unsigned i = 0; i < 200 && trace->count < wanted; i++)
        run_function(trace, &program, i % FUNCTIONS, 0);
    if (trace->count > wanted) trace->count = wanted;
}

/* ---- edits ---- */

/* Both sides of an edited trace, and the cost of the edits. */
struct edited_trace {
    struct trace_of_steps sides[2];
    uint64_t cost;
    unsigned gaps;
};

static void skip_some(struct edited_trace *edited, size_t *at, const struct trace_of_steps *whole,
                      unsigned kind, unsigned length, uint64_t skipped[2])
{
    for (unsigned i = 0; i < length; i++) {
        const unsigned side = kind & 1;
        if (kind < 2) { /* in one side only */
            if (*at == whole->count) return;
            push(&edited->sides[side], whole->place[*at], whole->value[*at]);
            (*at)++;
        } else if (kind < 4) { /* a handler that one side runs */
            push(&edited->sides[side], 0x900000 + 4 * i, i);
        } else { /* the sides diverge */
            push(&edited->sides[0], 0xA00000 + 4 * i, i);
            push(&edited->sides[1], 0xB00000 + 4 * (i % 7), i);
            skipped[0]++, skipped[1]++;
            continue;
        }
        skipped[side]++;
    }
}

/* Edits a trace at some distance from each other, so that no two edits merge. */
static void edit(struct edited_trace *edited, const struct trace_of_steps *whole, unsigned edits)
{
    edited->sides[0].count = edited->sides[1].count = 0;
    edited->cost = 0;
    edited->gaps = 0;
    size_t at = 0, apart = whole->count / (edits + 1) + 1;
    for (unsigned i = 0; at < whole->count; i++) {
        for (size_t end = at + 1 + draw((unsigned)apart); at < end && at < whole->count; at++)
            for (unsigned side = 0; side < 2; side++)
                push(&edited->sides[side], whole->place[at], whole->value[at]);
        if (i >= edits || at == whole->count) continue;
        uint64_t skipped[2] = {0, 0};
        skip_some(edited, &at, whole, draw(5), 1 + draw(draw(3) ? 12 : 100), skipped);
        if (!(skipped[0] | skipped[1])) continue;
        edited->cost += GAP_OPEN + GAP_EXTEND * (skipped[0] + skipped[1]);
        edited->gaps++;
    }
}

/* ---- comparing ---- */

/* Feeds one side in batches of random sizes. */
struct feeder {
    const struct trace_of_steps *steps;
    struct spoor_stream stream;
    struct spoor_batch batch;
    size_t at;
    spoor_name name;
};

static enum spoor_status next_batch(void *context, const struct spoor_batch **batch,
                                    struct spoor_error *error)
{
    struct feeder *feeder = context;
    (void)error;
    spoor_batch_clear(&feeder->batch);
    feeder->batch.stream = &feeder->stream;
    feeder->batch.first = 2 * feeder->at;
    if (feeder->at == feeder->steps->count) return SPOOR_END;
    for (unsigned i = 1 + draw(500); i && feeder->at < feeder->steps->count; i--, feeder->at++) {
        struct spoor_record *insn = spoor_batch_push(&feeder->batch);
        insn->kind = SPOOR_INSN;
        insn->op = SPOOR_INSN_TAKEN;
        insn->has = SPOOR_HAS_VA | SPOOR_HAS_DATA;
        insn->insn.va = feeder->steps->place[feeder->at];
        insn->insn.opcode = feeder->steps->place[feeder->at] * 2654435761U;
        insn->insn.opcode_size = 4;
        struct spoor_record *reg = spoor_batch_push(&feeder->batch);
        reg->kind = SPOOR_REG;
        reg->op = SPOOR_REG_WRITE;
        reg->has = SPOOR_HAS_DATA;
        reg->reg.name = feeder->name;
        reg->reg.bits = 32;
        reg->reg.value[0] = feeder->steps->value[feeder->at];
    }
    *batch = &feeder->batch;
    return SPOOR_OK;
}

static void start_feeder(struct feeder *feeder, const struct trace_of_steps *steps)
{
    *feeder = (struct feeder){.steps = steps};
    feeder->stream = (struct spoor_stream){.path = "-",
                                           .format = spoor_format_find("matcher"),
                                           .names = spoor_names_new(),
                                           .spellings = spoor_names_new()};
    feeder->name = spoor_names_intern(feeder->stream.names, "q7", 2);
}

static void end_feeder(struct feeder *feeder)
{
    spoor_names_free(feeder->stream.names);
    spoor_names_free(feeder->stream.spellings);
    spoor_batch_free(&feeder->batch);
}

/* The result of a comparison. */
struct outcome {
    uint64_t cost, compared, gaps, mismatches, skipped[2];
};

static struct outcome compare(const struct trace_of_steps sides[2], uint64_t lookahead)
{
    struct feeder feeders[2];
    struct spoor_diff_input inputs[2];
    struct spoor_error error = {0};
    const struct spoor_diff_options options = {.lookahead = lookahead};
    struct spoor_diff *diff = NULL;
    assert_int_equal(spoor_diff_new(&diff, &options, &error), SPOOR_OK);
    for (unsigned side = 0; side < 2; side++) {
        start_feeder(&feeders[side], &sides[side]);
        inputs[side] = (struct spoor_diff_input){next_batch, &feeders[side], &feeders[side].stream};
    }
    assert_int_equal(spoor_diff_run(diff, inputs, &error), SPOOR_OK);
    struct outcome outcome = {.compared = diff->counts.compared,
                              .gaps = diff->counts.gaps,
                              .mismatches = diff->counts.mismatches};
    for (size_t i = 0; i < diff->gap_count; i++) {
        const struct retained_gap *gap = &diff->gaps[i];
        outcome.cost += GAP_OPEN + GAP_EXTEND * (gap->skipped[0] + gap->skipped[1]);
        for (unsigned side = 0; side < 2; side++) outcome.skipped[side] += gap->skipped[side];
    }
    for (unsigned side = 0; side < 2; side++) {
        assert_int_equal(outcome.skipped[side], diff->counts.skipped[side]);
        assert_int_equal(outcome.compared + outcome.skipped[side], sides[side].count);
        end_feeder(&feeders[side]);
    }
    spoor_diff_free(diff);
    return outcome;
}

/* ---- tests ---- */

static void no_dearer_than_truth(void **unused)
{
    (void)unused;
    static struct trace_of_steps whole;
    static struct edited_trace edited;
    for (unsigned i = 0; i < rounds(150); i++) {
        state = i;
        run_program(&whole);
        edit(&edited, &whole, 1 + draw(8));
        struct outcome outcome = compare(edited.sides, 0);
        if (outcome.cost > edited.cost)
            fail_msg("seed %u: cost %lu in %lu gaps, true cost %lu in %u", i,
                     (unsigned long)outcome.cost, (unsigned long)outcome.gaps,
                     (unsigned long)edited.cost, edited.gaps);
        if (outcome.cost == edited.cost && edited.gaps == 1 && outcome.mismatches)
            fail_msg("seed %u: %lu mismatches, expected none", i,
                     (unsigned long)outcome.mismatches);
    }
}

static void one_flow_has_no_gaps(void **unused)
{
    (void)unused;
    static struct trace_of_steps sides[2];
    for (unsigned i = 0; i < rounds(60); i++) {
        state = i;
        run_program(&sides[0]);
        sides[1] = sides[0];
        unsigned one_in = 1 + draw(100), wrong = 0;
        for (size_t j = 0; j < sides[1].count; j++) {
            if (draw(one_in)) continue;
            wrong++;
            sides[1].value[j] ^= 1 + draw(255);
        }
        struct outcome outcome = compare(sides, draw(2) ? 0 : 1 + draw(300));
        assert_int_equal(outcome.gaps, 0);
        assert_int_equal(outcome.mismatches, wrong);
    }
}

/* Returns the cost of the cheapest script, by dynamic programming over all pairs of positions
 * (Gotoh). */
static uint64_t optimum(const struct trace_of_steps sides[2])
{
    enum { SIZE = 64 };
    static uint64_t pair[SIZE][SIZE], gap[SIZE][SIZE];
    const uint64_t never = UINT32_MAX;
    for (size_t i = 0; i <= sides[0].count; i++)
        for (size_t j = 0; j <= sides[1].count; j++) {
            uint64_t best = never, in_gap = never;
            if (i && j && sides[0].place[i - 1] == sides[1].place[j - 1]) best = pair[i - 1][j - 1];
            if (!i && !j) best = 0;
            for (unsigned side = 0; side < 2; side++) {
                if (side ? !j : !i) continue;
                const uint64_t from_gap = side ? gap[i][j - 1] : gap[i - 1][j];
                const uint64_t from_pair = side ? pair[i][j - 1] : pair[i - 1][j];
                if (from_gap + GAP_EXTEND < in_gap) in_gap = from_gap + GAP_EXTEND;
                if (from_pair + GAP_OPEN + GAP_EXTEND < in_gap)
                    in_gap = from_pair + GAP_OPEN + GAP_EXTEND;
            }
            gap[i][j] = in_gap;
            pair[i][j] = best < in_gap ? best : in_gap;
        }
    return pair[sides[0].count][sides[1].count];
}

/* A gap that was split costs more, and skips fewer instructions. */
static void small_cases_are_optimal(void **unused)
{
    (void)unused;
    static struct trace_of_steps sides[2];
    for (unsigned i = 0; i < rounds(600); i++) {
        state = i;
        unsigned places = 1 + draw(6);
        for (unsigned side = 0; side < 2; side++) {
            sides[side].count = 0;
            for (unsigned left = 1 + draw(60); left; left--)
                push(&sides[side], 0x1000 + 4 * draw(places), draw(3));
        }
        for (unsigned j = draw(40); j && draw(2) && sides[1].count < 60; j--)
            push(&sides[1], sides[0].place[j % sides[0].count], 0);
        const struct outcome outcome = compare(sides, 0);
        const uint64_t cheapest = optimum(sides);
        if (outcome.cost == cheapest) continue;
        assert_true(outcome.cost > cheapest);
        assert_true(outcome.skipped[0] + outcome.skipped[1] + GAP_OPEN < cheapest);
    }
}

/* A gap longer than the range of wavefronts, and edits around it. */
static void long_gaps(void **unused)
{
    (void)unused;
    static struct trace_of_steps sides[2];
    for (unsigned i = 0; i < rounds(10); i++) {
        state = i;
        const unsigned long_side = draw(2), length = 2500 + draw(1500);
        sides[0].count = sides[1].count = 0;
        for (unsigned j = 0; j < 1000; j++)
            for (unsigned side = 0; side < 2; side++) push(&sides[side], 0x1000 + 4 * (j % 250), j);
        for (unsigned j = 0; j < length; j++)
            push(&sides[long_side], 0x9000 + 4 * (j * j % 1021), j);
        for (unsigned j = 0; j < 900; j++)
            for (unsigned side = 0; side < 2; side++) push(&sides[side], 0x2000 + 4 * (j % 301), j);
        struct outcome outcome = compare(sides, 0);
        assert_int_equal(outcome.gaps, 1);
        assert_int_equal(outcome.cost, GAP_OPEN + GAP_EXTEND * length);
        assert_int_equal(outcome.mismatches, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_dearer_than_truth),
        cmocka_unit_test(one_flow_has_no_gaps),
        cmocka_unit_test(small_cases_are_optimal),
        cmocka_unit_test(long_gaps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
