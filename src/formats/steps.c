/* SPDX-License-Identifier: MIT */
/*
 * steps.c: the instructions that retired, of any trace of RISC-V.
 *
 * Whether an instruction retired is known when the record after it comes: so the one before it is
 * kept, with the traps since, until then.
 */
#include "formats/steps.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/scan.h"
#include "formats/format.h"
#include "isa/opcode.h"
#include "isa/privilege.h"
#include "isa/riscv_cause.h"

enum {
    ECALL = 0x73,
    EBREAK = 0x100073,
    C_EBREAK = 0x9002,
    CAUSE_BREAKPOINT = 3,
    CAUSE_CALL = 8, /* plus the privilege */
    CAUSES_OF_FETCH = 1 << 0 | 1 << 1 | 1 << 12 | 1 << 20,
};

/* An instruction, and what the trace itself says of its branch. */
struct steps_insn {
    struct step step;
    bool states_flow, stated_taken, states_target;
    uint64_t stated_target;
};

/* What an event states of the instructions after it. */
struct steps_state {
    uint8_t privilege;
    uint64_t context;
    bool has_context;
};

static const struct steps_state steps_unstated = {.privilege = STEP_UNSTATED};

struct steps_cpu {
    char *name;
    bool has_done, has_fresh;
    struct steps_insn done, fresh; /* fresh: it may not have retired */
    struct step_trap traps[STEP_TRAPS];
    unsigned trap_count; /* after `done` */
    bool trap_is_last;   /* an event about it may follow */
    struct steps_state stated;
};

struct steps {
    void (*step)(void *context, unsigned cpu, const struct step *step,
                 const struct step_after *after);
    void *context;
    struct steps_cpu *cpus;
    size_t cpu_count, cpu_capacity;
    uint32_t *numbers; /* plus 1, by the name of the processor in the stream */
    size_t number_capacity;
    const struct spoor_stream *stream;
    spoor_name last;          /* processor of the last instruction */
    struct steps_state early; /* stated before the first instruction of this processor: */
    spoor_name early_id;
    uint64_t left_out;
    bool failed;
};

struct steps *steps_new(void (*step)(void *context, unsigned cpu, const struct step *step,
                                     const struct step_after *after),
                        void *context)
{
    struct steps *steps = calloc(1, sizeof *steps);
    if (!steps) return NULL;
    steps->step = step;
    steps->context = context;
    return steps;
}

void steps_free(struct steps *steps)
{
    if (!steps) return;
    for (size_t i = 0; i < steps->cpu_count; i++) free(steps->cpus[i].name);
    free(steps->cpus);
    free(steps->numbers);
    free(steps);
}

const char *steps_cpu_name(const struct steps *steps, unsigned cpu)
{
    return steps->cpus[cpu].name;
}

uint64_t steps_left_out(const struct steps *steps)
{
    return steps->left_out;
}

bool steps_failed(const struct steps *steps)
{
    return steps->failed;
}

/* The event "context" of a trace of packets, "mode=M context=0x7"; false: the record is another. */
static bool steps_read_context(struct steps_state *state, const struct spoor_batch *batch,
                               const struct spoor_record *record)
{
    if (record->kind != SPOOR_EVENT || record->op != SPOOR_EVENT_STATE) return false;
    size_t size;
    const char *name = spoor_names_text(batch->stream->names, record->event.name, &size);
    if (size != strlen("context") || memcmp(name, "context", size) != 0) return false;
    const char *text = spoor_batch_bytes(batch, record->event.text);
    struct scan scan = {text, text + record->event.text.size};
    if (!SCAN_LITERAL(&scan, "mode=") || scan_done(&scan)) return true;
    const char digit = privilege_of_mode(scan.at, 1);
    if (digit >= '0' && digit <= '3') state->privilege = (uint8_t)(digit - '0');
    state->has_context = record->has & SPOOR_HAS_EXTRA;
    state->context = record->event.value1;
    return true;
}

