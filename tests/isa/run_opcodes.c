/* SPDX-License-Identifier: MIT */
/*
 * run_opcodes.c: what instructions read and write, found by executing them.
 *
 * A program without a C library for AArch64, Arm and RISC-V, run by qemu-user.  It gets requests on
 * its standard input and writes an answer for each.  An opcode is put between instructions that
 * trap.  The handler of the trap takes the registers from the signal's context, and puts those of
 * the next execution there.  A register is written if it changes.  It is read if another value of
 * it changes anything else, or what is written of it: it is used if that is more than bits that
 * both executions keep.  So nothing here knows any instruction.
 */
#include "run_opcodes.h"

#include <stdbool.h>
#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
    for (size_t i = 0; i < size; i++) ((volatile char *)to)[i] = ((const char *)from)[i];
    return to;
}

void *memset(void *to, int value, size_t size)
{
    for (size_t i = 0; i < size; i++) ((volatile char *)to)[i] = (char)value;
    return to;
}

struct registers {
    uint64_t value[REGISTERS][2];
    uint64_t pc, thumb;
};

/* ---- the machine ---- */

typedef unsigned long word;
struct context; /* the kernel's struct ucontext, by bytes */

enum {
    SIGILL = 4,
    SIGTRAP = 5,
    SIGBUS = 7,
    SIGSEGV = 11,
    SIGALRM = 14,
    SA_SIGINFO = 4,
    SA_ONSTACK = 0x08000000
};

#define AT(bytes, type, offset) (*(type *)((char *)(bytes) + (offset)))

/* A system call with its number and six arguments. */
#define CALL(instruction, number_register, r0, r1, r2, r3, r4, r5)                                 \
    static word call(word number, word a, word b, word c, word d, word e, word f)                  \
    {                                                                                              \
        register word n __asm__(number_register) = number, x0 __asm__(r0) = a, x1 __asm__(r1) = b, \
                        x2 __asm__(r2) = c, x3 __asm__(r3) = d, x4 __asm__(r4) = e,                \
                        x5 __asm__(r5) = f;                                                        \
        __asm__ volatile(instruction                                                               \
                         : "+r"(x0)                                                                \
                         : "r"(n), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)                     \
                         : "memory");                                                              \
        return x0;                                                                                 \
    }

#if !defined(__riscv)
/* Finds the part of a context that has this magic number. */
static char *context_part(char *at, uint32_t magic)
{
    while (AT(at, uint32_t, 0) != magic && AT(at, uint32_t, 4)) at += AT(at, uint32_t, 4);
    return at;
}
#endif

#if defined(__aarch64__)
enum {
    READ = 63,
    WRITE = 64,
    EXIT = 93,
    MMAP = 222,
    SIGACTION = 134,
    ALTSTACK = 132,
    SETITIMER = 103,
    X0 = 184,
    PC = 440,
    PSTATE = 448,
    PARTS = 464,
    CONTEXT_BYTES = PARTS + 4096,
    FPSIMD = 0x46508001,
    FLAGS_SHIFT = 28,
    FLAGS_BITS = 15
};
CALL("svc 0", "x8", "x0", "x1", "x2", "x3", "x4", "x5")
#define TRAP "brk 0"

static void get_registers(struct registers *registers, struct context *context)
{
    const char *vectors = context_part((char *)context + PARTS, FPSIMD) + 16;
    for (unsigned i = 0; i < 32; i++) registers->value[i][0] = AT(context, uint64_t, X0 + 8 * i);
    for (unsigned i = 0; i < 64; i++)
        registers->value[32 + i / 2][i % 2] = AT(vectors, uint64_t, 8 * i);
    registers->value[64][0] = AT(context, uint64_t, PSTATE) >> FLAGS_SHIFT & FLAGS_BITS;
    registers->pc = AT(context, uint64_t, PC);
}

static void put_registers(struct registers *registers, struct context *context)
{
    char *vectors = context_part((char *)context + PARTS, FPSIMD) + 16;
    for (unsigned i = 0; i < 32; i++) AT(context, uint64_t, X0 + 8 * i) = registers->value[i][0];
    for (unsigned i = 0; i < 64; i++)
        AT(vectors, uint64_t, 8 * i) = registers->value[32 + i / 2][i % 2];
    AT(vectors, uint64_t, -8) = 0; /* fpsr, fpcr */
    AT(context, uint64_t, PSTATE) = registers->value[64][0] << FLAGS_SHIFT;
    AT(context, uint64_t, PC) = registers->pc;
}

