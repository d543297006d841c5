/* SPDX-License-Identifier: MIT */
/*
 * diff_text.c: a comparison as text for people.
 *
 * The first lines answer: equal or not, where the first difference is, why, how many roots.  The
 * first difference side by side follows, then the gaps, the counts by class, and what was accepted
 * or not compared.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/ci_report.h"
#include "cli/diff_report.h"
#include "cli/shade.h"

enum { GAPS_SHOWN = 20, MNEMONICS_SHOWN = 12 };

struct page {
    const struct diff_answer *compared;
    struct text *text;
    unsigned column; /* width of one side in characters */
    bool color;
};

#define BOLD_RED "\033[1;31m"
#define BOLD_GREEN "\033[1;32m"
#define PLAIN "\033[0m"

static const char *diff_text_plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/* ---- the verdict ---- */

static const struct spoor_result *diff_text_member(const struct page *page, const char *key)
{
    return spoor_result_member(page->compared->result, key);
}

static uint64_t diff_text_count(const struct page *page, const char *key)
{
    return diff_answer_count(page->compared, key);
}

static uint64_t diff_text_whole(const struct spoor_result *row, const char *key)
{
    return spoor_result_whole(spoor_result_member(row, key));
}

static const char *diff_text_string(const struct spoor_result *row, const char *key)
{
    const char *found = spoor_result_string(spoor_result_member(row, key), NULL);
    return found ? found : "";
}

static const char *const side_names[] = {"left", "right"};

/* The instructions of the other side that a side omits. */
static const struct spoor_result *diff_text_omitted(const struct page *page, unsigned side)
{
    return spoor_result_member(diff_text_member(page, "omitted"), side_names[side]);
}

/* What a side never states. */
static const struct spoor_result *diff_text_unstated(const struct page *page, unsigned side)
{
    return spoor_result_member(diff_text_member(page, side_names[side]), "unstated");
}

/* "opcodes, registers and accesses". */
static void diff_text_put_unstated(struct text *text, const struct spoor_result *list)
{
    const struct spoor_result *item = spoor_result_first(list), *next;
    for (const char *before = ""; item; item = next) {
        next = spoor_result_next(item);
        text_printf(text, "%s%s", before, spoor_result_string(item, NULL));
        before = next && spoor_result_next(next) ? ", " : " and ";
    }
}

