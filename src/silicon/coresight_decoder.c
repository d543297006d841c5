/* SPDX-License-Identifier: MIT */
/*
 * coresight_decoder.c: decodes the buffers of a snapshot by libopencsd, one after another.
 *
 * Where a branch leads, and where tracing begins, only a later element of the same source states:
 * what was made since then waits for it, up to a limit, in the order of the buffer.
 */
#include "silicon/coresight_decoder.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <opencsd/c_api/opencsd_c_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/read_at.h"
#include "base/shared_library.h"
#include "base/text.h"
#include "isa/opcode.h"
#include "model/error.h"
#include "silicon/coresight_sync.h"
#include "silicon/range.h"
#include "silicon/snapshot.h"
#include "spoor/record.h"

static struct {
    OPENCSD_FUNCTIONS(SHARED_POINTER)
} opencsd;

enum {
    IDS = SYNC_IDS,       /* of sources in frames */
    BLOCK = 4 << 10,      /* bytes of a buffer that are decoded at once */
    ENOUGH = 64 << 10,    /* bytes of elements after which decoding pauses */
    MOST_WAIT = 16 << 20, /* bytes of elements, without numbers, that wait for a target */
    PIECE = 16 << 10,     /* bytes of code that are read at once */
    TEXT = 160,
};
#define NO_PLACE UINT64_MAX
static const char not_decoded[] = "the rest of the buffer is not decoded";

struct coresight_source {
    const struct snapshot_device *device;
    struct snapshot_device *core; /* NULL: none */
    uint64_t branch, begin;       /* places of elements that wait for an address; NO_PLACE: none */
    uint64_t waits_from;          /* `weight` when they began to */
    uint64_t last;                /* address of the last instruction */
    bool known;                   /* there was one, */
    bool runs;                    /* and no gap after it */
    bool decoded;                 /* in this buffer */
    bool hidden;                  /* code without an image ran since, */
    uint64_t hidden_at;           /* from there on */
    uint8_t number;               /* in the header */
    uint8_t mode;
    uint32_t spaces;
};

/* A range of instructions as it was put: all that its elements depend on.  Few instructions compare
 * two, which is done for each range of a trace. */
struct coresight_range {
    uint64_t begin, end;
    uint64_t last;   /* types and flags of its last instruction, and its instruction set */
    uint64_t source; /* its number, mode and spaces, and RANGE_IS_PUT */
};
#define RANGE_IS_PUT (UINT64_C(1) << 16)

/* What libopencsd states of an element, as far as it is compared where parts join. */
struct coresight_join_element {
    uint64_t index, begin, end, last, number, context[2];
};

/* The elements from a point of synchronisation up to the first range. */
struct coresight_join {
    struct coresight_join_element elements[8];
    size_t count;
    bool whole, failed; /* it has the range; it cannot be one */
};

/* What is decoded of a buffer that is decoded in parts. */
enum coresight_phase {
    PHASE_PART,  /* the elements of a part, */
    PHASE_BEGIN, /* those that its predecessor has, too, */
    PHASE_OTHER, /* nothing of this process */
};

/*
 * The parts of a buffer.  A part begins at a point of synchronisation, with a new tree of decoders,
 * and has the elements after the first range there.  Its predecessor goes on up to and with that
 * range.  Both join if they state the same from the point on: else the predecessor goes on.  So
 * elements depend on the buffer alone, not on how many processes share its parts.
 */
struct coresight_parts {
    unsigned worker, workers; /* 0 of them: a buffer has one part */
    uint64_t size;            /* bytes of a part at least */
    size_t first;             /* part of the first buffer that is decoded here */
    size_t part;              /* that is decoded */
    bool any;                 /* a buffer can be, by another process if not by this one */
    enum coresight_phase phase;
    struct coresight_scan scan;
    struct coresight_sync next; /* where the next part begins, */
    bool has_next;              /* if it does; */
    size_t next_part;           /* and its number */
    struct coresight_join begin, end;
    uint64_t begin_place; /* of elements of PHASE_BEGIN, which are dropped */
    uint64_t cut;         /* place after those of the part, once `end` is whole */
    bool joined;
    bool overflowed; /* tracing did not begin again since: how it does, libopencsd still holds */
    /* The predecessor, while it is seen whether the next part joins: */
    dcd_tree_handle_t before;
    struct coresight_source before_source;
    uint64_t before_offset;
    struct coresight_range *numbered; /* while ranges are put without numbers */
};

struct coresight_decoder {
    struct coresight_parts parts;
    struct coresight_range *ranges; /* by number; NULL: ranges have none */
    struct snapshot *snapshot;
    struct coresight_source *sources;
    size_t source_count;
    struct coresight_source *by_id[IDS];
    size_t buffer; /* that is decoded */
    int file;      /* of it; -1: not open */
    uint64_t offset;
    dcd_tree_handle_t tree;
    bool waits, ended;
    uint64_t weight; /* bytes of all elements, as if none had a number */
    uint8_t block[BLOCK];
    size_t block_at, block_size;
    struct text out;
    size_t out_at;     /* delivered of it */
    uint64_t out_base; /* place of its first byte in the stream */
    /* For a crash: */
    bool inside;      /* libopencsd is called; */
    size_t out_whole; /* elements of `out` that were made until then, or by its last call back, */
    uint64_t from;    /* which was of the bytes from here on, */
    uint64_t given;   /* of those up to here */
};

/* ---- elements ---- */

static void coresight_put_text(struct coresight_decoder *coresight, struct element_other other,
                               const char *text, size_t size)
{
    static const char zeros[8];
    const size_t padded = (size + 7) / 8 * 8;
    other.size = (uint32_t)(sizeof other + padded);
    other.text_size = (uint32_t)size;
    text_put(&coresight->out, &other, sizeof other);
    text_put(&coresight->out, text, size);
    text_put(&coresight->out, zeros, padded - size);
}

static struct element_other element_of(const struct coresight_source *source, int kind)
{
    return (struct element_other){
        .kind = (uint8_t)kind, .source = source->number, .mode = source->mode};
}

static void coresight_put(struct coresight_decoder *coresight, struct element_other other,
                          const char *text)
{
    coresight_put_text(coresight, other, text, strlen(text));
}

/* Comments and damage are of no source. */
static void coresight_comment(struct coresight_decoder *coresight, const char *why)
{
    coresight_put(coresight, element_of(coresight->sources, ELEMENT_COMMENT), why);
}

static void coresight_damage(struct coresight_decoder *coresight, const char *found)
{
    coresight_put(coresight, element_of(coresight->sources, ELEMENT_DAMAGE), found);
}

/* The bytes of an element that is not delivered yet. */
static void *coresight_placed(struct coresight_decoder *coresight, uint64_t place)
{
    return coresight->out.bytes + (place - coresight->out_base);
}

static uint64_t coresight_place(const struct coresight_decoder *coresight)
{
    return coresight->out_base + coresight->out.size;
}

/* Execution of the source goes on at the address: what waits for it is complete. */
static void coresight_resolve(struct coresight_decoder *coresight, struct coresight_source *source,
                              uint64_t address)
{
    if (coresight->out.failed) return;
    if (source->branch != NO_PLACE) {
        void *placed = coresight_placed(coresight, source->branch);
        struct element_branch *branch = placed;
        struct range_again *again = placed;
        if (*(const uint8_t *)placed == RANGE_AGAIN) {
            again->target = address;
            again->flags |= ELEMENT_HAS_TARGET;
        } else {
            branch->target = address;
            branch->flags |= ELEMENT_HAS_TARGET;
        }
    }
    if (source->begin != NO_PLACE) {
        struct element_other *begin = coresight_placed(coresight, source->begin);
        begin->address = address;
        begin->flags |= ELEMENT_HAS_ADDRESS;
    }
    source->branch = source->begin = NO_PLACE;
}

static void coresight_forget(struct coresight_source *source)
{
    source->branch = source->begin = NO_PLACE;
}

/* The bytes that may be delivered: up to the first element that waits. */
static size_t coresight_ready(const struct coresight_decoder *coresight)
{
    const struct coresight_parts *parts = &coresight->parts;
    uint64_t end = coresight_place(coresight);
    if (parts->end.whole && parts->cut < end) end = parts->cut;
    if (parts->phase == PHASE_BEGIN && parts->begin_place < end) end = parts->begin_place;
    for (size_t i = 0; i < coresight->source_count; i++) {
        const struct coresight_source *source = &coresight->sources[i];
        if (source->branch < end) end = source->branch;
        if (source->begin < end) end = source->begin;
    }
    return (size_t)(end - coresight->out_base) - coresight->out_at;
}

/* True if what waits for an address should do so no longer.  This depends on the trace alone, not
 * on which ranges have numbers. */
static bool coresight_waits_long(const struct coresight_decoder *coresight)
{
    uint64_t from = coresight->weight;
    for (size_t i = 0; i < coresight->source_count; i++) {
        const struct coresight_source *source = &coresight->sources[i];
        const bool waits = source->branch != NO_PLACE || source->begin != NO_PLACE;
        if (waits && source->waits_from < from) from = source->waits_from;
    }
    return coresight->weight - from > MOST_WAIT;
}

/* Tracing ends after the last instruction, or where code is hidden. */
static void coresight_put_end(struct coresight_decoder *coresight, struct coresight_source *source,
                              const char *why)
{
    struct element_other end = element_of(source, ELEMENT_END);
    source->branch = NO_PLACE;
    if (source->known) {
        end.address = source->last;
        end.flags = ELEMENT_HAS_ADDRESS;
    }
    if (source->hidden) {
        end.value = source->hidden_at;
        end.flags |= ELEMENT_HAS_VALUE;
    }
    coresight_put(coresight, end, why);
    source->runs = source->hidden = false;
}

