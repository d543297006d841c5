/* SPDX-License-Identifier: MIT */
/*
 * activity.c: from records to events: the rule of calls (calls.h) says where functions are entered
 * and left; this file counts what runs between, and finds jumps into other functions.
 */
#include "effects/activity.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "effects/event.h"

struct activity_cpu {
    bool started;
    bool moved;   /* an event says where the next instruction is */
    bool unknown; /* it runs code of no known function */
    bool has_insns;
    bool sampled;        /* the stacks of samples state its calls */
    uint8_t awaited;     /* enum activity_syndrome: the next register written has it */
    uint32_t exceptions; /* open ones */
    uint64_t instructions, accesses;
    uint64_t start, end; /* of the function that runs; both 0: not known */
    struct call_moment last;
    bool last_thumb;
    uint64_t last_line;
    uint64_t flow_index;
    uint32_t thread; /* number of the current stack of calls */
    uint32_t bottom; /* 1 + number of the stack whose outermost function is a handler: nothing that
                      * it interrupted is in the trace; 0: none */
    struct activity_cause cause;
    /* The faults stated since the last instruction or exception. */
    struct activity_fault {
        bool aborted, writes, escalated;
        uint64_t address; /* of the aborted access */
        char raised[40], words[96];
    } fault;
};

/* What may be queued beside an enum activity_what: the thread was sampled. */
enum { QUEUED_SAMPLE = ACTIVITY_GAP + 1 };

/* The decision of the rule of calls on a record that has not come yet. */
struct queued_call {
    struct call_frame frame;
    struct call_moment at;
    uint32_t thread; /* SWITCH, GAP: number of the stack that is current now */
    size_t depth;
    unsigned cpu;
    uint64_t missing; /* GAP: instructions */
    uint8_t what;     /* enum activity_what, or QUEUED_SAMPLE */
    uint8_t end;
};

struct activity {
    struct activity_listener listener;
    function_finder *find; /* NULL: functions are known by calls alone */
    void *finder;
    struct machine *machine;
    struct calls *calls; /* NULL: the caller has them */
    struct queued_call *queue;
    size_t queue_count, queue_capacity, queue_at;
    bool failed;  /* memory ran out */
    unsigned cpu; /* of the last record */
    struct activity_cpu *cpus;
    size_t cpu_count;
    const struct spoor_batch *batch; /* the record at hand; NULL: the trace has ended */
    size_t index;
    bool sample_open;    /* a sample came whose stack may not be complete */
    bool sample_counted; /* it is counted */
};

/* ---- events ---- */

static bool activity_is_thumb(const struct spoor_record *record)
{
    return record->kind == SPOOR_INSN && (record->insn.iset == 'T' || record->insn.iset == 'X');
}

static uint64_t activity_line(const struct activity *activity)
{
    return activity->listener.lines && activity->batch
               ? spoor_batch_line(activity->batch, activity->index)
               : 0;
}

static struct activity_event activity_describe(const struct activity *activity, unsigned number,
                                               enum activity_what what,
                                               const struct call_moment *at)
{
    const struct activity_cpu *cpu = &activity->cpus[number];
    return (struct activity_event){
        .what = (uint8_t)what,
        .thumb = activity->batch && activity_is_thumb(&activity->batch->records[activity->index]),
        .cpu = number,
        .thread = cpu->thread,
        .at = *at,
        .last = cpu->last,
        .line = activity_line(activity),
        .last_line = cpu->last_line,
        .last_thumb = cpu->last_thumb,
        .instructions = cpu->instructions,
        .accesses = cpu->accesses,
    };
}

/* The function that is entered at an address: by symbols, else the address itself. */
static void activity_name_function(const struct activity *activity, struct activity_event *event,
                                   uint64_t pc)
{
    uint64_t start, end;
    event->named = activity->find && activity->find(activity->finder, pc, &start, &end);
    event->function = event->named ? start : pc;
    event->begins = event->function == pc;
}

static void activity_pass_on(const struct activity *activity, const struct activity_event *event)
{
    activity->listener.event(activity->listener.context, event);
}

