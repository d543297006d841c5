/* SPDX-License-Identifier: MIT */
/* who.c: the verb `who`, which finds the writers and readers of a register or memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/json.h"
#include "cli/inquiry.h"
#include "cli/layout.h"
#include "cli/selection.h"
#include "cli/shown_path.h"

struct who_settings {
    struct settings common;
    const char *at;
    const char *subject; /* the last operand */
    bool several;        /* traces */
    bool has_head; /* the header of their CSV, or the beginning of their array, has been printed */
    bool all, next;
};

static const struct option options[] = {
    MOMENT_OPTION(offsetof(struct who_settings, at)),
    OPT_FLAG(0, "all", offsetof(struct who_settings, all),
             "writers and readers up to the moment, newest first"),
    OPT_FLAG(0, "next", offsetof(struct who_settings, next),
             "print the next writer after the moment instead"),
    IMAGE_OPTIONS,
    BYTE_ORDER_OPTIONS,
    SELECTION_OPTIONS,
    OPTION_END,
};

/* A touch, as it is kept: there may be millions. */
struct who_touch {
    uint64_t record, time, pc;
    uint64_t instruction; /* its record; UINT64_MAX: none is known, nor a pc */
    uint32_t value;       /* where its value is in touches->values; NO_VALUE: it is not known */
    uint64_t address; /* of the bytes that it wrote last, `size`; size 0: all that were asked for;
                       * register: how many bytes are below them */
    /* memory: the access that has these bytes, and maybe others; size 0: it is not stated */
    uint64_t access_address, access_size;
    uint32_t access_value;
    uint16_t size;
    uint16_t cpu;
    bool writes, reads;
};
enum {
    NO_VALUE = 0,
    LINES = 1 << 14, /* the maximum that is kept for text, and for a result tree */
    NODES = 1 << 12,
};

struct who_touches {
    struct inquiry *inquiry;
    const struct spoor_subject *subject;
    bool is_memory, across_gap; /* instructions between it and the moment are missing */
    struct who_touch *items;
    size_t count, capacity, maximum; /* maximum 0: no more than a segment has */
    struct text values;              /* one after another, each with a NUL */
    int record, time, pc, value;     /* widths of all touches, also of those that are not kept */
    uint64_t asked; /* bytes of memory, where text shows the access that has them, too; else 0 */
    bool failed;
    bool many; /* more than the maximum: only their widths are kept */
};

static int who_larger(int a, int b)
{
    return a > b ? a : b;
}

/* The access of a record. */
struct who_access {
    struct spoor_explorer *explorer;
    struct spoor_subject subject;
    struct spoor_touch touch;
    bool found;
};

static bool who_visit_access(void *context, const struct spoor_record_visit *visited)
{
    struct who_access *access = context;
    access->found =
        visited->batch->records[visited->index].kind == SPOOR_MEM &&
        spoor_explorer_subject_of(access->explorer, visited, &access->subject) &&
        spoor_explorer_touch(access->explorer, visited, &access->subject, &access->touch);
    return false;
}

/* Puts the value among the others; returns where it is. */
static uint32_t who_keep_value(struct who_touches *touches, const char *value)
{
    if (!touches->values.size) text_put(&touches->values, "", 1); /* NO_VALUE */
    const size_t at = touches->values.size;
    touches->failed |= at >= UINT32_MAX;
    if (value) text_put(&touches->values, value, strlen(value) + 1);
    return value ? (uint32_t)at : NO_VALUE;
}

