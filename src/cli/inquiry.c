/* SPDX-License-Identifier: MIT */
/* inquiry.c: opens a trace for queries, and parses their moments and subjects. */
#include "cli/inquiry.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/layout.h"
#include "cli/selection.h"
#include "cli/shown_path.h"
#include "record/code.h"

int inquiry_close(struct inquiry *inquiry)
{
    if (inquiry->explorer && !same_file_still(&inquiry->file, inquiry->path))
        inquiry->code = worse(inquiry->code, EXIT_UNREADABLE);
    inquiry->code = worse(inquiry->code, image_set_close(&inquiry->located));
    spoor_explorer_close(inquiry->explorer);
    spoor_index_close(inquiry->index);
    code_reader_close(inquiry->disassembler);
    inquiry->disassembler = NULL;
    spoor_select_free(inquiry->where);
    inquiry->where = NULL;
    inquiry->explorer = NULL;
    inquiry->index = NULL;
    return inquiry->code;
}

bool byte_order_of(const struct settings *settings, bool *big)
{
    const struct list *images = &settings->images;
    *big = settings->big_endian;
    if (settings->big_endian && settings->little_endian) {
        complain("--bi and --li exclude each other");
        return false;
    }
    for (size_t i = 0; i < images->count; i++) {
        const char *words = images->items[i], *at = strrchr(words, '@'); /* "FILE[@OFFSET]" */
        char path[4096];
        unsigned char head[6] = {0};
        snprintf(path, sizeof path, "%.*s", at ? (int)(at - words) : (int)strlen(words), words);
        FILE *file = fopen(path, "rb");
        if (!file) continue;
        const bool is_elf =
            fread(head, 1, sizeof head, file) == sizeof head && memcmp(head, "\177ELF", 4) == 0;
        fclose(file);
        const bool image = head[5] == 2; /* EI_DATA: ELFDATA2MSB */
        if (!is_elf) continue;
        if ((settings->big_endian || settings->little_endian) && image != *big) {
            complain("%s is %s-endian, found --%s", images->items[i], image ? "big" : "little",
                     *big ? "bi" : "li");
            return false;
        }
        *big = image;
    }
    return true;
}

/* Finds the processor of that name; NULL: the only one.  False: an error has been printed. */
static bool inquiry_cpu(struct inquiry *inquiry, const char *name, unsigned *cpu)
{
    enum { LISTED_CPUS = 16 };
    const unsigned count = spoor_explorer_cpu_count(inquiry->explorer);
    *cpu = 0;
    if (!name && count == 1) return true;
    if (name && spoor_explorer_find_cpu(inquiry->explorer, name, cpu)) return true;
    if (name) {
        struct text names = {0};
        for (unsigned i = 0; i < count && i < LISTED_CPUS; i++)
            text_printf(&names, "%s%s", i ? ", " : "",
                        spoor_explorer_cpu_name(inquiry->explorer, i));
        const bool named = names.size > 0 && !names.failed;
        complain("%s: has no cpu '%s'%s%.*s%s", inquiry->path, name,
                 named ? ", expected one of: " : ", as it names none", named ? (int)names.size : 0,
                 named ? names.bytes : "", named && count > LISTED_CPUS ? ", ..." : "");
        text_free(&names);
    } else {
        complain("%s: has %u cpus, expected --cpu with the name of one (the first is %s)",
                 inquiry->path, count, spoor_explorer_cpu_name(inquiry->explorer, 0));
    }
    inquiry->code = worse(inquiry->code, EXIT_USAGE);
    inquiry->reported = true;
    return false;
}

/* Opens the index and the explorer, of the records that are selected. */
static bool inquiry_open_index(struct inquiry *inquiry, struct trace_index *trace_index,
                               const struct spoor_explorer_options *options)
{
    struct spoor_error error = {0};
    if (!trace_index_open(trace_index, inquiry->path, &inquiry->index, &inquiry->code))
        return false;
    inquiry->file = trace_index->file;
    const enum spoor_status status =
        spoor_explorer_open(&inquiry->explorer, inquiry->path, inquiry->index, options, &error);
    if (status != SPOOR_OK) inquiry_fail(inquiry, status, &error);
    return status == SPOOR_OK;
}

/* True if the index has a record other than notes. */
static bool inquiry_has_records(const struct inquiry *inquiry)
{
    struct spoor_segment segment = {.struct_size = sizeof segment};
    uint32_t kinds = 0;
    for (size_t i = 0; spoor_index_segment(inquiry->index, i, &segment); i++)
        kinds |= segment.kinds;
    return kinds & ~(UINT32_C(1) << SPOOR_NOTE);
}

