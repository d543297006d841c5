/* SPDX-License-Identifier: MIT */
/* syntax.c: rules about bytes that the format's reader could not decode as a record. */
#include <stdio.h>
#include <string.h>

#include "base/sorted.h"
#include "check/rule.h"

/* True if a rule of this file other than `syntax` reports a fault of that name. */
static bool has_own_rule(const char *name)
{
    return strcmp(name, "trailing-bytes") == 0 || strcmp(name, "line-length") == 0;
}

/* Reports the record's faults called `name`; NULL: those without a rule of their own. */
static void report_faults(struct context *context, const char *name)
{
    const struct spoor_fault *faults = context->batch->faults;
    const size_t count = context->batch->fault_count;
    const struct spoor_fault *fault = faults + SORTED_BELOW(faults, count, record, context->index);
    for (; fault < faults + count && fault->record == context->index; fault++)
        if (name ? strcmp(fault->rule, name) == 0 : !has_own_rule(fault->rule)) {
            char words[SPOOR_FOUND_CAPACITY];
            context_column(context, fault->column);
            context_found(context, "%s", spoor_fault_found(context->batch, fault, words));
            if (has_own_rule(fault->rule))
                context_expected(context, "%s", fault->expected);
            else
                context_expected(context, "%s (rule %s)", fault->expected, fault->rule);
        }
}

static void feed_syntax(struct context *context)
{
    report_faults(context, NULL);
}
EXAMINE_BLOCK(feed_syntax)
const struct rule rule_syntax = {
    .info = {"syntax", "every line or record can be read", "the format's own document",
             SPOOR_SEVERITY_ERROR, true},
    .kinds = KINDS_ALL,
    .has = SPOOR_IS_FAULTY,
    .feed = feed_syntax_block,
};

static void feed_trailing_bytes(struct context *context)
{
    report_faults(context, "trailing-bytes");
}
EXAMINE_BLOCK(feed_trailing_bytes)
const struct rule rule_trailing_bytes = {
    .info = {"trailing-bytes", "a binary trace ends with a whole record",
             "the published Pentium II trace ends in 2 stray bytes", SPOOR_SEVERITY_WARNING, true},
    .kinds = KIND(NOTE),
    .has = SPOOR_IS_FAULTY,
    .feed = feed_trailing_bytes_block,
};

static void feed_line_length(struct context *context)
{
    report_faults(context, "line-length");
}
EXAMINE_BLOCK(feed_line_length)
const struct rule rule_line_length = {
    .info = {"line-length", "a line has at most 1 MiB", "the reader's bound on memory",
             SPOOR_SEVERITY_ERROR, true},
    .kinds = KIND(NOTE),
    .has = SPOOR_IS_FAULTY,
    .feed = feed_line_length_block,
};

static void feed_verbatim_line(struct context *context)
{
    context_found(context, "text that no spelling reproduces");
    context_expected(context, "columns, digits and letter case of a known spelling");
}
EXAMINE_BLOCK(feed_verbatim_line)
const struct rule rule_verbatim_line = {
    .info = {"verbatim-line", "a spelling reproduces the line from its fields",
             "include/spoor/record.h: SPOOR_IS_VERBATIM", SPOOR_SEVERITY_NOTE, false},
    .kinds = KINDS_ALL,
    .has = SPOOR_IS_VERBATIM,
    .feed = feed_verbatim_line_block,
};
