/* SPDX-License-Identifier: MIT */
/* seek.c: the next or previous call, return, exception or access to memory.  An answer takes a
 * moment at most: it has the place found, or that to go on from. */
#include <ctype.h>
#include <strings.h>

#include "serve/internal.h"

enum { SEEK_MILLISECONDS = 150, LARGEST_SUBJECT = 4096 };

struct site_search {
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
typedef bool find_in_segment(struct site_search *search, size_t segment);

static void site_seek_note(struct site_search *search, uint64_t record)
{
    if (search->back ? record >= search->at : record <= search->at) return;
    if (search->any && (search->back ? record < search->record : record > search->record)) return;
    search->any = true;
    search->record = record;
}

/* Answers "record", or "next" and "end": all records beyond `next` are still to be searched. */
static void site_seek_answer(struct site_search *search, find_in_segment *find)
{
    struct question *question = search->question;
    const struct spoor_index *index = question->trace->index;
    const uint64_t records = spoor_index_records(index);
    const uint64_t stop = clock_milliseconds() + SEEK_MILLISECONDS;
    struct spoor_segment here = {.struct_size = sizeof here};
    if (!records) {
        json_bool(question->out, "end", true);
        return;
    }
    if (search->at >= records) search->at = records - 1 + search->back;
    const uint64_t first = search->at < records ? search->at : records - 1;
    size_t segment = spoor_index_segment_of(index, first);
    for (;;) {
        spoor_index_segment(index, segment, &here);
        search->begin = here.from;
        search->end = here.end;
        if (!find(search, segment)) return;
        const bool last =
            search->back ? segment == 0 : segment + 1 == spoor_index_segment_count(index);
        if (search->any) {
            json_number(question->out, "record", search->record);
            json_bool(question->out, "end", false);
            return;
        }
        if (last || clock_milliseconds() >= stop) {
            json_number(question->out, "next", search->back ? search->begin : search->end - 1);
            json_bool(question->out, "end", last);
            return;
        }
        segment = search->back ? segment - 1 : segment + 1;
    }
}

static bool site_seek_parse(struct question *question, struct site_search *search)
{
    const char *back = parameter(question, "back");
    *search =
        (struct site_search){.question = question, .back = back != NULL && strcmp(back, "1") == 0};
    return parameter_number(question, "at", UINT64_MAX, &search->at) &&
           parameter_cpu(question, &search->cpu, &search->one_cpu);
}

/* ---- calls ---- */

static bool site_seek_find_event(struct site_search *search, size_t segment)
{
    const struct spoor_call_events *events = question_events(search->question, segment);
    for (size_t i = 0; events && i < events->count; i++) {
        const struct spoor_call_event *event = &events->events[i];
        if (event->kind == search->kind && (!search->one_cpu || event->cpu == search->cpu))
            site_seek_note(search, event->record);
    }
    return events != NULL;
}

/* The instruction that calls, returns, or is interrupted. */
void ask_event(struct question *question)
{
    static const char *const kinds[] = {[SPOOR_CALL_EVENT_CALL] = "call",
                                        [SPOOR_CALL_EVENT_RETURN] = "return",
                                        [SPOOR_CALL_EVENT_EXCEPTION] = "exception"};
    struct site_search search;
    const char *words = parameter(question, "kind");
    size_t kind = 0;
    while (kind < sizeof kinds / sizeof *kinds && strcmp(words ? words : "", kinds[kind]) != 0)
        kind++;
    if (kind == sizeof kinds / sizeof *kinds) {
        refuse(question, 400, "kind: found '%.40s', expected call, return or exception",
               words ? words : "");
        return;
    }
    if (!site_seek_parse(question, &search)) return;
    search.kind = (enum spoor_call_event_kind)kind;
    site_seek_answer(&search, site_seek_find_event);
}

/* ---- accesses ---- */

static bool site_seek_note_touch(void *context, const struct spoor_touch *touch)
{
    struct site_search *search = context;
    if (touch->writes || (touch->reads && search->reads)) site_seek_note(search, touch->record);
    return true;
}

static bool site_seek_find_touch(struct site_search *search, size_t segment)
{
    struct question *question = search->question;
    struct spoor_explorer *explorer = question->trace->explorer;
    struct spoor_error error = {0};
    if (!spoor_explorer_may_touch(explorer, segment, &search->subject, true, search->reads))
        return true;
    const enum spoor_status status =
        spoor_explorer_touches(explorer, &search->subject, search->begin, search->end,
                               site_seek_note_touch, search, &error);
    if (status < SPOOR_OK) refuse_error(question, status, &error);
    return status >= SPOOR_OK;
}

/* The number of an address, or of a symbol, and what is there; of a variable its type. */
void ask_address(struct question *question)
{
    uint64_t address;
    struct spoor_images *images = question->site->options->images;
    struct spoor_variable variable = {.struct_size = sizeof variable};
    struct text *out = question->out;
    if (!parameter_address(question, &address)) return;
    json_hex(out, "address", address);
    json_located(question, address);
    if (!images || !spoor_images_variable(images, parameter(question, "address"), &variable) ||
        variable.address != address)
        return;
    json_begin(out, "variable", '{');
    json_number(out, "count", variable.count);
    json_number(out, "size", variable.size);
    if (variable.is_signed) json_bool(out, "signed", true);
    if (variable.is_float) json_bool(out, "float", true);
    if (variable.type) json_text(out, "type", variable.type);
    json_end(out, '}');
}

/* How well a name fits words, whose letters it must have in order: 0 is the word itself, then names
 * that begin with it, that have it inside, and the rest; UINT32_MAX: it does not fit. */
static uint32_t functions_fit(const char *name, const char *words)
{
    const size_t size = strlen(words), length = strlen(name);
    const char *at = name;
    uint32_t inside = UINT32_MAX, gaps = 0;
    for (size_t i = 0; inside == UINT32_MAX && i + size <= length; i++)
        if (strncasecmp(name + i, words, size) == 0) inside = (uint32_t)i;
    if (inside == 0) return length == size ? 0 : 1000 + (uint32_t)length;
    if (inside != UINT32_MAX) return 100000 + (uint32_t)length;
    for (const char *word = words; *word; word++) {
        const char *found = at;
        while (*found && tolower((unsigned char)*found) != tolower((unsigned char)*word)) found++;
        if (!*found) return UINT32_MAX;
        gaps += found != at;
        at = found + 1;
    }
    return 1000000 + 1000 * gaps + (uint32_t)(length > 999 ? 999 : length);
}

/* What words may name: an address, and the functions that ran whose names fit them best, as
 * [address, name]. */
void ask_functions(struct question *question)
{
    enum { BEST = 10, LONGEST_NAME = 200 };
    const struct timeline *timeline = &question->trace->timeline;
    struct spoor_images *images = question->site->options->images;
    const char *words = parameter(question, "words");
    struct fitting_function {
        uint64_t address;
        const char *name;
        uint32_t fit;
    } best[BEST];
    size_t count = 0;
    for (size_t i = 0; i < timeline->function_count; i++) {
        struct fitting_function one = {.address = timeline->functions[i]};
        struct spoor_place place = {.struct_size = sizeof place};
        if (images && spoor_images_function(images, one.address, &place)) one.name = place.function;
        if (!one.name || !words || !*words) continue;
        one.fit = functions_fit(one.name, words);
        size_t at = count;
        while (at > 0 && best[at - 1].fit > one.fit) at--;
        if (one.fit == UINT32_MAX || at == BEST) continue;
        if (count < BEST) count++;
        memmove(best + at + 1, best + at, (count - at - 1) * sizeof *best);
        best[at] = one;
    }
    uint64_t address;
    if (question_find_address(question, words, &address)) {
        json_hex(question->out, "address", address);
        json_located(question, address);
    }
    json_begin(question->out, "functions", '[');
    for (size_t i = 0; i < count; i++) {
        json_begin(question->out, NULL, '[');
        json_hex(question->out, NULL, best[i].address);
        json_bytes(question->out, NULL, best[i].name, strnlen(best[i].name, LONGEST_NAME));
        json_end(question->out, ']');
    }
    json_end(question->out, ']');
}

/* A write of memory or, with reads=1, any access to it. */
void ask_touch(struct question *question)
{
    struct site_search search;
    uint64_t address, size = 1;
    const char *reads = parameter(question, "reads");
    if (!site_seek_parse(question, &search) || !parameter_address(question, &address) ||
        !parameter_number(question, "size", LARGEST_SUBJECT, &size))
        return;
    search.reads = reads && strcmp(reads, "1") == 0;
    const struct spoor_range range = {.address = address, .size = size ? size : 1};
    if (question_place(question, &range, search.at, &search.subject))
        site_seek_answer(&search, site_seek_find_touch);
}
