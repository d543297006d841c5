/* SPDX-License-Identifier: MIT */
/*
 * din.c: the traditional input of the dinero cache simulators.
 *
 * A line is "LABEL ADDRESS".  The label is 0 for a read, 1 for a write, 2 for an instruction fetch,
 * 3 for an escape, an access of no particular kind, and 4 for a flush: all dirty blocks are copied
 * back.  The address is hexadecimal.  dinero ignores the rest of the line.
 */
#include "formats/din/reference_line.h"

static const struct reference_syntax syntax = {
    .rule = "din",
    .labels_wanted = "a label: 0 read, 1 write, 2 fetch, 3 escape or 4 flush",
    .ops = {['0'] = SPOOR_MEM_READ + 1,
            ['1'] = SPOOR_MEM_WRITE + 1,
            ['2'] = SPOOR_MEM_FETCH + 1,
            ['3'] = SPOOR_MEM_MISC + 1,
            ['4'] = SPOOR_MEM_COPY_BACK + 1},
    .labels = {[SPOOR_MEM_READ] = '0',
               [SPOOR_MEM_WRITE] = '1',
               [SPOOR_MEM_FETCH] = '2',
               [SPOOR_MEM_MISC] = '3',
               [SPOOR_MEM_COPY_BACK] = '4'},
    .size = SIZE_NONE,
    .digits = 1,
    .ignores_rest = true,
};

enum { PLAUSIBLE = 75 }; /* two columns of numbers are not a signature */

static int probe(const struct spoor_format *self, const struct spoor_head *head)
{
    const int score = probe_lines(self, head);
    return score < PLAUSIBLE ? score : PLAUSIBLE;
}

static const struct text_rules rules = REFERENCE_RULES(&syntax);

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
    .fit = reference_line_fit,
    .text = &rules,
    .projects = 1u << PROJECT_REFERENCES,
    .project = reference_lines_project,
    .write = reference_lines_write,
    .verbatim_copy = true,
};
