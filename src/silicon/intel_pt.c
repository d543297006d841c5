/* SPDX-License-Identifier: MIT */
/*
 * intel_pt.c: decodes a stream of Intel PT by libipt.
 *
 * Where a branch leads, only the next instruction or event shows: the last instruction waits for
 * it, and what comes in between waits, too.
 */
#include "silicon/intel_pt.h"

#include <intel-pt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/shared_library.h"
#include "model/error.h"
#include "silicon/element.h"
#include "silicon/perf_records.h"
#include "spoor/record.h"

static struct {
    IPT_FUNCTIONS(SHARED_POINTER)
} ipt;

enum {
    MOST_SILENT = 1 << 20, /* instructions without a packet: more are a loop without an end */
    CODE = 16,
};

struct intel_pt {
    struct intel_pt_input input;
    struct pt_insn_decoder *decoder;
    int status;
    bool synchronised, ended;
    bool found; /* a packet PSB */
    bool waits; /* `last` does, */
    struct element_x86 last;
    enum pt_insn_class kind; /* of this class, */
    struct text later;       /* and elements after it */
    struct text own;         /* elements that may be of a later time than was asked for */
    struct text *out;
    uint64_t now, until, synchronised_at, offset;
    unsigned silent; /* instructions since the offset changed */
    size_t turn;
    bool known;  /* there was an instruction, */
    uint64_t pc; /* here */
};

bool intel_pt_load(const char *path, struct spoor_error *error)
{
    char sentence[SHARED_SENTENCE];
    if (shared_library_load(&shared_libraries[SHARED_ipt], &ipt, sentence)) return true;
    spoor_error_set(error, SPOOR_EINPUT, "%s: has a trace of Intel PT, and its decoder %s", path,
                    sentence);
    return false;
}

/* ---- elements ---- */

static const struct intel_pt_turn *intel_pt_turn(const struct intel_pt *pt)
{
    const struct intel_pt_turn *turn = pt->input.turn_count ? &pt->input.turns[pt->turn] : NULL;
    return turn && turn->time <= pt->now ? turn : NULL;
}

static unsigned intel_pt_flags(const struct intel_pt *pt, uint32_t *thread)
{
    const struct intel_pt_turn *turn = intel_pt_turn(pt);
    *thread = turn ? turn->thread : 0;
    return (pt->now ? ELEMENT_HAS_TIME : 0U) |
           (turn && turn->thread != UINT32_MAX ? ELEMENT_HAS_THREAD : 0U);
}

/* Puts an event; where an instruction waits, after it. */
static void intel_pt_put(struct intel_pt *pt, struct element_timed element, const char *name,
                         const char *text)
{
    uint32_t thread;
    element.kind = element.kind ? element.kind : ELEMENT_TIMED_EVENT;
    element.flags = (uint8_t)(element.flags | intel_pt_flags(pt, &thread));
    element.thread = thread;
    element.time = pt->now;
    perf_put(pt->waits ? &pt->later : &pt->own, element, name, text);
}

/* The instruction that waits is complete: execution went on at the target, unless it is NULL. */
static void intel_pt_resolve(struct intel_pt *pt, const uint64_t *target)
{
    struct element_x86 *last = &pt->last;
    if (!pt->waits) return;
    pt->waits = false;
    if (pt->kind == ptic_cond_jump && !target) last->flags &= (uint8_t)~ELEMENT_BRANCHES;
    if (target && last->flags & ELEMENT_BRANCHES) {
        const bool falls = pt->kind == ptic_cond_jump && *target == last->pc + last->length;
        last->target = *target;
        if (falls)
            last->op |= SPOOR_FLOW_NOT_TAKEN;
        else
            last->flags |= ELEMENT_HAS_TARGET;
    }
    /* it is of a time that was reached before */
    text_put(pt->own.size ? &pt->own : pt->out, last, sizeof *last);
    text_append(&pt->own, &pt->later);
    pt->later.size = 0;
}

/* After prefixes: of sizes, of segments, REX. */
static bool intel_pt_is_indirect(const uint8_t *bytes, unsigned size)
{
    unsigned i = 0;
    while (i < size && ((bytes[i] & 0xFC) == 0x64 || (bytes[i] & 0xFE) == 0xF2 ||
                        (bytes[i] & 0xE7) == 0x26 || (bytes[i] & 0xF0) == 0x40))
        i++;
    return i < size && bytes[i] == 0xFF;
}

