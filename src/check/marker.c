/* SPDX-License-Identifier: MIT */
/*
 * marker.c: rules about traces with markers (drmemtrace).
 *
 * They are those of DynamoRIO's invariant checker that the records show.  A rule examines a trace
 * once a marker has occurred in it.
 */
#include <inttypes.h>
#include <string.h>

#include "check/rule.h"
#include "isa/opcode.h"
#include "spoor/view.h"

#define CHECKER "DynamoRIO: clients/drcachesim/tools/invariant_checker.cpp"

static bool marker_is(const struct spoor_record *record)
{
    return record->kind == SPOOR_EVENT && (record->op == SPOOR_EVENT_MARKER);
}

static bool marker_is_named(const struct context *context, const char *name)
{
    return strcmp(context_name(context, context->record->event.name), name) == 0;
}

/* ---- the head ---- */

struct head {
    bool version, file_type, line_size;
};

static void marker_feed_head(struct context *context)
{
    struct head *head = context->state;
    if (context->record->kind == SPOOR_EVENT) {
        head->version |= marker_is_named(context, "version");
        head->file_type |= marker_is_named(context, "file_type");
        head->line_size |= marker_is_named(context, "cache_line_size");
        return;
    }
    context->finished = true;
    if (!head->version || (head->file_type && head->line_size)) return;
    context_found(context, "an instruction before the marker of the %s",
                  head->file_type ? "size of cache lines" : "file type");
    context_expected(context, "it at the begin, after the version");
}
EXAMINE_BLOCK(marker_feed_head)
const struct rule rule_marker_head = {
    .info = {"marker-head",
             "a trace with a version states its file type and the size of cache lines before the "
             "first instruction",
             CHECKER, SPOOR_SEVERITY_ERROR, true},
    .kinds = KIND(EVENT) | KIND(INSN),
    .feed = marker_feed_head_block,
    .state_size = sizeof(struct head),
};

/* ---- threads ---- */

struct thread_head {
    bool marked;       /* a marker occurred */
    bool timed, known; /* timestamp, and the first instruction of the thread */
};

static void marker_feed_thread(struct context *context)
{
    struct thread_head *thread_head = context->state;
    const struct spoor_record *record = context->record;
    if (record->kind == SPOOR_EVENT) {
        thread_head->marked |= marker_is(record);
        if (!thread_head->timed) thread_head->timed = marker_is_named(context, "timestamp");
        return;
    }
    if (!thread_head->marked || thread_head->known) return;
    thread_head->known = true;
    if (thread_head->timed && (record->has & SPOOR_HAS_CPU)) return;
    context_found(context, "the first instruction of a thread without its %s",
                  record->has & SPOOR_HAS_CPU ? "timestamp" : "number");
    context_expected(context, "thread and timestamp before the first instruction");
}
EXAMINE_BLOCK_PER_CPU(marker_feed_thread)
const struct rule rule_marker_thread = {
    .info = {"marker-thread",
             "thread and timestamp are stated before the first instruction of a thread", CHECKER,
             SPOOR_SEVERITY_ERROR, true},
    .kinds = KIND(EVENT) | KIND(INSN),
    .after = EVENT(MARKER),
    .feed = marker_feed_thread_block,
    .state_size = sizeof(struct thread_head),
    .per_cpu = true,
};

/* ---- the end ---- */

struct trace_end {
    uint64_t exited;
    bool footer, marked;
};

static void marker_feed_end(struct context *context)
{
    struct trace_end *trace_end = context->state;
    const struct spoor_record *record = context->record;
    if (!marker_is(record)) return;
    trace_end->marked = true;
    if (record->has & SPOOR_HAS_INDEX) return;
    trace_end->footer |= marker_is_named(context, "footer");
    trace_end->exited += marker_is_named(context, "thread_exit");
}

static void marker_end(struct context *context)
{
    const struct trace_end *trace_end = context->state;
    if (!trace_end->marked || (trace_end->footer && trace_end->exited)) return;
    context_found(context, "the end of the trace without %s",
                  trace_end->exited ? "a footer" : "the exit of a thread");
    context_expected(context, "both: the trace is cut off");
}
EXAMINE_BLOCK(marker_feed_end)
const struct rule rule_marker_end = {
    .info = {"marker-end", "a trace ends with the exit of its thread and a footer", CHECKER,
             SPOOR_SEVERITY_ERROR, true},
    .kinds = KIND(EVENT),
    .feed = marker_feed_end_block,
    .end = marker_end,
    .state_size = sizeof(struct trace_end),
};

/* ---- chunks ---- */

struct chunks {
    uint64_t next;
};

