/* SPDX-License-Identifier: MIT */
/* ci_report.h: results for the services that run tests: JUnit's XML, annotations of GitHub. */
#ifndef SPOOR_CLI_CI_REPORT_H
#define SPOOR_CLI_CI_REPORT_H

#include "base/text.h"
#include "cli/option.h"

/* AUTO: beside the usual text, where GitHub's workflows run; GITHUB: instead of it. */
enum annotations { ANNOTATIONS_AUTO, ANNOTATIONS_NONE, ANNOTATIONS_GITHUB };
#define ANNOTATION_CHOICES "auto|none|github"
/* True if annotations are to be printed: `wanted` is enum annotations. */
bool annotates(int wanted);
/* Appends to the summary of GitHub's job, if there is one (GITHUB_STEP_SUMMARY); false, after a
 * message, if that fails. */
bool github_summarise(const struct text *text);

/* Appends one test case; failure NULL: it passed, else a word and the text of the failure. */
void junit_put_case(struct text *text, const char *class, const char *name, const char *failure,
                    const struct text *body);
/* Appends the file that holds the test cases. */
void junit_put_file(struct text *file, const char *suite, size_t tests, size_t failures,
                    const struct text *cases);

/* Appends a workflow command: an annotation (level: error, warning, notice) of a line (0: of the
 * file). */
void github_put(struct text *text, const char *level, const char *file, uint64_t line,
                const char *title, const char *message);

#endif
