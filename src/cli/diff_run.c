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

static bool add_rule(struct spoor_diff *diff, const char *rule)
{
    struct spoor_error error = {0};
    if (spoor_diff_rule(diff, rule, &error) == SPOOR_OK) return true;
    return complain("diff: %s", error.text);
}

static bool add_list(struct spoor_diff *diff, const char *word, const struct list *list,
                     char separator)
{
    for (size_t i = 0; i < list->count; i++) {
        char rule[512];
        if (snprintf(rule, sizeof rule, "%s %s", word, list->items[i]) >= (int)sizeof rule)
            return complain("diff: --%s: argument too long, expected at most 500 bytes", word);
        char *equals = separator ? strchr(rule, '=') : NULL;
        if (equals) *equals = separator;
        if (!add_rule(diff, rule)) return false;
    }
    return true;
}

static bool add_file(struct spoor_diff *diff, const char *path)
{
    FILE *file = path ? fopen(path, "r") : NULL;
    char *line = NULL;
    size_t capacity = 0;
    bool good = true;
    if (!path) return true;
    if (!file) return complain("%s: %s", path, strerror(errno));
    while (good && getline(&line, &capacity, file) > 0) {
        line[strcspn(line, "\r\n")] = '\0';
        good = add_rule(diff, line);
    }
    free(line);
    fclose(file);
    return good;
}

static bool add_rules(struct spoor_diff *diff, const struct diff_settings *settings)
{
    return add_file(diff, settings->rules) && add_list(diff, "tolerate", &settings->tolerate, 0) &&
           add_list(diff, "ignore", &settings->ignore, 0) &&
           add_list(diff, "mask", &settings->mask, ' ') &&
           add_list(diff, "volatile", &settings->volatile_, 0) &&
           add_list(diff, "waive", &settings->waive, 0) &&
           add_list(diff, "cpu", &settings->cpu, 0) &&
           (!settings->ignore_rest || add_rule(diff, "tolerate longer-tail"));
}

static bool parse_start(const char *word, uint64_t *start)
{
    if (scan_all_address(word, start)) return true;
    return complain("diff -sa: found '%s', expected a hexadecimal address", word);
}

/* ---- comparing ---- */

static enum spoor_status next(void *context, const struct spoor_batch **batch,
                              struct spoor_error *error)
{
    (void)error;
    return input_next(context, batch) ? SPOOR_OK : SPOOR_END;
}

static struct spoor_diff_options options_of(const struct diff_settings *settings)
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
static bool is_empty_file(const char *path)
{
    struct stat status;
    if (strcmp(path, "/dev/null") == 0) return true;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 0;
}

/* The choices of --effects-first. */
enum { AUTO, NONE, LEFT, RIGHT, BOTH };

/* Where effects are on a side. */
static enum spoor_effects effects_of(const struct diff_settings *settings, int side)
{
    const bool by_record = settings->by_record || settings->matcher_window > 0;
    if (settings->effects_first == AUTO)
        return by_record ? SPOOR_EFFECTS_AS_WRITTEN : SPOOR_EFFECTS_DETECT;
    const bool first =
        settings->effects_first == BOTH || settings->effects_first == (side ? RIGHT : LEFT);
    return first ? SPOOR_EFFECTS_FIRST : SPOOR_EFFECTS_AFTER;
}

/* Opens both traces, each with its own threads, so that they are read in parallel.  An empty trace
 * is read in the format of the other. */
static bool open_both(struct pair *pair, const struct diff_settings *settings,
                      const char *const paths[2], const struct located *located)
{
    for (int side = 0; side < 2; side++) {
        pair->settings[side] = settings->common;
        pair->settings[side].effects = (int)effects_of(settings, side);
    }
    if (settings->from_right) pair->settings[1].from = settings->from_right;
    const int first = is_empty_file(paths[0]) ? 1 : 0, second = 1 - first;
    struct settings *of_first = &pair->settings[first], *of_second = &pair->settings[second];
    if (!of_first->from && is_empty_file(paths[first])) of_first->from = spoor_format_at(0);
    if (!input_open_with(&pair->trace_inputs[first], paths[first], of_first,
                         located_reading(&located[first]))) {
        pair->trace_inputs[0].exit_code = pair->trace_inputs[first].exit_code;
        return false;
    }
    if (!of_second->from && is_empty_file(paths[second]))
        of_second->from = spoor_reader_stream(pair->trace_inputs[first].reader)->format;
    if (input_open_with(&pair->trace_inputs[second], paths[second], of_second,
                        located_reading(&located[second])))
        return true;
    int code = pair->trace_inputs[second].exit_code;
    pair->trace_inputs[0].exit_code = worse(input_close(&pair->trace_inputs[first]), code);
    return false;
}

