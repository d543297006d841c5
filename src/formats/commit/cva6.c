/* SPDX-License-Identifier: MIT */
/*
 * cva6.c: the log of the instruction tracer of CVA6 (trace_hart_N.log).
 *
 *     TIMEns CYCLE PRIVILEGE PC MISPREDICTED OPCODE DISASSEMBLY {NAME :VALUE} [VA: ADDRESS PA:
 * ADDRESS] Exception @TIME, PC: PC, Cause: CAUSE[,] tval: VALUE
 *
 * The register that the instruction writes comes before those that it reads.  Its other log, that
 * of its RVFI tracer, is one of Spike's: see spike.c.
 */
#include "base/ascii.h"
#include "formats/commit/parts.h"
#include "formats/probe.h"
#include "isa/operands.h"
#include "isa/riscv_zc.h"

static bool cva6_is_name(char c)
{
    return (c >= 'a' && c <= 'z') || ascii_is_digit(c);
}

/* True for "NAME :HEX" or "VA: HEX": where the disassembly has ended. */
static bool cva6_begins_contents(const char *at, const char *end)
{
    const char *begin = at;
    if (end - at > 4 && memcmp(at, "VA: ", 4) == 0) return true;
    while (at < end && cva6_is_name(*at)) at++;
    if (at == begin || at - begin > 4) return false;
    while (at < end && *at == ' ') at++;
    if (at == end || *at != ':') return false;
    at++;
    while (at < end && *at == ' ') at++;
    return at < end && hex_value[(unsigned char)*at] < 16;
}

static bool cva6_read_insn(struct commit_reader *reading)
{
    struct isa_operands operands;
    commit_push(reading, SPOOR_INSN)->op = SPOOR_INSN_TAKEN;
    if (!commit_cycle(reading, "ns")) return false;
    struct spoor_record *record = &reading->batch->records[reading->first];
    record->has |= SPOOR_HAS_VA | SPOOR_HAS_EXTRA;
    if (!commit_name(reading, COMMIT_MODE, &record->insn.mode) || !commit_gap(reading))
        return commit_fail(reading, "the privilege");
    if (!commit_hex(reading, COMMIT_PC, &record->insn.va) || !commit_gap(reading))
        return commit_fail(reading, "the address of the instruction");
    if ((!commit_literal(reading, "0") && !commit_literal(reading, "1")) || !commit_gap(reading))
        return commit_fail(reading, "0 or 1: mispredicted");
    if (!commit_riscv_opcode(reading, record)) return false;
    if (!commit_gap(reading)) return scan_done(&reading->scan);
    uint64_t opcode = record->insn.opcode;
    const bool shared = riscv_zc_shares(opcode, record->insn.opcode_size);
    const bool is_zc = shared && commit_stands(reading, "cm.");
    if (shared) opcode = riscv_zc_decide(opcode, is_zc ? RISCV_ZC_OTHER : RISCV_ZC_FSDSP);
    if (!isa_operands_of(&operands, ISA_RISCV, false, opcode, record->insn.opcode_size))
        operands = (struct isa_operands){.base = -1};
    if (is_zc) operands.size = 0; /* words of XLEN, which no line states */
    const char *text = reading->scan.at, *contents = text;
    while (contents < reading->scan.end && !((contents == text || contents[-1] == ' ') &&
                                             cva6_begins_contents(contents, reading->scan.end)))
        contents++;
    const char *end = contents;
    while (end > text && end[-1] == ' ') end--;
    commit_disassembly(reading, record, end);
    commit_copy(reading, contents);
    commit_resume(reading);
    while (!scan_done(&reading->scan)) {
        if (commit_stands(reading, "VA: ")) {
            record = commit_push(reading, SPOOR_MEM);
            record->op = operands.store ? SPOOR_MEM_WRITE : SPOOR_MEM_READ;
            record->mem.size = (uint16_t)operands.size;
            record->has |= SPOOR_HAS_VA | SPOOR_HAS_PA;
            if (!commit_literal(reading, "VA: ") ||
                !commit_hex(reading, COMMIT_VIRTUAL, &record->mem.va) ||
                !commit_literal(reading, " PA: ") ||
                !commit_hex(reading, COMMIT_PHYSICAL, &record->mem.pa))
                return commit_fail(reading, "VA: and PA: with their addresses");
        } else {
            /* The first register of a line is the one that the instruction writes.  An instruction
             * that reads and writes none by its opcode (ECALL) has only a result that its
             * environment wrote. */
            bool written = false;
            if (reading->last->kind != SPOOR_REG && !operands.write_count) {
                written = operands.name && !operands.read_count;
            } else if (reading->last->kind != SPOOR_REG) {
                struct register_name canonical;
                const char *name = reading->scan.at, *name_end = name;
                while (name_end < reading->scan.end && cva6_is_name(*name_end)) name_end++;
                register_canonical(name, (size_t)(name_end - name), ISA_RISCV, &canonical);
                written = isa_register_number(ISA_RISCV, &canonical) == operands.writes[0];
            }
            record = commit_push(reading, SPOOR_REG);
            record->op = written ? SPOOR_REG_WRITE : SPOOR_REG_READ;
            if (!commit_name(reading, COMMIT_REGISTER, &record->reg.name))
                return commit_fail(reading, "a register or VA:");
            commit_gap(reading);
            if (!commit_literal(reading, ":")) return commit_fail(reading, "':' and the value");
            commit_gap(reading);
            if (!commit_value(reading)) return commit_fail(reading, "the value of the register");
        }
        if (!commit_gap(reading) && !scan_done(&reading->scan))
            return commit_fail(reading, "a blank before the next register");
    }
    return true;
}

