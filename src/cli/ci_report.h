/* SPDX-License-Identifier: MIT */
/* ci_report.h: results for the services that run tests: JUnit's XML, annotations of GitHub. */
#ifndef SPOOR_CLI_CI_REPORT_H
#define SPOOR_CLI_CI_REPORT_H

#include "base/text.h"
#include "cli/option.h"

enum annotations { ANNOTATIONS_NONE, ANNOTATIONS_GITHUB };
#define ANNOTATION_CHOICES "none|github"

/* Appends text in which XML's special characters are escaped. */
void xml_put(struct text *text, const char *bytes, size_t size);
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
