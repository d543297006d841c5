/* SPDX-License-Identifier: MIT */
/* test_regex_size.c: expressions that regcomp() may compile, and those that would take all memory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/regex_size.h"

static void demand(const char *const *expressions, size_t count, bool moderate)
{
    for (size_t i = 0; i < count; i++)
        if (regex_is_moderate(expressions[i]) != moderate)
            fail_msg("'%s' is %smoderate", expressions[i], moderate ? "not " : "");
}
#define DEMAND(list, moderate) demand(list, sizeof(list) / sizeof *(list), moderate)

static void usual_expressions_are_moderate(void **state)
{
    (void)state;
    static const char *const expressions[] = {
        "",
        "a",
        "^0x[0-9a-f]+$",
        "(ld|st)r[bh]?",
        "[]+]{3,9}",
        "[[:alpha:]]+",
        "a{255}",
        "(a+b*)+c?",
        "x{4096}",
        "{",
        "a{",
        "a{,}",
        ")",
        "a)(",
        "[",
        "[[:",
        "\\",
        "\\(\\+\\[",
        "[+++++++++++++++++++++++++++++++++++]",
        "\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+",
        "a?{200}",
        "((,[0-9]*)*|[a-z]+ ?|)+",
        "(^a?b?c?$){80}",
        "(ld|st|add|sub|and|or|xor|mul|div|sll|srl|sra|beq|bne|blt|bge|jal|jr|lui|la|li|mv|nop)+",
        "(a?){60}*",
        "(a????\?)+",
        "(((((((((((((((((((((((((((((((((a)))))))))))))))))))))))))))))))))"};
    DEMAND(expressions, true);
}

static void written_out_they_are_too_long(void **state)
{
    (void)state;
    static const char *const expressions[] = {
        "s++++++++++++++++++++++++++++++++++++++++++++++++++",
        "((((((((((((((a+)+)+)+)+)+)+)+)+)+)+)+)+)+)",
        "x{4097}",
        "((x{100}){100}){100}",
        "(x{99999999999999999999})",
        "(a{1,70}){60,}",
        "([[:alpha:]]{200}){30}",
        "(\\){200}){30}",
        "(]{200}){30}",
    };
    DEMAND(expressions, false);
}

/* The time of regcomp() of glibc grows with the third power of these states. */
static void optional_states_in_loops_are_few(void **state)
{
    (void)state;
    static const char *const expressions[] = {
        "a??+++++++",
        "((a?){130})+",
        "((a*)*){130}",
        "((a?+){9}+){4}",
        "((a{0,9}){1,100})*",
        "((|a){400})+",
        "n?????????????????????V????????????????????????????????????????x????????++w",
        "a??b??c??d??e??f??g??h??i??j??k??l??m??n??o??p??q??r??s??t??u??v?\?(x?y?)+",
        "(|||){20}(x?)+",
        "((a?)?){30}(x?)*",
        "((){400}){2,}",
        "(\\<{400})*",
        "((^|x\\b){200}){2,}b",
    };
    DEMAND(expressions, false);
}

static void groups_have_a_depth(void **state)
{
    (void)state;
    char expression[2 * REGEX_DEPTH + 4];
    for (size_t depth = REGEX_DEPTH; depth <= REGEX_DEPTH + 1; depth++) {
        memset(expression, '(', depth);
        memset(expression + depth, ')', depth);
        expression[2 * depth] = '\0';
        assert_int_equal(regex_is_moderate(expression), depth == REGEX_DEPTH);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(usual_expressions_are_moderate),
        cmocka_unit_test(written_out_they_are_too_long),
        cmocka_unit_test(optional_states_in_loops_are_few),
        cmocka_unit_test(groups_have_a_depth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
