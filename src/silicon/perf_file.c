/* SPDX-License-Identifier: MIT */
/*
 * perf_file.c: the header, the attributes and the records of a file perf.data.
 *
 * Sizes and offsets are those of a file that may be damaged: each is checked against the bytes that
 * are there, and after a record that cannot be one, the next that can be is searched.
 */
#include "silicon/perf_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef SPOOR_WITH_ZSTD
#include <zstd.h>
#endif

#include "base/array.h"
#include "model/error.h"

enum {
    HEADER = 104,
    PIPE_HEADER = 16,
    RECORD = 8,      /* bytes of a record's header */
    ATTR_FIRST = 64, /* bytes of the first version of an attribute */
    ID_SIZE = 20,
    INFLATED = 1 << 20, /* bytes that are inflated at once */
    MOST_IDS = 1 << 24,
};
enum perf_feature {
    FEATURE_BUILD_ID = 2,
    FEATURE_CPUID = 11,
    FEATURE_EVENTS = 12,
    FEATURES = 256,
};
#define PERF_MAGIC UINT64_C(0x32454c4946524550) /* "PERFILE2" */

bool perf_file_is(const void *bytes, size_t size)
{
    uint64_t magic;
    if (size < sizeof magic) return false;
    memcpy(&magic, bytes, sizeof magic);
    return magic == PERF_MAGIC || magic == __builtin_bswap64(PERF_MAGIC);
}

/* ---- attributes ---- */

static uint64_t perf_word(const uint8_t *at, size_t size, size_t offset)
{
    return offset + sizeof(uint64_t) <= size ? perf_u64(at + offset) : 0;
}

/* Adds the attribute of `size` bytes; its ids are counted, and may lie anywhere. */
static bool perf_add_attr(struct perf_file *file, const uint8_t *at, size_t size,
                          const uint8_t *ids, size_t id_count)
{
    if (!array_reserve_zeroed(&file->attrs, &file->attr_capacity, file->attr_count + 1))
        return false;
    struct perf_attr *attr = &file->attrs[file->attr_count];
    *attr = (struct perf_attr){.type = perf_u32(at),
                               .config = perf_word(at, size, 8),
                               .period = perf_word(at, size, 16),
                               .sample_type = perf_word(at, size, 24),
                               .read_format = perf_word(at, size, 32),
                               .flags = perf_word(at, size, 40),
                               .branch_type = perf_word(at, size, 72),
                               .regs_user = perf_word(at, size, 80),
                               .regs_intr = perf_word(at, size, 96)};
    attr->ids = malloc((id_count + 1) * sizeof *attr->ids);
    if (!attr->ids) return false;
    if (id_count) memcpy(attr->ids, ids, id_count * sizeof *attr->ids);
    attr->id_count = id_count;
    file->attr_count++;
    return true;
}

static struct perf_attr *perf_find_attr(const struct perf_file *file, uint64_t id)
{
    for (size_t i = 0; i < file->attr_count; i++)
        for (size_t k = 0; k < file->attrs[i].id_count; k++)
            if (file->attrs[i].ids[k] == id) return &file->attrs[i];
    return NULL;
}

static bool perf_name_attr(struct perf_attr *attr, const uint8_t *name, size_t size)
{
    if (!attr || !memchr(name, 0, size)) return true;
    free(attr->name);
    attr->name = strdup((const char *)name);
    return attr->name;
}

