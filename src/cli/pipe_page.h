/* SPDX-License-Identifier: MIT */
/* pipe_page.h: the page of `pipe --html` around its data, of a simulated machine or of a log. */
#ifndef SPOOR_CLI_PIPE_PAGE_H
#define SPOOR_CLI_PIPE_PAGE_H

#include "base/text.h"

/* Begins the page; `path` is that of the trace. */
void pipe_page_begin(struct text *out, const char *path);
/* Adds a stage to the legend, which has a begin and an end of its own. */
void pipe_page_begin_legend(struct text *out);
void pipe_page_put_stage(struct text *out, int color, const char *letter, const char *name);
void pipe_page_end_legend(struct text *out);
void pipe_page_put_controls(struct text *out);
/* A string of JSON inside a script. */
void pipe_page_put_string(struct text *out, const char *words);
/* The script that draws the data, and the end of the page. */
void pipe_page_end(struct text *out);

#endif
