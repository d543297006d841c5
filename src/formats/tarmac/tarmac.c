/* SPDX-License-Identifier: MIT */
/*
 * tarmac.c: Arm's Tarmac trace, as Fast Models' plug-in writes it and in all other dialects.
 */
#include "formats/tarmac/fields.h"

/* Nearly all of Trace Matcher's traces are Tarmac too: matcher.c states when that is the better
 * name. */
static int probe(const struct spoor_format *self, const struct spoor_head *head)
{
    enum { MATCHERS = 80 };
    struct dialect_sample sample, matcher;
    const bool typed = dialect_sample(&dialect_tarmac, head, &sample);
    (void)self;
    if (sample.failed) return PROBE_FAILED;
    if (!typed) return 0;
    dialect_sample(&dialect_matcher, head, &matcher);
    if (matcher.failed) return PROBE_FAILED;
    const int score = dialect_score(&sample);
    return dialect_sign(&sample, &matcher) == SIGN_MATCHER && score > MATCHERS ? MATCHERS : score;
}

const struct spoor_format format_tarmac = {
    .name = "tarmac",
    .title = "Arm Tarmac trace, any dialect",
    .suffixes = "tarmac;tarm",
    .document = "Arm, Fast Models Reference Guide: TarmacTrace file format",
    .time_unit = "clk",
    .fields = TARMAC_FIELDS(BIT(MEMTYPE) | BIT(PC) | BIT(INDEX)),
    .variant = &dialect_tarmac,
    .probe = probe,
    .text = &dialect_tarmac_text,
    .dialect = producer_of_spelling,
    .dialects = producer_names,
    .effects_first = producer_is_effects_first,
    .secure_is_unmarked = true,
    .resolve = dialect_resolve,
    .resolves_little = true,
    .write = dialect_write,
    .verbatim_copy = true,
};

/* As Fast Models writes it, from any dialect: every record counts as one of another format. */

const struct spoor_format format_tarmac_fm = {
    .name = "tarmac-fm",
    .title = "Arm Tarmac trace as Fast Models writes it (read as tarmac)",
    .suffixes = "",
    .document = "Arm, Fast Models Reference Guide: TarmacTrace file format",
    .time_unit = "clk",
    .fields = TARMAC_FIELDS(0),
    .variant = &dialect_tarmac,
    .write = dialect_write,
};
