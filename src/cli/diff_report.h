/* SPDX-License-Identifier: MIT */
/* diff_report.h: what `diff` prints: side by side, JSON, JUnit, Markdown. */
#ifndef SPOOR_CLI_DIFF_REPORT_H
#define SPOOR_CLI_DIFF_REPORT_H

#include "base/text.h"
#include "cli/located.h"

struct report {
    bool json, color, several;
    unsigned width;                        /* 0: as wide as the terminal, 100 to 200 */
    struct spoor_result *list;             /* JSON of several comparisons */
    struct spoor_output *junit, *markdown; /* or NULL */
    struct text cases;                     /* JUnit: test cases so far */
    struct text sections;                  /* Markdown, likewise */
    unsigned count, failures;
    bool broken;               /* a trace could not be read to its end: the files do not appear */
    struct located located[2]; /* of the traces at hand */
};

/* Open the files that are wanted; false: an error has been printed. */
bool report_begin(struct report *report, const struct settings *settings, const char *junit,
                  const char *markdown);
/* Report one finished comparison; gives an exit code where printing failed. */
int report_comparison(struct report *report, const struct spoor_diff *diff, const char *left,
                      const char *right);
/* `whole`: every comparison was reported; else the files do not appear. */
int report_end(struct report *report, bool whole);

/* The exit code of several comparisons: 3 before 4 before 1 before 5 before 0. */
int worse_diff(int a, int b);

/* The first screen and what follows, as text. */
void diff_as_text(const struct spoor_diff *diff, const struct located located[2], unsigned width,
                  bool color, struct text *text);
void diff_as_markdown(const struct spoor_diff *diff, const struct located located[2],
                      struct text *text);
/* One test case of a JUnit file. */
void diff_as_junit(const struct spoor_diff *diff, const struct located located[2],
                   struct text *text);

#endif
