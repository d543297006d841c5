/* SPDX-License-Identifier: MIT */
/* diff_text.c: a comparison as text for people, by texts.def; its further members are made here. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/ci_report.h"
#include "cli/diff_report.h"
#include "cli/layout.h"
#include "cli/narrow.h"

/* Adds what neither side states, and what else of `not_compared` a reader is to know. */
static void diff_text_give_uncompared(const struct spoor_result *root, struct spoor_result *more)
{
    static const char *const parts[] = {"opcodes", "registers", "reads", "writes",
                                        "data of accesses"};
    const bool any = spoor_result_whole(spoor_result_member(root, "compared"));
    struct spoor_result *unstated = spoor_result_array(more, "unstated"),
                        *left_out = spoor_result_array(more, "left_out");
    const struct spoor_result *item = spoor_result_first(spoor_result_member(root, "not_compared"));
    bool reads = false, accesses = false;
    for (; item; item = spoor_result_next(item)) {
        const char *words = spoor_result_string(item, NULL);
        const struct spoor_result *next = spoor_result_next(item);
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
            if (strcmp(words, parts[i]) != 0) continue;
            const char *after = spoor_result_string(next, NULL);
            reads = strcmp(words, "reads") == 0 && after && strcmp(after, "writes") == 0;
            if (!accesses) spoor_result_text(unstated, NULL, reads ? "accesses" : words);
            accesses |= reads;
        }
        /* notes are no work of the processor, but may be why no pair was found */
        if (!(any && strstr(words, " note records of")) &&
            (strstr(words, " records of the ") || strstr(words, "other processors") ||
             strstr(words, "trace does not state") || strstr(words, "states later only")))
            spoor_result_text(left_out, NULL, words);
    }
}

/* Adds the first difference's fields in words, and the further differences, a line each. */
static void diff_text_give_differences(const struct spoor_diff *diff, struct spoor_result *more)
{
    struct spoor_difference_field field = {.struct_size = sizeof field};
    struct spoor_difference next = {.struct_size = sizeof next};
    char words[SPOOR_DIFF_WORDS];
    struct spoor_result *rows = spoor_result_array(more, "reasons");
    for (unsigned i = 0; spoor_diff_field(diff, 0, i, &field); i++) {
        struct spoor_result *row = spoor_result_object(rows, NULL);
        spoor_result_text(row, "class", spoor_diff_class_name(field.kind));
        spoor_result_text(row, "words", field.words);
    }
    if (spoor_diff_difference(diff, 0, &next)) spoor_result_unsigned(more, "fields", next.fields);
    rows = spoor_result_array(more, "further");
    for (size_t i = 1; spoor_diff_difference(diff, i, &next); i++) {
        enum { INSTRUCTION = 40 };
        struct spoor_result *row = spoor_result_object(rows, NULL);
        spoor_diff_instruction(diff, i, next.ended[0], words);
        words[INSTRUCTION] = '\0';
        spoor_result_text(row, "cause",
                          next.gap           ? "gap"
                          : next.consequence ? "consequence"
                                             : "root");
        spoor_result_text(row, "class", spoor_diff_class_name(next.kind));
        spoor_result_unsigned(row, "left", next.record[0]);
        spoor_result_unsigned(row, "right", next.record[1]);
        spoor_result_unsigned(row, "skipped_left", next.skipped[0]);
        spoor_result_unsigned(row, "skipped_right", next.skipped[1]);
        spoor_result_text(row, "instruction", words);
        spoor_result_text(row, "words", spoor_diff_field(diff, i, 0, &field) ? field.words : NULL);
        spoor_result_unsigned(row, "consequences", next.consequences);
        struct spoor_difference root = {.struct_size = sizeof root};
        const bool has_root = next.has_root && spoor_diff_difference(diff, next.root, &root);
        spoor_result_unsigned_if(row, "root_left", has_root, has_root ? root.record[0] : 0);
    }
}

void diff_as_text(const struct diff_answer *compared, const struct diff_page *form,
                  struct text *text)
{
    enum { MNEMONICS = 12, INDENT = 7 };
    const struct spoor_result *root = compared->result;
    const struct layout layout = {.report = "diff", .around = root, .plain = !form->color};
    struct spoor_result *more = spoor_result_new_object();
    struct text page = {0};
    const struct spoor_result *row = spoor_result_first(spoor_result_member(root, "by_opcode"));
    uint64_t named = 0;
    for (unsigned i = 0; row && i < MNEMONICS; i++, row = spoor_result_next(row))
        named += spoor_result_whole(spoor_result_member(row, "roots"));
    spoor_result_unsigned(more, "named_roots", named);
    spoor_result_bool(more, "late",
                      spoor_diff_stated(compared->diff, 0) || spoor_diff_stated(compared->diff, 1));
    diff_text_give_uncompared(root, more);
    diff_text_give_differences(compared->diff, more);
    layout_put(&layout, "", more, &page);
    if (spoor_result_type_of(spoor_result_member(root, "first")) == SPOOR_RESULT_OBJECT)
        diff_put_beside(compared, (form->width - 3) / 2, form->color, &page);
    layout_put(&layout, " end", more, &page);
    spoor_result_free(more);
    const char *end = page.bytes + page.size;
    for (const char *at = page.bytes, *next; !page.failed && at < end; at = next) {
        const size_t line = text->size;
        next = (const char *)memchr(at, '\n', (size_t)(end - at)) + 1;
        text_put(text, at, (size_t)(next - at) - 1);
        if (!text->failed) narrow_wrap(text, line, line, form->limit, INDENT, false);
        text_puts(text, "\n");
    }
    text->failed |= page.failed;
    text_free(&page);
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
    struct spoor_difference difference = {.struct_size = sizeof difference};
    struct text message = {0};
    size_t shown = 0;
    if (verdict == SPOOR_VERDICT_EQUAL) return;
    for (; shown < limit && spoor_diff_difference(diff, shown, &difference); shown++) {
        message.size = 0;
        /* "80000004 00b50533 add x10,x10,x11: x10: 0x1 against 0x3, bits 0x2 differ". */
        char words[SPOOR_DIFF_WORDS];
        struct spoor_difference_field field = {.struct_size = sizeof field};
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
