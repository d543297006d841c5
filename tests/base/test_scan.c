/* SPDX-License-Identifier: MIT */
/* test_scan.c: the numbers that users write: counts, sizes, addresses, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/hex_run.h"
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

/* Reads hexadecimal digits one by one, as scan_hex() states; the number of digits, 0: refused. */
static unsigned hex_by_definition(const char *text, size_t size, uint64_t *value, unsigned *letters)
{
    static const char lower[] = "0123456789abcdef", upper[] = "0123456789ABCDEF";
    unsigned count = 0;
    *value = *letters = 0;
    for (; count < size && text[count]; count++) {
        const char *small = strchr(lower, text[count]), *large = strchr(upper, text[count]);
        if (!small && !large) break;
        if (*value >> 60) return 0;
        if (!large) *letters |= 2;
        if (!small) *letters |= 1;
        *value = *value << 4 | (uint64_t)(small ? small - lower : large - upper);
    }
    return count;
}

/* True if hex_lower_at() states the number that scan_hex() does, or leaves it to that. */
static bool is_left_or_same(const char *text, size_t size, unsigned digits, unsigned letters,
                            uint64_t expected, unsigned *found)
{
    uint64_t value;
    const char *end = hex_lower_at(text, text + size, &value);
    const bool usual = digits > 0 && digits <= 16 && !(letters & 1) && digits + 8 <= size &&
                       (unsigned char)text[digits] < '0';
    *found += end != NULL;
    if (!end) return !usual;
    return digits > 0 && end == text + digits && value == expected && !(letters & 1);
}

/* Digits of either case, of 1 to 24 places, before any byte, at any distance from the end. */
static void hexadecimal_digits_are_those_one_by_one(void **state)
{
    (void)state;
    static const char bytes[] = "0000123456789abcdefABCDEF 0f/:\n\xb1g";
    uint64_t random = 1;
    unsigned refused = 0, usual = 0;
    for (unsigned turn = 0; turn < 200000; turn++) {
        char text[32];
        for (size_t i = 0; i < sizeof text; i++) {
            random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
            text[i] = bytes[(random >> 33) % (turn % 3 ? 25 : sizeof bytes - 1)];
        }
        const size_t size = 1 + (random >> 40) % 24;
        uint64_t expected, value = 1;
        unsigned expected_letters, digits = 0, letters = 0;
        const unsigned count = hex_by_definition(text, size, &expected, &expected_letters);
        struct scan scan = {text, text + size};
        assert_int_equal(scan_hex(&scan, &value, &digits, &letters), count > 0);
        assert_ptr_equal(scan.at, text + count);
        assert_true(is_left_or_same(text, size, count, expected_letters, expected, &usual));
        refused += count == 0;
        if (count == 0) continue;
        assert_true(value == expected && digits == count && letters == expected_letters);
    }
    assert_in_range(refused, 1000, 100000);
    assert_in_range(usual, 1000, 100000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_have_one_grammar),
        cmocka_unit_test(addresses_are_hexadecimal),
        cmocka_unit_test(spans_are_an_address_and_a_size),
        cmocka_unit_test(scanners_stop_at_the_first_other_byte),
        cmocka_unit_test(hexadecimal_digits_are_those_one_by_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
