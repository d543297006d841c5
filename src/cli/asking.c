/* SPDX-License-Identifier: MIT */
/* asking.c: opens a trace for queries, and parses their moments and subjects. */
#include "cli/asking.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/layout.h"
#include "cli/selection.h"

int asking_close(struct asking *asking)
{
    if (asking->explorer && !same_file_still(&asking->file, asking->path))
        asking->code = worse(asking->code, EXIT_UNREADABLE);
    asking->code = worse(asking->code, located_close(&asking->located));
    spoor_select_free(asking->where);
    asking->where = NULL;
    spoor_explorer_close(asking->explorer);
    spoor_index_close(asking->index);
    asking->explorer = NULL;
    asking->index = NULL;
    return asking->code;
}

/* The order of bytes of an ELF file "FILE[@OFFSET]"; false: it is none. */
static bool asking_image_order(const char *words, bool *big)
{
    char path[4096];
    unsigned char head[6] = {0};
    const char *at = strrchr(words, '@');
    snprintf(path, sizeof path, "%.*s", at ? (int)(at - words) : (int)strlen(words), words);
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    const bool is_elf =
        fread(head, 1, sizeof head, file) == sizeof head && memcmp(head, "\177ELF", 4) == 0;
    fclose(file);
    *big = head[5] == 2; /* EI_DATA: ELFDATA2MSB */
    return is_elf;
}

bool byte_order_of(const struct settings *settings, const struct byte_order *order, bool *big)
{
    const struct list *images = &settings->images;
    *big = order->big;
    if (order->big && order->little) {
        complain("--bi and --li exclude each other");
        return false;
    }
    for (size_t i = 0; i < images->count; i++) {
        bool image;
        if (!asking_image_order(images->items[i], &image)) continue;
        if ((order->big || order->little) && image != *big) {
            complain("%s is %s-endian, found --%s", images->items[i], image ? "big" : "little",
                     *big ? "bi" : "li");
            return false;
        }
        *big = image;
    }
    return true;
}

bool asking_open(struct asking *asking, const struct settings *settings, const char *path,
                 const struct byte_order *order, bool no_index)
{
    struct indexing indexing;
    struct spoor_error error = {0};
    struct spoor_explorer_options options = {.struct_size = sizeof options};
    *asking = (struct asking){.settings = settings, .path = path, .code = EXIT_CLEAN};
    if (order && !byte_order_of(settings, order, &options.big_endian)) {
        asking->code = EXIT_USAGE;
        return false;
    }
    indexing_start(&indexing, settings, no_index);
    if (!located_open(&asking->located, settings, path)) {
        asking->code = asking->located.code;
        return false;
    }
    indexing.file = asking->located.file;
    if (!indexing_open(&indexing, path, &asking->index, &asking->code)) {
        located_close(&asking->located);
        return false;
    }
    asking->file = indexing.file;
    options.images = asking->located.images;
    const enum spoor_status status =
        spoor_explorer_open(&asking->explorer, path, asking->index, &options, &error);
    if (status == SPOOR_OK) return true;
    asking_fail(asking, status, &error);
    asking_close(asking);
    return false;
}

bool asking_where(struct asking *asking, const char *expression)
{
    struct spoor_error error = {0};
    if (!expression) return true;
    selection_note(false);
    if (spoor_select_compile(&asking->where, expression, &error) == SPOOR_OK) return true;
    asking->code = worse(asking->code, fail_option("--where", &error));
    asking->reported = true;
    return false;
}

bool asking_selects(struct asking *asking, uint64_t record)
{
    struct spoor_error error = {0};
    bool selects = true;
    if (!asking->where) return true;
    if (spoor_select_status(asking->where, NULL) != SPOOR_OK) return false; /* and was said */
    const enum spoor_status status =
        spoor_explorer_selects(asking->explorer, asking->where, record, &selects, &error);
    if (status != SPOOR_OK) asking_fail(asking, status, &error);
    if (selects) selection_note(true);
    return selects;
}

int asking_fail(struct asking *asking, enum spoor_status status, const struct spoor_error *error)
{
    asking->reported = true;
    if (status == SPOOR_END) {
        complain("%s", error->text);
        return asking->code = worse(asking->code, EXIT_NOTHING);
    }
    return asking->code = worse(asking->code, fail(error));
}

void asking_instruction(struct asking *asking, uint64_t record, char text[INSTRUCTION_TEXT])
{
    struct spoor_error error = {0};
    const enum spoor_status status =
        spoor_explorer_text(asking->explorer, record, text, INSTRUCTION_TEXT, &error);
    if (status != SPOOR_OK) asking_fail(asking, status, &error);
}

/* The time and the line of a record. */
struct last_record {
    uint64_t time, line;
};

static bool asking_note_last(void *context, const struct spoor_visited *visited)
{
    struct last_record *last = context;
    last->time = visited->batch->records[visited->index].time;
    last->line = spoor_batch_line(visited->batch, visited->index);
    return true;
}

