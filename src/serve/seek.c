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
    enum spoor_call_event_kind kind;
    unsigned cpu;
    bool one_cpu;
    struct spoor_subject subject;
    bool reads;
};
/* Searches a segment; false: refused. */
typedef bool seek_segment(struct seeking *seeking, size_t segment);

static void serve_seek_note(struct seeking *seeking, uint64_t record)
{
    if (seeking->back ? record >= seeking->at : record <= seeking->at) return;
    if (seeking->any && (seeking->back ? record < seeking->record : record > seeking->record))
        return;
    seeking->any = true;
    seeking->record = record;
}

/* Answers "record", or "next" and "end": all records beyond `next` are still to be searched. */
static void serve_seek_seek(struct seeking *seeking, seek_segment *find)
{
    struct question *question = seeking->question;
    const struct spoor_index *index = question->trace->index;
    const uint64_t records = spoor_index_records(index);
    const uint64_t stop = clock_milliseconds() + SEEK_MILLISECONDS;
    struct spoor_segment here;
    if (!records) {
        json_bool(question->out, "end", true);
        return;
    }
    if (seeking->at >= records) seeking->at = records - 1 + seeking->back;
    const uint64_t first = seeking->at < records ? seeking->at : records - 1;
    size_t segment = spoor_index_segment_of(index, first);
    for (;;) {
        spoor_index_segment(index, segment, &here);
        seeking->begin = here.from;
        seeking->end = here.end;
        if (!find(seeking, segment)) return;
        const bool last =
            seeking->back ? segment == 0 : segment + 1 == spoor_index_segment_count(index);
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

static bool serve_seek_parse(struct question *question, struct seeking *seeking)
{
    const char *back = parameter(question, "back");
    *seeking =
        (struct seeking){.question = question, .back = back != NULL && strcmp(back, "1") == 0};
    return parameter_number(question, "at", UINT64_MAX, &seeking->at) &&
           parameter_cpu(question, &seeking->cpu, &seeking->one_cpu);
}

/* ---- calls ---- */

static bool serve_seek_find_event(struct seeking *seeking, size_t segment)
{
    const struct spoor_call_events *events = question_events(seeking->question, segment);
    for (size_t i = 0; events && i < events->count; i++) {
        const struct spoor_call_event *event = &events->events[i];
        if (event->kind == seeking->kind && (!seeking->one_cpu || event->cpu == seeking->cpu))
            serve_seek_note(seeking, event->record);
    }
    return events != NULL;
}

/* The instruction that calls, returns, or is interrupted. */
void ask_event(struct question *question)
{
    static const char *const kinds[] = {[SPOOR_CALL_EVENT_CALL] = "call",
                                        [SPOOR_CALL_EVENT_RETURN] = "return",
                                        [SPOOR_CALL_EVENT_EXCEPTION] = "exception"};
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
    if (!serve_seek_parse(question, &seeking)) return;
    seeking.kind = (enum spoor_call_event_kind)kind;
    serve_seek_seek(&seeking, serve_seek_find_event);
}

/* ---- accesses ---- */

static bool serve_seek_note_touch(void *context, const struct spoor_touch *touch)
{
    struct seeking *seeking = context;
    if (touch->writes || (touch->reads && seeking->reads)) serve_seek_note(seeking, touch->record);
    return true;
}

static bool serve_seek_find_touch(struct seeking *seeking, size_t segment)
{
    struct question *question = seeking->question;
    struct spoor_explorer *explorer = question->trace->explorer;
    struct spoor_error error = {0};
    if (!spoor_explorer_may_touch(explorer, segment, &seeking->subject, true, seeking->reads))
        return true;
    const enum spoor_status status =
        spoor_explorer_touches(explorer, &seeking->subject, seeking->begin, seeking->end,
                               serve_seek_note_touch, seeking, &error);
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
    if (!serve_seek_parse(question, &seeking) || !parameter_address(question, &address) ||
        !parameter_number(question, "size", LARGEST_SUBJECT, &size))
        return;
    seeking.reads = reads && strcmp(reads, "1") == 0;
    const struct spoor_range range = {.address = address, .size = size ? size : 1};
    if (question_place(question, &range, seeking.at, &seeking.subject))
        serve_seek_seek(&seeking, serve_seek_find_touch);
}
