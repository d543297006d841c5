/* SPDX-License-Identifier: MIT */
/* record/crack_integer.c: moves, the stack, strings, jumps, and instructions that need more than
 * load, operate, store. */
#include <stdio.h>
#include <string.h>

#include "record/crack.h"

/* ---- moves ---- */

static void crack_move(struct builder *builder)
{
    strcpy(builder->out->macro, "MOV");
    const int16_t dest = crack_register(builder, 0);
    if (is_memory(builder, 0)) {
        const struct place place = crack_store_place(builder, 0, TEMP);
        crack_store(builder, &place, crack_register(builder, 1));
    } else if (is_memory(builder, 1)) {
        crack_load_operand(builder, 1, dest);
    } else if (is_immediate(builder, 1)) {
        crack_add_immediate(builder, "ADD_IMM", NO_REGISTER, dest, x86_operand(builder, 1)->imm);
    } else {
        crack_add(builder, "ADD", crack_register(builder, 1), NO_REGISTER, dest);
    }
}

static const char *crack_size_name(uint8_t size)
{
    return size == 1 ? "BYTE" : size == 2 ? "WORD" : size == 4 ? "DWORD" : "QWORD";
}

static void crack_extend_register(struct builder *builder, const char *how, int16_t source,
                                  int16_t dest, uint8_t from, uint8_t to)
{
    char micro[MICRO_SIZE];
    snprintf(micro, sizeof micro, "%s_%s_TO_%s", how, crack_size_name(from), crack_size_name(to));
    crack_add(builder, micro, source, NO_REGISTER, dest);
}

static void crack_extend(struct builder *builder)
{
    const bool zero = builder->name[3] == 'z';
    strcpy(builder->out->macro, zero ? "MOVZX" : "MOVSX");
    const int16_t source = crack_source(builder, 1, TEMP);
    crack_extend_register(builder, zero ? "ZEXT" : "SEXT", source, crack_register(builder, 0),
                          x86_operand(builder, 1)->size, x86_operand(builder, 0)->size);
}

/* CBW, CWDE, CDQE: within RAX.  CWD, CDQ, CQO: its sign into RDX. */
static void crack_extend_rax(struct builder *builder)
{
    const char *name = builder->name;
    if (name[3] == '\0' && name[1] != 'b') {
        const int64_t bits = name[1] == 'q' ? 64 : name[1] == 'd' ? 32 : 16;
        crack_add_immediate(builder, "SAR_IMM", RAX, RDX, bits - 1);
        return;
    }
    const uint8_t from = name[1] == 'd' ? 4 : name[1] == 'w' ? 2 : 1;
    crack_extend_register(builder, "SEXT", RAX, RAX, from, (uint8_t)(2 * from));
}

/* LEA and PREFETCH: an address without an access. */
static void crack_address(struct builder *builder)
{
    const bool loads = builder->name[0] == 'l';
    const int16_t dest = loads ? crack_register(builder, 0) : NO_REGISTER;
    const cs_x86_op *op = x86_operand(builder, loads ? 1 : 0);
    if (loads && (op->mem.base == X86_REG_RIP || op->mem.base == X86_REG_EIP)) {
        crack_add_immediate(builder, "SAVE_PC", NO_REGISTER, dest, op->mem.disp);
        return;
    }
    crack_add(builder, loads ? "LEA" : "PREFETCH", crack_number_of(op->mem.index),
              crack_number_of(op->mem.base), dest)
        ->immediate = op->mem.disp;
}

static void crack_exchange(struct builder *builder)
{
    const size_t memory = is_memory(builder, 0) ? 0 : 1;
    const int16_t other = crack_register(builder, 1 - memory);
    if (!is_memory(builder, memory)) {
        const int16_t first = crack_register(builder, 0);
        if (first == other && builder->insn->bytes[builder->insn->size - 1] == 0x90) {
            crack_add(builder, "NOP", NO_REGISTER, NO_REGISTER, NO_REGISTER);
            return;
        }
        crack_add(builder, "ADD", first, NO_REGISTER, TEMP);
        crack_add(builder, "ADD", crack_register(builder, 1), NO_REGISTER, first);
        crack_add(builder, "ADD", TEMP, NO_REGISTER, crack_register(builder, 1));
        return;
    }
    const struct place place = crack_store_place(builder, memory, TEMP);
    crack_load(builder, &place, TEMP_LOAD);
    crack_store(builder, &place, other);
    crack_add(builder, "ADD", TEMP_LOAD, NO_REGISTER, other);
}

