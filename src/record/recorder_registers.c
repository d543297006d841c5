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
#include "record/code.h"
#include "record/recorder.h"
#include "spoor/instruction.h"

/* Of the condition of an instruction. */
enum outcome { OUTCOME_EXECUTED, OUTCOME_SKIPPED, OUTCOME_UNKNOWN };

/* The properties of an instruction that are the same in all executions. */
struct instruction_properties {
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

struct register_state {
    struct code_reader *reader;           /* NULL, or without capstone: instructions have no text */
    struct instruction_properties *known; /* by number of the instruction */
    size_t known_capacity;
    struct cpu *cpus; /* MAX_CPUS */
    spoor_name names[REGISTER_VECTOR], mode;
    spoor_name vectors[VECTORS], singles[VECTORS]; /* V0-V31 or d0-d31; s0-s31 */
    uint64_t time;
    uint64_t batches; /* number of batches filled, to identify text stored in this one */
};

static enum spoor_status registers_open(struct recorder *recorder, struct spoor_error *error)
{
    const enum machine_id machine = recorder->machine->id;
    const bool arm64 = machine == MACHINE_ARM64;
    if (!arm64 && machine != MACHINE_ARM)
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "registers are recorded of AArch64 and Arm programs, not of %s "
                               "ones: record %slackey or din",
                               recorder->machine->name, machine == MACHINE_X86_64 ? "uop, " : "");
    struct register_state *state = calloc(1, sizeof *state);
    recorder->state = state;
    recorder->stream.format = spoor_format_none();
    if (state) state->cpus = calloc(MAX_CPUS, sizeof *state->cpus);
    if (!state || !state->cpus) return spoor_error_set(error, SPOOR_ENOMEM, "out of memory");
    state->reader = code_reader_open();
    char name[8];
    for (int i = 0; i < (arm64 ? REGISTER_SP : 15); i++) {
        snprintf(name, sizeof name, arm64 ? "X%d" : "r%d", i);
        state->names[i] = recorder_intern(recorder, name);
    }
    if (arm64) state->names[REGISTER_SP] = recorder_intern(recorder, "SP");
    state->names[REGISTER_FLAGS] = recorder_intern(recorder, "cpsr");
    state->names[REGISTER_FPSR] = recorder_intern(recorder, arm64 ? "FPSR" : "fpscr");
    if (arm64) state->names[REGISTER_FPCR] = recorder_intern(recorder, "FPCR");
    for (int i = 0; i < VECTORS; i++) {
        snprintf(name, sizeof name, arm64 ? "V%d" : "d%d", i);
        state->vectors[i] = recorder_intern(recorder, name);
        snprintf(name, sizeof name, "s%d", i);
        if (!arm64) state->singles[i] = recorder_intern(recorder, name);
    }
    state->mode = recorder_intern(recorder, arm64 ? "EL0t" : "usr");
    return SPOOR_OK;
}

static void registers_close(struct recorder *recorder)
{
    struct register_state *state = recorder->state;
    if (!state) return;
    code_reader_close(state->reader);
    for (size_t i = 0; i < state->known_capacity; i++) free(state->known[i].text);
    free(state->known);
    free(state->cpus);
    free(state);
}

/* ---- properties of an instruction ---- */

static uint8_t instruction_size(const struct executed_instruction *executed, bool thumb)
{
    const bool wide =
        executed->instruction->bytes[1] >> 3 >= 0x1D; /* T32: by the first five bits */
    return thumb && !wide ? 2 : 4;
}

/* The bits as Arm writes them: the first halfword of a T32 instruction of four bytes comes
 * first. */
static uint32_t instruction_opcode(const struct instruction *instruction, uint8_t size, bool thumb)
{
    uint16_t halves[2];
    memcpy(halves, instruction->bytes, sizeof halves);
    if (size == 2) return halves[0];
    return thumb ? (uint32_t)halves[0] << 16 | halves[1] : (uint32_t)halves[1] << 16 | halves[0];
}

