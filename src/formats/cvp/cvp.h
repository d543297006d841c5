/* SPDX-License-Identifier: MIT */
/* cvp.h: a record of the value prediction championships. */
#ifndef SPOOR_FORMATS_CVP_CVP_H
#define SPOOR_FORMATS_CVP_CVP_H

#include "formats/format.h"

enum cvp_type {
    CVP_ALU,
    CVP_LOAD,
    CVP_STORE,
    CVP_CONDITIONAL,
    CVP_DIRECT,
    CVP_INDIRECT,
    CVP_FLOAT,
    CVP_SLOW_ALU,
    CVP_UNDEFINED,
    CVP_LAST_OF_CVP1 = CVP_UNDEFINED,
    CVP_DIRECT_CALL, /* this and the following exist only in CBP-2025 */
    CVP_INDIRECT_CALL,
    CVP_RETURN,
    CVP_TYPES,
};
enum cvp_register {
    CVP_LINK = 30,
    CVP_STACK_POINTER = 31,
    CVP_VECTOR = 32, /* registers 32 to 63 have 16 bytes */
    CVP_FLAGS = 64,
    CVP_ZERO = 65, /* only in CBP-2025 */
    CVP_REGISTERS,
    CVP_OPERANDS = 16, /* maximum number of inputs, or of outputs, of an instruction */
};

struct cvp {
    uint64_t pc, address, target;
    uint64_t values[CVP_OPERANDS][2];
    uint8_t type; /* enum cvp_type */
    uint8_t access, updates_base, register_offset;
    uint8_t taken;
    uint8_t inputs, outputs;
    uint8_t input[CVP_OPERANDS], output[CVP_OPERANDS];
};

/* The parts of a record that no field stores; they are the spelling of its INSN. */
struct cvp_spelling {
    char unit[SPELLING_UNIT_SIZE];
    uint8_t type, updates_base, register_offset;
    uint8_t whole; /* 1: of this format; else 0 */
};

static inline bool cvp_is_branch(unsigned type)
{
    return (type >= CVP_CONDITIONAL && type <= CVP_INDIRECT) || type >= CVP_DIRECT_CALL;
}
static inline bool cvp_is_access(unsigned type)
{
    return type == CVP_LOAD || type == CVP_STORE;
}
static inline bool cvp_is_vector(unsigned reg)
{
    return reg >= CVP_VECTOR && reg < CVP_FLAGS;
}
/* The registers that a load fills, at least 1: its outputs, but for a base register that it
 * updates. A base is an input, and its new value lies near the address: CVP-1 does not state it. */
static inline unsigned cvp_loaded(const struct cvp *insn)
{
    enum { FAR = 1024 }; /* pairs of 16 bytes have offsets from -1024 to 1008 */
    unsigned loaded = 0;
    for (unsigned i = 0; i < insn->outputs; i++) {
        const bool is_input = memchr(insn->input, insn->output[i], insn->inputs) != NULL;
        const uint64_t distance = insn->values[i][0] - insn->address + FAR;
        const bool is_base = is_input && !cvp_is_vector(insn->output[i]) && distance <= 2 * FAR;
        loaded += !is_base;
    }
    return loaded ? loaded : 1;
}
/* Names of registers. */
extern const char *const cvp_registers[CVP_REGISTERS];

/* Nothing in a file distinguishes the two dialects, so each is a format; its variant is true for
 * CBP-2025. */
static inline bool cvp_is_newer(const struct spoor_format *format)
{
    return *(const bool *)format->variant;
}

#endif
