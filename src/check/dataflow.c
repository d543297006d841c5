/* SPDX-License-Identifier: MIT */
/*
 * dataflow.c: rules about values.  The opcode states which register an instruction writes.  With
 * the values that the trace stated before, it also implies the result and the address of an access.
 */
#include <inttypes.h>
#include <string.h>

#include "base/scan.h"
#include "check/rule.h"
#include "check/trust.h"
#include "isa/operands.h"
#include "isa/riscv_result.h"

enum { INTEGERS = 32 };

enum { KNOWN_NAMES = 256 };
struct known_name {
    spoor_name name;
    uint8_t isa;
    int8_t number; /* -1: not an integer register */
};

/* The integer registers of one processor, and its current instruction. */
struct machine_state {
    enum isa isa;
    uint64_t asked; /* 1 + the first record of the batch that was asked for it last */
    spoor_name cpu;
    uint64_t value[INTEGERS];
    uint32_t known; /* bit i: value[i] is known */
    unsigned bits;  /* width of a register; 0: unknown */
    uint64_t opcode, pc, address, result;
    uint8_t size, iset;
    uint8_t to; /* register of the result */
    bool has_opcode, has_address, has_result;
    bool repeats;    /* it is the one before it, printed again */
    unsigned access; /* bytes of the access */
    struct trust trust;
    struct known_name names[KNOWN_NAMES];
};

/* Returns the number of an integer register; -1 for another register. */
static int dataflow_integer(const struct context *context)
{
    struct machine_state *state = context->state;
    const spoor_name name = context->record->reg.name;
    struct known_name *known = &state->names[name % KNOWN_NAMES];
    if (known->name != name || known->isa != state->isa || !name) {
        struct register_name canonical;
        size_t size;
        const char *text = spoor_names_text(context->batch->stream->names, name, &size);
        register_canonical(text, size, state->isa, &canonical);
        const char letter = state->isa == ISA_AARCH32 ? 'r' : 'x';
        uint64_t number;
        const bool integer = canonical.text[0] == letter &&
                             scan_all_decimal(canonical.text + 1, &number) && number < INTEGERS;
        *known = (struct known_name){name, (uint8_t)state->isa, integer ? (int8_t)number : -1};
    }
    return known->number;
}

static void dataflow_know(struct machine_state *state, int reg, const struct spoor_reg *value)
{
    const bool all = !value->unknown && !value->low && !value->high && value->bits <= 64;
    if (reg < 0 || reg >= INTEGERS) return;
    if (state->isa == ISA_RISCV && reg == 0) return;
    state->value[reg] = value->value[0];
    state->known &= ~(UINT32_C(1) << reg);
    if (all) state->known |= UINT32_C(1) << reg;
    if (value->bits == 32 || value->bits == 64) state->bits = value->bits;
}

static bool dataflow_get(const struct machine_state *state, unsigned reg, uint64_t *value)
{
    if (reg >= INTEGERS || !(state->known >> reg & 1)) return false;
    *value = state->value[reg];
    return true;
}

static uint64_t dataflow_narrow(const struct machine_state *state, uint64_t value)
{
    const bool narrow = state->isa == ISA_AARCH32 || (state->isa == ISA_RISCV && state->bits == 32);
    return narrow ? value & UINT32_MAX : value;
}

static void dataflow_begin_insn(struct context *context)
{
    struct machine_state *state = context->state;
    const struct spoor_record *record = context->record;
    if (state->isa == ISA_UNKNOWN && state->asked != context->batch->first + 1) {
        state->isa = isa_of(context->batch);
        state->asked = context->batch->first + 1;
    }
    if (record->cpu != state->cpu) state->known = 0;
    if (state->isa == ISA_RISCV) {
        state->value[0] = 0;
        state->known |= 1;
    }
    state->cpu = record->cpu;
    state->repeats = record->op == SPOOR_INSN_AGAIN && state->has_opcode;
    if (state->repeats) return;
    state->pc = record->insn.va;
    state->opcode = record->insn.opcode;
    state->size = record->insn.opcode_size;
    state->iset = record->insn.iset;
    state->has_opcode = (record->has & SPOOR_HAS_DATA) && record->op != SPOOR_INSN_SKIPPED;
    state->has_address = state->has_result = false;
}

