/* SPDX-License-Identifier: MIT */
/* describe.c: the verb `describe`: propose a description of a log. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/layout.h"
#include "spoor/describe.h"

static void describe_put_trial(struct spoor_result *result,
                               const struct spoor_describe_trial *trial)
{
    spoor_result_unsigned(result, "lines", trial->lines);
    spoor_result_real_if(result, "recognised_ratio", trial->lines,
                         (double)trial->taken / (double)(trial->lines ? trial->lines : 1), 6);
    struct spoor_result *rules = spoor_result_array(result, "rules");
    for (size_t i = 0; i < trial->rule_count; i++) {
        struct spoor_result *row = spoor_result_object(rules, NULL);
        spoor_result_unsigned(row, "line", trial->rules[i].line);
        spoor_result_bytes(row, "rule", trial->rules[i].text, trial->rules[i].text_size);
        spoor_result_unsigned(row, "lines", trial->rules[i].lines);
    }
    struct spoor_result *misses = spoor_result_array(result, "misfits");
    for (size_t i = 0; i < trial->miss_count; i++) {
        struct spoor_result *row = spoor_result_object(misses, NULL);
        spoor_result_unsigned(row, "line", trial->misses[i].line);
        spoor_result_unsigned(row, "column", trial->misses[i].column);
        spoor_result_text(row, "found", trial->misses[i].found);
        spoor_result_text(row, "expected", trial->misses[i].expected);
    }
    struct spoor_result *warnings = spoor_result_array(result, "warnings");
    for (size_t i = 0; i < trial->warning_count; i++)
        spoor_result_text(warnings, NULL, trial->warnings[i]);
}

static int describe_run(void *chosen)
{
    const struct settings *settings = chosen;
    if (settings->operand_count != 1) {
        complain("describe: expected one log");
        return EXIT_USAGE;
    }
    const char *path = settings->operands[0];
    struct spoor_error error = {0};
    struct spoor_describe_trial *trial = NULL;
    char *description = NULL;
    double share = 0;
    const enum spoor_status status = settings->from
                                         ? spoor_describe_try(settings->from, path, &trial, &error)
                                         : spoor_describe_log(path, &description, &share, &error);
    if (status == SPOOR_EUSAGE) return complain_for(EXIT_USAGE, "describe: %s", error.text);
    if (status != SPOOR_OK && !trial && !description)
        return complain_for(EXIT_UNREADABLE, "%s", error.text);
    const struct layout layout = layout_of(settings, NULL);
    struct spoor_result *result = spoor_result_new_object();
    bool shown = false;
    spoor_result_text(result, "trace", path);
    if (trial) {
        spoor_result_text(result, "format", spoor_format_name(settings->from));
        describe_put_trial(result, trial);
        if (!prints_data(settings)) spoor_result_unsigned(result, "taken", trial->taken);
    } else {
        spoor_result_real(result, "recognised_ratio", share, 6);
        spoor_result_text(result, "description", description);
    }
    int code = layout_show(&layout, result, &shown, NULL);
    if (trial && code == EXIT_CLEAN && trial->taken < trial->lines) code = EXIT_NO;
    if (status != SPOOR_OK) code = worse(code, complain_for(EXIT_UNREADABLE, "%s", error.text));
    spoor_describe_trial_free(trial);
    free(description);
    return code;
}

const struct verb verb_describe = {
    .name = "describe",
    .brief = "propose a description of a log or waveform, or try one",
    .operands = "LOG",
    .about =
        "Finds the columns of a log and what they probably are, and prints a description: text "
        "that makes it a format. Save it as NAME.spoor-format, mend what is wrong, and read "
        "the log with -f NAME.spoor-format. With -f, says what each rule of that description "
        "takes of the log, which lines none takes, and what slows it or hides a rule. Of a "
        "waveform of a RISC-V core, finds the signals that are its instructions.",
    .settings_size = sizeof(struct settings),
    .results = true,
    .run = describe_run,
};
