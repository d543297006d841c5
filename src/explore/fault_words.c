/* SPDX-License-Identifier: MIT */
/*
 * fault_words.c: the registers of faults in words.  Sources: Armv7-M ARM, "System Control Block"
 * (CFSR, HFSR, DFSR, MMFAR, BFAR); Armv8-M ARM (STKOF, LSPERR); Arm ARM, ESR_ELx, and DFSR and IFSR
 * of AArch32; The RISC-V Instruction Set Manual, "Machine Cause Register".
 */
#include "explore/fault_words.h"

#include <string.h>

struct fault_bit {
    unsigned bit;
    const char *words;
};

static void fault_put_bits(uint64_t value, const struct fault_bit *bits, struct text *text)
{
    const size_t before = text->size;
    for (; bits->words; bits++)
        if (value >> bits->bit & 1)
            text_printf(text, "%s%s", text->size > before ? "; " : "", bits->words);
}

static const struct fault_bit cfsr_bits[] = {
    {0, "IACCVIOL: instruction access violation"},
    {1, "DACCVIOL: data access violation"},
    {3, "MUNSTKERR: MemManage fault on unstacking"},
    {4, "MSTKERR: MemManage fault on stacking"},
    {5, "MLSPERR: MemManage fault on saving floating-point state"},
    {7, "MMARVALID: MMFAR has the address"},
    {8, "IBUSERR: bus error on an instruction fetch"},
    {9, "PRECISERR: precise data bus error"},
    {10, "IMPRECISERR: imprecise data bus error"},
    {11, "UNSTKERR: BusFault on unstacking"},
    {12, "STKERR: BusFault on stacking"},
    {13, "LSPERR: BusFault on saving floating-point state"},
    {15, "BFARVALID: BFAR has the address"},
    {16, "UNDEFINSTR: undefined instruction"},
    {17, "INVSTATE: invalid state (EPSR.T is 0)"},
    {18, "INVPC: invalid EXC_RETURN or pc"},
    {19, "NOCP: coprocessor is disabled or absent"},
    {20, "STKOF: stack overflow"},
    {24, "UNALIGNED: unaligned access"},
    {25, "DIVBYZERO: division by zero"},
    {0, NULL}};
static const struct fault_bit hfsr_bits[] = {{1, "VECTTBL: fault on reading the vector table"},
                                             {30, "FORCED: escalated to HardFault"},
                                             {31, "DEBUGEVT: debug event"},
                                             {0, NULL}};
static const struct fault_bit dfsr_bits[] = {
    {0, "HALTED: halt request"}, {1, "BKPT: breakpoint"},           {2, "DWTTRAP: watchpoint"},
    {3, "VCATCH: vector catch"}, {4, "EXTERNAL: external request"}, {0, NULL}};

const char *esr_class_words(unsigned class)
{
    switch (class) {
    case 0x00: return "unknown reason";
    case 0x01: return "trapped WFI or WFE";
    case 0x07: return "trapped floating point";
    case 0x0E: return "illegal execution state";
    case 0x11:
    case 0x15: return "SVC";
    case 0x12:
    case 0x16: return "HVC";
    case 0x13:
    case 0x17: return "SMC";
    case 0x18: return "trapped MSR, MRS or system instruction";
    case 0x20:
    case 0x21: return "instruction abort";
    case 0x22: return "misaligned pc";
    case 0x24:
    case 0x25: return "data abort";
    case 0x26: return "misaligned sp";
    case 0x2C: return "floating-point exception";
    case 0x2F: return "SError";
    case 0x30:
    case 0x31: return "breakpoint";
    case 0x32:
    case 0x33: return "software step";
    case 0x34:
    case 0x35: return "watchpoint";
    case 0x3C: return "BRK";
    default: return NULL;
    }
}

/* The status of an abort, as ESR_ELx and the long descriptors of AArch32 have it. */
static void fault_put_status(unsigned status, struct text *text)
{
    static const char *const levels[] = {"address size fault", "translation fault",
                                         "access flag fault", "permission fault"};
    if (status < 16)
        text_printf(text, "%s, level %u", levels[status / 4], status % 4);
    else if (status == 0x10)
        text_puts(text, "synchronous external abort");
    else if (status >= 0x14 && status < 0x18)
        text_printf(text, "synchronous external abort on a walk, level %u", status % 4);
    else if (status == 0x21)
        text_puts(text, "alignment fault");
    else if (status == 0x30)
        text_puts(text, "TLB conflict");
    else
        text_printf(text, "status 0x%x", status);
}

