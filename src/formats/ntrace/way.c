/* SPDX-License-Identifier: MIT */
/*
 * way.c: the instructions that N-Trace's messages lead along (RISC-V N-Trace 1.0).
 *
 * I-CNT counts the halfwords of the instructions that retired since the message before; with
 * history, HIST has a bit for each conditional branch among them.  ResourceFull messages have parts
 * of both: history is followed at once, up to its last branch, and its instructions are taken from
 * the next count.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "formats/ntrace/ntrace.h"
#include "formats/packets.h"
#include "isa/riscv_jump.h"

enum {
    BUDGET = 1 << 15, /* instructions that are added at once */
    STACK = 32,       /* calls that an encoder may remember */
    HISTORY = 64,     /* bits of a field */
    /* N-Trace allows counts of 22 and 18 bits; its reference encoder has no limit. */
    MOST_COUNT = 1 << 26,
    MOST_REPEATS = 1 << 24,
};

/* Where a source is. */
struct ntrace_source {
    spoor_name cpu; /* that it is; SPOOR_NO_NAME: messages have no source */
    bool known;     /* where it is: */
    uint64_t pc;
    bool begun;                     /* an instruction was before */
    uint64_t last;                  /* the last one, */
    uint64_t address;               /* that was sent last */
    int64_t ahead;                  /* halfwords that are counted, and not passed yet */
    bool has_history;               /* messages have history: without, branches are not known */
    bool ended;                     /* tracing ended as the trace says */
    bool branched;                  /* that is a branch or a jump */
    struct riscv_constant constant; /* that it loaded */
    uint64_t stack[STACK];
    unsigned depth, top;
    struct ntrace_message branch; /* the last one that can be repeated */
};

struct ntrace_way {
    struct ntrace_source *sources; /* by the name of the processor */
    size_t capacity;
    /* The message that is followed: */
    bool active;
    struct ntrace_message message;
    uint64_t rounds;  /* times that it is left to be followed */
    bool in_round;    /* in the middle of one: */
    int64_t left;     /* halfwords; */
    uint64_t history; /* bits, the first one the highest of */
    unsigned bits;    /* so many */
};

static void *ntrace_way_open(void)
{
    return calloc(1, sizeof(struct ntrace_way));
}

static void ntrace_way_close(void *state)
{
    struct ntrace_way *way = state;
    if (!way) return;
    free(way->sources);
    free(way);
}

/* The rest of what was counted is lost, up to a message that synchronises. */
static void ntrace_lose(struct ntrace_source *source, const struct packet_sink *sink,
                        const char *why)
{
    struct spoor_record record = {.kind = SPOOR_EVENT,
                                  .op = SPOOR_EVENT_LOST,
                                  .cpu = source->cpu,
                                  .has = source->cpu ? SPOOR_HAS_CPU : 0};
    if (source->begun) {
        record.event.value = source->last;
        record.has |= SPOOR_HAS_VA;
    }
    if (source->known) sink->event(sink->context, &record, "lost", why);
    source->known = false;
    source->ahead = 0;
    source->depth = 0;
    source->constant.known = false;
}

/* ---- calls ---- */

static void way_push(struct ntrace_source *source, uint64_t back)
{
    source->stack[source->top++ % STACK] = back;
    if (source->depth < STACK) source->depth++;
}

static bool way_pop(struct ntrace_source *source, uint64_t *back)
{
    if (!source->depth) return false;
    source->depth--;
    *back = source->stack[--source->top % STACK];
    return true;
}

/* ---- instructions ---- */

enum way_step {
    WAY_NEXT,
    WAY_LOST,
    WAY_JUMPED,   /* an indirect jump was the last instruction, */
    WAY_RETURNED, /* or one that a call leads back from: *target */
};

/* Passes one instruction.  `ends`: it is the last one that is counted; `history`: there are bits.
 */