/* The name that perf gives to an event without one. */
static bool perf_make_name(struct perf_attr *attr)
{
    static const char *const hardware[] = {"cycles",
                                           "instructions",
                                           "cache-references",
                                           "cache-misses",
                                           "branches",
                                           "branch-misses",
                                           "bus-cycles",
                                           "stalled-cycles-frontend",
                                           "stalled-cycles-backend",
                                           "ref-cycles"};
    static const char *const software[] = {
        "cpu-clock",        "task-clock",   "page-faults",  "context-switches",
        "cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
        "emulation-faults", "dummy",        "bpf-output"};
    enum { HARDWARE, SOFTWARE, RAW = 4 };
    enum { EXCLUDE_USER = 1 << 4, EXCLUDE_KERNEL = 1 << 5, EXCLUDE_HV = 1 << 6, PRECISE = 15 };
    char name[80];
    const char *word = NULL;
    if (attr->name) return true;
    if (attr->type == HARDWARE && attr->config < sizeof hardware / sizeof *hardware)
        word = hardware[attr->config];
    if (attr->type == SOFTWARE && attr->config < sizeof software / sizeof *software)
        word = software[attr->config];
    const unsigned precise = attr->flags >> PRECISE & 3;
    const bool excludes = attr->flags & (EXCLUDE_USER | EXCLUDE_KERNEL | EXCLUDE_HV);
    if (word)
        snprintf(name, sizeof name, "%s%s%s%s%s%.*s", word, excludes || precise ? ":" : "",
                 excludes && !(attr->flags & EXCLUDE_KERNEL) ? "k" : "",
                 excludes && !(attr->flags & EXCLUDE_USER) ? "u" : "",
                 excludes && !(attr->flags & EXCLUDE_HV) ? "h" : "", (int)precise, "ppp");
    else if (attr->type == RAW)
        snprintf(name, sizeof name, "raw 0x%" PRIx64, attr->config);
    else
        snprintf(name, sizeof name, "type %" PRIu32 " config 0x%" PRIx64, attr->type, attr->config);
    attr->name = strdup(name);
    return attr->name;
}

static bool perf_make_names(struct perf_file *file)
{
    bool good = true;
    for (size_t i = 0; i < file->attr_count; i++) good &= perf_make_name(&file->attrs[i]);
    return good;
}

/* ---- the header ---- */

/* The part of the file; false: it is not all there. */
static bool perf_part(const struct perf_file *file, uint64_t offset, uint64_t size,
                      const uint8_t **at)
{
    if (offset > file->size || size > file->size - offset) return false;
    *at = file->bytes + offset;
    return true;
}

static bool perf_read_attrs(struct perf_file *file)
{
    const uint64_t each = perf_u64(file->bytes + 16), offset = perf_u64(file->bytes + 24);
    const uint64_t size = perf_u64(file->bytes + 32);
    const uint8_t *at;
    enum { SECTION = 16 };
    if (each < ATTR_FIRST + SECTION || each > UINT16_MAX || !perf_part(file, offset, size, &at)) {
        snprintf(file->damage, sizeof file->damage,
                 "offset %" PRIu64 ": %" PRIu64 " bytes of attributes of %" PRIu64
                 ", in a file of %zu",
                 offset, size, each, file->size);
        return true;
    }
    for (uint64_t i = 0; i + each <= size; i += each) {
        const uint8_t *ids = NULL, *section = at + i + each - SECTION;
        const uint64_t id_offset = perf_u64(section), id_size = perf_u64(section + 8);
        const bool there =
            perf_part(file, id_offset, id_size, &ids) && id_size / sizeof(uint64_t) < MOST_IDS;
        if (!there)
            snprintf(file->damage, sizeof file->damage,
                     "offset %" PRIu64 ": %" PRIu64 " bytes of ids, in a file of %zu", id_offset,
                     id_size, file->size);
        if (!perf_add_attr(file, at + i, (size_t)each - SECTION, ids,
                           there ? (size_t)id_size / sizeof(uint64_t) : 0))
            return false;
    }
    return true;
}

static bool perf_read_build_ids(struct perf_file *file, const uint8_t *at, uint64_t size)
{
    enum { PATH = 36, SIZE_AT = 32, ID_AT = 12 };
    while (size >= RECORD) {
        const uint64_t length = perf_u16(at + 6);
        if (length <= PATH || length > size) return true;
        if (!memchr(at + PATH, 0, (size_t)length - PATH)) return true;
        if (!array_reserve(&file->build_ids, &file->build_id_capacity, file->build_id_count + 1))
            return false;
        struct perf_build_id *id = &file->build_ids[file->build_id_count++];
        unsigned count = perf_u16(at + 4) & PERF_MISC_ID_SIZE ? at[SIZE_AT] : ID_SIZE;
        if (count > ID_SIZE) count = ID_SIZE;
        *id = (struct perf_build_id){.process = (int32_t)perf_u32(at + 8),
                                     .path = (const char *)at + PATH};
        for (unsigned i = 0; i < count; i++)
            snprintf(id->digits + (size_t)2 * i, 3, "%02x", at[ID_AT + i]);
        at += length;
        size -= length;
    }
    return true;
}

