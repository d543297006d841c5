/* SPDX-License-Identifier: MIT */
/* calls.c: opens and closes frames at transfers of control. */
#include "effects/calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/ascii.h"
#include "effects/calls_state.h"
#include "effects/event.h"
#include "formats/format.h"
#include "isa/opcode.h"
#include "isa/riscv_zc.h"
#include "spoor/view.h"

enum {
    LINK_AGE = 8,
    LINK_NEAR = 64,
    LINK_OLD = 255,
    STACK_NEAR = 4096,
    OMITTED_BYTES = 64,
    UNLOGGED_BYTES = 4,
    MIPS_SIZE = 4,
    CALL_BYTES = 15, /* the longest instruction: of x86 */
    EXC_RETURN_THREAD = 1 << 3,
};

/* The meaning of a name of the stream: the macro-op of an x86 instruction, or a mode. */
enum call_word {
    WORD_ASKED = 1 << 0,
    WORD_CALL = 1 << 1,
    WORD_RETURN = 1 << 2,
    WORD_IRET = 1 << 3,
    WORD_HANDLER = 1 << 4, /* a mode: handler mode of the M profile */
};

/* A transfer of control: an instruction that the next one in memory does not follow. */
struct jump {
    struct calls *calls;
    struct call_cpu *cpu;
    unsigned number; /* number of the processor */
    const struct machine *machine;
    struct call_moment at; /* the instruction where control arrives */
    uint64_t next_pc;      /* pc of the next instruction in memory */
    bool is_entered;       /* an exception was taken there, whose effects came before */
};

/* ---- names ---- */

static uint8_t calls_word(struct calls *calls, const struct machine *machine, spoor_name name)
{
    struct call_opcodes *words = &calls->words;
    if (!words->says) {
        words->capacity = (size_t)SPOOR_NAMES_FULL + 1;
        words->says = calloc(words->capacity, 1);
        if (!words->says) {
            calls->out_of_memory = true;
            return 0;
        }
    }
    if (words->names != machine->stream_names) { /* another stream of the same trace */
        memset(words->says, 0, words->capacity);
        words->names = machine->stream_names;
    }
    if (!words->says[name]) {
        size_t size;
        const char *text = spoor_names_text(machine->stream->names, name, &size);
        words->says[name] =
            (uint8_t)(WORD_ASKED | (ascii_some_begins(text, size, "CALL") ? WORD_CALL : 0) |
                      (ascii_some_begins(text, size, "RET") ? WORD_RETURN : 0) |
                      (ascii_some_begins(text, size, "IRET") ? WORD_IRET : 0) |
                      (machine_m_mode(text) == MACHINE_HANDLER ? WORD_HANDLER : 0));
    }
    return words->says[name];
}

/* ---- memory ---- */

struct calls *calls_new(const struct call_listener *listener)
{
    struct calls *calls = calloc(1, sizeof *calls);
    if (calls && listener) calls->listener = *listener;
    return calls;
}

void calls_free(struct calls *calls)
{
    if (!calls) return;
    for (size_t i = 0; i < calls->cpu_count; i++) {
        free(calls->cpus[i].stack.frames);
        for (unsigned j = 0; j < PARKED; j++) free(calls->cpus[i].parked[j].frames);
    }
    free(calls->cpus);
    free(calls->sample.frames);
    free(calls->words.says);
    free(calls);
}

/* ---- opening and closing ---- */

static size_t calls_innermost_exception(const struct call_stack *stack)
{
    size_t i = stack->count;
    while (i > 0 && stack->frames[i - 1].kind != CALL_EXCEPTION) i--;
    return i;
}

/* True for BXNS and BLXNS of the M profile: the stack pointer is another one after them. */
static bool calls_leaves_secure(const struct call_place *last)
{
    return last->size == 2 && last->iset == 'T' && (last->bits & 0xFF07) == 0x4704;
}

static void calls_open_frame(const struct jump *jump, struct call_frame frame)
{
    struct calls *calls = jump->calls;
    struct call_cpu *cpu = jump->cpu;
    if (frame.kind == CALL_EXCEPTION) cpu->link_age = LINK_OLD; /* no handler calls by it */
    if (frame.kind == CALL_EXCEPTION && !(frame.has & CALL_IS_CHAINED) &&
        calls_innermost_exception(&cpu->stack) == 0) {
        cpu->stack.has_place = cpu->on_process && cpu->has_process;
        cpu->stack.place = cpu->process;
        cpu->stack.resumes = (frame.has & CALL_HAS_BACK) && !frame.fork;
        cpu->stack.resume = frame.back & ~UINT64_C(1);
    }
    if (cpu->has_sp && (frame.kind == CALL_EXCEPTION || !calls_leaves_secure(&cpu->last))) {
        frame.sp = cpu->sp;
        frame.has |= CALL_HAS_SP;
    }
    if (!call_stack_push(&cpu->stack, &frame)) {
        calls->out_of_memory = true;
        return;
    }
    if (calls->listener.enter)
        calls->listener.enter(calls->listener.context, jump->number, &frame, cpu->stack.count - 1,
                              &jump->at);
}

/* Closes frames until `count` are left.  The outermost closed frame ends with `end`, the others are
 * abandoned, but all are lost together. */
static void calls_close_frames(const struct jump *jump, size_t count, enum call_end end)
{
    struct call_stack *stack = &jump->cpu->stack;
    const struct call_listener *listener = &jump->calls->listener;
    while (stack->count > count) {
        stack->count--;
        if (listener->leave)
            listener->leave(listener->context, jump->number, &stack->frames[stack->count],
                            stack->count, &jump->at,
                            stack->count == count || end == CALL_LOST ? end : CALL_ABANDONED);
    }
    if (stack->count < stack->low) stack->low = stack->count;
}

static struct call_frame calls_frame(const struct jump *jump, enum call_kind kind,
                                     uint64_t function, uint64_t back)
{
    const struct call_place *last = &jump->cpu->last;
    return (struct call_frame){
        .record = last->record,
        .time = last->time,
        .from = last->pc,
        .function = function,
        .back = back,
        .kind = (uint8_t)kind,
        .has = CALL_HAS_BACK,
    };
}

/* ---- threads ---- */

/* Sets the current stack of calls aside and switches to another, or to an empty one. */
static void calls_switch_stack(const struct jump *jump, unsigned to)
{
    struct call_cpu *cpu = jump->cpu;
    struct call_stack next = {0};
    const bool found = to < cpu->parked_count;
    if (found) {
        next = cpu->parked[to];
    } else if (cpu->parked_count == PARKED) { /* the oldest is dropped; its memory is reused */
        next = cpu->parked[to = 0];
        next.count = 0;
    } else { /* after a gap there is memory of a stack that was lost */
        to = cpu->parked_count++;
        next.frames = cpu->parked[to].frames;
        next.capacity = cpu->parked[to].capacity;
    }
    if (!found) next.thread = ++cpu->threads;
    memmove(&cpu->parked[to], &cpu->parked[to + 1],
            (cpu->parked_count - to - 1) * sizeof *cpu->parked);
    cpu->parked[cpu->parked_count - 1] = cpu->stack;
    cpu->stack = next;
    cpu->stack.resumes = false;
    cpu->stack.low = 0;
    cpu->parked_changed = true;
    cpu->link_age = LINK_OLD; /* that of the other thread */
    const struct call_listener *listener = &jump->calls->listener;
    if (listener->switched)
        listener->switched(listener->context, jump->number, &cpu->stack, &jump->at);
}

/* ---- returns ---- */

