/* SPDX-License-Identifier: MIT */
/* snapshot.c: reads the ini files of a CoreSight snapshot, and the memory of its cores. */
#include "silicon/snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/read_at.h"
#include "base/text.h"
#include "model/error.h"

enum {
    MOST_INI = 16 << 20, /* bytes of an ini file */
    MOST_DEVICES = 4096,
    PAGE = 4096,
    PAGES = 256, /* of a core, kept: 1 MiB */
};
static const char list_name[] = "snapshot.ini";

struct memory_page {
    uint64_t number; /* of the page in its dump */
    size_t dump;     /* its number and 1; 0: the entry is empty */
    size_t size;
    uint8_t bytes[PAGE];
};

/* ---- files ---- */

bool snapshot_is(const void *bytes, size_t size)
{
    /* the first section, after comments */
    static const char first[] = "[snapshot]";
    const char *at = bytes, *end = at + size;
    while (at < end && (*at == ';' || *at == '#' || *at == '\r' || *at == '\n' || *at == ' ')) {
        const bool comment = *at == ';' || *at == '#';
        const char *stop = comment ? memchr(at, '\n', (size_t)(end - at)) : at;
        if (!stop) return false;
        at = stop + 1;
    }
    return (size_t)(end - at) >= sizeof first - 1 && memcmp(at, first, sizeof first - 1) == 0;
}

/* The path of a file of the folder, which the caller frees; NULL if memory runs out. */
static char *snapshot_path(const char *folder, const char *name)
{
    const size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);
    if (path) snprintf(path, size, "%s%s%s", folder, *folder ? "/" : "", name);
    return path;
}

bool snapshot_is_folder(const char *path)
{
    enum { LOOK = 4096 };
    char *list = snapshot_path(path, list_name), bytes[LOOK];
    const int file = list ? open(list, O_RDONLY | O_CLOEXEC) : -1;
    const bool found = file >= 0 && snapshot_is(bytes, read_at(file, 0, bytes, LOOK));
    if (file >= 0) close(file);
    free(list);
    return found;
}

/* A file named in an ini file must lie in the folder: a snapshot that somebody else made is no way
 * to read other files of this machine. */
static bool snapshot_is_inside(const char *name)
{
    if (!*name || *name == '/') return false;
    for (const char *at = name; at; at = strchr(at, '/')) {
        at += *at == '/';
        if (strncmp(at, "..", 2) == 0 && (at[2] == '/' || !at[2])) return false;
    }
    return true;
}

static enum spoor_status snapshot_name_file(const struct snapshot *snapshot, const char *from,
                                            const char *name, char **path,
                                            struct spoor_error *error)
{
    if (!snapshot_is_inside(name)) {
        spoor_error_set(error, SPOOR_EINPUT,
                        "%s: found the file '%.60s', expected one in the folder of the snapshot",
                        from, name);
        return SPOOR_EINPUT;
    }
    *path = snapshot_path(snapshot->folder, name);
    if (*path) return SPOOR_OK;
    error_no_memory_while(error, from, "reading");
    return SPOOR_ENOMEM;
}

static enum spoor_status snapshot_open_file(const char *path, int *file, uint64_t *size,
                                            struct spoor_error *error)
{
    struct stat status;
    *file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a FIFO would wait */
    if (*file < 0) return spoor_error_system(error, SPOOR_EINPUT, "%s: cannot be opened", path);
    if (fstat(*file, &status) == 0 && S_ISREG(status.st_mode)) {
        *size = (uint64_t)status.st_size;
        return SPOOR_OK;
    }
    close(*file);
    *file = -1;
    return spoor_error_set(error, SPOOR_EINPUT, "%s: is no regular file", path);
}

static enum spoor_status snapshot_read_ini(const char *path, struct ini *ini,
                                           struct spoor_error *error)
{
    int file;
    uint64_t size = 0;
    enum spoor_status status = snapshot_open_file(path, &file, &size, error);
    if (status != SPOOR_OK) return status;
    if (size > MOST_INI) {
        close(file);
        return spoor_error_set(error, SPOOR_EINPUT,
                               "%s: has more than 16 MiB, which no ini file has", path);
    }
    char *bytes = malloc((size_t)size + 1);
    const size_t count = bytes ? read_at(file, 0, bytes, (size_t)size) : 0;
    const int why = errno;
    close(file);
    if (!bytes) return error_no_memory_while(error, path, "reading");
    if (count < size && why) {
        free(bytes);
        errno = why;
        return spoor_error_system(error, SPOOR_EINPUT, "%s: cannot be read", path);
    }
    return ini_parse(ini, path, bytes, count, error);
}

