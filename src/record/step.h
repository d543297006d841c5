/* SPDX-License-Identifier: MIT */
/*
 * record/step.h: from events to steps: one instruction that was executed, with what it did and
 * where execution went on.
 *
 * A step is complete when its cpu begins the next one: only then all accesses are known, and
 * whether a branch was taken.  The last step of each cpu has no next.
 */
#ifndef SPOOR_RECORD_STEP_H
#define SPOOR_RECORD_STEP_H

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
    uint64_t value;
    uint8_t reg; /* enum event_register */
};

struct step {
    const struct instruction *instruction;
    uint32_t number; /* of the instruction in the dictionary */
    uint32_t cpu;
    uint8_t size;               /* of the instruction in bytes: see step.c on where QEMU is wrong */
    uint64_t next;              /* pc of the cpu's next step, where has_next */
    uint32_t accesses, changes; /* how many; they lie in the arrays of struct steps, in order */
    bool has_next;
    bool anew; /* the cpu's step before is not here (or there was none): REGISTERS more changes, in
                * the order of enum event_register, come first and say what held before this one */
};

/* A run of steps of all cpus in order. */
struct steps {
    size_t count, access_count, change_count;
    struct step *steps;
    struct access *accesses;
    struct change *changes;
    size_t access_room, change_room;
};
enum { STEPS_MOST = 1024 };

/* Which part of the execution is wanted. */
struct selection {
    bool has_start, has_stop, has_limit, has_cpu;
    uint64_t start; /* from the first time this pc is executed */
    uint64_t stop;  /* to the first time after that when this pc would be */
    uint64_t skip;  /* leave out so many instructions of those */
    uint64_t limit; /* end after so many */
    uint32_t cpu;   /* only this one */
};

struct pending {
    bool begun;
    bool emitted;                  /* the step before this one was selected */
    uint64_t registers[REGISTERS]; /* before it began */
    uint32_t number;
    size_t access_count, access_room, change_count, change_room;
    struct access *accesses;
    struct change *changes;
};

struct assembler {
    enum machine_id machine;
    const struct instruction *instructions;
    struct selection selection;
    bool with_registers;
    bool started, done; /* the selection's begin was reached; its end was */
    uint64_t skipped, taken;
    uint32_t cpus; /* cpus seen: highest number + 1 */
    bool out_of_memory, damaged;
    struct pending pending[CPUS_MOST];
    struct steps steps;
};

/* False without memory. */
bool assembler_open(struct assembler *assembler, enum machine_id machine,
                    const struct instruction *instructions, bool with_registers,
                    const struct selection *selection);
void assembler_close(struct assembler *assembler);

/* Take the words of a block from *at on; returns true when assembler->steps is full (use them, set
 * their counts to 0, call again) and false when all words are used up. */
bool assembler_feed(struct assembler *assembler, const struct block *block, uint32_t *at);
/* The last steps of all cpus, without a next. */
void assembler_end(struct assembler *assembler);
void steps_clear(struct steps *steps);

#endif
