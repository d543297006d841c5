/* SPDX-License-Identifier: MIT */
/* pane_registers.c: registers of the cursor's processor at a moment. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "browse/internal.h"

/* Lists the registers of a state, but wide ones only where they are asked for; the caller frees the
 * list.  NULL: memory ran out. */
static struct spoor_register *pane_registers_list_registers(struct browser *browser,
                                                            const struct pane *pane,
                                                            const struct spoor_state *state,
                                                            unsigned cpu, size_t *count)
{
    struct spoor_error error = {0};
    struct spoor_register *list;
    size_t kept = 0;
    heed(browser, spoor_state_registers(state, NULL, cpu, &list, count, &error), &error);
    for (size_t i = 0; i < *count; i++)
        if (pane->wide || list[i].bits <= 64) list[kept++] = list[i];
    *count = kept;
    return list;
}

struct drawing {
    struct browser *browser;
    struct pane *pane;
    const struct spoor_register *list;
    const struct spoor_state *state;
    const struct spoor_state *against; /* NULL: not compared */
    struct view *other;                /* the trace of that */
    uint64_t changed_from;
    int column, columns, name;
    bool focused;
};

/* The value of a listed register in a state of a trace, which may number registers otherwise. */
static bool pane_registers_find_value(struct view *view, const struct spoor_state *state,
                                      const struct spoor_register *listed,
                                      struct spoor_register_value *value)
{
    struct spoor_subject subject;
    return trace_register(view, listed->name, &subject) &&
           spoor_state_value(state, &subject, value);
}

static bool pane_registers_is_same(const struct drawing *drawing,
                                   const struct spoor_register *listed)
{
    struct spoor_register_value one, other;
    return pane_registers_find_value(view_of(drawing->browser), drawing->state, listed, &one) &&
           pane_registers_find_value(drawing->other, drawing->against, listed, &other) &&
           memcmp(one.bytes, other.bytes, sizeof one.bytes) == 0 &&
           memcmp(one.known, other.known, sizeof one.known) == 0;
}

static enum style pane_registers_style_of(const struct drawing *drawing, size_t i)
{
    const struct spoor_register *listed = &drawing->list[i];
    if (drawing->focused && (int)i == drawing->pane->cursor) return STYLE_CURSOR;
    if (drawing->against && !pane_registers_is_same(drawing, listed)) return STYLE_DIFFERENT;
    return listed->written && listed->writer >= drawing->changed_from ? STYLE_CHANGED : STYLE_PLAIN;
}

static void pane_registers_draw_register(const struct drawing *drawing, size_t i, int y)
{
    const struct pane *pane = drawing->pane;
    const struct spoor_register *listed = &drawing->list[i];
    struct grid *grid = &drawing->browser->grid;
    struct text text = {0};
    const int x = drawing->columns > 1 ? (int)i % drawing->columns * drawing->column : 0;
    const enum style style = pane_registers_style_of(drawing, i);
    grid_puts(grid, &pane->area, x, y, style == STYLE_PLAIN ? STYLE_NAME : style, listed->name);
    struct spoor_register_value value;
    uint64_t number;
    if (!listed->bits)
        text_puts(&text, "-");
    else if (!drawing->pane->symbolic ||
             !pane_registers_find_value(view_of(drawing->browser), drawing->state, listed,
                                        &value) ||
             !value_number(&value, &number) || !put_function(drawing->browser, number, &text))
        text_puts(&text, listed->value);
    grid_put(grid, &pane->area, x + drawing->name + 1, y, style, text.bytes ? text.bytes : "",
             text.size, 0);
    text_free(&text);
}

/* Names who wrote the register under the cursor in the line of messages. */
static void pane_registers_tell_writer(struct browser *browser, const struct spoor_register *listed)
{
    if (browser->message[0]) return;
    if (listed->written)
        say(browser, "%s was written by record %" PRIu64 ": Return goes there", listed->name,
            listed->writer);
    else
        say(browser, "%s was read, and not written before", listed->name);
}

static void draw_list(struct drawing *drawing, size_t count)
{
    struct pane *pane = drawing->pane;
    size_t value = 10;
    for (size_t i = 0; i < count; i++) {
        const int name = (int)strlen(drawing->list[i].name);
        const size_t digits = drawing->list[i].bits ? (drawing->list[i].bits + 3u) / 4 + 2 : 1;
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
        if (y >= 0) pane_registers_draw_register(drawing, i, y);
    }
    pane->items = (int)count;
    if (drawing->focused && pane->cursor < (int)count)
        pane_registers_tell_writer(drawing->browser, &drawing->list[pane->cursor]);
}

void registers_draw(struct browser *browser, struct pane *pane)
{
    struct view *view = view_of(browser);
    struct spoor_error error = {0};
    struct spoor_state *against = NULL;
    struct view *other;
    uint64_t moment, other_moment;
    size_t count;
    if (!pane_moment(browser, pane, &moment)) return;
    const struct here *here = view_here(view);
    const struct spoor_state *state = view_state(view, moment);
    if (!state) return;
    if (pane_compares(browser, pane, &other, &other_moment) &&
        heed(browser, spoor_explorer_state(other->explorer, other_moment, &against, &error),
             &error) != SPOOR_OK) {
        say_error(browser, "%s", error.text);
        return;
    }
    struct spoor_register *list =
        pane_registers_list_registers(browser, pane, state, here->cpu, &count);
    if (list) {
        struct drawing drawing = {.browser = browser,
                                  .pane = pane,
                                  .list = list,
                                  .state = state,
                                  .against = against,
                                  .other = other,
                                  .changed_from = pane->locked        ? UINT64_MAX
                                                  : here->place.known ? here->place.record
                                                                      : here->record,
                                  .focused = browser->focus >= 0 &&
                                             &browser->panes[browser->focus] == pane};
        draw_list(&drawing, count);
    }
    free(list);
    spoor_state_free(against);
}

bool registers_subject(struct browser *browser, struct pane *pane, struct spoor_subject *subject)
{
    struct view *view = view_of(browser);
    uint64_t moment;
    size_t count;
    if (!pane_moment(browser, pane, &moment)) return false;
    const struct spoor_state *state = view_state(view, moment);
    if (!state) return false;
    struct spoor_register *list =
        pane_registers_list_registers(browser, pane, state, view_here(view)->cpu, &count);
    const bool found =
        list && pane->cursor < (int)count && trace_register(view, list[pane->cursor].name, subject);
    free(list);
    return found;
}
