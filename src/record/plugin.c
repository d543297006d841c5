/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plugin.c: the half of `spoor record` that QEMU loads.
 *
 * QEMU is GPL, so this one file is too; spoor only shares memory with it (events.h).  It notes each
 * instruction and each access in the memory that spoor handed over as a file descriptor.  Debian
 * packages no header for plugins, so the few prototypes are declared here by hand.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "record/events.h"

#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif

/* ---- the parts of QEMU's plugin API in use, equal in versions 1 to 4 except where noted ---- */

typedef uint64_t plugin_id;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_info {
    const char *target_name;
    struct {
        int min, cur;
    } version;
    bool system_emulation;
};
enum { NO_REGISTERS = 0, READ_AND_WRITE = 3 };
typedef void translated_callback(plugin_id, struct qemu_plugin_tb *);
typedef void execute_callback(unsigned cpu, void *data);
typedef void access_callback(unsigned cpu, uint32_t info, uint64_t address, void *data);
typedef void exit_callback(plugin_id, void *data);
typedef void cpu_callback(plugin_id, unsigned cpu);
typedef void syscall_callback(plugin_id, unsigned cpu, int64_t number, uint64_t, uint64_t, uint64_t,
                              uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);

void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id, translated_callback *);
void qemu_plugin_register_vcpu_exit_cb(plugin_id, cpu_callback *);
void qemu_plugin_register_vcpu_syscall_cb(plugin_id, syscall_callback *);
void qemu_plugin_register_atexit_cb(plugin_id, exit_callback *, void *);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *, size_t);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *);
void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *) __attribute__((weak));
/* Versions 1 and 2 return a pointer and take one argument; version 3 fills the buffer and returns
 * how many bytes it put.  The calling conventions let us always pass three. */
uintptr_t qemu_plugin_insn_data(const struct qemu_plugin_insn *, void *buffer, size_t size);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *, execute_callback *, int,
                                            void *);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *, access_callback *, int, int,
                                      void *);
unsigned qemu_plugin_mem_size_shift(uint32_t info);
bool qemu_plugin_mem_is_store(uint32_t info);
uint64_t qemu_plugin_start_code(void) __attribute__((weak)); /* not in QEMU before 7.1 */

#define EXPORTED __attribute__((visibility("default")))
EXPORTED extern int qemu_plugin_version;
EXPORTED int qemu_plugin_version = 1;
EXPORTED int qemu_plugin_install(plugin_id id, const struct qemu_info *info, int count,
                                 char **words);

/* QEMU 7 accepts only version 1, QEMU 9 none below 2: find its version before it reads ours.
 * n_vcpus went with version 2; reading guest memory came with version 4. */
__attribute__((constructor)) static void plugin_choose_version(void)
{
    if (dlsym(RTLD_DEFAULT, "qemu_plugin_n_vcpus")) return;
    qemu_plugin_version = dlsym(RTLD_DEFAULT, "qemu_plugin_read_memory_vaddr") ? 4 : 2;
}

/* ---- state: one plugin in one process, as QEMU loads it ---- */

struct cpu {
    struct block *block;
    uint64_t registers[REGISTER_VECTOR]; /* as noted last */
    uint64_t vectors[VECTORS][2];        /* likewise */
    bool kept; /* the last instruction cannot have written a vector register, FPSR or FPCR */
};

