/* SPDX-License-Identifier: MIT */
/*
 * calls.h: the open calls of each processor, derived from its instructions.
 *
 * An instruction transfers control if the next one in memory does not follow it.  Its opcode
 * (isa/opcode.h), the address of arrival and the stack pointer determine the kind of transfer:
 *
 *   call       A64 BL, BLR; A32 and T32 BL, BLX; RISC-V JAL, JALR and C.JALR that write ra or t0;
 *              x86 CALL; and any other jump whose link register was written at most 8
 *              instructions before, to an address at most 64 bytes after the jump (hand-written
 *              assembly: MOV LR, PC).  It opens a frame.  The frame stores the return address (the
 *              instruction after the call, or the link register) and the current stack pointer.
 *   return     an arrival at the return address of an open frame, with its stack pointer.  The
 *              frames opened after it are closed with it.  If the trace does not state the stack
 *              pointer, the instruction must be a return: A64 RET; A32 and T32 BX LR, MOV PC, LR,
 *              POP {PC}; RISC-V JALR from ra or t0; x86 RET; or a jump to the address in the link
 *              register.
 *   longjmp    a return that no frame expects, with a stack pointer between that of the innermost
 *              call and 4 KiB above that of the outermost.  The frames below it are closed.  (A
 *              jump of another kind closes only the frames that it has certainly left.)  At most
 *              4 KiB below the innermost call, it is a jump inside the function.
 *   thread     a return that no frame expects, with any other stack pointer, or one that a stack of
 *   switch     calls set aside expects.  The current stack of calls is set aside, and that one, or
 *              an empty one, becomes current.  Each processor has at most 64 stacks set aside.
 *   tail call  a jump to a function keeps the frame of the function that jumps; both end together.
 *   exception  an event states it (event.h), or without one, control leaves an instruction that is
 *              not a branch, or a branch arrives elsewhere than at its target.  A branch before
 *              the event arrived at the address that the event, or ELR_ELx, states; the exception
 *              interrupts it there.  Events without an instruction between them nest; at the end of
 *              the trace, the handler has not begun.  A reset closes all.  This opens a frame of
 *              kind CALL_EXCEPTION, which returns to the instruction or to the one after it.  A64
 *              ERET; A32 and T32 RFE, LDM with ^, SUBS PC and ERET; RISC-V MRET, SRET, URET and
 *              MNRET; and x86 IRET close the innermost such frame.  Where none is open, they go on
 *              with a stack of calls that was interrupted at the place of arrival, or else close
 *              the frames that do not expect it: a switch to a lower level.
 *              A return may also arrive at most 4 bytes after that instruction, because commit logs
 *              leave out the instruction that trapped.  An arrival at the handler itself is the end
 *              of one exception and the beginning of the next.
 *   M profile  enters a handler, without an event too, where handler mode follows thread mode, or
 *              where a branch is followed by an EXC_RETURN in the link register.  An exception
 *              returns by a branch through a register or from memory that leaves handler mode, that
 *              uses an EXC_RETURN in the link register, after which the link register changes
 *              (it is unstacked), or that arrives at the return address.  The next exception is
 *              tail-chained if nothing was unstacked between.  An exception that states the return
 *              address of the one before it, or whose entry alone wrote EXC_RETURN, came late and
 *              displaced it.  EXC_RETURN states whether another exception is still active.
 *   tasks      of the M profile are stacks of calls, too.  A return to thread mode reads the
 *              stacked registers at PSP: where they were stacked when the task was interrupted, it
 *              goes on.  Where the trace does not state PSP, the address decides.
 *   security   BXNS and BLXNS of the M profile change to code with its own stack pointer: a return
 *              to a frame is known by its address alone.
 *   gap        instructions that are not in the trace, where it states that (gap.h: the numbers of
 *              the instructions; or an event): all calls and exceptions of the processor end, of
 *              all its stacks, and control arrives from nowhere.
 *   omission   RISC-V: control arrives at most 64 bytes after an instruction that is not a branch,
 *              without an event: the trace leaves out instructions.  Nothing is opened or closed.
 *   branch     without opcodes, the types of branches that the trace states are the calls and
 *   traces     returns (ChampSim, CVP-1, BT9, SBBT).  A return ends the innermost frame whose call
 *              lies at most 15 bytes before the place of arrival, or else the innermost frame.
 *              Longjmps and thread switches of such a trace are unknown, and so are exceptions,
 *              unless an event states them before the branch (perf).
 *   samples    a sample with its callers (perf) states the whole stack of its thread.  The frames
 *              that it shares with the sample before are the same calls, from the outermost to
 *              the first at another address.  The others of the sample before have returned, and
 *              those of this one are entered.  Of several events that are sampled, the first with
 *              a stack counts.  A thread with branches or instructions before its first stack has
 *              its calls from these.
 *
 * Pass every record in order.  The state is small and can be packed for an index.
 */
