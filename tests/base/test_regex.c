/* SPDX-License-Identifier: MIT */
/*
 * test_regex.c: regular expressions: what matches where, and expressions that would take all time
 * or memory.  The places are those of perlre(1); whether there is a match in plain expressions, the
 * C library knows as well.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pthread.h>
#include <regex.h>
#include <unistd.h>

#include "base/regex.h"

enum { SECONDS = 600 /* for all of them; a hang ends the test */, LONG = 4 << 20 };

static struct regex *compiled(const char *expression)
{
    char reason[REGEX_REASON] = "";
    struct regex *regex = regex_new(expression, strlen(expression), reason);
    if (!regex) fail_msg("%s: expected %s", expression, reason);
    return regex;
}

static int set_up(void **state)
{
    char reason[REGEX_REASON] = "";
    struct regex *regex = regex_new("a", 1, reason);
    *state = regex;
    if (!regex && !strstr(reason, "without PCRE2")) return -1;
    regex_free(regex);
    alarm(SECONDS);
    return 0;
}

/* A build without PCRE2 has said so in set_up(). */
#define NEEDS_PCRE2(state) \
    if (!*(state)) skip()

static void test_finds_the_first_part_that_matches(void **state)
{
    static const struct {
        const char *expression, *text;
        int begin, end; /* -1: there is none */
    } cases[] = {
        {"", "text", 0, 0},
        {"^[LS]W$", "SW", 0, 2},
        {"^[LS]W$", "SWL", -1, -1},
        {"LW|SW", "a SW", 2, 4},
        {"lw", "LW", -1, -1},
        {"(?i)lw", "LW", 0, 2},
        {"a|ab", "ab", 0, 1}, /* not the longest */
        {"x\\d+", "ldr x0, [x21]", 4, 6},
        {"x\\d+(?=])", "ldr x0, [x21]", 9, 12},
        {"\\bx\\B", "ax xa", 3, 4},
        {"a.*?b", "aabab", 0, 3},
        {"(a|b)\\1", "abba", 1, 3},
        {"^.b$",
         "\xff"
         "b",
         0, 2},
        {"^...$", "\xc3\xa9.", 0, 3}, /* bytes */
        {"^[\xc3\xa9\xc3\xa8]x$", "\xc3\xa9x", 0, 3},
        {"[\xc3\xa9\xc3\xa8]", "\xc3\xa7", -1, -1}, /* one of its bytes */
        {"\xc3\xa9", "\xff\xc3\xa9", 1, 3},         /* after a byte of no character */
        {"^\xc3\xa9?.$", "\xe9", -1, -1},           /* such a byte */
        {"a.b", "a\nb", 0, 3},
        {"a$", "a\n", -1, -1},
    };
    NEEDS_PCRE2(state);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct regex *regex = compiled(cases[i].expression);
        size_t begin = 99, end = 99;
        const bool found = regex_find(regex, cases[i].text, strlen(cases[i].text), 0, &begin, &end);
        if (found != (cases[i].begin >= 0) ||
            (found && (begin != (size_t)cases[i].begin || end != (size_t)cases[i].end)))
            fail_msg("'%s' in '%s': %d at %zu to %zu", cases[i].expression, cases[i].text, found,
                     begin, end);
        char reason[REGEX_REASON];
        assert_false(regex_failed(regex, reason));
        regex_free(regex);
    }
}

static void test_later_parts_are_of_the_whole_text(void **state)
{
    NEEDS_PCRE2(state);
    struct regex *regex = compiled("^a|(?<=b)a");
    size_t begin, end;
    assert_true(regex_find(regex, "abaa", 4, 0, &begin, &end));
    assert_int_equal(begin, 0);
    assert_true(regex_find(regex, "abaa", 4, 1, &begin, &end));
    assert_int_equal(begin, 2);
    assert_false(regex_find(regex, "abaa", 4, 3, &begin, &end));
    assert_false(regex_find(regex, NULL, 0, 0, NULL, NULL));
    regex_free(regex);
}

