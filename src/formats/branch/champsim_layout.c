/* SPDX-License-Identifier: MIT */
/* champsim_layout.c: the layouts of ChampSim's instructions, from bytes and to bytes. */
#include <string.h>

#include "formats/branch/champsim.h"

const struct champsim_shape champsim_shape_usual = {64, 2, 0};
const struct champsim_shape champsim_shape_load_type = {72, 2, 8};
const struct champsim_shape champsim_shape_cloudsuite = {96, 4, 8};

static unsigned padding_of(const struct champsim_shape *shape)
{
    enum { ALIGNMENT = 8, BEFORE_REGISTERS = 10 };
    return -(BEFORE_REGISTERS + shape->writes + CHAMPSIM_READS) % ALIGNMENT;
}

struct champsim champsim_unpack(const struct champsim_shape *shape, const char *bytes)
{
    struct champsim insn = {0};
    const char *at = bytes;
    const size_t writes = shape->writes, padding = padding_of(shape);
    memcpy(&insn.pc, at, sizeof insn.pc);
    insn.is_branch = (uint8_t)at[8];
    insn.taken = (uint8_t)at[9];
    memcpy(insn.written, at += 10, writes);
    memcpy(insn.read, at += writes, CHAMPSIM_READS);
    memcpy(insn.padding, at += CHAMPSIM_READS, padding);
    memcpy(insn.stores, at += padding, 8 * writes);
    memcpy(insn.loads, at += 8 * writes, sizeof insn.loads);
    memcpy(insn.tail, at + sizeof insn.loads, shape->tail);
    return insn;
}

void champsim_pack(const struct champsim_shape *shape, const struct champsim *insn,
                   struct text *out)
{
    const size_t writes = shape->writes;
    const uint8_t flags[2] = {insn->is_branch, insn->taken};
    text_put(out, &insn->pc, sizeof insn->pc);
    text_put(out, flags, sizeof flags);
    text_put(out, insn->written, writes);
    text_put(out, insn->read, sizeof insn->read);
    text_put(out, insn->padding, padding_of(shape));
    text_put(out, insn->stores, 8 * writes);
    text_put(out, insn->loads, sizeof insn->loads);
    text_put(out, insn->tail, shape->tail);
}

/* CHAMPSIM_FLAGS and its like, as registers are named here. */
const struct spoor_special_registers champsim_special = {
    .flags = "r25", .instruction_pointer = "r26", .stack_pointer = "r6"};
