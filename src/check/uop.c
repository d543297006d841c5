/* SPDX-License-Identifier: MIT */
/*
 * uop.c: rules about micro-ops: how they form macro-ops, how one pc leads to the next, and that a
 * place of the program has one micro-op.
 */
#include <inttypes.h>
#include <stddef.h>

#include "check/rule.h"

enum {
    UOP_LONGEST = 15,       /* maximum size of an x86 instruction in bytes */
    UOP_LAST_REGISTER = 49, /* the course numbers the flags 49 */
};

/* The previous micro-op.  A line that could not be decoded clears `known`. */
struct uop_before {
    bool known;
    int32_t step;
    uint64_t pc, fall;
    uint64_t next; /* the pc after the macro-op: a taken target, else the fall-through */
    spoor_name macro;
};

/* True for a NOP: of an x86 repetition it states that the count was zero, so that it comes in place
 * of the micro-ops of its pc. */
static inline bool uop_has_no_effect(const struct spoor_record *record)
{
    const struct spoor_uop *uop = &record->uop;
    return (record->op == 0) & ((uop->src1 & uop->src2 & uop->dest) < 0);
}

/* True if registers and size break no rule. */
static inline bool uop_is_clean(const struct spoor_uop *uop)
{
    const unsigned maximum = UOP_LAST_REGISTER + 1; /* the register -1 is valid, too */
    return ((uint32_t)uop->fall - 1 < UOP_LONGEST) & ((unsigned)(uop->src1 + 1) <= maximum) &
           ((unsigned)(uop->src2 + 1) <= maximum) & ((unsigned)(uop->dest + 1) <= maximum);
}

/* ---- places of the program ---- */

/*
 * What places of the program hold, as site.h has it for instructions: a micro-op without its
 * address, its outcome, and the target of an indirect branch, which the place does not determine.
 * The steps of a macro-op have places of their own.
 */
enum uop_site_state {
    UOP_SITE_EMPTY,
    UOP_SITE_ONCE,
    UOP_SITE_USUAL,   /* the micro-op was there at least twice */
    UOP_SITE_STRANGE, /* the same, but the last one was another one */
    UOP_SITE_STATES
};
enum {
    UOP_SITES = 4096,
    UOP_SITE_CLEAN = 1 << 2, /* registers and size break no rule */
    UOP_SITE_OP = 4,         /* the lowest bit of the operation */
    UOP_SITE_PLACE = 12,     /* the lowest bit of the place */
};
struct uop_site {
    uint64_t place;    /* with the operation, CLEAN and the state */
    uint64_t words[3]; /* the immediate, and the small fields */
};
struct uop_sites {
    struct uop_site site[UOP_SITES];
};

/* A site without its state, and its index. */
struct uop_key {
    struct uop_site site;
    size_t index;
};

static inline struct uop_key uop_key_of(const struct spoor_record *record, bool clean)
{
    enum { OUTCOME = SPOOR_UOP_TAKEN | SPOOR_UOP_NOT_TAKEN };
    const uint64_t place =
        (record->uop.pc ^ (uint64_t)record->uop.step << 52) * UINT64_C(0x9E3779B97F4A7C15);
    const bool branch = record->op & OUTCOME;
    const unsigned op = (record->op & ~(unsigned)OUTCOME) | (branch ? SPOOR_UOP_TAKEN : 0);
    return (struct uop_key){
        {place << UOP_SITE_PLACE | op << UOP_SITE_OP | (clean ? UOP_SITE_CLEAN : 0),
         {record->word[3], record->word[4], record->word[5]}},
        (size_t)(place >> 52)};
}
_Static_assert(offsetof(struct spoor_uop, immediate) == 3 * sizeof(uint64_t), "the last words");
_Static_assert(UOP_SITES == 4096, "the top twelve bits of a product");

/* True if the site holds the micro-op in this state. */
static inline bool uop_site_has(const struct uop_site *site, const struct uop_key *key,
                                unsigned state)
{
    return ((site->place ^ (key->site.place | state)) | (site->words[0] ^ key->site.words[0]) |
            (site->words[1] ^ key->site.words[1]) | (site->words[2] ^ key->site.words[2])) == 0;
}

