/* SPDX-License-Identifier: MIT */
/* test_model.c: names, batches, number scanning and printing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/quick_put.h"
#include "base/scan.h"
#include "base/text.h"
#include "model/batch_own.h"
#include "model/names.h"
#include "model/record.h"
#include "spoor/batch.h"
#include "spoor/format.h"

static void names_give_one_id_per_text(void **state)
{
    (void)state;
    struct spoor_names *names = spoor_names_new();
    spoor_name mov = spoor_names_intern(names, "MOV", 3), add = spoor_names_intern(names, "ADD", 3);
    assert_int_equal(mov, 1);
    assert_int_equal(add, 2);
    assert_int_equal(spoor_names_intern(names, "MOV", 3), mov);
    assert_int_equal(spoor_names_intern(names, "", 0), SPOOR_NO_NAME);
    assert_int_equal(names_find(names, "ADD", 3), add);
    assert_int_equal(names_find(names, "SUB", 3), SPOOR_NO_NAME);
    assert_int_equal(names_find(names, "", 0), SPOOR_NO_NAME);
    size_t size;
    assert_string_equal(spoor_names_text(names, add, &size), "ADD");
    assert_int_equal(size, 3);
    assert_string_equal(spoor_names_text(names, 999, &size), "");
    spoor_names_free(names);
}

static void names_hold_bytes_of_any_kind(void **state)
{
    (void)state;
    struct spoor_names *names = spoor_names_new();
    static const char zeros[16] = {0};
    spoor_name seen[17] = {0};
    for (size_t size = 1; size <= 16; size++) {
        seen[size] = spoor_names_intern(names, zeros, size);
        for (size_t shorter = 1; shorter < size; shorter++)
            assert_int_not_equal(seen[size], seen[shorter]);
    }
    spoor_names_free(names);
}

static void a_full_table_never_gives_a_wrong_name(void **state)
{
    (void)state;
    struct spoor_names *names = spoor_names_new();
    char text[16];
    for (int i = 1; i < 0xFFFF; i++) {
        int size = snprintf(text, sizeof text, "n%d", i);
        assert_int_equal(spoor_names_intern(names, text, (size_t)size), i);
    }
    assert_int_equal(spoor_names_intern(names, "one more", 8), SPOOR_NAMES_FULL);
    assert_int_equal(spoor_names_intern(names, "n65534", 6), 65534);
    assert_int_equal(spoor_names_intern(names, "n1", 2), 1);
    assert_int_equal(spoor_names_count(names), 0xFFFF);
    spoor_names_free(names);
}

static void records_start_zeroed_also_after_reuse(void **state)
{
    (void)state;
    struct spoor_batch batch = {0};
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 5000; i++) {
            struct spoor_record *record = spoor_batch_push(&batch);
            for (int word = 0; word < 6; word++) assert_true(record->word[word] == 0);
            record->word[5] = UINT64_MAX;
        }
        assert_int_equal(batch.count, 5000);
        spoor_batch_clear(&batch);
    }
    spoor_batch_free(&batch);
}

static void spills_are_found_by_record_and_kind(void **state)
{
    (void)state;
    struct spoor_batch batch = {0};
    for (uint32_t i = 0; i < 300; i++) {
        spoor_batch_push(&batch);
        if (i % 3 == 0)
            spoor_batch_spill(&batch, SPOOR_SPILL_LINE, spoor_batch_keep(&batch, &i, 4));
        if (i % 5 == 0)
            spoor_batch_spill(&batch, SPOOR_SPILL_DATA, spoor_batch_keep(&batch, &i, 4));
    }
    for (uint32_t i = 0, kept; i < 300; i++) {
        struct spoor_ref ref;
        assert_int_equal(spoor_batch_find_spill(&batch, i, SPOOR_SPILL_LINE, &ref), i % 3 == 0);
        assert_int_equal(spoor_batch_find_spill(&batch, i, SPOOR_SPILL_DATA, &ref), i % 5 == 0);
        if (i % 5) continue;
        memcpy(&kept, spoor_batch_bytes(&batch, ref), 4);
        assert_int_equal(kept, i);
        assert_true(batch.records[i].has & SPOOR_IS_SPILLED);
    }
    spoor_batch_free(&batch);
}

static void an_appended_record_brings_its_names_and_bytes(void **state)
{
    (void)state;
    struct spoor_stream a = {.names = spoor_names_new(), .spellings = spoor_names_new()};
    struct spoor_stream b = {.names = spoor_names_new(), .spellings = spoor_names_new()};
    struct spoor_batch from = {.stream = &a}, to = {.stream = &b};
    spoor_names_intern(b.names, "something else", 14);
    struct spoor_record *record = spoor_batch_push(&from);
    record->kind = SPOOR_INSN;
    record->cpu = spoor_names_intern(a.names, "cpu0", 4);
    record->insn.mode = spoor_names_intern(a.names, "EL3h_s", 6);
    record->insn.disasm = spoor_batch_keep(&from, "NOP", 3);
    assert_int_equal(batch_append(&to, &from, 0, NULL, NULL), SPOOR_OK);
    record = &to.records[0];
    assert_string_equal(spoor_names_text(b.names, record->cpu, NULL), "cpu0");
    assert_string_equal(spoor_names_text(b.names, record->insn.mode, NULL), "EL3h_s");
    assert_memory_equal(spoor_batch_bytes(&to, record->insn.disasm), "NOP", 3);
    struct spoor_stream *streams[] = {&a, &b};
    for (int i = 0; i < 2; i++) {
        spoor_names_free(streams[i]->names);
        spoor_names_free(streams[i]->spellings);
    }
    spoor_batch_free(&from);
    spoor_batch_free(&to);
}

static void attributes_step_through_pairs(void **state)
{
    (void)state;
    const char *text = "xn=0 pxn=1 ContiguousHint =0 lonely ADDR=0x1";
    struct spoor_slice list = {text, strlen(text)}, key, value;
    const char *expected[][2] = {
        {"xn", "0"}, {"pxn", "1"}, {"ContiguousHint", "0"}, {"lonely", ""}, {"ADDR", "0x1"}};
    size_t at = 0;
    for (size_t i = 0; i < 5; i++) {
        assert_true(attributes_next(list, &at, &key, &value));
        assert_int_equal(key.size, strlen(expected[i][0]));
        assert_memory_equal(key.bytes, expected[i][0], key.size);
        assert_int_equal(value.size, strlen(expected[i][1]));
        assert_memory_equal(value.bytes, expected[i][1], value.size);
    }
    assert_false(attributes_next(list, &at, &key, &value));
}

static void regions_are_counted_in_bytes(void **state)
{
    (void)state;
    const struct {
        const char *text;
        uint64_t bytes;
    } cases[] = {{"4K", 4096},
                 {"64K", 65536},
                 {"2M", 2097152},
                 {"1G", 1073741824},
                 {"512", 512},
                 {"", 0},
                 {"K", 0},
                 {"4KB", 0},
                 {"4k", 0},
                 {"99E", 0},
                 {"8E", UINT64_C(1) << 63}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_true(region_bytes((struct spoor_slice){cases[i].text, strlen(cases[i].text)}) ==
                    cases[i].bytes);
}

/* The output equals the libc's. */
static void numbers_print_as_printf_does(void **state)
{
    (void)state;
    uint64_t value = 0;
    for (int i = 0; i < 20000; i++) {
        char ours[64], theirs[64];
        *put_decimal(ours, value) = '\0';
        snprintf(theirs, sizeof theirs, "%llu", (unsigned long long)value);
        assert_string_equal(ours, theirs);
        *put_signed_padded(ours, (int64_t)value, 9) = '\0';
        snprintf(theirs, sizeof theirs, "%9lld", (long long)value);
        assert_string_equal(ours, theirs);
        *quick_put_hex_padded(ours, value, 12) = '\0';
        snprintf(theirs, sizeof theirs, "%12llx", (unsigned long long)value);
        assert_string_equal(ours, theirs);
        *put_hex(ours, value, 8) = '\0';
        snprintf(theirs, sizeof theirs, "%08llx", (unsigned long long)value);
        assert_string_equal(ours, theirs);
        *put_hex_upper(ours, value, 1) = '\0';
        snprintf(theirs, sizeof theirs, "%llX", (unsigned long long)value);
        assert_string_equal(ours, theirs);
        value = i < 10000 ? (uint64_t)i
                          : (value * 6364136223846793005u + 1442695040888963407u) >> (i % 64);
    }
}

