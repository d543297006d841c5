/* SPDX-License-Identifier: MIT */
/* diff_pairs.h: which traces `diff` compares: the operands, two folders, or a file of pairs. */
#ifndef SPOOR_CLI_DIFF_PAIRS_H
#define SPOOR_CLI_DIFF_PAIRS_H

#include "cli/operands.h"

struct diff_pairs {
    struct diff_pair {
        const char *left, *right;
    } * items;
    size_t count, capacity;
    struct lone_trace {
        const char *path, *folder; /* the folder that has no file of this name */
    } * lone;
    size_t lone_count, lone_capacity;
    struct file_list lefts, rights; /* names that the pairs own */
    char *text;                     /* of the file of pairs */
};

/* Finds the pairs: of the file if it is not NULL; of two folders, the files of the same name; else
 * the first operand with each of the others.  EXIT_NO, with a message, if a file of a folder has no
 * counterpart, which `lone` lists; EXIT_USAGE and EXIT_UNREADABLE if there is nothing to compare.
 */
int diff_pairs_find(struct diff_pairs *pairs, const char *file, const struct settings *settings);
void diff_pairs_free(struct diff_pairs *pairs);

#endif
