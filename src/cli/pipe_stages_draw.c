/* SPDX-License-Identifier: MIT */
/* pipe_stages_draw.c: draws the stages of a log: in text, as a page, as a table; and adds
 * them up. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/json.h"
#include "cli/pipe_picture.h"
#include "cli/pipe_stages.h"
#include "cli/pipe_view.h"
#include "html/page.h"

static const char *chart_draw_name(const struct spoor_names *names, unsigned number)
{
    return spoor_names_text(names, (spoor_name)number, NULL);
}

/* ---- letters ---- */

/* A letter for each stage: as gem5's viewer draws them, or the first of the name that is free. */
struct letters {
    char of[256]; /* by number of the stage */
    bool used[256];
};

static char chart_draw_letter(const struct letters *letters, const char *name)
{
    static const char *const gem5[][2] = {{"fetch", "f"},    {"decode", "d"}, {"rename", "n"},
                                          {"dispatch", "p"}, {"issue", "i"},  {"complete", "c"},
                                          {"retire", "r"},   {"store", "s"}};
    for (size_t i = 0; i < sizeof gem5 / sizeof *gem5; i++)
        if (strcmp(gem5[i][0], name) == 0) return *gem5[i][1];
    for (const char *at = name; *at; at++)
        if (*at > ' ' && *at < 0x7F && !letters->used[(unsigned char)*at]) return *at;
    for (const char *at = name; *at; at++) {
        const bool letter = ascii_lower(*at) >= 'a' && ascii_lower(*at) <= 'z';
        const char other = (char)(letter ? *at ^ ('a' ^ 'A') : *at);
        if (other != *at && !letters->used[(unsigned char)other]) return other;
    }
    for (int c = '0'; c <= 'z'; c++)
        if (!letters->used[c]) return (char)c;
    return '?';
}

static char chart_draw_letter_at(const struct letters *letters, unsigned number)
{
    return number < sizeof letters->of ? letters->of[number] : '?';
}

/* ---- text ---- */

static void chart_draw_span(const void *context, size_t index, uint64_t *begin, uint64_t *end)
{
    const struct log_chart *chart = context;
    *begin = chart->drawn[index].begin;
    *end = chart->drawn[index].end;
}

/* The label without the pc that it may begin with, and without its further lines. */
static const char *chart_draw_text(const struct drawn *drawn)
{
    const char *text = drawn->label ? drawn->label : "";
    const char *colon = strstr(text, ": ");
    const char *digits = strncmp(text, "0x", 2) == 0 ? text + 2 : text;
    if (!drawn->has_pc || !colon || digits + strspn(digits, "0123456789abcdefABCDEF") != colon)
        return text;
    return colon + 2;
}

/* Draws the stages of one lane; false: there are none. */
static bool chart_draw_lane(const struct drawn *drawn, unsigned lane, const struct letters *letters,
                            const struct view *view, char bar[VIEW_BAR + 1])
{
    bool any = false;
    memset(bar, ' ', VIEW_BAR);
    for (size_t i = 0; i < drawn->count; i++) {
        const struct drawn_stage *stage = &drawn->stages[i];
        if (stage->lane != lane) continue;
        any = true;
        view_fill(bar, view, stage->begin, stage->end, chart_draw_letter_at(letters, stage->name));
    }
    return any;
}

void log_chart_put_text(const struct log_chart *chart, struct text *out)
{
    struct letters letters = {.used = {[' '] = true, ['|'] = true, ['!'] = true}};
    for (unsigned i = 1; i < spoor_names_count(chart->names) && i < sizeof letters.of; i++) {
        const char letter = chart_draw_letter(&letters, chart_draw_name(chart->names, i));
        letters.of[i] = letter;
        letters.used[(unsigned char)letter] = true;
    }
    size_t used = 0;
    for (unsigned i = 1; i < spoor_names_count(chart->names); i++) {
        const char *name = chart_draw_name(chart->names, i);
        const size_t size = strlen(name) + 4;
        const bool breaks = used && used + size > view_width();
        text_printf(out, "%s%c ",
                    breaks ? "\n"
                    : used ? "  "
                           : "",
                    chart_draw_letter_at(&letters, i));
        for (const char *at = name; *at; at++) {
            const unsigned char byte = (unsigned char)*at;
            text_put(out, byte < ' ' || byte >= 0x7F ? "?" : at, 1);
        }
        used = breaks ? size : used + size;
    }
    const char *gap = used == 0 ? "" : used + 24 > view_width() ? "\n" : "  ";
    text_printf(out, "%s| retires  ! is squashed\n", gap);
    if (!chart->count) text_puts(out, "(no instruction)\n");
    for (size_t i = 0; i < chart->count;) {
        const struct view view = view_choose(chart_draw_span, chart, i, chart->count);
        const size_t end = i + view_shown(&view, chart_draw_span, chart, i, chart->count);
        view_put_ruler(out, &view);
        for (; i < end; i++) {
            const struct drawn *drawn = &chart->drawn[i];
            char bar[VIEW_BAR + 1] = "", label[VIEW_LABEL + 64], pc[24] = "";
            if (drawn->has_pc) snprintf(pc, sizeof pc, "%" PRIx64, drawn->pc);
            const char *text = chart_draw_text(drawn);
            chart_draw_lane(drawn, 1, &letters, &view, bar);
            if (drawn->ended)
                view_fill(bar, &view, drawn->end, drawn->end + 1, drawn->squashed ? '!' : '|');
            snprintf(label, sizeof label, "%6" PRIu64 " %10s %-17.*s", drawn->number, pc,
                     (int)(strcspn(text, "\\\n\t") < 17 ? strcspn(text, "\\\n\t") : 17), text);
            view_put_bar(out, label, bar);
            for (unsigned lane = 2; lane < spoor_names_count(chart->lanes); lane++) {
                if (!chart_draw_lane(drawn, lane, &letters, &view, bar)) continue;
                snprintf(label, sizeof label, "%18slane %.12s", "",
                         chart_draw_name(chart->lanes, lane));
                view_put_bar(out, label, bar);
            }
        }
    }
    if (chart->more) text_printf(out, "(the first %zu; select a smaller range)\n", chart->maximum);
    if (!chart->stall_lane || !chart->retired) return;
    const double retired = (double)chart->retired;
    text_printf(out, "cycles of an instruction: %.4g = %.4g base",
                (double)log_chart_cycles(chart) / retired, (double)chart->base / retired);
    for (unsigned i = 1; i < chart->lost_count; i++)
        if (chart->lost[i])
            text_printf(out, " + %.4g %s", (double)chart->lost[i] / retired,
                        chart_draw_name(chart->names, i));
    text_puts(out, "\n");
}

