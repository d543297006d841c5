/* SPDX-License-Identifier: MIT */
/* images.c: the set of images, and lookups in it. */
#include "image/images.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/scan.h"
#include "base/text.h"
#include "model/elf_format.h"
#include "model/error.h"
#include "model/options.h"
#include "result/result_node.h"

/* ---- the set ---- */

enum spoor_status spoor_images_new(struct spoor_images **made, struct spoor_error *error)
{
    struct spoor_images *images = calloc(1, sizeof *images);
    *made = NULL;
    if (!images) return error_no_memory(error);
    pthread_mutex_init(&images->lock, NULL);
    *made = images;
    return SPOOR_OK;
}

bool spoor_images_out_of_memory(const struct spoor_images *images)
{
    bool failed = images->strings.failed;
    for (size_t i = 0; i < images->count; i++) failed |= images->items[i].symbols.failed;
    return failed;
}

void spoor_images_close(struct spoor_images *images)
{
    if (!images) return;
    for (size_t i = 0; i < images->count; i++) image_close(&images->items[i]);
    free(images->items);
    free(images->cache);
    sources_free(&images->sources);
    strings_free(&images->strings);
    pthread_mutex_destroy(&images->lock);
    free(images);
}

size_t spoor_images_count(const struct spoor_images *images)
{
    return images->count;
}

enum spoor_status images_add(struct spoor_images *images, const char *path, uint64_t offset,
                             struct text *list, bool may_be_memory, struct spoor_error *error)
{
    for (size_t i = 0; i < images->count && !list; i++)
        if (images->items[i].offset == offset && strcmp(images->items[i].path, path) == 0)
            return SPOOR_OK;
    if (!images->cache) images->cache = calloc(CACHE_ENTRIES, sizeof *images->cache);
    if (!images->cache || !array_reserve(&images->items, &images->capacity, images->count + 1)) {
        if (list) text_free(list);
        return spoor_error_set(error, SPOOR_ENOMEM, "out of memory for %s", path);
    }
    struct image *image = &images->items[images->count];
    const enum spoor_status status = image_open(image, path, list, may_be_memory, error);
    if (status != SPOOR_OK) return status;
    image->offset = offset;
    images->count++;
    /* Empties the cache, of which most sets never use anything. */
    if (images->is_cached) memset(images->cache, 0, CACHE_ENTRIES * sizeof *images->cache);
    images->is_cached = false;
    return SPOOR_OK;
}

enum spoor_status spoor_images_add(struct spoor_images *images, const char *image,
                                   struct spoor_error *error)
{
    const char *at = strrchr(image, '@');
    uint64_t offset = 0;
    if (!at || access(image, F_OK) == 0) return images_add(images, image, 0, NULL, false, error);
    struct scan scan = {at + 1, at + strlen(at)};
    const bool negative = scan_char(&scan, '-');
    if (!scan_number(&scan, &offset) || !scan_done(&scan))
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "%s: found '%s' after '@', expected an offset: a number, decimal or "
                               "0x hexadecimal",
                               image, at + 1);
    if (negative) offset = 0 - offset;
    char *path = strndup(image, (size_t)(at - image));
    if (!path) return spoor_error_set(error, SPOOR_ENOMEM, "out of memory for %s", image);
    const enum spoor_status status = images_add(images, path, offset, NULL, true, error);
    free(path);
    return status;
}

const char *spoor_images_path(const struct spoor_images *images, size_t n, int64_t *offset)
{
    if (n >= images->count) return NULL;
    *offset = (int64_t)images->items[n].offset;
    return images->items[n].path;
}

static struct image_module images_module_of(struct image *image)
{
    struct image_module module = {.path = image->path, .begin = UINT64_MAX};
    struct elf_segment segment;
    for (size_t i = 0; image->elf.bytes && elf_segment_at(&image->elf, i, &segment); i++) {
        if (segment.type != PT_LOAD || !segment.memory_size) continue;
        if (segment.address < module.begin) module.begin = segment.address;
        if (segment.address + segment.memory_size > module.end)
            module.end = segment.address + segment.memory_size;
    }
    module.begin = (module.begin == UINT64_MAX ? 0 : module.begin) + image->offset;
    module.end += image->offset;
    return module;
}

bool images_find_module(struct spoor_images *images, uint64_t address, struct image_module *module)
{
    bool found = false;
    pthread_mutex_lock(&images->lock);
    for (size_t i = 0; i < images->count && !found; i++) {
        struct image *image = &images->items[i];
        if (!image->elf.bytes) image_symbols(image); /* a list of symbols covers what they do */
        found = image_covers(image, address - image->offset);
        if (found) *module = images_module_of(image);
    }
    pthread_mutex_unlock(&images->lock);
    return found;
}

