/* SPDX-License-Identifier: MIT */
/*
 * encode.c: E-Trace of the steps of any trace of RISC-V: the algorithm of the document (Efficient
 * Trace for RISC-V 2.0, "Reference Compressed Branch Trace Algorithm") and its optional modes.
 *
 * An address that is reported, but to which no uninferable jump leads, is where a decoder comes to
 * it first.  In a loop without a branch, or by calls with implicit returns, it comes to it several
 * times: each time before the last one is a packet of its own then, with `notify`, at which the
 * document's decoder stops.  A return that is not to where the call came from is reported after a
 * packet of its own for the same reason.
 */
#include <stdlib.h>

#include "base/array.h"
#include "formats/encoder_keys.h"
#include "formats/etrace/etrace.h"
#include "formats/steps.h"

enum {
    MOST_PASSED = 1 << 17, /* instructions of which a decoder may take one for another */
    UNSTATED_PRIVILEGE = 3,
    FIRST_COUNT = ETRACE_MAP, /* branches that a count does not count */
};

/* How the last step was reported. */
enum etrace_report { REPORTED_NOT, REPORTED_SYNC, REPORTED_JUMP, REPORTED };

struct etrace_state {
    bool traces;
    bool enters;                    /* the next step has another privilege or context */
    struct riscv_constant constant; /* that the last step loaded */
    struct etrace_memory memory;
    bool jumped; /* the last step jumps to where the code does not say, */
    /* it does not, by what the decoder remembers; so did the one before: after these the document's
     * decoder does not stop without `notify` */
    bool inferred, was_inferred;
    bool failed_return;  /* and returns to another address than that of its call */
    bool trapped;        /* a trap is due whose handler is the next step; */
    bool trap_is_stated; /* only the handler is due */
    struct step_trap trap;
    enum etrace_report report; /* of the last step */
    uint64_t pc;               /* of it */
    uint64_t address;          /* that was reported last */
    uint64_t map, branches;    /* since then, also those that were predicted: */
    bool predicted;            /* all of them but the last, if `fails` */
    bool fails;
    bool overdue;     /* a count has become too long: the next packet synchronises */
    unsigned packets; /* since the last one that synchronises */
    uint8_t privilege;
    uint64_t context;
    bool has_context;
    uint64_t *passed; /* instructions since the last branch or report */
    size_t passed_count, passed_capacity;
};

/* Fields of packets that cannot be left out. */
enum etrace_assumed {
    ASSUMED_PRIVILEGE,
    ASSUMED_CONTEXT,
    ASSUMED_TIME,
    ASSUMED_TVAL,
    ASSUMED_ADDRESS,
    ASSUMED
};

struct etrace_encoder {
    struct etrace_sizes sizes;
    unsigned resync, full;
    unsigned options;
    struct steps *steps;
    struct etrace_state state;
    bool supported; /* a support packet has said the options */
    struct text *out;
    uint64_t left_out, other_harts; /* the second of them: instructions */
    uint64_t assumed[ASSUMED];      /* packets that state what the trace does not */
    bool failed;
};

/* ---- packets ---- */

static void encoder_put(struct etrace_encoder *encoder, const struct etrace_packet *packet)
{
    etrace_put(packet, &encoder->sizes, encoder->out);
    encoder->state.packets++;
}

static void encoder_put_support(struct etrace_encoder *encoder, bool enabled,
                                enum etrace_status status)
{
    struct etrace_packet packet = {.kind = ETRACE_SUPPORT};
    packet.value[ETRACE_F_ienable] = enabled;
    packet.value[ETRACE_F_qual_status] = status;
    packet.value[ETRACE_F_ioptions] = encoder->options;
    encoder_put(encoder, &packet);
}

static uint8_t privilege_of(uint8_t stated)
{
    return stated == STEP_UNSTATED ? UNSTATED_PRIVILEGE : stated;
}