/* What is known of an instruction; NULL if memory runs out. */
static struct instruction_properties *
registers_know(struct recorder *recorder, const struct executed_instruction *executed, bool thumb)
{
    enum { TEXT = 200 };
    struct register_state *state = recorder->state;
    const enum machine_id machine = recorder->machine->id;
    const struct instruction *instruction = executed->instruction;
    if (!array_reserve_zeroed(&state->known, &state->known_capacity, executed->number + (size_t)1))
        return NULL;
    struct instruction_properties *known = &state->known[executed->number];
    if (known->is_known && known->thumb == thumb) return known;
    free(known->text);
    *known = (struct instruction_properties){.is_known = true, .thumb = thumb};
    const bool arm64 = machine == MACHINE_ARM64;
    const struct spoor_code_bytes code = {.code = arm64   ? SPOOR_CODE_A64
                                                  : thumb ? SPOOR_CODE_T32
                                                          : SPOOR_CODE_A32,
                                          .pc = instruction->pc,
                                          .bytes = instruction->bytes,
                                          .size = instruction->size};
    char text[TEXT];
    if (code_reader_put(state->reader, &code, text, sizeof text) && text[0])
        known->text = strdup(text);
    /* of an opcode that the tables of src/isa do not know, only what changes is recorded
     */
    const uint8_t size = instruction_size(executed, thumb);
    const uint32_t opcode = instruction_opcode(instruction, size, thumb);
    const enum spoor_isa isa = arm64 ? SPOOR_ISA_AARCH64 : SPOOR_ISA_AARCH32;
    uint64_t written;
    if (spoor_opcode_writes(isa, thumb, opcode, size, &written)) {
        known->writes = written & UINT32_MAX;
        if (written >> SPOOR_OPCODE_FLAGS & 1) known->writes |= UINT64_C(1) << REGISTER_FLAGS;
    }
    /* FPSR and FPCR where an opcode names them as its destination, or compares into FPSCR: MSR;
     * VMSR, VCMP.  All other instructions add flags, which are recorded when they change. */
    const uint32_t without_register = opcode & ~UINT32_C(31);
    const bool compares = (opcode & 0x0FBE0C50) == 0x0EB40840; /* also of half precision */
    const bool sets = (opcode & 0x0FFF0FFF) == 0x0EE10A10;
    const bool sets_status =
        arm64 ? without_register == 0xD51B4420
              : size == 4 && (opcode >> 28 == 14 || !thumb) && (compares || sets);
    if (sets_status) known->writes |= UINT64_C(1) << REGISTER_FPSR;
    if (arm64 && without_register == 0xD51B4400) known->writes |= UINT64_C(1) << REGISTER_FPCR;
    spoor_opcode_writes_vectors(isa, thumb, opcode, size, &known->vectors); /* unknown: none */
    return known;
}

/* ---- records ---- */

static struct spoor_record *registers_push(struct recorder *recorder, enum spoor_kind kind,
                                           const struct cpu *cpu)
{
    const struct register_state *state = recorder->state;
    struct spoor_record *record = spoor_batch_push(&recorder->batch);
    record->kind = (uint8_t)kind;
    record->time = state->time;
    record->cpu = cpu->name;
    record->has = SPOOR_HAS_TIME | SPOOR_HAS_CPU;
    return record;
}

static void registers_push_instruction(struct recorder *recorder, const struct cpu *cpu,
                                       const struct executed_instruction *executed,
                                       struct instruction_properties *known, enum outcome outcome)
{
    const struct register_state *state = recorder->state;
    const bool arm64 = recorder->machine->id == MACHINE_ARM64;
    struct spoor_record *record = registers_push(recorder, SPOOR_INSN, cpu);
    record->op = outcome == OUTCOME_SKIPPED ? SPOOR_INSN_SKIPPED : SPOOR_INSN_TAKEN;
    record->has |= SPOOR_HAS_VA | SPOOR_HAS_DATA | SPOOR_HAS_INDEX | SPOOR_HAS_EXTRA;
    record->insn.va = executed->instruction->pc;
    record->insn.index = cpu->index;
    record->insn.opcode_size = instruction_size(executed, known->thumb);
    record->insn.opcode =
        instruction_opcode(executed->instruction, record->insn.opcode_size, known->thumb);
    record->insn.iset = arm64 ? 'O' : known->thumb ? 'T' : 'A';
    record->insn.mode = state->mode;
    if (known->text && known->batch != state->batches) { /* once for all executions */
        known->kept = spoor_batch_keep(&recorder->batch, known->text, strlen(known->text));
        known->batch = state->batches;
    }
    record->insn.disasm = known->text ? known->kept : (struct spoor_ref){0};
}

