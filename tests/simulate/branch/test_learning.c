/* SPDX-License-Identifier: MIT */
/* test_learning.c: the patterns that each predictor must learn because of its design, and those
 * that it cannot learn. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "spoor/predictor.h"

enum { ROUNDS = 24000 };

/* ---- programs whose every outcome is known ---- */

static struct spoor_branch branch_at(uint64_t pc, uint64_t target, unsigned type, bool taken)
{
    return (struct spoor_branch){
        .pc = pc,
        .target = target,
        .type = (uint8_t)type,
        .has = (uint8_t)(SPOOR_BRANCH_HAS_TARGET | SPOOR_BRANCH_HAS_TYPE |
                         (taken ? SPOOR_BRANCH_TAKEN : 0)),
    };
}

static uint64_t random_bits(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state >> 20;
}

/* A loop whose branch is taken `length - 1` times and then not, optionally with a random branch in
 * each iteration. */
static size_t make_loop(struct spoor_branch *to, unsigned length, bool coin)
{
    size_t count = 0;
    uint64_t random = 88172645463325252U;
    for (unsigned i = 0; i < ROUNDS; i++) {
        to[count++] = branch_at(0x4000, 0x3000, SPOOR_BRANCH_CONDITIONAL, i % length != length - 1);
        if (coin)
            to[count++] =
                branch_at(0x5008, 0x6000, SPOOR_BRANCH_CONDITIONAL, random_bits(&random) & 1);
    }
    return count;
}

/* Two random branches, and a branch whose outcome is `rule` of theirs. */
enum rule { RULE_AND, RULE_XOR };
static size_t make_rule(struct spoor_branch *to, enum rule rule)
{
    size_t count = 0;
    uint64_t random = 88172645463325252U;
    for (unsigned i = 0; i < ROUNDS / 2; i++) {
        const bool a = random_bits(&random) & 1, b = random_bits(&random) & 1;
        to[count++] = branch_at(0x4000, 0x8000, SPOOR_BRANCH_CONDITIONAL, a);
        to[count++] = branch_at(0x4010, 0x8000, SPOOR_BRANCH_CONDITIONAL, b);
        to[count++] =
            branch_at(0x4024, 0x8000, SPOOR_BRANCH_CONDITIONAL, rule == RULE_AND ? a && b : a != b);
    }
    return count;
}

/* Returns how often the branch at `pc` is mispredicted after warm-up. */
static unsigned wrong_at(const char *spec, const struct spoor_branch *branches, size_t count,
                         uint64_t pc)
{
    struct spoor_error error = {0};
    struct spoor_predictor *predictor;
    if (spoor_predictor_new(&predictor, spec, &error) != SPOOR_OK) fail_msg("%s", error.text);
    uint8_t *wrong = malloc(count);
    assert_non_null(wrong);
    spoor_predictor_run(predictor, branches, count, wrong);
    unsigned sum = 0;
    for (size_t i = count / 2; i < count; i++) sum += branches[i].pc == pc && wrong[i];
    free(wrong);
    spoor_predictor_free(predictor);
    return sum;
}

static struct spoor_branch *capacity(void)
{
    struct spoor_branch *branches = calloc((size_t)3 * ROUNDS, sizeof *branches);
    assert_non_null(branches);
    return branches;
}

/* ---- loops ---- */

static void histories_that_span_a_loop_know_its_end(void **state)
{
    (void)state;
    static const char *const know[] = {
        "gshare:history=12",
        "gag",
        "local",
        "pas",
        "2bc-gskew:g0=12,g1=14,meta=12",
        "perceptron",
        "tage",
        "tage-sc-l",
        "tage-sc-l:size=8K",
        "hashed-perceptron",
    };
    struct spoor_branch *branches = capacity();
    const size_t count = make_loop(branches, 8, false);
    for (size_t i = 0; i < sizeof know / sizeof *know; i++)
        if (wrong_at(know[i], branches, count, 0x4000) != 0)
            fail_msg("%s does not know the end of a loop of 8", know[i]);
    /* A two-bit counter is wrong at each end of the loop and never else. */
    assert_int_equal(wrong_at("bimodal", branches, count, 0x4000), ROUNDS / 2 / 8);
    assert_int_equal(wrong_at("gshare:history=3", branches, count, 0x4000), ROUNDS / 2 / 8);
    free(branches);
}

/* A random branch in each iteration hides the loop from global history.  The branch's own history
 * shows it; so does the loop predictor of TAGE-SC-L, for any length. */
static void own_history_sees_through_coins(void **state)
{
    (void)state;
    struct spoor_branch *branches = capacity();
    size_t count = make_loop(branches, 12, true);
    assert_int_equal(wrong_at("local:history=12", branches, count, 0x4000), 0);
    assert_true(wrong_at("gag", branches, count, 0x4000) > 500);
    count = make_loop(branches, 100, true);
    const unsigned ends = ROUNDS / 2 / 100;
    assert_true(wrong_at("tage-sc-l", branches, count, 0x4000) <= ends / 10);
    assert_true(wrong_at("tage", branches, count, 0x4000) >= ends / 2);
    free(branches);
}

