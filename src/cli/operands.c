/* SPDX-License-Identifier: MIT */
/* operands.c: folders and patterns among the operands that name traces. */
#include "cli/operands.h"

#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "cli/cli.h"

void file_list_free(struct file_list *list)
{
    for (size_t i = 0; i < list->count; i++) free(list->names[i]);
    free(list->names);
}

static bool add(struct file_list *list, const char *name)
{
    char *copy = strdup(name);
    if (copy && array_reserve(&list->names, &list->capacity, list->count + 1)) {
        list->names[list->count++] = copy;
        return true;
    }
    free(copy);
    return complain("out of memory");
}

static bool ends_in(const char *name, const char *suffix)
{
    const size_t size = strlen(name), end = strlen(suffix);
    return size >= end && strcmp(name + size - end, suffix) == 0;
}

static bool is_trace(const char *path, const char *name)
{
    struct stat status;
    return name[0] != '.' && !ends_in(name, ".spoor-index") && !ends_in(name, ".spoor-map") &&
           stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* A folder in a folder; links are not followed, because they could form a circle. */
static bool is_inner_folder(const char *path, const char *name)
{
    struct stat status;
    return name[0] != '.' && lstat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static bool add_folder(struct file_list *list, const char *folder)
{
    const size_t size = strlen(folder);
    const char *slash = size && folder[size - 1] == '/' ? "" : "/";
    DIR *directory = opendir(folder);
    bool good = true;
    if (!directory) return complain("%s: %s", folder, strerror(errno));
    for (struct dirent *entry; good && (entry = readdir(directory));) {
        char path[PATH_MAX];
        const int length = snprintf(path, sizeof path, "%s%s%s", folder, slash, entry->d_name);
        if (length < 0 || (size_t)length >= sizeof path)
            continue;
        else if (is_trace(path, entry->d_name))
            good = add(list, path);
        else if (is_inner_folder(path, entry->d_name))
            good = spoor_reader_is_directory(path) ? add(list, path) : add_folder(list, path);
    }
    closedir(directory);
    return good;
}

bool file_list_add_folder(struct file_list *list, const char *folder)
{
    const size_t before = list->count;
    const bool good = add_folder(list, folder);
    if (list->count > before)
        qsort(list->names + before, list->count - before, sizeof *list->names, by_name);
    if (good && list->count == before) complain("%s: the folder has no file", folder);
    return good && list->count > before;
}

/* Adds the files that a pattern fits; where there are none, the pattern, which is then no file. */
static bool add_pattern(struct file_list *list, const char *pattern)
{
    glob_t found = {0};
    bool good = true;
    if (glob(pattern, 0, NULL, &found) != 0) {
        globfree(&found);
        return add(list, pattern);
    }
    for (size_t i = 0; good && i < found.gl_pathc; i++) good = add(list, found.gl_pathv[i]);
    globfree(&found);
    return good;
}

bool operand_is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode) && !spoor_reader_is_directory(path);
}

static bool is_pattern(const char *word)
{
    struct stat status;
    return strpbrk(word, "*?[") && stat(word, &status) != 0;
}

bool operands_expand(struct settings *settings, struct file_list *list)
{
    bool any = false, good = true;
    for (int i = 0; i < settings->operand_count; i++)
        any |= operand_is_folder(settings->operands[i]) || is_pattern(settings->operands[i]);
    if (!any) return true;
    for (int i = 0; good && i < settings->operand_count; i++) {
        const char *word = settings->operands[i];
        if (operand_is_folder(word))
            good = file_list_add_folder(list, word);
        else
            good = is_pattern(word) ? add_pattern(list, word) : add(list, word);
    }
    if (!good) return false;
    settings->operands = list->names;
    settings->operand_count = (int)list->count;
    return true;
}