static void diff_text_put_verdict(const struct page *page)
{
    static const char *const words[] = {"EQUAL", "DIFFERENT", "LOST SYNC", "NOTHING COMPARED",
                                        "UNDECIDED, because not all could be read"};
    const struct spoor_diff *diff = page->compared->diff;
    const enum spoor_verdict verdict = spoor_diff_verdict(diff);
    const bool equal = verdict == SPOOR_VERDICT_EQUAL;
    struct text line = {0};
    text_puts(&line, words[verdict]);
    if (verdict == SPOOR_VERDICT_UNDECIDED &&
        (spoor_diff_stated(diff, 0) || spoor_diff_stated(diff, 1))) {
        line.size = 0;
        text_puts(&line, "UNDECIDED, because of what one side states later only");
    }
    bool any = false;
    for (unsigned i = 0; equal && i < 2; i++) {
        const unsigned side = 1 - i;
        if (!spoor_result_first(diff_text_unstated(page, side))) continue;
        text_puts(&line, any ? ", and " : " except ");
        diff_text_put_unstated(&line, diff_text_unstated(page, side));
        text_printf(&line, ", which the %s side never states", side_names[side]);
        any = true;
    }
    text_put(&line, ": ", 3);
    if (page->color) text_puts(page->text, equal ? BOLD_GREEN : BOLD_RED);
    text_puts(page->text, line.bytes ? line.bytes : "");
    if (page->color) text_puts(page->text, PLAIN);
    page->text->failed |= line.failed;
    text_free(&line);
    const uint64_t compared = diff_text_count(page, "compared"),
                   mismatches = diff_text_count(page, "mismatches");
    const uint64_t roots = diff_text_count(page, "roots"),
                   consequences = diff_text_count(page, "consequences");
    const uint64_t gaps = diff_text_count(page, "gap_count"),
                   reordered = diff_text_count(page, "reordered");
    text_printf(page->text, "%s pair%s compared%s", COUNT(compared), diff_text_plural(compared),
                diff_text_member(page, "part") ? " in the selected records" : "");
    if (mismatches)
        text_printf(page->text, "; %s mismatch%s: %s root%s, %s consequence%s", COUNT(mismatches),
                    mismatches == 1 ? "" : "es", COUNT(roots), diff_text_plural(roots),
                    COUNT(consequences), diff_text_plural(consequences));
    if (gaps)
        text_printf(page->text, "; %s gap%s: %s only left, %s only right", COUNT(gaps),
                    diff_text_plural(gaps),
                    COUNT(diff_text_whole(diff_text_member(page, "left"), "skipped")),
                    COUNT(diff_text_whole(diff_text_member(page, "right"), "skipped")));
    for (unsigned side = 0; side < 2; side++)
        if (diff_text_whole(diff_text_omitted(page, side), "instructions"))
            text_printf(page->text, "; the %s trace omits %s", side_names[side],
                        COUNT(diff_text_whole(diff_text_omitted(page, side), "instructions")));
    const struct spoor_result *moved = diff_text_member(page, "moved");
    if (diff_text_whole(moved, "order"))
        text_printf(page->text, "; %s instruction%s in another order",
                    COUNT(diff_text_whole(moved, "order")),
                    diff_text_plural(diff_text_whole(moved, "order")));
    if (diff_text_whole(moved, "interrupts")) {
        const uint64_t count = diff_text_whole(moved, "interrupts"),
                       most = diff_text_whole(moved, "most");
        text_printf(page->text, "; %s interrupt%s taken ", COUNT(count), diff_text_plural(count));
        if (diff_text_whole(moved, "least") != most)
            text_printf(page->text, "%s to ", COUNT(diff_text_whole(moved, "least")));
        text_printf(page->text, "%s instruction%s later on ", COUNT(most), diff_text_plural(most));
        if (strcmp(diff_text_string(moved, "later"), "both") == 0)
            text_puts(page->text, "one side or the other");
        else
            text_printf(page->text, "the %s", diff_text_string(moved, "later"));
    }
    if (reordered) text_printf(page->text, "; %s in another order", COUNT(reordered));
    if (diff_text_count(page, "volatile"))
        text_printf(page->text, "; %s accepted as volatile",
                    COUNT(diff_text_count(page, "volatile")));
    if (diff_text_count(page, "waived"))
        text_printf(page->text, "; %s waived", COUNT(diff_text_count(page, "waived")));
    text_puts(page->text, "\n");
}

/* ---- the first difference ---- */

