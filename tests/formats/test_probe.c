/* SPDX-License-Identifier: MIT */
/* test_probe.c: each probe accepts files of its own format and rejects the others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formats/support.h"

#include "formats/format.h"

enum { HEAD = 65536 };

static const char *detected(const void *bytes, size_t size)
{
    const struct spoor_head head = {bytes, size < HEAD ? size : HEAD, size <= HEAD};
    struct spoor_ranking found = {.struct_size = sizeof found};
    struct spoor_error error = {0};
    return format_detect(&head, "test", &found, &error) == SPOOR_OK
               ? spoor_format_name(found.best.format)
               : "none";
}

static int score(const char *format, const void *bytes, size_t size)
{
    const struct spoor_head head = {bytes, size < HEAD ? size : HEAD, size <= HEAD};
    return spoor_format_probe(spoor_format_find(format), &head);
}

static const char *const binary[] = {"byu6", "byu12", "byu16", "byu24"};
static const char *const text[] = {"uop", "din", "xdin", "lackey"};

static void published_files(void **state)
{
    (void)state;
    static const struct {
        const char *path, *command, *format;
    } files[] = {
        {"traces/byu/pentium2-w2k.tr.xz", "xz -dc", "byu12"},
        {"traces/byu/pentium2-w2k-middle.tr", NULL, "byu12"},
        {"traces/byu/lp64-16byte.tr", NULL, "byu16"},
        {"traces/uop/gcc-1K.trace", NULL, "uop"},
        {"traces/uop/sfsu-test.trace", NULL, "uop"},
        {"traces/memory/small5M.din.zst", "zstd -dc", "din"},
        {"traces/memory/small5M.xdin.zst", "zstd -dc", "xdin"},
    };
    size_t seen = 0, size;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char *bytes = shared_file(files[i].path, files[i].command, &size);
        if (!bytes) continue;
        assert_string_equal(detected(bytes, size), files[i].format);
        seen++;
        free(bytes);
    }
    if (seen == 0) skip();
}

/* The same records, as a 64-bit program writes them, must not be read as twice as many of 12 bytes,
 * nor vice versa. */
static void widths_are_not_misread(void **state)
{
    (void)state;
    size_t size;
    char *bytes = shared_file("traces/byu/pentium2-w2k.tr.xz", "xz -dc", &size);
    if (!bytes) skip();
    struct text wide = {0};
    assert_int_equal(score("byu24", bytes, size), 0);
    assert_int_equal(score("byu16", bytes, size), 0);
    assert_int_equal(score("byu6", bytes, size), 0);
    convert(spoor_format_find("byu12"), bytes, size, spoor_format_find("byu24"), &wide);
    assert_string_equal(detected(wide.bytes, wide.size), "byu24");
    assert_int_equal(score("byu12", wide.bytes, wide.size), 0);
    wide.size = 0;
    convert(spoor_format_find("byu12"), bytes, size, spoor_format_find("byu16"), &wide);
    assert_string_equal(detected(wide.bytes, wide.size), "byu16");
    wide.size = 0;
    convert(spoor_format_find("byu12"), bytes, size, spoor_format_find("byu6"), &wide);
    assert_string_equal(detected(wide.bytes, wide.size), "byu6");
    text_free(&wide);
    free(bytes);
}

static void nothing_fits_random_bytes(void **state)
{
    (void)state;
    struct numbers numbers = {3};
    static uint8_t bytes[4096];
    for (int round = 0; round < 50; round++) {
        for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)numbers_next(&numbers);
        for (int f = 0; f < 4; f++) {
            assert_int_equal(score(binary[f], bytes, sizeof bytes), 0);
            assert_int_equal(score(text[f], bytes, sizeof bytes), 0);
        }
    }
    memset(bytes, 0, sizeof bytes);
    assert_string_equal(detected(bytes, sizeof bytes), "none");
}

static void binary_formats_refuse_text(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "The quick brown fox jumps over the lazy dog.\n",
        "0 clk IT (1) 00000000 e1a00000 A svc_s : MOV r0,r0\n",
        "11111111 22222222 33333333 44444444\n",
        "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n",
        "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1\t1\t1\t1\t1\t1\t1\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (int f = 0; f < 4; f++) {
            assert_int_equal(score(binary[f], texts[i], strlen(texts[i])), 0);
            assert_int_equal(score(text[f], texts[i], strlen(texts[i])), 0);
        }
}

static void texts_are_told_apart(void **state)
{
    (void)state;
    static const struct {
        const char *bytes, *format;
    } cases[] = {
        {"2 401ab70\n1 1fff0006e8\n", "din"},
        {"i 401ab70 3\nw 1fff0006e8 8\n", "xdin"},
        {"R 401ab70 3\nR 1fff0006e8 8\n", "xdin"},
        {"I 401AB70 3\nW 0x1fff0006e8 8\nM 10 1\nC 0 0\nV 10 4\n", "xdin"},
        {"==1== Lackey\nI  0401ab70,3\n S 1fff0006e8,8\n", "lackey"},
        {"1 48d1de -1 -1 13 - - - 0 0 48d1e2 0 SET ADD\r\n", "uop"},
        {"\n\n1 48d1de -1 -1 13 - - - 0 0 48d1e2 0 SET ADD", "uop"},
        {"1 48d1de -1 -1 13 - - - 0 0 48d1e2 0 SET\n", "none"},
        {"1 clk 0 IT (1) 00000004 3c080001 A svc : lui t0,0x1\n", "matcher"},
        {"1 clk IT (1) 00000004 3c080001 A svc : lui t0,0x1\n2 clk R t0 00010000\n", "matcher"},
        {"1 clk IT (1) 000080ac 2016 T thread : MOVS r0\n1 clk R r0 00000016\n", "tarmac"},
        {"1 clk IT (1) 000080ac 2016 T svc : MOVS r0\n1 clk E 0080ac 00000001 CoreEvent_RESET\n",
         "tarmac"},
        {"1 clk IT (1) 000080ac 2016 T svc : MOVS r0\n1 clk CADI E simulation_stopped\n", "tarmac"},
        {"", "none"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(detected(cases[i].bytes, strlen(cases[i].bytes)), cases[i].format);
}

static void the_head_may_end_within_a_line(void **state)
{
    (void)state;
    const char line[] = "I  0401ab70,3\n S 1fff00";
    const struct spoor_head cut = {(const uint8_t *)line, sizeof line - 1, false};
    assert_int_equal(spoor_format_probe(spoor_format_find("lackey"), &cut), 80);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_files),
        cmocka_unit_test(widths_are_not_misread),
        cmocka_unit_test(nothing_fits_random_bytes),
        cmocka_unit_test(binary_formats_refuse_text),
        cmocka_unit_test(texts_are_told_apart),
        cmocka_unit_test(the_head_may_end_within_a_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
