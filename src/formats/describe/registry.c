/* SPDX-License-Identifier: MIT */
/* registry.c: the formats that descriptions define: those of the library, of files, and of .spoor
 * files that carry one. */
#include "spoor/describe.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "formats/describe/describe.h"
#include "formats/describe/registry.h"
#include "formats/format.h"
#include "model/error.h"

#define SUFFIX ".spoor-format"

/* Descriptions stay until the end of the process: readers and indexes refer to their formats. */
static struct {
    pthread_mutex_t lock;
    struct description **descriptions; /* in the order of `count`; hidden ones have no number */
    size_t count, capacity;
    size_t visible;
} registry = {.lock = PTHREAD_MUTEX_INITIALIZER};

static pthread_once_t builtin_once = PTHREAD_ONCE_INIT;

enum origin { ORIGIN_LIBRARY, ORIGIN_USER, ORIGIN_CARRIED /* by a .spoor file */ };

/* Adds a description; returns the known one of the same name and text, if there is one. */
static struct description *registry_add(struct description *description, enum origin origin)
{
    const bool hidden = origin == ORIGIN_CARRIED;
    for (size_t i = 0; i < registry.count; i++) {
        struct description *known = registry.descriptions[i];
        if (strcmp(known->identity, description->identity) != 0) continue;
        describe_free(description);
        if (known->hidden && !hidden) known->hidden = false;
        return known;
    }
    if (!array_reserve(&registry.descriptions, &registry.capacity, registry.count + 1)) return NULL;
    description->hidden = hidden;
    description->builtin = origin == ORIGIN_LIBRARY;
    for (size_t i = 0; !hidden && i < registry.count; i++) /* the new one has the name */
        if (strcmp(registry.descriptions[i]->name, description->name) == 0)
            registry.descriptions[i]->hidden = true;
    registry.descriptions[registry.count++] = description;
    return description;
}

static const struct spoor_format *registry_parse(const char *path, const char *name,
                                                 struct spoor_slice text, enum origin origin,
                                                 struct spoor_error *error)
{
    struct description *description = describe_parse(path, name, text, error);
    if (!description) return NULL;
    pthread_mutex_lock(&registry.lock);
    struct description *added = registry_add(description, origin);
    pthread_mutex_unlock(&registry.lock);
    if (added) return &added->format;
    describe_free(description);
    error_no_memory(error);
    return NULL;
}

static bool registry_failed; /* memory ran out for the descriptions of the library */

static void registry_load_builtin(void)
{
    for (const struct builtin_description *one = builtin_descriptions; one->name; one++)
        registry_failed |= !registry_parse(one->name, one->name,
                                           (struct spoor_slice){one->text, strlen(one->text)},
                                           ORIGIN_LIBRARY, NULL);
}

bool spoor_describe_begin(void)
{
    pthread_once(&builtin_once, registry_load_builtin);
    return !registry_failed;
}

/* ---- for list.c ---- */

size_t described_count(void)
{
    size_t count = 0;
    pthread_once(&builtin_once, registry_load_builtin);
    pthread_mutex_lock(&registry.lock);
    for (size_t i = 0; i < registry.count; i++) count += !registry.descriptions[i]->hidden;
    pthread_mutex_unlock(&registry.lock);
    return count;
}

const struct spoor_format *described_at(size_t index)
{
    const struct spoor_format *format = NULL;
    pthread_once(&builtin_once, registry_load_builtin);
    pthread_mutex_lock(&registry.lock);
    for (size_t i = 0; i < registry.count && !format; i++)
        if (!registry.descriptions[i]->hidden && index-- == 0)
            format = &registry.descriptions[i]->format;
    pthread_mutex_unlock(&registry.lock);
    return format;
}

const struct spoor_format *described_find(const char *name)
{
    const struct spoor_format *format = NULL;
    pthread_once(&builtin_once, registry_load_builtin);
    pthread_mutex_lock(&registry.lock);
    for (size_t i = 0; i < registry.count; i++) {
        const struct description *description = registry.descriptions[i];
        if ((!description->hidden && strcmp(description->name, name) == 0) ||
            strcmp(description->identity, name) == 0)
            format = &description->format;
    }
    pthread_mutex_unlock(&registry.lock);
    return format;
}

const struct wave_mapping *described_mapping(const struct spoor_format *format)
{
    if (!format_is_described(format)) return NULL;
    return ((const struct description *)format->variant)->mapping;
}

