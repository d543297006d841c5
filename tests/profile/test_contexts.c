/* SPDX-License-Identifier: MIT */
/*
 * test_contexts.c: the tree of calling contexts of hand-made events: who called whom how often, and
 * what ran in each, as profile/profile.h and effects/activity.h have them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "profile/profile.h"

static char tree[4096];

/* Adds a context and those below it as lines: "  2000 calls 2 returned 1: 8". */
static void put_tree(const struct contexts *contexts, uint32_t number, unsigned depth)
{
    const struct context *node = &contexts->nodes[number];
    const size_t used = strlen(tree);
    snprintf(tree + used, sizeof tree - used, "%*s%llx %s%llu %llu: %llu, %llu, %llu\n", depth * 2,
             "", (unsigned long long)node->function, node->kind == CONTEXT_EXCEPTION ? "! " : "",
             (unsigned long long)node->calls, (unsigned long long)node->returned,
             (unsigned long long)node->own.instructions, (unsigned long long)node->own.accesses,
             (unsigned long long)node->own.time);
    assert_int_equal(node->depth, depth);
    /* the children are a list, the last one first */
    uint32_t children[16];
    unsigned count = 0;
    for (uint32_t at = node->first_child; at != NO_CONTEXT; at = contexts->nodes[at].next_sibling)
        children[count++] = at;
    while (count) put_tree(contexts, children[--count], depth + 1);
}

enum { NAMED = 1, INSIDE = 2, EXCEPTION = 4, OUTERMOST = 8, ABANDONED = 16 };

/* An event after so many instructions, a half of them accesses, and 10 units of time each. */
static void happens(struct contexts *contexts, enum activity_what what, uint64_t function,
                    uint64_t instructions, unsigned how)
{
    contexts_event(contexts, &(struct activity_event){
                                 .what = (uint8_t)what,
                                 .kind = how & EXCEPTION ? CALL_EXCEPTION : CALL_PLAIN,
                                 .end = how & ABANDONED ? CALL_ABANDONED : CALL_RETURNED,
                                 .begins = !(how & INSIDE),
                                 .outermost = how & OUTERMOST,
                                 .named = how & NAMED,
                                 .function = function,
                                 .instructions = instructions,
                                 .accesses = instructions / 2,
                                 .at.time = 10 * instructions,
                             });
}

static void assert_tree(struct contexts *contexts, const char *expected)
{
    tree[0] = '\0';
    put_tree(contexts, 0, 0);
    if (strcmp(tree, expected) != 0) fail_msg("found\n%sexpected\n%s", tree, expected);
    assert_false(contexts->failed);
    contexts_free(contexts);
}

static void calls_have_contexts(void **state)
{
    struct contexts contexts = {.limit = CONTEXTS_LIMIT};
    (void)state;
    assert_int_equal(contexts_now(&contexts, 0), NO_CONTEXT);
    happens(&contexts, ACTIVITY_START, 0x1000, 0, NAMED);
    happens(&contexts, ACTIVITY_ENTER, 0x2000, 10, NAMED);
    happens(&contexts, ACTIVITY_ENTER, 0x3000, 14, NAMED);
    happens(&contexts, ACTIVITY_LEAVE, 0, 20, 0);
    assert_int_equal(contexts.nodes[contexts_now(&contexts, 0)].function, 0x2000);
    happens(&contexts, ACTIVITY_LEAVE, 0, 22, 0);
    happens(&contexts, ACTIVITY_ENTER, 0x3000, 30, NAMED);
    happens(&contexts, ACTIVITY_ENTER, 0x9000, 32, NAMED | EXCEPTION);
    happens(&contexts, ACTIVITY_LEAVE, 0, 38, ABANDONED | EXCEPTION);
    happens(&contexts, ACTIVITY_LEAVE, 0, 40, 0);
    happens(&contexts, ACTIVITY_ENTER, 0x2000, 44, NAMED);
    happens(&contexts, ACTIVITY_STOP, 0, 50, 0);
    assert_int_equal(contexts_now(&contexts, 1), NO_CONTEXT);
    assert_tree(&contexts, "0 0 0: 0, 0, 0\n"
                           "  1000 1 0: 22, 11, 220\n"
                           "    2000 2 1: 12, 6, 120\n"
                           "      3000 1 1: 6, 3, 60\n"
                           "    3000 1 1: 4, 2, 40\n"
                           "      9000 ! 1 0: 6, 3, 60\n");
}

