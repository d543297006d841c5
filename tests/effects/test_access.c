/* SPDX-License-Identifier: MIT */
/*
 * test_access.c: which bytes records read or write, by record.h; and calls of semihosting, by Arm's
 * "Semihosting for AArch32 and AArch64" (the trap instructions, and the fields of each operation).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "effects/machine.h"

enum { READS = ACCESS_READS, WRITES = ACCESS_WRITES, UPDATES = ACCESS_READS | ACCESS_WRITES };

static bool access_of(const struct spoor_record *record, bool bus, bool big, struct access *access)
{
    struct spoor_record copy = *record;
    const struct spoor_batch batch = {.records = &copy, .count = 1};
    const struct machine machine = {.bus = bus, .big = big};
    return machine_access(&machine, &batch, 0, access);
}

/* What an operation does, and whether its data are those in memory afterwards. */
static void operations_of_accesses(void **state)
{
    static const struct {
        enum spoor_mem_op op;
        uint8_t does;
        bool data;
    } rows[] = {
        {SPOOR_MEM_READ, READS, true},
        {SPOOR_MEM_WRITE, WRITES, true},
        {SPOOR_MEM_ADD, UPDATES, false},
        {SPOOR_MEM_BIC, UPDATES, false},
        {SPOOR_MEM_CAS, UPDATES, false},
        {SPOOR_MEM_EOR, UPDATES, false},
        {SPOOR_MEM_ORR, UPDATES, false},
        {SPOOR_MEM_SMAX, UPDATES, false},
        {SPOOR_MEM_SMIN, UPDATES, false},
        {SPOOR_MEM_SWP, UPDATES, true},
        {SPOOR_MEM_UMAX, UPDATES, false},
        {SPOOR_MEM_UMIN, UPDATES, false},
        {SPOOR_MEM_FETCH, ACCESS_FETCHES, true},
        {SPOOR_MEM_MODIFY, UPDATES, false},
        {SPOOR_MEM_MISC, 0, false},
        {SPOOR_MEM_COPY_BACK, 0, false},
        {SPOOR_MEM_INVALIDATE, 0, false},
        {SPOOR_MEM_TO_COPROCESSOR, 0, false},
    };
    struct access access;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct spoor_record record = {.kind = SPOOR_MEM,
                                      .op = (uint8_t)rows[i].op,
                                      .has = SPOOR_HAS_VA | SPOOR_HAS_PA | SPOOR_HAS_DATA,
                                      .mem = {.va = 0x1000, .pa = 0x2000, .size = 4}};
        assert_int_equal(access_of(&record, false, false, &access), rows[i].does != 0);
        if (!rows[i].does) continue;
        assert_int_equal(access.does, rows[i].does);
        assert_int_equal(access.data, rows[i].data);
        assert_int_equal(access.va, 0x1000);
        assert_int_equal(access.pa, 0x2000);
        assert_int_equal(access.size, 4);
        assert_true(access.has_va && access.has_pa && access.sized && !access.big);
        record.mem.size = 0; /* not stated: no data, one byte */
        assert_true(access_of(&record, false, true, &access));
        assert_int_equal(access.size, 1);
        assert_true(!access.sized && !access.data && access.big);
        record.mem.size = 4;
        record.has = SPOOR_HAS_PA; /* a fetch without its data is none */
        assert_int_equal(access_of(&record, false, true, &access), rows[i].op != SPOOR_MEM_FETCH);
        if (rows[i].op == SPOOR_MEM_FETCH) continue;
        assert_true(!access.data && !access.has_va && access.has_pa);
        record.mem.attr = SPOOR_MEM_GAPS; /* whose bytes are in order */
        assert_true(access_of(&record, false, true, &access) && !access.big);
        record.has = 0;
        assert_false(access_of(&record, false, true, &access));
        record.has = SPOOR_HAS_VA;
        assert_true(access_of(&record, false, true, &access));
        record.mem.attr = SPOOR_MEM_ABORTED;
        assert_false(access_of(&record, false, true, &access));
    }
}

static void other_records_access_memory(void **state)
{
    struct access access;
    (void)state;
    struct spoor_record record = {.kind = SPOOR_UOP, .uop = {.address = 0x1234}};
    for (unsigned op = 0; op < 4; op++) {
        record.op = (uint8_t)((op & 1 ? SPOOR_UOP_LOAD : 0) | (op & 2 ? SPOOR_UOP_STORE : 0));
        assert_int_equal(access_of(&record, false, false, &access), op != 0);
        assert_int_equal(access.does, (op & 1 ? READS : 0) | (op & 2 ? WRITES : 0));
        assert_int_equal(access.va, 0x1234);
        assert_int_equal(access.size, 1);
        assert_true(access.has_va && !access.has_pa && !access.sized && !access.data);
    }
    record = (struct spoor_record){.kind = SPOOR_WALK, .op = SPOOR_WALK_UPDATE, .walk.pa = 0x40};
    assert_true(access_of(&record, false, false, &access));
    assert_int_equal(access.does, WRITES);
    assert_int_equal(access.pa, 0x40);
    assert_int_equal(access.size, 8);
    assert_true(access.has_pa && !access.has_va && !access.data);
    record.op = SPOOR_WALK_UPDATE + 1;
    assert_false(access_of(&record, false, false, &access));
    record.op = SPOOR_WALK_UPDATE - 1;
    assert_false(access_of(&record, false, false, &access));
    record = (struct spoor_record){.kind = SPOOR_INSN};
    assert_false(access_of(&record, true, false, &access));
}

