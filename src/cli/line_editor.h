/* SPDX-License-Identifier: MIT */
/*
 * line_editor.h: lines typed at a prompt, with editing, completion and a history that is kept in a
 * file.  libedit is loaded when it is first used; without it, lines are read as they are typed.
 */
#ifndef SPOOR_CLI_LINE_EDITOR_H
#define SPOOR_CLI_LINE_EDITOR_H

#include <stdbool.h>
#include <stddef.h>

/* Starts editing; `words`, which a NULL ends, complete what is typed and must stay.  The history is
 * $XDG_STATE_HOME/spoor/NAME, by default ~/.local/state/spoor/NAME.  False: libedit is not there.
 */
bool line_editor_start(const char *name, const char *const *words);
/* A line without its newline, which the caller frees; NULL at the end. */
char *line_editor_read(const char *prompt);
/* Adds a statement to the history, and stores it. */
void line_editor_remember(const char *statement);

#endif
