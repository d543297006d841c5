/* SPDX-License-Identifier: MIT */
/* images.h: the structure of a set of images, for the files that implement it. */
#ifndef SPOOR_IMAGE_IMAGES_H
#define SPOOR_IMAGE_IMAGES_H

#include <pthread.h>

#include "base/text.h"
#include "image/image_file.h"
#include "image/source_text.h"

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

struct text;
/* Adds a list of symbols in memory; the text is empty afterwards. */
enum spoor_status images_add_list(struct spoor_images *images, const char *path, struct text *list,
                                  struct spoor_error *error);
/* A number that another set has, too, if all its functions have the same addresses and sizes. */
uint64_t images_fingerprint(struct spoor_images *images);

#endif
