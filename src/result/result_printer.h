/* SPDX-License-Identifier: MIT */
/* result_printer.h: shared by the printers of text: of objects and lists, and of tables. */
#ifndef SPOOR_RESULT_RESULT_PRINTER_H
#define SPOOR_RESULT_RESULT_PRINTER_H

#include "result/result_table.h"

enum { RESULT_INDENT = 2, RESULT_GAP = 2 };

struct printer {
    struct text *out;
    struct text cell; /* scratch */
    struct spoor_result_style style;
    size_t column;               /* column of the values */
    size_t numbers;              /* width of the numbers of objects that hold only numbers */
    const char *on, *off;        /* around labels: colour or nothing */
    char path[REPORT_PATH_SIZE]; /* of what is printed: keys joined by dots */
};

/* The text of a cell in the scratch buffer; its width in columns of a terminal. */
size_t printer_format_cell(struct printer *printer, const struct spoor_result *cell);
/* Appends the scratch buffer. */
void printer_put_cell(struct printer *printer);
void printer_put_spaces(struct text *out, size_t count);
/* A key with spaces for '_', and "%" for the "ratio" of a share; its width. */
void printer_put_words(struct text *out, const char *key);
size_t printer_words_width(const char *key);
/* A key as words in the colour of labels. */
void printer_put_label(struct printer *printer, const char *key);
/* The scratch buffer from `column` on, wrapped at words: further lines begin at `column`. */
void printer_put_wrapped(struct printer *printer, size_t column, size_t line_width);
/* True for types that are right-aligned. */
bool result_is_number(const struct spoor_result *node);

/* A table within the style's columns; see result_text_table.c. */
void printer_put_table(struct printer *printer, const struct table *table, size_t indent);

#endif
