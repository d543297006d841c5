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
#include "cli/lists.h"
#include "cli/operands.h"
#include "cli/selection.h"
#include "record/session.h"
#include "record/system.h"

/* True if --json asks for something that the verb has: a result, or a list. */
static bool has_json(const struct verb *verb, const struct settings *settings)
{
    if (!settings->json || verb->results || verb->json || settings->list) return true;
    return complain("%s --json: it has no result to print", verb->name);
}

static int run_verb(const struct verb *verb, struct settings *settings)
{
    if (settings->help) return options_help(verb);
    if (!has_json(verb, settings)) return EXIT_USAGE;
    struct file_list files = {0};
    int code = EXIT_UNREADABLE;
    if (!verb->many || operands_expand(settings, &files)) {
        code = results_begin(settings);
        if (code == EXIT_CLEAN)
            code = results_end(
                selection_verdict(settings->list ? list_show(settings) : verb->run(settings)));
    }
    file_list_free(&files);
    return code;
}

static int run(const struct verb *verb, int count, char **words)
{
    struct settings *settings = calloc(1, verb->settings_size);
    if (!settings) return complain_for(EXIT_UNREADABLE, "out of memory");
    int code = EXIT_USAGE;
    if (options_parse(verb, count, words, settings)) code = run_verb(verb, settings);
    free(settings);
    return code;
}

/* A file opened by a number that is closed would be the standard stream of that number.  So these
 * are opened first, the wrong way round: using them is still an error. */
static void open_standard_streams(void)
{
    static const int ways[] = {O_WRONLY, O_RDONLY, O_WRONLY};
    for (int file = 0; file < 3; file++)
        if (fcntl(file, F_GETFD) < 0 && errno == EBADF && open("/dev/null", ways[file]) < 0)
            _exit(EXIT_UNREADABLE);
}

/* A file that is mapped into memory, an image or an index, has no byte there any more. */
static void end_truncated(int number)
{
    static const char sentence[] = "spoor: an image or an index was truncated while it was read: "
                                   "its mapping has no such page\n";
    (void)number;
    (void)!write(STDERR_FILENO, sentence, sizeof sentence - 1);
    _exit(EXIT_UNREADABLE);
}

static bool is_version(const char *word)
{
    static const char *const spellings[] = {"--version", "-V", "-v", "version"};
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++)
        if (strcmp(word, spellings[i]) == 0) return true;
    return false;
}

/* What this program can do, and, if asked for, what it was built without. */
static int show_version(bool absent)
{
    char lines[1024];
    int size = snprintf(lines, sizeof lines, "spoor %s: %s %s%s%s%s%s\n", spoor_version(),
                        spoor_features(), session_features(), WITH_CURSES ? " browse" : "",
                        WITH_HTTP ? " serve" : "", WITH_JANSSON ? " sweep" : "",
                        WITH_LIBEDIT ? " editing (libedit)" : "");
    if (absent)
        size += snprintf(
            lines + size, sizeof lines - (size_t)size, "built without: %s%s%s%s%s%s\n",
            spoor_features_absent(), session_features_absent(),
            WITH_CURSES ? "" : "browse (ncurses) ", WITH_HTTP ? "" : "serve (libmicrohttpd) ",
            WITH_JANSSON ? "" : "sweep (libjansson) ", WITH_LIBEDIT ? "" : "editing (libedit)");
    return show_bytes(lines, (size_t)size);
}

int main(int count, char **words)
{
    open_standard_streams();
    system_started_as(words[0]);
    signal(SIGBUS, end_truncated);
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is an error of write(), handled by the writer */
    if (count < 2) return run(verb_find("help"), 0, words + 1), EXIT_USAGE;
    const char *word = words[1], *refusal = cpu_refusal();
    if (refusal) return complain_for(EXIT_USAGE, "SPOOR_CPU in the environment: %s", refusal);
    if (is_version(word)) return show_version(count > 2 && strcmp(words[2], "-v") == 0);
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) word = "help";
    const struct verb *verb = verb_find(word);
    return verb ? run(verb, count - 2, words + 2) : unknown_verb(word);
}