/* The processor of a record; NULL: it has none, or memory ran out. */
static struct steps_cpu *steps_cpu_of(struct steps *steps, const struct spoor_batch *batch,
                                      const struct spoor_record *record)
{
    spoor_name id = record->has & SPOOR_HAS_CPU ? record->cpu : SPOOR_NO_NAME;
    if (steps->stream != batch->stream) { /* names of another trace */
        steps->stream = batch->stream;
        if (steps->numbers)
            memset(steps->numbers, 0, steps->number_capacity * sizeof *steps->numbers);
        steps->last = SPOOR_NO_NAME;
        steps->early = steps_unstated;
    }
    if (record->kind == SPOOR_INSN)
        steps->last = id;
    else if (!id) /* only instructions name their processor */
        id = steps->last;
    if (!array_reserve_zeroed(&steps->numbers, &steps->number_capacity, id + (size_t)1)) {
        steps->failed = true;
        return NULL;
    }
    if (steps->numbers[id]) return &steps->cpus[steps->numbers[id] - 1];
    if (record->kind != SPOOR_INSN) { /* nothing has run there */
        if (steps_read_context(&steps->early, batch, record)) steps->early_id = id;
        return NULL;
    }
    const char *name = id ? spoor_names_text(batch->stream->names, id, NULL) : "";
    size_t at = 0;
    while (at < steps->cpu_count && strcmp(steps->cpus[at].name, name) != 0) at++;
    if (at == steps->cpu_count) {
        char *copy = strdup(name);
        if (!copy || !array_reserve(&steps->cpus, &steps->cpu_capacity, at + 1)) {
            free(copy);
            steps->failed = true;
            return NULL;
        }
        steps->cpus[steps->cpu_count++] = (struct steps_cpu){
            .name = copy, .stated = steps->early_id == id ? steps->early : steps_unstated};
        steps->early = steps_unstated;
    }
    steps->numbers[id] = (uint32_t)at + 1;
    return &steps->cpus[at];
}

/* ---- where a step leads ---- */

/* Execution went on at `next` after the instruction; false: nothing leads there. */
static bool insn_leads_to(struct steps_insn *insn, uint64_t next)
{
    struct step *step = &insn->step;
    const uint64_t after = step->pc + step->size;
    const bool is_call = step->size == 2 && (step->opcode & 0xE003) == 0x2001;
    step->next = next;
    step->goes_on = true;
    if (step->conditional) {
        step->taken = next == step->target && next != after;
        if (next == after && step->target == after && insn->states_flow)
            step->taken = insn->stated_taken;
        return step->taken || next == after;
    }
    if (step->indirect) return true;
    if (step->taken) return next == step->target;
    if (is_call && next != after) { /* c.jal of RV32, which is c.addiw of RV64 */
        const struct opcode jump = opcode_riscv(step->pc, (uint32_t)step->opcode | 0x8000, 2);
        if (jump.flow != OPCODE_BRANCH || jump.target != next) return false;
        step->taken = true;
        step->target = next;
        return true;
    }
    if (is_call) step->jump = (struct riscv_jump){.pushes = false};
    return next == after;
}

/* Nothing says where execution went on but the instruction and the trace's record of its branch;
 * false: whether it was taken is not known. */
static bool insn_ends(struct steps_insn *insn)
{
    struct step *step = &insn->step;
    const uint64_t after = step->pc + step->size;
    const bool is_call = step->size == 2 && (step->opcode & 0xE003) == 0x2001;
    step->goes_on = false;
    if (step->conditional) {
        if (!insn->states_flow) return false;
        step->taken = insn->stated_taken;
        step->next = step->taken ? step->target : after;
        step->goes_on = true;
    } else if (step->indirect) {
        step->next = insn->stated_target;
        step->goes_on = insn->states_target;
    } else if (is_call && insn->states_flow && insn->states_target) {
        return insn_leads_to(insn, insn->stated_target);
    } else {
        step->next = step->taken ? step->target : after;
        step->goes_on = !is_call;
        if (is_call) step->jump = (struct riscv_jump){.pushes = false};
    }
    return true;
}

/* True of an instruction that always traps. */
static bool step_calls(const struct step *step)
{
    return step->opcode == ECALL || step->opcode == EBREAK || step->opcode == C_EBREAK;
}

/* ---- giving steps ---- */

/* Gives the step that is kept; `next`: the instruction after it and its traps; NULL: it is not
 * known. */