/* ---- dumps ---- */

static uint32_t snapshot_spaces(const char *name)
{
    static const struct {
        const char *name;
        uint32_t spaces;
    } known[] = {
        {"EL1S", SPACE_EL1S}, {"SP", SPACE_EL1S},  {"EL1N", SPACE_EL1N}, {"P", SPACE_EL1N},
        {"NP", SPACE_EL1N},   {"EL2", SPACE_EL2N}, {"EL2N", SPACE_EL2N}, {"H", SPACE_EL2N},
        {"EL2S", SPACE_EL2S}, {"EL3", SPACE_EL3},  {"S", SPACE_SECURE},  {"N", SPACE_NON_SECURE},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].name, name) == 0) return known[i].spaces;
    return SPACE_ANY;
}

/* Adds what a section [dump...] states, whose entries are `from` to `to` - 1. */
static enum spoor_status snapshot_add_dump(const struct snapshot *snapshot,
                                           struct snapshot_device *device, size_t from, size_t to,
                                           struct spoor_error *error)
{
    const char *name = NULL, *path = device->path;
    struct snapshot_dump dump = {.file = -1, .size = UINT64_MAX, .spaces = SPACE_ANY};
    bool placed = false;
    uint64_t size = 0;
    for (size_t i = from; i < to; i++) {
        const struct ini_entry *entry = &device->ini.entries[i];
        uint64_t *number = NULL;
        if (strcmp(entry->key, "file") == 0) name = entry->value;
        if (strcmp(entry->key, "space") == 0) dump.spaces = snapshot_spaces(entry->value);
        if (strcmp(entry->key, "address") == 0) number = &dump.address;
        if (strcmp(entry->key, "length") == 0) number = &dump.size;
        if (strcmp(entry->key, "offset") == 0) number = &dump.offset;
        placed |= number == &dump.address;
        if (number && !ini_number(entry->value, number))
            return spoor_error_set(error, SPOOR_EINPUT, "%s:%u: found '%.60s', expected a number",
                                   path, entry->line, entry->value);
    }
    if (!name || !placed)
        return spoor_error_set(error, SPOOR_EINPUT,
                               "%s:%u: found a section [%.60s] without %s, expected both", path,
                               device->ini.entries[from].line, device->ini.entries[from].section,
                               name ? "an address" : "a file");
    if (!array_reserve(&device->dumps, &device->dump_capacity, device->dump_count + 1))
        return error_no_memory_while(error, path, "reading");
    enum spoor_status status = snapshot_name_file(snapshot, path, name, &dump.path, error);
    if (status != SPOOR_OK) return status;
    device->dumps[device->dump_count++] = dump; /* which frees the path */
    struct snapshot_dump *added = &device->dumps[device->dump_count - 1];
    status = snapshot_open_file(added->path, &added->file, &size, error);
    if (status != SPOOR_OK && access(added->path, F_OK) == 0) return status;
    const uint64_t there = added->offset < size ? size - added->offset : 0;
    if (added->size > there || added->size == 0) added->size = there;
    if (added->size && added->size - 1 > UINT64_MAX - added->address)
        added->size = UINT64_MAX - added->address + 1;
    return SPOOR_OK;
}

static enum spoor_status snapshot_add_dumps(const struct snapshot *snapshot,
                                            struct snapshot_device *device,
                                            struct spoor_error *error)
{
    const struct ini *ini = &device->ini;
    enum spoor_status status = SPOOR_OK;
    for (size_t from = 0, to; from < ini->count && status == SPOOR_OK; from = to) {
        to = from + 1;
        while (to < ini->count && ini->entries[to].part == ini->entries[from].part) to++;
        if (strncmp(ini->entries[from].section, "dump", 4) == 0)
            status = snapshot_add_dump(snapshot, device, from, to, error);
    }
    return status;
}

