/* SPDX-License-Identifier: MIT */
/*
 * pipe_html.c: the pipeline as one HTML page that answers to the pointer: a row for each micro-op,
 * a colour for each stage, lines from producers.  The page has the cycles as JSON and a script that
 * draws what is seen of them (web/pipe/), and asks nothing of the network.
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

enum { PLOT_FILLS = 17 /* classes of the style of plots */ };

/* In the order of the bits of enum spoor_pipeline_why. */
static const char *const reasons[] = {"waits for the value of a load",
                                      "is mispredicted",
                                      "misses in the instruction cache",
                                      "misses in the data cache",
                                      "is squashed and fetched again",
                                      "is what the log states of the micro-op above",
                                      "leaves at another cycle than is tolerated"};
enum { IN_LOG = 1 << 5, APART = 1 << 6 }; /* the bits of the last two */

/* ---- data ---- */

/* The texts of the page, each once; number 0 is none. */
struct texts {
    struct spoor_names *names;
    bool failed;
};

static unsigned pipe_html_number(struct texts *texts, const char *words)
{
    const spoor_name name = spoor_names_intern(texts->names, words, strlen(words));
    texts->failed |= !name;
    return name;
}

static unsigned pipe_html_number_address(struct texts *texts, uint64_t address)
{
    char words[24];
    snprintf(words, sizeof words, "%" PRIx64, address);
    return pipe_html_number(texts, words);
}

static void pipe_html_put_cycles(struct text *out, enum spoor_pipeline_model model, bool as_parts,
                                 const struct spoor_pipeline_event *event)
{
    uint64_t at[MACHINE_STAGES + 1];
    const size_t count = machine_stage_cycles(model, event, at);
    if (as_parts) {
        /* [stage, lane, first cycle, cycle after it], as a log's own are given */
        text_puts(out, ",[");
        for (size_t i = 0; i + 1 < count; i++)
            text_printf(out, "%s[%zu,0,%" PRIu64 ",%" PRIu64 "]", i ? "," : "", i, at[i],
                        at[i + 1]);
        text_puts(out, "]");
        return;
    }
    for (size_t i = 0; i < count; i++) text_printf(out, ",%" PRIu64, at[i]);
}

/* The row of the log below that of its micro-op; *before: the first cycle of the row above. */
static void pipe_html_put_log(struct picture *picture, struct texts *texts, size_t number,
                              int64_t shift, int64_t *before)
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
    const unsigned parts = far > picture->pairs->tolerance ? IN_LOG | APART : IN_LOG;
    int first = 0;
    while (first < SPOOR_MOMENT_RETIRE && !(log->has >> first & 1)) first++;
    const int64_t begin = (int64_t)log->time[first];
    char name[80];
    snprintf(name, sizeof name, "log %" PRIu64 " %+" PRId64, log->number, apart);
    text_printf(out, ",\n[%" PRIu64 ",%u,%u,0,0,%u,[],%" PRId64 ",[", event->ordinal,
                pipe_html_number_address(texts, picture->kept[number].operation.pc),
                pipe_html_number(texts, name), parts, begin + shift - *before);
    *before = begin + shift;
    for (int i = first, next; i < SPOOR_MOMENT_RETIRE; i = next) {
        for (next = i + 1; next < SPOOR_MOMENT_RETIRE && !(log->has >> next & 1);) next++;
        const int64_t from = (int64_t)log->time[i] - begin;
        const int64_t to = (int64_t)log->time[next] - begin + (next == SPOOR_MOMENT_RETIRE);
        const bool waits =
            i == SPOOR_MOMENT_FETCH && picture->model == SPOOR_OUT_OF_ORDER && to > from;
        if (waits) text_printf(out, "[0,0,%" PRId64 ",%" PRId64 "],", from, from + 1);
        text_printf(out, "%s[%u,0,%" PRId64 ",%" PRId64 "]", i > first ? "," : "",
                    waits ? 1 : stage_of[picture->model][i], waits ? from + 1 : from, to);
    }
    text_puts(out, "]]");
}