static void numbers_over_64_bits_are_refused(void **state)
{
    (void)state;
    const struct {
        const char *text;
        bool good;
    } decimals[] = {{"18446744073709551615", true},
                    {"18446744073709551616", false},
                    {"99999999999999999999", false},
                    {"", false},
                    {"x", false},
                    {"0", true}};
    for (size_t i = 0; i < sizeof decimals / sizeof *decimals; i++) {
        struct scan scan = {decimals[i].text, decimals[i].text + strlen(decimals[i].text)};
        uint64_t value;
        assert_int_equal(scan_decimal(&scan, &value), decimals[i].good);
        if (decimals[i].good) assert_true(value == strtoull(decimals[i].text, NULL, 10));
    }
    const char *wide = "1ffffffffffffffff", *whole = "00ffffffffffffffff";
    struct scan scan = {wide, wide + strlen(wide)};
    uint64_t value;
    unsigned digits, letters;
    assert_false(scan_hex(&scan, &value, &digits, &letters));
    scan = (struct scan){whole, whole + strlen(whole)};
    assert_true(scan_hex(&scan, &value, &digits, &letters));
    assert_true(value == UINT64_MAX && digits == 18 && letters == 2);
}

/* A struct of a later version of the library. */
struct later {
    struct spoor_ranking ranking;
    uint64_t more;
};

