/* SPDX-License-Identifier: MIT */
/* help.c: the verb `help` and what --help prints: the verbs, and the options of one. */
#include <stdio.h>

#include "cli/cli.h"

void options_help(const struct verb *verb)
{
    printf("spoor %s %s: %s\n", verb->name, verb->operands, verb->brief);
}

static int run(void *settings)
{
    (void)settings;
    for (size_t i = 0; verbs[i]; i++)
        if (!verbs[i]->hidden) printf("%-10s %s\n", verbs[i]->name, verbs[i]->brief);
    return EXIT_CLEAN;
}

const struct verb verb_help = {
    .name = "help",
    .brief = "list the verbs",
    .operands = "",
    .settings_size = sizeof(struct settings),
    .run = run,
};
