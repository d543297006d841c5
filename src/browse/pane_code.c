/* SPDX-License-Identifier: MIT */
/*
 * pane_code.c: the calls that are open, the code around the pc, and the source line.
 *
 * The code is what the trace prints of the instructions that ran near the cursor; bytes of an image
 * stand where nothing ran.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "browse/internal.h"

static void put_address(struct browser *browser, uint64_t pc, struct text *text)
{
    text_printf(text, "%08" PRIx64 " ", pc);
    put_function(browser, pc, text);
}

static enum style row_style(const struct browser *browser, const struct pane *pane, int item)
{
    const bool focused = browser->focus >= 0 && &browser->panes[browser->focus] == pane;
    return focused && item == pane->cursor ? STYLE_CURSOR : STYLE_PLAIN;
}

static void follow_cursor(struct pane *pane)
{
    if (pane->cursor < pane->top) pane->top = pane->cursor;
    if (pane->cursor >= pane->top + pane->area.height)
        pane->top = pane->cursor - pane->area.height + 1;
}

/* ---- open calls ---- */

static struct calls *calls_here(struct browser *browser, const struct pane *pane, unsigned *cpu)
{
    struct view *view = view_of(browser);
    struct spoor_error error = {0};
    struct calls *calls = NULL;
    uint64_t moment;
    if (!pane_moment(browser, pane, &moment)) return NULL;
    *cpu = view_here(view)->cpu;
    if (explorer_calls(view->explorer, moment, &calls, &error) == SPOOR_OK) return calls;
    say_error(browser, "%s", error.text);
    return NULL;
}

void stack_draw(struct browser *browser, struct pane *pane)
{
    unsigned cpu;
    struct calls *calls = calls_here(browser, pane, &cpu);
    if (!calls) return;
    const struct call_stack *stack = calls_stack(calls, cpu);
    pane->items = stack->count < GRID_MAX * 10 ? (int)stack->count : GRID_MAX * 10;
    follow_cursor(pane);
    for (int y = 0; y < pane->area.height && pane->top + y < pane->items; y++) {
        const int item = pane->top + y;
        const struct call_frame *frame = &stack->frames[stack->count - 1 - (size_t)item];
        struct text text = {0};
        text_printf(&text, "#%d %s", item, frame->kind == CALL_EXCEPTION ? "exception " : "");
        put_address(browser, frame->function, &text);
        text_printf(&text, "  from %" PRIx64 " record %" PRIu64, frame->from, frame->record);
        grid_put(&browser->grid, &pane->area, 0, y, row_style(browser, pane, item),
                 text.bytes ? text.bytes : "", text.size, 0);
        text_free(&text);
    }
    if (!stack->count) grid_puts(&browser->grid, &pane->area, 0, 0, STYLE_DIM, "no call is open");
    calls_free(calls);
}

/* Return: to the call. */
void stack_enter(struct browser *browser, struct pane *pane)
{
    unsigned cpu;
    if (!need_index(browser)) return;
    struct calls *calls = calls_here(browser, pane, &cpu);
    if (!calls) return;
    const struct call_stack *stack = calls_stack(calls, cpu);
    const size_t item = (size_t)pane->cursor;
    const bool found = item < stack->count;
    const uint64_t record = found ? stack->frames[stack->count - 1 - item].record : 0;
    calls_free(calls);
    if (found) view_go_record(view_of(browser), record, true);
}

/* ---- code ---- */

struct code_row {
    uint64_t pc, record; /* of its last execution here */
    unsigned size;
    char text[96];
};
struct code_rows {
    struct code_row *items;
    size_t count, capacity;
    uint64_t low, high;
    struct view *view;
};