static bool who_keep(void *context, const struct spoor_touch *touch)
{
    struct who_touches *touches = context;
    touches->record = who_larger(touches->record, (int)decimal_digits(touch->record));
    touches->time = who_larger(touches->time, (int)decimal_digits(touch->time));
    touches->pc = who_larger(touches->pc, (int)hex_digits(touch->pc));
    touches->value = who_larger(touches->value, touch->value ? (int)strlen(touch->value) : 1);
    touches->many |= touches->maximum && touches->count == touches->maximum;
    if (touches->many) return touches->maximum == LINES; /* JSON and CSV need no widths */
    touches->failed |= !array_reserve(&touches->items, &touches->capacity, touches->count + 1);
    if (touches->failed) return false;
    touches->across_gap |= touch->across_gap;
    struct who_touch *kept = &touches->items[touches->count++];
    *kept = (struct who_touch){
        .record = touch->record,
        .time = touch->time,
        .pc = touch->pc,
        .instruction = touch->has_instruction ? touch->instruction : UINT64_MAX,
        .value = who_keep_value(touches, touch->value),
        .cpu = (uint16_t)touch->cpu,
        .writes = touch->writes,
        .reads = touch->reads,
    };
    if (touches->is_memory) {
        struct who_access access = {.explorer = touches->inquiry->explorer};
        struct spoor_error error = {0};
        const struct spoor_record_visit visited = {
            .batch = touch->batch, .index = touch->index, .record = kept->record, .cpu = kept->cpu};
        if (touch->batch)
            who_visit_access(&access, &visited);
        else
            spoor_explorer_visit(access.explorer, kept->record, kept->record + 1, who_visit_access,
                                 &access, &error);
        if (access.found) {
            kept->access_address =
                access.subject.has_address ? access.subject.address : access.subject.physical;
            kept->access_size = access.subject.size;
            kept->access_value = who_keep_value(touches, access.touch.value);
        }
    }
    touches->failed |= touches->values.failed;
    return !touches->failed;
}

/* Bytes `from` to `from` + `size` - 1 of a subject. */
static struct spoor_subject who_part(const struct spoor_subject *whole, uint64_t from,
                                     uint64_t size)
{
    struct spoor_subject part = *whole;
    if (part.name) {
        part.low = (uint16_t)(part.low + 8 * from);
        part.bits = (uint16_t)(8 * size);
    } else {
        part.address += from;
        part.physical += from;
        part.size = size;
    }
    return part;
}

/* Finds the last writer of each run of bytes with one writer; leaves `touches` empty if all bytes
 * have the same. */
static enum spoor_status who_collect_runs(struct who_touches *touches, uint64_t moment,
                                          struct spoor_error *error)
{
    enum { RUN_BYTES = 4096 };
    struct inquiry *inquiry = touches->inquiry;
    const struct spoor_subject *subject = touches->subject;
    struct spoor_byte *bytes = calloc(RUN_BYTES, sizeof *bytes);
    if (!bytes) return spoor_error_set(error, SPOOR_ENOMEM, "out of memory");
    size_t end = subject->size <= RUN_BYTES ? (size_t)subject->size : 0, runs = 0;
    enum spoor_status status = SPOOR_OK;
    const bool physical = !subject->has_address;
    const struct spoor_range range = {.address = physical ? subject->physical : subject->address,
                                      .size = subject->size,
                                      .physical = physical,
                                      .security = subject->security};
    if (subject->name)
        status =
            spoor_explorer_register_writers(inquiry->explorer, subject, moment, bytes, &end, error);
    else if (end > 1)
        status = spoor_explorer_memory(inquiry->explorer, &range, moment, bytes, error);
    const uint64_t first = subject->name ? 0 : range.address;
    while (status == SPOOR_OK && end > 0) { /* the touches are printed from the last */
        size_t from = end - 1;
        while (from > 0 && bytes[from - 1].has_writer == bytes[from].has_writer &&
               (!bytes[from].has_writer || bytes[from - 1].writer == bytes[from].writer))
            from--;
        runs++;
        const struct spoor_subject run = who_part(subject, from, end - from);
        struct spoor_touch touch = {.struct_size = sizeof touch};
        if (bytes[from].has_writer) {
            status = spoor_explorer_last_write(inquiry->explorer, &run, moment, &touch, error);
            if (status == SPOOR_OK && who_keep(touches, &touch) && touches->count) {
                touches->items[touches->count - 1].address = first + from;
                touches->items[touches->count - 1].size = (uint16_t)(end - from);
            }
            if (status == SPOOR_END) status = SPOOR_OK;
        }
        end = from;
    }
    if (runs < 2) touches->count = touches->values.size = 0;
    free(bytes);
    return status;
}