static void steps_give(struct steps *steps, struct steps_cpu *cpu, const struct steps_insn *next,
                       bool lost)
{
    struct steps_insn *done = &cpu->done;
    struct step_after after = {.traps = cpu->traps, .trap_count = cpu->trap_count};
    bool usable = true;
    if (!cpu->has_done) {
        steps->left_out += cpu->trap_count; /* of what was before, nothing is known */
    } else {
        bool led = false;
        if (cpu->trap_count && cpu->traps[0].has_epc)
            led = insn_leads_to(done, cpu->traps[0].epc);
        else if (!cpu->trap_count && next)
            led = insn_leads_to(done, next->step.pc);
        if (!led) {
            usable = insn_ends(done);
            if (cpu->trap_count && !cpu->traps[0].has_epc && done->step.goes_on) led = true;
            if (cpu->trap_count && !cpu->traps[0].has_epc && done->step.indirect) led = true;
        }
        /* the handler of a trap may be anywhere */
        after.ends = !led || !next;
        after.lost = after.ends && lost;
        if (after.ends) { /* a trap needs the address of its handler */
            steps->left_out += cpu->trap_count;
            after.trap_count = 0;
        }
        if (next) {
            after.next = next->step.pc;
            after.privilege = next->step.privilege;
            after.context = next->step.context;
            after.has_context = next->step.has_context;
        }
        steps->left_out += !usable;
        after.ends |= !usable;
        steps->step(steps->context, (unsigned)(cpu - steps->cpus), usable ? &done->step : NULL,
                    &after);
    }
    cpu->has_done = false;
    cpu->trap_count = 0;
}

/* The last instruction retired. */
static void steps_retire(struct steps *steps, struct steps_cpu *cpu)
{
    if (!cpu->has_fresh) return;
    steps_give(steps, cpu, &cpu->fresh, false);
    cpu->done = cpu->fresh;
    cpu->has_done = true;
    cpu->has_fresh = cpu->trap_is_last = false;
}

static void steps_end(struct steps *steps, struct steps_cpu *cpu, bool lost)
{
    steps_retire(steps, cpu);
    steps_give(steps, cpu, NULL, lost);
    cpu->trap_is_last = false;
}

void steps_break(struct steps *steps)
{
    steps->early = steps_unstated;
    for (size_t i = 0; i < steps->cpu_count; i++) {
        steps_end(steps, &steps->cpus[i], false);
        steps->cpus[i].stated = steps_unstated;
    }
}

/* ---- taking records ---- */

static bool steps_add_trap(struct steps *steps, struct steps_cpu *cpu, struct step_trap trap,
                           bool retires)
{
    if (retires) steps_retire(steps, cpu);
    if (cpu->has_fresh) {
        trap.has_epc = true;
        trap.epc = cpu->fresh.step.pc;
        cpu->has_fresh = false;
    }
    if (cpu->trap_count == STEP_TRAPS) {
        steps->left_out++;
        return false;
    }
    cpu->traps[cpu->trap_count++] = trap;
    cpu->trap_is_last = true;
    return true;
}