/* What a trap or a start states of the hart.  A trace may not state it: then it is counted. */
static void encoder_set_state(struct etrace_encoder *encoder, struct etrace_packet *packet,
                              const struct step *step)
{
    const struct etrace_state *state = &encoder->state;
    const uint8_t *sizes = encoder->sizes.of;
    encoder->assumed[ASSUMED_PRIVILEGE] += state->privilege == STEP_UNSTATED;
    encoder->assumed[ASSUMED_CONTEXT] += sizes[ETRACE_P_context_width] && !state->has_context;
    encoder->assumed[ASSUMED_TIME] += sizes[ETRACE_P_time_width] && !step->has_time;
    packet->value[ETRACE_F_privilege] = privilege_of(state->privilege);
    packet->value[ETRACE_F_time] = step->has_time ? step->time : 0;
    packet->value[ETRACE_F_context] = state->has_context ? state->context : 0;
}

static void encoder_set_trap(struct etrace_encoder *encoder, struct etrace_packet *packet,
                             const struct step_trap *trap)
{
    packet->value[ETRACE_F_ecause] = trap->number;
    packet->value[ETRACE_F_interrupt] = trap->interrupt;
    packet->value[ETRACE_F_tval] = etrace_width(&encoder->sizes, trap->value);
    encoder->assumed[ASSUMED_TVAL] += !trap->interrupt && !trap->has_value;
}

/* What is reported is no longer due. */
static void state_clear(struct etrace_state *state)
{
    state->map = state->branches = 0;
    state->predicted = true;
    state->fails = false;
    state->passed_count = 0;
}

/* Sends that a step runs, without the way to it. */
static void encoder_synchronise(struct etrace_encoder *encoder, const struct step *step,
                                const struct step_trap *trap)
{
    struct etrace_state *state = &encoder->state;
    struct etrace_packet packet = {.kind = trap ? ETRACE_TRAP : ETRACE_START};
    packet.value[ETRACE_F_branch] = !(step->conditional && step->taken);
    packet.value[ETRACE_F_address] = step->pc;
    encoder_set_state(encoder, &packet, step);
    if (trap) {
        packet.value[ETRACE_F_thaddr] = 1;
        encoder_set_trap(encoder, &packet, trap);
    }
    encoder_put(encoder, &packet);
    etrace_memory_forget(&state->memory);
    if (step->conditional) etrace_learn(&state->memory, step->pc, step->taken);
    state_clear(state);
    state->address = step->pc;
    state->packets = 0;
    state->overdue = false;
    state->report = REPORTED_SYNC;
}

/* A trap of which the handler did not begin, or that came where a jump went. */
static void encoder_put_trap(struct etrace_encoder *encoder, const struct step *step,
                             const struct step_trap *trap)
{
    struct etrace_packet packet = {.kind = ETRACE_TRAP};
    packet.value[ETRACE_F_branch] = 1;
    packet.value[ETRACE_F_address] = trap->has_epc ? trap->epc : 0;
    encoder->assumed[ASSUMED_ADDRESS] += !trap->has_epc;
    encoder_set_trap(encoder, &packet, trap);
    encoder_set_state(encoder, &packet, step);
    encoder_put(encoder, &packet);
    encoder->state.address = packet.value[ETRACE_F_address];
}

static size_t etrace_bytes(const struct etrace_packet *packet, const struct etrace_sizes *sizes)
{
    struct text text = {0};
    etrace_put(packet, sizes, &text);
    const size_t size = text.size;
    text_free(&text);
    return size;
}

struct etrace_flags {
    bool notify, updiscon, irreport;
};

/* The difference to the last address, and what comes after it. */
static void packet_set_address(const struct etrace_encoder *encoder, struct etrace_packet *packet,
                               uint64_t pc, const struct etrace_flags *flags)
{
    const struct etrace_state *state = &encoder->state;
    const struct etrace_sizes *sizes = &encoder->sizes;
    const unsigned depth = sizes->of[ETRACE_P_return_stack_size] > 0 ? state->memory.depth : 0;
    const uint64_t address = etrace_width(sizes, pc - (encoder->full ? 0 : state->address));
    const uint64_t highest = address >> (etrace_address_bits(sizes) - 1);
    packet->value[ETRACE_F_address] = address;
    packet->value[ETRACE_F_notify] = highest ^ flags->notify;
    packet->value[ETRACE_F_updiscon] = packet->value[ETRACE_F_notify] ^ flags->updiscon;
    packet->value[ETRACE_F_irreport] = packet->value[ETRACE_F_updiscon] ^ flags->irreport;
    packet->value[ETRACE_F_irdepth] =
        flags->irreport ? depth : 0 - packet->value[ETRACE_F_updiscon];
}