/* ---- the stack ---- */

/* The word that a push stores and a pop loads. */
static struct place crack_top(const struct builder *builder, bool is_push)
{
    const uint16_t size = builder->x86->prefix[2] == X86_PREFIX_OPSIZE ? 2 : 8;
    return (struct place){
        .index = NO_REGISTER, .base = RSP, .displacement = is_push ? -size : 0, .size = size};
}

static void crack_push_word(struct builder *builder)
{
    const struct place top = crack_top(builder, true);
    int16_t data = NO_REGISTER;
    if (crack_name_begins(builder, "pushf")) {
        crack_add(builder, "READ_FLAGS", NO_REGISTER, NO_REGISTER, TEMP)->op =
            SPOOR_UOP_READS_FLAGS;
        data = TEMP;
    } else if (x86_operands(builder)) {
        data = crack_source(builder, 0, TEMP);
    }
    crack_store(builder, &top, data);
    crack_add_immediate(builder, "SUB_IMM", RSP, RSP, top.size);
}

static void crack_pop(struct builder *builder)
{
    const struct place top = crack_top(builder, false);
    const bool to_memory = is_memory(builder, 0);
    const bool to_flags = crack_name_begins(builder, "popf");
    const int16_t dest = to_flags ? TEMP : to_memory ? TEMP_LOAD : crack_register(builder, 0);
    crack_load(builder, &top, dest);
    if (dest == RSP) return;
    crack_add_immediate(builder, "ADD_IMM", RSP, RSP, top.size);
    if (to_flags)
        crack_add(builder, "WRITE_FLAGS", TEMP, NO_REGISTER, NO_REGISTER)->op =
            SPOOR_UOP_WRITES_FLAGS;
    if (to_flags || !to_memory) return;
    const struct place place = crack_store_place(builder, 0, TEMP);
    crack_store(builder, &place, TEMP_LOAD);
}

static void crack_leave(struct builder *builder)
{
    const struct place top = {.index = NO_REGISTER, .base = RSP, .size = 8};
    crack_add(builder, "ADD", RBP, NO_REGISTER, RSP);
    crack_load(builder, &top, RBP);
    crack_add_immediate(builder, "ADD_IMM", RSP, RSP, top.size);
}

/* ---- arithmetic ---- */

/* An operation of a register with itself has no source; the traces show it as 0 + 0 without
 * flags. */
static void crack_exclusive_or(struct builder *builder)
{
    const int16_t dest = crack_register(builder, 0);
    if (dest != NO_REGISTER && dest == crack_register(builder, 1) &&
        x86_operand(builder, 0)->reg == x86_operand(builder, 1)->reg)
        crack_add(builder, "ADD", NO_REGISTER, NO_REGISTER, dest);
    else
        crack_generic(builder);
}

/* The traces show INC and DEC without flags. */
static void crack_count_by_one(struct builder *builder)
{
    const char *micro = builder->name[0] == 'i' ? "ADD_IMM" : "SUB_IMM";
    if (!is_memory(builder, 0)) {
        crack_add_immediate(builder, micro, crack_register(builder, 0), crack_register(builder, 0),
                            1);
        return;
    }
    const struct place place = crack_store_place(builder, 0, TEMP);
    const int16_t result = place.base == TEMP ? TEMP_LOAD : TEMP;
    crack_load(builder, &place, TEMP_LOAD);
    crack_add_immediate(builder, micro, TEMP_LOAD, result, 1);
    crack_store(builder, &place, result);
}

/* One operand: RDX:RAX = RAX x operand. */
static void crack_multiply(struct builder *builder)
{
    if (x86_operands(builder) != 1) {
        crack_generic(builder);
        return;
    }
    const bool is_signed = builder->name[0] == 'i';
    const char *low = is_signed ? "IMUL" : "MUL", *high = is_signed ? "IMUL_HIGH" : "MUL_HIGH";
    const int16_t source = crack_source(builder, 0, TEMP_LOAD);
    const bool byte = x86_operand(builder, 0)->size == 1;
    struct micro_op *product = crack_add(builder, low, RAX, source, byte ? RAX : TEMP);
    product->op = SPOOR_UOP_WRITES_FLAGS;
    if (byte) return;
    crack_add(builder, high, RAX, source, RDX);
    crack_add(builder, "ADD", TEMP, NO_REGISTER, RAX);
}