static bool steps_add_insn(struct steps *steps, struct steps_cpu *cpu,
                           const struct spoor_batch *batch, const struct spoor_record *record)
{
    const struct spoor_insn *insn = &record->insn;
    uint8_t privilege = cpu->stated.privilege;
    if (record->has & SPOOR_HAS_EXTRA) {
        size_t size;
        const char *mode = spoor_names_text(batch->stream->names, insn->mode, &size);
        const char digit = privilege_of_mode(mode, size);
        if (digit >= '0' && digit <= '3') privilege = (uint8_t)(digit - '0');
    }
    if (record->op == SPOOR_INSN_AGAIN) {
        if (cpu->has_fresh) cpu->fresh.step.privilege = privilege;
        return true;
    }
    if (record->op != SPOOR_INSN_TAKEN) return false;
    const unsigned size = insn->opcode_size;
    if (!(record->has & SPOOR_HAS_VA) || !(record->has & SPOOR_HAS_DATA) ||
        (size != 2 && size != 4)) {
        steps->left_out++;
        steps_end(steps, cpu, false);
        return false;
    }
    const uint64_t bits = insn->opcode & (size == 2 ? UINT16_MAX : UINT32_MAX);
    const struct opcode opcode = opcode_riscv(insn->va, (uint32_t)bits, size);
    const bool branches = opcode.flow == OPCODE_BRANCH;
    const bool jumps = branches || (size == 2 && (bits & 0xE003) == 0x2001); /* perhaps c.jal */
    const struct step *before = &cpu->fresh.step;
    if (cpu->has_fresh && step_calls(before) && insn->va != before->pc + before->size) {
        /* no record says that it trapped, but the way does */
        const bool call = before->opcode == ECALL;
        const uint64_t cause = call ? CAUSE_CALL + before->privilege : CAUSE_BREAKPOINT;
        const bool numbered = !call || before->privilege != STEP_UNSTATED;
        steps_add_trap(steps, cpu, (struct step_trap){.numbered = numbered, .number = cause},
                       false);
    }
    steps_retire(steps, cpu);
    cpu->fresh = (struct steps_insn){
        .step = {.pc = insn->va,
                 .opcode = bits,
                 .time = record->time,
                 .target = opcode.target,
                 .jump = jumps ? riscv_jump_of(bits, size) : (struct riscv_jump){.pushes = false},
                 .constant = riscv_constant_of(insn->va, bits, size),
                 .size = (uint8_t)size,
                 .privilege = privilege,
                 .context = cpu->stated.context,
                 .has_context = cpu->stated.has_context,
                 .has_time = record->has & SPOOR_HAS_TIME,
                 .conditional = branches && (opcode.type & SPOOR_BRANCH_CONDITIONAL),
                 .indirect = branches && (opcode.type & SPOOR_BRANCH_INDIRECT),
                 .taken = branches,
                 .returns_from_trap = branches && size == 4 && (bits & 0xFFF) == ECALL}};
    cpu->has_fresh = true;
    return true;
}

/* What the trace says of the branch of the last instruction. */
static bool steps_add_flow(struct steps_cpu *cpu, const struct spoor_record *record)
{
    struct steps_insn *insn = &cpu->fresh;
    if (!cpu->has_fresh) return false;
    if ((record->has & SPOOR_HAS_VA) && record->flow.va != insn->step.pc) return false;
    const bool taken = !(record->op & SPOOR_FLOW_NOT_TAKEN);
    if (record->has & SPOOR_HAS_EXTRA) return true; /* not said whether */
    insn->states_flow = true;
    insn->stated_taken = taken;
    if (!taken || !(record->has & SPOOR_HAS_DATA)) return true;
    insn->states_target = true;
    insn->stated_target = record->flow.target;
    return true;
}

/* The number of a cause by a name of Spike's, "trap_load_page_fault"; -1: it is none. */
static int cause_by_spike(const char *name, size_t size)
{
    static const char *const names[] = {
        "instruction_address_misaligned",
        "instruction_access_fault",
        "illegal_instruction",
        "breakpoint",
        "load_address_misaligned",
        "load_access_fault",
        "store_address_misaligned",
        "store_access_fault",
        "user_ecall",
        "supervisor_ecall",
        "virtual_supervisor_ecall",
        "machine_ecall",
        "instruction_page_fault",
        "load_page_fault",
        "",
        "store_page_fault",
    };
    struct scan scan = {name, name + size};
    if (!SCAN_LITERAL(&scan, "trap_")) return -1;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == (size_t)(scan.end - scan.at) &&
            memcmp(names[i], scan.at, strlen(names[i])) == 0)
            return (int)i;
    return -1;
}

