/* SPDX-License-Identifier: MIT */
/*
 * champsim_write.c: write ChampSim's instruction traces.
 *
 * An instruction is assembled from its records, or from the micro-ops of a macro-op, and written
 * when the next one begins.  Registers are Pin's numbers, by which ChampSim identifies the stack
 * pointer, the flags and the instruction pointer.  champsim_translate.h has the instructions of
 * other traces.
 */
#include <stdlib.h>

#include "formats/branch/champsim_translate.h"

struct writing {
    const struct champsim_shape *shape;
    struct champsim insn;
    struct champsim_layout layout; /* which slots to use */
    bool open, laid_out;
    bool merges; /* merge duplicates: micro-ops name the registers of their instruction more than
                  * once */
    char trailing[CHAMPSIM_LONGEST];
    size_t trailing_size;
    struct champsim_translation translation;
};

static void flush(struct writing *writing, struct text *out)
{
    if (writing->open) champsim_pack(writing->shape, &writing->insn, out);
    writing->open = writing->laid_out = false;
}

/* ---- slots ---- */

/* The next free slot of `count` that the layout uses, or -1. */
static int free_slot(const struct writing *writing, uint8_t used, uint64_t taken, int count)
{
    for (int i = 0; i < count; i++)
        if ((!writing->laid_out || used >> i & 1) && !(taken >> i & 1)) return i;
    return -1;
}

static bool put_register(const struct writing *writing, uint8_t *slots, int count, uint8_t used,
                         uint8_t number)
{
    uint64_t taken = 0;
    for (int i = 0; i < count; i++) {
        taken |= (uint64_t)(slots[i] != 0) << i;
        if (writing->merges && slots[i] == number) return true;
    }
    const int slot = free_slot(writing, used, taken, count);
    if (slot >= 0) slots[slot] = number;
    return slot >= 0;
}

static bool put_address(const struct writing *writing, uint64_t *slots, int count, uint8_t used,
                        uint64_t address)
{
    uint64_t taken = 0;
    for (int i = 0; i < count; i++) taken |= (uint64_t)(slots[i] != 0) << i;
    const int slot = address ? free_slot(writing, used, taken, count) : -1;
    if (slot >= 0) slots[slot] = address;
    return slot >= 0;
}

static bool reads(struct writing *writing, uint8_t number)
{
    return put_register(writing, writing->insn.read, CHAMPSIM_READS, writing->layout.read, number);
}
static bool writes(struct writing *writing, uint8_t number)
{
    return put_register(writing, writing->insn.written, (int)writing->shape->writes,
                        writing->layout.written, number);
}
static bool loads(struct writing *writing, uint64_t address)
{
    return put_address(writing, writing->insn.loads, CHAMPSIM_READS, writing->layout.loads,
                       address);
}
static bool stores(struct writing *writing, uint64_t address)
{
    return put_address(writing, writing->insn.stores, (int)writing->shape->writes,
                       writing->layout.stores, address);
}

/* ---- from instructions of the format ---- */

static bool put_insn(struct writing *writing, const struct spoor_batch *batch,
                     const struct spoor_record *record, struct text *out)
{
    size_t size;
    if (record->op == SPOOR_INSN_AGAIN) return true;
    flush(writing, out);
    if (!(record->has & SPOOR_HAS_VA) || record->op == SPOOR_INSN_SKIPPED) return false;
    writing->insn = (struct champsim){.pc = record->insn.va};
    writing->open = true;
    const char *bytes = spoor_names_text(batch->stream->spellings, record->spelling, &size);
    writing->merges = false;
    writing->laid_out = size == sizeof writing->layout &&
                        batch->stream->format->record_size == writing->shape->size;
    if (!writing->laid_out) return true;
    memcpy(&writing->layout, bytes, sizeof writing->layout);
    writing->insn.is_branch = writing->layout.is_branch;
    writing->insn.taken = writing->layout.taken;
    memcpy(writing->insn.padding, writing->layout.padding, sizeof writing->insn.padding);
    memcpy(writing->insn.tail, writing->layout.tail, sizeof writing->insn.tail);
    return true;
}

/* "r26" is register 26. */
static bool put_reg(struct writing *writing, const struct spoor_batch *batch,
                    const struct spoor_record *record)
{
    size_t size;
    const char *name = spoor_names_text(batch->stream->names, record->reg.name, &size);
    unsigned number = 0;
    if (size < 2 || size > 4 || *name != 'r') return false;
    for (size_t i = 1; i < size; i++) {
        if (name[i] < '0' || name[i] > '9') return false;
        number = 10 * number + (unsigned)(name[i] - '0');
    }
    if (number == 0 || number > UINT8_MAX) return false;
    if (record->op == SPOOR_REG_READ) return reads(writing, (uint8_t)number);
    return record->op == SPOOR_REG_WRITE && writes(writing, (uint8_t)number);
}

static bool put_mem(struct writing *writing, const struct spoor_record *record)
{
    if (!(record->has & SPOOR_HAS_VA)) return false;
    if (record->op == SPOOR_MEM_READ) return loads(writing, record->mem.va);
    return record->op == SPOOR_MEM_WRITE && stores(writing, record->mem.va);
}