/* Concatenate RDX:RAX, then compute its remainder and its quotient. */
static void crack_divide(struct builder *builder)
{
    const bool is_signed = builder->name[0] == 'i';
    const char *quotient = is_signed ? "IDIV" : "DIV";
    const char *remainder = is_signed ? "IDIV_REMAINDER" : "DIV_REMAINDER";
    const int16_t source = crack_source(builder, 0, TEMP_LOAD);
    if (x86_operand(builder, 0)->size == 1) {
        crack_add(builder, quotient, RAX, source, RAX);
        return;
    }
    crack_add(builder, "CONCATENATE", RDX, RAX, TEMP);
    crack_add(builder, remainder, TEMP, source, RDX);
    crack_add(builder, quotient, TEMP, source, RAX);
}

/* ---- conditions ---- */

static void crack_set_byte(struct builder *builder)
{
    strcpy(builder->out->macro, "SET");
    const bool stores = is_memory(builder, 0);
    const int16_t dest = stores ? TEMP : crack_register(builder, 0);
    crack_add(builder, "ADD", NO_REGISTER, NO_REGISTER, dest);
    crack_add_immediate(builder, "ADD_IMM", NO_REGISTER, dest, 1)->op = SPOOR_UOP_READS_FLAGS;
    if (!stores) return;
    const struct place place = crack_store_place(builder, 0, TEMP_LOAD);
    crack_store(builder, &place, TEMP);
}

static void crack_conditional_move(struct builder *builder)
{
    strcpy(builder->out->macro, "CMOV");
    const int16_t dest = crack_register(builder, 0);
    const int16_t source = crack_source(builder, 1, TEMP_LOAD);
    crack_add(builder, "CMOV", dest, source, dest)->op = SPOOR_UOP_READS_FLAGS;
}

/* ---- locked ---- */

static void crack_exchange_and_add(struct builder *builder)
{
    const int16_t other = crack_register(builder, 1), dest = crack_register(builder, 0);
    if (!is_memory(builder, 0)) {
        crack_add(builder, "ADD", dest, other, TEMP)->op = SPOOR_UOP_WRITES_FLAGS;
        crack_add(builder, "ADD", dest, NO_REGISTER, other);
        crack_add(builder, "ADD", TEMP, NO_REGISTER, dest);
        return;
    }
    const struct place place = crack_store_place(builder, 0, TEMP);
    const int16_t sum = place.base == TEMP ? TEMP_CHAIN : TEMP;
    crack_load(builder, &place, TEMP_LOAD);
    crack_add(builder, "ADD", TEMP_LOAD, other, sum)->op = SPOOR_UOP_WRITES_FLAGS;
    crack_store(builder, &place, sum);
    crack_add(builder, "ADD", TEMP_LOAD, NO_REGISTER, other);
}

/* The comparison, then both outcomes as conditional moves; memory is always written. */
static void crack_compare_and_exchange(struct builder *builder)
{
    const int16_t other = crack_register(builder, 1), dest = crack_register(builder, 0);
    struct place place = {0};
    int16_t found = dest;
    if (is_memory(builder, 0)) {
        place = crack_store_place(builder, 0, TEMP);
        found = TEMP_LOAD;
        crack_load(builder, &place, found);
    }
    const int16_t compared = is_memory(builder, 0) && place.base == TEMP ? TEMP_CHAIN : TEMP;
    crack_add(builder, "SUB", RAX, found, compared)->op = SPOOR_UOP_WRITES_FLAGS;
    const int16_t result = is_memory(builder, 0) ? compared : dest;
    crack_add(builder, "CMOV", found, other, result)->op = SPOOR_UOP_READS_FLAGS;
    if (is_memory(builder, 0)) crack_store(builder, &place, result);
    crack_add(builder, "CMOV", RAX, found, RAX)->op = SPOOR_UOP_READS_FLAGS;
}

