/* SPDX-License-Identifier: MIT */
/*
 * xdin.c: the extended input of dinero IV.
 *
 * A line is "LABEL ADDRESS SIZE", with both numbers in hexadecimal.  The label is r for a read, w
 * for a write, i for an instruction fetch, m for an access of no particular kind, c for a copy
 * back, v for an invalidation; a label may be a capital.  dinero ignores the rest of the line.
 */
#include "formats/din/reference_line.h"

static const struct reference_syntax syntax = {
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

static const struct text_rules rules = REFERENCE_RULES(&syntax);

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
    .text = &rules,
    .projects = 1u << PROJECT_REFERENCES,
    .project = reference_lines_project,
    .write = reference_lines_write,
    .verbatim_copy = true,
};