static bool calls_returns_to(const struct call_frame *frame, uint64_t pc)
{
    if (frame->kind == CALL_EXCEPTION && frame->from == pc) return true;
    if (frame->kind == CALL_EXCEPTION && (frame->has & CALL_HAS_BACK) && pc > frame->back &&
        pc - frame->back <= UNLOGGED_BYTES)
        return true; /* after an instruction that trapped, which commit logs leave out */
    if (frame->fork && pc == frame->back + (uint64_t)(int64_t)frame->fork) return true;
    return (frame->has & CALL_HAS_BACK) && (frame->back & ~UINT64_C(1)) == (pc & ~UINT64_C(1));
}

/* The ways in which an arrival is accepted as a return. */
enum arrival {
    ARRIVAL_BY_RETURN, /* the instruction is a return: the stack pointer may be unknown */
    ARRIVAL_BY_JUMP,   /* any other instruction: the stack pointer must be that of the call */
};

/* Returns the number, from 1, of the innermost frame that expects this return; 0: none. */
static size_t calls_find_frame(const struct jump *jump, const struct call_stack *stack,
                               enum arrival arrival)
{
    for (size_t i = stack->count; i > 0; i--) {
        const struct call_frame *frame = &stack->frames[i - 1];
        if (calls_returns_to(frame, jump->at.pc)) {
            const bool known = frame->kind != CALL_EXCEPTION && (frame->has & CALL_HAS_SP) &&
                               jump->cpu->has_sp && !calls_leaves_secure(&jump->cpu->last);
            if (known ? frame->sp == jump->cpu->sp : arrival == ARRIVAL_BY_RETURN) return i;
        }
        if (arrival != ARRIVAL_BY_JUMP) continue;
        /* a jump leaves neither a handler nor a frame above the stack pointer */
        if (frame->kind == CALL_EXCEPTION) return 0;
        if ((frame->has & CALL_HAS_SP) && jump->cpu->has_sp && frame->sp > jump->cpu->sp) return 0;
    }
    return 0;
}

static void calls_end_frame(const struct jump *jump, size_t number)
{
    if (number == 0 || !jump->cpu->stack.frames) return;
    struct call_stack *stack = &jump->cpu->stack;
    const struct call_frame frame = stack->frames[number - 1];
    calls_close_frames(jump, number - 1, CALL_RETURNED);
    if (frame.kind != CALL_EXCEPTION) return;
    jump->cpu->sp = frame.sp; /* stack pointer of the interrupted mode */
    jump->cpu->has_sp = frame.has & CALL_HAS_SP;
    jump->cpu->link_age = LINK_OLD; /* restored, not made for a call */
    if (stack->count == 0 || stack->frames[stack->count - 1].function != jump->at.pc) return;
    /* a handler that was interrupted before its first instruction begins */
    stack->frames[stack->count - 1].has &= (uint8_t)~CALL_NOT_BEGUN;
    if (stack->count - 1 < stack->low) stack->low = stack->count - 1;
}

/* Closes the innermost frames whose calls were made below the stack pointer (or at it). */
static void calls_unwind(const struct jump *jump, bool at_it)
{
    const struct call_stack *stack = &jump->cpu->stack;
    size_t count = stack->count;
    if (!jump->cpu->has_sp) return;
    for (; count > 0; count--) {
        const struct call_frame *frame = &stack->frames[count - 1];
        if (frame->kind == CALL_EXCEPTION || !(frame->has & CALL_HAS_SP)) break;
        if (at_it ? frame->sp > jump->cpu->sp : frame->sp >= jump->cpu->sp) break;
    }
    if (count < stack->count) calls_close_frames(jump, count, CALL_ABANDONED);
}

static void calls_handle_return(const struct jump *jump)
{
    const struct call_stack *stack = &jump->cpu->stack;
    const size_t number = calls_find_frame(jump, stack, ARRIVAL_BY_RETURN);
    jump->cpu->link_age = LINK_OLD; /* the link register has been used */
    if (number) {
        calls_end_frame(jump, number);
        return;
    }
    /* no frame expects it */
    if (stack->count == 0 || !jump->cpu->has_sp) return;
    const struct call_frame *inner = &stack->frames[stack->count - 1], *outer = &stack->frames[0];
    if (!(inner->has & CALL_HAS_SP) || inner->kind == CALL_EXCEPTION) return;
    for (unsigned i = jump->cpu->parked_count; i-- > 0;) { /* the stack set aside last */
        const size_t other = calls_find_frame(jump, &jump->cpu->parked[i], ARRIVAL_BY_RETURN);
        if (!other) continue;
        calls_switch_stack(jump, i);
        calls_end_frame(jump, other);
        return;
    }
    const uint64_t sp = jump->cpu->sp;
    const uint64_t top = (outer->has & CALL_HAS_SP) ? outer->sp : UINT64_MAX - STACK_NEAR;
    if (sp < inner->sp && inner->sp - sp <= STACK_NEAR) return; /* a jump within the function */
    if (sp >= inner->sp && sp <= top + STACK_NEAR) {
        calls_unwind(jump, true);
        return;
    }
    calls_switch_stack(jump, PARKED);
}

/* ---- exceptions ---- */

/* True for the value that the link register has in a handler of the M profile. */
static bool calls_is_exc_return(uint64_t link)
{
    return link >= 0xFFFFFF80 && link < 0xFFFFFFFF; /* the value after a reset */
}

/* A return from an exception goes on with what another stack of calls was interrupted in; false:
 * none was interrupted there. */
static bool calls_resume_interrupted(const struct jump *jump)
{
    for (unsigned i = jump->cpu->parked_count; i-- > 0;) {
        const struct call_stack *parked = &jump->cpu->parked[i];
        const size_t other = calls_innermost_exception(parked);
        if (other == 0 || !calls_returns_to(&parked->frames[other - 1], jump->at.pc)) continue;
        calls_switch_stack(jump, i);
        calls_end_frame(jump, other);
        return true;
    }
    return false;
}

static void calls_handle_exception_return(const struct jump *jump)
{
    const struct call_stack *stack = &jump->cpu->stack;
    const size_t number = calls_innermost_exception(stack);
    if (number == 0) { /* of an exception before the trace, or a switch to a lower level */
        size_t caller = stack->count;
        if (calls_resume_interrupted(jump)) return;
        while (caller > 0 && !calls_returns_to(&stack->frames[caller - 1], jump->at.pc)) caller--;
        calls_close_frames(jump, caller ? caller - 1 : 0, caller ? CALL_RETURNED : CALL_ABANDONED);
        return;
    }
    const struct call_frame frame = jump->cpu->stack.frames[number - 1];
    if (calls_returns_to(&frame, jump->at.pc) || !(frame.has & CALL_HAS_BACK)) {
        calls_end_frame(jump, number);
        return;
    }
    if (frame.function == jump->at.pc) { /* the instruction after the return traps at once */
        struct call_frame again =
            calls_frame(jump, CALL_EXCEPTION, jump->at.pc, frame.back + UNLOGGED_BYTES);
        again.from = frame.back;
        calls_end_frame(jump, number);
        calls_open_frame(jump, again);
        return;
    }
    if (calls_resume_interrupted(jump)) return;
    calls_switch_stack(jump, PARKED);
}

/* Whether a task goes on at the moment: by the place of its stacked registers and that which they
 * are read from, or, where the trace does not state PSP, by the address. */
enum task_fit { TASK_DIFFERS, TASK_UNKNOWN, TASK_FITS };

static enum task_fit calls_fit_task(const struct jump *jump, const struct call_stack *task)
{
    const struct call_cpu *cpu = jump->cpu;
    if (task->has_place && cpu->had_process)
        return task->place == cpu->before ? TASK_FITS : TASK_DIFFERS;
    if (!task->resumes) return TASK_UNKNOWN;
    return task->resume == jump->at.pc ? TASK_FITS : TASK_DIFFERS;
}

