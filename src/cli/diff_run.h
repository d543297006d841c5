/* SPDX-License-Identifier: MIT */
/* diff_run.h: compare two traces as the options of `diff` say. */
#ifndef SPOOR_CLI_DIFF_RUN_H
#define SPOOR_CLI_DIFF_RUN_H

#include "cli/cli.h"
#include "cli/diff_report.h"

struct diff_settings {
    struct settings common;
    struct list tolerate, ignore, mask, volatile_, waive, cpu;
    const char *rules;
    uint64_t window, window_ticks, lookahead, limit, width;
    bool by_record, compare_time, reordered;
    int effects_first, omissions, omits;
    const char *junit, *markdown, *html, *pairs;
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

/* Compares two traces and reports; returns the exit code. */
int diff_traces(const struct diff_settings *settings, const char *left, const char *right,
                struct report *report);

#endif
