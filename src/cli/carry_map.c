/* SPDX-License-Identifier: MIT */
/* carry_map.c: the load map of a recorded trace goes with what is written from it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/image_set.h"
#include "cli/output.h"
#include "cli/transfer.h"

enum { PATH_CAPACITY = 4096 + 16, PIECE = 4096 };

/* The load map of a trace, beside it or in it; empty: it has none. */
static enum spoor_status carry_map_read(const char *trace, struct text *map,
                                        struct spoor_error *error)
{
    static const char key[] = "map=";
    char path[PATH_CAPACITY], piece[PIECE], *description = NULL;
    const bool named = spoor_images_map_name(trace, path, sizeof path);
    FILE *file = named ? fopen(path, "re") : NULL;
    enum spoor_status status = SPOOR_OK;
    map->size = 0;
    if (file) {
        for (size_t size; (size = fread(piece, 1, sizeof piece, file)) > 0;)
            text_put(map, piece, size);
        if (ferror(file))
            status = spoor_error_system(error, SPOOR_EINPUT, "%s: cannot be read", path);
        fclose(file);
    } else if (named && errno != ENOENT && access(path, F_OK) == 0) {
        return spoor_error_system(error, SPOOR_EINPUT, "%s: cannot be opened", path);
    } else {
        status = description_in(&description, trace, error);
    }
    for (const char *at = description; at && *at; at += strcspn(at, "\n"), at += *at == '\n') {
        if (strncmp(at, key, sizeof key - 1) != 0) continue;
        if (map->size == 0) text_puts(map, "# spoor load map 1: START-END OFFSET BUILD-ID PATH\n");
        at += sizeof key - 1;
        text_put(map, at, strcspn(at, "\n"));
        text_puts(map, "\n");
    }
    free(description);
    if (status == SPOOR_OK && map->failed)
        status = spoor_error_set(error, SPOOR_ENOMEM, "%s: out of memory for its load map", trace);
    return status;
}

int carry_map(const char *output, const struct settings *settings)
{
    struct text first = {0}, other = {0};
    struct spoor_error error = {0};
    const char *from = NULL;
    enum spoor_status status = SPOOR_OK;
    int code = EXIT_CLEAN;
    bool differ = false;
    struct stat file;
    if (!output || stat(output, &file) != 0 || !S_ISREG(file.st_mode)) return EXIT_CLEAN;
    for (size_t i = 0; i < operand_count(settings) && status == SPOOR_OK && !differ; i++) {
        const char *trace = operand(settings, i);
        struct text *map = from ? &other : &first;
        status = carry_map_read(trace, map, &error);
        if (status != SPOOR_OK || map->size == 0) continue;
        differ =
            from && (other.size != first.size || memcmp(other.bytes, first.bytes, first.size) != 0);
        if (differ)
            complain(
                "%s: gets no load map, for those of %s and %s differ: name images with --image",
                output, from, trace);
        else if (!from)
            from = trace;
    }
    char path[PATH_CAPACITY], *own = NULL;
    bool carried = from && !differ;
    if (carried && status == SPOOR_OK) { /* unless it is in the output, a .spoor file */
        status = description_in(&own, output, &error);
        carried = !(own && strstr(own, "\nmap="));
        free(own);
    }
    if (status == SPOOR_OK && spoor_images_map_name(output, path, sizeof path)) {
        if (carried) {
            status = spoor_images_check_map(path, &error);
            if (status == SPOOR_OK)
                code = output_write(path, first.bytes, first.size, true, settings);
        } else if (access(path, F_OK) == 0 && spoor_images_check_map(path, &error) == SPOOR_OK) {
            /* it is of the file that the output replaced; one that is no load map stays */
            if (unlink(path) != 0)
                complain("%s: it is of another trace, and cannot be removed: %s", path,
                         strerror(errno));
            else if (!settings->quiet)
                complain("%s: removed: it was of the trace that %s replaced", path, output);
        }
    }
    text_free(&first);
    text_free(&other);
    return status == SPOOR_OK ? code : fail(&error);
}
