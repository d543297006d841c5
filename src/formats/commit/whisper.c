/* SPDX-License-Identifier: MIT */
/*
 * whisper.c: the log of the RISC-V simulator Whisper (--logfile).
 *
 *     #TAG HART MODE PC OPCODE RESOURCE ADDRESS VALUE DISASSEMBLY [ACCESSES] [(MARK)] [+]
 *
 * The resource is what changed: r, f and v a register, c a control register, m memory; register 0
 * means that nothing did.  An instruction with several changes has a line for each, and all but the
 * last end with a plus sign: the lines after the first are the instruction AGAIN.  The accesses are
 * addresses, "[0xVA]", "[0xVA:0xPA]", or of vector stores "[0xVA=0xDATA;...]".
 */
#include "formats/commit/parts.h"
#include "formats/probe.h"
#include "isa/privilege.h"
#include "isa/riscv_zc.h"

/* The parts at the end of a line. */
struct tail {
    const char *text_end; /* of the disassembly */
    const char *accesses; /* after the bracket; NULL: there are none */
    bool valued;          /* the first access has data */
    bool trapped;         /* the mark is (exception) or (interrupted) */
};

static const char *whisper_trim(const char *begin, const char *end)
{
    while (end > begin && end[-1] == ' ') end--;
    return end;
}

static bool whisper_ends(const char *begin, const char **end, const char *word)
{
    const size_t size = strlen(word);
    if ((size_t)(*end - begin) < size || memcmp(*end - size, word, size) != 0) return false;
    *end = whisper_trim(begin, *end - size);
    return true;
}

/* A number that the line's template has as it is. */
static bool whisper_read_plain_hex(struct commit_reader *reading, uint64_t *value)
{
    const char *begin = reading->scan.at;
    if (!scan_hex(&reading->scan, value, NULL, NULL)) return false;
    commit_plain(reading, begin, (size_t)(reading->scan.at - begin));
    return true;
}

static bool whisper_read_change(struct commit_reader *reading, const struct tail *tail,
                                unsigned size)
{
    const char resource = scan_done(&reading->scan) ? '\0' : *reading->scan.at;
    if (!resource || !strchr("rfvcm", resource))
        return commit_fail(reading, "what changed: r, f, v, c or m");
    commit_copy(reading, reading->scan.at + 1);
    if (!commit_gap(reading)) return commit_fail(reading, "a blank after what changed");
    if (resource == 'm') { /* the address is physical where the line ends with the virtual one */
        const bool both = tail->accesses && !tail->valued;
        struct spoor_record *record = commit_push(reading, SPOOR_MEM);
        record->op = SPOOR_MEM_WRITE;
        record->has |= both ? SPOOR_HAS_PA : SPOOR_HAS_VA;
        if (!(both ? commit_hex(reading, COMMIT_PHYSICAL, &record->mem.pa)
                   : commit_hex(reading, COMMIT_VIRTUAL, &record->mem.va)))
            return commit_fail(reading, "the address of memory");
        if (!commit_gap(reading) || !commit_value(reading))
            return commit_fail(reading, "the data that was stored");
        if (size && size < record->mem.size) record->mem.size = (uint16_t)size;
        return true;
    }
    uint64_t number, zero;
    if (!whisper_read_plain_hex(reading, &number) || number > 0xFFF)
        return commit_fail(reading, "the number of the register in hexadecimal");
    if (!commit_gap(reading)) return commit_fail(reading, "a blank before the value");
    if (resource == 'r' && number == 0)
        return (whisper_read_plain_hex(reading, &zero) && zero == 0) ||
               commit_fail(reading, "the value 0 of no change");
    struct spoor_record *record = commit_push(reading, SPOOR_REG);
    record->op = SPOOR_REG_WRITE;
    record->reg.name =
        commit_riscv_register(reading, resource == 'r' ? 'x' : resource, (unsigned)number);
    if (!commit_value(reading)) return commit_fail(reading, "the value of the register");
    /* a trap is known by the change of its cause, which an instruction has once */
    if (resource != 'c' || !tail->trapped || !commit_is_riscv_cause((unsigned)number)) return true;
    const struct spoor_reg cause = record->reg;
    const uint64_t pc = reading->batch->records[reading->first].insn.va;
    text_refuse(reading->learning); /* the event depends on two numbers */
    record = commit_push(reading, SPOOR_EVENT);
    record->op = SPOOR_EVENT_EXCEPTION;
    record->has |= SPOOR_HAS_VA;
    record->event.value = pc;
    commit_riscv_cause(reading, record, &cause);
    return true;
}

