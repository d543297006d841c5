/* SPDX-License-Identifier: MIT */
/*
 * machine.c: executes instructions, one function for each class of operations.
 */
#include "machine.h"

enum { REGISTER_A0 = 10, REGISTER_A1 = 11, REGISTER_A2 = 12, REGISTER_A7 = 17 };
enum { CALL_WRITE = 64, CALL_EXIT = 93 };
enum { OPCODE_SIZE = 4 };

static bool fault(struct machine *machine, const char *what)
{
    machine->fault = what;
    return false;
}

/* The bytes at an address, or NULL with a fault. */
static uint8_t *memory_at(struct machine *machine, uint64_t address, unsigned size)
{
    if (address >= MACHINE_MEMORY)
        fault(machine, "address outside of memory");
    else if (address % size)
        fault(machine, "address not aligned");
    else
        return machine->memory + address;
    return NULL;
}

static uint64_t get(const uint8_t *bytes, unsigned size)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < size; i++) value |= (uint64_t)bytes[i] << (8 * i);
    return value;
}

static void put(uint8_t *bytes, unsigned size, uint64_t value)
{
    for (unsigned i = 0; i < size; i++) bytes[i] = (uint8_t)(value >> (8 * i));
}

static uint64_t source1(const struct machine *machine, const struct step *step)
{
    return machine->registers[step->instruction.rs1];
}

static uint64_t source2(const struct machine *machine, const struct step *step)
{
    return machine->registers[step->instruction.rs2];
}

static uint64_t immediate(const struct step *step)
{
    return (uint64_t)step->instruction.immediate;
}

static void write_register(struct step *step, uint8_t number, uint64_t value)
{
    step->written = number;
    step->value = value;
}

static void jump(struct step *step, uint64_t target, bool taken)
{
    step->target = target;
    step->taken = taken;
    if (taken) step->next = target;
}

static bool execute_register(struct machine *machine, struct step *step)
{
    const struct instruction *of = &step->instruction;
    uint64_t value = of->operation->compute(source1(machine, step), source2(machine, step));
    write_register(step, of->rd, value);
    return true;
}

static bool execute_immediate(struct machine *machine, struct step *step)
{
    const struct instruction *of = &step->instruction;
    write_register(step, of->rd, of->operation->compute(source1(machine, step), immediate(step)));
    return true;
}

static bool execute_load(struct machine *machine, struct step *step)
{
    const struct operation *operation = step->instruction.operation;
    step->address = source1(machine, step) + immediate(step);
    const uint8_t *bytes = memory_at(machine, step->address, operation->size);
    if (!bytes) return false;
    step->data = get(bytes, operation->size);
    write_register(step, step->instruction.rd, operation->compute(step->data, 0));
    return true;
}

static bool execute_store(struct machine *machine, struct step *step)
{
    unsigned size = step->instruction.operation->size;
    step->address = source1(machine, step) + immediate(step);
    uint8_t *bytes = memory_at(machine, step->address, size);
    if (!bytes) return false;
    put(bytes, size, source2(machine, step));
    step->data = get(bytes, size);
    return true;
}

static bool execute_branch(struct machine *machine, struct step *step)
{
    const struct operation *operation = step->instruction.operation;
    bool taken = operation->compute(source1(machine, step), source2(machine, step)) != 0;
    jump(step, step->pc + immediate(step), taken);
    return true;
}

static bool execute_jump(struct machine *machine, struct step *step)
{
    (void)machine;
    write_register(step, step->instruction.rd, step->pc + OPCODE_SIZE);
    jump(step, step->pc + immediate(step), true);
    return true;
}

static bool execute_jump_register(struct machine *machine, struct step *step)
{
    write_register(step, step->instruction.rd, step->pc + OPCODE_SIZE);
    jump(step, (source1(machine, step) + immediate(step)) & ~UINT64_C(1), true);
    return true;
}

static bool execute_upper(struct machine *machine, struct step *step)
{
    (void)machine;
    write_register(step, step->instruction.rd, immediate(step));
    return true;
}

static bool execute_upper_pc(struct machine *machine, struct step *step)
{
    (void)machine;
    write_register(step, step->instruction.rd, step->pc + immediate(step));
    return true;
}

static bool system_write(struct machine *machine, struct step *step)
{
    uint64_t address = machine->registers[REGISTER_A1], size = machine->registers[REGISTER_A2];
    if (machine->registers[REGISTER_A0] != 1) return fault(machine, "write to an unknown file");
    if (address > MACHINE_MEMORY || size > MACHINE_MEMORY - address)
        return fault(machine, "write from outside of memory");
    if (fwrite(machine->memory + address, 1, size, machine->output) != size)
        return fault(machine, "the program's output cannot be written");
    write_register(step, REGISTER_A0, size);
    return true;
}

static bool execute_system(struct machine *machine, struct step *step)
{
    switch (machine->registers[REGISTER_A7]) {
    case CALL_WRITE: return system_write(machine, step);
    case CALL_EXIT:
        machine->ended = true;
        machine->status = (int)(machine->registers[REGISTER_A0] & 0xff);
        return true;
    default: return fault(machine, "unknown system call");
    }
}

static bool (*const execute[CLASSES])(struct machine *machine, struct step *step) = {
    [CLASS_REGISTER] = execute_register, [CLASS_IMMEDIATE] = execute_immediate,
    [CLASS_SHIFT] = execute_immediate,   [CLASS_LOAD] = execute_load,
    [CLASS_STORE] = execute_store,       [CLASS_BRANCH] = execute_branch,
    [CLASS_JUMP] = execute_jump,         [CLASS_JUMP_REGISTER] = execute_jump_register,
    [CLASS_UPPER] = execute_upper,       [CLASS_UPPER_PC] = execute_upper_pc,
    [CLASS_SYSTEM] = execute_system,
};

bool machine_step(struct machine *machine, struct step *step)
{
    const uint8_t *bytes = memory_at(machine, machine->pc, OPCODE_SIZE);
    if (!bytes) return false;
    *step = (struct step){
        .opcode = (uint32_t)get(bytes, OPCODE_SIZE),
        .index = machine->steps,
        .pc = machine->pc,
        .next = machine->pc + OPCODE_SIZE,
    };
    if (!instruction_decode(step->opcode, &step->instruction))
        return fault(machine, "not an instruction of RV64IM");
    if (!execute[step->instruction.operation->class](machine, step)) return false;
    if (step->written) machine->registers[step->written] = step->value;
    machine->pc = step->next;
    machine->steps++;
    return true;
}
