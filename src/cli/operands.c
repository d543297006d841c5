/* SPDX-License-Identifier: MIT */
/* operands.c: folders and patterns among the operands that name traces. */
#include "cli/operands.h"

#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/transfer.h"

void word_list_free(struct word_list *list)
{
    for (size_t i = 0; i < list->count; i++) free(list->items[i]);
    free(list->items);
    *list = (struct word_list){.items = NULL};
}

bool word_list_add(struct word_list *list, const char *word)
{
    char *copy = strdup(word);
    if (copy && array_reserve(&list->items, &list->capacity, list->count + 1)) {
        list->items[list->count++] = copy;
        return true;
    }
    free(copy);
    return complain("out of memory");
}

static int operands_by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* A folder and the folders in it, in the order in which they are read. */
struct folder_walk {
    struct walked_folder {
        char *path;
        dev_t device;
        ino_t file;
        size_t outer; /* the folder that it is in: its number, from 1; 0: none */
    } * items;
    size_t count, capacity;
};

/* Adds a folder that is in folder number `outer`.  A link to one that it is in is not followed. */
static bool operands_walk_folder(struct folder_walk *walk, const char *path,
                                 const struct stat *status, size_t outer)
{
    for (size_t at = outer; at; at = walk->items[at - 1].outer)
        if (walk->items[at - 1].device == status->st_dev &&
            walk->items[at - 1].file == status->st_ino)
            return true;
    char *copy = strdup(path);
    if (!copy || !array_reserve(&walk->items, &walk->capacity, walk->count + 1)) {
        free(copy);
        return complain("out of memory");
    }
    walk->items[walk->count++] =
        (struct walked_folder){copy, status->st_dev, status->st_ino, outer};
    return true;
}

bool operands_add_folder(struct word_list *list, const char *folder)
{
    const size_t before = list->count;
    struct folder_walk walk = {0};
    struct stat status = {0};
    bool good = stat(folder, &status) == 0 || complain("%s: %s", folder, strerror(errno));
    good = good && operands_walk_folder(&walk, folder, &status, 0);
    for (size_t i = 0; good && i < walk.count; i++) {
        const char *walked = walk.items[i].path;
        const size_t size = strlen(walked);
        const char *slash = size && walked[size - 1] == '/' ? "" : "/";
        DIR *directory = opendir(walked);
        struct text path = {0};
        if (!directory) {
            good = complain("%s: %s", walked, strerror(errno));
            break;
        }
        for (struct dirent *entry; good && (entry = readdir(directory));) {
            struct stat found;
            const char *name = entry->d_name;
            static const char *const beside[] = {".spoor-index", ".spoor-map"};
            bool skipped = name[0] == '.';
            for (size_t k = 0; k < sizeof beside / sizeof *beside; k++) {
                const size_t length = strlen(name), end = strlen(beside[k]);
                skipped |= length >= end && strcmp(name + length - end, beside[k]) == 0;
            }
            if (skipped) continue;
            path.size = 0;
            text_printf(&path, "%s%s%s", walked, slash, entry->d_name);
            text_put(&path, "", 1);
            if (path.failed)
                good = complain("out of memory");
            else if (stat(path.bytes, &found) != 0 || S_ISREG(found.st_mode))
                good = word_list_add(list, path.bytes);
            else if (S_ISDIR(found.st_mode))
                good = spoor_reader_is_directory(path.bytes)
                           ? word_list_add(list, path.bytes)
                           : operands_walk_folder(&walk, path.bytes, &found, i + 1);
        }
        closedir(directory);
        text_free(&path);
    }
    for (size_t i = 0; i < walk.count; i++) free(walk.items[i].path);
    free(walk.items);
    if (list->count > before)
        qsort(list->items + before, list->count - before, sizeof *list->items, operands_by_name);
    if (good && list->count == before) complain("%s: the folder has no file", folder);
    return good && list->count > before;
}

bool operand_is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode) && !spoor_reader_is_directory(path);
}

bool operand_is_no_trace(const char *path)
{
    struct spoor_reader *reader;
    struct spoor_error error = {0};
    const struct spoor_reader_options options = {.threads = 1};
    const enum spoor_status status = spoor_reader_open(&reader, path, &options, &error);
    if (status == SPOOR_OK) spoor_reader_close(reader);
    return status == SPOOR_EINPUT && strstr(error.text, ": found no format that matches");
}

bool operand_is_passed_over(const struct settings *settings, const char *path)
{
    /* what is called a trace and is none is a damaged one: reading it says so */
    return !settings->from && !suffix_names_trace(path) && operand_is_no_trace(path);
}

void operands_say_passed(const struct settings *settings, const char *folder, size_t count,
                         const char *example, bool all)
{
    if (count && (all || !settings->quiet))
        complain("%s: passed over %zu file%s that no format matches%s%s%s", folder, count,
                 count == 1 ? "" : "s", count == 1 ? ": " : ", such as ", example,
                 all ? ": there is no trace in it" : "");
}

/* Adds the traces in a folder, as operands_add_folder() does, but for files that are passed over,
 * which is said.  False, too: there is no other. */
static bool operands_add_traces(const struct settings *settings, struct word_list *list,
                                const char *folder)
{
    const size_t first = list->count;
    if (!operands_add_folder(list, folder)) return false;
    const size_t before = list->count;
    char *example = NULL;
    size_t kept = first;
    for (size_t i = first; i < list->count; i++) {
        if (!operand_is_passed_over(settings, list->items[i])) {
            list->items[kept++] = list->items[i];
            continue;
        }
        if (example) free(list->items[i]);
        if (!example) example = list->items[i];
    }
    list->count = kept;
    operands_say_passed(settings, folder, before - kept, example, kept == first);
    free(example);
    return kept > first;
}

bool operands_expand(struct settings *settings, struct word_list *list)
{
    bool good = true;
    for (int i = 0; good && i < settings->operand_count; i++) {
        const char *word = settings->operands[i];
        struct stat status;
        if (operand_is_folder(word)) {
            good = operands_add_traces(settings, list, word);
        } else if (strpbrk(word, "*?[") && stat(word, &status) != 0) {
            glob_t found = {0};
            const bool matches = glob(word, 0, NULL, &found) == 0;
            if (!matches) good = word_list_add(list, word);
            for (size_t k = 0; matches && good && k < found.gl_pathc; k++)
                good = word_list_add(list, found.gl_pathv[k]);
            globfree(&found);
        } else
            good = word_list_add(list, word);
    }
    if (!good) return false;
    settings->operands = list->items;
    settings->operand_count = (int)list->count;
    return true;
}