#elif defined(__arm__)
enum {
    READ = 3,
    WRITE = 4,
    EXIT = 1,
    MMAP = 192,
    SIGACTION = 174,
    ALTSTACK = 186,
    SETITIMER = 104,
    CACHEFLUSH = 0x0F0002,
    R0 = 32,
    PC = 92,
    CPSR = 96,
    PARTS = 232,
    CONTEXT_BYTES = PARTS + 512,
    VFP = 0x56465001,
    FLAGS_SHIFT = 28,
    FLAGS_BITS = 255, /* N, Z, C, V, and GE */
    GE_SHIFT = 16,
    USER = 16,
    THUMB = 1 << 5
};
CALL("svc 0", "r7", "r0", "r1", "r2", "r3", "r4", "r5")
#define TRAP ".inst 0xe7f001f0"

static void get_registers(struct registers *registers, struct context *context)
{
    const char *vectors = context_part((char *)context + PARTS, VFP) + 8;
    for (unsigned i = 0; i < 15; i++) registers->value[i][0] = AT(context, uint32_t, R0 + 4 * i);
    for (unsigned i = 0; i < 32; i++) registers->value[32 + i][0] = AT(vectors, uint64_t, 8 * i);
    const uint32_t cpsr = AT(context, uint32_t, CPSR);
    registers->value[64][0] = cpsr >> FLAGS_SHIFT | (cpsr >> GE_SHIFT & 15) << 4;
    registers->pc = AT(context, uint32_t, PC);
}

static void put_registers(struct registers *registers, struct context *context)
{
    const uint32_t flags = (uint32_t)registers->value[64][0];
    char *vectors = context_part((char *)context + PARTS, VFP) + 8;
    for (unsigned i = 0; i < 15; i++)
        AT(context, uint32_t, R0 + 4 * i) = (uint32_t)registers->value[i][0];
    for (unsigned i = 0; i < 32; i++) AT(vectors, uint64_t, 8 * i) = registers->value[32 + i][0];
    AT(vectors, uint32_t, 256) = 0; /* fpscr */
    AT(context, uint32_t, CPSR) =
        flags << FLAGS_SHIFT | flags >> 4 << GE_SHIFT | USER | (registers->thumb ? THUMB : 0);
    AT(context, uint32_t, PC) = (uint32_t)registers->pc;
}

#elif defined(__riscv)
enum {
    READ = 63,
    WRITE = 64,
    EXIT = 93,
    MMAP = 222,
    SIGACTION = 134,
    ALTSTACK = 132,
    SETITIMER = 103,
    PC = 176,
    FLOATS = PC + 256,
    FCSR = FLOATS + 256,
    CONTEXT_BYTES = FCSR + 8,
    VECTORS = 65,
    VL = 97,
    VTYPE,
    VSTART,
    VXSAT,
    VXRM,
    FFLAGS,
    FRM
};
CALL("ecall", "a7", "a0", "a1", "a2", "a3", "a4", "a5")
#define TRAP ".4byte 0x00100073"
/* Vectors are not in the context of a signal: in the handler they are what they were.  The
 * assembler may not know them. */
#define READ_CSR(number, value) __asm__ volatile("csrr %0, " #number : "=r"(value))
#define WRITE_CSR(number, value) __asm__ volatile("csrw " #number ", %0" ::"r"(value))
/* vl8re8.v or vs8r.v of v0, v8, v16, v24 */
#define MOVE_VECTORS(opcode, vectors)                                                   \
    do {                                                                                \
        register void *at __asm__("a0") = (vectors);                                    \
        __asm__ volatile(".4byte " #opcode "\n addi a0, a0, 128\n .4byte " #opcode      \
                         " | 8 << 7\n addi a0, a0, 128\n .4byte " #opcode               \
                         " | 16 << 7\n addi a0, a0, 128\n .4byte " #opcode " | 24 << 7" \
                         : "+r"(at)::"memory");                                         \
    } while (0)

static void get_length(struct registers *registers)
{
    READ_CSR(0xC20, registers->value[VL][0]);
    READ_CSR(0xC21, registers->value[VTYPE][0]);
}

