/* SPDX-License-Identifier: MIT */
/*
 * test_registers.c: the cells of registers, compared with a model that holds each bit on its own,
 * as registers.h describes a write: the bits of a range or of the value, known where the record
 * states them, and zeros above a narrower name where these are cleared.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "effects/registers.h"

enum { BITS = 8 * REGISTER_BYTES };

static uint64_t random_word(void)
{
    static uint64_t seed = 88172645463325252;
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed * UINT64_C(0x2545F4914F6CDD1D);
}

/* ---- the model ---- */

struct model {
    unsigned bits;
    uint8_t value[BITS + 64], known[BITS + 64]; /* a bit each; those above the register stay 0 */
};

static void model_put(struct model *model, unsigned at, unsigned value, bool known)
{
    if (at >= BITS) return;
    model->value[at] = (uint8_t)value;
    model->known[at] = known;
}

static unsigned value_bit(const struct spoor_reg *reg, const uint8_t *wide, unsigned bit)
{
    if (reg->wide.size) return bit / 8 < reg->wide.size ? wide[bit / 8] >> (bit % 8) & 1 : 0;
    return bit < 128 ? (unsigned)(reg->value[bit / 64] >> (bit % 64)) & 1 : 0;
}

static void model_write(struct model *model, const struct spoor_record *record, const uint8_t *wide,
                        const struct machine_register *part)
{
    const struct spoor_reg *reg = &record->reg;
    const bool ranged = reg->high > 0;
    const unsigned low = part->low + (ranged ? reg->low : 0u);
    unsigned width = ranged ? reg->high - reg->low + 1u : reg->bits;
    if (!width) width = part->widened ? part->widened : reg->value[0] >> 32 ? 64 : 32;
    const unsigned digits = reg->bits ? reg->bits : width;
    for (unsigned bit = 0; bit < width; bit++) {
        const bool unknown = bit / 4 < 32 && reg->unknown >> (bit / 4) & 1;
        model_put(model, low + bit, value_bit(reg, wide, bit),
                  record->has & SPOOR_HAS_DATA && bit / 4 * 4 < digits && !unknown);
    }
    if (low + width > model->bits) model->bits = low + width;
    if (ranged) return;
    if (part->widened > model->bits) model->bits = part->widened;
    unsigned end = part->whole ? model->bits : part->widened;
    if (low + width < end) end = (end + 7) / 8 * 8;
    for (unsigned bit = low + width; bit < end; bit++)
        model_put(model, bit, 0, !part->whole || record->has & SPOOR_HAS_DATA);
}

static bool model_knows(const struct model *model, unsigned low, unsigned bits)
{
    for (unsigned bit = low; bit < low + bits; bit++)
        if (bit >= BITS || !model->known[bit]) return false;
    return bits > 0;
}

static uint64_t model_number(const struct model *model, unsigned low, unsigned bits)
{
    uint64_t number = 0;
    for (unsigned bit = 0; bit < bits && low + bit < BITS; bit++)
        number |= (uint64_t)model->value[low + bit] << bit;
    return number;
}

static void model_text(const struct model *model, unsigned low, unsigned bits, char *text)
{
    if (!bits) bits = model->bits;
    text += sprintf(text, "0x");
    for (unsigned digit = (bits + 3) / 4; digit-- > 0;) {
        const unsigned at = low + 4 * digit, width = bits - 4 * digit < 4 ? bits - 4 * digit : 4;
        const char c = "0123456789abcdef"[model_number(model, at, width)];
        *text++ = model_knows(model, at, width) ? c : '?';
    }
    *text = '\0';
}

/* ---- one cell ---- */

/* A record that writes a register as traces do: a whole one, a range, a part; some of it unknown.
 */
static void random_write(struct spoor_record *record, struct machine_register *part, uint8_t *wide)
{
    static const uint16_t sizes[] = {0, 8, 16, 20, 32, 32, 64, 64, 128, 256, 10, 80};
    static const uint16_t widened[] = {0, 0, 64, 128, 256, 32};
    const uint64_t random = random_word();
    *record = (struct spoor_record){.kind = SPOOR_REG, .has = SPOOR_HAS_DATA};
    *part = (struct machine_register){0};
    struct spoor_reg *reg = &record->reg;
    reg->bits = sizes[random % 12];
    reg->value[0] = random_word();
    reg->value[1] = random_word();
    if (random >> 8 & 1) reg->value[0] &= UINT32_MAX;
    if (reg->bits > 128) reg->wide = (struct spoor_ref){SPOOR_REF_ARENA, reg->bits / 8u};
    for (unsigned i = 0; i < 64; i++) wide[i] = (uint8_t)random_word();
    if ((random >> 12) % 4 == 0) reg->unknown = (uint32_t)random_word();
    if ((random >> 14) % 8 == 0) record->has = 0;
    if ((random >> 17) % 4 == 0) {
        reg->low = (uint16_t)((random >> 20) % 70);
        reg->high = (uint16_t)(reg->low + 1 + (random >> 27) % 40);
    }
    if ((random >> 33) % 4 == 0) part->low = (uint16_t)((random >> 36) % 100);
    if ((random >> 43) % 16 == 0) part->low = BITS - 20;
    if (!part->low) part->widened = widened[(random >> 48) % 6];
    if (!part->low) part->whole = random >> 52 & 1;
}