static void marker_feed_chunk(struct context *context)
{
    struct chunks *chunks = context->state;
    const struct spoor_record *record = context->record;
    if (!marker_is(record) || !marker_is_named(context, "chunk_footer")) return;
    if (record->event.value != chunks->next) {
        context_found(context, "the end of chunk %" PRIu64, record->event.value);
        context_expected(context, "chunk %" PRIu64, chunks->next);
    }
    chunks->next = record->event.value + 1;
}
EXAMINE_BLOCK_PER_CPU(marker_feed_chunk)
const struct rule rule_marker_chunk = {
    .info = {"marker-chunk", "chunks of a thread are numbered without gaps", CHECKER,
             SPOOR_SEVERITY_ERROR, true},
    .kinds = KIND(EVENT),
    .has = SPOOR_HAS_INDEX,
    .feed = marker_feed_chunk_block,
    .state_size = sizeof(struct chunks),
    .per_cpu = true,
};

/* ---- code ---- */

struct code_statement {
    bool stated; /* the file type says that the code is there */
};

static void marker_feed_code(struct context *context)
{
    enum { ENCODINGS = 0x200 };
    struct code_statement *code_statement = context->state;
    const struct spoor_record *record = context->record;
    if (record->kind == SPOOR_EVENT) {
        if (marker_is(record) && marker_is_named(context, "file_type"))
            code_statement->stated = record->event.value & ENCODINGS;
        return;
    }
    const uint16_t known = SPOOR_HAS_DATA | SPOOR_IS_SPILLED;
    if (!code_statement->stated || record->has & known || record->insn.disasm.size ||
        record->insn.opcode_size == 0)
        return;
    context_found(context, "an instruction at %" PRIx64 " without its code", record->insn.va);
    context_expected(context, "code before the first use of a pc, as the file type states");
}
EXAMINE_BLOCK(marker_feed_code)
const struct rule rule_marker_code = {
    .info = {"marker-code",
             "if the file type says so, the code of an instruction precedes its first use", CHECKER,
             SPOOR_SEVERITY_ERROR, true},
    .kinds = KIND(EVENT) | KIND(INSN),
    .after = EVENT(MARKER),
    .feed = marker_feed_code_block,
    .state_size = sizeof(struct code_statement),
};

/* ---- the next instruction ---- */

struct last {
    bool known, marked;
    bool open; /* a branch whose target is not known */
    bool is_branch;
    uint64_t pc, next; /* of the last instruction, and where execution continues, */
    uint64_t other;    /* or where else: a branch whose outcome is not stated; 0: nowhere */
};

/* Control leaves the instructions of the trace. */
static const char *const breaks[] = {"kernel_event",
                                     "kernel_transfer",
                                     "rseq_abort",
                                     "window",
                                     "filter_end",
                                     "system_call_begin",
                                     "system_call_end",
                                     "context_switch_begin",
                                     "context_switch_end",
                                     "direct_thread_switch",
                                     "hardware_event",
                                     "hardware_event_return",
                                     "uncompleted_instruction",
                                     "raw_kernel_event"};

/* The target of the branch at record `index`, which an INSN record precedes. */
static bool marker_target_of(const struct context *context, uint64_t *target)
{
    enum { NEAR = 5 };
    const struct spoor_record *flow = context->record;
    if (flow->has & SPOOR_HAS_DATA) {
        *target = flow->flow.target;
        return true;
    }
    if (context->index == 0 || flow->op & SPOOR_FLOW_IS_INDIRECT) return false;
    const struct spoor_record *insn = flow - 1;
    if (insn->kind != SPOOR_INSN || insn->insn.va != flow->flow.va) return false;
    if (!(insn->has & SPOOR_HAS_DATA)) return false;
    if (insn->insn.iset == 'I') {
        /* It is relative to the next instruction: the last byte, or the last four. */
        const unsigned size = insn->insn.opcode_size;
        const uint64_t code = insn->insn.opcode;
        const int32_t near = (int32_t)__builtin_bswap32((uint32_t)code);
        *target = insn->insn.va + size + (uint64_t)(int64_t)(size >= NEAR ? near : (int8_t)code);
        return size == 2 || size == 3 || size >= NEAR;
    }
    if (insn->insn.iset != 'O') return false;
    const struct opcode opcode = opcode_a64(insn->insn.va, (uint32_t)insn->insn.opcode);
    *target = opcode.target;
    return opcode.flow == OPCODE_BRANCH && !(opcode.type & SPOOR_BRANCH_INDIRECT);
}

