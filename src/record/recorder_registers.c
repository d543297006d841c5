/* SPDX-License-Identifier: MIT */
/*
 * record/recorder_registers.c: instructions of AArch64 and Arm with the registers they write and
 * the memory they read and write, with values.
 *
 * Time and index count the instructions of the recording.  The values of its registers precede the
 * first instruction of a cpu, as in Fast Models.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "record/condition.h"
#include "record/disassembler.h"
#include "record/recorder.h"
#include "spoor/instruction.h"

/* The properties of an instruction that are the same in all executions. */
struct known {
    bool is_known, thumb;
    uint64_t writes;       /* bit i: enum event_register i */
    uint64_t vectors;      /* A64: bit i: Vi; Arm: the word i of its vectors, that of Si */
    char *text;            /* disassembly, or NULL */
    struct spoor_ref kept; /* of the text in batch number `batch` */
    uint64_t batch;
};

struct cpu {
    uint64_t registers[REGISTERS][2]; /* before the instruction to record next */
    uint64_t index;                   /* of that step */
    spoor_name name;
};

struct state {
    struct disassembler *disassembler;
    struct known *known; /* by number of the instruction */
    size_t known_capacity;
    struct cpu *cpus; /* MAX_CPUS */
    spoor_name names[REGISTER_VECTOR], mode;
    spoor_name vectors[VECTORS], singles[VECTORS]; /* V0-V31 or d0-d31; s0-s31 */
    uint64_t time;
    uint64_t batches; /* number of batches filled, to identify text stored in this one */
};

static spoor_name intern(struct recorder *recorder, const char *name)
{
    const spoor_name id = spoor_names_intern(recorder->stream.names, name, strlen(name));
    if (id == SPOOR_NAMES_FULL) recorder->batch.out_of_memory = true;
    return id;
}

static void name_registers(struct recorder *recorder, struct state *state)
{
    const bool arm64 = recorder->machine->id == MACHINE_ARM64;
    char name[8];
    for (int i = 0; i < (arm64 ? REGISTER_SP : 15); i++) {
        snprintf(name, sizeof name, arm64 ? "X%d" : "r%d", i);
        state->names[i] = intern(recorder, name);
    }
    if (arm64) state->names[REGISTER_SP] = intern(recorder, "SP");
    state->names[REGISTER_FLAGS] = intern(recorder, "cpsr");
    state->names[REGISTER_FPSR] = intern(recorder, arm64 ? "FPSR" : "fpscr");
    if (arm64) state->names[REGISTER_FPCR] = intern(recorder, "FPCR");
    for (int i = 0; i < VECTORS; i++) {
        snprintf(name, sizeof name, arm64 ? "V%d" : "d%d", i);
        state->vectors[i] = intern(recorder, name);
        snprintf(name, sizeof name, "s%d", i);
        if (!arm64) state->singles[i] = intern(recorder, name);
    }
    state->mode = intern(recorder, arm64 ? "EL0t" : "usr");
}

static enum spoor_status open_state(struct recorder *recorder, struct spoor_error *error)
{
    const enum machine_id machine = recorder->machine->id;
    if (machine != MACHINE_ARM64 && machine != MACHINE_ARM)
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "registers are recorded of AArch64 and Arm programs, not of %s "
                               "ones: record %slackey or din",
                               recorder->machine->name, machine == MACHINE_X86_64 ? "uop, " : "");
    struct state *state = calloc(1, sizeof *state);
    recorder->state = state;
    recorder->stream.format = spoor_format_none();
    if (state) state->cpus = calloc(MAX_CPUS, sizeof *state->cpus);
    if (!state || !state->cpus) return spoor_error_set(error, SPOOR_ENOMEM, "out of memory");
    state->disassembler = disassembler_open(machine);
    name_registers(recorder, state);
    return SPOOR_OK;
}

static void close_state(struct recorder *recorder)
{
    struct state *state = recorder->state;
    if (!state) return;
    disassembler_close(state->disassembler);
    for (size_t i = 0; i < state->known_capacity; i++) free(state->known[i].text);
    free(state->known);
    free(state->cpus);
    free(state);
}

