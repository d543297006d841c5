/* SPDX-License-Identifier: MIT */
/*
 * exception_cause.c: why an exception was taken, in words: by the event of the trace, the
 * interrupted instruction, the vector, or the register that the handler reads.
 */
#include <inttypes.h>
#include <stdio.h>

#include "explore/exceptions.h"
#include "explore/fault_words.h"

void cause_of_entry(const struct machine *machine, const struct activity_event *event,
                    char text[CAUSE_SIZE], bool *inferred)
{
    static const struct {
        uint32_t bits;
        const char *name;
    } calls[] = {{0xD4000001, "SVC"},
                 {0xD4000002, "HVC"},
                 {0xD4000003, "SMC"},
                 {0xD4200000, "BRK"},
                 {0xD4400000, "HLT"}};
    static const char *const types[] = {"synchronous exception", "IRQ", "FIQ", "SError"};
    static const char *const a32[] = {
        "reset",      "undefined instruction", "SVC", "prefetch abort",
        "data abort", "hypervisor trap",       "IRQ", "FIQ"};
    static const struct activity_cause unknown;
    const struct activity_cause *cause = event->cause ? event->cause : &unknown;
    const uint32_t bits = cause->bits; /* of the interrupted instruction */
    const uint64_t handler = event->function;
    text[0] = '\0';
    if (cause->known && cause->name[0]) {
        snprintf(text, CAUSE_SIZE, "%s", cause->name);
    } else if (cause->known && cause->numbered) {
        snprintf(text, CAUSE_SIZE, "event %" PRIu32, cause->number);
    } else if (cause->size && cause->iset == 'O') {
        for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
            if ((bits & 0xFFE0001F) == calls[i].bits)
                snprintf(text, CAUSE_SIZE, "%s #%u", calls[i].name, bits >> 5 & 0xFFFF);
    } else if (cause->size && machine->isa == ISA_RISCV) {
        if (bits == 0x00000073) snprintf(text, CAUSE_SIZE, "ECALL");
        if (bits == 0x00100073 || bits == 0x9002) snprintf(text, CAUSE_SIZE, "EBREAK");
    } else if (cause->size == 2 && cause->iset == 'T') {
        if ((bits & 0xFF00) == 0xDF00) snprintf(text, CAUSE_SIZE, "SVC #%u", bits & 0xFF);
        if ((bits & 0xFF00) == 0xBE00) snprintf(text, CAUSE_SIZE, "BKPT #%u", bits & 0xFF);
    } else if (cause->size && cause->iset == 'A') {
        if ((bits & 0x0F000000) == 0x0F000000 && bits >> 28 != 15)
            snprintf(text, CAUSE_SIZE, "SVC #%u", bits & 0xFFFFFF);
        else if ((bits & 0xFFF000F0) == 0xE1200070)
            snprintf(text, CAUSE_SIZE, "BKPT #%u", (bits >> 4 & 0xFFF0) | (bits & 15));
    }
    *inferred = !text[0];
    if (text[0]) return;
    if (cause->iset == 'O' && (handler & 0x7F) == 0)
        snprintf(text, CAUSE_SIZE, "%s", types[handler >> 7 & 3]);
    else if (cause->iset == 'A' && machine->isa != ISA_RISCV && (handler & 3) == 0 &&
             ((handler & ~UINT64_C(0x1F)) == 0 || (handler & ~UINT64_C(0x1F)) == 0xFFFF0000))
        snprintf(text, CAUSE_SIZE, "%s", a32[handler >> 2 & 7]);
}

void cause_of_syndrome(const struct activity_event *event, char text[CAUSE_SIZE], uint64_t *number,
                       bool *numbered)
{
    const uint64_t value = event->value;
    const char *name = NULL;
    text[0] = '\0';
    switch ((enum activity_syndrome)event->syndrome) {
    case SYNDROME_ESR:
        name = esr_class_words((unsigned)(value >> 26 & 0x3F));
        snprintf(text, CAUSE_SIZE, "%s", name ? name : "");
        if (!name) snprintf(text, CAUSE_SIZE, "class 0x%x", (unsigned)(value >> 26 & 0x3F));
        break;
    case SYNDROME_INTERRUPT:
        *number = value & 0xFFFFFF;
        *numbered = true;
        break;
    case SYNDROME_XCAUSE:
        if (value >> 63 || (value >> 31 == 1)) {
            *number = value & 0x7FFFFFFF;
            *numbered = true;
            snprintf(text, CAUSE_SIZE, "interrupt");
            break;
        }
        name = riscv_exception_words(value);
        snprintf(text, CAUSE_SIZE, "%s", name ? name : "");
        if (!name) snprintf(text, CAUSE_SIZE, "cause %" PRIu64, value);
        break;
    default: break;
    }
}
