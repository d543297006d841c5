/* SPDX-License-Identifier: MIT */
/* event.c: reads the events of each producer. */
#include "effects/event.h"

#include <string.h>

#include "base/ascii.h"
#include "base/hash.h"
#include "base/scan.h"
#include "formats/format.h"

static bool event_is_word(const char *text, size_t size, const char *word)
{
    return size == strlen(word) && ascii_compare_some(text, word, size) == 0;
}

static bool event_has_word(const char *text, size_t size, const char *word)
{
    const size_t length = strlen(word);
    for (size_t i = 0; i + length <= size; i++)
        if (ascii_compare_some(text + i, word, length) == 0) return true;
    return false;
}

static void event_skip_prefix(const char **name, size_t *size)
{
    static const char prefix[] = "CoreEvent_";
    const size_t length = sizeof prefix - 1;
    if (*size <= length || memcmp(*name, prefix, length) != 0) return;
    *name += length;
    *size -= length;
}

bool event_same_name(const char *one, size_t one_size, const char *other, size_t other_size)
{
    event_skip_prefix(&one, &one_size);
    event_skip_prefix(&other, &other_size);
    return one_size == other_size && ascii_compare_some(one, other, one_size) == 0;
}

/* Finds the value of "KEY=" in the text of INFO_EXCEPTION_REASON, which ends before the next key.
 */
static bool event_find_value(const char *text, size_t size, const char *key, const char **value,
                             size_t *value_size)
{
    const size_t length = strlen(key);
    for (size_t i = 0; i + length <= size; i++) {
        if ((i && text[i - 1] != ' ') || memcmp(text + i, key, length) != 0) continue;
        const char *begin = text + i + length, *end;
        const char *equals = memchr(begin, '=', size - i - length);
        if (equals)
            for (end = equals; end > begin && *end != ' ';) end--;
        else
            end = text + size;
        *value = begin;
        *value_size = (size_t)(end - begin);
        return true;
    }
    return false;
}

static void event_read_reason(const struct spoor_batch *batch, const struct spoor_record *record,
                              struct event_statement *found)
{
    const char *text = spoor_batch_bytes(batch, record->event.text), *phase;
    const size_t size = record->event.text.size;
    size_t phase_size;
    if (!event_find_value(text, size, "PHASE=", &phase, &phase_size) ||
        !event_find_value(text, size, "VECTOR=", &found->name, &found->name_size))
        return;
    if (event_is_word(phase, phase_size, "ACTIVATE")) found->meaning = EVENT_MEANS_EXCEPTION;
    if (event_is_word(phase, phase_size, "DEACTIVATE")) found->meaning = EVENT_MEANS_RETURN;
    found->escalated = event_is_word(phase, phase_size, "ESCALATED");
    if (found->escalated || event_is_word(phase, phase_size, "RAISE"))
        found->meaning = EVENT_MEANS_RAISED;
    const char *pc;
    size_t pc_size;
    if (found->meaning != EVENT_MEANS_RETURN &&
        event_find_value(text, size, "PC=", &pc, &pc_size)) {
        struct scan scan = {pc, pc + pc_size};
        found->addressed = SCAN_LITERAL(&scan, "0x") && scan_hex(&scan, &found->value, NULL, NULL);
    }
    if (!event_find_value(text, size, "FaultCause=", &found->fault, &found->fault_size)) return;
    const char *next = memmem(found->fault, found->fault_size, " SecurityState", 14);
    if (next) found->fault_size = (size_t)(next - found->fault);
    if (event_is_word(found->fault, found->fault_size, "NO_FSR_BIT")) found->fault_size = 0;
}

struct event_statement event_read(const struct spoor_batch *batch,
                                  const struct spoor_record *record)
{
    const struct spoor_event *event = &record->event;
    const struct spoor_names *names = batch->stream->names;
    const bool debug = record->op == SPOOR_EVENT_DEBUG;
    struct event_statement found = {.meaning = EVENT_MEANS_NOTHING,
                                    .number = event->number,
                                    .value = event->value,
                                    .numbered = record->has & SPOOR_HAS_INDEX,
                                    .addressed = record->has & SPOOR_HAS_VA,
                                    .reason = record->op == SPOOR_EVENT_REASON};
    const bool named = debug || record->op == SPOOR_EVENT_E || record->op == SPOOR_EVENT_EXCEPTION;
    if (found.reason) event_read_reason(batch, record, &found);
    if (named) found.name = spoor_names_text(names, event->name, &found.name_size);
    const char *name = found.name;
    size_t size = found.name_size;
    if (debug) {
        if (event_is_word(name, size, "INT_TAKEN")) found.meaning = EVENT_MEANS_EXCEPTION;
        if (event_is_word(name, size, "INT_RETURN")) found.meaning = EVENT_MEANS_RETURN;
        if (event_is_word(name, size, "LOCKUP")) found.meaning = EVENT_MEANS_LOCKUP;
        if (event_is_word(name, size, "RESET")) found.meaning = EVENT_MEANS_RESET;
        if (event_is_word(name, size, "HARDFAULT_REQ")) found.meaning = EVENT_MEANS_RAISED;
        found.certain = true;
        found.addressed = false; /* the value is the number of the exception */
        found.numbered = record->has & SPOOR_HAS_VA;
        found.number = record->event.value;
    } else if (named && event_has_word(name, size, "ModeChange")) {
        size_t length;
        const char *mode = spoor_names_text(names, event->mode, &length);
        if (event_is_word(mode, length, "lockup")) found.meaning = EVENT_MEANS_LOCKUP;
        found.addressed = false; /* Fast Models print 0 */
    } else if (named && event_same_name(name, size, "lockup", 6)) {
        found.meaning = EVENT_MEANS_LOCKUP;
    } else if (named && (event_same_name(name, size, "reset", 5) ||
                         (size > 5 && ascii_compare_some(name + size - 6, "_reset", 6) == 0))) {
        found.meaning = EVENT_MEANS_RESET;
    } else if (named && !event_has_word(name, size, "DebugEvent")) {
        found.meaning = EVENT_MEANS_EXCEPTION;
        found.has_tval = found.addressed && batch->stream->format->exceptions_have_tval;
        found.addressed &= !found.has_tval;
        found.certain = record->op == SPOOR_EVENT_EXCEPTION;
    }
    if (name) event_skip_prefix(&name, &size);
    for (size_t i = 0; name && i < size; i++)
        found.key = hash_mix(found.key, (uint8_t)name[i] | 0x20U);
    return found;
}