/* ---- properties of an instruction ---- */

static uint8_t size_of(const struct executed *executed, bool thumb)
{
    const bool wide =
        executed->instruction->bytes[1] >> 3 >= 0x1D; /* T32: by the first five bits */
    return thumb && !wide ? 2 : 4;
}

/* The bits as Arm writes them: the first halfword of a T32 instruction of four bytes comes
 * first. */
static uint32_t opcode_of(const struct instruction *instruction, uint8_t size, bool thumb)
{
    uint16_t halves[2];
    memcpy(halves, instruction->bytes, sizeof halves);
    if (size == 2) return halves[0];
    return thumb ? (uint32_t)halves[0] << 16 | halves[1] : (uint32_t)halves[1] << 16 | halves[0];
}

/* Returns the registers that an opcode writes, by the tables of src/isa; of one that these do not
 * know, only those that changed are recorded. */
static uint64_t written_by(enum machine_id machine, const struct executed *executed, bool thumb)
{
    uint64_t written, registers;
    const uint8_t size = size_of(executed, thumb);
    const uint32_t opcode = opcode_of(executed->instruction, size, thumb);
    const enum spoor_isa isa = machine == MACHINE_ARM64 ? SPOOR_ISA_AARCH64 : SPOOR_ISA_AARCH32;
    if (!spoor_opcode_writes(isa, thumb, opcode, size, &written)) return 0;
    registers = written & UINT32_MAX;
    if (written >> SPOOR_OPCODE_FLAGS & 1) registers |= UINT64_C(1) << REGISTER_FLAGS;
    return registers;
}

/* Returns FPSR and FPCR where an opcode names them as its destination, or compares into FPSCR: MSR;
 * VMSR, VCMP.  All other instructions add flags, which are recorded when they change. */
static uint64_t statuses_written_by(enum machine_id machine, const struct executed *executed,
                                    bool thumb)
{
    const uint64_t status = UINT64_C(1) << REGISTER_FPSR;
    const uint8_t size = size_of(executed, thumb);
    const uint32_t opcode = opcode_of(executed->instruction, size, thumb);
    if (machine == MACHINE_ARM64) {
        if ((opcode & ~UINT32_C(31)) == 0xD51B4420) return status;
        return (opcode & ~UINT32_C(31)) == 0xD51B4400 ? UINT64_C(1) << REGISTER_FPCR : 0;
    }
    const bool compares = (opcode & 0x0FBE0C50) == 0x0EB40840; /* also of half precision */
    const bool sets = (opcode & 0x0FFF0FFF) == 0x0EE10A10;
    return size == 4 && (opcode >> 28 == 14 || !thumb) && (compares || sets) ? status : 0;
}

/* Returns the vector registers that an opcode writes, as struct known has them. */
static uint64_t vectors_written_by(enum machine_id machine, const struct executed *executed,
                                   bool thumb)
{
    uint64_t vectors;
    const uint8_t size = size_of(executed, thumb);
    const uint32_t opcode = opcode_of(executed->instruction, size, thumb);
    const enum spoor_isa isa = machine == MACHINE_ARM64 ? SPOOR_ISA_AARCH64 : SPOOR_ISA_AARCH32;
    spoor_opcode_writes_vectors(isa, thumb, opcode, size, &vectors); /* unknown: none */
    return vectors;
}

static struct known *know(struct recorder *recorder, const struct executed *executed, bool thumb)
{
    struct state *state = recorder->state;
    char text[DISASSEMBLY_SIZE];
    if (!array_reserve_zeroed(&state->known, &state->known_capacity, executed->number + (size_t)1))
        return NULL;
    struct known *known = &state->known[executed->number];
    if (known->is_known && known->thumb == thumb) return known;
    disassemble(state->disassembler, executed->instruction, thumb, text);
    free(known->text);
    *known = (struct known){.is_known = true,
                            .thumb = thumb,
                            .writes = written_by(recorder->machine->id, executed, thumb) |
                                      statuses_written_by(recorder->machine->id, executed, thumb),
                            .vectors = vectors_written_by(recorder->machine->id, executed, thumb),
                            .text = text[0] ? strdup(text) : NULL};
    return known;
}