static inline void uop_site_put(struct uop_site *site, const struct uop_key *key, unsigned state)
{
    *site = key->site;
    site->place |= state;
}

/* Records the micro-op and returns true if its place is new, or holds what it held before; else
 * false, and nothing is recorded. */
static inline bool uop_site_is_usual(struct uop_sites *sites, const struct uop_key *key)
{
    struct uop_site *site = &sites->site[key->index];
    if (uop_site_has(site, key, UOP_SITE_USUAL)) return true;
    const bool is_new = (site->place ^ key->site.place) >> UOP_SITE_PLACE ||
                        site->place % UOP_SITE_STATES == UOP_SITE_EMPTY;
    if (!is_new && !uop_site_has(site, key, UOP_SITE_ONCE)) return false;
    uop_site_put(site, key, is_new ? UOP_SITE_ONCE : UOP_SITE_USUAL);
    return true;
}

/*
 * ---- the pass ----
 *
 * One test of a record covers all these rules, given the previous record.  If the test cannot
 * decide, the pass stops, and the rules examine the record one by one.
 */

/* Bits of a record that no rule examines. */
enum { IGNORED_BITS = SPOOR_EOL_CRLF | SPOOR_EOL_NONE };

/* True if registers, size and place break no rule. */
static __attribute__((noinline)) bool uop_has_clean_fields(struct uop_sites *sites,
                                                           const struct spoor_record *record)
{
    const struct uop_key key = uop_key_of(record, true);
    if (!uop_is_clean(&record->uop)) return false;
    return !sites || uop_has_no_effect(record) || uop_site_is_usual(sites, &key);
}

/* True if the micro-op may come after `before`; `next`: the pc after the macro-op. */
static inline bool uop_may_follow(const struct spoor_uop *before, uint64_t next,
                                  const struct spoor_uop *uop)
{
    if (uop->step == 1 && uop->pc == next) return true;
    const bool same = (uop->pc == before->pc) & (uop->macro == before->macro);
    if (uop->step == 1) return same;
    return (uop->step > 1) & (uop->step == before->step + 1) & (uop->fall == before->fall) & same;
}

/* True if the record after `before` breaks no rule. */
static FORCE_INLINE bool uop_passes(const struct spoor_uop *before, uint64_t next,
                                    struct uop_sites *sites, const struct spoor_record *record)
{
    if (record->kind != SPOOR_UOP || (record->has & ~IGNORED_BITS) ||
        !uop_may_follow(before, next, &record->uop))
        return false;
    const bool branch = record->op & (SPOOR_UOP_TAKEN | SPOOR_UOP_NOT_TAKEN);
    const bool moves = record->op & (SPOOR_UOP_LOAD | SPOOR_UOP_STORE);
    if ((branch ^ (record->uop.target != 0)) | (moves ^ (record->uop.address != 0))) return false;
    const struct uop_key key = uop_key_of(record, true);
    const bool usual = sites && uop_site_has(&sites->site[key.index], &key, UOP_SITE_USUAL);
    return usual || uop_has_clean_fields(sites, record); /* most micro-ops are at their place */
}

static FORCE_INLINE size_t uop_pass_from(const struct spoor_batch *batch, size_t from,
                                         struct uop_before *known, struct uop_sites *sites)
{
    /* The previous micro-op as a record has it, in which step 0 has no next one: its numbers may be
     * too large. */
    const int64_t fall = (int64_t)(known->fall - known->pc);
    const bool fits = (int32_t)fall == fall && (uint16_t)known->step == known->step;
    const struct spoor_uop first = (struct spoor_uop){.pc = known->pc,
                                                      .fall = (int32_t)fall,
                                                      .step = fits ? (uint16_t)known->step : 0,
                                                      .macro = known->macro};
    const struct spoor_record *record = &batch->records[from];
    const struct spoor_record *const end = &batch->records[batch->count];
    uint64_t next = known->next;
    if (!known->known || record == end || !uop_passes(&first, next, sites, record)) return from;
    do {
        /* The pc after the macro-op, of which `uop` may be the first micro-op. */
        const struct spoor_uop *uop = &record->uop;
        if (record->op & SPOOR_UOP_TAKEN)
            next = uop->target;
        else
            next = uop->step == 1 ? uop->pc + (uint64_t)(int64_t)uop->fall : next;
    } while (++record < end && uop_passes(&record[-1].uop, next, sites, record));
    const struct spoor_uop *last = &record[-1].uop;
    *known = (struct uop_before){
        true, last->step, last->pc, last->pc + (uint64_t)(int64_t)last->fall, next, last->macro};
    return (size_t)(record - batch->records);
}

