/* SPDX-License-Identifier: MIT */
/*
 * resolve.c: what a record of drmemtrace inherits from those before it.
 *
 * The thread and the time of the last entries that stated them; the instruction set, which only the
 * file type states; and the code of an instruction, which the file states where the instruction
 * occurs first.  The mnemonic, or the registers and categories of a trace that has these instead of
 * code, becomes the disassembly.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/varint.h"
#include "formats/drmemtrace/drmemtrace.h"
#include "isa/mnemonic.h"
#include "model/kept_texts.h"
#include "model/names.h"

/* The code at an address of a process. */
struct code {
    uint64_t key;
    uint64_t opcode; /* the first eight bytes, as struct spoor_insn */
    uint8_t size;    /* bytes */
    bool noted;      /* in drm_tables.codes_noted */
    uint16_t text;   /* index of the mnemonic */
};

/* The window of tracing that a thread stated last: between two, instructions are not in the trace.
 */
struct window {
    uint64_t thread; /* key: its number, + 1; 0: none is stated */
    uint64_t number;
    bool noted; /* in drm_tables.windows_noted */
};

/* The keys of what changed and was not packed yet: each once, so that they are no more than the
 * tables, also where nobody packs. */
struct changes {
    uint64_t *keys;
    size_t count, capacity;
    bool failed; /* memory ran out */
};

/* carry->tables */
struct drm_tables {
    struct hash_map codes;         /* of struct code */
    struct hash_map windows;       /* of struct window */
    struct spoor_names *mnemonics; /* texts of disassembly, */
    struct kept_texts texts;       /* and where the current batch has them, by name */
    struct changes codes_noted, windows_noted;
};

/* State in carry->word. */
enum { FILE_TYPE, PROCESS };

void drm_forget(struct carry *carry)
{
    struct drm_tables *tables = carry->tables;
    if (!tables) return;
    hash_map_free(&tables->codes);
    hash_map_free(&tables->windows);
    spoor_names_free(tables->mnemonics);
    kept_texts_free(&tables->texts);
    free(tables->codes_noted.keys);
    free(tables->windows_noted.keys);
    free(tables);
    carry->tables = NULL;
}

static struct drm_tables *drm_tables_of(struct carry *carry)
{
    struct drm_tables *tables = carry->tables;
    if (tables) return tables;
    tables = carry->tables = calloc(1, sizeof *tables);
    if (tables && (tables->mnemonics = spoor_names_new())) return tables;
    drm_forget(carry);
    return NULL;
}

/* ---- tables as bytes: a code, or after a size of WINDOW_NEWS a window ---- */

enum { WINDOW_NEWS = UINT8_MAX };

static void drm_note(struct changes *changes, uint64_t key, bool *noted)
{
    if (*noted || changes->failed) return;
    changes->failed = !array_reserve(&changes->keys, &changes->capacity, changes->count + 1);
    if (changes->failed) return;
    changes->keys[changes->count++] = key;
    *noted = true;
}

static void drm_pack_code(const struct drm_tables *tables, const struct code *code,
                          struct text *bytes)
{
    size_t size;
    const char *text = spoor_names_text(tables->mnemonics, code->text, &size);
    text_varint(bytes, code->size);
    text_varint(bytes, code->key);
    text_varint(bytes, code->opcode);
    text_varint(bytes, size);
    text_put(bytes, text, size);
}

bool drm_pack_tables(struct carry *carry, struct text *bytes)
{
    struct drm_tables *tables = carry->tables;
    if (!tables) return true;
    for (size_t i = 0; i < tables->codes_noted.count; i++) {
        struct code *code =
            hash_map_find(&tables->codes, tables->codes_noted.keys[i], sizeof *code);
        drm_pack_code(tables, code, bytes);
        code->noted = false;
    }
    for (size_t i = 0; i < tables->windows_noted.count; i++) {
        struct window *window =
            hash_map_find(&tables->windows, tables->windows_noted.keys[i], sizeof *window);
        text_varint(bytes, WINDOW_NEWS);
        text_varint(bytes, window->thread);
        text_varint(bytes, window->number);
        window->noted = false;
    }
    tables->codes_noted.count = tables->windows_noted.count = 0;
    return !tables->codes_noted.failed && !tables->windows_noted.failed && !bytes->failed;
}

static spoor_name drm_keep_mnemonic(struct drm_tables *tables, const char *text, size_t size)
{
    const spoor_name name = size ? spoor_names_intern(tables->mnemonics, text, size) : 0;
    return name == SPOOR_NAMES_FULL ? SPOOR_NO_NAME : name;
}