static void compare_cell(const struct cell *cell, const struct model *model)
{
    static const unsigned widths[] = {1, 3, 4, 8, 31, 32, 64, 0};
    assert_int_equal(cell->bits, model->bits > BITS ? BITS : model->bits);
    for (unsigned low = 0; low < cell->bits; low += low < 140 ? 1 : 37) {
        assert_int_equal(cell_number(cell, low), model_number(model, low, 64));
        for (unsigned i = 0; i < sizeof widths / sizeof *widths; i++) {
            char expected[BITS];
            struct text text = {0};
            assert_int_equal(cell_knows(cell, low, widths[i]), model_knows(model, low, widths[i]));
            if (low % 9 || (low && !widths[i])) continue;
            cell_text(cell, low, widths[i], &text);
            model_text(model, low, widths[i], expected);
            text_put(&text, "", 1);
            assert_string_equal(text.bytes, expected);
            text_free(&text);
        }
    }
}

static void compare_packed(const struct cell *cell, uint64_t base)
{
    struct text packed = {0};
    struct cell copy;
    memset(&copy, 0xAA, sizeof copy); /* unpacking leaves nothing of it */
    copy.mark = cell->mark;
    cell_pack(cell, base, &packed);
    struct unpacker from = {(const uint8_t *)packed.bytes,
                            (const uint8_t *)packed.bytes + packed.size, false};
    cell_unpack(&copy, base, &from);
    assert_false(from.failed);
    assert_ptr_equal(from.at, from.end);
    assert_int_equal(copy.writer, cell->writer);
    assert_int_equal(copy.bits, cell->bits);
    assert_int_equal(copy.written, cell->written);
    assert_memory_equal(copy.bytes, cell->bytes, sizeof copy.bytes);
    assert_memory_equal(copy.known, cell->known, sizeof copy.known);
    /* less of it is a failure, and no more is read */
    for (size_t size = 0; size < packed.size; size++) {
        from = (struct unpacker){(const uint8_t *)packed.bytes,
                                 (const uint8_t *)packed.bytes + size, false};
        cell_unpack(&copy, base, &from);
        assert_true(from.failed);
    }
    text_free(&packed);
}

static void writes_are_those_of_the_model(void **state)
{
    (void)state;
    for (unsigned turn = 0; turn < 400; turn++) {
        struct cell cell = {0};
        struct model model = {0};
        const unsigned count = 1 + turn % 5;
        for (unsigned i = 0; i < count; i++) {
            struct spoor_record records[3] = {{0}};
            struct machine_register part;
            char wide[64];
            random_write(&records[1], &part, (uint8_t *)wide);
            const struct spoor_batch batch = {
                .records = records, .count = 3, .first = 1000 * turn, .arena = wide};
            cell_write(&cell, &batch, 1, &part);
            model_write(&model, &records[1], (const uint8_t *)wide, &part);
            assert_int_equal(cell.writer, 1000 * turn + 1);
            assert_true(cell.written);
        }
        if (model.bits > BITS) model.bits = BITS;
        compare_cell(&cell, &model);
        compare_packed(&cell, turn % 2 ? cell.writer : 0);
    }
}