/* Names of events by their ids. */
static bool perf_read_event_names(struct perf_file *file, const uint8_t *at, uint64_t size)
{
    if (size < 8) return true;
    const uint32_t count = perf_u32(at), attr_size = perf_u32(at + 4);
    uint64_t left = size - 8;
    at += 8;
    for (uint32_t i = 0; i < count; i++) {
        if (attr_size > left || left - attr_size < 8) return true;
        const uint8_t *ids = at + attr_size;
        const uint32_t id_count = perf_u32(ids), length = perf_u32(ids + 4);
        left -= attr_size + 8;
        at = ids + 8;
        if (length > left || (left - length) / sizeof(uint64_t) < id_count) return true;
        const uint8_t *first = at + length;
        struct perf_attr *attr = id_count ? perf_find_attr(file, perf_u64(first)) : NULL;
        if (!attr && i < file->attr_count && !file->attrs[i].id_count) attr = &file->attrs[i];
        if (!perf_name_attr(attr, at, length)) return false;
        at = first + id_count * sizeof(uint64_t);
        left -= length + id_count * sizeof(uint64_t);
    }
    return true;
}

static void perf_read_cpuid(struct perf_file *file, const uint8_t *at, uint64_t size)
{
    char text[64] = "";
    if (size <= 4) return;
    memcpy(text, at + 4, size - 4 < sizeof text ? (size_t)size - 4 : sizeof text - 1);
    unsigned family, model, stepping;
    if (sscanf(text, "GenuineIntel,%u,%u,%u", &family, &model, &stepping) != 3) return;
    file->cpu_family = family;
    file->cpu_model = model;
    file->cpu_stepping = stepping;
}

static bool perf_read_feature(struct perf_file *file, unsigned feature, const uint8_t *at,
                              uint64_t size)
{
    if (feature == FEATURE_BUILD_ID) return perf_read_build_ids(file, at, size);
    if (feature == FEATURE_EVENTS) return perf_read_event_names(file, at, size);
    if (feature == FEATURE_CPUID) perf_read_cpuid(file, at, size);
    return true;
}

/* A table of sections after the records, one for each bit that is set. */
static bool perf_read_features(struct perf_file *file)
{
    enum { BITS = 72, SECTION = 16 };
    uint64_t at = file->end;
    for (unsigned i = 0; i < FEATURES; i++) {
        const uint8_t *section, *content;
        if (!(file->bytes[BITS + i / 8] >> i % 8 & 1)) continue;
        if (!perf_part(file, at, SECTION, &section)) break;
        at += SECTION;
        if (!perf_part(file, perf_u64(section), perf_u64(section + 8), &content)) {
            snprintf(file->damage, sizeof file->damage,
                     "offset %" PRIu64 ": %" PRIu64 " bytes of feature %u, in a file of %zu",
                     perf_u64(section), perf_u64(section + 8), i, file->size);
            continue;
        }
        if (!perf_read_feature(file, i, content, perf_u64(section + 8))) return false;
    }
    return true;
}

enum spoor_status perf_file_open(struct perf_file *file, const char *path, const void *bytes,
                                 size_t size, struct spoor_error *error)
{
    *file = (struct perf_file){.path = path, .bytes = bytes, .size = size};
    if (size < PIPE_HEADER)
        return spoor_error_set(error, SPOOR_EINPUT,
                               "%s: found %zu bytes, expected the header of perf.data", path, size);
    if (perf_u64(file->bytes) != PERF_MAGIC)
        return spoor_error_set(error, SPOOR_EINPUT,
                               "%s: found a perf.data of a machine of the other byte order, "
                               "expected one of this machine's",
                               path);
    const uint64_t header = perf_u64(file->bytes + 8);
    file->pipe = header == PIPE_HEADER;
    file->begin = PIPE_HEADER;
    file->end = size;
    if (file->pipe) return SPOOR_OK;
    if (header < HEADER || size < HEADER)
        return spoor_error_set(error, SPOOR_EINPUT,
                               "%s: found a header of %" PRIu64 " bytes in a file of %zu, expected "
                               "16 or 104",
                               path, header, size);
    const uint64_t offset = perf_u64(file->bytes + 40), data = perf_u64(file->bytes + 48);
    file->begin = offset < size ? offset : size;
    if (data && data <= size - file->begin) {
        file->end = file->begin + data;
    } else {
        file->end = size;
        snprintf(file->damage, sizeof file->damage,
                 "offset %" PRIu64 ": %" PRIu64 " bytes of records, in a file of %zu%s", offset,
                 data, size, data ? "" : ": perf did not finish it");
    }
    const bool good = perf_read_attrs(file) && (file->end == size || perf_read_features(file)) &&
                      perf_make_names(file);
    return good ? SPOOR_OK : error_no_memory_while(error, path, "reading");
}

