/* SPDX-License-Identifier: MIT */
/* perf_records.c: records of perf.data as elements, as `perf script` prints them. */
#include "silicon/perf_records.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "spoor/record.h"

enum {
    MOST_QUEUED = 1 << 20, /* records, */
    MOST_HELD = 256 << 20, /* and their bytes: more are put without the end of a round */
    MOST_TEXT = 4096,
    RECORD = 8,
};

struct perf_queued {
    uint64_t time, number, offset;
    size_t at; /* in `held` */
    uint32_t size;
};

/* ---- elements ---- */

void perf_put(struct text *out, struct element_timed element, const char *name, const char *text)
{
    static const char zeros[8];
    const size_t name_size = strnlen(name, UINT8_MAX), size = name_size + strlen(text);
    const size_t padded = (size + 7) / 8 * 8;
    element.size = (uint32_t)(sizeof element + padded);
    element.text_size = (uint32_t)size;
    element.name_size = (uint8_t)name_size;
    text_put(out, &element, sizeof element);
    text_put(out, name, name_size);
    text_put(out, text, size - name_size);
    text_put(out, zeros, padded - size);
}

static struct element_timed perf_element(int kind, unsigned op, const struct perf_sample_id *id)
{
    struct element_timed element = {.kind = (uint8_t)kind, .op = (uint8_t)op};
    if (id->has_time) {
        element.time = id->time;
        element.flags = ELEMENT_HAS_TIME;
    }
    if (id->has_thread && id->thread != UINT32_MAX) {
        element.thread = id->thread;
        element.flags |= ELEMENT_HAS_THREAD;
    }
    return element;
}

static void perf_put_note(struct perf_records *records, enum spoor_note_op op, const char *text)
{
    const struct element_timed note = {.kind = ELEMENT_TIMED_NOTE, .op = (uint8_t)op};
    perf_put(records->out, note, "", text);
}

static void perf_put_lost(struct perf_records *records, const struct perf_sample_id *id,
                          const char *text)
{
    perf_put(records->out, perf_element(ELEMENT_TIMED_EVENT, SPOOR_EVENT_LOST, id), "", text);
}

/* ---- samples ---- */

/* The op of a branch of a stack by its type. */
static unsigned perf_branch_op(unsigned type)
{
    static const uint8_t ops[] = {
        SPOOR_FLOW_BRANCH,
        SPOOR_FLOW_TYPED | SPOOR_FLOW_IS_CONDITIONAL,
        SPOOR_FLOW_TYPED,
        SPOOR_FLOW_TYPED | SPOOR_FLOW_IS_INDIRECT,
        SPOOR_FLOW_TYPED | SPOOR_FLOW_IS_CALL,
        SPOOR_FLOW_TYPED | SPOOR_FLOW_IS_CALL | SPOOR_FLOW_IS_INDIRECT,
        SPOOR_FLOW_TYPED | SPOOR_FLOW_IS_RETURN | SPOOR_FLOW_IS_INDIRECT,
        SPOOR_FLOW_BRANCH, /* system calls */
        SPOOR_FLOW_BRANCH,
        SPOOR_FLOW_TYPED | SPOOR_FLOW_IS_CALL | SPOOR_FLOW_IS_CONDITIONAL,
        SPOOR_FLOW_TYPED | SPOOR_FLOW_IS_RETURN | SPOOR_FLOW_IS_INDIRECT |
            SPOOR_FLOW_IS_CONDITIONAL,
    };
    return type < sizeof ops ? ops[type] : SPOOR_FLOW_BRANCH;
}

static void perf_put_branches(struct perf_records *records, const struct perf_sample *sample)
{
    enum { ENTRY = 24, TYPE = 20, TYPE_BITS = 15 };
    for (uint64_t i = sample->branch_count; i-- > 0;) { /* the oldest first */
        const uint8_t *at = sample->branches + i * ENTRY;
        const unsigned type = perf_u64(at + 16) >> TYPE & TYPE_BITS;
        struct element_timed flow =
            perf_element(ELEMENT_TIMED_FLOW, perf_branch_op(type), &sample->id);
        flow.address = perf_u64(at);
        flow.value = perf_u64(at + 8);
        flow.flags |= ELEMENT_CONTINUES;
        perf_put(records->out, flow, "", "");
    }
}

