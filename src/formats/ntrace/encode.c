/* SPDX-License-Identifier: MIT */
/*
 * encode.c: N-Trace of the steps of any trace of RISC-V (RISC-V N-Trace 1.0).
 *
 * With history, a conditional branch is a bit, and a message is sent for what no bit states; 31
 * bits are a ResourceFull message.  The same 31, 30 or 28 bits again are only counted: these have
 * as divisors all periods up to 7, which loops have.  Without history, each taken branch is a
 * message.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/scan.h"
#include "formats/encoder_keys.h"
#include "formats/ntrace/ntrace.h"
#include "formats/steps.h"

enum {
    FULL_HISTORY = 31,            /* bits; with the stop bit 32, the most that N-Trace has */
    MOST_ICNT = 1 << 21,          /* of 22 bits */
    MOST_REPEATS = (1 << 18) - 1, /* of 18 bits */
    MOST_RETURNS = 32,
    DISABLED = 4, /* EVCODE: tracing was disabled */
};
/* SYNC */
enum { SYNC_PERIODIC = 2, SYNC_ENABLED = 5, SYNC_RESTARTED = 7 };
/* RCODE */
enum { FULL_ICNT, FULL_HIST, FULL_REPEATED };
/* B-TYPE */
enum { BTYPE_JUMP, BTYPE_TRAP, BTYPE_EXCEPTION, BTYPE_INTERRUPT };

struct ntrace_options {
    unsigned history, repeats, returns, sijump, sync, time, source;
};

/* What a source has not sent yet, and what was sent last. */
struct ntrace_state {
    bool traces, named;
    uint16_t number; /* SRC, `named` */
    uint64_t icnt, history;
    unsigned bits;    /* of the history */
    uint64_t pattern; /* bits that came `rounds` times before those of the history: */
    unsigned pattern_bits;
    uint64_t rounds;
    struct ntrace_message branch; /* the last one, which may be repeated: tcode 0: none; */
    uint64_t repeats;             /* times that it was */
    uint64_t address;             /* the last one that was sent */
    uint64_t since;               /* instructions since the last synchronisation */
    struct riscv_constant constant;
    uint64_t stack[MOST_RETURNS];
    unsigned depth;
    bool has_time, stamped; /* an absolute timestamp was sent */
    uint64_t time, stamp;
    uint8_t privilege;
    uint64_t context;
    bool has_context, ownership; /* one is due */
};

struct ntrace_encoder {
    struct ntrace_options options;
    struct steps *steps;
    struct ntrace_state *states; /* by the number of the processor */
    size_t capacity;
    struct text *out;
    uint64_t left_out, other_harts; /* the second of them: instructions */
    bool failed;
};

/* ---- messages ---- */

static struct ntrace_message message_of(enum ntrace_tcode tcode)
{
    return (struct ntrace_message){.tcode = (uint8_t)tcode};
}

static void message_set(struct ntrace_message *message, enum ntrace_field field, uint64_t value)
{
    message->value[field] = value;
    message->has |= 1U << field;
}

static void state_put(struct ntrace_encoder *encoder, struct ntrace_state *state,
                      struct ntrace_message *message)
{
    const bool absolute = ntrace_has(message, NTRACE_FADDR);
    if (encoder->options.source) {
        message_set(message, NTRACE_SRC, state->number);
        message->bits[NTRACE_SRC] = (uint8_t)encoder->options.source;
    }
    if (encoder->options.time && state->has_time &&
        (absolute || (state->stamped && state->time >= state->stamp))) {
        message_set(message, NTRACE_TSTAMP, state->time - (absolute ? 0 : state->stamp));
        state->stamp = state->time;
        state->stamped = true;
    }
    ntrace_put(message, encoder->out);
}

static void state_flush_repeats(struct ntrace_encoder *encoder, struct ntrace_state *state)
{
    if (state->repeats) {
        struct ntrace_message message = message_of(NTRACE_REPEAT);
        message_set(&message, NTRACE_BCNT, state->repeats);
        state_put(encoder, state, &message);
    }
    state->repeats = 0;
    state->branch.tcode = 0;
}

