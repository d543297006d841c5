/* SPDX-License-Identifier: MIT */
/*
 * champsim_write.c: write ChampSim's instruction traces.
 *
 * An instruction is assembled from its records, or from the micro-ops of a macro-op, and written
 * when the next one begins.  Registers are Pin's numbers, by which ChampSim identifies the stack
 * pointer, the flags and the instruction pointer.  champsim_translate.c has the instructions of
 * other traces.
 */
#include <stdlib.h>

#include "formats/branch/champsim.h"

struct champsim_writer {
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

static void champsim_flush(struct champsim_writer *writer, struct text *out)
{
    if (writer->open) champsim_pack(writer->shape, &writer->insn, out);
    writer->open = writer->laid_out = false;
}

/* ---- slots ---- */

/* What an instruction reads or loads, and what it writes or stores. */
enum champsim_effect { CHAMPSIM_IN, CHAMPSIM_OUT };

/* The next free slot of `count` that the layout uses, or -1. */
static int champsim_free_slot(const struct champsim_writer *writer, uint8_t used, uint64_t taken,
                              int count)
{
    for (int i = 0; i < count; i++)
        if ((!writer->laid_out || used >> i & 1) && !(taken >> i & 1)) return i;
    return -1;
}

static bool champsim_put_register(struct champsim_writer *writer, enum champsim_effect effect,
                                  unsigned number)
{
    const bool reads = effect == CHAMPSIM_IN;
    uint8_t *slots = reads ? writer->insn.read : writer->insn.written;
    const int count = reads ? CHAMPSIM_READS : (int)writer->shape->writes;
    uint64_t taken = 0;
    for (int i = 0; i < count; i++) {
        taken |= (uint64_t)(slots[i] != 0) << i;
        if (writer->merges && slots[i] == number) return true;
    }
    const int slot = champsim_free_slot(
        writer, reads ? writer->layout.read : writer->layout.written, taken, count);
    if (slot >= 0) slots[slot] = (uint8_t)number;
    return slot >= 0;
}

static bool champsim_put_address(struct champsim_writer *writer, enum champsim_effect effect,
                                 uint64_t address)
{
    const bool loads = effect == CHAMPSIM_IN;
    uint64_t *slots = loads ? writer->insn.loads : writer->insn.stores;
    const int count = loads ? CHAMPSIM_READS : (int)writer->shape->writes;
    const uint8_t used = loads ? writer->layout.loads : writer->layout.stores;
    uint64_t taken = 0;
    for (int i = 0; i < count; i++) taken |= (uint64_t)(slots[i] != 0) << i;
    const int slot = address ? champsim_free_slot(writer, used, taken, count) : -1;
    if (slot >= 0) slots[slot] = address;
    return slot >= 0;
}

/* Pin's number of a micro-op's register (x86's registers in encoding order); 0 for none and for
 * temporaries. */
static uint8_t champsim_pin_number(int32_t number)
{
    static const uint8_t numbers[16] = {
        10, 9, 8, 7, CHAMPSIM_STACK_POINTER, 5, 4, 3, 11, 12, 13, 14, 15, 16, 17, 18};
    enum { FIRST_OTHER = 27, FIRST_TEMPORARY = 44 };
    if (number < 0 || number >= FIRST_TEMPORARY) return 0;
    return number < 16 ? numbers[number] : (uint8_t)(FIRST_OTHER + number - 16);
}

/* Records of the formats of this family; others go to champsim_translate(). */
static bool champsim_put_record(struct champsim_writer *writer, const struct spoor_batch *batch,
                                size_t index, struct text *out)
{
    const struct spoor_record *record = &batch->records[index];
    const char *bytes;
    size_t size;
    unsigned number = 0;
    switch (record->kind) {
    case SPOOR_INSN:
        if (record->op == SPOOR_INSN_AGAIN) return true;
        champsim_flush(writer, out);
        if (!(record->has & SPOOR_HAS_VA) || record->op == SPOOR_INSN_SKIPPED) return false;
        writer->insn = (struct champsim){.pc = record->insn.va};
        writer->open = true;
        writer->merges = false;
        bytes = spoor_names_text(batch->stream->spellings, record->spelling, &size);
        writer->laid_out = size == sizeof writer->layout &&
                           batch->stream->format->record_size == writer->shape->size;
        if (!writer->laid_out) return true;
        memcpy(&writer->layout, bytes, sizeof writer->layout);
        writer->insn.is_branch = writer->layout.is_branch;
        writer->insn.taken = writer->layout.taken;
        memcpy(writer->insn.padding, writer->layout.padding, sizeof writer->insn.padding);
        memcpy(writer->insn.tail, writer->layout.tail, sizeof writer->insn.tail);
        return true;
    case SPOOR_NOTE:
        if (record->op != SPOOR_NOTE_TRAILING || record->note.text.size > sizeof writer->trailing)
            return false;
        writer->trailing_size = record->note.text.size;
        memcpy(writer->trailing, spoor_batch_bytes(batch, record->note.text),
               writer->trailing_size);
        return true;
    case SPOOR_REG: /* "r26" is register 26 */
        bytes = spoor_names_text(batch->stream->names, record->reg.name, &size);
        if (!writer->open || size < 2 || size > 4 || *bytes != 'r') return false;
        for (size_t i = 1; i < size; i++) {
            if (bytes[i] < '0' || bytes[i] > '9') return false;
            number = 10 * number + (unsigned)(bytes[i] - '0');
        }
        if (number == 0 || number > UINT8_MAX) return false;
        if (record->op == SPOOR_REG_READ) return champsim_put_register(writer, CHAMPSIM_IN, number);
        return record->op == SPOOR_REG_WRITE && champsim_put_register(writer, CHAMPSIM_OUT, number);
    case SPOOR_MEM:
        if (!writer->open || !(record->has & SPOOR_HAS_VA)) return false;
        if (record->op == SPOOR_MEM_READ)
            return champsim_put_address(writer, CHAMPSIM_IN, record->mem.va);
        return record->op == SPOOR_MEM_WRITE &&
               champsim_put_address(writer, CHAMPSIM_OUT, record->mem.va);
    case SPOOR_FLOW:
        if (!writer->open || !(record->has & SPOOR_HAS_VA) || record->flow.va != writer->insn.pc)
            return false;
        if (writer->laid_out) return true;
        writer->insn.is_branch = 1;
        writer->insn.taken = !(record->op & SPOOR_FLOW_NOT_TAKEN);
        return true;
    default: return false;
    }
}

void champsim_write(struct encoder *encoder, const struct spoor_batch *batch, size_t from,
                    size_t to, struct text *out)
{
    if (!encoder->tables) encoder->tables = calloc(1, sizeof(struct champsim_writer));
    struct champsim_writer *writer = encoder->tables;
    if (!writer) out->failed = true;
    if (writer) writer->shape = writer->translation.shape = encoder->format->variant;
    if (writer && encoder->seam) {
        champsim_flush(writer, out);
        champsim_translate_end(&writer->translation, out);
    }
    const bool own = batch->stream->special == &champsim_special;
    for (size_t i = from; writer && i < to; i++) {
        bool done = true;
        if (batch->records[i].kind == SPOOR_UOP) {
            const struct spoor_uop_full uop = spoor_uop_of(batch, i);
            const uint8_t op = batch->records[i].op;
            const uint8_t sources[] = {champsim_pin_number(uop.src1),
                                       champsim_pin_number(uop.src2)};
            if (uop.step == 1 || !writer->open || writer->insn.pc != uop.pc) {
                champsim_flush(writer, out);
                writer->insn = (struct champsim){.pc = uop.pc};
                writer->open = writer->merges = true;
            }
            if (op & (SPOOR_UOP_TAKEN | SPOOR_UOP_NOT_TAKEN)) {
                writer->insn.is_branch = 1;
                writer->insn.taken = (op & SPOOR_UOP_TAKEN) != 0;
                champsim_put_register(writer, CHAMPSIM_OUT, CHAMPSIM_INSTRUCTION_POINTER);
                if (uop.src1 < 0 && uop.src2 < 0)
                    champsim_put_register(writer, CHAMPSIM_IN, CHAMPSIM_INSTRUCTION_POINTER);
            }
            for (size_t k = 0; k < 2; k++)
                if (sources[k]) done &= champsim_put_register(writer, CHAMPSIM_IN, sources[k]);
            if (op & SPOOR_UOP_READS_FLAGS)
                done &= champsim_put_register(writer, CHAMPSIM_IN, CHAMPSIM_FLAGS);
            if (champsim_pin_number(uop.dest))
                done &= champsim_put_register(writer, CHAMPSIM_OUT, champsim_pin_number(uop.dest));
            if (op & SPOOR_UOP_WRITES_FLAGS)
                done &= champsim_put_register(writer, CHAMPSIM_OUT, CHAMPSIM_FLAGS);
            if (op & SPOOR_UOP_LOAD) done &= champsim_put_address(writer, CHAMPSIM_IN, uop.address);
            if (op & SPOOR_UOP_STORE)
                done &= champsim_put_address(writer, CHAMPSIM_OUT, uop.address);
        } else if (own) {
            done = champsim_put_record(writer, batch, i, out);
        } else {
            done = champsim_translate(&writer->translation, batch, i, out);
        }
        encoder->written += done;
        encoder->skipped += !done;
    }
}

void champsim_end(struct encoder *encoder, struct text *out)
{
    struct champsim_writer *writer = encoder->tables;
    if (!writer) return;
    champsim_flush(writer, out);
    champsim_translate_end(&writer->translation, out);
    text_put(out, writer->trailing, writer->trailing_size);
    free(writer);
    encoder->tables = NULL;
}
