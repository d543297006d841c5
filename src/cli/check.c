/* SPDX-License-Identifier: MIT */
/* check.c: the verb `check`: check a trace against its format's rules and its own invariants. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "cli/ci_report.h"
#include "cli/cli.h"
#include "cli/gtkw.h"
#include "cli/image_set.h"
#include "cli/layout.h"
#include "cli/lists.h"
#include "cli/output.h"
#include "cli/selection.h"

enum { REPORTED_BY_DEFAULT = 20 };

struct check_settings {
    struct settings common;
    bool all;
    int annotations; /* enum annotations */
    const char *junit, *gtkw;
    uint64_t limit;
    int severity; /* enum spoor_severity */
    struct list enable, disable, only;
};

static const struct option options[] = {
    OPT(0, "enable", LIST, "RULE", offsetof(struct check_settings, enable),
        "also check RULE (repeatable)"),
    OPT(0, "disable", LIST, "RULE", offsetof(struct check_settings, disable),
        "do not check RULE (repeatable)"),
    OPT(0, "only", LIST, "RULE", offsetof(struct check_settings, only),
        "check RULE and no other (repeatable)"),
    OPT_CHOICE(0, "severity", "LEVEL", offsetof(struct check_settings, severity),
               "the minimum severity for exit code 1: note (default), warning or error",
               "note|warning|error"),
    OPT(0, "top", COUNT, "N", offsetof(struct check_settings, limit),
        "findings of each rule (default: 20)"),
    OPT_FLAG(0, "all", offsetof(struct check_settings, all), "every finding"),
    OPT(0, "junit", OUTPUT, "FILE", offsetof(struct check_settings, junit),
        "a test case for each trace"),
    OPT(0, "gtkw", OUTPUT, "FILE", offsetof(struct check_settings, gtkw),
        "of a waveform: marks of the first places that are found, for GTKWave"),
    OPT_CHOICE(0, "annotations", "FORM", offsetof(struct check_settings, annotations), NULL,
               ANNOTATION_CHOICES),
    IMAGE_OPTIONS,
    CODE_OPTION,
    SELECTION_OPTIONS,
    OPTION_END,
};

static const char *const severities[] = {"note", "warning", "error"};

/* ---- choosing rules ---- */

static bool check_set_rules(struct spoor_check *check, const struct list *names, bool on)
{
    for (size_t i = 0; i < names->count; i++) {
        int rule = spoor_rule_find(names->items[i]);
        if (rule >= 0) {
            spoor_check_enable(check, rule, on);
            continue;
        }
        const char *near = list_nearest(LIST_RULES, names->items[i]);
        complain("no rule is called '%s'%s%s%s; see `spoor check --list rules`", names->items[i],
                 near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "");
        return false;
    }
    return true;
}

/* ---- printing findings ---- */

/* What all traces have together. */
struct check_totals {
    size_t traces, failures;
    uint64_t records, findings;
    struct text cases; /* of JUnit */
};

/* The findings of one trace and their destination. */
struct check_report {
    const struct check_settings *settings;
    const char *path;
    uint64_t limit; /* of the findings of a rule; 0: all are printed */
    /* The place of a finding; a .spoor file of a binary trace has no offsets. */
    enum { PLACE_LINE, PLACE_OFFSET, PLACE_RECORD } place;
    struct text text; /* not yet printed */
    struct text body; /* of the JUnit report */
    struct check_totals *totals;
    bool prints;                   /* text */
    bool waits;                    /* the findings: on a terminal, their number comes first */
    struct spoor_result *findings; /* JSON */
    struct image_set located;
    struct layout layout;
    const struct spoor_batch *checked; /* what is being checked */
    const struct spoor_batch *batch;   /* as it was read */
    const struct selection *selection; /* NULL: all records are checked */
    struct gtkw marks;
    int exit_code;
};

/* The pc of a finding's record, or that of the instruction before it that it belongs to; what it is
 * in can then be named. */
static bool check_finding_pc(struct check_report *report, const struct spoor_finding *finding,
                             uint64_t *pc)
{
    enum { RECORDS_BACK = 64 };
    const struct spoor_batch *batch = report->batch;
    if (!batch || !report->located.images || finding->record < batch->first) return false;
    const size_t index = (size_t)(finding->record - batch->first);
    if (index >= batch->count) return false;
    const struct spoor_record *record = &batch->records[index];
    for (size_t back = 0; back <= index && back < RECORDS_BACK; back++) {
        const struct spoor_record *at = record - back;
        if (at->cpu != record->cpu) continue;
        const struct spoor_value value = spoor_field_get(batch, index - back, SPOOR_FIELD_PC);
        *pc = value.number;
        if (value.type == SPOOR_VALUE_HEX && !value.unknown) {
            if (!image_set_read_names(&report->located, &report->settings->common))
                report->exit_code = worse(report->exit_code, report->located.code);
            return report->located.images;
        }
        if (at->kind != SPOOR_REG && at->kind != SPOOR_MEM) return false;
    }
    return false;
}

