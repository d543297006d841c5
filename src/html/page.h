/* SPDX-License-Identifier: MIT */
/*
 * page.h: results as one HTML page: tables that sort, plots that answer to the pointer, light
 * and dark.  The page makes no request.
 */
#ifndef SPOOR_HTML_PAGE_H
#define SPOOR_HTML_PAGE_H

#include "base/text.h"
#include "spoor/plot.h"

/* The colours of every page, as variables of CSS, light and dark. */
extern const char page_colors[];

void page_begin(struct text *out, const char *title);
/* The same, with rules of its own after those of every page, and a script that it has beside that
 * of every page: no other runs.  NULL: none. */
void page_begin_styled(struct text *out, const char *title, const char *rules, const char *more);
void page_end(struct text *out);

/* A section with a link in the contents; `about`: one sentence, may be NULL. */
struct page_section {
    const char *id, *title;
};
void page_put_contents(struct text *out, const struct page_section *sections, size_t count);
void page_begin_section(struct text *out, const struct page_section *section, const char *about);
void page_end_section(struct text *out);
void page_put_heading(struct text *out, const char *words);
void page_put_note(struct text *out, const char *words);

/* A number, text or boolean as people read it. */
void page_put_scalar(struct text *out, const struct spoor_result *value);
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
/* The result of `diff`: the verdict, and each difference with both sides next to each other; roots
 * are unfolded, consequences folded. */
void page_put_diff(struct text *out, const struct spoor_result *result);
/* A picture with a script of its own, in a frame that shows its lower end where it is higher than a
 * screen. */
void page_put_frame(struct text *out, const char *title, const char *svg, size_t size);

#endif