/* The pass of all these rules; `state` is a struct uop_before, `sites` a struct uop_sites. */
static size_t uop_pass(const struct spoor_batch *batch, size_t from, void *state, void *sites)
{
    return sites ? uop_pass_from(batch, from, state, sites)
                 : uop_pass_from(batch, from, state, NULL);
}

/* ---- rules ---- */

/* Reads the current micro-op; false for a note, which may break the sequence. */
static bool uop_get(const struct context *context, struct spoor_uop_full *uop)
{
    struct uop_before *before = context->state;
    if (context->record->kind == SPOOR_UOP) {
        *uop = spoor_uop_of(context->batch, context->index);
        return true;
    }
    if (context->record->op == SPOOR_NOTE_UNKNOWN) before->known = false;
    return false;
}

static void uop_set_before(const struct context *context, const struct spoor_uop_full *uop)
{
    struct uop_before *before = context->state;
    uint64_t next = uop->step == 1 || !before->known ? uop->fall : before->next;
    if (context->record->op & SPOOR_UOP_TAKEN) next = uop->target;
    *before =
        (struct uop_before){true, uop->step, uop->pc, uop->fall, next, context->record->uop.macro};
}

/* True if the micro-op continues the macro-op of the previous one. */
static bool uop_continues(const struct uop_before *before, const struct spoor_uop_full *uop)
{
    return before->known && uop->step != 1 && uop->step == (int64_t)before->step + 1;
}

static void uop_feed_step(struct context *context)
{
    const struct uop_before *before = context->state;
    struct spoor_uop_full uop;
    if (!uop_get(context, &uop)) return;
    if (uop.step < 1 || (before->known && uop.step != 1 && !uop_continues(before, &uop))) {
        context_found(context, "micro-op %" PRId32, uop.step);
        if (before->known)
            context_expected(context, "1 or %" PRId64, (int64_t)before->step + 1);
        else
            context_expected(context, "a number from 1");
    }
    uop_set_before(context, &uop);
}
EXAMINE_BLOCK(uop_feed_step)
const struct rule rule_uop_step = {
    .info = {"uop-step", "micro-ops of a macro-op count 1, 2, 3, ...",
             "cis501: field 1, Uop (a trace may begin inside a macro-op)", SPOOR_SEVERITY_ERROR,
             true},
    .kinds = KIND(UOP) | KIND(NOTE),
    .feed = uop_feed_step_block,
    .pass = uop_pass,
    .state_size = sizeof(struct uop_before),
};

static void uop_feed_group(struct context *context)
{
    const struct uop_before *before = context->state;
    struct spoor_uop_full uop;
    if (!uop_get(context, &uop)) return;
    if (uop_continues(before, &uop) && (uop.pc != before->pc || uop.fall != before->fall)) {
        context_found(context, "pc %" PRIx64 ", fall-through %" PRIx64, uop.pc, uop.fall);
        context_expected(context, "pc %" PRIx64 ", fall-through %" PRIx64 " of micro-op 1",
                         before->pc, before->fall);
    }
    uop_set_before(context, &uop);
}
EXAMINE_BLOCK(uop_feed_group)
const struct rule rule_uop_group = {
    .info = {"uop-group", "micro-ops of a macro-op share pc and fall-through",
             "cis501: field 11, Fallthrough PC", SPOOR_SEVERITY_ERROR, true},
    .kinds = KIND(UOP) | KIND(NOTE),
    .feed = uop_feed_group_block,
    .pass = uop_pass,
    .state_size = sizeof(struct uop_before),
};

