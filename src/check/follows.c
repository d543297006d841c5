/* SPDX-License-Identifier: MIT */
/*
 * follows.c: the rule that an instruction follows the one before it, or is its target.
 *
 * A trap goes elsewhere, and many logs do not print it.  A pc that does not follow is therefore a
 * finding only where a missing, doubled or moved instruction explains it better: the pc is that of
 * the instruction before, lies shortly after the missing one, or code led there before.  An entry
 * of a trap is none of these.  The finding waits for the instruction after it: where only one pc is
 * wrong, that is for `insn-pc`.
 */
#include <inttypes.h>
#include <string.h>

#include "check/rule.h"
#include "check/trust.h"
#include "formats/format.h"
#include "isa/opcode.h"
#include "isa/register.h"
#include "isa/system.h"
#include "spoor/field.h"
#include "spoor/format.h"

enum {
    CODES = 4096, /* a new one replaces an old one of the same hash */
    CPUS = 256,   /* the next one takes the state of another */
    VECTORS = 8,
    LINKS = 32,
    NEAR = 256, /* bytes of code that may be missing at a time without a trap being likelier; */
    RETURN_NEAR = 16, /* of the code that a call returns to: it may return elsewhere */
    EVIDENCE = 16,    /* instructions that follow before the first finding */
};

/* What the instruction at an address does.  It is copied for each instruction. */
struct code {
    uint64_t pc, opcode, target;
    uint8_t size;                              /* bytes; 0: nothing is known */
    uint8_t guards;                            /* conditional instructions after it (T32's IT) */
    bool falls : 1, jumps : 1, indirect : 1;   /* the next one may follow; the target; any */
    bool branches : 1, calls : 1, returns : 1; /* any may follow a trap, which is no branch */
    bool repeats : 1;                          /* it may follow itself (rep of x86) */
    bool reached : 1;                          /* the instruction before it led here */
    bool handles : 1; /* RISC-V: it accesses what a trap handler does first */
    bool traps : 1;   /* it calls the system, or is not known: what follows may be a handler */
    bool places_vectors : 1; /* it writes the register that states where traps enter */
};
_Static_assert(sizeof(struct code) == 32, "half of a line of the cache");

/* The state of one processor. */
struct flow_state {
    bool known, event;
    bool pending;       /* `found` did not follow `before` */
    uint8_t guarded;    /* so many instructions are conditional */
    struct code code;   /* the last instruction */
    struct code before; /* pending: the one before it */
    spoor_name mode;
    uint64_t index;
    struct code left; /* after the trap that was taken last, what follows this continues */
    struct record_place found;
    uint64_t links[LINKS]; /* where the calls that are open return to */
    uint64_t link;         /* pending: the last of these */
    unsigned link_count;   /* so far; the last LINKS are known */
};

/* The pcs at which traps enter: `count` of them, each `step` bytes after the one before. */
struct vectors {
    uint64_t first;
    unsigned step, count;
};

struct follows {
    enum isa isa;
    bool asked, off;
    bool by_records; /* records state branches, and instructions have sizes, but no opcodes */
    struct trust trust;
    struct vectors vectors[VECTORS];
    unsigned vector_count; /* so far; the last VECTORS are known */
    uint32_t names[CPUS];  /* of cpus, plus 1; 0: none.  One lies at its remainder, or after it */
    struct code codes[CODES]; /* by a hash of the pc */
    struct flow_state cpus[CPUS];
};
_Static_assert(CODES == 1 << 12, "what the top 12 bits of a hash say");

/* ---- what instructions do ---- */

