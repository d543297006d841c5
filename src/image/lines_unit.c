/* SPDX-License-Identifier: MIT */
/* lines_unit.c: the line table of a unit, as an array sorted by address. */
#include <stdlib.h>

#include "image/lines_unit.h"

#include "base/sorted.h"

bool add_entry_ranges(struct lines_context *context, Dwarf_Die *die, struct intervals *intervals,
                      uint32_t id)
{
    Dwarf_Addr base, start, end;
    ptrdiff_t at = 0;
    bool any = false;
    while (context->budget && (at = dwarf_ranges(die, at, &base, &start, &end)) > 0) {
        context->budget--;
        intervals_add(intervals, start, end, id);
        any |= start < end;
    }
    return any;
}

static struct row row_of(Dwarf_Line *line)
{
    struct row row = {0};
    Dwarf_Addr address = 0;
    int number = 0, column = 0;
    bool statement = false, end = false;
    dwarf_lineaddr(line, &address);
    dwarf_lineno(line, &number);
    dwarf_linecol(line, &column);
    dwarf_linebeginstatement(line, &statement);
    dwarf_lineendsequence(line, &end);
    row.address = address;
    row.line = number > 0 ? (uint32_t)number : 0;
    row.column = column > 0 && column <= UINT16_MAX ? (uint16_t)column : 0;
    row.is_statement = statement;
    row.is_end = end;
    row.file = dwarf_linesrc(line, NULL, NULL);
    return row;
}

void unit_read_rows(struct lines_context *context, struct unit *unit)
{
    Dwarf_Lines *lines;
    size_t count = 0;
    if (unit->rows_read) return;
    unit->rows_read = true;
    if (dwarf_getsrclines(&unit->die, &lines, &count) != 0 || count == 0) return;
    unit->rows = calloc(count, sizeof *unit->rows);
    context->strings->failed |= !unit->rows;
    for (size_t i = 0; unit->rows && i < count; i++) {
        Dwarf_Line *line = dwarf_onesrcline(lines, i);
        if (line) unit->rows[unit->row_count++] = row_of(line);
    }
}

/* Returns the last row at or before the address; of several rows at one address, the last holds. */
const struct row *unit_row(struct lines_context *context, struct unit *unit, uint64_t address)
{
    unit_read_rows(context, unit);
    const size_t low = SORTED_UP_TO(unit->rows, unit->row_count, address, address);
    return low && !unit->rows[low - 1].is_end ? &unit->rows[low - 1] : NULL;
}

void unit_free(struct unit *unit)
{
    for (size_t i = 0; i < unit->function_count; i++) {
        struct function *function = &unit->functions[i];
        free(function->frames);
        intervals_free(&function->blocks);
    }
    free(unit->functions);
    free(unit->rows);
    intervals_free(&unit->ranges);
}
