/* SPDX-License-Identifier: MIT */
/* draw.c: the screen: the trace, panes beside or below it, status and prompt. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "browse/internal.h"

enum { WIDE = 120, PANE_WIDTH = 38, LOWEST_WITH_STATUS = 3, PANE_LOWEST = 3 /* with its title */ };

/* ---- status ---- */

/* The parts of the status line, in their order; narrow screens leave some out. */
enum status_part {
    PART_NAME,
    PART_PERCENT,
    PART_LINE,
    PART_RECORD,
    PART_TIME,
    PART_CPU,
    PART_PC,
    PART_FUNCTION,
    PART_MODE,
    STATUS_PARTS
};

static void draw_put_mode(struct text *text, const char *mode, const char *words)
{
    text_printf(text, "%s%s%s", text->size ? "  " : "", mode, words);
}

static void draw_status(struct browser *browser, const struct area *area)
{
    struct view *view = view_of(browser);
    struct text parts[STATUS_PARTS] = {0};
    struct spoor_listing_row row = {.struct_size = sizeof row};
    int x = -2;
    grid_bar(&browser->grid, area, 0, STYLE_STATUS);
    text_puts(&parts[PART_NAME], view->name);
    if (view_row(view, &row)) {
        const uint64_t size = spoor_listing_size(view->listing);
        uint64_t time, pc;
        const char *unit;
        if (size)
            text_printf(&parts[PART_PERCENT], "%d%%",
                        (int)(100.0 * (double)row.end / (double)size));
        if (row.line) text_printf(&parts[PART_LINE], "line %" PRIu64, row.line);
        if (row.record != SPOOR_ROW_UNKNOWN)
            text_printf(&parts[PART_RECORD], "record %" PRIu64, row.record);
        if (row_time(&row, &time, &unit))
            text_printf(&parts[PART_TIME], "time %" PRIu64 " %s", time, unit);
        const struct here *here = view_here(view);
        const bool has_pc = here->place.known || row_pc(&row, &pc);
        if (here->place.known) pc = here->place.pc;
        if (here->known)
            text_puts(&parts[PART_CPU], spoor_explorer_cpu_name(view->explorer, here->cpu));
        if (has_pc) {
            text_printf(&parts[PART_PC], "pc 0x%" PRIx64, pc);
            put_function(browser, pc, &parts[PART_FUNCTION]);
        }
    }
    struct text *modes = &parts[PART_MODE];
    char number[40];
    if (view->cpu[0] && !browser->split) draw_put_mode(modes, "only ", view->cpu);
    if (matcher_is_given(&view->filter)) draw_put_mode(modes, "& ", view->filter.words);
    if (browser->follow) draw_put_mode(modes, "follows", "");
    if (browser->arriving) {
        snprintf(number, sizeof number, "%" PRIu64 " MB",
                 atomic_load(&browser->options.spool->copied) / 1000000);
        draw_put_mode(modes, "reading, ", number);
    }
    if (!view->shared && atomic_load(&view->background.state) == BACKGROUND_RUNS) {
        const uint64_t size = atomic_load(&view->background.size);
        const uint64_t done = atomic_load(&view->background.done);
        snprintf(number, sizeof number, "%d%%",
                 size ? (int)(100.0 * (double)done / (double)size) : 0);
        draw_put_mode(modes, "index ", number);
    }
    /* leaves out parts that matter less until the others fit: the record where the line is known,
     * the pc where the function is */
    static const struct {
        enum status_part part, instead;
    } order[] = {{PART_RECORD, PART_LINE}, {PART_PERCENT, PART_LINE}, {PART_PC, PART_FUNCTION},
                 {PART_NAME, PART_LINE},   {PART_CPU, PART_TIME},     {PART_LINE, PART_TIME}};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        int columns = -2;
        for (int part = 0; part < STATUS_PARTS; part++)
            if (parts[part].size)
                columns += (int)parts[part].size + (part == PART_FUNCTION ? 1 : 2);
        if (columns <= area->width) break;
        if (parts[order[i].instead].size) parts[order[i].part].size = 0;
    }
    for (int part = 0; part < STATUS_PARTS; part++) {
        const struct text *text = &parts[part];
        const bool after_pc = part == PART_FUNCTION && parts[PART_PC].size;
        if (text->size && text->bytes)
            x = grid_put(&browser->grid, area, x + (after_pc ? 1 : 2), 0, STYLE_STATUS, text->bytes,
                         text->size, 0);
    }
    for (int part = 0; part < STATUS_PARTS; part++) {
        heed_memory(browser, parts[part].failed);
        text_free(&parts[part]);
    }
}