static void diff_text_put_differences(const struct page *page)
{
    struct spoor_difference first;
    if (!spoor_diff_difference(page->compared->diff, 0, &first)) return;
    text_puts(page->text, "first  ");
    for (unsigned side = 0; side < 2; side++) {
        text_printf(page->text, "%s%s record %" PRIu64, side ? ", " : "", side_names[side],
                    first.record[side]);
        if (first.ended[side])
            text_puts(page->text, " (the end)");
        else if (first.line[side])
            text_printf(page->text, " (line %" PRIu64 ")", first.line[side]);
    }
    if (first.cpu) text_printf(page->text, ", cpu %s", first.cpu);
    text_puts(page->text, "\n");
    /* the function and the source line of each side, if an image has them */
    for (unsigned side = 0; side < 2; side++) {
        struct text place = {0};
        if (first.has_pc[side] &&
            image_set_put(&page->compared->located[side], first.pc[side], &place))
            text_printf(page->text, "in     %s %.*s\n", side_names[side], (int)place.size,
                        place.bytes);
        page->text->failed |= place.failed;
        text_free(&place);
    }
    struct spoor_difference_field field;
    unsigned shown = 0;
    if (first.gap)
        text_printf(page->text, "why    %s: %s only left, %s only right%s\n",
                    spoor_diff_class_name(first.kind), COUNT(first.skipped[0]),
                    COUNT(first.skipped[1]),
                    first.consequence ? ", after a branch on a wrong value" : "");
    for (; !first.gap && spoor_diff_field(page->compared->diff, 0, shown, &field); shown++)
        text_printf(page->text, "%s %s: %s\n", shown ? "      " : "why   ",
                    spoor_diff_class_name(field.kind), field.words);
    if (!first.gap && first.fields > shown)
        text_printf(page->text, "       and %u more\n", first.fields - shown);
    const struct spoor_result *writer =
        spoor_result_first(spoor_result_member(diff_text_member(page, "first"), "last_writers"));
    for (; writer; writer = spoor_result_next(writer)) {
        text_printf(page->text, "       %s last written", diff_text_string(writer, "register"));
        for (unsigned side = 0; side < 2; side++) {
            const struct spoor_result *record = spoor_result_member(writer, side_names[side]);
            if (spoor_result_type_of(record) != SPOOR_RESULT_NULL)
                text_printf(page->text, "%s %s record %" PRIu64, side ? "," : "", side_names[side],
                            spoor_result_whole(record));
        }
        text_printf(page->text, ", %" PRIu64 " back\n",
                    diff_text_whole(writer, "instructions_back"));
    }
    diff_put_beside(page->compared, page->column, page->color, page->text);
    const struct spoor_diff *diff = page->compared->diff;
    const size_t count = spoor_diff_count(diff);
    struct spoor_difference next;
    if (count < 2) return;
    text_puts(page->text, "\nfurther differences\n");
    for (size_t i = 1; spoor_diff_difference(diff, i, &next); i++) {
        field = (struct spoor_difference_field){.words = ""};
        char words[SPOOR_DIFF_WORDS];
        if (!spoor_diff_field(diff, i, 0, &field))
            snprintf(field.words, sizeof field.words,
                     "%" PRIu64 " only left, %" PRIu64 " only right", next.skipped[0],
                     next.skipped[1]);
        text_printf(page->text, "  %-11s %-16s %8" PRIu64 " %8" PRIu64 "  %.40s  %s\n",
                    next.gap           ? "gap"
                    : next.consequence ? "consequence"
                                       : "root",
                    spoor_diff_class_name(next.kind), next.record[0], next.record[1],
                    spoor_diff_instruction(diff, i, next.ended[0], words), field.words);
    }
    const struct spoor_result *moved = diff_text_member(page, "moved");
    const uint64_t all = diff_text_count(page, "mismatches") + diff_text_count(page, "gap_count") +
                         diff_text_whole(moved, "order") + diff_text_whole(moved, "interrupts");
    if (all > count) text_printf(page->text, "  and %" PRIu64 " more (--top)\n", all - count);
}

static void diff_text_put_histograms(const struct page *page)
{
    if (!spoor_result_first(diff_text_member(page, "by_class"))) return;
    const struct spoor_result *row = spoor_result_first(diff_text_member(page, "by_class"));
    text_puts(page->text, "\nby class  ");
    for (const char *comma = ""; row; row = spoor_result_next(row), comma = ", ")
        text_printf(page->text, "%s%s %s", comma, COUNT(spoor_result_whole(row)),
                    spoor_result_key(row));
    text_puts(page->text, "\n");
    const char *comma = "roots of  ";
    uint64_t left = diff_text_count(page, "roots");
    row = spoor_result_first(diff_text_member(page, "by_opcode"));
    for (unsigned i = 0; row && i < MNEMONICS_SHOWN; i++, row = spoor_result_next(row)) {
        const uint64_t roots = diff_text_whole(row, "roots");
        if (!roots) continue;
        text_printf(page->text, "%s%s %s", comma, COUNT(roots), spoor_result_key(row));
        comma = ", ";
        left -= roots;
    }
    if (*comma == ',' && left) text_printf(page->text, ", %s others", COUNT(left));
    if (*comma == ',') text_puts(page->text, "\n");
}

