/* SPDX-License-Identifier: MIT */
/*
 * test_fault_words.c: each bit and each code of the registers of faults, as the manuals have them:
 * Armv7-M and Armv8-M ARM (CFSR, HFSR, DFSR), Arm ARM (ESR_ELx, DFSR and IFSR of AArch32), The
 * RISC-V Instruction Set Manual (mcause).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "explore/fault_words.h"

static char words[256];

static const char *words_of(const char *name, uint64_t value, bool main)
{
    struct text text = {0};
    assert_true(fault_register_words(name, value, main, &text));
    assert_true(fault_register_words(name, value, main, NULL));
    snprintf(words, sizeof words, "%.*s", (int)text.size, text.size ? text.bytes : "");
    text_free(&text);
    return words;
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static void bits_of_the_m_profile(void **state)
{
    static const struct {
        const char *reg, *names[32];
    } registers[] = {
        {"cfsr",
         {[0] = "IACCVIOL",     [1] = "DACCVIOL",    [3] = "MUNSTKERR",  [4] = "MSTKERR",
          [5] = "MLSPERR",      [7] = "MMARVALID",   [8] = "IBUSERR",    [9] = "PRECISERR",
          [10] = "IMPRECISERR", [11] = "UNSTKERR",   [12] = "STKERR",    [13] = "LSPERR",
          [15] = "BFARVALID",   [16] = "UNDEFINSTR", [17] = "INVSTATE",  [18] = "INVPC",
          [19] = "NOCP",        [20] = "STKOF",      [24] = "UNALIGNED", [25] = "DIVBYZERO"}},
        {"hfsr", {[1] = "VECTTBL", [30] = "FORCED", [31] = "DEBUGEVT"}},
        {"dfsr", {[0] = "HALTED", [1] = "BKPT", [2] = "DWTTRAP", [3] = "VCATCH", [4] = "EXTERNAL"}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof registers / sizeof *registers; i++)
        for (unsigned bit = 0; bit < 32; bit++) {
            const char *name = registers[i].names[bit];
            const char *found = words_of(registers[i].reg, UINT64_C(1) << bit, true);
            if (!name) {
                assert_string_equal(found, "");
                continue;
            }
            assert_true(begins(found, name) && found[strlen(name)] == ':');
            assert_null(strchr(found, ';'));
        }
    assert_string_equal(words_of("cfsr", 0x8200, true),
                        "PRECISERR: precise data bus error; BFARVALID: BFAR has the address");
    assert_string_equal(words_of("cfsr_s", 0x2000000, true), "DIVBYZERO: division by zero");
}

static void registers_of_the_system_control_block(void **state)
{
    static const struct {
        uint64_t address;
        const char *name;
    } rows[] = {{0xE000ED28, "cfsr"},
                {0xE000ED2C, "hfsr"},
                {0xE000ED30, "dfsr"},
                {0xE000ED34, "mmfar"},
                {0xE000ED38, "bfar"}};
    (void)state;
    for (uint64_t address = 0xE000ED00; address < 0xE000ED80; address++) {
        const char *expected = NULL, *found = fault_register_at(address);
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
            if (rows[i].address == address) expected = rows[i].name;
        if (!expected || !found)
            assert_true(expected == found);
        else
            assert_string_equal(found, expected);
    }
}

/* ---- ESR_ELx ---- */

/* Faults of aborts: those that ESR_ELx and the long descriptors state in their lowest six bits. */
static const char *status_words(unsigned status)
{
    static char text[64];
    static const char *const kinds[] = {"address size fault", "translation fault",
                                        "access flag fault", "permission fault"};
    if (status < 16) {
        snprintf(text, sizeof text, "%s, level %u", kinds[status >> 2], status & 3);
        return text;
    }
    switch (status) {
    case 0x10: return "synchronous external abort";
    case 0x14: return "synchronous external abort on a walk, level 0";
    case 0x15: return "synchronous external abort on a walk, level 1";
    case 0x16: return "synchronous external abort on a walk, level 2";
    case 0x17: return "synchronous external abort on a walk, level 3";
    case 0x21: return "alignment fault";
    case 0x30: return "TLB conflict";
    default: snprintf(text, sizeof text, "status 0x%x", status); return text;
    }
}