/* The next caller from `*at` on; false: there is none. */
static bool perf_next_caller(const struct perf_sample *sample, uint64_t *at, uint64_t *address)
{
    const uint64_t contexts = 0 - UINT64_C(4095); /* PERF_CONTEXT_MAX: marks of a level, from there
                                                   * on */
    while (*at < sample->caller_count) {
        *address = perf_u64(sample->callers + (*at)++ * sizeof(uint64_t));
        if (*address < contexts) return true;
    }
    return false;
}

static void perf_put_callers(struct perf_records *records, const struct perf_sample *sample)
{
    const struct perf_sample_id none = {.has_time = false};
    uint64_t at = 0, address;
    while (perf_next_caller(sample, &at, &address)) {
        struct element_timed frame = perf_element(ELEMENT_TIMED_EVENT, SPOOR_EVENT_FRAME, &none);
        frame.address = address;
        frame.flags |= ELEMENT_HAS_ADDRESS;
        perf_put(records->out, frame, "", "");
    }
}

/* An event that is a branch: from ip to addr, as of Intel BTS. */
static bool perf_is_branch(const struct perf_sample *sample)
{
    enum { HARDWARE = 0, BRANCHES = 4 };
    const struct perf_attr *attr = sample->attr;
    return attr->type == HARDWARE && attr->config == BRANCHES && sample->each && sample->has_ip &&
           sample->has_address;
}

static void perf_put_branch_event(struct perf_records *records, const struct perf_sample *sample)
{
    struct element_timed element = perf_element(ELEMENT_TIMED_FLOW, SPOOR_FLOW_BRANCH, &sample->id);
    if (!sample->ip || !sample->address) { /* tracing begins at the target, or ends at the source */
        element.kind = ELEMENT_TIMED_EVENT;
        element.op = sample->ip ? SPOOR_EVENT_END : SPOOR_EVENT_BEGIN;
        element.address = sample->ip ? sample->ip : sample->address;
        element.flags |= ELEMENT_HAS_ADDRESS;
    } else {
        element.address = sample->ip;
        element.value = sample->address;
    }
    perf_put(records->out, element, "", "");
}

static void perf_put_instruction(struct perf_records *records, const struct perf_sample *sample)
{
    struct element_x86 element = {.kind = ELEMENT_X86, .pc = sample->ip};
    const struct element_timed same = perf_element(ELEMENT_TIMED_EVENT, 0, &sample->id);
    element.flags = same.flags;
    element.thread = same.thread;
    element.time = same.time;
    text_put(records->out, &element, sizeof element);
}

static void perf_put_sample(struct perf_records *records, const struct perf_event *event)
{
    static const char instructions[] = "instructions";
    struct perf_sample sample;
    const bool good = perf_sample_read(records->file, event, &sample);
    if (!good) {
        char text[128];
        if (!sample.attr && records->unknown++) return; /* which was said of the first */
        snprintf(text, sizeof text, "offset %" PRIu64 ": %zu bytes of a sample%s", event->offset,
                 event->size, sample.attr ? "" : ", of no event of the header");
        perf_put_note(records, SPOOR_NOTE_UNKNOWN, text);
        return;
    }
    const char *name = sample.attr->name ? sample.attr->name : "";
    uint64_t at = 0, first;
    const bool callers = perf_next_caller(&sample, &at, &first);
    if (perf_is_branch(&sample)) {
        perf_put_branch_event(records, &sample);
        return;
    }
    if (sample.each && sample.has_ip && !callers && !sample.branch_count &&
        strncmp(name, instructions, sizeof instructions - 1) == 0) {
        perf_put_instruction(records, &sample);
        return;
    }
    struct element_timed element =
        perf_element(ELEMENT_TIMED_EVENT, SPOOR_EVENT_SAMPLE, &sample.id);
    if (sample.has_period) {
        element.value = sample.period;
        element.flags |= ELEMENT_HAS_VALUE;
    }
    if (sample.has_ip && !callers) { /* else it is the first frame */
        element.address = sample.ip;
        element.flags |= ELEMENT_HAS_ADDRESS;
    }
    perf_put(records->out, element, name, "");
    perf_put_branches(records, &sample);
    perf_put_callers(records, &sample);
}

/* ---- other records ---- */