/* States that a side is a subsequence of the other. */
static void diff_text_put_omissions(const struct page *page)
{
    for (unsigned side = 0; side < 2; side++) {
        const struct spoor_result *row = diff_text_omitted(page, side);
        const uint64_t count = diff_text_whole(row, "instructions"),
                       first = diff_text_whole(row, "before_first");
        if (!count) continue;
        text_printf(page->text, "the %s trace omits %" PRIu64 " instruction%s of the %s one",
                    side_names[side], count, diff_text_plural(count), side_names[1 - side]);
        if (first && first < count) text_printf(page->text, ", %" PRIu64 " of them", first);
        if (first) text_puts(page->text, " before its first");
        if (first < count)
            text_printf(page->text, ", in %" PRIu64 " places: compared as a subsequence",
                        diff_text_whole(row, "places"));
        text_puts(page->text, "\n");
        /* What the omitted instructions do, and where most of them stand. */
        enum { SHOWN = 4 };
        const char *before = "omitted";
        const struct spoor_result *kind = spoor_result_first(spoor_result_member(row, "by_kind"));
        for (; kind; kind = spoor_result_next(kind), before = ",")
            text_printf(page->text, "%s %" PRIu64 " %s", before, spoor_result_whole(kind),
                        spoor_result_key(kind));
        const struct spoor_result *place = spoor_result_first(spoor_result_member(row, "by_pc"));
        before = ":";
        for (unsigned i = 0; place && i < SHOWN;
             place = spoor_result_next(place), i++, before = ",")
            text_printf(page->text, "%s %" PRIu64 " at %" PRIx64, before,
                        diff_text_whole(place, "instructions"), diff_text_whole(place, "pc"));
        if (diff_text_whole(row, "addresses") > SHOWN) text_puts(page->text, ", ...");
        text_puts(page->text, "\n");
    }
}

static bool diff_text_is_listed(const struct spoor_result *list, const char *words)
{
    for (const struct spoor_result *item = spoor_result_first(list); item;
         item = spoor_result_next(item)) {
        const char *text = spoor_result_string(item, NULL);
        if (text && strcmp(text, words) == 0) return true;
    }
    return false;
}

static void diff_text_put_not_compared(const struct page *page)
{
    const struct spoor_result *list = diff_text_member(page, "not_compared");
    const bool equal = spoor_diff_verdict(page->compared->diff) == SPOOR_VERDICT_EQUAL;
    const char *obstacle = spoor_result_string(diff_text_member(page, "incomparable"), NULL);
    if (obstacle) text_printf(page->text, "cannot be compared: %s\n", obstacle);
    const bool accesses = diff_text_is_listed(list, "reads") && diff_text_is_listed(list, "writes");
    const struct {
        bool missing;
        const char *what;
    } parts[] = {
        {diff_text_is_listed(list, "opcodes"), "opcodes"},
        {diff_text_is_listed(list, "registers"), "registers"},
        {accesses, "accesses"},
        {!accesses && diff_text_is_listed(list, "reads"), "reads"},
        {!accesses && diff_text_is_listed(list, "writes"), "writes"},
        {!accesses && diff_text_is_listed(list, "data of accesses"), "data of accesses"},
    };
    /* two empty traces state nothing */
    const bool any = diff_text_count(page, "compared") || diff_text_count(page, "gap_count");
    const char *comma = "not compared, because neither side states it: ";
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (!parts[i].missing || !any) continue;
        text_printf(page->text, "%s%s", comma, parts[i].what);
        comma = ", ";
    }
    if (*comma == ',') text_puts(page->text, "\n");
    for (unsigned side = 0; diff_text_count(page, "compared") && !equal && side < 2; side++) {
        if (!spoor_result_first(diff_text_unstated(page, side))) continue;
        text_printf(page->text,
                    "not compared, because the %s side never states it: ", side_names[side]);
        diff_text_put_unstated(page->text, diff_text_unstated(page, side));
        text_puts(page->text, "\n");
    }
    for (const struct spoor_result *item = spoor_result_first(list); item;
         item = spoor_result_next(item)) {
        const char *words = spoor_result_string(item, NULL);
        /* notes are no work of the processor, but may be why no pair was found */
        const bool noted =
            words && diff_text_count(page, "compared") && strstr(words, " note records of");
        if (words && !noted &&
            (strstr(words, " records of the ") || strstr(words, "other processors") ||
             strstr(words, "trace does not state") || strstr(words, "states later only")))
            text_printf(page->text, "not compared: %s\n", words);
    }
    for (unsigned side = 0; side < 2; side++) {
        const uint64_t count =
            diff_text_whole(diff_text_member(page, side_names[side]), "before_start");
        if (count)
            text_printf(page->text, "before the start of the %s trace: %" PRIu64 " not compared\n",
                        side_names[side], count);
    }
}

