/* SPDX-License-Identifier: MIT */
/*
 * pane_code.c: the code around the pc.
 *
 * Instructions that ran near the cursor are shown as the trace prints them, all others as the bytes
 * of an image disassemble.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sorted.h"
#include "browse/internal.h"

struct code_row {
    uint64_t pc, record; /* of its last execution here */
    uint64_t target;     /* of a direct branch */
    unsigned size;       /* 0: unknown */
    bool ran, branches;
    bool brief;           /* the trace states no operands */
    char offset[20];      /* in its function: "+0x14"; "": it begins there, or none is known */
    const char *function; /* that begins there */
    char text[96];
};
struct code_rows {
    struct browser *browser;
    struct code_row *items;
    size_t count, capacity;
    uint64_t low, high;
    int offsets; /* columns of the offsets; 0: none is known */
};

/* The row of an address, or where it belongs. */
static size_t code_rows_at(const struct code_rows *rows, uint64_t pc)
{
    return SORTED_BELOW(rows->items, rows->items ? rows->count : 0, pc, pc);
}

/* The row of an address, which is added if it is not there; NULL: memory ran out. */
static struct code_row *code_row(struct code_rows *rows, uint64_t pc)
{
    const size_t at = code_rows_at(rows, pc);
    if (rows->items && at < rows->count && rows->items[at].pc == pc) return &rows->items[at];
    if (!array_reserve(&rows->items, &rows->capacity, rows->count + 1) || !rows->items) return NULL;
    memmove(rows->items + at + 1, rows->items + at, (rows->count - at) * sizeof *rows->items);
    rows->count++;
    rows->items[at] = (struct code_row){.pc = pc};
    return &rows->items[at];
}

/* ---- what ran ---- */

static bool code_collect(void *context, const struct spoor_record_visit *visited)
{
    struct code_rows *rows = context;
    if (!visited->has_instruction || visited->instruction != visited->record) return true;
    if (visited->pc < rows->low || visited->pc > rows->high) return true;
    struct code_row *row = code_row(rows, visited->pc);
    if (!row) return false;
    row->record = visited->record;
    if (row->ran) return true;
    row->ran = true;
    row->size = visited->instruction_size;
    row->branches = record_target(view_of(rows->browser), &visited->batch->records[visited->index],
                                  row->size, &row->target);
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
    row->brief = record->kind == SPOOR_UOP || used == 0;
    return true;
}

/* ---- what the images say of the others ---- */

/* Disassembles the bytes of an image at an address; returns the size of the instruction, 0 where
 * there is none. */
static unsigned code_row_read(struct code_rows *rows, uint64_t pc, struct code_row *row)
{
    const struct browser_options *options = &rows->browser->options;
    struct spoor_place place = {.struct_size = sizeof place};
    uint8_t bytes[16];
    if (!options->disassemble || !options->images) return 0;
    spoor_images_function(options->images, pc, &place);
    const struct spoor_code_bytes code = {
        .pc = pc,
        .bytes = bytes,
        .size = spoor_images_bytes(options->images, pc, bytes, sizeof bytes),
        .code = place.code};
    if (code.size == 0) return 0;
    const unsigned size =
        (unsigned)options->disassemble(options->disassembler, &code, row->text, sizeof row->text);
    for (char *at = row->text; size && *at; at++)
        if (*at == '\t') *at = ' ';
    const struct spoor_code_bytes own = {pc, bytes, size, place.code};
    row->branches |= code_target(&own, &row->target);
    return size;
}

/* The instructions within some bytes of the pc: those that ran in the segment of the cursor and in
 * those next to it, and those of images. */
