/* SPDX-License-Identifier: MIT */
/*
 * seek.c: commands that go to the next or previous call, instruction or function, access to a
 * register or memory, or change of its value.
 *
 * A search goes from segment to segment, asks the index which ones can have what is searched for,
 * and shows its progress.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "browse/internal.h"

/* A search through segments: `find` searches one, beyond the record `from`. */
struct seeking {
    struct view *view;
    bool forwards;
    uint64_t from;                                        /* later or earlier than this record */
    uint64_t found;                                       /* UINT64_MAX: nothing yet */
    bool (*may)(struct seeking *seeking, size_t segment); /* NULL: any segment */
    bool (*find)(struct seeking *seeking, size_t segment);
    struct spoor_error error;
    /* what is searched for */
    enum spoor_call_event_kind kind;
    uint64_t low, high; /* addresses of instructions, both ends included */
    const struct spoor_subject *subject;
    bool reads, writes;
    struct spoor_byte *bytes; /* of the subject, while changes are sought */
    struct text value;        /* the last value that was written, likewise */
};

static bool is_beyond(const struct seeking *seeking, uint64_t record)
{
    return seeking->forwards ? record > seeking->from : record < seeking->from;
}

/* Notes a candidate: the nearest one wins. */
static void seeking_note(struct seeking *seeking, uint64_t record)
{
    if (!is_beyond(seeking, record)) return;
    if (seeking->found == UINT64_MAX ||
        (seeking->forwards ? record < seeking->found : record > seeking->found))
        seeking->found = record;
}

/* Searches from the segment of the record on; false: with a message, nothing was found. */
static bool seek(struct seeking *seeking, const char *what)
{
    struct view *view = seeking->view;
    const size_t count = spoor_index_segment_count(view->index);
    seeking->found = UINT64_MAX;
    if (count == 0) return false;
    size_t segment = spoor_index_segment_of(view->index, seeking->from);
    /* what begins at the end of a segment may be noticed in the next one */
    if (!seeking->forwards && segment + 1 < count) segment++;
    for (size_t i = 0; i < count && seeking->found == UINT64_MAX; i++) {
        if (!seeking->may || seeking->may(seeking, segment))
            if (!seeking->find(seeking, segment))
                return say_error(view->browser, "%s", seeking->error.text);
        if (!work_goes_on(view->browser, segment, count)) return false;
        if (seeking->forwards ? segment + 1 == count : segment == 0) break;
        segment += seeking->forwards ? 1 : SIZE_MAX;
    }
    if (seeking->found == UINT64_MAX)
        say_error(view->browser, "there is no %s %s", seeking->forwards ? "later" : "earlier",
                  what);
    return seeking->found != UINT64_MAX;
}

/* Repeats a search N times, and goes to the last place that was found. */
static void seek_and_go(struct browser *browser, const struct command_call *call,
                        struct seeking *seeking, const char *what)
{
    uint64_t count = call->counted && call->count ? call->count : 1;
    uint64_t record = UINT64_MAX;
    seeking->view = view_of(browser);
    work_begin(browser, "searching");
    for (; count > 0 && seek(seeking, what); count--) seeking->from = record = seeking->found;
    if (record != UINT64_MAX) view_go_record(seeking->view, record, true);
}

/* Begins a search at the cursor; false: there is no index. */
static bool begin_seeking(struct browser *browser, struct seeking *seeking, int direction)
{
    if (!need_index(browser)) return false;
    const struct here *here = view_here(view_of(browser));
    seeking->forwards = direction > 0;
    seeking->from = direction > 0 ? here->last : here->record;
    return here->known;
}

/* ---- calls, returns, exceptions ---- */

static bool browse_seek_find_event(struct seeking *seeking, size_t segment)
{
    const struct spoor_call_events *events = view_events(seeking->view, segment);
    for (size_t i = 0; events && i < events->count; i++)
        if (events->events[i].kind == seeking->kind)
            seeking_note(seeking, events->events[i].record);
    return events != NULL;
}

void seek_call(struct browser *browser, const struct command_call *call)
{
    static const char *const names[] = {"call", "return", "exception"};
    const int value = call->command->value, kind = (value > 0 ? value : -value) - 1;
    struct seeking seeking = {.find = browse_seek_find_event,
                              .kind = (enum spoor_call_event_kind)kind};
    if (begin_seeking(browser, &seeking, value)) seek_and_go(browser, call, &seeking, names[kind]);
}

/* ---- instructions at an address ---- */

static bool browse_seek_note_pc(void *context, const struct spoor_visited *visited)
{
    struct seeking *seeking = context;
    if (!visited->has_instruction || visited->instruction != visited->record) return true;
    if (visited->pc >= seeking->low && visited->pc <= seeking->high)
        seeking_note(seeking, visited->record);
    return true;
}

