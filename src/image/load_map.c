/* SPDX-License-Identifier: MIT */
/*
 * load_map.c: load maps, which list the files that a recorded program had in memory, and their
 * addresses.
 *
 * Each line is a mapping: START-END OFFSET BUILD-ID PATH.  Numbers are hexadecimal; the build id is
 * "-" if the file has none.  Lines that begin with # are comments.
 */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/scan.h"
#include "base/text.h"
#include "image/elf_format.h"
#include "image/images.h"
#include "io/output.h"
#include "model/error.h"

static const char suffix[] = ".spoor-map";
enum { PAGE = 4096 };

bool spoor_images_map_name(const char *trace, char *name, size_t capacity)
{
    const int size = snprintf(name, capacity, "%s%s", trace, suffix);
    return size > 0 && (size_t)size < capacity;
}

/* ---- a mapping ---- */

/* True if the mapping contains part of the segment, counted from the page in which the segment
 * begins. */
static bool load_map_overlaps(const struct elf_segment *segment,
                              const struct spoor_mapping *mapping)
{
    return segment->type == PT_LOAD &&
           segment->offset / PAGE * PAGE < mapping->file_offset + (mapping->end - mapping->start) &&
           segment->offset + segment->file_size > mapping->file_offset;
}

/* Finds the offset from the file's addresses to the trace's.  Adjacent segments may share a page of
 * the file; the mapping is of code, so a code segment takes precedence. */
static bool load_map_offset_of(const struct elf *elf, const struct spoor_mapping *mapping,
                               uint64_t *offset)
{
    struct elf_segment segment;
    bool found = false, code = false;
    for (size_t i = 0; elf_segment_at(elf, i, &segment) && !code; i++) {
        if (!load_map_overlaps(&segment, mapping) || (found && !(segment.flags & PF_X))) continue;
        *offset = mapping->start + segment.offset - mapping->file_offset - segment.address;
        found = true;
        code = segment.flags & PF_X;
    }
    return found;
}

enum spoor_status spoor_images_add_mapping(struct spoor_images *images,
                                           const struct spoor_mapping *mapping,
                                           struct spoor_error *error)
{
    struct elf elf;
    uint64_t offset = 0;
    enum spoor_status status = elf_open(&elf, mapping->path, error);
    if (status != SPOOR_OK) return status;
    char now[SPOOR_BUILD_ID_DIGITS + 1];
    elf_build_id(&elf, now);
    const bool unchanged = strcmp(now, mapping->build_id) == 0;
    const bool placed = load_map_offset_of(&elf, mapping, &offset);
    elf_close(&elf);
    if (!unchanged)
        return spoor_error_set(error, SPOOR_EINPUT,
                               "%s is not the recorded file: its build id differs", mapping->path);
    if (!placed)
        return spoor_error_set(error, SPOOR_EINPUT, "%s has no segment at offset 0x%llx",
                               mapping->path, (unsigned long long)mapping->file_offset);
    return images_add_file(images, mapping->path, offset, error);
}

/* ---- writing ---- */

/* Appends a line of a load map; looks up the build id where mapping->build_id is NULL. */
static void put_mapping(struct text *text, const struct spoor_mapping *mapping)
{
    char found[SPOOR_BUILD_ID_DIGITS + 1] = "";
    struct elf elf;
    if (!mapping->build_id && elf_open(&elf, mapping->path, NULL) == SPOOR_OK) {
        elf_build_id(&elf, found);
        elf_close(&elf);
    }
    const char *build_id = mapping->build_id ? mapping->build_id : found;
    text_printf(text, "%" PRIx64 "-%" PRIx64 " %" PRIx64 " %s %s\n", mapping->start, mapping->end,
                mapping->file_offset, build_id[0] ? build_id : "-", mapping->path);
}

bool spoor_images_mapping_line(const struct spoor_mapping *mapping, char *line, size_t capacity)
{
    struct text text = {0};
    if (strchr(mapping->path, '\n')) return false;
    text_puts(&text, "map=");
    put_mapping(&text, mapping);
    const bool fits = !text.failed && text.size < capacity;
    if (fits) snprintf(line, capacity, "%.*s", (int)text.size, text.bytes);
    text_free(&text);
    return fits;
}

enum spoor_status spoor_images_write_map(const char *path, const struct spoor_mapping *mappings,
                                         size_t count, struct spoor_error *error)
{
    struct text text = {0};
    text_puts(&text, "# spoor load map 1: START-END OFFSET BUILD-ID PATH\n");
    for (size_t i = 0; i < count; i++) put_mapping(&text, &mappings[i]);
    const enum spoor_status status = text.failed ? error_no_memory_while(error, path, "writing")
                                                 : output_store(path, text.bytes, text.size, error);
    text_free(&text);
    return status;
}

/* ---- reading ---- */

