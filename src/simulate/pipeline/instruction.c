/* SPDX-License-Identifier: MIT */
/*
 * instruction.c: cracks an instruction into the operations that a machine executes.
 *
 * An instruction is cracked as x86 processors and the micro-ops of the CIS501 course do it: one
 * operation for each load, one for the computation or branch, one for each store, and one that
 * moves the base of an address.  Operations that the instruction does not need are left out.
 */
#include "simulate/pipeline/operation.h"

enum {
    SOURCES = 3,
    /* Temporary registers, which only operations of the same instruction read. */
    LOADED = SPOOR_TEMPORARY_REGISTER, /* written by the loads, one after the other */
    MAX_LOADED = 4,
    COMPUTED = LOADED + MAX_LOADED, /* data for the stores */
    GATHERED,                       /* sources beyond the third */
};

/* Clears only the counts of the arrays: clearing the items would cost time for each instruction. */
void instruction_begin(struct instruction *instruction, uint64_t pc, uint32_t length)
{
    instruction->pc = pc;
    instruction->length = length;
    instruction->kind = SPOOR_CLASS_ALU;
    instruction->is_known = instruction->is_unplaced = instruction->has_branch = false;
    instruction->reads_flags = instruction->writes_flags = false;
    instruction->states_load = instruction->states_store = false;
    instruction->data_count = 0;
    instruction->base = SPOOR_NO_REGISTER;
    instruction->reads.count = instruction->writes.count = 0;
    instruction->access_count = 0;
}

static bool registers_have(const struct instruction_registers *registers, uint8_t reg)
{
    for (unsigned i = 0; i < registers->count; i++)
        if (registers->items[i] == reg) return true;
    return false;
}

static void registers_add(struct instruction_registers *registers, uint8_t reg)
{
    if (reg != SPOOR_NO_REGISTER && registers->count < INSTRUCTION_OPERANDS)
        registers->items[registers->count++] = reg;
}

void instruction_read(struct instruction *instruction, uint8_t reg)
{
    if (reg == SPOOR_FLAGS_REGISTER)
        instruction->reads_flags = true;
    else
        registers_add(&instruction->reads, reg);
}

void instruction_write(struct instruction *instruction, uint8_t reg)
{
    if (reg == SPOOR_FLAGS_REGISTER)
        instruction->writes_flags = true;
    else if (!registers_have(&instruction->writes, reg))
        registers_add(&instruction->writes, reg);
}

bool instruction_access(struct instruction *instruction, struct instruction_access access)
{
    if (instruction->access_count == INSTRUCTION_ACCESSES) return false;
    instruction->accesses[instruction->access_count++] = access;
    return true;
}

/* ---- planning the operations ---- */

struct crack {
    const struct instruction *instruction;
    struct spoor_operation *to;
    size_t count;
    struct instruction_registers results; /* the registers written, without a moving base */
    unsigned loads, stores;
    bool moves_base, computes;
    bool whole; /* an instruction executes at once, as in ChampSim: see instruction_crack() */
    bool loads_results; /* the loads write the results; else the computation does */
};

static bool crack_needs_computation(const struct crack *crack)
{
    const struct instruction *instruction = crack->instruction;
    if (crack->loads + crack->stores == 0 || instruction->has_branch) return true;
    if (crack->whole)
        return !crack->loads && (crack->results.count > 0 || instruction->writes_flags);
    if (instruction->is_known) return instruction->writes_flags;
    if (instruction->writes_flags) return true;
    if (crack->stores) return crack->results.count > 0;
    /* An instruction with an unknown opcode computes with the loaded value if a result is also one
     * of several sources: add rax, [rbx], not mov rax, [rbx]. */
    const struct instruction_registers *reads = &instruction->reads;
    for (unsigned i = 0; i < crack->results.count; i++)
        if (reads->count > 1 && registers_have(reads, crack->results.items[i])) return true;
    return false;
}

/* ---- operations ---- */

static struct spoor_operation *crack_push(struct crack *crack, enum spoor_operation_class kind)
{
    struct spoor_operation *operation = &crack->to[crack->count++];
    *operation = (struct spoor_operation){
        .pc = crack->instruction->pc,
        .length = crack->instruction->length,
        .source = {SPOOR_NO_REGISTER, SPOOR_NO_REGISTER, SPOOR_NO_REGISTER},
        .dest = {SPOOR_NO_REGISTER, SPOOR_NO_REGISTER},
        .kind = (uint8_t)kind,
    };
    return operation;
}

/* Combines the sources beyond the third with extra operations, before the operation that needs
 * them. */