static size_t calls_outermost_exception(const struct call_stack *stack)
{
    for (size_t i = 0; i < stack->count; i++)
        if (stack->frames[i].kind == CALL_EXCEPTION) return i + 1;
    return 0;
}

/* True if the link register was written with an EXC_RETURN after the last instruction. */
static bool calls_has_fresh_exc_return(const struct call_cpu *cpu)
{
    return cpu->has_link && cpu->link_age == 0 && calls_is_exc_return(cpu->link);
}

/* Handles an exception return of the M profile, which is a branch to a value of its own.
 * `handles`: the processor is in handler mode afterwards. */
static void calls_handle_m_return(const struct jump *jump, bool handles)
{
    const struct call_stack *stack = &jump->cpu->stack;
    const size_t number = calls_innermost_exception(stack);
    if (number == 0) return;
    const size_t outermost = calls_outermost_exception(stack);
    /* instructions of RTL of Cortex-M state no mode; only the entry of the next exception has then
     * written EXC_RETURN, if no handler goes on here */
    handles |= !jump->cpu->has_mode && calls_has_fresh_exc_return(jump->cpu);
    const bool thread = !handles && (jump->cpu->has_mode || number == outermost);
    const bool other = thread && calls_fit_task(jump, stack) == TASK_DIFFERS;
    for (size_t i = number; i > 0; i--) {
        const struct call_frame *frame = &stack->frames[i - 1];
        if (frame->kind != CALL_EXCEPTION || !calls_returns_to(frame, jump->at.pc)) continue;
        if (other && i == outermost && (stack->has_place || (frame->has & CALL_IS_CHAINED))) break;
        calls_end_frame(jump, i);
        return;
    }
    if (handles && (jump->is_entered || (stack->frames[number - 1].has & CALL_HAS_BACK))) {
        const struct call_frame ended = stack->frames[number - 1];
        calls_end_frame(jump, number);
        if (jump->is_entered) return; /* by the next exception */
        struct call_frame chained = calls_frame(jump, CALL_EXCEPTION, jump->at.pc, ended.back);
        chained.fork = ended.fork;
        chained.has = (ended.has & (CALL_HAS_BACK | CALL_MAY_RETURN)) | CALL_IS_CHAINED;
        calls_open_frame(jump, chained);
        return;
    }
    const size_t ended = thread ? outermost : number;
    const bool returns = stack->frames[ended - 1].has & CALL_MAY_RETURN;
    calls_end_frame(jump, ended);
    if (other) { /* the task that goes on here, or a new one */
        const struct call_cpu *cpu = jump->cpu;
        unsigned task = cpu->parked_count;
        while (task > 0 && calls_fit_task(jump, &cpu->parked[task - 1]) != TASK_FITS) task--;
        calls_switch_stack(jump, task ? task - 1 : PARKED);
    } else if (returns) {
        calls_end_frame(jump, calls_find_frame(jump, stack, ARRIVAL_BY_RETURN));
    }
}

/* ---- instructions ---- */

static struct opcode calls_opcode(const struct machine *machine, const struct call_cpu *cpu)
{
    const struct call_place *last = &cpu->last;
    const struct opcode unknown = {.flow = OPCODE_UNKNOWN};
    if (last->has_bits && machine->isa == ISA_MIPS) return opcode_mips(last->pc, last->bits);
    if (!last->has_bits || (last->size != 2 && last->size != 4)) return unknown;
    if (last->iset == 'O') return opcode_a64(last->pc, last->bits);
    if (last->iset == 'C') return opcode_c64(last->pc, last->bits);
    if (last->iset == 'T' || last->iset == 'X') return opcode_t32(last->pc, last->bits, last->size);
    if (machine->isa == ISA_RISCV) return opcode_riscv(last->pc, last->bits, last->size);
    if (machine->isa == ISA_LOONGARCH) return opcode_loongarch(last->pc, last->bits);
    if (last->iset == 'A' && last->size == 4) return opcode_a32(last->pc, last->bits);
    if (last->iset == 0 && cpu->is_thumb) return opcode_t32(last->pc, last->bits, last->size);
    return unknown;
}

/* True if the last instruction returned from an exception. */
static bool calls_is_exception_return(const struct machine *machine, const struct call_cpu *cpu)
{
    const struct call_place *last = &cpu->last;
    return last->has_bits &&
           opcode_returns_from_exception(machine->isa, last->iset, last->bits, last->size);
}

/* Handles a jump whose opcode states neither a call nor a return. */
static void calls_handle_jump(const struct jump *jump)
{
    const struct call_cpu *cpu = jump->cpu;
    const struct call_stack *stack = &cpu->stack;
    const size_t number = calls_find_frame(jump, stack, ARRIVAL_BY_JUMP);
    if (number) {
        calls_end_frame(jump, number);
        return;
    }
    /* A link register that was written recently with an address near the jump makes it a call. */
    const uint64_t link = cpu->link & ~UINT64_C(1);
    if (cpu->has_link && cpu->link_age < LINK_AGE && link + LINK_NEAR >= jump->next_pc &&
        link <= jump->next_pc + LINK_NEAR &&
        !(stack->count && calls_returns_to(&stack->frames[stack->count - 1], link)))
        calls_open_frame(jump, calls_frame(jump, CALL_PLAIN, jump->at.pc, link));
    else
        calls_unwind(jump, false);
}

static void calls_end_event(struct calls *calls, struct call_cpu *cpu, unsigned number);

/* Instructions before this place are not in the trace: nothing is known of the calls that were
 * open. */
static void calls_lose_record(struct calls *calls, struct call_cpu *cpu, unsigned number,
                              const struct spoor_batch *batch, size_t index, uint64_t pc,
                              uint64_t missing)
{
    const struct jump jump = {.calls = calls,
                              .cpu = cpu,
                              .number = number,
                              .at = {batch->first + index, batch->records[index].time, pc}};
    const struct call_listener *listener = &calls->listener;
    calls_end_event(calls, cpu, number);
    cpu->has_gap = true;
    cpu->gap = (struct call_gap){jump.at.record, missing};
    calls_close_frames(&jump, 0, CALL_LOST);
    cpu->stack.resumes = cpu->stack.has_place = false;
    for (unsigned i = 0; i < cpu->parked_count; i++) cpu->parked[i].count = 0;
    cpu->parked_changed |= cpu->parked_count > 0;
    cpu->parked_count = 0;
    cpu->stated = STATED_NOTHING;
    cpu->event.meaning = EVENT_MEANS_NOTHING;
    cpu->interrupted = cpu->arrived = cpu->handles = false;
    cpu->has_link = cpu->has_sp = cpu->has_main = cpu->has_process = cpu->had_process = false;
    cpu->last.known = cpu->last.ran_on = cpu->numbers.known = false;
    if (cpu->threads) cpu->stack.thread = ++cpu->threads; /* which task goes on is not known */
    if (listener->lost) listener->lost(listener->context, number, &cpu->stack, &jump.at, &cpu->gap);
}

/* Execution goes on elsewhere, without a branch: an exception, which the flow alone shows, unless
 * the trace would have stated it.  Its handler returns to `back`. */
static void calls_handle_break(const struct jump *jump, uint64_t back)
{
    if (jump->calls->exceptions_are_stated && !jump->cpu->interrupted) {
        calls_handle_jump(jump);
        return;
    }
    const size_t number = calls_innermost_exception(&jump->cpu->stack);
    if (number && calls_returns_to(&jump->cpu->stack.frames[number - 1], jump->at.pc))
        calls_end_frame(jump,
                        number); /* the return from a signal is not an instruction of its own */
    else
        calls_open_frame(jump, calls_frame(jump, CALL_EXCEPTION, jump->at.pc, back));
}

