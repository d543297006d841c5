/* SPDX-License-Identifier: MIT */
/*
 * tenet.c: the traces of Tenet, an explorer of executions in disassemblers.
 *
 *     rax=0x1,rip=0x140004005,mr=0x13ff48:9c41004001000000
 *
 * A line is the state at one instruction, as far as it differs from the line before: the registers
 * that changed, the address of the instruction, and the bytes that the instruction before read
 * (mr), wrote (mw) or read and wrote (mrw), in the order of memory.  So the effects of an
 * instruction are in the line after its own.  In a line's records they come first, and the
 * instruction of the line is the last one: what follows an instruction in the trace is what it did.
 */
#include <stdlib.h>

#include "base/ascii.h"
#include "formats/commit/parts.h"
#include "formats/probe.h"

enum { ISET_X86 = 'I' };

/* The name of the register whose value is the address of the instruction, in a machine of so many
 * bits; 0: the name says nothing of it. */
static const struct tenet_pc {
    const char *name;
    uint8_t bits;
} tenet_pcs[] = {{"rip", 64}, {"eip", 32}, {"pc", 0}};

static const struct tenet_pc *tenet_find_pc(const char *name, size_t size)
{
    for (size_t i = 0; i < sizeof tenet_pcs / sizeof *tenet_pcs; i++)
        if (strlen(tenet_pcs[i].name) == size &&
            ascii_compare_some(name, tenet_pcs[i].name, size) == 0)
            return &tenet_pcs[i];
    return NULL;
}

/* ---- lines ---- */

/* Reads bytes in the order of memory as the data of the last MEM. */
static bool tenet_read_bytes(struct commit_reader *reading)
{
    struct spoor_mem *mem = &reading->last->mem;
    const char *begin = reading->scan.at, *at = begin;
    bool upper = false, lower = false;
    for (; at < reading->scan.end && hex_value[(unsigned char)*at] < 16; at++) {
        upper |= *at >= 'A' && *at <= 'F';
        lower |= *at >= 'a';
    }
    const size_t digits = (size_t)(at - begin), size = digits / 2;
    if (digits == 0 || digits % 2 || size > UINT16_MAX) return false;
    uint8_t *bytes = (uint8_t *)mem->data;
    if (size > sizeof mem->data) {
        /* room for them: half of their digits, which the bytes replace */
        mem->wide = spoor_batch_keep(reading->batch, begin, size);
        if (mem->wide.size != size) return true; /* memory ran out, as the batch states */
        bytes = (uint8_t *)reading->batch->arena + (mem->wide.at & ~SPOOR_REF_ARENA);
    }
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)(hex_value[(unsigned char)begin[2 * i]] << 4 |
                             hex_value[(unsigned char)begin[2 * i + 1]]);
    mem->size = (uint16_t)size;
    reading->last->has |= SPOOR_HAS_DATA;
    reading->verbatim |= upper && lower;
    commit_code(reading, COMMIT_BYTES);
    commit_plain(reading, (const char[]){1, upper ? 2 : 1}, 2);
    reading->scan.at = at;
    text_refuse(reading->learning); /* a layout's numbers have their highest digit first */
    return true;
}

/* Reads an access, after its name. */
static bool tenet_read_access(struct commit_reader *reading, enum spoor_mem_op op)
{
    struct spoor_record *record = commit_push(reading, SPOOR_MEM);
    record->op = (uint8_t)op;
    record->has |= SPOOR_HAS_VA;
    const char *name = op == SPOOR_MEM_READ ? "mr=" : op == SPOOR_MEM_WRITE ? "mw=" : "mrw=";
    commit_literal(reading, name);
    commit_literal(reading, "0x");
    if (!commit_hex(reading, COMMIT_VIRTUAL, &record->mem.va))
        return commit_fail(reading, "the address of the access");
    if (!commit_literal(reading, ":") || !tenet_read_bytes(reading))
        return commit_fail(reading, "':' and two digits for each byte of the access");
    return true;
}

/* The bits of a register that is not wider: those of the machine, where the line says which it is.
 */
static uint16_t tenet_register_bits(unsigned digits, unsigned machine)
{
    enum { WORD = 32, LONG = 64 };
    if (4 * digits > LONG) return (uint16_t)(4 * digits);
    if (machine && 4 * digits <= machine) return (uint16_t)machine;
    return 4 * digits > WORD ? LONG : WORD;
}

static unsigned tenet_machine(const char *at, const char *end)
{
    while (at < end) {
        const char *name = at;
        while (at < end && *at != '=' && *at != ',') at++;
        const struct tenet_pc *pc = tenet_find_pc(name, (size_t)(at - name));
        if (pc && at < end && *at == '=') return pc->bits;
        while (at < end && *at != ',') at++;
        at += at < end;
    }
    return 0;
}

