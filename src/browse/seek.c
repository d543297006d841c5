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
struct segment_search {
    struct view *view;
    bool forwards;
    uint64_t from;  /* later or earlier than this record */
    uint64_t found; /* UINT64_MAX: nothing yet */
    bool (*may)(struct segment_search *search, size_t segment); /* NULL: any segment */
    bool (*find)(struct segment_search *search, size_t segment);
    struct spoor_error error;
    /* what is searched for */
    enum spoor_call_event_kind kind;
    uint64_t low, high; /* addresses of instructions, both ends included */
    const struct spoor_subject *subject;
    bool reads, writes;
    struct spoor_byte *bytes; /* of the subject, while changes are sought */
    struct text value;        /* the last value that was written, likewise */
};

/* Notes a candidate: the nearest one wins. */
static void seek_note(struct segment_search *search, uint64_t record)
{
    if (search->forwards ? record <= search->from : record >= search->from) return;
    if (search->found == UINT64_MAX ||
        (search->forwards ? record < search->found : record > search->found))
        search->found = record;
}

/* Searches from the segment of the record on; false: with a message, nothing was found. */
static bool seek(struct segment_search *search, const char *what)
{
    struct view *view = search->view;
    const size_t count = spoor_index_segment_count(view->index);
    search->found = UINT64_MAX;
    if (count == 0) return false;
    size_t segment = spoor_index_segment_of(view->index, search->from);
    /* what begins at the end of a segment may be noticed in the next one */
    if (!search->forwards && segment + 1 < count) segment++;
    for (size_t i = 0; i < count && search->found == UINT64_MAX; i++) {
        if (!search->may || search->may(search, segment))
            if (!search->find(search, segment))
                return say_error(view->browser, "%s", search->error.text);
        if (!work_goes_on(view->browser, segment, count)) return false;
        if (search->forwards ? segment + 1 == count : segment == 0) break;
        segment += search->forwards ? 1 : SIZE_MAX;
    }
    if (search->found == UINT64_MAX)
        say_error(view->browser, "there is no %s %s", search->forwards ? "later" : "earlier", what);
    return search->found != UINT64_MAX;
}

/* Repeats a search N times, and goes to the last place that was found. */
static void seek_and_go(struct browser *browser, const struct command_call *call,
                        struct segment_search *search, const char *what)
{
    uint64_t count = call->counted && call->count ? call->count : 1;
    uint64_t record = UINT64_MAX;
    search->view = view_of(browser);
    work_begin(browser, "searching");
    for (; count > 0 && seek(search, what); count--) search->from = record = search->found;
    if (record != UINT64_MAX) view_go_record(search->view, record, true);
}

/* Begins a search at the cursor; false: there is no index. */
static bool seek_begin(struct browser *browser, struct segment_search *search, int direction)
{
    if (!need_index(browser)) return false;
    const struct here *here = view_here(view_of(browser));
    search->forwards = direction > 0;
    search->from = direction > 0 ? here->last : here->record;
    return here->known;
}

/* ---- calls, returns, exceptions ---- */

static bool seek_find_event(struct segment_search *search, size_t segment)
{
    const struct spoor_call_events *events = view_events(search->view, segment);
    for (size_t i = 0; events && i < events->count; i++)
        if (events->events[i].kind == search->kind) seek_note(search, events->events[i].record);
    return events != NULL;
}

void seek_call(struct browser *browser, const struct command_call *call)
{
    static const char *const names[] = {"call", "return", "exception"};
    const int value = call->command->value, kind = (value > 0 ? value : -value) - 1;
    struct segment_search search = {.find = seek_find_event,
                                    .kind = (enum spoor_call_event_kind)kind};
    if (seek_begin(browser, &search, value)) seek_and_go(browser, call, &search, names[kind]);
}

/* ---- instructions at an address ---- */

static bool seek_note_pc(void *context, const struct spoor_record_visit *visited)
{
    struct segment_search *search = context;
    if (!visited->has_instruction || visited->instruction != visited->record) return true;
    if (visited->pc >= search->low && visited->pc <= search->high)
        seek_note(search, visited->record);
    return true;
}