static void coresight_put_begin(struct coresight_decoder *coresight,
                                struct coresight_source *source, const char *why)
{
    source->begin = coresight_place(coresight);
    source->waits_from = coresight->weight;
    coresight_put(coresight, element_of(source, ELEMENT_BEGIN), why);
}

static struct element_other coresight_lost(const struct coresight_source *source)
{
    struct element_other lost = element_of(source, ELEMENT_LOST);
    if (source->known) {
        lost.address = source->last;
        lost.flags = ELEMENT_HAS_ADDRESS;
    }
    return lost;
}

static void coresight_put_lost(struct coresight_decoder *coresight, struct coresight_source *source,
                               const char *why)
{
    coresight_forget(source);
    coresight_put(coresight, coresight_lost(source), why);
    source->runs = source->hidden = false;
}

/* ---- instructions ---- */

static uint8_t flow_of_range(const ocsd_generic_trace_elem *element)
{
    unsigned op = SPOOR_FLOW_TYPED;
    if (element->last_i_type == OCSD_INSTR_BR_INDIRECT) op |= SPOOR_FLOW_IS_INDIRECT;
    if (element->last_instr_cond) op |= SPOOR_FLOW_IS_CONDITIONAL;
    switch (element->last_i_subtype) {
    case OCSD_S_INSTR_BR_LINK: op |= SPOOR_FLOW_IS_CALL; break;
    case OCSD_S_INSTR_V8_RET:
    case OCSD_S_INSTR_V8_ERET:
    case OCSD_S_INSTR_V7_IMPLIED_RET: op |= SPOOR_FLOW_IS_RETURN; break;
    default: break;
    }
    if (!element->last_instr_exec) op |= SPOOR_FLOW_NOT_TAKEN;
    return (uint8_t)op;
}

/* True if the instruction is a conditional branch. */
static bool coresight_is_conditional(const struct element_insn *insn)
{
    const unsigned iset = insn->how & ELEMENT_ISET;
    const struct opcode opcode =
        iset == ELEMENT_A64 ? opcode_a64(insn->pc, insn->opcode)
        : iset == ELEMENT_A32
            ? opcode_a32(insn->pc, insn->opcode)
            : opcode_t32(insn->pc, insn->opcode, insn->how & ELEMENT_SHORT ? 2 : 4);
    return opcode.flow == OPCODE_BRANCH && opcode.type & SPOOR_BRANCH_CONDITIONAL;
}

/* Puts the instructions of code that begins at `pc`, of a range that ends with the one at `last`,
 * which may be a branch.  `skips`: ETE states where execution leaves a straight line, so that the
 * conditional branches before the last instruction were not taken. */
static size_t coresight_put_code(struct coresight_decoder *coresight,
                                 const struct element_branch *pattern, uint64_t pc,
                                 const uint8_t *code, size_t size, uint64_t last, bool branches,
                                 bool skips)
{
    const bool is_thumb = (pattern->insn.how & ELEMENT_ISET) == ELEMENT_T32;
    const uint8_t skipped = SPOOR_FLOW_TYPED | SPOOR_FLOW_IS_CONDITIONAL | SPOOR_FLOW_NOT_TAKEN;
    char *at = text_reserve(&coresight->out, size * sizeof(struct element_branch) / 2);
    size_t done = 0;
    if (!at) return size;
    struct element_branch branch = *pattern;
    while (size - done >= 2) {
        uint16_t halves[2] = {0};
        memcpy(halves, code + done, size - done < 4 ? 2 : 4);
        const bool is_short = is_thumb && halves[0] >> 11 < 0x1D;
        if (!is_short && size - done < 4) break; /* the rest is in the next piece */
        branch.insn.how = (uint8_t)(pattern->insn.how | (is_short ? ELEMENT_SHORT : 0));
        branch.insn.pc = pc + done;
        branch.insn.opcode = is_short   ? halves[0]
                             : is_thumb ? (uint32_t)halves[0] << 16 | halves[1]
                                        : (uint32_t)halves[1] << 16 | halves[0];
        done += is_short ? 2 : 4;
        const bool inside = branch.insn.pc != last;
        const bool flows = inside ? skips && coresight_is_conditional(&branch.insn) : branches;
        branch.insn.kind = flows ? ELEMENT_BRANCH : ELEMENT_INSN;
        branch.op = inside ? skipped : pattern->op;
        if (!inside && !branches && pattern->op & SPOOR_FLOW_NOT_TAKEN)
            branch.insn.how = (uint8_t)(branch.insn.how | ELEMENT_SKIPPED);
        at = put_bytes(at, &branch, flows ? sizeof branch : sizeof branch.insn);
    }
    text_commit(&coresight->out, at);
    return done;
}

static struct coresight_range coresight_range_of(const struct coresight_source *source,
                                                 const ocsd_generic_trace_elem *element)
{
    return (struct coresight_range){
        .begin = element->st_addr,
        .end = element->en_addr,
        .last = (uint64_t)element->flag_bits << 32 | (uint32_t)element->last_i_type << 16 |
                (uint32_t)element->last_i_subtype << 8 | (uint32_t)element->isa,
        .source = (uint64_t)source->spaces << 32 | RANGE_IS_PUT | (uint32_t)source->mode << 8 |
                  source->number,
    };
}

/* The number of a range; true: its elements were put, with this number. */
static bool coresight_find_range(const struct coresight_decoder *coresight,
                                 const struct coresight_range *range, uint32_t *number)
{
    /* neighbours in a page of code are neighbours here, and in the cache */
    const uint64_t others = range->begin >> 16 ^ (range->end - range->begin) << 8 ^
                            range->last << 20 ^ range->source << 30;
    *number = (uint32_t)((range->begin >> 2) + (others * UINT64_C(0x9E3779B97F4A7C15) >> 44)) %
              RANGE_NUMBERS;
    const struct coresight_range *kept = &coresight->ranges[*number];
    return kept->begin == range->begin && kept->end == range->end && kept->last == range->last &&
           kept->source == range->source;
}

/* The elements were put after room for a definition: fills that in, or takes it away.  True: the
 * range has a number. */
static bool coresight_define_range(struct coresight_decoder *coresight, size_t at,
                                   const struct coresight_range *range, uint32_t number, bool whole)
{
    struct text *out = &coresight->out;
    struct range_define define = {.kind = RANGE_DEFINE, .number = number};
    if (out->failed) return false;
    define.size = out->size - at - sizeof define;
    if (!whole || define.size > RANGE_MOST || !define.size) {
        memmove(out->bytes + at, out->bytes + at + sizeof define, (size_t)define.size);
        out->size -= sizeof define;
        return false;
    }
    memcpy(out->bytes + at, &define, sizeof define);
    coresight->ranges[number] = *range;
    return true;
}

static bool coresight_is_branch(const ocsd_generic_trace_elem *element)
{
    return element->last_i_type == OCSD_INSTR_BR || element->last_i_type == OCSD_INSTR_BR_INDIRECT;
}

/* Puts the instructions of a range by their code; false: it changed while it was read. */
static bool coresight_put_instructions(struct coresight_decoder *coresight,
                                       const struct coresight_source *source,
                                       const ocsd_generic_trace_elem *element)
{
    uint8_t code[PIECE];
    const struct element_branch pattern = {
        .insn = {.source = source->number,
                 .mode = source->mode,
                 .how = element->isa == ocsd_isa_aarch64 ? ELEMENT_A64
                        : element->isa == ocsd_isa_arm   ? ELEMENT_A32
                                                         : ELEMENT_T32},
        .op = flow_of_range(element)};
    const uint64_t end = element->en_addr, last = end - element->last_instr_sz;
    const bool skips = strncmp(source->device->type, "ETE", 3) == 0;
    for (uint64_t pc = element->st_addr; pc < end;) {
        const size_t wanted = end - pc < PIECE ? (size_t)(end - pc) : PIECE;
        size_t size =
            source->core ? snapshot_read_memory(source->core, pc, source->spaces, code, wanted) : 0;
        if (!size && source->core) /* the world is not always stated */
            size = snapshot_read_memory(source->core, pc, SPACE_ANY, code, wanted);
        const size_t done = coresight_put_code(coresight, &pattern, pc, code, size, last,
                                               coresight_is_branch(element), skips);
        pc += done;
        if (done) continue;
        char text[TEXT];
        snprintf(text, sizeof text, "code at 0x%" PRIx64 " that changed while it was read", pc);
        coresight_damage(coresight, text);
        return false;
    }
    return true;
}

/* Puts the elements of a range, or its number.  The size of what may wait for a target; 0: the
 * elements are not whole. */
static size_t coresight_put_elements(struct coresight_decoder *coresight,
                                     const struct coresight_source *source,
                                     const ocsd_generic_trace_elem *element)
{
    const struct range_define room = {.kind = RANGE_DEFINE};
    struct range_again again = {.kind = RANGE_AGAIN};
    struct text *out = &coresight->out;
    if (!coresight->ranges)
        return coresight_put_instructions(coresight, source, element)
                   ? sizeof(struct element_branch)
                   : 0;
    const struct coresight_range range = coresight_range_of(source, element);
    if (!coresight_find_range(coresight, &range, &again.number)) {
        const size_t at = out->size;
        text_put(out, &room, sizeof room);
        const bool whole = coresight_put_instructions(coresight, source, element);
        if (!coresight_define_range(coresight, at, &range, again.number, whole))
            return whole ? sizeof(struct element_branch) : 0;
    }
    if (out->capacity - out->size < sizeof again && !text_reserve(out, sizeof again)) return 0;
    text_commit(out, put_bytes(out->bytes + out->size, &again, sizeof again));
    return sizeof again;
}

