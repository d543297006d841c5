/* SPDX-License-Identifier: MIT */
/* diff.c: the verb `diff`, which compares two or more traces. */
#include <string.h>

#include "cli/ci_report.h"
#include "cli/diff_pairs.h"
#include "cli/diff_run.h"

#define AT(member) offsetof(struct diff_settings, member)
static const struct option options[] = {
    OPT(0, "tolerate", LIST, "NAME", AT(tolerate),
        "accept the differences that NAME covers (repeatable; see --list tolerances)"),
    OPT(0, "ignore", LIST, "REGISTER", AT(ignore),
        "do not compare this register, pattern (m*) or group (csr, fcsr) (repeatable)"),
    OPT(0, "mask", LIST, "REGISTER=HEX", AT(mask),
        "compare only these bits of the register (repeatable)"),
    OPT(0, "volatile", LIST, "SOURCE", AT(volatile_),
        "accept differences in a register or in memory HEX:HEX, and in values computed from it"),
    OPT(0, "waive", LIST, "CONDITIONS", AT(waive),
        "accept differences with class=, pc=, reg=, mem=, opcode=, record= (repeatable)"),
    OPT(0, "rules", INPUT, "FILE", AT(rules),
        "read tolerances, masks, volatile sources and waivers from FILE"),
    OPT(0, "pair-cpu", LIST, "LEFT=RIGHT", AT(cpu),
        "compare processor LEFT of the left trace with RIGHT of the right one, and no others"),
    OPT(0, "cpu", LIST, "LEFT=RIGHT", AT(cpu), "another name of --pair-cpu"),
    OPT_FLAG(0, "by-record", AT(by_record),
             "compare record by record, not instruction by instruction"),
    OPT_FLAG(0, "time", AT(compare_time), "compare the time too"),
    OPT_CHOICE(0, "effects-first", "SIDE", AT(effects_first),
               "SIDE prints effects before their instruction, as RTL does (default: by the "
               "registers that opcodes write)",
               "auto|none|left|right|both"),
    OPT(0, "window", NUMBER, "N", AT(window),
        "equal instructions may come in another order within N"),
    OPT(0, "window-ticks", NUMBER, "T", AT(window_ticks),
        "equal instructions may come in another order within T units of time"),
    OPT(0, "lookahead", NUMBER, "N", AT(lookahead),
        "search N instructions for the point where traces converge (default: 32768)"),
    OPT_CHOICE(
        0, "omissions", "MODE", AT(omissions),
        "what a format omits by its nature (riscv-dv, samples) is no difference (auto), or gaps",
        "auto|gaps"),
    OPT_CHOICE(
        0, "omits", "SIDE", AT(omits),
        "SIDE is incomplete (samples, a filter, no boot code): what it omits is no difference",
        "none|left|right"),
    OPT(0, "right-from", FORMAT, "FORMAT", AT(from_right),
        "read the second and further traces as FORMAT"),
    OPT(0, "limit", COUNT, "N", AT(limit), "show N differences (default: 20)"),
    OPT(0, "width", NUMBER, "COLUMNS", AT(width),
        "width of the report (default: the terminal's, or 100)"),
    OPT(0, "junit", OUTPUT, "FILE", AT(junit), "also write a JUnit report to FILE"),
    OPT(0, "markdown", OUTPUT, "FILE", AT(markdown), "also write a Markdown report to FILE"),
    OPT(0, "html", OUTPUT, "FILE", AT(html),
        "also write an HTML report to FILE: sides next to each other, consequences folded"),
    OPT_CHOICE(
        0, "annotations", "FORM", AT(annotations),
        "print each difference as an annotation of GitHub's workflows (auto: also, where these "
        "run)",
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
    OPT_FLAG(0, "debug", AT(verbose), "Trace Matcher's long name of -d"),
    OPTION_END,
};

/* ---- the verb ---- */

static int diff_run(void *chosen)
{
    struct diff_settings *settings = chosen;
    const struct settings *common = &settings->common;
    struct diff_pairs pairs = {0};
    int code = diff_pairs_find(&pairs, settings->pairs, common);
    if (code == EXIT_CLEAN || code == EXIT_NO || pairs.lone_count) {
        struct report report = {.data = prints_data(common),
                                .form = result_form_of(common),
                                .color = wants_color(common),
                                .width = (unsigned)settings->width,
                                .annotates = annotates(settings->annotations),
                                .github = settings->annotations == ANNOTATIONS_GITHUB,
                                .strict_waivers = settings->unused_waivers,
                                .several = pairs.count + pairs.lone_count > 1};
        if (report_begin(&report, common, settings->junit, settings->markdown, settings->html)) {
            for (size_t i = 0; i < pairs.lone_count; i++)
                report_missing(&report, pairs.lone[i].path, pairs.lone[i].folder);
            for (size_t i = 0; i < pairs.count && code != EXIT_USAGE; i++) {
                const struct diff_pair *pair = &pairs.items[i];
                const unsigned before = report.count;
                const int found = diff_traces(settings, pair->left, pair->right, &report);
                /* of a pair alone, memory that runs out must leave no report */
                if (report.count == before && found != EXIT_USAGE &&
                    (report.several || report.unreadable))
                    report_unread(&report, pair->left, pair->right);
                code = worse_diff(code, found);
            }
            const bool whole = !report.broken && report.count == pairs.count + pairs.lone_count;
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
    .follows = true,
    .run = diff_run,
};
