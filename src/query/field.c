/* SPDX-License-Identifier: MIT */
/* field.c: names and values of a record's fields. */
#include "spoor/field.h"

#include <string.h>

#include "model/flag_letters.h"
#include "query/field_source.h"

_Static_assert(SPOOR_FIELDS <= 128, "a set of fields is a number of 128 bits");

static const char *const names[SPOOR_FIELDS_ALL] = {
#define NAME(id, name, what) name,
    SPOOR_FIELD_TABLE(NAME)
#undef NAME
        [SPOOR_FIELD_RECORD] = "record",
    [SPOOR_FIELD_LINE] = "line",
    [SPOOR_FIELD_KIND] = "kind",
    [SPOOR_FIELD_FUNCTION] = "function",
    [SPOOR_FIELD_OFFSET] = "offset",
    [SPOOR_FIELD_SOURCE] = "source",
    [SPOOR_FIELD_INLINED] = "inlined",
    [SPOOR_FIELD_SOURCE_TEXT] = "source_text",
};

static const char *const whats[SPOOR_FIELDS_ALL] = {
#define WHAT(id, name, what) what,
    SPOOR_FIELD_TABLE(WHAT)
#undef WHAT
        [SPOOR_FIELD_RECORD] = "ordinal in the trace, from 0",
    [SPOOR_FIELD_LINE] = "line number, from 1",
    [SPOOR_FIELD_KIND] = "kind of record: uop, insn, flow, reg, mem, bus, ...",
    [SPOOR_FIELD_FUNCTION] = "function that the pc lies in (with --image)",
    [SPOOR_FIELD_OFFSET] = "offset of the pc in its function",
    [SPOOR_FIELD_SOURCE] = "file and line of the pc",
    [SPOOR_FIELD_INLINED] = "functions inlined at the pc, the innermost first",
    [SPOOR_FIELD_SOURCE_TEXT] = "text of the line (with --source)",
};

const char *spoor_field_name(enum spoor_field field)
{
    return (unsigned)field < SPOOR_FIELDS_ALL ? names[field] : "?";
}

const char *spoor_field_what(enum spoor_field field)
{
    return (unsigned)field < SPOOR_FIELDS_ALL ? whats[field] : "";
}

int spoor_field_find(const char *name, size_t size)
{
    for (int field = 0; field < SPOOR_FIELDS_ALL; field++)
        if (strlen(names[field]) == size && memcmp(names[field], name, size) == 0) return field;
    return -1;
}

enum spoor_value_type spoor_field_type(enum spoor_field field)
{
    for (unsigned kind = 0; kind < SPOOR_KINDS; kind++)
        switch ((enum source_type)field_source(kind, field)->type) {
        case SOURCE_HEX: return SPOOR_VALUE_HEX;
        case SOURCE_UNSIGNED: return SPOOR_VALUE_UNSIGNED;
        case SOURCE_SIGNED: return SPOOR_VALUE_SIGNED;
        case SOURCE_FLAG: return SPOOR_VALUE_BOOL;
        case SOURCE_AFTER_PC: return SPOOR_VALUE_HEX;
        case SOURCE_WORD:
        case SOURCE_PICK:
        case SOURCE_NAME:
        case SOURCE_TEXT:
        case SOURCE_LETTER: return SPOOR_VALUE_TEXT;
        case SOURCE_NONE:
        case SOURCE_CALL: break;
        }
    /* The values of the fields with a function; the others are in the tables. */
    switch (field) {
    case SPOOR_FIELD_UOP:
    case SPOOR_FIELD_SRC1:
    case SPOOR_FIELD_SRC2:
    case SPOOR_FIELD_DEST: return SPOOR_VALUE_SIGNED;
    case SPOOR_FIELD_VMID:
    case SPOOR_FIELD_ASID:
    case SPOOR_FIELD_RECORD:
    case SPOOR_FIELD_LINE: return SPOOR_VALUE_UNSIGNED;
    case SPOOR_FIELD_OFFSET:
    case SPOOR_FIELD_FALL:
    case SPOOR_FIELD_DATA:
    case SPOOR_FIELD_VALUE:
    case SPOOR_FIELD_EXTRA: return SPOOR_VALUE_HEX;
    default: return SPOOR_VALUE_TEXT;
    }
}

/* ---- values ---- */

