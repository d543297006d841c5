/* SPDX-License-Identifier: MIT */
/* view.c: a trace in the browser: its visible rows, the cursor, and what an index says of it. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "browse/internal.h"
#include "spoor/field.h"

/* ---- opening ---- */

static bool view_on_progress(void *context, uint64_t done, uint64_t size)
{
    struct view *view = context;
    return work_goes_on(view->browser, done, size);
}

static bool view_on_decoding(void *context, size_t segment)
{
    struct view *view = context;
    return work_goes_on(view->browser, segment, spoor_index_segment_count(view->index));
}

enum spoor_status view_open(struct view *view, struct browser *browser, size_t number,
                            struct spoor_error *error)
{
    const struct browser_options *options = &browser->options;
    const char *path = options->paths[number];
    view->browser = browser;
    view->path = path;
    view->name = options->names[number] ? options->names[number] : path_name(path);
    const struct spoor_listing_options listing = {.struct_size = sizeof listing,
                                                  .reading = &options->reading,
                                                  .progress = view_on_progress,
                                                  .context = view};
    enum spoor_status status = spoor_listing_open(&view->listing, path, &listing, error);
    if (status == SPOOR_OK && number == 0 && browser->arriving &&
        !spoor_listing_grows(view->listing)) {
        spoor_listing_close(view->listing); /* what is read in order must be complete */
        view->listing = NULL;
        spool_wait(options->spool, true, NULL, NULL);
        status = spoor_listing_open(&view->listing, path, &listing, error);
    }
    if (status != SPOOR_OK) return status;
    if (!options->no_index && !options->follow && !browser->arriving)
        background_start(&view->background, path, &options->indexing);
    return SPOOR_OK;
}

void view_forget_state(struct view *view)
{
    spoor_state_free(view->state);
    view->state = NULL;
    kept_events_free(&view->events);
}

void view_close(struct view *view)
{
    view_forget_state(view);
    if (!view->shared) {
        background_end(&view->background);
        if (view->background.index != view->index) spoor_index_close(view->background.index);
        spoor_listing_close(view->listing);
        spoor_explorer_close(view->explorer);
        spoor_index_close(view->index);
    }
    matcher_free(&view->filter);
    free(view->folds);
    *view = (struct view){0};
}

bool view_adopt(struct view *view)
{
    struct spoor_error error = {0};
    const int state = atomic_load(&view->background.state);
    if (view->shared || view->explorer || state == BACKGROUND_NONE || state == BACKGROUND_RUNS)
        return false;
    background_end(&view->background);
    atomic_store(&view->background.state, BACKGROUND_NONE);
    if (state == BACKGROUND_FAILED) {
        heed(view->browser, view->background.error.status, &view->background.error);
        say_error(view->browser, "no index: %s", view->background.error.text);
        return true;
    }
    view->index = view->background.index;
    view->background.index = NULL;
    if (view->browser->options.images_of_index && view == &view->browser->views[0] &&
        heed(view->browser,
             spoor_images_add_index(view->browser->options.images, view->path, view->index, &error),
             &error) != SPOOR_OK)
        say_error(view->browser, "%s", error.text);
    const struct spoor_explorer_options options = {
        .struct_size = sizeof options,
        .images = view->browser->options.images,
        .big_endian = view->browser->options.big_endian,
        .goes_on = view_on_decoding,
        .context = view,
        .disassemble = view->browser->options.disassemble,
        .disassembler = view->browser->options.disassembler};
    const enum spoor_status opened =
        spoor_explorer_open(&view->explorer, view->path, view->index, &options, &error);
    if (heed(view->browser, opened, &error) != SPOOR_OK) {
        say_error(view->browser, "no index: %s", error.text);
        spoor_index_close(view->index);
        view->index = NULL;
        return true;
    }
    const char *damage = spoor_index_damage(view->index);
    if (damage) say_error(view->browser, "%s", damage);
    spoor_listing_use_explorer(view->listing, view->explorer);
    view->here.offset = 0;
    view_forget(view);
    return true;
}

/* ---- visible rows ---- */

void view_forget(struct view *view)
{
    memset(view->forth, 0, sizeof view->forth);
    memset(view->back, 0, sizeof view->back);
}

static bool view_is_filtered(const struct view *view)
{
    return matcher_is_given(&view->filter) || view->cpu[0] || view->fold_count;
}

