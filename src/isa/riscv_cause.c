/* SPDX-License-Identifier: MIT */
/* riscv_cause.c: two tables of names. */
#include "isa/riscv_cause.h"

#include <string.h>

enum { EXCEPTIONS = 24, INTERRUPTS = 14 };

static const char *const exceptions[EXCEPTIONS] = {
    [0] = "misaligned-fetch",
    [1] = "fetch-access-fault",
    [2] = "illegal-instruction",
    [3] = "software-breakpoint",
    [4] = "misaligned-load",
    [5] = "load-access-fault",
    [6] = "misaligned-store/amo",
    [7] = "store/amo-access-fault",
    [8] = "u-call",
    [9] = "s-call",
    [10] = "vs-call",
    [11] = "m-call",
    [12] = "fetch-page-fault",
    [13] = "load-page-fault",
    [15] = "store/amo-page-fault",
    [18] = "software-check-fault",
    [20] = "fetch-guest-page-fault",
    [21] = "load-guest-page-fault",
    [22] = "virtual-instruction",
    [23] = "store/amo-guest-page-fault",
};

static const char *const interrupts[INTERRUPTS] = {
    [1] = "supervisor-software-interrupt",      [2] = "virtual-supervisor-software-interrupt",
    [3] = "machine-software-interrupt",         [5] = "supervisor-timer-interrupt",
    [6] = "virtual-supervisor-timer-interrupt", [7] = "machine-timer-interrupt",
    [9] = "supervisor-external-interrupt",      [10] = "virtual-supervisor-external-interrupt",
    [11] = "machine-external-interrupt",        [12] = "supervisor-guest-external-interrupt",
    [13] = "counter-overflow interrupt",
};

struct riscv_cause riscv_cause_of(uint64_t value, unsigned bits)
{
    const unsigned top = bits == 32 ? 31 : 63;
    return (struct riscv_cause){(uint32_t)value & INT32_MAX, value >> top & 1};
}

const char *riscv_cause_name(struct riscv_cause cause)
{
    const char *name = NULL;
    if (cause.interrupt && cause.number < INTERRUPTS) name = interrupts[cause.number];
    if (!cause.interrupt && cause.number < EXCEPTIONS) name = exceptions[cause.number];
    return name ? name : cause.interrupt ? "interrupt" : "exception";
}

static bool riscv_cause_find_name(const char *const *names, size_t count, const char *name,
                                  size_t size, uint32_t *number)
{
    for (size_t i = 0; i < count; i++)
        if (names[i] && strlen(names[i]) == size && memcmp(names[i], name, size) == 0) {
            *number = (uint32_t)i;
            return true;
        }
    return false;
}

bool riscv_cause_find(const char *name, size_t size, struct riscv_cause *cause)
{
    cause->interrupt = riscv_cause_find_name(interrupts, INTERRUPTS, name, size, &cause->number);
    return cause->interrupt ||
           riscv_cause_find_name(exceptions, EXCEPTIONS, name, size, &cause->number);
}
