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
#include <unistd.h>

#include "base/scan.h"
#include "base/text.h"
#include "image/images.h"
#include "io/output.h"
#include "model/elf_format.h"
#include "model/error.h"
#include "silicon/perf_data.h"

static const char suffix[] = ".spoor-map";
enum { PAGE = 4096 };

bool spoor_images_map_name(const char *trace, char *name, size_t capacity)
{
    const int size = snprintf(name, capacity, "%s%s", trace, suffix);
    return size > 0 && (size_t)size < capacity;
}

/* ---- a mapping ---- */

/* Adds the file of a mapping if its build id shows that it is still the recorded file. */
static enum spoor_status load_map_add_mapping(struct spoor_images *images,
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
    /* The offset from the file's addresses to the trace's is that of the segment of which the
     * mapping contains a part, counted from the page in which the segment begins.  Adjacent
     * segments may share a page; the mapping is of code, so a code segment takes precedence. */
    struct elf_segment segment;
    bool placed = false, code = false;
    for (size_t i = 0; elf_segment_at(&elf, i, &segment) && !code; i++) {
        if (segment.type != PT_LOAD || (placed && !(segment.flags & PF_X)) ||
            segment.offset / PAGE * PAGE >=
                mapping->file_offset + (mapping->end - mapping->start) ||
            segment.offset + segment.file_size <= mapping->file_offset)
            continue;
        offset = mapping->start + segment.offset - mapping->file_offset - segment.address;
        placed = true;
        code = segment.flags & PF_X;
    }
    elf_close(&elf);
    if (!unchanged)
        return spoor_error_set(error, SPOOR_EINPUT,
                               "%s is not the recorded file: its build id differs", mapping->path);
    if (!placed)
        return spoor_error_set(error, SPOOR_EINPUT, "%s has no segment at offset 0x%llx",
                               mapping->path, (unsigned long long)mapping->file_offset);
    return images_add(images, mapping->path, offset, NULL, false, error);
}

/* ---- writing ---- */

/* Appends a line of a load map; looks up the build id where mapping->build_id is NULL. */
static void load_map_put(struct text *text, const struct spoor_mapping *mapping)
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
    load_map_put(&text, mapping);
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
    for (size_t i = 0; i < count; i++) load_map_put(&text, &mappings[i]);
    const enum spoor_status status = text.failed ? error_no_memory_while(error, path, "writing")
                                                 : output_store(path, text.bytes, text.size, error);
    text_free(&text);
    return status;
}

/* ---- reading ---- */

/* Parses a mapping; `build_id` and the path are stored in the caller's arrays. */
static bool load_map_parse(struct scan scan, struct spoor_mapping *mapping, char *build_id,
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

enum spoor_status spoor_images_check_map(const char *path, struct spoor_error *error)
{
    struct stat found;
    if (stat(path, &found) != 0) return SPOOR_OK;
    FILE *file = S_ISREG(found.st_mode) ? fopen(path, "re") : NULL;
    if (!file)
        return spoor_error_set(error, SPOOR_EOUTPUT,
                               "%s: cannot be replaced: expected a load map that can be read",
                               path);
    char build_id[SPOOR_BUILD_ID_DIGITS + 1], name[PATH_MAX], *line = NULL;
    size_t capacity = 0;
    struct spoor_mapping mapping;
    enum spoor_status status = SPOOR_OK;
    bool is_map = true;
    for (ssize_t size; is_map && (size = getline(&line, &capacity, file)) >= 0;) {
        if (size && line[size - 1] == '\n') size--;
        const struct scan scan = {line, line + size};
        is_map = size == 0 || *line == '#' || load_map_parse(scan, &mapping, build_id, name);
    }
    free(line);
    if (!is_map)
        status = spoor_error_set(error, SPOOR_EOUTPUT,
                                 "%s: found a file that is no load map, which stays as it is: move "
                                 "it away, or write to another name",
                                 path);
    else if (!feof(file))
        status = spoor_error_system(error, SPOOR_EOUTPUT, "%s: cannot be read", path);
    fclose(file);
    return status;
}

static enum spoor_status load_map_add_lines(struct spoor_images *images, FILE *file,
                                            const char *path, size_t *missing,
                                            struct spoor_error *error)
{
    char *line = NULL;
    size_t capacity = 0;
    enum spoor_status status = SPOOR_OK;
    *missing = 0;
    for (size_t number = 1; status == SPOOR_OK; number++) {
        char build_id[SPOOR_BUILD_ID_DIGITS + 1], name[PATH_MAX];
        struct spoor_mapping mapping;
        struct spoor_error found = {0};
        ssize_t size = getline(&line, &capacity, file);
        if (size < 0) break;
        if (size && line[size - 1] == '\n') size--;
        if (size == 0 || *line == '#') continue;
        if (!load_map_parse((struct scan){line, line + size}, &mapping, build_id, name))
            status = spoor_error_set(
                error, SPOOR_EINPUT,
                "%s line %zu: found '%.40s', expected START-END OFFSET BUILD-ID PATH", path, number,
                line);
        else if (load_map_add_mapping(images, &mapping, &found) == SPOOR_OK)
            continue;
        else if (found.status == SPOOR_ENOMEM)
            status = spoor_error_set(error, SPOOR_ENOMEM, "out of memory for %s", path);
        else if ((*missing)++ == 0 && error)
            *error = found;
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

/* ---- recordings ---- */

enum spoor_status spoor_images_add_recording(struct spoor_images *images, const char *trace,
                                             const char *const *own, size_t *missing,
                                             struct spoor_error *error)
{
    struct perf_code *code = NULL;
    struct perf_region region;
    struct text made = {0}; /* functions of code that was made at run time */
    char path[PATH_MAX];
    *missing = 0;
    enum spoor_status status = perf_data_code(&code, trace, own, error);
    snprintf(path, sizeof path, "%s/kcore_dir/kallsyms", trace);
    if (status == SPOOR_OK && code && perf_data_is_folder(trace) && access(path, R_OK) == 0)
        images_add(images, path, 0, NULL, false, NULL); /* one without addresses names nothing */
    for (size_t i = 0; status == SPOOR_OK && code && perf_code_region(code, i, &region); i++) {
        char build_id[SPOOR_BUILD_ID_DIGITS + 1];
        struct spoor_error found = {0};
        if (region.function) {
            if (!*region.function) continue;
            text_printf(&made, "%" PRIx64 " %" PRIx64 " T ", region.start,
                        region.end - region.start);
            text_puts_visible(&made, region.function);
            text_puts(&made, "\n");
            continue;
        }
        if (region.path) {
            spoor_image_build_id(region.path, build_id);
            const struct spoor_mapping mapping = {.start = region.start,
                                                  .end = region.end,
                                                  .file_offset = region.offset,
                                                  .build_id = build_id,
                                                  .path = region.path};
            if (load_map_add_mapping(images, &mapping, &found) == SPOOR_OK) continue;
            if (found.status == SPOOR_ENOMEM)
                status = error_no_memory_while(error, trace, "reading");
        } else if (*region.named != '/') {
            continue;
        } else {
            spoor_error_set(&found, SPOOR_EINPUT, "%s is not there, or has another build id",
                            region.named);
        }
        if ((*missing)++ == 0 && error && status == SPOOR_OK) *error = found;
    }
    if (made.failed) status = error_no_memory_while(error, trace, "reading");
    if (status == SPOOR_OK && made.size)
        status = images_add(images, "jitdump", 0, &made, false, error);
    text_free(&made);
    perf_code_close(code);
    return status;
}