/* ---- lines as wide as the screen ---- */

/* The size of a line up to where it is to be wrapped: the last blank within the limit, or the first
 * after it; escape sequences take no column. */
static size_t diff_text_wrapped_size(const char *line, size_t size, size_t limit)
{
    size_t columns = 0, blank = 0;
    for (size_t i = 0; i < size; i++) {
        if (line[i] == '\033')
            while (i < size && line[i] != 'm') i++;
        else
            columns += (line[i] & 0xC0) != 0x80;
        if (columns > limit && blank) return blank;
        if (i < size && line[i] == ' ' && columns > 1 && line[i - 1] != ' ') blank = i;
    }
    return size;
}

void diff_as_text(const struct diff_answer *compared, const struct diff_page *form,
                  struct text *text)
{
    const struct page page = {compared, text, (form->width - 3) / 2, form->color};
    const size_t begin = text->size;
    diff_text_put_verdict(&page);
    diff_text_put_not_compared(&page);
    const struct spoor_result *name = spoor_result_first(diff_text_member(&page, "suggested"));
    const char *side =
        spoor_result_string(diff_text_member(&page, "suggested_effects_first"), NULL);
    if (side && !name)
        text_printf(text,
                    "the effects of most instructions agree if the %s trace prints them first: "
                    "--effects-first %s\n",
                    side, side);
    if (name) {
        for (const char *comma = "equal with "; name; name = spoor_result_next(name), comma = " ")
            text_printf(text, "%s%s", comma, spoor_result_string(name, NULL));
        text_puts(text, "\n");
    }
    diff_text_put_differences(&page);
    const struct spoor_result *gap = spoor_result_first(diff_text_member(&page, "gaps"));
    const uint64_t count = diff_text_count(&page, "gap_count");
    const bool has_gaps = gap != NULL;
    if (has_gaps) text_puts(page.text, "\ngaps      left    right  only left  only right  class\n");
    for (unsigned i = 0; gap && i < GAPS_SHOWN; i++, gap = spoor_result_next(gap))
        text_printf(page.text, "  %12" PRIu64 " %8" PRIu64 " %10s %11s  %s%s\n",
                    diff_text_whole(gap, "left"), diff_text_whole(gap, "right"),
                    COUNT(diff_text_whole(gap, "skipped_left")),
                    COUNT(diff_text_whole(gap, "skipped_right")), diff_text_string(gap, "class"),
                    diff_text_whole(gap, "consequence") ? " (after a branch on a wrong value)"
                                                        : "");
    if (has_gaps && count > GAPS_SHOWN)
        text_printf(page.text, "  and %" PRIu64 " more (--json lists them)\n", count - GAPS_SHOWN);
    diff_text_put_histograms(&page);
    /* the accepted differences, and the fields that were not compared */
    static const struct {
        const char *list, *word, *key;
    } kinds[] = {{"tolerances", "tolerated", "name"}, {"rules", "rule", "rule"}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const struct spoor_result *row = spoor_result_first(diff_text_member(&page, kinds[i].list));
        for (; row; row = spoor_result_next(row))
            text_printf(page.text, "%s %s: %" PRIu64 " use%s\n", kinds[i].word,
                        diff_text_string(row, kinds[i].key), diff_text_whole(row, "uses"),
                        diff_text_plural(diff_text_whole(row, "uses")));
    }
    diff_text_put_omissions(&page);
    if (form->limit && !text->failed) {
        /* lines from `begin` on are wrapped; what follows is indented */
        enum { INDENT = 7 };
        struct text out = {0};
        const char *at = text->bytes + begin, *const end = text->bytes + text->size;
        while (at < end) {
            const char *newline = memchr(at, '\n', (size_t)(end - at));
            size_t size = (size_t)((newline ? newline : end) - at), indent = 0;
            for (;;) {
                const size_t part = diff_text_wrapped_size(at, size, form->limit - indent);
                text_printf(&out, "%*s%.*s\n", (int)indent, "", (int)part, at);
                at += part;
                size -= part;
                while (size && *at == ' ') at++, size--;
                if (!size) break;
                indent = INDENT;
            }
            at += newline != NULL;
        }
        text->size = begin;
        text_append(text, &out);
        text_free(&out);
    }
}