/* In an If-Then block, instructions of 16 bits but comparisons set no flags. */
static uint64_t written_in_block(const struct executed *executed, const struct known *known,
                                 uint32_t flags)
{
    const uint64_t flag = UINT64_C(1) << REGISTER_FLAGS;
    const bool sets_none = known->thumb && size_of(executed, true) == 2 && flags & IF_THEN_BITS &&
                           known->writes & ~flag;
    return sets_none ? known->writes & ~flag : known->writes;
}

/* The disassembly in this batch's arena: once for all executions. */
static struct spoor_ref text_of(struct recorder *recorder, struct known *known)
{
    const struct state *state = recorder->state;
    if (!known->text) return (struct spoor_ref){0};
    if (known->batch != state->batches) {
        known->kept = spoor_batch_keep(&recorder->batch, known->text, strlen(known->text));
        known->batch = state->batches;
    }
    return known->kept;
}

/* ---- records ---- */

static struct spoor_record *push(struct recorder *recorder, enum spoor_kind kind,
                                 const struct cpu *cpu)
{
    const struct state *state = recorder->state;
    struct spoor_record *record = spoor_batch_push(&recorder->batch);
    record->kind = (uint8_t)kind;
    record->time = state->time;
    record->cpu = cpu->name;
    record->has = SPOOR_HAS_TIME | SPOOR_HAS_CPU;
    return record;
}

static void push_instruction(struct recorder *recorder, const struct cpu *cpu,
                             const struct executed *executed, struct known *known,
                             enum outcome outcome)
{
    const struct state *state = recorder->state;
    const struct instruction *instruction = executed->instruction;
    const bool arm64 = recorder->machine->id == MACHINE_ARM64;
    struct spoor_record *record = push(recorder, SPOOR_INSN, cpu);
    record->op = outcome == OUTCOME_SKIPPED ? SPOOR_INSN_SKIPPED : SPOOR_INSN_TAKEN;
    record->has |= SPOOR_HAS_VA | SPOOR_HAS_DATA | SPOOR_HAS_INDEX | SPOOR_HAS_EXTRA;
    record->insn.va = instruction->pc;
    record->insn.index = cpu->index;
    record->insn.opcode_size = size_of(executed, known->thumb);
    record->insn.opcode = opcode_of(instruction, record->insn.opcode_size, known->thumb);
    record->insn.iset = arm64 ? 'O' : known->thumb ? 'T' : 'A';
    record->insn.mode = state->mode;
    record->insn.disasm = text_of(recorder, known);
}

static void push_register(struct recorder *recorder, const struct cpu *cpu, uint8_t reg)
{
    const struct state *state = recorder->state;
    const bool wide = recorder->machine->id == MACHINE_ARM64 && reg < REGISTER_FLAGS;
    const bool is_status = reg == REGISTER_FPSR || reg == REGISTER_FPCR;
    if (is_status && !recorder->with_status) return;
    if (recorder->machine->id == MACHINE_ARM && reg > 14 && reg != REGISTER_FLAGS &&
        reg != REGISTER_FPSR)
        return;
    struct spoor_record *record = push(recorder, SPOOR_REG, cpu);
    record->has |= SPOOR_HAS_DATA;
    record->reg.value[0] = cpu->registers[reg][0];
    record->reg.name = state->names[reg];
    record->reg.bits = wide ? 64 : 32;
}

/* Registers Vi of A64; of Arm, the double register that a word lies in, or if only one of its words
 * is written, the single register, where it has a name. */