/* ---- exceptions ---- */

static const struct {
    const char *text;
    uint8_t number;
    bool interrupt;
} causes[] = {
    {"Instruction Address Misaligned", 0, false},
    {"Instruction Access Fault", 1, false},
    {"Illegal Instruction", 2, false},
    {"Breakpoint", 3, false},
    {"Load Address Misaligned", 4, false},
    {"Load Access Fault", 5, false},
    {"Store Address Misaligned", 6, false},
    {"Store Access Fault", 7, false},
    {"Environment Call User Mode", 8, false},
    {"Environment Call Supervisor Mode", 9, false},
    {"Environment Call Machine Mode", 11, false},
    {"Instruction Page Fault", 12, false},
    {"Load Page Fault", 13, false},
    {"Store Page Fault", 15, false},
    {"Supervisor Software Interrupt", 1, true},
    {"Machine Software Interrupt", 3, true},
    {"Supervisor Timer Interrupt", 5, true},
    {"Machine Timer Interrupt", 7, true},
    {"Supervisor External Interrupt", 9, true},
    {"Machine External Interrupt", 11, true},
};

static bool cva6_read_line(struct commit_reader *reading)
{
    memcpy(reading->template, "clk", 4); /* a spelling begins with the unit of time */
    const bool exception = commit_stands(reading, "Exception @");
    if (!exception && !commit_stands(reading, "\t")) return cva6_read_insn(reading);
    struct spoor_record *record = commit_push(reading, SPOOR_EVENT);
    record->has |= SPOOR_HAS_VA;
    if (!exception) {
        record->op = SPOOR_EVENT_DEBUG;
        record->event.name = commit_intern(reading, "tval", strlen("tval"));
        commit_gap(reading);
        return (commit_literal(reading, "tval: ") &&
                commit_hex(reading, COMMIT_EVENT_VALUE, &record->event.value)) ||
               commit_fail(reading, "tval: and its value");
    }
    record->op = SPOOR_EVENT_EXCEPTION;
    record->has |= SPOOR_HAS_EXTRA;
    commit_literal(reading, "Exception @");
    commit_gap(reading);
    if (!commit_count(reading, COMMIT_PERIOD, &record->event.value1))
        return commit_fail(reading, "the time");
    if (!commit_literal(reading, ", PC: ") ||
        !commit_hex(reading, COMMIT_EVENT_VALUE, &record->event.value))
        return commit_fail(reading, ", PC: and the address");
    if (!commit_literal(reading, ", Cause: ")) return commit_fail(reading, ", Cause: ");
    const char *begin = reading->scan.at, *end = reading->scan.end;
    while (end > begin && (end[-1] == ' ' || end[-1] == ',')) end--;
    const size_t size = (size_t)(end - begin);
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++) {
        if (strlen(causes[i].text) != size || memcmp(causes[i].text, begin, size) != 0) continue;
        const struct spoor_reg cause = {.value[0] = causes[i].number | (uint64_t)causes[i].interrupt
                                                                           << 63};
        commit_riscv_cause(reading, record, &cause);
    }
    if (!record->event.name) record->event.name = commit_intern(reading, begin, size);
    commit_copy(reading, reading->scan.end);
    return true;
}

