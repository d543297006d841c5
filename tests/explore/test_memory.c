/* SPDX-License-Identifier: MIT */
/* test_memory.c: which bytes of a place of memory an access touches (explore/internal.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "explore/explorer.h"

enum { PLACE = 0x1000, SIZE = 16, AT = 0x800 };

/* Each access of up to 40 bytes around a place, compared byte by byte. */
static void bytes_that_both_have(void **state)
{
    (void)state;
    for (unsigned physical = 0; physical < 2; physical++)
        for (uint64_t at = PLACE - 40; at < PLACE + 40; at++)
            for (uint32_t size = 1; size <= 40; size++) {
                const struct memory_place place = {.va = physical ? AT : PLACE,
                                                   .pa = physical ? PLACE : AT,
                                                   .size = SIZE,
                                                   .has_va = true,
                                                   .has_pa = physical};
                const struct access access = {.va = physical ? 0 : at,
                                              .pa = physical ? at : 0,
                                              .size = size,
                                              .has_va = true,
                                              .has_pa = physical};
                uint64_t first = SIZE, last = 0, from = 99, to = 99;
                for (uint64_t byte = 0; byte < SIZE; byte++)
                    if (PLACE + byte >= at && PLACE + byte < at + size) {
                        first = byte < first ? byte : first;
                        last = byte + 1;
                    }
                assert_int_equal(place_touched(&place, &access, &from, &to), first < last);
                if (first == SIZE) continue;
                assert_int_equal(from, first);
                assert_int_equal(to, last);
            }
}

/* Physical addresses, where both have them, of one space; else virtual ones. */
static void addresses_that_are_compared(void **state)
{
    const struct memory_place both = {
        .va = PLACE, .pa = AT, .space = 1, .size = SIZE, .has_va = true, .has_pa = true};
    const struct memory_place virtual = {.va = PLACE, .size = SIZE, .has_va = true};
    struct access access = {
        .va = PLACE, .pa = AT, .space = 1, .size = 4, .has_va = true, .has_pa = true};
    uint64_t from, to;
    (void)state;
    assert_true(place_touched(&both, &access, &from, &to));
    access.space = 2; /* another one, with the same addresses */
    assert_false(place_touched(&both, &access, &from, &to));
    assert_true(place_touched(&virtual, &access, &from, &to));
    access.space = 1;
    access.pa = AT + SIZE; /* the same virtual address, mapped elsewhere */
    assert_false(place_touched(&both, &access, &from, &to));
    access.has_pa = false;
    access.space = 2;
    assert_true(place_touched(&both, &access, &from, &to));
    access.has_va = false;
    assert_false(place_touched(&both, &access, &from, &to));
    access.has_pa = true; /* nothing that both have */
    assert_false(place_touched(&virtual, &access, &from, &to));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_that_both_have),
        cmocka_unit_test(addresses_that_are_compared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
