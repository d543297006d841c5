/* SPDX-License-Identifier: MIT */
/* main.c: run the verb named on the command line. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cpu.h"
#include "cli/cli.h"
#include "cli/cores.h"
#include "cli/descriptions.h"
#include "cli/lists.h"
#include "cli/operands.h"
#include "cli/plugins.h"
#include "cli/seekable.h"
#include "cli/selection.h"
#include "record/session.h"
#include "record/system.h"

/* A file that is mapped into memory, an image or an index, has no byte there any more. */
static void main_end_truncated(int number)
{
    static const char sentence[] = "spoor: an image or an index was truncated while it was read: "
                                   "its mapping has no such page\n";
    (void)number;
    (void)!write(STDERR_FILENO, sentence, sizeof sentence - 1);
    _exit(EXIT_UNREADABLE);
}

int main(int count, char **words)
{
    /* A file opened by a number that is closed would be the standard stream of that number.  So
     * these are opened first, the wrong way round: using them is still an error. */
    static const int ways[] = {O_WRONLY, O_RDONLY, O_WRONLY};
    for (int file = 0; file < 3; file++)
        if (fcntl(file, F_GETFD) < 0 && errno == EBADF && open("/dev/null", ways[file]) < 0)
            _exit(EXIT_UNREADABLE);
    system_started_as(words[0]);
    signal(SIGBUS, main_end_truncated);
    /* A closed pipe and a file of the largest size are errors of write(), handled by the writer. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);

    const bool named = count > 1;
    const char *word = named ? words[1] : "help", *refusal = named ? cpu_refusal() : NULL;
    if (refusal) return complain_for(EXIT_USAGE, "SPOOR_CPU in the environment: %s", refusal);
    static const char *const versions[] = {"--version", "-V", "-v", "version"};
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
        if (strcmp(word, versions[i]) == 0) {
            /* What this program can do, and, if asked for, what it was built without. */
            bool absent = count > 2 && strcmp(words[2], "-v") == 0;
            char lines[1024];
            int size = snprintf(lines, sizeof lines, "spoor %s: %s %s%s%s%s%s\n", spoor_version(),
                                spoor_features(), session_features(), WITH_CURSES ? " browse" : "",
                                WITH_HTTP ? " serve" : "", WITH_JANSSON ? " sweep mcp" : "",
                                WITH_LIBEDIT ? " editing (libedit)" : "");
            if (absent)
                size += snprintf(lines + size, sizeof lines - (size_t)size,
                                 "built without: %s%s%s%s%s%s\n", spoor_features_absent(),
                                 session_features_absent(), WITH_CURSES ? "" : "browse (ncurses) ",
                                 WITH_HTTP ? "" : "serve (libmicrohttpd) ",
                                 WITH_JANSSON ? "" : "sweep, mcp (libjansson) ",
                                 WITH_LIBEDIT ? "" : "editing (libedit)");
            return show_bytes(lines, (size_t)size);
        }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) word = "help";
    const struct verb *verb = verb_find(word);
    const char *option = NULL; /* that stands for a verb of an old name */
    int first = named ? 2 : 1;
    if (!verb && (verb = verb_of_old_name(word, &option)) != NULL) {
        static char copy[16];
        snprintf(copy, sizeof copy, "%s", option);
        words[--first] = copy;
    }
    if (!verb) return verb_refuse(word);

    const int begun = descriptions_begin(count, words);
    if (begun != EXIT_CLEAN) return begun;
    struct word_list files = {0};
    struct settings *settings = calloc(1, verb->settings_size);
    if (!settings) return complain_for(EXIT_UNREADABLE, "out of memory");
    int code = EXIT_USAGE;
    const bool parsed = options_parse(verb, named ? count - first : 0, words + first, settings);
    if (parsed && option && !settings->quiet)
        complain("%s is called %s %s now; a later version does not know the old name", word,
                 verb->name, option);
    if (!parsed) {
        /* which has said why */
    } else if (settings->help) {
        code = options_help(verb);
    } else if (settings->json && !verb->results && !verb->json && !settings->list) {
        complain("%s --json: it has no result to print", verb->name);
    } else if (!dialect_open(settings) || (verb->many && !operands_expand(settings, &files)) ||
               (verb->seeks && !settings->list && !seekable_open(settings))) {
        code = EXIT_UNREADABLE;
    } else if (cores_are_sensible(settings)) {
        code = plugins_load(settings);
        if (code == EXIT_CLEAN) code = results_begin(settings);
        if (code == EXIT_CLEAN)
            code = results_end(
                selection_verdict(settings->list ? list_show(settings)
                                  : verb->run    ? verb->run(settings)
                                                 : run_each_trace(settings, verb->each, settings)));
    }
    word_list_free(&files);
    free(settings);
    return named ? code : EXIT_USAGE;
}