static void calls_handle_branch(const struct jump *jump, const struct opcode *opcode)
{
    const struct call_cpu *cpu = jump->cpu;
    const bool indirect = opcode->type & SPOOR_BRANCH_INDIRECT;
    const bool calls = opcode->type & SPOOR_BRANCH_CALL;
    if (!indirect && opcode->target != jump->at.pc) { /* interrupted at the target of the branch */
        const bool stays = opcode->type & SPOOR_BRANCH_CONDITIONAL;
        if (calls && !stays)
            calls_open_frame(jump, calls_frame(jump, CALL_PLAIN, opcode->target, jump->next_pc));
        calls_handle_break(jump, stays ? jump->next_pc : opcode->target);
        return;
    }
    const bool linked = indirect && cpu->has_link && (cpu->link & ~UINT64_C(1)) == jump->at.pc;
    const bool returns = opcode->type & SPOOR_BRANCH_RETURN;
    /* RISC-V: a jump from one link register to the other is a return if a frame expects it. */
    const bool swaps_links =
        returns && calls && calls_find_frame(jump, &cpu->stack, ARRIVAL_BY_JUMP);
    /* BX, by which A32 and T32 also return to an address that was popped. */
    const struct call_place *last = &cpu->last;
    const bool bx = last->size == 2 ? (last->bits & 0xFF87) == 0x4700
                                    : last->iset == 'A' && (last->bits & 0x0FFFFFF0) == 0x012FFF10;
    const bool pops_link = bx && calls_find_frame(jump, &cpu->stack, ARRIVAL_BY_RETURN);
    if (swaps_links || pops_link || (!calls && (returns || linked)))
        calls_handle_return(jump);
    else if (calls)
        calls_open_frame(jump, calls_frame(jump, CALL_PLAIN, jump->at.pc, jump->next_pc));
    else
        calls_handle_jump(jump);
    if (calls_leaves_secure(last)) jump->cpu->has_sp = false; /* until it is stated */
}

/* True for a branch of the M profile that returns from an exception. */
static bool calls_is_m_return(const struct jump *jump, const struct opcode *opcode, bool handles)
{
    const struct call_cpu *cpu = jump->cpu;
    const bool thumb = cpu->last.iset == 'T' || (cpu->last.iset == 0 && cpu->is_thumb);
    if (!thumb || opcode->flow != OPCODE_BRANCH || !(opcode->type & SPOOR_BRANCH_INDIRECT) ||
        (opcode->type & SPOOR_BRANCH_CALL))
        return false;
    const size_t number = calls_innermost_exception(&cpu->stack);
    if (number == 0) return false;
    if (cpu->handles && !handles) return true;
    /* no such branch but this one writes the link register */
    if (!jump->is_entered && cpu->has_link && cpu->link_age == 0) return true;
    if ((opcode->type & SPOOR_BRANCH_RETURN) && calls_is_exc_return(cpu->last_link) &&
        cpu->last.size == 2 && (cpu->last.bits & 0xFF87) == 0x4700)
        return true;
    const struct call_frame *frame = &cpu->stack.frames[number - 1];
    return number == cpu->stack.count && (frame->has & CALL_HAS_BACK) &&
           (frame->back & ~UINT64_C(1)) == jump->at.pc;
}

/* `handles`: the processor is in handler mode afterwards. */
static void calls_handle_transfer(const struct jump *jump, bool handles)
{
    const struct call_cpu *cpu = jump->cpu;
    const struct opcode opcode = calls_opcode(jump->machine, cpu);
    /* Of RISC-V: c.fsdsp with an exception, or a branch of Zcmp or Zcmt: a return if a frame
     * expects it, a call if the link register says so; else it is another one, or it cannot be
     * told. */
    struct opcode shared = {.flow = OPCODE_UNKNOWN};
    if (jump->machine->isa == ISA_RISCV && cpu->last.has_bits &&
        riscv_zc_shares(cpu->last.bits, cpu->last.size))
        shared = opcode_riscv_zc(cpu->last.pc, cpu->last.bits);
    const bool branches =
        shared.flow == OPCODE_BRANCH &&
        (shared.type & SPOOR_BRANCH_RETURN
             ? calls_find_frame(jump, &cpu->stack, ARRIVAL_BY_RETURN)
             : (shared.type & SPOOR_BRANCH_CALL) && cpu->has_link && cpu->link == jump->next_pc);
    /* The trace leaves out the instructions between: some RISC-V cores log only those that write a
     * register.  A handler that close after the interrupted instruction is none. */
    const bool omits = jump->machine->isa == ISA_RISCV && !cpu->interrupted &&
                       jump->at.pc > jump->next_pc && jump->at.pc - jump->next_pc <= OMITTED_BYTES;
    if (branches)
        calls_handle_branch(jump, &shared);
    else if (calls_is_exception_return(jump->machine, cpu))
        calls_handle_exception_return(jump);
    else if (!cpu->last.skipped && calls_is_m_return(jump, &opcode, handles))
        calls_handle_m_return(jump, handles);
    else if (opcode.flow == OPCODE_BRANCH && !cpu->last.skipped)
        calls_handle_branch(jump, &opcode);
    else if (omits)
        return;
    else if (opcode.flow != OPCODE_UNKNOWN || cpu->interrupted)
        calls_handle_break(jump, jump->next_pc);
    else
        calls_handle_jump(jump);
}

/* ---- events ---- */

/* Where a branch, or a return from an exception, had arrived before the event; false: unknown, or
 * the last instruction was none. */
static bool calls_find_arrival(const struct jump *jump, const struct call_event *event,
                               uint64_t *arrival)
{
    const struct call_cpu *cpu = jump->cpu;
    const struct opcode opcode = calls_opcode(jump->machine, cpu);
    const bool returns = calls_is_exception_return(jump->machine, cpu);
    if (!cpu->last.known || cpu->last.skipped || (opcode.flow != OPCODE_BRANCH && !returns))
        return false;
    if (event->returns || (event->addressed && event->value != cpu->last.pc)) {
        *arrival = (event->returns ? event->back : event->value) & ~UINT64_C(1);
        return true;
    }
    if (!returns && !(opcode.type & SPOOR_BRANCH_INDIRECT)) {
        *arrival = opcode.target;
        return !(opcode.type & SPOOR_BRANCH_CONDITIONAL);
    }
    const struct call_stack *stack = &cpu->stack;
    if (stack->count == 0 || !(stack->frames[stack->count - 1].has & CALL_HAS_BACK)) return false;
    *arrival = stack->frames[stack->count - 1].back & ~UINT64_C(1);
    return returns || (opcode.type & SPOOR_BRANCH_RETURN);
}

/* The place where an exception returns to. */
struct return_place {
    uint64_t back;
    bool known;
    bool may_return; /* not known, because a branch by a register was interrupted */
    int32_t fork;    /* as in struct call_frame: a conditional branch was interrupted */
};

/* Completes the transfer of the last instruction, which the event interrupted; returns the address
 * where execution goes on after it. */
static struct return_place calls_arrive_before(const struct jump *jump,
                                               const struct call_event *event)
{
    struct call_cpu *cpu = jump->cpu;
    const bool elsewhere = event->addressed && event->value != cpu->last.pc;
    struct return_place place = {.back = event->value & ~UINT64_C(1), .known = true};
    if (cpu->arrived || !cpu->last.known) {
        place.known = event->addressed || !cpu->last.known;
        return place;
    }
    cpu->arrived = true;
    if (calls_find_arrival(jump, event, &place.back)) {
        struct jump there = *jump;
        there.at.pc = place.back;
        there.is_entered = true;
        if (place.back != jump->next_pc)
            calls_handle_transfer(&there, cpu->handles && !event->returns);
        return place;
    }
    const struct opcode opcode = calls_opcode(jump->machine, cpu);
    place.back = event->returns ? event->back : elsewhere ? event->value : jump->next_pc;
    place.back &= ~UINT64_C(1);
    if (event->returns || elsewhere || opcode.flow != OPCODE_BRANCH || cpu->last.skipped)
        return place;
    place.known = !(opcode.type & SPOOR_BRANCH_INDIRECT);
    place.may_return = !place.known && !(opcode.type & SPOOR_BRANCH_CALL);
    if (place.known) place.fork = (int32_t)(opcode.target - jump->next_pc);
    return place;
}

