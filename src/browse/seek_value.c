/* SPDX-License-Identifier: MIT */
/* seek_value.c: commands that go to the next or previous access to a register or memory, or change
 * of its value. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "browse/seek.h"

/* ---- accesses ---- */

static bool note_touch(void *context, const struct touch *touch)
{
    struct seeking *seeking = context;
    if ((touch->writes && seeking->writes) || (touch->reads && seeking->reads))
        seeking_note(seeking, touch->record);
    return true;
}

static bool find_touch(struct seeking *seeking, size_t number)
{
    const struct segment *segment = &seeking->view->index->segments[number];
    return explorer_touches(seeking->view->explorer, seeking->subject, segment->place.record,
                            segment->place.record + segment->records, note_touch, seeking,
                            &seeking->error) >= SPOOR_OK;
}

static bool may_touch(struct seeking *seeking, size_t segment)
{
    const struct subject *subject = seeking->subject;
    const struct index *index = seeking->view->index;
    if (!subject->is_memory)
        return seeking->reads || index_writes(index, segment, subject->cpu, subject->part.name);
    /* a semihosting call writes, too: explorer_touches() knows */
    return index->hosted_count || segment_writes(index, segment, &subject->place) ||
           (seeking->reads && segment_reads(index, segment, &subject->place));
}

static void seek_subject(struct browser *browser, const struct command_call *call,
                         const struct subject *subject, const char *what, bool reads)
{
    struct text name = {0};
    char words[160];
    struct seeking seeking = {
        .find = find_touch, .may = may_touch, .subject = subject, .writes = true, .reads = reads};
    if (!begin_seeking(browser, &seeking, call->command->value)) return;
    subject_name(browser, subject, &name);
    snprintf(words, sizeof words, "%s of %.*s", what, (int)name.size, name.bytes ? name.bytes : "");
    text_free(&name);
    seek_and_go(browser, call, &seeking, words);
}

void seek_touch(struct browser *browser, const struct command_call *call)
{
    const bool reads = call->command->value == 2 || call->command->value == -2;
    struct subject subject;
    if (!need_index(browser) || !subject_here(browser, &subject)) return;
    seek_subject(browser, call, &subject, reads ? "access" : "write", reads);
}

/* ---- changes of a value ---- */

/* Applies a write to the bytes of the subject; true: one of them differs afterwards, or its value
 * is unknown. */
static bool write_bytes(const struct seeking *seeking, const struct touch *touch)
{
    const struct memory_place *place = &seeking->subject->place;
    struct access access;
    uint64_t from, to;
    bool changed = false;
    if (!explorer_access(seeking->view->explorer, touch->visited, &access) ||
        !place_touched(place, &access, &from, &to))
        return false;
    const uint64_t begin =
        place->has_pa && access.has_pa ? place->pa - access.pa : place->va - access.va;
    for (uint64_t i = from; i < to; i++) {
        struct spoor_byte *byte = &seeking->bytes[i];
        uint8_t value = 0;
        const enum byte_known known = access_byte(touch->visited->batch, touch->visited->index,
                                                  &access, (uint32_t)(begin + i), &value);
        if (known == BYTE_UNTOUCHED) continue;
        changed |=
            known == BYTE_UNKNOWN || byte->known == SPOOR_BYTE_UNKNOWN || byte->value != value;
        byte->known = known == BYTE_KNOWN ? SPOOR_BYTE_WRITTEN : SPOOR_BYTE_UNKNOWN;
        byte->value = value;
    }
    return changed;
}

static bool note_change(void *context, const struct touch *touch)
{
    struct seeking *seeking = context;
    struct text *last = &seeking->value;
    if (!touch->writes) return true;
    if (seeking->subject->is_memory) {
        if (write_bytes(seeking, touch)) seeking_note(seeking, touch->record);
        return true;
    }
    /* the same value in the same width changes nothing; anything else may */
    const size_t size = strlen(touch->value);
    if (!touch->valued || last->size != size || memcmp(last->bytes, touch->value, size) != 0)
        seeking_note(seeking, touch->record);
    last->size = 0;
    if (touch->valued) text_put(last, touch->value, size);
    return true;
}

static bool find_change(struct seeking *seeking, size_t number)
{
    const struct segment *segment = &seeking->view->index->segments[number];
    struct explorer *explorer = seeking->view->explorer;
    const struct subject *subject = seeking->subject;
    seeking->value.size = 0;
    return (!subject->is_memory || explorer_memory(explorer, &subject->place, segment->place.record,
                                                   seeking->bytes, &seeking->error) >= SPOOR_OK) &&
           explorer_touches(explorer, subject, segment->place.record,
                            segment->place.record + segment->records, note_change, seeking,
                            &seeking->error) >= SPOOR_OK;
}

/* The value of a register at a moment, as text. */
static void value_at(struct view *view, const struct subject *subject, uint64_t moment,
                     struct text *value)
{
    const struct registers *registers = view_registers(view, moment);
    const struct cell *cell =
        registers ? registers_find(registers, subject->cpu, subject->part.name) : NULL;
    value->size = 0;
    if (cell) cell_text(cell, subject->part.low, subject->part.bits, value);
}

/* True if the value of a register differs before and after a record; memory was compared. */
static bool changes(const struct seeking *seeking)
{
    struct text before = {0}, after = {0};
    if (seeking->subject->is_memory) return true;
    value_at(seeking->view, seeking->subject, seeking->found, &before);
    value_at(seeking->view, seeking->subject, seeking->found + 1, &after);
    const bool same = before.size == after.size &&
                      (!before.size || memcmp(before.bytes, after.bytes, before.size) == 0);
    text_free(&before);
    text_free(&after);
    return !same;
}

void seek_change(struct browser *browser, const struct command_call *call)
{
    struct view *view = view_of(browser);
    struct subject subject;
    struct text name = {0};
    char what[160];
    uint64_t count = call->counted && call->count ? call->count : 1, found = UINT64_MAX;
    if (!need_index(browser) || !subject_here(browser, &subject)) return;
    struct seeking seeking = {
        .view = view, .find = find_change, .may = may_touch, .subject = &subject, .writes = true};
    if (!begin_seeking(browser, &seeking, call->command->value)) return;
    subject_name(browser, &subject, &name);
    snprintf(what, sizeof what, "change of %.*s", (int)name.size, name.bytes ? name.bytes : "");
    text_free(&name);
    seeking.bytes = calloc(subject.place.size + 1, sizeof *seeking.bytes);
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