static int code_of(enum spoor_verdict verdict)
{
    static const int codes[] = {EXIT_CLEAN, EXIT_NO, EXIT_LOST, EXIT_NOTHING, EXIT_UNREADABLE};
    return codes[verdict];
}

static bool open_images(struct report *report, const struct settings *settings,
                        const char *const paths[2])
{
    if (!located_open(&report->located[0], settings, paths[0])) return false;
    if (located_open(&report->located[1], settings, paths[1])) return true;
    located_close(&report->located[0]);
    return false;
}

/* A comparison as the options say; NULL, after a message: *code says why. */
static struct spoor_diff *new_diff(const struct diff_settings *settings,
                                   struct spoor_diff_options how, int *code)
{
    struct spoor_diff *diff = NULL;
    struct spoor_error error = {0};
    *code = EXIT_USAGE;
    how.has_start = settings->start != NULL;
    if (how.has_start && !parse_start(settings->start, &how.start)) return NULL;
    if (spoor_diff_new(&diff, &how, &error) != SPOOR_OK) {
        *code = fail(&error);
        return NULL;
    }
    if (add_rules(diff, settings)) return diff;
    spoor_diff_free(diff);
    return NULL;
}

static bool run_pair(struct spoor_diff *diff, struct pair *pair, struct spoor_error *error)
{
    struct trace_input *trace_inputs = pair->trace_inputs;
    const struct spoor_diff_input inputs[2] = {{next, &trace_inputs[0], trace_inputs[0].stream},
                                               {next, &trace_inputs[1], trace_inputs[1].stream}};
    return spoor_diff_run(diff, inputs, error) == SPOOR_OK;
}

/* ---- options with which they are equal ---- */

enum { ALL_TOLERANCES = (1 << SPOOR_TOLERANCES) - 1 };

/* The tolerances of a comparison, a bit each; `used`: those that accepted something.  Where memory
 * runs out, all count as given, and none as used, so that none is suggested. */
static uint32_t tolerances_of(const struct spoor_diff *diff, bool used)
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

static bool add_tolerances(struct spoor_diff *diff, uint32_t tolerances)
{
    bool good = true;
    for (int i = 0; i < SPOOR_TOLERANCES && good; i++) {
        char rule[64];
        snprintf(rule, sizeof rule, "tolerate %s", spoor_tolerance_name((enum spoor_tolerance)i));
        good = !(tolerances >> i & 1) || add_rule(diff, rule);
    }
    return good;
}

static bool add_ignored(struct spoor_diff *diff, const struct suggestion *with)
{
    bool good = true;
    for (unsigned i = 0; i < with->ignored_count && good; i++) {
        char rule[64];
        snprintf(rule, sizeof rule, "ignore %s", with->ignored[i]);
        good = add_rule(diff, rule);
    }
    return good;
}

/* True if a suggestion has any option. */
static bool suggests(const struct suggestion *with)
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

/* Compares again, up to the first difference, with further options.  True: the
 * traces are equal, and *used has those tolerances that accepted something. */
static bool equal_with(const struct again *again, const struct suggestion *with, uint32_t *used)
{
    struct diff_settings quiet = *again->settings;
    struct spoor_diff_options how = options_of(again->settings);
    struct spoor_error error = {0};
    struct pair pair;
    int code;
    how.first_only = true;
    if (with->window) how.window = with->window;
    if (with->leads) quiet.effects_first = with->leads == 1 ? LEFT : RIGHT;
    quiet.common.quiet = true;
    struct spoor_diff *diff = new_diff(again->settings, how, &code);
    if (!diff) return false;
    bool equal = false;
    const bool opened = add_tolerances(diff, with->tolerances) && add_ignored(diff, with) &&
                        open_both(&pair, &quiet, again->paths, again->located);
    *again->unread |= !opened;
    if (opened) {
        for (int side = 0; side < 2; side++) pair.trace_inputs[side].silent = true;
        equal = run_pair(diff, &pair, &error) && spoor_diff_verdict(diff) == SPOOR_VERDICT_EQUAL;
        for (int side = 0; side < 2; side++) {
            *again->unread |= pair.trace_inputs[side].broken;
            input_close(&pair.trace_inputs[side]);
        }
    }
    *used = equal ? tolerances_of(diff, true) & with->tolerances : 0;
    spoor_diff_free(diff);
    return equal;
}

