/* SPDX-License-Identifier: MIT */
/*
 * export.c: the page of a part of a trace, with its answers inside.
 *
 * The answers are those of the server: each question that the page may ask of the part is asked
 * here, at each row of it, and web/src/recorded.ts finds them.  A series is the answers to one
 * question over the rows.  An answer that is as the one before is left out; else it is cut at its
 * opening braces, and has only the pieces that differ.
 */
#include "serve/export.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/array.h"
#include "html/page.h"
#include "serve/internal.h"

enum {
    WHOLE_EVERY = 64, /* answers: after so many, one is whole again */
    LINE = 64,
    BESIDE = 3, /* lines of memory */
    SOURCE_LINES_OF_FILE = 5000,
    PIPELINE_EVERY = 180, /* rows: an answer has 200 instructions before one and after it */
    TILE = 2048,          /* records of a part of the timeline */
};

struct numbers {
    uint64_t *items;
    size_t count, capacity;
};
struct export
{
    struct site *site;
    struct serve_trace *trace;
    unsigned side; /* its number */
    uint64_t from, to;
    struct text *out, answer, before; /* before: the answer before in the series */
    size_t series;                    /* answers of the series so far */
    unsigned since;                   /* answers since the last whole one */
    struct numbers rows, cpus;        /* the last record of each row, and the row's processor */
    uint64_t next_row;                /* the record with which the next row begins */
    struct numbers pcs, lines;        /* what was executed, what was accessed */
    struct numbers remaps;            /* records that may change what all addresses have */
    struct spoor_error *error;
    enum spoor_status status;
};

static void export_note(struct export *export, struct numbers *numbers, uint64_t number)
{
    if (numbers->count && numbers->items[numbers->count - 1] == number) return;
    if (array_reserve(&numbers->items, &numbers->capacity, numbers->count + 1))
        numbers->items[numbers->count++] = number;
    else
        export->out->failed = true;
}

