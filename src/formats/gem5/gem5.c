/* SPDX-License-Identifier: MIT */
/*
 * gem5.c: the text that gem5 prints under --debug-flags=Exec: an instruction, or a
 * micro-operation, with its result and its address.
 *
 * A line becomes an INSN record; the value (D=) a REG, the address (A=) a MEM, the sequence number
 * of committed instructions an EVENT, and a branch a FLOW without its target.  The line of a
 * macro-operation is the instruction, and those of its micro-operations are the same one AGAIN,
 * with its effects; without such lines, micro-operation 0 is the instruction.  Lines of other debug
 * flags are notes.
 */
#include <stdlib.h>

#include "formats/commit/parts.h"
#include "formats/gem5/exec.h"
#include "formats/probe.h"

/* ---- the instruction ---- */

static void gem5_read_insn(struct commit_reader *reading, const struct exec_line *line,
                           const struct exec_insn *insn)
{
    struct spoor_record *record = commit_push(reading, SPOOR_INSN);
    record->op = line->predicated   ? SPOOR_INSN_SKIPPED
                 : line->micro.size ? SPOOR_INSN_AGAIN
                                    : SPOOR_INSN_TAKEN;
    record->insn.opcode_size = insn->size;
    if (line->tick.size) {
        commit_copy(reading, line->tick.bytes);
        record->has |= commit_count(reading, COMMIT_TICK, &record->time) ? SPOOR_HAS_TIME : 0;
    }
    char name[256]; /* a thread other than 0 is a processor of its own, "CPU:T1" */
    const struct spoor_slice *cpu = &line->cpu, *thread = &line->thread;
    const bool other = thread->size && !(thread->size == 1 && *thread->bytes == '0');
    commit_copy(reading, cpu->bytes);
    if (other && cpu->size + thread->size + 2 <= sizeof name) {
        char *at = put_bytes(name, cpu->bytes, cpu->size);
        at = put_bytes(put_bytes(at, ":T", 2), thread->bytes, thread->size);
        record->cpu = commit_intern(reading, name, (size_t)(at - name));
        reading->verbatim = true;
    } else {
        record->cpu = commit_intern(reading, cpu->bytes, cpu->size);
        commit_code(reading, COMMIT_CPU);
        reading->scan.at = cpu->bytes + cpu->size;
    }
    record->has |= SPOOR_HAS_CPU;
    if (line->pc.size) {
        record->has |= SPOOR_HAS_VA;
        commit_copy(reading, line->pc.bytes);
        commit_hex(reading, COMMIT_PC, &record->insn.va);
    }
    if (line->symbol.size) {
        commit_copy(reading, line->symbol.bytes);
        commit_symbol(reading, COMMIT_SYMBOL, line->symbol.size);
    }
    if (line->micro.size) { /* its number is the record's mode */
        commit_copy(reading, line->micro.bytes);
        record->insn.mode = commit_intern(reading, line->micro.bytes, line->micro.size);
        record->has |= SPOOR_HAS_EXTRA;
        commit_code(reading, COMMIT_MODE);
        reading->scan.at = line->micro.bytes + line->micro.size;
    }
    const char *begin = line->macro.size ? line->macro.bytes : line->text.bytes;
    const char *end = line->text.bytes + line->text.size;
    commit_copy(reading, begin);
    record->insn.disasm = spoor_batch_refer(reading->batch, begin, (size_t)(end - begin));
    commit_code(reading, COMMIT_DISASM);
    reading->scan.at = end;
    if (line->fetched.size) record->has |= SPOOR_HAS_INDEX;
}

/* ---- its effects ---- */

/* The access; `value` is the index of the record that has the value of the line. */
static void gem5_read_access(struct commit_reader *reading, const struct exec_line *line,
                             const struct exec_insn *insn, size_t value)
{
    struct spoor_record *record = commit_push_further(reading, SPOOR_MEM);
    record->op = insn->properties & EXEC_ATOMIC  ? SPOOR_MEM_MODIFY
                 : insn->properties & EXEC_STORE ? SPOOR_MEM_WRITE
                                                 : SPOOR_MEM_READ;
    record->has |= SPOOR_HAS_VA;
    record->mem.size = insn->access;
    if (insn->access && line->value.size && record->op != SPOOR_MEM_MODIFY &&
        insn->stores == (record->op == SPOOR_MEM_WRITE)) {
        const uint64_t *from = &reading->batch->records[value].reg.value[0];
        const uint64_t mask = insn->access < 8 ? (UINT64_C(1) << 8 * insn->access) - 1 : UINT64_MAX;
        record->has |= SPOOR_HAS_DATA;
        record->mem.data[0] = *from & mask;
        text_copy_word(reading->learning, reading->batch, &record->mem.data[0], from, mask);
    }
    commit_copy(reading, line->address.bytes);
    commit_hex(reading, COMMIT_VIRTUAL, &record->mem.va);
}

