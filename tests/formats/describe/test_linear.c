/* SPDX-License-Identifier: MIT */
/*
 * test_linear.c: matching a line by a description takes steps in proportion to its length, for
 * descriptions and lines that would make a backtracking matcher quadratic or worse.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formats/describe/describe.h"

struct hostile {
    const char *description, *begin, *unit, *end; /* the line: begin, unit again and again, end */
};

static const struct hostile hostile[] = {
    {"insn: {*{a}}\n    a: {:w}!\n    a: {:=1x}\n", "", "a", ""},
    {"insn: {*{a}}\n    a: {:x}{:w}{:x}!\n    a: {:=1x}\n", "", "a", ""},
    {"insn: {*{a}}\n    a: {:t}!\n    a: {:=1x}\n", "", "a", ""},
    {"insn: {:t}{? {:x}!}{? {:d}!}\n", "", "a ", ""},
    {"insn: {?{:=1x}}{?{:=1x}}{?{:=1x}}{?{:=1x}}{?{:=1x}}{?{:=1x}}!\n", "", "a", ""},
    {"insn: {:t}{? {:x}{:t}{? {:x}{:t}{? {:x}{:t}{? !}}}}\n", "", "a ", ""},
    {"insn: {*{a}}!\n    a:  {:w}\n    a:   {:d}\n", "", " ", "x"},
    {"insn: {pc} {text:t}{a}\n    a: {:w}-{:w}!\n", "1 ", "a", "-bbbbbbbbbbbbbbbbbbbbbbbbbb"},
    {"insn: {pc} {text:t}{a}\n    a: {b}!\n    a: {* {reg}={value}}?\n    b: {:x}{:w}\n", "1 ",
     "x1=1 ", ""},
    {"insn: {pc} {text:t}{&next}{:w}\n    next: {* {:x}}!\n", "1 ", "ab ", ""},
    {"insn: {pc} {text:t}{a}\n    a: {:h}!\n", "1 ", "00 ", ""},
    {"insn: {pc}{*{a}}\n    a: {:h}!\n    a: { }{:=1x}\n", "1 ", "00 ", ""},
    {"insn: {pc}{* {:s},}{* {:s};}\n", "1 ", "a,b;", ""},
    {"insn: {pc} {text:t}{? {disasm:t}{? {extra:t}}}#\n", "1 ", "a ", ""},
    {"insn: {pc} {disasm}{* {a}}\n    a: {:w} {:w} {:w}!\n", "1 ", "a ", ""},
    {"insn: {pc} {disasm}{* {a}}\n    a: {:w}{ }=\n    a: {:w}:\n", "1 ", "a", " b"},
    {"words k aa=read ab=write\ninsn: {pc}{* {op:k}}{text:t}\n", "1 ", "aa ", ""},
};

/* The steps for a line of about `size` bytes. */
static size_t steps_of(const struct description *description, const struct hostile *one,
                       size_t size)
{
    const size_t units = size / strlen(one->unit);
    char *line = calloc(1, size + strlen(one->begin) + strlen(one->end) + 64), *end = line;
    assert_non_null(line);
    end = stpcpy(end, one->begin);
    for (size_t i = 0; i < units; i++) end = stpcpy(end, one->unit);
    end = stpcpy(end, one->end);
    struct describe_match match = {.description = description};
    describe_match_line(&match, line, end);
    assert_false(match.failed);
    describe_match_free(&match);
    free(line);
    return match.steps;
}

static void steps_grow_with_the_line(void **state)
{
    enum { SHORT = 1000, TIMES = 32, MOST = 80 /* steps for a byte */ };
    (void)state;
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
        struct spoor_error error = {0};
        const struct spoor_slice text = {hostile[i].description, strlen(hostile[i].description)};
        struct description *description = describe_parse("hostile", "hostile", text, &error);
        if (!description) fail_msg("%s", error.text);
        const size_t few = steps_of(description, &hostile[i], SHORT);
        const size_t many = steps_of(description, &hostile[i], (size_t)SHORT * TIMES);
        describe_free(description);
        if (many > few * TIMES * 5 / 4 + SHORT || many > (size_t)MOST * SHORT * TIMES)
            fail_msg("%s: %zu steps for %d bytes, %zu for %d", hostile[i].description, few, SHORT,
                     many, SHORT * TIMES);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(steps_grow_with_the_line)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