/* ---- instructions and their effects ---- */

typedef void examine_record(struct context *context);
enum { NONE = BLOCK_RECORDS };

static void dataflow_go_to(struct context *context, size_t at)
{
    context->index = context->first + at;
    context->record = &context->batch->records[context->index];
}

/* Returns the instruction of the block before record `at`; NONE: there is none. */
static size_t dataflow_insn_before(const struct context *context, size_t at)
{
    const uint64_t *insns = context->of_kind[SPOOR_INSN];
    if (at == 0) return NONE;
    size_t word = (at - 1) / 64;
    uint64_t bits = insns[word] << (63 - (at - 1) % 64) >> (63 - (at - 1) % 64);
    while (bits == 0) {
        if (word == 0) return NONE;
        bits = insns[--word];
    }
    return word * 64 + 63 - (size_t)__builtin_clzll(bits);
}

/* Begins the instruction at `at`, and first the one that it repeats, which is after `begun`. */
static FORCE_INLINE void dataflow_begin_at(struct context *context, size_t at, size_t begun,
                                           examine_record *begin)
{
    const struct spoor_record *records = context->batch->records + context->first;
    size_t from = at;
    while (from != NONE && from != begun && records[from].op == SPOOR_INSN_AGAIN)
        from = dataflow_insn_before(context, from);
    if (from != NONE && from != begun && from != at) {
        dataflow_go_to(context, from);
        begin(context);
    }
    dataflow_go_to(context, at);
    begin(context);
}

/* Calls `examine` for the registers and accesses of the block, and `begin` for their instructions
 * and for the last one.  The others have no effects, and change nothing of one processor.
 * `accesses`: nor need instructions of registers alone be begun. */
static FORCE_INLINE void dataflow_examine(struct context *context, bool accesses,
                                          examine_record *begin, examine_record *examine)
{
    const struct machine_state *state = context->state;
    size_t begun = NONE;
    if (!context->one_cpu || context->cpu != state->cpu) {
        for (size_t at = 0; at < BLOCK_RECORDS && !context->finished; at++) {
            if (!(context->examined[at / 64] >> at % 64 & 1)) continue;
            dataflow_go_to(context, at);
            if (context->record->kind == SPOOR_INSN)
                begin(context);
            else
                examine(context);
        }
        return;
    }
    for (size_t word = 0; word < BLOCK_WORDS; word++) {
        uint64_t effects = context->examined[word] & ~context->of_kind[SPOOR_INSN][word];
        for (; effects; effects &= effects - 1) {
            const size_t at = word * 64 + (size_t)__builtin_ctzll(effects);
            /* An instruction follows in the word, and no access is at `at` or between them. */
            const uint64_t after = UINT64_MAX << at % 64 << 1;
            const uint64_t insns = context->of_kind[SPOOR_INSN][word] & after;
            const uint64_t moves = context->of_kind[SPOOR_MEM][word];
            const bool skips = accesses && !(moves >> at % 64 & 1) && insns &&
                               !(moves & after & ((insns & -insns) - 1));
            const size_t insn = skips ? begun : dataflow_insn_before(context, at);
            if (insn != begun && insn != NONE) dataflow_begin_at(context, insn, begun, begin);
            begun = insn;
            dataflow_go_to(context, at);
            examine(context);
            if (context->finished) return;
        }
    }
    const size_t last = dataflow_insn_before(context, BLOCK_RECORDS);
    if (last != begun && last != NONE) dataflow_begin_at(context, last, begun, begin);
}

/* ---- addresses of accesses ---- */