static bool put_flow(struct writing *writing, const struct spoor_record *record)
{
    if (!(record->has & SPOOR_HAS_VA) || record->flow.va != writing->insn.pc) return false;
    if (writing->laid_out) return true;
    writing->insn.is_branch = 1;
    writing->insn.taken = !(record->op & SPOOR_FLOW_NOT_TAKEN);
    return true;
}

/* ---- from micro-ops ---- */

/* Pin's number of a micro-op's register (x86's registers in encoding order); 0 for none and for
 * temporaries. */
static uint8_t pin_number(int32_t number)
{
    static const uint8_t numbers[16] = {
        10, 9, 8, 7, CHAMPSIM_STACK_POINTER, 5, 4, 3, 11, 12, 13, 14, 15, 16, 17, 18};
    enum { FIRST_OTHER = 27, FIRST_TEMPORARY = 44 };
    if (number < 0 || number >= FIRST_TEMPORARY) return 0;
    return number < 16 ? numbers[number] : (uint8_t)(FIRST_OTHER + number - 16);
}

static void put_branch(struct writing *writing, const struct spoor_uop_full *uop, uint8_t op)
{
    writing->insn.is_branch = 1;
    writing->insn.taken = (op & SPOOR_UOP_TAKEN) != 0;
    writes(writing, CHAMPSIM_INSTRUCTION_POINTER);
    if (uop->src1 < 0 && uop->src2 < 0) reads(writing, CHAMPSIM_INSTRUCTION_POINTER);
}

static bool put_uop(struct writing *writing, const struct spoor_batch *batch, size_t index,
                    struct text *out)
{
    const struct spoor_uop_full uop = spoor_uop_of(batch, index);
    const uint8_t op = batch->records[index].op;
    const uint8_t sources[] = {pin_number(uop.src1), pin_number(uop.src2)};
    bool fits = true;
    if (uop.step == 1 || !writing->open || writing->insn.pc != uop.pc) {
        flush(writing, out);
        writing->insn = (struct champsim){.pc = uop.pc};
        writing->open = writing->merges = true;
    }
    if (op & (SPOOR_UOP_TAKEN | SPOOR_UOP_NOT_TAKEN)) put_branch(writing, &uop, op);
    for (size_t i = 0; i < 2; i++)
        if (sources[i]) fits &= reads(writing, sources[i]);
    if (op & SPOOR_UOP_READS_FLAGS) fits &= reads(writing, CHAMPSIM_FLAGS);
    if (pin_number(uop.dest)) fits &= writes(writing, pin_number(uop.dest));
    if (op & SPOOR_UOP_WRITES_FLAGS) fits &= writes(writing, CHAMPSIM_FLAGS);
    if (op & SPOOR_UOP_LOAD) fits &= loads(writing, uop.address);
    if (op & SPOOR_UOP_STORE) fits &= stores(writing, uop.address);
    return fits;
}

/* ---- interface ---- */

static bool put_note(struct writing *writing, const struct spoor_batch *batch,
                     const struct spoor_record *record)
{
    const struct spoor_ref ref = record->note.text;
    if (record->op != SPOOR_NOTE_TRAILING || ref.size > sizeof writing->trailing) return false;
    memcpy(writing->trailing, spoor_batch_bytes(batch, ref), ref.size);
    writing->trailing_size = ref.size;
    return true;
}

static bool put_record(struct writing *writing, const struct spoor_batch *batch, size_t index,
                       struct text *out)
{
    const struct spoor_record *record = &batch->records[index];
    const bool own = batch->stream->special == &champsim_special;
    if (record->kind == SPOOR_UOP) return put_uop(writing, batch, index, out);
    if (!own) return champsim_translate(&writing->translation, batch, index, out);
    if (record->kind == SPOOR_INSN) return put_insn(writing, batch, record, out);
    if (record->kind == SPOOR_NOTE) return put_note(writing, batch, record);
    if (!writing->open) return false;
    if (record->kind == SPOOR_REG) return put_reg(writing, batch, record);
    if (record->kind == SPOOR_MEM) return put_mem(writing, record);
    return record->kind == SPOOR_FLOW && put_flow(writing, record);
}

void champsim_write(struct encoder *encoder, const struct spoor_batch *batch, size_t from,
                    size_t to, struct text *out)
{
    if (!encoder->tables) encoder->tables = calloc(1, sizeof(struct writing));
    struct writing *writing = encoder->tables;
    if (!writing) out->failed = true;
    if (writing) writing->shape = writing->translation.shape = encoder->format->variant;
    if (writing && encoder->seam) {
        flush(writing, out);
        champsim_translate_end(&writing->translation, out);
    }
    for (size_t i = from; writing && i < to; i++) {
        const bool done = put_record(writing, batch, i, out);
        encoder->written += done;
        encoder->skipped += !done;
    }
}

void champsim_end(struct encoder *encoder, struct text *out)
{
    struct writing *writing = encoder->tables;
    if (!writing) return;
    flush(writing, out);
    champsim_translate_end(&writing->translation, out);
    text_put(out, writing->trailing, writing->trailing_size);
    free(writing);
    encoder->tables = NULL;
}