static int export_order(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

/* In order, each once. */
static void export_sort(struct numbers *numbers)
{
    size_t count = 0;
    if (numbers->count) qsort(numbers->items, numbers->count, sizeof(uint64_t), export_order);
    for (size_t i = 0; i < numbers->count; i++)
        if (!count || numbers->items[count - 1] != numbers->items[i])
            numbers->items[count++] = numbers->items[i];
    numbers->count = count;
}

/* ---- questions ---- */

/* Puts the answer to a question of the trace, "NAME?PARAMETERS", into export->answer; one that is
 * refused is an object with `error`.  False: it failed. */
__attribute__((format(printf, 2, 3))) static bool export_ask(struct export *export,
                                                             const char *format, ...)
{
    char question[512], target[SITE_LONGEST_TARGET];
    va_list arguments;
    struct reply reply;
    if (export->status < SPOOR_OK) return false;
    va_start(arguments, format);
    vsnprintf(question, sizeof question, format, arguments);
    va_end(arguments);
    snprintf(target, sizeof target, "/%s/api/%s&trace=%u", export->site->options->token, question,
             export->side);
    const struct request request = {.method = "GET", .target = target, .host = "localhost"};
    site_answer(export->site, &request, &reply);
    text_free(&export->answer);
    export->answer = reply.text;
    while (export->answer.size && export->answer.bytes[export->answer.size - 1] == '\n')
        export->answer.size--;
    if (reply.status >= 500)
        export->status = spoor_error_set(export->error, SPOOR_EINPUT, "%s", reply.reason);
    return reply.status < 500;
}

/* ---- series ---- */

/* The size of a piece: up to before the next opening brace. */
static size_t export_piece(const char *at, const char *end)
{
    const char *next = at < end ? memchr(at + 1, '{', (size_t)(end - at - 1)) : NULL;
    return (size_t)((next ? next : end) - at);
}

/* Puts the pieces in which two answers of as many pieces differ, [number, piece, ...]; false: they
 * have not as many, or that is longer than the answer. */
static bool export_put_changes(struct export *export)
{
    const char *a = export->before.bytes, *b = export->answer.bytes;
    const char *const a_end = a + export->before.size, *const b_end = b + export->answer.size;
    const size_t begin = export->out->size;
    json_begin(export->out, NULL, '[');
    for (size_t number = 0; a < a_end && b < b_end; number++) {
        const size_t a_size = export_piece(a, a_end), b_size = export_piece(b, b_end);
        if (a_size != b_size || memcmp(a, b, a_size) != 0) {
            json_number(export->out, NULL, number);
            json_bytes(export->out, NULL, b, b_size);
        }
        a += a_size;
        b += b_size;
    }
    json_end(export->out, ']');
    if (a == a_end && b == b_end && export->out->size - begin < export->answer.size) return true;
    if (!export->out->failed) export->out->size = begin;
    return false;
}

/* Adds the answer at a record to the series. */
static void export_add(struct export *export, uint64_t record)
{
    struct text *out = export->out;
    const struct text *now = &export->answer, *before = &export->before;
    if (export->series && now->size == before->size &&
        memcmp(now->bytes, before->bytes, now->size) == 0)
        return;
    json_number(out, NULL, record);
    if (!export->series || export->since == WHOLE_EVERY || !export_put_changes(export)) {
        json_bytes(export->out, NULL, now->bytes, now->size);
        export->since = 0;
    }
    export->since++;
    export->series++;
    export->before.size = 0;
    text_append(&export->before, now);
    out->failed |= export->before.failed;
}

/* ---- what is in the part ---- */

static bool export_note_record(void *context, const struct spoor_record_visit *visited)
{
    struct export *export = context;
    const struct spoor_record *record = &visited->batch->records[visited->index];
    struct spoor_subject subject;
    if (visited->record >= export->next_row) { /* a row begins */
        if (export->cpus.count == export->rows.count ||
            !array_reserve(&export->cpus.items, &export->cpus.capacity, export->rows.count))
            return false;
        export->cpus.items[export->cpus.count] = visited->cpu;
        export->next_row = export->rows.items[export->cpus.count++] + 1;
    }
    if (visited->has_instruction) export_note(export, &export->pcs, visited->pc);
    if (record->kind == SPOOR_WALK || record->kind == SPOOR_TLB)
        export_note(export, &export->remaps, visited->record);
    if (spoor_explorer_subject_of(export->trace->explorer, visited, &subject) && !subject.name &&
        subject.has_address && subject.size) {
        const uint64_t last = subject.address + subject.size - 1;
        uint64_t line = subject.address / LINE;
        line = line > BESIDE ? line - BESIDE : 0;
        for (; line <= last / LINE + BESIDE && line <= UINT64_MAX / LINE; line++)
            export_note(export, &export->lines, line * LINE);
    }
    return !export->out->failed;
}

static bool export_find(struct export *export)
{
    struct spoor_explorer *explorer = export->trace->explorer;
    struct spoor_listing_row row = {.struct_size = sizeof row};
    enum spoor_status status =
        spoor_listing_of_record(export->trace->listing, export->from, &row, export->error);
    if (status == SPOOR_OK) export->from = export->next_row = row.record;
    for (uint64_t at = export->from; at < export->to && status == SPOOR_OK;) {
        status = spoor_listing_of_record(export->trace->listing, at, &row, export->error);
        if (status != SPOOR_OK) break;
        at = row.record + row.count;
        export_note(export, &export->rows, at - 1);
        if (at > export->to) export->to = at;
    }
    if (status == SPOOR_OK)
        status = spoor_explorer_visit(explorer, export->from, export->to, export_note_record,
                                      export, export->error);
    for (unsigned cpu = 0; status >= SPOOR_OK && cpu < spoor_explorer_cpu_count(explorer); cpu++) {
        struct spoor_gap gap = {.record = export->to};
        do {
            status = spoor_explorer_gap(explorer, cpu, gap.record, &gap, export->error);
            if (status == SPOOR_OK && gap.record >= export->from)
                export_note(export, &export->remaps, gap.record);
        } while (status == SPOOR_OK && gap.record > export->from);
    }
    export_sort(&export->pcs);
    export_sort(&export->lines);
    export_sort(&export->remaps);
    export->status = status < SPOOR_OK ? status : SPOOR_OK;
    return export->status == SPOOR_OK && !export->out->failed;
}

/* ---- the parts of the data ---- */

static void export_key(struct export *export, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Begins a series, a member of the object of all. */
static void export_key(struct export *export, const char *format, ...)
{
    char key[128];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(key, sizeof key, format, arguments);
    va_end(arguments);
    json_begin(export->out, key, '[');
    export->series = 0;
}

static void export_put_one(struct export *export, const char *question)
{
    if (!export_ask(export, "%s?", question)) return;
    json_begin(export->out, question, '[');
    text_append(export->out, &export->answer);
    json_end(export->out, ']');
}

/* What a thread finds in the whole trace, once it has ended. */
static void export_put_late(struct export *export, const char *question, const char *running)
{
    const struct timespec pause = {.tv_nsec = 20 * 1000 * 1000};
    while (export_ask(export, "%s?", question) &&
           memmem(export->answer.bytes, export->answer.size, running, strlen(running)))
        nanosleep(&pause, NULL);
    export_put_one(export, question);
}

static void export_put_rows(struct export *export)
{
    json_begin(export->out, "rows", '[');
    for (uint64_t at = export->from; at < export->to;) {
        static const char next[] = "\"next\":";
        if (!export_ask(export, "rows?parts=1&count=200&at=%" PRIu64, at)) break;
        if (export->out->bytes[export->out->size - 1] != '[') text_puts(export->out, ",");
        text_append(export->out, &export->answer);
        /* the last member but one */
        const char *found = NULL, *end = export->answer.bytes + export->answer.size;
        for (const char *seek = export->answer.bytes;
             (seek = memmem(seek, (size_t)(end - seek), next, sizeof next - 1)); seek++)
            found = seek;
        const uint64_t after = found ? strtoull(found + sizeof next - 1, NULL, 10) : 0;
        if (after <= at) break; /* refused */
        at = after;
    }
    json_end(export->out, ']');
}

/* The state after each row, and after the one before the part. */
static void export_put_states(struct export *export)
{
    export_key(export, "state");
    if (export->from && export_ask(export, "state?at=%" PRIu64, export->from - 1))
        export_add(export, export->from - 1);
    for (size_t i = 0; i < export->rows.count; i++)
        if (export_ask(export, "state?at=%" PRIu64, export->rows.items[i]))
            export_add(export, export->rows.items[i]);
    json_end(export->out, ']');
}

/* Where the other trace is at each row. */
static void export_put_align(struct export *export)
{
    export_key(export, "align");
    for (size_t i = 0; i < export->rows.count; i++)
        if (export_ask(export, "align?at=%" PRIu64, export->rows.items[i]))
            export_add(export, export->rows.items[i]);
    json_end(export->out, ']');
}

/* The pipeline around a row, so often that each instruction is in one of the answers. */
static void export_put_pipeline(struct export *export)
{
    export_key(export, "pipeline");
    for (size_t i = 0; i < export->rows.count; i += PIPELINE_EVERY)
        if (export_ask(export, "pipeline?at=%" PRIu64, export->rows.items[i]))
            export_add(export, export->rows.items[i]);
    json_end(export->out, ']');
}

/* What is asked of the processor of each row. */
static void export_put_by_cpu(struct export *export, const char *question)
{
    const unsigned cpus = spoor_explorer_cpu_count(export->trace->explorer);
    for (unsigned cpu = 0; cpu < cpus; cpu++) {
        export_key(export, "%s %u", question, cpu);
        for (size_t i = 0; i < export->rows.count; i++)
            if (export->cpus.items[i] == cpu &&
                export_ask(export, "%s?cpu=%u&at=%" PRIu64, question, cpu, export->rows.items[i]))
                export_add(export, export->rows.items[i]);
        json_end(export->out, ']');
    }
}

/* The records of calls, returns and exceptions. */
static void export_put_events(struct export *export)
{
    static const char *const kinds[] = {"call", "return", "exception"};
    const unsigned cpus = spoor_explorer_cpu_count(export->trace->explorer);
    for (size_t i = 0; i < 3 * (size_t)cpus; i++) {
        const unsigned cpu = (unsigned)(i / 3);
        uint64_t at = export->from ? export->from - 1 : 0;
        export_key(export, "event %s %u", kinds[i % 3], cpu);
        while (at < export->to && export_ask(export, "event?back=0&kind=%s&cpu=%u&at=%" PRIu64,
                                             kinds[i % 3], cpu, at)) {
            uint64_t record = 0;
            const char *words = export->answer.bytes;
            if (sscanf(words, "{\"record\":%" SCNu64, &record) == 1) {
                if (record < export->to) json_number(export->out, NULL, record);
            } else if (sscanf(words, "{\"next\":%" SCNu64, &record) != 1 ||
                       memmem(words, export->answer.size, "\"end\":true", 10)) {
                break;
            }
            if (record <= at) break;
            at = record;
        }
        json_end(export->out, ']');
    }
}

/* The bytes of each line of memory that the part accesses, and of those beside it: before the part,
 * and after what may change them. */
static void export_put_memory(struct export *export)
{
    struct spoor_explorer *explorer = export->trace->explorer;
    for (size_t i = 0; i < export->lines.count && export->status >= SPOOR_OK; i++) {
        const struct spoor_range range = {.address = export->lines.items[i], .size = LINE};
        struct numbers moments = {0};
        struct spoor_subject subject;
        struct spoor_touch touch = {.struct_size = sizeof touch};
        export_note(export, &moments, export->from ? export->from - 1 : 0);
        enum spoor_status status =
            spoor_explorer_place(explorer, &range, export->from, &subject, export->error);
        for (uint64_t at = export->from; at < export->to && status == SPOOR_OK;
             at = touch.record + 1) {
            status = spoor_explorer_next_write(explorer, &subject, at, &touch, export->error);
            if (status != SPOOR_OK || touch.record >= export->to) break;
            export_note(export, &moments, touch.record);
        }
        for (size_t k = 0; k < export->remaps.count; k++)
            export_note(export, &moments, export->remaps.items[k]);
        if (status < SPOOR_OK) export->status = status;
        export_sort(&moments);
        export_key(export, "memory 0x%" PRIx64, range.address);
        for (size_t k = 0; k < moments.count; k++)
            if (export_ask(export, "memory?address=0x%" PRIx64 "&size=%d&at=%" PRIu64,
                           range.address, LINE, moments.items[k]))
                export_add(export, moments.items[k]);
        json_end(export->out, ']');
        free(moments.items);
    }
}

/* The line of each instruction, and the text of their files. */
static void export_put_source(struct export *export)
{
    struct spoor_images *images = export->site->options->images;
    const char *last = NULL;
    for (size_t i = 0; i < export->pcs.count; i++) {
        struct spoor_place place = {.struct_size = sizeof place};
        const char *lines;
        if (!export_ask(export, "source?pc=0x%" PRIx64, export->pcs.items[i])) return;
        struct text *answer = &export->answer;
        if ((lines = memmem(answer->bytes, answer->size, ",\"lines\":[", 10))) {
            answer->size = (size_t)(lines - answer->bytes);
            text_puts(answer, "}");
        }
        char key[32];
        snprintf(key, sizeof key, "source 0x%" PRIx64, export->pcs.items[i]);
        json_begin(export->out, key, '[');
        text_append(export->out, answer);
        json_end(export->out, ']');
        if (!images || !spoor_images_resolve(images, export->pcs.items[i], &place) || !place.file ||
            (last && strcmp(last, place.file) == 0))
            continue;
        last = place.file;
        char path[SITE_LONGEST_TARGET];
        snprintf(path, sizeof path, "file %s", place.file);
        json_begin(export->out, path, '[');
        const char *words;
        for (uint32_t line = 1; (words = spoor_images_source_line(images, place.file, line)) &&
                                line <= SOURCE_LINES_OF_FILE;
             line++)
            json_text(export->out, NULL, words);
        json_end(export->out, ']');
        snprintf(path, sizeof path, "cut %s", place.file); /* it goes on */
        if (words) json_bool(export->out, path, true);
    }
}

/* The timeline, in parts that have each span. */
static void export_put_timeline(struct export *export)
{
    uint64_t size = TILE;
    json_begin(export->out, "timeline", '[');
    for (uint64_t at = export->from; at < export->to;) {
        const uint64_t end = at + size < export->to ? at + size : export->to;
        if (!export_ask(export, "timeline?width=4096&from=%" PRIu64 "&to=%" PRIu64, at, end)) break;
        if (size > 1 && !memmem(export->answer.bytes, export->answer.size, "\"pixel\":1,", 10)) {
            size /= 2;
            continue;
        }
        if (export->out->bytes[export->out->size - 1] != '[') text_puts(export->out, ",");
        text_append(export->out, &export->answer);
        at = end;
        size = TILE;
    }
    json_end(export->out, ']');
}

/* ---- the page ---- */

static void export_put_part(struct export *export)
{
    json_begin(export->out, NULL, '{');
    json_number(export->out, "from", export->from);
    json_number(export->out, "to", export->to);
    export_put_one(export, "overview");
    export_put_late(export, "survey", "\"ended\":false");
    export_put_rows(export);
    export_put_states(export);
    export_put_by_cpu(export, "stack");
    export_put_by_cpu(export, "call");
    export_put_events(export);
    export_put_memory(export);
    export_put_source(export);
    export_put_timeline(export);
    export_put_pipeline(export);
    if (export->site->count == 2) export_put_align(export);
    json_end(export->out, '}');
}

/* The record of the second trace where the first is at a record. */
static uint64_t export_other(struct export *export, uint64_t at)
{
    uint64_t other = 0;
    static const char key[] = "\"other\":";
    const char *found = export_ask(export, "align?at=%" PRIu64, at)
                            ? memmem(export->answer.bytes, export->answer.size, key, sizeof key - 1)
                            : NULL;
    if (found) other = strtoull(found + sizeof key - 1, NULL, 10);
    return other;
}

static void export_free(struct export *export)
{
    struct numbers *const all[] = {&export->rows, &export->cpus, &export->pcs, &export->lines,
                                   &export->remaps};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]->items);
    text_free(&export->answer);
    text_free(&export->before);
}