void perf_file_close(struct perf_file *file)
{
    for (size_t i = 0; i < file->attr_count; i++) {
        free(file->attrs[i].ids);
        free(file->attrs[i].name);
    }
    free(file->attrs);
    free(file->build_ids);
    *file = (struct perf_file){.size = 0};
}

/* ---- records ---- */

void perf_cursor_start(struct perf_cursor *cursor, struct perf_file *file)
{
    *cursor = (struct perf_cursor){.file = file, .at = file->begin};
}

void perf_cursor_stop(struct perf_cursor *cursor)
{
    text_free(&cursor->inflated);
#ifdef SPOOR_WITH_ZSTD
    ZSTD_freeDStream(cursor->inflater);
#endif
    cursor->inflater = NULL;
}

/* True if a record may begin here: of a type that there is, and of a size that there may be. */
static bool perf_may_begin(const struct perf_file *file, uint64_t at)
{
    if (at == file->end) return true;
    if (file->end - at < RECORD) return false;
    const uint32_t type = perf_u32(file->bytes + at);
    const uint16_t size = perf_u16(file->bytes + at + 6);
    return ((type > 0 && type < PERF_KERNEL_TYPES) ||
            (type >= PERF_HEADER_ATTR && type < PERF_USER_TYPES)) &&
           size >= RECORD && size % 8 == 0 && size <= file->end - at;
}

static enum perf_step perf_cursor_damage(struct perf_cursor *cursor, const char *what,
                                         uint64_t offset, uint64_t size)
{
    snprintf(cursor->damage, sizeof cursor->damage, "offset %" PRIu64 ": %" PRIu64 " bytes of %s",
             offset, size, what);
    return PERF_STEP_DAMAGE;
}

/* After a record that is none: to two that may follow each other. */
static enum perf_step perf_cursor_search(struct perf_cursor *cursor)
{
    const struct perf_file *file = cursor->file;
    const uint64_t from = cursor->at;
    uint64_t at = from + RECORD;
    for (; at < file->end && file->end - at >= RECORD; at += RECORD)
        if (perf_may_begin(file, at) && perf_may_begin(file, at + perf_u16(file->bytes + at + 6)))
            break;
    if (at > file->end || file->end - at < RECORD) at = file->end;
    cursor->at = at;
    return perf_cursor_damage(cursor, "no record", from, at - from);
}

/* Inflates some more; what was not used of it stays. */
static enum perf_step perf_cursor_inflate(struct perf_cursor *cursor)
{
    const uint64_t offset = cursor->packed_offset;
#ifdef SPOOR_WITH_ZSTD
    struct text *to = &cursor->inflated;
    if (cursor->inflated_at && to->bytes) {
        memmove(to->bytes, to->bytes + cursor->inflated_at, to->size - cursor->inflated_at);
        to->size -= cursor->inflated_at;
        cursor->inflated_at = 0;
    }
    if (!cursor->inflater) {
        cursor->inflater = ZSTD_createDStream();
        if (!cursor->inflater) return PERF_STEP_MEMORY;
        ZSTD_initDStream(cursor->inflater);
    }
    char *at = text_reserve(to, INFLATED);
    if (!at) return PERF_STEP_MEMORY;
    ZSTD_inBuffer in = {cursor->packed, cursor->packed_size, 0};
    ZSTD_outBuffer out = {at, INFLATED, 0};
    const size_t result = ZSTD_decompressStream(cursor->inflater, &out, &in);
    text_commit(to, at + out.pos);
    cursor->packed += in.pos;
    cursor->packed_size -= in.pos;
    const bool more = out.pos == INFLATED; /* the decoder may hold what had no room */
    if (!ZSTD_isError(result) && (in.pos || out.pos || !cursor->packed_size)) {
        if (!cursor->packed_size && !more) cursor->packed = NULL;
        return PERF_STEP_EVENT;
    }
#endif
    const size_t left = cursor->packed_size;
    cursor->packed = NULL;
    cursor->lost = true;
#ifdef SPOOR_WITH_ZSTD
    return perf_cursor_damage(cursor, "no zstd", offset, left);
#else
    return perf_cursor_damage(
        cursor, "zstd, which this spoor was built without (install libzstd-dev and build again)",
        offset, left);
#endif
}