static void state_flush_pattern(struct ntrace_encoder *encoder, struct ntrace_state *state)
{
    if (!state->rounds) return;
    struct ntrace_message message = message_of(NTRACE_FULL);
    state_flush_repeats(encoder, state);
    message_set(&message, NTRACE_RCODE, state->rounds > 1 ? FULL_REPEATED : FULL_HIST);
    message_set(&message, NTRACE_RDATA, UINT64_C(1) << state->pattern_bits | state->pattern);
    if (state->rounds > 1) message_set(&message, NTRACE_HREPEAT, state->rounds);
    state_put(encoder, state, &message);
    state->rounds = 0;
}

/* The history since the last message, which is sent with one. */
static uint64_t state_take_history(struct ntrace_state *state)
{
    const uint64_t history = UINT64_C(1) << state->bits | state->history;
    state->history = 0;
    state->bits = 0;
    return history;
}

static uint64_t state_take_count(struct ntrace_state *state)
{
    const uint64_t count = state->icnt;
    state->icnt = 0;
    return count;
}

static uint64_t bits_low(uint64_t value, unsigned bits)
{
    return value & ((UINT64_C(1) << bits) - 1);
}

/* The history is full: it is counted, or begins a new pattern. */
static void state_fill(struct ntrace_encoder *encoder, struct ntrace_state *state)
{
    static const unsigned others[] = {28, 30};
    const unsigned left = FULL_HISTORY - state->pattern_bits;
    if (state->rounds && state->history >> left == state->pattern && state->rounds < MOST_REPEATS) {
        state->rounds++;
        state->history = bits_low(state->history, left);
        state->bits = left;
        return;
    }
    const uint64_t both = state->pattern << FULL_HISTORY | state->history;
    for (unsigned i = 0; i < 2 && state->rounds == 1 && !left; i++) {
        const unsigned bits = others[i], rest = 2 * (FULL_HISTORY - bits);
        const uint64_t first = both >> (2 * FULL_HISTORY - bits);
        if (bits_low(both >> rest, bits) != first) continue;
        state->pattern = first;
        state->pattern_bits = bits;
        state->rounds = 2;
        state->history = bits_low(both, rest);
        state->bits = rest;
        return;
    }
    state_flush_pattern(encoder, state);
    state->pattern = state->history;
    state->pattern_bits = FULL_HISTORY;
    state->rounds = 1;
    state->history = 0;
    state->bits = 0;
    if (!encoder->options.repeats) state_flush_pattern(encoder, state);
}

/* Sends a branch, or counts it where it is the last one again. */
static void state_put_branch(struct ntrace_encoder *encoder, struct ntrace_state *state,
                             struct ntrace_message *message, uint64_t address)
{
    const struct ntrace_message *last = &state->branch;
    if (encoder->options.repeats && !state->rounds && last->tcode == message->tcode &&
        last->value[NTRACE_ICNT] == message->value[NTRACE_ICNT] &&
        last->value[NTRACE_HIST] == message->value[NTRACE_HIST] &&
        last->value[NTRACE_BTYPE] == message->value[NTRACE_BTYPE] &&
        (message->tcode == NTRACE_DIRECT || address == state->address) &&
        state->repeats < MOST_REPEATS) {
        state->repeats++;
        return;
    }
    state_flush_repeats(encoder, state);
    state_flush_pattern(encoder, state);
    state_put(encoder, state, message);
    state->branch = *message;
    if (message->tcode != NTRACE_DIRECT) state->address = address;
}

/* Sends where a jump or a trap goes. */
static void state_put_indirect(struct ntrace_encoder *encoder, struct ntrace_state *state,
                               uint64_t address, unsigned type)
{
    const bool history = state->bits > 0;
    struct ntrace_message message = message_of(history ? NTRACE_INDIRECT_HISTORY : NTRACE_INDIRECT);
    message_set(&message, NTRACE_BTYPE, type);
    message_set(&message, NTRACE_ICNT, state_take_count(state));
    message_set(&message, NTRACE_UADDR, (address ^ state->address) >> 1);
    if (history) message_set(&message, NTRACE_HIST, state_take_history(state));
    state_put_branch(encoder, state, &message, address);
    if (type) state_flush_repeats(encoder, state);
}

