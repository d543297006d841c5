/* SPDX-License-Identifier: MIT */
/* operands.h: folders and patterns among the operands that name traces. */
#ifndef SPOOR_CLI_OPERANDS_H
#define SPOOR_CLI_OPERANDS_H

#include "cli/option.h"

/* Words, as of a command, or names of files, each owned by the list. */
struct word_list {
    char **items;
    size_t count, capacity;
};
/* False: memory ran out, which has been said. */
bool word_list_add(struct word_list *list, const char *word);
void word_list_free(struct word_list *list);

/* Adds the traces in a folder and the folders in it, links included, sorted by path: regular files,
 * but for hidden ones and what spoor keeps beside a trace.  False: an error has been printed. */
bool operands_add_folder(struct word_list *list, const char *folder);
/* True for a folder of traces; a directory of threads is one trace. */
bool operand_is_folder(const char *path);

/* True if a file can be read, and no format matches it. */
bool operand_is_no_trace(const char *path);

/* True for a file of a folder that no format matches and whose suffix is none of a trace, where -f
 * does not name the format. */
bool operand_is_passed_over(const struct settings *settings, const char *path);
/* Says that `count` files of a folder, one of which is `example`, were passed over; `all`: there is
 * no other. */
void operands_say_passed(const struct settings *settings, const char *folder, size_t count,
                         const char *example, bool all);

/* Replaces each operand that is a folder by the traces in it, and each pattern (* ? [...]) that no
 * file is called by the files that it fits.  The names belong to `list` from then on.  False: an
 * error has been printed. */
bool operands_expand(struct settings *settings, struct word_list *list);

#endif
