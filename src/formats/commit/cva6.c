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

/* Finds "NAME :HEX" or "VA: HEX", and the end of the disassembly before it. */
static const char *cva6_find_contents(const char *text, const char *end, const char **text_end)
{
    enum { MAX_NAME = 4 };
    const char *contents = end, *colon = text;
    for (; contents == end && (colon = memchr(colon, ':', (size_t)(end - colon))); colon++) {
        const char *name_end = colon, *value = colon + 1;
        while (value < end && *value == ' ') value++;
        while (name_end > text && name_end[-1] == ' ') name_end--;
        const char *name = name_end;
        while (name > text && ((name[-1] >= 'a' && name[-1] <= 'z') || ascii_is_digit(name[-1])))
            name--;
        const bool is_register = name < name_end && name_end - name <= MAX_NAME && value < end &&
                                 hex_value[(unsigned char)*value] < 16;
        const bool is_address =
            colon - text >= 2 && end - colon > 2 && memcmp(colon - 2, "VA: ", 4) == 0;
        if (is_address) name = colon - 2;
        if ((is_register || is_address) && (name == text || name[-1] == ' ')) contents = name;
    }
    *text_end = contents;
    while (*text_end > text && (*text_end)[-1] == ' ') (*text_end)--;
    return contents;
}

static bool cva6_find_disassembly(struct text_middle *middle, const struct text_rules *of,
                                  const char *at, const char *end)
{
    (void)of;
    middle->begin = text_word(at, end, 6);
    if (!middle->begin || *at == 'E') return false; /* an exception's line */
    cva6_find_contents(middle->begin, end, &middle->end);
    middle->size = (uint32_t)(middle->end - middle->begin);
    return middle->size > 0;
}

struct cva6_state {
    struct commit_reader reader;
    struct commit_opcodes opcodes;
    int16_t numbers[256]; /* of registers, by name, plus 2; 0: not looked up yet */
};

/* The number of a register; -1: it is none. */
static int cva6_register_number(struct cva6_state *state, spoor_name name)
{
    enum { KNOWN = sizeof state->numbers / sizeof *state->numbers };
    struct register_name canonical;
    size_t size;
    if (name < KNOWN && state->numbers[name]) return state->numbers[name] - 2;
    const char *text = spoor_names_text(state->reader.decoder->names, name, &size);
    register_canonical(text, size, ISA_RISCV, &canonical);
    const int number = isa_register_number(ISA_RISCV, &canonical);
    if (name < KNOWN) state->numbers[name] = (int16_t)(number + 2);
    return number;
}

/* Sets what the opcode says: which register is the one that is written, and what the access is.
 * The first register of a line is the one that the instruction writes.  An instruction that reads
 * and writes none by its opcode (ECALL) has only a result that its environment wrote. */
static void cva6_settle(void *of, struct spoor_batch *batch, size_t from)
{
    struct cva6_state *state = of;
    const struct commit_opcode *effects = NULL;
    const struct spoor_record *insn = NULL;
    for (size_t i = from; i < batch->count; i++) {
        struct spoor_record *record = &batch->records[i];
        if (record->kind == SPOOR_INSN) {
            insn = record;
            effects = NULL;
        }
        if (!insn || (record->kind != SPOOR_REG && record->kind != SPOOR_MEM)) continue;
        if (!effects) {
            /* An opcode that c.fsdsp shares with one of Zcmp is what the disassembly says. */
            uint64_t opcode = insn->insn.opcode;
            if (riscv_zc_shares(opcode, insn->insn.opcode_size)) {
                const bool is_zc =
                    insn->insn.disasm.size > 3 &&
                    memcmp(spoor_batch_bytes(batch, insn->insn.disasm), "cm.", 3) == 0;
                opcode = riscv_zc_decide(opcode, is_zc ? RISCV_ZC_OTHER : RISCV_ZC_FSDSP);
            }
            effects = commit_find_opcode(&state->opcodes, opcode, insn->insn.opcode_size);
        }
        if (record->kind == SPOOR_MEM) {
            record->op = effects->stores ? SPOOR_MEM_WRITE : SPOOR_MEM_READ;
            record->mem.size = effects->access_size;
            continue;
        }
        bool written = false;
        if (record[-1].kind != SPOOR_REG)
            written = effects->no_registers ||
                      (effects->written >= 0 &&
                       cva6_register_number(state, record->reg.name) == effects->written);
        record->op = written ? SPOOR_REG_WRITE : SPOOR_REG_READ;
    }
}

static bool cva6_read_insn(struct commit_reader *reading)
{
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
    if (!commit_riscv_opcode(reading, record, false)) return false;
    if (!commit_gap(reading)) return scan_done(&reading->scan);
    const char *end, *contents = cva6_find_contents(reading->scan.at, reading->scan.end, &end);
    commit_disassembly(reading, record, end);
    commit_copy(reading, contents);
    commit_resume(reading);
    while (!scan_done(&reading->scan)) {
        if (commit_stands(reading, "VA: ")) {
            record = commit_push(reading, SPOOR_MEM);
            record->op = SPOOR_MEM_READ;
            record->has |= SPOOR_HAS_VA | SPOOR_HAS_PA;
            if (!commit_literal(reading, "VA: ") ||
                !commit_hex(reading, COMMIT_VIRTUAL, &record->mem.va) ||
                !commit_literal(reading, " PA: ") ||
                !commit_hex(reading, COMMIT_PHYSICAL, &record->mem.pa))
                return commit_fail(reading, "VA: and PA: with their addresses");
        } else {
            record = commit_push(reading, SPOOR_REG);
            record->op = SPOOR_REG_READ;
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
static const struct text_rules rules = {
    COMMIT_RULES(&lines, struct cva6_state),
    .find_middle = cva6_find_disassembly,
    .settle = cva6_settle,
};

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