static void intel_pt_put_insn(struct intel_pt *pt, const struct pt_insn *insn)
{
    unsigned op = 0;
    const bool indirect = intel_pt_is_indirect(insn->raw, insn->size);
    bool branches = true;
    switch (insn->iclass) {
    case ptic_call: op = SPOOR_FLOW_IS_CALL | (indirect ? SPOOR_FLOW_IS_INDIRECT : 0U); break;
    case ptic_jump: op = indirect ? SPOOR_FLOW_IS_INDIRECT : 0; break;
    case ptic_return: op = SPOOR_FLOW_IS_RETURN | SPOOR_FLOW_IS_INDIRECT; break;
    case ptic_cond_jump: op = SPOOR_FLOW_IS_CONDITIONAL; break;
    case ptic_far_call: op = SPOOR_FLOW_IS_CALL | SPOOR_FLOW_IS_INDIRECT; break;
    case ptic_far_return: op = SPOOR_FLOW_IS_RETURN | SPOOR_FLOW_IS_INDIRECT; break;
    case ptic_far_jump: op = SPOOR_FLOW_IS_INDIRECT; break;
    default: branches = false; break;
    }
    intel_pt_resolve(pt, &insn->ip);
    uint32_t thread;
    const unsigned flags = intel_pt_flags(pt, &thread) | (branches ? ELEMENT_BRANCHES : 0U);
    pt->last = (struct element_x86){.kind = ELEMENT_X86,
                                    .op = (uint8_t)op,
                                    .length = insn->size,
                                    .flags = (uint8_t)flags,
                                    .thread = thread,
                                    .time = pt->now,
                                    .pc = insn->ip};
    memcpy(pt->last.code, insn->raw, insn->size < CODE ? insn->size : CODE);
    pt->kind = insn->iclass;
    pt->waits = true;
    pt->known = true;
    pt->pc = insn->ip;
}

static void intel_pt_put_lost(struct intel_pt *pt, const char *why)
{
    struct element_timed lost = {.op = SPOOR_EVENT_LOST};
    intel_pt_resolve(pt, NULL);
    if (pt->known) {
        lost.address = pt->pc;
        lost.flags = ELEMENT_HAS_ADDRESS;
    }
    intel_pt_put(pt, lost, "lost", why);
}

static void intel_pt_put_begin(struct intel_pt *pt, uint64_t address, const char *why)
{
    const struct element_timed begin = {
        .op = SPOOR_EVENT_BEGIN, .address = address, .flags = ELEMENT_HAS_ADDRESS};
    intel_pt_put(pt, begin, "begin", why);
}

/* Tracing ends; where execution goes on, if that is stated. */
static void intel_pt_put_end(struct intel_pt *pt, const uint64_t *next, const char *why)
{
    struct element_timed end = {.op = SPOOR_EVENT_END};
    intel_pt_resolve(pt, next);
    if (pt->known) {
        end.address = pt->pc;
        end.flags = ELEMENT_HAS_ADDRESS;
    }
    intel_pt_put(pt, end, "end", why);
}

/* A state of the machine, with the address where it is effective. */
static void intel_pt_put_state(struct intel_pt *pt, const struct pt_event *event, const char *name,
                               const uint64_t *ip, const uint64_t *value, const char *text)
{
    struct element_timed state = {.op = SPOOR_EVENT_STATE};
    if (ip && !event->ip_suppressed) {
        state.address = *ip;
        state.flags = ELEMENT_HAS_ADDRESS;
    }
    if (value) {
        state.value = *value;
        state.flags |= ELEMENT_HAS_VALUE;
    }
    intel_pt_put(pt, state, name, text);
}