static struct opcode code_opcode(uint8_t letter, const struct spoor_insn *insn, unsigned size)
{
    const uint32_t bits = (uint32_t)insn->opcode;
    struct opcode opcode = {.flow = OPCODE_NEXT};
    switch (letter) {
    case 'O': return opcode_a64(insn->va, bits);
    case 'A': return opcode_a32(insn->va, bits);
    case 'T':
    case 'X': return opcode_t32(insn->va, bits, size);
    case 'I':
        if (size > sizeof insn->opcode) return opcode; /* no branch is as long */
        if (opcode_x86_number(insn->va, insn->opcode, size, &opcode) != size)
            opcode.flow = OPCODE_UNKNOWN;
        return opcode;
    default: break;
    }
    opcode = opcode_riscv(insn->va, bits, size);
    if (opcode.flow != OPCODE_UNKNOWN || size != 2) return opcode;
    /* c.addiw of RV64 is c.jal of RV32, whose distance is that of c.j */
    opcode = opcode_riscv(insn->va, bits | 0x8000, size);
    opcode.type |= SPOOR_BRANCH_CONDITIONAL | SPOOR_BRANCH_CALL;
    return opcode;
}

static struct code code_read(enum isa isa, const struct spoor_insn *insn, unsigned size)
{
    /* The letter that states the instruction set of an instruction; 0: RISC-V. */
    uint8_t letter;
    if (insn->iset == 'A' && isa == ISA_RISCV)
        letter = 0; /* Trace Matcher's */
    else if (insn->iset)
        letter = insn->iset;
    else
        letter = isa == ISA_AARCH64 ? 'O' : isa == ISA_AARCH32 ? 'A' : 0;
    const struct opcode opcode = code_opcode(letter, insn, size);
    const bool branch = opcode.flow == OPCODE_BRANCH;
    const unsigned first = (unsigned)(insn->opcode >> 8 * ((size - 1) & 7) & 0xFF);
    const bool calls_system =
        letter != 'I' && system_class_of(letter, insn->opcode, size) == SYSTEM_TRAP;
    const bool traps = calls_system || opcode.flow == OPCODE_UNKNOWN;
    enum { CSRRW = 0x1073, STVEC = 0x105, VSTVEC = 0x205, MTVEC = 0x305 };
    const unsigned csr = (unsigned)(insn->opcode >> 20) & 0xFFF;
    /* Access to a CSR of traps: mstatus to mip, and those of the other modes, of which user mode
     * has uscratch to uip; its CSRs before these are of numbers and vectors. */
    const bool handles = (insn->opcode & 0x7F) == 0x73 && (insn->opcode & 0x3000) &&
                         (csr & 0xC80) == 0 && (csr & 0x340);
    /* MSR of VBAR_ELx, or CSRRW of mtvec, stvec or vstvec. */
    const bool places_vectors = isa == ISA_AARCH64
                                    ? (insn->opcode & 0xFFF8FFE0) == 0xD518C000
                                    : isa == ISA_RISCV && (insn->opcode & 0x307F) == CSRRW &&
                                          (csr == MTVEC || csr == STVEC || csr == VSTVEC);
    return (struct code){
        .pc = insn->va,
        .opcode = insn->opcode,
        .target = opcode.target,
        .size = (uint8_t)size,
        .guards = opcode.guards,
        .falls = !branch || (opcode.type & SPOOR_BRANCH_CONDITIONAL),
        .jumps = branch && !(opcode.type & SPOOR_BRANCH_INDIRECT),
        .indirect = traps || (branch && opcode.type & SPOOR_BRANCH_INDIRECT),
        .branches = branch,
        .calls = branch && (opcode.type & SPOOR_BRANCH_CALL),
        .returns = branch && (opcode.type & SPOOR_BRANCH_RETURN),
        .repeats = letter == 'I' && (first == 0xF2 || first == 0xF3),
        .handles = letter == 0 && handles,
        .traps = traps,
        .places_vectors = places_vectors,
    };
}

/* What an instruction without an opcode did this time, as a branch among its records states it.
 * `before`: what its place in the table has; *known: the batch has all records of the instruction.
 */
