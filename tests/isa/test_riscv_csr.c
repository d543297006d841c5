/* SPDX-License-Identifier: MIT */
/*
 * test_riscv_csr.c: names of control registers.  The numbers are those that LLVM 14's assembler
 * gives to the names, and of later extensions those of the manuals (Smaia, Smrnmi, Sdtrig, Zcmt,
 * Zicfiss, Smcdeleg, and the privileged architecture 1.13).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "isa/riscv_csr.h"

static const struct {
    unsigned number;
    const char *name;
} rows[] = {
    /* clang-format off */
    /* as an assembler has them */
    {0x001, "fflags"}, {0x002, "frm"}, {0x003, "fcsr"}, {0x008, "vstart"}, {0x009, "vxsat"},
    {0x00A, "vxrm"}, {0x00F, "vcsr"}, {0x015, "seed"}, {0x100, "sstatus"}, {0x104, "sie"},
    {0x105, "stvec"}, {0x106, "scounteren"}, {0x10A, "senvcfg"}, {0x140, "sscratch"},
    {0x141, "sepc"}, {0x142, "scause"}, {0x143, "stval"}, {0x144, "sip"}, {0x14D, "stimecmp"},
    {0x15D, "stimecmph"}, {0x180, "satp"}, {0x200, "vsstatus"}, {0x204, "vsie"},
    {0x205, "vstvec"}, {0x240, "vsscratch"}, {0x241, "vsepc"}, {0x242, "vscause"},
    {0x243, "vstval"}, {0x244, "vsip"}, {0x24D, "vstimecmp"}, {0x25D, "vstimecmph"},
    {0x280, "vsatp"}, {0x300, "mstatus"}, {0x301, "misa"}, {0x302, "medeleg"},
    {0x303, "mideleg"}, {0x304, "mie"}, {0x305, "mtvec"}, {0x306, "mcounteren"},
    {0x30A, "menvcfg"}, {0x310, "mstatush"}, {0x31A, "menvcfgh"}, {0x320, "mcountinhibit"},
    {0x340, "mscratch"}, {0x341, "mepc"}, {0x342, "mcause"}, {0x343, "mtval"}, {0x344, "mip"},
    {0x34A, "mtinst"}, {0x34B, "mtval2"}, {0x5A8, "scontext"}, {0x600, "hstatus"},
    {0x602, "hedeleg"}, {0x603, "hideleg"}, {0x604, "hie"}, {0x605, "htimedelta"},
    {0x606, "hcounteren"}, {0x607, "hgeie"}, {0x60A, "henvcfg"}, {0x615, "htimedeltah"},
    {0x61A, "henvcfgh"}, {0x643, "htval"}, {0x644, "hip"}, {0x645, "hvip"}, {0x64A, "htinst"},
    {0x680, "hgatp"}, {0x6A8, "hcontext"}, {0x747, "mseccfg"}, {0x757, "mseccfgh"},
    {0x7A0, "tselect"}, {0x7A1, "tdata1"}, {0x7A2, "tdata2"}, {0x7A3, "tdata3"},
    {0x7A8, "mcontext"}, {0x7B0, "dcsr"}, {0x7B1, "dpc"}, {0x7B2, "dscratch0"},
    {0x7B3, "dscratch1"}, {0xB00, "mcycle"}, {0xB02, "minstret"}, {0xB80, "mcycleh"},
    {0xB82, "minstreth"}, {0xC00, "cycle"}, {0xC01, "time"}, {0xC02, "instret"}, {0xC20, "vl"},
    {0xC21, "vtype"}, {0xC22, "vlenb"}, {0xC80, "cycleh"}, {0xC81, "timeh"}, {0xC82, "instreth"},
    {0xDA0, "scountovf"}, {0xE12, "hgeip"}, {0xF11, "mvendorid"}, {0xF12, "marchid"},
    {0xF13, "mimpid"}, {0xF14, "mhartid"}, {0xF15, "mconfigptr"}, {0x10C, "sstateen0"},
    {0x10F, "sstateen3"}, {0x30C, "mstateen0"}, {0x30F, "mstateen3"}, {0x31C, "mstateen0h"},
    {0x31F, "mstateen3h"}, {0x323, "mhpmevent3"}, {0x33F, "mhpmevent31"}, {0x3A0, "pmpcfg0"},
    {0x3AF, "pmpcfg15"}, {0x3B0, "pmpaddr0"}, {0x3B7, "pmpaddr7"}, {0x3EF, "pmpaddr63"},
    {0x60C, "hstateen0"}, {0x60F, "hstateen3"}, {0x61C, "hstateen0h"}, {0x61F, "hstateen3h"},
    {0x723, "mhpmevent3h"}, {0x73F, "mhpmevent31h"}, {0xB03, "mhpmcounter3"},
    {0xB1F, "mhpmcounter31"}, {0xB83, "mhpmcounter3h"}, {0xB9F, "mhpmcounter31h"},
    {0xC03, "hpmcounter3"}, {0xC11, "hpmcounter17"}, {0xC1F, "hpmcounter31"},
    {0xC83, "hpmcounter3h"}, {0xC9F, "hpmcounter31h"},
    /* as the manuals have them */
    {0x011, "ssp"}, {0x017, "jvt"}, {0x120, "scountinhibit"}, {0x150, "siselect"},
    {0x151, "sireg"}, {0x15C, "stopei"}, {0x250, "vsiselect"}, {0x251, "vsireg"},
    {0x25C, "vstopei"}, {0x312, "medelegh"}, {0x350, "miselect"}, {0x351, "mireg"},
    {0x35C, "mtopei"}, {0x740, "mnscratch"}, {0x741, "mnepc"}, {0x742, "mncause"},
    {0x744, "mnstatus"}, {0x7A4, "tinfo"}, {0x7A5, "tcontrol"}, {0xDB0, "stopi"},
    {0xEB0, "vstopi"}, {0xFB0, "mtopi"},
    /* clang-format on */
};