bool row_is_of(const struct spoor_listing_row *row, const char *cpu)
{
    const struct spoor_value value = spoor_field_get(row->batch, row->index, SPOOR_FIELD_CPU);
    if (!cpu[0] || value.type == SPOOR_VALUE_ABSENT) return true;
    struct text text = {0};
    if (value.type == SPOOR_VALUE_TEXT)
        text_put(&text, value.text.bytes, value.text.size);
    else
        text_printf(&text, "%llu", (unsigned long long)value.number);
    const bool same = text.size == strlen(cpu) && memcmp(text.bytes, cpu, text.size) == 0;
    text_free(&text);
    return same;
}

const struct fold *view_fold_at(const struct view *view, uint64_t offset)
{
    for (size_t i = 0; i < view->fold_count; i++)
        if (view->folds[i].call == offset) return &view->folds[i];
    return NULL;
}

/* The fold that hides a row; NULL: none. */
static const struct fold *view_hiding_fold(const struct view *view,
                                           const struct spoor_listing_row *row)
{
    for (size_t i = 0; i < view->fold_count; i++) {
        const struct fold *fold = &view->folds[i];
        if (row->offset >= fold->from && row->offset < fold->to && row_is_of(row, fold->cpu))
            return fold;
    }
    return NULL;
}

/* True if one of the `context` rows on that side matches the filter. */
static bool view_is_near_match(struct view *view, struct spoor_listing_row row, bool forwards)
{
    struct spoor_error error = {0};
    for (unsigned i = 0; i <= view->context; i++) {
        if (matcher_matches(view, &view->filter, &row)) return true;
        const enum spoor_status status =
            forwards ? spoor_listing_at(view->listing, row.end, &row, &error)
                     : spoor_listing_before(view->listing, row.offset, &row, &error);
        if (status != SPOOR_OK) break;
    }
    return false;
}

static enum spoor_status view_raw_step(struct view *view, const struct spoor_listing_row *from,
                                       bool forwards, struct spoor_listing_row *row)
{
    struct spoor_error error = {0};
    const enum spoor_status status =
        forwards ? spoor_listing_at(view->listing, from->end, row, &error)
                 : spoor_listing_before(view->listing, from->offset, row, &error);
    if (status < SPOOR_OK) say_error(view->browser, "%s", error.text);
    return status;
}

/* From a hidden row to the next one that may be visible. */
static enum spoor_status view_leap(struct view *view, bool forwards, struct spoor_listing_row *row)
{
    const struct spoor_listing_row from = *row;
    const struct fold *fold = view_hiding_fold(view, row);
    if (fold && !fold->cpu[0]) {
        struct spoor_listing_row edge = from;
        edge.end = fold->to;
        edge.offset = fold->from;
        return view_raw_step(view, &edge, forwards, row);
    }
    if (view->cpu[0] && !fold && !row_is_of(row, view->cpu) && view->index &&
        row->record != SPOOR_ROW_UNKNOWN) {
        /* To the last one of the segments whose records all name a processor, and none the one that
         * is shown, forwards or backwards. */
        const struct spoor_skipper_options selection = {.struct_size = sizeof selection,
                                                        .cpu = view->cpu};
        const size_t count = spoor_index_segment_count(view->index);
        const size_t begin = spoor_index_segment_of(view->index, row->record);
        struct spoor_segment segment = {.from = 0};
        size_t number = begin;
        for (; count; number += forwards ? 1 : SIZE_MAX) {
            segment = view_segment(view, number);
            if (segment.kinds >> SPOOR_NOTE & 1 || !segment.names_cpus ||
                spoor_index_may_select(view->index, number, &selection) ||
                (forwards ? number + 1 == count : number == 0))
                break;
        }
        if (number != begin) {
            row->end = segment.offset; /* forwards: up to the segment, else from its end on */
            row->offset = segment.offset + segment.bytes;
            return view_raw_step(view, row, forwards, row);
        }
    }
    if (!matcher_is_given(&view->filter) || fold) return view_raw_step(view, &from, forwards, row);
    enum spoor_status status =
        matcher_seek(view, &view->filter, forwards ? from.end : from.offset, forwards, row);
    for (unsigned i = 0; status == SPOOR_OK && i < view->context; i++) { /* back to its context */
        struct spoor_listing_row before = {.struct_size = sizeof before};
        const struct spoor_listing_row match = *row;
        if (view_raw_step(view, &match, !forwards, &before) != SPOOR_OK) {
            struct spoor_error error = {0};
            return spoor_listing_at(view->listing, match.offset, row, &error);
        }
        *row = before;
        if (forwards ? before.offset <= from.offset : before.offset >= from.offset)
            return view_raw_step(view, &from, forwards, row);
    }
    return status;
}