static void registers_push_register(struct recorder *recorder, const struct cpu *cpu, uint8_t reg)
{
    const struct register_state *state = recorder->state;
    const bool wide = recorder->machine->id == MACHINE_ARM64 && reg < REGISTER_FLAGS;
    const bool is_status = reg == REGISTER_FPSR || reg == REGISTER_FPCR;
    if (is_status && !recorder->with_status) return;
    if (recorder->machine->id == MACHINE_ARM && reg > 14 && reg != REGISTER_FLAGS &&
        reg != REGISTER_FPSR)
        return;
    struct spoor_record *record = registers_push(recorder, SPOOR_REG, cpu);
    record->has |= SPOOR_HAS_DATA;
    record->reg.value[0] = cpu->registers[reg][0];
    record->reg.name = state->names[reg];
    record->reg.bits = wide ? 64 : 32;
}

/* Registers Vi of A64; of Arm, the double register that a word lies in, or if only one of its words
 * is written, the single register, where it has a name. */
static void registers_push_vectors(struct recorder *recorder, const struct cpu *cpu,
                                   uint64_t vectors)
{
    const struct register_state *state = recorder->state;
    const bool arm64 = recorder->machine->id == MACHINE_ARM64;
    for (unsigned i = 0; i < VECTORS; i++) {
        const uint64_t words = arm64 ? vectors >> i & 1 : vectors >> 2 * i & 3;
        if (!words) continue;
        const bool single = !arm64 && words != 3 && i < VECTORS / 2;
        const uint64_t *vector = cpu->registers[REGISTER_VECTOR + (arm64 ? i : i / 2)];
        struct spoor_record *record = registers_push(recorder, SPOOR_REG, cpu);
        record->has |= SPOOR_HAS_DATA;
        record->reg.name = single ? state->singles[2 * i + (words == 2)] : state->vectors[i];
        record->reg.bits = arm64 ? 128 : single ? 32 : 64;
        record->reg.value[0] = vector[arm64 ? 0 : i % 2];
        if (arm64) record->reg.value[1] = vector[1];
        if (single)
            record->reg.value[0] = (uint32_t)(record->reg.value[0] >> (words == 2 ? 32 : 0));
    }
}

static void registers_push_access(struct recorder *recorder, const struct cpu *cpu,
                                  const struct access *access)
{
    struct spoor_record *record = registers_push(recorder, SPOOR_MEM, cpu);
    record->op = access->store ? SPOOR_MEM_WRITE : SPOOR_MEM_READ;
    record->has |= SPOOR_HAS_VA;
    record->mem.va = access->address;
    record->mem.size = access->size;
    if (!access->has_data) return;
    record->has |= SPOOR_HAS_DATA;
    memcpy(record->mem.data, access->data, sizeof record->mem.data);
}

/* ---- whether an instruction's condition holds, and the state of its If-Then block ---- */

enum { ALWAYS = 14 };
/* The If-Then bits of the CPSR, which QEMU does not show. */
#define IF_THEN_BITS UINT32_C(0x0600FC00)

/* The architecture's ConditionHolds(). */
static enum outcome condition_by_flags(unsigned condition, uint32_t flags)
{
    const bool n = flags >> 31 & 1, z = flags >> 30 & 1, c = flags >> 29 & 1, v = flags >> 28 & 1;
    bool result = true;
    switch (condition >> 1) {
    case 0: result = z; break;
    case 1: result = c; break;
    case 2: result = n; break;
    case 3: result = v; break;
    case 4: result = c && !z; break;
    case 5: result = n == v; break;
    case 6: result = n == v && !z; break;
    default: return OUTCOME_EXECUTED;
    }
    return result != (condition & 1) ? OUTCOME_EXECUTED : OUTCOME_SKIPPED;
}

