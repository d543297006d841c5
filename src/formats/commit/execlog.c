/* SPDX-License-Identifier: MIT */
/*
 * execlog.c: the log of QEMU's plugin execlog.
 *
 *     CPU, 0xPC, 0xOPCODE, "DISASSEMBLY"{, load|store, 0xADDRESS[, DEVICE]}{, REGISTER -> 0xVALUE}
 *
 * With a device (system emulation) the address is physical, else virtual.  The opcode is always the
 * first four bytes at the address, whatever the size of the instruction.
 */
#include "formats/commit/parts.h"
#include "formats/probe.h"

static bool execlog_read_comma(struct commit_reader *reading, const char *expected)
{
    if (!commit_literal(reading, ",")) return commit_fail(reading, expected);
    commit_gap(reading);
    return true;
}

/* The quote after the disassembly, in which quotes are not escaped: the first one before a comma or
 * the end of the line. */
static const char *execlog_find_quote(const char *at, const char *end)
{
    while ((at = memchr(at, '"', (size_t)(end - at))) && at + 1 < end && at[1] != ',') at++;
    return at;
}

static bool execlog_find_disassembly(struct text_middle *middle, const struct text_rules *of,
                                     const char *at, const char *end)
{
    (void)of;
    const char *quote = memchr(at, '"', (size_t)(end - at));
    if (!quote) return false;
    middle->begin = quote + 1;
    middle->end = execlog_find_quote(quote + 1, end);
    if (!middle->end) return false;
    middle->size = (uint32_t)(middle->end - middle->begin);
    return middle->size > 0;
}

static bool execlog_read_line(struct commit_reader *reading)
{
    struct spoor_record *record = commit_push(reading, SPOOR_INSN);
    record->op = SPOOR_INSN_TAKEN;
    record->has |= SPOOR_HAS_CPU | SPOOR_HAS_VA | SPOOR_HAS_DATA;
    if (!commit_name(reading, COMMIT_CPU, &record->cpu))
        return commit_fail(reading, "the number of the processor");
    if (!execlog_read_comma(reading, "a comma after the processor") ||
        !commit_prefixed(reading, COMMIT_PC, &record->insn.va, "0x and the address") ||
        !execlog_read_comma(reading, "a comma after the address") ||
        !commit_prefixed(reading, COMMIT_OPCODE, &record->insn.opcode, "0x and the opcode") ||
        !execlog_read_comma(reading, "a comma after the opcode"))
        return false;
    if (!commit_literal(reading, "\"")) return commit_fail(reading, "the quoted disassembly");
    const char *end = execlog_find_quote(reading->scan.at, reading->scan.end);
    if (!end) return commit_fail(reading, "a quote after the disassembly");
    commit_disassembly(reading, record, end);
    commit_literal(reading, "\"");
    while (!scan_done(&reading->scan)) {
        if (!execlog_read_comma(reading, "a comma or the end of the line")) return false;
        if (commit_stands(reading, "load,") || commit_stands(reading, "store,")) {
            record = commit_push(reading, SPOOR_MEM);
            record->op = commit_literal(reading, "load") ? SPOOR_MEM_READ : SPOOR_MEM_WRITE;
            if (record->op == SPOOR_MEM_WRITE) commit_literal(reading, "store");
            uint64_t address = 0;
            if (!execlog_read_comma(reading, ", and the address")) return false;
            const unsigned before = reading->size;
            if (!commit_prefixed(reading, COMMIT_VIRTUAL, &address,
                                 "0x and the address of the access"))
                return false;
            /* the name of the device, unless what follows the address is the next effect */
            struct spoor_slice device = {"", 0};
            struct scan scan = reading->scan;
            if (SCAN_LITERAL(&scan, ", ")) {
                while (!scan_done(&scan) && commit_is_blank(*scan.at)) scan.at++;
                device.bytes = scan.at;
                while (!scan_done(&scan) && *scan.at != ',') scan.at++;
                device.size = (size_t)(scan.at - device.bytes);
                if ((device.size == 4 && memcmp(device.bytes, "load", 4) == 0) ||
                    (device.size == 5 && memcmp(device.bytes, "store", 5) == 0) ||
                    memmem(device.bytes, device.size, " -> 0x", 6))
                    device.size = 0;
            }
            record->has |= device.size ? SPOOR_HAS_PA : SPOOR_HAS_VA;
            uint64_t *place = device.size ? &record->mem.pa : &record->mem.va;
            *place = address;
            commit_learn(reading, place);
            if (device.size == 0) continue;
            if (before + 2 < sizeof reading->template)
                reading->template[before + 2] = COMMIT_PHYSICAL; /* after "0x" */
            execlog_read_comma(reading, "");
            reading->scan.at += device.size;
            commit_code(reading, COMMIT_MEMTYPE);
            spoor_batch_spill(reading->batch, SPOOR_SPILL_MEMTYPE,
                              spoor_batch_refer(reading->batch, device.bytes, device.size));
            continue;
        }
        record = commit_push(reading, SPOOR_REG);
        if (!commit_name(reading, COMMIT_REGISTER, &record->reg.name))
            return commit_fail(reading, "load, store or a register");
        if (!commit_literal(reading, " -> 0x") || !commit_value(reading))
            return commit_fail(reading, "-> 0x and the value of the register");
    }
    return true;
}

