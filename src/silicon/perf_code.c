/* SPDX-License-Identifier: MIT */
/* perf_code.c: mappings of processes, and the files that have their code. */
#include "silicon/perf_code.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/scan.h"
#include "model/elf.h"
#include "model/elf_format.h"
#include "model/error.h"

/* A file in memory. */
struct perf_image {
    char *path, *name; /* name: as a mapping has it; NULL: an image of the user */
    char build_id[SPOOR_BUILD_ID_DIGITS + 1]; /* of the recording; "": not known */
    struct elf elf;                           /* bytes is NULL: it is no ELF file */
    const uint8_t *bytes;
    size_t size;
    bool sought, placed; /* placed: at `address` */
    uint64_t address;
};

enum perf_entry_kind { ENTRY_MAP, ENTRY_EXEC, ENTRY_FORK };
struct perf_entry {
    uint64_t time, start, end, offset;
    uint32_t process, parent; /* parent: of FORK */
    uint32_t file, number;    /* number: in the file, of entries of one time */
    uint64_t name;            /* of a function: offset of its name in a jitdump; 0: none */
    uint8_t kind;
};

struct perf_code {
    struct perf_image *images; /* of the user, then of mappings */
    size_t image_count, image_capacity, own_count;
    struct perf_entry *entries;
    size_t count, capacity;
    struct perf_entry *regions; /* that all agree about */
    size_t region_count, region_capacity;
    bool regions_made;
    /* What was found last, and the range and times that it holds for: */
    struct {
        bool valid;
        uint32_t process, file;
        uint64_t from, to, start, end, base, offset;
    } last;
};

/* ---- files ---- */

/* Maps a file; false: it is none that can be read. */
static bool perf_image_map(struct perf_image *image, const char *path)
{
    struct stat status;
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool good = file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
                status.st_size > 0 && (uintmax_t)status.st_size <= SIZE_MAX;
    void *bytes = MAP_FAILED;
    if (good) bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (file >= 0) close(file);
    if (bytes == MAP_FAILED) return false;
    image->bytes = bytes;
    image->size = (size_t)status.st_size;
    if (!elf_open_bytes(&image->elf, image->bytes, image->size))
        image->elf = (struct elf){.bytes = NULL};
    return true;
}

static void perf_image_unmap(struct perf_image *image)
{
    if (!image->bytes) return;
    munmap((void *)(uintptr_t)image->bytes, image->size);
    image->bytes = NULL;
}

static void perf_image_free(struct perf_image *image)
{
    perf_image_unmap(image);
    free(image->path);
    free(image->name);
}

/* Maps a file if it has the build id that is known. */
static bool perf_image_try(struct perf_image *image, const char *path)
{
    char digits[SPOOR_BUILD_ID_DIGITS + 1] = "";
    if (!perf_image_map(image, path)) return false;
    if (image->elf.bytes) elf_build_id(&image->elf, digits);
    /* a recording pads a shorter one with zeros */
    const size_t size = strlen(digits);
    if (!*image->build_id || (size && strncmp(digits, image->build_id, size) == 0)) {
        char *copy = strdup(path);
        free(image->path);
        image->path = copy;
        return copy;
    }
    perf_image_unmap(image);
    return false;
}

/* True if an image of the user is the file of a mapping: by its build id, or else its name. */
static bool perf_image_is(const struct perf_image *own, const struct perf_image *image)
{
    char digits[SPOOR_BUILD_ID_DIGITS + 1] = "";
    if (own->elf.bytes) elf_build_id(&own->elf, digits);
    if (*digits && *image->build_id) return strncmp(digits, image->build_id, strlen(digits)) == 0;
    return !own->placed && strcmp(path_name(own->path), path_name(image->name)) == 0;
}

