/* SPDX-License-Identifier: MIT */
/* seek_value.c: commands that go to the next or previous access to a register or memory, or change
 * of its value. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "browse/seek.h"

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
