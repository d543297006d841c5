/* SPDX-License-Identifier: MIT */
/* insn.c: rules about instructions: encodings of Arm and x86, alignment, condition, mode. */
#include <inttypes.h>
#include <string.h>

#include "base/ascii.h"
#include "base/portable.h"
#include "base/scan.h"
#include "check/rule.h"
#include "check/trust.h"
#include "isa/opcode.h"

static void insn_feed_size(struct context *context)
{
    const struct spoor_insn *insn = &context->record->insn;
    unsigned size = insn->opcode_size;
    if (context_is_of_matcher(context)) {
        if (!size || size == 2 || size == 4 || size == 8) return;
        context_found(context, "opcode %0*" PRIx64 " of %u bytes", 2 * insn->opcode_size,
                      insn->opcode, insn->opcode_size);
        context_expected(context, "2, 4 or 8 bytes");
        return;
    }
    if (insn->iset == 'O' || insn->iset == 'C')
        size = 4;
    else if (insn->iset == 'T' || insn->iset == 'X') {
        /* The size of a T32 instruction: 4 if its first halfword begins with 11101, 11110 or 11111,
         * else 2. */
        unsigned first = (unsigned)(insn->opcode_size == 4 ? insn->opcode >> 16 : insn->opcode);
        size = (first >> 11 & 31) >= 0x1D ? 4 : 2;
    }
    if (insn->opcode_size == size) return;
    context_found(context, "opcode %0*" PRIx64 " of %u bytes", 2 * insn->opcode_size, insn->opcode,
                  insn->opcode_size);
    context_expected(context, "%u bytes for an instruction of set %c", size, insn->iset);
}
EXAMINE_BLOCK(insn_feed_size)
const struct rule rule_insn_size = {
    .info =
        {"insn-size",
         "an A64 opcode has 4 bytes, a T32 opcode the number that its first halfword states; in "
         "Trace Matcher's format any has 2, 4 or 8",
         "tarmac: <opcode>; Arm Architecture Reference Manual, T32 encoding; trace-matcher: "
         "<opcode>",
         SPOOR_SEVERITY_ERROR, true},
    .kinds = KIND(INSN),
    .has = SPOOR_HAS_DATA,
    .feed = insn_feed_size_block,
};

/* Opcodes of x86 that are one instruction each, and whether those of the trace are of 64-bit mode:
 * DynamoRIO traces programs of 32 bits, too. */
struct x86_codes {
    struct trust trust;
    struct good_code {
        uint64_t opcode;
        uint8_t size; /* bytes */
    } good[1024];
};

static void insn_feed_code(struct context *context)
{
    const struct spoor_insn *insn = &context->record->insn;
    const unsigned size = insn->opcode_size;
    struct x86_codes *codes = context->state;
    if (insn->iset != 'I' || size == 0 || size > sizeof insn->opcode) return;
    const uint64_t hash = (insn->opcode ^ size) * UINT64_C(0x9E3779B97F4A7C15);
    struct good_code *known = &codes->good[hash >> 54];
    if (known->opcode == insn->opcode && known->size == size) {
        codes->trust.right++;
        return;
    }
    struct opcode opcode;
    const unsigned decoded = opcode_x86_number(insn->va, insn->opcode, size, &opcode);
    if (decoded == size) *known = (struct good_code){insn->opcode, (uint8_t)size};
    if (!trust_evaluate(&codes->trust, decoded == size)) return;
    context_found(context, "opcode %0*" PRIx64 " of %u bytes", 2 * size, insn->opcode, size);
    if (decoded)
        context_expected(context, "%u bytes for the instruction that it begins with", decoded);
    else
        context_expected(context, "an instruction of x86 in 64-bit mode");
}
_Static_assert(sizeof((struct x86_codes *)0)->good / sizeof(struct good_code) == 1 << 10,
               "what the top ten bits of a hash say");
EXAMINE_BLOCK(insn_feed_code)
const struct rule rule_insn_code = {
    .info = {"insn-code", "the bytes of an x86 opcode are one instruction",
             "Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, appendix A; "
             "only if the trace agrees elsewhere",
             SPOOR_SEVERITY_ERROR, true},
    .kinds = KIND(INSN),
    .has = SPOOR_HAS_DATA,
    .feed = insn_feed_code_block,
    .state_size = sizeof(struct x86_codes),
};