/* CMPXCHG8B, CMPXCHG16B: the same with RDX:RAX and RCX:RBX. */
static void crack_compare_and_exchange_pair(struct builder *builder)
{
    const struct place place = crack_store_place(builder, 0, TEMP);
    crack_load(builder, &place, TEMP_LOAD);
    crack_add(builder, "CONCATENATE", RDX, RAX, TEMP_CHAIN);
    crack_add(builder, "SUB", TEMP_CHAIN, TEMP_LOAD, TEMP_CHAIN)->op = SPOOR_UOP_WRITES_FLAGS;
    crack_add(builder, "CONCATENATE", RCX, RBX, TEMP_CHAIN);
    crack_add(builder, "CMOV", TEMP_LOAD, TEMP_CHAIN, TEMP_CHAIN)->op = SPOOR_UOP_READS_FLAGS;
    crack_store(builder, &place, TEMP_CHAIN);
    crack_add(builder, "CMOV", RAX, TEMP_LOAD, RAX)->op = SPOOR_UOP_READS_FLAGS;
    crack_add(builder, "CMOV", RDX, TEMP_LOAD, RDX)->op = SPOOR_UOP_READS_FLAGS;
}

/* ---- no operation ---- */

static void crack_no_operation(struct builder *builder)
{
    if (builder->insn->bytes[builder->insn->size - 1] == 0x90 && builder->insn->size <= 2 &&
        builder->insn->bytes[0] != 0xF3) /* F3 90 is PAUSE */
        strcpy(builder->out->macro, "XCHG");
    crack_add(builder, "NOP", NO_REGISTER, NO_REGISTER, NO_REGISTER);
}

/* ---- strings: each repetition is executed, and recorded, as a separate instruction ---- */

static void crack_string(struct builder *builder)
{
    if (crack_on_vectors(builder)) { /* CMPSD of SSE2 */
        crack_generic(builder);
        return;
    }
    static const char sizes[] = "bwdq"; /* 1, 2, 4, 8 bytes */
    const char *name = builder->name;
    const uint16_t size = (uint16_t)(1 << (strchr(sizes, name[4]) - sizes));
    const struct place from = {.index = NO_REGISTER, .base = RSI, .size = size};
    const struct place to = {.index = NO_REGISTER, .base = RDI, .size = size};
    const bool loads = name[0] != 's';                      /* MOVS, LODS, CMPS */
    const bool compares = name[0] == 'c' || name[1] == 'c'; /* CMPS, SCAS */
    const bool stores = name[0] == 'm' || name[1] == 't';   /* MOVS, STOS */
    const int16_t value = loads && name[0] != 'l' ? TEMP : RAX;
    if (loads) crack_load(builder, &from, value);
    if (compares) {
        crack_load(builder, &to, TEMP_LOAD);
        crack_add(builder, "SUB", value, TEMP_LOAD, TEMP)->op = SPOOR_UOP_WRITES_FLAGS;
    }
    if (stores) crack_store(builder, &to, value);
    if (loads) crack_add_immediate(builder, "ADD_IMM", RSI, RSI, size);
    if (compares || stores) crack_add_immediate(builder, "ADD_IMM", RDI, RDI, size);
    const uint8_t prefix = builder->x86->prefix[0];
    if (prefix != X86_PREFIX_REP && prefix != X86_PREFIX_REPNE) return;
    crack_add_immediate(builder, "SUB_IMM", RCX, RCX, 1);
    builder->out->skips = true;
}

/* ---- jumps, calls, returns and system calls ---- */

enum { WORD = 8 /* bytes that a call pushes */ };

/* A direct jump; the immediate is the distance from the instruction's end. */
static struct micro_op *crack_jump_direct(struct builder *builder, enum branch branch)
{
    const uint64_t target = (uint64_t)x86_operand(builder, 0)->imm;
    builder->out->branch = branch;
    builder->out->target = target;
    return crack_add_immediate(builder, "JMP_IMM", NO_REGISTER, NO_REGISTER,
                               (int64_t)(target - builder->insn->address - builder->insn->size));
}

static void crack_jump_indirect(struct builder *builder, int16_t target)
{
    builder->out->branch = BRANCH_INDIRECT;
    crack_add(builder, "JMP_REG", target, NO_REGISTER, NO_REGISTER);
}

/* Those on flags; JRCXZ and LOOP test a register. */
static void crack_conditional_jump(struct builder *builder)
{
    const bool loops = builder->name[0] == 'l';
    const bool counts = loops || strstr(builder->name, "cxz");
    if (!counts) strcpy(builder->out->macro, "J");
    if (loops) crack_add_immediate(builder, "SUB_IMM", RCX, RCX, 1);
    struct micro_op *jump = crack_jump_direct(builder, BRANCH_CONDITIONAL);
    if (counts) jump->src1 = RCX;
    if (!counts || (loops && builder->name[4])) /* LOOPE, LOOPNE */
        jump->op = SPOOR_UOP_READS_FLAGS;
}

