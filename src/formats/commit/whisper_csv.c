/* SPDX-License-Identifier: MIT */
/*
 * whisper_csv.c: the comma-separated log of the RISC-V simulator Whisper (--csvlog).
 *
 *     pc, inst, modified regs, source operands, memory, inst info, privilege, trap, disassembly,
 *     hartid[, iptw, dptw]
 *
 * All numbers but those of registers and harts are hexadecimal without leading zeros.  The columns
 * of registers and memory have several values with ';' between; so has the disassembly where others
 * have commas.
 */
#include "formats/commit/parts.h"
#include "formats/probe.h"

#include <stdio.h>

#define TITLE                                                                                     \
    "pc, inst, modified regs, source operands, memory, inst info, privilege, trap, disassembly, " \
    "hartid"
#define TITLE_BEGIN "pc, inst, modified regs"

/* The columns after the memory: those of the instruction again. */
static bool whisper_csv_read_rest(struct commit_reader *reading)
{
    enum { LONG = 16 /* digits of a cause of 64 bits with its highest bit */ };
    struct spoor_record *head;
    commit_pass(reading, ","); /* its kind */
    if (!commit_comma(reading, "a comma after the kind of the instruction")) return false;
    commit_code(reading, COMMIT_HEAD);
    head = &reading->batch->records[reading->first];
    if (commit_name(reading, COMMIT_MODE, &head->insn.mode)) head->has |= SPOOR_HAS_EXTRA;
    if (!commit_comma(reading, "the privilege and a comma")) return false;
    commit_resume(reading);
    const struct spoor_slice trap = commit_until(reading, ",");
    if (trap.size) {
        struct scan scan = {trap.bytes, trap.bytes + trap.size};
        struct spoor_reg cause = {.bits = trap.size == LONG ? 64 : 32};
        if (!scan_hex(&scan, &cause.value[0], NULL, NULL) || !scan_done(&scan)) {
            reading->scan.at = trap.bytes;
            return commit_fail(reading, "the cause of the trap in hexadecimal");
        }
        commit_plain(reading, trap.bytes, trap.size);
        const uint64_t pc = head->insn.va;
        text_refuse(reading->learning); /* the event has the pc, too */
        struct spoor_record *record = commit_push(reading, SPOOR_EVENT);
        record->op = SPOOR_EVENT_EXCEPTION;
        record->has |= SPOOR_HAS_VA;
        record->event.value = pc;
        commit_riscv_cause(reading, record, &cause);
    }
    if (!commit_comma(reading, "the cause of the trap and a comma")) return false;
    commit_code(reading, COMMIT_HEAD);
    head = &reading->batch->records[reading->first];
    const struct spoor_slice text = commit_until(reading, ",");
    reading->scan.at = text.bytes;
    commit_disassembly(reading, head, text.bytes + text.size);
    if (!commit_comma(reading, "a comma after the disassembly")) return false;
    spoor_name hart;
    if (!commit_name(reading, COMMIT_CPU, &hart)) return commit_fail(reading, "the hart");
    for (size_t i = reading->first; i < reading->batch->count; i++) {
        reading->batch->records[i].cpu = hart;
        reading->batch->records[i].has |= SPOOR_HAS_CPU;
    }
    commit_copy(reading, reading->scan.end); /* walks of the page tables */
    return true;
}

