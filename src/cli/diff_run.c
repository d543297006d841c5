/* SPDX-License-Identifier: MIT */
/*
 * diff_run.c: compare two traces as the options of `diff` say, and find the options with which
 * traces that differ would be equal.
 */
#include "cli/diff_run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/scan.h"
#include "record/code.h"

/* ---- rules ---- */

static bool diff_run_add_rule(struct spoor_diff *diff, const char *rule)
{
    struct spoor_error error = {0};
    if (spoor_diff_rule(diff, rule, &error) == SPOOR_OK) return true;
    return complain("diff: %s", error.text);
}

static bool diff_run_add_list(struct spoor_diff *diff, const char *word, const struct list *list,
                              char separator)
{
    for (size_t i = 0; i < list->count; i++) {
        char rule[512];
        if (snprintf(rule, sizeof rule, "%s %s", word, list->items[i]) >= (int)sizeof rule)
            return complain("diff: --%s: argument too long, expected at most 500 bytes", word);
        char *equals = separator ? strchr(rule, '=') : NULL;
        if (equals) *equals = separator;
        if (!diff_run_add_rule(diff, rule)) return false;
    }
    return true;
}

/* ---- comparing ---- */

static enum spoor_status diff_run_next(void *context, const struct spoor_batch **batch,
                                       struct spoor_error *error)
{
    (void)error;
    return input_next(context, batch) ? SPOOR_OK : SPOOR_END;
}

static struct spoor_diff_options diff_run_options(const struct diff_settings *settings)
{
    enum { ALL = 1000000, OMITS_LEFT = 1, OMITS_RIGHT };
    bool as_matcher = settings->matcher_window > 0;
    return (struct spoor_diff_options){
        .window = as_matcher ? settings->matcher_window : settings->window,
        .window_ticks = settings->window_ticks,
        .lookahead = settings->lookahead,
        .skip = settings->boot,
        .by_record = settings->by_record || as_matcher,
        .no_omissions = settings->omissions == 1,
        .omits = {settings->omits == OMITS_LEFT, settings->omits == OMITS_RIGHT},
        .first_only = settings->first_only,
        .no_repeats = settings->no_repeats,
        .compare_time = settings->compare_time,
        .retained = settings->verbose ? ALL : settings->limit,
        .stated = {settings->stated[0], settings->stated[1]},
    };
}

/* Both traces, opened. */
struct pair {
    struct settings settings[2];
    struct trace_input trace_inputs[2];
};

/* True for a file of 0 bytes, which has no format to detect. */
static bool diff_run_is_empty(const char *path)
{
    struct stat status;
    if (strcmp(path, "/dev/null") == 0) return true;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 0;
}

/* The choices of --effects-first. */
enum { AUTO, NONE, LEFT, RIGHT, BOTH };

/* Opens both traces, each with its own threads, so that they are read in parallel.  An empty trace
 * is read in the format of the other. */
static bool diff_run_open(struct pair *pair, const struct diff_settings *settings,
                          const char *const paths[2], const struct located *located)
{
    for (int side = 0; side < 2; side++) {
        const bool by_record = settings->by_record || settings->matcher_window > 0;
        const bool first_here =
            settings->effects_first == BOTH || settings->effects_first == (side ? RIGHT : LEFT);
        pair->settings[side] = settings->common;
        pair->settings[side].effects =
            settings->effects_first == AUTO
                ? (by_record ? SPOOR_EFFECTS_AS_WRITTEN : SPOOR_EFFECTS_DETECT)
                : (first_here ? SPOOR_EFFECTS_FIRST : SPOOR_EFFECTS_AFTER);
    }
    if (settings->from_right) pair->settings[1].from = settings->from_right;
    const int first = diff_run_is_empty(paths[0]) ? 1 : 0, second = 1 - first;
    struct settings *of_first = &pair->settings[first], *of_second = &pair->settings[second];
    if (!of_first->from && diff_run_is_empty(paths[first])) of_first->from = spoor_format_at(0);
    if (!input_open_with(&pair->trace_inputs[first], paths[first], of_first,
                         located_reading(&located[first]))) {
        pair->trace_inputs[0].exit_code = pair->trace_inputs[first].exit_code;
        return false;
    }
    if (!of_second->from && diff_run_is_empty(paths[second]))
        of_second->from = spoor_reader_stream(pair->trace_inputs[first].reader)->format;
    if (input_open_with(&pair->trace_inputs[second], paths[second], of_second,
                        located_reading(&located[second])))
        return true;
    int code = pair->trace_inputs[second].exit_code;
    pair->trace_inputs[0].exit_code = worse(input_close(&pair->trace_inputs[first]), code);
    return false;
}