/* ---- Markdown and JUnit: the same text, framed ---- */

static const struct diff_page in_file = {.width = 120};

void diff_as_markdown(const struct diff_answer *compared, struct text *text)
{
    static const char *const keys[] = {"compared",     "mismatches", "roots",
                                       "consequences", "gap_count",  "waived"};
    text_printf(text, "## %s: `%s` and `%s`\n\n",
                spoor_verdict_name(spoor_diff_verdict(compared->diff)),
                diff_answer_path(compared, 0), diff_answer_path(compared, 1));
    text_puts(text, "| compared | mismatches | roots | consequences | gaps | waived |\n"
                    "|---:|---:|---:|---:|---:|---:|\n|");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        text_printf(text, " %" PRIu64 " |", diff_answer_count(compared, keys[i]));
    text_puts(text, "\n\n```\n");
    diff_as_text(compared, &in_file, text);
    text_puts(text, "```\n");
}

void diff_as_junit(const struct diff_answer *compared, struct text *text)
{
    const enum spoor_verdict verdict = spoor_diff_verdict(compared->diff);
    struct text name = {0}, body = {0};
    text_printf(&name, "%s %s", diff_answer_path(compared, 0), diff_answer_path(compared, 1));
    text_put(&name, "", 1);
    if (verdict != SPOOR_VERDICT_EQUAL) diff_as_text(compared, &in_file, &body);
    junit_put_case(text, "spoor.diff", name.bytes ? name.bytes : "",
                   verdict == SPOOR_VERDICT_EQUAL ? NULL : spoor_verdict_name(verdict), &body);
    text->failed |= name.failed;
    text_free(&name);
    text_free(&body);
}

void diff_as_github(const struct diff_answer *compared, unsigned limit, struct text *text)
{
    const struct spoor_diff *diff = compared->diff;
    const enum spoor_verdict verdict = spoor_diff_verdict(diff);
    struct spoor_difference difference;
    struct text message = {0};
    size_t shown = 0;
    if (verdict == SPOOR_VERDICT_EQUAL) return;
    for (; shown < limit && spoor_diff_difference(diff, shown, &difference); shown++) {
        message.size = 0;
        /* "80000004 00b50533 add x10,x10,x11: x10: 0x1 against 0x3, bits 0x2 differ". */
        char words[SPOOR_DIFF_WORDS];
        struct spoor_difference_field field;
        const unsigned side = difference.ended[0] || (difference.gap && !difference.skipped[0]);
        text_printf(&message, "%s: ", spoor_diff_instruction(diff, shown, side, words));
        if (difference.gap)
            text_printf(&message, "%" PRIu64 " only left, %" PRIu64 " only right",
                        difference.skipped[0], difference.skipped[1]);
        for (unsigned i = 0; spoor_diff_field(diff, shown, i, &field); i++)
            text_printf(&message, "%s%s", i ? "; " : "", field.words);
        if (difference.consequence) text_puts(&message, " (a consequence)");
        text_put(&message, "", 1);
        github_put(text, "error", diff_answer_path(compared, 1), difference.line[1],
                   spoor_diff_class_name(difference.kind), message.bytes ? message.bytes : "");
    }
    message.size = 0;
    text_printf(&message, "%" PRIu64 " instructions compared, %" PRIu64 " differ, %" PRIu64 " gaps",
                diff_answer_count(compared, "compared"), diff_answer_count(compared, "mismatches"),
                diff_answer_count(compared, "gap_count"));
    text_put(&message, "", 1);
    if (!shown)
        github_put(text, "error", diff_answer_path(compared, 1), 0, spoor_verdict_name(verdict),
                   message.bytes ? message.bytes : "");
    text->failed |= message.failed;
    text_free(&message);
}