static void gem5_read_sequence(struct commit_reader *reading, const struct exec_line *line)
{
    static const struct spoor_slice name = {"CPSeq", 5};
    if (line->fetched.size) {
        commit_copy(reading, line->fetched.bytes);
        commit_code(reading, COMMIT_HEAD);
        struct spoor_record *head = &reading->batch->records[reading->first];
        commit_count(reading, COMMIT_INDEX, &head->insn.index);
    }
    if (!line->committed.size) return;
    /* the template goes through the records again */
    struct spoor_batch *batch = reading->batch;
    if (line->fetched.size)
        for (size_t i = reading->first + 1; i < batch->count; i++)
            commit_code(reading, COMMIT_NEXT);
    struct spoor_record *record = commit_push_further(reading, SPOOR_EVENT);
    record->op = SPOOR_EVENT_STATE;
    record->event.name = commit_intern(reading, name.bytes, name.size);
    record->has |= SPOOR_HAS_EXTRA;
    commit_copy(reading, line->committed.bytes);
    commit_count(reading, COMMIT_PERIOD, &record->event.value1);
}

static bool gem5_read_line(struct commit_reader *reading)
{
    static const struct spoor_slice result = {"result", 6};
    struct scan *scan = &reading->scan;
    struct spoor_record *record;
    struct exec_line line;
    const char *at;
    size_t value = 0;                     /* index of the record that has the value of the line */
    memcpy(reading->template, "tick", 5); /* a spelling begins with the unit of time */
    switch (exec_split(scan->at, scan->end, &line, &at)) {
    case EXEC_LINE: break;
    case EXEC_OTHER:
        record = commit_push(reading, SPOOR_NOTE);
        record->op = SPOOR_NOTE_COMMENT;
        record->note.text =
            spoor_batch_refer(reading->batch, scan->at, (size_t)(scan->end - scan->at));
        scan->at = scan->end;
        return true;
    default: scan->at = at; return commit_fail(reading, "a tick, a cpu and an address");
    }
    const struct exec_insn insn = exec_insn_of(&line);
    gem5_read_insn(reading, &line, &insn);
    if (line.value.size) { /* of a register; of a store, that which it stores */
        record = commit_push_further(reading, SPOOR_REG);
        record->op = insn.stores ? SPOOR_REG_READ : SPOOR_REG_WRITE;
        const struct spoor_slice name = insn.target.size ? insn.target : result;
        record->reg.name = commit_intern(reading, name.bytes, name.size);
        commit_copy(reading, line.value.bytes);
        commit_value(reading);
        value = reading->batch->count - 1;
    }
    if (line.address.size) gem5_read_access(reading, &line, &insn, value);
    gem5_read_sequence(reading, &line);
    if ((insn.properties & EXEC_CONTROL) && line.pc.size) {
        const unsigned says = insn.properties;
        record = commit_push_further(reading, SPOOR_FLOW);
        const uint64_t *pc = &reading->batch->records[reading->first].insn.va;
        text_copy_word(reading->learning, reading->batch, &record->flow.va, pc, UINT64_MAX);
        record->op = (uint8_t)(SPOOR_FLOW_TYPED |
                               (says & EXEC_CONDITIONAL ? SPOOR_FLOW_IS_CONDITIONAL : 0U) |
                               (says & EXEC_INDIRECT ? SPOOR_FLOW_IS_INDIRECT : 0U) |
                               (says & EXEC_CALL ? SPOOR_FLOW_IS_CALL : 0U) |
                               (says & EXEC_RETURN ? SPOOR_FLOW_IS_RETURN : 0U));
        record->flow.va = *pc;
        record->has |= SPOOR_HAS_VA;
        /* whether it was taken is not stated */
        if (says & EXEC_CONDITIONAL) record->has |= SPOOR_HAS_EXTRA;
    }
    commit_copy(reading, scan->end);
    return true;
}

static const struct commit_lines lines = {"gem5", gem5_read_line, NULL, NULL, NULL};
static const struct text_rules rules = COMMIT_RULES(&lines, "\0");

/* ---- micro-operations ---- */

/* The last instruction of each processor, by its name. */
enum { PROCESSORS = 64 };
struct last_macro {
    uint64_t pc;
    spoor_name cpu;
    bool is_macro;
};

/* Micro-operation 0 is the instruction, unless the line before was its macro-operation. */
static void gem5_resolve(struct carry *carry, struct spoor_batch *batch)
{
    if (!carry->tables) carry->tables = calloc(PROCESSORS, sizeof(struct last_macro));
    struct last_macro *lasts = carry->tables;
    batch->out_of_memory |= !lasts;
    for (size_t i = 0; i < batch->count; i++) {
        struct spoor_record *record = &batch->records[i];
        carry_time(carry, record);
        if (record->kind != SPOOR_INSN || !lasts) continue;
        struct last_macro *last = &lasts[record->cpu % PROCESSORS];
        const bool is_micro = record->has & SPOOR_HAS_EXTRA;
        const bool follows =
            last->is_macro && last->cpu == record->cpu && last->pc == record->insn.va;
        size_t size;
        if (is_micro && !follows && record->op == SPOOR_INSN_AGAIN &&
            strcmp(spoor_names_text(batch->stream->names, record->insn.mode, &size), "0") == 0)
            record->op = SPOOR_INSN_TAKEN;
        *last = (struct last_macro){record->insn.va, record->cpu, !is_micro};
    }
}