/* The base register and the offset are those that the opcode names; not of T32. */
static void dataflow_begin_access(struct context *context)
{
    struct machine_state *state = context->state;
    dataflow_begin_insn(context);
    if (state->repeats) return;
    struct isa_access access;
    uint64_t base, index = 0;
    const enum isa isa = state->isa == ISA_RISCV ? ISA_RISCV
                         : state->size != 4      ? ISA_UNKNOWN
                         : state->iset == 'O'    ? ISA_AARCH64
                         : state->iset == 'A'    ? ISA_AARCH32
                                                 : ISA_UNKNOWN;
    if (!state->has_opcode || !isa_access_of(&access, isa, state->opcode)) return;
    if (!dataflow_get(state, (unsigned)access.base, &base)) return;
    if (access.index >= 0 && !dataflow_get(state, (unsigned)access.index, &index)) return;
    if (access.index_is_32)
        index = access.index_is_signed ? (uint64_t)(int64_t)(int32_t)index : (uint32_t)index;
    index <<= access.shift;
    state->address = dataflow_narrow(state, base + (uint64_t)access.offset +
                                                (access.subtracts ? -index : index));
    state->access = access.size;
    state->has_address = true;
}

static void dataflow_feed_address(struct context *context)
{
    struct machine_state *state = context->state;
    const struct spoor_record *record = context->record;
    if (record->kind == SPOOR_REG && record->op == SPOOR_REG_WRITE)
        dataflow_know(state, dataflow_integer(context), &record->reg);
    if (record->kind != SPOOR_MEM || !state->has_address) return;
    state->has_address = false;
    const uint64_t from = dataflow_narrow(state, record->mem.va) - state->address;
    if (!trust_evaluate(&state->trust, from < state->access)) return;
    context_found(context, "an access to %" PRIx64, record->mem.va);
    context_expected(context, "%" PRIx64 ", by opcode %" PRIx64 " and the register that it names",
                     state->address, state->opcode);
}

static void dataflow_feed_address_block(struct context *context)
{
    dataflow_examine(context, true, dataflow_begin_access, dataflow_feed_address);
}

/* Of registers, those with a value; of accesses, those with an address. */
static bool dataflow_examines_address(uint8_t kind, uint16_t has)
{
    return kind == SPOOR_REG ? has & SPOOR_HAS_DATA : kind != SPOOR_MEM || has & SPOOR_HAS_VA;
}
const struct rule rule_mem_address = {
    .info = {"mem-address",
             "the address of an access is base register plus offset of the opcode (not T32)",
             "the instruction set's manual; only if the trace's values agree elsewhere",
             SPOOR_SEVERITY_ERROR, true},
    .kinds = KIND(INSN) | KIND(REG) | KIND(MEM),
    .examines = dataflow_examines_address,
    .feed = dataflow_feed_address_block,
    .state_size = sizeof(struct machine_state),
};

/* ---- results ---- */

static uint64_t dataflow_field(uint64_t bits, unsigned low, unsigned count)
{
    return bits >> low & ((UINT64_C(1) << count) - 1);
}

enum { KNOWN_OPCODES = 256 };
struct known_opcode {
    uint64_t opcode;
    uint32_t writes;    /* bit i: integer register i */
    uint8_t size, iset; /* size 0: the entry is empty */
};

/* The rule about destinations has a cache of opcodes. */
struct destination_state {
    struct machine_state machine;
    struct known_opcode opcodes[KNOWN_OPCODES];
};

