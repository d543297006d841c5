/* SPDX-License-Identifier: MIT */
/*
 * cis501_arm.c: the instruction traces of Penn's course CIS501 of 2014 to 2016.
 *
 *     PC SIZE [TYPE] T|N|_ TARGET L|S|_ ADDRESS BYTES R|W|B|_ DST SRC1 SRC2 ASSEMBLY
 *
 * between tabs: 12 fields, or 13 with the type of a branch (CD CI UD UI), in the last year.  The
 * code is Arm's, of 2 and 4 bytes.  TARGET, ADDRESS and BYTES are 0 where there are none.  R, W and
 * B read and write the condition codes; registers are written in three columns, _ for none.
 */
#include "base/ascii.h"
#include "formats/commit/parts.h"
#include "formats/probe.h"
#include "views/flow_type.h"

/* Passes a tab. */
static bool cis501_tab(struct commit_reader *reading)
{
    return commit_literal(reading, "\t") || commit_fail(reading, "a tab and the next field");
}

/* Passes a field of one letter among `letters`; 0: it is another. */
static char cis501_letter(struct commit_reader *reading, const char *letters)
{
    const struct scan *scan = &reading->scan;
    if (scan_done(scan) || !strchr(letters, *scan->at)) return 0;
    const char letter = *scan->at;
    commit_copy(reading, scan->at + 1);
    return letter;
}

/* Passes a decimal number that is none of a record. */
static bool cis501_decimal(struct commit_reader *reading, uint64_t maximum, uint64_t *value)
{
    struct scan scan = reading->scan;
    if (!scan_decimal(&scan, value) || *value > maximum) return false;
    commit_copy(reading, scan.at);
    return true;
}

/* Passes the number of a target or an address that there is not: 0, for no record has it. */
static bool cis501_nothing(struct commit_reader *reading)
{
    struct scan scan = reading->scan;
    uint64_t value;
    if (!scan_hex(&scan, &value, NULL, NULL) || value != 0) return false;
    commit_copy(reading, scan.at);
    return true;
}

static bool cis501_begins(const struct spoor_slice *text, const char *word)
{
    return ascii_some_begins(text->bytes, text->size, word);
}

/* The type of a branch by its assembly: the condition codes that it reads, or `type` where the
 * trace states it, tell whether it is conditional. */
static unsigned cis501_type(const struct spoor_slice *assembly, const char *type, bool reads_codes)
{
    size_t word = 0; /* letters of the mnemonic, without .w */
    while (word < assembly->size && assembly->bytes[word] != ' ' && assembly->bytes[word] != '.')
        word++;
    const bool to_register = memchr(assembly->bytes, '#', assembly->size) == NULL;
    const bool compares = cis501_begins(assembly, "cb");
    /* ble, bls, blt and blo are conditional jumps */
    const bool links = cis501_begins(assembly, "bl") && (word != 3 || assembly->bytes[2] == 'x');
    const bool returns =
        cis501_begins(assembly, "pop") || cis501_begins(assembly, "ldm") ||
        (cis501_begins(assembly, "bx") && memmem(assembly->bytes, assembly->size, "lr", 2));
    const bool conditional = type ? *type == 'C' : reads_codes || compares;
    const bool indirect = type ? type[1] == 'I' : to_register && !compares;
    return (conditional ? SPOOR_BRANCH_CONDITIONAL : 0U) | (indirect ? SPOOR_BRANCH_INDIRECT : 0U) |
           (links ? SPOOR_BRANCH_CALL : 0U) | (returns ? SPOOR_BRANCH_RETURN : 0U);
}

/* The condition codes, as the register NZCV. */
static void cis501_push_codes(struct commit_reader *reading, enum spoor_reg_op op)
{
    static const char name[] = "NZCV";
    struct spoor_record *record = commit_push(reading, SPOOR_REG);
    record->op = (uint8_t)op;
    record->reg.name = commit_intern(reading, name, sizeof name - 1);
}

static bool cis501_register(struct commit_reader *reading, enum spoor_reg_op op)
{
    enum { COLUMNS = 3 };
    const char *at = reading->scan.at;
    if (reading->scan.end - at < COLUMNS)
        return commit_fail(reading, "a register in three columns");
    if (commit_literal(reading, "  _")) return true;
    while (reading->scan.at < at + COLUMNS - 1 && *reading->scan.at == ' ')
        commit_copy(reading, reading->scan.at + 1);
    struct spoor_record *record = commit_push(reading, SPOOR_REG);
    record->op = (uint8_t)op;
    return (commit_name(reading, COMMIT_REGISTER, &record->reg.name) &&
            reading->scan.at == at + COLUMNS) ||
           commit_fail(reading, "a register in three columns, or _");
}

