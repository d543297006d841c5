/* SPDX-License-Identifier: MIT */
/* schema.c: the verb `schema`: print the JSON Schema of a verb's result. */
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"
#include "result/report.h"

static const char *report_verb_at(const void *unused, size_t index)
{
    (void)unused;
    return report_verb(index);
}

static int unknown_schema(const char *name)
{
    size_t count = 0;
    while (report_verb(count)) count++;
    const char *near = nearest(name, report_verb_at, NULL, count);
    complain("schema: no result is called '%s'%s%s%s; see `spoor schema`", name,
             near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "");
    return EXIT_USAGE;
}

static int run(void *chosen)
{
    const struct settings *settings = chosen;
    struct text out = {0};
    int code = EXIT_CLEAN;
    for (size_t i = 0; settings->operand_count == 0 && report_verb(i); i++)
        text_printf(&out, "%s\n", report_verb(i));
    for (int i = 0; i < settings->operand_count && code == EXIT_CLEAN; i++)
        if (report_describes(settings->operands[i]))
            report_schema(settings->operands[i], &out);
        else
            code = unknown_schema(settings->operands[i]);
    if (code == EXIT_CLEAN) code = show_text(&out);
    text_free(&out);
    return code;
}

const struct verb verb_schema = {
    .name = "schema",
    .brief = "print the JSON Schema of a verb's results",
    .operands = "[VERB]",
    .about =
        "Prints the JSON Schema that describes what VERB prints with --json, for one trace; of "
        "several traces the result is an array of such objects.  Without a VERB, lists the "
        "verbs that have one.",
    .settings_size = sizeof(struct settings),
    .json = true,
    .run = run,
};