/* Whether there is a match is the same in the extended expressions of POSIX. */
static void test_agrees_with_the_c_library(void **state)
{
    static const char *const expressions[] = {
        "^0x[0-9a-f]+$",     "(ld|st)r[bh]?", "[]+]{1,3}",  "[[:alpha:]]+ ", "a{2,3}b",
        "(a+b*)+c?$",        "^(a|b)*$",      "x.*y|y.*x",  "b\\.a",         "^$|aab",
        "([ab]x?){3}[^ab]+", "(a?b){2,}a",    "\\(a\\)|a+", "[^ -~]",        "(^a|b$)",
    };
    static const char letters[] = "aabbxy .0()]+r";
    NEEDS_PCRE2(state);
    uint32_t random = 1;
    for (size_t i = 0; i < sizeof expressions / sizeof *expressions; i++) {
        struct regex *regex = compiled(expressions[i]);
        regex_t posix;
        assert_int_equal(regcomp(&posix, expressions[i], REG_EXTENDED | REG_NOSUB), 0);
        for (int times = 0; times < 2000; times++) {
            char text[12] = "";
            for (size_t j = 0; j < (size_t)times % sizeof text; j++) {
                random = random * 1664525 + 1013904223;
                text[j] = letters[(random >> 16) % (sizeof letters - 1)];
            }
            text[sizeof text - 1] = '\0';
            const bool wanted = regexec(&posix, text, 0, NULL, 0) == 0;
            if (regex_find(regex, text, strlen(text), 0, NULL, NULL) != wanted)
                fail_msg("'%s' in '%s': expected %d", expressions[i], text, wanted);
        }
        regfree(&posix);
        regex_free(regex);
    }
}

static void test_what_is_no_expression_has_a_reason(void **state)
{
    static const struct {
        const char *expression, *reason;
    } cases[] = {
        {"[", "missing terminating ]"},
        {"(", "missing closing parenthesis"},
        {"a)", "unmatched closing parenthesis"},
        {"*", "quantifier does not follow"},
        {"s++++++++", "quantifier does not follow"},
        {"x{99999}", "number too big"},
        {"((x{100}){100}){100}", "too large"},
        {"(x{99999999999999999999})", "number too big"},
        {"(*UTF)a", "disabled by the application"},
        {"\\", "\\ at end of pattern"},
        {"(?z)", "unrecognized character"},
        {"\xff", "UTF-8 error"},
    };
    NEEDS_PCRE2(state);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char reason[REGEX_REASON] = "";
        assert_null(regex_new(cases[i].expression, strlen(cases[i].expression), reason));
        if (strncmp(reason, "a regular expression: ", 22) != 0 || !strstr(reason, cases[i].reason))
            fail_msg("'%s': '%s'", cases[i].expression, reason);
    }
}

static char *repeated(char letter, size_t count, const char *end)
{
    char *text = malloc(count + strlen(end) + 1);
    assert_non_null(text);
    memset(text, letter, count);
    strcpy(text + count, end);
    return text;
}

static void test_groups_have_a_depth(void **state)
{
    NEEDS_PCRE2(state);
    for (size_t depth = 100; depth <= 100000; depth *= 10) {
        char reason[REGEX_REASON] = "";
        char *expression = repeated('(', depth, "a");
        expression = realloc(expression, 2 * depth + 2);
        assert_non_null(expression);
        memset(expression + depth + 1, ')', depth);
        struct regex *regex = regex_new(expression, 2 * depth + 1, reason);
        if (depth == 100) {
            assert_non_null(regex);
            assert_true(regex_find(regex, "a", 1, 0, NULL, NULL));
        } else {
            assert_null(regex);
            assert_non_null(strstr(reason, "too deeply nested"));
        }
        regex_free(regex);
        free(expression);
    }
}

