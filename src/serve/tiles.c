/* SPDX-License-Identifier: MIT */
/*
 * tiles.c: parts of the timeline for a screen: which function ran, when an address was read or
 * written, and how many accesses missed in a cache.  A tile has at most 64 KiB: where there are
 * more marks than that, its pixels are widened.
 */
#include <stdlib.h>

#include "base/array.h"
#include "base/scan.h"
#include "serve/internal.h"

enum {
    WIDEST = 4096,
    MARKS = 2000, /* of a tile */
    NAMES = 400,  /* functions of a tile; further ones are marks without a name */
    EXACT_SEGMENTS = 4,
    TOUCHES = 1500,
    TIMES = 64,
};

struct tile {
    uint64_t from, to, width, pixel;
};

static bool tile_parse(struct question *question, struct tile *tile)
{
    const uint64_t records = spoor_index_records(question->trace->index);
    *tile = (struct tile){.from = 0, .to = records, .width = 1000};
    if (!parameter_number(question, "from", UINT64_MAX, &tile->from) ||
        !parameter_number(question, "to", UINT64_MAX, &tile->to) ||
        !parameter_number(question, "width", WIDEST, &tile->width))
        return false;
    if (tile->to > records) tile->to = records;
    if (tile->from >= tile->to) tile->from = tile->to;
    if (!tile->width) tile->width = 1;
    tile->pixel = (tile->to - tile->from) / tile->width;
    if (!tile->pixel) tile->pixel = 1;
    json_number(question->out, "from", tile->from);
    json_number(question->out, "to", tile->to);
    return true;
}

/* ---- functions ---- */

void ask_timeline(struct question *question)
{
    struct tile tile;
    struct text *out = question->out;
    const struct timeline *timeline = &question->trace->timeline;
    /* The functions of the tile, numbered from 0 in the order of their first mark. */
    uint32_t functions[NAMES];
    bool exceptions[NAMES];
    size_t function_count = 0;
    if (!tile_parse(question, &tile)) return;
    for (;; tile.pixel *= 2) {
        size_t count = 0;
        for (size_t i = 0; i < timeline->row_count && count <= MARKS; i++) {
            struct mark mark;
            uint64_t from = tile.from;
            while (count <= MARKS &&
                   timeline_next(timeline, &timeline->rows[i], &from, tile.to, tile.pixel, &mark))
                count++;
        }
        if (count <= MARKS || tile.pixel >= tile.to - tile.from) break;
    }
    json_number(out, "pixel", tile.pixel);
    json_number(out, "shortest", timeline->shortest);
    json_begin(out, "rows", '[');
    for (size_t i = 0; i < timeline->row_count; i++) {
        const struct span_row *row = &timeline->rows[i];
        struct mark mark;
        uint64_t from = tile.from;
        if (!timeline_next(timeline, row, &from, tile.to, tile.pixel, &mark)) continue;
        json_begin(out, NULL, '{');
        json_number(out, "cpu", row->cpu);
        json_number(out, "depth", row->depth);
        json_begin(out, "marks", '[');
        do {
            const uint64_t begin = mark.begin > tile.from ? mark.begin : tile.from;
            const uint64_t end = mark.end < tile.to ? mark.end : tile.to;
            json_number(out, NULL, begin - tile.from);
            json_number(out, NULL, end - begin);
            const struct span *span = mark.span;
            size_t number = 0;
            while (span && number < function_count &&
                   (functions[number] != span->function || exceptions[number] != span->exception))
                number++;
            if (span && number == function_count && number < NAMES) {
                functions[number] = span->function;
                exceptions[number] = span->exception;
                function_count++;
            }
            text_printf(out, ",%d", span && number < NAMES ? (int)number : -1);
        } while (timeline_next(timeline, row, &from, tile.to, tile.pixel, &mark));
        json_end(out, ']');
        json_end(out, '}');
    }
    json_end(out, ']');
    struct spoor_images *images = question->site->options->images;
    json_begin(out, "functions", '[');
    for (size_t i = 0; i < function_count; i++) {
        const uint64_t address = timeline->functions[functions[i]];
        struct spoor_place place = {.struct_size = sizeof place};
        enum { LONGEST = 64 };
        json_begin(out, NULL, '[');
        json_hex(out, NULL, address);
        if (images && spoor_images_function(images, address, &place) && place.function)
            json_bytes(out, NULL, place.function, strnlen(place.function, LONGEST));
        else
            json_text(out, NULL, NULL);
        json_bool(out, NULL, exceptions[i]);
        json_end(out, ']');
    }
    json_end(out, ']');
}

/* ---- accesses ---- */

struct tile_touches {
    struct text *out;
    size_t count;
};

static bool tile_give_touch(void *context, const struct spoor_touch *touch)
{
    struct tile_touches *touches = context;
    if (++touches->count > TOUCHES) return false;
    json_number(touches->out, NULL, touch->record);
    json_number(touches->out, NULL, (touch->reads ? 1u : 0u) | (touch->writes ? 2u : 0u));
    return true;
}

/* When an address was read or written: from far `segments`, those that may touch it (first record,
 * number of records, 1 reads | 2 writes); from near `touches`. */