/* The pc of an instruction, or the target of a branch. */
static void insn_feed_alignment(struct context *context)
{
    const struct spoor_record *record = context->record;
    const bool is_insn = record->kind == SPOOR_INSN;
    const uint64_t address = is_insn ? record->insn.va : record->flow.target;
    const char iset = (char)(is_insn ? record->insn.iset : record->flow.iset);
    unsigned alignment = iset == 'O' || iset == 'C' ? 4 : iset == 'T' || iset == 'X' ? 2 : 1;
    if (address % alignment == 0) return;
    context_found(context, "%s %" PRIx64, is_insn ? "pc" : "target", address);
    context_expected(context, "a multiple of %u for instruction set %c", alignment, iset);
}

EXAMINE_BLOCK(insn_feed_alignment)
const struct rule rule_insn_alignment = {
    .info = {"insn-alignment",
             "the pc of an A64 instruction is a multiple of 4, of a T32 instruction of 2",
             "tarmac: <addr>; Arm Architecture Reference Manual, PC alignment",
             SPOOR_SEVERITY_ERROR, true},
    .kinds = KIND(INSN),
    .has = SPOOR_HAS_VA,
    .feed = insn_feed_alignment_block,
};

const struct rule rule_flow_alignment = {
    .info = {"flow-alignment", "the target of a branch to A64 is a multiple of 4, to T32 of 2",
             "tarmac: <targ_addr>; Arm Architecture Reference Manual, PC alignment",
             SPOOR_SEVERITY_ERROR, true},
    .kinds = KIND(FLOW),
    .feed = insn_feed_alignment_block,
};

static void insn_feed_a32(struct context *context)
{
    const struct spoor_insn *insn = &context->record->insn;
    if (insn->iset != 'A') return;
    const bool sized = !(context->record->has & SPOOR_HAS_DATA) || insn->opcode_size == 4;
    const bool aligned = !(context->record->has & SPOOR_HAS_VA) || insn->va % 4 == 0;
    if ((sized && aligned) || context_is_of_matcher(context)) return;
    if (!sized) {
        context_found(context, "opcode of %u bytes", insn->opcode_size);
        context_expected(context, "4 bytes for instruction set A");
    } else {
        context_found(context, "pc %" PRIx64, insn->va);
        context_expected(context, "a multiple of 4 for instruction set A");
    }
}
EXAMINE_BLOCK(insn_feed_a32)
const struct rule rule_insn_a32 = {
    .info = {"insn-a32", "an A32 opcode has 4 bytes and an address that is a multiple of 4",
             "tarmac: <opcode>, A is A32 (in Trace Matcher's format it is any set)",
             SPOOR_SEVERITY_WARNING, true},
    .kinds = KIND(INSN),
    .feed = insn_feed_a32_block,
};

enum { ALWAYS = 0xE }; /* condition fields from this value on always hold */

static void insn_feed_skipped(struct context *context)
{
    const struct spoor_insn *insn = &context->record->insn;
    const uint32_t opcode = (uint32_t)insn->opcode;
    if (context->record->op != SPOOR_INSN_SKIPPED) return;
    /* T32 instructions always can fail a condition, inside an IT block. */
    bool conditional = true;
    if (insn->opcode_size == 4 && insn->iset == 'O') { /* B.cond, BC.cond, CBZ, CBNZ, TBZ, TBNZ */
        const unsigned group = opcode >> 25 & 0x3F;
        conditional =
            opcode >> 24 == 0x54 ? (opcode & 15) < ALWAYS : group == 0x1A || group == 0x1B;
    } else if (insn->opcode_size == 4 && insn->iset == 'A') {
        conditional = opcode >> 28 < ALWAYS;
    }
    if (conditional) return;
    context_found(context, "opcode %08" PRIx64 " skipped", insn->opcode);
    context_expected(context, "taken: the instruction has no condition");
}
EXAMINE_BLOCK(insn_feed_skipped)
const struct rule rule_insn_skipped = {
    .info = {"insn-skipped", "only a conditional instruction is skipped (IS)",
             "tarmac: IS, failed the condition code; Arm Architecture Reference Manual",
             SPOOR_SEVERITY_ERROR, true},
    .kinds = KIND(INSN),
    .has = SPOOR_HAS_DATA,
    .feed = insn_feed_skipped_block,
};

