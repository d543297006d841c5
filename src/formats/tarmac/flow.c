/* SPDX-License-Identifier: MIT */
/*
 * flow.c: [FD|FI|FR] {(<inst_id>)} <addr> <targ_addr> {A|T|X|O}
 *
 * FR, an exception return, occurs in newer Fast Models and is not in the document.  ES states only
 * where execution continues: BR (<targ_addr>) {A|T|X|O}
 */
#include "formats/tarmac/writer.h"

enum { ADDRESS = 0, TARGET = 2 };

static const char before_target[] = "'(' and the target of the branch";

static const char *const words[SPOOR_FLOW_BRANCH] = {
    [SPOOR_FLOW_DIRECT] = "FD",
    [SPOOR_FLOW_INDIRECT] = "FI",
    [SPOOR_FLOW_RETURN] = "FR",
};

static bool flow_read_iset(struct tarmac_reader *reader)
{
    if (!tarmac_more(reader)) return true;
    struct spoor_slice token;
    static const char expected[] = "the instruction set: A, T, X or O";
    if (!tarmac_read_token(reader, &token, expected)) return false;
    if (token.size != 1 || !memchr("ATXO", token.bytes[0], 4)) {
        reader->scan.at = token.bytes;
        return tarmac_fail(reader, expected);
    }
    reader->record->flow.iset = (uint8_t)token.bytes[0];
    return true;
}

bool flow_line_read(struct tarmac_reader *reader)
{
    struct spoor_flow *flow = &reader->record->flow;
    struct address from, to;
    if (!tarmac_read_index(reader, &flow->index) || !tarmac_read_gap(reader) ||
        !tarmac_read_address(reader, ADDRESS, &from) || !tarmac_read_gap(reader) ||
        !tarmac_read_address(reader, TARGET, &to))
        return false;
    flow->va = from.va;
    flow->pa = from.pa;
    flow->security = from.security;
    flow->target = to.va;
    flow->target_pa = to.pa;
    flow->target_security = to.security;
    reader->record->has |=
        (uint16_t)(SPOOR_HAS_VA | SPOOR_HAS_DATA | (from.has_pa ? SPOOR_HAS_PA : 0) |
                   (to.has_pa ? SPOOR_HAS_PA2 : 0));
    return flow_read_iset(reader);
}

bool branch_line_read(struct tarmac_reader *reader)
{
    uint64_t *target = &reader->record->flow.target;
    reader->record->has |= SPOOR_HAS_DATA;
    if (!tarmac_read_gap(reader) || !tarmac_read_char(reader, '(', before_target) ||
        !tarmac_read_hex(reader, TARGET, target, before_target) ||
        !tarmac_read_char(reader, ')', "')' after the target") || !flow_read_iset(reader))
        return false;
    reader->numbers_known = true;
    tarmac_learn(reader, TARGET, target);
    return true;
}

static void flow_write_iset(struct tarmac_writer *writer)
{
    if (!writer->record->flow.iset) return;
    tarmac_write_gap(writer);
    tarmac_write_char(writer, (char)writer->record->flow.iset);
}

bool branch_line_write(struct tarmac_writer *writer)
{
    const struct spoor_flow *flow = &writer->record->flow;
    tarmac_write_text(writer, "BR");
    tarmac_write_gap(writer);
    tarmac_write_char(writer, '(');
    tarmac_write_hex(writer, TARGET, flow->target,
                     flow->iset == 'O' || flow->target >> 32 ? 16
                                                             : writer->dialect->address_digits);
    tarmac_write_char(writer, ')');
    flow_write_iset(writer);
    return true;
}

bool flow_line_write(struct tarmac_writer *writer)
{
    const uint16_t known = SPOOR_HAS_VA | SPOOR_HAS_DATA;
    const struct spoor_flow *flow = &writer->record->flow;
    const uint16_t has = writer->record->has;
    uint8_t op = writer->record->op;
    if (op & SPOOR_FLOW_TYPED) /* of a branch trace: the closest of Tarmac's operations */
        op = op & SPOOR_FLOW_NOT_TAKEN     ? SPOOR_FLOW_BRANCH /* there is none */
             : op & SPOOR_FLOW_IS_RETURN   ? SPOOR_FLOW_RETURN
             : op & SPOOR_FLOW_IS_INDIRECT ? SPOOR_FLOW_INDIRECT
                                           : SPOOR_FLOW_DIRECT;
    if (!writer->foreign && op == SPOOR_FLOW_BRANCH) return branch_line_write(writer);
    if (op > SPOOR_FLOW_RETURN || (has & known) != known) return false;
    struct address from = {flow->va, flow->pa, flow->security, has & SPOOR_HAS_PA};
    struct address to = {flow->target, flow->target_pa, flow->target_security, has & SPOOR_HAS_PA2};
    tarmac_write_text(writer, words[op]);
    tarmac_write_index(writer, flow->index);
    tarmac_write_gap(writer);
    tarmac_write_address(writer, ADDRESS, &from);
    tarmac_write_gap(writer);
    tarmac_write_address(writer, TARGET, &to);
    flow_write_iset(writer);
    return true;
}
