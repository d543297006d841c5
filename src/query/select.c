/* SPDX-License-Identifier: MIT */
/* select.c: matching records against a compiled expression. */
#include "query/select_test.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "model/error.h"
#include "query/field_source.h"
#include "query/value.h"

/* ---- numbers ---- */

static int select_compare_numbers(const struct number *a, const struct number *b)
{
    if (a->rank != b->rank) return a->rank < b->rank ? -1 : 1;
    int order = (a->high > b->high) - (a->high < b->high);
    if (order == 0) order = (a->low > b->low) - (a->low < b->low);
    return a->rank < 0 ? -order : order;
}

static bool select_order_holds(enum relation relation, int order)
{
    switch (relation) {
    case RELATION_EQUAL: return order == 0;
    case RELATION_NOT_EQUAL: return order != 0;
    case RELATION_LESS: return order < 0;
    case RELATION_AT_MOST: return order <= 0;
    case RELATION_GREATER: return order > 0;
    case RELATION_AT_LEAST: return order >= 0;
    default: return false;
    }
}

static struct number select_number_of(const struct spoor_value *value)
{
    if (value->type == SPOOR_VALUE_BYTES) {
        /* The lowest 16 bytes of a number of any width; rank 1 if it is wider. */
        struct spoor_slice bytes = value->text;
        struct number number = {0};
        uint64_t words[2] = {0};
        memcpy(words, bytes.bytes, bytes.size < sizeof words ? bytes.size : sizeof words);
        number.low = words[0];
        number.high = words[1];
        for (size_t i = sizeof words; i < bytes.size; i++)
            if (bytes.bytes[i]) number.rank = 1;
        return number;
    }
    if (value->type == SPOOR_VALUE_SIGNED && value->signed_number < 0)
        return (struct number){.rank = -1, .low = -(uint64_t)value->signed_number};
    return (struct number){.low = value->number};
}

/* ---- texts ---- */

/* True if the name of a register, in any letter case, may have the role at a record. */
static bool select_has_role(struct spoor_slice text, enum mode_role role,
                            const struct spoor_batch *batch, size_t index)
{
    char name[24];
    if (role == NO_ROLE || text.size >= sizeof name) return false;
    for (size_t i = 0; i < text.size; i++) name[i] = (char)ascii_lower(text.bytes[i]);
    name[text.size] = '\0';
    const enum isa isa = isa_of(batch);
    const bool frame = role == ROLE_FP && isa != ISA_RISCV && (name[0] == 'r' || name[0] == 'f');
    if (!frame) return mode_role_fits(name, role, isa, false);
    /* The instruction of the record, or else the next one, may be of T32: an instruction is one of
     * the records before it, but where effects come first. */
    const spoor_name cpu = batch->records[index].cpu;
    for (unsigned after = 0; after < 2; after++)
        for (size_t i = index; i < batch->count; i += after ? 1 : SIZE_MAX) {
            const struct spoor_record *record = &batch->records[i];
            if (record->kind == SPOOR_INSN && record->cpu == cpu)
                return mode_role_fits(name, role, isa, isa_is_thumb(isa, &record->insn));
        }
    return mode_role_fits(name, role, isa, false);
}

bool select_text_holds(const struct spoor_select *select, const struct test *test,
                       struct spoor_slice text)
{
    const struct constant *constant = &select->constants[test->first];
    if (test->relation == RELATION_REGEX)
        return regex_find(constant->regex, text.bytes, text.size, 0, NULL, NULL);
    if (test->relation == RELATION_HAS) {
        struct spoor_slice part = constant->text;
        return part.size == 0 || memmem(text.bytes, text.size, part.bytes, part.size) != NULL;
    }
    if (test->relation == RELATION_LIKE) return select_pattern_fits(constant->text, text);
    if (test->relation == RELATION_BETWEEN)
        return (constant[0].open || value_compare_texts(text, constant[0].text) >= 0) &&
               (constant[1].open || value_compare_texts(text, constant[1].text) <= 0);
    for (uint32_t i = 0; i < test->count; i++)
        if (select_order_holds(test->relation, value_compare_texts(text, constant[i].text)))
            return true;
    return false;
}

/* ---- records ---- */

/* The test reads bits. */
static bool select_is_of_bits(const struct test *test)
{
    return test->type == TEST_KIND || test->type == TEST_OP;
}