/* A comparison as the options say; NULL, after a message: *code says why. */
static struct spoor_diff *diff_run_new(const struct diff_settings *settings,
                                       struct spoor_diff_options how, int *code)
{
    struct spoor_diff *diff = NULL;
    struct spoor_error error = {0};
    *code = EXIT_USAGE;
    how.has_start = settings->start != NULL;
    if (how.has_start && !scan_all_address(settings->start, &how.start)) {
        complain("diff -sa: found '%s', expected a hexadecimal address", settings->start);
        return NULL;
    }
    if (spoor_diff_new(&diff, &how, &error) != SPOOR_OK) {
        *code = fail(&error);
        return NULL;
    }
    bool good = true;
    FILE *file = settings->rules ? fopen(settings->rules, "r") : NULL;
    if (settings->rules && !file) good = complain("%s: %s", settings->rules, strerror(errno));
    if (file) {
        char *line = NULL;
        size_t capacity = 0;
        while (good && getline(&line, &capacity, file) > 0) {
            line[strcspn(line, "\r\n")] = '\0';
            good = diff_run_add_rule(diff, line);
        }
        free(line);
        fclose(file);
    }
    good = good && diff_run_add_list(diff, "tolerate", &settings->tolerate, 0) &&
           diff_run_add_list(diff, "ignore", &settings->ignore, 0) &&
           diff_run_add_list(diff, "mask", &settings->mask, ' ') &&
           diff_run_add_list(diff, "volatile", &settings->volatile_, 0) &&
           diff_run_add_list(diff, "waive", &settings->waive, 0) &&
           diff_run_add_list(diff, "cpu", &settings->cpu, 0) &&
           (!settings->ignore_rest || diff_run_add_rule(diff, "tolerate longer-tail"));
    if (good) return diff;
    spoor_diff_free(diff);
    return NULL;
}

static bool diff_run_pair(struct spoor_diff *diff, struct pair *pair, struct spoor_error *error)
{
    struct trace_input *trace_inputs = pair->trace_inputs;
    const struct spoor_diff_input inputs[2] = {
        {diff_run_next, &trace_inputs[0], trace_inputs[0].stream},
        {diff_run_next, &trace_inputs[1], trace_inputs[1].stream}};
    return spoor_diff_run(diff, inputs, error) == SPOOR_OK;
}

/* ---- options with which they are equal ---- */

enum { ALL_TOLERANCES = (1 << SPOOR_TOLERANCES) - 1 };

/* The tolerances of a comparison, a bit each; `used`: those that accepted something.  Where memory
 * runs out, all count as given, and none as used, so that none is suggested. */
static uint32_t diff_run_tolerances(const struct spoor_diff *diff, bool used)
{
    struct spoor_result *result = spoor_result_new_object();
    uint32_t found = 0;
    if (spoor_diff_report(diff, result) != SPOOR_OK) found = used ? 0 : ALL_TOLERANCES;
    const struct spoor_result *row = spoor_result_first(spoor_result_member(result, "tolerances"));
    for (; row; row = spoor_result_next(row)) {
        const char *name = spoor_result_string(spoor_result_member(row, "name"), NULL);
        if (!name || (used && !spoor_result_whole(spoor_result_member(row, "uses")))) continue;
        for (int i = 0; i < SPOOR_TOLERANCES; i++)
            if (strcmp(name, spoor_tolerance_name((enum spoor_tolerance)i)) == 0)
                found |= UINT32_C(1) << i;
    }
    spoor_result_free(result);
    return found;
}

/* True if a suggestion has any option. */
static bool suggestion_has_any(const struct suggestion *with)
{
    return with->tolerances || with->window || with->leads || with->ignored_count;
}

/* Both traces, and the images for their code. */
struct again {
    const struct diff_settings *settings;
    const char *const *paths;
    const struct located *located;
    bool *unread; /* set where a trace that was read cannot be read again */
};

