/* SPDX-License-Identifier: MIT */
/* diff.c: the verb `diff`, which compares two or more traces. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/scan.h"
#include "cli/ci_report.h"
#include "cli/cli.h"
#include "cli/diff_report.h"
#include "cli/gtkw.h"
#include "cli/operands.h"
#include "cli/selection.h"
#include "cli/transfer.h"
#include "record/code.h"

/* ---- diff run ---- */

struct diff_settings {
    struct settings common;
    struct list tolerate, ignore, mask, volatile_, waive, cpu;
    const char *rules;
    uint64_t window, window_ticks, lookahead, limit, width;
    bool by_record, compare_time, reordered;
    int effects_first, omissions, omits;
    const char *junit, *markdown, *html, *gtkw, *pairs;
    int annotations; /* enum annotations */
    bool unused_waivers;
    const struct spoor_format *from_right;
    /* options of Trace Matcher */
    bool first_only, no_repeats, ignore_rest, verbose;
    uint64_t boot;
    const char *start;
    uint64_t matcher_window;
    /* not an option: what the comparison before found that each side states later only */
    uint32_t stated[2];
};

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
                          const char *const paths[2], const struct image_set *located)
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
                         image_set_reading(&located[first]))) {
        pair->trace_inputs[0].exit_code = pair->trace_inputs[first].exit_code;
        return false;
    }
    if (!of_second->from && diff_run_is_empty(paths[second]))
        of_second->from = spoor_reader_stream(pair->trace_inputs[first].reader)->format;
    if (input_open_with(&pair->trace_inputs[second], paths[second], of_second,
                        image_set_reading(&located[second])))
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
    const struct image_set *located;
    bool *unread; /* set where a trace that was read cannot be read again */
};

/* Compares again, with further options; NULL: it was not compared, or not to its end. */
static struct spoor_diff *diff_run_again(const struct again *again, const struct suggestion *with,
                                         bool first_only)
{
    struct diff_settings quiet = *again->settings;
    struct spoor_diff_options how = diff_run_options(again->settings);
    struct spoor_error error = {0};
    struct pair pair;
    int code;
    how.first_only = first_only;
    if (with->window) how.window = with->window;
    if (with->leads) quiet.effects_first = with->leads == 1 ? LEFT : RIGHT;
    quiet.common.quiet = true;
    struct spoor_diff *diff = diff_run_new(again->settings, how, &code);
    if (!diff) return NULL;
    bool compared = false, opened = true;
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
        compared = diff_run_pair(diff, &pair, &error);
        for (int side = 0; side < 2; side++) {
            *again->unread |= pair.trace_inputs[side].broken;
            input_close(&pair.trace_inputs[side]);
        }
    }
    if (compared) return diff;
    spoor_diff_free(diff);
    return NULL;
}

/* Compares again, up to the first difference, with further options.  True: the traces are equal,
 * and *used has those tolerances that accepted something. */
static bool diff_run_equal_with(const struct again *again, const struct suggestion *with,
                                uint32_t *used)
{
    struct spoor_diff *diff = diff_run_again(again, with, true);
    const bool equal = diff && spoor_diff_verdict(diff) == SPOOR_VERDICT_EQUAL;
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
    /* the control registers of RISC-V that one side alone writes, or all if they are more than can
     * be named */
    struct spoor_difference difference = {.struct_size = sizeof difference};
    struct spoor_difference_field field = {.struct_size = sizeof field};
    bool all_csrs = false;
    for (size_t i = 0; !all_csrs && spoor_diff_difference(diff, i, &difference); i++)
        for (unsigned k = 0; !all_csrs && !difference.gap && spoor_diff_field(diff, i, k, &field);
             k++) {
            const size_t size = strlen(field.name);
            unsigned at = 0;
            if ((field.kind != SPOOR_DIFF_MISSING && field.kind != SPOOR_DIFF_EXTRA) ||
                size >= SUGGESTED_NAME || !field.control)
                continue;
            while (at < with.ignored_count && strcmp(with.ignored[at], field.name) != 0) at++;
            all_csrs = at == SUGGESTED_REGISTERS;
            if (!all_csrs && at == with.ignored_count)
                memcpy(with.ignored[with.ignored_count++], field.name, size + 1);
        }
    if (all_csrs) {
        with.ignored_count = 1;
        snprintf(with.ignored[0], SUGGESTED_NAME, "csr");
    }
    if (with.ignored_count && diff_run_suffices(again, &with)) return with;
    /* traces of which one prints the effects of an instruction before it differ at once */
    struct spoor_difference first = {.struct_size = sizeof first};
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
    for (unsigned leads = 1; leads < 3; leads++) {
        if (pair->trace_inputs[leads - 1].stream->effects_first) continue;
        const struct suggestion with = {.leads = leads};
        struct spoor_diff *led = diff_run_again(again, &with, false);
        const bool agrees = led && diff_run_count(led, "mismatches") <= mismatches / FEWER;
        spoor_diff_free(led);
        if (agrees) return leads;
    }
    return 0;
}

