/* SPDX-License-Identifier: MIT */
/*
 * record/events.h: the interface between the QEMU plugin and `spoor record`, in memory that both
 * map.
 *
 * The plugin runs inside the process of the program, so it keeps no file descriptor open (a program
 * may close or reuse any number), and the memory outlives it: after SIGKILL all recorded events are
 * still there.  Events are 64-bit words in blocks.  A block belongs to one cpu until it is full,
 * then goes through the queue `ready` to spoor and returns through `freed`.  Each queue has one
 * writer; a monotonic count has the number of entries ever put, and the other side sleeps on it (a
 * futex).
 *
 * Instructions are numbered as they are first translated; their bytes are in a dictionary that only
 * grows, in the same memory after the blocks.  An entry is written before its number is used.
 */
#ifndef SPOOR_RECORD_EVENTS_H
#define SPOOR_RECORD_EVENTS_H

#include <limits.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

#include "base/platform.h"
#ifdef SPOOR_HAVE_FUTEX
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

enum {
    EVENTS_VERSION = 3,
    BLOCK_WORDS = 4096,
    BLOCKS_SPARE = 64, /* in circulation in addition to one for each cpu */
    MAX_BLOCKS = 1024, /* this many threads, minus the spare blocks, can be recorded */
    MAX_CPUS = MAX_BLOCKS - BLOCKS_SPARE,
    MAX_EVENT_WORDS = 4, /* of one event */
    TURN_WORDS = 512,    /* with several threads, a block is passed on after this many words */
    INSTRUCTION_BYTES = 15,
    FIRST_INSTRUCTION = 1, /* 0 is no instruction: a word of zeros is no event */
};
#define MAX_INSTRUCTIONS (UINT32_C(1) << 24)

/* The two highest bits of a word are its type. */
enum event_kind {
    EVENT_INSTRUCTION, /* low 32 bits: number of the instruction that begins */
    EVENT_ACCESS,      /* of the instruction that began last; see below */
    EVENT_REGISTER,    /* low 8 bits: enum event_register; then its new value: a word, of vectors
                        * two */
    EVENT_BEGIN,       /* a thread begins on this cpu (another may have ended on it) */
};
#define EVENT_KIND_SHIFT 62

/* EVENT_ACCESS: bit 61 a store, bits 60-58 log2 of the size in bytes, bit 57 whether the bytes
 * follow (one word, two for 16 bytes), bits 0-56 the address, sign-extended from there. */
#define EVENT_STORE (UINT64_C(1) << 61)
#define EVENT_SIZE_SHIFT 58
#define EVENT_HAS_DATA (UINT64_C(1) << 57)
#define EVENT_ADDRESS_BITS 57

/* EVENT_REGISTER: changes since the beginning of the previous instruction. */
enum event_register {
    REGISTER_R0 = 0,     /* R0-R14; X0-X30 */
    REGISTER_SP = 31,    /* AArch64; Arm's is R13 */
    REGISTER_FLAGS = 32, /* N Z C V in bits 31-28; Arm: the CPSR, If-Then bits 0 */
    REGISTER_FPSR,       /* Arm: FPSCR; 0 where the place of the floating-point state is unknown */
    REGISTER_FPCR,       /* likewise; Arm: 0 */
    REGISTER_VECTOR,     /* 16 bytes each: V0-V31, or Arm's Q0-Q15, and none after them */
    VECTORS = 32,
    REGISTERS = REGISTER_VECTOR + VECTORS,
};

struct instruction {
    uint64_t pc;
    uint8_t size; /* bytes */
    uint8_t bytes[INSTRUCTION_BYTES];
    uint8_t reserved[8];
};
_Static_assert(sizeof(struct instruction) == 32, "the layout is shared");

/* A part of a file that the program has in memory and ran code of. */
enum { MAPPINGS_MAXIMUM = 256, MAPPING_PATH = 4096 };
struct mapping {
    uint64_t start, end;  /* the guest's addresses */
    uint64_t file_offset; /* of `start` */
    char path[MAPPING_PATH];
};

struct block {
    _Atomic uint32_t used; /* words */
    uint32_t cpu;
    uint64_t words[BLOCK_WORDS];
};

/* The data that spoor requests from the plugin. */
enum events_wish {
    WISH_DATA = 1 << 0,      /* the bytes of each access; needs guest_base */
    WISH_REGISTERS = 1 << 1, /* register changes; needs one instruction per block of code */
    WISH_PLACE = 1 << 2,     /* with WISH_REGISTERS: find the place of the vector registers, and
                              * record nothing; see vector_place.c */
};

/* WISH_PLACE: when the program calls the system first, each byte of vector register i is this + i.
 */
enum { VECTOR_PATTERN = 0x41 };
/* It calls the system again after each of these, with 0 in its first register, or with FPSR (Arm:
 * FPSCR).  It may end before FLOAT_HALF: a processor model without half precision. */