static enum way_step way_pass(struct ntrace_way *way, struct ntrace_source *source,
                              const struct packet_sink *sink, bool history, uint64_t *target)
{
    const struct ntrace_message *message = &way->message;
    const uint64_t pc = source->pc;
    const struct spoor_program_insn *code = sink->code(sink->context, pc);
    if (!code) {
        ntrace_lose(source, sink, "no image has the code that runs there");
        return WAY_LOST;
    }
    const struct spoor_program_insn insn = *code;
    const int64_t halves = insn.size / 2;
    const bool counts = way->left >= 0;
    if (counts && halves > way->left) {
        ntrace_lose(source, sink, "the count of instructions ends inside one");
        return WAY_LOST;
    }
    const bool conditional = insn.branches && (insn.branch_type & SPOOR_BRANCH_CONDITIONAL);
    if (conditional && (history ? !way->bits : source->has_history)) {
        ntrace_lose(source, sink, "a branch that the history does not have");
        return WAY_LOST;
    }
    const struct riscv_jump jump = riscv_jump_of(insn.opcode, insn.size);
    sink->insn(sink->context, pc);
    source->last = pc;
    source->begun = true;
    source->branched = insn.branches;
    if (counts)
        way->left -= halves;
    else
        source->ahead -= halves;
    const bool ends = way->left == 0;
    const struct riscv_constant constant = source->constant;
    source->constant = riscv_constant_of(pc, insn.opcode, insn.size);
    source->pc = pc + insn.size;
    if (!insn.branches) return WAY_NEXT;
    const unsigned type = insn.branch_type;
    if (conditional) {
        bool taken =
            ends && (message->tcode == NTRACE_DIRECT || message->tcode == NTRACE_DIRECT_SYNC);
        if (history) taken = way->history >> --way->bits & 1;
        sink->flow(sink->context, pc, type, taken, &insn.target);
        if (taken) source->pc = insn.target;
        return WAY_NEXT;
    }
    uint64_t back = 0;
    const bool returns = jump.pops && way_pop(source, &back);
    if (jump.pushes) way_push(source, pc + insn.size);
    if (!(type & SPOOR_BRANCH_INDIRECT)) {
        sink->flow(sink->context, pc, type, true, &insn.target);
        source->pc = insn.target;
        return WAY_NEXT;
    }
    const bool infers = constant.known && jump.indirect && constant.reg == jump.base;
    *target = infers ? riscv_jump_target(&jump, constant.value) : back;
    if (ends) return returns || infers ? WAY_RETURNED : WAY_JUMPED;
    if (!returns && !infers) {
        sink->flow(sink->context, pc, type, true, NULL);
        ntrace_lose(source, sink, "an indirect jump that the trace does not state");
        return WAY_LOST;
    }
    sink->flow(sink->context, pc, type, true, target);
    source->pc = *target;
    return WAY_NEXT;
}

/* ---- messages ---- */

static bool message_has_history(const struct ntrace_message *message)
{
    return ntrace_has(message, NTRACE_HIST) ||
           (message->tcode == NTRACE_FULL && message->value[NTRACE_RCODE] != 0);
}

/* The bits of a history below its stop bit. */
static unsigned history_bits(uint64_t history)
{
    unsigned bits = 0;
    while (bits < HISTORY - 1 && history >> bits > 1) bits++;
    return bits;
}

static void way_begin_round(struct ntrace_way *way, struct ntrace_source *source,
                            const struct packet_sink *sink)
{
    const struct ntrace_message *message = &way->message;
    const bool full = message->tcode == NTRACE_FULL;
    way->in_round = true;
    if (source->ahead > MOST_COUNT)
        ntrace_lose(source, sink, "a count that no trace encoder sends");
    way->history = message->value[full ? NTRACE_RDATA : NTRACE_HIST];
    way->bits = message_has_history(message) ? history_bits(way->history) : 0;
    way->left = -1;
    if (full || !source->known) return;
    way->left = source->ahead + (int64_t)message->value[NTRACE_ICNT];
    source->ahead = 0;
    if (way->left >= 0) return;
    way->left = 0;
    ntrace_lose(source, sink, "history that has more instructions than are counted");
}

/* An address as it was sent, without its lowest bit; 8 MDO and more whose highest bit is 1 are
 * those of an address whose higher bits are ones. */
static uint64_t message_address(const struct ntrace_message *message, enum ntrace_field field)
{
    uint64_t value = message->value[field];
    unsigned bits = message->bits[field];
    if (!bits) {
        while (bits < 64 && value >> bits) bits++;
    }
    if (bits >= 48 && bits < 63 && bits % 6 == 0 && value >> (bits - 1))
        value |= UINT64_MAX << bits;
    return value << 1;
}

static const char *const sync_reasons[16] = {
    "external trigger",     "exit from reset",          "periodic",
    "exit from debug mode", "instruction counter",      "trace enabled",
    "trace event",          "restart after an overrun", "",
    "exit from power-down"};

