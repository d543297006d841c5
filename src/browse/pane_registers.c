/* SPDX-License-Identifier: MIT */
/* pane_registers.c: registers of the cursor's processor at a moment. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "browse/internal.h"

/* Lists the registers of a state, but wide ones only where they are asked for; the caller frees the
 * list.  NULL: memory ran out. */
static struct spoor_register *registers_list(struct browser *browser, const struct pane *pane,
                                             const struct spoor_state *state, unsigned cpu,
                                             size_t *count)
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

struct register_list {
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
static bool registers_value(struct view *view, const struct spoor_state *state,
                            const struct spoor_register *listed, struct spoor_register_value *value)
{
    struct spoor_subject subject;
    return trace_register(view, listed->name, &subject) &&
           spoor_state_value(state, &subject, value);
}

static void registers_draw_one(const struct register_list *drawn, size_t i, int y)
{
    struct browser *browser = drawn->browser;
    const struct pane *pane = drawn->pane;
    const struct spoor_register *listed = &drawn->list[i];
    struct grid *grid = &browser->grid;
    struct text text = {0};
    const int x = drawn->columns > 1 ? (int)i % drawn->columns * drawn->column : 0;
    struct spoor_register_value value = {.struct_size = sizeof value},
                                other = {.struct_size = sizeof other};
    enum style style =
        listed->written && listed->writer >= drawn->changed_from ? STYLE_CHANGED : STYLE_PLAIN;
    if (drawn->focused && (int)i == pane->cursor)
        style = STYLE_CURSOR;
    else if (drawn->against && (!registers_value(view_of(browser), drawn->state, listed, &value) ||
                                !registers_value(drawn->other, drawn->against, listed, &other) ||
                                memcmp(value.bytes, other.bytes, sizeof value.bytes) != 0 ||
                                memcmp(value.known, other.known, sizeof value.known) != 0))
        style = STYLE_DIFFERENT;
    grid_puts(grid, &pane->area, x, y, style == STYLE_PLAIN ? STYLE_NAME : style, listed->name);
    uint64_t number;
    if (!listed->bits)
        text_puts(&text, "-");
    else if (!pane->symbolic || !registers_value(view_of(browser), drawn->state, listed, &value) ||
             !value_number(&value, &number) || !put_function(browser, number, &text))
        text_puts(&text, listed->value);
    grid_put(grid, &pane->area, x + drawn->name + 1, y, style, text.bytes ? text.bytes : "",
             text.size, 0);
    text_free(&text);
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
    struct spoor_register *list = registers_list(browser, pane, state, here->cpu, &count);
    if (list) {
        struct register_list drawn = {.browser = browser,
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
        size_t value = 10;
        for (size_t i = 0; i < count; i++) {
            const int name = (int)strlen(list[i].name);
            const size_t digits = list[i].bits ? (list[i].bits + 3u) / 4 + 2 : 1;
            if (name > drawn.name) drawn.name = name;
            if (digits > value) value = digits;
        }
        if (pane->symbolic && value < 20) value = 20;
        drawn.column = drawn.name + 1 + (int)value + 2;
        drawn.columns = (pane->area.width + 2) / drawn.column;
        if (drawn.columns < 1) drawn.columns = 1;
        const int cursor_row = pane->cursor / drawn.columns;
        const int rows = ((int)count + drawn.columns - 1) / drawn.columns;
        const int height = pane->area.height;
        if (cursor_row < pane->top) pane->top = cursor_row;
        if (cursor_row >= pane->top + height) pane->top = cursor_row - height + 1;
        if (pane->top > rows - height) pane->top = rows > height ? rows - height : 0;
        for (size_t i = 0; i < count; i++) {
            const int y = (int)i / drawn.columns - pane->top;
            if (y >= 0) registers_draw_one(&drawn, i, y);
        }
        pane->items = (int)count;
        const bool is_said = drawn.focused && pane->cursor < (int)count && !browser->message[0];
        const struct spoor_register *listed = is_said ? &list[pane->cursor] : NULL;
        if (listed && listed->written)
            say(browser, "%s was written by record %" PRIu64 ": Return goes there", listed->name,
                listed->writer);
        else if (listed)
            say(browser, "%s was read, and not written before", listed->name);
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
        registers_list(browser, pane, state, view_here(view)->cpu, &count);
    const bool found =
        list && pane->cursor < (int)count && trace_register(view, list[pane->cursor].name, subject);
    free(list);
    return found;
}