static struct events *events;
static pid_t parent; /* spoor */
static struct cpu cpus[MAX_CPUS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* our side of the queues, dictionary */
static uint32_t blocks_ready, blocks_taken;
static _Atomic uint32_t cpus_seen;
static atomic_bool silent; /* asked to stop, given up, or a child of the recorded process */
static bool arm64;         /* the guest is AArch64; else, with WISH_REGISTERS, Arm */
static uint32_t *map;      /* hash table of instruction numbers + 1 by pc */
static uint32_t map_capacity;
static uint32_t instruction_count = FIRST_INSTRUCTION;

/* Stops recording.  The program continues; code translated from now on is not instrumented.
 * (qemu_plugin_reset() would drop the callbacks of translated code as well, but in QEMU 7 it pulls
 * them away from under an access in progress.) */
static void plugin_fall_silent(enum events_fault fault)
{
    if (silent) return;
    silent = true;
    if (fault) atomic_store(&events->fault, fault);
    atomic_store(&events->ended, 1);
    futex_wake(&events->ready_count);
}

/* ---- blocks ---- */

static void plugin_pass_on(struct block *block)
{
    events->ready[blocks_ready % MAX_BLOCKS] = (uint32_t)(block - events->blocks);
    atomic_store(&events->ready_count, ++blocks_ready);
    futex_wake(&events->ready_count);
}

/* Swaps the cpu's block, if it has one, for an empty one.  The first blocks are unused; each new
 * cpu adds one more to the circulation. */
static void plugin_next_block(unsigned cpu)
{
    enum { WAIT = 1000 /* ms */ };
    struct cpu *state = &cpus[cpu];
    pthread_mutex_lock(&lock);
    if (atomic_load(&events->stop)) plugin_fall_silent(FAULT_NONE);
    struct block *block = NULL;
    const bool begins = !state->block;
    const uint32_t fresh = atomic_load(&events->fresh);
    if (begins) cpus_seen++;
    if (!begins && !silent) plugin_pass_on(state->block);
    if (begins || (!silent && fresh < BLOCKS_SPARE)) {
        if (fresh < MAX_BLOCKS) {
            atomic_store(&events->fresh, fresh + 1);
            block = &events->blocks[fresh];
        }
    } else if (!silent) {
        /* where the system does not end this process with spoor, it goes on unrecorded */
        uint32_t freed;
        while ((freed = atomic_load(&events->freed_count)) == blocks_taken && !silent) {
            futex_wait(&events->freed_count, freed, WAIT);
            if (getppid() != parent) silent = true;
        }
        if (!silent) block = &events->blocks[events->freed[blocks_taken++ % MAX_BLOCKS]];
    }
    if (!block) plugin_fall_silent(FAULT_THREADS);
    if (block) {
        block->cpu = cpu;
        block->words[0] = (uint64_t)EVENT_BEGIN << EVENT_KIND_SHIFT;
        atomic_store(&block->used, begins ? 1 : 0);
    }
    state->block = block;
    pthread_mutex_unlock(&lock);
}

/* The place of the next event: MAX_EVENT_WORDS words, or NULL. */
static inline uint64_t *plugin_reserve(unsigned cpu)
{
    if (__builtin_expect(silent || cpu >= MAX_CPUS, 0)) {
        if (!silent) plugin_fall_silent(FAULT_THREADS);
        return NULL;
    }
    struct block *block = cpus[cpu].block;
    if (__builtin_expect(!block, 0)) {
        plugin_next_block(cpu);
    } else {
        const uint32_t used = atomic_load_explicit(&block->used, memory_order_relaxed);
        const uint32_t maximum = cpus_seen > 1 ? TURN_WORDS : BLOCK_WORDS - MAX_EVENT_WORDS;
        if (__builtin_expect(used >= maximum, 0)) plugin_next_block(cpu);
    }
    block = cpus[cpu].block;
    return block ? block->words + atomic_load_explicit(&block->used, memory_order_relaxed) : NULL;
}

static inline void plugin_commit(unsigned cpu, const uint64_t *end)
{
    struct block *block = cpus[cpu].block;
    atomic_store_explicit(&block->used, (uint32_t)(end - block->words), memory_order_release);
}

/* ---- registers ---- */

/* QEMU's generated code addresses the guest's registers by a pointer in a host register.  With one
 * instruction per block they are all up to date when the block begins, where our callback is.  The
 * beginning of the structure has been the same from QEMU 2 on; each reading confirms it by the
 * program counter, which lies among them. */
enum {
    ARM_PC = 15,     /* uint32_t regs[16] comes first */
    ARM64_X = 64,    /* then uint64_t xregs[32], SP the last */
    ARM64_PC = 320,  /* then uint64_t pc */
    ARM_THUMB = 333, /* then uint32_t pstate, bool aarch64, bool thumb */
    ARM64_C = 528,   /* CF, VF, NF, ZF, QF, GE: uint32_t each */
    ARM_CPSR = 344,  /* the bits of it that do not lie elsewhere */
    ARM_C = 520,
    ARM_Q = 536,
    ARM_GE = 540,
};

static uint32_t plugin_word_at(const char *state, size_t offset)
{
    uint32_t value;
    memcpy(&value, state + offset, sizeof value);
    return value;
}

static uint32_t plugin_read_flags(const char *state, size_t carry)
{
    const uint32_t c = plugin_word_at(state, carry), v = plugin_word_at(state, carry + 4),
                   n = plugin_word_at(state, carry + 8), z = plugin_word_at(state, carry + 12);
    return (n & UINT32_C(0x80000000)) | (uint32_t)(z == 0) << 30 | (c & 1) << 29 | v >> 31 << 28;
}

/* FPSR, and FPCR; of Arm the bits of FPSCR. */
static uint32_t plugin_read_status(const char *state, const struct float_place *place)
{
    enum { HALF = 1, HALF_STANDARD = 3, IDC = 5 };
    uint32_t status = 0, saturations = 0;
    uint16_t flags = 0, of;
    for (size_t i = 0; i < sizeof place->statuses / sizeof *place->statuses; i++) {
        if (!place->statuses[i]) continue;
        memcpy(&of, state + place->statuses[i], sizeof of);
        /* half precision has no IDC */
        flags |= (uint16_t)(i == HALF || i == HALF_STANDARD ? of & ~place->flags[IDC] : of);
    }
    for (size_t i = 0; i < FLOAT_FLAGS; i++)
        if (flags & place->flags[i]) status |= UINT32_C(1) << (i == IDC ? 7 : i);
    for (size_t i = 0; i < 4; i++) saturations |= plugin_word_at(state, place->saturations + 4 * i);
    return status | (saturations ? FLOAT_QC_VALUE : 0);
}

/* Notes the registers that changed; falls silent if they do not lie where they are expected. */
static void plugin_note_registers(unsigned cpu, const char *state, uint64_t pc)
{
    uint64_t now[REGISTER_VECTOR] = {0}, found;
    if (arm64) {
        memcpy(&found, state + ARM64_PC, sizeof found);
        memcpy(now, state + ARM64_X, 32 * sizeof *now);
        now[REGISTER_FLAGS] = plugin_read_flags(state, ARM64_C);
    } else {
        found = plugin_word_at(state, 4 * ARM_PC);
        for (size_t i = 0; i < ARM_PC; i++) now[i] = plugin_word_at(state, 4 * i);
        now[REGISTER_FLAGS] = plugin_read_flags(state, ARM_C) | plugin_word_at(state, ARM_CPSR) |
                              plugin_word_at(state, ARM_Q) << 27 |
                              plugin_word_at(state, ARM_GE) << 16 |
                              (uint32_t)(state[ARM_THUMB] != 0) << 5;
    }
    if (found != pc) {
        plugin_fall_silent(FAULT_REGISTERS);
        return;
    }
    uint64_t *before = cpus[cpu].registers;
    const struct float_place *place = &events->float_place;
    if (cpus[cpu].kept) {
        memcpy(now + REGISTER_FPSR, before + REGISTER_FPSR, 2 * sizeof *now);
    } else if (place->control) {
        const uint32_t controls = 0x07F79F00, conditions = 0xF0000000;
        const uint32_t control = plugin_word_at(state, place->control);
        now[REGISTER_FPSR] = plugin_read_status(state, place);
        if (arm64)
            now[REGISTER_FPCR] = control & controls;
        else
            now[REGISTER_FPSR] |= control & (controls | conditions);
        if (!arm64 && place->length)
            now[REGISTER_FPSR] |= plugin_word_at(state, place->length) << 16 |
                                  plugin_word_at(state, place->length + 4) << 20;
    }
    for (size_t i = 0; i < REGISTER_VECTOR; i++) {
        if (now[i] == before[i]) continue;
        before[i] = now[i];
        uint64_t *word = plugin_reserve(cpu);
        if (!word) return;
        *word++ = (uint64_t)EVENT_REGISTER << EVENT_KIND_SHIFT | i;
        *word++ = now[i];
        plugin_commit(cpu, word);
    }
}

/* ---- the place of the vector registers ---- */

/* ---- the place of FPSR and FPCR ---- */

static const char *shots[FLOAT_STEPS]; /* the state at each step */

static uint16_t plugin_half_then(unsigned step, size_t at)
{
    uint16_t value;
    memcpy(&value, shots[step] + at, sizeof value);
    return value;
}

/* True if, of the steps up to `last`, the word (or half of one) is not 0 at one alone, and has the
 * value there. */
static bool plugin_is_only_at(size_t at, bool half, unsigned step, uint32_t value, unsigned last)
{
    for (unsigned i = FLOAT_ZERO; i <= last; i++)
        if ((half ? plugin_half_then(i, at) : plugin_word_at(shots[i], at)) !=
            (i == step ? value : 0))
            return false;
    return true;
}

static uint32_t plugin_find_other_status(size_t size, unsigned step, uint16_t value, unsigned last)
{
    for (size_t at = 8; at + 2 <= size; at += 2)
        if (plugin_is_only_at(at, true, step, value, last)) return (uint32_t)at;
    return 0;
}

/* At FLOAT_CHECK: finds all but what half precision has of its own. */
static void plugin_find_float(size_t size)
{
    enum { UFC = 3, DZC = 1 << 1, IXC = 1 << 4, STANDARD = 2 };
    struct float_place place = {0};
    for (size_t at = 8; at + 16 <= size; at += 4) {
        bool is_control = !place.control;
        for (unsigned i = FLOAT_ZERO; is_control && i <= FLOAT_CHECK; i++) {
            const uint32_t word = plugin_word_at(shots[i], at);
            const uint32_t value = i == FLOAT_ROUNDS                       ? FLOAT_ROUNDS_VALUE
                                   : i == FLOAT_FLUSHES || i == FLOAT_TINY ? FLOAT_FLUSHES_VALUE
                                                                           : 0;
            is_control = word == value || (i == FLOAT_LENGTH && word == FLOAT_LENGTH_VALUE);
        }
        if (is_control) place.control = (uint32_t)at;
        if (!place.saturations &&
            plugin_is_only_at(at, false, FLOAT_QC, FLOAT_QC_VALUE, FLOAT_STANDARD))
            place.saturations = (uint32_t)at;
        if (!arm64 && !place.length && plugin_is_only_at(at, false, FLOAT_LENGTH, 3, FLOAT_CHECK) &&
            plugin_is_only_at(at + 4, false, FLOAT_LENGTH, 1, FLOAT_CHECK))
            place.length = (uint32_t)at;
    }
    for (size_t at = 8; at + 2 <= size && !place.statuses[0]; at += 2) {
        static const uint8_t without[] = {FLOAT_ZERO, FLOAT_QC, FLOAT_ROUNDS, FLOAT_FLUSHES,
                                          FLOAT_LENGTH};
        uint16_t all = 0; /* each flag has a bit of its own there */
        bool is_status = plugin_half_then(FLOAT_TINY, at) && plugin_half_then(FLOAT_CHECK, at);
        for (unsigned i = 0; i < FLOAT_FLAGS && is_status; i++) {
            const uint16_t flag = plugin_half_then(FLOAT_FLAG + i, at);
            is_status = flag && !(flag & (flag - 1)) && !(flag & all);
            all |= flag;
        }
        for (size_t i = 0; i < sizeof without / sizeof *without && is_status; i++)
            is_status = !plugin_half_then(without[i], at);
        if (is_status) place.statuses[0] = (uint32_t)at;
    }
    if (!place.control || !place.saturations || !place.statuses[0]) return;
    for (unsigned i = 0; i < FLOAT_FLAGS; i++)
        place.flags[i] = plugin_half_then(FLOAT_FLAG + i, place.statuses[0]);
    place.flags[UFC] |= plugin_half_then(FLOAT_TINY, place.statuses[0]);  /* a flushed result */
    if (!arm64 && !plugin_half_then(FLOAT_STANDARD, place.statuses[0])) { /* OFC, IXC */
        place.statuses[STANDARD] = plugin_find_other_status(
            size, FLOAT_STANDARD, place.flags[2] | place.flags[4], FLOAT_CHECK);
        if (!place.statuses[STANDARD]) return;
    }
    const uint32_t status = plugin_read_status(shots[FLOAT_CHECK], &place);
    if (status == (DZC | IXC | FLOAT_QC_VALUE) &&
        status == plugin_word_at(shots[FLOAT_CHECK], arm64 ? ARM64_X : 0))
        events->found_float = place;
}

/* The program that finds places calls the system. */
static void plugin_find(const char *state)
{
    enum { FARTHEST = 1 << 17 };
    static unsigned step;
    static size_t size; /* bytes that may be read from `state` on */
    if (step == 0) {
        FILE *maps = fopen("/proc/self/maps", "re");
        char *line = NULL;
        size_t capacity = 0;
        unsigned long start, end;
        const uintptr_t at = (uintptr_t)state;
        while (maps && !size && getline(&line, &capacity, maps) > 0)
            if (sscanf(line, "%lx-%lx r", &start, &end) == 2 && at >= start && at < end)
                size = end - at < FARTHEST ? end - at : FARTHEST;
        free(line);
        if (maps) fclose(maps);
    }
    if (step < FLOAT_STEPS) {
        char *shot = size ? malloc(size) : NULL;
        if (!shot) {
            plugin_fall_silent(FAULT_NONE);
            return;
        }
        shots[step] = memcpy(shot, state, size);
    }
    /* Where vector register i has the byte VECTOR_PATTERN + i in every byte. */
    enum { WIDEST = 256 };
    const size_t count = arm64 ? VECTORS : VECTORS / 2;
    struct vector_place *vectors = &events->found;
    for (size_t stride = 16; step == FLOAT_VECTORS && stride <= WIDEST; stride *= 2)
        for (size_t at = 8; !vectors->offset && at + (count - 1) * stride + 16 <= size; at += 8) {
            size_t same = 0; /* bytes */
            while (same < 16 * count && (uint8_t)state[at + same / 16 * stride + same % 16] ==
                                            VECTOR_PATTERN + same / 16)
                same++;
            if (same == 16 * count)
                *vectors = (struct vector_place){(uint32_t)at, (uint32_t)stride};
        }
    if (step == FLOAT_CHECK) plugin_find_float(size);
    struct float_place *place = &events->found_float;
    if (step == FLOAT_END && place->control) {
        /* The flags of half precision, which a model that lacks it does not reach. */
        enum { DZC = 1 << 1, HALF = 1, HALF_STANDARD = 3 };
        if (!plugin_half_then(FLOAT_HALF, place->statuses[0]))
            place->statuses[HALF] =
                plugin_find_other_status(size, FLOAT_HALF, place->flags[1], FLOAT_END);
        if (!arm64 && !plugin_half_then(FLOAT_HALF_STANDARD, place->statuses[2]))
            place->statuses[HALF_STANDARD] = plugin_find_other_status(
                size, FLOAT_HALF_STANDARD, place->flags[2] | place->flags[4], FLOAT_END);
        const uint32_t status = plugin_read_status(shots[FLOAT_HALF], place);
        if (status != DZC || status != plugin_word_at(shots[FLOAT_HALF], arm64 ? ARM64_X : 0) ||
            plugin_read_status(shots[FLOAT_END], place) ||
            (!arm64 && !plugin_read_status(shots[FLOAT_HALF_STANDARD], place)))
            *place = (struct float_place){0};
    }
    step++;
}

/* ---- functions that QEMU calls ---- */

static void on_instruction(unsigned cpu, void *data)
{
    uint64_t *word = plugin_reserve(cpu);
    if (!word) return;
    *word++ = (uint64_t)EVENT_INSTRUCTION << EVENT_KIND_SHIFT | (uintptr_t)data;
    plugin_commit(cpu, word);
}

/* The same, given the host register that points at the guest's state. */
__attribute__((used)) static void on_instruction_of_state(unsigned cpu, void *data,
                                                          const char *state)
{
    if (silent || cpu >= MAX_CPUS) return;
    const struct instruction *instruction = &events->instructions[(uintptr_t)data];
    if (events->wishes & WISH_PLACE) { /* the vectors are filled when the program ends */
        if (instruction->bytes[3] == (arm64 ? 0xD4 : 0xEF)) plugin_find(state);
        return;
    }
    plugin_note_registers(cpu, state, instruction->pc);
    struct cpu *noted = &cpus[cpu];
    const struct vector_place place = events->place;
    const size_t vectors = place.offset && !noted->kept ? (arm64 ? VECTORS : VECTORS / 2) : 0;
    for (size_t i = 0; i < vectors; i++) {
        const char *vector = state + place.offset + i * place.stride;
        uint64_t *before = noted->vectors[i];
        if (memcmp(before, vector, 16) == 0) continue;
        memcpy(before, vector, 16);
        uint64_t *word = plugin_reserve(cpu);
        if (!word) break;
        *word++ = (uint64_t)EVENT_REGISTER << EVENT_KIND_SHIFT | (REGISTER_VECTOR + i);
        *word++ = before[0];
        *word++ = before[1];
        plugin_commit(cpu, word);
    }
    /* It may write a vector register, FPSR or FPCR: one of SIMD, floating point or SVE, or a system
     * call, which may return from a signal. */
    const bool thumb = !arm64 && noted->registers[REGISTER_FLAGS] & 1 << 5;
    const uint8_t *bytes = instruction->bytes, first = bytes[thumb ? 1 : 3];
    bool writes;
    if (arm64) {
        const uint8_t group = first >> 1 & 15; /* op0 of the manual's index of A64 */
        const bool sets_status = first == 0xD5 && bytes[2] == 0x1B && bytes[1] == 0x44;
        writes = (group & 6) == 6 || group == 2 || (group == 0 && first >> 7) || first == 0xD4 ||
                 sets_status;
    } else if (thumb) {
        writes = (first & 0xEC) == 0xEC || first == 0xF9 || first == 0xDF;
    } else {
        writes = (first & 15) >= 12 || (first >= 0xF2 && first <= 0xF4);
    }
    noted->kept = !writes;
    on_instruction(cpu, data);
}

#if defined __x86_64__
#define STATE_IN_THIRD_ARGUMENT "mov %rbp, %rdx\n\tjmp on_instruction_of_state\n"
#elif defined __aarch64__
#define STATE_IN_THIRD_ARGUMENT "mov x2, x19\n\tb on_instruction_of_state\n"
#endif

#ifdef STATE_IN_THIRD_ARGUMENT
void on_instruction_with_state(unsigned cpu, void *data) __attribute__((visibility("hidden")));
__asm__(".text\n"
        ".hidden on_instruction_with_state\n"
        ".globl on_instruction_with_state\n"
        ".type on_instruction_with_state, %function\n"
        "on_instruction_with_state:\n\t" STATE_IN_THIRD_ARGUMENT
        ".size on_instruction_with_state, . - on_instruction_with_state\n");
static const bool can_see_state = true;
#else
static const bool can_see_state = false;
#define on_instruction_with_state on_instruction
#endif

static uint64_t plugin_access_word(uint32_t info, uint64_t address)
{
    return (uint64_t)EVENT_ACCESS << EVENT_KIND_SHIFT |
           (qemu_plugin_mem_is_store(info) ? EVENT_STORE : 0) |
           (uint64_t)(qemu_plugin_mem_size_shift(info) & 7) << EVENT_SIZE_SHIFT |
           (address & ((UINT64_C(1) << EVENT_ADDRESS_BITS) - 1));
}

static void on_access(unsigned cpu, uint32_t info, uint64_t address, void *data)
{
    (void)data;
    uint64_t *word = plugin_reserve(cpu);
    if (!word) return;
    *word++ = plugin_access_word(info, address);
    plugin_commit(cpu, word);
}

/* QEMU calls after the access, so memory holds the value loaded or stored. */
static void on_access_with_data(unsigned cpu, uint32_t info, uint64_t address, void *data)
{
    (void)data;
    const size_t size = (size_t)1 << qemu_plugin_mem_size_shift(info);
    uint64_t *word = plugin_reserve(cpu);
    if (!word || size > 16) return;
    *word++ = plugin_access_word(info, address) | EVENT_HAS_DATA;
    const size_t words = size > 8 ? 2 : 1;
    memset(word, 0, words * sizeof *word);
    memcpy(word, (const char *)(uintptr_t)(events->guest_base + address), size);
    plugin_commit(cpu, word + words);
}

static size_t plugin_map_slot(uint64_t pc)
{
    return (size_t)((pc * UINT64_C(0x9E3779B97F4A7C15)) >> 32) & (map_capacity - 1);
}

/* The number of an instruction; a known one has its number already.  Held: lock. */
static bool plugin_number_of(const struct instruction *instruction, uint32_t *number)
{
    if (2 * instruction_count >= map_capacity) {
        const uint32_t capacity = map_capacity ? 2 * map_capacity : 1 << 14;
        uint32_t *grown = calloc(capacity, sizeof *grown);
        if (!grown) return false;
        free(map);
        map = grown;
        map_capacity = capacity;
        for (uint32_t known = FIRST_INSTRUCTION; known < instruction_count; known++) {
            size_t place = plugin_map_slot(events->instructions[known].pc);
            while (map[place]) place = (place + 1) & (capacity - 1);
            map[place] = known + 1;
        }
    }
    size_t slot = plugin_map_slot(instruction->pc);
    for (; map[slot]; slot = (slot + 1) & (map_capacity - 1)) {
        *number = map[slot] - 1;
        if (memcmp(&events->instructions[*number], instruction, sizeof *instruction) == 0)
            return true;
    }
    if (instruction_count == MAX_INSTRUCTIONS) return false;
    *number = instruction_count++;
    events->instructions[*number] = *instruction;
    map[slot] = *number + 1;
    return true;
}

/* ---- files in memory ---- */

/* If translated code is outside all recorded mappings, records that of this process which contains
 * it, a guest's files being mapped unchanged; also if it has no file, so that it is searched only
 * once.  Held: lock. */
static void plugin_note_mapping(const struct qemu_plugin_insn *insn, uint64_t pc)
{
    const uint32_t count = atomic_load(&events->mapping_count);
    for (uint32_t i = 0; i < count; i++)
        if (pc >= events->mappings[i].start && pc < events->mappings[i].end) return;
    if (!qemu_plugin_insn_haddr || count == MAPPINGS_MAXIMUM) return;
    const uint64_t host = (uintptr_t)qemu_plugin_insn_haddr(insn);
    FILE *maps = host ? fopen("/proc/self/maps", "re") : NULL;
    struct mapping *mapping = &events->mappings[count];
    char *line = NULL;
    size_t capacity = 0;
    while (maps && getline(&line, &capacity, maps) > 0) {
        unsigned long start, end, offset;
        int path = 0;
        if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %n", &start, &end, &offset, &path) < 3 || !path ||
            host < start || host >= end)
            continue;
        mapping->start = pc - (host - start);
        mapping->end = mapping->start + (end - start);
        mapping->file_offset = offset;
        const size_t size = strcspn(line + path, "\n");
        const bool fits = line[path] == '/' && size < MAPPING_PATH;
        memcpy(mapping->path, line + path, fits ? size : 0);
        mapping->path[fits ? size : 0] = '\0';
        atomic_fetch_add(&events->mapping_count, 1);
        break;
    }
    free(line);
    if (maps) fclose(maps);
}