/* Marks the time of a finding's record, or of the last one before it that has a time. */
static void check_mark(struct check_report *report, const struct spoor_finding *finding)
{
    const struct spoor_batch *batch = report->batch;
    if (!batch || finding->record < batch->first) return;
    for (size_t at = (size_t)(finding->record - batch->first) + 1; at-- > 0;) {
        if (at >= batch->count || !(batch->records[at].has & SPOOR_HAS_TIME)) continue;
        char name[256];
        snprintf(name, sizeof name, "%s: %s", finding->rule->name, finding->found);
        gtkw_mark(&report->marks, batch->records[at].time, name);
        return;
    }
}

static void check_put_finding(void *context, const struct spoor_finding *finding)
{
    struct check_report *report = context;
    struct spoor_finding placed = *finding;
    if (report->selection) {
        /* records of an earlier batch are gone: the first of this one stands for them */
        const uint64_t first = report->checked->first;
        const size_t index = selection_origin(
            report->selection, finding->record < first ? 0 : (size_t)(finding->record - first),
            &report->batch);
        placed.record = report->batch->first + index;
        placed.line = spoor_batch_line(report->batch, index);
        placed.offset = spoor_batch_offset(report->batch, index);
    }
    if (report->marks.step) check_mark(report, &placed);
    if (report->findings || report->settings->annotations != ANNOTATIONS_GITHUB) {
        struct spoor_result *row = report->findings ? spoor_result_object(report->findings, NULL)
                                                    : spoor_result_new_object();
        uint64_t pc;
        spoor_result_text(row, "rule", placed.rule->name);
        spoor_result_text(row, "severity", severities[placed.rule->severity]);
        spoor_result_unsigned(row, "record", placed.record);
        if (report->place == PLACE_OFFSET)
            spoor_result_unsigned(row, "trace_offset", placed.offset);
        if (report->place == PLACE_LINE) spoor_result_unsigned(row, "line", placed.line);
        if (placed.column) spoor_result_unsigned(row, "column", placed.column);
        spoor_result_text(row, "found", placed.found);
        spoor_result_text(row, "expected", placed.expected);
        if (check_finding_pc(report, &placed, &pc)) {
            spoor_result_hex(row, "pc", pc);
            image_set_name(&report->located, row, NULL);
        }
        if (!report->findings) {
            spoor_result_text(row, "trace", report->path);
            layout_put(&report->layout, "findings", row, &report->text);
            spoor_result_free(row);
        }
    }
    if (!report->findings && annotates(report->settings->annotations)) {
        static const char *const levels[] = {"notice", "warning", "error"};
        struct text message = {0};
        text_printf(&message, "found %s, expected %s", placed.found, placed.expected);
        if (report->place == PLACE_OFFSET)
            text_printf(&message, " at offset %" PRIu64, placed.offset);
        else if (report->place == PLACE_RECORD)
            text_printf(&message, " at record %" PRIu64, placed.record);
        text_put(&message, "", 1);
        github_put(&report->text, levels[placed.rule->severity], report->path,
                   report->place == PLACE_LINE ? placed.line : 0, placed.rule->name,
                   message.bytes ? message.bytes : "");
        report->text.failed |= message.failed;
        text_free(&message);
    }
}

static uint64_t check_count_all(const struct spoor_check *check)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < spoor_rule_count(); i++) sum += spoor_check_count(check, (int)i);
    return sum;
}

/* Adds the counts of the rules; returns their sum. */
static uint64_t check_give_counts(const struct check_report *report,
                                  const struct spoor_check *check, uint64_t records,
                                  struct spoor_result *result)
{
    uint64_t sum = 0, most = 0;
    for (size_t i = 0; i < spoor_rule_count(); i++) {
        const uint64_t count = spoor_check_count(check, (int)i);
        most = count > most ? count : most;
        sum += count;
    }
    spoor_result_unsigned(result, "records", records);
    spoor_result_bool(result, "truncated", report->limit && most > report->limit);
    struct spoor_result *counts = spoor_result_object(result, "counts");
    for (size_t i = 0; i < spoor_rule_count(); i++) {
        const uint64_t count = spoor_check_count(check, (int)i);
        if (count) spoor_result_unsigned(counts, spoor_rule_at(i)->name, count);
    }
    return sum;
}