static bool whisper_csv_read_line(struct commit_reader *reading)
{
    bool stores;
    struct spoor_record *record = commit_push(reading, SPOOR_INSN);
    record->op = SPOOR_INSN_TAKEN;
    record->has |= SPOOR_HAS_VA;
    commit_literal(reading, "0x");
    if (!commit_hex(reading, COMMIT_PC, &record->insn.va))
        return commit_fail(reading, "the pc in hexadecimal");
    if (!commit_comma(reading, "a comma after the pc")) return false;
    commit_literal(reading, "0x");
    if (!commit_riscv_opcode(reading, record, true)) return false;
    const unsigned size = commit_riscv_access(record->insn.opcode, &stores);
    if (!commit_comma(reading, "a comma after the opcode")) return false;
    if (!scan_done(&reading->scan) && *reading->scan.at != ',') {
        do {
            if (commit_stands(reading, "pc=")) { /* where a branch that was taken goes */
                struct spoor_record *target = commit_push(reading, SPOOR_EVENT);
                target->op = SPOOR_EVENT_STATE;
                target->has |= SPOOR_HAS_VA;
                target->event.name = commit_intern(reading, "pc", 2);
                commit_literal(reading, "pc=");
                if (!commit_hex(reading, COMMIT_EVENT_VALUE, &target->event.value))
                    return commit_fail(reading, "the address after pc=");
                continue;
            }
            uint64_t number;
            const char kind = scan_done(&reading->scan) ? '\0' : *reading->scan.at;
            struct scan scan = {reading->scan.at + (kind != '\0'), reading->scan.end};
            if (!kind || !strchr("xfvc", kind) || !scan_decimal(&scan, &number) ||
                number >= (kind == 'c' ? 4096 : 32))
                return commit_fail(reading, "a register: x, f, v or c with its number");
            record = commit_push(reading, SPOOR_REG);
            record->op = SPOOR_REG_WRITE;
            record->reg.name = commit_riscv_register(reading, kind, (unsigned)number);
            commit_copy(reading, scan.at);
            if (!commit_literal(reading, "=") || !commit_value(reading))
                return commit_fail(reading, "= and the value of the register");
        } while (commit_literal(reading, ";"));
    }
    if (!commit_comma(reading, "a comma after the registers")) return false;
    commit_pass(reading, ","); /* its sources */
    if (!commit_comma(reading, "a comma after the sources")) return false;
    if (!scan_done(&reading->scan) && *reading->scan.at != ',') {
        do {
            record = commit_push(reading, SPOOR_MEM);
            record->op = SPOOR_MEM_READ;
            record->has |= SPOOR_HAS_VA;
            record->mem.size = (uint16_t)size;
            if (!commit_hex(reading, COMMIT_VIRTUAL, &record->mem.va))
                return commit_fail(reading, "the address of the access");
            if (commit_literal(reading, ":")) {
                record->has |= SPOOR_HAS_PA;
                if (!commit_hex(reading, COMMIT_PHYSICAL, &record->mem.pa))
                    return commit_fail(reading, "the physical address of the access");
            }
            if (!commit_literal(reading, "=")) continue;
            if (size && !stores) { /* an atomic update has read before it wrote */
                const struct spoor_record read = *record;
                text_refuse(reading->learning); /* both have the address */
                record = commit_push(reading, SPOOR_MEM);
                record->has |= read.has & (SPOOR_HAS_VA | SPOOR_HAS_PA);
                record->mem = read.mem;
            }
            record->op = SPOOR_MEM_WRITE;
            if (!commit_value(reading)) return commit_fail(reading, "the data that was stored");
            record->mem.data_digits = 0; /* leading zeros are left out */
            record->mem.size = (uint16_t)size;
        } while (commit_literal(reading, ";"));
    }
    return commit_comma(reading, "a comma after the accesses") && whisper_csv_read_rest(reading);
}

static const struct commit_lines lines = {"whisper-csv", whisper_csv_read_line, NULL, TITLE_BEGIN,
                                          NULL};
static const struct text_rules rules = {COMMIT_RULES(&lines, struct commit_reader)};

/* ---- writing from other records ---- */

