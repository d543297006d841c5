/* SPDX-License-Identifier: MIT */
/* shown_path.c: the names of operands that are read by another path. */
#include "cli/shown_path.h"

#include <string.h>

enum { PATHS = 16 };
static struct {
    const char *path, *name;
} shown_paths[PATHS];
static size_t shown_path_count;

void shown_path_set(const char *path, const char *name)
{
    if (shown_path_count == PATHS) return;
    shown_paths[shown_path_count].path = path;
    shown_paths[shown_path_count++].name = name;
}

const char *shown_path(const char *path)
{
    for (size_t i = 0; i < shown_path_count; i++)
        if (strcmp(shown_paths[i].path, path) == 0) return shown_paths[i].name;
    return path;
}

const char *shown_path_at_start(const char *words, size_t *size)
{
    for (size_t i = 0; i < shown_path_count; i++) {
        *size = strlen(shown_paths[i].path);
        if (strncmp(words, shown_paths[i].path, *size) == 0 && words[*size] == ':')
            return shown_paths[i].name;
    }
    return NULL;
}
