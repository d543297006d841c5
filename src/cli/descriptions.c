/* SPDX-License-Identifier: MIT */
/* descriptions.c: formats that the user describes: where their descriptions are found. */
#include "cli/descriptions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "spoor/describe.h"

enum { PATH_SIZE = 4096 };

static struct {
    char **paths;
    size_t count;
} named; /* on the command line: until the end of the program */

static void descriptions_tell(void *unused, const char *sentence)
{
    (void)unused;
    complain("%s: the description is not used", sentence);
}

const struct spoor_format *description_load(const char *path)
{
    const struct spoor_format *format;
    struct spoor_error error = {0};
    if (spoor_describe_file(path, &format, &error) != SPOOR_OK) {
        complain("%s", error.text);
        return NULL;
    }
    char **paths = realloc(named.paths, (named.count + 1) * sizeof *paths);
    char *copy = strdup(path);
    if (paths) named.paths = paths;
    if (paths && copy)
        named.paths[named.count++] = copy;
    else
        free(copy);
    return format;
}

const char *description_path(size_t index)
{
    return index < named.count ? named.paths[index] : NULL;
}

/* A format that no list knows: NAME.spoor-format in this folder, if the user names it. */
const struct spoor_format *description_named(const char *word, bool *failed)
{
    static const char suffix[] = ".spoor-format";
    const size_t size = strlen(word), ending = sizeof suffix - 1;
    char path[PATH_SIZE];
    *failed = false;
    const bool is_path = size > ending && strcmp(word + size - ending, suffix) == 0;
    const int written = snprintf(path, sizeof path, "%s%s", word, is_path ? "" : suffix);
    if (written < 0 || written >= PATH_SIZE) return NULL;
    if (!is_path && (strchr(word, '/') || access(path, F_OK) != 0)) return NULL;
    const struct spoor_format *format = description_load(path);
    *failed = format == NULL;
    return format;
}

int descriptions_begin(int count, char **words)
{
    static const char option[] = "--format-file";
    const size_t size = sizeof option - 1;
    const char *folders = getenv("SPOOR_FORMATS"), *config = getenv("XDG_CONFIG_HOME");
    const char *home = getenv("HOME");
    char path[PATH_SIZE];
    int written = 0;
    if (!spoor_describe_begin()) return complain_for(EXIT_UNREADABLE, "out of memory");
    if (config && *config == '/')
        written = snprintf(path, sizeof path, "%s/spoor/formats", config);
    else if (home && *home == '/')
        written = snprintf(path, sizeof path, "%s/.config/spoor/formats", home);
    if (written > 0 && written < PATH_SIZE) spoor_describe_folder(path, descriptions_tell, NULL);
    while (folders && *folders) {
        const char *colon = strchr(folders, ':');
        const size_t length = colon ? (size_t)(colon - folders) : strlen(folders);
        if (length > 0 && length < sizeof path) {
            memcpy(path, folders, length);
            path[length] = '\0';
            spoor_describe_folder(path, descriptions_tell, NULL);
        }
        folders += length + (colon != NULL);
    }
    /* before the options, which may name the format */
    for (int i = 0; i < count && strcmp(words[i], "--") != 0; i++) {
        const bool joined = strncmp(words[i], option, size) == 0 && words[i][size] == '=';
        const bool apart = strcmp(words[i], option) == 0 && i + 1 < count;
        if (!joined && !apart) continue;
        if (!description_load(joined ? words[i] + size + 1 : words[++i])) return EXIT_USAGE;
    }
    return EXIT_CLEAN;
}
