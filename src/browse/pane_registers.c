/* SPDX-License-Identifier: MIT */
/* pane_registers.c: registers of the cursor's processor at a moment. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "browse/internal.h"
#include "explore/register_list.h"

/* Registers at another moment than that of the cursor; the caller frees them. */
static bool registers_at(struct view *view, uint64_t moment, struct registers *registers)
{
    struct spoor_error error = {0};
    *registers = (struct registers){0};
    const enum spoor_status status = explorer_registers(view->explorer, moment, registers, &error);
    if (heed(view->browser, status, &error) == SPOOR_OK) return true;
    say_error(view->browser, "%s", error.text);
    return false;
}

/* Leaves out wide ones, unless they are asked for. */
static size_t choose(const struct pane *pane, struct listed_register *list, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (pane->wide || !list[i].cell || list[i].cell->bits <= 64) list[kept++] = list[i];
    return kept;
}

static void put_value(struct browser *browser, const struct pane *pane, const struct cell *cell,
                      struct text *text)
{
    if (!cell || !cell->bits) {
        text_puts(text, "-");
        return;
    }
    if (pane->symbolic && cell->bits <= 64 && cell_knows(cell, 0, cell->bits) &&
        put_function(browser, cell_number(cell, 0), text))
        return;
    cell_text(cell, 0, 0, text);
}

struct drawing {
    struct browser *browser;
    struct pane *pane;
    const struct listed_register *list;
    const struct registers *against; /* NULL: not compared */
    struct view *other;              /* the trace of those */
    uint64_t changed_from;
    int column, columns, name;
    bool focused;
};

static enum style style_of(const struct drawing *drawing, size_t i)
{
    const struct listed_register *listed = &drawing->list[i];
    if (drawing->focused && (int)i == drawing->pane->cursor) return STYLE_CURSOR;
    if (drawing->against) {
        /* the other trace may number registers otherwise */
        struct view *view = drawing->other;
        const spoor_name id =
            view == view_of(drawing->browser)
                ? listed->id
                : machine_find_register(explorer_machine(view->explorer), listed->name).name;
        const struct cell *other = registers_find(drawing->against, view_here(view)->cpu, id);
        const bool same = other && listed->cell &&
                          memcmp(other->bytes, listed->cell->bytes, sizeof other->bytes) == 0 &&
                          memcmp(other->known, listed->cell->known, sizeof other->known) == 0;
        if (!same) return STYLE_DIFFERENT;
    }
    const struct cell *cell = listed->cell;
    return cell && cell->written && cell->writer >= drawing->changed_from ? STYLE_CHANGED
                                                                          : STYLE_PLAIN;
}

static void draw_register(const struct drawing *drawing, size_t i, int y)
{
    const struct pane *pane = drawing->pane;
    const struct listed_register *listed = &drawing->list[i];
    struct grid *grid = &drawing->browser->grid;
    struct text text = {0};
    const int x = drawing->columns > 1 ? (int)i % drawing->columns * drawing->column : 0;
    const enum style style = style_of(drawing, i);
    grid_puts(grid, &pane->area, x, y, style == STYLE_PLAIN ? STYLE_NAME : style, listed->name);
    put_value(drawing->browser, pane, listed->cell, &text);
    grid_put(grid, &pane->area, x + drawing->name + 1, y, style, text.bytes ? text.bytes : "",
             text.size, 0);
    text_free(&text);
}

/* Names who wrote the register under the cursor in the line of messages. */
static void tell_writer(struct browser *browser, const struct listed_register *listed)
{
    if (browser->message[0]) return;
    if (listed->cell && listed->cell->written)
        say(browser, "%s was written by record %" PRIu64 ": Return goes there", listed->name,
            listed->cell->writer);
    else
        say(browser, "%s was read, and not written before", listed->name);
}

static void draw_list(struct drawing *drawing, size_t count)
{
    struct pane *pane = drawing->pane;
    size_t value = 10;
    for (size_t i = 0; i < count; i++) {
        const int name = (int)strlen(drawing->list[i].name);
        const size_t digits =
            drawing->list[i].cell ? (drawing->list[i].cell->bits + 3u) / 4 + 2 : 1;
        if (name > drawing->name) drawing->name = name;
        if (digits > value) value = digits;
    }
    if (pane->symbolic && value < 20) value = 20;
    drawing->column = drawing->name + 1 + (int)value + 2;
    drawing->columns = (pane->area.width + 2) / drawing->column;
    if (drawing->columns < 1) drawing->columns = 1;
    const int cursor_row = pane->cursor / drawing->columns;
    const int rows = ((int)count + drawing->columns - 1) / drawing->columns;
    if (cursor_row < pane->top) pane->top = cursor_row;
    if (cursor_row >= pane->top + pane->area.height) pane->top = cursor_row - pane->area.height + 1;
    if (pane->top > rows - pane->area.height)
        pane->top = rows > pane->area.height ? rows - pane->area.height : 0;
    for (size_t i = 0; i < count; i++) {
        const int y = (int)i / drawing->columns - pane->top;
        if (y >= 0) draw_register(drawing, i, y);
    }
    pane->items = (int)count;
    if (drawing->focused && pane->cursor < (int)count)
        tell_writer(drawing->browser, &drawing->list[pane->cursor]);
}

void registers_draw(struct browser *browser, struct pane *pane)
{
    struct view *view = view_of(browser);
    struct registers against = {0};
    struct view *other;
    uint64_t moment, other_moment;
    size_t count;
    if (!pane_moment(browser, pane, &moment)) return;
    const struct here *here = view_here(view);
    const struct registers *registers = view_registers(view, moment);
    const bool compares = pane_compares(browser, pane, &other, &other_moment);
    if (!registers || (compares && !registers_at(other, other_moment, &against))) return;
    struct listed_register *list =
        register_list(explorer_machine(view->explorer), here->cpu, registers, NULL, &count);
    if (list) {
        struct drawing drawing = {.browser = browser,
                                  .pane = pane,
                                  .list = list,
                                  .against = compares ? &against : NULL,
                                  .other = other,
                                  .changed_from = pane->locked        ? UINT64_MAX
                                                  : here->place.known ? here->place.record
                                                                      : here->record,
                                  .focused = browser->focus >= 0 &&
                                             &browser->panes[browser->focus] == pane};
        draw_list(&drawing, choose(pane, list, count));
    }
    free(list);
    registers_free(&against);
}

bool registers_subject(struct browser *browser, struct pane *pane, struct subject *subject)
{
    struct view *view = view_of(browser);
    uint64_t moment;
    size_t count;
    if (!pane_moment(browser, pane, &moment)) return false;
    const struct registers *registers = view_registers(view, moment);
    if (!registers) return false;
    const unsigned cpu = view_here(view)->cpu;
    struct listed_register *list =
        register_list(explorer_machine(view->explorer), cpu, registers, NULL, &count);
    const bool found = list && pane->cursor < (int)choose(pane, list, count);
    if (found) *subject = (struct subject){.cpu = cpu, .part = {.name = list[pane->cursor].id}};
    free(list);
    return found;
}