/* Compares again, up to the first difference, with further options.  True: the traces are equal,
 * and *used has those tolerances that accepted something. */
static bool diff_run_equal_with(const struct again *again, const struct suggestion *with,
                                uint32_t *used)
{
    struct diff_settings quiet = *again->settings;
    struct spoor_diff_options how = diff_run_options(again->settings);
    struct spoor_error error = {0};
    struct pair pair;
    int code;
    how.first_only = true;
    if (with->window) how.window = with->window;
    if (with->leads) quiet.effects_first = with->leads == 1 ? LEFT : RIGHT;
    quiet.common.quiet = true;
    struct spoor_diff *diff = diff_run_new(again->settings, how, &code);
    if (!diff) return false;
    bool equal = false, opened = true;
    char rule[64];
    for (int i = 0; i < SPOOR_TOLERANCES && opened; i++) {
        snprintf(rule, sizeof rule, "tolerate %s", spoor_tolerance_name((enum spoor_tolerance)i));
        opened = !(with->tolerances >> i & 1) || diff_run_add_rule(diff, rule);
    }
    for (unsigned i = 0; i < with->ignored_count && opened; i++) {
        snprintf(rule, sizeof rule, "ignore %s", with->ignored[i]);
        opened = diff_run_add_rule(diff, rule);
    }
    opened = opened && diff_run_open(&pair, &quiet, again->paths, again->located);
    *again->unread |= !opened;
    if (opened) {
        for (int side = 0; side < 2; side++) pair.trace_inputs[side].silent = true;
        equal =
            diff_run_pair(diff, &pair, &error) && spoor_diff_verdict(diff) == SPOOR_VERDICT_EQUAL;
        for (int side = 0; side < 2; side++) {
            *again->unread |= pair.trace_inputs[side].broken;
            input_close(&pair.trace_inputs[side]);
        }
    }
    *used = equal ? diff_run_tolerances(diff, true) & with->tolerances : 0;
    spoor_diff_free(diff);
    return equal;
}

/* True if the traces are equal with these options; leaves out each tolerance that is not needed. */
static bool diff_run_suffices(const struct again *again, struct suggestion *with)
{
    uint32_t unused;
    if (!diff_run_equal_with(again, with, &with->tolerances) || !suggestion_has_any(with) ||
        !diff_run_equal_with(again, with, &unused))
        return false;
    struct suggestion less = *with;
    for (uint32_t bit = 1; bit && bit <= with->tolerances; bit <<= 1) {
        less.tolerances = with->tolerances & ~bit;
        if ((with->tolerances & bit) && suggestion_has_any(&less) &&
            diff_run_equal_with(again, &less, &unused))
            with->tolerances = less.tolerances;
    }
    return true;
}

/* Names the control registers of RISC-V that one side alone writes, or all if they are more than
 * can be named. */
static void diff_run_name_lone_csrs(const struct spoor_diff *diff, struct suggestion *with)
{
    struct spoor_difference difference;
    struct spoor_difference_field field;
    for (size_t i = 0; spoor_diff_difference(diff, i, &difference); i++)
        for (unsigned k = 0; !difference.gap && spoor_diff_field(diff, i, k, &field); k++) {
            const size_t size = strlen(field.name);
            unsigned at = 0;
            if ((field.kind != SPOOR_DIFF_MISSING && field.kind != SPOOR_DIFF_EXTRA) ||
                size >= SUGGESTED_NAME || !field.control)
                continue;
            while (at < with->ignored_count && strcmp(with->ignored[at], field.name) != 0) at++;
            if (at == SUGGESTED_REGISTERS) {
                with->ignored_count = 1;
                snprintf(with->ignored[0], SUGGESTED_NAME, "csr");
                return;
            }
            if (at == with->ignored_count)
                memcpy(with->ignored[with->ignored_count++], field.name, size + 1);
        }
}

/* Finds options with which traces that differ are equal.  Most traces differ in a place that none
 * accepts, where the first attempt ends. */