static void coresight_put_range(struct coresight_decoder *coresight,
                                struct coresight_source *source,
                                const ocsd_generic_trace_elem *element)
{
    if (source->hidden) coresight_put_begin(coresight, source, "code is known");
    source->hidden = false;
    coresight_resolve(coresight, source, element->st_addr);
    const size_t waits = coresight_put_elements(coresight, source, element);
    if (element->last_instr_exec && waits && coresight_is_branch(element) &&
        !coresight->out.failed) {
        source->branch = coresight_place(coresight) - waits;
        source->waits_from = coresight->weight;
    }
    source->last = element->en_addr - element->last_instr_sz;
    source->known = source->runs = true;
}

/* ---- other elements ---- */

static const char *unsync_reason(unsync_info_t reason)
{
    switch (reason) {
    case UNSYNC_INIT_DECODER: return "no synchronisation yet: the trace begins";
    case UNSYNC_RESET_DECODER: return "no synchronisation: decoder reset";
    case UNSYNC_OVERFLOW: return "no synchronisation: overflow";
    case UNSYNC_DISCARD: return "no synchronisation: trace discarded";
    case UNSYNC_BAD_PACKET: return "no synchronisation: bad packet";
    case UNSYNC_EOT: return "end of trace";
    default: return "no synchronisation";
    }
}

/* Exceptions by number: ETMv4 and ETE of the A and R profiles (Arm IHI 0064, table of exception
 * types); PTM and ETMv3 (Arm IHI 0035 and 0014). */
static const char *exception_name(const struct coresight_source *source, uint32_t number)
{
    static const char *const newer[] = {"PE reset",   "debug halt", "call",       "trap",
                                        "SError",     "",           "inst debug", "data debug",
                                        "",           "",           "alignment",  "inst fault",
                                        "data fault", "",           "IRQ",        "FIQ"};
    static const char *const older[] = {
        "",         "debug halt", "SMC", "hypervisor",     "async abort", "Jazelle", "",    "",
        "PE reset", "undefined",  "SVC", "prefetch abort", "data fault",  "generic", "IRQ", "FIQ"};
    const char *type = source->device->type, *core = source->core ? source->core->type : "";
    const bool new = strncmp(type, "ETE", 3) == 0 || strncmp(type, "ETM4", 4) == 0;
    const char *const *names = new ? newer : older;
    if (strncmp(core, "Cortex-M", 8) == 0 || number >= sizeof newer / sizeof *newer) return "";
    return names[number];
}

static bool context_has_level(const ocsd_pe_context *context)
{
    return context->el_valid && context->exception_level >= ocsd_EL0 &&
           context->exception_level <= ocsd_EL3 && context->security_level <= ocsd_sec_realm;
}

/* Of A32 and T32, a level does not tell the mode. */
static uint8_t mode_of_context(const ocsd_pe_context *context)
{
    static_assert(ocsd_sec_realm + 1 == ELEMENT_WORLDS, "the order of element_modes");
    if (!context_has_level(context) || !context->bits64) return 0;
    return (uint8_t)(1 + ELEMENT_WORLDS * (int)context->exception_level +
                     (int)context->security_level);
}

static uint32_t spaces_of_context(const ocsd_pe_context *context)
{
    const bool secure = context->security_level == ocsd_sec_secure;
    if (context->security_level > ocsd_sec_nonsecure) return SPACE_ANY;
    if (!context->el_valid) return secure ? SPACE_SECURE : SPACE_NON_SECURE;
    switch (context->exception_level) {
    case ocsd_EL0:
    case ocsd_EL1: return secure ? SPACE_EL1S : SPACE_EL1N;
    case ocsd_EL2: return secure ? SPACE_EL2S : SPACE_EL2N;
    case ocsd_EL3: return SPACE_EL3;
    default: return SPACE_ANY;
    }
}

static void coresight_put_context(struct coresight_decoder *coresight,
                                  struct coresight_source *source,
                                  const ocsd_generic_trace_elem *element)
{
    static const char *const isets[] = {
        [ocsd_isa_arm] = "A32 ", [ocsd_isa_thumb2] = "T32 ", [ocsd_isa_aarch64] = "A64 "};
    static const char *const worlds[] = {[ocsd_sec_secure] = "S",
                                         [ocsd_sec_nonsecure] = "N",
                                         [ocsd_sec_root] = "Root",
                                         [ocsd_sec_realm] = "Realm"};
    const ocsd_pe_context *context = &element->context;
    source->mode = mode_of_context(context);
    source->spaces = spaces_of_context(context);
    struct element_other other = element_of(source, ELEMENT_CONTEXT);
    char text[TEXT], level[8] = "";
    if (context_has_level(context))
        snprintf(level, sizeof level, "EL%d", (int)context->exception_level);
    size_t size = (size_t)snprintf(
        text, sizeof text, "%s%s%s %s-bit",
        element->isa <= ocsd_isa_aarch64 ? isets[element->isa] : "", level,
        context->security_level <= ocsd_sec_realm ? worlds[context->security_level] : "",
        context->bits64 ? "64" : "32");
    if (context->vmid_valid) {
        other.value = context->vmid;
        other.flags |= ELEMENT_HAS_VALUE;
        size +=
            (size_t)snprintf(text + size, sizeof text - size, " VMID=0x%" PRIx32, context->vmid);
    }
    if (context->ctxt_id_valid) {
        other.number = context->context_id;
        other.flags |= ELEMENT_HAS_NUMBER;
        snprintf(text + size, sizeof text - size, " CTXTID=0x%" PRIx32, context->context_id);
    }
    coresight_put(coresight, other, text);
}

static void coresight_put_exception(struct coresight_decoder *coresight,
                                    struct coresight_source *source,
                                    const ocsd_generic_trace_elem *element)
{
    if (element->excep_ret_addr && element->excep_ret_addr_br_tgt)
        coresight_resolve(coresight, source, element->en_addr);
    source->branch = NO_PLACE;
    struct element_other other = element_of(source, ELEMENT_EXCEPTION);
    other.number = element->exception_number;
    other.flags = ELEMENT_HAS_NUMBER;
    if (element->excep_ret_addr) {
        other.address = element->en_addr;
        other.flags |= ELEMENT_HAS_ADDRESS;
    }
    coresight_put(coresight, other, exception_name(source, element->exception_number));
}

static void coresight_put_software(struct coresight_decoder *coresight,
                                   const struct coresight_source *source,
                                   const ocsd_generic_trace_elem *element)
{
    const ocsd_swt_info_t *info = &element->sw_trace_info;
    struct element_other other = element_of(source, ELEMENT_SOFTWARE);
    struct text text = {0};
    size_t size = 0;
    if (element->ptr_extended_data)
        size = ((size_t)info->swt_payload_pkt_bitsize * info->swt_payload_num_packets + 7) / 8;
    if (info->swt_id_valid && !info->swt_global_err) {
        other.number = info->swt_channel_id;
        other.address = info->swt_master_id;
        other.flags = ELEMENT_HAS_NUMBER | ELEMENT_HAS_ADDRESS;
    }
    const uint8_t *bytes = element->ptr_extended_data;
    if (size && size <= sizeof other.value) {
        other.flags |= ELEMENT_HAS_VALUE;
        for (size_t i = size; i-- > 0;) other.value = other.value << 8 | bytes[i];
        if (info->swt_payload_pkt_bitsize < 8) /* of a nibble */
            other.value &= (1U << info->swt_payload_pkt_bitsize) - 1;
    }
    if (size) text_printf(&text, " %u-bit", (unsigned)info->swt_payload_pkt_bitsize);
    if (size && info->swt_payload_num_packets > 1) {
        text_puts(&text, " payload=");
        for (size_t i = 0; i < size; i++) text_printf(&text, "%02x", bytes[i]);
    }
    if (info->swt_marker_packet) text_puts(&text, " marker");
    if (info->swt_master_err) text_puts(&text, " master-error");
    if (info->swt_global_err) text_puts(&text, " global-error");
    if (info->swt_trigger_event) text_puts(&text, " trigger");
    if (info->swt_frequency) text_puts(&text, " frequency");
    if (!text.failed) {
        const size_t skipped = text.size > 0;
        coresight_put_text(coresight, other, skipped ? text.bytes + 1 : "", text.size - skipped);
    }
    coresight->out.failed |= text.failed;
    text_free(&text);
}

static void coresight_put_end_of_range(struct coresight_decoder *coresight,
                                       struct coresight_source *source,
                                       const ocsd_generic_trace_elem *element)
{
    struct element_other end = element_of(source, ELEMENT_END);
    coresight_resolve(coresight, source, element->st_addr);
    end.value = element->st_addr;
    end.flags = ELEMENT_HAS_VALUE;
    if (source->known) {
        end.address = source->last;
        end.flags |= ELEMENT_HAS_ADDRESS;
    }
    const bool hidden = element->elem_type == OCSD_GEN_TRC_ELEM_ADDR_NACC;
    if (!hidden) {
        end.number = element->num_instr_range;
        end.flags |= ELEMENT_HAS_NUMBER;
    }
    coresight_put(coresight, end, hidden ? "code is not known" : "path is not known");
    source->runs = false;
    source->hidden = true;
    source->hidden_at = element->st_addr;
}

static void coresight_put_number(struct coresight_decoder *coresight,
                                 const struct coresight_source *source, int kind, uint32_t number,
                                 bool stated, const char *text)
{
    struct element_other other = element_of(source, kind);
    other.number = number;
    if (stated) other.flags = ELEMENT_HAS_NUMBER;
    coresight_put(coresight, other, text);
}

static void coresight_put_value(struct coresight_decoder *coresight,
                                const struct coresight_source *source, int kind, uint64_t value)
{
    struct element_other other = element_of(source, kind);
    other.value = value;
    other.flags = ELEMENT_HAS_VALUE;
    coresight_put(coresight, other, "");
}

