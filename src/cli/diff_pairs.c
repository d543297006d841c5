/* SPDX-License-Identifier: MIT */
/* diff_pairs.c: which traces `diff` compares. */
#include "cli/diff_pairs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/cli.h"
#include "cli/transfer.h"

static bool diff_pairs_add(struct diff_pairs *pairs, const char *left, const char *right)
{
    if (!array_reserve(&pairs->items, &pairs->capacity, pairs->count + 1))
        return complain("out of memory");
    pairs->items[pairs->count++] = (struct diff_pair){left, right};
    return true;
}

/* The path in its folder. */
static const char *diff_pairs_name_in(const char *path, const char *folder)
{
    path += strlen(folder);
    return path + strspn(path, "/");
}

static int diff_pairs_compare(const char *a, const char *b)
{
    const size_t a_size = size_without_compression(a), b_size = size_without_compression(b);
    const int order = memcmp(a, b, a_size < b_size ? a_size : b_size);
    return order ? order : (a_size > b_size) - (a_size < b_size);
}

/* Of paths in one folder; `a.log` is before `a.log.gz`. */
static int diff_pairs_by_name(const void *a, const void *b)
{
    const char *const *paths[] = {a, b};
    const int order = diff_pairs_compare(*paths[0], *paths[1]);
    return order ? order : strcmp(*paths[0], *paths[1]);
}

static int diff_pairs_add_lone(struct diff_pairs *pairs, const char *path, const char *folder)
{
    complain("%s: has no counterpart in %s", path, folder);
    if (!array_reserve(&pairs->lone, &pairs->lone_capacity, pairs->lone_count + 1))
        return complain_for(EXIT_UNREADABLE, "out of memory");
    pairs->lone[pairs->lone_count++] = (struct lone_trace){path, folder};
    return EXIT_NO;
}

int diff_pairs_find(struct diff_pairs *pairs, const char *file, const struct settings *settings)
{
    const int count = settings->operand_count;
    const char *const folders[2] = {count ? settings->operands[0] : "",
                                    count > 1 ? settings->operands[1] : ""};
    if (file && count)
        return complain_for(EXIT_USAGE, "diff: --pairs and operands exclude each other");
    if (file) {
        FILE *list = fopen(file, "r");
        size_t size = 0;
        const bool read = list && getdelim(&pairs->text, &size, '\0', list) >= 0;
        if (!read)
            complain("%s: %s", file, list && !ferror(list) ? "the file is empty" : strerror(errno));
        if (list) fclose(list);
        if (!read) return EXIT_UNREADABLE;
        unsigned number = 0;
        for (char *line = pairs->text, *next; line; line = next) {
            /* "LEFT RIGHT" between blanks or a tab; '#' begins a comment */
            char *state = NULL;
            next = strchr(line, '\n');
            if (next) *next++ = '\0';
            number++;
            line[strcspn(line, "#\r")] = '\0';
            const char *left = strtok_r(line, " \t", &state);
            const char *right = strtok_r(NULL, " \t", &state);
            if (!left) continue;
            if (!right || strtok_r(NULL, " \t", &state))
                return complain_for(EXIT_USAGE, "%s:%u: expected two traces", file, number);
            if (!diff_pairs_add(pairs, left, right)) return EXIT_USAGE;
        }
        if (pairs->count) return EXIT_CLEAN;
        return complain_for(EXIT_USAGE, "%s: found no pair of traces", file);
    }
    if (count < 2)
        return complain_for(EXIT_USAGE, "diff: expected two or more traces, found %d", count);
    if (count == 2 && operand_is_folder(folders[0]) && operand_is_folder(folders[1])) {
        if (!file_list_add_folder(&pairs->lefts, folders[0]) ||
            !file_list_add_folder(&pairs->rights, folders[1]))
            return EXIT_UNREADABLE;
        /* traces of the same name, compressed or not */
        const struct file_list *lefts = &pairs->lefts, *rights = &pairs->rights;
        int code = EXIT_CLEAN;
        qsort(lefts->names, lefts->count, sizeof *lefts->names, diff_pairs_by_name);
        qsort(rights->names, rights->count, sizeof *rights->names, diff_pairs_by_name);
        for (size_t i = 0, j = 0; i < lefts->count || j < rights->count;) {
            const char *left = i < lefts->count ? lefts->names[i] : NULL;
            const char *right = j < rights->count ? rights->names[j] : NULL;
            const int order = !left    ? 1
                              : !right ? -1
                                       : diff_pairs_compare(diff_pairs_name_in(left, folders[0]),
                                                            diff_pairs_name_in(right, folders[1]));
            if (order == 0 && !diff_pairs_add(pairs, left, right)) return EXIT_UNREADABLE;
            if (order < 0) code = worse(code, diff_pairs_add_lone(pairs, left, folders[1]));
            if (order > 0) code = worse(code, diff_pairs_add_lone(pairs, right, folders[0]));
            i += order <= 0;
            j += order >= 0;
        }
        if (pairs->count) return code;
        return complain_for(EXIT_NOTHING, "%s and %s: found no files of the same name", folders[0],
                            folders[1]);
    }
    for (int i = 1; i < count; i++)
        if (!diff_pairs_add(pairs, settings->operands[0], settings->operands[i]))
            return EXIT_UNREADABLE;
    return EXIT_CLEAN;
}

void diff_pairs_free(struct diff_pairs *pairs)
{
    free(pairs->items);
    free(pairs->lone);
    file_list_free(&pairs->lefts);
    file_list_free(&pairs->rights);
    free(pairs->text);
}