/* DFSR and IFSR of AArch32, in the short format unless bit 9 is set. */
static void fault_put_fsr(uint64_t value, bool data, struct text *text)
{
    static const struct {
        unsigned status;
        const char *words;
    } faults[] = {{0x01, "alignment fault"},
                  {0x02, "debug event"},
                  {0x03, "access flag fault, section"},
                  {0x04, "fault on instruction cache maintenance"},
                  {0x05, "translation fault, section"},
                  {0x06, "access flag fault, page"},
                  {0x07, "translation fault, page"},
                  {0x08, "synchronous external abort"},
                  {0x09, "domain fault, section"},
                  {0x0B, "domain fault, page"},
                  {0x0C, "synchronous external abort on a walk, level 1"},
                  {0x0D, "permission fault, section"},
                  {0x0E, "synchronous external abort on a walk, level 2"},
                  {0x0F, "permission fault, page"},
                  {0x10, "TLB conflict"},
                  {0x16, "asynchronous external abort"}};
    const unsigned status = (unsigned)((value & 0xF) | (value >> 6 & 0x10));
    const size_t before = text->size;
    if (value >> 9 & 1) fault_put_status((unsigned)(value & 0x3F), text);
    for (size_t i = 0; text->size == before && i < sizeof faults / sizeof *faults; i++)
        if (faults[i].status == status) text_puts(text, faults[i].words);
    if (text->size == before) text_printf(text, "status 0x%x", status);
    if (data) text_puts(text, value >> 11 & 1 ? ", on a write" : ", on a read");
}

const char *riscv_exception_words(uint64_t code)
{
    static const char *const names[] = {"misaligned instruction address",
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
                                        "store guest-page fault"};
    return code < sizeof names / sizeof *names ? names[code] : NULL;
}

/* The name without what follows the register: "cfsr_s" is cfsr, "esr_el1" is esr. */
static bool fault_is_named(const char *name, const char *with)
{
    const size_t size = strlen(with);
    return strncmp(name, with, size) == 0 && (!name[size] || name[size] == '_');
}

bool fault_register_words(const char *name, uint64_t value, bool main, struct text *text)
{
    static const char *const plain[] = {"mmfar", "bfar",  "far",   "dfar",
                                        "ifar",  "mtval", "stval", "vstval"};
    struct text unused = {0};
    struct text *into = text ? text : &unused;
    bool known = true;
    if (fault_is_named(name, "cfsr"))
        fault_put_bits(value, cfsr_bits, into);
    else if (fault_is_named(name, "hfsr"))
        fault_put_bits(value, hfsr_bits, into);
    else if (fault_is_named(name, "esr")) {
        const unsigned class = (unsigned)(value >> 26 & 0x3F);
        const char *words = esr_class_words(class);
        const bool data = class == 0x24 || class == 0x25;
        if (words)
            text_puts(into, words);
        else
            text_printf(into, "class 0x%x", class);
        if (class == 0) text_puts(into, ", as of an undefined instruction");
        if (data || class == 0x20 || class == 0x21) {
            text_puts(into, ", ");
            fault_put_status((unsigned)(value & 0x3F), into);
        }
        if (data) text_puts(into, value >> 6 & 1 ? ", on a write" : ", on a read");
    } else if (fault_is_named(name, "dfsr") && main)
        fault_put_bits(value, dfsr_bits, into);
    else if (fault_is_named(name, "dfsr") || fault_is_named(name, "ifsr"))
        fault_put_fsr(value, name[0] == 'd', into);
    else if (fault_is_named(name, "mcause") || fault_is_named(name, "scause") ||
             fault_is_named(name, "vscause")) {
        const bool interrupt = value >> 63 || value >> 31 == 1;
        const char *words = interrupt ? NULL : riscv_exception_words(value);
        if (words)
            text_puts(into, words);
        else
            text_printf(into, "%s %llu", interrupt ? "interrupt" : "cause",
                        (unsigned long long)(value & 0x7FFFFFFF));
    } else
        known = false;
    for (size_t i = 0; !known && i < sizeof plain / sizeof *plain; i++)
        known = fault_is_named(name, plain[i]);
    text_free(&unused);
    return known;
}

const char *fault_register_at(uint64_t address)
{
    switch (address) {
    case 0xE000ED28: return "cfsr";
    case 0xE000ED2C: return "hfsr";
    case 0xE000ED30: return "dfsr";
    case 0xE000ED34: return "mmfar";
    case 0xE000ED38: return "bfar";
    default: return NULL;
    }
}