static void perf_put_map(struct perf_records *records, const struct perf_event *event)
{
    enum { PROTECTION = 64, FLAGS = 68, READ = 1, WRITE = 2, RUN = 4, SHARED = 1 };
    char text[MOST_TEXT];
    struct perf_map map;
    if (!perf_map_read(event, &map)) {
        snprintf(text, sizeof text, "offset %" PRIu64 ": %zu bytes of a mapping", event->offset,
                 event->size);
        perf_put_note(records, SPOOR_NOTE_UNKNOWN, text);
        return;
    }
    const uint8_t *at = event->at;
    if (event->type == PERF_MMAP2) {
        const uint32_t protection = perf_u32(at + PROTECTION);
        snprintf(text, sizeof text,
                 "PERF_RECORD_MMAP2 %d/%d: [0x%" PRIx64 "(0x%" PRIx64 ") @ 0x%" PRIx64
                 "%s%s%s]: %c%c%c%c %s",
                 (int)map.process, (int)perf_u32(at + 12), map.start, map.size, map.offset,
                 *map.build_id ? " <" : "", map.build_id, *map.build_id ? ">" : "",
                 protection & READ ? 'r' : '-', protection & WRITE ? 'w' : '-',
                 protection & RUN ? 'x' : '-', perf_u32(at + FLAGS) & SHARED ? 's' : 'p', map.path);
    } else {
        snprintf(text, sizeof text,
                 "PERF_RECORD_MMAP %d/%d: [0x%" PRIx64 "(0x%" PRIx64 ") @ 0x%" PRIx64 "]: %c %s",
                 (int)map.process, (int)perf_u32(at + 12), map.start, map.size, map.offset,
                 map.code ? 'x' : 'r', map.path);
    }
    perf_put_note(records, SPOOR_NOTE_HEADER, text);
}

static void perf_put_aux(struct perf_records *records, const struct perf_event *event,
                         const struct perf_sample_id *id)
{
    char text[MOST_TEXT];
    const uint64_t flags = perf_u64(event->at + 24);
    snprintf(text, sizeof text,
             "PERF_RECORD_AUX offset: 0x%" PRIx64 " size: 0x%" PRIx64 " flags: 0x%" PRIx64,
             perf_u64(event->at + 8), perf_u64(event->at + 16), flags);
    perf_put_note(records, SPOOR_NOTE_HEADER, text);
    if (!(flags & (PERF_AUX_TRUNCATED | PERF_AUX_PARTIAL | PERF_AUX_COLLISION))) return;
    snprintf(text, sizeof text, "AUX data after offset 0x%" PRIx64 ":%s%s%s",
             perf_u64(event->at + 8) + perf_u64(event->at + 16),
             flags & PERF_AUX_TRUNCATED ? " truncated, as the buffer was full" : "",
             flags & PERF_AUX_PARTIAL ? " with gaps" : "",
             flags & PERF_AUX_COLLISION ? " with those of another recording" : "");
    perf_put_lost(records, id, text);
}

/* What a decoder that perf has said of a part of AUX data that it could not follow. */
static void perf_error_id(const struct perf_event *event, struct perf_sample_id *id)
{
    enum { FORM = 28, TIME = 40 };
    const uint8_t *at = event->at;
    const bool timed = perf_u32(at + FORM) && event->size >= TIME + sizeof(uint64_t);
    *id = (struct perf_sample_id){.has_thread = true, .thread = perf_u32(at + 24)};
    if (!timed) return;
    id->has_time = true;
    id->time = perf_u64(at + TIME);
}

static void perf_put_error(struct perf_records *records, const struct perf_event *event)
{
    enum { IP = 32, MESSAGE = 40 };
    struct perf_sample_id id;
    char text[MOST_TEXT];
    perf_error_id(event, &id);
    const size_t at = MESSAGE + (id.has_time ? sizeof(uint64_t) : 0);
    const char *message = (const char *)event->at + at;
    snprintf(text, sizeof text, "instruction trace error: %.*s",
             (int)strnlen(message, event->size - at), message);
    struct element_timed lost = perf_element(ELEMENT_TIMED_EVENT, SPOOR_EVENT_LOST, &id);
    lost.address = perf_u64(event->at + IP);
    if (lost.address) lost.flags |= ELEMENT_HAS_ADDRESS;
    perf_put(records->out, lost, "", text);
}

