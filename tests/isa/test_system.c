/* SPDX-License-Identifier: MIT */
/* test_system.c: system instructions, by the encodings that GNU as gives them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "isa/system.h"

static const struct {
    const char *text;
    uint64_t opcode;
    uint8_t letter, size, class;
} cases[] = {
    {"svc #0", 0xD4000001, 'O', 4, SYSTEM_TRAP},
    {"msr daifset, #2", 0xD50342DF, 'O', 4, SYSTEM_STATE},
    {"isb", 0xD5033FDF, 'O', 4, SYSTEM_STATE},
    {"nop", 0xD503201F, 'O', 4, SYSTEM_NONE},
    {"add x0, x0, #1", 0x91000400, 'O', 4, SYSTEM_NONE},
    {"svc 0", 0xEF000000, 'A', 4, SYSTEM_TRAP},
    {"cpsid i", 0xF10C0080, 'A', 4, SYSTEM_STATE},
    {"msr CPSR_f, r0", 0xE128F000, 'A', 4, SYSTEM_STATE},
    {"mcr p15, 0, r0, c7, c5, 4", 0xEE070F95, 'A', 4, SYSTEM_STATE},
    {"nop {0}", 0xE320F000, 'A', 4, SYSTEM_NONE},
    {"add r0, r0, #1", 0xE2800001, 'A', 4, SYSTEM_NONE},
    {"ldrh r0, [r1, #2]", 0xE1D100B2, 'A', 4, SYSTEM_NONE},
    {"vadd.f32 s0, s1, s2", 0xEE300A81, 'A', 4, SYSTEM_NONE},
    {"vmsr fpscr, r0", 0xEEE10A10, 'A', 4, SYSTEM_STATE},
    {"smc #0", 0xF7F08000, 'T', 4, SYSTEM_STATE},
    {"svc 0", 0xDF00, 'T', 2, SYSTEM_TRAP},
    {"wfi", 0xBF30, 'T', 2, SYSTEM_STATE},
    {"it eq", 0xBF08, 'T', 2, SYSTEM_NONE},
    {"nop", 0xBF00, 'T', 2, SYSTEM_NONE},
    {"dsb sy", 0xF3BF8F4F, 'T', 4, SYSTEM_STATE},
    {"bl .", 0xF7FFFFFE, 'T', 4, SYSTEM_NONE},
    {"ecall", 0x00000073, 0, 4, SYSTEM_TRAP},
    {"c.ebreak", 0x9002, 0, 2, SYSTEM_TRAP},
    {"csrw mstatus, a0", 0x30051073, 0, 4, SYSTEM_STATE},
    {"fence.i", 0x0000100F, 0, 4, SYSTEM_STATE},
    {"addi a0, a0, 1", 0x00150513, 0, 4, SYSTEM_NONE},
    {"syscall", 0x0F05, 'I', 2, SYSTEM_TRAP},
    {"int3", 0xCC, 'I', 1, SYSTEM_TRAP},
    {"pause", 0xF390, 'I', 2, SYSTEM_STATE},
    {"nop", 0x90, 'I', 1, SYSTEM_NONE},
    {"cpuid", 0x0FA2, 'I', 2, SYSTEM_STATE},
    {"insb", 0x6C, 'I', 1, SYSTEM_STATE},
    {"outsl", 0x6F, 'I', 1, SYSTEM_STATE},
    {"mov %eax, %ds", 0x8ED8, 'I', 2, SYSTEM_STATE},
    {"popfq", 0x9D, 'I', 1, SYSTEM_STATE},
    {"inb $1, %al", 0xE401, 'I', 2, SYSTEM_STATE},
    {"outl %eax, %dx", 0xEF, 'I', 1, SYSTEM_STATE},
    {"int1", 0xF1, 'I', 1, SYSTEM_TRAP},
    {"int $128", 0xCD80, 'I', 2, SYSTEM_TRAP},
    {"hlt", 0xF4, 'I', 1, SYSTEM_STATE},
    {"cli", 0xFA, 'I', 1, SYSTEM_STATE},
    {"sti", 0xFB, 'I', 1, SYSTEM_STATE},
    {"ud2", 0x0F0B, 'I', 2, SYSTEM_TRAP},
    {"sysretq", 0x480F07, 'I', 3, SYSTEM_STATE},
    {"sgdt (%rax)", 0x0F0100, 'I', 3, SYSTEM_STATE},
    {"invd", 0x0F08, 'I', 2, SYSTEM_STATE},
    {"wbinvd", 0x0F09, 'I', 2, SYSTEM_STATE},
    {"mov %rax, %cr3", 0x0F22D8, 'I', 3, SYSTEM_STATE},
    {"sysexit", 0x0F35, 'I', 2, SYSTEM_STATE},
    {"rdmsr", 0x0F32, 'I', 2, SYSTEM_STATE},
    {"pop %gs", 0x0FA9, 'I', 2, SYSTEM_STATE},
    {"pop %fs", 0x0FA1, 'I', 2, SYSTEM_STATE},
    {"rsm", 0x0FAA, 'I', 2, SYSTEM_STATE},
    {"lss (%rax), %eax", 0x0FB200, 'I', 3, SYSTEM_STATE},
    {"mfence", 0x0FAEF0, 'I', 3, SYSTEM_STATE},
    {"cmpxchg16b (%rax)", 0x480FC708, 'I', 4, SYSTEM_STATE},
    {"je .", 0x74FE, 'I', 2, SYSTEM_NONE},
    {"ret", 0xC3, 'I', 1, SYSTEM_NONE},
    {"loop .", 0xE2FE, 'I', 2, SYSTEM_NONE},
    {"call .", 0xE8FBFFFFFF, 'I', 5, SYSTEM_NONE},
    {"jmp .", 0xE9FBFFFFFF, 'I', 5, SYSTEM_NONE},
    {"jmp . (short)", 0xEBFE, 'I', 2, SYSTEM_NONE},
    {"call *%rax", 0xFFD0, 'I', 2, SYSTEM_NONE},
    {"jmp *%rax", 0xFFE0, 'I', 2, SYSTEM_NONE},
    {"je . (near)", 0x0F84FAFFFFFF, 'I', 6, SYSTEM_NONE},
    {"xbegin .", 0xC7F8FAFFFFFF, 'I', 6, SYSTEM_NONE},
    {"iretq", 0x48CF, 'I', 2, SYSTEM_NONE},
    {"nopw 0(%rax,%rax,1)", 0x660F1F440000, 'I', 6, SYSTEM_NONE},
    {"mov %rsp, %rbp", 0x4889E5, 'I', 3, SYSTEM_NONE},
    {"vzeroupper", 0xC5F877, 'I', 3, SYSTEM_NONE},
};

static void classes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const unsigned found = system_class_of(cases[i].letter, cases[i].opcode, cases[i].size);
        if (found != cases[i].class) fail_msg("%s: %u", cases[i].text, found);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(classes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