/* A stub without a name that only jumps on, in at most 4 instructions, is part of its caller: the
 * caller calls the function that it leads to. */
static void a_stub_is_part_of_its_caller(void **state)
{
    (void)state;
    for (unsigned length = 3; length < 6; length++) {
        struct contexts contexts = {.limit = CONTEXTS_LIMIT};
        happens(&contexts, ACTIVITY_START, 0x1000, 0, NAMED);
        happens(&contexts, ACTIVITY_ENTER, 0x3000, 10, 0);
        happens(&contexts, ACTIVITY_GO, 0x3000, 10, 0); /* it is where it is */
        happens(&contexts, ACTIVITY_GO, 0x2000, 10 + length, NAMED);
        happens(&contexts, ACTIVITY_LEAVE, 0, 20, 0);
        happens(&contexts, ACTIVITY_STOP, 0, 30, 0);
        char expected[512];
        if (length <= 4)
            snprintf(expected, sizeof expected,
                     "0 0 0: 0, 0, 0\n"
                     "  1000 1 0: %u, %u, %u\n"
                     "    3000 0 0: 0, 0, 0\n"
                     "    2000 1 1: %u, %u, %u\n",
                     20 + length, 15 - 10 + (10 + length) / 2, 200 + 10 * length, 10 - length,
                     10 - (10 + length) / 2, 100 - 10 * length);
        else
            snprintf(expected, sizeof expected,
                     "0 0 0: 0, 0, 0\n"
                     "  1000 1 0: 20, 10, 200\n"
                     "    3000 1 1: %u, %u, %u\n"
                     "      2000 1 1: %u, %u, %u\n",
                     length, (10 + length) / 2 - 5, 10 * length, 10 - length,
                     10 - (10 + length) / 2, 100 - 10 * length);
        assert_tree(&contexts, expected);
    }
    /* one that was left for something else before is a function */
    struct contexts contexts = {.limit = CONTEXTS_LIMIT};
    happens(&contexts, ACTIVITY_START, 0x1000, 0, NAMED);
    happens(&contexts, ACTIVITY_ENTER, 0x3000, 10, 0);
    happens(&contexts, ACTIVITY_ENTER, 0x4000, 11, NAMED);
    happens(&contexts, ACTIVITY_LEAVE, 0, 12, 0);
    happens(&contexts, ACTIVITY_GO, 0x3000, 12, INSIDE);
    happens(&contexts, ACTIVITY_GO, 0x2000, 13, NAMED);
    happens(&contexts, ACTIVITY_LEAVE, 0, 20, 0);
    happens(&contexts, ACTIVITY_STOP, 0, 30, 0);
    assert_tree(&contexts, "0 0 0: 0, 0, 0\n"
                           "  1000 1 0: 20, 10, 200\n"
                           "    3000 1 1: 2, 0, 20\n"
                           "      4000 1 1: 1, 1, 10\n"
                           "      2000 1 1: 7, 4, 70\n");
}

/* Jumps into other functions end with the call that they are in, or when it is gone back to. */
static void jumps_are_in_a_call(void **state)
{
    struct contexts contexts = {.limit = CONTEXTS_LIMIT};
    (void)state;
    happens(&contexts, ACTIVITY_START, 0x1000, 0, NAMED);
    happens(&contexts, ACTIVITY_ENTER, 0x2000, 10, NAMED);
    happens(&contexts, ACTIVITY_GO, 0x3000, 20, NAMED);
    happens(&contexts, ACTIVITY_GO, 0x4000, 30, NAMED);
    happens(&contexts, ACTIVITY_GO, 0x3000, 40, NAMED | INSIDE); /* back in it */
    happens(&contexts, ACTIVITY_LEAVE, 0, 50, 0);                /* of 2000 */
    happens(&contexts, ACTIVITY_GO, 0x5000, 60, NAMED);
    happens(&contexts, ACTIVITY_STOP, 0, 70, 0);
    assert_tree(&contexts, "0 0 0: 0, 0, 0\n"
                           "  1000 1 0: 20, 10, 200\n"
                           "    2000 1 1: 10, 5, 100\n"
                           "      3000 1 1: 20, 10, 200\n"
                           "        4000 1 1: 10, 5, 100\n"
                           "    5000 1 0: 10, 5, 100\n");
}