/* Finds the file of a mapping, once. */
static void perf_image_seek(struct perf_code *code, struct perf_image *image)
{
    char path[4096];
    const char *home = getenv("HOME"), *last = path_name(image->name);
    if (image->sought) return;
    image->sought = true;
    for (size_t i = 0; i < code->own_count; i++)
        if (perf_image_is(&code->images[i], image)) {
            if (!perf_image_try(image, code->images[i].path)) continue;
            return;
        }
    if (*image->name == '/' && perf_image_try(image, image->name)) return;
    if (!*image->build_id || !home) return;
    const bool vdso = *image->name == '[';
    const int size = snprintf(path, sizeof path, "%s/.debug/.build-id/%.2s/%s/%s", home,
                              image->build_id, image->build_id + 2, vdso ? "vdso" : "elf");
    if (size > 0 && (size_t)size < sizeof path && *last) perf_image_try(image, path);
}

/* A further image, empty; NULL: memory ran out. */
static struct perf_image *perf_code_new_image(struct perf_code *code)
{
    if (!array_reserve_zeroed(&code->images, &code->image_capacity, code->image_count + 1))
        return NULL;
    struct perf_image *image = &code->images[code->image_count++];
    *image = (struct perf_image){.sought = false};
    return image;
}

/* An image of the user: its file, and where it lies. */
static enum spoor_status perf_code_add_own(struct perf_code *code, const char *word,
                                           struct spoor_error *error)
{
    const char *at = strrchr(word, '@');
    struct perf_image *image = perf_code_new_image(code);
    if (!image) return error_no_memory_while(error, word, "reading");
    code->own_count++;
    image->sought = true;
    if (at && access(word, F_OK) != 0) {
        struct scan scan = {at + 1, at + strlen(at)};
        const bool negative = scan_char(&scan, '-');
        if (!scan_number(&scan, &image->address) || !scan_done(&scan)) at = NULL;
        if (negative) image->address = 0 - image->address;
        image->placed = at;
    } else {
        at = NULL;
    }
    image->path = at ? strndup(word, (size_t)(at - word)) : strdup(word);
    if (!image->path) return error_no_memory_while(error, word, "reading");
    if (!perf_image_map(image, image->path))
        return spoor_error_system(error, SPOOR_EINPUT, "%s: cannot be read", word);
    if (image->elf.bytes && image->elf.type == ET_EXEC) image->placed = true;
    return SPOOR_OK;
}

/* The memory of the kernel in a directory, if it is there.  False: memory ran out. */
static bool perf_code_add_kernel(struct perf_code *code, const char *folder)
{
    static const char *const places[] = {"kcore_dir/kcore", "kcore_dir__0/kcore"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char path[4096];
        if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, places[i]) >= sizeof path)
            continue;
        if (access(path, R_OK) != 0) continue;
        struct perf_image *image = perf_code_new_image(code);
        if (!image) return false;
        code->own_count++;
        image->sought = image->placed = true;
        image->path = strdup(path);
        if (!image->path) return false;
        if (perf_image_map(image, path)) return true;
    }
    return true;
}

struct perf_code *perf_code_open(const char *const *images, const char *folder,
                                 struct spoor_error *error)
{
    struct perf_code *code = calloc(1, sizeof *code);
    enum spoor_status status = SPOOR_OK;
    if (!code) {
        error_no_memory(error);
        return NULL;
    }
    for (size_t i = 0; images && images[i] && status == SPOOR_OK; i++)
        status = perf_code_add_own(code, images[i], error);
    if (folder && status == SPOOR_OK && !perf_code_add_kernel(code, folder))
        status = error_no_memory_while(error, folder, "reading");
    if (status == SPOOR_OK) return code;
    perf_code_close(code);
    return NULL;
}

void perf_code_close(struct perf_code *code)
{
    if (!code) return;
    for (size_t i = 0; i < code->image_count; i++) perf_image_free(&code->images[i]);
    free(code->images);
    free(code->entries);
    free(code->regions);
    free(code);
}

void perf_code_place_all(struct perf_code *code)
{
    for (size_t i = 0; i < code->own_count; i++) code->images[i].placed = true;
}

/* ---- notes ---- */

