/* SPDX-License-Identifier: MIT */
/* parts.c: parts of lines that several commit logs share. */
#include "formats/commit/parts.h"

#include "isa/operands.h"
#include "isa/register.h"
#include "isa/riscv_cause.h"
#include "isa/riscv_csr.h"
#include "isa/riscv_zc.h"

bool commit_prefixed(struct commit_reader *reading, enum commit_code code, uint64_t *value,
                     const char *expected)
{
    return (commit_literal(reading, "0x") && commit_hex(reading, code, value)) ||
           commit_fail(reading, expected);
}

bool commit_riscv_opcode(struct commit_reader *reading, struct spoor_record *record, bool decides)
{
    uint64_t opcode; /* not in a record: the digits are not learnt */
    if (!commit_hex(reading, COMMIT_OPCODE, &opcode))
        return commit_fail(reading, "the opcode in hexadecimal");
    record->insn.opcode = opcode;
    if (!decides) {
        commit_learn(reading, &record->insn.opcode);
        commit_fix_size(reading);
    }
    record->insn.opcode_size = commit_riscv_size(opcode);
    record->has |= SPOOR_HAS_DATA;
    return true;
}

bool commit_count(struct commit_reader *reading, enum commit_code code, uint64_t *value)
{
    enum { LEARNT = 16 /* digits */ };
    const char *begin = reading->scan.at;
    if (!scan_decimal(&reading->scan, value)) return false;
    const size_t digits = (size_t)(reading->scan.at - begin);
    reading->verbatim |= *begin == '0' && digits > 1;
    commit_code(reading, code);
    if (digits > LEARNT)
        text_refuse(reading->learning);
    else
        text_number_at(reading->learning, begin, digits, TEXT_DECIMAL | TEXT_LEADING,
                       reading->batch, value);
    return true;
}

void commit_disassembly(struct commit_reader *reading, struct spoor_record *record, const char *to)
{
    const char *begin = reading->scan.at;
    record->insn.disasm = spoor_batch_refer(reading->batch, begin, (size_t)(to - begin));
    commit_code(reading, COMMIT_DISASM);
    reading->scan.at = to;
}

void commit_resume(struct commit_reader *reading)
{
    for (size_t i = reading->first + 1; i < reading->batch->count; i++)
        commit_code(reading, COMMIT_NEXT);
}

/* The record of a line that is not an instruction. */
static struct spoor_record *commit_begin_other(struct commit_reader *reading, enum spoor_kind kind,
                                               unsigned op)
{
    struct spoor_batch *batch = reading->batch;
    if (batch->count == reading->first) commit_push(reading, kind);
    struct spoor_record *record = &batch->records[reading->first];
    *record = (struct spoor_record){.kind = (uint8_t)kind, .op = (uint8_t)op};
    return record;
}

bool commit_note(struct commit_reader *reading, enum spoor_note_op op)
{
    const char *begin = reading->scan.at;
    for (const char *at = begin; at < reading->scan.end; at++) {
        const unsigned char byte = (unsigned char)*at; /* an escape is of a program's terminal */
        if (byte < '\a' || (byte > '\r' && byte < ' ' && byte != '\x1b')) {
            reading->scan.at = at;
            return commit_fail(reading, "text");
        }
    }
    struct spoor_record *record = commit_begin_other(reading, SPOOR_NOTE, op);
    record->note.text =
        spoor_batch_refer(reading->batch, begin, (size_t)(reading->scan.end - begin));
    reading->scan.at = reading->scan.end;
    return true;
}

bool commit_event_text(struct commit_reader *reading, enum spoor_event_op op)
{
    struct spoor_record *record = commit_begin_other(reading, SPOOR_EVENT, op);
    const char *begin = reading->scan.at;
    record->event.text =
        spoor_batch_refer(reading->batch, begin, (size_t)(reading->scan.end - begin));
    commit_code(reading, COMMIT_TEXT);
    reading->scan.at = reading->scan.end;
    return true;
}

