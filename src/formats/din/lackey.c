/* SPDX-License-Identifier: MIT */
/*
 * lackey.c: memory references as valgrind's lackey prints them (--trace-mem=yes).
 *
 * A line is "I  ADDRESS,SIZE" for an instruction, and begins with " L", " S" or " M" for a load, a
 * store or a modification.  The address is hexadecimal with at least eight digits, the size
 * decimal.  With --trace-superblocks=yes there are lines "SB ADDRESS" between them.
 */
#include "formats/din/reference_line.h"

static const struct reference_syntax syntax = {
    .rule = "lackey",
    .labels_wanted = "a label: I, L, S or M",
    .ops = {['L'] = SPOOR_MEM_READ + 1,
            ['S'] = SPOOR_MEM_WRITE + 1,
            ['I'] = SPOOR_MEM_FETCH + 1,
            ['M'] = SPOOR_MEM_MODIFY + 1},
    .labels = {[SPOOR_MEM_READ] = 'L',
               [SPOOR_MEM_WRITE] = 'S',
               [SPOOR_MEM_FETCH] = 'I',
               [SPOOR_MEM_MODIFY] = 'M'},
    .size = SIZE_DECIMAL,
    .separator = ',',
    .digits = 8,
    .indents_data = true,
    .has_comments = true,
};

static const struct text_rules rules = REFERENCE_RULES(&syntax);

const struct spoor_format format_lackey = {
    .name = "lackey",
    .title = "valgrind lackey memory references",
    .suffixes = "lackey",
    .document = "Valgrind, tool lackey: --trace-mem=yes",
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
