/* SPDX-License-Identifier: MIT */
/*
 * din.c: the inputs of the dinero cache simulators.
 *
 * A line of the traditional input is "LABEL ADDRESS".  The label is 0 for a read, 1 for a write, 2
 * for an instruction fetch, 3 for an escape, an access of no particular kind, and 4 for a flush:
 * all dirty blocks are copied back.  The address is hexadecimal.
 *
 * A line of the extended input of dinero IV is "LABEL ADDRESS SIZE", with both numbers in
 * hexadecimal.  The label is r for a read, w for a write, i for an instruction fetch, m for an
 * access of no particular kind, c for a copy back, v for an invalidation; a label may be a capital.
 *
 * dinero ignores the rest of either line.
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

static int din_probe(const struct spoor_format *self, const struct spoor_head *head)
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
    .probe = din_probe,
    .fit = reference_line_fit,
    .text = &rules,
    .projects = 1u << PROJECT_REFERENCES,
    .project = reference_lines_project,
    .write = reference_lines_write,
    .verbatim_copy = true,
};

/* ---- the extended input ---- */

static const struct reference_syntax extended_syntax = {
    .rule = "xdin",
    .labels_wanted = "a label: r, w, i, m, c or v",
    .ops = {['r'] = SPOOR_MEM_READ + 1,
            ['w'] = SPOOR_MEM_WRITE + 1,
            ['i'] = SPOOR_MEM_FETCH + 1,
            ['m'] = SPOOR_MEM_MISC + 1,
            ['c'] = SPOOR_MEM_COPY_BACK + 1,
            ['v'] = SPOOR_MEM_INVALIDATE + 1,
            ['R'] = SPOOR_MEM_READ + 1,
            ['W'] = SPOOR_MEM_WRITE + 1,
            ['I'] = SPOOR_MEM_FETCH + 1,
            ['M'] = SPOOR_MEM_MISC + 1,
            ['C'] = SPOOR_MEM_COPY_BACK + 1,
            ['V'] = SPOOR_MEM_INVALIDATE + 1},
    .labels = {[SPOOR_MEM_READ] = 'r',
               [SPOOR_MEM_WRITE] = 'w',
               [SPOOR_MEM_FETCH] = 'i',
               [SPOOR_MEM_MISC] = 'm',
               [SPOOR_MEM_COPY_BACK] = 'c',
               [SPOOR_MEM_INVALIDATE] = 'v'},
    .size = SIZE_HEX,
    .separator = ' ',
    .digits = 1,
    .ignores_rest = true,
};

static const struct text_rules extended_rules = REFERENCE_RULES(&extended_syntax);

const struct spoor_format format_xdin = {
    .name = "xdin",
    .title = "dinero IV extended memory references, label, address and size",
    .suffixes = "xdin",
    .document = "Dinero IV, University of Wisconsin: extended din input",
    .time_unit = "",
    .fields =
        {
            [SPOOR_MEM] = SPOOR_FIELD_BIT(OP) | SPOOR_FIELD_BIT(ADDRESS) | SPOOR_FIELD_BIT(SIZE),
            [SPOOR_BUS] = SPOOR_FIELD_BIT(OP) | SPOOR_FIELD_BIT(PA) | SPOOR_FIELD_BIT(SIZE),
            [SPOOR_INSN] = SPOOR_FIELD_BIT(PC) | SPOOR_FIELD_BIT(OPCODE_SIZE),
            [SPOOR_UOP] = SPOOR_FIELD_BIT(PC) | SPOOR_FIELD_BIT(LDST) | SPOOR_FIELD_BIT(ADDRESS),
        },
    .produces = 1u << SPOOR_MEM,
    .fit = reference_line_fit,
    .text = &extended_rules,
    .projects = 1u << PROJECT_REFERENCES,
    .project = reference_lines_project,
    .write = reference_lines_write,
    .verbatim_copy = true,
};
