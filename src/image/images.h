/* SPDX-License-Identifier: MIT */
/* images.h: what the files that make up a set of images share. */
#ifndef SPOOR_IMAGE_IMAGES_H
#define SPOOR_IMAGE_IMAGES_H

#include <pthread.h>

#include "image/image_file.h"
#include "image/source_text.h"

/* An answer that was given before. */
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
    struct cached_place *cache; /* CACHE_ENTRIES of them */
    pthread_mutex_t lock;
};

/* Add a file whose addresses are moved by `offset`, unless it is there already. */
enum spoor_status images_add_file(struct spoor_images *images, const char *path, uint64_t offset,
                                  struct spoor_error *error);

#endif