/* Reads "0xVA;0xVA]".  Where memory changed, the first is its address. */
static bool whisper_read_accesses(struct commit_reader *reading, const struct tail *tail,
                                  bool changed, unsigned size)
{
    commit_copy(reading, tail->accesses);
    commit_resume(reading);
    bool stored = changed && !tail->valued;
    do {
        struct spoor_record *record = stored ? reading->last : commit_push(reading, SPOOR_MEM);
        if (!stored) record->op = SPOOR_MEM_READ;
        record->has |= SPOOR_HAS_VA;
        if (!commit_prefixed(reading, COMMIT_VIRTUAL, &record->mem.va,
                             "0x and the address of the access"))
            return false;
        const bool translated = commit_literal(reading, ":");
        if (translated && stored) { /* the line states the physical address twice */
            uint64_t physical;
            if (!commit_prefixed(reading, COMMIT_PHYSICAL, &physical,
                                 "0x and the physical address"))
                return false;
            text_refuse(reading->learning);
            reading->verbatim |= physical != record->mem.pa;
        } else if (translated) {
            record->has |= SPOOR_HAS_PA;
            if (!commit_prefixed(reading, COMMIT_PHYSICAL, &record->mem.pa,
                                 "0x and the physical address of the access"))
                return false;
        }
        if (!stored) record->mem.size = (uint16_t)size;
        if (commit_literal(reading, "=")) {
            record->op = SPOOR_MEM_WRITE;
            if (!commit_literal(reading, "0x") || !commit_value(reading))
                return commit_fail(reading, "0x and the data that was stored");
        }
        stored = false;
    } while (commit_literal(reading, ";"));
    return commit_literal(reading, "]") || commit_fail(reading, "] after the accesses");
}

static bool whisper_read_line(struct commit_reader *reading)
{
    bool stores;
    struct spoor_record *record = commit_push(reading, SPOOR_INSN);
    record->op = SPOOR_INSN_TAKEN;
    record->has |= SPOOR_HAS_CPU | SPOOR_HAS_VA | SPOOR_HAS_INDEX | SPOOR_HAS_EXTRA;
    if (!commit_literal(reading, "#") ||
        !commit_count(reading, COMMIT_INDEX, &record->insn.index) || !commit_gap(reading))
        return commit_fail(reading, "# and the number of the instruction");
    if (!commit_name(reading, COMMIT_CPU, &record->cpu) || !commit_gap(reading))
        return commit_fail(reading, "the number of the hart");
    if (!commit_name(reading, COMMIT_MODE, &record->insn.mode) || !commit_gap(reading))
        return commit_fail(reading, "the mode");
    if (!commit_hex(reading, COMMIT_PC, &record->insn.va) || !commit_gap(reading))
        return commit_fail(reading, "the address of the instruction");
    if (!commit_riscv_opcode(reading, record, true) || !commit_gap(reading))
        return commit_fail(reading, "the opcode in hexadecimal");
    const unsigned size = commit_riscv_access(record->insn.opcode, &stores);
    struct tail tail = {.accesses = NULL};
    const char *text = reading->scan.at, *text_end = whisper_trim(text, reading->scan.end);
    whisper_ends(text, &text_end, "  +");
    tail.trapped = whisper_ends(text, &text_end, "(exception)") ||
                   whisper_ends(text, &text_end, "(interrupted)");
    tail.text_end = text_end;
    const char *open = text_end > text && text_end[-1] == ']' ? text_end - 1 : text;
    while (open > text && *open != '[') open--;
    if (open < text_end && *open == '[' && text_end[-1] == ']' && text_end - open > 4 &&
        open[1] == '0' && open[2] == 'x') {
        tail.accesses = open + 1;
        tail.text_end = whisper_trim(text, open);
        for (const char *at = open; at < text_end - 1 && *at != ';'; at++)
            tail.valued |= *at == '=';
    }
    if (!whisper_read_change(reading, &tail, size)) return false;
    if (!commit_gap(reading) && !scan_done(&reading->scan))
        return commit_fail(reading, "a blank after the value");
    /* the disassembly is absent where the line was written from a log without it */
    if (reading->scan.at > (tail.accesses ? tail.accesses : reading->scan.end))
        return commit_fail(reading, "the disassembly");
    if (tail.text_end < reading->scan.at) tail.text_end = reading->scan.at;
    const bool changed = reading->last->kind == SPOOR_MEM;
    commit_code(reading, COMMIT_HEAD);
    commit_disassembly(reading, &reading->batch->records[reading->first], tail.text_end);
    if (tail.accesses && (stores && reading->last->kind == SPOOR_REG)) {
        text_refuse(reading->learning);
        reading->verbatim = true;
    } else if (tail.accesses && !whisper_read_accesses(reading, &tail, changed, size)) {
        return false;
    }
    commit_copy(reading, reading->scan.end);
    return true;
}