static struct code code_stated(const struct context *context, const struct code *before,
                               bool *known)
{
    const struct spoor_batch *batch = context->batch;
    const struct spoor_insn *insn = &context->record->insn;
    size_t at = context->index + 1;
    while (at < batch->count && batch->records[at].kind != SPOOR_INSN &&
           batch->records[at].kind != SPOOR_FLOW)
        at++;
    *known = at < batch->count || batch->last;
    struct code code = {.pc = insn->va, .size = insn->opcode_size, .falls = true};
    code.reached = before->pc == code.pc && before->reached;
    if (at == batch->count || batch->records[at].kind == SPOOR_INSN) return code;
    const struct spoor_record *branch = &batch->records[at];
    code.branches = true;
    if (branch->op & SPOOR_FLOW_NOT_TAKEN) return code;
    code.falls = false;
    code.jumps = branch->has & SPOOR_HAS_DATA;
    code.indirect = !code.jumps;
    code.target = branch->flow.target;
    return code;
}

static bool code_may_follow(const struct code *code, uint64_t pc)
{
    return code->indirect || (code->falls && pc == code->pc + code->size) ||
           (code->jumps && pc == code->target) || (code->repeats && pc == code->pc);
}

/* ---- traps ---- */

static bool follows_is_vector(const struct follows *follows, uint64_t pc)
{
    for (unsigned i = 0; i < follows->vector_count && i < VECTORS; i++) {
        const struct vectors *vectors = &follows->vectors[i];
        const uint64_t distance = pc - vectors->first;
        if (distance < vectors->step * vectors->count && distance % vectors->step == 0) return true;
    }
    return false;
}

static void follows_add_vectors(struct follows *follows, struct vectors vectors)
{
    for (unsigned i = 0; i < follows->vector_count && i < VECTORS; i++)
        if (follows->vectors[i].first == vectors.first && follows->vectors[i].step == vectors.step)
            return;
    follows->vectors[follows->vector_count++ % VECTORS] = vectors;
}

/* A trap entered at the pc.  Nothing is known of others near it. */
static void follows_note_entry(struct follows *follows, uint64_t pc)
{
    if (!follows_is_vector(follows, pc)) follows_add_vectors(follows, (struct vectors){pc, 1, 1});
}

/* Finds the value that an instruction writes that places vectors, if its records state it. */
static void follows_find_vectors(const struct context *context, struct follows *follows)
{
    enum { RECORDS = 8 };
    const struct spoor_batch *batch = context->batch;
    for (size_t i = context->index + 1; i < batch->count && i <= context->index + RECORDS; i++) {
        const struct spoor_record *record = &batch->records[i];
        if (record->kind == SPOOR_INSN) return;
        if (record->kind != SPOOR_REG || !(record->has & SPOOR_HAS_DATA)) continue;
        const char *name = context_name(context, record->reg.name);
        if (!strstr(name, "tvec") && strncmp(name, "VBAR", 4) != 0 && strncmp(name, "vbar", 4) != 0)
            continue;
        /* Bit 0 of mtvec asks for a table. */
        const uint64_t value = record->reg.value[0], base = value & ~UINT64_C(3);
        follows_add_vectors(follows, follows->isa == ISA_AARCH64 ? (struct vectors){value, 0x80, 16}
                                     : value & 1                 ? (struct vectors){base, 4, 64}
                                                                 : (struct vectors){base, 1, 1});
    }
}

/* Where the last open call returns to; 0: there is none. */
static uint64_t follows_last_link(const struct flow_state *last)
{
    return last->link_count ? last->links[(last->link_count - 1) % LINKS] : 0;
}

/* Returns how many calls a return to the pc leaves, of those that are known; 0: it is to none. */
static unsigned follows_calls_left(const struct flow_state *last, uint64_t pc)
{
    for (unsigned back = 1; back <= last->link_count && back <= LINKS; back++)
        if (last->links[(last->link_count - back) % LINKS] == pc) return back;
    return 0;
}

/* True if a missing, doubled or moved instruction explains better than a trap that `next` does not
 * follow. */
static bool follows_is_damage(const struct follows *follows, const struct flow_state *last,
                              const struct code *next)
{
    const struct code *code = &last->code;
    const uint64_t pc = next->pc;
    if (follows_is_vector(follows, pc)) return false;
    if (pc == code->pc) return true;
    if (code->returns) return pc - follows_last_link(last) < RETURN_NEAR;
    if (next->reached) return true;
    if (next->handles) return false;
    return (code->falls && pc - code->pc < NEAR) || (code->jumps && pc - code->target < NEAR);
}

