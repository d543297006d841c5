/* SPDX-License-Identifier: MIT */
/*
 * din.c: the traditional input of the dinero cache simulators.
 *
 * "LABEL ADDRESS": 0 read, 1 write, 2 instruction fetch; the address in hexadecimal.  dinero
 * ignores what follows on the line.
 */
#include "base/cpu.h"
#include "formats/din/reference_line.h"

const struct reference_syntax din_syntax = {
    .rule = "din",
    .labels_wanted = "a label: 0 read, 1 write or 2 fetch",
    .ops = {['0'] = SPOOR_MEM_READ + 1, ['1'] = SPOOR_MEM_WRITE + 1, ['2'] = SPOOR_MEM_FETCH + 1},
    .labels = {[SPOOR_MEM_READ] = '0', [SPOOR_MEM_WRITE] = '1', [SPOOR_MEM_FETCH] = '2'},
    .size = SIZE_NONE,
    .digits = 1,
    .ignores_rest = true,
#if CPU_MAY_HAVE_AVX2
    .fast = din_project_avx2,
#endif
};

static enum line_fit fit(const char *line, size_t size)
{
    return reference_line_fit(line, size, &din_syntax);
}

enum { PLAUSIBLE = 75 }; /* two columns of numbers are no signature */

static int probe(const struct spoor_head *head)
{
    const int score = probe_lines(head, fit);
    return score < PLAUSIBLE ? score : PLAUSIBLE;
}

static void decode(const struct decoder *decoder, struct spoor_batch *batch)
{
    reference_lines_decode(decoder, batch, &din_syntax);
}

static void project(const struct decoder *decoder, const struct projection *projection,
                    struct spoor_batch *batch)
{
    reference_lines_project(decoder, projection, batch, &din_syntax);
}

static void write(struct encoder *encoder, const struct spoor_batch *batch, size_t from, size_t to,
                  struct text *out)
{
    const bool own = batch->stream->format->write == write;
    reference_lines_write(encoder, batch, from, to, out, &din_syntax, own);
}

const struct spoor_format format_din = {
    .name = "din",
    .title = "dinero memory references, label and address",
    .suffixes = "din",
    .document = "Dinero III and IV, University of Wisconsin: traditional din input",
    .time_unit = "",
    .carries =
        {
            [SPOOR_MEM] = SPOOR_FIELD_BIT(OP) | SPOOR_FIELD_BIT(ADDRESS),
            [SPOOR_BUS] = SPOOR_FIELD_BIT(OP) | SPOOR_FIELD_BIT(PA),
            [SPOOR_INSN] = SPOOR_FIELD_BIT(PC),
            [SPOOR_UOP] = SPOOR_FIELD_BIT(PC) | SPOOR_FIELD_BIT(LDST) | SPOOR_FIELD_BIT(ADDRESS),
        },
    .gives = 1u << SPOOR_MEM,
    .probe = probe,
    .decode = decode,
    .projects = 1u << PROJECT_REFERENCES,
    .project = project,
    .write = write,
    .copies = true,
};