static const struct commit_lines lines = {"whisper", whisper_read_line, NULL, NULL,
                                          commit_has_address};
static const struct text_rules rules = {COMMIT_RULES(&lines, struct commit_reader)};

/* State of the ordered stage in carry->word; carry->cpu is the hart of the last instruction. */
enum { LAST_INDEX, LAST_PC, HAS_LAST };

/* A further line of the same instruction. */
static void whisper_resolve(struct carry *carry, struct spoor_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        struct spoor_record *record = &batch->records[i];
        if (record->kind != SPOOR_INSN) continue;
        if (carry->word[HAS_LAST] && carry->word[LAST_INDEX] == record->insn.index &&
            carry->word[LAST_PC] == record->insn.va && carry->cpu == record->cpu)
            record->op = SPOOR_INSN_AGAIN;
        carry->word[LAST_INDEX] = record->insn.index;
        carry->word[LAST_PC] = record->insn.va;
        carry->word[HAS_LAST] = true;
        carry->cpu = record->cpu;
    }
}

/* ---- writing from other records ---- */

/* A line has one read at its end.  A write of as many bytes as the opcode says changes memory;
 * others are elements of a vector. */
static bool whisper_put(struct commit_line *line, const struct spoor_batch *batch, size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    if (record->kind == SPOOR_INSN) {
        const struct spoor_insn *insn = &record->insn;
        const unsigned hart = commit_cpu_number(batch, record);
        bool stores;
        line->access = riscv_zc_shares(insn->opcode, insn->opcode_size)
                           ? sizeof(double) /* of c.fsdsp; a cm.push has several words */
                           : commit_riscv_access(insn->opcode, &stores);
        text_printf(&line->head, "#%llu %u  %c %016llx ",
                    (unsigned long long)commit_next_tag(line, hart), hart,
                    commit_privilege_letter(batch, record), (unsigned long long)insn->va);
        text_printf(&line->head, insn->opcode_size == 2 ? "    %04llx " : "%08llx ",
                    (unsigned long long)insn->opcode);
        text_put(&line->tail, spoor_batch_bytes(batch, insn->disasm), insn->disasm.size);
        return true;
    }
    struct text *out = &line->registers;
    if (record->kind == SPOOR_REG) {
        unsigned number;
        const char kind = commit_riscv_number(batch, record->reg.name, &number);
        if (!kind || record->op != SPOOR_REG_WRITE || !(record->has & SPOOR_HAS_DATA)) return false;
        if (kind != 'v' && (record->reg.wide.size || record->reg.value[1])) return false;
        /* x0 of another instruction set: r 0 is no change */
        if (kind == 'x' && number == 0 && record->reg.value[0]) return false;
        if (kind == 'v') {
            text_printf(out, "v %02x ", number);
            commit_put_value(out, batch, index);
        } else {
            text_printf(out, "%c %016x %016llx", kind == 'x' ? 'r' : kind, number,
                        (unsigned long long)record->reg.value[0]);
        }
        text_put(out, "\n", 1);
        return true;
    }
    if (record->kind == SPOOR_MEM) {
        /* A line has one read at its end.  A write of as many bytes as the opcode says changes
         * memory; others are elements of a vector. */
        const struct spoor_mem *mem = &record->mem;
        const uint64_t address = record->has & SPOOR_HAS_VA ? mem->va : mem->pa;
        if (!(record->has & (SPOOR_HAS_VA | SPOOR_HAS_PA))) return false;
        if (record->op == SPOOR_MEM_READ && !line->accesses.size) {
            text_printf(&line->accesses, " [0x%llx]", (unsigned long long)address);
            return true;
        }
        if (record->op != SPOOR_MEM_WRITE || !(record->has & SPOOR_HAS_DATA) || mem->size > 8 ||
            mem->wide.size)
            return false;
        if (mem->size == line->access) {
            text_printf(&line->csrs, "m %016llx %016llx\n",
                        (unsigned long long)(record->has & SPOOR_HAS_PA ? mem->pa : address),
                        (unsigned long long)mem->data[0]);
            if (!line->accesses.size)
                text_printf(&line->accesses, " [0x%llx]", (unsigned long long)address);
            return true;
        }
        if (line->accesses.size) line->accesses.bytes[line->accesses.size - 1] = ';';
        text_printf(&line->accesses, "%s0x%llx=0x", line->accesses.size ? "" : " [",
                    (unsigned long long)address);
        commit_put_value(&line->accesses, batch, index);
        text_put(&line->accesses, "]", 1);
        return true;
    }
    if (record->kind != SPOOR_EVENT || record->op != SPOOR_EVENT_EXCEPTION) return false;
    size_t size;
    const char *name = spoor_names_text(batch->stream->names, record->event.name, &size);
    text_puts(&line->tail, strstr(name, "interrupt") ? " (interrupted)" : " (exception)");
    return true;
}

