/* SPDX-License-Identifier: MIT */
/*
 * taint.c: what a pair of processors knows of its registers and trap vectors, and which registers
 * and bytes of memory hold a wrong or a volatile value.
 */
#include "base/array.h"
#include "base/ascii.h"
#include "base/hash_map.h"
#include "compare/compare.h"

/* ---- registers ---- */

struct register_state *cpu_pair_register(struct cpu_pair *cpu_pair, spoor_name name)
{
    if (!array_reserve_zeroed(&cpu_pair->registers, &cpu_pair->register_capacity, name + (size_t)1))
        return NULL;
    return &cpu_pair->registers[name];
}

unsigned cpu_pair_register_is(struct spoor_diff *diff, struct cpu_pair *cpu_pair, spoor_name name)
{
    struct register_state *state = cpu_pair_register(cpu_pair, name);
    if (!state) {
        diff->out_of_memory = true;
        return 0;
    }
    if (!state->is) {
        const char *text = spoor_names_text(diff->names, name, NULL);
        const bool vector =
            ascii_begins(text, "vbar") || strcmp(text, "mtvec") == 0 || strcmp(text, "stvec") == 0;
        state->is = (uint8_t)(REGISTER_ASKED | (vector ? REGISTER_TRAP_VECTOR : 0) |
                              (is_control_register(diff, name) ? REGISTER_CONTROL : 0));
    }
    return state->is;
}

void register_taint(struct cpu_pair *cpu_pair, struct register_state *state, uint32_t taint)
{
    cpu_pair->tainted_registers += (taint != TAINT_NONE);
    cpu_pair->tainted_registers -= (state->taint != TAINT_NONE);
    state->taint = taint;
}

struct register_state *register_expect(struct spoor_diff *diff, struct cpu_pair *cpu_pair,
                                       spoor_name name, bool written)
{
    struct register_state *state = cpu_pair_register(cpu_pair, name);
    if (!state)
        diff->out_of_memory = true;
    else if (written || !taint_is_wrong(state->taint))
        register_taint(cpu_pair, state, TAINT_VOLATILE);
    return state;
}

bool cpu_pair_is_trap(const struct cpu_pair *cpu_pair, unsigned side, const struct unit *unit)
{
    enum { TABLE = 0x800 }; /* bytes of an A64 vector table: 16 entries of 128 */
    bool aarch64 = unit->iset == 'O';
    for (unsigned both = 0; both < 2; both++) {
        unsigned from = both ? 1 - side : side;
        for (unsigned i = 0; i < cpu_pair->vector_count[from] && i < 4; i++) {
            uint64_t offset = unit->pc - cpu_pair->vectors[from][i];
            if (aarch64 ? offset < TABLE && offset % 0x80 == 0 : offset == 0) return true;
        }
    }
    return false;
}

/* ---- memory ---- */

enum { MAX_SIZE = 256 };

void taint_set(struct taint_memory *memory, uint64_t address, unsigned size, uint32_t taint)
{
    const size_t bytes = sizeof(struct taint_word);
    if (taint == TAINT_NONE && memory->words.count == 0) return;
    if (size == 0) size = 1;
    for (unsigned i = 0; i < size && i < MAX_SIZE; i++) {
        const uint64_t word = (address + i) / 8;
        const bool full = memory->words.count == MAX_TAINT_WORDS;
        bool added;
        struct taint_word *entry = taint == TAINT_NONE || full
                                       ? hash_map_find(&memory->words, word, bytes)
                                       : hash_map_add(&memory->words, word, bytes, &added);
        if (!entry) {
            memory->forgotten += taint != TAINT_NONE;
            continue;
        }
        entry->bytes[(address + i) % 8] = taint;
        uint32_t any = taint;
        for (unsigned k = 0; k < 8 && !any; k++) any = entry->bytes[k];
        if (!any) hash_map_remove(&memory->words, word, bytes);
    }
}

uint32_t taint_get(const struct taint_memory *memory, uint64_t address, unsigned size)
{
    if (memory->words.count == 0) return TAINT_NONE;
    uint32_t worst = TAINT_NONE;
    if (size == 0) size = 1;
    for (unsigned i = 0; i < size && i < MAX_SIZE; i++) {
        const struct taint_word *entry =
            hash_map_find(&memory->words, (address + i) / 8, sizeof *entry);
        if (entry) worst = taint_worse(worst, entry->bytes[(address + i) % 8]);
    }
    return worst;
}