/* The row of an address, or where it belongs. */
static size_t code_at(const struct code_rows *rows, uint64_t pc)
{
    size_t low = 0, high = rows->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (rows->items[middle].pc < pc)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void put_code_text(const struct visited *visited, struct code_row *row)
{
    const struct spoor_record *record = &visited->batch->records[visited->index];
    const char *text = "";
    size_t size = 0;
    if (record->kind == SPOOR_INSN) {
        text = spoor_batch_bytes(visited->batch, record->insn.disasm);
        size = record->insn.disasm.size;
    } else if (record->kind == SPOOR_UOP) {
        text = spoor_names_text(visited->batch->stream->names, record->uop.macro, &size);
    }
    size_t used = 0;
    bool blank = true;
    for (size_t i = 0; i < size && used + 1 < sizeof row->text; i++) {
        const bool is_blank = text[i] == ' ' || text[i] == '\t';
        if (!is_blank || !blank) row->text[used++] = is_blank ? ' ' : text[i];
        blank = is_blank;
    }
    row->text[used] = '\0';
}

static bool collect_code(void *context, const struct visited *visited)
{
    struct code_rows *rows = context;
    const struct call_place *place = visited->place;
    if (!place->known || place->record != visited->record) return true;
    if (place->pc < rows->low || place->pc > rows->high) return true;
    const size_t at = code_at(rows, place->pc);
    if (at < rows->count && rows->items[at].pc == place->pc) {
        rows->items[at].record = visited->record;
        return true;
    }
    if (!array_reserve(&rows->items, &rows->capacity, rows->count + 1)) return false;
    memmove(rows->items + at + 1, rows->items + at, (rows->count - at) * sizeof *rows->items);
    rows->count++;
    rows->items[at] =
        (struct code_row){.pc = place->pc, .record = visited->record, .size = place->size};
    put_code_text(visited, &rows->items[at]);
    return true;
}

/* The instructions that ran within some bytes of the pc, in the segment of the cursor and in those
 * next to it. */
static bool find_code(struct browser *browser, const struct pane *pane, struct code_rows *rows)
{
    enum { AROUND = 8 /* bytes of code on both sides, for each row */ };
    struct view *view = view_of(browser);
    struct spoor_error error = {0};
    uint64_t moment;
    if (!pane_moment(browser, pane, &moment)) return false;
    const struct here *here = view_here(view);
    if (!here->place.known) return false;
    const uint64_t around = (uint64_t)pane->area.height * AROUND;
    rows->low = here->place.pc > around ? here->place.pc - around : 0;
    rows->high = here->place.pc + around;
    const size_t segment = index_segment_of(view->index, here->record);
    for (size_t i = segment ? segment - 1 : 0; i <= segment + 1 && i < view->index->count; i++)
        if (index_touches(view->index, i, SET_EXECUTED, rows->low, rows->high) &&
            explorer_visit_segment(view->explorer, i, 0, UINT64_MAX, collect_code, rows, &error) <
                SPOOR_OK)
            return false;
    return rows->count > 0;
}

/* Code that did not run near the cursor: how much of it there is. */
static bool is_gap(const struct code_rows *rows, size_t i)
{
    const struct code_row *row = &rows->items[i];
    return i > 0 && row[-1].size && row[-1].pc + row[-1].size < row->pc;
}

void code_draw(struct browser *browser, struct pane *pane)
{
    struct code_rows rows = {0};
    if (!find_code(browser, pane, &rows)) {
        free(rows.items);
        return;
    }
    const uint64_t pc = view_here(view_of(browser))->place.pc;
    const size_t current = code_at(&rows, pc);
    const bool focused = browser->focus >= 0 && &browser->panes[browser->focus] == pane;
    pane->items = (int)rows.count;
    if (!focused) {
        pane->cursor = (int)current;
        pane->top = (int)current - pane->area.height / 2;
    }
    if (pane->top > pane->items - pane->area.height) pane->top = pane->items - pane->area.height;
    if (pane->top < 0) pane->top = 0;
    follow_cursor(pane);
    for (int y = 0; y < pane->area.height && pane->top + y < pane->items; y++) {
        const size_t item = (size_t)(pane->top + y);
        const struct code_row *row = &rows.items[item];
        struct text text = {0};
        text_printf(&text, "%s%c%08" PRIx64 "  %s", item == current ? ">" : " ",
                    is_gap(&rows, item) ? '+' : ' ', row->pc, row->text);
        const size_t before = text.size;
        text_puts(&text, "  <");
        if (put_function(browser, row->pc, &text))
            text_puts(&text, ">");
        else
            text.size = before;
        enum style style = row_style(browser, pane, (int)item);
        if (style == STYLE_PLAIN && item == current) style = STYLE_CHANGED;
        grid_put(&browser->grid, &pane->area, 0, y, style, text.bytes ? text.bytes : "", text.size,
                 0);
        text_free(&text);
    }
    free(rows.items);
}

/* Return: to the last execution of the instruction near the cursor. */
void code_enter(struct browser *browser, struct pane *pane)
{
    struct code_rows rows = {0};
    if (need_index(browser) && find_code(browser, pane, &rows) && (size_t)pane->cursor < rows.count)
        view_go_record(view_of(browser), rows.items[pane->cursor].record, true);
    free(rows.items);
}

/* ---- source ---- */

void source_draw(struct browser *browser, struct pane *pane)
{
    struct view *view = view_of(browser);
    struct spoor_images *images = browser->options.images;
    struct spoor_place place;
    struct row row;
    uint64_t pc;
    const struct here *here = view_here(view);
    const bool has_pc = here->place.known || (view_row(view, &row) && row_pc(&row, &pc));
    if (here->place.known) pc = here->place.pc;
    pane->items = 0;
    if (!has_pc || !images || !spoor_images_resolve(images, pc, &place) || !place.file) {
        grid_puts(&browser->grid, &pane->area, 0, 0, STYLE_DIM, "no source line is known here");
        return;
    }
    const int height = pane->area.height;
    const int64_t first = (int64_t)place.line - height / 2;
    grid_printf(&browser->grid, &pane->area, 0, 0, STYLE_NAME, "%s", place.source);
    for (int y = 1; y < height; y++) {
        const int64_t number = (first < 1 ? 1 : first) + y - 1;
        const char *line = spoor_images_source_line(images, place.file, (uint32_t)number);
        const bool current = number == place.line;
        if (!line && !current) continue;
        grid_printf(&browser->grid, &pane->area, 0, y, current ? STYLE_CHANGED : STYLE_PLAIN,
                    "%s%5d  %s", current ? ">" : " ", (int)number,
                    line ? line : "(the file is not there: --source DIR)");
    }
}
