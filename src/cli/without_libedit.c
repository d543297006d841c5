/* SPDX-License-Identifier: MIT */
/* without_libedit.c: stands for line_editor.c where the program is built without libedit: lines are
 * read as they are typed. */
#include "cli/line_editor.h"

bool line_editor_start(const char *name, const char *const *words)
{
    (void)name, (void)words;
    return false;
}

char *line_editor_read(const char *prompt)
{
    (void)prompt;
    return NULL;
}

void line_editor_remember(const char *statement)
{
    (void)statement;
}