static void coresight_put_element(struct coresight_decoder *coresight,
                                  struct coresight_source *source,
                                  const ocsd_generic_trace_elem *element)
{
    static const char *const transactions[] = {[OCSD_MEM_TRANS_TRACE_INIT] = "inside",
                                               [OCSD_MEM_TRANS_START] = "start",
                                               [OCSD_MEM_TRANS_COMMIT] = "commit",
                                               [OCSD_MEM_TRANS_FAIL] = "fail"};
    switch (element->elem_type) {
    case OCSD_GEN_TRC_ELEM_I_RANGE_NOPATH:
    case OCSD_GEN_TRC_ELEM_ADDR_NACC: coresight_put_end_of_range(coresight, source, element); break;
    case OCSD_GEN_TRC_ELEM_NO_SYNC:
        coresight->parts.overflowed = element->unsync_eot_info == UNSYNC_OVERFLOW;
        if (element->unsync_eot_info == UNSYNC_INIT_DECODER)
            coresight_put(coresight, element_of(source, ELEMENT_STATE),
                          unsync_reason(element->unsync_eot_info));
        else
            coresight_put_lost(coresight, source, unsync_reason(element->unsync_eot_info));
        break;
    case OCSD_GEN_TRC_ELEM_TRACE_ON:
        coresight->parts.overflowed = false;
        if (element->trace_on_reason == TRACE_ON_OVERFLOW) {
            coresight_put_lost(coresight, source, "overflow");
            break;
        }
        if (source->runs) coresight_put_end(coresight, source, "until tracing begins again");
        source->hidden = false;
        coresight_put_begin(coresight, source,
                            element->trace_on_reason == TRACE_ON_EX_DEBUG ? "after debug state"
                                                                          : "begin or filter");
        break;
    case OCSD_GEN_TRC_ELEM_EO_TRACE:
        coresight_forget(source);
        coresight_put_end(coresight, source, "end of trace");
        break;
    case OCSD_GEN_TRC_ELEM_PE_CONTEXT: coresight_put_context(coresight, source, element); break;
    case OCSD_GEN_TRC_ELEM_ADDR_UNKNOWN:
        coresight_put_lost(coresight, source, "address is not known");
        break;
    case OCSD_GEN_TRC_ELEM_EXCEPTION: coresight_put_exception(coresight, source, element); break;
    case OCSD_GEN_TRC_ELEM_EXCEPTION_RET:
        coresight_put(coresight, element_of(source, ELEMENT_RETURN), "");
        break;
    case OCSD_GEN_TRC_ELEM_TIMESTAMP:
        coresight_put_value(coresight, source, ELEMENT_TIMESTAMP, element->timestamp);
        break;
    case OCSD_GEN_TRC_ELEM_CYCLE_COUNT: break; /* coresight_consume() */
    case OCSD_GEN_TRC_ELEM_EVENT:
        coresight_put_number(coresight, source, ELEMENT_EVENT, element->trace_event.ev_number,
                             element->trace_event.ev_type == EVENT_NUMBERED,
                             element->trace_event.ev_type == EVENT_TRIGGER    ? "trigger"
                             : element->trace_event.ev_type == EVENT_NUMBERED ? "numbered"
                                                                              : "");
        break;
    case OCSD_GEN_TRC_ELEM_SWTRACE: coresight_put_software(coresight, source, element); break;
    case OCSD_GEN_TRC_ELEM_SYNC_MARKER:
        coresight_put_number(coresight, source, ELEMENT_MARKER, element->sync_marker.value, true,
                             "timestamp");
        break;
    case OCSD_GEN_TRC_ELEM_MEMTRANS:
        if (element->mem_trans <= OCSD_MEM_TRANS_FAIL)
            coresight_put(coresight, element_of(source, ELEMENT_TRANSACTION),
                          transactions[element->mem_trans]);
        break;
    default:
        coresight_put_number(coresight, source, ELEMENT_STATE, (uint32_t)element->elem_type, true,
                             "an element that spoor does not know");
        break;
    }
}

/* ---- where parts join ---- */

static uint64_t coresight_context_word(const ocsd_pe_context *context)
{
    return (uint64_t)context->exception_level << 32 | (uint64_t)context->security_level << 8 |
           (uint64_t)context->bits64 << 3 | (uint64_t)context->ctxt_id_valid << 2 |
           (uint64_t)context->vmid_valid << 1 | context->el_valid;
}

static void coresight_join_add(struct coresight_join *join, uint64_t index,
                               const ocsd_generic_trace_elem *element)
{
    if (join->whole || join->failed) return;
    struct coresight_join_element own = {.index = index,
                                         .last = (uint32_t)element->elem_type << 8 |
                                                 (uint32_t)element->isa,
                                         .number = element->has_cc ? element->cycle_count : 0};
    switch (element->elem_type) {
    case OCSD_GEN_TRC_ELEM_INSTR_RANGE:
        own.begin = element->st_addr;
        own.end = element->en_addr;
        own.last |= (uint64_t)element->flag_bits << 32;
        own.context[0] = (uint64_t)element->last_i_type << 32 | (uint32_t)element->last_i_subtype;
        /* what comes before a first context is of another part of the trace; of T32, the
         * conditions of an IT block are not in the range */
        join->failed = join->count == 0 || element->isa != ocsd_isa_aarch64;
        join->whole = !join->failed;
        break;
    case OCSD_GEN_TRC_ELEM_PE_CONTEXT:
        own.context[0] = coresight_context_word(&element->context);
        if (element->context.ctxt_id_valid) /* else it is not set */
            own.context[1] = (uint64_t)element->context.context_id << 32;
        if (element->context.vmid_valid) own.context[1] |= element->context.vmid;
        break;
    case OCSD_GEN_TRC_ELEM_TIMESTAMP: own.begin = element->timestamp; break;
    case OCSD_GEN_TRC_ELEM_CYCLE_COUNT: break;
    default: join->failed = true; break;
    }
    const bool first = join->count == 0;
    join->failed |= first != (element->elem_type == OCSD_GEN_TRC_ELEM_PE_CONTEXT);
    join->failed |= join->count == sizeof join->elements / sizeof *join->elements;
    join->whole &= !join->failed;
    if (!join->failed) join->elements[join->count++] = own;
}

static bool coresight_join_is_same(const struct coresight_join *one,
                                   const struct coresight_join *other)
{
    static_assert(sizeof(struct coresight_join_element) == 7 * sizeof(uint64_t), "no padding");
    return one->whole && other->whole && one->count == other->count &&
           memcmp(one->elements, other->elements, one->count * sizeof *one->elements) == 0;
}

/* Drops what was made from a place on. */
static void coresight_drop(struct coresight_decoder *coresight, uint64_t place)
{
    struct text *out = &coresight->out;
    if (!out->failed) out->size = (size_t)(place - coresight->out_base);
    for (size_t i = 0; i < coresight->source_count; i++) {
        struct coresight_source *source = &coresight->sources[i];
        if (source->branch != NO_PLACE && source->branch >= place) source->branch = NO_PLACE;
        if (source->begin != NO_PLACE && source->begin >= place) source->begin = NO_PLACE;
    }
}

/* Elements that may be dropped define no numbers. */
static void coresight_pause_numbers(struct coresight_decoder *coresight)
{
    if (!coresight->parts.numbered) coresight->parts.numbered = coresight->ranges;
    coresight->ranges = NULL;
}

static void coresight_resume_numbers(struct coresight_decoder *coresight)
{
    if (coresight->parts.numbered) coresight->ranges = coresight->parts.numbered;
    coresight->parts.numbered = NULL;
}

static void coresight_put_part(struct coresight_decoder *coresight, int kind, size_t part)
{
    const struct range_part message = {
        .kind = (uint8_t)kind, .part = (uint32_t)part, .buffer = coresight->buffer};
    if (coresight->parts.workers) text_put(&coresight->out, &message, sizeof message);
}

static bool coresight_is_own(const struct coresight_parts *parts, size_t buffer, size_t part)
{
    return !parts->workers || (buffer + part) % parts->workers == parts->worker;
}

/* The first range of a part was put, with the state that it leaves behind: it is that of the
 * predecessor, which has its elements.  The part goes on from there. */
static void coresight_begin_part(struct coresight_decoder *coresight)
{
    struct coresight_parts *parts = &coresight->parts;
    uint64_t place = parts->begin_place;
    bool own = true;
    if (parts->before) {
        parts->joined = coresight_join_is_same(&parts->begin, &parts->end);
        if (!parts->joined) return;
        place = parts->cut;
        own = coresight_is_own(parts, coresight->buffer, parts->next_part);
    }
    coresight_drop(coresight, place);
    if (parts->before) {
        coresight_put_part(coresight, RANGE_PART_END, parts->next_part);
        if (own) coresight_put_part(coresight, RANGE_PART_BEGIN, parts->next_part);
        parts->part = parts->next_part;
    }
    parts->end = (struct coresight_join){.count = 0};
    parts->has_next = false;
    parts->phase = own ? PHASE_PART : PHASE_OTHER;
    coresight_resume_numbers(coresight);
}

/* Adds an element to what is compared where parts join. */
static void coresight_compare_parts(struct coresight_decoder *coresight, uint64_t index,
                                    const ocsd_generic_trace_elem *element)
{
    struct coresight_parts *parts = &coresight->parts;
    if (parts->phase == PHASE_BEGIN) {
        const bool unsynced = element->elem_type == OCSD_GEN_TRC_ELEM_NO_SYNC &&
                              element->unsync_eot_info == UNSYNC_INIT_DECODER;
        if (!unsynced || parts->begin.count) coresight_join_add(&parts->begin, index, element);
        if (parts->begin.whole) coresight_begin_part(coresight);
        if (parts->begin.failed || (parts->begin.whole && parts->phase == PHASE_BEGIN))
            parts->phase = PHASE_OTHER;
    } else if (parts->has_next && !parts->end.whole && index >= parts->next.offset) {
        coresight_join_add(&parts->end, index, element);
        if (parts->overflowed) parts->end = (struct coresight_join){.failed = true};
        if (!parts->end.whole) return;
        parts->cut = coresight_place(coresight);
        coresight_pause_numbers(coresight);
    }
}

