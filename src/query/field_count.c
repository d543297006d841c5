/* SPDX-License-Identifier: MIT */
/*
 * field_count.c: counting by fields: the test is the same for all records, and a loop without a
 * branch runs it.
 *
 * One comparison decides whether a member has information, for any type: shifted and masked, it
 * lies in a range.
 */
#include "query/field_source.h"

#include <stddef.h>

#include "spoor/names.h"

/* A member carries information if (member - minimum) < span, unsigned. */
struct test {
    struct field_place place;
    uint64_t minimum, span;
    uint16_t needs;
    uint8_t given; /* one of these bits must be in bus.given; 0: none is needed */
};

static inline bool field_count_says(const struct test *test, const struct spoor_record *record)
{
    const bool there = (record->has & test->needs) == test->needs;
    const bool given = !test->given | ((record->bus.given & test->given) != 0);
    return there & given & (field_load(&test->place, record) - test->minimum < test->span);
}

static uint64_t field_count_members(const struct spoor_batch *batch, const uint32_t *indexes,
                                    size_t count, const struct test *test)
{
    const struct spoor_record *records = batch->records;
    uint64_t said = 0;
    if (test->place.mask == 0 && test->needs == 0 && test->given == 0) return count;
    if (test->needs == 0 && test->given == 0)
        for (size_t i = 0; i < count; i++)
            said += field_load(&test->place, &records[indexes[i]]) - test->minimum < test->span;
    else
        for (size_t i = 0; i < count; i++) said += field_count_says(test, &records[indexes[i]]);
    return said;
}

uint64_t field_count(const struct spoor_batch *batch, const uint32_t *indexes, size_t count,
                     enum spoor_kind kind, enum spoor_field field)
{
    const struct field_source *source = field_source(kind, field);
    if (source->type == SOURCE_NONE || source->quiet == QUIET_ALWAYS) return 0;
    const bool asks = source->type == SOURCE_CALL || source->type == SOURCE_WORD;
    if (asks && !source->plain) {
        /* Call the function for each record that has the field. */
        uint64_t said = 0;
        for (size_t i = 0; i < count; i++)
            said += field_is_there(source, &batch->records[indexes[i]]) &&
                    field_says(source, batch, indexes[i]);
        return said;
    }
    struct test test = {.needs = source->needs, .given = source->given};
    const unsigned after = (unsigned)offsetof(struct spoor_ref, size);
    test.place = field_place(source->at, source->size);
    /* Any value but zero, ... */
    test.minimum = 1;
    test.span = UINT64_MAX;
    switch ((enum source_type)(source->plain ? source->plain : source->type)) {
    case SOURCE_NAME: test.span = spoor_names_count(batch->stream->names) - 1; break;
    case SOURCE_TEXT: test.place = field_place(source->at + after, sizeof(uint32_t)); break;
    case SOURCE_FLAG:
    case SOURCE_PICK: test.place.mask = source->mask; break;
    case SOURCE_LETTER: break;
    default: /* numbers */
        if (source->quiet == QUIET_MINUS_ONE) {
            /* ... any but -1, ... */
            test.minimum = 0;
            test.span = test.place.mask;
        } else if (source->quiet == QUIET_NEVER && !source->zero_is_absent) {
            /* ... or all values. */
            test.place.mask = test.minimum = 0;
            test.span = 1;
        }
    }
    uint16_t has = 0;
    for (size_t i = 0; asks && i < count; i++) has |= batch->records[indexes[i]].has;
    if (!(has & SPOOR_IS_SPILLED)) return field_count_members(batch, indexes, count, &test);
    /* Spilled records count by their values, others by their members. */
    uint64_t said = 0;
    for (size_t i = 0; i < count; i++) {
        const struct spoor_record *record = &batch->records[indexes[i]];
        said += record->has & SPOOR_IS_SPILLED ? field_says(source, batch, indexes[i])
                                               : field_count_says(&test, record);
    }
    return said;
}
