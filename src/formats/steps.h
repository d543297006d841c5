/* SPDX-License-Identifier: MIT */
/*
 * steps.h: the instructions that retired, and where each led, of any trace of RISC-V: what an
 * encoder of packets needs.
 *
 * Where execution went is what the next instruction of the same processor says, or the trace's own
 * record of the branch.  An instruction that traps does not retire: it is none of the steps, and
 * the trap follows the one before it.  Where neither a branch nor a trap leads to the next
 * instruction, the trace lacks something: the steps end and begin again.
 */
#ifndef SPOOR_FORMATS_STEPS_H
#define SPOOR_FORMATS_STEPS_H

#include "isa/riscv_jump.h"
#include "spoor/batch.h"

/* An instruction that retired. */
struct step {
    uint64_t pc, opcode, time;
    uint64_t target; /* of a direct jump or branch */
    uint64_t next;   /* where execution went on, `goes_on`, before any trap */
    struct riscv_jump jump;
    struct riscv_constant constant; /* that it loads */
    uint8_t size;                   /* bytes */
    uint8_t privilege;              /* 0 to 3 (U, S, -, M); STEP_UNSTATED */
    uint64_t context;               /* has_context */
    bool has_context, has_time, goes_on;
    bool conditional, indirect, taken; /* conditional and taken, or an unconditional jump */
    bool returns_from_trap;
};
enum { STEP_UNSTATED = 4 };

/* A trap after it. */
struct step_trap {
    bool interrupt, numbered, has_epc, has_value;
    uint64_t number, epc, value;
};
enum { STEP_TRAPS = 4 /* without an instruction between them */ };

/* What comes after it. */
struct step_after {
    const struct step_trap *traps;
    unsigned trap_count;
    bool ends, lost;   /* no step of the trace follows it; because a part was lost */
    uint64_t next;     /* of the next step, where it does not end: of a trap, its handler */
    uint8_t privilege; /* of it */
    uint64_t context;  /* of it, has_context */
    bool has_context;
};

struct steps;
/* NULL: memory ran out.  `step` is called for each step, in the order of its processor; `cpu`: its
 * number, from 0 in the order of appearance.  `lost`: records that could not become steps. */
struct steps *steps_new(void (*step)(void *context, unsigned cpu, const struct step *step,
                                     const struct step_after *after),
                        void *context);
/* The name of a processor, empty where the trace has none, until the next call of another function.
 */
const char *steps_cpu_name(const struct steps *steps, unsigned cpu);
/* Takes a record.  False: it is of a kind that is no part of the flow, or could not be used. */
bool steps_add(struct steps *steps, const struct spoor_batch *batch, size_t index);
/* Nothing leads from the records before to those after. */
void steps_break(struct steps *steps);
/* Instructions and traps that could not be given: without an opcode, a last branch of which the
 * trace does not say whether it was taken. */
uint64_t steps_left_out(const struct steps *steps);
bool steps_failed(const struct steps *steps); /* memory ran out */
void steps_free(struct steps *steps);

#endif