static bool seek_find_pc(struct segment_search *search, size_t segment)
{
    return spoor_explorer_visit_segment(search->view->explorer, segment, 0, UINT64_MAX,
                                        seek_note_pc, search, &search->error) == SPOOR_OK;
}

static bool seek_may_execute(struct segment_search *search, size_t segment)
{
    return spoor_index_may_execute(search->view->index, segment, search->low, search->high);
}

static bool seek_pc_here(struct browser *browser, uint64_t *pc)
{
    struct view *view = view_of(browser);
    const struct here *here = view_here(view);
    struct spoor_listing_row row = {.struct_size = sizeof row};
    if (here->place.known) {
        *pc = here->place.pc;
        return true;
    }
    if (view_row(view, &row) && row_pc(&row, pc)) return true;
    return say_error(browser, "there is no instruction here");
}

/* The pc is the argument, else that of the cursor. */
void seek_pc(struct browser *browser, const struct command_call *call)
{
    struct spoor_error error = {0};
    struct segment_search search = {.find = seek_find_pc, .may = seek_may_execute};
    const char *words = call->argument;
    const int direction = call->command && call->command->value ? call->command->value : 1;
    if (!seek_begin(browser, &search, direction)) return;
    if (!words && !seek_pc_here(browser, &search.low)) return;
    if (words && !expression_value(browser, words, true, &search.low, NULL, &error)) {
        say_error(browser, "%s", error.text);
        return;
    }
    if (words && spoor_explorer_isa(view_of(browser)->explorer) == SPOOR_ISA_AARCH32)
        search.low &= ~UINT64_C(1); /* the address of a T32 function is odd */
    search.high = search.low;
    seek_and_go(browser, call, &search, words ? "execution of that pc" : "execution of this pc");
}

void seek_function(struct browser *browser, const struct command_call *call)
{
    struct segment_search search = {.find = seek_find_pc, .may = seek_may_execute};
    struct view *view = view_of(browser);
    struct spoor_images *images = browser->options.images;
    struct spoor_place place = {.struct_size = sizeof place};
    struct spoor_frame frame = {.struct_size = sizeof frame};
    uint64_t pc = 0;
    if (!seek_begin(browser, &search, call->command->value) || !seek_pc_here(browser, &pc)) return;
    /* Its first instruction, by an image, or where the innermost call arrived. */
    if (images && spoor_images_function(images, pc, &place) && place.function && place.size) {
        search.low = place.start;
    } else {
        const struct spoor_state *state = view_state(view, view_here(view)->last + 1);
        if (!state) return;
        const unsigned cpu = view_here(view)->cpu;
        if (!spoor_state_frame(state, cpu, spoor_state_depth(state, cpu) - 1, &frame)) {
            say_error(browser, "no call is open here, and no image names the function");
            return;
        }
        search.low = frame.function;
    }
    search.high = search.low;
    seek_and_go(browser, call, &search, "call of this function");
}

/* ---- accesses ---- */

static bool seek_note_access(void *context, const struct spoor_touch *touch)
{
    struct segment_search *search = context;
    if ((touch->writes && search->writes) || (touch->reads && search->reads))
        seek_note(search, touch->record);
    return true;
}

static bool seek_find_access(struct segment_search *search, size_t number)
{
    const struct spoor_segment segment = view_segment(search->view, number);
    return spoor_explorer_touches(search->view->explorer, search->subject, segment.from,
                                  segment.end, seek_note_access, search,
                                  &search->error) >= SPOOR_OK;
}

static bool seek_may_access(struct segment_search *search, size_t segment)
{
    return spoor_explorer_may_touch(search->view->explorer, segment, search->subject,
                                    search->writes, search->reads);
}