/* The next record of what was compressed.  END: there is none. */
static enum perf_step perf_cursor_inflated(struct perf_cursor *cursor, struct perf_event *event)
{
    for (;;) {
        const size_t left = cursor->inflated.size - cursor->inflated_at;
        const uint8_t *at =
            left ? (const uint8_t *)cursor->inflated.bytes + cursor->inflated_at : NULL;
        const size_t size = left >= RECORD ? perf_u16(at + 6) : RECORD;
        if (left >= RECORD && size < RECORD) {
            cursor->inflated_at = cursor->inflated.size;
            return perf_cursor_damage(cursor, "no record, after inflating", cursor->packed_offset,
                                      left);
        }
        if (at && left >= size && left >= RECORD) {
            *event = (struct perf_event){.type = perf_u32(at),
                                         .misc = perf_u16(at + 4),
                                         .at = at,
                                         .size = size,
                                         .offset = cursor->packed_offset};
            cursor->inflated_at += size;
            return PERF_STEP_EVENT;
        }
        if (!cursor->packed) return PERF_STEP_END;
        const enum perf_step step = perf_cursor_inflate(cursor);
        if (step != PERF_STEP_EVENT) return step;
    }
}

/* The next record of the file itself. */
static enum perf_step perf_cursor_plain(struct perf_cursor *cursor, struct perf_event *event)
{
    const struct perf_file *file = cursor->file;
    enum { SIZE = 8, AUX_FIELDS = 48 };
    if (cursor->cut) {
        const uint64_t cut = cursor->cut;
        cursor->cut = 0;
        return perf_cursor_damage(cursor, "AUX data, after the end", file->end, cut);
    }
    if (cursor->at >= file->end) return PERF_STEP_END;
    const uint64_t left = file->end - cursor->at;
    const uint8_t *at = file->bytes + cursor->at;
    const size_t size = left >= RECORD ? perf_u16(at + 6) : 0;
    if (left < RECORD) {
        cursor->at = file->end;
        return perf_cursor_damage(cursor, "a record that goes on", file->end - left, left);
    }
    if (size < RECORD || size > left) return perf_cursor_search(cursor);
    *event = (struct perf_event){.type = perf_u32(at),
                                 .misc = perf_u16(at + 4),
                                 .at = at,
                                 .size = size,
                                 .offset = cursor->at};
    uint64_t payload = 0;
    if (event->type == PERF_AUXTRACE && size >= AUX_FIELDS) payload = perf_u64(at + SIZE);
    if (event->type == PERF_TRACING_DATA && size >= SIZE + 4)
        payload = (perf_u32(at + SIZE) + UINT64_C(7)) & ~UINT64_C(7);
    event->payload = at + size;
    event->payload_size = payload < left - size ? payload : left - size;
    if (event->type == PERF_AUXTRACE) cursor->cut = payload - event->payload_size;
    cursor->at += size + event->payload_size;
    return PERF_STEP_EVENT;
}