/* ---- a page ---- */

void log_chart_put_page(const struct log_chart *chart, const char *path, struct text *out)
{
    pipe_page_begin(out, path);
    if (!chart->count) page_put_note(out, "There is no instruction in this range.");
    if (chart->more)
        page_put_note(out, "These are the first 40,000 instructions: --timeline A:B selects "
                           "others.");
    json_begin(out, NULL, '{');
    json_begin(out, "pipeline", '{');
    log_chart_put_stages(chart, out);
    json_begin(out, "rows", '[');
    for (size_t i = 0; i < chart->count; i++)
        log_chart_put_row(&chart->drawn[i], chart->drawn[i].label, out);
    text_puts(out, "]}}");
    pipe_page_end(out, path);
}

/* ---- a table ---- */

void log_chart_put_rows(const struct log_chart *chart, bool apart, struct spoor_result *rows)
{
    for (size_t i = 0; i < chart->count; i++) {
        const struct drawn *drawn = &chart->drawn[i];
        struct spoor_result *row = spoor_result_object(rows, NULL);
        char label[128], squashed[40] = "";
        if (drawn->squashed)
            snprintf(squashed, sizeof squashed, " squashed at %" PRIu64, drawn->end);
        snprintf(label, sizeof label, "%" PRIu64 " %.60s%s", drawn->number, chart_draw_text(drawn),
                 squashed);
        spoor_result_text(row, "label", label);
        spoor_result_unsigned(row, "micro_op", drawn->number);
        if (drawn->has_pc) spoor_result_hex(row, "pc", drawn->pc);
        if (apart) row = spoor_result_object(row, "stages");
        for (size_t at = 0; at < drawn->count; at++)
            if (drawn->stages[at].lane == 1)
                spoor_result_unsigned(row, chart_draw_name(chart->names, drawn->stages[at].name),
                                      drawn->stages[at].begin);
        if (drawn->ended)
            spoor_result_unsigned(row, drawn->squashed ? "squash" : "commit", drawn->end);
    }
}

/* ---- a summary ---- */

void log_chart_put_stack(const struct log_chart *chart, struct spoor_result *result)
{
    if (!chart->stall_lane || !chart->retired) return;
    const double retired = (double)chart->retired;
    struct spoor_result *stack = spoor_result_object(result, "cpi_stack");
    spoor_result_real(stack, "base", (double)chart->base / retired, 4);
    for (unsigned i = 1; i < chart->lost_count; i++)
        if (chart->lost[i])
            spoor_result_real(stack, chart_draw_name(chart->names, i),
                              (double)chart->lost[i] / retired, 4);
}

void log_chart_report(const struct log_chart *chart, struct spoor_result *result)
{
    const size_t count = spoor_names_count(chart->names);
    struct stage_total {
        uint64_t instructions, cycles, longest;
        size_t last; /* 1 + number of the last one that was in it, maybe several times */
    } *totals = calloc(count + 1, sizeof *totals);
    if (!totals) {
        spoor_result_fail(result);
        return;
    }
    for (size_t i = 0; i < chart->count; i++)
        for (size_t at = 0; at < chart->drawn[i].count; at++) {
            const struct drawn_stage *stage = &chart->drawn[i].stages[at];
            if (chart->stall_lane && stage->lane == chart->stall_lane) continue;
            struct stage_total *total = &totals[stage->name];
            const uint64_t cycles = stage->end - stage->begin;
            total->instructions += total->last != i + 1;
            total->last = i + 1;
            total->cycles += cycles;
            if (cycles > total->longest) total->longest = cycles;
        }
    const uint64_t cycles = log_chart_cycles(chart);
    spoor_result_unsigned(result, "retired", chart->retired);
    spoor_result_unsigned(result, "squashed", chart->squashed);
    spoor_result_unsigned(result, "cycles", cycles);
    if (cycles) spoor_result_real(result, "ipc", (double)chart->retired / (double)cycles, 4);
    if (chart->more) spoor_result_unsigned(result, "stages_of", chart->count);
    struct spoor_result *stages = spoor_result_array(result, "stages");
    for (unsigned name = 1; name < count; name++) {
        if (chart->stall_lane && !totals[name].instructions) continue; /* a cause */
        struct spoor_result *row = spoor_result_object(stages, NULL);
        spoor_result_text(row, "stage", spoor_names_text(chart->names, (spoor_name)name, NULL));
        spoor_result_unsigned(row, "instructions", totals[name].instructions);
        spoor_result_unsigned(row, "cycles", totals[name].cycles);
        if (totals[name].instructions)
            spoor_result_real(row, "mean",
                              (double)totals[name].cycles / (double)totals[name].instructions, 2);
        spoor_result_unsigned(row, "longest", totals[name].longest);
    }
    free(totals);
}