size_t snapshot_read_memory(struct snapshot_device *core, uint64_t address, uint32_t spaces,
                            void *to, size_t size)
{
    if (core->read) return core->read(core->context, address, to, size);
    for (size_t i = 0; i < core->dump_count; i++) {
        const struct snapshot_dump *dump = &core->dumps[i];
        uint64_t at = address - dump->address;
        if (!(dump->spaces & spaces) || at >= dump->size) continue;
        size_t done = 0;
        while (done < size && at < dump->size) {
            const uint64_t number = at / PAGE;
            struct memory_page *page = &core->pages[(number ^ i * 61) % PAGES];
            if (page->dump != i + 1 || page->number != number) {
                const uint64_t left = dump->size - number * PAGE;
                page->size = read_at(dump->file, dump->offset + number * PAGE, page->bytes,
                                     left < PAGE ? (size_t)left : PAGE);
                page->number = number;
                page->dump = i + 1;
            }
            const size_t in = (size_t)(at % PAGE);
            if (in >= page->size) break;
            size_t part = page->size - in;
            if (part > size - done) part = size - done;
            memcpy((uint8_t *)to + done, page->bytes + in, part);
            done += part;
            at += part;
        }
        if (done) return done;
    }
    return 0;
}

/* ---- devices ---- */

static enum spoor_status snapshot_add_device(struct snapshot *snapshot, const char *name,
                                             struct spoor_error *error)
{
    if (snapshot->device_count == MOST_DEVICES)
        return spoor_error_set(error, SPOOR_EINPUT, "%s: has more than %d devices",
                               snapshot->list_path, (int)MOST_DEVICES);
    if (!array_reserve_zeroed(&snapshot->devices, &snapshot->device_capacity,
                              snapshot->device_count + 1))
        return error_no_memory_while(error, snapshot->list_path, "reading");
    struct snapshot_device *device = &snapshot->devices[snapshot->device_count++];
    *device = (struct snapshot_device){.core = NO_DEVICE};
    enum spoor_status status =
        snapshot_name_file(snapshot, snapshot->list_path, name, &device->path, error);
    if (status == SPOOR_OK) status = snapshot_read_ini(device->path, &device->ini, error);
    if (status != SPOOR_OK) return status;
    const char **const members[] = {&device->name, &device->class, &device->type};
    static const char *const keys[] = {"name", "class", "type"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *value = ini_find(&device->ini, "device", keys[i]);
        *members[i] = value ? value : "";
    }
    if (strcmp(device->class, "core") != 0) return SPOOR_OK;
    device->pages = calloc(PAGES, sizeof *device->pages);
    if (!device->pages) return error_no_memory_while(error, device->path, "reading");
    return snapshot_add_dumps(snapshot, device, error);
}

static size_t snapshot_find(const struct snapshot *snapshot, const char *name)
{
    for (size_t i = 0; i < snapshot->device_count; i++)
        if (strcmp(snapshot->devices[i].name, name) == 0) return i;
    return NO_DEVICE;
}

bool snapshot_register(const struct snapshot_device *device, const char *name, uint32_t *value)
{
    const char *text = ini_find(&device->ini, "regs", name);
    uint64_t number;
    if (!text || !ini_number(text, &number) || number > UINT32_MAX) return false;
    *value = (uint32_t)number;
    return true;
}

/* ---- snapshots that are no folder ---- */

struct snapshot *snapshot_new(void)
{
    return calloc(1, sizeof(struct snapshot));
}

struct snapshot_device *snapshot_new_device(struct snapshot *snapshot, const char *name,
                                            const char *type, const char *regs)
{
    if (snapshot->device_count == MOST_DEVICES ||
        !array_reserve_zeroed(&snapshot->devices, &snapshot->device_capacity,
                              snapshot->device_count + 1))
        return NULL;
    struct snapshot_device *device = &snapshot->devices[snapshot->device_count];
    struct text text = {0};
    text_printf(&text, "[device]\nname=%s\nclass=trace_source\ntype=%s\n[regs]\n%s", name, type,
                regs);
    size_t size;
    char *bytes = text_hand_out(&text, &size);
    if (!bytes) return NULL;
    *device = (struct snapshot_device){.core = NO_DEVICE, .class = ""};
    snapshot->device_count++;
    if (ini_parse(&device->ini, name, bytes, size, NULL) != SPOOR_OK) return NULL;
    device->name = ini_find(&device->ini, "device", "name");
    device->type = ini_find(&device->ini, "device", "type");
    return device->name && device->type ? device : NULL;
}