static enum spoor_status view_find_visible(struct view *view, bool forwards,
                                           struct spoor_listing_row *row)
{
    enum spoor_status status = SPOOR_OK;
    for (unsigned long i = 0; status == SPOOR_OK; i++) {
        if (!view_hiding_fold(view, row) && row_is_of(row, view->cpu) &&
            (!matcher_is_given(&view->filter) || matcher_matches(view, &view->filter, row) ||
             (view->context &&
              (view_is_near_match(view, *row, true) || view_is_near_match(view, *row, false)))))
            return SPOOR_OK;
        if (i % 256 == 255 &&
            !work_goes_on(view->browser, row->offset, spoor_listing_size(view->listing)))
            return SPOOR_END;
        status = view_leap(view, forwards, row);
    }
    return status;
}

enum spoor_status view_step(struct view *view, uint64_t offset, bool forwards,
                            struct spoor_listing_row *row)
{
    struct spoor_error error = {0};
    struct known_step *known =
        &(forwards ? view->forth : view->back)[(offset ^ offset >> 11) % KNOWN_STEPS];
    struct spoor_listing_row from = {.struct_size = sizeof from};
    const bool filtered = view_is_filtered(view);
    if (filtered && known->from == offset + 1) {
        if (known->to == UINT64_MAX) return SPOOR_END;
        return spoor_listing_at(view->listing, known->to - 1, row, &error);
    }
    enum spoor_status status = spoor_listing_at(view->listing, offset, &from, &error);
    if (status == SPOOR_OK) status = view_raw_step(view, &from, forwards, row);
    if (status == SPOOR_OK && filtered) status = view_find_visible(view, forwards, row);
    if (filtered && !view->browser->stopped && status >= SPOOR_OK)
        *known = (struct known_step){offset + 1, status == SPOOR_OK ? row->offset + 1 : UINT64_MAX};
    return status;
}

/* ---- the cursor ---- */

bool view_row(struct view *view, struct spoor_listing_row *row)
{
    struct spoor_error error = {0};
    enum spoor_status status = spoor_listing_at(view->listing, view->cursor, row, &error);
    if (status == SPOOR_END && view->cursor) /* the trace was cut */
        status = spoor_listing_before(view->listing, view->cursor, row, &error);
    if (status < SPOOR_OK) say_error(view->browser, "%s", error.text);
    return status == SPOOR_OK;
}

void view_go(struct view *view, uint64_t offset, bool jump)
{
    struct spoor_error error = {0};
    struct spoor_listing_row row = {.struct_size = sizeof row};
    enum spoor_status status = spoor_listing_at(view->listing, offset, &row, &error);
    if (status == SPOOR_END) status = spoor_listing_before(view->listing, offset, &row, &error);
    if (status != SPOOR_OK) {
        if (status < SPOOR_OK) say_error(view->browser, "%s", error.text);
        return;
    }
    struct browser *browser = view->browser;
    if (jump) view = view_of(browser);
    /* Beside each other: the part that shows the row gets the cursor. */
    for (size_t i = 0; jump && i < browser->split && !row_is_of(&row, view->cpu); i++)
        if (row_is_of(&row, browser->views[i].cpu)) {
            browser->view = i;
            view = &browser->views[i];
        }
    const uint64_t wanted = row.offset;
    if (view_is_filtered(view) && view_find_visible(view, true, &row) != SPOOR_OK &&
        view_step(view, wanted, false, &row) != SPOOR_OK)
        return;
    if (jump && row.offset != view->cursor &&
        !(view->history_at && view->history[view->history_at - 1] == view->cursor)) {
        if (view->history_at == HISTORY)
            memmove(view->history, view->history + 1, --view->history_at * sizeof *view->history);
        view->history[view->history_at++] = view->cursor;
        view->history_count = view->history_at;
    }
    view->cursor = row.offset;
}

bool view_go_record(struct view *view, uint64_t record, bool jump)
{
    struct spoor_error error = {0};
    struct spoor_listing_row row = {.struct_size = sizeof row};
    const enum spoor_status status = spoor_listing_of_record(view->listing, record, &row, &error);
    if (status == SPOOR_OK)
        view_go(view, row.offset, jump);
    else
        say_error(view->browser, "record %llu: %s", (unsigned long long)record,
                  status == SPOOR_END ? "there is none, or its place is not known yet"
                                      : error.text);
    return status == SPOOR_OK;
}

