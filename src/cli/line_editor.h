/* SPDX-License-Identifier: MIT */
/*
 * line_editor.h: lines typed at a prompt, with editing, completion and a history that is kept in a
 * file, through libedit.
 */
#ifndef SPOOR_CLI_LINE_EDITOR_H
#define SPOOR_CLI_LINE_EDITOR_H

#include <stdbool.h>
#include <stddef.h>

/* Starts editing; `words`, which a NULL ends, complete what is typed and must stay.  The history is
 * $XDG_STATE_HOME/spoor/NAME, by default ~/.local/state/spoor/NAME.  False: libedit is not built
 * in, and no other function may be called. */
bool line_editor_start(const char *name, const char *const *words);
/* A line without its newline, which the caller frees; NULL at the end. */
char *line_editor_read(const char *prompt);
/* Adds a statement to the history, and stores it. */
void line_editor_remember(const char *statement);

#endif