/* A string of JSON inside a script: "</" would end the script. */
void pipe_page_put_string(struct text *out, const char *words)
{
    struct text string = {0};
    json_put_string(&string, words, strlen(words));
    for (size_t i = 0; i < string.size; i++)
        if (string.bytes[i] == '<')
            text_puts(out, "\\u003c");
        else
            text_put(out, &string.bytes[i], 1);
    out->failed |= string.failed;
    text_free(&string);
}

static void pipe_html_put_data(struct picture *picture)
{
    struct text *out = &picture->text;
    struct texts texts = {.names = spoor_names_new()};
    if (!texts.names) {
        out->failed = true;
        return;
    }
    text_puts(out, "<script type=\"application/json\" id=\"operations\">{\"operations\":[");
    const int64_t shift = picture->pairs ? picture_log_shift(picture) : 0;
    int64_t before = 0;
    for (size_t i = 0; i < picture->kept_count; i++) {
        const struct spoor_operation *operation = &picture->kept[i].operation;
        const struct spoor_pipeline_event *at = &picture->kept[i].event;
        const bool accesses = operation->is & (SPOOR_UOP_LOAD | SPOOR_UOP_STORE);
        /* texts are numbered in this order */
        const unsigned address =
            accesses ? pipe_html_number_address(&texts, operation->address) : 0;
        struct spoor_location located;
        unsigned place = 0;
        char words[400];
        if (picture_locate(picture, operation->pc, &located)) {
            snprintf(words, sizeof words, "%s%s%s", located.function ? located.function : "",
                     located.function && located.source ? " " : "",
                     located.source ? located.source : "");
            place = pipe_html_number(&texts, words);
        }
        char name[PICTURE_WORDS];
        picture_put_words(picture, operation, name);
        const unsigned names = pipe_html_number(&texts, name);
        const unsigned pc = pipe_html_number_address(&texts, operation->pc);
        text_printf(out, "%s[%" PRIu64 ",%u,%u,%u,%u,%u", i ? ",\n" : "", at->ordinal, pc, names,
                    place, address, at->why);
        const uint64_t all[] = {at->producer[0], at->producer[1], at->producer[2], at->store};
        bool any = false;
        text_puts(out, ",[");
        for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
            if (!all[k]) continue;
            text_printf(out, "%s%" PRIu64, any ? "," : "", all[k] - 1);
            any = true;
        }
        text_puts(out, "]");
        text_printf(out, ",%" PRId64, (int64_t)at->fetch - before);
        before = (int64_t)at->fetch;
        pipe_html_put_cycles(out, picture->model, picture->pairs != NULL, at);
        text_puts(out, "]");
        if (picture->pairs) pipe_html_put_log(picture, &texts, i, shift, &before);
    }
    text_puts(out, "],\n\"texts\":[\"\"");
    for (size_t i = 1; i < spoor_names_count(texts.names); i++) {
        text_puts(out, ",");
        pipe_page_put_string(out, spoor_names_text(texts.names, (spoor_name)i, NULL));
    }
    text_puts(out, "],\n\"stages\":[");
    for (size_t i = 0; i < MACHINE_STAGES && machine_stages(picture->model)[i].letter; i++) {
        const struct machine_stage *stage = &machine_stages(picture->model)[i];
        text_printf(out, "%s[\"%s\",\"%s\",%d]", i ? "," : "", stage->letter, stage->name,
                    stage->color);
    }
    text_puts(out, "],\n\"why\":[");
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        text_printf(out, "%s\"%s\"", i ? "," : "", reasons[i]);
    text_printf(out, "]%s}</script>\n", picture->pairs ? ",\"own\":true" : "");
    out->failed |= texts.failed;
    spoor_names_free(texts.names);
}

