/* SPDX-License-Identifier: MIT */
/*
 * way.c: the instructions that E-Trace's packets lead along: the decoder of the document
 * (Efficient Trace for RISC-V 2.0, "Decoder"), whose names are kept.
 *
 * Execution is followed from the last address to the one of the packet; a map has a bit for each
 * branch on the way.  An address that is reached without an uninferable jump may be reached again
 * before the end: inferred_address.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "formats/etrace/etrace.h"
#include "formats/packets.h"
#include "isa/riscv_jump.h"

enum {
    BUDGET = 1 << 15,   /* instructions that are added at once */
    STRAIGHT = 1 << 18, /* instructions without a branch: more are an endless loop */
};

struct etrace_way {
    bool started; /* a packet has said where execution is: */
    uint64_t pc;
    struct spoor_program_insn insn; /* there */
    bool at_insn;                   /* it was added */
    struct riscv_constant constant; /* that the one before it loaded */
    bool uninferable;               /* the one before it was an uninferable jump, */
    bool from_trap;                 /* and a return from a trap */
    uint64_t address, previous;
    /* Branches that are not followed yet: first those of the map, then some that go as predicted,
     * then one that does not. */
    unsigned mapped;
    uint64_t map, predicted;
    bool fails;
    struct etrace_memory memory;
    bool stop_at_last_branch, inferred_address;
    bool trapped; /* a trap came whose handler the next packet states */
    uint64_t options, privilege, context;
    bool has_context;
    unsigned straight;
    /* The packet that is followed: */
    bool active, ends;
    struct etrace_packet packet;
    struct etrace_sizes sizes;
};

static void *etrace_way_open(void)
{
    return calloc(1, sizeof(struct etrace_way));
}

static void etrace_way_close(void *state)
{
    struct etrace_way *way = state;
    if (way) etrace_memory_free(&way->memory);
    free(way);
}

static uint64_t way_branches(const struct etrace_way *way)
{
    return way->mapped + way->predicted + way->fails;
}

static void way_clear_branches(struct etrace_way *way)
{
    way->mapped = 0;
    way->map = way->predicted = 0;
    way->fails = false;
}

static void etrace_lose(struct etrace_way *way, const struct packet_sink *sink, const char *why)
{
    if (way->started)
        packets_put_event(sink, SPOOR_EVENT_LOST, "lost", way->at_insn ? &way->pc : NULL, why);
    way->started = way->at_insn = way->inferred_address = way->stop_at_last_branch = false;
    way_clear_branches(way);
    way->memory.depth = 0;
}

/* ---- branches ---- */

/* Whether the branch at an address is taken, the next one that is to be followed. */
static bool way_next_taken(const struct etrace_way *way, uint64_t pc)
{
    if (way->mapped) return !(way->map & 1);
    return etrace_predict(&way->memory, pc) == (way->predicted > 0);
}

static bool way_take_branch(struct etrace_way *way, uint64_t pc)
{
    const bool taken = way_next_taken(way, pc);
    if (way->mapped) {
        way->map >>= 1;
        way->mapped--;
    } else if (way->predicted) {
        way->predicted--;
    } else {
        way->fails = false;
    }
    etrace_learn(&way->memory, pc, taken);
    return taken;
}

/* The branch that is left, of the last instruction, goes before those of a map. */
static void way_settle(struct etrace_way *way)
{
    if (way->mapped || way_branches(way) != 1) return;
    const bool taken = way_next_taken(way, way->pc);
    way_clear_branches(way);
    way->map = !taken;
    way->mapped = 1;
}

/* ---- instructions ---- */

static bool insn_is_branch(const struct spoor_program_insn *insn)
{
    return insn->branches && (insn->branch_type & SPOOR_BRANCH_CONDITIONAL);
}

/* Adds the branch of the last instruction, after which nothing is known. */
static void way_end_insn(const struct etrace_way *way, const struct packet_sink *sink)
{
    const struct spoor_program_insn *insn = &way->insn;
    const bool branch = insn_is_branch(insn), known = way->started && way->at_insn;
    const bool direct = !(insn->branch_type & SPOOR_BRANCH_INDIRECT);
    if (!known || !insn->branches || (branch && way_branches(way) != 1)) return;
    const bool taken = !branch || way_next_taken(way, way->pc);
    sink->flow(sink->context, way->pc, insn->branch_type, taken, direct ? &insn->target : NULL);
}