/* True if the traces are equal with these options; leaves out each tolerance that is not needed. */
static bool suffices(const struct again *again, struct suggestion *with)
{
    uint32_t unused;
    if (!equal_with(again, with, &with->tolerances) || !suggests(with) ||
        !equal_with(again, with, &unused))
        return false;
    struct suggestion less = *with;
    for (uint32_t bit = 1; bit && bit <= with->tolerances; bit <<= 1) {
        less.tolerances = with->tolerances & ~bit;
        if ((with->tolerances & bit) && suggests(&less) && equal_with(again, &less, &unused))
            with->tolerances = less.tolerances;
    }
    return true;
}

/* Returns how far an instruction in another order stands from its place, if nothing else differs
 * without a tolerance; 0: there is none. */
static unsigned window_for(const struct spoor_diff *diff)
{
    struct spoor_result *result = spoor_result_new_object();
    unsigned window = 0;
    if (spoor_diff_report(diff, result) == SPOOR_OK &&
        spoor_result_whole(spoor_result_member(spoor_result_member(result, "moved"), "order")))
        window = 1 + (unsigned)spoor_result_whole(
                         spoor_result_member(spoor_result_member(result, "moved"), "order_most"));
    spoor_result_free(result);
    return window;
}

/* Names the control registers of RISC-V that one side alone writes, or all if they are more than
 * can be named. */
static void name_lone_csrs(const struct spoor_diff *diff, struct suggestion *with)
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

/* True if the traces differ from their beginning on, as those do of which one prints the effects of
 * an instruction before it. */
static bool differs_at_once(const struct spoor_diff *diff)
{
    enum { BEGINNING = 64 };
    struct spoor_difference first;
    return spoor_diff_difference(diff, 0, &first) && first.record[0] < BEGINNING;
}

/* Finds options with which traces that differ are equal.  Most traces differ in a place that none
 * accepts, where the first attempt ends. */
static struct suggestion suggest(const struct spoor_diff *diff, const struct again *again)
{
    const struct diff_settings *settings = again->settings;
    const enum spoor_verdict verdict = spoor_diff_verdict(diff);
    const uint32_t all = ALL_TOLERANCES & ~tolerances_of(diff, false);
    struct suggestion with = {.tolerances = all};
    if ((verdict != SPOOR_VERDICT_DIFFER && verdict != SPOOR_VERDICT_LOST) ||
        settings->first_only || !can_be_read_twice(again->paths[0]) ||
        !can_be_read_twice(again->paths[1]))
        return (struct suggestion){0};
    if (suffices(again, &with)) return with;
    with = (struct suggestion){.tolerances = all, .window = window_for(diff)};
    if (with.window && !settings->window && suffices(again, &with)) return with;
    with = (struct suggestion){.tolerances = all};
    name_lone_csrs(diff, &with);
    if (with.ignored_count && suffices(again, &with)) return with;
    if (settings->effects_first == AUTO && differs_at_once(diff))
        for (unsigned leads = 1; leads < 3; leads++) {
            with = (struct suggestion){.tolerances = all, .leads = leads};
            if (suffices(again, &with)) return with;
        }
    return (struct suggestion){0};
}

/* ---- effects that come first ---- */