/* Sends the address of an instruction, and the branches up to it. */
static void encoder_put_address(struct etrace_encoder *encoder, uint64_t pc,
                                const struct etrace_flags *flags)
{
    struct etrace_state *state = &encoder->state;
    struct etrace_packet packet = {.kind = state->branches ? ETRACE_BRANCH : ETRACE_ADDRESS};
    packet.value[ETRACE_F_branches] = state->branches;
    packet.value[ETRACE_F_branch_map] = state->map;
    const bool counts =
        state->branches > ETRACE_MAP || (state->branches == ETRACE_MAP && state->predicted &&
                                         (encoder->options & ETRACE_PREDICTION));
    if (counts) {
        packet.kind = ETRACE_COUNT;
        packet.value[ETRACE_F_branch_count] = state->branches - state->fails - FIRST_COUNT;
        packet.value[ETRACE_F_branch_fmt] = state->fails ? 3 : 2;
    }
    packet_set_address(encoder, &packet, pc, flags);
    if ((encoder->options & ETRACE_JUMP_CACHE) && !flags->notify) {
        uint64_t index;
        uint64_t *target = etrace_target(&state->memory, pc, &index);
        struct etrace_packet other = {.kind = ETRACE_INDEX};
        other.value[ETRACE_F_index] = index;
        other.value[ETRACE_F_branches] = state->branches;
        other.value[ETRACE_F_branch_map] = state->map;
        const uint64_t highest = etrace_bit_before(&other, ETRACE_F_irreport);
        other.value[ETRACE_F_irreport] = highest;
        other.value[ETRACE_F_irdepth] = 0 - highest;
        if (*target == pc && !counts && !flags->updiscon && !flags->irreport &&
            etrace_bytes(&other, &encoder->sizes) < etrace_bytes(&packet, &encoder->sizes))
            packet = other;
        *target = pc;
    }
    encoder_put(encoder, &packet);
    state->address = pc;
    state_clear(state);
}

/* Sends a packet for each time that a decoder would come to the address before it is meant to. */
static void encoder_put_passed(struct etrace_encoder *encoder, uint64_t pc)
{
    struct etrace_state *state = &encoder->state;
    const struct etrace_flags notify = {.notify = true};
    size_t times = 0;
    for (size_t i = 0; i < state->passed_count; i++) times += state->passed[i] == pc;
    for (; times; times--) encoder_put_address(encoder, pc, &notify);
}

/* ---- steps ---- */

static void state_pass(struct etrace_encoder *encoder, const struct step *step)
{
    struct etrace_state *state = &encoder->state;
    if (state->report != REPORTED_NOT) return; /* from there the decoder goes on */
    if (state->passed_count == MOST_PASSED) {
        const struct etrace_flags notify = {.notify = true};
        encoder_put_passed(encoder, step->pc);
        encoder_put_address(encoder, step->pc, &notify);
        state->report = REPORTED;
        return;
    }
    if (!array_reserve(&state->passed, &state->passed_capacity, state->passed_count + 1)) {
        encoder->failed = true;
        return;
    }
    state->passed[state->passed_count++] = step->pc;
}

/* Adds a branch to those that are not reported; true: it has to be, at once. */
static void state_add_branch(struct etrace_encoder *encoder, const struct step *step)
{
    struct etrace_state *state = &encoder->state;
    const bool good = (encoder->options & ETRACE_PREDICTION) &&
                      etrace_predict(&state->memory, step->pc) == step->taken;
    etrace_learn(&state->memory, step->pc, step->taken);
    if (state->branches < ETRACE_MAP) {
        state->map |= (uint64_t)!step->taken << state->branches;
        state->predicted &= good;
    } else {
        state->fails = !good;
    }
    state->branches++;
    state->overdue |= state->branches >= ETRACE_MOST_PREDICTED;
    state->passed_count = 0;
}

/* Sends the branches alone where their map is full, or their count ends; the decoder stops at the
 * last one. */