static void state_put_ownership(struct ntrace_encoder *encoder, struct ntrace_state *state)
{
    struct ntrace_message message = message_of(NTRACE_OWNERSHIP);
    if (!state->ownership || state->privilege == STEP_UNSTATED) return;
    state->ownership = false;
    state_flush_repeats(encoder, state);
    message_set(&message, NTRACE_PROCESS,
                (uint64_t)state->privilege << 2 |
                    (state->has_context ? state->context << 5 | 2 : 0));
    state_put(encoder, state, &message);
}

/* Sends where execution is, with a message for what was before: a branch of which that is the
 * target, where it is not 0. */
static void state_synchronise(struct ntrace_encoder *encoder, struct ntrace_state *state,
                              uint64_t address, unsigned reason, enum ntrace_tcode branch)
{
    const bool jumps = branch == NTRACE_INDIRECT;
    const bool history = jumps && state->bits > 0;
    state_flush_repeats(encoder, state);
    state_flush_pattern(encoder, state);
    if (state->bits && !history) { /* this message has no field for it */
        state->pattern = state->history;
        state->pattern_bits = state->bits;
        state->rounds = 1;
        state_take_history(state);
        state_flush_pattern(encoder, state);
    }
    struct ntrace_message message = message_of(history ? NTRACE_INDIRECT_HISTORY_SYNC
                                               : jumps ? NTRACE_INDIRECT_SYNC
                                               : branch == NTRACE_DIRECT ? NTRACE_DIRECT_SYNC
                                                                         : NTRACE_SYNC);
    message_set(&message, NTRACE_SYNC_REASON, reason);
    if (jumps) message_set(&message, NTRACE_BTYPE, BTYPE_JUMP);
    message_set(&message, NTRACE_ICNT, state_take_count(state));
    message_set(&message, NTRACE_FADDR, address >> 1);
    if (history) message_set(&message, NTRACE_HIST, state_take_history(state));
    state_put(encoder, state, &message);
    state->address = address;
    state->since = state->depth = 0;
    state->constant.known = false;
    state->ownership = true;
}

/* ---- steps ---- */

static void state_begin(struct ntrace_encoder *encoder, struct ntrace_state *state,
                        const struct step *step, bool lost)
{
    const struct ntrace_state before = *state;
    *state = (struct ntrace_state){.traces = true,
                                   .named = before.named,
                                   .number = before.number,
                                   .privilege = step->privilege,
                                   .has_time = step->has_time,
                                   .time = step->time,
                                   .stamp = before.stamp,
                                   .context = step->context,
                                   .has_context = step->has_context};
    state_synchronise(encoder, state, step->pc, lost ? SYNC_RESTARTED : SYNC_ENABLED, 0);
    state_put_ownership(encoder, state);
}

/* Tracing ends. */
static void state_end(struct ntrace_encoder *encoder, struct ntrace_state *state, bool lost)
{
    struct ntrace_message message = message_of(NTRACE_CORRELATION);
    const bool history = state->bits > 0;
    if (state->traces) {
        state_flush_repeats(encoder, state);
        state_flush_pattern(encoder, state);
        message_set(&message, NTRACE_EVCODE, DISABLED);
        message_set(&message, NTRACE_CDF, history);
        message_set(&message, NTRACE_ICNT, state_take_count(state));
        if (history) message_set(&message, NTRACE_HIST, state_take_history(state));
        state_put(encoder, state, &message);
    }
    state->traces = false;
    if (!lost) return;
    message = message_of(NTRACE_ERROR);
    message_set(&message, NTRACE_ETYPE, 0);
    message_set(&message, NTRACE_ECODE, 0);
    state_put(encoder, state, &message);
}

