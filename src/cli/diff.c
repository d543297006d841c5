/* SPDX-License-Identifier: MIT */
/* diff.c: the verb `diff`, which compares two or more traces. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/scan.h"
#include "cli/ci_report.h"
#include "cli/cli.h"
#include "cli/diff_pairs.h"
#include "cli/diff_report.h"

struct diff_settings {
    struct settings common;
    struct list tolerate, ignore, mask, volatile_, waive, cpu;
    const char *rules;
    uint64_t window, window_ticks, lookahead, limit, width;
    bool by_record, compare_time, reordered;
    int leads, omissions;
    const char *junit, *markdown, *html, *pairs;
    int annotations; /* enum annotations */
    bool unused_waivers;
    const struct spoor_format *from_right;
    /* options of Trace Matcher */
    bool first_only, no_repeats, ignore_rest, verbose;
    uint64_t boot;
    const char *start;
    uint64_t matcher_window;
};

#define AT(member) offsetof(struct diff_settings, member)
static const struct option options[] = {
    {0, "tolerate", "NAME", OPTION_LIST, AT(tolerate),
     "accept the differences that NAME covers (repeatable; see --list tolerances)", NULL,
     OPTION_DOUBLE_DASH},
    {0, "ignore", "REGISTER", OPTION_LIST, AT(ignore), "do not compare this register (repeatable)",
     NULL, OPTION_DOUBLE_DASH},
    {0, "mask", "REGISTER=HEX", OPTION_LIST, AT(mask),
     "compare only these bits of the register (repeatable)", NULL, OPTION_DOUBLE_DASH},
    {0, "volatile", "SOURCE", OPTION_LIST, AT(volatile_),
     "accept differences in a register or in memory HEX:HEX, and in values computed from it", NULL,
     OPTION_DOUBLE_DASH},
    {0, "waive", "CONDITIONS", OPTION_LIST, AT(waive),
     "accept differences with class=, pc=, reg=, mem=, opcode=, record= (repeatable)", NULL,
     OPTION_DOUBLE_DASH},
    {0, "rules", "FILE", OPTION_INPUT, AT(rules),
     "read tolerances, masks, volatile sources and waivers from FILE", NULL, OPTION_DOUBLE_DASH},
    {0, "cpu", "LEFT=RIGHT", OPTION_LIST, AT(cpu),
     "processor LEFT of the left trace is RIGHT of the right one", NULL, OPTION_DOUBLE_DASH},
    {0, "by-record", NULL, OPTION_FLAG, AT(by_record),
     "compare record by record, not instruction by instruction", NULL, OPTION_DOUBLE_DASH},
    {0, "time", NULL, OPTION_FLAG, AT(compare_time), "compare the time too", NULL,
     OPTION_DOUBLE_DASH},
    {0, "effects-first", "SIDE", OPTION_CHOICE, AT(leads),
     "SIDE prints effects before their instruction (RTL)", "none|left|right|both",
     OPTION_DOUBLE_DASH},
    {0, "window", "N", OPTION_NUMBER, AT(window),
     "equal instructions may come in another order within N", NULL, OPTION_DOUBLE_DASH},
    {0, "window-ticks", "T", OPTION_NUMBER, AT(window_ticks),
     "equal instructions may come in another order within T units of time", NULL,
     OPTION_DOUBLE_DASH},
    {0, "lookahead", "N", OPTION_NUMBER, AT(lookahead),
     "search N instructions for the point where traces converge (default: 32768)", NULL,
     OPTION_DOUBLE_DASH},
    {0, "omissions", "MODE", OPTION_CHOICE, AT(omissions),
     "treat a trace that omits instructions as a subsequence (auto), or as one with gaps",
     "auto|gaps", OPTION_DOUBLE_DASH},
    {0, "right-from", "FORMAT", OPTION_FORMAT, AT(from_right),
     "read the second and further traces as FORMAT", NULL, OPTION_DOUBLE_DASH},
    {0, "limit", "N", OPTION_NUMBER, AT(limit), "show N differences (default: 20)", NULL,
     OPTION_DOUBLE_DASH},
    {0, "width", "COLUMNS", OPTION_NUMBER, AT(width),
     "width of the report (default: the terminal's, 100 to 200)", NULL, OPTION_DOUBLE_DASH},
    {0, "junit", "FILE", OPTION_OUTPUT, AT(junit), "also write a JUnit report to FILE", NULL,
     OPTION_DOUBLE_DASH},
    {0, "markdown", "FILE", OPTION_OUTPUT, AT(markdown), "also write a Markdown report to FILE",
     NULL, OPTION_DOUBLE_DASH},
    {0, "html", "FILE", OPTION_OUTPUT, AT(html),
     "also write an HTML report to FILE: sides next to each other, consequences folded", NULL,
     OPTION_DOUBLE_DASH},
    {0, "annotations", "FORM", OPTION_CHOICE, AT(annotations),
     "print each comparison that is not equal as an annotation of GitHub's workflows",
     ANNOTATION_CHOICES, OPTION_DOUBLE_DASH},
    {0, "pairs", "FILE", OPTION_INPUT, AT(pairs),
     "compare the pairs of FILE, two traces a line, instead of operands", NULL, OPTION_DOUBLE_DASH},
    {0, "unused-waivers", NULL, OPTION_FLAG, AT(unused_waivers),
     "exit code 1 if a waiver accepts no difference", NULL, OPTION_DOUBLE_DASH},
    IMAGE_OPTIONS,
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
    OPTION_END,
};