/* True if execution simply went on, whatever the event stated. */
static bool calls_is_contradicted(const struct jump *jump, const struct call_event *event)
{
    const struct call_place *last = &jump->cpu->last;
    if (event->certain || !last->known) return false;
    const struct opcode opcode = calls_opcode(jump->machine, jump->cpu);
    const bool goes_on = jump->at.pc == jump->next_pc ||
                         (opcode.flow == OPCODE_BRANCH && !(opcode.type & SPOOR_BRANCH_INDIRECT) &&
                          opcode.target == jump->at.pc);
    if (!goes_on)
        return event->addressed && event->value == jump->at.pc && last->pc != event->value;
    return !event->returns || (event->back & ~UINT64_C(1)) == jump->at.pc;
}

/* M profile: the last instruction returned from an exception, before the event: the trace states
 * it, the registers were unstacked, or none were stacked for the next exception.  Ends it; `place`
 * becomes that where execution goes on.  `only`: no other exception is active then.  False: it is
 * no such instruction. */
static bool calls_return_before(const struct jump *jump, const struct call_event *event, bool only,
                                struct return_place *place)
{
    struct call_cpu *cpu = jump->cpu;
    const size_t number = calls_innermost_exception(&cpu->stack);
    const struct opcode opcode = calls_opcode(jump->machine, cpu);
    if (number == 0 || cpu->arrived) return false;
    const bool leaves = cpu->handles && !cpu->last.skipped && opcode.flow == OPCODE_BRANCH &&
                        (opcode.type & SPOOR_BRANCH_INDIRECT) && !(opcode.type & SPOOR_BRANCH_CALL);
    const bool kept = !event->addressed && cpu->has_main && event->has_sp && event->sp == cpu->main;
    /* the arrival is unknown, but no function is open that could return */
    const bool bare = !event->addressed && number == cpu->stack.count &&
                      !(cpu->stack.frames[number - 1].has & CALL_HAS_BACK) &&
                      opcode.flow == OPCODE_BRANCH && (opcode.type & SPOOR_BRANCH_RETURN);
    if (!event->chained && !(leaves && (event->unstacked || kept)) && !bare) return false;
    cpu->arrived = true;
    const struct call_frame ended = cpu->stack.frames[number - 1];
    *place = (struct return_place){.back = ended.back,
                                   .known = (ended.has & CALL_HAS_BACK) && !event->unstacked,
                                   .may_return = ended.has & CALL_MAY_RETURN,
                                   .fork = ended.fork};
    if (event->addressed)
        *place = (struct return_place){.back = event->value & ~UINT64_C(1), .known = true};
    if (event->unstacked && (only || event->addressed)) {
        struct jump there = *jump;
        there.at.pc = place->back;
        calls_handle_m_return(&there, !only);
    } else {
        calls_end_frame(jump, number);
    }
    return true;
}

/* Opens the frame of the exception that the event states; `begun`: control arrives at jump->at. */
static void calls_take_exception(const struct jump *jump, const struct call_event *event,
                                 bool begun, uint64_t handler)
{
    struct call_cpu *cpu = jump->cpu;
    const struct call_stack *stack = &cpu->stack;
    const uint64_t sp = cpu->sp;
    const bool has_sp = cpu->has_sp;
    /* EXC_RETURN: no exception is active but this one */
    const bool is_only = event->entered && (cpu->link & EXC_RETURN_THREAD);
    const size_t before = calls_innermost_exception(stack);
    cpu->sp = event->sp;
    cpu->has_sp = event->has_sp;
    struct return_place place;
    if (!calls_return_before(jump, event, is_only, &place))
        place = calls_arrive_before(jump, event);
    const size_t left = is_only ? calls_outermost_exception(stack) : 0;
    if (left) calls_end_frame(jump, left);
    struct call_frame frame = calls_frame(jump, CALL_EXCEPTION, handler, place.back);
    frame.fork = place.fork;
    if (!place.known) frame.has &= (uint8_t)~CALL_HAS_BACK;
    if (place.may_return) frame.has |= CALL_MAY_RETURN;
    const struct call_frame *inner = stack->count ? &stack->frames[stack->count - 1] : NULL;
    const bool stacked =
        inner && (inner->has & CALL_NOT_BEGUN) && inner->record >= cpu->last.record;
    if (!begun) frame.has |= CALL_NOT_BEGUN;
    if (event->late) frame.has |= CALL_IS_LATE;
    if (cpu->last.iset != 'O' && cpu->last.iset != 'C' && cpu->last.iset != 'A' &&
        !event->unstacked && (event->chained || calls_innermost_exception(stack) < before))
        frame.has |= CALL_IS_CHAINED;
    if (!cpu->last.known || stacked) { /* what it interrupted is not an instruction */
        frame.from = event->addressed ? event->value : stacked ? inner->from : 0;
        frame.back = event->returns ? event->back & ~UINT64_C(1) : frame.from;
        if (!event->addressed && (!stacked || (inner->has & CALL_FROM_UNKNOWN)))
            frame.has |= CALL_FROM_UNKNOWN;
        /* the A profile may state an instruction that branched elsewhere */
        if (!event->returns && !stacked &&
            !(event->addressed && (event->certain || event->entered)))
            frame.has &= (uint8_t)~CALL_HAS_BACK;
        frame.record = event->record;
        frame.time = event->time;
    }
    if (stacked && !cpu->last.known) /* without instructions, returns are unknown */
        calls_close_frames(jump, stack->count - 1, CALL_ABANDONED);
    calls_open_frame(jump, frame);
    cpu->sp = sp;
    cpu->has_sp = has_sp;
}

/* Handles the event that came after the last instruction; `begun`: control arrives at jump->at, in
 * handler mode if it `handles`; else `handler` is where it will arrive, or 0.  False: the event
 * explains nothing, and the flow decides. */
static bool calls_handle_event(const struct jump *jump, bool begun, bool handles, uint64_t handler)
{
    struct call_cpu *cpu = jump->cpu;
    const struct call_event event = cpu->event;
    cpu->event = (struct call_event){.meaning = EVENT_MEANS_NOTHING};
    if (event.meaning == EVENT_MEANS_NOTHING) return false;
    if (event.meaning == EVENT_MEANS_RETURN) {
        const size_t number = calls_innermost_exception(&cpu->stack);
        if (number == 0) return false;
        if (begun)
            calls_handle_m_return(jump, handles);
        else
            calls_end_frame(jump, number);
        cpu->arrived = true;
        return true;
    }
    if (begun && calls_is_contradicted(jump, &event)) return false;
    calls_take_exception(jump, &event, begun, begun ? jump->at.pc : handler);
    return true;
}

/* ---- branches whose type the trace states ---- */

/* A return ends the innermost frame whose calling instruction precedes the place of arrival; the
 * innermost frame if there is none: the function was left for another one. */
static void calls_handle_stated(const struct jump *jump)
{
    const struct call_stack *stack = &jump->cpu->stack;
    const enum call_stated stated = jump->cpu->stated;
    jump->cpu->stated = STATED_NOTHING;
    if (stated == STATED_CALL) {
        struct call_frame frame = calls_frame(jump, CALL_PLAIN, jump->at.pc, 0);
        frame.has =
            0; /* the size of the calling instruction is unknown: so is the return address */
        calls_open_frame(jump, frame);
        return;
    }
    for (size_t i = stack->count; i > 0; i--) {
        const uint64_t distance = jump->at.pc - stack->frames[i - 1].from;
        if (distance == 0 || distance > CALL_BYTES) continue;
        calls_close_frames(jump, i - 1, CALL_RETURNED);
        return;
    }
    if (stack->count) calls_close_frames(jump, stack->count - 1, CALL_RETURNED);
}