static void uop_feed_macro(struct context *context)
{
    const struct uop_before *before = context->state;
    struct spoor_uop_full uop;
    if (!uop_get(context, &uop)) return;
    if (uop_continues(before, &uop) && context->record->uop.macro != before->macro) {
        context_found(context, "macro opcode %s",
                      context_name(context, context->record->uop.macro));
        context_expected(context, "%s", context_name(context, before->macro));
    }
    uop_set_before(context, &uop);
}
EXAMINE_BLOCK(uop_feed_macro)
const struct rule rule_uop_macro = {
    .info = {"uop-macro", "micro-ops of a macro-op share the macro opcode",
             "cis501: field 13, Macro opcode", SPOOR_SEVERITY_ERROR, true},
    .kinds = KIND(UOP) | KIND(NOTE),
    .feed = uop_feed_macro_block,
    .pass = uop_pass,
    .state_size = sizeof(struct uop_before),
};

static void uop_feed_next_pc(struct context *context)
{
    const struct uop_before *before = context->state;
    struct spoor_uop_full uop;
    if (!uop_get(context, &uop)) return;
    /* A string instruction is traced once for each repetition. */
    const bool repeats = uop.pc == before->pc && context->record->uop.macro == before->macro;
    if (before->known && uop.step == 1 && uop.pc != before->next && !repeats) {
        context_found(context, "pc %" PRIx64, uop.pc);
        context_expected(context, "%" PRIx64 ", the %s of %" PRIx64, before->next,
                         before->next == before->fall ? "fall-through" : "target", before->pc);
    }
    uop_set_before(context, &uop);
}
EXAMINE_BLOCK(uop_feed_next_pc)
const struct rule rule_uop_next_pc = {
    .info =
        {"uop-next-pc",
         "a macro-op starts at the fall-through or taken target of the previous one, or repeats it",
         "cis501: fields 11 and 12; public samples are continuous except for repetitions and cuts",
         SPOOR_SEVERITY_WARNING, true},
    .kinds = KIND(UOP) | KIND(NOTE),
    .feed = uop_feed_next_pc_block,
    .pass = uop_pass,
    .state_size = sizeof(struct uop_before),
};

static void uop_feed_size(struct context *context)
{
    struct spoor_uop_full uop = spoor_uop_of(context->batch, context->index);
    uint64_t size = uop.fall - uop.pc;
    if (size >= 1 && size <= UOP_LONGEST) return;
    context_found(context, "fall-through %" PRIx64, uop.fall);
    context_expected(context, "1 to %d bytes after pc %" PRIx64, UOP_LONGEST, uop.pc);
}
EXAMINE_BLOCK(uop_feed_size)
const struct rule rule_uop_size = {
    .info = {"uop-size", "an instruction has 1 to 15 bytes: fall-through minus pc",
             "cis501: field 11; x86 limits an instruction to 15 bytes", SPOOR_SEVERITY_ERROR, true},
    .kinds = KIND(UOP),
    .feed = uop_feed_size_block,
    .pass = uop_pass,
};

static void uop_feed_target(struct context *context)
{
    const struct spoor_record *record = context->record;
    bool branch = record->op & (SPOOR_UOP_TAKEN | SPOOR_UOP_NOT_TAKEN);
    if (branch == (record->uop.target != 0)) return;
    context_found(context, "target %" PRIx64, record->uop.target);
    context_expected(context, branch ? "a target: the micro-op is a branch" : "0: no branch");
}
EXAMINE_BLOCK(uop_feed_target)
const struct rule rule_uop_target = {
    .info = {"uop-target", "the target is non-zero if and only if Branch is T or N",
             "cis501: field 12, Target PC", SPOOR_SEVERITY_ERROR, true},
    .kinds = KIND(UOP),
    .feed = uop_feed_target_block,
    .pass = uop_pass,
};

