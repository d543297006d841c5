/* SPDX-License-Identifier: MIT */
/*
 * whisper_branches.c: the branches that the RISC-V simulator Whisper traces (--tracebranch).
 *
 *     KIND 0xPC 0xNEXT SIZE
 *
 * The kind is c of a call, r of a return, t of a conditional branch, whether taken or not, x of a
 * trap and e of the return from one; SIZE is that of the instruction in bytes.
 */
#include "formats/commit/parts.h"
#include "formats/probe.h"

static bool whisper_read_branch(struct commit_reader *reading)
{
    struct spoor_record *record = commit_push(reading, SPOOR_FLOW);
    const char kind = scan_done(&reading->scan) ? '\0' : *reading->scan.at;
    uint64_t size;
    if (!kind || !strchr("crjtxe", kind)) return commit_fail(reading, "the kind of the branch");
    commit_copy(reading, reading->scan.at + 1);
    record->has |= SPOOR_HAS_VA;
    if (!commit_literal(reading, " ") ||
        !commit_prefixed(reading, COMMIT_FROM, &record->flow.va, "0x and the address"))
        return commit_fail(reading, "a blank, 0x and the address of the branch");
    if (!commit_literal(reading, " ") ||
        !commit_prefixed(reading, COMMIT_TARGET, &record->flow.target, "0x and the address"))
        return commit_fail(reading, "a blank, 0x and the address of the next instruction");
    if (!commit_literal(reading, " ")) return commit_fail(reading, "a blank before the size");
    const char *begin = reading->scan.at;
    if (!scan_decimal(&reading->scan, &size)) return commit_fail(reading, "the size in decimal");
    commit_plain(reading, begin, (size_t)(reading->scan.at - begin));
    /* two numbers decide whether a conditional branch was taken */
    if (kind == 't') text_refuse(reading->learning);
    const bool taken = record->flow.target != record->flow.va + size;
    record->op = SPOOR_FLOW_BRANCH; /* x and e only say where execution continues */
    if (kind == 'c') record->op = SPOOR_FLOW_TYPED | SPOOR_FLOW_IS_CALL;
    if (kind == 'r') record->op = SPOOR_FLOW_TYPED | SPOOR_FLOW_IS_RETURN | SPOOR_FLOW_IS_INDIRECT;
    if (kind == 'j') record->op = SPOOR_FLOW_TYPED;
    if (kind == 't')
        record->op = (uint8_t)(SPOOR_FLOW_TYPED | SPOOR_FLOW_IS_CONDITIONAL |
                               (taken ? 0U : (unsigned)SPOOR_FLOW_NOT_TAKEN));
    if (kind != 't' || taken) record->has |= SPOOR_HAS_DATA;
    return true;
}

static const struct commit_lines lines = {"whisper-branches", whisper_read_branch, NULL, NULL,
                                          NULL};
static const struct text_rules rules = {COMMIT_RULES(&lines, struct commit_reader)};

/* ---- writing ---- */

/* Writes a branch of another format with a size of 4 bytes, which none of them states. */
static bool whisper_put_branch(struct encoder *encoder, const struct spoor_batch *batch,
                               size_t index, struct text *out)
{
    enum { SIZE = 4 };
    const struct spoor_record *record = &batch->records[index];
    const bool taken = !(record->op & SPOOR_FLOW_NOT_TAKEN);
    (void)encoder;
    if (record->kind != SPOOR_FLOW || !(record->has & SPOOR_HAS_VA) ||
        (taken && !(record->has & SPOOR_HAS_DATA)))
        return false;
    char kind = record->op & SPOOR_FLOW_IS_CONDITIONAL ? 't' : 'j';
    if (record->op & SPOOR_FLOW_IS_CALL) kind = 'c';
    if (record->op & SPOOR_FLOW_IS_RETURN) kind = 'r';
    if (!(record->op & (SPOOR_FLOW_TYPED | SPOOR_FLOW_NOT_TAKEN))) kind = 'j';
    text_printf(out, "%c 0x%llx 0x%llx %d\n", kind, (unsigned long long)record->flow.va,
                (unsigned long long)(taken ? record->flow.target : record->flow.va + SIZE), SIZE);
    return true;
}

static const struct commit_style style = {.record = whisper_put_branch};

#define BIT SPOOR_FIELD_BIT
const struct spoor_format format_whisper_branches = {
    .name = "whisper-branches",
    .title = "branches that the RISC-V simulator Whisper traces",
    .suffixes = "branches",
    .omits = FORMAT_OMITS_ANY,
    .document = "tenstorrent/whisper: --tracebranch",
    .time_unit = "",
    .is_riscv = true,
    .fields = {[SPOOR_FLOW] = BIT(OP) | BIT(PC) | BIT(TARGET) | BIT(BRANCH)},
    .fit = commit_fit,
    .text = &rules,
    .variant = &style,
    .write = commit_write_records,
};
