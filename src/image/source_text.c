/* SPDX-License-Identifier: MIT */
/*
 * source_text.c: finds, reads and caches source files.
 *
 * A file that cannot be found is stored as a file without lines, so it is searched only once.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "image/images.h"

enum { FILE_MAXIMUM = 16 << 20 };
#define ALL_MAXIMUM (UINT64_C(256) << 20)

struct source_file {
    struct source_file *next;
    char *name;
    char *text;
    char **lines;
    size_t count;
};

bool sources_add_directory(struct sources *sources, const char *directory)
{
    char *copy = strdup(directory);
    if (!copy || !array_reserve(&sources->directories, &sources->directory_capacity,
                                sources->directory_count + 1)) {
        free(copy);
        return false;
    }
    sources->directories[sources->directory_count++] = copy;
    return true;
}

/* Returns the text of a regular file with a newline at its end, or NULL. */
static char *source_read(const char *path, size_t *size)
{
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size > FILE_MAXIMUM)
        return NULL;
    FILE *file = fopen(path, "rbe");
    char *text = file ? malloc((size_t)status.st_size + 2) : NULL;
    if (text) {
        *size = fread(text, 1, (size_t)status.st_size, file);
        if (*size && text[*size - 1] != '\n') text[(*size)++] = '\n';
    }
    if (file) fclose(file);
    return text;
}

static struct source_file *source_load(struct sources *sources, const char *name)
{
    struct source_file *file = calloc(1, sizeof *file);
    size_t size = 0;
    if (file) file->name = strdup(name);
    if (!file || !file->name) {
        free(file);
        return NULL;
    }
    if (sources->bytes < ALL_MAXIMUM) {
        /* Tries directory/NAME, then removes the leading folders of NAME one by one. */
        for (size_t i = 0; !file->text && i < sources->directory_count; i++)
            for (const char *rest = name; !file->text && rest; rest = strchr(rest, '/')) {
                char path[2 * PATH_MAX];
                while (*rest == '/') rest++;
                if (snprintf(path, sizeof path, "%s/%s", sources->directories[i], rest) <
                    (int)sizeof path)
                    file->text = source_read(path, &size);
            }
        if (!file->text) file->text = source_read(name, &size);
    }
    size_t count = 0;
    for (size_t i = 0; i < size; i++) count += file->text[i] == '\n';
    if (file->text) file->lines = malloc((count + 1) * sizeof *file->lines);
    for (char *at = file->text; file->lines && file->count < count; file->count++) {
        char *newline = memchr(at, '\n', size - (size_t)(at - file->text));
        file->lines[file->count] = at;
        if (newline > at && newline[-1] == '\r') newline[-1] = '\0';
        *newline = '\0';
        at = newline + 1;
    }
    sources->bytes += size;
    return file;
}

const char *sources_line(struct sources *sources, const char *file, uint32_t line)
{
    struct source_file **at = &sources->files, *found;
    while ((found = *at) && strcmp(found->name, file) != 0) at = &found->next;
    if (found)
        *at = found->next;
    else
        found = source_load(sources, file);
    if (!found) return NULL;
    found->next = sources->files;
    sources->files = found;
    return line && line <= found->count ? found->lines[line - 1] : NULL;
}

void sources_free(struct sources *sources)
{
    for (struct source_file *file = sources->files, *next; file; file = next) {
        next = file->next;
        free(file->name);
        free(file->text);
        free(file->lines);
        free(file);
    }
    for (size_t i = 0; i < sources->directory_count; i++) free(sources->directories[i]);
    free(sources->directories);
    *sources = (struct sources){0};
}