static void check_put_summary(struct check_report *report, const struct spoor_check *check,
                              uint64_t records)
{
    struct text *text = &report->text, findings = {0};
    struct spoor_result *result = spoor_result_new_object();
    const uint64_t sum = check_give_counts(report, check, records, result);
    const bool plain = report->settings->annotations != ANNOTATIONS_GITHUB;
    report->totals->records += records;
    report->totals->findings += sum;
    spoor_result_text(result, "trace", report->path);
    spoor_result_unsigned(result, "count", sum);
    spoor_result_unsigned(result, "limit", report->limit);
    spoor_result_bool(result, "waits", report->waits);
    if (plain) layout_put(&report->layout, " more", result, text);
    if (report->waits) {
        findings = *text;
        *text = (struct text){0};
    }
    if (plain) layout_put(&report->layout, "", result, text);
    text_append(text, &findings);
    text_free(&findings);
    spoor_result_free(result);
    report->waits = false;
}

/* ---- checking ---- */

/* Prints the findings so far; false: an error has been printed and report->exit_code is set. */
static bool check_flush(struct check_report *report)
{
    struct text *text = &report->text;
    if (!report->prints || report->waits || (!text->size && !text->failed)) return true;
    if (report->settings->junit) text_append(&report->body, text);
    const int code = show_text(text);
    text->size = 0;
    report->exit_code = worse(report->exit_code, code);
    return code == EXIT_CLEAN;
}

static void check_input(struct spoor_check *check, struct trace_input *trace_input,
                        struct check_report *report, struct spoor_result *trace)
{
    const struct spoor_format *format = trace_input->stream->format;
    trace_input->silent = true; /* faults are findings of the rule `syntax` */
    report->path = trace_input->stream->path;
    report->place = !spoor_format_record_size(format)  ? PLACE_LINE
                    : trace_input->stream->record_size ? PLACE_OFFSET
                                                       : PLACE_RECORD;
    if (trace) {
        put_trace(trace, trace_input);
        report->findings = spoor_result_array(trace, "findings");
        static const char *const columns[] = {
            [PLACE_LINE] = "rule,severity,record,line,found,expected",
            [PLACE_OFFSET] = "rule,severity,record,offset,found,expected",
            [PLACE_RECORD] = "rule,severity,record,found,expected"};
        spoor_result_set_columns(report->findings, columns[report->place]);
    }
    struct spoor_error error = {0};
    const struct spoor_batch *batch;
    report->selection = trace_input->selection;
    while (input_next(trace_input, &batch)) {
        struct spoor_batch selected = *batch;
        /* of a selection, neither counts nor its end say anything of the trace */
        selected.gap |= report->selection != NULL;
        selected.last &= report->selection == NULL;
        report->checked = report->batch = batch;
        if (spoor_check_feed(check, &selected, &error) != SPOOR_OK) {
            report->exit_code = fail(&error);
            break;
        }
        if (!check_flush(report)) break;
    }
    uint64_t records = spoor_check_records(check);
    if (trace && trace_input->broken) spoor_result_text(trace, "error", trace_input->error.text);
    if (trace) {
        check_give_counts(report, check, records, trace);
    } else if (report->exit_code == EXIT_CLEAN) {
        check_put_summary(report, check, records);
        check_flush(report);
    }
    report->waits = false;
    if (!trace) check_flush(report);
    for (size_t i = 0; i < spoor_rule_count(); i++)
        if (spoor_check_count(check, (int)i) &&
            (int)spoor_rule_at(i)->severity >= report->settings->severity)
            report->exit_code = worse(report->exit_code, EXIT_NO);
}

