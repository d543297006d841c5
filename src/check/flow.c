/* SPDX-License-Identifier: MIT */
/* flow.c: rules about branch records. */
#include <inttypes.h>

#include "check/rule.h"
#include "check/site.h"
#include "check/trust.h"

static void flow_feed_reserved(struct context *context)
{
    struct spoor_ref ref;
    if (!spoor_batch_find_spill(context->batch, context->index, SPOOR_SPILL_FIELD, &ref)) return;
    context_found(context, "reserved bits that are set");
    context_expected(context, "0 in them");
}
EXAMINE_BLOCK(flow_feed_reserved)
const struct rule rule_flow_reserved = {
    .info = {"flow-reserved", "reserved bits of a branch are 0",
             "MBPlib: Simple Binary Branch Trace (SBBT) 1.0.0", SPOOR_SEVERITY_ERROR, true},
    .kinds = KIND(FLOW),
    .has = SPOOR_IS_SPILLED,
    .feed = flow_feed_reserved_block,
};

/* Checks calls and returns only: jumps that are not taken occur in published traces. */
static void flow_feed_outcome(struct context *context)
{
    const uint8_t op = context->record->op;
    if (!(op & SPOOR_FLOW_TYPED) || !(op & SPOOR_FLOW_NOT_TAKEN)) return;
    if (op & SPOOR_FLOW_IS_CONDITIONAL || !(op & (SPOOR_FLOW_IS_CALL | SPOOR_FLOW_IS_RETURN)))
        return;
    context_found(context, "%s not taken", spoor_op_name(context->record));
    context_expected(context, "taken: it has no condition");
}
EXAMINE_BLOCK(flow_feed_outcome)
const struct rule rule_flow_outcome = {
    .info = {"flow-outcome", "a call or return without a condition is taken",
             "MBPlib: Simple Binary Branch Trace (SBBT) 1.0.0; ChampSim: types of branches",
             SPOOR_SEVERITY_ERROR, true},
    .kinds = KIND(FLOW),
    .feed = flow_feed_outcome_block,
};

/* Checks for a type that no instruction has. */
static void flow_feed_type(struct context *context)
{
    const uint8_t op = context->record->op;
    const uint8_t both = SPOOR_FLOW_IS_CALL | SPOOR_FLOW_IS_RETURN;
    if (!(op & SPOOR_FLOW_TYPED)) return;
    const bool direct_return = (op & SPOOR_FLOW_IS_RETURN) && !(op & SPOOR_FLOW_IS_INDIRECT);
    if ((op & both) != both && !direct_return) return;
    context_found(context, direct_return ? "a return with its target in the opcode"
                                         : "a call that is a return");
    context_expected(context, "a jump, a call or an indirect return");
}
EXAMINE_BLOCK(flow_feed_type)
const struct rule rule_flow_type = {
    .info = {"flow-type", "a branch is a jump, a call or a return, and returns are indirect",
             "MBPlib: Simple Binary Branch Trace (SBBT) 1.0.0", SPOOR_SEVERITY_WARNING, true},
    .kinds = KIND(FLOW),
    .feed = flow_feed_type_block,
};

struct branch_sites {
    struct sites sites;
    bool indirect; /* the trace states which jumps and calls are indirect; perf does not */
};

static void flow_feed_site(struct context *context)
{
    const struct spoor_record *record = context->record;
    const uint8_t type = record->op & 15;
    struct branch_sites *known = context->state;
    if (!(record->op & SPOOR_FLOW_TYPED) || (record->op & SPOOR_FLOW_NOT_TAKEN)) return;
    const bool conditional = type & SPOOR_FLOW_IS_CONDITIONAL;
    const bool indirect = type & SPOOR_FLOW_IS_INDIRECT;
    known->indirect |= !conditional && indirect && !(type & SPOOR_FLOW_IS_RETURN);
    const bool many = indirect || (!conditional && !known->indirect); /* targets */
    const struct site_value value = {many ? 0 : record->flow.target, type};
    const struct site_value *other = site_meet(&known->sites, record->flow.va, record->cpu, &value);
    if (!other) return;
    if (other->text != value.text)
        context_found(context, "the branch at %" PRIx64 " of another type once", record->flow.va);
    else
        context_found(context, "target %" PRIx64 " once of the branch at %" PRIx64, other->number,
                      record->flow.va);
    context_expected(context, "one type and target of a direct branch, as before and after");
}
EXAMINE_BLOCK(flow_feed_site)
const struct rule rule_flow_site = {
    .info = {"flow-site",
             "a pc has one type of branch, and a direct branch one target, unless the code changes "
             "permanently",
             "code lies in memory: a branch that appears once and never again was not executed",
             SPOOR_SEVERITY_WARNING, true},
    .kinds = KIND(FLOW),
    .has = SPOOR_HAS_VA | SPOOR_HAS_DATA,
    .feed = flow_feed_site_block,
    .state_size = sizeof(struct branch_sites),
};

