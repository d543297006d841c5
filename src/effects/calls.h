/* SPDX-License-Identifier: MIT */
/*
 * calls.h: the open calls of each processor, by what its instructions do.
 *
 * The rule.  An instruction that is not followed by the one after it has gone elsewhere; what its
 * opcode says (isa/opcode.h), where it arrived and the stack pointer tell why.
 *
 *   call       A64 BL, BLR; A32 and T32 BL, BLX; RISC-V JAL, JALR and C.JALR that write ra or t0;
 *              x86 CALL; and any other jump whose link register was written at most 8
 *              instructions before, to an address at most 64 bytes after the jump (hand-written
 *              assembly: MOV LR, PC).  A frame is opened: it will return to what is after the
 *              call, or to what the link register says, with the stack pointer as it is now.
 *   return     an arrival where an open frame returns to, with its stack pointer; the frames that
 *              were opened after it are closed with it.  Where the trace does not tell the stack
 *              pointer, the instruction must be a return: A64 RET; A32 and T32 BX LR, MOV PC, LR,
 *              POP {PC}; RISC-V JALR from ra or t0; x86 RET; or a jump to where the link register
 *              points.
 *   longjmp    a return that no frame expects, with a stack pointer between that of the innermost
 *              call and 4 KiB above that of the outermost: the frames below it are closed.  (A jump
 *              of another kind closes only those that it has left for sure.)  At most 4 KiB below
 *              the innermost it is a jump inside the function.
 *   thread     a return that no frame expects, to any other stack pointer, or to one that a stack
 *   switch     of calls put aside expects: the stack of calls is put aside, and that one, or an
 *              empty one, is gone on with.  Up to 64 are kept for each processor.
 *   tail call  a jump to a function keeps the frame of the function that jumps: both end together.
 *   exception  an instruction that does not branch goes elsewhere, or a branch arrives where it
 * does not lead: a frame of kind CALL_EXCEPTION is opened, which returns to the instruction or to
 * the one after it.  A64 ERET, A32 and T32 RFE, LDM with ^, SUBS PC and ERET, RISC-V MRET, SRET,
 * URET and MNRET, x86 IRET close the innermost such frame; a T32 return that arrives where one
 * returns to does so too (Cortex-M). branch     typed calls and returns of traces that have nothing
 * else are taken at their word. traces
 *
 * Feed every record in order; state is small and can be packed for an index.
 */
#ifndef SPOOR_EFFECTS_CALLS_H
#define SPOOR_EFFECTS_CALLS_H

#include "base/varint.h"
#include "effects/machine.h"

enum call_kind { CALL_PLAIN, CALL_EXCEPTION };
enum call_has { CALL_HAS_BACK = 1 << 0, CALL_HAS_SP = 1 << 1 };
struct call_frame {
    uint64_t record, time; /* of the instruction that called, or that was interrupted */
    uint64_t from;         /* its pc */
    uint64_t function;     /* where it went */
    uint64_t back;         /* where it returns to, HAS_BACK */
    uint64_t sp;           /* stack pointer at the call, HAS_SP */
    uint8_t kind;          /* enum call_kind */
    uint8_t has;           /* enum call_has */
    uint8_t reserved[6];   /* 0 */
};
/* Innermost last. */
struct call_stack {
    struct call_frame *frames;
    size_t count, capacity;
    size_t low; /* the fewest frames since it was packed last */
};

/* The last instruction of a processor. */
struct call_place {
    bool known;
    uint64_t record, time, pc;
    uint32_t bits;
    uint8_t size; /* bytes, 0 unknown */
    uint8_t iset;
    bool has_bits, skipped;
};

/* Where a call ends or a frame is opened: the instruction that was arrived at. */
struct call_moment {
    uint64_t record, time, pc;
};
enum call_end {
    CALL_RETURNED,
    CALL_ABANDONED, /* a longjmp, or the return of a caller, closed it */
};
/* Whom to tell; any function may be NULL. */
struct call_listener {
    void *context;
    /* `depth`: frames below it */
    void (*enter)(void *context, unsigned cpu, const struct call_frame *frame, size_t depth,
                  const struct call_moment *at);
    void (*leave)(void *context, unsigned cpu, const struct call_frame *frame, size_t depth,
                  const struct call_moment *at, enum call_end end);
    /* another stack of calls is now the processor's: what was open on the last one stays so */
    void (*switched)(void *context, unsigned cpu, const struct call_stack *now,
                     const struct call_moment *at);
};

struct calls;

/* No calls yet; NULL if memory runs out.  `listener` NULL: nobody. */
struct calls *calls_new(const struct call_listener *listener);
void calls_free(struct calls *calls);
/* Records of another stream come now (of the same trace: nothing else changes). */
void calls_enter(struct calls *calls);
/* The next record, of this processor; false if memory runs out. */
bool calls_add(struct calls *calls, struct machine *machine, const struct spoor_batch *batch,
               size_t index, unsigned cpu);
/* All of a batch. */
bool calls_feed(struct calls *calls, struct machine *machine, const struct spoor_batch *batch);

/* The open calls of a processor: never NULL. */
const struct call_stack *calls_stack(const struct calls *calls, unsigned cpu);
/* Its last instruction. */
const struct call_place *calls_place(const struct calls *calls, unsigned cpu);
/* Its stack pointer, if known. */
bool calls_stack_pointer(const struct calls *calls, unsigned cpu, uint64_t *sp);

/* Append what changed since it was packed last; `whole`: all of it. */
void calls_pack(struct calls *calls, bool whole, struct text *text);
/* Apply that to what was packed before it; false: it is damaged or memory ran out. */
bool calls_unpack(struct calls *calls, struct unpacker *from);

#endif