static void intel_pt_put_power(struct intel_pt *pt, const struct pt_event *event)
{
    char text[128];
    uint64_t value;
    if (event->type == ptev_pwre) {
        value = event->variant.pwre.state;
        snprintf(text, sizeof text, "C%u sub-state %u%s", (unsigned)event->variant.pwre.state,
                 (unsigned)event->variant.pwre.sub_state,
                 event->variant.pwre.hw ? " by hardware" : "");
        intel_pt_put_state(pt, event, "pwre", NULL, &value, text);
    } else {
        value = event->variant.pwrx.last;
        snprintf(text, sizeof text, "last C%u deepest C%u%s%s%s",
                 (unsigned)event->variant.pwrx.last, (unsigned)event->variant.pwrx.deepest,
                 event->variant.pwrx.interrupt ? " interrupt" : "",
                 event->variant.pwrx.store ? " store" : "",
                 event->variant.pwrx.autonomous ? " autonomous" : "");
        intel_pt_put_state(pt, event, "pwrx", NULL, &value, text);
    }
}

static void intel_pt_put_interrupt(struct intel_pt *pt, const struct pt_event *event)
{
    const uint64_t from = event->variant.async_branch.from;
    struct element_timed element = {
        .op = SPOOR_EVENT_EXCEPTION, .address = from, .flags = ELEMENT_HAS_ADDRESS};
    intel_pt_resolve(pt, &from);
    intel_pt_put(pt, element, "interrupt", "");
    if (event->ip_suppressed) return;
    element =
        (struct element_timed){.kind = ELEMENT_TIMED_FLOW,
                               .op = SPOOR_FLOW_TYPED | SPOOR_FLOW_IS_CALL | SPOOR_FLOW_IS_INDIRECT,
                               .address = from,
                               .value = event->variant.async_branch.to,
                               .flags = ELEMENT_CONTINUES};
    intel_pt_put(pt, element, "", "");
}

static void intel_pt_put_event(struct intel_pt *pt, const struct pt_event *event)
{
    static const char *const modes[] = {[ptem_unknown] = "unknown",
                                        [ptem_16bit] = "16-bit",
                                        [ptem_32bit] = "32-bit",
                                        [ptem_64bit] = "64-bit"};
    const uint64_t *next = NULL;
    uint64_t value;
    char text[64];
    switch (event->type) {
    case ptev_enabled:
        intel_pt_resolve(pt, NULL);
        intel_pt_put_begin(pt, event->variant.enabled.ip,
                           event->status_update             ? "synchronisation"
                           : event->variant.enabled.resumed ? "resumed"
                                                            : "tracing on");
        break;
    case ptev_disabled:
        if (!event->ip_suppressed) next = &event->variant.disabled.ip;
        intel_pt_put_end(pt, next, "tracing off");
        break;
    case ptev_async_disabled:
        intel_pt_put_end(pt, &event->variant.async_disabled.at, "tracing off, interrupted");
        break;
    case ptev_async_branch: intel_pt_put_interrupt(pt, event); break;
    case ptev_overflow:
        intel_pt_put_lost(pt, "overflow");
        if (!event->ip_suppressed)
            intel_pt_put_begin(pt, event->variant.overflow.ip, "after the overflow");
        break;
    case ptev_stop: intel_pt_put_end(pt, NULL, "trace stop"); break;
    case ptev_paging:
        intel_pt_put_state(pt, event, "paging", NULL, &event->variant.paging.cr3, "");
        break;
    case ptev_async_paging:
        intel_pt_put_state(pt, event, "paging", &event->variant.async_paging.ip,
                           &event->variant.async_paging.cr3, "");
        break;
    case ptev_vmcs:
        intel_pt_put_state(pt, event, "vmcs", NULL, &event->variant.vmcs.base, "");
        break;
    case ptev_async_vmcs:
        intel_pt_put_state(pt, event, "vmcs", &event->variant.async_vmcs.ip,
                           &event->variant.async_vmcs.base, "");
        break;
    case ptev_exec_mode:
        if (event->status_update) break;
        intel_pt_put_state(pt, event, "mode", &event->variant.exec_mode.ip, NULL,
                           (unsigned)event->variant.exec_mode.mode <= ptem_64bit
                               ? modes[event->variant.exec_mode.mode]
                               : "");
        break;
    case ptev_tsx:
        if (event->status_update) break;
        intel_pt_put_state(pt, event, "transaction", &event->variant.tsx.ip, NULL,
                           event->variant.tsx.aborted       ? "abort"
                           : event->variant.tsx.speculative ? "begin"
                                                            : "commit");
        break;
    case ptev_exstop:
        intel_pt_put_state(pt, event, "exstop", &event->variant.exstop.ip, NULL, "");
        break;
    case ptev_mwait:
        value = event->variant.mwait.hints;
        snprintf(text, sizeof text, "hints 0x%" PRIx32 " extensions 0x%" PRIx32,
                 event->variant.mwait.hints, event->variant.mwait.ext);
        intel_pt_put_state(pt, event, "mwait", &event->variant.mwait.ip, &value, text);
        break;
    case ptev_pwre:
    case ptev_pwrx: intel_pt_put_power(pt, event); break;
    case ptev_ptwrite:
        intel_pt_put_state(pt, event, "ptwrite", &event->variant.ptwrite.ip,
                           &event->variant.ptwrite.payload, "");
        break;
    case ptev_cbr:
        value = event->variant.cbr.ratio;
        intel_pt_put_state(pt, event, "cbr", NULL, &value, "");
        break;
    case ptev_mnt:
        intel_pt_put_state(pt, event, "mnt", NULL, &event->variant.mnt.payload, "");
        break;
    case ptev_tick:
    default: break;
    }
}