struct snapshot_buffer *snapshot_new_buffer(struct snapshot *snapshot, const char *name)
{
    if (!array_reserve_zeroed(&snapshot->buffers, &snapshot->buffer_capacity,
                              snapshot->buffer_count + 1))
        return NULL;
    struct snapshot_buffer *buffer = &snapshot->buffers[snapshot->buffer_count];
    *buffer = (struct snapshot_buffer){.path = strdup(name)};
    buffer->name = buffer->path;
    if (!buffer->path) return NULL;
    snapshot->buffer_count++;
    return buffer;
}

bool snapshot_add_source(struct snapshot_buffer *buffer, size_t device)
{
    if (!array_reserve(&buffer->sources, &buffer->source_capacity, buffer->source_count + 1))
        return false;
    buffer->sources[buffer->source_count++] = device;
    return true;
}

/* ---- buffers ---- */

static enum spoor_status snapshot_add_buffer(struct snapshot *snapshot, const char *section,
                                             struct spoor_error *error)
{
    static const char *const formats[] = {[SNAPSHOT_RAW] = "source_data",
                                          [SNAPSHOT_FRAMES] = "coresight",
                                          [SNAPSHOT_SYNCED] = "dstream_coresight"};
    const char *path = snapshot->trace_path;
    const char *name = ini_find(&snapshot->trace, section, "name");
    const char *file = ini_find(&snapshot->trace, section, "file");
    const char *format = ini_find(&snapshot->trace, section, "format");
    if (!name || !file || !format)
        return spoor_error_set(error, SPOOR_EINPUT,
                               "%s: found a buffer '%.60s' without name, file or format, expected "
                               "all of them in a section of that name",
                               path, section);
    size_t i = 0;
    while (i < sizeof formats / sizeof *formats && strcmp(formats[i], format) != 0) i++;
    if (i == sizeof formats / sizeof *formats)
        return spoor_error_set(error, SPOOR_EINPUT,
                               "%s: found a buffer of the format '%.60s', expected source_data, "
                               "coresight or dstream_coresight",
                               path, format);
    if (!array_reserve_zeroed(&snapshot->buffers, &snapshot->buffer_capacity,
                              snapshot->buffer_count + 1))
        return error_no_memory_while(error, path, "reading");
    struct snapshot_buffer *buffer = &snapshot->buffers[snapshot->buffer_count++];
    *buffer = (struct snapshot_buffer){.name = name, .format = (enum snapshot_format)i};
    const enum spoor_status status = snapshot_name_file(snapshot, path, file, &buffer->path, error);
    for (i = 0; status == SPOOR_OK && i < snapshot->trace.count; i++) {
        const struct ini_entry *entry = &snapshot->trace.entries[i];
        if (strcmp(entry->section, "source_buffers") != 0 || strcmp(entry->value, name) != 0)
            continue;
        const size_t source = snapshot_find(snapshot, entry->key);
        if (source == NO_DEVICE) {
            buffer->unknown = entry->key;
            continue;
        }
        if (!snapshot_add_source(buffer, source))
            return error_no_memory_while(error, path, "reading");
    }
    return status;
}

static enum spoor_status snapshot_add_buffers(struct snapshot *snapshot, struct spoor_error *error)
{
    const char *at = ini_find(&snapshot->trace, "trace_buffers", "buffers");
    enum spoor_status status = SPOOR_OK;
    while (at && *at && status == SPOOR_OK) {
        const size_t size = strcspn(at, ",");
        char *section = strndup(at, size);
        if (!section) return error_no_memory_while(error, snapshot->trace_path, "reading");
        char *name = section + strspn(section, " \t");
        name[strcspn(name, " \t")] = 0;
        if (*name) status = snapshot_add_buffer(snapshot, name, error);
        free(section);
        at += size + (at[size] == ',');
    }
    if (status == SPOOR_OK && !snapshot->buffer_count)
        return spoor_error_set(error, SPOOR_EINPUT,
                               "%s: found no buffer, expected buffers=... in [trace_buffers]",
                               snapshot->trace_path);
    for (size_t i = 0; i < snapshot->trace.count && status == SPOOR_OK; i++) {
        const struct ini_entry *entry = &snapshot->trace.entries[i];
        if (strcmp(entry->section, "core_trace_sources") != 0) continue;
        const size_t source = snapshot_find(snapshot, entry->value);
        const size_t core = snapshot_find(snapshot, entry->key);
        if (source != NO_DEVICE && core != NO_DEVICE && snapshot->devices[core].pages)
            snapshot->devices[source].core = core;
    }
    return status;
}