static bool browse_seek_find_pc(struct seeking *seeking, size_t segment)
{
    return spoor_explorer_visit_segment(seeking->view->explorer, segment, 0, UINT64_MAX,
                                        browse_seek_note_pc, seeking, &seeking->error) == SPOOR_OK;
}

static bool may_execute(struct seeking *seeking, size_t segment)
{
    return spoor_index_may_execute(seeking->view->index, segment, seeking->low, seeking->high);
}

static bool pc_here(struct browser *browser, uint64_t *pc)
{
    struct view *view = view_of(browser);
    const struct here *here = view_here(view);
    struct spoor_listing_row row;
    if (here->place.known) {
        *pc = here->place.pc;
        return true;
    }
    if (view_row(view, &row) && row_pc(&row, pc)) return true;
    return say_error(browser, "there is no instruction here");
}

void seek_pc(struct browser *browser, const struct command_call *call)
{
    struct seeking seeking = {.find = browse_seek_find_pc, .may = may_execute};
    if (!begin_seeking(browser, &seeking, call->command->value) || !pc_here(browser, &seeking.low))
        return;
    seeking.high = seeking.low;
    seek_and_go(browser, call, &seeking, "execution of this pc");
}

void go_pc(struct browser *browser, const struct command_call *call)
{
    struct spoor_error error = {0};
    struct seeking seeking = {.find = browse_seek_find_pc, .may = may_execute};
    const int direction = call->command ? call->command->value : 1;
    if (!begin_seeking(browser, &seeking, direction ? direction : 1)) return;
    if (!expression_value(browser, call->argument, true, &seeking.low, NULL, &error)) {
        say_error(browser, "%s", error.text);
        return;
    }
    if (spoor_explorer_isa(view_of(browser)->explorer) == SPOOR_ISA_AARCH32)
        seeking.low &= ~UINT64_C(1); /* the address of a T32 function is odd */
    seeking.high = seeking.low;
    seek_and_go(browser, call, &seeking, "execution of that pc");
}

/* The function at the cursor: by an image, or where the innermost call arrived. */
static bool function_here(struct browser *browser, struct seeking *seeking)
{
    struct view *view = view_of(browser);
    struct spoor_images *images = browser->options.images;
    struct spoor_place place;
    struct spoor_frame frame;
    uint64_t pc = 0;
    if (!pc_here(browser, &pc)) return false;
    if (images && spoor_images_function(images, pc, &place) && place.function && place.size) {
        seeking->low = place.start;
        seeking->high = place.start + place.size - 1;
        return true;
    }
    const struct spoor_state *state = view_state(view, view_here(view)->last + 1);
    if (!state) return false;
    const unsigned cpu = view_here(view)->cpu;
    const bool found = spoor_state_frame(state, cpu, spoor_state_depth(state, cpu) - 1, &frame);
    if (found) seeking->low = seeking->high = frame.function;
    if (!found) say_error(browser, "no call is open here, and no image names the function");
    return found;
}

void seek_function(struct browser *browser, const struct command_call *call)
{
    struct seeking seeking = {.find = browse_seek_find_pc, .may = may_execute};
    if (!begin_seeking(browser, &seeking, call->command->value) ||
        !function_here(browser, &seeking))
        return;
    seeking.high = seeking.low; /* its first instruction */
    seek_and_go(browser, call, &seeking, "call of this function");
}

/* ---- accesses ---- */

static bool seek_value_note_touch(void *context, const struct spoor_touch *touch)
{
    struct seeking *seeking = context;
    if ((touch->writes && seeking->writes) || (touch->reads && seeking->reads))
        seeking_note(seeking, touch->record);
    return true;
}

static bool seek_value_find_touch(struct seeking *seeking, size_t number)
{
    const struct spoor_segment segment = view_segment(seeking->view, number);
    return spoor_explorer_touches(seeking->view->explorer, seeking->subject, segment.from,
                                  segment.end, seek_value_note_touch, seeking,
                                  &seeking->error) >= SPOOR_OK;
}

static bool seek_value_may_touch(struct seeking *seeking, size_t segment)
{
    return spoor_explorer_may_touch(seeking->view->explorer, segment, seeking->subject,
                                    seeking->writes, seeking->reads);
}

static void seek_subject(struct browser *browser, const struct command_call *call,
                         const struct spoor_subject *subject, const char *what, bool reads)
{
    struct text name = {0};
    char words[160];
    struct seeking seeking = {.find = seek_value_find_touch,
                              .may = seek_value_may_touch,
                              .subject = subject,
                              .writes = true,
                              .reads = reads};
    if (!begin_seeking(browser, &seeking, call->command->value)) return;
    subject_name(browser, subject, &name);
    snprintf(words, sizeof words, "%s of %.*s", what, (int)name.size, name.bytes ? name.bytes : "");
    text_free(&name);
    seek_and_go(browser, call, &seeking, words);
}

