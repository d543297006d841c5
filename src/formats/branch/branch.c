/* SPDX-License-Identifier: MIT */
/* branch.c: the branches of records. */
#include "formats/branch/branch.h"

#include "views/branches.h"
#include "views/flow_type.h"

static bool branch_from_flow(const struct spoor_record *record, struct branch_count *count,
                             struct branch *branch)
{
    const struct spoor_flow *flow = &record->flow;
    if (!(record->has & SPOOR_HAS_VA)) return false;
    const bool numbered = (record->has & SPOOR_HAS_INDEX) && flow->index > count->index;
    count->index = numbered ? flow->index : count->index + !(record->has & SPOOR_CONTINUES);
    const int untyped = record->op & ~SPOOR_FLOW_NOT_TAKEN;
    uint8_t type = 0;
    if (record->op & SPOOR_FLOW_TYPED)
        type = record->op & 15;
    else if (untyped == SPOOR_FLOW_INDIRECT)
        type = SPOOR_FLOW_IS_INDIRECT;
    else if (untyped == SPOOR_FLOW_RETURN)
        type = SPOOR_FLOW_IS_INDIRECT | SPOOR_FLOW_IS_RETURN;
    *branch = (struct branch){
        .pc = flow->va,
        .target = (record->has & SPOOR_HAS_DATA) ? flow->target : 0,
        .pc_pa = flow->pa,
        .target_pa = flow->target_pa,
        .type = type,
        .taken = !(record->op & SPOOR_FLOW_NOT_TAKEN),
        .has_pc_pa = record->has & SPOOR_HAS_PA,
        .has_target_pa = record->has & SPOOR_HAS_PA2,
    };
    return true;
}

/* The branch is complete: add the instructions of the branches skipped before it. */
static void branch_complete(struct branch_count *count, struct branch *branch)
{
    branch->gap += count->left_out;
    count->left_out = 0;
    count->sum += branch->gap;
}

/* ---- traces with instructions ---- */

/* True if the trace states instructions, or fetches of them. */
static bool branch_has_instructions(const struct spoor_batch *batch)
{
    return batch->stream->kinds & (1u << SPOOR_INSN | 1u << SPOOR_MEM);
}

bool branch_finder_add(struct branch_finder *view, const struct spoor_batch *batch, size_t index)
{
    view->branches.count = 0;
    if (view->batch != batch || view->batch_first != batch->first) {
        view->batch = batch;
        view->batch_first = batch->first;
        if (!branches_begin(&view->branches, batch)) return false;
    }
    return branches_add_record(&view->branches, batch, index);
}

bool branch_finder_end(struct branch_finder *view)
{
    view->batch = NULL;
    view->branches.count = 0;
    return spoor_branches_end(&view->branches, NULL) == SPOOR_OK;
}

/* The next branch of the view; false: there are no more.  A taken one whose target the trace hides
 * is skipped, and the next one has its instructions. */
static bool branch_next_of_view(struct branch_count *count, struct branch *branch)
{
    enum { LONGEST_START = 4095, LONGEST = 15 };
    while (count->given < count->view.branches.count) {
        const struct spoor_branch *found = &count->view.branches.items[count->given++];
        const uint64_t size = found->fall - found->pc, gap = (uint64_t)found->gap + 1;
        const bool sized = found->has & SPOOR_BRANCH_HAS_FALL && size <= LONGEST;
        const bool sliced = !count->has_given && gap > LONGEST_START;
        count->handed += gap;
        count->left_out += sliced ? 1 : gap;
        count->has_given = true;
        if (found->has & SPOOR_BRANCH_TAKEN && !(found->has & SPOOR_BRANCH_HAS_TARGET)) continue;
        *branch = (struct branch){
            .pc = found->pc,
            .target = found->has & SPOOR_BRANCH_HAS_TARGET ? found->target : 0,
            .type = flow_of_type(found->type),
            .taken = found->has & SPOOR_BRANCH_TAKEN,
            .size = sized ? (uint8_t)size : 0,
            .gap = count->left_out,
        };
        count->left_out = 0;
        count->sum += branch->gap;
        return true;
    }
    return false;
}