static void on_translated(plugin_id id, struct qemu_plugin_tb *tb)
{
    (void)id;
    if (silent) return;
    const bool with_data = events->wishes & WISH_DATA;
    const bool with_registers = events->wishes & WISH_REGISTERS;
    const size_t count = qemu_plugin_tb_n_insns(tb);
    pthread_mutex_lock(&lock);
    if (instruction_count == FIRST_INSTRUCTION && qemu_plugin_start_code)
        atomic_store(&events->code_start, qemu_plugin_start_code());
    for (size_t i = 0; i < count; i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        struct instruction instruction = {.pc = qemu_plugin_insn_vaddr(insn)};
        const size_t size = qemu_plugin_insn_size(insn);
        instruction.size = (uint8_t)(size < INSTRUCTION_BYTES ? size : INSTRUCTION_BYTES);
        uint8_t buffer[INSTRUCTION_BYTES];
        const uintptr_t given = qemu_plugin_insn_data(insn, buffer, instruction.size);
        memcpy(instruction.bytes, given > INSTRUCTION_BYTES ? (const void *)given : buffer,
               instruction.size);
        uint32_t number;
        plugin_note_mapping(insn, instruction.pc);
        if (!plugin_number_of(&instruction, &number)) {
            plugin_fall_silent(FAULT_INSTRUCTIONS);
            break;
        }
        qemu_plugin_register_vcpu_insn_exec_cb(
            insn, with_registers ? on_instruction_with_state : on_instruction, NO_REGISTERS,
            (void *)(uintptr_t)number);
        qemu_plugin_register_vcpu_mem_cb(insn, with_data ? on_access_with_data : on_access,
                                         NO_REGISTERS, READ_AND_WRITE, NULL);
    }
    pthread_mutex_unlock(&lock);
}

