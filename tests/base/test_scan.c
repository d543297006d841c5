/* SPDX-License-Identifier: MIT */
/* test_scan.c: the numbers that users write: counts, sizes, addresses, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/scan.h"

static const char *const not_numbers[] = {
    "",
    " ",
    "-1",
    "+1",
    "x",
    "0x",
    "0xg",
    "K",
    "1k5",
    "1KK",
    "1KB",
    "1T",
    "1 ",
    " 1",
    "1.5K",
    "18446744073709551616",
    "0x10000000000000000",
    "16777216T",
    "18014398509481984K",
    "17179869184G",
};

static void numbers_have_one_grammar(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t value;
    } good[] = {
        {"0", 0},
        {"007", 7},
        {"4096", 4096},
        {"0x1000", 4096},
        {"0X1000", 4096},
        {"0xfF", 255},
        {"4K", 4096},
        {"4k", 4096},
        {"0x4K", 4096},
        {"3M", UINT64_C(3) << 20},
        {"3m", UINT64_C(3) << 20},
        {"2G", UINT64_C(2) << 30},
        {"2g", UINT64_C(2) << 30},
        {"18446744073709551615", UINT64_MAX},
        {"0xffffffffffffffff", UINT64_MAX},
        {"17179869183G", UINT64_C(17179869183) << 30},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        uint64_t value = 1;
        assert_true(scan_all_number(good[i].text, &value));
        assert_int_equal(value, good[i].value);
    }
    for (size_t i = 0; i < sizeof not_numbers / sizeof *not_numbers; i++) {
        uint64_t value;
        assert_false(scan_all_number(not_numbers[i], &value));
    }
}

static void addresses_are_hexadecimal(void **state)
{
    (void)state;
    uint64_t value = 0;
    assert_true(scan_all_address("1000", &value) && value == 0x1000);
    assert_true(scan_all_address("0x1000", &value) && value == 0x1000);
    assert_true(scan_all_address("0XfFfFfFfFfFfFfFfF", &value) && value == UINT64_MAX);
    assert_true(scan_all_address("beef", &value) && value == 0xbeef);
    assert_true(scan_all_address("000000000000000000001", &value) && value == 1);
    static const char *const bad[] = {"", "0x", "x1", "-1", "1K", "g", "10000000000000000", "1+4"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(scan_all_address(bad[i], &value));
}

static bool span(const char *text, uint64_t *address, uint64_t *size)
{
    struct scan scan = {text, text + strlen(text)};
    const bool good = scan_span(&scan, address, size);
    if (!good) assert_ptr_equal(scan.at, text);
    return good && scan_done(&scan);
}

static void spans_are_an_address_and_a_size(void **state)
{
    (void)state;
    uint64_t address, size;
    assert_true(span("8000", &address, &size) && address == 0x8000 && size == 1);
    assert_true(span("0x8000+16", &address, &size) && address == 0x8000 && size == 16);
    assert_true(span("8000+0x10", &address, &size) && size == 16);
    assert_true(span("8000+1K", &address, &size) && size == 1024);
    assert_false(span("8000+", &address, &size));
    assert_false(span("8000+0", &address, &size));
    assert_false(span("8000+-1", &address, &size));
    assert_false(span("8000+4x", &address, &size));
    assert_false(span("+4", &address, &size));
}

/* A failure leaves the scanner where it was, and a number ends where its digits end. */
static void scanners_stop_at_the_first_other_byte(void **state)
{
    (void)state;
    const char text[] = "12:0x1fz";
    struct scan scan = {text, text + sizeof text - 1};
    uint64_t value;
    assert_true(scan_number(&scan, &value) && value == 12);
    assert_false(scan_number(&scan, &value));
    assert_ptr_equal(scan.at, text + 2);
    assert_true(scan_char(&scan, ':'));
    assert_true(scan_number(&scan, &value) && value == 0x1f);
    assert_string_equal(scan.at, "z");
    struct scan ended = {text, text + 1}; /* the 2 lies after the end */
    assert_true(scan_number(&ended, &value) && value == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_have_one_grammar),
        cmocka_unit_test(addresses_are_hexadecimal),
        cmocka_unit_test(spans_are_an_address_and_a_size),
        cmocka_unit_test(scanners_stop_at_the_first_other_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