enum spoor_status drm_unpack_tables(struct carry *carry, const void *bytes, size_t size)
{
    struct drm_tables *tables = drm_tables_of(carry);
    struct unpacker from = {bytes, (const uint8_t *)bytes + size, false};
    bool added;
    if (!tables) return SPOOR_ENOMEM;
    while (size && from.at < from.end && !from.failed) {
        const uint64_t code_size = unpack(&from), key = unpack(&from), number = unpack(&from);
        if (code_size == WINDOW_NEWS) {
            struct window *window = hash_map_add(&tables->windows, key, sizeof *window, &added);
            if (!window) return SPOOR_ENOMEM;
            window->number = number;
            continue;
        }
        struct code *code = hash_map_add(&tables->codes, key, sizeof *code, &added);
        const size_t length = (size_t)unpack(&from);
        const uint8_t *text = unpack_bytes(&from, length);
        if (!code) return SPOOR_ENOMEM;
        if (!text) return SPOOR_EINPUT;
        code->opcode = number;
        code->size = (uint8_t)code_size;
        code->text = drm_keep_mnemonic(tables, (const char *)text, length);
    }
    if (names_out_of_memory(tables->mnemonics)) return SPOOR_ENOMEM;
    return from.failed ? SPOOR_EINPUT : SPOOR_OK;
}

/* ---- mnemonics ----
 *
 * A file has code, but no disassembly.  Mnemonics suffice to count instructions by opcode. */

enum { DRM_MNEMONIC_MAX = 256 };

/* Registers are printed by their number less 2. */
static size_t drm_put_registers(char *text, size_t at, const uint8_t *numbers, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        at += (size_t)snprintf(text + at, DRM_MNEMONIC_MAX - at, " %%rv%d", (int)numbers[i] - 2);
    return at;
}

/* The categories and operands of code that is registers and dependences. */
static size_t drm_registers_text(char text[DRM_MNEMONIC_MAX], const uint8_t *code, size_t size)
{
    enum { HEAD = 4, CATEGORIES = 10, MAX_OPERANDS = 8, CODE_OF_32 = 0x21 };
    static const char *const categories[] = {"fp",    "load", "store",   "branch", "simd",
                                             "state", "move", "convert", "math",   "other"};
    static const uint8_t sizes[] = {0, 0, 1, 2, 4, 6, 8, 10, 16}; /* bytes; 0: unknown */
    uint32_t head;
    if (size < HEAD) return 0;
    memcpy(&head, code, sizeof head);
    const unsigned written = head & 15, read = head >> 4 & 15, operands = written + read;
    size_t at = 0;
    for (size_t i = 0; i < sizeof categories / sizeof *categories; i++)
        if (head >> CATEGORIES >> i & 1)
            at += (size_t)snprintf(text + at, DRM_MNEMONIC_MAX - at, "%s%s", at ? " " : "",
                                   categories[i]);
    if (operands == 0) return at;
    if (operands > MAX_OPERANDS || size < HEAD + 1 + operands) return 0;
    const uint8_t *numbers = code + HEAD + 1;
    const unsigned bytes = code[HEAD] < sizeof sizes  ? sizes[code[HEAD]]
                           : code[HEAD] == CODE_OF_32 ? 32U
                                                      : 0U;
    at += (size_t)snprintf(text + at, DRM_MNEMONIC_MAX - at, "%s[%ubyte]", at ? " " : "", bytes);
    at = drm_put_registers(text, at, numbers + written, read);
    if (written == 0) return at;
    at += (size_t)snprintf(text + at, DRM_MNEMONIC_MAX - at, " ->");
    return drm_put_registers(text, at, numbers, written);
}

/* ---- records ---- */

static uint64_t drm_code_key(const struct carry *carry, uint64_t pc)
{
    return pc ^ carry->word[PROCESS] << 48;
}

/* Keeps the code at the address of an instruction, and its mnemonic.  Names are those of the
 * manuals; an opcode that no table has is named by its bytes. */
static void drm_keep_code(const struct carry *carry, struct spoor_batch *batch, size_t index,
                          const uint8_t *bytes, unsigned size)
{
    struct drm_tables *tables = carry->tables;
    const struct spoor_insn *insn = &batch->records[index].insn;
    char text[DRM_MNEMONIC_MAX];
    bool added;
    struct code *code =
        hash_map_add(&tables->codes, drm_code_key(carry, insn->va), sizeof *code, &added);
    if (!code) {
        batch->out_of_memory = true;
        return;
    }
    const struct code before = *code;
    memcpy(&code->opcode, bytes, DRM_CODE);
    if (size < DRM_CODE) code->opcode &= (UINT64_C(1) << 8 * size) - 1;
    code->size = (uint8_t)size;
    size_t length = 0;
    uint32_t opcode;
    switch (insn->iset) {
    case DRM_ISET_X86: length = mnemonic_x86(text, bytes, size); break;
    case DRM_ISET_A64:
        memcpy(&opcode, bytes, sizeof opcode);
        if (size == sizeof opcode) length = mnemonic_a64(text, opcode);
        break;
    case DRM_ISET_REGISTERS: length = drm_registers_text(text, bytes, size); break;
    default: break;
    }
    code->text = drm_keep_mnemonic(tables, text, length);
    if (insn->iset == DRM_ISET_X86) code->opcode = drm_reversed(code->opcode, size);
    if (added || code->opcode != before.opcode || code->size != before.size ||
        code->text != before.text)
        drm_note(&tables->codes_noted, code->key, &code->noted);
}

