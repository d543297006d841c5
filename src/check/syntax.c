/* SPDX-License-Identifier: MIT */
/* syntax.c: rules about bytes that the format's reader could not decode as a record. */
#include <stdio.h>
#include <string.h>

#include "base/sorted.h"
#include "check/rule.h"

/* True if a rule of this file other than `syntax` reports a fault of that name. */
static bool syntax_has_own_rule(const char *name)
{
    return strcmp(name, "trailing-bytes") == 0 || strcmp(name, "line-length") == 0;
}

/* Reports the record's faults called as the rule; of `syntax`, those without a rule of their own.
 */
static void syntax_feed_faults(struct context *context)
{
    const char *name = context->rule->info.name;
    const struct spoor_fault *faults = context->batch->faults;
    const size_t count = context->batch->fault_count;
    const struct spoor_fault *fault = faults + SORTED_BELOW(faults, count, record, context->index);
    for (; fault < faults + count && fault->record == context->index; fault++)
        if (syntax_has_own_rule(name) ? strcmp(fault->rule, name) == 0
                                      : !syntax_has_own_rule(fault->rule)) {
            char words[SPOOR_FOUND_CAPACITY];
            context->findings->finding.column = fault->column;
            context_found(context, "%s", spoor_fault_found(context->batch, fault, words));
            if (syntax_has_own_rule(fault->rule))
                context_expected(context, "%s", fault->expected);
            else
                context_expected(context, "%s (rule %s)", fault->expected, fault->rule);
        }
}

EXAMINE_BLOCK(syntax_feed_faults)
const struct rule rule_syntax = {
    .info = {"syntax", "every line or record can be read", "the format's own document",
             SPOOR_SEVERITY_ERROR, true},
    .kinds = KINDS_ALL,
    .has = SPOOR_IS_FAULTY,
    .feed = syntax_feed_faults_block,
};

const struct rule rule_trailing_bytes = {
    .info = {"trailing-bytes", "a binary trace ends with a whole record",
             "the published Pentium II trace ends in 2 stray bytes", SPOOR_SEVERITY_WARNING, true},
    .kinds = KIND(NOTE),
    .has = SPOOR_IS_FAULTY,
    .feed = syntax_feed_faults_block,
};

const struct rule rule_line_length = {
    .info = {"line-length", "a line has at most 1 MiB", "the reader's bound on memory",
             SPOOR_SEVERITY_ERROR, true},
    .kinds = KIND(NOTE),
    .has = SPOOR_IS_FAULTY,
    .feed = syntax_feed_faults_block,
};

static void syntax_feed_verbatim(struct context *context)
{
    context_found(context, "text that no spelling reproduces");
    context_expected(context, "columns, digits and letter case of a known spelling");
}
EXAMINE_BLOCK(syntax_feed_verbatim)
const struct rule rule_verbatim_line = {
    .info = {"verbatim-line", "the line can be written from its fields",
             "include/spoor/record.h: SPOOR_IS_VERBATIM", SPOOR_SEVERITY_NOTE, false},
    .kinds = KINDS_ALL,
    .has = SPOOR_IS_VERBATIM,
    .feed = syntax_feed_verbatim_block,
};