static uint64_t count_in(const struct spoor_diff *diff, const char *name)
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
static uint64_t mismatches_with(const struct again *again, int effects_first)
{
    struct diff_settings quiet = *again->settings;
    struct spoor_error error = {0};
    uint64_t mismatches = UINT64_MAX;
    struct pair pair;
    int code;
    quiet.common.quiet = true;
    quiet.effects_first = effects_first;
    struct spoor_diff *diff = new_diff(again->settings, options_of(again->settings), &code);
    if (!diff) return mismatches;
    const bool opened = open_both(&pair, &quiet, again->paths, again->located);
    *again->unread |= !opened;
    if (opened) {
        for (int side = 0; side < 2; side++) pair.trace_inputs[side].silent = true;
        if (run_pair(diff, &pair, &error)) mismatches = count_in(diff, "mismatches");
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
static unsigned suggest_effects(const struct spoor_diff *diff, const struct again *again,
                                const struct pair *pair)
{
    enum { FEWER = 4 };
    const struct diff_settings *settings = again->settings;
    const uint64_t mismatches = count_in(diff, "mismatches");
    if (mismatches < 2 || 2 * mismatches < count_in(diff, "compared") || settings->by_record ||
        settings->matcher_window || settings->first_only || settings->effects_first > NONE ||
        !can_be_read_twice(again->paths[0]) || !can_be_read_twice(again->paths[1]))
        return 0;
    for (int side = LEFT; side <= RIGHT; side++)
        if (!pair->trace_inputs[side - LEFT].stream->effects_first &&
            mismatches_with(again, side) <= mismatches / FEWER)
            return 1U << (side - LEFT);
    return 0;
}

/* ---- running ---- */

/* Notes in the settings what a side states later only, if both traces can be read again from their
 * beginning: then that is compared, too.  False: there is nothing like that. */
static bool note_stated(const struct spoor_diff *diff, const char *const paths[2],
                        struct diff_settings *settings)
{
    if (settings->stated[0] || settings->stated[1] || settings->first_only ||
        !can_be_read_twice(paths[0]) || !can_be_read_twice(paths[1]))
        return false;
    for (unsigned side = 0; side < 2; side++)
        settings->stated[side] = spoor_diff_stated(diff, side);
    return settings->stated[0] || settings->stated[1];
}

/* Reports nothing where note_stated() is true. */
static int diff_run_compare(struct spoor_diff *diff, struct diff_settings *settings,
                            const char *const paths[2], struct report *report)
{
    struct pair pair = {0};
    struct spoor_error error = {0};
    if (!open_both(&pair, settings, paths, report->located)) {
        report->unreadable = pair.trace_inputs[0].error.status != SPOOR_ENOMEM &&
                             pair.trace_inputs[1].error.status != SPOOR_ENOMEM;
        return pair.trace_inputs[0].exit_code;
    }
    const bool again_quietly = settings->stated[0] || settings->stated[1];
    for (int side = 0; side < 2; side++) pair.trace_inputs[side].silent = again_quietly;
    const bool compared = run_pair(diff, &pair, &error);
    const bool broken = pair.trace_inputs[0].broken || pair.trace_inputs[1].broken;
    if (compared && !broken && note_stated(diff, paths, settings)) {
        const int left = input_close(&pair.trace_inputs[0]);
        return worse(left, input_close(&pair.trace_inputs[1]));
    }
    if (broken) spoor_diff_doubt(diff);
    report->broken |= broken;
    int code = compared ? code_of(spoor_diff_verdict(diff)) : fail(&error);
    bool unread = false;
    const struct again again = {settings, paths, report->located, &unread};
    struct suggestion suggestion = {0};
    if (compared && !broken) suggestion = suggest(diff, &again);
    if (suggestion.leads)
        suggestion.nearly = suggestion.leads;
    else if (compared && !broken && !suggests(&suggestion))
        suggestion.nearly = suggest_effects(diff, &again, &pair);
    if (unread) code = EXIT_UNREADABLE;
    report->broken |= unread;
    if (!error.text[0])
        code = worse(code, report_comparison(report, diff, &suggestion, paths[0], paths[1]));
    for (int side = 0; side < 2; side++) code = worse(code, input_close(&pair.trace_inputs[side]));
    return code;
}

static int run_once(struct diff_settings *settings, const char *const paths[2],
                    struct report *report)
{
    struct code_reader *reader = code_reader_open();
    struct spoor_diff_options how = options_of(settings);
    int code;
    how.disassemble = code_reader_put;
    how.context = reader;
    struct spoor_diff *diff = new_diff(settings, how, &code);
    if (!diff) {
        code_reader_close(reader);
        return code;
    }
    if (open_images(report, &settings->common, paths)) {
        code = diff_run_compare(diff, settings, paths, report);
        for (int side = 0; side < 2; side++)
            code = worse_diff(code, located_close(&report->located[side]));
    } else {
        code = EXIT_UNREADABLE;
    }
    code_reader_close(reader);
    spoor_diff_free(diff);
    return code;
}

int diff_run(const struct diff_settings *settings, const char *left, const char *right,
             struct report *report)
{
    const char *const paths[2] = {left, right};
    struct diff_settings own = *settings;
    const int code = run_once(&own, paths, report);
    if (!own.stated[0] && !own.stated[1]) return code;
    own.common.quiet = true; /* what there was to say of the files was said */
    return worse_diff(code, run_once(&own, paths, report));
}