/* Says so if a time or a line lies after the last record. */
static void asking_state_end(struct asking *asking, const char *words, uint64_t moment)
{
    struct spoor_moment query;
    struct last_record last = {0};
    struct spoor_error error = {0};
    if (moment == 0 || moment != spoor_index_records(asking->index) || !words ||
        !spoor_moment_parse(words, &query) ||
        (query.kind != SPOOR_MOMENT_TIME && query.kind != SPOOR_MOMENT_LINE) ||
        spoor_explorer_visit(asking->explorer, moment - 1, moment, asking_note_last, &last,
                             &error) != SPOOR_OK)
        return;
    const bool timed = query.kind == SPOOR_MOMENT_TIME;
    const uint64_t end = timed ? last.time : last.line;
    if (timed && !spoor_explorer_timed(asking->explorer, moment - 1)) return;
    if (query.number > end)
        complain("%s: the trace ends at %s %" PRIu64 ", before %" PRIu64
                 ": the answer is that of its end",
                 asking->path, timed ? "time" : "line", end, query.number);
}

bool asking_moment(struct asking *asking, const char *words, uint64_t *moment)
{
    struct spoor_error error = {0};
    const enum spoor_status status = spoor_explorer_moment(asking->explorer, words, moment, &error);
    if (status == SPOOR_OK) {
        asking_state_end(asking, words, *moment);
        return true;
    }
    if (status != SPOOR_EUSAGE) {
        asking_fail(asking, status, &error);
        return false;
    }
    const char *option = asking->option ? asking->option : "--at";
    asking->code = worse(asking->code, fail_option(option, &error));
    asking->reported = true;
    return false;
}

bool asking_cpu(struct asking *asking, const char *name, unsigned *cpu)
{
    enum { LISTED_CPUS = 16 };
    const unsigned count = spoor_explorer_cpu_count(asking->explorer);
    *cpu = 0;
    if (!name && count == 1) return true;
    if (name && spoor_explorer_find_cpu(asking->explorer, name, cpu)) return true;
    if (name) {
        struct text names = {0};
        for (unsigned i = 0; i < count && i < LISTED_CPUS; i++)
            text_printf(&names, "%s%s", i ? ", " : "",
                        spoor_explorer_cpu_name(asking->explorer, i));
        const bool named = names.size > 0 && !names.failed;
        complain("%s: has no cpu '%s'%s%.*s%s", asking->path, name,
                 named ? ", expected one of: " : ", as it names none", named ? (int)names.size : 0,
                 named ? names.bytes : "", named && count > LISTED_CPUS ? ", ..." : "");
        text_free(&names);
    } else {
        complain("%s: has %u cpus, expected --cpu with the name of one (the first is %s)",
                 asking->path, count, spoor_explorer_cpu_name(asking->explorer, 0));
    }
    asking->code = worse(asking->code, EXIT_USAGE);
    asking->reported = true;
    return false;
}

bool asking_cpus(struct asking *asking, const char *name, unsigned *first, unsigned *end)
{
    *first = 0;
    *end = spoor_explorer_cpu_count(asking->explorer);
    if (!name) return true;
    if (!asking_cpu(asking, name, first)) return false;
    *end = *first + 1;
    return true;
}

bool asking_subject(struct asking *asking, const char *words, const char *cpu, uint64_t moment,
                    struct spoor_subject *subject)
{
    struct spoor_error error = {0};
    unsigned number = 0; /* what sp is depends on the processor */
    if (cpu && !asking_cpu(asking, cpu, &number)) return false;
    const enum spoor_status status =
        spoor_explorer_subject(asking->explorer, words, number, moment, subject, &error);
    if (status != SPOOR_OK) {
        asking_fail(asking, status, &error);
        return false;
    }
    return !subject->name || asking_cpu(asking, cpu, &number);
}

/* ---- printing ---- */

struct moment_place {
    bool any; /* there is such a record */
    uint64_t time, line;
    char unit[MOMENT_UNIT];
};

static bool asking_note_place(void *context, const struct spoor_visited *visited)
{
    struct moment_place *place = context;
    const struct spoor_record *record = &visited->batch->records[visited->index];
    place->any = true;
    place->time = record->time;
    place->line = spoor_batch_line(visited->batch, visited->index);
    snprintf(place->unit, sizeof place->unit, "%s", spoor_record_unit(visited->batch, record));
    return false;
}