static ocsd_datapath_resp_t coresight_consume(const void *context, const ocsd_trc_index_t index,
                                              const uint8_t id,
                                              const ocsd_generic_trace_elem *element)
{
    struct coresight_decoder *coresight;
    memcpy(&coresight, &context, sizeof coresight); /* which is not const */
    struct coresight_source *source = coresight->by_id[id % IDS];
    if (source && coresight->parts.phase != PHASE_OTHER) {
        const bool is_range = element->elem_type == OCSD_GEN_TRC_ELEM_INSTR_RANGE;
        coresight->weight += sizeof(struct element_branch);
        if (is_range) coresight->weight += element->num_instr_range * sizeof(struct element_insn);
        if (is_range)
            coresight_put_range(coresight, source, element);
        else
            coresight_put_element(coresight, source, element);
        if (element->has_cc)
            coresight_put_value(coresight, source, ELEMENT_CYCLES, element->cycle_count);
        if (element->elem_type == OCSD_GEN_TRC_ELEM_SWTRACE && element->has_ts)
            coresight_put_value(coresight, source, ELEMENT_TIMESTAMP, element->timestamp);
        if (coresight->parts.has_next || coresight->parts.phase == PHASE_BEGIN)
            coresight_compare_parts(coresight, index, element);
    }
    coresight->out_whole = coresight->out.size;
    coresight->from = index;
    const size_t made = coresight->out.size - coresight->out_at;
    const bool pauses =
        made >= ENOUGH && (coresight_waits_long(coresight) || coresight_ready(coresight) >= ENOUGH);
    return pauses ? OCSD_RESP_WAIT : OCSD_RESP_CONT;
}

static uint32_t coresight_find_code(const void *context, const ocsd_vaddr_t address,
                                    const ocsd_mem_space_acc_t space, const uint8_t id,
                                    const uint32_t size, uint8_t *bytes)
{
    const struct coresight_decoder *coresight = context;
    const struct coresight_source *source = coresight->by_id[id % IDS];
    if (!source || !source->core) return 0;
    return (uint32_t)snapshot_read_memory(source->core, address, (uint32_t)space, bytes, size);
}

/* ---- sources ---- */

/* Architecture and profile of a core by its type; false: libopencsd cannot decode its code. */
static bool coresight_find_core(const char *type, ocsd_arch_version_t *arch,
                                ocsd_core_profile_t *profile)
{
    static const struct {
        const char *types; /* between spaces */
        ocsd_arch_version_t arch;
        ocsd_core_profile_t profile;
    } cores[] = {
        {" A5 A7 A8 A9 A12 A15 A17 ", ARCH_V7, profile_CortexA},
        {" A32 A34 A35 A53 A57 A72 A73 A78 ", ARCH_V8, profile_CortexA},
        {" A55 A65 A75 A76 A77 ", ARCH_V8r3, profile_CortexA},
        {" A510 A520 A710 A715 A720 X1 X2 X3 X4 ", ARCH_AA64, profile_CortexA},
        {" R4 R5 R7 R8 ", ARCH_V7, profile_CortexR},
        {" R52 ", ARCH_V8, profile_CortexR},
        {" M0 M0+ M1 M3 M4 M7 ", ARCH_V7, profile_CortexM},
        {" M23 M33 ", ARCH_V8, profile_CortexM},
    };
    static const char cortex[] = "Cortex-", armv[] = "ARMv";
    char word[16];
    if (strncmp(type, cortex, sizeof cortex - 1) == 0 && !strchr(type, ' ')) {
        snprintf(word, sizeof word, " %.12s ", type + sizeof cortex - 1);
        for (size_t i = 0; i < sizeof cores / sizeof *cores; i++)
            if (strstr(cores[i].types, word)) {
                *arch = cores[i].arch;
                *profile = cores[i].profile;
                return true;
            }
        return false;
    }
    const char *at = NULL;
    *profile = profile_CortexA;
    if (strncmp(type, "ARM-AA64", 8) == 0 || strncmp(type, "ARM-aa64", 8) == 0) {
        *arch = ARCH_AA64;
        at = type + 8;
    } else if (strncmp(type, armv, sizeof armv - 1) == 0) {
        char *end;
        const unsigned long major = strtoul(type + sizeof armv - 1, &end, 10);
        const unsigned long minor = *end == '.' ? strtoul(end + 1, &end, 10) : 0;
        *arch = major == 7 ? ARCH_V7 : major == 8 && minor < 3 ? ARCH_V8 : ARCH_AA64;
        if (major == 8 && minor == 3) *arch = ARCH_V8r3;
        if (major < 7 || *end != '-') return false;
        at = end;
    }
    if (!at || (*at && (*at != '-' || strlen(at) < 2))) return false;
    if (*at && at[1] == 'R') *profile = profile_CortexR;
    if (*at && at[1] == 'M') *profile = profile_CortexM;
    /* Of ARMv8.1-M, loops and branch futures are not decoded. */
    return !(*profile == profile_CortexM && *arch == ARCH_AA64) &&
           !(*profile == profile_CortexM && strncmp(type, "ARMv8.", 6) == 0 && type[6] != '0');
}

/* Registers of a source: `name` is stated, or has a default; NULL: all were found, else the one
 * that is missing. */
struct coresight_register {
    const char *name;
    uint32_t *value;
    bool optional;
    uint32_t otherwise;
};
static const char *coresight_find_registers(const struct snapshot_device *device,
                                            const struct coresight_register *registers)
{
    for (; registers->name; registers++) {
        *registers->value = registers->otherwise;
        if (!snapshot_register(device, registers->name, registers->value) && !registers->optional)
            return registers->name;
    }
    return NULL;
}

/* What a source writes. */
struct coresight_protocol {
    const char *decoder; /* NULL: libopencsd does not decode it */
    const char *missing; /* register; NULL: none */
    union {
        ocsd_etmv3_cfg etm3;
        ocsd_ptm_cfg ptm;
        ocsd_etmv4_cfg etm4;
        ocsd_ete_cfg ete;
        ocsd_stm_cfg stm;
    } as;
};

/* False: the code of its core is not decoded. */
static bool coresight_configure(struct coresight_protocol *protocol,
                                const struct snapshot_device *device, const char *core)
{
    const char *type = device->type;
    ocsd_arch_version_t arch = ARCH_UNKNOWN;
    ocsd_core_profile_t profile = profile_Unknown;
    const bool known = coresight_find_core(core, &arch, &profile);
    *protocol = (struct coresight_protocol){.decoder = NULL};
    enum { DEFAULT_IDR1 = 0x4100F403, DEFAULT_DEVARCH = 0x47705A13 };
    if (strncmp(type, "ETM4", 4) == 0) {
        ocsd_etmv4_cfg *etm = &protocol->as.etm4;
        *etm = (ocsd_etmv4_cfg){.arch_ver = arch, .core_prof = profile};
        const struct coresight_register registers[] = {
            {"TRCCONFIGR", &etm->reg_configr, false, 0},
            {"TRCTRACEIDR", &etm->reg_traceidr, false, 0},
            {"TRCIDR0", &etm->reg_idr0, false, 0},
            {"TRCIDR1", &etm->reg_idr1, true, DEFAULT_IDR1},
            {"TRCIDR2", &etm->reg_idr2, false, 0},
            {"TRCIDR8", &etm->reg_idr8, true, 0},
            {"TRCIDR9", &etm->reg_idr9, true, 0},
            {"TRCIDR10", &etm->reg_idr10, true, 0},
            {"TRCIDR11", &etm->reg_idr11, true, 0},
            {"TRCIDR12", &etm->reg_idr12, true, 0},
            {"TRCIDR13", &etm->reg_idr13, true, 0},
            {NULL, NULL, false, 0}};
        protocol->decoder = OCSD_BUILTIN_DCD_ETMV4I;
        protocol->missing = coresight_find_registers(device, registers);
    } else if (strncmp(type, "ETE", 3) == 0) {
        ocsd_ete_cfg *ete = &protocol->as.ete;
        *ete = (ocsd_ete_cfg){.arch_ver = arch, .core_prof = profile};
        const struct coresight_register registers[] = {
            {"TRCCONFIGR", &ete->reg_configr, false, 0},
            {"TRCTRACEIDR", &ete->reg_traceidr, false, 0},
            {"TRCIDR0", &ete->reg_idr0, false, 0},
            {"TRCIDR1", &ete->reg_idr1, true, DEFAULT_IDR1},
            {"TRCIDR2", &ete->reg_idr2, false, 0},
            {"TRCIDR8", &ete->reg_idr8, true, 0},
            {"TRCDEVARCH", &ete->reg_devarch, true, DEFAULT_DEVARCH},
            {NULL, NULL, false, 0}};
        protocol->decoder = OCSD_BUILTIN_DCD_ETE;
        protocol->missing = coresight_find_registers(device, registers);
    } else if (strncmp(type, "ETM3", 4) == 0) {
        ocsd_etmv3_cfg *etm = &protocol->as.etm3;
        *etm = (ocsd_etmv3_cfg){.arch_ver = arch, .core_prof = profile};
        const struct coresight_register registers[] = {{"ETMIDR", &etm->reg_idr, false, 0},
                                                       {"ETMCR", &etm->reg_ctrl, false, 0},
                                                       {"ETMCCER", &etm->reg_ccer, false, 0},
                                                       {"ETMTRACEIDR", &etm->reg_trc_id, false, 0},
                                                       {NULL, NULL, false, 0}};
        protocol->decoder = OCSD_BUILTIN_DCD_ETMV3;
        protocol->missing = coresight_find_registers(device, registers);
    } else if (strncmp(type, "PTM", 3) == 0 || strncmp(type, "PFT", 3) == 0) {
        ocsd_ptm_cfg *ptm = &protocol->as.ptm;
        *ptm = (ocsd_ptm_cfg){.arch_ver = arch, .core_prof = profile};
        const struct coresight_register registers[] = {{"ETMIDR", &ptm->reg_idr, false, 0},
                                                       {"ETMCR", &ptm->reg_ctrl, false, 0},
                                                       {"ETMCCER", &ptm->reg_ccer, false, 0},
                                                       {"ETMTRACEIDR", &ptm->reg_trc_id, false, 0},
                                                       {NULL, NULL, false, 0}};
        protocol->decoder = OCSD_BUILTIN_DCD_PTM;
        protocol->missing = coresight_find_registers(device, registers);
    } else if (strncmp(type, "STM", 3) == 0) {
        ocsd_stm_cfg *stm = &protocol->as.stm;
        *stm = (ocsd_stm_cfg){.hw_event = HwEvent_Unknown_Disabled};
        const struct coresight_register registers[] = {
            {"STMTCSR", &stm->reg_tcsr, false, 0},
            {"STMSPFEAT3R", &stm->reg_feat3r, true, 0x10000}, /* channels, */
            {"STMDEVID", &stm->reg_devid, true, 0xFF},        /* masters: all there may be */
            {NULL, NULL, false, 0}};
        protocol->decoder = OCSD_BUILTIN_DCD_STM;
        protocol->missing = coresight_find_registers(device, registers);
        return true;
    }
    return !protocol->decoder || known;
}

