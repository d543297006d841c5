/* SPDX-License-Identifier: MIT */
/*
 * silicon/element.h: what a decoder of a trace unit found, as the bytes that the formats
 * `coresight`, `perf-data` and `intel-pt` read.
 *
 * One element becomes one record, and its branch: an instruction is 16 bytes, one that ends a range
 * 32, anything else 40 and its text; those of perf.data have 48, as they have a thread and a time.
 * The first is ELEMENT_HEADER, whose text is the magic word and
 * the names of the sources' processors.  The bytes are those of this machine: they are made where
 * they are read.
 */
#ifndef SPOOR_SILICON_ELEMENT_H
#define SPOOR_SILICON_ELEMENT_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum element_kind {
    ELEMENT_HEADER = 0xC0, /* number: count of sources */
    ELEMENT_INSN,
    ELEMENT_BRANCH, /* an instruction that ends a range, and is a branch */
    /* with a text: */
    ELEMENT_BEGIN,       /* tracing begins; address: at this instruction; text: why */
    ELEMENT_END,         /* tracing ends; address: with this one; value: the next one, of which the
                          * code is not known; text: why */
    ELEMENT_LOST,        /* part of the trace is lost; address: last instruction; text: why */
    ELEMENT_CONTEXT,     /* number: context ID; value: VMID; text: all of it */
    ELEMENT_TIMESTAMP,   /* value */
    ELEMENT_CYCLES,      /* value */
    ELEMENT_EXCEPTION,   /* number; address: where it returns to; text: its name */
    ELEMENT_RETURN,      /* from an exception */
    ELEMENT_SOFTWARE,    /* number: channel; value: payload; address: master; text: flags */
    ELEMENT_TRANSACTION, /* text: what became of it */
    ELEMENT_EVENT,       /* number; text: what event */
    ELEMENT_MARKER,      /* number; text: of what */
    ELEMENT_STATE,       /* text */
    ELEMENT_COMMENT,     /* text: what is not decoded, and why */
    ELEMENT_DAMAGE,      /* text: found */
    /* of perf.data, with a thread and a time (struct element_timed): */
    ELEMENT_TIMED_NOTE,  /* op: enum spoor_note_op; text */
    ELEMENT_TIMED_EVENT, /* op: enum spoor_event_op; address, value, number, name and text */
    ELEMENT_TIMED_FLOW,  /* op: enum spoor_flow_op; from address to value */
    ELEMENT_X86,         /* struct element_x86 */
    ELEMENT_KINDS,
};

enum element_flags {
    ELEMENT_HAS_ADDRESS = 1 << 0,
    ELEMENT_HAS_VALUE = 1 << 1,
    ELEMENT_HAS_NUMBER = 1 << 2,
    ELEMENT_HAS_TARGET = 1 << 3, /* BRANCH, X86 */
    ELEMENT_HAS_TIME = 1 << 4,   /* of perf.data */
    ELEMENT_HAS_THREAD = 1 << 5, /* the same */
    ELEMENT_CONTINUES = 1 << 6,  /* TIMED: a further record of the one before */
    ELEMENT_BRANCHES = 1 << 7,   /* X86: it is a branch */
};

/* All of INSN, and the first half of BRANCH. */
struct element_insn {
    uint8_t kind;
    uint8_t source; /* number of a source in the header */
    uint8_t mode;   /* number in element_modes */
    uint8_t how;    /* ELEMENT_ISET, ELEMENT_SHORT, ELEMENT_SKIPPED */
    uint32_t opcode;
    uint64_t pc;
};
enum {
    ELEMENT_A64,
    ELEMENT_A32,
    ELEMENT_T32,
    ELEMENT_ISET = 3,    /* which of them */
    ELEMENT_SHORT = 4,   /* of two bytes */
    ELEMENT_SKIPPED = 8, /* no branch, and not executed: its condition failed */
};
static_assert(sizeof(struct element_insn) == 16, "of the stream");
struct element_branch {
    struct element_insn insn;
    uint64_t target;
    uint8_t op; /* enum spoor_flow_op */
    uint8_t flags;
    uint8_t reserved[6];
};
static_assert(sizeof(struct element_branch) == 32, "of the stream");
struct element_other {
    uint8_t kind, source, mode, flags;
    uint32_t size; /* of all of it, a multiple of 8 */
    uint32_t number, text_size;
    uint64_t address, value;
    uint64_t reserved;
};
static_assert(sizeof(struct element_other) == 40, "of the stream");
/* The text is its name, of `name_size` bytes, and the text of the event. */
struct element_timed {
    uint8_t kind, op, name_size, flags;
    uint32_t size; /* as above */
    uint32_t number, text_size;
    uint64_t address, value, time;
    uint32_t thread, reserved;
};
static_assert(sizeof(struct element_timed) == 48, "of the stream");
struct element_x86 {
    uint8_t kind, op, length, flags; /* op: of a branch; length 0: the code is not known */
    uint32_t thread;
    uint64_t time, pc, target;
    uint8_t code[16];
};
static_assert(sizeof(struct element_x86) == 48, "of the stream");
enum { ELEMENT_MAX = 32 << 10 };

#define ELEMENT_MAGIC "CoreSight, decoded (1)\n\n"
#define ELEMENT_PERF_MAGIC "perf.data, decoded (1)\n\n"
#define ELEMENT_PT_MAGIC "Intel PT : decoded (1)\n\n"
enum {
    ELEMENT_MAGIC_SIZE = sizeof ELEMENT_MAGIC - 1,
    ELEMENT_NAME = 64, /* bytes of a source's name, with at least one 0 at its end */
    ELEMENT_SOURCES = 128,
};

/* Modes: an exception level and a world.  Which stack pointer is used (EL1h, EL1t) no trace unit
 * states. */
enum { ELEMENT_WORLDS = 4, ELEMENT_MODES = 1 + 4 * ELEMENT_WORLDS };
static const char element_modes[ELEMENT_MODES][8] = {
    "",      "EL0_s",  "EL0_ns", "EL0_rt", "EL0_rl", "EL1_s",  "EL1_ns", "EL1_rt", "EL1_rl",
    "EL2_s", "EL2_ns", "EL2_rt", "EL2_rl", "EL3_s",  "EL3_ns", "EL3_rt", "EL3_rl",
};

/* The size of the element at `at`; 0: it is longer than these bytes; SIZE_MAX: there is none. */
static inline size_t element_size(const void *at, size_t size)
{
    const uint8_t *bytes = at;
    if (size == 0) return 0;
    if (*bytes < ELEMENT_HEADER || *bytes >= ELEMENT_KINDS) return SIZE_MAX;
    if (*bytes == ELEMENT_INSN || *bytes == ELEMENT_BRANCH) {
        const size_t needed =
            *bytes == ELEMENT_INSN ? sizeof(struct element_insn) : sizeof(struct element_branch);
        return size < needed ? 0 : needed;
    }
    if (*bytes == ELEMENT_X86)
        return size < sizeof(struct element_x86) ? 0 : sizeof(struct element_x86);
    const size_t first =
        *bytes >= ELEMENT_TIMED_NOTE ? sizeof(struct element_timed) : sizeof(struct element_other);
    struct element_other other; /* sizes stand in the same place of both */
    if (size < first) return 0;
    memcpy(&other, at, sizeof other);
    if (other.size < first || other.size > ELEMENT_MAX || other.size % 8 ||
        other.text_size > other.size - first)
        return SIZE_MAX;
    return other.size > size ? 0 : other.size;
}

#endif