bool commit_cycle(struct commit_reader *reading, const char *unit)
{
    static const char name[] = "time";
    struct spoor_record *record = commit_push(reading, SPOOR_EVENT);
    record->op = SPOOR_EVENT_STATE;
    record->has |= SPOOR_HAS_EXTRA;
    record->event.name = commit_intern(reading, name, sizeof name - 1);
    commit_gap(reading);
    if (!commit_count(reading, COMMIT_PERIOD, &record->event.value1) ||
        !commit_literal(reading, unit) || !commit_gap(reading))
        return commit_fail(reading, "the time, and a blank after it");
    commit_code(reading, COMMIT_HEAD);
    record = &reading->batch->records[reading->first];
    record->has |= SPOOR_HAS_TIME;
    if (!commit_count(reading, COMMIT_TICK, &record->time) || !commit_gap(reading))
        return commit_fail(reading, "the cycle, and a blank after it");
    return true;
}

void commit_carry_times(struct carry *carry, struct spoor_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) carry_time(carry, &batch->records[i]);
}

/* ---- RISC-V ---- */

spoor_name commit_riscv_register(struct commit_reader *reading, char kind, unsigned number)
{
    enum { MAX_DECIMAL = 20 };
    char name[MAX_RISCV_CSR_NAME + MAX_DECIMAL];
    if (kind == 'c') return commit_intern(reading, name, riscv_csr_name(number, name));
    const char *end = put_decimal(put_char(name, kind), number);
    return commit_intern(reading, name, (size_t)(end - name));
}

char commit_riscv_number(const struct spoor_batch *batch, spoor_name name, unsigned *number)
{
    struct register_name canonical;
    size_t size;
    const char *text = spoor_names_text(batch->stream->names, name, &size);
    register_canonical(text, size, ISA_RISCV, &canonical);
    const char kind = canonical.text[0];
    struct scan scan = {canonical.text + 1, canonical.text + strlen(canonical.text)};
    uint64_t value;
    if ((kind == 'x' || kind == 'f' || kind == 'v') && scan_decimal(&scan, &value) &&
        scan_done(&scan) && value < 32) {
        *number = (unsigned)value;
        return kind;
    }
    const int csr = riscv_csr_number(canonical.text, strlen(canonical.text));
    *number = csr < 0 ? 0 : (unsigned)csr;
    return csr < 0 ? '\0' : 'c';
}

bool commit_is_riscv_cause(unsigned csr)
{
    enum { MCAUSE = 0x342, SCAUSE = 0x142, VSCAUSE = 0x242 };
    return csr == MCAUSE || csr == SCAUSE || csr == VSCAUSE;
}

void commit_riscv_cause(struct commit_reader *reading, struct spoor_record *event,
                        const struct spoor_reg *cause)
{
    const struct riscv_cause found = riscv_cause_of(cause->value[0], cause->bits);
    const char *name = riscv_cause_name(found);
    event->event.name = commit_intern(reading, name, strlen(name));
    event->event.number = found.number;
    event->has |= SPOOR_HAS_INDEX;
}

unsigned commit_riscv_access(uint64_t opcode, bool *stores)
{
    const unsigned size = commit_riscv_size(opcode);
    /* c.fsdsp or one of Zcmp, whose words are of XLEN: c.fsdsp writes no register, so that of a
     * line with one the other decides */
    const bool shared = riscv_zc_shares(opcode, size);
    struct isa_operands operands;
    *stores = false;
    if (shared) opcode |= RISCV_ZC;
    if (!isa_operands_of(&operands, ISA_RISCV, false, opcode, size)) return 0;
    *stores = operands.store && !operands.load;
    return !shared && (operands.load || operands.store) ? operands.size : 0;
}

const struct commit_opcode *commit_find_opcode(struct commit_opcodes *opcodes, uint64_t opcode,
                                               unsigned size)
{
    enum { KNOWN = sizeof opcodes->known / sizeof *opcodes->known };
    const uint64_t hash = opcode * UINT64_C(0x9e3779b97f4a7c15) >> 40;
    struct commit_opcode *known = &opcodes->known[hash % KNOWN];
    if (known->opcode == opcode && known->opcode_size == size) return known;
    struct isa_operands operands;
    if (!isa_operands_of(&operands, ISA_RISCV, false, opcode, size))
        operands = (struct isa_operands){.base = -1};
    *known = (struct commit_opcode){
        .opcode = opcode,
        .opcode_size = (uint8_t)size,
        .access_size =
            (opcode & RISCV_ZC) || !(operands.load || operands.store) ? 0 : (uint8_t)operands.size,
        .stores = operands.store,
        .loads = operands.load,
        .no_registers = operands.name && !operands.read_count && !operands.write_count,
        .written = operands.write_count ? operands.writes[0] : (int16_t)-1,
    };
    return known;
}