static bool code_find(struct browser *browser, const struct pane *pane, struct code_rows *rows)
{
    enum { AROUND = 8 /* bytes of code on both sides, for each row */ };
    struct view *view = view_of(browser);
    struct spoor_error error = {0};
    uint64_t moment;
    rows->browser = browser;
    if (!pane_moment(browser, pane, &moment)) return false;
    const struct here *here = view_here(view);
    if (!here->place.known) return false;
    const uint64_t around = (uint64_t)pane->area.height * AROUND;
    rows->low = here->place.pc > around ? here->place.pc - around : 0;
    rows->high = here->place.pc < UINT64_MAX - around ? here->place.pc + around : UINT64_MAX - 16;
    const size_t segment = spoor_index_segment_of(view->index, here->record);
    for (size_t i = segment ? segment - 1 : 0; i <= segment + 1; i++)
        if (spoor_index_may_execute(view->index, i, rows->low, rows->high) &&
            heed(browser,
                 spoor_explorer_visit_segment(view->explorer, i, 0, UINT64_MAX, code_collect, rows,
                                              &error),
                 &error) < SPOOR_OK)
            return false;
    /* Reads the code between instructions that ran, and before and after them. */
    uint64_t at = here->place.pc;
    /* From the beginning of a function on, because instructions may differ in size. */
    enum { LONGEST = 1 << 16 };
    struct spoor_images *images = browser->options.images;
    const uint64_t addresses[] = {rows->low, here->place.pc};
    bool begins = false;
    for (size_t i = 0; images && i < sizeof addresses / sizeof *addresses && !begins; i++) {
        struct spoor_place place = {.struct_size = sizeof place};
        begins = spoor_images_function(images, addresses[i], &place) && place.function &&
                 addresses[i] - place.start < LONGEST;
        if (begins) at = place.start;
    }
    while (at <= rows->high) {
        struct code_row code = {.pc = at};
        const size_t next = code_rows_at(rows, at);
        const bool ran = rows->items && next < rows->count && rows->items[next].pc == at;
        const unsigned size = code_row_read(rows, at, &code);
        struct code_row *row = ran ? &rows->items[next] : NULL;
        if (ran) {
            /* Adds to the row of an instruction that ran what its code shows beyond the trace. */
            if (size && row->brief) memcpy(row->text, code.text, sizeof row->text);
            if (!row->size) row->size = size;
            if (size && !row->branches) {
                row->branches = code.branches;
                row->target = code.target;
            }
        } else if (size && at >= rows->low && (row = code_row(rows, at)) != NULL) {
            *row = code;
            row->size = size;
        }
        const unsigned step = row ? row->size : size;
        if (step == 0) { /* to the next instruction that ran */
            const size_t later = next + ran;
            if (!rows->items || later >= rows->count) break;
            at = rows->items[later].pc;
        }
        at += step;
    }
    return rows->count > 0;
}

/* ---- the pane ---- */