/* No instruction of a processor follows: opens the exception that an event stated. */
static void calls_end_event(struct calls *calls, struct call_cpu *cpu, unsigned number)
{
    const struct machine machine = {.isa = calls->isa};
    const struct jump jump = {
        .calls = calls,
        .cpu = cpu,
        .number = number,
        .machine = &machine,
        .at = {cpu->event.record, cpu->event.time, cpu->last.pc},
        .next_pc = cpu->last.pc + (cpu->last.size ? cpu->last.size : 4),
    };
    calls_handle_event(&jump, false, false, 0);
}

/* The instruction is now the last one of the processor, `age` after the one that was. */
static void calls_note_insn(enum isa isa, struct call_cpu *cpu, const struct spoor_batch *batch,
                            size_t index, uint64_t age)
{
    const struct spoor_record *record = &batch->records[index];
    const struct spoor_insn *insn = &record->insn;
    cpu->is_thumb |= insn->iset == 0 && insn->opcode_size == 2;
    cpu->last_link = cpu->has_link ? cpu->link : 0;
    cpu->before = cpu->process;
    cpu->had_process = cpu->has_process;
    cpu->interrupted = cpu->arrived = false;
    cpu->event.meaning = EVENT_MEANS_NOTHING;
    cpu->link_age =
        age < (uint64_t)(LINK_OLD - cpu->link_age) ? (uint8_t)(cpu->link_age + age) : LINK_OLD;
    cpu->last = (struct call_place){
        .known = true,
        .record = batch->first + index,
        .time = record->time,
        .pc = (record->has & SPOOR_HAS_VA) ? insn->va : insn->pa,
        .bits = (uint32_t)insn->opcode,
        .size = call_insn_size(insn),
        .iset = insn->iset,
        .has_bits = (record->has & SPOOR_HAS_DATA) && insn->iset != 'I',
        .skipped = record->op == SPOOR_INSN_SKIPPED,
        .is_insn = true,
    };
    /* a branch of MIPS and its delay slot, from which the next instruction follows */
    if (isa == ISA_MIPS && cpu->last.has_bits)
        cpu->last.size = (uint8_t)(cpu->last.size + opcode_mips(cpu->last.pc, cpu->last.bits).slot);
}

/* True for the instruction in the delay slot of the last one, to whose transfer it belongs. */
static bool calls_is_delayed(const struct machine *machine, const struct call_cpu *cpu, uint64_t pc)
{
    const struct call_place *last = &cpu->last;
    return machine->isa == ISA_MIPS && last->known && !cpu->interrupted && last->size > MIPS_SIZE &&
           pc == last->pc + MIPS_SIZE;
}

/* Events or not, an exception is taken where an instruction of thread mode is followed by one of
 * handler mode, and where a branch of a handler is followed by another EXC_RETURN. */
static bool calls_enters_handler(const struct call_cpu *cpu, bool handles, bool jumps, uint64_t pc)
{
    if (!handles || cpu->event.meaning || !cpu->last.known) return false;
    if (!cpu->handles) return true;
    const size_t number = calls_innermost_exception(&cpu->stack);
    /* else it may return to a handler that began before the trace */
    if (number == 0) return false;
    const struct call_frame *frame = &cpu->stack.frames[number - 1];
    return jumps && calls_has_fresh_exc_return(cpu) && !calls_returns_to(frame, pc) &&
           ((frame->has & CALL_HAS_BACK) || number == calls_outermost_exception(&cpu->stack));
}

static void calls_add_insn(struct calls *calls, struct machine *machine, struct call_cpu *cpu,
                           unsigned number, const struct spoor_batch *batch, size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    const struct spoor_insn *insn = &record->insn;
    if (record->op >= SPOOR_INSN_AGAIN) return;
    if (!(record->has & (SPOOR_HAS_VA | SPOOR_HAS_PA))) return;
    const uint64_t pc = (record->has & SPOOR_HAS_VA) ? insn->va : insn->pa;
    const bool handles = insn->iset == 'T' && (record->has & SPOOR_HAS_EXTRA) &&
                         (calls_word(calls, machine, insn->mode) & WORD_HANDLER);
    uint64_t missing;
    if (gap_before(&cpu->numbers, record, &missing)) {
        calls_lose_record(calls, cpu, number, batch, index, pc, missing);
        gap_follow(&cpu->numbers, record, 0);
    }
    if (calls_is_delayed(machine, cpu, pc)) return;
    const struct call_place *last = &cpu->last;
    const bool follows = last->size ? pc == last->pc + last->size : pc - last->pc <= 4;
    const bool jumps = last->known && (cpu->stated || !follows);
    if (calls_enters_handler(cpu, handles, jumps, pc))
        cpu->event = (struct call_event){.meaning = EVENT_MEANS_EXCEPTION,
                                         .certain = true,
                                         .entered = calls_has_fresh_exc_return(cpu),
                                         .has_sp = cpu->has_sp,
                                         .sp = cpu->sp};
    if (jumps || cpu->event.meaning) {
        const struct jump jump = {
            .calls = calls,
            .cpu = cpu,
            .number = number,
            .machine = machine,
            .at = {batch->first + index, record->time, pc},
            .next_pc = last->pc + (last->size ? last->size : 4),
        };
        if (cpu->stated)
            calls_handle_stated(&jump);
        else if (!calls_handle_event(&jump, true, handles, 0) && jumps)
            calls_handle_transfer(&jump, handles);
    }
    if (handles != cpu->handles) { /* the stack pointer of the M profile is that of the mode */
        if (!handles && cpu->has_process && (!cpu->had_process || cpu->process != cpu->before))
            cpu->on_process = true; /* the registers were read from there */
        const bool process = !handles && cpu->on_process;
        if (process ? cpu->has_process : cpu->has_main) {
            cpu->has_sp = true;
            cpu->sp = process ? cpu->process : cpu->main;
        }
    }
    calls_note_insn(machine->isa, cpu, batch, index, 1);
    cpu->handles = handles;
    cpu->has_mode = record->has & SPOOR_HAS_EXTRA;
}

static void calls_add_register(struct machine *machine, struct call_cpu *cpu,
                               const struct spoor_record *record)
{
    if (record->op != SPOOR_REG_WRITE || !(record->has & SPOOR_HAS_DATA)) return;
    const struct machine_register reg = machine_register(machine, record);
    const bool known = !record->reg.unknown && !record->reg.high;
    const uint64_t value = record->reg.value[0];
    if (reg.role == ROLE_MAIN_STACK || reg.role == ROLE_PROCESS_STACK) {
        const bool process = reg.role == ROLE_PROCESS_STACK;
        *(process ? &cpu->process : &cpu->main) = value;
        *(process ? &cpu->has_process : &cpu->has_main) = known;
        if (!cpu->last.known) return;        /* which one the code uses is not known yet */
        if (cpu->handles && process) return; /* it is that of a task */
        if (!cpu->handles) cpu->on_process = process;
        cpu->sp = value;
        cpu->has_sp = known;
    } else if (reg.role == ROLE_STACK_POINTER) {
        cpu->has_sp = known;
        cpu->sp = value;
    } else if (reg.role == ROLE_LINK) {
        cpu->has_link = known;
        cpu->link = value;
        cpu->link_age = 0;
        cpu->event.entered |= cpu->event.meaning && calls_has_fresh_exc_return(cpu);
    } else if (reg.role == ROLE_EXCEPTION_LINK && cpu->event.meaning && !record->reg.unknown) {
        cpu->event.returns = true;
        cpu->event.back = value;
    }
}

