/* SPDX-License-Identifier: MIT */
/*
 * resolve.c: what a record of drmemtrace inherits from those before it.
 *
 * The thread and the time of the last entries that stated them; the instruction set, which only the
 * file type states; and the code of an instruction, which the file states where the instruction
 * occurs first.  The mnemonic, or the registers and categories of a trace that has these instead of
 * code, becomes the disassembly.
 */
#include <stdlib.h>

#include "formats/drmemtrace/drmemtrace.h"
#include "formats/drmemtrace/mnemonic.h"
#include "model/kept_texts.h"

/* The code at an address of a process. */
struct code {
    uint64_t key;
    uint64_t opcode; /* the first eight bytes, as struct spoor_insn */
    uint8_t size;    /* bytes */

    uint16_t text; /* index of the mnemonic */
};

/* Texts of disassembly, and where the current batch has them. */
struct mnemonics {
    struct spoor_names *names;
    struct kept_texts texts; /* by name */
};

/* The window of tracing that a thread stated last: between two, instructions are not in the trace.
 */
struct window {
    uint64_t thread; /* key: the name of its records' processor */
    uint64_t number;
};

struct tables {
    struct hash_map codes;   /* of struct code */
    struct hash_map windows; /* of struct window */
    struct mnemonics mnemonics;
};

/* State in carry->word. */
enum { FILE_TYPE, PROCESS };

static struct tables *tables_of(struct carry *carry)
{
    if (carry->tables) return carry->tables;
    struct tables *tables = calloc(1, sizeof *tables);
    if (tables) tables->mnemonics.names = spoor_names_new();
    if (tables && !tables->mnemonics.names) {
        free(tables);
        tables = NULL;
    }
    return carry->tables = tables;
}

void drm_forget(struct carry *carry)
{
    struct tables *tables = carry->tables;
    if (!tables) return;
    hash_map_free(&tables->codes);
    hash_map_free(&tables->windows);
    spoor_names_free(tables->mnemonics.names);
    kept_texts_free(&tables->mnemonics.texts);
    free(tables);
    carry->tables = NULL;
}

/* ---- disassembly ---- */

/* The text in the batch's arena, once for each batch. */
static struct spoor_ref text_in(struct mnemonics *mnemonics, struct spoor_batch *batch,
                                uint16_t name)
{
    struct spoor_ref ref;
    size_t size;
    if (kept_texts_find(&mnemonics->texts, name, &ref)) return ref;
    const char *text = spoor_names_text(mnemonics->names, name, &size);
    return kept_texts_add(&mnemonics->texts, batch, name, text, size);
}

static uint16_t intern(struct mnemonics *mnemonics, const char *text, size_t size)
{
    const spoor_name name = size ? spoor_names_intern(mnemonics->names, text, size) : SPOOR_NO_NAME;
    return name == SPOOR_NAMES_FULL ? SPOOR_NO_NAME : name;
}

/* ---- code ---- */

static uint8_t letter_of(uint64_t file_type)
{
    if (file_type & DRM_FILE_REGISTERS) return DRM_ISET_REGISTERS;
    if (file_type & (DRM_FILE_X86_32 | DRM_FILE_X86_64)) return DRM_ISET_X86;
    if (file_type & DRM_FILE_AARCH64) return DRM_ISET_A64;
    return file_type & DRM_FILE_ARM ? DRM_ISET_A32 : 0;
}

/* The code that a record states: its bytes, and their number. */
static unsigned stated_code(const struct spoor_batch *batch, size_t index,
                            uint8_t code[DRM_CODE_MAX])
{
    const struct spoor_record *record = &batch->records[index];
    struct spoor_ref ref;
    if (record->has & SPOOR_HAS_DATA) {
        memcpy(code, &record->insn.opcode, DRM_CODE);
        return record->insn.opcode_size;
    }
    if (!(record->has & SPOOR_IS_SPILLED) ||
        !spoor_batch_find_spill(batch, index, SPOOR_SPILL_FIELD, &ref))
        return 0;
    const unsigned size = ref.size < DRM_CODE_MAX ? ref.size : DRM_CODE_MAX;
    memcpy(code, spoor_batch_bytes(batch, ref), size);
    return size;
}

static uint64_t key_of(const struct carry *carry, uint64_t pc)
{
    return pc ^ carry->word[PROCESS] << 48;
}