static void push_vectors(struct recorder *recorder, const struct cpu *cpu, uint64_t vectors)
{
    const struct state *state = recorder->state;
    const bool arm64 = recorder->machine->id == MACHINE_ARM64;
    for (unsigned i = 0; i < VECTORS; i++) {
        const uint64_t words = arm64 ? vectors >> i & 1 : vectors >> 2 * i & 3;
        if (!words) continue;
        const bool single = !arm64 && words != 3 && i < VECTORS / 2;
        const uint64_t *vector = cpu->registers[REGISTER_VECTOR + (arm64 ? i : i / 2)];
        struct spoor_record *record = push(recorder, SPOOR_REG, cpu);
        record->has |= SPOOR_HAS_DATA;
        record->reg.name = single ? state->singles[2 * i + (words == 2)] : state->vectors[i];
        record->reg.bits = arm64 ? 128 : single ? 32 : 64;
        record->reg.value[0] = vector[arm64 ? 0 : i % 2];
        if (arm64) record->reg.value[1] = vector[1];
        if (single)
            record->reg.value[0] = (uint32_t)(record->reg.value[0] >> (words == 2 ? 32 : 0));
    }
}

static void push_access(struct recorder *recorder, const struct cpu *cpu,
                        const struct access *access)
{
    struct spoor_record *record = push(recorder, SPOOR_MEM, cpu);
    record->op = access->store ? SPOOR_MEM_WRITE : SPOOR_MEM_READ;
    record->has |= SPOOR_HAS_VA;
    record->mem.va = access->address;
    record->mem.size = access->size;
    if (!access->has_data) return;
    record->has |= SPOOR_HAS_DATA;
    memcpy(record->mem.data, access->data, sizeof record->mem.data);
}

/* DC ZVA sets a block of memory to zero, which QEMU does not report; the block size is that of its
 * Arm server processors. */
static void push_zeroing(struct recorder *recorder, const struct cpu *cpu,
                         const struct executed *executed)
{
    enum { BLOCK = 64, WORD = 8 };
    const uint32_t opcode = opcode_of(executed->instruction, 4, false);
    if (recorder->machine->id != MACHINE_ARM64 || (opcode & 0xFFFFFFE0) != 0xD50B7420) return;
    const uint64_t base = (opcode & 31) == 31 ? 0 : cpu->registers[opcode & 31][0];
    for (uint64_t offset = 0; offset < BLOCK; offset += WORD) {
        const struct access zero = {.address = (base & ~(uint64_t)(BLOCK - 1)) + offset,
                                    .size = WORD,
                                    .store = true,
                                    .has_data = true};
        push_access(recorder, cpu, &zero);
    }
}

/* ---- steps ---- */

static struct cpu *cpu_of(struct recorder *recorder, uint32_t number)
{
    struct state *state = recorder->state;
    struct cpu *cpu = &state->cpus[number];
    char name[16];
    if (cpu->name == SPOOR_NO_NAME) {
        snprintf(name, sizeof name, "cpu%u", number);
        cpu->name = intern(recorder, name);
    }
    return cpu;
}

/* The bits of struct known for a vector register some of whose bytes change. */
static uint64_t vectors_of_change(const struct recorder *recorder, const uint64_t before[2],
                                  const struct change *change)
{
    const unsigned number = change->reg - (unsigned)REGISTER_VECTOR;
    uint64_t changed = 0;
    if (recorder->machine->id == MACHINE_ARM64) return UINT64_C(1) << number;
    for (unsigned word = 0; word < 4 && number < VECTORS / 2; word++)
        if ((before[word / 2] ^ change->value[word / 2]) >> word % 2 * 32 & UINT32_MAX)
            changed |= UINT64_C(1) << (4 * number + word);
    return changed;
}

/* Of FPSR, FPCR and the vector registers, those that are not zero, as all are when a program
 * begins.
 */