/* Whether the decoder knows where an indirect jump goes; updates what it knows. */
static bool state_infers(struct ntrace_encoder *encoder, struct ntrace_state *state,
                         const struct step *step)
{
    const struct ntrace_options *options = &encoder->options;
    const struct riscv_constant constant = state->constant;
    bool infers = false;
    if (step->jump.pops && state->depth)
        infers = state->stack[--state->depth] == step->next && step->goes_on;
    if (step->jump.pushes && options->returns) {
        if (state->depth == options->returns)
            memmove(state->stack, state->stack + 1, --state->depth * sizeof *state->stack);
        state->stack[state->depth++] = step->pc + step->size;
    }
    if (options->sijump && step->jump.indirect && constant.known &&
        constant.reg == step->jump.base && step->goes_on)
        infers |= riscv_jump_target(&step->jump, constant.value) == step->next;
    state->constant = step->constant;
    return infers;
}

/* Takes the step into the counts; returns whether an indirect jump has to be sent. */
static bool state_count(struct ntrace_encoder *encoder, struct ntrace_state *state,
                        const struct step *step, bool *direct)
{
    const bool infers = state_infers(encoder, state, step);
    state->icnt += step->size / 2;
    state->since++;
    *direct = false;
    if (step->conditional && encoder->options.history) {
        state->history = state->history << 1 | step->taken;
        if (++state->bits == FULL_HISTORY) state_fill(encoder, state);
    } else if (step->conditional && step->taken) {
        *direct = true;
    }
    return step->indirect && !infers;
}

static void state_put_traps(struct ntrace_encoder *encoder, struct ntrace_state *state,
                            const struct step_after *after)
{
    for (unsigned i = 0; i < after->trap_count; i++) {
        const bool last = i + 1 == after->trap_count;
        if (!last && !after->traps[i + 1].has_epc) {
            encoder->left_out++;
            continue;
        }
        state_put_indirect(encoder, state, last ? after->next : after->traps[i + 1].epc,
                           after->traps[i].interrupt ? BTYPE_INTERRUPT : BTYPE_EXCEPTION);
    }
}

static bool number_is_free(const struct ntrace_encoder *encoder, uint64_t number)
{
    for (size_t i = 0; i < encoder->capacity; i++)
        if (encoder->states[i].named && encoder->states[i].number == number) return false;
    return true;
}

/* The source is the number in the processor's name, or the first one that is free; false: none is.
 */
static bool state_name(struct ntrace_encoder *encoder, unsigned cpu)
{
    struct ntrace_state *state = &encoder->states[cpu];
    const uint64_t numbers = UINT64_C(1) << encoder->options.source;
    const char *name = steps_cpu_name(encoder->steps, cpu);
    struct scan scan = {name + strcspn(name, "0123456789"), name + strlen(name)};
    uint64_t number;
    if (!scan_decimal(&scan, &number) || number >= numbers || !number_is_free(encoder, number)) {
        number = 0;
        while (number < numbers && !number_is_free(encoder, number)) number++;
        if (number == numbers) return false;
    }
    state->named = true;
    state->number = (uint16_t)number;
    return true;
}