static void crack_gather(struct crack *crack, struct instruction_registers *sources, bool flags)
{
    const unsigned maximum = flags ? SOURCES - 1 : SOURCES;
    while (sources->count > maximum) {
        struct spoor_operation *operation = crack_push(crack, SPOOR_CLASS_ALU);
        for (unsigned i = 0; i < SOURCES && sources->count > 0; i++)
            operation->source[i] = sources->items[--sources->count];
        operation->dest[0] = GATHERED;
        registers_add(sources, GATHERED);
        if (sources->count == 1) return;
    }
}

static struct spoor_operation *crack_push_with(struct crack *crack, enum spoor_operation_class kind,
                                               const struct instruction_registers *registers,
                                               bool flags)
{
    struct instruction_registers sources = *registers;
    crack_gather(crack, &sources, flags);
    struct spoor_operation *operation = crack_push(crack, kind);
    for (unsigned i = 0; i < sources.count && i < SOURCES; i++)
        operation->source[i] = sources.items[i];
    if (flags) operation->source[SOURCES - 1] = SPOOR_FLAGS_REGISTER;
    return operation;
}

/* Copies the last operation's result to the results from `first` on. */
static void crack_spread(struct crack *crack, unsigned first)
{
    const uint8_t from = crack->to[crack->count - 1].dest[0];
    for (unsigned i = first; i < crack->results.count; i++) {
        struct spoor_operation *operation = crack_push(crack, SPOOR_CLASS_ALU);
        operation->source[0] = from;
        operation->dest[0] = crack->results.items[i];
    }
}

/* Returns the sources of a load's address: all registers read, except those used in the
 * computation. */
static struct instruction_registers crack_address_sources(const struct crack *crack)
{
    const struct instruction *instruction = crack->instruction;
    struct instruction_registers sources = {.count = 0};
    if (crack->whole) return instruction->reads;
    const unsigned data = instruction->is_known && crack->stores ? instruction->data_count : 0;
    for (unsigned i = 0; i + data < instruction->reads.count; i++) {
        const uint8_t reg = instruction->reads.items[i];
        const bool result =
            !instruction->is_known && crack->computes && registers_have(&crack->results, reg);
        if (!result) registers_add(&sources, reg);
    }
    return sources.count ? sources : instruction->reads;
}

static void crack_push_loads(struct crack *crack)
{
    const struct instruction *instruction = crack->instruction;
    struct instruction_registers sources = crack_address_sources(crack);
    unsigned load = 0, result = 0;
    const bool flags = crack->whole && instruction->reads_flags && !instruction->has_branch;
    if (crack->loads) crack_gather(crack, &sources, flags);
    for (unsigned i = 0; i < instruction->access_count; i++) {
        if (instruction->accesses[i].store) continue;
        struct spoor_operation *operation =
            crack_push_with(crack, SPOOR_CLASS_LOAD, &sources, flags);
        if (crack->whole && instruction->writes_flags && !instruction->has_branch)
            operation->dest[1] = SPOOR_FLAGS_REGISTER;
        operation->address = instruction->accesses[i].address;
        if (instruction->accesses[i].placed) operation->is |= SPOOR_UOP_LOAD;
        /* One result for each load, two for the last. */
        const int own = !crack->loads_results ? 0 : load + 1 == crack->loads ? 2 : 1;
        for (int k = 0; k < own && result < crack->results.count; k++)
            if (k == 0 || operation->dest[k] == SPOOR_NO_REGISTER)
                operation->dest[k] = crack->results.items[result++];
        if (operation->dest[0] == SPOOR_NO_REGISTER)
            operation->dest[0] = (uint8_t)(LOADED + load % MAX_LOADED);
        load++;
    }
    if (crack->loads_results) crack_spread(crack, result);
}

/* Returns the sources of the computation or branch: the loaded values and the other registers read.
 */
static struct instruction_registers crack_computation_sources(const struct crack *crack)
{
    const struct instruction *instruction = crack->instruction;
    struct instruction_registers sources = {.count = 0};
    for (unsigned i = 0; i < crack->loads && i < MAX_LOADED; i++)
        registers_add(&sources, (uint8_t)(LOADED + i));
    if (instruction->has_branch && crack->loads) return sources;
    for (unsigned i = 0; i < instruction->reads.count; i++)
        if (!crack->moves_base || instruction->reads.items[i] != instruction->base)
            registers_add(&sources, instruction->reads.items[i]);
    return sources;
}

/* Returns the source of a store's data: the computed or loaded value, else the register that the
 * opcode states. */
static uint8_t crack_store_data(const struct crack *crack, unsigned store)
{
    const struct instruction *instruction = crack->instruction;
    const struct instruction_registers *reads = &instruction->reads;
    if (instruction->is_known) {
        const unsigned data = instruction->data_count;
        if (data == 0 || data > reads->count) return SPOOR_NO_REGISTER;
        return reads->items[reads->count - data + (store < data ? store : data - 1)];
    }
    if (crack->computes && !instruction->has_branch)
        return crack->results.count ? crack->results.items[0] : COMPUTED;
    return crack->loads ? LOADED : SPOOR_NO_REGISTER;
}