struct skip {
    bool pending; /* the last instruction was skipped */
    uint64_t next;
};

static void insn_feed_after_skip(struct context *context)
{
    const struct spoor_record *record = context->record;
    struct skip *skip = context->state;
    bool is_insn = record->kind == SPOOR_INSN && (record->has & SPOOR_HAS_VA);
    if (is_insn && skip->pending && record->insn.va != skip->next) {
        context_found(context, "pc %" PRIx64, record->insn.va);
        context_expected(context, "%" PRIx64 ", after the skipped instruction", skip->next);
    }
    skip->pending = is_insn && record->op == SPOOR_INSN_SKIPPED && record->insn.opcode_size;
    skip->next = skip->pending ? record->insn.va + record->insn.opcode_size : 0;
}
EXAMINE_BLOCK_PER_CPU(insn_feed_after_skip)
const struct rule rule_insn_after_skip = {
    .info = {"insn-after-skip",
             "the next instruction in memory follows a skipped one, except for exceptions",
             "tarmac: IS, failed the condition code", SPOOR_SEVERITY_WARNING, true},
    .kinds = KIND(INSN) | KIND(EVENT),
    .feed = insn_feed_after_skip_block,
    .state_size = sizeof(struct skip),
    .per_cpu = true,
};

/* True if a mode that is a word is one of the documents', with a security that they have.  Trace
 * Matcher's document has the first eight, in lower case, with s or ns; it knows no A64, whose modes
 * are those of Tarmac there. */
