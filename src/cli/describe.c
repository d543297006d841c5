/* SPDX-License-Identifier: MIT */
/* describe.c: the verb `describe`: propose a description of a log. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/option.h"
#include "cli/results.h"
#include "spoor/describe.h"

static int describe_run(void *chosen)
{
    const struct settings *settings = chosen;
    if (settings->operand_count != 1) {
        complain("describe: expected one log");
        return EXIT_USAGE;
    }
    const char *path = settings->operands[0];
    struct spoor_error error = {0};
    struct text out = {0};
    char *description;
    double share;
    if (spoor_describe_log(path, &description, &share, &error) != SPOOR_OK)
        return complain_for(EXIT_UNREADABLE, "%s", error.text);
    text_printf(&out, "# proposed: takes %.1f %% of the first lines of %s\n", 100 * share,
                path_name(path));
    text_printf(&out, "title log like %s\n%s", path_name(path), description);
    free(description);
    const int code = out.failed ? complain_for(EXIT_UNREADABLE, "out of memory")
                                : show_bytes(out.bytes, out.size);
    text_free(&out);
    return code;
}

const struct verb verb_describe = {
    .name = "describe",
    .brief = "propose a description of a log that no format knows",
    .operands = "LOG",
    .about =
        "Finds the columns of a log and what they probably are, and prints a description: text "
        "that makes it a format. Save it as NAME.spoor-format, mend what is wrong, and read "
        "the log with -f NAME.spoor-format.",
    .settings_size = sizeof(struct settings),
    .run = describe_run,
};
