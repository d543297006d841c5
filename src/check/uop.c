/* SPDX-License-Identifier: MIT */
/* uop.c: rules about micro-ops: how they form macro-ops, and how one pc leads to the next. */
#include <inttypes.h>

#include "check/uop.h"

/* Reads the current micro-op; false for a note, which may break the sequence. */
static bool get_uop(const struct context *context, struct spoor_uop_full *uop)
{
    struct uop_before *before = context->state;
    if (context->record->kind == SPOOR_UOP) {
        *uop = spoor_uop_of(context->batch, context->index);
        return true;
    }
    if (context->record->op == SPOOR_NOTE_UNKNOWN) before->known = false;
    return false;
}

static void set_before(const struct context *context, const struct spoor_uop_full *uop)
{
    struct uop_before *before = context->state;
    uint64_t next = uop->step == 1 || !before->known ? uop->fall : before->next;
    if (context->record->op & SPOOR_UOP_TAKEN) next = uop->target;
    *before =
        (struct uop_before){true, uop->step, uop->pc, uop->fall, next, context->record->uop.macro};
}

/* True if the micro-op continues the macro-op of the previous one. */
static bool check_uop_continues(const struct uop_before *before, const struct spoor_uop_full *uop)
{
    return before->known && uop->step != 1 && uop->step == (int64_t)before->step + 1;
}

static void feed_step(struct context *context)
{
    const struct uop_before *before = context->state;
    struct spoor_uop_full uop;
    if (!get_uop(context, &uop)) return;
    if (uop.step < 1 || (before->known && uop.step != 1 && !check_uop_continues(before, &uop))) {
        context_found(context, "micro-op %" PRId32, uop.step);
        if (before->known)
            context_expected(context, "1 or %" PRId64, (int64_t)before->step + 1);
        else
            context_expected(context, "a number from 1");
    }
    set_before(context, &uop);
}
EXAMINE_BLOCK(feed_step)
const struct rule rule_uop_step = {
    .info = {"uop-step", "micro-ops of a macro-op count 1, 2, 3, ...",
             "cis501: field 1, Uop (a trace may begin inside a macro-op)", SPOOR_SEVERITY_ERROR,
             true},
    .kinds = KIND(UOP) | KIND(NOTE),
    .feed = feed_step_block,
    .pass = uop_pass,
    .state_size = sizeof(struct uop_before),
};

static void check_uop_feed_group(struct context *context)
{
    const struct uop_before *before = context->state;
    struct spoor_uop_full uop;
    if (!get_uop(context, &uop)) return;
    if (check_uop_continues(before, &uop) && (uop.pc != before->pc || uop.fall != before->fall)) {
        context_found(context, "pc %" PRIx64 ", fall-through %" PRIx64, uop.pc, uop.fall);
        context_expected(context, "pc %" PRIx64 ", fall-through %" PRIx64 " of micro-op 1",
                         before->pc, before->fall);
    }
    set_before(context, &uop);
}
EXAMINE_BLOCK(check_uop_feed_group)
const struct rule rule_uop_group = {
    .info = {"uop-group", "micro-ops of a macro-op share pc and fall-through",
             "cis501: field 11, Fallthrough PC", SPOOR_SEVERITY_ERROR, true},
    .kinds = KIND(UOP) | KIND(NOTE),
    .feed = check_uop_feed_group_block,
    .pass = uop_pass,
    .state_size = sizeof(struct uop_before),
};

static void feed_macro(struct context *context)
{
    const struct uop_before *before = context->state;
    struct spoor_uop_full uop;
    if (!get_uop(context, &uop)) return;
    if (check_uop_continues(before, &uop) && context->record->uop.macro != before->macro) {
        context_found(context, "macro opcode %s",
                      context_name(context, context->record->uop.macro));
        context_expected(context, "%s", context_name(context, before->macro));
    }
    set_before(context, &uop);
}
EXAMINE_BLOCK(feed_macro)
const struct rule rule_uop_macro = {
    .info = {"uop-macro", "micro-ops of a macro-op share the macro opcode",
             "cis501: field 13, Macro opcode", SPOOR_SEVERITY_ERROR, true},
    .kinds = KIND(UOP) | KIND(NOTE),
    .feed = feed_macro_block,
    .pass = uop_pass,
    .state_size = sizeof(struct uop_before),
};

/* True for a string instruction, which is traced once for each repetition. */
static bool check_uop_repeats(const struct context *context, const struct uop_before *before,
                              uint64_t pc)
{
    return pc == before->pc && context->record->uop.macro == before->macro;
}