static void get_registers(struct registers *registers, struct context *context)
{
    for (unsigned i = 1; i < 32; i++) registers->value[i][0] = AT(context, uint64_t, PC + 8 * i);
    for (unsigned i = 0; i < 32; i++)
        registers->value[32 + i][0] = AT(context, uint64_t, FLOATS + 8 * i);
    registers->value[FFLAGS][0] = AT(context, uint32_t, FCSR) & 31;
    registers->value[FRM][0] = AT(context, uint32_t, FCSR) >> 5 & 7;
    registers->pc = AT(context, uint64_t, PC);
    get_length(registers);
    READ_CSR(0x008, registers->value[VSTART][0]);
    READ_CSR(0x009, registers->value[VXSAT][0]);
    READ_CSR(0x00A, registers->value[VXRM][0]);
    WRITE_CSR(0x008, 0);
    MOVE_VECTORS(0xE2850027, registers->value[VECTORS]);
}

static void put_registers(struct registers *registers, struct context *context)
{
    for (unsigned i = 1; i < 32; i++) AT(context, uint64_t, PC + 8 * i) = registers->value[i][0];
    for (unsigned i = 0; i < 32; i++)
        AT(context, uint64_t, FLOATS + 8 * i) = registers->value[32 + i][0];
    AT(context, uint32_t, FCSR) =
        (uint32_t)(registers->value[FFLAGS][0] | registers->value[FRM][0] << 5);
    AT(context, uint64_t, PC) = registers->pc;
    WRITE_CSR(0x008, 0);
    MOVE_VECTORS(0xE2850007, registers->value[VECTORS]);
    register word length __asm__("a0") = registers->value[VL][0];
    register word type __asm__("a1") = registers->value[VTYPE][0];
    __asm__ volatile(".4byte 0x80B57057" ::"r"(length), "r"(type)); /* vsetvl zero, a0, a1 */
    get_length(registers); /* a length that the type allows */
    WRITE_CSR(0x009, registers->value[VXSAT][0]);
    WRITE_CSR(0x00A, registers->value[VXRM][0]);
    WRITE_CSR(0x008, registers->value[VSTART][0]);
}
#endif

static bool register_exists(unsigned number)
{
#if defined(__riscv)
    return number != 0 && number != 64 && number <= FRM;
#elif defined(__arm__)
    return number < 15 || (number >= 32 && number <= 64);
#else
    return number <= 64;
#endif
}

/* ---- executing once ---- */

enum {
    CODE = 0x30000000,
    DATA = 0x20000000,
    BYTES = 0x10000, /* of each of them */
    WORDS = BYTES / 8,
    MIDDLE = BYTES / 2,
    STACK_BYTES = 1 << 16
};
static char *const code = (char *)(CODE + MIDDLE);
static uint64_t *const data = (uint64_t *)DATA;
static uint64_t pristine[WORDS]; /* what is there before an execution */
static char stack[STACK_BYTES], main_context[CONTEXT_BYTES];
static enum { IDLE, STARTING, RUNNING } phase;
static struct registers *given, *found;
static int last_signal;
static unsigned ticks;

static void handle(int number, void *info, struct context *context)
{
    (void)info;
    if (number == SIGALRM && (phase != RUNNING || ticks++ == 0)) return;
    if (phase == STARTING) {
        memcpy(main_context, context, CONTEXT_BYTES);
        phase = RUNNING;
        ticks = 0;
        put_registers(given, context);
        return;
    }
    if (phase != RUNNING) call(EXIT, 3, 0, 0, 0, 0, 0);
    get_registers(found, context);
    last_signal = number;
    phase = IDLE;
    memcpy(context, main_context, CONTEXT_BYTES);
    AT(context, word, PC) += 4;
}

/* An execution, and what it made. */
struct execution {
    struct registers before, after;
    uint64_t begin, end; /* of what was stored; end 0: nothing */
    uint64_t sum;        /* of it */
    bool good;           /* it did not fault */
};

/* Adds what was stored in some words, and puts them back as they were. */
static void take_words(struct execution *execution, uint64_t from, uint64_t count)
{
    for (uint64_t i = from; i < from + count; i++) {
        const uint64_t difference = data[i] ^ pristine[i];
        if (!difference) continue;
        for (unsigned byte = 0; byte < 8; byte++) {
            if ((difference >> 8 * byte & 0xFF) == 0) continue;
            if (!execution->end) execution->begin = DATA + 8 * i + byte;
            execution->end = DATA + 8 * i + byte + 1;
        }
        execution->sum = (execution->sum ^ data[i]) * UINT64_C(0x9E3779B97F4A7C15);
        data[i] = pristine[i];
    }
}

