/* SPDX-License-Identifier: MIT */
/* who.c: the verb `who`, which finds the writers and readers of a register or memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/json.h"
#include "cli/asking.h"
#include "cli/selection.h"

struct who_settings {
    struct settings common;
    const char *before, *cpu, *where;
    const char *subject; /* the last operand */
    bool several;        /* traces */
    bool has_head; /* the header of their CSV, or the beginning of their array, has been printed */
    bool all, next, no_index;
    struct byte_order order;
};

static const struct option options[] = {
    MOMENT_OPTION("before", offsetof(struct who_settings, before)),
    OPT_FLAG(0, "all", offsetof(struct who_settings, all),
             "print all writers and readers up to the moment, newest first"),
    OPT_FLAG(0, "next", offsetof(struct who_settings, next),
             "print the next writer after the moment instead"),
    OPT(0, "cpu", TEXT, "NAME", offsetof(struct who_settings, cpu),
        "select the registers of this cpu"),
    IMAGE_OPTIONS,
    BYTE_ORDER_OPTIONS(struct who_settings, order),
    OPT(0, "where", TEXT, "EXPR", offsetof(struct who_settings, where),
        "only records that match an expression over fields"),
    NO_INDEX_OPTION(offsetof(struct who_settings, no_index)),
    OPTION_END,
};

