/* SPDX-License-Identifier: MIT */
/* champsim_layout.c: the layouts of ChampSim's instructions, from bytes and to bytes; branches. */
#include <string.h>

#include "formats/branch/champsim.h"

const struct champsim_shape champsim_shape_usual = {64, 2, 0};
const struct champsim_shape champsim_shape_load_type = {72, 2, 8};
const struct champsim_shape champsim_shape_cloudsuite = {96, 4, 8};

static unsigned champsim_padding_of(const struct champsim_shape *shape)
{
    enum { ALIGNMENT = 8, BEFORE_REGISTERS = 10 };
    return -(BEFORE_REGISTERS + shape->writes + CHAMPSIM_READS) % ALIGNMENT;
}

struct champsim champsim_unpack(const struct champsim_shape *shape, const char *bytes)
{
    struct champsim insn = {0};
    const char *at = bytes;
    const size_t writes = shape->writes, padding = champsim_padding_of(shape);
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
    text_put(out, insn->padding, champsim_padding_of(shape));
    text_put(out, insn->stores, 8 * writes);
    text_put(out, insn->loads, sizeof insn->loads);
    text_put(out, insn->tail, shape->tail);
}

/* CHAMPSIM_FLAGS and its like, as registers are named here. */
const struct spoor_special_registers champsim_special = {
    .flags = "r25", .instruction_pointer = "r26", .stack_pointer = "r6"};

/* ---- branches ---- */

/* The rules of struct ooo_model_instr in ChampSim's inc/instruction.h, in its order.  The byte
 * `taken` counts for those types alone that may not be taken. */
bool champsim_branch(const struct champsim *insn, uint8_t *op)
{
    bool reads_sp = false, reads_ip = false, flags = false, other = false;
    for (size_t i = 0; i < CHAMPSIM_READS; i++) switch (insn->read[i]) {
        case 0: break;
        case CHAMPSIM_STACK_POINTER: reads_sp = true; break;
        case CHAMPSIM_INSTRUCTION_POINTER: reads_ip = true; break;
        case CHAMPSIM_FLAGS: flags = true; break;
        default: other = true;
        }
    const bool writes_sp = memchr(insn->written, CHAMPSIM_STACK_POINTER, CHAMPSIM_WRITES);
    const uint8_t untaken = insn->taken ? 0 : SPOOR_FLOW_NOT_TAKEN;
    if (!memchr(insn->written, CHAMPSIM_INSTRUCTION_POINTER, CHAMPSIM_WRITES)) return false;
    if (!reads_sp && !flags && !other)
        *op = SPOOR_FLOW_TYPED;
    else if (!reads_sp && !reads_ip && !flags)
        *op = SPOOR_FLOW_TYPED | SPOOR_FLOW_IS_INDIRECT;
    else if (!reads_sp && reads_ip && !writes_sp)
        *op = SPOOR_FLOW_TYPED | SPOOR_FLOW_IS_CONDITIONAL | untaken;
    else if (reads_sp && reads_ip && writes_sp && !flags)
        *op = SPOOR_FLOW_TYPED | SPOOR_FLOW_IS_CALL | (other ? SPOOR_FLOW_IS_INDIRECT : 0);
    else if (reads_sp && !reads_ip && writes_sp)
        *op = SPOOR_FLOW_TYPED | SPOOR_FLOW_IS_RETURN | SPOOR_FLOW_IS_INDIRECT;
    else
        *op = SPOOR_FLOW_BRANCH | untaken;
    return true;
}

/* ---- whether bytes are instructions, and of which length ----
 *
 * Records have neither a mark nor a count, so a trace that lost bytes, or whose records are longer
 * than ChampSim's, decodes to nonsense from there on.  The signs are flags that are neither 0 nor
 * 1, impossible addresses, and instructions that never follow one another. */

enum { LONGEST_INSN = 15 };

static bool champsim_is_canonical(uint64_t address)
{
    const uint64_t high = address >> 47;
    return high == 0 || high == UINT64_MAX >> 47;
}

bool champsim_flags_possible(const struct champsim *insn)
{
    return insn->is_branch <= 1 && insn->taken <= insn->is_branch;
}

bool champsim_is_plausible(const struct champsim *insn)
{
    bool good = insn->pc != 0 && champsim_is_canonical(insn->pc) && champsim_flags_possible(insn);
    for (size_t i = 0; i < CHAMPSIM_WRITES; i++) good &= champsim_is_canonical(insn->stores[i]);
    for (size_t i = 0; i < CHAMPSIM_READS; i++) good &= champsim_is_canonical(insn->loads[i]);
    return good;
}

/* Most of CHAMPSIM_RUN records are implausible, or none follows its predecessor.  Interrupts and
 * thread switches are too rare for that. */
bool champsim_alignment_lost(const struct champsim_shape *shape, const char *at, size_t count)
{
    size_t wrong = 0, joined = 0;
    if (count < CHAMPSIM_RUN) return false;
    struct champsim insn = champsim_unpack(shape, at);
    for (size_t i = 1; i <= CHAMPSIM_RUN; i++) {
        wrong += !champsim_is_plausible(&insn);
        if (i == CHAMPSIM_RUN) break;
        const struct champsim next = champsim_unpack(shape, at + i * shape->size);
        /* the next in memory, the same again, or anything after a taken branch */
        uint8_t op;
        joined += champsim_is_plausible(&insn) &&
                  ((champsim_branch(&insn, &op) && !(op & SPOOR_FLOW_NOT_TAKEN)) ||
                   next.pc - insn.pc <= LONGEST_INSN);
        insn = next;
    }
    return 2 * wrong > CHAMPSIM_RUN || joined == 0;
}

/* ---- records of other lengths ---- */

static uint64_t champsim_pc_at(const struct spoor_head *head, size_t offset)
{
    uint64_t pc;
    memcpy(&pc, head->bytes + offset, sizeof pc);
    return pc;
}

unsigned champsim_length(const struct spoor_head *head)
{
    enum { LONGEST = 512, STEP = 8, SURE = 50, RECORDS_FEWEST = 16 };
    unsigned best = 0, length = 0;
    for (unsigned i = CHAMPSIM_RECORD; i <= LONGEST; i += STEP) {
        /* the percentage of records whose successor has the address of the next instruction, or the
         * same; 0 if an address is impossible */
        const size_t count = head->size / i;
        size_t next = 0;
        bool possible = count >= RECORDS_FEWEST;
        for (size_t k = 0; possible && k + 1 < count; k++) {
            const uint64_t pc = champsim_pc_at(head, k * i);
            possible = pc > UINT16_MAX && champsim_is_canonical(pc);
            next += champsim_pc_at(head, (k + 1) * i) - pc <= LONGEST_INSN;
        }
        const unsigned share = possible ? (unsigned)(100 * next / (count - 1)) : 0;
        if (share <= best) continue;
        best = share;
        length = i;
    }
    return best >= SURE ? length : 0;
}
