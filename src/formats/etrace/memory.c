/* SPDX-License-Identifier: MIT */
/*
 * memory.c: what an encoder of E-Trace and its decoder both remember (Efficient Trace for RISC-V
 * 2.0, "Optional and run-time configurable modes"): return addresses, predictions of branches, and
 * targets of jumps.
 */
#include <stdlib.h>

#include "formats/etrace/etrace.h"

enum { NO_TARGET = 1 /* an address is even */, FIRST_PREDICTION = 1 };

bool etrace_memory_size(struct etrace_memory *memory, const struct etrace_sizes *sizes)
{
    if (memory->returns && memcmp(&memory->sizes, sizes, sizeof *sizes) == 0) return true;
    etrace_memory_free(memory);
    const unsigned stack = sizes->of[ETRACE_P_return_stack_size];
    memory->sizes = *sizes;
    memory->room = 1U << (stack ? stack : sizes->of[ETRACE_P_call_counter_size]);
    memory->returns = calloc(memory->room, sizeof *memory->returns);
    memory->predictions = calloc((size_t)1 << sizes->of[ETRACE_P_bpred_size], 1);
    memory->targets = calloc((size_t)1 << sizes->of[ETRACE_P_cache_size], sizeof *memory->targets);
    if (!memory->returns || !memory->predictions || !memory->targets) {
        etrace_memory_free(memory);
        return false;
    }
    etrace_memory_forget(memory);
    return true;
}

void etrace_memory_free(struct etrace_memory *memory)
{
    free(memory->returns);
    free(memory->predictions);
    free(memory->targets);
    *memory = (struct etrace_memory){.room = 0};
}

void etrace_memory_forget(struct etrace_memory *memory)
{
    memory->depth = 0;
    if (!memory->returns) return;
    memset(memory->predictions, FIRST_PREDICTION,
           (size_t)1 << memory->sizes.of[ETRACE_P_bpred_size]);
    for (size_t i = 0; i < (size_t)1 << memory->sizes.of[ETRACE_P_cache_size]; i++)
        memory->targets[i] = NO_TARGET;
}

void etrace_push_return(struct etrace_memory *memory, uint64_t address)
{
    if (memory->depth == memory->room)
        memmove(memory->returns, memory->returns + 1, --memory->depth * sizeof *memory->returns);
    memory->returns[memory->depth++] = address;
}

/* The bits of an address that choose an entry of a table. */
static size_t etrace_entry(const struct etrace_memory *memory, uint64_t address, unsigned size)
{
    const unsigned lowest = memory->sizes.of[ETRACE_P_iaddress_lsb] == 2 ? 2 : 1;
    return (size_t)(address >> lowest & ((UINT64_C(1) << size) - 1));
}

bool etrace_predict(const struct etrace_memory *memory, uint64_t pc)
{
    const size_t entry = etrace_entry(memory, pc, memory->sizes.of[ETRACE_P_bpred_size]);
    return memory->predictions[entry] >> 1;
}

void etrace_learn(struct etrace_memory *memory, uint64_t pc, bool taken)
{
    /* by the state, and whether the branch was taken */
    static const uint8_t next[4][2] = {{0, 1}, {0, 3}, {0, 3}, {2, 3}};
    const size_t entry = etrace_entry(memory, pc, memory->sizes.of[ETRACE_P_bpred_size]);
    memory->predictions[entry] = next[memory->predictions[entry]][taken];
}

uint64_t *etrace_target(struct etrace_memory *memory, uint64_t address, uint64_t *index)
{
    *index = etrace_entry(memory, address, memory->sizes.of[ETRACE_P_cache_size]);
    return &memory->targets[*index];
}