static void activity_enter(struct activity *activity, const struct queued_call *call)
{
    struct activity_cpu *cpu = &activity->cpus[call->cpu];
    const bool starts = (call->frame.has & CALL_IS_SAMPLED) && call->depth == 0;
    struct activity_event event =
        activity_describe(activity, call->cpu, starts ? ACTIVITY_START : ACTIVITY_ENTER, &call->at);
    const bool is_exception = call->frame.kind == CALL_EXCEPTION;
    activity_name_function(activity, &event, call->frame.function);
    event.kind = call->frame.kind;
    event.from = call->frame.from;
    event.sampled = call->frame.has & CALL_IS_SAMPLED;
    cpu->started |= starts;
    if (is_exception && !cpu->started && !cpu->bottom) cpu->bottom = cpu->thread + 1;
    if (is_exception) {
        cpu->cause.begun = !(call->frame.has & CALL_NOT_BEGUN);
        cpu->cause.chained = call->frame.has & CALL_IS_CHAINED;
        cpu->cause.late = call->frame.has & CALL_IS_LATE;
        cpu->cause.nowhere = call->frame.has & CALL_FROM_UNKNOWN;
        event.cause = &cpu->cause;
    }
    if (!call->frame.function && (call->frame.has & CALL_NOT_BEGUN)) {
        event.named = event.begins = false;
        event.function = 0;
    }
    activity_pass_on(activity, &event);
    if (is_exception) {
        cpu->cause.known = false;
        cpu->cause.fault[0] = '\0';
    }
    cpu->exceptions += is_exception;
    cpu->moved = true;
}

/* ---- what the rule of calls says ---- */

static void activity_queue_call(struct activity *activity, const struct queued_call *call)
{
    if (array_reserve(&activity->queue, &activity->queue_capacity, activity->queue_count + 1))
        activity->queue[activity->queue_count++] = *call;
    else
        activity->failed = true;
}

static void activity_on_enter(void *context, unsigned cpu, const struct call_frame *frame,
                              size_t depth, const struct call_moment *at)
{
    activity_queue_call(
        context,
        &(struct queued_call){
            .what = ACTIVITY_ENTER, .frame = *frame, .at = *at, .depth = depth, .cpu = cpu});
}

static void activity_on_leave(void *context, unsigned cpu, const struct call_frame *frame,
                              size_t depth, const struct call_moment *at, enum call_end end)
{
    activity_queue_call(context, &(struct queued_call){.what = ACTIVITY_LEAVE,
                                                       .frame = *frame,
                                                       .at = *at,
                                                       .depth = depth,
                                                       .cpu = cpu,
                                                       .end = (uint8_t)end});
}

static void activity_on_switch(void *context, unsigned cpu, const struct call_stack *now,
                               const struct call_moment *at)
{
    activity_queue_call(context,
                        &(struct queued_call){
                            .what = ACTIVITY_SWITCH, .at = *at, .cpu = cpu, .thread = now->thread});
}

static void activity_on_sample(void *context, unsigned cpu, const struct call_moment *at)
{
    activity_queue_call(context,
                        &(struct queued_call){.what = QUEUED_SAMPLE, .at = *at, .cpu = cpu});
}

static void activity_on_lost(void *context, unsigned cpu, const struct call_stack *after,
                             const struct call_moment *at, const struct call_gap *gap)
{
    activity_queue_call(context, &(struct queued_call){.what = ACTIVITY_GAP,
                                                       .at = *at,
                                                       .cpu = cpu,
                                                       .thread = after->thread,
                                                       .missing = gap->instructions});
}

const struct call_listener activity_calls_listener = {NULL,
                                                      activity_on_enter,
                                                      activity_on_leave,
                                                      activity_on_switch,
                                                      activity_on_sample,
                                                      activity_on_lost};

static void activity_arrive(struct activity *activity, unsigned number,
                            const struct call_moment *at)
{
    struct activity_cpu *cpu = &activity->cpus[number];
    if (!cpu->started && !cpu->bottom) {
        struct activity_event event = activity_describe(activity, number, ACTIVITY_START, at);
        activity_name_function(activity, &event, at->pc);
        cpu->started = true;
        cpu->moved = true;
        activity_pass_on(activity, &event);
    }
    if (!activity->find) return;
    if (cpu->moved || at->pc < cpu->start || at->pc >= cpu->end) {
        /* in another function than that which ran, though nothing was called */
        struct activity_event event = activity_describe(activity, number, ACTIVITY_GO, at);
        const bool was_unknown = cpu->unknown && !cpu->moved;
        activity_name_function(activity, &event, at->pc);
        cpu->unknown = !event.named;
        if (event.named)
            activity->find(activity->finder, at->pc, &cpu->start, &cpu->end);
        else
            cpu->start = cpu->end = 0;
        if (event.named || !was_unknown) activity_pass_on(activity, &event);
    }
    cpu->moved = false;
}