static enum spoor_status who_collect(const struct who_settings *settings, uint64_t moment,
                                     struct who_touches *touches, struct spoor_error *error)
{
    struct spoor_explorer *explorer = touches->inquiry->explorer;
    const struct spoor_subject *subject = touches->subject;
    struct spoor_touch touch = {.struct_size = sizeof touch};
    if (settings->all) {
        touches->maximum = prints_data(&settings->common) ? NODES : LINES;
        return spoor_explorer_touches(explorer, subject, settings->next ? moment : 0,
                                      settings->next ? UINT64_MAX : moment, who_keep, touches,
                                      error);
    }
    if (touches->is_memory) touches->asked = subject->size;
    if (!settings->next) {
        const enum spoor_status found = who_collect_runs(touches, moment, error);
        if (found != SPOOR_OK || touches->count) return found;
        touches->record = touches->time = touches->pc = touches->value = 0;
    }
    const enum spoor_status status =
        settings->next ? spoor_explorer_next_write(explorer, subject, moment, &touch, error)
                       : spoor_explorer_last_write(explorer, subject, moment, &touch, error);
    if (status == SPOOR_OK) who_keep(touches, &touch);
    return status < SPOOR_OK ? status : SPOOR_OK;
}

/* ---- rows ---- */

/* Fills in the row of a touch; the columns of a table are the same for every touch. */
static void who_report(const struct who_settings *settings, const struct who_touches *touches,
                       const struct who_touch *touch, struct spoor_result *row)
{
    const struct inquiry *inquiry = touches->inquiry;
    const char *values = touches->values.bytes;
    const bool known = touch->instruction != UINT64_MAX, accessed = touch->access_size > 0;
    if (settings->several && settings->common.csv) spoor_result_text(row, "trace", inquiry->path);
    spoor_result_unsigned(row, "record", touch->record);
    inquiry_give_time(row, inquiry, touch->record, touch->time);
    inquiry_give_cpu(row, inquiry, touch->cpu);
    spoor_result_hex_if(row, "pc", known, touch->pc);
    if (!known && inquiry->located.images) {
        spoor_result_null(row, "function");
        spoor_result_null(row, "offset");
        spoor_result_null(row, "source");
    }
    spoor_result_text(row, "value", touch->value == NO_VALUE ? NULL : values + touch->value);
    if (touch->size && touches->is_memory) {
        spoor_result_hex(row, "address", touch->address);
        spoor_result_unsigned(row, "size", touch->size);
    } else if (touch->size) {
        enum { PART_NAME = 64 };
        char name[PART_NAME];
        const struct spoor_subject part = who_part(touches->subject, touch->address, touch->size);
        spoor_explorer_subject_name(inquiry->explorer, &part, name, sizeof name);
        spoor_result_text(row, "what", name);
    }
    if (!touches->is_memory) return;
    spoor_result_hex_if(row, "access_address", accessed, touch->access_address);
    spoor_result_unsigned_if(row, "access_size", accessed, touch->access_size);
    spoor_result_text(row, "access_value",
                      touch->access_value == NO_VALUE ? NULL : values + touch->access_value);
}

/* Adds the rows of the writers, or of the readers. */
static void who_report_all(const struct who_settings *settings, const struct who_touches *touches,
                           bool reads, struct spoor_result *result)
{
    struct spoor_result *array = spoor_result_array(result, reads ? "reads" : "writes");
    for (size_t i = touches->count; i-- > 0;)
        if (reads ? touches->items[i].reads : touches->items[i].writes)
            who_report(settings, touches, &touches->items[i], spoor_result_object(array, NULL));
}

/* ---- text ---- */

/* Puts a line for each touch, newest first. */
static int who_put_touches(const struct who_settings *settings, const struct who_touches *touches,
                           const struct layout *layout)
{
    enum { FLUSH_AT = 64 << 10 };
    struct inquiry *inquiry = touches->inquiry;
    struct text text = {0};
    int code = EXIT_CLEAN;
    for (size_t i = touches->count; i-- > 0 && code == EXIT_CLEAN;) {
        const struct who_touch *touch = &touches->items[i];
        const uint64_t size = touch->size ? touch->size : touches->asked;
        char words[INSTRUCTION_TEXT] = "";
        struct spoor_result *row = spoor_result_new_object();
        who_report(settings, touches, touch, row);
        if (touch->instruction != UINT64_MAX)
            inquiry_instruction(inquiry, touch->instruction, words);
        spoor_result_text(row, "op", !touch->writes ? "read" : touch->reads ? "both" : "write");
        spoor_result_text(row, "instruction", words[0] ? words : NULL);
        spoor_result_bool(row, "wider", touches->asked && touch->access_size > size);
        layout_put(layout, "writes", row, &text);
        text.failed |= !spoor_result_complete(row);
        spoor_result_free(row);
        while (text.size && text.bytes[text.size - 1] == ' ') text.size--;
        text_puts(&text, "\n");
        if (touches->across_gap && i == 0)
            text_printf(&text, "%s come between, which may have written it, too\n",
                        inquiry->is_part ? "records that are left out, or not in the trace,"
                                         : "instructions that are not in the trace");
        if (text.size < FLUSH_AT && i > 0) continue;
        code = show_text(&text);
        text.size = 0;
    }
    text_free(&text);
    return code;
}