/* Bytes that a record has at least to be printed. */
static size_t perf_least(uint32_t type)
{
    enum { AUX = 32, PAIR = 16, FORK = 24, ERROR = 40 };
    switch (type) {
    case PERF_AUXTRACE_ERROR: return ERROR;
    case PERF_AUX: return AUX;
    case PERF_FORK:
    case PERF_EXIT:
    case PERF_LOST:
    case PERF_READ: return FORK;
    case PERF_COMM:
    case PERF_ITRACE_START:
    case PERF_LOST_SAMPLES:
    case PERF_SWITCH_CPU: return PAIR;
    default: return RECORD;
    }
}

static void perf_put_other(struct perf_records *records, const struct perf_event *event,
                           const struct perf_sample_id *id)
{
    char text[MOST_TEXT];
    const uint8_t *at = event->at;
    const bool out = event->misc & PERF_MISC_OUT;
    if (event->size < perf_least(event->type)) {
        snprintf(text, sizeof text, "offset %" PRIu64 ": %zu bytes of a record of type %" PRIu32,
                 event->offset, event->size, event->type);
        perf_put_note(records, SPOOR_NOTE_UNKNOWN, text);
        return;
    }
    switch (event->type) {
    case PERF_COMM:
        snprintf(text, sizeof text, "PERF_RECORD_COMM%s: %.*s:%d/%d",
                 event->misc & PERF_MISC_EXEC ? " exec" : "",
                 (int)strnlen((const char *)at + 16, event->size - 16), (const char *)at + 16,
                 (int)perf_u32(at + 8), (int)perf_u32(at + 12));
        break;
    case PERF_FORK:
    case PERF_EXIT:
        snprintf(text, sizeof text, "PERF_RECORD_%s(%d:%d):(%d:%d)",
                 event->type == PERF_FORK ? "FORK" : "EXIT", (int)perf_u32(at + 8),
                 (int)perf_u32(at + 16), (int)perf_u32(at + 12), (int)perf_u32(at + 20));
        break;
    case PERF_LOST:
        snprintf(text, sizeof text, "PERF_RECORD_LOST lost %" PRIu64, perf_u64(at + 16));
        perf_put_lost(records, id, text);
        return;
    case PERF_LOST_SAMPLES:
        snprintf(text, sizeof text, "PERF_RECORD_LOST_SAMPLES lost %" PRIu64, perf_u64(at + 8));
        perf_put_lost(records, id, text);
        return;
    case PERF_ITRACE_START:
        snprintf(text, sizeof text, "PERF_RECORD_ITRACE_START pid: %d tid: %d",
                 (int)perf_u32(at + 8), (int)perf_u32(at + 12));
        break;
    case PERF_SWITCH:
        snprintf(text, sizeof text, "PERF_RECORD_SWITCH %s", out ? "OUT" : "IN");
        break;
    case PERF_SWITCH_CPU:
        snprintf(text, sizeof text, "PERF_RECORD_SWITCH_CPU_WIDE %s %s pid/tid: %d/%d",
                 out ? "OUT" : "IN", out ? "next" : "prev", (int)perf_u32(at + 8),
                 (int)perf_u32(at + 12));
        break;
    case PERF_THROTTLE:
    case PERF_UNTHROTTLE:
        snprintf(text, sizeof text, "PERF_RECORD_%sTHROTTLE",
                 event->type == PERF_THROTTLE ? "" : "UN");
        break;
    default:
        snprintf(text, sizeof text, "PERF_RECORD of type %" PRIu32 ", %zu bytes", event->type,
                 event->size);
        break;
    }
    perf_put_note(records, SPOOR_NOTE_HEADER, text);
}

static void perf_put_record(struct perf_records *records, const struct perf_event *event)
{
    struct perf_sample_id id;
    if (event->type == PERF_SAMPLE) {
        perf_put_sample(records, event);
        return;
    }
    perf_event_id(records->file, event, &id);
    if (event->type == PERF_MMAP || event->type == PERF_MMAP2)
        perf_put_map(records, event);
    else if (event->type == PERF_AUX && event->size >= perf_least(PERF_AUX))
        perf_put_aux(records, event, &id);
    else if (event->type == PERF_AUXTRACE_ERROR && event->size >= perf_least(PERF_AUXTRACE_ERROR))
        perf_put_error(records, event);
    else
        perf_put_other(records, event, &id);
}