/* Passes on what the rule of calls said, but for the last `kept` of it. */
static void activity_pass_calls(struct activity *activity, size_t kept)
{
    const struct activity_listener *listener = &activity->listener;
    for (; activity->queue_at + kept < activity->queue_count; activity->queue_at++) {
        const struct queued_call *call = &activity->queue[activity->queue_at];
        struct activity_cpu *cpu = &activity->cpus[call->cpu];
        struct activity_event event;
        bool bottom;
        switch (call->what) {
        case ACTIVITY_ENTER: activity_enter(activity, call); break;
        case ACTIVITY_LEAVE:
            event = activity_describe(activity, call->cpu, ACTIVITY_LEAVE, &call->at);
            event.kind = call->frame.kind;
            event.end = call->end;
            bottom = call->depth == 0 && cpu->bottom == cpu->thread + 1;
            event.outermost = ((call->frame.has & CALL_IS_SAMPLED) && call->depth == 0) || bottom;
            if (bottom) cpu->bottom = 0;
            if (call->frame.kind == CALL_EXCEPTION && cpu->exceptions) cpu->exceptions--;
            activity_pass_on(activity, &event);
            cpu->moved = true;
            break;
        case QUEUED_SAMPLE: /* counts as one instruction, at the place where the thread was */
            cpu->sampled = true;
            activity_arrive(activity, call->cpu, &call->at);
            cpu->last = call->at;
            cpu->last_thumb = false;
            cpu->last_line = activity_line(activity);
            if (!activity->sample_counted) break;
            cpu->instructions++;
            if (listener->instruction && activity->batch)
                listener->instruction(listener->context, call->cpu, activity->batch,
                                      activity->index, call->at.pc);
            break;
        case ACTIVITY_GAP:
            event = activity_describe(activity, call->cpu, ACTIVITY_GAP, &call->at);
            event.value = call->missing;
            activity_pass_on(activity, &event);
            cpu->thread = call->thread;
            cpu->started = cpu->unknown = false;
            cpu->exceptions = cpu->bottom = 0;
            cpu->awaited = SYNDROME_NONE;
            cpu->cause.known = false;
            cpu->fault = (struct activity_fault){.aborted = false};
            break;
        default: /* ACTIVITY_SWITCH */
            cpu->thread = call->thread;
            event = activity_describe(activity, call->cpu, ACTIVITY_SWITCH, &call->at);
            activity_name_function(activity, &event, call->at.pc);
            activity_pass_on(activity, &event);
            cpu->moved = true;
            cpu->started = true;
        }
    }
    if (!kept) activity->queue_at = activity->queue_count = 0;
}

/* Passes on what the rule of calls said of records up to this one. */
static void activity_pass_queue(struct activity *activity, uint64_t record)
{
    size_t kept = activity->queue_count - activity->queue_at;
    while (kept && activity->queue[activity->queue_count - kept].at.record <= record) kept--;
    activity_pass_calls(activity, kept);
}

/* Passes on what it said of records up to this one, as far as the gap before it. */
static void activity_pass_gap(struct activity *activity, uint64_t record)
{
    const size_t count = activity->queue_count;
    size_t kept = count - activity->queue_at;
    for (size_t i = activity->queue_at; i < count && activity->queue[i].at.record <= record; i++)
        if (activity->queue[i].what == ACTIVITY_GAP) kept = count - i - 1;
    activity_pass_calls(activity, kept);
}

/* Asks the rule of calls about the record. */
static bool activity_ask_rule(struct activity *activity, unsigned number)
{
    return !activity->calls ||
           calls_add(activity->calls, activity->machine, activity->batch, activity->index, number);
}

/* Asks the rule of calls about the record, and passes on what it says of it. */
static bool activity_ask_calls(struct activity *activity, unsigned number)
{
    if (!activity_ask_rule(activity, number)) return false;
    activity_pass_queue(activity, activity->batch->first + activity->index);
    return !activity->failed;
}

/* ---- instructions ---- */

static bool activity_is_counted(const struct activity *activity)
{
    const struct activity_listener *listener = &activity->listener;
    return !listener->counts ||
           listener->counts(listener->context, activity->batch, activity->index);
}

