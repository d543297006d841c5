/* SPDX-License-Identifier: MIT */
/* uop.c: rules about micro-ops: how they make macro-ops, and how one pc leads to the next. */
#include <inttypes.h>

#include "check/uop.h"

/* The micro-op under the eyes; false for a note, which may be a seam. */
static bool take(const struct look *look, struct spoor_uop_full *uop)
{
    struct uop_before *before = look->state;
    if (look->record->kind == SPOOR_UOP) {
        *uop = spoor_uop_of(look->batch, look->index);
        return true;
    }
    if (look->record->op == SPOOR_NOTE_UNKNOWN) before->known = false;
    return false;
}

static void leave(const struct look *look, const struct spoor_uop_full *uop)
{
    struct uop_before *before = look->state;
    uint64_t next = uop->step == 1 || !before->known ? uop->fall : before->next;
    if (look->record->op & SPOOR_UOP_TAKEN) next = uop->target;
    *before =
        (struct uop_before){true, uop->step, uop->pc, uop->fall, next, look->record->uop.macro};
}

/* Whether the micro-op continues the macro-op of the one before. */
static bool continues(const struct uop_before *before, const struct spoor_uop_full *uop)
{
    return before->known && uop->step != 1 && uop->step == (int64_t)before->step + 1;
}

static void feed_step(struct look *look)
{
    const struct uop_before *before = look->state;
    struct spoor_uop_full uop;
    if (!take(look, &uop)) return;
    if (uop.step < 1 || (before->known && uop.step != 1 && !continues(before, &uop))) {
        look_found(look, "micro-op %" PRId32, uop.step);
        if (before->known)
            look_expected(look, "1 or %" PRId64, (int64_t)before->step + 1);
        else
            look_expected(look, "a number from 1");
    }
    leave(look, &uop);
}
const struct rule rule_uop_step = {
    .info = {"uop-step", "micro-ops of a macro-op count 1, 2, 3, ...",
             "cis501: field 1, Uop (a trace may begin inside a macro-op)", SPOOR_SEVERITY_ERROR,
             true},
    .kinds = KIND(UOP) | KIND(NOTE),
    .feed = feed_step,
    .pass = uop_pass,
    .state_size = sizeof(struct uop_before),
};

static void feed_group(struct look *look)
{
    const struct uop_before *before = look->state;
    struct spoor_uop_full uop;
    if (!take(look, &uop)) return;
    if (continues(before, &uop) && (uop.pc != before->pc || uop.fall != before->fall)) {
        look_found(look, "pc %" PRIx64 ", fall-through %" PRIx64, uop.pc, uop.fall);
        look_expected(look, "pc %" PRIx64 ", fall-through %" PRIx64 " of micro-op 1", before->pc,
                      before->fall);
    }
    leave(look, &uop);
}
const struct rule rule_uop_group = {
    .info = {"uop-group", "micro-ops of a macro-op share pc and fall-through",
             "cis501: field 11, Fallthrough PC", SPOOR_SEVERITY_ERROR, true},
    .kinds = KIND(UOP) | KIND(NOTE),
    .feed = feed_group,
    .pass = uop_pass,
    .state_size = sizeof(struct uop_before),
};

static void feed_macro(struct look *look)
{
    const struct uop_before *before = look->state;
    struct spoor_uop_full uop;
    if (!take(look, &uop)) return;
    if (continues(before, &uop) && look->record->uop.macro != before->macro) {
        look_found(look, "macro opcode %s", look_name(look, look->record->uop.macro));
        look_expected(look, "%s", look_name(look, before->macro));
    }
    leave(look, &uop);
}
const struct rule rule_uop_macro = {
    .info = {"uop-macro", "micro-ops of a macro-op share the macro opcode",
             "cis501: field 13, Macro opcode", SPOOR_SEVERITY_ERROR, true},
    .kinds = KIND(UOP) | KIND(NOTE),
    .feed = feed_macro,
    .pass = uop_pass,
    .state_size = sizeof(struct uop_before),
};

/* A string instruction is traced once for each repetition. */
static bool repeats(const struct look *look, const struct uop_before *before, uint64_t pc)
{
    return pc == before->pc && look->record->uop.macro == before->macro;
}

