/* SPDX-License-Identifier: MIT */
/* schema.c: the verb `schema`: print the JSON Schema of a verb's result. */
#include <stdlib.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/lists.h"
#include "spoor/result.h"

static int schema_run(void *chosen)
{
    const struct settings *settings = chosen;
    struct text out = {0};
    int code = EXIT_CLEAN;
    for (size_t i = 0; settings->operand_count == 0 && spoor_result_described(i); i++)
        text_printf(&out, "%s\n", spoor_result_described(i));
    for (int i = 0; i < settings->operand_count && code == EXIT_CLEAN; i++) {
        char *schema = spoor_result_schema(settings->operands[i], NULL);
        if (schema)
            text_puts(&out, schema);
        else {
            const char *name = settings->operands[i];
            const char *near = list_nearest(LIST_RESULTS, name);
            complain("schema: no result is called '%s'%s%s%s; see `spoor schema`", name,
                     near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "");
            code = EXIT_USAGE;
        }
        free(schema);
    }
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
    .run = schema_run,
};