static const struct commit_lines lines = {"execlog", execlog_read_line, "#", NULL, NULL};
static const struct text_rules rules = {COMMIT_RULES(&lines, struct commit_reader),
                                        .find_middle = execlog_find_disassembly};

/* ---- writing from other records ---- */

static bool execlog_put(struct commit_line *line, const struct spoor_batch *batch, size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    if (record->kind == SPOOR_INSN) {
        const struct spoor_insn *insn = &record->insn;
        text_printf(&line->head, "%u, 0x%llx, 0x%llx, \"", commit_cpu_number(batch, record),
                    (unsigned long long)insn->va, (unsigned long long)insn->opcode);
        text_put(&line->head, spoor_batch_bytes(batch, insn->disasm), insn->disasm.size);
        text_put(&line->head, "\"", 1);
        return true;
    }
    if (record->kind == SPOOR_REG && record->op == SPOOR_REG_WRITE &&
        (record->has & SPOOR_HAS_DATA)) {
        text_put(&line->tail, ", ", 2); /* after the accesses */
        commit_put_register(&line->tail, batch, index);
        text_puts(&line->tail, " -> 0x");
        commit_put_value(&line->tail, batch, index);
        return true;
    }
    struct spoor_ref device;
    if (record->kind != SPOOR_MEM ||
        (record->op != SPOOR_MEM_READ && record->op != SPOOR_MEM_WRITE))
        return false;
    const bool physical = spoor_batch_find_spill(batch, index, SPOOR_SPILL_MEMTYPE, &device) &&
                          (record->has & SPOOR_HAS_PA);
    if (!physical && !(record->has & SPOOR_HAS_VA)) return false;
    text_printf(&line->accesses, ", %s, 0x%08llx", record->op == SPOOR_MEM_READ ? "load" : "store",
                (unsigned long long)(physical ? record->mem.pa : record->mem.va));
    if (!physical) return true;
    text_put(&line->accesses, ", ", 2);
    text_put(&line->accesses, spoor_batch_bytes(batch, device), device.size);
    return true;
}

static const struct commit_style style = {.put = execlog_put};

#define BIT SPOOR_FIELD_BIT
const struct spoor_format format_execlog = {
    .name = "execlog",
    .title = "log of QEMU's plugin execlog",
    .suffixes = "execlog",
    .document = "QEMU: contrib/plugins/execlog.c",
    .console = true,
    .time_unit = "",
    .multi_record = true,
    .effects_need_insn = true,
    .fields =
        {
            [SPOOR_INSN] = BIT(CPU) | BIT(OP) | BIT(PC) | BIT(OPCODE) | BIT(DISASM),
            [SPOOR_REG] = BIT(CPU) | BIT(OP) | BIT(REG) | BIT(VALUE) | BIT(BITS),
            [SPOOR_MEM] = BIT(CPU) | BIT(OP) | BIT(ADDRESS) | BIT(PA) | BIT(MEMTYPE),
        },
    .fit = commit_fit,
    .text = &rules,
    .write = commit_write,
    .end = commit_end,
    .variant = &style,
};
