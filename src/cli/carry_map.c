/* SPDX-License-Identifier: MIT */
/* carry_map.c: the load map of a recorded trace goes with what is written from it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "cli/located.h"
#include "cli/output.h"
#include "cli/transfer.h"

enum { PATH_CAPACITY = 4096 + 16, PIECE = 4096 };

/* The load map in a .spoor file; false: it has none. */
static bool read_own_map(const char *trace, struct text *map)
{
    static const char key[] = "map=";
    char *description = description_in(trace);
    for (const char *at = description; at && *at; at += strcspn(at, "\n"), at += *at == '\n') {
        if (strncmp(at, key, sizeof key - 1) != 0) continue;
        if (map->size == 0) text_puts(map, "# spoor load map 1: START-END OFFSET BUILD-ID PATH\n");
        at += sizeof key - 1;
        text_put(map, at, strcspn(at, "\n"));
        text_puts(map, "\n");
    }
    free(description);
    return map->size > 0 && !map->failed;
}

/* The load map of a trace; false: it has none, or, with a message and *code, it cannot be read. */
static bool read_map(const char *trace, struct text *map, int *code)
{
    char path[PATH_CAPACITY], piece[PIECE];
    size_t size;
    FILE *file = spoor_images_map_name(trace, path, sizeof path) ? fopen(path, "r") : NULL;
    map->size = 0;
    if (!file) return read_own_map(trace, map);
    while ((size = fread(piece, 1, sizeof piece, file)) > 0) text_put(map, piece, size);
    const bool failed = ferror(file) || map->failed;
    if (failed) {
        complain("%s: %s", path, map->failed ? "out of memory" : strerror(errno));
        *code = EXIT_UNREADABLE;
    }
    fclose(file);
    return !failed && map->size > 0;
}

int carry_map(const char *output, const struct settings *settings)
{
    struct text first = {0}, other = {0};
    char path[PATH_CAPACITY];
    const char *from = NULL;
    int code = EXIT_CLEAN;
    struct stat status;
    if (!output || stat(output, &status) != 0 || !S_ISREG(status.st_mode)) return EXIT_CLEAN;
    char *own = description_in(output); /* a .spoor file's */
    const bool described = own && strstr(own, "\nmap=");
    free(own);
    for (size_t i = 0; i < operand_count(settings) && code == EXIT_CLEAN; i++) {
        const char *trace = operand(settings, i);
        if (!read_map(trace, from ? &other : &first, &code)) continue;
        if (!from) {
            from = trace;
        } else if (other.size != first.size || memcmp(other.bytes, first.bytes, first.size) != 0) {
            complain(
                "%s: gets no load map, for those of %s and %s differ: name images with --image",
                output, from, trace);
            code = EXIT_NO;
        }
    }
    if (from && !described && code == EXIT_CLEAN &&
        spoor_images_map_name(output, path, sizeof path))
        code = output_write(path, first.bytes, first.size, true, settings);
    text_free(&first);
    text_free(&other);
    return code == EXIT_NO ? EXIT_CLEAN : code;
}