static void feed_next_pc(struct look *look)
{
    const struct uop_before *before = look->state;
    struct spoor_uop_full uop;
    if (!take(look, &uop)) return;
    if (before->known && uop.step == 1 && uop.pc != before->next &&
        !repeats(look, before, uop.pc)) {
        look_found(look, "pc %" PRIx64, uop.pc);
        look_expected(look, "%" PRIx64 ", the %s of %" PRIx64, before->next,
                      before->next == before->fall ? "fall-through" : "target", before->pc);
    }
    leave(look, &uop);
}
const struct rule rule_uop_next_pc = {
    .info = {"uop-next-pc",
             "a macro-op starts at the fall-through or taken target of the one before, or repeats "
             "it",
             "cis501: fields 11 and 12; public samples are continuous but for repetitions and cuts",
             SPOOR_SEVERITY_WARNING, true},
    .kinds = KIND(UOP) | KIND(NOTE),
    .feed = feed_next_pc,
    .pass = uop_pass,
    .state_size = sizeof(struct uop_before),
};

static void feed_size(struct look *look)
{
    struct spoor_uop_full uop = spoor_uop_of(look->batch, look->index);
    uint64_t size = uop.fall - uop.pc;
    if (size >= 1 && size <= UOP_LONGEST) return;
    look_found(look, "fall-through %" PRIx64, uop.fall);
    look_expected(look, "1 to %d bytes after pc %" PRIx64, UOP_LONGEST, uop.pc);
}
const struct rule rule_uop_size = {
    .info = {"uop-size", "an instruction has 1 to 15 bytes: fall-through minus pc",
             "cis501: field 11; x86 limits an instruction to 15 bytes", SPOOR_SEVERITY_ERROR, true},
    .kinds = KIND(UOP),
    .feed = feed_size,
    .pass = uop_pass,
};

static void feed_target(struct look *look)
{
    const struct spoor_record *record = look->record;
    bool branch = record->op & (SPOOR_UOP_TAKEN | SPOOR_UOP_NOT_TAKEN);
    if (branch == (record->uop.target != 0)) return;
    look_found(look, "target %" PRIx64, record->uop.target);
    look_expected(look, branch ? "a target: the micro-op is a branch" : "0: no branch");
}
const struct rule rule_uop_target = {
    .info = {"uop-target", "the target is non-zero exactly where Branch is T or N",
             "cis501: field 12, Target PC", SPOOR_SEVERITY_ERROR, true},
    .kinds = KIND(UOP),
    .feed = feed_target,
    .pass = uop_pass,
};

static bool moves_data(const struct spoor_record *record)
{
    return record->op & (SPOOR_UOP_LOAD | SPOOR_UOP_STORE);
}

static void feed_address(struct look *look)
{
    if (moves_data(look->record) || look->record->uop.address == 0) return;
    look_found(look, "address %" PRIx64, look->record->uop.address);
    look_expected(look, "0: neither load nor store");
}
const struct rule rule_uop_address = {
    .info = {"uop-address", "only loads and stores have a memory address",
             "cis501: field 10, Memory Address", SPOOR_SEVERITY_ERROR, true},
    .kinds = KIND(UOP),
    .feed = feed_address,
    .pass = uop_pass,
};

static void feed_address_zero(struct look *look)
{
    if (!moves_data(look->record) || look->record->uop.address) return;
    look_found(look, "address 0");
    look_expected(look, "an address: page 0 is not mapped in a user program");
}
const struct rule rule_uop_address_zero = {
    .info = {"uop-address-zero", "a load or store does not go to address 0",
             "cis501: field 10 says 0 for no access; a machine without paging may mean it",
             SPOOR_SEVERITY_WARNING, true},
    .kinds = KIND(UOP),
    .feed = feed_address_zero,
    .pass = uop_pass,
};

static void feed_register(struct look *look)
{
    struct spoor_uop_full uop = spoor_uop_of(look->batch, look->index);
    const struct {
        const char *name;
        int32_t number;
    } registers[] = {{"src1", uop.src1}, {"src2", uop.src2}, {"dest", uop.dest}};
    for (size_t i = 0; i < sizeof registers / sizeof *registers; i++) {
        if (registers[i].number >= -1 && registers[i].number <= UOP_LAST_REGISTER) continue;
        look_found(look, "%s %" PRId32, registers[i].name, registers[i].number);
        look_expected(look, "-1 to %d", UOP_LAST_REGISTER);
    }
}
const struct rule rule_uop_register = {
    .info = {"uop-register", "registers are -1 (none) to 49 (flags)",
             "cis501: fields 3 to 5; the course's simulators have 50 registers",
             SPOOR_SEVERITY_WARNING, true},
    .kinds = KIND(UOP),
    .feed = feed_register,
    .pass = uop_pass,
};