static bool cis501_line(struct commit_reader *reading)
{
    uint64_t size;
    struct spoor_record *record = commit_push(reading, SPOOR_INSN);
    record->op = SPOOR_INSN_TAKEN;
    record->has |= SPOOR_HAS_VA;
    if (!commit_hex(reading, COMMIT_PC, &record->insn.va))
        return commit_fail(reading, "the address of the instruction");
    if (!cis501_tab(reading)) return false;
    if (!cis501_decimal(reading, 4, &size) || size % 2 || !size)
        return commit_fail(reading, "the size of the instruction, 2 or 4");
    record->insn.opcode_size = (uint8_t)size;
    if (!cis501_tab(reading)) return false;
    const char *type = NULL, *at = reading->scan.at;
    const bool typeless = commit_stands(reading, " _");
    if (commit_stands(reading, " _\t") || (reading->scan.end - at > 3 && at[2] == '\t')) {
        if (!typeless && (!strchr("CU", at[0]) || !strchr("DI", at[1])))
            return commit_fail(reading, "the type of the branch: CD, CI, UD, UI or _");
        if (!typeless) type = at;
        commit_copy(reading, at + 2);
        if (!cis501_tab(reading)) return false;
    }
    const char taken = cis501_letter(reading, "TN_");
    if (!taken) return commit_fail(reading, "T, N or _: whether the branch is taken");
    if (!cis501_tab(reading)) return false;
    const size_t flow = taken == '_' ? 0 : reading->batch->count;
    if (taken != '_') {
        record = commit_push(reading, SPOOR_FLOW);
        const uint64_t *from = &reading->batch->records[reading->first].insn.va;
        record->op = taken == 'N' ? SPOOR_FLOW_NOT_TAKEN : 0;
        record->has |= SPOOR_HAS_VA | SPOOR_HAS_DATA;
        record->flow.va = *from;
        text_copy_word(reading->learning, reading->batch, &record->flow.va, from, UINT64_MAX);
        if (!commit_hex(reading, COMMIT_TARGET, &record->flow.target))
            return commit_fail(reading, "the target of the branch");
    } else if (!cis501_nothing(reading)) {
        return commit_fail(reading, "the target 0, as it does not branch");
    }
    if (!cis501_tab(reading)) return false;
    const char access = cis501_letter(reading, "LS_");
    if (!access) return commit_fail(reading, "L, S or _: whether it loads or stores");
    if (!cis501_tab(reading)) return false;
    if (access == '_') {
        if (!cis501_nothing(reading))
            return commit_fail(reading, "the address 0, as it neither loads nor stores");
        if (!cis501_tab(reading)) return false;
        if (!cis501_nothing(reading))
            return commit_fail(reading, "0 bytes, as it neither loads nor stores");
    } else {
        record = commit_push(reading, SPOOR_MEM);
        record->op = access == 'L' ? SPOOR_MEM_READ : SPOOR_MEM_WRITE;
        record->has |= SPOOR_HAS_VA;
        if (!commit_hex(reading, COMMIT_VIRTUAL, &record->mem.va))
            return commit_fail(reading, "the address of the access");
        if (!cis501_tab(reading)) return false;
        if (!cis501_decimal(reading, UINT16_MAX, &size))
            return commit_fail(reading, "the bytes accessed");
        record->mem.size = (uint16_t)size;
    }
    if (!cis501_tab(reading)) return false;
    const char codes = cis501_letter(reading, "RWB_");
    if (!codes) return commit_fail(reading, "R, W, B or _: the use of the condition codes");
    if (codes == 'R' || codes == 'B') cis501_push_codes(reading, SPOOR_REG_READ);
    if (codes == 'W' || codes == 'B') cis501_push_codes(reading, SPOOR_REG_WRITE);
    if (!cis501_tab(reading) || !cis501_register(reading, SPOOR_REG_WRITE) ||
        !cis501_tab(reading) || !cis501_register(reading, SPOOR_REG_READ) || !cis501_tab(reading) ||
        !cis501_register(reading, SPOOR_REG_READ) || !cis501_tab(reading))
        return false;
    const struct spoor_slice assembly = {reading->scan.at,
                                         (size_t)(reading->scan.end - reading->scan.at)};
    if (memchr(assembly.bytes, '\t', assembly.size))
        return commit_fail(reading, "the assembly of the instruction, the last field");
    if (flow)
        reading->batch->records[flow].op |=
            SPOOR_FLOW_TYPED |
            flow_of_type(cis501_type(&assembly, type, codes == 'R' || codes == 'B'));
    commit_code(reading, COMMIT_HEAD);
    commit_disassembly(reading, &reading->batch->records[reading->first], reading->scan.end);
    return true;
}

static const struct commit_lines lines = {"cis501-arm", cis501_line, NULL, NULL, NULL};
static const struct text_rules rules = {COMMIT_RULES(&lines, struct commit_reader)};

#define BIT SPOOR_FIELD_BIT
const struct spoor_format format_cis501_arm = {
    .name = "cis501-arm",
    .title = "CIS501 instructions of Arm, 12 or 13 fields between tabs",
    .suffixes = "trace",
    .document = "University of Pennsylvania, CIS501 of 2014 to 2016: Insn.java",
    .time_unit = "",
    .fields =
        {
            [SPOOR_INSN] = BIT(OP) | BIT(PC) | BIT(OPCODE_SIZE) | BIT(DISASM),
            [SPOOR_FLOW] = BIT(OP) | BIT(PC) | BIT(TARGET) | BIT(BRANCH),
            [SPOOR_MEM] = BIT(OP) | BIT(ADDRESS) | BIT(SIZE),
            [SPOOR_REG] = BIT(OP) | BIT(REG),
        },
    .multi_record = true,
    .effects_need_insn = true,
    .fit = commit_fit,
    .text = &rules,
    .write = commit_write_records,
};
