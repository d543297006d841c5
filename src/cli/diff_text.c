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
#include "compare/describe.h"

enum { GAPS_SHOWN = 20, MNEMONICS_SHOWN = 12 };

struct page {
    const struct spoor_diff *diff;
    const struct located *located; /* of both sides */
    struct text *text;
    unsigned column; /* width of one side in characters */
    bool color;
};

#define RED "31"
#define GREEN "32"
#define YELLOW "33"
#define BOLD "1"

static void put_colored(const struct page *page, const char *color, const char *words)
{
    if (page->color)
        text_printf(page->text, "\033[%sm%s\033[0m", color, words);
    else
        text_puts(page->text, words);
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/* ---- the verdict ---- */

static void put_counts(const struct page *page)
{
    const struct diff_counts *counts = &page->diff->counts;
    text_printf(page->text, "%" PRIu64 " pair%s compared", counts->compared,
                plural(counts->compared));
    if (counts->mismatches)
        text_printf(page->text,
                    "; %" PRIu64 " mismatch%s: %" PRIu64 " root%s, %" PRIu64 " consequence%s",
                    counts->mismatches, counts->mismatches == 1 ? "" : "es",
                    counts->causes[CAUSE_ROOT], plural(counts->causes[CAUSE_ROOT]),
                    counts->causes[CAUSE_CONSEQUENCE], plural(counts->causes[CAUSE_CONSEQUENCE]));
    if (counts->gaps)
        text_printf(page->text,
                    "; %" PRIu64 " gap%s: %" PRIu64 " only left, %" PRIu64 " only right",
                    counts->gaps, plural(counts->gaps), counts->skipped[0], counts->skipped[1]);
    for (unsigned side = 0; side < 2; side++)
        if (counts->omitted[side])
            text_printf(page->text, "; the %s trace omits %" PRIu64, side ? "right" : "left",
                        counts->omitted[side]);
    if (counts->reordered)
        text_printf(page->text, "; %" PRIu64 " in another order", counts->reordered);
    if (counts->causes[CAUSE_VOLATILE])
        text_printf(page->text, "; %" PRIu64 " accepted as volatile",
                    counts->causes[CAUSE_VOLATILE]);
    if (counts->causes[CAUSE_WAIVED])
        text_printf(page->text, "; %" PRIu64 " waived", counts->causes[CAUSE_WAIVED]);
    text_puts(page->text, "\n");
}

static void put_verdict(const struct page *page)
{
    static const char *const words[] = {
        "EQUAL: ", "DIFFERENT: ", "LOST SYNC: ", "NOTHING COMPARED: ",
        "UNDECIDED, because not all could be read: "};
    enum spoor_verdict verdict = spoor_diff_verdict(page->diff);
    put_colored(page, verdict == SPOOR_VERDICT_EQUAL ? BOLD ";" GREEN : BOLD ";" RED,
                words[verdict]);
    put_counts(page);
}

/* ---- the first difference ---- */

static void put_where(const struct page *page, const struct retained_difference *retained,
                      unsigned side)
{
    text_printf(page->text, "%s record %" PRIu64, side ? "right" : "left", retained->record[side]);
    if (!retained->units[side].there)
        text_puts(page->text, " (the end)");
    else if (retained->line[side])
        text_printf(page->text, " (line %" PRIu64 ")", retained->line[side]);
}

/* Prints the function and the source line of each side, if an image has them. */
static void put_place(const struct page *page, const struct retained_difference *retained)
{
    for (unsigned side = 0; side < 2; side++) {
        const struct unit_copy *copy = &retained->units[side];
        struct text place = {0};
        if (copy->there && (copy->unit.has & UNIT_HAS_PC) &&
            located_put(&page->located[side], copy->unit.pc, &place))
            text_printf(page->text, "in     %s %.*s\n", side ? "right" : "left", (int)place.size,
                        place.bytes);
        page->text->failed |= place.failed;
        text_free(&place);
    }
}

static void put_why(const struct page *page, const struct retained_difference *retained)
{
    struct words words;
    if (retained->gap) {
        text_printf(page->text, "why    %s: %" PRIu64 " only left, %" PRIu64 " only right%s\n",
                    spoor_diff_class_name((enum spoor_diff_class)retained->class),
                    retained->skipped[0], retained->skipped[1],
                    retained->cause == CAUSE_CONSEQUENCE ? ", after a branch on a wrong value"
                                                         : "");
        return;
    }
    for (unsigned i = 0; i < retained->comparison.count && i < MAX_DIFFERENCES; i++) {
        describe_difference(page->diff, retained, i, &words);
        text_printf(
            page->text, "%s %s: %s\n", i ? "      " : "why   ",
            spoor_diff_class_name((enum spoor_diff_class)retained->comparison.items[i].class),
            words.text);
    }
    if (retained->comparison.count > MAX_DIFFERENCES)
        text_printf(page->text, "       and %u more\n",
                    retained->comparison.count - MAX_DIFFERENCES);
}

static void put_writers(const struct page *page, const struct retained_difference *retained)
{
    for (unsigned i = 0; i < retained->writers.count; i++) {
        const struct last_writer *writer = &retained->writers.items[i];
        text_printf(page->text, "       %s last written",
                    spoor_names_text(page->diff->names, writer->name, NULL));
        for (unsigned side = 0; side < 2; side++)
            if (writer->known >> side & 1)
                text_printf(page->text, "%s %s record %" PRIu64, side ? "," : "",
                            side ? "right" : "left", writer->record[side]);
        text_printf(page->text, ", %" PRIu64 " back\n", writer->back);
    }
}

static void put_first(const struct page *page)
{
    const struct retained_difference *retained = &page->diff->retained[0];
    text_puts(page->text, "first  ");
    put_where(page, retained, 0);
    text_puts(page->text, ", ");
    put_where(page, retained, 1);
    if (page->diff->cpu_pair_count > 1)
        text_printf(page->text, ", cpu %s",
                    spoor_names_text(page->diff->names, retained->cpu, NULL));
    text_puts(page->text, "\n");
    put_place(page, retained);
    put_why(page, retained);
    put_writers(page, retained);
    diff_put_beside(page->diff, retained, page->column, page->color, page->text);
}

/* ---- lists ---- */

static void put_others(const struct page *page)
{
    const struct spoor_diff *diff = page->diff;
    if (diff->retained_count < 2) return;
    text_puts(page->text, "\nfurther differences\n");
    for (size_t i = 1; i < diff->retained_count; i++) {
        const struct retained_difference *retained = &diff->retained[i];
        struct words unit, why = {""};
        if (retained->gap) {
            snprintf(why.text, MAX_WORDS, "%" PRIu64 " only left, %" PRIu64 " only right",
                     retained->skipped[0], retained->skipped[1]);
        } else {
            describe_difference(diff, retained, 0, &why);
        }
        describe_unit(&retained->units[retained->units[0].there ? 0 : 1], &unit);
        text_printf(page->text, "  %-11s %-16s %8" PRIu64 " %8" PRIu64 "  %.40s  %s\n",
                    retained->gap                          ? "gap"
                    : retained->cause == CAUSE_CONSEQUENCE ? "consequence"
                                                           : "root",
                    spoor_diff_class_name((enum spoor_diff_class)retained->class),
                    retained->record[0], retained->record[1], unit.text, why.text);
    }
    uint64_t all = diff->counts.mismatches + diff->counts.gaps;
    if (all > diff->retained_count)
        text_printf(page->text, "  and %" PRIu64 " more (--limit)\n", all - diff->retained_count);
}

static void put_gaps(const struct page *page)
{
    const struct spoor_diff *diff = page->diff;
    if (!diff->gap_count) return;
    text_puts(page->text, "\ngaps      left    right  only left  only right  class\n");
    for (size_t i = 0; i < diff->gap_count && i < GAPS_SHOWN; i++) {
        const struct retained_gap *gap = &diff->gaps[i];
        text_printf(page->text, "  %12" PRIu64 " %8" PRIu64 " %10" PRIu64 " %11" PRIu64 "  %s%s\n",
                    gap->record[0], gap->record[1], gap->skipped[0], gap->skipped[1],
                    spoor_diff_class_name((enum spoor_diff_class)gap->class),
                    gap->consequence ? " (after a branch on a wrong value)" : "");
    }
    if (diff->counts.gaps > GAPS_SHOWN)
        text_printf(page->text, "  and %" PRIu64 " more (--json lists them)\n",
                    diff->counts.gaps - GAPS_SHOWN);
}

static void put_histograms(const struct page *page, const struct spoor_result *unused)
{
    (void)unused;
    const struct spoor_diff *diff = page->diff;
    if (diff->counts.mismatches + diff->counts.gaps == 0) return;
    text_puts(page->text, "\nby class  ");
    const char *comma = "";
    for (int i = 0; i < SPOOR_DIFF_CLASSES; i++) {
        if (!diff->counts.by_class[i]) continue;
        text_printf(page->text, "%s%" PRIu64 " %s", comma, diff->counts.by_class[i],
                    spoor_diff_class_name((enum spoor_diff_class)i));
        comma = ", ";
    }
    text_puts(page->text, "\n");
    comma = "roots of  ";
    uint64_t left = diff->counts.causes[CAUSE_ROOT];
    for (size_t i = 0; i < diff->mnemonic_count && i < MNEMONICS_SHOWN; i++) {
        if (!diff->mnemonics[i].roots) continue;
        text_printf(page->text, "%s%" PRIu64 " %s", comma, diff->mnemonics[i].roots,
                    diff->mnemonics[i].mnemonic);
        comma = ", ";
        left -= diff->mnemonics[i].roots;
    }
    if (*comma == ',' && left) text_printf(page->text, ", %" PRIu64 " others", left);
    if (*comma == ',') text_puts(page->text, "\n");
}

/* Prints the accepted differences, and the fields that were not compared. */
static void put_accepted(const struct page *page)
{
    const struct spoor_diff *diff = page->diff;
    for (int i = 0; i < SPOOR_TOLERANCES; i++) {
        if (!tolerates(diff, (enum spoor_tolerance)i)) continue;
        text_printf(page->text, "tolerated %s: %" PRIu64 " use%s\n",
                    spoor_tolerance_name((enum spoor_tolerance)i), diff->counts.tolerated[i],
                    plural(diff->counts.tolerated[i]));
    }
    for (size_t i = 0; i < diff->rule_count; i++)
        text_printf(page->text, "rule %s: %" PRIu64 " use%s\n", diff->rules[i].text,
                    diff->rules[i].uses, plural(diff->rules[i].uses));
}

/* States that a side is a subsequence of the other. */
static void put_omissions(const struct page *page)
{
    static const char *const names[] = {"left", "right"};
    const struct diff_counts *counts = &page->diff->counts;
    for (unsigned side = 0; side < 2; side++) {
        const uint64_t count = counts->omitted[side], first = counts->omitted_first[side];
        if (!count) continue;
        text_printf(page->text, "the %s trace omits %" PRIu64 " instruction%s of the %s one",
                    names[side], count, plural(count), names[1 - side]);
        if (first && first < count) text_printf(page->text, ", %" PRIu64 " of them", first);
        if (first) text_puts(page->text, " before its first");
        if (first < count)
            text_printf(page->text, ", in %" PRIu64 " places: compared as a subsequence",
                        counts->omitted_places[side]);
        text_puts(page->text, "\n");
    }
}

static void put_not_compared(const struct page *page)
{
    const struct unit_scope *scope = &page->diff->scope;
    const struct {
        bool compared;
        const char *what;
    } parts[] = {
        {scope->opcode, "opcodes"},
        {scope->registers, "registers"},
        {scope->reads || scope->writes, "accesses"},
        {scope->reads || !scope->writes, "reads"},
        {scope->writes || !scope->reads, "writes"},
        {scope->data, "data of accesses"},
    };
    const struct diff_counts *counts = &page->diff->counts;
    const bool any = counts->compared || counts->gaps; /* two empty traces state nothing */
    const char *comma = "not compared, because one side does not state it: ";
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i].compared || !any) continue;
        text_printf(page->text, "%s%s", comma, parts[i].what);
        comma = ", ";
    }
    if (*comma == ',') text_puts(page->text, "\n");
    for (unsigned side = 0; side < 2; side++) {
        uint64_t count = page->diff->counts.not_compared[side];
        if (count)
            text_printf(page->text, "before the start of the %s trace: %" PRIu64 " not compared\n",
                        side ? "right" : "left", count);
    }
}