#ifndef SPOOR_EFFECTS_CALLS_H
#define SPOOR_EFFECTS_CALLS_H

#include "base/varint.h"
#include "effects/machine.h"

enum call_kind { CALL_PLAIN, CALL_EXCEPTION };
enum call_has {
    CALL_HAS_BACK = 1 << 0,
    CALL_HAS_SP = 1 << 1,
    CALL_IS_SAMPLED = 1 << 2, /* by the stack of a sample: `function` is an address in it */
    CALL_NOT_BEGUN = 1 << 3,  /* no instruction of the handler ran yet: `function` may be 0 */
    CALL_IS_CHAINED = 1 << 4, /* exception: taken at the return from another one (tail-chaining) */
    CALL_IS_LATE = 1 << 5,    /* exception: taken instead of one whose entry had begun */
    CALL_MAY_RETURN = 1 << 6, /* exception: it may have interrupted a return, to an unknown place */
    CALL_FROM_UNKNOWN = 1 << 7, /* exception: no instruction or event states what it interrupted */
};
struct call_frame {
    uint64_t record, time; /* the calling or interrupted instruction */
    uint64_t from;         /* pc of that instruction */
    uint64_t function;     /* address of arrival */
    uint64_t back;         /* return address; valid with HAS_BACK */
    uint64_t sp;           /* stack pointer at the call; valid with HAS_SP */
    uint8_t kind;          /* enum call_kind */
    uint8_t has;           /* enum call_has */
    uint8_t reserved[2];   /* 0 */
    int32_t fork;          /* exception: distance from `back` to another place it may return to */
};
/* False for an exception whose handler had not begun: where it is, nothing has stated yet. */
static inline bool call_frame_knows_function(const struct call_frame *frame)
{
    return frame->function || !(frame->has & CALL_NOT_BEGUN);
}
/* The frames; the innermost is last. */
struct call_stack {
    struct call_frame *frames;
    size_t count, capacity;
    size_t low;      /* minimum number of frames since it was last packed */
    uint32_t thread; /* number of the stack, from 0 in the order in which they were current */
    /* M profile: the task that was interrupted, until it goes on */
    bool resumes, has_place;
    uint64_t resume; /* the address where it goes on, `resumes` */
    uint64_t place;  /* PSP after the registers were stacked, `has_place` */
};

/* The last instruction of a processor. */
struct call_place {
    bool known;
    uint64_t record, time, pc;
    uint32_t bits;
    uint8_t size; /* in bytes; 0: unknown */
    uint8_t iset;
    bool has_bits, skipped;
    bool is_insn; /* an INSN record; else a micro-op or a branch without its instruction */
    bool ran_on;  /* tracing ended there, and the trace states that execution did not */
};