/* It runs `count` instructions, of which this record is one. */
static void activity_run(struct activity *activity, unsigned number, const struct call_moment *at,
                         uint64_t count)
{
    const struct activity_listener *listener = &activity->listener;
    struct activity_cpu *cpu = &activity->cpus[number];
    activity_arrive(activity, number, at);
    cpu->last = *at;
    cpu->last_thumb = activity_is_thumb(&activity->batch->records[activity->index]);
    if (listener->lines) cpu->last_line = spoor_batch_line(activity->batch, activity->index);
    if (!activity_is_counted(activity)) return;
    cpu->instructions += count;
    if (listener->instruction)
        listener->instruction(listener->context, number, activity->batch, activity->index, at->pc);
}

/* The reason for the handler that an instruction reads. */
static uint8_t activity_syndrome_read(const struct machine *machine,
                                      const struct spoor_record *record)
{
    const uint32_t bits = (uint32_t)record->insn.opcode;
    if (!(record->has & SPOOR_HAS_DATA) || record->insn.opcode_size != 4) return SYNDROME_NONE;
    if (record->insn.iset == 'O') { /* MRS */
        const uint32_t reads = bits & ~UINT32_C(0x1F);
        if (reads == 0xD5385200 || reads == 0xD53C5200 || reads == 0xD53E5200) return SYNDROME_ESR;
        if (reads == 0xD538CC00 || reads == 0xD538C800) return SYNDROME_INTERRUPT;
    } else if (machine && machine->isa == ISA_RISCV) { /* CSRR */
        const uint32_t reads = bits & 0xFFFFF07F;
        if (reads == 0x34202073 || reads == 0x14202073) return SYNDROME_XCAUSE;
    }
    return SYNDROME_NONE;
}

static bool activity_add_insn(struct activity *activity, unsigned number)
{
    const struct spoor_batch *batch = activity->batch;
    const struct spoor_record *record = &batch->records[activity->index];
    if (!activity_ask_calls(activity, number)) return false;
    if (record->op >= SPOOR_INSN_AGAIN || !(record->has & (SPOOR_HAS_VA | SPOOR_HAS_PA)))
        return true;
    activity->cpus[number].has_insns = true;
    activity_run(
        activity, number,
        &(struct call_moment){batch->first + activity->index, record->time,
                              (record->has & SPOOR_HAS_VA) ? record->insn.va : record->insn.pa},
        1);
    struct activity_cpu *cpu = &activity->cpus[number];
    struct activity_cause *cause = &cpu->cause;
    cause->known = false; /* an event before this instruction says nothing of later ones */
    cause->fault[0] = '\0';
    cpu->fault = (struct activity_fault){.aborted = false};
    cpu->awaited =
        cpu->exceptions ? activity_syndrome_read(activity->machine, record) : SYNDROME_NONE;
    cause->bits = (uint32_t)record->insn.opcode;
    cause->size = (record->has & SPOOR_HAS_DATA) ? record->insn.opcode_size : 0;
    cause->iset = record->insn.iset;
    return true;
}

/* A branch trace counts instructions by their index. */
static bool activity_add_flow(struct activity *activity, unsigned number)
{
    const struct spoor_batch *batch = activity->batch;
    const struct spoor_record *record = &batch->records[activity->index];
    const uint64_t at = batch->first + activity->index;
    if (!activity_ask_rule(activity, number)) return false;
    activity_pass_gap(activity, at);
    struct activity_cpu *cpu = &activity->cpus[number];
    if (!cpu->has_insns && !cpu->sampled && (record->has & (SPOOR_HAS_VA | SPOOR_HAS_PA)) &&
        (record->op & SPOOR_FLOW_TYPED)) {
        const uint64_t index = record->flow.index;
        const bool counted = (record->has & SPOOR_HAS_INDEX) && index > cpu->flow_index;
        activity_run(
            activity, number,
            &(struct call_moment){at, record->time,
                                  (record->has & SPOOR_HAS_VA) ? record->flow.va : record->flow.pa},
            counted ? index - cpu->flow_index : 1);
        cpu->flow_index = counted ? index : cpu->flow_index + 1;
    }
    activity_pass_queue(activity, at);
    return !activity->failed;
}

