/* SPDX-License-Identifier: MIT */
/* diff_report.h: the reports of `diff`: side by side, JSON, JUnit, Markdown. */
#ifndef SPOOR_CLI_DIFF_REPORT_H
#define SPOOR_CLI_DIFF_REPORT_H

#include "base/text.h"
#include "cli/image_set.h"
#include "spoor/diff.h"

struct report {
    bool data, color, several; /* data: the tree is printed, in this form: */
    enum result_form form;
    bool is_part;                          /* of the traces: only some records are compared */
    bool annotates;                        /* annotations of GitHub, */
    bool github;                           /* instead of text */
    bool strict_waivers;                   /* a waiver that accepted nothing is a failure */
    unsigned width;                        /* characters; 0: the width of the screen, else 100 */
    struct spoor_result *list;             /* JSON of several comparisons */
    struct spoor_output *junit, *markdown; /* or NULL */
    struct text cases;                     /* JUnit: test cases so far */
    struct text sections;                  /* Markdown, likewise */
    struct spoor_output *html;             /* or NULL */
    struct text page;                      /* HTML, likewise */
    struct report_row {
        struct text name; /* of the right trace */
        const char *verdict;
        uint64_t compared, mismatches, gaps;
    } * rows;            /* of the table at the end, where there are several */
    size_t row_capacity; /* `count` of them */
    unsigned count, failures;
    bool broken;                 /* a trace could not be read to its end: the files do not appear */
    bool unreadable;             /* a trace could not be opened, for another reason than memory */
    struct image_set located[2]; /* images of the current traces */
};

/* A finished comparison. */
struct diff_answer {
    const struct spoor_diff *diff;
    const struct spoor_result *result; /* with the places that images have */
    const struct image_set *located;   /* images of both sides */
};
/* A count of the result. */
static inline uint64_t diff_answer_count(const struct diff_answer *compared, const char *key)
{
    return spoor_result_whole(spoor_result_member(compared->result, key));
}
/* The path of a side, 0 (left) or 1 (right). */
static inline const char *diff_answer_path(const struct diff_answer *compared, unsigned side)
{
    const struct spoor_result *of = spoor_result_member(compared->result, side ? "right" : "left");
    const char *path = spoor_result_string(spoor_result_member(of, "trace"), NULL);
    return path ? path : "";
}

/* Opens the requested files; false after it has printed an error. */
bool report_begin(struct report *report, const struct settings *settings, const char *junit,
                  const char *markdown, const char *html);
/* Options with which traces that differ are equal. */
enum { SUGGESTED_REGISTERS = 4, SUGGESTED_NAME = 24 };
struct suggestion {
    uint32_t tolerances;                               /* bit N: enum spoor_tolerance N */
    unsigned window;                                   /* 0: none */
    char ignored[SUGGESTED_REGISTERS][SUGGESTED_NAME]; /* control registers, or "csr": all */
    unsigned ignored_count;
    unsigned leads;  /* bit N: side N prints effects first */
    unsigned nearly; /* the same, with which nearly all agree: not an option of equal traces */
};
/* Reports one finished comparison, and the options with which the traces are equal; returns an exit
 * code, which states whether printing failed. */
int report_comparison(struct report *report, const struct spoor_diff *diff,
                      const struct suggestion *suggestion, const char *left, const char *right);
/* Reports, as a failed test case, two traces that cannot be read, or (`missing`) the trace `left`,
 * which the folder `right` does not have. */
void report_uncompared(struct report *report, const char *left, const char *right, bool missing);
/* `whole`: every comparison was reported; else the files do not appear. */
int report_end(struct report *report, bool whole);

/* Returns the exit code of several comparisons: 3 takes precedence, then 4, 1, 5, 0. */
int worse_diff(int a, int b);

/* Writes the summary, the first difference and the lists as text. */
struct diff_page {
    unsigned width; /* of both sides next to each other, */
    unsigned limit; /* and of other lines; 0: without limit */
    bool color;
};
void diff_as_text(const struct diff_answer *compared, const struct diff_page *form,
                  struct text *text);
/* The first difference with its context, `column` characters for each side. */
void diff_put_beside(const struct diff_answer *compared, unsigned column, bool color,
                     struct text *text);
void diff_as_markdown(const struct diff_answer *compared, struct text *text);
/* Writes an annotation of GitHub for each of the first differences, at most `limit`. */
void diff_as_github(const struct diff_answer *compared, unsigned limit, struct text *text);
/* Writes one test case of a JUnit file. */
void diff_as_junit(const struct diff_answer *compared, struct text *text);

#endif