/* Adds the instruction at an address; false: no image has it. */
static bool way_report(struct etrace_way *way, const struct packet_sink *sink, uint64_t pc)
{
    const struct spoor_program_insn *code = sink->code(sink->context, pc);
    way->pc = pc;
    if (!code) {
        way->at_insn = false;
        etrace_lose(way, sink, "no image has the code that runs there");
        return false;
    }
    way->insn = *code;
    way->at_insn = true;
    sink->insn(sink->context, pc);
    return true;
}

static bool insn_is_trap_return(const struct spoor_program_insn *insn)
{
    return insn->size == 4 && (insn->opcode & 0xFFF) == 0x073 && insn->branches;
}

/* Whether the packet says that this return goes elsewhere than the call says. */
static bool way_fails_return(const struct etrace_way *way)
{
    const struct etrace_packet *packet = &way->packet;
    const uint64_t report = packet->value[ETRACE_F_irreport];
    return (packet->has >> ETRACE_F_irreport & 1) &&
           report != etrace_bit_before(packet, ETRACE_F_irreport) &&
           packet->value[ETRACE_F_irdepth] == way->memory.depth;
}

static void way_push(struct etrace_way *way)
{
    if (way->options & ETRACE_IMPLICIT_RETURN)
        etrace_push_return(&way->memory, way->pc + way->insn.size);
}

/* Whether the program and what is remembered say where an indirect jump goes. */
static bool way_infers(struct etrace_way *way, const struct riscv_jump *jump, uint64_t *next)
{
    const struct riscv_constant *constant = &way->constant;
    if (jump->indirect && jump->base == 0)
        *next = riscv_jump_target(jump, 0);
    else if ((way->options & ETRACE_SIJUMP) && jump->indirect && constant->known &&
             constant->reg == jump->base)
        *next = riscv_jump_target(jump, constant->value);
    else if ((way->options & ETRACE_IMPLICIT_RETURN) && jump->pops && way->memory.depth &&
             !way_fails_return(way))
        *next = etrace_pop_return(&way->memory);
    else
        return false;
    *next = etrace_width(&way->sizes, *next);
    return true;
}

/* Where execution goes on after the instruction at pc, for an uninferable jump at `address`:
 * *stop_here.  False: that is not known. */
static bool way_next(struct etrace_way *way, const struct packet_sink *sink, uint64_t address,
                     bool *stop_here, uint64_t *next)
{
    const struct spoor_program_insn *insn = &way->insn;
    const struct riscv_jump jump = riscv_jump_of(insn->opcode, insn->size);
    const struct riscv_constant constant = way->constant;
    const unsigned type = insn->branch_type;
    *stop_here = false;
    *next = way->pc + insn->size;
    way->constant = riscv_constant_of(way->pc, insn->opcode, insn->size);
    way->uninferable = way->from_trap = false;
    if (!insn->branches) {
        if (way->straight++ < STRAIGHT) return true;
        etrace_lose(way, sink, "the program does not lead to an address of the trace");
        return false;
    }
    if (insn_is_branch(insn)) {
        if (!way_branches(way)) {
            sink->flow(sink->context, way->pc, type, false, NULL);
            etrace_lose(way, sink, "a branch that the trace does not have");
            return false;
        }
        const bool taken = way_take_branch(way, way->pc);
        way->straight = 0;
        if (taken) *next = insn->target;
        sink->flow(sink->context, way->pc, type, taken, &insn->target);
        return true;
    }
    if (!(type & SPOOR_BRANCH_INDIRECT)) {
        *next = insn->target;
        if (way->straight++ == STRAIGHT) {
            etrace_lose(way, sink, "the program does not lead to an address of the trace");
            return false;
        }
        if (jump.pushes) way_push(way);
        sink->flow(sink->context, way->pc, type, true, next);
        return true;
    }
    way->constant = constant;
    const bool infers = way_infers(way, &jump, next);
    way->constant = riscv_constant_of(way->pc, insn->opcode, insn->size);
    if (jump.pushes) way_push(way);
    if (infers && way->straight++ < STRAIGHT) {
        sink->flow(sink->context, way->pc, type, true, next);
        return true;
    }
    way->uninferable = true;
    way->from_trap = insn_is_trap_return(insn);
    *stop_here = true;
    if (way->stop_at_last_branch) {
        sink->flow(sink->context, way->pc, type, true, NULL);
        etrace_lose(way, sink, "an indirect jump that the trace does not state");
        return false;
    }
    *next = address;
    sink->flow(sink->context, way->pc, type, true, next);
    return true;
}