void seek_touch(struct browser *browser, const struct command_call *call)
{
    const bool reads = call->command->value == 2 || call->command->value == -2;
    struct spoor_subject subject;
    struct text name = {0};
    char words[160];
    struct segment_search search = {.find = seek_find_access,
                                    .may = seek_may_access,
                                    .subject = &subject,
                                    .writes = true,
                                    .reads = reads};
    if (!need_index(browser) || !subject_here(browser, &subject) ||
        !seek_begin(browser, &search, call->command->value))
        return;
    subject_name(browser, &subject, &name);
    snprintf(words, sizeof words, "%s of %.*s", reads ? "access" : "write", (int)name.size,
             name.bytes ? name.bytes : "");
    text_free(&name);
    seek_and_go(browser, call, &search, words);
}

/* ---- changes of a value ---- */

static bool seek_note_change(void *context, const struct spoor_touch *touch)
{
    struct segment_search *search = context;
    struct text *last = &search->value;
    if (!touch->writes) return true;
    if (touch->bytes) {
        /* A byte of the subject differs afterwards, or its value is unknown. */
        bool changed = false;
        for (uint64_t i = touch->offset; i < touch->end; i++) {
            const struct spoor_byte *now = &touch->bytes[i - touch->offset];
            struct spoor_byte *byte = &search->bytes[i];
            if (!now->has_writer) continue;
            changed |= now->known == SPOOR_BYTE_UNKNOWN || byte->known == SPOOR_BYTE_UNKNOWN ||
                       byte->value != now->value;
            *byte = *now;
        }
        if (changed) seek_note(search, touch->record);
        return true;
    }
    /* the same value in the same width changes nothing; anything else may */
    const size_t size = touch->value ? strlen(touch->value) : 0;
    if (!size || last->size != size || memcmp(last->bytes, touch->value, size) != 0)
        seek_note(search, touch->record);
    last->size = 0;
    if (size) text_put(last, touch->value, size);
    return true;
}

static bool seek_find_change(struct segment_search *search, size_t number)
{
    const struct spoor_segment segment = view_segment(search->view, number);
    struct spoor_explorer *explorer = search->view->explorer;
    const struct spoor_subject *subject = search->subject;
    const struct spoor_range range = {.address = subject->has_address ? subject->address
                                                                      : subject->physical,
                                      .size = subject->size,
                                      .physical = !subject->has_address,
                                      .security = subject->security};
    search->value.size = 0;
    if (!subject->name && spoor_explorer_memory(explorer, &range, segment.from, search->bytes,
                                                &search->error) != SPOOR_OK)
        return false;
    return spoor_explorer_touches(explorer, subject, segment.from, segment.end, seek_note_change,
                                  search, &search->error) >= SPOOR_OK;
}

void seek_change(struct browser *browser, const struct command_call *call)
{
    struct view *view = view_of(browser);
    struct spoor_subject subject;
    struct text name = {0};
    char what[160];
    uint64_t count = call->counted && call->count ? call->count : 1, found = UINT64_MAX;
    if (!need_index(browser) || !subject_here(browser, &subject)) return;
    struct segment_search search = {.view = view,
                                    .find = seek_find_change,
                                    .may = seek_may_access,
                                    .subject = &subject,
                                    .writes = true};
    if (!seek_begin(browser, &search, call->command->value)) return;
    subject_name(browser, &subject, &name);
    snprintf(what, sizeof what, "change of %.*s", (int)name.size, name.bytes ? name.bytes : "");
    text_free(&name);
    search.bytes = calloc(subject.size + 1, sizeof *search.bytes);
    while (search.bytes && count > 0 && seek(&search, what)) {
        search.from = search.found;
        if (subject.name) { /* of memory the bytes were compared; unknown values are all 0 */
            struct spoor_register_value values[2] = {{.bits = 0}};
            for (unsigned i = 0; i < 2; i++) {
                const struct spoor_state *state = view_state(view, search.found + i);
                if (state) spoor_state_value(state, &subject, &values[i]);
            }
            if (values[0].bits == values[1].bits &&
                memcmp(values[0].bytes, values[1].bytes, sizeof values[0].bytes) == 0 &&
                memcmp(values[0].known, values[1].known, sizeof values[0].known) == 0)
                continue;
        }
        found = search.found;
        count--;
    }
    if (found != UINT64_MAX) view_go_record(view, found, true);
    free(search.bytes);
    text_free(&search.value);
}
