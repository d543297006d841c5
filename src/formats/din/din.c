/* SPDX-License-Identifier: MIT */
/*
 * din.c: the traditional input of the dinero cache simulators.
 *
 * A line is "LABEL ADDRESS".  The label is 0 for a read, 1 for a write, 2 for an instruction fetch;
 * the address is hexadecimal.  dinero ignores the rest of the line.
 */
#include "formats/din/reference_line.h"

static const struct reference_syntax syntax = {
    .rule = "din",
    .labels_wanted = "a label: 0 read, 1 write or 2 fetch",
    .ops = {['0'] = SPOOR_MEM_READ + 1, ['1'] = SPOOR_MEM_WRITE + 1, ['2'] = SPOOR_MEM_FETCH + 1},
    .labels = {[SPOOR_MEM_READ] = '0', [SPOOR_MEM_WRITE] = '1', [SPOOR_MEM_FETCH] = '2'},
    .size = SIZE_NONE,
    .digits = 1,
    .ignores_rest = true,
};

static enum line_fit fit(const char *line, size_t size)
{
    return reference_line_fit(line, size, &syntax);
}

enum { PLAUSIBLE = 75 }; /* two columns of numbers are not a signature */

static int probe(const struct spoor_head *head)
{
    const int score = probe_lines(head, fit);
    return score < PLAUSIBLE ? score : PLAUSIBLE;
}

static void begin(void *state, const struct decoder *decoder)
{
    (void)decoder;
    reference_begin(state, &syntax);
}

static const char *read_line(struct text_reading *reading, void *state, const char *at)
{
    return reference_line_decode(reading, state, at, &syntax);
}

static const struct text_rules rules = {
    .line = read_line, .state_size = sizeof(struct reference_spellings), .begin = begin};

static void project(const struct decoder *decoder, const struct projection *projection,
                    struct spoor_batch *batch)
{
    reference_lines_project(&rules, decoder, projection, batch, &syntax);
}

static void write(struct encoder *encoder, const struct spoor_batch *batch, size_t from, size_t to,
                  struct text *out)
{
    reference_lines_write(encoder, batch, from, to, out, &syntax);
}

const struct spoor_format format_din = {
    .name = "din",
    .title = "dinero memory references, label and address",
    .suffixes = "din",
    .document = "Dinero III and IV, University of Wisconsin: traditional din input",
    .time_unit = "",
    .fields =
        {
            [SPOOR_MEM] = SPOOR_FIELD_BIT(OP) | SPOOR_FIELD_BIT(ADDRESS),
            [SPOOR_BUS] = SPOOR_FIELD_BIT(OP) | SPOOR_FIELD_BIT(PA),
            [SPOOR_INSN] = SPOOR_FIELD_BIT(PC),
            [SPOOR_UOP] = SPOOR_FIELD_BIT(PC) | SPOOR_FIELD_BIT(LDST) | SPOOR_FIELD_BIT(ADDRESS),
        },
    .produces = 1u << SPOOR_MEM,
    .probe = probe,
    .text = &rules,
    .projects = 1u << PROJECT_REFERENCES | 1u << PROJECT_STATS,
    .project = project,
    .write = write,
    .verbatim_copy = true,
};