static bool way_has_branches_left(const struct etrace_way *way)
{
    return way_branches(way) != (insn_is_branch(&way->insn) ? 1u : 0u);
}

/* ---- packets ---- */

enum way_state { WAY_GOES_ON, WAY_STOPS, WAY_PAUSES };

/* follow_execution_path() of the document, one instruction. */
static enum way_state way_step(struct etrace_way *way, const struct packet_sink *sink)
{
    const struct etrace_packet *packet = &way->packet;
    const bool sync = packet->kind == ETRACE_START;
    bool stop_here;
    uint64_t next;
    if (!way_next(way, sink, way->inferred_address ? way->previous : way->address, &stop_here,
                  &next) ||
        !way_report(way, sink, next))
        return WAY_STOPS;
    if (way->inferred_address) {
        if (stop_here) way->inferred_address = false;
        return stop_here && way->ends ? WAY_STOPS : WAY_GOES_ON;
    }
    if (way_branches(way) == 1 && insn_is_branch(&way->insn) && way->stop_at_last_branch) {
        way->stop_at_last_branch = false;
        return WAY_STOPS;
    }
    if (stop_here) {
        if (way_has_branches_left(way))
            etrace_lose(way, sink, "branches that the program does not have");
        return WAY_STOPS;
    }
    if (next != way->address || way_has_branches_left(way)) return WAY_GOES_ON;
    if (sync)
        return packet->value[ETRACE_F_privilege] == way->privilege || way->from_trap ? WAY_STOPS
                                                                                     : WAY_GOES_ON;
    if (way->stop_at_last_branch) return WAY_GOES_ON;
    if (packet->value[ETRACE_F_notify] != etrace_bit_before(packet, ETRACE_F_notify) &&
        packet->kind != ETRACE_INDEX)
        return WAY_STOPS;
    const bool reports =
        packet->value[ETRACE_F_irreport] != etrace_bit_before(packet, ETRACE_F_irreport);
    const bool discontinues =
        packet->kind != ETRACE_INDEX &&
        packet->value[ETRACE_F_updiscon] != etrace_bit_before(packet, ETRACE_F_updiscon);
    if (way->uninferable || discontinues ||
        (reports && packet->value[ETRACE_F_irdepth] != way->memory.depth))
        return WAY_GOES_ON;
    way->inferred_address = true;
    return WAY_STOPS;
}

static void way_put_context(struct etrace_way *way, const struct packet_sink *sink)
{
    static const char *const modes[4] = {"U", "S", "", "M"};
    const uint64_t privilege = way->packet.value[ETRACE_F_privilege];
    const uint64_t context = way->packet.value[ETRACE_F_context];
    const bool stated = way->packet.has >> ETRACE_F_context & 1;
    struct spoor_record record = {.kind = SPOOR_EVENT, .op = SPOOR_EVENT_STATE};
    char text[48];
    if (way->has_context && privilege == way->privilege && context == way->context) return;
    snprintf(text, sizeof text, "mode=%s", modes[privilege & 3]);
    if (stated) {
        snprintf(text + strlen(text), sizeof text - strlen(text), " context=0x%" PRIx64, context);
        record.event.value1 = context;
        record.has |= SPOOR_HAS_EXTRA;
    }
    sink->event(sink->context, &record, "context", text);
    way->has_context = true;
    way->privilege = privilege;
    way->context = context;
}

