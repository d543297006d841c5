/* SPDX-License-Identifier: MIT */
/* images.h: the structure of a set of images, for the files that implement it. */
#ifndef SPOOR_IMAGE_IMAGES_H
#define SPOOR_IMAGE_IMAGES_H

#include <pthread.h>

#include "base/text.h"
#include "image/image_file.h"

/* ---- source_text.c: lines of source files, by the names that DWARF has for the files ---- */

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

/* ---- the set ---- */

/* A cached lookup. */
struct cached_place {
    uint64_t pc;
    enum { CACHED_NOTHING, CACHED_FUNCTION, CACHED_ALL } state;
    bool covered;
    struct spoor_place place;
};
enum { CACHE_ENTRIES = 8192 };

struct spoor_images {
    struct image *items;
    size_t count, capacity;
    struct strings strings;
    struct sources sources;
    struct cached_place *cache; /* CACHE_ENTRIES entries; NULL: no image */
    bool is_cached;             /* one of them is used */
    pthread_mutex_t lock;
};

/* Adds a file whose addresses are moved by `offset`, unless the set already contains it. */
enum spoor_status images_add_file(struct spoor_images *images, const char *path, uint64_t offset,
                                  struct spoor_error *error);

/* Adds a list of symbols in memory; the text is empty afterwards. */
enum spoor_status images_add_list(struct spoor_images *images, const char *path, struct text *list,
                                  struct spoor_error *error);
/* A number that another set has, too, if all its functions have the same addresses and sizes. */
uint64_t images_fingerprint(struct spoor_images *images);

#endif
