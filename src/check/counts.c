/* SPDX-License-Identifier: MIT */
/* counts.c: rules about the counts in the header of a branch trace. */
#include <inttypes.h>
#include <string.h>

#include "base/scan.h"
#include "check/rule.h"

/* The counts in a trace's header, and the counts of its records. */
struct counts {
    bool states_branches, states_instructions;
    bool has_gap; /* part of the trace was not examined */
    uint64_t stated_branches, stated_instructions;
    uint64_t branches;
    uint64_t
        instructions; /* number of the last branch's instruction; later ones are not recorded */
};

/* Parses "KEY  NUMBER" into *value. */
static bool counts_read_key(struct scan scan, const char *key, uint64_t *value)
{
    while (scan_char(&scan, ' ') || scan_char(&scan, '\t')) continue;
    if (!scan_word(&scan, key, strlen(key))) return false;
    while (scan_char(&scan, ' ') || scan_char(&scan, '\t')) continue;
    return scan_decimal(&scan, value);
}

static void counts_feed(struct context *context)
{
    enum { SIGNATURE = 8, HEADER = 24 };
    struct counts *counts = context->state;
    const struct spoor_record *record = context->record;
    counts->has_gap |= context->batch->gap;
    if (record->kind == SPOOR_FLOW) {
        counts->branches++;
        if (record->has & SPOOR_HAS_INDEX) counts->instructions = record->flow.index;
    } else if (record->op == SPOOR_NOTE_HEADER) {
        const char *bytes = spoor_batch_bytes(context->batch, record->note.text);
        const size_t size = record->note.text.size;
        if (size == HEADER && memcmp(bytes, "SBBT\n\1\0", SIGNATURE) == 0) {
            memcpy(&counts->stated_instructions, bytes + SIGNATURE, sizeof(uint64_t));
            memcpy(&counts->stated_branches, bytes + SIGNATURE + 8, sizeof(uint64_t));
            counts->states_branches = counts->states_instructions = true;
        } else { /* a line of a BT9 header has one count */
            const struct scan scan = {bytes, bytes + size};
            counts->states_instructions |=
                counts_read_key(scan, "total_instruction_count:", &counts->stated_instructions);
            counts->states_branches |=
                counts_read_key(scan, "branch_instruction_count:", &counts->stated_branches);
        }
    }
}

static void counts_end_branches(struct context *context)
{
    const struct counts *counts = context->state;
    if (!counts->states_branches || counts->has_gap || counts->branches == counts->stated_branches)
        return;
    context_found(context, "%" PRIu64 " branches to the end of the trace", counts->branches);
    context_expected(context, "%" PRIu64 ", as its header states", counts->stated_branches);
}
EXAMINE_BLOCK(counts_feed)
const struct rule rule_branch_count = {
    .info = {"branch-count", "a trace has as many branches as its header states",
             "sbbt: header, number of branches; bt9: branch_instruction_count",
             SPOOR_SEVERITY_WARNING, true},
    .kinds = KIND(NOTE) | KIND(FLOW),
    .feed = counts_feed_block,
    .end = counts_end_branches,
    .state_size = sizeof(struct counts),
};

static void counts_end_instructions(struct context *context)
{
    const struct counts *counts = context->state;
    if (!counts->states_instructions || counts->has_gap ||
        counts->instructions <= counts->stated_instructions)
        return;
    context_found(context, "instruction %" PRIu64 " is the last branch", counts->instructions);
    context_expected(context, "at most %" PRIu64 " instructions, as the header states",
                     counts->stated_instructions);
}
const struct rule rule_instruction_count = {
    .info = {"instruction-count",
             "the last branch is within the number of instructions that the header states",
             "sbbt: header, number of instructions; bt9: total_instruction_count",
             SPOOR_SEVERITY_NOTE, true},
    .kinds = KIND(NOTE) | KIND(FLOW),
    .feed = counts_feed_block,
    .end = counts_end_instructions,
    .state_size = sizeof(struct counts),
};
