/* SPDX-License-Identifier: MIT */
/*
 * silicon/snapshot.h: a CoreSight snapshot, a folder with the buffers of a trace, the registers of
 * what wrote it, and the memory of the processors.
 *
 * snapshot.ini lists the files of devices and names that of the trace (trace.ini): buffers, the
 * sources that wrote each, and the processor of each source.  Cores have memory dumps.  All files
 * lie in the folder or below it.
 */
#ifndef SPOOR_SILICON_SNAPSHOT_H
#define SPOOR_SILICON_SNAPSHOT_H

#include "silicon/ini.h"
#include "spoor/error.h"

/* A file of memory, a part of the address space. */
struct snapshot_dump {
    char *path;
    int file; /* -1: it is not there */
    uint64_t address, size, offset;
    uint32_t spaces; /* enum snapshot_space */
};
/* Worlds and exception levels that a dump is the memory of: the bits of libopencsd. */
enum snapshot_space {
    SPACE_EL1S = 1 << 0,
    SPACE_EL1N = 1 << 1,
    SPACE_EL2N = 1 << 2,
    SPACE_EL3 = 1 << 3,
    SPACE_EL2S = 1 << 4,
    SPACE_SECURE = SPACE_EL1S | SPACE_EL2S | SPACE_EL3,
    SPACE_NON_SECURE = SPACE_EL1N | SPACE_EL2N,
    SPACE_ANY = SPACE_SECURE | SPACE_NON_SECURE,
};

struct snapshot_device {
    char *path;
    struct ini ini;
    const char *name, *class, *type; /* "" where absent */
    struct snapshot_dump *dumps;
    size_t dump_count, dump_capacity;
    struct memory_page *pages; /* that were read last */
    /* Where it is not NULL, memory is read by it, with `context`, instead of from dumps. */
    size_t (*read)(void *context, uint64_t address, void *to, size_t size);
    void *context;
    size_t core; /* of a source: the number of its core; NO_DEVICE: none */
};
#define NO_DEVICE SIZE_MAX

enum snapshot_format {
    SNAPSHOT_RAW,    /* source_data: the bytes of one source */
    SNAPSHOT_FRAMES, /* coresight: frames of 16 bytes */
    SNAPSHOT_SYNCED, /* dstream_coresight: frames with synchronisation packets between them */
};
struct snapshot_buffer {
    const char *name;
    char *path;
    enum snapshot_format format;
    /* Where it is not NULL, its bytes are these instead of those of a file. */
    size_t (*read)(const void *context, uint64_t offset, void *to, size_t size);
    const void *context;
    size_t *sources;     /* numbers of devices */
    const char *unknown; /* a source that no file describes; NULL: none */
    size_t source_count, source_capacity;
};

struct snapshot {
    const char *magic; /* of the header of its elements; NULL: that of CoreSight */
    char *folder;
    struct ini list, trace;
    char *list_path, *trace_path;
    struct snapshot_device *devices;
    size_t device_count, device_capacity;
    struct snapshot_buffer *buffers;
    size_t buffer_count, buffer_capacity;
};

/* True for the first bytes of a file snapshot.ini. */
bool snapshot_is(const void *bytes, size_t size);
/* True for a folder with a file snapshot.ini. */
bool snapshot_is_folder(const char *path);

/* `path`: the folder, or its file snapshot.ini.  NULL: `error` is filled. */
struct snapshot *snapshot_open(const char *path, struct spoor_error *error);
void snapshot_close(struct snapshot *snapshot);
/* The path of a file of the snapshot; NULL past the last. */
const char *snapshot_file(const struct snapshot *snapshot, size_t index);

/* The value of a register of a device; false: it is not stated, or no number of 32 bits. */
bool snapshot_register(const struct snapshot_device *device, const char *name, uint32_t *value);
/* An empty snapshot, and parts that are added to it: a device of a text `regs`, lines
 * "REGISTER=VALUE", whose name and type are copied; a buffer of one source, with a name that is
 * copied.  NULL: memory ran out. */
struct snapshot *snapshot_new(void);
struct snapshot_device *snapshot_new_device(struct snapshot *snapshot, const char *name,
                                            const char *type, const char *regs);
struct snapshot_buffer *snapshot_new_buffer(struct snapshot *snapshot, const char *name);
/* False: memory ran out. */
bool snapshot_add_source(struct snapshot_buffer *buffer, size_t device);

/* Reads memory of a core, in one of these spaces; returns the bytes read, up to the end of a dump:
 * 0: no dump has the address. */
size_t snapshot_read_memory(struct snapshot_device *core, uint64_t address, uint32_t spaces,
                            void *to, size_t size);

#endif