enum { NAMED = 394 };

static void names_have_their_numbers(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char name[MAX_RISCV_CSR_NAME];
        assert_int_equal(riscv_csr_name(rows[i].number, name), strlen(rows[i].name));
        assert_string_equal(name, rows[i].name);
        assert_int_equal(riscv_csr_number(rows[i].name, strlen(rows[i].name)), rows[i].number);
        /* as much as the size says */
        assert_int_not_equal(riscv_csr_number(rows[i].name, strlen(rows[i].name) - 1),
                             rows[i].number);
    }
}

/* Each number has one name, which has this number; none is there twice. */
static void each_number_has_a_name(void **state)
{
    unsigned named = 0;
    (void)state;
    for (unsigned number = 0; number < 4096; number++) {
        char name[MAX_RISCV_CSR_NAME], other[MAX_RISCV_CSR_NAME];
        const size_t size = riscv_csr_name(number, name);
        assert_int_equal(size, strlen(name));
        assert_int_equal(riscv_csr_number(name, size), number);
        snprintf(other, sizeof other, "csr_0x%03x", number);
        const bool is_named = strcmp(name, other) != 0;
        if (is_named) named++;
        if (is_named) assert_int_equal(riscv_csr_number(other, strlen(other)), -1);
    }
    assert_int_equal(named, NAMED);
}

static void others_are_none(void **state)
{
    static const char *const names[] = {
        "",          "f",         "mhpmcounter2", "mhpmcounter32", "mhpmcounter03",
        "pmpaddr64", "csr_0x",    "csr_0x12",     "csr_0x1000",    "csr_0x0001",
        "csr_0xABC", "csr_0x04g", "mstateen4",    "hpmcounter3x",  "0x340",
        "Mscratch"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_int_equal(riscv_csr_number(names[i], strlen(names[i])), -1);
    assert_int_equal(riscv_csr_number("csr_0xabc", 9), 0xABC);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_have_their_numbers),
        cmocka_unit_test(each_number_has_a_name),
        cmocka_unit_test(others_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