static void marker_feed_next(struct context *context)
{
    struct last *last = context->state;
    const struct spoor_record *record = context->record;
    last->marked |= marker_is(record);
    if (!last->marked) return;
    if (record->kind == SPOOR_FLOW) {
        if (!last->known || last->pc != record->flow.va || record->op & SPOOR_FLOW_NOT_TAKEN)
            return;
        last->is_branch = true;
        if (record->has & SPOOR_HAS_EXTRA) last->other = last->next; /* it may not be taken */
        last->open = !marker_target_of(context, &last->next);
        return;
    }
    if (record->kind == SPOOR_EVENT) {
        for (size_t i = 0; last->known && i < sizeof breaks / sizeof *breaks; i++)
            if (marker_is_named(context, breaks[i])) last->known = false;
        return;
    }
    if (record->op == SPOOR_INSN_AGAIN) return;
    const struct spoor_insn *insn = &record->insn;
    /* A string instruction of x86 may be interrupted, and code that is not known may be one. */
    const unsigned first = (unsigned)(insn->opcode >> 8 * ((insn->opcode_size - 1) & 7) & 0xFF);
    const bool known = (record->has & SPOOR_HAS_DATA) && insn->opcode_size;
    const bool may_repeat =
        !known || (insn->iset != 'O' && (insn->iset != 'I' || first == 0xF2 || first == 0xF3));
    const bool repeats = insn->va == last->pc && may_repeat;
    const bool goes_on = insn->va == last->next || insn->va == last->other;
    /* A kernel of x86 that a system call or an interrupt enters begins with swapgs. */
    const bool enters_kernel =
        insn->iset == 'I' && insn->opcode_size == 3 && insn->opcode == 0x0F01F8;
    if (last->known && !last->open && !goes_on && !repeats && !enters_kernel) {
        context_found(context, "pc %" PRIx64 " after the %s at %" PRIx64, insn->va,
                      last->is_branch ? "branch" : "instruction", last->pc);
        if (last->other)
            context_expected(context, "%" PRIx64 " or %" PRIx64 ", or a marker that explains it",
                             last->other, last->next);
        else
            context_expected(context, "%" PRIx64 ", or a marker that explains it", last->next);
    }
    *last = (struct last){.known = true,
                          .marked = last->marked,
                          .open = insn->opcode_size == 0,
                          .pc = insn->va,
                          .next = insn->va + insn->opcode_size};
}
EXAMINE_BLOCK_PER_CPU(marker_feed_next)
const struct rule rule_marker_next = {
    .info = {"marker-next",
             "an instruction follows the one before it, or is its target, unless a marker explains "
             "the difference",
             CHECKER, SPOOR_SEVERITY_ERROR, true},
    .kinds = KIND(EVENT) | KIND(INSN) | KIND(FLOW),
    .after = EVENT(MARKER),
    .feed = marker_feed_next_block,
    .state_size = sizeof(struct last),
    .per_cpu = true,
};

/* ---- system calls ---- */

struct caller {
    bool marked;       /* a marker occurred */
    bool known, calls; /* the last instruction; it is a system call */
};

static void marker_feed_call(struct context *context)
{
    struct caller *caller = context->state;
    const struct spoor_record *record = context->record;
    caller->marked |= marker_is(record);
    if (!caller->marked) return;
    if (record->kind == SPOOR_INSN) {
        static const uint32_t svc_mask = 0xFFE0001F, svc = 0xD4000001;
        const struct spoor_insn *insn = &record->insn;
        const char *name = spoor_batch_bytes(context->batch, insn->disasm);
        const size_t size = insn->disasm.size;
        if (insn->iset == 'O') {
            caller->known = record->has & SPOOR_HAS_DATA;
            caller->calls = (insn->opcode & svc_mask) == svc;
        } else {
            caller->known = insn->iset == 'I' && size;
            caller->calls = (size == 7 && memcmp(name, "syscall", size) == 0) ||
                            (size == 8 && memcmp(name, "sysenter", size) == 0) ||
                            (size == 3 && memcmp(name, "int", size) == 0);
        }
        return;
    }
    if (!marker_is(record) || !marker_is_named(context, "system_call")) return;
    if (!caller->known || caller->calls) return;
    context_found(context, "the marker of system call %" PRIu64, record->event.value);
    context_expected(context, "it after an instruction that makes system calls");
}
EXAMINE_BLOCK_PER_CPU(marker_feed_call)
const struct rule rule_marker_call = {
    .info = {"marker-call", "the marker of a system call follows an instruction that makes one",
             CHECKER, SPOOR_SEVERITY_ERROR, true},
    .kinds = KIND(EVENT) | KIND(INSN),
    .after = EVENT(MARKER),
    .feed = marker_feed_call_block,
    .state_size = sizeof(struct caller),
    .per_cpu = true,
};