/* The whole register as most traces write it, after another write of it. */
static void whole_registers_are_those_of_the_model(void **state)
{
    static const uint16_t sizes[] = {32, 64, 64, 32, 16, 128}, widened[] = {0, 32, 64, 64, 128};
    (void)state;
    for (unsigned turn = 0; turn < 1000; turn++) {
        struct cell cell = {0};
        struct model model = {0};
        for (unsigned i = 0; i < 3; i++) {
            const uint64_t random = random_word();
            struct machine_register part = {.widened = widened[random % 5]};
            struct spoor_record record = {.kind = SPOOR_REG, .has = SPOOR_HAS_DATA};
            record.reg.bits = sizes[(random >> 8) % 6];
            record.reg.value[0] = random_word();
            record.reg.value[1] = random_word();
            if ((random >> 16) % 8 == 0) record.reg.unknown = 1u << (random >> 24) % 16;
            if ((random >> 32) % 8 == 0) part.low = 32;
            if ((random >> 40) % 8 == 0) record.has = 0;
            if (part.low) part.widened = 0;
            const struct spoor_batch batch = {.records = &record, .count = 1};
            cell_write(&cell, &batch, 0, &part);
            model_write(&model, &record, (const uint8_t *)"", &part);
        }
        compare_cell(&cell, &model);
    }
}

static void forgetting_leaves_the_width(void **state)
{
    struct cell cell = {0};
    struct spoor_record record = {.kind = SPOOR_REG, .has = SPOOR_HAS_DATA};
    const struct spoor_batch batch = {.records = &record, .count = 1, .first = 7};
    const struct machine_register part = {0};
    (void)state;
    cell_forget(&cell, 5);
    assert_int_equal(cell.bits, 64);
    assert_int_equal(cell.writer, 5);
    assert_true(cell.written);
    cell = (struct cell){0};
    record.reg.bits = 32;
    record.reg.value[0] = 0x12345678;
    cell_write(&cell, &batch, 0, &part);
    assert_true(cell_knows(&cell, 0, 32));
    cell_forget(&cell, 9);
    assert_int_equal(cell.bits, 32);
    assert_int_equal(cell.writer, 9);
    for (unsigned bit = 0; bit < 32; bit++) assert_false(cell_knows(&cell, bit, 1));
}

/* ---- the registers of processors ---- */

static void each_register_has_a_cell(void **state)
{
    enum { CPUS = 9, NAMES = 700 };
    static struct cell *cells[CPUS][NAMES];
    struct registers registers = {0};
    (void)state;
    assert_null(registers_find(&registers, 0, 0));
    registers_forget(&registers, 0, 100);
    for (unsigned turn = 0; turn < 6000; turn++) {
        const uint64_t random = random_word();
        /* the table grows: few at first */
        const unsigned cpu = (unsigned)(random % (turn < 500 ? 3 : turn < 1500 ? 5 : CPUS));
        const spoor_name name = (spoor_name)((random >> 16) % (turn < 1000   ? 256
                                                               : turn < 2000 ? 257
                                                                             : NAMES));
        struct cell *cell = registers_cell(&registers, cpu, name);
        assert_non_null(cell);
        assert_ptr_equal(registers_find(&registers, cpu, name), cell);
        if (cells[cpu][name]) {
            assert_ptr_equal(cells[cpu][name], cell);
            assert_int_equal(cell->mark, cpu * NAMES + name);
        } else {
            assert_int_equal(cell->mark + cell->writer + cell->bits, 0);
        }
        cell->mark = cpu * NAMES + name;
        cells[cpu][name] = cell;
    }
    for (unsigned cpu = 0; cpu < CPUS; cpu++)
        for (unsigned name = 0; name < NAMES; name++)
            assert_ptr_equal(registers_find(&registers, cpu, (spoor_name)name), cells[cpu][name]);
    for (unsigned cpu = CPUS; cpu < 40; cpu++) {
        assert_null(registers_find(&registers, cpu, 0));
        registers_forget(&registers, cpu, 100);
    }
    for (unsigned name = NAMES; name < 3000; name++)
        assert_null(registers_find(&registers, CPUS - 1, (spoor_name)name));
    for (unsigned name = 0; name < 3; name++)
        registers_cell(&registers, 2, (spoor_name)name)->writer = 10u * name;
    for (unsigned name = 3; name < NAMES; name++)
        registers_cell(&registers, 2, (spoor_name)name)->writer = 99;
    registers_cell(&registers, 3, 0);
    registers_forget(&registers, 2, 10); /* not the one that record 10 wrote */
    assert_null(registers_find(&registers, 2, 0));
    for (unsigned name = 1; name < NAMES; name++)
        assert_non_null(registers_find(&registers, 2, (spoor_name)name));
    assert_non_null(registers_find(&registers, 3, 0));
    registers_free(&registers);
    assert_null(registers_find(&registers, 2, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_are_those_of_the_model),
        cmocka_unit_test(whole_registers_are_those_of_the_model),
        cmocka_unit_test(forgetting_leaves_the_width),
        cmocka_unit_test(each_register_has_a_cell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
