/* SPDX-License-Identifier: MIT */
/*
 * plot/page_diff.c: the result of a comparison as a page: the verdict, the differences with both
 * sides next to each other, roots unfolded and consequences folded.
 */
#include "plot/page.h"
#include "plot/svg.h"
#include "result/result_table.h"

static const char *text_of(const struct spoor_result *object, const char *key)
{
    const struct spoor_result *cell = object ? table_cell(object, key) : NULL;
    return cell && cell->type == NODE_STRING ? cell->string : "";
}

static void put_plain(struct text *out, const struct spoor_result *node)
{
    struct text plain = {0};
    if (node && result_is_scalar(node)) result_put_plain(&plain, node);
    text_put(&plain, "", 1);
    out->failed |= plain.failed;
    if (!plain.failed) svg_put_escaped(out, plain.bytes);
    text_free(&plain);
}

/* True if both print alike. */
static bool is_same(struct text *out, const struct spoor_result *left,
                    const struct spoor_result *right)
{
    struct text a = {0}, b = {0};
    if (left) result_put_plain(&a, left);
    if (right) result_put_plain(&b, right);
    const bool same = a.size == b.size && (!a.size || memcmp(a.bytes, b.bytes, a.size) == 0);
    out->failed |= a.failed || b.failed;
    text_free(&a);
    text_free(&b);
    return same;
}

static bool has_member(struct text *out, const struct spoor_result *list,
                       const struct spoor_result *wanted)
{
    for (const struct spoor_result *member = list ? list->first : NULL; member;
         member = member->next)
        if (is_same(out, member, wanted)) return true;
    return false;
}

/* The members of a list, a line each; those that the other list lacks are marked. */
static void put_list(struct text *out, const struct spoor_result *list,
                     const struct spoor_result *other)
{
    for (const struct spoor_result *member = list ? list->first : NULL; member;
         member = member->next) {
        const bool common = has_member(out, other, member);
        text_puts(out, common ? "<div>" : "<div><mark>");
        put_plain(out, member);
        text_puts(out, common ? "</div>" : "</mark></div>");
    }
}

static void put_side(struct text *out, const struct spoor_result *cell,
                     const struct spoor_result *other, bool marked)
{
    text_puts(out, "<td>");
    if (cell && !result_is_scalar(cell)) {
        put_list(out, cell, other);
    } else if (cell) {
        const bool same = !marked || is_same(out, cell, other);
        if (!same) text_puts(out, "<mark>");
        put_plain(out, cell);
        if (!same) text_puts(out, "</mark>");
    }
    text_puts(out, "</td>");
}

/* `marked`: values that differ are. */
static void put_row(struct text *out, const char *key, const struct spoor_result *left,
                    const struct spoor_result *right, bool marked)
{
    const struct spoor_result *a = left ? table_cell(left, key) : NULL;
    const struct spoor_result *b = right ? table_cell(right, key) : NULL;
    if (!a && !b) return;
    text_printf(out, "<tr><th scope=\"row\">%s</th>", key);
    put_side(out, a, b, marked);
    put_side(out, b, a, marked);
    text_puts(out, "</tr>\n");
}

static void put_units(struct text *out, const struct spoor_result *difference)
{
    enum { PLACES = 3 }; /* record, line and time may differ in equal instructions */
    static const char *const keys[] = {"record", "line",   "time",   "pc",     "function",
                                       "source", "opcode", "disasm", "effects"};
    const struct spoor_result *left = table_cell(difference, "left_unit");
    const struct spoor_result *right = table_cell(difference, "right_unit");
    text_puts(out, "<div class=\"wide\"><table class=\"sides\">\n<thead><tr><td></td>"
                   "<th scope=\"col\">left</th><th scope=\"col\">right</th></tr></thead>\n"
                   "<tbody>\n");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        put_row(out, keys[i], left, right, i >= PLACES);
    text_puts(out, "</tbody>\n</table></div>\n");
}

static void put_difference(struct text *out, const struct spoor_result *difference)
{
    const char *cause = text_of(difference, "cause");
    const struct spoor_result *unit = table_cell(difference, "left_unit");
    if (!unit) unit = table_cell(difference, "right_unit");
    text_printf(out, "<details%s>\n<summary>instruction ",
                strcmp(cause, "root") == 0 ? " open" : "");
    put_plain(out, table_cell(difference, "left"));
    text_puts(out, ": ");
    svg_put_escaped(out, text_of(difference, "class"));
    text_puts(out, ", ");
    svg_put_escaped(out, cause);
    if (*text_of(unit, "disasm")) {
        text_puts(out, ": <code>");
        svg_put_escaped(out, text_of(unit, "disasm"));
        text_puts(out, "</code>");
    }
    text_puts(out, "</summary>\n");
    put_units(out, difference);
    const struct spoor_result *writers = table_cell(difference, "last_writers");
    if (writers) page_put_table(out, "Last writers of what it read", writers, 0);
    text_puts(out, "</details>\n");
}

void page_put_diff(struct text *out, const struct spoor_result *result)
{
    text_puts(out, "<section>\n<h2>");
    svg_put_escaped(out, text_of(table_cell(result, "left"), "trace"));
    text_puts(out, " (left) and ");
    svg_put_escaped(out, text_of(table_cell(result, "right"), "trace"));
    text_puts(out, " (right)</h2>\n");
    page_put_facts(out, result, false);
    const struct spoor_result *classes = table_cell(result, "by_class");
    if (classes && classes->first) {
        page_put_heading(out, "Differences by class");
        page_put_facts(out, classes, false);
    }
    const struct spoor_result *gaps = table_cell(result, "gaps");
    if (gaps) page_put_table(out, "Gaps: instructions of one side only", gaps, 100);
    const struct spoor_result *differences = table_cell(result, "differences");
    if (differences && differences->first) page_put_heading(out, "Differences");
    for (const struct spoor_result *at = differences ? differences->first : NULL; at; at = at->next)
        put_difference(out, at);
    text_puts(out, "</section>\n");
}