/* The instruction where a call ends or a frame is opened. */
struct call_moment {
    uint64_t record, time, pc;
};
enum call_end {
    CALL_RETURNED,
    CALL_ABANDONED, /* closed by a longjmp, or by the return of a caller */
    CALL_LOST,      /* a gap: whether it returned is not in the trace */
};
/* Instructions of a processor that are not in the trace. */
struct call_gap {
    uint64_t record;       /* the first record after it, or the event that states it */
    uint64_t instructions; /* how many; 0: the trace does not state it */
};
/* Functions that are called at each event; any may be NULL. */
struct call_listener {
    void *context;
    /* `depth`: number of frames below it */
    void (*enter)(void *context, unsigned cpu, const struct call_frame *frame, size_t depth,
                  const struct call_moment *at);
    void (*leave)(void *context, unsigned cpu, const struct call_frame *frame, size_t depth,
                  const struct call_moment *at, enum call_end end);
    /* the processor now has another stack of calls; the frames of the previous one stay open */
    void (*switched)(void *context, unsigned cpu, const struct call_stack *now,
                     const struct call_moment *at);
    /* after the calls that the stack of a sample states: the thread was at `at` */
    void (*sampled)(void *context, unsigned cpu, const struct call_moment *at);
    /* after the calls of the current stack, the calls of all others have ended, too; the processor
     * now has the stack `after`, another one if it had several */
    void (*lost)(void *context, unsigned cpu, const struct call_stack *after,
                 const struct call_moment *at, const struct call_gap *gap);
};

struct calls;

/* Returns a state without open calls; NULL if memory runs out.  `listener` may be NULL. */
struct calls *calls_new(const struct call_listener *listener);
void calls_free(struct calls *calls);
/* Adds the next record, which belongs to this processor; false if memory runs out. */
bool calls_add(struct calls *calls, struct machine *machine, const struct spoor_batch *batch,
               size_t index, unsigned cpu);
/* True if an access of a processor is to be added, too, which else says nothing of calls: it is the
 * first record of the processor, or records that a selection left out are noted. */
bool calls_wants_access(const struct calls *calls, unsigned cpu);
/* Adds an instruction to which the last one of its processor leads, through `passed` others that
 * were not added, each at the address after the one before it.  `halves`: one of them has two bytes
 * and no stated instruction set. */
bool calls_continue(struct calls *calls, const struct spoor_batch *batch, size_t index,
                    unsigned cpu, uint32_t passed, bool halves);
/* Returns the size of an instruction in bytes; 0: unknown. */
static inline uint8_t call_insn_size(const struct spoor_insn *insn)
{
    if (insn->opcode_size) return insn->opcode_size;
    return insn->iset == 'O' || insn->iset == 'C' || insn->iset == 'A' ? 4 : 0;
}
/* No record follows: completes the stack of the last sample, and opens the exceptions that events
 * stated but no instruction followed.  False: memory ran out. */
bool calls_end(struct calls *calls);
/* Completes the stack of the last sample. */
void calls_end_sample(struct calls *calls);
/* True if the frames of the last sample may go on in the next record. */
bool calls_await_frames(const struct calls *calls);
/* Adds all records of a batch. */
bool calls_feed(struct calls *calls, struct machine *machine, const struct spoor_batch *batch);

/* Returns the open calls of a processor; never NULL. */
const struct call_stack *calls_stack(const struct calls *calls, unsigned cpu);
/* Returns the last instruction of a processor. */
const struct call_place *calls_place(const struct calls *calls, unsigned cpu);
/* Finds the last gap of a processor; false if there was none. */
bool calls_gap(const struct calls *calls, unsigned cpu, struct call_gap *gap);
/* Finds the stack pointer of a processor; false if it is unknown. */
bool calls_stack_pointer(const struct calls *calls, unsigned cpu, uint64_t *sp);

/* Appends the changes since the state was last packed; `whole`: the whole state. */
void calls_pack(struct calls *calls, bool whole, struct text *text);
/* Applies packed changes to the state that they refer to; false if they are damaged or memory runs
 * out. */
bool calls_unpack(struct calls *calls, struct unpacker *from);

#endif