bool inquiry_open(struct inquiry *inquiry, const struct settings *settings, const char *path,
                  bool ordered)
{
    struct trace_index trace_index;
    struct spoor_error error = {0};
    struct spoor_explorer_options options = {.struct_size = sizeof options};
    *inquiry = (struct inquiry){.settings = settings, .path = path, .code = EXIT_CLEAN};
    if (ordered && !byte_order_of(settings, &options.big_endian)) {
        inquiry->code = EXIT_USAGE;
        return false;
    }
    trace_index_start(&trace_index, settings);
    if (!image_set_open(&inquiry->located, settings, path,
                        selection_is_part(settings) ? OWN_NAMES_READ : OWN_NAMES_INDEXED)) {
        inquiry->code = inquiry->located.code;
        return false;
    }
    trace_index.file = inquiry->located.file;
    options.images = inquiry->located.images;
    inquiry->disassembler = code_reader_open();
    options.disassemble = inquiry->disassembler ? code_reader_put : NULL;
    options.disassembler = inquiry->disassembler;
    const struct record_selection *chosen = &settings->selection;
    const bool is_part = selection_is_part(settings);
    if (settings->verb->machine) inquiry->whose = chosen->cpu;
    if (is_part) {
        if (chosen->where &&
            spoor_select_compile(&inquiry->where, chosen->where, &error) != SPOOR_OK) {
            inquiry->code = fail_option("--where", &error);
            inquiry_close(inquiry);
            return false;
        }
        inquiry->selection = (struct spoor_cut_options){.struct_size = sizeof inquiry->selection,
                                                        .records = selection_span(&chosen->records),
                                                        .time = selection_span(&chosen->time),
                                                        .cpu = selection_cpu(settings),
                                                        .where = inquiry->where};
        trace_index.options.selection = &inquiry->selection;
        trace_index.options.images = inquiry->located.images;
    }
    inquiry->is_part = is_part;
    bool opened = inquiry_open_index(inquiry, &trace_index, &options);
    if (opened && is_part) {
        unsigned cpu;
        const bool any =
            inquiry_has_records(inquiry) &&
            (!inquiry->whose || spoor_explorer_find_cpu(inquiry->explorer, inquiry->whose, &cpu));
        selection_note(any);
        inquiry->is_empty = opened && !any;
    }
    if (!opened) inquiry_close(inquiry);
    return opened;
}

int inquiry_fail(struct inquiry *inquiry, enum spoor_status status, const struct spoor_error *error)
{
    inquiry->reported = true;
    if (status == SPOOR_END) {
        complain("%s", error->text);
        return inquiry->code = worse(inquiry->code, EXIT_NOTHING);
    }
    return inquiry->code = worse(inquiry->code, fail(error));
}

void inquiry_instruction(struct inquiry *inquiry, uint64_t record, char text[INSTRUCTION_TEXT])
{
    struct spoor_error error = {0};
    const enum spoor_status status =
        spoor_explorer_text(inquiry->explorer, record, text, INSTRUCTION_TEXT, &error);
    if (status != SPOOR_OK) inquiry_fail(inquiry, status, &error);
}

/* The place of a record. */
struct moment_place {
    bool any; /* there is such a record */
    uint64_t time, line;
    char unit[16];
};

static bool inquiry_note_place(void *context, const struct spoor_record_visit *visited)
{
    struct moment_place *place = context;
    const struct spoor_record *record = &visited->batch->records[visited->index];
    place->any = true;
    place->time = record->time;
    place->line = spoor_batch_line(visited->batch, visited->index);
    snprintf(place->unit, sizeof place->unit, "%s", spoor_record_unit(visited->batch, record));
    return false;
}

bool inquiry_moment(struct inquiry *inquiry, const char *words, uint64_t *moment)
{
    struct spoor_error error = {0};
    const enum spoor_status status =
        spoor_explorer_moment(inquiry->explorer, words, moment, &error);
    if (status == SPOOR_EUSAGE) {
        const char *option = inquiry->option ? inquiry->option : "--at";
        inquiry->code = worse(inquiry->code, fail_option(option, &error));
        inquiry->reported = true;
    } else if (status != SPOOR_OK) {
        inquiry_fail(inquiry, status, &error);
    }
    if (status != SPOOR_OK) return false;
    /* a time or a line may lie after the last record */
    struct spoor_moment query;
    struct moment_place last = {.any = false};
    if (*moment == 0 || *moment != spoor_index_records(inquiry->index) || !words ||
        !spoor_moment_parse(words, &query) ||
        (query.kind != SPOOR_MOMENT_TIME && query.kind != SPOOR_MOMENT_LINE) ||
        spoor_explorer_visit(inquiry->explorer, *moment - 1, *moment, inquiry_note_place, &last,
                             &error) != SPOOR_OK)
        return true;
    const bool timed = query.kind == SPOOR_MOMENT_TIME;
    const uint64_t end = timed ? last.time : last.line;
    if (query.number > end && (!timed || spoor_explorer_timed(inquiry->explorer, *moment - 1)))
        complain("%s: the trace ends at %s %" PRIu64 ", before %" PRIu64
                 ": the answer is that of its end",
                 inquiry->path, timed ? "time" : "line", end, query.number);
    return true;
}

