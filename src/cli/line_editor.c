/* SPDX-License-Identifier: MIT */
/* line_editor.c: libedit through its interface of readline. */
#include "cli/line_editor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/shared_library.h"
#include "base/text.h"

enum { HISTORY_MAX = 1000 };

typedef char *completion_generator(const char *text, int state);
typedef char **completion_function(const char *text, int start, int end);

static struct {
    char *(*readline)(const char *prompt);
    int (*add_history)(const char *line);
    int (*read_history)(const char *path);
    int (*write_history)(const char *path);
    void (*stifle_history)(int maximum);
    char **(*matches)(const char *text, completion_generator *generate);
    completion_function **complete; /* libedit's variable */
    const char *const *words;
    char *path; /* of the history; NULL: it is not kept */
} editor;

/* ---- the file ---- */

/* Makes the folders of a path. */
static void make_folders(char *path)
{
    for (char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
        *at = '\0';
        (void)mkdir(path, 0700); /* where it fails, nothing is kept */
        *at = '/';
    }
}

static char *history_path(const char *name)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    struct text path = {0};
    if (state && *state)
        text_printf(&path, "%s/spoor/%s", state, name);
    else if (home && *home)
        text_printf(&path, "%s/.local/state/spoor/%s", home, name);
    else
        return NULL;
    text_put(&path, "", 1);
    if (!path.failed) make_folders(path.bytes);
    if (!path.failed) return path.bytes;
    text_free(&path);
    return NULL;
}

/* ---- completion ---- */

/* The words that begin as the text does, one at a call. */
static char *next_word(const char *text, int state)
{
    static size_t at;
    if (state == 0) at = 0;
    while (editor.words[at]) {
        const char *word = editor.words[at++];
        if (strncasecmp(word, text, strlen(text)) == 0) return strdup(word);
    }
    return NULL;
}

static char **complete(const char *text, int start, int end)
{
    (void)start, (void)end;
    return editor.matches(text, next_word);
}

/* ---- lines ---- */

bool line_editor_start(const char *name, const char *const *words)
{
    const struct shared_function functions[] = {
        {"readline", &editor.readline},
        {"add_history", &editor.add_history},
        {"read_history", &editor.read_history},
        {"write_history", &editor.write_history},
        {"stifle_history", &editor.stifle_history},
        {"rl_completion_matches", &editor.matches},
        {"rl_attempted_completion_function", &editor.complete},
    };
    const char *reason;
    if (!shared_library_load("libedit.so.2", functions, sizeof functions / sizeof *functions,
                             &reason))
        return false;
    editor.words = words;
    *editor.complete = complete;
    editor.stifle_history(HISTORY_MAX);
    editor.path = history_path(name);
    if (editor.path) (void)editor.read_history(editor.path); /* the first time there is none */
    return true;
}

char *line_editor_read(const char *prompt)
{
    return editor.readline(prompt);
}

void line_editor_remember(const char *statement)
{
    editor.add_history(statement);
    if (editor.path) (void)editor.write_history(editor.path); /* a lost history is no failure */
}
