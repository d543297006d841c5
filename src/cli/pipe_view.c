/* SPDX-License-Identifier: MIT */
/* pipe_view.c: the columns of a timeline. */
#include "cli/pipe_view.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/results.h"

enum { TOGETHER = 10 };

void view_fill(char bar[VIEW_BAR + 1], const struct view *view, uint64_t from, uint64_t to,
               char with)
{
    if (from >= to) return;
    const uint64_t last = (to - 1 - view->base) / view->scale;
    for (uint64_t at = (from - view->base) / view->scale; at <= last && at < view->bar; at++)
        bar[at] = with;
}

size_t view_shown(const struct view *view, view_span *span, const void *context, size_t first,
                  size_t count)
{
    size_t at = first;
    for (; at < count; at++) {
        uint64_t begin, end;
        span(context, at, &begin, &end);
        if (begin < view->base || end >= view->base + view->bar * view->scale) break;
    }
    return at - first;
}

unsigned view_width(void)
{
    enum { USUAL = 100, NARROWEST = 20 };
    const unsigned columns = screen_columns() ? screen_columns() : USUAL;
    if (columns < VIEW_LABEL + NARROWEST) return VIEW_LABEL + NARROWEST;
    return columns - VIEW_LABEL < VIEW_BAR ? columns : VIEW_LABEL + VIEW_BAR;
}

struct view view_choose(view_span *span, const void *context, size_t first, size_t count)
{
    const size_t left = count - first, wanted = left < TOGETHER ? left : TOGETHER;
    uint64_t begin, end;
    struct view view = {UINT64_MAX, 1, view_width() - VIEW_LABEL};
    for (size_t i = 0; i < wanted; i++) {
        span(context, first + i, &begin, &end);
        if (begin < view.base) view.base = begin;
    }
    for (int turn = 0; view_shown(&view, span, context, first, count) < wanted; turn++)
        view.scale = turn % 3 == 1 ? view.scale / 2 * 5 : view.scale * 2;
    return view;
}

void view_put_ruler(struct text *out, const struct view *view)
{
    char ruler[VIEW_BAR + 32], label[64] = "micro-op         pc";
    memset(ruler, ' ', sizeof ruler);
    int used = 0;
    for (uint64_t at = 0; at < view->bar; at += 10)
        used = (int)at + snprintf(ruler + at, 24, "|%-9" PRIu64, view->base + at * view->scale);
    while (used > 0 && (ruler[used - 1] == ' ' || used > (int)view->bar)) used--;
    if (view->scale > 1)
        snprintf(label, sizeof label, "micro-op         pc %" PRIu64 " cycles/col", view->scale);
    text_printf(out, "%-*.*s%.*s\n", VIEW_LABEL, VIEW_LABEL, label, used, ruler);
}

void view_put_bar(struct text *out, const char *label, const char bar[VIEW_BAR + 1])
{
    size_t used = VIEW_BAR;
    while (used && bar[used - 1] == ' ') used--;
    size_t size = strlen(label) < VIEW_LABEL ? strlen(label) : VIEW_LABEL;
    while (!used && size && label[size - 1] == ' ') size--;
    for (size_t i = 0; i < size; i++) {
        const unsigned char byte = (unsigned char)label[i]; /* names of a damaged log */
        text_put(out, byte < ' ' || byte == 0x7F ? "?" : &label[i], 1);
    }
    text_printf(out, "%*s%.*s\n", used ? (int)(VIEW_LABEL - size) : 0, "", (int)used, bar);
}