/* ---- correlation ---- */

/* One perceptron is a linear rule: it learns the AND of its history, and no weights give XOR. */
static void a_perceptron_learns_what_is_linear(void **state)
{
    (void)state;
    struct spoor_branch *branches = capacity();
    size_t count = make_rule(branches, RULE_AND);
    assert_int_equal(wrong_at("perceptron:history=4", branches, count, 0x4024), 0);
    assert_int_equal(wrong_at("gshare:history=2", branches, count, 0x4024), 0);
    count = make_rule(branches, RULE_XOR);
    assert_true(wrong_at("perceptron:history=2", branches, count, 0x4024) > ROUNDS / 2 / 10);
    assert_int_equal(wrong_at("gshare:history=2", branches, count, 0x4024), 0);
    assert_int_equal(wrong_at("gselect:history=2", branches, count, 0x4024), 0);
    assert_true(wrong_at("tage", branches, count, 0x4024) < ROUNDS / 2 / 50);
    free(branches);
}

/* ---- targets ---- */

static unsigned wrong_targets(const char *spec, const struct spoor_branch *branches, size_t count)
{
    return wrong_at(spec, branches, count, 0x4000);
}

/* An indirect branch with three targets in turn. */
static void ittage_follows_what_a_buffer_cannot(void **state)
{
    (void)state;
    struct spoor_branch *branches = capacity();
    for (unsigned i = 0; i < ROUNDS; i++)
        branches[i] = branch_at(0x4000, 0x8000 + 0x124 * (i % 3), SPOOR_BRANCH_INDIRECT, true);
    assert_int_equal(wrong_targets("ittage", branches, ROUNDS), 0);
    assert_int_equal(wrong_targets("btb", branches, ROUNDS), ROUNDS / 2);
    free(branches);
}

/* Calls nested `depth` deep, then their returns: the stack loses those beyond its capacity. */
static unsigned lost_returns(unsigned depth)
{
    struct spoor_branch branches[64];
    uint8_t wrong[64];
    size_t count = 0;
    unsigned sum = 0;
    struct spoor_predictor *stack;
    assert_int_equal(spoor_predictor_new(&stack, "return-stack:entries=8", NULL), SPOOR_OK);
    for (unsigned i = 0; i < depth; i++)
        branches[count++] = branch_at(0x1000 * (i + 1), 0x1000 * (i + 2), SPOOR_BRANCH_CALL, true);
    for (unsigned i = depth; i-- > 0;)
        branches[count++] = branch_at(0x1000 * (i + 2) + 0x80, 0x1000 * (i + 1) + 4,
                                      SPOOR_BRANCH_RETURN | SPOOR_BRANCH_INDIRECT, true);
    assert_int_equal(spoor_predictor_run(stack, branches, count, wrong), depth < 8 ? 0 : depth - 8);
    for (size_t i = 0; i < count; i++) sum += wrong[i];
    spoor_predictor_free(stack);
    return sum;
}
static void a_return_stack_forgets_the_outermost(void **state)
{
    (void)state;
    assert_int_equal(lost_returns(7), 0);
    assert_int_equal(lost_returns(8), 0);
    assert_int_equal(lost_returns(9), 1);
    assert_int_equal(lost_returns(20), 12);
}

/* Four branches of one set in turn: four ways hold them all; three ways, with LRU replacement, hold
 * none. */
static void a_set_holds_as_many_as_it_has_ways(void **state)
{
    (void)state;
    struct spoor_branch *branches = capacity();
    for (unsigned i = 0; i < ROUNDS; i++)
        branches[i] = branch_at(0x4000 + 0x1000 * (i % 4), 0x8000, 0, true);
    struct spoor_predictor *four, *three;
    assert_int_equal(spoor_predictor_new(&four, "btb:bits=4,ways=4", NULL), SPOOR_OK);
    assert_int_equal(spoor_predictor_new(&three, "btb:bits=4,ways=3", NULL), SPOOR_OK);
    assert_int_equal(spoor_predictor_run(four, branches, ROUNDS, NULL), 4);
    assert_int_equal(spoor_predictor_run(three, branches, ROUNDS, NULL), ROUNDS);
    spoor_predictor_free(four);
    spoor_predictor_free(three);
    free(branches);
}

/* Runs the branches as one array: whether each was predicted wrong. */
static void wrong_of(const char *spec, const struct spoor_branch *branches, size_t count,
                     uint8_t *wrong)
{
    struct spoor_predictor *predictor;
    assert_int_equal(spoor_predictor_new(&predictor, spec, NULL), SPOOR_OK);
    spoor_predictor_run(predictor, branches, count, wrong);
    spoor_predictor_free(predictor);
}

/* A return is found by its entry alone, and goes where the call was; an entry stands for four
 * bytes, so a branch beside the return is taken for one. */