static struct suggestion diff_run_suggest(const struct spoor_diff *diff, const struct again *again)
{
    enum { BEGINNING = 64 };
    const struct diff_settings *settings = again->settings;
    const enum spoor_verdict verdict = spoor_diff_verdict(diff);
    const uint32_t all = ALL_TOLERANCES & ~diff_run_tolerances(diff, false);
    struct suggestion with = {.tolerances = all};
    if ((verdict != SPOOR_VERDICT_DIFFER && verdict != SPOOR_VERDICT_LOST) ||
        settings->first_only || !can_be_read_twice(again->paths[0]) ||
        !can_be_read_twice(again->paths[1]))
        return (struct suggestion){0};
    if (diff_run_suffices(again, &with)) return with;

    /* how far an instruction in another order stands from its place, if nothing else differs */
    struct spoor_result *result = spoor_result_new_object();
    with = (struct suggestion){.tolerances = all};
    if (spoor_diff_report(diff, result) == SPOOR_OK) {
        const struct spoor_result *moved = spoor_result_member(result, "moved");
        if (spoor_result_whole(spoor_result_member(moved, "order")))
            with.window =
                1 + (unsigned)spoor_result_whole(spoor_result_member(moved, "order_most"));
    }
    spoor_result_free(result);
    if (with.window && !settings->window && diff_run_suffices(again, &with)) return with;

    with = (struct suggestion){.tolerances = all};
    diff_run_name_lone_csrs(diff, &with);
    if (with.ignored_count && diff_run_suffices(again, &with)) return with;

    /* traces of which one prints the effects of an instruction before it differ at once */
    struct spoor_difference first;
    if (settings->effects_first == AUTO && spoor_diff_difference(diff, 0, &first) &&
        first.record[0] < BEGINNING)
        for (unsigned leads = 1; leads < 3; leads++) {
            with = (struct suggestion){.tolerances = all, .leads = leads};
            if (diff_run_suffices(again, &with)) return with;
        }
    return (struct suggestion){0};
}

/* ---- effects that come first ---- */

static uint64_t diff_run_count(const struct spoor_diff *diff, const char *name)
{
    struct spoor_result *result = spoor_result_new_object();
    uint64_t count = 0;
    if (spoor_diff_report(diff, result) == SPOOR_OK)
        count = spoor_result_whole(spoor_result_member(result, name));
    spoor_result_free(result);
    return count;
}

/* Compares again, with one side's effects before their instructions; returns the number of
 * mismatches. */
static uint64_t diff_run_mismatches_with(const struct again *again, int effects_first)
{
    struct diff_settings quiet = *again->settings;
    struct spoor_error error = {0};
    uint64_t mismatches = UINT64_MAX;
    struct pair pair;
    int code;
    quiet.common.quiet = true;
    quiet.effects_first = effects_first;
    struct spoor_diff *diff =
        diff_run_new(again->settings, diff_run_options(again->settings), &code);
    if (!diff) return mismatches;
    const bool opened = diff_run_open(&pair, &quiet, again->paths, again->located);
    *again->unread |= !opened;
    if (opened) {
        for (int side = 0; side < 2; side++) pair.trace_inputs[side].silent = true;
        if (diff_run_pair(diff, &pair, &error)) mismatches = diff_run_count(diff, "mismatches");
        for (int side = 0; side < 2; side++) {
            *again->unread |= pair.trace_inputs[side].broken;
            input_close(&pair.trace_inputs[side]);
        }
    }
    spoor_diff_free(diff);
    return mismatches;
}

/* Where most pairs differ, finds a side of which nearly all agree if its effects belong to the next
 * instruction, not to the one before: as `leads` of a suggestion; 0: neither. */
static unsigned diff_run_suggest_effects(const struct spoor_diff *diff, const struct again *again,
                                         const struct pair *pair)
{
    enum { FEWER = 4 };
    const struct diff_settings *settings = again->settings;
    const uint64_t mismatches = diff_run_count(diff, "mismatches");
    if (mismatches < 2 || 2 * mismatches < diff_run_count(diff, "compared") ||
        settings->by_record || settings->matcher_window || settings->first_only ||
        settings->effects_first > NONE || !can_be_read_twice(again->paths[0]) ||
        !can_be_read_twice(again->paths[1]))
        return 0;
    for (int side = LEFT; side <= RIGHT; side++)
        if (!pair->trace_inputs[side - LEFT].stream->effects_first &&
            diff_run_mismatches_with(again, side) <= mismatches / FEWER)
            return 1U << (side - LEFT);
    return 0;
}