static void put_suggested(const struct page *page)
{
    const char *comma = "equal with ";
    for (int i = 0; i < SPOOR_TOLERANCES; i++) {
        if (!(page->diff->suggested >> i & 1)) continue;
        text_printf(page->text, "%s--tolerate %s", comma,
                    spoor_tolerance_name((enum spoor_tolerance)i));
        comma = " ";
    }
    if (page->diff->suggested) text_puts(page->text, "\n");
}

/* ---- lines as wide as the screen ---- */

/* The size of a line up to where it is to be wrapped: the last blank within the limit, or the first
 * after it; escape sequences take no column. */
static size_t wrapped_size(const char *line, size_t size, size_t limit)
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

/* Wraps the lines of a text from `begin` on; what follows is indented. */
static void wrap(struct text *text, size_t begin, size_t limit)
{
    enum { INDENT = 7 };
    struct text out = {0};
    const char *at = text->bytes + begin, *const end = text->bytes + text->size;
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t size = (size_t)((newline ? newline : end) - at), indent = 0;
        for (;;) {
            const size_t part = wrapped_size(at, size, limit - indent);
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

void diff_as_text(const struct spoor_diff *diff, const struct located located[2],
                  const struct diff_page *form, struct text *text)
{
    const struct page page = {diff, located, text, (form->width - 3) / 2, form->color};
    const size_t begin = text->size;
    put_verdict(&page);
    put_not_compared(&page);
    put_suggested(&page);
    if (diff->retained_count) put_first(&page);
    put_others(&page);
    put_gaps(&page);
    put_histograms(&page, NULL);
    put_accepted(&page);
    put_omissions(&page);
    if (form->limit && !text->failed) wrap(text, begin, form->limit);
}

/* ---- Markdown and JUnit: the same text, framed ---- */

static const struct diff_page in_file = {.width = 120};

void diff_as_markdown(const struct spoor_diff *diff, const struct located located[2],
                      struct text *text)
{
    const struct diff_counts *counts = &diff->counts;
    text_printf(text, "## %s: `%s` and `%s`\n\n", spoor_verdict_name(spoor_diff_verdict(diff)),
                diff->paths[0], diff->paths[1]);
    text_puts(text, "| compared | mismatches | roots | consequences | gaps | waived |\n"
                    "|---:|---:|---:|---:|---:|---:|\n");
    text_printf(text,
                "| %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | %" PRIu64
                " |\n\n```\n",
                counts->compared, counts->mismatches, counts->causes[CAUSE_ROOT],
                counts->causes[CAUSE_CONSEQUENCE], counts->gaps, counts->causes[CAUSE_WAIVED]);
    diff_as_text(diff, located, &in_file, text);
    text_puts(text, "```\n");
}

void diff_as_junit(const struct spoor_diff *diff, const struct located located[2],
                   struct text *text)
{
    const enum spoor_verdict verdict = spoor_diff_verdict(diff);
    struct text name = {0}, body = {0};
    text_printf(&name, "%s %s", diff->paths[0], diff->paths[1]);
    text_put(&name, "", 1);
    if (verdict != SPOOR_VERDICT_EQUAL) diff_as_text(diff, located, &in_file, &body);
    junit_put_case(text, "spoor.diff", name.bytes ? name.bytes : "",
                   verdict == SPOOR_VERDICT_EQUAL ? NULL : spoor_verdict_name(verdict), &body);
    text->failed |= name.failed;
    text_free(&name);
    text_free(&body);
}

void diff_as_github(const struct spoor_diff *diff, struct text *text)
{
    const enum spoor_verdict verdict = spoor_diff_verdict(diff);
    const struct diff_counts *counts = &diff->counts;
    char message[200];
    uint64_t line = 0;
    if (verdict == SPOOR_VERDICT_EQUAL) return;
    if (diff->retained_count) line = diff->retained[0].line[1];
    snprintf(message, sizeof message,
             "%" PRIu64 " instructions compared, %" PRIu64 " differ, %" PRIu64 " gaps",
             counts->compared, counts->mismatches, counts->gaps);
    github_put(text, "error", diff->paths[1], line, spoor_verdict_name(verdict), message);
}