/* JMP and CALL. */
static void crack_jump(struct builder *builder)
{
    const bool calls = builder->name[0] == 'c', direct = is_immediate(builder, 0);
    const int16_t temporary = calls ? TEMP_LOAD : TEMP;
    const int16_t target = direct ? NO_REGISTER : crack_source(builder, 0, temporary);
    const struct place top = {.index = NO_REGISTER, .base = RSP, .size = WORD};
    if (calls) {
        crack_add(builder, "SAVE_PC", NO_REGISTER, NO_REGISTER, TEMP);
        crack_add_immediate(builder, "SUB_IMM", RSP, RSP, WORD);
        crack_store(builder, &top, TEMP);
    } else {
        strcpy(builder->out->macro, "JMP");
    }
    if (direct)
        crack_jump_direct(builder, BRANCH_DIRECT);
    else
        crack_jump_indirect(builder, target);
}

static void crack_return(struct builder *builder)
{
    const struct place top = {.index = NO_REGISTER, .base = RSP, .size = WORD};
    const int64_t more = is_immediate(builder, 0) ? x86_operand(builder, 0)->imm : 0;
    crack_load(builder, &top, TEMP);
    crack_add_immediate(builder, "ADD_IMM", RSP, RSP, WORD + more);
    crack_jump_indirect(builder, TEMP);
}

/* Only the registers that the instruction itself writes: the kernel's work is not recorded. */
static void crack_system_call(struct builder *builder)
{
    crack_add(builder, "SAVE_PC", NO_REGISTER, NO_REGISTER, RCX);
    crack_add(builder, "READ_FLAGS", NO_REGISTER, NO_REGISTER, R11)->op = SPOOR_UOP_READS_FLAGS;
    crack_add(builder, "SYSCALL", RAX, NO_REGISTER, RAX);
}

cracking *crack_integer_family(const struct builder *builder)
{
    static const struct family families[] = {
        {"mov", crack_move},
        {"movabs", crack_move},
        {"movzx", crack_extend},
        {"movsx", crack_extend},
        {"movsxd", crack_extend},
        {"cbw", crack_extend_rax},
        {"cwde", crack_extend_rax},
        {"cdqe", crack_extend_rax},
        {"cwd", crack_extend_rax},
        {"cdq", crack_extend_rax},
        {"cqo", crack_extend_rax},
        {"lea", crack_address},
        {"xchg", crack_exchange},
        {"push", crack_push_word},
        {"pop", crack_pop},
        {"pushf*", crack_push_word},
        {"popf*", crack_pop},
        {"leave", crack_leave},
        {"xor", crack_exclusive_or},
        {"inc", crack_count_by_one},
        {"dec", crack_count_by_one},
        {"mul", crack_multiply},
        {"imul", crack_multiply},
        {"div", crack_divide},
        {"idiv", crack_divide},
        {"set*", crack_set_byte},
        {"cmov*", crack_conditional_move},
        {"xadd", crack_exchange_and_add},
        {"cmpxchg", crack_compare_and_exchange},
        {"cmpxchg8b", crack_compare_and_exchange_pair},
        {"cmpxchg16b", crack_compare_and_exchange_pair},
        {"nop", crack_no_operation},
        {"pause", crack_no_operation},
        {"endbr64", crack_no_operation},
        {"endbr32", crack_no_operation},
        {"lfence", crack_no_operation},
        {"mfence", crack_no_operation},
        {"sfence", crack_no_operation},
        {"prefetch*", crack_address},
        {"jmp", crack_jump},
        {"j*", crack_conditional_jump},
        {"loop*", crack_conditional_jump},
        {"call", crack_jump},
        {"ret", crack_return},
        {"syscall", crack_system_call},
        {"movsb", crack_string},
        {"movsw", crack_string},
        {"movsd", crack_string},
        {"movsq", crack_string},
        {"stosb", crack_string},
        {"stosw", crack_string},
        {"stosd", crack_string},
        {"stosq", crack_string},
        {"lodsb", crack_string},
        {"lodsw", crack_string},
        {"lodsd", crack_string},
        {"lodsq", crack_string},
        {"cmpsb", crack_string},
        {"cmpsw", crack_string},
        {"cmpsd", crack_string},
        {"cmpsq", crack_string},
        {"scasb", crack_string},
        {"scasw", crack_string},
        {"scasd", crack_string},
        {"scasq", crack_string},
    };
    return crack_find_family(builder, families, sizeof families / sizeof *families);
}