/* Shows a message; where it is long, on the rows above, too. */
static void draw_message(struct browser *browser, const struct area *area)
{
    enum { HIGHEST = 4 };
    const enum style style = browser->is_error ? STYLE_ERROR : STYLE_PLAIN;
    const struct area nothing = {0, 0, area->width, 0};
    struct grid *grid = &browser->grid;
    struct area lines = *area;
    const int rows = grid_wrap(grid, &nothing, 0, style, browser->message);
    lines.height = rows < HIGHEST ? rows : HIGHEST;
    if (lines.height > area->y) lines.height = 1;
    lines.y -= lines.height - 1;
    for (int y = 0; y < lines.height; y++) grid_bar(grid, &lines, y, STYLE_PLAIN);
    grid_wrap(grid, &lines, 0, style, browser->message);
}

static void draw_prompt(struct browser *browser, const struct area *area)
{
    struct grid *grid = &browser->grid;
    const struct prompt *prompt = &browser->prompt;
    if (prompt->command || prompt->line) {
        int x = prompt->line
                    ? grid_puts(grid, area, 0, 0, STYLE_PLAIN, ":")
                    : grid_printf(grid, area, 0, 0, STYLE_PLAIN, "%s: ", prompt->command->argument);
        /* the end of a long line is shown */
        const int left = area->width - x - 1;
        const size_t skip =
            left > 0 && prompt->size > (size_t)left ? prompt->size - (size_t)left : 0;
        x = grid_put(grid, area, x, 0, STYLE_PLAIN, prompt->words + skip, prompt->size - skip, 0);
        struct area above = *area;
        above.y--;
        if (x + 2 + (int)strlen(browser->message) <= area->width)
            grid_puts(grid, area, x + 2, 0, STYLE_DIM, browser->message);
        else /* the names that complete a word */
            draw_message(browser, &above);
        grid->cursor_x = area->x + (x < area->width ? x : area->width - 1);
        grid->cursor_y = area->y;
        return;
    }
    if (browser->message[0]) {
        draw_message(browser, area);
        return;
    }
    struct text text = {0};
    if (browser->counted) text_printf(&text, "%" PRIu64, browser->count);
    for (size_t i = 0; i < browser->pending_count; i++) press_name(browser->pending[i], &text);
    if (browser->waiting) text_printf(&text, "%s: ", browser->waiting->argument);
    heed_memory(browser, text.failed);
    grid_put(grid, area, 0, 0, STYLE_PLAIN, text.bytes ? text.bytes : "", text.size, 0);
    text_free(&text);
}

/* ---- panes ---- */

/* Panes stand in a column on the right of a wide screen, else in rows of as many as fit. */
static void draw_panes(struct browser *browser, struct area *trace)
{
    int count = 0;
    for (int i = 0; i < PANES; i++) count += browser->panes[i].shown;
    const bool beside = trace->width >= WIDE;
    const int across = beside ? 1 : trace->width / PANE_WIDTH > 1 ? trace->width / PANE_WIDTH : 1;
    /* A pane with less than two rows says nothing: as many as fit are drawn, the chosen one among
     * them. */
    const int height = beside ? trace->height : trace->height * 3 / 5;
    const int most = height / PANE_LOWEST * across;
    const bool has_focus = browser->focus >= 0 && browser->panes[browser->focus].shown;
    int others = count < most ? count : most;
    bool drawn[PANES] = {false};
    if (has_focus && others) {
        drawn[browser->focus] = true;
        others--;
    }
    for (int i = 0; i < PANES; i++) {
        browser->panes[i].area = (struct area){0, 0, 0, 0};
        if (!browser->panes[i].shown || drawn[i] || !others) continue;
        drawn[i] = true;
        others--;
    }
    if (count > most) count = most;
    if (count == 0) return;
    const int rows = (count + across - 1) / across;
    struct area all = *trace;
    if (beside) {
        all.width = trace->width * 2 / 5;
        trace->width -= all.width + 1;
        all.x = trace->x + trace->width + 1;
        grid_line(&browser->grid, all.x - 1, all.y, all.height, true);
    } else {
        all.height = trace->height * 3 / 5;
        if (all.height > 14 * rows) all.height = 14 * rows;
        trace->height -= all.height;
        all.y = trace->y + trace->height;
    }
    for (int i = 0, n = 0; i < PANES; i++) {
        struct area area;
        if (!drawn[i]) continue;
        draw_cell(browser, &all, across, count, n++, &area);
        struct pane *pane = &browser->panes[i];
        const struct pane_type *type = &pane_types[pane->kind];
        const enum style style = browser->focus == i ? STYLE_FOCUS : STYLE_TITLE;
        pane->area = (struct area){area.x, area.y + 1, area.width, area.height - 1};
        grid_bar(&browser->grid, &area, 0, style);
        int x = grid_puts(&browser->grid, &area, 0, 0, style, type->name);
        if (pane->words[0]) x = grid_printf(&browser->grid, &area, x, 0, style, " %s", pane->words);
        if (pane->locked)
            x = grid_printf(&browser->grid, &area, x, 0, style, " at record %" PRIu64,
                            pane->locked - 2);
        if (pane->against)
            grid_printf(&browser->grid, &area, x, 0, style, " against record %" PRIu64,
                        pane->against - 2);
        if (pane->area.height > 0) type->draw(browser, pane);
        if (pane->cursor >= pane->items) pane->cursor = pane->items ? pane->items - 1 : 0;
    }
}

