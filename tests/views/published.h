/* SPDX-License-Identifier: MIT */
/* published.h: for tests: published traces, under ../shared, and the shipped examples. */
#ifndef TESTS_VIEW_PUBLISHED_H
#define TESTS_VIEW_PUBLISHED_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "spoor/spoor.h"

/* Writes the path of SHARED/name; false, with a message, if it is absent. */
static inline bool find_published(char path[512], const char *name)
{
    const char *shared = getenv("SPOOR_SHARED");
    snprintf(path, 512, "%s/%s", shared ? shared : SOURCE_ROOT "/../shared", name);
    if (access(path, R_OK) == 0) return true;
    print_message("skipped: %s is not here\n", path);
    return false;
}

/* Opens SHARED/name unchanged; NULL, with a message, if it is absent. */
static inline FILE *file_published(const char *name)
{
    char path[512];
    return find_published(path, name) ? fopen(path, "r") : NULL;
}

/* Opens a reader of SHARED/name; NULL, with a message, if it is absent. */
static inline struct spoor_reader *open_published(const char *name)
{
    char path[512];
    struct spoor_error error = {0};
    struct spoor_reader *reader = NULL;
    if (!find_published(path, name)) return NULL;
    if (spoor_reader_open(&reader, path, NULL, &error) != SPOOR_OK) fail_msg("%s", error.text);
    return reader;
}

static inline struct spoor_reader *open_example(const char *name)
{
    char path[512];
    struct spoor_error error = {0};
    struct spoor_reader *reader = NULL;
    snprintf(path, sizeof path, SOURCE_ROOT "/examples/%s", name);
    if (spoor_reader_open(&reader, path, NULL, &error) != SPOOR_OK) fail_msg("%s", error.text);
    return reader;
}

#endif