static void encoder_put_branches(struct etrace_encoder *encoder)
{
    struct etrace_state *state = &encoder->state;
    struct etrace_packet packet = {.kind = ETRACE_BRANCH};
    if (state->branches < ETRACE_MAP) return;
    if (state->branches == ETRACE_MAP) {
        if (state->predicted) return; /* and go on to be counted */
        packet.value[ETRACE_F_branch_map] = state->map;
    } else {
        if (!state->fails) return;
        packet.kind = ETRACE_COUNT;
        packet.value[ETRACE_F_branch_count] = state->branches - 1 - FIRST_COUNT;
    }
    encoder_put(encoder, &packet);
    state_clear(state);
    state->report = REPORTED;
}

/* Whether the code says where an indirect jump goes: *target. */
static bool step_has_target(const struct etrace_encoder *encoder, const struct step *step,
                            const struct riscv_constant *constant, uint64_t *target)
{
    const struct riscv_jump *jump = &step->jump;
    const bool constant_says =
        (encoder->options & ETRACE_SIJUMP) && constant->known && constant->reg == jump->base;
    if (!jump->indirect || (jump->base && !constant_says)) return false;
    *target =
        etrace_width(&encoder->sizes, riscv_jump_target(jump, jump->base ? constant->value : 0));
    return true;
}

/* Whether the next step is where the decoder finds it; keeps the stack of returns.  *agrees: the
 * trace and the code say the same. */
static bool state_infers(struct etrace_encoder *encoder, const struct step *step,
                         const struct riscv_constant *constant, bool *agrees)
{
    struct etrace_state *state = &encoder->state;
    const bool returns = (encoder->options & ETRACE_IMPLICIT_RETURN) != 0;
    uint64_t target = 0;
    bool infers = step_has_target(encoder, step, constant, &target);
    *agrees = !infers || !step->goes_on || etrace_width(&encoder->sizes, step->next) == target;
    state->failed_return = false;
    if (!infers && returns && step->jump.pops && state->memory.depth) {
        const uint64_t top = state->memory.returns[state->memory.depth - 1];
        infers = step->goes_on && top == step->next;
        state->failed_return = !infers;
        if (infers) etrace_pop_return(&state->memory);
    }
    if (returns && step->jump.pushes) etrace_push_return(&state->memory, step->pc + step->size);
    return infers;
}

/* Reports the step. */
static void encoder_report(struct etrace_encoder *encoder, const struct step *step,
                           bool before_sync)
{
    struct etrace_state *state = &encoder->state;
    const struct etrace_flags flags = {.notify = state->inferred,
                                       .updiscon = state->jumped && before_sync,
                                       .irreport = state->jumped && state->failed_return};
    if (!state->jumped) encoder_put_passed(encoder, step->pc);
    encoder_put_address(encoder, step->pc, &flags);
    state->report = state->jumped ? REPORTED_JUMP : REPORTED;
}

/* Tracing ends after the last step. */
static void encoder_end(struct etrace_encoder *encoder, bool lost)
{
    struct etrace_state *state = &encoder->state;
    const bool traced = state->traces;
    if (traced && state->report == REPORTED_NOT) {
        const struct etrace_flags flags = {.notify = state->was_inferred};
        if (state->passed_count) state->passed_count--; /* it is the last one */
        encoder_put_passed(encoder, state->pc);
        encoder_put_address(encoder, state->pc, &flags);
    }
    if (traced)
        encoder_put_support(encoder, false,
                            state->report == REPORTED_JUMP ? ETRACE_ENDED_UNREPORTED
                                                           : ETRACE_ENDED_REPORTED);
    if (lost) encoder_put_support(encoder, true, ETRACE_LOST);
    state->traces = state->trapped = state->jumped = state->failed_return = false;
    encoder->supported = false;
    state_clear(state);
}

static bool context_changes(const struct etrace_state *state, const struct step_after *after)
{
    return privilege_of(after->privilege) != privilege_of(state->privilege) ||
           after->has_context != state->has_context || after->context != state->context;
}