/* Finds what was stored, and puts memory back as it was.  Most of it was not touched. */
static void take_memory(struct execution *execution)
{
    enum { AT_ONCE = 16 };
    execution->begin = execution->end = execution->sum = 0;
    for (uint64_t i = 0; i < WORDS; i += AT_ONCE) {
        uint64_t difference = 0;
        for (unsigned k = 0; k < AT_ONCE; k++) difference |= data[i + k] ^ pristine[i + k];
        if (difference) take_words(execution, i, AT_ONCE);
    }
}

static void execute(struct execution *execution)
{
    given = &execution->before;
    found = &execution->after;
    phase = STARTING;
    __asm__ volatile(TRAP ::: "memory");
    execution->good = last_signal != SIGALRM && execution->after.pc != execution->before.pc;
    take_memory(execution);
}

/* ---- values ---- */

enum { SMALL_VALUES = 3, SPECIAL_VALUES = 7, VALUE_KINDS };
static uint64_t seed = 88172645463325252;

static uint64_t random_word(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed * UINT64_C(0x2545F4914F6CDD1D);
}

/* Integers are addresses in the middle of the data, or small, or any; of one kind equal ones are
 * likely. */
static uint64_t random_integer(unsigned kind)
{
    const uint64_t random = random_word() >> 8;
    if (kind == SMALL_VALUES) return random % 2;
    switch (random_word() >> 60) {
    case 0: return random % 64;
    case 1: return random % 2;
    case 2: return random % 64 * 16;
    case 3: return sizeof(word) == 8 ? random_word() : random % 4096; /* no address of ours */
    default: return DATA + MIDDLE + random % 1024 * 16 - 8192;
    }
}

/* Random bits, numbers of like size in lanes of 4, 8, 2 bytes, small bytes, boxed numbers, and
 * zeros, infinities and numbers that are none. */
static uint64_t random_vector(unsigned kind)
{
    static const uint64_t special[16] = {0,
                                         UINT64_C(0x7FF0000000000000),
                                         UINT64_C(0x7FF0000000000001),
                                         UINT64_C(0x7FF0000000000002),
                                         UINT64_C(0x8000000000000000),
                                         UINT64_C(0x3FF0000000000000),
                                         UINT64_C(0xFFFFFFFF7F800000),
                                         UINT64_C(0xFFFFFFFF7F800001),
                                         UINT64_C(0xFFFFFFFF7F800002),
                                         UINT64_C(0xFFFFFFFF80000000),
                                         UINT64_C(0xFFFFFFFF3F800000),
                                         UINT64_C(0xFFFFFFFFFFFF7C00),
                                         UINT64_C(0xFFFFFFFFFFFF7C01),
                                         UINT64_C(0xFFFFFFFFFFFF7C02),
                                         UINT64_C(0xFFFFFFFFFFFF8000),
                                         UINT64_C(0xFFFFFFFFFFFF3C00)};
    const uint64_t random = random_word();
    switch (kind) {
    case 0: return random;
    case 1: return (random & 0x007FFFFF007FFFFF) | 0x3F8000003F800000;
    case 2: return (random & 0x000FFFFFFFFFFFFF) | 0x3FF0000000000000;
    case SMALL_VALUES: return random & 0x0703070307030703;
    case 4: return (random & 0x03FF03FF03FF03FF) | 0x3C003C003C003C00;
    case 5: return (random & 0x01FFFFFF) | UINT64_C(0xFFFFFFFF3E000000);
    case 6: return (random & 0x8FFF) | UINT64_C(0xFFFFFFFFFFFF3000);
    default: return special[random >> 60];
    }
}

static uint64_t random_value(unsigned number, unsigned kind)
{
#if defined(__riscv)
    switch (number) {
    case VL: return random_word() % 17;
    case VTYPE: return random_word() % 4 << 3 | random_word() % 2;
    case VSTART: return random_word() % 4 == 0 ? random_word() % 4 : 0;
    case VXSAT: return random_word() % 2;
    case VXRM: return random_word() % 4;
    case FFLAGS: return kind == SPECIAL_VALUES ? 0 : random_word() % 32;
    case FRM: return random_word() % 5;
    default: break;
    }
#else
    if (number == 64) return random_word() & FLAGS_BITS;
#endif
    return number < 32 ? random_integer(kind) : random_vector(kind);
}