static void classes_of_syndromes(void **state)
{
    static const char *const classes[64] = {
        [0x00] = "unknown reason",
        [0x01] = "trapped WFI or WFE",
        [0x07] = "trapped floating point",
        [0x0E] = "illegal execution state",
        [0x11] = "SVC",
        [0x12] = "HVC",
        [0x13] = "SMC",
        [0x15] = "SVC",
        [0x16] = "HVC",
        [0x17] = "SMC",
        [0x18] = "trapped MSR, MRS or system instruction",
        [0x20] = "instruction abort",
        [0x21] = "instruction abort",
        [0x22] = "misaligned pc",
        [0x24] = "data abort",
        [0x25] = "data abort",
        [0x26] = "misaligned sp",
        [0x2C] = "floating-point exception",
        [0x2F] = "SError",
        [0x30] = "breakpoint",
        [0x31] = "breakpoint",
        [0x32] = "software step",
        [0x33] = "software step",
        [0x34] = "watchpoint",
        [0x35] = "watchpoint",
        [0x3C] = "BRK",
    };
    (void)state;
    for (unsigned class = 0; class < 64; class ++)
        for (unsigned status = 0; status < 64; status++)
            for (unsigned writes = 0; writes < 2; writes++) {
                const uint64_t esr =
                    (uint64_t) class << 26 | UINT64_C(1) << 25 | writes << 6 | status;
                const bool data = class == 0x24 || class == 0x25,
                           aborts = data || class == 0x20 || class == 0x21;
                char expected[160];
                if (!aborts && status) continue;
                if (classes[class]) {
                    assert_string_equal(esr_class_words(class), classes[class]);
                    snprintf(expected, sizeof expected, "%s%s%s%s%s", classes[class],
                             class ? "" : ", as of an undefined instruction", aborts ? ", " : "",
                             aborts ? status_words(status) : "",
                             !data    ? ""
                             : writes ? ", on a write"
                                      : ", on a read");
                } else {
                    assert_null(esr_class_words(class));
                    snprintf(expected, sizeof expected, "class 0x%x", class);
                }
                assert_string_equal(words_of("esr_el1", esr, false), expected);
            }
}

/* ---- AArch32 ---- */

static void statuses_of_aarch32(void **state)
{
    static const char *const statuses[32] = {
        [0x01] = "alignment fault",
        [0x02] = "debug event",
        [0x03] = "access flag fault, section",
        [0x04] = "fault on instruction cache maintenance",
        [0x05] = "translation fault, section",
        [0x06] = "access flag fault, page",
        [0x07] = "translation fault, page",
        [0x08] = "synchronous external abort",
        [0x09] = "domain fault, section",
        [0x0B] = "domain fault, page",
        [0x0C] = "synchronous external abort on a walk, level 1",
        [0x0D] = "permission fault, section",
        [0x0E] = "synchronous external abort on a walk, level 2",
        [0x0F] = "permission fault, page",
        [0x10] = "TLB conflict",
        [0x16] = "asynchronous external abort",
    };
    (void)state;
    for (unsigned status = 0; status < 32; status++)
        for (unsigned writes = 0; writes < 2; writes++) {
            /* FS is bits 10 and 3:0; bits 7:4 are the domain */
            const uint64_t fsr = (status & 16) << 6 | (status & 15) | writes << 11 | 0x50;
            char expected[128];
            if (statuses[status])
                snprintf(expected, sizeof expected, "%s", statuses[status]);
            else
                snprintf(expected, sizeof expected, "status 0x%x", status);
            assert_string_equal(words_of("ifsr", fsr, false), expected);
            strcat(expected, writes ? ", on a write" : ", on a read");
            assert_string_equal(words_of("dfsr_s", fsr, false), expected);
        }
    for (unsigned status = 0; status < 64; status++) /* LPAE */
        assert_string_equal(words_of("ifsr", 1 << 9 | status, false), status_words(status));
}

/* ---- RISC-V ---- */

static void causes_of_riscv(void **state)
{
    static const char *const causes[64] = {
        "misaligned instruction address",
        "instruction access fault",
        "illegal instruction",
        "breakpoint",
        "misaligned load",
        "load access fault",
        "misaligned store",
        "store access fault",
        "ecall from U-mode",
        "ecall from S-mode",
        "ecall from VS-mode",
        "ecall from M-mode",
        "instruction page fault",
        "load page fault",
        NULL,
        "store page fault",
        "double trap",
        NULL,
        "software check",
        "hardware error",
        "instruction guest-page fault",
        "load guest-page fault",
        "virtual instruction",
        "store guest-page fault",
    };
    (void)state;
    for (unsigned code = 0; code < 64; code++) {
        char expected[64];
        if (causes[code])
            assert_string_equal(riscv_exception_words(code), causes[code]);
        else
            assert_null(riscv_exception_words(code));
        snprintf(expected, sizeof expected, "cause %u", code);
        const char *words_for = causes[code] ? causes[code] : expected;
        assert_string_equal(words_of("mcause", code, false), words_for);
        assert_string_equal(words_of("scause", code, false), words_for);
        assert_string_equal(words_of("vscause", code, false), words_for);
        snprintf(expected, sizeof expected, "interrupt %u", code);
        assert_string_equal(words_of("mcause", UINT64_C(1) << 63 | code, false), expected);
        assert_string_equal(words_of("mcause", UINT64_C(1) << 31 | code, false), expected);
    }
}

static void registers_without_words(void **state)
{
    static const char *const plain[] = {"mmfar", "bfar",  "far",    "dfar",   "ifar",
                                        "mtval", "stval", "vstval", "far_el1"};
    static const char *const none[] = {"r0", "sp", "cfs", "cfsrx", "esrx", "mcausex", "x", "fa"};
    (void)state;
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        assert_string_equal(words_of(plain[i], 0x1234, false), "");
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_false(fault_register_words(none[i], 1, false, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_of_the_m_profile),
        cmocka_unit_test(registers_of_the_system_control_block),
        cmocka_unit_test(classes_of_syndromes),
        cmocka_unit_test(statuses_of_aarch32),
        cmocka_unit_test(causes_of_riscv),
        cmocka_unit_test(registers_without_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