/* The step and the branches up to it, where it has to be reported. */
static void encoder_put_step(struct etrace_encoder *encoder, const struct step *step,
                             const struct step_after *after, bool enters)
{
    struct etrace_state *state = &encoder->state;
    const bool traps = after->trap_count > 0;
    const bool resync = state->overdue || (encoder->resync && state->packets >= encoder->resync);
    state->report = REPORTED_NOT;
    if (!state->traces) {
        if (!encoder->supported) encoder_put_support(encoder, true, ETRACE_NO_CHANGE);
        encoder->supported = true;
        state->traces = true;
        encoder_synchronise(encoder, step, NULL);
    } else if (state->trapped) {
        encoder_synchronise(encoder, step, state->trap_is_stated ? NULL : &state->trap);
    } else if (enters || (((encoder->resync && state->packets > encoder->resync) ||
                           (state->overdue && !state->branches)) &&
                          !state->failed_return)) {
        if (!state->jumped) encoder_put_passed(encoder, step->pc);
        encoder_synchronise(encoder, step, NULL);
    } else {
        if (step->conditional) state_add_branch(encoder, step);
        const bool changes = !after->ends && !traps && context_changes(state, after);
        if (state->jumped)
            encoder_report(encoder, step, traps || changes || resync);
        else if (traps || ((changes || resync) && state->branches))
            encoder_report(encoder, step, true);
        else
            encoder_put_branches(encoder);
    }
    state->trapped = false;
}

/* The traps after a step; those before the last one, and one where a jump went, at once. */
static void encoder_put_traps(struct etrace_encoder *encoder, const struct step *step,
                              const struct step_after *after)
{
    struct etrace_state *state = &encoder->state;
    const unsigned last = after->trap_count - 1;
    for (unsigned i = 0; i < last; i++) encoder_put_trap(encoder, step, &after->traps[i]);
    state->trap = after->traps[last];
    state->trapped = true;
    state->trap_is_stated = !last && state->jumped;
    if (state->trap_is_stated) encoder_put_trap(encoder, step, &state->trap);
    state->jumped = state->failed_return = false;
}

static void etrace_step(void *context, unsigned cpu, const struct step *step,
                        const struct step_after *after)
{
    struct etrace_encoder *encoder = context;
    struct etrace_state *state = &encoder->state;
    struct step_after then = *after;
    if (cpu) { /* packets have no number of a hart */
        encoder->other_harts += step != NULL;
        return;
    }
    if (!step) {
        encoder_end(encoder, after->lost);
        return;
    }
    for (unsigned i = 0; i < after->trap_count; i++)
        if (!after->traps[i].numbered) { /* which no packet can leave out */
            encoder->left_out += after->trap_count;
            then.trap_count = 0;
            then.ends = true;
            break;
        }
    const bool entered = state->traces && !state->trapped && state->enters;
    if (!state->traces) {
        state->privilege = step->privilege;
        state->context = step->context;
        state->has_context = step->has_context;
    }
    const bool changes = !then.ends && !then.trap_count && context_changes(state, &then);
    const bool jumps_back =
        privilege_of(then.privilege) == privilege_of(state->privilege) || step->returns_from_trap;
    if (changes && !jumps_back) then.ends = true; /* no packet says where that was */
    encoder_put_step(encoder, step, &then, entered);
    state->pc = step->pc;
    state_pass(encoder, step);
    bool agrees;
    const bool infers = state_infers(encoder, step, &state->constant, &agrees);
    state->constant = step->constant;
    then.ends |= (state->failed_return && changes) || !agrees;
    if (!agrees) encoder->left_out += then.trap_count;
    if (!agrees) then.trap_count = 0;
    if (state->failed_return && state->report == REPORTED_NOT && !then.ends) {
        /* so that no return before it can be taken for it */
        const struct etrace_flags notify = {.notify = true};
        state->passed_count--;
        encoder_put_passed(encoder, step->pc);
        encoder_put_address(encoder, step->pc, &notify);
        state->report = REPORTED;
    }
    state->jumped = step->indirect && !infers;
    state->was_inferred = state->inferred;
    state->inferred = step->indirect && infers && step->jump.base;
    state->enters = changes;
    if (then.trap_count) encoder_put_traps(encoder, step, &then);
    if (then.ends) {
        encoder_end(encoder, then.lost);
        return;
    }
    state->privilege = then.privilege;
    state->context = then.context;
    state->has_context = then.has_context;
}