/* ---- running ---- */

/* Notes in the settings what a side states later only, if both traces can be read again from their
 * beginning: then that is compared, too.  False: there is nothing like that. */
static bool diff_run_note_stated(const struct spoor_diff *diff, const char *const paths[2],
                                 struct diff_settings *settings)
{
    if (settings->stated[0] || settings->stated[1] || settings->first_only ||
        !can_be_read_twice(paths[0]) || !can_be_read_twice(paths[1]))
        return false;
    for (unsigned side = 0; side < 2; side++)
        settings->stated[side] = spoor_diff_stated(diff, side);
    return settings->stated[0] || settings->stated[1];
}

/* Reports nothing where diff_run_note_stated() is true. */
static int diff_run_compare(struct spoor_diff *diff, struct diff_settings *settings,
                            const char *const paths[2], struct report *report)
{
    struct pair pair = {0};
    struct spoor_error error = {0};
    if (!diff_run_open(&pair, settings, paths, report->located)) {
        report->unreadable = pair.trace_inputs[0].error.status != SPOOR_ENOMEM &&
                             pair.trace_inputs[1].error.status != SPOOR_ENOMEM;
        return pair.trace_inputs[0].exit_code;
    }
    const bool again_quietly = settings->stated[0] || settings->stated[1];
    for (int side = 0; side < 2; side++) pair.trace_inputs[side].silent = again_quietly;
    const bool compared = diff_run_pair(diff, &pair, &error);
    const bool broken = pair.trace_inputs[0].broken || pair.trace_inputs[1].broken;
    if (compared && !broken && diff_run_note_stated(diff, paths, settings)) {
        const int left = input_close(&pair.trace_inputs[0]);
        return worse(left, input_close(&pair.trace_inputs[1]));
    }
    if (broken) spoor_diff_doubt(diff);
    report->broken |= broken;
    static const int codes[] = {EXIT_CLEAN, EXIT_NO, EXIT_LOST, EXIT_NOTHING, EXIT_UNREADABLE};
    int code = compared ? codes[spoor_diff_verdict(diff)] : fail(&error);
    bool unread = false;
    const struct again again = {settings, paths, report->located, &unread};
    struct suggestion suggestion = {0};
    if (compared && !broken) suggestion = diff_run_suggest(diff, &again);
    if (suggestion.leads)
        suggestion.nearly = suggestion.leads;
    else if (compared && !broken && !suggestion_has_any(&suggestion))
        suggestion.nearly = diff_run_suggest_effects(diff, &again, &pair);
    if (unread) code = EXIT_UNREADABLE;
    report->broken |= unread;
    if (!error.text[0])
        code = worse(code, report_comparison(report, diff, &suggestion, paths[0], paths[1]));
    for (int side = 0; side < 2; side++) code = worse(code, input_close(&pair.trace_inputs[side]));
    return code;
}

static int diff_run_once(struct diff_settings *settings, const char *const paths[2],
                         struct report *report)
{
    struct code_reader *reader = code_reader_open();
    struct spoor_diff_options how = diff_run_options(settings);
    int code;
    how.disassemble = code_reader_put;
    how.context = reader;
    struct spoor_diff *diff = diff_run_new(settings, how, &code);
    if (!diff) {
        code_reader_close(reader);
        return code;
    }
    code = EXIT_UNREADABLE;
    if (located_open(&report->located[0], &settings->common, paths[0])) {
        if (located_open(&report->located[1], &settings->common, paths[1])) {
            code = diff_run_compare(diff, settings, paths, report);
            code = worse_diff(code, located_close(&report->located[0]));
            code = worse_diff(code, located_close(&report->located[1]));
        } else {
            located_close(&report->located[0]);
        }
    }
    code_reader_close(reader);
    spoor_diff_free(diff);
    return code;
}

int diff_traces(const struct diff_settings *settings, const char *left, const char *right,
                struct report *report)
{
    const char *const paths[2] = {left, right};
    struct diff_settings own = *settings;
    const int code = diff_run_once(&own, paths, report);
    if (!own.stated[0] && !own.stated[1]) return code;
    own.common.quiet = true; /* what there was to say of the files was said */
    return worse_diff(code, diff_run_once(&own, paths, report));
}