/* Those of long expressions compile at once, or are refused. */
static void test_long_expressions_take_no_time(void **state)
{
    static const char *const parts[] = {"a?",  "(a*)*",  "(|",      "[a-z", "a{1,70}", "\\b|",
                                        "(?=", "(?<=a|", "(?:a+)+", "(?1)", "a|b|",    "\\Q"};
    NEEDS_PCRE2(state);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        char reason[REGEX_REASON] = "";
        const size_t size = strlen(parts[i]), count = 100000 / size;
        char *expression = malloc(size * count);
        assert_non_null(expression);
        for (size_t j = 0; j < count; j++) memcpy(expression + j * size, parts[i], size);
        struct regex *regex = regex_new(expression, size * count, reason);
        if (regex) (void)regex_find(regex, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!", 31, 0, NULL, NULL);
        assert_true(regex || *reason);
        regex_free(regex);
        free(expression);
    }
}

static void demand_failure(const char *expression, const char *text, const char *why)
{
    struct regex *regex = compiled(expression);
    char reason[REGEX_REASON] = "";
    assert_false(regex_failed(regex, reason));
    assert_false(regex_find(regex, text, strlen(text), 0, NULL, NULL));
    if (!regex_failed(regex, reason) || !strstr(reason, why))
        fail_msg("'%s': '%s'", expression, reason);
    /* once failed, it takes no more time */
    for (int i = 0; i < 100000; i++)
        assert_false(regex_find(regex, text, strlen(expression), 0, NULL, NULL));
    regex_free(regex);
}

static void test_a_search_without_end_is_a_failure(void **state)
{
    static const char *const steps[] = {
        "(a+)+$",
        "(a|aa)+$",
        "(a|a?)+$",
        "(a*)*$",
        "^(([a-z])+.)+[A-Z]([a-z])+$",
        "(.*)*\\d",
        "((a?){130})+b?$",
        "((a{0,50}){0,50}){0,50}$",
        "(?:a?){60}a{60}$",
        "(a+?)+?$",
    };
    NEEDS_PCRE2(state);
    /* each takes ten million steps: an emulated processor, for which less is tried, takes two */
    const size_t stride = getenv("SPOOR_TEST_LINES") ? 5 : 1;
    char *text = repeated('a', 5000, "!");
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i += stride)
        demand_failure(steps[i], text, "at most 10000000 steps and 64 MiB");
    free(text);
}

static void test_a_search_has_a_memory(void **state)
{
    NEEDS_PCRE2(state);
    char *text = repeated('a', LONG, "!");
    demand_failure("^(a|b)*$", text, "heap limit exceeded");
    struct regex *regex = compiled("^a+!$"); /* which needs none */
    assert_true(regex_find(regex, text, LONG + 1, 0, NULL, NULL));
    regex_free(regex);
    free(text);
}

static void *search(void *context)
{
    struct regex *regex = context;
    bool good = true;
    for (int i = 0; i < 20000; i++) {
        size_t begin = 0, end = 0;
        good &= regex_find(regex, "ldr x0, [x21]", 13, 0, &begin, &end) && begin == 9 && end == 12;
        good &= !regex_find(regex, "ldr x0, [sp]", 12, 0, &begin, &end);
    }
    return good ? regex : NULL;
}

static void test_threads_share_an_expression(void **state)
{
    pthread_t threads[4];
    NEEDS_PCRE2(state);
    struct regex *regex = compiled("x(\\d+)(?=])");
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, search, regex), 0);
    for (size_t i = 0; i < 4; i++) {
        void *good;
        assert_int_equal(pthread_join(threads[i], &good), 0);
        assert_non_null(good);
    }
    regex_free(regex);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_finds_the_first_part_that_matches),
        cmocka_unit_test(test_later_parts_are_of_the_whole_text),
        cmocka_unit_test(test_agrees_with_the_c_library),
        cmocka_unit_test(test_what_is_no_expression_has_a_reason),
        cmocka_unit_test(test_groups_have_a_depth),
        cmocka_unit_test(test_long_expressions_take_no_time),
        cmocka_unit_test(test_a_search_without_end_is_a_failure),
        cmocka_unit_test(test_a_search_has_a_memory),
        cmocka_unit_test(test_threads_share_an_expression),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
