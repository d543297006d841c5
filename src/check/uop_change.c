/* SPDX-License-Identifier: MIT */
/* uop_change.c: the rule that a place of the program has one micro-op. */
#include <inttypes.h>

#include "check/uop.h"

static void uop_change_feed_change(struct context *context)
{
    const struct spoor_record *record = context->record;
    if (uop_has_no_effect(record)) return;
    const struct spoor_uop_full uop = spoor_uop_of(context->batch, context->index);
    const struct uop_key key = uop_key_of(record, uop_is_clean(&record->uop));
    if (!uop_site_meet(context->state, &key)) return;
    context_found(context, "another micro-op %" PRId32 " once at pc %" PRIx64, uop.step, uop.pc);
    context_expected(context, "%s with the same registers and immediate, as before and after",
                     context_name(context, record->uop.micro));
}
EXAMINE_BLOCK(uop_change_feed_change)
const struct rule rule_uop_change = {
    .info = {"uop-change",
             "a pc has the same micro-ops, registers and immediates, unless the code changes "
             "permanently",
             "code lies in memory: an instruction that appears once and never again was not "
             "executed",
             SPOOR_SEVERITY_WARNING, true},
    .kinds = KIND(UOP),
    .feed = uop_change_feed_change_block,
    .pass = uop_pass,
    .state_size = sizeof(struct uop_sites),
    .own_state = true,
};
