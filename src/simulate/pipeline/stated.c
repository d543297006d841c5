/* SPDX-License-Identifier: MIT */
/* stated.c: maps registers by opcode and by name; see stated.h. */
#include "simulate/pipeline/stated.h"

#include <stdlib.h>
#include <string.h>

/* ---- by opcode ---- */

static uint8_t number_of(unsigned reg)
{
    if (reg == ISA_FLAGS) return SPOOR_FLAGS_REGISTER;
    return (uint8_t)(reg < ISA_VECTOR ? reg : SPOOR_VECTOR_REGISTER + reg - ISA_VECTOR);
}

static enum spoor_operation_class class_of(const struct isa_operands *operands)
{
    static const uint8_t classes[] = {
        [ISA_ALU] = SPOOR_CLASS_ALU,
        [ISA_MULTIPLY] = SPOOR_CLASS_MULTIPLY,
        [ISA_DIVIDE] = SPOOR_CLASS_DIVIDE,
        [ISA_FLOAT] = SPOOR_CLASS_FLOAT,
    };
    return operands->branch ? SPOOR_CLASS_BRANCH
                            : (enum spoor_operation_class)classes[operands->class];
}

bool stated_by_opcode(struct instruction *instruction, enum isa isa, bool is_thumb,
                      const struct spoor_record *record)
{
    const struct spoor_insn *insn = &record->insn;
    const uint8_t size = isa_opcode_size(isa, insn);
    const bool thumb =
        insn->iset == 'T' || insn->iset == 'X' || (insn->iset == 0 && (is_thumb || size == 2));
    struct isa_operands operands;
    if (!(record->has & SPOOR_HAS_DATA)) return false;
    if (!isa_operands_of(&operands, isa_of_instruction(isa, insn->iset), thumb, insn->opcode, size))
        return false;
    for (unsigned i = 0; i < operands.read_count; i++)
        instruction_read(instruction, number_of(operands.reads[i]));
    for (unsigned i = 0; i < operands.write_count; i++)
        instruction_write(instruction, number_of(operands.writes[i]));
    instruction->is_known = true;
    instruction->kind = (uint8_t)class_of(&operands);
    instruction->data_count = operands.data_count;
    instruction->states_load = operands.load;
    instruction->states_store = operands.store;
    if (operands.updates_base) instruction->base = number_of((unsigned)operands.base);
    return true;
}

void stated_skipped(struct instruction *instruction)
{
    instruction->reads.count = instruction->writes.count = 0;
    instruction->writes_flags = false;
    instruction->states_load = instruction->states_store = false;
    instruction->base = SPOOR_NO_REGISTER;
    instruction->data_count = 0;
}

/* ---- by name ---- */

/* Assigns the numbers after the instruction sets' registers to names in order of appearance. */
static uint8_t assign_number(struct stated_registers *registers)
{
    const unsigned below = SPOOR_FLAGS_REGISTER;
    const unsigned above = SPOOR_TEMPORARY_REGISTER - SPOOR_VECTOR_REGISTER;
    if (registers->given == below + above) {
        registers->foreign++;
        return SPOOR_NO_REGISTER;
    }
    const unsigned number = registers->given++;
    return (uint8_t)(number < below ? number : SPOOR_VECTOR_REGISTER + number - below);
}

static bool is_name(const char *text, const char *name)
{
    return name && strcmp(text, name) == 0;
}

static uint8_t look_up(struct stated_registers *registers, const struct spoor_stream *stream,
                       enum isa isa, spoor_name name)
{
    struct register_name one;
    size_t size;
    const char *text = spoor_names_text(stream->names, name, &size);
    const struct spoor_special_registers *special = stream->special;
    register_canonical(text, size, isa, &one);
    if (special && is_name(one.text, special->instruction_pointer)) return SPOOR_NO_REGISTER;
    if (special && is_name(one.text, special->flags)) return SPOOR_FLAGS_REGISTER;
    if (isa != ISA_UNKNOWN) {
        const int known = isa_register_number(isa, &one);
        return known < 0 ? (uint8_t)SPOOR_NO_REGISTER : number_of((unsigned)known);
    }
    const uint8_t number = assign_number(registers);
    if (special && is_name(one.text, special->stack_pointer)) registers->stack_pointer = number;
    return number;
}

uint8_t stated_register(struct stated_registers *registers, const struct spoor_stream *stream,
                        enum isa isa, spoor_name name)
{
    enum { NAMES = 1 << 16 };
    if (!registers->numbers) {
        registers->numbers = calloc(NAMES, 1);
        registers->stack_pointer = SPOOR_NO_REGISTER;
    }
    registers->failed = !registers->numbers;
    if (registers->failed) return SPOOR_NO_REGISTER;
    uint8_t *known = &registers->numbers[name];
    if (!*known) *known = (uint8_t)(1 + look_up(registers, stream, isa, name));
    return (uint8_t)(*known - 1);
}

void stated_free(struct stated_registers *registers)
{
    free(registers->numbers);
    *registers = (struct stated_registers){0};
}