/* Puts the headings of the columns, and finds their widths. */
static int who_put_headings(const struct who_touches *touches, struct layout *layout)
{
    const struct inquiry *inquiry = touches->inquiry;
    const char *cpu = spoor_explorer_cpu_name(inquiry->explorer, 0);
    struct text text = {0};
    const int pc = who_larger(touches->pc, 8);
    *layout = layout_of(inquiry->settings, &inquiry->located);
    memcpy(layout->widths,
           (int[]){touches->record, touches->time, pc, pc + 2, who_larger(touches->value, 5),
                   (int)strlen(cpu)},
           6 * sizeof(int));
    struct spoor_result *named = spoor_result_new_object();
    spoor_result_bool(named, "named", cpu[0] != '\0');
    layout_put_heading(layout, "writes", named, &text);
    spoor_result_free(named);
    const int code = show_text(&text);
    text_free(&text);
    return code;
}

/* ---- more than are kept: segment by segment ---- */

struct who_stream {
    struct who_settings *settings;
    uint64_t from, to;
    struct who_touches touches; /* of a segment */
    struct layout layout;
    bool reads; /* readers, not writers, are printed */
    bool begun; /* some have been printed */
};

/* Prints the only array of the object as a part of an array that is open, or of a table. */
static int who_put_members(struct who_stream *stream, struct spoor_result *result)
{
    static const char around[] = "\n  ]\n}\n"; /* what JSON has after the members */
    const bool json = stream->settings->common.json;
    size_t size;
    image_set_name(&stream->touches.inquiry->located, result, NULL);
    char *made = json ? spoor_result_to_json(result, &size) : spoor_result_to_csv(result, &size);
    if (!made || !spoor_result_complete(result)) {
        free(made);
        complain("out of memory");
        return EXIT_UNREADABLE;
    }
    const char *begin = made, *end = made + size;
    if (json) {
        begin = strchr(begin, '[') + strlen("[\n");
        end -= sizeof around - 1;
    } else if (stream->begun) {
        begin = strchr(begin, '\n') + 1; /* after the keys */
    }
    int code = json ? show_bytes(stream->begun ? ",\n" : "\n", stream->begun ? 2 : 1) : EXIT_CLEAN;
    if (code == EXIT_CLEAN) code = show_bytes(begin, (size_t)(end - begin));
    stream->begun = true;
    free(made);
    return code;
}

/* Prints the touches of all segments, from the last. */
static int who_put_segments(struct who_stream *stream)
{
    struct who_touches *touches = &stream->touches;
    struct inquiry *inquiry = touches->inquiry;
    const bool data = prints_data(&stream->settings->common);
    struct spoor_segment segment = {.from = 0};
    struct spoor_error error = {0};
    int code = EXIT_CLEAN;
    for (size_t i = spoor_index_segment_count(inquiry->index); i-- > 0 && code == EXIT_CLEAN;) {
        spoor_index_segment(inquiry->index, i, &segment);
        if (segment.end <= stream->from || segment.from >= stream->to) continue;
        touches->count = touches->values.size = 0;
        enum spoor_status status = spoor_explorer_touches(
            inquiry->explorer, touches->subject,
            segment.from > stream->from ? segment.from : stream->from,
            segment.end < stream->to ? segment.end : stream->to, who_keep, touches, &error);
        if (touches->failed) status = spoor_error_set(&error, SPOOR_ENOMEM, "out of memory");
        if (status != SPOOR_OK)
            code = inquiry_fail(inquiry, status, &error);
        else if (!data)
            code = who_put_touches(stream->settings, touches, &stream->layout);
        enum { MEMBERS = 2048 /* at a time */ };
        for (size_t left = data ? touches->count : 0; left > 0 && code == EXIT_CLEAN;) {
            size_t count = 0;
            struct spoor_result *result = spoor_result_new_object();
            struct spoor_result *array = spoor_result_array(result, "part");
            for (; left > 0 && count < MEMBERS; left--) {
                const struct who_touch *touch = &touches->items[left - 1];
                if (!(stream->reads ? touch->reads : touch->writes)) continue;
                who_report(stream->settings, touches, touch, spoor_result_object(array, NULL));
                count++;
            }
            if (count) code = who_put_members(stream, result);
            spoor_result_free(result);
        }
    }
    return code;
}