static struct step_trap trap_of(const struct spoor_batch *batch, const struct spoor_record *record)
{
    size_t size;
    const char *name = spoor_names_text(batch->stream->names, record->event.name, &size);
    const struct spoor_format *format = batch->stream->format;
    struct riscv_cause cause;
    struct step_trap trap = {.has_epc =
                                 (record->has & SPOOR_HAS_VA) && !format->exceptions_have_tval,
                             .epc = record->event.value,
                             .interrupt = memmem(name, size, "nterrupt", strlen("nterrupt"))};
    struct scan scan = {name, name + size};
    const int spike = cause_by_spike(name, size);
    if (format->exceptions_have_tval && (record->has & SPOOR_HAS_VA)) {
        trap.value = record->event.value;
        trap.has_value = true;
    }
    if (record->has & SPOOR_HAS_INDEX) {
        trap.numbered = true;
        trap.number = record->event.number;
    } else if (riscv_cause_find(name, size, &cause)) {
        trap.numbered = true;
        trap.number = cause.number;
        trap.interrupt = cause.interrupt;
    } else if (spike >= 0) {
        trap.numbered = true;
        trap.number = (unsigned)spike;
    } else if (SCAN_LITERAL(&scan, "interrupt #") || SCAN_LITERAL(&scan, "trap #")) {
        trap.numbered = scan_decimal(&scan, &trap.number);
    } else if (format->packets && (record->has & SPOOR_HAS_EXTRA)) { /* of E-Trace, with its code */
        trap.numbered = true;
        trap.number = record->event.value1;
        const char *text = spoor_batch_bytes(batch, record->event.text);
        struct scan value = {text, text + record->event.text.size};
        trap.has_value =
            SCAN_LITERAL(&value, "tval=0x") && scan_hex(&value, &trap.value, NULL, NULL);
    }
    return trap;
}

/* Whether the instruction before a trap retired. */
static bool steps_retires(const struct steps_cpu *cpu, const struct spoor_batch *batch,
                          const struct spoor_record *record, const struct step_trap *trap)
{
    const struct step *step = &cpu->fresh.step;
    if (!cpu->has_fresh || batch->stream->format->packets) return true; /* these all retired */
    if (trap->has_epc && trap->epc != step->pc) return true;
    if (trap->has_epc) /* unless it jumped to itself */
        return trap->interrupt && !(record->has & SPOOR_CONTINUES) &&
               (step->indirect || (step->taken && step->target == step->pc));
    if (trap->interrupt) return !(record->has & SPOOR_CONTINUES);
    /* of a fetch: of what was not read there is no line */
    return trap->numbered && trap->number < 32 && (CAUSES_OF_FETCH >> trap->number & 1);
}

static bool steps_add_event(struct steps *steps, struct steps_cpu *cpu,
                            const struct spoor_batch *batch, const struct spoor_record *record)
{
    size_t size;
    const char *name;
    switch (record->op) {
    case SPOOR_EVENT_EXCEPTION: {
        const struct step_trap trap = trap_of(batch, record);
        return steps_add_trap(steps, cpu, trap, steps_retires(cpu, batch, record, &trap));
    }
    case SPOOR_EVENT_BEGIN:
    case SPOOR_EVENT_END: steps_end(steps, cpu, false); return true;
    case SPOOR_EVENT_LOST: steps_end(steps, cpu, true); return true;
    case SPOOR_EVENT_STATE: return steps_read_context(&cpu->stated, batch, record);
    case SPOOR_EVENT_DEBUG: /* Spike's lines about the trap before */
        name = spoor_names_text(batch->stream->names, record->event.name, &size);
        if (!cpu->trap_is_last || !cpu->trap_count || size != strlen("tval") ||
            memcmp(name, "tval", size) != 0)
            return false;
        cpu->traps[cpu->trap_count - 1].value = record->event.value;
        cpu->traps[cpu->trap_count - 1].has_value = true;
        return true;
    default: return false;
    }
}

bool steps_add(struct steps *steps, const struct spoor_batch *batch, size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    struct steps_cpu *cpu = steps_cpu_of(steps, batch, record);
    if (!cpu) return false;
    if (record->has & SPOOR_AFTER_GAP) steps_end(steps, cpu, false);
    switch (record->kind) {
    case SPOOR_INSN: return steps_add_insn(steps, cpu, batch, record);
    case SPOOR_FLOW: return steps_add_flow(cpu, record);
    case SPOOR_EVENT: return steps_add_event(steps, cpu, batch, record);
    case SPOOR_NOTE:
        if (record->op == SPOOR_NOTE_LEFT_OUT && record->left_out.missing) steps_break(steps);
        return false;
    default: return false;
    }
}
