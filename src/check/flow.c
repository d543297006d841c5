/* SPDX-License-Identifier: MIT */
/* flow.c: rules about branch records. */
#include <inttypes.h>

#include "check/rule.h"
#include "check/site.h"

static void feed_reserved(struct context *context)
{
    struct spoor_ref ref;
    if (!spoor_batch_find_spill(context->batch, context->index, SPOOR_SPILL_FIELD, &ref)) return;
    context_found(context, "reserved bits that are set");
    context_expected(context, "0 in them");
}
const struct rule rule_flow_reserved = {
    .info = {"flow-reserved", "reserved bits of a branch are 0",
             "MBPlib: Simple Binary Branch Trace (SBBT) 1.0.0", SPOOR_SEVERITY_ERROR, true},
    .kinds = KIND(FLOW),
    .has = SPOOR_IS_SPILLED,
    .feed = feed_reserved,
};

/* Checks calls and returns only: jumps that are not taken occur in published traces. */
static void feed_outcome(struct context *context)
{
    const uint8_t op = context->record->op;
    if (!(op & SPOOR_FLOW_TYPED) || !(op & SPOOR_FLOW_NOT_TAKEN)) return;
    if (op & SPOOR_FLOW_IS_CONDITIONAL || !(op & (SPOOR_FLOW_IS_CALL | SPOOR_FLOW_IS_RETURN)))
        return;
    context_found(context, "%s not taken", spoor_op_name(context->record));
    context_expected(context, "taken: it has no condition");
}
const struct rule rule_flow_outcome = {
    .info = {"flow-outcome", "a call or return without a condition is taken",
             "MBPlib: Simple Binary Branch Trace (SBBT) 1.0.0; ChampSim: types of branches",
             SPOOR_SEVERITY_ERROR, true},
    .kinds = KIND(FLOW),
    .feed = feed_outcome,
};

/* Checks for a type that no instruction has. */
static void feed_type(struct context *context)
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
const struct rule rule_flow_type = {
    .info = {"flow-type", "a branch is a jump, a call or a return, and returns are indirect",
             "MBPlib: Simple Binary Branch Trace (SBBT) 1.0.0", SPOOR_SEVERITY_WARNING, true},
    .kinds = KIND(FLOW),
    .feed = feed_type,
};

static void feed_site(struct context *context)
{
    const struct spoor_record *record = context->record;
    const uint8_t type = record->op & 15;
    if (!(record->op & SPOOR_FLOW_TYPED) || (record->op & SPOOR_FLOW_NOT_TAKEN)) return;
    const struct site_value value = {type & SPOOR_FLOW_IS_INDIRECT ? 0 : record->flow.target, type};
    const struct site *site = site_meet(context->state, record->flow.va, record->cpu, &value);
    if (!site) return;
    if (site->other.text != value.text)
        context_found(context, "the branch at %" PRIx64 " of another type once", record->flow.va);
    else
        context_found(context, "target %" PRIx64 " once of the branch at %" PRIx64,
                      site->other.number, record->flow.va);
    context_expected(context, "one type and target of a direct branch, as before and after");
}
const struct rule rule_flow_site = {
    .info = {"flow-site",
             "a pc has one type of branch, and a direct branch one target, unless the code changes "
             "permanently",
             "code lies in memory: a branch that appears once and never again was not executed",
             SPOOR_SEVERITY_WARNING, true},
    .kinds = KIND(FLOW),
    .has = SPOOR_HAS_VA | SPOOR_HAS_DATA,
    .feed = feed_site,
    .state_size = sizeof(struct sites),
};