static void ntrace_step(void *context, unsigned cpu, const struct step *step,
                        const struct step_after *after)
{
    struct ntrace_encoder *encoder = context;
    if (!array_reserve_zeroed(&encoder->states, &encoder->capacity, cpu + (size_t)1)) {
        encoder->failed = true;
        return;
    }
    struct ntrace_state *state = &encoder->states[cpu];
    const bool is_other = cpu && !encoder->options.source; /* than the first of the trace */
    if (is_other || (!state->named && !state_name(encoder, cpu))) {
        encoder->other_harts += step != NULL;
        return;
    }
    if (!step) {
        state_end(encoder, state, after->lost);
        return;
    }
    bool direct;
    if (!state->traces) state_begin(encoder, state, step, false);
    state->has_time = step->has_time;
    state->time = step->time;
    const bool indirect = state_count(encoder, state, step, &direct);
    const bool due = encoder->options.sync && state->since >= encoder->options.sync &&
                     !after->ends && step->goes_on;
    const bool known = step->goes_on || (!after->trap_count && !after->ends);
    if (due) {
        state_synchronise(encoder, state, step->next, SYNC_PERIODIC,
                          indirect ? NTRACE_INDIRECT
                          : direct ? NTRACE_DIRECT
                                   : 0);
    } else if (direct) {
        struct ntrace_message message = message_of(NTRACE_DIRECT);
        message_set(&message, NTRACE_ICNT, state_take_count(state));
        state_put_branch(encoder, state, &message, 0);
    } else if (indirect && known) {
        state_put_indirect(encoder, state, step->next, BTYPE_JUMP);
    } else if (state->icnt >= MOST_ICNT) {
        struct ntrace_message message = message_of(NTRACE_FULL);
        state_flush_repeats(encoder, state);
        state_flush_pattern(encoder, state);
        message_set(&message, NTRACE_RCODE, FULL_ICNT);
        message_set(&message, NTRACE_RDATA, state_take_count(state));
        state_put(encoder, state, &message);
    }
    state_put_traps(encoder, state, after);
    if (after->ends) {
        state_end(encoder, state, after->lost);
        return;
    }
    if (after->privilege != STEP_UNSTATED &&
        (after->privilege != state->privilege || after->has_context != state->has_context ||
         after->context != state->context)) {
        state->privilege = after->privilege;
        state->context = after->context;
        state->has_context = after->has_context;
        state->ownership = true;
    }
    /* after a message, so that it stands between the instructions */
    if (!state->icnt && !state->bits && !state->rounds) state_put_ownership(encoder, state);
}

/* ---- the format's ---- */

enum spoor_status ntrace_encoder_open(struct encoder *encoder, struct spoor_error *error)
{
    struct ntrace_encoder *own = calloc(1, sizeof *own);
    if (own) own->steps = steps_new(ntrace_step, own);
    if (!own || !own->steps) {
        free(own);
        return spoor_error_set(error, SPOOR_ENOMEM, "out of memory");
    }
    struct ntrace_options *options = &own->options;
    *options = (struct ntrace_options){.history = 1, .repeats = 1, .time = 1};
    const struct encoder_key keys[] = {
        {"history", 0, 1, &options->history},
        {"repeats", 0, 1, &options->repeats},
        {"returns", 0, MOST_RETURNS, &options->returns},
        {"sijump", 0, 1, &options->sijump},
        {"sync", 0, 1 << 30, &options->sync},
        {"time", 0, 1, &options->time},
        {"source", 0, NTRACE_MOST_SOURCES, &options->source},
    };
    encoder->tables = own;
    return encoder_keys_read(encoder->options.encoder, keys, sizeof keys / sizeof *keys, error);
}

bool ntrace_encoder_add(struct encoder *encoder, const struct spoor_batch *batch, size_t index,
                        struct text *out)
{
    struct ntrace_encoder *own = encoder->tables;
    own->out = out;
    const bool taken = steps_add(own->steps, batch, index);
    out->failed |= own->failed || steps_failed(own->steps);
    return taken;
}

void ntrace_encoder_break(struct encoder *encoder, struct text *out)
{
    struct ntrace_encoder *own = encoder->tables;
    own->out = out;
    steps_break(own->steps);
}

void ntrace_encoder_close(struct encoder *encoder, struct text *out)
{
    struct ntrace_encoder *own = encoder->tables;
    if (!own) return;
    ntrace_encoder_break(encoder, out);
    encoder->skipped += steps_left_out(own->steps) + own->left_out + own->other_harts;
    const struct spoor_writer_note others = {
        true, "cpu", NULL, "--encoder source=BITS gives each hart a number of so many bits",
        own->other_harts};
    encoder_note(encoder, &others);
    steps_free(own->steps);
    free(own->states);
    free(own);
    encoder->tables = NULL;
}