/* ---- buffers ---- */

static void coresight_enter(struct coresight_decoder *coresight)
{
    coresight->inside = true;
    coresight->out_whole = coresight->out.size;
}

/* Says in `why` that a source is not decoded. */
static bool coresight_add_source(struct coresight_decoder *coresight,
                                 struct coresight_source *source, char why[TEXT])
{
    struct coresight_protocol protocol;
    const struct snapshot_device *device = source->device;
    const char *core = source->core ? source->core->type : "";
    unsigned char id = 0;
    const bool good = coresight_configure(&protocol, device, core);
    if (!protocol.decoder) {
        snprintf(why, TEXT,
                 "source %.40s is of the type '%.20s', which libopencsd %.10s does not "
                 "decode",
                 device->name, device->type, opencsd.ocsd_get_version_str());
        return false;
    }
    if (!good) {
        snprintf(why, TEXT,
                 "source %.40s is of a core of the type '%.20s', which libopencsd %.10s "
                 "does not decode",
                 device->name, core, opencsd.ocsd_get_version_str());
        return false;
    }
    if (protocol.missing) {
        snprintf(why, TEXT, "source %.40s has no register %s, without which it is not decoded",
                 device->name, protocol.missing);
        return false;
    }
    const ocsd_err_t made = opencsd.ocsd_dt_create_decoder(
        coresight->tree, protocol.decoder, OCSD_CREATE_FLG_FULL_DECODER, &protocol.as, &id);
    if (made != OCSD_OK) {
        snprintf(why, TEXT,
                 "source %.40s is not decoded: libopencsd %.10s refuses its registers "
                 "(error %d)",
                 device->name, opencsd.ocsd_get_version_str(), (int)made);
        return false;
    }
    coresight->by_id[id % IDS] = source;
    source->decoded = true;
    return true;
}

/* Makes the decoders of a buffer; `why`: the reason why a source has none, of which comments say
 * it.  Returns how many there are, SIZE_MAX if memory runs out. */
static size_t coresight_make_tree(struct coresight_decoder *coresight, char why[TEXT])
{
    const struct snapshot_buffer *buffer = &coresight->snapshot->buffers[coresight->buffer];
    static const uint32_t framing[] = {[SNAPSHOT_RAW] = 0,
                                       [SNAPSHOT_FRAMES] = OCSD_DFRMTR_FRAME_MEM_ALIGN,
                                       [SNAPSHOT_SYNCED] = OCSD_DFRMTR_HAS_FSYNCS};
    const bool raw = buffer->format == SNAPSHOT_RAW;
    size_t decoded = 0;
    memset(coresight->by_id, 0, sizeof coresight->by_id);
    coresight_enter(coresight);
    coresight->tree = opencsd.ocsd_create_dcd_tree(
        raw ? OCSD_TRC_SRC_SINGLE : OCSD_TRC_SRC_FRAME_FORMATTED, framing[buffer->format]);
    bool failed = !coresight->tree;
    for (size_t i = 0; i < buffer->source_count && !failed; i++) {
        const struct snapshot_device *device = &coresight->snapshot->devices[buffer->sources[i]];
        struct coresight_source *source = NULL;
        for (size_t k = 0; k < coresight->source_count && !source; k++)
            if (coresight->sources[k].device == device) source = &coresight->sources[k];
        bool good = false;
        if (!source)
            snprintf(why, TEXT, "source %.40s is not decoded: there are more than %d", device->name,
                     (int)ELEMENT_SOURCES);
        else if (raw && decoded)
            snprintf(why, TEXT, "source %.40s is not decoded: %.40s has the bytes of another",
                     device->name, buffer->name);
        else
            good = coresight_add_source(coresight, source, why);
        if (good)
            decoded++;
        else
            coresight_comment(coresight, why);
    }
    if (!failed && decoded)
        failed = opencsd.ocsd_dt_set_gen_elem_outfn(coresight->tree, coresight_consume,
                                                    coresight) != OCSD_OK ||
                 opencsd.ocsd_dt_add_callback_trcid_mem_acc(coresight->tree, 0, UINT64_MAX,
                                                            OCSD_MEM_SPACE_ANY, coresight_find_code,
                                                            coresight) != OCSD_OK;
    coresight->inside = false;
    return failed ? SIZE_MAX : decoded;
}

/* Opens the next buffer.  SPOOR_END: none of its sources is decoded, which comments and `error`
 * say. */