/* ---- all of it ---- */

static enum spoor_status snapshot_read(struct snapshot *snapshot, struct spoor_error *error)
{
    enum spoor_status status = snapshot_read_ini(snapshot->list_path, &snapshot->list, error);
    const char *trace = status == SPOOR_OK ? ini_find(&snapshot->list, "trace", "metadata") : NULL;
    if (status == SPOOR_OK && !trace)
        return spoor_error_set(error, SPOOR_EINPUT,
                               "%s: found a snapshot without a trace, expected metadata=FILE in "
                               "[trace]",
                               snapshot->list_path);
    for (size_t i = 0; i < snapshot->list.count && status == SPOOR_OK; i++)
        if (strcmp(snapshot->list.entries[i].section, "device_list") == 0)
            status = snapshot_add_device(snapshot, snapshot->list.entries[i].value, error);
    if (status == SPOOR_OK)
        status =
            snapshot_name_file(snapshot, snapshot->list_path, trace, &snapshot->trace_path, error);
    if (status == SPOOR_OK)
        status = snapshot_read_ini(snapshot->trace_path, &snapshot->trace, error);
    if (status == SPOOR_OK) status = snapshot_add_buffers(snapshot, error);
    return status;
}

struct snapshot *snapshot_open(const char *path, struct spoor_error *error)
{
    struct snapshot *snapshot = calloc(1, sizeof *snapshot);
    struct stat kind;
    const bool folder = stat(path, &kind) == 0 && S_ISDIR(kind.st_mode);
    const char *slash = strrchr(path, '/');
    if (snapshot && folder) {
        snapshot->folder = strdup(path);
        snapshot->list_path = snapshot_path(path, list_name);
    } else if (snapshot) {
        snapshot->folder =
            slash == path ? strdup("/.") : strndup(path, slash ? (size_t)(slash - path) : 0);
        snapshot->list_path = strdup(path);
    }
    if (!snapshot || !snapshot->folder || !snapshot->list_path) {
        error_no_memory_while(error, path, "reading");
    } else if (snapshot_read(snapshot, error) == SPOOR_OK) {
        return snapshot;
    }
    snapshot_close(snapshot);
    return NULL;
}

void snapshot_close(struct snapshot *snapshot)
{
    if (!snapshot) return;
    for (size_t i = 0; i < snapshot->device_count; i++) {
        struct snapshot_device *device = &snapshot->devices[i];
        for (size_t k = 0; k < device->dump_count; k++) {
            if (device->dumps[k].file >= 0) close(device->dumps[k].file);
            free(device->dumps[k].path);
        }
        free(device->dumps);
        free(device->pages);
        free(device->path);
        ini_free(&device->ini);
    }
    for (size_t i = 0; i < snapshot->buffer_count; i++) {
        free(snapshot->buffers[i].path);
        free(snapshot->buffers[i].sources);
    }
    free(snapshot->devices);
    free(snapshot->buffers);
    ini_free(&snapshot->list);
    ini_free(&snapshot->trace);
    free(snapshot->list_path);
    free(snapshot->trace_path);
    free(snapshot->folder);
    free(snapshot);
}

const char *snapshot_file(const struct snapshot *snapshot, size_t index)
{
    if (index-- == 0) return snapshot->list_path;
    if (index-- == 0) return snapshot->trace_path;
    if (index < snapshot->buffer_count) return snapshot->buffers[index].path;
    index -= snapshot->buffer_count;
    for (size_t i = 0; i < snapshot->device_count; i++) {
        const struct snapshot_device *device = &snapshot->devices[i];
        if (index-- == 0) return device->path;
        if (index < device->dump_count) return device->dumps[index].path;
        index -= device->dump_count;
    }
    return NULL;
}