/* ---- the format's ---- */

enum spoor_status etrace_encoder_open(struct encoder *encoder, struct spoor_error *error)
{
    struct etrace_encoder *own = calloc(1, sizeof *own);
    unsigned values[ETRACE_PARAMETERS], count = 0;
    struct encoder_key keys[ETRACE_PARAMETERS + 2];
    if (own) own->steps = steps_new(etrace_step, own);
    if (!own || !own->steps) {
        free(own);
        return spoor_error_set(error, SPOOR_ENOMEM, "out of memory");
    }
    encoder->tables = own;
    own->sizes = etrace_default_sizes;
    for (; count < ETRACE_PARAMETERS; count++) {
        values[count] = own->sizes.of[count];
        keys[count] = (struct encoder_key){etrace_limits[count].name, etrace_limits[count].least,
                                           etrace_limits[count].most, &values[count]};
    }
    keys[count++] = (struct encoder_key){"full", 0, 1, &own->full};
    keys[count++] = (struct encoder_key){"resync", 0, 1 << 30, &own->resync};
    const enum spoor_status status =
        encoder_keys_read(encoder->options.encoder, keys, count, error);
    for (size_t i = 0; i < ETRACE_PARAMETERS; i++) own->sizes.of[i] = (uint8_t)values[i];
    const uint8_t *of = own->sizes.of;
    own->options = (of[ETRACE_P_return_stack_size] ? ETRACE_IMPLICIT_RETURN : 0u) |
                   (own->full ? ETRACE_FULL_ADDRESS : 0u) |
                   (of[ETRACE_P_cache_size] ? ETRACE_JUMP_CACHE : 0u) |
                   (of[ETRACE_P_bpred_size] ? ETRACE_PREDICTION : 0u) |
                   (of[ETRACE_P_sijump] ? ETRACE_SIJUMP : 0u);
    etrace_complete_sizes(&own->sizes);
    if (status != SPOOR_OK) return status;
    if (!etrace_memory_size(&own->state.memory, &own->sizes))
        return spoor_error_set(error, SPOOR_ENOMEM, "out of memory");
    state_clear(&own->state);
    return SPOOR_OK;
}

bool etrace_encoder_add(struct encoder *encoder, const struct spoor_batch *batch, size_t index,
                        struct text *out)
{
    struct etrace_encoder *own = encoder->tables;
    own->out = out;
    const bool taken = steps_add(own->steps, batch, index);
    out->failed |= own->failed || steps_failed(own->steps);
    return taken;
}

void etrace_encoder_break(struct encoder *encoder, struct text *out)
{
    struct etrace_encoder *own = encoder->tables;
    own->out = out;
    steps_break(own->steps);
}

void etrace_encoder_close(struct encoder *encoder, struct text *out)
{
    struct etrace_encoder *own = encoder->tables;
    if (!own) return;
    etrace_encoder_break(encoder, out);
    encoder->skipped += steps_left_out(own->steps) + own->left_out + own->other_harts;
    const struct spoor_writer_note others = {
        true, "cpu", NULL, "a stream is of one hart: `spoor cut --cpu NAME -t spoor`, then convert",
        own->other_harts};
    encoder_note(encoder, &others);
    static const struct spoor_writer_note assumed[ASSUMED] = {
        [ASSUMED_PRIVILEGE] = {.field = "mode", .value = "M"},
        [ASSUMED_CONTEXT] = {.field = "context", .value = "0", .remedy = "context_width=0"},
        [ASSUMED_TIME] = {.field = "time", .value = "0", .remedy = "time_width=0"},
        [ASSUMED_TVAL] = {.field = "value", .value = "0"},
        [ASSUMED_ADDRESS] = {.field = "address", .value = "0"},
    };
    for (size_t i = 0; i < ASSUMED; i++) {
        struct spoor_writer_note note = assumed[i];
        note.records = own->assumed[i];
        encoder_note(encoder, &note);
    }
    steps_free(own->steps);
    etrace_memory_free(&own->state.memory);
    free(own->state.passed);
    free(own);
    encoder->tables = NULL;
}