static void ntrace_synchronise(struct ntrace_source *source, const struct packet_sink *sink,
                               const struct ntrace_message *message, uint64_t address, bool jumped)
{
    const unsigned reason = (unsigned)message->value[NTRACE_SYNC_REASON] & 15;
    const char *text = sync_reasons[reason] ? sync_reasons[reason] : "";
    const bool trap = message->value[NTRACE_BTYPE] != 0;
    const bool same = source->known && (jumped || trap || source->pc == address);
    source->ahead = 0;
    if (source->known && !same) {
        char why[96];
        snprintf(why, sizeof why, "the program leads to 0x%" PRIx64 ", the trace to 0x%" PRIx64,
                 source->pc, address);
        ntrace_lose(source, sink, why);
    }
    if (!same)
        packets_put_event(sink, SPOOR_EVENT_BEGIN, "begin", &address, text);
    else if (reason == 0 || reason == 6)
        packets_put_event(sink, SPOOR_EVENT_STATE, "trigger", &address, text);
    source->known = true;
    source->ended = false;
}

/* What a message says after the instructions that it counts. */
static void way_end_round(struct ntrace_source *source, const struct packet_sink *sink,
                          const struct ntrace_message *message, enum way_step step, uint64_t target,
                          const struct spoor_program_insn *jump)
{
    const bool full = ntrace_has(message, NTRACE_FADDR), unique = ntrace_has(message, NTRACE_UADDR);
    const bool trap = message->value[NTRACE_BTYPE] != 0;
    const bool jumped = step == WAY_JUMPED || step == WAY_RETURNED;
    if (message->tcode == NTRACE_DIRECT && source->known && !source->branched)
        ntrace_lose(source, sink, "a taken branch that the program does not have");
    if (full)
        source->address = message_address(message, NTRACE_FADDR);
    else if (unique)
        source->address ^= message_address(message, NTRACE_UADDR);
    const bool states = (full || unique) && !trap;
    if (jumped) {
        const bool has = states || step == WAY_RETURNED;
        if (states) target = source->address;
        sink->flow(sink->context, source->last, jump->branch_type, true, has ? &target : NULL);
        source->pc = target;
        if (!has && source->known && !(full || unique)) source->known = false;
    }
    if (trap && source->known) {
        static const char *const names[] = {"", "trap", "exception", "interrupt"};
        const bool has = step != WAY_JUMPED;
        packets_put_event(sink, SPOOR_EVENT_EXCEPTION, names[message->value[NTRACE_BTYPE] & 3],
                          has ? &source->pc : NULL, "");
    }
    if (full)
        ntrace_synchronise(source, sink, message, source->address, jumped);
    else if (unique && source->known && !jumped && !trap)
        ntrace_lose(source, sink, "an address after an instruction that is no indirect jump");
    if ((full || unique) && source->known) source->pc = source->address;
}

static void way_end_tracing(struct ntrace_source *source, const struct packet_sink *sink,
                            const struct ntrace_message *message)
{
    static const char *const reasons[16] = {"debug mode", "low-power mode", "", "",
                                            "trace disabled"};
    const char *text = reasons[message->value[NTRACE_EVCODE] & 15];
    packets_put_event(sink, SPOOR_EVENT_END, "end", source->begun ? &source->last : NULL,
                      text ? text : "");
    source->known = false;
    source->ended = true;
    source->ahead = 0;
    source->depth = 0;
}

static void way_put_ownership(const struct packet_sink *sink, uint64_t process)
{
    static const char *const modes[8] = {"U", "S", "", "M", "VU", "VS", "", ""};
    const unsigned format = process & 3;
    struct spoor_record record = {.kind = SPOOR_EVENT, .op = SPOOR_EVENT_STATE};
    char text[64];
    int size = snprintf(text, sizeof text, "mode=%s", modes[process >> 2 & 7]);
    if (format >= 2) {
        snprintf(text + size, sizeof text - (size_t)size, " %s=0x%" PRIx64,
                 format == 2 ? "scontext" : "hcontext", process >> 5);
        record.event.value1 = process >> 5;
        record.has |= SPOOR_HAS_EXTRA;
    }
    sink->event(sink->context, &record, "context", text);
}

static bool ntrace_is_branch(unsigned tcode)
{
    return tcode == NTRACE_DIRECT || tcode == NTRACE_INDIRECT || tcode == NTRACE_INDIRECT_HISTORY;
}

static bool message_is_too_long(const struct ntrace_message *message)
{
    return message->value[NTRACE_ICNT] > MOST_COUNT ||
           message->value[NTRACE_HREPEAT] > MOST_REPEATS ||
           message->value[NTRACE_BCNT] > MOST_REPEATS ||
           (message->tcode == NTRACE_FULL && !message->value[NTRACE_RCODE] &&
            message->value[NTRACE_RDATA] > MOST_COUNT);
}