/* ---- from branch to branch ---- */

enum { INSN_SIZE = 4, INSN_LONGEST = 15, GAP_MAXIMUM = 4095 };

struct branch {
    uint64_t pc, target, index;
    bool taken;
    uint64_t next,
        count; /* of those seen before: the branch after it, and how many instructions on */
};

/* The previous branch, the targets of branches before it, and whether the trace's instructions all
 * have 4 bytes, or at most 15. */
struct branches {
    bool known;
    spoor_name cpu; /* of the previous branch; that of another cpu is not compared with it */
    struct branch before;
    struct trust exact, within;
    struct branch seen[SITES];
};

static struct branch *flow_seen_at(struct branches *branches, uint64_t pc, bool taken)
{
    return &branches->seen[(pc ^ (uint64_t)taken << 63) * UINT64_C(0x9E3779B97F4A7C15) >> 52];
}

/* True if `count` instructions lie between a branch and this pc, each of 4 bytes, or 1 to 15. */
static bool flow_lies_after(const struct branch *branch, uint64_t pc, uint64_t count, bool exact)
{
    const uint64_t bytes = pc - (branch->taken ? branch->target : branch->pc);
    const uint64_t between = count - branch->taken;
    return exact ? bytes == between * INSN_SIZE
                 : bytes >= between && bytes <= between * INSN_LONGEST;
}

/* An exception leads elsewhere, too.  Returns the part of either branch that, if it were another
 * one, would explain the distance; NULL: there is none. */
static const char *flow_wrong_part(struct branches *branches, const struct branch *now, bool exact)
{
    const struct branch *before = &branches->before;
    const uint64_t count = now->index - before->index;
    struct branch other = *before;
    other.taken = !before->taken;
    if (flow_lies_after(&other, now->pc, count, exact)) return "another outcome";
    const struct branch *seen = flow_seen_at(branches, before->pc, before->taken);
    const bool again = seen->pc == before->pc && seen->taken == before->taken;
    if (again && before->taken && seen->target != before->target &&
        flow_lies_after(seen, now->pc, count, exact))
        return "its other target";
    if (again && seen->target == before->target && seen->next == now->pc && seen->count &&
        seen->count != count)
        return "the number of instructions that it was before";
    const uint64_t from = before->taken ? before->target : before->pc;
    const uint64_t expected = from + (count - before->taken) * INSN_SIZE;
    if (exact) {
        const struct branch *there = flow_seen_at(branches, expected, now->taken);
        if (there->pc == expected && there->target == now->target)
            return "the pc of a branch to the same target";
    }
    return NULL;
}

static void flow_feed_distance(struct context *context)
{
    struct branches *branches = context->state;
    const struct spoor_record *record = context->record;
    const struct branch now = {record->flow.va,
                               record->flow.target,
                               record->flow.index,
                               !(record->op & SPOOR_FLOW_NOT_TAKEN),
                               0,
                               0};
    branches->known &= branches->cpu == record->cpu;
    branches->cpu = record->cpu;
    const struct branch *before = &branches->before;
    const uint64_t count = now.index - before->index;
    if (branches->known && count && count <= GAP_MAXIMUM) {
        const bool aligned = ((now.pc | (before->taken ? before->target : before->pc)) & 3) == 0;
        const bool four = aligned && trust_evaluate(&branches->exact,
                                                    flow_lies_after(before, now.pc, count, true));
        const bool far =
            trust_evaluate(&branches->within, flow_lies_after(before, now.pc, count, false));
        const char *part = four || far ? flow_wrong_part(branches, &now, four) : NULL;
        if (part) {
            context_found(context,
                          "branch at %" PRIx64 ", instruction %" PRIu64
                          " after the %s one at %" PRIx64,
                          now.pc, count, before->taken ? "taken" : "not taken", before->pc);
            context_expected(context, "%s: instructions between them have %s bytes", part,
                             four ? "4" : "1 to 15");
        }
    }
    if (branches->known) {
        struct branch *seen = flow_seen_at(branches, before->pc, before->taken);
        *seen = *before;
        seen->next = now.pc;
        seen->count = count;
    }
    branches->known = (record->op & SPOOR_FLOW_TYPED) != 0;
    branches->before = now;
}
EXAMINE_BLOCK(flow_feed_distance)
const struct rule rule_flow_distance = {
    .info = {"flow-distance",
             "the instructions between two branches lie between the target of the first and the "
             "second",
             "the next instruction follows one that does not branch; only if the trace agrees "
             "elsewhere",
             SPOOR_SEVERITY_WARNING, true},
    .kinds = KIND(FLOW),
    .has = SPOOR_HAS_VA | SPOOR_HAS_DATA | SPOOR_HAS_INDEX,
    .feed = flow_feed_distance_block,
    .state_size = sizeof(struct branches),
};