/* ---- micro-ops and branch traces ---- */

static void calls_add_uop(struct calls *calls, struct machine *machine, struct call_cpu *cpu,
                          unsigned number, const struct spoor_batch *batch, size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    const struct spoor_uop_full uop = spoor_uop_of(batch, index);
    cpu->last = (struct call_place){
        .known = true, .record = batch->first + index, .time = record->time, .pc = uop.pc};
    if (!(record->op & SPOOR_UOP_TAKEN)) return;
    const uint8_t word = calls_word(calls, machine, record->uop.macro);
    const struct jump jump = {.calls = calls,
                              .cpu = cpu,
                              .number = number,
                              .machine = machine,
                              .at = {batch->first + index, record->time, uop.target},
                              .next_pc = uop.fall};
    if (word & WORD_CALL)
        calls_open_frame(&jump, calls_frame(&jump, CALL_PLAIN, uop.target, uop.fall));
    if (word & WORD_RETURN) calls_handle_return(&jump);
    if (word & WORD_IRET) calls_handle_exception_return(&jump);
}

static enum call_stated calls_stated(const struct spoor_record *record)
{
    if (record->op & SPOOR_FLOW_IS_CALL) return STATED_CALL;
    return record->op & SPOOR_FLOW_IS_RETURN ? STATED_RETURN : STATED_NOTHING;
}

/* Handles a branch record, which states its type.  It belongs to the instruction before it, and
 * control arrives at the next one; in a trace without instructions, at its target. */
static void calls_add_flow(struct calls *calls, struct machine *machine, struct call_cpu *cpu,
                           unsigned number, const struct spoor_batch *batch, size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    if (!(record->op & SPOOR_FLOW_TYPED) || (record->op & SPOOR_FLOW_NOT_TAKEN)) return;
    if (cpu->last.known && cpu->last.has_bits)
        return; /* the instructions of the trace state more */
    if (cpu->last.known && cpu->last.is_insn) {
        cpu->stated = calls_stated(record);
        return;
    }
    cpu->last = (struct call_place){
        .known = true, .record = batch->first + index, .time = record->time, .pc = record->flow.va};
    const struct jump jump = {.calls = calls,
                              .cpu = cpu,
                              .number = number,
                              .machine = machine,
                              .at = {batch->first + index, record->time, record->flow.target}};
    if (cpu->interrupted) {
        cpu->interrupted = false;
        cpu->event.meaning = EVENT_MEANS_NOTHING;
        /* an event before it states that it leads into another level of privilege, or back */
        if (record->op & SPOOR_FLOW_IS_CALL)
            calls_open_frame(
                &jump, calls_frame(&jump, CALL_EXCEPTION, record->flow.target, record->flow.va));
        else
            calls_end_frame(&jump, calls_innermost_exception(&jump.cpu->stack));
        return;
    }
    cpu->stated = calls_stated(record);
    if (cpu->stated) calls_handle_stated(&jump);
}

/* M profile: true if the exception displaces the one before it, whose entry had only begun: it
 * interrupts the same place.  A trace whose events state no address writes the link register at the
 * end of an entry. */
static bool calls_is_late(const struct call_cpu *cpu, const struct event_statement *said)
{
    const struct call_event *event = &cpu->event;
    const bool thumb = cpu->last.iset == 'T' || (cpu->last.iset == 0 && cpu->is_thumb);
    if (event->meaning != EVENT_MEANS_EXCEPTION || said->meaning != EVENT_MEANS_EXCEPTION ||
        event->key == said->key || !cpu->last.known || !thumb)
        return false;
    if (event->addressed && said->addressed) return event->value == said->value;
    return cpu->has_link && !event->entered;
}

/* Notes an event about exceptions, which the next instruction, event or the end of the trace
 * completes. */
static void calls_note_event(struct calls *calls, const struct machine *machine,
                             struct call_cpu *cpu, unsigned number, const struct spoor_batch *batch,
                             size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    const struct event_statement said = event_read(batch, record);
    const struct jump jump = {
        .calls = calls,
        .cpu = cpu,
        .number = number,
        .machine = machine,
        .at = {batch->first + index, record->time, said.addressed ? said.value : cpu->last.pc},
        .next_pc = cpu->last.pc + (cpu->last.size ? cpu->last.size : 4),
    };
    struct call_event *event = &cpu->event;
    if (said.meaning == EVENT_MEANS_NOTHING || said.meaning == EVENT_MEANS_RAISED) return;
    if (said.meaning == EVENT_MEANS_RESET) {
        calls_close_frames(&jump, 0, CALL_ABANDONED);
        event->meaning = EVENT_MEANS_NOTHING;
        cpu->last.known = cpu->numbers.known = false;
        cpu->has_link = cpu->interrupted = cpu->handles = false;
        return;
    }
    cpu->interrupted |= said.meaning == EVENT_MEANS_EXCEPTION;
    if (event->meaning == said.meaning && event->reason != said.reason && event->key == said.key) {
        event->reason = false;
        event->record = batch->first + index;
        event->time = record->time;
        event->certain |= said.certain;
        if (!event->addressed && said.addressed) event->value = said.value;
        event->addressed |= said.addressed;
        return;
    }
    const bool late = calls_is_late(cpu, &said);
    const bool chained = event->meaning == EVENT_MEANS_RETURN;
    if (event->meaning && !late && !(chained && said.meaning == EVENT_MEANS_EXCEPTION)) {
        struct jump before = jump;
        before.at.record = event->record;
        before.at.time = event->time;
        const bool interrupts = said.addressed && said.meaning == EVENT_MEANS_EXCEPTION;
        calls_handle_event(&before, false, false, interrupts ? said.value : 0);
    }
    *event = (struct call_event){.meaning = (uint8_t)said.meaning,
                                 .late = late,
                                 .chained = chained,
                                 .unstacked = cpu->has_link && cpu->link_age == 0,
                                 .certain = said.certain,
                                 .addressed = said.addressed,
                                 .has_sp = cpu->has_sp,
                                 .reason = said.reason,
                                 .value = said.value,
                                 .key = said.key,
                                 .sp = cpu->sp,
                                 .record = batch->first + index,
                                 .time = record->time};
}

/* ---- selections ---- */

bool calls_wants_access(const struct calls *calls, unsigned cpu)
{
    return calls->misses || cpu >= calls->cpu_count || !calls->cpus[cpu].began;
}

/* Counts an instruction that was left out, and those before it that the trace does not have. */
static void calls_count_missing(struct call_cpu *cpu, const struct spoor_left_out *left_out)
{
    const struct spoor_record record = {
        .kind = SPOOR_INSN,
        .has = SPOOR_HAS_VA | SPOOR_HAS_INDEX,
        .insn = {.va = left_out->pc,
                 .index = left_out->index,
                 .opcode = left_out->opcode,
                 .opcode_size = left_out->opcode_size,
                 .iset = left_out->iset},
    };
    uint64_t before = 0;
    if (left_out->iset && gap_before(&cpu->numbers, &record, &before))
        cpu->missing_unknown |= before == 0;
    cpu->missing_insns += before + 1;
}

/* Notes a record that a selection left out, of a processor that has others before.  The state that
 * one of another processor changed is the memory of all that have. */