bool branch_ended(struct branch_count *count, struct branch *branch)
{
    if (count->view.batch) {
        count->given = 0;
        branch_finder_end(&count->view);
    }
    return branch_next_of_view(count, branch);
}

void branch_count_free(struct branch_count *count)
{
    spoor_branches_free(&count->view.branches);
}

void branch_lost(struct branch_count *count)
{
    if (count->view.branches.instructions > count->handed)
        count->left_out += count->view.branches.instructions - count->handed;
    spoor_branches_free(&count->view.branches);
    count->view.batch = NULL;
    count->handed = 0;
    count->given = 0;
    if (count->waits) count->left_out += count->waiting.gap;
    count->waits = false;
}

enum branch_found branch_of(const struct spoor_batch *batch, size_t index,
                            struct branch_count *count, struct branch *branch)
{
    enum { LONGEST_START = 4095, LONGEST = 15 };
    const struct spoor_record *record = &batch->records[index];
    bool found = false;
    if (branch_has_instructions(batch)) {
        if (!branch_next_of_view(count, branch)) return BRANCH_NONE;
        if (record->kind == SPOOR_FLOW && record->flow.va == branch->pc) {
            branch->pc_pa = record->flow.pa; /* the view does not state physical addresses */
            branch->target_pa = record->flow.target_pa;
            branch->has_pc_pa = record->has & SPOOR_HAS_PA;
            branch->has_target_pa = record->has & SPOOR_HAS_PA2;
        }
        return BRANCH_FOUND;
    }
    if (record->kind == SPOOR_FLOW) {
        found = branch_from_flow(record, count, branch);
    } else if (record->kind == SPOOR_UOP) {
        const struct spoor_uop_full uop = spoor_uop_of(batch, index);
        const uint64_t size = uop.fall - uop.pc;
        count->index += uop.step == 1;
        found = record->op & (SPOOR_UOP_TAKEN | SPOOR_UOP_NOT_TAKEN);
        if (found) /* the micro-op's name is the only sign of calls and returns */
            *branch = (struct branch){
                .pc = uop.pc,
                .target = uop.target,
                .type = (record->op & SPOOR_UOP_READS_FLAGS) ? SPOOR_FLOW_IS_CONDITIONAL : 0,
                .taken = record->op & SPOOR_UOP_TAKEN,
                .size = size <= LONGEST ? (uint8_t)size : 0,
            };
    } else {
        count->index += record->kind == SPOOR_INSN && record->op < SPOOR_INSN_AGAIN;
    }
    if (!found) return BRANCH_NONE;
    if (count->index <= count->last) count->index = count->last + 1;
    const uint64_t gap = count->index - count->last;
    const bool sliced = count->last == 0 && gap > LONGEST_START;
    count->last = count->index;
    branch->gap = sliced ? 1 : gap;
    const bool stated = record->kind == SPOOR_UOP || (record->has & SPOOR_HAS_DATA);
    if (!stated && branch->taken) {
        branch_lost(count);
        count->waits = true;
        count->waiting = *branch;
        count->cpu = record->cpu;
        return BRANCH_WAITS;
    }
    branch_complete(count, branch);
    return BRANCH_FOUND;
}

bool branch_arrived(const struct spoor_batch *batch, size_t index, struct branch_count *count,
                    struct branch *branch)
{
    const struct spoor_record *record = &batch->records[index];
    if (branch_has_instructions(batch)) {
        count->given = 0;
        branch_finder_add(&count->view, batch, index);
        const bool own = record->kind == SPOOR_FLOW && count->view.branches.count == 1 &&
                         count->view.branches.items[0].pc == record->flow.va;
        return !own && branch_next_of_view(count, branch);
    }
    if (!count->waits || record->kind != SPOOR_INSN || record->op == SPOOR_INSN_AGAIN ||
        !(record->has & SPOOR_HAS_VA) || record->cpu != count->cpu)
        return false;
    *branch = count->waiting;
    branch->target = record->insn.va;
    count->waits = false;
    branch_complete(count, branch);
    return true;
}