/* ---- running ---- */

/* The differences as marks of the side that is a waveform; of two, the left one. */
static int diff_run_mark(const struct spoor_diff *diff, const struct diff_settings *settings,
                         const struct pair *pair, const char *const paths[2], bool whole)
{
    struct gtkw gtkw;
    struct spoor_difference one = {.struct_size = sizeof one};
    const uint64_t left = spoor_reader_waveform_step(pair->trace_inputs[0].reader);
    const unsigned side = left ? 0 : 1;
    const uint64_t step = left ? left : spoor_reader_waveform_step(pair->trace_inputs[1].reader);
    if (!gtkw_begin(&gtkw, "diff", paths[step ? side : 0], step)) return EXIT_USAGE;
    for (size_t i = 0; spoor_diff_difference(diff, i, &one); i++) {
        struct spoor_difference_field field = {0};
        char gap[80];
        snprintf(gap, sizeof gap, "gap: %llu left, %llu right", (unsigned long long)one.skipped[0],
                 (unsigned long long)one.skipped[1]);
        if (!one.gap) spoor_diff_field(diff, i, 0, &field);
        if (one.has_time[side]) gtkw_mark(&gtkw, one.time[side], one.gap ? gap : field.words);
    }
    const uint64_t places = diff_run_count(diff, "mismatches") + diff_run_count(diff, "gaps");
    const int code = gtkw_write(&gtkw, settings->gtkw, places, whole, &settings->common);
    gtkw_free(&gtkw);
    return code;
}

/* Reports nothing where a side states something later only and both traces can be read again: the
 * settings have it then, for the next comparison. */
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
    if (compared && !broken && !again_quietly && !settings->first_only &&
        can_be_read_twice(paths[0]) && can_be_read_twice(paths[1])) {
        for (unsigned side = 0; side < 2; side++)
            settings->stated[side] = spoor_diff_stated(diff, side);
        if (settings->stated[0] || settings->stated[1]) {
            const int left = input_close(&pair.trace_inputs[0]);
            return worse(left, input_close(&pair.trace_inputs[1]));
        }
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
    const bool differ = spoor_diff_verdict(diff) != SPOOR_VERDICT_EQUAL;
    for (int side = 0; differ && side < 2; side++)
        if (!image_set_read_names(&report->located[side], &settings->common))
            code = worse(code, report->located[side].code);
    if (!error.text[0])
        code = worse(code, report_comparison(report, diff, &suggestion, paths[0], paths[1]));
    if (settings->gtkw)
        code = worse(code, diff_run_mark(diff, settings, &pair, paths, compared && !broken));
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
    const enum own_names names =
        settings->common.selection.where ? OWN_NAMES_READ : OWN_NAMES_ASKED;
    if (image_set_open(&report->located[0], &settings->common, paths[0], names)) {
        if (image_set_open(&report->located[1], &settings->common, paths[1], names)) {
            code = diff_run_compare(diff, settings, paths, report);
            code = worse_diff(code, image_set_close(&report->located[0]));
            code = worse_diff(code, image_set_close(&report->located[1]));
        } else {
            image_set_close(&report->located[0]);
        }
    }
    code_reader_close(reader);
    spoor_diff_free(diff);
    return code;
}