/* Reports the trap, and the address of what it interrupted. */
static void way_put_trap(struct etrace_way *way, const struct packet_sink *sink)
{
    const struct etrace_packet *packet = &way->packet;
    const bool interrupt = packet->value[ETRACE_F_interrupt];
    struct spoor_record record = {.kind = SPOOR_EVENT, .op = SPOOR_EVENT_EXCEPTION};
    char text[64] = "";
    bool stop_here = false, known = false;
    uint64_t back = 0;
    if (way->started && way->at_insn && !way->trapped) {
        const uint64_t opcode = way->insn.opcode;
        const bool calls = opcode == 0x73 || opcode == 0x100073 || opcode == 0x9002;
        const bool jumps = way->insn.branches && (way->insn.branch_type & SPOOR_BRANCH_INDIRECT);
        if (calls) {
            back = way->pc;
            known = true;
        } else if (jumps) { /* the target of which may be stated */
            const struct riscv_jump jump = riscv_jump_of(opcode, way->insn.size);
            known = packet->value[ETRACE_F_thaddr] && way_infers(way, &jump, &back);
            if (!known) back = packet->value[ETRACE_F_address];
            known |= !packet->value[ETRACE_F_thaddr] && !interrupt;
            sink->flow(sink->context, way->pc, way->insn.branch_type, true, known ? &back : NULL);
        } else {
            known = way_next(way, sink, 0, &stop_here, &back);
        }
    }
    if (known) {
        record.event.value = back;
        record.has |= SPOOR_HAS_VA;
    }
    record.event.value1 = packet->value[ETRACE_F_ecause];
    record.has |= SPOOR_HAS_EXTRA;
    if (!interrupt) snprintf(text, sizeof text, "tval=0x%" PRIx64, packet->value[ETRACE_F_tval]);
    sink->event(sink->context, &record, interrupt ? "interrupt" : "exception", text);
}

/* Execution goes on at the address of a packet, and the way to there is not followed. */
static void way_set(struct etrace_way *way, const struct packet_sink *sink)
{
    way_clear_branches(way);
    etrace_memory_forget(&way->memory);
    way->straight = 0;
    way->constant.known = way->uninferable = way->stop_at_last_branch = false;
    way->started = true;
    if (!way_report(way, sink, way->address)) return;
    if (!insn_is_branch(&way->insn)) return;
    way->map = way->packet.value[ETRACE_F_branch];
    way->mapped = 1;
}

/* Format 3 but for support; true: the way to the address is to be followed. */
static bool etrace_synchronise(struct etrace_way *way, const struct packet_sink *sink)
{
    const struct etrace_packet *packet = &way->packet;
    if (packet->kind == ETRACE_CONTEXT) {
        way_put_context(way, sink);
        return false;
    }
    const bool trap = packet->kind == ETRACE_TRAP;
    if (trap) {
        way_put_trap(way, sink);
        way->trapped = !packet->value[ETRACE_F_thaddr];
        if (way->trapped) return false;
    }
    way->inferred_address = false;
    way->address = packet->value[ETRACE_F_address];
    if (trap || way->trapped || !way->started) {
        if (!trap && !way->trapped)
            packets_put_event(sink, SPOOR_EVENT_BEGIN, "begin", &way->address, "");
        way->trapped = false;
        way_put_context(way, sink);
        way_set(way, sink);
        return false;
    }
    const struct spoor_program_insn *code = sink->code(sink->context, way->address);
    if (code && insn_is_branch(code)) {
        way_settle(way);
        way->map |= packet->value[ETRACE_F_branch] << way->mapped;
        way->mapped++;
    }
    return true;
}

/* Support; true: one that ends tracing says that there is more of the way. */
static bool way_support(struct etrace_way *way, const struct packet_sink *sink)
{
    const uint64_t status = way->packet.value[ETRACE_F_qual_status];
    way->options = way->packet.value[ETRACE_F_ioptions];
    if (status == ETRACE_LOST) {
        way_end_insn(way, sink);
        way->started = true; /* said also where nothing was known */
        etrace_lose(way, sink, "packets that the trace encoder could not send");
    }
    if (status != ETRACE_ENDED_REPORTED && status != ETRACE_ENDED_UNREPORTED) return false;
    way->ends = true;
    return status == ETRACE_ENDED_UNREPORTED && way->inferred_address && way->started;
}

static void way_end(struct etrace_way *way, const struct packet_sink *sink)
{
    way_end_insn(way, sink);
    packets_put_event(sink, SPOOR_EVENT_END, "end", way->at_insn ? &way->pc : NULL, "");
    way->started = way->at_insn = way->inferred_address = way->ends = false;
    way_clear_branches(way);
    way->memory.depth = 0;
}