static void transactions_access_memory(void **state)
{
    static const struct {
        unsigned op;
        uint8_t does;
    } rows[] = {{SPOOR_BUS_READ, READS},
                {SPOOR_BUS_READ_INVALIDATE, READS},
                {SPOOR_BUS_WRITE, WRITES},
                {SPOOR_BUS_WRITEBACK, WRITES}};
    struct access access;
    (void)state;
    for (unsigned op = 0; op < 32; op++) {
        uint8_t does = 0;
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
            if (rows[i].op == op) does = rows[i].does;
        struct spoor_record record = {.kind = SPOOR_BUS,
                                      .op = (uint8_t)op,
                                      .has = SPOOR_HAS_DATA,
                                      .bus = {.address = 0x1000, .size = 16}};
        assert_false(access_of(&record, false, false, &access));
        assert_int_equal(access_of(&record, true, false, &access), does != 0);
        if (!does) continue;
        assert_int_equal(access.does, does);
        assert_int_equal(access.size, 16);
        assert_true(access.has_pa && !access.has_va && access.sized && access.data);
        record.bus.size = 17; /* a line whose data a record does not hold */
        assert_true(access_of(&record, true, false, &access) && !access.data);
        record.bus.size = 0;
        assert_true(access_of(&record, true, false, &access) && !access.sized);
        assert_int_equal(access.size, 1);
        record.has = 0;
        record.bus.size = 8;
        assert_true(access_of(&record, true, false, &access) && !access.data && access.sized);
    }
}

/* ---- bytes ---- */

static void bytes_of_accesses(void **state)
{
    static char wide[64];
    struct spoor_record record = {.kind = SPOOR_MEM, .op = SPOOR_MEM_READ};
    const struct spoor_batch batch = {.records = &record, .count = 1, .arena = wide};
    (void)state;
    for (unsigned i = 0; i < sizeof wide; i++) wide[i] = (char)(0x80 + i);
    for (unsigned turn = 0; turn < 64; turn++) {
        const unsigned sizes[] = {1, 4, 8, 16, 40};
        const unsigned size = sizes[turn % 5];
        const bool big = turn & 8, gaps = turn & 16, unknown = turn & 32;
        record.mem = (struct spoor_mem){
            .size = (uint16_t)size,
            .data = {UINT64_C(0x8786858483828180), UINT64_C(0x8F8E8D8C8B8A8988)},
            .attr = gaps ? SPOOR_MEM_GAPS : 0,
            .unknown = unknown ? 0x8421 : 0,
        };
        if (size > 16) record.mem.wide = (struct spoor_ref){SPOOR_REF_ARENA, size};
        const struct access access = {.size = size, .data = true, .big = big};
        for (unsigned at = 0; at < 48; at++) {
            const unsigned from = big && at < size ? size - 1 - at : at;
            const bool absent = from < 16 && unknown && (0x8421 >> from & 1);
            uint8_t value = 0;
            const enum byte_known known = access_byte(&batch, 0, &access, at, &value);
            assert_int_equal(known, absent ? gaps ? BYTE_UNTOUCHED : BYTE_UNKNOWN
                                    : from < (size > 16 ? size : 16) ? BYTE_KNOWN
                                                                     : BYTE_UNKNOWN);
            if (known == BYTE_KNOWN) assert_int_equal(value, 0x80 + from);
        }
        const struct access none = {.size = size, .data = false};
        uint8_t value;
        assert_int_not_equal(access_byte(&batch, 0, &none, 1, &value), BYTE_KNOWN);
    }
    record = (struct spoor_record){
        .kind = SPOOR_BUS, .bus = {.data = {UINT64_C(0x0706050403020100), UINT64_C(0x0B0A0908)}}};
    const struct access bus = {.size = 12, .data = true}, without = {.size = 12};
    for (uint32_t at = 0; at < 12; at++) {
        uint8_t value;
        assert_int_equal(access_byte(&batch, 0, &bus, at, &value), BYTE_KNOWN);
        assert_int_equal(value, at);
        assert_int_equal(access_byte(&batch, 0, &without, at, &value), BYTE_UNKNOWN);
    }
}