void code_draw(struct browser *browser, struct pane *pane)
{
    struct code_rows rows = {0};
    if (!code_find(browser, pane, &rows)) {
        free(rows.items);
        return;
    }
    /* Finds the offset of each instruction in its function. */
    struct spoor_images *images = rows.browser->options.images;
    struct spoor_place place = {.struct_size = sizeof place};
    for (size_t i = 0; i < rows.count; i++) {
        struct code_row *row = &rows.items[i];
        if (!images || !spoor_images_function(images, row->pc, &place) || !place.function) continue;
        if (place.offset == 0) row->function = place.function;
        const int size =
            place.offset ? snprintf(row->offset, sizeof row->offset, "+0x%" PRIx64, place.offset)
                         : 1;
        if (size > rows.offsets) rows.offsets = size;
    }
    const size_t current = code_rows_at(&rows, view_here(view_of(browser))->place.pc);
    const bool focused = browser->focus >= 0 && &browser->panes[browser->focus] == pane;
    pane->items = (int)rows.count;
    if (!focused) {
        pane->cursor = (int)current;
        pane->top = (int)current - pane->area.height / 2;
    }
    if (pane->top > pane->items - pane->area.height) pane->top = pane->items - pane->area.height;
    if (pane->top < 0) pane->top = 0;
    pane_follow_cursor(pane);
    for (int y = 0; y < pane->area.height && pane->top + y < pane->items; y++) {
        const size_t item = (size_t)(pane->top + y);
        const struct code_row *row = &rows.items[item];
        struct text text = {0};
        /* a plus where addresses are left out before it */
        const bool is_gap = item > 0 && row[-1].size && row[-1].pc + row[-1].size < row->pc;
        text_printf(&text, "%s%c%08" PRIx64, item == current ? ">" : " ", is_gap ? '+' : ' ',
                    row->pc);
        if (rows.offsets) text_printf(&text, " %-*s", rows.offsets, row->offset);
        text_printf(&text, "  %s", row->text);
        const size_t before = text.size;
        text_puts(&text, "  -> ");
        if (!row->branches || !put_function(browser, row->target, &text)) text.size = before;
        if (row->function) text_printf(&text, "  <%s>", row->function);
        enum style style = pane_row_style(browser, pane, (int)item);
        if (style == STYLE_PLAIN && item == current)
            style = STYLE_CHANGED;
        else if (style == STYLE_PLAIN && !row->ran)
            style = STYLE_DIM;
        heed_memory(browser, text.failed);
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
    if (need_index(browser) && code_find(browser, pane, &rows) &&
        (size_t)pane->cursor < rows.count) {
        const struct code_row *row = &rows.items[pane->cursor];
        if (row->ran)
            view_go_record(view_of(browser), row->record, true);
        else
            say_error(browser, "%" PRIx64 " does not run near this place: p and P search for it",
                      row->pc);
    }
    free(rows.items);
}

/* ---- where a direct branch leads, by its opcode ---- */

bool code_target(const struct spoor_code_bytes *code, uint64_t *target)
{
    struct spoor_code_bytes read = *code;
    struct spoor_program_insn insn;
    /* direct branches are the same in both modes */
    if (read.code == SPOOR_CODE_X86) read.code = SPOOR_CODE_X86_64;
    if (!spoor_code_decode(&read, &insn)) return false;
    *target = insn.target;
    return insn.branches && !(insn.branch_type & SPOOR_BRANCH_INDIRECT);
}

bool record_target(const struct view *view, const struct spoor_record *record, unsigned size,
                   uint64_t *target)
{
    const struct spoor_insn *insn = &record->insn;
    if (record->kind != SPOOR_INSN || !(record->has & SPOOR_HAS_DATA)) return false;
    if (size != 2 && size != 4) return false;
    enum spoor_code code = SPOOR_CODE_UNKNOWN;
    if (insn->iset && strchr("OC", insn->iset))
        code = SPOOR_CODE_A64;
    else if (insn->iset == 'A')
        code = SPOOR_CODE_A32;
    else if (insn->iset && strchr("TX", insn->iset))
        code = SPOOR_CODE_T32;
    else if (view->explorer && spoor_explorer_isa(view->explorer) == SPOOR_ISA_RISCV)
        code = SPOOR_CODE_RISCV;
    const bool is_long_t32 = code == SPOOR_CODE_T32 && size == 4;
    uint8_t bytes[4];
    for (unsigned i = 0; i < size; i++) /* T32 states its first halfword first */
        bytes[i] = (uint8_t)(insn->opcode >> 8 * (is_long_t32 ? i ^ 2u : i));
    return code_target(
        &(struct spoor_code_bytes){.pc = record->has & SPOOR_HAS_VA ? insn->va : insn->pa,
                                   .bytes = bytes,
                                   .size = size,
                                   .code = code},
        target);
}

bool row_target(const struct view *view, const struct spoor_listing_row *row, uint64_t *target)
{
    for (size_t i = 0; i < row->count; i++) {
        const struct spoor_record *record = &row->batch->records[row->index + i];
        if (record->kind == SPOOR_INSN && (record->has & SPOOR_HAS_DATA))
            return record_target(view, record, record->insn.opcode_size, target);
    }
    return false;
}
