/* SPDX-License-Identifier: MIT */
/* source_text.h: lines of source files, by the names that DWARF has for the files. */
#ifndef SPOOR_IMAGE_SOURCE_TEXT_H
#define SPOOR_IMAGE_SOURCE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct source_file;

struct sources {
    char **directories;
    size_t directory_count, directory_capacity;
    struct source_file *files; /* a list in order of last use, newest first */
    uint64_t bytes;            /* size of all texts */
};

bool sources_add_directory(struct sources *sources, const char *directory);
/* Returns the text of a line, counted from 1; NULL if it does not exist. */
const char *sources_line(struct sources *sources, const char *file, uint32_t line);
void sources_free(struct sources *sources);

#endif