/* Several traces are an array in JSON. */
static int who_begin_item(struct who_settings *settings)
{
    if (!settings->several || !settings->common.json) return EXIT_CLEAN;
    const int code = show_bytes(settings->has_head ? ",\n" : "[\n", 2);
    settings->has_head = true;
    return code;
}

/* The touches of a range of records, of which there are too many to be kept. */
static int who_show_many(struct who_settings *settings, uint64_t from, uint64_t to,
                         const struct who_touches *touches)
{
    struct who_stream stream = {.settings = settings,
                                .from = from,
                                .to = to,
                                .touches = *touches,
                                .begun = settings->has_head};
    stream.touches.items = NULL;
    stream.touches.capacity = stream.touches.maximum = 0;
    stream.touches.many = stream.touches.across_gap = false;
    stream.touches.values = (struct text){0};
    const struct settings *common = &settings->common;
    const char *table = common->table;
    int code = EXIT_CLEAN;
    if (table && !common->csv)
        code = complain_for(EXIT_USAGE, "who --table: more than %d rows: expected --csv with it",
                            NODES);
    else
        showed_form();
    if (code == EXIT_CLEAN && common->csv) {
        /* the writers, or the readers where there are no writers, unless --table names it */
        stream.reads = table && strcmp(table, "reads") == 0;
        code = who_put_segments(&stream);
        if (code == EXIT_CLEAN && !table && stream.begun == settings->has_head &&
            !stream.touches.count) {
            stream.reads = true;
            code = who_put_segments(&stream);
        }
        settings->has_head = stream.begun;
    } else if (code == EXIT_CLEAN && common->json) {
        code = who_begin_item(settings);
        for (int array = 0; array < 2 && code == EXIT_CLEAN; array++) {
            const struct inquiry *inquiry = stream.touches.inquiry;
            struct text begin = {0};
            stream.reads = array == 1;
            stream.begun = false;
            text_puts(&begin, stream.reads ? ",\n  \"reads\": [" : "{\n  \"trace\": ");
            if (!stream.reads) {
                const char *trace = shown_path(inquiry->path);
                json_put_string(&begin, trace, strlen(trace));
                text_printf(&begin, ",\n  \"format\": \"%s\",\n  \"writes\": [",
                            spoor_format_name(spoor_index_format(inquiry->index)));
            }
            code = show_text(&begin);
            text_free(&begin);
            if (code == EXIT_CLEAN) code = who_put_segments(&stream);
            if (code == EXIT_CLEAN)
                code = stream.begun ? show_bytes("\n  ]", 4) : show_bytes("]", 1);
        }
        if (code == EXIT_CLEAN) code = show_bytes("\n}\n", 3);
    } else if (code == EXIT_CLEAN) {
        code = who_put_headings(&stream.touches, &stream.layout);
        if (code == EXIT_CLEAN) code = who_put_segments(&stream);
    }
    free(stream.touches.items);
    text_free(&stream.touches.values);
    return code;
}

