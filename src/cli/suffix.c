/* SPDX-License-Identifier: MIT */
/* suffix.c: checks of an output's path: its format, and that it is not an input. */
#include <string.h>

#include "base/portable.h"
#include "base/text.h"
#include "cli/transfer.h"

/* True if the `size` bytes at `suffix` occur in a list "a;b;c". */
static bool suffix_in_list(const char *list, const char *suffix, size_t size)
{
    while (list && *list) {
        size_t length = strcspn(list, ";");
        if (length == size && memcmp(list, suffix, size) == 0) return true;
        list += length + (list[length] == ';');
    }
    return false;
}

size_t size_without_compression(const char *path)
{
    const char *name = path_name(path), *dot = strrchr(name, '.');
    if (dot && suffix_in_list("gz;zst;xz;bz2;lz4;zip", dot + 1, strlen(dot + 1)))
        return (size_t)(dot - path);
    return strlen(path);
}

/* The suffix of a path that names the format, without the dot; *size 0: none. */
static const char *suffix_of(const char *path, size_t *size)
{
    const char *name = path_name(path), *end = path + size_without_compression(path);
    const char *dot = bytes_last(name, '.', (size_t)(end - name));
    *size = dot ? (size_t)(end - dot - 1) : 0;
    return dot ? dot + 1 : "";
}

bool suffix_names_trace(const char *path)
{
    size_t size;
    const char *suffix = suffix_of(path, &size);
    if (!size || suffix_in_list("csv;log;out;trace", suffix, size)) return false;
    for (size_t i = 0; i < spoor_format_count(); i++) {
        const struct spoor_format *format = spoor_format_at(i);
        if (spoor_format_reads(format) &&
            suffix_in_list(spoor_format_suffixes(format), suffix, size))
            return true;
    }
    return false;
}

const struct spoor_format *format_for_output(const char *path, const struct spoor_format *input)
{
    size_t size;
    const char *suffix = suffix_of(path, &size);
    const struct spoor_format *found = NULL;
    if (!size || suffix_in_list(spoor_format_suffixes(input), suffix, size)) return input;
    for (size_t i = 0; i < spoor_format_count(); i++) {
        const struct spoor_format *format = spoor_format_at(i);
        if (!suffix_in_list(spoor_format_suffixes(format), suffix, size)) continue;
        if (found) {
            complain("%s: the suffix belongs to %s and %s: name the format with -t", path,
                     spoor_format_name(found), spoor_format_name(format));
            return NULL;
        }
        found = format;
    }
    return found ? found : input;
}

bool output_is_free(const char *path, const struct settings *settings)
{
    for (size_t i = 0; i < operand_count(settings); i++)
        if (spoor_output_is_input(path, operand(settings, i)))
            return complain("%s is an input: it would be overwritten while it is read",
                            operand(settings, i));
    return true;
}