static void give_register(struct registers *registers, unsigned number, unsigned kind)
{
    registers->value[number][0] = random_value(number, kind);
#if defined(__riscv)
    if (number >= VECTORS && number < VL) registers->value[number][1] = random_vector(kind);
#elif defined(__aarch64__)
    if (number >= 32 && number < 64) registers->value[number][1] = random_vector(kind);
#endif
}

static void change_register(struct registers *registers, unsigned number, unsigned kind)
{
    const uint64_t before = registers->value[number][0];
    for (unsigned i = 0; i < 16 && registers->value[number][0] == before; i++)
        give_register(registers, number, kind);
}

/* ---- one opcode ---- */

static void put_code(const struct request *request)
{
    enum { AROUND = 64 };
#if defined(__aarch64__)
    for (unsigned i = 0; i < AROUND; i += 4) AT(code, uint32_t, i) = 0xD4200000; /* brk */
    AT(code, uint32_t, 0) = request->opcode;
    __asm__ volatile("isb" ::: "memory"); /* QEMU sees what is written to code */
#elif defined(__arm__)
    static uint32_t filled;
    const uint32_t trap = request->thumb ? 0xDE00DE00 : 0xE7F000F0; /* udf */
    const bool wide = request->size == 4;
    /* a table of branches leads far */
    for (unsigned i = 0; trap != filled && i < BYTES; i += 4) AT(CODE, uint32_t, i) = trap;
    filled = trap;
    for (unsigned i = 0; i < AROUND; i += 4) AT(code, uint32_t, i) = trap;
    if (!request->thumb) AT(code, uint32_t, 0) = request->opcode;
    if (request->thumb && wide) AT(code, uint16_t, 2) = (uint16_t)request->opcode;
    if (request->thumb) AT(code, uint16_t, 0) = (uint16_t)(request->opcode >> (wide ? 16 : 0));
    call(CACHEFLUSH, (word)code, (word)code + AROUND, 0, 0, 0, 0);
#else
    for (unsigned i = 0; i < AROUND; i += 2) AT(code, uint16_t, i) = 0x9002; /* c.ebreak */
    AT(code, uint16_t, 0) = (uint16_t)request->opcode;
    if (request->size == 4) AT(code, uint16_t, 2) = (uint16_t)(request->opcode >> 16);
    __asm__ volatile("fence.i" ::: "memory");
#endif
}

static bool same_value(const struct registers *a, const struct registers *b, unsigned number)
{
    return a->value[number][0] == b->value[number][0] && a->value[number][1] == b->value[number][1];
}

enum effect { NO_EFFECT, KEEPS, USES };

/* What registers that differ before had for an effect.  KEEPS: a register that is written in one of
 * the executions differs, but only in bits that each of them keeps. */
static enum effect effect_of(const struct execution *a, const struct execution *b)
{
    enum effect effect = NO_EFFECT;
    if (!b->good || a->after.pc != b->after.pc || a->sum != b->sum || a->begin != b->begin ||
        a->end != b->end)
        return USES;
    for (unsigned i = 0; i < REGISTERS; i++) {
        const bool kept =
            same_value(&a->before, &a->after, i) && same_value(&b->before, &b->after, i);
        if (kept || same_value(&a->after, &b->after, i)) continue;
        effect = effect ? effect : KEEPS;
        for (unsigned half = 0; half < 2; half++) {
            const uint64_t x = a->after.value[i][half], y = b->after.value[i][half],
                           changed =
                               (a->before.value[i][half] ^ x) | (b->before.value[i][half] ^ y);
            if ((x ^ y) & changed) effect = USES;
        }
    }
    return effect;
}

static void find_reads(const struct request *request, struct answer *answer,
                       const struct execution *base, unsigned kind)
{
    enum { TRIES = 4 };
    static struct execution other;
    other.before = base->before;
    for (unsigned i = 0; i < REGISTERS; i++)
        if (register_exists(i) && !request->reads[i]) change_register(&other.before, i, kind);
    execute(&other);
    const bool unsaid = effect_of(base, &other) != NO_EFFECT;
    for (unsigned i = 0; i < REGISTERS; i++) {
        if (!register_exists(i) || (!request->reads[i] && !unsaid)) continue;
        for (unsigned k = 0; k < TRIES && !answer->uses[i]; k++) {
            other.before = base->before;
            change_register(&other.before, i, kind);
            execute(&other);
            const enum effect effect = effect_of(base, &other);
            answer->reads[i] |= effect != NO_EFFECT;
            answer->uses[i] |= effect == USES;
        }
    }
}