/* Begins to follow a message; false: there is nothing to follow. */
static bool ntrace_begin(struct ntrace_way *way, struct ntrace_source *source,
                         const struct packet_sink *sink)
{
    struct ntrace_message *message = &way->message;
    way->rounds = 1;
    way->in_round = false;
    if (message_is_too_long(message)) {
        ntrace_lose(source, sink, "a count that no trace encoder sends");
        message->value[NTRACE_ICNT] = 0;
        if (!ntrace_has(message, NTRACE_FADDR)) return false;
    }
    switch (message->tcode) {
    case NTRACE_OWNERSHIP: way_put_ownership(sink, message->value[NTRACE_PROCESS]); return false;
    case NTRACE_ERROR:
        source->known = true; /* said also where nothing was known */
        ntrace_lose(source, sink, "an overrun in the trace encoder");
        return false;
    case NTRACE_REPEAT:
        way->rounds = message->value[NTRACE_BCNT];
        *message = source->branch;
        /* to the same address */
        if (ntrace_has(message, NTRACE_UADDR)) message->value[NTRACE_UADDR] = 0;
        message->bits[NTRACE_UADDR] = 0;
        return source->known && ntrace_is_branch(message->tcode);
    case NTRACE_FULL:
        if (message->value[NTRACE_RCODE] == 0)
            source->ahead += (int64_t)message->value[NTRACE_RDATA];
        if (message->value[NTRACE_RCODE] == 2) way->rounds = message->value[NTRACE_HREPEAT];
        source->has_history |= message->value[NTRACE_RCODE] != 0;
        return source->known && message->value[NTRACE_RDATA] > 1 &&
               message->value[NTRACE_RCODE] != 0 && message->value[NTRACE_RCODE] < 3;
    default: break;
    }
    source->has_history |= ntrace_has(message, NTRACE_HIST);
    source->branch.tcode = 0;
    if (ntrace_is_branch(message->tcode)) source->branch = *message;
    return true;
}

/* Follows the message; true: there is more of it. */
static bool way_go_on(struct ntrace_way *way, struct ntrace_source *source,
                      const struct packet_sink *sink)
{
    const struct ntrace_message *message = &way->message;
    const bool history = message_has_history(message), full = message->tcode == NTRACE_FULL;
    for (unsigned passed = 0; way->rounds; way->rounds--) {
        enum way_step step = WAY_NEXT;
        uint64_t target = 0;
        struct spoor_program_insn jump = {.size = 0};
        if (!way->in_round) {
            if (passed++ == BUDGET) return true;
            way_begin_round(way, source, sink);
        }
        while (source->known && step == WAY_NEXT && (full ? way->bits > 0 : way->left > 0)) {
            if (passed++ == BUDGET) return true;
            step = way_pass(way, source, sink, history, &target);
        }
        way->in_round = false;
        if (step == WAY_JUMPED || step == WAY_RETURNED) {
            const struct spoor_program_insn *code = sink->code(sink->context, source->last);
            if (code) jump = *code;
        }
        if (history && !full && source->known && way->bits)
            ntrace_lose(source, sink, "history that has more branches than the program");
        if (!full) way_end_round(source, sink, message, step, target, &jump);
        if (message->tcode == NTRACE_CORRELATION) way_end_tracing(source, sink, message);
        if (!source->known) break;
    }
    return false;
}

static bool ntrace_follow(void *state, const struct spoor_batch *batch, size_t index,
                          const struct packet_sink *sink)
{
    struct ntrace_way *way = state;
    const struct spoor_record *record = &batch->records[index];
    const struct spoor_event *event = &record->event;
    for (size_t i = 0; packets_are_missing(record) && i < way->capacity; i++)
        ntrace_lose(&way->sources[i], sink, "bytes that are no message");
    if (record->kind != SPOOR_EVENT) return false;
    if (!array_reserve_zeroed(&way->sources, &way->capacity, record->cpu + (size_t)1)) {
        *sink->out_of_memory = true;
        return false;
    }
    struct ntrace_source *source = &way->sources[record->cpu];
    source->cpu = record->cpu;
    if (!way->active) {
        way->message.tcode = (uint8_t)event->number;
        if (!ntrace_read_fields(&way->message, spoor_batch_bytes(batch, event->text),
                                event->text.size) ||
            !ntrace_name(way->message.tcode)) {
            ntrace_lose(source, sink, "a message that cannot be read");
            return false;
        }
        if (!ntrace_begin(way, source, sink)) return false;
    }
    way->active = way_go_on(way, source, sink);
    return way->active;
}

const struct packet_decoder ntrace_packets = {
    .open = ntrace_way_open,
    .close = ntrace_way_close,
    .follow = ntrace_follow,
};