uint64_t view_back_by(struct view *view, uint64_t offset, int count)
{
    struct spoor_listing_row row = {.struct_size = sizeof row};
    for (; count > 0 && view_step(view, offset, false, &row) == SPOOR_OK; count--)
        offset = row.offset;
    return offset;
}

void view_place(struct view *view, int where)
{
    const int rows = view->shown_rows > 1 ? view->shown_rows - 1 : 0;
    const int above = where * rows / 2;
    struct spoor_listing_row row = {.struct_size = sizeof row};
    uint64_t last = view->cursor;
    int below = 0;
    for (; where && below < rows - above && view_step(view, last, true, &row) == SPOOR_OK; below++)
        last = row.offset;
    /* the end of the trace is at the bottom of the screen */
    view->top = view_back_by(view, view->cursor, where ? rows - below : 0);
}

void view_scroll(struct view *view, int rows)
{
    struct spoor_listing_row row = {.struct_size = sizeof row};
    view->shown_rows = rows;
    if (view->cursor < view->top) {
        /* a step up scrolls by a row, a jump puts the row in the middle */
        uint64_t above = view->cursor;
        int distance = 0;
        while (distance < rows && above < view->top &&
               view_step(view, above, true, &row) == SPOOR_OK) {
            above = row.offset;
            distance++;
        }
        if (distance < rows && above == view->top)
            view->top = view->cursor;
        else
            view_place(view, 1);
        return;
    }
    uint64_t at = view->top;
    for (int i = 0; i < rows; i++) {
        if (at == view->cursor) return;
        if (view_step(view, at, true, &row) != SPOOR_OK) break;
        at = row.offset;
    }
    uint64_t below = at;
    for (int i = 0; i < rows; i++) {
        if (below == view->cursor) {
            view->top = view_back_by(view, view->cursor, rows - 1);
            return;
        }
        if (view_step(view, below, true, &row) != SPOOR_OK) break;
        below = row.offset;
    }
    view_place(view, 1);
}

/* ---- what an index says ---- */

static bool view_note_here(void *context, const struct spoor_record_visit *visited)
{
    struct here *here = context;
    here->cpu = visited->cpu;
    here->place.known = visited->has_instruction;
    here->place.record = visited->instruction;
    here->place.pc = visited->pc;
    here->known = true;
    return false;
}

const struct here *view_here(struct view *view)
{
    struct here *here = &view->here;
    struct spoor_error error = {0};
    struct spoor_listing_row row = {.struct_size = sizeof row};
    if (here->offset == view->cursor + 1) return here;
    *here = (struct here){.offset = view->cursor + 1};
    if (!view->explorer || !view_row(view, &row) || row.record == SPOOR_ROW_UNKNOWN) return here;
    here->record = row.record;
    here->last = row.record + row.count - 1;
    heed(view->browser,
         spoor_explorer_visit(view->explorer, here->last, here->last + 1, view_note_here, here,
                              &error),
         &error);
    return here;
}

bool view_moment(struct view *view, uint64_t *moment)
{
    const struct here *here = view_here(view);
    *moment = here->last + 1;
    return here->known;
}

const struct spoor_state *view_state(struct view *view, uint64_t moment)
{
    struct spoor_error error = {0};
    if (!view->explorer) return NULL;
    if (view->state && view->state_moment == moment) return view->state;
    spoor_state_free(view->state);
    view->state_moment = moment;
    const enum spoor_status status =
        spoor_explorer_state(view->explorer, moment, &view->state, &error);
    if (heed(view->browser, status, &error) == SPOOR_OK) return view->state;
    say_error(view->browser, "%s", error.text);
    return NULL;
}

bool row_time(const struct spoor_listing_row *row, uint64_t *time, const char **unit)
{
    for (size_t i = 0; i < row->count; i++) {
        const struct spoor_record *record = &row->batch->records[row->index + i];
        if (!row->exact && !(record->has & SPOOR_HAS_TIME)) continue;
        *time = record->time;
        *unit = spoor_record_unit(row->batch, record);
        return (*unit)[0] != '\0';
    }
    return false;
}

bool row_pc(const struct spoor_listing_row *row, uint64_t *pc)
{
    for (size_t i = 0; i < row->count; i++) {
        const struct spoor_value value =
            spoor_field_get(row->batch, row->index + i, SPOOR_FIELD_PC);
        if (value.type != SPOOR_VALUE_HEX) continue;
        *pc = value.number;
        return true;
    }
    return false;
}