/* ---- the rule ---- */

/* True if the trace has each instruction.  Markers have a rule of their own. */
static bool follows_is_examined(const struct context *context, struct follows *follows)
{
    if (!follows->asked) {
        follows->asked = true;
        follows->isa = isa_of(context->batch);
        const struct spoor_format *format = context->batch->stream->format;
        const spoor_field_set fields = spoor_format_fields(format, SPOOR_INSN);
        /* of MIPS and LoongArch, delay slots and what traps are not known here */
        follows->off = format->omits != FORMAT_OMITS_NOTHING || follows->isa == ISA_MIPS ||
                       follows->isa == ISA_LOONGARCH;
        follows->by_records = !(fields & SPOOR_FIELD_BIT(OPCODE)) &&
                              (fields & SPOOR_FIELD_BIT(OPCODE_SIZE)) &&
                              (spoor_format_fields(format, SPOOR_FLOW) & SPOOR_FIELD_BIT(TARGET));
    }
    follows->off |= (context->events & EVENT(MARKER)) != 0;
    return !follows->off;
}

/* Reports a pc that did not follow. */
static void follows_report(struct context *context, struct follows *follows,
                           const struct flow_state *last)
{
    const struct code *first = &last->before, *second = &last->code;
    const bool trusted = follows->trust.right >= EVIDENCE && trust_is_enough(&follows->trust);
    follows->trust.wrong++;
    if (!trusted) return;
    context_at(context, &last->found);
    context_found(context, "pc %" PRIx64 " after the instruction at %" PRIx64, second->pc,
                  first->pc);
    if (first->returns)
        context_expected(context, "%" PRIx64 ", where the last call returns to", last->link);
    else if (first->falls && first->jumps)
        context_expected(context, "%" PRIx64 " or %" PRIx64, first->pc + first->size,
                         first->target);
    else
        context_expected(context, "%" PRIx64,
                         first->falls ? first->pc + first->size : first->target);
}

/* Compares the instruction with the last one, which is known. */
static void follows_compare(struct context *context, struct follows *follows,
                            struct flow_state *last, struct code *code)
{
    const uint64_t link = last->code.returns ? follows_last_link(last) : 0;
    const bool again = code->pc == last->code.pc && last->code.branches;
    const bool leaves = link && link != code->pc && follows_calls_left(last, code->pc);
    const bool free = leaves || (last->code.indirect && (!link || last->code.falls) && !again);
    if (free || (link ? link == code->pc : !again && code_may_follow(&last->code, code->pc)) ||
        (again && last->code.jumps && last->code.target == code->pc)) {
        follows->trust.right += !free;
        if (last->code.traps && code->pc != last->code.pc + last->code.size)
            follows_note_entry(follows, code->pc);
        else
            code->reached = true;
    } else if (!code_may_follow(&last->left, code->pc) && follows_is_damage(follows, last, code)) {
        last->pending = true;
        last->before = last->code;
        last->link = link;
        last->found = context_place(context);
    } else {
        follows_note_entry(follows, code->pc);
        last->left = last->code;
        if (link) { /* the trap was taken before its target */
            last->left = (struct code){.jumps = true, .target = link};
            last->link_count--;
        }
    }
}