/* True if the instruction may write the integer register, or its registers are unknown. */
static bool dataflow_arm_writes(struct machine_state *state, unsigned reg)
{
    enum { PC = 15 };
    struct destination_state *destination = (struct destination_state *)state;
    struct known_opcode *known =
        &destination->opcodes[state->opcode * UINT64_C(0x9e3779b97f4a7c15) >> 56];
    if (known->opcode != state->opcode || known->size != state->size ||
        known->iset != state->iset) {
        struct isa_operands operands;
        const bool knows = isa_operands_of(&operands, isa_of_instruction(state->isa, state->iset),
                                           state->iset == 'T', state->opcode, state->size) &&
                           operands.write_count;
        uint32_t writes = knows ? 0 : UINT32_MAX;
        for (unsigned i = 0; knows && i < operands.write_count; i++)
            if (operands.writes[i] < INTEGERS) writes |= UINT32_C(1) << operands.writes[i];
        /* of the M profile, it may return from an exception, which restores more */
        if (state->iset == 'T' && writes >> PC & 1) writes = UINT32_MAX;
        *known = (struct known_opcode){
            .opcode = state->opcode, .writes = writes, .size = state->size, .iset = state->iset};
    }
    return known->writes >> reg & 1;
}
_Static_assert(KNOWN_OPCODES == 256, "the top eight bits of a product");

static bool dataflow_riscv_writes(struct machine_state *state, unsigned reg)
{
    enum { RA = 1, SP = 2, ECALL = 0x73, PUSH_POP = 0xA002, PUSH_POP_MASK = 0xE003 };
    const uint64_t op = state->opcode;
    if (op == ECALL) return true; /* an emulated system call writes its result */
    if (state->size == 4) return dataflow_field(op, 7, 5) == reg;
    if ((op & PUSH_POP_MASK) == PUSH_POP) return true;
    return dataflow_field(op, 7, 5) == reg || 8 + dataflow_field(op, 2, 3) == reg ||
           8 + dataflow_field(op, 7, 3) == reg || reg == RA || reg == SP;
}

static void dataflow_begin_value(struct context *context)
{
    struct machine_state *state = context->state;
    dataflow_begin_insn(context);
    context->finished = state->isa != ISA_UNKNOWN && state->isa != ISA_RISCV;
    if (state->repeats || state->isa != ISA_RISCV || !state->has_opcode) return;
    struct riscv_sources sources = {.pc = state->pc, .size = state->size, .bits = state->bits};
    uint32_t opcode = (uint32_t)state->opcode;
    if (state->size != 4 &&
        (state->size != 2 || !riscv_expand((uint16_t)opcode, state->bits, &opcode)))
        return;
    sources.has_first =
        dataflow_get(state, (unsigned)dataflow_field(opcode, 15, 5), &sources.first);
    sources.has_second =
        dataflow_get(state, (unsigned)dataflow_field(opcode, 20, 5), &sources.second);
    state->to = (uint8_t)dataflow_field(opcode, 7, 5);
    state->has_result = state->to && riscv_result(opcode, &sources, &state->result);
}

static void dataflow_feed_value(struct context *context)
{
    struct machine_state *state = context->state;
    const struct spoor_record *record = context->record;
    const struct spoor_reg *reg = &record->reg;
    if (context->finished || record->op != SPOOR_REG_WRITE || !(record->has & SPOOR_HAS_DATA) ||
        record->cpu != state->cpu)
        return;
    const int number = dataflow_integer(context);
    if (number >= 0 && state->has_result && number == state->to) {
        const uint64_t result = reg->bits == 32 ? state->result & UINT32_MAX : state->result;
        if (trust_evaluate(&state->trust, reg->value[0] == result)) {
            context_found(context, "%s = %" PRIx64, context_name(context, reg->name),
                          reg->value[0]);
            context_expected(context, "%" PRIx64 ", by opcode %" PRIx64 " and what it reads",
                             result, state->opcode);
        }
        state->has_result = false;
    }
    dataflow_know(state, number, reg);
}

static void dataflow_feed_value_block(struct context *context)
{
    dataflow_examine(context, false, dataflow_begin_value, dataflow_feed_value);
}
const struct rule rule_reg_value = {
    .info =
        {"reg-value",
         "an instruction writes the result of its operands (RISC-V: the base integer set, M and C)",
         "The RISC-V Instruction Set Manual, Volume I; only if the trace's values agree elsewhere",
         SPOOR_SEVERITY_ERROR, true},
    .kinds = KIND(INSN) | KIND(REG),
    .feed = dataflow_feed_value_block,
    .state_size = sizeof(struct machine_state),
};