static void feed_next_pc(struct context *context)
{
    const struct uop_before *before = context->state;
    struct spoor_uop_full uop;
    if (!get_uop(context, &uop)) return;
    if (before->known && uop.step == 1 && uop.pc != before->next &&
        !check_uop_repeats(context, before, uop.pc)) {
        context_found(context, "pc %" PRIx64, uop.pc);
        context_expected(context, "%" PRIx64 ", the %s of %" PRIx64, before->next,
                         before->next == before->fall ? "fall-through" : "target", before->pc);
    }
    set_before(context, &uop);
}
EXAMINE_BLOCK(feed_next_pc)
const struct rule rule_uop_next_pc = {
    .info =
        {"uop-next-pc",
         "a macro-op starts at the fall-through or taken target of the previous one, or repeats it",
         "cis501: fields 11 and 12; public samples are continuous except for repetitions and cuts",
         SPOOR_SEVERITY_WARNING, true},
    .kinds = KIND(UOP) | KIND(NOTE),
    .feed = feed_next_pc_block,
    .pass = uop_pass,
    .state_size = sizeof(struct uop_before),
};

static void check_uop_feed_size(struct context *context)
{
    struct spoor_uop_full uop = spoor_uop_of(context->batch, context->index);
    uint64_t size = uop.fall - uop.pc;
    if (size >= 1 && size <= UOP_LONGEST) return;
    context_found(context, "fall-through %" PRIx64, uop.fall);
    context_expected(context, "1 to %d bytes after pc %" PRIx64, UOP_LONGEST, uop.pc);
}
EXAMINE_BLOCK(check_uop_feed_size)
const struct rule rule_uop_size = {
    .info = {"uop-size", "an instruction has 1 to 15 bytes: fall-through minus pc",
             "cis501: field 11; x86 limits an instruction to 15 bytes", SPOOR_SEVERITY_ERROR, true},
    .kinds = KIND(UOP),
    .feed = check_uop_feed_size_block,
    .pass = uop_pass,
};

static void feed_target(struct context *context)
{
    const struct spoor_record *record = context->record;
    bool branch = record->op & (SPOOR_UOP_TAKEN | SPOOR_UOP_NOT_TAKEN);
    if (branch == (record->uop.target != 0)) return;
    context_found(context, "target %" PRIx64, record->uop.target);
    context_expected(context, branch ? "a target: the micro-op is a branch" : "0: no branch");
}
EXAMINE_BLOCK(feed_target)
const struct rule rule_uop_target = {
    .info = {"uop-target", "the target is non-zero if and only if Branch is T or N",
             "cis501: field 12, Target PC", SPOOR_SEVERITY_ERROR, true},
    .kinds = KIND(UOP),
    .feed = feed_target_block,
    .pass = uop_pass,
};

static bool check_uop_moves_data(const struct spoor_record *record)
{
    return record->op & (SPOOR_UOP_LOAD | SPOOR_UOP_STORE);
}

static void check_uop_feed_address(struct context *context)
{
    if (check_uop_moves_data(context->record) || context->record->uop.address == 0) return;
    context_found(context, "address %" PRIx64, context->record->uop.address);
    context_expected(context, "0: neither load nor store");
}
EXAMINE_BLOCK(check_uop_feed_address)
const struct rule rule_uop_address = {
    .info = {"uop-address", "only loads and stores have a memory address",
             "cis501: field 10, Memory Address", SPOOR_SEVERITY_ERROR, true},
    .kinds = KIND(UOP),
    .feed = check_uop_feed_address_block,
    .pass = uop_pass,
};

static void feed_address_zero(struct context *context)
{
    if (!check_uop_moves_data(context->record) || context->record->uop.address) return;
    context_found(context, "address 0");
    context_expected(context, "an address: page 0 is not mapped in a user program");
}
EXAMINE_BLOCK(feed_address_zero)
const struct rule rule_uop_address_zero = {
    .info = {"uop-address-zero", "the address of a load or store is not 0",
             "cis501: field 10 says 0 for no access; a machine without paging may mean it",
             SPOOR_SEVERITY_WARNING, true},
    .kinds = KIND(UOP),
    .feed = feed_address_zero_block,
    .pass = uop_pass,
};

static void feed_register(struct context *context)
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
EXAMINE_BLOCK(feed_register)
const struct rule rule_uop_register = {
    .info = {"uop-register", "registers are -1 (none) to 49 (flags)",
             "cis501: fields 3 to 5; the course's simulators have 50 registers",
             SPOOR_SEVERITY_WARNING, true},
    .kinds = KIND(UOP),
    .feed = feed_register_block,
    .pass = uop_pass,
};