static void find_load(struct answer *answer, const struct execution *base)
{
    static struct execution other;
    if (answer->loads) return;
    for (unsigned i = 0; i < WORDS; i++) data[i] = pristine[i] += UINT64_C(0x0123456789ABCDEF);
    other.before = base->before;
    execute(&other);
    answer->loads = other.good && base->after.pc != other.after.pc;
    for (unsigned i = 0; i < REGISTERS; i++)
        answer->loads |= other.good && !same_value(&base->after, &other.after, i);
}

static void answer_request(const struct request *request, struct answer *answer)
{
    enum { TRIES = 60 };
    static struct execution base;
    put_code(request);
    *answer = (struct answer){0};
    for (unsigned i = 0; i < TRIES && answer->executed < request->states; i++) {
        const unsigned kind = i % VALUE_KINDS;
        base.before = (struct registers){.pc = (word)code, .thumb = request->thumb};
        for (unsigned k = 0; k < REGISTERS; k++)
            if (register_exists(k)) give_register(&base.before, k, kind);
#if defined(__riscv)
        if (request->vector) base.before.value[VTYPE][0] = request->vtype;
#endif
        execute(&base);
        answer->illegal += base.after.pc == base.before.pc && last_signal == SIGILL;
        answer->illegal += last_signal == SIGALRM; /* it waits, or branches to itself */
        if (answer->illegal == 3) break;
        if (!base.good) continue;
        answer->executed++;
        for (unsigned k = 0; k < REGISTERS; k++)
            answer->writes[k] |= !same_value(&base.before, &base.after, k);
        const bool falls = base.after.pc == base.before.pc + request->size;
        answer->falls |= falls;
        answer->jumps |= !falls;
        answer->stores |= base.end != 0;
        answer->bytes = base.end - base.begin;
        answer->lowest = base.begin;
        for (unsigned k = 0; k < 32; k++) answer->integers[k] = base.before.value[k][0];
        find_reads(request, answer, &base, kind);
        find_load(answer, &base);
    }
}

/* ---- the program ---- */

static void transfer(word number, word file, void *bytes, size_t size)
{
    for (char *at = bytes; size;) {
        const long done = (long)call(number, file, (word)at, size, 0, 0, 0);
        if (done <= 0) call(EXIT, done == 0 ? 0 : 2, 0, 0, 0, 0, 0);
        at += done;
        size -= (size_t)done;
    }
}

static void map(word address, word protection)
{
    enum { PRIVATE_FIXED_ANONYMOUS = 0x32 };
    if (call(MMAP, address, BYTES, protection, PRIVATE_FIXED_ANONYMOUS, (word)-1, 0) != address)
        call(EXIT, 4, 0, 0, 0, 0, 0);
}

void _start(void)
{
    static const int signals[] = {SIGILL, SIGTRAP, SIGBUS, SIGSEGV, SIGALRM};
    static struct {
        word handler, flags;
#if !defined(__riscv)
        word restorer;
#endif
        uint32_t mask[2];
    } action = {.flags = SA_SIGINFO | SA_ONSTACK, .mask = {UINT32_MAX, UINT32_MAX}};
    static struct {
        void *at;
        int flags;
        word size;
    } alternate = {stack, 0, STACK_BYTES};
    static const word tick[4] = {0, 200000, 0, 200000}; /* microseconds */
    static struct request request;
    static struct answer answer;
    action.handler = (word)handle;
    map(CODE, 7);
    map(DATA, 3);
    call(ALTSTACK, (word)&alternate, 0, 0, 0, 0, 0);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        call(SIGACTION, (word)signals[i], (word)&action, 0, 8, 0, 0);
    call(SETITIMER, 0, (word)tick, 0, 0, 0, 0);
    for (unsigned i = 0; i < WORDS; i++) data[i] = pristine[i] = random_word();
    for (;;) {
        transfer(READ, 0, &request, sizeof request);
        answer_request(&request, &answer);
        transfer(WRITE, 1, &answer, sizeof answer);
    }
}