static void set_registers_before(struct recorder *recorder, struct cpu *cpu,
                                 const struct change *changes)
{
    static const uint64_t zero[2];
    uint64_t vectors = 0;
    for (unsigned reg = 0; reg < REGISTERS; reg++)
        memcpy(cpu->registers[reg], changes[reg].value, sizeof changes[reg].value);
    for (unsigned reg = 0; reg < REGISTER_VECTOR; reg++)
        if (reg <= REGISTER_FLAGS || changes[reg].value[0])
            push_register(recorder, cpu, (uint8_t)reg);
    for (unsigned reg = REGISTER_VECTOR; reg < REGISTERS; reg++)
        if (changes[reg].value[0] || changes[reg].value[1])
            vectors |= vectors_of_change(recorder, zero, &changes[reg]);
    push_vectors(recorder, cpu, vectors);
}

/* The registers that the instruction writes, changed or not, and all others that changed. */
static void apply_changes(struct recorder *recorder, struct cpu *cpu,
                          const struct executed *executed, const struct change *changes,
                          uint64_t writes, uint64_t vectors)
{
    const uint64_t flags = cpu->registers[REGISTER_FLAGS][0];
    for (size_t i = 0; i < executed->changes; i++) {
        if (changes[i].reg >= REGISTER_VECTOR)
            vectors |= vectors_of_change(recorder, cpu->registers[changes[i].reg], &changes[i]);
        else
            writes |= UINT64_C(1) << changes[i].reg;
        memcpy(cpu->registers[changes[i].reg], changes[i].value, sizeof changes[i].value);
    }
    if (recorder->machine->id == MACHINE_ARM) {
        uint64_t *now = cpu->registers[REGISTER_FLAGS];
        *now = (*now & ~IF_THEN_BITS) | if_then_after(executed, (uint32_t)flags);
        if (*now != flags) writes |= UINT64_C(1) << REGISTER_FLAGS;
    }
    for (; writes; writes &= writes - 1)
        push_register(recorder, cpu, (uint8_t)__builtin_ctzll(writes));
    push_vectors(recorder, cpu, vectors);
}

static void consume_one(struct recorder *recorder, const struct executed *executed,
                        const struct access *accesses, const struct change *changes)
{
    struct state *state = recorder->state;
    struct cpu *cpu = cpu_of(recorder, executed->cpu);
    if (executed->anew) {
        set_registers_before(recorder, cpu, changes);
        changes += REGISTERS;
    }
    const uint32_t flags = (uint32_t)cpu->registers[REGISTER_FLAGS][0];
    const bool thumb = recorder->machine->id == MACHINE_ARM && (flags & 1 << 5);
    struct known *known = know(recorder, executed, thumb);
    if (!known) {
        recorder->batch.out_of_memory = true;
        return;
    }
    const enum outcome outcome = condition_outcome(recorder->machine->id, executed, flags);
    if (outcome == OUTCOME_UNKNOWN) {
        recorder->left_out++;
        return;
    }
    push_instruction(recorder, cpu, executed, known, outcome);
    for (size_t i = 0; i < executed->accesses; i++) push_access(recorder, cpu, &accesses[i]);
    if (executed->has_next) push_zeroing(recorder, cpu, executed);
    /* the writes of the last instruction are unknown: it ended the recording */
    const bool executes = executed->has_next && outcome == OUTCOME_EXECUTED;
    const uint64_t writes = executes ? written_in_block(executed, known, flags) : 0;
    const bool has_vectors = recorder->with_vectors && executes;
    apply_changes(recorder, cpu, executed, changes, writes, has_vectors ? known->vectors : 0);
    cpu->index++;
    state->time++;
}

static void consume(struct recorder *recorder, struct executions *executions)
{
    struct state *state = recorder->state;
    const struct access *accesses = executions->accesses;
    const struct change *changes = executions->changes;
    state->batches++;
    for (size_t i = 0; i < executions->count; i++) {
        const struct executed *executed = &executions->executions[i];
        consume_one(recorder, executed, accesses, changes);
        accesses += executed->accesses;
        changes += executed->changes + (executed->anew ? REGISTERS : 0);
    }
}

const struct recorder_kind recorder_registers = {
    .what = "records of instructions, registers and memory",
    .wishes = WISH_DATA | WISH_REGISTERS,
    .open = open_state,
    .consume = consume,
    .close = close_state,
};
