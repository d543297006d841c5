/* SPDX-License-Identifier: MIT */
/*
 * test_dram.c: requests of DRAM that are not made in the order of time.
 *
 * The times are by hand, for DDR4-3200 at 4 GHz, where a clock has 2.5 cycles.  A block of a closed
 * row takes RCD + CL + burst = 22 + 22 + 4 clocks = 120 cycles; of an open row, 26 clocks = 65
 * cycles.  A row stays open for RAS = 52 clocks = 130 cycles, and is closed in RP = 22 clocks = 55
 * cycles.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "simulate/memory/dram.h"

enum { BANK = 64, ROW = 1 << 17 }; /* from one to the next */

static struct dram *dram_started(void)
{
    const struct dram_setup setup = {.channels = 1, .ranks = 1, .megahertz = 4000};
    struct dram *dram = dram_new(&setup);
    assert_non_null(dram);
    return dram;
}

static void read_is_done(struct dram *dram, uint64_t at, uint64_t address, uint64_t done)
{
    struct dram_counts counts = {0};
    assert_int_equal(dram_access(dram, at, address, false, &counts), done);
    assert_int_equal(counts.read_cycles, done - at);
}

static void test_before(void **state)
{
    (void)state;
    struct dram *dram = dram_started();
    read_is_done(dram, 10000, 0 * ROW, 10120);
    read_is_done(dram, 0, 1 * ROW, 120); /* a bank that will work later is idle now */
    read_is_done(dram, 9760, 2 * ROW, 9760 + 55 + 120); /* open until 9945, closed at 10000 */
    dram_free(dram);
}

static void test_no_room(void **state)
{
    (void)state;
    struct dram *dram = dram_started();
    read_is_done(dram, 10000, 0 * ROW, 10120);
    read_is_done(dram, 9816, 1 * ROW, 10130 + 55 + 120); /* a cycle too late: after the other row */
    dram_free(dram);
}

static void test_open_row(void **state)
{
    (void)state;
    struct dram *dram = dram_started();
    read_is_done(dram, 1000, 0 * ROW, 1120);
    read_is_done(dram, 5000, 0 * ROW, 5065);
    /* The second read takes the row for open; it can be closed RTP, 12 clocks, after it. */
    read_is_done(dram, 3000, 1 * ROW, 5000 + 30 + 55 + 120);
    read_is_done(dram, 3000, 0 * ROW, 3065);
    dram_free(dram);
}

static void test_order(void **state)
{
    (void)state;
    struct dram *dram = dram_started();
    read_is_done(dram, 1000, 0 * ROW, 1120);
    read_is_done(dram, 1001, 1 * ROW, 1130 + 55 + 120);
    read_is_done(dram, 1002, 0 * ROW, 1185 + 130 + 55 + 120); /* no row hit overtakes */
    dram_free(dram);
}

/* A write at 10000 has its column at 10055, and its data from 10095 to 10105 (CWL: 16 clocks); a
 * column is read WTR, 12 clocks, later. */
static void test_write(void **state)
{
    (void)state;
    struct dram *dram = dram_started();
    struct dram_counts counts = {0};
    assert_int_equal(dram_access(dram, 10000, 0, true, &counts), 10000);
    assert_int_equal(counts.writes, 1);
    read_is_done(dram, 0, BANK, 120);
    read_is_done(dram, 9900, 2 * BANK, 10020);
    read_is_done(dram, 9990, 3 * BANK, 10105 + 30 + 65);
    dram_free(dram);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_before),   cmocka_unit_test(test_no_room),
        cmocka_unit_test(test_open_row), cmocka_unit_test(test_order),
        cmocka_unit_test(test_write),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
