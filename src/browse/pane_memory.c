/* SPDX-License-Identifier: MIT */
/* pane_memory.c: the bytes of memory at a moment that the trace states. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "browse/internal.h"

/* Finds the address of a memory pane anew, where its expression depends on registers. */
bool memory_find_address(struct browser *browser, struct pane *pane, struct spoor_error *error)
{
    pane->has_address =
        expression_value(browser, pane->words, true, &pane->address, &pane->follows, error);
    return pane->has_address;
}

enum {
    BYTES_PER_LINE = 16, /* half of them in a narrow pane */
    WIDE_ENOUGH = 70,
    MEMORY_LINES = 64,
    REACH = 1 << 20 /* bytes after its address that a pane shows */
};

/* Reads the bytes of lines. */
static bool memory_read(struct view *view, uint64_t address, uint64_t size, uint64_t moment,
                        struct spoor_byte *bytes)
{
    const struct spoor_range range = {.address = address, .size = size};
    struct spoor_error error = {0};
    const enum spoor_status status =
        spoor_explorer_memory(view->explorer, &range, moment, bytes, &error);
    if (heed(view->browser, status, &error) == SPOOR_OK) return true;
    return say_error(view->browser, "%s", error.text);
}

static bool memory_differs(const struct spoor_byte *one, const struct spoor_byte *other)
{
    const bool known = one->known != SPOOR_BYTE_UNKNOWN,
               before = other->known != SPOOR_BYTE_UNKNOWN;
    return known != before || (known && one->value != other->value);
}

struct memory_line {
    const struct spoor_byte *bytes, *before; /* before: those that are compared; NULL */
    uint64_t changed_from; /* writers from this record on are those of the instruction */
    int selected;          /* the byte under the cursor; -1: none */
    unsigned group;
    int count; /* bytes */
};

static enum style memory_byte_style(const struct memory_line *line, int i)
{
    const struct spoor_byte *byte = &line->bytes[i];
    if (line->selected >= 0 && line->selected / (int)line->group == i / (int)line->group)
        return STYLE_CURSOR;
    if (line->before && memory_differs(byte, &line->before[i])) return STYLE_DIFFERENT;
    if (byte->known == SPOOR_BYTE_UNKNOWN) return STYLE_DIM;
    return byte->has_writer && byte->writer >= line->changed_from ? STYLE_CHANGED : STYLE_PLAIN;
}

static void memory_draw_line(struct grid *grid, const struct area *area, int y, uint64_t address,
                             const struct memory_line *line, bool narrow)
{
    int x = grid_printf(grid, area, 0, y, STYLE_NUMBER, narrow ? "%08llx " : "%012llx ",
                        (unsigned long long)address);
    for (int i = 0; i < line->count; i++) {
        /* a group is printed as a number, its lowest byte last */
        const int unit = (int)line->group;
        const int at = i / unit * unit + (unit - 1 - i % unit);
        const struct spoor_byte *byte = &line->bytes[at];
        if (i % unit == 0) x++;
        if (byte->known == SPOOR_BYTE_UNKNOWN)
            x = grid_puts(grid, area, x, y, memory_byte_style(line, at), "..");
        else
            x = grid_printf(grid, area, x, y, memory_byte_style(line, at), "%02x", byte->value);
    }
    x += 2;
    for (int i = 0; i < line->count; i++) {
        const struct spoor_byte *byte = &line->bytes[i];
        const bool printed = byte->value >= 0x20 && byte->value < 0x7F;
        const char letter = byte->known == SPOOR_BYTE_UNKNOWN ? ' '
                            : printed                         ? (char)byte->value
                                                              : '.';
        x = grid_put(grid, area, x, y, memory_byte_style(line, i), &letter, 1, 0);
    }
}

void memory_draw(struct browser *browser, struct pane *pane)
{
    struct spoor_byte bytes[MEMORY_LINES * BYTES_PER_LINE];
    struct spoor_byte before[MEMORY_LINES * BYTES_PER_LINE];
    struct spoor_error error = {0};
    struct view *other;
    uint64_t moment, other_moment;
    const int lines = pane->area.height < MEMORY_LINES ? pane->area.height : MEMORY_LINES;
    if (!pane_moment(browser, pane, &moment)) return;
    if (pane->follows && !pane->held && !memory_find_address(browser, pane, &error)) {
        grid_puts(&browser->grid, &pane->area, 0, 0, STYLE_DIM, error.text);
        pane->follows = true;
        return;
    }
    const struct here *here = view_here(view_of(browser));
    const int count = pane->area.width < WIDE_ENOUGH ? BYTES_PER_LINE / 2 : BYTES_PER_LINE;
    pane->items = REACH;
    pane->per_line = count;
    pane->top -= pane->top % count;
    while (pane->cursor < pane->top) pane->top -= count;
    while (pane->cursor >= pane->top + lines * count) pane->top += count;
    const uint64_t address = (pane->address & ~UINT64_C(15)) + (uint64_t)pane->top;
    const uint64_t size = (uint64_t)lines * (uint64_t)count;
    const bool compares = pane_compares(browser, pane, &other, &other_moment);
    if (!memory_read(view_of(browser), address, size, moment, bytes) ||
        (compares && !memory_read(other, address, size, other_moment, before)))
        return;
    const bool focused_here = browser->focus >= 0 && &browser->panes[browser->focus] == pane;
    const int selected = pane->cursor - pane->top;
    for (int y = 0; y < lines; y++) {
        const struct memory_line line = {
            .bytes = bytes + y * count,
            .before = compares ? before + y * count : NULL,
            .changed_from = here->place.known ? here->place.record : here->record,
            .selected = focused_here && selected / count == y ? selected % count : -1,
            .count = count,
            .group = pane->group};
        memory_draw_line(&browser->grid, &pane->area, y, address + (uint64_t)y * (uint64_t)count,
                         &line, address + size <= UINT32_MAX);
    }
    if (!focused_here || browser->message[0]) return;
    const struct spoor_byte *byte = &bytes[selected];
    const unsigned long long at = address + (uint64_t)selected;
    if (byte->has_writer)
        say(browser, "%llx was written by record %llu: Return goes there", at,
            (unsigned long long)byte->writer);
    else
        say(browser, "%llx: %s", at,
            byte->known == SPOOR_BYTE_UNKNOWN ? "unknown" : "read, and not written before");
}