static void uop_feed_address(struct context *context)
{
    const struct spoor_record *record = context->record;
    if (record->op & (SPOOR_UOP_LOAD | SPOOR_UOP_STORE) || record->uop.address == 0) return;
    context_found(context, "address %" PRIx64, record->uop.address);
    context_expected(context, "0: neither load nor store");
}
EXAMINE_BLOCK(uop_feed_address)
const struct rule rule_uop_address = {
    .info = {"uop-address", "only loads and stores have a memory address",
             "cis501: field 10, Memory Address", SPOOR_SEVERITY_ERROR, true},
    .kinds = KIND(UOP),
    .feed = uop_feed_address_block,
    .pass = uop_pass,
};

static void uop_feed_address_zero(struct context *context)
{
    const struct spoor_record *record = context->record;
    if (!(record->op & (SPOOR_UOP_LOAD | SPOOR_UOP_STORE)) || record->uop.address) return;
    context_found(context, "address 0");
    context_expected(context, "an address: page 0 is not mapped in a user program");
}
EXAMINE_BLOCK(uop_feed_address_zero)
const struct rule rule_uop_address_zero = {
    .info = {"uop-address-zero", "the address of a load or store is not 0",
             "cis501: field 10 says 0 for no access; a machine without paging may mean it",
             SPOOR_SEVERITY_WARNING, true},
    .kinds = KIND(UOP),
    .feed = uop_feed_address_zero_block,
    .pass = uop_pass,
};

static void uop_feed_register(struct context *context)
{
    struct spoor_uop_full uop = spoor_uop_of(context->batch, context->index);
    const struct {
        const char *name;
        int32_t number;
    } registers[] = {{"src1", uop.src1}, {"src2", uop.src2}, {"dest", uop.dest}};
    for (size_t i = 0; i < sizeof registers / sizeof *registers; i++) {
        if (registers[i].number >= -1 && registers[i].number <= UOP_LAST_REGISTER) continue;
        context_found(context, "%s %" PRId32, registers[i].name, registers[i].number);
        context_expected(context, "-1 to %d", UOP_LAST_REGISTER);
    }
}
EXAMINE_BLOCK(uop_feed_register)
const struct rule rule_uop_register = {
    .info = {"uop-register", "registers are -1 (none) to 49 (flags)",
             "cis501: fields 3 to 5; the course's simulators have 50 registers",
             SPOOR_SEVERITY_WARNING, true},
    .kinds = KIND(UOP),
    .feed = uop_feed_register_block,
    .pass = uop_pass,
};

static void uop_feed_change(struct context *context)
{
    const struct spoor_record *record = context->record;
    if (uop_has_no_effect(record)) return;
    const struct spoor_uop_full uop = spoor_uop_of(context->batch, context->index);
    const struct uop_key key = uop_key_of(record, uop_is_clean(&record->uop));
    if (uop_site_is_usual(context->state, &key)) return;
    /* Reports the previous micro-op of the place if it was a single exception. */
    struct uop_site *site = &((struct uop_sites *)context->state)->site[key.index];
    const bool again = uop_site_has(site, &key, UOP_SITE_STRANGE);
    if (site->place % UOP_SITE_STATES == UOP_SITE_USUAL)
        site->place += UOP_SITE_STRANGE - UOP_SITE_USUAL;
    else /* else the code has changed */
        uop_site_put(site, &key, again ? UOP_SITE_USUAL : UOP_SITE_ONCE);
    if (!again) return;
    context_found(context, "another micro-op %" PRId32 " once at pc %" PRIx64, uop.step, uop.pc);
    context_expected(context, "%s with the same registers and immediate, as before and after",
                     context_name(context, record->uop.micro));
}
EXAMINE_BLOCK(uop_feed_change)
const struct rule rule_uop_change = {
    .info = {"uop-change",
             "a pc has the same micro-ops, registers and immediates, unless the code changes "
             "permanently",
             "code lies in memory: an instruction that appears once and never again was not "
             "executed",
             SPOOR_SEVERITY_WARNING, true},
    .kinds = KIND(UOP),
    .feed = uop_feed_change_block,
    .pass = uop_pass,
    .state_size = sizeof(struct uop_sites),
    .own_state = true,
};
