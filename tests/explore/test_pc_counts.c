/* SPDX-License-Identifier: MIT */
/*
 * test_pc_counts.c: counts by address are what the lines say, per processor and per branch; packed
 * and unpacked they are the same, and a damaged section is refused or gives counts, never a crash.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "explore/pc_counts.h"
#include "spoor/select.h"
#include "support/trace.h"

/* A loop on two processors: the branch of cpu0 is taken twice and not taken once, that of cpu1 is
 * not taken. */
static const char lines[] = "1 clk cpu0 IT (1) 00001000 d1000421 O EL1h_n : SUB x1,x1,#1\n"
                            "2 clk cpu0 IT (2) 00001004 54ffffe1 O EL1h_n : B.NE {pc}-4 ; 0x1000\n"
                            "2 clk cpu1 IT (1) 00001004 54ffffe1 O EL1h_n : B.NE {pc}-4 ; 0x1000\n"
                            "3 clk cpu0 IT (3) 00001000 d1000421 O EL1h_n : SUB x1,x1,#1\n"
                            "3 clk cpu1 IT (2) 00001008 d503201f O EL1h_n : NOP\n"
                            "4 clk cpu0 IT (4) 00001004 54ffffe1 O EL1h_n : B.NE {pc}-4 ; 0x1000\n"
                            "5 clk cpu0 IT (5) 00001000 d1000421 O EL1h_n : SUB x1,x1,#1\n"
                            "6 clk cpu0 IT (6) 00001004 54ffffe1 O EL1h_n : B.NE {pc}-4 ; 0x1000\n"
                            "7 clk cpu0 IT (7) 00001008 d503201f O EL1h_n : NOP\n";

static void count(struct pc_counts *counts, struct machine *machine, const char *where)
{
    struct trace trace;
    struct spoor_select *select = NULL;
    struct spoor_error error = {0};
    if (where) assert_int_equal(spoor_select_compile(&select, where, &error), SPOOR_OK);
    trace_decode(&trace, spoor_format_find("tarmac"), lines, sizeof lines - 1);
    assert_true(machine_start(machine));
    machine_enter(machine, &trace.stream);
    machine_see(machine, &trace.batch);
    assert_true(pc_counts_add(counts, machine, &trace.batch, select, NULL));
    assert_true(pc_counts_end(counts, machine));
    pc_counts_enter(counts, 0, &(struct call_frame){.function = 0x1000}, 0, NULL);
    trace_free(&trace);
    spoor_select_free(select);
}

static void assert_row(const struct pc_count *row, uint64_t pc, uint64_t times, uint64_t taken,
                       uint64_t not_taken)
{
    assert_int_equal(row->pc, pc);
    assert_int_equal(row->count, times);
    assert_int_equal(row->taken, taken);
    assert_int_equal(row->not_taken, not_taken);
}

static void processors_and_branches_are_told_apart(void **state)
{
    struct pc_counts counts = {.cpus = NULL};
    struct machine machine;
    size_t size;
    (void)state;
    count(&counts, &machine, NULL);
    struct pc_count *rows = pc_counts_sorted(&counts, 0, &size);
    assert_int_equal(size, 3);
    assert_row(&rows[0], 0x1000, 3, 0, 0);
    assert_row(&rows[1], 0x1004, 3, 2, 1);
    assert_string_equal(counts.texts.bytes + rows[1].text - 1, "B.NE {pc}-4");
    free(rows);
    rows = pc_counts_sorted(&counts, PC_ALL_CPUS, &size);
    assert_int_equal(size, 3);
    assert_row(&rows[1], 0x1004, 4, 2, 2);
    assert_row(&rows[2], 0x1008, 2, 0, 0);
    free(rows);
    pc_counts_free(&counts);
    machine_free(&machine);
}

static void branches_of_selected_instructions_count(void **state)
{
    struct pc_counts counts = {.cpus = NULL};
    struct machine machine;
    size_t size;
    (void)state;
    count(&counts, &machine, "time > 2");
    struct pc_count *rows = pc_counts_sorted(&counts, PC_ALL_CPUS, &size);
    assert_int_equal(size, 3);
    assert_row(&rows[0], 0x1000, 2, 0, 0);
    assert_row(&rows[1], 0x1004, 2, 1, 1);
    free(rows);
    pc_counts_free(&counts);
    machine_free(&machine);
}

static void packed_counts_are_the_same(void **state)
{
    struct pc_counts counts = {.cpus = NULL}, other = {.cpus = NULL};
    struct machine machine;
    struct text bytes = {0}, again = {0};
    (void)state;
    count(&counts, &machine, NULL);
    pc_counts_pack(&counts, &bytes);
    assert_true(pc_counts_unpack(&other, (const uint8_t *)bytes.bytes, bytes.size));
    pc_counts_pack(&other, &again);
    assert_int_equal(again.size, bytes.size);
    assert_memory_equal(again.bytes, bytes.bytes, bytes.size);
    pc_counts_free(&other);
    for (size_t size = 0; size < bytes.size; size++) { /* a copy, so that reading past it is seen */
        uint8_t *cut = malloc(size + 1);
        assert_non_null(cut);
        memcpy(cut, bytes.bytes, size);
        assert_false(pc_counts_unpack(&other, cut, size));
        pc_counts_free(&other);
        free(cut);
    }
    for (size_t at = 0; at < bytes.size; at++) {
        bytes.bytes[at] = (char)(bytes.bytes[at] ^ 0x55);
        size_t rows;
        if (pc_counts_unpack(&other, (const uint8_t *)bytes.bytes, bytes.size))
            free(pc_counts_sorted(&other, PC_ALL_CPUS, &rows));
        pc_counts_free(&other);
        bytes.bytes[at] = (char)(bytes.bytes[at] ^ 0x55);
    }
    text_free(&bytes);
    text_free(&again);
    pc_counts_free(&counts);
    machine_free(&machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processors_and_branches_are_told_apart),
        cmocka_unit_test(branches_of_selected_instructions_count),
        cmocka_unit_test(packed_counts_are_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