/* ---- diff pairs ---- */

struct diff_pairs {
    struct diff_pair {
        const char *left, *right;
    } * items;
    size_t count, capacity;
    struct lone_trace {
        const char *path, *folder; /* the folder that has no file of this name */
    } * lone;
    size_t lone_count, lone_capacity;
    struct word_list lefts, rights; /* names that the pairs own */
    char *text;                     /* of the file of pairs */
};

static bool diff_pairs_add(struct diff_pairs *pairs, const char *left, const char *right)
{
    if (!array_reserve(&pairs->items, &pairs->capacity, pairs->count + 1))
        return complain("out of memory");
    pairs->items[pairs->count++] = (struct diff_pair){left, right};
    return true;
}

/* The path in its folder. */
static const char *diff_pairs_name_in(const char *path, const char *folder)
{
    path += strlen(folder);
    return path + strspn(path, "/");
}

static int diff_pairs_compare(const char *a, const char *b)
{
    const size_t a_size = size_without_compression(a), b_size = size_without_compression(b);
    const int order = memcmp(a, b, a_size < b_size ? a_size : b_size);
    return order ? order : (a_size > b_size) - (a_size < b_size);
}

/* Of paths in one folder; `a.log` is before `a.log.gz`. */
static int diff_pairs_by_name(const void *a, const void *b)
{
    const char *const *paths[] = {a, b};
    const int order = diff_pairs_compare(*paths[0], *paths[1]);
    return order ? order : strcmp(*paths[0], *paths[1]);
}

/* Finds the pairs: of the file of --pairs; of two folders, the traces of the same name; else the
 * first operand with each of the others.  EXIT_NO, with a message, if a file of a folder has no
 * counterpart, which `lone` lists; EXIT_USAGE and EXIT_UNREADABLE if there is nothing to compare.
 */
