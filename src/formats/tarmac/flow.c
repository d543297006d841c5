/* SPDX-License-Identifier: MIT */
/*
 * flow.c: [FD|FI|FR] {(<inst_id>)} <addr> <targ_addr> {A|T|X|O}
 *
 * FR, an exception return, occurs in newer Fast Models and is not in the document.  ES states only
 * where execution continues: BR (<targ_addr>) {A|T|X|O}
 */
#include "formats/tarmac/writing.h"

enum { ADDRESS = 0, TARGET = 2 };

static const char before_target[] = "'(' and the target of the branch";

static const char *const words[SPOOR_FLOW_BRANCH] = {
    [SPOOR_FLOW_DIRECT] = "FD",
    [SPOOR_FLOW_INDIRECT] = "FI",
    [SPOOR_FLOW_RETURN] = "FR",
};

static bool read_addresses(struct reading *reading)
{
    struct spoor_flow *flow = &reading->record->flow;
    struct address from, to;
    if (!reading_gap(reading) || !reading_address(reading, ADDRESS, &from) ||
        !reading_gap(reading) || !reading_address(reading, TARGET, &to))
        return false;
    flow->va = from.va;
    flow->pa = from.pa;
    flow->security = from.security;
    flow->target = to.va;
    flow->target_pa = to.pa;
    flow->target_security = to.security;
    reading->record->has |=
        (uint16_t)(SPOOR_HAS_VA | SPOOR_HAS_DATA | (from.has_pa ? SPOOR_HAS_PA : 0) |
                   (to.has_pa ? SPOOR_HAS_PA2 : 0));
    return true;
}

static bool read_iset(struct reading *reading)
{
    if (!reading_more(reading)) return true;
    struct spoor_slice token;
    static const char expected[] = "the instruction set: A, T, X or O";
    if (!reading_token(reading, &token, expected)) return false;
    if (token.size != 1 || !memchr("ATXO", token.bytes[0], 4)) {
        reading->scan.at = token.bytes;
        return reading_fail(reading, expected);
    }
    reading->record->flow.iset = (uint8_t)token.bytes[0];
    return true;
}

bool flow_line_read(struct reading *reading)
{
    return reading_index(reading, &reading->record->flow.index) && read_addresses(reading) &&
           read_iset(reading);
}

bool branch_line_read(struct reading *reading)
{
    uint64_t *target = &reading->record->flow.target;
    reading->record->has |= SPOOR_HAS_DATA;
    if (!reading_gap(reading) || !reading_char(reading, '(', before_target) ||
        !reading_hex(reading, TARGET, target, before_target) ||
        !reading_char(reading, ')', "')' after the target") || !read_iset(reading))
        return false;
    reading->numbers_known = true;
    reading_learn(reading, TARGET, target);
    return true;
}

static void write_iset(struct writing *writing)
{
    if (!writing->record->flow.iset) return;
    writing_gap(writing);
    writing_char(writing, (char)writing->record->flow.iset);
}

bool branch_line_write(struct writing *writing)
{
    const struct spoor_flow *flow = &writing->record->flow;
    writing_text(writing, "BR");
    writing_gap(writing);
    writing_char(writing, '(');
    writing_hex(writing, TARGET, flow->target,
                flow->iset == 'O' || flow->target >> 32 ? 16 : writing->dialect->address_digits);
    writing_char(writing, ')');
    write_iset(writing);
    return true;
}

/* Returns the closest of Tarmac's three operations to a branch trace's type. */
static uint8_t op_of(uint8_t op)
{
    if (!(op & SPOOR_FLOW_TYPED)) return op;
    if (op & SPOOR_FLOW_NOT_TAKEN) return SPOOR_FLOW_BRANCH; /* Tarmac has none for this */
    if (op & SPOOR_FLOW_IS_RETURN) return SPOOR_FLOW_RETURN;
    return op & SPOOR_FLOW_IS_INDIRECT ? SPOOR_FLOW_INDIRECT : SPOOR_FLOW_DIRECT;
}

bool flow_line_write(struct writing *writing)
{
    const uint16_t known = SPOOR_HAS_VA | SPOOR_HAS_DATA;
    const struct spoor_flow *flow = &writing->record->flow;
    const uint16_t has = writing->record->has;
    const uint8_t op = op_of(writing->record->op);
    if (!writing->foreign && op == SPOOR_FLOW_BRANCH) return branch_line_write(writing);
    if (op > SPOOR_FLOW_RETURN || (has & known) != known) return false;
    struct address from = {flow->va, flow->pa, flow->security, has & SPOOR_HAS_PA};
    struct address to = {flow->target, flow->target_pa, flow->target_security, has & SPOOR_HAS_PA2};
    writing_text(writing, words[op]);
    writing_index(writing, flow->index);
    writing_gap(writing);
    writing_address(writing, ADDRESS, &from);
    writing_gap(writing);
    writing_address(writing, TARGET, &to);
    write_iset(writing);
    return true;
}
