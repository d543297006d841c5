/* SPDX-License-Identifier: MIT */
/*
 * test_cvp.c: traces of CVP-1 and CBP-2025, compared with the listing of another decoder.
 *
 * Records have various lengths and no mark.  The records read must not depend on the places where
 * chunks are cut, and damage must affect only the records that it hits.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "formats/cvp/cvp.h"
#include "formats/support.h"
#include "spoor/reader.h"

extern const struct spoor_format format_cvp1, format_cbp2025;

static const struct dialect {
    const struct spoor_format *format;
    const char *trace, *list;
    bool newer;
} dialects[] = {
    {&format_cvp1, "traces/cvp/made-here-cvp1.gz", "oracles/cvp/made-here-cvp1.list", false},
    {&format_cbp2025, "traces/cvp/made-here-cbp2025.gz", "oracles/cvp/made-here-cbp2025.list",
     true},
};
enum { DIALECTS = sizeof dialects / sizeof *dialects };

/* ---- the listing ---- */

static unsigned number_of(const struct trace *trace, spoor_name name)
{
    const char *text = spoor_names_text(trace->stream.names, name, NULL);
    unsigned number = 0;
    while (number < CVP_REGISTERS && strcmp(text, cvp_registers[number]) != 0) number++;
    assert_true(number < CVP_REGISTERS);
    return number;
}

static void put_type(struct text *out, unsigned type)
{
    static const char *const names[CVP_TYPES] = {
        "alu", "load",     "store",     "cond",        "direct",        "indirect",
        "fp",  "slow-alu", "undefined", "call-direct", "call-indirect", "return"};
    text_printf(out, " type=%u %s", type, names[type]);
}

/* Prints a wide value like a narrow one, without leading zeros. */
static void put_value(struct text *out, const struct spoor_reg *reg)
{
    if (reg->value[1])
        text_printf(out, "0x%" PRIx64 "%016" PRIx64, reg->value[1], reg->value[0]);
    else
        text_printf(out, "0x%" PRIx64, reg->value[0]);
}

static void put_operands(struct text *out, const struct trace *trace, size_t from, size_t to,
                         unsigned op, const char *word)
{
    const char *before = "";
    text_printf(out, " %s=", word);
    for (size_t i = from; i < to; i++) {
        const struct spoor_record *record = &trace->batch.records[i];
        if (record->kind != SPOOR_REG || record->op != op) continue;
        text_printf(out, "%s%u", before, number_of(trace, record->reg.name));
        before = ",";
        if (op != SPOOR_REG_WRITE) continue;
        text_puts(out, ":");
        put_value(out, &record->reg);
    }
    if (!*before) text_puts(out, "-");
}

static void put_instruction(struct text *out, const struct trace *trace, size_t from, size_t to,
                            bool newer)
{
    const struct spoor_record *records = trace->batch.records;
    size_t size;
    struct cvp_spelling spelling;
    const char *bytes = spoor_names_text(trace->stream.spellings, records[from].spelling, &size);
    assert_int_equal(size, sizeof spelling);
    memcpy(&spelling, bytes, size);
    text_printf(out, "pc=0x%" PRIx64, records[from].insn.va);
    put_type(out, spelling.type);
    for (size_t i = from; i < to; i++) {
        if (records[i].kind == SPOOR_MEM) {
            /* the only load of two registers: CVP-1 has the bytes of one, the record those of both
             */
            const unsigned loaded = !newer && records[from].insn.va == 0x40010c ? 2 : 1;
            text_printf(out, " ea=0x%" PRIx64 " size=%u", records[i].mem.va,
                        records[i].mem.size / loaded);
            if (loaded == 2) assert_int_equal(records[i].mem.size, 16);
            if (newer) text_printf(out, " base-update=%u", spelling.updates_base);
            if (newer && spelling.type == CVP_STORE)
                text_printf(out, " register-offset=%u", spelling.register_offset);
        }
        if (records[i].kind != SPOOR_FLOW) continue;
        const bool taken = !(records[i].op & SPOOR_FLOW_NOT_TAKEN);
        text_printf(out, " taken=%u", taken);
        if (taken) text_printf(out, " target=0x%" PRIx64, records[i].flow.target);
    }
    put_operands(out, trace, from, to, SPOOR_REG_READ, "in");
    put_operands(out, trace, from, to, SPOOR_REG_WRITE, "out");
    text_puts(out, "\n");
}

static void records_are_as_listed(void **state)
{
    (void)state;
    for (size_t i = 0; i < DIALECTS; i++) {
        size_t size, list_size;
        char *bytes = shared_file(dialects[i].trace, "gzip -dc", &size);
        char *list = shared_file(dialects[i].list, "sed 's/^ *[0-9]* //'", &list_size);
        if (!bytes || !list) skip();
        struct trace trace;
        struct text out = {0};
        trace_decode(&trace, dialects[i].format, bytes, size);
        for (size_t from = 0, to; from < trace.batch.count; from = to) {
            for (to = from + 1; to < trace.batch.count; to++)
                if (!(trace.batch.records[to].has & SPOOR_CONTINUES)) break;
            put_instruction(&out, &trace, from, to, dialects[i].newer);
        }
        assert_int_equal(out.size, list_size);
        assert_memory_equal(out.bytes, list, list_size);
        assert_int_equal(trace.batch.fault_count, 0);
        assert_true(round_trips(dialects[i].format, bytes, size));
        text_free(&out);
        trace_free(&trace);
        free(bytes);
        free(list);
    }
}