void ask_accesses(struct question *question)
{
    struct tile tile;
    struct spoor_error error = {0};
    uint64_t address, size = 1;
    if (!parameter_address(question, &address) ||
        !parameter_number(question, "size", 1 << 12, &size) || !tile_parse(question, &tile))
        return;
    const struct spoor_range range = {.address = address, .size = size ? size : 1};
    const struct spoor_index *index = question->trace->index;
    struct spoor_subject subject;
    struct tile_touches touches = {question->out, 0};
    if (!question_place(question, &range, spoor_index_records(index), &subject)) return;
    const bool any = tile.to > tile.from;
    const size_t first = any ? spoor_index_segment_of(index, tile.from) : 1;
    const size_t last = any ? spoor_index_segment_of(index, tile.to - 1) : 0;
    json_begin(question->out, "segments", '[');
    struct spoor_explorer *explorer = question->trace->explorer;
    const size_t step = any ? (size_t)((last - first) / MARKS + 1) : 1;
    size_t count = 0;
    for (size_t i = first; i <= last; i += step) {
        const size_t after = last - i < step ? last + 1 : i + step;
        struct spoor_segment begin = {.struct_size = sizeof begin},
                             end = {.struct_size = sizeof end};
        unsigned does = 0;
        for (size_t j = i; j < after; j++) {
            does |= spoor_explorer_may_touch(explorer, j, &subject, false, true) ? 1u : 0u;
            does |= spoor_explorer_may_touch(explorer, j, &subject, true, false) ? 2u : 0u;
        }
        if (!does || !spoor_index_segment(index, i, &begin) ||
            !spoor_index_segment(index, after - 1, &end))
            continue;
        json_number(question->out, NULL, begin.from);
        json_number(question->out, NULL, end.end - begin.from);
        json_number(question->out, NULL, does);
        count++;
    }
    json_end(question->out, ']');
    if (count > EXACT_SEGMENTS || !any) return;
    json_begin(question->out, "touches", '[');
    const enum spoor_status status = spoor_explorer_touches(explorer, &subject, tile.from, tile.to,
                                                            tile_give_touch, &touches, &error);
    json_end(question->out, ']');
    json_bool(question->out, "more", touches.count > TOUCHES);
    if (status < SPOOR_OK) refuse_error(question, status, &error);
}

/* ---- misses ---- */

/* Accesses and misses of two caches, for each pixel that has any: [records after `first`,
 * accesses, misses].  A pixel begins where a bin begins, so the first one may lie before the tile.
 */
void ask_misses(struct question *question)
{
    struct tile tile;
    struct text *out = question->out;
    const struct spoor_error *failed;
    bool ended;
    if (!tile_parse(question, &tile)) return;
    /* The simulation of the design "cache"; another one ends the one before. */
    struct serve_trace *trace = question->trace;
    const char *design = parameter(question, "cache");
    if (!design) design = "32K,8,64";
    if (!trace->misses || strcmp(misses_design(trace->misses), design) != 0) {
        struct misses *made;
        struct spoor_error error = {0};
        const enum spoor_status status =
            misses_start(&made, trace->path, &question->site->options->reading,
                         spoor_index_records(trace->index), design, &error);
        if (status != SPOOR_OK) {
            refuse_error(question, status, &error);
            return;
        }
        misses_end(trace->misses);
        trace->misses = made;
    }
    const struct misses *misses = trace->misses;
    const uint64_t step = misses_step(misses);
    uint64_t pixel = (tile.pixel + step - 1) / step * step;
    while ((tile.to - tile.from) / pixel >= MARKS) pixel *= 2;
    const uint64_t counted = misses_counted(misses, &ended, &failed);
    if (failed) {
        refuse(question, 500, "%s", failed->text);
        return;
    }
    const uint64_t first = tile.from - tile.from % pixel;
    json_text(out, "cache", misses_design(misses));
    json_bool(out, "ended", ended);
    json_number(out, "counted", counted);
    json_number(out, "first", first);
    json_number(out, "pixel", pixel);
    json_begin(out, "pixels", '[');
    for (uint64_t at = first; at < tile.to; at += pixel) {
        const struct miss_bin bin = misses_between(misses, at, at + pixel);
        if (!bin.accesses) continue;
        json_number(out, NULL, at - first);
        json_number(out, NULL, bin.accesses);
        json_number(out, NULL, bin.misses);
    }
    json_end(out, ']');
}

/* ---- times ---- */

static bool tile_give_time(void *context, const struct spoor_record_visit *visited)
{
    const struct question *question = context;
    const struct spoor_record *record = &visited->batch->records[visited->index];
    const char *unit = spoor_record_unit(visited->batch, record);
    if (unit && unit[0] && spoor_explorer_timed(question->trace->explorer, visited->record))
        json_time(question->out, NULL, record->time);
    else
        json_text(question->out, NULL, NULL);
    return false;
}

/* The times of records, such as those of the axis; null: the trace states none there. */
void ask_times(struct question *question)
{
    const char *words = parameter(question, "at");
    struct scan scan = {words, words ? words + strlen(words) : NULL};
    const uint64_t records = spoor_index_records(question->trace->index);
    struct spoor_error error = {0};
    size_t count = 0;
    json_begin(question->out, "times", '[');
    for (uint64_t at; words && scan_decimal(&scan, &at) && at < records && count < TIMES; count++) {
        const enum spoor_status status = spoor_explorer_visit(question->trace->explorer, at, at + 1,
                                                              tile_give_time, question, &error);
        if (status < SPOOR_OK) {
            refuse_error(question, status, &error);
            return;
        }
        if (!scan_char(&scan, ',')) break;
    }
    if (!words || !scan_done(&scan))
        refuse(question, 400, "at: expected at most %d records, separated by commas", TIMES);
    else
        json_end(question->out, ']');
}