/* Begins to follow a packet; false: there is nothing to follow. */
static bool etrace_begin(struct etrace_way *way, const struct packet_sink *sink)
{
    const struct etrace_packet *packet = &way->packet;
    way->previous = way->pc;
    if (packet->kind == ETRACE_SUPPORT) {
        const bool more = way_support(way, sink);
        if (way->ends && !more) way_end(way, sink);
        return more;
    }
    if (packet->kind >= ETRACE_START && packet->kind != ETRACE_INDEX)
        return etrace_synchronise(way, sink);
    if (!way->started || way->trapped) return false;
    if (way->options & ETRACE_IMPLICIT_EXCEPTION) {
        etrace_lose(way, sink, "an option of the trace encoder that spoor does not follow");
        return false;
    }
    if (packet->value[ETRACE_F_branch_count] > ETRACE_MOST_PREDICTED) {
        etrace_lose(way, sink, "a count that no trace encoder sends");
        return false;
    }
    const bool addressed = packet->has >> ETRACE_F_address & 1;
    way_settle(way);
    if (addressed || packet->kind == ETRACE_INDEX) way->stop_at_last_branch = false;
    if (addressed) {
        const uint64_t before = way->options & ETRACE_FULL_ADDRESS ? 0 : way->address;
        way->address = etrace_width(&way->sizes, packet->value[ETRACE_F_address] + before);
        /* where it is no target of a jump, the next packet synchronises and all targets go */
        uint64_t index, *target = etrace_target(&way->memory, way->address, &index);
        if (packet->value[ETRACE_F_notify] == etrace_bit_before(packet, ETRACE_F_notify))
            *target = way->address;
    } else if (packet->kind == ETRACE_INDEX) {
        way->address = way->memory.targets[packet->value[ETRACE_F_index]];
        if (way->address & 1) {
            etrace_lose(way, sink, "a target that the trace has not stated");
            return false;
        }
    }
    const unsigned count = (unsigned)packet->value[ETRACE_F_branches];
    if (packet->kind == ETRACE_BRANCH || (packet->kind == ETRACE_INDEX && count)) {
        way->stop_at_last_branch = count == 0;
        way->map |= packet->value[ETRACE_F_branch_map] << way->mapped;
        way->mapped += count ? count : ETRACE_MAP;
    } else if (packet->kind == ETRACE_COUNT) {
        way->stop_at_last_branch = !addressed;
        way->predicted = packet->value[ETRACE_F_branch_count] + ETRACE_MAP;
        way->fails = !addressed || packet->value[ETRACE_F_branch_fmt] == 3;
    }
    return true;
}

static bool etrace_follow(void *state, const struct spoor_batch *batch, size_t index,
                          const struct packet_sink *sink)
{
    struct etrace_way *way = state;
    const struct spoor_record *record = &batch->records[index];
    const struct spoor_event *event = &record->event;
    if (packets_are_missing(record)) {
        etrace_lose(way, sink, "bytes that are no packet");
        way->trapped = false; /* the address of its handler may be among them */
    }
    if (record->kind != SPOOR_EVENT) return false;
    if (!way->active) {
        way->packet.kind = (uint8_t)event->number;
        if (!etrace_read_fields(&way->packet, &way->sizes, spoor_batch_bytes(batch, event->text),
                                event->text.size) ||
            !etrace_name(way->packet.kind)) {
            etrace_lose(way, sink, "a packet that cannot be read");
            return false;
        }
        if (!etrace_memory_size(&way->memory, &way->sizes)) {
            *sink->out_of_memory = true;
            return false;
        }
        if (way_branches(way) > 1)
            etrace_lose(way, sink, "branches that the program does not have");
        if (!etrace_begin(way, sink)) return false;
        way->straight = 0;
    }
    enum way_state state_now = WAY_GOES_ON;
    for (unsigned passed = 0; state_now == WAY_GOES_ON; passed++) {
        if (passed == BUDGET) {
            way->active = true;
            return true;
        }
        state_now = way->started ? way_step(way, sink) : WAY_STOPS;
    }
    way->active = false;
    if (way->ends) way_end(way, sink);
    if (way->packet.kind == ETRACE_START && way->started) {
        etrace_memory_forget(&way->memory);
        way_put_context(way, sink);
    }
    return false;
}

const struct packet_decoder etrace_packets = {
    .open = etrace_way_open,
    .close = etrace_way_close,
    .follow = etrace_follow,
};