uint64_t images_fingerprint(struct spoor_images *images)
{
    uint64_t print = images->count;
    pthread_mutex_lock(&images->lock);
    for (size_t i = 0; i < images->count; i++) {
        struct image *image = &images->items[i];
        const struct symbols *symbols = image_symbols(image);
        print = hash_mix(hash_mix(print, image->offset), image->elf.size);
        for (size_t j = 0; j < symbols->count; j++) {
            const struct symbol *symbol = &symbols->items[j];
            print = hash_mix(hash_mix(print, symbol->start), symbol->size);
            print = hash_mix(print, symbol->kind | (uint64_t)symbol->rank << 8);
        }
    }
    pthread_mutex_unlock(&images->lock);
    return print;
}

/* ---- places ---- */

static uint64_t images_address_in(const struct image *image, uint64_t pc)
{
    const uint64_t address = pc - image->offset;
    return image->elf.machine == EM_ARM ? address & ~UINT64_C(1) : address;
}

static bool images_ask(struct spoor_images *images, uint64_t pc, bool lines,
                       struct spoor_place *place)
{
    if (!images->cache) {
        const struct spoor_place none = {0};
        struct_fill(place, &none, sizeof none);
        return false;
    }
    pthread_mutex_lock(&images->lock);
    struct cached_place *cached = &images->cache[hash_mix(0, pc) % CACHE_ENTRIES];
    const int needed = lines ? CACHED_ALL : CACHED_FUNCTION;
    if (cached->pc != pc || (int)cached->state < needed) {
        cached->place = (struct spoor_place){0};
        /* The first image that has a function at the address, else the first that covers it. */
        struct image *image = NULL;
        bool named = false;
        for (size_t i = 0; i < images->count && !named; i++) {
            struct image *one = &images->items[i];
            struct spoor_place found = {0};
            const uint64_t address = images_address_in(one, pc);
            if (!image_covers(one, address)) continue;
            named = image_find_function(one, &images->strings, address, &found);
            if (!named && image) continue;
            cached->place = found;
            image = one;
        }
        struct lines *of = image && lines ? image_lines(image, &images->strings) : NULL;
        if (of) lines_resolve(of, images_address_in(image, pc), &cached->place);
        cached->covered = image != NULL;
        cached->pc = pc;
        cached->state = lines ? CACHED_ALL : CACHED_FUNCTION;
    }
    images->is_cached = true;
    struct_fill(place, &cached->place, sizeof cached->place);
    const bool covered = cached->covered;
    pthread_mutex_unlock(&images->lock);
    return covered;
}

bool spoor_images_function(struct spoor_images *images, uint64_t pc, struct spoor_place *place)
{
    return images_ask(images, pc, false, place);
}

bool spoor_images_resolve(struct spoor_images *images, uint64_t pc, struct spoor_place *place)
{
    return images_ask(images, pc, true, place);
}

/* ---- for fields ---- */

static bool images_locate(void *context, uint64_t pc, enum spoor_locate how,
                          struct spoor_location *located)
{
    struct spoor_images *images = context;
    struct spoor_place place = {.struct_size = sizeof place};
    if (!images_ask(images, pc, how != SPOOR_LOCATE_FUNCTION, &place)) return false;
    *located = (struct spoor_location){
        .function = place.function, .offset = place.offset, .source = place.source};
    char names[4096]; /* of the inlined functions, unless they are too long */
    size_t size = 0;
    bool fits = true;
    for (size_t i = 0; i < place.inlined_count && fits; i++) {
        const char *name = place.inlined[i].function;
        const int more =
            snprintf(names + size, sizeof names - size, "%s%s", i ? " < " : "", name ? name : "?");
        fits = more >= 0 && (size_t)more < sizeof names - size;
        size += fits ? (size_t)more : 0;
    }
    pthread_mutex_lock(&images->lock);
    if (size && fits) located->inlined = strings_interned(&images->strings, names);
    if (how == SPOOR_LOCATE_TEXT && place.file)
        located->text = sources_line(&images->sources, place.file, place.line);
    pthread_mutex_unlock(&images->lock);
    return true;
}

struct spoor_locator spoor_images_locator(struct spoor_images *images)
{
    return (struct spoor_locator){images_locate, images};
}

/* ---- bytes ---- */

size_t spoor_images_bytes(struct spoor_images *images, uint64_t address, void *bytes, size_t size)
{
    for (size_t i = 0; i < images->count; i++) {
        const struct image *image = &images->items[i];
        const size_t there = image_bytes(image, address - image->offset, false, bytes, size);
        if (there) return there;
    }
    return 0;
}

/* ---- by name ---- */

static bool images_is_named(struct spoor_images *images, struct image *image, size_t index,
                            const char *name)
{
    const char *symbol = image->symbols.items[index].name;
    if (strcmp(symbol, name) == 0) return true;
    if (symbol[0] != '_' || symbol[1] != 'Z') return false;
    const char *demangled = image_symbol_name(image, &images->strings, index);
    const size_t size = strlen(name);
    return strncmp(demangled, name, size) == 0 &&
           (demangled[size] == '\0' || demangled[size] == '(');
}