/* An access; in a trace of accesses alone, a fetch is the instruction. */
static void activity_add_access(struct activity *activity, unsigned number)
{
    const struct spoor_batch *batch = activity->batch;
    const struct spoor_record *record = &batch->records[activity->index];
    struct activity_cpu *cpu = &activity->cpus[number];
    if (record->op == SPOOR_MEM_FETCH && !cpu->has_insns && (record->has & SPOOR_HAS_VA))
        activity_run(
            activity, number,
            &(struct call_moment){batch->first + activity->index, record->time, record->mem.va}, 1);
    else if ((record->op <= SPOOR_MEM_UMIN || record->op == SPOOR_MEM_MODIFY) &&
             activity_is_counted(activity))
        cpu->accesses++;
    if ((record->mem.attr & SPOOR_MEM_ABORTED) && (record->has & SPOOR_HAS_VA) &&
        !cpu->fault.aborted) {
        cpu->fault.aborted = true;
        cpu->fault.writes = record->op != SPOOR_MEM_READ && record->op != SPOOR_MEM_FETCH;
        cpu->fault.address = record->mem.va;
    }
}

/* ---- causes ---- */

/* Appends to the words of a cause. */
static void activity_add_words(char text[CAUSE_FAULT_SIZE], const char *words)
{
    const size_t size = strlen(text);
    snprintf(text + size, CAUSE_FAULT_SIZE - size, "%s%s", size ? ", " : "", words);
}

static void activity_note_event(struct activity *activity, unsigned number,
                                const struct spoor_record *record)
{
    struct activity_cpu *cpu = &activity->cpus[number];
    struct activity_cause *cause = &cpu->cause;
    const struct event_statement said = event_read(activity->batch, record);
    struct activity_fault *fault = &cpu->fault;
    if (said.meaning == EVENT_MEANS_RAISED) {
        fault->escalated |= said.escalated;
        if (!said.escalated) {
            snprintf(fault->raised, sizeof fault->raised, "%.*s", (int)said.name_size, said.name);
            snprintf(fault->words, sizeof fault->words, "%.*s", (int)said.fault_size,
                     said.fault ? said.fault : "");
        }
    }
    if (said.meaning == EVENT_MEANS_RESET) {
        *fault = (struct activity_fault){.aborted = false};
        cause->known = false;
    }
    if (said.meaning != EVENT_MEANS_EXCEPTION && said.meaning != EVENT_MEANS_LOCKUP) return;
    const bool locks = said.meaning == EVENT_MEANS_LOCKUP;
    cause->value = record->event.value;
    cause->time = record->time;
    cause->number = (uint32_t)said.number;
    cause->numbered = said.numbered && !locks;
    cause->known = true;
    snprintf(cause->name, sizeof cause->name, "%.*s", locks ? 6 : (int)said.name_size,
             locks ? "lockup" : said.name);
    /* The faults that came before the exception belong to it. */
    char words[CAUSE_FAULT_SIZE];
    if (fault->raised[0] &&
        !event_same_name(fault->raised, strlen(fault->raised), cause->name, strlen(cause->name))) {
        snprintf(words, sizeof words, "%s%s", fault->escalated ? "escalated " : "", fault->raised);
        activity_add_words(cause->fault, words);
    }
    if (fault->aborted) {
        snprintf(words, sizeof words, "aborted %s 0x%llx", fault->writes ? "write to" : "read of",
                 (unsigned long long)fault->address);
        activity_add_words(cause->fault, words);
    }
    if (fault->words[0]) activity_add_words(cause->fault, fault->words);
    *fault = (struct activity_fault){.aborted = false};
}

/* ---- records ---- */

static bool activity_add_event(struct activity *activity, unsigned number)
{
    const struct spoor_record *record = &activity->batch->records[activity->index];
    const uint64_t at = activity->batch->first + activity->index;
    if (record->op == SPOOR_EVENT_SAMPLE) {
        /* first what is known of the sample before */
        if (activity->calls && !calls_end(activity->calls)) return false;
        if (at) activity_pass_queue(activity, at - 1);
        activity->sample_open = true;
        activity->sample_counted = activity_is_counted(activity);
        return activity_ask_calls(activity, number);
    }
    /* what the rule of calls said of an event before this one has the cause of that one */
    if (!activity_ask_rule(activity, number)) return false;
    if (at) activity_pass_queue(activity, at - 1);
    activity_note_event(activity, number, record);
    activity_pass_queue(activity, at);
    return !activity->failed;
}