enum spoor_status site_export(struct site *site, uint64_t from, uint64_t to, struct text *out,
                              struct spoor_error *error)
{
    struct text data = {0}, title = {0};
    struct export first = {.site = site,
                           .trace = &site->traces[0],
                           .from = from,
                           .to = to,
                           .out = &data,
                           .error = error};
    if (!page_is_built(site->options->files))
        return spoor_error_set(error, SPOOR_EUSAGE, "%s", page_is_missing);
    site->patient = true;
    json_begin(&data, NULL, '{');
    export_put_one(&first, "traces");
    struct export second = {0};
    if (site->count == 2) {
        export_put_late(&first, "differences", "\"ready\":false");
        if (export_ask(&first, "differing?from=%" PRIu64 "&to=%" PRIu64, from, to)) {
            json_begin(&data, "differing", '[');
            text_append(&data, &first.answer);
            json_end(&data, ']');
        }
        const uint64_t begin = export_other(&first, from), last = export_other(&first, to - 1);
        second = (struct export){.site = site,
                                 .trace = &site->traces[1],
                                 .side = 1,
                                 .from = begin,
                                 .to = last < begin                    ? begin + 1
                                       : last - begin < EXPORT_RECORDS ? last + 1
                                                                       : begin + EXPORT_RECORDS,
                                 .out = &data,
                                 .error = error};
    }
    json_begin(&data, "parts", '[');
    if (export_find(&first)) export_put_part(&first);
    enum spoor_status status = first.status;
    if (site->count == 2 && status == SPOOR_OK) {
        if (export_find(&second)) export_put_part(&second);
        status = second.status;
    }
    text_puts(&data, "]}");
    for (size_t i = 0; i < site->count; i++)
        text_printf(&title, "%s%s", i ? ", " : "", site->traces[i].name);
    text_put(&title, "", 1);
    data.failed |= title.failed;
    if (status == SPOOR_OK && !data.failed)
        page_make(out, site->options->files, title.bytes, &data);
    if (status == SPOOR_OK && (out->failed || data.failed))
        status = spoor_error_set(error, SPOOR_ENOMEM, "out of memory");
    site->patient = false;
    export_free(&first);
    if (site->count == 2) export_free(&second);
    text_free(&title);
    text_free(&data);
    return status;
}
