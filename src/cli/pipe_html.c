/* SPDX-License-Identifier: MIT */
/*
 * pipe_html.c: the pipeline as a page: a row for each micro-op, a colour for each stage, lines from
 * producers (web/src/pipeline.ts).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "cli/pipe_against.h"
#include "cli/pipe_picture.h"
#include "html/machine_stages.h"
#include "html/page.h"

/* ---- data ---- */

/* The row of the log that a micro-op was compared with; `shift`: the cycles that it is later. */
static void pipe_html_put_log(struct picture *picture, size_t number, int64_t shift)
{
    static const unsigned stage_of[][SPOOR_MOMENTS] = {[SPOOR_OUT_OF_ORDER] = {0, 2, 3, 3},
                                                       [SPOOR_IN_ORDER] = {0, 0, 0, 0},
                                                       [SPOOR_FIVE_STAGE] = {0, 2, 4, 4}};
    struct text *out = &picture->text;
    const struct spoor_pipeline_event *event = &picture->kept[number].event;
    const struct log_pair *pair = picture_log_pair(picture, event->ordinal);
    if (!pair || (event->why & SPOOR_WHY_SQUASHED)) return;
    const struct spoor_pipeline_times *log = &pair->log;
    const int64_t apart = (int64_t)log->time[SPOOR_MOMENT_RETIRE] + shift - (int64_t)event->retire;
    const uint64_t far = apart < 0 ? 0 - (uint64_t)apart : (uint64_t)apart;
    int first = 0;
    while (first < SPOOR_MOMENT_RETIRE && !(log->has >> first & 1)) first++;
    char name[80];
    snprintf(name, sizeof name, "log %" PRIu64 " %+" PRId64, log->number, apart);
    json_begin(out, NULL, '{');
    json_number(out, "number", event->ordinal);
    json_text(out, "text", name);
    if (far > picture->pairs->tolerance) json_bool(out, "apart", true);
    const int64_t begin = (int64_t)log->time[first] + shift;
    text_printf(out, ",\"begin\":%" PRId64 ",\"end\":%" PRId64 ",\"stages\":[", begin,
                (int64_t)log->time[SPOOR_MOMENT_RETIRE] + shift + 1);
    for (int i = first, next; i < SPOOR_MOMENT_RETIRE; i = next) {
        for (next = i + 1; next < SPOOR_MOMENT_RETIRE && !(log->has >> next & 1);) next++;
        int64_t from = (int64_t)log->time[i] + shift;
        const int64_t to = (int64_t)log->time[next] + shift + (next == SPOOR_MOMENT_RETIRE);
        const bool waits =
            i == SPOOR_MOMENT_FETCH && picture->model == SPOOR_OUT_OF_ORDER && to > from;
        if (waits) text_printf(out, "0,0,%" PRId64 ",%" PRId64 ",", from, from + 1);
        from += waits;
        text_printf(out, "%u,0,%" PRId64 ",%" PRId64 "%s", waits ? 1 : stage_of[picture->model][i],
                    from, to, next < SPOOR_MOMENT_RETIRE ? "," : "");
    }
    text_puts(out, "]}");
}

static void pipe_html_put_row(struct picture *picture, size_t number)
{
    struct text *out = &picture->text;
    const struct spoor_operation *operation = &picture->kept[number].operation;
    struct spoor_location located;
    char words[PICTURE_WORDS];
    machine_begin_row(out, picture->model, &picture->kept[number].event, operation->pc);
    picture_put_words(picture, operation, words);
    json_text(out, "text", words);
    if (operation->is & (SPOOR_UOP_LOAD | SPOOR_UOP_STORE))
        json_hex(out, "address", operation->address);
    if (picture_locate(picture, operation->pc, &located)) {
        if (located.function) json_text(out, "function", located.function);
        if (located.source) json_text(out, "source", located.source);
    }
    json_end(out, '}');
}

/* ---- the page ---- */

static void pipe_page_name(char title[320], const char *path)
{
    snprintf(title, 320, "Pipeline of %.300s", path_name(path));
}

void pipe_page_begin(struct text *out, const char *path)
{
    char title[320];
    pipe_page_name(title, path);
    page_begin(out, title);
}

void pipe_page_end(struct text *out, const char *path)
{
    char title[320];
    pipe_page_name(title, path);
    page_end(out, page_files, title);
}

static void pipe_html_end(struct picture *picture)
{
    struct text *out = &picture->text;
    const char *path = picture->stream->path;
    picture_sort(picture);
    pipe_page_begin(out, path);
    if (!picture->kept_count) page_put_note(out, "There is no micro-op in this range.");
    if (picture->kept_count == PICTURE_PAGE_MAXIMUM)
        page_put_note(out, "These are the first 40,000 micro-ops: --timeline A:B selects others.");
    if (picture->pairs)
        page_put_note(out, "The lower half of a row is the log; its name has by how many cycles it "
                           "leaves later than the micro-op.");
    json_begin(out, NULL, '{');
    json_begin(out, "pipeline", '{');
    machine_put_stages(out, picture->model);
    json_begin(out, "rows", '[');
    for (size_t i = 0; i < picture->kept_count; i++) pipe_html_put_row(picture, i);
    text_puts(out, "]}");
    if (picture->pairs) {
        const int64_t shift = picture_log_shift(picture);
        json_begin(out, "against", '{');
        machine_put_stages(out, picture->model);
        json_begin(out, "rows", '[');
        for (size_t i = 0; i < picture->kept_count; i++) pipe_html_put_log(picture, i, shift);
        text_puts(out, "]}");
    }
    text_puts(out, "}");
    pipe_page_end(out, path);
}

const struct picture_kind picture_html = {
    .event = picture_keep, .end = pipe_html_end, .maximum = PICTURE_PAGE_MAXIMUM};