bool activity_add(struct activity *activity, const struct spoor_batch *batch, size_t index,
                  unsigned cpu)
{
    const struct spoor_record *record = &batch->records[index];
    if (!array_reserve_zeroed(&activity->cpus, &activity->cpu_count, cpu + (size_t)1)) return false;
    activity->batch = batch;
    activity->index = index;
    switch ((enum spoor_kind)record->kind) {
    case SPOOR_INSN: return activity_add_insn(activity, cpu);
    case SPOOR_UOP: {
        /* The instruction is the first micro-op; the call or return is made by its last. */
        const struct spoor_uop_full uop = spoor_uop_of(batch, index);
        const struct call_moment at = {batch->first + index, record->time, uop.pc};
        if (!activity_ask_rule(activity, cpu)) return false;
        activity_pass_gap(activity, at.record);
        if (uop.step == 1) activity_run(activity, cpu, &at, 1);
        if ((record->op & (SPOOR_UOP_LOAD | SPOOR_UOP_STORE)) && activity_is_counted(activity))
            activity->cpus[cpu].accesses++;
        activity_pass_queue(activity, at.record);
        return !activity->failed;
    }
    case SPOOR_FLOW: return activity_add_flow(activity, cpu);
    case SPOOR_MEM:
        activity_add_access(activity, cpu);
        return !activity->calls || !calls_wants_access(activity->calls, cpu) ||
               activity_ask_calls(activity, cpu);
    case SPOOR_EVENT: return activity_add_event(activity, cpu);
    case SPOOR_NOTE:
        if (!activity->sample_open && record->op != SPOOR_NOTE_LEFT_OUT) return true;
        activity->sample_open = false;
        return activity_ask_calls(activity, cpu);
    case SPOOR_REG: {
        struct activity_cpu *reader = &activity->cpus[cpu];
        if (reader->awaited && record->op == SPOOR_REG_WRITE && !record->reg.unknown) {
            struct activity_event event =
                activity_describe(activity, cpu, ACTIVITY_CAUSE, &reader->last);
            event.syndrome = reader->awaited;
            event.value = record->reg.value[0];
            reader->awaited = SYNDROME_NONE;
            activity_pass_on(activity, &event);
        }
        return activity_ask_calls(activity, cpu);
    }
    default:
        return !activity->calls || !calls_wants_access(activity->calls, cpu) ||
               activity_ask_calls(activity, cpu);
    }
}

/* True if micro-ops only add to the numbers that the processor ran, unless the rule of calls said
 * something of them. */
static bool activity_counts_uops(const struct activity *activity, unsigned number)
{
    const struct activity_listener *listener = &activity->listener;
    return !activity->calls && !activity->find && !listener->counts && !listener->instruction &&
           !listener->lines && number < activity->cpu_count && activity->cpus[number].started;
}

/* Runs micro-ops from `from` on, up to the first record that is another kind, names a processor, or
 * of which the rule of calls said something; returns its index. */
static size_t activity_run_uops(struct activity *activity, unsigned number,
                                const struct spoor_batch *batch, size_t from)
{
    struct activity_cpu *cpu = &activity->cpus[number];
    size_t end = batch->count, last = batch->count, index = from;
    if (activity->queue_at < activity->queue_count) {
        const uint64_t queued = activity->queue[activity->queue_at].at.record;
        if (queued < batch->first + end)
            end = queued > batch->first ? (size_t)(queued - batch->first) : 0;
    }
    for (; index < end; index++) {
        const struct spoor_record *record = &batch->records[index];
        if (record->kind != SPOOR_UOP || (record->has & SPOOR_HAS_CPU)) break;
        const bool begins = spoor_uop_of(batch, index).step == 1;
        cpu->instructions += begins;
        if (begins) last = index;
        cpu->accesses += (record->op & (SPOOR_UOP_LOAD | SPOOR_UOP_STORE)) != 0;
    }
    if (last < batch->count)
        cpu->last = (struct call_moment){batch->first + last, batch->records[last].time,
                                         batch->records[last].uop.pc};
    return index;
}

