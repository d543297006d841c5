/* SPDX-License-Identifier: MIT */
/*
 * page.h: the page of web/ as one file with data inside, which makes no request.  The data is JSON:
 * a part of a trace (serve/export.c), or a document of sections, tables and plots, which the
 * functions below append to a text between page_begin() and page_end().
 */
#ifndef SPOOR_HTML_PAGE_H
#define SPOOR_HTML_PAGE_H

#include "base/text.h"
#include "spoor/plot.h"

/* A file of the page. */
struct page_file {
    const char *name; /* "" is the page itself */
    const char *type; /* for Content-Type */
    const unsigned char *bytes;
    size_t size;
    const char *digest; /* SHA-256, in base64 */
};

/* Made from web/, of the program alone; ends with a file without a name. */
extern const struct page_file page_files[];
/* The colours of the page, as variables of CSS, light and dark. */
extern const char page_colors[];

/* False: the program was built without npm, so without the page's script, as the sentence says. */
bool page_is_built(const struct page_file *files);
extern const char page_is_missing[];
/* Appends the file, of a page that is built. */
void page_make(struct text *out, const struct page_file *files, const char *title,
               const struct text *data);

/* ---- a document ---- */

void page_begin(struct text *out, const char *title);
/* Makes the file of it. */
void page_end(struct text *out, const struct page_file *files, const char *title);

/* A section with a link in the contents; `about`: one sentence, may be NULL. */
struct page_section {
    const char *id, *title;
};
void page_begin_section(struct text *out, const struct page_section *section, const char *about);
/* What is shown once its summary is clicked. */
void page_begin_fold(struct text *out, const char *summary);
/* The end of a section, or of a fold. */
void page_end_parts(struct text *out);
void page_put_heading(struct text *out, const char *words);
void page_put_note(struct text *out, const char *words);
void page_put_warning(struct text *out, const char *words);
/* A result of which web/src/document.ts knows how to show the kind: "diff". */
void page_put_result(struct text *out, const char *kind, const struct spoor_result *result);

/* The scalar members of an object, as a table of names and values; `nested`: with those of objects
 * in it. */
void page_put_facts(struct text *out, const struct spoor_result *object, bool nested);
/* The first `maximum` objects of an array as a table that sorts by the column that is clicked; 0:
 * all.  Nothing if it has no rows. */
void page_put_table(struct text *out, const char *caption, const struct spoor_result *array,
                    size_t maximum);
/* The plots that the options ask for, inlined; false: the results have none of them. */
bool page_put_plots(struct text *out, const struct spoor_result *results,
                    const struct spoor_plot_options *options);

#endif