static bool whisper_csv_put(struct commit_line *line, const struct spoor_batch *batch, size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    if (record->kind == SPOOR_INSN) {
        const struct spoor_insn *insn = &record->insn;
        const char *text = spoor_batch_bytes(batch, insn->disasm);
        text_printf(&line->head, "%llx,%llx,", (unsigned long long)insn->va,
                    (unsigned long long)insn->opcode);
        text_printf(&line->tail, "%c",
                    commit_privilege_letter(batch, record) + ('a' - 'A')); /* then the trap */
        text_puts(&line->tail, ",");
        for (uint32_t i = 0; i < insn->disasm.size; i++)
            text_put(&line->csrs, text[i] == ',' ? ";" : text + i, 1);
        text_printf(&line->csrs, ",%u", commit_cpu_number(batch, record));
        return true;
    }
    if (record->kind == SPOOR_REG) {
        const struct spoor_reg *reg = &record->reg;
        unsigned number;
        const char kind = commit_riscv_number(batch, reg->name, &number);
        if (!kind || record->op != SPOOR_REG_WRITE || !(record->has & SPOOR_HAS_DATA)) return false;
        text_printf(&line->registers, "%s%c%u=", line->registers.size ? ";" : "", kind, number);
        if (reg->wide.size || reg->value[1])
            commit_put_value(&line->registers, batch, index);
        else
            text_printf(&line->registers, "%llx", (unsigned long long)reg->value[0]);
        return true;
    }
    if (record->kind == SPOOR_MEM) {
        struct text *out = &line->accesses;
        const struct spoor_mem *mem = &record->mem;
        const bool write = record->op == SPOOR_MEM_WRITE;
        if (!(record->has & (SPOOR_HAS_VA | SPOOR_HAS_PA)) ||
            (!write && record->op != SPOOR_MEM_READ))
            return false;
        if (write && (!(record->has & SPOOR_HAS_DATA) || mem->wide.size || mem->data[1]))
            return false;
        char address[32];
        const int size =
            snprintf(address, sizeof address, "%llx",
                     (unsigned long long)(record->has & SPOOR_HAS_VA ? mem->va : mem->pa));
        if (write && out->size == (size_t)size && memcmp(out->bytes, address, out->size) == 0) {
            text_printf(out, "=%llx", (unsigned long long)mem->data[0]); /* it was read before */
            return true;
        }
        text_printf(out, "%s%s", out->size ? ";" : "", address);
        if ((record->has & SPOOR_HAS_VA) && (record->has & SPOOR_HAS_PA) && mem->va != mem->pa)
            text_printf(out, ":%llx", (unsigned long long)mem->pa);
        if (write) text_printf(out, "=%llx", (unsigned long long)mem->data[0]);
        return true;
    }
    if (record->kind != SPOOR_EVENT || record->op != SPOOR_EVENT_EXCEPTION ||
        !(record->has & SPOOR_HAS_INDEX))
        return false;
    text_printf(&line->tail, "%x", record->event.number);
    return true;
}

static const struct commit_style style = {
    .title = TITLE, .put = whisper_csv_put, .columns = "HR,,A,,T,C\n"};

#define BIT SPOOR_FIELD_BIT
const struct spoor_format format_whisper_csv = {
    .name = "whisper-csv",
    .title = "log of the RISC-V simulator Whisper, comma-separated",
    .suffixes = "csv",
    .document = "tenstorrent/whisper: --csvlog",
    .time_unit = "",
    .multi_record = true,
    .effects_need_insn = true,
    .is_riscv = true,
    .fields =
        {
            [SPOOR_INSN] = BIT(CPU) | BIT(OP) | BIT(PC) | BIT(OPCODE) | BIT(OPCODE_SIZE) |
                           BIT(MODE) | BIT(DISASM),
            [SPOOR_REG] = BIT(CPU) | BIT(OP) | BIT(REG) | BIT(VALUE) | BIT(BITS),
            [SPOOR_MEM] = BIT(CPU) | BIT(OP) | BIT(ADDRESS) | BIT(PA) | BIT(SIZE) | BIT(DATA),
            [SPOOR_EVENT] = BIT(CPU) | BIT(OP) | BIT(EVENT) | BIT(VALUE) | BIT(NUMBER),
        },
    .fit = commit_fit,
    .text = &rules,
    .write = commit_write,
    .end = commit_end,
    .variant = &style,
};