static void drm_resolve_insn(struct carry *carry, struct spoor_batch *batch, size_t index)
{
    struct drm_tables *tables = carry->tables;
    struct spoor_record *record = &batch->records[index];
    struct spoor_insn *insn = &record->insn;
    const uint64_t file_type = carry->word[FILE_TYPE];
    uint8_t bytes[DRM_CODE_MAX] = {0};
    unsigned size = 0; /* of the code that the record states */
    struct spoor_ref ref;
    if (file_type & DRM_FILE_REGISTERS)
        insn->iset = DRM_ISET_REGISTERS;
    else if (file_type & (DRM_FILE_X86_32 | DRM_FILE_X86_64))
        insn->iset = DRM_ISET_X86;
    else if (file_type & DRM_FILE_AARCH64)
        insn->iset = DRM_ISET_A64;
    else
        insn->iset = file_type & DRM_FILE_ARM ? DRM_ISET_A32 : 0;
    if (record->has & SPOOR_HAS_DATA) {
        memcpy(bytes, &insn->opcode, DRM_CODE);
        size = insn->opcode_size;
    } else if ((record->has & SPOOR_IS_SPILLED) &&
               spoor_batch_find_spill(batch, index, SPOOR_SPILL_FIELD, &ref)) {
        size = ref.size < DRM_CODE_MAX ? ref.size : DRM_CODE_MAX;
        memcpy(bytes, spoor_batch_bytes(batch, ref), size);
    }
    if (size) drm_keep_code(carry, batch, index, bytes, size);
    const struct code *code =
        hash_map_find(&tables->codes, drm_code_key(carry, insn->va), sizeof *code);
    if (!code) return;
    if (code->size <= DRM_CODE && code->size == insn->opcode_size &&
        insn->iset != DRM_ISET_REGISTERS) {
        insn->opcode = code->opcode;
        record->has |= SPOOR_HAS_DATA;
    }
    if (code->text && !kept_texts_find(&tables->texts, code->text, &insn->disasm)) {
        size_t length;
        const char *text = spoor_names_text(tables->mnemonics, code->text, &length);
        insn->disasm = kept_texts_add(&tables->texts, batch, code->text, text, length);
    }
}

/* The number of a record's thread, as it is named, + 1; 0: none is stated. */
static uint64_t drm_thread_of(const struct spoor_batch *batch, const struct spoor_record *record)
{
    if (!(record->has & SPOOR_HAS_CPU)) return 0;
    return strtoull(spoor_names_text(batch->stream->names, record->cpu, NULL), NULL, 10) + 1;
}

void drm_resolve(struct carry *carry, struct spoor_batch *batch)
{
    struct drm_tables *tables = drm_tables_of(carry);
    if (!tables) {
        batch->out_of_memory = true;
        return;
    }
    kept_texts_begin(&tables->texts);
    /* the thread and the time before the first entry of the batch that states them */
    size_t i = 0;
    for (; i < batch->count && !(batch->records[i].has & SPOOR_HAS_CPU) && carry->cpu; i++) {
        if (batch->records[i].kind == SPOOR_NOTE) continue;
        batch->records[i].cpu = carry->cpu;
        batch->records[i].has |= SPOOR_HAS_CPU;
    }
    for (i = 0; i < batch->count && !(batch->records[i].has & SPOOR_HAS_TIME); i++)
        batch->records[i].time = carry->time;
    for (i = batch->count; i > 0 && batch->records[i - 1].kind == SPOOR_NOTE;) i--;
    if (i > 0) {
        if (batch->records[i - 1].has & SPOOR_HAS_CPU) carry->cpu = batch->records[i - 1].cpu;
        carry->time = batch->records[i - 1].time;
    }
    for (i = 0; i < batch->count; i++) {
        struct spoor_record *record = &batch->records[i];
        const struct spoor_event *event = &record->event;
        if (record->kind == SPOOR_INSN) drm_resolve_insn(carry, batch, i);
        if (record->kind != SPOOR_EVENT) continue;
        if (!(record->has & SPOOR_HAS_INDEX)) {
            const char *name = spoor_names_text(batch->stream->names, event->name, NULL);
            if (strcmp(name, "pid") == 0) carry->word[PROCESS] = event->value;
            continue;
        }
        if (event->number == DRM_FILE_TYPE) carry->word[FILE_TYPE] = event->value;
        if (event->number != DRM_WINDOW) continue;
        const uint64_t thread = drm_thread_of(batch, record);
        bool added;
        struct window *window = hash_map_add(&tables->windows, thread, sizeof *window, &added);
        if (!window) {
            batch->out_of_memory = true;
            continue;
        }
        if (!added && window->number != event->value) record->op = SPOOR_EVENT_LOST; /* a gap */
        const bool moved = added || window->number != event->value;
        window->number = event->value;
        if (moved) drm_note(&tables->windows_noted, window->thread, &window->noted);
    }
    batch->out_of_memory |= names_out_of_memory(tables->mnemonics);
}