bool spoor_images_find(struct spoor_images *images, const char *name, size_t n, uint64_t *address)
{
    bool found = false;
    pthread_mutex_lock(&images->lock);
    for (size_t i = 0; i < images->count && !found; i++) {
        struct image *image = &images->items[i];
        const struct symbols *symbols = image_symbols(image);
        uint64_t last = 0;
        bool any = false;
        for (size_t at = 0; at < symbols->count && !found; at++) {
            const uint64_t start = symbols->items[at].start + image->offset;
            if ((any && start == last) || !images_is_named(images, image, at, name)) continue;
            any = true;
            last = start;
            found = n-- == 0;
            if (found) *address = start;
        }
    }
    pthread_mutex_unlock(&images->lock);
    return found;
}

bool spoor_images_variable(struct spoor_images *images, const char *name,
                           struct spoor_variable *variable)
{
    bool found = false;
    pthread_mutex_lock(&images->lock);
    for (size_t i = 0; i < images->count && !found; i++) {
        struct image *image = &images->items[i];
        struct lines *lines = image_lines(image, &images->strings);
        struct spoor_variable made = {.struct_size = sizeof made};
        found = lines && lines_variable(lines, name, &made);
        if (!found) continue;
        made.address += image->offset;
        struct_fill(variable, &made, sizeof made);
    }
    pthread_mutex_unlock(&images->lock);
    return found;
}

bool spoor_images_nth_function(struct spoor_images *images, size_t n, struct spoor_place *place)
{
    bool found = false;
    pthread_mutex_lock(&images->lock);
    struct spoor_place made = {0};
    for (size_t i = 0; i < images->count && !found; i++) {
        struct image *image = &images->items[i];
        const struct symbols *symbols = image_symbols(image);
        found = n < symbols->order_count;
        if (!found) {
            n -= symbols->order_count;
            continue;
        }
        const size_t index = symbols->order[n];
        const struct symbol *symbol = &symbols->items[index];
        image_find_function(image, &images->strings, symbol->start, &made);
        made.symbol = symbol->name;
        made.function = image_symbol_name(image, &images->strings, index);
        made.start = symbol->start + image->offset;
        made.size = symbol->size;
        made.offset = 0;
    }
    pthread_mutex_unlock(&images->lock);
    struct_fill(place, &made, sizeof made);
    return found;
}

void images_each_line(struct spoor_images *images, line_row_visitor *visit, void *context)
{
    bool more = true;
    pthread_mutex_lock(&images->lock);
    for (size_t i = 0; i < images->count && more; i++) {
        struct image *image = &images->items[i];
        struct lines *lines = image_lines(image, &images->strings);
        if (lines) more = lines_each(lines, image->offset, visit, context);
    }
    pthread_mutex_unlock(&images->lock);
}

/* ---- sources ---- */

enum spoor_status spoor_images_add_source(struct spoor_images *images, const char *directory,
                                          struct spoor_error *error)
{
    return sources_add_directory(&images->sources, directory)
               ? SPOOR_OK
               : spoor_error_set(error, SPOOR_ENOMEM, "out of memory for %s", directory);
}

const char *spoor_images_source_line(struct spoor_images *images, const char *file, uint32_t line)
{
    pthread_mutex_lock(&images->lock);
    const char *text = sources_line(&images->sources, file, line);
    pthread_mutex_unlock(&images->lock);
    return text;
}

/* ---- function, offset and line after every pc of a result tree ---- */

/* Moves the last member, which was just added, to the place after `after`. */
static void images_move_last(struct spoor_result *object, struct spoor_result *after)
{
    struct spoor_result *last = object->last, *before = after;
    if (!last || last == after || after->next == last) return;
    while (before->next != last) before = before->next;
    before->next = NULL;
    object->last = before;
    last->next = after->next;
    after->next = last;
}

void spoor_images_name_result(struct spoor_images *images, struct spoor_result *result,
                              const char *within)
{
    if (!result || result_is_scalar(result)) return;
    if (within && result->key && strcmp(result->key, within) == 0) within = NULL;
    for (struct spoor_result *member = result->first, *next; member; member = next) {
        next = member->next;
        if (!within && member->type == NODE_HEX && member->key && strcmp(member->key, "pc") == 0) {
            struct spoor_place place = {0};
            spoor_images_resolve(images, member->number, &place);
            spoor_result_text(result, "source", place.source);
            images_move_last(result, member);
            spoor_result_hex_if(result, "offset", place.function, place.offset);
            images_move_last(result, member);
            spoor_result_text(result, "function", place.function);
            images_move_last(result, member);
        } else
            spoor_images_name_result(images, member, within);
    }
}