static bool select_bit_holds(const struct test *test, const struct spoor_record *record)
{
    if (test->type == TEST_KIND) return test->bits[0] >> record->kind & 1;
    return record->op < 64 && (test->bits[record->kind] >> record->op & 1);
}

static bool select_test_holds(const struct spoor_select *select, const struct test *test,
                              const struct spoor_batch *batch, size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    if (select_is_of_bits(test)) return select_bit_holds(test, record);
    enum spoor_field field = (enum spoor_field)test->field;
    struct spoor_value value = spoor_field_get(batch, index, field);
    if (value.type == SPOOR_VALUE_ABSENT) return false;
    if (test->relation == RELATION_PRESENT) { /* true if the field says something */
        switch (field_source(record->kind, field)->quiet) {
        case QUIET_MINUS_ONE: return value.signed_number != -1;
        case QUIET_DASH: return value.text.bytes[0] != '-';
        default: break;
        }
        if (value.type == SPOOR_VALUE_TEXT) return value.text.size != 0;
        const struct number said = select_number_of(&value);
        return value.unknown || said.rank || said.high || said.low;
    }
    if (test->type == TEST_TEXT && test->names_role) {
        /* True if a register of a record has a role that the test names. */
        const struct constant *constant = &select->constants[test->first];
        for (uint32_t i = 0; i < test->count; i++)
            if (select_has_role(value.text, (enum mode_role)constant[i].role, batch, index))
                return test->relation == RELATION_EQUAL;
    }
    if (test->type == TEST_TEXT) return select_text_holds(select, test, value.text);
    if (value.unknown) return false; /* neither equal nor unequal */
    struct number number = select_number_of(&value);
    const struct constant *constant = &select->constants[test->first];
    if (test->relation == RELATION_BETWEEN)
        return (constant[0].open || select_compare_numbers(&number, &constant[0].number) >= 0) &&
               (constant[1].open || select_compare_numbers(&number, &constant[1].number) <= 0);
    for (uint32_t i = 0; i < test->count; i++)
        if (select_order_holds(test->relation,
                               select_compare_numbers(&number, &constant[i].number)))
            return true;
    return false;
}

bool spoor_select_match(const struct spoor_select *select, const struct spoor_batch *batch,
                        size_t index)
{
    int at = select->entry;
    while (at >= 0) {
        const struct test *test = &select->tests[at];
        at = select_test_holds(select, test, batch, index) ? test->on_true : test->on_false;
    }
    return at == ACCEPT;
}

size_t spoor_select_next(const struct spoor_select *select, const struct spoor_batch *batch,
                         size_t from, size_t to, bool matches)
{
    if (select->entry >= 0) {
        const struct test *test = &select->tests[select->entry];
        const bool decides = test->on_true < 0 && test->on_false < 0;
        const bool holds = (test->on_true == ACCEPT) == matches;
        const bool only = decides && select_is_of_bits(test) && test->on_true != test->on_false;
        while (only && from < to && select_bit_holds(test, &batch->records[from]) != holds) from++;
        if (only) return from;
    }
    while (from < to && spoor_select_match(select, batch, from) != matches) from++;
    return from;
}

enum spoor_status spoor_select_status(const struct spoor_select *select, struct spoor_error *error)
{
    char expected[REGEX_REASON];
    for (size_t i = 0; select && i < select->constant_count; i++) {
        const struct constant *constant = &select->constants[i];
        const struct spoor_slice *text = &constant->text;
        if (!constant->regex || !regex_failed(constant->regex, expected)) continue;
        if (!*expected) return error_no_memory(error);
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "expression, column %zu: found '%.*s', expected %s",
                               (size_t)(text->bytes - select->text) + 1,
                               text->size < 40 ? (int)text->size : 40, text->bytes, expected);
    }
    return SPOOR_OK;
}

bool spoor_select_is_located(const struct spoor_select *select)
{
    for (size_t i = 0; i < select->test_count; i++)
        if (select->tests[i].field >= SPOOR_FIRST_LOCATED) return true;
    return false;
}

void spoor_select_free(struct spoor_select *select)
{
    if (!select) return;
    for (size_t i = 0; i < select->constant_count; i++) regex_free(select->constants[i].regex);
    free(select->text);
    free(select->tests);
    free(select->constants);
    free(select);
}