static struct spoor_value field_value(const struct field_source *source,
                                      const struct spoor_batch *batch, size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    if (source->type == SOURCE_NONE || !field_is_there(source, record)) return field_absent();
    const enum source_type stored = field_stored(source, record);
    if (stored == SOURCE_CALL || stored == SOURCE_WORD) return source->get(batch, index);
    const uint64_t member = field_member(source, record);
    const int64_t number = field_signed(member, 64U - 8U * source->size);
    if (source->zero_is_absent && member == 0) return field_absent();
    switch (stored) {
    case SOURCE_HEX: return (struct spoor_value){.type = SPOOR_VALUE_HEX, .number = member};
    case SOURCE_AFTER_PC:
        return (struct spoor_value){.type = SPOOR_VALUE_HEX,
                                    .number = record->uop.pc + (uint64_t)number};
    case SOURCE_UNSIGNED: /* in a full micro-op the same number is signed */
        return (struct spoor_value){
            .type = source->plain ? SPOOR_VALUE_SIGNED : SPOOR_VALUE_UNSIGNED, .number = member};
    case SOURCE_SIGNED:
        return (struct spoor_value){.type = SPOOR_VALUE_SIGNED, .signed_number = number};
    case SOURCE_FLAG:
        return (struct spoor_value){.type = SPOOR_VALUE_BOOL,
                                    .number = (member & source->mask) != 0};
    case SOURCE_NAME: return field_name_of(batch, (spoor_name)member);
    case SOURCE_PICK: return field_text(pick_letter(source->letters, source->mask, member), 1);
    case SOURCE_LETTER: return field_text((const char *)record + source->at, member != 0);
    default: {
        struct spoor_ref ref;
        memcpy(&ref, (const char *)record + source->at, sizeof ref);
        return ref.size ? field_text(spoor_batch_bytes(batch, ref), ref.size) : field_absent();
    }
    }
}

/* ---- the function and line of the pc ---- */

struct spoor_value spoor_field_get(const struct spoor_batch *batch, size_t index,
                                   enum spoor_field field)
{
    if (__builtin_expect(field < SPOOR_FIELDS, true))
        return field_value(field_source(batch->records[index].kind, field), batch, index);
    if (field >= SPOOR_FIELDS_ALL) return field_absent();
    if (field >= SPOOR_FIRST_LOCATED) {
        const struct spoor_locator *locator = batch->stream ? batch->stream->locator : NULL;
        if (!locator) return field_absent();
        const enum spoor_locate how = field == SPOOR_FIELD_SOURCE_TEXT ? SPOOR_LOCATE_TEXT
                                      : field == SPOOR_FIELD_FUNCTION || field == SPOOR_FIELD_OFFSET
                                          ? SPOOR_LOCATE_FUNCTION
                                          : SPOOR_LOCATE_LINE;
        const struct spoor_record *record = &batch->records[index];
        const struct spoor_value pc =
            field_value(field_source(record->kind, SPOOR_FIELD_PC), batch, index);
        const bool fetches = record->kind == SPOOR_MEM && record->op == SPOOR_MEM_FETCH &&
                             (record->has & SPOOR_HAS_VA);
        struct spoor_location at = {0};
        if ((!fetches && (pc.type != SPOOR_VALUE_HEX || pc.unknown)) ||
            !locator->locate(locator->context, fetches ? record->mem.va : pc.number, how, &at))
            return field_absent();
        switch (field) {
        case SPOOR_FIELD_FUNCTION: return field_string(at.function);
        case SPOOR_FIELD_SOURCE: return field_string(at.source);
        case SPOOR_FIELD_INLINED: return field_string(at.inlined);
        case SPOOR_FIELD_SOURCE_TEXT: return field_string(at.text);
        default: break;
        }
        if (!at.function) return field_absent();
        return (struct spoor_value){.type = SPOOR_VALUE_HEX, .number = at.offset};
    }
    if (field == SPOOR_FIELD_KIND) return field_string(spoor_kind_name(batch->records[index].kind));
    if (field == SPOOR_FIELD_LINE && batch->line == 0) return field_absent();
    return (struct spoor_value){.type = SPOOR_VALUE_UNSIGNED,
                                .number = field == SPOOR_FIELD_RECORD
                                              ? batch->first + index
                                              : spoor_batch_line(batch, index)};
}

/* ---- losses of a conversion ---- */

bool field_says(const struct field_source *source, const struct spoor_batch *batch, size_t index)
{
    if (source->quiet == QUIET_ALWAYS) return false;
    if (source->quiet == QUIET_GIVEN && batch->records[index].bus.given) return false;
    struct spoor_value value = field_value(source, batch, index);
    if (value.type == SPOOR_VALUE_ABSENT) return false;
    if (value.type == SPOOR_VALUE_BOOL) return value.number != 0;
    switch ((enum source_quiet)source->quiet) {
    case QUIET_MINUS_ONE: return value.signed_number != -1;
    case QUIET_DASH: return value.text.bytes[0] != '-';
    case QUIET_ZERO:
        if (value.type == SPOOR_VALUE_TEXT) return batch->records[index].op != 0;
        return value.number != 0;
    default: return true;
    }
}