/* A program that was compiled with another version has a struct that is shorter or longer. */
static void a_struct_is_filled_as_far_as_the_program_knows_it(void **state)
{
    (void)state;
    static const char line[] = "0 1234\n2 5678\n";
    const struct spoor_head head = {(const uint8_t *)line, sizeof line - 1, true};
    struct later whole, longer, shorter;
    memset(&whole, 0xA5, sizeof whole);
    whole.ranking.struct_size = 0;
    spoor_format_rank(&head, &whole.ranking);
    assert_non_null(whole.ranking.best.format);
    assert_int_equal(whole.ranking.struct_size, 0);
    assert_int_equal(whole.more, UINT64_C(0xA5A5A5A5A5A5A5A5));

    memset(&longer, 0xA5, sizeof longer);
    longer.ranking.struct_size = sizeof longer;
    spoor_format_rank(&head, &longer.ranking);
    assert_int_equal(longer.ranking.struct_size, sizeof longer);
    assert_memory_equal((char *)&longer + sizeof(size_t), (char *)&whole + sizeof(size_t),
                        offsetof(struct spoor_ranking, out_of_memory) - sizeof(size_t));
    assert_int_equal(longer.more, 0);

    memset(&shorter, 0xA5, sizeof shorter);
    shorter.ranking.struct_size = offsetof(struct spoor_ranking, second);
    spoor_format_rank(&head, &shorter.ranking);
    assert_ptr_equal(shorter.ranking.best.format, whole.ranking.best.format);
    for (size_t i = offsetof(struct spoor_ranking, second); i < sizeof shorter; i++)
        assert_int_equal(((unsigned char *)&shorter)[i], 0xA5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_give_one_id_per_text),
        cmocka_unit_test(names_hold_bytes_of_any_kind),
        cmocka_unit_test(a_full_table_never_gives_a_wrong_name),
        cmocka_unit_test(records_start_zeroed_also_after_reuse),
        cmocka_unit_test(spills_are_found_by_record_and_kind),
        cmocka_unit_test(an_appended_record_brings_its_names_and_bytes),
        cmocka_unit_test(attributes_step_through_pairs),
        cmocka_unit_test(regions_are_counted_in_bytes),
        cmocka_unit_test(numbers_print_as_printf_does),
        cmocka_unit_test(numbers_over_64_bits_are_refused),
        cmocka_unit_test(a_struct_is_filled_as_far_as_the_program_knows_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