/* Checks one trace; its findings go to `trace` (JSON) or to the output. */
static int check_trace(const struct check_settings *settings, const char *path,
                       struct check_totals *totals, struct spoor_result *trace)
{
    struct check_report report = {.settings = settings,
                                  .totals = totals,
                                  .limit = settings->all     ? 0
                                           : settings->limit ? settings->limit
                                                             : REPORTED_BY_DEFAULT,
                                  .layout = layout_of(&settings->common, NULL),
                                  .prints = !trace,
                                  .waits = !trace && shows_on_terminal() && !settings->all};
    report.layout.plain = settings->junit != NULL; /* the report has the same text */
    struct trace_input trace_input;
    const struct spoor_check_options how = {
        .sink = check_put_finding, .context = &report, .maximum = report.limit};
    struct spoor_check *check = NULL;
    if (spoor_check_new(&check, &how, NULL) != SPOOR_OK)
        return complain_for(EXIT_UNREADABLE, "out of memory");
    for (size_t i = 0; settings->only.count && i < spoor_rule_count(); i++)
        spoor_check_enable(check, (int)i, false);
    if (!check_set_rules(check, &settings->only, true) ||
        !check_set_rules(check, &settings->enable, true) ||
        !check_set_rules(check, &settings->disable, false)) {
        spoor_check_free(check);
        return EXIT_USAGE;
    }
    const enum own_names names =
        settings->common.selection.where ? OWN_NAMES_READ : OWN_NAMES_ASKED;
    if (!image_set_open(&report.located, &settings->common, path, names)) {
        spoor_check_free(check);
        return report.located.code;
    }
    int code = EXIT_CLEAN;
    if (input_open_with(&trace_input, path, &settings->common,
                        image_set_reading(&report.located))) {
        const char *gtkw = settings->gtkw;
        const bool well = !gtkw || gtkw_begin(&report.marks, "check", path,
                                              spoor_reader_waveform_step(trace_input.reader));
        if (well) check_input(check, &trace_input, &report, trace);
        code = well ? EXIT_CLEAN : EXIT_USAGE;
        if (well && gtkw)
            code = gtkw_write(&report.marks, gtkw, check_count_all(check), !trace_input.broken,
                              &settings->common);
        gtkw_free(&report.marks);
        code = worse(code, input_close(&trace_input));
    } else {
        code = trace_input.exit_code;
        if (trace) spoor_result_text(trace, "trace", path);
        if (trace && trace_input.error.text[0])
            spoor_result_text(trace, "error", trace_input.error.text);
    }
    code = worse(code, image_set_close(&report.located));
    spoor_check_free(check);
    text_free(&report.text);
    code = worse(code, report.exit_code);
    totals->traces++;
    totals->failures += code != EXIT_CLEAN;
    if (settings->junit)
        junit_put_case(&totals->cases, "spoor.check", path,
                       code == EXIT_CLEAN ? NULL
                       : code == EXIT_NO  ? "findings"
                                          : "unreadable",
                       &report.body);
    text_free(&report.body);
    return code;
}

static int check_run(void *chosen)
{
    const struct check_settings *settings = chosen;
    const struct settings *common = &settings->common;
    const size_t count = operand_count(common);
    const bool data = prints_data(common);
    struct check_totals totals = {0};
    struct text text = {0};
    struct spoor_result *root = !data        ? NULL
                                : count == 1 ? spoor_result_new_object()
                                             : spoor_result_new_array();
    int code = EXIT_CLEAN;
    if (settings->gtkw && !gtkw_suits("check", count == 1 ? operand(common, 0) : NULL))
        code = EXIT_USAGE;
    for (size_t i = 0; i < count && code != EXIT_USAGE; i++) {
        struct spoor_result *trace = count == 1 || !data ? root : spoor_result_object(root, NULL);
        code = worse(code, check_trace(settings, operand(common, i), &totals, trace));
    }
    const bool whole = code != EXIT_USAGE;
    if (whole && common->csv) {
        const char *table = common->table ? common->table : "findings";
        code = worse(code, show_table(root, table, result_form_of(common)));
    } else if (whole && data) {
        code = worse(code, show_result(root, result_form_of(common)));
    } else if (whole && count > 1 && settings->annotations != ANNOTATIONS_GITHUB) {
        const struct layout layout = layout_of(common, NULL);
        struct spoor_result *all = spoor_result_new_object();
        spoor_result_unsigned(all, "traces", totals.traces);
        spoor_result_unsigned(all, "records", totals.records);
        spoor_result_unsigned(all, "count", totals.findings);
        spoor_result_unsigned(all, "failures", totals.failures);
        layout_put(&layout, " all", all, &text);
        spoor_result_free(all);
        code = worse(code, show_text(&text));
    }
    if (settings->junit) {
        text.size = 0;
        junit_put_file(&text, "spoor check", totals.traces, totals.failures, &totals.cases);
        if (text.failed)
            code =
                worse(code, complain_for(EXIT_UNREADABLE, "out of memory while writing a report"));
        else
            code = worse(code, output_write(settings->junit, text.bytes, text.size, whole, common));
    }
    spoor_result_free(root);
    text_free(&text);
    text_free(&totals.cases);
    return code;
}

const struct verb verb_check = {
    .name = "check",
    .brief = "check a trace against its format's rules and its own logic",
    .operands = "TRACE...",
    .about = "Reads the traces to the end and prints each finding with its place, the violated "
             "rule, what was found and what was expected.  Exit code 1 with findings, 0 "
             "without, 3 if an input cannot be read completely.  Of a selection, the findings are "
             "those of a trace with the selected records alone, as `spoor cut` writes it, with "
             "their places in the whole trace; nothing is said of where the selection ends.",
    .options = options,
    .settings_size = sizeof(struct check_settings),
    .results = true,
    .many = true,
    .run = check_run,
};
