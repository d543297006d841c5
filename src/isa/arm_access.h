/* SPDX-License-Identifier: MIT */
/*
 * arm_access.h: how A64 and A32 loads and stores of registers compute their address (Arm
 * Architecture Reference Manual, "Loads and stores").
 */
#ifndef SPOOR_ISA_ARM_ACCESS_H
#define SPOOR_ISA_ARM_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

/* The address is base + offset + the index, extended and shifted. */
struct arm_access {
    unsigned base;
    int index; /* register; -1: none */
    int64_t offset;
    unsigned size; /* bytes, of both registers of a pair */
    uint8_t shift; /* of the index */
    bool subtracts, index_is_32, index_is_signed;
};
/* False: another instruction, or one whose base is the stack pointer (A64) or the pc (A32). */
bool arm_access_a64(uint32_t opcode, struct arm_access *access);
bool arm_access_a32(uint32_t opcode, struct arm_access *access);

#endif