static void learn(const struct carry *carry, struct spoor_batch *batch, size_t index,
                  const uint8_t *bytes, unsigned size)
{
    struct tables *tables = carry->tables;
    struct spoor_record *record = &batch->records[index];
    const uint8_t letter = record->insn.iset;
    char text[DRM_MNEMONIC_MAX];
    bool added;
    struct code *code =
        hash_map_add(&tables->codes, key_of(carry, record->insn.va), sizeof *code, &added);
    if (!code) {
        batch->out_of_memory = true;
        return;
    }
    memcpy(&code->opcode, bytes, DRM_CODE);
    if (size < DRM_CODE) code->opcode &= (UINT64_C(1) << 8 * size) - 1;
    code->size = (uint8_t)size;
    code->text = intern(&tables->mnemonics, text, drm_mnemonic(text, letter, bytes, size));
    if (letter == DRM_ISET_X86) code->opcode = drm_reversed(code->opcode, size);
}

static void resolve_insn(struct carry *carry, struct spoor_batch *batch, size_t index)
{
    struct tables *tables = carry->tables;
    struct spoor_record *record = &batch->records[index];
    uint8_t bytes[DRM_CODE_MAX] = {0};
    record->insn.iset = letter_of(carry->word[FILE_TYPE]);
    const unsigned size = stated_code(batch, index, bytes);
    if (size) learn(carry, batch, index, bytes, size);
    const struct code *code =
        hash_map_find(&tables->codes, key_of(carry, record->insn.va), sizeof *code);
    if (!code) return;
    const bool fits = code->size == record->insn.opcode_size;
    if (code->size <= DRM_CODE && fits && record->insn.iset != DRM_ISET_REGISTERS) {
        record->insn.opcode = code->opcode;
        record->has |= SPOOR_HAS_DATA;
    }
    if (code->text) record->insn.disasm = text_in(&tables->mnemonics, batch, code->text);
}

/* ---- state ---- */

/* A window that is another one than before states a gap. */
static void resolve_window(const struct carry *carry, struct spoor_batch *batch,
                           struct spoor_record *record)
{
    struct tables *tables = carry->tables;
    bool added;
    const uint64_t thread = (record->has & SPOOR_HAS_CPU) ? record->cpu + UINT64_C(1) : 1;
    struct window *window = hash_map_add(&tables->windows, thread, sizeof *window, &added);
    if (!window) {
        batch->out_of_memory = true;
        return;
    }
    if (!added && window->number != record->event.value) record->op = SPOOR_EVENT_LOST;
    window->number = record->event.value;
}

static void resolve_event(struct carry *carry, struct spoor_batch *batch,
                          struct spoor_record *record)
{
    size_t size;
    if (record->has & SPOOR_HAS_INDEX) {
        if (record->event.number == DRM_WINDOW) resolve_window(carry, batch, record);
        if (record->event.number == DRM_FILE_TYPE) carry->word[FILE_TYPE] = record->event.value;
        return;
    }
    const char *name = spoor_names_text(batch->stream->names, record->event.name, &size);
    if (size == 3 && memcmp(name, "pid", 3) == 0) carry->word[PROCESS] = record->event.value;
}

/* The thread and the time before the first entry of the batch that states them. */
static void inherit(struct carry *carry, struct spoor_batch *batch)
{
    size_t i = 0;
    for (; i < batch->count && !(batch->records[i].has & SPOOR_HAS_CPU) && carry->cpu; i++) {
        if (batch->records[i].kind == SPOOR_NOTE) continue;
        batch->records[i].cpu = carry->cpu;
        batch->records[i].has |= SPOOR_HAS_CPU;
    }
    for (i = 0; i < batch->count && !(batch->records[i].has & SPOOR_HAS_TIME); i++)
        batch->records[i].time = carry->time;
    for (i = batch->count; i > 0 && batch->records[i - 1].kind == SPOOR_NOTE;) i--;
    if (i == 0) return;
    if (batch->records[i - 1].has & SPOOR_HAS_CPU) carry->cpu = batch->records[i - 1].cpu;
    carry->time = batch->records[i - 1].time;
}

void drm_resolve(struct carry *carry, struct spoor_batch *batch)
{
    struct tables *tables = tables_of(carry);
    if (!tables) {
        batch->out_of_memory = true;
        return;
    }
    kept_texts_begin(&tables->mnemonics.texts);
    inherit(carry, batch);
    for (size_t i = 0; i < batch->count; i++) {
        struct spoor_record *record = &batch->records[i];
        if (record->kind == SPOOR_INSN)
            resolve_insn(carry, batch, i);
        else if (record->kind == SPOOR_EVENT)
            resolve_event(carry, batch, record);
    }
    batch->out_of_memory |= spoor_names_out_of_memory(tables->mnemonics.names);
}