/* ---- decoding ---- */

static int intel_pt_find_code(uint8_t *buffer, size_t size, const struct pt_asid *asid, uint64_t ip,
                              void *context)
{
    const struct intel_pt *pt = context;
    const struct intel_pt_turn *turn = intel_pt_turn(pt);
    (void)asid;
    const size_t got =
        pt->input.code(pt->input.context, turn ? turn->process : 0, pt->now, ip, buffer, size);
    return got ? (int)got : -pte_nomap;
}

/* A time of the processor's clock is reached, and whose turn it is then.  Time stands still where
 * libipt had read ahead. */
static void intel_pt_reach(struct intel_pt *pt, uint64_t ticks)
{
    const struct intel_pt_turn *turns = pt->input.turns;
    if (!ticks) return;
    const uint64_t now = pt->input.time ? pt->input.time(pt->input.context, ticks) : ticks;
    if (now > pt->now) pt->now = now;
    while (pt->turn + 1 < pt->input.turn_count && turns[pt->turn + 1].time <= pt->now) pt->turn++;
}

/* The time of an event is its own: that of the decoder may be of what follows. */
static void intel_pt_reach_event(struct intel_pt *pt, const struct pt_event *event)
{
    if (event->has_tsc) intel_pt_reach(pt, event->tsc);
}

static void intel_pt_reach_insn(struct intel_pt *pt)
{
    uint64_t ticks;
    uint32_t mtc, cyc;
    if (ipt.pt_insn_time(pt->decoder, &ticks, &mtc, &cyc) >= 0) intel_pt_reach(pt, ticks);
}

static void intel_pt_fail(struct intel_pt *pt, int status)
{
    char text[160];
    uint64_t offset = 0;
    ipt.pt_insn_get_offset(pt->decoder, &offset);
    snprintf(text, sizeof text, "%s at offset 0x%" PRIx64 " of the stream",
             ipt.pt_errstr((enum pt_error_code) - status), offset);
    intel_pt_put_lost(pt, text);
}

/* Before the first packet PSB, nothing can be decoded; zeros are padding. */
static void intel_pt_put_unfound(struct intel_pt *pt, uint64_t size)
{
    char text[80];
    uint64_t zeros = 0;
    while (zeros < size && !pt->input.bytes[zeros]) zeros++;
    if (zeros == size) return;
    snprintf(text, sizeof text, "%" PRIu64 " bytes of the stream without a packet PSB before them",
             size);
    intel_pt_put_lost(pt, text);
}

static void intel_pt_synchronise(struct intel_pt *pt)
{
    uint64_t offset = 0;
    pt->status = ipt.pt_insn_sync_forward(pt->decoder);
    if (pt->status >= 0) {
        ipt.pt_insn_get_sync_offset(pt->decoder, &pt->synchronised_at);
        if (!pt->found) intel_pt_put_unfound(pt, pt->synchronised_at);
        pt->found = true;
        pt->synchronised = true;
        pt->silent = 0;
        return;
    }
    if (pt->status == -pte_eos) {
        if (!pt->found) intel_pt_put_unfound(pt, pt->input.size);
    } else {
        intel_pt_fail(pt, pt->status);
        if (ipt.pt_insn_get_sync_offset(pt->decoder, &offset) >= 0 &&
            offset > pt->synchronised_at) {
            pt->synchronised_at = offset;
            return;
        }
    }
    pt->ended = true;
}