static bool tenet_read_line(struct commit_reader *reading)
{
    const struct tenet_pc *pc = NULL;
    struct scan digits = {0};
    uint64_t address = 0;
    const unsigned machine = tenet_machine(reading->scan.at, reading->scan.end);
    do {
        struct scan name = reading->scan;
        while (!scan_done(&name) && *name.at != '=' && *name.at != ',') name.at++;
        const size_t size = (size_t)(name.at - reading->scan.at);
        const char *first = reading->scan.at;
        const struct tenet_pc *here = tenet_find_pc(first, size);
        if (commit_stands(reading, "mr=") || commit_stands(reading, "mw=") ||
            commit_stands(reading, "mrw=")) {
            const char second = reading->scan.at[1];
            const enum spoor_mem_op op = size == 3       ? SPOOR_MEM_MODIFY
                                         : second == 'r' ? SPOOR_MEM_READ
                                                         : SPOOR_MEM_WRITE;
            if (!tenet_read_access(reading, op)) return false;
        } else if (here) {
            if (pc) return commit_fail(reading, "one address of the instruction");
            pc = here;
            commit_copy(reading, name.at);
            if (!commit_literal(reading, "=0x") || !commit_hex(reading, COMMIT_PC, &address))
                return commit_fail(reading, "=0x and the address of the instruction");
            digits = reading->number;
        } else {
            struct spoor_record *record = commit_push(reading, SPOOR_REG);
            if (!commit_name(reading, COMMIT_REGISTER, &record->reg.name))
                return commit_fail(reading, "a register, mr, mw or mrw");
            if (!commit_literal(reading, "=0x") || !commit_value(reading))
                return commit_fail(reading, "=0x and the value of the register");
            /* of a line without an address, rax and the like tell the machine */
            const bool is_long = size > 1 && (first[0] | 0x20) == 'r' && (first[1] | 0x20) >= 'a';
            record->reg.bits =
                tenet_register_bits(record->reg.bits / 4u, !machine && is_long ? 64 : machine);
        }
    } while (commit_literal(reading, ","));
    if (!pc) return true;
    struct spoor_record *record = commit_push(reading, SPOOR_INSN);
    record->op = SPOOR_INSN_TAKEN;
    record->has |= SPOOR_HAS_VA;
    record->insn.va = address;
    record->insn.iset = pc->bits ? ISET_X86 : 0;
    reading->number = digits;
    commit_learn(reading, &record->insn.va);
    return true;
}

static enum line_fit tenet_fit(const struct spoor_format *self, const char *line, size_t size)
{
    /* names with values, but no address and no access, are what other programs print, too */
    const char *end = line + size;
    bool states = false;
    for (const char *at = line; at < end && !states;) {
        const char *name = at;
        while (at < end && *at != '=' && *at != ',') at++;
        const size_t length = (size_t)(at - name);
        states = at < end && *at == '=' &&
                 (tenet_find_pc(name, length) || (length == 2 && memcmp(name, "mr", 2) == 0) ||
                  (length == 2 && memcmp(name, "mw", 2) == 0) ||
                  (length == 3 && memcmp(name, "mrw", 3) == 0));
        while (at < end && *at != ',') at++;
        at += at < end;
    }
    const enum line_fit fit = commit_fit(self, line, size);
    return fit == LINE_FITS && !states ? LINE_NEUTRAL : fit;
}

static const struct commit_lines lines = {"tenet", tenet_read_line, NULL, NULL, NULL};
static const struct text_rules rules = {COMMIT_RULES(&lines, struct commit_reader)};

/* ---- writing ---- */

/* What the next line begins with. */
struct tenet_writer {
    struct text registers, accesses; /* of the last instruction */
    bool begun;
    spoor_name cpu; /* of all instructions; others' are skipped */
    const char *pc; /* name of the register; NULL: not known */
};

static const char *tenet_pc_name(const struct tenet_writer *writer,
                                 const struct spoor_record *record)
{
    if (writer->pc) return writer->pc;
    return record->insn.iset == ISET_X86 ? "rip" : "pc";
}

static void tenet_put_line(struct tenet_writer *writer, const struct spoor_record *insn,
                           struct text *out)
{
    text_append(out, &writer->registers);
    if (insn)
        text_printf(out, "%s%s=0x%llx", writer->registers.size ? "," : "",
                    tenet_pc_name(writer, insn), (unsigned long long)insn->insn.va);
    /* without a register before it, the line begins with the access */
    const bool first = !insn && !writer->registers.size;
    if (writer->accesses.size)
        text_put(out, writer->accesses.bytes + first, writer->accesses.size - first);
    text_put(out, "\n", 1);
    out->failed |= writer->registers.failed || writer->accesses.failed;
    writer->registers.size = writer->accesses.size = 0;
}

