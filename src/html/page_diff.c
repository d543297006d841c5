/* SPDX-License-Identifier: MIT */
/*
 * page_diff.c: the result of a comparison as a page: the verdict, the differences with both
 * sides next to each other, roots unfolded and consequences folded.
 */
#include "html/page.h"

static const char *page_diff_text(const struct spoor_result *object, const char *key)
{
    const char *text = spoor_result_string(spoor_result_member(object, key), NULL);
    return text ? text : "";
}

/* True if both print alike. */
static bool page_diff_is_same(struct text *out, const struct spoor_result *left,
                              const struct spoor_result *right)
{
    struct text a = {0}, b = {0};
    if (left) page_put_scalar(&a, left);
    if (right) page_put_scalar(&b, right);
    const bool same = a.size == b.size && (!a.size || memcmp(a.bytes, b.bytes, a.size) == 0);
    out->failed |= a.failed || b.failed;
    text_free(&a);
    text_free(&b);
    return same;
}

static void page_diff_put_side(struct text *out, const struct spoor_result *cell,
                               const struct spoor_result *other, bool marked)
{
    text_puts(out, "<td>");
    if (spoor_result_first(cell)) {
        /* The members of a list, a line each; those that the other list lacks are marked. */
        for (const struct spoor_result *member = spoor_result_first(cell); member;
             member = spoor_result_next(member)) {
            bool common = false;
            const struct spoor_result *of_other = spoor_result_first(other);
            for (; of_other && !common; of_other = spoor_result_next(of_other))
                common = page_diff_is_same(out, of_other, member);
            text_puts(out, common ? "<div>" : "<div><mark>");
            page_put_scalar(out, member);
            text_puts(out, common ? "</div>" : "</mark></div>");
        }
    } else if (cell) {
        const bool same = !marked || page_diff_is_same(out, cell, other);
        if (!same) text_puts(out, "<mark>");
        page_put_scalar(out, cell);
        if (!same) text_puts(out, "</mark>");
    }
    text_puts(out, "</td>");
}

void page_put_diff(struct text *out, const struct spoor_result *result)
{
    text_puts(out, "<section>\n<h2>");
    text_puts_xml(out, page_diff_text(spoor_result_member(result, "left"), "trace"));
    text_puts(out, " (left) and ");
    text_puts_xml(out, page_diff_text(spoor_result_member(result, "right"), "trace"));
    text_puts(out, " (right)</h2>\n");
    page_put_facts(out, result, false);
    const struct spoor_result *classes = spoor_result_member(result, "by_class");
    if (spoor_result_first(classes)) {
        page_put_heading(out, "Differences by class");
        page_put_facts(out, classes, false);
    }
    page_put_table(out, "Gaps: instructions of one side only", spoor_result_member(result, "gaps"),
                   100);
    const struct spoor_result *differences = spoor_result_member(result, "differences");
    if (spoor_result_first(differences)) page_put_heading(out, "Differences");
    for (const struct spoor_result *at = spoor_result_first(differences); at;
         at = spoor_result_next(at)) {
        const char *cause = page_diff_text(at, "cause");
        const struct spoor_result *unit = spoor_result_member(at, "left_unit");
        if (!spoor_result_first(unit)) unit = spoor_result_member(at, "right_unit");
        text_printf(out, "<details%s>\n<summary>instruction ",
                    strcmp(cause, "root") == 0 ? " open" : "");
        page_put_scalar(out, spoor_result_member(at, "left"));
        text_puts(out, ": ");
        text_puts_xml(out, page_diff_text(at, "class"));
        text_puts(out, ", ");
        text_puts_xml(out, cause);
        if (*page_diff_text(unit, "disasm")) {
            text_puts(out, ": <code>");
            text_puts_xml(out, page_diff_text(unit, "disasm"));
            text_puts(out, "</code>");
        }
        text_puts(out, "</summary>\n");
        enum { PLACES = 3 }; /* record, line and time may differ in equal instructions */
        static const char *const keys[] = {"record", "line",   "time",   "pc",     "function",
                                           "source", "opcode", "disasm", "effects"};
        const struct spoor_result *left = spoor_result_member(at, "left_unit");
        const struct spoor_result *right = spoor_result_member(at, "right_unit");
        text_puts(out, "<div class=\"wide\"><table class=\"sides\">\n<thead><tr><td></td>"
                       "<th scope=\"col\">left</th><th scope=\"col\">right</th></tr></thead>\n"
                       "<tbody>\n");
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
            const struct spoor_result *a = spoor_result_member(left, keys[i]);
            const struct spoor_result *b = spoor_result_member(right, keys[i]);
            if (!a && !b) continue;
            text_printf(out, "<tr><th scope=\"row\">%s</th>", keys[i]);
            page_diff_put_side(out, a, b, i >= PLACES);
            page_diff_put_side(out, b, a, i >= PLACES);
            text_puts(out, "</tr>\n");
        }
        text_puts(out, "</tbody>\n</table></div>\n");
        page_put_table(out, "Last writers of what it read", spoor_result_member(at, "last_writers"),
                       0);
        text_puts(out, "</details>\n");
    }
    text_puts(out, "</section>\n");
}