/* The file of a mapping; UINT32_MAX: memory ran out. */
static uint32_t perf_code_file(struct perf_code *code, const char *name, const char *build_id)
{
    for (size_t i = code->image_count; i-- > code->own_count;)
        if (strcmp(code->images[i].name, name) == 0 &&
            strcmp(code->images[i].build_id, build_id) == 0)
            return (uint32_t)i;
    struct perf_image *image = perf_code_new_image(code);
    if (!image) return UINT32_MAX;
    snprintf(image->build_id, sizeof image->build_id, "%s", build_id);
    image->name = strdup(name);
    return image->name ? (uint32_t)(code->image_count - 1) : UINT32_MAX;
}

static bool perf_code_add(struct perf_code *code, const struct perf_entry *entry)
{
    if (!array_reserve(&code->entries, &code->capacity, code->count + 1)) return false;
    code->entries[code->count] = *entry;
    code->entries[code->count].number = (uint32_t)code->count;
    code->count++;
    return true;
}

/* What a program that made code wrote beside it (jitdump): each function is a mapping of a part of
 * that file, from its time on. (Linux: tools/perf/Documentation/jitdump-specification.txt) */
static bool perf_code_note_jit(struct perf_code *code, struct perf_entry entry, const char *path)
{
    enum { HEADER_SIZE_AT = 8, HEADER = 40, RECORD = 16, LOAD = 56, LEAST = 57 };
    const uint32_t magic = UINT32_C(0x4A695444);
    entry.file = perf_code_file(code, path, "");
    if (entry.file == UINT32_MAX) return false;
    struct perf_image *image = &code->images[entry.file];
    if (image->sought) return true; /* mapped again */
    image->sought = true;
    if (!perf_image_try(image, path)) {
        for (size_t i = 0; i < code->own_count && !image->bytes; i++)
            if (strcmp(path_name(code->images[i].path), path_name(path)) == 0)
                perf_image_try(image, code->images[i].path);
    }
    const uint8_t *bytes = image->bytes;
    const size_t size = image->size;
    if (!bytes || size < HEADER || perf_u32(bytes) != magic) return true;
    size_t at = perf_u32(bytes + HEADER_SIZE_AT);
    while (at < size && size - at >= RECORD) {
        const size_t whole = perf_u32(bytes + at + 4);
        if (whole < RECORD || whole > size - at) break;
        const uint64_t length = whole >= LEAST ? perf_u64(bytes + at + 40) : 0;
        const uint8_t *name = bytes + at + LOAD;
        if (perf_u32(bytes + at) == 0 && length && length < whole - LOAD &&
            memchr(name, 0, whole - LOAD - (size_t)length)) {
            entry.kind = ENTRY_MAP;
            entry.time = perf_u64(bytes + at + 8);
            entry.start = perf_u64(bytes + at + 32);
            entry.end = entry.start + length;
            entry.offset = at + whole - length;
            entry.name = at + LOAD;
            if (entry.end > entry.start && !perf_code_add(code, &entry)) return false;
        }
        at += whole;
    }
    return true;
}

static bool perf_code_note_map(struct perf_code *code, const struct perf_file *file,
                               const struct perf_event *event, struct perf_entry *entry)
{
    struct perf_map map;
    if (!perf_map_read(event, &map) || !map.code) return true;
    const char *build_id = map.build_id;
    for (size_t i = 0; !*build_id && i < file->build_id_count; i++)
        if (strcmp(file->build_ids[i].path, map.path) == 0) build_id = file->build_ids[i].digits;
    if (*map.path != '/' && strcmp(map.path, "[vdso]") != 0) return true;
    /* a module of the kernel is relocated while it is loaded: its file is not its code */
    if (map.process == (uint32_t)PERF_KERNEL) return true;
    entry->process = map.process;
    if (strncmp(path_name(map.path), "jit-", 4) == 0 && strstr(map.path, ".dump"))
        return perf_code_note_jit(code, *entry, map.path);
    entry->kind = ENTRY_MAP;
    entry->start = map.start;
    entry->end = map.start + map.size;
    entry->offset = map.offset;
    entry->file = perf_code_file(code, map.path, build_id);
    return entry->file != UINT32_MAX && perf_code_add(code, entry);
}

