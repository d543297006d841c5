/* SPDX-License-Identifier: MIT */
/* line_editor.c: libedit through its interface of readline. */
#include "cli/line_editor.h"

#include <editline/readline.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"

enum { HISTORY_MAX = 1000 };

static struct {
    const char *const *words;
    char *path; /* of the history; NULL: it is not kept */
} editor;

/* The words that begin as the text does, one at a call. */
static char *line_editor_next_word(const char *text, int state)
{
    static size_t at;
    if (state == 0) at = 0;
    while (editor.words[at]) {
        const char *word = editor.words[at++];
        if (strncasecmp(word, text, strlen(text)) == 0) return strdup(word);
    }
    return NULL;
}

static char **line_editor_complete(const char *text, int start, int end)
{
    (void)start, (void)end;
    return rl_completion_matches(text, line_editor_next_word);
}

bool line_editor_start(const char *name, const char *const *words)
{
    editor.words = words;
    rl_attempted_completion_function = line_editor_complete;
    stifle_history(HISTORY_MAX);
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    struct text path = {0};
    if (state && *state)
        text_printf(&path, "%s/spoor/%s", state, name);
    else if (home && *home)
        text_printf(&path, "%s/.local/state/spoor/%s", home, name);
    else
        return true;
    text_put(&path, "", 1);
    editor.path = path.failed ? NULL : path.bytes;
    if (path.failed) text_free(&path);
    for (char *at = editor.path; at && (at = strchr(at + 1, '/'));) {
        *at = '\0';
        (void)mkdir(editor.path, 0700); /* where it fails, nothing is kept */
        *at = '/';
    }
    if (editor.path) (void)read_history(editor.path); /* the first time there is none */
    return true;
}

char *line_editor_read(const char *prompt)
{
    return readline(prompt);
}

void line_editor_remember(const char *statement)
{
    add_history(statement);
    if (editor.path) (void)write_history(editor.path); /* a lost history is no failure */
}