void seek_touch(struct browser *browser, const struct command_call *call)
{
    const bool reads = call->command->value == 2 || call->command->value == -2;
    struct spoor_subject subject;
    if (!need_index(browser) || !subject_here(browser, &subject)) return;
    seek_subject(browser, call, &subject, reads ? "access" : "write", reads);
}

/* ---- changes of a value ---- */

/* Applies a write to the bytes of the subject; true: one of them differs afterwards, or its value
 * is unknown. */
static bool write_bytes(const struct seeking *seeking, const struct spoor_touch *touch)
{
    bool changed = false;
    for (uint64_t i = touch->offset; i < touch->end; i++) {
        const struct spoor_byte *now = &touch->bytes[i - touch->offset];
        struct spoor_byte *byte = &seeking->bytes[i];
        if (!now->has_writer) continue;
        changed |= now->known == SPOOR_BYTE_UNKNOWN || byte->known == SPOOR_BYTE_UNKNOWN ||
                   byte->value != now->value;
        *byte = *now;
    }
    return changed;
}

static bool note_change(void *context, const struct spoor_touch *touch)
{
    struct seeking *seeking = context;
    struct text *last = &seeking->value;
    if (!touch->writes) return true;
    if (touch->bytes) {
        if (write_bytes(seeking, touch)) seeking_note(seeking, touch->record);
        return true;
    }
    /* the same value in the same width changes nothing; anything else may */
    const size_t size = touch->value ? strlen(touch->value) : 0;
    if (!size || last->size != size || memcmp(last->bytes, touch->value, size) != 0)
        seeking_note(seeking, touch->record);
    last->size = 0;
    if (size) text_put(last, touch->value, size);
    return true;
}

static bool seek_value_is_memory(const struct spoor_subject *subject)
{
    return !subject->name;
}

/* The bytes of the subject, which is memory, at a moment. */
static bool seek_value_read_bytes(struct seeking *seeking, uint64_t moment)
{
    const struct spoor_subject *subject = seeking->subject;
    const struct spoor_range range = {.address = subject->has_address ? subject->address
                                                                      : subject->physical,
                                      .size = subject->size,
                                      .physical = !subject->has_address,
                                      .security = subject->security};
    return spoor_explorer_memory(seeking->view->explorer, &range, moment, seeking->bytes,
                                 &seeking->error) == SPOOR_OK;
}

static bool find_change(struct seeking *seeking, size_t number)
{
    const struct spoor_segment segment = view_segment(seeking->view, number);
    seeking->value.size = 0;
    return (!seek_value_is_memory(seeking->subject) ||
            seek_value_read_bytes(seeking, segment.from)) &&
           spoor_explorer_touches(seeking->view->explorer, seeking->subject, segment.from,
                                  segment.end, note_change, seeking, &seeking->error) >= SPOOR_OK;
}

/* The value of a register at a moment; all 0 where it is not known. */
static struct spoor_register_value value_at(struct view *view, const struct spoor_subject *subject,
                                            uint64_t moment)
{
    struct spoor_register_value value = {.bits = 0};
    const struct spoor_state *state = view_state(view, moment);
    if (state) spoor_state_value(state, subject, &value);
    return value;
}

/* True if the value of a register differs before and after a record; memory was compared. */
static bool changes(const struct seeking *seeking)
{
    if (seek_value_is_memory(seeking->subject)) return true;
    const struct spoor_register_value before =
        value_at(seeking->view, seeking->subject, seeking->found);
    const struct spoor_register_value after =
        value_at(seeking->view, seeking->subject, seeking->found + 1);
    return before.bits != after.bits ||
           memcmp(before.bytes, after.bytes, sizeof before.bytes) != 0 ||
           memcmp(before.known, after.known, sizeof before.known) != 0;
}

void seek_change(struct browser *browser, const struct command_call *call)
{
    struct view *view = view_of(browser);
    struct spoor_subject subject;
    struct text name = {0};
    char what[160];
    uint64_t count = call->counted && call->count ? call->count : 1, found = UINT64_MAX;
    if (!need_index(browser) || !subject_here(browser, &subject)) return;
    struct seeking seeking = {.view = view,
                              .find = find_change,
                              .may = seek_value_may_touch,
                              .subject = &subject,
                              .writes = true};
    if (!begin_seeking(browser, &seeking, call->command->value)) return;
    subject_name(browser, &subject, &name);
    snprintf(what, sizeof what, "change of %.*s", (int)name.size, name.bytes ? name.bytes : "");
    text_free(&name);
    seeking.bytes = calloc(subject.size + 1, sizeof *seeking.bytes);
    while (seeking.bytes && count > 0 && seek(&seeking, what)) {
        seeking.from = seeking.found;
        if (!changes(&seeking)) continue;
        found = seeking.found;
        count--;
    }
    if (found != UINT64_MAX) view_go_record(view, found, true);
    free(seeking.bytes);
    text_free(&seeking.value);
}