/* ---- order ---- */

/* The time of a record; false: it has none, and is put where it stands. */
static bool perf_time(const struct perf_records *records, const struct perf_event *event,
                      uint64_t *time)
{
    struct perf_sample_id id;
    if (event->type == PERF_SAMPLE) {
        struct perf_sample sample;
        if (!perf_sample_read(records->file, event, &sample)) return false;
        id = sample.id;
    } else if (event->type == PERF_AUXTRACE_ERROR) {
        if (event->size < perf_least(PERF_AUXTRACE_ERROR)) return false;
        perf_error_id(event, &id);
    } else if (event->type >= PERF_HEADER_ATTR) {
        return false;
    } else {
        perf_event_id(records->file, event, &id);
    }
    *time = id.time;
    return id.has_time && id.time && id.time != UINT64_MAX;
}

static int perf_queued_compare(const void *left, const void *right)
{
    const struct perf_queued *a = left, *b = right;
    if (a->time != b->time) return a->time < b->time ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* Puts what is queued up to a time, at least `least` records. */
static bool perf_records_flush(struct perf_records *records, uint64_t until, size_t least)
{
    if (!records->count) return true;
    qsort(records->queue, records->count, sizeof *records->queue, perf_queued_compare);
    size_t done = 0;
    while (done < records->count && (done < least || records->queue[done].time <= until)) {
        const struct perf_queued *queued = &records->queue[done++];
        const uint8_t *at = (const uint8_t *)records->held.bytes + queued->at;
        const struct perf_event event = {.type = perf_u32(at),
                                         .misc = perf_u16(at + 4),
                                         .at = at,
                                         .size = queued->size,
                                         .offset = queued->offset};
        if (records->before && !records->before(records->context, queued->time)) return false;
        perf_put_record(records, &event);
    }
    if (!done) return true;
    struct text held = {0};
    for (size_t i = done; i < records->count; i++) {
        struct perf_queued *queued = &records->queue[i];
        const size_t at = held.size;
        text_put(&held, records->held.bytes + queued->at, queued->size);
        queued->at = at;
    }
    memmove(records->queue, records->queue + done,
            (records->count - done) * sizeof *records->queue);
    records->count -= done;
    text_free(&records->held);
    records->held = held;
    return !held.failed && !records->out->failed;
}

/* Records of the file, not of the machine. */
static bool perf_is_of_file(uint32_t type)
{
    switch (type) {
    case PERF_HEADER_ATTR:
    case PERF_EVENT_TYPE:
    case PERF_TRACING_DATA:
    case PERF_BUILD_ID:
    case PERF_ID_INDEX:
    case PERF_AUXTRACE_INFO:
    case PERF_AUXTRACE:
    case PERF_THREAD_MAP:
    case PERF_CPU_MAP:
    case PERF_EVENT_UPDATE:
    case PERF_TIME_CONV:
    case PERF_FEATURE:
    case PERF_FINISHED_INIT: return true;
    default: return false;
    }
}

bool perf_records_take(struct perf_records *records, const struct perf_event *event)
{
    uint64_t time;
    if (event->type == PERF_FINISHED_ROUND) {
        const bool good = perf_records_flush(records, records->limit, 0);
        records->limit = records->latest;
        return good;
    }
    if (perf_is_of_file(event->type)) return true;
    if (!perf_time(records, event, &time)) {
        perf_put_record(records, event);
        return !records->out->failed;
    }
    if (records->count >= MOST_QUEUED || records->held.size >= MOST_HELD)
        if (!perf_records_flush(records, 0, records->count / 2)) return false;
    if (!array_reserve(&records->queue, &records->capacity, records->count + 1)) return false;
    records->queue[records->count++] = (struct perf_queued){.time = time,
                                                            .number = records->number++,
                                                            .offset = event->offset,
                                                            .at = records->held.size,
                                                            .size = (uint32_t)event->size};
    text_put(&records->held, event->at, event->size);
    if (time > records->latest) records->latest = time;
    return !records->held.failed;
}

bool perf_records_end(struct perf_records *records)
{
    return perf_records_flush(records, UINT64_MAX, 0);
}

void perf_records_free(struct perf_records *records)
{
    text_free(&records->held);
    free(records->queue);
    records->queue = NULL;
}
