/* SPDX-License-Identifier: MIT */
/*
 * uop.c: CIS501 micro-op traces, one micro-op of an x86 program per line.
 *
 * Any run of spaces and tabs may separate fields; lines may end in LF or CR LF, be blank, or lack
 * the last newline.
 */
#include "formats/uop/uop.h"
#include "formats/probe.h"

static enum line_fit fit(const struct spoor_format *self, const char *line, size_t size)
{
    struct uop_line parts;
    (void)self;
    if (uop_scan(&parts, line, line + size)) return LINE_FITS;
    const bool is_neutral =
        uop_is_blank_line(line, line + size) || uop_is_title_line(line, line + size);
    return is_neutral ? LINE_NEUTRAL : LINE_MISFITS;
}

const struct spoor_format format_uop = {
    .name = "uop",
    .title = "CIS501 micro-op trace, 14 fields a line",
    .suffixes = "trace;uop",
    .document = "University of Pennsylvania, CIS501: Instruction Trace Format",
    .time_unit = "",
    .fields =
        {
            [SPOOR_UOP] = SPOOR_FIELD_BIT(UOP) | SPOOR_FIELD_BIT(PC) | SPOOR_FIELD_BIT(SRC1) |
                          SPOOR_FIELD_BIT(SRC2) | SPOOR_FIELD_BIT(DEST) | SPOOR_FIELD_BIT(FLAGS) |
                          SPOOR_FIELD_BIT(BRANCH) | SPOOR_FIELD_BIT(LDST) |
                          SPOOR_FIELD_BIT(IMMEDIATE) | SPOOR_FIELD_BIT(ADDRESS) |
                          SPOOR_FIELD_BIT(FALL) | SPOOR_FIELD_BIT(TARGET) | SPOOR_FIELD_BIT(MACRO) |
                          SPOOR_FIELD_BIT(MICRO),
        },
    .fit = fit,
    .text = &uop_rules,
    .write = uop_write,
    .verbatim_copy = true,
    .print = uop_print,
};