static void crack_push_stores(struct crack *crack)
{
    const struct instruction *instruction = crack->instruction;
    struct instruction_registers addresses = crack_address_sources(crack);
    unsigned store = 0;
    if (crack->stores) crack_gather(crack, &addresses, true);
    for (unsigned i = 0; i < instruction->access_count; i++) {
        if (!instruction->accesses[i].store) continue;
        const bool is_last = ++store == crack->stores;
        struct instruction_registers sources = {.count = 0};
        registers_add(&sources, crack_store_data(crack, store - 1));
        if (is_last && instruction->is_known) /* one access may store several registers */
            for (unsigned j = store; j < instruction->data_count; j++)
                registers_add(&sources, crack_store_data(crack, j));
        for (unsigned j = 0; j < addresses.count; j++) registers_add(&sources, addresses.items[j]);
        struct spoor_operation *operation =
            crack_push_with(crack, SPOOR_CLASS_STORE, &sources, false);
        operation->address = instruction->accesses[i].address;
        if (instruction->accesses[i].placed) operation->is |= SPOOR_UOP_STORE;
        if (!crack->computes && !crack->loads && store == 1 && crack->results.count)
            operation->dest[0] = crack->results.items[0]; /* the status of an exclusive store */
    }
}

/* Whole: its loads wait for all that it reads, and what they load is its result; nothing is
 * computed beside an access or a branch, and a base that an access or a branch moves is known at
 * once. */
size_t instruction_crack(const struct instruction *instruction, bool whole,
                         struct spoor_operation *to)
{
    struct crack crack = {.instruction = instruction, .to = to, .whole = whole};
    for (unsigned i = 0; i < instruction->access_count; i++) {
        crack.loads += !instruction->accesses[i].store;
        crack.stores += instruction->accesses[i].store;
    }
    crack.moves_base = (instruction->access_count > 0 || (whole && instruction->has_branch)) &&
                       instruction->base != SPOOR_NO_REGISTER &&
                       registers_have(&instruction->writes, instruction->base);
    for (unsigned i = 0; i < instruction->writes.count; i++)
        if (!crack.moves_base || instruction->writes.items[i] != instruction->base)
            registers_add(&crack.results, instruction->writes.items[i]);
    crack.computes = crack_needs_computation(&crack);
    crack.loads_results = crack.loads && !(whole && instruction->has_branch) &&
                          (!crack.computes || (instruction->has_branch && instruction->is_known));
    crack_push_loads(&crack);
    if (crack.computes && !instruction->has_branch) {
        const struct instruction_registers sources = crack_computation_sources(&crack);
        struct spoor_operation *operation =
            crack_push_with(&crack, (enum spoor_operation_class)instruction->kind, &sources,
                            instruction->reads_flags);
        unsigned result = 0;
        if (crack.results.count) operation->dest[0] = crack.results.items[result++];
        if (!crack.results.count && crack.stores) operation->dest[0] = COMPUTED;
        if (instruction->writes_flags)
            operation->dest[1] = SPOOR_FLAGS_REGISTER;
        else if (result < crack.results.count)
            operation->dest[1] = crack.results.items[result++];
        crack_spread(&crack, result);
    }
    crack_push_stores(&crack);
    if (crack.moves_base && !whole) {
        struct spoor_operation *operation = crack_push(&crack, SPOOR_CLASS_ALU);
        operation->source[0] = operation->dest[0] = instruction->base;
    }
    if (instruction->has_branch) {
        const struct spoor_branch *branch = &instruction->branch;
        const struct instruction_registers sources = crack_computation_sources(&crack);
        struct spoor_operation *operation =
            crack_push_with(&crack, SPOOR_CLASS_BRANCH, &sources, instruction->reads_flags);
        operation->target = branch->has & SPOOR_BRANCH_HAS_TARGET ? branch->target : 0;
        operation->branch = branch->type;
        operation->is |= branch->has & SPOOR_BRANCH_TAKEN ? SPOOR_UOP_TAKEN : SPOOR_UOP_NOT_TAKEN;
        if (!crack.loads_results && crack.results.count)
            operation->dest[0] = crack.results.items[0]; /* the return address */
        if (instruction->writes_flags) operation->dest[1] = SPOOR_FLAGS_REGISTER;
    }
    to[0].is |= SPOOR_OPERATION_FIRST;
    if (instruction->is_unplaced)
        for (size_t i = 0; i < crack.count; i++) to[i].is |= SPOOR_OPERATION_UNPLACED;
    return crack.count;
}