static void gem5_forget(struct carry *carry)
{
    free(carry->tables);
    carry->tables = NULL;
}

/* ---- detection ---- */

static enum line_fit gem5_fit(const struct spoor_format *self, const char *begin, size_t size)
{
    (void)self;
    struct exec_line line;
    const char *at;
    if (size == 0) return LINE_NEUTRAL;
    switch (exec_split(begin, begin + size, &line, &at)) {
    case EXEC_LINE: return line.tick.size || line.symbol.size ? LINE_FITS : LINE_NEUTRAL;
    case EXEC_OTHER: return LINE_NEUTRAL;
    default: return LINE_MISFITS;
    }
}

/* ---- writing from other records ---- */

static void gem5_put_insn(struct commit_line *line, const struct spoor_batch *batch, size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    const struct spoor_insn *insn = &record->insn;
    text_printf(&line->head,
                "%7llu: system.cpu%u: T0 : 0x%llx    : ", (unsigned long long)record->time,
                commit_cpu_number(batch, record), (unsigned long long)insn->va);
    const size_t text = line->head.size;
    if (insn->disasm.size)
        text_put(&line->head, spoor_batch_bytes(batch, insn->disasm), insn->disasm.size);
    else if (record->has & SPOOR_HAS_DATA)
        text_printf(&line->head, ".inst 0x%llx", (unsigned long long)insn->opcode);
    else
        text_puts(&line->head, "unknown");
    while (line->head.size < text + 26 && !line->head.failed) text_put(&line->head, " ", 1);
}

static bool gem5_put_effect(struct commit_line *line, const struct spoor_batch *batch, size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    if (record->kind == SPOOR_REG && record->op == SPOOR_REG_WRITE &&
        (record->has & SPOOR_HAS_DATA) && !record->reg.wide.size && !record->reg.value[1]) {
        if (line->registers.size || line->stores) return false; /* a line has one value */
        text_printf(&line->registers, " D=0x%016llx", (unsigned long long)record->reg.value[0]);
        return true;
    }
    if (record->kind != SPOOR_MEM || !(record->has & SPOOR_HAS_VA) || line->accesses.size ||
        (record->op != SPOOR_MEM_READ && record->op != SPOOR_MEM_WRITE))
        return false;
    line->stores = record->op == SPOOR_MEM_WRITE;
    if (line->stores) { /* the value of a store is its data, not a register */
        line->registers.size = 0;
        if ((record->has & SPOOR_HAS_DATA) && !record->mem.wide.size && record->mem.size <= 8)
            text_printf(&line->registers, " D=0x%016llx", (unsigned long long)record->mem.data[0]);
    }
    text_puts(&line->tail, record->op == SPOOR_MEM_READ ? "MemRead" : "MemWrite");
    text_printf(&line->accesses, " A=0x%llx", (unsigned long long)record->mem.va);
    return true;
}

static void gem5_finish(struct commit_line *line, struct text *out)
{
    text_put(out, line->head.bytes, line->head.size);
    text_puts(out, " : ");
    if (line->tail.size)
        text_put(out, line->tail.bytes, line->tail.size);
    else
        text_puts(out, "IntAlu");
    text_puts(out, " : ");
    text_append(out, &line->registers);
    text_append(out, &line->accesses);
    text_put(out, "\n", 1);
}

static const struct commit_style style = {
    .insn = gem5_put_insn, .effect = gem5_put_effect, .finish = gem5_finish};

#define BIT SPOOR_FIELD_BIT
const struct spoor_format format_gem5 = {
    .name = "gem5",
    .title = "gem5's Exec text: --debug-flags=Exec",
    .suffixes = "exec;gem5",
    .document = "gem5: src/cpu/exetrace.cc",
    .time_unit = "tick",
    .multi_record = true,
    .effects_need_insn = true,
    .one_access = true,
    .one_result = true,
    .fields =
        {
            [SPOOR_INSN] = BIT(TIME) | BIT(CPU) | BIT(OP) | BIT(PC) | BIT(OPCODE_SIZE) | BIT(MODE) |
                           BIT(INDEX) | BIT(DISASM) | BIT(TEXT),
            [SPOOR_REG] = BIT(TIME) | BIT(CPU) | BIT(OP) | BIT(REG) | BIT(VALUE) | BIT(BITS),
            [SPOOR_MEM] = BIT(TIME) | BIT(CPU) | BIT(OP) | BIT(ADDRESS) | BIT(SIZE) | BIT(DATA),
            [SPOOR_FLOW] = BIT(TIME) | BIT(CPU) | BIT(OP) | BIT(BRANCH) | BIT(PC),
            [SPOOR_EVENT] = BIT(TIME) | BIT(CPU) | BIT(OP) | BIT(EVENT) | BIT(VALUE1),
        },
    .fit = gem5_fit,
    .text = &rules,
    .resolve = gem5_resolve,
    .resolves_little = true,
    .forget = gem5_forget,
    .write = commit_write,
    .end = commit_end,
    .variant = &style,
};