/* A start in the middle of a function that was called; another stack; what a gap ends. */
static void stacks_have_their_own(void **state)
{
    struct contexts contexts = {.limit = CONTEXTS_LIMIT};
    (void)state;
    happens(&contexts, ACTIVITY_START, 0x2000, 0, NAMED);
    happens(&contexts, ACTIVITY_GO, 0x1000, 10, NAMED | INSIDE); /* the caller of 2000 */
    happens(&contexts, ACTIVITY_ENTER, 0x3000, 20, NAMED);
    contexts_event(&contexts, &(struct activity_event){.what = ACTIVITY_SWITCH,
                                                       .thread = 1,
                                                       .function = 0x7000,
                                                       .named = true,
                                                       .instructions = 30,
                                                       .accesses = 15,
                                                       .at.time = 300});
    happens(&contexts, ACTIVITY_ENTER, 0x3000, 40, NAMED);
    contexts_event(&contexts, &(struct activity_event){.what = ACTIVITY_SWITCH,
                                                       .thread = 0,
                                                       .function = 0x3000,
                                                       .instructions = 50,
                                                       .accesses = 25,
                                                       .at.time = 500});
    happens(&contexts, ACTIVITY_LEAVE, 0, 60, 0);
    happens(&contexts, ACTIVITY_GAP, 0, 70, 0);
    happens(&contexts, ACTIVITY_START, 0x8000, 70, NAMED);
    happens(&contexts, ACTIVITY_STOP, 0, 80, 0);
    /* the time of a gap is nobody's: its instruction before it has none here */
    assert_tree(&contexts, "0 0 0: 0, 0, 0\n"
                           "  2000 1 0: 10, 5, 100\n"
                           "  1000 1 0: 20, 10, 100\n"
                           "    3000 1 1: 20, 10, 200\n"
                           "  7000 1 0: 10, 5, 100\n"
                           "    3000 1 0: 10, 5, 100\n"
                           "  8000 1 0: 10, 5, 100\n");
}

/* At the limit a function is counted in its nearest caller of the same name, or without callers. */
static void contexts_are_bounded(void **state)
{
    struct contexts contexts = {.limit = 4};
    (void)state;
    happens(&contexts, ACTIVITY_START, 0x1000, 0, NAMED);
    happens(&contexts, ACTIVITY_ENTER, 0x2000, 10, NAMED);
    happens(&contexts, ACTIVITY_ENTER, 0x3000, 20, NAMED); /* the fourth */
    happens(&contexts, ACTIVITY_ENTER, 0x2000, 30, NAMED); /* a caller */
    happens(&contexts, ACTIVITY_ENTER, 0x4000, 40, NAMED); /* none */
    happens(&contexts, ACTIVITY_LEAVE, 0, 50, 0);
    happens(&contexts, ACTIVITY_ENTER, 0x5000, 60, NAMED); /* too many of these */
    happens(&contexts, ACTIVITY_ENTER, 0x6000, 70, NAMED);
    happens(&contexts, ACTIVITY_STOP, 0, 80, 0);
    assert_int_equal(contexts.lost, 4);
    assert_tree(&contexts, "0 0 0: 0, 0, 0\n"
                           "  1000 1 0: 10, 5, 100\n"
                           "    2000 2 0: 30, 15, 300\n"
                           "      3000 1 0: 10, 5, 100\n"
                           "  4000 1 1: 10, 5, 100\n"
                           "  ffffffffffffffff 2 0: 20, 10, 200\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_have_contexts),  cmocka_unit_test(a_stub_is_part_of_its_caller),
        cmocka_unit_test(jumps_are_in_a_call),  cmocka_unit_test(stacks_have_their_own),
        cmocka_unit_test(contexts_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