bool asking_put_moment(struct asking *asking, uint64_t moment, char unit[MOMENT_UNIT],
                       struct text *text, struct spoor_result *result)
{
    const struct layout layout = layout_of(asking->settings, &asking->located);
    struct spoor_error error = {0};
    struct moment_place place = {.any = false};
    const enum spoor_status status =
        moment ? spoor_explorer_visit(asking->explorer, moment - 1, moment, asking_note_place,
                                      &place, &error)
               : SPOOR_OK;
    if (status != SPOOR_OK) asking_fail(asking, status, &error);
    spoor_result_unsigned_if(result, "record", place.any, moment - 1);
    give_time(result, asking, place.any ? moment - 1 : UINT64_MAX, place.time);
    memcpy(unit, place.unit, sizeof place.unit);
    if (prints_data(asking->settings)) return status == SPOOR_OK;
    spoor_result_unsigned_if(result, "line", place.line, place.line);
    spoor_result_text(result, "unit", place.unit[0] ? place.unit : NULL);
    layout_put(&layout,
               "[after record {record}[ (line {line})][, time {time} {unit}]|"
               "after the beginning of the trace]\n",
               result, text);
    return status == SPOOR_OK;
}

void give_time(struct spoor_result *result, const struct asking *asking, uint64_t record,
               uint64_t time)
{
    spoor_result_unsigned_if(result, "time", spoor_explorer_timed(asking->explorer, record), time);
}

void give_cpu(struct spoor_result *result, const struct asking *asking, unsigned cpu)
{
    const char *name = spoor_explorer_cpu_name(asking->explorer, cpu);
    spoor_result_text(result, "cpu", name[0] ? name : NULL);
}

void asking_put_cpu_name(const char *name, struct text *text)
{
    text_printf(text, "%s%s", *name >= '0' && *name <= '9' ? "cpu " : "", *name ? name : "cpu");
}

bool asking_put_cpu(struct asking *asking, const struct spoor_state *state, unsigned cpu,
                    uint64_t moment, const char *more, struct text *text,
                    struct spoor_result *entry)
{
    const struct layout layout = layout_of(asking->settings, &asking->located);
    struct spoor_last_instruction place = {.pc = 0};
    char words[INSTRUCTION_TEXT] = "";
    struct spoor_gap gap;
    struct spoor_error error = {0};
    const bool known = spoor_state_last(state, cpu, &place),
               is_text = !prints_data(asking->settings);
    give_cpu(entry, asking, cpu);
    spoor_result_hex_if(entry, "pc", known, place.pc);
    if (is_text) {
        if (known) asking_instruction(asking, place.record, words);
        spoor_result_text(entry, "instruction", words[0] ? words : NULL);
        asking_put_cpu_name(spoor_explorer_cpu_name(asking->explorer, cpu), text);
        layout_put(&layout, "[  pc {pc}[  {instruction}][{pc@@}]]", entry, text);
        text_printf(text, "%s\n", more);
    }
    const enum spoor_status status =
        spoor_explorer_gap(asking->explorer, cpu, moment, &gap, &error);
    if (status < SPOOR_OK) asking_fail(asking, status, &error);
    if (status != SPOOR_OK) return status == SPOOR_END;
    struct spoor_result *object = spoor_result_object(entry, "gap");
    spoor_result_unsigned(object, "record", gap.record);
    spoor_result_unsigned_if(object, "instructions", gap.instructions > 0, gap.instructions);
    layout_put(&layout,
               "  [{instructions:'} instruction{instructions:s}|an unknown number of instructions] "
               "before record {record} are not in the trace: registers, memory and open calls of "
               "before are not known\n",
               object, text);
    return true;
}

/* Prints the text, or the result as JSON or CSV. */
static int asking_show(const struct settings *settings, const struct text *text,
                       struct spoor_result *result, bool *shown)
{
    if (prints_data(settings)) return show_result(result, result_form_of(settings));
    if (text->failed || !spoor_result_complete(result))
        return complain_for(EXIT_UNREADABLE, "out of memory");
    const int code = show_apart(shown);
    return worse(code, show_text(text));
}

void give_trace(struct spoor_result *result, const struct asking *asking)
{
    spoor_result_text(result, "trace", asking->path);
    spoor_result_text(result, "format", spoor_format_name(spoor_index_format(asking->index)));
}

/* What is asked of each trace. */
struct question {
    const void *settings;
    const struct byte_order *order;
    bool no_index;
    asking_answer_fn *answer;
};

static int asking_trace(const void *context, const char *path, bool *shown,
                        struct spoor_result *all)
{
    const struct question *question = context;
    struct asking asking;
    struct text text = {0};
    if (!asking_open(&asking, question->settings, path, question->order, question->no_index))
        return asking.code;
    struct spoor_result *result = all ? spoor_result_object(all, NULL) : spoor_result_new_object();
    give_trace(result, &asking);
    if (question->answer(&asking, question->settings, &text, result) && !all)
        asking.code = worse(asking.code, asking_show(question->settings, &text, result, shown));
    if (!all) spoor_result_free(result);
    text_free(&text);
    return asking_close(&asking);
}

int asking_run(const void *settings, const struct byte_order *order, bool no_index,
               asking_answer_fn *answer)
{
    const struct question question = {settings, order, no_index, answer};
    return run_each_trace(settings, asking_trace, &question);
}