/* Notes what a record says of the file. */
static bool perf_file_note(struct perf_file *file, const struct perf_event *event)
{
    const uint8_t *at = event->at + RECORD;
    const size_t size = event->size - RECORD;
    enum { NAME = 2, SIZE_AT = 4, CONV = 24 };
    if (event->offset < file->noted) return true; /* another cursor was here */
    file->noted = event->offset + 1;
    switch (event->type) {
    case PERF_HEADER_ATTR: {
        if (!file->pipe || size < ATTR_FIRST) return true;
        const size_t attr = perf_u32(at + SIZE_AT);
        if (attr < ATTR_FIRST || attr > size) return true;
        return perf_add_attr(file, at, attr, at + attr, (size - attr) / sizeof(uint64_t)) &&
               perf_make_names(file);
    }
    case PERF_EVENT_UPDATE:
        if (size < 16 || perf_u64(at) != NAME) return true;
        return perf_name_attr(perf_find_attr(file, perf_u64(at + 8)), at + 16, size - 16);
    case PERF_FEATURE:
        if (size < 8 || perf_u64(at) >= FEATURES) return true;
        return perf_read_feature(file, (unsigned)perf_u64(at), at + 8, size - 8);
    case PERF_BUILD_ID:
        /* as in the feature, with a header of its own; it stays where it is in the file */
        return perf_read_build_ids(file, event->at, event->size);
    case PERF_AUXTRACE_INFO:
        if (size < 8 || file->aux_info) return true;
        file->aux_type = perf_u32(at);
        file->aux_info = at + 8;
        file->aux_info_size = size - 8;
        return true;
    case PERF_TIME_CONV:
        if (size < CONV) return true;
        file->time_shift = perf_u64(at);
        file->time_mult = perf_u64(at + 8);
        file->time_zero = perf_u64(at + 16);
        file->has_time = file->time_shift < 64;
        return true;
    default: return true;
    }
}

enum perf_step perf_cursor_next(struct perf_cursor *cursor, struct perf_event *event)
{
    for (;;) {
        enum perf_step step = perf_cursor_inflated(cursor, event);
        if (step == PERF_STEP_EVENT || step == PERF_STEP_DAMAGE || step == PERF_STEP_MEMORY)
            return step;
        step = perf_cursor_plain(cursor, event);
        if (step == PERF_STEP_END && cursor->inflated.size > cursor->inflated_at) {
            const size_t left = cursor->inflated.size - cursor->inflated_at;
            cursor->inflated_at = cursor->inflated.size;
            return perf_cursor_damage(cursor, "a record that goes on", cursor->packed_offset, left);
        }
        if (step != PERF_STEP_EVENT) return step;
        const bool sized = event->type == PERF_COMPRESSED2;
        if (event->type != PERF_COMPRESSED && !sized)
            return perf_file_note(cursor->file, event) ? step : PERF_STEP_MEMORY;
        if (cursor->lost) continue; /* which a sentence said */
        const size_t before = RECORD + (sized ? sizeof(uint64_t) : 0);
        if (event->size < before)
            return perf_cursor_damage(cursor, "a compressed record", event->offset, event->size);
        cursor->packed = event->at + before;
        cursor->packed_size = event->size - before;
        if (sized && perf_u64(event->at + RECORD) < cursor->packed_size)
            cursor->packed_size = (size_t)perf_u64(event->at + RECORD);
        cursor->packed_offset = event->offset;
    }
}

/* ---- fields ---- */

enum {
    ALL_IDS = 1 << 18, /* flag of an attribute: records that are no samples have an id, too */
    HAS_ID = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM |
             PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER,
};

void perf_event_id(const struct perf_file *file, const struct perf_event *event,
                   struct perf_sample_id *id)
{
    *id = (struct perf_sample_id){.has_time = false};
    if (!file->attr_count) return;
    const struct perf_attr *attr = &file->attrs[0];
    if (attr->sample_type & PERF_SAMPLE_IDENTIFIER && event->size >= RECORD + 8) {
        const struct perf_attr *own = perf_find_attr(file, perf_u64(event->at + event->size - 8));
        if (own) attr = own;
    }
    if (!(attr->flags & ALL_IDS)) return;
    const uint64_t type = attr->sample_type & HAS_ID;
    size_t left = event->size - RECORD;
    const uint8_t *at = event->at + event->size;
    if ((size_t)__builtin_popcountll(type) * sizeof(uint64_t) > left) return;
    if (type & PERF_SAMPLE_IDENTIFIER) at -= 8;
    if (type & PERF_SAMPLE_CPU) {
        at -= 8;
        id->cpu = perf_u32(at);
        id->has_cpu = true;
    }
    if (type & PERF_SAMPLE_STREAM) at -= 8;
    if (type & PERF_SAMPLE_ID) at -= 8;
    if (type & PERF_SAMPLE_TIME) {
        at -= 8;
        id->time = perf_u64(at);
        id->has_time = true;
    }
    if (type & PERF_SAMPLE_TID) {
        at -= 8;
        id->process = perf_u32(at);
        id->thread = perf_u32(at + 4);
        id->has_thread = true;
    }
}

