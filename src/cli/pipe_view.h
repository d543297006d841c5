/* SPDX-License-Identifier: MIT */
/*
 * pipe_view.h: shared by the timelines of `pipe` in text: a line for each micro-op, a column for
 * one cycle or several.
 */
#ifndef SPOOR_CLI_PIPE_VIEW_H
#define SPOOR_CLI_PIPE_VIEW_H

#include "base/text.h"

enum { VIEW_LABEL = 36, VIEW_BAR = 200 - VIEW_LABEL /* columns of a bar, at most */ };

/* The columns of a line: those of the screen, else 100, within limits. */
unsigned view_width(void);

/* The range of cycles of a block. */
struct view {
    uint64_t base, scale; /* the first cycle, and the cycles of a column */
    unsigned bar;         /* columns of a bar */
};

/* The cycles of line `index`, both included. */
typedef void view_span(const void *context, size_t index, uint64_t *begin, uint64_t *end);

/* A view of consecutive lines from `first` on, with the minimum number of cycles per column: 1, 2,
 * 5, 10, 20, 50... */
struct view view_choose(view_span *span, const void *context, size_t first, size_t count);
/* The number of lines from `first` on that a view shows completely. */
size_t view_shown(const struct view *view, view_span *span, const void *context, size_t first,
                  size_t count);
/* Fills the columns of cycles [from, to). */
void view_fill(char bar[VIEW_BAR + 1], const struct view *view, uint64_t from, uint64_t to,
               char with);
/* Appends the line above a block, and a bar after its label. */
void view_put_ruler(struct text *out, const struct view *view);
void view_put_bar(struct text *out, const char *label, const char bar[VIEW_BAR + 1]);

#endif