static int diff_pairs_find(struct diff_pairs *pairs, const struct diff_settings *chosen)
{
    const struct settings *settings = &chosen->common;
    const char *file = chosen->pairs;
    const int count = settings->operand_count;
    const char *const folders[2] = {count ? settings->operands[0] : "",
                                    count > 1 ? settings->operands[1] : ""};
    if (file && count)
        return complain_for(EXIT_USAGE, "diff: --pairs and operands exclude each other");
    if (file) {
        FILE *list = fopen(file, "r");
        size_t size = 0;
        const bool read = list && getdelim(&pairs->text, &size, '\0', list) >= 0;
        if (!read)
            complain("%s: %s", file, list && !ferror(list) ? "the file is empty" : strerror(errno));
        if (list) fclose(list);
        if (!read) return EXIT_UNREADABLE;
        unsigned number = 0;
        for (char *line = pairs->text, *next; line; line = next) {
            /* "LEFT RIGHT" between blanks or a tab; '#' begins a comment */
            char *state = NULL;
            next = strchr(line, '\n');
            if (next) *next++ = '\0';
            number++;
            line[strcspn(line, "#\r")] = '\0';
            const char *left = strtok_r(line, " \t", &state);
            const char *right = strtok_r(NULL, " \t", &state);
            if (!left) continue;
            if (!right || strtok_r(NULL, " \t", &state))
                return complain_for(EXIT_USAGE, "%s:%u: expected two traces", file, number);
            if (!diff_pairs_add(pairs, left, right)) return EXIT_USAGE;
        }
        if (pairs->count) return EXIT_CLEAN;
        return complain_for(EXIT_USAGE, "%s: found no pair of traces", file);
    }
    if (count < 2)
        return complain_for(EXIT_USAGE, "diff: expected two or more traces, found %d", count);
    if (count == 2 && operand_is_folder(folders[0]) && operand_is_folder(folders[1])) {
        struct settings of_right = *settings;
        if (chosen->from_right) of_right.from = chosen->from_right;
        if (!operands_add_folder(&pairs->lefts, folders[0]) ||
            !operands_add_folder(&pairs->rights, folders[1]))
            return EXIT_UNREADABLE;
        /* traces of the same name, compressed or not */
        const struct word_list *lefts = &pairs->lefts, *rights = &pairs->rights;
        int code = EXIT_CLEAN;
        size_t passed[2] = {0};
        const char *examples[2] = {NULL, NULL};
        qsort(lefts->items, lefts->count, sizeof *lefts->items, diff_pairs_by_name);
        qsort(rights->items, rights->count, sizeof *rights->items, diff_pairs_by_name);
        for (size_t i = 0, j = 0; i < lefts->count || j < rights->count;) {
            const char *left = i < lefts->count ? lefts->items[i] : NULL;
            const char *right = j < rights->count ? rights->items[j] : NULL;
            const int order = !left    ? 1
                              : !right ? -1
                                       : diff_pairs_compare(diff_pairs_name_in(left, folders[0]),
                                                            diff_pairs_name_in(right, folders[1]));
            i += order <= 0;
            j += order >= 0;
            /* the partner of a trace is none of the files that are passed over: it is damaged */
            const bool passes[2] = {order <= 0 && operand_is_passed_over(settings, left),
                                    order >= 0 && operand_is_passed_over(&of_right, right)};
            if ((order > 0 || passes[0]) && (order < 0 || passes[1])) {
                for (unsigned side = 0; side < 2; side++)
                    if (passes[side] && !passed[side]++) examples[side] = side ? right : left;
                continue;
            }
            if (order == 0 && !diff_pairs_add(pairs, left, right)) return EXIT_UNREADABLE;
            if (order != 0) {
                const struct lone_trace lone = {order < 0 ? left : right, folders[order < 0]};
                const size_t lones = pairs->lone_count;
                complain("%s: has no counterpart in %s", lone.path, lone.folder);
                if (!array_reserve(&pairs->lone, &pairs->lone_capacity, lones + 1))
                    return complain_for(EXIT_UNREADABLE, "out of memory");
                pairs->lone[pairs->lone_count++] = lone;
                code = worse(code, EXIT_NO);
            }
        }
        operands_say_passed(settings, folders[0], passed[0], examples[0],
                            passed[0] == lefts->count);
        operands_say_passed(&of_right, folders[1], passed[1], examples[1],
                            passed[1] == rights->count);
        if (passed[0] == lefts->count || passed[1] == rights->count) return EXIT_UNREADABLE;
        if (pairs->count) return code;
        return complain_for(EXIT_NOTHING, "%s and %s: found no files of the same name", folders[0],
                            folders[1]);
    }
    for (int i = 1; i < count; i++)
        if (!diff_pairs_add(pairs, settings->operands[0], settings->operands[i]))
            return EXIT_UNREADABLE;
    return EXIT_CLEAN;
}