/* ---- programs made here ---- */

static void put_program(struct text *out, bool newer, unsigned instructions)
{
    for (unsigned i = 0; i < instructions; i++) {
        const uint64_t pc = 0x400000 + 4 * (uint64_t)i, address = 0x7fff0000 + 8 * i;
        const uint8_t type = i % 4 == 1 ? CVP_LOAD : i % 4 == 2 ? CVP_STORE : CVP_ALU;
        const bool access = type != CVP_ALU;
        text_put(out, &pc, 8);
        text_put(out, &type, 1);
        if (access) text_put(out, &address, 8);
        if (access) text_put(out, "\10", 1);
        if (access && newer) text_put(out, "\1\1", type == CVP_STORE ? 2 : 1);
        text_put(out, type == CVP_STORE ? "\2\1\2\0" : "\1\1\1\42", 4);
        if (type != CVP_STORE) text_put(out, "\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17\20", 16);
    }
}

static uint64_t instructions_of(const char *path, const struct spoor_format *format,
                                unsigned threads, uint64_t *notes)
{
    struct spoor_reader *reader;
    struct spoor_error error = {0};
    const struct spoor_batch *batch;
    const struct spoor_reader_options options = {.format = format, .threads = threads};
    uint64_t count = 0;
    *notes = 0;
    assert_int_equal(spoor_reader_open(&reader, path, &options, &error), SPOOR_OK);
    while (spoor_reader_next(reader, &batch, &error) == SPOOR_OK)
        for (size_t i = 0; i < batch->count; i++) {
            count += batch->records[i].kind == SPOOR_INSN;
            *notes += batch->records[i].kind == SPOOR_NOTE;
        }
    spoor_reader_close(reader);
    return count;
}

/* Chunks end where records do, for any number of threads. */
static void chunks_end_with_records(void **state)
{
    (void)state;
    enum { INSTRUCTIONS = 20000 };
    for (size_t i = 0; i < DIALECTS; i++) {
        struct text program = {0};
        char path[] = "/tmp/spoor-cvp-XXXXXX";
        const int file = mkstemp(path);
        uint64_t notes;
        put_program(&program, dialects[i].newer, INSTRUCTIONS);
        assert_true(write(file, program.bytes, program.size) == (ssize_t)program.size);
        close(file);
        for (unsigned threads = 1; threads <= 4; threads += 3) {
            assert_int_equal(instructions_of(path, NULL, threads, &notes), INSTRUCTIONS);
            assert_int_equal(notes, 0);
        }
        unlink(path);
        text_free(&program);
    }
}

/* Lost or changed bytes cost a note, and few instructions. */
static void damage_is_passed_over(void **state)
{
    (void)state;
    enum { INSTRUCTIONS = 200, ROUNDS = 200, MAX_LOST = 8 };
    struct numbers numbers = {5};
    for (int round = 0; round < ROUNDS; round++) {
        const struct dialect *dialect = &dialects[round % DIALECTS];
        struct text program = {0};
        struct trace trace;
        put_program(&program, dialect->newer, INSTRUCTIONS);
        const size_t at = 100 + numbers_below(&numbers, program.size - 1000);
        const size_t lost = 1 + numbers_below(&numbers, 20);
        memmove(program.bytes + at, program.bytes + at + lost, program.size - at - lost);
        program.size -= lost;
        trace_decode(&trace, dialect->format, program.bytes, program.size);
        assert_true(trace_count(&trace, SPOOR_INSN) + MAX_LOST >= INSTRUCTIONS);
        assert_true(round_trips(dialect->format, program.bytes, program.size));
        trace_free(&trace);
        text_free(&program);
    }
}

static void any_bytes_come_back(void **state)
{
    (void)state;
    struct numbers numbers = {8};
    for (int round = 0; round < 2000; round++) {
        char bytes[300];
        const size_t size = numbers_below(&numbers, sizeof bytes);
        for (size_t i = 0; i < size; i++)
            bytes[i] = (char)(numbers_below(&numbers, 4) ? numbers_below(&numbers, 4)
                                                         : numbers_next(&numbers));
        for (size_t i = 0; i < DIALECTS; i++)
            assert_true(round_trips(dialects[i].format, bytes, size));
    }
}

/* A conversion from one dialect to the other and back loses nothing that both have. */
static void dialects_become_each_other(void **state)
{
    (void)state;
    size_t size;
    char *bytes = shared_file(dialects[0].trace, "gzip -dc", &size);
    if (!bytes) skip();
    struct trace older, newer;
    struct text there = {0}, back = {0};
    trace_decode(&older, &format_cvp1, bytes, size);
    trace_encode(&older, &format_cbp2025, SPOOR_WRITE_TRACE, &there);
    trace_decode(&newer, &format_cbp2025, there.bytes, there.size);
    assert_int_equal(newer.batch.fault_count, 0);
    assert_int_equal(newer.batch.count, older.batch.count);
    trace_encode(&newer, &format_cvp1, SPOOR_WRITE_TRACE, &back);
    assert_int_equal(back.size, size);
    assert_memory_equal(back.bytes, bytes, size);
    trace_free(&older);
    trace_free(&newer);
    text_free(&there);
    text_free(&back);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_are_as_listed),      cmocka_unit_test(chunks_end_with_records),
        cmocka_unit_test(damage_is_passed_over),      cmocka_unit_test(any_bytes_come_back),
        cmocka_unit_test(dialects_become_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
