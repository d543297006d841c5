/* SPDX-License-Identifier: MIT */
/* call_text.h: calls as text and tables. */
#ifndef SPOOR_CLI_CALL_TEXT_H
#define SPOOR_CLI_CALL_TEXT_H

#include "base/text.h"
#include "cli/cli.h"
#include "spoor/call_tree.h"

struct call_table {
    const struct spoor_call_tree *tree;
    const char *title, *format;  /* of the trace */
    struct spoor_images *images; /* NULL: none */
    uint64_t of;                 /* the function that was asked for */
    bool flat;                   /* reports have flat rows, for CSV */
    bool traced, headless;       /* CSV: with a column `trace`; without a line of keys */
    unsigned columns;            /* of the screen: narrow.h */
};
/* The tree, a line for each call; calls of one function that directly follow each other and call
 * nothing share a line. */
void call_table_put_tree(const struct call_table *table, struct text *text);
void call_table_put_csv(const struct call_table *table, struct text *text);
/* The calls of a function, with arguments and results. */
void call_table_put_calls(const struct call_table *table, struct text *text);
void call_table_report(const struct call_table *table, struct spoor_result *result);
/* All calls, a row each, as in call_table_put_csv(). */
void call_table_report_rows(const struct call_table *table, struct spoor_result *result);
/* The callers of the function, innermost first. */
void call_table_put_callers(const struct call_table *table, struct text *text);
void call_table_report_callers(const struct call_table *table, struct spoor_result *result);

#endif