bool described_reads_waveforms(const struct spoor_format *format)
{
    if (!format_is_described(format)) return false;
    const struct description *description = format->variant;
    return description->waveform || description->mapping;
}

const char *format_identity(const struct spoor_format *format)
{
    size_t size;
    const char *text = format_description(format, &size);
    (void)text;
    return size ? ((const struct description *)format->variant)->identity : format->name;
}

bool format_is_described(const struct spoor_format *format)
{
    return format->write == describe_write || format->probe == describe_binary_probe;
}

const char *format_description(const struct spoor_format *format, size_t *size)
{
    const struct description *description = format_is_described(format) ? format->variant : NULL;
    *size = description ? description->text.size : 0;
    return description ? description->text.bytes : "";
}

const struct spoor_format *described_carried(const char *identity, struct spoor_slice text)
{
    char name[64];
    const char *at = strchr(identity, '@');
    const size_t size = at ? (size_t)(at - identity) : 0;
    const struct spoor_format *known = described_find(identity);
    if (known || size == 0 || size >= sizeof name) return known;
    memcpy(name, identity, size);
    name[size] = '\0';
    const struct spoor_format *format = registry_parse(identity, name, text, ORIGIN_CARRIED, NULL);
    /* another text than the one that was hashed is not the description of these records */
    return format && strcmp(format_identity(format), identity) == 0 ? format : NULL;
}

/* ---- files ---- */

enum { NAME_SIZE = 64 };

/* The name of the format of a description: that of its file, or "" where it has no such suffix. */
static void registry_name(const char *path, char name[NAME_SIZE])
{
    enum { SUFFIX_SIZE = sizeof SUFFIX - 1 };
    const char *base = path_name(path);
    const size_t size = strlen(base);
    const bool suffixed = size > SUFFIX_SIZE && size - SUFFIX_SIZE < NAME_SIZE &&
                          strcmp(base + size - SUFFIX_SIZE, SUFFIX) == 0;
    snprintf(name, NAME_SIZE, "%.*s", suffixed ? (int)(size - SUFFIX_SIZE) : 0, base);
}

enum spoor_status spoor_describe_file(const char *path, const struct spoor_format **format,
                                      struct spoor_error *error)
{
    char name[NAME_SIZE];
    registry_name(path, name);
    *format = NULL;
    pthread_once(&builtin_once, registry_load_builtin); /* which a later one replaces */
    FILE *file = fopen(path, "rbe");
    char *text = malloc(DESCRIBE_FILE + 1);
    enum spoor_status status = SPOOR_OK;
    if (!file || !text) {
        const int why = errno;
        status = file ? error_no_memory(error) : SPOOR_EINPUT;
        if (!file) spoor_error_set(error, SPOOR_EINPUT, "%s: %s", path, strerror(why));
    } else {
        const size_t read = fread(text, 1, DESCRIBE_FILE + 1, file);
        const int why = errno;
        if (ferror(file)) {
            status = SPOOR_EINPUT;
            spoor_error_set(error, SPOOR_EINPUT, "%s: %s", path, strerror(why));
        } else {
            *format =
                registry_parse(path, name, (struct spoor_slice){text, read}, ORIGIN_USER, error);
            if (!*format) status = SPOOR_EINPUT;
        }
    }
    if (file) fclose(file);
    free(text);
    return status;
}

static int registry_is_description(const struct dirent *entry)
{
    enum { SUFFIX_SIZE = sizeof SUFFIX - 1 };
    const size_t size = strlen(entry->d_name);
    return size > SUFFIX_SIZE && strcmp(entry->d_name + size - SUFFIX_SIZE, SUFFIX) == 0;
}

size_t spoor_describe_folder(const char *folder, void (*tell)(void *context, const char *sentence),
                             void *context)
{
    struct dirent **entries = NULL;
    const int count = scandir(folder, &entries, registry_is_description, alphasort);
    size_t usable = 0;
    for (int i = 0; i < count; i++) {
        char path[4096];
        struct spoor_error error = {0};
        const struct spoor_format *format;
        const int size = snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        if (size > 0 && (size_t)size < sizeof path) {
            char name[NAME_SIZE];
            registry_name(path, name);
            if (format_builtin(name))
                spoor_error_set(&error, SPOOR_EINPUT, "%s: %s is the name of a built-in format",
                                path, name);
            else if (spoor_describe_file(path, &format, &error) == SPOOR_OK)
                usable++;
            if (error.status != SPOOR_OK && tell) tell(context, error.text);
        }
        free(entries[i]);
    }
    free(entries);
    return usable;
}