/* ---- rules ---- */

static bool add_rule(struct spoor_diff *diff, const char *rule)
{
    struct spoor_error error = {0};
    if (spoor_diff_rule(diff, rule, &error) == SPOOR_OK) return true;
    complain("diff: %s", error.text);
    return false;
}

static bool add_list(struct spoor_diff *diff, const char *word, const struct list *list,
                     char separator)
{
    for (size_t i = 0; i < list->count; i++) {
        char rule[512];
        if (snprintf(rule, sizeof rule, "%s %s", word, list->items[i]) >= (int)sizeof rule) {
            complain("diff: --%s: argument too long, expected at most 500 bytes", word);
            return false;
        }
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
    if (!file) {
        complain("%s: %s", path, strerror(errno));
        return false;
    }
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
    complain("diff -sa: found '%s', expected a hexadecimal address", word);
    return false;
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
    enum { ALL = 1000000 };
    bool as_matcher = settings->matcher_window > 0;
    return (struct spoor_diff_options){
        .window = as_matcher ? settings->matcher_window : settings->window,
        .window_ticks = settings->window_ticks,
        .lookahead = settings->lookahead,
        .skip = settings->boot,
        .by_record = settings->by_record || as_matcher,
        .no_omissions = settings->omissions == 1,
        .first_only = settings->first_only,
        .no_repeats = settings->no_repeats,
        .compare_time = settings->compare_time,
        .leads = {settings->leads & 1, settings->leads & 2},
        .retained = settings->verbose ? ALL : settings->limit,
    };
}

/* Both traces, opened. */
struct pair {
    struct settings settings[2];
    struct trace_input trace_inputs[2];
};

/* True for a file of 0 bytes, which has no format to detect. */
static bool is_empty(const char *path)
{
    struct stat status;
    if (strcmp(path, "/dev/null") == 0) return true;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 0;
}

/* Opens both traces, each with its own threads, so that they are read in parallel.  An empty trace
 * is read in the format of the other. */
static bool open_both(struct pair *pair, const struct diff_settings *settings,
                      const char *const paths[2])
{
    for (int side = 0; side < 2; side++) pair->settings[side] = settings->common;
    if (settings->from_right) pair->settings[1].from = settings->from_right;
    const int first = is_empty(paths[0]) ? 1 : 0, second = 1 - first;
    struct settings *of_first = &pair->settings[first], *of_second = &pair->settings[second];
    if (!of_first->from && is_empty(paths[first])) of_first->from = spoor_format_at(0);
    if (!input_open(&pair->trace_inputs[first], paths[first], of_first)) {
        pair->trace_inputs[0].exit_code = pair->trace_inputs[first].exit_code;
        return false;
    }
    if (!of_second->from && is_empty(paths[second]))
        of_second->from = pair->trace_inputs[first].stream->format;
    if (input_open(&pair->trace_inputs[second], paths[second], of_second)) return true;
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

static int compare(const struct diff_settings *settings, const char *left, const char *right,
                   struct report *report)
{
    struct pair pair;
    struct trace_input *trace_inputs = pair.trace_inputs;
    const char *const paths[2] = {left, right};
    struct spoor_error error = {0};
    struct spoor_diff_options how = options_of(settings);
    how.has_start = settings->start != NULL;
    if (how.has_start && !parse_start(settings->start, &how.start)) return EXIT_USAGE;
    struct spoor_diff *diff = NULL;
    if (spoor_diff_new(&diff, &how, &error) != SPOOR_OK) {
        complain("out of memory");
        return EXIT_UNREADABLE;
    }
    if (!add_rules(diff, settings)) {
        spoor_diff_free(diff);
        return EXIT_USAGE;
    }
    if (!open_images(report, &settings->common, paths)) {
        spoor_diff_free(diff);
        return EXIT_UNREADABLE;
    }
    int code;
    if (open_both(&pair, settings, paths)) {
        const struct spoor_diff_input inputs[2] = {
            {next, &trace_inputs[0], trace_inputs[0].stream},
            {next, &trace_inputs[1], trace_inputs[1].stream}};
        const bool compared = spoor_diff_run(diff, inputs, &error) == SPOOR_OK;
        const bool broken = trace_inputs[0].broken || trace_inputs[1].broken;
        if (broken) spoor_diff_doubt(diff);
        report->broken |= broken;
        code = compared ? code_of(spoor_diff_verdict(diff)) : fail(&error);
        if (!error.text[0]) code = worse(code, report_comparison(report, diff, left, right));
        for (int side = 0; side < 2; side++) code = worse(code, input_close(&trace_inputs[side]));
    } else {
        code = trace_inputs[0].exit_code;
    }
    for (int side = 0; side < 2; side++)
        code = worse_diff(code, located_close(&report->located[side]));
    spoor_diff_free(diff);
    return code;
}

/* ---- the verb ---- */

static int run(void *chosen)
{
    struct diff_settings *settings = chosen;
    const struct settings *common = &settings->common;
    struct diff_pairs pairs = {0};
    int code = diff_pairs_find(&pairs, settings->pairs, common);
    if (code == EXIT_CLEAN || code == EXIT_NO) {
        struct report report = {.json = common->json,
                                .color = wants_color(common),
                                .width = (unsigned)settings->width,
                                .github = settings->annotations == ANNOTATIONS_GITHUB,
                                .strict_waivers = settings->unused_waivers,
                                .several = pairs.count > 1};
        if (report_begin(&report, common, settings->junit, settings->markdown, settings->html)) {
            for (size_t i = 0; i < pairs.count && code != EXIT_USAGE; i++)
                code = worse_diff(
                    code, compare(settings, pairs.items[i].left, pairs.items[i].right, &report));
            const bool whole = !report.broken && report.count == pairs.count;
            code = worse_diff(code, report_end(&report, whole));
        } else {
            code = EXIT_UNREADABLE;
        }
    }
    diff_pairs_free(&pairs);
    return code;
}

const struct verb verb_diff = {
    .name = "diff",
    .brief = "compare traces: where they differ, why, and which differences are roots",
    .operands = "TRACE TRACE...|FOLDER FOLDER",
    .about = "Compares the first trace with each of the others, instruction by instruction with "
             "all effects, in any formats.  Finds where diverged traces converge again, separates "
             "wrong values from their consequences, and lists what was not compared.  Exit code 0: "
             "equal; 1: different; 4: the traces diverged for good; 5: nothing was compared.",
    .options = options,
    .settings_size = sizeof(struct diff_settings),
    .results = true,
    .run = run,
};