static bool tenet_put_register(struct tenet_writer *writer, const struct spoor_batch *batch,
                               size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    size_t size;
    const char *name = spoor_names_text(batch->stream->names, record->reg.name, &size);
    if (record->op != SPOOR_REG_WRITE || !(record->has & SPOOR_HAS_DATA) || record->reg.unknown ||
        record->reg.low || record->reg.high || memchr(name, ',', size) || memchr(name, '=', size) ||
        tenet_find_pc(name, size))
        return false;
    if (writer->registers.size) text_put(&writer->registers, ",", 1);
    commit_put_register(&writer->registers, batch, index);
    if (record->reg.wide.size || record->reg.value[1]) {
        text_puts(&writer->registers, "=0x");
        commit_put_value(&writer->registers, batch, index);
    } else {
        text_printf(&writer->registers, "=0x%llx", (unsigned long long)record->reg.value[0]);
    }
    return true;
}

static bool tenet_put_access(struct tenet_writer *writer, const struct spoor_batch *batch,
                             const struct spoor_record *record)
{
    const struct spoor_mem *mem = &record->mem;
    const unsigned needed = SPOOR_HAS_VA | SPOOR_HAS_DATA;
    const char *name;
    switch ((enum spoor_mem_op)record->op) {
    case SPOOR_MEM_READ: name = "mr"; break;
    case SPOOR_MEM_WRITE: name = "mw"; break;
    case SPOOR_MEM_MODIFY: name = "mrw"; break;
    default: return false;
    }
    const size_t held = mem->wide.size ? mem->wide.size : sizeof mem->data;
    if ((record->has & needed) != needed || !mem->size || mem->size > held || mem->unknown ||
        (mem->attr & (SPOOR_MEM_ABORTED | SPOOR_MEM_GAPS)))
        return false;
    const uint8_t *bytes = (const uint8_t *)mem->data;
    if (mem->wide.size) bytes = (const uint8_t *)spoor_batch_bytes(batch, mem->wide);
    text_printf(&writer->accesses, ",%s=0x%llx:", name, (unsigned long long)mem->va);
    for (size_t i = 0; i < mem->size; i++) text_printf(&writer->accesses, "%02x", bytes[i]);
    return true;
}

static bool tenet_put_record(struct tenet_writer *writer, const struct spoor_batch *batch,
                             size_t index, struct text *out)
{
    const struct spoor_record *record = &batch->records[index];
    const spoor_name cpu = record->has & SPOOR_HAS_CPU ? record->cpu : SPOOR_NO_NAME;
    if (!writer->begun && record->kind != SPOOR_NOTE) {
        writer->begun = true;
        writer->cpu = cpu;
    }
    if (cpu != SPOOR_NO_NAME && cpu != writer->cpu) return false;
    switch ((enum spoor_kind)record->kind) {
    case SPOOR_INSN:
        if (record->op >= SPOOR_INSN_AGAIN || !(record->has & SPOOR_HAS_VA)) return false;
        tenet_put_line(writer, record, out);
        return record->op == SPOOR_INSN_TAKEN;
    case SPOOR_REG: return tenet_put_register(writer, batch, index);
    case SPOOR_MEM: return tenet_put_access(writer, batch, record);
    default: return false;
    }
}

static void tenet_write(struct encoder *encoder, const struct spoor_batch *batch, size_t from,
                        size_t to, struct text *out)
{
    const bool own = encoder_writes_own(encoder, batch);
    if (!encoder->tables) encoder->tables = calloc(1, sizeof(struct tenet_writer));
    struct tenet_writer *writer = encoder->tables;
    if (!writer) {
        out->failed = true;
        return;
    }
    for (size_t i = from; i < to;) {
        const bool begins = own && !(batch->records[i].has & SPOOR_CONTINUES);
        const size_t end = begins ? commit_line_end(batch, i) : i + 1;
        if (begins && end <= to && !writer->registers.size && !writer->accesses.size &&
            commit_put_own(batch, i, out)) {
            encoder->written += end - i;
            i = end;
            continue;
        }
        const bool done = tenet_put_record(writer, batch, i, out);
        encoder->written += done;
        encoder->skipped += !done;
        i++;
    }
}

static void tenet_end(struct encoder *encoder, struct text *out)
{
    struct tenet_writer *writer = encoder->tables;
    if (!writer) return;
    /* what the last instruction did: where execution goes on after it, no record says */
    if (writer->registers.size || writer->accesses.size) tenet_put_line(writer, NULL, out);
    text_free(&writer->registers);
    text_free(&writer->accesses);
    free(writer);
    encoder->tables = NULL;
}

#define BIT SPOOR_FIELD_BIT
const struct spoor_format format_tenet = {
    .name = "tenet",
    .title = "state at each instruction, as far as it changed, for Tenet",
    .suffixes = "tenet;log",
    .document = "Tenet: tracers/README.md",
    .time_unit = "",
    .multi_record = true,
    .fields =
        {
            [SPOOR_INSN] = BIT(OP) | BIT(PC) | BIT(ISET),
            [SPOOR_REG] = BIT(OP) | BIT(REG) | BIT(VALUE) | BIT(BITS),
            [SPOOR_MEM] = BIT(OP) | BIT(ADDRESS) | BIT(SIZE) | BIT(DATA),
        },
    .fit = tenet_fit,
    .text = &rules,
    .write = tenet_write,
    .end = tenet_end,
};