/* Parses a mapping; `build_id` and the path are stored in the caller's arrays. */
static bool parse_mapping(struct scan scan, struct spoor_mapping *mapping, char *build_id,
                          char *path)
{
    const char *word;
    size_t size;
    if (!scan_hex(&scan, &mapping->start, NULL, NULL) || !scan_char(&scan, '-') ||
        !scan_hex(&scan, &mapping->end, NULL, NULL) || !scan_char(&scan, ' ') ||
        !scan_hex(&scan, &mapping->file_offset, NULL, NULL) || !scan_char(&scan, ' ') ||
        !scan_token(&scan, &word, &size) || size > SPOOR_BUILD_ID_DIGITS || !scan_char(&scan, ' '))
        return false;
    snprintf(build_id, SPOOR_BUILD_ID_DIGITS + 1, "%.*s", (int)size, word);
    if (strcmp(build_id, "-") == 0) build_id[0] = '\0';
    const size_t length = (size_t)(scan.end - scan.at);
    if (length == 0 || length >= PATH_MAX || mapping->start >= mapping->end) return false;
    memcpy(path, scan.at, length);
    path[length] = '\0';
    mapping->build_id = build_id;
    mapping->path = path;
    return true;
}

static enum spoor_status load_map_add_line(struct spoor_images *images, struct scan line,
                                           size_t *missing, struct spoor_error *first)
{
    char build_id[SPOOR_BUILD_ID_DIGITS + 1], path[PATH_MAX];
    struct spoor_mapping mapping;
    struct spoor_error error = {0};
    if (scan_done(&line) || *line.at == '#') return SPOOR_OK;
    if (!parse_mapping(line, &mapping, build_id, path)) return SPOOR_EINPUT;
    if (spoor_images_add_mapping(images, &mapping, &error) == SPOOR_OK) return SPOOR_OK;
    if (error.status == SPOOR_ENOMEM) return SPOOR_ENOMEM;
    if ((*missing)++ == 0 && first) *first = error;
    return SPOOR_OK;
}

static enum spoor_status check_map(FILE *file, const char *path, struct spoor_error *error)
{
    char build_id[SPOOR_BUILD_ID_DIGITS + 1], name[PATH_MAX], *line = NULL;
    size_t capacity = 0;
    struct spoor_mapping mapping;
    bool is_map = true;
    for (ssize_t size; is_map && (size = getline(&line, &capacity, file)) >= 0;) {
        if (size && line[size - 1] == '\n') size--;
        const struct scan scan = {line, line + size};
        is_map = size == 0 || *line == '#' || parse_mapping(scan, &mapping, build_id, name);
    }
    free(line);
    if (is_map && !feof(file))
        return spoor_error_system(error, SPOOR_EOUTPUT, "%s: cannot be read", path);
    if (is_map) return SPOOR_OK;
    return spoor_error_set(error, SPOOR_EOUTPUT,
                           "%s: found a file that is no load map, which stays as it is: move it "
                           "away, or write to another name",
                           path);
}

enum spoor_status spoor_images_check_map(const char *path, struct spoor_error *error)
{
    struct stat found;
    if (stat(path, &found) != 0) return SPOOR_OK;
    FILE *file = S_ISREG(found.st_mode) ? fopen(path, "re") : NULL;
    if (!file)
        return spoor_error_set(error, SPOOR_EOUTPUT,
                               "%s: cannot be replaced: expected a load map that can be read",
                               path);
    const enum spoor_status status = check_map(file, path, error);
    fclose(file);
    return status;
}

static enum spoor_status load_map_add_lines(struct spoor_images *images, FILE *file,
                                            const char *path, size_t *missing,
                                            struct spoor_error *error)
{
    char *line = NULL;
    size_t capacity = 0, number = 0;
    enum spoor_status status = SPOOR_OK;
    *missing = 0;
    for (ssize_t size; status == SPOOR_OK && (size = getline(&line, &capacity, file)) >= 0;) {
        number++;
        if (size && line[size - 1] == '\n') size--;
        status = load_map_add_line(images, (struct scan){line, line + size}, missing, error);
        if (status == SPOOR_EINPUT)
            spoor_error_set(error, status,
                            "%s line %zu: found '%.40s', expected START-END OFFSET BUILD-ID PATH",
                            path, number, line);
        if (status == SPOOR_ENOMEM) spoor_error_set(error, status, "out of memory for %s", path);
    }
    free(line);
    fclose(file);
    return status;
}

enum spoor_status spoor_images_add_map(struct spoor_images *images, const char *path,
                                       size_t *missing, struct spoor_error *error)
{
    FILE *file = fopen(path, "re");
    *missing = 0;
    if (!file) return spoor_error_system(error, SPOOR_EINPUT, "%s", path);
    return load_map_add_lines(images, file, path, missing, error);
}

enum spoor_status spoor_images_add_description(struct spoor_images *images, const char *description,
                                               const char *trace, size_t *missing,
                                               struct spoor_error *error)
{
    static const char key[] = "map=";
    struct text map = {0};
    *missing = 0;
    for (const char *at = description; at && *at; at += strcspn(at, "\n"), at += *at == '\n')
        if (strncmp(at, key, sizeof key - 1) == 0)
            text_put(&map, at + sizeof key - 1, strcspn(at, "\n") + 1 - (sizeof key - 1));
    FILE *file = map.size && !map.failed ? fmemopen(map.bytes, map.size, "r") : NULL;
    enum spoor_status status = SPOOR_OK;
    if (file)
        status = load_map_add_lines(images, file, trace, missing, error);
    else if (map.size)
        status = spoor_error_set(error, SPOOR_ENOMEM, "out of memory for %s", trace);
    text_free(&map);
    return status;
}