/* ---- semihosting ---- */

static void traps_that_call_the_host(void **state)
{
    static const struct {
        uint8_t iset;
        uint32_t opcode;
        unsigned word;
    } rows[] = {
        {'O', 0xD45E0000, 8}, /* HLT #0xF000 */
        {'A', 0xEF123456, 4}, /* SVC #0x123456 */
        {'A', 0x0F123456, 4}, /* SVCEQ */
        {'A', 0xE10F0070, 4}, /* HLT #0xF000 */
        {'T', 0xDFAB, 4},     /* SVC #0xAB */
        {'T', 0xBEAB, 4},     /* BKPT #0xAB */
        {'T', 0xBABC, 4},     /* HLT #0x3C */
        {'T', 0xBABF, 4},     /* HLT #0x3F */
        {'O', 0xEF123456, 0}, {'A', 0xD45E0000, 0}, {'T', 0xDF00, 0},     {'T', 0xBEAC, 0},
        {'T', 0xBABB, 0},     {'A', 0xEF123457, 0}, {'A', 0xE10F0071, 0}, {'O', 0xD45E0001, 0},
        {'T', 0xBEAA, 0},     {'T', 0xDFAC, 0},     {'T', 0xBABD, 0},     {'X', 0xBEAB, 0},
        {0, 0xBEAB, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct spoor_record record = {.kind = SPOOR_INSN,
                                      .op = SPOOR_INSN_TAKEN,
                                      .has = SPOOR_HAS_DATA,
                                      .insn = {.iset = rows[i].iset, .opcode = rows[i].opcode}};
        uint8_t word = 0;
        assert_int_equal(hosted_is_call(&record, &word), rows[i].word != 0);
        if (!rows[i].word) continue;
        assert_int_equal(word, rows[i].word);
        record.op = SPOOR_INSN_SKIPPED;
        assert_false(hosted_is_call(&record, &word));
        record.op = SPOOR_INSN_TAKEN;
        record.has = 0;
        assert_false(hosted_is_call(&record, &word));
        record.has = SPOOR_HAS_DATA;
        record.kind = SPOOR_EVENT;
        assert_false(hosted_is_call(&record, &word));
    }
}

/* SYS_READ: handle, buffer, length; SYS_TMPNAM: buffer, number, length; SYS_GET_CMDLINE: buffer,
 * length; SYS_HEAPINFO: the address of four words; SYS_ELAPSED: 64 bits in the block. */
static void what_the_host_writes(void **state)
{
    static const uint64_t words[HOSTED_WORDS] = {0x1000, 0x2000, 0x30};
    uint64_t address, size;
    (void)state;
    for (unsigned operation = 0; operation < 256; operation++) {
        struct hosted_call call = {.block = 0x4000, .operation = (uint8_t)operation, .word = 4};
        uint64_t at = 0, bytes = 0, bytes_of_64 = 0;
        switch (operation) {
        case 0x06: at = 0x2000, bytes = bytes_of_64 = 0x30; break;
        case 0x0D: at = 0x1000, bytes = bytes_of_64 = 0x30; break;
        case 0x15: at = 0x1000, bytes = bytes_of_64 = 0x2000; break;
        case 0x16: at = 0x1000, bytes = 16, bytes_of_64 = 32; break;
        case 0x30: at = 0x4000, bytes = bytes_of_64 = 8; break;
        default: break;
        }
        assert_int_equal(hosted_writes(operation), bytes != 0);
        assert_int_equal(hosted_range(&call, words, &address, &size), bytes != 0);
        if (!bytes) continue;
        assert_int_equal(address, at);
        assert_int_equal(size, bytes);
        call.word = 8;
        assert_true(hosted_range(&call, words, &address, &size));
        assert_int_equal(size, bytes_of_64);
    }
    /* nothing, too much, and beyond the last address */
    static const struct {
        uint64_t words[HOSTED_WORDS];
        bool good;
    } ranges[] = {{{0, 0x2000, 0}, false},         {{0, 0x2000, 1}, true},
                  {{0, 0x2000, UINT32_MAX}, true}, {{0, 0x2000, UINT64_C(0x100000000)}, false},
                  {{0, UINT64_MAX - 1, 1}, true},  {{0, UINT64_MAX - 1, 2}, false},
                  {{0, UINT64_MAX - 1, 4}, false}};
    const struct hosted_call call = {.operation = HOSTED_READ, .word = 8};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        assert_int_equal(hosted_range(&call, ranges[i].words, &address, &size), ranges[i].good);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_of_accesses),     cmocka_unit_test(other_records_access_memory),
        cmocka_unit_test(transactions_access_memory), cmocka_unit_test(bytes_of_accesses),
        cmocka_unit_test(traps_that_call_the_host),   cmocka_unit_test(what_the_host_writes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