static void calls_note_missing(struct calls *calls, const struct machine *machine,
                               const struct spoor_left_out *left_out, unsigned number)
{
    if (left_out->missing == SPOOR_MISSING_NOTHING) return;
    if (left_out->cpu) number = machine->cpu_by_name[left_out->cpu] - 1u; /* UINT_MAX: unknown */
    struct call_cpu *own = number < calls->cpu_count ? &calls->cpus[number] : NULL;
    if (own && !own->began) own = NULL;
    for (size_t i = 0; i < calls->cpu_count; i++) {
        struct call_cpu *cpu = &calls->cpus[i];
        if (own ? cpu != own : !cpu->began || left_out->missing != SPOOR_MISSING_STATE) continue;
        if (own && left_out->is_insn) calls_count_missing(cpu, left_out);
        cpu->missing_unknown |= !own || left_out->is_several;
        if (left_out->missing > cpu->missing) cpu->missing = left_out->missing;
        calls->misses = true;
    }
}

/* Adds a record after some that a selection left out: the place is a gap, whatever the numbers of
 * instructions state, which go on.  State that is missing is so for the record of any processor,
 * as memory is that of all.  Where only the flow is missing, the gap may wait for a record of the
 * processor that says where it is. */
static void calls_end_missing(struct calls *calls, unsigned number, const struct spoor_batch *batch,
                              size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    const bool has_pc = record->kind == SPOOR_INSN && (record->has & SPOOR_HAS_VA);
    const bool has_place = record->kind != SPOOR_REG && record->kind != SPOOR_MEM;
    calls->misses = false;
    for (unsigned i = 0; i < calls->cpu_count; i++) {
        struct call_cpu *cpu = &calls->cpus[i];
        const bool is_known = cpu->numbers.known, is_own = i == number;
        if (cpu->missing == SPOOR_MISSING_STATE ||
            (cpu->missing == SPOOR_MISSING_FLOW && is_own && has_place)) {
            calls_lose_record(calls, cpu, i, batch, index,
                              is_own && has_pc ? record->insn.va : cpu->last.pc,
                              cpu->missing_unknown ? 0 : cpu->missing_insns);
            cpu->numbers.known = is_known;
            cpu->missing = SPOOR_MISSING_NOTHING;
            cpu->missing_insns = 0;
            cpu->missing_unknown = false;
        }
        calls->misses |= cpu->missing != SPOOR_MISSING_NOTHING;
    }
}

bool calls_add(struct calls *calls, struct machine *machine, const struct spoor_batch *batch,
               size_t index, unsigned number)
{
    const struct spoor_record *record = &batch->records[index];
    const bool runs = record->kind == SPOOR_INSN || record->kind == SPOOR_FLOW;
    struct call_cpu *cpu = calls_cpu(calls, number);
    if (!cpu) return false;
    calls->isa = machine->isa;
    calls->exceptions_are_stated = batch->stream->format->exceptions_are_stated;
    if (calls->sample.open) {
        /* A record other than a frame ends the stack of a sample. */
        if (record->kind != SPOOR_EVENT || record->op != SPOOR_EVENT_FRAME) calls_end_sample(calls);
    }
    if (record->kind == SPOOR_NOTE && record->op == SPOOR_NOTE_LEFT_OUT)
        calls_note_missing(calls, machine, &record->left_out, number);
    else if (calls->misses && record->kind != SPOOR_NOTE)
        calls_end_missing(calls, number, batch, index);
    cpu->began |= record->kind != SPOOR_NOTE;
    if (runs && cpu->sampled) return true;
    if (calls->exceptions_are_stated && flow_gap_before(&cpu->flow, record))
        calls_lose_record(calls, cpu, number, batch, index, record->insn.va, 0);
    switch ((enum spoor_kind)record->kind) {
    case SPOOR_INSN: calls_add_insn(calls, machine, cpu, number, batch, index); break;
    case SPOOR_REG: calls_add_register(machine, cpu, record); break;
    case SPOOR_UOP: calls_add_uop(calls, machine, cpu, number, batch, index); break;
    case SPOOR_FLOW: calls_add_flow(calls, machine, cpu, number, batch, index); break;
    case SPOOR_EVENT:
        switch ((enum spoor_event_op)record->op) {
        case SPOOR_EVENT_E:
        case SPOOR_EVENT_EXCEPTION:
        case SPOOR_EVENT_DEBUG:
        case SPOOR_EVENT_REASON: calls_note_event(calls, machine, cpu, number, batch, index); break;
        case SPOOR_EVENT_SAMPLE: calls_add_sample(calls, batch, index, number); break;
        case SPOOR_EVENT_FRAME: calls_add_frame(calls, batch, index, number); break;
        case SPOOR_EVENT_BEGIN:
            /* tracing does not go on where it ended: instructions are not in the trace */
            if (cpu->last.ran_on || (cpu->last.known && cpu->last.skipped &&
                                     gap_of_tracing(cpu->last.pc, record->event.value)))
                calls_lose_record(calls, cpu, number, batch, index, cpu->last.pc, 0);
            break;
        case SPOOR_EVENT_END:
            /* tracing may end before there was an instruction */
            cpu->last = (struct call_place){.known = record->has & SPOOR_HAS_VA,
                                            .record = batch->first + index,
                                            .time = record->time,
                                            .pc = record->event.value,
                                            .skipped = true, /* until tracing begins again */
                                            .ran_on = record->has & SPOOR_HAS_EXTRA};
            break;
        case SPOOR_EVENT_LOST:
            /* perf states the last known address; a window of drmemtrace has a number instead */
            calls_lose_record(calls, cpu, number, batch, index,
                              record->event.text.size && (record->has & SPOOR_HAS_VA)
                                  ? record->event.value
                                  : cpu->last.pc,
                              0);
            break;
        default: break;
        }
        break;
    default: break;
    }
    return !calls->out_of_memory;
}

bool calls_continue(struct calls *calls, const struct spoor_batch *batch, size_t index,
                    unsigned number, uint32_t passed, bool halves)
{
    struct call_cpu *cpu = calls_cpu(calls, number);
    if (!cpu) return false;
    if (calls->sample.open) calls_end_sample(calls);
    if (cpu->sampled) return true;
    gap_follow(&cpu->numbers, &batch->records[index], passed + 1);
    if (batch->stream->format->exceptions_are_stated) {
        cpu->flow.where = FLOW_ANYWHERE; /* the last one seen */
        flow_gap_before(&cpu->flow, &batch->records[index]);
    }
    calls_note_insn(calls->isa, cpu, batch, index, UINT64_C(1) + passed);
    cpu->is_thumb |= halves;
    return true;
}

bool calls_end(struct calls *calls)
{
    if (calls->sample.open) calls_end_sample(calls);
    for (unsigned i = 0; i < calls->cpu_count; i++) calls_end_event(calls, &calls->cpus[i], i);
    return !calls->out_of_memory;
}

bool calls_feed(struct calls *calls, struct machine *machine, const struct spoor_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++)
        if (!calls_add(calls, machine, batch, i, machine_cpu(machine, &batch->records[i])))
            return false;
    return true;
}

/* ---- queries ---- */

const struct call_stack *calls_stack(const struct calls *calls, unsigned cpu)
{
    static const struct call_stack none;
    return cpu < calls->cpu_count ? &calls->cpus[cpu].stack : &none;
}

const struct call_place *calls_place(const struct calls *calls, unsigned cpu)
{
    static const struct call_place none;
    return cpu < calls->cpu_count ? &calls->cpus[cpu].last : &none;
}

bool calls_gap(const struct calls *calls, unsigned cpu, struct call_gap *gap)
{
    if (cpu >= calls->cpu_count || !calls->cpus[cpu].has_gap) return false;
    *gap = calls->cpus[cpu].gap;
    return true;
}

bool calls_stack_pointer(const struct calls *calls, unsigned cpu, uint64_t *sp)
{
    if (cpu >= calls->cpu_count || !calls->cpus[cpu].has_sp) return false;
    *sp = calls->cpus[cpu].sp;
    return true;
}