bool perf_code_note(struct perf_code *code, const struct perf_file *file,
                    const struct perf_event *event)
{
    enum { FORK_SIZE = 24 };
    struct perf_sample_id id;
    struct perf_entry entry = {.time = 0};
    perf_event_id(file, event, &id);
    if (id.has_time) entry.time = id.time;
    if (event->type == PERF_MMAP || event->type == PERF_MMAP2)
        return perf_code_note_map(code, file, event, &entry);
    if (event->type == PERF_COMM && event->misc & PERF_MISC_EXEC && event->size >= 16) {
        entry.kind = ENTRY_EXEC;
        entry.process = perf_u32(event->at + 8);
        return perf_code_add(code, &entry);
    }
    if (event->type == PERF_FORK && event->size >= FORK_SIZE &&
        perf_u32(event->at + 8) != perf_u32(event->at + 12)) {
        entry.kind = ENTRY_FORK;
        entry.process = perf_u32(event->at + 8);
        entry.parent = perf_u32(event->at + 12);
        return perf_code_add(code, &entry);
    }
    return true;
}

static int perf_entry_compare(const void *left, const void *right)
{
    const struct perf_entry *a = left, *b = right;
    if (a->time != b->time) return a->time < b->time ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

void perf_code_sort(struct perf_code *code)
{
    if (code->count) qsort(code->entries, code->count, sizeof *code->entries, perf_entry_compare);
}

/* ---- code ---- */

/* Bytes of a file at an offset. */
static size_t perf_image_at(const struct perf_image *image, uint64_t offset, void *to, size_t size)
{
    if (!image->bytes || offset >= image->size) return 0;
    if (size > image->size - offset) size = (size_t)(image->size - offset);
    memcpy(to, image->bytes + offset, size);
    return size;
}

/* Bytes of an image of the user, by its segments, or as they are. */
static size_t perf_own_read(const struct perf_code *code, uint64_t address, void *to, size_t size)
{
    for (size_t i = 0; i < code->own_count; i++) {
        const struct perf_image *image = &code->images[i];
        struct elf_segment segment;
        if (!image->placed) continue;
        const uint64_t at = address - image->address;
        if (!image->elf.bytes) {
            const size_t got = perf_image_at(image, at, to, size);
            if (got) return got;
            continue;
        }
        for (size_t k = 0; elf_segment_at(&image->elf, k, &segment); k++) {
            const uint64_t in = at - segment.address;
            if (segment.type != PT_LOAD || in >= segment.file_size) continue;
            const uint64_t left = segment.file_size - in;
            const size_t got =
                perf_image_at(image, segment.offset + in, to, size < left ? size : (size_t)left);
            if (got) return got;
        }
    }
    return 0;
}

/* Finds the mapping of a process that has an address at a time; true: `last` is it. */
static bool perf_code_find(struct perf_code *code, uint32_t process, uint64_t time,
                           uint64_t address)
{
    size_t low = 0, high = code->count;
    while (low < high) { /* the first entry after that time */
        const size_t middle = (low + high) / 2;
        if (code->entries[middle].time <= time)
            low = middle + 1;
        else
            high = middle;
    }
    const uint64_t until = low < code->count ? code->entries[low].time : UINT64_MAX;
    const uint64_t since = low ? code->entries[low - 1].time : 0;
    uint64_t from = 0, to = UINT64_MAX;
    uint32_t searched = process;
    for (size_t i = low; i-- > 0;) {
        const struct perf_entry *entry = &code->entries[i];
        if (entry->process != searched) continue;
        if (entry->kind == ENTRY_EXEC) return false;
        if (entry->kind == ENTRY_FORK) {
            searched = entry->parent;
            continue;
        }
        if (address >= entry->start && address < entry->end) {
            code->last.valid = true;
            code->last.process = process;
            code->last.from = since;
            code->last.to = until;
            code->last.start = entry->start > from ? entry->start : from;
            code->last.end = entry->end < to ? entry->end : to;
            code->last.base = entry->start;
            code->last.offset = entry->offset;
            code->last.file = entry->file;
            return true;
        }
        /* a later mapping over a part of the one that will be found */
        if (entry->start > address && entry->start < to) to = entry->start;
        if (entry->end <= address && entry->end > from) from = entry->end;
    }
    return false;
}

size_t perf_code_read_any(struct perf_code *code, uint64_t address, void *to, size_t size)
{
    struct perf_region region;
    const size_t own = perf_own_read(code, address, to, size);
    if (own) return own;
    size_t low = 0, high = perf_code_region(code, 0, &region) ? code->region_count : 0;
    while (low < high) { /* the first that ends after it */
        const size_t middle = (low + high) / 2;
        if (code->regions[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (!perf_code_region(code, low, &region) || address < region.start) return 0;
    const uint64_t left = region.end - address;
    return perf_image_at(&code->images[code->regions[low].file],
                         region.offset + (address - region.start), to,
                         size < left ? size : (size_t)left);
}

size_t perf_code_read(struct perf_code *code, uint32_t process, uint64_t time, uint64_t address,
                      void *to, size_t size)
{
    const size_t own = perf_own_read(code, address, to, size);
    if (own) return own;
    const bool hit = code->last.valid && code->last.process == process && time >= code->last.from &&
                     time < code->last.to && address >= code->last.start &&
                     address < code->last.end;
    if (!hit && !perf_code_find(code, process, time, address)) return 0;
    struct perf_image *image = &code->images[code->last.file];
    perf_image_seek(code, image);
    const uint64_t left = code->last.end - address;
    return perf_image_at(image, code->last.offset + (address - code->last.base), to,
                         size < left ? size : (size_t)left);
}

/* ---- what all processes agree about ---- */

static int perf_region_compare(const void *left, const void *right)
{
    const struct perf_entry *a = left, *b = right;
    if (a->start != b->start) return a->start < b->start ? -1 : 1;
    if (a->end != b->end) return a->end < b->end ? -1 : 1;
    return a->file < b->file ? -1 : a->file > b->file;
}

static bool perf_region_is_same(const struct perf_entry *a, const struct perf_entry *b)
{
    return a->start == b->start && a->end == b->end && a->file == b->file && a->offset == b->offset;
}

/* Drops mappings that overlap another one which says something else, both of them. */
static void perf_code_make_regions(struct perf_code *code)
{
    size_t count = 0, kept = 0;
    code->regions_made = true;
    if (!array_reserve(&code->regions, &code->region_capacity, code->count)) return;
    for (size_t i = 0; i < code->count; i++)
        if (code->entries[i].kind == ENTRY_MAP) code->regions[count++] = code->entries[i];
    if (!count) return;
    qsort(code->regions, count, sizeof *code->regions, perf_region_compare);
    uint64_t end = 0; /* of those before */
    for (size_t i = 0, next; i < count; i = next) {
        const struct perf_entry *first = &code->regions[i];
        bool alone = first->start >= end;
        next = i + 1;
        while (next < count && perf_region_is_same(first, &code->regions[next])) next++;
        if (next < count && code->regions[next].start < first->end) alone = false;
        if (first->end > end) end = first->end;
        if (alone) code->regions[kept++] = *first;
    }
    code->region_count = kept;
}

bool perf_code_region(struct perf_code *code, size_t index, struct perf_region *region)
{
    if (!code->regions_made) perf_code_make_regions(code);
    if (index >= code->region_count) return false;
    const struct perf_entry *entry = &code->regions[index];
    struct perf_image *image = &code->images[entry->file];
    perf_image_seek(code, image);
    *region = (struct perf_region){
        .start = entry->start,
        .end = entry->end,
        .offset = entry->offset,
        .path = image->bytes ? image->path : NULL,
        .named = image->name,
        .function = entry->name && image->bytes ? (const char *)image->bytes + entry->name : NULL,
        .build_id = image->build_id};
    return true;
}