/* A branch that may fall through: the next pc decides. */
static enum outcome condition_by_next(const struct executed_instruction *executed)
{
    if (!executed->has_next) return OUTCOME_UNKNOWN;
    return executed->next == executed->instruction->pc + executed->size ? OUTCOME_SKIPPED
                                                                        : OUTCOME_EXECUTED;
}

/* The state of the If-Then block: a condition, and the lowest bit of the condition of each
 * instruction. */
static uint32_t condition_block(uint32_t flags)
{
    return (flags >> 8 & 0xFC) | (flags >> 25 & 3);
}

/* `flags`: the CPSR before the instruction, for AArch64 its N Z C V.  A conditional branch that
 * falls through counts as skipped, as in Fast Models. */
static enum outcome condition_outcome(enum machine_id machine,
                                      const struct executed_instruction *executed, uint32_t flags)
{
    uint32_t bits;
    memcpy(&bits, executed->instruction->bytes, sizeof bits);
    if (machine == MACHINE_ARM64) {
        if ((bits & 0xFF000010) == 0x54000000)
            return condition_by_flags(bits & 15, flags); /* B.cond */
        if ((bits & 0x7C000000) == 0x34000000)
            return condition_by_next(executed); /* CBZ, CBNZ, TBZ, TBNZ */
        return OUTCOME_EXECUTED;
    }
    if (!(flags & 1 << 5))
        return bits >> 28 < ALWAYS ? condition_by_flags(bits >> 28, flags) : OUTCOME_EXECUTED;
    const uint32_t first = bits & 0xFFFF, second = bits >> 16, block = condition_block(flags);
    if (block & 15) return condition_by_flags(block >> 4, flags);
    if ((first & 0xF500) == 0xB100) return condition_by_next(executed); /* CBZ, CBNZ */
    if ((first & 0xF000) == 0xD000 && (first >> 8 & 15) < ALWAYS)
        return condition_by_flags(first >> 8 & 15, flags);
    if ((first & 0xF800) == 0xF000 && (second & 0xD000) == 0x8000 && (first >> 6 & 15) < ALWAYS)
        return condition_by_flags(first >> 6 & 15, flags);
    return OUTCOME_EXECUTED;
}

/* ---- steps ---- */

