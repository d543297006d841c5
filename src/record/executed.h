/* SPDX-License-Identifier: MIT */
/*
 * record/executed.h: executed instructions, from events: each with its effects and the next pc.
 *
 * An executed instruction is complete when its cpu begins the next one: only then all accesses and
 * the outcome of a branch are known.  The last one of each cpu has no next pc.
 */
#ifndef SPOOR_RECORD_EXECUTED_H
#define SPOOR_RECORD_EXECUTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/events.h"
#include "record/guest.h"

struct access {
    uint64_t address;
    uint64_t data[2]; /* as a little-endian number, where has_data */
    uint16_t size;    /* bytes */
    bool store;
    bool has_data;
};

struct change {
    uint64_t value[2]; /* the second: of vectors */
    uint8_t reg;       /* enum event_register */
};

struct executed_instruction {
    const struct instruction *instruction;
    uint32_t number; /* of the instruction in the dictionary */
    uint32_t cpu;
    uint8_t size;  /* of the instruction in bytes; executed.c corrects errors of QEMU */
    uint64_t next; /* pc of the cpu's next instruction, if has_next */
    uint32_t accesses, changes; /* their numbers; they lie in the arrays of struct executions, in
                                 * order */
    bool has_next;
    bool anew; /* the cpu's previous instruction is not selected (or there was none): REGISTERS
                * additional changes, in the order of enum event_register, come first and have the
                * values before this one */
};

/* Consecutive executed instructions of all cpus. */
struct executions {
    size_t count, access_count, change_count;
    struct executed_instruction *executions;
    struct access *accesses;
    struct change *changes;
    size_t access_capacity, change_capacity;
};
enum { MAX_EXECUTED = 1024 };

/* The selected part of the execution. */
struct selection {
    bool has_start, has_stop, has_limit, has_cpu;
    uint64_t start; /* from the first execution of this pc */
    uint64_t stop;  /* up to the next execution of this pc after that */
    uint64_t skip;  /* then leave out this many instructions */
    uint64_t limit; /* then skip this many instructions */
    uint32_t cpu;   /* only this one */
};

struct pending_instruction {
    bool begun;
    bool emitted;                     /* the previous instruction was selected */
    uint64_t registers[REGISTERS][2]; /* before it began */
    uint32_t number;
    size_t access_count, access_capacity, change_count, change_capacity;
    struct access *accesses;
    struct change *changes;
};

struct assembler {
    enum machine_id machine;
    const struct instruction *instructions;
    struct selection selection;
    bool with_registers;
    bool started, done; /* the begin of the selection was reached; its end was reached */
    uint64_t skipped, taken;
    uint32_t cpus; /* cpus seen: highest number + 1 */
    bool out_of_memory, damaged;
    struct pending_instruction pending[MAX_CPUS];
    struct executions executions;
};

/* False if memory runs out. */
bool assembler_open(struct assembler *assembler, enum machine_id machine,
                    const struct instruction *instructions, bool with_registers,
                    const struct selection *selection);
void assembler_close(struct assembler *assembler);

/* Process the words of a block from *at on; returns true when assembler->executions is full (use
 * them, set their counts to 0, call again) and false when all words are processed. */
bool assembler_feed(struct assembler *assembler, const struct block *block, uint32_t *at);
/* The last instructions of all cpus, without a next pc. */
void assembler_end(struct assembler *assembler);
void executed_clear(struct executions *executions);

#endif