enum float_step {
    FLOAT_VECTORS,
    FLOAT_ZERO,                /* all of FPSR and FPCR are zero */
    FLOAT_FLAG,                /* IOC alone is 1, then DZC, OFC, UFC, IXC, IDC */
    FLOAT_QC = FLOAT_FLAG + 6, /* QC alone */
    FLOAT_ROUNDS,              /* FPCR is FLOAT_ROUNDS_VALUE, FPSR 0 */
    FLOAT_FLUSHES,             /* it is FLOAT_FLUSHES_VALUE */
    FLOAT_LENGTH,              /* Arm: FPSCR is FLOAT_LENGTH_VALUE */
    FLOAT_TINY,                /* a result was flushed: UFC */
    FLOAT_STANDARD,            /* Arm: a product of vectors was too large */
    FLOAT_CHECK,               /* DZC, IXC and QC by operations; states FPSR */
    FLOAT_HALF,                /* DZC by half precision; states FPSR */
    FLOAT_HALF_STANDARD,       /* Arm: a product of vectors of it was too large */
    FLOAT_END,                 /* all of FPSR is zero */
    FLOAT_STEPS,
    FLOAT_FLAGS = 6,
    FLOAT_ROUNDS_VALUE = 0x07C00000,  /* AHP, DN, FZ, both bits of RMode */
    FLOAT_FLUSHES_VALUE = 0x01400000, /* FZ, one of RMode */
    FLOAT_LENGTH_VALUE = 0x00130000,  /* Stride 1, Len 3 */
    FLOAT_QC_VALUE = 0x08000000,
};

/* Why the plugin stopped recording.  The program continues. */
enum events_fault {
    FAULT_NONE,
    FAULT_INSTRUCTIONS, /* more than MAX_INSTRUCTIONS different instructions */
    FAULT_THREADS,      /* more than MAX_CPUS threads at once */
    FAULT_REGISTERS,    /* this QEMU stores the registers elsewhere */
};

struct events {
    /* spoor's side */
    uint32_t version;
    uint32_t wishes; /* enum events_wish */
    uint64_t guest_base;
    struct vector_place { /* in QEMU's structure of the guest's registers */
        uint32_t offset;  /* of V0 or Q0; 0: not known, vectors are not recorded */
        uint32_t stride;  /* from one to the next */
    } place;
    struct float_place {      /* likewise, FPSR and FPCR */
        uint32_t control;     /* FPCR, and N Z C V of FPSCR; 0: not known, nothing is recorded */
        uint32_t saturations; /* four words, not 0 where QC is 1 */
        uint32_t length;      /* Len, and Stride in the next word; 0: they are in FPCR */
        uint32_t statuses[4]; /* flags of operations: of 16 bits, of half precision, of Arm's
                               * vectors and of vectors of half precision; 0: none */
        uint16_t flags[FLOAT_FLAGS]; /* of them, IOC, DZC, OFC, UFC, IXC, IDC */
    } float_place;
    _Atomic uint32_t stop; /* stop recording */
    _Atomic uint32_t freed_count;
    uint32_t freed[MAX_BLOCKS]; /* entry i is freed[i % MAX_BLOCKS] */

    /* the plugin's side */
    _Atomic uint32_t loaded;   /* the API version with which QEMU loaded the plugin */
    _Atomic uint32_t ended;    /* the program ended normally, no event follows */
    _Atomic uint32_t fault;    /* enum events_fault */
    _Atomic uint32_t fresh;    /* number of blocks used for the first time */
    struct vector_place found; /* WISH_PLACE */
    struct float_place found_float;
    _Atomic uint64_t code_start; /* address of the program's lowest code in memory; 0: unknown */
    _Atomic uint32_t ready_count;
    _Atomic uint32_t ready[MAX_BLOCKS];

    _Atomic uint32_t mapping_count; /* an entry is written before it is counted */
    struct mapping mappings[MAPPINGS_MAXIMUM];

    struct block blocks[MAX_BLOCKS];
    struct instruction instructions[]; /* MAX_INSTRUCTIONS; pages appear as they are written */
};

#define EVENTS_SIZE (sizeof(struct events) + MAX_INSTRUCTIONS * sizeof(struct instruction))

/* A process waits until another changes a word of the shared memory.  Where the system has no such
 * call, it looks at the word every millisecond. */

/* Wakes every process that waits for this word. */
static inline void futex_wake(_Atomic uint32_t *word)
{
#ifdef SPOOR_HAVE_FUTEX
    syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
#else
    (void)word;
#endif
}

/* Waits while the word has this value, at most `milliseconds`; may return earlier. */
static inline void futex_wait(_Atomic uint32_t *word, uint32_t value, unsigned milliseconds)
{
#ifdef SPOOR_HAVE_FUTEX
    const struct timespec maximum = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
    syscall(SYS_futex, word, FUTEX_WAIT, value, &maximum, NULL, 0);
#else
    const struct timespec pause = {0, 1000000};
    for (unsigned i = 0; i < milliseconds && atomic_load(word) == value; i++)
        nanosleep(&pause, NULL);
#endif
}

#endif