/* ---- the page ---- */

static const char *pipe_html_file(const char *name)
{
    const struct embedded_text *file = pipe_texts;
    while (strcmp(file->name, name) != 0) file++;
    return file->text;
}

void pipe_page_begin(struct text *out, const char *path)
{
    struct text title = {0};
    text_printf(&title, "Pipeline of %s", path_name(path));
    text_put(&title, "", 1);
    out->failed |= title.failed;
    if (!out->failed)
        page_begin_styled(out, title.bytes, pipe_html_file("pipe-style"),
                          pipe_html_file("pipe-script"));
    text_free(&title);
}

void pipe_page_begin_legend(struct text *out)
{
    text_puts(out, "<ul class=\"stages\" aria-label=\"Stages\">\n");
}

void pipe_page_put_stage(struct text *out, int color, const char *letter, const char *name)
{
    text_printf(out,
                "<li><svg class=\"sp\" width=\"12\" height=\"12\" aria-hidden=\"true\"><rect "
                "class=\"f%d\" width=\"12\" height=\"12\"/></svg>%s%s",
                color, letter, *letter ? " " : "");
    text_puts_xml(out, name);
    text_puts(out, "</li>\n");
}

void pipe_page_put_controls(struct text *out)
{
    text_puts(
        out, "</ul>\n"
             "<form id=\"find\"><label for=\"go\">Micro-op</label><input id=\"go\" "
             "inputmode=\"numeric\" autocomplete=\"off\"><button>Go to</button>"
             "<button type=\"button\" id=\"larger\">Larger</button>"
             "<button type=\"button\" id=\"smaller\">Smaller</button></form>\n"
             "<canvas id=\"pipeline\" tabindex=\"0\" role=\"img\" aria-label=\"Micro-ops by cycle; "
             "arrows choose, plus and minus zoom\"></canvas>\n"
             "<p class=\"quiet\">Wheel: along the micro-ops; with Shift: cycles; with Ctrl: zoom. "
             "Drag to pan. A click, or the arrows, choose a micro-op; red lines lead to it from "
             "those that it waits for.</p>\n"
             "<table class=\"details\"><caption>The chosen micro-op</caption><tbody "
             "id=\"details\"></tbody></table>\n"
             "<svg id=\"palette\" class=\"sp\" width=\"0\" height=\"0\" aria-hidden=\"true\">");
    for (int i = 0; i < PLOT_FILLS; i++) text_printf(out, "<rect class=\"f%d\"/>", i);
    text_puts(out, "</svg>\n");
}

void pipe_page_end(struct text *out)
{
    text_puts(out, "<script>");
    text_puts(out, pipe_html_file("pipe-script"));
    text_puts(out, "</script>\n");
    page_end(out);
}

static void pipe_html_end(struct picture *picture)
{
    struct text *out = &picture->text;
    picture_sort(picture);
    pipe_page_begin(out, picture->stream->path);
    if (!picture->kept_count) page_put_note(out, "There is no micro-op in this range.");
    if (picture->kept_count == PICTURE_PAGE_MAXIMUM)
        page_put_note(out, "These are the first 40,000 micro-ops: --timeline A:B selects others.");
    if (picture->pairs)
        page_put_note(out, "Below each micro-op: the log, its number, and by how many cycles it "
                           "leaves later than the micro-op.");
    pipe_page_begin_legend(out);
    for (size_t i = 0; i < MACHINE_STAGES && machine_stages(picture->model)[i].letter; i++) {
        const struct machine_stage *stage = &machine_stages(picture->model)[i];
        pipe_page_put_stage(out, stage->color, stage->letter, stage->name);
    }
    pipe_page_put_controls(out);
    pipe_html_put_data(picture);
    pipe_page_end(out);
}

const struct picture_kind picture_html = {
    .event = picture_keep, .end = pipe_html_end, .maximum = PICTURE_PAGE_MAXIMUM};