/* A touch, as it is kept: there may be millions. */
struct kept_touch {
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

struct widths {
    int record, time, pc, value;
};

struct touches {
    struct spoor_explorer *explorer;
    const struct spoor_subject *subject;
    const struct spoor_select *where; /* NULL: all */
    bool last, first;                 /* only the last or first write is wanted */
    bool is_memory, across_gap;       /* instructions between it and the moment are missing */
    struct kept_touch *items;
    size_t count, capacity, maximum; /* maximum 0: no more than a segment has */
    struct text values;              /* one after another, each with a NUL */
    struct widths widths;            /* of all touches, also of those that are not kept */
    uint64_t asked; /* bytes of memory, where text shows the access that has them, too; else 0 */
    bool failed;
    bool many; /* more than the maximum: only their widths are kept */
};

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static void widen(struct widths *widths, const struct spoor_touch *touch)
{
    const int value = touch->value ? (int)strlen(touch->value) : 1;
    widths->record = larger(widths->record, (int)decimal_digits(touch->record));
    widths->time = larger(widths->time, (int)decimal_digits(touch->time));
    widths->pc = larger(widths->pc, (int)hex_digits(touch->pc));
    widths->value = larger(widths->value, value);
}

/* The access of a record. */
struct whole_access {
    const struct touches *touches;
    struct spoor_subject subject;
    struct spoor_touch touch;
    bool found;
};

static bool see_access(void *context, const struct spoor_visited *visited)
{
    struct whole_access *whole = context;
    struct spoor_explorer *explorer = whole->touches->explorer;
    whole->found = visited->batch->records[visited->index].kind == SPOOR_MEM &&
                   spoor_explorer_subject_of(explorer, visited, &whole->subject) &&
                   spoor_explorer_touch(explorer, visited, &whole->subject, &whole->touch);
    return false;
}

/* Puts the value among the others; returns where it is. */
static uint32_t keep_value(struct touches *touches, const char *value)
{
    if (!touches->values.size) text_put(&touches->values, "", 1); /* NO_VALUE */
    const size_t at = touches->values.size;
    touches->failed |= at >= UINT32_MAX;
    if (value) text_put(&touches->values, value, strlen(value) + 1);
    return value ? (uint32_t)at : NO_VALUE;
}

static void keep_access(struct touches *touches, struct kept_touch *kept,
                        const struct spoor_batch *batch, size_t index)
{
    struct whole_access whole = {.touches = touches};
    struct spoor_error error = {0};
    const struct spoor_visited visited = {
        .batch = batch, .index = index, .record = kept->record, .cpu = kept->cpu};
    if (batch)
        see_access(&whole, &visited);
    else
        spoor_explorer_visit(touches->explorer, kept->record, kept->record + 1, see_access, &whole,
                             &error);
    if (!whole.found) return;
    kept->access_address =
        whole.subject.has_address ? whole.subject.address : whole.subject.physical;
    kept->access_size = whole.subject.size;
    kept->access_value = keep_value(touches, whole.touch.value);
}

static bool keep(void *context, const struct spoor_touch *touch)
{
    struct touches *touches = context;
    const bool one = touches->last || touches->first;
    if (one && !touch->writes) return true;
    if (touches->where && !spoor_select_match(touches->where, touch->batch, touch->index))
        return true;
    if (one) {
        touches->count = touches->values.size = 0;
        touches->widths = (struct widths){0};
    }
    widen(&touches->widths, touch);
    touches->many |= touches->maximum && touches->count == touches->maximum;
    if (touches->many) return touches->maximum == LINES; /* JSON and CSV need no widths */
    touches->failed |= !array_reserve(&touches->items, &touches->capacity, touches->count + 1);
    if (touches->failed) return false;
    touches->across_gap |= touch->across_gap;
    struct kept_touch *kept = &touches->items[touches->count++];
    *kept = (struct kept_touch){
        .record = touch->record,
        .time = touch->time,
        .pc = touch->pc,
        .instruction = touch->has_instruction ? touch->instruction : UINT64_MAX,
        .value = keep_value(touches, touch->value),
        .cpu = (uint16_t)touch->cpu,
        .writes = touch->writes,
        .reads = touch->reads,
    };
    if (touches->is_memory) keep_access(touches, kept, touch->batch, touch->index);
    touches->failed |= touches->values.failed;
    return !touches->failed && !touches->first;
}

/* NULL: it is not known. */
static const char *who_value(const struct touches *touches, uint32_t value)
{
    return value == NO_VALUE ? NULL : touches->values.bytes + value;
}

static void release(struct touches *touches)
{
    free(touches->items);
    text_free(&touches->values);
}

enum { RUN_BYTES = 4096 };

/* Finds the last writer of each byte of the subject, of which there are *count. */
static enum spoor_status byte_writers(struct asking *asking, const struct spoor_subject *subject,
                                      uint64_t moment, struct spoor_byte *bytes, size_t *count,
                                      struct spoor_error *error)
{
    const bool physical = !subject->has_address;
    const struct spoor_range range = {.address = physical ? subject->physical : subject->address,
                                      .size = subject->size,
                                      .physical = physical,
                                      .security = subject->security};
    if (subject->name)
        return spoor_explorer_register_writers(asking->explorer, subject, moment, bytes, count,
                                               error);
    *count = subject->size <= RUN_BYTES ? (size_t)subject->size : 0;
    return *count > 1 ? spoor_explorer_memory(asking->explorer, &range, moment, bytes, error)
                      : SPOOR_OK;
}

/* Bytes `from` to `from` + `size` - 1 of a subject. */
static struct spoor_subject part_of_subject(const struct spoor_subject *whole, uint64_t from,
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
static enum spoor_status collect_runs(struct asking *asking, const struct spoor_subject *subject,
                                      uint64_t moment, struct touches *touches,
                                      struct spoor_error *error)
{
    struct spoor_byte *bytes = calloc(RUN_BYTES, sizeof *bytes);
    const uint64_t first = subject->name          ? 0
                           : subject->has_address ? subject->address
                                                  : subject->physical;
    if (!bytes) return spoor_error_set(error, SPOOR_ENOMEM, "out of memory");
    size_t end, runs = 0;
    enum spoor_status status = byte_writers(asking, subject, moment, bytes, &end, error);
    while (status == SPOOR_OK && end > 0) { /* the touches are printed from the last */
        size_t from = end - 1;
        while (from > 0 && bytes[from - 1].has_writer == bytes[from].has_writer &&
               (!bytes[from].has_writer || bytes[from - 1].writer == bytes[from].writer))
            from--;
        runs++;
        const struct spoor_subject run = part_of_subject(subject, from, end - from);
        struct spoor_touch touch;
        if (bytes[from].has_writer) {
            status = spoor_explorer_last_write(asking->explorer, &run, moment, &touch, error);
            if (status == SPOOR_OK && keep(touches, &touch) && touches->count) {
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

static enum spoor_status collect(struct asking *asking, const struct who_settings *settings,
                                 const struct spoor_subject *subject, uint64_t moment,
                                 struct touches *touches, struct spoor_error *error)
{
    struct spoor_explorer *explorer = asking->explorer;
    struct spoor_touch touch;
    if (settings->all || touches->where) {
        touches->last = !settings->all && !settings->next;
        touches->first = !settings->all && settings->next;
        touches->maximum = prints_data(&settings->common) ? NODES : LINES;
        return settings->next
                   ? spoor_explorer_touches(explorer, subject, moment, UINT64_MAX, keep, touches,
                                            error)
                   : spoor_explorer_touches(explorer, subject, 0, moment, keep, touches, error);
    }
    if (touches->is_memory) touches->asked = subject->size;
    if (!settings->next) {
        const enum spoor_status found = collect_runs(asking, subject, moment, touches, error);
        if (found != SPOOR_OK || touches->count) return found;
        touches->widths = (struct widths){0};
    }
    const enum spoor_status status =
        settings->next ? spoor_explorer_next_write(explorer, subject, moment, &touch, error)
                       : spoor_explorer_last_write(explorer, subject, moment, &touch, error);
    if (status == SPOOR_OK) keep(touches, &touch);
    return status < SPOOR_OK ? status : SPOOR_OK;
}

/* Returns the name of the bytes of a register that a touch wrote. */
enum { PART_NAME = 64 };
static const char *part_name(const struct touches *touches, const struct kept_touch *touch,
                             char name[PART_NAME])
{
    const struct spoor_subject part =
        part_of_subject(touches->subject, touch->address, touch->size);
    spoor_explorer_subject_name(touches->explorer, &part, name, PART_NAME);
    return name;
}

/* The columns of a table are the same for every touch. */
static void give_no_pc(struct spoor_result *entry, const struct asking *asking)
{
    spoor_result_null(entry, "pc");
    if (!asking->located.images) return;
    spoor_result_null(entry, "function");
    spoor_result_null(entry, "offset");
    spoor_result_null(entry, "source");
}

static void give_touch(struct spoor_result *array, const struct asking *asking,
                       const struct who_settings *settings, const struct touches *touches,
                       const struct kept_touch *touch)
{
    struct spoor_result *entry = spoor_result_object(array, NULL);
    if (settings->several && settings->common.csv) spoor_result_text(entry, "trace", asking->path);
    spoor_result_unsigned(entry, "record", touch->record);
    give_time(entry, asking, touch->record, touch->time);
    give_cpu(entry, asking, touch->cpu);
    if (touch->instruction != UINT64_MAX)
        spoor_result_hex(entry, "pc", touch->pc);
    else
        give_no_pc(entry, asking);
    spoor_result_text(entry, "value", who_value(touches, touch->value));
    if (touch->size && touches->is_memory) {
        spoor_result_hex(entry, "address", touch->address);
        spoor_result_unsigned(entry, "size", touch->size);
    } else if (touch->size) {
        char name[PART_NAME];
        spoor_result_text(entry, "what", part_name(touches, touch, name));
    }
    if (!touches->is_memory) return;
    const bool known = touch->access_size > 0;
    spoor_result_hex_if(entry, "access_address", known, touch->access_address);
    spoor_result_unsigned_if(entry, "access_size", known, touch->access_size);
    spoor_result_text(entry, "access_value", who_value(touches, touch->access_value));
}

static void give_touches(struct spoor_result *result, const struct asking *asking,
                         const struct who_settings *settings, const struct touches *touches)
{
    const bool one = settings->several && settings->common.csv && settings->common.table;
    const bool wants_reads = one && strcmp(settings->common.table, "reads") == 0;
    struct spoor_result *writes = wants_reads ? NULL : spoor_result_array(result, "writes");
    for (size_t i = touches->count; writes && i-- > 0;)
        if (touches->items[i].writes)
            give_touch(writes, asking, settings, touches, &touches->items[i]);
    if (touches->across_gap && !(settings->several && settings->common.csv))
        spoor_result_bool(result, "across_gap", true);
    if (!settings->all || (one && !wants_reads)) return;
    struct spoor_result *reads = spoor_result_array(result, "reads");
    for (size_t i = touches->count; i-- > 0;)
        if (touches->items[i].reads)
            give_touch(reads, asking, settings, touches, &touches->items[i]);
}

/* The widths of the columns, with their titles. */
static struct widths with_titles(const struct widths *widths)
{
    return (struct widths){larger(widths->record, 6), larger(widths->time, 4),
                           larger(widths->pc, 8), larger(widths->value, 5)};
}

/* Puts which bytes were written, and the access that wrote them with others. */
static void put_access(struct text *text, const struct touches *touches,
                       const struct kept_touch *touch)
{
    const uint64_t size = touch->size ? touch->size : touches->asked;
    const bool wider = touches->asked && touch->access_size > size;
    const char *value = who_value(touches, touch->access_value);
    if (!touch->size && !wider) return;
    text_puts(text, "  (");
    if (touch->size && !touches->is_memory) {
        char name[PART_NAME];
        text_puts(text, part_name(touches, touch, name));
    } else if (touch->size)
        text_printf(text, "0x%llx+%u%s", (unsigned long long)touch->address, touch->size,
                    wider ? " " : "");
    if (wider)
        text_printf(text, "of 0x%llx+%llu = %s", (unsigned long long)touch->access_address,
                    (unsigned long long)touch->access_size, value ? value : "?");
    text_puts(text, ")");
}

/* The width of the column of cpus; 0: the trace names none. */
static int cpu_column(const struct asking *asking)
{
    const int size = (int)strlen(spoor_explorer_cpu_name(asking->explorer, 0));
    return size ? larger(size, (int)strlen("cpu")) : 0;
}

static void put_touch(struct asking *asking, struct text *text, const struct touches *touches,
                      const struct kept_touch *touch, const struct widths *widths)
{
    const bool known = touch->instruction != UINT64_MAX;
    const char *value = who_value(touches, touch->value);
    char words[INSTRUCTION_TEXT] = "";
    const char *cpu = spoor_explorer_cpu_name(asking->explorer, touch->cpu);
    const size_t line = text->size;
    text_printf(text, "%-5s  %*llu  ", touch->writes ? (touch->reads ? "both" : "write") : "read",
                widths->record, (unsigned long long)touch->record);
    if (spoor_explorer_timed(asking->explorer, touch->record))
        text_printf(text, "%*llu", widths->time, (unsigned long long)touch->time);
    else
        text_printf(text, "%*s", widths->time, "-");
    text_printf(text, "  %-*s%s", cpu_column(asking), cpu, cpu[0] ? "  " : "");
    if (known)
        text_printf(text, "0x%0*llx", widths->pc, (unsigned long long)touch->pc);
    else
        text_printf(text, "%-*s", widths->pc + 2, "-");
    text_printf(text, "  %-*s", widths->value, value ? value : "?");
    if (known) asking_instruction(asking, touch->instruction, words);
    if (words[0]) text_printf(text, "  %s", words);
    if (known) put_located_within(asking, touch->pc, line, true, text);
    put_access(text, touches, touch);
    while (text->size && text->bytes[text->size - 1] == ' ') text->size--;
    text_puts(text, "\n");
}

static int put_titles(const struct asking *asking, const struct widths *widths)
{
    struct text text = {0};
    const int cpu = cpu_column(asking);
    text_printf(&text, "%-5s  %*s  %*s  ", "", widths->record, "record", widths->time, "time");
    if (cpu) text_printf(&text, "%-*s  ", cpu, "cpu");
    text_printf(&text, "%-*s  %s\n", widths->pc + 2, "pc", "value");
    const int code = show_text(&text);
    text_free(&text);
    return code;
}

static int put_touches(struct asking *asking, const struct touches *touches,
                       const struct widths *widths)
{
    enum { FLUSH_AT = 64 << 10 };
    struct text text = {0};
    int code = EXIT_CLEAN;
    for (size_t i = touches->count; i-- > 0 && code == EXIT_CLEAN;) {
        put_touch(asking, &text, touches, &touches->items[i], widths);
        if (touches->across_gap && i == 0)
            text_puts(&text, "instructions that are not in the trace come between, which may have "
                             "written it, too\n");
        if (text.size < FLUSH_AT && i > 0) continue;
        code = show_text(&text);
        text.size = 0;
    }
    text_free(&text);
    return code;
}

/* ---- more than are kept: segment by segment ---- */

struct stream {
    struct asking *asking;
    struct who_settings *settings;
    const struct spoor_subject *subject;
    uint64_t from, to;
    struct touches touches; /* of a segment */
    /* Prints those of a segment, newest first. */
    int (*put)(struct stream *stream);
    struct widths widths;
    bool reads; /* readers, not writers, are printed */
    bool begun; /* some have been printed */
};

static int put_segment_text(struct stream *stream)
{
    return put_touches(stream->asking, &stream->touches, &stream->widths);
}

/* Prints the only array of the object as a part of an array that is open, or of a table. */
static int put_members(struct stream *stream, struct spoor_result *result)
{
    static const char around[] = "\n  ]\n}\n"; /* what JSON has after the members */
    const bool json = stream->settings->common.json;
    size_t size;
    located_name(&stream->asking->located, result, NULL);
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

static int put_segment_members(struct stream *stream)
{
    enum { MEMBERS = 2048 /* at a time */ };
    const struct touches *touches = &stream->touches;
    int code = EXIT_CLEAN;
    for (size_t left = touches->count; left > 0 && code == EXIT_CLEAN;) {
        size_t count = 0;
        struct spoor_result *result = spoor_result_new_object();
        struct spoor_result *array = spoor_result_array(result, "part");
        for (; left > 0 && count < MEMBERS; left--) {
            const struct kept_touch *touch = &touches->items[left - 1];
            if (!(stream->reads ? touch->reads : touch->writes)) continue;
            give_touch(array, stream->asking, stream->settings, touches, touch);
            count++;
        }
        if (count) code = put_members(stream, result);
        spoor_result_free(result);
    }
    return code;
}

/* Prints the touches of all segments, from the last. */
static int put_segments(struct stream *stream)
{
    const struct spoor_index *index = stream->asking->index;
    struct spoor_segment segment = {.from = 0};
    struct touches *touches = &stream->touches;
    struct spoor_error error = {0};
    int code = EXIT_CLEAN;
    for (size_t i = spoor_index_segment_count(index); i-- > 0 && code == EXIT_CLEAN;) {
        spoor_index_segment(index, i, &segment);
        if (segment.end <= stream->from || segment.from >= stream->to) continue;
        touches->count = touches->values.size = 0;
        enum spoor_status status = spoor_explorer_touches(
            stream->asking->explorer, stream->subject,
            segment.from > stream->from ? segment.from : stream->from,
            segment.end < stream->to ? segment.end : stream->to, keep, touches, &error);
        if (touches->failed) status = spoor_error_set(&error, SPOOR_ENOMEM, "out of memory");
        if (status == SPOOR_OK) status = spoor_select_status(touches->where, &error);
        code =
            status == SPOOR_OK ? stream->put(stream) : asking_fail(stream->asking, status, &error);
    }
    return code;
}

/* One array of the JSON object. */
static int put_array(struct stream *stream, bool reads)
{
    struct text begin = {0};
    text_puts(&begin, reads ? ",\n  \"reads\": [" : "{\n  \"trace\": ");
    if (!reads) {
        json_put_string(&begin, stream->asking->path, strlen(stream->asking->path));
        text_printf(&begin, ",\n  \"format\": \"%s\",\n  \"writes\": [",
                    spoor_format_name(spoor_index_format(stream->asking->index)));
    }
    stream->reads = reads;
    stream->begun = false;
    int code = show_text(&begin);
    text_free(&begin);
    if (code == EXIT_CLEAN) code = put_segments(stream);
    if (code == EXIT_CLEAN) code = stream->begun ? show_bytes("\n  ]", 4) : show_bytes("]", 1);
    return code;
}

/* Several traces are an array in JSON. */
static int begin_item(struct who_settings *settings)
{
    if (!settings->several || !settings->common.json) return EXIT_CLEAN;
    const int code = show_bytes(settings->has_head ? ",\n" : "[\n", 2);
    settings->has_head = true;
    return code;
}

/* A table has the writers, or the readers where there are no writers, unless --table names it. */
static int put_csv(struct stream *stream)
{
    const char *table = stream->settings->common.table;
    const bool begun = stream->begun;
    stream->reads = table && strcmp(table, "reads") == 0;
    int code = put_segments(stream);
    if (code != EXIT_CLEAN || table || stream->begun != begun || stream->touches.count) return code;
    stream->reads = true;
    return put_segments(stream);
}

static int put_stream(struct stream *stream)
{
    const struct settings *common = &stream->settings->common;
    if (common->table && !common->csv) {
        complain("who --table: more than %d rows: expected --csv with it", NODES);
        return EXIT_USAGE;
    }
    showed_form();
    if (common->csv) return put_csv(stream);
    if (common->json) {
        int code = begin_item(stream->settings);
        if (code == EXIT_CLEAN) code = put_array(stream, false);
        if (code == EXIT_CLEAN) code = put_array(stream, true);
        return code == EXIT_CLEAN ? show_bytes("\n}\n", 3) : code;
    }
    const int code = put_titles(stream->asking, &stream->widths);
    return code == EXIT_CLEAN ? put_segments(stream) : code;
}

/* The touches of a range of records, of which there are too many to be kept. */
static void show_many(struct asking *asking, struct who_settings *settings,
                      const struct spoor_subject *subject, uint64_t from, uint64_t to,
                      const struct touches *touches)
{
    const bool text = !prints_data(&settings->common);
    if (touches->where) selection_note(true);
    struct stream stream = {.asking = asking,
                            .settings = settings,
                            .subject = subject,
                            .from = from,
                            .to = to,
                            .touches = {.explorer = touches->explorer,
                                        .subject = subject,
                                        .where = touches->where,
                                        .is_memory = touches->is_memory},
                            .put = text ? put_segment_text : put_segment_members,
                            .widths = with_titles(&touches->widths),
                            .begun = settings->has_head};
    asking->code = worse(asking->code, put_stream(&stream));
    if (settings->common.csv) settings->has_head = stream.begun;
    release(&stream.touches);
}

/* The touches of one trace as data: of several traces, CSV has one header. */
static int show_data(struct asking *asking, struct who_settings *settings,
                     const struct touches *touches)
{
    struct spoor_result *result = spoor_result_new_object();
    int code;
    give_trace(result, asking);
    give_touches(result, asking, settings, touches);
    located_name(&asking->located, result, NULL);
    if (settings->several && settings->common.csv) {
        struct stream stream = {
            .asking = asking, .settings = settings, .begun = settings->has_head};
        code = touches->count ? put_members(&stream, result) : EXIT_CLEAN;
        settings->has_head = stream.begun;
        showed_form();
    } else {
        code = begin_item(settings);
        code = worse(code, show_result(result, result_form_of(&settings->common)));
    }
    spoor_result_free(result);
    return code;
}

/* Prints the touches, with a sentence if there is none. */
static void show_touches(struct asking *asking, struct who_settings *settings, const char *words,
                         const struct touches *touches)
{
    if (touches->where) selection_note(touches->count > 0);
    if (!touches->count) {
        complain("%s: nothing writes %s %s the moment", asking->path, words,
                 settings->next ? "after" : "before");
        asking->code = worse(asking->code, EXIT_NOTHING);
    }
    if (prints_data(&settings->common)) {
        asking->code = worse(asking->code, show_data(asking, settings, touches));
    } else if (touches->count) {
        const struct widths widths = with_titles(&touches->widths);
        asking->code = worse(asking->code, put_titles(asking, &widths));
        asking->code = worse(asking->code, put_touches(asking, touches, &widths));
    }
}

static void answer(struct asking *asking, struct who_settings *settings, const char *words)
{
    uint64_t moment;
    struct spoor_subject subject;
    struct touches touches = {0};
    struct spoor_error error = {0};
    if (!asking_where(asking, settings->where)) return;
    touches.where = asking->where;
    touches.explorer = asking->explorer;
    if (asking_moment(asking, settings->before, &moment) &&
        asking_subject(asking, words, settings->cpu, moment, &subject)) {
        touches.is_memory = subject.has_address || subject.has_physical;
        touches.subject = &subject;
        enum spoor_status status = collect(asking, settings, &subject, moment, &touches, &error);
        if (touches.failed) status = spoor_error_set(&error, SPOOR_ENOMEM, "out of memory");
        if (status == SPOOR_OK) status = spoor_select_status(touches.where, &error);
        if (status == SPOOR_OK && touches.many)
            show_many(asking, settings, &subject, settings->next ? moment : 0,
                      settings->next ? UINT64_MAX : moment, &touches);
        else if (status == SPOOR_OK)
            show_touches(asking, settings, words, &touches);
        else
            asking_fail(asking, status, &error);
    }
    release(&touches);
}

static int who_of_trace(struct who_settings *settings, const char *path)
{
    struct asking asking;
    if (!asking_open(&asking, &settings->common, path, &settings->order, settings->no_index))
        return asking.code;
    answer(&asking, settings, settings->subject);
    return asking_close(&asking);
}

/* Several traces are an array in JSON, which is printed trace by trace. */
static int run(void *chosen)
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
        code = worse(code, who_of_trace(settings, common->operands[i]));
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
    .run = run,
};