static void dataflow_feed_destination(struct context *context)
{
    enum { LINK = 14 };
    struct machine_state *state = context->state;
    const struct spoor_record *record = context->record;
    if (record->op != SPOOR_REG_WRITE || !state->has_opcode || !state->size ||
        record->cpu != state->cpu)
        return;
    const bool riscv = state->isa == ISA_RISCV;
    const int number = dataflow_integer(context);
    if (number < riscv) return;
    /* the entry of an exception of the M profile, after the instruction: EXC_RETURN */
    if (state->iset == 'T' && number == LINK && record->reg.value[0] >= 0xFFFFFF80) return;
    if (!trust_evaluate(&state->trust, (riscv ? dataflow_riscv_writes
                                              : dataflow_arm_writes)(state, (unsigned)number)))
        return;
    context_found(context, "%s", context_name(context, record->reg.name));
    context_expected(context, "the register that opcode %" PRIx64 " writes", state->opcode);
}

static void dataflow_feed_destination_block(struct context *context)
{
    dataflow_examine(context, false, dataflow_begin_insn, dataflow_feed_destination);
}
const struct rule rule_reg_destination = {
    .info = {"reg-destination", "an instruction writes a register that its opcode names",
             "the instruction set's manual; only if the trace agrees elsewhere",
             SPOOR_SEVERITY_ERROR, true},
    .kinds = KIND(INSN) | KIND(REG),
    .feed = dataflow_feed_destination_block,
    .state_size = sizeof(struct destination_state),
};

/* ---- names of registers ---- */

/* Names such as XREG[10] are those of MicroTESK, and have no other spelling. */
static void dataflow_feed_case(struct context *context)
{
    struct name_cache *lower = context->state;
    if (name_is_cached(lower, context->record->reg.name)) return;
    const char *name = context_name(context, context->record->reg.name);
    const char *at = name;
    while (*at && !(*at >= 'A' && *at <= 'Z')) at++;
    if (!*at || strchr(name, '[') || !context_is_of_matcher(context)) {
        name_put(lower, context->record->reg.name);
        return;
    }
    context_found(context, "register %s", name);
    context_expected(context, "a name in lower case");
}
EXAMINE_BLOCK(dataflow_feed_case)
const struct rule rule_reg_case = {
    .info = {"reg-case", "Trace Matcher's names of registers are in lower case",
             "trace-matcher: Register write record", SPOOR_SEVERITY_WARNING, true},
    .kinds = KIND(REG),
    .feed = dataflow_feed_case_block,
    .state_size = sizeof(struct name_cache),
};

static void dataflow_feed_exists(struct context *context)
{
    enum { LAST = 31 };
    struct name_cache *existing = context->state;
    if (name_is_cached(existing, context->record->reg.name)) return;
    const char *name = context_name(context, context->record->reg.name);
    uint64_t number;
    if (!*name || !strchr("xXwWvVqQzZfF", *name) || !scan_all_decimal(name + 1, &number) ||
        number <= LAST) {
        name_put(existing, context->record->reg.name);
        return;
    }
    context_found(context, "register %s", name);
    context_expected(context, "a number of at most %d", LAST);
}
EXAMINE_BLOCK(dataflow_feed_exists)
const struct rule rule_reg_exists = {
    .info = {"reg-exists", "registers x, w, v, q, z and f are numbered to 31",
             "Arm Architecture Reference Manual; The RISC-V Instruction Set Manual, Volume I",
             SPOOR_SEVERITY_ERROR, true},
    .kinds = KIND(REG),
    .feed = dataflow_feed_exists_block,
    .state_size = sizeof(struct name_cache),
};