const struct grid *browser_draw(struct browser *browser)
{
    struct grid *grid = &browser->grid;
    const bool has_status = grid->height >= LOWEST_WITH_STATUS;
    struct area trace = {0, 0, grid->width, grid->height - (has_status ? 2 : 0)};
    const struct area status = {0, grid->height - 2, grid->width, 1};
    const struct area prompt = {0, grid->height - 1, grid->width, 1};
    if (!grid->glyphs) return grid;
    grid_clear(grid);
    work_begin(browser, "searching");
    if (browser->view_count == 2) pair_follow(browser);
    if (browser->help) {
        draw_help(browser);
    } else {
        if (has_status) draw_panes(browser, &trace);
        for (int i = 0; i < 2 && browser->view_count == 2; i++) {
            struct area part;
            draw_cell(browser, &trace, trace.width >= WIDE ? 2 : 1, 2, i, &part);
            draw_titled(browser, &browser->views[i], browser->views[i].name, &part);
        }
        if (browser->view_count < 2 && browser->split)
            draw_split(browser, &trace);
        else if (browser->view_count < 2)
            draw_trace(browser, &browser->views[0], &trace);
    }
    if (!has_status) return grid;
    draw_status(browser, &status);
    draw_prompt(browser, &prompt);
    return grid;
}

/* ---- the page that lists the keys ---- */

/* Writes the page into an area, from its row `top` on; returns the rows of the whole page. */
static int draw_help_page(struct grid *grid, const struct area *area, int top)
{
    enum { COLUMN = 26, NARROW = 16, NARROW_SCREEN = 60 };
    const int column = area->width < NARROW_SCREEN ? NARROW : COLUMN;
    const struct area words_area = {area->x + column, area->y, area->width - column, area->height};
    const char *group = "";
    int y = 0;
    for (size_t i = 0;; i++) {
        struct text keys = {0};
        struct browser_key_row row = {.keys = &keys};
        char words[200];
        if (!browser_key_row(i, &row)) return y;
        if (strcmp(group, row.group) != 0) {
            y += y > 0;
            grid_puts(grid, area, 0, y++ - top, STYLE_TITLE, row.group);
            group = row.group;
        }
        text_put(&keys, "", 1);
        const char *names = keys.failed ? "" : keys.bytes;
        const int end = grid_puts(grid, area, 0, y - top, STYLE_NAME, names);
        if (end + 2 > column && (int)strlen(names) + 2 > column) y++; /* the words are below */
        snprintf(words, sizeof words, "%s (:%s)", row.help, row.name);
        y += grid_wrap(grid, &words_area, y - top, STYLE_PLAIN, words);
        text_free(&keys);
    }
}

int help_rows(const struct browser *browser)
{
    const struct area nothing = {0, 0, browser->grid.width, 0};
    struct grid grid = browser->grid;
    return draw_help_page(&grid, &nothing, 0);
}

void draw_help(struct browser *browser)
{
    const struct area area = {0, 0, browser->grid.width, browser->grid.height - 2};
    const int rows = help_rows(browser);
    if (browser->help_top > rows - area.height)
        browser->help_top = rows > area.height ? rows - area.height : 0;
    draw_help_page(&browser->grid, &area, browser->help_top);
    if (!browser->message[0]) say(browser, "%s", "q closes this page");
}