/* The bits of struct instruction_properties for a vector register some of whose bytes change. */
static uint64_t registers_changed_vectors(const struct recorder *recorder, const uint64_t before[2],
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

/* The registers that the instruction writes, changed or not, and all others that changed. */
static void registers_apply(struct recorder *recorder, struct cpu *cpu,
                            const struct executed_instruction *executed,
                            const struct change *changes, uint64_t writes, uint64_t vectors)
{
    const uint64_t flags = cpu->registers[REGISTER_FLAGS][0];
    for (size_t i = 0; i < executed->changes; i++) {
        if (changes[i].reg >= REGISTER_VECTOR)
            vectors |=
                registers_changed_vectors(recorder, cpu->registers[changes[i].reg], &changes[i]);
        else
            writes |= UINT64_C(1) << changes[i].reg;
        memcpy(cpu->registers[changes[i].reg], changes[i].value, sizeof changes[i].value);
    }
    if (recorder->machine->id == MACHINE_ARM) {
        uint64_t *now = cpu->registers[REGISTER_FLAGS];
        const uint8_t *bytes = executed->instruction->bytes;
        uint32_t block = condition_block((uint32_t)flags); /* then that after the instruction */
        if (!(flags & 1 << 5))
            block = 0;
        else if (block & 15)
            block = (block & 7) ? (block & 0xE0) | (block << 1 & 0x1F) : 0;
        else if (bytes[1] == 0xBF && (bytes[0] & 15))
            block = bytes[0]; /* IT */
        *now = (*now & ~IF_THEN_BITS) | (block & 0xFC) << 8 | (block & 3) << 25;
        if (*now != flags) writes |= UINT64_C(1) << REGISTER_FLAGS;
    }
    for (; writes; writes &= writes - 1)
        registers_push_register(recorder, cpu, (uint8_t)__builtin_ctzll(writes));
    registers_push_vectors(recorder, cpu, vectors);
}

static void registers_consume(struct recorder *recorder, struct executions *executions)
{
    struct register_state *state = recorder->state;
    const struct executed_instruction *executed = executions->executions;
    const struct executed_instruction *end = executed + executions->count;
    const struct access *accesses = executions->accesses;
    const struct change *changes = executions->changes;
    const enum machine_id machine = recorder->machine->id;
    state->batches++;
    for (; executed < end; accesses += executed->accesses, changes += executed++->changes) {
        struct cpu *cpu = &state->cpus[executed->cpu];
        if (cpu->name == SPOOR_NO_NAME) {
            char name[16];
            snprintf(name, sizeof name, "cpu%u", executed->cpu);
            cpu->name = recorder_intern(recorder, name);
        }
        if (executed->anew) {
            /* Of FPSR, FPCR and the vector registers, those that are not zero, as all are when a
             * program begins. */
            static const uint64_t zero[2];
            uint64_t vectors = 0;
            for (unsigned reg = 0; reg < REGISTERS; reg++)
                memcpy(cpu->registers[reg], changes[reg].value, sizeof changes[reg].value);
            for (unsigned reg = 0; reg < REGISTER_VECTOR; reg++)
                if (reg <= REGISTER_FLAGS || changes[reg].value[0])
                    registers_push_register(recorder, cpu, (uint8_t)reg);
            for (unsigned reg = REGISTER_VECTOR; reg < REGISTERS; reg++)
                if (changes[reg].value[0] || changes[reg].value[1])
                    vectors |= registers_changed_vectors(recorder, zero, &changes[reg]);
            registers_push_vectors(recorder, cpu, vectors);
            changes += REGISTERS;
        }
        const uint32_t flags = (uint32_t)cpu->registers[REGISTER_FLAGS][0];
        const bool thumb = machine == MACHINE_ARM && (flags & 1 << 5);
        struct instruction_properties *known = registers_know(recorder, executed, thumb);
        if (!known) {
            recorder->batch.out_of_memory = true;
            continue;
        }
        const enum outcome outcome = condition_outcome(machine, executed, flags);
        if (outcome == OUTCOME_UNKNOWN) {
            recorder->left_out++;
            continue;
        }
        registers_push_instruction(recorder, cpu, executed, known, outcome);
        for (size_t i = 0; i < executed->accesses; i++)
            registers_push_access(recorder, cpu, &accesses[i]);
        /* DC ZVA sets a block of memory to zero, which QEMU does not report; the block size is that
         * of its Arm server processors. */
        enum { BLOCK = 64, WORD = 8 };
        const uint32_t opcode = instruction_opcode(executed->instruction, 4, false);
        const bool zeroes =
            executed->has_next && machine == MACHINE_ARM64 && (opcode & 0xFFFFFFE0) == 0xD50B7420;
        const uint64_t base = (opcode & 31) == 31 ? 0 : cpu->registers[opcode & 31][0];
        for (uint64_t offset = 0; zeroes && offset < BLOCK; offset += WORD) {
            const struct access zero = {.address = (base & ~(uint64_t)(BLOCK - 1)) + offset,
                                        .size = WORD,
                                        .store = true,
                                        .has_data = true};
            registers_push_access(recorder, cpu, &zero);
        }
        /* the writes of the last instruction are unknown: it ended the recording */
        const bool executes = executed->has_next && outcome == OUTCOME_EXECUTED;
        uint64_t writes = executes ? known->writes : 0;
        const uint64_t flag = UINT64_C(1) << REGISTER_FLAGS;
        /* in an If-Then block, instructions of 16 bits but comparisons set no flags */
        if (known->thumb && instruction_size(executed, true) == 2 && flags & IF_THEN_BITS &&
            writes & ~flag)
            writes &= ~flag;
        const bool has_vectors = recorder->with_vectors && executes;
        registers_apply(recorder, cpu, executed, changes, writes, has_vectors ? known->vectors : 0);
        cpu->index++;
        state->time++;
    }
}

const struct recorder_kind recorder_registers = {
    .what = "records of instructions, registers and memory",
    .wishes = WISH_DATA | WISH_REGISTERS,
    .open = registers_open,
    .consume = registers_consume,
    .close = registers_close,
};
