/* SPDX-License-Identifier: MIT */
/* select_bounds.c: evaluate an expression where only bounds of the fields are known. */
#include "query/select_test.h"

#include <stdlib.h>

/* The numbers of 64 bits that have the relation to the constant; false: none has. */
static bool select_bounds_range_of(enum relation relation, const struct number *number,
                                   uint64_t *first, uint64_t *last)
{
    const int rank = number->rank ? number->rank : number->high ? 1 : 0;
    const bool below = relation == RELATION_LESS || relation == RELATION_AT_MOST;
    const bool above = relation == RELATION_GREATER || relation == RELATION_AT_LEAST;
    *first = 0;
    *last = UINT64_MAX;
    if (relation == RELATION_NOT_EQUAL) return true;
    if (rank) return rank < 0 ? above : below;
    if (relation == RELATION_EQUAL) *first = *last = number->low;
    if (above) *first = number->low + (relation == RELATION_GREATER);
    if (below) *last = number->low - (relation == RELATION_LESS);
    if (relation == RELATION_GREATER) return number->low < UINT64_MAX;
    return relation != RELATION_LESS || number->low > 0;
}

/* True if a record may exist of which the test is true. */
static bool select_bounds_may_hold(const struct spoor_select *select, const struct test *test,
                                   const struct select_bounds *bounds)
{
    const enum spoor_field field = (enum spoor_field)test->field;
    const struct constant *constant;
    uint64_t first = 0, last = UINT64_MAX, unused;
    switch ((enum test_type)test->type) {
    case TEST_KIND: return test->bits[0] & bounds->kinds;
    case TEST_OP:
        for (unsigned kind = 0; kind < SPOOR_KINDS; kind++)
            if ((bounds->kinds >> kind & 1) && test->bits[kind]) return true;
        return false;
    case TEST_NUMBER:
        if (test->relation == RELATION_PRESENT) /* it has no constant */
            return bounds->has_number(bounds->context, field, first, last);
        constant = &select->constants[test->first];
        if (test->relation == RELATION_BETWEEN)
            return (constant[0].open ||
                    select_bounds_range_of(RELATION_AT_LEAST, &constant[0].number, &first,
                                           &unused)) &&
                   (constant[1].open ||
                    select_bounds_range_of(RELATION_AT_MOST, &constant[1].number, &unused,
                                           &last)) &&
                   first <= last && bounds->has_number(bounds->context, field, first, last);
        for (uint32_t i = 0; i < test->count; i++)
            if (select_bounds_range_of((enum relation)test->relation, &constant[i].number, &first,
                                       &last) &&
                bounds->has_number(bounds->context, field, first, last))
                return true;
        return false;
    case TEST_TEXT: break;
    }
    struct spoor_slice text;
    /* which registers have a role, the instructions tell */
    if (test->names_role || !bounds->lists(bounds->context, field)) return true;
    for (size_t i = 0; bounds->text(bounds->context, field, i, &text); i++)
        if (test->relation == RELATION_PRESENT || select_text_holds(select, test, text))
            return true;
    return false;
}

bool select_may_match(const struct spoor_select *select, const struct select_bounds *bounds)
{
    bool *reached = calloc(select->test_count + 1, sizeof *reached);
    bool accepted = !reached || select->entry == ACCEPT;
    int *next = calloc(select->test_count + 1, sizeof *next);
    size_t count = 0;
    if (!next) accepted = true;
    if (!accepted && select->entry >= 0) {
        next[count++] = select->entry;
        reached[select->entry] = true;
    }
    while (count > 0 && !accepted) {
        const struct test *test = &select->tests[next[--count]];
        /* It may be false for a record: a field may be absent, or another number. */
        const bool may_fail = test->type != TEST_KIND || (bounds->kinds & ~test->bits[0]);
        const int ways[] = {select_bounds_may_hold(select, test, bounds) ? test->on_true : REJECT,
                            may_fail ? test->on_false : REJECT};
        for (size_t i = 0; i < 2; i++) {
            accepted |= ways[i] == ACCEPT;
            if (ways[i] < 0 || reached[ways[i]]) continue;
            reached[ways[i]] = true;
            next[count++] = ways[i];
        }
    }
    free(reached);
    free(next);
    return accepted;
}