static void an_entry_says_what_kind_of_branch_is_there(void **state)
{
    (void)state;
    const unsigned ret = SPOOR_BRANCH_RETURN | SPOOR_BRANCH_INDIRECT;
    const struct spoor_branch branches[] = {
        branch_at(0x1000, 0x2000, SPOOR_BRANCH_CALL, true),         /* no entry yet */
        branch_at(0x2001, 0x1004, ret, true),                       /* no entry yet */
        branch_at(0x1100, 0x2000, SPOOR_BRANCH_CALL, true),         /* no entry yet */
        branch_at(0x2001, 0x1104, ret, true),                       /* by the stack: right */
        branch_at(0x2000, 0x3000, SPOOR_BRANCH_CONDITIONAL, false), /* the entry of the return */
        branch_at(0x2004, 0x3000, SPOOR_BRANCH_CONDITIONAL, false), /* none, and not taken: right */
        branch_at(0x2004, 0x3000, SPOOR_BRANCH_CONDITIONAL, true),  /* none */
        branch_at(0x2004, 0x3000, SPOOR_BRANCH_CONDITIONAL, false), /* a conditional one: right */
        branch_at(0x2001, 0x5000, ret, true),                       /* the stack is empty */
    };
    static const uint8_t expected[] = {1, 1, 1, 0, 1, 0, 1, 0, 1};
    uint8_t wrong[sizeof expected];
    wrong_of("basic-btb", branches, sizeof expected, wrong);
    assert_memory_equal(wrong, expected, sizeof expected);
}

/* An indirect branch whose target is that of the outcome before it. */
static void targets_follow_the_outcomes_of_conditional_branches(void **state)
{
    (void)state;
    struct spoor_branch *branches = capacity();
    for (unsigned i = 0; i < ROUNDS; i++) {
        const bool taken = i / 2 % 3 == 0;
        branches[i] = i % 2 == 0
                          ? branch_at(0x3000, 0x3800, SPOOR_BRANCH_CONDITIONAL, taken)
                          : branch_at(0x4000, taken ? 0x8000 : 0x9000, SPOOR_BRANCH_INDIRECT, true);
    }
    assert_int_equal(wrong_targets("basic-btb:indirect=4", branches, ROUNDS), 0);
    assert_true(wrong_targets("basic-btb:indirect=0", branches, ROUNDS) > ROUNDS / 8);
    free(branches);
}

/* Ones that are learnt from unconditional branches, and those from 1 of 3 on, as ChampSim has. */
static void counters_learn_as_they_are_told(void **state)
{
    (void)state;
    const struct spoor_branch branches[] = {
        branch_at(0x1000, 0x2000, 0, true), /* the counter of the next: 0 becomes 1 */
        branch_at(0x1000, 0x2000, SPOOR_BRANCH_CONDITIONAL, true), /* 1 becomes 2 */
        branch_at(0x1000, 0x2000, SPOOR_BRANCH_CONDITIONAL, true),
    };
    static const struct {
        const char *spec;
        uint8_t wrong[3];
    } rows[] = {
        {"bimodal:start=0", {0, 1, 1}},
        {"bimodal:start=0,train_unconditional=1", {0, 1, 0}},
        {"gshare:history=0,start=0,train_unconditional=1", {0, 1, 0}},
        {"gshare:history=0,start=0,taken_from=1", {0, 1, 0}},
        {"gshare:history=0,start=0,taken_from=1,train_unconditional=1", {0, 0, 0}},
        {"gshare:history=0,start=0,taken_from=3,train_unconditional=1", {0, 1, 1}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint8_t wrong[3];
        wrong_of(rows[i].spec, branches, 3, wrong);
        if (memcmp(wrong, rows[i].wrong, 3) != 0) fail_msg("%s", rows[i].spec);
    }
}

/* With 3 counters, branches 3 words apart share one. */
static void counters_are_chosen_by_the_rest_of_a_division(void **state)
{
    (void)state;
    struct spoor_branch *branches = capacity();
    for (unsigned i = 0; i < ROUNDS; i++)
        branches[i] =
            branch_at(i % 2 ? 0x4000 : 0x400C, 0x5000, SPOOR_BRANCH_CONDITIONAL, i % 2 == 0);
    assert_int_equal(wrong_at("bimodal:entries=3", branches, ROUNDS, 0x4000), ROUNDS / 4);
    assert_int_equal(wrong_at("bimodal:entries=4", branches, ROUNDS, 0x4000), 0);
    free(branches);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(histories_that_span_a_loop_know_its_end),
        cmocka_unit_test(own_history_sees_through_coins),
        cmocka_unit_test(a_perceptron_learns_what_is_linear),
        cmocka_unit_test(ittage_follows_what_a_buffer_cannot),
        cmocka_unit_test(a_return_stack_forgets_the_outermost),
        cmocka_unit_test(a_set_holds_as_many_as_it_has_ways),
        cmocka_unit_test(an_entry_says_what_kind_of_branch_is_there),
        cmocka_unit_test(targets_follow_the_outcomes_of_conditional_branches),
        cmocka_unit_test(counters_learn_as_they_are_told),
        cmocka_unit_test(counters_are_chosen_by_the_rest_of_a_division),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
