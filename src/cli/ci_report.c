/* SPDX-License-Identifier: MIT */
/* ci_report.c: JUnit's XML and annotations of GitHub. */
#include "cli/ci_report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

/* Appends text in which XML's special characters are escaped. */
static void junit_put_escaped(struct text *text, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        const char c = bytes[i];
        if (c == '<')
            text_puts(text, "&lt;");
        else if (c == '>')
            text_puts(text, "&gt;");
        else if (c == '&')
            text_puts(text, "&amp;");
        else if (c == '"')
            text_puts(text, "&quot;");
        else if ((c >= ' ' && c <= '~') || c == '\n')
            text_put(text, &c, 1);
        else
            text_puts(text, "?"); /* XML has no such character, or it may be no UTF-8 */
    }
}

void junit_put_case(struct text *text, const char *class, const char *name, const char *failure,
                    const struct text *body)
{
    text_printf(text, "  <testcase classname=\"%s\" name=\"", class);
    junit_put_escaped(text, name, strlen(name));
    if (!failure) {
        text_puts(text, "\"/>\n");
        return;
    }
    text_puts(text, "\">\n    <failure message=\"");
    junit_put_escaped(text, failure, strlen(failure));
    text_puts(text, "\">");
    junit_put_escaped(text, body->bytes, body->size);
    text->failed |= body->failed;
    text_puts(text, "</failure>\n  </testcase>\n");
}

void junit_put_file(struct text *file, const char *suite, size_t tests, size_t failures,
                    const struct text *cases)
{
    text_printf(file,
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                "<testsuite name=\"%s\" tests=\"%zu\" failures=\"%zu\">\n",
                suite, tests, failures);
    text_put(file, cases->bytes, cases->size);
    text_puts(file, "</testsuite>\n");
    file->failed |= cases->failed;
}

bool annotates(int wanted)
{
    const char *runs = getenv("GITHUB_ACTIONS");
    return wanted == ANNOTATIONS_GITHUB ||
           (wanted == ANNOTATIONS_AUTO && runs && strcmp(runs, "true") == 0);
}

bool github_summarise(const struct text *text)
{
    const char *summary = getenv("GITHUB_STEP_SUMMARY");
    if (!summary || !*summary || !text->size) return true;
    FILE *file = text->failed ? NULL : fopen(summary, "a");
    bool good = file && fwrite(text->bytes, 1, text->size, file) == text->size;
    if (file && fclose(file) != 0) good = false;
    if (!good) complain("GITHUB_STEP_SUMMARY: %s: %s", summary, strerror(errno));
    return good;
}

/* What ends a property or a line is written by its number. */
static void github_put_escaped(struct text *text, const char *words, const char *special)
{
    for (; *words; words++) {
        if (strchr(special, *words))
            text_printf(text, "%%%02X", (unsigned char)*words);
        else
            text_put(text, words, 1);
    }
}

void github_put(struct text *text, const char *level, const char *file, uint64_t line,
                const char *title, const char *message)
{
    text_printf(text, "::%s file=", level);
    github_put_escaped(text, file, "%\r\n:,");
    if (line) text_printf(text, ",line=%" PRIu64, line);
    text_puts(text, ",title=");
    github_put_escaped(text, title, "%\r\n:,");
    text_puts(text, "::");
    github_put_escaped(text, message, "%\r\n");
    text_puts(text, "\n");
}