static bool insn_is_known_mode(const struct context *context, const char *mode)
{
    enum { OF_MATCHER = 8, SECURITIES_OF_MATCHER = 2 };
    static const char *const modes[] = {"svc",    "irq",     "fiq",  "usr",  "mon",  "sys",
                                        "abt",    "und",     "hyp",  "EL0t", "EL1t", "EL1h",
                                        "EL2t",   "EL2h",    "EL3t", "EL3h", "thrd", "hndl",
                                        "thread", "handler", "EL0",  "EL1",  "EL2",  "EL3"};
    static const char *const securities[] = {"s", "ns", "n", "rl", "rt", "realm", "root"};
    const size_t size = strcspn(mode, "_");
    const bool few = context_is_of_matcher(context) && strncmp(mode, "EL", 2) != 0;
    const size_t mode_count = few ? OF_MATCHER : sizeof modes / sizeof *modes;
    const size_t security_count =
        few ? SECURITIES_OF_MATCHER : sizeof securities / sizeof *securities;
    bool known = false;
    for (size_t i = 0; i < mode_count && !known; i++)
        known = strlen(modes[i]) == size && ascii_compare_some(modes[i], mode, size) == 0;
    if (known && few && strcspn(mode, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") < size) known = false;
    for (size_t i = 0; i < security_count && known && mode[size]; i++)
        if (strcmp(securities[i], mode + size + 1) == 0) return true;
    return known && !mode[size];
}

static void insn_expect_mode(struct context *context)
{
    context_expected(context, context_is_of_matcher(context)
                                  ? "svc, irq, fiq, usr, mon, sys, abt or und, with _s, _ns or "
                                    "nothing; EL0t to EL3h in A64"
                                  : "one of the document, such as svc_s, EL1h_ns or handler");
}

/* The last mode without a finding. */
struct good_mode {
    spoor_name mode;
    uint8_t iset;
    bool unnamed; /* an exception without a name was taken: CVA6 enters debug mode, and prints 2 */
};

static void insn_feed_mode(struct context *context)
{
    const struct spoor_insn *insn = &context->record->insn;
    struct good_mode *good = context->state;
    if (context->record->kind == SPOOR_EVENT) {
        const struct spoor_event *event = &context->record->event;
        good->unnamed |= context->record->op == SPOOR_EVENT_EXCEPTION && !event->name;
        if (context->record->op != SPOOR_EVENT_E || !event->mode) return;
        const char *mode = context_name(context, event->mode);
        if (insn_is_known_mode(context, mode)) return;
        context_found(context, "new mode %s", mode);
        insn_expect_mode(context);
        return;
    }
    if (!(context->record->has & SPOOR_HAS_EXTRA)) return;
    if (insn->mode == good->mode && insn->iset == good->iset && insn->mode) return;
    const char *mode = context_name(context, insn->mode);
    const bool coded = context->record->has & SPOOR_HAS_DATA; /* else a micro-operation's number */
    const bool numbered = mode[0] >= '0' && mode[0] <= '9' && !mode[1];
    const bool debugs = good->unnamed && mode[0] == '2';
    if (numbered && !debugs) good->unnamed = false;
    if (coded && numbered && !debugs && !strchr("013", mode[0])) {
        context_found(context, "mode %s", mode);
        context_expected(context, "0 (user), 1 (supervisor) or 3 (machine), the modes of RISC-V");
    }
    if (mode[0] < 'A' || insn->iset == 0) return; /* "---_-": the producer does not know the mode */
    if (!insn_is_known_mode(context, mode)) {
        context_found(context, "mode %s", mode);
        insn_expect_mode(context);
        return;
    }
    bool wide = ascii_compare_some(mode, "EL", 2) == 0;
    if (wide == (insn->iset == 'O' || insn->iset == 'C')) {
        *good = (struct good_mode){insn->mode, insn->iset, false};
        return;
    }
    context_found(context, "mode %s with instruction set %c", mode, insn->iset);
    context_expected(context, wide ? "instruction set O in an AArch64 mode"
                                   : "a mode EL0t to EL3h with instruction set O");
}
EXAMINE_BLOCK(insn_feed_mode)
const struct rule rule_insn_mode = {
    .info =
        {"insn-mode",
         "a mode is one of the document; A64 goes with AArch64 modes (EL0t to EL3h), A32 and T32 "
         "with the others; RISC-V has modes 0, 1 and 3",
         "tarmac: <mode>; trace-matcher: <mode>_<security>; The RISC-V Instruction Set Manual, "
         "Volume II, privilege levels",
         SPOOR_SEVERITY_WARNING, true},
    .kinds = KIND(INSN) | KIND(EVENT),
    .feed = insn_feed_mode_block,
    .state_size = sizeof(struct good_mode),
};

/* The last line of a cpu. */
struct micro {
    bool running;
    bool branched; /* microcode may go on anywhere */
    bool is_micro;
    uint64_t pc, number;
};

static void insn_feed_micro(struct context *context)
{
    enum { MICROCODE_ROM = 1 << 15 };
    const struct spoor_record *record = context->record;
    struct micro *last = context->state;
    uint64_t number = 0;
    const bool is_micro = !(record->has & SPOOR_HAS_DATA) && (record->has & SPOOR_HAS_EXTRA) &&
                          scan_all_decimal(context_name(context, record->insn.mode), &number);
    const bool same = last->running && last->pc == record->insn.va;
    const uint64_t next = last->is_micro && same ? last->number + 1 : 0;
    const bool jumps = number >= MICROCODE_ROM || (same && last->branched) || !last->running;
    if (is_micro && number != 0 && !jumps && (!same || number != next)) {
        context_found(context, "micro-operation %" PRIu64 " of the instruction at %" PRIx64, number,
                      record->insn.va);
        context_expected(context, "%" PRIu64, next);
    }
    /* a branch within microcode: "REP_MOVS : br   0x3" */
    const size_t size = record->insn.disasm.size;
    const char *text = spoor_batch_bytes(context->batch, record->insn.disasm);
    const bool branched =
        is_micro && size > 3 && (memmem(text, size, ": br", 4) || memmem(text, size, ": eret", 6));
    *last = (struct micro){true, branched, is_micro, record->insn.va, number};
}
EXAMINE_BLOCK_PER_CPU(insn_feed_micro)
const struct rule rule_insn_micro = {
    .info = {"insn-micro", "micro-operations of an instruction count 0, 1, 2, ...",
             "gem5: src/cpu/exetrace.cc, the number after the address", SPOOR_SEVERITY_ERROR, true},
    .kinds = KIND(INSN),
    .has = SPOOR_HAS_VA,
    .feed = insn_feed_micro_block,
    .state_size = sizeof(struct micro),
    .per_cpu = true,
};
