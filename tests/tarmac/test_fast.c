/* SPDX-License-Identifier: MIT */
/*
 * test_fast.c: lines that are taken without the rules give what the rules give: published traces,
 * and common lines with a few bytes changed.  The comparison is the fuzz target's, which aborts.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fuzz/fuzz.h"
#include "tarmac/lines.h"

static void published_traces_are_the_same(void **state)
{
    (void)state;
    static const char *const paths[] = {
        "traces/tarmac/forms/seed-example.tarmac",
        "traces/tarmac/forms/seed-forms.tarmac",
        "traces/tarmac/calltest32.tarmac",
        "traces/tarmac/calltest64.tarmac",
        "traces/tarmac/fastmodel/quicksort.tarmac",
        "traces/tarmac/fastmodel/calculator-aarch64-fastmodel.tarmac",
        "traces/tarmac/gem5/calculator-aarch64-gem5.tarmac",
        "traces/tarmac/es/calculator-aarch64-es-ld-st-style.tarmac",
    };
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        size_t size;
        char *bytes = published(paths[i], &size);
        if (!bytes) {
            print_message("%s is not here (set SPOOR_SHARED): skipped\n", paths[i]);
            skip();
        }
        LLVMFuzzerTestOneInput((const uint8_t *)bytes, size);
        free(bytes);
    }
}

/* splitmix64: repeatable. */
static uint64_t next(uint64_t *seed)
{
    uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static const char common[] =
    "25 clk cpu0 IT (1) 00023000:000015223000 91000423 O EL1h_n : ADD      x1,x1,#1\n"
    "25 clk cpu0 R X2 14057B7EF767814F\n"
    "26 clk cpu1 IT (2) 23004 9100 T svc : b clk {pc}\n"
    "28 clk cpu0 MR8 0620e008:00001b40e008_NS 00000000_00066b61\n"
    "28 clk cpu1 MW4 ffff000008080000:0000880080000_S 8a\n"
    "29 clk cpu0 R cpsr 600003cd\n"
    "29 clk cpu0 R V3 0123456789abcdef:fedcba9876543210\n"
    "271ns cpu IT 8000 e3a00001 A usr :   mov r0, #1\n"
    "272ns cpu R R0 00000001\r\n"
    "123456789012345 clk cpu1 IT (9876543210) ffff000008080000:0000880080000_NS d65f03c0 O EL1h_n :"
    "   ret a word that ends like clk and goes on behind the next 32 bytes of the text ; clk\n"
    "29 clk cpu0 MR16 FFFF000008080000:0000880080000 00112233_44556677_8899aabb_ccddeeff\n"
    "29 clk cpu0 MW2 1:2 0:f\n"
    "29 clk cpu1 R sixteen_bytes_ID 0123456789ABCDEF_0123456789ABCDEF\n"
    "30 clk 0 IT (3) 0000000080000000 D2800000 O EL3h_s : mov\n"
    "30 clk R X0 0000000000000010\n";

/* A few bytes become others that mean something in such lines, or go away. */
static size_t change(char *text, size_t size, uint64_t *seed)
{
    static const char bytes[] = "0123456789abcdefABCDEFxX-_:(), \n\r\tORITMW<>.clk";
    for (uint64_t changes = next(seed) % 6; changes > 0; changes--) {
        const size_t at = next(seed) % size;
        const char byte = bytes[next(seed) % (sizeof bytes - 1)];
        if (next(seed) % 3) {
            text[at] = byte;
        } else if (next(seed) % 2) {
            memmove(text + at, text + at + 1, --size - at);
        } else {
            memmove(text + at + 1, text + at, size - at);
            text[at] = byte;
            size++;
        }
    }
    return size;
}

static void changed_lines_are_the_same(void **state)
{
    (void)state;
    enum { ROUNDS = 20000, CHANGES = 8 };
    uint64_t seed = 14;
    for (int round = 0; round < ROUNDS; round++) {
        char text[sizeof common + CHANGES];
        memcpy(text, common, sizeof common - 1);
        LLVMFuzzerTestOneInput((const uint8_t *)text, change(text, sizeof common - 1, &seed));
    }
}

/* Letters of a line cut short at every byte: nothing is read beyond it. */
static void cut_lines_are_the_same(void **state)
{
    (void)state;
    for (size_t size = 0; size < sizeof common; size++)
        LLVMFuzzerTestOneInput((const uint8_t *)common, size);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_traces_are_the_same),
        cmocka_unit_test(changed_lines_are_the_same),
        cmocka_unit_test(cut_lines_are_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
