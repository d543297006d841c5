/* SPDX-License-Identifier: MIT */
/*
 * matcher.c: the trace format of ISP RAS Trace Matcher, as MicroTESK writes it.
 *
 * A small member of the Tarmac family: three kinds of records, only virtual addresses, processors
 * that are numbers and occur only on instructions.  Its letter X means a privileged access,
 * Tarmac's an exclusive one.
 */
#include "formats/tarmac/dialect.h"

static void decode(const struct decoder *decoder, struct spoor_batch *batch)
{
    dialect_decode(&dialect_matcher, decoder, batch);
}

/* The only projection is that to statistics. */
static void project(const struct decoder *decoder, const struct projection *projection,
                    struct spoor_batch *batch)
{
    (void)projection;
    dialect_project(&dialect_matcher, decoder, batch);
}

static void write(struct encoder *encoder, const struct spoor_batch *batch, size_t from, size_t to,
                  struct text *out)
{
    dialect_write(&dialect_matcher, encoder, batch, from, to, out);
}

static int at_maximum(int score, int limit)
{
    return score < limit ? score : limit;
}

/* Nearly every line of this format is a line of Tarmac.  A processor that is a number, a mode
 * without a security and a range <high..low> identify it.  Without any of them Tarmac is more
 * likely, and reads the same, unless an access has the letter X, whose meaning differs. */
static int probe(const struct spoor_head *head)
{
    enum { TARMACS = 50, EITHER = 75 };
    struct dialect_sample sample, tarmac;
    const bool typed = dialect_sample(&dialect_matcher, head, &sample);
    if (sample.failed) return PROBE_FAILED;
    if (!typed) return 0;
    dialect_sample(&dialect_tarmac, head, &tarmac);
    if (tarmac.failed) return PROBE_FAILED;
    const int score = dialect_score(&sample);
    const enum dialect_sign sign = dialect_sign(&tarmac, &sample);
    if (sign == SIGN_TARMAC) return at_maximum(score, TARMACS);
    return sign == SIGN_MATCHER || sample.letter_x ? score : at_maximum(score, EITHER);
}

#define BIT(field) SPOOR_FIELD_BIT(field)

const struct spoor_format format_matcher = {
    .name = "matcher",
    .title = "Trace Matcher / MicroTESK trace",
    .suffixes = "trace;log",
    .document = "ISP RAS, Trace Utils: Trace Format",
    .time_unit = "clk",
    .fields =
        {
            [SPOOR_NOTE] = BIT(TEXT),
            [SPOOR_INSN] = BIT(TIME) | BIT(CPU) | BIT(OP) | BIT(PC) | BIT(INDEX) | BIT(OPCODE) |
                           BIT(OPCODE_SIZE) | BIT(ISET) | BIT(MODE) | BIT(DISASM),
            [SPOOR_REG] = BIT(TIME) | BIT(OP) | BIT(REG) | BIT(VALUE) | BIT(BITS),
            [SPOOR_MEM] = BIT(TIME) | BIT(OP) | BIT(ADDRESS) | BIT(SIZE) | BIT(DATA) |
                          BIT(TRANSLATED) | BIT(PRIVILEGED) | BIT(RESULT),
        },
    .probe = probe,
    .decode = decode,
    .text = &dialect_matcher_text,
    .projects = 1u << PROJECT_STATS,
    .project = project,
    .resolve = dialect_resolve,
    .resolves_little = true,
    .write = write,
    .verbatim_copy = true,
};