/* Moves what is not later than what was asked for. */
static void intel_pt_deliver(struct intel_pt *pt)
{
    if (pt->now > pt->until || !pt->own.size) return;
    text_append(pt->out, &pt->own);
    pt->own.size = 0;
}

/* An instruction; false: decoding has stopped here. */
static bool intel_pt_step(struct intel_pt *pt)
{
    struct pt_insn insn = {.iclass = ptic_error};
    uint64_t offset = 0;
    while (pt->status >= 0 && pt->status & pts_event_pending) {
        struct pt_event event;
        pt->status = ipt.pt_insn_event(pt->decoder, &event, sizeof event);
        if (pt->status < 0) break;
        intel_pt_reach_event(pt, &event);
        intel_pt_put_event(pt, &event);
        intel_pt_deliver(pt);
    }
    if (pt->status >= 0 && !(pt->status & pts_eos)) {
        pt->status = ipt.pt_insn_next(pt->decoder, &insn, sizeof insn);
        if (pt->status >= 0 && !(pt->status & pts_event_pending)) intel_pt_reach_insn(pt);
        if (insn.iclass != ptic_error) intel_pt_put_insn(pt, &insn);
        ipt.pt_insn_get_offset(pt->decoder, &offset);
        pt->silent = offset == pt->offset ? pt->silent + 1 : 0;
        pt->offset = offset;
        if (pt->silent < MOST_SILENT) return pt->status >= 0;
        intel_pt_put_lost(pt, "a loop without an end");
        pt->status = 0;
        pt->synchronised = false;
        return true;
    }
    return false;
}

void intel_pt_decode(struct intel_pt *pt, uint64_t until, struct text *out, size_t enough)
{
    pt->out = out;
    pt->until = until;
    intel_pt_deliver(pt);
    while (!pt->ended && pt->now <= until && out->size < enough && !out->failed) {
        if (!pt->synchronised) {
            intel_pt_synchronise(pt);
        } else if (!intel_pt_step(pt)) {
            pt->synchronised = false;
            if (pt->status < 0 && pt->status != -pte_eos) intel_pt_fail(pt, pt->status);
        }
        intel_pt_deliver(pt);
    }
    if (!pt->ended || pt->now > until) return;
    intel_pt_resolve(pt, NULL);
    intel_pt_deliver(pt);
}

/* ---- the decoder ---- */

struct intel_pt *intel_pt_open(const struct intel_pt_input *input)
{
    struct intel_pt *pt = calloc(1, sizeof *pt);
    if (!pt) return NULL;
    pt->input = *input;
    struct pt_config config;
    memset(&config, 0, sizeof config);
    config.size = sizeof config;
    config.begin = (uint8_t *)(uintptr_t)input->bytes; /* which it does not write */
    config.end = config.begin + input->size;
    config.cpuid_0x15_eax = input->ctc_bottom;
    config.cpuid_0x15_ebx = input->ctc_top;
    config.mtc_freq = input->mtc_freq;
    if (input->family) {
        config.cpu = (struct pt_cpu){.vendor = pcv_intel,
                                     .family = (uint16_t)input->family,
                                     .model = (uint8_t)input->model,
                                     .stepping = (uint8_t)input->stepping};
        ipt.pt_cpu_errata(&config.errata, &config.cpu);
    }
    pt->decoder = ipt.pt_insn_alloc_decoder(&config);
    if (!pt->decoder ||
        ipt.pt_image_set_callback(ipt.pt_insn_get_image(pt->decoder), intel_pt_find_code, pt) < 0) {
        intel_pt_close(pt);
        return NULL;
    }
    return pt;
}

bool intel_pt_has_ended(const struct intel_pt *pt)
{
    return pt->ended && !pt->waits && !pt->own.size;
}

uint64_t intel_pt_time(const struct intel_pt *pt)
{
    return pt->now;
}

void intel_pt_close(struct intel_pt *pt)
{
    if (!pt) return;
    if (pt->decoder) ipt.pt_insn_free_decoder(pt->decoder);
    text_free(&pt->later);
    text_free(&pt->own);
    free(pt);
}