/* The touches of one trace as data: of several traces, CSV has one header. */
static int who_show_data(struct who_settings *settings, const struct who_touches *touches)
{
    const struct settings *common = &settings->common;
    const bool rows = settings->several && common->csv, one = rows && common->table;
    const bool wants_reads = one && strcmp(common->table, "reads") == 0;
    struct spoor_result *result = spoor_result_new_object();
    int code;
    inquiry_give_trace(result, touches->inquiry);
    if (!wants_reads) who_report_all(settings, touches, false, result);
    if (touches->across_gap && !rows) spoor_result_bool(result, "across_gap", true);
    if (settings->all && (!one || wants_reads)) who_report_all(settings, touches, true, result);
    image_set_name(&touches->inquiry->located, result, NULL);
    if (rows) {
        struct who_stream stream = {
            .settings = settings, .touches = *touches, .begun = settings->has_head};
        code = touches->count ? who_put_members(&stream, result) : EXIT_CLEAN;
        settings->has_head = stream.begun;
        showed_form();
    } else {
        code = who_begin_item(settings);
        code = worse(code, show_result(result, result_form_of(common)));
    }
    spoor_result_free(result);
    return code;
}

static void who_answer(struct inquiry *inquiry, struct who_settings *settings)
{
    uint64_t moment;
    struct spoor_subject subject;
    struct who_touches touches = {.inquiry = inquiry, .subject = &subject};
    struct spoor_error error = {0};
    if (inquiry_moment(inquiry, settings->at, &moment) &&
        inquiry_subject(inquiry, settings->subject, moment, &subject)) {
        touches.is_memory = subject.has_address || subject.has_physical;
        enum spoor_status status = who_collect(settings, moment, &touches, &error);
        if (touches.failed) status = spoor_error_set(&error, SPOOR_ENOMEM, "out of memory");
        if (status != SPOOR_OK)
            inquiry_fail(inquiry, status, &error);
        else if (touches.many)
            inquiry->code =
                worse(inquiry->code, who_show_many(settings, settings->next ? moment : 0,
                                                   settings->next ? UINT64_MAX : moment, &touches));
        else {
            int code = EXIT_CLEAN;
            if (!touches.count) {
                complain("%s: nothing writes %s %s the %s", inquiry->path, settings->subject,
                         settings->next ? "after" : "before", settings->at ? "moment" : "end");
                code = EXIT_NOTHING;
            }
            if (prints_data(&settings->common)) {
                code = worse(code, who_show_data(settings, &touches));
            } else if (touches.count) {
                struct layout layout;
                code = worse(code, who_put_headings(&touches, &layout));
                code = worse(code, who_put_touches(settings, &touches, &layout));
            }
            inquiry->code = worse(inquiry->code, code);
        }
    }
    free(touches.items);
    text_free(&touches.values);
}

/* Several traces are an array in JSON, which is printed trace by trace. */
static int who_run(void *chosen)
{
    struct who_settings *settings = chosen;
    struct settings *common = &settings->common;
    if (common->operand_count < 2) {
        complain(
            "who: expected traces and a register or an address: who TRACE... REG|ADDR[+BYTES]");
        return EXIT_USAGE;
    }
    settings->subject = common->operands[--common->operand_count];
    settings->several = common->operand_count > 1;
    const bool array = settings->several && common->json;
    int code = EXIT_CLEAN;
    bool shown = false;
    if (settings->several && common->table && strcmp(common->table, "writes") != 0 &&
        strcmp(common->table, "reads") != 0) {
        complain("--table: the result has no table '%s', expected one of: writes, reads",
                 common->table);
        return EXIT_USAGE;
    }
    for (int i = 0; i < common->operand_count && code != EXIT_USAGE; i++) {
        if (!prints_data(common)) code = worse(code, show_apart(&shown));
        struct inquiry inquiry;
        if (inquiry_open(&inquiry, common, common->operands[i], true)) {
            who_answer(&inquiry, settings);
            inquiry_close(&inquiry);
        }
        code = worse(code, inquiry.code);
    }
    if (!array || code == EXIT_USAGE) return code;
    return worse(code, settings->has_head ? show_bytes("]\n", 2) : show_bytes("[]\n", 3));
}

const struct verb verb_who = {
    .name = "who",
    .brief = "find the writers and readers of a register or memory",
    .operands = "TRACE... REG|ADDR[+BYTES]",
    .about = "Prints the last writer of a register or of bytes of memory before a moment, with its "
             "value and its instruction; with --all every writer and reader, newest first.  "
             "Addresses are hexadecimal and virtual; pa:ADDR is physical.",
    .options = options,
    .settings_size = sizeof(struct who_settings),
    .results = true,
    .follows = true,
    .seeks = true,
    .run = who_run,
};