/* The words of a sample, one after another. */
struct perf_words {
    const uint8_t *at, *end;
    bool failed;
};

static const uint8_t *perf_skip(struct perf_words *words, uint64_t size)
{
    const uint8_t *at = words->at;
    if (size > (uint64_t)(words->end - at)) {
        words->failed = true;
        words->at = words->end;
        return NULL;
    }
    words->at += size;
    return at;
}

static uint64_t perf_next_u64(struct perf_words *words)
{
    const uint8_t *at = perf_skip(words, sizeof(uint64_t));
    return at ? perf_u64(at) : 0;
}

/* `count` items of `size` bytes. */
static const uint8_t *perf_skip_items(struct perf_words *words, uint64_t count, uint64_t size)
{
    if (count > UINT32_MAX) count = UINT32_MAX;
    return perf_skip(words, count * size);
}

static void perf_skip_read(struct perf_words *words, uint64_t format)
{
    enum { ENABLED = 1, RUNNING = 2, ID = 4, GROUP = 8, LOST = 16 };
    const uint64_t times = (format & ENABLED ? 1U : 0U) + (format & RUNNING ? 1U : 0U);
    const uint64_t each = 1U + (format & ID ? 1U : 0U) + (format & LOST ? 1U : 0U);
    const uint64_t count = format & GROUP ? perf_next_u64(words) : 1;
    perf_skip_items(words, times, sizeof(uint64_t));
    perf_skip_items(words, count, each * sizeof(uint64_t));
}

static void perf_skip_registers(struct perf_words *words, uint64_t mask)
{
    if (perf_next_u64(words)) /* none of a thread of the kernel */
        perf_skip_items(words, (uint64_t)__builtin_popcountll(mask), sizeof(uint64_t));
}

/* The attribute of a sample: by its id, where it has one. */
static const struct perf_attr *perf_attr_of(const struct perf_file *file, const uint8_t *at,
                                            size_t size)
{
    const struct perf_attr *first = &file->attrs[0];
    const uint64_t type = first->sample_type;
    size_t place = 0;
    if (file->attr_count == 1) return first;
    if (!(type & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ID))) return first;
    if (!(type & PERF_SAMPLE_IDENTIFIER)) {
        const uint64_t before =
            type & (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR);
        place = (size_t)__builtin_popcountll(before) * sizeof(uint64_t);
    }
    return size < place + sizeof(uint64_t) ? NULL : perf_find_attr(file, perf_u64(at + place));
}

static void perf_read_branches(struct perf_words *words, struct perf_sample *sample)
{
    enum { HW_INDEX = 17, COUNTERS = 19, ENTRY = 24 };
    sample->branch_count = perf_next_u64(words);
    if (sample->attr->branch_type >> HW_INDEX & 1) perf_next_u64(words);
    sample->branches = perf_skip_items(words, sample->branch_count, ENTRY);
    if (!sample->branches) sample->branch_count = 0;
    if (sample->attr->branch_type >> COUNTERS & 1)
        perf_skip_items(words, sample->branch_count, sizeof(uint64_t));
}