bool memory_subject(struct browser *browser, struct pane *pane, struct spoor_subject *subject)
{
    struct spoor_error error = {0};
    uint64_t moment;
    if (!pane->has_address || !pane_moment(browser, pane, &moment)) return false;
    const uint64_t address = (pane->address & ~UINT64_C(15)) + (uint64_t)pane->cursor;
    const struct spoor_range range = {.address = address & ~(uint64_t)(pane->group - 1),
                                      .size = pane->group};
    return heed(browser,
                spoor_explorer_place(view_of(browser)->explorer, &range, moment, subject, &error),
                &error) == SPOOR_OK;
}

/* ---- the next byte that differs ---- */

/* Runs of lines that the traces read or write within the reach of a pane. */
struct runs {
    struct run {
        uint64_t first, last;
    } * items;
    size_t count, capacity;
    uint64_t first, last; /* the reach */
};

static bool memory_add_run(void *context, uint64_t address, uint64_t size)
{
    struct runs *runs = context;
    if (address > runs->last || address + (size - 1) < runs->first) return true;
    if (!array_reserve(&runs->items, &runs->capacity, runs->count + 1)) return false;
    runs->items[runs->count++] = (struct run){address, address + (size - 1)};
    return true;
}

enum { PART = MEMORY_LINES * BYTES_PER_LINE };

/* Goes from part to part; false: there is none, or it was stopped. */
static bool memory_seek_byte(struct browser *browser, const struct pane *pane, bool forwards,
                             const struct runs *runs, uint64_t *found)
{
    struct spoor_byte bytes[PART], others[PART];
    struct view *other;
    uint64_t moment, other_moment;
    if (!pane_moment(browser, pane, &moment) ||
        !pane_compares(browser, pane, &other, &other_moment))
        return false;
    const uint64_t from = runs->first + (uint64_t)pane->cursor;
    uint64_t part = runs->first + (uint64_t)pane->cursor / PART * PART;
    for (;; part = forwards ? part + PART : part - PART) {
        bool reads = runs->count == 0; /* the traces name no virtual addresses */
        for (size_t i = 0; i < runs->count && !reads; i++)
            reads = runs->items[i].first <= part + PART - 1 && runs->items[i].last >= part;
        if (reads && (!memory_read(view_of(browser), part, PART, moment, bytes) ||
                      !memory_read(other, part, PART, other_moment, others)))
            return false;
        for (unsigned i = 0; reads && i < PART; i++) {
            const unsigned at = forwards ? i : PART - 1 - i;
            *found = part + at;
            if (memory_differs(&bytes[at], &others[at]) &&
                (forwards ? *found > from : *found < from))
                return true;
        }
        if (!work_goes_on(browser, part - runs->first, REACH)) return false;
        if (forwards ? part + PART > runs->last : part == runs->first) return false;
    }
}

void memory_seek_difference(struct browser *browser, struct pane *pane, bool forwards)
{
    struct view *other;
    uint64_t moment, found;
    if (!need_index(browser)) return;
    if (!pane->has_address || !pane_compares(browser, pane, &other, &moment)) {
        say_error(browser, "this memory is not compared: D compares it with another moment");
        return;
    }
    const uint64_t first = pane->address & ~(uint64_t)(BYTES_PER_LINE - 1);
    struct runs runs = {.first = first,
                        .last = first > UINT64_MAX - REACH ? UINT64_MAX : first + (REACH - 1)};
    bool complete = spoor_explorer_each_range(view_of(browser)->explorer, memory_add_run, &runs);
    complete &= other == view_of(browser) ||
                spoor_explorer_each_range(other->explorer, memory_add_run, &runs);
    if (!complete)
        say_error(browser, "out of memory");
    else if (memory_seek_byte(browser, pane, forwards, &runs, &found))
        pane->cursor = (int)(found - first);
    else if (!browser->stopped && !browser->message[0])
        say_error(browser, "no %s byte differs within 1 MiB of %s", forwards ? "later" : "earlier",
                  pane->words);
    free(runs.items);
}