bool inquiry_cpus(struct inquiry *inquiry, unsigned *first, unsigned *end)
{
    *first = 0;
    *end = spoor_explorer_cpu_count(inquiry->explorer);
    if (!inquiry->whose) return true;
    if (inquiry->is_empty) return false; /* which selection_verdict() says */
    if (!inquiry_cpu(inquiry, inquiry->whose, first)) return false;
    *end = *first + 1;
    return true;
}

bool inquiry_subject(struct inquiry *inquiry, const char *words, uint64_t moment,
                     struct spoor_subject *subject)
{
    struct spoor_error error = {0};
    unsigned number = 0;                 /* what sp is depends on the processor */
    if (inquiry->is_empty) return false; /* likewise */
    if (inquiry->whose && !inquiry_cpu(inquiry, inquiry->whose, &number)) return false;
    const enum spoor_status status =
        spoor_explorer_subject(inquiry->explorer, words, number, moment, subject, &error);
    if (status != SPOOR_OK) {
        inquiry_fail(inquiry, status, &error);
        return false;
    }
    return !subject->name || inquiry_cpu(inquiry, inquiry->whose, &number);
}

/* ---- members of results ---- */

bool inquiry_give_moment(struct inquiry *inquiry, uint64_t moment, struct spoor_result *result)
{
    struct spoor_error error = {0};
    struct moment_place place = {.any = false};
    const enum spoor_status status =
        moment ? spoor_explorer_visit(inquiry->explorer, moment - 1, moment, inquiry_note_place,
                                      &place, &error)
               : SPOOR_OK;
    if (status != SPOOR_OK) inquiry_fail(inquiry, status, &error);
    spoor_result_unsigned_if(result, "record", place.any, moment - 1);
    spoor_result_unsigned_if(result, "line", place.line, place.line);
    inquiry_give_time(result, inquiry, place.any ? moment - 1 : UINT64_MAX, place.time);
    spoor_result_text(result, "time_unit", place.unit[0] ? place.unit : NULL);
    return status == SPOOR_OK;
}

void inquiry_give_time(struct spoor_result *result, const struct inquiry *inquiry, uint64_t record,
                       uint64_t time)
{
    spoor_result_unsigned_if(result, "time", spoor_explorer_timed(inquiry->explorer, record), time);
}

void inquiry_give_cpu(struct spoor_result *result, const struct inquiry *inquiry, unsigned cpu)
{
    const char *name = spoor_explorer_cpu_name(inquiry->explorer, cpu);
    spoor_result_text(result, "cpu", name[0] ? name : NULL);
}

bool inquiry_give_cpu_state(struct inquiry *inquiry, const struct spoor_state *state, unsigned cpu,
                            uint64_t moment, struct spoor_result *entry)
{
    struct spoor_last_instruction place = {.pc = 0};
    char words[INSTRUCTION_TEXT] = "";
    struct spoor_gap gap = {.struct_size = sizeof gap};
    struct spoor_error error = {0};
    const bool known = spoor_state_last(state, cpu, &place);
    inquiry_give_cpu(entry, inquiry, cpu);
    spoor_result_hex_if(entry, "pc", known, place.pc);
    if (known) inquiry_instruction(inquiry, place.record, words);
    spoor_result_text(entry, "instruction", words[0] ? words : NULL);
    const enum spoor_status status =
        spoor_explorer_gap(inquiry->explorer, cpu, moment, &gap, &error);
    if (status < SPOOR_OK) inquiry_fail(inquiry, status, &error);
    if (status != SPOOR_OK) return status == SPOOR_END;
    struct spoor_result *object = spoor_result_object(entry, "gap");
    spoor_result_unsigned(object, "record", gap.record);
    spoor_result_unsigned_if(object, "instructions", gap.instructions > 0, gap.instructions);
    return true;
}

void inquiry_give_trace(struct spoor_result *result, const struct inquiry *inquiry)
{
    spoor_result_text(result, "trace", shown_path(inquiry->path));
    spoor_result_text(result, "format", spoor_format_name(spoor_index_format(inquiry->index)));
}

int inquiry_trace(const void *context, const char *path, bool *shown, struct spoor_result *all)
{
    const struct settings *settings = context;
    struct inquiry inquiry;
    if (!inquiry_open(&inquiry, settings, path, true)) return inquiry.code;
    const struct layout layout = layout_of(settings, &inquiry.located);
    struct spoor_result *result = result_of(all);
    inquiry_give_trace(result, &inquiry);
    if (settings->verb->answer(&inquiry, settings, result) && !all) {
        if (!prints_data(settings)) spoor_result_bool(result, "selected", inquiry.is_part);
        inquiry.code = worse(inquiry.code, layout_show(&layout, result, shown, all));
    } else if (!all) {
        spoor_result_free(result);
    }
    return inquiry_close(&inquiry);
}