bool perf_sample_read(const struct perf_file *file, const struct perf_event *event,
                      struct perf_sample *sample)
{
    enum { FREQUENCY = 1 << 10 };
    struct perf_words words = {event->at + RECORD, event->at + event->size, false};
    *sample = (struct perf_sample){.attr = NULL};
    if (!file->attr_count) return false;
    sample->attr = perf_attr_of(file, words.at, event->size - RECORD);
    if (!sample->attr) return false;
    const struct perf_attr *attr = sample->attr;
    const uint64_t type = attr->sample_type;
    if (!(attr->flags & FREQUENCY)) {
        sample->period = attr->period;
        sample->has_period = true;
        sample->each = attr->period == 1;
    }
    if (type & PERF_SAMPLE_IDENTIFIER) perf_next_u64(&words);
    if (type & PERF_SAMPLE_IP) {
        sample->ip = perf_next_u64(&words);
        sample->has_ip = true;
    }
    if (type & PERF_SAMPLE_TID) {
        const uint64_t both = perf_next_u64(&words);
        uint32_t halves[2];
        memcpy(halves, &both, sizeof both);
        sample->id.process = halves[0];
        sample->id.thread = halves[1];
        sample->id.has_thread = true;
    }
    if (type & PERF_SAMPLE_TIME) {
        sample->id.time = perf_next_u64(&words);
        sample->id.has_time = true;
    }
    if (type & PERF_SAMPLE_ADDR) {
        sample->address = perf_next_u64(&words);
        sample->has_address = true;
    }
    if (type & PERF_SAMPLE_ID) perf_next_u64(&words);
    if (type & PERF_SAMPLE_STREAM) perf_next_u64(&words);
    if (type & PERF_SAMPLE_CPU) {
        sample->id.cpu = (uint32_t)perf_next_u64(&words);
        sample->id.has_cpu = true;
    }
    if (type & PERF_SAMPLE_PERIOD) {
        sample->period = perf_next_u64(&words);
        sample->has_period = true;
    }
    if (type & PERF_SAMPLE_READ) perf_skip_read(&words, attr->read_format);
    if (type & PERF_SAMPLE_CALLCHAIN) {
        sample->caller_count = perf_next_u64(&words);
        sample->callers = perf_skip_items(&words, sample->caller_count, sizeof(uint64_t));
        if (!sample->callers) sample->caller_count = 0;
    }
    if (type & PERF_SAMPLE_RAW) {
        /* a size of 32 bits, then the bytes, together a multiple of 8 */
        const uint8_t *at = words.end - words.at >= 4 ? words.at : NULL;
        perf_skip(&words, at ? perf_u32(at) + UINT64_C(4) : UINT64_MAX);
    }
    if (type & PERF_SAMPLE_BRANCHES) perf_read_branches(&words, sample);
    if (type & PERF_SAMPLE_REGS_USER) perf_skip_registers(&words, attr->regs_user);
    if (type & PERF_SAMPLE_STACK_USER) {
        const uint64_t size = perf_next_u64(&words);
        if (size) perf_skip(&words, size);
        if (size) perf_next_u64(&words);
    }
    if (type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHTS)) perf_next_u64(&words);
    if (type & PERF_SAMPLE_DATA_SOURCE) perf_next_u64(&words);
    if (type & PERF_SAMPLE_TRANSACTION) perf_next_u64(&words);
    if (type & PERF_SAMPLE_REGS_INTR) perf_skip_registers(&words, attr->regs_intr);
    if (type & PERF_SAMPLE_PHYSICAL) perf_next_u64(&words);
    if (type & PERF_SAMPLE_CGROUP) perf_next_u64(&words);
    if (type & PERF_SAMPLE_DATA_PAGE) perf_next_u64(&words);
    if (type & PERF_SAMPLE_CODE_PAGE) perf_next_u64(&words);
    if (type & PERF_SAMPLE_AUX && type < PERF_SAMPLE_UNKNOWN) {
        sample->aux_size = perf_next_u64(&words);
        sample->aux = perf_skip(&words, sample->aux_size);
        if (!sample->aux) sample->aux_size = 0;
    }
    return !words.failed;
}

bool perf_map_read(const struct perf_event *event, struct perf_map *map)
{
    enum { START = 16, PATH = 40, PATH2 = 72, ID_AT = 44, PROTECTION = 64, EXECUTABLE = 4 };
    const uint8_t *at = event->at;
    const size_t path = event->type == PERF_MMAP2 ? PATH2 : PATH;
    if (event->size <= path || !memchr(at + path, 0, event->size - path)) return false;
    *map = (struct perf_map){.process = perf_u32(at + 8),
                             .start = perf_u64(at + START),
                             .size = perf_u64(at + START + 8),
                             .offset = perf_u64(at + START + 16),
                             .path = (const char *)at + path,
                             .code = !(event->misc & PERF_MISC_DATA)};
    if (event->type == PERF_MMAP2) map->code = perf_u32(at + PROTECTION) & EXECUTABLE;
    if (event->type == PERF_MMAP2 && event->misc & PERF_MISC_BUILD_ID) {
        unsigned count = at[PATH];
        if (count > ID_SIZE) count = ID_SIZE;
        for (unsigned i = 0; i < count; i++)
            snprintf(map->build_id + (size_t)2 * i, 3, "%02x", at[ID_AT + i]);
    }
    return map->size && map->start + (map->size - 1) >= map->start;
}