/* Events of one thread before a system call must precede those of another thread after it: blocks
 * are passed on at system calls. */
static void on_syscall(plugin_id id, unsigned cpu, int64_t number, uint64_t a, uint64_t b,
                       uint64_t c, uint64_t d, uint64_t e, uint64_t f, uint64_t g, uint64_t h)
{
    (void)id, (void)number, (void)a, (void)b, (void)c, (void)d, (void)e, (void)f, (void)g, (void)h;
    if (silent || cpu >= MAX_CPUS || cpus_seen < 2 || !cpus[cpu].block) return;
    if (atomic_load(&cpus[cpu].block->used)) plugin_next_block(cpu);
}

static void on_cpu_exit(plugin_id id, unsigned cpu)
{
    (void)id;
    if (silent || cpu >= MAX_CPUS || !cpus[cpu].block) return;
    pthread_mutex_lock(&lock);
    plugin_pass_on(cpus[cpu].block);
    memset(&cpus[cpu], 0, sizeof cpus[cpu]);
    pthread_mutex_unlock(&lock);
}

static void on_exit_of_program(plugin_id id, void *data)
{
    (void)id, (void)data;
    plugin_fall_silent(FAULT_NONE);
}

/* A forked child shares the memory but is not the process that is recorded. */
static void on_fork_in_child(void)
{
    silent = true;
}

/* Arguments: memory=NUMBER, the file descriptor of the shared memory. */
int qemu_plugin_install(plugin_id id, const struct qemu_info *info, int count, char **words)
{
    int descriptor = -1;
    for (int i = 0; i < count; i++)
        if (strncmp(words[i], "memory=", 7) == 0) descriptor = atoi(words[i] + 7);
    if (descriptor < 0 || info->system_emulation) return 1;
    void *memory =
        mmap(NULL, EVENTS_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, descriptor, 0);
    close(descriptor);
    if (memory == MAP_FAILED) return 1;
    events = memory;
    parent = getppid();
    if (events->version != EVENTS_VERSION) return 1;
    if ((events->wishes & WISH_REGISTERS) && !can_see_state) return 1;
    arm64 = strcmp(info->target_name, "aarch64") == 0;
    pthread_atfork(NULL, NULL, on_fork_in_child);
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translated);
    qemu_plugin_register_vcpu_exit_cb(id, on_cpu_exit);
    qemu_plugin_register_vcpu_syscall_cb(id, on_syscall);
    qemu_plugin_register_atexit_cb(id, on_exit_of_program, NULL);
    atomic_store(&events->loaded, (uint32_t)qemu_plugin_version);
    return 0;
}
