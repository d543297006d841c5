/* SPDX-License-Identifier: MIT */
/*
 * threads.c: the files of threads or cores that a directory of drmemtrace holds.
 *
 * DynamoRIO's reader begins with the file whose first timestamp is least, and at each timestamp
 * continues with the file whose next timestamp is least.
 */
#include "formats/drmemtrace/drmemtrace.h"
#include "formats/thread_files.h"

/* "drmemtrace.PROGRAM.THREAD.NUMBER.trace.zip"; "ID.THREAD.memtrace.zip" of Google's traces. */
static bool threads_is_name(const char *name)
{
    static const char producer[] = "drmemtrace.";
    return strncmp(name, producer, sizeof producer - 1) == 0 || strstr(name, ".memtrace.");
}

static bool threads_begins(const char *bytes, size_t size)
{
    enum { VERSIONS = 99 };
    if (size < DRM_ENTRY) return false;
    const struct drm_entry entry = drm_load(bytes);
    return entry.type == DRM_HEADER && entry.size == 0 && entry.value > 0 &&
           entry.value <= VERSIONS;
}

/* The first four bytes of a timestamp. */
#define TIMESTAMP (DRM_MARKER | (uint32_t)DRM_TIMESTAMP << 16)

static uint64_t threads_first_time(const char *bytes, size_t size)
{
    for (size_t at = 0; size - at >= DRM_ENTRY; at += DRM_ENTRY) {
        const struct drm_entry entry = drm_load(bytes + at);
        if (entry.type == DRM_MARKER && entry.size == DRM_TIMESTAMP) return entry.value;
    }
    return 0;
}

static size_t threads_run(struct thread_file *file, const char *bytes, size_t size, bool *ends)
{
    *ends = false;
    for (size_t at = 0; size - at >= DRM_ENTRY; at += DRM_ENTRY) {
        uint32_t head;
        memcpy(&head, bytes + at, sizeof head);
        const uint16_t type = (uint16_t)head;
        if (head != TIMESTAMP && type != DRM_THREAD && type != DRM_PID) continue;
        const struct drm_entry entry = drm_load(bytes + at);
        if (type == DRM_THREAD) file->thread = entry.value;
        if (type == DRM_PID) file->process = entry.value;
        if (type != DRM_MARKER) continue;
        if (file->at == RUN_INSIDE) { /* the run ends before this time */
            file->at = RUN_NEXT;
            file->time = entry.value;
            *ends = true;
            return at;
        }
        file->at = RUN_INSIDE;
    }
    return size / DRM_ENTRY * DRM_ENTRY;
}

static size_t threads_enter(const struct thread_file *file, char to[THREAD_ENTER_MAX])
{
    char *end = drm_store(to, DRM_THREAD, 0, file->thread);
    return (size_t)(drm_store(end, DRM_PID, 0, file->process) - to);
}

const struct thread_files thread_files_drmemtrace = {
    .entry = DRM_ENTRY,
    .is_name = threads_is_name,
    .begins = threads_begins,
    .first_time = threads_first_time,
    .run = threads_run,
    .enter = threads_enter,
};