static enum spoor_status coresight_open_buffer(struct coresight_decoder *coresight,
                                               struct spoor_error *error)
{
    const struct snapshot_buffer *buffer = &coresight->snapshot->buffers[coresight->buffer];
    char why[TEXT] = "no source wrote it";
    coresight->file = buffer->read ? -1 : open(buffer->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (coresight->file < 0 && !buffer->read)
        return spoor_error_system(error, SPOOR_EINPUT, "%s: cannot be opened", buffer->path);
    coresight->offset = coresight->from = coresight->given = 0;
    coresight->waits = coresight->ended = false;
    coresight->block_at = coresight->block_size = 0;
    if (buffer->unknown) {
        snprintf(why, sizeof why,
                 "source %.40s is not decoded: no file of the snapshot describes it",
                 buffer->unknown);
        coresight_comment(coresight, why);
    }
    const size_t decoded = coresight_make_tree(coresight, why);
    if (decoded == SIZE_MAX) return error_no_memory_while(error, buffer->path, "decoding");
    if (decoded) return SPOOR_OK;
    spoor_error_set(error, SPOOR_EINPUT, "%s: %s", buffer->path, why);
    return SPOOR_END;
}

static void coresight_destroy_tree(dcd_tree_handle_t *tree)
{
    /* what was made of it is whole: a crash is none of the buffer */
    if (*tree) opencsd.ocsd_destroy_dcd_tree(*tree);
    *tree = NULL;
}

static void coresight_reset_source(struct coresight_source *source)
{
    coresight_forget(source);
    source->runs = source->hidden = source->known = false;
    source->mode = 0;
    source->spaces = SPACE_ANY;
}

static void coresight_close_buffer(struct coresight_decoder *coresight)
{
    coresight_destroy_tree(&coresight->tree);
    coresight_destroy_tree(&coresight->parts.before);
    if (coresight->file >= 0) close(coresight->file);
    coresight->file = -1;
    for (size_t i = 0; i < coresight->source_count; i++) {
        coresight_reset_source(&coresight->sources[i]);
        coresight->sources[i].decoded = false;
    }
}

/* ---- the parts of a buffer ---- */

static size_t coresight_read_buffer(void *context, uint64_t offset, void *to, size_t size)
{
    const struct coresight_decoder *coresight = context;
    return read_at(coresight->file, offset, to, size);
}

/* True of a source whose decoder depends on nothing before a point of synchronisation
 * (coresight_sync.h): an ETMv4 without speculation, return stack, conditional instructions and
 * Q elements. */
static bool coresight_source_syncs(const struct coresight_source *source)
{
    enum { BRANCHES = 1 << 3, CYCLES = 1 << 4, CONTEXT = 1 << 6, VMID = 1 << 7, TIME = 1 << 11 };
    const uint32_t allowed = 1 | BRANCHES | CYCLES | CONTEXT | VMID | TIME;
    uint32_t config = UINT32_MAX, speculation = 0;
    snapshot_register(source->device, "TRCCONFIGR", &config);
    snapshot_register(source->device, "TRCIDR8", &speculation);
    return strncmp(source->device->type, "ETM4", 4) == 0 && !(config & ~allowed) && !speculation;
}

/* Finds where the part after a point may end. */
static void coresight_find_next(struct coresight_decoder *coresight, uint64_t from)
{
    struct coresight_parts *parts = &coresight->parts;
    parts->end = (struct coresight_join){.count = 0};
    parts->has_next = parts->workers && !parts->scan.several &&
                      coresight_scan_next(&parts->scan, from + parts->size, &parts->next);
    parts->next_part++;
}

static void coresight_begin_scan(struct coresight_decoder *coresight)
{
    struct coresight_parts *parts = &coresight->parts;
    const struct snapshot_buffer *buffer = &coresight->snapshot->buffers[coresight->buffer];
    parts->scan.read = coresight_read_buffer;
    parts->scan.context = coresight;
    coresight_scan_begin(&parts->scan);
    parts->scan.several = buffer->format != SNAPSHOT_FRAMES || buffer->read;
    for (size_t i = 0; i < IDS; i++) {
        const struct coresight_source *source = coresight->by_id[i];
        parts->scan.decoded[i] = source;
        parts->scan.several |= source && !coresight_source_syncs(source);
    }
    parts->part = parts->next_part = 0;
    parts->phase = PHASE_PART;
    coresight_find_next(coresight, 0);
}

/* Begins with a new tree at the next point.  False: memory ran out. */
static bool coresight_begin_at(struct coresight_decoder *coresight)
{
    struct coresight_parts *parts = &coresight->parts;
    char why[TEXT];
    const size_t made = coresight->out.size, decoded = coresight_make_tree(coresight, why);
    if (!coresight->out.failed) coresight->out.size = made; /* comments were said before */
    if (decoded == SIZE_MAX) return false;
    for (size_t i = 0; i < coresight->source_count; i++)
        coresight_reset_source(&coresight->sources[i]);
    /* a frame with nothing but the trace id that is in force */
    enum { LAST_ID = SYNC_FRAME - 2 };
    memset(coresight->block, 0, SYNC_FRAME);
    coresight->block[0] = 1; /* to no source */
    coresight->block[LAST_ID] = (uint8_t)(parts->next.frame_id << 1 | 1);
    coresight->block_at = 0;
    coresight->block_size = SYNC_FRAME;
    coresight->offset = parts->next.frame - SYNC_FRAME;
    coresight->waits = coresight->ended = false;
    parts->begin = (struct coresight_join){.count = 0};
    parts->begin_place = coresight_place(coresight);
    parts->joined = parts->overflowed = false;
    parts->phase = PHASE_BEGIN;
    coresight_pause_numbers(coresight);
    return true;
}

/* Goes on to the next part of the buffer that is decoded here.  False: there is none. */
static bool coresight_seek_part(struct coresight_decoder *coresight, enum spoor_status *status,
                                struct spoor_error *error)
{
    struct coresight_parts *parts = &coresight->parts;
    while (parts->has_next && (parts->next_part < parts->first ||
                               !coresight_is_own(parts, coresight->buffer, parts->next_part)))
        coresight_find_next(coresight, parts->next.frame);
    if (!parts->has_next) return false;
    parts->part = parts->next_part;
    coresight_put_part(coresight, RANGE_PART_BEGIN, parts->part);
    if (coresight_begin_at(coresight)) return true;
    *status = error_no_memory_while(error, coresight->snapshot->list_path, "decoding");
    return true;
}

/* The part ends where the next point is: sees whether that joins. */
static bool coresight_try_join(struct coresight_decoder *coresight)
{
    struct coresight_parts *parts = &coresight->parts;
    parts->before = coresight->tree;
    parts->before_offset = coresight->offset;
    parts->before_source = *coresight->by_id[parts->scan.source];
    return coresight_begin_at(coresight);
}

/* What is done after each step.  True: nothing of the buffer is left to this process. */
static bool coresight_after_step(struct coresight_decoder *coresight, enum spoor_status *status,
                                 struct spoor_error *error)
{
    struct coresight_parts *parts = &coresight->parts;
    if (coresight->waits || coresight->block_at < coresight->block_size) return false;
    if (parts->before) {
        const bool tries = parts->phase == PHASE_BEGIN && !coresight->ended &&
                           coresight->offset < parts->before_offset;
        if (tries) return false;
        if (parts->joined) {
            coresight_destroy_tree(&parts->before);
            const uint64_t from = parts->next.frame;
            if (parts->phase == PHASE_PART) {
                coresight_find_next(coresight, from);
                return false;
            }
            coresight_destroy_tree(&coresight->tree);
            coresight_find_next(coresight, from);
            return !coresight_seek_part(coresight, status, error);
        }
        /* the predecessor goes on */
        coresight_drop(coresight, parts->begin_place);
        coresight_destroy_tree(&coresight->tree);
        coresight->tree = parts->before;
        parts->before = NULL;
        *coresight->by_id[parts->scan.source] = parts->before_source;
        coresight->offset = parts->before_offset;
        coresight->ended = false;
        parts->phase = PHASE_PART;
        coresight_resume_numbers(coresight);
        coresight_find_next(coresight, parts->next.frame);
    } else if (parts->phase == PHASE_OTHER || (parts->phase == PHASE_BEGIN && coresight->ended)) {
        /* a point at which decoding does not begin */
        coresight_drop(coresight, parts->begin_place);
        coresight_destroy_tree(&coresight->tree);
        coresight_resume_numbers(coresight);
        coresight_find_next(coresight, parts->next.frame);
        return !coresight_seek_part(coresight, status, error);
    } else if (parts->phase == PHASE_PART && !parts->has_next && !parts->end.count) {
        if (parts->part == parts->next_part) coresight_find_next(coresight, parts->next.frame);
    } else if (parts->has_next && parts->end.failed) {
        coresight_find_next(coresight, parts->next.frame);
    } else if (parts->end.whole && !coresight->ended) {
        const uint64_t branch = coresight->by_id[parts->scan.source]->branch;
        if (branch >= parts->cut && !coresight_try_join(coresight))
            *status = error_no_memory_while(error, coresight->snapshot->list_path, "decoding");
    }
    return false;
}

/* Nothing of the buffer is left; `ends`: its last part was decoded. */
static void coresight_end_buffer(struct coresight_decoder *coresight, bool ends)
{
    struct coresight_parts *parts = &coresight->parts;
    if (ends) coresight_put_part(coresight, RANGE_PART_END, 0);
    parts->end = (struct coresight_join){.count = 0};
    parts->has_next = false;
    parts->phase = PHASE_PART;
    parts->first = 0;
    coresight_resume_numbers(coresight);
    coresight_close_buffer(coresight);
    coresight->buffer++;
}

/* The bytes that are decoded at once: near a point, a frame. */
static size_t coresight_block(const struct coresight_decoder *coresight)
{
    const struct coresight_parts *parts = &coresight->parts;
    if (parts->phase == PHASE_BEGIN) return SYNC_FRAME;
    if (!parts->has_next || parts->end.failed) return BLOCK;
    if (coresight->offset >= parts->next.frame) return SYNC_FRAME;
    const uint64_t left = parts->next.frame - coresight->offset;
    return left < BLOCK ? (size_t)left : BLOCK;
}

/* Opens the next buffer of which something is decoded here; SPOOR_END: there is none. */
static enum spoor_status coresight_next_buffer(struct coresight_decoder *coresight,
                                               struct spoor_error *error)
{
    struct coresight_parts *parts = &coresight->parts;
    enum spoor_status status = SPOOR_END;
    for (; coresight->buffer < coresight->snapshot->buffer_count; coresight->buffer++) {
        const bool own = !parts->first && coresight_is_own(parts, coresight->buffer, 0);
        const uint64_t place = coresight_place(coresight);
        if (own) coresight_put_part(coresight, RANGE_PART_BEGIN, 0);
        status = coresight_open_buffer(coresight, error);
        if (!own) coresight_drop(coresight, place);
        if (status == SPOOR_OK) {
            parts->any = true;
            coresight_begin_scan(coresight);
            if (own) return SPOOR_OK;
            coresight_destroy_tree(&coresight->tree);
            if (coresight_seek_part(coresight, &status, error)) return status;
        } else if (status != SPOOR_END) {
            return status;
        } else if (own) {
            coresight_put_part(coresight, RANGE_PART_END, 0);
        }
        coresight_close_buffer(coresight);
        parts->first = 0;
        status = SPOOR_END;
    }
    return status;
}

/* Decodes a block of the buffer, or the rest of one. */
static enum spoor_status coresight_step(struct coresight_decoder *coresight,
                                        struct spoor_error *error)
{
    const struct snapshot_buffer *buffer = &coresight->snapshot->buffers[coresight->buffer];
    const size_t wanted = coresight_block(coresight);
    ocsd_datapath_op_t op = OCSD_OP_DATA;
    uint32_t used = 0;
    char text[TEXT];
    if (coresight->waits) {
        op = OCSD_OP_FLUSH;
    } else if (coresight->block_at == coresight->block_size) {
        coresight->block_at = 0;
        coresight->block_size =
            buffer->read
                ? buffer->read(buffer->context, coresight->offset, coresight->block, wanted)
                : read_at(coresight->file, coresight->offset, coresight->block, wanted);
        if (coresight->block_size < wanted && !buffer->read && errno)
            return spoor_error_system(error, SPOOR_EINPUT, "%s: cannot be read", buffer->path);
        const size_t part = coresight->block_size % OCSD_DFRMTR_FRAME_SIZE;
        if (buffer->format == SNAPSHOT_FRAMES) coresight->block_size -= part;
        if (coresight->block_size == 0) {
            op = OCSD_OP_EOT;
            if (part) { /* what its bytes are, the last one of a frame states */
                snprintf(text, sizeof text, "%zu bytes of a frame at offset %" PRIu64 " of %.60s",
                         part, coresight->offset, buffer->name);
                coresight_damage(coresight, text);
            }
        }
    }
    const bool data = op == OCSD_OP_DATA;
    coresight_enter(coresight);
    coresight->given = coresight->offset + (data ? coresight->block_size - coresight->block_at : 0);
    const ocsd_datapath_resp_t done = opencsd.ocsd_dt_process_data(
        coresight->tree, op, data ? (ocsd_trc_index_t)coresight->offset : 0,
        data ? (uint32_t)(coresight->block_size - coresight->block_at) : 0,
        data ? coresight->block + coresight->block_at : NULL, &used);
    coresight->inside = false;
    if (data) {
        coresight->block_at += used;
        coresight->offset += used;
    }
    coresight->waits = OCSD_DATA_RESP_IS_WAIT(done);
    if (op == OCSD_OP_EOT) coresight->ended = true;
    if (coresight->parts.phase != PHASE_PART && OCSD_DATA_RESP_IS_FATAL(done)) {
        coresight->parts.begin.failed = true;
        coresight->waits = false;
        coresight->ended = true;
        coresight->block_at = coresight->block_size;
    } else if (OCSD_DATA_RESP_IS_FATAL(done) || (data && used == 0 && !coresight->waits)) {
        snprintf(text, sizeof text,
                 "a packet before offset %" PRIu64 " of %.60s, at which libopencsd gives up (%d)",
                 coresight->offset, buffer->name, (int)done);
        coresight_damage(coresight, text);
        for (size_t i = 0; i < coresight->source_count; i++) {
            struct coresight_source *other = &coresight->sources[i];
            if (other->decoded) coresight_put_lost(coresight, other, not_decoded);
        }
        coresight->waits = false;
        coresight->ended = true;
    }
    return coresight->out.failed ? error_no_memory_while(error, buffer->path, "decoding")
                                 : SPOOR_OK;
}

/* ---- all of it ---- */

static bool coresight_collect_sources(struct coresight_decoder *coresight)
{
    const struct snapshot *snapshot = coresight->snapshot;
    coresight->sources = calloc(ELEMENT_SOURCES, sizeof *coresight->sources);
    if (!coresight->sources) return false;
    for (size_t i = 0; i < snapshot->device_count; i++) {
        struct snapshot_device *device = &snapshot->devices[i];
        bool used = false;
        for (size_t k = 0; k < snapshot->buffer_count; k++)
            for (size_t s = 0; s < snapshot->buffers[k].source_count; s++)
                used |= snapshot->buffers[k].sources[s] == i;
        if (!used || coresight->source_count == ELEMENT_SOURCES) continue;
        const size_t number = coresight->source_count++;
        coresight->sources[number] = (struct coresight_source){
            .device = device,
            .core = device->core == NO_DEVICE ? NULL : &snapshot->devices[device->core],
            .branch = NO_PLACE,
            .begin = NO_PLACE,
            .number = (uint8_t)number,
            .spaces = SPACE_ANY};
    }
    return true;
}

static void coresight_put_header(struct coresight_decoder *coresight)
{
    struct text text = {0};
    const char *magic = coresight->snapshot->magic;
    text_puts(&text, magic ? magic : ELEMENT_MAGIC);
    for (size_t i = 0; i < coresight->source_count; i++) {
        const struct coresight_source *source = &coresight->sources[i];
        const struct snapshot_device *named = source->core ? source->core : source->device;
        char name[ELEMENT_NAME] = "";
        if (named) snprintf(name, sizeof name, "%s", named->name);
        text_put(&text, name, sizeof name);
    }
    const struct element_other header = {.kind = ELEMENT_HEADER,
                                         .number = (uint32_t)coresight->source_count};
    if (!text.failed) coresight_put_text(coresight, header, text.bytes, text.size);
    coresight->out.failed |= text.failed;
    text_free(&text);
}

/* Says which files of memory are not there: their code is not known. */
static void coresight_comment_dumps(struct coresight_decoder *coresight)
{
    for (size_t i = 0; i < coresight->snapshot->device_count; i++) {
        const struct snapshot_device *device = &coresight->snapshot->devices[i];
        for (size_t k = 0; k < device->dump_count; k++) {
            if (device->dumps[k].file >= 0) continue;
            char text[TEXT];
            snprintf(text, sizeof text, "memory of %.40s is not there: %.80s", device->name,
                     path_name(device->dumps[k].path));
            coresight_comment(coresight, text);
        }
    }
}

bool coresight_load(const char *path, struct spoor_error *error)
{
    char sentence[SHARED_SENTENCE];
    if (shared_library_load(&shared_libraries[SHARED_opencsd], &opencsd, sentence)) return true;
    spoor_error_set(error, SPOOR_EINPUT, "%s: is a CoreSight snapshot, and its decoder %s", path,
                    sentence);
    return false;
}

/* Opens the decoder of a snapshot, which it owns from then on, also after a failure. */
static enum spoor_status coresight_decoder_start(struct coresight_decoder **decoder,
                                                 struct snapshot *snapshot,
                                                 const struct coresight_place *from,
                                                 const char *path, struct spoor_error *error)
{
    struct coresight_decoder *coresight = *decoder = calloc(1, sizeof *coresight);
    if (!coresight) {
        snapshot_close(snapshot);
        return error_no_memory_while(error, path, "reading");
    }
    coresight->file = -1;
    coresight->buffer = from->buffer;
    coresight->parts = (struct coresight_parts){.worker = from->worker,
                                                .workers = from->workers,
                                                .first = from->part,
                                                .size = from->part_size};
    coresight->snapshot = snapshot;
    if (from->workers) coresight->ranges = calloc(RANGE_NUMBERS, sizeof *coresight->ranges);
    if (!coresight_collect_sources(coresight) || (from->workers && !coresight->ranges))
        return error_no_memory_while(error, path, "reading");
    opencsd.ocsd_def_errlog_init(OCSD_ERR_SEV_NONE, 0);
    if (from->buffer || from->part || from->worker) return SPOOR_OK;
    coresight_put_header(coresight);
    coresight_comment_dumps(coresight);
    /* what cannot be decoded at all is said here, not after a first record */
    const enum spoor_status status = coresight_next_buffer(coresight, error);
    if (status == SPOOR_OK || (status == SPOOR_END && coresight->parts.any)) return SPOOR_OK;
    return error->status;
}

enum spoor_status coresight_decoder_open(struct coresight_decoder **decoder, const char *path,
                                         const struct coresight_place *from,
                                         struct spoor_error *error)
{
    struct snapshot *snapshot = snapshot_open(path, error);
    if (!snapshot) return error->status;
    return coresight_decoder_start(decoder, snapshot, from, path, error);
}

enum spoor_status coresight_decoder_open_snapshot(struct coresight_decoder **decoder,
                                                  struct snapshot *snapshot, const char *path,
                                                  size_t buffer, struct spoor_error *error)
{
    const struct coresight_place from = {.buffer = buffer};
    return coresight_decoder_start(decoder, snapshot, &from, path, error);
}

enum spoor_status coresight_decoder_read(struct coresight_decoder *coresight, void *to,
                                         size_t capacity, size_t *size, struct spoor_error *error)
{
    struct text *out = &coresight->out;
    for (*size = 0; *size < capacity;) {
        size_t ready = coresight_ready(coresight);
        if (!ready && coresight_waits_long(coresight)) {
            for (size_t i = 0; i < coresight->source_count; i++)
                coresight_forget(&coresight->sources[i]);
            ready = coresight_ready(coresight);
        }
        if (ready) {
            if (ready > capacity - *size) ready = capacity - *size;
            memcpy((char *)to + *size, out->bytes + coresight->out_at, ready);
            coresight->out_at += ready;
            *size += ready;
            continue;
        }
        if (*size) return SPOOR_OK; /* what was made is put before libopencsd is called again */
        if (coresight->out_at) {
            memmove(out->bytes, out->bytes + coresight->out_at, out->size - coresight->out_at);
            out->size -= coresight->out_at;
            coresight->out_base += coresight->out_at;
            coresight->out_at = 0;
        }
        enum spoor_status status = SPOOR_OK;
        if (coresight->tree && coresight->ended && !coresight->waits) {
            coresight_end_buffer(coresight, true);
            continue;
        }
        if (coresight->tree) {
            status = coresight_step(coresight, error);
            if (status == SPOOR_OK && coresight_after_step(coresight, &status, error))
                coresight_end_buffer(coresight, false);
        } else {
            status = coresight_next_buffer(coresight, error);
        }
        if (status == SPOOR_END && coresight_ready(coresight)) continue; /* comments */
        if (status != SPOOR_OK) return status;
    }
    return SPOOR_OK;
}

/* ---- a crash ---- */

/* An element and its text, put by what is safe in the handler of a signal. */
static void crash_put(bool (*put)(const void *bytes, size_t size), struct element_other other,
                      const char *text)
{
    static const char zeros[8];
    const size_t size = strlen(text), padded = (size + 7) / 8 * 8;
    other.size = (uint32_t)(sizeof other + padded);
    other.text_size = (uint32_t)size;
    put(&other, sizeof other);
    put(text, size);
    put(zeros, padded - size);
}

static char *crash_word(char *at, const char *word)
{
    return put_bytes(at, word, strlen(word));
}

static char *crash_number(char *at, uint64_t number)
{
    char digits[20];
    size_t first = sizeof digits;
    do digits[--first] = (char)('0' + number % 10);
    while (number /= 10);
    return put_bytes(at, digits + first, sizeof digits - first);
}

bool coresight_decoder_crash(const struct coresight_decoder *coresight, int signal,
                             bool (*put)(const void *bytes, size_t size), uint64_t *place)
{
    char text[2 * TEXT], name[TEXT / 2] = "";
    if (!coresight->inside) return false;
    const char *called = coresight->snapshot->buffers[coresight->buffer].name;
    memcpy(name, called, strnlen(called, sizeof name - 1));
    char *at = crash_word(text, "a packet between the offsets ");
    at = crash_number(at, coresight->from);
    at = crash_word(crash_number(crash_word(at, " and "), coresight->given), " of ");
    at = crash_word(crash_word(at, name), ", at which libopencsd crashes (signal ");
    at = crash_word(crash_number(at, (uint64_t)signal), ")");
    *at = 0;
    *place = coresight->buffer | (uint64_t)coresight->parts.part << 32;
    put(coresight->out.bytes + coresight->out_at, coresight->out_whole - coresight->out_at);
    crash_put(put, element_of(coresight->sources, ELEMENT_DAMAGE), text);
    for (size_t i = 0; i < coresight->source_count; i++) {
        const struct coresight_source *source = &coresight->sources[i];
        if (source->decoded) crash_put(put, coresight_lost(source), not_decoded);
    }
    return true;
}