static void whisper_finish(struct commit_line *line, struct text *out)
{
    text_append(&line->registers, &line->csrs); /* memory comes last */
    if (!line->registers.size) text_printf(&line->registers, "r %016x %016x\n", 0, 0);
    const char *at = line->registers.bytes, *end = at + line->registers.size;
    while (at && at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        text_append(out, &line->head);
        text_put(out, at, (size_t)(newline - at));
        text_put(out, " ", 1);
        text_append(out, &line->tail);
        text_append(out, &line->accesses);
        text_puts(out, newline + 1 < end ? "  +\n" : "\n");
        at = newline + 1;
    }
}

static const struct commit_style style = {.put = whisper_put, .finish = whisper_finish};

#define BIT SPOOR_FIELD_BIT
const struct spoor_format format_whisper = {
    .name = "whisper",
    .title = "log of the RISC-V simulator Whisper",
    .suffixes = "whisper;log",
    .document = "tenstorrent/whisper: --logfile",
    .console = true,
    .time_unit = "",
    .multi_record = true,
    .effects_need_insn = true,
    .is_riscv = true,
    .fields =
        {
            [SPOOR_INSN] = BIT(CPU) | BIT(OP) | BIT(PC) | BIT(INDEX) | BIT(OPCODE) |
                           BIT(OPCODE_SIZE) | BIT(MODE) | BIT(DISASM),
            [SPOOR_REG] = BIT(CPU) | BIT(OP) | BIT(REG) | BIT(VALUE) | BIT(BITS),
            [SPOOR_MEM] = BIT(CPU) | BIT(OP) | BIT(ADDRESS) | BIT(PA) | BIT(SIZE) | BIT(DATA),
            [SPOOR_EVENT] = BIT(CPU) | BIT(OP) | BIT(EVENT) | BIT(VALUE) | BIT(NUMBER),
        },
    .fit = commit_fit,
    .text = &rules,
    .resolve = whisper_resolve,
    .resolves_little = true,
    .write = commit_write,
    .end = commit_end,
    .variant = &style,
};