#define AT(member) offsetof(struct diff_settings, member)
static const struct option options[] = {
    OPT(0, "tolerate", LIST, "NAME", AT(tolerate),
        "accept the differences that NAME covers (repeatable; see --list tolerances)"),
    OPT(0, "ignore", LIST, "REGISTER", AT(ignore),
        "do not compare this register, pattern (m*) or group (csr, fcsr) (repeatable)"),
    OPT(0, "mask", LIST, "REGISTER=HEX", AT(mask),
        "compare only these bits of the register (repeatable)"),
    OPT(0, "pair-cpu", LIST, "LEFT=RIGHT", AT(cpu),
        "compare processor LEFT of the left trace with RIGHT of the right one, and no others"),
    OPT_CHOICE(
        0, "omits", "SIDE", AT(omits),
        "SIDE is incomplete (samples, a filter, no boot code): what it omits is no difference",
        "none|left|right"),
    OPT_CHOICE(0, "effects-first", "WHEN", AT(effects_first), "left, right: of this one",
               "auto|no|left|right|yes"),
    OPT(0, "top", COUNT, "N", AT(limit), "roots, and consequences (default: 20)"),
    OPT(0, "html", OUTPUT, "FILE", AT(html), "sides next to each other, consequences folded"),
    OPT(0, "junit", OUTPUT, "FILE", AT(junit), NULL),
    OPT(0, "gtkw", OUTPUT, "FILE", AT(gtkw),
        "of a waveform: marks of the first places that are found, for GTKWave"),
    OPT(0, "window", NUMBER, "N", AT(window),
        "equal instructions may come in another order within N"),
    OPT_FLAG(0, "compare-time", AT(compare_time), "compare the time too"),
    OPT(0, "volatile", LIST, "SOURCE", AT(volatile_),
        "accept differences in a register or in memory HEX:HEX, and in values computed from it"),
    OPT(0, "waive", LIST, "CONDITIONS", AT(waive),
        "accept differences with class=, pc=, reg=, mem=, opcode=, record= (repeatable)"),
    OPT(0, "rules", INPUT, "FILE", AT(rules),
        "read tolerances, masks, volatile sources and waivers from FILE"),
    SELECTION_OPTIONS,
    OPT_FLAG(0, "by-record", AT(by_record),
             "compare record by record, not instruction by instruction"),
    OPT(0, "window-ticks", NUMBER, "T", AT(window_ticks),
        "equal instructions may come in another order within T units of time"),
    OPT(0, "lookahead", NUMBER, "N", AT(lookahead),
        "search N instructions for the point where traces converge (default: 32768)"),
    OPT_CHOICE(
        0, "omissions", "MODE", AT(omissions),
        "what a format omits by its nature (riscv-dv, samples) is no difference (auto), or gaps",
        "auto|gaps"),
    OPT(0, "right-from", FORMAT, "FORMAT", AT(from_right),
        "read the second and further traces as FORMAT"),
    OPT(0, "width", NUMBER, "COLUMNS", AT(width),
        "width of the report (default: the terminal's, or 100)"),
    OPT(0, "markdown", OUTPUT, "FILE", AT(markdown), "also write a Markdown report to FILE"),
    OPT_CHOICE(0, "annotations", "FORM", AT(annotations), "each difference is one",
               ANNOTATION_CHOICES),
    OPT(0, "pairs", INPUT, "FILE", AT(pairs),
        "compare the pairs of FILE, two traces a line, instead of operands"),
    OPT_FLAG(0, "unused-waivers", AT(unused_waivers),
             "exit code 1 if a waiver accepts no difference"),
    IMAGE_OPTIONS,
    CODE_OPTION,
    {0, "fds", NULL, OPTION_FLAG, AT(first_only), "Trace Matcher: stop at the first difference",
     NULL, OPTION_SINGLE_DASH},
    {0, "sa", "ADDRESS", OPTION_TEXT, AT(start),
     "Trace Matcher: skip every trace to the instruction at ADDRESS (hexadecimal)", NULL,
     OPTION_SINGLE_DASH},
    {0, "bs", "N", OPTION_NUMBER, AT(boot),
     "Trace Matcher: do not compare the first N instructions (boot code)", NULL,
     OPTION_SINGLE_DASH},
    {0, "se", NULL, OPTION_FLAG, AT(no_repeats),
     "Trace Matcher: skip consecutive records that differ only in time", NULL, OPTION_SINGLE_DASH},
    {0, "sr", NULL, OPTION_FLAG, AT(ignore_rest),
     "Trace Matcher: ignore the rest of the longest trace", NULL, OPTION_SINGLE_DASH},
    {'w', "w", "N", OPTION_NUMBER, AT(matcher_window),
     "Trace Matcher: compare record by record; equal records match within N (default: 1)", "1",
     OPTION_SINGLE_DASH},
    {'d', "d", NULL, OPTION_FLAG, AT(verbose), "Trace Matcher: show every difference", NULL,
     OPTION_SINGLE_DASH},
    OPT_FLAG(0, "first-dif-stop", AT(first_only), "Trace Matcher's long name of -fds"),
    OPT(0, "start-addr", TEXT, "ADDRESS", AT(start), "Trace Matcher's long name of -sa"),
    OPT(0, "boot-size", NUMBER, "N", AT(boot), "Trace Matcher's long name of -bs"),
    OPT_FLAG(0, "skip-equal", AT(no_repeats), "Trace Matcher's long name of -se"),
    OPT_FLAG(0, "skip-rest", AT(ignore_rest), "Trace Matcher's long name of -sr"),
    {0, "window-size", "N", OPTION_NUMBER, AT(matcher_window), "Trace Matcher's long name of -w",
     "1", OPTION_DOUBLE_DASH},
    OPT_FLAG(0, "debug", AT(verbose), "every difference; Trace Matcher's long name of -d"),
    OPTION_END,
};