bool activity_feed(struct activity *activity, struct machine *machine,
                   const struct spoor_batch *batch)
{
    const unsigned cpu = machine->cpu;
    bool good = true;
    activity->machine = machine;
    if (activity->calls)
        machine_see(machine, batch);
    else
        machine->cpu = activity->cpu; /* the caller has been through the batch */
    for (size_t i = 0; i < batch->count && good; i++) {
        if (batch->records[i].kind == SPOOR_UOP && activity_counts_uops(activity, machine->cpu))
            i = activity_run_uops(activity, machine->cpu, batch, i);
        if (i < batch->count)
            good = activity_add(activity, batch, i, machine_cpu(machine, &batch->records[i]));
    }
    activity->cpu = machine->cpu;
    if (!activity->calls) machine->cpu = cpu;
    return good;
}

/* Runs the micro-ops that are in the one sum and not in the other. */
static void activity_run_sum(struct activity *activity, unsigned number,
                             const struct spoor_batch *batch, const struct activity_sum *from,
                             const struct activity_sum *to)
{
    struct activity_cpu *cpu = &activity->cpus[number];
    cpu->instructions += to->instructions - from->instructions;
    cpu->accesses += to->accesses - from->accesses;
    if (to->last == from->last) return;
    const size_t last = to->last - 1;
    cpu->last = (struct call_moment){batch->first + last, batch->records[last].time,
                                     batch->records[last].uop.pc};
}

bool activity_feed_sums(struct activity *activity, struct machine *machine,
                        const struct spoor_batch *batch, const struct activity_sum *sums,
                        size_t count)
{
    const unsigned number = activity->cpu;
    struct activity_sum done = {0};
    if (!activity_counts_uops(activity, number)) return activity_feed(activity, machine, batch);
    activity->machine = machine;
    for (size_t i = 0; i + 1 < count; i++) {
        const uint64_t record = batch->first + sums[i].records;
        if (activity->queue_at == activity->queue_count) break;
        if (activity->queue[activity->queue_at].at.record > record) continue;
        activity_run_sum(activity, number, batch, &done, &sums[i]);
        if (!activity_add(activity, batch, sums[i].records, number)) return false;
        const struct spoor_record *next = &batch->records[sums[i].records];
        const bool begins = next->uop.step == 1;
        done = sums[i];
        done.records++;
        done.instructions += begins;
        done.accesses += (next->op & (SPOOR_UOP_LOAD | SPOOR_UOP_STORE)) != 0;
        if (begins) done.last = done.records;
    }
    activity_run_sum(activity, number, batch, &done, &sums[count - 1]);
    return true;
}

bool activity_stop(struct activity *activity)
{
    activity->batch = NULL;
    if (activity->calls && !calls_end(activity->calls)) activity->failed = true;
    activity_pass_queue(activity, UINT64_MAX);
    for (unsigned i = 0; i < activity->cpu_count; i++) {
        const struct activity_cpu *cpu = &activity->cpus[i];
        if (!cpu->started && !cpu->bottom) continue;
        activity_pass_on(activity, &(struct activity_event){.what = ACTIVITY_STOP,
                                                            .cpu = i,
                                                            .thread = cpu->thread,
                                                            .at = cpu->last,
                                                            .last = cpu->last,
                                                            .thumb = cpu->last_thumb,
                                                            .last_thumb = cpu->last_thumb,
                                                            .line = cpu->last_line,
                                                            .last_line = cpu->last_line,
                                                            .instructions = cpu->instructions,
                                                            .accesses = cpu->accesses});
    }
    return !activity->failed;
}

/* ---- interface ---- */

struct activity *activity_new(const struct activity_listener *listener, struct machine *machine)
{
    struct activity *activity = calloc(1, sizeof *activity);
    struct call_listener calls = activity_calls_listener;
    if (!activity) return NULL;
    activity->listener = *listener;
    if (!machine) return activity; /* the caller has the calls */
    calls.context = activity;
    activity->machine = machine;
    activity->calls = calls_new(&calls);
    if (activity->calls) return activity;
    activity_free(activity);
    return NULL;
}

void activity_free(struct activity *activity)
{
    if (!activity) return;
    calls_free(activity->calls);
    free(activity->queue);
    free(activity->cpus);
    free(activity);
}

void activity_name(struct activity *activity, function_finder *find, void *context)
{
    activity->find = find;
    activity->finder = context;
}

uint64_t activity_instructions(const struct activity *activity, unsigned cpu)
{
    return cpu < activity->cpu_count ? activity->cpus[cpu].instructions : 0;
}

uint64_t activity_accesses(const struct activity *activity, unsigned cpu)
{
    return cpu < activity->cpu_count ? activity->cpus[cpu].accesses : 0;
}
