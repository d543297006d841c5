/* SPDX-License-Identifier: MIT */
/*
 * tarmac.c: Arm's Tarmac trace, as Fast Models' plug-in writes it and in all other dialects.
 */
#include "formats/tarmac/fields.h"

static void decode(const struct decoder *decoder, struct spoor_batch *batch)
{
    dialect_decode(&dialect_tarmac, decoder, batch);
}

/* The only projection is that to statistics. */
static void project(const struct decoder *decoder, const struct projection *projection,
                    struct spoor_batch *batch)
{
    (void)projection;
    dialect_project(&dialect_tarmac, decoder, batch);
}

static void write(struct encoder *encoder, const struct spoor_batch *batch, size_t from, size_t to,
                  struct text *out)
{
    dialect_write(&dialect_tarmac, encoder, batch, from, to, out);
}

/* Nearly all of Trace Matcher's traces are Tarmac too: matcher.c states when that is the better
 * name. */
static int probe(const struct spoor_head *head)
{
    enum { MATCHERS = 80 };
    struct dialect_sample sample, matcher;
    const bool typed = dialect_sample(&dialect_tarmac, head, &sample);
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
    .probe = probe,
    .decode = decode,
    .text = &dialect_tarmac_text,
    .projects = 1u << PROJECT_STATS,
    .project = project,
    .dialect = producer_of_spelling,
    .dialects = producer_names,
    .resolve = dialect_resolve,
    .resolves_little = true,
    .write = write,
    .verbatim_copy = true,
};