/* ---- the verb ---- */

static int diff_run(void *chosen)
{
    struct diff_settings *settings = chosen;
    const struct settings *common = &settings->common;
    struct diff_pairs pairs = {0};
    int code = diff_pairs_find(&pairs, settings);
    if (settings->gtkw && code != EXIT_USAGE &&
        !gtkw_suits("diff", pairs.count == 1 ? pairs.items[0].left : NULL))
        code = EXIT_USAGE;
    if (code == EXIT_CLEAN || code == EXIT_NO || pairs.lone_count) {
        struct report report = {.data = prints_data(common),
                                .form = result_form_of(common),
                                .color = wants_color(common),
                                .width = (unsigned)settings->width,
                                .annotates = annotates(settings->annotations),
                                .github = settings->annotations == ANNOTATIONS_GITHUB,
                                .strict_waivers = settings->unused_waivers,
                                .several = pairs.count + pairs.lone_count > 1,
                                .is_part = selection_is_part(common)};
        if (report_begin(&report, common, settings->junit, settings->markdown, settings->html)) {
            for (size_t i = 0; i < pairs.lone_count; i++)
                report_uncompared(&report, pairs.lone[i].path, pairs.lone[i].folder, true);
            for (size_t i = 0; i < pairs.count && code != EXIT_USAGE; i++) {
                const struct diff_pair *pair = &pairs.items[i];
                const unsigned before = report.count;
                const char *const paths[2] = {pair->left, pair->right};
                struct diff_settings own = *settings;
                int found = diff_run_once(&own, paths, &report);
                if (own.stated[0] || own.stated[1]) {
                    own.common.quiet = true; /* what there was to say of the files was said */
                    found = worse_diff(found, diff_run_once(&own, paths, &report));
                }
                /* of a pair alone, memory that runs out must leave no report */
                if (report.count == before && found != EXIT_USAGE &&
                    (report.several || report.unreadable))
                    report_uncompared(&report, pair->left, pair->right, false);
                code = worse_diff(code, found);
            }
            const bool whole = !report.broken && report.count == pairs.count + pairs.lone_count;
            code = worse_diff(code, report_end(&report, whole));
        } else {
            code = EXIT_UNREADABLE;
        }
    }
    free(pairs.items);
    free(pairs.lone);
    word_list_free(&pairs.lefts);
    word_list_free(&pairs.rights);
    free(pairs.text);
    /* which says where nothing was selected */
    if (code == EXIT_NOTHING && selection_is_part(common)) (void)selection_verdict(EXIT_CLEAN);
    return code;
}

const struct verb verb_diff = {
    .name = "diff",
    .brief = "compare traces: where they differ, why, and which differences are roots",
    .operands = "TRACE TRACE...|FOLDER FOLDER",
    .about =
        "Compares the first trace with each of the others, instruction by instruction with "
        "all effects, in any formats.  Separates wrong values (roots) from those computed from "
        "them (consequences) and from stretches that one trace lacks (gaps), and lists what "
        "was not compared.  Exit code 0: equal; 1: different; 4: the traces diverged and did "
        "not converge again; 5: nothing was compared.",
    .options = options,
    .settings_size = sizeof(struct diff_settings),
    .results = true,
    .numbers = true,
    .follows = true,
    .run = diff_run,
};