static void follows_feed(struct context *context)
{
    struct follows *follows = context->state;
    const struct spoor_record *record = context->record;
    const struct spoor_insn *insn = &record->insn;
    if (!follows_is_examined(context, follows)) {
        context->finished = true;
        return;
    }
    spoor_name cpu = record->cpu;
    size_t at = cpu % CPUS, looked = 0;
    while (follows->names[at] && follows->names[at] != cpu + 1U && ++looked < CPUS)
        at = (at + 1) % CPUS;
    if (follows->names[at] != cpu + 1U) {
        follows->names[at] = cpu + 1U;
        follows->cpus[at] = (struct flow_state){0};
    }
    struct flow_state *last = &follows->cpus[at];
    if (record->kind == SPOOR_EVENT) {
        /* After these, execution may continue elsewhere. */
        static const uint64_t events = EVENT(E) | EVENT(SIGNAL) | EVENT(EXCEPTION) | EVENT(REASON) |
                                       EVENT(BEGIN) | EVENT(END) | EVENT(LOST);
        last->event |= events >> record->op & 1;
        return;
    }
    if (record->op == SPOOR_INSN_AGAIN || record->op == SPOOR_INSN_SQUASHED) return;
    const uint8_t size = isa_opcode_size(follows->isa, insn);
    const bool has_code = (record->has & SPOOR_HAS_DATA) || (insn->iset == 'I' && size > 8);
    /* An instruction of a block of which the trace prints the first: what follows is not known. */
    const struct spoor_format *format = context->batch->stream->format;
    const bool block =
        format->block_limit && format->block_limit(context->batch, context->index) != 1;
    bool coded = has_code && size && !block;
    struct code *code = &follows->codes[insn->va * UINT64_C(0x9E3779B97F4A7C15) >> 52];
    if (follows->by_records && insn->opcode_size)
        *code = code_stated(context, code, &coded);
    else if (coded && (code->pc != insn->va || code->opcode != insn->opcode || code->size != size))
        *code = code_read(follows->isa, insn, size);
    if (coded && code->places_vectors) follows_find_vectors(context, follows);
    if (last->pending) {
        /* The pc that did not follow is wrong alone if with another one this instruction follows.
         */
        const struct code *first = &last->before, *second = &last->code;
        const bool continues = second->falls && !second->jumps && !second->indirect;
        if (!continues || first->indirect || !code_may_follow(first, insn->va - second->size))
            follows_report(context, follows, last);
    }
    last->pending = false;
    const bool lost =
        (record->has & SPOOR_HAS_INDEX) && last->known && insn->index != last->index + 1;
    const bool same_mode = !(record->has & SPOOR_HAS_EXTRA) || insn->mode == last->mode;
    if (coded && last->known && !last->event && !lost && same_mode)
        follows_compare(context, follows, last, code);
    if (last->known) {
        /* A return may leave several calls: of those that only jumped, none returns. */
        const struct code *left = &last->code;
        const uint64_t after = left->pc + left->size;
        const bool taken =
            !left->falls || (left->jumps ? insn->va == left->target : insn->va != after);
        if (left->calls && taken) last->links[last->link_count++ % LINKS] = after;
        if (left->returns) last->link_count -= follows_calls_left(last, insn->va);
    }
    last->known = coded;
    last->event = false;
    if (coded) {
        /* The instruction as it was executed: where its condition failed, it did nothing. */
        bool skipped = record->op == SPOOR_INSN_SKIPPED;
        struct code now = *code;
        now.falls |= skipped || last->guarded;
        if (skipped) now.jumps = now.indirect = now.calls = now.returns = false;
        last->code = now;
        last->guarded = code->guards ? code->guards : (uint8_t)(last->guarded - !!last->guarded);
    }
    last->mode = record->has & SPOOR_HAS_EXTRA ? insn->mode : SPOOR_NO_NAME;
    last->index = insn->index;
}

/* No instruction comes after those that wait for one. */
static void follows_end(struct context *context)
{
    struct follows *follows = context->state;
    for (size_t i = 0; i < CPUS && !follows->off; i++)
        if (follows->names[i] && follows->cpus[i].pending)
            follows_report(context, follows, &follows->cpus[i]);
}
EXAMINE_BLOCK(follows_feed)
const struct rule rule_insn_next = {
    .info =
        {"insn-next",
         "an instruction follows the one before it, or is its target, unless a trap is likelier",
         "opcodes, or sizes and records of branches, state what may follow", SPOOR_SEVERITY_WARNING,
         true},
    .kinds = KIND(INSN) | KIND(EVENT),
    .feed = follows_feed_block,
    .end = follows_end,
    .state_size = sizeof(struct follows),
};
