/* SPDX-License-Identifier: MIT */
/*
 * fault.h: why a processor faulted, as the trace states it.
 *
 *     spoor_explorer_fault(explorer, moment, -1, &fault, &error);
 *     ... fault->access, fault->steps, fault->registers ...
 *     spoor_processor_fault_free(fault);
 *
 * A fault is what the trace states between two instructions: an aborted access, an exception that
 * is a fault (an abort, an undefined instruction, the faults of Cortex-M), INFO_EXCEPTION_REASON
 * with the phase RAISE, a lockup.  What the trace does not state is absent.
 */
#ifndef SPOOR_FAULT_H
#define SPOOR_FAULT_H

#include "explore.h"

#ifdef __cplusplus
extern "C" {
#endif

enum spoor_fault_access {
    SPOOR_FAULT_NO_ACCESS, /* none is stated */
    SPOOR_FAULT_READ,
    SPOOR_FAULT_WRITE,
    SPOOR_FAULT_FETCH, /* of an instruction */
};
enum spoor_fault_step_kind {
    SPOOR_FAULT_RAISED,
    SPOOR_FAULT_ESCALATED, /* it became the exception `name` */
    SPOOR_FAULT_TAKEN,     /* an exception was taken */
    SPOOR_FAULT_LOCKUP,
    SPOOR_FAULT_RESET,
};
/* What the trace states of a fault, in its order. */
struct spoor_fault_step {
    uint64_t record;
    uint64_t number;  /* of the exception, `numbered` */
    uint64_t address; /* that it states, `addressed` */
    char name[48];    /* of the exception: "MEMMANAGE" */
    char words[128];  /* why, in the words of the trace; or "" */
    uint8_t kind;     /* enum spoor_fault_step_kind */
    bool numbered, addressed;
};
/* A register of the machine that says more of a fault: CFSR, ESR_EL1, mcause. */
struct spoor_fault_register {
    uint64_t record; /* of its write, or of the access by which the handler read it */
    uint64_t value;
    char name[16];
    char words[224]; /* its meaning; or "" */
    bool read;       /* the handler read it; else the fault wrote it */
};
enum { SPOOR_FAULT_STEPS = 16, SPOOR_FAULT_REGISTERS = 16 };
struct spoor_processor_fault {
    uint64_t record, time;    /* the first record that states something of it */
    uint64_t end;             /* the records before the handler's first instruction, or all */
    uint64_t instruction, pc; /* the last instruction before it, `has_instruction` */
    uint64_t handler;         /* the instruction after it, `handled` */
    uint64_t address;         /* of the access */
    uint32_t size;            /* bytes of the access; 0: not stated */
    uint32_t cpu;
    uint8_t access; /* enum spoor_fault_access */
    bool has_instruction, handled;
    struct spoor_fault_step steps[SPOOR_FAULT_STEPS];
    uint32_t step_count;
    uint64_t more_steps; /* after a lockup, and those over the limit */
    struct spoor_fault_register registers[SPOOR_FAULT_REGISTERS];
    uint32_t register_count;
    /* What the address was made of, before the instruction: a register, or the bytes that a return
     * read; `has_pointer`. */
    struct spoor_subject pointer;
    char pointer_name[48];
    bool has_pointer;
};

/* Finds the last fault before a moment, of one processor, or of any: -1.  SPOOR_END, with a
 * sentence: the trace states none.  On SPOOR_OK the caller owns *fault. */
enum spoor_status spoor_explorer_fault(struct spoor_explorer *explorer, uint64_t moment, int cpu,
                                       struct spoor_processor_fault **fault,
                                       struct spoor_error *error);
void spoor_processor_fault_free(struct spoor_processor_fault *fault); /* NULL is allowed */

#ifdef __cplusplus
}
#endif

#endif
