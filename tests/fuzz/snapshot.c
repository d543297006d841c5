/* SPDX-License-Identifier: MIT */
/*
 * snapshot.c: the fuzz target of CoreSight snapshots: files of a folder, each after a line
 * "=== NAME".  Whatever they are, opening returns a snapshot or a sentence, and memory is read
 * inside its dumps; where libopencsd is there, decoding ends, its elements do not depend on how
 * many bytes are asked for at a time, and the format reads each of them.
 */
#include "silicon/snapshot.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "fuzz/fuzz.h"
#include "silicon/coresight.h"
#include "silicon/element.h"
#include "spoor/spoor.h"
#include "support/trace.h"

enum { MOST_FILES = 8, MOST_BYTES = 4 << 20 };

struct files {
    const char *folder;
    char paths[MOST_FILES][128];
    unsigned count;
};

static void write_file(struct files *files, const char *name, size_t name_size,
                       const uint8_t *bytes, size_t size)
{
    char *path = files->paths[files->count];
    if (files->count == MOST_FILES || name_size == 0 || name_size > 32) return;
    if (memchr(name, '/', name_size) || memchr(name, 0, name_size) || *name == '.') return;
    snprintf(path, sizeof files->paths[0], "%s/%.*s", files->folder, (int)name_size, name);
    FILE *file = fopen(path, "wb");
    DEMAND(file, "%s cannot be written", path);
    if (size) fwrite(bytes, 1, size, file);
    fclose(file);
    files->count++;
}

static void write_files(struct files *files, const uint8_t *bytes, size_t size)
{
    static const char mark[] = "=== ";
    enum { MARK = sizeof mark - 1 };
    const uint8_t *at = bytes, *end = bytes + size;
    while ((size_t)(end - at) > MARK && memcmp(at, mark, MARK) == 0) {
        const uint8_t *name = at + MARK;
        const uint8_t *line = memchr(name, '\n', (size_t)(end - name));
        if (!line) return;
        const uint8_t *next = memmem(line, (size_t)(end - line), "\n=== ", MARK + 1);
        const uint8_t *last = next ? next : end;
        if (last > line) line++;
        write_file(files, (const char *)name, (size_t)(line - name - 1), line,
                   (size_t)(last - line));
        if (!next) return;
        at = next + 1;
    }
}

static void ask_memory(const char *path)
{
    struct spoor_error error = {0};
    struct snapshot *snapshot = snapshot_open(path, &error);
    DEMAND(snapshot || error.text[0], "no snapshot, and no reason");
    for (size_t i = 0; snapshot && i < snapshot->device_count; i++) {
        struct snapshot_device *device = &snapshot->devices[i];
        uint8_t bytes[64];
        for (size_t k = 0; k < device->dump_count; k++) {
            const struct snapshot_dump *dump = &device->dumps[k];
            const size_t read =
                snapshot_read_memory(device, dump->address, dump->spaces, bytes, sizeof bytes);
            DEMAND(read <= sizeof bytes, "more than was asked for");
            snapshot_read_memory(device, dump->address + dump->size - 1, SPACE_ANY, bytes, 2);
        }
    }
    for (size_t i = 0; snapshot && snapshot_file(snapshot, i); i++)
        DEMAND(!strstr(snapshot_file(snapshot, i) + strlen(path), "/../"), "a file outside");
    snapshot_close(snapshot);
}

static bool read_all(const char *path, const struct coresight_options *options, size_t capacity,
                     struct text *out)
{
    struct spoor_error error = {0};
    struct coresight *coresight = coresight_open(path, options, &error);
    DEMAND(coresight || error.text[0], "no trace, and no reason");
    if (!coresight) return false;
    enum spoor_status status;
    do {
        size_t more;
        char *at = text_reserve(out, capacity);
        DEMAND(at, "memory");
        status = coresight_read(coresight, at, capacity, &more, &error);
        text_commit(out, at + more);
        DEMAND(more == capacity || status != SPOOR_OK, "less than was asked for");
    } while (status == SPOOR_OK && out->size < MOST_BYTES);
    coresight_close(coresight);
    return status == SPOOR_END;
}

/* Each element is one, and damage is the only fault. */
static void demand_elements(const struct text *text)
{
    struct trace trace;
    size_t damage = 0, size;
    for (size_t at = 0; at < text->size; at += size) {
        size = element_size(text->bytes + at, text->size - at);
        DEMAND(size && size != SIZE_MAX, "no element at %zu", at);
        damage += (uint8_t)text->bytes[at] == ELEMENT_DAMAGE;
    }
    trace_decode(&trace, spoor_format_find("coresight"), text->bytes, text->size);
    DEMAND(trace.batch.fault_count == damage, "%zu faults, and %zu elements of damage",
           (size_t)trace.batch.fault_count, damage);
    trace_free(&trace);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char folder[64];
    struct files files = {.folder = folder};
    struct text whole = {0}, parts = {0};
    /* parts so small that a buffer has several */
    const struct coresight_options one = {.threads = 1, .part_size = 64};
    const struct coresight_options several = {.threads = 3, .part_size = 64};
    const char *temporary = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%.40s/spoor-XXXXXX", temporary ? temporary : "/tmp");
    DEMAND(mkdtemp(folder), "%s cannot be made", folder);
    write_files(&files, bytes, size);
    ask_memory(folder);
    if (read_all(folder, &one, MOST_BYTES, &whole)) {
        demand_elements(&whole);
        DEMAND(read_all(folder, &several, 1 + fuzz_hash(bytes, size) % 4096, &parts),
               "another end");
        DEMAND(whole.size == parts.size && memcmp(whole.bytes, parts.bytes, whole.size) == 0,
               "other elements in parts");
    }
    for (unsigned i = 0; i < files.count; i++) unlink(files.paths[i]);
    rmdir(folder);
    text_free(&whole);
    text_free(&parts);
    return 0;
}