static const struct commit_lines lines = {"cva6", cva6_read_line, NULL, NULL, commit_has_address};
static const struct text_rules rules = COMMIT_RULES(&lines, "\0");

/* ---- writing from other records ---- */

static bool cva6_put(struct commit_line *line, const struct spoor_batch *batch, size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    if (record->kind == SPOOR_INSN) {
        const struct spoor_insn *insn = &record->insn;
        text_printf(&line->head, "%8lluns %8llu %c %016llx 0 %08llx ",
                    (unsigned long long)record->time, (unsigned long long)record->time,
                    commit_privilege_letter(batch, record), (unsigned long long)insn->va,
                    (unsigned long long)insn->opcode);
        text_put(&line->head, spoor_batch_bytes(batch, insn->disasm), insn->disasm.size);
        return true;
    }
    if (record->kind == SPOOR_REG && (record->has & SPOOR_HAS_DATA) && !record->reg.wide.size &&
        record->op != SPOOR_REG_SYSTEM) {
        unsigned number;
        const char kind = commit_riscv_number(batch, record->reg.name, &number);
        if (kind != 'x' && kind != 'f') return false;
        struct text *out = record->op == SPOOR_REG_WRITE ? &line->registers : &line->csrs;
        if (record->op == SPOOR_REG_WRITE && out->size) return false; /* a line has one */
        text_printf(out, " %c%-3u:%016llx", kind, number, (unsigned long long)record->reg.value[0]);
        return true;
    }
    if (record->kind != SPOOR_MEM || !(record->has & (SPOOR_HAS_VA | SPOOR_HAS_PA)) ||
        line->accesses.size || (record->op != SPOOR_MEM_READ && record->op != SPOOR_MEM_WRITE))
        return false;
    const uint64_t pa = record->has & SPOOR_HAS_PA ? record->mem.pa : record->mem.va;
    text_printf(&line->accesses, " VA: %016llx PA: %016llx",
                (unsigned long long)(record->has & SPOOR_HAS_VA ? record->mem.va : pa),
                (unsigned long long)pa);
    return true;
}

static const struct commit_style style = {.put = cva6_put};

#define BIT SPOOR_FIELD_BIT
const struct spoor_format format_cva6 = {
    .name = "cva6",
    .title = "log of the instruction tracer of CVA6",
    .suffixes = "cva6;log",
    .document = "openhwgroup/cva6: common/local/util/instr_tracer.sv",
    .console = true,
    .time_unit = "clk",
    .multi_record = true,
    .effects_need_insn = true,
    .is_riscv = true,
    .fields =
        {
            [SPOOR_INSN] = BIT(TIME) | BIT(OP) | BIT(PC) | BIT(OPCODE) | BIT(OPCODE_SIZE) |
                           BIT(MODE) | BIT(DISASM),
            [SPOOR_REG] = BIT(OP) | BIT(REG) | BIT(VALUE) | BIT(BITS),
            [SPOOR_MEM] = BIT(OP) | BIT(ADDRESS) | BIT(PA) | BIT(SIZE),
            [SPOOR_EVENT] = BIT(OP) | BIT(EVENT) | BIT(VALUE) | BIT(VALUE1) | BIT(NUMBER),
        },
    .fit = commit_fit,
    .text = &rules,
    .resolve = commit_carry_times,
    .resolves_little = true,
    .write = commit_write,
    .end = commit_end,
    .variant = &style,
};
