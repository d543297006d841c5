/* SPDX-License-Identifier: MIT */
/* seek.c: the next or previous call, return, exception or access to memory.  An answer takes a
 * moment at most: it has the place found, or that to go on from. */
#include "serve/internal.h"

enum { SEEK_MILLISECONDS = 150, LARGEST_SUBJECT = 4096 };

struct seeking {
    struct question *question;
    uint64_t at; /* found: the nearest record beyond this one */
    bool back;
    bool any;
    uint64_t record;
    uint64_t begin, end; /* records of the segment that is searched */
    /* what is searched for */
    enum call_event_kind kind;
    unsigned cpu;
    bool one_cpu;
    struct subject subject;
    bool reads;
};
/* Searches a segment; false: refused. */
typedef bool seek_segment(struct seeking *seeking, size_t segment);

static void note(struct seeking *seeking, uint64_t record)
{
    if (seeking->back ? record >= seeking->at : record <= seeking->at) return;
    if (seeking->any && (seeking->back ? record < seeking->record : record > seeking->record))
        return;
    seeking->any = true;
    seeking->record = record;
}

/* Answers "record", or "next" and "end": all records beyond `next` are still to be searched. */
static void seek(struct seeking *seeking, seek_segment *find)
{
    struct question *question = seeking->question;
    const struct index *index = question->trace->index;
    const uint64_t stop = clock_milliseconds() + SEEK_MILLISECONDS;
    if (!index->records) {
        json_bool(question->out, "end", true);
        return;
    }
    if (seeking->at >= index->records) seeking->at = index->records - 1 + seeking->back;
    const uint64_t first = seeking->at < index->records ? seeking->at : index->records - 1;
    size_t segment = index_segment_of(index, first);
    for (;;) {
        seeking->begin = index->segments[segment].place.record;
        seeking->end = seeking->begin + index->segments[segment].records;
        if (!find(seeking, segment)) return;
        const bool last = seeking->back ? segment == 0 : segment + 1 == index->count;
        if (seeking->any) {
            json_number(question->out, "record", seeking->record);
            json_bool(question->out, "end", false);
            return;
        }
        if (last || clock_milliseconds() >= stop) {
            json_number(question->out, "next", seeking->back ? seeking->begin : seeking->end - 1);
            json_bool(question->out, "end", last);
            return;
        }
        segment = seeking->back ? segment - 1 : segment + 1;
    }
}

static bool parse(struct question *question, struct seeking *seeking)
{
    const char *back = parameter(question, "back");
    *seeking =
        (struct seeking){.question = question, .back = back != NULL && strcmp(back, "1") == 0};
    return parameter_number(question, "at", UINT64_MAX, &seeking->at) &&
           parameter_cpu(question, &seeking->cpu, &seeking->one_cpu);
}

/* ---- calls ---- */

static bool find_event(struct seeking *seeking, size_t segment)
{
    const struct call_events *events = question_events(seeking->question, segment);
    for (size_t i = 0; events && i < events->count; i++) {
        const struct call_event *event = &events->items[i];
        if (event->kind == seeking->kind && (!seeking->one_cpu || event->cpu == seeking->cpu))
            note(seeking, event->record);
    }
    return events != NULL;
}

/* The instruction that calls, returns, or is interrupted. */
void ask_event(struct question *question)
{
    static const char *const kinds[] = {
        [EVENT_CALL] = "call", [EVENT_RETURN] = "return", [EVENT_EXCEPTION] = "exception"};
    struct seeking seeking;
    const char *words = parameter(question, "kind");
    size_t kind = 0;
    while (kind < sizeof kinds / sizeof *kinds && strcmp(words ? words : "", kinds[kind]) != 0)
        kind++;
    if (kind == sizeof kinds / sizeof *kinds) {
        refuse(question, 400, "kind: found '%.40s', expected call, return or exception",
               words ? words : "");
        return;
    }
    if (!parse(question, &seeking)) return;
    seeking.kind = (enum call_event_kind)kind;
    seek(&seeking, find_event);
}

/* ---- accesses ---- */

static bool note_touch(void *context, const struct touch *touch)
{
    struct seeking *seeking = context;
    if (touch->writes || (touch->reads && seeking->reads)) note(seeking, touch->record);
    return true;
}

static bool find_touch(struct seeking *seeking, size_t segment)
{
    struct question *question = seeking->question;
    const struct index *index = question->trace->index;
    const struct memory_place *place = &seeking->subject.place;
    struct spoor_error error = {0};
    /* a semihosting call writes, too: explorer_touches() knows */
    if (!index->hosted_count && !segment_writes(index, segment, place) &&
        !(seeking->reads && segment_reads(index, segment, place)))
        return true;
    const enum spoor_status status =
        explorer_touches(question->trace->explorer, &seeking->subject, seeking->begin, seeking->end,
                         note_touch, seeking, &error);
    if (status < SPOOR_OK) refuse_error(question, status, &error);
    return status >= SPOOR_OK;
}

/* The number of an address, or of a symbol. */
void ask_address(struct question *question)
{
    uint64_t address;
    if (parameter_address(question, &address)) json_hex(question->out, "address", address);
}

/* A write of memory or, with reads=1, any access to it. */
void ask_touch(struct question *question)
{
    struct seeking seeking;
    uint64_t address, size = 1;
    const char *reads = parameter(question, "reads");
    if (!parse(question, &seeking) || !parameter_address(question, &address) ||
        !parameter_number(question, "size", LARGEST_SUBJECT, &size))
        return;
    seeking.reads = reads && strcmp(reads, "1") == 0;
    seeking.subject.is_memory = true;
    seeking.subject.place = explorer_place(question->trace->explorer, address, size ? size : 1,
                                           false, SPACE_VIRTUAL_MEMORY, seeking.at);
    seek(&seeking, find_touch);
}
